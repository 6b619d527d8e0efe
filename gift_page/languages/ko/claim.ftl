## Greetings, by occasion

greeting-gift = 당신을 위한 선물
greeting-birthday = 생일 축하합니다
greeting-wedding = 결혼을 축하합니다
greeting-anniversary = 결혼기념일 축하합니다
greeting-new-baby = 세상에 온 걸 환영해
greeting-graduation = 졸업을 축하합니다
greeting-bar-bat-mitzvah = 마젤 토브
greeting-thank-you = 감사합니다
greeting-new-home = 새 보금자리를 축하합니다
greeting-someday = 언젠가, 당신에게
greeting-valentine = 온 마음을 담아
greeting-new-year = 새해 복 많이 받으세요
greeting-christmas = 메리 크리스마스
greeting-hanukkah = 즐거운 하누카
greeting-eid = 이드 무바라크
greeting-diwali = 즐거운 디왈리
greeting-easter = 기쁜 부활절
greeting-lunar-new-year = 설날 복 많이 받으세요
greeting-to = { $greeting }, { $name } 님
card-subline = 봉인된 선물이 기다리고 있습니다
card-opened = 이 선물은 열렸습니다

## The gift and its state

when-open = 이 선물은 지금 열 수 있습니다.
when-claimed = 이 선물은 열렸고, 받는 분에게 전달되었습니다.
opened-on = 이 선물은 { $moment }에 열렸습니다.
sealed-until = 이 선물은 { $moment }까지 봉인되어 있습니다.
inside = 내용물
digital-money = 이것은 디지털 돈입니다.
asset-paid-out = { $amount } (ETH로 지급)
asset-without-name = 토큰
asset-base-units = { $symbol } 기본 단위 { $units }
the-gift = 선물
advice-link = 이 링크가 있는 사람은 누구나 선물을 볼 수 있습니다. 열 수 있는 것은 봉인할 때 정해진 지갑뿐입니다.
advice-paper = 인쇄된 종이를 가진 사람은 누구나 열 수 있습니다. 현금처럼 보관하세요. 종이가 없으면 선물을 잃습니다. 열쇠는 아무에게도 알려 주지 마세요. 도와주는 사람도 열쇠를 알 필요가 없습니다.
advice-email = 이 선물은 당신의 이메일 주소 앞으로 봉인되었습니다. 당신의 이메일을 읽는 사람만 열 수 있습니다. 열 때 그 주소로 코드를 보내 드립니다. 코드는 아무에게도 알려 주지 마세요.
check-wallet = 이 지갑이 아직 있는지 지금 미리 확인하세요. 저희를 포함해 누구도 다시 만들어 드릴 수 없습니다.
check-paper = 종이가 아직 있는지 지금 미리 확인하세요. 저희를 포함해 누구도 다시 만들어 드릴 수 없습니다.
check-email = 이 메일함을 아직 열 수 있는지 지금 미리 확인하세요. 저희를 포함해 누구도 다시 만들어 드릴 수 없습니다.
advice-email-moving = 내용물은 로그인 서비스 Turnkey가 당신을 위해 관리하는 이메일 주소의 지갑에 도착합니다. 그곳에서는 { $site } 운영자의 앱으로만 옮길 수 있고, 다른 지갑 앱으로는 그 지갑을 열 수 없습니다. 선물을 열기 전에 어느 앱인지 운영자에게 물어보세요.
ask-us = 저희에게 물어보세요. 연락처는 이 페이지 맨 아래에 있습니다.
claimed-paper = 내용물은 종이에 있는 열쇠의 지갑에 들어 있습니다. 자신의 지갑으로 옮길 때까지 종이를 보관하세요.
claimed-email = 내용물은 로그인 서비스 Turnkey가 당신을 위해 관리하는 이메일 주소의 지갑에 들어 있습니다. 당신의 이메일을 읽는 사람만 그 지갑을 쓸 수 있으니 메일함을 안전하게 지키세요. 이 페이지는 선물을 여는 일만 합니다. 옮기려면 ETH로 네트워크 수수료를 내고 { $site } 운영자의 앱에서 그 지갑에 로그인합니다. 다른 지갑 앱으로는 열 수 없습니다. 어느 앱인지는 운영자에게 묻고, 이메일로 받은 코드는 절대 아무에게도 알려 주지 마세요.
claimed-paper-or-named = 선물을 열 때 지갑을 지정했다면 내용물은 그 지갑에 도착했습니다. 지정하지 않았다면 내용물은 종이에 있는 열쇠의 지갑에 들어 있습니다. 자신의 지갑으로 옮길 때까지 종이를 보관하세요.
claimed-email-or-named = 선물을 열 때 지갑을 지정했다면 내용물은 그 지갑에 도착했습니다. 지정하지 않았다면 내용물은 로그인 서비스 Turnkey가 당신을 위해 관리하는 이메일 주소의 지갑에 들어 있습니다. 당신의 이메일을 읽는 사람만 그 지갑을 쓸 수 있으니 메일함을 안전하게 지키세요. 이 페이지는 선물을 여는 일만 합니다. 옮기려면 ETH로 네트워크 수수료를 내고 { $site } 운영자의 앱에서 그 지갑에 로그인합니다. 다른 지갑 앱으로는 열 수 없습니다. 어느 앱인지는 운영자에게 묻고, 이메일로 받은 코드는 절대 아무에게도 알려 주지 마세요.
seal-forward = 나도 선물하기
about-gift = 이 선물에 대해
fact-sealed = 봉인한 날
fact-opens = 열리는 날
fact-opened = 연 날
fact-sealed-for = 받는 지갑
fact-network = 네트워크
fact-gift = 선물
gift-number = 번호 { $number }, 컨트랙트
letter-stays = 개인 메시지가 있다면 이 링크의 # 기호 뒤에 들어 있습니다. 브라우저 안에만 머물며 저희에게 전송되지 않습니다.

