"""Intake: from a user's authorization to an admitted request. Nothing is stored until the request is good.

Checks go from cheap to dear: shape (the caller's), an authorization that is here already, deadline and signature, what
the chain says of its subject, then the whole transaction simulated. Times are judged by the latest block's, as the
contracts will. What cannot be read raises `ChainUnavailable`. A refusal stores nothing: what is refused for its time or
its day may be sent again as it is.
"""

import asyncio
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Block, Call, Chain, Reverted
from reminder_worker.chain.contracts import Legacies, LegacyFacts
from reminder_worker.chain.signatures import Domain, Signatures, recover
from reminder_worker.chain.simulation import Simulated
from reminder_worker.chain.sponsored import LEGACY_VERSIONS, PAYEE_VERSION, TIMELOCK_VERSIONS, SponsoredReads
from reminder_worker.errors import (
    AlreadyUsed,
    ChainUnavailable,
    ContractRefused,
    Expired,
    FieldFault,
    IndexerUnavailable,
    InvalidInput,
    LimitReached,
    NonceMismatch,
    NotAKnownLegacy,
    NotConfigured,
    NotFound,
    PremiumRequired,
    Refused,
    RelayStopped,
    RouterVersionUnsupported,
    ServiceError,
    SignerMismatch,
    VersionMismatch,
)
from reminder_worker.indexer.choose import Indexers
from reminder_worker.indexer.questions import GIFT, LIVE
from reminder_worker.relay.admission import Admission
from reminder_worker.relay.authorizations import (
    CheckInRequest,
    ClaimRequest,
    Request,
    WithdrawRequest,
    call_data,
    digest,
    versions,
)
from reminder_worker.relay.contract_errors import WOULD_FAIL, moment, named, refusal
from reminder_worker.relay.effects import vaults
from reminder_worker.relay.settle import paused
from reminder_worker.relay.values import LEAST_SECONDS_LEFT, MOST_GAS, Authorization, Lane, RequestView
from reminder_worker.settings import RelaySettings, Settings
from reminder_worker.signed import served_chain

MOST_WAITING: Final = 4
"""Authorizations of one signer that may wait behind one that is not mined."""
DAY_SECONDS: Final = 86_400
FOLLOWED_SECONDS: Final = 7 * DAY_SECONDS
"""However far the deadline: what will never do is not looked at, and tried again, for ever."""
MOST_AHEAD_SECONDS: Final = 7 * DAY_SECONDS
"""That version 2 of the TimeLockRouter takes a deadline ahead of its block's time."""
LEAST_GAS_LIMIT: Final = 100_000
"""However little a simulation used."""
_BUDGET: Final = {
    "daily_cap_reached": "used up.",
    "daily_cap_reserved": "reserved by those under way; try again in twenty minutes.",
}
_SELF_PAID: Final = "Sending the transaction yourself, at your own fee, still works."


@dataclass(frozen=True, slots=True)
class ChainStatus:
    """Of one chain; `reason`: why nothing, or not both, is relayed there now, as a code. `gift_pay_to`: whether a
    withdrawal may name whom it pays."""

    chain_id: int
    gift: bool
    legacy: bool
    reason: str | None
    gift_pay_to: bool = False


@dataclass(frozen=True, slots=True)
class SponsorStatus:
    """`gift` and `legacy`: relayed on mainnet or, without it, on some chain. `gift_email`: gifts to an email."""

    gift: bool
    gift_email: bool
    legacy: bool
    chains: tuple[ChainStatus, ...]


@dataclass(frozen=True, slots=True)
class _Judged:
    """A request that is good. `creator`: of the legacy, or the giver. `waits`: behind another of the same signer.
    `simulated`: None where it could not be, or cannot be yet, or may do more when it is mined."""

    creator: str
    waits: bool
    simulated: Simulated | None = None


