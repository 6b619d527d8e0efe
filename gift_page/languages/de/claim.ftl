## Greetings, by occasion

greeting-gift = Ein Geschenk für dich
greeting-birthday = Alles Gute zum Geburtstag
greeting-wedding = Alles Gute zur Hochzeit
greeting-anniversary = Alles Gute zum Hochzeitstag
greeting-new-baby = Willkommen im Leben
greeting-graduation = Glückwunsch zum Abschluss
greeting-bar-bat-mitzvah = Masel tov
greeting-thank-you = Vielen Dank
greeting-new-home = Alles Gute im neuen Zuhause
greeting-someday = Für dich, irgendwann
greeting-valentine = Von ganzem Herzen
greeting-new-year = Frohes neues Jahr
greeting-christmas = Frohe Weihnachten
greeting-hanukkah = Frohes Chanukka
greeting-eid = Eid Mubarak
greeting-diwali = Frohes Diwali
greeting-easter = Frohe Ostern
greeting-lunar-new-year = Frohes Mondneujahr
greeting-to = { $greeting }, { $name }
card-subline = Ein versiegeltes Geschenk liegt hier bereit
card-opened = Dieses Geschenk wurde geöffnet

## The gift and its state

when-open = Dieses Geschenk kann jetzt geöffnet werden.
when-claimed = Dieses Geschenk wurde geöffnet und ist bei der beschenkten Person angekommen.
opened-on = Dieses Geschenk wurde am { $moment } geöffnet.
sealed-until = Dieses Geschenk ist versiegelt bis { $moment }.
inside = Inhalt
digital-money = Das ist digitales Geld.
asset-paid-out = { $amount } (in ETH ausgezahlt)
asset-without-name = Token
asset-base-units = { $units } Basiseinheiten von { $symbol }
the-gift = Das Geschenk
advice-link = Wer diesen Link hat, kann das Geschenk sehen. Öffnen kann es nur die Wallet, für die es versiegelt wurde.
advice-paper = Wer das gedruckte Blatt hat, kann das Geschenk öffnen. Bewahren Sie es auf wie Bargeld: Ohne das Blatt ist das Geschenk verloren. Sagen Sie den Schlüssel niemandem: Wer Ihnen hilft, muss ihn nicht kennen.
advice-email = Es wurde für Ihre E-Mail-Adresse versiegelt: Wer Ihre E-Mails liest, kann es öffnen, und sonst niemand. Zum Öffnen wird Ihnen ein Code dorthin gesendet; sagen Sie den Code niemandem.
check-wallet = Bitte sehen Sie schon jetzt nach, ob Sie diese Wallet noch haben: Niemand kann sie ersetzen, auch wir nicht.
check-paper = Bitte sehen Sie schon jetzt nach, ob Sie das Blatt noch haben: Niemand kann es ersetzen, auch wir nicht.
check-email = Bitte sehen Sie schon jetzt nach, ob Sie dieses Postfach noch öffnen können: Niemand kann es ersetzen, auch wir nicht.
advice-email-moving = Der Inhalt kommt in eine Wallet Ihrer E-Mail-Adresse, die der Anmeldedienst Turnkey für Sie verwahrt. Von dort lässt er sich nur in einer App der Betreiber von { $site } weiter übertragen; keine andere Wallet-App öffnet diese Wallet. Fragen Sie dort, wo das geht, bevor Sie das Geschenk öffnen.
ask-us = Fragen Sie uns: Wie Sie uns erreichen, steht unten auf dieser Seite.
claimed-paper = Der Inhalt ist in der Wallet, zu der der Schlüssel auf Ihrem Blatt gehört. Bewahren Sie das Blatt auf, bis Sie alles in eine eigene Wallet übertragen haben.
claimed-email = Der Inhalt ist in der Wallet Ihrer E-Mail-Adresse, die der Anmeldedienst Turnkey für Sie verwahrt. Nur wer Ihre E-Mails liest, kann diese Wallet benutzen; halten Sie Ihr Postfach also sicher. Diese Seite öffnet nur Geschenke. Um den Inhalt gegen eine Netzwerkgebühr in ETH weiter zu übertragen, melden Sie sich in einer App der Betreiber von { $site } bei dieser Wallet an; keine andere Wallet-App öffnet sie. Fragen Sie dort, wo das geht, und sagen Sie niemandem einen Code aus Ihren E-Mails.
claimed-paper-or-named = Wenn Sie beim Öffnen eine Wallet genannt haben, ist der Inhalt dort angekommen. Wenn Sie keine genannt haben, ist er in der Wallet, zu der der Schlüssel auf Ihrem Blatt gehört. Bewahren Sie das Blatt auf, bis Sie alles in eine eigene Wallet übertragen haben.
claimed-email-or-named = Wenn Sie beim Öffnen eine Wallet genannt haben, ist der Inhalt dort angekommen. Wenn Sie keine genannt haben, ist er in der Wallet Ihrer E-Mail-Adresse, die der Anmeldedienst Turnkey für Sie verwahrt. Nur wer Ihre E-Mails liest, kann diese Wallet benutzen; halten Sie Ihr Postfach also sicher. Diese Seite öffnet nur Geschenke. Um den Inhalt gegen eine Netzwerkgebühr in ETH weiter zu übertragen, melden Sie sich in einer App der Betreiber von { $site } bei dieser Wallet an; keine andere Wallet-App öffnet sie. Fragen Sie dort, wo das geht, und sagen Sie niemandem einen Code aus Ihren E-Mails.
seal-forward = Selbst eins versiegeln
about-gift = Über dieses Geschenk
fact-sealed = Versiegelt
fact-opens = Öffnet sich
fact-opened = Geöffnet
fact-sealed-for = Versiegelt für
fact-network = Netzwerk
fact-gift = Geschenk
gift-number = Nummer { $number } im Vertrag
letter-stays = Eine persönliche Nachricht steht, wenn es eine gibt, in diesem Link hinter dem Zeichen #. Sie bleibt in Ihrem Browser und wird nie an uns gesendet.

