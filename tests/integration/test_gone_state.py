"""Signals that are judged when nodes no longer have the state of their block."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from devnet.scenarios import DAY, Legacy
from reminder_worker.reminders.signal_validation import STATE_KEPT_BLOCKS
from tests.integration.chain_proxy import Json, proxy
from tests.integration.reminder_world import MailWorld, open_world

GONE = {"code": -32000, "message": "missing trie node 0a0b (path ) state 0x0a0b is not available"}


async def watched(world: MailWorld, days: int = 30) -> Legacy:
    """Looked at by the due pass before it may be claimed from."""
    legacy = world.legacy(inactivity=days * DAY)
    await world.save(legacy, "owner", "anna", "ben")
    await world.look_at_chain()
    return legacy


@asynccontextmanager
async def without_state(world: MailWorld, *errors: Json) -> AsyncIterator[MailWorld]:
    """A worker with one node for each of `errors`. The nodes answer reads of the blocks so far with these errors. Then
    enough blocks are mined for the answers to count."""
    anvil = world.scenario.anvil
    blocks = [anvil.rpc("eth_getBlockByNumber", hex(n), False)["hash"] for n in range(anvil.block_number() + 1)]
    anvil.mine(STATE_KEPT_BLOCKS + 10)

    def answering(error: Json) -> Callable[[Json], Json | None]:
        def answer(request: Json) -> Json | None:
            at: Any = request["params"][1] if request["method"] == "eth_call" else None
            return {"error": error} if isinstance(at, dict) and at["blockHash"] in blocks else None

        return answer

    async with AsyncExitStack() as stack:
        nodes = [await stack.enter_async_context(proxy(anvil.url)) for _ in errors]
        for node, error in zip(nodes, errors, strict=True):
            node.answer = answering(error)
        environ = {"CHAIN_31337_RPC_URLS": ",".join(node.url for node in nodes), "CHAIN_31337_RPC_TIMEOUT": "2"}
        yield await stack.enter_async_context(
            open_world(world.engine, world.scenario, world.mail, subgraph=None, **environ)
        )


async def signal(world: MailWorld) -> tuple[str, str | None]:
    ((state, reason),) = await world.sql("select state, reason from worker.notify_signal")
    return state, reason


async def claimed(world: MailWorld) -> None:
    """A claim from a legacy whose people nobody remembers; its signal is there."""
    legacy = await watched(world)
    await world.sql("update worker.watch set membership = null")
    world.scenario.advance(31 * DAY)
    world.scenario.claim(world.account("anna"), legacy)
    await world.index.run()
    await world.signals.run()


@pytest.mark.parametrize("after", ["both say so", "an hour"])
async def test_signal_is_not_refused_while_one_of_two_nodes_does_not_answer(after: str, world: MailWorld) -> None:
    """The silent node may still have the old state. The wait for it ends in time."""
    away = {"code": -32603, "message": "internal error"}
    await claimed(world)
    async with without_state(world, away, GONE) as late:
        await late.dispatch.run()
    assert (await signal(world))[0] == "new"
    await world.hurry()
    if after == "an hour":
        await world.sql("update worker.notify_signal set seen_at = now() - interval '61 minutes'")
    async with without_state(world, GONE if after == "both say so" else away, GONE) as late:
        await late.dispatch.run()
    assert await signal(world) == ("refused", "members_not_known")
