"""Reminders as declared: signals, windows and the emails about them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from reminder_worker.declarations import FactGauge, FactScope, OperatorFact, WorkerFeature, WorkerPass
from reminder_worker.outbox.feature import mail_off

if TYPE_CHECKING:
    from reminder_worker.outbox.operator import SettledEmails, WaitingEmails
    from reminder_worker.reminders.erasure import RecentErasures
    from reminder_worker.reminders.operator_facts import EmailDelay, SignalCount, WindowCount


async def _count_signals(scope: FactScope) -> "Sequence[SignalCount]":
    from reminder_worker.reminders.operator_facts import count_new_signals

    return scope.keep_served(await count_new_signals(scope.engine))


def _show_signals(signals: "Sequence[SignalCount]") -> Iterator[FactGauge]:
    labels = ("chain", "kind")
    counts = {(signal.chain_id, signal.kind): signal.count for signal in signals}
    oldest = {(signal.chain_id, signal.kind): signal.oldest for signal in signals}
    yield FactGauge("signals_new", "Signals not planned yet", labels, counts)
    yield FactGauge("signals_oldest_seconds", "Age of the oldest new", labels, oldest)


async def _count_windows(scope: FactScope) -> "Sequence[WindowCount]":
    from reminder_worker.reminders.operator_facts import count_windows

    return await count_windows(scope.engine)


async def _read_next_ask(scope: FactScope) -> int | None:
    from reminder_worker.reminders.operator_facts import read_next_ask

    return await read_next_ask(scope.engine, scope.chains)


def _describe_next_ask(moment: int | None) -> str:
    from reminder_worker.outbox.messages import format_clock

    return "" if moment is None else f"no window can open before {format_clock(moment)} (chain time)"


async def _count_paused(scope: FactScope) -> int:
    from reminder_worker.reminders.operator_facts import count_paused_legacies

    return await count_paused_legacies(scope.engine)


def _describe_paused(count: int) -> str:
    return f"legacies set aside, since asking about them reverts: {count}" if count else ""


async def _count_silent(scope: FactScope) -> "Mapping[int, int]":
    from reminder_worker.reminders.operator_facts import count_silent

    counts = await count_silent(scope.engine)
    return {chain_id: count for chain_id, count in counts.items() if chain_id in scope.chains}


async def _count_recipients(scope: FactScope) -> int:
    from reminder_worker.reminders.operator_facts import count_recipients

    return await count_recipients(scope.engine)


async def _count_waiting(scope: FactScope) -> "WaitingEmails":
    """Return the sums of the served chains: on any other no email is sent, and it would grow old for ever."""
    from reminder_worker.outbox.operator import WaitingEmails, count_waiting

    counts = scope.keep_served(await count_waiting(scope.engine))
    due = sum(count.due for count in counts)
    later = sum(count.later for count in counts)
    in_flight = sum(count.in_flight for count in counts)
    times = [count.next_try for count in counts if count.next_try is not None]
    ages = [count.oldest for count in counts if count.oldest is not None]
    return WaitingEmails(
        chain_id=0,
        due=due,
        later=later,
        next_try=min(times, default=None),
        in_flight=in_flight,
        oldest=max(ages, default=None),
    )


def _show_waiting(waiting: "WaitingEmails") -> Iterator[FactGauge]:
    oldest = waiting.oldest or 0.0
    yield FactGauge("emails_due", "Reminders to be tried now", (), {(): waiting.due})
    yield FactGauge("emails_later", "Reminders to be tried later", (), {(): waiting.later})
    yield FactGauge("emails_in_flight", "Reminders claimed by a dispatcher", (), {(): waiting.in_flight})
    yield FactGauge("emails_oldest_waiting_seconds", "Of the oldest due or later", (), {(): oldest})


def _describe_waiting(waiting: "WaitingEmails") -> str:
    from reminder_worker.outbox.messages import format_clock

    if waiting.next_try is None:
        return "no reminder to send"
    until = format_clock(waiting.next_try.timestamp())
    return f"no reminder due; emails waiting: {waiting.later}, the next until {until}"


async def _count_settled(scope: FactScope) -> "Sequence[SettledEmails]":
    from reminder_worker.outbox.operator import count_settled

    return await count_settled(scope.engine, days=1)


def _show_settled(emails: "Sequence[SettledEmails]") -> Iterator[FactGauge]:
    settled: Counter[tuple[str, str]] = Counter()
    for each in emails:
        settled[each.kind, each.state] += each.count
    yield FactGauge("emails_settled_last_day", "Reminders settled in the last 24 hours", ("kind", "state"), settled)


async def _measure_delays(scope: FactScope) -> "Sequence[EmailDelay]":
    from reminder_worker.reminders.operator_facts import measure_delays

    return scope.keep_served(await measure_delays(scope.engine))


def _show_delays(delays: "Sequence[EmailDelay]") -> Iterator[FactGauge]:
    values = {(each.chain_id, "0.5"): each.median for each in delays}
    values |= {(each.chain_id, "1"): each.longest for each in delays}
    words = "From the block of an event to the mail service's yes, of the last 24 hours"
    yield FactGauge("emails_after_block_seconds", words, ("chain", "quantile"), values)


async def _read_erasures(scope: FactScope) -> "Sequence[RecentErasures]":
    from reminder_worker.reminders.erasure import read_erasures

    return await read_erasures(scope.engine)


def _show_erasures(erasures: "Sequence[RecentErasures]") -> Iterator[FactGauge]:
    values = {(each.cause,): each.people for each in erasures}
    yield FactGauge("recipients_erased", "Recipients erased in the last 90 days", ("cause",), values)


SIGNALS = WorkerPass("signals", 60, asset="notify_signals")
DUE = WorkerPass("due", 1200, asset="due_reminders", off=mail_off)
DISPATCH = WorkerPass("dispatch", 15, asset="sent_emails", per_chain=False, off=mail_off)
NEW_SIGNALS = OperatorFact("signals", _count_signals, _show_signals)
WINDOWS = OperatorFact("windows", _count_windows)
NEXT_ASK = OperatorFact("next_ask", _read_next_ask, idle=_describe_next_ask)
PAUSED_LEGACIES = OperatorFact("paused_legacies", _count_paused, idle=_describe_paused)
SILENT_LEGACIES = OperatorFact("silent_legacies", _count_silent)
RECIPIENTS = OperatorFact("recipients", _count_recipients)
WAITING_EMAILS = OperatorFact("waiting", _count_waiting, _show_waiting, _describe_waiting)
SETTLED_LAST_DAY = OperatorFact("settled_last_day", _count_settled, _show_settled)
EMAIL_DELAYS = OperatorFact("delays", _measure_delays, _show_delays)
ERASURES = OperatorFact("erasures", _read_erasures, _show_erasures)
FEATURE = WorkerFeature(
    (SIGNALS, DUE, DISPATCH),
    (
        NEW_SIGNALS,
        WINDOWS,
        NEXT_ASK,
        PAUSED_LEGACIES,
        SILENT_LEGACIES,
        RECIPIENTS,
        WAITING_EMAILS,
        SETTLED_LAST_DAY,
        EMAIL_DELAYS,
        ERASURES,
    ),
)