## No gift is shown

no-gift = 여기에는 선물이 없습니다
no-gift-1 = 링크를 확인해 주세요.
no-gift-2 = 방금 봉인된 선물은 잠시 기다려야 보일 수 있습니다.
cut-off = 링크가 온전하지 않습니다
cut-off-1 = 복사하면서 일부가 빠진 것 같습니다. 다른 것은 잃지 않았습니다. 선물은 제자리에 안전하게 있습니다.
cut-off-2 = 받은 그대로 전체 링크를 열어 주세요.
not-served = 이 선물은 다른 네트워크에 있습니다
not-served-1 = 이 페이지가 모르는 네트워크의 링크입니다. 잃은 것은 없습니다. 선물은 제자리에 안전하게 있습니다.
not-served-2 = 링크를 확인하거나, 어디에서 여는지 선물한 분에게 물어보세요.
not-shown = 이 선물은 여기에서 보여 드릴 수 없습니다
not-shown-1 = 이 페이지가 모르거나 더는 다루지 않는 것이 들어 있습니다. 잃은 것은 없습니다. 선물은 제자리에 안전하게 있습니다.
not-shown-2 = 여는 방법을 선물한 분에게 물어보세요.
not-now = 지금은 선물을 보여 드릴 수 없습니다
not-now-1 = 잃은 것은 없습니다. 제자리에 안전하게 있습니다. 잠시 후 다시 시도해 주세요.
too-many = 잠시 기다려 주세요
too-many-1 = 방금 1분 동안 같은 네트워크에서 아주 많은 사람이 선물을 요청했습니다.
too-many-2 = 잃은 것은 없습니다. 1분 후에 이 페이지를 다시 불러오세요.
none-for = 이 종이의 선물을 찾지 못했습니다
none-for-1 = 링크를 직접 입력했다면 종이와 비교해 보세요. 글자나 숫자가 다를 수 있습니다.
none-for-2 = 방금 봉인된 선물은 시간이 조금 걸릴 수 있습니다. 곧 다시 시도해 주세요.
not-shown-for = 여기에서 보여 드릴 수 있는 선물을 찾지 못했습니다
not-shown-for-1 = 이 종이 앞으로 이 페이지가 모르거나 더는 다루지 않는 것이 봉인되어 있습니다. 잃은 것은 없습니다. 제자리에 안전하게 있습니다.
not-shown-for-2 = 아직 선물을 열지 않았다면, 여는 방법을 종이를 준 분에게 물어보세요.
not-shown-for-3 = 이미 열었다면 이것은 다른 선물이며, 모르는 사람의 것일 수 있습니다. 열 때 다른 지갑을 지정하지 않았다면 당신의 선물은 종이에 있는 열쇠의 지갑에 들어 있습니다. 자신의 지갑으로 옮길 때까지 종이를 보관하세요.
mistyped = 링크에 틀린 곳이 있습니다
mistyped-1 = 주소의 글자나 숫자가 인쇄된 것과 다르거나 빠졌습니다. 잃은 것은 없습니다.
mistyped-2 = 0x부터 종이와 비교하거나, 종이 표지의 코드를 스캔하세요.
rewritten = 링크가 도중에 바뀌었습니다
rewritten-1 = 메일 프로그램이나 필터가 기호를 바꾸었습니다. 잃은 것은 없습니다. 선물은 제자리에 안전하게 있습니다.
rewritten-2 = 주소창에서 %23을 #으로, %3F를 ?로 되돌리세요. 또는 받은 그대로의 링크를 다른 메일 프로그램이나 브라우저에서 여세요.

