"""Our wallet: external transactions with its key stop it, and alerts report the stop and the balance."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from eth_account import Account
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from reminder_worker.errors import RelayStopped
from reminder_worker.relay import reconciler
from reminder_worker.relay.chain_view import view_chain
from reminder_worker.relay.fees import EMPTY_GAS
from reminder_worker.relay.wallet import FIRST_GAS
from reminder_worker.relay.wallet_monitor import format_relays, pays_for
from tests.integration.relay_world import CEILING, ETHER, GWEI, RelayWorld, open_bare_world


@pytest.fixture
async def world(lasting_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[RelayWorld]:
    async with open_bare_world(lasting_scenario, engine) as opened:
        yield opened


async def test_external_transaction_stops_the_wallet_with_one_alert(world: RelayWorld) -> None:
    first, second = world.gift("a"), world.gift("b")
    request = await world.admit(first)
    world.drop(await world.attempts())
    thief = Account.from_key(world.key)
    world.send(thief, thief.address, nonce=0)
    world.mine()
    assert (await world.run()).stopped is None, "not final yet"
    world.finalize()
    assert (await world.run()).stopped == "foreign_nonce"
    await world.run()
    alerts = await world.rows("select kind, stage from worker.alert")
    assert [alert["kind"] for alert in alerts] == ["relayer_stopped"]
    with pytest.raises(RelayStopped):
        await world.admit(second)
    assert await world.state(request) == "queued", "the authorization lives on"
    assert (await world.budget())["reserved"] == 0

    await world.execute("update worker.relay_wallet set stopped = null, stopped_at = null")
    world.restart()
    await world.settle()
    assert await world.state(request) == "confirmed"
    stages = [alert["stage"] for alert in await world.rows("select stage from worker.alert order by created_at")]
    assert stages == ["raised 1", "cleared 2"]


async def test_briefly_missing_receipt_does_not_make_our_transaction_foreign(
    world: RelayWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind a load balancer one node has the final count while another lacks the receipt."""
    request = await world.admit(world.gift())
    world.finalize()

    async def lacking(*asked: Any) -> Any:
        monkeypatch.setattr(reconciler, "view_chain", view_chain)
        seen = await view_chain(*asked)
        each = tuple(replace(view, receipts=dict.fromkeys(view.receipts)) for view in seen.views)
        return replace(seen, views=each)

    monkeypatch.setattr(reconciler, "view_chain", lacking)
    assert (await world.run()).stopped is None
    await world.settle()
    assert await world.state(request) == "confirmed"
    assert (await world.budget())["spent"] == world.paid()


async def test_more_transactions_than_we_ever_signed_stop_the_wallet_at_once(world: RelayWorld) -> None:
    await world.admit(world.gift())
    world.mine()
    await world.run()
    thief = Account.from_key(world.key)
    world.send(thief, thief.address, nonce=1)
    world.mine()
    assert (await world.run()).stopped == "foreign_nonce"
    await world.settle()
    (wallet,) = await world.rows("select next_nonce from worker.relay_wallet")
    assert wallet["next_nonce"] == 2, "what was taken from us is passed over"


