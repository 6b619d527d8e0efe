"""Multicall3's bytes, with eth_abi as the oracle."""

import pytest
from eth_abi.abi import encode as abi_encode
from hypothesis import given
from hypothesis import strategies as st

from reminder_worker.chain.abi_codec import MalformedData, decode_multicall, encode_multicall
from reminder_worker.chain.types import ContractCall, RevertedCall

addresses = st.binary(min_size=20, max_size=20).map(lambda raw: "0x" + raw.hex())
calls = st.lists(st.builds(ContractCall, to=addresses, data=st.binary(max_size=100)), max_size=6)
results = st.lists(st.tuples(st.booleans(), st.binary(max_size=100)), max_size=6)


@given(calls)
def test_calls_are_encoded_as_the_abi_says(made: list[ContractCall]) -> None:
    tuples = [(call.to, True, call.data) for call in made]
    assert encode_multicall(made) == bytes.fromhex("82ad56cb") + abi_encode(["(address,bool,bytes)[]"], [tuples])


@given(results)
def test_results_are_decoded_in_order_with_failures_as_values(made: list[tuple[bool, bytes]]) -> None:
    data = abi_encode(["(bool,bytes)[]"], [made])
    assert decode_multicall(data, len(made)) == [answer if ok else RevertedCall(answer) for ok, answer in made]


@given(results, st.integers(min_value=0, max_value=2000))
def test_a_truncated_answer_is_refused(made: list[tuple[bool, bytes]], cut: int) -> None:
    """Padding after the last value aside, nothing may be missing."""
    data = abi_encode(["(bool,bytes)[]"], [[*made, (True, b"\x01" * 32)]])
    with pytest.raises(MalformedData):
        decode_multicall(data[: min(cut, len(data) - 1)], len(made) + 1)


def test_another_number_of_results_is_refused() -> None:
    with pytest.raises(MalformedData):
        decode_multicall(abi_encode(["(bool,bytes)[]"], [[(True, b"")]]), 2)


@given(st.binary(max_size=600))
def test_garbage_is_refused_and_nothing_else(data: bytes) -> None:
    with pytest.raises(MalformedData):
        decode_multicall(data, 3)
