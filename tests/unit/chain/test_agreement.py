"""Decisions that need two endpoints: of three, two agreeing ones are believed. The third neither counts alone nor stops
them."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reminder_worker.chain.client import Chain
from reminder_worker.chain.events import CONTRACTS
from reminder_worker.chain.quorum import find_agreed, find_reached
from reminder_worker.errors import ChainUnavailable, Misconfigured, ServiceError
from reminder_worker.settings import ChainSettings

NOBODY = "0x" + "0" * 40
OTHERS = ("premium_registry", "premium_reminder_view", "time_lock_router", "token_white_list")
SETTINGS = ChainSettings.model_validate(
    {"chain_id": 1, "RPC_URLS": ("http://first", "http://second", "http://third"), "START_BLOCK": 0}
    | {name.upper(): NOBODY for name in (*CONTRACTS, *OTHERS)}
)
DOWN, DENIES = ChainUnavailable("it does not answer"), Misconfigured("it has no such contract")


async def told(*said: str | ServiceError) -> str:
    """Return the agreed value; `said` has the endpoints' answers in order."""

    async def read(voice: Chain) -> str:
        place = int(voice.endpoints.list_health()[0].name.partition(":")[0]) - 1
        answer = said[place]
        if isinstance(answer, ServiceError):
            raise answer
        return answer

    return await Chain(SETTINGS).agreed(read)


async def test_a_failing_or_lying_third_endpoint_does_not_stop_two_that_agree() -> None:
    for said in ((DENIES, "a", "a"), (DOWN, "a", "a"), ("b", "a", "a"), ("a", DENIES, "a")):
        assert await told(*said) == "a"


@pytest.mark.parametrize("said", [("a", "b", "c"), ("a", DOWN, "b"), ("a", DENIES, DOWN)])
async def test_a_value_of_one_endpoint_alone_is_not_believed(said: tuple[str | ServiceError, ...]) -> None:
    with pytest.raises(ChainUnavailable):
        await told(*said)


@pytest.mark.parametrize(
    ("endpoints", "votes", "agreed"),
    [
        (1, ["a"], "a"),
        (2, ["a"], None),
        (2, ["a", "a"], "a"),
        (2, ["a", "b"], None),
        (3, [], None),
        (3, ["a", "a"], "a"),
        (3, ["a", "a", "b"], "a"),
        (5, ["a", "a", "b", "b", "b"], "b"),
    ],
)
def test_votes_agree_on_what_two_endpoints_say_in_any_order(
    endpoints: int, votes: list[str], agreed: str | None
) -> None:
    assert {find_agreed(order, endpoints) for order in permutations(votes)} == {agreed}


@given(st.lists(st.integers(0, 99), max_size=5), st.integers(1, 4))
def test_a_growing_number_counts_once_enough_endpoints_have_reached_it(numbers: list[int], endpoints: int) -> None:
    number, needed = find_reached(numbers, endpoints), min(2, endpoints)
    assert (number is None) == (len(numbers) < needed)
    if number is not None:
        assert sum(each >= number for each in numbers) >= needed
        assert sum(each > number for each in numbers) < needed, "the highest such number"
