## Occasions, with messages a giver may start from: greetings of the language, not word by word

occasion-gift = 贈り物
gift-1 = ささやかな贈り物です。開く日まで封をしておきます。
gift-2 = あなたのために取っておきました。その日が来たら開けて、私を思い出してください。
gift-3 = 愛をこめて、あなたへ。
occasion-birthday = 誕生日
birthday-1 = お誕生日おめでとう！少し待ってもらうけれど、これはあなたのものです。
birthday-2 = またひとつ年を重ねたあなたに、心からお祝いを。お誕生日おめでとう！
birthday-3 = すてきな一年になりますように。お誕生日おめでとう。
occasion-wedding = 結婚
wedding-1 = ご結婚おめでとうございます。お二人で築いていく毎日に。
wedding-2 = 穏やかで幸せな日々がいつまでも続きますように。
wedding-3 = 今日も、これからの年月も、お二人の幸せを願っています。
occasion-anniversary = 結婚記念日
anniversary-1 = 歩んできた年月と、これからの長い年月に。結婚記念日おめでとう！
anniversary-2 = お二人の物語が、今もいちばん好きです。結婚記念日おめでとう。
anniversary-3 = 私たちのために、愛をこめて。
occasion-new-baby = 出産
new-baby-1 = ようこそ、この世界へ！大きくなるまで、これが待っています。
new-baby-2 = 小さな命の、これからの大きな年月への贈り物です。
new-baby-3 = 生まれてきてくれて、ありがとう。
occasion-graduation = 卒業
graduation-1 = よくがんばりました！本当に誇らしいです。
graduation-2 = 新しい門出に。これから始めることのために。
graduation-3 = 人知れず積み重ねた努力に、心からおめでとう。
occasion-bar-bat-mitzvah = バル・バトミツバ
bar-bat-mitzvah-1 = マゼルトフ！今日のあなたを誇りに思います。
bar-bat-mitzvah-2 = 忘れられない一日と、これからの年月のために。
bar-bat-mitzvah-3 = あなたの大切な日に、愛をこめて。これからもたくましく。
occasion-thank-you = お礼
thank-you-1 = カードには書ききれないほど、ありがとう。
thank-you-2 = 大切なときにそばにいてくれて、ありがとう。
thank-you-3 = 大きなご親切に、ささやかなお礼です。
occasion-new-home = 新居
new-home-1 = 笑顔の集まるお住まいになりますように。
new-home-2 = 新しい扉、新しい鍵、新しい毎日。ご新居おめでとう！
new-home-3 = 新しい家のために、必要なものに使ってください。
occasion-someday = いつか
someday-1 = 特別な日ではなく、ただあなたのために。開けるまで育っていきます。
someday-2 = 必要になった日に、または開けたくなった日に。
someday-3 = 今日、あなたのことを思いました。いつか読んでくれますように。
occasion-valentine = バレンタイン
valentine-1 = 今日も、ほかのどの日も、あなたへ。
valentine-2 = この贈り物よりずっと前から、私の心はあなたのものです。
valentine-3 = いつまでも、愛をこめて。
occasion-new-year = お正月
new-year-1 = 新しい年が健康と幸運に恵まれますように！
new-year-2 = 新しい始まりに。あけましておめでとう！
new-year-3 = 穏やかな一年になりますように。
occasion-christmas = クリスマス
christmas-1 = メリークリスマス！この贈り物は、もう少しツリーの下で待っています。
christmas-2 = あたたかく穏やかなクリスマスになりますように。
christmas-3 = クリスマスに、そして一年じゅう、愛をこめて。
occasion-hanukkah = ハヌカ
hanukkah-1 = ハヌカおめでとう！お家が光で満たされますように。
hanukkah-2 = 八夜の光と、その日を待つひとつの贈り物を。
hanukkah-3 = ご家族みなさまに、明るく幸せなハヌカを。
occasion-eid = イード
eid-1 = イード・ムバラク！喜びと平安の一日になりますように。
eid-2 = イードのお祝いを、あなたとご家族に。
eid-3 = イード・ムバラク。愛と祝福をこめて。
occasion-diwali = ディワリ
diwali-1 = ディワリおめでとう！光あふれる一年になりますように。
diwali-2 = あなたとご家族に、光と甘い喜びと幸運を。
diwali-3 = 明るく幸せなディワリになりますように。
occasion-easter = イースター
easter-1 = ハッピーイースター！探す楽しみのある贈り物です。
easter-2 = 春と日の光と、小さなサプライズをあなたに。
easter-3 = あなたとご家族に、楽しいイースターを。
occasion-lunar-new-year = 春節
lunar-new-year-1 = 春節おめでとう！幸運が訪れますように。
lunar-new-year-2 = 新しい年が健康と繁栄と幸せに恵まれますように。
lunar-new-year-3 = 新しい年に、赤いもの、縁起のよいもの、育っていくものを。

