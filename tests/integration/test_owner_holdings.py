"""Amounts of owners, each read once a day: packed as apart, at two endpoints, and nothing lost on the way."""

import asyncio
from contextlib import AsyncExitStack
from decimal import Decimal

import pytest
from pydantic import SecretStr
from sqlalchemy import delete, select, text, update

from devnet.compile import load_contracts
from devnet.scenarios import DAY, Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.holdings_reader import CODE, OwnerHoldings, OwnerLegacies
from reminder_worker.errors import ChainUnavailable
from reminder_worker.statistics import owner_holdings
from reminder_worker.statistics.file_store import LocalFiles
from reminder_worker.statistics.holdings import HoldingsReader
from reminder_worker.statistics.job import StatisticsPass, StatisticsReport
from reminder_worker.statistics.price_job import PricePass
from reminder_worker.statistics.snapshots import find_newest_snapshot
from reminder_worker.statistics.tables import owner_holding
from tests.integration.chain_proxy import (
    Json,
    NodeProxy,
    chain_settings,
    gives_gas,
    proxy,
    refuses_code,
    says_nothing,
    two_endpoints,
)
from tests.integration.indexer_story import settings_of
from tests.integration.test_statistics import ETHER, UNLIMITED, StatsWorld, world

__all__ = ["world"]

EOA, SAFE = 3, 1


def code_calls(node: NodeProxy) -> int:
    return sum(map(runs_code, node.requests))


def runs_code(request: Json) -> bool:
    return request["method"] == "eth_call" and "to" not in request["params"][0]


async def take(world: StatsWorld, statistics: StatisticsPass | None = None) -> StatisticsReport:
    await world.index.run()
    report = await (statistics or world.statistics).run()
    assert isinstance(report, StatisticsReport)
    return report


async def usdc_of_newest(world: StatsWorld) -> int:
    """Return the amount of the newest snapshot."""
    async with world.engine.connect() as connection:
        tokens = await connection.scalar(text("select tokens from worker.statistics order by hour desc limit 1"))
    return sum(int(each["amount"]) for each in tokens if each["token"] == world.scenario.deployment.usdc)


def own(world: StatsWorld, count: int, amount: int = 100) -> None:
    """Create owners with USDC and a legacy. The legacy may move all of it."""
    s = world.scenario
    for number in range(count):
        owner = world.holder(f"owner {number}", amount)
        s.approve(owner, s.deployment.usdc, s.create_legacy(owner, world.heirs).address, UNLIMITED)


# -- packed and apart ------------------------------------------------------------------------------


def test_the_code_in_the_service_is_the_compiled_source() -> None:
    assert load_contracts()["HoldingsReader"].bytecode == "0x" + CODE.hex()


def owners_of_every_kind(s: Scenario) -> tuple[list[OwnerLegacies], list[str]]:
    """Owners and tokens, with everything that changes an amount."""
    heirs: dict[str, int] = {s.account("heir").address: 100}
    usdc, weth, later = s.deployment.usdc, s.deployment.weth, s.anvil.now() + DAY
    hostile, absurd = s.create_hostile_token(), s.deployment.hostile_symbol_token
    s.anvil.set_code(hostile, "0x5b600056")
    s.anvil.set_code(absurd, "0x7f" + "ff" * 32 + "60005260206000f3")
    owners: list[OwnerLegacies] = []
    for name, amounts in {"one": [400], "many": [30, 40, 0], "unlimited": [UNLIMITED] * 2, "none": [0]}.items():
        owner = s.account(name)
        s.mint(usdc, owner.address, 1_000)
        legacies = [s.create_legacy(owner, heirs) for _ in amounts]
        for legacy, amount in zip(legacies, amounts, strict=True):
            s.approve(owner, usdc, legacy.address, amount)
        s.send(owner, legacies[0].address, value=3 * ETHER)
        owners.append(OwnerLegacies(owner.address.lower(), tuple((each.address, EOA) for each in legacies)))
    permits = s.account("permits")
    s.mint(usdc, permits.address, 1_000)
    vaults = [s.deployment.legacy_pull_vault, s.account("another vault").address, "0x" + "0" * 40]
    legacies = []
    for vault in (vaults[0], *vaults):
        s.set_pull_vault(vault)
        legacies.append(s.create_legacy(permits, heirs))
    legacies.append(s.create_old_legacy(permits, heirs))
    for number, spender in enumerate((*vaults[:2], legacies[0].address)):
        s.permit(permits, usdc, spender, 13 + number, later)
    s.permit(permits, weth, vaults[0], 5, s.anvil.now())  # it ends before it is read
    owners.append(OwnerLegacies(permits.address.lower(), tuple((each.address, EOA) for each in legacies)))
    keeper = s.account("keeper")
    for number in range(2):
        safe = s.create_safe([keeper])
        s.mint(usdc, safe, 500)
        s.send(keeper, safe, value=2 * ETHER)
        of_safe = [s.create_safe_legacy(keeper, safe, list(heirs)) for _ in range(2)]
        s.delete_legacy(keeper, of_safe[0])
        if number:
            s.delete_legacy(keeper, of_safe[1])
        owners.append(OwnerLegacies(safe.lower(), tuple((each.address, SAFE) for each in of_safe)))
    return owners, [usdc, weth, hostile, absurd]


