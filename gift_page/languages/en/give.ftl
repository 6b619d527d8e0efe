### What the page for givers and the printed pages say.

## Occasions, with messages a giver may start from: greetings of the language, not word by word

occasion-gift = A gift
gift-1 = A little something, sealed for you until the day it opens.
gift-2 = I put this aside for you. Open it when the day comes, and think of me.
gift-3 = For you, with love.
occasion-birthday = Birthday
birthday-1 = Happy birthday! This one takes a little patience, but it is yours.
birthday-2 = Another year of you: the best reason to celebrate. Happy birthday!
birthday-3 = May the year ahead be kind to you. Happy birthday, with love.
occasion-wedding = Wedding
wedding-1 = To the two of you, and to everything you will build together.
wedding-2 = Wishing you a life full of small, good days.
wedding-3 = With love to you both, today and for all the years to come.
occasion-anniversary = Anniversary
anniversary-1 = To the years behind you and to the many ahead. Happy anniversary!
anniversary-2 = Still my favourite story: yours. Happy anniversary.
anniversary-3 = For us, with all my love.
occasion-new-baby = New baby
new-baby-1 = Welcome to the world! This will be waiting for you when you are grown.
new-baby-2 = Small today, tall tomorrow: a gift for the years ahead.
new-baby-3 = We are so happy that you are here.
occasion-graduation = Graduation
graduation-1 = You did it! We are so proud of you.
graduation-2 = A beginning, for whatever you choose to begin next.
graduation-3 = For all the work nobody saw: congratulations.
occasion-bar-bat-mitzvah = Bar or Bat Mitzvah
bar-bat-mitzvah-1 = Mazel tov! We are so proud of you today.
bar-bat-mitzvah-2 = A day to remember, and something for the years that follow.
bar-bat-mitzvah-3 = With love on your day. May you go from strength to strength.
occasion-thank-you = Thank you
thank-you-1 = Thank you, for more than fits on a card.
thank-you-2 = You were there when it mattered. Thank you.
thank-you-3 = A small thank-you for a great kindness.
occasion-new-home = New home
new-home-1 = May these rooms fill with good company.
new-home-2 = A new door, a new key, a new beginning. Welcome home!
new-home-3 = For the house, or for whatever it turns out to need.
occasion-someday = Someday
someday-1 = No special day, only you. This one grows until you open it.
someday-2 = For the day you need it, or the day you want it.
someday-3 = I thought of you today. Someday you will read this.
occasion-valentine = Valentine's Day
valentine-1 = For you, today and every other day.
valentine-2 = My heart was sealed for you long before this gift was.
valentine-3 = All my love, always.
occasion-new-year = New Year
new-year-1 = Health, luck and good company in the new year!
new-year-2 = Here is to all that begins. Happy New Year!
new-year-3 = May the new year be gentle with you.
occasion-christmas = Christmas
christmas-1 = Merry Christmas! This one stays under the tree a little longer.
christmas-2 = Peace, warmth and good company to you this Christmas.
christmas-3 = With love at Christmas, and all through the year.
occasion-hanukkah = Hanukkah
hanukkah-1 = Happy Hanukkah! May your home be full of light.
hanukkah-2 = Eight nights of light, and one gift that waits for its day.
hanukkah-3 = Wishing you and your family a bright and happy Hanukkah.
occasion-eid = Eid
eid-1 = Eid Mubarak! May this day bring you joy and peace.
eid-2 = Warm wishes to you and your family on Eid.
eid-3 = Eid Mubarak, with love and every good wish.
occasion-diwali = Diwali
diwali-1 = Happy Diwali! May your year be full of light.
diwali-2 = Light, sweetness and good fortune to you and your family.
diwali-3 = Wishing you a bright and happy Diwali.
occasion-easter = Easter
easter-1 = Happy Easter! Some things are worth the search.
easter-2 = Spring, sunshine and a little surprise for you.
easter-3 = Wishing you and your family a happy Easter.
occasion-lunar-new-year = Lunar New Year
lunar-new-year-1 = Happy Lunar New Year! May luck find its way to you.
lunar-new-year-2 = Health, prosperity and happiness in the new year.
lunar-new-year-3 = For the new year: something red, something lucky, something that grows.

## The giver's wallet

seal-a-gift = Seal a gift
your-wallet = Your wallet
giver-no-wallet = No wallet was found yet. On a phone, open this page in the browser inside your wallet app; on a computer, use the browser that has your wallet.
giver-connect = Connect { $wallet }
giver-account = { $wallet }: { $account } on { $network }
giver-connect-first = Please connect a wallet first.
giver-connect-above = Please connect your wallet first: it stands at the top of this page.
giver-no-chain = No chain is served here.
giver-declined = The wallet declined. Nothing was sent.
giver-refused = The chain refuses this. Is there enough of it in your wallet?
giver-too-little = There is not enough in your wallet.
giver-failed = That did not work. Please try again.
giver-was-asked = Your wallet was asked to seal a gift when this page was loaded again. Please look there first: what was sent is sealed, and its printed sheet is good. Sealed again it would be a second gift.

