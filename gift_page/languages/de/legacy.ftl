## The legacy and its state

legacy = Ein Vermächtnis
legacy-opens-on = Ansprüche können ab { $moment } eingelöst werden.
legacy-moves = Jedes Lebenszeichen der Person, der es gehört, verschiebt diesen Tag nach hinten.
legacy-open-since = Ansprüche können seit { $moment } eingelöst werden.
legacy-closes-again = Solange niemand einen Anspruch eingelöst hat, sperrt ein Lebenszeichen der Person, der es gehört, das Einlösen wieder.
legacy-claimed-on = Der erste Anspruch wurde am { $moment } eingelöst.
legacy-rest = Alle, die darin genannt sind, können weiterhin einlösen, was für sie noch da ist.
legacy-handed-over = Die gemeinsame Wallet hat seitdem neue Unterzeichner.
legacy-ended = Die Person, der es gehörte, hat dieses Vermächtnis beendet: Es gibt nichts einzulösen und nichts zu tun.
legacy-no-day = Es nennt keinen Tag, den diese Seite zeigen kann.
legacy-second-line = Die zweite Reihe kann Ansprüche einlösen ab
legacy-third-line = Die dritte Reihe kann Ansprüche einlösen ab
legacy-details = Über dieses Vermächtnis
legacy-purpose = Ein Vermächtnis ist ein Plan für die Menschen, die jemandem am Herzen liegen. Gibt die Person, der es gehört, lange kein Lebenszeichen, können die im Plan genannten Menschen einlösen, was ihnen zugedacht ist.
legacy-purpose-safe = Ein Vermächtnis ist ein Plan für die Menschen, die jemandem am Herzen liegen. Dieses gehört zu einer gemeinsamen Wallet, einem Safe. Wird die Wallet lange nicht benutzt, können die im Plan genannten Menschen sie übernehmen.
legacy-contract = Vertrag
legacy-router = Angelegt von
legacy-public = Diese Seite zeigt, was alle im Netzwerk lesen können. Sie nennt niemanden.

## No legacy is shown

no-legacy = Hier ist kein Vermächtnis
no-legacy-1 = Bitte prüfen Sie den Link.
no-legacy-2 = Ein Vermächtnis, das in dieser Minute angelegt wurde, braucht vielleicht noch einen Moment.
legacy-not-now = Dieses Vermächtnis kann gerade nicht gezeigt werden
legacy-not-now-1 = Nichts ist verloren: Es ist sicher, wo es ist. Bitte versuchen Sie es bald noch einmal.
legacy-too-many = Bitte warten Sie einen Moment
legacy-too-many-1 = Sehr viele Menschen haben in dieser Minute von Ihrem Netz aus angefragt.
legacy-too-many-2 = Nichts ist verloren: Bitte laden Sie diese Seite in einer Minute neu.
legacy-several = Mehrere Vermächtnisse haben diese Nummer
legacy-several-1 = Welches suchen Sie? Die Adresse seines Vertrags steht in Ihren E-Mails darüber.

## Connecting a wallet

legacy-connect = Gehört es Ihnen, oder sind Sie darin genannt?
legacy-connect-words = Verbinden Sie Ihre Wallet, dann sieht diese Seite im Netzwerk nach. Dabei wird nichts unterschrieben und nichts bezahlt.
legacy-connect-wallet = { $wallet } verbinden
# The account follows in { $account }.
legacy-connected = Verbunden: { $account }
legacy-other-wallet = Eine andere Wallet verwenden
legacy-not-this-wallet = Das ist nicht die richtige Wallet
legacy-not-named = Diese Wallet ist in diesem Vermächtnis nicht genannt.
# { $ending } is the end of an address, as "…1a2b".
legacy-wallet-ends = Diese Wallet ist in diesem Vermächtnis nicht genannt. Nach Ihrer E-Mail endet die richtige auf { $ending }.
legacy-find-wallet = Wählen Sie in Ihrer Wallet ein anderes Konto, oder nehmen Sie eine andere Wallet. Geben Sie nie eine Wiederherstellungsphrase auf einer Webseite ein, auch auf dieser nicht.

## The owner

