"""Emails of gifts that only an operator can decide about."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncEngine

_STUCK = text("""
    select id, state, kind, chain_id, timelock_id, cast(extract(epoch from now() - created_at) as bigint) as age
    from worker.gift_ledger where state in ('held', 'dead') order by state, created_at
""")
_REQUEUE = text("""
    update worker.gift_ledger
    set state = 'queued', reason = null, tries = 0, rejections = 0, next_try = clock_timestamp(),
        claimed_at = null, settled_at = null
    where state = 'dead' and (cast(:ids as uuid[]) is null or id = any(cast(:ids as uuid[])))
""")


async def stuck_gifts(engine: AsyncEngine) -> Sequence[Row[Any]]:
    """id, state, kind, chain_id, timelock_id and age (seconds) of what is held or dead."""
    async with engine.connect() as connection:
        return (await connection.execute(_STUCK)).all()


async def requeue_gifts(engine: AsyncEngine, ids: Sequence[UUID] | None = None) -> int:
    """Dead emails back to the queue, all of them or those named; returns how many."""
    async with engine.begin() as connection:
        return (await connection.execute(_REQUEUE, {"ids": None if ids is None else list(ids)})).rowcount
