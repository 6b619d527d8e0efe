"""How a row of `recipient` is encrypted, and how rows move to a new master key while the service runs."""

from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Row, bindparam, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.database.tables import recipient, sent_ledger
from reminder_worker.privacy.vault import RecordKey, Vault
from reminder_worker.reminders.recipient_set import Recipient


def context(column: str, chain_id: int, legacy: str, address: str) -> str:
    """Where a ciphertext of `recipient` belongs: bound to it as associated data."""
    return f"recipient.{column}|{chain_id}|{legacy}|{address}"


def body_context(ledger_id: UUID) -> str:
    """Where the stored body of an undecided send belongs; it is sealed with the recipient row's key."""
    return f"sent_ledger.body|{ledger_id}"


def seal_row(key: RecordKey, at: tuple[int, str, str], email: bytes, name: bytes) -> dict[str, Any]:
    """The encrypted columns of the row `at` (chain, legacy, recipient)."""
    return {
        "key_id": key.key_id,
        "salt": key.salt,
        "email": key.seal(email, context("email", *at)),
        "name": key.seal(name, context("name", *at)),
    }


def open_row(vault: Vault, row: Row[Any]) -> Recipient:
    """Decrypt a row of `recipient`, in memory only. Raises DecryptionFailed."""
    key = vault.record(row.salt, row.key_id)
    at = (row.chain_id, row.legacy, row.recipient)
    email, name = key.open(row.email, context("email", *at)), key.open(row.name, context("name", *at))
    return Recipient(row.recipient, row.role, email.decode(), name.decode())


async def rotate(engine: AsyncEngine, vault: Vault, batch: int = 500) -> AsyncIterator[int]:
    """Re-encrypt rows of older master keys under the current one while the service runs; yields rows per batch.

    Rows are locked in the order of their key, as writes do. Bodies of undecided sends are sealed with their
    recipient row's key and move along. Raises DecryptionFailed when an old key is missing.
    """
    at = (recipient.c.chain_id, recipient.c.legacy, recipient.c.recipient)
    older = select(recipient).where(recipient.c.key_id != vault.key_id).order_by(*at).limit(batch).with_for_update()
    after: tuple[int, str, str] | None = None
    while True:
        async with engine.begin() as conn:
            rows = (await conn.execute(older if after is None else older.where(tuple_(*at) > after))).all()
            if rows:
                await _reseal(conn, vault, rows)
        if rows:
            after = (rows[-1].chain_id, rows[-1].legacy, rows[-1].recipient)
            yield len(rows)
        elif after is None:
            return
        else:
            after = None  # once more from the start: a process with the old key may have written behind us


async def _reseal(conn: AsyncConnection, vault: Vault, rows: Sequence[Row[Any]]) -> None:
    keys = {(row.chain_id, row.legacy, row.recipient): (row, vault.record()) for row in rows}
    changes = []
    for at, (row, new) in keys.items():
        old = vault.record(row.salt, row.key_id)
        email, name = old.open(row.email, context("email", *at)), old.open(row.name, context("name", *at))
        chain_id, legacy, address = at
        changes.append(
            {"b_chain": chain_id, "b_legacy": legacy, "b_recipient": address, **seal_row(new, at, email, name)}
        )
    await conn.execute(
        update(recipient).where(
            recipient.c.chain_id == bindparam("b_chain"),
            recipient.c.legacy == bindparam("b_legacy"),
            recipient.c.recipient == bindparam("b_recipient"),
        ),
        changes,
    )
    of = (sent_ledger.c.chain_id, sent_ledger.c.legacy, sent_ledger.c.recipient)
    bodies = select(sent_ledger.c.id, *of, sent_ledger.c.body, sent_ledger.c.body_salt).where(
        tuple_(*of).in_(list(keys)), sent_ledger.c.body.is_not(None)
    )
    for entry in await conn.execute(bodies.order_by(sent_ledger.c.id).with_for_update()):
        row, new = keys[(entry.chain_id, entry.legacy, entry.recipient)]
        if entry.body_salt == row.salt:
            body = vault.record(row.salt, row.key_id).open(entry.body, body_context(entry.id))
            await conn.execute(
                update(sent_ledger)
                .where(sent_ledger.c.id == entry.id)
                .values(body=new.seal(body, body_context(entry.id)), body_salt=new.salt)
            )
