"""Gas fees: never above the ceiling, and always with room for replacements."""

from hypothesis import given
from hypothesis import strategies as st

from reminder_worker.relay.fees import (
    EMPTY_GAS,
    LEAST_TIP,
    MOST_REPLACEMENTS,
    GasFees,
    bump_fees,
    compute_reservation,
    first_fees,
)

WEI = st.integers(min_value=0, max_value=10**13)
CEILING = st.integers(min_value=1, max_value=10**13)
GWEI = 10**9


@st.composite
def offers(draw: st.DrawFn) -> tuple[GasFees, int]:
    """Return first fees and their ceiling."""
    ceiling = draw(st.integers(min_value=10 * LEAST_TIP, max_value=10**13))
    tip = draw(st.integers(min_value=0, max_value=ceiling // 4))
    fees = first_fees(draw(st.integers(min_value=0, max_value=ceiling // 4)), tip, ceiling)
    assert fees is not None
    return fees, ceiling


@given(WEI, WEI, CEILING)
def test_offered_fee_pays_for_the_next_block(base: int, tip: int, ceiling: int) -> None:
    fees = first_fees(base, tip, ceiling)
    assert fees is None or fees.max_fee >= base + fees.priority_fee >= base + tip


@given(offers(), WEI, WEI)
def test_a_replacement_pays_an_eighth_more_of_both_and_never_above_the_ceiling(
    offer: tuple[GasFees, int], base: int, tip: int
) -> None:
    first, ceiling = offer
    later = bump_fees(first, base, tip, ceiling)
    assert later is not None
    assert later.max_fee * 8 >= first.max_fee * 9
    assert later.priority_fee * 8 >= first.priority_fee * 9
    assert later.priority_fee > first.priority_fee, "also where the market asks for no tip"
    assert later.priority_fee <= later.max_fee <= ceiling


def test_a_first_fee_has_room_for_twice_the_base_fee_and_above_the_ceiling_nothing_is_offered() -> None:
    """The base fee grows by an eighth a block, and an unmined transaction has four replacements."""
    assert first_fees(2 * GWEI, GWEI, 50 * GWEI) == GasFees(5 * GWEI, GWEI)
    assert first_fees(50 * GWEI, GWEI, 50 * GWEI) is None


def test_a_replacement_follows_the_market_as_long_as_there_is_room_for_another_eighth() -> None:
    first = first_fees(2 * GWEI, GWEI, 50 * GWEI)
    assert first is not None
    assert bump_fees(first, 10 * GWEI, 3 * GWEI, 50 * GWEI) == GasFees(23 * GWEI, 3 * GWEI)
    fees = first_fees(30 * GWEI, GWEI, 50 * GWEI)
    for _ in range(MOST_REPLACEMENTS):
        assert fees is not None
        fees = bump_fees(fees, 0, 0, 50 * GWEI)
    assert fees is not None
    assert bump_fees(fees, 0, 0, 50 * GWEI) is None


@given(offers(), st.integers(min_value=21_000, max_value=10**7))
def test_a_first_fee_and_its_reservation_leave_room_for_four_steps_and_an_empty_transfer(
    offer: tuple[GasFees, int], gas: int
) -> None:
    fees: GasFees | None
    fees, ceiling = offer
    reserved = compute_reservation(gas, fees, ceiling)
    for _ in range(MOST_REPLACEMENTS):
        assert fees is not None
        fees = bump_fees(fees, 0, 0, ceiling)
        assert fees is not None
        assert fees.priority_fee <= fees.max_fee <= ceiling
        assert gas * fees.max_fee <= reserved
    assert EMPTY_GAS * ceiling <= reserved <= gas * ceiling
