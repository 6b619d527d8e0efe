## Greetings, by occasion

greeting-gift = あなたへの贈り物
greeting-birthday = お誕生日おめでとう
greeting-wedding = ご結婚おめでとう
greeting-anniversary = 結婚記念日おめでとう
greeting-new-baby = ようこそ、赤ちゃん
greeting-graduation = ご卒業おめでとう
greeting-bar-bat-mitzvah = マゼルトフ
greeting-thank-you = ありがとう
greeting-new-home = ご新居おめでとう
greeting-someday = いつかの、あなたへ
greeting-valentine = 愛をこめて
greeting-new-year = あけましておめでとう
greeting-christmas = メリークリスマス
greeting-hanukkah = ハヌカおめでとう
greeting-eid = イード・ムバラク
greeting-diwali = ディワリおめでとう
greeting-easter = ハッピーイースター
greeting-lunar-new-year = 春節おめでとう
greeting-to = { $greeting }、{ $name } さん
card-subline = 封をした贈り物があなたを待っています

## The gift and its state

when-open = この贈り物は今、開けられます。
when-claimed = この贈り物は開けられ、受取人に届きました。
opened-on = この贈り物は { $moment } に開けられました。
sealed-until = この贈り物は { $moment } まで封印されています。
inside = 中身
asset-paid-out = { $amount }（ETH で支払い）
asset-without-name = トークン
asset-base-units = { $symbol } { $units } 基本単位
the-gift = 贈り物
advice-link = このリンクを持つ人は誰でも贈り物を見られます。受け取れるのは、封印のときに決められたウォレットだけです。
advice-paper = 鍵は、一緒に渡された用紙に印刷されています。用紙を大切に保管し、鍵は誰にも教えないでください。手伝ってくれる人も鍵を知る必要はありません。
advice-email = この贈り物はあなたのメールアドレスあてに封印されています。開けるときにコードがそこへ届きます。コードは誰にも教えないでください。
advice-email-moving = 中身は、サインインサービスの Turnkey があなたのために管理する、メールアドレスのウォレットに届きます。そこから移せるのは { $site } の運営者のアプリだけで、ほかのウォレットアプリではそのウォレットを開けません。贈り物を開ける前に、どのアプリか運営者に聞いてください。
claimed-paper = 中身は、用紙の鍵のウォレットにあります。ご自分のウォレットに移すまで、用紙を保管してください。
claimed-email = 中身は、サインインサービスの Turnkey があなたのために管理する、メールアドレスのウォレットにあります。あなたのメールを読める人だけがそのウォレットを使えるので、メールボックスを安全に守ってください。このページは贈り物を開けるだけです。移すには、ETH のネットワーク手数料を払い、{ $site } の運営者のアプリでそのウォレットにサインインします。ほかのウォレットアプリでは開けません。どのアプリかは運営者に聞き、メールで届くコードは決して誰にも教えないでください。
seal-forward = 次の人に贈る
about-gift = この贈り物について
fact-sealed = 封印日
fact-opens = 開く日
fact-opened = 開けた日
fact-sealed-for = 受取先
fact-network = ネットワーク
fact-gift = 贈り物
gift-number = 番号 { $number }、コントラクト
letter-stays = 個人的なメッセージがあれば、このリンクの # 記号より後ろに入っています。ブラウザの中に留まり、私たちに送られることはありません。

## No gift is shown

