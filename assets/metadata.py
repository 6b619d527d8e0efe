"""Metadata beside an asset: counts, ages and tables in words. Nothing personal ever comes here."""

import base64
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import dagster as dg

from reminder_worker.outbox.messages import format_amount, format_clock

if TYPE_CHECKING:
    from reminder_worker.auto_renew.operator_facts import DecisionCount, OwnerDecision
    from reminder_worker.gifts.emails import GiftEmailCount
    from reminder_worker.indexer.store import ReaderPosition
    from reminder_worker.monitoring.facts import PassState
    from reminder_worker.monitoring.node_requests import RequestTally
    from reminder_worker.outbox.operator import RaisedCondition, RecentAlert, SettledEmails, UndecidedEmails
    from reminder_worker.relay.operator import RequestCount, WalletSpend, WalletState
    from reminder_worker.reminders.erasure import RecentErasures
    from reminder_worker.reminders.operator_facts import SignalCount, WindowCount

Metadata = dict[str, Any]
Table = dg.MarkdownMetadataValue | dg.TextMetadataValue


def make_table(headers: Sequence[str], rows: Iterable[Sequence[object]], empty: str = "none") -> Table:
    """Return a Markdown table, or the word `empty` as text: a check's page hides Markdown behind a link.

    Dagster's page is narrow and cuts wide rows: addresses and other ids come last.
    """
    lines = ["| " + " | ".join(_escape_cell(value) for value in row) + " |" for row in rows]
    if not lines:
        return dg.MetadataValue.text(empty)
    head = "| " + " | ".join(headers) + " |"
    return dg.MetadataValue.md("\n".join([head, "|" + " --- |" * len(headers), *lines]))


def format_age(seconds: int | None) -> str:
    """Return seconds in words: `42 s`, `5 min`, `3 h`, `2 d`."""
    if seconds is None:
        return "never"
    for unit, size, least in (("d", 86400, 2 * 86400), ("h", 3600, 2 * 3600), ("min", 60, 120)):
        if seconds >= least:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def join_sentence(troubles: Iterable[str], good: str) -> str:
    """Return the words beside a check's result: the first troubles, or that all is good."""
    said = list(troubles)
    more = [f"and {len(said) - 5} more"] if len(said) > 5 else []
    return "; ".join([*said[:5], *more]) or good


def name_chain(chain_id: int) -> str:
    """Return the chain in words; nothing for chain 0."""
    return f" on chain {chain_id}" if chain_id else ""


def pass_report(states: "Iterable[PassState]") -> Metadata:
    """Return the last report of a pass. Figures stay numbers under keys of their own: Dagster plots them over time.

    Nested counts of zero are left out: an idle relay would show some thirty zeros.
    """
    known = list(states)
    found: Metadata = {}
    for state in known:
        suffix = f" (chain {state.chain_id})" if len(known) > 1 else ""
        found |= {f"last run: {name}{suffix}": value for name, value in _flatten(state.detail)}
        if state.error:
            found["failed" + suffix] = f"{state.error}, {format_age(state.failed_age)} ago"
    return found


def describe_erasures(erasures: "Iterable[RecentErasures]") -> Metadata:
    """Return how many recipients were erased in the last 90 days for each cause, and when last."""
    found: Metadata = {}
    for each in erasures:
        words = f"erased in 90 days: {each.cause.replace('_', ' ')}"
        found |= {words: each.people, f"{words}, last": each.last_day.isoformat()}
    return found


def _flatten(report: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, int | float | str]]:
    """Yield nested counts under joined names, without empty values."""
    for key, value in report.items():
        name = prefix + ("took (seconds)" if key == "seconds" else str(key).replace("_", " "))
        if isinstance(value, Mapping):
            yield from _flatten(value, name + ": ")
        elif str(key).endswith("_at") and isinstance(value, int):
            yield name, format_clock(value)
        elif isinstance(value, list):
            if value:
                yield name, ", ".join(str(each) for each in value)
        elif value is not None and (value or not prefix or isinstance(value, float)):
            yield name, value


def positions_table(positions: "Iterable[ReaderPosition]", reader: str) -> Table:
    rows = [(p.chain_id, p.block_number, format_age(p.age), p.source or "") for p in positions if p.name == reader]
    return make_table(("chain", "block", "moved", "source"), rows, "nothing read yet")


def windows_table(counts: "Iterable[WindowCount]") -> Table:
    from reminder_worker.outbox.messages import WINDOW_KINDS

    rows = [
        (
            WINDOW_KINDS[c.window],
            c.chain_id,
            c.count,
            format_clock(c.first_deadline),
            format_clock(c.last_deadline),
        )
        for c in counts
    ]
    return make_table(("kind", "chain", "windows", "first deadline", "last deadline"), rows, "no window is open")


def signals_table(counts: "Iterable[SignalCount]") -> Table:
    from reminder_worker.indexer.models import SignalKind

    rows = [(SignalKind(c.kind).name.lower(), c.chain_id, c.count, format_age(c.oldest), c.max_tries) for c in counts]
    return make_table(("kind", "chain", "signals", "oldest", "most tries"), rows, "every signal is settled")