## No gift is shown

no-gift = Hier ist kein Geschenk
no-gift-1 = Bitte prüfen Sie den Link.
no-gift-2 = Ein Geschenk, das gerade erst versiegelt wurde, braucht vielleicht noch einen Moment.
cut-off = Dieser Link ist nicht vollständig
cut-off-1 = Ein Teil ist verloren gegangen, vielleicht beim Kopieren. Sonst fehlt nichts: Das Geschenk ist sicher, wo es ist.
cut-off-2 = Bitte öffnen Sie den ganzen Link, so wie Sie ihn bekommen haben.
not-served = Dieses Geschenk ist auf einem anderen Netzwerk
not-served-1 = Der Link nennt ein Netzwerk, das diese Seite nicht kennt. Nichts ist verloren: Das Geschenk ist sicher, wo es ist.
not-served-2 = Bitte prüfen Sie den Link, oder fragen Sie die Person, von der Sie ihn haben, wo er sich öffnen lässt.
not-shown = Dieses Geschenk kann hier nicht gezeigt werden
not-shown-1 = Darin ist etwas, das diese Seite nicht oder nicht mehr kennt. Nichts ist verloren: Das Geschenk ist sicher, wo es ist.
not-shown-2 = Bitte fragen Sie die Person, von der Sie es haben, wie es sich öffnen lässt.
not-now = Das Geschenk kann gerade nicht gezeigt werden
not-now-1 = Nichts ist verloren: Es ist sicher, wo es ist. Bitte versuchen Sie es bald noch einmal.
too-many = Bitte warten Sie einen Moment
too-many-1 = Sehr viele Menschen haben in dieser Minute von Ihrem Netz aus Geschenke aufgerufen.
too-many-2 = Nichts ist verloren: Bitte laden Sie diese Seite in einer Minute neu.
none-for = Zu diesem Blatt wurde kein Geschenk gefunden
none-for-1 = Wenn Sie den Link eingetippt haben, vergleichen Sie ihn bitte mit Ihrem Blatt: Vielleicht stimmt ein Buchstabe oder eine Ziffer nicht.
none-for-2 = Ein Geschenk, das gerade erst versiegelt wurde, braucht vielleicht noch einen Moment: Bitte versuchen Sie es in Kürze noch einmal.
not-shown-for = Es wurde kein Geschenk gefunden, das hier gezeigt werden kann
not-shown-for-1 = Für dieses Blatt ist etwas versiegelt, das diese Seite nicht oder nicht mehr kennt. Nichts ist verloren: Es ist sicher, wo es ist.
not-shown-for-2 = Wenn Sie Ihr Geschenk noch nicht geöffnet haben, fragen Sie bitte die Person, von der Sie das Blatt haben, wie es sich öffnen lässt.
not-shown-for-3 = Wenn Sie es schon geöffnet haben, ist dies ein anderes, vielleicht von jemand Fremdem. Wenn Sie dabei keine andere Wallet genannt haben, ist der Inhalt Ihres Geschenks in der Wallet, zu der der Schlüssel auf Ihrem Blatt gehört. Bewahren Sie das Blatt auf, bis Sie alles in eine eigene Wallet übertragen haben.
mistyped = In diesem Link ist ein Fehler
mistyped-1 = Ein Buchstabe oder eine Ziffer der Adresse ist anders als gedruckt, oder es fehlt etwas. Nichts ist verloren.
mistyped-2 = Bitte vergleichen Sie sie ab 0x mit Ihrem Blatt, oder scannen Sie den Code auf der Vorderseite des Blattes.
rewritten = Dieser Link wurde unterwegs verändert
rewritten-1 = Ein Mailprogramm oder ein Filter hat Zeichen darin verändert. Nichts ist verloren: Das Geschenk ist sicher, wo es ist.
rewritten-2 = Machen Sie in der Adresszeile aus %23 wieder # und aus %3F wieder ?. Oder öffnen Sie den Link, wie Sie ihn bekommen haben, in einem anderen Mailprogramm oder Browser.

