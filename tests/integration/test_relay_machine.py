"""The relay under events in any order: one transaction per authorization, no gap, budgets exact to the wei."""

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from devnet.chain import Anvil
from devnet.deploy import deploy
from devnet.scenarios import Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.database.engine import open_engine
from tests.integration.chain_proxy import chain_settings
from tests.integration.relay_machine import RelayMachine
from tests.integration.relay_world import EPOCH, RelayWorld


@pytest.fixture
def machine(database_url: str) -> Iterator[type[RelayMachine]]:
    with Anvil(slots_in_an_epoch=EPOCH) as anvil, asyncio.Runner() as runner:
        scenario = Scenario(anvil, deploy(anvil))
        engine = open_engine(database_url)
        chain = Chain(chain_settings(scenario, anvil.url))
        RelayMachine.runner = runner
        RelayMachine.base = RelayWorld(scenario, engine, chain)
        yield RelayMachine
        runner.run(chain.close())
        runner.run(engine.dispose())


def test_whatever_happens_the_promises_of_the_relay_hold(machine: type[RelayMachine]) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=12, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
