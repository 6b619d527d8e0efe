## Occasions, with messages a giver may start from: greetings of the language, not word by word

occasion-gift = Ein Geschenk
gift-1 = Eine Kleinigkeit für dich, versiegelt bis zu ihrem Tag.
gift-2 = Das habe ich für dich zurückgelegt. Öffne es, wenn der Tag da ist, und denk an mich.
gift-3 = Für dich, von Herzen.
occasion-birthday = Geburtstag
birthday-1 = Alles Gute zum Geburtstag! Dieses Geschenk braucht etwas Geduld, aber es gehört dir.
birthday-2 = Wieder ein Jahr mit dir: der schönste Grund zum Feiern. Alles Liebe zum Geburtstag!
birthday-3 = Möge das neue Lebensjahr es gut mit dir meinen. Alles Liebe zum Geburtstag!
occasion-wedding = Hochzeit
wedding-1 = Auf euch beide und auf alles, was ihr gemeinsam aufbaut!
wedding-2 = Alles Gute für ein Leben voller kleiner, guter Tage.
wedding-3 = Alles Liebe euch beiden, heute und in allen Jahren, die kommen.
occasion-anniversary = Hochzeitstag
anniversary-1 = Auf die Jahre, die hinter euch liegen, und auf die vielen, die noch kommen. Alles Gute zum Hochzeitstag!
anniversary-2 = Noch immer meine liebste Geschichte: eure. Alles Gute zum Hochzeitstag!
anniversary-3 = Für uns, in Liebe.
occasion-new-baby = Geburt
new-baby-1 = Willkommen auf der Welt! Das hier wartet auf dich, bis du groß bist.
new-baby-2 = Heute noch klein, morgen schon groß: ein Geschenk für die Jahre, die vor dir liegen.
new-baby-3 = Wie schön, dass du da bist!
occasion-graduation = Abschluss
graduation-1 = Du hast es geschafft! Wir sind so stolz auf dich.
graduation-2 = Ein Anfang, für alles, was du als Nächstes beginnst.
graduation-3 = Für all die Arbeit, die niemand gesehen hat: herzlichen Glückwunsch!
occasion-bar-bat-mitzvah = Bar Mizwa oder Bat Mizwa
bar-bat-mitzvah-1 = Masel tov! Wir sind heute so stolz auf dich.
bar-bat-mitzvah-2 = Ein Tag, an den du dich immer erinnern wirst, und etwas für die Jahre danach.
bar-bat-mitzvah-3 = Alles Liebe zu deinem großen Tag. Geh deinen Weg mit immer neuer Kraft.
occasion-thank-you = Danke
thank-you-1 = Danke, für mehr, als auf eine Karte passt.
thank-you-2 = Du warst da, als es darauf ankam. Danke!
thank-you-3 = Ein kleines Dankeschön für etwas sehr Liebes.
occasion-new-home = Neues Zuhause
new-home-1 = Mögen in diesen Räumen immer liebe Menschen zu Gast sein.
new-home-2 = Eine neue Tür, ein neuer Schlüssel, ein neuer Anfang. Willkommen zu Hause!
new-home-3 = Für das Haus, oder was immer es brauchen wird.
occasion-someday = Irgendwann
someday-1 = Kein besonderer Tag, nur du. Das hier wächst, bis du es öffnest.
someday-2 = Für den Tag, an dem du es brauchst, oder den Tag, an dem du es möchtest.
someday-3 = Ich habe heute an dich gedacht. Irgendwann wirst du das lesen.
occasion-valentine = Valentinstag
valentine-1 = Für dich, heute und an jedem anderen Tag.
valentine-2 = Mein Herz gehörte dir, lange bevor dieses Geschenk versiegelt wurde.
valentine-3 = In Liebe, für immer.
occasion-new-year = Neujahr
new-year-1 = Gesundheit, Glück und liebe Menschen im neuen Jahr!
new-year-2 = Auf alles, was beginnt. Frohes neues Jahr!
new-year-3 = Möge das neue Jahr es gut mit dir meinen.
occasion-christmas = Weihnachten
christmas-1 = Frohe Weihnachten! Dieses Geschenk bleibt etwas länger unter dem Baum.
christmas-2 = Frieden, Wärme und liebe Menschen um dich: ein frohes Weihnachtsfest!
christmas-3 = Alles Liebe zu Weihnachten und durch das ganze Jahr.
occasion-hanukkah = Chanukka
hanukkah-1 = Frohes Chanukka! Möge dein Zuhause voller Licht sein.
hanukkah-2 = Acht Abende voller Licht und ein Geschenk, das auf seinen Tag wartet.
hanukkah-3 = Dir und deiner Familie ein frohes, lichtvolles Chanukka!
occasion-eid = Eid
eid-1 = Eid Mubarak! Möge dieser Tag dir Freude und Frieden bringen.
eid-2 = Dir und deiner Familie ein gesegnetes Fest!
eid-3 = Eid Mubarak, mit den liebsten Wünschen.
occasion-diwali = Diwali
diwali-1 = Frohes Diwali! Möge dein Jahr voller Licht sein.
diwali-2 = Licht, Süßes und viel Glück für dich und deine Familie.
diwali-3 = Ich wünsche dir ein frohes, strahlendes Diwali.
occasion-easter = Ostern
easter-1 = Frohe Ostern! Manches ist das Suchen wert.
easter-2 = Frühling, Sonnenschein und eine kleine Überraschung für dich.
easter-3 = Dir und deiner Familie ein frohes Osterfest!
occasion-lunar-new-year = Mondneujahr
lunar-new-year-1 = Frohes Mondneujahr! Möge das Glück den Weg zu dir finden.
lunar-new-year-2 = Gesundheit, Wohlstand und Glück im neuen Jahr!
lunar-new-year-3 = Zum neuen Jahr: etwas Rotes, etwas, das Glück bringt, und etwas, das wächst.

