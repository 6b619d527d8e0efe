"""An entry of the sent-ledger in hand, and what can become of it.

What is made for every email is not frozen: that would be a tenth of its cost. Nothing changes it all the same.
"""

import random
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row

from reminder_worker.mail.messages import Kind

REJECTIONS_UNTIL_DEAD = 3
LONGEST_BACKOFF_SECONDS = 3600.0
FIRST_BACKOFF_SECONDS = 1.0
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

    `reworded`: that body is gone, and whom it was for has only another name or role since.
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

    @property
    def group(self) -> Group:
        """Chain, legacy, recipient and kind: what the rules on repetition are about."""
        return (self.chain_id, self.legacy, self.recipient, self.kind)


@dataclass(frozen=True, slots=True)
class Claim:
    """Entries under one lease. `quota_day`: the day their addresses were charged for, unix seconds."""

    token: UUID
    entries: tuple[Entry, ...]
    quota_day: int = 0
    merged: int = 0
    put_off: int = 0
    suppressed: int = 0

    @property
    def idle(self) -> bool:
        """Nothing moved: there is no more to do now."""
        return not (self.entries or self.merged or self.put_off or self.suppressed)


@dataclass(slots=True, eq=False)
class Settlement:
    """What became of an entry. `delay` in seconds until the next try; `refund`: nothing was sent to its address."""

    entry: Entry
    state: str
    reason: str | None = None
    message_id: str | None = None
    delay: float = 0.0
    tries: int = 0
    rejections: int = 0
    refund: bool = False


def sent(entry: Entry, message_id: str) -> Settlement:
    return Settlement(entry, "sent", message_id=message_id, tries=1)


def suppressed(entry: Entry) -> Settlement:
    return Settlement(entry, "suppressed", reason="suppressed", refund=True)


def dropped(entry: Entry, reason: str) -> Settlement:
    return Settlement(entry, "dropped", reason=reason, refund=True)


def held(entry: Entry, reason: str) -> Settlement:
    return Settlement(entry, "held", reason=reason)


def rejected(entry: Entry, status: int) -> Settlement:
    """The mail service says that the request itself is wrong; a third time is the last."""
    last = entry.rejections + 1 >= REJECTIONS_UNTIL_DEAD
    return Settlement(
        entry,
        "dead" if last else "released",
        reason=f"rejected_{status}",
        delay=backoff(entry.tries),
        tries=1,
        rejections=1,
        refund=True,
    )


def not_accepted(entry: Entry, retry_after: float | None) -> Settlement:
    delay = max(backoff(entry.tries), retry_after or 0.0)
    if entry.undecided:
        return Settlement(entry, "unknown", delay=delay, tries=1)
    return Settlement(entry, "released", delay=delay, tries=1, refund=True)


def undecided(entry: Entry) -> Settlement:
    return Settlement(entry, "unknown", delay=backoff(entry.tries), tries=1)


def later(entry: Entry, delay: float, reason: str | None = None, *, tries: int = 0) -> Settlement:
    """Not posted, for a reason of ours: by default it counts as no try."""
    if entry.undecided:
        return Settlement(entry, "unknown", reason=reason, delay=delay, tries=tries)
    return Settlement(entry, "released", reason=reason, delay=delay, tries=tries, refund=True)


def afresh(entry: Entry) -> Settlement:
    """The mail service never heard of it: proven unsent, to be resolved anew."""
    return Settlement(entry, "released")


def backoff(tries: int) -> float:
    """Full jitter; the first retry is the next tick's."""
    if tries == 0:
        return FIRST_BACKOFF_SECONDS
    ceiling = min(LONGEST_BACKOFF_SECONDS, 5.0 * 2 ** min(tries, 12))
    return max(FIRST_BACKOFF_SECONDS, random.uniform(0, ceiling))  # noqa: S311 - not a secret


def read_entry(row: Row[Any], *, undecided: bool = False) -> Entry:
    """Of a row of PICK or CLAIM_UNKNOWN: ten columns of the entry, five of its recipient, and what else there is."""
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
    )
