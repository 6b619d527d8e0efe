"""Re-encryption of rows under the current master key, in batches, while the service runs."""

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import structlog
from sqlalchemy import ARRAY, Column, ColumnElement, Row, Table, Update, bindparam, cast, func, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.database.engine import through_deadlocks
from reminder_worker.database.queries import count_rows
from reminder_worker.errors import DecryptionFailed
from reminder_worker.privacy.vault import RecordKey, Vault

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SealedTable:
    """Encrypted table with a key per row, and the ledger that keeps undecided bodies under the same key.

    `key`: the columns of the primary key, present in the ledger, too. `context(column, *key)` and `body_context(id)`
    bind a ciphertext to its place.

    `optional`: columns that may be empty, or be left under an earlier key of the row by a release that does not know
    them. Such a rest, which nobody can read, becomes empty.
    """

    table: Table
    key: tuple[str, ...]
    columns: tuple[str, ...]
    context: Callable[..., str]
    ledger: Table
    body_context: Callable[[UUID], str]
    optional: tuple[str, ...] = ()


async def count_rows_of_other_keys(
    engine: AsyncEngine, table: Table, key_ids: Collection[str], *conditions: ColumnElement[bool]
) -> int:
    """Count the rows that are encrypted under none of these keys. Reads the whole table."""
    return await count_rows(engine, table, table.c.key_id.not_in(list(key_ids)), *conditions)


async def rotate_keys(engine: AsyncEngine, vault: Vault, sealed: SealedTable, batch: int = 500) -> AsyncIterator[int]:
    """Yield the number of rows of each batch until no row of an older key is left.

    Rows are locked in the order of their key, as by writes; bodies of undecided emails are encrypted again, too. Raises
    `DecryptionFailed` for a missing key or a damaged row, which the log names.
    """
    at = [sealed.table.c[name] for name in sealed.key]
    older = select(sealed.table).where(sealed.table.c.key_id != vault.key_id).order_by(*at).limit(batch)
    after: tuple[Any, ...] | None = None

    async def rotate_batch() -> list[tuple[Any, ...]]:
        wanted = older if after is None else older.where(tuple_(*at) > after)
        async with engine.begin() as connection:
            rows = (await connection.execute(wanted.with_for_update())).all()
            return await _reseal_rows(connection, vault, sealed, rows) if rows else []

    while True:
        done = await through_deadlocks(rotate_batch)  # a gift's registration locks these rows in another order
        if done:
            yield len(done)
        elif after is None:
            return
        # Start again at the end: a process with the old key may have written meanwhile.
        after = done[-1] if done else None


async def _reseal_rows(
    connection: AsyncConnection, vault: Vault, sealed: SealedTable, rows: Sequence[Row[Any]]
) -> list[tuple[Any, ...]]:
    """Encrypt rows again and return their keys in order."""
    keys = {tuple(getattr(row, name) for name in sealed.key): (row, vault.record_key()) for row in rows}
    changes = []
    for at, (row, new) in keys.items():
        try:
            anew = _reseal_row(vault, sealed, at, row, new)
        except DecryptionFailed:
            log.error("row_not_decryptable", table=sealed.table.name, row=at)
            raise
        where = dict(zip(sealed.key, at, strict=True))
        changes.append({**where, "key_id": new.key_id, "salt": new.salt, **anew})
    await connection.execute(*_update_together(sealed, changes))
    ledger, of = sealed.ledger, [sealed.ledger.c[name] for name in sealed.key]
    bodies = select(ledger).where(tuple_(*of).in_(list(keys)), ledger.c.body.is_not(None))
    for entry in await connection.execute(bodies.order_by(ledger.c.id).with_for_update()):
        row, new = keys[tuple(getattr(entry, name) for name in sealed.key)]
        if entry.body_salt == row.salt:  # a body under another salt is never posted again
            context = sealed.body_context(entry.id)
            body = new.seal(vault.record_key(row.salt, row.key_id).open(entry.body, context), context)
            anew = {"body": body, "body_salt": new.salt}
            await connection.execute(update(ledger).where(ledger.c.id == entry.id).values(**anew))
    return list(keys)


def _update_together(sealed: SealedTable, changes: Sequence[dict[str, Any]]) -> tuple[Update, dict[str, list[Any]]]:
    """Return one statement for all rows, and its parameters: an array of each column."""
    columns = [sealed.table.c[name] for name in changes[0]]
    arrays = [cast(bindparam(f"all_{column.name}"), ARRAY(column.type)) for column in columns]
    anew = func.unnest(*arrays).table_valued(*[Column(each.name, each.type) for each in columns], name="anew")
    anew = anew.render_derived()
    here = [sealed.table.c[name] == anew.c[name] for name in sealed.key]
    changed = {column: anew.c[column.name] for column in columns if column.name not in sealed.key}
    values = {f"all_{column.name}": [change[column.name] for change in changes] for column in columns}
    return update(sealed.table).where(*here).values(changed), values


def _reseal_row(
    vault: Vault, sealed: SealedTable, at: tuple[Any, ...], row: Row[Any], new: RecordKey
) -> dict[str, bytes | None]:
    old = vault.record_key(row.salt, row.key_id)
    anew: dict[str, bytes | None] = {}
    for column in (*sealed.columns, *sealed.optional):  # a key that is missing fails at the first
        value, context = getattr(row, column), sealed.context(column, *at)
        try:
            anew[column] = None if value is None else new.seal(old.open(value, context), context)
        except DecryptionFailed:
            if column not in sealed.optional:
                raise
            anew[column] = None
    return anew
