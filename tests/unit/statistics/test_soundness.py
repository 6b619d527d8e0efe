"""The checks of snapshots find what is wrong, and nothing else."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from reminder_worker.statistics import aggregates, files, snapshots
from reminder_worker.statistics.aggregates import LEGACIES as LEGACY_ROWS
from reminder_worker.statistics.aggregates import TIMELOCKS as TIMELOCK_ROWS
from reminder_worker.statistics.dataset import DAY_TOKENS, DAYS, FILES, make_page
from reminder_worker.statistics.day_series import SCHEMAS
from reminder_worker.statistics.file_store import LocalFiles
from reminder_worker.statistics.snapshots import StatisticsSnapshot

LEGACIES = {"total": 3, "live": 1, "activated": 1, "deleted": 1, "byType": {"eoa": 2, "safe": 1}}
TIMELOCKS = {"total": 2, "live": 1, "ended": 1, "gifts": 1}
USDC = {"token": "0x" + "aa" * 20, "symbol": "USDC", "decimals": 6, "amount": "20000000000", "usd": "20000.00"}
SOUND = StatisticsSnapshot(
    chain_id=1,
    hour=datetime(2026, 11, 21, 8, tzinfo=UTC),
    block_number=7,
    block_hash="0x" + "11" * 32,
    block_time=0,
    counts={"legacies": LEGACIES, "timelocks": TIMELOCKS},
    tokens=[USDC],
    value_secured_usd=Decimal("20000.00"),
)


def counted(**groups: dict[str, Any]) -> StatisticsSnapshot:
    return replace(SOUND, counts={**SOUND.counts, **groups})


def worth(dollars: str) -> StatisticsSnapshot:
    return replace(SOUND, value_secured_usd=Decimal(dollars))


NOTHING = dict.fromkeys(("total", "live", "activated", "deleted"), 0) | {"byType": {"eoa": 0, "safe": 0}}


def test_a_sound_snapshot_passes_every_check() -> None:
    nothing = counted(legacies=NOTHING, timelocks=dict.fromkeys(TIMELOCKS, 0))
    for sound in (
        SOUND,
        counted(timelocks={**TIMELOCKS, "total": 3}),  # one is neither live nor ended
        replace(nothing, tokens=[], value_secured_usd=Decimal(0)),
    ):
        assert snapshots.find_negative_figures(sound) == snapshots.find_unequal_totals(sound) == []
        assert snapshots.find_jumps([sound], sound) == []


def test_a_figure_below_zero_is_found() -> None:
    for broken in (
        counted(timelocks={**TIMELOCKS, "live": -1}),
        counted(legacies={**LEGACIES, "byType": {"eoa": -2, "safe": 1}}),
        replace(SOUND, tokens=[{**USDC, "amount": "-1"}]),
        replace(SOUND, tokens=[{**USDC, "usd": "-0.01"}]),
        replace(SOUND, value_secured_usd=Decimal(-1)),
    ):
        assert snapshots.find_negative_figures(broken)


def _write(folder: Path, snapshot: StatisticsSnapshot) -> list[Path]:
    """As the pass does."""
    day = snapshot.hour.date()
    series = files.select_days(
        aggregates.count_by_day(pl.DataFrame(schema=LEGACY_ROWS), pl.DataFrame(schema=TIMELOCK_ROWS)), [day]
    )
    files.write_snapshot_files(LocalFiles(folder), snapshot)
    for dataset, schema in SCHEMAS.items():
        frame = pl.DataFrame(schema=dict(schema)).drop("day")
        files.write_frame(LocalFiles(folder), files.name_file(dataset, day, 1, files.DAY), frame)
    files.write_frame(
        LocalFiles(folder),
        files.name_file(DAYS, day, 1, files.DAY),
        files.add_values(series, {day: snapshot}).drop("day"),
    )
    files.write_frame(
        LocalFiles(folder), files.name_file(DAY_TOKENS, day, 1, files.DAY), files.make_tokens_frame(snapshot.tokens)
    )
    return sorted(folder.rglob("*.parquet"))


def test_a_figure_below_zero_is_found_in_the_files(tmp_path: Path) -> None:
    for broken, columns in (
        (counted(timelocks={**TIMELOCKS, "live": -1}), {"timelocks_live"}),
        (replace(SOUND, tokens=[{**USDC, "amount": "-1"}]), {"amount", "units"}),
        (worth("-0.01"), {"value_secured_usd"}),
    ):
        _write(tmp_path, SOUND)
        assert files.find_negative_columns(LocalFiles(tmp_path), SOUND) == []
        _write(tmp_path, broken)
        negative = files.find_negative_columns(LocalFiles(tmp_path), SOUND)
        assert {found.partition(" in ")[0] for found in negative} == columns


def test_files_are_found_in_a_folder_of_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "[live] *"
    _write(folder, SOUND)
    assert files.find_negative_columns(LocalFiles(folder), SOUND) == []


@pytest.mark.parametrize("number", range(4))
def test_a_file_that_is_gone_or_was_cut_off_is_found(tmp_path: Path, number: int) -> None:
    path = _write(tmp_path, SOUND)[number]
    said = [f"{path.relative_to(tmp_path)} cannot be read"]
    path.write_bytes(path.read_bytes()[:-100])
    assert files.find_negative_columns(LocalFiles(tmp_path), SOUND) == said
    path.unlink()
    assert files.find_negative_columns(LocalFiles(tmp_path), SOUND) == said


def test_a_total_that_is_not_its_parts_is_found() -> None:
    for broken in (
        counted(legacies={**LEGACIES, "live": 2}),
        counted(legacies={**LEGACIES, "byType": {"eoa": 2, "safe": 2}}),
        counted(timelocks={**TIMELOCKS, "ended": 2}),
        counted(timelocks={**TIMELOCKS, "gifts": 3}),
        replace(SOUND, value_secured_usd=Decimal("20000.02")),
    ):
        assert snapshots.find_unequal_totals(broken)


def test_a_jump_of_the_value_either_way_and_a_total_that_falls_are_found() -> None:
    """A price is believed again after a day of silence, whatever it has become. Small values may jump."""
    unknown = replace(SOUND, value_secured_usd=None)
    for before, after, found in (
        ([SOUND], worth("60000.01"), True),
        ([worth("60000.01")], SOUND, True),
        ([worth("1")], SOUND, True),  # also from next to nothing
        ([SOUND], worth("60000.00"), False),
        ([unknown, unknown, SOUND], worth("60000.01"), True),
        ([unknown], SOUND, False),
        ([worth("1")], worth("9999.99"), False),
        ([SOUND], unknown, False),
        ([SOUND], counted(legacies={**LEGACIES, "total": 2}), True),
    ):
        assert bool(snapshots.find_jumps(before, after)) is found, (before, after)


_SHOWN = {
    pl.Int16: "int16",
    pl.Int64: "int64",
    pl.String: "string",
    pl.Float64: "double",
    pl.Decimal: "decimal(38,2)",
    pl.Datetime: "timestamp[ms, UTC]",
}


def test_every_column_of_every_file_is_described_with_its_type_and_in_the_file_itself(tmp_path: Path) -> None:
    paths = _write(tmp_path, SOUND)
    assert {path.parents[2].name for path in paths} == set(FILES)
    for path in paths:
        words = FILES[path.parents[2].name]
        described = pl.read_parquet(path, hive_partitioning=False).schema
        assert {name: _SHOWN[kind.base_type()] for name, kind in described.items()} == {
            name: column.type for name, column in words.columns.items()
        }
        kept = pl.read_parquet_metadata(path)
        assert words.make_metadata().items() <= kept.items()
        assert all(kept[name] for name in described)


def test_the_page_of_the_data_is_as_generated() -> None:
    """If it fails, run `python -m reminder_worker.statistics.dataset`."""
    assert (Path(__file__).parents[3] / "docs" / "data.md").read_text("utf-8") == make_page()
