"""Statistics over a real chain, a real database and real Parquet: what is secured, once an hour, of one block."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import dagster as dg
import polars as pl
import pytest
from eth_account.signers.local import LocalAccount
from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from api.metrics import render_fact
from assets.service import Service
from assets.statistics import statistics_days
from devnet.scenarios import DAY, Scenario
from pipelines.definitions import defs
from reminder_worker.chain.client import Chain
from reminder_worker.declarations import FactScope
from reminder_worker.indexer.chain_index import ChainIndex
from reminder_worker.runtime import open_runtime
from reminder_worker.statistics import holdings, snapshots
from reminder_worker.statistics.feature import SNAPSHOTS
from reminder_worker.statistics.file_store import LocalFiles
from reminder_worker.statistics.files import write_days
from reminder_worker.statistics.job import StatisticsPass
from reminder_worker.statistics.price_job import PricePass
from reminder_worker.statistics.snapshots import StatisticsSnapshot
from reminder_worker.statistics.tables import owner_holding, price_feed, statistics
from tests.integration.api_world import settings_for
from tests.integration.chain_proxy import Json, proxy
from tests.integration.indexer_story import settings_of, tell

UNLIMITED = 2**256 - 1
ETHER = 10**18


@dataclass
class StatsWorld:
    engine: AsyncEngine
    scenario: Scenario
    chain: Chain
    index: ChainIndex
    statistics: StatisticsPass
    folder: Path

    @property
    def heirs(self) -> dict[str, int]:
        return {self.scenario.account("heir").address: 100}

    def holder(self, name: str, amount: int = 0) -> LocalAccount:
        """An account with so much USDC."""
        account = self.scenario.account(name)
        if amount:
            self.scenario.mint(self.scenario.deployment.usdc, account.address, amount)
        return account

    async def snapshot(self) -> StatisticsSnapshot:
        """Take a snapshot as if a day had passed: every owner is read."""
        async with self.engine.begin() as connection:
            await connection.execute(update(owner_holding).values(read_at=0))
        return await self.next_snapshot()

    async def next_snapshot(self) -> StatisticsSnapshot:
        await self.index.run()
        await self.statistics.run()
        found = await snapshots.find_newest_snapshot(self.engine, self.chain.chain_id)
        assert found is not None
        return found

    async def amounts(self) -> dict[str, int]:
        """Base units by token of a fresh snapshot."""
        return {token["token"]: int(token["amount"]) for token in (await self.snapshot()).tokens}

    async def usdc(self) -> int:
        return (await self.amounts()).get(self.scenario.deployment.usdc, 0)

    def read(self, dataset: str) -> pl.DataFrame:
        return pl.read_parquet(self.folder / dataset / "**/*.parquet", hive_partitioning=True)


@pytest.fixture
async def world(chain_scenario: Scenario, engine: AsyncEngine, tmp_path: Path) -> AsyncIterator[StatsWorld]:
    feeds = chain_scenario.deployment.price_environ(31337)["CHAIN_31337_PRICE_FEEDS"]
    chain = Chain(settings_of(chain_scenario, PRICE_FEEDS=feeds))
    folder = tmp_path / "statistics"
    yield StatsWorld(
        engine,
        chain_scenario,
        chain,
        ChainIndex(engine, chain),
        StatisticsPass(engine, chain, LocalFiles(folder)),
        folder,
    )
    await chain.close()


# -- value secured --------------------------------------------------------------------------------


async def test_an_allowance_below_the_balance_is_what_is_secured(world: StatsWorld) -> None:
    """A larger balance and allowances to other contracts do not count."""
    ann = world.holder("ann", 1_000)
    legacy = world.scenario.create_legacy(ann, world.heirs)
    assert await world.usdc() == 0
    world.scenario.approve(ann, world.scenario.deployment.usdc, world.scenario.account("bob").address, UNLIMITED)
    world.scenario.approve(ann, world.scenario.deployment.usdc, legacy.address, 400)
    assert await world.usdc() == 400
    world.scenario.approve(ann, world.scenario.deployment.usdc, legacy.address, UNLIMITED)
    assert await world.usdc() == 1_000


async def test_several_legacies_of_one_owner_never_count_his_balance_twice(world: StatsWorld) -> None:
    """Unlimited allowances to three legacies secure the balance once, limited ones their sum, one permit once."""
    ann, usdc = world.holder("ann", 1_000), world.scenario.deployment.usdc
    mine = [world.scenario.create_legacy(ann, world.heirs) for _ in range(3)]
    for legacy in mine:
        world.scenario.approve(ann, usdc, legacy.address, UNLIMITED)
    assert await world.usdc() == 1_000
    for legacy in mine:
        world.scenario.approve(ann, usdc, legacy.address, 200)
    assert await world.usdc() == 600
    for legacy in mine:
        world.scenario.approve(ann, usdc, legacy.address, 0)
    world.scenario.permit(ann, usdc, world.scenario.deployment.legacy_pull_vault, 250, world.scenario.anvil.now() + DAY)
    assert await world.usdc() == 250


async def test_ether_is_secured_where_it_was_sent(world: StatsWorld) -> None:
    """To the legacy of a plain account: not the ether in the owner's wallet."""
    ann = world.holder("ann")
    legacy = world.scenario.create_legacy(ann, world.heirs)
    assert "ETH" not in await world.amounts()
    world.scenario.send(ann, legacy.address, value=3 * ETHER)
    assert (await world.amounts())["ETH"] == 3 * ETHER