class _NeedsMoreGas(ContractRefused):
    """`what` succeeds, but not within the lane's gas. `hint`: a sentence and a space."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(
            WOULD_FAIL, f"This {what} needs more gas than is sponsored, so it is not sent. {hint}{_SELF_PAID}"
        )


@dataclass(frozen=True, slots=True)
class _Case:
    """A request that is signed by its signer. `gas_limit`: the lane's ceiling."""

    chain: Chain
    reads: SponsoredReads
    head: Block
    sender: str
    open_nonces: frozenset[int]
    gas_limit: int
    data: bytes

    def waits(self, request: Request, current: int) -> bool:
        """Whether its nonce comes after others of the signer that are under way here. `current`: the router's."""
        ahead = request.nonce - current
        if ahead < 0:
            raise AlreadyUsed("This signature was already used, or its nonce cancelled; sign a new one.")
        if request.nonce in self.open_nonces:
            raise NonceMismatch("Another request with this nonce is under way; wait for it, or sign the next nonce.")
        if ahead > MOST_WAITING or not self.open_nonces.issuperset(range(current, request.nonce)):
            raise NonceMismatch(f"The next nonce of this signer is {current}; sign a new one.")
        return ahead > 0

    async def simulate(self, request: Request) -> Simulated | None:
        """What the transaction would do, None where no node tells. Raises what its revert means.

        On top of the block that the facts are of: what a node that has stopped would say of its own is no refusal.
        """
        call = Call(request.router, self.data)
        try:
            found = await self.chain.simulate(call, at=self.head, sender=self.sender, gas=self.gas_limit)
        except ChainUnavailable:
            found = None  # some nodes refuse what they do not know without an answer; the plain call decides
        if found is None:
            answer = await self.chain.call(call, at=self.head.hash, sender=self.sender, gas=self.gas_limit)
            if not isinstance(answer, Reverted):
                return None
            found = answer
        if isinstance(found, Reverted):
            refused = refusal(found.data)
            # A smart wallet that lacks gas to check its signature looks like one that does not take it.
            if isinstance(refused, SignerMismatch) or refused.code == WOULD_FAIL:
                await self._check_gas(call)
            raise refused
        return found

    async def enough(self, request: Request, needs: int | None) -> int | None:
        """`needs`, or None where an endpoint says that the call fails with so little: one whose simulations tell too
        little would have good requests fail on chain, and their signers be paused."""
        if needs is None or needs >= self.gas_limit:
            return None
        call = Call(request.router, self.data)
        does = await self.chain.succeeds_at_each(call, at=self.head.hash, sender=self.sender, gas=needs)
        return needs if does else None

    async def _check_gas(self, call: Call) -> None:
        """Raises NeedsMoreGas for what fails within the lane's gas and succeeds with all that a transaction may use."""
        answer: bytes | Reverted = Reverted(b"")
        with suppress(ChainUnavailable):  # not every node lets a call use so much
            answer = await self.chain.call(call, at=self.head.hash, sender=self.sender, gas=MOST_GAS)
        if not isinstance(answer, Reverted):
            raise _NeedsMoreGas("transaction")


