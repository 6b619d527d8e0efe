"""The gas-sponsored relay: three authorizations, the state of a request, and the state of the service."""

from typing import Annotated, Any, cast
from uuid import UUID

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import HeaderParameter, JSONBody, PathParameter

from api.problems import OF_A_BODY, UNREADABLE, describe_problem, describe_responses
from api.request_events import FollowedRequests, follow_request
from api.schemas import StrictJson
from api.sponsor_bodies import (
    AcceptedAnswer,
    ChainSponsorAnswer,
    CheckInBody,
    ClaimBody,
    GiftWithdrawBody,
    RequestAnswer,
    SponsorStatusAnswer,
    describe_request,
)
from reminder_worker.errors import FieldFault, InvalidInput, NotFound
from reminder_worker.relay.authorizations import CheckInRequest, ClaimRequest, WithdrawRequest
from reminder_worker.relay.intake import RelayIntake
from reminder_worker.relay.models import RequestView


def _list_problems(**words: str) -> dict[int, ResponseSpec]:
    common = {
        **OF_A_BODY,
        "403": "`signer_mismatch`, `not_a_known_legacy`",
        "409": "`already_used`: the nonce was used or cancelled; `nonce_mismatch`: it is not the next one",
        "410": "`expired`: the deadline has passed by the chain's clock, or is seconds away",
        "422": "`invalid_input`; or what the contract would refuse, as a code and a sentence for the user",
        "429": (
            "`daily_cap_reached`, `daily_cap_reserved`, `signer_paused`: a transaction at one's own fee still works;"
            " `rate_limited`; `Retry-After` says when to come back"
        ),
        "503": (
            "`chain_unavailable`, `relay_stopped`, `unavailable` (the database), `not_configured`,"
            " `router_version_unsupported` (the router was upgraded; a transaction at one's own fee still works):"
            " nothing was stored"
        ),
    }
    return describe_responses(common, words)


class SponsorController(Controller):
    path = "/sponsor"
    tags = ["Sponsored transactions"]  # noqa: RUF012 - read by the framework

    @post(
        "/claim",
        status_code=202,
        dto=StrictJson[ClaimBody],
        return_dto=None,
        operation_id="sponsorClaim",
        summary="Claim a legacy without ether",
        responses=_list_problems(
            on_422=(
                "`invalid_input`: also a token that is not whitelisted; `legacy_still_active` (with the opening time),"
                " `only_beneficiaries`, `sponsored_claims_disabled`, `cannot_claim`, `nothing_to_claim`,"
                " `num_assets_invalid`, `would_fail`"
            )
        ),
    )
    async def relay_claim(self, data: JSONBody[ClaimBody], sponsor: NamedDependency[RelayIntake]) -> AcceptedAnswer:
        """Signed in the router's own domain (`eip712Domain()`): `ClaimAuth(address beneficiary,uint256 legacyId,
        bytes32 assetsHash,bool isETH,uint256 nonce,uint256 deadline)`; assetsHash = keccak256 of the assets packed as
        32-byte words.

        Free for everyone. The same authorization again gives the same answer's id, and is relayed once.
        """
        view = await sponsor.take_request(
            ClaimRequest(
                chain_id=data.chain_id,
                router=data.router.lower(),
                subject_id=_read_uint256(data.legacy_id, "/legacyId"),
                signer=data.beneficiary.lower(),
                nonce=_read_uint256(data.nonce, "/nonce"),
                deadline=data.deadline,
                signature=bytes.fromhex(data.signature[2:]),
                assets=tuple(asset.lower() for asset in data.assets),
                is_eth=data.is_eth,
            )
        )
        return _describe_accepted(view)

    @post(
        "/check-in",
        status_code=202,
        dto=StrictJson[CheckInBody],
        return_dto=None,
        operation_id="sponsorCheckIn",
        summary="Check in as the owner without ether",
        responses=_list_problems(
            on_403="`signer_mismatch`, `not_a_known_legacy`, `premium_required`",
            on_422="`invalid_input`; `check_in_deadline_too_far`, `legacy_not_found`, `would_fail`",
        ),
    )
    async def check_in(self, data: JSONBody[CheckInBody], sponsor: NamedDependency[RelayIntake]) -> AcceptedAnswer:
        """Signed in the router's own domain: `CheckInAuth(address owner,uint256 legacyId,uint256 nonce,
        uint256 deadline)`, the deadline at most one hour ahead. Needs Premium.
        """
        view = await sponsor.take_request(
            CheckInRequest(
                chain_id=data.chain_id,
                router=data.router.lower(),
                subject_id=_read_uint256(data.legacy_id, "/legacyId"),
                signer=data.owner.lower(),
                nonce=_read_uint256(data.nonce, "/nonce"),
                deadline=data.deadline,
                signature=bytes.fromhex(data.signature[2:]),
            )
        )
        return _describe_accepted(view)

    @post(
        "/gift-withdraw",
        status_code=202,
        dto=StrictJson[GiftWithdrawBody],
        return_dto=None,
        operation_id="sponsorGiftWithdraw",
        summary="Open a gift without ether",
        responses=_list_problems(
            on_403=(
                "`signer_mismatch`: also when the gift is sealed to another account; `version_mismatch`: the"
                " message is signed for another version of the router"
            ),
            on_404="`not_found`: there is no such timelock of tokens",
            on_422=(
                "`invalid_input`: also a `payTo` that is the router or a vault; `payto_unsupported`: any `payTo` at a"
                " router of version 1;"
                " `still_locked` (with the opening time), `timelock_not_live`, `not_a_gift`,"
                " `not_only_whitelisted_tokens`, `withdraw_deadline_too_far`, `invalid_payee`, `would_fail`"
            ),
            on_503=(
                "`chain_unavailable`, `indexer_unavailable`, `relay_stopped`, `unavailable` (the database),"
                " `not_configured`, `router_version_unsupported` (the router was upgraded; a transaction at one's own"
                " fee still works): nothing was stored"
            ),
        ),
    )
    async def gift_withdraw(
        self, data: JSONBody[GiftWithdrawBody], sponsor: NamedDependency[RelayIntake]
    ) -> AcceptedAnswer:
        """Signed in the TimeLockRouter's own domain (`eip712Domain()`), whose version says what. In version 2:
        `WithdrawAuth(address recipient,address payTo,uint256 timelockId,bool skipSwap,uint256 nonce,uint256 deadline)`,
        the deadline at most seven days ahead; the contract pays `payTo`, and the recipient when that is the zero
        address. In version 1: `WithdrawAuth(address recipient,uint256 timelockId,bool skipSwap,uint256 nonce,
        uint256 deadline)`; the contract pays the recipient and nobody else.
        """
        view = await sponsor.take_request(
            WithdrawRequest(
                chain_id=data.chain_id,
                router=sponsor.gift_router(data.chain_id),
                subject_id=_read_uint256(data.timelock_id, "/timelockId"),
                signer=data.recipient.lower(),
                nonce=_read_uint256(data.nonce, "/nonce"),
                deadline=data.deadline,
                signature=bytes.fromhex(data.signature[2:]),
                skip_swap=data.skip_swap,
                pay_to=data.pay_to.lower(),
            )
        )
        return _describe_accepted(view)


