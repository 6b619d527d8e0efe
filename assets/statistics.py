"""Numbers for analysts: what is secured, hour by hour, and what happened, day by day. Aggregates only."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING

import dagster as dg

from assets import metadata
from assets.prices import prices
from assets.reminders import chain_index
from assets.service import Service
from assets.steps import AFTER_THE_WORK, IN_PLACE, OWNERS, SECONDS, Results, perform
from assets.tables import describe_file, describe_files, describe_table
from reminder_worker.statistics import dataset
from reminder_worker.statistics.feature import STATISTICS

if TYPE_CHECKING:
    import polars as pl

    from reminder_worker.runtime import Runtime
    from reminder_worker.statistics.snapshots import StatisticsSnapshot

RUN_SECONDS = 1_500.0  # a million legacies are some thousand batches
HOURS, DAYS = 48, 14  # shown in plots
DAY_PARTITIONS = dg.DynamicPartitionsDefinition(name="statistics_days")  # the hourly pass adds them
HOURLY = (dataset.SNAPSHOTS, dataset.TOKENS)  # files
DAILY = tuple(name for name in dataset.FILES if name not in {*HOURLY, dataset.DAYS})


@dg.asset(
    deps=[chain_index, prices],
    group_name="numbers",
    kinds={"postgres", "parquet", "polars"},
    owners=OWNERS,
    tags={"holds": "aggregates-only"},
    metadata={**describe_table("statistics"), **describe_files(*HOURLY)},
    output_required=False,
    pool="statistics",
)
def statistics_snapshots(context: dg.AssetExecutionContext, service: dg.ResourceParam[Service]) -> Results:
    """Counts and value secured of each chain, once an hour; for `GET /stats` and in Parquet.

    Counts are of the block that the chain index is at. Each owner's amounts are read once a day.
    Nothing per user: no address of an owner, a legacy or a recipient.
    """
    for found in perform(context, service, STATISTICS, seconds=RUN_SECONDS):
        _report_days(context.instance, service)
        yield dg.MaterializeResult(metadata={**service.call(_read_snapshots, SECONDS), **found}, data_version=IN_PLACE)


def _report_days(instance: dg.DagsterInstance, service: Service) -> None:
    """Make a partition of each day from the first with a file on, and report those that were written.

    No run holds these events: the day of a run that is forgotten would be called missing. Each run of the pass writes
    the last two days anew.
    """
    written = service.call(_list_written_days, SECONDS)
    if not written:
        return
    name, calendar = DAY_PARTITIONS.name or "", _list_calendar(written[0], written[-1])
    known = instance.get_dynamic_partitions(name)
    if known and known[0] > calendar[0]:  # a chain with an earlier history was added; Dagster's order is that of adding
        for key in known:
            instance.delete_dynamic_partition(name, key)
        known = []
    instance.add_dynamic_partitions(name, sorted(set(calendar) - set(known)))
    reported = instance.get_materialized_partitions(statistics_days.key)
    due = [day for day in written if day.isoformat() not in reported or day in written[-2:]]

    async def read_due_days(runtime: "Runtime") -> dict[date, metadata.Metadata]:
        return await _read_days(runtime, due)

    for day, found in service.call(read_due_days, SECONDS).items():
        instance.report_runless_asset_event(
            dg.AssetMaterialization(statistics_days.key, metadata=found, partition=day.isoformat())
        )


def _list_calendar(first: date, last: date) -> list[str]:
    return [(first + timedelta(days=after)).isoformat() for after in range((last - first).days + 1)]


async def _list_written_days(runtime: "Runtime") -> list[date]:
    from reminder_worker.statistics.files import list_written_days

    return await asyncio.to_thread(list_written_days, runtime.statistics_files)


@dg.asset(
    deps=[chain_index, statistics_snapshots],
    group_name="numbers",
    kinds={"parquet", "polars"},
    owners=OWNERS,
    tags={"holds": "aggregates-only"},
    metadata={"dagster/column_schema": describe_file(dataset.DAYS), **describe_files(*DAILY)},
    partitions_def=DAY_PARTITIONS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    freshness_policy=dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=50), warn_window=timedelta(hours=26)),
    pool="statistics",
)
def statistics_days(
    context: dg.AssetExecutionContext, service: dg.ResourceParam[Service]
) -> dg.MaterializeResult[None]:
    """Creations, claims, deletions, sealed gifts and withdrawals of each day and in all, with the value of that day.

    Computed from the chain index, so any past day can be made again or filled in; the value of a day is known
    only if a snapshot was taken. The hourly pass writes the days by itself and reports them here.
    """
    days = [date.fromisoformat(key) for key in context.partition_keys]

    async def write_chosen_days(runtime: "Runtime") -> dict[date, metadata.Metadata]:
        return await _write_days(runtime, days)

    for day, found in service.call(write_chosen_days, RUN_SECONDS).items():
        context.add_asset_metadata(found, partition_key=day.isoformat())
    return dg.MaterializeResult()


@dg.asset_check(asset=statistics_snapshots, op_tags=AFTER_THE_WORK)
def no_negative_value(service: dg.ResourceParam[Service]) -> dg.AssetCheckResult:
    """No count, amount or value of the newest snapshots is below zero, also not in the files as analysts read them."""
    return _make_check_result(service.call(_find_negative_figures, SECONDS))


@dg.asset_check(asset=statistics_snapshots, op_tags=AFTER_THE_WORK)
def totals_equal_parts(service: dg.ResourceParam[Service]) -> dg.AssetCheckResult:
    """Legacies add up by state and by type, timelocks are no fewer than their parts, tokens add up to the value."""
    return _make_check_result(service.call(_find_unequal_totals, SECONDS))


@dg.asset_check(asset=statistics_snapshots, op_tags=AFTER_THE_WORK)
def no_jump(service: dg.ResourceParam[Service]) -> dg.AssetCheckResult:
    """The value stays within a factor of 3 of the last that was known, and no total falls."""
    return _make_check_result(service.call(_find_jumps, SECONDS), dg.AssetCheckSeverity.WARN)


def _make_check_result(
    found: Sequence[tuple[int, str]], severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR
) -> dg.AssetCheckResult:
    shown = metadata.make_table(("chain", "what"), found, "nothing is wrong")
    said = metadata.join_sentence((f"{what}{metadata.name_chain(chain)}" for chain, what in found), "nothing is wrong")
    return dg.AssetCheckResult(
        passed=not found, severity=severity, description=said, metadata={"found": len(found), "what": shown}
    )


async def _read_snapshots(runtime: "Runtime") -> metadata.Metadata:
    """Return the newest figures of each chain, and the value as a plot."""
    from reminder_worker.statistics import snapshots

    found: metadata.Metadata = {"dagster/row_count": await snapshots.count_snapshots(runtime.engine)}
    for chain_id, chain in runtime.chains.items():
        found_snapshots = await snapshots.find_recent_snapshots(runtime.engine, chain_id, HOURS)
        if not found_snapshots:
            continue
        of = f" ({chain.settings.name or chain_id})" if len(runtime.chains) > 1 else ""
        newest = found_snapshots[0]
        by_hour = {snapshot.hour.timestamp(): snapshot.value_secured_usd for snapshot in found_snapshots}
        hours = [newest.hour.timestamp() - back * 3_600 for back in range(HOURS - 1, -1, -1)]
        values = [by_hour.get(hour) for hour in hours]  # an hour without a snapshot is a gap
        found[f"dollars secured, last {HOURS} hours{of}"] = metadata.draw_line(
            "dollars secured", [None if value is None else float(value) for value in values]
        )
        found[f"secured{of}"] = _make_token_table(newest, {feed.token for feed in chain.settings.price_feeds})
        found[f"counts{of}"] = _make_count_table(newest)
    return found


def _make_token_table(snapshot: "StatisticsSnapshot", with_feed: Collection[str]) -> metadata.Table:
    rows = []
    for token in snapshot.tokens:
        amount, decimals = int(token["amount"]), token["decimals"]
        units = f"{amount:,} base units" if decimals is None else f"{amount / 10**decimals:,.4f}"
        unknown = "no fresh price" if token["token"] in with_feed else "no price feed"
        rows.append((token["symbol"] or token["token"], units, token["usd"] or unknown))
    value = snapshot.value_secured_usd
    rows.append(("all", "", "not known" if value is None else str(value)))
    return metadata.make_table(("token", "amount", "US dollars"), rows)


def _make_count_table(snapshot: "StatisticsSnapshot") -> metadata.Table:
    rows = [
        (group, state, value)
        for group, states in snapshot.counts.items()
        for state, value in {**states, **states.get("byType", {})}.items()
        if isinstance(value, int)
    ]
    return metadata.make_table(("of", "state or type", "count"), rows)


async def _write_days(runtime: "Runtime", days: "list[date]") -> dict[date, metadata.Metadata]:
    """Write the files of these days; return their figures, and plots that end with the last day.

    Raises `IndexerUnavailable` while a chain's index is behind: its unread days would be written as quiet days.
    """
    from reminder_worker.errors import IndexerUnavailable
    from reminder_worker.statistics.files import write_days

    behind = [chain_id for chain_id in runtime.chains if not await runtime.statistics[chain_id].is_current()]
    if behind:
        raise IndexerUnavailable(f"the index has first to reach the head of {', '.join(map(str, behind))}")
    shown = _list_shown(days)
    rows = {
        chain_id: await write_days(runtime.engine, runtime.statistics_files, chain.settings, days, also=shown)
        for chain_id, chain in runtime.chains.items()
    }
    return _describe_days(runtime, days, rows)


async def _read_days(runtime: "Runtime", days: "list[date]") -> dict[date, metadata.Metadata]:
    """Return the figures of these days by their files."""
    from reminder_worker.statistics.files import read_days

    store, wanted = runtime.statistics_files, [*days, *_list_shown(days)]
    rows = {chain: await asyncio.to_thread(read_days, store, chain, wanted) for chain in runtime.chains}
    return _describe_days(runtime, days, rows)


def _list_shown(days: "list[date]") -> "list[date]":
    """Return the days of a plot that ends with the last of these."""
    return [max(days) - timedelta(days=back) for back in range(DAYS - 1, -1, -1)]


def _describe_days(
    runtime: "Runtime", days: "list[date]", rows: "Mapping[int, pl.DataFrame]"
) -> dict[date, metadata.Metadata]:
    """Return the figures of each day, and plots beside the last; `rows`: by chain, ordered by day."""
    last = max(days)
    found: dict[date, metadata.Metadata] = {day: {"dagster/partition_row_count": 0} for day in days}
    for chain_id, written in rows.items():
        of = f" ({runtime.chains[chain_id].settings.name or chain_id})" if len(rows) > 1 else ""
        for name in ("legacies_created", "gifts_sealed", "timelocks_withdrawn") if len(written) else ():
            by_day = list(written.tail(DAYS).select("day", name).iter_rows())
            text = name.replace("_", " ")
            found[last][f"{text} per day{of}"] = dg.MetadataValue.md(f"![{text} per day]({metadata.draw_bars(by_day)})")
        for row in written.iter_rows(named=True):
            figures = {f"{name.replace('_', ' ')}{of}": value for name, value in row.items() if isinstance(value, int)}
            if row["day"] in found:
                found[row["day"]]["dagster/partition_row_count"] += 1
                found[row["day"]] |= figures
    return found


async def _find_newest_snapshots(runtime: "Runtime", most: int) -> "list[list[StatisticsSnapshot]]":
    """Return the snapshots of each chain, the newest first."""
    from reminder_worker.statistics import snapshots

    found = [await snapshots.find_recent_snapshots(runtime.engine, chain_id, most) for chain_id in runtime.chains]
    return [snapshots for snapshots in found if snapshots]


async def _find_negative_figures(runtime: "Runtime") -> list[tuple[int, str]]:
    from reminder_worker.statistics import files, snapshots

    store = runtime.statistics_files
    newest = [snapshots[0] for snapshots in await _find_newest_snapshots(runtime, 1)]
    return [
        (each.chain_id, what)
        for each in newest
        for what in [
            *snapshots.find_negative_figures(each),
            *await asyncio.to_thread(files.find_negative_columns, store, each),
        ]
    ]


async def _find_unequal_totals(runtime: "Runtime") -> list[tuple[int, str]]:
    from reminder_worker.statistics import snapshots

    newest = [snapshots[0] for snapshots in await _find_newest_snapshots(runtime, 1)]
    return [(each.chain_id, what) for each in newest for what in snapshots.find_unequal_totals(each)]


async def _find_jumps(runtime: "Runtime") -> list[tuple[int, str]]:
    from reminder_worker.statistics import snapshots

    several = [snapshots for snapshots in await _find_newest_snapshots(runtime, 72) if len(snapshots) > 1]
    return [(after.chain_id, what) for after, *earlier in several for what in snapshots.find_jumps(earlier, after)]
