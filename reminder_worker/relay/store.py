"""Store of requests, wallets, budgets and nonce slots. Every function works in its caller's transaction.

The wallet's row is the only lock: a transaction that takes nonces, changes budgets or moves slots holds it from its
first statement on. Reconcilers and admissions follow one another, and the later transaction finds changed rows.

Wei are booked on the budget row of scope `global` alone, on the day (UTC) on which the nonce was taken or the
reservation last raised. Counts are booked on every scope, on the day the request came.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from reminder_worker.database.queries import array_text, json_text
from reminder_worker.errors import DecryptionFailed, RelayStopped
from reminder_worker.privacy.vault import RecordKey, Vault
from reminder_worker.relay.authorizations import SignedCall
from reminder_worker.relay.budget import CountLimit, list_scopes
from reminder_worker.relay.models import (
    FAILED_ON_CHAIN,
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


@dataclass(frozen=True, slots=True)
class EndedSlot:
    """A final slot, with the next state of its request. `mined` None: an external transaction took the nonce."""

    entry: OpenSlot
    mined: MinedAttempt | None
    ending: RequestEnding


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
    connection: AsyncConnection, chain_id: int, wallet: str, found: Sequence[tuple[OpenSlot, MinedAttempt]]
) -> int:
    """Record transactions in blocks that are not final. Takes the lock; returns how many slots were unchanged.

    Only a call makes its request `mined`: a cancellation transaction does not do what the request asks.
    """
    await connection.execute(sql["lock_wallet"], {"chain_id": chain_id, "wallet": wallet})
    rows = [_mined_row(entry, mined) for entry, mined in found]
    values = {"chain_id": chain_id, "wallet": wallet, "rows": json_text(rows)}
    return int(await connection.scalar(sql["record"], values) or 0)


async def reopen_slot(connection: AsyncConnection, chain_id: int, wallet: str, entry: OpenSlot) -> None:
    await connection.execute(sql["set_open"], {"chain_id": chain_id, "wallet": wallet, "nonce": entry.slot.nonce})
    values = {"id": entry.request.id, "state": RequestState.BROADCAST.value, "tx_hash": entry.slot.newest.tx_hash}
    await connection.execute(sql["move_request"], values)


async def finish_slots(connection: AsyncConnection, chain_id: int, wallet: str, ended: Sequence[EndedSlot]) -> set[int]:
    """Make slots final: move or end their requests, and settle their reservations by the receipts.

    Takes the lock; returns the nonces of the slots that were unchanged.
    """
    await connection.execute(sql["lock_wallet"], {"chain_id": chain_id, "wallet": wallet})
    rows = [_final_row(chain_id, slot) for slot in ended]
    values = {"chain_id": chain_id, "wallet": wallet, "rows": json_text(rows)}
    return set((await connection.execute(sql["finish"], values)).scalars())


# -- requests -----------------------------------------------------------------------------------


async def find_by_ids(connection: AsyncConnection, ids: Iterable[UUID]) -> dict[UUID, RequestView]:
    rows = await connection.execute(sql["views"], {"ids": array_text(ids)})
    return {row.id: to_view(row) for row in rows}


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


def _slot_row(entry: OpenSlot, mined: MinedAttempt | None) -> dict[str, Any]:
    """Return the new block of a slot, and the values by which a statement finds that the slot has not changed."""
    was_tx, _, was_block = entry.slot.mined_in or (None, None, None)
    tx_hash, block_number, block_hash = (None, None, None) if mined is None else mined.place
    return {
        "nonce": entry.slot.nonce,
        "attempts": len(entry.slot.attempts),
        "was_tx": was_tx,
        "was_block": was_block,
        "request_id": entry.request.id,
        "tx_hash": tx_hash,
        "block_number": block_number,
        "block_hash": block_hash,
    }


def _request_row(state: RequestState, reason: str | None, tx_hash: str | None, block: int | None) -> dict[str, Any]:
    """Return what becomes of a slot's request."""
    return {"request_state": state.value, "reason": reason, "request_tx": tx_hash, "request_block": block}


def _find_call(entry: OpenSlot, mined: MinedAttempt | None) -> MinedAttempt | None:
    """Return the mined transaction if it is the call of the request, not a cancellation transaction."""
    if mined is None or entry.slot.find_kind(mined.tx_hash) != "call":
        return None
    return mined


def _mined_row(entry: OpenSlot, mined: MinedAttempt) -> dict[str, Any]:
    call = _find_call(entry, mined)
    if call is None:
        request = _request_row(RequestState.BROADCAST, None, entry.slot.newest.tx_hash, None)
    else:
        reason = None if call.succeeded else FAILED_ON_CHAIN
        request = _request_row(RequestState.MINED, reason, call.tx_hash, call.block_number)
    return {**_slot_row(entry, mined), **request}


def _final_row(chain_id: int, ended: EndedSlot) -> dict[str, Any]:
    """Return the row of a final slot. `spent` is text: wei do not fit the numbers of JSON."""
    entry, mined, ending = ended.entry, ended.mined, ended.ending
    gas, spent = (0, 0) if mined is None else (mined.gas_used, mined.cost)
    call = _find_call(entry, mined)
    tx_hash, block = (None, None) if call is None else (call.tx_hash, call.block_number)
    return {
        **_slot_row(entry, mined),
        **_request_row(ending.state, ending.reason, tx_hash, block),
        "gas": gas,
        "spent": str(spent),
        "pause": pause_subject(chain_id, entry.request.signer) if ending.paused else None,
    }


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
