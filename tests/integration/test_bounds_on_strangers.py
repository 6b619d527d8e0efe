"""Promises about input of strangers and answers of their contracts: size limits apply before any work is done.

Unicode normalisation of combining marks takes quadratic time. A text of these tests is too long and becomes short
when normalised: code that checks the length afterwards would accept the text.
"""

import tracemalloc
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest
from aiohttp import web
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from mail_service.addresses import parse_address
from mail_service.errors import MailProblem
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.legacies import LegacyReads
from reminder_worker.chain.eip712 import SignatureVerifier
from reminder_worker.errors import SignerMismatch
from reminder_worker.indexer.models import MOST_ASSETS, MOST_LOOKED_AT
from reminder_worker.privacy.emails import check_name, normalise_email
from tests.integration.api_world import ApiWorld, open_world
from tests.integration.chain_proxy import NodeProxy, chain_settings, proxy
from tests.integration.indexer_graph_node import GraphNode
from tests.integration.test_attack_contracts import HOSTILE
from tests.integration.test_gift_pages import GIFTS, entry, indexed

DECOMPOSED = "\u03b1\u0313\u0300\u0345" * 60
MARKS = "\u0315" * 15_900 + "\u0300" * 15_900


@pytest.mark.parametrize("text", [f"Anna{' ' * 236}B", f"{DECOMPOSED} ", MARKS])
def test_a_name_that_is_too_long_is_refused_before_it_is_normalised(text: str) -> None:
    with pytest.raises(ValueError, match="longer than 60 characters"):
        check_name(text)


@pytest.mark.parametrize("text", [f"anna@example.org{' ' * 493}", f"anna@{MARKS}", f"{MARKS}@example.org"])
def test_an_address_that_is_too_long_is_refused_before_it_is_normalised(text: str) -> None:
    with pytest.raises(ValueError, match="too long"):
        normalise_email(text)
    with pytest.raises(MailProblem) as caught:
        parse_address(text)
    assert (caught.value.code, caught.value.detail) == ("bad_address", "The email address is too long.")


# -- what a contract answers ------------------------------------------------------------------------------

STRANGER = "0x" + "ba" * 20
LITTLE_GAS = 500_000
LITTLE_MEMORY = 2 * 1024 * 1024
ENOUGH = 64 * 1024 * 1024


@pytest.fixture
async def node(chain_scenario: Scenario) -> AsyncIterator[NodeProxy]:
    async with proxy(chain_scenario.anvil.url) as opened:
        yield opened


async def test_a_contract_of_a_stranger_costs_one_small_question_before_the_signature(
    chain_scenario: Scenario, engine: AsyncEngine, node: NodeProxy
) -> None:
    """The request is not signed: anybody can send it, about any address."""
    more = {f"CHAIN_{chain_scenario.anvil.chain_id}_RPC_URLS": node.url}
    async with open_world(chain_scenario, engine, **more) as world:
        await refuse_unsigned(world, "0x" + "00" * 19 + "01")  # the endpoint is asked for its chain once
        for code in HOSTILE.values():
            chain_scenario.anvil.set_code(STRANGER, code)
            node.posts.clear()
            await refuse_unsigned(world, STRANGER)
            (request,) = node.requests
            assert int(request["params"][0]["gas"], 16) <= LITTLE_GAS


async def test_a_fake_that_names_a_true_place_costs_one_more_question(
    chain_scenario: Scenario, engine: AsyncEngine, node: NodeProxy
) -> None:
    """The second question is for the registry alone."""
    more = {f"CHAIN_{chain_scenario.anvil.chain_id}_RPC_URLS": node.url}
    async with open_world(chain_scenario, engine, **more) as world:
        true = world.legacy(world.owner())
        fake = chain_scenario.deploy_fake_legacy(world.owner("attacker"), true.id, [])
        await refuse_unsigned(world, STRANGER)
        node.posts.clear()
        await refuse_unsigned(world, fake.address)
        assert [request["params"][0]["to"] for request in node.requests] == [
            chain_scenario.deployment.multicall3.lower(),
            true.router,
        ]


async def refuse_unsigned(world: ApiWorld, legacy: str) -> None:
    body = {"chainId": world.chain_id, "legacy": legacy, "deadline": world.deadline(), "signature": "0x"}
    answer = await world.post("/erase-legacy", body)
    assert (answer.status, answer.code) == (403, "not_a_known_legacy"), answer.body


async def test_what_a_contract_of_a_stranger_answers_is_not_kept_whole(chain_scenario: Scenario) -> None:
    """Neither as a legacy nor as a wallet that may have signed."""
    for code in HOSTILE.values():
        chain_scenario.anvil.set_code(STRANGER, code)
        async with Chain(chain_settings(chain_scenario, chain_scenario.anvil.url)) as chain:
            await chain.endpoints.check_chain_ids()
            tracemalloc.start()
            try:
                assert await LegacyReads(chain).is_genuine(STRANGER) is None
                with pytest.raises(SignerMismatch):
                    await SignatureVerifier(chain).verify_signature(bytes(32), b"", STRANGER)
                _, most = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
            assert most < LITTLE_MEMORY
            assert [(endpoint.ok, endpoint.errors) for endpoint in chain.endpoints.list_health()] == [(True, 0)]


