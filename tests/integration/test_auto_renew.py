"""Timers are renewed for active owners only, once for each reset."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, LegacyMode, Scenario
from reminder_worker.auto_renew import job
from reminder_worker.errors import ChainUnavailable, Misconfigured
from reminder_worker.relay import factory
from reminder_worker.settings import AutoRenewSettings
from tests.integration.chain_proxy import Json, NodeProxy, proxy, stopped
from tests.integration.renewal_world import CHAIN_ID, IN_WINDOW, PERIOD, RenewalWorld, open_renewals

HOUR = 3600


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


async def test_owners_own_check_in_never_counts_as_activity(world: RenewalWorld) -> None:
    """The check-in is read before it is final, after it, or much later: without activity the timer runs out."""
    legacies = [world.legacy(f"owner {number}") for number in range(3)]
    await world.look()
    for number, legacy in enumerate(legacies):
        world.scenario.advance(DAY)
        world.scenario.check_in(world.scenario.account(f"owner {number}"), legacy)
        if number == 0:
            await world.world.index.run()
            await world.make_due()
            await world.renewer().run()  # the check-in is mined and not final
            assert await world.verdict(legacy) == "reset_not_final"
        if number == 1:
            await world.look()
    world.scenario.advance(IN_WINDOW)
    for _ in range(2):
        assert (await world.look()).sent == 0
    assert [await world.verdict(legacy) for legacy in legacies] == ["no_new_activity"] * 3
    world.transact("owner 2")
    assert (await world.look()).sent == 1


async def test_transactions_before_a_reset_are_no_activity_after_it(world: RenewalWorld) -> None:
    """The worker was off for the whole time: the first run only stores the baseline."""
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
    await world.world.index.run()
    await world.make_due()
    assert (await world.renewer().run()).sent == 0
    assert await world.verdict(legacy) == "no_new_activity"
    assert (await world.look()).sent == 1


@pytest.mark.parametrize("lied", ["owner", "id"])
async def test_index_with_a_wrong_owner_renews_no_timer(world: RenewalWorld, lied: str) -> None:
    """Legacy and index must name the same owner, or another account's transactions would be counted."""
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


async def test_a_dry_run_decides_reports_and_sends_nothing(world: RenewalWorld) -> None:
    legacy = await world.due_legacy()
    report = await world.look(AUTO_RENEW_DRY_RUN=True)
    assert (report.sent, report.verdicts) == (0, {"renew: dry_run": 1})
    assert (await world.sent(), world.state(legacy)[1]) == (0, 0)


async def test_waiting_renewal_is_not_sent_after_a_later_reset(world: RenewalWorld) -> None:
    """Its owner checked in: earlier transactions are no activity since. A short timer could be renewed at once."""
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


async def test_a_wallet_that_is_not_the_attestor_sends_nothing_and_is_no_success(world: RenewalWorld) -> None:
    """A run in between is no success either: the watchdog reports passes without success."""
    world.attestor = "somebody else"
    legacy = await world.due_legacy()
    with pytest.raises(Misconfigured):
        await world.look()
    assert (await world.verdict(legacy), await world.sent()) == ("not_the_attestor", 0)
    assert await world.renewer().poll()
    world.attestor = "attestor"
    assert (await world.look()).sent == 1
    assert not await world.renewer().poll()


@pytest.mark.parametrize("mode", [LegacyMode.REVERTS, LegacyMode.BURNS_GAS])
async def test_one_legacy_that_reverts_does_not_stop_the_others(world: RenewalWorld, mode: LegacyMode) -> None:
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
    assert not await world.renewer().poll()


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


async def test_two_runs_at_once_renew_once(world: RenewalWorld) -> None:
    legacy = await world.due_legacy()
    await world.index_all()
    await asyncio.gather(*(world.renewer().run() for _ in range(4)))
    world.scenario.anvil.settle()
    assert await world.sent() == 1
    assert world.state(legacy)[1] == world.count()