## The letter, the calendar and sharing

letter-label = Persönliche Nachricht
letter-from = Von { $name }
letter-unchecked = Namen und Nachricht stammen von der Person, die diesen Link erstellt hat. Niemand hat sie geprüft.
letter-ask = Kennen Sie { $name }? Rufen Sie unter einer Nummer an, die Sie schon haben, und fragen Sie, ob dieses Geschenk von dort kommt.
letter-damaged = Die Nachricht kam nicht vollständig an
letter-damaged-1 = Ein Teil des Links ist unterwegs verloren gegangen, deshalb ist die persönliche Nachricht nicht lesbar. Das Geschenk selbst ist sicher und lässt sich trotzdem öffnen. Bitten Sie die Person, von der Sie den Link haben, Ihnen den ganzen Link noch einmal zu schicken.
calendar-add = Tag im Kalender eintragen
calendar-title = Ihr Geschenk öffnet sich
out-cannot-print = Dieser Browser kann nicht drucken: Es hat sich kein Druckfenster geöffnet. Browser in Wallet-Apps können es meist nicht.
out-saved = Die Datei müsste jetzt bei Ihren Downloads liegen. Ist sie nicht da? Dann kann dieser Browser keine Dateien speichern. Browser in Wallet-Apps können es meist nicht.
out-share = Teilen
out-not-shared = Es wurde nicht geteilt.
out-elsewhere = Öffnen Sie diese Seite in einem anderen Browser, zum Beispiel Safari oder Chrome. Die Adresse dieser Seite:
out-copy = Adresse kopieren
out-copied = Die Adresse ist kopiert.
out-not-copied = Ihr Browser hat das nicht erlaubt. Kopieren Sie die Adresse von hier.
calendar-way-out = Sie können sich den Tag auch aufschreiben: Er steht auf dieser Seite.
opens-in = Noch { $days }, { $hours } und { $minutes }, dann öffnet es sich.
day-has-come = Der Tag ist da. Einen Moment…
share = Nachricht teilen oder verbergen
share-words = Wer den Link hat, kann dieses Geschenk sehen; der Link allein öffnet es nicht. Die persönliche Nachricht ist ein Teil des Links in Ihrer Adresszeile. Nehmen Sie sie dort heraus, bevor Sie diese Seite teilen oder anderen zeigen. Beim nächsten Laden der Seite ist sie dann weg; bewahren Sie also zuerst den ganzen Link für sich auf.
share-copy-whole = Ganzen Link kopieren
share-copied-whole = Der ganze Link ist kopiert.
share-copy-bare = Link ohne Nachricht kopieren
share-copied-bare = Der Link ohne die Nachricht ist kopiert.
share-take-out = Nachricht herausnehmen
share-taken-out = Die Nachricht steht nicht mehr in der Adresszeile. Den Link dort können Sie jetzt ohne sie teilen.
share-not-allowed = Ihr Browser hat das nicht erlaubt. Kopieren Sie den Link aus der Adresszeile.

