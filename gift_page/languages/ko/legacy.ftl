## The legacy and its state

legacy = 상속 계획
legacy-opens-on = { $moment }부터 수령할 수 있습니다.
legacy-moves = 소유자의 활동이 확인될 때마다 이 날은 뒤로 미뤄집니다.
legacy-open-since = { $moment }부터 수령할 수 있게 되었습니다.
legacy-closes-again = 아직 아무도 수령하지 않았다면, 소유자의 활동이 확인되면 다시 닫힙니다.
legacy-claimed-on = { $moment }에 수령되었습니다.
legacy-rest = 지정된 사람은 누구나 남아 있는 자기 몫을 아직 수령할 수 있습니다.
legacy-handed-over = 그때부터 공유 지갑에는 새 서명자가 있습니다.
legacy-ended = 소유자가 이 상속 계획을 끝냈습니다. 수령할 것도 하실 일도 없습니다.
legacy-no-day = 이 페이지에 보여 드릴 날짜가 없습니다.
legacy-second-line = 두 번째 순위인 분들이 수령할 수 있는 때
legacy-third-line = 세 번째 순위인 분들이 수령할 수 있는 때
legacy-details = 이 상속 계획에 대하여
legacy-purpose = 상속 계획은 소중한 사람들을 위한 계획입니다. 소유자의 활동이 오랫동안 확인되지 않으면, 계획에 지정된 사람들이 자신에게 남겨진 것을 수령할 수 있습니다.
legacy-purpose-safe = 상속 계획은 소중한 사람들을 위한 계획입니다. 이것은 공유 지갑(Safe)의 계획입니다. 지갑이 오랫동안 쓰이지 않으면, 계획에 지정된 사람들이 지갑을 넘겨받을 수 있습니다.
legacy-contract = 컨트랙트
legacy-router = 만든 곳
legacy-public = 이 페이지는 네트워크에서 누구나 읽을 수 있는 것을 보여 줍니다. 아무의 이름도 밝히지 않습니다.

## No legacy is shown

no-legacy = 여기에는 상속 계획이 없습니다
no-legacy-1 = 링크를 확인해 주세요.
no-legacy-2 = 방금 만든 상속 계획은 잠시 시간이 걸릴 수 있습니다.
legacy-not-now = 지금은 이 상속 계획을 보여 드릴 수 없습니다
legacy-not-now-1 = 잃은 것은 없습니다. 제자리에 안전하게 있습니다. 잠시 후 다시 시도해 주세요.
legacy-too-many = 잠시 기다려 주세요
legacy-too-many-1 = 방금 1분 동안 같은 네트워크에서 아주 많은 요청이 있었습니다.
legacy-too-many-2 = 잃은 것은 없습니다. 1분 후에 이 페이지를 다시 불러오세요.
legacy-several = 이 번호의 상속 계획이 여러 개 있습니다
legacy-several-1 = 어느 것을 찾으시나요? 컨트랙트 주소는 받으신 이메일에 있습니다.

## Connecting a wallet

legacy-connect = 본인의 것인가요, 아니면 지정되셨나요?
legacy-connect-words = 지갑을 연결하면 이 페이지가 네트워크에서 확인합니다. 그것만으로는 서명도 결제도 없습니다.
legacy-connect-wallet = { $wallet } 연결
# The account follows in { $account }.
legacy-connected = 연결됨: { $account }
legacy-other-wallet = 다른 지갑 사용
legacy-not-this-wallet = 이 지갑이 아닙니다
legacy-not-named = 이 지갑은 이 상속 계획에 지정되어 있지 않습니다.
# { $ending } is the end of an address, as "…1a2b".
legacy-wallet-ends = 이 지갑은 이 상속 계획에 지정되어 있지 않습니다. 이메일에 따르면 맞는 지갑은 { $ending }(으)로 끝납니다.
legacy-find-wallet = 지갑에서 다른 계정을 고르거나 다른 지갑을 쓰세요. 이곳을 포함해 어떤 웹사이트에도 복구 문구를 입력하지 마세요.

## The owner

