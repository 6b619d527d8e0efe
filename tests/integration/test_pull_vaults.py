"""The vault of a legacy is the one that the legacy names; a permit to another vault moves nothing."""

from typing import Any
from unittest.mock import AsyncMock

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Legacy, Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.statistics.file_store import LocalFiles
from reminder_worker.statistics.job import StatisticsPass
from tests.integration.chain_proxy import proxy
from tests.integration.indexer_story import settings_of
from tests.integration.test_sponsor_api import SponsorScenario, claim_body, relaying
from tests.integration.test_statistics import StatsWorld as StatisticsWorld
from tests.integration.test_statistics import world

__all__ = ["world"]

NO_VAULT = "0x" + "0" * 40
CASES = [
    # the legacy names, the permit is to, whether a claim moves it
    ("the configured one", "the configured one", True),
    ("the configured one", "another", False),
    ("another", "the configured one", False),
    ("another", "another", True),
    ("none", "the configured one", False),
    ("nothing, for it has no such getter", "the configured one", True),
    ("nothing, for it has no such getter", "another", False),
]


def vault_of(scenario: Scenario, name: str) -> str:
    vaults = {"the configured one": scenario.deployment.legacy_pull_vault, "none": NO_VAULT}
    return vaults.get(name) or scenario.account("another vault").address


def create(scenario: Scenario, owner: Any, named: str) -> Legacy:
    heirs: dict[str, int] = {scenario.account("heir").address: 100}
    if named.startswith("nothing"):
        return scenario.create_old_legacy(owner, heirs)
    scenario.set_pull_vault(vault_of(scenario, named))
    return scenario.create_legacy(owner, heirs)


@pytest.mark.parametrize(("named", "permitted", "moves"), CASES)
async def test_statistics_count_a_permit_to_the_vault_that_the_legacy_names(
    world: StatisticsWorld, named: str, permitted: str, moves: bool
) -> None:
    s, ann = world.scenario, world.holder("ann", 100)
    create(s, ann, named)
    s.permit(ann, s.deployment.usdc, vault_of(s, permitted), 13, s.anvil.now() + DAY)
    assert await world.usdc() == (13 if moves else 0)


async def test_permits_of_one_owner_to_two_vaults_are_added_up_to_the_balance(world: StatisticsWorld) -> None:
    """Each vault serves the legacies that name it, and each permit counts once."""
    s, ann = world.scenario, world.holder("ann", 100)
    for name in ("the configured one", "the configured one", "another"):
        create(s, ann, name)
    for name, amount in (("the configured one", 13), ("another", 11)):
        s.permit(ann, s.deployment.usdc, vault_of(s, name), amount, s.anvil.now() + DAY)
    assert await world.usdc() == 24
    s.permit(ann, s.deployment.usdc, vault_of(s, "another"), 99, s.anvil.now() + DAY)
    assert await world.usdc() == 100


async def test_many_legacies_are_asked_for_their_vaults_together(world: StatisticsWorld, engine: AsyncEngine) -> None:
    async def requests() -> int:
        """How many the node gets for one snapshot."""
        await world.index.run()
        async with proxy(world.scenario.anvil.url) as node:
            watched = Chain(settings_of(world.scenario, RPC_URLS=(node.url,)))
            await StatisticsPass(engine, watched, LocalFiles(world.folder)).run()
            await watched.close()
            return len(node.requests)

    create(world.scenario, world.holder("ann", 100), "another")
    of_one = await requests()
    for number in range(12):
        create(world.scenario, world.holder(f"owner {number}", 100), "another")
    assert await requests() <= of_one + 1


@pytest.mark.parametrize(("named", "permitted", "moves"), CASES)
async def test_where_nothing_can_be_simulated_the_vault_that_the_legacy_names_decides(
    chain_scenario: Scenario,
    engine: AsyncEngine,
    monkeypatch: pytest.MonkeyPatch,
    named: str,
    permitted: str,
    moves: bool,
) -> None:
    s, sealed = chain_scenario, SponsorScenario(chain_scenario)
    legacy = create(s, sealed.owner, named)
    s.mint(sealed.it.usdc, sealed.owner.address, 100)
    s.advance(181 * DAY)
    s.permit(sealed.owner, sealed.it.usdc, vault_of(s, permitted), 13, s.anvil.now() + DAY)
    async with relaying(s, engine) as api:
        monkeypatch.setattr(api.parts.chains[api.chain_id], "simulate", AsyncMock(return_value=None))
        answer = await api.post("/sponsor/claim", claim_body(api, legacy, sealed.heir, [sealed.it.usdc]))
    assert (answer.status == 202) == moves, answer.body
    assert moves or answer.code == "nothing_to_claim"