async def test_a_safe_legacy_secures_the_balance_of_the_safe(world: StatsWorld) -> None:
    """Ether and whitelisted tokens, without any allowance; once, however many legacies the Safe has."""
    s, ann = world.scenario, world.holder("ann")
    safe = s.create_safe([ann])
    s.send(ann, safe, value=2 * ETHER)
    s.mint(s.deployment.usdc, safe, 500)
    for _ in range(2):
        s.create_safe_legacy(ann, safe, list(world.heirs))
    found = await world.amounts()
    assert (found["ETH"], found[s.deployment.usdc]) == (2 * ETHER, 500)


async def test_a_deleted_safe_legacy_secures_nothing_and_is_counted_as_deleted(world: StatsWorld) -> None:
    """The router emits no event, but the legacy answers as no longer live."""
    s, ann, bob = world.scenario, world.holder("ann"), world.holder("bob")
    safes = {owner: s.create_safe([owner]) for owner in (ann, bob)}
    legacies = {owner: s.create_safe_legacy(owner, safe, list(world.heirs)) for owner, safe in safes.items()}
    for safe, dollars in zip(safes.values(), (500, 70), strict=True):
        s.mint(s.deployment.usdc, safe, dollars)
    assert await world.usdc() == 570
    s.delete_legacy(ann, legacies[ann])
    found = await world.snapshot()
    assert [int(token["amount"]) for token in found.tokens] == [70]
    assert found.counts["legacies"] == {
        "total": 2, "live": 1, "activated": 0, "deleted": 1, "byType": {"eoa": 0, "safe": 2}
    }  # fmt: skip
    s.anvil.set_code(legacies[bob].address, "0x60006000fd")
    assert await world.usdc() == 70, "one that says nothing is as it was"


async def test_only_live_legacies_secure_anything(world: StatsWorld) -> None:
    """Deleted and claimed legacies do not count."""
    s, usdc = world.scenario, world.scenario.deployment.usdc
    owners = [world.holder(name, 100) for name in ("ann", "bob", "eve")]
    legacies = [s.create_legacy(owner, world.heirs, inactivity=DAY) for owner in owners]
    for owner, legacy in zip(owners, legacies, strict=True):
        s.approve(owner, usdc, legacy.address, UNLIMITED)
    assert await world.usdc() == 300
    s.delete_legacy(owners[0], legacies[0])
    s.advance(2 * DAY)
    s.claim(s.account("heir"), legacies[1])
    found = await world.snapshot()
    assert found.counts["legacies"] == {
        "total": 3, "live": 1, "activated": 1, "deleted": 1, "byType": {"eoa": 3, "safe": 0}
    }  # fmt: skip
    assert [int(token["amount"]) for token in found.tokens] == [100]


