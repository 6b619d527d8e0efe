"""Projection of events in log order to the rows of `legacy`, `reminder_config` and `timelock`. No I/O.

A projection reads all events of one key of its table, from the first on; None means no row.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
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


def project_legacy(events: Iterable[ChainEvent]) -> ProjectedRow | None:
    """Project a legacy's events; None without its creation."""
    row: ProjectedRow | None = None
    for event in events:
        if event.name in CREATED:
            row = {
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
        elif row is None:
            continue
        elif event.name == "TransferEOALegacyDeleted":
            row["deleted_at"] = event.block_time
        elif event.name == "TransferEOALegacyAutoRenewSet":
            row["auto_renew"] = event.data["enabled"]
        elif event.name in ACTIVATED:
            row["activated_at"] = row["activated_at"] or event.block_time
    return row


def project_config(events: Iterable[ChainEvent]) -> ProjectedRow | None:
    """Project a configuration. LegacyReminderUpdated has the whole set; other events edit and create nothing."""
    row: ProjectedRow | None = None
    for event in events:
        if event.name == "LegacyReminderUpdated":
            row = dict(event.data)
        elif event.name == "LegacyConfigReset":
            row = None
        elif row is None:
            continue
        elif event.name == "BeneficiariesEmailSync":
            row["beneficiaries"] = event.data["beneficiaries"]
        elif event.name == "SecondLineEmailReset":
            row["second_line"] = None
        elif event.name == "ThirdLineEmailReset":
            row["third_line"] = None
        if row is not None:
            row |= {"legacy": event.legacy, "creator": event.creator, "updated_block": event.block_number}
    return row


def project_timelock(events: Iterable[ChainEvent]) -> ProjectedRow | None:
    """Project a timelock. One id may have assets in three vaults; the timelock lives while a vault's part does."""
    statuses: dict[str, int] = {}
    row: ProjectedRow | None = None
    for event in events:
        if event.name == "TimelockCreated":
            statuses.setdefault(event.contract, LIVE)
            terms = {name: event.data[name] for name in ("lock_type", "owner", "recipient", "unlock_time")}
            made = {"created_block": event.block_number, "created_at": event.block_time}
            row = row or {"timelock_id": event.timelock_id, **terms, **made, "assets": []}
            row["assets"] += [{"vault": event.contract, **asset} for asset in event.data["assets"]]
        elif event.name == "SoftTimelockUnlocked" and row is not None:
            row["unlock_time"] = event.data["unlock_time"]
        elif event.name == "ChangeStatus":
            statuses[event.contract] = event.data["status"]
        elif event.name in WITHDRAWN:
            statuses[event.contract] = ENDED
    return None if row is None else {**row, "status": min(statuses.values())}


@dataclass(frozen=True, slots=True)
class TableProjection:
    """Projection of one table by `fold`: its events, the events' column and the table's key."""

    events: frozenset[str]
    by: str
    key: str
    project: Callable[[Iterable[ChainEvent]], ProjectedRow | None]


TABLE_PROJECTIONS = {
    "legacy": TableProjection(
        CREATED | ACTIVATED | {"TransferEOALegacyDeleted", "TransferEOALegacyAutoRenewSet"},
        by="legacy",
        key="address",
        project=project_legacy,
    ),
    "reminder_config": TableProjection(
        frozenset({"LegacyReminderUpdated", "BeneficiariesEmailSync", "LegacyConfigReset"})
        | {"SecondLineEmailReset", "ThirdLineEmailReset"},
        by="legacy",
        key="legacy",
        project=project_config,
    ),
    "timelock": TableProjection(
        WITHDRAWN | {"TimelockCreated", "SoftTimelockUnlocked", "ChangeStatus"},
        by="timelock_id",
        key="timelock_id",
        project=project_timelock,
    ),
}

# The events after which the due pass reads again: of one legacy, and of all legacies of a creator. They can open a
# window earlier than it was last known to open, or end Premium. A guard that a Safe installs leaves no event.
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
OF_A_CREATOR = frozenset({"UserConfigUpdated", "PremiumTimeUpdated", "PremiumReset"})


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
    """Also of what `project_config` makes."""
    return ReminderConfig(
        legacy=row["legacy"],
        creator=row["creator"],
        cosigners=tuple(row["cosigners"]),
        beneficiaries=tuple(row["beneficiaries"]),
        second_line=row["second_line"],
        third_line=row["third_line"],
    )


def timelock_of(row: Any) -> IndexedTimelock:
    assets = []
    for asset in row.assets:
        token_id = None if asset["id"] is None else int(asset["id"])
        assets.append(TimelockAsset(asset["vault"], asset["token"], token_id, int(asset["amount"])))
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
