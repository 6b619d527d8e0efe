## Occasions, with messages a giver may start from: greetings of the language, not word by word

occasion-gift = 一份礼物
gift-1 = 小小心意，为你封存，等到那一天打开。
gift-2 = 这是我特意为你留的。到了那天打开它，想想我。
gift-3 = 送给你，带着我的爱。
occasion-birthday = 生日
birthday-1 = 生日快乐！这份礼物要等一等，但它是你的。
birthday-2 = 又是有你的一年，这就是最值得庆祝的事。生日快乐！
birthday-3 = 愿新的一岁事事顺心。爱你，生日快乐！
occasion-wedding = 婚礼
wedding-1 = 祝你们百年好合，携手共创美好的未来。
wedding-2 = 愿你们往后的每一天，都有平凡的小幸福。
wedding-3 = 新婚快乐！愿你们永结同心，岁岁年年。
occasion-anniversary = 周年纪念
anniversary-1 = 走过的岁月珍贵，往后的日子更长。周年快乐！
anniversary-2 = 我最喜欢的故事，一直是你们的故事。周年快乐！
anniversary-3 = 为我们走过的日子，献上我全部的爱。
occasion-new-baby = 宝宝出生
new-baby-1 = 欢迎来到这个世界！等你长大了，这份礼物还在等你。
new-baby-2 = 今天还是小宝贝，明天快快长大：这份礼物留给你往后的岁月。
new-baby-3 = 你来了，我们真高兴。
occasion-graduation = 毕业
graduation-1 = 你做到了！我们为你骄傲。
graduation-2 = 这是一个新的起点。祝你前程似锦！
graduation-3 = 那些没人看见的努力，今天都有了回报。恭喜毕业！
occasion-bar-bat-mitzvah = 犹太成人礼
bar-bat-mitzvah-1 = 恭贺成人礼！今天我们为你骄傲。
bar-bat-mitzvah-2 = 这一天值得铭记，这份礼物留给往后的岁月。
bar-bat-mitzvah-3 = 在你的大日子，送上我们的爱。愿你一天比一天更好。
occasion-thank-you = 感谢
thank-you-1 = 感谢的话，一张卡片写不下。
thank-you-2 = 在最要紧的时候，有你在。谢谢你。
thank-you-3 = 一点小心意，感谢你的深情厚意。
occasion-new-home = 乔迁
new-home-1 = 恭贺乔迁！愿新家常有亲朋相聚，笑语满堂。
new-home-2 = 新的门，新的钥匙，新的开始。乔迁大吉！
new-home-3 = 给新家添一点心意，用在需要的地方。
occasion-someday = 未来某一天
someday-1 = 不为什么日子，只因为是你。它会慢慢长大，直到你打开它。
someday-2 = 留给你需要它的那天，或者想要它的那天。
someday-3 = 今天我想起了你。总有一天，你会读到这句话。
occasion-valentine = 情人节
valentine-1 = 今天是你，每一天都是你。
valentine-2 = 早在这份礼物封存之前，我的心就已经给了你。
valentine-3 = 永远爱你。
occasion-new-year = 元旦
new-year-1 = 祝新的一年身体健康，好运常伴，亲友常聚！
new-year-2 = 愿一切都有美好的开始。新年快乐！
new-year-3 = 愿新的一年平安顺遂，温柔待你。
occasion-christmas = 圣诞节
christmas-1 = 圣诞快乐！这份礼物要在圣诞树下多放一会儿。
christmas-2 = 愿这个圣诞平安、温暖，有亲友相伴。
christmas-3 = 圣诞节爱你，一年到头都爱你。
occasion-hanukkah = 光明节
hanukkah-1 = 光明节快乐！愿你的家充满光明。
hanukkah-2 = 八夜烛光，还有一份礼物，等着它的日子。
hanukkah-3 = 祝你和家人光明节快乐，幸福美满。
occasion-eid = 尔德节
eid-1 = 尔德节吉庆！愿这一天带给你喜悦与平安。
eid-2 = 尔德节到了，向你和家人送上温暖的祝福。
eid-3 = 尔德节吉庆！送上我的爱和最美好的祝愿。
occasion-diwali = 排灯节
diwali-1 = 排灯节快乐！愿光明伴你一整年。
diwali-2 = 愿光明、甜蜜和好运常伴你和家人。
diwali-3 = 祝你度过一个明亮快乐的排灯节。
occasion-easter = 复活节
easter-1 = 复活节快乐！有些东西，值得慢慢寻找。
easter-2 = 春光明媚，送你一份小惊喜。
easter-3 = 祝你和家人复活节快乐。
occasion-lunar-new-year = 春节
lunar-new-year-1 = 新春大吉！愿好运常来找你。
lunar-new-year-2 = 恭贺新春！祝身体健康，恭喜发财，阖家幸福。
lunar-new-year-3 = 新年添一点红，添一点福，再添一份会长大的心意。