## The letter, the calendar and sharing

letter-label = 개인 메시지
letter-from = { $name } 드림
letter-unchecked = 이름과 메시지는 이 링크를 만든 사람이 쓴 것입니다. 아무도 확인하지 않았습니다.
letter-ask = { $name } 님을 아시나요? 이미 알고 있는 번호로 전화해서 이 선물을 정말 보냈는지 물어보세요.
letter-damaged = 메시지가 온전히 도착하지 않았습니다
letter-damaged-1 = 링크의 일부가 도중에 사라져 개인 메시지를 읽을 수 없습니다. 선물 자체는 안전하며 그대로 열 수 있습니다. 보낸 분에게 전체 링크를 다시 보내 달라고 하세요.
calendar-add = 캘린더에 이 날 추가
calendar-title = 선물이 열리는 날
out-cannot-print = 이 브라우저는 인쇄할 수 없습니다. 인쇄 창이 열리지 않았습니다. 지갑 앱 안의 브라우저는 대개 인쇄하지 못합니다.
out-saved = 파일은 이제 다운로드 폴더에 있어야 합니다. 없다면 이 브라우저는 파일을 저장할 수 없습니다. 지갑 앱 안의 브라우저는 대개 저장하지 못합니다.
out-share = 공유
out-not-shared = 공유하지 못했습니다.
out-elsewhere = Safari나 Chrome 같은 다른 브라우저로 이 페이지를 여세요. 주소:
out-copy = 주소 복사
out-copied = 주소를 복사했습니다.
out-not-copied = 브라우저가 허용하지 않았습니다. 여기에서 주소를 복사하세요.
calendar-way-out = 날짜를 적어 두셔도 됩니다. 이 페이지에 적혀 있습니다.
opens-in = { $days } { $hours } { $minutes } 후에 열립니다.
day-has-come = 그날이 왔습니다. 잠시만요…
share = 메시지 공유하기 또는 숨기기
share-words = 링크가 있는 사람은 누구나 이 선물을 볼 수 있지만, 링크만으로는 열 수 없습니다. 개인 메시지는 주소창 링크의 일부입니다. 이 페이지를 공유하거나 보여 주기 전에 주소창에서 빼세요. 다시 불러오면 메시지가 사라지니, 먼저 전체 링크를 따로 저장해 두세요.
share-copy-whole = 전체 링크 복사
share-copied-whole = 전체 링크를 복사했습니다.
share-copy-bare = 메시지 없이 링크 복사
share-copied-bare = 메시지 없는 링크를 복사했습니다.
share-take-out = 메시지 빼기
share-taken-out = 주소창에서 메시지를 뺐습니다. 지금 링크는 메시지 없이 공유할 수 있습니다.
share-not-allowed = 브라우저가 허용하지 않았습니다. 주소창에서 링크를 복사하세요.

