## Greetings, by occasion

greeting-gift = 送给您的礼物
greeting-birthday = 生日快乐
greeting-wedding = 新婚快乐
greeting-anniversary = 周年快乐
greeting-new-baby = 欢迎来到这个世界
greeting-graduation = 毕业快乐
greeting-bar-bat-mitzvah = 恭贺成人礼
greeting-thank-you = 衷心感谢
greeting-new-home = 恭贺乔迁
greeting-someday = 致未来的某一天
greeting-valentine = 永远爱你
greeting-new-year = 新年快乐
greeting-christmas = 圣诞快乐
greeting-hanukkah = 光明节快乐
greeting-eid = 尔德节吉庆
greeting-diwali = 排灯节快乐
greeting-easter = 复活节快乐
greeting-lunar-new-year = 新春快乐
greeting-to = { $name }，{ $greeting }
card-subline = 有一份封存的礼物在等您
card-opened = 这份礼物已经打开

## The gift and its state

when-open = 这份礼物现在可以打开了。
when-claimed = 这份礼物已经打开：收礼人已收到。
opened-on = 这份礼物已于 { $moment } 打开。
sealed-until = 这份礼物封存至 { $moment }。
inside = 里面有
digital-money = 这是一种数字货币。
asset-paid-out = { $amount }（以 ETH 付给您）
asset-without-name = 代币
asset-base-units = { $units } 个 { $symbol } 基本单位
the-gift = 礼物
advice-link = 拿到这个链接的人都能看到礼物。但只有封存时指定的钱包才能打开它。
advice-paper = 持有密钥单的人都能打开它。请像保管现金一样保管密钥单：没有它，礼物就没有了。不要把密钥告诉任何人：帮助您的人都不需要知道它。
advice-email = 它是为您的邮箱地址封存的：只有能看到您邮件的人才能打开它。打开时会有一个验证码发到那里，请不要把验证码告诉任何人。
check-wallet = 请现在就确认这个钱包还在您手里：丢了谁也无法补，我们也不能。
check-paper = 请现在就确认密钥单还在您手里：丢了谁也无法补，我们也不能。
check-email = 请现在就确认您还能打开这个邮箱：丢了谁也无法补，我们也不能。
advice-email-moving = 里面的东西会到您邮箱地址的钱包里，由登录服务商 Turnkey 为您保管。只有在 { $site } 运营者的应用中才能把它从那里转走，其他钱包应用打不开那个钱包。打开礼物之前，请先向运营者询问在哪里操作。
ask-us = 请问我们：联系方式在本页最下方。
claimed-paper = 里面的东西现在在您密钥单上的密钥所属的钱包里：在转到您自己的钱包之前，请一直保管好密钥单。
claimed-email = 里面的东西现在在您邮箱地址的钱包里，由登录服务商 Turnkey 为您保管：能看到您邮件的人才能使用那个钱包，所以请保护好您的邮箱。这个页面只用来打开礼物。要把它转走，需要用 ETH 付网络手续费，并在 { $site } 运营者的应用中登录那个钱包：其他钱包应用打不开它。请向运营者询问在哪里登录。邮件里的验证码，请不要告诉任何人。
claimed-paper-or-named = 如果您打开礼物时指定了钱包，里面的东西已经转到那里。如果没有指定，里面的东西现在在您密钥单上的密钥所属的钱包里：在转到您自己的钱包之前，请一直保管好密钥单。
claimed-email-or-named = 如果您打开礼物时指定了钱包，里面的东西已经转到那里。如果没有指定，里面的东西现在在您邮箱地址的钱包里，由登录服务商 Turnkey 为您保管：能看到您邮件的人才能使用那个钱包，所以请保护好您的邮箱。这个页面只用来打开礼物。要把它转走，需要用 ETH 付网络手续费，并在 { $site } 运营者的应用中登录那个钱包：其他钱包应用打不开它。请向运营者询问在哪里登录。邮件里的验证码，请不要告诉任何人。
seal-forward = 也为别人封存一份
about-gift = 关于这份礼物
fact-sealed = 封存于
fact-opens = 打开日期
fact-opened = 已打开于
fact-sealed-for = 封存给
fact-network = 网络
fact-gift = 礼物
gift-number = 编号 { $number }，合约
letter-stays = 如果有私人留言，它就在这个链接 # 号后面的部分里：它只留在您的浏览器中，绝不会发给我们。

