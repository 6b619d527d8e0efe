"""Promises of the counters that caps, cooldowns and rate limits rest on."""

import asyncio
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from api.clients import ClientAddresses, RateLimit
from reminder_worker.errors import LimitReached
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.quotas import QuotaCounters


class Clock:
    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock(1_700_000_030)


@pytest.fixture
def quotas(engine: AsyncEngine, clock: Clock) -> QuotaCounters:
    return QuotaCounters(engine, clock)


async def test_a_limit_holds_when_all_ask_at_once(quotas: QuotaCounters) -> None:
    async def ask() -> bool:
        try:
            await quotas.reserve_one(None, "test", "a", 5, 60)
        except LimitReached:
            return False
        return True

    assert sum(await asyncio.gather(*(ask() for _ in range(20)))) == 5


async def test_what_does_not_fit_uses_nothing_and_fits_at_the_end_of_the_window(
    quotas: QuotaCounters, clock: Clock
) -> None:
    await quotas.reserve_one(None, "test", "a", 5, 60, cost=4)
    with pytest.raises(LimitReached) as refused:
        await quotas.reserve_one(None, "test", "a", 5, 60, cost=2)
    await quotas.reserve_one(None, "test", "a", 5, 60, cost=1)
    clock.now += refused.value.retry_after
    await quotas.reserve_one(None, "test", "a", 5, 60, cost=5)


async def test_retry_after_is_of_the_window_that_was_full_also_at_its_very_end(
    quotas: QuotaCounters, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A window that ends during the request is not the next window: after midnight no client waits another day."""
    await quotas.reserve_one(None, "test", "a", 1, 60)
    clock.now = 1_700_000_039  # the last second of its minute
    _asking_takes(1, quotas, clock, monkeypatch)
    with pytest.raises(LimitReached) as refused:
        await quotas.reserve_one(None, "test", "a", 1, 60)
    assert refused.value.retry_after == 1


@pytest.mark.parametrize(("limit", "seconds"), [(10, 3600), (60, 3600), (60, 60), (1000, 60)])
async def test_restarts_and_replicas_use_up_no_clients_limit(quotas: QuotaCounters, limit: int, seconds: int) -> None:
    """Every request reaches a new process: as many as the limit pass, and no more."""

    async def count() -> None:
        process = RateLimit(ClientAddresses((), KeyedHash(b"h" * 32)), quotas, limit, "test", seconds)
        await process.count({"type": "http", "client": ("203.0.113.9", 1), "headers": []})  # type: ignore[arg-type]

    for _ in range(limit):
        await count()
    with pytest.raises(LimitReached):
        await count()


@pytest.mark.parametrize(("limit", "seconds"), [(60, 3600), (6000, 60)])
async def test_a_process_that_ends_takes_little_with_it(quotas: QuotaCounters, limit: int, seconds: int) -> None:
    """Two processes that share a limit lose at most six seconds of its requests."""

    def scope() -> Any:
        return {"type": "http", "client": ("203.0.113.9", 1), "headers": []}

    async def used(most: int) -> int:
        process = RateLimit(ClientAddresses((), KeyedHash(b"h" * 32)), quotas, limit, "test", seconds)
        for number in range(most):
            try:
                await process.count(scope())
            except LimitReached:
                return number
        return most

    assert await used(limit // 2 + 1) + await used(limit) >= limit - limit * 6 // seconds


def _asking_takes(seconds: float, quotas: QuotaCounters, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    ask = quotas.reserve_many

    async def slowly(*asked: Any) -> frozenset[str]:
        found = await ask(*asked)
        clock.now += seconds
        return found

    monkeypatch.setattr(quotas, "reserve_many", slowly)


async def test_many_subjects_are_admitted_each_by_its_own_count(quotas: QuotaCounters) -> None:
    await quotas.reserve_one(None, "test", "full", 2, 60, cost=2)
    assert await quotas.reserve_many(None, "test", {"full": 1, "free": 2, "greedy": 3}, 2, 60) == {"free"}


@pytest.mark.parametrize("later", [60, -60])
async def test_what_is_given_back_is_of_the_window_in_which_it_was_taken(
    quotas: QuotaCounters, clock: Clock, later: int
) -> None:
    """Also over midnight, and by a clock that is put back: one more than the limit would fit there."""
    taken_at = clock.now
    await quotas.reserve_one(None, "test", "a", 1, 60)
    clock.now += later
    await quotas.reserve_one(None, "test", "a", 1, 60)
    await quotas.refund_one("test", "a", 60, taken_at)
    with pytest.raises(LimitReached):
        await quotas.reserve_one(None, "test", "a", 1, 60)
    clock.now = taken_at
    await quotas.reserve_one(None, "test", "a", 1, 60)


async def test_a_rolled_back_transaction_used_nothing(quotas: QuotaCounters, engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        await quotas.reserve_one(connection, "test", "a", 1, 60)
        await quotas.start_cooldown(connection, "cool", "a", 60)
        await connection.rollback()
    await quotas.reserve_one(None, "test", "a", 1, 60)
    await quotas.start_cooldown(None, "cool", "a", 60)


async def test_a_cooldown_runs_from_the_last_grant_and_says_when_it_ends(quotas: QuotaCounters, clock: Clock) -> None:
    await quotas.start_cooldown(None, "cool", "a", 100)
    clock.now += 40
    with pytest.raises(LimitReached) as refused:
        await quotas.start_cooldown(None, "cool", "a", 100)
    assert (refused.value.retry_after, refused.value.code) == (60, "cooldown")
    clock.now += 60
    await quotas.start_cooldown(None, "cool", "a", 100)