## The ways to open it

try-again = 다시 시도
one-moment = 잠시만요…
looking-for-way = 여는 방법을 찾는 중입니다…
open-your-gift = 선물 열기
costs-nothing = 비용이 들지 않습니다. 네트워크 수수료를 대신 냅니다.
way-paper = 인쇄된 종이의 열쇠로
way-email = 이메일로 받는 코드로
way-wallet = 내 지갑으로
no-codes = 지금은 코드를 보낼 수 없습니다. 나중에 다시 시도해 주세요.
stays-where = 잃은 것은 없습니다. 선물은 제자리에 있습니다.
stays-self-paid = 잃은 것은 없습니다. 선물은 제자리에 있습니다. 그때까지는 수수료를 직접 내는 지갑만 열 수 있습니다.
look-again = 다시 확인
wallet-signs = 지갑이 서명하는 중입니다…
open-my-gift = 내 선물 열기

## With the printed key

paper-words = 종이를 펼치세요. 열쇠는 흰 면에 있습니다. 열쇠는 이 기기에만 머물고 아무에게도 전송되지 않습니다. 여기에서 서명한 뒤 바로 잊힙니다.
paper-legend = 인쇄된 그대로의 열쇠: 4자씩 16묶음
paper-group = { $groups }묶음 중 { $number }번째
paper-typed-wrong = 이 선물의 열쇠가 아닙니다. 묶음마다 종이와 비교하세요. 글자나 숫자가 다릅니다.
paper-scanned-wrong = 이 선물의 열쇠가 아닙니다. 다른 선물의 종이인가요?
paper-no-key = 그 코드는 열쇠가 아닙니다. 접힌 종이 안쪽 흰 면의 코드를 스캔하세요.
paper-bad-letter = { $number }번째 묶음에 열쇠에 없는 글자가 있습니다. 0부터 9, a부터 f까지만 쓰입니다.
paper-too-short = { $number }번째 묶음은 4자여야 합니다.
camera-scan-key = 카메라로 스캔
camera-picture = 카메라 화면
camera-hold = 흰 면의 네모난 코드를 카메라 앞에 대세요.
camera-stop = 카메라 끄기
camera-unusable-key = 여기에서는 카메라를 쓸 수 없습니다. 열쇠를 입력해 주세요.
camera-or-type = 또는 직접 입력

## With the email address

email-words = 이 선물은 이메일 주소 앞으로 봉인되었습니다. 주소를 입력하면 로그인 서비스가 그곳으로 코드를 보냅니다. 둘 다 저희에게는 오지 않습니다.
email-label = 이메일 주소
email-send-code = 코드 보내기
email-none = 이메일 주소가 아닙니다. 확인해 주세요.
code-words = { $email } 주소로 코드를 보내고 있습니다. 여기에 입력하고, 아무에게도 알려 주지 마세요.
code-words-reloaded = 당신의 주소로 코드를 보내고 있습니다. 여기에 입력하고, 아무에게도 알려 주지 마세요.
code-label = 이메일로 받은 코드
code-none = 이메일로 받은 코드를 입력해 주세요.
code-another = 다른 코드 보내기
code-another-reloaded = 다른 코드 받기
email-another = 다른 주소 쓰기
code-wrong = 코드가 맞지 않거나 더는 유효하지 않습니다. 가장 최근 이메일을 쓰거나 다른 코드를 받으세요.
email-wrong = 이 주소로는 이 선물을 열 수 없습니다. 다른 주소 앞으로 봉인되었을 수 있습니다.
code-too-many = 너무 여러 번 시도했습니다. 몇 분 기다린 뒤 다른 코드를 받으세요.
provider-away = 로그인 서비스가 지금 응답하지 않습니다. 잃은 것은 없습니다. 곧 다시 시도해 주세요.

## With a wallet