def emails_table(counts: "Iterable[UndecidedEmails]") -> Table:
    rows = [(c.state, c.reason or "", c.kind, c.chain_id, c.count, format_age(c.oldest)) for c in counts]
    return make_table(("state", "reason", "kind", "chain", "emails", "oldest"), rows, "nothing is undecided")


def gift_emails_table(counts: "Iterable[GiftEmailCount]") -> Table:
    rows = [(c.kind, c.chain_id, c.state, c.reason or "", c.count) for c in counts]
    return make_table(("kind", "chain", "state", "reason", "emails"), rows, "no gift was registered yet")


def passes_table(states: "Iterable[PassState]", switched_off: Mapping[str, str]) -> Table:
    """Return every pass with the ages of its last look, success and failure, or with the reason why it is off."""
    rows: list[Sequence[object]] = []
    for s in states:
        if s.name not in switched_off:
            ages = map(format_age, (s.checked_age, s.succeeded_age, s.failed_age))
            rows.append((s.name, s.chain_id or "", *ages, s.error or ""))
    rows += [(name, "", "", "", "", f"off: {reason}") for name, reason in sorted(switched_off.items())]
    return make_table(("pass", "chain", "looked", "succeeded", "failed", "error"), rows, "no pass has looked yet")


def requests_table(counts: "Iterable[RequestCount]") -> Table:
    rows = [(c.lane, c.chain_id, c.state, c.count, format_age(c.oldest)) for c in counts]
    return make_table(("lane", "chain", "state", "requests", "oldest"), rows)


def wallets_table(wallets: "Iterable[WalletState]") -> Table:
    """Return the wallets with today's requests (UTC), and the amounts reserved and spent of the caps.

    The wallet and its stop come first: the page cuts the end of a row.
    """
    rows = []
    for w in wallets:
        oldest = format_age(w.oldest_open) if w.unmined else ""
        spent = (w.requests, format_ether(w.spent_wei), format_ether(w.reserved_wei))
        known_by = f"{w.address[:6]}…{w.address[-4:]}"
        rows.append((known_by, w.chain_id, w.stopped or "", w.unmined, w.mined, oldest, *spent, w.address))
    slots = ("not mined", "mined, not final", "oldest")
    headers = ("wallet", "chain", "stopped", *slots, "requests", "spent ETH", "reserved ETH", "address")
    return make_table(headers, rows, "no wallet was used yet")


def conditions_table(conditions: "Iterable[RaisedCondition]") -> Table:
    rows = [(c.kind, c.chain_id or "", c.subject, format_age(c.age)) for c in conditions]
    return make_table(("kind", "chain", "about", "since"), rows, "nothing is wrong")


def alerts_table(alerts: "Iterable[RecentAlert]") -> Table:
    rows = [
        (format_age(a.age), a.stage.partition(" ")[0], a.kind, a.chain_id or "", a.state, a.subject) for a in alerts
    ]
    return make_table(("ago", "stage", "kind", "chain", "email", "about"), rows)


def describe_spend(spend: "Sequence[WalletSpend]") -> Metadata:
    """Return what the wallets spent this month (UTC), in ETH: the sum of all chains, and a row for each wallet."""
    this_month = datetime.now(UTC).date().replace(day=1)
    rows = [(f"{s.month:%Y-%m}", s.chain_id, s.requests, format_ether(s.spent_wei), s.address) for s in spend]
    return {
        "spent this month (ETH)": format_ether(sum(s.spent_wei for s in spend if s.month == this_month)),
        "spent by month": make_table(
            ("month (UTC)", "chain", "requests", "spent ETH", "wallet"), rows, "nothing spent"
        ),
    }


def decisions_table(counts: "Iterable[DecisionCount]") -> Table:
    rows = [(c.decision, c.reason or "", c.chain_id, c.count) for c in counts]
    return make_table(("decision", "reason", "chain", "legacies"), rows, "nobody has opted in")


def owners_table(owners: "Iterable[OwnerDecision]") -> Table:
    """Return the decisions; `transactions`: the owner's count now, and the baseline."""
    rows = []
    for o in owners:
        seen = f"{o.nonce_seen} (baseline {o.baseline})"
        rows.append(
            (
                o.decision,
                o.reason or "",
                format_time_left(o.to_deadline),
                format_time_left(o.budget_left),
                seen,
                o.chain_id,
                o.legacy,
            )
        )
    headers = ("decision", "reason", "to deadline", "budget left", "transactions", "chain", "legacy")
    return make_table(headers, rows, "nobody has opted in")


def format_time_left(seconds: int | None) -> str:
    """Return `12 d`, or `over for 3 h`."""
    if seconds is None:
        return "not known"
    return format_age(seconds) if seconds >= 0 else f"over for {format_age(-seconds)}"


