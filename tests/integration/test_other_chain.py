"""A legacy of the same address on another chain is another legacy: whatever is read or written is of one chain."""

from collections.abc import Sequence
from typing import Any

from devnet.scenarios import DAY, Legacy
from tests.integration.other_chain import OTHER_CHAIN, mirror, of_other_chain
from tests.integration.reminder_world import CHAIN_ID, MailWorld

READ_ANEW = ("index_cursor", "chain_event", "legacy", "reminder_config", "notify_signal", "due_window", "sent_ledger")


async def seen(world: MailWorld) -> Legacy:
    """A legacy whose window is open and another's check-in: known, and not planned yet."""
    legacy = world.legacy(inactivity=30 * DAY)
    await world.save(legacy, "anna", "ben")
    world.scenario.advance(24 * DAY)
    another = world.legacy("otto", ("clara",))
    await world.save(another, "clara")
    world.scenario.check_in(world.account("otto"), another)
    await world.look_at_chain()
    return legacy


async def on_another_chain(world: MailWorld) -> dict[str, Sequence[Any]]:
    """Return the tables of a second chain: as ours, with other recipients and other legacies under these ids."""
    await mirror(world.engine, CHAIN_ID)
    for change in (
        "reminder_config set beneficiaries = '{}'",
        "chain_event set log_index = log_index + 1000, data = data || '{\"beneficiaries\": []}'",
        "legacy set address = overlay(address placing 'ffffff' from 3)",
    ):
        await world.sql(f"update worker.{change} where chain_id = :other", other=OTHER_CHAIN)
    return await of_other_chain(world.engine)


def told(world: MailWorld) -> list[tuple[str, str]]:
    return sorted((email.template, email.to) for email in world.mail.inbox)


async def test_an_email_of_another_chain_is_sent_here_too(world: MailWorld) -> None:
    await seen(world)
    await world.dispatch.run()
    once = told(world)
    assert len(once) == 3
    other = await on_another_chain(world)
    for table in READ_ANEW:
        await world.sql(f"delete from worker.{table} where chain_id = :id", id=CHAIN_ID)
    await world.sql("update worker.watch set next_ask = 0, membership = null where chain_id = :id", id=CHAIN_ID)
    await world.tick()
    assert told(world) == sorted(once * 2)
    assert await of_other_chain(world.engine) == other


async def test_news_of_a_legacy_here_are_not_sent_for_another_chains_legacy(world: MailWorld) -> None:
    legacy = await seen(world)
    at = await world.index.read_head()
    signals = await world.index.read_signals(0, at.number, at)
    other = await on_another_chain(world)
    assert await world.index.read_signals(0, at.number, at) == signals != []
    await world.dispatch.run()
    before = told(world)
    world.scenario.check_in(world.account("owner"), legacy)
    await world.tick()
    assert told(world) == sorted([*before, ("owner_reset", "anna@example.org"), ("owner_reset", "ben@example.org")])
    newest = world.scenario.anvil.block_number()
    assert (await world.index.touched_since(newest, newest)).legacies.keys() == {legacy.address}
    await world.index.rewind_to(0)
    world.scenario.advance(9 * DAY)
    await world.tick()
    assert await of_other_chain(world.engine) == other
