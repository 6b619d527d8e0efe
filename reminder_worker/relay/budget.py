"""Budget of a wallet: whether wei may be spent now and, if not, what a request waits for.

Plain arithmetic on frozen values. Where a nonce is taken they are read under the wallet's lock, and stand until the
commit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from reminder_worker.errors import LimitReached, RelayStopped
from reminder_worker.relay.models import RelayAuthorization, RelayLane, RequestState, WaitsFor, WalletCaps

FINAL_SECONDS: Final = 1200
"""Seconds after which open transactions are settled: usually they are final within a quarter of an hour."""
GLOBAL: Final = "global"
CountLimit = tuple[str, str, int]
"""A scope, its subject, and the most requests of it in a day. Wei are booked on the scope `global` alone."""


@dataclass(frozen=True, slots=True)
class WalletBudget:
    """One wallet's budget on one chain today (UTC).

    `balance`: of the wallet. `open`: open slots; `owed`: the wei that they reserve. `used`: wei reserved or spent
    today; `spent`: the part that is spent for good. `has_queue`: an earlier request waits for a slot. `counts`:
    requests admitted today, by scope. `stopped`: why the wallet gives no nonces. `seconds_left`: until the day ends.
    """

    caps: WalletCaps
    balance: int
    day: date
    seconds_left: int
    open: int
    owed: int
    used: int
    spent: int
    has_queue: bool
    counts: Mapping[str, int]
    stopped: str | None = None

    @property
    def requests(self) -> int:
        return self.counts.get(GLOBAL, 0)

    @property
    def has_slot(self) -> bool:
        return self.open < self.caps.max_open

    def find_wait(self, wei: int) -> WaitsFor | None:
        """Return what a cost of `wei` waits for; None: it may be spent now."""
        if self.used + wei > self.caps.daily_wei:
            return WaitsFor.DAILY_CAP
        if self.balance < wei:
            return WaitsFor.BALANCE
        if not self.has_slot or not self.pays_for(wei):
            return WaitsFor.EARLIER
        return None

    def pays_for(self, wei: int) -> bool:
        """Return whether the balance pays `wei` beside what open slots reserve."""
        return self.balance >= self.owed + wei

    def settled(self) -> "WalletBudget":
        """Return the budget if all open slots ended now and cost nothing: what waits even then waits for long."""
        return replace(self, open=0, owed=0, used=self.spent)

    def take_slot(self, wei: int) -> "WalletBudget":
        """Return the budget with one more open slot, which reserves `wei`."""
        return replace(self, open=self.open + 1, owed=self.owed + wei, used=self.used + wei)

    def name_full_cap(self, wei: int) -> str | None:
        """Return as a code why today's wei leave no room for `wei`; None: they do."""
        if self.find_wait(wei) is not WaitsFor.DAILY_CAP:
            return None
        is_spent = self.settled().find_wait(wei) is WaitsFor.DAILY_CAP
        return "daily_cap_reached" if is_spent else "daily_cap_reserved"

    def check_caps(self, limits: Sequence[CountLimit], wei: int) -> None:
        """Check the caps for a new request; 0 wei: its turn has not come. Raises `LimitReached`."""
        full = [scope for scope, _, most in limits if self.counts.get(scope, 0) >= most]
        full_cap = self.name_full_cap(wei) if wei else None
        if full_cap == "daily_cap_reserved" and not full:
            # A reservation is several times the final cost of the transaction.
            detail = "today's cap of sponsored transactions is reserved by those under way; try again in twenty minutes"
            raise LimitReached(detail, min(self.seconds_left, FINAL_SECONDS), "daily_cap_reserved")
        if full_cap is not None:
            full.append(GLOBAL)
        if full:
            detail = f"today's cap ({min(full)}) of sponsored transactions is used up"
            raise LimitReached(detail, self.seconds_left, "daily_cap_reached")

    def place_request(self, wei: int) -> RequestState:
        """Return the state of a new request within the caps: `signed` if it gets a nonce now. Raises `RelayStopped`."""
        if self.has_queue or not self.has_slot:
            return RequestState.QUEUED
        if not self.pays_for(wei):
            raise RelayStopped("the wallet's balance does not pay for what is under way", "low_balance")
        return RequestState.SIGNED


def list_limits(authorization: RelayAuthorization, caps: WalletCaps) -> list[CountLimit]:
    """Return the scopes on which a request counts, with their limits."""
    subject = f"{authorization.router}/{authorization.subject_id}"
    is_gift = authorization.lane is RelayLane.GIFT_WITHDRAW
    of_subject = ("gift", subject, caps.per_gift) if is_gift else ("legacy", subject, caps.per_legacy)
    of_people = (
        ("signer", authorization.signer, caps.per_signer),
        ("creator", authorization.creator, caps.per_creator),
    )
    limits: list[CountLimit] = [(GLOBAL, "", caps.daily_count)]
    for scope, name, most in (of_subject, *of_people):
        if most is not None:
            limits.append((scope, name, most))
    return limits


def list_scopes(limits: Sequence[CountLimit]) -> dict[str, list[str]]:
    """Return the parameters of a statement about these scopes."""
    return {"scopes": [scope for scope, _, _ in limits], "subjects": [subject for _, subject, _ in limits]}
