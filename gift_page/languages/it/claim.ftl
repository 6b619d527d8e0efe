## Greetings, by occasion

greeting-gift = Un regalo per te
greeting-birthday = Buon compleanno
greeting-wedding = Congratulazioni per le nozze
greeting-anniversary = Buon anniversario
greeting-new-baby = Ti diamo il benvenuto
greeting-graduation = Congratulazioni per la laurea
greeting-bar-bat-mitzvah = Mazal tov
greeting-thank-you = Grazie
greeting-new-home = Auguri per la nuova casa
greeting-someday = Per te, un giorno
greeting-valentine = Con tutto il mio amore
greeting-new-year = Buon anno
greeting-christmas = Buon Natale
greeting-hanukkah = Felice Hanukkah
greeting-eid = Eid Mubarak
greeting-diwali = Felice Diwali
greeting-easter = Buona Pasqua
greeting-lunar-new-year = Felice Capodanno lunare
greeting-to = { $greeting }, { $name }
card-subline = Un regalo sigillato ti aspetta

## The gift and its state

when-open = Questo regalo si può aprire ora.
when-claimed = Questo regalo è stato aperto ed è arrivato a chi doveva riceverlo.
opened-on = Questo regalo è stato aperto { $moment }.
sealed-until = Questo regalo è sigillato fino a { $moment }.
inside = Contenuto
asset-paid-out = { $amount } (pagati in ETH)
asset-without-name = token
asset-base-units = { $units } unità di base di { $symbol }
the-gift = Il regalo
advice-link = Chi ha questo link può vedere il regalo. Solo il portafoglio per cui è stato sigillato può riceverlo.
advice-paper = La chiave è stampata sul foglio che lo accompagna. Conserva bene il foglio e non dire la chiave a nessuno: chi ti aiuta non ha bisogno di conoscerla.
advice-email = È stato sigillato per il tuo indirizzo email. Per aprirlo riceverai lì un codice; non dirlo a nessuno.
claimed-paper = Il contenuto è nel portafoglio a cui appartiene la chiave del tuo foglio: conserva il foglio finché non lo hai spostato in un portafoglio tuo.
claimed-email = Il contenuto è nel portafoglio del tuo indirizzo email, che il servizio di accesso Turnkey custodisce per te. Solo chi legge le tue email può usare quel portafoglio, quindi proteggi la tua casella. Questa pagina apre solo regali. Per spostarlo, con una commissione di rete in ETH, si accede a quel portafoglio altrove: chiedi dove a chi te lo ha regalato, e non dire mai a nessuno un codice delle tue email.
seal-forward = Sigillane uno anche tu
about-gift = Su questo regalo
fact-sealed = Sigillato
fact-opens = Si apre
fact-opened = Aperto
fact-sealed-for = Sigillato per
fact-network = Rete
fact-gift = Regalo
gift-number = numero { $number } di
letter-stays = Se c’è un messaggio personale, è nella parte di questo link dopo il segno #: resta nel tuo browser e non ci viene mai inviato.

## No gift is shown

