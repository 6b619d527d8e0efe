"""Emails of gifts: when they are sent, at most once, and which rows remain."""

import hashlib
import json
import time
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.database.rotation import rotate_keys
from reminder_worker.declarations import ExpectedPass, FactScope
from reminder_worker.errors import Superseded
from reminder_worker.gifts.emails import SEALED, GiftMail
from reminder_worker.gifts.pages import GiftReader, TimelockedGift
from reminder_worker.monitoring.erasure import erase_person
from reminder_worker.monitoring.facts import LEDGERS
from reminder_worker.monitoring.feature import EMAIL_TROUBLE
from reminder_worker.monitoring.retention import forget_expired
from reminder_worker.outbox.operator import requeue_dead, settle_unsent
from reminder_worker.privacy.vault import Vault
from reminder_worker.quotas import QuotaCounters
from tests.integration.gift_mail_world import NORMAL, ORIGIN, USDC, World, open_world, unreachable
from tests.integration.mail_stub import MailFault
from tests.integration.reminder_world import CHAIN_ID, ENC_KEY

PASSES = [ExpectedPass("gifts", 0, 15)]
HELD_ELSEWHERE = """
    insert into worker.gift_ledger (id, email_hash, chain_id, timelock_id, kind, state, body, body_salt, expires_at)
    select gen_random_uuid(), email_hash, chain_id + 1, timelock_id, kind, 'held', body, body_salt, expires_at
    from worker.gift_ledger where body is not null
"""


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[World]:
    async with AsyncExitStack() as stack:
        yield await open_world(stack, engine, chain_scenario)


@pytest.mark.core
async def test_a_gift_is_announced_at_once_and_on_opening_day_and_then_forgotten(world: World) -> None:
    id = world.seal()
    registered = await world.register(id)
    assert registered.unlock_at.timestamp() == world.scenario.anvil.now() + 30 * DAY
    await world.tick()
    await world.tick()
    assert world.stub.told("gift_waiting") == [NORMAL]
    assert world.stub.told("gift_unlocked") == []
    world.scenario.advance(30 * DAY + 1)
    await world.tick()
    await world.tick()
    assert world.stub.told("gift_unlocked") == [NORMAL]
    assert await world.kept() == 0
    variables = world.stub.email("gift_unlocked", NORMAL).variables
    assert variables["claimUrl"].startswith(f"{ORIGIN}/gifts/{CHAIN_ID}/{id}?o=birthday#g=")
    assert (variables["name"], variables["giverName"]) == ("Quilla Canary", "Grandpa Canary")
    assert len(world.stub.inbox) == 2


async def test_both_emails_of_a_gift_ask_for_the_language_that_its_giver_chose(world: World) -> None:
    id = world.seal()
    await world.register(id, language="ja")
    await world.tick()
    world.scenario.advance(30 * DAY + 1)
    await world.tick()
    asked = {kind: world.stub.email(kind, NORMAL).language for kind in ("gift_waiting", "gift_unlocked")}
    assert asked == {"gift_waiting": "ja", "gift_unlocked": "ja"}


async def test_an_email_leads_to_where_the_page_is_on_its_day(world: World) -> None:
    """Between the registration and opening day there may be years."""
    id = world.seal()
    await world.register(id, timing="none")
    assert world.settings.gifts is not None
    moved = world.settings.gifts.model_copy(update={"origins": ("https://new.example.org",), "prefix": "presents"})
    world.settings = world.settings.model_copy(update={"gifts": moved})
    world.scenario.advance(30 * DAY + 1)
    await world.another_mail().run()
    link = world.stub.email("gift_unlocked", NORMAL).variables["claimUrl"]
    assert link.startswith(f"https://new.example.org/presents/{CHAIN_ID}/{id}?o=birthday#g=")


async def late(world: World) -> int:
    chains = {chain_id: chain.settings for chain_id, chain in world.chains.items()}
    return (await EMAIL_TROUBLE.read(FactScope(world.engine, chains, (), PASSES))).late


async def suppressed_earlier(world: World, interval: str) -> None:
    """As if the mail service had said so by that much before."""
    await world.sql(f"update worker.suppression set since = since - interval '{interval}'")


# -- opening day ------------------------------------------------------------------------------------


