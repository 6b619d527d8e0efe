"""The owner hears of people of the set who will not be reminded, after a day and at most once a month."""

import pytest

from devnet.scenarios import DAY, Legacy
from reminder_worker.reminders.operator_facts import count_silent
from tests.integration.mail_stub import MailFault, MailStub
from tests.integration.reminder_world import MailWorld

KIND = "recipients_gap"
Told = list[tuple[str, str]]


async def family(world: MailWorld, *saved: str) -> Legacy:
    """A legacy whose windows are years away. Reminders are switched on for Anna alone; Ben is an heir, too."""
    legacy = world.legacy(inactivity=3000 * DAY)
    world.scenario.configure_reminders(world.account("owner"), legacy, [world.address("anna")])
    await world.save(legacy, *(saved or ("owner", "anna", "ben")))
    return legacy


async def days(world: MailWorld, number: int, step: float = 1.01) -> None:
    """Let days pass, with a tick each."""
    for _ in range(number):
        world.scenario.advance(int(step * DAY))
        await world.days_pass(step)
        await world.tick()


def told(world: MailWorld) -> list[Told]:
    """Return the people named in each email to the owner, and why."""
    assert {email.to for email in world.mail.inbox if email.template == KIND} <= {"owner@example.org"}
    emails = [email.variables["people"] for email in world.mail.inbox if email.template == KIND]
    return [[(world.labels[row["wallet"].lower()], row["reason"]) for row in people] for people in emails]


@pytest.mark.core
async def test_owner_hears_of_a_person_without_reminders_after_a_day_and_once_a_month(world: MailWorld) -> None:
    await family(world)
    await world.tick()
    assert told(world) == [], "the owner may be in the middle of it"
    assert await world.sql("select silent from worker.watch") == [(False,)]
    await days(world, 2)
    assert told(world) == [[("ben", "not_configured")]]
    await days(world, 1, 28)
    assert len(told(world)) == 1
    await days(world, 1, 3)
    assert told(world) == [[("ben", "not_configured")]] * 2


async def test_owner_hears_for_a_year_and_a_half_until_the_heir_is_named_who_then_hears(world: MailWorld) -> None:
    """Nobody does anything for 18 months; Ben is named in the last one, and all of them may claim in the end."""
    legacy = await family(world)
    await world.tick()
    await days(world, 18, 30.5)
    assert told(world) == [[("ben", "not_configured")]] * 18
    world.scenario.configure_reminders(world.account("owner"), legacy)
    await days(world, 3, 30.5)
    assert len(told(world)) == 18
    world.mail.inbox.clear()
    world.scenario.edit_trigger(world.account("owner"), legacy, DAY)
    await days(world, 2)
    assert world.mail.told("ready_to_activate") == ["anna@example.org", "ben@example.org", "owner@example.org"]


async def test_owner_hears_that_nobody_will_be_reminded_while_no_reminders_are_configured(world: MailWorld) -> None:
    owner = world.account("owner")
    world.scenario.ensure_premium(owner, 365 * DAY)
    legacy = world.scenario.create_legacy(owner, {world.address("anna"): 100}, inactivity=3000 * DAY)
    await world.save(legacy, "owner", "anna")
    await world.tick()
    await days(world, 2)
    assert told(world) == [[("anna", "not_configured")]]


async def test_a_gap_that_closes_within_the_day_is_not_told(world: MailWorld) -> None:
    legacy = await family(world)
    await world.tick()
    world.scenario.configure_reminders(world.account("owner"), legacy)
    await days(world, 3)
    assert told(world) == []
    assert await world.sql("select gap_email_at from worker.watch") == [(None,)]
    world.scenario.configure_reminders(world.account("owner"), legacy, [world.address("anna")])
    await world.tick()
    world.scenario.advance(2 * DAY)
    await world.look_at_chain()
    assert await world.dispatch.poll(), "the email is due"
    await world.save(legacy, "ben", emails={world.address("ben"): "ben@example.org"})
    await world.sql("delete from worker.recipient where recipient = :ben", ben=world.address("ben"))
    await world.dispatch.run()
    assert told(world) == [], "the set is read again before the email leaves"
    assert await world.states(KIND) == {"dropped:window_closed": 1}


async def test_the_email_tells_apart_what_the_owner_can_mend_and_keeps_the_rest_together(world: MailWorld) -> None:
    """Unsubscribing and erasing oneself are the person's own affair."""
    assert isinstance(world.mail, MailStub)
    heirs = ("anna", "ben", "clara", "dan")
    legacy = world.legacy(heirs=heirs, inactivity=3000 * DAY)
    await world.save(legacy, "owner", *heirs, "emil")
    await world.look_at_chain()
    await world.sql(
        "insert into worker.bounce (email_hash, reason)"
        " select email_hash, 'mailbox_unknown' from worker.recipient where recipient = :r",
        r=world.address("anna"),
    )
    world.mail.fail(MailFault.SUPPRESSED)
    await world.sql(
        "insert into worker.sent_ledger (id, chain_id, legacy, recipient, kind, event, role, next_try)"
        " select gen_random_uuid(), chain_id, legacy, recipient, 'activated_multisig', '0x:1', role, now()"
        " from worker.recipient where recipient = :r",
        r=world.address("ben"),
    )
    await world.dispatch.run()
    await world.sql("delete from worker.suppression")
    await world.sql(
        "insert into worker.self_erasure (chain_id, legacy, recipient, creator, email_hash)"
        " select chain_id, legacy, recipient, :creator, email_hash from worker.recipient where recipient = :r",
        creator=world.address("owner"),
        r=world.address("clara"),
    )
    await world.sql("delete from worker.recipient where recipient = :r", r=world.address("clara"))
    await days(world, 3)
    (people,) = told(world)
    assert sorted(people) == [
        ("anna", "address_returns"),
        ("ben", "not_reminded"),
        ("clara", "not_reminded"),
        ("emil", "not_configured"),
    ]


@pytest.mark.parametrize("how", ["no premium", "no address of the owner", "deleted"])
async def test_without_premium_an_address_or_a_legacy_nobody_is_written_to(world: MailWorld, how: str) -> None:
    people = ("anna", "ben") if how == "no address of the owner" else ("owner", "anna", "ben")
    legacy = await family(world, *people)
    await world.tick()
    if how == "no premium":
        world.scenario.end_premium(world.account("owner").address)
    elif how == "deleted":
        world.scenario.delete_legacy(world.account("owner"), legacy)
    await days(world, 3)
    assert told(world) == []


async def test_a_set_that_reaches_nobody_is_counted_until_it_does(world: MailWorld) -> None:
    legacy = world.legacy(inactivity=3000 * DAY)
    world.scenario.configure_reminders(world.account("owner"), legacy, [world.address("anna")])
    await world.save(legacy, "ben")
    await world.tick()
    assert await count_silent(world.engine) == {world.chain.chain_id: 1}
    await world.save(legacy, "anna")
    await world.tick()
    assert await count_silent(world.engine) == {}