## The giver's wallet

seal-a-gift = 贈り物を封印する
your-wallet = あなたのウォレット
giver-no-wallet = まだウォレットが見つかりません。スマートフォンではウォレットアプリ内のブラウザで、パソコンではウォレットの入ったブラウザで、このページを開いてください。
giver-connect = { $wallet } を接続
giver-account = { $wallet }: { $account }（{ $network }）
giver-connect-first = 先にウォレットを接続してください。
giver-connect-above = 先にウォレットを接続してください。このページのいちばん上にあります。
giver-no-chain = ここで扱うチェーンはありません。
giver-declined = ウォレットで拒否されました。何も送られていません。
giver-refused = チェーンが拒否しました。ウォレットに足りる額がありますか？
giver-too-little = ウォレットの残高が足りません。
giver-failed = うまくいきませんでした。もう一度お試しください。
giver-was-asked = このページが読み込み直されたとき、ウォレットに封印の確認が送られていました。先にウォレットを見てください。送信済みなら封印されており、印刷した用紙も有効です。もう一度封印すると、二つ目の贈り物になります。

## The form

form-gift = 贈り物
form-occasion = お祝いの種類
form-language = 贈り物の言語
form-to = 贈る相手（名前）
form-from = 贈り主（あなたの名前）
form-note = メッセージ
form-room = { $used } / 最大 { $most } 文字
form-inside = 中身
form-asset = 贈るもの
form-amount = 数量
form-opens = 開く日
form-chain-clock = チェーンの時計では、今は { $moment } です。
form-how = 開け方
form-paper = 印刷した鍵で：用紙を印刷して手渡します
form-wallet = 相手のウォレットで：アドレスを知っている場合
form-email = 相手のメールアドレスで：開けるときにコードが届きます
form-wallet-address = 相手のウォレットのアドレス
form-email-address = 相手のメールアドレス
form-continue = 続ける
letter-long-name = 名前は最大 { $most } 文字です。
letter-long-note = メッセージは最大 { $most } 文字です。
letter-hidden = 名前かメッセージに、制御文字か見えない文字が入っています。
letter-address = 名前がウェブかメールのアドレスのように読めます。別の書き方にしてください。
letter-marks = 名前の一つの文字に、記号が重なりすぎています。
letter-too-long = 名前とメッセージが、リンクには長すぎます。
form-no-day = 贈り物が開く日時を選んでください。
form-future = 開く日時は未来にしてください。
form-too-far = 開く日時は { $years } 年以内にしてください。年を確認してください。後からは誰も変えられません。
form-two-readings = 「{ $typed }」は二通りに読めます。千の位なら { $thousands }、そうでなければ { $small } と書いてください。
form-whole-amount = { $symbol } の数量を、2 のような整数で書いてください。
form-bad-amount = { $symbol } の数量を { $example } のように書いてください。小数は最大 { $decimals } 桁、千の位の区切りは使いません。
form-no-amount = 数量を書いてください。
form-no-address = ウォレットのアドレスではありません。
form-no-email = メールアドレスではありません。

## The review