no-gift = ここに贈り物はありません
no-gift-1 = リンクを確認してください。
no-gift-2 = たった今封印された贈り物は、表示まで少し時間がかかることがあります。
cut-off = このリンクは途中で切れています
cut-off-1 = コピーのときなどに一部が失われました。ほかには何も失われていません。贈り物は今の場所で安全です。
cut-off-2 = 受け取ったとおりの、リンク全体を開いてください。
not-served = この贈り物は別のネットワークにあります
not-served-1 = このページの知らないネットワークのリンクです。何も失われていません。贈り物は今の場所で安全です。
not-served-2 = リンクを確認するか、どこで開くのかを贈り主に聞いてください。
not-shown = この贈り物はここでは表示できません
not-shown-1 = このページが知らない、またはもう扱っていないものが入っています。何も失われていません。贈り物は今の場所で安全です。
not-shown-2 = 開け方を贈り主に聞いてください。
not-now = 贈り物を今は表示できません
not-now-1 = 何も失われていません。今の場所で安全です。しばらくしてからもう一度お試しください。
too-many = 少しお待ちください
too-many-1 = この 1 分間に、あなたのネットワークからとても多くの人が贈り物を開こうとしました。
too-many-2 = 何も失われていません。1 分後にこのページを読み込み直してください。
none-for = この用紙の贈り物は見つかりません
none-for-1 = リンクを手で入力した場合は、用紙と見比べてください。文字か数字が違っているかもしれません。
none-for-2 = たった今封印された贈り物は少し時間がかかることがあります。すぐにもう一度お試しください。
not-shown-for = ここで表示できる贈り物は見つかりません
not-shown-for-1 = この用紙あてに、このページが知らない、またはもう扱っていないものが封印されています。何も失われていません。今の場所で安全です。
not-shown-for-2 = まだ贈り物を開けていない場合は、用紙をくれた人に開け方を聞いてください。
not-shown-for-3 = すでに開けた場合、これは別の、知らない人からのものかもしれません。あなたの贈り物の中身は用紙の鍵のウォレットにあります。ご自分のウォレットに移すまで、用紙を保管してください。
mistyped = このリンクには間違いがあります
mistyped-1 = アドレスの文字か数字が印刷と違うか、足りません。何も失われていません。
mistyped-2 = 0x から後ろを用紙と見比べるか、用紙の表紙のコードを読み取ってください。
rewritten = このリンクは途中で書き換えられました
rewritten-1 = メールソフトかフィルターが記号を変えました。何も失われていません。贈り物は今の場所で安全です。
rewritten-2 = アドレス欄で %23 を # に、%3F を ? に戻してください。または、受け取ったとおりのリンクを、別のメールソフトかブラウザで開いてください。

## The letter, the calendar and sharing

letter-label = 個人的なメッセージ
letter-from = { $name } より
letter-unchecked = 名前とメッセージは、このリンクを作った人が書いたものです。誰も確かめていません。
letter-damaged = メッセージの一部が届きませんでした
letter-damaged-1 = リンクの一部が途中で失われたため、メッセージを読めません。贈り物そのものは安全で、このまま開けられます。送ってくれた人に、リンク全体をもう一度送ってもらってください。
calendar-add = この日をカレンダーに追加
calendar-title = あなたへの贈り物が開く日
out-cannot-print = このブラウザでは印刷できません。印刷画面が開きませんでした。ウォレットアプリ内のブラウザは、たいてい印刷できません。
out-saved = ファイルはダウンロードの中にあるはずです。見つからない場合、このブラウザはファイルを保存できません。ウォレットアプリ内のブラウザは、たいてい保存できません。
out-share = 共有
out-not-shared = 共有されませんでした。
out-elsewhere = Safari や Chrome など、別のブラウザでこのページを開いてください。アドレス：
out-copy = アドレスをコピー
out-copied = アドレスをコピーしました。
out-not-copied = ブラウザが許可しませんでした。ここからアドレスをコピーしてください。
calendar-way-out = 日付を書き留めることもできます。このページに書いてあります。
opens-in = あと { $days } { $hours } { $minutes } で開きます。
day-has-come = その日が来ました。少しお待ちください…
share = メッセージを共有する・隠す
share-words = このリンクを持つ人は誰でも贈り物を見られますが、開けられるのは受取人だけです。メッセージはアドレス欄のリンクの一部です。このページを共有したり見せたりする前に、そこから取り除いてください。読み込み直すと消えるので、先にリンク全体をご自分のために保存してください。
share-copy-whole = リンク全体をコピー
share-copied-whole = リンク全体をコピーしました。
share-copy-bare = メッセージなしでコピー
share-copied-bare = メッセージなしのリンクをコピーしました。
share-take-out = メッセージを取り除く
share-taken-out = メッセージはアドレス欄から消えました。今のリンクはメッセージなしで共有できます。
share-not-allowed = ブラウザが許可しませんでした。アドレス欄からリンクをコピーしてください。

