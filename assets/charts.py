"""A plot of sends per day, drawn as a small SVG inside Markdown, and the same figures as a table."""

import base64
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import dagster as dg

from assets import metadata

if TYPE_CHECKING:
    from reminder_worker.outbox.operator import SettledEmails

_CELL, _TALL, _TOP, _WIDE = 26, 90, 4, 363  # pixels


def sends(found: "Sequence[SettledEmails]", days: int) -> metadata.Metadata:
    """Totals, the plot, and a table of days by kind; days without a send are shown as such."""
    import polars as pl

    today = datetime.now(UTC).date()
    frame = pl.DataFrame(
        [(each.day, each.kind, each.state, each.count) for each in found if (today - each.day).days < days],
        schema={"day": pl.Date, "kind": pl.String, "state": pl.String, "emails": pl.Int64},
        orient="row",
    )
    sent = frame.filter(pl.col("state") == "sent")
    calendar = pl.DataFrame({"day": [today - timedelta(days=back) for back in range(days - 1, -1, -1)]})
    daily = calendar.join(sent.group_by("day").agg(pl.col("emails").sum()), on="day", how="left").fill_null(0)
    outcomes = frame.group_by("kind", "state").agg(pl.col("emails").sum()).sort("kind", "state")
    by_day: list[tuple[date, int]] = list(daily.sort("day").iter_rows())
    return {
        "sent today": by_day[-1][1],
        f"sent in {days} days": int(daily["emails"].sum()),
        "sent per day": dg.MetadataValue.md(f"![sent per day]({bars(by_day)})"),
        "days": metadata.table(("day (UTC)", "sent"), [row for row in reversed(by_day) if row[1]], "nothing sent"),
        "outcomes": metadata.table(("kind", "outcome", "emails"), outcomes.iter_rows(), "nothing settled"),
    }


def bars(days: Sequence[tuple[date, int]]) -> str:
    """A bar for each day as the address of an SVG image (`data:`), readable on a light and a dark page.

    Dagster shows Markdown of less than 1,000 characters at once, longer behind a link: hence one path for all bars,
    and one line of evenly stretched text for all counts and one for all days of the month.
    """
    most = max([count for _, count in days] + [1])
    width, base = len(days) * _CELL, _TOP + _TALL
    path = "".join(
        f"M{place * _CELL + _CELL // 2} {base}V{base - round(_TALL * count / most)}"
        for place, (_, count) in enumerate(days)
        if count
    )
    line = f'<text textLength="{width}" xml:space="preserve" y='
    counts = "".join(f"{_short(count):^5}" for _, count in days)
    numbers = "".join(f"{day.day:^5}" for day, _ in days)
    image = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{base + 32}" '
        f'font-family="monospace" font-size="9" fill="#888"><path stroke="#48e" stroke-width="20" d="{path}"/>'
        f'{line}"{base + 14}">{counts}</text>{line}"{base + 28}">{numbers}</text></svg>'
    )
    return "data:image/svg+xml;base64," + base64.b64encode(image.encode()).decode()


def plot(name: str, values: Sequence[float | None]) -> dg.MarkdownMetadataValue:
    """A line over evenly spaced values, the oldest first; a gap where there is none. Its bounds in words."""
    known = [value for value in values if value is not None]
    if not known:
        return dg.MetadataValue.md("no value yet")
    low, high = min(known), max(known)
    step = _WIDE / max(len(values) - 1, 1)
    path, pen = "", "M"
    for place, value in enumerate(values):
        if value is None:
            pen = "M"
            continue
        height = round(_TALL * (value - low) / (high - low)) if high > low else _TALL // 2
        path += f"{pen}{round(place * step)} {_TOP + _TALL - height}" + ("h1" if pen == "M" else "")
        pen = "L"
    image = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDE + 1}" height="{_TOP * 2 + _TALL}">'
        f'<path fill="none" stroke="#48e" stroke-width="2" d="{path}"/></svg>'
    )
    address = "data:image/svg+xml;base64," + base64.b64encode(image.encode()).decode()
    now = "not known" if values[-1] is None else f"{values[-1]:,.2f}"
    return dg.MetadataValue.md(f"![{name}]({address})\n\nfrom {low:,.2f} to {high:,.2f}, now {now}")


def _short(count: int) -> str:
    """At most four characters: `0`, `999`, `12k`, `3M`."""
    return str(count) if count < 1000 else f"{count // 1000}k" if count < 1_000_000 else f"{count // 1_000_000}M"
