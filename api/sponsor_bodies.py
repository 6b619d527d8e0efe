"""Requests and responses of the relay endpoints, as on the wire."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final, Literal, cast

from msgspec import Meta, Struct, field

from api.problem_codes import RequestErrorCode, SponsorReason
from api.schemas import EXAMPLE_RECIPIENT, EXAMPLE_TOKEN, AnyAddress, ChainId, Signature, cut_fraction
from reminder_worker.relay.authorizations import THE_RECIPIENT
from reminder_worker.relay.models import CANCELLED_BY_OPERATOR, FAILED_ON_CHAIN, RequestState, RequestView, WaitsFor

EXAMPLE_ROUTER = "0x4E81E1Ed3F6684EB948F8956b8787967b1a6275b"
EXAMPLE_TX = "0x" + "9b" * 32
_NUMBER = "^(0|[1-9][0-9]{0,77})$"

Router = Annotated[
    AnyAddress, Meta(description="The TransferEOALegacyRouter, letters in any case", examples=[EXAMPLE_ROUTER])
]
LegacyId = Annotated[str, Meta(pattern=_NUMBER, description="The legacy's id at that router, decimal", examples=["7"])]
Nonce = Annotated[
    str,
    Meta(
        pattern=_NUMBER,
        description=(
            "The router's `sponsorNonce` of the signer, decimal; with requests of the same signer under way here, the"
            " one after theirs"
        ),
        examples=["0"],
    ),
]
AuthDeadline = Annotated[
    int,
    Meta(
        gt=0,
        le=2**53 - 1,
        description="Unix seconds by the chain's clock, as signed; it has to be mined by then, and within seven days",
        examples=[1_900_000_000],
    ),
]


class _SponsorBody(Struct, rename="camel", forbid_unknown_fields=True):
    """An authorization that its signer made for the router."""

    chain_id: ChainId
    nonce: Nonce
    deadline: AuthDeadline
    signature: Signature


class ClaimBody(_SponsorBody, rename="camel", forbid_unknown_fields=True):
    """A beneficiary's claim."""

    router: Router
    legacy_id: LegacyId
    assets: Annotated[
        list[AnyAddress],
        Meta(
            max_length=256,
            description="Tokens to claim, whitelisted ones, in the order signed; may be empty with `isETH`",
            examples=[[EXAMPLE_TOKEN]],
        ),
    ]
    is_eth: Annotated[bool, Meta(description="Whether ether is claimed too", examples=[False])] = field(name="isETH")
    beneficiary: Annotated[AnyAddress, Meta(description="Who signed and is paid", examples=[EXAMPLE_RECIPIENT])]


class CheckInBody(_SponsorBody, rename="camel", forbid_unknown_fields=True):
    """An owner's check-in."""

    router: Router
    legacy_id: LegacyId
    owner: Annotated[AnyAddress, Meta(description="The legacy's owner", examples=[EXAMPLE_RECIPIENT])]


class GiftWithdrawBody(_SponsorBody, rename="camel", forbid_unknown_fields=True):
    """A recipient's withdrawal of a gift."""

    timelock_id: Annotated[str, Meta(pattern=_NUMBER, description="The gift's number, decimal", examples=["42"])]
    skip_swap: Annotated[
        bool,
        Meta(description="Whether the gift's own token is paid out in place of ether, as signed", examples=[False]),
    ]
    recipient: Annotated[
        AnyAddress, Meta(description="The gift's recipient, who signed the request", examples=[EXAMPLE_RECIPIENT])
    ]
    pay_to: Annotated[
        AnyAddress,
        Meta(
            description=(
                "Address that receives the payout, as signed for a router of version 2 (see `giftPayTo` of the status);"
                " absent or the zero address: the recipient. A router of version 1 pays the recipient only"
            ),
            examples=[THE_RECIPIENT],
        ),
    ] = THE_RECIPIENT


Status = Literal[
    "queued",
    "waiting_predecessor",
    "deferred_fee",
    "signed",
    "broadcast",
    "mined",
    "confirmed",
    "reverted",
    "expired",
    "satisfied_elsewhere",
    "superseded",
    "cancelled_by_user",
]
RequestId = Annotated[
    str, Meta(description="Unguessable: who knows it may follow it", examples=["3f2b8f0e-6c1d-4b5a-9f57-0f6f2f0c9a11"])
]
RequestStatus = Annotated[
    Status,
    Meta(
        description=(
            "Open: queued, waiting_predecessor (behind another of this signer), deferred_fee (gas is too dear now),"
            " signed, broadcast, mined (in a block that is not final; with an `error` it failed there). Ended well:"
            " confirmed, satisfied_elsewhere (another transaction did the same;"
            " of a gift with `payTo`, its recipient may have been paid instead). Ended: reverted, expired, superseded,"
            " cancelled_by_user"
        ),
        examples=["broadcast"],
    ),
]
TxHash = Annotated[
    str | None,
    Meta(description="The newest transaction of the request, or the mined one; null: none yet", examples=[EXAMPLE_TX]),
]


