"""Nodes that have pruned old logs and receipts: they answer with none, without an error."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import pytest
import structlog
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.chain.logs import HistoryGone, LogFilter
from reminder_worker.chain.types import NODE_POLICY
from reminder_worker.declarations import FactScope
from reminder_worker.doctor import Finding
from reminder_worker.doctor.chain import examine_history
from reminder_worker.errors import Refused
from reminder_worker.indexer.log_reader import ALONE_AFTER_SECONDS
from reminder_worker.monitoring.watchdog import HealthWatchdog
from reminder_worker.outbox.alerts import AlertOutbox
from tests.integration.api_world import settings_for
from tests.integration.chain_proxy import Json, refused
from tests.integration.test_indexer_two_endpoints import FORGED, EndpointNodes, hides, invents

pytestmark = pytest.mark.one_order("the logs of the endpoint that is asked first are believed")


@pytest.fixture
async def nodes(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[EndpointNodes]:
    async with AsyncExitStack() as stack:
        yield EndpointNodes(chain_scenario, engine, stack)


def pruned(below: int) -> Callable[[Json, Json], Json]:
    """Answer as a node that keeps all blocks, and logs and receipts from block `below` on."""

    def alter(request: Json, response: Json) -> Json:
        result = response.get("result")
        if request["method"] == "eth_getLogs" and result is not None:
            return {**response, "result": [log for log in result if int(log["blockNumber"], 16) >= below]}
        if request["method"] == "eth_getTransactionReceipt" and result is not None:
            return {**response, "result": result if int(result["blockNumber"], 16) >= below else None}
        return response

    return alter


@pytest.mark.parametrize(
    ("order", "quiet"),
    [("PA", False), ("AP", False), ("PAA", False), ("PPA", False), ("PA", True), ("AP", True), ("PAA", True)],
)
async def test_an_archive_gives_the_logs_that_pruned_nodes_lack(nodes: EndpointNodes, order: str, quiet: bool) -> None:
    """P is pruned, A an archive. Quiet: the first block to read has no log that could show that P is pruned."""
    proxies = await nodes.open(len(order))
    nodes.scenario.anvil.mine(1)
    before = nodes.make()
    start = nodes.scenario.anvil.block_number() - quiet * 3
    nodes.scenario.anvil.mine(3)
    made = nodes.make()
    nodes.scenario.advance(ALONE_AFTER_SECONDS + 60)
    nodes.scenario.anvil.mine(NODE_POLICY.kept_log_blocks)
    for kind, each in zip(order, proxies, strict=True):
        if kind == "P":
            each.alter = pruned(nodes.scenario.anvil.block_number() - 64)
    index = nodes.index(START_BLOCK=start)
    with structlog.testing.capture_logs() as lines:
        assert (await index.run()).stopped == "at_head"
    assert await nodes.knows(made)
    assert await nodes.knows(before)
    assert "logs_passed_over" not in [line["event"] for line in lines]


async def test_a_pruned_node_is_asked_once_for_all_ranges_of_a_reading(nodes: EndpointNodes) -> None:
    """A probe beside the first range shows what the node has pruned. It would give no logs of every range."""
    first, _ = await nodes.open(2)
    start = nodes.scenario.anvil.block_number() + 1
    made = []
    for _ in range(3):
        made.append(nodes.make())
        nodes.scenario.anvil.mine(10)
    nodes.scenario.anvil.mine(NODE_POLICY.kept_log_blocks)
    first.alter = pruned(nodes.scenario.anvil.block_number() - 64)
    chain = nodes.chain(START_BLOCK=start, LOG_RANGE=10)
    wanted = LogFilter(frozenset({chain.settings.transfer_eoa_legacy_router}), frozenset())
    logs, _ = await chain.logs.read_logs(wanted, start, start + 29)
    found = "".join("".join(log.topics) + log.data.hex() for log in logs)
    assert [each.address[2:].lower() in found for each in made] == [True, True, True]
    assert first.asked["eth_getLogs"] == 2


@pytest.mark.parametrize("first_is_pruned", [True, False])
async def test_bloom_of_a_pruned_node_and_an_archive_refute_an_invented_log(
    nodes: EndpointNodes, first_is_pruned: bool
) -> None:
    """The forged log is in a block whose bloom has another contract's logs, or the very log that is copied."""
    first, second = await nodes.open(2)
    nodes.make()
    like = nodes.scenario.anvil.rpc("eth_getBlockByNumber", "latest", False)["transactions"][0]
    if first_is_pruned:
        nodes.scenario.subscribe_premium(nodes.scenario.account("ann"))
    forged = nodes.scenario.anvil.block_number()
    nodes.scenario.advance(ALONE_AFTER_SECONDS + 60)
    nodes.scenario.anvil.mine(NODE_POLICY.kept_log_blocks)
    if first_is_pruned:
        first.alter = pruned(nodes.scenario.anvil.block_number() - 64)
    second.alter = invents(nodes.scenario, like, [forged])
    with structlog.testing.capture_logs() as lines:
        assert (await nodes.index().run()).stopped == "at_head"
    passed_over = [(line["tx"], line["count"]) for line in lines if line["event"] == "logs_passed_over"]
    assert passed_over == [(FORGED, 1)]


