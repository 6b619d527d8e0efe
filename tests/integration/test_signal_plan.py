"""Facts of a signal: the log that proves it, and the lines informed before the claim."""

from copy import copy
from dataclasses import replace

from devnet.scenarios import DAY
from reminder_worker.reminders.signal_transactions import SignalTransaction, SignalTransactions, StoredSignal
from reminder_worker.reminders.signal_validation import SignalValidator, _is_announced, _select_transfers
from tests.integration.reminder_world import CHAIN_ID, MailWorld

LEGACY = "0x" + "1e" * 20
CLAIMED_AT = 2000


def reader(world: MailWorld) -> SignalValidator:
    return world.dispatch._planners[CHAIN_ID]._reader


async def read_alone(world: MailWorld, *signals: StoredSignal) -> SignalTransaction | None:
    (voice,) = await reader(world)._transactions.read_voices(signals)
    return voice


def block_of(world: MailWorld, tx: str) -> int:
    return int(world.scenario.anvil.receipt(tx)["blockNumber"], 16)


async def test_a_signal_is_proven_by_a_log_of_the_contract_that_signals_and_by_no_other(world: MailWorld) -> None:
    """Any contract can log the same event."""
    legacy = world.legacy()
    tx = world.scenario.check_in(world.account("owner"), legacy)
    signal = StoredSignal(tx, legacy.address, 0, 1, block_of(world, tx), 0, 0, 0, denied=False)
    transaction = await read_alone(world, signal)
    assert transaction is not None
    assert _is_announced(transaction, signal)
    for another in ({"legacy": LEGACY}, {"kind": 2}, {"layer": 2}):
        assert not _is_announced(transaction, replace(signal, **another))
    elsewhere = copy(world.chain)
    elsewhere.settings = world.chain.settings.model_copy(update={"premium_setting": LEGACY})
    (forged,) = await SignalTransactions(elsewhere).read_voices([signal])
    assert forged is not None
    assert forged.logs == ()


async def test_a_nested_claim_of_another_legacy_hides_no_transfer(world: MailWorld) -> None:
    """A claimed token may call any contract: its maker could hide other transfers."""
    s, usdc = world.scenario, world.scenario.deployment.usdc
    claims = []
    for owner in ("owner", "mallory"):
        legacy = world.legacy(owner, inactivity=30 * DAY)
        s.mint(usdc, world.address(owner), 100)
        s.approve(world.account(owner), usdc, legacy.address, 100)
        s.advance(31 * DAY)
        tx = s.claim(world.account("anna"), legacy, [usdc])
        signal = StoredSignal(tx, legacy.address, 2, 1, block_of(world, tx), 0, 0, 0, denied=False)
        transaction = await read_alone(world, signal)
        assert transaction is not None
        claims.append((signal, transaction))
    (mine, claim), (_, within) = claims
    moved = [log for log in claim.logs if log.address == usdc]
    told = [log for log in claim.logs if log.address != usdc]
    nested = replace(claim, logs=(*moved, *within.logs, *told))
    assert moved
    assert set(moved) <= set(_select_transfers(mine, nested, world.address("owner")))


async def test_a_line_was_told_by_the_window_that_was_open_when_the_claim_was_made(world: MailWorld) -> None:
    """However late the claim is planned."""
    for state, deadline, earlier, line in (
        ("open", 1000, None, 2),
        ("closed", 1000, None, 2),
        ("too_old", 1000, None, None),  # history, which nobody was told
        ("too_old", 1000, "further email", 2),
        ("open", CLAIMED_AT + 1, None, None),  # it could not act yet
        ("open", 1000, (0, 1500), None),  # the owner was back
        ("open", 1000, (2, 1500), 2),  # it was claimed from before
        ("open", 1000, (0, CLAIMED_AT), 2),  # in the same block, so after it: before it nobody could have claimed
        ("open", 1000, (0, CLAIMED_AT + 1), 2),  # the owner came back later
    ):
        for table in ("due_window", "notify_signal", "sent_ledger"):
            await world.sql(f"delete from worker.{table}")
        await world.sql(
            'insert into worker.due_window (chain_id, legacy, "window", deadline, block_number, state)'
            " values (31337, :legacy, 5, :deadline, 1, :state)",
            legacy=LEGACY,
            deadline=deadline,
            state=state,
        )
        if earlier == "further email":
            await world.sql(
                "insert into worker.sent_ledger (id, chain_id, legacy, recipient, kind, event, role)"
                " values (gen_random_uuid(), 31337, :legacy, :legacy, 'layer2_ready', '5:1000:1', 'second_line')",
                legacy=LEGACY,
            )
        elif isinstance(earlier, tuple):
            kind, at = earlier
            await world.sql(
                "insert into worker.notify_signal"
                " (chain_id, tx_hash, legacy, kind, layer, creator, block_number, block_time)"
                " values (31337, :tx, :legacy, :kind, 1, :legacy, 1, :at)",
                tx="0x" + "ab" * 32,
                legacy=LEGACY,
                kind=kind,
                at=at,
            )
        claim = StoredSignal("0x" + "cd" * 32, LEGACY, 2, 1, 1, CLAIMED_AT, 0, 0, denied=False)
        assert await reader(world)._read_told_lines([claim]) == ({} if line is None else {(LEGACY, CLAIMED_AT): line})


async def test_a_configuration_of_the_block_of_a_signal_counts_for_it(world: MailWorld) -> None:
    legacy = world.legacy()
    tx = world.scenario.check_in(world.account("owner"), legacy)
    await world.index.run()
    block = block_of(world, tx)
    await world.sql(
        "update worker.chain_event set block_number = :block, log_index = 1000 where name = 'LegacyReminderUpdated'",
        block=block,
    )
    signal = StoredSignal(tx, legacy.address, 0, 1, block, 0, 0, 0, denied=False)
    (judged,) = await reader(world).validate_signals([signal])
    assert judged.config is not None
    assert world.address("anna") in judged.config.beneficiaries
