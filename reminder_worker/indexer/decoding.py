"""From logs to events of the index: kept fields, and the legacy, user or timelock of each event."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from reminder_worker.chain.contracts.legacies import MOST_NAMED
from reminder_worker.chain.events import UndecodableLog, decode_log
from reminder_worker.chain.types import EventLog
from reminder_worker.indexer.models import EOA, FAR_FUTURE, SAFE, nonzero_address
from reminder_worker.indexer.projection import CREATED, NOTIFY, ChainEvent
from reminder_worker.settings import ChainSettings

Args = Mapping[str, Any]
Says = Mapping[str, frozenset[str]]
"""Which contract's word counts for which events, by first topic (`events.emitters`)."""
TimedLogs = Sequence[tuple[EventLog, int]]
"""Logs with their blocks' timestamps."""
LegacyId = tuple[str, int]
"""Router and the id it gave: ids are unique per router only."""


@dataclass(frozen=True, slots=True)
class DecodedLogs:
    """Events of logs. `skipped`: number of logs that the service does not understand."""

    events: tuple[ChainEvent, ...]
    skipped: int

    def unnamed_ids(self) -> set[LegacyId]:
        """Return the ids of legacies without an address in these events."""
        ids = {key for key in map(_legacy_id, self.events) if key is not None}
        return ids - self._created_legacies().keys()

    def with_legacies(self, known: Mapping[LegacyId, str]) -> Self:
        """Return the events with the legacy's address for every known id."""
        names = {**known, **self._created_legacies()}
        events = list[ChainEvent]()
        for event in self.events:
            key = _legacy_id(event)
            events.append(event if key is None else replace(event, legacy=names.get(key)))
        return replace(self, events=tuple(events))

    def _created_legacies(self) -> dict[LegacyId, str]:
        created = (event for event in self.events if event.name in CREATED)
        return {(event.contract, event.data["legacy_id"]): event.legacy for event in created if event.legacy}


def decode_logs(settings: ChainSettings, says: Says, logs: TimedLogs) -> DecodedLogs:
    """Decode logs with their blocks' timestamps. A log counts only from the event's own contract."""
    understood = []
    for log, time in logs:
        if not log.topics or log.topics[0] not in says.get(log.address, frozenset()):
            continue
        event = _decode_event(settings, log, time)
        if event is not None:
            understood.append(event)
    return DecodedLogs(tuple(understood), len(logs) - len(understood))


def _decode_event(settings: ChainSettings, log: EventLog, block_time: int) -> ChainEvent | None:
    try:
        event = decode_log(log)
    except UndecodableLog:
        return None
    args = event.args
    if max(args.get("timelockId", 0), args.get("legacyId", 0)) > FAR_FUTURE:
        return None  # ids count up from 1: such a large number is no id, and would not fit the tables
    data: dict[str, Any] | None = {"legacy_id": args["legacyId"]} if "legacyId" in args else {}
    if event.name == "TimelockCreated":
        data = _timelock_data(settings, log.address, args)
    elif event.name in _KEPT:
        data = _KEPT[event.name](args)
    if data is None:
        return None
    legacy = args.get("legacy") or args.get("legacyAddress")
    creator = args.get("creator") or args.get("creatorAddress") or args.get("user")
    return ChainEvent(
        block_number=log.block_number,
        log_index=log.log_index,
        block_hash=log.block_hash,
        block_time=block_time,
        tx_hash=log.tx_hash,
        contract=log.address,
        name=event.name,
        legacy=legacy,
        creator=creator,
        timelock_id=args.get("timelockId"),
        data=data,
    )


def _keep_creation(legacy_type: int, owner: str) -> Callable[[Args], dict[str, Any]]:
    return lambda args: {"legacy_id": args["legacyId"], "legacy_type": legacy_type, "owner": args[owner]}


_KEPT: Mapping[str, Callable[[Args], dict[str, Any]]] = {
    NOTIFY: lambda args: {"layer": args["layer"], "kind": args["notifyType"]},
    "TransferEOALegacyCreatedV2": _keep_creation(EOA, "creator"),
    "TransferEOALegacyCreated": _keep_creation(EOA, "creatorAddress"),
    "MultisigLegacyCreated": lambda args: {
        **_keep_creation(SAFE, "safeAddress")(args),
        "guard": args["guardAddress"],
    },
    "TransferEOALegacyAutoRenewSet": lambda args: {"legacy_id": args["legacyId"], "enabled": args["enabled"]},
    "LegacyReminderUpdated": lambda args: {
        "cosigners": list(args["cosigners"][:MOST_NAMED]),
        "beneficiaries": list(args["beneficiaries"][:MOST_NAMED]),
        "second_line": nonzero_address(args["secondLine"]),
        "third_line": nonzero_address(args["thirdLine"]),
    },
    "BeneficiariesEmailSync": lambda args: {"beneficiaries": list(args["beneficiaries"][:MOST_NAMED])},
    "SoftTimelockUnlocked": lambda args: {"unlock_time": min(args["newUnlockTime"], FAR_FUTURE)},
    "ChangeStatus": lambda args: {"status": args["newStatus"]},
}
"""By event name: the fields that are stored, under our own names. Of other events only the legacy's id is stored.

A configuration may list anything. Only members of the legacy are told, and no legacy with more of them is served.
"""


def _timelock_data(settings: ChainSettings, vault: str, args: Args) -> dict[str, Any] | None:
    """Ids and amounts as strings: they are uint256. An ERC-721 vault has token ids where others have amounts."""
    tokens, amounts = args["tokenAddresses"], args["amounts"]
    ids: Sequence[int | None] = args.get("tokenIds", [None] * len(tokens))
    if vault == settings.timelock_erc721:
        ids, amounts = amounts, [1] * len(tokens)
    if not len(tokens) == len(ids) == len(amounts):
        return None
    assets = []
    for token, number, amount in zip(tokens, ids, amounts, strict=True):
        assets.append({"token": token, "id": None if number is None else str(number), "amount": str(amount)})
    terms = {"lock_type": args["lockType"], "owner": args["owner"], "recipient": args["recipient"]}
    return {**terms, "unlock_time": min(args["unlockTime"], FAR_FUTURE), "assets": assets}


def _legacy_id(event: ChainEvent) -> LegacyId | None:
    """Return router and id of an event without its legacy's address."""
    if event.legacy is not None or "legacy_id" not in event.data:
        return None
    return (event.contract, event.data["legacy_id"])