## No gift is shown

no-gift = 这里没有礼物
no-gift-1 = 请检查链接。
no-gift-2 = 如果礼物刚刚封存，可能需要等一会儿。
cut-off = 这个链接不完整
cut-off-1 = 链接丢了一部分，可能是复制时漏掉的。别的什么都没有丢：礼物在原处很安全。
cut-off-2 = 请打开当初给您的完整链接。
not-served = 这份礼物在另一个网络上
not-served-1 = 链接里的网络，这个页面不认识。什么都没有丢：礼物在原处很安全。
not-served-2 = 请检查链接，或者问问送您礼物的人该在哪里打开。
not-shown = 这份礼物无法在这里显示
not-shown-1 = 里面的东西，这个页面不认识，或者已不再认识。什么都没有丢：礼物在原处很安全。
not-shown-2 = 请问问送您礼物的人该怎么打开。
not-now = 现在无法显示礼物
not-now-1 = 什么都没有丢：它在原处很安全。请稍后再试。
too-many = 请稍等片刻
too-many-1 = 这一分钟里，您所在的网络有很多人在查看礼物。
too-many-2 = 什么都没有丢：请过一分钟重新加载此页面。
none-for = 没有找到这张密钥单的礼物
none-for-1 = 如果链接是您手动输入的，请与密钥单对照：可能有一个字母或数字不一样。
none-for-2 = 如果礼物刚刚封存，可能需要等一会儿：请稍后再试。
not-shown-for = 没有找到可以在这里显示的礼物
not-shown-for-1 = 有一样东西是为这张密钥单封存的，但这个页面不认识，或者已不再认识。什么都没有丢：它在原处很安全。
not-shown-for-2 = 如果您还没有打开礼物，请问问给您密钥单的人该怎么打开。
not-shown-for-3 = 如果您已经打开过，那么这是另一份，可能来自陌生人。如果打开时没有指定别的钱包，您那份礼物里的东西在您密钥单上的密钥所属的钱包里：在转到您自己的钱包之前，请一直保管好密钥单。
mistyped = 这个链接有错误
mistyped-1 = 地址中有一个字母或数字与印出来的不一样，或者少了一个。什么都没有丢。
mistyped-2 = 请从 0x 开始与密钥单对照，或者扫描密钥单封面上的二维码。
rewritten = 这个链接在途中被改动了
rewritten-1 = 邮件程序或过滤器改动了其中的符号。什么都没有丢：礼物在原处很安全。
rewritten-2 = 请在地址栏中把 %23 改回 #，把 %3F 改回 ?。或者用另一个邮件程序或浏览器，打开当初给您的链接。

## The letter, the calendar and sharing

