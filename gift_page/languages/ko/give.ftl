## Occasions, with messages a giver may start from: greetings of the language, not word by word

occasion-gift = 선물
gift-1 = 작은 선물이에요. 여는 날까지 봉인해 두었어요.
gift-2 = 당신을 위해 따로 남겨 두었어요. 그날이 오면 열고 나를 떠올려 주세요.
gift-3 = 사랑을 담아, 당신에게.
occasion-birthday = 생일
birthday-1 = 생일 축하해요! 조금 기다려야 하지만, 이 선물은 당신 거예요.
birthday-2 = 당신과 함께한 또 한 해, 축하할 가장 좋은 이유예요. 생일 축하해요!
birthday-3 = 행복한 한 해가 되길 바라요. 사랑을 담아, 생일 축하해요.
occasion-wedding = 결혼
wedding-1 = 두 분과, 두 분이 함께 만들어 갈 모든 날을 축하합니다.
wedding-2 = 소소하고 좋은 날로 가득한 삶을 기원합니다.
wedding-3 = 오늘도, 앞으로의 모든 날도 두 분의 행복을 빕니다.
occasion-anniversary = 결혼기념일
anniversary-1 = 함께한 세월과 앞으로의 긴 세월을 위하여. 결혼기념일 축하합니다!
anniversary-2 = 지금도 가장 좋아하는 이야기는 두 분의 이야기예요. 결혼기념일 축하합니다.
anniversary-3 = 우리를 위하여, 온 사랑을 담아.
occasion-new-baby = 아기 탄생
new-baby-1 = 세상에 온 걸 환영해! 네가 다 클 때까지 이 선물이 기다릴 거야.
new-baby-2 = 오늘은 작은 아기, 내일은 큰 꿈. 앞으로의 세월을 위한 선물이야.
new-baby-3 = 우리 곁에 와 줘서 정말 기뻐.
occasion-graduation = 졸업
graduation-1 = 해냈군요! 정말 자랑스러워요.
graduation-2 = 새로운 시작을 위하여, 무엇을 시작하든 응원해요.
graduation-3 = 아무도 보지 못한 그 모든 노력에, 축하를 보내요.
occasion-bar-bat-mitzvah = 바르·바트 미츠바
bar-bat-mitzvah-1 = 마젤 토브! 오늘 정말 자랑스러워요.
bar-bat-mitzvah-2 = 오래 기억할 하루와, 앞으로의 세월을 위하여.
bar-bat-mitzvah-3 = 뜻깊은 날, 사랑을 담아. 날로 더 굳세어지길 바라요.
occasion-thank-you = 감사
thank-you-1 = 카드에 다 담지 못할 만큼 고마워요.
thank-you-2 = 필요할 때 곁에 있어 줘서 고마워요.
thank-you-3 = 큰 친절에 드리는 작은 감사예요.
occasion-new-home = 새집
new-home-1 = 좋은 사람들로 가득한 집이 되길 바라요.
new-home-2 = 새 문, 새 열쇠, 새로운 시작. 집들이 축하해요!
new-home-3 = 새집을 위해, 필요한 곳에 써 주세요.
occasion-someday = 언젠가
someday-1 = 특별한 날이 아니라, 그저 당신이라서. 열 때까지 자라는 선물이에요.
someday-2 = 필요한 날, 또는 열고 싶은 날을 위하여.
someday-3 = 오늘 당신을 생각했어요. 언젠가 이 글을 읽게 되겠죠.
occasion-valentine = 밸런타인데이
valentine-1 = 오늘도, 다른 모든 날에도, 당신에게.
valentine-2 = 이 선물보다 훨씬 전부터 내 마음은 당신의 것이었어요.
valentine-3 = 언제나, 온 사랑을 담아.
occasion-new-year = 새해
new-year-1 = 새해에는 건강과 행운, 좋은 사람들이 함께하길!
new-year-2 = 새로 시작하는 모든 것을 위하여. 새해 복 많이 받으세요!
new-year-3 = 평온한 한 해가 되길 바라요.
occasion-christmas = 크리스마스
christmas-1 = 메리 크리스마스! 이 선물은 트리 아래에서 조금 더 기다려요.
christmas-2 = 평화롭고 따뜻한 크리스마스 보내세요.
christmas-3 = 크리스마스에, 그리고 한 해 내내 사랑을 담아.
occasion-hanukkah = 하누카
hanukkah-1 = 즐거운 하누카 보내세요! 집안에 빛이 가득하길 바라요.
hanukkah-2 = 여덟 밤의 빛, 그리고 제 날을 기다리는 선물 하나.
hanukkah-3 = 당신과 가족에게 밝고 행복한 하누카가 되길 바라요.
occasion-eid = 이드
eid-1 = 이드 무바라크! 기쁨과 평화가 함께하는 하루가 되길 바라요.
eid-2 = 이드를 맞아 당신과 가족에게 따뜻한 인사를 전해요.
eid-3 = 이드 무바라크, 사랑과 축복을 담아.
occasion-diwali = 디왈리
diwali-1 = 즐거운 디왈리 보내세요! 빛으로 가득한 한 해가 되길 바라요.
diwali-2 = 당신과 가족에게 빛과 달콤함, 행운이 있기를.
diwali-3 = 밝고 행복한 디왈리가 되길 바라요.
occasion-easter = 부활절
easter-1 = 기쁜 부활절! 찾아볼 만한 것이 있어요.
easter-2 = 봄과 햇살, 그리고 작은 깜짝 선물을 당신에게.
easter-3 = 당신과 가족에게 기쁜 부활절이 되길 바라요.
occasion-lunar-new-year = 설날
lunar-new-year-1 = 설날 복 많이 받으세요! 행운이 찾아오길 바라요.
lunar-new-year-2 = 새해에는 건강과 번영, 행복이 함께하길.
lunar-new-year-3 = 새해를 위하여: 붉은 것, 행운을 주는 것, 자라나는 것.

