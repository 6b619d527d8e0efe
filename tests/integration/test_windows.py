"""The due pass: open windows, times of readings, and reverting legacies."""

import asyncio
from typing import Any

import psycopg
import pytest
from sqlalchemy import event, text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Legacy, LegacyMode
from reminder_worker.chain.abi import find_selector
from reminder_worker.errors import ChainUnavailable
from reminder_worker.reminders import due_windows as windows_module
from reminder_worker.reminders.due_windows import NoLegacyAnswers
from tests.integration.chain_proxy import Json, proxy
from tests.integration.locks import blocked
from tests.integration.reminder_world import MailWorld, open_world

# It answers what has no arguments, as `defaultNotifyAhead`, with seven days, and reverts for everything else.
TELLS_NO_WINDOWS = "0x36600414600c5760006000fd5b62093a8060005260206000f3"


async def watched(world: MailWorld, number: int, **terms: Any) -> list[Legacy]:
    legacies = [world.legacy(**{"heirs": ["anna"], "inactivity": 30 * DAY, **terms}) for _ in range(number)]
    for legacy in legacies:
        await world.save(legacy, "owner", "anna")
    return legacies


async def windows(world: MailWorld, legacy: Legacy) -> dict[int, str]:
    rows = await world.sql(
        'select "window", state from worker.due_window where legacy = :legacy order by deadline', legacy=legacy.address
    )
    return {row[0]: row[1] for row in rows}


@pytest.mark.core
async def test_open_windows_are_stored_with_deadlines_and_members_of_their_block(world: MailWorld) -> None:
    (legacy,) = await watched(world, 1, second_line="clara", delay2=3 * DAY)
    world.scenario.advance(26 * DAY)
    report = await world.look_at_chain()
    t1, t2, _ = world.scenario.read("TransferEOALegacy", legacy.address, "getTriggerActivationTimestamp")
    stored = await world.sql('select "window", deadline, block_number from worker.due_window order by "window"')
    assert [tuple(row) for row in stored] == [(1, t1, report.block_number), (2, t2, report.block_number)]
    assert [sorted(each) for each in world.scenario.due_windows([legacy])] == [[1, 2]]
    ((members, block),) = await world.sql("select membership, membership_block from worker.watch")
    assert (members["beneficiaries"], members["second_line"]) == ([world.address("anna")], world.address("clara"))
    assert block == report.block_number


@pytest.mark.core
async def test_a_window_that_closes_is_closed_and_its_new_deadline_is_another_row(world: MailWorld) -> None:
    (legacy,) = await watched(world, 1)
    world.scenario.advance(25 * DAY)
    await world.look_at_chain()
    world.scenario.check_in(world.account("owner"), legacy)
    await world.look_at_chain()
    assert await windows(world, legacy) == {1: "closed"}
    world.scenario.advance(25 * DAY)
    await world.look_at_chain()
    rows = await world.sql("select state from worker.due_window order by deadline")
    assert [row[0] for row in rows] == ["closed", "open"]


@pytest.mark.parametrize("again", [False, True], ids=["open", "open again"])
async def test_a_run_that_stores_late_closes_no_window_that_opened_since_it_looked(
    world: MailWorld, monkeypatch: pytest.MonkeyPatch, again: bool
) -> None:
    """Two runs at once: the first reader saw the window closed and stores last."""
    (legacy,) = await watched(world, 1)
    owner = world.account("owner")
    if again:
        world.scenario.advance(31 * DAY)
        await world.look_at_chain()
        world.scenario.end_premium(owner.address)
    else:
        world.scenario.advance(22 * DAY)
    await world.look_at_chain()
    await world.sql("update worker.watch set next_ask = 1")
    write, late, go = windows_module._DueRun._write_readings, asyncio.Event(), asyncio.Event()

    async def wait(self: Any, *looks: Any) -> None:
        if not late.is_set():
            late.set()
            await go.wait()
        await write(self, *looks)

    monkeypatch.setattr(windows_module._DueRun, "_write_readings", wait)
    first = asyncio.create_task(world.due.run())
    await late.wait()
    if again:
        world.scenario.subscribe_premium(owner)
    else:
        world.scenario.advance(2 * DAY)
    await world.due.run()
    go.set()
    await first
    assert await windows(world, legacy) == {4 if again else 1: "open"}