wallet-sealed-for = 이 선물은 계정 { $account } 앞으로 봉인되었습니다. 지갑이 동의를 묻습니다. 열쇠를 묻는 일은 절대 없습니다.
wallet-self-paid-works = 수수료를 직접 내는 방법은 언제나 됩니다.
wallet-none = 이 브라우저에서 지갑을 찾지 못했습니다. 휴대폰에서는 지갑 앱 안의 브라우저로, 컴퓨터에서는 지갑이 있는 브라우저로 이 링크를 여세요.
wallet-lost = 새 지갑으로는 열 수 없습니다. { $account }만 열 수 있습니다. 그 지갑을 잃어버렸다면 복구 문구를 찾고, 아무에게도 알려 주지 마세요. 모르는 지갑이라면 선물한 분에게 물어보세요.
wallet-apps = 이 휴대폰에 지갑 앱이 있나요? 이 페이지를 그 앱에서 여세요.
wallet-apps-letter = 메시지는 여기에 남고 함께 보내지 않습니다. 앱을 만든 회사가 읽을 수 있기 때문입니다. 그곳에서도 보려면 아래쪽에서 전체 링크를 복사해 앱의 브라우저에 붙여 넣으세요.
wallet-keep-weth = ETH 대신 래핑된 이더(WETH)로 받기
wallet-keep-token = ETH 대신 { $symbol } 토큰으로 받기
wallet-keep-tokens = ETH 대신 토큰 그대로 받기
wallet-busy = 지갑이 아직 답을 기다리고 있습니다. 지갑에서 답하거나, 이 페이지를 다시 불러와 다른 지갑을 고르세요.
wallet-asks = { $wallet }에서 지금 묻고 있습니다. 창이 보이지 않으면 직접 여세요.
wallet-pay-fee = 수수료 직접 내기
wallet-pay-fee-with = { $wallet }에서 수수료 직접 내기
wallet-open-free = { $wallet }에서 무료로 열기
wallet-of-browser = 이 브라우저의 지갑
wallet-no-account = { $wallet }에서 쓰는 계정이 없지만, 이 선물은 { $recipient } 앞으로 봉인되었습니다. 지갑에서 그 계정을 고른 뒤 다시 시도해 주세요.
wallet-other-account = { $wallet }에서 계정 { $account }을(를) 쓰고 있지만, 이 선물은 { $recipient } 앞으로 봉인되었습니다. 지갑에서 그 계정을 고른 뒤 다시 시도해 주세요.
wallet-names-none = { $wallet }에서 계정을 알려 주지 않습니다. 주소를 입력해 주세요.
wallet-choose-network = { $wallet }에서 네트워크 { $network }을(를) 고른 뒤 다시 시도해 주세요.
wallet-unknown-network = { $wallet }은(는) 아직 이 선물의 네트워크를 모릅니다. { $wallet }의 설정에 있는 네트워크에서 추가하세요: { $network }, 체인 ID { $number }, 통화 ETH. 그런 다음 다시 시도해 주세요.
wallet-other-network = 이 선물은 지갑과 다른 네트워크에 있습니다. { $wallet }에서 네트워크 { $network }을(를) 고른 뒤 다시 시도해 주세요.
wallet-wrong-recipient = 이 선물은 다른 계정 앞으로 봉인되었습니다. 지갑에서 그 계정을 고른 뒤 다시 시도해 주세요.
wallet-empty-gift = 이 선물에는 남은 것이 없습니다.
wallet-declined = { $wallet }에서 거절했습니다. 아무 일도 일어나지 않았습니다.
wallet-pending = { $wallet }에서 이미 다른 것을 묻고 있습니다. 먼저 그곳에서 답하세요.
wallet-no-ether = 지갑에 네트워크 수수료를 낼 ETH가 모자랍니다. 수수료 없는 방법이 있으면 그 방법을 쓰세요.
wallet-failed = { $wallet }에서 하지 못했습니다. 아무 일도 일어나지 않았습니다. 다시 시도해 주세요.
wallet-look = 지갑을 확인해 주세요
wallet-silent = 가는 중이지만 지금 응답이 없습니다. 다시 묻고 있습니다…
wallet-still = 이 페이지가 아는 한 가는 중입니다. 지갑에서 멈췄다면 다시 시작할 수 있습니다. 두 번 열리는 일은 없습니다.
wallet-was-asked = 이 페이지를 다시 불러오기 전에 지갑에 물었습니다. 그곳에서 동의했다면 선물은 가는 중이고, 아니라면 다시 시작하세요. 두 번 열리는 일은 없습니다.
start-again = 다시 시작

