## Occasions, with messages a giver may start from: greetings of the language, not word by word

occasion-gift = Un regalo
gift-1 = Un pensiero per te, sigillato fino al giorno in cui si apre.
gift-2 = L’ho messo da parte per te. Aprilo quando arriva il giorno, e pensami.
gift-3 = Per te, con affetto.
occasion-birthday = Compleanno
birthday-1 = Buon compleanno! Questo regalo chiede un po’ di pazienza, ma è tuo.
birthday-2 = Un altro anno di te: il motivo più bello per festeggiare. Buon compleanno!
birthday-3 = Che il nuovo anno ti sia amico. Buon compleanno, con affetto.
occasion-wedding = Matrimonio
wedding-1 = A voi due, e a tutto ciò che costruirete insieme.
wedding-2 = Vi auguro una vita piena di giorni semplici e belli.
wedding-3 = Con affetto a tutti e due, oggi e per tutti gli anni a venire.
occasion-anniversary = Anniversario
anniversary-1 = Agli anni passati e ai tanti che verranno. Buon anniversario!
anniversary-2 = La vostra resta la mia storia preferita. Buon anniversario.
anniversary-3 = Per noi, con tutto il mio amore.
occasion-new-baby = Nascita
new-baby-1 = Ti diamo il benvenuto al mondo! Questo ti aspetterà finché non crescerai.
new-baby-2 = Oggi una vita piccola, domani grande: un regalo per gli anni a venire.
new-baby-3 = Che gioia averti qui.
occasion-graduation = Laurea o diploma
graduation-1 = Ce l’hai fatta! Che orgoglio.
graduation-2 = Un inizio, per qualunque cosa tu voglia iniziare adesso.
graduation-3 = Per tutto l’impegno che nessuno ha visto: congratulazioni!
occasion-bar-bat-mitzvah = Bar o Bat Mitzvah
bar-bat-mitzvah-1 = Mazal tov! Oggi ci riempi di orgoglio.
bar-bat-mitzvah-2 = Un giorno da ricordare, e qualcosa per gli anni che seguono.
bar-bat-mitzvah-3 = Con affetto nel tuo giorno. Che tu vada sempre più lontano.
occasion-thank-you = Ringraziamento
thank-you-1 = Grazie, per più di quanto sta su un biglietto.
thank-you-2 = C’eri quando contava. Grazie.
thank-you-3 = Un piccolo grazie per una grande gentilezza.
occasion-new-home = Casa nuova
new-home-1 = Che queste stanze si riempiano di buona compagnia.
new-home-2 = Una porta nuova, una chiave nuova, una vita nuova. Auguri per la casa!
new-home-3 = Per la casa, o per ciò di cui avrà bisogno.
occasion-someday = Un giorno
someday-1 = Nessuna ricorrenza, solo tu. Questo cresce finché non lo apri.
someday-2 = Per il giorno in cui ti servirà, o in cui lo vorrai.
someday-3 = Oggi ti ho pensato. Un giorno leggerai queste parole.
occasion-valentine = San Valentino
valentine-1 = Per te, oggi e ogni altro giorno.
valentine-2 = Il mio cuore era sigillato per te molto prima di questo regalo.
valentine-3 = Tutto il mio amore, sempre.
occasion-new-year = Capodanno
new-year-1 = Salute, fortuna e buona compagnia nel nuovo anno!
new-year-2 = A tutto ciò che comincia. Buon anno!
new-year-3 = Che il nuovo anno ti sia lieve.
occasion-christmas = Natale
christmas-1 = Buon Natale! Questo resta ancora un po’ sotto l’albero.
christmas-2 = Pace, calore e buona compagnia in questo Natale.
christmas-3 = Con affetto a Natale e per tutto l’anno.
occasion-hanukkah = Hanukkah
hanukkah-1 = Felice Hanukkah! Che la tua casa sia piena di luce.
hanukkah-2 = Otto notti di luce, e un regalo che aspetta il suo giorno.
hanukkah-3 = Auguro a te e alla tua famiglia una Hanukkah luminosa e felice.
occasion-eid = Eid
eid-1 = Eid Mubarak! Che questo giorno ti porti gioia e pace.
eid-2 = I più cari auguri a te e alla tua famiglia per l’Eid.
eid-3 = Eid Mubarak, con affetto e i migliori auguri.
occasion-diwali = Diwali
diwali-1 = Felice Diwali! Che il tuo anno sia pieno di luce.
diwali-2 = Luce, dolcezza e fortuna a te e alla tua famiglia.
diwali-3 = Ti auguro un Diwali luminoso e felice.
occasion-easter = Pasqua
easter-1 = Buona Pasqua! Certe cose vale la pena cercarle.
easter-2 = Primavera, sole e una piccola sorpresa per te.
easter-3 = Buona Pasqua a te e alla tua famiglia.
occasion-lunar-new-year = Capodanno lunare
lunar-new-year-1 = Felice Capodanno lunare! Che la fortuna ti trovi.
lunar-new-year-2 = Salute, prosperità e felicità nel nuovo anno.
lunar-new-year-3 = Per il nuovo anno: qualcosa di rosso, qualcosa che porta fortuna, qualcosa che cresce.

