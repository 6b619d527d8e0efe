"""Endpoints for operators: absent without their secret, their effects and their answers."""

import asyncio
import hashlib
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from reminder_worker.auto_renew.budgets import find_ending_budgets
from reminder_worker.features import POLLED_PASSES
from reminder_worker.gifts.emails import GiftMail
from reminder_worker.gifts.pages import GiftReader
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.monitoring import chain_summaries
from reminder_worker.outbox.mail_client import MailClient
from reminder_worker.reminders.planner import ReminderDispatch
from reminder_worker.settings import MailSettings
from tests.integration.api_world import ApiWorld, open_world, person
from tests.integration.chain_proxy import proxy
from tests.integration.mail_service_stack import TOKEN
from tests.integration.mail_stub import MailStub

STATUS, OPERATOR = "status-secret-of-the-tests", "operator-secret-of-the-tests"
SECRETS = {"OPS_STATUS_SECRET": STATUS, "OPERATOR_SECRET": OPERATOR}
PATHS = ("/ops/erase-recipient", "/ops/dispatch", "/ops/requeue")
GIFTS = "https://gifts.example.org"


def bearer(secret: str) -> dict[str, Any]:
    return {"headers": {"Authorization": f"Bearer {secret}"}}


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[ApiWorld]:
    async with open_world(chain_scenario, engine, GIFT_ORIGINS=GIFTS, **SECRETS) as opened:
        yield opened