## Where it lands

destination = 어디로 보낼까요?
destination-own = 내 지갑으로
destination-own-words = 바로 도착하며, 수수료를 내지 않습니다.
destination-none = 지갑이 없으신가요? 아래에서 “{ $keep }”를 고르세요.
destination-label = 내 지갑의 주소
destination-look = 주소 확인
destination-scan = 카메라로 코드 스캔
destination-no-camera = 여기에서는 카메라를 쓸 수 없습니다. 주소를 입력해 주세요.
destination-use-wallet = { $wallet } 쓰기
destination-gift-wallet = 선물 지갑에
destination-kept-paper = 종이에 있는 열쇠의 지갑에 남습니다. 나중에 옮기려면 네트워크 수수료가 듭니다. 온전히 믿는 사람의 도움을 받으세요. 그때 열쇠는 자신의 지갑 앱에 한 번만 넣고, 다른 곳에는 절대 넣지 마세요.
destination-kept-email = 이메일 주소의 지갑에 남습니다. 나중에 옮기려면 { $site } 운영자의 앱에서 그 지갑에 로그인하고 네트워크 수수료를 냅니다. 다른 지갑 앱으로는 열 수 없습니다.
destination-keep = 선물 지갑에 두기
destination-confirm = 이것이 당신의 지갑인가요?
destination-compare = 지갑 앱에 보이는 주소와 한 글자씩 비교하세요. 복사하는 동안 주소를 바꿔치기하는 프로그램이 있습니다.
destination-unchecked = 이 주소에는 검사용 글자가 없습니다. 틀려도 알아차릴 수 없습니다.
destination-final = 잘못된 지갑으로 간 것은 되돌릴 수 없습니다.
destination-yes = 네, 그곳으로 보내기
destination-another = 다른 것 쓰기
destination-no-address = 지갑 주소가 아닙니다. 0x로 시작하고 글자와 숫자 40개가 이어집니다.
destination-other-network = 이 코드는 다른 네트워크의 것입니다. 이 선물과 같은 네트워크의 주소를 쓰세요.
destination-mistake = 이 주소의 글자나 숫자가 틀렸습니다. 다시 복사하세요.
destination-nobody = 이 주소의 열쇠는 아무도 갖고 있지 않습니다. 그곳으로 보낸 것은 잃게 됩니다.
destination-contract = 지갑이 아니라 컨트랙트의 주소입니다. 그곳으로 보낸 것은 잃게 됩니다.
destination-bare-contract = 이 주소에는 프로그램이 있는데, 지갑인지 알 수 없습니다. 아무도 지갑으로 쓸 수 없다면 그곳으로 보낸 것은 영원히 잃게 됩니다.
destination-same = 이것은 선물 지갑 자체입니다. 그 안에 두려면 아래에서 고르세요.

## On its way

