"""Gift emails as declared."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from reminder_worker.declarations import FactGauge, FactScope, OperatorFact, WorkerFeature, WorkerPass
from reminder_worker.outbox.feature import mail_off

if TYPE_CHECKING:
    from reminder_worker.gifts.emails import GiftEmailCount
    from reminder_worker.settings import Settings


def _gifts_off(settings: "Settings") -> str | None:
    return mail_off(settings) if settings.gifts else "gifts are not served here (GIFT_ORIGINS)"


async def _count_emails(scope: FactScope) -> "Sequence[GiftEmailCount]":
    from reminder_worker.gifts.emails import count_gift_emails

    return await count_gift_emails(scope.engine)


def _show_emails(counts: "Sequence[GiftEmailCount]") -> Iterator[FactGauge]:
    emails: Counter[tuple[int, str, str]] = Counter()
    for count in counts:
        emails[count.chain_id, count.kind, count.state] += count.count
    yield FactGauge("gift_emails", "Emails of gifts that are remembered", ("chain", "kind", "state"), emails)


async def _count_notifications(scope: FactScope) -> int:
    from reminder_worker.gifts.emails import count_notifications

    return await count_notifications(scope.engine)


def _show_notifications(count: int) -> Iterator[FactGauge]:
    yield FactGauge("gifts_to_be_told_of", "Gifts whose recipient is still to be written to", (), {(): count})


def _describe_notifications(count: int) -> str:
    return f"gifts whose day has not come: {count}" if count else "no gift to tell of"


GIFTS = WorkerPass("gifts", 15, asset="gift_emails", per_chain=False, off=_gifts_off)
GIFT_EMAILS = OperatorFact("gift_emails", _count_emails, _show_emails)
GIFT_NOTIFICATIONS = OperatorFact(
    "gift_notifications", _count_notifications, _show_notifications, _describe_notifications
)
FEATURE = WorkerFeature((GIFTS,), (GIFT_EMAILS, GIFT_NOTIFICATIONS))