def format_ether(wei: int) -> str:
    """Return the amount with every digit: a test chain's fee is too small to be rounded."""
    return format_amount(int(wei), 18)


def _escape_cell(value: object) -> str:
    return str(value).replace("|", "\\|")


def describe_sends(found: "Sequence[SettledEmails]", days: int) -> Metadata:
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
        "sent per day": dg.MetadataValue.md(f"![sent per day]({draw_bars(by_day)})"),
        "days": make_table(("day (UTC)", "sent"), [row for row in reversed(by_day) if row[1]], "nothing sent"),
        "outcomes": make_table(("kind", "outcome", "emails"), outcomes.iter_rows(), "nothing settled"),
    }


def describe_requests(found: "Sequence[RequestTally]", days: int) -> Metadata:
    """Return the plot of all requests by day, and tables of the last days.

    The requests of each pass yesterday are figures under keys of their own: Dagster plots them over time.
    """
    today = datetime.now(UTC).date()
    by_day, by_pass, of_yesterday = Counter[date](), Counter[tuple[str, int]](), Counter[str]()
    by_method = Counter[tuple[str, int, str]]()
    for each in found:
        by_day[each.day] += each.count
        by_pass[each.pass_name, (today - each.day).days] += each.count
        if (today - each.day).days == 1:
            of_yesterday[each.pass_name] += each.count
            by_method[each.endpoint, each.chain_id, each.method] += each.count
    calendar = [(day, by_day[day]) for back in range(days - 1, -1, -1) for day in [today - timedelta(days=back)]]
    names = sorted({name for name, _ in by_pass})
    backs = (0, 1, 2, 3)
    last_days = [(name, *(by_pass[name, back] for back in backs)) for name in names]
    headers = ("pass", "today", *(f"{today - timedelta(days=back):%-d %b}" for back in backs[1:]))
    methods = [(name, chain_id, method, count) for (name, chain_id, method), count in sorted(by_method.items())]
    return {
        "today": by_day[today],
        **{f"yesterday: {name}": count for name, count in sorted(of_yesterday.items())},
        "requests per day": dg.MetadataValue.md(f"![requests per day]({draw_bars(calendar)})"),
        "passes": make_table(headers, last_days, "no request was counted"),
        "yesterday": make_table(("endpoint", "chain", "method", "requests"), methods, "no request was counted"),
    }


def draw_bars(days: Sequence[tuple[date, int]]) -> str:
    """A bar for each day as the address of an SVG image (`data:`), readable on a light and a dark page.

    Dagster shows Markdown of less than 1,000 characters at once, longer behind a link: hence one path for all bars,
    and one line of evenly stretched text for all counts and one for all days of the month.
    """
    cell, tall, top = 26, 90, 4  # pixels
    most = max([count for _, count in days] + [1])
    width, base = len(days) * cell, top + tall
    path = "".join(
        f"M{place * cell + cell // 2} {base}V{base - round(tall * count / most)}"
        for place, (_, count) in enumerate(days)
        if count
    )
    line = f'<text textLength="{width}" xml:space="preserve" y='
    counts = "".join(f"{_shorten(count):^5}" for _, count in days)
    numbers = "".join(f"{day.day:^5}" for day, _ in days)
    image = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{base + 32}" '
        f'font-family="monospace" font-size="9" fill="#888"><path stroke="#48e" stroke-width="20" d="{path}"/>'
        f'{line}"{base + 14}">{counts}</text>{line}"{base + 28}">{numbers}</text></svg>'
    )
    return "data:image/svg+xml;base64," + base64.b64encode(image.encode()).decode()


def draw_line(name: str, values: Sequence[float | None]) -> dg.MarkdownMetadataValue:
    """A line over evenly spaced values, the oldest first; a gap where there is none. Its bounds in words."""
    known = [value for value in values if value is not None]
    if not known:
        return dg.MetadataValue.md("no value yet")
    low, high = min(known), max(known)
    tall, top, wide = 90, 4, 363  # pixels
    step = wide / max(len(values) - 1, 1)
    path, pen = "", "M"
    for place, value in enumerate(values):
        if value is None:
            pen = "M"
            continue
        height = round(tall * (value - low) / (high - low)) if high > low else tall // 2
        path += f"{pen}{round(place * step)} {top + tall - height}" + ("h1" if pen == "M" else "")
        pen = "L"
    image = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide + 1}" height="{top * 2 + tall}">'
        f'<path fill="none" stroke="#48e" stroke-width="2" d="{path}"/></svg>'
    )
    address = "data:image/svg+xml;base64," + base64.b64encode(image.encode()).decode()
    now = "not known" if values[-1] is None else f"{values[-1]:,.2f}"
    return dg.MetadataValue.md(f"![{name}]({address})\n\nfrom {low:,.2f} to {high:,.2f}, now {now}")


def _shorten(count: int) -> str:
    """At most four characters: `0`, `999`, `12k`, `3M`."""
    return str(count) if count < 1000 else f"{count // 1000}k" if count < 1_000_000 else f"{count // 1_000_000}M"