## The giver's wallet

seal-a-gift = 封存一份礼物
your-wallet = 您的钱包
giver-no-wallet = 还没有找到钱包。用手机时，请在钱包应用内的浏览器中打开此页面；用电脑时，请使用装有您钱包的浏览器。
giver-connect = 连接 { $wallet }
giver-account = { $wallet }：{ $network } 上的 { $account }
giver-connect-first = 请先连接钱包。
giver-connect-above = 请先连接您的钱包：它在此页面顶部。
giver-no-chain = 这里没有可用的网络。
giver-declined = 钱包拒绝了。什么都没有发送。
giver-refused = 网络拒绝了。您的钱包里够吗？
giver-too-little = 您的钱包里不够。
giver-failed = 没有成功。请再试一次。
giver-was-asked = 此页面重新加载时，您的钱包正被请求封存一份礼物。请先看看钱包：如果已经发送，礼物就已封存，印好的密钥单有效。再封存一次，就是第二份礼物了。

## The form

form-gift = 礼物
form-occasion = 场合
form-language = 礼物的语言
form-to = 送给（名字）
form-from = 来自（您的名字）
form-note = 您的留言
form-room = 已用 { $used } 个字符，最多 { $most } 个
form-inside = 里面放什么
form-asset = 赠送
form-amount = 数量
form-opens = 打开日期
form-chain-clock = 以网络时钟为准，那里现在是 { $moment }。
form-how = 收礼人怎么打开
form-paper = 用印出来的密钥：您打印密钥单，交给收礼人
form-wallet = 用收礼人已有的钱包：您知道它的地址
form-email = 用收礼人的邮箱地址：打开时会向那里发送验证码
form-wallet-address = 收礼人的钱包地址
form-email-address = 收礼人的邮箱地址
form-continue = 继续
letter-long-name = 名字最多 { $most } 个字符。
letter-long-note = 留言最多 { $most } 个字符。
letter-hidden = 名字或留言中有控制字符或不可见字符。
letter-address = 有一个名字看起来像网址或邮箱地址。请换一种写法。
letter-marks = 有一个名字在一个字母上叠加了太多符号。
letter-too-long = 名字和留言加起来太长，链接里放不下。
form-no-day = 请选择礼物打开的时间。
form-future = 打开时间必须在将来。
form-too-far = 礼物要在 { $years } 年之内打开。请检查年份：以后谁也不能更改。
form-two-readings = “{ $typed }”可以有两种理解。如果您指的是千位，请写 { $thousands }；如果不是，请写 { $small }。
form-whole-amount = 请填写 { $symbol } 的数量：用整数，例如 2。
form-bad-amount = 请填写 { $symbol } 的数量：例如 { $example }，最多 { $decimals } 位小数，不要用千位分隔符。
form-no-amount = 请填写数量。
form-no-address = 这不是钱包地址。
form-no-email = 这不是邮箱地址。

## The review

