"""The link "Delete my email address": one press erases a person everywhere, by way of the real mail service."""

import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import psycopg
import pytest
from sqlalchemy import Table, insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from bench.erase import store_person
from devnet.scenarios import DAY, Legacy, Scenario
from devnet.smtp import ReceivedEmail, SmtpInbox
from reminder_worker.errors import MailUnavailable
from reminder_worker.gifts.tables import gift_giver, gift_notification, gift_reminder
from reminder_worker.monitoring.erasure import ErasedRows, erase_forgotten
from reminder_worker.reminders.erasure import read_erasures
from tests.integration.mail_service_stack import TOKEN, ServiceClient, body, environment, served
from tests.integration.reminder_world import CHAIN_ID, MailWorld, open_world

ANNA = "anna@example.org"
PUBLIC_URL = "http://127.0.0.1:8090"


@pytest.fixture
async def service(engine: AsyncEngine, inbox: SmtpInbox) -> AsyncIterator[ServiceClient]:
    async with served(environment(engine.url.render_as_string(hide_password=False), inbox)) as client:
        yield client


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario, service: ServiceClient) -> AsyncIterator[MailWorld]:
    async with open_world(engine, chain_scenario, service) as opened:
        yield opened


def find_path(message: ReceivedEmail) -> str:
    """The path of the email's link, the same in both parts."""
    (url,) = re.findall(rf"Delete my email address:\s+({PUBLIC_URL}/forget/[\w=-]+)", message.text)
    assert f'href="{url}"' in message.html
    return str(url).removeprefix(PUBLIC_URL)


async def get_email(world: MailWorld, inbox: SmtpInbox, *, to: str = ANNA) -> tuple[Legacy, str]:
    """A legacy whose owner, anna and ben were reminded; the path of the link in the email to this address."""
    legacy = world.legacy(inactivity=30 * DAY)
    await world.save(legacy, "owner", "anna", "ben")
    world.scenario.advance(24 * DAY)
    await world.tick()
    (message,) = [each for each in inbox.messages if each.to == to]
    return legacy, find_path(message)


async def stored(world: MailWorld) -> set[tuple[str, str]]:
    rows = await world.sql("select legacy, recipient from worker.recipient")
    return {(row.legacy, world.labels[row.recipient]) for row in rows}


async def store_gift_row(world: MailWorld, table: Table, **columns: object) -> None:
    who, salt = world.address("giver"), b"s" * 32
    row = {"chain_id": CHAIN_ID, "timelock_id": 7, "key_id": "k", "salt": salt, "payload": b""}
    row |= {"owner": who, "recipient": who, "unlock_time": 1, **columns}
    async with world.engine.begin() as connection:
        await connection.execute(insert(table).values(row))


@pytest.mark.core
async def test_one_press_erases_a_person_in_every_legacy_and_gift(
    world: MailWorld, service: ServiceClient, inbox: SmtpInbox
) -> None:
    """A scanner that opens the link changes nothing. Nobody else is erased. Later emails are suppressed at once."""
    legacy, path = await get_email(world, inbox)
    second = world.legacy("another")
    await world.save(second, "another", emails={world.address("anna"): ANNA})
    await store_gift_row(world, gift_notification, email_hash=world.hashes.hash_email(ANNA), timing="none")
    assert "Delete your email address?" in (await service.request("GET", path)).json
    assert (await service.request("GET", f"{path}/undo")).status == 405
    assert await erase_forgotten(world.engine, world.client) == ErasedRows(0, 0)

    pressed = await service.request("POST", path)
    assert (pressed.status, "We are deleting your email address" in pressed.json) == (200, True)
    assert (await service.send(to={"email": "Anna@example.org", "name": ""})).json == {"suppressed": True}
    assert await erase_forgotten(world.engine, world.client) == ErasedRows(2, 1)
    assert await stored(world) == {(legacy.address, "owner"), (legacy.address, "ben"), (second.address, "another")}
    marks = await world.sql("select legacy, recipient, creator from worker.self_erasure order by legacy")
    assert {tuple(mark) for mark in marks} == {
        (legacy.address, world.address("anna"), world.address("owner")),
        (second.address, world.address("anna"), world.address("another")),
    }
    assert [(each.cause, each.people) for each in await read_erasures(world.engine)] == [("link", 2)]


