### What the page of a legacy says: to anybody, to its owner, and to people who are named in it.
### { $moment } is a day and a time, { $wallet } the name of a wallet program. A message that claim.ftl has, too, counts here.

## The legacy and its state

legacy = A legacy
legacy-opens-on = It may be claimed from { $moment } on.
legacy-moves = Each sign of life of its owner moves this day further away.
legacy-open-since = It may be claimed since { $moment }.
legacy-closes-again = As long as nobody has claimed, a sign of life of its owner closes it again.
legacy-claimed-on = It was claimed on { $moment }.
legacy-rest = The people named in it may still claim the rest.
legacy-handed-over = The shared wallet has new signers since then.
legacy-ended = Its owner has ended this legacy: there is nothing to claim, and nothing to do.
legacy-no-day = This page can show no day for this legacy.
legacy-second-line = The second in line may claim from
legacy-third-line = The third in line may claim from
legacy-details = About this legacy
legacy-purpose = A legacy is a plan for the people somebody cares about. If its owner shows no sign of life for a long time, the people who are named in the plan may claim what was left to them.
legacy-purpose-safe = A legacy is a plan for the people somebody cares about. This one is of a shared wallet, a Safe. If the wallet is not used for a long time, the people who are named in the plan may take it over.
legacy-contract = Contract
legacy-router = Made by
legacy-public = This page shows what everybody can read on the network. It names nobody.

## No legacy is shown

no-legacy = There is no legacy here
no-legacy-1 = Please check the link.
no-legacy-2 = A legacy that was made this minute may need a moment.
legacy-not-now = This legacy cannot be shown right now
legacy-not-now-1 = Nothing is lost: it is safe where it is. Please try again soon.
legacy-too-many = Please wait a moment
legacy-too-many-1 = Very many people have asked from your network in this minute.
legacy-too-many-2 = Nothing is lost: please load this page again in a minute.
legacy-several = Several legacies have this number
legacy-several-1 = Which one do you look for? The address of its contract stands in your emails about it.

## Connecting a wallet

legacy-connect = Is it yours, or are you named in it?
legacy-connect-words = Connect your wallet, and this page looks on the network. Nothing is signed by that, and nothing is paid.
legacy-connect-wallet = Connect { $wallet }
# The account follows in { $account }.
legacy-connected = Connected: { $account }
legacy-other-wallet = Use another wallet
legacy-not-this-wallet = This wallet is not the right one
legacy-not-named = This wallet is not named in this legacy.
# { $ending } is the end of an address, as "…1a2b".
legacy-wallet-ends = This wallet is not named in this legacy. According to your email, the right one ends in { $ending }.
legacy-find-wallet = Choose another account in your wallet, or use another wallet. Never type a recovery phrase into a website, not into this one either.

## The owner

legacy-yours = This legacy is yours
legacy-yours-claimed = It was claimed. A sign of life does not change that any more.
legacy-well-words = Are you well? Say so, and it may be claimed only from { $moment } on.
legacy-well-no-day = Are you well? Say so. This page can name no day for this legacy.
legacy-well = I am well
legacy-well-own = I am well, and I pay the network fee
legacy-well-free = It costs you nothing: you sign, and the network fee is paid for you.
legacy-wallet-names = When you sign, your wallet names the contract “{ $contract }”. The wallet asks for no payment.
legacy-well-safe = This is a shared wallet: each transaction of it is a sign of life. This one sends nothing, to the wallet itself.
legacy-needs-premium = The network fee of a sign of life is paid for owners with Premium.
legacy-fee-is-yours = You can do it with a transaction of your own, for the network fee.
# The day while it is not final.
legacy-new-day = The new day: { $moment }. It is being made final.
legacy-moving-to = It may be claimed from { $moment } on. This is being made final.
legacy-well-under-way = Your sign of life is on its way
legacy-well-done = Your sign of life has arrived
legacy-day-final = The new day is { $moment }. It is final.
legacy-well-final = Your sign of life is final.
legacy-papers = For your papers
legacy-papers-words = A card for the people you named, and a cover sheet for a lawyer's file. They say where this legacy is and how it is claimed. Neither of them names you or anybody else.
legacy-papers-show = Show both pages
legacy-papers-way-out = You can also take a picture of the screen.

## A person who is named

