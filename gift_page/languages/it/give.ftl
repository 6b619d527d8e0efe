## Occasions, with messages a giver may start from: greetings of the language, not word by word

occasion-gift = Un regalo
gift-1 = Un piccolo pensiero, sigillato per te fino al giorno in cui si apre.
gift-2 = L’ho messo da parte per te. Aprilo quando arriva il giorno, e pensa a me.
gift-3 = Per te, con affetto.
occasion-birthday = Compleanno
birthday-1 = Buon compleanno! Questo regalo chiede un po’ di pazienza, ma è tuo.
birthday-2 = Un altro anno di te: il motivo più bello per festeggiare. Buon compleanno!
birthday-3 = Che il nuovo anno ti porti tante cose belle. Buon compleanno, con affetto.
occasion-wedding = Matrimonio
wedding-1 = A voi due, e a tutto ciò che costruirete insieme.
wedding-2 = Vi auguro una vita piena di piccole gioie.
wedding-3 = Con tanto affetto a tutti e due, oggi e per gli anni che verranno.
occasion-anniversary = Anniversario
anniversary-1 = Agli anni passati e ai tanti che verranno. Buon anniversario!
anniversary-2 = La mia storia preferita è sempre la vostra. Buon anniversario!
anniversary-3 = Per noi, con tutto il mio amore.
occasion-new-baby = Nascita
new-baby-1 = Ti diamo il benvenuto nel mondo! Questo ti aspetterà finché sarai grande.
new-baby-2 = Oggi un piccolo fagottino, domani chissà: un regalo per gli anni che verranno.
new-baby-3 = Che gioia averti qui!
occasion-graduation = Laurea o diploma
graduation-1 = Ce l’hai fatta! Siamo così fieri di te.
graduation-2 = Un inizio, per tutto ciò che sceglierai di cominciare.
graduation-3 = Per tutta la fatica che nessuno ha visto: congratulazioni!
occasion-bar-bat-mitzvah = Bar o Bat Mitzvà
bar-bat-mitzvah-1 = Mazal tov! Oggi siamo così fieri di te.
bar-bat-mitzvah-2 = Un giorno da ricordare, e qualcosa per gli anni che seguono.
bar-bat-mitzvah-3 = Con affetto nel tuo giorno. Che tu possa crescere sempre con forza e gioia.
occasion-thank-you = Grazie
thank-you-1 = Grazie, per più di quanto stia in un biglietto.
thank-you-2 = C’eri quando contava davvero. Grazie.
thank-you-3 = Un piccolo grazie per una grande gentilezza.
occasion-new-home = Nuova casa
new-home-1 = Che queste stanze si riempiano di buona compagnia.
new-home-2 = Una nuova porta, una nuova chiave, un nuovo inizio. Auguri per la nuova casa!
new-home-3 = Per la casa, o per quello di cui avrà bisogno.
occasion-someday = Un giorno
someday-1 = Nessun giorno speciale, solo tu. Questo regalo cresce finché non lo apri.
someday-2 = Per il giorno in cui ti servirà, o il giorno in cui ne avrai voglia.
someday-3 = Oggi ho pensato a te. Un giorno leggerai queste parole.
occasion-valentine = San Valentino
valentine-1 = Per te, oggi e ogni altro giorno.
valentine-2 = Il mio cuore era tuo molto prima di questo regalo.
valentine-3 = Tutto il mio amore, sempre.
occasion-new-year = Capodanno
new-year-1 = Salute, fortuna e buona compagnia nel nuovo anno!
new-year-2 = A tutto ciò che comincia. Buon anno!
new-year-3 = Che il nuovo anno ti sia lieve.
occasion-christmas = Natale
christmas-1 = Buon Natale! Questo regalo resta un po’ più a lungo sotto l’albero.
christmas-2 = Pace, calore e buona compagnia in questo Natale.
christmas-3 = Con affetto a Natale, e per tutto l’anno.
occasion-hanukkah = Chanukkà
hanukkah-1 = Felice Chanukkà! Che la tua casa sia piena di luce.
hanukkah-2 = Otto sere di luce, e un regalo che aspetta il suo giorno.
hanukkah-3 = A te e alla tua famiglia, una Chanukkà felice e luminosa.
occasion-eid = Eid
eid-1 = Eid Mubarak! Che questo giorno ti porti gioia e pace.
eid-2 = Tanti auguri a te e alla tua famiglia per l’Eid.
eid-3 = Eid Mubarak, con affetto e i migliori auguri.
occasion-diwali = Diwali
diwali-1 = Felice Diwali! Che il tuo anno sia pieno di luce.
diwali-2 = Luce, dolcezza e buona fortuna a te e alla tua famiglia.
diwali-3 = Ti auguro un Diwali felice e luminoso.
occasion-easter = Pasqua
easter-1 = Buona Pasqua! Certe sorprese vale la pena cercarle.
easter-2 = Primavera, sole e una piccola sorpresa per te.
easter-3 = Buona Pasqua a te e alla tua famiglia.
occasion-lunar-new-year = Capodanno lunare
lunar-new-year-1 = Buon Capodanno lunare! Che la fortuna ti trovi.
lunar-new-year-2 = Salute, prosperità e felicità nel nuovo anno.
lunar-new-year-3 = Per il nuovo anno: qualcosa di rosso, qualcosa che porta fortuna, qualcosa che cresce.