async def test_a_gift_that_was_claimed_is_silent_and_forgotten(world: World) -> None:
    id = world.seal()
    await world.register(id, timing="none")
    world.scenario.advance(30 * DAY + 1)
    world.scenario.withdraw_gift(world.heir, id)
    world.scenario.anvil.mine(2 * world.scenario.anvil.slots_in_an_epoch)
    await world.tick()
    assert world.stub.inbox == []
    assert await world.kept() == 0
    assert await world.states() == {"gift_unlocked": "dropped"}


async def test_a_gift_whose_id_became_another_one_is_not_written_about(world: World) -> None:
    """After a reorganisation the id may be somebody else's: what was pinned is compared before the send."""
    before = world.scenario.anvil.snapshot()
    id = world.seal()
    await world.register(id)
    world.scenario.anvil.revert(before)
    stranger = world.scenario.account("stranger")
    tokens = [(world.scenario.deployment.usdc, 1)]
    assert world.scenario.create_gift(stranger, stranger.address, tokens=tokens, duration=DAY) == id
    report = await world.tick()
    assert world.stub.inbox == []
    assert report.outcomes == {"gift_waiting": {"released": 1}}


@pytest.mark.parametrize("to", ["stranger", "heir"])
async def test_the_claim_of_a_gift_that_took_the_id_does_not_count_for_the_registered_one(
    world: World, to: str
) -> None:
    """The registered gift has another id since the reorganisation, and is unopened."""
    recipient, uncle = world.scenario.account(to), world.scenario.account("uncle")
    before = world.scenario.anvil.snapshot()
    await world.register(world.seal(), timing="none")
    world.scenario.anvil.revert(before)
    tokens = [(world.scenario.deployment.usdc, 1)]
    other = world.scenario.create_gift(uncle, recipient.address, tokens=tokens, duration=1)
    world.scenario.advance(30 * DAY + 1)
    world.scenario.withdraw_gift(recipient, other)
    world.scenario.anvil.mine(2 * world.scenario.anvil.slots_in_an_epoch)
    await world.tick()
    waits = await world.sql("select timelock_id, state, reason from worker.gift_ledger")
    assert waits == [(other, "released", "gift_is_another")]
    assert await world.kept() == 1


async def test_a_corrected_address_is_kept_until_its_own_email_has_left(world: World) -> None:
    """The email to the wrong address was cancelled by the correction, and mail is down on opening day."""
    id = world.seal()
    await world.register(id, timing="none")
    await world.register(id, timing="none", recipientEmail="right@post.example")
    world.scenario.advance(30 * DAY + 1)
    await world.stub.stop()
    await world.tick()
    assert await world.kept() == 1
    await world.stub.start()
    await world.tick()
    assert world.stub.told("gift_unlocked") == ["right@post.example"]
    assert await world.kept() == 0


async def test_mail_that_is_down_is_waited_for_until_the_retry_window_is_over(world: World) -> None:
    id = world.seal()
    await world.register(id, timing="none")
    world.scenario.advance(30 * DAY + 1)
    await world.stub.stop()
    await world.tick()
    assert await world.kept() == 1
    world.scenario.advance(6 * DAY)
    await world.tick()
    assert await world.kept() == 1
    world.scenario.advance(2 * DAY)
    await world.tick()
    assert await world.kept() == 0
    await world.stub.start()
    await world.tick()
    assert world.stub.inbox == []
    assert await world.states() == {"gift_unlocked": "dropped"}


async def test_that_a_gift_waits_is_not_told_any_more_once_it_is_open(world: World) -> None:
    """From the very second on in which it may be withdrawn."""
    id = world.seal()
    await world.register(id)
    await world.stub.stop()
    await world.tick()
    world.scenario.advance(30 * DAY)
    await world.stub.start()
    for _ in range(2):
        await world.tick()
    assert (world.stub.told("gift_waiting"), world.stub.told("gift_unlocked")) == ([], [NORMAL])


async def test_a_chain_that_cannot_be_read_leaves_everything_for_later(world: World) -> None:
    await world.register(world.seal())
    report = await in_the_dark(world).run()
    assert report.unreadable_chains
    assert world.stub.inbox == []
    await world.tick()
    assert world.stub.told("gift_waiting") == [NORMAL]