## The ways to open it

try-again = Noch einmal versuchen
one-moment = Einen Moment…
looking-for-way = Ein Weg zum Öffnen wird gesucht…
open-your-gift = Geschenk öffnen
costs-nothing = Es kostet Sie nichts: Die Netzwerkgebühr wird für Sie bezahlt.
way-paper = Mit dem Schlüssel auf meinem Blatt
way-email = Mit einem Code an meine E-Mail
way-wallet = Mit meiner eigenen Wallet
no-codes = Im Moment können keine Codes gesendet werden. Bitte versuchen Sie es später noch einmal.
stays-where = Nichts ist verloren: Ihr Geschenk bleibt, wo es ist.
stays-self-paid = Nichts ist verloren: Ihr Geschenk bleibt, wo es ist. Bis dahin kann es nur eine Wallet öffnen, die die Gebühr selbst zahlt.
look-again = Noch einmal nachsehen
wallet-signs = Ihre Wallet unterschreibt…
open-my-gift = Mein Geschenk öffnen

## With the printed key

paper-words = Falten Sie Ihr Blatt auf: Der Schlüssel steht auf dem weißen Feld. Er bleibt auf diesem Gerät und wird nie an jemanden gesendet. Mit ihm wird hier unterschrieben, und gleich danach ist er vergessen.
paper-legend = Der Schlüssel, wie er gedruckt ist: 16 Gruppen zu je 4 Zeichen
paper-group = Gruppe { $number } von { $groups }
paper-typed-wrong = Das ist nicht der Schlüssel zu diesem Geschenk. Bitte vergleichen Sie jede Gruppe mit Ihrem Blatt: Ein Buchstabe oder eine Ziffer ist anders.
paper-scanned-wrong = Das ist nicht der Schlüssel zu diesem Geschenk. Ist es das Blatt zu einem anderen Geschenk?
paper-no-key = Dieser Code ist nicht der Schlüssel. Scannen Sie den Code auf dem weißen Feld, im Inneren des gefalteten Blattes.
paper-bad-letter = Gruppe { $number } enthält ein Zeichen, das in keinem Schlüssel vorkommt: nur 0 bis 9 und a bis f.
paper-too-short = Gruppe { $number } braucht 4 Zeichen.
camera-scan-key = Mit der Kamera scannen
camera-picture = Bild der Kamera
camera-hold = Halten Sie den viereckigen Code vom weißen Feld vor die Kamera.
camera-stop = Kamera ausschalten
camera-unusable-key = Die Kamera lässt sich hier nicht benutzen. Bitte tippen Sie den Schlüssel ein.
camera-or-type = oder eintippen

## With the email address

email-words = Dieses Geschenk wurde für eine E-Mail-Adresse versiegelt. Geben Sie sie ein, und der Anmeldedienst sendet einen Code dorthin. Weder die Adresse noch der Code kommt zu uns.
email-label = Ihre E-Mail-Adresse
email-send-code = Code senden
email-none = Das ist keine E-Mail-Adresse. Bitte prüfen Sie sie.
code-words = Ein Code ist unterwegs an { $email }. Geben Sie ihn hier ein, und sagen Sie ihn niemandem.
code-words-reloaded = Ein Code ist unterwegs an Ihre Adresse. Geben Sie ihn hier ein, und sagen Sie ihn niemandem.
code-label = Der Code aus der E-Mail
code-none = Bitte geben Sie den Code aus der E-Mail ein.
code-another = Neuen Code senden
code-another-reloaded = Neuen Code anfordern
email-another = Andere Adresse verwenden
code-wrong = Dieser Code passt nicht, oder er gilt nicht mehr. Nehmen Sie die neueste E-Mail, oder fordern Sie einen neuen Code an.
email-wrong = Diese Adresse öffnet dieses Geschenk nicht. Vielleicht wurde es für eine andere Adresse von Ihnen versiegelt.
code-too-many = Das wurde zu oft versucht. Bitte warten Sie ein paar Minuten, und fordern Sie dann einen neuen Code an.
provider-away = Der Anmeldedienst antwortet gerade nicht. Nichts ist verloren: Bitte versuchen Sie es bald noch einmal.

## With a wallet

