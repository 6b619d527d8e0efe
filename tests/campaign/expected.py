"""Judge of the emails that people received, by what the chain says. It asks nothing of the worker.

A `ChainMoment` is the chain at one moment of a life. An email needs a moment that calls for it, and is received once.
Once a life is settled, each person whom the chain names has the email.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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
FURTHER: Mapping[str, int] = {"before_activation": 1, "ready_to_activate": 3, "layer2_ready": 3, "layer3_ready": 3}
"""How many further emails of a kind each deadline has."""
SIGNALS: Mapping[int, str] = {0: "owner_reset", 1: "activated_multisig", 2: "activated_transfer"}
WARNINGS = ("premium_ending", "premium_lapsed", "guard_removed", "module_disabled")
"""Kinds of email that an owner gets alone, about a lasting state."""
UNJUDGED = ("recipients_gap",)
"""Kinds of email about a set that reaches not everybody. A life changes sets too often to say when one is due."""
GIFTS = (
    "gift_waiting",
    "gift_unlocked",
    "gift_reminder_30",
    "giver_opened",
    "giver_returned",
    "giver_unopened",
)
"""Kinds of email about a gift, to its recipient and to its giver."""
DAY = 86400
LATE_BLOCKS = 64
"""Blocks within which the chain's past excuses an email. No node lags more, and SMTP takes emails sooner."""
READY: Mapping[int, str] = {2: "layer2_ready", 3: "layer3_ready"}

Audience = Mapping[int, frozenset[str]]
"""Email addresses by line, for each line that has a person: that line, the lines before it, owner and cosigners."""


class ReceivedEmail(NamedTuple):
    """Email as a person reads it. `legacy`: or `gift 7`. `deadline` is in its words, None when it names no date.

    `turn`: 0 for the first email of its deadline, above 0 for a further one.
    """

    to: str
    kind: str
    legacy: str
    deadline: str | None = None
    turn: int = 0


@dataclass(frozen=True, slots=True)
class ChainSignal:
    """Notify event on chain. `opened`: by line, the deadline of a later line that may act at the claim.

    `received`: by email address and token, what a claim moved to a person, in base units.
    """

    tx: str
    legacy: str
    kind: int
    layer: int
    audience: Audience
    opened: Mapping[int, int]
    received: Mapping[tuple[str, str], int] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str, int, int]:
        return self.tx, self.legacy, self.kind, self.layer


@dataclass(frozen=True, slots=True)
class ChainMoment:
    """Chain and stored people at one moment.

    `received`: number of emails until then. `windows`: legacy, number and deadline of each open one, and how many
    further emails of it have come by their days. `stored`: by legacy and address, of everybody who may be written to, a
    number that changes with each write. `states`: emails about a lasting state (`WARNINGS`, `GIFTS`), with how often
    each is to be told until now. `settled`: all is well, and no email is left to be sent. `block`: number of the
    chain's head. `owners`: by legacy, the addresses of the owner and of a Safe's signers.
    """

    received: int
    windows: frozenset[tuple[str, int, int, int]]
    audiences: Mapping[str, Audience]
    stored: Mapping[tuple[str, str], int]
    signals: Sequence[ChainSignal]
    settled: bool = False
    states: Mapping[ReceivedEmail, int] = field(default_factory=dict)
    block: int = 0
    owners: Mapping[str, frozenset[str]] = field(default_factory=dict)


def count_further(number: int, deadline: int, ahead: int, now: int) -> int:
    """Return how many further emails of a window have come. `ahead`: the owner's notice, in seconds."""
    times = []
    if number == 1 and ahead >= 2 * DAY:
        times = [deadline - ahead // 2]
    if number in (4, 5, 6):
        times = [deadline + days * DAY for days in (30, 90, 365)]
    return sum(time <= now for time in times)


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
                *_states_too_many(sights, emails),
                *_states_missing(sights, emails, shown),
            ]
        )
    )


def _recent(sights: Sequence[ChainMoment], emails: Sequence[ReceivedEmail]) -> Iterator[Sequence[ChainMoment]]:
    """Yield the moments that may call for each email: the last one before it, and those of `LATE_BLOCKS`."""
    first = last = -1
    for index in range(len(emails)):
        while last + 1 < len(sights) and sights[last + 1].received <= index:
            last += 1
        while first < last and (first < 0 or sights[first + 1].block <= sights[last].block - LATE_BLOCKS):
            first += 1
        yield sights[max(first, 0) : last + 1]


def kinds_without_proof(sights: Sequence[ChainMoment], *more: str) -> list[str]:
    """Return a violation for each kind that no settled sight calls for. `more`: kinds about lasting states."""
    settled = [sight for sight in sights if sight.settled]
    seen = {WINDOWS[number][0] for sight in settled for _, number, *_ in sight.windows}
    seen |= {SIGNALS[signal.kind] for sight in settled for signal in sight.signals}
    seen |= {email.kind for sight in settled for email in sight.states}
    kinds = [*(kind for kind, _ in WINDOWS.values()), *SIGNALS.values(), *more]
    turns = {(WINDOWS[number][0], turn) for sight in settled for _, number, _, turn in sight.windows}
    needed = [("before_activation", 1), *(("ready_to_activate", turn) for turn in (1, 2, 3))]
    return [
        *(f"{kind} was never due, so nothing was proven of it" for kind in kinds if kind not in seen),
        *(f"further email {turn} of {kind} was never due" for kind, turn in needed if (kind, turn) not in turns),
    ]


