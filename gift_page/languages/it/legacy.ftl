## The legacy and its state

legacy = Un lascito
legacy-opens-on = Si può riscuotere da { $moment }.
legacy-moves = Ogni segno di vita del proprietario allontana questo giorno.
legacy-open-since = Si può riscuotere da { $moment }.
legacy-closes-again = Finché nessuno ha riscosso, un segno di vita del proprietario lo chiude di nuovo.
legacy-claimed-on = La prima riscossione: { $moment }.
legacy-rest = Tutte le persone che vi sono nominate possono ancora riscuotere ciò che resta per loro.
legacy-handed-over = Da allora il portafoglio condiviso ha nuovi firmatari.
legacy-ended = Il proprietario ha terminato questo lascito: non c’è nulla da riscuotere, e nulla da fare.
legacy-no-day = Non indica alcun giorno che questa pagina possa mostrare.
legacy-second-line = Le persone in seconda linea possono riscuotere da
legacy-third-line = Le persone in terza linea possono riscuotere da
legacy-details = Su questo lascito
legacy-purpose = Un lascito è un piano per le persone a cui qualcuno vuole bene. Se il proprietario non dà segni di vita per molto tempo, le persone nominate nel piano possono riscuotere ciò che è stato loro lasciato.
legacy-purpose-safe = Un lascito è un piano per le persone a cui qualcuno vuole bene. Questo è di un portafoglio condiviso, un Safe. Se il portafoglio non viene usato per molto tempo, le persone nominate nel piano possono prenderlo in carico.
legacy-contract = Contratto
legacy-router = Creato da
legacy-public = Questa pagina mostra ciò che tutti possono leggere sulla rete. Non nomina nessuno.

## No legacy is shown

no-legacy = Qui non c’è alcun lascito
no-legacy-1 = Controlli il link, per favore.
no-legacy-2 = Un lascito creato in questo minuto può aver bisogno di un momento.
legacy-not-now = In questo momento il lascito non si può mostrare
legacy-not-now-1 = Nulla è perso: è al sicuro dov’è. Riprovi tra poco, per favore.
legacy-too-many = Aspetti un momento, per favore
legacy-too-many-1 = In questo minuto sono arrivate moltissime richieste dalla Sua rete.
legacy-too-many-2 = Nulla è perso: ricarichi questa pagina tra un minuto, per favore.
legacy-several = Più lasciti hanno questo numero
legacy-several-1 = Quale cerca? L’indirizzo del suo contratto si trova nelle email che ha ricevuto al riguardo.

## Connecting a wallet

legacy-connect = È Suo, o Lei vi è nominato?
legacy-connect-words = Colleghi il Suo portafoglio, e questa pagina guarda sulla rete. Con questo non si firma nulla e non si paga nulla.
legacy-connect-wallet = Collegare { $wallet }
# The account follows in { $account }.
legacy-connected = Collegato: { $account }
legacy-other-wallet = Usare un altro portafoglio
legacy-not-this-wallet = Questo non è il portafoglio giusto
legacy-not-named = Questo portafoglio non è nominato in questo lascito.
# { $ending } is the end of an address, as "…1a2b".
legacy-wallet-ends = Questo portafoglio non è nominato in questo lascito. Secondo la Sua email, quello giusto finisce con { $ending }.
legacy-find-wallet = Scelga un altro conto nel Suo portafoglio, o usi un altro portafoglio. Non inserisca mai una frase di recupero in un sito web, nemmeno in questo.

## The owner