wallet-sealed-for = Dieses Geschenk wurde für das Konto { $account } versiegelt. Ihre Wallet bittet Sie um Ihre Zustimmung; nach einem Schlüssel wird sie nie gefragt.
wallet-self-paid-works = Die Gebühr selbst zu zahlen, geht immer.
wallet-none = In diesem Browser wurde keine Wallet gefunden. Am Handy öffnen Sie diesen Link im Browser Ihrer Wallet-App; am Computer nehmen Sie den Browser, in dem Ihre Wallet ist.
wallet-lost = Eine neue Wallet hilft nicht: Nur { $account } öffnet das Geschenk. Wenn Sie diese Wallet verloren haben, suchen Sie ihre Wiederherstellungsphrase, und sagen Sie die niemandem. Wenn Sie diese Wallet nicht kennen, fragen Sie die Person, von der Sie das Geschenk haben.
wallet-apps = Haben Sie auf diesem Handy eine Wallet-App? Öffnen Sie diese Seite darin:
wallet-apps-letter = Die persönliche Nachricht bleibt hier und geht nicht mit, denn die Hersteller dieser Apps könnten sie lesen. Um sie auch dort zu sehen, kopieren Sie weiter unten den ganzen Link und fügen Sie ihn im Browser der App ein.
wallet-keep-weth = Wrapped Ether (WETH) statt ETH erhalten
wallet-keep-token = { $symbol } statt ETH erhalten
wallet-keep-tokens = Die Token selbst statt ETH erhalten
wallet-busy = Eine Wallet fragt Sie noch etwas. Antworten Sie dort, oder laden Sie diese Seite neu, um eine andere zu wählen.
wallet-asks = { $wallet } fragt Sie jetzt. Wenn Sie kein Fenster davon sehen, öffnen Sie es selbst.
wallet-pay-fee = Gebühr selbst zahlen
wallet-pay-fee-with = Gebühr selbst zahlen mit { $wallet }
wallet-open-free = Kostenlos öffnen mit { $wallet }
wallet-of-browser = Browser-Wallet
wallet-no-account = { $wallet } benutzt kein Konto, aber dieses Geschenk wurde für { $recipient } versiegelt. Wählen Sie dieses Konto in Ihrer Wallet, und versuchen Sie es noch einmal.
wallet-other-account = { $wallet } benutzt das Konto { $account }, aber dieses Geschenk wurde für { $recipient } versiegelt. Wählen Sie dieses andere Konto in Ihrer Wallet, und versuchen Sie es noch einmal.
wallet-names-none = { $wallet } nennt kein Konto. Bitte geben Sie stattdessen die Adresse ein.
wallet-choose-network = Wählen Sie das Netzwerk { $network } in { $wallet }, und versuchen Sie es noch einmal.
wallet-unknown-network = { $wallet } kennt das Netzwerk dieses Geschenks noch nicht. Fügen Sie es in den Einstellungen von { $wallet } bei den Netzwerken hinzu: { $network }, Chain-ID { $number }, Währung ETH. Versuchen Sie es dann noch einmal.
wallet-other-network = Dieses Geschenk ist auf einem anderen Netzwerk als Ihre Wallet. Wählen Sie das Netzwerk { $network } in { $wallet }, und versuchen Sie es noch einmal.
wallet-wrong-recipient = Dieses Geschenk wurde für ein anderes Konto versiegelt. Wählen Sie dieses Konto in Ihrer Wallet, und versuchen Sie es noch einmal.
wallet-empty-gift = In diesem Geschenk ist nichts mehr.
wallet-declined = Sie haben in { $wallet } abgelehnt. Es ist nichts geschehen.
wallet-pending = { $wallet } fragt Sie schon etwas. Antworten Sie dort zuerst.
wallet-no-ether = In Ihrer Wallet ist nicht genug ETH für die Netzwerkgebühr. Der Weg ohne Gebühr geht, wo er angeboten wird.
wallet-failed = Das ging mit { $wallet } nicht. Es ist nichts geschehen: Bitte versuchen Sie es noch einmal.
wallet-look = Bitte sehen Sie in Ihrer Wallet nach
wallet-silent = Es ist unterwegs, aber gerade antwortet niemand. Es wird noch einmal nachgefragt…
wallet-still = Es ist unterwegs, soweit diese Seite weiß. Wenn Sie es in Ihrer Wallet gestoppt haben, können Sie neu beginnen; nichts kann zweimal geöffnet werden.
wallet-was-asked = Ihre Wallet wurde gefragt, bevor diese Seite neu geladen wurde. Wenn Sie dort zugestimmt haben, ist Ihr Geschenk unterwegs; wenn nicht, beginnen Sie neu. Nichts kann zweimal geöffnet werden.
start-again = Neu beginnen

