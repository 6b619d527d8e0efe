"""Promises of recipient sets: permissions, captured messages, and traces after erasure."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, time, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from eth_account.signers.local import LocalAccount
from sqlalchemy import insert, text, update
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Legacy, Scenario
from reminder_worker.database.rotation import rotate_keys
from reminder_worker.errors import DecryptionFailed
from reminder_worker.outbox.tables import sent_ledger
from reminder_worker.privacy.vault import Vault
from reminder_worker.reminders.recipients import SEALED_RECIPIENTS, email_body_context, open_row, seal_row
from reminder_worker.reminders.tables import recipient
from reminder_worker.schema import metadata
from tests.integration.api_world import (
    ABOUT,
    CANARY_EMAIL,
    CANARY_NAME,
    CANARY_OWNER,
    CANARY_TITLE,
    ENC_KEY,
    ApiWorld,
    open_world,
    person,
)
from tests.integration.chain_proxy import proxy
from tests.integration.locks import blocked
from tests.integration.other_chain import mirror, of_other_chain

_OPEN_WINDOW = (
    'insert into worker.due_window (chain_id, legacy, "window", deadline, block_number, planned_at)'
    " values (:chain, :legacy, 1, 1, 1, now())"
)
STATES = ("queued", "released", "claimed", "unknown", "held", "sent", "dropped", "suppressed", "dead")


@pytest.fixture
async def world(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[ApiWorld]:
    async with open_world(chain_scenario, engine) as opened:
        yield opened


@pytest.fixture
def owner(world: ApiWorld) -> LocalAccount:
    return world.owner()


@pytest.fixture
def legacy(world: ApiWorld, owner: LocalAccount) -> Legacy:
    return world.legacy(owner)


async def _people(world: ApiWorld, owner: LocalAccount, legacy: Legacy | str) -> list[dict[str, Any]]:
    answer = await world.call(owner, "ReadRecipients", legacy)
    assert answer.status == 200, answer.body
    return [each | {"recipient": each["recipient"].lower()} for each in answer.body["recipients"]]


def _entry(world: ApiWorld, legacy: Legacy, recipient: str, state: str, **more: Any) -> dict[str, Any]:
    """A row of the ledger; its event is its state."""
    whole = {
        "id": uuid4(),
        "chain_id": world.chain_id,
        "legacy": legacy.address,
        "recipient": recipient,
        "kind": "owner_reset",
        "event": state,
        "role": "beneficiary",
        "state": state,
        "body": None,
        "body_salt": None,
        "claimed_at": None,
        "message_id": "m" if state == "sent" else None,
        "reason": "in_doubt" if state == "held" else None,
    }
    return whole | more


async def _ledger(world: ApiWorld, legacy: Legacy, number: int) -> None:
    """One entry in every state for a recipient, with a body where one is allowed."""
    body = {"body": b"sealed", "body_salt": b"s" * 32, "claimed_at": datetime.now(UTC)}
    bodies = dict.fromkeys(("claimed", "unknown", "held"), body)
    rows = [_entry(world, legacy, f"0x{number:040x}", state, **bodies.get(state, {})) for state in STATES]
    async with world.engine.begin() as connection:
        await connection.execute(insert(sent_ledger), rows)


async def _left(world: ApiWorld, number: int) -> dict[str, bool]:
    """State to whether it still has a body."""
    rows = await world.sql("select state, body from worker.sent_ledger where recipient = :r", r=f"0x{number:040x}")
    return {row.state: row.body is not None for row in rows}


@pytest.mark.core
async def test_a_set_is_saved_read_back_and_erased(world: ApiWorld, owner: LocalAccount, legacy: Legacy) -> None:
    people = [person(1, email=" Anna@Bücher.example ", name="Anna  Ä"), person(2, role="owner")]
    saved = await world.ingest(owner, legacy, people)
    assert (saved.status, saved.body) == (200, {"saved": 2, "shredded": 0, "erasedThemselves": []})
    first, second = await _people(world, owner, legacy)
    assert (first["email"], first["name"]) == ("anna@xn--bcher-kva.example", "Anna Ä")
    assert second == people[1] | {"language": "en", "lastEmails": []}
    erased = await world.call(owner, "EraseLegacy", legacy)
    assert (erased.status, erased.body) == (200, {"shredded": 2})
    assert await _people(world, owner, legacy) == []


@pytest.mark.core
async def test_the_creator_reads_what_became_of_each_persons_last_emails(
    world: ApiWorld, owner: LocalAccount, legacy: Legacy
) -> None:
    """The ten newest, in every state of the ledger and with the reason for each that was not accepted."""
    cases = [
        ("queued", "daily_cap", "waiting", None),
        ("claimed", None, "waiting", None),
        ("released", "mail_unavailable", "waiting", None),
        ("unknown", None, "waiting", None),
        ("held", "in_doubt", "held", None),
        ("sent", None, "accepted", None),
        ("sent", "by_hand", "accepted", None),
        ("sent", "bounced", "came_back", "mailbox_full"),
        ("suppressed", "suppressed", "dropped", "unsubscribed"),
        ("suppressed", "bounced", "dropped", "address_returns"),
        ("dead", "rejected_422", "dropped", "refused"),
        ("dropped", "window_closed", "dropped", "no_longer_true"),
        ("dropped", "legacy_not_live", "dropped", "no_longer_true"),
        ("dropped", "auto_renew_off", "dropped", "no_longer_true"),
        ("dropped", "checked_in", "dropped", "no_longer_true"),
        ("dropped", "premium_renewed", "dropped", "no_longer_true"),
        ("dropped", "not_in_audience", "dropped", "not_named"),
        ("dropped", "not_premium", "dropped", "no_premium"),
        ("dropped", "merged", "dropped", "told_later"),
        ("dropped", "legacy_not_readable", "dropped", "not_readable"),
        ("dropped", "test_chain", "dropped", "test_chain_not_listed"),
        ("dropped", "body_gone", "dropped", "other"),
    ]
    await world.ingest(owner, legacy, [person(1), person(2)])
    await world.sql("insert into worker.bounce select email_hash, 'mailbox_full' from worker.recipient")
    days = [date(2099, 1, 1) + timedelta(days=number) for number in range(len(cases))]
    rows, expected = list[dict[str, Any]](), list[dict[str, Any]]()
    for day, (state, reason, outcome, why) in zip(days, cases, strict=True):
        at = datetime.combine(day, time(23, 59), UTC)
        rows.append(_entry(world, legacy, f"0x{1:040x}", state, event=str(day), reason=reason, created_at=at))
        shown = {"kind": "owner_reset", "day": str(day), "outcome": outcome}
        expected.insert(0, shown if why is None else shown | {"why": why})
    read = []
    for start in (0, 10, 20):
        async with world.engine.begin() as connection:
            await connection.execute(insert(sent_ledger), rows[start : start + 10])
        first, second = await _people(world, owner, legacy)
        read.append(first["lastEmails"])
        assert second["lastEmails"] == []
    assert read == [expected[-10:], expected[-20:-10], expected[:10]]


async def test_owners_name_title_languages_and_zones_are_saved_read_back_and_changed(
    world: ApiWorld, owner: LocalAccount, legacy: Legacy
) -> None:
    people = [person(1, language="es", timeZone="Europe/Madrid"), person(2)]
    for words in ({"ownerName": "Maria", "title": "For the children"}, {"ownerName": "Maria"}, {}):
        assert (await world.ingest(owner, legacy, people, words=words)).status == 200
        read = (await world.call(owner, "ReadRecipients", legacy)).body
        assert [each["language"] for each in read["recipients"]] == ["es", "en"]
        assert [each.get("timeZone") for each in read["recipients"]] == ["Europe/Madrid", None]
        assert (read["ownerName"], read["title"]) == (words.get("ownerName", ""), words.get("title", ""))


async def test_words_that_are_not_acceptable_are_named(world: ApiWorld, owner: LocalAccount, legacy: Legacy) -> None:
    for words, changes, pointer in (
        ({"ownerName": "visit evil.example.com"}, {}, "ownerName"),
        ({"title": "x" * 61}, {}, "title"),
        ({}, {"language": "xx"}, "recipients/0/language"),
        ({}, {"timeZone": "../Europe/Madrid"}, "recipients/0/timeZone"),
        ({}, {"timeZone": "Europe/" + "x" * 5000}, "recipients/0/timeZone"),
    ):
        refused = await world.ingest(owner, legacy, [person(1, **changes)], words=words)
        assert (refused.status, refused.body["errors"][0]["pointer"]) == (422, f"/payload/{pointer}")


async def test_a_read_of_a_known_legacy_asks_its_node_once(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    """One call and the creator's code in one request: each further request is paid for, and takes as long again."""
    async with (
        proxy(chain_scenario.anvil.url) as node,
        open_world(chain_scenario, engine, CHAIN_31337_RPC_URLS=node.url) as world,
    ):
        owner = world.owner()
        legacy = world.legacy(owner)
        await world.ingest(owner, legacy, [person(1)])
        node.posts.clear()
        assert len(await _people(world, owner, legacy)) == 1
        assert (len(node.posts), dict(node.asked)) == (1, {"eth_call": 1, "eth_getCode": 1})


