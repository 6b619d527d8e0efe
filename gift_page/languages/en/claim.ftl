### What the page of a gift says: to its recipient, and to whoever opens a link that leads to no gift.
### { $wallet } is the name of a wallet program, { $gift } amounts as "0.1 ETH", { $moment } a day and a time.

## Greetings, by occasion

greeting-gift = A gift for you
greeting-birthday = Happy birthday
greeting-wedding = Congratulations on your wedding
greeting-anniversary = Happy anniversary
greeting-new-baby = Welcome, little one
greeting-graduation = Congratulations, graduate
greeting-bar-bat-mitzvah = Mazel tov
greeting-thank-you = Thank you
greeting-new-home = Welcome home
greeting-someday = For you, someday
greeting-valentine = With all my love
greeting-new-year = Happy New Year
greeting-christmas = Merry Christmas
greeting-hanukkah = Happy Hanukkah
greeting-eid = Eid Mubarak
greeting-diwali = Happy Diwali
greeting-easter = Happy Easter
greeting-lunar-new-year = Happy Lunar New Year
# The title of the page when the link names the recipient, as "Happy birthday, Ada".
greeting-to = { $greeting }, { $name }
card-subline = A sealed gift is waiting for you
card-opened = This gift has been opened

## The gift and its state

when-open = This gift can be opened now.
when-claimed = This gift has been opened: its recipient has received it.
opened-on = This gift was opened on { $moment }.
sealed-until = This gift is sealed until { $moment }.
inside = Inside
digital-money = This is digital money.
asset-paid-out = { $amount } (paid out in ETH)
asset-without-name = tokens
asset-base-units = { $units } base units of { $symbol }
the-gift = The gift
advice-link = Whoever has this link can see the gift. Only the wallet it was sealed for can open it.
advice-paper = Whoever has the printed sheet can open it. Keep it like cash: without it the gift is lost. Tell the key to nobody: no one who helps you needs to know it.
advice-email = It was sealed for your email address: whoever reads your emails can open it, and nobody else can. To open it you will be sent a code there; tell the code to nobody.
check-wallet = Please check now already that you still have this wallet: nobody can replace it, and neither can we.
check-paper = Please check now already that you still have the sheet: nobody can replace it, and neither can we.
check-email = Please check now already that you can still open this mailbox: nobody can replace it, and neither can we.
advice-email-moving = What is in it will arrive in a wallet of your email address, which the sign-in provider Turnkey keeps for you. From there it can be moved only in an app of the people who run { $site }: no other wallet app opens that wallet. Ask them where that is before you open the gift.
ask-us = Ask us: how to reach us is at the foot of this page.
claimed-paper = What was in it is in the wallet that the key on your sheet belongs to: keep the sheet until you have moved it to a wallet of your own.
claimed-email = What was in it is in the wallet of your email address, which the sign-in provider Turnkey keeps for you: only who reads your emails can use that wallet, so keep your mailbox safe. This page only opens gifts. To move it on, for a network fee in ETH, you sign in to that wallet in an app of the people who run { $site }: no other wallet app opens it. Ask them where that is, and never tell anybody a code from your emails.
claimed-paper-or-named = If you named a wallet when you opened the gift, what was in it went there. If you named none, it is in the wallet that the key on your sheet belongs to: keep the sheet until you have moved it to a wallet of your own.
claimed-email-or-named = If you named a wallet when you opened the gift, what was in it went there. If you named none, it is in the wallet of your email address, which the sign-in provider Turnkey keeps for you: only who reads your emails can use that wallet, so keep your mailbox safe. This page only opens gifts. To move it on, for a network fee in ETH, you sign in to that wallet in an app of the people who run { $site }: no other wallet app opens it. Ask them where that is, and never tell anybody a code from your emails.
seal-forward = Seal one forward
about-gift = About this gift
fact-sealed = Sealed
fact-opens = Opens
fact-opened = Opened
fact-sealed-for = Sealed for
fact-network = Network
fact-gift = Gift
# The contract's address follows.
gift-number = number { $number } of
letter-stays = A personal message, if there is one, is in the part of this link behind the # sign: it stays in your browser and is never sent to us.

## No gift is shown

