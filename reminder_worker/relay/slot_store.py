"""Slots and requests on their way to the end, in one transaction each: written only where what was read still stands.

The wallet's row is held throughout, as by whoever takes nonces, so that two reconcilers and an admission come one after
the other, and the later one finds that what it read has changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from reminder_worker.database.parameters import json_text
from reminder_worker.errors import DecryptionFailed
from reminder_worker.privacy.vault import Vault
from reminder_worker.relay.models import FAILED_ON_CHAIN, RelayLane, RequestState, call_context
from reminder_worker.relay.queries import sql
from reminder_worker.relay.state_machine import AttemptKind, MinedAttempt, NonceSlot, StoredAttempt

Key = dict[str, Any]


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
    def signer_of(self) -> tuple[str, str]:
        """Whose nonce it takes: router and signer."""
        return (self.router, self.signer)


@dataclass(frozen=True, slots=True)
class OpenSlot:
    """`reserved` in wei."""

    slot: NonceSlot
    request: StoredRequest
    reserved: int


@dataclass(frozen=True, slots=True)
class RequestEnding:
    """What becomes of the request as its slot ends; with `state` `queued` it lives on, to get a slot again. `paused`:
    its signer is paused for the day."""

    state: RequestState
    reason: str | None = None
    paused: bool = False


@dataclass(frozen=True, slots=True)
class EndedSlot:
    """A slot that is final, and what becomes of its request. `mined` None: a stranger took the nonce."""

    at: OpenSlot
    mined: MinedAttempt | None
    ending: RequestEnding


async def unchanged(connection: AsyncConnection, chain_id: int, wallet: str, slot: NonceSlot) -> bool:
    """Lock the wallet and the slot. False: somebody else has moved the slot on since it was read."""
    await connection.execute(sql["lock_wallet"], {"chain_id": chain_id, "wallet": wallet})
    row = (await connection.execute(sql["still"], _key(chain_id, wallet, slot.nonce))).one_or_none()
    if row is None or row.attempts != len(slot.attempts):
        return False
    return _place(row.state, row.tx_hash, row.block_number, row.block_hash) == slot.mined_in


async def record(
    connection: AsyncConnection, chain_id: int, wallet: str, found: Sequence[tuple[OpenSlot, MinedAttempt]]
) -> int:
    """Record that transactions are in blocks that are not final; returns how many of the slots are still as they were
    read. Takes the lock.

    Only a call makes the request `mined`: an empty transfer does nothing of what it asks.
    """
    await connection.execute(sql["lock_wallet"], {"chain_id": chain_id, "wallet": wallet})
    rows = [_recorded(at, mined) for at, mined in found]
    values = {"chain_id": chain_id, "wallet": wallet, "rows": json_text(rows)}
    return int(await connection.scalar(sql["record"], values) or 0)


async def unmine(connection: AsyncConnection, chain_id: int, wallet: str, at: OpenSlot) -> None:
    await connection.execute(sql["set_open"], _key(chain_id, wallet, at.slot.nonce))
    values = {"id": at.request.id, "state": RequestState.BROADCAST.value, "tx_hash": at.slot.newest.tx_hash}
    await connection.execute(sql["move_request"], values)


async def finish(connection: AsyncConnection, chain_id: int, wallet: str, ended: Sequence[EndedSlot]) -> set[int]:
    """Make slots final: their requests go on or end, and what they reserved is settled by their receipts.

    Takes the lock; returns the nonces of the slots that still were as they were read.
    """
    await connection.execute(sql["lock_wallet"], {"chain_id": chain_id, "wallet": wallet})
    rows = [_finished(chain_id, each) for each in ended]
    values = {"chain_id": chain_id, "wallet": wallet, "rows": json_text(rows)}
    return set((await connection.execute(sql["finish"], values)).scalars())


async def end_waiting(
    connection: AsyncConnection, chain_id: int, wallet: str, request: StoredRequest, state: str
) -> bool:
    """End a request without a slot. False: it has got one, or has ended, since it was read."""
    await connection.execute(sql["lock_wallet"], {"chain_id": chain_id, "wallet": wallet})
    ended = await connection.execute(sql["end_request"], {"id": request.id, "state": state})
    return bool(ended.rowcount)


async def own_nonces(connection: AsyncConnection, chain_id: int, tx_hashes: Sequence[str]) -> dict[str, int]:
    """For those of the transactions that are ours, the nonce of the signer's authorization."""
    rows = await connection.execute(sql["own"], {"chain_id": chain_id, "tx_hashes": list(tx_hashes)})
    return {row.tx_hash: int(row.signer_nonce) for row in rows}


