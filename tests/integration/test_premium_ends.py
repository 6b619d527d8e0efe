"""Owners are told before their Premium ends and once when it has ended: then nobody is reminded any more."""

import pytest

from devnet.chain import RevertedTransaction
from devnet.scenarios import DAY, Legacy
from reminder_worker.outbox.messages import format_deadline
from tests.integration.mail_stub import MailFault
from tests.integration.reminder_world import MailWorld, save_again_while_asked

ENDING, LAPSED = "premium_ending", "premium_lapsed"


async def subscribed(world: MailWorld, days: int = 40, legacies: int = 1) -> list[Legacy]:
    """Create legacies with stored emails, and periods so long that no other reminder is due.

    Premium runs an hour longer: a step of whole days never stops on its very end, where a second decides.
    """
    owner = world.account("owner")
    world.scenario.subscribe_premium(owner, days * DAY + 3600)
    made = []
    for _ in range(legacies):
        legacy = world.scenario.create_legacy(owner, {world.address("anna"): 100}, inactivity=900 * DAY)
        world.scenario.configure_reminders(owner, legacy)
        await world.save(legacy, "owner", "anna")
        made.append(legacy)
    await world.tick()
    assert world.mail.inbox == []
    return made


async def after(world: MailWorld, days: int) -> list[tuple[str, str]]:
    """Let days pass; return the emails of this tick."""
    world.mail.inbox.clear()
    world.scenario.advance(days * DAY)
    await world.days_pass(days)
    await world.tick()
    return [(email.template, email.to) for email in world.mail.inbox]


async def claim(world: MailWorld, legacy: Legacy) -> None:
    """Let the heir claim after a day without activity; the emails about it leave now."""
    world.scenario.edit_trigger(world.account("owner"), legacy, DAY)
    world.scenario.advance(DAY + 1)
    world.scenario.claim(world.account("anna"), legacy)
    await world.tick()


@pytest.mark.core
async def test_the_owner_alone_is_told_once_for_all_legacies_before_and_after_premium_ends(world: MailWorld) -> None:
    await subscribed(world, legacies=2)
    assert await after(world, 8) == []
    assert await after(world, 4) == [(ENDING, "owner@example.org")]
    assert await after(world, 15) == []
    assert await after(world, 8) == [(ENDING, "owner@example.org")]
    assert await after(world, 3) == []
    assert await after(world, 3) == [(LAPSED, "owner@example.org")]
    assert await after(world, 2) == []
    assert not await world.dispatch.poll()


async def test_a_renewal_arms_the_emails_for_the_new_end(world: MailWorld) -> None:
    """Premium can be bought again only after its end."""
    await subscribed(world)
    owner = world.account("owner")
    assert await after(world, 12) == [(ENDING, "owner@example.org")]
    with pytest.raises(RevertedTransaction, match="AlreadyPremium"):
        world.scenario.subscribe_premium(owner, 40 * DAY)
    assert await after(world, 29) == [(LAPSED, "owner@example.org")]
    world.scenario.subscribe_premium(owner, 40 * DAY)
    assert await after(world, 5) == []
    assert await after(world, 10) == [(ENDING, "owner@example.org")]


@pytest.mark.parametrize(("days", "first_told"), [(32, 3), (30, 24), (7, 8), (1, 2)])
async def test_nobody_is_told_on_the_day_of_the_purchase_that_premium_ends_soon(
    world: MailWorld, days: int, first_told: int
) -> None:
    """A short plan is as near to its end when it is bought as others are when their owners are told."""
    await subscribed(world, days)
    for _ in range(first_told - 1):
        assert await after(world, 1) == []
    assert await after(world, 1) == [(ENDING if days > first_told else LAPSED, "owner@example.org")]


async def test_an_owner_is_told_of_the_end_of_premium_about_a_live_legacy_only(world: MailWorld) -> None:
    """A legacy that an heir has claimed from reminds nobody, with or without Premium."""
    claimed, live = await subscribed(world, legacies=2)
    await claim(world, claimed)
    told = [*await after(world, 10), *await after(world, 1)]
    assert told == [(ENDING, "owner@example.org")]
    about = await world.sql("select legacy from worker.sent_ledger where kind = :kind and state = 'sent'", kind=ENDING)
    assert about == [(live.address,)]
    await claim(world, live)
    for days in (14, 13, 1):
        assert await after(world, days) == []
    assert set(await world.states(LAPSED)) == {"dropped:legacy_not_live"}


async def test_premium_that_is_reset_is_told_once_as_a_lapse(world: MailWorld) -> None:
    await subscribed(world, 400, legacies=2)
    owner = world.account("owner")
    world.scenario.end_premium(owner.address)
    reset_at = world.scenario.anvil.now()
    assert await after(world, 1) == [(LAPSED, "owner@example.org")]
    (email,) = world.mail.inbox
    assert email.variables["deadline"] == format_deadline(reset_at)
    assert await after(world, 1) == []
    world.scenario.end_premium(owner.address)
    assert await after(world, 1) == []
    world.scenario.subscribe_premium(owner, 40 * DAY)
    assert await after(world, 11) == [(ENDING, "owner@example.org")]


async def test_a_reset_of_premium_that_had_ended_is_no_news(world: MailWorld) -> None:
    await subscribed(world)
    assert await after(world, 41) == [(LAPSED, "owner@example.org")]
    world.scenario.end_premium(world.account("owner").address)
    assert await after(world, 1) == []


async def test_premium_renewed_before_it_is_sent_drops_the_email(world: MailWorld) -> None:
    await subscribed(world)
    world.scenario.advance(42 * DAY)
    await world.look_at_chain()
    world.scenario.subscribe_premium(world.account("owner"), 40 * DAY)
    await world.dispatch.run()
    assert await world.states(LAPSED) == {"dropped:premium_renewed": 1}
    assert world.mail.inbox == []


async def test_an_owner_saved_again_while_an_email_in_doubt_is_asked_about_is_told_after_all(
    world: MailWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    (legacy,) = await subscribed(world)
    world.mail.fail(MailFault.DIES_BEFORE)
    assert await after(world, 12) == []
    await save_again_while_asked(world, monkeypatch, legacy, "owner")
    assert await after(world, 2) == [(ENDING, "owner@example.org")]


async def test_premium_that_ended_long_ago_is_no_news(world: MailWorld) -> None:
    await subscribed(world)
    assert await after(world, 60) == []