async def test_a_person_missing_from_the_new_set_is_shredded_and_one_unchanged_is_not_rewritten(
    world: ApiWorld, owner: LocalAccount, legacy: Legacy
) -> None:
    stored = "select recipient, salt, email from worker.recipient order by recipient"
    await world.ingest(owner, legacy, [person(1), person(2), person(3), person(4)])
    same, before, *_ = await world.sql(stored)
    saved = await world.ingest(owner, legacy, [person(1), person(2, name="Renamed")])
    assert saved.body == {"saved": 2, "shredded": 2, "erasedThemselves": []}
    first, after = await world.sql(stored)
    assert first == same
    assert after.recipient == before.recipient
    assert after.salt != before.salt
    assert after.email != before.email


async def test_replacing_or_erasing_cancels_what_was_not_sent(
    world: ApiWorld, owner: LocalAccount, legacy: Legacy
) -> None:
    """Unaccepted emails are deleted and undecided ones lose their bodies; emails to an unchanged person stay."""
    await world.ingest(owner, legacy, [person(1), person(2), person(3)])
    for number in (1, 2, 3):
        await _ledger(world, legacy, number)
    await world.ingest(owner, legacy, [person(1), person(2, email="other@example.org")])
    untouched = dict.fromkeys(STATES, False) | dict.fromkeys(("claimed", "unknown", "held"), True)
    cancelled = dict.fromkeys(("claimed", "unknown", "held", "sent"), False)
    assert await _left(world, 1) == untouched
    assert await _left(world, 2) == cancelled
    assert await _left(world, 3) == cancelled
    await world.call(owner, "EraseLegacy", legacy)
    assert await _left(world, 1) == cancelled
    held = await world.sql("select distinct reason from worker.sent_ledger where state = 'held'")
    assert held == [("in_doubt",)], "an operator still sees why"


