"""How much gas a transaction may use, by what its simulation used."""

import pytest

from reminder_worker.chain.simulation import Simulated
from reminder_worker.relay.intake import LEAST_GAS_LIMIT, gas_limit

CEILING = 900_000


@pytest.mark.parametrize(
    ("used", "limit"),
    [
        (None, CEILING),
        (0, LEAST_GAS_LIMIT),
        (LEAST_GAS_LIMIT // 2 + 1, LEAST_GAS_LIMIT + 2),
        (210_000, 420_000),
        (CEILING // 2 + 1, CEILING),
        (CEILING, CEILING),
        (2**256, CEILING),
    ],
)
def test_it_is_twice_that_and_never_above_the_ceiling(used: int | None, limit: int) -> None:
    assert gas_limit(Simulated((), used), CEILING) == limit


def test_what_was_not_simulated_may_use_all() -> None:
    assert gas_limit(None, CEILING) == CEILING
    assert gas_limit(Simulated((), 1), LEAST_GAS_LIMIT - 1) == LEAST_GAS_LIMIT - 1
