"""Emails under a lease, and the interface between a feature and the outbox.

Objects made for every email are not frozen: freezing took a tenth of the time of an email. Nothing changes them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Final, Generic, Protocol, Self, TypeVar
from uuid import UUID

from sqlalchemy import Row, TextClause
from sqlalchemy.ext.asyncio import AsyncConnection

WAITING: Final = ("queued", "released")
"""States of emails that are to be posted."""
UNDECIDED: Final = ("claimed", "unknown", "held")
"""States of emails that the mail service may have accepted. Only these keep their body."""
EMAIL_STATES: Final = {
    "waiting": WAITING,
    "to_try": (*WAITING, "unknown"),  # posted or asked about at their next try
    "undecided": UNDECIDED,
    "maybe_sent": ("sent", *UNDECIDED),
    "troubled": ("unknown", "held", "dead"),  # shown to operators
}
"""Lists for `load_queries`."""


@dataclass(slots=True, eq=False)
class ClaimedEmail:
    """An entry of a ledger under a lease.

    `email_hash` is None if the ledger's row is that of an erased recipient. `body`: as stored, encrypted; None before
    the first post, or if the recipient was replaced since. `undecided`: the mail service may have accepted the email
    before, so it is asked first. `counted_on`: the UTC day (unix seconds) whose quota of the address the email uses;
    None if it uses none.
    """

    id: UUID
    chain_id: int
    kind: str
    tries: int
    rejections: int
    email_hash: bytes | None = field(repr=False)
    body: bytes | None = field(repr=False)
    undecided: bool
    counted_on: int | None


E = TypeVar("E", bound=ClaimedEmail)


@dataclass(slots=True, eq=False)
class EmailSettlement(Generic[E]):
    """Result for an entry. `delay`: seconds until the next try."""

    entry: E
    state: str
    reason: str | None = None
    message_id: str | None = None
    delay: float = 0.0
    tries: int = 0
    rejections: int = 0

    @property
    def refund(self) -> bool:
        """Nothing was sent, so the email uses no quota of its address. An undecided email reserved it with an earlier
        claim, maybe on an earlier day."""
        return self.state in {"released", "suppressed", "dropped", "dead"}

    def columns(self) -> dict[str, Any]:
        """Return the row for the statement `settle`."""
        return {
            "id": self.entry.id,
            "state": self.state,
            "reason": self.reason,
            "message_id": self.message_id,
            "delay": self.delay,
            "tries": self.tries,
            "rejections": self.rejections,
        }


@dataclass(slots=True, eq=False)
class RenderedEmail(Generic[E]):
    """An email to post. `sealed`: the body as stored, encrypted under the key of the row that has this `salt`.

    `number_hash`: of the number in a new body. A stored body keeps its number, and the row has the hash already.
    """

    entry: E
    body: bytes = field(repr=False)
    sealed: bytes = field(repr=False)
    salt: bytes = field(repr=False)
    number_hash: bytes | None = None


@dataclass(slots=True)
class ClaimSelection(Generic[E]):
    """Entries to send now, and how many others were merged, put off or settled instead."""

    entries: Sequence[E]
    merged: int = 0
    put_off: int = 0
    settled: int = 0


@dataclass(frozen=True, slots=True)
class EmailClaim(Generic[E]):
    """Entries under one lease, which ends at `until` (None: no entry)."""

    token: UUID
    entries: tuple[E, ...]
    until: datetime | None = None
    merged: int = 0
    put_off: int = 0
    settled: int = 0

    @property
    def idle(self) -> bool:
        """Nothing was due."""
        return not any((self.entries, self.merged, self.put_off, self.settled))


@dataclass(frozen=True, slots=True)
class EmailStatements:
    """Statements on a feature's ledger. `lock_entries` runs before `store` and `confirm`.

    `note_returned` notes what follows for the entries whose email came back.
    """

    expire_leases: TextClause
    claim: TextClause
    claim_unknown: TextClause
    store: TextClause
    confirm: TextClause
    not_to_post: TextClause
    settle: TextClause
    defer_to_next_day: TextClause
    bounced_addresses: TextClause
    note_returned: TextClause
    lock_entries: TextClause | None = None

    @classmethod
    def load(cls, queries: Mapping[str, TextClause]) -> Self:
        """Return the statements of a room, each by its name in `queries.sql`."""
        return cls(**{field.name: queries[field.name] for field in fields(cls) if field.name in queries})


class EmailLedger(Protocol[E]):
    """A feature's ledger of emails: rules for a claim and statements. `values` are bound in all statements."""

    @property
    def statements(self) -> EmailStatements: ...
    @property
    def values(self) -> Mapping[str, Any]: ...

    def read_entry(self, row: Row[Any], *, undecided: bool = False) -> E:
        """Convert a row of `claim` or `claim_unknown`."""

    async def select(
        self, connection: AsyncConnection, rows: Sequence[Row[Any]], entries: Sequence[E], token: UUID
    ) -> ClaimSelection[E]:
        """Choose the entries to send now, in the transaction of the claim. `rows` and `entries` are in one order."""

    async def finish_settling(self, connection: AsyncConnection, settlements: Sequence[EmailSettlement[E]]) -> None:
        """Do what follows from results, in their transaction: a crash must not separate the two."""


class EmailFamily(Protocol[E]):
    """Emails of one feature. `batch_size`: entries of a claim; the first claim of a run takes `first_batch_size`."""

    @property
    def ledger(self) -> EmailLedger[E]: ...
    @property
    def batch_size(self) -> int: ...
    @property
    def first_batch_size(self) -> int: ...

    async def render(self, entries: Sequence[E]) -> tuple[list[RenderedEmail[E]], list[EmailSettlement[E]]]:
        """Check again whether each email is still to be sent. Return the emails to post and results for the others."""

    def never_arrived(self, entry: E) -> EmailSettlement[E] | None:
        """Return the result of an undecided entry that the mail service does not know; None: post it again as is."""
