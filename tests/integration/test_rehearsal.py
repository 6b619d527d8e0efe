"""The rehearsal: its prophecy comes true, and names the reason for each missing email."""

import re
from base64 import b64decode
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address
from sqlalchemy.ext.asyncio import AsyncEngine
from structlog.testing import capture_logs

from api.controllers.rehearsals import REHEARSALS_PER_HOUR
from devnet.scenarios import DAY, Legacy, Scenario
from devnet.smtp import SmtpInbox
from mail_service.addresses import AddressHasher, parse_address
from reminder_worker.outbox.messages import KIND_WINDOWS
from reminder_worker.reminders.gaps import find_gaps
from reminder_worker.reminders.recipients import RecipientWords
from reminder_worker.reminders.rehearsal import LegacyRehearsal, PersonVerdict, UntoldReason
from reminder_worker.reminders.self_erasure import MESSAGE_TYPES
from tests.integration.api_world import CANARY_EMAIL, CANARY_NAME, ApiAnswer, ApiWorld, person
from tests.integration.api_world import open_world as open_api
from tests.integration.mail_service_stack import KEY_32, TOKEN, environment, served
from tests.integration.reminder_world import MailWorld, open_world
from tests.integration.test_recipients import legacy_of_a_safe

SAMPLES = re.compile(r"[0-9A-Z]{4}(-[0-9A-Z]{4}){3}|https?://[^ ]*/(unsubscribe|forget)/[^ ]*")
"""Samples in a rehearsal: the number of the email and the links of its reader."""
PLAYED = 46
"""Steps of 1.3 days, until after the first further email of the third line."""
Letter = tuple[str, str, str]
"""Recipient, subject and text of an email, without samples."""


@dataclass
class FamilyCase:
    """A legacy, the people of its set, and how many emails its windows bring."""

    title: str
    legacy: Legacy
    people: tuple[str, ...]
    emails: int


@pytest.fixture
async def stage(engine: AsyncEngine, chain_scenario: Scenario, inbox: SmtpInbox) -> AsyncIterator[MailWorld]:
    """The worker with the real mail service."""
    address = engine.url.render_as_string(hide_password=False)
    async with (
        served(environment(address, inbox)) as service,
        open_world(engine, chain_scenario, service) as world,
    ):
        yield world


def three_lines(
    world: MailWorld, owner: str = "owner", title: str = "Three lines", emails: int = 24 + 1 + 4
) -> FamilyCase:
    """Windows open on day 7, 10, 16, 19, 25 and 28; the owner hears again on day 8.5, the heirs on day 58."""
    lines: dict[str, Any] = {"second_line": "clara", "delay2": 9 * DAY, "third_line": "dan", "delay3": 9 * DAY}
    legacy = world.legacy(owner, inactivity=10 * DAY, **lines)
    world.scenario.set_time_ahead(world.account(owner), 3 * DAY)
    return FamilyCase(title, legacy, (owner, "anna", "ben", "clara", "dan"), emails)


def changed_configuration(world: MailWorld) -> FamilyCase:
    """Anna is not configured, Ben is no heir any more, the second line has lost its member, Emil has no address."""
    family = three_lines(world, "olga", "Changed", 2 + 1 + 2 + 1)
    owner, scenario = world.account("olga"), world.scenario
    named = [world.address(each) for each in ("ben", "emil")]
    scenario.configure_reminders(owner, family.legacy, named, world.address("clara"), world.address("dan"))
    shares = {world.address("anna"): 50, world.address("emil"): 50}
    scenario.edit_distribution(owner, family.legacy, shares, sync=False)
    scenario.edit_line(owner, family.legacy, 2, None)
    return family


def premium_that_ends(world: MailWorld) -> FamilyCase:
    """Premium ends on day 22, before the emails about the third line."""
    world.scenario.subscribe_premium(world.account("pia"), 22 * DAY)
    return three_lines(world, "pia", "Premium ends", 3 + 1 + 3 + 4 + 4)


def shared_wallet(world: MailWorld) -> FamilyCase:
    """Its heirs hear again 30 days after they could claim."""
    return safe_family(world, "sara", "Safe", 3 + 2 + 3 + 1)[0]