no-gift = Qui non c’è nessun regalo
no-gift-1 = Controlla il link, per favore.
no-gift-2 = Un regalo sigillato da un minuto può metterci un momento ad apparire.
cut-off = Questo link non è intero
cut-off-1 = Una parte è andata persa, forse copiandolo. Nient’altro si è perso: il regalo è al sicuro dov’è.
cut-off-2 = Apri il link intero, come ti è stato dato.
not-served = Questo regalo è su un’altra rete
not-served-1 = Il link indica una rete che questa pagina non conosce. Nulla è perso: il regalo è al sicuro dov’è.
not-served-2 = Controlla il link, o chiedi a chi te lo ha dato dove si apre.
not-shown = Questo regalo non si può mostrare qui
not-shown-1 = Contiene qualcosa che questa pagina non conosce, o non conosce più. Nulla è perso: il regalo è al sicuro dov’è.
not-shown-2 = Chiedi a chi te lo ha dato come aprirlo.
not-now = Il regalo non si può mostrare in questo momento
not-now-1 = Nulla è perso: è al sicuro dov’è. Riprova tra poco.
too-many = Attendi un momento, per favore
too-many-1 = Moltissime persone hanno chiesto regali dalla tua rete in questo minuto.
too-many-2 = Nulla è perso: ricarica questa pagina tra un minuto.
none-for = Nessun regalo trovato per questo foglio
none-for-1 = Se hai digitato il link, confrontalo con il tuo foglio: una lettera o un numero può essere diverso.
none-for-2 = Un regalo sigillato da un minuto può metterci un momento: riprova tra poco.
not-shown-for = Nessun regalo trovato che si possa mostrare qui
not-shown-for-1 = Per questo foglio è sigillato qualcosa che questa pagina non conosce, o non conosce più. Nulla è perso: è al sicuro dov’è.
not-shown-for-2 = Se non hai ancora aperto il tuo regalo, chiedi a chi ti ha dato il foglio come aprirlo.
not-shown-for-3 = Se lo hai già aperto, questo è un altro, forse di uno sconosciuto. Il contenuto del tuo è nel portafoglio a cui appartiene la chiave del foglio: conserva il foglio finché non lo hai spostato in un portafoglio tuo.
mistyped = Questo link ha un errore
mistyped-1 = Una lettera o un numero dell’indirizzo è diverso da ciò che è stampato, o ne manca uno. Nulla è perso.
mistyped-2 = Confrontalo con il tuo foglio, da 0x in poi, oppure scansiona il codice sulla copertina del foglio.
rewritten = Questo link è stato cambiato per strada
rewritten-1 = Un programma di posta o un filtro ne ha cambiato i segni. Nulla è perso: il regalo è al sicuro dov’è.
rewritten-2 = Nella barra degli indirizzi, rimetti # al posto di %23 e ? al posto di %3F. Oppure apri il link come ti è stato dato, in un altro programma di posta o browser.

## The letter, the calendar and sharing

letter-label = Messaggio personale
letter-from = Da { $name }
letter-damaged = Il messaggio non è arrivato intero
letter-damaged-1 = Una parte del link si è persa per strada e il messaggio personale non si può leggere. Il regalo è al sicuro e si può aprire lo stesso. Chiedi a chi te lo ha mandato di inviarti di nuovo il link intero.
calendar-add = Aggiungi il giorno al calendario
calendar-title = Si apre un regalo per te
opens-in = Si apre tra { $days }, { $hours } e { $minutes }.
day-has-come = Il giorno è arrivato. Un momento…
share = Condividi o nascondi il messaggio
share-words = Chi ha il link può vedere questo regalo; solo chi lo riceve può aprirlo. Il messaggio personale fa parte del link nella barra degli indirizzi. Toglilo da lì prima di condividere o mostrare questa pagina: ricaricandola non ci sarà più, quindi conserva prima il link intero per te.
share-copy-whole = Copia il link intero
share-copied-whole = Il link intero è copiato.
share-copy-bare = Copia il link senza messaggio
share-copied-bare = Il link senza il messaggio è copiato.
share-take-out = Togli il messaggio
share-taken-out = Il messaggio non è più nella barra degli indirizzi. Il link che c’è ora si può condividere senza.
share-not-allowed = Il tuo browser non lo ha permesso. Copia il link dalla barra degli indirizzi.

## The ways to open it

try-again = Riprova
one-moment = Un momento…
looking-for-way = Cerco un modo per aprirlo…
open-your-gift = Apri il tuo regalo
costs-nothing = Non ti costa nulla: la commissione di rete è pagata per te.
way-paper = Con la chiave del mio foglio stampato
way-email = Con un codice inviato alla mia email
way-wallet = Con il mio portafoglio
no-codes = Al momento non si possono inviare codici. Riprova più tardi.
stays-where = Nulla è perso: il tuo regalo resta dov’è.
stays-self-paid = Nulla è perso: il tuo regalo resta dov’è. Fino ad allora può aprirlo solo un portafoglio che paga da sé la commissione.
look-again = Guarda di nuovo
wallet-signs = Il tuo portafoglio firma…
open-my-gift = Apri il mio regalo

## With the printed key

paper-words = Apri il foglio piegato: la chiave è sul riquadro bianco. Resta su questo dispositivo e non viene mai inviata a nessuno; firma qui e viene subito dimenticata.
paper-legend = La chiave, com’è stampata: 16 gruppi di 4
paper-group = Gruppo { $number } di { $groups }
paper-typed-wrong = Questa non è la chiave di questo regalo. Confronta ogni gruppo con il tuo foglio: una lettera o un numero è diverso.
paper-scanned-wrong = Questa non è la chiave di questo regalo. È il foglio di un altro regalo?
paper-no-key = Quel codice non è la chiave. Scansiona quello sul riquadro bianco, dentro il foglio piegato.
paper-bad-letter = Il gruppo { $number } ha una lettera che nessuna chiave ha: solo da 0 a 9 e da a a f.
paper-too-short = Il gruppo { $number } richiede 4 caratteri.
camera-scan-key = Scansionala con la fotocamera
camera-picture = Immagine della fotocamera
camera-hold = Tieni il codice quadrato del riquadro bianco davanti alla fotocamera.
camera-stop = Ferma la fotocamera
camera-unusable-key = La fotocamera non si può usare qui. Digita la chiave, per favore.
camera-or-type = oppure digitala

