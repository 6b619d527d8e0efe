## The legacy and its state

legacy = 一份遗产计划
legacy-opens-on = 从{ $moment }起可以领取。
legacy-moves = 所有者每次确认活动，这一天都会往后推。
legacy-open-since = 从{ $moment }起已经可以领取。
legacy-closes-again = 只要还没有人领取，所有者一确认活动，计划就会重新关闭。
legacy-claimed-on = 已于{ $moment }被领取。
legacy-rest = 计划中指定的每个人，仍然可以领取留给自己的部分。
legacy-handed-over = 从那时起，共享钱包有了新的签名人。
legacy-ended = 所有者已经结束这份遗产计划：没有可以领取的，也不需要做什么。
legacy-no-day = 它没有此页面可以显示的日子。
legacy-second-line = 第二顺位的人可以领取的时间
legacy-third-line = 第三顺位的人可以领取的时间
legacy-details = 关于这份遗产计划
legacy-purpose = 遗产计划是为所爱的人做的安排。如果所有者很久没有活动，计划中指定的人就可以领取留给他们的部分。
legacy-purpose-safe = 遗产计划是为所爱的人做的安排。这一份属于一个共享钱包（Safe）。如果钱包很久没有使用，计划中指定的人就可以接管它。
legacy-contract = 合约
legacy-router = 创建者
legacy-public = 此页面显示的是每个人都能在网络上读到的内容，不提任何人的名字。

## No legacy is shown

no-legacy = 这里没有遗产计划
no-legacy-1 = 请检查链接。
no-legacy-2 = 刚刚创建的遗产计划可能还需要一点时间。
legacy-not-now = 现在无法显示这份遗产计划
legacy-not-now-1 = 什么都没有丢：它在原处很安全。请稍后再试。
legacy-too-many = 请稍等片刻
legacy-too-many-1 = 这一分钟里，从您所在的网络发来了很多请求。
legacy-too-many-2 = 什么都没有丢：请过一分钟重新加载此页面。
legacy-several = 有多份遗产计划使用这个编号
legacy-several-1 = 您要找的是哪一份？它的合约地址写在您收到的邮件里。

## Connecting a wallet

legacy-connect = 它是您的，还是您被指定在其中？
legacy-connect-words = 连接您的钱包，此页面就会在网络上查看。这样不会签署任何内容，也不会付款。
legacy-connect-wallet = 连接 { $wallet }
# The account follows in { $account }.
legacy-connected = 已连接：{ $account }
legacy-other-wallet = 使用另一个钱包
legacy-not-this-wallet = 这不是正确的钱包
legacy-not-named = 这个钱包没有被指定在这份遗产计划中。
# { $ending } is the end of an address, as "…1a2b".
legacy-wallet-ends = 这个钱包没有被指定在这份遗产计划中。根据您的邮件，正确的钱包以 { $ending } 结尾。
legacy-find-wallet = 请在钱包中选择另一个账户，或使用另一个钱包。绝不要在任何网站上输入助记词，包括这个网站。

## The owner

legacy-yours = 这份遗产计划是您的
legacy-yours-claimed = 已经有人领取。确认活动也不会再改变这一点。
legacy-well-words = 您一切都好吗？告诉我们，要到{ $moment }才可以领取。
legacy-well-no-day = 您一切都好吗？请告诉我们。此页面无法显示这份遗产计划的日子。
legacy-well = 我很好
legacy-well-own = 我很好，网络手续费由我付
legacy-well-free = 您不用花钱：您只需签名，网络手续费有人替您付。
legacy-wallet-names = 您的钱包会显示合约名称“{ $contract }”。它不会要求付款。
legacy-well-safe = 这是一个共享钱包：它的每一笔交易都算活动。这一笔是发给钱包自己的，不转走任何东西。
legacy-needs-premium = 确认活动的网络手续费，只为拥有 Premium 的所有者代付。
legacy-fee-is-yours = 您可以自己发一笔交易来完成，只需付网络手续费。
# The day while it is not final.
legacy-new-day = 新的日子：{ $moment }。正在做最后确认。
legacy-moving-to = 从{ $moment }起可以领取。正在做最后确认。
legacy-well-under-way = 您的平安消息正在途中
legacy-well-done = 您的平安消息已收到
legacy-day-final = 新的日子是{ $moment }。已经最终确定。
legacy-well-final = 您的平安消息已经最终确定。
legacy-papers = 供您存档
legacy-papers-words = 一张卡片，交给您指定的人；一张封面，放进律师的档案。上面写着这份遗产计划在哪里，以及怎样领取。两张纸都不提您或其他人的名字。
legacy-papers-show = 显示这两页
legacy-papers-way-out = 您也可以截屏。

## A person who is named

