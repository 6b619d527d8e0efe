"""Results of claimed emails: the same rules for every family (docs/decisions/0002).

Alerts are sent at least once and without claims (docs/decisions/0018). `alerts.py` has their rules.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reminder_worker.concurrency import run_each
from reminder_worker.errors import MailUnavailable
from reminder_worker.outbox.mail_client import (
    EmailAccepted,
    EmailInDoubt,
    EmailOutcome,
    EmailRefused,
    MailClient,
    MessageStatus,
    NotAccepted,
    SuppressedAddress,
    indicates_outage,
)
from reminder_worker.outbox.models import E, EmailSettlement

FIRST_BACKOFF_SECONDS = 1.0
LONGEST_BACKOFF_SECONDS = 3600.0
OUTAGE_AFTER = 5  # failures in a row: a single deferred address does not delay other emails
OUTAGE_PAUSE_SECONDS = 10.0


def settle_answer(entry: E, outcome: EmailOutcome) -> EmailSettlement[E]:
    """Convert the answer to a post. A third refusal is final: the request itself is wrong."""
    match outcome:
        case EmailAccepted(message_id):
            return settle_sent(entry, message_id)
        case SuppressedAddress():
            return settle_suppressed(entry)
        case EmailRefused(status):
            state = "dead" if entry.rejections >= 2 else "released"
            delay = 4 * 3600.0  # a mailbox or a mail service can be wrong for an hour
            return EmailSettlement(entry, state, f"rejected_{status}", delay=delay, tries=1, rejections=1)
        case NotAccepted(retry_after):
            return retry_later(entry, max(choose_backoff(entry.tries), retry_after or 0.0), "mail_unavailable", tries=1)
        case EmailInDoubt():
            return EmailSettlement(entry, "unknown", delay=choose_backoff(entry.tries), tries=1)


def settle_status(entry: E, status: MessageStatus) -> EmailSettlement[E]:
    """Convert the mail service's status of an email in doubt."""
    if status.state == "accepted":
        return settle_sent(entry, status.message_id)
    return hold_email(entry, "in_doubt") if status.state == "in_doubt" else retry_later(entry, 15.0)


def settle_sent(entry: E, message_id: str) -> EmailSettlement[E]:
    return EmailSettlement(entry, "sent", message_id=message_id, tries=1)


def settle_suppressed(entry: E, reason: str = "suppressed") -> EmailSettlement[E]:
    return EmailSettlement(entry, "suppressed", reason)


def drop_email(entry: E, reason: str) -> EmailSettlement[E]:
    return EmailSettlement(entry, "dropped", reason)


def hold_email(entry: E, reason: str) -> EmailSettlement[E]:
    return EmailSettlement(entry, "held", reason)


def retry_later(entry: E, delay: float, reason: str | None = None, *, tries: int = 0) -> EmailSettlement[E]:
    """Not accepted now. `tries` is 0 if the mail service is not the reason."""
    return EmailSettlement(entry, "unknown" if entry.undecided else "released", reason, delay=delay, tries=tries)


def render_again(entry: E) -> EmailSettlement[E]:
    """The mail service does not know the email: certainly unsent, to be rendered again."""
    return EmailSettlement(entry, "released")


def choose_backoff(tries: int) -> float:
    """Return seconds with full jitter. The first retry is in the next tick."""
    if tries == 0:
        return FIRST_BACKOFF_SECONDS
    ceiling = min(LONGEST_BACKOFF_SECONDS, 5.0 * 2 ** min(tries, 12))
    return max(FIRST_BACKOFF_SECONDS, random.uniform(0, ceiling))  # noqa: S311 - not a secret


@dataclass(slots=True)
class MailOutage:
    """Several failures of the mail service in a row. During an outage nothing is posted. The deferred emails wait
    `pause` seconds, the longest time requested by a failure of this row. A good answer ends the row."""

    begun: bool = False
    pause: float = OUTAGE_PAUSE_SECONDS
    _failures: int = 0

    def note_answer(self, outcome: EmailOutcome | MessageStatus) -> None:
        if not indicates_outage(outcome):
            self.begun, self.pause, self._failures = False, OUTAGE_PAUSE_SECONDS, 0
            return
        self._failures += 1
        self.begun = self._failures >= OUTAGE_AFTER
        if isinstance(outcome, NotAccepted):
            self.pause = max(self.pause, outcome.retry_after or 0.0)

    def defer_email(self, entry: E) -> EmailSettlement[E]:
        return retry_later(entry, self.pause, "mail_unavailable")


async def ask_about(
    mail: MailClient, entries: Sequence[E], outage: MailOutage, never_arrived: Callable[[E], EmailSettlement[E] | None]
) -> tuple[list[EmailSettlement[E]], list[E]]:
    """Ask about emails in doubt. Return results, and the emails for which `never_arrived` returns None."""
    if not mail.keeps_keys:
        return [hold_email(entry, "undecidable") for entry in entries], []
    settled: list[EmailSettlement[E]] = []
    again: list[E] = []

    async def one(entry: E) -> None:
        if outage.begun:
            settled.append(outage.defer_email(entry))
            return
        try:
            status = await mail.ask_status(entry.id)
        except MailUnavailable:
            outage.note_answer(EmailInDoubt())
            settled.append(retry_later(entry, choose_backoff(entry.tries), "mail_unavailable", tries=1))
            return
        outage.note_answer(status)
        decided = never_arrived(entry) if status.state == "unknown" else settle_status(entry, status)
        again.append(entry) if decided is None else settled.append(decided)

    await run_each(entries, mail.concurrency, one)
    return settled, again