## The form

form-gift = The gift
form-occasion = Occasion
form-language = Language of the gift
form-to = For (a name)
form-from = From (your name)
form-note = Your message
form-room = { $used } of at most { $most } characters
form-inside = What is inside
form-asset = Give
form-amount = How much
form-opens = Opens on
form-chain-clock = By the chain's clock, where it is { $moment } now.
form-how = How they open it
form-paper = With a printed key: you print a sheet and hand it over
form-wallet = With a wallet they have: you know its address
form-email = With their email address: a code is sent there when they open it
form-wallet-address = The address of their wallet
form-email-address = Their email address
form-continue = Continue
letter-long-name = A name may have { $most } characters at most.
letter-long-note = The message may have { $most } characters at most.
letter-hidden = A name or the message has a control or invisible character in it.
letter-address = A name reads as a web or email address. Please write it in another way.
letter-marks = A name piles too many marks upon one letter.
letter-too-long = The names and the message are too long for a link.
form-no-day = Please choose when the gift opens.
form-future = A gift opens in the future.
form-too-far = A gift opens within { $years } years. Please check the year: nobody can change it later.
form-two-readings = “{ $typed }” can be read in two ways. Please write { $thousands } if you mean thousands, or { $small } if you do not.
form-whole-amount = Please say how much, in { $symbol }: a whole number, as 2.
form-bad-amount = Please say how much, in { $symbol }: as { $example }, with at most { $decimals } decimals and no mark for thousands.
form-no-amount = Please say how much.
form-no-address = That is not the address of a wallet.
form-no-email = That is not an email address.

## The review

review = Please read this once more
review-gift = The gift
review-amount = { $gift }, on { $network }
review-for = For
review-for-paper = Whoever has the printed sheet. Please keep it as you would keep cash.
review-for-email = Whoever reads the mailbox { $email }. A wallet is made for it if it has none yet.
review-for-wallet = The wallet { $address }. Only it can open the gift.
review-opens = Opens
review-lands = Where it lands
review-lands-own = When they open it, they say where it should land: in a wallet of their own, or in the wallet of their email address.
review-lands-email = In the wallet of their email address, which the sign-in provider Turnkey keeps. From there it can be moved only in an app of the people who run { $site }: no other wallet app opens that wallet. Please ask them where that is, and tell the recipient.
review-moment = { $moment }, in your time zone
review-fee = Network fee
review-fee-words = You pay it in ETH. Your wallet shows how much it is before you agree.
review-final = Once it is sealed, nothing of this can be changed. Nobody can take the gift back, and nobody can open it earlier: not you, and not us.
review-seal = Seal the gift
review-change = Change something
sheet-first = Print the key sheet first
sheet-first-words = The key exists on this page only, until you leave it. Without the sheet nobody can ever open the gift.
sheet-printed = It is printed, and I can read the key on it.
sheet-not-printed = Please print the sheet first, and say so above.
sheet-throw-away = If you have printed that sheet, throw it away: nothing is sealed to its key.

## Sealing

sealing-sign-recipient = Please sign in your wallet whom it is for. Finding or making theirs may then take more than a minute.
sealing-confirm = Please confirm transaction { $number } of { $all } in your wallet.
sealing-on-its-way = Transaction { $number } of { $all } is on its way.
sealing-too-late = Its day has come meanwhile. Please choose a later time.
sealing-refused = The chain refused this. Nothing was sealed.
sealed = Gift { $number } is sealed. It opens on { $moment }.
sealed-not-kept = This browser keeps nothing: save the link now.
seal-another = Seal another gift

## Afterwards

