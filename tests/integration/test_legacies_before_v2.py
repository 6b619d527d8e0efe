"""Legacies that were announced before 2026-07-27, in either of two shapes, are known to the index as any other."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Legacy, Scenario
from reminder_worker.statistics import snapshots
from reminder_worker.statistics.file_store import LocalFiles
from reminder_worker.statistics.job import StatisticsPass
from tests.integration.indexer_story import legacies
from tests.integration.renewal_world import CHAIN_ID, IN_WINDOW, PERIOD, RenewalWorld, open_renewals


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[RenewalWorld]:
    async with open_renewals(engine, chain_scenario) as opened:
        yield opened


def announced(world: RenewalWorld, owner: str = "owner", *, first_build: bool, **terms: Any) -> Legacy:
    """A Premium owner's."""
    account = world.world.account(owner)
    world.scenario.subscribe_premium(account)
    heirs = {world.world.address("anna"): 100}
    return world.scenario.create_legacy_before_v2(account, heirs, first_build=first_build, inactivity=PERIOD, **terms)


@pytest.mark.parametrize("first_build", [False, True])
async def test_the_timer_of_an_opted_in_owner_is_renewed(world: RenewalWorld, first_build: bool) -> None:
    legacy = announced(world, first_build=first_build)
    world.scenario.set_auto_renew(world.scenario.account("owner"), legacy)
    await world.look()
    await world.renews(legacy)


@pytest.mark.parametrize("first_build", [False, True])
async def test_a_legacy_whose_build_has_no_triggers_is_known_and_never_renewed(
    world: RenewalWorld, first_build: bool
) -> None:
    legacy = announced(world, first_build=first_build, code=world.scenario.deployment.old_legacy_code)
    world.scenario.set_auto_renew(world.scenario.account("owner"), legacy)
    await world.look()
    world.transact()
    world.scenario.advance(IN_WINDOW)
    assert (await world.look()).sent == 0
    assert await world.verdict(legacy) == "old_build"


@pytest.mark.parametrize("first_build", [False, True])
async def test_what_moves_its_timer_has_the_chain_asked_anew(world: RenewalWorld, first_build: bool) -> None:
    """A window that an edit opened is found at once, not when the horizon ends."""
    owner, it = world.world.account("owner"), world.world
    legacy = announced(world, first_build=first_build)
    world.scenario.configure_reminders(owner, legacy)
    await it.save(legacy, "owner", "anna")
    await it.look_at_chain()
    assert (await it.look_at_chain()).asked == 0
    world.scenario.edit_trigger(owner, legacy, 3 * DAY)
    await it.index.run()
    assert await it.due.poll()
    assert (await it.due.run()).asked == 1
    assert [tuple(row) for row in await it.sql('select "window", state from worker.due_window')] == [(1, "open")]


async def test_the_statistics_count_it(world: RenewalWorld, tmp_path: Path) -> None:
    """Alive, deleted, and beside one of today."""
    announced(world, "ann", first_build=False)
    announced(world, "bob", first_build=True)
    world.scenario.delete_legacy(world.scenario.account("cid"), announced(world, "cid", first_build=True))
    world.legacy(opted_in=False)
    await world.world.index.run()
    await StatisticsPass(world.world.engine, world.world.chain, LocalFiles(tmp_path)).run()
    found = await snapshots.find_newest_snapshot(world.world.engine, CHAIN_ID)
    assert found is not None
    assert found.counts["legacies"] == {
        "total": 4, "live": 3, "activated": 0, "deleted": 1, "byType": {"eoa": 4, "safe": 0}
    }  # fmt: skip


@pytest.mark.parametrize("first_build", [False, True])
async def test_whatever_its_owner_wrote_into_it_is_not_stored_and_stops_nobody(
    world: RenewalWorld, first_build: bool
) -> None:
    """Very long names, bytes that no database takes, hundreds of heirs: it is indexed, and so is who came after it."""
    scenario, ann = world.scenario, world.scenario.account("ann")
    texts = ("Zzyzx\0'; drop table worker.legacy; --" * 50, "Zzyzx \u202e\ufffe" * 5_000, "Zzyzx\n" * 20)
    many = {f"0x{number:040x}": 0 for number in range(2, 400)} | {world.world.address("anna"): 100}
    hostile = scenario.create_legacy_before_v2(ann, many, first_build=first_build, texts=texts)
    after = world.legacy(opted_in=False)
    progress = await world.world.index.run()
    assert (progress.stopped, progress.skipped) == ("at_head", 0)
    found = await legacies(world.world.engine)
    assert found.keys() == {hostile.address, after.address}
    assert (found[hostile.address].legacy_id, found[hostile.address].creator) == (hostile.id, ann.address.lower())
    stored = await world.world.sql(
        "select e::text from worker.chain_event e union all select l::text from worker.legacy l"
    )
    assert stored
    assert "Zzyzx" not in repr(stored)
