## Greetings, by occasion

greeting-gift = Un regalo per te
greeting-birthday = Buon compleanno
greeting-wedding = Auguri per il matrimonio
greeting-anniversary = Buon anniversario
greeting-new-baby = Ti diamo il benvenuto
greeting-graduation = Complimenti per il traguardo
greeting-bar-bat-mitzvah = Mazal tov
greeting-thank-you = Grazie
greeting-new-home = Auguri per la nuova casa
greeting-someday = Per te, un giorno
greeting-valentine = Con tutto il mio amore
greeting-new-year = Buon anno
greeting-christmas = Buon Natale
greeting-hanukkah = Felice Chanukkà
greeting-eid = Eid Mubarak
greeting-diwali = Felice Diwali
greeting-easter = Buona Pasqua
greeting-lunar-new-year = Buon Capodanno lunare
greeting-to = { $greeting }, { $name }
card-subline = Qui aspetta un regalo sigillato
card-opened = Questo regalo è stato aperto

## The gift and its state

when-open = Questo regalo ora si può aprire.
when-claimed = Questo regalo è stato aperto: è arrivato alla persona a cui era destinato.
opened-on = Questo regalo è stato aperto { $moment }.
sealed-until = Questo regalo è sigillato fino a { $moment }.
inside = Contenuto
digital-money = È denaro digitale.
asset-paid-out = { $amount } (versati in ETH)
asset-without-name = token
asset-base-units = { $units } unità di base di { $symbol }
the-gift = Il regalo
advice-link = Chi ha questo link può vedere il regalo. Solo il portafoglio per cui è stato sigillato può aprirlo.
advice-paper = Chi ha il foglio stampato può aprirlo. Lo conservi come denaro contante: senza il foglio il regalo è perso. Non dica la chiave a nessuno: chi La aiuta non ha bisogno di conoscerla.
advice-email = È stato sigillato per il Suo indirizzo e-mail: chi legge le Sue e-mail può aprirlo, e nessun altro. Per aprirlo riceverà lì un codice: non lo dica a nessuno.
check-wallet = Controlli già adesso di avere ancora questo portafoglio: nessuno può sostituirlo, nemmeno noi.
check-paper = Controlli già adesso di avere ancora il foglio: nessuno può sostituirlo, nemmeno noi.
check-email = Controlli già adesso di poter ancora aprire questa casella: nessuno può sostituirla, nemmeno noi.
advice-email-moving = Ciò che contiene arriverà in un portafoglio del Suo indirizzo e-mail, che il servizio di accesso Turnkey custodisce per Lei. Da lì si può spostare soltanto in un’app di chi gestisce { $site }; nessun’altra app di portafoglio apre quel portafoglio. Chieda loro dove prima di aprire il regalo.
ask-us = Chieda a noi: in fondo a questa pagina c’è scritto come contattarci.
claimed-paper = Ciò che conteneva è nel portafoglio a cui appartiene la chiave del Suo foglio: conservi il foglio finché non l’avrà spostato in un portafoglio tutto Suo.
claimed-email = Ciò che conteneva è nel portafoglio del Suo indirizzo e-mail, che il servizio di accesso Turnkey custodisce per Lei. Solo chi legge le Sue e-mail può usare quel portafoglio, quindi protegga bene la Sua casella di posta. Questa pagina apre soltanto i regali. Per spostarlo, con una commissione della rete in ETH, si accede a quel portafoglio in un’app di chi gestisce { $site }; nessun’altra app di portafoglio lo apre. Chieda loro dove, e non dica a nessuna persona un codice ricevuto per e-mail.
claimed-paper-or-named = Se ha indicato un portafoglio quando ha aperto il regalo, ciò che conteneva è arrivato lì. Se non ne ha indicato nessuno, è nel portafoglio a cui appartiene la chiave del Suo foglio: conservi il foglio finché non l’avrà spostato in un portafoglio tutto Suo.
claimed-email-or-named = Se ha indicato un portafoglio quando ha aperto il regalo, ciò che conteneva è arrivato lì. Se non ne ha indicato nessuno, è nel portafoglio del Suo indirizzo e-mail, che il servizio di accesso Turnkey custodisce per Lei. Solo chi legge le Sue e-mail può usare quel portafoglio, quindi protegga bene la Sua casella di posta. Questa pagina apre soltanto i regali. Per spostarlo, con una commissione della rete in ETH, si accede a quel portafoglio in un’app di chi gestisce { $site }; nessun’altra app di portafoglio lo apre. Chieda loro dove, e non dica a nessuna persona un codice ricevuto per e-mail.
seal-forward = Sigillarne uno per qualcuno
about-gift = Su questo regalo
fact-sealed = Sigillato
fact-opens = Si apre
fact-opened = Aperto
fact-sealed-for = Sigillato per
fact-network = Rete
fact-gift = Regalo
gift-number = numero { $number } del contratto
letter-stays = Il messaggio personale, se c’è, è nella parte di questo link dopo il segno #: resta nel Suo browser e non viene mai inviato a noi.