## With the email address

email-words = Questo regalo è stato sigillato per un indirizzo email. Scrivilo, e il servizio di accesso invia lì un codice: nessuno dei due arriva a noi.
email-label = Il tuo indirizzo email
email-send-code = Inviami un codice
email-none = Questo non è un indirizzo email. Controllalo, per favore.
code-words = Un codice è in arrivo a { $email }. Scrivilo qui e non dirlo a nessuno.
code-words-reloaded = Un codice è in arrivo al tuo indirizzo. Scrivilo qui e non dirlo a nessuno.
code-label = Il codice dell’email
code-none = Scrivi il codice dell’email, per favore.
code-another = Invia un altro codice
code-another-reloaded = Fatti inviare un altro codice
email-another = Usa un altro indirizzo
code-wrong = Quel codice non va bene, o non è più valido. Usa l’email più recente o fatti inviare un altro codice.
email-wrong = Questo indirizzo non apre questo regalo. Forse è stato sigillato per un altro tuo indirizzo.
code-too-many = Troppi tentativi. Attendi qualche minuto, poi fatti inviare un altro codice.
provider-away = Il servizio di accesso non risponde ora. Nulla è perso: riprova tra poco.

## With a wallet

wallet-sealed-for = Questo regalo è stato sigillato per l’account { $account }. Il tuo portafoglio ti chiede di accettare; non gli viene mai chiesta una chiave.
wallet-self-paid-works = Pagare tu la commissione funziona sempre.
wallet-none = Nessun portafoglio trovato in questo browser. Sul telefono, apri questo link nel browser della tua app portafoglio; sul computer, usa il browser che ha il tuo portafoglio.
wallet-keep-weth = Ricevi ether incapsulati (WETH) invece di ETH
wallet-keep-token = Ricevi { $symbol } invece di ETH
wallet-keep-tokens = Ricevi i token stessi invece di ETH
wallet-busy = Un portafoglio ti sta ancora chiedendo. Rispondi lì, o ricarica questa pagina per sceglierne un altro.
wallet-asks = { $wallet } te lo chiede ora. Se non vedi la finestra, aprila tu.
wallet-pay-fee = Pago io la commissione
wallet-pay-fee-with = Pago io la commissione con { $wallet }
wallet-open-free = Apri gratis con { $wallet }
wallet-of-browser = Il portafoglio di questo browser
wallet-no-account = { $wallet } non usa nessun account, ma questo regalo è stato sigillato per { $recipient }. Scegli quell’account nel tuo portafoglio, poi riprova.
wallet-other-account = { $wallet } usa l’account { $account }, ma questo regalo è stato sigillato per { $recipient }. Scegli quell’account nel tuo portafoglio, poi riprova.
wallet-names-none = { $wallet } non indica nessun account. Digita l’indirizzo, per favore.
wallet-choose-network = Scegli la rete { $network } in { $wallet }, poi riprova.
wallet-unknown-network = { $wallet } non conosce la rete di questo regalo, { $network }. Aggiungila prima lì.
wallet-other-network = Questo regalo è su una rete diversa da quella del tuo portafoglio. Scegli la rete { $network } in { $wallet }, poi riprova.
wallet-wrong-recipient = Questo regalo è stato sigillato per un altro account. Scegli quell’account nel tuo portafoglio, poi riprova.
wallet-empty-gift = In questo regalo non è rimasto nulla.
wallet-declined = Hai rifiutato in { $wallet }. Non è successo nulla.
wallet-pending = { $wallet } ti sta già chiedendo qualcosa. Rispondi prima lì.
wallet-no-ether = Nel tuo portafoglio non c’è abbastanza ETH per la commissione di rete. Il modo senza commissione funziona, dove è offerto.
wallet-failed = { $wallet } non ci è riuscito. Non è successo nulla: riprova.
wallet-look = Guarda nel tuo portafoglio
wallet-silent = È in viaggio, ma ora nessuno risponde. Si chiede di nuovo…
wallet-still = È in viaggio, per quanto ne sa questa pagina. Se lo hai fermato nel portafoglio, puoi ricominciare; nulla si può aprire due volte.
wallet-was-asked = La richiesta è arrivata al tuo portafoglio prima che questa pagina fosse ricaricata. Se hai accettato lì, il regalo è in viaggio; se no, ricomincia. Nulla si può aprire due volte.
start-again = Ricomincia

