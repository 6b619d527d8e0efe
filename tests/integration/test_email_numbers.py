"""The number of an email: printed in it, kept as a hash, looked up on the page, and forgotten with its recipient."""

import hashlib
import re
from collections.abc import AsyncIterator

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from api.email_page_words import WORDS
from devnet.scenarios import DAY, Scenario
from devnet.smtp import SmtpInbox
from mail_service.addresses import AddressHasher, parse_address
from mail_service.languages import LANGUAGES
from mail_service.settings import MailServiceSettings
from reminder_worker.doctor.mail import find_unlisted_links
from reminder_worker.monitoring.email_numbers import find_written_email
from reminder_worker.monitoring.erasure import erase_person
from reminder_worker.outbox.email_numbers import hash_number
from tests.integration.api_world import open_world as open_api
from tests.integration.mail_service_stack import ServiceClient, environment, served
from tests.integration.mail_stub import MailFault, MailStub
from tests.integration.reminder_world import CHAIN_ID, MailWorld, open_world

NUMBER = re.compile(r"Number of this email: ((?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4})")
NAMES = {CHAIN_ID: "Local chain"}
ANNA, SOMEBODY = "anna@example.org", "0x" + "5" * 40
ORGANISATION = {
    "ORGANISATION_NAME": "Example & Heirs",
    "ORGANISATION_CONTACT": "help@example.org",
    "ORGANISATION_URL": "https://example.org",
}
FOOTER = (
    "<footer><bdi>Example &amp; Heirs</bdi><br><bdi>help@example.org</bdi><br><bdi>https://example.org</bdi></footer>"
)
RECIPIENT = (
    "insert into worker.recipient (chain_id, legacy, recipient, role, key_id, salt, email, name, email_hash)"
    " values (:chain, :somebody, :somebody, 'beneficiary', 'k', :salt, '', '', :anna)"
)
REMINDER = (
    "insert into worker.sent_ledger (id, chain_id, legacy, recipient, kind, event, role, state, message_id, claimed_at,"
    " settled_at, number_hash) values (gen_random_uuid(), :chain, :somebody, :somebody, 'owner_reset', 'e', 'owner',"
    " 'sent', 'm', now(), now(), :number)"
)
GIFT = (
    "insert into worker.gift_notification (chain_id, timelock_id, key_id, salt, payload, email_hash, timing, owner,"
    " recipient, unlock_time) values (:chain, 7, 'k', :salt, '', :anna, 'none', :somebody, :somebody, 1)"
)
GIFT_EMAIL = (
    "insert into worker.gift_ledger (id, email_hash, chain_id, timelock_id, kind, state, message_id, expires_at,"
    " claimed_at, settled_at, number_hash) values (gen_random_uuid(), :anna, :chain, 7, 'gift_waiting', 'sent', 'm',"
    " now(), now(), now(), :number)"
)


@pytest.fixture
async def service(engine: AsyncEngine, inbox: SmtpInbox) -> AsyncIterator[ServiceClient]:
    told = environment(engine.url.render_as_string(hide_password=False), inbox)
    told |= {"ORGANISATION_NAME": "Example & Heirs", "ORGANISATION_CONTACT": "help@example.org"}
    async with served(told) as client:
        yield client


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario, service: ServiceClient) -> AsyncIterator[MailWorld]:
    async with open_world(engine, chain_scenario, service) as opened:
        yield opened


@pytest.mark.core
async def test_number_of_an_email_is_found_until_its_recipient_is_erased(world: MailWorld, inbox: SmtpInbox) -> None:
    """The database has the hash only. An erased number is found as little as an unknown one."""
    legacy = world.legacy(inactivity=30 * DAY)
    await world.save(legacy, "owner", "anna", "ben")
    world.scenario.advance(24 * DAY)
    await world.tick()
    numbers = {}
    for message in inbox.messages:
        (numbers[message.to],) = NUMBER.findall(message.text)
        assert numbers[message.to] in message.html
        assert "Example & Heirs\nhelp@example.org" in message.text
        assert "Example &amp; Heirs" in message.html
    assert len(set(numbers.values())) == len(inbox.messages) == 3
    annas = numbers["anna@example.org"]
    found = await find_written_email(world.engine, annas.lower().replace("-", " ").replace("0", "o"), NAMES)
    assert found is not None
    assert (found.sort, found.is_gift, found.number) == ("deadline", False, str(legacy.id))
    rows = await world.sql("select number_hash from worker.sent_ledger")
    assert {row.number_hash for row in rows} == {hash_number(number) for number in numbers.values()}
    assert hash_number(annas) == hashlib.sha256(annas.replace("-", "").encode()).digest()

    await erase_person(world.engine, world.hashes, "anna@example.org", None)
    assert await find_written_email(world.engine, annas, NAMES) is None
    assert await find_written_email(world.engine, numbers["ben@example.org"], NAMES) is not None


