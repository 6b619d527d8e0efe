"""Gauges read at a scrape: what the passes left in the database, and the RPC endpoints of both sides."""

import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.monitoring import operations, watchdog
from reminder_worker.monitoring import operations_relay as relay
from reminder_worker.monitoring.operations import PassState
from reminder_worker.statistics import store
from reminder_worker.statistics.prices import Price, feed_states
from reminder_worker.upgrades import store as upgrade_queue


class Gauges(Collector):
    """Families ready to be rendered."""

    def __init__(self, families: Iterable[GaugeMetricFamily]) -> None:
        self._families = list(families)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield from self._families


def gauge(name: str, text: str, labels: tuple[str, ...], values: Mapping[Any, float | None]) -> GaugeMetricFamily:
    """`values` by the tuple of label values; None is left out."""
    family = GaugeMetricFamily(f"reminder_worker_{name}", text, labels=labels)
    for key, value in values.items():
        if value is not None:
            family.add_metric([str(part) for part in key], value)
    return family


async def email_gauges(engine: AsyncEngine, chains: Collection[int]) -> list[GaugeMetricFamily]:
    """What waits is counted on `chains` alone: on any other nothing is sent, and it would grow old for ever."""
    sends: Counter[tuple[object, ...]] = Counter()
    for day in await operations.sends_per_day(engine, days=1):
        sends[day.kind, day.state] += day.count
    undecided: Counter[tuple[object, ...]] = Counter()
    for email in await operations.undecided_emails(engine, chains):
        undecided[email.chain_id, email.kind, email.state] += email.count
    waiting = await operations.waiting_emails(engine, chains)
    oldest = await operations.oldest_waiting_email(engine, chains)
    return [
        gauge("emails_settled_last_day", "Reminders settled in the last 24 hours", ("kind", "state"), sends),
        gauge("emails_due", "Reminders to be tried now", (), {(): waiting.due}),
        gauge("emails_later", "Reminders to be tried later", (), {(): waiting.later}),
        gauge("emails_in_flight", "Reminders claimed by a dispatcher", (), {(): waiting.in_flight}),
        gauge("emails_oldest_waiting_seconds", "Of the oldest due or later", (), {(): oldest}),
        gauge("emails_undecided", "Emails unknown, held or dead", ("chain", "kind", "state"), undecided),
    ]


async def gift_gauges(engine: AsyncEngine) -> list[GaugeMetricFamily]:
    emails: Counter[tuple[object, ...]] = Counter()
    for each in await operations.gift_emails(engine):
        emails[each.chain_id, each.kind, each.state] += each.count
    waiting = await operations.gifts_to_be_told_of(engine)
    return [
        gauge("gift_emails", "Emails of gifts that are remembered", ("chain", "kind", "state"), emails),
        gauge("gifts_to_be_told_of", "Gifts whose recipient is still to be written to", (), {(): waiting}),
    ]


async def pass_gauges(
    engine: AsyncEngine, chains: Mapping[int, Chain], states: Sequence[PassState]
) -> list[GaugeMetricFamily]:
    """`states`: of the passes that are on."""
    signals = {(s.chain_id, s.kind): s for s in await operations.unsettled_signals(engine) if s.chain_id in chains}
    passes = {(p.name, p.chain_id): p for p in states}
    readers = {(r.chain_id, r.name): r for r in await operations.positions(engine) if r.chain_id in chains}
    heads = {chain_id: _head(chain_id, chains, passes) for chain_id in chains}
    lags = {key: max(0, head - r.block_number) for key, r in readers.items() if (head := heads.get(r.chain_id))}
    of_signal, of_pass, of_reader = ("chain", "kind"), ("pass", "chain"), ("chain", "reader")
    return [
        gauge("signals_new", "Signals not planned yet", of_signal, {k: s.count for k, s in signals.items()}),
        gauge("signals_oldest_seconds", "Age of the oldest new", of_signal, {k: s.oldest for k, s in signals.items()}),
        gauge("pass_look_age_seconds", "Since a look", of_pass, {k: p.checked_age for k, p in passes.items()}),
        gauge("pass_success_age_seconds", "Since success", of_pass, {k: p.succeeded_age for k, p in passes.items()}),
        gauge("pass_failing", "1: the last try failed", of_pass, {k: float(bool(p.error)) for k, p in passes.items()}),
        gauge("reader_block", "Last block read", of_reader, {k: r.block_number for k, r in readers.items()}),
        gauge("reader_age_seconds", "Since its cursor moved", of_reader, {k: r.age for k, r in readers.items()}),
        gauge("reader_lag_blocks", "Behind the newest block that was seen", of_reader, lags),
    ]