letter-label = 私人留言
letter-from = 来自{ $name }
letter-unchecked = 姓名和留言由创建此链接的人所写，没有人核实过。
letter-ask = 您认识 { $name } 吗？请拨打您原来就有的号码，问问这份礼物是不是对方送的。
letter-damaged = 留言没有完整送达
letter-damaged-1 = 链接在途中丢了一部分，所以无法读出私人留言。礼物本身很安全，照样可以打开。请让送您礼物的人再发一次完整的链接。
calendar-add = 把这一天加入日历
calendar-title = 您的一份礼物可以打开了
out-cannot-print = 这个浏览器无法打印：没有打开打印窗口。钱包应用内的浏览器通常都不能打印。
out-saved = 文件现在应该在您的下载内容中。没有找到？那么这个浏览器无法保存文件。钱包应用内的浏览器通常都不能保存。
out-share = 分享
out-not-shared = 没有分享成功。
out-elsewhere = 请用其他浏览器（如 Safari 或 Chrome）打开此页面。网址：
out-copy = 复制网址
out-copied = 网址已复制。
out-not-copied = 您的浏览器不允许这样做。请从这里复制网址。
calendar-way-out = 您也可以把日期记下来：它就写在此页面上。
opens-in = 还有{ $days }{ $hours }{ $minutes }打开。
day-has-come = 这一天到了。请稍等……
share = 分享或隐藏留言
share-words = 拿到链接的人都能看到这份礼物，但只凭链接打不开它。私人留言是地址栏中链接的一部分。分享此页面或给别人看之前，请先把它从那里去掉：去掉之后，重新加载页面就没有留言了，所以请先自己保存好完整的链接。
share-copy-whole = 复制完整链接
share-copied-whole = 已复制完整链接。
share-copy-bare = 复制不含留言的链接
share-copied-bare = 已复制不含留言的链接。
share-take-out = 去掉留言
share-taken-out = 留言已从地址栏中去掉。现在那里的链接可以分享，不含留言。
share-not-allowed = 您的浏览器不允许这样做。请从地址栏复制链接。

## The ways to open it

try-again = 再试一次
one-moment = 请稍等……
looking-for-way = 正在寻找打开的方法……
open-your-gift = 打开您的礼物
costs-nothing = 您不用花钱：网络手续费有人替您付。
way-paper = 用密钥单上印的密钥
way-email = 用发到我邮箱的验证码
way-wallet = 用我自己的钱包
no-codes = 目前无法发送验证码。请稍后再试。
stays-where = 什么都没有丢：您的礼物还在原处。
stays-self-paid = 什么都没有丢：您的礼物还在原处。在此之前，只有自己付手续费的钱包才能打开它。
look-again = 再看一次
wallet-signs = 您的钱包正在签名……
open-my-gift = 打开我的礼物

## With the printed key

paper-words = 请展开密钥单：密钥在白色的那一面。它只留在这台设备上，绝不会发给任何人；在这里签名后，马上就会被忘掉。
paper-legend = 印出来的密钥：16 组，每组 4 个字符
paper-group = 第 { $number } 组，共 { $groups } 组
paper-typed-wrong = 这不是这份礼物的密钥。请逐组与密钥单对照：有一个字母或数字不一样。
paper-scanned-wrong = 这不是这份礼物的密钥。是不是另一份礼物的密钥单？
paper-no-key = 这个二维码不是密钥。请扫描折起的密钥单里面、白色那一面上的二维码。
paper-bad-letter = 第 { $number } 组里有密钥中不会出现的字符：只能是 0 到 9 和 a 到 f。
paper-too-short = 第 { $number } 组需要 4 个字符。
camera-scan-key = 用相机扫描
camera-picture = 相机画面
camera-hold = 请把白色那一面上的二维码对准相机。
camera-stop = 关闭相机
camera-unusable-key = 这里无法使用相机。请手动输入密钥。
camera-or-type = 或者手动输入

## With the email address

email-words = 这份礼物是为一个邮箱地址封存的。请输入这个地址，登录服务商会向它发送验证码：地址和验证码都不会到我们这里。
email-label = 您的邮箱地址
email-send-code = 给我发送验证码
email-none = 这不是邮箱地址。请检查一下。
code-words = 验证码正在发往 { $email }。请在这里输入，不要告诉任何人。
code-words-reloaded = 验证码正在发往您的邮箱。请在这里输入，不要告诉任何人。
code-label = 邮件中的验证码
code-none = 请输入邮件中的验证码。
code-another = 再发一个验证码
code-another-reloaded = 重新发送验证码
email-another = 使用其他邮箱地址
code-wrong = 验证码不对，或者已经失效。请使用最新的邮件，或者重新获取验证码。
email-wrong = 这个邮箱地址打不开这份礼物。它可能是为您的另一个邮箱地址封存的。
code-too-many = 尝试次数太多了。请等几分钟，再重新获取验证码。
provider-away = 登录服务商现在没有回应。什么都没有丢：请稍后再试。