async def test_another_name_or_role_loses_nothing_that_waits(
    world: ApiWorld, owner: LocalAccount, legacy: Legacy
) -> None:
    """Whom it goes to is the same: it is sent in the new words. What is undecided is only asked about."""
    await world.ingest(owner, legacy, [person(1), person(2)])
    for number in (1, 2):
        await _ledger(world, legacy, number)
    await world.ingest(owner, legacy, [person(1, name="Renamed"), person(2, role="owner")])
    for number in (1, 2):
        assert await _left(world, number) == dict.fromkeys(
            ("queued", "released", "claimed", "unknown", "held", "sent"), False
        )


async def test_a_write_leaves_the_same_address_on_another_chain_alone(
    world: ApiWorld, owner: LocalAccount, legacy: Legacy
) -> None:
    await world.ingest(owner, legacy, [person(1), person(2), person(3)])
    for number in (1, 2, 3):
        await _ledger(world, legacy, number)
    await world.sql(_OPEN_WINDOW, chain=world.chain_id, legacy=legacy.address)
    await mirror(world.engine, world.chain_id)
    other = await of_other_chain(world.engine)
    await world.ingest(owner, legacy, [person(1), person(2, email="other@example.org")])
    await world.call(owner, "EraseLegacy", legacy)
    assert await of_other_chain(world.engine) == other
    assert await _people(world, owner, legacy) == []


async def test_it_is_known_since_when_an_address_is_somebodys(
    world: ApiWorld, owner: LocalAccount, legacy: Legacy
) -> None:
    """An email held for the earlier address is not sent to the new one. A new name or role changes no address."""
    since = "select written_at from worker.recipient"
    await world.ingest(owner, legacy, [person(1)])
    first = await world.sql(since)
    await world.ingest(owner, legacy, [person(1, name="Renamed", role="owner")])
    assert await world.sql(since) == first
    await world.ingest(owner, legacy, [person(1, email="another@example.org")])
    assert await world.sql(since) > first


