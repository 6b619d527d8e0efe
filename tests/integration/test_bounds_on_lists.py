"""Bounds on the lists that contracts of strangers return: what is too long is set aside, shown and not kept."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event

from devnet.scenarios import DAY, Legacy
from reminder_worker.chain.contracts.legacies import MOST_NAMED
from reminder_worker.chain.types import NODE_POLICY, ContractCall, RevertedCall
from reminder_worker.reminders import due_windows as windows_module
from reminder_worker.reminders.tables import sql
from tests.integration.reminder_world import MailWorld

MANY = 30_000
"""The most addresses that two million gas return."""


def listing_code(owners: int, safe: str) -> str:
    """Return code that names so many owners of a Safe, and runs the code at `safe` for every other call."""
    names = f"602060005262{owners:06x}60205262{64 + 32 * owners:06x}6000f3"
    forward = f"3660006000376000600036600073{safe[2:]}5af43d600060003e3d6000f3"
    place = 16 + len(forward) // 2
    return f"0x60003560e01c63a0e67e2b1461{place:04x}57{forward}5b{names}"


async def safe_legacy(world: MailWorld, label: str, owners: int = 1, heirs: int = 1) -> Legacy:
    """Make a watched legacy of a Safe, whose window opens within the week."""
    creator = world.account(label)
    world.scenario.subscribe_premium(creator)
    named = [creator.address, *(f"0x{0xA000 + number:040x}" for number in range(1, min(owners, 200)))]
    safe = world.scenario.deploy("SafeStandIn", named, 1)
    people = [world.address("anna"), *(f"0x{0xB000 + number:040x}" for number in range(1, heirs))]
    legacy = world.scenario.create_safe_legacy(creator, safe, people, inactivity=5 * DAY)
    world.scenario.configure_reminders(creator, legacy, [world.address("anna")])
    await world.save(legacy, label, "anna")
    if owners > 200:
        name_owners(world, legacy, owners)
    return legacy


def name_owners(world: MailWorld, legacy: Legacy, owners: int) -> None:
    anvil = world.scenario.anvil
    safe = world.scenario.read("MultisigLegacy", legacy.address, "getLegacyOwner")
    copy = f"0x{int(safe, 16) ^ 1:040x}"
    anvil.set_code(copy, anvil.rpc("eth_getCode", safe, "latest"))
    anvil.set_code(safe, listing_code(owners, copy))


async def opened(world: MailWorld) -> set[str]:
    return {row[0] for row in await world.sql("select legacy from worker.due_window where state = 'open'")}


@pytest.mark.parametrize(
    ("owners", "heirs", "served"),
    [(MOST_NAMED, MOST_NAMED, True), (MOST_NAMED + 1, 1, False), (1, MOST_NAMED + 1, False), (MANY, 1, False)],
    ids=["as many as are served", "one owner more", "one heir more", "as many as gas allows"],
)
async def test_a_legacy_that_names_too_many_is_set_aside_and_shown_and_the_others_are_reminded(
    world: MailWorld, owners: int, heirs: int, served: bool
) -> None:
    crowded = await safe_legacy(world, "owner", owners, heirs)
    honest = world.legacy("olga", inactivity=5 * DAY)
    await world.save(honest, "olga")
    report = await world.look_at_chain()
    assert report.set_aside == ([] if served else [crowded.address])
    assert await opened(world) == {honest.address, *([crowded.address] if served else [])}
    told = {person.will_be_told for person in (await world.rehearse(crowded)).people}
    assert told == ({True, False} if served else {False})
    ((size,),) = await world.sql("select max(octet_length(cast(membership as text))) from worker.watch")
    assert size < 10_000


async def test_no_email_is_sent_for_a_safe_that_names_too_many_since_it_was_planned(world: MailWorld) -> None:
    """The audience of such a legacy cannot be read, so its emails wait as for any unreadable legacy."""
    legacy = await safe_legacy(world, "owner")
    await world.look_at_chain()
    name_owners(world, legacy, MANY)
    await world.dispatch.run()
    assert world.mail.inbox == []
    assert await world.states() == {"released:legacy_not_readable": 2}


async def test_the_end_of_a_long_answer_is_not_kept(world: MailWorld) -> None:
    """Otherwise the answers to one batch of questions fill the memory of the process."""
    anvil, chain = world.scenario.anvil, world.chain
    sizes = [NODE_POLICY.kept_bytes, NODE_POLICY.kept_bytes + 1, 950_000]
    calls = []
    for number, size in enumerate(sizes):
        for end in ("f3", "fd"):  # return, revert
            address = f"0x{0xC000 + 2 * number + (end == 'fd'):040x}"
            anvil.set_code(address, f"0x62{size:06x}6000{end}")
            calls.append(ContractCall(address, b""))
    for some in (calls, calls[-2:-1]):
        kept = [len(each.data if isinstance(each, RevertedCall) else each) for each in await chain.call_many(some)]
        assert max(kept) <= NODE_POLICY.kept_bytes
    assert [len(each) for each in await chain.call_many(calls[:1]) if isinstance(each, bytes)] == [
        NODE_POLICY.kept_bytes
    ]


async def test_a_configuration_is_stored_with_a_bounded_number_of_addresses(world: MailWorld) -> None:
    legacy = world.legacy()
    named = [f"0x{0xD000 + number:040x}" for number in range(MOST_NAMED + 50)]
    world.scenario.configure_reminders(world.account("owner"), legacy, named, cosigners=named)
    await world.look_at_chain()
    rows = await world.sql("select cosigners, beneficiaries from worker.reminder_config")
    assert [tuple(row) for row in rows] == [(named[:MOST_NAMED], named[:MOST_NAMED])]


@contextmanager
def statements(world: MailWorld, wanted: object) -> Iterator[list[Any]]:
    """Collect the parameters of each run of one statement."""
    found: list[Any] = []

    def note(_connection: object, clause: Any, _multi: object, parameters: Any, _options: object) -> None:
        if clause is wanted:
            found.append(parameters)

    event.listen(world.engine.sync_engine, "before_execute", note)
    yield found
    event.remove(world.engine.sync_engine, "before_execute", note)


async def test_windows_of_long_lists_are_stored_after_the_others_and_in_statements_of_bounded_size(
    world: MailWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows_module, "NAMES_AT_ONCE", 2 * MOST_NAMED)
    crowded = [await safe_legacy(world, f"owner {number}", MOST_NAMED) for number in range(3)]
    honest = world.legacy("olga", inactivity=5 * DAY)
    await world.save(honest, "olga")
    with statements(world, sql["see_windows"]) as stored:
        await world.look_at_chain()
    seen = [each["seen"] for each in stored]
    assert len(seen) == 3
    assert honest.address in seen[0]
    assert max(len(each["memberships"]) for each in stored) < 3 * MOST_NAMED * 46
    assert await opened(world) == {honest.address, *(each.address for each in crowded)}
