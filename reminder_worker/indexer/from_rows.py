"""From rows of our own tables to the answers every indexer gives."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row

from reminder_worker.indexer.models import (
    NotifySignal,
    ReminderConfig,
    SignalKind,
    Timelock,
    TimelockAsset,
    asset_order,
)
from reminder_worker.indexer.projection import ChainEvent


def signal_of(event: ChainEvent) -> NotifySignal | None:
    """None for a notify type this version does not know."""
    if event.legacy is None or event.creator is None or event.data["kind"] not in set(SignalKind):
        return None
    return NotifySignal(
        legacy=event.legacy,
        creator=event.creator,
        layer=event.data["layer"],
        kind=SignalKind(event.data["kind"]),
        block_number=event.block_number,
        block_time=event.block_time,
        tx_hash=event.tx_hash,
    )


def config_of(row: Mapping[str, Any]) -> ReminderConfig:
    """Also of what `fold_config` makes."""
    return ReminderConfig(
        legacy=row["legacy"],
        creator=row["creator"],
        cosigners=tuple(row["cosigners"]),
        beneficiaries=tuple(row["beneficiaries"]),
        second_line=row["second_line"],
        third_line=row["third_line"],
    )


def timelock_of(row: Row[Any]) -> Timelock:
    assets = [
        TimelockAsset(
            vault=asset["vault"],
            token=asset["token"],
            token_id=None if asset["id"] is None else int(asset["id"]),
            amount=int(asset["amount"]),
        )
        for asset in row.assets
    ]
    return Timelock(
        timelock_id=row.timelock_id,
        lock_type=row.lock_type,
        owner=row.owner,
        recipient=row.recipient,
        unlock_time=row.unlock_time,
        status=row.status,
        assets=tuple(sorted(assets, key=asset_order)),
        created_at=row.created_at,
    )