review = 请再读一遍
review-gift = 礼物
review-amount = { $network } 上的 { $gift }
review-for = 送给
review-for-paper = 持有密钥单的人。请像保管现金一样保管它。
review-for-email = 能看到邮箱 { $email } 的人。如果还没有钱包，会为它建立一个。
review-for-wallet = 钱包 { $address }。只有它能打开礼物。
review-opens = 打开日期
review-lands = 到达哪里
review-lands-own = 收礼人打开时，自己选择到达哪里：自己的钱包，或邮箱地址的钱包。
review-lands-email = 到收礼人邮箱地址的钱包里，由登录服务商 Turnkey 保管。只有在 { $site } 运营者的应用中才能把它从那里转走，其他钱包应用打不开那个钱包。请向运营者询问在哪里操作，并告诉收礼人。
review-moment = { $moment }（您所在的时区）
review-fee = 网络手续费
review-fee-words = 由您用 ETH 支付。您同意之前，钱包会显示金额。
review-final = 一旦封存，这里的一切都不能更改。谁也不能收回礼物，谁也不能提前打开：您不能，我们也不能。
review-seal = 封存礼物
review-change = 修改
sheet-first = 请先打印密钥单
sheet-first-words = 密钥只存在于此页面，您一离开就没有了。没有密钥单，谁也永远打不开礼物。
sheet-printed = 已经打印，上面的密钥我看得清楚。
sheet-not-printed = 请先打印密钥单，并在上面勾选。
sheet-throw-away = 如果您已经打印了那张密钥单，请把它扔掉：没有任何礼物封存给它的密钥。

## Sealing

sealing-sign-recipient = 请在钱包中签名，确认礼物送给谁。之后查找或建立收礼人的钱包，可能需要一分多钟。
sealing-confirm = 请在钱包中确认交易（第 { $number } 笔，共 { $all } 笔）。
sealing-on-its-way = 交易正在途中（第 { $number } 笔，共 { $all } 笔）。
sealing-too-late = 打开的时间已经到了。请选择更晚的时间。
sealing-refused = 网络拒绝了。什么都没有封存。
sealed = 礼物 { $number } 已封存。打开日期：{ $moment }。
sealed-not-kept = 这个浏览器不会保存任何内容：请现在就保存链接。
seal-another = 再封存一份礼物

## Afterwards

kept-gift = 礼物 { $number }
kept-title = 在这里封存的礼物
kept-some = 这个浏览器记着您在其中封存的礼物的链接。别处都没有。
kept-none = 这个浏览器会记住您在其中封存的礼物的链接。别处都没有。
kept-item-for = { $occasion }，送给{ $name }，礼物 { $number }
kept-item = { $occasion }，礼物 { $number }
kept-show = 显示
kept-show-item = 显示：{ $item }
kept-forget = 忘记
kept-forget-item = 忘记：{ $item }
kept-forget-sure = 永久忘记：链接无法再次生成
list-title = 您封存的内容
list-none = 此钱包还没有封存任何内容。
list-unread = 现在无法读取您封存内容的列表。以下是您的浏览器记住的内容。
list-broken = 现在无法读取列表的其余部分。
list-rest = 您的浏览器还记得这些：来自其他钱包、较早、刚刚创建，或已不在链上。
list-more = 显示更多
list-regular = 时间锁 { $number }
list-soft = 软时间锁 { $number }
list-sealed-until = 已封存。将于 { $moment } 打开。
list-sealed = 已封存。没有设定打开日期。
list-open = 自 { $moment } 起可以打开。
list-ended = 已结束。其中的内容已被取出。
link-words = 礼物的链接。拿到链接的人都能读到您的留言，但只有收礼人能打开礼物。
link-copy = 复制链接
link-copied = 已复制。
link-not-allowed = 您的浏览器不允许这样做。请从这里复制链接。
page-sheet = 密钥单
page-card = 礼物卡片
page-record = 礼物记录
page-as-printed = { $page }（打印效果）
page-print = 打印
page-save = 保存为 PNG
page-not-saved = 无法保存。什么都没有保存：请打印。
page-withheld = 为了防止跟踪，这个浏览器不让页面取得图片。什么都没有保存：请打印。
page-not-drawn = { $page }：现在无法生成。请在下面重新显示礼物。
page-does-not-fit = { $page }：{ $why }
record-needs-wallet = 连接您的钱包，就能同时得到礼物记录。
fonts-missing = 无法加载字体。请再试一次。