## The giver's wallet

seal-a-gift = Ein Geschenk versiegeln
your-wallet = Ihre Wallet
giver-no-wallet = Noch wurde keine Wallet gefunden. Am Handy öffnen Sie diese Seite im Browser Ihrer Wallet-App; am Computer nehmen Sie den Browser, in dem Ihre Wallet ist.
giver-connect = { $wallet } verbinden
giver-account = { $wallet }: { $account } auf { $network }
giver-connect-first = Bitte verbinden Sie zuerst eine Wallet.
giver-connect-above = Bitte verbinden Sie zuerst Ihre Wallet: Sie steht oben auf dieser Seite.
giver-no-chain = Hier wird keine Chain angeboten.
giver-declined = Die Wallet hat abgelehnt. Es wurde nichts gesendet.
giver-refused = Die Chain lehnt das ab. Ist genug davon in Ihrer Wallet?
giver-too-little = In Ihrer Wallet ist nicht genug.
giver-failed = Das hat nicht geklappt. Bitte versuchen Sie es noch einmal.
giver-was-asked = Ihre Wallet war gebeten worden, ein Geschenk zu versiegeln, als diese Seite neu geladen wurde. Bitte sehen Sie zuerst dort nach: Was gesendet wurde, ist versiegelt, und das gedruckte Blatt dazu gilt. Noch einmal versiegelt wäre es ein zweites Geschenk.

## The form

