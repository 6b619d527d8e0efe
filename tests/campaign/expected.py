"""Judge of the emails that people received, by what the chain says. It asks nothing of the worker.

A `ChainMoment` is the chain at one moment of a life. An email needs a moment that calls for it, and is received once.
Once a life is settled, each person whom the chain names has the email.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

WINDOWS: Mapping[int, tuple[str, int]] = {
    1: ("before_activation", 1),
    2: ("before_layer2", 2),
    3: ("before_layer3", 3),
    4: ("ready_to_activate", 1),
    5: ("layer2_ready", 2),
    6: ("layer3_ready", 3),
}
"""Kind of email and line of each window of PremiumReminderView, by its number."""
SIGNALS: Mapping[int, str] = {0: "owner_reset", 1: "activated_multisig", 2: "activated_transfer"}
READY: Mapping[int, str] = {2: "layer2_ready", 3: "layer3_ready"}

Audience = Mapping[int, frozenset[str]]
"""Email addresses by line, for each line that has a person: that line, the lines before it, owner and cosigners."""


class ReceivedEmail(NamedTuple):
    """Email as a person reads it. `deadline` is in its words, None when it names no date."""

    to: str
    kind: str
    legacy: str
    deadline: str | None = None


@dataclass(frozen=True, slots=True)
class ChainSignal:
    """Notify event on chain. `opened`: by line, the deadline of a later line that may act at the claim."""

    tx: str
    legacy: str
    kind: int
    layer: int
    audience: Audience
    opened: Mapping[int, int]

    @property
    def key(self) -> tuple[str, str, int, int]:
        return self.tx, self.legacy, self.kind, self.layer


@dataclass(frozen=True, slots=True)
class ChainMoment:
    """Chain and stored people at one moment.

    `received`: number of emails until then. `windows`: legacy, number and deadline of each open one. `stored`: by
    legacy and address, a number that changes with each write. `settled`: all is well, and no email is left to be sent.
    """

    received: int
    windows: frozenset[tuple[str, int, int]]
    audiences: Mapping[str, Audience]
    stored: Mapping[tuple[str, str], int]
    signals: Sequence[ChainSignal]
    settled: bool = False


def deadline_words(seconds: int) -> str:
    """Return the date as emails name it."""
    when = datetime.fromtimestamp(seconds, UTC)
    return f"{when:%A}, {when.day} {when:%B} {when.year}, {when:%H:%M} UTC"


def judge_emails(
    sights: Sequence[ChainMoment], emails: Sequence[ReceivedEmail], shown: Collection[ReceivedEmail]
) -> list[str]:
    """Return violations. `shown`: emails that operators see as held or dead; of a signal without a date."""
    return list(
        dict.fromkeys(
            [
                *_windows_too_many(sights, emails),
                *_windows_missing(sights, emails, shown),
                *_signals_too_many(sights, emails),
                *_signals_missing(sights, emails, shown),
            ]
        )
    )


def kinds_without_proof(sights: Sequence[ChainMoment]) -> list[str]:
    """Return a violation for each kind that no settled sight calls for."""
    settled = [sight for sight in sights if sight.settled]
    seen = {WINDOWS[number][0] for sight in settled for _, number, _ in sight.windows}
    seen |= {SIGNALS[signal.kind] for sight in settled for signal in sight.signals}
    kinds = [*(kind for kind, _ in WINDOWS.values()), *SIGNALS.values()]
    return [f"{kind} was never due, so nothing was proven of it" for kind in kinds if kind not in seen]


def _windows_missing(
    sights: Sequence[ChainMoment], emails: Sequence[ReceivedEmail], shown: Collection[ReceivedEmail]
) -> Iterator[str]:
    for sight in sights:
        known = Counter(emails[: sight.received])
        for legacy, number, deadline in sorted(sight.windows) if sight.settled else ():
            kind, line = WINDOWS[number]
            for to in sorted(sight.audiences[legacy].get(line, ())):
                email = ReceivedEmail(to, kind, legacy, deadline_words(deadline))
                if (legacy, to) in sight.stored and not known[email] and email not in shown:
                    yield f"window {number} of line {line} is open and {to} was not told: {kind} of {legacy}"


def _windows_too_many(sights: Sequence[ChainMoment], emails: Sequence[ReceivedEmail]) -> Iterator[str]:
    """Two deadlines of one minute have the same words."""
    lines, known = dict(WINDOWS.values()), set[str](SIGNALS.values())
    called = _calls_of_windows(sights)
    times = Counter[ReceivedEmail]()
    for index, email in enumerate(emails):
        if email.kind not in lines:
            if email.kind not in known:
                yield f"an email of another kind: {email.kind}"
            continue
        times[email] += 1
        deadlines = {deadline for received, deadline in called[email] if received <= index}
        if not deadlines:
            yield f"{email.to} was told what the chain did not say of them: {email.kind} of {email.legacy}"
        elif times[email] > len(deadlines):
            yield f"{email.to} was told {times[email]} times: {email.kind} of {email.legacy}"


def _calls_of_windows(sights: Sequence[ChainMoment]) -> dict[ReceivedEmail, set[tuple[int, int]]]:
    """By email, from which moment each deadline calls for it."""
    called: dict[ReceivedEmail, set[tuple[int, int]]] = defaultdict(set)
    for sight in sights:
        for legacy, number, deadline in sight.windows:
            kind, line = WINDOWS[number]
            for to in sight.audiences[legacy].get(line, ()):
                if (legacy, to) in sight.stored:
                    called[ReceivedEmail(to, kind, legacy, deadline_words(deadline))].add((sight.received, deadline))
    return called


def _first_seen(sights: Sequence[ChainMoment]) -> dict[tuple[str, str, int, int], ChainMoment]:
    found: dict[tuple[str, str, int, int], ChainMoment] = {}
    for sight in sights:
        for signal in sight.signals:
            found.setdefault(signal.key, sight)
    return found


def _signals_missing(
    sights: Sequence[ChainMoment], emails: Sequence[ReceivedEmail], shown: Collection[ReceivedEmail]
) -> Iterator[str]:
    """A later signal may be told with the next email of its kind, so each needs an email after it."""
    first = _first_seen(sights)
    for sight in sights:
        for signal in sight.signals if sight.settled else ():
            seen, kind = first[signal.key], SIGNALS[signal.kind]
            told = {email.to for email in emails[seen.received : sight.received] if email[1:3] == (kind, signal.legacy)}
            for to in sorted(_called_by(signal, emails[: seen.received]) - told):
                writes = {each.stored.get((signal.legacy, to)) for each in (seen, sight)}
                if len(writes) == 1 and None not in writes and ReceivedEmail(to, kind, signal.legacy) not in shown:
                    yield f"a signal of layer {signal.layer} was not told to {to}: {kind} of {signal.legacy}"


def _called_by(signal: ChainSignal, before: Sequence[ReceivedEmail]) -> frozenset[str]:
    """Return who has to hear of a signal: also a later line that was told before that it may act."""
    told = [
        line
        for line, deadline in signal.opened.items()
        if any(email[1:] == (READY[line], signal.legacy, deadline_words(deadline)) for email in before)
    ]
    named = [line for line in signal.audience if line <= max([signal.layer, *told])]
    return signal.audience[max(named)]


def _signals_too_many(sights: Sequence[ChainMoment], emails: Sequence[ReceivedEmail]) -> Iterator[str]:
    """A transaction that a reorganisation mines again is the same signal."""
    called: dict[tuple[str, str, str], dict[tuple[str, str, int, int], int]] = defaultdict(dict)
    for sight in sights:
        for signal in sight.signals:
            lines = [line for line in signal.audience if line <= signal.layer or line in signal.opened]
            for to in signal.audience[max(lines)]:
                if (signal.legacy, to) in sight.stored:
                    asked = called[to, SIGNALS[signal.kind], signal.legacy]
                    asked.setdefault(signal.key, sight.received)
    times = Counter[tuple[str, str, str]]()
    for index, email in enumerate(emails):
        if email.kind not in SIGNALS.values():
            continue
        about = (email.to, email.kind, email.legacy)
        times[about] += 1
        signals = sum(received <= index for received in called[about].values())
        if times[about] > signals:
            yield f"{email.to} was told {times[about]} times of {signals} signals: {email.kind} of {email.legacy}"
