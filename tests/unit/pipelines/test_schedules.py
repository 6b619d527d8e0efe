"""Days that the nightly schedule asks for, after Dagster's records."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import dagster as dg

from assets.statistics import statistics_days
from pipelines.jobs import run_nightly

NIGHT = datetime(2027, 3, 9, 0, 20, tzinfo=UTC)
WEEK = [date(2027, 3, 2) + timedelta(days=day) for day in range(7)]


def _asked(home: Path, made: Iterable[date]) -> tuple[str, str]:
    """The first and last day that the night's run is for."""
    with dg.DagsterInstance.local_temp(str(home)) as instance:
        for day in made:
            materialized = dg.AssetMaterialization(statistics_days.key, partition=day.isoformat())
            instance.report_runless_asset_event(materialized)
        context = dg.build_schedule_context(instance=instance, scheduled_execution_time=NIGHT)
        request = run_nightly(context)
    assert isinstance(request, dg.RunRequest)
    return request.tags["dagster/asset_partition_range_start"], request.tags["dagster/asset_partition_range_end"]


def test_each_night_makes_the_day_that_is_over(tmp_path: Path) -> None:
    assert _asked(tmp_path, WEEK[:-1]) == ("2027-03-08", "2027-03-08")
    assert _asked(tmp_path, WEEK) == ("2027-03-08", "2027-03-08")


def test_a_night_that_failed_is_made_up_for_by_the_next_that_does_not(tmp_path: Path) -> None:
    """As when the endpoints of a chain were down: nobody has to fill in a day by hand, within a week."""
    assert _asked(tmp_path, []) == ("2027-03-02", "2027-03-08")
    assert _asked(tmp_path, [*WEEK[:3], *WEEK[4:-1]]) == ("2027-03-05", "2027-03-08")