## No gift is shown

no-gift = Qui non c’è nessun regalo
no-gift-1 = Controlli il link, per favore.
no-gift-2 = Un regalo appena sigillato può metterci un momento a comparire.
cut-off = Questo link non è intero
cut-off-1 = Una parte è andata persa, forse mentre veniva copiato. Nient’altro è perso: il regalo è al sicuro dov’è.
cut-off-2 = Apra il link intero, così come l’ha ricevuto, per favore.
not-served = Questo regalo è su un’altra rete
not-served-1 = Il link indica una rete che questa pagina non conosce. Nulla è perso: il regalo è al sicuro dov’è.
not-served-2 = Controlli il link, per favore, oppure chieda a chi gliel’ha dato dove si apre.
not-shown = Questo regalo non si può mostrare qui
not-shown-1 = Contiene qualcosa che questa pagina non conosce, o non conosce più. Nulla è perso: il regalo è al sicuro dov’è.
not-shown-2 = Chieda a chi Le ha fatto il regalo come aprirlo, per favore.
not-now = Il regalo non si può mostrare in questo momento
not-now-1 = Nulla è perso: è al sicuro dov’è. Riprovi tra poco, per favore.
too-many = Aspetti un momento, per favore
too-many-1 = In questo minuto moltissime persone hanno chiesto di vedere regali dalla Sua rete.
too-many-2 = Nulla è perso: ricarichi questa pagina tra un minuto, per favore.
none-for = Nessun regalo trovato per questo foglio
none-for-1 = Se ha scritto il link a mano, lo confronti con il Suo foglio, per favore: una lettera o un numero potrebbe essere diverso.
none-for-2 = Un regalo appena sigillato può metterci un momento a comparire: riprovi tra poco, per favore.
not-shown-for = Non è stato trovato nessun regalo che si possa mostrare qui
not-shown-for-1 = Per questo foglio è sigillato qualcosa che questa pagina non conosce, o non conosce più. Nulla è perso: è al sicuro dov’è.
not-shown-for-2 = Se non ha ancora aperto il Suo regalo, chieda a chi Le ha dato il foglio come aprirlo, per favore.
not-shown-for-3 = Se l’ha già aperto, questo è un altro, forse di una persona sconosciuta. Se allora non ha indicato un altro portafoglio, ciò che conteneva il Suo è nel portafoglio a cui appartiene la chiave del Suo foglio: conservi il foglio finché non l’avrà spostato in un portafoglio tutto Suo.
mistyped = Questo link contiene un errore
mistyped-1 = Una lettera o un numero dell’indirizzo è diverso da quanto è stampato, oppure manca. Nulla è perso.
mistyped-2 = Lo confronti con il Suo foglio, da 0x in poi, oppure inquadri il codice sulla copertina del foglio, per favore.
rewritten = Questo link è stato cambiato lungo la strada
rewritten-1 = Un programma di posta o un filtro ne ha cambiato i segni. Nulla è perso: il regalo è al sicuro dov’è.
rewritten-2 = Nella barra degli indirizzi, rimetta # al posto di %23 e ? al posto di %3F. Oppure apra il link così come l’ha ricevuto, in un altro programma di posta o browser.

