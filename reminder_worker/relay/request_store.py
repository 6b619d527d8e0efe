"""Wallets, budgets and requests in the database. Every function works in its caller's transaction.

Who reserves holds the wallet's row (`lock_wallet`). Wei are booked on the row of scope `global` alone, on the day (UTC)
on which the nonce was taken or the reservation last raised; counts on every scope, on the day the request came.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from reminder_worker.database.parameters import json_text
from reminder_worker.errors import RelayStopped
from reminder_worker.relay.caps import CapsLeft, limits_of, signers_nonce
from reminder_worker.relay.models import RelayAuthorization, RelayLane, RequestState, RequestView, WalletCaps
from reminder_worker.relay.queries import sql

Values = dict[str, Any]


async def lock_wallet(connection: AsyncConnection, chain_id: int, wallet: str) -> int:
    """The wallet's next nonce; its row is locked until the transaction ends. Raises `RelayStopped`."""
    row = (await connection.execute(sql["lock_wallet"], {"chain_id": chain_id, "wallet": wallet})).one_or_none()
    if row is None:
        raise RelayStopped("a wallet is not known yet", "not_reconciled")
    if row.stopped is not None:
        raise RelayStopped("a wallet is stopped", "stopped")
    return int(row.next_nonce)


async def read_room(
    connection: AsyncConnection, chain_id: int, wallet: str, caps: WalletCaps, asked: Sequence[RelayAuthorization]
) -> CapsLeft:
    """What is left of the caps for these requests. It holds while the caller holds the wallet's row."""
    row = (await connection.execute(sql["room"], room_values(chain_id, wallet, caps, asked))).one()
    return CapsLeft(
        caps=caps,
        day=row.day,
        seconds_left=row.seconds_left,
        open=row.open,
        owed=int(row.owed),
        used_wei=int(row.used_wei),
        spent_wei=int(row.spent_wei),
        queue=row.queue,
        counts=Counter({(scope, subject): requests for scope, subject, requests in row.counts or ()}),
        known={bytes.fromhex(digest): UUID(id) for digest, id in row.known or ()},
        nonces={(router, signer, int(nonce)) for router, signer, nonce in row.nonces or ()},
    )


async def add(
    connection: AsyncConnection,
    chain_id: int,
    wallet: str,
    room: CapsLeft,
    requests: Sequence[Mapping[str, Any]],
    signed: Sequence[Mapping[str, Any]],
) -> dict[UUID, RequestView]:
    """New requests, the slots and bytes of those that are signed, and what was taken of the room."""
    if not requests:
        return {}
    counted = [
        {"scope": scope, "subject": subject, "requests": count, "wei": str(room.wei if scope == "global" else 0)}
        for (scope, subject), count in room.taken.items()
    ]
    values = {**_written(chain_id, wallet, room.day, counted, signed), "requests": json_text(requests)}
    rows = (await connection.execute(sql["add"], values)).all()
    return {row.id: read_view(row) for row in rows}


async def start(
    connection: AsyncConnection, chain_id: int, wallet: str, day: date, signed: Sequence[Mapping[str, Any]]
) -> None:
    """Slots for requests that wait, which were counted when they came."""
    wei = sum(int(row["wei"]) for row in signed)
    counted = [{"scope": "global", "subject": "", "requests": 0, "wei": str(wei)}]
    await connection.execute(sql["start"], _written(chain_id, wallet, day, counted, signed))


def _written(
    chain_id: int, wallet: str, day: date, counted: Sequence[Mapping[str, Any]], signed: Sequence[Mapping[str, Any]]
) -> Values:
    return {
        "chain_id": chain_id,
        "wallet": wallet,
        "day": day,
        "counted": json_text(counted),
        "signed": json_text(signed),
    }


async def raise_reservation(
    connection: AsyncConnection, chain_id: int, wallet: str, nonce: int, wei: int, daily_wei: int
) -> bool:
    """Before a replacement that may cost `wei`. The caller holds the wallet's row. False: today's cap has no room.

    It moves to today's budget, so that a slot of yesterday does not wait for a day that is over.
    """
    key = {"chain_id": chain_id, "wallet": wallet, "nonce": nonce}
    reserved = await connection.scalar(sql["slot_reservation"], key)
    if reserved is None:
        return False
    if int(reserved) >= wei:
        return True
    return bool(await connection.scalar(sql["raise_reservation"], {**key, "wei": wei, "daily_wei": daily_wei}))


async def view(connection: AsyncConnection, id: UUID) -> RequestView | None:
    row = (await connection.execute(sql["view"], {"id": id})).one_or_none()
    return None if row is None else read_view(row)


async def find(connection: AsyncConnection, chain_id: int, digest: bytes) -> RequestView | None:
    row = (await connection.execute(sql["find"], {"chain_id": chain_id, "digest": digest})).one_or_none()
    return None if row is None else read_view(row)


def request_row(authorization: RelayAuthorization, state: RequestState) -> Values:
    """Of a new request, but for its id, key and ciphertext."""
    return {
        "lane": authorization.lane.value,
        "digest": authorization.digest,
        "router": authorization.router,
        "subject_id": str(authorization.subject_id),
        "signer": authorization.signer,
        "creator": authorization.creator,
        "nonce": str(authorization.nonce),
        "deadline": authorization.deadline,
        "state": state.value,
        "gas_limit": authorization.gas_limit,
    }


def room_values(chain_id: int, wallet: str, caps: WalletCaps, asked: Sequence[RelayAuthorization]) -> Values:
    """What `ROOM` asks for."""
    scopes = list({scope for each in asked for scope, _ in limits_of(each, caps)})
    nonces = list({signers_nonce(each) for each in asked})
    return {
        "chain_id": chain_id,
        "wallet": wallet,
        "scopes": [scope for scope, _ in scopes],
        "subjects": [subject for _, subject in scopes],
        "digests": [each.digest for each in asked],
        "routers": [router for router, _, _ in nonces],
        "signers": [signer for _, signer, _ in nonces],
        "nonces": [nonce for _, _, nonce in nonces],
    }


def read_view(row: Row[Any]) -> RequestView:
    values: dict[str, Any] = dict(row._mapping)
    return RequestView(**{**values, "lane": RelayLane(row.lane), "state": RequestState(row.state)})