## With a wallet

wallet-sealed-for = 这份礼物是为账户 { $account } 封存的。您的钱包会请您同意，但绝不会要您交出密钥。
wallet-self-paid-works = 自己付手续费，任何时候都可以。
wallet-none = 在这个浏览器中没有找到钱包。用手机时，请在钱包应用内的浏览器中打开此链接；用电脑时，请使用装有您钱包的浏览器。
wallet-lost = 新钱包没有用：只有 { $account } 能打开它。如果丢失了那个钱包，请找出它的助记词，不要告诉任何人。如果您不认识这个钱包，请问送礼的人。
wallet-apps = 这部手机上有钱包应用吗？请在应用中打开此页面：
wallet-apps-letter = 留言只留在这里，不会一起带过去，因为这些应用的开发商可能会读到它。想在那里也看到留言，请在下方复制完整链接，粘贴到应用内的浏览器中。
wallet-keep-weth = 不要 ETH，收包装以太币（WETH）
wallet-keep-token = 不要 ETH，收 { $symbol }
wallet-keep-tokens = 不要 ETH，收代币本身
wallet-busy = 有一个钱包还在等您回答。请在那里回答，或者重新加载此页面，另选一个钱包。
wallet-asks = { $wallet } 正在等您回答。如果没有看到它的窗口，请自己打开。
wallet-pay-fee = 自己付手续费
wallet-pay-fee-with = 用 { $wallet } 自己付手续费
wallet-open-free = 用 { $wallet } 免费打开
wallet-of-browser = 此浏览器的钱包
wallet-no-account = { $wallet } 没有使用任何账户，而这份礼物是为 { $recipient } 封存的。请在钱包中选择那个账户，再试一次。
wallet-other-account = { $wallet } 使用的是账户 { $account }，而这份礼物是为 { $recipient } 封存的。请在钱包中选择那个账户，再试一次。
wallet-names-none = { $wallet } 没有给出账户。请手动输入地址。
wallet-choose-network = 请在 { $wallet } 中选择网络 { $network }，再试一次。
wallet-unknown-network = { $wallet } 还不认识这份礼物的网络。请在 { $wallet } 的设置中的“网络”里添加：{ $network }，链 ID { $number }，货币 ETH。然后再试一次。
wallet-other-network = 这份礼物与您的钱包不在同一个网络上。请在 { $wallet } 中选择网络 { $network }，再试一次。
wallet-wrong-recipient = 这份礼物是为另一个账户封存的。请在钱包中选择那个账户，再试一次。
wallet-empty-gift = 这份礼物里已经没有东西了。
wallet-declined = 您在 { $wallet } 中拒绝了。什么都没有发生。
wallet-pending = { $wallet } 已经在问您一件事。请先在那里回答。
wallet-no-ether = 您的钱包里没有足够的 ETH 来付网络手续费。如果这里有免手续费的方法，可以用那个方法。
wallet-failed = { $wallet } 没能完成。什么都没有发生：请再试一次。
wallet-look = 请看看您的钱包
wallet-silent = 已在途中，但现在没有收到回应。正在再次询问……
wallet-still = 就此页面所知，它已在途中。如果您在钱包中中止了，可以重新开始；同一份礼物不会被打开两次。
wallet-was-asked = 此页面重新加载之前，已经问过您的钱包。如果您在那里同意了，礼物就在途中；如果没有，请重新开始。同一份礼物不会被打开两次。
start-again = 重新开始

## Where it lands