class Sponsor:
    """The intake of all lanes. `admission`: None while nothing is relayed here."""

    def __init__(
        self,
        engine: AsyncEngine,
        admission: Admission | None,
        chains: Mapping[int, Chain],
        indexers: Mapping[int, Indexers],
        settings: Settings,
    ) -> None:
        self._engine = engine
        self._admission = admission
        self._chains = chains
        self._indexers = indexers
        self._settings = settings
        self._reads = {chain_id: SponsoredReads(chain) for chain_id, chain in chains.items()}

    # -- the lanes ------------------------------------------------------------------------------

    async def claim(self, request: ClaimRequest) -> RequestView:
        """Free for everyone. Raises as `check_in` but for Premium, and `NotFound` never."""
        self._check_legacy_router(request)
        return await self._take(request)

    async def check_in(self, request: CheckInRequest) -> RequestView:
        """The owner's sign of life; Premium.

        Raises NotConfigured, InvalidInput, NotAKnownLegacy, Expired, SignerMismatch, AlreadyUsed, NonceMismatch,
        PremiumRequired, ContractRefused, LimitReached, RelayStopped, ChainUnavailable, RouterVersionUnsupported; then
        nothing is stored.
        """
        self._check_legacy_router(request)
        return await self._take(request)

    async def gift_withdraw(
        self,
        *,
        chain_id: int,
        timelock_id: int,
        skip_swap: bool,
        recipient: str,
        pay_to: str,
        nonce: int,
        deadline: int,
        signature: bytes,
    ) -> RequestView:
        """Of the chain's one TimeLockRouter; `pay_to` may be `THE_RECIPIENT`. Raises as `check_in`, and NotFound for an
        id without a timelock."""
        settings = served_chain(self._chains, chain_id).settings
        if pay_to in (settings.time_lock_router, *vaults(settings)):
            fault = FieldFault("/payTo", "is the router or a vault of gifts, which the contract refuses")
            raise InvalidInput("A gift cannot be paid to the contracts that keep it.", [fault])
        router = settings.time_lock_router
        return await self._take(
            WithdrawRequest(chain_id, router, timelock_id, recipient, nonce, deadline, signature, skip_swap, pay_to)
        )

    async def request(self, id: UUID) -> RequestView:
        """Raises NotFound, NotConfigured."""
        view = await self._relaying()[0].view(id)
        if view is None or view.lane is Lane.AUTO_RENEW:
            raise NotFound("There is no such request.")
        return view

    async def status(self) -> SponsorStatus:
        """Answers whatever is wrong."""
        chains = await asyncio.gather(*(self._chain_status(chain_id) for chain_id in self._chains))
        apart = self._settings.test_chains_beside_mainnet
        counted = [chain for chain in chains if chain.chain_id not in apart]
        gift, legacy = (any(getattr(chain, lane) for chain in counted) for lane in ("gift", "legacy"))
        return SponsorStatus(gift, self._settings.identity_provider is not None, legacy, tuple(chains))

    async def _chain_status(self, chain_id: int) -> ChainStatus:
        settings, reads = self._chains[chain_id].settings, self._reads[chain_id]
        try:
            reason = await self._relaying()[0].ready(chain_id)
        except (ServiceError, SQLAlchemyError, OSError) as error:
            return ChainStatus(chain_id, False, False, error.code if isinstance(error, ServiceError) else "unavailable")
        if reason is not None:
            return ChainStatus(chain_id, False, False, reason)
        # Each by itself: trouble with one router is none of the other's.
        of_gifts, why_no_gift = await _version(reads, settings.time_lock_router, TIMELOCK_VERSIONS)
        _, why_no_legacy = await _version(reads, settings.transfer_eoa_legacy_router, LEGACY_VERSIONS)
        return ChainStatus(
            chain_id,
            why_no_gift is None,
            why_no_legacy is None,
            why_no_gift or why_no_legacy,
            of_gifts == PAYEE_VERSION,
        )

    # -- from a request to its admission --------------------------------------------------------

    def _relaying(self) -> tuple[Admission, RelaySettings]:
        if self._admission is None or self._settings.relay is None:
            raise NotConfigured("Nothing is relayed here. " + _SELF_PAID)
        return self._admission, self._settings.relay

    def _check_legacy_router(self, request: ClaimRequest | CheckInRequest) -> None:
        chain = served_chain(self._chains, request.chain_id)
        if request.router != chain.settings.transfer_eoa_legacy_router:
            raise NotAKnownLegacy("This is not the router of this installation.")

    async def _take(self, request: Request) -> RequestView:
        """The first request of the same digest, whatever has become of it, or a new one."""
        admission, relay = self._relaying()
        domain = await self._domain(request)
        try:
            return await self._take_in(domain, request, admission, relay)
        except (SignerMismatch, ContractRefused):  # as it looks when the router was upgraded just now
            now = await self._domain(request, afresh=True)
            if now == domain:
                raise
        return await self._take_in(now, request, admission, relay)

    async def _take_in(
        self, domain: Domain, request: Request, admission: Admission, relay: RelaySettings
    ) -> RequestView:
        hashed = digest(request, domain)
        first = await admission.find(request.chain_id, hashed)
        if first is not None:
            return first
        try:
            authorization, waits = await self._judge(request, hashed, domain.version, admission, relay)
            return await admission.admit(authorization, waits=waits)
        except (Refused, RelayStopped) as refused:
            # A copy of it that was taken meanwhile is what makes this one look used, or its caps full.
            first = await admission.find(request.chain_id, hashed)
            if first is None and isinstance(refused, SignerMismatch):
                first = await self._signed_for_another(domain, request, admission)
            if first is not None:
                return first
            raise _in_users_words(refused) from None

    async def _signed_for_another(self, domain: Domain, request: Request, admission: Admission) -> RequestView | None:
        """The request as it was taken before an upgrade. Raises VersionMismatch for a new one that is signed so."""
        for version in versions(request):
            if version == domain.version:
                continue
            hashed = digest(request, replace(domain, version=version))
            first = await admission.find(request.chain_id, hashed)
            if first is not None:
                return first
            if recover(hashed, request.signature) == request.signer:
                detail = f"This is signed for version {version} of the router, which has version {domain.version}"
                raise VersionMismatch(f"{detail}: read its domain, and sign a new one.")
        return None

    async def _domain(self, request: Request, *, afresh: bool = False) -> Domain:
        """What the request is signed in. Raises RouterVersionUnsupported, InvalidInput, ChainUnavailable."""
        domain = await self._reads[request.chain_id].domain(request.router, afresh=afresh)
        known = TIMELOCK_VERSIONS if isinstance(request, WithdrawRequest) else LEGACY_VERSIONS
        if domain.version not in known:
            detail = "The router was upgraded, and what is signed for it now is not known here: nothing is relayed. "
            raise RouterVersionUnsupported(detail + _SELF_PAID)
        if domain.version in versions(request):
            return domain
        if not afresh:
            return await self._domain(request, afresh=True)
        fault = FieldFault("/payTo", "needs version 2 of the router: leave it out, and the recipient is paid")
        raise InvalidInput("The router of this chain pays the recipient only.", [fault])

    async def _judge(
        self, request: Request, hashed: bytes, version: str, admission: Admission, relay: RelaySettings
    ) -> tuple[Authorization, bool]:
        """The authorization, good to be relayed, and whether it has to wait for its turn."""
        chain = self._chains[request.chain_id]
        await self._check_pause(request)
        # Before the chain is asked: what is mined in between then only makes the nonce the current one.
        open_nonces = frozenset(await admission.open_of(request.chain_id, request.router, request.signer))
        signed = Signatures(chain).verify(hashed, request.signature, request.signer, caller=request.router)
        head, _ = await asyncio.gather(chain.head(), signed)
        if request.deadline < head.timestamp + LEAST_SECONDS_LEFT:
            raise Expired("The deadline of this signature has passed, or is too near to be met; sign a new one.")
        if version == PAYEE_VERSION and request.deadline > head.timestamp + MOST_AHEAD_SECONDS:
            detail = "The deadline of a withdrawal may be seven days ahead at most; sign a new one."
            raise ContractRefused("withdraw_deadline_too_far", detail)
        gas = {Lane.CLAIM: relay.claim_gas, Lane.CHECK_IN: relay.check_in_gas, Lane.GIFT_WITHDRAW: relay.gift_gas}
        case = _Case(
            chain=chain,
            reads=self._reads[request.chain_id],
            head=head,
            sender=admission.signer.address,
            open_nonces=open_nonces,
            gas_limit=gas[request.lane],
            data=call_data(request, hashed, version),
        )
        match request:
            case ClaimRequest():
                judged = await _judge_claim(request, case)
            case CheckInRequest():
                judged = await _judge_check_in(request, case)
            case WithdrawRequest():
                judged = await self._judge_withdrawal(request, case)
        authorization = Authorization(
            chain_id=request.chain_id,
            lane=request.lane,
            digest=hashed,
            router=request.router,
            subject_id=request.subject_id,
            signer=request.signer,
            creator=judged.creator,
            nonce=request.nonce,
            deadline=min(request.deadline, head.timestamp + FOLLOWED_SECONDS),
            call_data=case.data,
            gas_limit=case.gas_limit,
            needs=await case.enough(request, _needs(judged.simulated)),
        )
        return authorization, judged.waits

    async def _check_pause(self, request: Request) -> None:
        async with self._engine.connect() as connection:
            if await paused(connection, request.chain_id, request.signer):
                left = DAY_SECONDS - int(time.time()) % DAY_SECONDS
                detail = "A request of this signer failed on chain today: nothing more is sponsored until tomorrow. "
                raise LimitReached(detail + _SELF_PAID, left, "signer_paused")

    async def _judge_withdrawal(self, request: WithdrawRequest, case: _Case) -> _Judged:
        facts = await case.reads.withdraw(request.router, request.subject_id, request.signer, at=case.head.hash)
        found = facts.details
        if found is None:
            raise NotFound("There is no such timelock of tokens.")
        if found.lock_type != GIFT:
            raise ContractRefused("not_a_gift", "Only withdrawals of gifts are sponsored.")
        if found.recipient != request.signer:
            raise SignerMismatch("This gift is sealed to another account.")
        waits = case.waits(request, facts.nonce)
        if found.status != LIVE or not found.assets:
            raise named("TimelockNotLive")
        if not {token for token, _ in found.assets} <= facts.whitelist:
            raise ContractRefused("not_only_whitelisted_tokens", _only_tokens())
        if found.unlock_time > case.head.timestamp:
            raise named("StillLocked", f"The gift opens on {moment(found.unlock_time)}.")
        simulated = None if waits else await case.simulate(request)
        if await self._holds_more(request, case.chain, simulated):
            raise ContractRefused("not_only_whitelisted_tokens", _only_tokens())
        return _Judged(found.owner, waits, simulated)

    async def _holds_more(self, request: WithdrawRequest, chain: Chain, simulated: Simulated | None) -> bool:
        """Whether a vault of NFTs has something under this id too: by what it would log, else by the index."""
        of_nfts = {chain.settings.timelock_erc721, chain.settings.timelock_erc1155}
        if simulated is not None:
            return any(log.address in of_nfts for log in simulated.logs)
        ids = [request.subject_id]
        found = await self._indexers[request.chain_id].ask(lambda indexer, at: indexer.timelocks(ids, at))
        if request.subject_id not in found:
            raise IndexerUnavailable("This gift is not indexed yet; try again in a moment.")
        return any(asset.vault in of_nfts for asset in found[request.subject_id].assets)