## Where it lands

destination = Dove deve arrivare?
destination-own = In un portafoglio tuo
destination-own-words = Arriva lì subito, e non paghi commissioni.
destination-label = L’indirizzo del tuo portafoglio
destination-look = Controllalo ancora una volta
destination-scan = Scansiona il suo codice con la fotocamera
destination-no-camera = La fotocamera non si può usare qui. Digita l’indirizzo, per favore.
destination-use-wallet = Usa { $wallet }
destination-gift-wallet = Nel portafoglio del regalo
destination-kept-paper = Resta con la chiave del tuo foglio. Per spostarlo dopo, importi la chiave in un’app portafoglio e paghi una commissione di rete.
destination-kept-email = Resta nel portafoglio del tuo indirizzo email. Per spostarlo dopo, accedi lì e paghi una commissione di rete.
destination-keep = Lascialo nel portafoglio del regalo
destination-confirm = È questo il tuo portafoglio?
destination-compare = Confronta ogni lettera con l’indirizzo che mostra la tua app portafoglio. Alcuni programmi scambiano un indirizzo mentre lo si copia.
destination-unchecked = Questo indirizzo non ha lettere di controllo: un errore non si noterebbe.
destination-final = Ciò che arriva in un portafoglio sbagliato non si può recuperare.
destination-yes = Sì, invialo lì
destination-another = Usane un altro
destination-no-address = Questo non è l’indirizzo di un portafoglio. Inizia con 0x e seguono 40 lettere e cifre.
destination-other-network = Questo codice è di un’altra rete. Usa un indirizzo della rete di questo regalo.
destination-mistake = Una lettera o una cifra di questo indirizzo è sbagliata. Copialo di nuovo dal tuo portafoglio.
destination-nobody = Nessuno ha la chiave di questo indirizzo: ciò che si invia lì è perso.
destination-contract = Questo è l’indirizzo di un contratto, non di un portafoglio: ciò che si invia lì è perso.
destination-same = Questo è proprio il portafoglio del regalo. Per lasciarlo lì, scegli l’opzione qui sotto.

## On its way

on-its-way = Il tuo regalo è in viaggio
step-signed = Firmato su questo dispositivo
step-handed = Consegnato alla rete
step-confirmed = Confermato dalla rete
sending-signature = Invio della tua firma…
looking-where = Guardo dov’è il tuo regalo…
service-silent = Il servizio non risponde ora; si chiede di nuovo…
now-arrived = La tua firma è arrivata. Viene inviata alla rete…
now-predecessor = Prima va un altro tuo regalo. Questo segue da solo…
now-sending = Viene inviato alla rete…
now-broadcast = È in viaggio. Di solito la rete ci mette meno di un minuto…
now-mined = Il tuo regalo è arrivato! La rete lo sta rendendo definitivo…
now-failed = La rete ha rifiutato la transazione. Questo diventa definitivo in circa un quarto d’ora. Poi puoi riprovare.
why-fees = La rete è molto occupata e le commissioni ora sono alte. Il tuo regalo riparte appena scendono.
why-balance = Il portafoglio del servizio, che paga la commissione di rete, va prima ricaricato. Poi il tuo regalo riparte da solo.
why-daily-cap = Il budget di oggi per le commissioni di rete ora non ha spazio. Il tuo regalo riparte da solo quando ne ha.
why-chain = La rete non risponde ora. Il tuo regalo riparte da solo quando risponde.
why-earlier = Altri vengono inviati alla rete prima del tuo. Segue da solo.
why-paused = Il pagamento delle commissioni di rete è in pausa. Dopo, il tuo regalo riparte da solo.
why-would-fail = La rete ora lo rifiuterebbe. Si riprova da solo.
meanwhile = Puoi lasciare aperta questa pagina o tornare più tardi. Dopo un’ora ti verrà chiesto di aprirlo ancora una volta.
choose-another-way = Scegli un altro modo
see-transaction = Vedi la transazione { $hash }
transaction = transazione { $hash }
not-yet = Non ha ancora funzionato
see-what-works = Vedi che cosa funziona ora
nothing-sent = Non è stato inviato nulla: il regalo è ancora lì.
trouble-reverted = La rete ha rifiutato la transazione. Nulla è stato spostato: il regalo è ancora lì.
trouble-refused = La rete ha rifiutato la transazione. Il regalo è ancora lì.
trouble-expired = Non è stato possibile inviarlo in tempo, e nulla è stato spostato. Il regalo è ancora lì: riprova.
trouble-superseded = Prima è stato inviato qualcos’altro per questo portafoglio. Il regalo forse è ancora lì: guarda di nuovo.
trouble-cancelled = Lo ha annullato il portafoglio a cui è destinato. Il regalo è ancora lì.
trouble-unknown = Questo tentativo è finito e il regalo non si è mosso: guarda di nuovo.

