"""The watchdog: told once when something begins and once when it is over, and a ping only while nothing is wrong."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest
from aiohttp import web
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine
from structlog.testing import capture_logs

from devnet.scenarios import Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.declarations import ExpectedPass, FactScope
from reminder_worker.monitoring import watchdog
from reminder_worker.monitoring.facts import LIMITS
from reminder_worker.monitoring.watchdog import HealthWatchdog, WatchdogReport
from reminder_worker.outbox.alerts import AlertOutbox
from reminder_worker.outbox.messages import AlertKind
from reminder_worker.privacy.vault import Vault
from reminder_worker.settings import Settings
from tests.integration.api_world import settings_for
from tests.integration.chain_proxy import NodeProxy, alters, proxy, two_endpoints
from tests.integration.relay_rows import RELAYER, connected, enter_request

CHAIN = 31337
SECRET = "5e3c7a19-heartbeat-key"
PASSES = [
    ExpectedPass("index", CHAIN, 5),
    ExpectedPass("due", CHAIN, 60),
    ExpectedPass("dispatch", 0, 15),
    ExpectedPass("gifts", 0, 15),
    ExpectedPass("alerts", 0, 15),
]


class FakeHeart:
    """A heartbeat service on loopback that counts and answers as told."""

    def __init__(self) -> None:
        self.pings = 0
        self.elsewhere = 0
        self.answer: Callable[[], web.Response] = lambda: web.Response(text="OK")
        self.hang = False
        self.url = ""

    async def __aenter__(self) -> "FakeHeart":
        app = web.Application()
        app.router.add_get(f"/{SECRET}", self._ping)
        app.router.add_get("/elsewhere", self._elsewhere)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/{SECRET}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def _ping(self, _: web.Request) -> web.Response:
        self.pings += 1
        if self.hang:
            await asyncio.Event().wait()
        return self.answer()

    async def _elsewhere(self, _: web.Request) -> web.Response:
        self.elsewhere += 1
        return web.Response()


@dataclass
class WatchWorld:
    engine: AsyncEngine
    alerts: AlertOutbox
    chains: dict[int, Chain]
    settings: Settings
    heart: FakeHeart
    expected: list[ExpectedPass] = field(default_factory=lambda: list(PASSES))
    wallets: list[str] = field(default_factory=list)

    async def look(self) -> WatchdogReport:
        chains = {chain_id: chain.settings for chain_id, chain in self.chains.items()}
        scope = FactScope(self.engine, chains, self.wallets, self.expected, self.settings.is_local)
        return await HealthWatchdog(scope, self.alerts, self.chains, self.settings).run()

    async def sql(self, statement: str, **values: Any) -> list[Any]:
        async with self.engine.begin() as connection:
            result = await connection.execute(text(statement), values)
            return list(result.all()) if result.returns_rows else []

    async def succeed(self, *passes: ExpectedPass) -> None:
        for each in passes or PASSES:
            await self.sql(
                "insert into worker.pass_state (name, chain_id, checked_at, succeeded_at) values (:name, :chain, now(),"
                " now()) on conflict (name, chain_id) do update set succeeded_at = now(), error = null",
                name=each.name,
                chain=each.chain_id,
            )

    async def age(self, name: str, seconds: int, error: str | None = None) -> None:
        await self.sql(
            "update worker.pass_state set succeeded_at = now() - make_interval(secs => :s), failed_at = now(),"
            " error = :e where name = :n",
            s=seconds,
            e=error,
            n=name,
        )

    async def minutes_pass(self, seconds: int = 3600) -> None:
        """Since the watchdog began to see otherwise than it told."""
        await self.sql(
            "update worker.alert_state set turning_since = turning_since - make_interval(secs => :s)", s=seconds
        )

    async def told(self) -> list[tuple[str, str, str]]:
        rows = await self.sql(
            "select kind, subject, variables->>'status' as status from worker.alert order by created_at"
        )
        return [tuple(row) for row in rows]


@asynccontextmanager
async def opened(
    engine: AsyncEngine, scenario: Scenario, heart: FakeHeart, rpc: str = "", **environ: str
) -> AsyncIterator[WatchWorld]:
    more = {f"CHAIN_{CHAIN}_RPC_URLS": rpc or scenario.anvil.url, "HEARTBEAT_URL": heart.url, **environ}
    settings = settings_for(scenario, "postgresql://unused@localhost/unused", **more)
    chains = {each.chain_id: Chain(each) for each in settings.chains}
    try:
        world = WatchWorld(engine, AlertOutbox(engine), chains, settings, heart)
        await world.sql(
            "insert into worker.index_cursor (chain_id, name, block_number, block_hash)"
            " values (31337, 'index', :n, '0x')",
            n=scenario.anvil.block_number(),
        )
        await world.succeed()
        yield world
    finally:
        for chain in chains.values():
            await chain.close()


@pytest.fixture
async def heart() -> AsyncIterator[FakeHeart]:
    async with FakeHeart() as served:
        yield served


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario, heart: FakeHeart) -> AsyncIterator[WatchWorld]:
    async with opened(engine, chain_scenario, heart) as found:
        yield found


# -- the heartbeat ------------------------------------------------------------------------------------


async def test_a_healthy_worker_is_pinged_for_at_every_look_and_nothing_is_told(world: WatchWorld) -> None:
    for pings in (1, 2):
        sighting = await world.look()
        assert (sighting.healthy, sighting.changed, sighting.heartbeat) == (True, 0, "asked")
        assert world.heart.pings == pings
    assert await world.told() == []


async def test_silence_lasts_from_the_first_look_that_sees_something_wrong_to_the_all_clear(world: WatchWorld) -> None:
    """Looks go on while no run starts: what is wrong is in the log, and only a run sends the email."""
    await world.age("due", LIMITS.alive_seconds + 61)
    sighting = await world.look()
    assert (sighting.healthy, sighting.wrong, sighting.heartbeat) == (False, 1, "silent")
    await world.minutes_pass()
    with capture_logs() as lines:
        await world.look()
        await world.look()
    (told,) = [line for line in lines if line["event"] == "alert"]
    assert (told["kind"], told["subject"], told["status"]) == ("worker_stalled", "due", "raised")
    await world.succeed()
    await world.look()
    assert world.heart.pings == 0
    await world.minutes_pass(LIMITS.calm_seconds)
    assert (await world.look()).heartbeat == "asked"


@pytest.mark.parametrize(
    ("set_by_half", "facts"),
    [
        ({"MAIL_TOKEN": ""}, {"set by half": "MAIL_TOKEN"}),
        ({"RELAYER_KEY": "not a key"}, {"wallets whose key cannot be used": "1"}),
    ],
)
async def test_what_was_meant_to_be_on_and_cannot_be_is_told_and_makes_silence(
    engine: AsyncEngine, chain_scenario: Scenario, heart: FakeHeart, set_by_half: dict[str, str], facts: dict[str, str]
) -> None:
    """All emails would wait, or nothing be relayed, while everything that is on looks well."""
    async with opened(engine, chain_scenario, heart, **set_by_half) as world:
        sighting = await world.look()
        assert (sighting.healthy, sighting.changed, sighting.heartbeat) == (False, 1, "silent")
        (told,) = await world.sql("select variables -> 'facts' as facts from worker.alert")
        assert {each["name"]: each["value"] for each in told.facts} == facts
        world.settings = settings_for(chain_scenario, "postgresql://unused@localhost/unused", HEARTBEAT_URL=heart.url)
        await world.look()
        await world.minutes_pass(LIMITS.calm_seconds)
        assert (await world.look()).heartbeat == "asked"
        assert [status for *_, status in await world.told()] == ["raised", "cleared"]
    assert heart.pings == 1


async def test_unread_delivery_reports_begin_once_end_once_and_keep_the_heartbeat(world: WatchWorld) -> None:
    """A stranger's report can cause it; with the mail service of a worker that has none, nothing is said."""
    world.expected = [*PASSES, ExpectedPass("bounces", 0, 300)]
    await world.succeed(*world.expected)
    row = "insert into worker.report_reading values (1, 7, now() - interval '1 day', 0, 0, 1, now(), 0, 0)"
    await world.sql(row)
    for _ in range(2):
        assert (await world.look()).heartbeat == "asked"
    await world.sql("update worker.report_reading set looked_at = now(), set_aside_at = now() - interval '25 hours'")
    await world.look()
    await world.minutes_pass(LIMITS.calm_seconds)
    for _ in range(2):
        await world.look()
    about = ("reports_not_read", "delivery reports")
    assert await world.told() == [(*about, "raised"), (*about, "cleared")]


