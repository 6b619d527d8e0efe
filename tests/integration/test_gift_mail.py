"""Emails of gifts: who may register, when they go out, that each goes out once, and what is left of them."""

import asyncio
import hashlib
import json
import secrets
import time
from base64 import b64decode, urlsafe_b64encode
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from eth_account.signers.local import LocalAccount
from pydantic import SecretStr
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.database.rotation import rotate
from reminder_worker.errors import (
    AlreadyUsed,
    ChainUnavailable,
    InvalidInput,
    LimitReached,
    NotConfigured,
    NotFound,
    SignerMismatch,
    Superseded,
)
from reminder_worker.gifts import statements as sql
from reminder_worker.gifts.claim_link import LinkRules
from reminder_worker.gifts.facts import Gift, Gifts
from reminder_worker.gifts.gift_mail import SEALED, GiftMail, GiftMailReport
from reminder_worker.gifts.notifications import EraseRequest, GiftNotifications, NotifyRequest
from reminder_worker.indexer.chain_index import ChainIndex
from reminder_worker.indexer.choose import Indexers
from reminder_worker.mail import outbox as become
from reminder_worker.mail.client import Accepted, MailClient, NotAccepted
from reminder_worker.mail.outbox import Outage
from reminder_worker.operations import forget_expired
from reminder_worker.operations_stuck import requeue, settle_unsent
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.privacy.vault import Vault
from reminder_worker.quotas import Quotas
from reminder_worker.runtime import make_gift_notifications
from reminder_worker.settings import Settings
from tests.integration.chain_proxy import proxy
from tests.integration.indexer_story import open_parts
from tests.integration.mail_stub import Fault, MailStub
from tests.integration.reminder_world import CHAIN_ID, ENC_KEY, HASH_KEY, settings_for

EMAIL = "Grandchild.Canary@post.example"
NORMAL = EMAIL.lower()
ORIGIN = "https://gifts.example.org"
NOTIFY = [{"name": "payloadHash", "type": "bytes32"}, {"name": "deadline", "type": "uint256"}]
ERASE = [{"name": "timelockId", "type": "uint256"}, {"name": "deadline", "type": "uint256"}]
DOMAIN = {"name": "Reminder Worker", "version": "1", "chainId": CHAIN_ID}
USDC = 25 * 10**6
RULES = LinkRules.of([ORIGIN], "gifts")


@dataclass
class World:
    scenario: Scenario
    engine: AsyncEngine
    settings: Settings
    stub: MailStub
    index: ChainIndex
    vault: Vault
    hashes: KeyedHash
    chains: dict[int, Chain]
    gifts: Gifts
    client: MailClient
    notifications: GiftNotifications
    mail: GiftMail
    _deadline: int = field(default_factory=lambda: int(time.time()) + 600)

    @property
    def giver(self) -> LocalAccount:
        return self.scenario.account("giver")

    @property
    def heir(self) -> LocalAccount:
        return self.scenario.account("heir")

    def seal(self, **terms: Any) -> int:
        terms = terms or {"tokens": [(self.scenario.deployment.usdc, USDC)]}
        return self.scenario.create_gift(self.giver, self.heir.address, **{"duration": 30 * DAY, **terms})

    def payload(self, timelock_id: int, **changes: Any) -> str:
        letter = json.dumps({"v": 1, "to": "Quilla Canary", "from": "Grandpa Canary", "note": "canary note"})
        fragment = urlsafe_b64encode(letter.encode()).decode().rstrip("=")
        whole = {
            "salt": "0x" + secrets.token_hex(16),
            "timelockId": str(timelock_id),
            "recipientEmail": EMAIL,
            "recipientName": "Quilla Canary",
            "giverName": "Grandpa Canary",
            "claimLink": f"{ORIGIN}/gifts/{CHAIN_ID}/{timelock_id}?o=birthday#g={fragment}",
            "timing": "immediate",
        }
        return json.dumps({name: value for name, value in {**whole, **changes}.items() if value is not ...})

    def request(self, payload: str, signer: LocalAccount | None = None, **changes: Any) -> NotifyRequest:
        """Each with a later deadline, as a person's clicks are."""
        signer = signer or self.giver
        self._deadline += 1
        message = {"payloadHash": hashlib.sha256(payload.encode()).digest(), "deadline": self._deadline}
        signature = bytes(signer.sign_typed_data(DOMAIN, {"GiftNotify2": NOTIFY}, message).signature)
        made = NotifyRequest(CHAIN_ID, signer.address.lower(), payload, self._deadline, signature)
        return replace(made, **changes)

    async def register(self, timelock_id: int, **changes: Any) -> Any:
        return await self.notifications.register(self.request(self.payload(timelock_id, **changes)))

    def erasure(self, timelock_id: int, signer: LocalAccount | None = None) -> EraseRequest:
        signer = signer or self.giver
        self._deadline += 1
        message = {"timelockId": timelock_id, "deadline": self._deadline}
        signature = bytes(signer.sign_typed_data(DOMAIN, {"GiftNotifyErase": ERASE}, message).signature)
        return EraseRequest(CHAIN_ID, signer.address.lower(), timelock_id, self._deadline, signature)

    async def tick(self) -> GiftMailReport:
        """One tick; what waits for a retry is due."""
        async with self.engine.begin() as connection:
            await connection.execute(
                text("update worker.gift_ledger set next_try = now() where state in ('released', 'unknown')")
            )
        return await self.mail.run() if await self.mail.look() else GiftMailReport()

    async def states(self) -> dict[str, str]:
        return {row.kind: row.state for row in await self.rows("select kind, state from worker.gift_ledger")}

    async def rows(self, statement: str) -> list[Any]:
        async with self.engine.connect() as connection:
            return list((await connection.execute(text(statement))).all())

    async def kept(self) -> int:
        return int((await self.rows("select count(*) from worker.gift_notification"))[0][0])

    def another_mail(self) -> GiftMail:
        """As another process has it."""
        assert self.settings.mail is not None
        assert self.settings.gifts is not None
        parts = (self.engine, self.vault, Quotas(self.engine), self.chains, self.gifts, self.client)
        return GiftMail(*parts, self.settings, self.settings.mail, self.settings.gifts)