def _needs(simulated: Simulated | None) -> int | None:
    """Gas: all of a limit is reserved of the day, and what is reserved is not there for others.

    Twice what the simulation used is room for what it got back (a fifth), for the part of its gas that each call keeps
    back (a sixty-fourth), and for a balance that is not there yet when it is mined.
    """
    if simulated is None or simulated.gas_used is None:
        return None
    return max(LEAST_GAS_LIMIT, 2 * simulated.gas_used)


async def _version(reads: SponsoredReads, router: str, known: Collection[str]) -> tuple[str | None, str | None]:
    """The version of a router's domain, and why nothing is relayed to it, as a code."""
    try:
        version = (await reads.domain(router)).version
    except ServiceError as error:
        return None, error.code
    return version, None if version in known else RouterVersionUnsupported.code


async def _judge_claim(request: ClaimRequest, case: _Case) -> _Judged:
    if not request.assets and not request.is_eth:
        raise InvalidInput("Nothing to claim is named.", [FieldFault("/assets", "is empty, and `isETH` is false")])
    if len(set(request.assets)) != len(request.assets):
        raise InvalidInput("A token is named twice.", [FieldFault("/assets", "names a token twice")])
    facts = await case.reads.claim(request.router, request.subject_id, request.signer, at=case.head.hash)
    waits = case.waits(request, facts.nonce)
    legacy = await _genuine(request, case, facts.legacy)
    if facts.disabled:
        raise named("SponsoredClaimsDisabled")
    faults = [
        FieldFault(f"/assets/{index}", "is not a whitelisted token")
        for index, token in enumerate(request.assets)
        if token not in facts.whitelist
    ]
    if faults:
        raise InvalidInput("Only claims of whitelisted tokens are sponsored.", faults)
    _check_line(legacy, request.signer, case.head.timestamp)
    simulated = None if waits else await _simulated_claim(request, case, legacy)
    if simulated is not None:
        delivers = any(log.pays(request.signer) for log in simulated.logs)
    else:
        delivers = await _has_something(request, case, legacy)
    if not delivers:
        raise ContractRefused("nothing_to_claim", "This claim would deliver nothing; check what the legacy may move.")
    return _Judged(legacy.creator, waits, simulated if simulated and _delivers_all(request, simulated) else None)