form-gift = Das Geschenk
form-occasion = Anlass
form-language = Sprache des Geschenks
form-to = Für (ein Name)
form-from = Von (Ihr Name)
form-note = Ihre Nachricht
form-room = { $used } von höchstens { $most } Zeichen
form-inside = Was darin ist
form-asset = Sie schenken
form-amount = Wie viel
form-opens = Öffnet sich am
form-chain-clock = Nach der Uhr der Chain; dort ist es jetzt { $moment }.
form-how = So wird es geöffnet
form-paper = Mit einem gedruckten Schlüssel: Sie drucken ein Blatt und übergeben es
form-wallet = Mit einer vorhandenen Wallet: Sie kennen die Adresse
form-email = Mit einer E-Mail-Adresse: Beim Öffnen wird ein Code dorthin gesendet
form-wallet-address = Wallet-Adresse der beschenkten Person
form-email-address = E-Mail-Adresse der beschenkten Person
form-continue = Weiter
letter-long-name = Ein Name darf höchstens { $most } Zeichen haben.
letter-long-note = Die Nachricht darf höchstens { $most } Zeichen haben.
letter-hidden = In einem Namen oder in der Nachricht ist ein Steuerzeichen oder ein unsichtbares Zeichen.
letter-address = Ein Name sieht aus wie eine Web- oder E-Mail-Adresse. Bitte schreiben Sie ihn anders.
letter-marks = In einem Namen stehen zu viele Zeichen über oder unter einem Buchstaben.
letter-too-long = Die Namen und die Nachricht sind zu lang für einen Link.
form-no-day = Bitte wählen Sie, wann sich das Geschenk öffnet.
form-future = Ein Geschenk öffnet sich in der Zukunft.
form-too-far = Ein Geschenk öffnet sich innerhalb von { $years } Jahren. Bitte prüfen Sie das Jahr: Später kann es niemand ändern.
form-two-readings = „{ $typed }“ lässt sich auf zwei Arten lesen. Bitte schreiben Sie { $thousands }, wenn Sie Tausender meinen, sonst { $small }.
form-whole-amount = Bitte sagen Sie, wie viel, in { $symbol }: eine ganze Zahl, zum Beispiel 2.
form-bad-amount = Bitte sagen Sie, wie viel, in { $symbol }: zum Beispiel { $example }, mit höchstens { $decimals } Stellen nach dem Komma und ohne Tausenderzeichen.
form-no-amount = Bitte sagen Sie, wie viel.
form-no-address = Das ist keine Wallet-Adresse.
form-no-email = Das ist keine E-Mail-Adresse.

## The review

review = Bitte lesen Sie das noch einmal
review-gift = Das Geschenk
review-amount = { $gift }, auf { $network }
review-for = Für
review-for-paper = Wer das gedruckte Blatt hat. Bitte verwahren Sie es wie Bargeld.
review-for-email = Wer das Postfach { $email } liest. Eine Wallet wird dafür angelegt, wenn es noch keine hat.
review-for-wallet = Die Wallet { $address }. Nur sie kann das Geschenk öffnen.
review-opens = Öffnet sich
review-lands = Wohin es kommt
review-lands-own = Beim Öffnen sagt die beschenkte Person, wohin es kommen soll: in eine eigene Wallet oder in die Wallet ihrer E-Mail-Adresse.
review-lands-email = In die Wallet der E-Mail-Adresse, die der Anmeldedienst Turnkey verwahrt. Von dort lässt es sich nur in einer App der Betreiber von { $site } weiter übertragen; keine andere Wallet-App öffnet diese Wallet. Bitte fragen Sie dort, wo das geht, und sagen Sie es der beschenkten Person.
review-moment = { $moment }, in Ihrer Zeitzone
review-fee = Netzwerkgebühr
review-fee-words = Sie zahlen sie in ETH. Ihre Wallet zeigt, wie viel es ist, bevor Sie zustimmen.
review-final = Wenn es versiegelt ist, lässt sich nichts davon ändern. Niemand kann das Geschenk zurücknehmen, und niemand kann es früher öffnen: auch Sie nicht, und auch wir nicht.
review-seal = Geschenk versiegeln
review-change = Etwas ändern
sheet-first = Zuerst das Schlüsselblatt drucken
sheet-first-words = Der Schlüssel steht nur auf dieser Seite, bis Sie sie verlassen. Ohne das Blatt kann niemand das Geschenk je öffnen.
sheet-printed = Es ist gedruckt, und ich kann den Schlüssel darauf lesen.
sheet-not-printed = Bitte drucken Sie zuerst das Blatt, und bestätigen Sie das oben.
sheet-throw-away = Wenn Sie dieses Blatt gedruckt haben, werfen Sie es weg: Für seinen Schlüssel ist nichts versiegelt.

## Sealing