## The giver's wallet

seal-a-gift = 선물 봉인하기
your-wallet = 내 지갑
giver-no-wallet = 아직 지갑을 찾지 못했습니다. 휴대폰에서는 지갑 앱 안의 브라우저로, 컴퓨터에서는 지갑이 있는 브라우저로 이 페이지를 여세요.
giver-connect = { $wallet } 연결
giver-account = { $wallet }: { $account } ({ $network })
giver-connect-first = 먼저 지갑을 연결해 주세요.
giver-connect-above = 먼저 지갑을 연결해 주세요. 이 페이지 맨 위에 있습니다.
giver-no-chain = 여기에서 다루는 체인이 없습니다.
giver-declined = 지갑에서 거절했습니다. 아무것도 보내지 않았습니다.
giver-refused = 체인이 거절했습니다. 지갑에 충분히 있나요?
giver-too-little = 지갑의 잔액이 모자랍니다.
giver-failed = 되지 않았습니다. 다시 시도해 주세요.
giver-was-asked = 이 페이지를 다시 불러올 때 지갑에 봉인할지 물은 상태였습니다. 먼저 지갑을 확인하세요. 보냈다면 봉인된 것이고, 인쇄한 종이도 유효합니다. 다시 봉인하면 두 번째 선물이 됩니다.

## The form