@pytest.mark.parametrize("is_back", [False, True])
async def test_reset_while_the_chain_is_asked_wins_over_the_answer(
    world: MailWorld, database_url: str, is_back: bool
) -> None:
    """Also when the row is back in its place (ctid). Otherwise a sign of life of that moment is overlooked."""
    await watched(world, 1)
    await world.look_at_chain()
    places: list[Any] = []
    with psycopg.connect(database_url.replace("+psycopg", ""), autocommit=True) as other:

        def reset(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
            if "update worker.watch w" in statement and not places:
                for _ in range(1 + is_back):
                    places.extend(other.execute("select ctid from worker.watch").fetchall())
                    other.execute("update worker.watch set next_ask = 0")
                    other.execute("vacuum (index_cleanup on) worker.watch")
                places.extend(other.execute("select ctid from worker.watch").fetchall())

        other.execute("update worker.watch set next_ask = 1")
        other.execute("vacuum full worker.watch")
        event.listen(world.engine.sync_engine, "before_cursor_execute", reset)
        report = await world.due.run()
        event.remove(world.engine.sync_engine, "before_cursor_execute", reset)
    assert (places[0] == places[-1], report.asked) == (is_back, 2)


async def test_a_reverting_legacy_affects_no_other_and_pauses_for_a_growing_time(world: MailWorld) -> None:
    good = await watched(world, 5, inactivity=3 * DAY)
    bad = world.scenario.create_reverting_legacy(world.account("owner"), {world.address("anna"): 100}, inactivity=DAY)
    burner = world.scenario.create_reverting_legacy(
        world.account("owner"), {world.address("anna"): 100}, inactivity=DAY
    )
    for legacy, mode in ((bad, LegacyMode.REVERTS), (burner, LegacyMode.BURNS_GAS)):
        await world.save(legacy, "anna")
        world.scenario.set_mode(legacy, mode)
    report = await world.look_at_chain()
    assert (report.asked, report.reverting) == (7, 2)
    assert sorted(report.set_aside) == sorted([bad.address, burner.address])
    for legacy in good:
        assert await windows(world, legacy) == {1: "open"}
    assert (await world.due.run()).asked == 0
    for minutes in (1, 2, 4):
        rests = "select failures, paused_until between now() + (:least * interval '1 minute')"
        rests += " and now() + (:most * interval '1 minute') from worker.watch where paused_until is not null"
        failures = minutes.bit_length()
        assert await world.sql(rests, least=minutes / 2, most=minutes) == [(failures, True)] * 2
        await world.sql("update worker.watch set paused_until = now() - interval '1 s' where paused_until is not null")
        await world.due.run()
    await world.sql(
        "update worker.watch set failures = 30, paused_until = now() - interval '1 s' where paused_until is not null"
    )
    await world.due.run()
    at_most = "select max(paused_until) <= now() + interval '1 day' from worker.watch"
    assert await world.sql(at_most) == [(True,)]
    world.scenario.set_mode(bad, LegacyMode.WELL)
    await world.sql("update worker.watch set paused_until = now() - interval '1 s' where paused_until is not null")
    await world.due.run()
    assert await windows(world, bad) == {1: "open"}
    ((failures,),) = await world.sql("select failures from worker.watch where legacy = :legacy", legacy=bad.address)
    assert failures == 0


async def test_a_block_that_a_node_does_not_have_yet_sets_nobody_aside(world: MailWorld) -> None:
    """One address may hide many nodes, and some lag by a block."""
    legacies = await watched(world, 3, inactivity=3 * DAY)
    behind = {"error": {"code": -32000, "message": "header for hash not found"}}
    batch = "0x" + find_selector("PremiumReminderView", "dueRemindersBatch").hex()

    def answer(request: Json) -> Json | None:
        call = request["params"][0] if request["method"] == "eth_call" else {"to": ""}
        return behind if "to" not in call or call.get("data", "").startswith(batch) else None

    async with (
        proxy(world.scenario.anvil.url) as node,
        open_world(world.engine, world.scenario, world.mail, CHAIN_31337_RPC_URLS=node.url) as other,
    ):
        node.answer = answer
        with pytest.raises(ChainUnavailable):
            await other.due.run()
        node.well()
        assert (await other.due.run()).asked == 3
    for legacy in legacies:
        assert await windows(world, legacy) == {1: "open"}


async def test_a_legacy_of_an_old_build_is_left_out(world: MailWorld) -> None:
    """The view calls it ready, for a deadline in 1970."""
    old = world.scenario.create_old_legacy(world.account("owner"), {world.address("anna"): 100})
    world.scenario.subscribe_premium(world.account("owner"))
    await world.save(old, "anna")
    report = await world.look_at_chain()
    assert world.scenario.due_windows([old]) == [[4]]
    assert (report.asked, dict(report.open_windows)) == (1, {})


async def test_windows_older_than_history_are_recorded_and_not_mailed(world: MailWorld) -> None:
    """First seen by a new installation: one opened long ago, one lately. No later look opens the old one."""
    old, recent = await watched(world, 2)
    world.scenario.advance(30 * DAY + 8 * DAY)
    world.scenario.check_in(world.account("owner"), recent)
    world.scenario.advance(31 * DAY)
    report = await world.look_at_chain()
    assert report.too_old == 1
    assert await windows(world, old) == {4: "too_old"}
    assert await windows(world, recent) == {4: "open"}
    await world.tick()
    assert len(world.mail.told("ready_to_activate")) == 2
    for change in ("a day passes", "its people are saved again"):
        if change == "a day passes":
            world.scenario.advance(DAY)
        else:
            await world.save(old, "owner", "anna")
        assert (await world.look_at_chain()).asked
        await world.dispatch.run()
        assert await windows(world, old) == {4: "too_old"}, change
    assert len(world.mail.told("ready_to_activate")) == 2


async def test_a_window_is_as_old_as_the_activity_that_set_its_deadline(world: MailWorld) -> None:
    """Inactivity of two days and a notice of thirty: t1 less the notice is long ago, but the deadline is new."""
    world.scenario.set_time_ahead(world.account("owner"), 30 * DAY)
    (legacy,) = await watched(world, 1, inactivity=2 * DAY)
    await world.look_at_chain()
    assert await windows(world, legacy) == {1: "open"}


async def test_a_person_saved_late_in_a_window_still_gets_the_notice(world: MailWorld) -> None:
    """Nobody could be told before. What has opened for claims long ago stays history."""
    world.scenario.set_time_ahead(world.account("owner"), 30 * DAY)
    legacy = world.legacy(inactivity=60 * DAY)
    world.scenario.advance(45 * DAY)
    await world.save(legacy, "owner", "anna")
    report = await world.look_at_chain()
    assert (report.too_old, await windows(world, legacy)) == (0, {1: "open"})
    await world.tick()
    assert world.mail.told("before_activation") == ["anna@example.org", "owner@example.org"]


# -- the horizon --------------------------------------------------------------------------------------


async def test_a_second_poll_asks_about_no_legacy_until_the_window_opens(world: MailWorld) -> None:
    (legacy,) = await watched(world, 1, inactivity=20 * DAY)
    assert (await world.look_at_chain()).asked == 1
    assert not await world.due.poll()
    assert (await world.look_at_chain()).asked == 0
    t1, _, _ = world.scenario.read("TransferEOALegacy", legacy.address, "getTriggerActivationTimestamp")
    opening, now = t1 - 7 * DAY, world.scenario.anvil.now()
    while now < opening:
        ((next_ask,),) = await world.sql("select next_ask from worker.watch")
        assert now < next_ask <= min(now + DAY, opening)
        now = world.scenario.advance(next_ask - now)
        assert await world.due.poll()
        await world.look_at_chain()
    assert await windows(world, legacy) == {1: "open"}
    ((seen,),) = await world.sql("select asked_at from worker.watch")
    assert seen - opening < 5


@pytest.mark.parametrize(("hours_to_window", "is_asked"), [(12, 1), (90 * 24, 0)])
async def test_legacies_of_safes_are_asked_about_hourly_while_a_window_is_near(
    world: MailWorld, hours_to_window: int, is_asked: int
) -> None:
    """A look near a window is rounded down to a quarter of an hour."""
    owner = world.account("owner")
    world.scenario.subscribe_premium(owner)
    safe = world.scenario.create_safe([owner])
    inactivity = 7 * DAY + hours_to_window * 3600
    legacy = world.scenario.create_safe_legacy(owner, safe, [world.address("anna")], inactivity=inactivity)
    world.scenario.configure_reminders(owner, legacy, [world.address("anna")])
    await world.save(legacy, "owner", "anna")
    assert (await world.look_at_chain()).asked == 1
    world.scenario.advance(2600)
    assert (await world.look_at_chain()).asked == 0
    world.scenario.advance(1001)
    assert (await world.look_at_chain()).asked == is_asked


@pytest.mark.parametrize("change", ["trigger", "notice", "premium", "config", "distribution"])
async def test_an_event_that_can_open_a_window_earlier_resets_the_horizon(world: MailWorld, change: str) -> None:
    legacy, other = await watched(world, 2, inactivity=60 * DAY)
    owner = world.account("owner")
    if change == "premium":
        world.scenario.end_premium(owner.address)
    await world.look_at_chain()
    assert (await world.look_at_chain()).asked == 0
    of_the_creator = change in ("notice", "premium")
    match change:
        case "trigger":
            world.scenario.edit_trigger(owner, legacy, 3 * DAY)
        case "notice":
            world.scenario.set_time_ahead(owner, 60 * DAY)
        case "premium":
            world.scenario.subscribe_premium(owner)
        case "config":
            world.scenario.edit_config(owner, legacy, {world.address("anna"): 100}, inactivity=3 * DAY)
        case _:
            world.scenario.edit_distribution(owner, legacy, {world.address("ben"): 100})
    await world.index.run()
    assert await world.due.poll()
    assert (await world.due.run()).asked == (2 if of_the_creator else 1)
    if change in ("trigger", "notice", "config"):
        assert await windows(world, legacy) == {1: "open"}
    assert await windows(world, other) == ({1: "open"} if change == "notice" else {})


async def test_a_view_that_answers_for_no_legacy_is_a_failure_and_pauses_none(world: MailWorld) -> None:
    """As after an upgrade that went wrong: reminders would stop while everything looks well."""
    for owner in ("owner", "another"):
        await watched(world, 2, owner=owner)
    await world.look_at_chain()
    view, anvil = world.scenario.deployment.premium_reminder_view, world.scenario.anvil
    code = anvil.rpc("eth_getCode", view, "latest")
    anvil.set_code(view, TELLS_NO_WINDOWS)
    world.scenario.advance(2 * DAY)
    with pytest.raises(NoLegacyAnswers):
        await world.due.run()
    assert await world.due.poll()
    anvil.set_code(view, code)
    report = await world.due.run()
    assert (report.asked, report.reverting) == (4, 0)


@pytest.mark.parametrize("change", ["premium", "activity", "claim"])
async def test_a_change_dropped_by_a_reorganisation_leaves_no_window_closed(world: MailWorld, change: str) -> None:
    (legacy,) = await watched(world, 1)
    owner = world.account("owner")
    world.scenario.advance(31 * DAY)
    await world.look_at_chain()
    match change:
        case "premium":
            world.scenario.end_premium(owner.address)
        case "activity":
            world.scenario.check_in(owner, legacy)
        case _:
            world.scenario.claim(world.account("anna"), legacy, is_eth=True)
    for _ in range(2):  # of a claim the due pass hears from the dispatch
        await world.tick()
    assert "open" not in (await windows(world, legacy)).values()
    world.scenario.anvil.reorg(1)
    world.scenario.advance(12)
    await world.look_at_chain()
    assert await windows(world, legacy) == {4: "open"}


async def test_an_event_that_is_found_late_resets_the_horizon_once(world: MailWorld) -> None:
    """A node returned the block without its logs; they are found after the cursor passed the block."""
    (legacy,) = await watched(world, 1, inactivity=60 * DAY)
    await world.look_at_chain()
    world.scenario.advance(60)
    world.scenario.edit_trigger(world.account("owner"), legacy, 3 * DAY)
    await world.index.run()
    await world.sql("delete from worker.chain_event where name = 'TransferEOALegacyTriggerUpdated'")
    assert not await world.due.poll()
    world.scenario.anvil.mine()
    assert (await world.look_at_chain()).asked == 1
    assert await windows(world, legacy) == {1: "open"}
    world.scenario.anvil.mine()
    assert (await world.look_at_chain()).asked == 0


async def test_answer_that_loses_a_deadlock_is_stored_after_all(world: MailWorld, engine: AsyncEngine) -> None:
    """Another transaction holds what the due pass wants, and waits for what the due pass holds."""
    (legacy,) = await watched(world, 1)
    world.scenario.advance(25 * DAY)
    await world.look_at_chain()
    await world.sql("update worker.watch set next_ask = 0")
    async with engine.connect() as other:
        await other.execute(text("set local deadlock_timeout = '1min'"))  # the due pass finds it first, and gives way
        await other.execute(text("select from worker.watch for update"))
        running = asyncio.create_task(world.due.run())
        await blocked(world.engine)
        await other.execute(text("update worker.due_window set planned_at = now()"))
        await other.commit()
    assert (await running).asked >= 1
    assert await windows(world, legacy) == {1: "open"}
    assert await world.sql("select from worker.watch where next_ask = 0") == []
