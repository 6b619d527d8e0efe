"""Intake: from a user's authorization to an admitted request. Nothing is stored until the request is good.

Checks go from cheap to dear: shape (the caller's), an authorization that is here already with a good signature,
deadline and signature, what the chain says of its subject, then the whole transaction simulated (`judging.py`). Times
are judged by the latest block's, as the contracts will. What cannot be read raises `ChainUnavailable`. A refusal stores
nothing: what is refused for its time or its day may be sent again as it is.
"""

import asyncio
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.routers import LEGACY_VERSIONS, PAYEE_VERSION, TIMELOCK_VERSIONS, SponsoredReads
from reminder_worker.chain.eip712 import Domain, Signatures, recover
from reminder_worker.concurrency import Looks
from reminder_worker.database.tables import FOLLOWED_SECONDS
from reminder_worker.errors import (
    ChainUnavailable,
    ContractRefused,
    Expired,
    FieldFault,
    InvalidInput,
    LimitReached,
    Misconfigured,
    NotAKnownLegacy,
    NotConfigured,
    NotFound,
    Refused,
    RelayStopped,
    RouterVersionUnsupported,
    ServiceError,
    SignerMismatch,
    VersionMismatch,
)
from reminder_worker.indexer.selector import Indexers
from reminder_worker.relay.admission import RelayAdmission
from reminder_worker.relay.authorizations import (
    CheckInRequest,
    ClaimRequest,
    Request,
    WithdrawRequest,
    call_data,
    digest,
    versions,
)
from reminder_worker.relay.models import (
    LEAST_SECONDS_LEFT,
    OPEN_STATES,
    RelayAuthorization,
    RelayLane,
    RequestView,
    WaitsFor,
)
from reminder_worker.relay.onchain_effects import vaults
from reminder_worker.relay.slot_store import paused
from reminder_worker.relay.validation import SELF_PAID, ValidationContext, judge
from reminder_worker.settings import RelaySettings, Settings, counted_apart
from reminder_worker.signed_messages import served_chain

DAY_SECONDS: Final = 86_400
MOST_AHEAD_SECONDS: Final = 7 * DAY_SECONDS
"""How far ahead of its block's time version 2 of the TimeLockRouter takes a deadline."""
STATUS_SECONDS: Final = 5.0
"""How long the status waits for a chain: frontends ask for it before they offer anything."""
NEVER: Final = "daily_cap_reached"
"""The code with which a request is refused where a cap is 0."""
_BUDGET: Final = {
    "daily_cap_reached": "used up.",
    "daily_cap_reserved": "reserved by those under way; try again in twenty minutes.",
}


@dataclass(frozen=True, slots=True)
class ChainSponsorStatus:
    """What is relayed on one chain. `reason`: why not both are, as a code. `gift_pay_to`: whether a withdrawal may name
    whom it pays."""

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
    chains: tuple[ChainSponsorStatus, ...]


