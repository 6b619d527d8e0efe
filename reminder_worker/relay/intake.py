"""Intake: from a user's authorization to an admitted request. Nothing is stored until the request is good.

The steps, each once: the stored requests of its signer, the facts of the chain, the rules on these facts, the
simulated call, the rules on its effects, admission. A refused request may be sent again as it is.
"""

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.routers import LEGACY_VERSIONS, PAYEE_VERSION, TIMELOCK_VERSIONS, RouterReads
from reminder_worker.chain.eip712 import SignatureVerifier, TypedDataDomain, recover_signer
from reminder_worker.chain.types import MOST_GAS
from reminder_worker.concurrency import ChainLooks
from reminder_worker.errors import (
    ChainUnavailable,
    ContractRefused,
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
    Unavailable,
    VersionMismatch,
)
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.relay import store
from reminder_worker.relay.admission import RelayAdmission
from reminder_worker.relay.authorizations import (
    Request,
    SignedCall,
    WithdrawRequest,
    build_call,
    compute_digest,
    encode_call,
    list_versions,
)
from reminder_worker.relay.models import OPEN_STATES, SELF_PAID, RelayAuthorization, RelayLane, RequestView, WaitsFor
from reminder_worker.relay.onchain_effects import list_vaults
from reminder_worker.relay.tables import FOLLOWED_SECONDS
from reminder_worker.relay.validation import RequestFacts, RequestReader, check_effects, check_request
from reminder_worker.settings import ChainSettings, RelaySettings, Settings
from reminder_worker.settings.chains import find_test_chains
from reminder_worker.signed_messages import served_chain

STATUS_SECONDS: Final = 5.0  # a frontend asks before it offers anything