## The letter, the calendar and sharing

letter-label = Messaggio personale
letter-from = Da { $name }
letter-unchecked = I nomi e il messaggio sono di chi ha creato questo link. Nessuno li ha verificati.
letter-ask = Conosce { $name }? Telefoni, a un numero che ha già, e chieda se questo regalo viene davvero da lì.
letter-damaged = Il messaggio non è arrivato intero
letter-damaged-1 = Una parte del link è andata persa lungo la strada, quindi il messaggio personale non si può leggere. Il regalo è al sicuro e si può aprire lo stesso. Chieda a chi l’ha inviato di mandarLe ancora una volta il link intero.
calendar-add = Aggiungere il giorno al calendario
calendar-title = Si apre un regalo per Lei
out-cannot-print = Questo browser non può stampare: non si è aperta nessuna finestra di stampa. I browser nelle app di portafoglio di solito non possono.
out-saved = Il file dovrebbe ora essere tra i Suoi download. Non c’è? Allora questo browser non può salvare file. I browser nelle app di portafoglio di solito non possono.
out-share = Condividere
out-not-shared = Non è stato condiviso.
out-elsewhere = Apra questa pagina in un altro browser, come Safari o Chrome. L’indirizzo di questa pagina:
out-copy = Copiare l’indirizzo
out-copied = L’indirizzo è copiato.
out-not-copied = Il Suo browser non l’ha permesso. Copi l’indirizzo da qui.
calendar-way-out = Può anche annotare il giorno: è scritto su questa pagina.
opens-in = Si apre tra { $days }, { $hours } e { $minutes }.
day-has-come = È arrivato il giorno. Un momento…
share = Condividere o nascondere il messaggio
share-words = Chi ha il link può vedere questo regalo; il link da solo non lo apre. Il messaggio personale fa parte del link nella barra degli indirizzi. Lo tolga da lì prima di condividere questa pagina o di mostrarla ad altri. Quando la pagina viene ricaricata, il messaggio non c’è più: conservi prima il link intero per sé.
share-copy-whole = Copiare il link intero
share-copied-whole = Il link intero è stato copiato.
share-copy-bare = Copiare il link senza messaggio
share-copied-bare = Il link senza il messaggio è stato copiato.
share-take-out = Togliere il messaggio
share-taken-out = Il messaggio non è più nella barra degli indirizzi. Il link che c’è ora si può condividere senza messaggio.
share-not-allowed = Il Suo browser non l’ha permesso. Copi il link dalla barra degli indirizzi.

## The ways to open it

try-again = Riprovare
one-moment = Un momento…
looking-for-way = Cerco un modo per aprirlo…
open-your-gift = Apra il Suo regalo
costs-nothing = Non Le costa nulla: non deve pagare la commissione della rete.
way-paper = Con la chiave del mio foglio stampato
way-email = Con un codice inviato alla mia e-mail
way-wallet = Con il mio portafoglio
no-codes = Al momento non si possono inviare codici. Riprovi più tardi, per favore.
stays-where = Nulla è perso: il Suo regalo resta dov’è.
stays-self-paid = Nulla è perso: il Suo regalo resta dov’è. Fino ad allora può aprirlo solo un portafoglio che paga da sé la commissione.
look-again = Guardare di nuovo
wallet-signs = Il Suo portafoglio sta firmando…
open-my-gift = Aprire il mio regalo

## With the printed key

paper-words = Apra il Suo foglio piegato: la chiave è sul pannello bianco. Resta su questo dispositivo e non viene mai inviata a nessuno; firma qui e viene subito dimenticata.
paper-legend = La chiave, così come è stampata: 16 gruppi di 4
paper-group = Gruppo { $number } di { $groups }
paper-typed-wrong = Questa non è la chiave di questo regalo. Confronti ogni gruppo con il Suo foglio, per favore: una lettera o un numero è diverso.
paper-scanned-wrong = Questa non è la chiave di questo regalo. È forse il foglio di un altro regalo?
paper-no-key = Questo codice non è la chiave. Inquadri quello sul pannello bianco, che è dentro il foglio piegato.
paper-bad-letter = Il gruppo { $number } ha una lettera che nessuna chiave ha: solo da 0 a 9 e da a fino a f.
paper-too-short = Al gruppo { $number } servono 4 caratteri.
camera-scan-key = Leggerla con la fotocamera
camera-picture = Immagine della fotocamera
camera-hold = Metta davanti alla fotocamera il codice quadrato del pannello bianco.
camera-stop = Spegnere la fotocamera
camera-unusable-key = Qui non si può usare la fotocamera. Scriva la chiave, per favore.
camera-or-type = oppure la scriva

