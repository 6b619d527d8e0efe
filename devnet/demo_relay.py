"""The story's chapter of what the service pays for: people without ETH sign, and the contracts decide."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address

from devnet.cast import FRIEND, GIVER, GODCHILD, OWNER
from devnet.evidence import must
from devnet.local import CHAIN_ID
from devnet.scenarios import Legacy
from devnet.sponsorship import Auth
from devnet.telling import DAY, Step, Telling
from devnet.wallet import Answer, get, post

if TYPE_CHECKING:
    from devnet.stack import Stack

ROUTER = "TransferEOALegacyRouter"
INACTIVITY = 60 * DAY
WINDOW = 30 * DAY  # before the deadline, in which a timer may be renewed
UNLOCKED_AFTER = 35 * DAY
GIFT_WEI, GIFT_USDC, INHERITANCE = 25 * 10**16, 40 * 10**6, 900 * 10**6
SENSOR_SECONDS = 60
RUN_SECONDS = 45
ENDED = ("confirmed", "reverted", "expired", "satisfied_elsewhere", "superseded", "cancelled_by_user")


@dataclass(frozen=True, slots=True)
class Relayed:
    """A request as the API answered it."""

    id: str
    tx_hash: str


class RelayChapter(Telling):
    """`signatures` keeps what was signed, for the search for leaks."""

    def __init__(self, stack: "Stack") -> None:
        super().__init__(stack)
        self.signatures: list[bytes] = []
        self.relayed: list[Relayed] = []
        self.gifts: Mapping[str, int] = {}
        self.second_legacy: Legacy

    def relay_steps(self) -> Sequence[Step]:
        return (
            ("A giver seals two gifts for a friend: one of ETH, one of USDC", self._seal),
            ("The owner makes a second legacy, for a godchild, and lets its timer be renewed", self._opt_in),
            ("The owner's wallet is used, and the service renews the timer", self._renew),
            ("The owner checks in by a signature, and pays nothing", self._check_in_for_free),
            ("The friend, who never had ETH, takes both gifts by signatures", self._withdraw),
            ("The godchild, who never had ETH, claims by a signature", self._claim_for_free),
            ("Each signature became one final transaction, paid to the wei", self._paid_once),
        )

    # -- preparations on chain

    def _seal(self) -> str:
        giver, friend, usdc = self.accounts[GIVER], self.address(FRIEND), self.stack.deployment.usdc
        self.gifts = {
            "ETH": self.scenario.create_gift(giver, friend, eth=GIFT_WEI, duration=UNLOCKED_AFTER),
            "USDC": self.scenario.create_gift(giver, friend, tokens=[(usdc, GIFT_USDC)], duration=UNLOCKED_AFTER),
        }
        vault = self.stack.deployment.timelock_erc20
        for timelock_id in self.gifts.values():
            details = self.scenario.read("TimelockERC20", vault, "getTimelockDetails", timelock_id)
            must((details[8], details[9], details[10]) == (2, 2, friend), "no live gift of the friend's on chain")
        return f"timelocks {self.gifts['ETH']} and {self.gifts['USDC']} open in {UNLOCKED_AFTER // DAY} days"

    def _opt_in(self) -> str:
        owner, usdt = self.accounts[OWNER], self.stack.deployment.usdt
        legacy = self.scenario.create_legacy(owner, {self.address(GODCHILD): 100}, inactivity=INACTIVITY)
        self.second_legacy = legacy
        self.scenario.mint(usdt, owner.address, INHERITANCE)
        self.scenario.approve(owner, usdt, legacy.address, INHERITANCE)
        self.transaction(self.scenario.set_auto_renew(owner, legacy))
        must(self.scenario.read(ROUTER, legacy.router, "autoRenewState", legacy.id)[0], "auto-renew is off on chain")
        query = "select baseline from worker.owner_activity where legacy = %(legacy)s"
        self._find_baseline()
        self.wait(lambda: bool(self._of_second(query)), SENSOR_SECONDS, "a first look at the owner's transactions")
        baseline = self._of_second(query)[0][0]
        must(baseline <= self._count(owner.address), "a baseline above the owner's own count")
        return f"legacy {legacy.id}; the pass remembers that the owner has made {baseline} transactions"

    def _find_baseline(self) -> None:
        """The sensor looks at a new legacy by itself, once what it needs to know is final."""
        self.stack.anvil.mine(4)

    # -- renewals and check-ins

    def _renew(self) -> str:
        owner, legacy = self.accounts[OWNER], self.second_legacy
        self.transaction(self.scenario.send(owner, owner.address))
        before = self.deadline(legacy)
        days = self.travel(before - WINDOW + 5 * DAY) // DAY
        self.stack.anvil.mine(4)
        used = self._count(owner.address)
        self.look_now("auto_renew")
        self.wait(lambda: self.deadline(legacy) > before, RUN_SECONDS, "the renewal on chain")
        must(self._count(owner.address) == used, "the owner's wallet sent something")
        event = self._event("TransferEOALegacyAutoRenewed", legacy.id)
        must(int(event["data"][2:66], 16) == used, "another count was attested than the owner's")
        sender = self._transaction_of(event)["from"]
        must(sender == self.stack.wallets["attestor"], "somebody else renewed")
        decided = self._of_second("select decision from worker.owner_activity where legacy = %(legacy)s")
        must(decided == [("renew",)], f"the pass says {decided}")
        return f"{days} days later the attestor vouched for transaction {used} of the owner; the deadline moved"

    def _check_in_for_free(self) -> str:
        owner, legacy = self.accounts[OWNER], self.second_legacy
        self.scenario.advance(DAY)
        before, wallet = self.deadline(legacy), self._wallet(owner.address)
        auth = self.scenario.check_in_auth(owner, legacy.id)
        body = {"router": to_checksum_address(legacy.router), "legacyId": str(legacy.id), "owner": auth[0]}
        sent = self._sponsored("check-in", body, auth)
        must(self.deadline(legacy) > before, "the deadline did not move on chain")
        must(self._wallet(owner.address) == wallet, "the owner's wallet paid or sent something")
        event = self._event("TransferEOALegacyCheckedInFor", legacy.id)
        must(event["transactionHash"] == sent.tx_hash, "another transaction checked in")
        must("0x" + event["topics"][3][-40:] == self.stack.wallets["relayer"], "somebody else paid")
        return "the relayer paid; the owner's wallet sent nothing and has as much as before"

    # -- people without ETH

    def _withdraw(self) -> str:
        friend, deployment = self.accounts[FRIEND], self.stack.deployment
        must(self._wallet(friend.address) == (0, 0), "the friend had ETH")
        for lane, timelock_id in self.gifts.items():
            auth = self.scenario.withdraw_auth(friend, timelock_id)
            body = {"timelockId": str(timelock_id), "skipSwap": False, "recipient": auth[0]}
            sent = self._sponsored("gift-withdraw", body, auth)
            self.relayed.pop()
            again = self._sponsored("gift-withdraw", body, auth)
            must(again == sent, f"the gift of {lane}: the same signature became another request")
            logs = self.scenario.events(sent.tx_hash, "TimelockERC20", "FundsWithdrawn")
            must([int(log["topics"][1], 16) for log in logs] == [timelock_id], f"the gift of {lane} was not paid out")
        must(self._wallet(friend.address) == (GIFT_WEI, 0), "another amount of ETH, or a transaction of the friend's")
        must(self.scenario.balance(deployment.usdc, friend.address) == GIFT_USDC, "another amount of USDC")
        self._until_mined(self.relayed[-2:])
        return "0.25 ETH and 40 USDC arrived; the API says 'mined'; sent twice, each signature counts once"

    def _claim_for_free(self) -> str:
        legacy, usdt, godchild = self.second_legacy, self.stack.deployment.usdt, self.accounts[GODCHILD]
        early = self._post_claim(godchild, legacy, [usdt])
        must(early.status == 422, f"a claim before its time was answered with {early.status}")
        must(early.body.get("code") == "legacy_still_active", f"and with {early.body.get('code')}")
        days = self.travel(self.deadline(legacy) + 3600) // DAY
        auth = self._claim_auth(godchild, legacy, [usdt])
        sent = self._sponsored("claim", _claim_body(legacy, [usdt], auth), auth)
        must(self.scenario.balance(usdt, godchild.address) == INHERITANCE, "the USDT did not arrive")
        must(self._wallet(godchild.address) == (0, 0), "the godchild's wallet had ETH or sent something")
        event = self._event("TransferEOALegacyClaimedFor", legacy.id)
        must(event["transactionHash"] == sent.tx_hash, "another transaction claimed")
        self._until_mined([sent])
        return f"too early: refused with the reason; {days} days later 900 USDT arrived in a wallet without ETH"

    # -- once, and to the wei

    def _paid_once(self) -> str:
        """Every open slot is final two blocks later; the relay's pass sees it while it stays."""
        self.stack.anvil.mine(4)
        unsettled = "select 1 from worker.relay_request where state <> 'confirmed'"
        self.wait(lambda: not self.evidence.rows(unsettled), RUN_SECONDS, "all requests to be confirmed")
        lanes = dict(self.evidence.rows("select lane, count(*) from worker.relay_request group by lane"))
        must(lanes == {"auto_renew": 1, "check_in": 1, "claim": 1, "gift_withdraw": 2}, f"requests: {lanes}")
        spent = sum(self._check_wallet(wallet, slots) for wallet, slots in (("relayer", 4), ("attestor", 1)))
        kept = "select 1 from worker.relay_request where salt is not null or call_data is not null"
        must(not self.evidence.rows(kept), "a signature is kept after its end")
        must(not self.evidence.rows("select 1 from worker.tx_attempt where raw is not null"), "signed bytes are kept")
        return f"5 requests, 5 transactions, {spent / 10**18:.6f} ETH in ledger and receipts alike; signatures shredded"

    def _check_wallet(self, name: str, slots: int) -> int:
        """What a wallet of ours spent, in wei: by the chain, by its slots and by its budget."""
        wallet = self.stack.wallets[name]
        rows = self.evidence.rows(
            "select tx_hash, spent_wei from worker.nonce_slot where wallet = %(wallet)s order by nonce", wallet=wallet
        )
        must(len(rows) == slots == self._count(wallet), f"the {name} sent another number of transactions")
        paid = 0
        for tx_hash, spent in rows:
            receipt = self.stack.anvil.receipt(tx_hash)
            cost = int(receipt["gasUsed"], 16) * int(receipt["effectiveGasPrice"], 16)
            must(cost == spent, f"a slot of the {name} was not settled by its receipt")
            paid += cost
        budget = self.evidence.rows(
            "select sum(reserved_wei), sum(spent_wei) from worker.relay_budget "
            "where wallet = %(wallet)s and scope = 'global'",
            wallet=wallet,
        )
        must(budget == [(0, paid)], f"the {name}'s budget says otherwise than its receipts")
        return paid

    # -- helpers

    def _sponsored(self, what: str, body: Mapping[str, Any], auth: Auth) -> Relayed:
        """POST it, wait until it is in a block."""
        answer = self._post(what, body, auth)
        must(answer.status == 202, f"the API answered {answer.status} {answer.body.get('code')}")
        must(answer.body["txHash"], f"accepted, but {answer.body['status']}")
        self.relayed.append(Relayed(answer.body["id"], answer.body["txHash"]))
        self.transaction(answer.body["txHash"])
        return self.relayed[-1]

    def _post(self, what: str, body: Mapping[str, Any], auth: Auth) -> Answer:
        _, nonce, deadline, signature = auth
        self.signatures.append(signature)
        terms = {"nonce": str(nonce), "deadline": deadline, "signature": "0x" + signature.hex()}
        return post(self.stack.at.api, f"/sponsor/{what}", {"chainId": CHAIN_ID, **body, **terms})

    def _claim_auth(self, heir: LocalAccount, legacy: Legacy, assets: list[str]) -> Auth:
        return self.scenario.claim_auth(heir, legacy.id, assets)

    def _post_claim(self, heir: LocalAccount, legacy: Legacy, assets: list[str]) -> Answer:
        auth = self._claim_auth(heir, legacy, assets)
        return self._post("claim", _claim_body(legacy, assets, auth), auth)

    def _until_mined(self, requests: Sequence[Relayed]) -> None:
        """By the API alone, as a frontend follows them."""
        for request in requests:
            self.wait(lambda request=request: self._is_mined(request), RUN_SECONDS, "the API to say 'mined'")  # type: ignore[misc]

    def _is_mined(self, request: Relayed) -> bool:
        answer = get(self.stack.at.api, f"/sponsor/requests/{request.id}")
        must(answer.status == 200, f"the API answered {answer.status}")
        must(answer.body["status"] not in ENDED[1:], f"a request ended: {answer.body['status']}")
        if answer.body["status"] not in ("mined", "confirmed"):
            return False
        block = int(self.stack.anvil.receipt(request.tx_hash)["blockNumber"], 16)
        must((answer.body["txHash"], answer.body["blockNumber"]) == (request.tx_hash, block), "another transaction")
        return True

    def _event(self, name: str, legacy_id: int) -> dict[str, Any]:
        """The one event of this name and legacy on the whole chain."""
        topics = [self.scenario.contracts[ROUTER].event_topic(name), f"0x{legacy_id:064x}"]
        query = {"fromBlock": "0x0", "address": self.second_legacy.router, "topics": topics}
        logs: list[dict[str, Any]] = self.stack.anvil.rpc("eth_getLogs", query)
        must(len(logs) == 1, f"{len(logs)} events {name} instead of one")
        return logs[0]

    def _transaction_of(self, event: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = self.stack.anvil.rpc("eth_getTransactionByHash", event["transactionHash"])
        return found

    def _wallet(self, address: str) -> tuple[int, int]:
        """Wei and transactions sent."""
        return self.scenario.balance(None, address), self._count(address)

    def _count(self, address: str) -> int:
        return int(self.stack.anvil.rpc("eth_getTransactionCount", address, "latest"), 16)

    def _of_second(self, query: str) -> list[tuple[Any, ...]]:
        return self.evidence.rows(query, legacy=self.second_legacy.address)


def _claim_body(legacy: Legacy, assets: Sequence[str], auth: Auth) -> dict[str, Any]:
    return {
        "router": to_checksum_address(legacy.router),
        "legacyId": str(legacy.id),
        "assets": [to_checksum_address(asset) for asset in assets],
        "isETH": False,
        "beneficiary": auth[0],
    }
