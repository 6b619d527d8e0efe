"""Dispatch while recipients change, and while several emails of one kind are in flight."""

import asyncio
import time
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Legacy, LegacyMode
from reminder_worker.database.queries import json_text
from reminder_worker.monitoring.erasure import erase_person
from reminder_worker.outbox import outcomes as become
from reminder_worker.outbox.dispatcher import PreparedBatch
from reminder_worker.outbox.messages import format_deadline
from reminder_worker.outbox.models import EmailSettlement
from reminder_worker.reminders.audience import PLANNED_AGAIN
from reminder_worker.reminders.emails import ReminderEmail
from reminder_worker.reminders.planner import DispatchReport, PlanReport
from reminder_worker.reminders.tables import sql
from tests.campaign.nodes import behind
from tests.integration.chain_proxy import NodeProxy
from tests.integration.crash import CrashAt, PlannedCrash
from tests.integration.locks import blocked
from tests.integration.mail_stub import MailFault
from tests.integration.reminder_world import CHAIN_ID, MailWorld, reminder_store, save_again_while_asked


async def approaching(world: MailWorld, *people: str) -> Legacy:
    """A legacy whose first window is open and stored, and nothing planned yet."""
    legacy = world.legacy(inactivity=30 * DAY)
    await world.save(legacy, *people)
    world.scenario.advance(24 * DAY)
    await world.look_at_chain()
    return legacy


async def fickle(world: MailWorld) -> Legacy:
    """As `approaching`, of Anna's; it may be made to revert."""
    shares = {world.address("anna"): 100}
    legacy = world.scenario.create_reverting_legacy(world.account("owner"), shares, inactivity=30 * DAY)
    world.scenario.subscribe_premium(world.account("owner"))
    world.scenario.configure_reminders(world.account("owner"), legacy)
    await world.save(legacy, "anna")
    world.scenario.advance(24 * DAY)
    await world.look_at_chain()
    return legacy


async def checked_in(world: MailWorld) -> Legacy:
    """Anna is an heir of it, and is to hear of an owner reset."""
    legacy = await approaching(world, "anna")
    world.scenario.check_in(world.account("owner"), legacy)
    await world.look_at_chain()
    return legacy


async def prepared(world: MailWorld, report: DispatchReport, ends: float) -> PreparedBatch[ReminderEmail]:
    """Two emails that an outage held up, their bodies stored by a run whose time is up at `ends`, to be posted."""
    await world.mail.stop()
    await world.dispatch.run()
    await world.mail.start()
    await world.hurry()
    piece = await world.dispatch.outbox.prepare_batch(report, ends)
    assert piece is not None
    assert len(piece.ready) == 2
    return piece


@pytest.mark.parametrize(
    ("state", "reason"), [("dead", "rejected_422"), ("suppressed", "suppressed"), ("dropped", "body_gone")]
)
async def test_a_corrected_address_is_told_what_the_old_one_never_was(
    world: MailWorld, state: str, reason: str
) -> None:
    """Sent once, and without the events that another email may have reported (`merged`)."""
    legacy = await approaching(world, "anna", "ben")
    await world.mail.stop()
    await world.dispatch.run()
    await world.mail.start()
    unsent = "update worker.sent_ledger set state = :state, reason = :reason, settled_at = now() where recipient = :who"
    await world.sql(unsent, state=state, reason=reason, who=world.address("anna"))
    await world.sql(unsent, state="dropped", reason="merged", who=world.address("ben"))
    corrected = {world.address(label): f"{label}.new@example.org" for label in ("anna", "ben")}
    await world.save(legacy, emails=corrected)
    for _ in range(2):
        await world.hurry()
        await world.tick()
    assert world.mail.told("before_activation") == ["anna.new@example.org"]


@pytest.mark.core
async def test_who_is_erased_and_saved_again_is_told_nothing_twice_and_has_no_receipt_of_before(
    world: MailWorld,
) -> None:
    """The row of a sent email prevents a second one. Its kind, day and outcome are not shown again."""
    legacy = await approaching(world, "anna", "ben")
    await world.dispatch.run()
    told = [("before_activation", "accepted")]
    assert await world.receipts(legacy) == {"anna": told, "ben": told}
    assert (await erase_person(world.engine, world.hashes, "anna@example.org", None)).recipients == 1
    assert await world.receipts(legacy) == {"ben": told}
    await world.save(legacy, "anna")
    await world.tick()
    assert await world.receipts(legacy) == {"anna": [], "ben": told}
    await world.erase(legacy)
    await world.save(legacy, "anna", "ben")
    await world.tick()
    assert await world.receipts(legacy) == {"anna": [], "ben": []}
    assert world.mail.told("before_activation") == ["anna@example.org", "ben@example.org"]
    world.scenario.check_in(world.account("owner"), legacy)
    await world.tick()
    await world.save(legacy, emails={world.address("ben"): "ben.new@example.org"})
    assert await world.receipts(legacy) == {"anna": [("owner_reset", "accepted")], "ben": []}