class AcceptedAnswer(Struct, rename="camel"):
    """The request is stored and will be relayed once, however often it is sent."""

    id: RequestId
    status: RequestStatus
    tx_hash: TxHash


class RequestError(Struct, rename="camel"):
    """Why it has no effect."""

    code: Annotated[
        RequestErrorCode,
        Meta(
            description=(
                "For programs: how the request ended, or why it had waited. A later version may add codes: `status`"
                " says whether the request has ended"
            ),
            examples=["expired", "failed_on_chain"],
        ),
    ]
    detail: Annotated[
        str, Meta(description="For people", examples=["The transaction was not mined before the deadline."])
    ]


class RequestAnswer(Struct, rename="camel"):
    """What has become of a request."""

    id: RequestId
    lane: Annotated[
        Literal["claim", "check_in", "gift_withdraw"], Meta(description="What it is for", examples=["claim"])
    ]
    status: RequestStatus
    waits_for: Annotated[
        Literal["fees", "balance", "daily_cap", "chain", "earlier", "paused", "would_fail"] | None,
        Meta(
            description=(
                "Why an open one is not in a block yet, where that is known: fees (gas costs more than is offered),"
                " balance (the service's wallet does not pay for it), daily_cap (today's budget has no room), chain (no"
                " node answers), earlier (another of this signer, or of the service's wallet, goes first), paused (the"
                " service's wallet is stopped, or a request of this signer failed today), would_fail (it would fail or"
                " move nothing now). The service tries again until the deadline. Null: nothing known, or not"
                " open"
            ),
            examples=[None],
        ),
    ]
    tx_hash: TxHash
    block_number: Annotated[int | None, Meta(description="The block it was mined in; null before", examples=[None])]
    error: Annotated[
        RequestError | None, Meta(description="Null unless it ended without its effect, or is mined and failed")
    ]
    created_at: Annotated[datetime, Meta(description="RFC 3339, UTC", examples=["2027-03-03T09:00:00Z"])]
    updated_at: Annotated[datetime, Meta(description="RFC 3339, UTC", examples=["2027-03-03T09:00:12Z"])]


class ChainSponsorAnswer(Struct, rename="camel"):
    """Of one chain."""

    chain_id: Annotated[int, Meta(description="Chain id", examples=[1])]
    gift: Annotated[bool, Meta(description="Whether gift withdrawals are relayed now", examples=[True])]
    gift_pay_to: Annotated[
        bool,
        Meta(
            description="Whether a gift withdrawal may name whom it pays, by `payTo`: the router has version 2",
            examples=[True],
        ),
    ]
    legacy: Annotated[bool, Meta(description="Whether claims and check-ins are relayed now", examples=[True])]
    reason: Annotated[
        SponsorReason | None,
        Meta(
            description=(
                "Why not; `router_version_unsupported` of one router or of both; null when both are. A later version"
                " may add some: `gift` and `legacy` say what is relayed"
            ),
            examples=[None],
        ),
    ]


class SponsorStatusAnswer(Struct, rename="camel"):
    """Whether sponsoring works now: ask before offering it."""

    gift: Annotated[bool, Meta(description="Gift withdrawals, on mainnet or, without it, anywhere", examples=[True])]
    gift_email: Annotated[bool, Meta(description="Gifts can be addressed by email", examples=[False])]
    legacy: Annotated[bool, Meta(description="Claims and check-ins, likewise", examples=[True])]
    chains: Annotated[list[ChainSponsorAnswer], Meta(description="Each chain served")]


_SENTENCES: Final[Mapping[RequestState, str]] = {
    RequestState.MINED: "The transaction failed on chain and moved nothing. The block is not final yet.",
    RequestState.REVERTED: "The transaction failed on chain; nothing was moved.",
    RequestState.EXPIRED: "The transaction was not mined before the deadline; sign a new request.",
    RequestState.SUPERSEDED: "Another authorization took this nonce; sign a new one.",
    RequestState.CANCELLED_BY_USER: "Its signer cancelled the nonce on chain.",
}


def _describe_error(view: RequestView) -> RequestError | None:
    if view.state not in _SENTENCES or (view.state is RequestState.MINED and view.reason != FAILED_ON_CHAIN):
        return None
    sentence = _SENTENCES[view.state]
    if view.reason == CANCELLED_BY_OPERATOR and view.state is RequestState.EXPIRED:
        sentence = "An operator of the service cancelled the request before it was mined; sign a new one."
    return RequestError(cast(RequestErrorCode, view.reason or view.state.value), sentence)


def describe_request(view: RequestView, waits_for: WaitsFor | None) -> RequestAnswer:
    """`waits_for`: of an open one."""
    return RequestAnswer(
        id=str(view.id),
        lane=cast(Any, view.lane.value),
        status=view.state.value,
        waits_for=cast(Any, waits_for and waits_for.value),
        tx_hash=view.tx_hash,
        block_number=view.block_number,
        error=_describe_error(view),
        created_at=cut_fraction(view.created_at),
        updated_at=cut_fraction(view.updated_at),
    )
