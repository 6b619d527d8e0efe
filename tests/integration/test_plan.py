"""From signals and windows to ledger entries: each once, for the right people of the right block."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import text

from devnet.scenarios import DAY, Legacy
from reminder_worker.monitoring.retention import forget_expired
from reminder_worker.reminders.planner import Planner, PlanReport
from tests.integration.chain_proxy import NodeProxy
from tests.integration.locks import blocked
from tests.integration.reminder_world import CHAIN_ID, MailWorld

REFUSED = {"code": -32005, "message": "query returned more than 10000 results"}


async def claimed(world: MailWorld) -> Legacy:
    """A claim has just been made of a legacy of owner, anna and ben, and ended it; its signal is stored."""
    legacy = world.legacy(inactivity=30 * DAY)
    await world.save(legacy, "owner", "anna", "ben")
    world.scenario.set_empties_on_claim(world.account("owner"), legacy)
    world.scenario.advance(31 * DAY)
    await world.tick()
    world.mail.inbox.clear()
    world.scenario.claim(world.account("anna"), legacy, [])
    await world.look_at_chain()
    return legacy


async def told(world: MailWorld, kind: str = "activated_transfer") -> set[str]:
    rows = await world.sql("select recipient from worker.sent_ledger where kind = :kind", kind=kind)
    return {world.labels[row[0]] for row in rows}


def planner(world: MailWorld) -> Planner:
    return world.dispatch._planners[CHAIN_ID]


async def plan(world: MailWorld) -> PlanReport:
    report = PlanReport()
    await world.sql("update worker.notify_signal set next_try = now() where state = 'new'")
    await planner(world).run(report)
    return report


@pytest.mark.core
async def test_several_planners_at_once_make_each_entry_once(world: MailWorld) -> None:
    legacy = world.legacy(inactivity=3 * DAY)
    await world.save(legacy, "owner", "anna", "ben")
    world.scenario.check_in(world.account("owner"), legacy)
    await world.look_at_chain()
    await asyncio.gather(*(planner(world).run(PlanReport()) for _ in range(4)))
    rows = await world.sql("select kind, count(*) from worker.sent_ledger group by kind order by kind")
    assert [tuple(row) for row in rows] == [("before_activation", 3), ("owner_reset", 3)]
    assert await world.sql("select state, tries from worker.notify_signal") == [("planned", 1)], "judged last or first"
    assert not await planner(world).poll()


async def test_a_window_waits_for_members_who_were_read_when_it_was_open(world: MailWorld) -> None:
    """Members from before it opened may lack an heir, who would be passed over for good."""
    legacy = world.legacy(inactivity=30 * DAY)
    await world.save(legacy, "anna")
    world.scenario.advance(24 * DAY)
    await world.look_at_chain()
    await world.sql("update worker.watch set membership_block = membership_block - 1")
    assert not await planner(world).poll()
    assert (await plan(world)).windows == 0
    await world.sql("update worker.watch set membership_block = membership_block + 1")
    assert (await plan(world)).windows == 1
    assert await told(world, "before_activation") == {"anna"}


async def test_an_heir_added_while_a_window_is_planned_gets_the_email(
    world: MailWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows and members that the due pass stored after the plan began are planned, too."""
    legacy = world.legacy(inactivity=30 * DAY)
    await world.save(legacy, "anna", "dora")
    world.scenario.advance(24 * DAY)
    await world.look_at_chain()
    indexers = planner(world)._indexers

    class Slow:
        async def reminder_configs(self, *question: Any) -> Any:
            shares = {world.address("anna"): 50, world.address("dora"): 50}
            world.scenario.edit_distribution(world.account("owner"), legacy, shares)
            world.scenario.configure_reminders(world.account("owner"), legacy)
            await world.look_at_chain()
            return await indexers.reminder_configs(*question)

    monkeypatch.setattr(planner(world), "_indexers", Slow())
    assert (await plan(world)).windows == 0
    monkeypatch.undo()
    assert (await plan(world)).windows == 1
    assert await told(world, "before_activation") == {"anna", "dora"}


@pytest.mark.parametrize("first", ["plan", "save"])
async def test_a_recipient_saved_while_a_window_is_planned_gets_the_email(world: MailWorld, first: str) -> None:
    """Whichever of the two has the window first."""
    legacy = world.legacy(inactivity=30 * DAY)
    await world.save(legacy, "anna")
    world.scenario.advance(24 * DAY)
    await world.look_at_chain()
    steps = [plan(world), world.save(legacy, "ben")]
    async with world.engine.begin() as other:
        await other.execute(text("select from worker.due_window for update"))
        tasks = []
        for number, step in enumerate(steps if first == "plan" else reversed(steps), 1):
            tasks.append(asyncio.ensure_future(step))
            await blocked(world.engine, number)
    await asyncio.gather(*tasks)
    await plan(world)
    assert await told(world, "before_activation") == {"anna", "ben"}