## The ways to open it

try-again = もう一度試す
one-moment = 少しお待ちください…
looking-for-way = 開ける方法を探しています…
open-your-gift = 贈り物を開ける
costs-nothing = 費用はかかりません。ネットワーク手数料は代わりに支払われます。
way-paper = 印刷された用紙の鍵で
way-email = メールに届くコードで
way-wallet = 自分のウォレットで
no-codes = 今はコードを送れません。後でもう一度お試しください。
stays-where = 何も失われていません。贈り物は今の場所にあります。
stays-self-paid = 何も失われていません。贈り物は今の場所にあります。それまでは、手数料を自分で払うウォレットだけが開けられます。
look-again = もう一度確認する
wallet-signs = ウォレットが署名しています…
open-my-gift = 贈り物を開ける

## With the printed key

paper-words = 用紙を広げてください。鍵は白い面にあります。鍵はこの端末に留まり、誰にも送られません。ここで署名し、すぐに忘れられます。
paper-legend = 印刷されたとおりの鍵（4 文字 × 16 組）
paper-group = { $groups } 組のうち { $number } 番目
paper-typed-wrong = この贈り物の鍵ではありません。各組を用紙と見比べてください。文字か数字が違っています。
paper-scanned-wrong = この贈り物の鍵ではありません。別の贈り物の用紙ではありませんか？
paper-no-key = そのコードは鍵ではありません。折りたたんだ用紙の内側、白い面のコードを読み取ってください。
paper-bad-letter = { $number } 番目の組に、鍵にはない文字があります。使えるのは 0 から 9 と a から f だけです。
paper-too-short = { $number } 番目の組には 4 文字が必要です。
camera-scan-key = カメラで読み取る
camera-picture = カメラの映像
camera-hold = 白い面の四角いコードをカメラの前にかざしてください。
camera-stop = カメラを止める
camera-unusable-key = ここではカメラを使えません。鍵を入力してください。
camera-or-type = または入力する

## With the email address

email-words = この贈り物はメールアドレスあてに封印されています。アドレスを入力すると、サインインサービスがそこへコードを送ります。どちらも私たちには届きません。
email-label = あなたのメールアドレス
email-send-code = コードを送る
email-none = メールアドレスではないようです。確認してください。
code-words = { $email } へコードを送っています。ここに入力し、誰にも教えないでください。
code-words-reloaded = あなたのアドレスへコードを送っています。ここに入力し、誰にも教えないでください。
code-label = メールのコード
code-none = メールのコードを入力してください。
code-another = 別のコードを送る
code-another-reloaded = 別のコードを送ってもらう
email-another = 別のアドレスを使う
code-wrong = コードが合わないか、もう使えません。いちばん新しいメールを使うか、別のコードを送ってもらってください。
email-wrong = このアドレスではこの贈り物を開けられません。別のアドレスあてに封印されたのかもしれません。
code-too-many = 試行回数が多すぎます。数分待ってから、別のコードを送ってもらってください。
provider-away = サインインサービスが今は応答しません。何も失われていません。しばらくしてからもう一度お試しください。

## With a wallet