sealing-sign-recipient = Bitte unterschreiben Sie in Ihrer Wallet, für wen es ist. Die Wallet dieser Person zu finden oder anzulegen, kann dann mehr als eine Minute dauern.
sealing-confirm = Bitte bestätigen Sie Transaktion { $number } von { $all } in Ihrer Wallet.
sealing-on-its-way = Transaktion { $number } von { $all } ist unterwegs.
sealing-too-late = Sein Tag ist inzwischen gekommen. Bitte wählen Sie eine spätere Zeit.
sealing-refused = Die Chain hat das abgelehnt. Es wurde nichts versiegelt.
sealed = Geschenk { $number } ist versiegelt. Es öffnet sich am { $moment }.
sealed-not-kept = Dieser Browser merkt sich nichts: Sichern Sie den Link jetzt.
seal-another = Noch eins versiegeln

## Afterwards

kept-gift = Geschenk { $number }
kept-title = Hier versiegelte Geschenke
kept-some = Dieser Browser merkt sich die Links der Geschenke, die Sie darin versiegelt haben. Sonst niemand.
kept-none = Dieser Browser wird sich die Links der Geschenke merken, die Sie darin versiegeln. Sonst niemand.
kept-item-for = { $occasion } für { $name }, Geschenk { $number }
kept-item = { $occasion }, Geschenk { $number }
kept-show = Anzeigen
kept-show-item = { $item } anzeigen
kept-forget = Vergessen
kept-forget-item = { $item } vergessen
kept-forget-sure = Endgültig vergessen: Den Link gibt es dann nie wieder
list-title = Was Sie versiegelt haben
list-none = Diese Wallet hat bisher nichts versiegelt.
list-unread = Die Liste Ihrer versiegelten Geschenke kann gerade nicht gelesen werden. Hier steht, was Ihr Browser weiß.
list-broken = Der Rest der Liste kann gerade nicht gelesen werden.
list-rest = Auch diese kennt Ihr Browser: von einer anderen Wallet, älter, ganz neu oder nicht mehr auf der Chain.
list-more = Mehr zeigen
list-regular = Zeitschloss { $number }
list-soft = Weiches Zeitschloss { $number }
list-sealed-until = Versiegelt. Öffnet sich am { $moment }.
list-sealed = Versiegelt. Es ist kein Tag zum Öffnen festgelegt.
list-open = Kann seit { $moment } geöffnet werden.
list-ended = Abgeschlossen. Der Inhalt wurde entnommen.
link-words = Der Link zum Geschenk. Wer ihn hat, kann Ihre Nachricht lesen; öffnen kann das Geschenk nur die beschenkte Person.
link-copy = Link kopieren
link-copied = Kopiert.
link-not-allowed = Ihr Browser hat das nicht erlaubt. Kopieren Sie den Link von hier.
page-sheet = Schlüsselblatt
page-card = Geschenkkarte
page-record = Geschenkbeleg
page-as-printed = { $page }, so wird gedruckt
page-print = Drucken
page-save = Als PNG speichern
page-not-saved = Speichern ging nicht. Es wurde nichts gespeichert: Bitte drucken Sie es.
page-withheld = Dieser Browser gibt der Seite das Bild nicht, zum Schutz vor Nachverfolgung. Es wurde nichts gespeichert: Bitte drucken Sie es.
page-not-drawn = { $page }: Die Anzeige geht gerade nicht. Zeigen Sie das Geschenk weiter unten noch einmal an.
page-does-not-fit = { $page }: { $why }
record-needs-wallet = Verbinden Sie Ihre Wallet, um auch den Geschenkbeleg zu bekommen.
fonts-missing = Die Schriften konnten nicht geladen werden. Bitte versuchen Sie es noch einmal.

## Telling the recipient by email

notify = Per E-Mail Bescheid geben, wenn Sie möchten
notify-email = E-Mail-Adresse der beschenkten Person
notify-when = Wann
notify-now = Jetzt, und am Tag der Öffnung
notify-scheduled = An einem Tag meiner Wahl, und am Tag der Öffnung
notify-opening = Nur am Tag der Öffnung
notify-day = Bescheid geben am
notify-privacy = Die Adresse und der Link werden verschlüsselt gespeichert, bis das Geschenk offen ist, und an niemanden sonst gesendet.
notify-go = Bescheid geben lassen
notify-no-email = Bitte geben Sie die E-Mail-Adresse an.
notify-no-day = Bitte wählen Sie den Tag und die Uhrzeit.
notify-bad-day = Bitte wählen Sie eine Zeit ab jetzt, bevor sich das Geschenk am { $moment } öffnet.
notify-done = Wir geben Bescheid.
notify-done-on = Wir geben Bescheid am { $moment } und am Tag der Öffnung.