async def test_retry_of_a_stored_body_carries_the_same_number(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    async with MailStub() as mail, open_world(engine, chain_scenario, mail) as world:
        legacy = world.legacy(inactivity=30 * DAY)
        await world.save(legacy, "owner", "anna", "ben")
        world.scenario.advance(24 * DAY)
        mail.fail(*[MailFault.DIES_BEFORE] * 3)
        await world.tick()
        assert mail.inbox == []
        before = {row.number_hash for row in await world.sql("select number_hash from worker.sent_ledger")}
        await world.hurry()
        await world.dispatch.run()
        assert {hash_number(email.number) for email in mail.inbox} == before
        assert len(before) == 3


async def test_page_answers_for_a_number_and_never_says_that_an_email_is_real(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    """An unknown and an erased number have the same answer, byte for byte, and each client has a limit."""
    more = {"RATE_LIMIT_PER_MINUTE": "8", "MAIL_SERVICE_PUBLIC_URL": "https://mail.example.org"}
    async with open_api(chain_scenario, engine, **more, ORGANISATION_NAME="Example & Heirs") as world:
        await world.sql(
            "insert into worker.gift_ledger (id, email_hash, chain_id, timelock_id, kind, state, message_id,"
            " expires_at, claimed_at, settled_at, number_hash) values (gen_random_uuid(), 'h', :chain, 7,"
            " 'gift_waiting', 'sent', 'm', now(), '2026-11-24T23:59:00Z', '2026-11-24T23:59:00Z', :hash)",
            chain=world.chain_id, hash=hash_number("0123456789ABCDEF"),
        )  # fmt: skip

        async def look_up(number: str, language: str = "en") -> str:
            return await ask("POST", language, {"number": number})

        async def ask(method: str, language: str = "en", form: dict[str, str] | None = None) -> str:
            headers = {"Accept-Language": language}
            async with world.session.request(method, f"{world.url}/emails", headers=headers, data=form) as answer:
                assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
                return f"{answer.status} {await answer.text()}"

        assert (await ask("GET")).startswith("200 ")
        found = await look_up(" 0123-4567-89ab-cdef")
        assert "On November 24, 2026 (UTC) we wrote an email about gift 7 on" in found
        assert "this page cannot tell you that the email before you is from us" in found
        for shown in (
            "https://app.example.org<",
            "https://mail.example.org<",
            "it is a forgery by fraudsters",
            "Example &amp; Heirs",
        ):
            assert shown in found
        assert "24. November 2026 (UTC) haben wir eine E-Mail über das Geschenk 7" in await look_up(
            "0123456789ABCDEF", "de-AT,en"
        )
        assert 'dir="rtl"' in await look_up("0123456789ABCDEF", "ar")
        await world.sql("update worker.gift_ledger set number_hash = null")
        erased = await look_up("0123456789ABCDEF")
        assert erased == await look_up("ZZZZZZZZZZZZZZZZ") == await look_up("")
        assert "We know nothing about this number" in erased
        assert "the email may be a forgery: click nothing in it, and telephone the person" in erased
        await ask("GET")
        assert (await look_up("0123456789ABCDEF")).startswith("429 ")


@pytest.mark.parametrize(
    ("rows", "about", "email", "address"),
    [
        ((RECIPIENT, REMINDER), "about legacy 0x", ANNA, None),
        ((GIFT, GIFT_EMAIL), "about gift 7", None, SOMEBODY),
        ((GIFT_EMAIL,), "about gift 7", ANNA, None),  # after its opening day the notification is gone
    ],
    ids=["reminder", "gift, by its address", "gift that ended"],
)
async def test_page_answers_for_a_number_of_an_erased_person_as_for_an_unknown_one(
    engine: AsyncEngine,
    chain_scenario: Scenario,
    rows: tuple[str, ...],
    about: str,
    email: str | None,
    address: str | None,
) -> None:
    async with open_api(chain_scenario, engine) as world:
        hashes = world.parts.hashes

        async def look_up(number: str) -> str:
            async with world.session.post(f"{world.url}/emails", data={"number": number}) as answer:
                return f"{answer.status} {await answer.text()}"

        values = {"chain": world.chain_id, "somebody": SOMEBODY, "salt": b"s" * 32}
        values |= {"anna": hashes.hash_email(ANNA), "number": hash_number("0123456789ABCDEF")}
        for row in rows:
            await world.sql(row, **values)
        assert about in await look_up("0123-4567-89AB-CDEF")
        await erase_person(world.engine, hashes, "ben@example.org", None)
        assert about in await look_up("0123-4567-89AB-CDEF")
        await erase_person(world.engine, hashes, email, address)
        assert await look_up("0123-4567-89AB-CDEF") == await look_up("ZZZZ-ZZZZ-ZZZZ-ZZZZ")


@pytest.mark.parametrize("given", [ORGANISATION, {}], ids=["set", "not set"])
async def test_each_page_says_in_the_same_place_who_runs_the_service(
    engine: AsyncEngine, chain_scenario: Scenario, inbox: SmtpInbox, given: dict[str, str]
) -> None:
    """Directly below the page. Without the settings nothing stands there."""
    environ = environment(engine.url.render_as_string(hide_password=False), inbox, **given)
    hasher = AddressHasher(MailServiceSettings.from_environ(environ).hash_key.get_secret_value())
    anna = parse_address(ANNA)
    unsubscribe, forget = hasher.make_unsubscribe_token(anna), hasher.make_forget_token(anna, b"r" * 32)
    gift = chain_scenario.create_gift(chain_scenario.account("giver"), SOMEBODY, eth=10**18)
    gifts = {"GIFT_ORIGINS": "https://gifts.example.org", "GIFT_PREFIX": "sealed"}
    async with open_api(chain_scenario, engine, **gifts, **given) as world, served(environ) as service:
        for method, url, status in (
            ("GET", f"{world.url}/emails", 200),
            ("POST", f"{world.url}/emails", 200),
            ("GET", f"{world.url}/sealed/create", 200),
            ("GET", f"{world.url}/sealed/{world.chain_id}/{gift}", 200),
            ("GET", f"{world.url}/sealed/{world.chain_id}/999", 404),
            ("GET", f"{world.url}/sealed/for/0x{'6' * 40}", 404),
            ("GET", f"{world.url}/sealed", 404),
            ("GET", f"{service.url}/unsubscribe/{unsubscribe}", 200),
            ("POST", f"{service.url}/unsubscribe/{unsubscribe}", 200),
            ("GET", f"{service.url}/unsubscribe/x", 404),
            ("GET", f"{service.url}/forget/{forget}", 200),
            ("POST", f"{service.url}/forget/{forget}", 200),
            ("GET", f"{service.url}/forget/x", 404),
        ):
            async with world.session.request(method, url) as answer:
                page = await answer.text()
            assert (url, answer.status) == (url, status)
            below = page.partition("</main>")[2].lstrip()
            assert (url, below.startswith(FOOTER), "<footer" in page) == (url, bool(given), bool(given))


@pytest.mark.parametrize("known", [True, False])
async def test_page_lists_all_addresses_of_links_or_none(
    engine: AsyncEngine, chain_scenario: Scenario, known: bool
) -> None:
    """With some of them only, a true email would look like a forgery. `doctor` says what is missing."""
    more = {"EMAIL_PAGE_URL": "https://api.example.org/emails", "ORGANISATION_URL": "https://example.org"}
    if known:
        more["MAIL_SERVICE_PUBLIC_URL"] = "https://mail.example.org"
    async with open_api(chain_scenario, engine, MAIL_URL="http://mail.invalid", MAIL_TOKEN="t" * 32, **more) as world:
        async with world.session.get(f"{world.url}/emails") as answer:
            page = await answer.text()
        listed = re.findall(r'<li><bdi dir="ltr">([^<]+)', page)
        found = list(find_unlisted_links(world.parts.settings))
    if known:
        assert set(more.values()) | {"https://app.example.org"} <= set(listed)
        assert found == []
    else:
        assert listed == []
        assert "link only to these addresses" not in page
        assert [part for part, _, _ in found] == ["page of emails"]


def test_each_language_of_emails_has_the_words_of_the_page() -> None:
    assert set(WORDS) == set(LANGUAGES)
    for words in WORDS.values():
        assert set(re.findall(r"{(\w+)}", words.found)) == {"day", "about", "kind"}
        assert all(set(re.findall(r"{(\w+)}", place)) == {"number", "chain"} for place in (words.legacy, words.gift))