async def open_world(stack: AsyncExitStack, engine: AsyncEngine, scenario: Scenario, **environ: str) -> World:
    stub = await stack.enter_async_context(MailStub())
    url = "postgresql://unused@localhost/unused"
    settings = settings_for(scenario, stub.url, url, GIFT_ORIGINS=ORIGIN, **environ)
    assert settings.mail is not None
    client = await stack.enter_async_context(MailClient(settings.mail))
    chain = Chain.connect(settings.chains[0])
    stack.push_async_callback(chain.close)
    index, chains = ChainIndex(engine, chain), {CHAIN_ID: chain}
    gifts = Gifts(chains, {CHAIN_ID: Indexers(chain, index, None)})
    vault, hashes = Vault(b64decode(ENC_KEY)), KeyedHash(b64decode(HASH_KEY))
    notifications = GiftNotifications(engine, vault, hashes, Quotas(engine), chains, gifts, settings.gifts, RULES)
    world = World(
        scenario,
        engine,
        settings,
        stub,
        index,
        vault,
        hashes,
        chains,
        gifts,
        client,
        notifications,
        mail=None,  # type: ignore[arg-type]
    )
    world.mail = world.another_mail()
    await index.advance()
    return world


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[World]:
    async with AsyncExitStack() as stack:
        yield await open_world(stack, engine, chain_scenario)


# -- who may register what --------------------------------------------------------------------------


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


async def test_a_gift_just_sealed_and_not_indexed_is_read_from_the_chain(world: World) -> None:
    await world.index.advance()
    await world.register(world.seal(eth=10**18))
    await world.tick()
    assert world.stub.told("gift_waiting") == [NORMAL]