## The giver's wallet

seal-a-gift = Sigilla un regalo
your-wallet = Il tuo portafoglio
giver-no-wallet = Nessun portafoglio trovato finora. Sul telefono, apri questa pagina nel browser della tua app portafoglio; sul computer, usa il browser che ha il tuo portafoglio.
giver-connect = Collega { $wallet }
giver-account = { $wallet }: { $account } su { $network }
giver-connect-first = Collega prima un portafoglio, per favore.
giver-connect-above = Collega prima il tuo portafoglio, per favore: è in cima a questa pagina.
giver-no-chain = Qui non è servita nessuna rete.
giver-declined = Il portafoglio ha rifiutato. Non è stato inviato nulla.
giver-refused = La rete lo rifiuta. Ce n’è abbastanza nel tuo portafoglio?
giver-too-little = Nel tuo portafoglio non ce n’è abbastanza.
giver-failed = Non ha funzionato. Riprova, per favore.
giver-was-asked = Al tuo portafoglio è stato chiesto di sigillare un regalo mentre questa pagina veniva ricaricata. Guarda prima lì: ciò che è stato inviato è sigillato, e il foglio stampato è valido. Sigillarlo di nuovo farebbe un secondo regalo.

## The form

form-gift = Il regalo
form-occasion = Occasione
form-language = Lingua del regalo
form-to = Per (un nome)
form-from = Da (il tuo nome)
form-note = Il tuo messaggio
form-room = { $used } di { $most } caratteri al massimo
form-inside = Che cosa contiene
form-asset = Regali
form-amount = Quanto
form-opens = Si apre il
form-chain-clock = Secondo l’orologio della rete, dove ora è { $moment }.
form-how = Come si apre
form-paper = Con una chiave stampata: stampi un foglio e lo consegni
form-wallet = Con un portafoglio che ha già: conosci l’indirizzo
form-email = Con il suo indirizzo email: lì arriva un codice quando lo apre
form-wallet-address = L’indirizzo del suo portafoglio
form-email-address = Il suo indirizzo email
form-continue = Continua
letter-long-name = Un nome può avere al massimo { $most } caratteri.
letter-long-note = Il messaggio può avere al massimo { $most } caratteri.
letter-hidden = Un nome o il messaggio contiene un carattere di controllo o invisibile.
letter-address = Un nome sembra un indirizzo web o email. Scrivilo in un altro modo, per favore.
letter-marks = Un nome accumula troppi segni su una lettera.
letter-too-long = I nomi e il messaggio sono troppo lunghi per un link.
form-no-day = Scegli quando si apre il regalo, per favore.
form-future = Un regalo si apre nel futuro.
form-too-far = Un regalo si apre entro { $years } anni. Controlla l’anno: dopo nessuno può cambiarlo.
form-two-readings = «{ $typed }» si può leggere in due modi. Scrivi { $thousands } se intendi migliaia, o { $small } se no.
form-whole-amount = Indica quanto, in { $symbol }: un numero intero, come 2.
form-bad-amount = Indica quanto, in { $symbol }: come { $example }, con al massimo { $decimals } decimali e senza segno per le migliaia.
form-no-amount = Indica quanto, per favore.
form-no-address = Questo non è l’indirizzo di un portafoglio.
form-no-email = Questo non è un indirizzo email.

## The review

