"""What is wrong with a worker, judged from what is known of it. Nothing is read here, so each rule can be tried alone.

Only what is wrong for a while is told, and only what is right for a while is over (`watchdog.py`); what a rule looks at
is therefore this very moment. What the relay tells of our wallets by itself is not told twice.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from reminder_worker.monitoring.operations import PassState
from reminder_worker.outbox.alerts import Facts
from reminder_worker.outbox.messages import AlertKind

ALIVE_WITHIN: Final = 300  # seconds without a success, beside how often a pass is looked at: a run ends within 180
START_SECONDS: Final = 180  # after a stop everything is old: the first runs have the time to change that
MAX_LAG_BLOCKS: Final = 100
APART_BLOCKS: Final = 30  # between the newest blocks of two endpoints
NEW_BLOCK_WITHIN: Final = 600  # seconds
CLOCKS_WITHIN: Final = 300  # seconds that clocks may be apart; signed messages have ten minutes to spare
SETTLED_WITHIN: Final = 3600  # seconds, of a safe or finalized block; a chain that is well takes a quarter of an hour
CATCHES_UP_SECONDS: Final = 300
COMPARED: Final = 10  # looks before
BLIP_SECONDS: Final = 180  # of an endpoint
LATE_SECONDS: Final = 1800  # an email that was due and is not out
RETRY_SECONDS: Final = 300
NOT_FINAL_SECONDS: Final = 7200  # mined, and still not final; a chain that is well takes a quarter of an hour
GROWTH: Final = 10  # failures in an hour

Key = tuple[AlertKind, str, int]
"""Kind, subject and chain id (0: not of one chain) of a condition."""


@dataclass(frozen=True, slots=True)
class Expected:
    """A pass that is on, and how often it is looked at. One that runs `by_the_clock` has its first hour from when a
    watchdog first looked for it, and one that failed is tried again in the next."""

    name: str
    chain_id: int
    every_seconds: int
    by_the_clock: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """How far `index` or `signals` has read. `behind`: blocks that it has still to read, now and at the looks `before`
    (the last `COMPARED`, as far as they are known); negative: so far above what the chain has.
    """

    name: str
    behind: int
    before: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class LastGap:
    """What our own index lacked when the chain was last asked, at this time (unix seconds): an id in words, or None.
    `first_block`: the first block whose logs may have its creation."""

    asked_at: int
    missing: str | None = None
    first_block: int = 0


@dataclass(frozen=True, slots=True)
class ChainSight:
    """What the RPC endpoints say now. `lowest` and `highest` of their newest blocks, `newest_age` (seconds, negative
    where our clock is behind) of the highest, None where it does not matter; `agree`: on the hash of a block deep below
    all of them.

    `settled`: ages (seconds) of the newest safe and finalized block, of those that are asked for and known.
    """

    chain_id: int
    endpoints: int
    answering: int
    lowest: int = 0
    highest: int = 0
    newest_age: int | None = None
    agree: bool = True
    settled: Mapping[str, int] = field(default_factory=dict)
    readings: Sequence[Reading] = ()
    gap: LastGap | None = None


@dataclass(frozen=True, slots=True)
class Trouble:
    """Emails and relays in trouble. `late`: due for `LATE_SECONDS` and not out; `others_go_out`: all of them were
    tried, and what came later was accepted; `held`, `dead`: of the last day.

    `refused_alerts`: that the mail service refuses; `failed`: by room, what failed in the last hour.
    """

    late: int = 0
    oldest_late: int = 0
    others_go_out: bool = False
    held: int = 0
    dead: int = 0
    refused_alerts: int = 0
    failed: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Relays:
    """Requests of a wallet that nothing has happened to for `NOT_FINAL_SECONDS`. Of a wallet that is `ours`, on a chain
    that is `served`: those that are mined and not final. Otherwise nobody follows them (the key is not in use here, or
    the chain was taken out), so they are in any open state."""

    chain_id: int
    wallet: str
    count: int
    oldest: int
    ours: bool
    served: bool = True


@dataclass(frozen=True, slots=True)
class Known:
    """All that is judged. `states` may have passes that are not expected: those are off."""

    expected: Sequence[Expected]
    states: Sequence[PassState]
    chains: Sequence[ChainSight]
    trouble: Trouble
    relays: Sequence[Relays] = ()


@dataclass(frozen=True, slots=True)
class Wrong:
    """Something is wrong. It is told once it has been wrong for `hold_seconds`, since what is over sooner is a blip;
    and not while its cause, the condition `because`, is wrong: that one is told instead."""

    kind: AlertKind
    subject: str
    chain_id: int
    facts: Facts
    hold_seconds: int = 0
    because: Key | None = None

    @property
    def key(self) -> Key:
        return (self.kind, self.subject, self.chain_id)


def judge(known: Known) -> dict[Key, Wrong]:
    """Everything that is wrong at this moment."""
    found = [*_passes(known), *_trouble(known.trouble), *map(_not_final, known.relays)]
    for sight in known.chains:
        found += [*_endpoints(sight), *_readings(sight)]
    return {each.key: each for each in found}


def silent(expected: Sequence[Expected], states: Sequence[PassState]) -> list[tuple[Expected, PassState | None]]:
    """Passes that did not succeed for too long, with what is known of them. A look that finds nothing is a success."""
    known = {(state.name, state.chain_id): state for state in states}
    found = []
    for each in expected:
        state = known.get((each.name, each.chain_id))
        if state is None and each.by_the_clock:
            continue
        age = _age_of_success(state)
        if state and each.by_the_clock and state.succeeded_age is None and state.error is None:
            age = state.checked_age
        if age is None or age > ALIVE_WITHIN + each.every_seconds * (2 if each.by_the_clock else 1):
            found.append((each, state))
    return found


def _age_of_success(state: PassState | None) -> int | None:
    """Seconds; None when there was no success, or only one in the future, by a clock that was put back since: a pass
    that is alive soon succeeds again."""
    return None if state is None or state.succeeded_age is None or state.succeeded_age < 0 else state.succeeded_age


def _passes(known: Known) -> Iterator[Wrong]:
    away = {sight.chain_id: _away(sight) for sight in known.chains}
    for each, state in silent(known.expected, known.states):
        age = _age_of_success(state)
        success: Facts = {"last success": "never"} if age is None else {"last_success_seconds": age}
        error: Facts = {"last error": state.error} if state and state.error else {}
        # One that never succeeded may be of a start just now: it has as long as any other.
        hold = (START_SECONDS if age is not None else ALIVE_WITHIN) + each.every_seconds
        facts: Facts = {"pass": each.name, "looked_at_every_seconds": each.every_seconds, **success, **error}
        yield Wrong(AlertKind.WORKER_STALLED, each.name, each.chain_id, facts, hold, away.get(each.chain_id))


def _away(sight: ChainSight) -> Key | None:
    """What is told of a chain none of whose endpoints answers: nothing can be done there."""
    return None if sight.answering else (AlertKind.RPC_TROUBLE, "none answers", sight.chain_id)


def _endpoints(sight: ChainSight) -> Iterator[Wrong]:
    def wrong(subject: str, facts: Facts) -> Wrong:
        answer: Facts = {"endpoints that answer": f"{sight.answering} of {sight.endpoints}"}
        return Wrong(AlertKind.RPC_TROUBLE, subject, sight.chain_id, {**answer, **facts}, BLIP_SECONDS)

    if away := _away(sight):
        yield wrong(away[1], {})
    if sight.answering < sight.endpoints:
        yield replace(wrong("no answer", {}), because=away)
    if sight.highest - sight.lowest > APART_BLOCKS:
        yield wrong("an endpoint lags", {"newest block": sight.highest, "the one that lags has": sight.lowest})
    if sight.newest_age is not None and sight.newest_age > NEW_BLOCK_WITHIN:
        yield wrong("no new block", {"newest block": sight.highest, "its_age_seconds": sight.newest_age})
    if sight.newest_age is not None and sight.newest_age < -CLOCKS_WITHIN:
        ahead: Facts = {"newest block": sight.highest, "ahead_of_our_clock_seconds": -sight.newest_age}
        yield wrong("a block of the future", ahead)
    for tag, age in sight.settled.items():
        if age > SETTLED_WITHIN:
            yield wrong(f"no new {tag} block", {"its_age_seconds": age, "newest block": sight.highest})
    if any(each.behind < -MAX_LAG_BLOCKS for each in sight.readings):
        above = {f"{each.name} stands above it by": f"{-each.behind} blocks" for each in sight.readings}
        yield wrong("behind what was read", {"newest block": sight.highest, **above})
    if not sight.agree:
        yield wrong("endpoints disagree", {"about a block below": sight.lowest})


def _readings(sight: ChainSight) -> Iterator[Wrong]:
    """A reader that is far behind is wrong unless it is catching up, as at a first start: nearer than at every earlier
    look at which it was far. The last look alone does not tell: one that reads now and then, and less than the chain
    makes, comes nearer each time it reads. One that was far at no earlier look was just told to read again."""
    for each in sight.readings:
        before = [blocks for blocks in each.before if blocks > MAX_LAG_BLOCKS]
        if each.behind > MAX_LAG_BLOCKS and before and each.behind >= min(before):
            facts: Facts = {"blocks behind": each.behind, "newest block": sight.highest}
            yield Wrong(AlertKind.INDEX_LAGGING, each.name, sight.chain_id, facts, CATCHES_UP_SECONDS)
    if sight.gap and sight.gap.missing:
        lacks: Facts = {"missing": sight.gap.missing, "to be read again from block": sight.gap.first_block}
        yield Wrong(AlertKind.INDEX_GAP, "index", sight.chain_id, lacks, BLIP_SECONDS)


def _trouble(trouble: Trouble) -> Iterator[Wrong]:
    if trouble.held or trouble.dead or trouble.refused_alerts:
        facts: Facts = {"held": trouble.held, "dead": trouble.dead, "alerts refused": trouble.refused_alerts}
        yield Wrong(AlertKind.EMAILS_NEED_HAND, "emails", 0, facts)
    if trouble.late:
        late: Facts = {"emails": trouble.late, "oldest_seconds": trouble.oldest_late}
        yield Wrong(AlertKind.EMAILS_LATE, "emails", 0, late, RETRY_SECONDS)
    for room, count in (trouble.failed or {}).items():
        if count >= GROWTH:
            yield Wrong(AlertKind.FAILURES_GROWING, room, 0, {"failed in the last hour": count})


def _not_final(relays: Relays) -> Wrong:
    facts: Facts = {"requests": relays.count, "oldest_seconds": relays.oldest}
    if not relays.ours:
        facts = {**facts, "its key": "is not configured: nobody follows them"}
    elif not relays.served:
        facts = {**facts, "its chain": "is not among CHAINS: nobody follows them"}
    return Wrong(AlertKind.RELAY_NOT_FINAL, relays.wallet, relays.chain_id, facts)
