"""Responses of `/stats` and `/stats/prices`: aggregates and public prices, nothing personal."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

AsOf = Annotated[
    datetime,
    Meta(
        description="RFC 3339, UTC: when the chain was read for the oldest part, whenever it is asked for",
        examples=["2027-03-03T09:00:00Z"],
    ),
]
ALL_EVER = "All that were ever created"
Usd = Annotated[
    str | None,
    Meta(description="US dollars as a decimal string; null when it cannot be told", examples=["1532004.25"]),
]


class LegacyCounts(Struct, rename="camel"):
    """Legacies by what has become of them."""

    total: Annotated[int, Meta(description=ALL_EVER, examples=[1204])]
    live: Annotated[int, Meta(description="Neither activated nor deleted", examples=[1101])]
    activated: Annotated[int, Meta(description="Claimed at least once", examples=[23])]
    deleted: Annotated[int, Meta(description="Deleted by their owners", examples=[80])]
    by_type: Annotated[
        dict[str, int], Meta(description="All ever created, by type of owner", examples=[{"eoa": 1100, "safe": 104}])
    ]


class TimelockCounts(Struct, rename="camel"):
    """Timelocks by what has become of them."""

    total: Annotated[int, Meta(description=ALL_EVER, examples=[405])]
    live: Annotated[int, Meta(description="Not withdrawn", examples=[310])]
    ended: Annotated[int, Meta(description="Withdrawn", examples=[95])]
    gifts: Annotated[int, Meta(description="Of all, those sealed as gifts", examples=[77])]


class TokenAnswer(Struct, rename="camel"):
    """What is secured of one token."""

    symbol: Annotated[
        str | None, Meta(description="The token's symbol; null: no symbol that can be shown", examples=["USDC"])
    ]
    amount: Annotated[
        str,
        Meta(
            description="Whole tokens as a decimal string. Each owner's part is read once a day",
            examples=["1532004.25"],
        ),
    ]
    usd: Usd


Legacies = Annotated[LegacyCounts, Meta(description="Legacies by what has become of them")]
Timelocks = Annotated[TimelockCounts, Meta(description="Timelocks by what has become of them; gifts are among them")]


class ChainStatsAnswer(Struct, rename="camel"):
    """One chain. Counts are of one block; amounts of owners were read during the day before it."""

    chain_id: Annotated[int, Meta(description="Chain id", examples=[1])]
    legacies: Legacies
    timelocks: Timelocks
    value_secured_usd: Usd
    tokens: Annotated[
        list[TokenAnswer], Meta(description="The most valuable first; without those that have no usable decimals")
    ]
    without_price: Annotated[
        list[str],
        Meta(
            description=(
                "Secured tokens without a value: no feed, no fresh price or no usable decimals. By symbol, or by"
                " address if no symbol can be shown"
            ),
            examples=[["SAFE"]],
        ),
    ]
    block_number: Annotated[int, Meta(description="The block of the counts", examples=[23_456_789])]


class TotalsAnswer(Struct, rename="camel"):
    """Over all chains; where mainnet is served, without test chains."""

    legacies: Legacies
    timelocks: Timelocks
    value_secured_usd: Annotated[
        str | None,
        Meta(description="Over the chains whose value is known; null when none is", examples=["1532004.25"]),
    ]


class StatsAnswer(Struct, rename="camel"):
    """The protocol in numbers, taken every hour."""

    as_of: AsOf
    chains: Annotated[list[ChainStatsAnswer], Meta(description="By chain id; without chains not counted yet")]
    totals: Annotated[TotalsAnswer, Meta(description="Over all chains; where mainnet is served, without test chains")]


class PriceAnswer(Struct, rename="camel"):
    """What one whole token is worth."""

    chain_id: Annotated[int, Meta(description="Chain of the price feed", examples=[1])]
    symbol: Annotated[
        str | None, Meta(description="The token's symbol; null: no symbol that can be shown", examples=["ETH"])
    ]
    usd: Annotated[str, Meta(description="US dollars as a decimal string", examples=["2513.18000000"])]
    decimals: Annotated[int, Meta(description="Digits after the point that the feed gives", examples=[8])]
    updated_at: Annotated[
        datetime, Meta(description="RFC 3339, UTC: when the feed wrote it", examples=["2027-03-03T08:47:11Z"])
    ]
    round_id: Annotated[str, Meta(description="The feed's own number of it", examples=["129127208515966867312"])]
    stale: Annotated[
        bool,
        Meta(
            description=(
                "True: the last good price, not today's. The feed missed its heartbeat, or gave an answer that is"
                " not to be believed"
            ),
            examples=[False],
        ),
    ]


class PricesAnswer(Struct, rename="camel"):
    """Prices read from on-chain feeds every few minutes."""

    as_of: AsOf
    prices: Annotated[list[PriceAnswer], Meta(description="By chain id, then as the feeds are configured")]