def _delivers_all(request: ClaimRequest, simulated: Simulated) -> bool:
    """Else anybody can make it dearer: a token of which there was nothing is paid to the whole line once there is."""
    paid = {log.address for log in simulated.logs if log.pays(request.signer)}
    return paid >= set(request.assets) and (not request.is_eth or not paid <= set(request.assets))


async def _simulated_claim(request: ClaimRequest, case: _Case, legacy: LegacyFacts) -> Simulated | None:
    """A legacy is live until it is deleted or claimed from, and further claims are paid: only the contract tells."""
    try:
        return await case.simulate(request)
    except ContractRefused as refused:
        if refused.code != WOULD_FAIL:
            raise
        several = len(request.assets) + request.is_eth > 1
        fewer = "With fewer assets at once it may go through. " if several else ""
        if isinstance(refused, _NeedsMoreGas):  # everybody of the line is paid each asset
            raise _NeedsMoreGas("claim", fewer) from None
        if several:
            detail = "This claim would fail on chain, so it is not sent. "
            raise ContractRefused(WOULD_FAIL, (detail + fewer).rstrip()) from None
        if not legacy.is_live:
            raise named("CannotClaim") from None
        raise


async def _judge_check_in(request: CheckInRequest, case: _Case) -> _Judged:
    facts = await case.reads.check_in(request.router, request.subject_id, request.signer, at=case.head.hash)
    waits = case.waits(request, facts.nonce)
    legacy = await _genuine(request, case, facts.legacy)
    if legacy.creator != request.signer:
        raise SignerMismatch("Only the owner of this legacy can check in.")
    if not legacy.is_live:
        raise named("LegacyIsDeleted")
    if request.deadline > case.head.timestamp + facts.most_ttl:
        raise named("CheckInDeadlineTooFar")
    if not facts.premium:
        raise PremiumRequired("Sponsored check-ins need an active Premium subscription. " + _SELF_PAID)
    return _Judged(legacy.creator, waits, None if waits else await case.simulate(request))