legacy-named = You are named in this legacy
legacy-named-from = You can claim from { $moment } on, with this wallet.
legacy-day-moves = Each sign of life of the owner moves this day. There is nothing to do until then.
legacy-calendar-title = A legacy may be claimed
legacy-what-words = You can claim now. First look at what you would get: nothing is signed by that.
legacy-day-unknown = This page knows no day from which on you can claim. You can try it now.
legacy-what = What would I get?
legacy-looking = One moment: a claim is tried out, without making it…
legacy-would-get = You would get
legacy-after-fees = This is what would arrive in your wallet, after all fees, as things stand now.
legacy-has-more = There is more in this legacy that cannot be claimed now, or not together with this.
legacy-nothing = A claim would bring you nothing right now.
legacy-claim-free-words = A claim costs you nothing: you sign, and the network fee is paid for you. Never pay anybody to be allowed to claim.
legacy-claim-free = Claim for free
legacy-claim-own = Claim, and pay the network fee myself
legacy-no-free-claims = The network fee of claims from this legacy is not paid for you.
legacy-take-over-words = You can take over the shared wallet now, together with the others who are named. You need a transaction of your own, for the network fee.
legacy-take-over = Take over the shared wallet
legacy-claim-under-way = Your claim is on its way
legacy-step-final = Final
legacy-takeover-done = The shared wallet has new signers
legacy-taken-over = You and the others who were named can sign for it now.
legacy-you-claimed = You have claimed.
legacy-choose-again = Do not wait, and choose again

## A signer of a Safe

legacy-safe = You are a signer of a Safe
# The account follows in { $account }.
legacy-safe-signer = You sign for the shared wallet { $account }, which this legacy is about.
legacy-safe-well = Each transaction of this Safe is a sign of life. This one is enough, and it moves nothing:
legacy-safe-check-in = This legacy belongs to this Safe. Its sign of life is this transaction, which moves nothing:
legacy-safe-claim = This Safe is named in the legacy. It can claim with this transaction:
legacy-safe-from = This Safe is named in the legacy. It can claim from { $moment } on.
legacy-safe-how = In Safe, choose “New transaction”, then “Transaction Builder”, switch on “Custom data”, and fill in these three lines. The other signers agree there, too.
legacy-safe-to = To address
legacy-safe-value = ETH value
legacy-safe-data = Data (hex)
legacy-safe-copy = Copy the three lines
legacy-safe-copied = The three lines are copied.
legacy-safe-not-copied = Your browser did not allow that. Copy the lines from here.

## Why something did not work

legacy-not-known = This legacy is not found any more. Please reload the page.
legacy-over = This legacy was claimed or ended meanwhile. Please reload the page.
legacy-not-open = It is not open yet: its owner is still active. Please reload the page to see the day.
legacy-not-claimable = It cannot be claimed now. Please reload the page to see why.

## Said otherwise than of a gift

wallet-unknown-network = { $wallet } does not know the network of this legacy yet. Add it in the settings of { $wallet }, under networks: { $network }, chain ID { $number }, currency ETH. Then try again.
wallet-other-network = This legacy is on another network than your wallet. Choose the network { $network } in { $wallet }, then try again.
wallet-no-ether = There is not enough ETH in your wallet to pay the network fee.
now-predecessor = Another request of yours goes first. This one follows by itself…
now-mined = The network has taken it. It is being made final, which takes about a quarter of an hour…
why-fees = The network is very busy and its fees are high right now. Yours goes on as soon as they fall.
why-balance = The service's own wallet, which pays the network fee, has to be filled first. Yours goes on by itself then.
why-daily-cap = Today's budget for network fees has no room right now. Yours goes on by itself when it has.
why-chain = The network does not answer right now. Yours goes on by itself when it does.
why-paused = Paying the network fees is paused at the moment. Yours goes on by itself after that.
meanwhile = You may leave this page open, or come back later.
trouble-reverted = The network refused the transaction. Nothing was moved.
trouble-refused = The network refused the transaction. Nothing was moved.
trouble-expired = It could not be sent in time, so nothing has happened. Please try again.
trouble-superseded = Something else was sent for this wallet first. Please look again.
trouble-cancelled = This was cancelled by the wallet it is for. Nothing was moved.
trouble-unknown = This attempt has ended, and nothing was moved. Please look again.
no-fee-spent = Today's budget for paying network fees is used up. There is a new one at { $time }.
no-fee-reserved = Today's budget for paying network fees is reserved by those under way. Please try again in twenty minutes.
no-fee-here = Network fees are not paid for you here.
no-fee-paused = Paying the network fees is paused at the moment.
no-fee-unknown = It is not known right now whether the network fee can be paid for you.
signer-paused = A transaction of this wallet failed on the network today: no more fees are paid for it until tomorrow. You can do it with a transaction of your own.
nonce-mismatch = Another request of this wallet is on its way, or this one is already. Please wait a minute, then try again.
already-used = This was sent before. Please reload the page.
signer-mismatch = This signature is not from the right wallet. Nothing has happened. You can do it with a transaction of your own.
would-fail = The network would refuse this right now, or it needs more than is paid for here, so it was not sent. Please try again later, or with a transaction of your own.
went-wrong = Something on this page went wrong. Nothing has happened to the legacy: please reload the page and try again.
