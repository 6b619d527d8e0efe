"""A local chain with our contracts, one for each test process, put back after each test."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from devnet.chain import Anvil
from devnet.deploy import Deployment, deploy
from devnet.scenarios import Scenario


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