async def _genuine(request: Request, case: _Case, legacy: str | None) -> LegacyFacts:
    """The router's registry has named it; it has to agree."""
    found = None
    if legacy is not None:
        at = case.head.hash
        found = await Legacies(case.chain).facts_of(legacy, request.router, request.subject_id, at=at)
    if found is None:
        raise NotAKnownLegacy("The router knows no legacy with this id.")
    return found


def _check_line(legacy: LegacyFacts, signer: str, now: int) -> None:
    """Whether the signer's line has come; of an old build without triggers only the contract knows."""
    members = legacy.members
    lines = (members.beneficiaries, (members.second_line,), (members.third_line,))
    own = [opens for line, opens in zip(lines, legacy.triggers, strict=True) if signer in line]
    if not own:
        raise named("OnlyBeneficaries")
    if now < min(own):
        name = "LegacyStillActive" if now < legacy.triggers[0] else "CannotClaim"
        raise named(name, f"The legacy opens for this account on {moment(min(own))}.")


async def _has_something(request: ClaimRequest, case: _Case, legacy: LegacyFacts) -> bool:
    """Where nothing can be simulated: whether there is anything that a claim could move."""
    if request.is_eth and await case.chain.balance(legacy.legacy):
        return True
    now, at = case.head.timestamp, case.head.hash
    return bool(await case.reads.allowed_tokens(request.assets, legacy.owner, legacy.legacy, now, at=at))


def _only_tokens() -> str:
    return "Only gifts of whitelisted ERC-20 tokens are sponsored. " + _SELF_PAID


def _in_users_words(refused: Refused | RelayStopped) -> Refused | RelayStopped:
    if isinstance(refused, LimitReached) and refused.code in _BUDGET:
        state = _BUDGET[refused.code]
        detail = f"Today's budget for sponsored transactions is {state} {_SELF_PAID}"
        return LimitReached(detail, refused.retry_after, refused.code)
    if isinstance(refused, RelayStopped):
        return RelayStopped("Sponsored transactions are paused at the moment. " + _SELF_PAID, refused.reason)
    return refused