destination = 您想收到哪里？
destination-own = 收到您自己的钱包
destination-own-words = 马上就到，您不用付手续费。
destination-none = 没有钱包？请在下面选择“{ $keep }”。
destination-label = 您的钱包地址
destination-look = 核对地址
destination-scan = 用相机扫描二维码
destination-no-camera = 这里无法使用相机。请手动输入地址。
destination-use-wallet = 使用 { $wallet }
destination-gift-wallet = 留在礼物钱包
destination-kept-paper = 它留在您密钥单上的密钥名下。以后要转走，需付网络手续费。请让您完全信任的人帮忙：密钥只在您自己的钱包应用中输入一次，绝不输入到别处。
destination-kept-email = 它留在您邮箱地址的钱包里。以后要转走，请在 { $site } 运营者的应用中登录那个钱包，并付网络手续费；其他钱包应用打不开它。
destination-keep = 留在礼物钱包里
destination-confirm = 这是您的钱包吗？
destination-compare = 请把每个字符都与您钱包应用显示的地址对照。有些程序会在复制时偷换地址。
destination-unchecked = 这个地址没有校验字母：如果有错，无法发现。
destination-final = 发到错误的钱包，就再也拿不回来了。
destination-yes = 是的，发到那里
destination-another = 换一个
destination-no-address = 这不是钱包地址。钱包地址以 0x 开头，后面有 40 个字母和数字。
destination-other-network = 这个二维码属于另一个网络。请使用这份礼物所在网络的地址。
destination-mistake = 这个地址有一个字母或数字不对。请再复制一次。
destination-nobody = 没有人有这个地址的密钥：发到那里就丢了。
destination-contract = 这是合约的地址，不是钱包的地址：发到那里就丢了。
destination-bare-contract = 这个地址上有一个程序，它没有表明自己是钱包。如果没有人能把它当钱包用，发到那里的就永远丢了。
destination-same = 这就是礼物钱包本身。如果想把礼物留在里面，请在下面选择。

## On its way

on-its-way = 您的礼物在途中
step-signed = 已在这台设备上签名
step-handed = 已交给网络
step-confirmed = 网络已确认
sending-signature = 正在发送您的签名……
looking-where = 正在查看您的礼物在哪里……
service-silent = 服务现在没有回应，正在再次询问……
now-arrived = 您的签名已送达，正在发往网络……
now-predecessor = 您的另一份礼物先走。这一份会自动跟上……
now-sending = 正在发往网络……
now-broadcast = 已在途中。网络通常用不了一分钟……
now-mined = 您的礼物到了！网络正在做最后确认……
now-failed = 网络拒绝了这笔交易。正在做最后确认，大约需要一刻钟。之后您可以再试一次。
why-fees = 网络现在很忙，手续费很高。等手续费降下来，您的礼物就会继续。
why-balance = 服务用来付网络手续费的钱包需要先充值。之后您的礼物会自动继续。
why-daily-cap = 今天的网络手续费预算暂时没有余额。一有余额，您的礼物就会自动继续。
why-chain = 网络现在没有回应。一有回应，您的礼物就会自动继续。
why-earlier = 前面还有别人的礼物要先发往网络。您的会自动跟上。
why-paused = 目前暂停代付网络手续费。恢复之后，您的礼物会自动继续。
why-would-fail = 网络现在会拒绝这笔交易。之后会自动重试。
meanwhile = 您可以让此页面开着，也可以以后再来。一小时后，会请您再打开一次。
choose-another-way = 选择其他方法
see-transaction = 查看交易 { $hash }
transaction = 交易 { $hash }
not-yet = 这次还没有成功
see-what-works = 看看现在哪些方法可用
nothing-sent = 什么都没有发送：礼物还在那里。
trouble-reverted = 网络拒绝了这笔交易。什么都没有转走：礼物还在那里。
trouble-refused = 网络拒绝了这笔交易。礼物还在那里。
trouble-expired = 没能及时发送，所以什么都没有转走。礼物还在那里：请再试一次。
trouble-superseded = 这个钱包有另一笔交易先发出了。礼物可能还在那里：请再看一次。
trouble-cancelled = 收礼的钱包取消了这次操作。礼物还在那里。
trouble-unknown = 操作已结束，但没有收到您的礼物：请再看一次。