review = Rileggi ancora una volta
review-gift = Il regalo
review-amount = { $gift }, su { $network }
review-for = Per
review-for-paper = Chi ha il foglio stampato. Conservalo come conserveresti dei contanti.
review-for-email = Chi legge la casella { $email }. Se non ha ancora un portafoglio, ne viene creato uno.
review-for-wallet = Il portafoglio { $address }. Solo lui può aprire il regalo.
review-opens = Si apre
review-moment = { $moment }, nel tuo fuso orario
review-fee = Commissione di rete
review-fee-words = La paghi in ETH. Il tuo portafoglio mostra quant’è prima che tu accetti.
review-final = Una volta sigillato, nulla di questo si può cambiare. Nessuno può riprendersi il regalo né aprirlo prima: né tu, né noi.
review-seal = Sigilla il regalo
review-change = Cambia qualcosa
sheet-first = Stampa prima il foglio della chiave
sheet-first-words = La chiave esiste solo in questa pagina, finché non la lasci. Senza il foglio nessuno potrà mai aprire il regalo.
sheet-printed = È stampato, e riesco a leggerci la chiave.
sheet-not-printed = Stampa prima il foglio, per favore, e confermalo qui sopra.
sheet-throw-away = Se hai stampato quel foglio, buttalo: nulla è sigillato per la sua chiave.

## Sealing

sealing-sign-recipient = Firma nel tuo portafoglio per chi è. Trovare o creare il suo può poi richiedere più di un minuto.
sealing-confirm = Conferma la transazione { $number } di { $all } nel tuo portafoglio.
sealing-on-its-way = La transazione { $number } di { $all } è in viaggio.
sealing-too-late = Nel frattempo il suo giorno è arrivato. Scegli un momento più tardi, per favore.
sealing-refused = La rete lo ha rifiutato. Non è stato sigillato nulla.
sealed = Il regalo { $number } è sigillato. Si apre { $moment }.
sealed-not-kept = Questo browser non conserva nulla: salva il link adesso.
seal-another = Sigilla un altro regalo

## Afterwards

kept-gift = Regalo { $number }
kept-title = Regali sigillati qui
kept-some = Questo browser ricorda i link dei regali che hai sigillato qui. Nessun altro li ha.
kept-none = Questo browser ricorderà i link dei regali che sigilli qui. Nessun altro li avrà.
kept-item-for = { $occasion } per { $name }, regalo { $number }
kept-item = { $occasion }, regalo { $number }
kept-show = Mostra
kept-show-item = Mostra { $item }
kept-forget = Dimentica
kept-forget-item = Dimentica { $item }
kept-forget-sure = Dimentica per sempre: il link non si può rifare
list-title = Ciò che hai sigillato
list-none = Questo portafoglio non ha ancora sigillato nulla.
list-unread = L’elenco di ciò che hai sigillato non si può leggere in questo momento. Ecco ciò che il tuo browser ricorda.
list-broken = Il resto dell’elenco non si può leggere in questo momento.
list-rest = Il tuo browser ricorda anche questi: di un altro portafoglio, più vecchi, molto recenti o non più sulla catena.
list-more = Mostra altro
list-regular = Blocco a tempo { $number }
list-soft = Blocco a tempo flessibile { $number }
list-sealed-until = Sigillato. Si apre il { $moment }.
list-sealed = Sigillato. Non è fissato un giorno di apertura.
list-open = Si può aprire dal { $moment }.
list-ended = Chiuso. Il contenuto è stato ritirato.
link-words = Il link del regalo. Chi lo ha legge il tuo messaggio; solo chi lo riceve può aprire il regalo.
link-copy = Copia il link
link-copied = Copiato.
link-not-allowed = Il tuo browser non lo ha permesso. Copia il link da qui.
page-sheet = Foglio della chiave
page-card = Biglietto del regalo
page-record = Registro del regalo
page-as-printed = { $page }, come sarà stampato
page-print = Stampa
page-save = Salva come PNG
page-not-saved = Non è stato possibile salvarlo. Non è stato salvato nulla: stampalo, per favore.
page-withheld = Questo browser non consegna l’immagine alla pagina, contro il tracciamento. Non è stato salvato nulla: stampalo, per favore.
page-not-drawn = { $page }: ora non si può disegnare. Mostra di nuovo il regalo qui sotto.
page-does-not-fit = { $page }: { $why }
record-needs-wallet = Collega il tuo portafoglio per avere anche il registro del regalo.
fonts-missing = Non è stato possibile caricare i caratteri. Riprova, per favore.

## Telling the recipient by email

