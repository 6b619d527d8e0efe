"""Requests and responses of the endpoints behind the page of a legacy, as on the wire."""

from datetime import datetime
from typing import Annotated, Literal

from eth_utils.address import to_checksum_address
from msgspec import Meta, Struct

from api.schemas import EXAMPLE_LEGACY, EXAMPLE_RECIPIENT, EXAMPLE_TOKEN, Address, AnyAddress, ChainId
from api.sponsor_bodies import EXAMPLE_ROUTER
from reminder_worker.chain.types import ETHER
from reminder_worker.outbox.messages import to_datetime
from reminder_worker.relay.legacy_pages import ClaimableAsset, ClaimPreview, LegacyPageFacts


class LegacyAnswer(Struct, rename="camel"):
    """Public facts of a legacy: no people, and no amounts."""

    state: Annotated[
        Literal["waiting", "open", "claimed", "ended"],
        Meta(
            description="Waiting while the owner is active, open for the first line, claimed by somebody, or ended by"
            " the owner. After the first claim others who are named may still claim",
            examples=["waiting"],
        ),
    ]
    kind: Annotated[
        Literal["account", "safe"],
        Meta(description="Passes on the assets of a plain account, or hands a Safe over to new signers"),
    ]
    legacy: Annotated[str, Meta(description="The legacy's contract, EIP-55", examples=[EXAMPLE_LEGACY])]
    router: Annotated[str, Meta(description="The router that made it, EIP-55", examples=[EXAMPLE_ROUTER])]
    legacy_id: Annotated[str, Meta(description="Its number at that router, decimal", examples=["7"])]
    opens_at: Annotated[
        datetime | None,
        Meta(
            description="From when on the first line may claim, RFC 3339, UTC. A sign of life of the owner moves it."
            " null: no calendar has the day, or the legacy is of an old build that names none",
            examples=["2027-03-03T09:00:00Z"],
        ),
    ]
    second_line_at: Annotated[
        datetime | None,
        Meta(description="The same for the second line; null: there is none", examples=["2027-06-03T09:00:00Z"]),
    ]
    third_line_at: Annotated[
        datetime | None,
        Meta(description="The same for the third line; null: there is none", examples=["2027-09-03T09:00:00Z"]),
    ]
    claimed_at: Annotated[
        datetime | None, Meta(description="When it was first claimed; null: not yet", examples=["2027-03-04T10:30:23Z"])
    ]
    as_of: Annotated[
        datetime,
        Meta(description="The chain's clock when this was read, RFC 3339, UTC", examples=["2026-11-29T18:30:11Z"]),
    ]
    chain_name: Annotated[str, Meta(description="The chain's name, for people", examples=["Ethereum"])]
    explorer_url: Annotated[
        str | None, Meta(description="A block explorer of the chain", examples=["https://etherscan.io"])
    ]
    claims_sponsored: Annotated[
        bool,
        Meta(
            description="Whether claims of this legacy may be relayed: not those of a Safe legacy, nor where the owner"
            " does not allow it. `GET /sponsor/status` says whether any are relayed now",
            examples=[True],
        ),
    ]
    check_ins_sponsored: Annotated[
        bool, Meta(description="Whether its owner's check-ins may be relayed: the owner has Premium", examples=[True])
    ]


class ClaimPreviewBody(Struct, rename="camel", forbid_unknown_fields=True):
    """An account that may claim."""

    chain_id: ChainId
    legacy: Address
    account: Annotated[
        AnyAddress,
        Meta(description="Account of a person whom the chain names, letters in any case", examples=[EXAMPLE_RECIPIENT]),
    ]


class ClaimableAssetAnswer(Struct, rename="camel"):
    """One asset of a claim."""

    token: Annotated[str | None, Meta(description="The token's address, EIP-55; null: ether", examples=[EXAMPLE_TOKEN])]
    symbol: Annotated[str | None, Meta(description="Its symbol; null: no symbol that can be shown", examples=["USDC"])]
    decimals: Annotated[int | None, Meta(description="Its decimals; null when unknown", examples=[6])]
    amount: Annotated[
        str | None,
        Meta(
            description="What would arrive after all fees, base units, decimal; null: no node can simulate the claim",
            examples=["250000000"],
        ),
    ]


class ClaimPreviewAnswer(Struct, rename="camel"):
    """Result of a simulated claim of this account, at most a minute old."""

    assets: Annotated[
        list[ClaimableAssetAnswer],
        Meta(description="Claim these together, tokens in this order; empty: a claim would bring nothing now"),
    ]
    has_more: Annotated[
        bool, Meta(description="Whether other assets cannot be claimed now, or not with these", examples=[False])
    ]


def describe_legacy(facts: LegacyPageFacts) -> LegacyAnswer:
    return LegacyAnswer(
        state=facts.state.value,
        kind="safe" if facts.is_safe else "account",
        legacy=to_checksum_address(facts.legacy),
        router=to_checksum_address(facts.router),
        legacy_id=str(facts.legacy_id),
        opens_at=_optional_datetime(facts.opens_at),
        second_line_at=_optional_datetime(facts.second_line_at),
        third_line_at=_optional_datetime(facts.third_line_at),
        claimed_at=_optional_datetime(facts.claimed_at),
        as_of=to_datetime(facts.now),
        chain_name=facts.chain_name,
        explorer_url=facts.explorer_url,
        claims_sponsored=facts.claims_sponsored,
        check_ins_sponsored=facts.check_ins_sponsored,
    )


def describe_preview(preview: ClaimPreview) -> ClaimPreviewAnswer:
    return ClaimPreviewAnswer(list(map(_describe_asset, preview.assets)), preview.has_more)


def _describe_asset(asset: ClaimableAsset) -> ClaimableAssetAnswer:
    metadata = asset.metadata
    return ClaimableAssetAnswer(
        token=None if asset.token == ETHER else to_checksum_address(asset.token),
        symbol=metadata.symbol if metadata else None,
        decimals=metadata.decimals if metadata else None,
        amount=None if asset.units is None else str(asset.units),
    )


def _optional_datetime(moment: int | None) -> datetime | None:
    return None if moment is None else to_datetime(moment)
