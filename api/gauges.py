"""Gauges read at a scrape: what the passes left in the database, and the RPC endpoints of this process."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
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
    heads = {chain_id: _head(chain) for chain_id, chain in chains.items()}
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
        gauge("reader_lag_blocks", "Behind the newest block this process has seen", of_reader, lags),
    ]


def endpoint_gauges(chains: Mapping[int, Chain]) -> list[GaugeMetricFamily]:
    """As this process sees them; an endpoint is named by position and host, its address holds a key."""
    health = {(chain_id, each.name): each for chain_id, chain in chains.items() for each in chain.health()}
    of = ("chain", "endpoint")
    return [
        gauge("rpc_up", "1: in use, 0: resting", of, {k: float(e.ok) for k, e in health.items()}),
        gauge("rpc_errors", "Failed requests so far", of, {k: e.errors for k, e in health.items()}),
        gauge("rpc_latency_seconds", "Of the last answer", of, {k: e.latency for k, e in health.items()}),
        gauge("rpc_head_block", "Newest block it told", of, {k: e.head for k, e in health.items()}),
    ]


def _head(chain: Chain) -> int | None:
    return max((each.head for each in chain.health() if each.head is not None), default=None)
