"""Gas fees of a transaction, in wei. Plain arithmetic: no offer passes the ceiling.

Nodes accept a replacement only if both fields grow. Some ask for a tenth more; we offer an eighth.
"""

from dataclasses import dataclass
from typing import Final

MOST_REPLACEMENTS: Final = 4
LEAST_TIP: Final = 1_000_000  # large enough to grow by an eighth
EMPTY_GAS: Final = 21_000  # a transfer without data


@dataclass(frozen=True, slots=True)
class GasFees:
    """EIP-1559 fees, in wei per gas."""

    max_fee: int
    priority_fee: int


def first_fees(base_fee: int, tip: int, ceiling: int) -> GasFees | None:
    """Return the first offer for the next block's `base_fee`. None: gas is above the ceiling, so take no nonce.

    The offer covers twice the base fee, which grows by an eighth in a block at most. It leaves room below the ceiling
    for four replacements.
    """
    tip, most = max(tip, LEAST_TIP), cap_first_fee(ceiling)
    if base_fee + tip > most:
        return None
    return GasFees(min(2 * base_fee + tip, most), tip)


def bump_fees(previous: GasFees, base_fee: int, tip: int, ceiling: int) -> GasFees | None:
    """Return the fees of a replacement: both fields an eighth higher or at the market's price. None: no room."""
    max_fee, priority_fee = _bump_fee(previous.max_fee), _bump_fee(previous.priority_fee)
    if max_fee > ceiling:
        return None
    max_fee = max(max_fee, min(2 * base_fee + tip, ceiling))
    return GasFees(max_fee, max(priority_fee, min(tip, max_fee)))


def cap_first_fee(ceiling: int) -> int:
    """Return the highest first fee from which all replacements stay within the ceiling."""
    for _ in range(MOST_REPLACEMENTS):
        ceiling = ceiling * 8 // 9
    return ceiling


def compute_reservation(gas_limit: int, fees: GasFees, ceiling: int) -> int:
    """Return the wei that a slot reserves: the cost of its fourth replacement.

    It is at least the cost of a cancellation transaction at the ceiling: the nonce can be freed whatever fees and caps
    become.
    """
    dearest = fees.max_fee
    for _ in range(MOST_REPLACEMENTS):
        dearest = _bump_fee(dearest)
    return max(gas_limit * dearest, EMPTY_GAS * ceiling)


def _bump_fee(fee: int) -> int:
    return -(fee * 9 // -8)