async def relay_gauges(
    engine: AsyncEngine,
    chains: Collection[int],
    ours: Sequence[relay.PayingWallet],
    states: Sequence[PassState],
) -> list[GaugeMetricFamily]:
    """A wallet is named by what it is for, on each of `chains`; its balance is that of the last run of the relay's
    pass. Open requests are those that somebody follows: the others never end, and would grow old for ever."""
    named = {wallet.address: wallet for wallet in ours}
    used = {
        (named[found.address].role, found.chain_id): (named[found.address], found)
        for found in await relay.wallets(engine)
        if found.address in named and found.chain_id in chains
    }
    of_wallet, of_request = ("wallet", "chain"), ("chain", "lane", "state")
    last = [each for each in states if each.name == "relay"]
    balances = {
        (name, s.chain_id): told["balance_eth"] * 1e18
        for s in last
        for name, told in (s.detail or {}).items()
        if isinstance(told, dict)
    }
    opened = {(r.chain_id, r.lane, r.state): r for r in await relay.followed_requests(engine, named, chains)}
    ended = {(r.chain_id, r.lane, r.state): r.count for r in await relay.ended_requests(engine)}
    slots = {
        (*k, state): float(n) for k, (_, w) in used.items() for state, n in (("open", w.unmined), ("mined", w.mined))
    }
    caps = {(*k, "wei"): _share(w.reserved_wei + w.spent_wei, cap.daily_wei) for k, (cap, w) in used.items()}
    caps |= {(*k, "count"): _share(w.requests, cap.daily_count) for k, (cap, w) in used.items()}
    return [
        gauge("relay_balance_wei", "What a wallet holds", of_wallet, balances),
        gauge("relay_slots", "Nonces taken and not final", (*of_wallet, "state"), slots),
        gauge(
            "relay_oldest_slot_seconds",
            "Age of the oldest that is not mined",
            of_wallet,
            {k: w.oldest_open or 0 for k, (_, w) in used.items()},
        ),
        gauge(
            "relay_reserved_wei",
            "Reserved of today's cap (UTC)",
            of_wallet,
            {k: w.reserved_wei for k, (_, w) in used.items()},
        ),
        gauge(
            "relay_spent_wei", "Spent of today's cap (UTC)", of_wallet, {k: w.spent_wei for k, (_, w) in used.items()}
        ),
        gauge("relay_cap_used", "Share of today's cap, 1: nothing left; absent: a cap of 0", (*of_wallet, "cap"), caps),
        gauge(
            "relay_stopped",
            "1: takes no requests",
            of_wallet,
            {k: float(bool(w.stopped)) for k, (_, w) in used.items()},
        ),
        gauge("relay_requests_open", "Requests under way", of_request, {k: r.count for k, r in opened.items()}),
        gauge(
            "relay_requests_oldest_seconds",
            "Age of the oldest under way",
            of_request,
            {k: r.oldest for k, r in opened.items()},
        ),
        gauge("relay_requests_ended_last_day", "Requests ended in the last 24 hours", of_request, ended),
    ]


async def upgrade_gauges(engine: AsyncEngine, chains: Mapping[int, Chain]) -> list[GaugeMetricFamily]:
    """Of timelocks that are watched: what waited on another would wait for ever."""
    watched = {chain_id for chain_id, chain in chains.items() if chain.settings.upgrade_timelock}
    nearest: dict[tuple[int], float] = {}
    for each in await upgrade_queue.list_operations(engine, watched, limit=1_000):
        if each.operation.ready_at is not None:
            key = (each.chain_id,)
            nearest[key] = min(nearest.get(key, float("inf")), each.operation.ready_at)
    counts = {key: count for key, count in (await upgrade_queue.count_operations(engine)).items() if key[0] in watched}
    return [
        gauge("upgrade_operations", "Operations of the UpgradeTimelock", ("chain", "state"), counts),
        gauge("upgrade_next_executable_time", "Unix seconds from which the next may run", ("chain",), nearest),
    ]


