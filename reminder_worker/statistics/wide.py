"""uint256 arithmetic over Polars columns: exact, and without overflow whatever a chain says.

A value is 32 bytes, most significant first, so that comparing bytes compares numbers. For sums it is taken apart into
four limbs of 64 bits held in 128: 2^64 rows can be added up before a limb overflows.
"""

from collections.abc import Sequence
from typing import Final

import polars as pl

ZERO: Final = bytes(32)
LARGEST: Final = b"\xff" * 32
LIMBS: Final = ("limb0", "limb1", "limb2", "limb3")  # most significant first
_LIMB_BYTES: Final = 8
_BASE: Final = 1 << 64
_DIGITS: Final = 16  # of a decimal limb; uint256 has 78 digits at most
_DECIMAL: Final = ("digits0", "digits1", "digits2", "digits3", "digits4")


def limbs(value: pl.Expr, names: Sequence[str] = LIMBS) -> list[pl.Expr]:
    """Columns of the four limbs of a column of 32 bytes."""
    return [
        value.bin.slice(place * _LIMB_BYTES, _LIMB_BYTES)
        .bin.reinterpret(dtype=pl.UInt64, endianness="big")
        .cast(pl.UInt128)
        .alias(name)
        for place, name in enumerate(names)
    ]


def carried(frame: pl.DataFrame) -> pl.DataFrame:
    """Summed limbs as limbs below 2^64 again; the most significant one keeps what is above uint256."""
    base = pl.lit(_BASE, dtype=pl.UInt128)
    for low, high in ((3, 2), (2, 1), (1, 0)):
        frame = frame.with_columns(
            (pl.col(LIMBS[high]) + pl.col(LIMBS[low]) // base).alias(LIMBS[high]),
            (pl.col(LIMBS[low]) % base).alias(LIMBS[low]),
        )
    return frame


def is_less(left: Sequence[str], right: Sequence[str]) -> pl.Expr:
    """Of two numbers in columns of limbs."""
    less = pl.col(left[3]) < pl.col(right[3])
    for a, b in zip(reversed(left[:3]), reversed(right[:3]), strict=True):
        less = (pl.col(a) < pl.col(b)) | ((pl.col(a) == pl.col(b)) & less)
    return less


def totals(frame: pl.DataFrame, key: str) -> dict[str, int]:
    """Sums of the limb columns by `key`."""
    summed = frame.group_by(key).agg(pl.col(*LIMBS).sum())
    return {name: _joined(parts, _BASE) for name, *parts in summed.select(key, *LIMBS).iter_rows()}


def total(values: Sequence[bytes]) -> int:
    """The sum of values of 32 bytes each."""
    frame = pl.DataFrame({"value": values}, schema={"value": pl.Binary}).select(limbs(pl.col("value")))
    return _joined(frame.sum().row(0), _BASE)


def decimal_totals(frame: pl.DataFrame, key: str, digits: str) -> dict[str, int]:
    """Sums by `key` of a column of non-negative decimal numbers written as text, 80 digits at most."""
    padded = pl.col(digits).str.zfill(_DIGITS * len(_DECIMAL))
    parts = [
        padded.str.slice(place * _DIGITS, _DIGITS).cast(pl.UInt64).cast(pl.UInt128).sum().alias(name)
        for place, name in enumerate(_DECIMAL)
    ]
    summed = frame.group_by(key).agg(parts)
    return {name: _joined(values, 10**_DIGITS) for name, *values in summed.select(key, *_DECIMAL).iter_rows()}


def _joined(parts: Sequence[int], base: int) -> int:
    number = 0
    for part in parts:
        number = number * base + part
    return number
