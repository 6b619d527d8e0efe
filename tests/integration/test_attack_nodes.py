"""Promises against an RPC endpoint of two that lies or is silent. `test_one_endpoints_word.py` has the other lies."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from tests.integration import reminder_world
from tests.integration.api_world import ApiWorld, open_world, person
from tests.integration.chain_proxy import Json, NodeProxy, proxy, two_endpoints
from tests.integration.mail_stub import MailStub
from tests.integration.test_one_endpoints_word import FORGED, invents


@dataclass
class TwoNodes:
    """The API over one chain behind two endpoints; both are well unless told."""

    world: ApiWorld
    first: NodeProxy
    second: NodeProxy


@pytest.fixture
async def nodes(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[TwoNodes]:
    url = chain_scenario.anvil.url
    async with proxy(url) as first, proxy(url) as second:
        more = {f"CHAIN_{chain_scenario.anvil.chain_id}_RPC_URLS": f"{first.url},{second.url}"}
        async with open_world(chain_scenario, engine, **more) as world:
            yield TwoNodes(world, first, second)


async def stored(world: ApiWorld) -> int:
    return int((await world.sql("select count(*) from worker.recipient"))[0][0])


@pytest.mark.parametrize("silent", ["first", "second"])
async def test_with_one_of_two_endpoints_down_nothing_is_written_and_what_is_stored_is_shown(
    nodes: TwoNodes, silent: str
) -> None:
    world, owner = nodes.world, nodes.world.owner()
    legacy = world.legacy(owner)
    assert (await world.ingest(owner, legacy, [person(1)])).status == 200
    down: NodeProxy = getattr(nodes, silent)
    down.answer = lambda request: {"error": {"code": -32005, "message": "rate limit exceeded"}}
    assert (await world.ingest(owner, legacy, [person(2)])).code == "chain_unavailable"
    assert (await world.call(owner, "EraseLegacy", legacy)).code == "chain_unavailable"
    assert len((await world.call(owner, "ReadRecipients", legacy)).body["recipients"]) == 1
    assert await stored(world) == 1


@asynccontextmanager
async def checked_in(
    engine: AsyncEngine, scenario: Scenario, mail: MailStub, *endpoints: str
) -> AsyncIterator[reminder_world.MailWorld]:
    """The worker at these endpoints has just ticked: the owner, whom anna is to hear of, checked in before."""
    urls: dict[str, Any] = {f"CHAIN_{reminder_world.CHAIN_ID}_RPC_URLS": ",".join(endpoints)}
    async with reminder_world.open_world(engine, scenario, mail, **urls) as world:
        legacy = world.legacy(inactivity=90 * DAY)
        await world.save(legacy, "owner", "anna")
        world.scenario.check_in(world.account("owner"), legacy)
        await world.tick()
        yield world


@pytest.mark.parametrize("place", ["first", "second"])
async def test_an_activation_invented_by_one_endpoint_sends_no_email(
    chain_scenario: Scenario, engine: AsyncEngine, place: str
) -> None:
    """Not while the other one says otherwise, however long; nor at once where it says nothing."""
    async with (
        two_endpoints(chain_scenario.anvil.url) as two,
        MailStub() as mail,
        checked_in(engine, chain_scenario, mail, two.first.url, two.second.url) as world,
    ):
        liar, other = (two.first, two.second) if place == "first" else (two.second, two.first)
        assert len(mail.inbox) == 2, "what both say is told"
        await world.sql("delete from worker.sent_ledger")
        ((genuine,),) = await world.sql("select tx_hash from worker.notify_signal")
        await world.sql("update worker.notify_signal set tx_hash = :invented, state = 'new'", invented=FORGED)
        liar.alter = invents(world.scenario, genuine)

        async def tick() -> int:
            await world.sql("update worker.notify_signal set next_try = now()")
            await world.dispatch.run()
            return len(mail.inbox)

        assert await tick() == 2
        await world.sql("update worker.notify_signal set seen_at = now() - interval '2 hours'")
        assert await tick() == 2, "the other one is believed, however long it takes"
        other.answer = lambda request: {"error": {"code": -32005, "message": "rate limit exceeded"}}
        assert await tick() == 2, "also when it then falls silent"
        await world.sql("update worker.notify_signal set seen_at = now(), reason = null")
        assert await tick() == 2, "and waited for"


def refuses_receipts(request: Json, response: Json) -> Json:
    """As a node that has no receipts, or keeps them from us: no word about any transaction."""
    if request["method"] == "eth_getTransactionReceipt":
        return {"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32601, "message": "no such method"}}
    return response


@pytest.mark.parametrize("place", ["first", "second"])
@pytest.mark.parametrize("down", [True, False], ids=["down", "refuses"])
async def test_a_signal_of_one_endpoint_counts_after_the_other_is_silent_for_long(
    chain_scenario: Scenario, engine: AsyncEngine, down: bool, place: str
) -> None:
    async with two_endpoints(chain_scenario.anvil.url) as two, MailStub() as mail:
        silent, other = (two.first, two.second) if place == "first" else (two.second, two.first)
        silent.alter = refuses_receipts
        silent_url = "http://127.0.0.1:9" if down else silent.url
        urls = (silent_url, other.url) if place == "first" else (other.url, silent_url)
        async with checked_in(engine, chain_scenario, mail, *urls) as world:
            assert len(mail.inbox) == 0
            await world.sql("update worker.notify_signal set seen_at = now() - interval '2 hours', next_try = now()")
            await world.dispatch.run()
            assert len(mail.inbox) == 2