## With the email address

email-words = Questo regalo è stato sigillato per un indirizzo e-mail. Lo scriva, e il servizio di accesso invierà lì un codice: né l’uno né l’altro arriva a noi.
email-label = Il Suo indirizzo e-mail
email-send-code = Inviarmi un codice
email-none = Questo non è un indirizzo e-mail. Lo controlli, per favore.
code-words = Un codice è in viaggio verso { $email }. Lo scriva qui e non lo dica a nessuno.
code-words-reloaded = Un codice è in viaggio verso il Suo indirizzo. Lo scriva qui e non lo dica a nessuno.
code-label = Il codice dell’e-mail
code-none = Scriva il codice dell’e-mail, per favore.
code-another = Inviare un altro codice
code-another-reloaded = Chiedere un altro codice
email-another = Usare un altro indirizzo
code-wrong = Questo codice non è giusto o non è più valido. Usi l’e-mail più recente o chieda un altro codice.
email-wrong = Questo indirizzo non apre questo regalo. Forse è stato sigillato per un altro Suo indirizzo.
code-too-many = Troppi tentativi. Aspetti qualche minuto, per favore, poi chieda un altro codice.
provider-away = Il servizio di accesso non risponde in questo momento. Nulla è perso: riprovi tra poco, per favore.

## With a wallet

wallet-sealed-for = Questo regalo è stato sigillato per il conto { $account }. Il Suo portafoglio Le chiede di accettare; non gli viene mai chiesta una chiave.
wallet-self-paid-works = Pagare da sé la commissione funziona sempre.
wallet-none = Nessun portafoglio trovato in questo browser. Sul telefono, apra questo link nel browser della Sua app di portafoglio; sul computer, usi il browser che ha il Suo portafoglio.
wallet-lost = Un portafoglio nuovo non serve: solo { $account } lo apre. Se lo ha perso, cerchi la sua frase di recupero e non la dica a nessuno. Se non conosce questo portafoglio, chieda a chi Le ha fatto il regalo.
wallet-apps = Ha un’app di portafoglio su questo telefono? Apra lì questa pagina:
wallet-apps-letter = Il messaggio personale resta qui e non viene trasmesso, perché i produttori di queste app potrebbero leggerlo. Per vederlo anche lì, copi il link intero più in basso e lo incolli nel browser dell’app.
wallet-keep-weth = Ricevere wrapped ether (WETH) invece di ETH
wallet-keep-token = Ricevere { $symbol } invece di ETH
wallet-keep-tokens = Ricevere i token stessi invece di ETH
wallet-busy = Un portafoglio aspetta ancora la Sua risposta. Risponda lì, oppure ricarichi questa pagina per sceglierne un altro.
wallet-asks = { $wallet } Le sta chiedendo conferma. Se non vede la sua finestra, la apra Lei.
wallet-pay-fee = Pagare io la commissione
wallet-pay-fee-with = Pagare io la commissione con { $wallet }
wallet-open-free = Aprire gratis con { $wallet }
wallet-of-browser = Il portafoglio di questo browser
wallet-no-account = { $wallet } non usa nessun conto, ma questo regalo è stato sigillato per { $recipient }. Scelga quel conto nel Suo portafoglio, poi riprovi.
wallet-other-account = { $wallet } usa il conto { $account }, ma questo regalo è stato sigillato per { $recipient }. Scelga quel conto nel Suo portafoglio, poi riprovi.
wallet-names-none = { $wallet } non indica nessun conto. Scriva l’indirizzo, per favore.
wallet-choose-network = Scelga la rete { $network } in { $wallet }, poi riprovi.
wallet-unknown-network = { $wallet } non conosce ancora la rete di questo regalo. La aggiunga nelle impostazioni di { $wallet }, tra le reti: { $network }, ID della catena { $number }, valuta ETH. Poi riprovi.
wallet-other-network = Questo regalo è su una rete diversa da quella del Suo portafoglio. Scelga la rete { $network } in { $wallet }, poi riprovi.
wallet-wrong-recipient = Questo regalo è stato sigillato per un altro conto. Scelga quel conto nel Suo portafoglio, poi riprovi.
wallet-empty-gift = In questo regalo non c’è più nulla.
wallet-declined = Ha rifiutato in { $wallet }. Non è successo nulla.
wallet-pending = { $wallet } Le sta già chiedendo qualcosa. Prima risponda lì.
wallet-no-ether = Nel Suo portafoglio non c’è abbastanza ETH per pagare la commissione della rete. Il modo senza commissione funziona, dove è offerto.
wallet-failed = { $wallet } non ci è riuscito. Non è successo nulla: riprovi, per favore.
wallet-look = Guardi nel Suo portafoglio, per favore
wallet-silent = È in viaggio, ma in questo momento nessuno risponde. Si chiede di nuovo…
wallet-still = È in viaggio, per quanto ne sa questa pagina. Se l’ha fermato nel Suo portafoglio, può ricominciare; nulla si può aprire due volte.
wallet-was-asked = Al Suo portafoglio era stata chiesta conferma prima che questa pagina fosse ricaricata. Se lì ha accettato, il Suo regalo è in viaggio; altrimenti ricominci. Nulla si può aprire due volte.
start-again = Ricominciare