no-gift = There is no gift here
no-gift-1 = Please check the link.
no-gift-2 = A gift that was sealed this minute may need a moment.
cut-off = This link is not whole
cut-off-1 = A part of it was lost, perhaps where it was copied. Nothing else is: the gift is safe where it is.
cut-off-2 = Please open the whole link, as it was given to you.
not-served = This gift is on another network
not-served-1 = The link names a network that this page does not know. Nothing is lost: the gift is safe where it is.
not-served-2 = Please check the link, or ask whoever gave it to you where it opens.
not-shown = This gift cannot be shown here
not-shown-1 = It holds something that this page does not know, or does not know any more. Nothing is lost: the gift is safe where it is.
not-shown-2 = Please ask whoever gave it to you how to open it.
not-now = The gift cannot be shown right now
not-now-1 = Nothing is lost: it is safe where it is. Please try again soon.
too-many = Please wait a moment
too-many-1 = Very many people have asked for gifts from your network in this minute.
too-many-2 = Nothing is lost: please load this page again in a minute.
none-for = No gift was found for this sheet
none-for-1 = If you typed the link, please compare it with your sheet: a letter or a number of it may differ.
none-for-2 = A gift that was sealed this minute may need a moment: please try again shortly.
not-shown-for = No gift that can be shown here was found
not-shown-for-1 = Something is sealed for this sheet that this page does not know, or does not know any more. Nothing is lost: it is safe where it is.
not-shown-for-2 = If you have not opened your gift yet, please ask whoever gave you the sheet how to open it.
not-shown-for-3 = If you have opened yours already, this is another gift, perhaps of a stranger. If you named a wallet then, your gift went there. If not, it is in the wallet that the key on your sheet belongs to: keep the sheet until you have moved it to a wallet of your own.
mistyped = This link has a mistake
mistyped-1 = A letter or a number of its address differs from what is printed, or one is missing. Nothing is lost.
mistyped-2 = Please compare it with your sheet, from the 0x on, or scan the code on the cover of the sheet.
rewritten = This link was changed on its way
rewritten-1 = A mail program or a filter changed the signs in it. Nothing is lost: the gift is safe where it is.
rewritten-2 = In the address bar, change %23 back to #, and %3F back to ?. Or open the link as it was given to you, in another mail program or browser.

## The letter, the calendar and sharing

letter-label = Personal message
letter-from = From { $name }
letter-unchecked = The names and the message come from whoever made this link. Nobody has checked them.
letter-ask = Do you know { $name }? Telephone, on a number you already have, and ask whether this gift is from them.
letter-damaged = The message did not arrive whole
letter-damaged-1 = Part of the link was lost on its way, so the personal message cannot be read. The gift itself is safe, and it can be opened all the same. Ask whoever sent it to send you the whole link once more.
calendar-add = Add the day to your calendar
calendar-title = A gift for you opens
out-cannot-print = This browser cannot print: no print dialog opened. Browsers inside wallet apps usually cannot.
out-saved = The file should now be among your downloads. Is it not there? Then this browser cannot save files. Browsers inside wallet apps usually cannot.
out-share = Share it
out-not-shared = It was not shared.
out-elsewhere = Open this page in another browser, such as Safari or Chrome. Its address:
out-copy = Copy the address
out-copied = The address is copied.
out-not-copied = Your browser did not allow that. Copy the address from here.
calendar-way-out = You can also write the day down: it stands on this page.
# { $days } is as "3 days", { $hours } as "4 hours", { $minutes } as "5 minutes".
opens-in = It opens in { $days }, { $hours } and { $minutes }.
day-has-come = The day has come. One moment…
share = Share or hide the message
share-words = Whoever has the link can see this gift, but the link alone does not open it. The personal message is part of the link in your address bar. Take it out there before you share this page or show it to others: it is then gone when the page is reloaded, so keep the whole link for yourself first.
share-copy-whole = Copy the whole link
share-copied-whole = The whole link is copied.
share-copy-bare = Copy the link without it
share-copied-bare = The link without the message is copied.
share-take-out = Take the message out
share-taken-out = The message is out of the address bar. The link there now can be shared without it.
share-not-allowed = Your browser did not allow that. Copy the link from the address bar.

## The ways to open it