## The printed pages

print-for = für { $name }
print-from = von { $name }
print-opens = Öffnet sich am { $day }
print-scan = Scannen und ansehen
print-scan-opens = Scannen und Geschenk ansehen. Es öffnet sich am { $day }.
print-note-too-long = Die Nachricht hat zu viele Zeilen für die Karte; { $most } haben darauf Platz.
print-code-too-long = Die Nachricht ist zu lang für den gedruckten Code.
print-letter-too-long = Die Namen und die Nachricht sind zu lang für den Code auf dem Blatt. Er fasst davon { $room } Bytes (ein einfacher Buchstabe braucht eines, andere zwei bis vier).
sheet-key = Der Schlüssel zum Geschenk
sheet-key-words = Wer diesen Schlüssel liest, kann das Geschenk nehmen. Zeigen Sie ihn niemandem, und geben Sie ihn nur auf der Seite ein, die der Code auf der Vorderseite öffnet, am Tag selbst oder später.
sheet-opens-for = Öffnet, was versiegelt ist für { $address }
sheet-closing = Zum Verschließen: dieses Feld hinter die Vorderseite falten, das untere darüber; Rand zukleben.
sheet-how = So öffnen Sie Ihr Geschenk
sheet-look = Ansehen
sheet-look-words = Scannen Sie den Code auf der Vorderseite mit dem Handy. Die Seite zeigt, was darin ist und wann es sich öffnet.
sheet-wait = Warten
sheet-wait-words = Bewahren Sie dieses Päckchen geschlossen und sicher auf, wie Bargeld. Niemand kann es ersetzen, auch nicht, wer es Ihnen gab.
sheet-open = Öffnen
sheet-open-words = Falten Sie es am Tag selbst oder später auf, und öffnen Sie die Seite wieder. Dort scannen Sie den Schlüssel oder tippen ihn ein.
sheet-keep = Aufbewahren
sheet-keep-words = Das Geschenk ist dann in der Wallet dieses Schlüssels. Bewahren Sie das Blatt auf, bis Sie es in eine eigene Wallet übertragen haben.
sheet-no-camera = Ohne Kamera:
sheet-safety = Wer Ihnen hilft, braucht den Schlüssel nicht. Nie fotografieren, senden oder diktieren, egal für wen.

## The gift record

record-title = Geschenkbeleg
record-subtitle = Für die Unterlagen der schenkenden Person
record-value = Marktwert am { $day }, dem Tag der Versiegelung
record-no-source = Keine Preisquelle
record-no-price = Beim Drucken gab es für diesen Tag keinen verlässlichen Preis von { $symbols }. Der Wert muss anderswo ermittelt werden.
record-price-recorded = Für diesen Tag verzeichneter Preis
record-price-older = Neuester Preis bei der Versiegelung, von einem anderen Tag
record-price-now = Preis beim Drucken, vom selben Tag
record-price-now-older = Preis beim Drucken, von einem anderen Tag
record-price = 1 { $symbol } = US$ { $price } (Chainlink-Runde { $round }, { $moment })
record-basis = { $how }: { $prices }.
record-given = Geschenkt
record-sealed = Versiegelt
record-opens = Öffnet sich
record-given-by = Geschenkt von
record-giver = Schenkendes Konto
record-given-to = Geschenkt an
record-sealed-for = Versiegelt für
record-network = Netzwerk
record-network-words = { $network } (Chain { $number })
record-number = Geschenknummer
record-contract = Vertrag
record-transaction = Transaktion (Code)
record-seen-at = Zu sehen unter
record-base-units = Basiseinheiten von { $token }
record-moment = { $day }, { $time } UTC
record-disclaimer = Dieser Beleg ist keine Steuerberatung und kein Wertgutachten. Er gibt an, was auf der öffentlichen Chain steht, und, wo es eine Preisquelle gab, einen daraus berechneten Wert. Wie ein Geschenk bewertet und gemeldet wird, von wem und wann, hängt von dem Recht ab, das für Sie gilt: Fragen Sie eine Fachperson.
