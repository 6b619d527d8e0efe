"""Timers are renewed for owners who were active, once for each reset, and never for anybody else."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Mode, Scenario
from reminder_worker import relaying
from reminder_worker.auto_renew import job
from reminder_worker.auto_renew.operator_facts import read_owner_decisions
from reminder_worker.errors import ChainUnavailable, Misconfigured
from reminder_worker.settings import AutoRenewSettings
from tests.integration.chain_proxy import Json, Proxy, proxy, stopped
from tests.integration.renewal_world import CHAIN_ID, GWEI, IN_WINDOW, PERIOD, RenewalWorld, open_renewals


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[RenewalWorld]:
    async with open_renewals(engine, chain_scenario) as opened:
        yield opened


@pytest.mark.core
async def test_the_timer_of_an_active_owner_is_renewed_once(world: RenewalWorld) -> None:
    legacy = world.legacy()
    await world.look()
    assert await world.verdict(legacy) == "too_early"
    anchor = world.state(legacy)[2]
    await world.renews(legacy)
    assert world.state(legacy) == (True, world.count(), anchor), "a renewal does not move the budget's anchor"
    assert (await world.look()).sent == 0
    world.scenario.advance(IN_WINDOW)
    assert (await world.look()).sent == 0, "what was attested already is not activity"
    assert await world.verdict(legacy) == "no_new_activity"
    assert await world.sent() == 1


async def test_a_check_in_of_ones_own_is_never_the_activity_that_renews(world: RenewalWorld) -> None:
    """Seen before it is final, after it is final, or only long afterwards: the dead owner's timer runs out."""
    legacies = [world.legacy(f"owner {number}") for number in range(3)]
    await world.look()
    for number, legacy in enumerate(legacies):
        world.scenario.advance(DAY)
        world.scenario.check_in(world.scenario.account(f"owner {number}"), legacy)
        if number == 0:
            await world.world.index.advance()
            await world.renewer().run(CHAIN_ID)  # the check-in is mined and not final
            assert await world.verdict(legacy) == "reset_not_final"
        if number == 1:
            await world.look()
    world.scenario.advance(IN_WINDOW)
    for _ in range(2):
        assert (await world.look()).sent == 0
    assert [await world.verdict(legacy) for legacy in legacies] == ["no_new_activity"] * 3
    world.transact("owner 2")
    assert (await world.look()).sent == 1


async def test_what_was_not_seen_before_a_reset_is_no_activity_after_it(world: RenewalWorld) -> None:
    """The worker was off for the whole time: the first look only takes the baseline."""
    legacy = world.legacy()
    for _ in range(5):
        world.transact()
    world.scenario.advance(IN_WINDOW)
    assert (await world.look()).sent == 0
    assert await world.verdict(legacy) == "no_new_activity"
    world.transact()
    assert (await world.look()).sent == 1


async def test_a_sponsored_check_in_is_a_reset_like_any_other(world: RenewalWorld) -> None:
    legacy, owner = world.legacy(), world.scenario.account("owner")
    await world.look()
    world.transact()
    await world.look()
    world.scenario.advance(DAY)
    world.scenario.check_in_for(
        world.scenario.account("relayer"), legacy, world.scenario.check_in_auth(owner, legacy.id)
    )
    world.scenario.advance(IN_WINDOW)
    assert (await world.look()).sent == 0
    assert await world.verdict(legacy) == "no_new_activity"


async def test_a_transaction_that_is_not_final_is_no_activity_yet(world: RenewalWorld) -> None:
    legacy = world.legacy()
    await world.look()
    world.scenario.advance(IN_WINDOW)
    world.finalize()
    world.transact()
    await world.world.index.advance()
    assert (await world.renewer().run(CHAIN_ID)).sent == 0
    assert await world.verdict(legacy) == "no_new_activity"
    assert (await world.look()).sent == 1


async def test_an_index_that_is_read_again_forgets_no_activity(world: RenewalWorld) -> None:
    """Until it has come so far again, it has not heard of anybody who opted in."""
    legacy = await world.due_legacy()
    await world.index_all()
    await world.world.index.rewind_to(1)
    assert (await world.renewer().run(CHAIN_ID)).legacies == 0
    assert (await world.look()).sent == 1
    assert world.state(legacy)[1] == world.count()