review = もう一度お読みください
review-gift = 贈り物
review-amount = { $gift }（{ $network }）
review-for = 受取先
review-for-paper = 印刷した用紙を持つ人。現金と同じように保管してください。
review-for-email = メールボックス { $email } を読める人。まだウォレットがなければ作られます。
review-for-wallet = ウォレット { $address }。ここだけが贈り物を開けられます。
review-opens = 開く日
review-lands = 届く場所
review-lands-own = 開けるときに、受取人が届け先を選びます。自分のウォレットか、メールアドレスのウォレットです。
review-lands-email = サインインサービスの Turnkey が管理する、相手のメールアドレスのウォレット。そこから移せるのは { $site } の運営者のアプリだけで、ほかのウォレットアプリではそのウォレットを開けません。どのアプリか運営者に聞き、受取人に伝えてください。
review-moment = { $moment }（あなたのタイムゾーン）
review-fee = ネットワーク手数料
review-fee-words = ETH で支払います。同意する前に、ウォレットが金額を表示します。
review-final = 封印すると、何も変えられません。あなたも私たちも、贈り物を取り戻したり、早く開けたりすることはできません。
review-seal = 贈り物を封印する
review-change = 変更する
sheet-first = 先に鍵の用紙を印刷してください
sheet-first-words = 鍵は、離れるまでこのページだけにあります。用紙がなければ、誰も贈り物を開けられません。
sheet-printed = 印刷しました。鍵を読み取れます。
sheet-not-printed = 先に用紙を印刷し、上でチェックしてください。
sheet-throw-away = 用紙を印刷していたら、捨ててください。その鍵には何も封印されていません。

## Sealing

sealing-sign-recipient = 誰あてかを、ウォレットで署名してください。相手のウォレットを探すか作るのに、1 分以上かかることがあります。
sealing-confirm = ウォレットで取引 { $number } / { $all } を確認してください。
sealing-on-its-way = 取引 { $number } / { $all } を送信中です。
sealing-too-late = その間に開く日時が来てしまいました。もっと後の日時を選んでください。
sealing-refused = チェーンが拒否しました。何も封印されていません。
sealed = 贈り物 { $number } を封印しました。{ $moment } に開きます。
sealed-not-kept = このブラウザは何も保存しません。今すぐリンクを保存してください。
seal-another = もう一つ封印する

## Afterwards

kept-gift = 贈り物 { $number }
kept-title = ここで封印した贈り物
kept-some = このブラウザは、ここで封印した贈り物のリンクを覚えています。ほかの誰も持っていません。
kept-none = このブラウザは、ここで封印する贈り物のリンクを覚えます。ほかの誰も持ちません。
kept-item-for = { $occasion }、{ $name } さんへ、贈り物 { $number }
kept-item = { $occasion }、贈り物 { $number }
kept-show = 表示
kept-show-item = 表示：{ $item }
kept-forget = 忘れる
kept-forget-item = 忘れる：{ $item }
kept-forget-sure = 完全に忘れる（リンクは作り直せません）
list-title = 封印したもの
list-none = このウォレットでは、まだ何も封印していません。
list-unread = 封印したものの一覧を今は読み込めません。以下はこのブラウザが覚えているものです。
list-broken = 一覧の残りを今は読み込めません。
list-rest = このブラウザはこれらも覚えています。別のウォレットのもの、古いもの、できたばかりのもの、またはチェーン上にもうないものです。
list-more = もっと見る
list-regular = タイムロック { $number }
list-soft = ソフトタイムロック { $number }
list-sealed-until = 封印中です。{ $moment } に開きます。
list-sealed = 封印中です。開く日は決まっていません。
list-open = { $moment } から開けます。
list-ended = 終了しました。中身はすでに取り出されています。
link-words = 贈り物のリンクです。持つ人はメッセージを読めますが、贈り物を開けられるのは受取人だけです。
link-copy = リンクをコピー
link-copied = コピーしました。
link-not-allowed = ブラウザが許可しませんでした。ここからリンクをコピーしてください。
page-sheet = 鍵の用紙
page-card = ギフトカード
page-record = 贈り物の記録
page-as-printed = { $page }（印刷イメージ）
page-print = 印刷
page-save = PNG で保存
page-not-saved = 保存できませんでした。何も保存されていないので、印刷してください。
page-withheld = このブラウザは追跡防止のため、画像をページに渡しません。何も保存されていないので、印刷してください。
page-not-drawn = { $page }：今は描けません。下から贈り物をもう一度表示してください。
page-does-not-fit = { $page }：{ $why }
record-needs-wallet = 贈り物の記録も作るには、ウォレットを接続してください。
fonts-missing = フォントを読み込めませんでした。もう一度お試しください。

