"""Recipients of a deleted legacy are erased 30 days later, and never for a deletion that does not last."""

import pytest

from devnet.scenarios import DAY, Legacy
from reminder_worker.monitoring.erasure import erase_deleted_legacies
from reminder_worker.reminders.erasure import erase_recipients, read_erasures
from reminder_worker.reminders.tables import recipient
from tests.integration.reminder_world import MailWorld


def pass_days(world: MailWorld, days: float) -> None:
    """On chain, up to a final block."""
    world.scenario.anvil.increase_time(int(days * DAY))
    world.scenario.anvil.mine(70)


async def waiting(world: MailWorld) -> Legacy:
    """A legacy with three recipients, whose emails wait."""
    legacy = world.legacy(inactivity=30 * DAY)
    await world.save(legacy, "owner", "anna", "ben")
    world.scenario.advance(24 * DAY)
    await world.look_at_chain()
    await world.mail.stop()
    await world.dispatch.run()
    await world.mail.start()
    assert await world.states("before_activation") == {"released:mail_unavailable": 3}
    return legacy


async def people(world: MailWorld) -> int:
    return int((await world.sql("select count(*) from worker.recipient"))[0][0])


@pytest.mark.core
async def test_a_legacy_deleted_for_thirty_days_is_erased_with_its_unsent_emails(world: MailWorld) -> None:
    """No other legacy is erased. The operators' count says how many people, and when."""
    legacy = await waiting(world)
    other = world.legacy("another")
    await world.save(other, "another", "anna")
    world.scenario.delete_legacy(world.account("owner"), legacy)
    await world.index.run()
    pass_days(world, 29.9)
    assert await erase_deleted_legacies(world.engine, world.chain) == 0
    assert await people(world) == 5
    pass_days(world, 0.2)
    assert await erase_deleted_legacies(world.engine, world.chain) == 3
    assert await world.sql("select distinct legacy from worker.recipient") == [(other.address,)]
    assert await world.sql("select distinct legacy from worker.watch") == [(other.address,)]
    assert await world.sql("select 1 from worker.sent_ledger where legacy = :it", it=legacy.address) == []
    (today,) = (await world.sql("select cast(timezone('UTC', now()) as date)"))[0]
    assert [(each.cause, each.people, each.last_day) for each in await read_erasures(world.engine)] == [
        ("deleted_legacy", 3, today)
    ]
    assert await erase_deleted_legacies(world.engine, world.chain) == 0


async def test_a_deleted_legacy_that_reverts_erases_nobody_until_it_answers(world: MailWorld) -> None:
    """A revert is no answer: the legacy may be live."""
    legacy, anvil = await waiting(world), world.scenario.anvil
    code = anvil.rpc("eth_getCode", legacy.address, "latest")
    world.scenario.delete_legacy(world.account("owner"), legacy)
    await world.index.run()
    anvil.set_code(legacy.address, "0x60006000fd")
    pass_days(world, 31)
    assert await erase_deleted_legacies(world.engine, world.chain) == 0
    assert await people(world) == 3
    anvil.set_code(legacy.address, code)
    pass_days(world, 1)
    assert await erase_deleted_legacies(world.engine, world.chain) == 3


async def test_marks_of_self_erasure_go_with_a_deleted_legacy(world: MailWorld) -> None:
    """Also if nobody else is stored. Marks of another legacy stay."""
    deleted, other = world.legacy(), world.legacy("another")
    for legacy in (deleted, other):
        await world.save(legacy, "anna")
    async with world.engine.begin() as connection:
        of_anna = recipient.c.recipient == world.address("anna")
        assert await erase_recipients(connection, of_anna, cause="signature") == 2
    world.scenario.delete_legacy(world.account("owner"), deleted)
    await world.index.run()
    pass_days(world, 31)
    assert await erase_deleted_legacies(world.engine, world.chain) == 0
    assert await world.sql("select legacy from worker.self_erasure") == [(other.address,)]


async def test_a_deletion_taken_back_by_a_reorganisation_loses_nothing(world: MailWorld) -> None:
    """Also while the index has not seen yet that the deletion is gone."""
    legacy = await waiting(world)
    before = await world.states()
    snapshot = world.scenario.anvil.snapshot()
    world.scenario.delete_legacy(world.account("owner"), legacy)
    await world.index.run()
    world.scenario.anvil.revert(snapshot)
    pass_days(world, 40)
    assert await erase_deleted_legacies(world.engine, world.chain) == 0
    await world.index.run()
    assert await erase_deleted_legacies(world.engine, world.chain) == 0
    assert await people(world) == 3
    assert await world.states() == before


async def test_a_safes_deleted_legacy_is_erased_and_no_other_of_a_safe(world: MailWorld) -> None:
    """Its deletion leaves only the reset of its reminders. A Safe may reset them without a deletion."""
    owner, anna = world.account("owner"), world.account("anna")
    world.scenario.subscribe_premium(owner, 20 * 365 * DAY)
    safes = [world.scenario.create_safe([owner]) for _ in range(3)]
    deleted, activated, live = (
        world.scenario.create_safe_legacy(owner, safe, [anna.address], inactivity=3 * DAY) for safe in safes
    )
    for legacy in (deleted, activated, live):
        world.scenario.configure_reminders(owner, legacy)
        await world.save(legacy, "owner", "anna")
    world.scenario.delete_legacy(owner, deleted)
    for legacy in (activated, live):
        world.scenario.clear_reminders(owner, legacy)
    pass_days(world, 4)
    world.scenario.activate_safe_legacy(anna, activated)
    await world.index.run()
    pass_days(world, 31)
    assert await erase_deleted_legacies(world.engine, world.chain) == 2
    left = {row[0] for row in await world.sql("select distinct legacy from worker.recipient")}
    assert left == {activated.address, live.address}