async def test_a_forgotten_address_that_is_stored_again_gets_nothing_and_is_erased_again(
    world: MailWorld, service: ServiceClient, inbox: SmtpInbox
) -> None:
    """Until the person takes emails again: then it stays, and is written to."""
    _, path = await get_email(world, inbox)
    await service.request("POST", path)
    await erase_forgotten(world.engine, world.client)
    other = world.legacy("another", heirs=("anna",), inactivity=30 * DAY)
    await world.save(other, "anna")
    world.scenario.advance(24 * DAY)
    await world.tick()
    assert sum(message.to == ANNA for message in inbox.messages) == 1
    assert await erase_forgotten(world.engine, world.client) == ErasedRows(1, 0)

    back = await service.request("POST", f"{path}/undo")
    assert (back.status, "We may write to you again" in back.json) == (200, True)
    await world.sql("delete from worker.suppression")  # a day later
    await world.erase(other)  # a set without them ends their mark
    await world.save(other, "anna")
    assert await erase_forgotten(world.engine, world.client) == ErasedRows(0, 0)
    await world.tick()
    assert sum(message.to == ANNA for message in inbox.messages) == 2


async def test_the_way_back_of_the_unsubscribe_link_ends_forgetting_too(
    world: MailWorld, service: ServiceClient, inbox: SmtpInbox
) -> None:
    """Whoever presses it before the worker has read the list loses nothing."""
    _, path = await get_email(world, inbox)
    (message,) = [each for each in inbox.messages if each.to == ANNA]
    unsubscribe = (message.header("List-Unsubscribe") or "").strip("<>").removeprefix(PUBLIC_URL)
    await service.request("POST", path)
    await service.request("POST", f"{unsubscribe}/undo")
    assert await erase_forgotten(world.engine, world.client) == ErasedRows(0, 0)
    assert "Delete your email address?" in (await service.request("GET", path)).json


async def test_only_the_services_own_links_and_token_count(service: ServiceClient, inbox: SmtpInbox) -> None:
    """No token of another purpose or with another reference does anything; the list is for the worker alone."""
    await service.send("key-1", reference="ab" * 32)
    path = find_path(inbox.messages[0])
    unsubscribe = (inbox.messages[0].header("List-Unsubscribe") or "").rpartition("/")[2].strip(">")
    forged = path[:-30] + ("A" if path[-30] != "A" else "B") + path[-29:]
    for bad in (forged, f"/forget/{unsubscribe}", path[:-8], "/forget/x", "/forget/%E2%82%AC"):
        for tail in ("", "/undo"):
            assert (await service.request("POST", bad + tail)).status == 404
    swapped = path.replace("/forget/", "/unsubscribe/")
    assert (await service.request("POST", swapped)).status == 404
    assert (await service.request("GET", "/forgotten")).status == 401
    token = {"Authorization": f"Bearer {TOKEN}"}
    assert (await service.request("GET", "/forgotten", headers=token)).json == {"addresses": []}
    await service.request("POST", path)
    found = (await service.request("GET", "/forgotten", headers=token)).json["addresses"]
    assert [each["reference"] for each in found] == ["ab" * 32]
    after = found[0]["position"]
    assert (await service.request("GET", f"/forgotten?after={after}", headers=token)).json == {"addresses": []}


async def test_a_body_of_the_previous_release_is_known_again_and_has_no_link(
    service: ServiceClient, inbox: SmtpInbox, engine: AsyncEngine
) -> None:
    """The hash of the body is the same as before, so that an email in doubt stays the same email."""
    await service.send("key-1")
    assert "Delete my" not in inbox.messages[0].text + inbox.messages[0].html
    assert (await service.send("key-1")).json["duplicate"] is True
    assert (await service.send("key-1", reference="ab" * 32)).json["code"] == "idempotency_key_reused"
    assert (await service.send("key-2", reference="no hash")).status == 400
    assert set(body()) == {"template", "templateVersion", "to", "variables", "category"}


async def test_while_the_mail_service_is_away_nobody_is_erased_and_the_pass_fails(
    world: MailWorld, service: ServiceClient, inbox: SmtpInbox, engine: AsyncEngine
) -> None:
    _, path = await get_email(world, inbox)
    await service.request("POST", path)
    await world.sql("alter table mail_service.forgotten rename to away")
    with pytest.raises(MailUnavailable):
        await erase_forgotten(world.engine, world.client)
    await world.sql("alter table mail_service.away rename to forgotten")
    assert await erase_forgotten(world.engine, world.client) == ErasedRows(1, 0)


