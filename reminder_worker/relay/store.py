"""Store of requests, wallets, budgets and nonce slots. Every function works in its caller's transaction.

The wallet's row is the only lock: a transaction that takes nonces, changes budgets or moves slots holds it from its
first statement on. Reconcilers and admissions follow one another, and the later transaction finds changed rows.

Wei are booked on the budget row of scope `global` alone, on the day (UTC) on which the nonce was taken or the
reservation last raised. Counts are booked on every scope, on the day the request came.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from reminder_worker.errors import DecryptionFailed, RelayStopped
from reminder_worker.privacy.vault import RecordKey, Vault
from reminder_worker.relay.authorizations import SignedCall
from reminder_worker.relay.budget import CountLimit, list_scopes
from reminder_worker.relay.models import (
    FAILED_ON_CHAIN,
    OPEN_STATES,
    RelayAuthorization,
    RelayLane,
    RequestState,
    RequestView,
    call_context,
)
from reminder_worker.relay.state_machine import MinedAttempt, NonceSlot, StoredAttempt
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


@dataclass(frozen=True, slots=True)
class OpenSlot:
    """A slot that is not final, with its request. `reserved` in wei."""

    slot: NonceSlot
    request: StoredRequest
    reserved: int


@dataclass(frozen=True, slots=True)
class RequestEnding:
    """Next state of a request whose slot ends; with `queued` it gets a slot again. `paused`: pause its signer today."""

    state: RequestState
    reason: str | None = None
    paused: bool = False


# -- nonces and caps ----------------------------------------------------------------------------


async def lock_wallet(connection: AsyncConnection, chain_id: int, wallet: str) -> None:
    """Lock the wallet's row until the transaction ends. Raises `RelayStopped`."""
    row = (await connection.execute(sql["lock_wallet"], {"chain_id": chain_id, "wallet": wallet})).one_or_none()
    if row is None:
        raise RelayStopped("a wallet is not known yet", "not_reconciled")
    if row.stopped is not None:
        raise RelayStopped("a wallet is stopped", "stopped")


async def add_request(
    connection: AsyncConnection,
    row_key: Mapping[str, Any],
    id: UUID,
    key: RecordKey,
    authorization: RelayAuthorization,
    state: RequestState,
    day: date,
    limits: Sequence[CountLimit],
) -> RequestView:
    """Store a new request with its call sealed by `key`, and count it on the scopes of these limits."""
    values = {
        **row_key,
        **list_scopes(limits),
        "day": day,
        "id": id,
        "lane": authorization.lane.value,
        "digest": authorization.digest,
        "router": authorization.router,
        "subject_id": authorization.subject_id,
        "signer": authorization.signer,
        "creator": authorization.creator,
        "nonce": authorization.nonce,
        "deadline": authorization.deadline,
        "state": state.value,
        "gas_limit": authorization.gas_limit,
        "key_id": key.key_id,
        "salt": key.salt,
        "call_data": key.seal(authorization.call_data, call_context(id)),
    }
    return to_view((await connection.execute(sql["add_request"], values)).one())


async def find_rivals(
    connection: AsyncConnection, row_key: Mapping[str, Any], authorization: RelayAuthorization
) -> tuple[RequestView | None, bool]:
    """Return the stored request of this authorization, and whether an open request of its signer has its nonce."""
    signer = {"router": authorization.router, "signer": authorization.signer, "nonce": authorization.nonce}
    rows = await connection.execute(sql["rivals"], {**row_key, **signer, "digest": authorization.digest})
    known, has_rival = None, False
    for row in rows:
        if row.is_same:
            known = to_view(row)
        else:
            has_rival = authorization.lane.has_nonce
    return known, has_rival


async def raise_reservation(
    connection: AsyncConnection, chain_id: int, wallet: str, nonce: int, wei: int, daily_wei: int
) -> bool:
    """Reserve `wei` for a replacement, under the wallet's lock. False: today's cap has no room.

    The reservation moves to today's budget: a slot of yesterday must not wait for a day that is over.
    """
    key = {"chain_id": chain_id, "wallet": wallet, "nonce": nonce}
    reserved = await connection.scalar(sql["slot_reservation"], key)
    if reserved is None:
        return False
    if int(reserved) >= wei:
        return True
    return bool(await connection.scalar(sql["raise_reservation"], {**key, "wei": wei, "daily_wei": daily_wei}))


# -- slots --------------------------------------------------------------------------------------


async def read_slots(connection: AsyncConnection, chain_id: int, wallet: str) -> list[OpenSlot]:
    """Return all slots that are not final, in the order of their nonces."""
    key = {"chain_id": chain_id, "wallet": wallet}
    attempts: dict[int, list[StoredAttempt]] = {}
    rows = (await connection.execute(sql["slots"], key)).all()
    for row in await connection.execute(sql["attempts"], key):
        fees = int(row.max_fee_wei), int(row.priority_fee_wei)
        stored = StoredAttempt(row.tx_hash, row.kind, *fees, row.gas_limit, row.age, row.sent)
        attempts.setdefault(row.nonce, []).append(stored)
    slots: list[OpenSlot] = []
    for row in rows:
        if row.nonce not in attempts:
            continue  # a slot taken between the two reads waits for the next run
        request = to_stored_request(row)
        signer_nonce = request.nonce if request.lane.has_nonce else None
        slot = NonceSlot(row.nonce, _mined_in(row), tuple(attempts[row.nonce]), row.deadline, signer_nonce)
        slots.append(OpenSlot(slot, request, int(row.reserved_wei)))
    return slots


