"""People of a set who get no emails, as the due pass finds them, and the email about them to the owner.

The rules are those of `rehearsal.py` as one statement over stored rows, `find_gaps`. The due pass reads it for a legacy
once a day and after each event. The email goes out after a day, and at most once in 30 days.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy.ext.asyncio import AsyncConnection

from reminder_worker.outbox.messages import checksum_address
from reminder_worker.reminders.tables import sql

GapReason = Literal["not_reminded", "address_returns", "not_configured", "not_a_member"]
"""`not_reminded`: the person unsubscribed or erased themself. The owner's email keeps the two together."""
MOST_SHOWN = 64
"""People in one email. A set has no more."""


@dataclass(frozen=True, slots=True)
class PersonGap:
    """A person of a set without emails. `role`: by the chain, else as stored."""

    recipient: str
    role: str
    reason: GapReason


@dataclass(frozen=True, slots=True)
class LegacyGap:
    """People of one set without emails. `silent`: nobody of the set gets emails."""

    legacy: str
    creator: str
    silent: bool
    people: tuple[PersonGap, ...]

    @property
    def to_tell(self) -> tuple[PersonGap, ...]:
        """People whom the owner's email names. The owner, who reads it, is not among them."""
        return tuple(each for each in self.people if each.recipient != self.creator)[:MOST_SHOWN]


async def find_gaps(connection: AsyncConnection, chain_id: int, legacies: Sequence[str]) -> dict[str, LegacyGap]:
    """Return the gaps of these watched legacies, by legacy. A legacy without known members has none."""
    if not legacies:
        return {}
    rows = await connection.execute(sql["find_gaps"], {"chain_id": chain_id, "legacies": list(legacies)})
    found = {}
    for row in rows:
        people = tuple(PersonGap(*each) for each in row.people)
        found[row.legacy] = LegacyGap(row.legacy, row.creator, row.silent, people)
    return found


async def mark_gaps(connection: AsyncConnection, chain_id: int, legacies: Sequence[str], now: int) -> None:
    """Store when the owner of each legacy is to hear of a gap. `now`: chain time, unix seconds."""
    if not legacies:
        return
    found = await find_gaps(connection, chain_id, legacies)
    open_ones = [each.legacy for each in found.values() if each.to_tell]
    silent = [each.legacy for each in found.values() if each.silent]
    values = {"chain_id": chain_id, "legacies": list(legacies), "open": open_ones, "silent": silent, "now": now}
    await connection.execute(sql["mark_gaps"], values)


def format_gaps(gap: LegacyGap) -> list[dict[str, str]]:
    """Return the variable `people` of the email."""
    return [
        {"wallet": checksum_address(each.recipient), "role": each.role, "reason": each.reason} for each in gap.to_tell
    ]