try-again = Try again
one-moment = One moment…
looking-for-way = Looking for a way to open it…
open-your-gift = Open your gift
costs-nothing = It costs you nothing: the network fee is paid for you.
way-paper = With the key on my printed sheet
way-email = With a code sent to my email
way-wallet = With my own wallet
no-codes = Codes cannot be sent at the moment. Please try again later.
stays-where = Nothing is lost: your gift stays where it is.
stays-self-paid = Nothing is lost: your gift stays where it is. Until then only a wallet that pays the fee itself can open it.
look-again = Look again
wallet-signs = Your wallet signs…
open-my-gift = Open my gift

## With the printed key

paper-words = Unfold your sheet: the key is on its white panel. It stays on this device and is never sent to anybody; it signs here, and is forgotten at once.
paper-legend = The key, as it is printed: 16 groups of 4
paper-group = Group { $number } of { $groups }
paper-typed-wrong = This is not the key of this gift. Please compare each group with your sheet: a letter or a number differs.
paper-scanned-wrong = This is not the key of this gift. Is it the sheet of another gift?
paper-no-key = That code is not the key. Scan the one on the white panel, which is inside the folded sheet.
paper-bad-letter = Group { $number } has a letter that no key has: only 0 to 9 and a to f.
paper-too-short = Group { $number } needs 4 characters.
camera-scan-key = Scan it with the camera
camera-picture = Picture of the camera
camera-hold = Hold the square code of the white panel before the camera.
camera-stop = Stop the camera
camera-unusable-key = The camera cannot be used here. Please type the key instead.
camera-or-type = or type it

## With the email address

email-words = This gift was sealed for an email address. Type it, and the sign-in provider sends a code there: neither comes to us.
email-label = Your email address
email-send-code = Send me a code
email-none = This is no email address. Please check it.
code-words = A code is on its way to { $email }. Type it here, and tell it to nobody.
code-words-reloaded = A code is on its way to your address. Type it here, and tell it to nobody.
code-label = The code from the email
code-none = Please type the code from the email.
code-another = Send another code
code-another-reloaded = Have another code sent
email-another = Use another address
code-wrong = That code does not fit, or it is no longer valid. Use the newest email, or have another code sent.
email-wrong = This address does not open this gift. Perhaps it was sealed for another one of yours.
code-too-many = That was tried too often. Please wait a few minutes, then have another code sent.
provider-away = The sign-in provider does not answer right now. Nothing is lost: please try again soon.

## With a wallet

# The account stands between the two sentences.
wallet-sealed-for = This gift was sealed for the account { $account }. Your wallet asks you to agree; it is never asked for a key.
wallet-self-paid-works = Paying the fee yourself always works.
wallet-none = No wallet was found in this browser. On a phone, open this link in the browser inside your wallet app; on a computer, use the browser that has your wallet.
wallet-lost = A new wallet does not help: only { $account } opens it. If you lost it, look for its recovery phrase, and tell that to nobody. If you do not know this wallet, ask who gave you the gift.
wallet-apps = Do you have a wallet app on this phone? Open this page in it:
wallet-apps-letter = The personal message stays here and is not taken along, because the makers of these apps could read it. To see it there as well, copy the whole link further down and paste it into the browser of the app.
wallet-keep-weth = Receive wrapped ether (WETH) instead of ETH
wallet-keep-token = Receive { $symbol } instead of ETH
wallet-keep-tokens = Receive the tokens themselves instead of ETH
wallet-busy = A wallet is still asking you. Answer it there, or reload this page to choose another one.
wallet-asks = { $wallet } asks you now. If you do not see its window, open it yourself.
wallet-pay-fee = Pay the fee myself
wallet-pay-fee-with = Pay the fee myself with { $wallet }
wallet-open-free = Open for free with { $wallet }
wallet-of-browser = The wallet of this browser
wallet-no-account = { $wallet } uses no account, but this gift was sealed for { $recipient }. Choose that account in your wallet, then try again.
wallet-other-account = { $wallet } uses the account { $account }, but this gift was sealed for { $recipient }. Choose that account in your wallet, then try again.
wallet-names-none = { $wallet } names no account. Please type the address instead.
wallet-choose-network = Choose the network { $network } in { $wallet }, then try again.
wallet-unknown-network = { $wallet } does not know the network of this gift yet. Add it in the settings of { $wallet }, under networks: { $network }, chain ID { $number }, currency ETH. Then try again.
wallet-other-network = This gift is on another network than your wallet. Choose the network { $network } in { $wallet }, then try again.
wallet-wrong-recipient = This gift was sealed for another account. Choose that account in your wallet, then try again.
wallet-empty-gift = There is nothing left in this gift.
wallet-declined = You declined in { $wallet }. Nothing has happened.
wallet-pending = { $wallet } is asking you something already. Answer it there first.
wallet-no-ether = There is not enough ETH in your wallet to pay the network fee. The way without a fee works, where it is offered.
wallet-failed = { $wallet } could not do that. Nothing has happened: please try again.
wallet-look = Please look in your wallet
wallet-silent = It is on its way, but nobody answers right now. It is asked again…
wallet-still = It is on its way, as far as this page knows. If you stopped it in your wallet, you can start again; nothing can be opened twice.
wallet-was-asked = Your wallet was asked before this page was loaded again. If you agreed there, your gift is on its way; if you did not, start again. Nothing can be opened twice.
start-again = Start again

