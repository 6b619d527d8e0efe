"""Further emails about one deadline: nobody falls silent because somebody did nothing."""

from typing import Any

import pytest

from devnet.scenarios import DAY, Legacy
from reminder_worker.outbox.messages import format_deadline
from reminder_worker.reminders.planner import PlanReport
from tests.integration.reminder_world import CHAIN_ID, MailWorld

NOTICE, READY = "before_activation", "ready_to_activate"


async def noticed(world: MailWorld, notice: int) -> Legacy:
    """Create a legacy whose notice begins now; its first emails have left."""
    world.scenario.set_time_ahead(world.account("owner"), notice)
    legacy = world.legacy(heirs=["anna"], inactivity=60 * DAY)
    await world.save(legacy, "owner", "anna")
    await world.look_at_chain()
    world.scenario.advance(60 * DAY - notice)
    await world.tick()
    assert world.mail.told(NOTICE) == ["anna@example.org", "owner@example.org"]
    world.mail.inbox.clear()
    return legacy


async def after(world: MailWorld, days: float, kind: str) -> list[str]:
    """Let days pass; return the readers of this tick's emails of a kind."""
    world.mail.inbox.clear()
    world.scenario.advance(int(days * DAY))
    await world.days_pass(days)
    await world.tick()
    return list(world.mail.told(kind))


@pytest.mark.core
async def test_owner_alone_has_a_second_notice_at_half_of_the_time_and_no_third(world: MailWorld) -> None:
    await noticed(world, 10 * DAY)
    assert await after(world, 4.9, NOTICE) == []
    assert await after(world, 0.2, NOTICE) == ["owner@example.org"]
    assert world.mail.inbox[0].variables["remindersLeft"] == 0
    assert await after(world, 2.5, NOTICE) == []
    assert await after(world, 2, NOTICE) == []


async def test_second_notice_goes_only_while_its_window_is_open(world: MailWorld) -> None:
    """Premium ends between planning and sending, and is renewed."""
    await noticed(world, 10 * DAY)
    owner = world.account("owner")
    world.scenario.advance(int(5.1 * DAY))
    await world.days_pass(5.1)
    await world.look_at_chain()
    await world.dispatch._planners[CHAIN_ID].run(PlanReport())
    world.scenario.end_premium(owner.address)
    await world.dispatch.run()
    assert world.mail.inbox == []
    assert (await world.states(NOTICE))["dropped:window_closed"] == 1
    world.scenario.subscribe_premium(owner)
    await world.tick()
    assert world.mail.told(NOTICE) == ["owner@example.org"]


async def test_second_notice_of_a_safe_goes_to_its_signers(world: MailWorld) -> None:
    creator, signer, heir = world.account("owner"), world.account("hollyash"), world.address("anna")
    world.scenario.ensure_premium(creator, 900 * DAY)
    safe = world.scenario.create_safe([creator, signer])
    legacy = world.scenario.create_safe_legacy(creator, safe, [heir], inactivity=60 * DAY)
    world.scenario.configure_reminders(creator, legacy, [heir], cosigners=[signer.address])
    await world.save(legacy, "owner", "hollyash", "anna")
    await world.look_at_chain()
    assert len(await after(world, 53.01, NOTICE)) == 3
    assert await after(world, 3.5, NOTICE) == ["hollyash@example.org", "owner@example.org"]
    assert {email.variables["role"] for email in world.mail.inbox} == {"cosigner"}


async def test_second_notice_is_not_made_up_for(world: MailWorld) -> None:
    """The people are saved after half of the notice."""
    world.scenario.set_time_ahead(world.account("owner"), 30 * DAY)
    legacy = world.legacy(heirs=["anna"], inactivity=60 * DAY)
    world.scenario.advance(46 * DAY)
    await world.save(legacy, "owner")
    await world.tick()
    assert world.mail.told(NOTICE) == ["owner@example.org"]
    assert world.mail.inbox[0].variables.get("remindersLeft") is None
    assert await after(world, 2, NOTICE) == []


# -- heirs --------------------------------------------------------------------------------------


async def opened(world: MailWorld, *people: str, premium: int = 900, **terms: Any) -> Legacy:
    """Create a legacy that these people may claim since now; its emails have left. `premium`: days from now."""
    world.scenario.subscribe_premium(world.account("owner"), (premium + 60) * DAY)
    heirs = {world.address("anna"): 60, world.address("ben"): 40}
    legacy = world.scenario.create_legacy(world.account("owner"), heirs, inactivity=60 * DAY, **terms)
    world.scenario.configure_reminders(world.account("owner"), legacy)
    await world.save(legacy, "owner", *people)
    await world.look_at_chain()
    await after(world, 59.9, NOTICE)
    first_line = [label for label in people if label in ("anna", "ben")]
    assert await after(world, 0.1, READY) == sorted(f"{label}@example.org" for label in ("owner", *first_line))
    return legacy


