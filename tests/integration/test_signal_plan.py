"""What is true of a signal: the log that proves it, and which lines had been told before that they may act."""

from collections.abc import AsyncIterator
from dataclasses import replace

import psycopg
import pytest
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from reminder_worker.reminders.signal_plan import Signal, SignalReader
from tests.integration.mail_stub import MailStub
from tests.integration.reminder_world import CHAIN_ID, World, open_world

LEGACY = "0x" + "1e" * 20
CLAIMED_AT = 2000


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[World]:
    async with MailStub() as mail, open_world(engine, chain_scenario, mail) as opened:
        yield opened


def reader(world: World) -> SignalReader:
    return world.dispatch._planners[CHAIN_ID]._reader


async def test_a_signal_is_proven_by_a_log_of_the_contract_that_signals_and_by_no_other(world: World) -> None:
    """Anybody can make a contract that logs the same words."""
    legacy = world.legacy()
    tx = world.scenario.check_in(world.account("owner"), legacy)
    (receipt,) = await world.chain.receipts([tx])
    assert receipt is not None
    signal = Signal(tx, legacy.address, 0, 1, 0, 0, 0, denied=False)
    assert reader(world)._announces(receipt, signal)
    forged = replace(receipt, logs=tuple(replace(log, address=LEGACY) for log in receipt.logs))
    assert not reader(world)._announces(forged, signal)


@pytest.mark.parametrize(
    ("state", "deadline", "reset_at", "line"),
    [
        ("open", 1000, None, 2),
        ("closed", 1000, None, 2),
        ("too_old", 1000, None, None),  # history, which nobody was told
        ("open", CLAIMED_AT + 1, None, None),  # it could not act yet
        ("open", 1000, 1500, None),  # the owner was back
        ("open", 1000, CLAIMED_AT, 2),  # in the same block, so after it: before it nobody could have claimed
        ("open", 1000, CLAIMED_AT + 1, 2),  # the owner came back later
    ],
)
async def test_a_line_was_told_by_the_window_that_was_open_when_the_claim_was_made(
    world: World, state: str, deadline: int, reset_at: int | None, line: int | None
) -> None:
    """However late the claim is planned."""
    await world.sql(
        'insert into worker.due_window (chain_id, legacy, "window", deadline, block_number, state)'
        " values (31337, :legacy, 5, :deadline, 1, :state)",
        legacy=LEGACY,
        deadline=deadline,
        state=state,
    )
    if reset_at:
        await world.sql(
            "insert into worker.notify_signal"
            " (chain_id, tx_hash, legacy, kind, layer, creator, block_number, block_time)"
            " values (31337, :tx, :legacy, 0, 1, :legacy, 1, :at)",
            tx="0x" + "ab" * 32,
            legacy=LEGACY,
            at=reset_at,
        )
    claim = Signal("0x" + "cd" * 32, LEGACY, 2, 1, CLAIMED_AT, 0, 0, denied=False)
    assert await reader(world)._told_lines([claim]) == ({} if line is None else {(LEGACY, CLAIMED_AT): line})


async def test_an_index_that_is_taken_back_meanwhile_makes_nobody_unconfigured(world: World, database_url: str) -> None:
    """Between the question how far it is and the one what it says: the signal would be planned for nobody."""
    legacy = world.legacy()
    tx = world.scenario.check_in(world.account("owner"), legacy)
    await world.index.advance()

    def take_back(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if "worker.chain_event" in statement:
            with psycopg.connect(database_url.replace("+psycopg", "")) as connection:
                connection.execute("delete from worker.chain_event")
                connection.execute("update worker.index_cursor set block_number = 0 where name = 'index'")

    event.listen(world.engine.sync_engine, "before_cursor_execute", take_back)
    signal = Signal(tx, legacy.address, 0, 1, 0, 0, 0, denied=False)
    (judged,) = await reader(world).judge([signal])
    assert judged.state == "planned"
    assert judged.config is not None
    assert world.address("anna") in judged.config.beneficiaries