## Where it lands

destination = Where should it land?
destination-own = In a wallet of your own
destination-own-words = It arrives there at once, and you pay no fee.
destination-none = No wallet? Choose “{ $keep }” below.
destination-label = The address of your wallet
destination-look = Check the address
destination-scan = Scan its code with the camera
destination-no-camera = The camera cannot be used here. Please type the address instead.
destination-use-wallet = Use { $wallet }
destination-gift-wallet = In the gift wallet
destination-kept-paper = It stays with the key on your sheet. To move it later, for a network fee, have someone you trust fully help you: the key then goes once into your own wallet app, and nowhere else.
destination-kept-email = It stays in the wallet of your email address. To move it later, you sign in to that wallet in an app of the people who run { $site }, and pay a network fee: no other wallet app opens it.
destination-keep = Keep it in the gift wallet
destination-confirm = Is this your wallet?
destination-compare = Compare every letter with the address that your wallet app shows. Some programs swap an address while it is copied.
destination-unchecked = This address has no check letters: a mistake in it would not be noticed.
destination-final = What lands in a wrong wallet cannot be brought back.
destination-yes = Yes, send it there
destination-another = Use another one
destination-no-address = This is not the address of a wallet. It begins with 0x, and 40 letters and digits follow.
destination-other-network = This code is for another network. Please use an address for the network of this gift.
destination-mistake = A letter or a digit of this address is wrong. Please copy it once more.
destination-nobody = Nobody has the key to this address: what is sent there is lost.
destination-contract = This is the address of a contract, not of a wallet: what is sent there is lost.
destination-bare-contract = There is a program at this address, and it does not say that it is a wallet. If nobody can use it as one, what is sent there is lost for good.
destination-same = This is the gift wallet itself. To leave the gift in it, choose so below.

## On its way

on-its-way = Your gift is on its way
step-signed = Signed on this device
step-handed = Handed to the network
step-confirmed = Confirmed by the network
sending-signature = Your signature is being sent…
looking-where = Looking where your gift is…
service-silent = The service does not answer right now; it is asked again…
now-arrived = Your signature has arrived. It is being sent to the network…
now-predecessor = Another gift of yours goes first. This one follows by itself…
now-sending = It is being sent to the network…
now-broadcast = It is on its way. The network usually takes less than a minute…
now-mined = Your gift has arrived! The network is making it final…
now-failed = The network refused the transaction. This is being made final, which takes about a quarter of an hour. After that you can try again.
why-fees = The network is very busy and its fees are high right now. Your gift goes on as soon as they fall.
why-balance = The service's own wallet, which pays the network fee, has to be filled first. Your gift goes on by itself then.
why-daily-cap = Today's budget for network fees has no room right now. Your gift goes on by itself when it has.
why-chain = The network does not answer right now. Your gift goes on by itself when it does.
why-earlier = Others are sent to the network before yours. It follows by itself.
why-paused = Paying the network fees is paused at the moment. Your gift goes on by itself after that.
why-would-fail = The network would refuse this right now. It is tried again by itself.
meanwhile = You may leave this page open, or come back later. After an hour you are asked to open it once more.
choose-another-way = Choose another way
see-transaction = See the transaction { $hash }
transaction = transaction { $hash }
not-yet = That did not work yet
see-what-works = See what works now
nothing-sent = Nothing was sent: the gift is still there.
trouble-reverted = The network refused the transaction. Nothing was moved: the gift is still there.
trouble-refused = The network refused the transaction. The gift is still there.
trouble-expired = It could not be sent in time, so nothing was moved. The gift is still there: please try again.
trouble-superseded = Something else was sent for this wallet first. The gift may still be there: please look again.
trouble-cancelled = This was cancelled by the wallet it is for. The gift is still there.
trouble-unknown = This attempt has ended, and the gift was not moved. Please look again.