## Where it lands

destination = Wohin soll es gehen?
destination-own = In eine eigene Wallet
destination-own-words = Es kommt sofort dort an, und Sie zahlen keine Gebühr.
destination-none = Keine Wallet? Wählen Sie unten „{ $keep }“.
destination-label = Die Adresse Ihrer Wallet
destination-look = Adresse prüfen
destination-scan = Code mit der Kamera scannen
destination-no-camera = Die Kamera lässt sich hier nicht benutzen. Bitte geben Sie stattdessen die Adresse ein.
destination-use-wallet = { $wallet } verwenden
destination-gift-wallet = In die Geschenk-Wallet
destination-kept-paper = Es bleibt beim Schlüssel auf Ihrem Blatt. Um es später gegen eine Netzwerkgebühr zu übertragen, lassen Sie sich von jemandem helfen, dem Sie ganz vertrauen: Der Schlüssel kommt dann einmal in Ihre eigene Wallet-App, und sonst nirgendwohin.
destination-kept-email = Es bleibt in der Wallet Ihrer E-Mail-Adresse. Um es später zu übertragen, melden Sie sich in einer App der Betreiber von { $site } bei dieser Wallet an und zahlen eine Netzwerkgebühr; keine andere Wallet-App öffnet sie.
destination-keep = In der Geschenk-Wallet lassen
destination-confirm = Ist das Ihre Wallet?
destination-compare = Vergleichen Sie jedes Zeichen mit der Adresse, die Ihre Wallet-App zeigt. Manche Programme vertauschen eine Adresse beim Kopieren.
destination-unchecked = Diese Adresse hat keine Prüfbuchstaben: Ein Fehler darin würde nicht auffallen.
destination-final = Was in einer falschen Wallet landet, lässt sich nicht zurückholen.
destination-yes = Ja, dorthin senden
destination-another = Eine andere verwenden
destination-no-address = Das ist keine Wallet-Adresse. Sie beginnt mit 0x, danach folgen 40 Buchstaben und Ziffern.
destination-other-network = Dieser Code ist für ein anderes Netzwerk. Bitte verwenden Sie eine Adresse für das Netzwerk dieses Geschenks.
destination-mistake = Ein Buchstabe oder eine Ziffer dieser Adresse ist falsch. Bitte kopieren Sie sie noch einmal.
destination-nobody = Zu dieser Adresse hat niemand den Schlüssel: Was dorthin gesendet wird, ist verloren.
destination-contract = Das ist die Adresse eines Vertrags, nicht einer Wallet: Was dorthin gesendet wird, ist verloren.
destination-bare-contract = Unter dieser Adresse ist ein Programm, das nicht sagt, dass es eine Wallet ist. Wenn niemand es als Wallet benutzen kann, ist für immer verloren, was dorthin gesendet wird.
destination-same = Das ist die Geschenk-Wallet selbst. Wenn Sie das Geschenk darin lassen möchten, wählen Sie das weiter unten.

## On its way