def safe_without_module(world: MailWorld) -> FamilyCase:
    """Its people are told of the deadline, and nobody of claims."""
    family, safe = safe_family(world, "susan", "Safe without its module", 3 + 2)
    world.scenario.disable_module(world.account("susan"), safe, family.legacy)
    return family


def safe_family(world: MailWorld, creator: str, title: str, emails: int) -> tuple[FamilyCase, str]:
    """Return the case, and the address of its Safe."""
    scenario = world.scenario
    scenario.ensure_premium(world.account(creator), 5 * 365 * DAY)
    safe = scenario.create_safe([world.account(creator), world.account("signer")])
    heirs = [world.address("anna"), world.address("ben")]
    legacy = scenario.create_safe_legacy(world.account(creator), safe, heirs, inactivity=10 * DAY)
    scenario.configure_reminders(world.account(creator), legacy, heirs, cosigners=[world.address("signer")])
    return FamilyCase(title, legacy, (creator, "signer", "anna"), emails), safe


def letters_foretold(rehearsed: LegacyRehearsal, emails: dict[str, str]) -> list[Letter]:
    """List the letters of the days that the test plays."""
    found = []
    for window in rehearsed.windows:
        if window.emails_at > rehearsed.as_of + PLAYED * 1.3 * DAY:
            continue
        for each in window.people:
            assert each.will_be_told == (each.email is not None) == (not each.reasons)
            if each.email is not None:
                content = each.email.content
                found.append((emails[each.recipient], content.subject, SAMPLES.sub("…", content.text)))
    return sorted(found)


async def letters_about_windows(world: MailWorld, inbox: SmtpInbox) -> list[Letter]:
    """Without the emails to the owner about Premium and the Safe, which no window brings."""
    rows = await world.sql(
        "select message_id from worker.sent_ledger where kind = any(cast(:kinds as text[]))", kinds=list(KIND_WINDOWS)
    )
    ids = {row.message_id for row in rows}
    emails = [each for each in inbox.messages if each.header("Message-ID") in ids]
    return sorted((each.to, each.subject, SAMPLES.sub("…", each.text)) for each in emails)


async def test_what_is_foretold_arrives_word_for_word_and_nothing_else_does(stage: MailWorld, inbox: SmtpInbox) -> None:
    cases = (three_lines, changed_configuration, premium_that_ends, shared_wallet, safe_without_module)
    families = [make(stage) for make in cases]
    expected: list[Letter] = []
    for family in families:
        words = RecipientWords("Maria", family.title, "de", "Europe/Berlin")
        await stage.save(family.legacy, *family.people, words=words)
    await stage.index.run()
    for family in families:
        foretold = await stage.rehearse(family.legacy, with_texts=True)
        emails = {each.recipient: each.email for each in await stage.stored(family.legacy)}
        letters = letters_foretold(foretold, emails)
        assert len(letters) == family.emails, family.title
        expected += letters
    for _ in range(PLAYED):
        stage.scenario.advance(int(1.3 * DAY))
        await stage.tick()
        await stage.days_pass(1.3)
    arrived = await letters_about_windows(stage, inbox)
    assert [each[:2] for each in arrived] == sorted(each[:2] for each in expected)
    assert arrived == sorted(expected)


GAP_REASONS = {
    UntoldReason.ERASED_THEMSELF: "not_reminded",
    UntoldReason.ADDRESS_RETURNS: "address_returns",
    UntoldReason.NOT_CONFIGURED: "not_configured",
    UntoldReason.NOT_A_MEMBER: "not_a_member",
}
"""Reasons that the owner is told of, the first one first."""


def first_gap_reason(person: PersonVerdict) -> str | None:
    return next((said for reason, said in GAP_REASONS.items() if reason in person.reasons), None)