async def test_blocks_whose_logs_no_endpoint_has_are_not_counted_as_read(nodes: EndpointNodes) -> None:
    """The index waits, with an error that names the block, and goes on as soon as an archive is there."""
    (only,) = await nodes.open(1)
    made = nodes.make()
    start = nodes.scenario.anvil.block_number()
    nodes.scenario.anvil.mine(NODE_POLICY.kept_log_blocks + 10)
    only.alter = pruned(start + 100)
    with pytest.raises(HistoryGone, match=f"block {start} "), structlog.testing.capture_logs() as lines:
        await nodes.index(START_BLOCK=start).run()
    assert {line["endpoint"] for line in lines if line["event"] == "history_pruned"} == {"1:127.0.0.1"}
    (archive,) = await nodes.open(1)
    assert (await nodes.index(only.url, archive.url, START_BLOCK=start).run()).stopped == "at_head"
    assert await nodes.knows(made)


async def test_near_the_head_no_endpoint_is_asked_for_its_history(nodes: EndpointNodes) -> None:
    (only,) = await nodes.open(1)
    nodes.make()
    nodes.scenario.anvil.mine(NODE_POLICY.kept_log_blocks + 10)
    index = nodes.index()
    await index.run()
    only.posts.clear()
    nodes.make()
    await index.run()
    assert only.asked["eth_getLogs"] == 1


def refuses_wide_questions(request: Json) -> Json | None:
    """Answer as a node that gives logs of named contracts only: nobody can tell what it has pruned."""
    is_wide = request["method"] == "eth_getLogs" and "address" not in request["params"][0]
    return {"error": {"code": -32602, "message": "specify an address"}} if is_wide else None


@pytest.mark.parametrize("order", ["RA", "RRA"])
async def test_endpoint_that_cannot_tell_what_it_pruned_counts_only_if_no_other_can(
    nodes: EndpointNodes, order: str
) -> None:
    """R has pruned the logs, and refuses the question that would show it."""
    proxies = await nodes.open(len(order))
    made = nodes.make()
    start = nodes.scenario.anvil.block_number()
    nodes.scenario.anvil.mine(NODE_POLICY.kept_log_blocks + 30)
    for kind, each in zip(order, proxies, strict=True):
        if kind == "R":
            each.answer, each.alter = refuses_wide_questions, pruned(start + 100)
    chain = nodes.chain(START_BLOCK=start, LOG_RANGE=10)
    wanted = LogFilter(frozenset({chain.settings.transfer_eoa_legacy_router}), frozenset())
    logs, _ = await chain.logs.read_logs(wanted, start, start + 29)
    assert made.address[2:].lower() in "".join("".join(log.topics) + log.data.hex() for log in logs)
    assert proxies[0].asked["eth_getLogs"] == 2, "asked once, with the question that it refuses"
    proxies[-1].answer = lambda request: refused("any range") if request["method"] == "eth_getLogs" else None
    assert (await nodes.chain(START_BLOCK=start).logs.read_logs(wanted, start, start + 9))[0] == []