on-its-way = 선물이 가는 중입니다
step-signed = 이 기기에서 서명함
step-handed = 네트워크에 전달함
step-confirmed = 네트워크가 확인함
sending-signature = 서명을 보내는 중입니다…
looking-where = 선물이 어디에 있는지 확인하는 중입니다…
service-silent = 서비스가 지금 응답하지 않습니다. 다시 묻고 있습니다…
now-arrived = 서명이 도착했습니다. 네트워크로 보내는 중입니다…
now-predecessor = 당신의 다른 선물이 먼저 갑니다. 이 선물은 저절로 이어집니다…
now-sending = 네트워크로 보내는 중입니다…
now-broadcast = 가는 중입니다. 보통 1분도 걸리지 않습니다…
now-mined = 선물이 도착했습니다! 네트워크가 확정하는 중입니다…
now-failed = 네트워크가 거래를 거절했습니다. 이것이 확정되는 데 15분쯤 걸립니다. 그 뒤에 다시 시도할 수 있습니다.
why-fees = 네트워크가 매우 붐벼 지금 수수료가 높습니다. 내려가는 대로 선물이 이어집니다.
why-balance = 네트워크 수수료를 내는 서비스의 지갑을 먼저 채워야 합니다. 그 뒤 선물은 저절로 이어집니다.
why-daily-cap = 오늘의 네트워크 수수료 예산에 지금 자리가 없습니다. 자리가 나면 선물은 저절로 이어집니다.
why-chain = 네트워크가 지금 응답하지 않습니다. 응답하면 선물은 저절로 이어집니다.
why-earlier = 다른 것들이 먼저 네트워크로 갑니다. 당신의 선물도 저절로 이어집니다.
why-paused = 네트워크 수수료 지급이 잠시 멈췄습니다. 그 뒤 선물은 저절로 이어집니다.
why-would-fail = 지금은 네트워크가 거절할 상태입니다. 저절로 다시 시도합니다.
meanwhile = 이 페이지를 열어 두거나 나중에 다시 와도 됩니다. 한 시간이 지나면 한 번 더 열어 달라고 합니다.
choose-another-way = 다른 방법 고르기
see-transaction = 거래 { $hash } 보기
transaction = 거래 { $hash }
not-yet = 아직 되지 않았습니다
see-what-works = 지금 되는 방법 보기
nothing-sent = 아무것도 보내지 않았습니다. 선물은 그대로 있습니다.
trouble-reverted = 네트워크가 거래를 거절했습니다. 아무것도 옮겨지지 않았습니다. 선물은 그대로 있습니다.
trouble-refused = 네트워크가 거래를 거절했습니다. 선물은 그대로 있습니다.
trouble-expired = 제때 보내지 못해 아무것도 옮겨지지 않았습니다. 선물은 그대로 있습니다. 다시 시도해 주세요.
trouble-superseded = 이 지갑으로 다른 것이 먼저 보내졌습니다. 선물은 아직 있을 수 있으니 다시 확인해 주세요.
trouble-cancelled = 받는 지갑이 취소했습니다. 선물은 그대로 있습니다.
trouble-unknown = 이번 시도가 끝났고 선물은 옮겨지지 않았습니다. 다시 확인해 주세요.

## Received

you-opened = 이 선물을 열었습니다.
it-is-yours = 이제 당신의 것입니다
arrived-at = { $gift }이(가) { $account }에 도착했습니다.
was-paid-out = { $gift }이(가) 지급되었습니다.
received-paper = 이제 종이에 있는 열쇠의 지갑에 들어 있습니다. 종이를 안전하게 보관하세요. 선물을 옮길 때는 온전히 믿는 사람의 도움을 받으세요. 그때 열쇠는 자신의 지갑 앱에 한 번만 넣고, 다른 곳에는 절대 넣지 마세요.
received-email = 이제 로그인 서비스 Turnkey가 당신을 위해 관리하는 이메일 주소의 지갑에 들어 있습니다. 당신의 이메일을 읽을 수 있는 사람은 누구나 그 지갑을 쓸 수 있으니 메일함을 안전하게 지키세요. 이 페이지는 선물을 여는 일만 합니다. 옮기려면 { $site } 운영자의 앱에서 그 지갑에 로그인합니다. 다른 지갑 앱으로는 열 수 없습니다. 어느 앱인지는 운영자에게 묻고, 이메일로 받은 코드는 절대 아무에게도 알려 주지 마세요.
received-wallet = 이제 당신의 지갑에 들어 있습니다.
received-own = 지정한 지갑에 들어 있습니다. 선물 지갑은 더는 필요하지 않습니다.
received-either = 지정한 지갑과 선물 지갑을 확인하세요. 둘 중 한 곳에 있습니다.
fee-from-gift = 나중에 옮기면 네트워크 수수료가 조금 들며, 도착한 ETH에서 냅니다.
fee-needs-ether = 여는 것은 무료였습니다. 나중에 옮길 때만 네트워크 수수료가 ETH로 조금 듭니다. 이 일로 연락해 오는 사람에게는 돈을 내지 말고 가족에게 물어보세요.

