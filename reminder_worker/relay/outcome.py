"""What becomes of a request: by the receipt of its own call, or by what its signer's nonce and events say, finally."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.relay import effects, settle
from reminder_worker.relay.fate import Fate, FinalFacts, MinedAttempt, fate
from reminder_worker.relay.settle import Ending, OpenSlot, StoredRequest
from reminder_worker.relay.values import State
from reminder_worker.relay.views import view_chain


async def ending(
    engine: AsyncEngine, chain: Chain, wallet: str, at: OpenSlot, mined: MinedAttempt | None
) -> Ending | None:
    """Of the request whose slot is final. `mined` None: a stranger took its nonce. None: it cannot be known yet."""
    if mined is not None and settle.kind_of(at.slot, mined.tx_hash) == "call":
        if mined.succeeded:
            return Ending(State.CONFIRMED)
        block = await chain.block_by_hash(mined.block_hash)
        found = await fate_of(engine, chain, wallet, at.request, block.timestamp) if block else None
        return None if found is None else _of_a_failed_call(at.request.lane, found)
    found = await fate_of(engine, chain, wallet, at.request)
    if found is Fate.ALIVE:
        return Ending(State.QUEUED, "slot_freed" if mined else settle.FOREIGN_NONCE)
    return None if found is None else Ending(State(found.value))


async def fate_of(
    engine: AsyncEngine, chain: Chain, wallet: str, request: StoredRequest, failed_at: int | None = None
) -> Fate | None:
    """As final as the chain is; `failed_at`: when its call failed (unix seconds), which tells why.

    None while too few endpoints say what it takes to know.
    """
    counted = request.lane in effects.LANES
    views = await view_chain(chain, wallet, signers_final=[request.signer_of] if counted else [])
    time = views.time_final if failed_at is None else failed_at
    if time is None or views.head_final is None:
        return None
    if not counted:
        return fate(None, request.deadline, False, FinalFacts(time, None, False, False))
    nonce = views.nonce_final(request.signer_of)
    if nonce is None:
        return None
    direct = request.lane == "gift_withdraw"
    found: Sequence[effects.Effect] | None = ()
    if nonce > request.nonce or direct:
        found = await effects.effects(chain, request.lane, request.signer, request.created_at, views.head_final, wallet)
    if found is None:
        return None
    async with engine.connect() as connection:
        own = await settle.own_nonces(connection, chain.chain_id, [effect.tx_hash for effect in found])
    wanted = (request.lane, request.subject_id)
    same = [e for e in found if (e.lane, e.subject_id) == wanted and e.tx_hash not in own]
    other = any(e not in same and own.get(e.tx_hash, request.nonce) == request.nonce for e in found)
    return fate(request.nonce, request.deadline, direct, FinalFacts(time, nonce, bool(same), other))


def _of_a_failed_call(lane: str, found: Fate) -> Ending:
    """Whoever makes us pay for nothing is paused: by a call that fails, or by taking the nonce back under way.

    Not for being front-run, whose effect is there; and the attestor's renewals pause nobody.
    """
    state = State.REVERTED if found is Fate.ALIVE else State(found.value)
    ours = found in (Fate.SATISFIED, Fate.EXPIRED)
    return Ending(state, "failed_on_chain", paused=lane in effects.LANES and not ours)