legacy-yours = 이 상속 계획은 본인의 것입니다
legacy-yours-claimed = 이미 수령되었습니다. 활동을 알려도 더는 바뀌지 않습니다.
legacy-well-words = 잘 지내시나요? 알려 주시면 { $moment }부터만 수령할 수 있습니다.
legacy-well-no-day = 잘 지내시나요? 알려 주세요. 이 페이지는 이 상속 계획의 날짜를 보여 드릴 수 없습니다.
legacy-well = 잘 지냅니다
legacy-well-own = 잘 지냅니다. 네트워크 수수료는 제가 냅니다
legacy-well-free = 비용이 들지 않습니다. 서명하시면 네트워크 수수료를 대신 냅니다.
legacy-wallet-names = 서명할 때 지갑에 컨트랙트 이름 “{ $contract }”이(가) 표시됩니다. 결제는 요구하지 않습니다.
legacy-well-safe = 이것은 공유 지갑입니다. 이 지갑의 거래는 모두 활동으로 확인됩니다. 이 거래는 지갑 자신에게 아무것도 보내지 않습니다.
legacy-needs-premium = 활동을 알릴 때의 네트워크 수수료는 Premium이 있는 소유자에게 대신 내 드립니다.
legacy-fee-is-yours = 네트워크 수수료를 내고 직접 거래로 하실 수 있습니다.
# The day while it is not final.
legacy-new-day = 새 날짜: { $moment }. 확정되는 중입니다.
legacy-moving-to = { $moment }부터 수령할 수 있습니다. 확정되는 중입니다.
legacy-well-under-way = 잘 지낸다는 소식이 가는 중입니다
legacy-well-done = 잘 지낸다는 소식이 도착했습니다
legacy-day-final = 새 날짜는 { $moment }입니다. 확정되었습니다.
legacy-well-final = 소식이 확정되었습니다.
legacy-papers = 보관용 서류
legacy-papers-words = 지정하신 분들께 드릴 카드와, 변호사에게 맡길 서류의 표지입니다. 이 상속 계획이 어디에 있고 어떻게 수령하는지 적혀 있습니다. 어느 쪽에도 본인이나 다른 분의 이름은 없습니다.
legacy-papers-show = 두 장 모두 보기
legacy-papers-way-out = 화면을 캡처해 두셔도 됩니다.

## A person who is named

legacy-named = 이 상속 계획에 지정되셨습니다
legacy-named-from = 이 지갑으로 { $moment }부터 수령하실 수 있습니다.
legacy-day-moves = 소유자의 활동이 확인될 때마다 이 날짜는 바뀝니다. 그때까지 하실 일은 없습니다.
legacy-calendar-title = 상속 계획에서 수령할 수 있습니다
legacy-what-words = 지금 수령하실 수 있습니다. 먼저 무엇을 받게 되는지 보세요. 그것만으로는 서명이 없습니다.
legacy-day-unknown = 언제부터 수령하실 수 있는지 이 페이지는 알지 못합니다. 지금 시도해 보실 수 있습니다.
legacy-what = 무엇을 받게 되나요?
legacy-looking = 잠시만요. 실제로 하지 않고 수령을 시험해 봅니다…
legacy-would-get = 받으실 것
legacy-after-fees = 지금 상태에서 모든 수수료를 뺀 뒤 지갑에 도착할 것입니다.
legacy-has-more = 이 상속 계획에는 지금은, 또는 이것과 함께는 수령할 수 없는 것이 더 있습니다.
legacy-nothing = 지금 수령해도 받으실 것이 없습니다.
legacy-claim-free-words = 비용이 들지 않습니다. 서명하시면 네트워크 수수료를 대신 냅니다. 수령하기 위해 누구에게도 돈을 내지 마세요.
legacy-claim-free = 무료로 수령하기
legacy-claim-own = 네트워크 수수료를 직접 내고 수령하기
legacy-no-free-claims = 이 상속 계획에서는 수령할 때의 네트워크 수수료를 대신 내지 않습니다.
legacy-take-over-words = 지정된 다른 사람들과 함께 지금 공유 지갑을 넘겨받으실 수 있습니다. 네트워크 수수료를 내는 직접 거래가 필요합니다.
legacy-take-over = 공유 지갑 넘겨받기
legacy-claim-under-way = 수령이 진행 중입니다
legacy-step-final = 확정
legacy-takeover-done = 공유 지갑에 새 서명자가 있습니다
legacy-taken-over = 이제 지정된 다른 사람들과 함께 이 지갑에 서명하실 수 있습니다.
legacy-you-claimed = 수령하셨습니다.
legacy-choose-again = 기다리지 않고 다시 선택하기

## A signer of a Safe

legacy-safe = Safe의 서명자이십니다
# The account follows in { $account }.
legacy-safe-signer = 이 상속 계획과 관련된 공유 지갑 { $account }의 서명자이십니다.
legacy-safe-well = 이 Safe의 거래는 모두 활동으로 확인됩니다. 다음 거래면 충분하고, 아무것도 옮기지 않습니다:
legacy-safe-check-in = 이 상속 계획은 이 Safe의 것입니다. 다음 거래로 활동이 확인되며, 아무것도 옮기지 않습니다:
legacy-safe-claim = 이 Safe는 상속 계획에 지정되어 있습니다. 다음 거래로 수령할 수 있습니다:
legacy-safe-from = 이 Safe는 상속 계획에 지정되어 있습니다. { $moment }부터 수령할 수 있습니다.
legacy-safe-how = Safe에서 “New transaction”, 이어서 “Transaction Builder”를 고르고 “Custom data”를 켠 뒤 이 세 줄을 채우세요. 다른 서명자도 그곳에서 동의합니다.
legacy-safe-to = To address
legacy-safe-value = ETH value
legacy-safe-data = Data (hex)
legacy-safe-copy = 세 줄 복사
legacy-safe-copied = 세 줄을 복사했습니다.
legacy-safe-not-copied = 브라우저가 허용하지 않았습니다. 여기에서 줄을 복사하세요.