async def test_a_legacy_is_watched_while_it_has_recipients(
    world: ApiWorld, owner: LocalAccount, legacy: Legacy
) -> None:
    await world.ingest(owner, legacy, [person(1)])
    (watched,) = await world.sql("select legacy, creator, legacy_type, next_ask from worker.watch")
    assert watched == (legacy.address, owner.address.lower(), 3, 0)
    await world.sql("update worker.watch set failures = 9, paused_until = now() + interval '1 day'")
    await world.ingest(owner, legacy, [person(2)])
    assert await world.sql("select failures, paused_until from worker.watch") == [(0, None)], "its rest is over"
    await world.ingest(owner, legacy, [])
    assert await world.sql("select 1 from worker.watch") == []
    await world.ingest(owner, legacy, [person(1)])
    await world.call(owner, "EraseLegacy", legacy)
    assert await world.sql("select 1 from worker.watch") == []


async def test_a_fake_legacy_is_refused(world: ApiWorld) -> None:
    """Anyone can deploy a contract whose creator() is themselves; only the router's own registry counts."""
    attacker = world.owner("attacker")
    genuine = world.legacy(attacker)
    fake = world.scenario.deploy_fake_legacy(attacker, genuine.id, [])
    answer = await world.ingest(attacker, fake, [person(1)])
    assert (answer.status, answer.code) == (403, "not_a_known_legacy")
    assert await world.sql("select 1 from worker.recipient") == []


@pytest.mark.core
async def test_only_the_creator_may_do_anything(world: ApiWorld, owner: LocalAccount, legacy: Legacy) -> None:
    await world.ingest(owner, legacy, [person(1)])
    stranger = world.owner("stranger")
    answers = [await world.ingest(stranger, legacy, [person(2)])]
    answers += [await world.call(stranger, kind, legacy) for kind in ("ReadRecipients", "EraseLegacy")]
    assert [(each.status, each.code) for each in answers] == [(403, "signer_mismatch")] * 3
    assert len(await _people(world, owner, legacy)) == 1


async def test_ingest_needs_premium_and_reading_and_erasing_do_not(world: ApiWorld) -> None:
    owner = world.owner()
    legacy = world.legacy(owner)
    await world.ingest(owner, legacy, [person(1)])
    world.scenario.end_premium(owner.address)
    refused = await world.ingest(owner, legacy, [person(2)])
    assert (refused.status, refused.code) == (403, "premium_required")
    assert [each["recipient"] for each in await _people(world, owner, legacy)] == [f"0x{1:040x}"]
    assert (await world.call(owner, "EraseLegacy", legacy)).body == {"shredded": 1}


async def test_a_captured_or_older_ingest_cannot_bring_a_set_back(
    world: ApiWorld, owner: LocalAccount, legacy: Legacy
) -> None:
    """Neither the accepted message itself nor another that was signed before the erasure and kept back."""
    kept_back = world.ingest_body(owner, legacy, [person(2)])
    accepted = world.ingest_body(owner, legacy, [person(1)])
    assert (await world.post("/ingest-legacy", accepted)).status == 200
    assert (await world.post("/ingest-legacy", kept_back)).code == "already_used", "older than the set"
    erase = world.signed(owner, "EraseLegacy", legacy)
    same_second = world.ingest_body(owner, legacy, [person(3)], deadline=erase["deadline"])
    assert (await world.post("/erase-legacy", erase)).status == 200
    for captured in (accepted, kept_back, same_second):
        refused = await world.post("/ingest-legacy", captured)
        assert (refused.status, refused.code) == (409, "already_used")
    assert await _people(world, owner, legacy) == []


async def test_a_read_works_once(world: ApiWorld, owner: LocalAccount, legacy: Legacy) -> None:
    await world.ingest(owner, legacy, [person(1)])
    captured = world.signed(owner, "ReadRecipients", legacy)
    first, *others = await asyncio.gather(*(world.post("/recipients", captured) for _ in range(4)))
    answers = sorted([first.status, *(other.status for other in others)])
    assert answers == [200, 409, 409, 409]