wallet-sealed-for = この贈り物はアカウント { $account } あてに封印されています。ウォレットが同意を求めますが、鍵を求めることは決してありません。
wallet-self-paid-works = 手数料を自分で払う方法はいつでも使えます。
wallet-none = このブラウザにウォレットが見つかりません。スマートフォンではウォレットアプリ内のブラウザで、パソコンではウォレットの入ったブラウザで、このリンクを開いてください。
wallet-apps = このスマートフォンにウォレットアプリがありますか。このページをその中で開いてください。
wallet-apps-letter = メッセージはここに残り、いっしょには送られません。アプリの開発元に読まれるおそれがあるからです。アプリでも読むには、下の方にある「リンク全体」をコピーし、アプリ内のブラウザに貼り付けてください。
wallet-keep-weth = ETH の代わりにラップドイーサ（WETH）で受け取る
wallet-keep-token = ETH の代わりに { $symbol } で受け取る
wallet-keep-tokens = ETH の代わりにトークンのまま受け取る
wallet-busy = ウォレットがまだ確認を待っています。そちらで答えるか、このページを読み込み直して別のウォレットを選んでください。
wallet-asks = { $wallet } が確認を求めています。ウィンドウが見えないときは、ご自分で開いてください。
wallet-pay-fee = 手数料を自分で払う
wallet-pay-fee-with = { $wallet } で手数料を自分で払う
wallet-open-free = { $wallet } で無料で開ける
wallet-of-browser = このブラウザのウォレット
wallet-no-account = { $wallet } はアカウントを使っていませんが、この贈り物は { $recipient } あてに封印されています。ウォレットでそのアカウントを選び、もう一度お試しください。
wallet-other-account = { $wallet } はアカウント { $account } を使っていますが、この贈り物は { $recipient } あてに封印されています。ウォレットでそのアカウントを選び、もう一度お試しください。
wallet-names-none = { $wallet } からアカウントが得られません。アドレスを入力してください。
wallet-choose-network = { $wallet } でネットワーク { $network } を選び、もう一度お試しください。
wallet-unknown-network = { $wallet } はこの贈り物のネットワークをまだ知りません。{ $wallet } の設定のネットワークで、{ $network }（チェーン ID { $number }、通貨 ETH）を追加し、もう一度お試しください。
wallet-other-network = この贈り物はウォレットとは別のネットワークにあります。{ $wallet } でネットワーク { $network } を選び、もう一度お試しください。
wallet-wrong-recipient = この贈り物は別のアカウントあてに封印されています。ウォレットでそのアカウントを選び、もう一度お試しください。
wallet-empty-gift = この贈り物にはもう何も残っていません。
wallet-declined = { $wallet } で拒否されました。何も起きていません。
wallet-pending = { $wallet } がすでに別の確認を待っています。先にそちらで答えてください。
wallet-no-ether = ネットワーク手数料を払うための ETH がウォレットに足りません。手数料のいらない方法がある場合は、そちらを使えます。
wallet-failed = { $wallet } で実行できませんでした。何も起きていません。もう一度お試しください。
wallet-look = ウォレットを確認してください
wallet-silent = 送信中ですが、今は応答がありません。もう一度問い合わせています…
wallet-still = このページの知る限り、送信中です。ウォレットで止めた場合は最初からやり直せます。二度開けられることはありません。
wallet-was-asked = このページが読み込み直される前に、ウォレットに確認が送られました。そこで同意したなら、贈り物は送信中です。していなければ、最初からやり直してください。二度開けられることはありません。
start-again = 最初からやり直す

## Where it lands