notify = Avvisa per email, se vuoi
notify-email = Il suo indirizzo email
notify-when = Quando
notify-now = Adesso, e il giorno in cui si apre
notify-scheduled = Un giorno che scelgo io, e il giorno in cui si apre
notify-opening = Solo il giorno in cui si apre
notify-day = Avvisa il
notify-privacy = L’indirizzo e il link restano cifrati finché il regalo non si apre, e non vengono inviati a nessun altro.
notify-go = Fai avvisare
notify-no-email = Indica il suo indirizzo email, per favore.
notify-no-day = Scegli il giorno e l’ora, per favore.
notify-bad-day = Scegli un momento da adesso in poi, prima che il regalo si apra: { $moment }.
notify-done = Riceverà l’avviso.
notify-done-on = Riceverà l’avviso { $moment }, e il giorno in cui si apre.

## The printed pages

print-for = per { $name }
print-from = da { $name }
print-opens = Si apre il { $day }
print-scan = Scansiona e guarda il regalo
print-scan-opens = Scansiona e guarda il tuo regalo. Si apre il { $day }.
print-note-too-long = Il messaggio ha troppe righe per il biglietto, che ne contiene { $most }.
print-code-too-long = Il messaggio è troppo lungo per il codice stampato.
print-letter-too-long = I nomi e il messaggio sono troppo lunghi per il codice del foglio, che ne contiene { $room } byte (una lettera semplice ne occupa uno, altre da due a quattro).
sheet-key = La chiave di questo regalo
sheet-key-words = Chi legge questa chiave può prendere il regalo. Non mostrarla a nessuno, e digitala solo nella pagina che si apre con il codice della copertina, quel giorno o dopo.
sheet-opens-for = Apre ciò che è sigillato per { $address }
sheet-closing = Per chiudere: piega questa parte dietro la copertina, poi quella in basso sopra; incolla il bordo.
sheet-how = Come aprire il tuo regalo
sheet-look = Guarda
sheet-look-words = Scansiona con il telefono il codice della copertina. La pagina mostra che cosa c’è dentro e quando si apre.
sheet-wait = Aspetta
sheet-wait-words = Conserva questo pacchetto chiuso e al sicuro, come dei contanti. Nessuno può sostituirlo, nemmeno chi te lo ha dato.
sheet-open = Apri
sheet-open-words = Quel giorno o dopo, apri il pacchetto e di nuovo la pagina. Scansiona lì la chiave, o digitala.
sheet-keep = Conserva
sheet-keep-words = Il regalo è allora nel portafoglio di questa chiave. Conserva il foglio finché non lo hai spostato in un portafoglio tuo.
sheet-no-camera = Senza fotocamera:
sheet-safety = Chi ti aiuta non ha bisogno della chiave. Non fotografarla, inviarla o dettarla, chiunque te lo chieda.

## The gift record

record-title = Registro del regalo
record-subtitle = Per le carte di chi regala
record-value = Valore di mercato il { $day }, giorno della sigillatura
record-no-source = Nessuna fonte di prezzo
record-no-price = Non c’era un prezzo affidabile di { $symbols } per quel giorno quando questo è stato stampato. Il valore va trovato altrove.
record-price-recorded = Prezzo registrato per quel giorno
record-price-older = Ultimo prezzo alla sigillatura, di un altro giorno
record-price-now = Prezzo al momento della stampa, dello stesso giorno
record-price-now-older = Prezzo al momento della stampa, di un altro giorno
record-price = 1 { $symbol } = US$ { $price } (round { $round } di Chainlink, { $moment })
record-basis = { $how }: { $prices }.
record-given = Regalato
record-sealed = Sigillato
record-opens = Si apre
record-given-by = Regalato da
record-giver = Account di chi regala
record-given-to = Regalato a
record-sealed-for = Sigillato per
record-network = Rete
record-network-words = { $network } (chain { $number })
record-number = Numero del regalo
record-contract = Contratto
record-transaction = Transazione (codice)
record-seen-at = Visibile su
record-base-units = unità di base di { $token }
record-moment = { $day }, { $time } UTC
record-disclaimer = Questo registro non è una consulenza fiscale né una perizia. Dice ciò che risulta sulla chain pubblica e, dove c’era una fonte di prezzo, un valore calcolato da essa. Come un regalo si valuta e si dichiara, da chi e quando, dipende dalla legge che si applica a te: chiedi a un professionista.
