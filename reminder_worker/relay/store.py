"""Wallets, budgets and requests in the database. Every function works in its caller's transaction.

Who reserves holds the wallet's row (`lock_wallet`). Wei are booked on the row of scope `global` alone, on the day (UTC)
on which the nonce was taken or the reservation last raised; counts on every scope, on the day the request came.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from reminder_worker.errors import LimitReached, RelayStopped
from reminder_worker.relay import statements as sql
from reminder_worker.relay.values import Authorization, Caps, Lane, RequestView, State

UNLIMITED: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Reserved:
    """`existing`: a request of this digest is there, and nothing was reserved. `come`: it may take a nonce now.

    `owed`: wei that open slots had reserved before. `nonce_taken`: an open request of the same signer has its nonce.
    """

    existing: UUID | None
    nonce_taken: bool
    come: bool
    day: date
    owed: int


async def lock_wallet(connection: AsyncConnection, chain_id: int, wallet: str) -> int:
    """The next nonce, whose row is now ours until the transaction ends. Raises `RelayStopped`."""
    row = (await connection.execute(sql.LOCK_WALLET, {"chain_id": chain_id, "wallet": wallet})).one_or_none()
    if row is None:
        raise RelayStopped("a wallet is not known yet", "not_reconciled")
    if row.stopped is not None:
        raise RelayStopped("a wallet is stopped", "stopped")
    return int(row.next_nonce)


async def reserve(
    connection: AsyncConnection, wallet: str, authorization: Authorization, caps: Caps, wei: int
) -> Reserved:
    """Count a new request, and reserve `wei` when its turn has come; 0: it waits. Raises `LimitReached`."""
    row = (await connection.execute(sql.RESERVE, reserve_values(authorization, wallet, caps, wei))).one()
    if row.existing is None and row.exhausted is not None:
        raise LimitReached(
            f"today's cap ({row.exhausted}) of sponsored transactions is used up", row.seconds_left, "daily_cap_reached"
        )
    return Reserved(row.existing, row.nonce_taken, row.come, row.day, int(row.owed))


async def reserve_wei(connection: AsyncConnection, chain_id: int, wallet: str, caps: Caps, wei: int) -> date | None:
    """For requests counted before: the day. None when there is no room for all of it."""
    values = {"chain_id": chain_id, "wallet": wallet, "wei": wei, "daily_wei": caps.daily_wei}
    day: date | None = await connection.scalar(sql.RESERVE_WEI, {**values, "max_open": caps.max_open})
    return day


async def raise_reservation(
    connection: AsyncConnection, chain_id: int, wallet: str, nonce: int, wei: int, daily_wei: int
) -> bool:
    """Before a replacement that may cost `wei`. The caller holds the wallet's row. False: today's cap has no room.

    It moves to today's budget, so that a slot of yesterday does not wait for a day that is over.
    """
    key = {"chain_id": chain_id, "wallet": wallet, "nonce": nonce}
    reserved = await connection.scalar(sql.SLOT_RESERVATION, key)
    if reserved is None:
        return False
    if int(reserved) >= wei:
        return True
    return bool(await connection.scalar(sql.RAISE_RESERVATION, {**key, "wei": wei, "daily_wei": daily_wei}))


async def view(connection: AsyncConnection, id: UUID) -> RequestView | None:
    return read_view((await connection.execute(sql.VIEW, {"id": id})).one_or_none())


async def find(connection: AsyncConnection, chain_id: int, digest: bytes) -> RequestView | None:
    values = {"chain_id": chain_id, "digest": digest}
    return read_view((await connection.execute(sql.FIND, values)).one_or_none())


def request_row(authorization: Authorization, wallet: str, state: State) -> dict[str, Any]:
    """The row of a new request but for its id, key and ciphertext."""
    return {
        "chain_id": authorization.chain_id,
        "wallet": wallet,
        "lane": authorization.lane.value,
        "digest": authorization.digest,
        "router": authorization.router,
        "subject_id": authorization.subject_id,
        "signer": authorization.signer,
        "creator": authorization.creator,
        "signer_nonce": authorization.nonce,
        "deadline": authorization.deadline,
        "state": state.value,
        "gas_limit": authorization.gas_limit,
        "tx_hash": None,
    }


def reserve_values(authorization: Authorization, wallet: str, caps: Caps, wei: int) -> dict[str, Any]:
    """What `RESERVE` asks for."""
    asked = _scopes(authorization, caps)
    return {
        "chain_id": authorization.chain_id,
        "wallet": wallet,
        "digest": authorization.digest,
        "router": authorization.router,
        "signer": authorization.signer,
        "signer_nonce": authorization.nonce,
        "one_of_a_nonce": authorization.lane is not Lane.AUTO_RENEW,
        "scopes": [scope for scope, _, _ in asked],
        "subjects": [subject for _, subject, _ in asked],
        "limits": [limit for _, _, limit in asked],
        "wei": wei,
        "daily_wei": caps.daily_wei,
        "max_open": caps.max_open,
    }


def read_view(row: Row[Any] | None) -> RequestView | None:
    if row is None:
        return None
    values: dict[str, Any] = dict(row._mapping)
    return RequestView(**{**values, "lane": Lane(row.lane), "state": State(row.state)})


def _scopes(authorization: Authorization, caps: Caps) -> Sequence[tuple[str, str, int]]:
    """Scope, subject and limit of each cap that a request counts against."""
    subject = f"{authorization.router}/{authorization.subject_id}"
    of_subject = (
        ("gift", subject, caps.per_gift)
        if authorization.lane is Lane.GIFT_WITHDRAW
        else ("legacy", subject, caps.per_legacy)
    )
    capped = (
        of_subject,
        ("signer", authorization.signer, caps.per_signer),
        ("creator", authorization.creator, caps.per_creator),
    )
    return [
        ("global", "", min(caps.daily_count, UNLIMITED)),
        *((scope, subject, limit) for scope, subject, limit in capped if limit is not None),
    ]