class EndlessAnswer(NodeProxy):
    """Answers calls with digits until the client hangs up, or has read `ENOUGH`."""

    sent = 0

    async def _serve(self, http: web.Request) -> web.StreamResponse:
        if b"eth_call" not in await http.read():
            return await super()._serve(http)
        answer = web.StreamResponse(headers={"Content-Type": "application/json"})
        await answer.prepare(http)
        await answer.write(b'{"jsonrpc":"2.0","id":0,"result":"0x')
        with suppress(ConnectionError):
            while self.sent < ENOUGH:
                await answer.write(b"00" * 32_768)
                self.sent += 65_536
        return answer


async def test_an_answer_without_end_is_not_read_to_its_end(chain_scenario: Scenario) -> None:
    node = EndlessAnswer(chain_scenario.anvil.url)
    await node.start()
    async with Chain(chain_settings(chain_scenario, node.url)) as chain:
        await chain.endpoints.check_chain_ids()
        assert await LegacyReads(chain).is_genuine(STRANGER) is None
    assert node.sent < ENOUGH
    await node.stop()


# -- what strangers seal ----------------------------------------------------------------------------------

JUNK = "0x" + "dd" * 20


async def test_worthless_gifts_to_an_address_cost_one_statement_and_hide_no_other(
    chain_scenario: Scenario, engine: AsyncEngine
) -> None:
    """As many as our own index looks at, each newer than the gift."""
    ada = chain_scenario.account("ada").address
    async with open_world(chain_scenario, engine, **GIFTS) as world:
        gift = chain_scenario.create_gift(chain_scenario.account("giver"), ada, eth=1)
        await indexed(world)
        await world.sql(
            "insert into worker.timelock (chain_id, timelock_id, lock_type, owner, recipient, unlock_time, status,"
            " assets, created_block, created_at) select t.chain_id, t.timelock_id + n, t.lock_type, t.owner,"
            " t.recipient, t.unlock_time, t.status, jsonb_build_array(jsonb_build_object('vault',"
            " t.assets -> 0 ->> 'vault', 'token', cast(:junk as text), 'id', null, 'amount', '1')),"
            " t.created_block, t.created_at + n from worker.timelock t, generate_series(1, :many) n",
            junk=JUNK,
            many=MOST_LOOKED_AT - 1,
        )
        asked: list[str] = []

        @event.listens_for(engine.sync_engine, "before_cursor_execute")
        def see(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
            if "worker.timelock" in statement:
                asked.append(statement)

        try:
            moved = await entry(world, ada)
        finally:
            event.remove(engine.sync_engine, "before_cursor_execute", see)
        assert moved.headers.get("Location", "").endswith(f"/{world.chain_id}/{gift}")
        assert len(asked) == 1


async def test_a_printed_sheet_costs_no_question_to_a_subgraph_and_reads_no_asset(
    chain_scenario: Scenario, engine: AsyncEngine
) -> None:
    """A subgraph is paid by the query, and hundreds of gifts of hundreds of assets would be many."""
    ada = chain_scenario.account("ada").address
    async with GraphNode() as graph:
        subgraph = {f"CHAIN_{chain_scenario.anvil.chain_id}_SUBGRAPH_URL": graph.url.get_secret_value()}
        async with open_world(chain_scenario, engine, **GIFTS, **subgraph) as world:
            gift = chain_scenario.create_gift(chain_scenario.account("giver"), ada, eth=1)
            await indexed(world)
            await world.sql("update worker.timelock set assets = jsonb_set(assets, '{0, amount}', '\"no number\"')")
            graph.asked.clear()
            moved = await entry(world, ada)
            assert moved.headers["Location"].endswith(f"/{world.chain_id}/{gift}")
            assert graph.asked == []


async def test_a_list_shows_twenty_assets_of_a_timelock_and_counts_all(
    chain_scenario: Scenario, engine: AsyncEngine
) -> None:
    """As many as fit a transaction, in each of a page's timelocks: the database itself returns only what is shown."""
    owner, usdc = chain_scenario.account("giver"), chain_scenario.deployment.usdc
    async with open_world(chain_scenario, engine, **GIFTS) as world:
        chain_scenario.create_timelock(owner, owner.address, tokens=[(usdc, 1)])
        await indexed(world)
        await world.sql(
            "insert into worker.timelock (chain_id, timelock_id, lock_type, owner, recipient, unlock_time, status,"
            " assets, created_block, created_at) select t.chain_id, t.timelock_id + n, t.lock_type, t.owner,"
            " t.recipient, t.unlock_time, t.status,"
            " cast('[' || repeat(t.assets ->> 0 || ',', 349) || (t.assets ->> 0) || ']' as jsonb),"
            " t.created_block, t.created_at from worker.timelock t, generate_series(1, 50) n"
        )
        answer = await world.request("GET", f"/timelocks?chainId={world.chain_id}&owner={owner.address}")
        more = await world.request("GET", f"/timelocks?chainId={world.chain_id}&owner={owner.address}&before=2")
        counts = [each["assetCount"] for each in answer.body["timelocks"]]
        assert counts == [350] * 50
        assert {len(each["assets"]) for each in answer.body["timelocks"]} == {MOST_ASSETS}
        (few,) = more.body["timelocks"]
        assert (few["assetCount"], len(few["assets"])) == (1, 1)
        rows = await world.parts.chain_indexes[world.chain_id].list_timelocks(owner.address, None, 50)
        assert {len(each.timelock.assets) for each in rows} == {MOST_ASSETS}