class RelayIntake:
    """The intake of all lanes. `admission`: None while nothing is relayed here."""

    def __init__(
        self,
        engine: AsyncEngine,
        admission: RelayAdmission | None,
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
        self._looks = Looks(self._chain_status)

    # -- the lanes ------------------------------------------------------------------------------

    async def of_legacy(self, request: ClaimRequest | CheckInRequest) -> RequestView:
        """A claim, free for everyone, or the owner's sign of life, for which Premium is needed.

        Raises NotConfigured, InvalidInput, NotAKnownLegacy, Expired, SignerMismatch, AlreadyUsed, NonceMismatch,
        PremiumRequired, ContractRefused, LimitReached, RelayStopped, ChainUnavailable, RouterVersionUnsupported; then
        nothing is stored.
        """
        chain = served_chain(self._chains, request.chain_id)
        if request.router != chain.settings.transfer_eoa_legacy_router:
            raise NotAKnownLegacy("This is not the router of this installation.")
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
        """Of the chain's one TimeLockRouter; `pay_to` may be `THE_RECIPIENT`. Raises as `of_legacy`, and NotFound for
        an id without a timelock."""
        settings = served_chain(self._chains, chain_id).settings
        if pay_to in (settings.time_lock_router, *vaults(settings)):
            fault = FieldFault("/payTo", "is the router or a vault of gifts, which the contract refuses")
            raise InvalidInput("A gift cannot be paid to the contracts that keep it.", [fault])
        router = settings.time_lock_router
        return await self._take(
            WithdrawRequest(chain_id, router, timelock_id, recipient, nonce, deadline, signature, skip_swap, pay_to)
        )

    async def request(self, id: UUID) -> tuple[RequestView, WaitsFor | None]:
        """A request, and what it waits for while it is open. Raises NotFound, NotConfigured."""
        admission, _ = self._relaying()
        view = await admission.view(id)
        if view is None or view.lane is RelayLane.AUTO_RENEW:
            raise NotFound("There is no such request.")
        return view, await admission.waits_for(id) if view.state in OPEN_STATES else None

    async def status(self) -> SponsorStatus:
        """What is relayed here now. Answers whatever is wrong, within `STATUS_SECONDS`."""
        found = await self._looks.within(STATUS_SECONDS, self._chains)
        away = {
            chain_id: ChainSponsorStatus(chain_id, False, False, ChainUnavailable.code) for chain_id in self._chains
        }
        chains = list({**away, **found}.values())
        apart = counted_apart(self._settings.chains)
        counted = [chain for chain in chains if chain.chain_id not in apart]
        gift, legacy = (any(getattr(chain, lane) for chain in counted) for lane in ("gift", "legacy"))
        return SponsorStatus(gift, self._settings.identity_provider is not None, legacy, tuple(chains))

    async def _chain_status(self, chain_id: int) -> ChainSponsorStatus:
        settings, reads = self._chains[chain_id].settings, self._reads[chain_id]
        try:
            admission = self._relaying()[0]
            reason = await admission.ready(chain_id)
        except (ServiceError, SQLAlchemyError, OSError) as error:
            return ChainSponsorStatus(
                chain_id, False, False, error.code if isinstance(error, ServiceError) else "unavailable"
            )
        if reason is not None:
            return ChainSponsorStatus(chain_id, False, False, reason)
        # Each router by itself: what is wrong with one does not concern the other.
        of_gifts, why_no_gift = await _version(reads, settings.time_lock_router, TIMELOCK_VERSIONS)
        _, why_no_legacy = await _version(reads, settings.transfer_eoa_legacy_router, LEGACY_VERSIONS)
        why_no_gift = why_no_gift if admission.caps.take_gifts else NEVER
        why_no_legacy = why_no_legacy if admission.caps.take_legacies else NEVER
        return ChainSponsorStatus(
            chain_id,
            why_no_gift is None,
            why_no_legacy is None,
            why_no_gift or why_no_legacy,
            of_gifts == PAYEE_VERSION,
        )

    # -- from a request to its admission --------------------------------------------------------

    def _relaying(self) -> tuple[RelayAdmission, RelaySettings]:
        if self._admission is None or self._settings.relay is None:
            raise NotConfigured("Nothing is relayed here. " + SELF_PAID)
        return self._admission, self._settings.relay

    async def _take(self, request: Request) -> RequestView:
        """Return the first request of the same digest, whatever has become of it, or a new one."""
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
        self, domain: Domain, request: Request, admission: RelayAdmission, relay: RelaySettings
    ) -> RequestView:
        hashed = digest(request, domain)
        first = await self._repeated(request, hashed, domain.version, admission)
        if first is not None:
            return first
        try:
            authorization, waits = await self._judge(request, hashed, domain.version, admission, relay)
            return await admission.admit(authorization, waits=waits)
        except (Refused, RelayStopped) as refused:
            if isinstance(refused, SignerMismatch):
                first = await self._signed_for_another(domain, request, admission)
            else:  # a copy that was admitted meanwhile makes this request look used, or fills its caps
                first = await self._repeated(request, hashed, domain.version, admission)
            if first is not None:
                return first
            raise _in_users_words(refused) from None
        except Misconfigured:  # by whom is told to operators, by the relay's pass and by doctor
            raise NotConfigured("Nothing is relayed here. " + SELF_PAID) from None

    async def _repeated(
        self, request: Request, hashed: bytes, version: str, admission: RelayAdmission
    ) -> RequestView | None:
        """Return the stored request of this digest, if the signature is good or is the stored one.

        The signed fields are public once a transaction was sent. Only the signature shows who may learn the id. Raises
        `ChainUnavailable` when only the chain could tell.
        """
        first = await admission.find(request.chain_id, hashed)
        if first is None or recover(hashed, request.signature) == request.signer:
            return first
        if await admission.holds(first.id, call_data(request, hashed, version)):
            return first
        verdict = await Signatures(self._chains[request.chain_id]).verdict(
            hashed, request.signature, request.signer, caller=request.router
        )
        return first if verdict.is_signed else None

    async def _signed_for_another(
        self, domain: Domain, request: Request, admission: RelayAdmission
    ) -> RequestView | None:
        """The request as it was taken before an upgrade. Raises VersionMismatch for a new one that is signed so."""
        for version in versions(request):
            if version == domain.version:
                continue
            hashed = digest(request, replace(domain, version=version))
            first = await self._repeated(request, hashed, version, admission)
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
            raise RouterVersionUnsupported(detail + SELF_PAID)
        if domain.version in versions(request):
            return domain
        if not afresh:
            return await self._domain(request, afresh=True)
        fault = FieldFault("/payTo", "needs version 2 of the router: leave it out, and the recipient is paid")
        raise InvalidInput("The router of this chain pays the recipient only.", [fault])

    async def _judge(
        self, request: Request, hashed: bytes, version: str, admission: RelayAdmission, relay: RelaySettings
    ) -> tuple[RelayAuthorization, bool]:
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
        gas = {
            RelayLane.CLAIM: relay.claim_gas,
            RelayLane.CHECK_IN: relay.check_in_gas,
            RelayLane.GIFT_WITHDRAW: relay.gift_gas,
        }
        case = ValidationContext(
            chain=chain,
            indexers=self._indexers[request.chain_id],
            reads=self._reads[request.chain_id],
            head=head,
            sender=admission.signer.address,
            open_nonces=open_nonces,
            gas_limit=gas[request.lane],
            data=call_data(request, hashed, version),
        )
        judged = await judge(request, case)
        authorization = RelayAuthorization(
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
            gas_limit=judged.gas_limit,
            needs=await case.needs(request, judged),
        )
        return authorization, judged.waits

    async def _check_pause(self, request: Request) -> None:
        left = DAY_SECONDS - int(time.time()) % DAY_SECONDS  # before it is asked: at midnight it would be a day more
        async with self._engine.connect() as connection:
            if await paused(connection, request.chain_id, request.signer):
                detail = "A request of this signer failed on chain today: nothing more is sponsored until tomorrow. "
                raise LimitReached(detail + SELF_PAID, left, "signer_paused")


async def _version(reads: SponsoredReads, router: str, known: Collection[str]) -> tuple[str | None, str | None]:
    """The version of a router's domain, and why nothing is relayed to it, as a code."""
    try:
        version = (await reads.domain(router)).version
    except ServiceError as error:
        return None, error.code
    return version, None if version in known else RouterVersionUnsupported.code


def _in_users_words(refused: Refused | RelayStopped) -> Refused | RelayStopped:
    if isinstance(refused, LimitReached) and refused.code in _BUDGET:
        state = _BUDGET[refused.code]
        detail = f"Today's budget for sponsored transactions is {state} {SELF_PAID}"
        return LimitReached(detail, refused.retry_after, refused.code)
    if isinstance(refused, RelayStopped):
        return RelayStopped("Sponsored transactions are paused at the moment. " + SELF_PAID, refused.reason)
    return refused