async def test_alerts_of_low_balance_and_stuck_slot_are_raised_and_cleared(world: RelayWorld) -> None:
    world.low_balance_relays = 1000
    world.restart()
    await world.admit(world.gift())
    world.drop(await world.attempts())
    await world.age(901)
    world.anvil.set_balance(world.wallet, ETHER // 10)
    assert (await world.run()).oldest_open_seconds >= 901
    world.anvil.set_balance(world.wallet, 100 * ETHER)
    await world.settle()
    stages = {(alert["kind"], alert["stage"]) for alert in await world.rows("select kind, stage from worker.alert")}
    kinds = ("relayer_low_balance", "relay_stuck")
    assert stages == {(kind, stage) for kind in kinds for stage in ("raised 1", "cleared 2")}


@pytest.mark.parametrize("cap", ["daily_count", "daily_wei"])
async def test_alert_of_a_nearly_used_cap_is_raised_and_cleared_the_next_day(world: RelayWorld, cap: str) -> None:
    await world.admit(world.gift())
    await world.settle()
    assert await world.rows("select from worker.alert") == []
    used = {"daily_count": 1, "daily_wei": (await world.budget())["spent"]}
    world.caps = replace(world.caps, **{cap: used[cap]})
    world.restart()
    for _ in range(2):
        await world.run()
    (alert,) = await world.rows("select kind, stage, variables from worker.alert")
    assert (alert["kind"], alert["stage"]) == ("relay_cap_used", "raised 1")
    assert {"name": "requests today", "value": f"1 of {world.caps.daily_count}"} in alert["variables"]["facts"]
    await world.execute("update worker.relay_budget set day = day - 1")
    world.caps = replace(world.caps, daily_wei=ETHER)
    world.restart()
    await world.run()
    assert not await world.rows("select from worker.alert_state where raised")


async def test_alert_of_a_spent_cap_lasts_from_nine_tenths_until_below_half(world: RelayWorld) -> None:
    """Otherwise changes of the gas price would repeat the alert. The rest of the cap pays for many more requests."""
    await world.admit(world.gift())
    await world.settle()
    told = []
    for percent in (90, 91, 60, 91, 50, 49):
        await world.execute(
            "update worker.relay_budget set spent_wei = :spent where scope = 'global'", spent=percent * ETHER // 100
        )
        await world.run()
        told.append(len(await world.rows("select from worker.alert where kind = 'relay_cap_used'")))
    assert told == [0, 1, 1, 1, 1, 2]


@pytest.mark.parametrize("base_fee", [2 * CEILING, CEILING * 3 // 4], ids=["above the ceiling", "near the ceiling"])
async def test_alert_of_requests_deferred_by_gas_is_raised_and_cleared(world: RelayWorld, base_fee: int) -> None:
    gift = world.gift()
    world.base_fee(base_fee)
    request = await world.admit(gift)
    await world.run()
    assert await world.rows("select from worker.alert") == []
    await world.execute("update worker.relay_request set updated_at = updated_at - interval '901 s'")
    await world.run()
    assert await world.rows("select kind, raised from worker.alert_state") == [{"kind": "relay_stuck", "raised": True}]
    (alert,) = await world.rows("select variables from worker.alert")
    assert {"name": "waits for", "value": "gas below five eighths of the ceiling"} in alert["variables"]["facts"]
    assert await world.state(request) == "deferred_fee"
    world.base_fee(GWEI)
    await world.settle()
    stages = [alert["stage"] for alert in await world.rows("select stage from worker.alert order by stage desc")]
    assert stages == ["raised 1", "cleared 2"]


async def test_balance_at_the_edge_does_not_repeat_its_alert_with_each_fee_change(world: RelayWorld) -> None:
    world.low_balance_relays = 100
    world.restart()
    told = []
    for relays in (100, 99, 101, 99, 130):
        base_fee, tip = await world.chain.get_fees()
        set_aside = EMPTY_GAS * CEILING
        world.anvil.set_balance(world.wallet, relays * FIRST_GAS * (base_fee + tip) + set_aside + GWEI)
        await world.run()
        told.append(len(await world.rows("select from worker.alert where kind = 'relayer_low_balance'")))
    assert told == [0, 1, 1, 1, 2]


async def test_balance_pays_for_fewer_relays_as_soon_as_relays_use_more_gas(world: RelayWorld) -> None:
    """The forecast counts the gas of the wallet's latest final calls, as after a fork that makes storage dearer."""
    world.low_balance_relays = 100
    world.restart()
    base_fee, tip = await world.chain.get_fees()
    world.anvil.set_balance(world.wallet, 150 * FIRST_GAS * (base_fee + tip) + EMPTY_GAS * CEILING)
    low = "select from worker.alert where kind = 'relayer_low_balance'"
    await world.run()
    assert await world.rows(low) == []
    world.anvil.set_balance(world.wallet, 100 * ETHER)
    world.restart()
    await world.admit(world.gift())
    await world.settle()
    await world.execute(f"update worker.nonce_slot set gas_used = {2 * FIRST_GAS}")
    base_fee, tip = await world.chain.get_fees()
    world.anvil.set_balance(world.wallet, 150 * FIRST_GAS * (base_fee + tip) + EMPTY_GAS * CEILING)
    world.restart()
    await world.run()
    assert len(await world.rows(low)) == 1


async def test_alert_of_a_request_that_waits_for_a_balance_above_the_low_mark(world: RelayWorld) -> None:
    gift = world.gift()
    world.base_fee(2 * CEILING)
    await world.admit(gift)
    world.base_fee(GWEI)
    world.anvil.set_balance(world.wallet, 1)
    for _ in range(2):
        await world.run()
    assert await world.rows("select kind, stage from worker.alert") == [
        {"kind": "relayer_low_balance", "stage": "raised 1"}
    ]
    world.anvil.set_balance(world.wallet, 100 * ETHER)
    world.restart()  # or the balance of a moment ago would count
    await world.settle()
    stages = await world.rows("select stage from worker.alert order by stage desc")
    assert [each["stage"] for each in stages] == ["raised 1", "cleared 2"]


@pytest.mark.parametrize(
    ("price", "counted_at"), [(GWEI, GWEI), (2 * CEILING, CEILING), (0, 1)], ids=["cheap", "too dear", "free"]
)
def test_a_balance_pays_for_relays_at_what_gas_costs_and_we_never_pay_more_than_the_ceiling(
    price: int, counted_at: int
) -> None:
    balance = EMPTY_GAS * CEILING + 10 * FIRST_GAS * counted_at
    assert [pays_for(wei, price, CEILING, FIRST_GAS) for wei in (balance, balance - 1)] == [10, 9]


def test_nobody_reads_of_more_relays_than_a_wallet_ever_sends() -> None:
    """Where gas is nearly free, a balance pays for millions of millions."""
    shown = [format_relays(count) for count in (0, 38, 1_000_000, 6_802_006_016_915)]
    assert shown == ["0 relays", "38 relays", "1000000 relays", "more than 1000000 relays"]
