## The legacy and its state

legacy = 遺産計画
legacy-opens-on = { $moment } から受け取れます。
legacy-moves = 所有者の活動が確認されるたびに、この日は先に延びます。
legacy-open-since = { $moment } から受け取れるようになっています。
legacy-closes-again = まだ誰も受け取っていない間は、所有者の活動が確認されると再び閉じられます。
legacy-claimed-on = { $moment } に受け取られました。
legacy-rest = 指定されている方は皆、まだ残っている自分の分を受け取れます。
legacy-handed-over = それ以来、共有ウォレットには新しい署名者がいます。
legacy-ended = 所有者がこの遺産計画を終了しました。受け取るものも、することもありません。
legacy-no-day = このページで示せる日はありません。
legacy-second-line = 第二順位の方が受け取れる日時
legacy-third-line = 第三順位の方が受け取れる日時
legacy-details = この遺産計画について
legacy-purpose = 遺産計画とは、大切な人たちのための計画です。所有者の活動が長い間確認されないと、計画で指定された方が、遺されたものを受け取れます。
legacy-purpose-safe = 遺産計画とは、大切な人たちのための計画です。これは共有ウォレット（Safe）のものです。ウォレットが長い間使われないと、計画で指定された方が引き継げます。
legacy-contract = コントラクト
legacy-router = 作成元
legacy-public = このページは、ネットワーク上で誰でも読めることを示します。人の名前は出しません。

## No legacy is shown

no-legacy = ここに遺産計画はありません
no-legacy-1 = リンクを確認してください。
no-legacy-2 = たった今作られた遺産計画は、表示まで少し時間がかかることがあります。
legacy-not-now = この遺産計画は今は表示できません
legacy-not-now-1 = 何も失われていません。今の場所で安全です。しばらくしてからもう一度お試しください。
legacy-too-many = 少しお待ちください
legacy-too-many-1 = この 1 分間に、あなたのネットワークからとても多くの問い合わせがありました。
legacy-too-many-2 = 何も失われていません。1 分後にこのページを読み込み直してください。
legacy-several = この番号の遺産計画が複数あります
legacy-several-1 = どれをお探しですか？コントラクトのアドレスは、届いたメールに書かれています。

## Connecting a wallet

legacy-connect = あなたのものですか、それとも指定されていますか？
legacy-connect-words = ウォレットを接続すると、このページがネットワークで確認します。それだけでは署名も支払いもありません。
legacy-connect-wallet = { $wallet } を接続
# The account follows in { $account }.
legacy-connected = 接続中：{ $account }
legacy-other-wallet = 別のウォレットを使う
legacy-not-this-wallet = このウォレットではありません
legacy-not-named = このウォレットは、この遺産計画で指定されていません。
# { $ending } is the end of an address, as "…1a2b".
legacy-wallet-ends = このウォレットは、この遺産計画で指定されていません。メールによると、正しいものは { $ending } で終わります。
legacy-find-wallet = ウォレットで別のアカウントを選ぶか、別のウォレットを使ってください。リカバリーフレーズは、このサイトも含め、決してウェブサイトに入力しないでください。

## The owner

legacy-yours = この遺産計画はあなたのものです
legacy-yours-claimed = すでに受け取られました。活動を知らせても、もう変わりません。
legacy-well-words = お元気ですか？お知らせになると、受け取れるのは { $moment } からになります。
legacy-well-no-day = お元気ですか？お知らせください。この遺産計画の日は、このページでは示せません。
legacy-well = 元気です
legacy-well-own = 元気です（ネットワーク手数料は自分で払う）
legacy-well-free = 費用はかかりません。署名していただくと、ネットワーク手数料は代わりに支払われます。
legacy-wallet-names = 署名のとき、ウォレットにはコントラクトの名前「{ $contract }」が表示されます。支払いは求められません。
legacy-well-safe = これは共有ウォレットです。ウォレットからの取引はどれも活動の知らせになります。この取引は、ウォレット自身に何も送りません。
legacy-needs-premium = 活動を知らせる際のネットワーク手数料は、Premium の所有者には代わりに支払われます。
legacy-fee-is-yours = ネットワーク手数料を払って、ご自分の取引で行えます。
# The day while it is not final.
legacy-new-day = 新しい日：{ $moment }。確定を待っています。
legacy-moving-to = { $moment } から受け取れます。確定を待っています。
legacy-well-under-way = 元気だという知らせを届けています
legacy-well-done = 元気だという知らせが届きました
legacy-day-final = 新しい日は { $moment } です。確定しました。
legacy-well-final = お知らせが確定しました。
legacy-papers = お手元の控え
legacy-papers-words = あなたが指定した方にお渡しするカードと、弁護士などに預ける書類の表紙です。この遺産計画がどこにあり、どのように受け取るかが書かれています。どちらにも、あなたやほかの方のお名前は載りません。
legacy-papers-show = 二枚とも表示する
legacy-papers-way-out = 画面を画像として保存することもできます。

## A person who is named