@dataclass(frozen=True, slots=True)
class ChainSponsorStatus:
    """Lanes relayed on one chain. `reason`: a code if not both are. `gift_pay_to`: a withdrawal may name its payee."""

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
    """Intake of all lanes that users sign. `admission` is None while nothing is relayed here."""

    def __init__(
        self,
        engine: AsyncEngine,
        admission: RelayAdmission | None,
        chains: Mapping[int, Chain],
        indexers: Mapping[int, IndexerSelector],
        settings: Settings,
    ) -> None:
        self._engine = engine
        self._admission = admission
        self._chains = chains
        self._indexers = indexers
        self._settings = settings
        self._routers = {chain_id: RouterReads(chain) for chain_id, chain in chains.items()}
        self._statuses = ChainLooks(self._read_chain_status)

    # -- requests -------------------------------------------------------------------------------

    def gift_router(self, chain_id: int) -> str:
        """Return the chain's TimeLockRouter. Raises `InvalidInput` for a chain that is not served."""
        return served_chain(self._chains, chain_id).settings.time_lock_router

    async def take_request(self, request: Request) -> RequestView:
        """Return the stored request of the same digest, whatever became of it, or admit a new one.

        Raises NotConfigured, InvalidInput, NotAKnownLegacy, NotFound, Expired, SignerMismatch, AlreadyUsed,
        NonceMismatch, PremiumRequired, ContractRefused, LimitReached, RelayStopped, ChainUnavailable,
        RouterVersionUnsupported, VersionMismatch; then nothing is stored.
        """
        _check_contracts(request, served_chain(self._chains, request.chain_id).settings)
        self._require_relay()
        routers = self._routers[request.chain_id]
        domain = await routers.read_domain(request.router)
        try:
            return await self._take_signed(request, domain)
        except (SignerMismatch, ContractRefused, InvalidInput):  # as it looks when the router was upgraded just now
            newest = await routers.read_domain(request.router, afresh=True)
            if newest == domain:
                raise
        return await self._take_signed(request, newest)

    async def _take_signed(self, request: Request, domain: TypedDataDomain) -> RequestView:
        admission, relay = self._require_relay()
        call = build_call(request, domain)
        seconds_left = 86_400 - int(time.time()) % 86_400  # before the pause is read: not a day too long
        # Before the chain is read: a transaction mined in between only makes the nonce the current one.
        async with self._engine.connect() as connection:
            signer = await store.read_signer(connection, admission.signer.address, call)
        if signer.repeated is not None and await self._may_see(signer.repeated, call):
            return signer.repeated
        try:
            if signer.is_paused:
                detail = "A request of this signer failed on chain today: nothing more is sponsored until tomorrow. "
                raise LimitReached(detail + SELF_PAID, seconds_left, "signer_paused")
            chain_id = request.chain_id
            reader = RequestReader(
                self._chains[chain_id], self._indexers[chain_id], self._routers[chain_id], admission.signer.address
            )
            facts = await reader.read_facts(call, signer.open_nonces)
            lane_gas = {"claim": relay.claim_gas, "check_in": relay.check_in_gas, "gift_withdraw": relay.gift_gas}
            most_gas = min(lane_gas[request.lane], MOST_GAS)
            waits = check_request(call, facts)
            facts = await reader.read_effects(call, facts, waits=waits, most_gas=most_gas)
            check_effects(request, facts)
            return await admission.admit_request(_make_authorization(call, facts, most_gas), waits=waits)
        except (Refused, RelayStopped) as refused:
            if isinstance(refused, SignerMismatch):
                repeated = await self._find_other_version(request, domain)
            else:  # a copy that was admitted meanwhile makes this request look used, or fills its caps
                repeated = await self._find_repeated(call)
            if repeated is not None:
                return repeated
            raise _explain_refusal(refused) from None
        except Misconfigured:  # the relay's pass and doctor say which setting is wrong
            raise NotConfigured("Nothing is relayed here. " + SELF_PAID) from None

    async def _find_repeated(self, call: SignedCall) -> RequestView | None:
        """Return the stored request of this digest, if the sender may see it."""
        async with self._engine.connect() as connection:
            repeated = await store.find_by_digest(connection, call.request.chain_id, call.digest)
        return repeated if repeated is not None and await self._may_see(repeated, call) else None

    async def _may_see(self, repeated: RequestView, call: SignedCall) -> bool:
        """Return whether the signature is good, or is the stored one.

        The signed fields are public once a transaction was sent. Only the signature shows who may learn the id. Raises
        `ChainUnavailable` when only the chain could tell.
        """
        request = call.request
        if recover_signer(call.digest, request.signature) == request.signer:
            return True
        if await self._require_relay()[0].matches_call(repeated.id, call.data):
            return True
        signatures = SignatureVerifier(self._chains[request.chain_id])
        verdict = await signatures.check_signature(
            call.digest, request.signature, request.signer, caller=request.router
        )
        return verdict.is_signed

    async def _find_other_version(self, request: Request, domain: TypedDataDomain) -> RequestView | None:
        """Return the request as it was taken before an upgrade. Raises VersionMismatch for a new one signed so."""
        for version in list_versions(request):
            if version == domain.version:
                continue
            digest = compute_digest(request, replace(domain, version=version))
            call = SignedCall(request, version, digest, encode_call(request, digest, version))
            repeated = await self._find_repeated(call)
            if repeated is not None:
                return repeated
            if recover_signer(digest, request.signature) == request.signer:
                detail = f"This is signed for version {version} of the router, which has version {domain.version}"
                raise VersionMismatch(f"{detail}: read the router's domain, and sign again.")
        return None

    async def read_request(self, id: UUID) -> tuple[RequestView, WaitsFor | None]:
        """Return a request, and while it is open the reason it waits. Raises NotFound, NotConfigured."""
        found = await self.read_requests([id])
        if id not in found:
            raise NotFound("There is no such request.")
        return found[id]

    async def read_requests(self, ids: Collection[UUID]) -> dict[UUID, tuple[RequestView, WaitsFor | None]]:
        """As `read_request`, by id, with as many questions for many as for one. Raises NotConfigured."""
        admission, _ = self._require_relay()
        found = await admission.read_requests(ids)
        views = [view for view in found.values() if view.lane is not RelayLane.AUTO_RENEW]
        opened = [view.id for view in views if view.state in OPEN_STATES]
        reasons = await admission.find_wait_reasons(opened) if opened else {}
        return {view.id: (view, reasons.get(view.id)) for view in views}

    # -- status ---------------------------------------------------------------------------------

    async def read_status(self) -> SponsorStatus:
        """Return the lanes that are relayed now. Answers in any trouble, within five seconds."""
        found = await self._statuses.collect_within(STATUS_SECONDS, self._chains)
        silent = {
            chain_id: ChainSponsorStatus(chain_id, False, False, self._name_silence(chain_id))
            for chain_id in self._chains
        }
        chains = list({**silent, **found}.values())
        apart = find_test_chains(self._settings.chains)
        counted = [chain for chain in chains if chain.chain_id not in apart]
        gift, legacy = (any(getattr(chain, lane) for chain in counted) for lane in ("gift", "legacy"))
        return SponsorStatus(gift, self._settings.identity_provider is not None, legacy, tuple(chains))

    def _name_silence(self, chain_id: int) -> str:
        """Return as a code what does not answer: the database or the chain."""
        awaits_database = self._admission is not None and chain_id in self._admission.wallet.awaits_database
        return Unavailable.code if awaits_database else ChainUnavailable.code

    async def _read_chain_status(self, chain_id: int) -> ChainSponsorStatus:
        settings, routers = self._chains[chain_id].settings, self._routers[chain_id]
        try:
            admission = self._require_relay()[0]
            reason = await admission.wallet.read_readiness(chain_id)
        except (ServiceError, SQLAlchemyError, OSError) as error:
            code = error.code if isinstance(error, ServiceError) else Unavailable.code
            return ChainSponsorStatus(chain_id, False, False, code)
        if reason is not None:
            return ChainSponsorStatus(chain_id, False, False, reason)
        # Each router by itself: trouble with one does not concern the other.
        gift_version, no_gift = await _read_version(routers, settings.time_lock_router, TIMELOCK_VERSIONS)
        _, no_legacy = await _read_version(routers, settings.transfer_eoa_legacy_router, LEGACY_VERSIONS)
        no_gift = no_gift if admission.caps.take_gifts else "daily_cap_reached"
        no_legacy = no_legacy if admission.caps.take_legacies else "daily_cap_reached"
        return ChainSponsorStatus(
            chain_id, no_gift is None, no_legacy is None, no_gift or no_legacy, gift_version == PAYEE_VERSION
        )

    def _require_relay(self) -> tuple[RelayAdmission, RelaySettings]:
        if self._admission is None or self._settings.relay is None:
            raise NotConfigured("Nothing is relayed here. " + SELF_PAID)
        return self._admission, self._settings.relay


