"""Receipts: the outcome of the last emails to each person of a set, for its creator.

Only emails to the stored address count. An email that left before the address was written went to another address, or
to a person erased since. Its row still prevents a second email, and is not shown.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date
from typing import Final, Literal

from sqlalchemy.ext.asyncio import AsyncConnection

from reminder_worker.outbox.bounces import BounceReason
from reminder_worker.outbox.messages import ReminderKind
from reminder_worker.reminders.tables import sql

EmailOutcome = Literal["accepted", "came_back", "held", "waiting", "dropped"]
DropReason = Literal[
    "no_longer_true",
    "not_named",
    "no_premium",
    "told_later",
    "unsubscribed",
    "address_returns",
    "refused",
    "not_readable",
    "test_chain_not_listed",
]
EmailReason = BounceReason | DropReason
"""Why an email came back or was dropped; `other` is one of both."""
MOST_RECEIPTS: Final = 10
"""Of one person."""
_DROP_REASONS: Final[Mapping[str, DropReason]] = {
    "window_closed": "no_longer_true",
    "legacy_not_live": "no_longer_true",
    "auto_renew_off": "no_longer_true",
    "checked_in": "no_longer_true",
    "premium_renewed": "no_longer_true",
    "not_in_audience": "not_named",
    "not_premium": "no_premium",
    "merged": "told_later",
    "suppressed": "unsubscribed",
    "bounced": "address_returns",
    "rejected_400": "refused",
    "rejected_413": "refused",
    "rejected_422": "refused",
    "legacy_not_readable": "not_readable",
    "test_chain": "test_chain_not_listed",
}
"""By the reason in the ledger."""


@dataclass(frozen=True, slots=True)
class EmailReceipt:
    """Outcome of an email. `day`: UTC day on which it left; of an unsent email, the day of its last step.

    `why`: only of an email that came back or was dropped.
    """

    kind: ReminderKind
    day: date
    outcome: EmailOutcome
    why: EmailReason | None = None


async def read_receipts(
    connection: AsyncConnection, chain_id: int, legacy: str
) -> Mapping[str, tuple[EmailReceipt, ...]]:
    """Return the last emails of each stored person of a legacy by account, the newest first."""
    values = {"chain_id": chain_id, "legacy": legacy, "kinds": list(ReminderKind), "most": MOST_RECEIPTS}
    found: dict[str, list[EmailReceipt]] = defaultdict(list)
    for row in await connection.execute(sql["receipts"], values):
        outcome, why = judge_email(row.state, row.reason, row.bounce_reason)
        day = row.at.astimezone(UTC).date()
        found[row.recipient].append(EmailReceipt(ReminderKind(row.kind), day, outcome, why))
    return {account: tuple(receipts) for account, receipts in found.items()}


def judge_email(
    state: str, reason: str | None, bounce_reason: BounceReason | None
) -> tuple[EmailOutcome, EmailReason | None]:
    """Convert a state of the ledger. `bounce_reason`: why the last email from this address came back."""
    if state == "sent":
        return ("came_back", bounce_reason or "other") if reason == "bounced" else ("accepted", None)
    if state == "held":
        return "held", None
    if state in ("dropped", "suppressed", "dead"):
        return "dropped", _DROP_REASONS.get(reason or "", "other")
    return "waiting", None