async def test_who_is_erased_while_an_email_waits_to_be_posted_is_not_written_to(world: MailWorld) -> None:
    """Its body is stored and decrypted in memory already: the last look is right before the post."""
    legacy = await approaching(world, "anna", "ben")
    report = DispatchReport()
    piece = await prepared(world, report, time.monotonic() + 60)
    await world.erase(legacy)
    settled = await world.dispatch.outbox.post_batch(piece, report)
    await world.dispatch.outbox.settle_batch(report, piece.claim, settled)
    for _ in range(2):
        await world.hurry()
        await world.dispatch.run()
    assert world.mail.requests == 0
    assert await world.states() == {}


async def test_who_is_saved_again_while_an_email_in_doubt_is_asked_about_is_told_after_all(
    world: MailWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    legacy = await approaching(world, "anna")
    world.mail.fail(MailFault.DIES_BEFORE)
    await world.dispatch.run()
    await save_again_while_asked(world, monkeypatch, legacy, "anna")
    await world.tick()
    assert world.mail.told("before_activation") == ["anna@example.org"]


async def test_a_corrected_address_is_not_told_of_what_is_past(world: MailWorld) -> None:
    """It hears of an open window. A signal was for the people saved at that time."""
    legacy = await checked_in(world)
    world.mail.fail(MailFault.DIES_BEFORE)
    await world.dispatch.run()
    assert await world.states() == {"unknown": 1}
    await world.save(legacy, emails={world.address("anna"): "anna.new@example.org"})
    for _ in range(2):
        await world.hurry()
        await world.tick()
    assert world.mail.told("owner_reset") == []
    assert await world.states() == {"dropped:body_gone": 1}


@pytest.mark.parametrize(
    ("corrected", "fault"),
    [
        ("before its body is stored", MailFault.UNAVAILABLE),
        ("before it is posted", MailFault.REJECTED),
        ("before that is recorded", MailFault.UNAVAILABLE),
        ("before that is recorded", MailFault.REJECTED),
        ("before that is recorded", MailFault.SUPPRESSED),
    ],
)
@pytest.mark.parametrize(("kind", "told"), [("owner_reset", []), ("before_activation", ["anna.new@example.org"])])
async def test_an_address_corrected_while_an_email_is_under_way_hears_of_what_lasts_and_of_nothing_past(
    world: MailWorld, monkeypatch: pytest.MonkeyPatch, corrected: str, fault: MailFault, kind: str, told: list[str]
) -> None:
    """Handled as an address that is corrected while its email waits or is in doubt."""
    legacy = await approaching(world, "anna")
    await world.sql("delete from worker.sent_ledger")
    if kind == "owner_reset":
        world.scenario.check_in(world.account("owner"), legacy)
    else:
        await world.sql("update worker.due_window set planned_at = null")
    await world.mail.stop()
    await world.tick()
    await world.mail.start()
    await world.hurry()
    world.mail.fail(fault)
    report = DispatchReport()

    async def correct() -> None:
        await world.save(legacy, emails={world.address("anna"): "anna.new@example.org"})

    renderer = world.dispatch.renderer
    render = renderer.render

    async def corrected_meanwhile(entries: Sequence[ReminderEmail]) -> Any:
        await correct()
        return await render(entries)

    with monkeypatch.context() as meanwhile:
        if corrected == "before its body is stored":
            meanwhile.setattr(renderer, "render", corrected_meanwhile)
        piece = await world.dispatch.outbox.prepare_batch(report, time.monotonic() + 60)
    assert piece is not None
    if corrected == "before it is posted":
        await correct()
    settled = await world.dispatch.outbox.post_batch(piece, report)
    if corrected == "before that is recorded":
        await correct()
    await world.dispatch.outbox.settle_batch(report, piece.claim, settled)
    world.mail.faults.clear()
    for _ in range(2):
        await world.hurry()
        await world.tick()
    assert world.mail.told(kind) == told


@pytest.mark.parametrize(
    ("lasts", "outcome", "told"),
    [(True, "suppressed", ["anna.new@example.org"]), (True, "dead", ["anna.new@example.org"]), (False, "released", [])],
)
async def test_an_address_corrected_while_what_became_of_its_email_is_being_recorded_is_told_as_after_it(
    world: MailWorld, lasts: bool, outcome: str, told: list[str]
) -> None:
    """The ledger changes between the beginning and the end of the write."""
    legacy = await (approaching(world, "anna") if lasts else checked_in(world))
    await world.dispatch._plan_chain(CHAIN_ID, DispatchReport())
    piece = await world.dispatch.outbox.prepare_batch(DispatchReport(), time.monotonic() + 60)
    assert piece is not None
    settled = [EmailSettlement(each.entry, outcome, outcome) for each in piece.ready]
    rows = json_text([each.columns() for each in settled])
    values = {"token": piece.claim.token, "until": piece.claim.until, "rows": rows, "lasting": list(PLANNED_AGAIN)}
    async with world.engine.connect() as recording:
        await recording.execute(sql["settle"], values)
        saving = asyncio.create_task(world.save(legacy, emails={world.address("anna"): "anna.new@example.org"}))
        await blocked(world.engine)
        await recording.commit()
    await saving
    for _ in range(2):
        await world.hurry()
        await world.tick()
    assert [each.to for each in world.mail.inbox] == told


@pytest.mark.parametrize("fault", [MailFault.DIES_BEFORE, MailFault.ACCEPTS_AND_DIES])
async def test_who_gets_another_name_while_an_email_is_undecided_hears_once_of_what_is_past(
    world: MailWorld, fault: MailFault
) -> None:
    """The address is unchanged: an email that never arrived is not lost with its old text."""
    legacy = await checked_in(world)
    world.mail.fail(fault)
    await world.dispatch.run()
    assert await world.states() == {"unknown": 1}
    for _ in range(2):
        await world.save(legacy, "anna", reworded=True)
    await world.mail.stop()
    await world.hurry()
    await world.dispatch.run()
    await world.mail.start()
    for _ in range(3):
        await world.hurry()
        await world.tick()
    assert world.mail.told("owner_reset") == ["anna@example.org"]


async def test_a_node_that_is_behind_takes_no_owner_reset_from_a_new_heir(proxied: tuple[MailWorld, NodeProxy]) -> None:
    """Nobody looks at a signal a second time: who is not an heir at its block yet is waited for a while."""
    world, node = proxied
    scenario = world.scenario
    owner, legacy = world.account("owner"), await approaching(world, "anna")
    scenario.edit_distribution(owner, legacy, {world.address("anna"): 50, world.address("dora"): 50})
    scenario.configure_reminders(owner, legacy)
    scenario.check_in(owner, legacy)
    await world.save(legacy, "dora")
    await world.look_at_chain()
    await world.dispatch._planners[CHAIN_ID].run(PlanReport())
    node.answer = behind(scenario.anvil, 3)
    await world.dispatch.run()
    node.well()
    await world.hurry()
    await world.dispatch.run()
    assert world.mail.told("owner_reset") == ["anna@example.org", "dora@example.org"]


async def test_a_crash_right_after_a_node_that_is_behind_dropped_a_reminder_does_not_lose_it(
    engine: AsyncEngine, proxied: tuple[MailWorld, NodeProxy]
) -> None:
    """That it was dropped, and that the chain is to be asked again, is recorded together."""
    world, node = proxied
    await approaching(world, "anna")
    await world.mail.stop()
    await world.dispatch.run()
    await world.mail.start()
    for number in range(100):
        node.answer = behind(world.scenario.anvil, 2)
        await world.hurry()
        try:
            with CrashAt(engine, number) as crash:
                await world.dispatch.run()
        except PlannedCrash:
            pass
        node.well()
        await world.leases_expire()
        for _ in range(2):
            await world.hurry()
            await world.tick()
        assert len(world.mail.told("before_activation")) == 1, f"crashed before statement {number}"
        if crash.left >= 0:
            break
        world.mail.inbox.clear()
        world.mail.decide_all()
        await world.sql("update worker.sent_ledger set state = 'queued', message_id = null, claimed_at = null")
        await world.sql("update worker.quota set used = 0")
    assert 10 < number < 99


async def test_a_window_of_a_legacy_that_can_be_read_again_is_told_while_it_is_open(world: MailWorld) -> None:
    """After any time without an answer, its retries begin again, as for a new email."""
    legacy = await fickle(world)
    for ends_as in ("dropped", "released"):
        world.scenario.set_mode(legacy, LegacyMode.REVERTS)
        await world.dispatch.run()
        if ends_as == "dropped":
            await world.sql("update worker.sent_ledger set created_at = now() - interval '60 days'")
            await world.hurry()
            await world.dispatch.run()
        assert await world.states() == {f"{ends_as}:legacy_not_readable": 1}
        world.scenario.set_mode(legacy, LegacyMode.WELL)
        await world.look_at_chain()
    await world.hurry()
    await world.dispatch.run()
    assert world.mail.told("before_activation") == ["anna@example.org"]


@pytest.mark.parametrize("outcome", ["unsent", "sent", "held"])
async def test_an_email_waits_a_day_for_one_that_was_sent_and_only_a_lease_for_one_under_way(
    world: MailWorld, outcome: str
) -> None:
    """The older owner reset is under way with one dispatcher when the newer is due with another."""
    legacy = await checked_in(world)
    await world.mail.stop()
    await world.dispatch.run()
    await world.hurry()
    ledger = reminder_store(world)
    (older,) = (claim := await ledger.claim_due(10)).entries
    assert older.stored is not None
    assert await ledger.store_bodies(claim, {older.id: (b"sealed", older.stored.salt, None)})
    world.scenario.advance(60)
    world.scenario.check_in(world.account("owner"), legacy)
    await world.mail.start()
    await world.tick()
    assert world.mail.requests == 0
    waits = "select next_try - now() < interval '4 minutes' from worker.sent_ledger where state = 'queued'"
    assert await world.sql(waits) == [(True,)]
    ends = {
        "unsent": become.render_again(older),
        "sent": become.settle_sent(older, "m"),
        "held": become.hold_email(older, "in_doubt"),
    }
    await ledger.settle_claim(claim, [ends[outcome]])
    for _ in range(2):
        await world.dispatch.run()
        assert world.mail.told("owner_reset") == (["anna@example.org"] if outcome == "unsent" else [])
        await world.hurry()
    await world.dispatch.run()
    waits = "select next_try - now() > interval '23 hours 50 minutes' from worker.sent_ledger where state = 'queued'"
    assert await world.sql(waits) == ([] if outcome == "unsent" else [(True,)])


@pytest.mark.parametrize("hours", [23, 25])
@pytest.mark.parametrize("became", ["sent", "unknown", "held"])
async def test_an_undecided_email_that_never_arrived_waits_a_day_for_a_later_one_of_its_kind(
    world: MailWorld, became: str, hours: int
) -> None:
    """Applies to a later email in doubt as well."""
    legacy = world.legacy(inactivity=30 * DAY)
    world.scenario.advance(31 * DAY)
    await world.save(legacy, "anna")
    world.scenario.claim(world.account("anna"), legacy, [])
    await world.look_at_chain()
    await world.sql("update worker.due_window set state = 'too_old'")
    world.mail.fail(MailFault.DIES_BEFORE)
    await world.dispatch.run()
    ((older,),) = await world.sql("update worker.sent_ledger set next_try = now() + interval '1 hour' returning id")
    world.scenario.claim(world.account("anna"), legacy, [])
    await world.tick()
    another = "update worker.sent_ledger set state = :became, message_id = :id where id <> :older"
    await world.sql(another, became=became, id="m" if became == "sent" else None, older=older)
    ago = "update worker.sent_ledger set claimed_at = now() - make_interval(hours => :hours) where id"
    await world.sql(f"{ago} <> :older", hours=hours, older=older)
    await world.sql(f"{ago} = :older", hours=hours + 1, older=older)
    await world.sql("update worker.sent_ledger set next_try = now() where id = :older", older=older)
    await world.dispatch.run()
    assert world.mail.told("activated_transfer") == ([] if hours < 24 else ["anna@example.org"])
    again = "select from worker.sent_ledger where state = 'unknown' and next_try < now() + interval '50 minutes'"
    assert await world.sql(f"{again} and id = :older", older=older) == [], "it is asked about every hour"


@pytest.mark.parametrize("meanwhile", ["the owner checks in", "the timer runs out"])
async def test_an_undecided_email_that_never_arrived_tells_the_deadline_of_now(
    world: MailWorld, meanwhile: str
) -> None:
    """Else an outage would end with people reading that nothing can be claimed yet, and until when."""
    legacy = await checked_in(world)
    world.mail.fail(MailFault.DIES_BEFORE)
    await world.dispatch.run()
    assert await world.states() == {"unknown": 1}
    await world.mail.stop()
    if meanwhile == "the owner checks in":
        world.scenario.advance(3600)
        world.scenario.check_in(world.account("owner"), legacy)
    else:
        world.scenario.advance(40 * DAY)
    await world.hurry()
    await world.dispatch.run()
    await world.mail.start()
    await world.hurry()
    await world.dispatch.run()
    (email,) = world.mail.inbox
    first, *_ = world.scenario.read("TransferEOALegacy", legacy.address, "getTriggerActivationTimestamp")
    assert email.variables["deadline"] == (format_deadline(first) if meanwhile == "the owner checks in" else None)