## Where it lands

destination = Dove deve arrivare?
destination-own = In un portafoglio tutto Suo
destination-own-words = Arriva lì subito e Lei non paga commissioni.
destination-none = Non ha un portafoglio? Scelga qui sotto «{ $keep }».
destination-label = L’indirizzo del Suo portafoglio
destination-look = Controllare l’indirizzo
destination-scan = Leggere il codice con la fotocamera
destination-no-camera = Qui non si può usare la fotocamera. Scriva l’indirizzo, per favore.
destination-use-wallet = Usare { $wallet }
destination-gift-wallet = Nel portafoglio del regalo
destination-kept-paper = Resta con la chiave del Suo foglio. Per spostarlo in seguito, pagando una commissione della rete, si faccia aiutare da una persona di piena fiducia: la chiave va allora una volta sola nella Sua app di portafoglio, e in nessun altro posto.
destination-kept-email = Resta nel portafoglio del Suo indirizzo e-mail. Per spostarlo in seguito, si accede a quel portafoglio in un’app di chi gestisce { $site } e si paga una commissione della rete; nessun’altra app di portafoglio lo apre.
destination-keep = Lasciarlo nel portafoglio del regalo
destination-confirm = È questo il Suo portafoglio?
destination-compare = Confronti ogni lettera con l’indirizzo che mostra la Sua app di portafoglio. Alcuni programmi scambiano un indirizzo mentre viene copiato.
destination-unchecked = Questo indirizzo non ha lettere di controllo: un errore non si noterebbe.
destination-final = Ciò che arriva in un portafoglio sbagliato non si può recuperare.
destination-yes = Sì, inviarlo lì
destination-another = Usarne un altro
destination-no-address = Questo non è l’indirizzo di un portafoglio. Comincia con 0x, seguito da 40 lettere e cifre.
destination-other-network = Questo codice è per un’altra rete. Usi un indirizzo della rete di questo regalo, per favore.
destination-mistake = Una lettera o una cifra di questo indirizzo è sbagliata. Lo copi ancora una volta, per favore.
destination-nobody = Nessuno ha la chiave di questo indirizzo: ciò che viene inviato lì è perso.
destination-contract = Questo è l’indirizzo di un contratto, non di un portafoglio: ciò che viene inviato lì è perso.
destination-bare-contract = A questo indirizzo c’è un programma che non dice di essere un portafoglio. Se nessuno può usarlo come tale, ciò che viene inviato lì è perso per sempre.
destination-same = Questo è proprio il portafoglio del regalo. Per lasciare lì il regalo, lo scelga qui sotto.

