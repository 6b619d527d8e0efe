"""The story's chapter of what the service pays for: people without ETH sign, the contracts decide."""

from collections.abc import Mapping
from typing import Any

from eth_utils.address import to_checksum_address

from devnet.cast import GODCHILD, OWNER
from devnet.demo_requests import DemoRequests
from devnet.deploy import DAY
from devnet.evidence import must
from devnet.scenarios import Legacy
from devnet.sponsorship import Auth

ROUTER = "TransferEOALegacyRouter"
INACTIVITY = 60 * DAY
WINDOW = 30 * DAY  # before the deadline, in which a timer may be renewed
INHERITANCE = 900 * 10**6


class RelayChapter(DemoRequests):
    second_legacy: Legacy

    def opt_in(self) -> str:
        owner, usdt = self.accounts[OWNER], self.stack.deployment.usdt
        legacy = self.scenario.create_legacy(owner, {self.address(GODCHILD): 100}, inactivity=INACTIVITY)
        self.second_legacy = legacy
        self.scenario.mint(usdt, owner.address, INHERITANCE)
        self.scenario.approve(owner, usdt, legacy.address, INHERITANCE)
        self.transaction(self.scenario.set_auto_renew(owner, legacy))
        must(self.scenario.read(ROUTER, legacy.router, "autoRenewState", legacy.id)[0], "auto-renew is off on chain")
        opted_in = "select 1 from worker.legacy where address = %(legacy)s and auto_renew"
        self.wait(lambda: bool(self._of_second(opted_in)), "the opt-in in the chain index")
        self.look_now("auto_renew")
        self.wait(lambda: bool(self._baseline()), "a first look at the owner's transactions")
        baseline = self._baseline()[0][0]
        must(baseline <= self.count(owner.address), "a baseline above the owner's own count")
        return f"legacy {legacy.id}; the pass remembers that the owner has made {baseline} transactions"

    # -- renewals and check-ins

    def renew(self) -> str:
        owner, legacy = self.accounts[OWNER], self.second_legacy
        self.transaction(self.scenario.send(owner, owner.address))
        before = self.deadline(legacy)
        days = self.travel(before - WINDOW + 5 * DAY) // DAY
        self.stack.anvil.mine(4)
        used = self.count(owner.address)
        self.look_now("auto_renew")
        self.wait(lambda: self.deadline(legacy) > before, "the renewal on chain")
        must(self.count(owner.address) == used, "the owner's wallet sent something")
        event = self._event("TransferEOALegacyAutoRenewed", legacy.id)
        must(int(event["data"][2:66], 16) == used, "another count was attested than the owner's")
        sender = self._transaction_of(event)["from"]
        must(sender == self.stack.wallets["attestor"], "somebody else renewed")
        return f"{days} days later the attestor vouched for transaction {used} of the owner; the deadline moved"

    def check_in_for_free(self) -> str:
        owner, legacy = self.accounts[OWNER], self.second_legacy
        self.scenario.advance(DAY)
        before, wallet = self.deadline(legacy), self.wallet_of(owner.address)
        auth = self.scenario.check_in_auth(owner, legacy.id)
        body = {"router": to_checksum_address(legacy.router), "legacyId": str(legacy.id), "owner": auth[0]}
        sent = self.sponsored("check-in", body, auth)
        must(self.deadline(legacy) > before, "the deadline did not move on chain")
        must(self.wallet_of(owner.address) == wallet, "the owner's wallet paid or sent something")
        event = self._event("TransferEOALegacyCheckedInFor", legacy.id)
        must(event["transactionHash"] == sent.tx_hash, "another transaction checked in")
        must("0x" + event["topics"][3][-40:] == self.stack.wallets["relayer"], "somebody else paid")
        return "the relayer paid; the owner's wallet sent nothing and has as much as before"

    def claim_for_free(self) -> str:
        legacy, usdt, godchild = self.second_legacy, self.stack.deployment.usdt, self.accounts[GODCHILD]
        early = self.post("claim", *self._signed_claim(legacy, usdt))
        must(early.status == 422, f"a claim before its time was answered with {early.status}")
        must(early.body.get("code") == "legacy_still_active", f"and with {early.body.get('code')}")
        days = self.travel(self.deadline(legacy) + 3600) // DAY
        sent = self.sponsored("claim", *self._signed_claim(legacy, usdt))
        must(self.scenario.balance(usdt, godchild.address) == INHERITANCE, "the USDT did not arrive")
        must(self.wallet_of(godchild.address) == (0, 0), "the godchild's wallet had ETH or sent something")
        event = self._event("TransferEOALegacyClaimedFor", legacy.id)
        must(event["transactionHash"] == sent.tx_hash, "another transaction claimed")
        self.until_mined([sent])
        return f"too early: refused with the reason; {days} days later 900 USDT arrived in a wallet without ETH"

    # -- once, and to the wei

    def paid_once(self) -> str:
        """Every open slot is final two blocks later; the relay's pass sees it while it stays."""
        self.stack.anvil.mine(4)
        unsettled = "select 1 from worker.relay_request where state <> 'confirmed'"
        self.wait(lambda: not self.evidence.rows(unsettled), "all requests to be confirmed")
        lanes = dict(self.evidence.rows("select lane, count(*) from worker.relay_request group by lane"))
        must(lanes == {"auto_renew": 1, "check_in": 1, "claim": 1, "gift_withdraw": 3}, f"requests: {lanes}")
        spent = sum(self._check_wallet(wallet, slots) for wallet, slots in (("relayer", 5), ("attestor", 1)))
        kept = "select 1 from worker.relay_request where salt is not null or call_data is not null"
        must(not self.evidence.rows(kept), "a signature is kept after its end")
        must(not self.evidence.rows("select 1 from worker.tx_attempt where raw is not null"), "signed bytes are kept")
        gwei = f"{spent // 10**9:,} gwei"
        return f"6 requests, each sent twice; 6 transactions; {gwei} by ledger and receipts; signatures shredded"

    def _check_wallet(self, name: str, slots: int) -> int:
        """Return the wei spent by a wallet, as the chain, the slots and the budget show them."""
        wallet = self.stack.wallets[name]
        rows = self.evidence.rows(
            "select tx_hash, spent_wei from worker.nonce_slot where wallet = %(wallet)s order by nonce", wallet=wallet
        )
        must(len(rows) == slots == self.count(wallet), f"the {name} sent another number of transactions")
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

    def _signed_claim(self, legacy: Legacy, token: str) -> tuple[dict[str, Any], Auth]:
        """The godchild's claim of a token, signed now."""
        auth = self.scenario.claim_auth(self.accounts[GODCHILD], legacy.id, [token])
        names = {"router": to_checksum_address(legacy.router), "legacyId": str(legacy.id), "beneficiary": auth[0]}
        return {**names, "assets": [to_checksum_address(token)], "isETH": False}, auth

    def _baseline(self) -> list[tuple[Any, ...]]:
        return self._of_second("select baseline from worker.owner_activity where legacy = %(legacy)s")

    def _of_second(self, query: str) -> list[tuple[Any, ...]]:
        return self.evidence.rows(query, legacy=self.second_legacy.address)