on-its-way = Ihr Geschenk ist unterwegs
step-signed = Auf diesem Gerät unterschrieben
step-handed = Dem Netzwerk übergeben
step-confirmed = Vom Netzwerk bestätigt
sending-signature = Ihre Unterschrift wird gesendet…
looking-where = Es wird nachgesehen, wo Ihr Geschenk ist…
service-silent = Der Dienst antwortet gerade nicht; es wird noch einmal nachgefragt…
now-arrived = Ihre Unterschrift ist angekommen. Sie wird an das Netzwerk gesendet…
now-predecessor = Ein anderes Geschenk von Ihnen kommt zuerst. Dieses folgt von selbst…
now-sending = Es wird an das Netzwerk gesendet…
now-broadcast = Es ist unterwegs. Das Netzwerk braucht meist weniger als eine Minute…
now-mined = Ihr Geschenk ist angekommen! Das Netzwerk macht es gerade endgültig…
now-failed = Das Netzwerk hat die Transaktion abgelehnt. Das wird gerade endgültig, was etwa eine Viertelstunde dauert. Danach können Sie es noch einmal versuchen.
why-fees = Das Netzwerk ist sehr ausgelastet, und die Gebühren sind gerade hoch. Ihr Geschenk geht weiter, sobald sie sinken.
why-balance = Die Wallet des Dienstes, die die Netzwerkgebühr zahlt, muss erst aufgefüllt werden. Dann geht Ihr Geschenk von selbst weiter.
why-daily-cap = Das heutige Budget für Netzwerkgebühren ist gerade ausgeschöpft. Ihr Geschenk geht von selbst weiter, sobald wieder Platz ist.
why-chain = Das Netzwerk antwortet gerade nicht. Sobald es antwortet, geht Ihr Geschenk von selbst weiter.
why-earlier = Andere Geschenke gehen vor Ihrem an das Netzwerk. Es folgt von selbst.
why-paused = Die Netzwerkgebühren werden im Moment nicht bezahlt. Nach dieser Pause geht Ihr Geschenk von selbst weiter.
why-would-fail = Das Netzwerk würde das gerade ablehnen. Es wird von selbst noch einmal versucht.
meanwhile = Sie können diese Seite offen lassen oder später wiederkommen. Nach einer Stunde werden Sie gebeten, es noch einmal zu öffnen.
choose-another-way = Anderen Weg wählen
see-transaction = Transaktion { $hash } ansehen
transaction = Transaktion { $hash }
not-yet = Das hat noch nicht geklappt
see-what-works = Sehen, was jetzt geht
nothing-sent = Es wurde nichts gesendet: Das Geschenk ist noch da.
trouble-reverted = Das Netzwerk hat die Transaktion abgelehnt. Nichts wurde bewegt: Das Geschenk ist noch da.
trouble-refused = Das Netzwerk hat die Transaktion abgelehnt. Das Geschenk ist noch da.
trouble-expired = Es konnte nicht rechtzeitig gesendet werden, also wurde nichts bewegt. Das Geschenk ist noch da: Bitte versuchen Sie es noch einmal.
trouble-superseded = Für diese Wallet wurde vorher etwas anderes gesendet. Das Geschenk ist vielleicht noch da: Bitte sehen Sie noch einmal nach.
trouble-cancelled = Das wurde von der Wallet abgebrochen, für die es ist. Das Geschenk ist noch da.
trouble-unknown = Es ist beendet, aber ohne Ihr Geschenk: Bitte sehen Sie noch einmal nach.

## Received

you-opened = Sie haben dieses Geschenk geöffnet.
it-is-yours = Es gehört Ihnen
arrived-at = Angekommen bei { $account }: { $gift }.
was-paid-out = Ausgezahlt: { $gift }.
received-paper = Es ist jetzt in der Wallet, zu der der Schlüssel auf Ihrem Blatt gehört: Bewahren Sie das Blatt sicher auf. Um das Geschenk weiter zu übertragen, lassen Sie sich von jemandem helfen, dem Sie ganz vertrauen: Der Schlüssel kommt dann einmal in Ihre eigene Wallet-App, und sonst nirgendwohin.
received-email = Es ist jetzt in der Wallet Ihrer E-Mail-Adresse, die der Anmeldedienst Turnkey für Sie verwahrt. Wer Ihre E-Mails lesen kann, kann diese Wallet benutzen; halten Sie Ihr Postfach also sicher. Diese Seite öffnet nur Geschenke. Um es weiter zu übertragen, melden Sie sich in einer App der Betreiber von { $site } bei dieser Wallet an; keine andere Wallet-App öffnet sie. Fragen Sie dort, wo das geht, und sagen Sie niemals jemandem einen Code aus Ihren E-Mails.
received-wallet = Es ist jetzt in Ihrer Wallet.
received-own = Es ist in der Wallet, die Sie genannt haben. Die Geschenk-Wallet brauchen Sie nicht mehr.
received-either = Bitte sehen Sie in der Wallet nach, die Sie genannt haben, und in der Geschenk-Wallet: In einer von beiden ist es.
fee-from-gift = Es später zu übertragen, kostet eine kleine Netzwerkgebühr. Sie wird aus dem ETH bezahlt, das angekommen ist.
fee-needs-ether = Das Öffnen war kostenlos. Nur es später weiter zu übertragen, kostet eine kleine Netzwerkgebühr in ETH. Zahlen Sie niemandem etwas, der Ihnen deswegen schreibt: Fragen Sie jemanden in Ihrer Familie.