## Received

you-opened = You have opened this gift.
it-is-yours = It is yours
# The account follows in { $account }.
arrived-at = { $gift } arrived at { $account }.
was-paid-out = { $gift } was paid out.
received-paper = It is now in the wallet that the key on your sheet belongs to: keep the sheet safe. To move the gift on, have someone you trust fully help you: the key then goes once into your own wallet app, and nowhere else.
received-email = It is now in the wallet of your email address, which the sign-in provider Turnkey keeps for you. Anybody who can read your emails can use that wallet, so keep your mailbox safe. This page only opens gifts. To move it on, you sign in to that wallet in an app of the people who run { $site }: no other wallet app opens it. Ask them where that is, and never tell anybody a code from your emails.
received-wallet = It is in your wallet now.
received-own = It is in the wallet that you named. You need the gift wallet no more.
received-either = Please look in the wallet that you named, and in the gift wallet: it is in one of them.
fee-from-gift = Moving it later costs a small network fee, which is paid from the ETH that arrived.
fee-needs-ether = Opening it was free. Only sending it on later costs a small network fee in ETH. Pay nobody who writes to you about it: ask someone in your family.

## Why something did not work

no-fee-spent = Today's budget for paying the network fees of gifts is used up. There is a new one at { $time }.
no-fee-reserved = Today's budget for paying the network fees of gifts is reserved by those under way. Please try again in twenty minutes.
no-fee-here = Network fees are not paid for recipients here.
no-fee-paused = Paying the network fees for recipients is paused at the moment. Please try again later.
no-fee-unknown = It is not known right now whether the network fee can be paid for you. Please try again in a few minutes.
locked = The gift is still locked by the network's clock. Please try again in a minute.
already-opened = This gift has been opened already.
too-late = It took too long until this was sent. Nothing has happened: please try again.
signer-paused = A withdrawal of this wallet failed on the network today: no more fees are paid for it until tomorrow.
nonce-mismatch = Another gift of this wallet is on its way, or this one is already. Please wait a minute, then try again.
already-used = This was sent before. Please try again: the page then looks where the gift is.
signer-mismatch = This signature is not from the wallet that the gift was sealed for. Nothing has happened. With a smart wallet you can pay the fee yourself.
gift-not-found = The gift is not found any more. Please reload the page.
chain-unavailable = The network cannot be reached at the moment. Nothing is lost: please try again in a few minutes.
would-fail = The network would refuse this right now, or it needs more than is paid for here, so it was not sent. Please try again later. With a smart wallet you can pay the fee yourself.
problem-request = The service could not use what this page sent. Nothing has happened: please reload the page and try again.
problem-service = The service has a fault at the moment. Nothing is lost: please try again in a few minutes.
problem-destination = The gift cannot be sent to that address. Nothing has happened: please try again with another wallet of yours.
problem-no-destination = This gift can only land in the gift wallet. Nothing has happened: please reload the page and open it once more.
problem-not-opened-here = This page cannot open what is in this gift. Nothing is lost: please ask whoever gave it to you how to open it.
# { $code } is a word for programs, as "too_early".
problem-unknown = The service refused this for a reason that this page does not know: { $code }. Please reload the page and try again. If it happens again, tell this word to whoever helps you.
# { $wait } is as "40 seconds" or "3 minutes".
too-often = That was tried too often. Please wait { $wait }, then try again.
service-away = The service does not answer. Are you connected to the internet? Nothing is lost: please try again soon.
went-wrong = Something on this page went wrong. Nothing has happened to the gift: please reload the page and try again.
