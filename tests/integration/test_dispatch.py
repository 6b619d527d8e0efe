"""Reminders from the chain to the inbox: one email for each right person."""

import asyncio
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Legacy, Scenario
from devnet.smtp import SmtpInbox
from reminder_worker import concurrency
from reminder_worker.auto_renew.budgets import find_ending_budgets
from reminder_worker.chain.client import Chain
from reminder_worker.chain.events import ETHER_LOGS
from reminder_worker.indexer.chain_index import ChainIndex
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.monitoring.retention import forget_expired
from reminder_worker.outbox.daily_quota import DailyQuota
from reminder_worker.outbox.messages import RecipientRole, ReminderKind
from reminder_worker.outbox.store import OutboxStore
from reminder_worker.reminders.emails import ReminderLedger
from reminder_worker.reminders.planner import DispatchReport, PlannedEmail, ReminderDispatch, insert_emails
from reminder_worker.reminders.recipients import RecipientWords
from reminder_worker.reminders.rehearsal import UntoldReason
from tests.campaign.nodes import behind
from tests.integration.chain_proxy import Json, NodeProxy
from tests.integration.mail_service_stack import environment, served
from tests.integration.mail_stub import MailFault, MailStub
from tests.integration.reminder_world import CHAIN_ID, MailWorld, open_world, reminder_store

FAMILY = ("owner", "anna", "ben", "clara")


def emails(*labels: str) -> list[str]:
    return sorted(f"{label}@example.org" for label in labels)


@pytest.mark.core
async def test_the_whole_life_of_a_legacy(world: MailWorld) -> None:
    """Each window and signal becomes one email per person of its line, in any number of ticks."""
    s, mail = world.scenario, world.mail
    legacy = world.legacy(second_line="clara", inactivity=30 * DAY)
    await world.save(legacy, *FAMILY)
    await world.tick()
    assert mail.inbox == []

    s.advance(24 * DAY)
    for _ in range(3):
        await world.tick()
    assert mail.told("before_activation") == emails("owner", "anna", "ben")
    assert mail.email("before_activation", "owner@example.org").variables["role"] == "owner"

    s.check_in(world.account("owner"), legacy)
    for _ in range(2):
        await world.tick()
    assert mail.told("owner_reset") == emails("owner", "anna", "ben")
    assert len(mail.inbox) == 6

    s.advance(30 * DAY)
    await world.days_pass(30)
    for _ in range(2):
        await world.tick()
    assert mail.told("ready_to_activate") == emails("owner", "anna", "ben")

    usdc = s.deployment.usdc
    s.mint(usdc, world.address("owner"), 1_000_500_000)
    s.approve(world.account("owner"), usdc, legacy.address, 10**12)
    s.claim(world.account("anna"), legacy, [usdc])
    for _ in range(2):
        await world.tick()
    assert mail.told("activated_transfer") == emails("owner", "anna", "ben")
    amounts = {
        email.to: [(row["token"], row["amount"]) for row in email.variables["amounts"]]
        for email in mail.inbox
        if email.template == "activated_transfer"
    }
    assert amounts == {
        "owner@example.org": [("USDC", "1,000.5")],
        "anna@example.org": [("USDC", "500.25")],
        "ben@example.org": [("USDC", "500.25")],
    }
    assert await world.states() == {"sent": len(mail.inbox)}