async def test_the_due_pass_finds_the_same_people_without_emails_as_a_rehearsal(stage: MailWorld) -> None:
    """One rule is in Python, the other one a statement over many legacies."""
    families = [make(stage) for make in (three_lines, changed_configuration, safe_without_module)]
    for family in families:
        await stage.save(family.legacy, *family.people)
    about = {"legacy": families[0].legacy.address, "creator": stage.address("owner")}
    await stage.sql(
        "insert into worker.bounce (email_hash, reason) select email_hash, 'mailbox_unknown' from worker.recipient"
        " where legacy = :legacy and recipient = :r",
        legacy=about["legacy"],
        r=stage.address("anna"),
    )
    await stage.sql(
        "with gone as (delete from worker.recipient where legacy = :legacy and recipient = :r returning *)"
        " insert into worker.self_erasure (chain_id, legacy, recipient, creator, email_hash)"
        " select chain_id, legacy, recipient, :creator, email_hash from gone",
        **about,
        r=stage.address("ben"),
    )
    await stage.tick()
    expected = {}
    for family in families:
        rehearsed = await stage.rehearse(family.legacy)
        people = [each for each in rehearsed.people if each.recipient in map(stage.address, family.people)]
        firsts = [(each.recipient, first_gap_reason(each)) for each in people]
        expected[family.legacy.address] = {(recipient, reason) for recipient, reason in firsts if reason}
    async with stage.engine.connect() as connection:
        gaps = await find_gaps(connection, stage.chain.chain_id, [*expected])
    found = {legacy: {(each.recipient, each.reason) for each in gap.people} for legacy, gap in gaps.items()}
    assert found == expected
    assert sorted(map(len, found.values())) == [1, 2, 3]


async def test_an_open_window_that_is_seen_too_late_brings_further_emails_alone(
    stage: MailWorld, inbox: SmtpInbox
) -> None:
    """Also before the first look at the legacy: it was saved 20 days after its heirs could claim."""
    legacy = stage.legacy(inactivity=10 * DAY)
    stage.scenario.advance(30 * DAY)
    await stage.save(legacy, "owner", "anna")
    await stage.index.run()
    for _ in range(2):
        windows = (await stage.rehearse(legacy)).windows
        reasons = {}
        for window in windows:
            if window.kind == "ready_to_activate":
                (anna,) = (each for each in window.people if each.recipient == stage.address("anna"))
                reasons[window.turn] = anna.reasons
        assert reasons == {0: (UntoldReason.TOO_LATE,), 1: (), 2: (), 3: ()}
        await stage.tick()
    assert inbox.messages == []


@pytest.fixture
async def api(engine: AsyncEngine, chain_scenario: Scenario, inbox: SmtpInbox) -> AsyncIterator[ApiWorld]:
    """The API with the real mail service."""
    address = engine.url.render_as_string(hide_password=False)
    async with served(environment(address, inbox)) as service:
        settings = {"MAIL_URL": service.url, "MAIL_TOKEN": TOKEN}
        async with open_api(chain_scenario, engine, **settings) as world:
            yield world


async def unsubscribe(world: ApiWorld, email: str) -> None:
    settings = world.parts.settings
    assert settings.mail is not None
    token = AddressHasher(b64decode(KEY_32)).make_unsubscribe_token(parse_address(email))
    async with world.session.post(f"{settings.mail.url}/unsubscribe/{token}") as answer:
        assert answer.status == 200