legacy-yours = Dieses Vermächtnis gehört Ihnen
legacy-yours-claimed = Ein Anspruch wurde schon eingelöst. Ein Lebenszeichen ändert daran nichts mehr.
legacy-well-words = Geht es Ihnen gut? Sagen Sie es, dann können Ansprüche erst ab { $moment } eingelöst werden.
legacy-well-no-day = Geht es Ihnen gut? Sagen Sie es. Einen Tag kann diese Seite für dieses Vermächtnis nicht nennen.
legacy-well = Mir geht es gut
legacy-well-own = Mir geht es gut, und ich zahle die Netzwerkgebühr
legacy-well-free = Es kostet Sie nichts: Sie unterschreiben, und die Netzwerkgebühr wird für Sie bezahlt.
legacy-wallet-names = Beim Unterschreiben nennt Ihre Wallet den Vertrag „{ $contract }“ und verlangt keine Zahlung.
legacy-well-safe = Das ist eine gemeinsame Wallet: Jede Transaktion von ihr ist ein Lebenszeichen. Diese sendet nichts, an die Wallet selbst.
legacy-needs-premium = Die Netzwerkgebühr eines Lebenszeichens wird mit Premium bezahlt.
legacy-fee-is-yours = Sie können es mit einer eigenen Transaktion tun, für die Netzwerkgebühr.
# The day while it is not final.
legacy-new-day = Der neue Tag: { $moment }. Er wird gerade endgültig.
legacy-moving-to = Ansprüche können ab { $moment } eingelöst werden. Das wird gerade endgültig.
legacy-well-under-way = Ihr Lebenszeichen ist unterwegs
legacy-well-done = Ihr Lebenszeichen ist angekommen
legacy-day-final = Der neue Tag ist { $moment }. Er ist endgültig.
legacy-well-final = Ihr Lebenszeichen ist endgültig.
legacy-papers = Für Ihre Unterlagen
legacy-papers-words = Eine Karte für die Menschen, die Sie genannt haben, und ein Deckblatt für die Akte bei Ihrer Anwältin oder Ihrem Notar. Beide Blätter sagen, wo dieses Vermächtnis liegt und wie ein Anspruch eingelöst wird. Keines nennt Sie oder jemand anderen.
legacy-papers-show = Beide Blätter zeigen
legacy-papers-way-out = Sie können auch ein Bild vom Bildschirm machen.

## A person who is named

legacy-named = Sie sind in diesem Vermächtnis genannt
legacy-named-from = Mit dieser Wallet können Sie Ihren Anspruch ab { $moment } einlösen.
legacy-day-moves = Jedes Lebenszeichen der Person, der es gehört, verschiebt diesen Tag. Bis dahin ist nichts zu tun.
legacy-calendar-title = Ansprüche aus einem Vermächtnis können eingelöst werden
legacy-what-words = Sie können Ihren Anspruch jetzt einlösen. Sehen Sie zuerst, was Sie bekämen: Dabei wird nichts unterschrieben.
legacy-day-unknown = Diese Seite kennt keinen Tag, ab dem Sie Ihren Anspruch einlösen können. Sie können es jetzt versuchen.
legacy-what = Was bekäme ich?
legacy-looking = Einen Moment: Das Einlösen wird ausprobiert, ohne dass es geschieht…
legacy-would-get = Sie bekämen
legacy-after-fees = Das käme in Ihrer Wallet an, nach allen Gebühren, nach dem Stand von jetzt.
legacy-has-more = In diesem Vermächtnis ist noch mehr, das jetzt nicht eingelöst werden kann, oder nicht zusammen damit.
legacy-nothing = Das Einlösen brächte Ihnen im Moment nichts.
legacy-claim-free-words = Das Einlösen kostet Sie nichts: Sie unterschreiben, und die Netzwerkgebühr wird für Sie bezahlt. Bezahlen Sie nie jemanden dafür, dass Sie einlösen dürfen.
legacy-claim-free = Kostenlos einlösen
legacy-claim-own = Einlösen und die Netzwerkgebühr selbst zahlen
legacy-no-free-claims = Für dieses Vermächtnis wird die Netzwerkgebühr nicht für Sie bezahlt.
legacy-take-over-words = Sie können die gemeinsame Wallet jetzt übernehmen, zusammen mit den anderen, die genannt sind. Dazu brauchen Sie eine eigene Transaktion, für die Netzwerkgebühr.
legacy-take-over = Die gemeinsame Wallet übernehmen
legacy-claim-under-way = Ihr Anspruch ist unterwegs
legacy-step-final = Endgültig
legacy-takeover-done = Die gemeinsame Wallet hat neue Unterzeichner
legacy-taken-over = Sie und die anderen, die genannt waren, können jetzt für sie unterschreiben.
legacy-you-claimed = Sie haben Ihren Anspruch eingelöst.
legacy-choose-again = Nicht warten und neu wählen

## A signer of a Safe

legacy-safe = Sie unterzeichnen für einen Safe
# The account follows in { $account }.
legacy-safe-signer = Sie unterzeichnen für die gemeinsame Wallet { $account }, um die es in diesem Vermächtnis geht.
legacy-safe-well = Jede Transaktion dieses Safes ist ein Lebenszeichen. Diese genügt, und sie bewegt nichts:
legacy-safe-check-in = Dieses Vermächtnis gehört diesem Safe. Sein Lebenszeichen ist diese Transaktion, die nichts bewegt:
legacy-safe-claim = Dieser Safe ist in dem Vermächtnis genannt. Mit dieser Transaktion kann er seinen Anspruch einlösen:
legacy-safe-from = Dieser Safe ist in dem Vermächtnis genannt. Er kann seinen Anspruch ab { $moment } einlösen.
legacy-safe-how = Wählen Sie in Safe „New transaction“, dann „Transaction Builder“, schalten Sie „Custom data“ ein, und füllen Sie diese drei Zeilen aus. Die anderen Unterzeichner stimmen auch dort zu.
legacy-safe-to = To address
legacy-safe-value = ETH value
legacy-safe-data = Data (hex)
legacy-safe-copy = Die drei Zeilen kopieren
legacy-safe-copied = Die drei Zeilen sind kopiert.
legacy-safe-not-copied = Ihr Browser hat das nicht erlaubt. Kopieren Sie die Zeilen von hier.