## On its way

on-its-way = Il Suo regalo è in viaggio
step-signed = Firmato su questo dispositivo
step-handed = Consegnato alla rete
step-confirmed = Confermato dalla rete
sending-signature = La Sua firma viene inviata…
looking-where = Cerco dov’è il Suo regalo…
service-silent = Il servizio non risponde in questo momento; si chiede di nuovo…
now-arrived = La Sua firma è arrivata. Viene inviata alla rete…
now-predecessor = Prima parte un altro Suo regalo. Questo lo segue da solo…
now-sending = Viene inviato alla rete…
now-broadcast = È in viaggio. Di solito la rete impiega meno di un minuto…
now-mined = Il Suo regalo è arrivato! La rete lo sta rendendo definitivo…
now-failed = La rete ha rifiutato la transazione. Ci vuole circa un quarto d’ora perché questo diventi definitivo. Poi potrà riprovare.
why-fees = La rete è molto occupata e in questo momento le commissioni sono alte. Il Suo regalo riparte appena scendono.
why-balance = Prima bisogna ricaricare il portafoglio del servizio, che paga la commissione della rete. Poi il Suo regalo riparte da solo.
why-daily-cap = Il budget di oggi per le commissioni della rete non ha spazio in questo momento. Il Suo regalo riparte da solo quando ce ne sarà.
why-chain = La rete non risponde in questo momento. Il Suo regalo riparte da solo quando risponderà.
why-earlier = Altri vengono inviati alla rete prima del Suo. Poi parte da solo.
why-paused = Il pagamento delle commissioni della rete è al momento in pausa. Poi il Suo regalo riparte da solo.
why-would-fail = In questo momento la rete lo rifiuterebbe. Il tentativo si ripete da solo.
meanwhile = Può lasciare aperta questa pagina o tornare più tardi. Dopo un’ora Le verrà chiesto di aprirlo ancora una volta.
choose-another-way = Scegliere un altro modo
see-transaction = Vedere la transazione { $hash }
transaction = transazione { $hash }
not-yet = Non ha ancora funzionato
see-what-works = Vedere che cosa funziona ora
nothing-sent = Non è stato inviato nulla: il regalo è ancora lì.
trouble-reverted = La rete ha rifiutato la transazione. Non è stato spostato nulla: il regalo è ancora lì.
trouble-refused = La rete ha rifiutato la transazione. Il regalo è ancora lì.
trouble-expired = Non è stato possibile inviarlo in tempo, quindi non è stato spostato nulla. Il regalo è ancora lì: riprovi, per favore.
trouble-superseded = Per questo portafoglio è stato inviato prima qualcos’altro. Il regalo potrebbe essere ancora lì: guardi di nuovo, per favore.
trouble-cancelled = È stato annullato dal portafoglio a cui è destinato. Il regalo è ancora lì.
trouble-unknown = È finito senza il Suo regalo: guardi di nuovo, per favore.

## Received

you-opened = Ha aperto questo regalo.
it-is-yours = È Suo
arrived-at = È arrivato a { $account }: { $gift }.
was-paid-out = È stato versato: { $gift }.
received-paper = Ora è nel portafoglio a cui appartiene la chiave del Suo foglio: conservi bene il foglio. Per spostare il regalo, si faccia aiutare da una persona di piena fiducia: la chiave va allora una volta sola nella Sua app di portafoglio, e in nessun altro posto.
received-email = Ora è nel portafoglio del Suo indirizzo e-mail, che il servizio di accesso Turnkey custodisce per Lei. Chiunque possa leggere le Sue e-mail può usare quel portafoglio, quindi protegga bene la Sua casella di posta. Questa pagina apre soltanto i regali. Per spostarlo, si accede a quel portafoglio in un’app di chi gestisce { $site }; nessun’altra app di portafoglio lo apre. Chieda loro dove, e non dica mai a nessuno un codice ricevuto per e-mail.
received-wallet = Ora è nel Suo portafoglio.
received-own = È nel portafoglio che Lei ha indicato. Il portafoglio del regalo non Le serve più.
received-either = Guardi nel portafoglio che ha indicato e nel portafoglio del regalo, per favore: è in uno dei due.
fee-from-gift = Spostarlo in seguito costa una piccola commissione della rete, che si paga con l’ETH arrivato.
fee-needs-ether = Aprirlo non è costato nulla. Solo spostarlo in seguito costa una piccola commissione della rete in ETH. Non paghi nessuno che Le scriva per questo: chieda a qualcuno della Sua famiglia.