async def test_without_an_address_nobody_is_pinged(
    engine: AsyncEngine, chain_scenario: Scenario, heart: FakeHeart
) -> None:
    async with opened(engine, chain_scenario, heart, HEARTBEAT_URL="") as world:
        assert (await world.look()).heartbeat == "off"
        await world.age("due", LIMITS.alive_seconds + 61)
        sighting = await world.look()
        assert (sighting.healthy, sighting.heartbeat) == (False, "off"), "nor is anybody's silence heard"
    assert heart.pings == 0


@pytest.mark.parametrize("table", ["pass_state", "index_cursor", "alert_state", "sent_ledger"])
async def test_a_database_that_cannot_be_read_makes_silence(world: WatchWorld, table: str) -> None:
    """Whichever read or write of the look it is."""
    await world.sql(f"alter table worker.{table} rename to away")
    with pytest.raises(SQLAlchemyError):
        await world.look()
    assert world.heart.pings == 0


@pytest.mark.parametrize("only_reads", ["default_transaction_read_only = on", "temp_file_limit = 0"])
async def test_a_database_that_takes_no_writes_makes_silence(world: WatchWorld, only_reads: str) -> None:
    """Everything can be read, and looks well: that nothing can be planned or sent would show minutes later. With the
    second a row still finds room, as on a full disk, and no file can grow."""
    await world.sql(f"alter database {world.engine.url.database} set {only_reads}")
    await world.engine.dispose()
    with pytest.raises(SQLAlchemyError):
        await world.look()
    assert world.heart.pings == 0