async def test_the_mail_service_keeps_hashes_alone(
    world: MailWorld, service: ServiceClient, inbox: SmtpInbox, engine: AsyncEngine
) -> None:
    _, path = await get_email(world, inbox)
    await service.request("POST", path)
    await erase_forgotten(world.engine, world.client)
    url = engine.url.render_as_string(hide_password=False).replace("+psycopg", "")
    with psycopg.connect(url) as connection:
        kept = "".join(
            str(row)
            for table in ("mail_service.forgotten", "mail_service.suppression", "worker.self_erasure")
            for row in connection.execute(f"select t::text from {table} t")
        )
    assert "\\x" in kept
    assert not any(word in kept.lower() for word in ("anna", ANNA.encode().hex(), path.rpartition("/")[2].lower()))


async def ask_to_be_forgotten(world: MailWorld, *emails: str) -> None:
    """As the mail service keeps who pressed the button."""
    for email in emails:
        await world.sql(
            "insert into mail_service.forgotten (reference, address_hash) values (:hash, :hash)",
            hash=world.hashes.hash_email(email),
        )


async def test_a_person_of_whom_one_row_of_a_gift_is_stored_is_erased(world: MailWorld) -> None:
    """Whichever row it is. The row of a giver has two people."""
    person, other = world.hashes.hash_email(ANNA), world.hashes.hash_email("ben@example.org")
    of_giver = {"unopened_at": datetime.now(UTC)}
    await ask_to_be_forgotten(world, ANNA)
    for table, columns in (
        (gift_notification, {"email_hash": person, "timing": "none"}),
        (gift_reminder, {"email_hash": person}),
        (gift_giver, {"email_hash": person, "recipient_hash": other, **of_giver}),
        (gift_giver, {"email_hash": other, "recipient_hash": person, **of_giver}),
    ):
        await store_gift_row(world, table, **columns)
        assert await erase_forgotten(world.engine, world.client) == ErasedRows(0, 1), columns
        assert await world.sql(f"select 1 from worker.{table.name}") == []


async def test_a_person_in_twenty_thousand_legacies_is_erased_in_one_call(world: MailWorld) -> None:
    """Neither the depth of a statement nor its number of parameters grows with the rows."""
    email_hash = world.hashes.hash_email(ANNA)
    await store_person(world.engine, email_hash, world.address("anna"), legacies=20_000, gifts=1_500)
    await ask_to_be_forgotten(world, ANNA)
    assert await erase_forgotten(world.engine, world.client) == ErasedRows(20_000, 1_500)
    left = "select (select count(*) from worker.recipient), (select count(*) from worker.watch),"
    left += " (select count(*) from worker.gift_notification), (select count(*) from worker.self_erasure)"
    assert await world.sql(left) == [(0, 0, 0, 20_000)]
    assert await world.sql("select state, count(*), count(number_hash) from worker.sent_ledger group by state") == [
        ("sent", 20_000, 0)
    ]
    assert await world.sql("select state, reason, count(*) from worker.gift_ledger group by state, reason") == [
        ("dropped", "erased", 1_500)
    ]


async def test_a_person_whose_erasure_fails_keeps_nobody_else_from_being_forgotten(world: MailWorld) -> None:
    """Neither of the same page of the list nor of a later page. The pass fails, and the next erases the rest."""
    legacy = world.legacy()
    await world.save(legacy, "anna", "ben", "owner")
    await ask_to_be_forgotten(world, ANNA, "ben@example.org")
    await world.sql(
        "insert into mail_service.forgotten (reference, address_hash)"
        " select decode(lpad(to_hex(n), 64, '0'), 'hex'), '' from generate_series(1, 1000) n"
    )
    await ask_to_be_forgotten(world, "owner@example.org")
    await world.sql(
        "create function worker.refuse() returns trigger language plpgsql as $$begin raise exception 'refused'; end$$"
    )
    await world.sql(
        "create trigger refuse before delete on worker.recipient for each row"
        f" when (old.recipient = '{world.address('anna')}') execute function worker.refuse()"
    )
    with pytest.raises(DBAPIError, match="refused"):
        await erase_forgotten(world.engine, world.client)
    assert await stored(world) == {(legacy.address, "anna")}
    await world.sql("drop function worker.refuse cascade")
    assert await erase_forgotten(world.engine, world.client) == ErasedRows(1, 0)
