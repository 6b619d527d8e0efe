"""The owner of a Safe legacy is told once when the guard is gone from the Safe: then nobody is reminded any more."""

from collections.abc import Sequence

import pytest

from devnet.safes import SAFE
from devnet.scenarios import DAY, Legacy
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.safes import read_guards
from reminder_worker.reminders import due_windows
from tests.integration.reminder_world import MailWorld

KIND = "guard_removed"
TOLD = [(KIND, "owner@example.org")]


async def guarded(world: MailWorld, *, premium_days: int = 900, installed: bool = True) -> tuple[str, Legacy]:
    """Create a Safe and its legacy with stored emails; no other reminder is due for long."""
    owner, anna = world.account("owner"), world.address("anna")
    world.scenario.subscribe_premium(owner, premium_days * DAY)
    safe = world.scenario.create_safe([owner, world.account("ben")])
    legacy = world.scenario.create_safe_legacy(owner, safe, [anna], inactivity=800 * DAY, guarded=installed)
    world.scenario.configure_reminders(owner, legacy, [anna])
    await world.save(legacy, "owner", "anna", "ben")
    await world.tick()
    assert world.mail.inbox == []
    return safe, legacy


def remove_guard(world: MailWorld, safe: str) -> None:
    nothing = world.scenario.contracts[SAFE].encode("setGuard", "0x" + "0" * 40)
    world.scenario.execute_from_safe(world.account("owner"), safe, safe, nothing)


async def after(world: MailWorld, days: float = 1) -> list[tuple[str, str]]:
    """Let days pass; return the emails of this tick."""
    world.mail.inbox.clear()
    world.scenario.advance(int(days * DAY))
    await world.days_pass(days)
    await world.tick()
    return [(email.template, email.to) for email in world.mail.inbox]


@pytest.mark.core
async def test_the_owner_alone_is_told_once_and_again_when_a_guard_set_anew_is_lost(world: MailWorld) -> None:
    safe, legacy = await guarded(world)
    assert await after(world) == []
    remove_guard(world, safe)
    assert await after(world) == TOLD
    assert await after(world) == []
    assert await after(world) == []
    world.scenario.install_guard(world.account("owner"), safe, legacy)
    assert await after(world) == []
    remove_guard(world, safe)
    assert await after(world) == TOLD
    assert not await world.dispatch.look()


async def test_a_guard_set_again_before_it_is_sent_drops_the_email(world: MailWorld) -> None:
    safe, legacy = await guarded(world)
    remove_guard(world, safe)
    world.scenario.advance(DAY)
    await world.look_at_chain()
    world.scenario.install_guard(world.account("owner"), safe, legacy)
    report = await world.dispatch.run()
    assert (report.plan.guards, await world.states(KIND)) == (1, {"dropped:window_closed": 1})
    assert await after(world, 2) == []


async def test_a_guard_that_was_never_there_is_not_lost(world: MailWorld) -> None:
    safe, legacy = await guarded(world, installed=False)
    assert await after(world) == []
    world.scenario.install_guard(world.account("owner"), safe, legacy)
    assert await after(world) == []
    remove_guard(world, safe)
    assert await after(world) == TOLD


async def test_an_owner_without_premium_is_not_told(world: MailWorld) -> None:
    safe, _ = await guarded(world, premium_days=35)
    assert await after(world, 20) == [("premium_ending", "owner@example.org")]
    assert await after(world, 16) == [("premium_lapsed", "owner@example.org")]
    remove_guard(world, safe)
    assert await after(world) == []
    assert await world.states(KIND) == {}


async def test_premium_that_ends_before_it_is_sent_drops_the_email(world: MailWorld) -> None:
    safe, _ = await guarded(world)
    remove_guard(world, safe)
    world.scenario.advance(DAY)
    await world.look_at_chain()
    world.scenario.end_premium(world.account("owner").address)
    await world.dispatch.run()
    assert await world.states(KIND) == {"dropped:not_premium": 1}
    assert world.mail.inbox == []


async def test_of_a_days_hourly_looks_one_reads_the_guard(world: MailWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    await guarded(world)
    read: list[str] = []

    async def count_and_read(chain: Chain, safes: Sequence[str], *, at: str) -> list[bool | None]:
        read.extend(safes)
        return await read_guards(chain, safes, at=at)

    monkeypatch.setattr(due_windows, "read_guards", count_and_read)
    asked = 0
    for _ in range(24):
        world.scenario.advance(3600)
        asked += (await world.look_at_chain()).asked
    assert (asked, len(read)) == (24, 1)