## The giver's wallet

seal-a-gift = Sigillare un regalo
your-wallet = Il Suo portafoglio
giver-no-wallet = Non è stato ancora trovato nessun portafoglio. Sul telefono, apra questa pagina nel browser della Sua app di portafoglio; sul computer, usi il browser che ha il Suo portafoglio.
giver-connect = Collegare { $wallet }
giver-account = { $wallet }: { $account } su { $network }
giver-connect-first = Colleghi prima un portafoglio, per favore.
giver-connect-above = Colleghi prima il Suo portafoglio, per favore: è in cima a questa pagina.
giver-no-chain = Qui non è disponibile nessuna rete.
giver-declined = Il portafoglio ha rifiutato. Non è stato inviato nulla.
giver-refused = La rete lo rifiuta. Ce n’è abbastanza nel Suo portafoglio?
giver-too-little = Nel Suo portafoglio non ce n’è abbastanza.
giver-failed = Non ha funzionato. Riprovi, per favore.
giver-was-asked = Al Suo portafoglio era stato chiesto di sigillare un regalo quando questa pagina è stata ricaricata. Guardi prima lì, per favore: ciò che è stato inviato è sigillato, e il suo foglio stampato è valido. Sigillarlo di nuovo sarebbe un secondo regalo.

## The form

form-gift = Il regalo
form-occasion = Occasione
form-language = Lingua del regalo
form-to = Per (un nome)
form-from = Da (il Suo nome)
form-note = Il Suo messaggio
form-room = { $used } di { $most } caratteri al massimo
form-inside = Che cosa contiene
form-asset = Regalare
form-amount = Quanto
form-opens = Si apre il
form-chain-clock = Secondo l’orologio della rete, che ora segna: { $moment }.
form-how = Come si apre
form-paper = Con una chiave stampata: Lei stampa un foglio e lo consegna
form-wallet = Con un portafoglio che la persona ha già: Lei ne conosce l’indirizzo
form-email = Con l’indirizzo e-mail della persona: al momento di aprirlo riceve lì un codice
form-wallet-address = L’indirizzo di quel portafoglio
form-email-address = L’indirizzo e-mail della persona
form-continue = Continuare
letter-long-name = Un nome può avere al massimo { $most } caratteri.
letter-long-note = Il messaggio può avere al massimo { $most } caratteri.
letter-hidden = Un nome o il messaggio contiene un carattere di controllo o invisibile.
letter-address = Un nome sembra un indirizzo web o e-mail. Lo scriva in un altro modo, per favore.
letter-marks = Un nome ha troppi segni sulla stessa lettera.
letter-too-long = I nomi e il messaggio sono troppo lunghi per un link.
form-no-day = Scelga quando si apre il regalo, per favore.
form-future = Un regalo si apre nel futuro.
form-too-far = Un regalo si apre entro { $years } anni. Controlli l’anno, per favore: in seguito nessuno potrà cambiarlo.
form-two-readings = “{ $typed }” si può leggere in due modi. Scriva { $thousands } se intende le migliaia, altrimenti { $small }, per favore.
form-whole-amount = Indichi quanto, in { $symbol }, per favore: un numero intero, per esempio 2.
form-bad-amount = Indichi quanto, in { $symbol }, per favore: per esempio { $example }, con al massimo { $decimals } decimali e senza separatore delle migliaia.
form-no-amount = Indichi quanto, per favore.
form-no-address = Questo non è l’indirizzo di un portafoglio.
form-no-email = Questo non è un indirizzo e-mail.

## The review

