"""The subject of an email, by the number printed in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date
from typing import Final, Literal

from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.monitoring.tables import sql
from reminder_worker.outbox.email_numbers import hash_number
from reminder_worker.outbox.messages import KIND_WINDOWS, GiftKind, ReminderKind

EmailSort = Literal["deadline", "news", "instructions", "owner", "announced", "opened"]
_SORTS: Final[Mapping[str, EmailSort]] = {
    **dict.fromkeys(KIND_WINDOWS, "deadline"),
    ReminderKind.OWNER_RESET: "news",
    ReminderKind.ACTIVATED_MULTISIG: "news",
    ReminderKind.ACTIVATED_TRANSFER: "news",
    ReminderKind.INSTRUCTIONS: "instructions",
    GiftKind.GIFT_WAITING: "announced",
    GiftKind.GIFT_UNLOCKED: "opened",
    GiftKind.GIFT_REMINDER_30: "opened",
    GiftKind.GIFT_REMINDER_90: "opened",
    GiftKind.GIFT_REMINDER_365: "opened",
    GiftKind.GIVER_OPENED: "news",
    GiftKind.GIVER_RETURNED: "news",
    GiftKind.GIVER_UNOPENED: "news",
}


@dataclass(frozen=True, slots=True)
class WrittenEmail:
    """An email that we wrote, without its recipient. `day`: UTC. `number`: of the legacy or gift, or an address."""

    sort: EmailSort
    is_gift: bool
    number: str
    chain_name: str
    day: date


async def find_written_email(engine: AsyncEngine, typed: str, chain_names: Mapping[int, str]) -> WrittenEmail | None:
    """Return the email with this number; None for an unknown number and for one whose recipient was erased."""
    async with engine.connect() as connection:
        row = (await connection.execute(sql["find_number"], {"hash": hash_number(typed)})).first()
    if row is None:
        return None
    return WrittenEmail(
        sort=_SORTS.get(row.kind, "owner"),
        is_gift=row.legacy is None,
        number=str(row.legacy if row.number is None else row.number),
        chain_name=chain_names.get(row.chain_id) or f"chain {row.chain_id}",
        day=row.written_at.astimezone(UTC).date(),
    )