## Why something did not work

no-fee-spent = Das heutige Budget für die Netzwerkgebühren von Geschenken ist aufgebraucht. Um { $time } Uhr gibt es ein neues.
no-fee-reserved = Das heutige Budget für die Netzwerkgebühren von Geschenken ist für die reserviert, die schon unterwegs sind. Bitte versuchen Sie es in zwanzig Minuten noch einmal.
no-fee-here = Die Netzwerkgebühr wird hier nicht für die beschenkte Person bezahlt.
no-fee-paused = Im Moment wird die Netzwerkgebühr nicht für Sie bezahlt. Bitte versuchen Sie es später noch einmal.
no-fee-unknown = Ob die Netzwerkgebühr für Sie bezahlt werden kann, lässt sich im Moment nicht sagen. Bitte versuchen Sie es in ein paar Minuten noch einmal.
locked = Nach der Uhr des Netzwerks ist das Geschenk noch verschlossen. Bitte versuchen Sie es in einer Minute noch einmal.
already-opened = Dieses Geschenk wurde schon geöffnet.
too-late = Bis zum Senden hat es zu lange gedauert. Es ist nichts geschehen: Bitte versuchen Sie es noch einmal.
signer-paused = Eine Auszahlung dieser Wallet ist heute im Netzwerk fehlgeschlagen: Bis morgen werden für sie keine Gebühren mehr bezahlt.
nonce-mismatch = Ein anderes Geschenk dieser Wallet ist unterwegs, oder dieses ist es schon. Bitte warten Sie eine Minute, und versuchen Sie es dann noch einmal.
already-used = Das wurde schon gesendet. Bitte versuchen Sie es noch einmal: Die Seite sieht dann nach, wo das Geschenk ist.
signer-mismatch = Die Unterschrift wird nicht als die der Wallet anerkannt, für die dieses Geschenk versiegelt wurde. Es ist nichts geschehen. Mit einer Smart Wallet können Sie die Gebühr selbst zahlen.
gift-not-found = Das Geschenk wird nicht mehr gefunden. Bitte laden Sie die Seite neu.
chain-unavailable = Das Netzwerk ist im Moment nicht erreichbar. Nichts ist verloren: Bitte versuchen Sie es in ein paar Minuten noch einmal.
would-fail = Das Netzwerk würde das gerade ablehnen, oder es kostet mehr, als hier bezahlt wird. Deshalb wurde es nicht gesendet. Bitte versuchen Sie es später noch einmal. Mit einer Smart Wallet können Sie die Gebühr selbst zahlen.
problem-request = Der Dienst konnte nicht verwenden, was diese Seite gesendet hat. Es ist nichts geschehen: Bitte laden Sie die Seite neu, und versuchen Sie es noch einmal.
problem-service = Der Dienst hat im Moment eine Störung. Nichts ist verloren: Bitte versuchen Sie es in ein paar Minuten noch einmal.
problem-destination = An diese Adresse kann das Geschenk nicht gesendet werden. Es ist nichts geschehen: Bitte versuchen Sie es mit einer anderen Wallet von Ihnen noch einmal.
problem-no-destination = Dieses Geschenk kann nur in der Geschenk-Wallet landen. Es ist nichts geschehen: Bitte laden Sie die Seite neu, und öffnen Sie es noch einmal.
problem-not-opened-here = Was in diesem Geschenk ist, kann diese Seite nicht öffnen. Nichts ist verloren: Bitte fragen Sie die Person, von der Sie es haben, wie es sich öffnen lässt.
problem-unknown = Der Dienst hat das abgelehnt, aus einem Grund, den diese Seite nicht kennt: { $code }. Bitte laden Sie die Seite neu, und versuchen Sie es noch einmal. Wenn es wieder geschieht, nennen Sie dieses Wort der Person, die Ihnen hilft.
too-often = Das wurde zu oft versucht. Bitte warten Sie { $wait }, und versuchen Sie es dann noch einmal.
service-away = Der Dienst antwortet nicht. Sind Sie mit dem Internet verbunden? Nichts ist verloren: Bitte versuchen Sie es bald noch einmal.
went-wrong = Auf dieser Seite ist etwas schiefgegangen. Dem Geschenk ist nichts geschehen: Bitte laden Sie die Seite neu, und versuchen Sie es noch einmal.