async def test_failed_renewal_is_retried_and_an_open_one_is_not(world: RenewalWorld) -> None:
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


async def test_renewal_deadline_is_before_the_timers_end(world: RenewalWorld) -> None:
    """Mined later the contract would refuse it, and its fee would be wasted."""
    world.legacy()
    await world.look()
    world.transact()
    ((t1,),) = await world.world.sql("select deadline from worker.owner_activity")
    world.scenario.advance(t1 - world.scenario.anvil.now() - 3600)
    assert (await world.look()).sent == 1
    assert await world.world.sql("select deadline from worker.relay_request") == [(t1 - 1,)]


@pytest.mark.parametrize("at_once", [500, 1])
async def test_a_full_cap_leaves_the_rest_for_later_and_the_nearest_deadline_goes_first(
    world: RenewalWorld, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    """This holds for more legacies than one batch, in any order of earlier reads."""
    monkeypatch.setattr(job, "LEGACIES_AT_ONCE", at_once)
    later, sooner = world.legacy("later"), world.legacy("sooner", inactivity=PERIOD - DAY)
    await world.look()
    await world.world.sql(
        "update worker.owner_activity set next_look = :soon - 60 * cast(legacy = :it as int)",
        soon=world.scenario.anvil.now() + IN_WINDOW - 600,
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
    monkeypatch.setattr(factory, "RENEWALS_OF_AN_OWNER", 2)
    many = [world.legacy("many", inactivity=PERIOD - DAY) for _ in range(3)]
    other = world.legacy("other")
    await world.look()
    world.transact("many")
    world.transact("other")
    world.scenario.advance(IN_WINDOW)
    world.caps = factory.make_caps(AutoRenewSettings.model_validate({"ATTESTOR_KEY": "it is in the world"}))
    assert (await world.look()).sent == 3
    assert await world.verdict(other) == "sent"
    assert sorted([await world.verdict(legacy) for legacy in many]) == ["daily_cap_reached", "sent", "sent"]


async def test_an_owner_who_opts_out_and_back_in_starts_with_a_new_baseline(world: RenewalWorld) -> None:
    legacy, owner = world.legacy(), world.scenario.account("owner")
    await world.look()
    world.scenario.set_auto_renew(owner, legacy, False)
    await world.look()
    assert await world.world.sql("select * from worker.owner_activity") == []
    assert not await world.renewer().poll()
    world.scenario.set_auto_renew(owner, legacy)
    await world.look()
    assert (await world.row(legacy)).baseline == world.count()


async def test_an_owner_is_read_once_a_day_and_hourly_from_a_day_before_the_window(world: RenewalWorld) -> None:
    far, near = PERIOD - 35 * DAY, PERIOD - 31 * DAY
    steps = [(1, True), (HOUR, False), (DAY - HOUR, True), (far, True), (HOUR, False), (near - far, True), (HOUR, True)]
    assert not await world.renewer().poll()
    world.legacy()
    for seconds, is_due in steps:
        world.scenario.advance(seconds)
        world.finalize()
        await world.world.index.run()
        assert await world.renewer().poll() is is_due
        assert (await world.renewer().run()).legacies == int(is_due)
        assert not await world.renewer().poll()


def inflated(by: int) -> Callable[[Json, Json], Json]:
    def alter(request: Json, response: Json) -> Json:
        if request["method"] == "eth_getTransactionCount" and isinstance(request["params"][1], dict):
            return {**response, "result": hex(int(response["result"], 16) + by)}
        return response

    return alter


@asynccontextmanager
async def behind_endpoints(
    engine: AsyncEngine, chain_scenario: Scenario, count: int, place: int
) -> AsyncIterator[tuple[RenewalWorld, NodeProxy]]:
    """Open a world behind so many endpoints, and name the one that is asked at this place."""
    async with AsyncExitStack() as stack:
        nodes = [await stack.enter_async_context(proxy(chain_scenario.anvil.url)) for _ in range(count)]
        urls = ",".join(node.url for node in nodes)
        opened = open_renewals(engine, chain_scenario, CHAIN_31337_RPC_URLS=urls)
        yield await stack.enter_async_context(opened), nodes[place]


@pytest.mark.parametrize("place", [0, 1])
async def test_the_lower_of_two_endpoints_is_attested(
    engine: AsyncEngine, chain_scenario: Scenario, place: int
) -> None:
    async with behind_endpoints(engine, chain_scenario, 2, place) as (world, liar):
        legacy = world.legacy()
        await world.look()
        world.scenario.advance(IN_WINDOW)
        liar.alter = inflated(5)
        assert (await world.look()).sent == 0
        assert await world.verdict(legacy) == "no_new_activity"
        world.transact()
        assert (await world.look()).sent == 1
        assert world.state(legacy)[1] == world.count()


@pytest.mark.parametrize("place", [0, 1])
async def test_no_baseline_is_taken_while_endpoints_disagree_about_one_block(
    engine: AsyncEngine, chain_scenario: Scenario, place: int
) -> None:
    """A count that is too low would make earlier activity look new."""
    async with behind_endpoints(engine, chain_scenario, 2, place) as (world, liar):
        legacy = world.legacy()
        world.scenario.advance(IN_WINDOW)
        liar.alter = inflated(-1)
        await world.look()
        assert await world.verdict(legacy) == "counts_disagree"
        liar.well()
        assert (await world.look()).sent == 0
        assert await world.verdict(legacy) == "no_new_activity"


@pytest.mark.parametrize("place", [0, 2])
async def test_one_of_three_endpoints_that_stopped_importing_blocks_stops_no_renewal(
    engine: AsyncEngine, chain_scenario: Scenario, place: int
) -> None:
    async with behind_endpoints(engine, chain_scenario, 3, place) as (world, behind):
        legacy = world.legacy()
        await world.look()
        long_ago = chain_scenario.anvil.rpc("eth_getBlockByNumber", "finalized", False)
        old = stopped(chain_scenario.anvil)
        behind.answer = lambda asked: {"result": long_ago} if "finalized" in asked["params"] else old(asked)
        world.transact()
        world.scenario.advance(IN_WINDOW)
        assert (await world.look()).sent == 1
        assert world.state(legacy)[1] == world.count()


@pytest.mark.parametrize("by", [-1, 5])
@pytest.mark.parametrize("place", [0, 2])
async def test_one_of_three_endpoints_that_counts_wrongly_stops_no_renewal(
    engine: AsyncEngine, chain_scenario: Scenario, by: int, place: int
) -> None:
    """This holds even if a baseline is stored meanwhile."""
    async with behind_endpoints(engine, chain_scenario, 3, place) as (world, liar):
        legacy = world.legacy()
        liar.alter = inflated(by)
        assert (await world.look()).sent == 0
        world.scenario.advance(IN_WINDOW)
        assert (await world.look()).sent == 0
        assert await world.verdict(legacy) == "no_new_activity"
        world.transact()
        assert (await world.look()).sent == 1
        assert world.state(legacy)[1] == world.count()


@pytest.mark.parametrize("place", [0, 1])
async def test_one_endpoint_of_two_is_not_enough_and_no_success(
    engine: AsyncEngine, chain_scenario: Scenario, place: int
) -> None:
    async with behind_endpoints(engine, chain_scenario, 2, place) as (world, silent):
        legacy = await world.due_legacy()
        refusal = {"error": {"code": -32601, "message": "not supported"}}
        silent.answer = lambda request: refusal if request["method"] == "eth_getTransactionCount" else None
        with pytest.raises(ChainUnavailable):
            await world.look()
        assert (await world.verdict(legacy), await world.sent()) == ("count_not_known", 0)
        assert await world.renewer().poll(), "a look in between is no success either"
        silent.answer = lambda request: refusal if "finalized" in request["params"] else None
        with pytest.raises(ChainUnavailable):
            await world.look()
        silent.well()
        assert (await world.look()).sent == 1
        assert not await world.renewer().poll()