@dataclass
class PrunedWorld:
    """A watchdog, `doctor` and the index over the endpoints of `nodes`."""

    nodes: EndpointNodes
    database_url: str

    async def findings(self) -> list[Finding]:
        settings = settings_for(self.nodes.scenario, self.database_url, **self._environ())
        async with Chain(settings.chains[0]) as chain:
            return [finding async for finding in examine_history(chain, self.nodes.engine)]

    async def look(self) -> tuple[bool, list[tuple[Any, ...]]]:
        """Let what looks wrong last for an hour. Returns whether all is well, and the alerts of a gap."""
        settings = settings_for(self.nodes.scenario, self.database_url, **self._environ())
        chains = {each.chain_id: Chain(each) for each in settings.chains}
        served = {chain_id: chain.settings for chain_id, chain in chains.items()}
        scope = FactScope(self.nodes.engine, served, is_local=settings.is_local)
        watchdog = HealthWatchdog(scope, AlertOutbox(self.nodes.engine), chains, settings)
        try:
            await watchdog.run()
            async with self.nodes.engine.begin() as connection:
                await connection.execute(
                    text("update worker.alert_state set turning_since = turning_since - interval '1 hour'")
                )
            found = await watchdog.run()
        finally:
            for chain in chains.values():
                await chain.close()
        async with self.nodes.engine.connect() as connection:
            rows = await connection.execute(
                text("select variables->>'status', variables->'facts' from worker.alert where kind = 'index_gap'")
            )
            return found.healthy, [tuple(row) for row in rows]

    def _environ(self) -> dict[str, str]:
        return {"CHAIN_31337_RPC_URLS": ",".join(each.url for each in self.nodes.proxies)}


@pytest.fixture
def world(nodes: EndpointNodes, database_url: str) -> PrunedWorld:
    return PrunedWorld(nodes, database_url)


def make(nodes: EndpointNodes, what: str) -> int:
    """Make a legacy, a gift, or a timelock of an NFT or of nothing; return its block."""
    ann, cid = nodes.scenario.account("ann"), nodes.scenario.account("cid").address
    deployment = nodes.scenario.deployment
    if what == "legacy":
        nodes.make()
    elif what == "gift":
        nodes.scenario.create_gift(ann, cid, tokens=[(deployment.usdc, 10**6)])
    elif what == "nft":
        nodes.scenario.create_timelock(ann, cid, erc721=[(deployment.erc721, 1)])
    else:
        nodes.scenario.create_timelock(ann, cid)
    return nodes.scenario.anvil.block_number()


@pytest.mark.parametrize(
    ("known", "hidden", "later", "missing"),
    [
        (["legacy"], ["legacy"], [], "legacy 2 of "),
        ([], ["legacy"], ["legacy"], "legacy 1 of "),
        (["gift"], ["gift"], [], "timelock 2"),
        (["gift"], ["gift"], ["gift"], "timelock 2"),
        (["gift"], ["nft", "gift"], [], "timelock 3"),
        (["gift"], ["gift"], ["legacy"], "timelock 2"),
    ],
)
async def test_a_gap_of_the_index_is_alerted_until_it_is_filled(
    world: PrunedWorld, known: list[str], hidden: list[str], later: list[str], missing: str
) -> None:
    """The only endpoint has pruned blocks without saying so. An archive and a backfill end the alert."""
    nodes = world.nodes
    (node,) = await nodes.open(1)
    for what in known:
        make(nodes, what)
    gone = [make(nodes, what) for what in hidden]
    for what in later:
        make(nodes, what)
    node.alter = hides(*gone, receipts=True)
    await nodes.index().run()
    healthy, alerts = await world.look()
    assert not healthy
    ((status, facts),) = alerts
    assert status == "raised"
    assert facts[0]["value"].startswith(missing)
    first_block = int(facts[1]["value"])
    assert first_block <= gone[0]
    ((part, good, words),) = [each for each in await world.findings() if "lacks" in each[2]]
    assert (part, good) == ("chain 31337 history", False)
    assert words.endswith(f"`reminder-worker backfill --from-block {first_block}`")
    node.well()
    index = nodes.index()
    await index.rewind_to(first_block)
    await index.run()
    healthy, alerts = await world.look()
    assert healthy
    assert [status for status, _ in alerts] == ["raised", "cleared"]
    assert ("chain 31337 history", True, "our index has every legacy and gift that the contracts know") in (
        await world.findings()
    )


