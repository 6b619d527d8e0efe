"""Emails to a giver who left an address: the gift was opened, an email to the recipient came back, or nobody opens it.

Each row is looked at once an hour, from the index and the ledger: that asks no node.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from reminder_worker.gifts.gift_reminders import DAY_SECONDS
from reminder_worker.gifts.tables import sql
from reminder_worker.outbox.messages import GiftKind, Language, to_datetime
from reminder_worker.privacy.vault import Vault

UNOPENED_SECONDS = 90 * DAY_SECONDS  # after the opening day


@dataclass(frozen=True, slots=True)
class GiverAddress:
    """Address and language of a giver, and the names as the giver wrote them. Stored encrypted, never shown."""

    email: str = field(repr=False)
    language: Language = field(repr=False)
    giver_name: str = field(repr=False)
    recipient_name: str = field(repr=False)


def make_giver_context(chain_id: int, timelock_id: int) -> str:
    """Return the place of a row's ciphertext."""
    return f"gift_giver.payload|{chain_id}|{timelock_id}"


async def save_giver(
    connection: AsyncConnection, vault: Vault, gift: Mapping[str, Any], address: GiverAddress, now: int
) -> None:
    """Save which giver to tell; nothing if day 90 is over. `gift`: ids, both hashes and what is pinned of the gift."""
    unopened_at = int(gift["unlock_time"]) + UNOPENED_SECONDS
    if unopened_at <= now:
        return
    key = vault.record_key()
    context = make_giver_context(gift["chain_id"], gift["timelock_id"])
    sealed = key.seal(msgspec.json.encode(asdict(address)), context)
    row = {**gift, "key_id": key.key_id, "salt": key.salt, "payload": sealed, "unopened_at": to_datetime(unopened_at)}
    await connection.execute(sql["save_giver"], row)
    # An entry that sends nothing: it remembers that the gift had this address.
    at = {name: gift[name] for name in ("chain_id", "timelock_id", "email_hash")}
    entry = {**at, "kind": GiftKind.GIVER_RETURNED.value, "expires_at": _find_expiry(gift["unlock_time"])}
    await connection.execute(sql["plan"], {**entry, "due": None, "day": None})
    await connection.execute(sql["not_wanted"], entry)


async def plan_giver_emails(connection: AsyncConnection, window: int) -> None:
    """Plan what has become true of at most 500 gifts. What a look over `window` seconds late finds is left out."""
    for row in (await connection.execute(sql["due_givers"])).all():
        at = {"chain_id": row.chain_id, "timelock_id": row.timelock_id}
        is_last = row.opened or row.unopened
        if row.late > window and is_last:
            await erase_givers(connection, {"chains": [row.chain_id], "timelocks": [row.timelock_id]})
            continue
        entry = {**at, "email_hash": row.email_hash, "expires_at": _find_expiry(row.unlock_time)}
        for kind in _list_news(row) if row.late <= window else ():
            await connection.execute(sql["plan"], {**entry, "kind": kind.value, "due": None, "day": None})
        await connection.execute(sql["move_giver"], {**at, "returned": row.returned, "last": is_last})


def _find_expiry(unlock_time: int) -> datetime:
    """Return until when the ledger remembers a giver's address. `unlock_time` in unix seconds."""
    return to_datetime(unlock_time + UNOPENED_SECONDS + 90 * DAY_SECONDS)  # 90 days, as other emails of gifts


def _list_news(row: Row[Any]) -> list[GiftKind]:
    """Return what the giver is to be told. An opened gift is the only news of it."""
    if row.opened:
        return [GiftKind.GIVER_OPENED]
    news = [GiftKind.GIVER_RETURNED] if row.returned else []
    return [*news, GiftKind.GIVER_UNOPENED] if row.unopened else news


async def erase_givers(connection: AsyncConnection, gifts: Mapping[str, Sequence[Any]]) -> int:
    """Delete the rows of these gifts. `gifts`: `chains` and `timelocks`, as in the statements."""
    return (await connection.execute(sql["delete_givers"], dict(gifts))).rowcount
