"""What a transaction offers for gas, in wei. Plain arithmetic: what may be offered never passes the ceiling.

Nodes take a replacement only when both fields grow; some ask for a tenth, we give an eighth.
"""

from dataclasses import dataclass
from typing import Final

MOST_REPLACEMENTS: Final = 4
LEAST_TIP: Final = 1_000_000  # so that an eighth more is more
EMPTY_GAS: Final = 21_000  # of a transfer without data


@dataclass(frozen=True, slots=True)
class GasFees:
    """EIP-1559, wei for one gas."""

    max_fee: int
    priority_fee: int


def first_fees(base_fee: int, tip: int, ceiling: int) -> GasFees | None:
    """For the next block's `base_fee`. None: the market is too dear now, and whoever waits needs no nonce for it.

    Room for twice the base fee (it grows by an eighth in a block at most), and below the ceiling for four steps.
    """
    tip, most = max(tip, LEAST_TIP), below(ceiling)
    if base_fee + tip > most:
        return None
    return GasFees(min(2 * base_fee + tip, most), tip)


def bump(previous: GasFees, base_fee: int, tip: int, ceiling: int) -> GasFees | None:
    """What replaces `previous`: both fields an eighth higher at least, and what the market asks. None: no room."""
    max_fee, priority_fee = _step(previous.max_fee), _step(previous.priority_fee)
    if max_fee > ceiling:
        return None
    max_fee = max(max_fee, min(2 * base_fee + tip, ceiling))
    return GasFees(max_fee, max(priority_fee, min(tip, max_fee)))


def below(ceiling: int) -> int:
    """The highest fee from which all replacements stay within the ceiling."""
    for _ in range(MOST_REPLACEMENTS):
        ceiling = ceiling * 8 // 9
    return ceiling


def reservation(gas_limit: int, fees: GasFees, ceiling: int) -> int:
    """What a slot reserves: the dearest of its first attempt and four steps, and always an empty transfer at the
    ceiling, so that whatever becomes of the fees and the caps the nonce can be freed.
    """
    dearest = fees.max_fee
    for _ in range(MOST_REPLACEMENTS):
        dearest = _step(dearest)
    return max(gas_limit * dearest, EMPTY_GAS * ceiling)


def _step(fee: int) -> int:
    return -(fee * 9 // -8)
