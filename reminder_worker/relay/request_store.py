"""Requests in the database. Every function works in its caller's transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from reminder_worker.errors import DecryptionFailed
from reminder_worker.privacy.vault import Vault
from reminder_worker.relay.authorizations import SignedCall
from reminder_worker.relay.models import RelayAuthorization, RelayLane, RequestState, RequestView, call_context
from reminder_worker.relay.tables import sql


@dataclass(frozen=True, slots=True)
class SignerRequests:
    """Stored requests of a signer. `repeated`: the request of the same digest. `open_nonces`: at the same router."""

    repeated: RequestView | None
    is_paused: bool
    open_nonces: frozenset[int]


@dataclass(frozen=True, slots=True)
class StoredRequest:
    """An open request as stored. `nonce` is the signer's, `created_at` in unix seconds, `age` in seconds since then,
    `reason` why it waits."""

    id: UUID
    lane: RelayLane
    digest: bytes
    router: str
    subject_id: int
    signer: str
    nonce: int
    deadline: int
    state: RequestState
    reason: str | None
    created_at: float
    age: float
    key_id: str = field(repr=False)
    salt: bytes = field(repr=False)

    @property
    def signer_key(self) -> tuple[str, str]:
        """Router and signer: the owner of the nonce."""
        return (self.router, self.signer)


async def find_by_id(connection: AsyncConnection, id: UUID) -> RequestView | None:
    row = (await connection.execute(sql["view"], {"id": id})).one_or_none()
    return None if row is None else to_view(row)


async def find_by_digest(connection: AsyncConnection, chain_id: int, digest: bytes) -> RequestView | None:
    row = (await connection.execute(sql["find"], {"chain_id": chain_id, "digest": digest})).one_or_none()
    return None if row is None else to_view(row)


async def read_signer(connection: AsyncConnection, wallet: str, call: SignedCall) -> SignerRequests:
    """Read what is stored of the signer of this call, before the chain is asked."""
    request = call.request
    chain_id, router, signer = request.chain_id, request.router, request.signer
    return SignerRequests(
        repeated=await find_by_digest(connection, chain_id, call.digest),
        is_paused=await is_paused(connection, chain_id, signer),
        open_nonces=frozenset(await read_open_nonces(connection, chain_id, wallet, router, signer)),
    )


async def read_open_nonces(
    connection: AsyncConnection, chain_id: int, wallet: str, router: str, signer: str
) -> list[int]:
    """Return the signer's nonces, at the router, of the wallet's open requests, in order."""
    values = {"chain_id": chain_id, "wallet": wallet, "router": router, "signer": signer}
    return [int(nonce) for nonce in (await connection.execute(sql["open_nonces"], values)).scalars()]


async def is_paused(connection: AsyncConnection, chain_id: int, signer: str) -> bool:
    """Return whether a request of this signer reverted on chain today (UTC)."""
    return bool(await connection.scalar(sql["paused"], {"signer": pause_subject(chain_id, signer)}))


async def read_waiting(connection: AsyncConnection, chain_id: int, wallet: str, limit: int) -> list[StoredRequest]:
    """Return requests without a slot, the nearest deadline first."""
    rows = await connection.execute(sql["waiting"], {"chain_id": chain_id, "wallet": wallet, "limit": limit})
    return [to_stored_request(row) for row in rows]


async def end_waiting(
    connection: AsyncConnection, chain_id: int, wallet: str, request: StoredRequest, state: str
) -> bool:
    """End a request without a slot. False: the request got a slot, or ended, since it was read."""
    await connection.execute(sql["lock_wallet"], {"chain_id": chain_id, "wallet": wallet})
    ended = await connection.execute(sql["end_request"], {"id": request.id, "state": state})
    return bool(ended.rowcount)


async def read_own_nonces(connection: AsyncConnection, chain_id: int, tx_hashes: Sequence[str]) -> dict[str, int]:
    """Return, for those of the transactions that are ours, the nonce of the signer's authorization."""
    rows = await connection.execute(sql["own_transactions"], {"chain_id": chain_id, "tx_hashes": list(tx_hashes)})
    return {row.tx_hash: int(row.signer_nonce) for row in rows}


async def read_call(connection: AsyncConnection, vault: Vault, request: StoredRequest) -> bytes:
    """Return the router call of a request. Raises `DecryptionFailed`, also for a request that has ended meanwhile."""
    sealed = await connection.scalar(sql["call_data"], {"id": request.id})
    if sealed is None:
        raise DecryptionFailed("a request that has ended has no call any more")
    return vault.record(request.salt, request.key_id).open(sealed, call_context(request.id))


def request_row(authorization: RelayAuthorization, state: RequestState) -> dict[str, Any]:
    """Return the row of a new request, without its id, key and ciphertext."""
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


def pause_subject(chain_id: int, signer: str) -> str:
    """Return the subject of a signer's pause in the table of quotas; `to_start` builds the same."""
    return f"{chain_id}:{signer}"


def to_view(row: Row[Any]) -> RequestView:
    values: dict[str, Any] = dict(row._mapping)
    return RequestView(**{**values, "lane": RelayLane(row.lane), "state": RequestState(row.state)})


def to_stored_request(row: Row[Any]) -> StoredRequest:
    return StoredRequest(
        id=row.id,
        lane=RelayLane(row.lane),
        digest=bytes(row.digest),
        router=row.router,
        subject_id=int(row.subject_id),
        signer=row.signer,
        nonce=int(row.signer_nonce),
        deadline=row.deadline,
        state=RequestState(row.request_state),
        reason=row.reason,
        created_at=row.created_at,
        age=row.waited,
        key_id=row.key_id,
        salt=row.salt,
    )