## Why something did not work

legacy-not-known = Dieses Vermächtnis wird nicht mehr gefunden. Bitte laden Sie die Seite neu.
legacy-over = Aus diesem Vermächtnis wurde inzwischen eingelöst, oder es wurde beendet. Bitte laden Sie die Seite neu.
legacy-not-open = Es ist noch nicht offen: Die Person, der es gehört, ist noch aktiv. Bitte laden Sie die Seite neu, um den Tag zu sehen.
legacy-not-claimable = Im Moment kann hier nichts eingelöst werden. Bitte laden Sie die Seite neu, um zu sehen, warum.

## Said otherwise than of a gift

wallet-unknown-network = { $wallet } kennt das Netzwerk dieses Vermächtnisses noch nicht. Fügen Sie es in den Einstellungen von { $wallet } bei den Netzwerken hinzu: { $network }, Chain-ID { $number }, Währung ETH. Versuchen Sie es dann noch einmal.
wallet-other-network = Dieses Vermächtnis ist auf einem anderen Netzwerk als Ihre Wallet. Wählen Sie das Netzwerk { $network } in { $wallet }, und versuchen Sie es noch einmal.
wallet-no-ether = In Ihrer Wallet ist nicht genug ETH für die Netzwerkgebühr.
now-predecessor = Etwas anderes von Ihnen kommt zuerst. Dies folgt von selbst…
now-mined = Das Netzwerk hat es angenommen. Es wird gerade endgültig; das dauert etwa eine Viertelstunde…
why-fees = Das Netzwerk ist sehr ausgelastet, und die Gebühren sind gerade hoch. Es geht weiter, sobald sie sinken.
why-balance = Die Wallet des Dienstes, die die Netzwerkgebühr zahlt, muss erst aufgefüllt werden. Dann geht es von selbst weiter.
why-daily-cap = Das heutige Budget für Netzwerkgebühren ist gerade ausgeschöpft. Es geht von selbst weiter, sobald wieder Platz ist.
why-chain = Das Netzwerk antwortet gerade nicht. Sobald es antwortet, geht es von selbst weiter.
why-paused = Die Netzwerkgebühren werden im Moment nicht bezahlt. Nach dieser Pause geht es von selbst weiter.
meanwhile = Sie können diese Seite offen lassen oder später wiederkommen.
trouble-reverted = Das Netzwerk hat die Transaktion abgelehnt. Nichts wurde bewegt.
trouble-refused = Das Netzwerk hat die Transaktion abgelehnt. Nichts wurde bewegt.
trouble-expired = Es konnte nicht rechtzeitig gesendet werden, also ist nichts geschehen. Bitte versuchen Sie es noch einmal.
trouble-superseded = Für diese Wallet wurde vorher etwas anderes gesendet. Bitte sehen Sie noch einmal nach.
trouble-cancelled = Das wurde von der Wallet abgebrochen, für die es ist. Nichts wurde bewegt.
trouble-unknown = Dieser Versuch ist beendet, und nichts wurde bewegt. Bitte sehen Sie noch einmal nach.
no-fee-spent = Das heutige Budget für Netzwerkgebühren ist aufgebraucht. Um { $time } Uhr gibt es ein neues.
no-fee-reserved = Das heutige Budget für Netzwerkgebühren ist für die reserviert, die schon unterwegs sind. Bitte versuchen Sie es in zwanzig Minuten noch einmal.
no-fee-here = Die Netzwerkgebühr wird hier nicht für Sie bezahlt.
no-fee-paused = Im Moment wird die Netzwerkgebühr nicht für Sie bezahlt.
no-fee-unknown = Ob die Netzwerkgebühr für Sie bezahlt werden kann, lässt sich im Moment nicht sagen.
signer-paused = Eine Transaktion dieser Wallet ist heute im Netzwerk fehlgeschlagen: Bis morgen werden für sie keine Gebühren mehr bezahlt. Mit einer eigenen Transaktion geht es trotzdem.
nonce-mismatch = Etwas anderes von dieser Wallet ist unterwegs, oder dies ist es schon. Bitte warten Sie eine Minute, und versuchen Sie es dann noch einmal.
already-used = Das wurde schon gesendet. Bitte laden Sie die Seite neu.
signer-mismatch = Diese Unterschrift ist nicht von der richtigen Wallet. Es ist nichts geschehen. Mit einer eigenen Transaktion geht es trotzdem.
would-fail = Das Netzwerk würde das gerade ablehnen, oder es kostet mehr, als hier bezahlt wird. Deshalb wurde es nicht gesendet. Bitte versuchen Sie es später noch einmal, oder mit einer eigenen Transaktion.
went-wrong = Auf dieser Seite ist etwas schiefgegangen. Dem Vermächtnis ist nichts geschehen: Bitte laden Sie die Seite neu, und versuchen Sie es noch einmal.