async def test_what_the_relay_told_of_a_wallet_makes_silence_and_is_not_told_again(world: WatchWorld) -> None:
    world.wallets.append(RELAYER)
    await world.alerts.raise_condition(None, AlertKind.RELAYER_STOPPED, RELAYER, CHAIN, {})
    assert (await world.look()).heartbeat == "silent"
    assert await world.told() == [("relayer_stopped", RELAYER, "raised")]


async def test_what_happens_on_chain_makes_no_silence(world: WatchWorld) -> None:
    """A short delay of the upgrade timelock is for people to judge; the worker is well."""
    await world.alerts.raise_condition(None, AlertKind("upgrade_delay_short"), "timelock", CHAIN, {})
    assert (await world.look()).heartbeat == "asked"


# -- its address is a secret ---------------------------------------------------------------------------


def _answers(heart: FakeHeart, how: str) -> str:
    """Make the heartbeat fail in one way. Return the URL to ask."""
    if how == "refused":
        return f"http://127.0.0.1:9/{SECRET}"
    if how == "no host":
        return f"http://{SECRET}.invalid/{SECRET}"
    if how == "hangs":
        heart.hang = True
    if how == "500":
        heart.answer = lambda: web.Response(status=500, text=SECRET)
    if how == "redirect":
        heart.answer = lambda: web.Response(status=302, headers={"Location": "/elsewhere?key=" + SECRET})
    return heart.url