def _windows_missing(
    sights: Sequence[ChainMoment], emails: Sequence[ReceivedEmail], shown: Collection[ReceivedEmail]
) -> Iterator[str]:
    """A further email speaks for an earlier one that has not left. People stored before its day must get it."""
    seen: dict[ReceivedEmail, int] = {}  # further emails at the first settled moment, by first email
    for sight in sights:
        known = {*emails[: sight.received], *shown}
        for legacy, number, deadline, turn in sorted(sight.windows) if sight.settled else ():
            kind, line = WINDOWS[number]
            for to in sorted(sight.audiences[legacy].get(line, ())):
                first = ReceivedEmail(to, kind, legacy, deadline_words(deadline))
                if (legacy, to) not in sight.stored:
                    continue
                if not any(first._replace(turn=each) in known for each in range(turn + 1)):
                    yield f"window {number} of line {line} is open and {to} was not told: {kind} of {legacy}"
                further = turn if to in _read_by(sight, legacy, kind) else 0
                if further > seen.setdefault(first, further) and first._replace(turn=further) not in known:
                    yield f"{to} was not told for the {further + 1}. time: {kind} of {legacy}"


def _windows_too_many(sights: Sequence[ChainMoment], emails: Sequence[ReceivedEmail]) -> Iterator[str]:
    """Two deadlines of one minute have the same words."""
    lines, known = dict(WINDOWS.values()), {*SIGNALS.values(), *WARNINGS, *UNJUDGED, *GIFTS}
    called = _calls_of_windows(sights)
    times = Counter[ReceivedEmail]()
    for index, (email, recent) in enumerate(zip(emails, _recent(sights, emails), strict=True)):
        if email.kind not in lines:
            if email.kind not in known:
                yield f"an email of another kind: {email.kind}"
            continue
        times[email] += 1
        deadlines = {deadline for received, deadline in called[email] if received <= index}
        if not any(email in _calls_of_windows([sight]) for sight in recent):
            past = "does not say any more" if deadlines else "did not say of them"
            yield f"{email.to} was told what the chain {past}: {email.kind} of {email.legacy}"
        elif times[email] > len(deadlines):
            yield f"{email.to} was told {times[email]} times: {email.kind} of {email.legacy}"


def _calls_of_windows(sights: Sequence[ChainMoment]) -> dict[ReceivedEmail, set[tuple[int, int]]]:
    """By email, from which moment each deadline calls for it."""
    called: dict[ReceivedEmail, set[tuple[int, int]]] = defaultdict(set)
    for sight in sights:
        for legacy, number, deadline, turn in sight.windows:
            kind, line = WINDOWS[number]
            for to in sight.audiences[legacy].get(line, ()):
                if (legacy, to) not in sight.stored:
                    continue
                email = ReceivedEmail(to, kind, legacy, deadline_words(deadline))
                called[email].add((sight.received, deadline))
                if turn and to in _read_by(sight, legacy, kind):
                    called[email._replace(turn=turn)].add((sight.received, deadline))
    return called


def _read_by(sight: ChainMoment, legacy: str, kind: str) -> frozenset[str]:
    """Return who reads further emails of a kind: owner and signers before the deadline, afterwards everybody else."""
    owners = sight.owners.get(legacy, frozenset())
    if kind == "before_activation":
        return owners
    return frozenset[str]().union(*sight.audiences[legacy].values()) - owners


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
        if any(email[1:4] == (READY[line], signal.legacy, deadline_words(deadline)) for email in before)
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
    for index, (email, recent) in enumerate(zip(emails, _recent(sights, emails), strict=True)):
        if email.kind not in SIGNALS.values():
            continue
        if not any((email.legacy, email.to) in sight.stored for sight in recent):
            yield f"{email.to} was written to after they had left: {email.kind} of {email.legacy}"
        about = (email.to, email.kind, email.legacy)
        times[about] += 1
        signals = sum(received <= index for received in called[about].values())
        if times[about] > signals:
            yield f"{email.to} was told {times[about]} times of {signals} signals: {email.kind} of {email.legacy}"


def _states_too_many(sights: Sequence[ChainMoment], emails: Sequence[ReceivedEmail]) -> Iterator[str]:
    times = Counter[ReceivedEmail]()
    for email, recent in zip(emails, _recent(sights, emails), strict=True):
        if email.kind not in (*WARNINGS, *GIFTS):
            continue
        times[email] += 1
        most = max((sight.states.get(email, 0) for sight in recent), default=0)
        if times[email] > most:
            yield f"{email.to} was told {times[email]} times, {most} were due: {email.kind} of {email.legacy}"


def _states_missing(
    sights: Sequence[ChainMoment], emails: Sequence[ReceivedEmail], shown: Collection[ReceivedEmail]
) -> Iterator[str]:
    for sight in sights:
        known = Counter(emails[: sight.received])
        for email, times in sight.states.items() if sight.settled else ():
            if known[email] < times and email not in shown:
                yield f"{email.to} was told {known[email]} times, not {times}: {email.kind} of {email.legacy}"
