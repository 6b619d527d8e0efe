"""Gifts: saved recipients, and the emails to them. Counts only."""

from typing import TYPE_CHECKING

import dagster as dg

from assets import metadata
from assets.reminders import chain
from assets.service import Service
from assets.steps import OWNERS, Results, materialized

if TYPE_CHECKING:
    from reminder_worker.runtime import Runtime

gift_notifications = dg.AssetSpec(
    "gift_notifications",
    group_name="outside",
    kinds={"postgres"},
    owners=OWNERS,
    metadata={"dagster/table_name": "worker.gift_notification"},
    tags={"holds": "encrypted-personal-data"},
    description="Whom givers want told of a gift: saved through the HTTP API, encrypted, deleted after opening day.",
)


@dg.asset(
    deps=[gift_notifications, chain],
    group_name="gifts",
    kinds={"ethereum", "postgres", "email"},
    owners=OWNERS,
    tags={"holds": "encrypted-personal-data"},
    metadata={"dagster/table_name": "worker.gift_ledger"},
    output_required=False,
)
def gift_emails(context: dg.AssetExecutionContext, service: dg.ResourceParam[Service]) -> Results:
    """Emails of gifts: on the giver's day, and on opening day unless the gift was claimed; each at most once."""
    yield from materialized(context, service, "gifts", _read_metadata)


GIFT_ASSETS = (gift_notifications, gift_emails)


async def _read_metadata(runtime: "Runtime") -> metadata.Metadata:
    from reminder_worker.passes import read_operator_facts

    facts = await read_operator_facts(runtime, "gift_emails", "gift_notifications")
    return {
        "gifts to be told of": facts.gift_notifications,
        "emails": metadata.gift_emails_table(facts.gift_emails),
    }