@pytest.mark.parametrize(
    ("order", "good", "words"),
    [
        ("A", True, "every endpoint has the logs of block {0}"),
        ("AR", None, "2:127.0.0.1 does not say whether it has the logs of block {0}"),
        ("PR", None, "2:127.0.0.1 does not say whether it has the logs of block {0}; 1:127.0.0.1 pruned them"),
        ("PA", None, "1:127.0.0.1 pruned the logs of block {0}: the other endpoints are asked for old logs"),
        (
            "PP",
            False,
            "1:127.0.0.1, 2:127.0.0.1 pruned the logs of block {0}, so nothing can be read again: add an archive "
            "endpoint to RPC_URLS",
        ),
    ],
)
async def test_doctor_names_the_endpoints_that_have_pruned_old_logs(
    world: PrunedWorld, order: str, good: bool | None, words: str
) -> None:
    proxies = await world.nodes.open(len(order))
    settings = settings_for(world.nodes.scenario, world.database_url)
    start = settings.chains[0].start_block
    first = next(
        number
        for number in range(start, start + 100)
        if int(world.nodes.scenario.anvil.rpc("eth_getBlockByNumber", hex(number), False)["logsBloom"], 16)
    )
    world.nodes.scenario.anvil.mine(NODE_POLICY.kept_log_blocks + 10)
    for kind, each in zip(order, proxies, strict=True):
        if kind == "P":
            each.alter = pruned(first + 1)
        if kind == "R":
            each.answer = refuses_wide_questions
    assert ("chain 31337 history", good, words.format(first)) in await world.findings()


async def test_rows_are_kept_if_no_endpoint_can_give_them_again_or_tell_whether_it_does(nodes: EndpointNodes) -> None:
    """A backfill is refused before it takes anything back."""
    (only,) = await nodes.open(1)
    made = nodes.make()
    block = nodes.scenario.anvil.block_number()
    nodes.scenario.anvil.mine(3)
    index = nodes.index()
    await index.run()
    only.alter = pruned(block + 1)
    with pytest.raises(Refused, match="add an archive endpoint first"):
        await index.rewind_to(block)
    only.answer = refuses_wide_questions
    with pytest.raises(Refused, match=f"no endpoint can tell whether it has the logs of block {block}"):
        await index.rewind_to(block - 1)
    assert await nodes.knows(made)
    only.well()
    await index.rewind_to(block - 1)
    assert not await nodes.knows(made)


async def test_denial_by_an_endpoint_that_cannot_tell_what_it_pruned_contradicts_no_bloom(nodes: EndpointNodes) -> None:
    """It gives neither the log nor the receipt. The bloom of its own block announces the log."""
    first, _ = await nodes.open(2)
    made = nodes.make()
    first.alter, first.answer = hides(nodes.scenario.anvil.block_number(), receipts=True), refuses_wide_questions
    nodes.scenario.advance(ALONE_AFTER_SECONDS + 60)
    with structlog.testing.capture_logs() as lines:
        assert (await nodes.index().run()).stopped == "at_head"
    assert await nodes.knows(made)
    assert "logs_passed_over" not in [line["event"] for line in lines]


async def test_gap_stays_unknown_until_an_endpoint_has_answered(world: PrunedWorld) -> None:
    """An answer that does not come is asked for at the next look, not an hour later."""
    (node,) = await world.nodes.open(1)
    gone = make(world.nodes, "legacy")
    node.alter = hides(gone, receipts=True)
    await world.nodes.index().run()
    node.answer = lambda request: refused("not now") if request["method"] == "eth_call" else None
    assert (await world.look())[1] == []
    node.answer = lambda request: None
    assert [status for status, _ in (await world.look())[1]] == ["raised"]