review = Rilegga tutto ancora una volta, per favore
review-gift = Il regalo
review-amount = { $gift }, su { $network }
review-for = Per
review-for-paper = Chi ha il foglio stampato. Lo conservi come conserverebbe del denaro contante, per favore.
review-for-email = Chi legge la casella { $email }. Se non ha ancora un portafoglio, ne viene creato uno.
review-for-wallet = Il portafoglio { $address }. Solo questo può aprire il regalo.
review-opens = Si apre
review-lands = Dove arriva
review-lands-own = Quando lo apre, la persona dice dove deve arrivare: in un portafoglio suo, o nel portafoglio del suo indirizzo e-mail.
review-lands-email = Nel portafoglio del suo indirizzo e-mail, che il servizio di accesso Turnkey custodisce. Da lì si può spostare soltanto in un’app di chi gestisce { $site }; nessun’altra app di portafoglio apre quel portafoglio. Chieda loro dove, e lo dica a chi riceve il regalo.
review-moment = { $moment }, nel Suo fuso orario
review-fee = Commissione della rete
review-fee-words = La paga Lei in ETH. Il Suo portafoglio mostra quanto è prima che Lei accetti.
review-final = Una volta sigillato, nulla di tutto questo si può cambiare. Nessuno può riprendere il regalo, e nessuno può aprirlo prima: né Lei, né noi.
review-seal = Sigillare il regalo
review-change = Cambiare qualcosa
sheet-first = Stampi prima il foglio della chiave
sheet-first-words = La chiave esiste solo su questa pagina, finché Lei non la lascia. Senza il foglio nessuno potrà mai aprire il regalo.
sheet-printed = È stampato, e riesco a leggervi la chiave.
sheet-not-printed = Stampi prima il foglio, per favore, e lo confermi qui sopra.
sheet-throw-away = Se ha stampato quel foglio, lo butti via: per la sua chiave non è sigillato nulla.

## Sealing

sealing-sign-recipient = Firmi nel Suo portafoglio per chi è, per favore. Trovare o creare il portafoglio di quella persona può poi richiedere più di un minuto.
sealing-confirm = Confermi la transazione { $number } di { $all } nel Suo portafoglio, per favore.
sealing-on-its-way = La transazione { $number } di { $all } è in viaggio.
sealing-too-late = Nel frattempo il suo giorno è arrivato. Scelga un momento successivo, per favore.
sealing-refused = La rete l’ha rifiutato. Non è stato sigillato nulla.
sealed = Il regalo { $number } è sigillato. Si apre { $moment }.
sealed-not-kept = Questo browser non conserva nulla: salvi il link adesso.
seal-another = Sigillare un altro regalo

## Afterwards

kept-gift = Regalo { $number }
kept-title = Regali sigillati qui
kept-some = Questo browser ricorda i link dei regali che Lei vi ha sigillato. Nessun altro li ricorda.
kept-none = Questo browser ricorderà i link dei regali che Lei vi sigillerà. Nessun altro li ricorderà.
kept-item-for = { $occasion } per { $name }, regalo { $number }
kept-item = { $occasion }, regalo { $number }
kept-show = Mostrare
kept-show-item = Mostrare { $item }
kept-forget = Dimenticare
kept-forget-item = Dimenticare { $item }
kept-forget-sure = Dimenticare per sempre: il link non si può ricreare
list-title = Ciò che ha sigillato
list-none = Questo portafoglio non ha ancora sigillato nulla.
list-unread = L’elenco di ciò che ha sigillato non si può leggere in questo momento. Ecco ciò che il Suo browser ricorda.
list-broken = Il resto dell’elenco non si può leggere in questo momento.
list-rest = Il Suo browser ricorda anche questi: di un altro portafoglio, più vecchi, molto recenti o non più sulla catena.
list-more = Mostra altro
list-regular = Blocco a tempo { $number }
list-soft = Blocco a tempo flessibile { $number }
list-sealed-until = Sigillato. Apertura: { $moment }.
list-sealed = Sigillato. Non è fissato un giorno di apertura.
list-open = Si può aprire da: { $moment }.
list-ended = Chiuso. Il contenuto è stato ritirato.
link-words = Il link del regalo. Chi lo ha legge il Suo messaggio; solo il destinatario può aprire il regalo.
link-copy = Copiare il link
link-copied = Copiato.
link-not-allowed = Il Suo browser non l’ha permesso. Copi il link da qui.
page-sheet = Foglio della chiave
page-card = Biglietto del regalo
page-record = Attestazione del regalo
page-as-printed = { $page }, come apparirà in stampa
page-print = Stampare
page-save = Salvare come PNG
page-not-saved = Non è stato possibile salvare. Non è stato salvato nulla: stampi la pagina, per favore.
page-withheld = Questo browser non lascia usare l’immagine alla pagina, per evitare il tracciamento. Non è stato salvato nulla: stampi la pagina, per favore.
page-not-drawn = { $page }: in questo momento non si può mostrare. Mostri di nuovo il regalo qui sotto.
page-does-not-fit = { $page }: { $why }
record-needs-wallet = Colleghi il Suo portafoglio per avere anche l’attestazione del regalo.
fonts-missing = Non è stato possibile caricare i caratteri. Riprovi, per favore.