@pytest.mark.parametrize("how", ["works", "refused", "no host", "hangs", "500", "redirect"])
async def test_a_ping_that_fails_fails_nothing_and_its_address_leaks_nowhere(
    engine: AsyncEngine, chain_scenario: Scenario, heart: FakeHeart, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(watchdog, "PING_SECONDS", 0.5)
    url = _answers(heart, how)
    async with opened(engine, chain_scenario, heart, HEARTBEAT_URL=url) as world:
        with capture_logs() as logs:
            sighting = await world.look()
        assert sighting.healthy
        assert (sighting.heartbeat == "asked") == (how == "works")
        failures = [line for line in logs if line["event"] == "heartbeat_failed"]
        assert [line["error"] for line in failures] == ([] if how == "works" else [sighting.heartbeat])
        stored = await world.sql("select row_to_json(p)::text from worker.pass_state p")
        shown = json.dumps([str(line) for line in logs]) + repr(sighting) + repr(stored) + repr(world.settings)
        assert SECRET not in shown
        assert url not in shown
    assert heart.elsewhere == 0, "a redirect is not followed"


# -- told once, and an all-clear -------------------------------------------------------------------------


@pytest.mark.core
async def test_a_pass_that_stands_still_is_told_once_and_once_more_when_it_works(world: WatchWorld) -> None:
    await world.age("due", LIMITS.alive_seconds + 100, "ChainUnavailable")
    assert (await world.look()).changed == 0, "after a stop everything is old: the first runs have their time"
    await world.minutes_pass()
    assert [(await world.look()).changed for _ in range(3)] == [1, 0, 0]
    await world.succeed()
    await world.look()
    await world.minutes_pass(LIMITS.calm_seconds)
    assert [(await world.look()).changed for _ in range(3)] == [1, 0, 0]
    assert await world.told() == [("worker_stalled", "due", "raised"), ("worker_stalled", "due", "cleared")]
    (row,) = await world.sql("select variables->'facts' as facts from worker.alert where stage like 'raised%'")
    facts = {fact["name"]: fact["value"] for fact in row.facts}
    assert facts == {
        "pass": "due",
        "looked at every": "60 seconds",
        "last success": "6 minutes",
        "last error": "ChainUnavailable",
    }


async def test_a_pass_that_is_off_is_not_watched_and_not_said_to_work_again(world: WatchWorld) -> None:
    await world.age("due", LIMITS.alive_seconds + 100)
    await _told_after_a_while(world)
    world.expected = [each for each in world.expected if each.name != "due"]
    await world.look()
    await world.minutes_pass(LIMITS.calm_seconds)
    await world.look()
    assert [status for _, _, status in await world.told()] == ["raised", "unwatched"]


async def test_a_fresh_start_has_grace(engine: AsyncEngine, chain_scenario: Scenario, heart: FakeHeart) -> None:
    """No pass has ever looked. An alert comes only after a while, and the heartbeat is silent meanwhile."""
    async with opened(engine, chain_scenario, heart) as world:
        await world.sql("delete from worker.pass_state")
        await world.look()
        await world.minutes_pass(LIMITS.alive_seconds)
        assert ((await world.look()).changed, heart.pings) == (0, 0)
        await world.minutes_pass(100)
        assert (await world.look()).changed == len(PASSES)


async def test_a_schedule_that_was_off_from_the_start_is_told(world: WatchWorld) -> None:
    forget = ExpectedPass("forget", 0, 3600, by_the_clock=True)
    world.expected.append(forget)
    for hours in (0, 2, 3):
        await world.sql("update worker.pass_state set checked_at = now() - make_interval(hours => :h)", h=hours)
        assert (await world.look()).healthy is (hours < 3)
    await world.minutes_pass(LIMITS.alive_seconds + 3600)
    await world.look()
    assert await world.told() == [("worker_stalled", "forget", "raised")]
    await world.succeed(forget)
    await world.look()
    await world.minutes_pass(LIMITS.calm_seconds)
    assert (await world.look()).healthy


async def test_what_flaps_is_not_told_and_what_was_told_is_over_only_when_calm(world: WatchWorld) -> None:
    for _ in range(5):
        await world.age("due", LIMITS.alive_seconds + 100)
        await world.look()
        await world.succeed()
        await world.look()
        await world.minutes_pass()
    assert await world.told() == []
    await world.age("due", LIMITS.alive_seconds + 100)
    await _told_after_a_while(world)
    for _ in range(5):
        await world.succeed()
        await world.look()
        await world.age("due", LIMITS.alive_seconds + 100)
        await world.look()
        await world.minutes_pass()
    assert [status for _, _, status in await world.told()] == ["raised"]


async def test_several_watchdogs_at_once_tell_a_change_once(world: WatchWorld) -> None:
    await world.age("due", LIMITS.alive_seconds + 100)
    await asyncio.gather(*(world.look() for _ in range(8)))
    await world.minutes_pass()
    assert sum(each.changed for each in await asyncio.gather(*(world.look() for _ in range(8)))) == 1
    await world.succeed()
    await asyncio.gather(*(world.look() for _ in range(8)))
    await world.minutes_pass(LIMITS.calm_seconds)
    assert sum(each.changed for each in await asyncio.gather(*(world.look() for _ in range(8)))) == 1
    assert [status for _, _, status in await world.told()] == ["raised", "cleared"]


async def test_conditions_of_a_wallet_that_is_no_longer_ours_are_over(world: WatchWorld) -> None:
    world.wallets.append(RELAYER)
    earlier = "0x" + "99" * 20
    for wallet in (RELAYER, earlier):
        await world.alerts.raise_condition(None, AlertKind.RELAYER_LOW_BALANCE, wallet, CHAIN, {})
    assert (await world.look()).changed == 1
    assert (await world.told())[-1] == ("relayer_low_balance", earlier, "unwatched")


async def test_a_short_delay_of_a_timelock_that_is_no_longer_watched_is_over(
    engine: AsyncEngine, chain_scenario: Scenario, heart: FakeHeart
) -> None:
    """As when a wrong address was configured: the timelock itself is not asked any more, and would never clear it."""
    watched, earlier = "0x" + "77" * 20, "0x" + "99" * 20
    async with opened(engine, chain_scenario, heart, **{f"CHAIN_{CHAIN}_UPGRADE_TIMELOCK": watched}) as world:
        for timelock, chain_id in ((watched, CHAIN), (earlier, CHAIN), (watched, 777)):
            await world.alerts.raise_condition(None, AlertKind.UPGRADE_DELAY_SHORT, timelock, chain_id, {})
        assert (await world.look()).changed == 2
        left = await world.sql("select subject, chain_id from worker.alert_state where raised")
        assert [tuple(row) for row in left] == [(watched, CHAIN)]


# -- what is looked at -------------------------------------------------------------------------------------


async def _told_after_a_while(world: WatchWorld) -> list[tuple[str, str, str]]:
    await world.look()
    await world.minutes_pass()
    await world.look()
    return await world.told()


async def test_an_endpoint_that_does_not_answer_is_told(
    engine: AsyncEngine, chain_scenario: Scenario, heart: FakeHeart
) -> None:
    both = f"{chain_scenario.anvil.url},http://127.0.0.1:9"
    async with opened(engine, chain_scenario, heart, both) as world:
        assert await _told_after_a_while(world) == [("rpc_trouble", "no answer", "raised")]


async def test_of_a_chain_that_is_away_one_alert_is_told_and_one_when_it_is_back(
    engine: AsyncEngine, chain_scenario: Scenario, heart: FakeHeart
) -> None:
    """All its passes stand still meanwhile. A pass that still stands afterwards causes an alert."""
    passes = [ExpectedPass(name, CHAIN, 5) for name in ("index", "signals", "due", "upgrades")]
    async with proxy(chain_scenario.anvil.url) as node, opened(engine, chain_scenario, heart, node.url) as world:
        world.expected = passes
        await world.succeed(*passes)
        node.reply = lambda: web.Response(status=503)
        assert await _told_after_a_while(world) == [("rpc_trouble", "none answers", "raised")]
        for each in passes:
            await world.age(each.name, 9999, "ChainUnavailable")
        for _ in range(3):
            await world.minutes_pass()
            sighting = await world.look()
        assert (sighting.healthy, sighting.changed, sighting.heartbeat) == (False, 0, "silent")
        node.well()
        world.chains[CHAIN].endpoints.members[0].rest.record_success()  # it is left alone no longer
        await world.look()
        assert len(await world.told()) == 1
        await world.succeed(*passes[1:])
        await _told_after_a_while(world)
        assert sorted((await world.told())[1:]) == [
            ("rpc_trouble", "none answers", "cleared"),
            ("worker_stalled", "index", "raised"),
        ]


@pytest.mark.parametrize("place", [0, 1])
async def test_endpoints_that_disagree_on_an_old_block_are_told(
    engine: AsyncEngine, chain_scenario: Scenario, heart: FakeHeart, place: int
) -> None:
    async with two_endpoints(chain_scenario.anvil.url) as two:
        (two.first, two.second)[place].alter = alters(
            "eth_getBlockByNumber",
            lambda asked, block: block if asked["params"][0] == "latest" else {**block, "hash": "0x" + "66" * 32},
        )
        async with opened(engine, chain_scenario, heart, two.urls) as world:
            assert await _told_after_a_while(world) == [("rpc_trouble", "endpoints disagree", "raised")]


async def test_an_index_that_comes_no_nearer_is_told_and_one_that_catches_up_is_not(world: WatchWorld) -> None:
    await world.sql("update worker.index_cursor set block_number = -500")
    await world.look()
    for block in (-400, -300):
        await world.sql("update worker.index_cursor set block_number = :n", n=block)
        await world.look()
        await world.minutes_pass()
    assert await world.told() == []
    assert await _told_after_a_while(world) == [("index_lagging", "index", "raised")]


async def test_signals_that_come_no_nearer_are_told_also_while_the_index_follows(world: WatchWorld) -> None:
    """Their pass succeeds at every look that finds no newer safe block, for ever."""
    await world.sql(
        "insert into worker.index_cursor (chain_id, name, block_number, block_hash)"
        " values (31337, 'signals', -500, '0x')"
    )
    await world.look()
    assert await _told_after_a_while(world) == [("index_lagging", "signals", "raised")]


def _of_production(world: WatchWorld) -> None:
    service = world.settings.service.model_copy(update={"environment": "production"})
    world.settings = world.settings.model_copy(update={"service": service})


def aged(block: dict[str, Any], age: int | None) -> dict[str, Any]:
    return block if age is None else {**block, "timestamp": hex(int(time.time()) - age)}


async def test_a_chain_that_settles_nothing_more_is_told_although_blocks_come(
    engine: AsyncEngine, chain_scenario: Scenario, heart: FakeHeart
) -> None:
    """Or a node whose safe block stands still: signals wait, and every pass succeeds."""
    ages = {"latest": 5, "safe": LIMITS.settled_within + 60, "finalized": 900}
    async with proxy(chain_scenario.anvil.url) as node:
        node.alter = alters("eth_getBlockByNumber", lambda asked, block: aged(block, ages.get(asked["params"][0])))
        async with opened(engine, chain_scenario, heart, node.url) as world:
            _of_production(world)
            assert await _told_after_a_while(world) == [("rpc_trouble", "no new safe block", "raised")]
            ages["safe"] = 900
            await world.look()
            await world.minutes_pass(LIMITS.calm_seconds)
            assert (await world.look()).healthy
            assert (await world.told())[1:] == [("rpc_trouble", "no new safe block", "cleared")]


async def test_a_clock_that_is_slow_is_told_although_everything_else_is_well(
    engine: AsyncEngine, chain_scenario: Scenario, heart: FakeHeart
) -> None:
    """Every signed deadline is then too far ahead, and no pass fails."""
    ages = {"latest": -LIMITS.clocks_within - 60}
    async with proxy(chain_scenario.anvil.url) as node:
        node.alter = alters("eth_getBlockByNumber", lambda asked, block: aged(block, ages.get(asked["params"][0])))
        async with opened(engine, chain_scenario, heart, node.url) as world:
            _of_production(world)
            assert await _told_after_a_while(world) == [("rpc_trouble", "a block of the future", "raised")]


async def test_what_passes_just_learned_of_an_endpoint_is_not_asked_again_unless_it_fails(
    engine: AsyncEngine, chain_scenario: Scenario, heart: FakeHeart
) -> None:
    async with (
        proxy(chain_scenario.anvil.url) as first,
        proxy(chain_scenario.anvil.url) as second,
        opened(engine, chain_scenario, heart, f"{first.url},{second.url}") as world,
    ):
        chain = world.chains[CHAIN]
        chain.shares_heads = True
        chain_scenario.anvil.catch_up()
        chain_scenario.anvil.mine(2)  # `safe` and `finalized` are new, too: after an old block the second is asked
        for tag in ("latest", "safe", "finalized"):
            await chain.get_block(tag)
        first.posts.clear()
        await world.look()
        deep = hex(max(0, chain_scenario.anvil.block_number() - 64))
        assert _blocks_asked(first) == [deep]
        assert _blocks_asked(second) == ["finalized", "latest", "safe", deep]
        first.reply = lambda: web.Response(status=500)
        await chain.get_head()
        first.posts.clear()
        await world.look()
        assert await _told_after_a_while(world) == [("rpc_trouble", "no answer", "raised")]


def _blocks_asked(node: NodeProxy) -> list[str]:
    return [request["params"][0] for request in node.requests if request["method"] == "eth_getBlockByNumber"]


async def _enter_email(world: WatchWorld, state: str, minutes: int = 0, count: int = 1) -> None:
    for _ in range(count):
        await world.sql(
            "insert into worker.sent_ledger (id, chain_id, legacy, recipient, kind, event, role, state, created_at)"
            " values (:id, 31337, '0x22', '0x33', 'owner_reset', :event, 'owner', :state,"
            " now() - make_interval(mins => :minutes))",
            id=uuid4(),
            event=uuid4().hex,
            state=state,
            minutes=minutes,
        )


async def _enter_gift(world: WatchWorld, state: str, minutes: int = 0) -> None:
    await world.sql(
        "insert into worker.gift_ledger (id, email_hash, chain_id, timelock_id, kind, state, expires_at, created_at)"
        " values (:id, :hash, 31337, 5, 'gift_waiting', :state, now() + interval '90 days',"
        " now() - make_interval(mins => :minutes))",
        id=uuid4(),
        hash=uuid4().bytes,
        state=state,
        minutes=minutes,
    )


@pytest.mark.parametrize(
    "how", ["reverts", "held", "dead", "unknown", "relayer_low_balance", "relay_stuck", "relay_cap_used"]
)
async def test_what_strangers_can_bring_about_is_told_and_silences_nothing(
    world: WatchWorld, database_url: str, how: str
) -> None:
    """Otherwise strangers could make the service look dead, or hide its death."""
    if how == "reverts":
        with connected(database_url) as database:
            for nonce in range(LIMITS.failures_per_hour):
                enter_request(database.execute, Vault(b"e" * 32), "reverted", nonce=nonce, age_seconds=60)
    elif how in ("held", "dead", "unknown"):
        await _enter_email(world, how, count=LIMITS.failures_per_hour)
    else:
        world.wallets.append(RELAYER)
        await world.alerts.raise_condition(None, AlertKind(how), RELAYER, CHAIN, {})
    sighting = await world.look()
    assert (sighting.healthy, sighting.heartbeat) == (False, "asked")
    assert {status for _, _, status in await world.told()} == {"raised"}
    await world.age("due", LIMITS.alive_seconds + 61)
    assert (await world.look()).heartbeat == "silent", "and hides nothing"


async def test_an_alert_that_was_refused_makes_silence(world: WatchWorld) -> None:
    """The refused alert may be the only report of a fault."""
    await world.sql(
        "insert into worker.alert (id, chain_id, kind, subject, stage, variables, state, logged_at)"
        " values (gen_random_uuid(), 1, 'relay_stuck', 'x', 'raised 1', '{}', 'dead', now())"
    )
    assert (await world.look()).heartbeat == "silent"


@pytest.mark.parametrize("state", ["released", "unknown"])
async def test_emails_that_were_tried_and_are_not_out_are_told_when_it_lasts(world: WatchWorld, state: str) -> None:
    await _enter_email(world, state, minutes=29)
    await _enter_email(world, "queued", minutes=600)  # put off on purpose, or the pass stands still
    await _enter_gift(world, state, minutes=29)
    assert (await world.look()).healthy
    await _enter_gift(world, state, minutes=31)
    assert await _told_after_a_while(world) == [("emails_late", "emails", "raised")]


async def test_an_email_to_a_refused_address_is_not_late(world: WatchWorld) -> None:
    """Its next try is hours away, and it must not hide other emails that are late. Three refusals end it."""
    await _enter_email(world, "released", minutes=600)
    await _enter_gift(world, "released", minutes=600)
    for ledger in ("sent_ledger", "gift_ledger"):
        await world.sql(f"update worker.{ledger} set reason = 'rejected_422'")
    assert not (await world.look()).healthy, "no email went out since: the SMTP server may refuse everybody"
    await _enter_email(world, "released", minutes=500)
    await world.sql(
        "update worker.sent_ledger set state = 'sent', message_id = 'another', settled_at = created_at"
        " where reason is null"
    )
    assert (await world.look()).healthy
    await world.sql(
        "update worker.sent_ledger set reason = 'rejected_400' where state = 'released'"
    )  # of every email, by an old mail service
    assert not (await world.look()).healthy


async def test_an_alert_that_is_not_out_is_a_late_email(world: WatchWorld) -> None:
    await world.sql(
        "insert into worker.alert (id, chain_id, kind, subject, stage, variables, logged_at)"
        " values (gen_random_uuid(), 31337, 'upgrade_scheduled', '0x11', 'x', '{}', now())"
    )
    for minutes, healthy in ((29, True), (31, False)):
        await world.sql(f"update worker.alert set created_at = now() - interval '{minutes} minutes'")
        assert (await world.look()).healthy is healthy


@pytest.mark.parametrize("other", ["reminder", "alert"])
async def test_an_address_that_is_put_off_for_ever_silences_nothing_while_others_go_out(
    world: WatchWorld, other: str
) -> None:
    """Otherwise an owner of such an address could silence the heartbeat. An outage or an unreadable signal does."""
    await _enter_email(world, "released", minutes=40)
    assert (await world.look()).heartbeat == "silent"
    if other == "reminder":
        await _enter_email(world, "queued", minutes=60)
        await world.sql(
            "update worker.sent_ledger set state = 'sent', message_id = '<1@x>',"
            " settled_at = now() - interval '39 minutes' where state = 'queued'"
        )
    else:
        await world.sql(
            "insert into worker.alert (id, chain_id, kind, subject, stage, variables, state, logged_at, created_at)"
            " values (gen_random_uuid(), 0, 'emails_late', 'emails', 'x', '{}', 'sent', now(), now())"
        )
    sighting = await world.look()
    assert (sighting.healthy, sighting.heartbeat) == (False, "asked")
    await _enter_signal(world, 31)
    assert (await world.look()).heartbeat == "silent"
    await world.sql("delete from worker.notify_signal")
    assert (await world.look()).heartbeat == "asked"
    if other == "reminder":  # and nothing was accepted since
        await _enter_email(world, "released", minutes=31)
        assert (await world.look()).heartbeat == "silent"


async def _enter_signal(world: WatchWorld, minutes: int, reason: str | None = None) -> None:
    await world.sql(
        "insert into worker.notify_signal (chain_id, tx_hash, legacy, kind, layer, creator, block_number, block_time,"
        " reason, seen_at) values (31337, :tx, '0x22', 0, 1, '0x33', 5, 5, :reason,"
        " now() - make_interval(mins => :minutes))",
        tx=uuid4().hex,
        reason=reason,
        minutes=minutes,
    )


@pytest.mark.parametrize("reason", [None, "denied_by_an_endpoint", "not_readable_yet"])
async def test_a_signal_that_is_not_planned_is_a_late_email(
    engine: AsyncEngine, chain_scenario: Scenario, heart: FakeHeart, reason: str | None
) -> None:
    """The dispatch succeeds at each of its runs meanwhile, and after a week the signal would be too old."""
    async with opened(engine, chain_scenario, heart, **{f"CHAIN_{CHAIN}_SIGNAL_BLOCK": "safe"}) as world:
        await _enter_signal(world, 29, reason)
        assert (await world.look()).healthy
        await _enter_signal(world, 31, reason)
        assert await _told_after_a_while(world) == [("emails_late", "emails", "raised")]


async def test_a_signal_whose_transaction_is_gone_is_no_trouble_of_ours(
    engine: AsyncEngine, chain_scenario: Scenario, heart: FakeHeart
) -> None:
    """It was read before its block was safe, and waits for a week in case it comes back."""
    async with opened(engine, chain_scenario, heart, **{f"CHAIN_{CHAIN}_SIGNAL_BLOCK": "latest"}) as world:
        await _enter_signal(world, 31, "not_readable_yet")
        assert (await world.look()).heartbeat == "asked"
        await _enter_signal(world, 31)
        assert (await world.look()).heartbeat == "silent"


@pytest.mark.parametrize("off", ["mail", "chain"])
async def test_what_waits_of_what_is_no_longer_configured_is_no_trouble(world: WatchWorld, off: str) -> None:
    """It would silence the heartbeat for ever: nobody sends it any more."""
    await _enter_email(world, "released", minutes=31)
    await _enter_gift(world, "released", minutes=31)
    await _enter_signal(world, 31)
    assert (await world.look()).heartbeat == "silent"
    if off == "mail":
        world.expected = [each for each in world.expected if each.name not in ("dispatch", "gifts")]
    else:
        for table in ("sent_ledger", "gift_ledger", "notify_signal"):
            await world.sql(f"update worker.{table} set chain_id = 777")
    assert (await world.look()).heartbeat == "asked"


async def test_what_strangers_keep_back_is_no_trouble_of_ours(world: WatchWorld) -> None:
    """A legacy that reverts on purpose, emails above an address's daily number (`queued`), and a gift that a
    reorganisation took back after it was registered would silence the heartbeat."""
    await _enter_email(world, "released", minutes=31)
    await _enter_gift(world, "released", minutes=31)
    await _enter_email(world, "queued", minutes=31)
    await world.sql("update worker.sent_ledger set reason = 'legacy_not_readable' where state = 'released'")
    await world.sql("update worker.gift_ledger set reason = 'gift_is_another'")
    await _enter_gift(world, "queued", minutes=31)
    assert (await world.look()).heartbeat == "asked"
    await world.sql("update worker.gift_ledger set reason = 'mail_unavailable'")
    assert (await world.look()).heartbeat == "silent"


async def test_relays_that_nobody_follows_or_that_never_become_final_are_told(
    world: WatchWorld, database_url: str
) -> None:
    """After a change of the key its requests stay open for ever; and what is mined may never become final."""
    left, vault = "0x" + "99" * 20, Vault(b"e" * 32)
    with connected(database_url) as database:
        enter_request(database.execute, vault, "mined", nonce=1, age_seconds=LIMITS.not_final_seconds - 60)
        enter_request(database.execute, vault, "broadcast", nonce=2, age_seconds=LIMITS.not_final_seconds + 60)
        enter_request(
            database.execute, vault, "queued", nonce=None, age_seconds=LIMITS.not_final_seconds - 60, wallet=left
        )
        world.wallets.append(RELAYER)
        _of_production(world)
        await world.look()
        assert await world.told() == []
        enter_request(database.execute, vault, "mined", nonce=3, age_seconds=LIMITS.not_final_seconds + 60)
        enter_request(
            database.execute, vault, "queued", nonce=None, age_seconds=LIMITS.not_final_seconds + 60, wallet=left
        )
    await world.look()
    assert sorted(await world.told()) == [("relay_not_final", each, "raised") for each in sorted((RELAYER, left))]


async def test_a_key_that_is_lost_with_requests_open_is_told_for_a_week(world: WatchWorld, database_url: str) -> None:
    """Nobody can end them any more, and the heartbeat is not to be silent for ever."""
    left, vault = "0x" + "99" * 20, Vault(b"e" * 32)
    with connected(database_url) as database:
        enter_request(database.execute, vault, "mined", nonce=1, age_seconds=6 * 86400, wallet=left)
        enter_request(database.execute, vault, "broadcast", nonce=2, age_seconds=8 * 86400, wallet=left)
    await world.look()
    assert await world.told() == [("relay_not_final", left, "raised")]
    await world.sql("update worker.relay_request set updated_at = updated_at - interval '1 day'")
    await world.look()
    await world.minutes_pass(LIMITS.calm_seconds)
    assert (await world.look()).healthy
    assert (await world.told())[-1] == ("relay_not_final", left, "cleared")


async def test_requests_on_a_chain_that_was_taken_out_are_told_for_a_week(world: WatchWorld, database_url: str) -> None:
    """Their wallet is ours all the same, and nobody looks at them any more."""
    world.wallets.append(RELAYER)
    with connected(database_url) as database:
        enter_request(
            database.execute, Vault(b"e" * 32), "queued", nonce=None, age_seconds=LIMITS.not_final_seconds + 60
        )
    await world.look()
    assert await world.told() == []
    await world.sql("update worker.relay_request set chain_id = 17000")
    await world.look()
    assert await world.told() == [("relay_not_final", RELAYER, "raised")]
    await world.sql("update worker.relay_request set updated_at = updated_at - interval '7 days'")
    await world.look()
    await world.minutes_pass(LIMITS.calm_seconds)
    assert (await world.look()).healthy