async def play(world: MailWorld, *moments: int) -> list[tuple[int, str, list[str]]]:
    """Move to each of these days after the opening; return day, kind and readers of the emails."""
    found, day = [], 0
    for moment in moments:
        await after(world, moment - day, "")
        day = moment
        for kind in dict.fromkeys(email.template for email in world.mail.inbox):
            found.append((day, kind, [to.partition("@")[0] for to in world.mail.told(kind)]))
    return found


@pytest.mark.core
async def test_heirs_hear_30_90_and_365_days_after_claims_opened_and_then_never(world: MailWorld) -> None:
    """A year and a half without a claim and without a sign of life."""
    await opened(world, "anna", "ben")
    days = (29, 31, 89, 91, 364, 366, 540)
    heirs = ["anna", "ben"]
    assert await play(world, *days) == [(31, READY, heirs), (91, READY, heirs), (366, READY, heirs)]
    assert await world.states(READY) == {"sent": 9}


async def test_each_line_is_reminded_until_the_last_one_has_heard_for_a_year(world: MailWorld) -> None:
    """Three lines of a legacy; the second one may claim after 40 days, the third one after 80."""
    lines: dict[str, Any] = {"second_line": world.address("clara"), "third_line": world.address("dora")}
    await opened(world, "anna", "ben", "clara", "dora", **lines, delay2=40 * DAY, delay3=40 * DAY)
    days = (31, 41, 72, 81, 112, 171, 446, 600)
    first, all_heirs = ["anna", "ben"], ["anna", "ben", "clara", "dora"]
    emails = [each for each in await play(world, *days) if not each[1].startswith("before")]
    assert emails == [
        (31, READY, first),
        (41, "layer2_ready", ["anna", "ben", "clara", "owner"]),
        (72, "layer2_ready", ["anna", "ben", "clara"]),
        (81, "layer3_ready", [*all_heirs, "owner"]),
        (112, "layer3_ready", all_heirs),
        (171, "layer3_ready", all_heirs),
        (446, "layer3_ready", all_heirs),
    ]


async def test_claim_ends_the_further_emails(world: MailWorld) -> None:
    """Also one that is planned already."""
    legacy = await opened(world, "anna", "ben")
    world.scenario.advance(31 * DAY)
    await world.days_pass(31)
    await world.look_at_chain()
    await world.dispatch._planners[CHAIN_ID].run(PlanReport())
    world.scenario.claim(world.account("anna"), legacy)
    assert [kind for _, kind, _ in await play(world, 1, 70)] == ["activated_transfer"]
    assert await world.states(READY) == {"sent": 3, "dropped:window_closed": 2}


async def test_heir_reads_until_which_day_we_remind_if_premium_ends_before_the_next_email(world: MailWorld) -> None:
    await opened(world, "anna", premium=20)
    owner_account = world.account("owner")
    setting = world.scenario.deployment.premium_setting
    ends = world.scenario.read("PremiumSetting", setting, "premiumExpired", owner_account.address)

    def until() -> list[Any]:
        emails = [email.variables for email in world.mail.inbox if email.template == READY]
        return [(each["role"], each.get("remindedUntil")) for each in emails]

    assert sorted(until()) == [("beneficiary", format_deadline(ends)), ("owner", None)]
    assert await after(world, 31, READY) == []
    world.scenario.subscribe_premium(owner_account, 900 * DAY)
    assert await after(world, 1, READY) == ["anna@example.org"]
    assert until() == [("beneficiary", None)]


async def test_of_a_window_first_seen_too_late_only_the_further_emails_ahead_are_sent(world: MailWorld) -> None:
    """The people are saved 40 days after claims opened."""
    legacy = world.legacy(heirs=["anna"], inactivity=60 * DAY)
    world.scenario.advance(100 * DAY)
    await world.save(legacy, "owner", "anna")
    await world.tick()
    assert world.mail.inbox == []
    await world.save(legacy, "ben")  # a write plans the window again
    assert READY not in [kind for _, kind, _ in await play(world, 1, 48)]
    assert [(kind, told) for _, kind, told in await play(world, 3)] == [(READY, ["anna"])]
    assert world.mail.inbox[0].variables["daysOpen"] == 90
    rows = await world.sql('select state from worker.due_window where "window" = 4')
    assert rows == [("too_old",)]


async def test_person_saved_later_gets_one_email_and_none_of_the_days_before(world: MailWorld) -> None:
    legacy = await opened(world, "anna")
    await play(world, 31)
    assert world.mail.told(READY) == ["anna@example.org"]
    await world.save(legacy, "ben")
    assert [told for _, kind, told in await play(world, 2, 4) if kind == READY] == [["ben"]]
    await world.save(legacy, "anna", "ben", "clara")
    assert [told for _, kind, told in await play(world, 5, 7) if kind == READY] == [], (
        "no first email follows a further one"
    )