legacy-named = あなたはこの遺産計画で指定されています
legacy-named-from = このウォレットで、{ $moment } から受け取れます。
legacy-day-moves = 所有者の活動が確認されるたびに、この日は動きます。それまでにすることはありません。
legacy-calendar-title = 遺産計画から受け取れます
legacy-what-words = 今、受け取れます。まず何が届くかを見てください。それだけでは署名はありません。
legacy-day-unknown = いつから受け取れるかは、このページではわかりません。今、試すことができます。
legacy-what = 何を受け取れますか？
legacy-looking = お待ちください。実際には行わずに、受け取りを試しています…
legacy-would-get = 届くもの
legacy-after-fees = 現在の状態で、すべての手数料を引いた後にあなたのウォレットに届くものです。
legacy-has-more = この遺産計画には、今は受け取れないもの、またはこれと一緒には受け取れないものが、ほかにあります。
legacy-nothing = 今は、受け取っても何も届きません。
legacy-claim-free-words = 費用はかかりません。署名していただくと、ネットワーク手数料は代わりに支払われます。受け取るために誰かに支払うことは、決してしないでください。
legacy-claim-free = 無料で受け取る
legacy-claim-own = ネットワーク手数料を自分で払って受け取る
legacy-no-free-claims = この遺産計画では、受け取りのネットワーク手数料は代わりに支払われません。
legacy-take-over-words = 指定されたほかの方と一緒に、今、共有ウォレットを引き継げます。ネットワーク手数料を払うご自分の取引が必要です。
legacy-take-over = 共有ウォレットを引き継ぐ
legacy-claim-under-way = 受け取りの手続きが進んでいます
legacy-step-final = 確定
legacy-takeover-done = 共有ウォレットに新しい署名者がいます
legacy-taken-over = あなたと、指定されたほかの方が、これから署名できます。
legacy-you-claimed = 受け取りました。
legacy-choose-again = 待たずに選び直す

## A signer of a Safe

legacy-safe = あなたは Safe の署名者です
# The account follows in { $account }.
legacy-safe-signer = あなたは、この遺産計画に関わる共有ウォレット { $account } の署名者です。
legacy-safe-well = この Safe からの取引はどれも活動の知らせになります。次の取引で十分で、何も動きません：
legacy-safe-check-in = この遺産計画はこの Safe のものです。活動の知らせになるのは次の取引で、何も動きません：
legacy-safe-claim = この Safe は遺産計画で指定されています。次の取引で受け取れます：
legacy-safe-from = この Safe は遺産計画で指定されています。{ $moment } から受け取れます。
legacy-safe-how = Safe で「New transaction」、次に「Transaction Builder」を選び、「Custom data」をオンにして、この 3 行を入力してください。ほかの署名者もそこで承認します。
legacy-safe-to = To address
legacy-safe-value = ETH value
legacy-safe-data = Data (hex)
legacy-safe-copy = 3 行をコピー
legacy-safe-copied = 3 行をコピーしました。
legacy-safe-not-copied = ブラウザが許可しませんでした。ここから行をコピーしてください。

## Why something did not work

legacy-not-known = この遺産計画は見つからなくなりました。ページを読み込み直してください。
legacy-over = この遺産計画は、その間に受け取られたか、終了しました。ページを読み込み直してください。
legacy-not-open = まだ受け取れません。所有者は活動を続けています。ページを読み込み直して、日を確認してください。
legacy-not-claimable = 今は受け取れません。ページを読み込み直して、理由を確認してください。

## Said otherwise than of a gift

wallet-unknown-network = { $wallet } はこの遺産計画のネットワークをまだ知りません。{ $wallet } の設定のネットワークで、{ $network }（チェーン ID { $number }、通貨 ETH）を追加し、もう一度お試しください。
wallet-other-network = この遺産計画はウォレットとは別のネットワークにあります。{ $wallet } でネットワーク { $network } を選び、もう一度お試しください。
wallet-no-ether = ネットワーク手数料を払うための ETH がウォレットに足りません。
now-predecessor = あなたの別の手続きが先です。これは自動的に続きます…
now-mined = ネットワークが受け付けました。確定まで 15 分ほどかかります…
why-fees = ネットワークがとても混んでいて、今は手数料が高くなっています。下がりしだい、続きます。
why-balance = ネットワーク手数料を払うサービスのウォレットに、先に補充が必要です。その後、自動的に続きます。
why-daily-cap = 今日のネットワーク手数料の予算に今は空きがありません。空きができると、自動的に続きます。
why-chain = ネットワークが今は応答しません。応答すると、自動的に続きます。
why-paused = ネットワーク手数料の支払いを一時停止しています。再開すると、自動的に続きます。
meanwhile = このページを開いたままでも、後で戻っても大丈夫です。
trouble-reverted = ネットワークが取引を拒否しました。何も動いていません。
trouble-refused = ネットワークが取引を拒否しました。何も動いていません。
trouble-expired = 時間内に送れなかったため、何も起きていません。もう一度お試しください。
trouble-superseded = このウォレットには別のものが先に送られました。もう一度確認してください。
trouble-cancelled = 対象のウォレットによって取り消されました。何も動いていません。
trouble-unknown = この試みは終わり、何も動いていません。もう一度確認してください。
no-fee-spent = 今日のネットワーク手数料の予算は使い切られました。{ $time } に新しくなります。
no-fee-reserved = 今日のネットワーク手数料の予算は、送信中の分で埋まっています。20 分後にもう一度お試しください。
no-fee-here = ここではネットワーク手数料は代わりに支払われません。
no-fee-paused = ネットワーク手数料の支払いを一時停止しています。
no-fee-unknown = ネットワーク手数料を代わりに払えるかどうか、今はわかりません。
signer-paused = このウォレットの取引が今日ネットワークで失敗しました。明日まで、このウォレットの手数料は支払われません。ご自分の取引で行えます。
nonce-mismatch = このウォレットの別の手続き、またはこの手続きがすでに送信中です。1 分待ってから、もう一度お試しください。
already-used = これはすでに送られています。ページを読み込み直してください。
signer-mismatch = この署名は正しいウォレットのものではありません。何も起きていません。ご自分の取引で行えます。
would-fail = 今はネットワークが拒否するか、ここで支払われる以上の手数料が必要なため、送られませんでした。後でもう一度、またはご自分の取引でお試しください。
went-wrong = このページで問題が起きました。遺産計画には何も起きていません。ページを読み込み直して、もう一度お試しください。