form-gift = 선물
form-occasion = 축하할 일
form-language = 선물의 언어
form-to = 받는 사람 (이름)
form-from = 보내는 사람 (내 이름)
form-note = 메시지
form-room = { $used } / 최대 { $most }자
form-inside = 내용물
form-asset = 선물할 것
form-amount = 얼마나
form-opens = 열리는 때
form-chain-clock = 체인의 시계로는 지금 { $moment }입니다.
form-how = 여는 방법
form-paper = 인쇄한 열쇠로: 종이를 인쇄해 건네줍니다
form-wallet = 받는 사람의 지갑으로: 주소를 알고 있을 때
form-email = 받는 사람의 이메일로: 열 때 코드를 보냅니다
form-wallet-address = 받는 사람의 지갑 주소
form-email-address = 받는 사람의 이메일 주소
form-continue = 계속
letter-long-name = 이름은 최대 { $most }자입니다.
letter-long-note = 메시지는 최대 { $most }자입니다.
letter-hidden = 이름이나 메시지에 제어 문자 또는 보이지 않는 문자가 있습니다.
letter-address = 이름이 웹이나 이메일 주소처럼 보입니다. 다르게 써 주세요.
letter-marks = 이름의 한 글자에 기호가 너무 많이 겹쳐 있습니다.
letter-too-long = 이름과 메시지가 링크에 담기에는 너무 깁니다.
form-no-day = 선물이 열리는 때를 골라 주세요.
form-future = 선물은 미래에 열려야 합니다.
form-too-far = 선물은 { $years }년 안에 열려야 합니다. 연도를 확인하세요. 나중에는 아무도 바꿀 수 없습니다.
form-two-readings = “{ $typed }”은(는) 두 가지로 읽힙니다. 천 단위라면 { $thousands }, 아니라면 { $small }(으)로 써 주세요.
form-whole-amount = { $symbol } 수량을 2처럼 정수로 써 주세요.
form-bad-amount = { $symbol } 수량을 { $example }처럼 써 주세요. 소수점 아래는 최대 { $decimals }자리이고, 천 단위 구분 기호는 쓰지 않습니다.
form-no-amount = 얼마인지 써 주세요.
form-no-address = 지갑 주소가 아닙니다.
form-no-email = 이메일 주소가 아닙니다.

## The review

review = 한 번 더 읽어 주세요
review-gift = 선물
review-amount = { $gift } ({ $network })
review-for = 받는 이
review-for-paper = 인쇄한 종이를 가진 사람. 현금처럼 보관하세요.
review-for-email = 메일함 { $email }을(를) 읽는 사람. 아직 지갑이 없으면 만들어집니다.
review-for-wallet = 지갑 { $address }. 이 지갑만 선물을 열 수 있습니다.
review-opens = 열리는 때
review-lands = 도착하는 곳
review-lands-own = 열 때 받는 분이 어디로 받을지 정합니다. 자신의 지갑 또는 이메일 주소의 지갑입니다.
review-lands-email = 로그인 서비스 Turnkey가 관리하는 받는 분 이메일 주소의 지갑. 그곳에서는 { $site } 운영자의 앱으로만 옮길 수 있고, 다른 지갑 앱으로는 그 지갑을 열 수 없습니다. 어느 앱인지 운영자에게 묻고 받는 분에게 알려 주세요.
review-moment = { $moment } (내 시간대)
review-fee = 네트워크 수수료
review-fee-words = ETH로 냅니다. 동의하기 전에 지갑이 금액을 보여 줍니다.
review-final = 봉인하면 아무것도 바꿀 수 없습니다. 당신도 저희도 선물을 되찾거나 더 일찍 열 수 없습니다.
review-seal = 선물 봉인
review-change = 바꾸기
sheet-first = 먼저 열쇠 종이를 인쇄하세요
sheet-first-words = 열쇠는 이 페이지를 떠날 때까지 여기에만 있습니다. 종이가 없으면 아무도 선물을 열 수 없습니다.
sheet-printed = 인쇄했고, 종이의 열쇠를 읽을 수 있습니다.
sheet-not-printed = 먼저 종이를 인쇄하고 위에 표시해 주세요.
sheet-throw-away = 그 종이를 인쇄했다면 버리세요. 그 열쇠에는 아무것도 봉인되지 않았습니다.

## Sealing

sealing-sign-recipient = 누구에게 주는지 지갑에서 서명해 주세요. 받는 사람의 지갑을 찾거나 만드는 데 1분 넘게 걸릴 수 있습니다.
sealing-confirm = 지갑에서 거래 { $number }/{ $all }을(를) 확인해 주세요.
sealing-on-its-way = 거래 { $number }/{ $all }이(가) 가는 중입니다.
sealing-too-late = 그사이에 여는 때가 되었습니다. 더 나중의 때를 골라 주세요.
sealing-refused = 체인이 거절했습니다. 아무것도 봉인되지 않았습니다.
sealed = 선물 { $number }번을 봉인했습니다. { $moment }에 열립니다.
sealed-not-kept = 이 브라우저는 아무것도 저장하지 않습니다. 지금 링크를 저장하세요.
seal-another = 다른 선물 봉인하기

