"""Events of the relay as rules in any order, and the invariants after each."""

import asyncio
from collections import Counter
from collections.abc import Awaitable
from dataclasses import replace
from typing import Any, ClassVar, TypeVar
from unittest.mock import patch

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from reminder_worker.errors import LimitReached
from reminder_worker.relay import reconciler, store, waiting
from reminder_worker.relay.models import OPEN_STATES, RelayAuthorization
from tests.integration.relay_world import CAPS, CHAIN_ID, EPOCH, GWEI, TABLES, RelayWorld

T = TypeVar("T")
GIFTS = ("ann", "ann", "ann", "bob", "bob", "cat")  # whose
FOR_THREE = 3 * 300_000 * 8 * GWEI  # room for a few reservations of a usual day
STEPS = [
    (reconciler, "broadcast_attempts"),
    (waiting, "broadcast_attempts"),
    (store, "record_mined"),
    (store, "finish_slots"),
    (waiting, "open_slot"),
    (store, "raise_reservation"),
]
gifts = st.integers(0, len(GIFTS) - 1)


class KilledRun(BaseException):
    """Stands for `kill -9`: nothing runs after it, and uncommitted changes are gone."""


class RelayMachine(RuleBasedStateMachine):
    """Blocks, users, other accounts, operators and crashes, in any order."""

    runner: ClassVar[asyncio.Runner]
    base: ClassVar[RelayWorld]
    faults: ClassVar[Counter[str]] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self.wait(self.base.execute(f"truncate {', '.join('worker.' + name for name in TABLES.split(', '))}"))
        self.world = replace(self.base, caps=replace(CAPS, daily_wei=FOR_THREE))
        self.stock = [self.world.gift(label) for label in GIFTS]
        self.world.account("stranger")
        self.world.base_fee(GWEI)
        self.world.mine(2 * EPOCH)
        self.sent: dict[int, RelayAuthorization] = {}

    def wait(self, work: Awaitable[T]) -> T:
        async def awaited() -> T:
            return await work

        return self.runner.run(awaited())

    # -- users and strangers --------------------------------------------------------------------

    @rule(which=gifts, ttl=st.sampled_from([600, 3000]))
    def submit(self, which: int, ttl: int) -> None:
        if which in self.sent:
            return
        gift = self.stock[which]
        signer = gift.recipient.address.lower()
        router = self.world.scenario.deployment.time_lock_router
        waiting = self.wait(self.world.open_nonces(router, signer))
        nonce = waiting[-1] + 1 if waiting else self.world.scenario.sponsor_nonce(router, signer)
        authorization = self.world.withdrawal(gift, nonce=nonce, ttl=ttl)
        try:
            self.wait(self.world.admission.admit_request(authorization, waits=bool(waiting)))
        except LimitReached:
            return
        self.sent[which] = authorization

    @rule(which=gifts)
    def send_again(self, which: int) -> None:
        if which in self.sent:
            self.wait(self.world.admission.admit_request(self.sent[which]))

    @rule(which=gifts)
    def front_run(self, which: int) -> None:
        self.faults["front-run"] += 1
        if which in self.sent:
            stranger = self.world.account("stranger")
            self.world.send(stranger, self.sent[which].router, self.sent[which].call_data, tip=90 * GWEI)

    @rule(which=gifts)
    def cancel(self, which: int) -> None:
        self.faults["nonce taken back"] += 1
        self.world.cancel_nonce(self.stock[which].recipient)

    @rule(which=gifts)
    def pay_out_past_the_router(self, which: int) -> None:
        self.faults["paid out past the router"] += 1
        vault, gift = self.world.scenario.deployment.timelock_erc20, self.stock[which]
        data = self.world.scenario.contracts["TimelockERC20"].encode("withdraw", gift.id, gift.recipient.address, False)
        self.world.send(self.world.account("stranger"), vault, bytes.fromhex(data[2:]), tip=GWEI)

    # -- the chain ------------------------------------------------------------------------------

    @rule(blocks=st.integers(1, 2 * EPOCH + 1))
    def mine(self, blocks: int) -> None:
        self.world.mine(blocks)

    @rule(depth=st.integers(1, 2 * EPOCH - 1))
    def reorganise(self, depth: int) -> None:
        self.faults["reorganisation"] += 1
        self.world.anvil.reorg(depth)

    @rule()
    def forget(self) -> None:
        self.faults["evicted from the pool"] += 1
        self.world.drop(self.wait(self.world.attempts()))

    @rule(gwei=st.sampled_from([1, 5, 30, 120]))
    def fees(self, gwei: int) -> None:
        self.faults["fees move"] += 1
        self.world.base_fee(gwei * GWEI)

    @rule()
    def let_them_expire(self) -> None:
        self.faults["time jumps"] += 1
        self.world.anvil.increase_time(3001)

    # -- ourselves ------------------------------------------------------------------------------

    @rule()
    def time_passes(self) -> None:
        self.wait(self.world.age(400))

    @rule()
    def run(self) -> None:
        self.wait(self.world.run())

    @rule()
    def run_twice_at_once(self) -> None:
        self.faults["two at once"] += 1

        async def both() -> None:
            await asyncio.gather(self.world.run(), self.world.reconciler().run(CHAIN_ID))

        self.wait(both())

    @rule(step=st.sampled_from(STEPS), after=st.booleans())
    def run_and_be_killed(self, step: tuple[Any, str], after: bool) -> None:
        self.faults["killed at a step"] += 1
        module, name = step
        real = getattr(module, name)

        async def killed(*args: Any, **more: Any) -> None:
            if after:
                await real(*args, **more)
            raise KilledRun

        with patch.object(module, name, killed):
            try:
                self.wait(self.world.run())
            except KilledRun:
                self.world.restart()

    # -- what always holds ----------------------------------------------------------------------

    @invariant()
    def no_nonce_is_skipped(self) -> None:
        wallet = self.wait(self.world.rows("select next_nonce from worker.relay_wallet"))
        nonces = [slot["nonce"] for slot in self.wait(self.world.slots())]
        assert nonces == list(range(wallet[0]["next_nonce"] if wallet else 0))

    @invariant()
    def the_cap_holds_and_the_ledger_is_what_is_reserved(self) -> None:
        budget = self.wait(self.world.budget())
        slots = self.wait(self.world.slots())
        assert budget["reserved"] + budget["spent"] <= FOR_THREE
        assert budget["reserved"] == sum(slot["reserved_wei"] for slot in slots if slot["state"] != "final")
        assert budget["spent"] == sum(slot["spent_wei"] for slot in slots if slot["state"] == "final")

    @invariant()
    def one_transaction_at_most_is_mined_for_each_authorization(self) -> None:
        calls = self.wait(
            self.world.rows(
                "select s.request_id, t.tx_hash from worker.tx_attempt t join worker.nonce_slot s using (nonce)"
                " where t.kind = 'call'"
            )
        )
        mined = [call["request_id"] for call in calls if self.world.receipt(call["tx_hash"]) is not None]
        assert len(mined) == len(set(mined))

    def teardown(self) -> None:
        try:
            self.drain()
        finally:
            self.world.calm()

    def drain(self) -> None:
        """Without further faults every request ends, and no ciphertext is left."""
        for round in range(16):
            self.world.base_fee(GWEI)
            self.wait(self.world.age(400))
            self.wait(self.world.run())
            if not self.wait(self.world.reconcile.poll(CHAIN_ID)):
                break
            self.world.finalize()
            if round == 8:
                self.world.anvil.increase_time(4000)
        requests = self.wait(self.world.rows("select * from worker.relay_request"))
        assert not [request for request in requests if request["state"] in OPEN_STATES]
        assert {request["call_data"] for request in requests} <= {None}
        assert {attempt["raw"] for attempt in self.wait(self.world.attempts())} <= {None}
        assert self.wait(self.world.budget()) == {
            "requests": len(requests), "reserved": 0, "spent": self.world.paid(),
        }  # fmt: skip
        for request in requests:
            receipt = self.world.receipt(request["tx_hash"]) if request["tx_hash"] else None
            succeeded = receipt is not None and receipt["status"] == "0x1"
            assert (request["state"] == "confirmed") == succeeded