async def read(s: Scenario, node: NodeProxy, owners: list[OwnerLegacies], tokens: list[str]) -> list[OwnerHoldings]:
    async with Chain(chain_settings(s, node.url)) as chain:
        return await HoldingsReader(chain, await chain.get_head(), tokens).read_owners(owners)


@pytest.mark.core
async def test_packed_and_apart_say_the_same_of_owners_of_every_kind(chain_scenario: Scenario) -> None:
    """Also of tokens that burn gas or have absurd balances. Packed they are one call."""
    s = chain_scenario
    owners, tokens = owners_of_every_kind(s)
    usdc, _, hostile, absurd = tokens
    async with proxy(s.anvil.url) as node:
        packed = await read(s, node, owners, tokens)
        assert [each for each in node.methods() if each == "eth_call"] == ["eth_call"]
        node.answer = refuses_code
        assert await read(s, node, owners, tokens) == packed
    assert [each.amounts.get(usdc, 0) for each in packed] == [400, 70, 1_000, 0, 13 + 14 + 15, 500, 0]
    assert [each.wei for each in packed] == [3 * ETHER] * 4 + [0, 2 * ETHER, 0]
    assert [each.deleted for each in packed] == [0] * 5 + [1, 2]
    assert all(each.amounts[hostile] is None for each in packed), "a token that burns gas cannot be read"
    assert packed[5].amounts[absurd] == UNLIMITED


async def test_owners_that_do_not_fit_are_read_by_the_next_call_or_apart(chain_scenario: Scenario) -> None:
    """The answer ends where the node's gas ends. An owner with very many legacies costs the others nothing."""
    s = chain_scenario
    owners, tokens = owners_of_every_kind(s)
    crowd = tuple((f"0x{number:040x}", EOA) for number in range(10**6, 10**6 + 60))
    owners.insert(2, OwnerLegacies(s.account("crowd").address.lower(), crowd))

    async with proxy(s.anvil.url) as node:
        node.answer = refuses_code
        apart = await read(s, node, owners, tokens)
        node.posts.clear()
        node.answer = gives_gas(3_000_000)
        assert await read(s, node, owners, tokens) == apart
        assert code_calls(node) > 2


# -- once a day ------------------------------------------------------------------------------------