legacy-named = 您被指定在这份遗产计划中
legacy-named-from = 您可以用这个钱包从{ $moment }起领取。
legacy-day-moves = 所有者每次确认活动，这一天都会改变。在此之前您不需要做什么。
legacy-calendar-title = 可以领取一份遗产计划
legacy-what-words = 您现在可以领取。请先看看会收到什么：这样不会签署任何内容。
legacy-day-unknown = 此页面不知道您从哪一天起可以领取。您现在可以试一试。
legacy-what = 我会收到什么？
legacy-looking = 请稍等：正在试算领取，并不真正领取……
legacy-would-get = 您会收到
legacy-after-fees = 按现在的情况，扣除所有费用之后，会有这些到达您的钱包。
legacy-has-more = 这份遗产计划中还有别的，现在不能领取，或者不能与这些一起领取。
legacy-nothing = 现在领取，您不会收到任何东西。
legacy-claim-free-words = 领取不用您花钱：您只需签名，网络手续费有人替您付。绝不要为了领取而向任何人付款。
legacy-claim-free = 免费领取
legacy-claim-own = 领取，网络手续费由我付
legacy-no-free-claims = 这份遗产计划的领取手续费不由这里代付。
legacy-take-over-words = 您现在可以与其他被指定的人一起接管共享钱包。您需要自己发一笔交易，并付网络手续费。
legacy-take-over = 接管共享钱包
legacy-claim-under-way = 您的领取正在途中
legacy-step-final = 最终确定
legacy-takeover-done = 共享钱包有了新的签名人
legacy-taken-over = 您和其他被指定的人现在可以为它签名。
legacy-you-claimed = 您已经领取。
legacy-choose-again = 不再等待，重新选择

## A signer of a Safe

legacy-safe = 您是一个 Safe 的签名人
# The account follows in { $account }.
legacy-safe-signer = 您为与这份遗产计划有关的共享钱包 { $account } 签名。
legacy-safe-well = 这个 Safe 的每一笔交易都算活动。下面这一笔就够了，它不转走任何东西：
legacy-safe-check-in = 这份遗产计划属于这个 Safe。下面这笔交易才算它的活动，它不转走任何东西：
legacy-safe-claim = 这个 Safe 被指定在遗产计划中。它可以用下面这笔交易领取：
legacy-safe-from = 这个 Safe 被指定在遗产计划中。它从{ $moment }起可以领取。
legacy-safe-how = 在 Safe 中选择“New transaction”，再选择“Transaction Builder”，打开“Custom data”，填入这三行。其他签名人也在那里同意。
legacy-safe-to = To address
legacy-safe-value = ETH value
legacy-safe-data = Data (hex)
legacy-safe-copy = 复制这三行
legacy-safe-copied = 这三行已复制。
legacy-safe-not-copied = 您的浏览器不允许。请从这里复制这几行。

## Why something did not work

legacy-not-known = 找不到这份遗产计划了。请重新加载页面。
legacy-over = 这份遗产计划在此期间已被领取或结束。请重新加载页面。
legacy-not-open = 还不能领取：所有者仍在活动。请重新加载页面查看日子。
legacy-not-claimable = 现在不能领取。请重新加载页面查看原因。

## Said otherwise than of a gift

wallet-unknown-network = { $wallet } 还不认识这份遗产计划的网络。请在 { $wallet } 的设置中的“网络”里添加：{ $network }，链 ID { $number }，货币 ETH。然后再试一次。
wallet-other-network = 这份遗产计划与您的钱包不在同一个网络上。请在 { $wallet } 中选择网络 { $network }，再试一次。
wallet-no-ether = 您的钱包里没有足够的 ETH 来付网络手续费。
now-predecessor = 您的另一个请求先走。这一个会自动跟上……
now-mined = 网络已经接受。正在做最后确认，大约需要一刻钟……
why-fees = 网络现在很忙，手续费很高。等手续费降下来，就会继续。
why-balance = 服务用来付网络手续费的钱包需要先充值。之后会自动继续。
why-daily-cap = 今天的网络手续费预算暂时没有余额。一有余额，就会自动继续。
why-chain = 网络现在没有回应。一有回应，就会自动继续。
why-paused = 目前暂停代付网络手续费。恢复之后，会自动继续。
meanwhile = 您可以让此页面开着，也可以以后再来。
trouble-reverted = 网络拒绝了这笔交易。什么都没有转走。
trouble-refused = 网络拒绝了这笔交易。什么都没有转走。
trouble-expired = 没能及时发送，所以什么都没有发生。请再试一次。
trouble-superseded = 这个钱包有另一笔交易先发出了。请再看一次。
trouble-cancelled = 相关的钱包取消了这次操作。什么都没有转走。
trouble-unknown = 这次操作已结束，什么都没有转走。请再看一次。
no-fee-spent = 今天代付网络手续费的预算已用完。{ $time } 会有新的预算。
no-fee-reserved = 今天代付网络手续费的预算，已被正在途中的请求占用。请过二十分钟再试。
no-fee-here = 这里不为您代付网络手续费。
no-fee-paused = 目前暂停代付网络手续费。
no-fee-unknown = 目前无法知道能否为您代付网络手续费。
signer-paused = 这个钱包今天有一笔交易在网络上失败了：明天之前不再为它代付手续费。您可以自己发一笔交易来完成。
nonce-mismatch = 这个钱包的另一个请求正在途中，或者这一个已经在途中。请等一分钟，再试一次。
already-used = 这个之前已经发送过。请重新加载页面。
signer-mismatch = 这个签名不是正确的钱包的。什么都没有发生。您可以自己发一笔交易来完成。
would-fail = 网络现在会拒绝这笔交易，或者它所需的手续费超出了这里代付的范围，所以没有发送。请稍后再试，或自己发一笔交易来完成。
went-wrong = 此页面出了点问题。遗产计划没有受到任何影响：请重新加载页面，再试一次。
