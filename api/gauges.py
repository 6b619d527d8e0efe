"""Gauges read at a scrape: what the passes left in the database, and the RPC endpoints of both sides."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker import operations
from reminder_worker.chain.client import Chain
from reminder_worker.database.tables import sent_ledger


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


async def email_gauges(engine: AsyncEngine) -> list[GaugeMetricFamily]:
    sends: Counter[tuple[object, ...]] = Counter()
    for day in await operations.sends_per_day(engine, days=1):
        sends[day.kind, day.state] += day.count
    undecided: Counter[tuple[object, ...]] = Counter()
    for email in await operations.undecided_emails(engine):
        undecided[email.chain_id, email.kind, email.state] += email.count
    waiting = await operations.waiting_emails(engine)
    return [
        gauge("emails_settled_last_day", "Emails settled in the last 24 hours", ("kind", "state"), sends),
        gauge("emails_due", "Emails to be tried now", (), {(): waiting.due}),
        gauge("emails_later", "Emails to be tried later", (), {(): waiting.later}),
        gauge("emails_in_flight", "Emails claimed by a dispatcher", (), {(): waiting.in_flight}),
        gauge("emails_oldest_waiting_seconds", "Age of the oldest to be tried", (), {(): await _oldest(engine)}),
        gauge("emails_undecided", "Emails unknown, held or dead", ("chain", "kind", "state"), undecided),
    ]


async def _oldest(engine: AsyncEngine) -> float:
    age = func.extract("epoch", func.clock_timestamp() - func.min(sent_ledger.c.created_at))
    async with engine.connect() as connection:
        found = await connection.scalar(select(age).where(sent_ledger.c.state.in_(operations.WAITING_STATES)))
    return float(found or 0)


async def pass_gauges(engine: AsyncEngine, chains: Mapping[int, Chain]) -> list[GaugeMetricFamily]:
    signals = {(s.chain_id, s.kind): s for s in await operations.unsettled_signals(engine)}
    passes = {(p.name, p.chain_id): p for p in await operations.pass_states(engine)}
    readers = {(r.chain_id, r.name): r for r in await operations.positions(engine)}
    heads = {chain_id: _head(chain_id, chains, passes) for chain_id in chains}
    lags = {key: max(0, head - r.block_number) for key, r in readers.items() if (head := heads.get(r.chain_id))}
    of_signal, of_pass, of_reader = ("chain", "kind"), ("pass", "chain"), ("chain", "reader")
    return [
        gauge("signals_new", "Signals not planned yet", of_signal, {k: s.count for k, s in signals.items()}),
        gauge("signals_oldest_seconds", "Age of the oldest", of_signal, {k: s.oldest for k, s in signals.items()}),
        gauge("pass_look_age_seconds", "Since a look", of_pass, {k: p.checked_age for k, p in passes.items()}),
        gauge("pass_success_age_seconds", "Since success", of_pass, {k: p.succeeded_age for k, p in passes.items()}),
        gauge("pass_failing", "1: the last try failed", of_pass, {k: float(bool(p.error)) for k, p in passes.items()}),
        gauge("reader_block", "Last block read", of_reader, {k: r.block_number for k, r in readers.items()}),
        gauge("reader_age_seconds", "Since its cursor moved", of_reader, {k: r.age for k, r in readers.items()}),
        gauge("reader_lag_blocks", "Behind the newest block that was seen", of_reader, lags),
    ]


async def endpoint_gauges(engine: AsyncEngine) -> list[GaugeMetricFamily]:
    """Of the passes, by the process that looks; an endpoint is named by position and host, its address holds a key."""
    states = [each for each in await operations.pass_states(engine) if each.name == "index"]
    return _endpoints("passes", {each.chain_id: each.endpoints or [] for each in states})


def own_endpoint_gauges(chains: Mapping[int, Chain]) -> list[GaugeMetricFamily]:
    """As this process sees them."""
    return _endpoints("api", {id: [asdict(each) for each in chain.health()] for id, chain in chains.items()})


def _endpoints(who: str, health: Mapping[int, Sequence[Mapping[str, Any]]]) -> list[GaugeMetricFamily]:
    flat = {(chain_id, each["name"]): each for chain_id, some in health.items() for each in some}
    of = ("chain", "endpoint")
    return [
        gauge(f"{who}_rpc_up", "1: in use, 0: resting", of, {k: float(e["ok"]) for k, e in flat.items()}),
        gauge(f"{who}_rpc_errors", "Failed requests so far", of, {k: e["errors"] for k, e in flat.items()}),
        gauge(f"{who}_rpc_latency_seconds", "Of the last answer", of, {k: e["latency"] for k, e in flat.items()}),
        gauge(f"{who}_rpc_head_block", "Newest block it told", of, {k: e["head"] for k, e in flat.items()}),
    ]


def _head(
    chain_id: int, chains: Mapping[int, Chain], passes: Mapping[tuple[str, int], operations.PassState]
) -> int | None:
    """The newest block that this process or the one that looks has seen."""
    told = [each.head for each in chains[chain_id].health()]
    looking = passes.get(("index", chain_id))
    told += [each["head"] for each in (looking.endpoints if looking else None) or []]
    return max((head for head in told if head is not None), default=None)