## Received

you-opened = Hai aperto questo regalo.
it-is-yours = È tuo
arrived-at = { $gift } è arrivato a { $account }.
was-paid-out = { $gift } è stato pagato.
received-paper = Ora è nel portafoglio a cui appartiene la chiave del tuo foglio. Conserva bene il foglio: ti serve la sua chiave per spostare il regalo in un portafoglio tuo, importandola in un’app portafoglio quando vuoi.
received-email = Ora è nel portafoglio del tuo indirizzo email, che il servizio di accesso Turnkey custodisce per te. Chiunque possa leggere le tue email può usare quel portafoglio, quindi proteggi la tua casella. Questa pagina apre solo regali. Per spostarlo, si accede a quel portafoglio altrove: chiedi dove a chi te lo ha regalato, e non dire mai a nessuno un codice delle tue email.
received-wallet = Ora è nel tuo portafoglio.
received-own = È nel portafoglio che hai indicato. Il portafoglio del regalo non ti serve più.
received-either = Guarda nel portafoglio che hai indicato e nel portafoglio del regalo: è in uno dei due.
fee-from-gift = Spostarlo dopo costa una piccola commissione di rete, che si paga con l’ETH arrivato.
fee-needs-ether = Spostarlo dopo costa una piccola commissione di rete, quindi a quel portafoglio serve prima un po’ di ETH.

## Why something did not work

no-fee-spent = Il budget di oggi per le commissioni di rete dei regali è esaurito. Ce n’è uno nuovo alle { $time }.
no-fee-reserved = Il budget di oggi per le commissioni di rete è riservato ai regali in viaggio. Riprova tra venti minuti.
no-fee-here = Qui non si pagano le commissioni di rete dei destinatari.
no-fee-paused = Il pagamento delle commissioni di rete è in pausa. Riprova più tardi.
no-fee-unknown = Al momento non si sa se la commissione di rete può essere pagata per te. Riprova tra qualche minuto.
locked = Il regalo è ancora bloccato dall’orologio della rete. Riprova tra un minuto.
already-opened = Questo regalo è già stato aperto.
too-late = Ci è voluto troppo per inviarlo. Non è successo nulla: riprova.
signer-paused = Oggi un prelievo di questo portafoglio è fallito sulla rete: fino a domani non si pagano altre commissioni per esso.
nonce-mismatch = Un altro regalo di questo portafoglio è in viaggio, o lo è già questo. Attendi un minuto, poi riprova.
already-used = Questo è già stato inviato. Riprova: la pagina guarda allora dov’è il regalo.
signer-mismatch = Questa firma non è del portafoglio per cui il regalo è stato sigillato. Non è successo nulla. Con un portafoglio smart puoi pagare tu la commissione.
gift-not-found = Il regalo non si trova più. Ricarica la pagina, per favore.
chain-unavailable = La rete non è raggiungibile al momento. Nulla è perso: riprova tra qualche minuto.
would-fail = La rete ora lo rifiuterebbe, o richiede più di quanto si paga qui, quindi non è stato inviato. Riprova più tardi. Con un portafoglio smart puoi pagare tu la commissione.
too-often = Troppi tentativi. Attendi { $wait }, poi riprova.
service-away = Il servizio non risponde. Hai una connessione a internet? Nulla è perso: riprova tra poco.
went-wrong = Qualcosa in questa pagina è andato storto. Al regalo non è successo nulla: ricarica la pagina e riprova.
