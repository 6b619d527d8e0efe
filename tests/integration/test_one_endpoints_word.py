"""The latest block of one endpoint ends nothing for good: two endpoints have to confirm the end at a final block."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from reminder_worker.chain.abi_codec import encode_address, encode_word
from reminder_worker.indexer.models import ENDED, GIFT, LIVE
from tests.integration.chain_proxy import Json, NodeProxy, proxy
from tests.integration.gift_mail_world import NORMAL, World, open_world


@pytest.fixture
async def nodes(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[tuple[World, NodeProxy, NodeProxy]]:
    """Registered gifts on one chain behind two endpoints, of which the first is asked first."""
    url = chain_scenario.anvil.url
    async with proxy(url) as first, proxy(url) as second, AsyncExitStack() as stack:
        both = {"CHAIN_31337_RPC_URLS": f"{first.url},{second.url}"}
        yield await open_world(stack, engine, chain_scenario, **both), first, second


def gift_words(recipient: str, status: int) -> str:
    """Lock type, status and recipient as a vault's answer has them."""
    return (encode_word(GIFT) + encode_word(status) + encode_address(recipient)).hex()


def altered(told: str, instead: str) -> Callable[[Json, Json], Json]:
    def alter(_: Json, response: Json) -> Json:
        if not isinstance(response.get("result"), str):
            return response
        return response | {"result": response["result"].replace(told, instead)}

    return alter


OTHER = "0x" + "0d" * 20


@pytest.mark.parametrize(
    ("lie", "reason"),
    [
        (lambda heir: gift_words(heir, ENDED), "claimed"),
        (lambda _: gift_words(OTHER, LIVE), "gift_is_another"),
        (lambda _: gift_words(OTHER, ENDED), "gift_is_another"),
    ],
    ids=["ended", "another person's", "another person's that ended"],
)
async def test_the_first_endpoint_alone_takes_no_gifts_email_away(
    nodes: tuple[World, NodeProxy, NodeProxy], lie: Callable[[str], str], reason: str
) -> None:
    """Neither its latest nor its finalized block counts alone. After the endpoint recovers, the email is sent."""
    world, first, _ = nodes
    await world.register(world.seal(), timing="none")
    await world.sql("update worker.gift_notification set written_at = now() - interval '8 days'")
    world.scenario.advance(30 * DAY + 1)
    world.scenario.anvil.mine(2 * world.scenario.anvil.slots_in_an_epoch + 1)
    heir = world.heir.address.lower()
    first.alter = altered(gift_words(heir, LIVE), lie(heir))
    await world.tick()
    assert world.stub.inbox == []
    (row,) = await world.sql("select state, reason from worker.gift_ledger")
    assert (row.state, row.reason) == ("released", reason)
    assert await world.kept() == 1
    first.well()
    await world.tick()
    assert world.stub.told("gift_unlocked") == [NORMAL]


@pytest.mark.parametrize("timing", ["immediate", "none"])
async def test_a_withdrawal_that_is_taken_back_loses_no_email(
    nodes: tuple[World, NodeProxy, NodeProxy], timing: str
) -> None:
    """While a withdrawal is not final, its gift's emails wait and its row stays."""
    world, *_ = nodes
    scenario = world.scenario
    id = world.seal()
    await world.register(id, timing=timing)
    if timing == "immediate":
        await world.tick()
    scenario.advance(30 * DAY + 1)
    before = scenario.anvil.snapshot()
    scenario.withdraw_gift(world.heir, id)
    await world.tick()
    assert (await world.states())["gift_unlocked"] == "released"
    assert await world.kept() == 1
    scenario.anvil.revert(before)
    await world.tick()
    assert world.stub.told("gift_unlocked") == [NORMAL]


async def test_a_withdrawal_that_is_final_at_two_endpoints_ends_the_emails(
    nodes: tuple[World, NodeProxy, NodeProxy],
) -> None:
    """A silent second endpoint is waited for."""
    world, _, second = nodes
    id = world.seal()
    await world.register(id, timing="none")
    world.scenario.advance(30 * DAY + 1)
    world.scenario.withdraw_gift(world.heir, id)
    world.scenario.anvil.mine(2 * world.scenario.anvil.slots_in_an_epoch + 1)
    second.answer = lambda _: {"error": {"code": -32000, "message": "header not found"}}
    await world.tick()
    assert (await world.states(), await world.kept()) == ({"gift_unlocked": "released"}, 1)
    second.well()
    await world.tick()
    assert (await world.states(), await world.kept()) == ({"gift_unlocked": "dropped"}, 0)
    assert world.stub.inbox == []
