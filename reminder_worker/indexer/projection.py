"""Projection of events in log order to the rows of `legacy`, `reminder_config` and `timelock`. No I/O.

A projection reads all events of one key of its table, from the first on; None means no row.

"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

from reminder_worker.indexer.models import (
    ENDED,
    LIVE,
    IndexedTimelock,
    NotifySignal,
    ReminderConfig,
    SignalKind,
    TimelockAsset,
    asset_order,
)

ProjectedRow = dict[str, Any]  # the columns of the table, without the chain

CREATED = frozenset({"TransferEOALegacyCreatedV2", "TransferEOALegacyCreated", "MultisigLegacyCreated"})
ACTIVATED = frozenset({"TransferEOALegacyActivated", "TransferEOALegacyActivatedWithUnswap", "MultisigLegacyActivated"})
WITHDRAWN = frozenset({"FundsWithdrawn", "TokensWithdrawn"})
NOTIFY = "LegacyEmailNotifyRequested"


@dataclass(frozen=True, slots=True)
class ChainEvent:
    """A row of `chain_event`: a decoded log with its legacy, user or timelock. `data` by name, from `decoding.py`."""

    block_number: int
    log_index: int
    block_hash: str
    block_time: int
    tx_hash: str
    contract: str
    name: str
    legacy: str | None
    creator: str | None
    timelock_id: int | None
    data: Mapping[str, Any]


def fold_legacy(events: Iterable[ChainEvent]) -> ProjectedRow | None:
    """Project a legacy's events; None without its creation."""
    return reduce(_legacy, events, None)


def fold_config(events: Iterable[ChainEvent]) -> ProjectedRow | None:
    """Project a configuration. LegacyReminderUpdated has the whole set; other events edit and create nothing."""
    return reduce(_config, events, None)


def fold_timelock(events: Iterable[ChainEvent]) -> ProjectedRow | None:
    """Project a timelock. One id may have assets in three vaults; the timelock lives while a vault's part does."""
    statuses: dict[str, int] = {}
    row: ProjectedRow | None = None
    for event in events:
        row = _timelock(row, event)
        if event.name == "TimelockCreated":
            statuses.setdefault(event.contract, LIVE)
        elif event.name == "ChangeStatus":
            statuses[event.contract] = event.data["status"]
        elif event.name in WITHDRAWN:
            statuses[event.contract] = ENDED
    return None if row is None else {**row, "status": min(statuses.values())}


def _legacy(row: ProjectedRow | None, event: ChainEvent) -> ProjectedRow | None:
    if event.name in CREATED:
        return {
            "address": event.legacy,
            "router": event.contract,
            "legacy_id": event.data["legacy_id"],
            "legacy_type": event.data["legacy_type"],
            "creator": event.creator,
            "owner": event.data["owner"],
            "created_block": event.block_number,
            "created_at": event.block_time,
            "activated_at": None,
            "deleted_at": None,
            "auto_renew": False,
        }
    if row is None:
        return None
    if event.name in ACTIVATED:
        return {**row, "activated_at": row["activated_at"] or event.block_time}
    if event.name == "TransferEOALegacyDeleted":
        return {**row, "deleted_at": event.block_time}
    if event.name == "TransferEOALegacyAutoRenewSet":
        return {**row, "auto_renew": event.data["enabled"]}
    return row


def _config(row: ProjectedRow | None, event: ChainEvent) -> ProjectedRow | None:
    edit: ProjectedRow
    if event.name == "LegacyReminderUpdated":
        edit = {key: event.data[key] for key in ("cosigners", "beneficiaries", "second_line", "third_line")}
    elif event.name == "LegacyConfigReset" or row is None:
        return None
    elif event.name == "BeneficiariesEmailSync":
        edit = {"beneficiaries": event.data["beneficiaries"]}
    elif event.name == "SecondLineEmailReset":
        edit = {"second_line": None}
    elif event.name == "ThirdLineEmailReset":
        edit = {"third_line": None}
    else:
        return row
    stamp = {"legacy": event.legacy, "creator": event.creator, "updated_block": event.block_number}
    return {**(row or {}), **edit, **stamp}


def _timelock(row: ProjectedRow | None, event: ChainEvent) -> ProjectedRow | None:
    if event.name == "TimelockCreated":
        assets = [{"vault": event.contract, **asset} for asset in event.data["assets"]]
        if row is not None:
            return {**row, "assets": [*row["assets"], *assets]}
        return {
            "timelock_id": event.timelock_id,
            "lock_type": event.data["lock_type"],
            "owner": event.data["owner"],
            "recipient": event.data["recipient"],
            "unlock_time": event.data["unlock_time"],
            "assets": assets,
            "created_block": event.block_number,
            "created_at": event.block_time,
        }
    if row is not None and event.name == "SoftTimelockUnlocked":
        return {**row, "unlock_time": event.data["unlock_time"]}
    return row


@dataclass(frozen=True, slots=True)
class TableProjection:
    """Projection of one table: its events, the events' column and the table's key."""

    events: frozenset[str]
    by: str
    key: str
    fold: Callable[[Iterable[ChainEvent]], ProjectedRow | None]


LEGACY = TableProjection(
    CREATED | ACTIVATED | {"TransferEOALegacyDeleted", "TransferEOALegacyAutoRenewSet"},
    by="legacy",
    key="address",
    fold=fold_legacy,
)
REMINDER_CONFIG = TableProjection(
    frozenset(
        {
            "LegacyReminderUpdated",
            "BeneficiariesEmailSync",
            "SecondLineEmailReset",
            "ThirdLineEmailReset",
            "LegacyConfigReset",
        }
    ),
    by="legacy",
    key="legacy",
    fold=fold_config,
)
TIMELOCK = TableProjection(
    frozenset({"TimelockCreated", "SoftTimelockUnlocked", "ChangeStatus"}) | WITHDRAWN,
    by="timelock_id",
    key="timelock_id",
    fold=fold_timelock,
)
FOLDS = {"legacy": LEGACY, "reminder_config": REMINDER_CONFIG, "timelock": TIMELOCK}

# The events that can open a reminder window earlier than it was last known to open: of one legacy, and of all legacies
# of a creator. A guard that a Safe installs leaves no event.
OF_A_LEGACY = frozenset(
    {
        "TransferEOALegacyTriggerUpdated",
        "TransferEOALegacyConfigUpdated",
        "TransferEOALegacyLayer23DistributionUpdated",
        "TransferEOALegacyDistributionUpdated",
        "TransferEOALegacyActivedAlive",
        "MultisigLegacyActivationTriggerUpdated",
        "MultisigLegacyConfigUpdated",
        "MultisigLegacyBeneficiariesUpdated",
        "LegacyReminderUpdated",
    }
)
OF_A_CREATOR = frozenset({"UserConfigUpdated", "PremiumTimeUpdated"})


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


def timelock_of(row: Any) -> IndexedTimelock:
    assets = [
        TimelockAsset(
            vault=asset["vault"],
            token=asset["token"],
            token_id=None if asset["id"] is None else int(asset["id"]),
            amount=int(asset["amount"]),
        )
        for asset in row.assets
    ]
    return IndexedTimelock(
        timelock_id=row.timelock_id,
        lock_type=row.lock_type,
        owner=row.owner,
        recipient=row.recipient,
        unlock_time=row.unlock_time,
        status=row.status,
        assets=tuple(sorted(assets, key=asset_order)),
        created_at=row.created_at,
    )