async def test_an_email_links_to_the_apps_own_page_of_a_legacy_and_names_the_wallet(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    path = "/#/plans?chain={chainId}&of={legacy}"
    async with MailStub() as mail, open_world(engine, chain_scenario, mail, APP_LEGACY_PATH=path) as world:
        legacy = await approaching(world, "anna")
        await world.dispatch.run()
        variables = mail.email("before_activation", "anna@example.org").variables
    assert variables["actionUrl"] == f"https://app.example.org/#/plans?chain={CHAIN_ID}&of={legacy.address.lower()}"
    assert variables["recipientAddress"].lower() == world.address("anna").lower()


async def test_without_an_apps_page_emails_lead_to_the_page_of_the_legacy_here(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    """An heir's link carries the end of their own address, in the fragment alone. An app's page goes first."""
    own: dict[str, Any] = {"LEGACY_PAGES": "true"}
    app = own | {"APP_LEGACY_PATH": "/plans/{chainId}/{legacy}"}
    for settings, path in ((own, "legacies"), (app, "plans")):
        async with MailStub() as mail, open_world(engine, chain_scenario, mail, **settings) as world:
            legacy = await approaching(world, "owner", "anna")
            await world.dispatch.run()
            page = f"https://app.example.org/{path}/{CHAIN_ID}/{legacy.address.lower()}"
            ending = f"#wallet={world.address('anna')[-4:].lower()}" if settings is own else ""
            for person, link in (("owner", page), ("anna", page + ending)):
                variables = mail.email("before_activation", f"{person}@example.org").variables
                assert variables["actionUrl"] == link
                assert variables.get("legacyPage") == (page if settings is own else None)


async def approaching(world: MailWorld, *people: str, **terms: Any) -> Legacy:
    """A legacy with these people stored, whose first window is open and in the database."""
    legacy = world.legacy(**{"inactivity": 30 * DAY, **terms})
    await world.save(legacy, *(people or ("owner", "anna", "ben")))
    world.scenario.advance(24 * DAY)
    await world.look_at_chain()
    return legacy


# -- what is not true any more is not sent ------------------------------------------------------------


async def test_a_check_in_between_the_look_and_the_dispatch_drops_the_reminder(world: MailWorld) -> None:
    legacy = await approaching(world)
    world.scenario.check_in(world.account("owner"), legacy)
    await world.dispatch.run()
    assert world.mail.inbox == []
    assert await world.states() == {"dropped:window_closed": 3}


async def test_a_check_in_after_the_plan_drops_what_waits_and_its_new_deadline_is_a_new_reminder(
    world: MailWorld,
) -> None:
    legacy = await approaching(world)
    await world.mail.stop()
    await world.dispatch.run()
    world.scenario.check_in(world.account("owner"), legacy)
    await world.mail.start()
    await world.hurry()
    await world.tick()
    assert world.mail.told("before_activation") == []
    world.scenario.advance(24 * DAY)
    await world.tick()
    assert world.mail.told("before_activation") == emails("owner", "anna", "ben")


async def test_signals_of_a_time_without_mail_are_history(world: MailWorld) -> None:
    """They were seen in time and never planned; when mail is configured at last they are not news any more."""
    legacy = world.legacy(inactivity=300 * DAY)
    await world.save(legacy, "owner", "anna", "ben")
    world.scenario.check_in(world.account("owner"), legacy)
    await world.look_at_chain()
    world.scenario.advance(8 * DAY)
    await world.tick()
    assert world.mail.inbox == []
    assert await world.sql("select state, reason from worker.notify_signal") == [("too_old", "not_planned_in_time")]
    assert (await world.dispatch.run()).plan.too_old == 0, "counted once"


async def test_a_window_that_opens_again_for_the_same_deadline_is_told_after_all(world: MailWorld) -> None:
    """Premium lapsed between look and dispatch, and is renewed: the deadline is the same, nothing was sent."""
    await approaching(world)
    world.scenario.end_premium(world.account("owner").address)
    await world.dispatch.run()
    assert await world.states() == {"dropped:window_closed": 3}
    await world.tick()
    world.scenario.subscribe_premium(world.account("owner"))
    await world.tick()
    assert world.mail.told("before_activation") == emails("owner", "anna", "ben")


@pytest.mark.parametrize("sync", [True, False])
async def test_a_removed_heir_is_not_written_to(world: MailWorld, sync: bool) -> None:
    """Also when the configuration on chain still names them, and when they are removed after the plan."""
    legacy = await approaching(world)
    await world.mail.stop()
    await world.dispatch.run()
    world.scenario.edit_distribution(world.account("owner"), legacy, {world.address("ben"): 100}, sync=sync)
    await world.mail.start()
    await world.index.run()
    await world.hurry()
    await world.dispatch.run()
    assert world.mail.told("before_activation") == emails("owner", "ben")
    world.scenario.check_in(world.account("owner"), legacy)
    await world.tick()
    assert world.mail.told("owner_reset") == emails("owner", "ben")


async def test_an_heir_added_while_a_window_is_open_hears_of_it(world: MailWorld) -> None:
    legacy = await approaching(world)
    await world.dispatch.run()
    everybody = {world.address(label): share for label, share in (("anna", 40), ("ben", 40), ("dora", 20))}
    world.scenario.edit_distribution(world.account("owner"), legacy, everybody)
    world.scenario.configure_reminders(world.account("owner"), legacy)
    await world.save(legacy, "dora")
    await world.tick()
    assert world.mail.told("before_activation") == emails("owner", "anna", "ben", "dora")


async def test_nobody_is_told_of_a_line_that_nobody_is_in_until_somebody_is(world: MailWorld) -> None:
    """Removing a person does not change the time between the lines. The chain still opens the window."""
    legacy = await approaching(world, "owner", "anna", "ben", "dan", second_line="clara", delay2=DAY // 2)
    owner = world.account("owner")
    world.scenario.edit_line(owner, legacy, 2, None)
    await world.dispatch.run()
    await world.tick()
    assert sorted(world.scenario.due_windows([legacy])[0]) == [1, 2]
    assert world.mail.told("before_layer2") == []
    assert (await world.tick()).plan.entries == 0, "nor is it planned, to be dropped, with every tick"
    world.scenario.edit_line(owner, legacy, 2, world.address("dan"))
    world.scenario.configure_reminders(owner, legacy)
    await world.tick()
    assert world.mail.told("before_layer2") == emails("owner", "anna", "ben", "dan")


async def test_who_is_not_configured_hears_nothing_until_configured(world: MailWorld) -> None:
    """The configuration comes after the window was seen and planned for nobody."""
    account = world.account("owner")
    world.scenario.subscribe_premium(account)
    legacy = world.scenario.create_legacy(account, {world.address("anna"): 100}, inactivity=3 * DAY)
    await world.save(legacy, "owner", "anna")
    await world.tick()
    assert world.mail.inbox == []
    world.scenario.configure_reminders(account, legacy)
    await world.tick()
    assert world.mail.told("before_activation") == emails("owner", "anna")


# -- activations --------------------------------------------------------------------------------------


async def ready(world: MailWorld, *people: str, **terms: Any) -> Legacy:
    """As `approaching`, and the owner's wallet holds tokens that line 1 may claim now."""
    legacy = await approaching(world, *people, **terms)
    owner, usdc = world.account("owner"), world.scenario.deployment.usdc
    world.scenario.mint(usdc, owner.address, 1_000_000_000)
    world.scenario.approve(owner, usdc, legacy.address, 10**30)
    world.scenario.advance(7 * DAY)
    await world.tick()
    world.mail.inbox.clear()
    return legacy


async def test_an_activation_that_empties_its_beneficiaries_still_reaches_them(world: MailWorld) -> None:
    legacy = await ready(world)
    world.scenario.set_empties_on_claim(world.account("owner"), legacy)
    world.scenario.claim(world.account("anna"), legacy, [world.scenario.deployment.usdc])
    await world.tick()
    assert world.mail.told("activated_transfer") == emails("owner", "anna", "ben")


async def test_a_safe_legacy_tells_its_creator_signers_and_beneficiaries_of_its_activation(world: MailWorld) -> None:
    s = world.scenario
    owner, signer = world.account("owner"), world.account("signer")
    s.subscribe_premium(owner)
    safe = s.create_safe([owner, signer])
    legacy = s.create_safe_legacy(owner, safe, [world.address("anna"), world.address("ben")], inactivity=30 * DAY)
    cosigners = [world.address("signer"), world.address("stranger")]
    s.configure_reminders(owner, legacy, [world.address("anna"), world.address("ben")], cosigners=cosigners)
    await world.save(legacy, "owner", "signer", "anna", "ben", "stranger")
    s.advance(31 * DAY)
    await world.tick()
    assert world.mail.told("ready_to_activate") == emails("owner", "signer", "anna", "ben")
    assert all(world.names_claim(email.variables, legacy) for email in world.mail.inbox)
    roles = {e.to: e.variables["role"] for e in world.mail.inbox}
    assert roles["owner@example.org"] == "cosigner", "a check-in of the creator's own wallet would not help"
    s.activate_safe_legacy(world.account("anna"), legacy)
    await world.tick()
    assert world.mail.told("activated_multisig") == emails("owner", "signer", "anna", "ben")
    roles = {e.to: e.variables["role"] for e in world.mail.inbox if e.template == "activated_multisig"}
    assert roles["owner@example.org"] == "owner"
    assert roles["signer@example.org"] == "cosigner"


async def test_two_layers_claiming_in_one_transaction_tell_everybody_once_with_their_own_amounts(
    world: MailWorld,
) -> None:
    legacy = await ready(world, *FAMILY, second_line="clara", delay2=2 * DAY)
    world.scenario.advance(3 * DAY)
    await world.tick()
    world.mail.inbox.clear()
    usdc = world.scenario.deployment.usdc
    world.scenario.claim_two_layers_in_one_transaction(world.account("anna"), world.account("clara"), legacy, [usdc])
    await world.tick()
    assert world.mail.told("activated_transfer") == emails(*FAMILY)
    amounts = {e.to: [row["amount"] for row in e.variables["amounts"]] for e in world.mail.inbox}
    assert amounts == {
        "owner@example.org": ["1,000"],
        "anna@example.org": ["500"],
        "ben@example.org": ["500"],
        "clara@example.org": [],
    }
    assert (await world.states("activated_transfer")).get("sent") == 4


async def test_a_claim_is_told_to_every_line_that_was_told_it_may_act_and_to_no_other(world: MailWorld) -> None:
    lines: dict[str, Any] = {"second_line": "clara", "delay2": 2 * DAY, "third_line": "dan", "delay3": 90 * DAY}
    early = await ready(world, *FAMILY, "dan", **lines)
    world.scenario.claim(world.account("anna"), early, [])
    await world.tick()
    assert world.mail.told("activated_transfer") == emails("owner", "anna", "ben")
    later = await ready(world, *FAMILY, "dan", **lines)
    world.scenario.advance(3 * DAY)
    await world.days_pass(3)
    await world.tick()
    world.scenario.claim(world.account("ben"), later, [])
    world.mail.inbox.clear()
    await world.tick()
    assert world.mail.told("activated_transfer") == emails("owner", "anna", "ben", "clara")
    assert not world.scenario.due_windows([early])[0], "its second line is not called after a claim"


async def test_who_is_in_two_lines_is_told_by_which_they_may_act(world: MailWorld) -> None:
    """In one slice also: of the same legacy and line, one email says that they may and the other does not."""
    lines: dict[str, Any] = {"second_line": "clara", "delay2": 2 * DAY, "third_line": "anna", "delay3": 2 * DAY}
    legacy = world.legacy(inactivity=30 * DAY, **lines)
    await world.save(legacy, "anna")
    world.scenario.advance(35 * DAY)
    await world.look_at_chain()
    told = PlannedEmail(
        legacy.address, world.address("anna"), ReminderKind.INSTRUCTIONS, "a request", RecipientRole.BENEFICIARY
    )
    async with world.engine.begin() as conn:
        await insert_emails(conn, CHAIN_ID, [told], rearm=False)
    await world.dispatch.run()
    roles = {email.template: email.variables["role"] for email in world.mail.inbox}
    assert (roles["layer3_ready"], roles["instructions"]) == ("third_line", "beneficiary")


async def test_after_the_owner_is_back_a_later_line_is_not_told_of_claims_again(world: MailWorld) -> None:
    legacy = await ready(world, *FAMILY, second_line="clara", delay2=2 * DAY)
    world.scenario.advance(3 * DAY)
    await world.tick()
    world.scenario.check_in(world.account("owner"), legacy)
    world.scenario.advance(31 * DAY)
    await world.days_pass(31)
    await world.tick()
    world.scenario.claim(world.account("anna"), legacy, [])
    world.mail.inbox.clear()
    await world.tick()
    assert world.mail.told("activated_transfer") == emails("owner", "anna", "ben")


async def test_signals_of_a_legacy_that_no_router_knows_are_refused(world: MailWorld) -> None:
    """An indexer that was fooled or taken over cannot make the worker write to anybody."""
    legacy = await approaching(world)
    await world.dispatch.run()
    world.mail.inbox.clear()
    tx = world.scenario.check_in(world.account("owner"), legacy)
    fake = world.scenario.deploy_fake_legacy(world.account("mallory"), legacy.id, [world.address("anna")])
    await world.save(fake, "anna")
    for target, kind in ((fake.address, 0), (legacy.address, 2)):
        await world.sql(
            "insert into worker.notify_signal"
            " (chain_id, tx_hash, legacy, kind, layer, creator, block_number, block_time)"
            " values (31337, :tx, :legacy, :kind, 1, :creator, 1, :now)",
            tx=tx,
            now=world.scenario.anvil.now(),
            legacy=target,
            kind=kind,
            creator=world.address("owner"),
        )
    await world.dispatch.run()
    assert world.mail.inbox == []
    rows = await world.sql("select state, reason from worker.notify_signal order by kind")
    assert [tuple(row) for row in rows] == [("refused", "not_in_its_transaction")] * 2


# -- recipients that change ---------------------------------------------------------------------------


async def test_a_recipient_replaced_between_claim_and_retry_is_written_to_at_the_new_address_only(
    world: MailWorld,
) -> None:
    legacy = await approaching(world)
    world.mail.fail(*[MailFault.UNAVAILABLE] * 3)
    await world.dispatch.run()
    await world.save(legacy, emails={world.address("anna"): "anna.new@example.org"})
    await world.hurry()
    await world.dispatch.run()
    assert world.mail.told("before_activation") == emails("anna.new", "ben", "owner")


async def test_a_recipient_erased_between_claim_and_retry_is_never_written_to(world: MailWorld) -> None:
    legacy = await approaching(world)
    world.mail.fail(*[MailFault.UNAVAILABLE] * 3)
    await world.dispatch.run()
    await world.erase(legacy)
    await world.hurry()
    await world.dispatch.run()
    assert world.mail.inbox == []
    assert await world.states() == {}


@pytest.mark.parametrize("arrived", [True, False])
async def test_a_recipient_replaced_while_undecided_hears_once_at_one_of_the_addresses(
    world: MailWorld, arrived: bool
) -> None:
    legacy = await approaching(world, "anna")
    world.mail.fail(MailFault.ACCEPTS_AND_DIES if arrived else MailFault.DIES_BEFORE)
    await world.dispatch.run()
    assert await world.states() == {"unknown": 1}
    await world.save(legacy, emails={world.address("anna"): "anna.new@example.org"})
    for _ in range(3):
        await world.hurry()
        await world.tick()
    assert world.mail.told("before_activation") == emails("anna" if arrived else "anna.new")


async def test_a_recipient_changed_between_claim_and_post_is_not_posted_with_what_was_claimed(world: MailWorld) -> None:
    """A body is stored and posted only while the recipient's row with its key exists."""
    legacy = await approaching(world, "anna", "ben")
    await world.dispatch.run()
    await world.sql("update worker.sent_ledger set state = 'queued', message_id = null, claimed_at = null")
    ledger = reminder_store(world)
    claim = await ledger.claim_due(10)
    await world.save(legacy, emails={world.address("anna"): "anna.new@example.org"})
    bodies = {entry.id: (b"sealed", entry.stored.salt, None) for entry in claim.entries if entry.stored}
    stored = await ledger.store_bodies(claim, bodies)
    assert [entry.recipient for entry in claim.entries if entry.id in stored] == [world.address("ben")]


# -- repetition ---------------------------------------------------------------------------------------


async def test_a_window_that_never_closes_writes_at_most_once_a_day(world: MailWorld) -> None:
    """Inactivity shorter than the advance notice: each check-in moves the deadline of the open window."""
    legacy = world.legacy(heirs=["anna"], inactivity=2 * DAY)
    await world.save(legacy, "anna")
    for _ in range(4):
        await world.tick()
        world.scenario.advance(3600)
        world.scenario.check_in(world.account("owner"), legacy)
    await world.tick()
    assert world.mail.told("before_activation") == emails("anna")
    await world.days_pass(1.01)
    await world.tick()
    assert world.mail.told("before_activation") == emails("anna", "anna")
    assert not world.mail.duplicates()


async def test_owner_resets_within_a_day_are_merged_into_the_next(world: MailWorld) -> None:
    legacy = await approaching(world, "anna")
    for _ in range(4):
        world.scenario.check_in(world.account("owner"), legacy)
        await world.tick()
        world.scenario.advance(60)
    assert world.mail.told("owner_reset") == emails("anna")
    await world.days_pass(1.01)
    await world.tick()
    assert world.mail.told("owner_reset") == emails("anna", "anna")
    assert await world.states("owner_reset") == {"sent": 2, "dropped:merged": 2}
    await world.days_pass(1.01)
    await world.tick()
    assert len(world.mail.told("owner_reset")) == 2


async def test_repeated_claims_are_merged_and_their_amounts_summed(world: MailWorld) -> None:
    legacy = await ready(world)
    usdc, weth = world.scenario.deployment.usdc, world.scenario.deployment.weth
    world.scenario.claim(world.account("ben"), legacy, [])
    await world.tick()
    world.scenario.claim(world.account("anna"), legacy, [usdc])
    world.scenario.mint(weth, world.address("owner"), 3 * 10**18)
    world.scenario.approve(world.account("owner"), weth, legacy.address, 10**30)
    world.scenario.claim(world.account("anna"), legacy, [weth])
    world.scenario.claim(world.account("ben"), legacy, [usdc])
    await world.tick()
    world.scenario.claim(world.account("ben"), legacy, [])
    await world.tick()
    assert world.mail.told("activated_transfer") == emails("owner", "anna", "ben")
    world.mail.inbox.clear()
    await world.days_pass(1.01)
    await world.tick()
    amounts = {e.to: sorted((row["token"], row["amount"]) for row in e.variables["amounts"]) for e in world.mail.inbox}
    assert amounts == {
        "owner@example.org": [("USDC", "1,000"), ("WETH", "3")],
        "anna@example.org": [("USDC", "500"), ("WETH", "1.5")],
        "ben@example.org": [("USDC", "500"), ("WETH", "1.5")],
    }


async def test_a_token_that_is_not_whitelisted_is_told_by_its_address(world: MailWorld) -> None:
    """The claimant can make the claim move any other token. Its symbol may be the name of another token."""
    s, owner, anna = world.scenario, world.account("owner"), world.account("anna")
    legacy, usdc = await ready(world), s.deployment.usdc
    false, mover = s.deploy("TestERC20", "USD Coin", "USDC", 6), s.create_hostile_token()
    for token, spender in ((mover, legacy.address), (false, mover)):
        s.mint(token, owner.address, 2)
        s.approve(owner, token, spender, 2)
    s.call_back(mover, "TestERC20", false, "transferFrom", owner.address, anna.address, 2)
    s.claim(anna, legacy, [usdc, mover])
    await world.tick()
    (told,) = (e.variables["amounts"] for e in world.mail.inbox if e.to == "anna@example.org")
    names = {row["tokenAddress"].lower(): row["token"].lower() for row in told}
    assert names == {usdc: "usdc", false: false, mover: mover}


async def test_ether_that_the_network_logs_is_told_as_ether(world: MailWorld) -> None:
    """A token at the system address of EIP-7708 logs what such a network logs."""
    s, owner, anna = world.scenario, world.account("owner"), world.account("anna")
    legacy = await ready(world)
    s.anvil.set_code(ETHER_LOGS, s.anvil.rpc("eth_getCode", s.deployment.weth, "latest"))
    s.mint(ETHER_LOGS, owner.address, 3 * 10**18)
    s.approve(owner, ETHER_LOGS, legacy.address, 10**30)
    s.whitelist(ETHER_LOGS)
    s.claim(anna, legacy, [ETHER_LOGS])
    await world.tick()
    (told,) = (e.variables["amounts"] for e in world.mail.inbox if e.to == "anna@example.org")
    assert [(row["token"], row["amount"]) for row in told] == [("ETH", "1.5")]


# -- who may be written to at all ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("allowed", "expected"), [("", []), ("anna@example.org", ["anna"]), ("@example.org", ["anna", "ben"])]
)
async def test_a_test_chain_mails_the_allowlist_only(
    engine: AsyncEngine, chain_scenario: Scenario, allowed: str, expected: list[str]
) -> None:
    async with (
        MailStub() as mail,
        open_world(engine, chain_scenario, mail, ENVIRONMENT="production", MAIL_ALLOWLIST=allowed) as world,
    ):
        legacy = await approaching(world, "anna", "ben")
        rehearsed = {each.recipient: each.reasons for each in (await world.rehearse(legacy)).people}
        for label in ("anna", "ben"):
            is_refused = UntoldReason.TEST_CHAIN_NOT_LISTED in rehearsed[world.address(label)]
            assert is_refused == (label not in expected), "the rehearsal says the same"
        await world.dispatch.run()
        assert mail.told("before_activation") == emails(*expected)
        assert (await world.states()).get("dropped:test_chain", 0) == 2 - len(expected)


async def test_what_is_due_on_a_test_chain_takes_nothing_of_an_addresss_day_beside_mainnet(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    """Legacies on a test chain cost nothing. Their emails are never sent and must not defer others."""
    mainnet = {"CHAINS": f"{CHAIN_ID},1", "CHAIN_1_RPC_URLS": "http://127.0.0.1:9", "CHAIN_1_START_BLOCK": "1"}
    production = {"ENVIRONMENT": "production", "MAIL_DAILY_CAP_PER_ADDRESS": "1", **mainnet}
    async with MailStub() as mail, open_world(engine, chain_scenario, mail, subgraph=None, **production) as world:
        await approaching(world, "anna")
        await world.dispatch._plan_chain(CHAIN_ID, DispatchReport())
        await world.sql(
            "insert into worker.recipient (chain_id, legacy, recipient, role, key_id, salt, email, name, email_hash)"
            " select 1, legacy, recipient, role, key_id, salt, email, name, email_hash from worker.recipient"
        )
        await world.sql(
            "insert into worker.sent_ledger (id, chain_id, legacy, recipient, kind, event, role, state, next_try)"
            " select gen_random_uuid(), 1, legacy, recipient, kind, event, role, state,"
            " next_try + interval '1 microsecond' from worker.sent_ledger"
        )
        await world.dispatch.run()
        found = await world.sql("select chain_id, reason from worker.sent_ledger order by chain_id")
        assert found == [(1, "chain_not_configured"), (CHAIN_ID, "test_chain")]  # this worker reads no mainnet


async def test_who_asked_for_no_more_email_gets_none(world: MailWorld) -> None:
    """The mail service says so once; the worker remembers it for every legacy, by a keyed hash."""
    legacy = await approaching(world, "anna", "ben")
    world.mail.fail(MailFault.SUPPRESSED)
    await world.dispatch.run()
    assert await world.states() == {"suppressed:suppressed": 1, "sent": 1}
    (silent,) = set(emails("anna", "ben")) - set(world.mail.told("before_activation"))
    world.scenario.check_in(world.account("owner"), legacy)
    requests = world.mail.requests
    await world.tick()
    assert silent not in world.mail.told("owner_reset")
    assert world.mail.requests == requests + 1


async def test_who_changes_their_mind_is_written_to_after_a_day(world: MailWorld) -> None:
    """The mail service knows; the worker's own memory of it is short."""
    legacy = await approaching(world, "anna")
    world.mail.fail(MailFault.SUPPRESSED)
    await world.dispatch.run()
    assert await forget_expired(world.engine) == 0
    await world.sql("update worker.suppression set since = since - interval '1 day 1 second'")
    assert await forget_expired(world.engine) == 1
    world.scenario.check_in(world.account("owner"), legacy)
    await world.tick()
    assert world.mail.told("owner_reset") == emails("anna")


async def test_one_address_gets_its_daily_number_over_all_legacies_and_the_rest_another_day(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    async with MailStub() as mail, open_world(engine, chain_scenario, mail, MAIL_DAILY_CAP_PER_ADDRESS="3") as world:
        for _ in range(5):
            legacy = world.legacy(heirs=["anna"], inactivity=3 * DAY)
            await world.save(legacy, "anna")
        mail.fail(*[MailFault.UNAVAILABLE] * 2)  # what was not accepted does not count
        await world.tick()
        await world.sql("update worker.sent_ledger set next_try = now() where state = 'released'")
        await world.dispatch.run()
        assert len(mail.inbox) == 3
        assert await world.states() == {"sent": 3, "queued:daily_cap": 2}
        await world.days_pass(1)
        await world.dispatch.run()
        assert len(mail.inbox) == 5


async def test_claim_after_claim_puts_emails_of_one_address_off_to_seconds_of_the_next_day(world: MailWorld) -> None:
    """Each email of a creator has a second of its own. Another creator begins at 0, too."""
    for creator in [*["owner"] * 5, *["another"] * 2]:
        await world.save(world.legacy(creator), "anna")
    await world.sql(
        "insert into worker.sent_ledger (id, chain_id, legacy, recipient, kind, event, role)"
        " select gen_random_uuid(), chain_id, legacy, recipient, 'instructions', 'x', 'owner' from worker.recipient"
    )
    store = OutboxStore(world.engine, ReminderLedger(), DailyQuota(0))
    for _ in range(4):
        await store.claim_due(2)
    put_off = await world.sql(
        "select w.creator, cast(extract(epoch from next_try - date_trunc('day', next_try at time zone 'UTC')"
        " at time zone 'UTC') as int) as second, next_try > now() as later, reason"
        " from worker.sent_ledger join worker.watch w using (chain_id, legacy)"
    )
    seconds = {"owner": range(5), "another": range(2)}
    expected = [(world.address(who), second, True, "daily_cap") for who in seconds for second in seconds[who]]
    assert sorted(put_off) == sorted(expected)


async def test_of_more_than_an_address_may_get_in_a_day_the_oldest_goes_first(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    """Whoever has legacies with daily emails to an address keeps another's reminder from it for a day, not for ever."""
    async with MailStub() as mail, open_world(engine, chain_scenario, mail, MAIL_DAILY_CAP_PER_ADDRESS="1") as world:
        legacies = [world.legacy(heirs=["anna"], inactivity=30 * DAY) for _ in range(3)]
        *noisy, quiet = sorted(legacies, key=lambda each: each.address)  # claims of one time are in this order
        for legacy in legacies:
            await world.save(legacy, "anna")
        world.scenario.check_in(world.account("owner"), quiet)
        for _ in range(3):
            for legacy in noisy:
                world.scenario.check_in(world.account("owner"), legacy)
            await world.tick()
            await world.days_pass()
        told = [email.variables["legacyAddress"].lower() for email in mail.inbox]
        assert len(told) == 3
        assert quiet.address in told


@pytest.mark.parametrize("at_once", [8, 1])
async def test_no_number_of_a_strangers_legacies_keeps_others_from_an_address_for_longer_than_a_day(
    engine: AsyncEngine, chain_scenario: Scenario, at_once: int
) -> None:
    """Else an heir with many of their own would keep the warning from the owner until it is too late."""
    async with MailStub() as mail, open_world(engine, chain_scenario, mail, MAIL_DAILY_CAP_PER_ADDRESS="2") as world:
        for number in range(1, 9):
            await world.save(world.legacy(owner="stranger", heirs=["anna"], inactivity=3 * DAY), "anna")
            if number % at_once == 0:
                await world.tick()
        quiet = world.legacy(heirs=["anna"], inactivity=3 * DAY)
        await world.save(quiet, "anna")
        await world.tick()
        first = "state = 'queued' and next_try = date_trunc('day', next_try, 'UTC')"
        counted = await world.sql(f"select count(*) from worker.sent_ledger where {first}")
        assert counted == [(2,)], "one of each creator"
        await world.days_pass()
        await world.dispatch.run()
        told = [email.variables["legacyAddress"].lower() for email in mail.inbox]
        assert len(told) == 4
        assert quiet.address in told


@pytest.mark.parametrize(("name", "shown"), [("Family savings", "Family savings"), ("visit evil.example.com now", "")])
async def test_a_legacys_name_is_shown_only_if_it_would_do_as_a_persons(
    world: MailWorld, name: str, shown: str
) -> None:
    await approaching(world, "anna", name=name)
    await world.dispatch.run()
    assert world.mail.email("before_activation", "anna@example.org").variables["legacyName"] == shown


async def test_an_email_has_the_title_and_the_owners_name_that_were_saved_and_the_recipients_language(
    world: MailWorld,
) -> None:
    legacy = await approaching(world, "anna", "ben", name="Family savings")
    words = RecipientWords(owner_name="Maria", title="For the children", language="es", time_zone="Asia/Tokyo")
    await world.save(legacy, "anna", words=words)
    await world.dispatch.run()
    anna = world.mail.email("before_activation", "anna@example.org")
    assert (anna.variables["ownerName"], anna.variables["legacyTitle"]) == ("Maria", "For the children")
    assert (anna.language, anna.time_zone) == ("es", "Asia/Tokyo")
    ben = world.mail.email("before_activation", "ben@example.org")
    assert (ben.variables["ownerName"], ben.variables["legacyTitle"]) == ("Maria", "For the children")
    assert (ben.language, ben.time_zone) == (None, None)


# -- what cannot be read ------------------------------------------------------------------------------


async def test_a_chain_that_cannot_be_read_costs_no_try_and_nothing_is_lost(
    world: MailWorld, engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    await approaching(world)
    await world.mail.stop()
    await world.dispatch.run()
    await world.mail.start()
    await world.hurry()
    tries = await world.sql("select sum(tries) from worker.sent_ledger")
    async with open_world(engine, chain_scenario, world.mail, CHAIN_31337_RPC_URLS="http://127.0.0.1:9") as blind:
        await blind.dispatch.run()
    assert await world.states() == {"released:chain_not_readable": 3}
    assert await world.sql("select sum(tries) from worker.sent_ledger") == tries
    await world.hurry()
    await world.dispatch.run()
    assert world.mail.told("before_activation") == emails("owner", "anna", "ben")


async def test_emails_of_a_chain_that_is_served_no_more_wait_and_keep_nobody_busy(world: MailWorld) -> None:
    await approaching(world)
    await world.mail.stop()
    await world.dispatch.run()
    await world.mail.start()
    for table in ("recipient", "sent_ledger"):
        await world.sql(f"update worker.{table} set chain_id = 2")
    await world.hurry()
    await world.dispatch.run()
    assert world.mail.told("before_activation") == []
    rows = await world.sql("select reason, next_try > now() + interval '4 minutes' from worker.sent_ledger")
    assert [tuple(row) for row in rows] == [("chain_not_configured", True)] * 3


class OtherNode(NodeProxy):
    """The node of another chain, which gives blocks, and to a call no answer at all or that there is no contract."""

    silent = False

    async def _one(self, request: Json) -> Json:
        if request["method"] == "eth_call" and self.silent:
            await asyncio.Event().wait()
        told = {"eth_call": "0x", "eth_chainId": "0x2"}.get(request["method"])
        return {"jsonrpc": "2.0", "id": request["id"], "result": told} if told else await super()._one(request)


@pytest.mark.parametrize("silent", [True, False])
async def test_a_chain_whose_nodes_do_not_answer_holds_up_no_other(
    engine: AsyncEngine, chain_scenario: Scenario, monkeypatch: pytest.MonkeyPatch, silent: bool
) -> None:
    node = OtherNode(chain_scenario.anvil.url)
    node.silent = silent
    await node.start()
    other = chain_scenario.deployment.settings_environ(2, node.url) | {"CHAINS": f"{CHAIN_ID},2"}
    async with MailStub() as mail, open_world(engine, chain_scenario, mail, subgraph=None, **other) as world:
        await approaching(world)
        await mail.stop()
        await world.dispatch.run()
        await mail.start()
        for table, columns in (
            ("recipient", "legacy, recipient, role, key_id, salt, email, name, email_hash"),
            ("sent_ledger", "id, legacy, recipient, kind, event, role"),
        ):
            values = columns.replace("id, legacy", "gen_random_uuid(), legacy")
            await world.sql(f"insert into worker.{table} (chain_id, {columns}) select 2, {values} from worker.{table}")
        await world.hurry()
        another = Chain(world.settings.chains[1])
        monkeypatch.setattr(concurrency, "CHAIN_SECONDS", 0.5)
        chains = {CHAIN_ID: world.chain, 2: another}
        indexers = {id: IndexerSelector(chain, ChainIndex(engine, chain), None) for id, chain in chains.items()}
        dispatch = ReminderDispatch(
            engine, chains, indexers, world.vault, world.client, world.settings, find_ending_budgets
        )
        await dispatch.run(budget_seconds=1.0)
        await another.close()
        assert mail.told("before_activation") == emails("owner", "anna", "ben")
        assert await world.states() == {"sent": 3, "released:chain_not_readable": 3}
    await node.stop()


@pytest.mark.parametrize("meanwhile", ["the window opened", "an heir came in"])
async def test_a_node_that_is_behind_takes_no_reminder_away(
    proxied: tuple[MailWorld, NodeProxy], meanwhile: str
) -> None:
    """The endpoint asked before the send lacks the block of the email's cause."""
    world, node = proxied
    s = world.scenario
    legacy = await approaching(world)
    if meanwhile == "an heir came in":
        await world.dispatch.run()
        shares = {world.address(label): share for label, share in (("anna", 40), ("ben", 40), ("dora", 20))}
        s.edit_distribution(world.account("owner"), legacy, shares)
        s.configure_reminders(world.account("owner"), legacy)
        await world.save(legacy, "dora")
        await world.look_at_chain()
    node.answer = behind(s.anvil, 2)
    await world.dispatch.run()
    node.well()
    for _ in range(2):
        await world.hurry()
        await world.tick()
    people = {world.labels[row[0]] for row in await world.sql("select recipient from worker.recipient")}
    assert world.mail.told("before_activation") == emails(*people)
    assert await world.states("before_activation") == {"sent": len(people)}


async def test_the_real_mail_service_accepts_every_kind(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    """The variables match its catalogue, and each email arrives by SMTP."""
    url = engine.url.render_as_string(hide_password=False)
    async with (
        SmtpInbox() as inbox,
        served(environment(url, inbox)) as service,
        open_world(engine, chain_scenario, service) as world,
    ):
        people = (*FAMILY, "dan")
        lines = {"second_line": "clara", "delay2": 20 * DAY, "third_line": "dan", "delay3": 20 * DAY}
        legacy = await approaching(world, *people, **lines)
        await world.dispatch.run()
        world.scenario.check_in(world.account("owner"), legacy)
        await world.tick()
        for _ in range(12):
            world.scenario.advance(7 * DAY)
            await world.days_pass(7)
            await world.tick()
        world.scenario.claim(world.account("anna"), legacy, [])
        await world.tick()
        kinds = await world.sql("select distinct kind from worker.sent_ledger where state = 'sent'")
        assert {row[0] for row in kinds} == set(ReminderKind) - {
            ReminderKind.INSTRUCTIONS,
            ReminderKind.ACTIVATED_MULTISIG,
            ReminderKind.AUTO_RENEW_BUDGET,
            ReminderKind.PREMIUM_ENDING,
            ReminderKind.PREMIUM_LAPSED,
            ReminderKind.GUARD_REMOVED,
            ReminderKind.MODULE_DISABLED,
            ReminderKind.RECIPIENTS_GAP,
        }
        assert set(await world.states()) == {"sent"}
        assert len(inbox.messages) == (await world.states())["sent"]