kept-gift = Gift { $number }
kept-title = Gifts sealed here
kept-some = This browser remembers the links of the gifts you sealed in it. Nobody else does.
kept-none = This browser will remember the links of the gifts you seal in it. Nobody else does.
# As "Birthday for Ada, gift 12".
kept-item-for = { $occasion } for { $name }, gift { $number }
kept-item = { $occasion }, gift { $number }
kept-show = Show
kept-show-item = Show { $item }
kept-forget = Forget
kept-forget-item = Forget { $item }
kept-forget-sure = Forget for good: the link cannot be made again
list-title = What you have sealed
list-none = This wallet has sealed nothing so far.
list-unread = The list of what you have sealed cannot be read at the moment. This is what your browser remembers.
list-broken = The rest of the list cannot be read at the moment.
list-rest = Your browser remembers these, too: of another wallet, older, very new, or not on the chain any more.
list-more = Show more
list-regular = Timelock { $number }
list-soft = Soft timelock { $number }
list-sealed-until = Sealed. It opens on { $moment }.
list-sealed = Sealed. No opening day is set.
list-open = Waiting to be opened since { $moment }.
list-ended = Closed. What was in it has been taken out.
link-words = The link to the gift. Whoever has it reads your message; only the recipient can open the gift.
link-copy = Copy the link
link-copied = Copied.
link-not-allowed = Your browser did not allow that. Copy the link from here.
page-sheet = Key sheet
page-card = Gift card
page-record = Gift record
page-as-printed = { $page }, as it will be printed
page-print = Print
page-save = Save as PNG
page-not-saved = It could not be saved. Nothing was saved: please print it.
page-withheld = This browser keeps the picture from the page, against tracking. Nothing was saved: please print it.
page-not-drawn = { $page }: it cannot be drawn right now. Show the gift again below.
page-does-not-fit = { $page }: { $why }
record-needs-wallet = Connect your wallet to have the gift record as well.
fonts-missing = The fonts could not be loaded. Please try again.

## Telling the recipient by email

notify = Tell them by email, if you like
notify-email = Their email address
notify-when = When
notify-now = Now, and on the day it opens
notify-scheduled = On a day I choose, and on the day it opens
notify-opening = Only on the day it opens
notify-day = Tell them on
notify-privacy = The address and the link are kept encrypted until the gift is open, and sent to nobody else.
notify-go = Have them told
notify-no-email = Please give their email address.
notify-no-day = Please choose the day and the time.
notify-bad-day = Please choose a time from now on, before the gift opens on { $moment }.
notify-done = They will be told.
notify-done-on = They will be told on { $moment }, and on the day it opens.

## The printed pages

print-for = for { $name }
print-from = from { $name }
print-opens = Opens on { $day }
print-scan = Scan to see your gift
print-scan-opens = Scan to see your gift. It opens on { $day }.
print-note-too-long = The message has too many lines for the card, which holds { $most } of them.
print-code-too-long = The message is too long for the printed code.
print-letter-too-long = The names and the message are too long for the code on the sheet, which holds { $room } bytes of them (a plain letter takes one, others two to four).
sheet-key = The key to this gift
sheet-key-words = Whoever reads this key can take the gift. Show it to nobody, and enter it only on the page that the code on the cover opens, on the day or later.
sheet-opens-for = It opens what is sealed for { $address }
sheet-closing = To close: fold this panel behind the cover, then the bottom panel over it; seal the edge.
sheet-how = How to open your gift
sheet-look = Look
sheet-look-words = Scan the code on the cover with your phone. The page shows what is inside, and when it opens.
sheet-wait = Wait
sheet-wait-words = Keep this packet closed and safe, like cash. Nobody can replace it, not even the one who gave it.
sheet-open = Open
sheet-open-words = On the day or later, unfold the packet and open the page again. Scan the key there, or type it.
sheet-keep = Keep
sheet-keep-words = The gift is then in the wallet of this key. Keep the sheet until you have moved it to a wallet of your own.
sheet-no-camera = Without a camera, go to
sheet-safety = No one who helps you needs the key. Do not photograph, send or dictate it, whoever asks.

## The gift record

record-title = Gift record
record-subtitle = For the giver's papers
record-value = Fair market value on { $day }, the day of sealing
record-no-source = No price source
record-no-price = There was no trustworthy price of { $symbols } for that day when this was printed. The value has to be found elsewhere.
record-price-recorded = Price recorded for that day
record-price-older = Newest price when it was sealed, of another day
record-price-now = Price at the time of printing, on the same day
record-price-now-older = Price at the time of printing, of another day
# As "1 ETH = US$ 1,850 (Chainlink round 42, 3 May 2027, 09:30 UTC)".
record-price = 1 { $symbol } = US$ { $price } (Chainlink round { $round }, { $moment })
record-basis = { $how }: { $prices }.
record-given = Given
record-sealed = Sealed
record-opens = Opens
record-given-by = Given by
record-giver = Giver's account
record-given-to = Given to
record-sealed-for = Sealed for
record-network = Network
record-network-words = { $network } (chain { $number })
record-number = Gift number
record-contract = Contract
record-transaction = Transaction (code)
record-seen-at = To be seen at
record-base-units = base units of { $token }
record-moment = { $day }, { $time } UTC
record-disclaimer = This record is not tax advice, nor is it an appraisal. It states what is on the public chain and, where there was a price source, a value computed from it. How a gift is valued and reported, by whom and when, depends on the law that applies to you: ask a professional.
