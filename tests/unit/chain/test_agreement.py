"""Reads that need two endpoints: of three, two agreeing ones are believed. The third neither counts alone nor stops
them."""

import pytest

from reminder_worker.chain.client import Chain
from reminder_worker.chain.events import CONTRACTS
from reminder_worker.chain.quorum import read_agreed
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
    """Return the agreed value; `said` are the endpoints' answers in order."""

    async def read(voice: Chain) -> str:
        place = int(voice.endpoints.list_health()[0].name.partition(":")[0]) - 1
        answer = said[place]
        if isinstance(answer, ServiceError):
            raise answer
        return answer

    return await read_agreed(Chain(SETTINGS), read)


async def test_a_failing_or_lying_third_endpoint_does_not_stop_two_that_agree() -> None:
    for said in ((DENIES, "a", "a"), (DOWN, "a", "a"), ("b", "a", "a"), ("a", DENIES, "a")):
        assert await told(*said) == "a"


@pytest.mark.parametrize("said", [("a", "b", "c"), ("a", DOWN, "b"), ("a", DENIES, DOWN)])
async def test_a_value_of_one_endpoint_alone_is_not_believed(said: tuple[str | ServiceError, ...]) -> None:
    with pytest.raises(ChainUnavailable):
        await told(*said)