async def test_nothing_is_there_until_its_own_secret_is_set(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    async with open_world(chain_scenario, engine) as world:
        assert (await world.request("GET", "/ops/status", **bearer(STATUS))).status == 404
        for path in PATHS:
            assert (await world.post(path, {}, **bearer(OPERATOR))).status == 404
    async with open_world(chain_scenario, engine, OPS_STATUS_SECRET=STATUS) as world:
        assert (await world.request("GET", "/ops/status", **bearer(STATUS))).status == 200
        assert (await world.post("/ops/requeue", **bearer(STATUS))).status == 404


async def test_another_secret_opens_nothing(world: ApiWorld) -> None:
    """Neither of the two secrets opens what the other opens."""
    for given in (None, "", "wrong", STATUS, OPERATOR, OPERATOR + "x", OPERATOR.upper()):
        headers = {} if given is None else bearer(given)
        for path in PATHS if given != OPERATOR else ():
            answer = await world.post(path, {}, **headers)
            assert (answer.status, answer.code) == (401, "unauthorized")
            assert answer.headers["WWW-Authenticate"] == "Bearer"
        if given != STATUS:
            assert (await world.request("GET", "/ops/status", **headers)).status == 401


async def test_a_secret_is_not_guessed_without_end(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    async with open_world(chain_scenario, engine, **SECRETS, RATE_LIMIT_PER_MINUTE="3") as world:
        world.clock.ahead = 30 - world.clock() % 60  # not across the end of a minute
        found = [(await world.post("/ops/requeue", {}, **bearer(f"guess {number}"))).status for number in range(5)]
        assert found[-1] == 429
        assert (await world.request("GET", "/ops/status", **bearer("guess"))).status == 429


async def test_the_status_shows_booleans_and_public_facts_and_no_secret(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    relayer = chain_scenario.account("relayer")
    settings = {**SECRETS, "RELAYER_KEY": relayer.key.hex()}
    async with open_world(chain_scenario, engine, **settings) as world:
        answer = await world.request("GET", "/ops/status", **bearer(STATUS))
        assert answer.status == 200
        assert answer.body["passes"]["relay"] is True
        assert answer.body["passes"]["auto_renew"] is False
        assert set(answer.body["passes"]) == {step.name for step in POLLED_PASSES}
        assert {type(on) for on in answer.body["passes"].values()} == {bool}
        (chain,) = answer.body["chains"]
        assert chain["headBlock"] == chain_scenario.anvil.block_number()
        assert chain["contracts"]["time_lock_router"].lower() == chain_scenario.deployment.time_lock_router
        (wallet,) = chain["wallets"]
        assert (wallet["role"], wallet["address"]) == ("relayer", relayer.address)
        assert int(wallet["balance"]) == chain_scenario.balance(None, relayer.address)
        text = json.dumps(answer.body)
        for secret in (STATUS, OPERATOR, relayer.key.hex().removeprefix("0x"), "rpc", "127.0.0.1", "unused"):
            assert secret not in text.lower()


async def test_the_status_calls_nothing_relayed_where_timers_alone_are_renewed(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    """Renewals are followed by the pass that follows what users signed; nobody's request would be taken."""
    attestor = chain_scenario.account("attestor")
    async with open_world(chain_scenario, engine, **SECRETS, ATTESTOR_KEY=attestor.key.hex()) as world:
        told = (await world.request("GET", "/ops/status", **bearer(STATUS))).body
        assert (told["passes"]["relay"], told["passes"]["auto_renew"]) == (False, True)
        assert [wallet["role"] for wallet in told["chains"][0]["wallets"]] == ["attestor"]


@pytest.mark.one_order("the status asks the endpoints in turn")
async def test_the_status_calls_unknown_what_a_chain_does_not_tell_in_time_and_finds_out_what_hangs(
    engine: AsyncEngine, chain_scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chain_summaries, "STATUS_SECONDS", 0.05)
    async with proxy(chain_scenario.anvil.url) as hangs:
        prefix = f"CHAIN_{chain_scenario.anvil.chain_id}_RPC"
        urls = {f"{prefix}_URLS": f"{hangs.url},{chain_scenario.anvil.url}", f"{prefix}_TIMEOUT": "1"}
        relayer = chain_scenario.account("relayer")
        async with open_world(chain_scenario, engine, **SECRETS, RELAYER_KEY=relayer.key.hex(), **urls) as world:

            async def told() -> tuple[int | None, str | None]:
                (chain,) = (await world.request("GET", "/ops/status", **bearer(STATUS))).body["chains"]
                return chain["headBlock"], chain["wallets"][0]["balance"]

            hangs.hang = True
            assert await told() == (None, None)
            known = (chain_scenario.anvil.block_number(), str(chain_scenario.balance(None, relayer.address)))
            async with asyncio.timeout(60):
                while await told() != known:
                    pass


async def saved(world: ApiWorld, *emails: str) -> None:
    owner = world.owner()
    people = [person(number, email=email) for number, email in enumerate(emails, 1)]
    assert (await world.ingest(owner, world.legacy(owner), people)).status == 200


async def register_gift(world: ApiWorld, email: str) -> None:
    scenario, giver = world.scenario, world.scenario.account("giver")
    tokens = [(scenario.deployment.usdc, 10**6)]
    id = scenario.create_gift(giver, scenario.account("heir").address, tokens=tokens, duration=30 * DAY)
    await world.parts.chain_indexes[world.chain_id].run()
    letter = "eyJ2IjoxLCJ0byI6IiIsImZyb20iOiIiLCJub3RlIjoiIn0"
    payload = json.dumps(
        {
            "salt": "0x" + secrets.token_hex(16),
            "timelockId": str(id),
            "recipientEmail": email,
            "recipientName": "",
            "giverName": "",
            "claimLink": f"{GIFTS}/gifts/{world.chain_id}/{id}#g={letter}",
            "timing": "immediate",
        }
    )
    deadline = world.deadline()
    message = {"payloadHash": hashlib.sha256(payload.encode()).digest(), "deadline": deadline}
    types = {"GiftNotify2": [{"name": "payloadHash", "type": "bytes32"}, {"name": "deadline", "type": "uint256"}]}
    domain = {"name": "Reminder Worker", "version": "1", "chainId": world.chain_id}
    signature = giver.sign_typed_data(domain, types, message).signature.to_0x_hex()
    body = {"chainId": world.chain_id, "giver": giver.address, "payload": payload}
    answer = await world.post("/gift/notify", {**body, "deadline": deadline, "signature": signature})
    assert answer.status == 201, answer.body


async def test_a_person_is_forgotten_everywhere_by_their_email(world: ApiWorld) -> None:
    await saved(world, "anna@example.org", "ben@example.org")
    await saved(world, "anna@example.org")
    await register_gift(world, "anna@example.org")
    erase = {"email": " Anna@Example.ORG "}
    answer = await world.post("/ops/erase-recipient", erase, **bearer(OPERATOR))
    assert answer.body == {"recipients": 2, "gifts": 1}
    left = await world.sql("select recipient from worker.recipient")
    assert [row.recipient for row in left] == [person(2)["recipient"]]
    assert len(await world.sql("select 1 from worker.watch")) == 1, "a legacy without anybody is not asked about"
    assert await world.sql("select 1 from worker.gift_notification") == []
    left = await world.sql("select state from worker.gift_ledger where state <> 'dropped'")
    assert left == [], "nothing is sent any more"
    again = await world.post("/ops/erase-recipient", erase, **bearer(OPERATOR))
    assert again.body == {"recipients": 0, "gifts": 0}


async def test_a_person_is_forgotten_by_their_address(world: ApiWorld) -> None:
    await saved(world, "anna@example.org", "ben@example.org")
    await world.sql(
        "insert into worker.sent_ledger (id, chain_id, legacy, recipient, kind, event, role)"
        " select gen_random_uuid(), chain_id, legacy, recipient, 'before_activation', '1:1', 'beneficiary'"
        " from worker.recipient"
    )
    erase = {"address": person(1)["recipient"].upper().replace("0X", "0x")}
    assert (await world.post("/ops/erase-recipient", erase, **bearer(OPERATOR))).body["recipients"] == 1
    waiting = await world.sql("select recipient from worker.sent_ledger")
    assert [row.recipient for row in waiting] == [person(2)["recipient"]], "nothing unsent is left of them"


async def test_refused_are_unclear_words_of_who_is_meant_and_a_dispatch_without_mail(world: ApiWorld) -> None:
    for body in ({}, {"email": "a@b.example", "address": "0x" + "1" * 40}, {"email": "Zaffre"}):
        answer = await world.post("/ops/erase-recipient", body, **bearer(OPERATOR))
        assert (answer.status, answer.code) == (422, "invalid_input")
        assert "Zaffre" not in json.dumps(answer.body)
    answer = await world.post("/ops/dispatch", **bearer(OPERATOR))
    assert (answer.status, answer.code) == (503, "not_configured")


@asynccontextmanager
async def sending(world: ApiWorld, mail: MailStub) -> AsyncIterator[None]:
    """Its emails go to the stub."""
    settings, engine = world.parts.settings, world.engine
    to_stub = MailSettings.model_validate({"MAIL_URL": mail.url, "MAIL_TOKEN": SecretStr(TOKEN)})
    chains, vault = world.parts.chains, world.parts.vault
    indexers = {id: IndexerSelector(chains[id], index, None) for id, index in world.parts.chain_indexes.items()}
    async with MailClient(to_stub) as client:
        world.parts.dispatch = ReminderDispatch(engine, chains, indexers, vault, client, settings, find_ending_budgets)  # type: ignore[misc]
        to_mail = settings.model_copy(update={"mail": to_stub})
        world.parts.gift_mail = GiftMail(engine, vault, chains, GiftReader(chains, indexers), client, to_mail)  # type: ignore[misc]
        yield


async def test_a_gifts_email_is_counted_goes_back_to_the_queue_when_dead_and_is_sent(world: ApiWorld) -> None:
    await register_gift(world, "anna@example.org")
    async with world.session.get(world.metrics_url + "/metrics") as response:
        shown = await response.text()
    labels = f'chain="{world.chain_id}",kind="gift_waiting",state="queued"'
    assert f"reminder_worker_gift_emails{{{labels}}} 1.0" in shown
    assert "reminder_worker_gifts_to_be_told_of 1.0" in shown
    assert "anna" not in shown
    await world.sql("update worker.gift_ledger set state = 'dead' where kind = 'gift_waiting'")
    assert (await world.post("/ops/requeue", **bearer(OPERATOR))).body == {"requeued": 1}
    states = await world.sql("select state from worker.gift_ledger where kind = 'gift_waiting'")
    assert [row.state for row in states] == ["queued"]
    async with MailStub() as mail, sending(world, mail):
        answer = await world.post("/ops/dispatch", **bearer(OPERATOR))
    assert (answer.status, answer.body) == (200, {"outcomes": {"gift_waiting": {"sent": 1}}, "more": False})
    assert [email.to for email in mail.inbox] == ["anna@example.org"]
