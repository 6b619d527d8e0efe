"""What becomes of a request: by the receipt of its own call, or by what its signer's nonce and events say, finally."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.privacy.vault import Vault
from reminder_worker.relay import onchain_effects, slot_store
from reminder_worker.relay.authorizations import claimed
from reminder_worker.relay.chain_view import ChainView, view_chain
from reminder_worker.relay.models import FAILED_ON_CHAIN, FOREIGN_NONCE, RelayLane, RequestState
from reminder_worker.relay.onchain_effects import OnchainEffect
from reminder_worker.relay.queries import sql
from reminder_worker.relay.slot_store import OpenSlot, RequestEnding, StoredRequest
from reminder_worker.relay.state_machine import AuthorizationFate, FinalFacts, MinedAttempt, fate


class RequestResolution:
    """For the requests of one wallet. Every method answers None while too few endpoints say what it takes to know."""

    def __init__(self, engine: AsyncEngine, vault: Vault, wallet: str) -> None:
        self._engine = engine
        self._vault = vault
        self._wallet = wallet

    async def ending(self, chain: Chain, at: OpenSlot, mined: MinedAttempt | None) -> RequestEnding | None:
        """What becomes of a request whose slot is final. `mined` None: a stranger took its nonce."""
        if mined is not None and slot_store.kind_of(at.slot, mined.tx_hash) == "call":
            if mined.succeeded:
                return RequestEnding(RequestState.CONFIRMED)
            block = await chain.block_by_hash(mined.block_hash)
            found = await self.fate_of(chain, at.request, block.timestamp) if block else None
            return None if found is None else _of_a_failed_call(at.request.lane, found)
        found = await self.fate_of(chain, at.request)
        if found is AuthorizationFate.ALIVE:
            return RequestEnding(RequestState.QUEUED, "slot_freed" if mined else FOREIGN_NONCE)
        return None if found is None else RequestEnding(RequestState(found.value))

    async def fate_of(
        self, chain: Chain, request: StoredRequest, failed_at: int | None = None
    ) -> AuthorizationFate | None:
        """What became of the authorization, by what is final on chain. `failed_at`: when its call failed (unix
        seconds), as of which it is judged why."""
        counted = request.lane in onchain_effects.LANES
        views = await view_chain(chain, self._wallet, signers_final=[request.signer_of] if counted else [])
        time = views.time_final if failed_at is None else failed_at
        if time is None:
            return None
        if not counted:
            return fate(None, request.deadline, False, FinalFacts(time, None, False, False))
        return await self._by_events(chain, request, views, time)

    async def _by_events(
        self, chain: Chain, request: StoredRequest, views: ChainView, time: int
    ) -> AuthorizationFate | None:
        nonce, last = views.nonce_final(request.signer_of), views.head_final
        if nonce is None or last is None:
            return None
        direct = request.lane is RelayLane.GIFT_WITHDRAW
        found: Sequence[OnchainEffect] | None = ()
        if nonce > request.nonce or direct:
            found = await onchain_effects.effects(
                chain, request.lane, request.signer, request.created_at, last, self._wallet
            )
        if found is None:
            return None
        async with self._engine.connect() as connection:
            own = await slot_store.own_nonces(connection, chain.chain_id, [effect.tx_hash for effect in found])
        wanted = (request.lane, request.subject_id)
        # A gift is paid out once, so it does not matter by whose request. A claim or check-in that belongs to another
        # request of ours is another one.
        same = [e for e in found if (e.lane, e.subject_id) == wanted and (direct or e.tx_hash not in own)]
        if request.lane is RelayLane.CLAIM and same:
            calls = await onchain_effects.direct_calls(chain, request.router, [effect.tx_hash for effect in same])
            if calls is None:
                return None
            ours = await self._call_data(request)
            same = [effect for effect in same if claimed(calls.get(effect.tx_hash, ours)) == claimed(ours)]
        other = any(e not in same and own.get(e.tx_hash, request.nonce) == request.nonce for e in found)
        return fate(request.nonce, request.deadline, direct, FinalFacts(time, nonce, bool(same), other))

    async def _call_data(self, request: StoredRequest) -> bytes:
        async with self._engine.connect() as connection:
            sealed = await connection.scalar(sql["call_data"], {"id": request.id})
        return slot_store.open_call(self._vault, request, sealed)


def _of_a_failed_call(lane: RelayLane, found: AuthorizationFate) -> RequestEnding:
    """The ending of a request whose call failed. It pauses a signer who made us pay for nothing: the call just fails,
    or its nonce was used or cancelled meanwhile. Not one whose claim somebody else made first, or whose time ran out;
    and the attestor's renewals pause nobody."""
    state = RequestState.REVERTED if found is AuthorizationFate.ALIVE else RequestState(found.value)
    ours = found in (AuthorizationFate.SATISFIED, AuthorizationFate.EXPIRED)
    return RequestEnding(state, FAILED_ON_CHAIN, paused=lane in onchain_effects.LANES and not ours)