async def test_a_subgraph_that_fails_on_a_gift_keeps_nobody_from_registering(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    """Its head is well and the gift malformed: our own index answers at once."""
    giver, heir = chain_scenario.account("giver"), chain_scenario.account("heir")
    id = chain_scenario.create_gift(giver, heir.address, eth=1, duration=DAY)
    async with open_parts(engine, chain_scenario) as parts:
        await parts.index.advance()

        def spoil(data: object) -> None:
            if isinstance(data, dict) and "rows" in data:
                data["rows"][0]["owner"] = "nonsense"

        parts.graph.spoil = spoil
        found = await Gifts({CHAIN_ID: parts.chain}, {CHAIN_ID: parts.indexers}).find(CHAIN_ID, id)
    assert found is not None
    assert (found.owner, found.is_offered) == (giver.address.lower(), True)


async def test_only_the_one_who_sealed_it_may_register_or_erase(world: World) -> None:
    id, thief = world.seal(), world.scenario.account("thief")
    with pytest.raises(SignerMismatch):
        await world.notifications.register(world.request(world.payload(id), thief))
    with pytest.raises(SignerMismatch):
        await world.notifications.register(world.request(world.payload(id), thief, giver=world.giver.address.lower()))
    await world.register(id)
    with pytest.raises(SignerMismatch):
        await world.notifications.erase(world.erasure(id, thief))
    assert await world.kept() == 1


async def test_an_index_that_names_another_giver_registers_and_erases_nothing(world: World) -> None:
    """The chain itself says who sealed it, before anybody is written to."""
    id, thief = world.seal(), world.scenario.account("thief")
    await world.index.advance()
    async with world.engine.begin() as connection:
        lied = text("update worker.timelock set owner = :thief where timelock_id = :id returning true")
        assert await connection.scalar(lied, {"thief": thief.address.lower(), "id": id})
    with pytest.raises(SignerMismatch):
        await world.notifications.register(world.request(world.payload(id), thief))
    with pytest.raises(SignerMismatch):
        await world.notifications.erase(world.erasure(id, thief))
    assert await world.kept() == 0


async def test_a_gift_that_the_nodes_do_not_know_yet_is_not_another_givers(world: World) -> None:
    """An index may be ahead of them; also what no ERC-20 vault holds is no gift, whoever asks."""
    id = world.seal()
    await world.index.advance()
    async with world.engine.begin() as connection:
        ahead = text("update worker.timelock set timelock_id = 99 where timelock_id = :id returning true")
        assert await connection.scalar(ahead, {"id": id})
    with pytest.raises(NotFound):
        await world.notifications.register(world.request(world.payload(99)))
    assert await world.kept() == 0


async def test_the_payload_is_hashed_as_received(world: World) -> None:
    request = world.request(world.payload(world.seal()))
    with pytest.raises(SignerMismatch):
        await world.notifications.register(
            replace(request, payload=request.payload.replace(EMAIL, "thief@post.example"))
        )
    with pytest.raises(SignerMismatch):
        await world.notifications.register(replace(request, payload=request.payload + " "))
    await world.notifications.register(request)
    with pytest.raises((AlreadyUsed, Superseded)):
        await world.notifications.register(request)


async def test_only_live_gifts_of_whitelisted_tokens(world: World) -> None:
    scenario = world.scenario
    junk = scenario.deploy("TestERC20", "Junk", "JNK", 18)
    usdc = [(scenario.deployment.usdc, USDC)]
    not_offered = [
        world.seal(tokens=[(junk, 5)]),
        scenario.create_timelock(world.giver, world.heir.address, tokens=usdc),
        scenario.create_timelock(world.giver, world.heir.address, tokens=usdc, soft=True),
    ]
    for indexed in (False, True):
        if indexed:
            await world.index.advance()
        for id in (*not_offered, 999):
            with pytest.raises(NotFound):
                await world.register(id)
    assert await world.rows("select * from worker.gift_ledger") == []


async def test_not_after_it_opened(world: World) -> None:
    id = world.seal()
    world.scenario.advance(30 * DAY + 1)
    with pytest.raises(InvalidInput):
        await world.register(id)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("recipientEmail", "Zaffre at home"),
        ("recipientName", "see https://evil.example"),
        ("giverName", "x" * 61),
        ("claimLink", "https://evil.example/gifts/31337/1#g=eyJ2IjoxfQ"),
        ("salt", "0x1234"),
        ("timelockId", "01"),
        ("timing", "whenever"),
        ("notifyAt", "2030-01-01T00:00:00Z"),
        ("unknown", "Zaffre"),
    ],
)
async def test_a_bad_field_is_named_and_echoes_nothing(world: World, field: str, value: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        await world.register(world.seal(), **{field: value})
    assert value not in f"{refused.value} {refused.value.faults}"
    assert await world.kept() == 0


async def test_a_link_to_another_gift_is_refused(world: World) -> None:
    id = world.seal()
    other = json.loads(world.payload(id + 1))["claimLink"]
    with pytest.raises(InvalidInput) as refused:
        await world.register(id, claimLink=other)
    assert [fault.pointer for fault in refused.value.faults] == ["/payload/claimLink"]


async def test_a_scheduled_email_needs_its_day(world: World) -> None:
    with pytest.raises(InvalidInput):
        await world.register(world.seal(), timing="scheduled")


async def test_a_scheduled_day_lies_before_the_opening_and_is_kept_to(world: World) -> None:
    id = world.seal()
    unlock = world.scenario.anvil.now() + 30 * DAY
    for wrong in (unlock + 60, time.time() - 60):
        with pytest.raises(InvalidInput):
            await world.register(id, timing="scheduled", notifyAt=datetime.fromtimestamp(wrong, UTC).isoformat())
    await world.register(id, timing="scheduled", notifyAt=datetime.fromtimestamp(time.time() + DAY, UTC).isoformat())
    assert not await world.mail.look()
    async with world.engine.begin() as connection:  # a day passes by the database's clock
        await connection.execute(text("update worker.gift_ledger set next_try = next_try - interval '1 day 1 minute'"))
    await world.tick()
    assert world.stub.told("gift_waiting") == [NORMAL]


async def test_no_advance_notice_means_opening_day_only(world: World) -> None:
    id = world.seal()
    await world.register(id, timing="none")
    await world.tick()
    assert world.stub.inbox == []
    world.scenario.advance(30 * DAY + 1)
    await world.tick()
    assert world.stub.told("gift_unlocked") == [NORMAL]


async def test_without_gift_settings_nothing_is_registered(world: World) -> None:
    off = GiftNotifications(
        world.engine, world.vault, world.hashes, Quotas(world.engine), world.chains, world.gifts, None, None
    )
    with pytest.raises(NotConfigured):
        await off.register(world.request(world.payload(world.seal())))


async def test_where_no_email_is_sent_nobody_is_stored_but_what_was_can_be_erased(world: World) -> None:
    """Without a mail service no pass would ever write, nor delete."""
    silent = world.settings.model_copy(update={"mail": None})
    parts = (world.engine, world.vault, world.hashes, Quotas(world.engine), world.chains, world.gifts)
    off = make_gift_notifications(*parts, silent)
    id = world.seal()
    with pytest.raises(NotConfigured):
        await off.register(world.request(world.payload(id)))
    await world.register(id)
    assert await off.erase(world.erasure(id))
    assert await world.kept() == 0


async def test_a_mail_service_that_is_down_is_not_asked_about_each_email(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    """Each question may last as long as the service's time limit, and the leases do not."""
    async with AsyncExitStack() as stack:
        world = await open_world(stack, engine, chain_scenario, MAIL_CONCURRENCY="8")
        for number in range(20):
            await world.register(world.seal(), recipientEmail=f"{number}@post.example")
        async with world.engine.begin() as connection:
            await connection.execute(text("update worker.gift_ledger set state = 'unknown', next_try = now()"))
        await world.stub.stop()
        await world.mail.run()
        asked = await world.rows("select from worker.gift_ledger where tries > 0")
        assert 5 <= len(asked) <= 12, "until it is plain, and those asked about at once"


async def test_an_address_that_is_put_off_keeps_nobody_else_waiting(world: World) -> None:
    """A full mailbox is answered as a busy service is; whoever has many of them could stop everybody's emails."""
    for number in range(20):
        await world.register(world.seal(), recipientEmail=f"{number}@post.example")
    world.stub.fail(Fault.SLOW_DOWN)
    report = await world.mail.run()
    assert report.outcomes["gift_waiting"] == {"released": 1, "sent": 19}


async def test_a_mail_service_that_asks_for_a_pause_is_left_alone_for_it(world: World) -> None:
    """Also by those that were not tried any more."""
    for number in range(20):
        await world.register(world.seal(), recipientEmail=f"{number}@post.example")
    world.stub.retry_after = 1234
    world.stub.fail(*[Fault.SLOW_DOWN] * 20)
    await world.mail.run()
    assert world.stub.requests < 20
    waits = "select from worker.gift_ledger where kind = 'gift_waiting' and next_try < now() + interval '20 minutes'"
    assert await world.rows(waits) == []


async def test_no_more_is_under_way_than_may_be(
    engine: AsyncEngine, chain_scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who waited for a connection beyond the time limit would be taken for one that may have been sent."""
    under_way, most, another = 0, 0, asyncio.Event()

    async def send(*_: object) -> Accepted:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        if under_way > 1:
            another.set()
        with suppress(TimeoutError):
            await asyncio.wait_for(another.wait(), 0.5)
        under_way -= 1
        return Accepted("<taken@test>")

    async with AsyncExitStack() as stack:
        world = await open_world(stack, engine, chain_scenario, MAIL_CONCURRENCY="1")
        for number in range(3):
            await world.register(world.seal(), recipientEmail=f"{number}@post.example")
        monkeypatch.setattr(world.client, "send", send)
        await world.mail.run()
    assert most == 1


# -- corrections, erasure, limits -------------------------------------------------------------------


async def test_a_corrected_address_gets_its_email_and_the_wrong_one_no_further(world: World) -> None:
    id = world.seal()
    await world.register(id, recipientEmail="wrong@post.example")
    await world.tick()
    await world.register(id)
    await world.tick()
    world.scenario.advance(30 * DAY + 1)
    await world.tick()
    assert world.stub.told("gift_waiting") == [NORMAL, "wrong@post.example"]
    assert world.stub.told("gift_unlocked") == [NORMAL]


async def test_registering_again_or_after_erasure_repeats_nothing(world: World) -> None:
    id = world.seal()
    await world.register(id)
    await world.tick()
    await world.register(id, recipientName="Quilla")
    await world.tick()
    assert await world.notifications.erase(world.erasure(id))
    assert await world.kept() == 0
    await world.register(id)
    await world.tick()
    assert world.stub.told("gift_waiting") == [NORMAL]


async def test_erasure_cancels_what_was_not_sent(world: World) -> None:
    id = world.seal()
    await world.register(id)
    await world.notifications.erase(world.erasure(id))
    world.scenario.advance(30 * DAY + 1)
    await world.tick()
    assert world.stub.inbox == []
    assert not await world.notifications.erase(world.erasure(id))


async def test_a_captured_message_brings_nothing_back(world: World) -> None:
    id = world.seal()
    older, newer = world.request(world.payload(id)), world.erasure(id)
    await world.notifications.erase(newer)
    with pytest.raises(Superseded):
        await world.notifications.register(older)
    assert await world.kept() == 0


async def test_of_two_messages_for_the_same_second_only_the_first_counts(world: World) -> None:
    """Nobody can say which was signed later."""
    id = world.seal()
    first = world.request(world.payload(id))
    world._deadline -= 1
    second = world.request(world.payload(id, recipientEmail="other@post.example"))
    await world.notifications.register(first)
    with pytest.raises(Superseded):
        await world.notifications.register(second)


async def test_at_most_three_addresses_over_a_gifts_life(world: World) -> None:
    id = world.seal()
    for number in range(3):
        await world.register(id, recipientEmail=f"try{number}@post.example")
    await world.notifications.erase(world.erasure(id))
    with pytest.raises(InvalidInput) as refused:
        await world.register(id, recipientEmail="fourth@post.example")
    assert refused.value.faults[0].pointer == "/payload/recipientEmail"
    await world.register(id, recipientEmail="try1@post.example")


async def test_givers_and_addresses_are_capped_by_the_day(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    for name in ("GIFT_NOTIFY_PER_GIVER", "GIFT_NOTIFY_PER_EMAIL"):
        async with AsyncExitStack() as stack:
            world = await open_world(stack, engine, chain_scenario, **{name: "2"})
            first, second, third = world.seal(), world.seal(), world.seal()
            await world.register(first)
            await world.register(second)
            with pytest.raises(LimitReached) as refused:
                await world.register(third)
            assert refused.value.code == "daily_cap_reached"
            async with engine.begin() as connection:
                await connection.execute(text("delete from worker.quota"))


async def test_strangers_cannot_use_up_an_addresss_registrations_nor_learn_of_them(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    """Each giver has a count of their own for each email; how much is sent to it is capped where it is sent."""
    async with AsyncExitStack() as stack:
        world = await open_world(stack, engine, chain_scenario, GIFT_NOTIFY_PER_EMAIL="1")
        stranger = world.scenario.account("stranger")
        dust = [world.scenario.create_gift(stranger, stranger.address, eth=1, duration=DAY) for _ in range(2)]
        await world.notifications.register(world.request(world.payload(dust[0]), stranger))
        mine, again = world.seal(), world.seal()
        await world.register(mine)
        for id, giver in ((dust[1], stranger), (again, world.giver)):
            with pytest.raises(LimitReached):
                await world.notifications.register(world.request(world.payload(id), giver))
        await world.register(again, recipientEmail="another@post.example")


# -- opening day ------------------------------------------------------------------------------------


async def test_a_gift_that_was_claimed_is_silent_and_forgotten(world: World) -> None:
    id = world.seal()
    await world.register(id, timing="none")
    world.scenario.advance(30 * DAY + 1)
    world.scenario.withdraw_gift(world.heir, id)
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


@pytest.mark.parametrize("pinned", ["owner = :other", "recipient = :other", "unlock_time = unlock_time + 1"])
async def test_all_that_was_pinned_of_a_gift_has_to_be_as_it_was(world: World, pinned: str) -> None:
    await world.register(world.seal())
    async with world.engine.begin() as connection:
        await connection.execute(text(f"update worker.gift_notification set {pinned}"), {"other": "0x" + "0d" * 20})
    report = await world.tick()
    assert world.stub.inbox == []
    assert report.outcomes == {"gift_waiting": {"released": 1}}


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
    id = world.seal()
    await world.register(id)
    await world.stub.stop()
    await world.tick()
    world.scenario.advance(30 * DAY + 1)
    await world.stub.start()
    for _ in range(2):
        await world.tick()
    assert (world.stub.told("gift_waiting"), world.stub.told("gift_unlocked")) == ([], [NORMAL])


async def test_mail_that_comes_back_delivers(world: World) -> None:
    await world.register(world.seal(), timing="none")
    world.scenario.advance(30 * DAY + 1)
    await world.stub.stop()
    for _ in range(30):  # more tries than the address's day holds
        await world.tick()
    await world.stub.start()
    await world.tick()
    assert world.stub.told("gift_unlocked") == [NORMAL]


async def test_a_chain_that_cannot_be_read_leaves_everything_for_later(world: World) -> None:
    await world.register(world.seal())
    report = await in_the_dark(world).run()
    assert report.unreadable_chains
    assert world.stub.inbox == []
    await world.tick()
    assert world.stub.told("gift_waiting") == [NORMAL]


def unreachable(world: World) -> Chain:
    """The same chain, whose node is gone."""
    gone = {"rpc_urls": (SecretStr("http://127.0.0.1:9"),)}
    return Chain.connect(world.settings.chains[0].model_copy(update=gone))


def in_the_dark(world: World) -> GiftMail:
    chain = unreachable(world)
    gifts = Gifts({CHAIN_ID: chain}, {CHAIN_ID: Indexers(chain, world.index, None)})
    assert world.settings.mail is not None
    assert world.settings.gifts is not None
    parts = (world.engine, world.vault, Quotas(world.engine), {CHAIN_ID: chain}, gifts, world.client)
    return GiftMail(*parts, world.settings, world.settings.mail, world.settings.gifts)


async def with_another_chain(world: World, **settings: Any) -> tuple[GiftMail, Chain]:
    """The same gifts once more on chain 1, which is asked first and has other settings."""
    columns = {"gift_notification": "key_id, salt, payload, email_hash, timing, owner, recipient, unlock_time"}
    columns["gift_ledger"] = "id, email_hash, kind, state, next_try, expires_at"
    async with world.engine.begin() as connection:
        for table, names in columns.items():
            values = names.replace("id, email_hash, kind", "gen_random_uuid(), email_hash, kind")
            copied = f"insert into worker.{table} (chain_id, timelock_id, {names}) select 1, timelock_id, {values}"
            await connection.execute(text(f"{copied} from worker.{table}"))
    other = Chain.connect(world.settings.chains[0].model_copy(update=settings))
    chains = {1: other, **world.chains}
    gifts = Gifts(chains, {id: Indexers(chain, world.index, None) for id, chain in chains.items()})
    assert world.settings.mail is not None
    assert world.settings.gifts is not None
    parts = (world.engine, world.vault, Quotas(world.engine), chains, gifts, world.client)
    return GiftMail(*parts, world.settings, world.settings.mail, world.settings.gifts), other


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


async def test_emails_of_a_chain_that_is_served_no_more_wait_and_keep_nobody_busy(world: World) -> None:
    await world.register(world.seal())
    for table in ("gift_notification", "gift_ledger"):
        async with world.engine.begin() as connection:
            await connection.execute(text(f"update worker.{table} set chain_id = 2"))
    await world.tick()
    assert world.stub.inbox == []
    waiting = (
        "select reason, next_try > now() + interval '4 minutes' from worker.gift_ledger where kind = 'gift_waiting'"
    )
    assert [tuple(row) for row in await world.rows(waiting)] == [("chain_not_configured", True)]
    assert not await world.mail.look()


async def test_a_chain_that_never_answers_does_not_use_up_the_time_of_a_run(world: World) -> None:
    await world.register(world.seal())
    async with proxy(world.scenario.anvil.url) as silent:
        silent.hang = True
        rpc = {"rpc_urls": (SecretStr(silent.url),), "rpc_timeout_seconds": 2.0}
        mail, other = await with_another_chain(world, **rpc)
        try:
            report = await mail.run(budget_seconds=1.5)
        finally:
            await other.close()
    assert set(report.unreadable_chains) == {1}
    assert world.stub.told("gift_waiting") == [NORMAL]


# -- at most once, never lost -----------------------------------------------------------------------

HARMLESS = [Fault.UNAVAILABLE, Fault.SLOW_DOWN, Fault.UNAUTHORIZED, Fault.DIES_BEFORE, Fault.GARBAGE]
ACCEPTING = [Fault.ACCEPTS_AND_DIES, Fault.ACCEPTS_AND_HANGS, Fault.ACCEPTS_GARBAGE]


@pytest.mark.parametrize("fault", [*HARMLESS, *ACCEPTING], ids=lambda fault: fault.name.lower())
async def test_whatever_the_mail_service_does_one_email_arrives(world: World, fault: Fault) -> None:
    await world.register(world.seal())
    world.stub.fail(fault)
    for _ in range(3):
        await world.tick()
    assert world.stub.told("gift_waiting") == [NORMAL]
    assert (await world.states())["gift_waiting"] == "sent"


async def test_what_nobody_can_know_is_held_and_never_sent_twice(world: World) -> None:
    await world.register(world.seal())
    world.stub.fail(Fault.IN_DOUBT)
    for _ in range(3):
        await world.tick()
    assert world.stub.inbox == []
    assert (await world.states())["gift_waiting"] == "held"


async def test_what_is_held_on_opening_day_can_still_be_sent_within_the_retry_window(world: World) -> None:
    """It never left, as an operator found out: the notification is kept until then."""
    await world.register(world.seal(), timing="none")
    world.scenario.advance(30 * DAY + 1)
    world.stub.fail(Fault.IN_DOUBT)
    for _ in range(3):
        await world.tick()
    assert (await world.states())["gift_unlocked"] == "held"
    ((held,),) = await world.rows("select id from worker.gift_ledger where state = 'held'")
    assert "back in the queue" in (await settle_unsent(world.engine, world.client, held) or "")
    for _ in range(2):
        await world.tick()
    assert world.stub.told("gift_unlocked") == [NORMAL]
    assert await world.kept() == 0


async def test_an_address_refused_three_times_is_dead(world: World) -> None:
    await world.register(world.seal())
    world.stub.fail(Fault.REJECTED, Fault.REJECTED, Fault.REJECTED)
    for _ in range(4):
        await world.tick()
    assert world.stub.inbox == []
    assert (await world.states())["gift_waiting"] == "dead"


async def test_who_registers_an_address_again_that_was_refused_has_it_tried_again(world: World) -> None:
    """By a mail service that was set up wrongly, and is not any more: the giver is told that the email goes out now."""
    id = world.seal()
    await world.register(id)
    world.stub.fail(Fault.REJECTED, Fault.REJECTED, Fault.REJECTED)
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
        world.stub.fail(Fault.REJECTED, Fault.REJECTED, Fault.REJECTED)
        for _ in range(4):
            await world.tick()
        assert await world.kept() == 1
        if requeued:
            assert await requeue(world.engine) == 1
            await world.tick()
            assert await world.kept() == 0
    world.scenario.advance(7 * DAY + 1)
    await world.tick()
    assert await world.kept() == 0
    assert await requeue(world.engine) == 1
    await world.tick()
    assert world.stub.told("gift_unlocked") == [NORMAL]


async def test_whoever_wants_no_email_gets_none(world: World) -> None:
    await world.register(world.seal())
    world.stub.fail(Fault.SUPPRESSED)
    await world.tick()
    await world.register(world.seal())
    await world.tick()
    assert world.stub.inbox == []
    assert world.stub.requests == 1, "the second is known here to be suppressed"


async def test_an_email_that_our_own_memory_keeps_back_does_not_prolong_it(world: World) -> None:
    """Who changed their mind is written to after a day, however often there was something to tell meanwhile."""
    await world.register(world.seal())
    world.stub.fail(Fault.SUPPRESSED)
    await world.tick()
    async with world.engine.begin() as connection:
        await connection.execute(text("update worker.suppression set since = since - interval '23 hours'"))
    await world.register(world.seal())
    await world.tick()
    assert world.stub.requests == 1
    async with world.engine.begin() as connection:
        await connection.execute(text("update worker.suppression set since = since - interval '1 hour 1 second'"))
    await world.register(world.seal())
    await world.tick()
    assert world.stub.told("gift_waiting") == [NORMAL]


@pytest.mark.parametrize("lost", ["to a correction", "with its lease"])
async def test_what_a_worker_has_in_hand_and_lost_is_not_posted_by_it(world: World, lost: str) -> None:
    id = world.seal()
    await world.register(id)
    token, report = uuid4(), GiftMailReport()
    entries = await world.mail._claim(sql.CLAIM, token, await world.mail._times(report))
    assert len(entries) == 1
    if lost == "to a correction":
        await world.register(id, recipientEmail="right@post.example")
    else:
        async with world.engine.begin() as connection:
            await connection.execute(text("update worker.gift_ledger set lease_until = now() - interval '1 s'"))
    await world.mail._send(entries, token, report, Outage())
    assert world.stub.inbox == []
    for _ in range(2):
        await world.tick()
    assert world.stub.told("gift_waiting") == ["right@post.example" if lost == "to a correction" else NORMAL]


@pytest.mark.parametrize("state", ["claimed", "unknown", "held"])
async def test_an_acceptance_counts_whoever_holds_it_by_now_and_nothing_else_does(world: World, state: str) -> None:
    await world.register(world.seal())
    token, report = uuid4(), GiftMailReport()
    (entry,) = await world.mail._claim(sql.CLAIM, token, await world.mail._times(report))
    async with world.engine.begin() as connection:
        anothers = "update worker.gift_ledger set lease_token = gen_random_uuid(), state = :state where id = :id"
        await connection.execute(text(anothers), {"state": state, "id": entry.id})
    await world.mail._settle(become.answered(entry, NotAccepted(503)), token, report)
    assert (await world.states())["gift_waiting"] == state
    await world.mail._settle(become.sent(entry, "m"), token, report)
    assert (await world.states())["gift_waiting"] == "sent"


async def test_an_undecided_email_is_asked_about_by_one_worker_at_a_time(world: World) -> None:
    await world.register(world.seal())
    world.stub.fail(Fault.DIES_BEFORE)
    await world.tick()
    assert (await world.states())["gift_waiting"] == "unknown"
    async with world.engine.begin() as connection:
        await connection.execute(text("update worker.gift_ledger set next_try = now()"))
    times = await world.mail._times(GiftMailReport())
    assert len(await world.mail._claim(sql.CLAIM_UNKNOWN, uuid4(), times)) == 1
    assert await world.mail._claim(sql.CLAIM_UNKNOWN, uuid4(), times) == []


@pytest.mark.parametrize("lost", [False, True])
async def test_only_who_still_holds_an_email_gives_back_what_it_took_of_its_addresss_day(
    world: World, monkeypatch: pytest.MonkeyPatch, lost: bool
) -> None:
    """Who holds it now may post it for that."""

    async def not_accepted(*_: Any) -> NotAccepted:
        if lost:
            async with world.engine.begin() as connection:
                await connection.execute(text("update worker.gift_ledger set lease_token = gen_random_uuid()"))
        return NotAccepted(503)

    await world.register(world.seal())
    monkeypatch.setattr(world.client, "send", not_accepted)
    await world.tick()
    used = await world.rows("select used from worker.quota where scope = 'email_day'")
    assert [row.used for row in used] == [1 if lost else 0]


async def test_two_workers_at_once_send_one_email(world: World) -> None:
    for _ in range(6):
        await world.register(world.seal(), recipientEmail=f"{secrets.token_hex(4)}@post.example")
    await asyncio.gather(world.mail.run(), world.another_mail().run(), world.another_mail().run())
    told = world.stub.told("gift_waiting")
    assert len(told) == len(set(told)) == 6


async def test_a_worker_that_died_between_store_and_answer_is_asked_about(world: World) -> None:
    """The lease is over and the body stored: nobody knows, so the mail service is asked before anything is sent."""
    await world.register(world.seal())
    world.stub.fail(Fault.ACCEPTS_AND_HANGS)
    running = asyncio.create_task(world.mail.run())
    await world.stub.hangs.wait()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    async with world.engine.begin() as connection:
        await connection.execute(
            text(
                "update worker.gift_ledger set lease_until = now() - interval '1 second' where lease_until is not null"
            )
        )
    await world.tick()
    assert (await world.states())["gift_waiting"] == "sent"
    assert len(world.stub.inbox) == 1


async def test_an_erased_row_is_never_sent_from_its_stored_body(world: World) -> None:
    id = world.seal()
    await world.register(id)
    world.stub.fail(Fault.DIES_BEFORE)
    await world.tick()
    assert (await world.states())["gift_waiting"] == "unknown"
    await world.notifications.erase(world.erasure(id))
    for _ in range(2):
        await world.tick()
    assert world.stub.inbox == []
    assert (await world.states())["gift_waiting"] == "dropped"


async def test_a_mail_service_without_keys_has_what_is_undecided_held(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    async with AsyncExitStack() as stack:
        world = await open_world(stack, engine, chain_scenario, MAIL_IDEMPOTENT="false")
        await world.register(world.seal())
        world.stub.fail(Fault.DIES_BEFORE)
        await world.tick()
        await world.tick()
        assert (await world.states())["gift_waiting"] == "held"


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
    world.stub.fail(Fault.DIES_BEFORE)
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
    world.stub.fail(Fault.DIES_BEFORE)
    await world.tick()
    await world.register(id, timing="none")
    for _ in range(3):
        await world.tick()
    assert world.stub.inbox == []


@pytest.mark.parametrize("fault", [Fault.IN_DOUBT, Fault.IN_FLIGHT], ids=["held", "unknown"])
async def test_with_the_row_every_stored_body_goes_whatever_its_state(world: World, fault: Fault) -> None:
    """A body can be read with the salt that lies beside it: it must not outlive the notification."""
    await world.register(world.seal())
    world.stub.fail(fault)
    for _ in range(2):
        await world.tick()
    assert len(await world.rows("select from worker.gift_ledger where body is not null")) == 1
    world.scenario.advance(30 * DAY + 1)
    await world.tick()
    assert await world.kept() == 0
    assert await world.rows("select kind from worker.gift_ledger where body is not null or body_salt is not null") == []


@pytest.mark.parametrize("fault", [Fault.IN_DOUBT, Fault.IN_FLIGHT], ids=["held", "unknown"])
async def test_with_an_erasure_every_stored_body_goes_at_once_whatever_its_state(world: World, fault: Fault) -> None:
    """What is held is never looked at again, so nothing later would take its body."""
    id = world.seal()
    await world.register(id)
    world.stub.fail(fault)
    for _ in range(2):
        await world.tick()
    assert len(await world.rows("select from worker.gift_ledger where body is not null")) == 1
    await world.notifications.erase(world.erasure(id))
    assert await world.rows("select from worker.gift_ledger where body is not null or body_salt is not null") == []


async def test_a_row_whose_chain_is_not_read_any_more_goes_when_the_retry_window_is_over(world: World) -> None:
    await world.register(world.seal(), timing="none")
    dark = in_the_dark(world)
    for days, kept in ((6, 1), (8, 0)):
        async with world.engine.begin() as connection:
            late = {"time": int(time.time()) - days * DAY}
            await connection.execute(text("update worker.gift_notification set unlock_time = :time"), late)
        if await dark.look():
            await dark.run()
        assert await world.kept() == kept


async def test_a_gift_that_stays_another_one_is_given_up(world: World) -> None:
    before = world.scenario.anvil.snapshot()
    await world.register(world.seal())
    world.scenario.anvil.revert(before)
    await world.tick()
    assert (await world.states())["gift_waiting"] == "released"
    async with world.engine.begin() as connection:
        await connection.execute(text("update worker.gift_notification set written_at = now() - interval '8 days'"))
    await world.tick()
    assert (await world.states())["gift_waiting"] == "dropped"


async def test_a_node_that_is_behind_takes_no_gifts_email_away(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Restored from an older copy it reads the past, in which the gift is not sealed yet."""
    await world.register(world.seal())
    async with world.engine.begin() as connection:
        await connection.execute(text("update worker.gift_notification set written_at = now() - interval '8 days'"))

    async def read_in_the_past(*_: object) -> tuple[dict[int, Gift], int]:
        return {}, int(time.time()) - 9 * DAY

    with monkeypatch.context() as past:
        past.setattr(Gifts, "read", read_in_the_past)
        await world.tick()
    await world.tick()
    assert world.stub.told("gift_waiting") == [NORMAL]


async def test_a_giver_erases_what_was_registered_also_when_the_chain_forgot_the_gift(world: World) -> None:
    before = world.scenario.anvil.snapshot()
    id = world.seal()
    await world.register(id)
    world.scenario.anvil.revert(before)
    assert await world.notifications.erase(world.erasure(id))
    assert await world.kept() == 0


async def test_a_worker_that_died_before_the_deletion_is_made_up_for_at_the_next_look(world: World) -> None:
    await world.register(world.seal(), timing="none")
    world.scenario.advance(30 * DAY + 1)
    async with world.engine.begin() as connection:
        await connection.execute(text("update worker.gift_ledger set state = 'sent'"))
    assert await world.mail.look()
    await world.mail.run()
    assert await world.kept() == 0
    assert not await world.mail.look()


async def test_gifts_leave_an_address_room_for_its_reminders(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    """Whoever floods an address with gifts must not keep its reminders from it."""
    async with AsyncExitStack() as stack:
        world = await open_world(stack, engine, chain_scenario, MAIL_DAILY_CAP_PER_ADDRESS="4")
        for _ in range(4):
            await world.register(world.seal())
        await world.tick()
        assert len(world.stub.inbox) == 2
        (used,) = await world.rows("select used from worker.quota where scope = 'email_day'")
        assert used.used == 2


@pytest.mark.parametrize("indexed", [True, False])
async def test_a_gift_for_ever_is_told_of_and_keeps_nobody_elses_email(world: World, *, indexed: bool) -> None:
    """Anybody may choose any time; the tables hold the latest they can."""
    await world.register(world.seal(), timing="none")
    id = world.seal(tokens=[(world.scenario.deployment.usdc, 1)], duration=2**70)
    if indexed:
        await world.index.advance()
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
    await world.notifications.register(request)
    world.stub.fail(Fault.DIES_BEFORE)
    await world.tick()
    tables = await world.rows("select tablename from pg_tables where schemaname = 'worker'")
    stored = str([await world.rows(f"select t::text from worker.{table.tablename} t") for table in tables])
    assert (await world.states())["gift_waiting"] == "unknown", "a body is stored"
    link = json.loads(request.payload)["claimLink"]
    for secret in ("canary", link.partition("#g=")[2], request.signature.hex(), NORMAL):
        for form in (secret, secret.encode().hex()):
            assert form.lower() not in stored.lower()
    assert hashlib.sha256(NORMAL.encode()).hexdigest() not in stored


async def test_after_a_rotation_the_old_key_opens_nothing_and_everything_still_arrives(world: World) -> None:
    undecided, waiting = world.seal(), world.seal()
    await world.register(undecided)
    world.stub.fail(Fault.DIES_BEFORE)
    await world.tick()
    await world.register(waiting, timing="none")
    rotated = Vault(b"n" * 32, [b64decode(ENC_KEY)])
    assert [count async for count in rotate(world.engine, rotated, SEALED)] == [2]
    world.vault = Vault(b"n" * 32)
    world.mail = world.another_mail()
    await world.tick()
    world.scenario.advance(30 * DAY + 1)
    await world.tick()
    assert world.stub.told("gift_waiting") == [NORMAL]
    assert world.stub.told("gift_unlocked") == [NORMAL, NORMAL]


async def test_a_request_shows_neither_its_payload_nor_its_signature(world: World) -> None:
    request = world.request(world.payload(world.seal()))
    assert "canary" not in repr(request).lower()
    assert repr(request.signature) not in repr(request)


async def test_a_dark_chain_refuses_the_registration(world: World) -> None:
    id = world.seal()
    chain = unreachable(world)
    gifts = Gifts({CHAIN_ID: chain}, {CHAIN_ID: Indexers(chain, world.index, None)})
    dark = GiftNotifications(
        world.engine,
        world.vault,
        world.hashes,
        Quotas(world.engine),
        {CHAIN_ID: chain},
        gifts,
        world.settings.gifts,
        RULES,
    )
    with pytest.raises(ChainUnavailable):
        await dark.register(world.request(world.payload(id)))
    assert await world.kept() == 0


async def test_what_outlived_its_use_is_forgotten_and_the_rest_kept(world: World) -> None:
    """The ledger after its time, deadlines that have passed, wallets whose creation was given up."""
    over, kept = world.seal(), world.seal()
    for id in (over, kept):
        await world.register(id)
    captured = world.request(world.payload(kept))
    await world.notifications.erase(world.erasure(kept))
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
    assert {row.timelock_id for row in await world.rows("select timelock_id from worker.gift_ledger")} == {kept}
    assert [row.timelock_id for row in await world.rows("select timelock_id from worker.gift_write")] == [kept]
    wallets = await world.rows("select email_hash from worker.gift_wallet order by 1")
    assert [bytes(row.email_hash) for row in wallets] == [b"b", b"c"]
    with pytest.raises(Superseded):
        await world.notifications.register(captured)


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
    assert [row.timelock_id for row in await world.rows("select timelock_id from worker.gift_notification")] == [kept]
    assert {row.timelock_id for row in await world.rows("select timelock_id from worker.gift_ledger")} == {kept}


async def test_an_erasure_while_the_email_is_on_its_way_leaves_no_body_behind(world: World) -> None:
    """The row goes between the store and the answer; what becomes of the email keeps nothing of it."""
    id = world.seal()
    await world.register(id)
    world.stub.fail(Fault.ACCEPTS_AND_HANGS)
    running = asyncio.create_task(world.mail.run())
    await world.stub.hangs.wait()
    await world.notifications.erase(world.erasure(id))
    await world.stub.stop()
    await running
    assert await world.rows("select from worker.gift_ledger where body is not null or body_salt is not null") == []
    await world.stub.start()
    await world.tick()
    assert (await world.states())["gift_waiting"] == "sent"
    assert len(world.stub.inbox) == 1


async def test_opening_day_and_erasures_at_once_hold_nobody_up(world: World) -> None:
    """They lock the same rows in other orders: whoever loses tries again."""
    gifts = [world.seal() for _ in range(8)]
    for number, id in enumerate(gifts):
        await world.register(id, timing="none", recipientEmail=f"{number}@post.example")
    world.scenario.advance(30 * DAY + 1)
    erasures = [world.notifications.erase(world.erasure(id)) for id in gifts]
    await asyncio.gather(world.mail.run(), world.another_mail().run(), *erasures)
    await world.tick()
    assert await world.kept() == 0
    assert len(world.stub.inbox) == len({email.to for email in world.stub.inbox})