async def test_a_message_is_void_after_its_deadline_and_too_far_before_it(
    world: ApiWorld, owner: LocalAccount, legacy: Legacy
) -> None:
    body = world.signed(owner, "ReadRecipients", legacy)
    world.clock.ahead = 3600
    expired = await world.post("/recipients", body)
    world.clock.ahead = 0
    far = await world.call(owner, "ReadRecipients", legacy, deadline=int(world.clock()) + 3700)
    assert (expired.status, expired.code) == (410, "expired")
    assert (far.status, far.code) == (422, "deadline_too_far")


async def test_a_write_waits_for_the_one_before_it_and_replaces_its_set(
    world: ApiWorld, owner: LocalAccount, legacy: Legacy, engine: AsyncEngine
) -> None:
    """Neither write knows the other's people, so two at once would leave both sets."""
    await world.ingest(owner, legacy, [person(9)])
    bodies = [world.ingest_body(owner, legacy, [person(n)]) for n in (1, 2)]
    async with engine.connect() as other:
        await other.execute(text("select from worker.recipient for update"))
        writes = []
        for number, body in enumerate(bodies, 1):
            writes.append(asyncio.create_task(world.post("/ingest-legacy", body)))
            await blocked(engine, number)
        await other.rollback()
    assert [(await each).status for each in writes] == [200, 200]
    assert [each["recipient"] for each in await _people(world, owner, legacy)] == [f"0x{2:040x}"]


def legacy_of_a_safe(world: ApiWorld) -> tuple[LocalAccount, str, Legacy]:
    """Return an owner of a Safe, the Safe and its legacy."""
    signer, scenario = world.scenario.account("safe owner"), world.scenario
    safe = scenario.create_safe([signer])
    scenario.anvil.set_balance(safe, 10**20)
    registry = scenario.deployment.premium_registry
    price = scenario.read("PremiumRegistry", registry, "priceInWei", 1)
    subscribe = scenario.contracts["PremiumRegistry"].encode("subscribeByETH", 1)
    scenario.execute_from_safe(signer, safe, registry, subscribe, price)
    heir = scenario.account("heir").address
    create = scenario.contracts["TransferEOALegacyRouter"].encode(
        "createLegacy", ("", "", [""], [(heir, 100)]), (86400, 0, 0), "0x" + "00" * 20, "0x" + "00" * 20
    )
    sent = scenario.execute_from_safe(signer, safe, scenario.deployment.transfer_eoa_legacy_router, create)
    (legacy,) = scenario._created(sent)
    return signer, safe, legacy


async def test_a_safe_signs_by_its_contract(world: ApiWorld) -> None:
    """The creator is a contract wallet: one of its owners' keys is accepted by ERC-1271, a stranger's is not."""
    signer, _, legacy = legacy_of_a_safe(world)
    assert (await world.ingest(signer, legacy, [person(1)])).status == 200
    assert len(await _people(world, signer, legacy)) == 1
    assert (await world.call(world.scenario.account("stranger"), "ReadRecipients", legacy)).code == "signer_mismatch"


@pytest.mark.parametrize(
    ("primary_type", "path", "status"),
    [
        ("ReadRecipients", "/recipients", 403),
        ("RehearseLegacy", "/rehearsal", 403),
        ("EraseLegacy", "/erase-legacy", 200),
    ],
)
async def test_a_safes_signature_on_chain_allows_writes_and_no_read(
    world: ApiWorld, primary_type: str, path: str, status: int
) -> None:
    """Such a request has no other signature: a watcher of the chain could send it first."""
    signer, safe, legacy = legacy_of_a_safe(world)
    assert (await world.ingest(signer, legacy, [person(1)])).status == 200
    asked = {**world.signed(signer, primary_type, legacy), "signature": "0x"}
    assert (await world.post(path, asked)).code == "signer_mismatch"

    domain = {"name": "Reminder Worker", "version": "1", "chainId": world.chain_id}
    message = {"legacy": legacy.address, "deadline": asked["deadline"]}
    digest = signer.sign_typed_data(domain, {primary_type: ABOUT}, message).message_hash
    sign = world.scenario.contracts["SafeStandIn"].encode("signMessage", digest)
    world.scenario.execute_from_safe(signer, safe, safe, sign)
    assert (await world.post(path, asked)).status == status


