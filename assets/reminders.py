"""Emails of reminders and gifts, and what they are made of: the chain index, its signals and windows."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import dagster as dg

from assets import metadata
from assets.service import Service
from assets.steps import IN_PLACE, OWNERS, Results, materialized, perform, shown_between_runs
from assets.tables import describe_table
from reminder_worker.gifts.feature import GIFT_EMAILS, GIFT_NOTIFICATIONS, GIFTS
from reminder_worker.indexer.feature import INDEX, POSITIONS
from reminder_worker.monitoring.feature import UNDECIDED_EMAILS
from reminder_worker.outbox.feature import BOUNCED_ADDRESSES, BOUNCES
from reminder_worker.outbox.messages import format_clock
from reminder_worker.reminders.feature import (
    DISPATCH,
    DUE,
    NEW_SIGNALS,
    PAUSED_LEGACIES,
    SIGNALS,
    WAITING_EMAILS,
    WINDOWS,
)

if TYPE_CHECKING:
    from reminder_worker.runtime import Runtime

chain = dg.AssetSpec(
    "chain",
    group_name="outside",
    kinds={"ethereum"},
    owners=["team:contracts"],
    tags={"holds": "public-chain-data"},
    description="The protocol's contracts on every configured chain. They alone say what is due.",
)
recipients = dg.AssetSpec(
    "recipients",
    group_name="outside",
    kinds={"postgres"},
    owners=OWNERS,
    tags={"holds": "encrypted-personal-data"},
    metadata=describe_table("recipient"),
    description="Whom the creators of legacies want reminded: saved through the HTTP API, encrypted row by row.",
)


@dg.asset(
    deps=[chain],
    group_name="index",
    kinds={"ethereum", "postgres"},
    owners=OWNERS,
    tags={"holds": "public-chain-data"},
    metadata=describe_table("chain_event"),
    output_required=False,
    pool="events",
)
def chain_index(context: dg.AssetExecutionContext, service: dg.ResourceParam[Service]) -> Results:
    """The protocol's events in our own tables, folded into legacies and reminder configurations."""
    yield from materialized(context, service, INDEX, read_index_metadata)


@dg.asset(
    deps=[chain_index],
    group_name="reminders",
    kinds={"ethereum", "postgres"},
    owners=OWNERS,
    tags={"holds": "public-chain-data"},
    metadata=describe_table("notify_signal"),
    output_required=False,
    pool="events",
)
def notify_signals(context: dg.AssetExecutionContext, service: dg.ResourceParam[Service]) -> Results:
    """Owner resets and activations signalled on chain, each once, from the subgraph or the chain index."""
    yield from materialized(context, service, SIGNALS, read_signal_metadata)


@dg.asset(
    deps=[chain_index, recipients],
    group_name="reminders",
    kinds={"ethereum", "postgres"},
    owners=OWNERS,
    tags={"holds": "public-chain-data"},
    metadata=describe_table("due_window"),
    output_required=False,
    pool="due",
)
def due_reminders(context: dg.AssetExecutionContext, service: dg.ResourceParam[Service]) -> Results:
    """Reminder windows that the chain says are open, for legacies with stored recipients."""
    yield from materialized(context, service, DUE, read_window_metadata)


@dg.op(
    ins={name: dg.In(dg.Nothing) for name in ("signals", "windows", "people", "renewals")},
    out=dg.Out(dg.Nothing, is_required=False),
)
def dispatch(context: dg.OpExecutionContext, service: dg.ResourceParam[Service]) -> Iterator[dg.Output[None]]:
    """Claim due emails, render them again, post them, record the outcomes: one batch, safe beside others."""
    for found in perform(context, service, DISPATCH, read_email_metadata):
        yield dg.Output(None, metadata=found, data_version=IN_PLACE)


@dg.graph_asset(
    ins={
        "signals": dg.AssetIn("notify_signals", dagster_type=dg.Nothing),
        "windows": dg.AssetIn("due_reminders", dagster_type=dg.Nothing),
        "people": dg.AssetIn("recipients", dagster_type=dg.Nothing),
        "renewals": dg.AssetIn("owner_activity", dagster_type=dg.Nothing),  # the end of a budget is an email, too
    },
    group_name="reminders",
    kinds={"postgres", "email"},
    owners=OWNERS,
    tags={"holds": "encrypted-personal-data"},
    metadata=describe_table("sent_ledger"),
)
def sent_emails(signals: None, windows: None, people: None, renewals: None) -> None:
    """Ledger of emails: one row for each person and event, sent at most once."""
    return dispatch(signals=signals, windows=windows, people=people, renewals=renewals)  # type: ignore[no-any-return]


