"""Daily quota of emails for each address, in UTC days of the database's clock."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from reminder_worker.database.queries import json_text
from reminder_worker.outbox.models import ClaimedEmail, E
from reminder_worker.outbox.tables import sql

DAY_SECONDS = 86400


class DailyQuota:
    """At most `cap` emails a day to one address, over all kinds.

    Anybody can cause emails of a test chain for nothing. Emails of the chains `apart` are therefore counted separately.
    """

    def __init__(self, cap: int, apart: Collection[int] = ()) -> None:
        self._cap = cap
        self._apart = frozenset(apart)

    def make_subject(self, email_hash: bytes, chain_id: int) -> str:
        """Return the subject of the counter: the keyed hash of the address."""
        return email_hash.hex() + " apart" * (chain_id in self._apart)

    def count_emails(self, emails: Iterable[ClaimedEmail]) -> Counter[str]:
        """Return how many of these emails each address gets."""
        return Counter(self.make_subject(email.email_hash, email.chain_id) for email in emails if email.email_hash)

    async def reserve_quota(
        self, connection: AsyncConnection, emails: Sequence[E], turns: Mapping[Any, Any], day: int
    ) -> tuple[Sequence[E], Sequence[E]]:
        """Reserve quota for each email. Return the emails within the cap and the emails over it.

        `turns`: the order of the emails, by id.
        """
        excess = await self.charge_quota(connection, self.count_emails(emails), day)
        if not excess:
            return emails, []
        fitting: list[E] = []
        over: list[E] = []
        for email in sorted(emails, key=lambda email: turns[email.id], reverse=True):
            (subject,) = self.count_emails([email]) or [""]
            excess[subject] = excess.get(subject, 0) - 1
            (over if excess[subject] >= 0 else fitting).append(email)
        await self.refund_quota(connection, self.count_emails(over), day)
        return fitting[::-1], over

    async def charge_quota(self, connection: AsyncConnection, counts: Mapping[str, int], day: int) -> dict[str, int]:
        """Reserve quota also above the cap. Return the excess of each address over its cap."""
        if not counts:
            return {}
        rows = await connection.execute(sql["charge"], {**_bind_counts(counts, day), "cap": self._cap})
        return {row.subject: row.over for row in rows}

    async def refund_quota(self, connection: AsyncConnection, counts: Mapping[str, int], day: int) -> None:
        if counts:
            await connection.execute(sql["refund"], _bind_counts(counts, day))


def _bind_counts(counts: Mapping[str, int], day: int) -> dict[str, Any]:
    ordered = sorted(counts.items())  # two callers lock rows in the same order
    rows = [{"subject": subject, "cost": cost} for subject, cost in ordered]
    return {"rows": json_text(rows), "day": day, "ends": day + DAY_SECONDS}
