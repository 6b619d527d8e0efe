"""Amounts and prices into US dollars, in exact decimals.

A token without a price has an amount and no value. The sum is over the tokens that have a price feed: anybody can
lock a crumb of a token that has none, and shall not take the sum away. When a token with a feed has no fresh price
there is no sum, since it would be wrong.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any, Final

from reminder_worker.chain.contracts.tokens import TokenMetadata

MOST_DOLLARS: Final = Decimal(10) ** 24  # above it no amount is believed; what is below adds up exactly anywhere
_EXACT: Final = Context(prec=120)
_CENT: Final = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Secured:
    """`token`: a lower-case address or `ETH`. `amount` in base units. `decimals`, `symbol` None: not usable.

    `usd` in dollars and cents; None: no fresh price, or no decimals to apply it to.
    """

    token: str
    symbol: str | None
    decimals: int | None
    amount: int
    usd: Decimal | None

    def as_json(self) -> dict[str, Any]:
        """Numbers as strings: they are larger than JSON's."""
        return {
            "token": self.token,
            "symbol": self.symbol,
            "decimals": self.decimals,
            "amount": str(self.amount),
            "usd": None if self.usd is None else str(self.usd),
        }


def secured(
    amounts: Mapping[str, int], metadata: Mapping[str, TokenMetadata | None], prices: Mapping[str, Decimal]
) -> list[Secured]:
    """What is held of each token, the most valuable first, then by token; nothing of what nobody holds.

    `prices`: dollars for one whole token, fresh ones only.
    """
    found = [
        _valued(token, amount, metadata.get(token), prices.get(token)) for token, amount in amounts.items() if amount
    ]
    return sorted(found, key=lambda each: (-(each.usd or Decimal(-1)), each.token))


def total(tokens: Sequence[Secured], with_feed: frozenset[str]) -> Decimal | None:
    """None when no token has a feed, or one of these that is held has no value."""
    of_feeds = [each.usd for each in tokens if each.token in with_feed]
    if not with_feed:
        return None
    found = Decimal(0)
    for usd in of_feeds:
        if usd is None:
            return None
        found = _EXACT.add(found, usd)
    return found.quantize(_CENT) if found < MOST_DOLLARS else None


def _valued(token: str, amount: int, metadata: TokenMetadata | None, price: Decimal | None) -> Secured:
    if metadata is None:
        return Secured(token, None, None, amount, None)
    return Secured(token, metadata.symbol, metadata.decimals, amount, worth(amount, metadata.decimals, price))


def worth(amount: int, decimals: int, price: Decimal | None) -> Decimal | None:
    """Of base units, in dollars and cents; None without a price, and of more than anybody has."""
    if price is None:
        return None
    value = _EXACT.multiply(_EXACT.scaleb(Decimal(amount), -decimals), price)
    return value.quantize(_CENT, context=_EXACT) if value < MOST_DOLLARS else None
