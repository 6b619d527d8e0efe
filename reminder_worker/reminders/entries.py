"""An entry of the sent-ledger in hand.

What is made for every email is not frozen: that would be a tenth of its cost. Nothing changes it all the same.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row

from reminder_worker.outbox.messages import Kind

Group = tuple[int, str, str, str]
_KINDS = {kind.value: kind for kind in Kind}


@dataclass(slots=True, eq=False)
class StoredRecipient:
    """A row of `recipient`, still encrypted."""

    key_id: str
    salt: bytes = field(repr=False)
    email: bytes = field(repr=False)
    name: bytes = field(repr=False)
    email_hash: bytes = field(repr=False)


@dataclass(slots=True, eq=False)
class Entry:
    """One claimed entry. `undecided`: its body may have been accepted before, so it is asked about first.

    `reworded`: that body is gone, and whom it was for has only another name or role since. `counted_on`: the day of its
    address that it takes a place of, unix seconds; None of an undecided one that took another address's.
    """

    id: UUID
    chain_id: int
    legacy: str
    recipient: str
    kind: Kind
    event: str
    role: str
    tries: int
    rejections: int
    created_at: datetime
    stored: StoredRecipient | None
    undecided: bool = False
    body: bytes | None = field(default=None, repr=False)
    reworded: bool = False
    sent_meanwhile: bool = False
    counted_on: int | None = None

    @property
    def group(self) -> Group:
        """Chain, legacy, recipient and kind: what the rules on repetition are about."""
        return (self.chain_id, self.legacy, self.recipient, self.kind)


@dataclass(frozen=True, slots=True)
class Claim:
    """Entries under one lease, which ends at `until` (None: there is none of them)."""

    token: UUID
    entries: tuple[Entry, ...]
    until: datetime | None = None
    merged: int = 0
    put_off: int = 0
    suppressed: int = 0

    @property
    def idle(self) -> bool:
        """Nothing moved: there is no more to do now."""
        return not (self.entries or self.merged or self.put_off or self.suppressed)


def read_entry(row: Row[Any], *, undecided: bool = False) -> Entry:
    """Of a row of CLAIM or CLAIM_UNKNOWN: ten columns of the entry, five of its recipient, and what else there is."""
    id, chain_id, legacy, recipient, kind, *rest = tuple(row)
    event, role, tries, rejections, created_at, key_id, salt, email, name, email_hash, *more = rest
    return Entry(
        id,
        chain_id,
        legacy,
        recipient,
        _KINDS[kind],
        event,
        role,
        tries,
        rejections,
        created_at,
        None if email_hash is None else StoredRecipient(key_id, salt, email, name, email_hash),
        undecided,
        more[0] if undecided else None,
        undecided and more[1],
        undecided and more[2],
        more[3] if undecided else None,
    )
