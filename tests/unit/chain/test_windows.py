"""The answer of dueRemindersBatch, with eth_abi as the oracle."""

import pytest
from eth_abi.abi import encode as abi_encode
from hypothesis import given
from hypothesis import strategies as st

from reminder_worker.chain.abi_codec import MalformedData
from reminder_worker.chain.contracts.premium import decode_windows

answers = st.lists(st.lists(st.integers(min_value=0, max_value=255), max_size=4), max_size=8)


@given(answers)
def test_open_windows_are_read_in_order_and_unknown_ones_left_out(made: list[list[int]]) -> None:
    data = abi_encode(["uint8[][]"], [made])
    assert decode_windows(data, len(made)) == [tuple(value for value in each if 1 <= value <= 6) for each in made]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_another_number_of_legacies_is_refused(count: int) -> None:
    with pytest.raises(MalformedData):
        decode_windows(abi_encode(["uint8[][]"], [[[1], [4]]]), count)


def test_a_value_that_only_its_low_byte_makes_a_window_is_left_out() -> None:
    assert decode_windows(abi_encode(["uint256[][]"], [[[256 + 4, 4]]]), 1) == [(4,)]


@given(answers, st.integers(min_value=0, max_value=4000))
def test_a_truncated_answer_is_refused(made: list[list[int]], cut: int) -> None:
    data = abi_encode(["uint8[][]"], [[*made, [4]]])
    with pytest.raises(MalformedData):
        decode_windows(data[: min(cut, len(data) - 1)], len(made) + 1)


def test_an_array_longer_than_the_answer_is_refused() -> None:
    data = bytearray(abi_encode(["uint8[][]"], [[[4]]]))
    data[96 + 24 : 128] = (2**63).to_bytes(8, "big")  # the inner array's length
    with pytest.raises(MalformedData):
        decode_windows(bytes(data), 1)
