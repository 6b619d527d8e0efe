"""Amounts into dollars: what cannot be priced has no value, and no sum is wrong."""

from decimal import Decimal

import pytest

from reminder_worker.chain.contracts.tokens import ETHER_METADATA, TokenMetadata
from reminder_worker.statistics.prices import sum_values, value_tokens

USDC, DAI = "0x" + "aa" * 20, "0x" + "bb" * 20
METADATA = {USDC: TokenMetadata("USDC", 6), DAI: TokenMetadata("DAI", 18), "ETH": ETHER_METADATA}
FEEDS = frozenset({USDC, "ETH"})


def test_amounts_are_valued_to_the_cent() -> None:
    found = value_tokens({USDC: 1_500_000, "ETH": 2 * 10**18}, METADATA, {USDC: Decimal("0.999"), "ETH": Decimal(2500)})
    assert [(each.symbol, each.usd) for each in found] == [("ETH", Decimal("5000.00")), ("USDC", Decimal("1.50"))]
    assert sum_values(found, FEEDS) == Decimal("5001.50")


def test_no_fresh_price_of_a_token_with_a_feed_leaves_no_sum() -> None:
    """The amount is told, its dollars are not, nor a sum without them."""
    found = value_tokens({USDC: 1_500_000, "ETH": 10**18}, METADATA, {"ETH": Decimal(2500)})
    assert {each.symbol: each.usd for each in found} == {"ETH": Decimal("2500.00"), "USDC": None}
    assert sum_values(found, FEEDS) is None
    assert sum_values(value_tokens({"ETH": 10**18}, METADATA, {}), frozenset()) is None, "nor without any feed"


def test_a_crumb_of_a_token_without_a_feed_does_not_take_the_sum_away() -> None:
    found = value_tokens({DAI: 1, "ETH": 10**18}, METADATA, {"ETH": Decimal(2500)})
    assert [each.usd for each in found if each.token == DAI] == [None]
    assert sum_values(found, FEEDS) == Decimal("2500.00")


@pytest.mark.parametrize("digits", range(20, 40))
def test_no_amount_of_any_size_breaks_the_sum(digits: int) -> None:
    """Where anybody may mint, as on a test chain: exact to the cent, or no value and no sum."""
    found = value_tokens(
        {"ETH": int("1" * digits) * 10**18, USDC: 1}, METADATA, {"ETH": Decimal(1), USDC: Decimal(10**4)}
    )
    known = [each.usd for each in found if each.usd is not None]
    assert sum_values(found, FEEDS) in (None, Decimal("1" * digits + ".01"))
    assert (sum_values(found, FEEDS) is None) == (len(known) == 1)
    assert sum(known) == (sum_values(found, FEEDS) or Decimal("0.01")), "as whoever adds up without extra digits"


def test_an_absurd_amount_has_no_value_and_a_sum_too_large_to_be_believed_is_none() -> None:
    """2^256 base units at any price overflow nothing."""
    found = value_tokens({"ETH": 2**256 * 10**6}, METADATA, {"ETH": Decimal(2500)})
    assert (found[0].amount, found[0].usd, sum_values(found, FEEDS)) == (2**256 * 10**6, None, None)
    most = 9 * 10**23
    found = value_tokens({"ETH": most * 10**18, USDC: most * 10**6}, METADATA, {"ETH": Decimal(1), USDC: Decimal(1)})
    assert [each.usd for each in found] == [Decimal(most)] * 2
    assert sum_values(found, FEEDS) is None


def test_a_token_without_usable_decimals_has_an_amount_and_no_value_and_without_amount_it_is_not_listed() -> None:
    (found,) = value_tokens({USDC: 7}, {USDC: None}, {USDC: Decimal(1)})
    assert found.as_json() == {"token": USDC, "symbol": None, "decimals": None, "amount": "7", "usd": None}
    assert value_tokens({USDC: 0}, METADATA, {USDC: Decimal(1)}) == []