## Why something did not work

no-fee-spent = Il budget di oggi per pagare le commissioni della rete dei regali è esaurito. Ce ne sarà uno nuovo alle ore { $time }.
no-fee-reserved = Il budget di oggi per pagare le commissioni della rete dei regali è riservato a quelli già in viaggio. Riprovi tra venti minuti, per favore.
no-fee-here = Qui le commissioni della rete non vengono pagate per chi riceve.
no-fee-paused = Il pagamento delle commissioni della rete per chi riceve è al momento in pausa. Riprovi più tardi, per favore.
no-fee-unknown = Al momento non si può sapere se la commissione della rete può essere pagata per Lei. Riprovi tra qualche minuto, per favore.
locked = Per l’orologio della rete il regalo è ancora chiuso. Riprovi tra un minuto, per favore.
already-opened = Questo regalo è già stato aperto.
too-late = C’è voluto troppo tempo per inviarlo. Non è successo nulla: riprovi, per favore.
signer-paused = Oggi un prelievo di questo portafoglio non è riuscito sulla rete: fino a domani non vengono pagate altre commissioni per questo portafoglio.
nonce-mismatch = Un altro regalo di questo portafoglio è in viaggio, oppure lo è già questo. Aspetti un minuto, per favore, poi riprovi.
already-used = Questo è già stato inviato. Riprovi, per favore: la pagina cercherà allora dov’è il regalo.
signer-mismatch = La firma non viene riconosciuta come quella del portafoglio per cui questo regalo è stato sigillato. Non è successo nulla. Con uno smart wallet può pagare Lei la commissione.
gift-not-found = Il regalo non si trova più. Ricarichi la pagina, per favore.
chain-unavailable = Al momento la rete non è raggiungibile. Nulla è perso: riprovi tra qualche minuto, per favore.
would-fail = In questo momento la rete lo rifiuterebbe, oppure serve più di quanto si paga qui, quindi non è stato inviato. Riprovi più tardi, per favore. Con uno smart wallet può pagare Lei la commissione.
problem-request = Il servizio non ha potuto usare ciò che questa pagina ha inviato. Non è successo nulla: ricarichi la pagina e riprovi, per favore.
problem-service = Il servizio ha un guasto in questo momento. Nulla è perso: riprovi tra qualche minuto, per favore.
problem-destination = Il regalo non può essere inviato a quell’indirizzo. Non è successo nulla: riprovi con un altro portafoglio Suo, per favore.
problem-no-destination = Questo regalo può arrivare solo nel portafoglio del regalo. Non è successo nulla: ricarichi la pagina e lo apra ancora una volta, per favore.
problem-not-opened-here = Questa pagina non può aprire ciò che c’è in questo regalo. Nulla è perso: chieda a chi Le ha fatto il regalo come aprirlo, per favore.
problem-unknown = Il servizio ha rifiutato per un motivo che questa pagina non conosce: { $code }. Ricarichi la pagina e riprovi, per favore. Se succede di nuovo, dica questa parola a chi La aiuta.
too-often = Troppi tentativi. Aspetti { $wait }, per favore, poi riprovi.
service-away = Il servizio non risponde. C’è la connessione a internet? Nulla è perso: riprovi tra poco, per favore.
went-wrong = Qualcosa in questa pagina non ha funzionato. Al regalo non è successo nulla: ricarichi la pagina e riprovi, per favore.
