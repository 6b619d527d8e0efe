"""The list of an owner's timelocks, as on the wire."""

from datetime import datetime
from typing import Annotated, Literal

from eth_utils.address import to_checksum_address
from msgspec import Meta, Struct

from api.schemas import EXAMPLE_RECIPIENT, EXAMPLE_TOKEN
from reminder_worker.chain.contracts.tokens import TokenMetadata
from reminder_worker.gifts.owner_list import OwnerPage
from reminder_worker.indexer.models import ENDED, FAR_FUTURE, LIVE, MOST_ASSETS, ListedTimelock, TimelockAsset
from reminder_worker.outbox.messages import to_datetime

TimelockKind = Literal["regular", "soft", "gift"]
_KINDS: tuple[TimelockKind, ...] = ("regular", "soft", "gift")


class SealedAssetAnswer(Struct, rename="camel"):
    """An asset that is, or was, in a timelock."""

    token: Annotated[str, Meta(description="The token's address, EIP-55", examples=[EXAMPLE_TOKEN])]
    symbol: Annotated[str | None, Meta(description="Of a whitelisted token; else null", examples=["USDC"])]
    decimals: Annotated[int | None, Meta(description="Of a whitelisted token; else null", examples=[6])]
    amount: Annotated[str, Meta(description="Base units, decimal", examples=["250000000"])]
    token_id: Annotated[str | None, Meta(description="Of an NFT, decimal; else null")]


class TimelockAnswer(Struct, rename="camel"):
    """One timelock."""

    timelock_id: Annotated[str, Meta(description="Its number on that chain", examples=["42"])]
    type: Annotated[TimelockKind, Meta(description="Its kind", examples=["gift"])]
    state: Annotated[
        Literal["sealed", "open", "ended"],
        Meta(description="Sealed until its day, open to be withdrawn, or withdrawn", examples=["sealed"]),
    ]
    recipient: Annotated[str, Meta(description="Who can withdraw it, EIP-55", examples=[EXAMPLE_RECIPIENT])]
    sealed_at: Annotated[datetime, Meta(description="RFC 3339, UTC", examples=["2026-11-02T16:20:35Z"])]
    unlock_at: Annotated[
        datetime | None,
        Meta(description="RFC 3339, UTC; null: no day is set", examples=["2027-05-01T09:00:00Z"]),
    ]
    assets: Annotated[
        list[SealedAssetAnswer], Meta(description=f"What is in it, or was: the first {MOST_ASSETS} at most")
    ]
    asset_count: Annotated[
        int, Meta(description="Number of all assets, including assets that are not listed", examples=[1])
    ]


class TimelocksAnswer(Struct, rename="camel"):
    """One page of an owner's timelocks."""

    timelocks: Annotated[list[TimelockAnswer], Meta(description="The newest first, at most 50")]
    next: Annotated[str | None, Meta(description="`before` of the next page; null: this is the last", examples=["42"])]


def describe_page(page: OwnerPage) -> TimelocksAnswer:
    listed = [_describe_timelock(each, page) for each in page.timelocks]
    return TimelocksAnswer(listed, listed[-1].timelock_id if page.has_more else None)


def _describe_timelock(listed: ListedTimelock, page: OwnerPage) -> TimelockAnswer:
    timelock = listed.timelock
    has_day = 0 < timelock.unlock_time < min(FAR_FUTURE, 2**37)
    is_open = timelock.status == LIVE and has_day and timelock.unlock_time <= page.now
    state: Literal["sealed", "open", "ended"] = "sealed"
    if timelock.status == ENDED:
        state = "ended"
    elif is_open:
        state = "open"
    return TimelockAnswer(
        timelock_id=str(timelock.timelock_id),
        type=_KINDS[timelock.lock_type],
        state=state,
        recipient=to_checksum_address(timelock.recipient),
        sealed_at=to_datetime(timelock.created_at),
        unlock_at=to_datetime(timelock.unlock_time) if has_day else None,
        assets=[_describe_asset(asset, page.metadata.get(asset.token)) for asset in timelock.assets],
        asset_count=listed.asset_count,
    )


def _describe_asset(asset: TimelockAsset, metadata: TokenMetadata | None) -> SealedAssetAnswer:
    return SealedAssetAnswer(
        token=to_checksum_address(asset.token),
        symbol=metadata.symbol if metadata else None,
        decimals=metadata.decimals if metadata else None,
        amount=str(asset.amount),
        token_id=None if asset.token_id is None else str(asset.token_id),
    )