def in_the_dark(world: World) -> GiftMail:
    return world.another_mail({CHAIN_ID: unreachable(world)})


async def with_another_chain(world: World, **settings: Any) -> tuple[GiftMail, Chain]:
    """The same gifts once more on chain 1, which is asked first and has other settings."""
    columns = {"gift_notification": "key_id, salt, payload, email_hash, timing, owner, recipient, unlock_time"}
    columns["gift_ledger"] = "id, email_hash, kind, state, next_try, expires_at"
    async with world.engine.begin() as connection:
        for table, names in columns.items():
            values = names.replace("id, email_hash, kind", "gen_random_uuid(), email_hash, kind")
            copied = f"insert into worker.{table} (chain_id, timelock_id, {names}) select 1, timelock_id, {values}"
            await connection.execute(text(f"{copied} from worker.{table}"))
    other = Chain(world.settings.chains[0].model_copy(update=settings))
    return world.another_mail({1: other, **world.chains}), other


async def test_a_chain_whose_node_denies_a_contract_keeps_no_other_chains_gifts(world: World) -> None:
    for _ in range(2):
        await world.register(world.seal())
    mail, other = await with_another_chain(world, multicall3="0x" + "12" * 20)
    try:
        report = await mail.run()
    finally:
        await other.close()
    assert set(report.unreadable_chains) == {1}
    assert world.stub.told("gift_waiting") == [NORMAL, NORMAL]


# -- at most once, never lost -----------------------------------------------------------------------


async def test_what_is_held_on_opening_day_can_still_be_sent_within_the_retry_window(world: World) -> None:
    """It never left, as an operator found out: the notification is kept until then."""
    await world.register(world.seal(), timing="none")
    world.scenario.advance(30 * DAY + 1)
    world.stub.fail(MailFault.IN_DOUBT)
    for _ in range(3):
        await world.tick()
    assert (await world.states())["gift_unlocked"] == "held"
    ((held,),) = await world.sql("select id from worker.gift_ledger where state = 'held'")
    assert "back in the queue" in (await settle_unsent(world.engine, LEDGERS, world.client, held) or "")
    for _ in range(2):
        await world.tick()
    assert world.stub.told("gift_unlocked") == [NORMAL]
    assert await world.kept() == 0


async def test_who_registers_an_address_again_that_was_refused_has_it_tried_again(world: World) -> None:
    """By a mail service that was set up wrongly, and is not any more: the giver is told that the email goes out now."""
    id = world.seal()
    await world.register(id)
    world.stub.fail(MailFault.REJECTED, MailFault.REJECTED, MailFault.REJECTED)
    for _ in range(4):
        await world.tick()
    await world.register(id)
    await world.tick()
    assert world.stub.told("gift_waiting") == [NORMAL]


async def test_an_unlock_email_that_is_dead_can_be_sent_after_all_while_the_retry_window_lasts(world: World) -> None:
    """A mail service that was set up wrongly refuses every email within minutes."""
    for requeued in (True, False):
        await world.register(world.seal(), timing="none")
        world.scenario.advance(30 * DAY + 1)
        world.stub.fail(MailFault.REJECTED, MailFault.REJECTED, MailFault.REJECTED)
        for _ in range(4):
            await world.tick()
        assert await world.kept() == 1
        if requeued:
            assert await requeue_dead(world.engine, LEDGERS) == 1
            await world.tick()
            assert await world.kept() == 0
    world.scenario.advance(7 * DAY + 1)
    await world.tick()
    assert await world.kept() == 0
    assert await requeue_dead(world.engine, LEDGERS) == 1
    await world.tick()
    assert world.stub.told("gift_unlocked") == [NORMAL]


async def test_whoever_wants_no_email_gets_none(world: World) -> None:
    await world.register(world.seal())
    world.stub.fail(MailFault.SUPPRESSED)
    await world.tick()
    await world.register(world.seal())
    await world.tick()
    assert world.stub.inbox == []
    assert world.stub.requests == 1, "the second is known here to be suppressed"


