"""Gift notifications from an old master key to the current one, in batches, while everything goes on."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.database.engine import through_deadlocks
from reminder_worker.gifts.gift_mail import body_context
from reminder_worker.gifts.notifications import payload_context
from reminder_worker.privacy.vault import Vault

BATCH = 200

_OLD = text("""
    select chain_id, timelock_id, key_id, salt, payload, email_hash from worker.gift_notification
    where key_id <> :key_id
    order by chain_id, timelock_id limit :limit
    for update
""")
_RESEAL = text("""
    update worker.gift_notification set key_id = :key_id, salt = :salt, payload = :payload
    where chain_id = :chain_id and timelock_id = :timelock_id
""")
_BODIES = text("""
    select id, body from worker.gift_ledger
    where chain_id = :chain_id and timelock_id = :timelock_id and body_salt = :salt and body is not null
    for update
""")
_RESEAL_BODY = text("update worker.gift_ledger set body = :body, body_salt = :salt where id = :id")


async def rotate_gifts(engine: AsyncEngine, vault: Vault) -> AsyncIterator[int]:
    """Yields how many rows each batch re-encrypted; ends when none of an old key is left."""

    async def batch() -> int:
        async with engine.begin() as connection:
            rows = (await connection.execute(_OLD, {"key_id": vault.key_id, "limit": BATCH})).all()
            for row in rows:
                await _reseal(connection, vault, row)
            return len(rows)

    while count := await through_deadlocks(batch):  # a registration locks the same rows the other way round
        yield count


async def _reseal(connection: AsyncConnection, vault: Vault, row: Row[Any]) -> None:
    """The row and the undecided bodies under its key; one under another salt can only be asked about anyway."""
    at = {"chain_id": row.chain_id, "timelock_id": row.timelock_id}
    old, new = vault.record(row.salt, row.key_id), vault.record()
    context = payload_context(**at)
    payload = new.seal(old.open(row.payload, context), context)
    await connection.execute(_RESEAL, {**at, "key_id": new.key_id, "salt": new.salt, "payload": payload})
    bodies: Sequence[Row[Any]] = (await connection.execute(_BODIES, {**at, "salt": row.salt})).all()
    for entry in bodies:
        body = new.seal(old.open(entry.body, body_context(entry.id)), body_context(entry.id))
        await connection.execute(_RESEAL_BODY, {"id": entry.id, "body": body, "salt": new.salt})