@pytest.mark.core
async def test_all_three_answers_say_who_will_not_be_told_and_why(api: ApiWorld) -> None:
    """They unsubscribed, erased themselves, have no mailbox or no address, or are not named on chain."""
    scenario, owner = api.scenario, api.owner()
    accounts = {label: scenario.account(label) for label in ("anna", "ben", "clara", "dan", "emil")}
    of: dict[str, str] = {label: account.address for label, account in accounts.items()}
    heirs: dict[str, int] = {of[label]: 20 for label in ("anna", "ben", "clara", "dan", "emil")}
    legacy = scenario.create_legacy(owner, heirs)
    scenario.configure_reminders(owner, legacy, [address for address in heirs if address != of["dan"]])
    stored = [person(1, recipient=of["anna"], name=CANARY_NAME, email=CANARY_EMAIL), person(9)]
    stored += [person(n, recipient=of[label]) for n, label in ((2, "ben"), (3, "clara"), (4, "dan"))]
    assert (await api.ingest(owner, legacy, stored)).status == 200
    await unsubscribe(api, CANARY_EMAIL)
    await erase_themself(api, accounts["ben"])
    saved = await api.ingest(owner, legacy, stored)
    await api.sql(
        "insert into worker.bounce (email_hash, reason)"
        " select email_hash, 'mailbox_unknown' from worker.recipient where recipient = :r",
        r=of["clara"].lower(),
    )
    expected = {
        owner.address: ["no_address"],
        of["anna"]: ["unsubscribed"],
        of["ben"]: ["erased_themself"],
        of["dan"]: ["not_configured"],
        of["emil"]: ["no_address"],
        to_checksum_address(f"0x{9:040x}"): ["not_configured", "not_a_member"],
    }
    assert verdicts(saved) == {**expected, of["clara"]: []}
    expected[of["clara"]] = ["address_returns"]
    assert verdicts(await api.call(owner, "ReadRecipients", legacy)) == expected
    with capture_logs() as logs:
        body = api.signed(owner, "RehearseLegacy", legacy)
        answers = [await api.post("/rehearsal", body), await api.post("/rehearsal", body)]
    assert verdicts(answers[0]) == expected
    emails = [(window["kind"], window["furtherEmail"]) for window in answers[0].body["windows"]]
    assert emails == [
        *(("before_activation", turn) for turn in (0, 1)),
        *(("ready_to_activate", turn) for turn in (0, 1, 2, 3)),
    ]
    assert answers[1].code == "already_used"
    assert CANARY_EMAIL not in str(logs) + str(answers[0].body), "only the texts hold names"

    await api.call(owner, "EraseLegacy", legacy)
    await api.ingest(owner, legacy, [person(1, recipient=of["emil"], name=CANARY_NAME, language="es")])
    body = api.signed(owner, "RehearseLegacy", legacy) | {"emails": True}
    answer = await api.post("/rehearsal", body)
    (letter,) = [each["email"] for each in answer.body["windows"][0]["people"] if "email" in each]
    assert letter["language"] == "es"
    assert CANARY_NAME in letter["text"]
    assert answer.headers["Cache-Control"] == "no-store"


async def test_a_signer_of_a_safe_rehearses_the_emails_of_its_legacy(api: ApiWorld) -> None:
    """By the Safe's own contract (ERC-1271)."""
    signer, _, legacy = legacy_of_a_safe(api)
    answer = await api.call(signer, "RehearseLegacy", legacy)
    assert [window["kind"] for window in answer.body["windows"]][:1] == ["before_activation"]
    refused = await api.call(api.scenario.account("stranger"), "RehearseLegacy", legacy)
    assert (refused.status, refused.code) == (403, "signer_mismatch")


async def test_a_client_has_a_bounded_number_of_rehearsals_an_hour(api: ApiWorld) -> None:
    api.clock.ahead = 1800 - api.clock() % 3600
    answers = [await api.post("/rehearsal", {}) for _ in range(REHEARSALS_PER_HOUR + 1)]
    assert {each.status for each in answers[:-1]} == {422}
    assert (answers[-1].status, answers[-1].code) == (429, "rate_limited")
    assert 60 < int(answers[-1].headers["Retry-After"]) <= 3600


def verdicts(answer: ApiAnswer) -> dict[str, list[str]]:
    assert answer.status == 200, answer.body
    for each in answer.body["people"]:
        assert each["willBeTold"] == (not each["reasons"])
    return {each["recipient"]: each["reasons"] for each in answer.body["people"]}


async def erase_themself(world: ApiWorld, account: LocalAccount) -> None:
    deadline, nobody = world.deadline(), "0x" + "0" * 40
    domain = {"name": "Reminder Worker", "version": "1", "chainId": world.chain_id}
    message = {"recipient": account.address, "legacy": nobody, "deadline": deadline}
    signature = account.sign_typed_data(domain, MESSAGE_TYPES, message).signature.to_0x_hex()
    body = message | {"chainId": world.chain_id, "signature": signature}
    assert (await world.post("/erase-recipient", body)).body == {"erased": 1}


async def test_without_the_mail_service_sets_are_saved_and_read_and_nothing_is_foretold(
    chain_scenario: Scenario, engine: AsyncEngine
) -> None:
    """Only the mail service knows who unsubscribed. Without it a prophecy could be wrong."""
    async with open_api(chain_scenario, engine) as world:
        owner = world.owner()
        legacy = world.legacy(owner)
        answers = [await world.ingest(owner, legacy, [person(1)]), await world.call(owner, "ReadRecipients", legacy)]
        assert [(each.status, "people" in each.body) for each in answers] == [(200, False)] * 2
        refused = await world.call(owner, "RehearseLegacy", legacy)
        assert (refused.status, refused.code) == (503, "mail_unavailable")