async def alert_gauges(engine: AsyncEngine, states: Sequence[PassState]) -> list[GaugeMetricFamily]:
    wrong = Counter((each.chain_id, each.kind) for each in await relay.conditions(engine))
    undelivered = {(state,): count for state, count in (await relay.undelivered_alerts(engine)).items()}
    seen = next((s for s in states if s.name == watchdog.NAME and s.detail), None)
    said = (seen.detail or {}) if seen else {}
    return [
        gauge("conditions", "What alerts say is wrong now", ("chain", "kind"), wrong),
        gauge("alerts_undelivered", "Alerts that no mail service took", ("state",), undelivered),
        gauge(
            "healthy",
            "1: the watchdog looked in the last 5 minutes and found nothing wrong",
            (),
            {(): float(watchdog.looks(seen) and bool(said.get("healthy")))},
        ),
        gauge(
            "heartbeat_ok",
            "1: the last ping was taken, 0: it was not, or none was sent; absent: not configured",
            (),
            {(): None if said.get("heartbeat", "off") == "off" else float(said["heartbeat"] == "asked")},
        ),
    ]


async def price_gauges(engine: AsyncEngine, chains: Mapping[int, Chain]) -> list[GaugeMetricFamily]:
    """Of every configured feed, by the token's symbol, or by its address where it has none or shares it."""
    states: dict[tuple[int, str], Price | None] = {}
    for chain_id, chain in chains.items():
        feeds = await feed_states(engine, chain.settings)
        held = Counter(state.symbol for state in feeds)
        for state in feeds:
            own = state.symbol if state.symbol and held[state.symbol] == 1 else state.feed.token
            states[chain_id, own] = state.price
    of = ("chain", "token")
    known = {key: price for key, price in states.items() if price is not None}
    return [
        gauge("price_usd", "The last good price", of, {k: float(p.usd) for k, p in known.items()}),
        gauge("price_age_seconds", "Since its feed wrote the last good one", of, {k: p.age for k, p in known.items()}),
        gauge(
            "price_stale", "1: there is no fresh price", of, {k: float(p is None or p.stale) for k, p in states.items()}
        ),
    ]


async def statistics_gauges(engine: AsyncEngine, chains: Mapping[int, Chain]) -> list[GaugeMetricFamily]:
    """Of each chain's newest snapshot."""
    found = {(id,): newest for id in chains if (newest := await store.newest(engine, id)) is not None}
    values = {key: each.value_secured_usd for key, each in found.items()}
    dollars = {key: None if value is None else float(value) for key, value in values.items()}
    ages = {key: max(0.0, time.time() - each.block_time) for key, each in found.items()}
    return [
        gauge("value_secured_usd", "By the newest snapshot; absent: a price is missing", ("chain",), dollars),
        gauge("statistics_age_seconds", "Since the block of the newest snapshot", ("chain",), ages),
    ]


def _share(used: int, cap: int) -> float | None:
    """None of a cap of 0, by which somebody switched it off: that is no trouble."""
    return used / cap if cap else None


def endpoint_gauges(states: Sequence[PassState]) -> list[GaugeMetricFamily]:
    """Of the passes, by the process that looks; an endpoint is named by position and host, its address holds a key."""
    looking = [each for each in states if each.name == "index"]
    return _endpoints("passes", {each.chain_id: each.endpoints or [] for each in looking})


def own_endpoint_gauges(chains: Mapping[int, Chain]) -> list[GaugeMetricFamily]:
    """As this process sees them."""
    return _endpoints("api", {id: [asdict(each) for each in chain.health()] for id, chain in chains.items()})


def _endpoints(who: str, health: Mapping[int, Sequence[Mapping[str, Any]]]) -> list[GaugeMetricFamily]:
    flat = {(chain_id, each["name"]): each for chain_id, some in health.items() for each in some}
    of = ("chain", "endpoint")
    asked = {k: e for k, e in flat.items() if e["errors"] or e["latency"] is not None}
    return [
        gauge(
            f"{who}_rpc_up",
            "1: answered last, 0: failed; absent: not asked yet",
            of,
            {k: float(e["ok"]) for k, e in asked.items()},
        ),
        gauge(f"{who}_rpc_errors", "Failed requests so far", of, {k: e["errors"] for k, e in flat.items()}),
        gauge(f"{who}_rpc_latency_seconds", "Of its last answer", of, {k: e["latency"] for k, e in flat.items()}),
        gauge(f"{who}_rpc_head_block", "Newest block it told", of, {k: e["head"] for k, e in flat.items()}),
    ]


def _head(chain_id: int, chains: Mapping[int, Chain], passes: Mapping[tuple[str, int], PassState]) -> int | None:
    """The newest block that this process or the one that looks has seen."""
    told = [each.head for each in chains[chain_id].health()]
    looking = passes.get(("index", chain_id))
    told += [each["head"] for each in (looking.endpoints if looking else None) or []]
    return max((head for head in told if head is not None), default=None)