## Why something did not work

no-fee-spent = 오늘의 선물 네트워크 수수료 예산을 모두 썼습니다. { $time }에 새 예산이 생깁니다.
no-fee-reserved = 오늘의 선물 네트워크 수수료 예산은 가는 중인 선물이 모두 쓰기로 했습니다. 20분 후에 다시 시도해 주세요.
no-fee-here = 여기에서는 받는 분의 네트워크 수수료를 내지 않습니다.
no-fee-paused = 받는 분의 네트워크 수수료 지급이 잠시 멈췄습니다. 나중에 다시 시도해 주세요.
no-fee-unknown = 네트워크 수수료를 대신 낼 수 있는지 지금은 알 수 없습니다. 몇 분 후에 다시 시도해 주세요.
locked = 네트워크의 시계로는 선물이 아직 잠겨 있습니다. 1분 후에 다시 시도해 주세요.
already-opened = 이 선물은 이미 열렸습니다.
too-late = 보내는 데 너무 오래 걸렸습니다. 아무 일도 일어나지 않았습니다. 다시 시도해 주세요.
signer-paused = 오늘 이 지갑의 인출이 네트워크에서 실패했습니다. 내일까지 이 지갑의 수수료를 내지 않습니다.
nonce-mismatch = 이 지갑의 다른 선물이나 이 선물이 이미 가는 중입니다. 1분 기다린 뒤 다시 시도해 주세요.
already-used = 이미 보낸 것입니다. 다시 시도하면 페이지가 선물이 어디에 있는지 확인합니다.
signer-mismatch = 선물을 받는 지갑의 서명이 아닙니다. 아무 일도 일어나지 않았습니다. 스마트 지갑이라면 수수료를 직접 낼 수 있습니다.
gift-not-found = 선물을 더는 찾을 수 없습니다. 페이지를 다시 불러오세요.
chain-unavailable = 지금은 네트워크에 연결할 수 없습니다. 잃은 것은 없습니다. 몇 분 후에 다시 시도해 주세요.
would-fail = 지금은 네트워크가 거절하거나, 여기에서 내는 것보다 많은 수수료가 필요해 보내지 않았습니다. 나중에 다시 시도해 주세요. 스마트 지갑이라면 수수료를 직접 낼 수 있습니다.
problem-request = 이 페이지가 보낸 것을 서비스가 처리할 수 없었습니다. 아무 일도 일어나지 않았습니다. 페이지를 다시 불러와 다시 시도해 주세요.
problem-service = 지금 서비스에 문제가 있습니다. 잃은 것은 없습니다. 몇 분 후에 다시 시도해 주세요.
problem-destination = 그 주소로는 선물을 보낼 수 없습니다. 아무 일도 일어나지 않았습니다. 본인의 다른 지갑으로 다시 시도해 주세요.
problem-no-destination = 이 선물은 선물 지갑으로만 보낼 수 있습니다. 아무 일도 일어나지 않았습니다. 페이지를 다시 불러와 한 번 더 열어 주세요.
problem-not-opened-here = 이 페이지에서는 이 선물에 든 것을 열 수 없습니다. 잃은 것은 없습니다. 여는 방법을 선물한 분에게 물어보세요.
problem-unknown = 이 페이지가 모르는 이유로 서비스가 거절했습니다: { $code }. 페이지를 다시 불러와 다시 시도해 주세요. 또 그러면 도와주는 분에게 이 단어를 알려 주세요.
too-often = 너무 자주 시도했습니다. { $wait } 기다린 뒤 다시 시도해 주세요.
service-away = 서비스가 응답하지 않습니다. 인터넷에 연결되어 있나요? 잃은 것은 없습니다. 곧 다시 시도해 주세요.
went-wrong = 이 페이지에 문제가 생겼습니다. 선물에는 아무 일도 없습니다. 페이지를 다시 불러와 다시 시도해 주세요.