@pytest.mark.core
async def test_timelocks_secure_their_amounts_while_they_live(world: StatsWorld) -> None:
    """Gifts and other locks; an ended one does not, and NFTs are counted, not valued."""
    s, ann = world.scenario, world.holder("ann")
    gift = s.create_gift(ann, s.account("eve").address, tokens=[(s.deployment.usdc, 700)], duration=DAY)
    s.create_timelock(ann, ann.address, eth=ETHER, erc721=[(s.deployment.erc721, 7)])
    found = await world.snapshot()
    assert found.counts["timelocks"] == {"total": 2, "live": 2, "ended": 0, "gifts": 1}
    assert {t["token"]: t["amount"] for t in found.tokens} == {s.deployment.usdc: "700", s.deployment.weth: str(ETHER)}
    s.advance(2 * DAY)
    s.withdraw_gift(s.account("eve"), gift)
    found = await world.snapshot()
    assert found.counts["timelocks"] == {"total": 2, "live": 1, "ended": 1, "gifts": 1}
    assert {t["token"] for t in found.tokens} == {s.deployment.weth}


async def test_tokens_that_are_not_whitelisted_do_not_count(world: StatsWorld) -> None:
    s, ann = world.scenario, world.holder("ann")
    token = s.create_hostile_token(whitelisted=False)
    legacy = s.create_legacy(ann, world.heirs)
    s.mint(token, ann.address, 10**30)
    s.approve(ann, token, legacy.address, UNLIMITED)
    s.create_gift(ann, s.account("eve").address, tokens=[(token, 10**30)])
    assert await world.amounts() == {}


