"""Gas limit of a transaction, by the gas that its simulation used."""

import pytest

from reminder_worker.chain.simulation import SimulatedTransaction
from reminder_worker.relay.validation import LEAST_GAS_LIMIT, estimate_gas
from tests.integration.relay_authorizations import GAS, authorization


@pytest.mark.parametrize(
    ("used", "needs"),
    [
        (None, None),
        (0, LEAST_GAS_LIMIT),
        (LEAST_GAS_LIMIT // 2 + 1, LEAST_GAS_LIMIT + 2),
        (210_000, 420_000),
    ],
)
def test_gas_needed_is_twice_the_simulated_gas(used: int | None, needs: int | None) -> None:
    assert estimate_gas(SimulatedTransaction((), used)) == needs
    assert estimate_gas(None) is None


@pytest.mark.parametrize(("needs", "gas"), [(None, GAS), (GAS - 1, GAS - 1), (GAS, GAS), (2**256, GAS)])
def test_gas_never_exceeds_the_limit_of_the_lane(needs: int | None, gas: int) -> None:
    assert authorization(1, needs=needs).gas_now == gas
