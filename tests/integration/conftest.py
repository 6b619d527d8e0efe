"""A local chain with our contracts, one for each test process, put back after each test."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.chain import Anvil
from devnet.deploy import Deployment, deploy
from devnet.scenarios import Scenario

if TYPE_CHECKING:  # loaded by those only who ask for a browser
    from tests.integration.gift_page_browser import Visitor
    from tests.integration.gift_page_world import GiftWorld


@dataclass(frozen=True, slots=True)
class AnvilChain:
    anvil: Anvil
    deployment: Deployment


@pytest.fixture(scope="session")
def anvil_chain() -> Iterator[AnvilChain]:
    """The chain as deployed. Tests take `chain_scenario`, which puts it back."""
    with Anvil() as anvil:
        yield AnvilChain(anvil, deploy(anvil))


@pytest.fixture
def chain_scenario(anvil_chain: AnvilChain) -> Iterator[Scenario]:
    """Steps on the deployed chain; state, blocks and time are as before when the test is over."""
    before = anvil_chain.anvil.snapshot()
    yield Scenario(anvil_chain.anvil, anvil_chain.deployment)
    anvil_chain.anvil.revert(before)


@pytest.fixture
async def gift_world(chain_scenario: Scenario, engine: AsyncEngine) -> "AsyncIterator[GiftWorld]":
    """The API with the built gift page, and a relay that follows what it sends."""
    from tests.integration.gift_page_world import open_gift_world

    async with open_gift_world(chain_scenario, engine) as opened:
        yield opened


@pytest.fixture
async def visitor() -> "AsyncIterator[Visitor]":
    """A fresh browser at a desk; skipped where there is none."""
    from tests.integration.gift_page_browser import new_visitor, open_browser

    async with open_browser() as (browser, wire):
        yield await new_visitor(browser, wire)