async def test_a_hostile_token_takes_nothing_from_the_others(
    world: StatsWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whitelisted and broken: it reverts, burns all gas, is gone or answers nonsense. The others are counted."""
    monkeypatch.setattr(holdings, "MOST_BALANCE_FAILURES", 2)
    s, usdc = world.scenario, world.scenario.deployment.usdc
    token = s.create_hostile_token()
    for name in ("ann", "bob", "eve"):
        owner = world.holder(name, 100)
        s.approve(owner, usdc, s.create_legacy(owner, world.heirs).address, UNLIMITED)
    for code in ("0x60006000fd", "0x5b600056", "0x", "0x60016000f3", "0x61ffff6000f3"):
        s.anvil.set_code(token, code)
        assert await world.amounts() == {usdc: 300}


async def test_absurd_balances_overflow_nothing_and_strange_words_are_not_repeated(world: StatsWorld) -> None:
    """Two holders with the largest possible balance, dangerous symbols and impossible decimals."""
    s = world.scenario
    tokens = (s.deployment.hostile_symbol_token, s.deployment.long_symbol_token)
    safes = [s.create_safe([world.holder("ann")]) for _ in range(2)]
    for safe in safes:
        s.create_safe_legacy(s.account("ann"), safe, list(world.heirs))
    for token in tokens:
        s.whitelist(token)
        s.anvil.set_code(token, "0x7f" + "ff" * 32 + "60005260206000f3")
    found = {token["token"]: token for token in (await world.snapshot()).tokens}
    assert {found[token]["amount"] for token in tokens} == {str(2 * UNLIMITED)}
    shown = {(found[token]["symbol"], found[token]["decimals"], found[token]["usd"]) for token in tokens}
    assert shown == {(None, None, None)}


async def test_all_figures_are_of_one_block(world: StatsWorld) -> None:
    """Tokens minted between two reads of a snapshot do not count."""
    s, usdc = world.scenario, world.scenario.deployment.usdc
    ann, bob = world.holder("ann", 1_000), world.holder("bob")
    for owner in (ann, bob):
        s.approve(owner, usdc, s.create_legacy(owner, world.heirs).address, UNLIMITED)
    await world.index.run()
    calls = 0

    def move(request: Json) -> None:
        nonlocal calls
        if request["method"] == "eth_call":
            calls += 1
            s.mint(usdc, bob.address, 100)

    async with proxy(s.anvil.url) as node:
        node.answer = move
        watched = Chain(settings_of(s, RPC_URLS=(node.url,)))
        await StatisticsPass(world.engine, watched, LocalFiles(world.folder)).run()
        await watched.close()
    found = await snapshots.find_newest_snapshot(world.engine, world.chain.chain_id)
    assert found is not None
    assert calls >= 3
    assert [token["amount"] for token in found.tokens] == ["1000"]


# -- in dollars -----------------------------------------------------------------------------------


async def test_secured_amounts_are_valued_with_fresh_prices_only(world: StatsWorld) -> None:
    """A token without a feed has an amount only. Without a fresh price there is no sum."""
    s, ann = world.scenario, world.holder("ann")
    s.create_gift(ann, ann.address, eth=2 * ETHER, tokens=[(s.deployment.usdc, 1_500_000)])
    s.create_gift(ann, ann.address, tokens=[(s.deployment.dai, 1)])
    for feed, answer in ((s.deployment.eth_usd_feed, 2_500 * 10**8), (s.deployment.usdc_usd_feed, 10**8)):
        s.write_as_deployer("PriceFeed", feed, "setAnswer", answer, s.anvil.now())
    await PricePass(world.engine, world.chain).run()
    found = await world.snapshot()
    assert {t["symbol"]: t["usd"] for t in found.tokens} == {"WETH": "5000.00", "USDC": "1.50", "DAI": None}
    assert found.value_secured_usd == Decimal("5001.50")
    async with world.engine.begin() as connection:
        await connection.execute(update(price_feed).values(verdict="stale"))
    found = await world.snapshot()
    assert {t["symbol"]: t["usd"] for t in found.tokens} == {"WETH": None, "USDC": None, "DAI": None}
    assert found.value_secured_usd is None


async def test_metrics_tell_the_newest_value_and_its_age_and_no_value_where_a_price_is_missing(
    world: StatsWorld,
) -> None:
    """Nothing before the first snapshot; an age always; dollars only while every price is good."""

    async def told() -> dict[str, tuple[dict[str, str], float]]:
        scope = FactScope(world.engine, {world.chain.chain_id: world.chain.settings})
        found = render_fact(SNAPSHOTS, await SNAPSHOTS.read(scope))
        samples = [sample for family in found for sample in family.samples]
        return {sample.name.removeprefix("reminder_worker_"): (sample.labels, sample.value) for sample in samples}

    assert await told() == {}
    s, ann = world.scenario, world.holder("ann")
    s.create_gift(ann, ann.address, tokens=[(s.deployment.usdc, 1_500_000)])
    s.write_as_deployer("PriceFeed", s.deployment.usdc_usd_feed, "setAnswer", 10**8, s.anvil.now())
    await PricePass(world.engine, world.chain).run()
    await world.snapshot()
    async with world.engine.begin() as connection:
        await connection.execute(update(statistics).values(block_time=int(time.time()) - 7_200))
        await connection.execute(update(price_feed).values(verdict="stale"))
    found, chain = await told(), {"chain": "31337"}
    assert found["value_secured_usd"] == (chain, 1.5)
    assert found["statistics_age_seconds"] == (chain, pytest.approx(7_200, abs=300))
    await world.snapshot()
    assert set(await told()) == {"statistics_age_seconds"}


# -- snapshots, days and files --------------------------------------------------------------------


async def test_a_snapshot_is_taken_once_an_hour(world: StatsWorld) -> None:
    """The first look in an hour finds work, after it none does until the next hour."""
    world.scenario.create_legacy(world.holder("ann"), world.heirs)
    assert not await world.statistics.poll(), "before the index has read anything"
    await world.index.run()
    assert await world.statistics.poll()
    await world.statistics.run()
    assert not await world.statistics.poll()
    world.scenario.advance(3_600)
    assert not await world.statistics.poll(), "the index is behind, and so is what it says"
    await world.index.run()
    assert await world.statistics.poll()


async def test_an_hour_without_a_value_gets_one_when_the_price_is_there(world: StatsWorld) -> None:
    """After a start or an outage the prices may be read later than the snapshot is taken. Once is enough."""
    s, ann = world.scenario, world.holder("ann")
    s.create_gift(ann, ann.address, eth=2 * ETHER, tokens=[(s.deployment.usdc, 1_500_000), (s.deployment.dai, 1)])
    taken = await world.snapshot()
    assert taken.value_secured_usd is None
    assert not await world.statistics.poll(), "no price was read yet"
    s.write_as_deployer("PriceFeed", s.deployment.eth_usd_feed, "setAnswer", 2_500 * 10**8, s.anvil.now())
    s.write_as_deployer("PriceFeed", s.deployment.usdc_usd_feed, "setAnswer", 10**8, s.anvil.now() - 10 * DAY)
    await PricePass(world.engine, world.chain).run()
    assert await world.statistics.poll(), "that of ether is fresh"
    assert (await world.snapshot()).value_secured_usd is None
    assert not await world.statistics.poll(), "the other one is not"
    s.write_as_deployer("PriceFeed", s.deployment.usdc_usd_feed, "setAnswer", 10**8, s.anvil.now())
    await PricePass(world.engine, world.chain).run()
    assert await world.statistics.poll()
    valued = await world.snapshot()
    assert (valued.hour, valued.value_secured_usd) == (taken.hour, Decimal("5001.50"))
    assert world.read("snapshots")["value_secured_usd"].to_list() == [Decimal("5001.50")]
    assert not await world.statistics.poll()


async def test_an_hour_that_is_run_again_is_replaced(world: StatsWorld) -> None:
    """In the table and in the files: one row, of the newer state, and nothing left beside them."""
    ann = world.holder("ann")
    world.scenario.create_legacy(ann, world.heirs)
    first = await world.snapshot()
    world.scenario.create_legacy(ann, world.heirs)
    second = await world.snapshot()
    assert (first.hour, first.counts["legacies"]["total"]) == (second.hour, 1)
    async with world.engine.connect() as connection:
        assert await connection.scalar(select(func.count()).select_from(statistics)) == 1
    assert world.read("snapshots")["legacies_total"].to_list() == [2]
    assert world.read("days")["total_legacies_created"].to_list() == [2]
    assert {path.suffix for path in world.folder.rglob("*") if path.is_file()} == {".parquet"}


async def test_days_written_later_equal_days_written_in_time(world: StatsWorld, tmp_path: Path) -> None:
    """Snapshots over four days, one of them missed; then the same days computed at the end, into another folder.

    The value secured exists only for days with a snapshot.
    """
    s = world.scenario
    tell(s)
    days = [(await world.snapshot()).hour.date()]
    s.create_gift(world.holder("ann"), s.account("eve").address, tokens=[(s.deployment.usdc, 5)], duration=DAY)
    s.advance(DAY)
    days.append((await world.snapshot()).hour.date())
    s.advance(DAY)
    s.withdraw_gift(s.account("eve"), s.read("TimeLockRouter", s.deployment.time_lock_router, "timelockCounter"))
    s.advance(DAY)
    days.append((await world.snapshot()).hour.date())
    lived = world.read("days").sort("day")
    assert [days[0] + timedelta(days=n) for n in range(4)] == lived["day"].to_list()[-4:]
    await write_days(world.engine, LocalFiles(tmp_path / "again"), world.chain.settings, lived["day"].to_list())
    again = pl.read_parquet(tmp_path / "again/days/**/*.parquet", hive_partitioning=True).sort("day")
    assert again.equals(lived.select(again.columns))
    last, missed = lived.row(-1, named=True), lived.row(-2, named=True)
    assert (missed["timelocks_withdrawn"], last["timelocks_withdrawn"]) == (1, 0)
    assert [day for day, block in lived.select("day", "value_block_number").iter_rows() if block] == days
    counts = world.read("snapshots").sort("hour").row(-1, named=True)
    assert last["total_legacies_created"] == counts["legacies_total"]
    assert last["total_legacies_deleted"] == counts["legacies_deleted"]
    assert last["total_timelocks_sealed"] == counts["timelocks_total"]
    assert last["total_timelocks_withdrawn"] == counts["timelocks_ended"]
    assert last["total_gifts_sealed"] == counts["gifts_total"]


async def test_a_day_is_final_only_after_it_ended(world: StatsWorld) -> None:
    """Events after the last snapshot of a day are in that day's file, also after days of downtime."""
    ann, s = world.holder("ann"), world.scenario
    s.create_legacy(ann, world.heirs)
    first = (await world.snapshot()).hour.date()
    s.create_legacy(ann, world.heirs)
    s.advance(5 * DAY)
    await world.snapshot()
    found = world.read("days").filter(pl.col("day") == first)
    assert found["legacies_created"].to_list() == [2]


async def test_a_reorganisation_repeats_the_snapshot_of_the_hour(world: StatsWorld) -> None:
    """A snapshot of a block that is no longer there is replaced while its hour lasts, files and all."""
    ann, s = world.holder("ann"), world.scenario
    s.create_legacy(ann, world.heirs)
    s.anvil.mine(3)
    s.create_legacy(ann, world.heirs)
    assert (await world.snapshot()).counts["legacies"]["total"] == 2
    s.anvil.reorg(2)
    assert not await world.statistics.poll(), "the index has not followed yet"
    await world.index.run()
    assert await world.statistics.poll()
    await world.statistics.run()
    assert not await world.statistics.poll()
    assert world.read("snapshots")["legacies_total"].to_list() == [1]
    assert world.read("days")["total_legacies_created"].to_list() == [1]


async def test_nothing_of_a_user_is_in_the_table_or_the_files(world: StatsWorld) -> None:
    """No address of an owner, a recipient, a legacy or a Safe, in any form; tokens are public contracts."""
    story = tell(world.scenario)
    ann = world.holder("ann", 1_000)
    legacy = world.scenario.create_legacy(ann, world.heirs)
    world.scenario.approve(ann, world.scenario.deployment.usdc, legacy.address, UNLIMITED)
    await world.snapshot()
    people = [world.scenario.account(name).address.lower() for name in ("ann", "bob", "cid", "dee", "eve", "heir")]
    secret = {*people, *story.legacies, *story.recipients, legacy.address}
    async with world.engine.connect() as connection:
        rows = repr((await connection.execute(select(statistics))).all()).lower()
    assert world.scenario.deployment.usdc in rows
    assert not [address for address in secret if address[2:] in rows]
    for path in world.folder.rglob("*.parquet"):
        cells = repr(pl.read_parquet(path, hive_partitioning=False).rows()).lower()
        raw = path.read_bytes()
        assert not [a for a in secret if a[2:] in cells or bytes.fromhex(a[2:]) in raw or a.encode() in raw.lower()]


async def test_the_examples_for_analysts_read_what_was_written(world: StatsWorld) -> None:
    """As they stand in the documentation. The ten cells of the notebook are run as one script, without a package.

    One file is from before a column was added.
    """
    s, ann = world.scenario, world.holder("ann")
    s.create_legacy(ann, world.heirs)
    s.create_gift(ann, s.account("eve").address, tokens=[(s.deployment.usdc, 2_500_000)])
    await world.snapshot()
    newest = max(world.folder.glob("days/**/*.parquet"))
    older = newest.parents[2] / "day=2026-01-01" / newest.parent.name / newest.name
    older.parent.mkdir(parents=True)
    pl.read_parquet(newest, hive_partitioning=False).drop("value_secured_usd").write_parquet(older)
    examples = Path(__file__).parents[2] / "docs/examples"
    notebook = json.loads((examples / "questions.ipynb").read_text("utf-8"))
    assert len(notebook["cells"]) == 10
    script = "\n".join(cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code")
    day = str(datetime.fromtimestamp(s.anvil.now(), UTC).date())
    environ = {**os.environ, "STATISTICS_FOLDER": str(world.folder)}
    for arguments, words in (
        ([str(examples / "statistics.py"), str(world.folder)], ("USDC", "2.5", day)),
        (["-c", script], ("USDC", "account", "Relays")),
    ):
        command = [sys.executable, *arguments]
        ran = await asyncio.to_thread(subprocess.run, command, env=environ, capture_output=True, text=True, check=True)
        assert [word for word in words if word not in ran.stdout] == []


def test_a_day_is_materialised_and_filled_in_through_dagster(
    chain_scenario: Scenario, database_url: str, tmp_path: Path
) -> None:
    """Partitions are the days with a file, of every chain, from the first on. The hourly run writes and reports them.

    A range of days is one run; nobody is named.
    """
    ann = chain_scenario.account("ann")
    chain_scenario.create_legacy(ann, {chain_scenario.account("heir").address: 100})
    settings = settings_for(chain_scenario, database_url, STATISTICS_FOLDER=str(tmp_path / "statistics"))
    service = Service(lambda: open_runtime(settings))
    resources = {"service": service, "io_manager": dg.mem_io_manager}
    created = datetime.fromtimestamp(chain_scenario.anvil.now(), UTC).date()
    days = [created, created + timedelta(days=1)]
    chain_scenario.advance(86_400)
    asset_range = {
        "dagster/asset_partition_range_start": days[0].isoformat(),
        "dagster/asset_partition_range_end": days[1].isoformat(),
    }
    instance = dg.DagsterInstance.ephemeral()
    try:
        for job, tags in (("events", {}), ("statistics", {}), ("daily_series", asset_range)):
            if job == "daily_series":
                assert instance.get_dynamic_partitions("statistics_days") == [day.isoformat() for day in days]
                assert instance.get_materialized_partitions(statistics_days.key) == {day.isoformat() for day in days}
            result = defs.resolve_job_def(job).execute_in_process(instance=instance, resources=resources, tags=tags)
            assert result.success
            checked = {each.check_name: each.passed for each in result.get_asset_check_evaluations()}
            if job == "statistics":
                assert checked == dict.fromkeys(
                    ("every_chain_succeeded", "no_negative_value", "totals_equal_parts", "no_jump"), True
                )
            told = repr([e.step_materialization_data for e in result.get_asset_materialization_events()])
            assert ann.address[2:].lower() not in told.lower()
    finally:
        service.close()
        instance.dispose()
    found = pl.read_parquet(tmp_path / "statistics/days/**/*.parquet", hive_partitioning=True).sort("day")
    assert found["day"].to_list() == days
    assert found["total_legacies_created"].to_list() == [1, 1]
    shown = {
        made.partition or "": {name: value.value for name, value in made.metadata.items()}
        for made in (e.step_materialization_data.materialization for e in result.get_asset_materialization_events())
    }
    assert {day: figures["total legacies created"] for day, figures in shown.items()} == {
        day.isoformat(): count for day, count in zip(days, (1, 1), strict=True)
    }
    assert {figures["dagster/partition_row_count"] for figures in shown.values()} == {1}
    plots = {day for day, figures in shown.items() if "data:image/svg+xml;base64," in repr(figures)}
    assert plots == {days[1].isoformat()}