destination = どこに届けますか？
destination-own = ご自分のウォレットへ
destination-own-words = すぐに届き、手数料はかかりません。
destination-label = あなたのウォレットのアドレス
destination-look = もう一度確認する
destination-scan = カメラでコードを読み取る
destination-no-camera = ここではカメラを使えません。アドレスを入力してください。
destination-use-wallet = { $wallet } を使う
destination-gift-wallet = 贈り物のウォレットへ
destination-kept-paper = 用紙の鍵のウォレットに残ります。後で移すには、鍵をウォレットアプリに取り込み、ネットワーク手数料を払います。
destination-kept-email = メールアドレスのウォレットに残ります。後で移すには、{ $site } の運営者のアプリでそこにサインインし、ネットワーク手数料を払います。ほかのウォレットアプリでは開けません。
destination-keep = 贈り物のウォレットに残す
destination-confirm = これはあなたのウォレットですか？
destination-compare = ウォレットアプリに表示されるアドレスと、一文字ずつ見比べてください。コピーの途中でアドレスをすり替えるプログラムがあります。
destination-unchecked = このアドレスには確認用の大文字がありません。間違いがあっても気づけません。
destination-final = 間違ったウォレットに届いたものは取り戻せません。
destination-yes = はい、そこへ送る
destination-another = 別のものを使う
destination-no-address = ウォレットのアドレスではありません。0x で始まり、40 個の文字と数字が続きます。
destination-other-network = このコードは別のネットワークのものです。この贈り物のネットワークのアドレスを使ってください。
destination-mistake = このアドレスの文字か数字が間違っています。もう一度コピーしてください。
destination-nobody = このアドレスの鍵を持つ人はいません。そこへ送ったものは失われます。
destination-contract = これはウォレットではなくコントラクトのアドレスです。そこへ送ったものは失われます。
destination-bare-contract = このアドレスにはプログラムがあり、ウォレットかどうか分かりません。誰もウォレットとして使えなければ、そこへ送ったものは永久に失われます。
destination-same = これは贈り物のウォレットそのものです。そこに残すには、下で選んでください。

## On its way

on-its-way = 贈り物を届けています
step-signed = この端末で署名済み
step-handed = ネットワークに送信済み
step-confirmed = ネットワークで確認済み
sending-signature = 署名を送っています…
looking-where = 贈り物の場所を確認しています…
service-silent = サービスが今は応答しません。もう一度問い合わせています…
now-arrived = 署名が届きました。ネットワークに送っています…
now-predecessor = あなたの別の贈り物が先です。これは自動的に続きます…
now-sending = ネットワークに送っています…
now-broadcast = 送信中です。ふつうは 1 分もかかりません…
now-mined = 贈り物が届きました！ネットワークが確定させています…
now-failed = ネットワークが取引を拒否しました。これが確定するまで約 15 分かかります。その後もう一度お試しください。
why-fees = ネットワークがとても混んでいて、今は手数料が高くなっています。下がりしだい、贈り物は続きます。
why-balance = ネットワーク手数料を払うサービスのウォレットに、先に補充が必要です。その後、贈り物は自動的に続きます。
why-daily-cap = 今日のネットワーク手数料の予算に今は空きがありません。空きができると、贈り物は自動的に続きます。
why-chain = ネットワークが今は応答しません。応答すると、贈り物は自動的に続きます。
why-earlier = ほかの人の分が先にネットワークに送られています。あなたの分も自動的に続きます。
why-paused = ネットワーク手数料の支払いを一時停止しています。再開すると、贈り物は自動的に続きます。
why-would-fail = 今はネットワークが拒否する状態です。自動的にもう一度試します。
meanwhile = このページを開いたままでも、後で戻っても大丈夫です。1 時間たつと、もう一度開けるように求められます。
choose-another-way = 別の方法を選ぶ
see-transaction = 取引 { $hash } を見る
transaction = 取引 { $hash }
not-yet = まだうまくいきませんでした
see-what-works = 今できることを見る
nothing-sent = 何も送られていません。贈り物はそのままです。
trouble-reverted = ネットワークが取引を拒否しました。何も動いていません。贈り物はそのままです。
trouble-refused = ネットワークが取引を拒否しました。贈り物はそのままです。
trouble-expired = 時間内に送れなかったため、何も動いていません。贈り物はそのままです。もう一度お試しください。
trouble-superseded = このウォレットには別のものが先に送られました。贈り物はまだあるかもしれません。もう一度確認してください。
trouble-cancelled = 受取先のウォレットによって取り消されました。贈り物はそのままです。
trouble-unknown = この試みは終わり、贈り物は動いていません。もう一度確認してください。

## Received

