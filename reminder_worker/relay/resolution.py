"""Resolution: the next state of a request, by the receipt of its call, or by its signer's final nonce and events."""

from collections.abc import Mapping, Sequence

from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.privacy.vault import Vault
from reminder_worker.relay import onchain_effects, request_store
from reminder_worker.relay.authorizations import decode_claim
from reminder_worker.relay.chain_view import ChainView, view_chain
from reminder_worker.relay.models import FAILED_ON_CHAIN, FOREIGN_NONCE, RelayLane, RequestState
from reminder_worker.relay.onchain_effects import OnchainEffect
from reminder_worker.relay.request_store import StoredRequest
from reminder_worker.relay.slot_store import OpenSlot, RequestEnding, find_kind
from reminder_worker.relay.state_machine import AuthorizationFate, FinalFacts, MinedAttempt, decide_fate


class RequestResolution:
    """Resolution of one wallet's requests. Every method returns None while too few endpoints agree."""

    def __init__(self, engine: AsyncEngine, vault: Vault, wallet: str) -> None:
        self._engine = engine
        self._vault = vault
        self._wallet = wallet

    async def find_ending(self, chain: Chain, entry: OpenSlot, mined: MinedAttempt | None) -> RequestEnding | None:
        """Return the next state of a request with a final slot. `mined` None: its nonce was used externally."""
        if mined is not None and find_kind(entry.slot, mined.tx_hash) == "call":
            if mined.succeeded:
                return RequestEnding(RequestState.CONFIRMED)
            block = await chain.block_by_hash(mined.block_hash)
            fate = await self.find_fate(chain, entry.request, block.timestamp) if block else None
            return None if fate is None else end_failed_call(entry.request.lane, fate)
        fate = await self.find_fate(chain, entry.request)
        if fate is AuthorizationFate.ALIVE:
            return RequestEnding(RequestState.QUEUED, "slot_freed" if mined else FOREIGN_NONCE)
        return None if fate is None else RequestEnding(RequestState(fate.value))

    async def find_fate(
        self, chain: Chain, request: StoredRequest, failed_at: int | None = None
    ) -> AuthorizationFate | None:
        """Return the fate of the authorization by final facts. `failed_at`: unix seconds when its call failed."""
        has_nonce = request.lane in onchain_effects.LANES
        views = await view_chain(chain, self._wallet, signers_final=[request.signer_key] if has_nonce else [])
        time = views.time_final if failed_at is None else failed_at
        if time is None:
            return None
        if not has_nonce:
            return decide_fate(None, request.deadline, False, FinalFacts(time, None, False, False))
        return await self._find_fate_by_events(chain, request, views, time)

    async def _find_fate_by_events(
        self, chain: Chain, request: StoredRequest, views: ChainView, time: int
    ) -> AuthorizationFate | None:
        nonce, last = views.nonce_final(request.signer_key), views.head_final
        if nonce is None or last is None:
            return None
        direct = request.lane is RelayLane.GIFT_WITHDRAW
        effects: Sequence[OnchainEffect] | None = ()
        if nonce > request.nonce or direct:
            effects = await onchain_effects.read_effects(
                chain, request.lane, request.signer, request.created_at, last, self._wallet
            )
        if effects is None:
            return None
        async with self._engine.connect() as connection:
            hashes = [effect.tx_hash for effect in effects]
            own_nonces = await request_store.read_own_nonces(connection, chain.chain_id, hashes)
        other_claims = await self._find_other_claims(chain, request, effects, own_nonces)
        if other_claims is None:
            return None
        same, other = sort_effects(request, effects, own_nonces, other_claims)
        return decide_fate(request.nonce, request.deadline, direct, FinalFacts(time, nonce, same, other))

    async def _find_other_claims(
        self, chain: Chain, request: StoredRequest, effects: Sequence[OnchainEffect], own_nonces: Mapping[str, int]
    ) -> frozenset[str] | None:
        """Return external transactions that claimed other assets: their events look like the request's effect."""
        alike = (RelayLane.CLAIM, request.subject_id)
        found = [effect.tx_hash for effect in effects if (effect.lane, effect.subject_id) == alike]
        hashes = [tx_hash for tx_hash in found if tx_hash not in own_nonces]
        if request.lane is not RelayLane.CLAIM or not hashes:
            return frozenset()
        calls = await onchain_effects.read_direct_calls(chain, request.router, hashes)
        if calls is None:
            return None
        async with self._engine.connect() as connection:
            own_claim = decode_claim(await request_store.read_call(connection, self._vault, request))
        return frozenset(tx_hash for tx_hash, call in calls.items() if decode_claim(call) != own_claim)


def sort_effects(
    request: StoredRequest,
    effects: Sequence[OnchainEffect],
    own_nonces: Mapping[str, int],
    other_claims: frozenset[str],
) -> tuple[bool, bool]:
    """Return whether some effect is the request's own, and whether another authorization used its nonce.

    `own_nonces`: the signer's nonce of each transaction of ours. `other_claims`: claims of other assets.

    | lane and id       | transaction             | counts as    |
    |-------------------|-------------------------|--------------|
    | the request's     | external                | same effect  |
    | the request's     | ours, of a gift         | same effect  |
    | a claim of other assets | external          | other effect |
    | any other         | external                | other effect |
    | any other         | ours, of the same nonce | other effect |
    | any other         | ours, of another nonce  | neither      |

    A gift is paid once, by any request. Claims and check-ins of our other requests have their own nonce.
    """
    same = other = False
    for effect in effects:
        matches = (effect.lane, effect.subject_id) == (request.lane, request.subject_id)
        is_external = effect.tx_hash not in own_nonces
        is_gift = request.lane is RelayLane.GIFT_WITHDRAW
        if matches and (is_external or is_gift) and effect.tx_hash not in other_claims:
            same = True
        elif is_external or own_nonces[effect.tx_hash] == request.nonce:
            other = True
    return same, other


def end_failed_call(lane: RelayLane, fate: AuthorizationFate) -> RequestEnding:
    """Return the ending of a request whose call failed.

    A signer who made us pay for nothing is paused: the call fails by itself, or its nonce was used or cancelled
    meanwhile. An effect reached elsewhere or an expired deadline pauses no signer, and a renewal has none.
    """
    state = RequestState.REVERTED if fate is AuthorizationFate.ALIVE else RequestState(fate.value)
    is_innocent = fate in (AuthorizationFate.SATISFIED, AuthorizationFate.EXPIRED)
    return RequestEnding(state, FAILED_ON_CHAIN, paused=lane in onchain_effects.LANES and not is_innocent)
