"""Metadata beside an asset: counts, ages and tables in words. Nothing personal ever comes here."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import dagster as dg

from reminder_worker.outbox.messages import format_amount

if TYPE_CHECKING:
    from reminder_worker.auto_renew.operator_facts import DecisionCount, OwnerDecision
    from reminder_worker.gifts.emails import GiftEmailCount
    from reminder_worker.indexer.store import ReaderPosition
    from reminder_worker.monitoring.facts import PassState
    from reminder_worker.outbox.operator import RaisedCondition, UndecidedEmails
    from reminder_worker.relay.operator import RequestCount, WalletState
    from reminder_worker.reminders.operator_facts import SignalCount, WindowCount

Metadata = dict[str, Any]
Table = dg.MarkdownMetadataValue | dg.TextMetadataValue
SAID_AT_ONCE = 5


def table(headers: Sequence[str], rows: Iterable[Sequence[object]], empty: str = "none") -> Table:
    """Return a Markdown table, or the word `empty` as text: a check's page hides Markdown behind a link.

    Dagster's page is narrow and cuts wide rows: addresses and other ids come last.
    """
    lines = ["| " + " | ".join(_cell(value) for value in row) + " |" for row in rows]
    if not lines:
        return dg.MetadataValue.text(empty)
    head = "| " + " | ".join(headers) + " |"
    return dg.MetadataValue.md("\n".join([head, "|" + " --- |" * len(headers), *lines]))


def age(seconds: int | None) -> str:
    """Return seconds in words: `42 s`, `5 min`, `3 h`, `2 d`."""
    if seconds is None:
        return "never"
    for unit, size, least in (("d", 86400, 2 * 86400), ("h", 3600, 2 * 3600), ("min", 60, 120)):
        if seconds >= least:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def sentence(troubles: Iterable[str], good: str) -> str:
    """Return the words beside a check's result: the first troubles, or that all is good."""
    said = list(troubles)
    more = [f"and {len(said) - SAID_AT_ONCE} more"] if len(said) > SAID_AT_ONCE else []
    return "; ".join([*said[:SAID_AT_ONCE], *more]) or good


def place(chain_id: int) -> str:
    """Return the chain in words; nothing for chain 0."""
    return f" on chain {chain_id}" if chain_id else ""


def clock(unix_seconds: float) -> str:
    return datetime.fromtimestamp(unix_seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def pass_report(states: "Iterable[PassState]") -> Metadata:
    """Return the last report of a pass. Figures stay numbers under keys of their own: Dagster plots them over time.

    Nested counts of zero are left out: an idle relay would show some thirty zeros.
    """
    known = list(states)
    found: Metadata = {}
    for state in known:
        suffix = f" (chain {state.chain_id})" if len(known) > 1 else ""
        found |= {f"last run: {name}{suffix}": value for name, value in _flat(state.detail or {})}
        if state.error:
            found["failed" + suffix] = f"{state.error}, {age(state.failed_age)} ago"
    return found


def _flat(report: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, int | float | str]]:
    """Yield nested counts under joined names, without empty values."""
    for key, value in report.items():
        name = prefix + ("took (seconds)" if key == "seconds" else str(key).replace("_", " "))
        if isinstance(value, Mapping):
            yield from _flat(value, name + ": ")
        elif isinstance(value, list):
            if value:
                yield name, ", ".join(str(each) for each in value)
        elif value is not None and (value or not prefix or isinstance(value, float)):
            yield name, value


def positions_table(positions: "Iterable[ReaderPosition]", reader: str) -> Table:
    rows = [(p.chain_id, p.block_number, age(p.age), p.source or "") for p in positions if p.name == reader]
    return table(("chain", "block", "moved", "source"), rows, "nothing read yet")


def windows_table(counts: "Iterable[WindowCount]") -> Table:
    from reminder_worker.outbox.messages import WINDOW_KINDS

    rows = [
        (WINDOW_KINDS[c.window], c.chain_id, c.state, c.count, clock(c.first_deadline), clock(c.last_deadline))
        for c in counts
    ]
    return table(("kind", "chain", "state", "windows", "first deadline", "last deadline"), rows, "no window seen yet")