## Afterwards

kept-gift = 선물 { $number }
kept-title = 여기에서 봉인한 선물
kept-some = 이 브라우저는 여기에서 봉인한 선물의 링크를 기억합니다. 다른 누구에게도 없습니다.
kept-none = 이 브라우저는 여기에서 봉인하는 선물의 링크를 기억합니다. 다른 누구에게도 없습니다.
kept-item-for = { $occasion }, { $name } 님, 선물 { $number }
kept-item = { $occasion }, 선물 { $number }
kept-show = 보기
kept-show-item = 보기: { $item }
kept-forget = 잊기
kept-forget-item = 잊기: { $item }
kept-forget-sure = 완전히 잊기 (링크를 다시 만들 수 없습니다)
list-title = 내가 봉인한 것
list-none = 이 지갑으로 봉인한 것이 아직 없습니다.
list-unread = 봉인한 것의 목록을 지금 읽을 수 없습니다. 아래는 이 브라우저가 기억하는 것입니다.
list-broken = 목록의 나머지를 지금 읽을 수 없습니다.
list-rest = 이 브라우저는 다음도 기억합니다. 다른 지갑의 것, 오래된 것, 방금 만든 것 또는 더 이상 체인에 없는 것입니다.
list-more = 더 보기
list-regular = 타임락 { $number }
list-soft = 소프트 타임락 { $number }
list-sealed-until = 봉인되어 있습니다. { $moment }에 열립니다.
list-sealed = 봉인되어 있습니다. 여는 날이 정해지지 않았습니다.
list-open = { $moment }부터 열 수 있습니다.
list-ended = 종료되었습니다. 내용물은 이미 꺼냈습니다.
link-words = 선물의 링크입니다. 링크가 있는 사람은 메시지를 읽지만, 선물은 받는 분만 열 수 있습니다.
link-copy = 링크 복사
link-copied = 복사했습니다.
link-not-allowed = 브라우저가 허용하지 않았습니다. 여기에서 링크를 복사하세요.
page-sheet = 열쇠 종이
page-card = 선물 카드
page-record = 선물 기록
page-as-printed = { $page }, 인쇄될 모습
page-print = 인쇄
page-save = PNG로 저장
page-not-saved = 저장하지 못했습니다. 저장된 것이 없으니 인쇄해 주세요.
page-withheld = 이 브라우저는 추적을 막기 위해 그림을 페이지에 주지 않습니다. 저장된 것이 없으니 인쇄해 주세요.
page-not-drawn = { $page }: 지금은 그릴 수 없습니다. 아래에서 선물을 다시 보세요.
page-does-not-fit = { $page }: { $why }
record-needs-wallet = 선물 기록도 만들려면 지갑을 연결하세요.
fonts-missing = 글꼴을 불러오지 못했습니다. 다시 시도해 주세요.

## Telling the recipient by email

notify = 원하시면 이메일로 알려 주세요
notify-email = 받는 사람의 이메일 주소
notify-when = 언제
notify-now = 지금, 그리고 열리는 날
notify-scheduled = 내가 고른 날, 그리고 열리는 날
notify-opening = 열리는 날에만
notify-day = 알릴 때
notify-privacy = 주소와 링크는 선물이 열릴 때까지 암호화되어 보관되며, 다른 누구에게도 보내지 않습니다.
notify-go = 알려 주기
notify-no-email = 받는 사람의 이메일 주소를 써 주세요.
notify-no-day = 날짜와 시간을 골라 주세요.
notify-bad-day = 지금부터 선물이 열리는 { $moment } 전까지의 때를 골라 주세요.
notify-done = 받는 사람에게 알려 드립니다.
notify-done-on = { $moment }, 그리고 열리는 날에 알려 드립니다.

