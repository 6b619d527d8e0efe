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
from reminder_worker.chain.logs import HistoryGone
from reminder_worker.chain.types import NODE_POLICY
from reminder_worker.doctor import Finding
from reminder_worker.doctor.chain import examine_history
from reminder_worker.errors import Refused
from reminder_worker.indexer.log_reader import ALONE_AFTER_SECONDS
from reminder_worker.monitoring.facts import FactScope
from reminder_worker.monitoring.watchdog import HealthWatchdog
from reminder_worker.outbox.alerts import AlertOutbox
from tests.integration.api_world import settings_for
from tests.integration.chain_proxy import Json
from tests.integration.test_indexer_two_endpoints import FORGED, EndpointNodes, hides, invents


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
        assert (await index.advance()).stopped == "at_head"
    assert await nodes.knows(made)
    assert await nodes.knows(before)
    assert "logs_passed_over" not in [line["event"] for line in lines]


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
        assert (await nodes.index().advance()).stopped == "at_head"
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
        await nodes.index(START_BLOCK=start).advance()
    assert {line["endpoint"] for line in lines if line["event"] == "history_pruned"} == {"1:127.0.0.1"}
    (archive,) = await nodes.open(1)
    assert (await nodes.index(only.url, archive.url, START_BLOCK=start).advance()).stopped == "at_head"
    assert await nodes.knows(made)


async def test_near_the_head_no_endpoint_is_asked_for_its_history(nodes: EndpointNodes) -> None:
    (only,) = await nodes.open(1)
    nodes.make()
    nodes.scenario.anvil.mine(NODE_POLICY.kept_log_blocks + 10)
    index = nodes.index()
    await index.advance()
    only.posts.clear()
    nodes.make()
    await index.advance()
    assert only.asked["eth_getLogs"] == 1


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
            await watchdog.look()
            async with self.nodes.engine.begin() as connection:
                await connection.execute(
                    text("update worker.alert_state set turning_since = turning_since - interval '1 hour'")
                )
            found = await watchdog.look()
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
    await nodes.index().advance()
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
    await index.advance()
    healthy, alerts = await world.look()
    assert healthy
    assert [status for status, _ in alerts] == ["raised", "cleared"]
    assert ("chain 31337 history", True, "our index has every legacy and gift that the contracts know") in (
        await world.findings()
    )


@pytest.mark.parametrize(
    ("order", "good", "words"),
    [
        ("A", True, "every endpoint that answers has the logs of block {0}"),
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
    assert ("chain 31337 history", good, words.format(first)) in await world.findings()


async def test_rows_that_no_endpoint_can_give_again_are_kept(nodes: EndpointNodes) -> None:
    """A backfill is refused before it takes anything back."""
    (only,) = await nodes.open(1)
    made = nodes.make()
    index = nodes.index()
    await index.advance()
    only.alter = pruned(nodes.scenario.anvil.block_number() + 1)
    with pytest.raises(Refused, match="add an archive endpoint first"):
        await index.rewind_to(nodes.scenario.anvil.block_number())
    assert await nodes.knows(made)