@shown_between_runs("chain", "chain_index")
async def read_index_metadata(runtime: "Runtime") -> metadata.Metadata:
    positions = await POSITIONS.read(runtime.scope)
    return {"position": metadata.positions_table(positions, "index")}


@shown_between_runs("notify_signals")
async def read_signal_metadata(runtime: "Runtime") -> metadata.Metadata:
    positions = await POSITIONS.read(runtime.scope)
    signals = await NEW_SIGNALS.read(runtime.scope)
    return {
        "position": metadata.positions_table(positions, "signals"),
        "unsettled signals": sum(count.count for count in signals),
        "unsettled by kind": metadata.signals_table(signals),
    }


@shown_between_runs("due_reminders")
async def read_window_metadata(runtime: "Runtime") -> metadata.Metadata:
    windows = await WINDOWS.read(runtime.scope)
    paused_legacies = await PAUSED_LEGACIES.read(runtime.scope)
    return {
        "open windows": sum(count.count for count in windows),
        "open windows by kind": metadata.windows_table(windows),
        "legacies set aside": paused_legacies,
    }


@shown_between_runs("sent_emails")
async def read_email_metadata(runtime: "Runtime") -> dict[str, Any]:
    waiting = await WAITING_EMAILS.read(runtime.scope)
    undecided = await UNDECIDED_EMAILS.read(runtime.scope)
    next_try = waiting.next_try
    return {
        "emails due": waiting.due,
        "emails waiting": waiting.later,
        "next try": format_clock(next_try.timestamp()) if next_try else "none",
        "undecided emails": sum(count.count for count in undecided),
        "undecided by reason": metadata.emails_table(undecided),
    }


gift_notifications = dg.AssetSpec(
    "gift_notifications",
    group_name="outside",
    kinds={"postgres"},
    owners=OWNERS,
    metadata=describe_table("gift_notification"),
    tags={"holds": "encrypted-personal-data"},
    description="Whom givers want told of a gift: saved through the HTTP API, encrypted, deleted after opening day.",
)


@dg.asset(
    deps=[gift_notifications, chain],
    group_name="gifts",
    kinds={"ethereum", "postgres", "email"},
    owners=OWNERS,
    tags={"holds": "encrypted-personal-data"},
    metadata=describe_table("gift_ledger"),
    output_required=False,
    pool="emails",
)
def gift_emails(context: dg.AssetExecutionContext, service: dg.ResourceParam[Service]) -> Results:
    """Emails of gifts: on the giver's day, and on opening day unless the gift was claimed; each at most once."""
    yield from materialized(context, service, GIFTS, read_gift_metadata)


@shown_between_runs("gift_emails")
async def read_gift_metadata(runtime: "Runtime") -> metadata.Metadata:
    gift_emails = await GIFT_EMAILS.read(runtime.scope)
    gift_notifications = await GIFT_NOTIFICATIONS.read(runtime.scope)
    return {
        "gifts to be told of": gift_notifications,
        "emails": metadata.gift_emails_table(gift_emails),
    }


@dg.asset(
    deps=[sent_emails, gift_emails],
    group_name="reminders",
    kinds={"postgres", "email"},
    owners=OWNERS,
    tags={"holds": "keyed-hashes"},
    metadata=describe_table("bounce"),
    output_required=False,
    pool="bounces",
)
def returned_emails(context: dg.AssetExecutionContext, service: dg.ResourceParam[Service]) -> Results:
    """Addresses from which emails came back: an address that does not exist gets no further email."""
    yield from materialized(context, service, BOUNCES, read_bounce_metadata)


@shown_between_runs("returned_emails")
async def read_bounce_metadata(runtime: "Runtime") -> metadata.Metadata:
    bounces = await BOUNCED_ADDRESSES.read(runtime.scope)
    return {f"addresses: {reason}": count for reason, count in bounces.items()}