## The printed pages

print-for = { $name } 님께
print-from = { $name } 드림
print-opens = { $day }에 열립니다
print-scan = 스캔하여 선물 보기
print-scan-opens = 스캔하면 선물을 볼 수 있습니다. { $day }에 열립니다.
print-note-too-long = 메시지의 줄이 너무 많습니다. 카드에는 { $most }줄까지 들어갑니다.
print-code-too-long = 메시지가 인쇄할 코드에 담기에는 너무 깁니다.
print-letter-too-long = 이름과 메시지가 종이의 코드에 담기에는 너무 깁니다. { $room }바이트까지 들어갑니다(영문자는 1, 다른 글자는 2~4바이트).
sheet-key = 이 선물의 열쇠
sheet-key-words = 이 열쇠를 읽은 사람은 선물을 가져갈 수 있습니다. 아무에게도 보여 주지 말고, 표지의 코드로 열리는 페이지에서만, 그날이나 그 뒤에 입력하세요.
sheet-opens-for = { $address } 앞으로 봉인된 것을 엽니다
sheet-closing = 닫는 법: 이 면을 표지 뒤로 접고, 아래 면을 그 위로 접은 뒤, 가장자리를 붙이세요.
sheet-how = 선물을 여는 방법
sheet-look = 보기
sheet-look-words = 표지의 코드를 휴대폰으로 스캔하세요. 무엇이 들어 있고 언제 열리는지 페이지에 나옵니다.
sheet-wait = 기다리기
sheet-wait-words = 이 꾸러미를 닫은 채로, 현금처럼 안전하게 보관하세요. 선물한 분도 다시 만들 수 없습니다.
sheet-open = 열기
sheet-open-words = 그날이나 그 뒤에 꾸러미를 펼치고 페이지를 다시 여세요. 거기에서 열쇠를 스캔하거나 입력하세요.
sheet-keep = 보관하기
sheet-keep-words = 그러면 선물은 이 열쇠의 지갑에 들어갑니다. 자신의 지갑으로 옮길 때까지 종이를 보관하세요.
sheet-no-camera = 카메라가 없다면:
sheet-safety = 도와주는 사람에게 열쇠는 필요 없습니다. 누가 부탁해도 사진을 찍거나 보내거나 불러 주지 마세요.

## The gift record

record-title = 선물 기록
record-subtitle = 선물한 사람의 보관용
record-value = 봉인한 날인 { $day }의 공정 시장 가치
record-no-source = 가격 정보 없음
record-no-price = 인쇄할 때 그날의 믿을 만한 { $symbols } 가격이 없었습니다. 가치는 다른 곳에서 알아보아야 합니다.
record-price-recorded = 그날 기록된 가격
record-price-older = 봉인할 때의 최신 가격 (다른 날의 것)
record-price-now = 인쇄할 때의 가격 (같은 날의 것)
record-price-now-older = 인쇄할 때의 가격 (다른 날의 것)
record-price = 1 { $symbol } = US$ { $price } (Chainlink 라운드 { $round }, { $moment })
record-basis = { $how }: { $prices }.
record-given = 선물한 것
record-sealed = 봉인한 날
record-opens = 열리는 날
record-given-by = 선물한 사람
record-giver = 선물한 사람의 계정
record-given-to = 받는 사람
record-sealed-for = 받는 지갑
record-network = 네트워크
record-network-words = { $network } (체인 { $number })
record-number = 선물 번호
record-contract = 컨트랙트
record-transaction = 거래 (코드)
record-seen-at = 볼 수 있는 곳
record-base-units = { $token }의 기본 단위
record-moment = { $day } { $time } UTC
record-disclaimer = 이 기록은 세무 자문도 감정도 아닙니다. 공개 체인에 있는 사실과, 가격 정보가 있었다면 그것으로 계산한 가치를 적은 것입니다. 선물을 누가 언제 어떻게 평가하고 신고하는지는 당신에게 적용되는 법에 따릅니다. 전문가에게 문의하세요.
