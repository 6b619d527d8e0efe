"""Pages of legacies as served: state and days for anybody at a gift's cost, and what a claim would bring an heir."""

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import pytest
from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.hostile import TokenMode
from devnet.scenarios import DAY, Legacy, Scenario
from reminder_worker import kept_reads
from tests.integration.api_world import ApiAnswer, ApiWorld, open_world
from tests.integration.chain_proxy import TwoEndpoints, two_endpoints

PAGES = {"LEGACY_PAGES": "true"}
INACTIVITY = 180 * DAY
ETHER, USDC = 10**18, 10**6
VIEWERS = 40


@pytest.fixture
async def world(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[ApiWorld]:
    async with open_world(chain_scenario, engine, **PAGES) as opened:
        yield opened


@pytest.fixture
def owner(chain_scenario: Scenario) -> LocalAccount:
    return chain_scenario.account("owner")


@pytest.fixture
def heirs(chain_scenario: Scenario) -> list[LocalAccount]:
    """Two of the first line, one of the second, one of the third."""
    return [chain_scenario.account(f"heir {number}") for number in range(4)]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The clock of what is kept."""
    moved = SimpleNamespace(now=1000)
    moved.monotonic = lambda: moved.now
    monkeypatch.setattr(kept_reads, "time", moved)
    return moved


def leave(s: Scenario, owner: LocalAccount, heirs: list[LocalAccount]) -> Legacy:
    """A legacy of three lines; a quarter for the first heir, and three quarters for the second."""
    first, second, third, fourth = (heir.address for heir in heirs)
    return s.create_legacy(owner, {first: 25, second: 75}, second_line=third, third_line=fourth)


async def index(world: ApiWorld) -> None:
    await world.parts.chain_indexes[world.chain_id].run()


async def read_facts(world: ApiWorld, legacy: Legacy) -> ApiAnswer:
    return await world.request("GET", f"/legacies/facts/{world.chain_id}/{to_checksum_address(legacy.address)}")


async def read_page(world: ApiWorld, key: str | int, chain_id: int | None = None, **more: Any) -> ApiAnswer:
    return await world.request("GET", f"/legacies/{chain_id or world.chain_id}/{key}", **more)


async def preview(world: ApiWorld, legacy: Legacy, account: str) -> ApiAnswer:
    body = {"chainId": world.chain_id, "legacy": legacy.address, "account": account}
    return await world.post("/legacies/claim-preview", body)


@pytest.mark.core
async def test_anybody_sees_the_state_and_the_days_of_a_legacy_and_no_person(
    world: ApiWorld, owner: LocalAccount, heirs: list[LocalAccount]
) -> None:
    s = world.scenario
    legacy = leave(s, owner, heirs)
    await index(world)
    waiting = (await read_facts(world, legacy)).body
    assert (waiting["state"], waiting["kind"], waiting["claimedAt"]) == ("waiting", "account", None)
    assert waiting["asOf"] < waiting["opensAt"] < waiting["secondLineAt"] < waiting["thirdLineAt"]
    seen = [waiting, (await read_page(world, legacy.address)).body.decode()]
    assert "It may be claimed from" in seen[-1]
    s.advance(INACTIVITY + 1)
    seen += [(await read_facts(world, legacy)).body, (await read_page(world, legacy.address)).body.decode()]
    assert (seen[-2]["state"], "It may be claimed since" in seen[-1]) == ("open", True)
    s.claim(heirs[0], legacy, [])
    seen += [(await read_facts(world, legacy)).body, (await read_page(world, legacy.address)).body.decode()]
    assert (seen[-2]["state"], "It was claimed on" in seen[-1]) == ("claimed", True), "the index is read on for it"
    ended = leave(s, owner, heirs)
    s.delete_legacy(owner, ended)
    await index(world)
    seen += [(await read_facts(world, ended)).body, (await read_page(world, ended.address)).body.decode()]
    assert (seen[-2]["state"], "Its owner has ended this legacy" in seen[-1]) == ("ended", True)
    for person in (owner, *heirs):
        assert person.address[2:].lower() not in str(seen).lower()


async def test_the_page_of_a_deleted_safe_legacy_says_that_it_has_ended(
    chain_scenario: Scenario,
    engine: AsyncEngine,
    clock: SimpleNamespace,
    monkeypatch: pytest.MonkeyPatch,
    owner: LocalAccount,
    heirs: list[LocalAccount],
) -> None:
    """No event tells of it. While the index has not read on, viewers share one request, too."""
    s = chain_scenario
    async with two_endpoints(s.anvil.url) as nodes, open_world(s, engine, **PAGES, **nodes.environ) as world:
        world.parts.chains[world.chain_id].shares_heads = True
        safe = s.create_safe([owner])
        legacy = s.create_safe_legacy(owner, safe, [heirs[0].address])
        await index(world)
        s.delete_legacy(owner, legacy)
        own_index = world.parts.chain_indexes[world.chain_id]
        with monkeypatch.context() as late:
            late.setattr(own_index, "read_newest", AsyncMock())
            await read_facts(world, legacy)
            take_asked(nodes)
            answers = [await read_facts(world, legacy) for _ in range(5)]
        assert {each.body["code"] for each in answers} == {"chain_unavailable"}
        assert take_asked(nodes) == {}
        clock.now += 12
        assert (await read_facts(world, legacy)).body["state"] == "ended"


async def test_the_page_is_for_people_and_not_for_search_engines(
    world: ApiWorld, owner: LocalAccount, heirs: list[LocalAccount]
) -> None:
    """Nothing is loaded from elsewhere, and nothing of it is kept; a page explains what cannot be shown."""
    legacy = leave(world.scenario, owner, heirs)
    await index(world)
    page = await read_page(world, to_checksum_address(legacy.address))
    assert (page.status, page.headers["Cache-Control"]) == (200, "no-store")
    assert '<meta name="robots" content="noindex">' in page.body.decode()
    policy = page.headers["Content-Security-Policy"]
    assert ("connect-src 'self';" in policy, "script-src 'self';" in policy) == (True, True)
    unknown = ("0x" + "12" * 20, legacy.address[:30], "99", "x")
    for key in unknown:
        answer = await read_page(world, key)
        assert (answer.status, b"There is no legacy here" in answer.body) == (404, True), key
    elsewhere = await read_page(world, legacy.address, chain_id=5)
    assert elsewhere.status == 404
    of_an_app = await world.request("GET", f"/legacy/{world.chain_id}/{legacy.address}")
    assert of_an_app.status == 404, "emails lead to this path of an app: nothing of the API may stand there"


async def test_a_number_leads_to_the_legacy_and_lets_people_choose_between_two(
    world: ApiWorld, owner: LocalAccount, heirs: list[LocalAccount]
) -> None:
    """Each router counts for itself: a Safe legacy may have the number of another."""
    s = world.scenario
    legacy, safe = leave(s, owner, heirs), s.create_safe([owner])
    await index(world)
    answer = await read_page(world, legacy.id, allow_redirects=False)
    assert (answer.status, answer.headers["Location"]) == (302, f"/legacies/{world.chain_id}/{legacy.address}")
    other = s.create_safe_legacy(owner, safe, [heirs[0].address])
    while other.id < legacy.id:
        other = s.create_safe_legacy(owner, safe, [heirs[0].address])
    assert other.id == legacy.id
    await index(world)
    choice = (await read_page(world, other.id)).body.decode()
    assert all(f'href="/legacies/{world.chain_id}/{each.address}"' in choice for each in (legacy, other))
    facts = (await read_facts(world, other)).body
    assert (facts["kind"], facts["claimsSponsored"], facts["checkInsSponsored"]) == ("safe", False, False)


async def test_without_the_setting_there_are_no_pages(
    chain_scenario: Scenario, engine: AsyncEngine, owner: LocalAccount, heirs: list[LocalAccount]
) -> None:
    async with open_world(chain_scenario, engine) as world:
        legacy = leave(chain_scenario, owner, heirs)
        await index(world)
        assert (await read_page(world, legacy.address)).status == 404
        for answer in (await read_facts(world, legacy), await preview(world, legacy, heirs[0].address)):
            assert (answer.status, answer.body["code"]) == (503, "not_configured")


async def test_a_legacy_costs_one_request_in_a_blocks_time_however_many_view_it(
    chain_scenario: Scenario,
    engine: AsyncEngine,
    clock: SimpleNamespace,
    owner: LocalAccount,
    heirs: list[LocalAccount],
) -> None:
    """An address that no router made costs none at all."""
    s = chain_scenario
    s.anvil.catch_up()
    async with two_endpoints(s.anvil.url) as nodes, open_world(s, engine, **PAGES, **nodes.environ) as world:
        world.parts.chains[world.chain_id].shares_heads = True
        before, legacy = leave(s, owner, heirs), leave(s, owner, heirs)
        await index(world)
        await read_facts(world, before)  # the endpoint's chain id is read once
        take_asked(nodes)
        for moment, cost in ((0, {"eth_call": 1}), (11, {}), (1, {"eth_call": 1})):
            clock.now += moment
            pages = [read_page(world, legacy.address) for _ in range(VIEWERS // 2)]
            answers = await asyncio.gather(*pages, *(read_facts(world, legacy) for _ in range(VIEWERS // 2)))
            assert {each.status for each in answers} == {200}
            assert take_asked(nodes) == cost, moment
        strangers = [await read_page(world, f"0x{number:040x}") for number in range(1, 20)]
        assert ({each.status for each in strangers}, take_asked(nodes)) == ({404}, {})


def take_asked(nodes: TwoEndpoints) -> dict[str, int]:
    """Return the requests to both nodes by method, and begin to count anew."""
    asked = dict(nodes.first.asked + nodes.second.asked)
    nodes.first.posts.clear()
    nodes.second.posts.clear()
    return asked


@pytest.mark.core
async def test_an_heir_sees_what_would_arrive_of_every_token(
    world: ApiWorld, owner: LocalAccount, heirs: list[LocalAccount]
) -> None:
    """Each by their share, as the contract pays it; a stranger, and whoever is early, see nothing."""
    s, d = world.scenario, world.scenario.deployment
    legacy = leave(s, owner, heirs)
    for token, units in ((d.usdc, 100 * USDC), (d.usdt, 40 * USDC)):
        s.mint(token, owner.address, units)
        s.approve(owner, token, legacy.address, units)
    s.anvil.set_balance(legacy.address, 2 * ETHER)
    await index(world)
    early = await preview(world, legacy, heirs[0].address)
    assert (early.status, early.body["code"]) == (422, "legacy_still_active")
    s.advance(INACTIVITY + 1)
    for number, share in ((0, 25), (1, 75)):
        answer = await preview(world, legacy, heirs[number].address)
        found = {each["token"]: (each["symbol"], int(each["amount"])) for each in answer.body["assets"]}
        assert found == {
            to_checksum_address(d.usdc): ("USDC", share * USDC),
            to_checksum_address(d.usdt): ("USDT", 40 * USDC * share // 100),
            None: ("ETH", 2 * ETHER * share // 100),
        }
        assert answer.body["hasMore"] is False
    for person, code in ((heirs[2], "cannot_claim"), (owner, "only_beneficiaries")):
        answer = await preview(world, legacy, person.address)
        assert (answer.status, answer.body["code"]) == (422, code)


async def test_a_token_that_cannot_be_moved_hides_no_other(
    world: ApiWorld, owner: LocalAccount, heirs: list[LocalAccount]
) -> None:
    """A claim of all tokens fails here. Then tokens are added one by one."""
    s, d = world.scenario, world.scenario.deployment
    legacy = leave(s, owner, heirs)
    bad = s.create_hostile_token(TokenMode.BURNS_GAS)
    for token in (d.usdc, bad):
        s.mint(token, owner.address, 100 * USDC)
        s.approve(owner, token, legacy.address, 100 * USDC)
    await index(world)
    s.advance(INACTIVITY + 1)
    answer = (await preview(world, legacy, heirs[0].address)).body
    assert [each["symbol"] for each in answer["assets"]] == ["USDC"]
    assert answer["hasMore"] is True


async def test_a_preview_names_only_what_one_claim_can_bring(
    chain_scenario: Scenario, engine: AsyncEngine, owner: LocalAccount, heirs: list[LocalAccount]
) -> None:
    """The gas of a sponsored claim pays for two of three assets."""
    s, d = chain_scenario, chain_scenario.deployment
    legacy = leave(s, owner, heirs)
    for token in (d.usdc, d.usdt):
        s.mint(token, owner.address, 100 * USDC)
        s.approve(owner, token, legacy.address, 100 * USDC)
    s.anvil.set_balance(legacy.address, 2 * ETHER)
    s.advance(INACTIVITY + 1)
    more = {"RELAYER_KEY": "0x" + "17" * 32, "RELAY_CLAIM_GAS": "200000"}
    async with open_world(s, engine, **PAGES, **more) as world:
        await index(world)
        answer = (await preview(world, legacy, heirs[0].address)).body
    assert (len(answer["assets"]), answer["hasMore"]) == (2, True)


async def test_a_preview_is_kept_for_a_minute_and_counts_as_a_request_to_the_relay(
    chain_scenario: Scenario,
    engine: AsyncEngine,
    clock: SimpleNamespace,
    owner: LocalAccount,
    heirs: list[LocalAccount],
) -> None:
    s = chain_scenario
    key = "0x" + "17" * 32
    more = {"RELAYER_KEY": key, "RELAY_PER_CLIENT_HOUR": "4"}
    async with two_endpoints(s.anvil.url) as nodes, open_world(s, engine, **PAGES, **more, **nodes.environ) as world:
        legacy = leave(s, owner, heirs)
        s.anvil.set_balance(legacy.address, ETHER)
        await index(world)
        s.advance(INACTIVITY + 1)
        asked = []
        for moment in (0, 59, 1):
            clock.now += moment
            take_asked(nodes)
            assert (await preview(world, legacy, heirs[0].address)).status == 200
            asked.append(take_asked(nodes).get("eth_simulateV1", 0))
        assert asked == [1, 0, 1]
        assert (await preview(world, legacy, owner.address)).body["code"] == "only_beneficiaries"
        limited = await preview(world, legacy, heirs[0].address)
        assert (limited.status, limited.body["code"]) == (429, "rate_limited")