## Telling the recipient by email

notify = Avvisare per e-mail, se lo desidera
notify-email = L’indirizzo e-mail della persona
notify-when = Quando
notify-now = Ora, e il giorno in cui si apre
notify-scheduled = In un giorno a mia scelta, e il giorno in cui si apre
notify-opening = Solo il giorno in cui si apre
notify-day = Avvisare il
notify-privacy = L’indirizzo e il link restano cifrati finché il regalo non è aperto, e non vengono inviati a nessun altro.
notify-go = Chiedere l’avviso
notify-no-email = Indichi l’indirizzo e-mail della persona, per favore.
notify-no-day = Scelga il giorno e l’ora, per favore.
notify-bad-day = Scelga, per favore, un momento da adesso in poi, ma prima che il regalo si apra: { $moment }.
notify-done = La persona sarà avvisata.
notify-done-on = La persona sarà avvisata { $moment }, e il giorno in cui si apre.

## The printed pages

print-for = per { $name }
print-from = da { $name }
print-opens = Apertura: { $day }
print-scan = Inquadri per vedere il regalo
print-scan-opens = Inquadri per vedere il regalo. Apertura: { $day }.
print-note-too-long = Il messaggio ha troppe righe per il biglietto, che ne contiene { $most }.
print-code-too-long = Il messaggio è troppo lungo per il codice stampato.
print-letter-too-long = I nomi e il messaggio sono troppo lunghi per il codice del foglio, che ne contiene { $room } byte (una lettera semplice ne occupa uno, altre da due a quattro).
sheet-key = La chiave di questo regalo
sheet-key-words = Chi legge questa chiave può prendere il regalo. Non la mostri a nessuno e la inserisca solo nella pagina che il codice sulla copertina apre, quel giorno o più tardi.
sheet-opens-for = Apre ciò che è sigillato per { $address }
sheet-closing = Per chiudere: pieghi questo pannello dietro la copertina, poi sopra quello in basso; sigilli il bordo.
sheet-how = Come aprire il Suo regalo
sheet-look = Guardare
sheet-look-words = Inquadri il codice sulla copertina con il telefono. La pagina mostra che cosa contiene e quando si apre.
sheet-wait = Aspettare
sheet-wait-words = Tenga questa busta chiusa e al sicuro, come contanti. Nessuno può sostituirla, nemmeno chi l’ha donata.
sheet-open = Aprire
sheet-open-words = Quel giorno o più tardi, apra la busta e di nuovo la pagina. Lì inquadri la chiave, oppure la scriva.
sheet-keep = Conservare
sheet-keep-words = Il regalo è allora nel portafoglio di questa chiave. Conservi il foglio finché non lo sposta in uno Suo.
sheet-no-camera = Senza fotocamera:
sheet-safety = A chi La aiuta la chiave non serve. Non la fotografi, non la invii e non la detti, chiunque la chieda.

## The gift record

record-title = Attestazione del regalo
record-subtitle = Per i documenti di chi ha fatto il regalo
record-value = Valore di mercato del giorno { $day }, in cui è stato sigillato
record-no-source = Nessuna fonte di prezzi
record-no-price = Quando è stata stampata questa pagina non c’era un prezzo affidabile di { $symbols } per quel giorno. Il valore va trovato altrove.
record-price-recorded = Prezzo registrato per quel giorno
record-price-older = Ultimo prezzo quando è stato sigillato, di un altro giorno
record-price-now = Prezzo al momento della stampa, dello stesso giorno
record-price-now-older = Prezzo al momento della stampa, di un altro giorno
record-price = 1 { $symbol } = US$ { $price } (Chainlink, round { $round }, { $moment })
record-basis = { $how }: { $prices }.
record-given = Regalato
record-sealed = Sigillato
record-opens = Si apre
record-given-by = Regalato da
record-giver = Conto di chi regala
record-given-to = Regalato a
record-sealed-for = Sigillato per
record-network = Rete
record-network-words = { $network } (id della rete { $number })
record-number = Numero del regalo
record-contract = Contratto
record-transaction = Transazione (codice)
record-seen-at = Si può vedere su
record-base-units = unità di base di { $token }
record-moment = { $day }, { $time } UTC
record-disclaimer = Questa attestazione non è una consulenza fiscale né una perizia. Riporta ciò che risulta sulla rete pubblica e, dove c’era una fonte di prezzi, un valore calcolato in base a essa. Come un regalo si valuta e si dichiara, chi deve farlo e quando, dipende dalla legge che si applica a Lei: chieda a un professionista.