legacy-yours = Questo lascito è Suo
legacy-yours-claimed = È già stato riscosso. Un segno di vita non cambia più nulla.
legacy-well-words = Sta bene? Lo dica, e si potrà riscuotere solo da { $moment }.
legacy-well-no-day = Sta bene? Lo dica. Questa pagina non può indicare un giorno per questo lascito.
legacy-well = Sto bene
legacy-well-own = Sto bene, e pago la commissione della rete
legacy-well-free = Non Le costa nulla: Lei firma, e la commissione della rete viene pagata per Lei.
legacy-wallet-names = Al momento della firma il Suo portafoglio mostra il contratto «{ $contract }» e non chiede alcun pagamento.
legacy-well-safe = Questo è un portafoglio condiviso: ogni sua transazione è un segno di vita. Questa non invia nulla, al portafoglio stesso.
legacy-needs-premium = La commissione della rete di un segno di vita viene pagata per i proprietari con Premium.
legacy-fee-is-yours = Può farlo con una Sua transazione, per la commissione della rete.
# The day while it is not final.
legacy-new-day = Il nuovo giorno: { $moment }. Sta diventando definitivo.
legacy-moving-to = Si può riscuotere da { $moment }. Sta diventando definitivo.
legacy-well-under-way = Il Suo segno di vita è in viaggio
legacy-well-done = Il Suo segno di vita è arrivato
legacy-day-final = Il nuovo giorno è: { $moment }. È definitivo.
legacy-well-final = Il Suo segno di vita è definitivo.
legacy-papers = Per i Suoi documenti
legacy-papers-words = Una scheda per le persone che ha nominato e una copertina per il fascicolo di un avvocato o di un notaio. Dicono dove si trova questo lascito e come si riscuote. Su nessuna delle due compare il Suo nome, né quello di altri.
legacy-papers-show = Mostrare le due pagine
legacy-papers-way-out = Può anche fare una foto dello schermo.

## A person who is named

legacy-named = Lei è nominato in questo lascito
legacy-named-from = Con questo portafoglio può riscuotere da { $moment }.
legacy-day-moves = Ogni segno di vita del proprietario sposta questo giorno. Fino ad allora non c’è nulla da fare.
legacy-calendar-title = Si può riscuotere un lascito
legacy-what-words = Ora può riscuotere. Prima guardi che cosa riceverebbe: con questo non si firma nulla.
legacy-day-unknown = Questa pagina non conosce un giorno da cui Lei possa riscuotere. Può provare ora.
legacy-what = Che cosa riceverei?
legacy-looking = Un momento: la riscossione viene provata, senza farla…
legacy-would-get = Riceverebbe
legacy-after-fees = Questo arriverebbe nel Suo portafoglio, dopo tutte le commissioni, allo stato attuale.
legacy-has-more = In questo lascito c’è altro che ora non si può riscuotere, o non insieme a questo.
legacy-nothing = In questo momento la riscossione non Le porterebbe nulla.
legacy-claim-free-words = Riscuotere non Le costa nulla: Lei firma, e la commissione della rete viene pagata per Lei. Non paghi mai nessuno per poter riscuotere.
legacy-claim-free = Riscuotere gratis
legacy-claim-own = Riscuotere e pagare io la commissione della rete
legacy-no-free-claims = Per questo lascito la commissione della rete non viene pagata per Lei.
legacy-take-over-words = Ora può prendere in carico il portafoglio condiviso, insieme alle altre persone nominate. Le serve una Sua transazione, per la commissione della rete.
legacy-take-over = Prendere in carico il portafoglio condiviso
legacy-claim-under-way = La Sua riscossione è in viaggio
legacy-step-final = Definitivo
legacy-takeover-done = Il portafoglio condiviso ha nuovi firmatari
legacy-taken-over = Lei e le altre persone nominate potete ora firmare per questo portafoglio.
legacy-you-claimed = Lei ha riscosso.
legacy-choose-again = Non aspettare e scegliere di nuovo

## A signer of a Safe

legacy-safe = Lei è firmatario di un Safe
# The account follows in { $account }.
legacy-safe-signer = Lei firma per il portafoglio condiviso { $account }, di cui tratta questo lascito.
legacy-safe-well = Ogni transazione di questo Safe è un segno di vita. Questa basta, e non sposta nulla:
legacy-safe-check-in = Questo lascito è di questo Safe. Il suo segno di vita è questa transazione, che non sposta nulla:
legacy-safe-claim = Questo Safe è nominato nel lascito. Può riscuotere con questa transazione:
legacy-safe-from = Questo Safe è nominato nel lascito. Può riscuotere da { $moment }.
legacy-safe-how = In Safe scelga «New transaction», poi «Transaction Builder», attivi «Custom data» e compili queste tre righe. Anche gli altri firmatari danno lì il loro consenso.
legacy-safe-to = To address
legacy-safe-value = ETH value
legacy-safe-data = Data (hex)
legacy-safe-copy = Copiare le tre righe
legacy-safe-copied = Le tre righe sono copiate.
legacy-safe-not-copied = Il Suo browser non lo ha permesso. Copi le righe da qui.