@pytest.mark.parametrize("lied", ["owner", "id"])
async def test_an_index_that_takes_one_owners_legacy_for_anothers_renews_no_dead_owners_timer(
    world: RenewalWorld, lied: str
) -> None:
    """What the legacy and the index say of it has to be the same, or another's transactions would be counted."""
    dead, busy = world.legacy("dead"), world.legacy("busy")
    await world.look()
    renamed = "update worker.legacy set {} where address = :it"
    if lied == "owner":
        owner = world.scenario.account("busy").address.lower()
        await world.world.sql(renamed.format("creator = :owner"), owner=owner, it=dead.address)
    else:
        await world.world.sql(renamed.format("legacy_id = 10000"), it=dead.address)
        await world.world.sql(renamed.format("legacy_id = :id"), id=dead.id, it=busy.address)
    await world.look()
    world.transact("busy")
    world.scenario.advance(IN_WINDOW)
    await world.look()
    assert world.state(dead)[1] == 0, "nothing was attested of its owner"
    assert await world.verdict(dead) == "not_readable"


async def test_where_nobody_opted_in_or_out_no_node_is_asked(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    """Every round of `tick` makes this run on every chain: where there is nothing to do, nothing can fail."""
    async with (
        proxy(chain_scenario.anvil.url) as node,
        open_renewals(engine, chain_scenario, CHAIN_31337_RPC_URLS=node.url) as world,
    ):
        await world.look()
        node.posts.clear()
        assert (await world.renewer().run(CHAIN_ID)).legacies == 0
        assert node.posts == []


async def test_a_dry_run_decides_reports_and_sends_nothing(world: RenewalWorld) -> None:
    legacy = await world.due_legacy()
    report = await world.look(AUTO_RENEW_DRY_RUN=True)
    assert (report.sent, report.verdicts) == (0, {"renew: dry_run": 1})
    assert (await world.sent(), world.state(legacy)[1]) == (0, 0)


@pytest.mark.parametrize(("dry_run", "sent"), [("true", 0), ("false", 1)])
async def test_a_dry_run_sends_nothing_that_waited_for_cheaper_gas_before_it(
    world: RenewalWorld, dry_run: str, sent: int
) -> None:
    legacy = await world.due_legacy()
    await world.look_while_gas_is_dear()
    world.scenario.anvil.mine(1)
    key = world.scenario.account(world.attestor).key.hex()
    assert (await world.wallet(ATTESTOR_KEY=key, AUTO_RENEW_DRY_RUN=dry_run).run(CHAIN_ID)).started == sent
    world.scenario.anvil.settle()
    assert (world.state(legacy)[1] > 0) == bool(sent)


async def test_a_renewal_is_paid_for_until_its_last_seconds(world: RenewalWorld) -> None:
    legacy = await world.due_legacy()
    await world.look_while_gas_is_dear()
    ((deadline,),) = await world.world.sql("select deadline from worker.relay_request")
    world.scenario.anvil.set_time(deadline - 15)
    key = world.scenario.account(world.attestor).key.hex()
    assert (await world.wallet(ATTESTOR_KEY=key).run(CHAIN_ID)).started == 1
    world.scenario.anvil.settle()
    assert world.state(legacy)[1] == world.count()


async def test_a_renewal_that_waits_is_of_no_use_for_a_timer_that_began_anew_meanwhile(world: RenewalWorld) -> None:
    """Its owner checked in: what was seen before is no activity since. A short timer could be renewed at once."""
    legacy = world.legacy(inactivity=20 * DAY)
    await world.look()
    world.transact()
    world.scenario.advance(15 * DAY)
    await world.look_while_gas_is_dear()
    world.scenario.advance(3600)
    world.scenario.check_in(world.scenario.account("owner"), legacy)
    checked_in = world.last_reset(legacy)
    world.scenario.advance(3600)
    key = world.scenario.account(world.attestor).key.hex()
    assert (await world.wallet(ATTESTOR_KEY=key).run(CHAIN_ID)).started == 0
    world.scenario.anvil.settle()
    assert world.last_reset(legacy) == checked_in
    (row,) = await world.world.sql("select reason from worker.relay_request where lane = 'auto_renew'")
    assert row.reason == "began_anew"


async def test_a_renewal_of_whose_timer_no_node_says_when_it_began_keeps_no_other_from_being_sent(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    """It is sent once somebody says."""
    async with (
        proxy(chain_scenario.anvil.url) as node,
        open_renewals(engine, chain_scenario, CHAIN_31337_RPC_URLS=node.url) as world,
    ):
        legacies = [world.legacy(owner) for owner in ("one", "other")]
        await world.look()
        for owner in ("one", "other"):
            world.transact(owner)
        world.scenario.advance(IN_WINDOW)
        world.caps = replace(world.caps, gas_price_ceiling_wei=1)
        assert (await world.look()).sent == 2
        asked = world.scenario.contracts["TransferEOALegacyRouter"].encode("legacyAddresses", legacies[0].id)
        refusal = {"error": {"code": -32603, "message": "internal error"}}
        node.answer = lambda request: refusal if asked in str(request["params"]) else None
        wallet = world.wallet(ATTESTOR_KEY=world.scenario.account(world.attestor).key.hex())
        assert (await wallet.run(CHAIN_ID)).started == 1
        world.scenario.anvil.settle()
        assert [world.state(legacy)[1] > 0 for legacy in legacies] == [False, True]
        node.well()
        assert (await wallet.run(CHAIN_ID)).started == 1
        world.scenario.anvil.settle()
        assert all(world.state(legacy)[1] > 0 for legacy in legacies)


async def test_no_more_is_offered_for_a_renewal_whose_timer_began_anew_while_it_was_stuck(world: RenewalWorld) -> None:
    """Its nonce is freed instead."""
    legacy = world.legacy(inactivity=20 * DAY)
    await world.look()
    world.transact()
    world.scenario.advance(15 * DAY)
    await world.index_all()
    world.scenario.anvil.rpc("evm_setAutomine", False)
    assert (await world.renewer().run(CHAIN_ID)).sent == 1
    world.scenario.anvil.rpc("anvil_setNextBlockBaseFeePerGas", hex(90 * GWEI))
    world.scenario.anvil.rpc("evm_setAutomine", True)
    world.scenario.check_in(world.scenario.account("owner"), legacy)
    checked_in = world.last_reset(legacy)
    world.scenario.advance(60)
    minute = "interval '61 s'"
    await world.world.sql(
        f"update worker.tx_attempt set stored_at = stored_at - {minute}, broadcast_at = broadcast_at - {minute}"
    )
    key = world.scenario.account(world.attestor).key.hex()
    report = await world.wallet(ATTESTOR_KEY=key, AUTO_RENEW_GAS_PRICE_CEILING=str(1000 * GWEI)).run(CHAIN_ID)
    assert (report.replaced, report.freed) == (0, 1)
    world.scenario.anvil.settle()
    assert world.last_reset(legacy) == checked_in


async def test_a_wallet_that_is_not_the_attestor_sends_nothing_and_is_no_success(world: RenewalWorld) -> None:
    """Nor is a look in between: the watchdog hears of what does not succeed."""
    world.attestor = "somebody else"
    legacy = await world.due_legacy()
    with pytest.raises(Misconfigured):
        await world.look()
    assert (await world.verdict(legacy), await world.sent()) == ("not_the_attestor", 0)
    assert await world.renewer().look(CHAIN_ID)
    world.attestor = "attestor"
    assert (await world.look()).sent == 1
    assert not await world.renewer().look(CHAIN_ID)


@pytest.mark.parametrize("mode", [Mode.REVERTS, Mode.BURNS_GAS])
async def test_one_legacy_that_reverts_does_not_stop_the_others(world: RenewalWorld, mode: Mode) -> None:
    scenario, bad_owner = world.scenario, world.scenario.account("bad owner")
    scenario.subscribe_premium(bad_owner)
    bad = scenario.create_reverting_legacy(bad_owner, {scenario.account("anna").address: 100}, inactivity=PERIOD)
    scenario.set_auto_renew(bad_owner, bad)
    good = world.legacy()
    await world.look()
    scenario.set_mode(bad, mode)
    world.transact()
    world.transact("bad owner")
    scenario.advance(IN_WINDOW)
    assert (await world.look()).sent == 1
    assert (await world.verdict(bad), await world.verdict(good)) == ("not_readable", "sent")
    assert (await world.row(bad)).baseline > 0, "what was remembered of it stays"
    assert not await world.renewer().look(CHAIN_ID)


async def test_what_the_contract_would_refuse_is_not_sent(world: RenewalWorld) -> None:
    scenario = world.scenario
    labels = ("old", "poor", "gone", "late", "spent", "off")
    kept = {label: world.legacy(label) for label in labels if label != "old"}
    scenario.subscribe_premium(scenario.account("old"))
    kept["old"] = scenario.create_old_legacy(scenario.account("old"), {scenario.account("anna").address: 100})
    scenario.set_auto_renew(scenario.account("old"), kept["old"])
    await world.look()
    for label in labels:
        world.transact(label)
    scenario.end_premium(scenario.account("poor").address)
    scenario.set_auto_renew(scenario.account("off"), kept["off"], False)
    scenario.edit_trigger(scenario.account("late"), kept["late"], 10 * DAY)
    scenario.edit_trigger(scenario.account("spent"), kept["spent"], 390 * DAY)
    scenario.delete_legacy(scenario.account("gone"), kept["gone"])
    scenario.advance(IN_WINDOW)
    assert (await world.look()).sent == 0
    assert await world.verdict(kept["old"]) == "old_build"
    assert await world.verdict(kept["poor"]) == "not_premium"
    assert await world.verdict(kept["late"]) == "too_late"
    assert await world.verdict(kept["spent"]) == "too_early"
    scenario.advance(366 * DAY - IN_WINDOW)
    assert (await world.look()).sent == 0
    assert await world.verdict(kept["spent"]) == "budget_exhausted"
    left = await world.world.sql("select legacy from worker.owner_activity")
    assert {row[0] for row in left} == {kept[label].address for label in ("old", "poor", "late", "spent")}


async def test_a_count_that_jumped_is_held_and_shown(world: RenewalWorld) -> None:
    legacy = world.legacy()
    await world.look()
    for _ in range(4):
        world.transact()
    world.scenario.advance(IN_WINDOW)
    assert (await world.look(AUTO_RENEW_LARGEST_JUMP=world.count() - 1)).sent == 0
    row = await world.row(legacy)
    assert (row.decision, row.reason, row.nonce_seen) == ("held", "jump_too_large", world.count())
    assert (await world.look(AUTO_RENEW_LARGEST_JUMP=world.count())).sent == 1


async def test_what_is_held_is_shown_however_many_deadlines_are_nearer(world: RenewalWorld) -> None:
    """Of one that cannot be read nobody knows when it ends."""
    legacy = world.legacy()
    await world.look()
    near = """
        insert into worker.owner_activity (
            chain_id, legacy, legacy_id, owner, reset_at, baseline, nonce_seen, deadline, budget_end, decision
        )
        select chain_id, '0x' || lpad(n::text, 40, '0'), n, owner, 1, 0, 0, deadline - n, budget_end, 'wait'
        from worker.owner_activity, generate_series(1, 100) n
    """
    await world.world.sql(near)
    await world.world.sql(
        "update worker.owner_activity set decision = 'held', deadline = 0, budget_end = 0 where legacy = :it",
        it=legacy.address,
    )
    first, *others = await read_owner_decisions(world.world.engine, 100)
    assert (first.legacy, first.decision, first.to_deadline, first.budget_left) == (legacy.address, "held", None, None)
    assert [each.to_deadline for each in others] == sorted(each.to_deadline or 0 for each in others)


async def test_equal_counts_and_several_legacies_of_one_owner_are_no_hindrance(world: RenewalWorld) -> None:
    legacies = [world.legacy("first"), world.legacy("first", inactivity=PERIOD - DAY), world.legacy("second")]
    await world.look()
    world.transact("first")
    while world.count("second") < world.count("first"):
        world.transact("second")
    world.scenario.advance(IN_WINDOW)
    assert (await world.look()).sent == 3
    assert [world.state(legacy)[1] for legacy in legacies] == [world.count("first")] * 3


async def test_what_fails_when_it_is_simulated_is_not_sent(world: RenewalWorld) -> None:
    """Here for want of gas."""
    legacy = await world.due_legacy()
    assert (await world.look(AUTO_RENEW_GAS=30_000)).sent == 0
    assert (await world.verdict(legacy), await world.sent()) == ("would_fail", 0)


async def test_two_runs_at_once_renew_once(world: RenewalWorld) -> None:
    legacy = await world.due_legacy()
    await world.index_all()
    await asyncio.gather(*(world.renewer().run(CHAIN_ID) for _ in range(4)))
    world.scenario.anvil.settle()
    assert await world.sent() == 1
    assert world.state(legacy)[1] == world.count()


async def test_a_renewal_that_came_to_nothing_is_tried_again_and_one_that_is_open_is_not(world: RenewalWorld) -> None:
    legacy = await world.due_legacy()
    world.scenario.anvil.rpc("evm_setAutomine", False)
    assert (await world.look()).sent == 1
    world.scenario.anvil.rpc("anvil_dropAllTransactions")
    assert (await world.look()).sent == 0
    assert await world.verdict(legacy) == "under_way"
    await world.world.sql("update worker.relay_request set state = 'expired', reason = 'a test'")
    assert (await world.look()).sent == 1
    assert await world.sent() == 2
    for sent in (1, 0):
        await world.world.sql("update worker.relay_request set state = 'reverted'")
        assert (await world.look()).sent == sent
    assert await world.verdict(legacy) == "reverts", "the third costs the last fee"
    world.scenario.anvil.rpc("anvil_dropAllTransactions")
    world.scenario.anvil.rpc("evm_setAutomine", True)


async def test_of_many_that_are_due_at_once_a_run_renews_those_that_it_has_time_for(
    world: RenewalWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A node that takes long with each would have the run ended from outside, and the others wait for an hour."""
    for number in range(3):
        world.legacy(f"owner {number}")
    await world.look()
    for number in range(3):
        world.transact(f"owner {number}")
    world.scenario.advance(IN_WINDOW)
    with monkeypatch.context() as slow:
        clock = itertools.count(0, job.BUDGET_SECONDS / 3)
        slow.setattr(job, "time", SimpleNamespace(monotonic=lambda: next(clock)))
        report = await world.look()
    assert (report.sent, report.more) == (2, True)
    assert await world.renewer().look(CHAIN_ID), "the third is looked at again at the next look"
    assert (await world.look()).sent == 1
    assert not await world.renewer().look(CHAIN_ID)


async def test_what_a_retired_wallet_left_open_keeps_no_timer_from_being_renewed(world: RenewalWorld) -> None:
    """Nobody follows it any more: it would be under way until the timer has run out."""
    legacy, caps = await world.due_legacy(), world.caps
    world.caps = replace(caps, gas_price_ceiling_wei=1)
    assert (await world.look()).sent == 1
    await world.world.sql("update worker.relay_request set wallet = '0x' || repeat('9', 40)")
    world.caps = caps
    assert (await world.look()).sent == 1
    assert world.state(legacy)[1] == world.count()
    assert await world.sent() == 2


async def test_a_renewal_has_no_time_beyond_the_timers_end(world: RenewalWorld) -> None:
    """Mined later it would be refused, and its fee be spent for nothing."""
    world.legacy()
    await world.look()
    world.transact()
    ((t1,),) = await world.world.sql("select deadline from worker.owner_activity")
    world.scenario.advance(t1 - world.scenario.anvil.now() - 3600)
    assert (await world.look()).sent == 1
    assert await world.world.sql("select deadline from worker.relay_request") == [(t1 - 1,)]


async def test_a_renewal_has_no_time_beyond_the_budgets_end(world: RenewalWorld) -> None:
    world.legacy(inactivity=380 * DAY)
    await world.look()
    world.transact()
    ((budget_end,),) = await world.world.sql("select budget_end from worker.owner_activity")
    world.scenario.advance(budget_end - world.scenario.anvil.now() - 3600)
    assert (await world.look()).sent == 1
    assert await world.world.sql("select deadline from worker.relay_request") == [(budget_end,)]


@pytest.mark.parametrize("at_once", [500, 1])
async def test_a_full_cap_leaves_the_rest_for_later_and_the_nearest_deadline_goes_first(
    world: RenewalWorld, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    """Also of more than are looked at at once, whoever was looked at first an hour ago."""
    monkeypatch.setattr(job, "LEGACIES_AT_ONCE", at_once)
    later, sooner = world.legacy("later"), world.legacy("sooner", inactivity=PERIOD - DAY)
    await world.look()
    await world.world.sql(
        "update worker.owner_activity set checked_at = now() - make_interval(mins => 50 + cast(legacy = :it as int))",
        it=later.address,
    )
    world.transact("later")
    world.transact("sooner")
    world.scenario.advance(IN_WINDOW)
    world.caps = type(world.caps)(daily_wei=10**18, daily_count=1, gas_price_ceiling_wei=10**12)
    assert (await world.look()).sent == 1
    assert (await world.verdict(sooner), await world.verdict(later)) == ("sent", "daily_cap_reached")


async def test_an_owner_of_many_legacies_leaves_the_days_caps_to_the_others(
    world: RenewalWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relaying, "RENEWALS_OF_AN_OWNER", 2)
    many = [world.legacy("many", inactivity=PERIOD - DAY) for _ in range(3)]
    other = world.legacy("other")
    await world.look()
    world.transact("many")
    world.transact("other")
    world.scenario.advance(IN_WINDOW)
    world.caps = relaying.caps_of(AutoRenewSettings.model_validate({"ATTESTOR_KEY": "it is in the world"}))
    assert (await world.look()).sent == 3
    assert await world.verdict(other) == "sent"
    assert sorted([await world.verdict(legacy) for legacy in many]) == ["daily_cap_reached", "sent", "sent"]


async def test_an_owner_who_opts_out_and_back_in_starts_with_a_new_baseline(world: RenewalWorld) -> None:
    legacy, owner = world.legacy(), world.scenario.account("owner")
    await world.look()
    world.scenario.set_auto_renew(owner, legacy, False)
    await world.look()
    assert await world.world.sql("select * from worker.owner_activity") == []
    assert not await world.renewer().look(CHAIN_ID)
    world.scenario.set_auto_renew(owner, legacy)
    await world.look()
    assert (await world.row(legacy)).baseline == world.count()


async def test_a_look_finds_work_only_when_an_hour_has_passed(world: RenewalWorld) -> None:
    assert not await world.renewer().look(CHAIN_ID)
    world.legacy()
    await world.world.index.advance()
    assert await world.renewer().look(CHAIN_ID)
    await world.look()
    assert not await world.renewer().look(CHAIN_ID)
    await world.world.sql("update worker.owner_activity set checked_at = now() - interval '1 hour'")
    assert await world.renewer().look(CHAIN_ID)


def inflated(by: int) -> Callable[[Json, Json], Json]:
    def alter(request: Json, response: Json) -> Json:
        if request["method"] == "eth_getTransactionCount" and isinstance(request["params"][1], dict):
            return {**response, "result": hex(int(response["result"], 16) + by)}
        return response

    return alter


@asynccontextmanager
async def beside_the_node(
    engine: AsyncEngine, chain_scenario: Scenario, proxies: int
) -> AsyncIterator[tuple[RenewalWorld, list[Proxy]]]:
    """The endpoints are so many proxies of the node, asked before it, and the node itself."""
    url = chain_scenario.anvil.url
    async with AsyncExitStack() as stack:
        first = [await stack.enter_async_context(proxy(url)) for _ in range(proxies)]
        urls = ",".join([*(each.url for each in first), url])
        yield await stack.enter_async_context(open_renewals(engine, chain_scenario, CHAIN_31337_RPC_URLS=urls)), first


async def test_the_lower_of_two_endpoints_is_attested(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    async with beside_the_node(engine, chain_scenario, 1) as (world, [liar]):
        legacy = world.legacy()
        await world.look()
        world.scenario.advance(IN_WINDOW)
        liar.alter = inflated(5)
        assert (await world.look()).sent == 0
        assert await world.verdict(legacy) == "no_new_activity"
        world.transact()
        assert (await world.look()).sent == 1
        assert world.state(legacy)[1] == world.count()


async def test_no_baseline_is_taken_while_endpoints_disagree_about_one_block(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    """One that says too little would make what came before the reset look new."""
    async with beside_the_node(engine, chain_scenario, 1) as (world, [liar]):
        legacy = world.legacy()
        world.scenario.advance(IN_WINDOW)
        liar.alter = inflated(-1)
        await world.look()
        assert await world.verdict(legacy) == "counts_disagree"
        liar.well()
        assert (await world.look()).sent == 0
        assert await world.verdict(legacy) == "no_new_activity"


async def test_one_of_three_endpoints_that_stopped_importing_blocks_stops_no_renewal(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    async with beside_the_node(engine, chain_scenario, 2) as (world, [first, *_]):
        legacy = world.legacy()
        await world.look()
        long_ago = chain_scenario.anvil.rpc("eth_getBlockByNumber", "finalized", False)
        old = stopped(chain_scenario.anvil)
        first.answer = lambda asked: {"result": long_ago} if "finalized" in asked["params"] else old(asked)
        world.transact()
        world.scenario.advance(IN_WINDOW)
        assert (await world.look()).sent == 1
        assert world.state(legacy)[1] == world.count()


@pytest.mark.parametrize("by", [-1, 5])
async def test_one_of_three_endpoints_that_counts_wrongly_stops_no_renewal(
    engine: AsyncEngine, chain_scenario: Scenario, by: int
) -> None:
    """Also where a baseline is taken meanwhile."""
    async with beside_the_node(engine, chain_scenario, 2) as (world, [liar, *_]):
        legacy = world.legacy()
        liar.alter = inflated(by)
        assert (await world.look()).sent == 0
        world.scenario.advance(IN_WINDOW)
        assert (await world.look()).sent == 0
        assert await world.verdict(legacy) == "no_new_activity"
        world.transact()
        assert (await world.look()).sent == 1
        assert world.state(legacy)[1] == world.count()


async def test_two_of_three_endpoints_that_count_wrongly_have_nothing_attested_that_is_too_high(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    """Each in its own way: a number that is too high would end all renewals of the legacy."""
    async with beside_the_node(engine, chain_scenario, 2) as (world, [one, other]):
        legacy = world.legacy()
        await world.look()
        one.alter, other.alter = inflated(1), inflated(5)
        world.transact()
        world.scenario.advance(IN_WINDOW)
        assert (await world.look()).sent == 1
        assert world.state(legacy)[1] == world.count()


async def test_one_endpoint_of_two_is_not_enough_and_no_success(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    async with beside_the_node(engine, chain_scenario, 1) as (world, [silent]):
        legacy = await world.due_legacy()
        refusal = {"error": {"code": -32601, "message": "not supported"}}
        silent.answer = lambda request: refusal if request["method"] == "eth_getTransactionCount" else None
        with pytest.raises(ChainUnavailable):
            await world.look()
        assert (await world.verdict(legacy), await world.sent()) == ("count_not_known", 0)
        assert await world.renewer().look(CHAIN_ID), "a look in between is no success either"
        silent.answer = lambda request: refusal if "finalized" in request["params"] else None
        with pytest.raises(ChainUnavailable):
            await world.look()
        silent.well()
        assert (await world.look()).sent == 1
        assert not await world.renewer().look(CHAIN_ID)