async def test_the_owner_of_a_delegated_account_saves_reads_and_erases(
    world: ApiWorld, owner: LocalAccount, legacy: Legacy
) -> None:
    """EIP-7702: the key owns the account for our own messages, also if the delegate takes no signature."""
    world.scenario.delegate_7702(owner, world.scenario.deployment.reverting_1271)
    assert (await world.ingest(owner, legacy, [person(1)])).status == 200
    stranger = world.scenario.account("stranger")
    for signer, status in ((stranger, 403), (owner, 200)):
        assert (await world.call(signer, "ReadRecipients", legacy)).status == status
        assert (await world.call(signer, "EraseLegacy", legacy)).status == status
    world.scenario.anvil.set_code(owner.address, "0x60006000fd")
    refused = await world.ingest(owner, legacy, [person(1)])
    assert refused.code == "signer_mismatch", "with code of its own at the signer's address its key does not count"


async def test_new_addresses_of_a_creator_are_capped(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    async with open_world(chain_scenario, engine, NEW_ADDRESSES_PER_CREATOR="3") as world:
        owner = world.owner()
        first, second = world.legacy(owner), world.legacy(owner)
        assert (await world.ingest(owner, first, [person(1), person(2)])).status == 200
        assert (await world.ingest(owner, first, [person(2), person(1), person(3, email="person1@example.org")])).status
        refused = await world.ingest(owner, second, [person(8), person(9)])
        assert (refused.status, refused.code) == (429, "daily_cap_reached")
        assert 0 < int(refused.headers["Retry-After"]) <= 86400
        assert await world.sql("select 1 from worker.recipient where legacy = :l", l=second.address) == []
        assert (await world.ingest(owner, second, [person(8)])).status == 200, "a refusal uses nothing"


async def test_the_database_shows_neither_email_nor_name_nor_signature(
    world: ApiWorld, owner: LocalAccount, legacy: Legacy
) -> None:
    words = {"ownerName": CANARY_OWNER, "title": CANARY_TITLE}
    body = world.ingest_body(owner, legacy, [person(1, email=CANARY_EMAIL, name=CANARY_NAME)], words=words)
    assert (await world.post("/ingest-legacy", body)).status == 200
    dump = ""
    for table in metadata.sorted_tables:
        dump += "".join(str(_shown(row)) for row in await world.sql(f"select * from worker.{table.name}"))
    assert legacy.address in dump
    for secret in (CANARY_EMAIL, CANARY_NAME, CANARY_OWNER, CANARY_TITLE):
        assert secret not in dump
        assert secret.encode().hex() not in dump
    assert body["signature"][2:66] not in dump


def _shown(row: Any) -> list[str]:
    return [value.hex() + repr(value) if isinstance(value, bytes) else str(value) for value in row]


async def test_a_row_moved_to_another_place_does_not_decrypt(
    world: ApiWorld, owner: LocalAccount, legacy: Legacy
) -> None:
    """Swapped ciphertexts, with or without their salts, fail loudly and name no content."""
    await world.ingest(owner, legacy, [person(1, email=CANARY_EMAIL), person(2)])
    one, two = await world.sql("select * from worker.recipient order by recipient")
    forgeries = (
        {"email": two.email, "name": two.name},
        {"email": two.email, "name": two.name, "salt": two.salt},
        {"salt": two.salt},
        {"email": one.name},
        {"chain_id": 1},
    )
    for forgery in forgeries:
        forged: Any = SimpleNamespace(**{**one._mapping, **forgery})
        with pytest.raises(DecryptionFailed) as failed:
            open_row(world.parts.vault, forged)
        assert CANARY_EMAIL not in str(failed.value)
    assert open_row(world.parts.vault, one).email == CANARY_EMAIL


async def test_rotation_moves_rows_and_undecided_bodies_to_the_new_key(
    world: ApiWorld, owner: LocalAccount, legacy: Legacy
) -> None:
    """Afterwards the new key alone opens everything, and the old one nothing."""
    await world.ingest(owner, legacy, [person(1), person(2, language="ja"), person(3)])
    old, new = Vault(ENC_KEY), Vault(b"n" * 32, [ENC_KEY])
    (row,) = await world.sql("select * from worker.recipient where recipient = :r", r=f"0x{2:040x}")
    entry = uuid4()
    sealed = old.record_key(row.salt, row.key_id).seal(b"body", email_body_context(entry))
    async with world.engine.begin() as connection:
        stored = _entry(world, legacy, row.recipient, "unknown", id=entry, body=sealed, body_salt=row.salt)
        await connection.execute(insert(sent_ledger).values(stored))
    assert [rows async for rows in rotate_keys(world.engine, new, SEALED_RECIPIENTS, batch=2)] == [2, 1]
    only_new = Vault(b"n" * 32)
    rows = await world.sql("select * from worker.recipient order by recipient")
    assert [open_row(only_new, each).email for each in rows] == [f"person{n}@example.org" for n in (1, 2, 3)]
    assert [open_row(only_new, each).words.language for each in rows] == ["en", "ja", "en"]
    (kept,) = await world.sql("select body, body_salt from worker.sent_ledger")
    assert kept.body_salt == rows[1].salt
    assert only_new.record_key(kept.body_salt).open(kept.body, email_body_context(entry)) == b"body"
    with pytest.raises(DecryptionFailed):
        open_row(old, rows[0])


async def test_a_row_that_the_previous_release_wrote_since_is_read_and_rotated(
    world: ApiWorld, owner: LocalAccount, legacy: Legacy
) -> None:
    """It knows nothing of the owner's words, and leaves them behind under a key that is gone."""
    words = {"ownerName": "Maria", "title": "For the children"}
    await world.ingest(owner, legacy, [person(1, language="es")], words=words)
    (row,) = await world.sql("select * from worker.recipient")
    sealed = seal_row(world.parts.vault.record_key(), tuple(row[:3]), b"person1@example.org", b"Person 1")
    del sealed["words"]
    async with world.engine.begin() as connection:
        await connection.execute(update(recipient).values(sealed))
    read = (await world.call(owner, "ReadRecipients", legacy)).body
    assert (read["recipients"][0]["language"], read["ownerName"], read["title"]) == ("en", "", "")
    async for _ in rotate_keys(world.engine, Vault(b"n" * 32, [ENC_KEY]), SEALED_RECIPIENTS):
        pass
    (rotated,) = await world.sql("select * from worker.recipient")
    assert (rotated.words, open_row(Vault(b"n" * 32), rotated).email) == (None, "person1@example.org")


async def test_rotation_without_the_old_key_fails_and_changes_nothing(
    world: ApiWorld, owner: LocalAccount, legacy: Legacy
) -> None:
    await world.ingest(owner, legacy, [person(1)])
    before = await world.sql("select salt, key_id from worker.recipient")
    with pytest.raises(DecryptionFailed):
        await anext(rotate_keys(world.engine, Vault(b"n" * 32), SEALED_RECIPIENTS))
    assert await world.sql("select salt, key_id from worker.recipient") == before


async def test_ingest_has_windows_planned_again_and_locks_them_before_the_watched_legacy(
    world: ApiWorld, owner: LocalAccount, legacy: Legacy
) -> None:
    """As the due pass does: neither can hold what the other waits for."""
    await world.ingest(owner, legacy, [person(1)])
    await world.sql(_OPEN_WINDOW, chain=world.chain_id, legacy=legacy.address)
    async with world.engine.begin() as due_pass:
        await due_pass.execute(text("select from worker.due_window for update"))
        ingest = asyncio.create_task(world.ingest(owner, legacy, [person(1, name="Renamed")]))
        await blocked(world.engine)
        await due_pass.execute(text("select from worker.watch for update nowait"))
    assert (await ingest).status == 200
    assert await world.sql("select planned_at from worker.due_window") == [(None,)]


async def test_ingest_that_loses_a_deadlock_is_done_again(world: ApiWorld, owner: LocalAccount, legacy: Legacy) -> None:
    await world.ingest(owner, legacy, [person(1)])
    async with world.engine.begin() as other:
        await other.execute(text("select from worker.watch for update"))
        ingest = asyncio.create_task(world.ingest(owner, legacy, [person(1, name="Renamed")]))
        await blocked(world.engine)
        await other.execute(text("set local deadlock_timeout = '1min'"))  # the ingest finds it first, and gives way
        await other.execute(text("select from worker.recipient for update"))
    assert (await ingest).status == 200
    assert [each["name"] for each in await _people(world, owner, legacy)] == ["Renamed"]