async def test_an_email_that_our_own_memory_keeps_back_does_not_prolong_it(world: World) -> None:
    """A person who subscribes again gets emails after a day, in spite of earlier emails that were kept back."""
    await world.register(world.seal())
    world.stub.fail(MailFault.SUPPRESSED)
    await world.tick()
    await suppressed_earlier(world, "23 hours")
    await world.register(world.seal())
    await world.tick()
    assert world.stub.requests == 1
    await suppressed_earlier(world, "1 hour 1 second")
    await world.register(world.seal())
    await world.tick()
    assert world.stub.told("gift_waiting") == [NORMAL]


async def test_a_test_chain_writes_to_nobody_but_the_list(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    async with AsyncExitStack() as stack:
        world = await open_world(
            stack, engine, chain_scenario, ENVIRONMENT="production", MAIL_ALLOWLIST="@listed.example"
        )
        await world.register(world.seal())
        await world.register(world.seal(), recipientEmail="friend@listed.example")
        await world.tick()
        assert world.stub.told("gift_waiting") == ["friend@listed.example"]


# -- what a family should not meet, and an attacker not find ----------------------------------------


async def test_a_name_corrected_while_the_email_is_undecided_does_not_lose_it(world: World) -> None:
    id = world.seal()
    await world.register(id)
    world.stub.fail(MailFault.DIES_BEFORE)
    await world.tick()
    assert (await world.states())["gift_waiting"] == "unknown"
    await world.register(id, recipientName="Quilla")
    for _ in range(3):
        await world.tick()
    assert world.stub.told("gift_waiting") == [NORMAL]
    assert world.stub.email("gift_waiting", NORMAL).variables["name"] == "Quilla"


async def test_advance_notice_withdrawn_while_the_email_is_undecided_is_not_sent(world: World) -> None:
    id = world.seal()
    await world.register(id)
    world.stub.fail(MailFault.DIES_BEFORE)
    await world.tick()
    await world.register(id, timing="none")
    for _ in range(3):
        await world.tick()
    assert world.stub.inbox == []


async def keep_body(world: World, state: str) -> None:
    """Leave an email in doubt. An earlier release kept the body of a held email, too."""
    world.stub.fail(MailFault.IN_FLIGHT)
    await world.tick()
    kept = await world.sql(
        "update worker.gift_ledger set state = :state where body is not null returning id", state=state
    )
    assert len(kept) == 1


@pytest.mark.parametrize("state", ["held", "unknown"])
async def test_with_the_row_every_stored_body_goes_whatever_its_state(world: World, state: str) -> None:
    """A body can be read with the salt that lies beside it: it must not outlive the notification."""
    await world.register(world.seal())
    await keep_body(world, state)
    await world.sql(HELD_ELSEWHERE)  # another gift with the same number, on another chain
    world.scenario.advance(30 * DAY + 1)
    await world.tick()
    assert await world.kept() == 0
    left = await world.sql("select chain_id from worker.gift_ledger where body is not null or body_salt is not null")
    assert [row.chain_id for row in left] == [CHAIN_ID + 1]


@pytest.mark.parametrize("state", ["held", "unknown"])
async def test_with_an_erasure_every_stored_body_goes_at_once_whatever_its_state(world: World, state: str) -> None:
    """No later pass reads a held email, so nothing else would delete its body. The giver or an operator erases."""
    for by_giver in (True, False):
        id = world.seal()
        await world.register(id)
        await keep_body(world, state)
        if by_giver:
            await world.notifications.erase_notification(world.erasure(id))
        else:
            assert (await erase_person(world.engine, world.hashes, NORMAL, None)).gifts == 1
        assert await world.sql("select from worker.gift_ledger where body is not null or body_salt is not null") == []


async def test_a_row_whose_chain_is_not_read_any_more_goes_when_the_retry_window_is_over(world: World) -> None:
    await world.register(world.seal(), timing="none")
    dark = in_the_dark(world)
    for days, kept in ((6, 1), (8, 0)):
        opened = "update worker.gift_notification set unlock_time = :time, written_at = to_timestamp(:time)"
        await world.sql(opened, time=int(time.time()) - days * DAY)
        if await dark.poll():
            await dark.run()
        assert await world.kept() == kept


async def test_a_vault_that_tells_of_no_gift_any_more_takes_no_email_away(world: World) -> None:
    """As after an upgrade that went wrong: all would be given up as another's, without an alert."""
    uncle = world.scenario.account("uncle")
    tokens = [(world.scenario.deployment.usdc, USDC)]
    his = world.scenario.create_gift(uncle, world.heir.address, tokens=tokens, duration=30 * DAY)
    await world.register(world.seal(), timing="none")
    await world.notifications.register_notification(world.request(world.payload(his, timing="none"), uncle))
    world.scenario.advance(30 * DAY + 1)
    await world.sql("update worker.gift_notification set written_at = now() - interval '8 days'")
    vault, anvil = world.scenario.deployment.timelock_erc20, world.scenario.anvil
    code = anvil.rpc("eth_getCode", vault, "latest")
    anvil.set_code(vault, "0x60006000fd")
    assert (await world.tick()).unreadable_chains == [CHAIN_ID]
    assert await world.kept() == 2
    anvil.set_code(vault, code)
    await world.tick()
    assert world.stub.told("gift_unlocked") == [NORMAL, NORMAL]


async def test_a_node_that_is_behind_takes_no_gifts_email_away(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Restored from an older copy it reads the past, in which the gift is not sealed yet."""
    await world.register(world.seal())
    await world.sql("update worker.gift_notification set written_at = now() - interval '8 days'")

    async def read_in_the_past(*_: object) -> tuple[dict[int, TimelockedGift], int]:
        return {}, int(time.time()) - 9 * DAY

    with monkeypatch.context() as past:
        past.setattr(GiftReader, "read_gifts", read_in_the_past)
        await world.tick()
    await world.tick()
    assert world.stub.told("gift_waiting") == [NORMAL]


async def test_gifts_leave_an_address_room_for_its_reminders(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    """A flood of gifts must not block an address's reminders."""
    async with AsyncExitStack() as stack:
        world = await open_world(stack, engine, chain_scenario, MAIL_DAILY_CAP_PER_ADDRESS="4")
        for _ in range(4):
            await world.register(world.seal())
        await world.tick()
        assert len(world.stub.inbox) == 2
        (used,) = await world.sql("select used from worker.quota where scope = 'email_day'")
        assert used.used == 2


async def test_gifts_of_a_test_chain_take_nothing_of_an_addresss_day_beside_mainnet(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    """Gifts on a test chain cost nothing, also gifts to addresses of the allowlist."""
    mainnet = {"CHAINS": f"{CHAIN_ID},1", "CHAIN_1_RPC_URLS": "http://127.0.0.1:9", "CHAIN_1_START_BLOCK": "1"}
    production = {"ENVIRONMENT": "production", "MAIL_ALLOWLIST": NORMAL, "MAIL_DAILY_CAP_PER_ADDRESS": "2", **mainnet}
    async with AsyncExitStack() as stack:
        world = await open_world(stack, engine, chain_scenario, **production)
        await world.register(world.seal())
        await world.tick()
        assert world.stub.told("gift_waiting") == [NORMAL]
        on_mainnet = {world.hashes.hash_email(NORMAL).hex(): 2}
        assert await QuotaCounters(engine).reserve_many(None, "email_day", on_mainnet, 2, DAY)


@pytest.mark.parametrize("indexed", [True, False])
async def test_a_gift_for_ever_is_told_of_and_keeps_nobody_elses_email(world: World, *, indexed: bool) -> None:
    """Anybody may choose any time; the tables hold the latest they can."""
    await world.register(world.seal(), timing="none")
    id = world.seal(tokens=[(world.scenario.deployment.usdc, 1)], duration=2**70)
    if indexed:
        await world.index.run()
    await world.register(id)
    await world.tick()
    assert world.stub.told("gift_waiting") == [NORMAL]
    world.scenario.advance(30 * DAY + 1)
    await world.tick()
    assert world.stub.told("gift_unlocked") == [NORMAL]


# -- what is left -----------------------------------------------------------------------------------


async def test_nothing_personal_lies_in_the_database_in_clear(world: World) -> None:
    id = world.seal()
    request = world.request(world.payload(id))
    await world.notifications.register_notification(request)
    world.stub.fail(MailFault.DIES_BEFORE)
    await world.tick()
    tables = await world.sql("select tablename from pg_tables where schemaname = 'worker'")
    stored = str([await world.sql(f"select t::text from worker.{table.tablename} t") for table in tables])
    assert (await world.states())["gift_waiting"] == "unknown", "a body is stored"
    link = json.loads(request.payload)["claimLink"]
    for secret in ("canary", link.partition("#g=")[2], request.signature.hex(), NORMAL):
        for form in (secret, secret.encode().hex()):
            assert form.lower() not in stored.lower()
    assert hashlib.sha256(NORMAL.encode()).hexdigest() not in stored


async def test_after_a_rotation_the_old_key_opens_nothing_and_everything_still_arrives(world: World) -> None:
    undecided, waiting = world.seal(), world.seal()
    await world.register(undecided)
    world.stub.fail(MailFault.DIES_BEFORE)
    await world.tick()
    await world.register(waiting, timing="none")
    rotated = Vault(b"n" * 32, [b64decode(ENC_KEY)])
    assert [count async for count in rotate_keys(world.engine, rotated, SEALED)] == [2]
    world.vault = Vault(b"n" * 32)
    world.mail = world.another_mail()
    await world.tick()
    world.scenario.advance(30 * DAY + 1)
    await world.tick()
    assert world.stub.told("gift_waiting") == [NORMAL]
    assert world.stub.told("gift_unlocked") == [NORMAL, NORMAL]


async def test_what_outlived_its_use_is_forgotten_and_the_rest_kept(world: World) -> None:
    """Deletes old ledger rows, passed deadlines, and wallets whose creation was abandoned."""
    over, kept = world.seal(), world.seal()
    for id in (over, kept):
        await world.register(id)
    captured = world.request(world.payload(kept))
    await world.notifications.erase_notification(world.erasure(kept))
    async with world.engine.begin() as connection:
        for statement in (
            "update worker.gift_ledger set expires_at = now() - interval '1 second' where timelock_id = :id",
            "update worker.gift_write set deadline = extract(epoch from now()) - 7200 where timelock_id = :id",
        ):
            await connection.execute(text(statement), {"id": over})
        for email, hours, made in (("a", 30, None), ("b", 30, "made"), ("c", 20, None)):
            values = {"hash": email.encode(), "at": int((time.time() - hours * 3600) * 1000), "made": made}
            row = "insert into worker.gift_wallet (email_hash, timestamp_ms, sub_organization_id)"
            await connection.execute(text(f"{row} values (:hash, :at, :made)"), values)
    assert await forget_expired(world.engine) == 2 + 1 + 1
    assert {row.timelock_id for row in await world.sql("select timelock_id from worker.gift_ledger")} == {kept}
    assert [row.timelock_id for row in await world.sql("select timelock_id from worker.gift_write")] == [kept]
    wallets = await world.sql("select email_hash from worker.gift_wallet order by 1")
    assert [bytes(row.email_hash) for row in wallets] == [b"b", b"c"]
    with pytest.raises(Superseded):
        await world.notifications.register_notification(captured)


async def test_a_gift_is_told_of_on_its_day_also_if_its_first_email_is_long_forgotten(world: World) -> None:
    await world.register(world.seal())
    await world.tick()
    await world.sql("update worker.gift_ledger set expires_at = now() - interval '1 s' where kind = 'gift_waiting'")
    assert await forget_expired(world.engine) == 1
    world.scenario.advance(30 * DAY + 1)
    await world.tick()
    assert world.stub.told("gift_unlocked") == [NORMAL]


async def test_where_no_email_of_a_gift_is_sent_any_more_it_is_forgotten_all_the_same(world: World) -> None:
    """Gifts or emails were switched off: the pass that would delete it does not run."""
    over, kept = world.seal(), world.seal()
    for id in (over, kept):
        await world.register(id)
    async with world.engine.begin() as connection:
        for statement in (
            "update worker.gift_notification set unlock_time = extract(epoch from now()) - 91 * 86400",
            "update worker.gift_ledger set expires_at = now() - interval '1 day'",
        ):
            await connection.execute(text(f"{statement} where timelock_id = :id"), {"id": over})
    await forget_expired(world.engine)
    assert [row.timelock_id for row in await world.sql("select timelock_id from worker.gift_notification")] == [kept]
    assert {row.timelock_id for row in await world.sql("select timelock_id from worker.gift_ledger")} == {kept}