def signals_table(counts: "Iterable[SignalCount]") -> Table:
    from reminder_worker.indexer.models import SignalKind

    rows = [(SignalKind(c.kind).name.lower(), c.chain_id, c.count, age(c.oldest), c.max_tries) for c in counts]
    return table(("kind", "chain", "signals", "oldest", "most tries"), rows, "every signal is settled")


def emails_table(counts: "Iterable[UndecidedEmails]") -> Table:
    rows = [(c.state, c.reason or "", c.kind, c.chain_id, c.count, age(c.oldest)) for c in counts]
    return table(("state", "reason", "kind", "chain", "emails", "oldest"), rows, "nothing is undecided")


def gift_emails_table(counts: "Iterable[GiftEmailCount]") -> Table:
    rows = [(c.kind, c.chain_id, c.state, c.reason or "", c.count) for c in counts]
    return table(("kind", "chain", "state", "reason", "emails"), rows, "no gift was registered yet")


def passes_table(states: "Iterable[PassState]", switched_off: Mapping[str, str]) -> Table:
    """Return every pass with the ages of its last look, success and failure, or with the reason why it is off."""
    rows: list[Sequence[object]] = [
        (s.name, s.chain_id or "", age(s.checked_age), age(s.succeeded_age), age(s.failed_age), s.error or "")
        for s in states
        if s.name not in switched_off
    ]
    rows += [(name, "", "", "", "", f"off: {reason}") for name, reason in sorted(switched_off.items())]
    return table(("pass", "chain", "looked", "succeeded", "failed", "error"), rows, "no pass has looked yet")


def requests_table(counts: "Iterable[RequestCount]") -> Table:
    rows = [(c.lane, c.chain_id, c.state, c.count, age(c.oldest)) for c in counts]
    return table(("lane", "chain", "state", "requests", "oldest"), rows)


def wallets_table(wallets: "Iterable[WalletState]") -> Table:
    """Return the wallets with today's requests (UTC), and the amounts reserved and spent of the caps.

    The wallet and its stop come first: the page cuts the end of a row.
    """
    rows = []
    for w in wallets:
        oldest = age(w.oldest_open) if w.unmined else ""
        spent = (w.requests, ether(w.spent_wei), ether(w.reserved_wei))
        known_by = f"{w.address[:6]}…{w.address[-4:]}"
        rows.append((known_by, w.chain_id, w.stopped or "", w.unmined, w.mined, oldest, *spent, w.address))
    slots = ("not mined", "mined, not final", "oldest")
    headers = ("wallet", "chain", "stopped", *slots, "requests", "spent ETH", "reserved ETH", "address")
    return table(headers, rows, "no wallet was used yet")


def conditions_table(conditions: "Iterable[RaisedCondition]") -> Table:
    rows = [(c.kind, c.chain_id or "", c.subject, age(c.age)) for c in conditions]
    return table(("kind", "chain", "about", "since"), rows, "nothing is wrong")


def decisions_table(counts: "Iterable[DecisionCount]") -> Table:
    rows = [(c.decision, c.reason or "", c.chain_id, c.count) for c in counts]
    return table(("decision", "reason", "chain", "legacies"), rows, "nobody has opted in")


def owners_table(owners: "Iterable[OwnerDecision]") -> Table:
    """Return the decisions; `transactions`: the owner's count now, and the baseline."""
    rows = []
    for o in owners:
        seen = f"{o.nonce_seen} (baseline {o.baseline})"
        rows.append((o.decision, o.reason or "", left(o.to_deadline), left(o.budget_left), seen, o.chain_id, o.legacy))
    headers = ("decision", "reason", "to deadline", "budget left", "transactions", "chain", "legacy")
    return table(headers, rows, "nobody has opted in")


def left(seconds: int | None) -> str:
    """Return `12 d`, or `over for 3 h`."""
    if seconds is None:
        return "not known"
    return age(seconds) if seconds >= 0 else f"over for {age(-seconds)}"


def ether(wei: int) -> str:
    """Return the amount with every digit: a test chain's fee is too small to be rounded."""
    return format_amount(int(wei), 18)


def _cell(value: object) -> str:
    return str(value).replace("|", "\\|")
