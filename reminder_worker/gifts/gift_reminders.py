"""Emails to recipients who have not opened their gift 30, 90 and 365 days after its opening day.

Only if the giver asked for it. A row of its own keeps the address: names, letter and link go after opening day.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any

import msgspec
from sqlalchemy.ext.asyncio import AsyncConnection

from reminder_worker.gifts.tables import sql
from reminder_worker.outbox.messages import GiftKind, Language, to_datetime
from reminder_worker.privacy.vault import Vault

DAY_SECONDS = 24 * 3600
REMINDER_DAYS: Mapping[GiftKind, int] = MappingProxyType(
    {GiftKind.GIFT_REMINDER_30: 30, GiftKind.GIFT_REMINDER_90: 90, GiftKind.GIFT_REMINDER_365: 365}
)
"""Days after the opening, by kind of email."""
KEPT_SECONDS = (365 + 90) * DAY_SECONDS  # the ledger remembers the last email for 90 days


@dataclass(frozen=True, slots=True)
class ReminderAddress:
    """Address and language of a recipient. Stored encrypted, never shown."""

    email: str = field(repr=False)
    language: Language = field(default="en", repr=False)


def make_reminder_context(chain_id: int, timelock_id: int) -> str:
    """Return the place of a row's ciphertext."""
    return f"gift_reminder.payload|{chain_id}|{timelock_id}"


def find_reminder_time(kind: GiftKind, unlock_time: int) -> int:
    """Return the day of a reminder, in unix seconds."""
    return unlock_time + REMINDER_DAYS[kind] * DAY_SECONDS


def find_first_kind(unlock_time: int, now: int) -> GiftKind | None:
    """Return the first reminder whose day is ahead; None if there is none. Times in unix seconds."""
    return next((kind for kind in REMINDER_DAYS if find_reminder_time(kind, unlock_time) > now), None)


def find_following_kind(kind: GiftKind) -> GiftKind | None:
    kinds = list(REMINDER_DAYS)
    return None if kind is kinds[-1] else kinds[kinds.index(kind) + 1]


async def save_reminder(
    connection: AsyncConnection, vault: Vault, gift: Mapping[str, Any], address: ReminderAddress, now: int
) -> None:
    """Save whom to remind, in the place of the row before. `gift`: the columns that the notification has, too."""
    opens = int(gift["unlock_time"])
    first = find_first_kind(opens, now)
    if first is None:
        return
    at = {"chain_id": gift["chain_id"], "timelock_id": gift["timelock_id"]}
    key = vault.record_key()
    sealed = key.seal(msgspec.json.encode(asdict(address)), make_reminder_context(**at))
    row = {**gift, "key_id": key.key_id, "salt": key.salt, "payload": sealed}
    row |= {"next_kind": first.value, "next_at": to_datetime(find_reminder_time(first, opens))}
    await connection.execute(sql["save_reminder"], row)


async def plan_reminders(connection: AsyncConnection, window: int) -> None:
    """Plan the reminders whose day has come by the database's clock, of at most 500 gifts.

    A reminder whose day was over `window` seconds ago is left out.
    """
    for row in (await connection.execute(sql["due_reminders"])).all():
        kind, at = GiftKind(row.next_kind), {"chain_id": row.chain_id, "timelock_id": row.timelock_id}
        if row.late <= window:
            kept = to_datetime(row.unlock_time + KEPT_SECONDS)
            entry = {**at, "email_hash": row.email_hash, "kind": kind.value, "expires_at": kept}
            await connection.execute(sql["plan"], {**entry, "due": None, "day": None})
        following = find_following_kind(kind)
        if following is None and row.late > window:
            await erase_reminders(connection, {"chains": [row.chain_id], "timelocks": [row.timelock_id]})
            continue
        days = 0 if following is None else REMINDER_DAYS[following] - REMINDER_DAYS[kind]
        await connection.execute(sql["move_reminder"], {**at, "next_kind": following, "days": days})


async def erase_reminders(connection: AsyncConnection, gifts: Mapping[str, Sequence[Any]]) -> int:
    """Delete the rows of these gifts. `gifts`: `chains` and `timelocks`, as in the statements."""
    return (await connection.execute(sql["delete_reminders"], dict(gifts))).rowcount


def is_reminder_due(kind: GiftKind, unlock_time: int, head: int) -> bool:
    """Return whether the day of a reminder has come by the chain's clock."""
    return head >= find_reminder_time(kind, unlock_time)