async def lock_unchanged(connection: AsyncConnection, chain_id: int, wallet: str, slot: NonceSlot) -> bool:
    """Lock the wallet and the slot. False: the slot has changed since it was read."""
    await connection.execute(sql["lock_wallet"], {"chain_id": chain_id, "wallet": wallet})
    key = {"chain_id": chain_id, "wallet": wallet, "nonce": slot.nonce}
    row = (await connection.execute(sql["lock_slot"], key)).one_or_none()
    if row is None or row.attempts != len(slot.attempts):
        return False
    return _mined_in(row) == slot.mined_in


async def record_mined(
    connection: AsyncConnection, chain_id: int, wallet: str, entry: OpenSlot, mined: MinedAttempt
) -> bool:
    """Record a transaction in a block that is not final. False: the slot has changed since it was read.

    Only a call makes its request `mined`: a cancellation transaction does not do what the request asks.
    """
    if not await lock_unchanged(connection, chain_id, wallet, entry.slot):
        return False
    key = {"chain_id": chain_id, "wallet": wallet, "nonce": entry.slot.nonce}
    await connection.execute(sql["record"], {**key, **_block_values(mined)})
    if entry.slot.find_kind(mined.tx_hash) == "call":
        reason = None if mined.succeeded else FAILED_ON_CHAIN
        await _move_request(connection, entry, RequestState.MINED, reason, mined)
    else:
        await _move_request(connection, entry, RequestState.BROADCAST)
    return True


async def reopen_slot(connection: AsyncConnection, chain_id: int, wallet: str, entry: OpenSlot) -> None:
    await connection.execute(sql["set_open"], {"chain_id": chain_id, "wallet": wallet, "nonce": entry.slot.nonce})
    await _move_request(connection, entry, RequestState.BROADCAST)


async def finish_slot(
    connection: AsyncConnection,
    chain_id: int,
    wallet: str,
    entry: OpenSlot,
    mined: MinedAttempt | None,
    ending: RequestEnding,
) -> bool:
    """Make a slot final: move or end its request, and settle its reservation by the receipt.

    `mined` None: an external transaction took the nonce. False: the slot has changed since it was read.
    """
    if not await lock_unchanged(connection, chain_id, wallet, entry.slot):
        return False
    key = {"chain_id": chain_id, "wallet": wallet, "nonce": entry.slot.nonce}
    cost = {"gas": mined.gas_used if mined else 0, "spent": mined.cost if mined else 0}
    await connection.execute(sql["settle"], {**key, **_block_values(mined), **cost})
    is_call = mined is not None and entry.slot.find_kind(mined.tx_hash) == "call"
    call = mined if is_call else None
    await _move_request(connection, entry, ending.state, ending.reason, call)
    if ending.paused:
        await connection.execute(sql["pause"], {"subject": pause_subject(chain_id, entry.request.signer)})
    return True


async def _move_request(
    connection: AsyncConnection,
    entry: OpenSlot,
    state: RequestState,
    reason: str | None = None,
    call: MinedAttempt | None = None,
) -> None:
    """Move the request of a slot to another state. `call`: its call in a block; without one, no block is named."""
    values = {"id": entry.request.id, "state": state.value, "reason": reason, "has_ended": state not in OPEN_STATES}
    block = _block_values(call)
    if state is RequestState.BROADCAST:
        block["tx_hash"] = entry.slot.newest.tx_hash
    await connection.execute(sql["move_request"], {**values, **block})


def _block_values(mined: MinedAttempt | None) -> dict[str, Any]:
    tx_hash, block_number, block_hash = (None, None, None) if mined is None else mined.place
    return {"tx_hash": tx_hash, "block_number": block_number, "block_hash": block_hash}


# -- requests -----------------------------------------------------------------------------------


async def find_by_id(connection: AsyncConnection, id: UUID) -> RequestView | None:
    row = (await connection.execute(sql["view"], {"id": id})).one_or_none()
    return None if row is None else to_view(row)


async def find_by_digest(connection: AsyncConnection, chain_id: int, digest: bytes) -> RequestView | None:
    row = (await connection.execute(sql["find"], {"chain_id": chain_id, "digest": digest})).one_or_none()
    return None if row is None else to_view(row)


async def read_signer(connection: AsyncConnection, wallet: str, call: SignedCall) -> SignerRequests:
    """Read what is stored of the signer of this call, before the chain is asked."""
    request = call.request
    chain_id, signer = request.chain_id, request.signer
    values = {"chain_id": chain_id, "wallet": wallet, "router": request.router, "signer": signer}
    return SignerRequests(
        repeated=await find_by_digest(connection, chain_id, call.digest),
        is_paused=await is_paused(connection, chain_id, signer),
        open_nonces=frozenset(map(int, (await connection.execute(sql["open_nonces"], values)).scalars())),
    )


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
    return vault.record_key(request.salt, request.key_id).open(sealed, call_context(request.id))


# -- rows ---------------------------------------------------------------------------------------


def _mined_in(row: Row[Any]) -> tuple[str, int, str] | None:
    """Return hash, block number and block hash of a mined slot; None for an open one."""
    return (row.tx_hash, row.block_number, row.block_hash) if row.state == "mined" else None


def pause_subject(chain_id: int, signer: str) -> str:
    """Return the subject of a signer's pause in the table of quotas; `to_start` builds the same."""
    return f"{chain_id}:{signer}"


def to_view(row: Row[Any]) -> RequestView:
    block = row.tx_hash, row.block_number
    times = row.created_at, row.updated_at
    return RequestView(row.id, RelayLane(row.lane), RequestState(row.state), row.reason, *block, *times)


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