def open_call(vault: Vault, request: StoredRequest, sealed: bytes | None) -> bytes:
    """Raises `DecryptionFailed`, also for a request that somebody else has ended meanwhile."""
    if sealed is None:
        raise DecryptionFailed("a request that has ended has no call any more")
    return vault.record(request.salt, request.key_id).open(sealed, call_context(request.id))


async def paused(connection: AsyncConnection, chain_id: int, signer: str) -> bool:
    """Whether a request of this signer reverted on chain today (UTC): it relays no more until tomorrow."""
    return bool(await connection.scalar(sql["paused"], {"signer": pause_of(chain_id, signer)}))


def kind_of(slot: NonceSlot, tx_hash: str) -> AttemptKind:
    return next(attempt.kind for attempt in slot.attempts if attempt.tx_hash == tx_hash)


async def read_slots(connection: AsyncConnection, chain_id: int, wallet: str) -> list[OpenSlot]:
    """All that are not final, in the order of their nonces."""
    key = {"chain_id": chain_id, "wallet": wallet}
    attempts: dict[int, list[StoredAttempt]] = {}
    rows = (await connection.execute(sql["slots"], key)).all()
    for row in await connection.execute(sql["attempts"], key):
        fees = int(row.max_fee_wei), int(row.priority_fee_wei)
        stored = StoredAttempt(row.tx_hash, row.kind, *fees, row.gas_limit, row.age, row.sent)
        attempts.setdefault(row.nonce, []).append(stored)
    return [
        OpenSlot(
            NonceSlot(
                nonce=row.nonce,
                mined_in=_place(row.state, row.tx_hash, row.block_number, row.block_hash),
                attempts=tuple(attempts[row.nonce]),
                deadline=row.deadline,
                signer_nonce=None if row.lane == RelayLane.AUTO_RENEW else int(row.signer_nonce),
            ),
            _request(row),
            int(row.reserved_wei),
        )
        for row in rows
        if row.nonce in attempts  # a slot taken between the two reads waits for the next look
    ]


async def read_waiting(connection: AsyncConnection, chain_id: int, wallet: str, limit: int) -> list[StoredRequest]:
    """Requests without a slot, those that end soonest first."""
    rows = await connection.execute(sql["waiting"], {"chain_id": chain_id, "wallet": wallet, "limit": limit})
    return [_request(row) for row in rows]


def _as_read(at: OpenSlot) -> Key:
    """By which a statement finds that nobody has moved the slot on since."""
    was = at.slot.mined_in
    return {
        "nonce": at.slot.nonce,
        "attempts": len(at.slot.attempts),
        "was_tx": was and was[0],
        "was_block": was and was[2],
        "request_id": at.request.id,
    }


def _finished(chain_id: int, each: EndedSlot) -> Key:
    """`spent` as text: wei are larger than JSON's numbers are sure to be read."""
    at, mined, ending = each.at, each.mined, each.ending
    called = mined is not None and kind_of(at.slot, mined.tx_hash) == "call"
    return {
        **_as_read(at),
        "tx_hash": mined and mined.tx_hash,
        "block_number": mined and mined.block_number,
        "block_hash": mined and mined.block_hash,
        "spent": str(mined.cost if mined else 0),
        "request_state": ending.state.value,
        "reason": ending.reason,
        "request_tx": mined.tx_hash if mined and called else None,
        "request_block": mined.block_number if mined and called else None,
        "pause": pause_of(chain_id, at.request.signer) if ending.paused else None,
    }


def _recorded(at: OpenSlot, mined: MinedAttempt) -> Key:
    called = kind_of(at.slot, mined.tx_hash) == "call"
    return {
        **_as_read(at),
        "tx_hash": mined.tx_hash,
        "block_number": mined.block_number,
        "block_hash": mined.block_hash,
        "request_state": RequestState.MINED.value if called else RequestState.BROADCAST.value,
        "reason": FAILED_ON_CHAIN if called and not mined.succeeded else None,
        "request_tx": mined.tx_hash if called else at.slot.newest.tx_hash,
        "request_block": mined.block_number if called else None,
    }


def _key(chain_id: int, wallet: str, nonce: int) -> Key:
    return {"chain_id": chain_id, "wallet": wallet, "nonce": nonce}


def _place(
    state: str, tx_hash: str | None, block_number: int | None, block_hash: str | None
) -> tuple[str, int, str] | None:
    if state != "mined" or tx_hash is None or block_number is None or block_hash is None:
        return None
    return (tx_hash, block_number, block_hash)


def pause_of(chain_id: int, signer: str) -> str:
    """Whose pause it is, as quotas name a subject; the planner of what starts makes the same."""
    return f"{chain_id}:{signer}"


def _request(row: Row[Any]) -> StoredRequest:
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