async def test_a_signal_waits_for_the_index_and_is_for_those_configured_then_and_saved_now(world: MailWorld) -> None:
    """A configuration removed after an activation does not silence it; who is saved after the plan is not told."""
    legacy = await claimed(world)
    await world.sql("delete from worker.recipient where recipient = :ben", ben=world.address("ben"))
    world.scenario.clear_reminders(world.account("owner"), legacy)
    await world.index.run()
    await world.sql("update worker.index_cursor set block_number = block_number - 5 where name = 'index'")
    assert (await plan(world)).later == 1
    assert await told(world) == set()
    await world.sql("update worker.index_cursor set block_number = block_number + 5 where name = 'index'")
    assert (await plan(world)).signals == 1
    await world.save(legacy, "ben")
    await plan(world)
    assert await told(world) == {"owner", "anna"}


async def test_a_transaction_that_left_the_chain_is_waited_for_and_then_refused(world: MailWorld) -> None:
    legacy = world.legacy(inactivity=30 * DAY)
    await world.save(legacy, "owner", "anna")
    world.scenario.check_in(world.account("owner"), legacy)
    await world.index.run()
    await world.signals.run()
    world.scenario.anvil.rpc("anvil_reorg", 1, [])
    assert (await plan(world)).later == 1
    await world.sql("update worker.notify_signal set seen_at = now() - interval '8 days'")
    assert (await plan(world)).refused == 1
    rows = await world.sql("select state, reason from worker.notify_signal")
    assert [tuple(row) for row in rows] == [("refused", "transaction_gone")]


def forget_state(world: MailWorld, node: NodeProxy) -> None:
    head = world.scenario.anvil.rpc("eth_getBlockByNumber", "latest", False)["hash"]

    def answer(request: dict[str, Any]) -> dict[str, Any] | None:
        where = request["params"][1] if request["method"] == "eth_call" else None
        if isinstance(where, dict) and where["blockHash"] != head:
            return {"error": {"code": -32000, "message": "missing trie node"}}
        return None

    node.answer = answer


async def test_where_the_node_forgot_the_state_the_last_members_we_stored_count(
    proxied: tuple[MailWorld, NodeProxy],
) -> None:
    """Also if the due pass read the legacy after the claim, when its lists were empty."""
    world, node = proxied
    await claimed(world)
    world.scenario.ensure_premium(world.account("owner"))
    await world.look_at_chain()
    world.scenario.anvil.mine(120)
    await world.index.run()
    forget_state(world, node)
    assert (await plan(world)).signals == 1
    assert await told(world) == {"owner", "anna", "ben"}


async def test_plan_that_loses_a_deadlock_is_made_again(world: MailWorld) -> None:
    """The due pass locks windows of many legacies, and in another order."""
    await world.save(world.legacy(inactivity=3 * DAY), "anna")
    await world.look_at_chain()
    async with world.engine.begin() as other:
        await other.execute(text("select from worker.due_window for update"))
        planning = asyncio.create_task(plan(world))
        await blocked(world.engine)
        await other.execute(text("set local deadlock_timeout = '1min'"))  # the plan finds it first, and gives way
        await other.execute(text("select from worker.recipient for update"))
    assert (await planning).windows == 1


async def test_an_event_read_again_years_later_sends_no_second_email(world: MailWorld) -> None:
    """Nothing that keeps a second email away is deleted: not the signal, the window or the entry of the ledger."""
    tables = ("chain_event", "notify_signal", "due_window", "sent_ledger")
    count = "select " + ", ".join(f"(select count(*) from worker.{table})" for table in tables)
    legacy = world.legacy(inactivity=30 * DAY)
    await world.save(legacy, "owner", "anna", "ben")
    world.scenario.check_in(world.account("owner"), legacy)
    await world.tick()
    world.scenario.advance(24 * DAY)
    await world.tick()
    first = sorted(email.to for email in world.mail.inbox)
    assert len(first) == 6
    world.scenario.end_premium(world.account("owner").address)  # closes the window
    await world.tick()
    before = await world.sql(count)
    await world.days_pass(20 * 365)
    await world.sql("update worker.notify_signal set seen_at = seen_at - interval '20 years'")
    await forget_expired(world.engine)
    assert await world.sql(count) == before
    world.scenario.subscribe_premium(world.account("owner"))  # opens the window for the same deadline
    await world.signals.ask_again()
    await world.tick()
    assert await world.sql("select 1 from worker.due_window where state = 'open'"), "it opened"
    assert sorted(email.to for email in world.mail.inbox) == first