you-opened = この贈り物を開けました。
it-is-yours = あなたのものです
arrived-at = { $gift } が { $account } に届きました。
was-paid-out = { $gift } が支払われました。
received-paper = 今は、用紙の鍵のウォレットにあります。用紙を大切に保管してください。ご自分のウォレットに移すには、好きなときにその鍵をウォレットアプリに取り込みます。
received-email = 今は、サインインサービスの Turnkey があなたのために管理する、メールアドレスのウォレットにあります。あなたのメールを読める人は誰でもそのウォレットを使えるので、メールボックスを安全に守ってください。このページは贈り物を開けるだけです。移すには、{ $site } の運営者のアプリでそのウォレットにサインインします。ほかのウォレットアプリでは開けません。どのアプリかは運営者に聞き、メールで届くコードは決して誰にも教えないでください。
received-wallet = 今は、あなたのウォレットにあります。
received-own = 指定したウォレットにあります。贈り物のウォレットはもう必要ありません。
received-either = 指定したウォレットと贈り物のウォレットを確認してください。どちらかに入っています。
fee-from-gift = 後で移すには少しのネットワーク手数料がかかります。届いた ETH から支払われます。
fee-needs-ether = 後で移すには少しのネットワーク手数料がかかるので、先にそのウォレットに少し ETH が必要です。

## Why something did not work

no-fee-spent = 今日の贈り物のネットワーク手数料の予算は使い切られました。{ $time } に新しくなります。
no-fee-reserved = 今日の贈り物のネットワーク手数料の予算は、送信中の分で埋まっています。20 分後にもう一度お試しください。
no-fee-here = ここでは受取人のネットワーク手数料は支払われません。
no-fee-paused = 受取人のネットワーク手数料の支払いを一時停止しています。後でもう一度お試しください。
no-fee-unknown = ネットワーク手数料を代わりに払えるかどうか、今はわかりません。数分後にもう一度お試しください。
locked = 贈り物はネットワークの時計ではまだ開きません。1 分後にもう一度お試しください。
already-opened = この贈り物はすでに開けられています。
too-late = 送るまでに時間がかかりすぎました。何も起きていません。もう一度お試しください。
signer-paused = このウォレットの引き出しが今日ネットワークで失敗しました。明日まで、このウォレットの手数料は支払われません。
nonce-mismatch = このウォレットの別の贈り物、またはこの贈り物がすでに送信中です。1 分待ってから、もう一度お試しください。
already-used = これはすでに送られています。もう一度お試しください。ページが贈り物の場所を確認します。
signer-mismatch = この署名は、贈り物の受取先のウォレットのものではありません。何も起きていません。スマートウォレットでは、手数料を自分で払えます。
gift-not-found = 贈り物が見つからなくなりました。ページを読み込み直してください。
chain-unavailable = 今はネットワークにつながりません。何も失われていません。数分後にもう一度お試しください。
would-fail = 今はネットワークが拒否するか、ここで支払われる以上の手数料が必要なため、送られませんでした。後でもう一度お試しください。スマートウォレットでは、手数料を自分で払えます。
problem-request = このページが送った内容を、サービスが処理できませんでした。何も起きていません。ページを読み込み直して、もう一度お試しください。
problem-service = サービスに今、不具合があります。何も失われていません。数分後にもう一度お試しください。
problem-destination = そのアドレスには贈り物を送れません。何も起きていません。ご自分の別のウォレットで、もう一度お試しください。
problem-no-destination = この贈り物は、贈り物のウォレットにしか届けられません。何も起きていません。ページを読み込み直して、もう一度開けてください。
problem-not-opened-here = この贈り物の中身は、このページでは開けられません。何も失われていません。開け方を贈り主に聞いてください。
problem-unknown = このページが知らない理由で、サービスに拒否されました：{ $code }。ページを読み込み直して、もう一度お試しください。また起きたら、手伝ってくれる人にこの言葉を伝えてください。
too-often = 試行回数が多すぎます。{ $wait }待ってから、もう一度お試しください。
service-away = サービスが応答しません。インターネットにつながっていますか？何も失われていません。しばらくしてからもう一度お試しください。
went-wrong = このページで問題が起きました。贈り物には何も起きていません。ページを読み込み直して、もう一度お試しください。