## Telling the recipient by email

notify = よければ、メールで知らせましょう
notify-email = 相手のメールアドレス
notify-when = いつ
notify-now = 今と、開く日に
notify-scheduled = 選んだ日と、開く日に
notify-opening = 開く日だけ
notify-day = 知らせる日時
notify-privacy = アドレスとリンクは、贈り物が開くまで暗号化して保管され、ほかの誰にも送られません。
notify-go = 知らせてもらう
notify-no-email = 相手のメールアドレスを入力してください。
notify-no-day = 日時を選んでください。
notify-bad-day = 今から、贈り物が開く { $moment } より前の日時を選んでください。
notify-done = 相手にお知らせします。
notify-done-on = { $moment } と、開く日にお知らせします。

## The printed pages

print-for = { $name } さんへ
print-from = { $name } より
print-opens = { $day }に開きます
print-scan = 読み取って贈り物を見る
print-scan-opens = コードを読み取ると贈り物が見られます。{ $day }に開きます。
print-note-too-long = メッセージの行が多すぎます。カードに入るのは { $most } 行までです。
print-code-too-long = メッセージが、印刷するコードには長すぎます。
print-letter-too-long = 名前とメッセージが、用紙のコードには長すぎます。入るのは { $room } バイトまでです（英字は 1、ほかの文字は 2 から 4 バイト）。
sheet-key = この贈り物の鍵
sheet-key-words = この鍵を読んだ人は、贈り物を受け取れてしまいます。誰にも見せず、表紙のコードで開くページでだけ、開く日以降に入力してください。
sheet-opens-for = { $address } あての封印を開けます
sheet-closing = 閉じ方：この面を表紙の裏に折り、下の面をその上に折って、端を留めます。
sheet-how = 贈り物の開け方
sheet-look = 見る
sheet-look-words = 表紙のコードをスマートフォンで読み取ります。中身と、開く日がページに表示されます。
sheet-wait = 待つ
sheet-wait-words = この包みは閉じたまま、現金のように安全に保管してください。贈り主を含め、誰も作り直せません。
sheet-open = 開ける
sheet-open-words = 開く日以降に包みを広げ、もう一度ページを開きます。そこで鍵を読み取るか、入力します。
sheet-keep = 保管する
sheet-keep-words = 贈り物はこの鍵のウォレットに入ります。ご自分のウォレットに移すまで、用紙を保管してください。
sheet-no-camera = カメラがない場合：
sheet-safety = 手伝う人に鍵は必要ありません。誰に頼まれても、撮影したり、送ったり、読み上げたりしないでください。

## The gift record

record-title = 贈り物の記録
record-subtitle = 贈り主の控え
record-value = 封印日 { $day } の公正市場価額
record-no-source = 価格の情報源なし
record-no-price = 印刷の時点で、その日の { $symbols } の信頼できる価格がありませんでした。価額は別の方法で調べる必要があります。
record-price-recorded = その日に記録された価格
record-price-older = 封印時の最新の価格（別の日のもの）
record-price-now = 印刷時の価格（同じ日のもの）
record-price-now-older = 印刷時の価格（別の日のもの）
record-price = 1 { $symbol } = US$ { $price }（Chainlink ラウンド { $round }、{ $moment }）
record-basis = { $how }：{ $prices }。
record-given = 贈ったもの
record-sealed = 封印日
record-opens = 開く日
record-given-by = 贈り主
record-giver = 贈り主のアカウント
record-given-to = 受取人
record-sealed-for = 受取先
record-network = ネットワーク
record-network-words = { $network }（チェーン { $number }）
record-number = 贈り物の番号
record-contract = コントラクト
record-transaction = 取引（コード）
record-seen-at = 確認できる場所
record-base-units = { $token } の基本単位
record-moment = { $day } { $time } UTC
record-disclaimer = この記録は税務上の助言でも鑑定でもありません。公開されたチェーン上の事実と、価格の情報源があればそこから計算した価額を示すものです。贈り物を誰がいつどのように評価し申告するかは、あなたに適用される法律によります。専門家にご相談ください。