## Telling the recipient by email

notify = 需要的话，用邮件通知收礼人
notify-email = 收礼人的邮箱地址
notify-when = 何时通知
notify-now = 现在，以及打开那天
notify-scheduled = 我选的日子，以及打开那天
notify-opening = 只在打开那天
notify-day = 通知日期
notify-privacy = 地址和链接会加密保存，直到礼物打开，不会发给其他任何人。
notify-go = 请通知收礼人
notify-no-email = 请填写收礼人的邮箱地址。
notify-no-day = 请选择日期和时间。
notify-bad-day = 请选择从现在起、礼物于 { $moment } 打开之前的时间。
notify-done = 会通知收礼人。
notify-done-on = 会在 { $moment } 通知收礼人，打开那天再通知一次。

## The printed pages

print-for = 送给{ $name }
print-from = 来自{ $name }
print-opens = 打开日期：{ $day }
print-scan = 扫码查看您的礼物
print-scan-opens = 扫码查看您的礼物。打开日期：{ $day }。
print-note-too-long = 留言行数太多，卡片最多放得下 { $most } 行。
print-code-too-long = 留言太长，印出来的二维码放不下。
print-letter-too-long = 名字和留言太长，密钥单上的二维码放不下，最多 { $room } 字节（一个普通字母占一个字节，其他字符占二到四个）。
sheet-key = 这份礼物的密钥
sheet-key-words = 看到这个密钥的人就能拿走礼物。不要给任何人看，只在打开日或之后，在封面二维码打开的页面上输入。
sheet-opens-for = 它能打开为 { $address } 封存的礼物
sheet-closing = 合上的方法：把这一面折到封面后面，再把最下面一面盖上来，最后封好边缘。
sheet-how = 如何打开您的礼物
sheet-look = 看一看
sheet-look-words = 用手机扫描封面上的二维码。页面会显示里面有什么、何时打开。
sheet-wait = 等一等
sheet-wait-words = 请不要拆开，像现金一样收好。丢了谁也无法补，送礼的人也不能。
sheet-open = 打开
sheet-open-words = 到了那天或之后，展开密钥单，再次打开页面。在那里扫描或输入密钥。
sheet-keep = 收好
sheet-keep-words = 之后礼物就在这个密钥的钱包里。在转到您自己的钱包之前，请一直保管好密钥单。
sheet-no-camera = 没有相机？请访问
sheet-safety = 帮助您的人都不需要密钥。不管谁来要，都不要拍照、发送或念出来。

## The gift record

record-title = 礼物记录
record-subtitle = 供赠送人存档
record-value = 封存当日（{ $day }）的公允市场价值
record-no-source = 没有价格来源
record-no-price = 打印本记录时，没有 { $symbols } 在当日的可靠价格。价值需要另行查找。
record-price-recorded = 当日记录的价格
record-price-older = 封存时的最新价格，属于另一天
record-price-now = 打印时的价格，属于同一天
record-price-now-older = 打印时的价格，属于另一天
record-price = 1 { $symbol } = US$ { $price }（Chainlink 第 { $round } 轮，{ $moment }）
record-basis = { $how }：{ $prices }。
record-given = 赠送内容
record-sealed = 封存于
record-opens = 打开日期
record-given-by = 赠送人
record-giver = 赠送人账户
record-given-to = 收礼人
record-sealed-for = 封存给
record-network = 网络
record-network-words = { $network }（链 ID { $number }）
record-number = 礼物编号
record-contract = 合约
record-transaction = 交易代码
record-seen-at = 查看网址
record-base-units = { $token } 基本单位
record-moment = { $day } { $time } UTC
record-disclaimer = 本记录不是税务建议，也不是估价。它写明公共区块链上的内容；有价格来源时，还写明据此算出的价值。礼物如何估价和申报、由谁、何时申报，取决于适用于您的法律：请咨询专业人士。