## Received

you-opened = 您已打开这份礼物。
it-is-yours = 它是您的了
arrived-at = { $gift } 已到达 { $account }。
was-paid-out = { $gift } 已付出。
received-paper = 它现在在您密钥单上的密钥所属的钱包里：请收好密钥单。要把礼物转走，请让您完全信任的人帮忙：密钥只在您自己的钱包应用中输入一次，绝不输入到别处。
received-email = 它现在在您邮箱地址的钱包里，由登录服务商 Turnkey 为您保管。能看到您邮件的人都能使用那个钱包，所以请保护好您的邮箱。这个页面只用来打开礼物。要把它转走，请在 { $site } 运营者的应用中登录那个钱包：其他钱包应用打不开它。请向运营者询问在哪里登录。邮件里的验证码，绝不要告诉任何人。
received-wallet = 它现在在您的钱包里。
received-own = 它在您指定的钱包里。您不再需要礼物钱包了。
received-either = 请看看您指定的钱包，再看看礼物钱包：它在其中一个里。
fee-from-gift = 以后转走要付一点网络手续费，会从收到的 ETH 中扣除。
fee-needs-ether = 打开是免费的。只有以后转走时才要付一点 ETH 作为网络手续费。谁为此写信给您，都不要付钱，请问问家人。

## Why something did not work

no-fee-spent = 今天代付礼物网络手续费的预算已用完。{ $time } 会有新的预算。
no-fee-reserved = 今天代付礼物网络手续费的预算，已被正在途中的礼物占用。请过二十分钟再试。
no-fee-here = 这里不为收礼人代付网络手续费。
no-fee-paused = 目前暂停为收礼人代付网络手续费。请稍后再试。
no-fee-unknown = 目前无法知道能否为您代付网络手续费。请过几分钟再试。
locked = 按网络时钟，礼物还锁着。请过一分钟再试。
already-opened = 这份礼物已经打开过了。
too-late = 等了太久才发送。什么都没有发生：请再试一次。
signer-paused = 这个钱包今天有一次提取在网络上失败了：明天之前不再为它代付手续费。
nonce-mismatch = 这个钱包的另一份礼物正在途中，或者这一份已经在途中。请等一分钟，再试一次。
already-used = 这个之前已经发送过。请再试一次：页面会查看礼物在哪里。
signer-mismatch = 这个签名没有被认作封存时指定的钱包的签名。什么都没有发生。如果用的是智能钱包，您可以自己付手续费。
gift-not-found = 找不到这份礼物了。请重新加载页面。
chain-unavailable = 目前连不上网络。什么都没有丢：请过几分钟再试。
would-fail = 网络现在会拒绝这笔交易，或者它所需的手续费超出了这里代付的范围，所以没有发送。请稍后再试。如果用的是智能钱包，您可以自己付手续费。
problem-request = 服务无法处理此页面发送的内容。什么都没有发生：请重新加载页面，再试一次。
problem-service = 服务目前出了故障。什么都没有丢：请过几分钟再试。
problem-destination = 礼物不能发送到那个地址。什么都没有发生：请换一个您自己的钱包再试一次。
problem-no-destination = 这份礼物只能收到礼物钱包里。什么都没有发生：请重新加载页面，再打开一次。
problem-not-opened-here = 此页面打不开这份礼物里的东西。什么都没有丢：请问问送您礼物的人该怎么打开。
problem-unknown = 服务拒绝了，原因是此页面不认识的：{ $code }。请重新加载页面，再试一次。如果再次发生，请把这个词告诉帮助您的人。
too-often = 尝试次数太多了。请等{ $wait }再试。
service-away = 服务没有回应。您连上互联网了吗？什么都没有丢：请稍后再试。
went-wrong = 此页面出了点问题。礼物没有受到任何影响：请重新加载页面，再试一次。
