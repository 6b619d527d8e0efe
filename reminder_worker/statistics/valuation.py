"""Values of amounts in US dollars, in exact decimals.

A token without a price has an amount and no value. The sum covers tokens with a price feed only: otherwise anybody
could remove the sum by locking a crumb of a token without a feed. If such a token has no fresh price, there is no sum.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any, Final

from reminder_worker.chain.contracts.tokens import TokenMetadata

MOST_DOLLARS: Final = Decimal(10) ** 24  # a larger value is not believed; smaller ones add up exactly anywhere
_EXACT: Final = Context(prec=120)
_CENT: Final = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class SecuredToken:
    """Amount of a token (a lower-case address or `ETH`) in base units, and its value.

    `decimals`, `symbol`: None if not usable. `usd`: None without a fresh price or without decimals.
    """

    token: str
    symbol: str | None
    decimals: int | None
    amount: int
    usd: Decimal | None

    def as_json(self) -> dict[str, Any]:
        """Return JSON values; numbers are strings, since they exceed JSON's."""
        return {
            "token": self.token,
            "symbol": self.symbol,
            "decimals": self.decimals,
            "amount": str(self.amount),
            "usd": None if self.usd is None else str(self.usd),
        }


def value_tokens(
    amounts: Mapping[str, int], metadata: Mapping[str, TokenMetadata | None], prices: Mapping[str, Decimal]
) -> list[SecuredToken]:
    """Return the tokens with an amount, the most valuable first. `prices`: fresh dollars of one whole token."""
    found = [
        _value_token(token, amount, metadata.get(token), prices.get(token))
        for token, amount in amounts.items()
        if amount
    ]
    return sorted(found, key=lambda held: (-(held.usd or Decimal(-1)), held.token))


def sum_values(tokens: Sequence[SecuredToken], with_feed: frozenset[str]) -> Decimal | None:
    """Return the sum, or None if no token has a feed or a held token with a feed has no value."""
    of_feeds = [held.usd for held in tokens if held.token in with_feed]
    if not with_feed:
        return None
    found = Decimal(0)
    for usd in of_feeds:
        if usd is None:
            return None
        found = _EXACT.add(found, usd)
    return found.quantize(_CENT) if found < MOST_DOLLARS else None


def _value_token(token: str, amount: int, metadata: TokenMetadata | None, price: Decimal | None) -> SecuredToken:
    if metadata is None:
        return SecuredToken(token, None, None, amount, None)
    return SecuredToken(
        token, metadata.symbol, metadata.decimals, amount, value_amount(amount, metadata.decimals, price)
    )


def value_amount(amount: int, decimals: int, price: Decimal | None) -> Decimal | None:
    """Return the value of base units in dollars and cents; None without a price, and for an absurd value."""
    if price is None:
        return None
    value = _EXACT.multiply(_EXACT.scaleb(Decimal(amount), -decimals), price)
    return value.quantize(_CENT, context=_EXACT) if value < MOST_DOLLARS else None