## Why something did not work

legacy-not-known = Questo lascito non si trova più. Ricarichi la pagina, per favore.
legacy-over = Questo lascito nel frattempo è stato riscosso o terminato. Ricarichi la pagina, per favore.
legacy-not-open = Non è ancora aperto: il proprietario è ancora attivo. Ricarichi la pagina per vedere il giorno, per favore.
legacy-not-claimable = Ora non si può riscuotere. Ricarichi la pagina per vedere perché, per favore.

## Said otherwise than of a gift

wallet-unknown-network = { $wallet } non conosce ancora la rete di questo lascito. La aggiunga nelle impostazioni di { $wallet }, tra le reti: { $network }, ID della catena { $number }, valuta ETH. Poi riprovi.
wallet-other-network = Questo lascito è su una rete diversa da quella del Suo portafoglio. Scelga la rete { $network } in { $wallet }, poi riprovi.
wallet-no-ether = Nel Suo portafoglio non c’è abbastanza ETH per pagare la commissione della rete.
now-predecessor = Prima parte un’altra Sua richiesta. Questa la segue da sola…
now-mined = La rete l’ha accettata. Sta diventando definitiva, ci vuole circa un quarto d’ora…
why-fees = La rete è molto occupata e in questo momento le commissioni sono alte. La Sua richiesta riparte appena scendono.
why-balance = Prima bisogna ricaricare il portafoglio del servizio, che paga la commissione della rete. Poi la Sua richiesta riparte da sola.
why-daily-cap = Il budget di oggi per le commissioni della rete non ha spazio in questo momento. La Sua richiesta riparte da sola quando ce ne sarà.
why-chain = La rete non risponde in questo momento. La Sua richiesta riparte da sola quando risponderà.
why-paused = Il pagamento delle commissioni della rete è al momento in pausa. Poi la Sua richiesta riparte da sola.
meanwhile = Può lasciare aperta questa pagina o tornare più tardi.
trouble-reverted = La rete ha rifiutato la transazione. Nulla è stato spostato.
trouble-refused = La rete ha rifiutato la transazione. Nulla è stato spostato.
trouble-expired = Non è stato possibile inviare in tempo, quindi non è successo nulla. Riprovi, per favore.
trouble-superseded = Per questo portafoglio è stato inviato prima qualcos’altro. Guardi di nuovo, per favore.
trouble-cancelled = È stato annullato dal portafoglio a cui è destinato. Nulla è stato spostato.
trouble-unknown = Questo tentativo è finito, e nulla è stato spostato. Guardi di nuovo, per favore.
no-fee-spent = Il budget di oggi per pagare le commissioni della rete è esaurito. Ce n’è uno nuovo alle ore { $time }.
no-fee-reserved = Il budget di oggi per pagare le commissioni della rete è riservato alle richieste già in viaggio. Riprovi tra venti minuti, per favore.
no-fee-here = Qui le commissioni della rete non vengono pagate per Lei.
no-fee-paused = Il pagamento delle commissioni della rete è al momento in pausa.
no-fee-unknown = Al momento non si può sapere se la commissione della rete può essere pagata per Lei.
signer-paused = Oggi una transazione di questo portafoglio non è riuscita sulla rete: fino a domani non vengono pagate altre commissioni per questo portafoglio. Può farlo con una Sua transazione.
nonce-mismatch = Un’altra richiesta di questo portafoglio è in viaggio, oppure lo è già questa. Aspetti un minuto, per favore, poi riprovi.
already-used = Questo è già stato inviato. Ricarichi la pagina, per favore.
signer-mismatch = Questa firma non è del portafoglio giusto. Non è successo nulla. Può farlo con una Sua transazione.
would-fail = In questo momento la rete lo rifiuterebbe, oppure serve più di quanto si paga qui, quindi non è stato inviato. Riprovi più tardi, per favore, o con una Sua transazione.
went-wrong = Qualcosa in questa pagina non ha funzionato. Al lascito non è successo nulla: ricarichi la pagina e riprovi, per favore.