def _check_contracts(request: Request, settings: ChainSettings) -> None:
    """Check that the request is for this installation's router, and pays no contract of its own."""
    if not isinstance(request, WithdrawRequest):
        if request.router != settings.transfer_eoa_legacy_router:
            raise NotAKnownLegacy("This is not the router of this installation.")
    elif request.pay_to in (settings.time_lock_router, *list_vaults(settings)):
        fault = FieldFault("/payTo", "is the router or a vault of gifts, which the contract refuses")
        raise InvalidInput("A gift cannot be paid to the contracts that keep it.", [fault])


def _make_authorization(call: SignedCall, facts: RequestFacts, most_gas: int) -> RelayAuthorization:
    request = call.request
    return RelayAuthorization(
        chain_id=request.chain_id,
        lane=request.lane,
        digest=call.digest,
        router=request.router,
        subject_id=request.subject_id,
        signer=request.signer,
        creator=facts.creator,
        nonce=request.nonce,
        deadline=min(request.deadline, facts.head.timestamp + FOLLOWED_SECONDS),
        call_data=call.data,
        gas_limit=most_gas,
        needs=facts.gas_needed,
    )


async def _read_version(routers: RouterReads, router: str, known: Collection[str]) -> tuple[str | None, str | None]:
    """Return the version of a router's domain, and as a code why nothing is relayed to it."""
    try:
        version = (await routers.read_domain(router)).version
    except ServiceError as error:
        return None, error.code
    return version, None if version in known else RouterVersionUnsupported.code


def _explain_refusal(refused: Refused | RelayStopped) -> Refused | RelayStopped:
    """Return the refusal in words for users."""
    if isinstance(refused, RelayStopped):
        return RelayStopped("Sponsored transactions are paused at the moment. " + SELF_PAID, refused.reason)
    if isinstance(refused, LimitReached) and refused.code in ("daily_cap_reached", "daily_cap_reserved"):
        state = "used up."
        if refused.code == "daily_cap_reserved":
            state = "reserved by those under way; try again in twenty minutes."
        detail = f"Today's budget for sponsored transactions is {state} {SELF_PAID}"
        return LimitReached(detail, refused.retry_after, refused.code)
    return refused