## Why something did not work

legacy-not-known = 이 상속 계획을 더는 찾을 수 없습니다. 페이지를 다시 불러오세요.
legacy-over = 그사이에 이 상속 계획이 수령되었거나 끝났습니다. 페이지를 다시 불러오세요.
legacy-not-open = 아직 열리지 않았습니다. 소유자가 활동 중입니다. 페이지를 다시 불러와 날짜를 확인하세요.
legacy-not-claimable = 지금은 수령할 수 없습니다. 페이지를 다시 불러와 이유를 확인하세요.

## Said otherwise than of a gift

wallet-unknown-network = { $wallet }은(는) 아직 이 상속 계획의 네트워크를 모릅니다. { $wallet }의 설정에 있는 네트워크에서 추가하세요: { $network }, 체인 ID { $number }, 통화 ETH. 그런 다음 다시 시도해 주세요.
wallet-other-network = 이 상속 계획은 지갑과 다른 네트워크에 있습니다. { $wallet }에서 네트워크 { $network }을(를) 고른 뒤 다시 시도해 주세요.
wallet-no-ether = 지갑에 네트워크 수수료를 낼 ETH가 모자랍니다.
now-predecessor = 다른 요청이 먼저 갑니다. 이 요청은 저절로 이어집니다…
now-mined = 네트워크가 받아들였습니다. 확정되는 데 15분쯤 걸립니다…
why-fees = 네트워크가 매우 붐벼 지금 수수료가 높습니다. 내려가는 대로 이어집니다.
why-balance = 네트워크 수수료를 내는 서비스의 지갑을 먼저 채워야 합니다. 그 뒤 저절로 이어집니다.
why-daily-cap = 오늘의 네트워크 수수료 예산에 지금 자리가 없습니다. 자리가 나면 저절로 이어집니다.
why-chain = 네트워크가 지금 응답하지 않습니다. 응답하면 저절로 이어집니다.
why-paused = 네트워크 수수료 지급이 잠시 멈췄습니다. 그 뒤 저절로 이어집니다.
meanwhile = 이 페이지를 열어 두거나 나중에 다시 와도 됩니다.
trouble-reverted = 네트워크가 거래를 거절했습니다. 아무것도 옮겨지지 않았습니다.
trouble-refused = 네트워크가 거래를 거절했습니다. 아무것도 옮겨지지 않았습니다.
trouble-expired = 제때 보내지 못해 아무 일도 일어나지 않았습니다. 다시 시도해 주세요.
trouble-superseded = 이 지갑으로 다른 것이 먼저 보내졌습니다. 다시 확인해 주세요.
trouble-cancelled = 해당 지갑이 취소했습니다. 아무것도 옮겨지지 않았습니다.
trouble-unknown = 이번 시도가 끝났고 아무것도 옮겨지지 않았습니다. 다시 확인해 주세요.
no-fee-spent = 오늘의 네트워크 수수료 예산을 모두 썼습니다. { $time }에 새 예산이 생깁니다.
no-fee-reserved = 오늘의 네트워크 수수료 예산은 가는 중인 요청이 모두 쓰기로 했습니다. 20분 후에 다시 시도해 주세요.
no-fee-here = 여기에서는 네트워크 수수료를 대신 내지 않습니다.
no-fee-paused = 네트워크 수수료 지급이 잠시 멈췄습니다.
no-fee-unknown = 네트워크 수수료를 대신 낼 수 있는지 지금은 알 수 없습니다.
signer-paused = 오늘 이 지갑의 거래가 네트워크에서 실패했습니다. 내일까지 이 지갑의 수수료를 내지 않습니다. 직접 거래로 하실 수 있습니다.
nonce-mismatch = 이 지갑의 다른 요청이나 이 요청이 이미 가는 중입니다. 1분 기다린 뒤 다시 시도해 주세요.
already-used = 이미 보낸 것입니다. 페이지를 다시 불러오세요.
signer-mismatch = 맞는 지갑의 서명이 아닙니다. 아무 일도 일어나지 않았습니다. 직접 거래로 하실 수 있습니다.
would-fail = 지금은 네트워크가 거절하거나, 여기에서 내는 것보다 많은 수수료가 필요해 보내지 않았습니다. 나중에 다시, 또는 직접 거래로 시도해 주세요.
went-wrong = 이 페이지에 문제가 생겼습니다. 상속 계획에는 아무 일도 없습니다. 페이지를 다시 불러와 다시 시도해 주세요.
