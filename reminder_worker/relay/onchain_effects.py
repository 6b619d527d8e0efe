"""On-chain effects: events of a signer since the request was admitted, and the next state of a request by them.

Events of a claim and a check-in name their signer: each used one of the signer's nonces. A vault's event names the
recipient that it paid, with an authorization or without.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from eth_utils.crypto import keccak
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain import abi, wire
from reminder_worker.chain.client import Chain
from reminder_worker.chain.events import UndecodableLog, decode_log
from reminder_worker.chain.quorum import find_agreed
from reminder_worker.chain.renewals import RenewalReads
from reminder_worker.chain.rpc import Request
from reminder_worker.chain.types import EventLog
from reminder_worker.indexer.log_reader import logs_of_two
from reminder_worker.privacy.vault import Vault
from reminder_worker.relay import store
from reminder_worker.relay.authorizations import decode_claim
from reminder_worker.relay.chain_view import ChainView, view_chain
from reminder_worker.relay.models import FAILED_ON_CHAIN, FOREIGN_NONCE, RelayLane, RequestState
from reminder_worker.relay.state_machine import AuthorizationFate, FinalFacts, MinedAttempt, decide_fate
from reminder_worker.relay.store import OpenSlot, RequestEnding, StoredRequest
from reminder_worker.settings import ChainSettings

MOST_ATTEMPTS: Final = 240  # to renew after one reset: every six hours of the window, twice over
_TOPICS: Final = {
    event["name"]: abi.compute_topic(event)
    for contract in ("TransferEOALegacyRouter", "TimelockERC20", "TimelockERC721", "TimelockERC1155")
    for event in abi.list_events(contract)
}
_EVENTS: Final = {
    "TransferEOALegacyClaimedFor": (RelayLane.CLAIM, "legacyId", "beneficiary"),
    "TransferEOALegacyCheckedInFor": (RelayLane.CHECK_IN, "legacyId", "owner"),
    "FundsWithdrawn": (RelayLane.GIFT_WITHDRAW, "timelockId", "recipient"),
    "TokensWithdrawn": (RelayLane.GIFT_WITHDRAW, "timelockId", "recipient"),
}
"""By event: lane, argument of the id, argument of the signer."""


@dataclass(frozen=True, slots=True)
class OnchainEffect:
    """Effect of a lane on one legacy or timelock, final and confirmed by two endpoints."""

    tx_hash: str
    lane: RelayLane
    subject_id: int


async def read_effects(
    chain: Chain, lane: RelayLane, signer: str, since: float, finalized: int, wallet: str
) -> tuple[OnchainEffect, ...] | None:
    """Return the signer's effects in the lane's contracts, from `since` (unix seconds) up to the block `finalized`.

    None while the endpoints do not agree on one of the transactions. Raises `ChainUnavailable`.
    """
    is_gift = lane is RelayLane.GIFT_WITHDRAW
    contracts = list_vaults(chain.settings) if is_gift else [chain.settings.transfer_eoa_legacy_router]
    names = [name for name, (its_lane, _, _) in _EVENTS.items() if (its_lane is RelayLane.GIFT_WITHDRAW) == is_gift]
    # Our clock and the chain's may be 900 seconds apart.
    first = await chain.find_first_block_since(int(since) - 900, finalized)
    topics = frozenset(_TOPICS[name] for name in names)
    # A log that only the second endpoint returns counts, too: below, each transaction needs two receipts.
    logs, _, beside = await logs_of_two(chain, dict.fromkeys(contracts, topics), first, finalized)
    effects = [_decode_effect(log, signer) for log in [*logs, *beside.logs]]
    found = [effect for effect in effects if effect is not None]
    for tx_hash in dict.fromkeys(effect.tx_hash for effect in found):
        # One at a time: strangers' transactions have receipts of up to 14.5 MB.
        status = (await view_chain(chain, wallet, [tx_hash])).find_receipts([tx_hash])
        if status.mined is None or not status.confirmed or status.mined.block_number > finalized:
            return None
    return tuple(found)


async def read_direct_calls(chain: Chain, router: str, tx_hashes: Sequence[str]) -> dict[str, bytes] | None:
    """Return the calls of those transactions that called the router directly; None while no two endpoints agree.

    A claim's event does not name its assets: another authorization for the same legacy looks alike.
    """
    asked: list[Request] = [("eth_getTransactionByHash", [tx_hash]) for tx_hash in tx_hashes]

    def read_calls(answers: Sequence[Any]) -> dict[str, bytes]:
        calls: dict[str, bytes] = {}
        for tx_hash, answer in zip(tx_hashes, answers, strict=True):
            transaction = wire.decode_result(answer, CalledTransaction)
            if transaction.to is not None and transaction.to.lower() == router:
                calls[tx_hash] = wire.parse_hex(transaction.input)
        return calls

    answers = await chain.endpoints.ask_each(asked, read_calls)
    return find_agreed(answers, len(chain.settings.rpc_urls))


class CalledTransaction(msgspec.Struct):
    to: str | None
    input: str


def _decode_effect(log: EventLog, signer: str) -> OnchainEffect | None:
    try:
        event = decode_log(log)
    except UndecodableLog:
        return None
    lane, subject, whose = _EVENTS[event.name]
    if event.args[whose] != signer:
        return None
    return OnchainEffect(log.tx_hash, lane, event.args[subject])


def list_vaults(settings: ChainSettings) -> Sequence[str]:
    return [settings.timelock_erc20, settings.timelock_erc721, settings.timelock_erc1155]


def renewal_digests(chain_id: int, router: str, legacy_id: int, reset_at: int) -> list[bytes]:
    """Return the digest of each attempt for one reset. The next attempt is used only after the one before failed."""
    reset = f"auto_renew|{chain_id}|{router}|{legacy_id}|{reset_at}"
    return [keccak(text=f"{reset}|{attempt}") for attempt in range(MOST_ATTEMPTS)]


async def was_reset_since(chain: Chain, router: str, legacy_id: int, digest: bytes, *, at: str) -> bool:
    """Return whether the timer was reset after the reset of this renewal: its activity came before the last reset.

    Raises `ChainUnavailable`.
    """
    reset_at = await RenewalReads(chain).read_reset_of(legacy_id, at=at)
    return reset_at is None or digest not in renewal_digests(chain.chain_id, router, legacy_id, reset_at)


class RequestResolution:
    """Resolution of one wallet's requests. Every method returns None while too few endpoints agree."""

    def __init__(self, engine: AsyncEngine, vault: Vault, wallet: str) -> None:
        self._engine = engine
        self._vault = vault
        self._wallet = wallet

    async def find_ending(self, chain: Chain, entry: OpenSlot, mined: MinedAttempt | None) -> RequestEnding | None:
        """Return the next state of a request with a final slot. `mined` None: its nonce was used externally."""
        if mined is not None and entry.slot.find_kind(mined.tx_hash) == "call":
            if mined.succeeded:
                return RequestEnding(RequestState.CONFIRMED)
            block = await chain.get_block_by_hash(mined.block_hash)
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
        has_nonce = request.lane.has_nonce
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
        nonce, last = views.find_final_nonce(request.signer_key), views.head_final
        if nonce is None or last is None:
            return None
        direct = request.lane is RelayLane.GIFT_WITHDRAW
        effects: Sequence[OnchainEffect] | None = ()
        if nonce > request.nonce or direct:
            effects = await read_effects(chain, request.lane, request.signer, request.created_at, last, self._wallet)
        if effects is None:
            return None
        async with self._engine.connect() as connection:
            hashes = [effect.tx_hash for effect in effects]
            own_nonces = await store.read_own_nonces(connection, chain.chain_id, hashes)
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
        calls = await read_direct_calls(chain, request.router, hashes)
        if calls is None:
            return None
        async with self._engine.connect() as connection:
            own_claim = decode_claim(await store.read_call(connection, self._vault, request))
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
        counts_alike = is_external or request.lane is RelayLane.GIFT_WITHDRAW
        if effect.tx_hash in other_claims:
            counts_alike = False
        if matches and counts_alike:
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
    return RequestEnding(state, FAILED_ON_CHAIN, paused=lane.has_nonce and not is_innocent)
