"""A plot of sends per day, drawn as a small SVG inside Markdown, and the same figures as a table."""

import base64
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import dagster as dg

from assets import metadata

if TYPE_CHECKING:
    from reminder_worker import operations

_BAR, _GAP, _HEIGHT, _TOP, _BOTTOM = 34, 8, 120, 18, 20


def sends(found: "Sequence[operations.Sends]", days: int) -> metadata.Metadata:
    """Totals, the plot, and a table of days by kind; days without a send are shown as such."""
    import polars as pl

    frame = pl.DataFrame(
        [(each.day, each.kind, each.state, each.count) for each in found],
        schema={"day": pl.Date, "kind": pl.String, "state": pl.String, "emails": pl.Int64},
        orient="row",
    )
    sent = frame.filter(pl.col("state") == "sent")
    today = datetime.now(UTC).date()
    calendar = pl.DataFrame({"day": [today - timedelta(days=back) for back in range(days - 1, -1, -1)]})
    daily = calendar.join(sent.group_by("day").agg(pl.col("emails").sum()), on="day", how="left").fill_null(0)
    outcomes = frame.group_by("kind", "state").agg(pl.col("emails").sum()).sort("kind", "state")
    by_day: list[tuple[date, int]] = list(daily.sort("day").iter_rows())
    return {
        "sent today": by_day[-1][1],
        f"sent in {days} days": int(daily["emails"].sum()),
        "sent per day": dg.MetadataValue.md(f"![emails sent per day]({bars(by_day)})"),
        "days": metadata.table(("day (UTC)", "sent"), [row for row in reversed(by_day) if row[1]], "nothing sent"),
        "outcomes": metadata.table(("kind", "outcome", "emails"), outcomes.iter_rows(), "nothing settled"),
    }


def bars(days: Sequence[tuple[date, int]]) -> str:
    """A bar for each day as the address of an SVG image (`data:`), readable on a light and a dark page."""
    most = max([count for _, count in days] + [1])
    width, height = len(days) * (_BAR + _GAP), _TOP + _HEIGHT + _BOTTOM
    parts = []
    for place, (day, count) in enumerate(days):
        x, tall = place * (_BAR + _GAP), round(_HEIGHT * count / most)
        middle, top = x + _BAR / 2, _TOP + _HEIGHT - tall
        parts.append(f'<rect x="{x}" y="{top}" width="{_BAR}" height="{tall}" fill="#4f8ef7"/>')
        parts.append(f'<text x="{middle}" y="{top - 4}">{count or ""}</text>')
        parts.append(f'<text x="{middle}" y="{height - 5}">{day:%d.%m.}</text>')
    image = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="11" fill="#8a8f98" text-anchor="middle">{"".join(parts)}</svg>'
    )
    return "data:image/svg+xml;base64," + base64.b64encode(image.encode()).decode()