class SponsorStatusController(Controller):
    path = "/sponsor"
    tags = ["Sponsored transactions"]  # noqa: RUF012 - read by the framework

    @get(
        "/requests/{id:str}",
        operation_id="sponsorRequest",
        summary="What has become of a request",
        responses={
            400: UNREADABLE,
            404: describe_problem("`not_found`: there is no such request; ended ones are forgotten after a while"),
            429: describe_problem("`rate_limited`; `Retry-After` says when to come back"),
            503: describe_problem("`not_configured`, `unavailable`: the database does not answer"),
        },
    )
    async def request_state(
        self,
        id: Annotated[str, PathParameter(description="The id that the request was answered with")],
        sponsor: NamedDependency[RelayIntake],
    ) -> RequestAnswer:
        """Ask every few seconds until it has ended. `waitsFor` gives the reason of a delay, if it is known."""
        return describe_request(*await sponsor.read_request(_read_uuid(id)))

    @get(
        "/status",
        operation_id="sponsorStatus",
        summary="Whether sponsoring works now",
        responses={
            429: describe_problem("`rate_limited`; `Retry-After` says when to come back"),
            503: describe_problem("`unavailable`: the database does not answer"),
        },
    )
    async def show_status(self, sponsor: NamedDependency[RelayIntake]) -> SponsorStatusAnswer:
        """Answers also while nothing is relayed, and says why: `chain_unavailable` if the chain does not answer,
        `unavailable` if the database does not, each within five seconds.
        """
        found = await sponsor.read_status()
        chains = [
            ChainSponsorAnswer(each.chain_id, each.gift, each.gift_pay_to, each.legacy, cast(Any, each.reason))
            for each in found.chains
        ]
        return SponsorStatusAnswer(found.gift, found.gift_email, found.legacy, chains)


class SponsorEventsController(Controller):
    path = "/sponsor"
    tags = ["Sponsored transactions"]  # noqa: RUF012 - read by the framework

    @get(
        "/requests/{id:str}/events",
        operation_id="sponsorRequestEvents",
        summary="Follow a request without asking again",
        media_type="text/event-stream",
        responses={
            204: ResponseSpec(None, description="`Last-Event-ID` is of its last state: nothing comes after it"),
            400: UNREADABLE,
            404: describe_problem("`not_found`: there is no such request; ended ones are forgotten after a while"),
            429: describe_problem(
                "`rate_limited`: also when ten requests are followed from one client; ask for it instead"
            ),
            503: describe_problem("`not_configured`, `unavailable`: the database does not answer"),
        },
    )
    async def request_events(
        self,
        id: Annotated[str, PathParameter(description="The id that the request was answered with")],
        followed: NamedDependency[FollowedRequests],
        last_event_id: Annotated[
            str | None, HeaderParameter(name="Last-Event-ID", description="Of the last event that arrived")
        ] = None,
    ) -> Response[Any]:
        """Server-sent events. `state` has the answer of `/sponsor/requests/{id}`, each state once; `alive` comes in
        silence, every quarter of a minute; `end` after the last state. A stream ends after ten minutes; browsers open
        it again by themselves. Every state is asked for once a second: one that lasted less may be missing.
        """
        return await follow_request(followed, _read_uuid(id), last_event_id)


def _describe_accepted(view: RequestView) -> AcceptedAnswer:
    return AcceptedAnswer(str(view.id), view.state.value, view.tx_hash)


def _read_uint256(text: str, pointer: str) -> int:
    value = int(text)
    if value >= 1 << 256:
        raise InvalidInput("A number is too large.", [FieldFault(pointer, "is larger than a uint256")])
    return value


def _read_uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise NotFound("There is no such request.") from None