@pytest.mark.core
async def test_each_owner_is_read_once_a_day_and_a_changed_balance_is_seen(world: StatsWorld) -> None:
    own(world, 12)
    assert (await take(world)).owners_read == 12, "at first all"
    assert (await take(world)).owners_read == 0
    for number in range(12):
        world.holder(f"owner {number}", 7)
    reads = []
    for _ in range(4):
        world.scenario.advance(DAY // 4)
        reads.append((await take(world)).owners_read)
    assert await usdc_of_newest(world) == 12 * 107
    assert max(reads) < 12
    assert 12 <= sum(reads) <= 14, "an owner whose moment of the day was that of the first reading has a second one"


async def test_new_legacies_count_and_ended_ones_do_not_at_the_next_snapshot(world: StatsWorld) -> None:
    """Ann keeps another legacy. Bob keeps none, and no row is left."""
    s, usdc = world.scenario, world.scenario.deployment.usdc
    ann, bob = world.holder("ann", 100), world.holder("bob", 10)
    first = s.create_legacy(ann, world.heirs)
    s.approve(ann, usdc, first.address, 60)
    await take(world)
    assert await usdc_of_newest(world) == 60
    second, of_bob = s.create_legacy(ann, world.heirs), s.create_legacy(bob, world.heirs)
    s.approve(ann, usdc, second.address, 30)
    s.approve(bob, usdc, of_bob.address, UNLIMITED)
    assert (await take(world)).owners_read == 2
    assert await usdc_of_newest(world) == 100
    s.delete_legacy(ann, first)
    s.delete_legacy(bob, of_bob)
    assert (await take(world)).owners_read == 1
    assert await usdc_of_newest(world) == 30
    async with world.engine.connect() as connection:
        assert (await connection.scalars(select(owner_holding.c.owner))).all() == [ann.address.lower()]


async def test_a_token_that_cannot_be_read_keeps_its_last_amounts_for_later(world: StatsWorld) -> None:
    """It is left out of the value meanwhile; after it, the amounts count before the owners are read again."""
    s, usdc = world.scenario, world.scenario.deployment.usdc
    own(world, 3)
    await take(world)
    code = s.anvil.rpc("eth_getCode", usdc, "latest")
    s.anvil.set_code(usdc, "0x60006000fd")
    assert (await world.snapshot()).tokens == []
    s.anvil.set_code(usdc, code)
    async with world.engine.begin() as connection:
        await connection.execute(update(owner_holding).values(unreadable=[]))
    await take(world)
    assert await usdc_of_newest(world) == 300


# -- two endpoints, and a restart --------------------------------------------------------------------


async def test_a_slice_without_two_endpoints_keeps_its_last_values(world: StatsWorld) -> None:
    """Whichever is silent, or lies about one slice. When both answer, the changed balances count."""
    s = world.scenario
    own(world, 3)

    def is_silent(request: Json) -> Json | None:
        return {"error": {"code": -32000, "message": "out of order"}} if request["method"] == "eth_call" else None

    def lie(request: Json, response: Json) -> Json:
        return response | {"result": response["result"].replace("016b", "016c")} if runs_code(request) else response

    async with two_endpoints(s.anvil.url) as nodes, AsyncExitStack() as stack:
        chain = await stack.enter_async_context(Chain(settings_of(s, RPC_URLS=(nodes.first.url, nodes.second.url))))
        statistics = StatisticsPass(world.engine, chain, LocalFiles(world.folder))
        assert (await take(world, statistics)).owners_read == 3
        for number in range(3):
            world.holder(f"owner {number}", 7)
        s.advance(DAY + 3600)
        for node in (nodes.first, nodes.second):
            for lies in (False, True):
                node.well()
                if lies:
                    node.alter = lie
                else:
                    node.answer = is_silent
                report = await take(world, statistics)
                assert report.owners_read == 0
                assert report.owners_kept == (3 if lies else 0), "the tokens are asked for first"
                assert await usdc_of_newest(world) == 300
                for endpoint in chain.endpoints.members:
                    endpoint.rest.record_success()
            node.well()
        assert (await take(world, statistics)).owners_read == 3
        assert await usdc_of_newest(world) == 321


@pytest.mark.parametrize("position", [0, 1])
async def test_no_sum_while_an_owner_was_not_read_for_two_days(world: StatsWorld, position: int) -> None:
    """One of two endpoints is silent. A day later the last amounts still count."""
    s = world.scenario
    own(world, 2, 2_000_000)
    await world.index.run()
    async with world.engine.begin() as connection:
        await connection.execute(text("update worker.legacy set created_at = created_at - 10 * 86400"))

    async def value(statistics: StatisticsPass, hours: int) -> Decimal | None:
        s.advance(hours * 3600)
        s.write_as_deployer("PriceFeed", s.deployment.usdc_usd_feed, "setAnswer", 10**8, s.anvil.now())
        await PricePass(world.engine, world.chain).run()
        await take(world, statistics)
        found = await find_newest_snapshot(world.engine, world.chain.chain_id)
        return found.value_secured_usd if found else None

    async with two_endpoints(s.anvil.url) as nodes, AsyncExitStack() as stack:
        urls = SecretStr(nodes.first.url), SecretStr(nodes.second.url)
        settings = world.chain.settings.model_copy(update={"rpc_urls": urls})
        chain = await stack.enter_async_context(Chain(settings))
        statistics = StatisticsPass(world.engine, chain, LocalFiles(world.folder))
        assert await value(statistics, 1) == Decimal("4.00")
        silent = (nodes.first, nodes.second)[position]
        silent.answer = says_nothing
        assert await value(statistics, 26) == Decimal("4.00")
        assert await value(statistics, 26) is None
        silent.well()
        chain.endpoints.members[position].rest.record_success()
        assert await value(statistics, 1) == Decimal("4.00")
        async with world.engine.begin() as connection:
            await connection.execute(delete(owner_holding))  # as before the first reading
        silent.answer = says_nothing
        with pytest.raises(ChainUnavailable, match="2 owners"):
            await value(statistics, 1)


async def test_every_owner_is_read_again_when_a_token_is_listed(world: StatsWorld) -> None:
    """Else the amount of the token would grow for a day, as more owners are asked about it."""
    s = world.scenario
    token = s.create_hostile_token(whitelisted=False)
    own(world, 3)
    assert (await take(world)).owners_read == 3
    s.advance(3600)
    s.whitelist(token)
    assert (await take(world)).owners_read == 3
    s.advance(60)
    assert (await take(world)).owners_read == 0


async def test_a_run_that_ends_in_the_middle_is_continued_by_the_next(
    world: StatsWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stored slices are not read again, and no snapshot has half of the owners."""
    monkeypatch.setattr(owner_holdings, "OWNERS_AT_ONCE", 2)
    monkeypatch.setattr(owner_holdings, "SLICE", 2)
    own(world, 6)
    await world.index.run()
    calls = 0
    async with proxy(world.scenario.anvil.url) as node:
        chain = Chain(settings_of(world.scenario, RPC_URLS=(node.url,)))
        running = asyncio.ensure_future(StatisticsPass(world.engine, chain, LocalFiles(world.folder)).run())

        def end(request: Json) -> None:
            nonlocal calls
            calls += runs_code(request)
            if calls == 3:
                running.cancel()

        node.answer = end
        with pytest.raises(asyncio.CancelledError):
            await running
        await chain.close()
    async with world.engine.connect() as connection:
        assert await connection.scalar(text("select count(*) from worker.owner_holding")) == 4
        assert await connection.scalar(text("select count(*) from worker.statistics")) == 0
    assert (await take(world)).owners_read == 2
    assert await usdc_of_newest(world) == 600
