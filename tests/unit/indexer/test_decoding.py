"""Decoding of logs: stored fields, the legacy or user, and ignored logs."""

from typing import Any

import pytest
from eth_abi.abi import encode
from eth_utils.abi import collapse_if_tuple

from reminder_worker.chain import abi
from reminder_worker.chain.events import CONTRACTS, map_topics
from reminder_worker.chain.types import EventLog
from reminder_worker.indexer.decoding import DecodedLogs, decode_logs
from reminder_worker.indexer.projection import NOTIFY, OF_A_CREATOR, OF_A_LEGACY, TABLE_PROJECTIONS
from reminder_worker.settings import ChainSettings

ANN, BOB, LEGACY, TOKEN = (f"0x{number:040x}" for number in (1, 2, 3, 4))
NOBODY = "0x" + "0" * 40
PLACES = {setting: f"0x{number:040x}" for number, setting in enumerate(CONTRACTS, start=100)}
OTHERS = ("premium_registry", "premium_reminder_view", "time_lock_router", "token_white_list")
SETTINGS = ChainSettings.model_validate(
    {"chain_id": 1, "RPC_URLS": ("http://127.0.0.1",), "START_BLOCK": 0}
    | {name.upper(): address for name, address in PLACES.items()}
    | {name.upper(): NOBODY for name in OTHERS}
)


def log_of(
    setting: str, event: str, *values: Any, at: str | None = None, index: int = 0, first_build: bool = False
) -> EventLog:
    """A log as the contract would emit it, or as its first build did; `values` in the order of the ABI."""
    builds = [item for item in abi.list_events(CONTRACTS[setting]) if item["name"] == event]
    entry = builds[-1] if first_build else builds[0]
    pairs = list(zip(entry["inputs"], values, strict=True))
    topics = [abi.compute_topic(entry), *("0x" + encode([i["type"]], [v]).hex() for i, v in pairs if i["indexed"])]
    others = [(collapse_if_tuple(item), value) for item, value in pairs if not item["indexed"]]
    data = encode([kind for kind, _ in others], [value for _, value in others])
    place = at or PLACES[setting]
    return EventLog(place, tuple(topics), data, 5, "0x" + "05" * 32, "0x" + "06" * 32, index)


def decoded(*logs: EventLog) -> DecodedLogs:
    return decode_logs(SETTINGS, map_topics(SETTINGS), [(log, 1000) for log in logs])


def created(number: int) -> EventLog:
    values = (number, LEGACY, ANN, [(BOB, 100)], (1, 2, 3), 999)
    return log_of("transfer_eoa_legacy_router", "TransferEOALegacyCreatedV2", *values)


def test_every_projected_event_is_in_the_contracts_abi() -> None:
    """A misspelt name would silently never match."""
    known = {item["name"] for contract in CONTRACTS.values() for item in abi.list_events(contract)}
    wanted = {NOTIFY} | OF_A_LEGACY | OF_A_CREATOR
    for fold in TABLE_PROJECTIONS.values():
        wanted |= fold.events
    assert wanted <= known


def test_an_event_of_a_router_finds_its_legacy_by_id() -> None:
    """The creation may be in the same logs or known before; an unknown id has no legacy."""
    router = "transfer_eoa_legacy_router"
    alive = [log_of(router, "TransferEOALegacyActivedAlive", number, 999, index=number) for number in (1, 2, 3)]
    found = decoded(created(1), *alive)
    assert found.unnamed_ids() == {(PLACES[router], 2), (PLACES[router], 3)}
    named = found.with_legacies({(PLACES[router], 2): BOB})
    assert [event.legacy for event in named.events] == [LEGACY, LEGACY, BOB, None]


@pytest.mark.parametrize("first_build", [False, True])
def test_a_legacy_of_before_v2_belongs_to_its_creator(first_build: bool) -> None:
    """The id may be a topic or data; no string is stored."""
    main = ("Zzyzx", "Zzyzx", ["Zzyzx"], [(BOB, 100)])
    values = (7, LEGACY, ANN, main, (1, 2, 3), 999)
    log = log_of("transfer_eoa_legacy_router", "TransferEOALegacyCreated", *values, first_build=first_build)
    assert len(log.topics) == (1 if first_build else 2)
    (event,) = decoded(log).events
    assert (event.legacy, event.creator, event.block_time) == (LEGACY, ANN, 1000)
    assert event.data == {"legacy_id": 7, "legacy_type": 3, "owner": ANN}


def test_the_first_build_of_the_router_is_understood() -> None:
    """The first build indexed no field: the id is in the data, and the event is the same."""
    for name, values in (
        ("TransferEOALegacyActivated", (1, 999)),
        ("TransferEOALegacyDeleted", (999,)),
        ("TransferEOALegacyTriggerUpdated", (5, 999)),
        ("TransferEOALegacyConfigUpdated", (("Zzyzx", "Zzyzx", ["Zzyzx"], [(BOB, 100)]), (1, 2, 3), 999)),
        ("TransferEOALegacyLayer23DistributionUpdated", (2, "Zzyzx", (BOB, 100), 999)),
        ("TransferEOALegacyDistributionUpdated", (["Zzyzx"], [(BOB, 100)], 999)),
        ("TransferEOALegacyActivedAlive", (999,)),
    ):
        logs = [log_of("transfer_eoa_legacy_router", name, 1, *values, first_build=first) for first in (False, True)]
        assert [len(log.topics) for log in logs] == [2, 1]
        _, today, then = decoded(created(1), *logs).with_legacies({}).events
        assert (then.name, then.legacy, then.data) == (name, LEGACY, {"legacy_id": 1})
        assert then == today


def test_the_same_id_of_another_router_is_another_legacy() -> None:
    """Ids are unique per router only."""
    edit = log_of("multisig_legacy_router", "MultisigLegacyActivationTriggerUpdated", 1, 5, 999)
    found = decoded(created(1), edit)
    assert found.unnamed_ids() == {(PLACES["multisig_legacy_router"], 1)}
    assert found.with_legacies({}).events[1].legacy is None


def test_a_safe_legacy_is_owned_by_the_safe() -> None:
    """The creator manages the legacy, the Safe owns it, and no string is stored."""
    main, extra = ("Zzyzx", "Zzyzx", ["Zzyzx"], [BOB]), (1, 2)
    log = log_of("multisig_legacy_router", "MultisigLegacyCreated", 1, LEGACY, NOBODY, ANN, BOB, main, extra, 999)
    (event,) = decoded(log).events
    assert (event.legacy, event.creator, event.block_time) == (LEGACY, ANN, 1000)
    assert event.data == {"legacy_id": 1, "legacy_type": 1, "owner": BOB, "guard": NOBODY}


def test_a_configuration_stores_addresses_and_no_zero_address() -> None:
    """The zero address is an absent line."""
    values = (ANN, 1, LEGACY, 3, [ANN], [BOB], BOB, NOBODY)
    (event,) = decoded(log_of("premium_setting", "LegacyReminderUpdated", *values)).events
    assert (event.legacy, event.creator) == (LEGACY, ANN)
    assert event.data == {"cosigners": [ANN], "beneficiaries": [BOB], "second_line": BOB, "third_line": None}


def test_events_with_emails_decode_as_events_without() -> None:
    """PremiumSetting before 2026-06-02: the same fields, with the address of each person only."""
    zed = "Zzyzx@example.org"

    def person(address: str) -> tuple[str, str, str]:
        return (address, "" if address == NOBODY else zed, "" if address == NOBODY else "Zzyzx")

    told = {"LegacyReminderUpdated": ([ANN], [BOB, ANN], BOB, NOBODY), "BeneficiariesEmailSync": ([BOB],)}
    for name, people in told.items():
        before = [[person(each) for each in them] if isinstance(them, list) else person(them) for them in people]
        head = (ANN, 1, LEGACY, 3)
        logs = [
            log_of("premium_setting", name, *head, *people),
            log_of("premium_setting", name, *head, *before, first_build=True),
        ]
        assert logs[0].topics[0] != logs[1].topics[0]
        today, then = decoded(*logs).events
        assert then == today
        assert "Zzyzx" not in repr(then)
    logs = [
        log_of("premium_setting", "UserConfigUpdated", ANN, 5),
        log_of("premium_setting", "UserConfigUpdated", ANN, "Zzyzx", zed, 5, first_build=True),
    ]
    today, then = decoded(*logs).events
    assert then == today
    assert (then.creator, then.data) == (ANN, {})


@pytest.mark.parametrize("setting", ["timelock_erc20", "timelock_erc721", "timelock_erc1155"])
def test_each_vault_has_its_own_form_of_ids_and_amounts(setting: str) -> None:
    """ERC-20: amounts; ERC-721: ids, one of each; ERC-1155: both. Strings, since they are uint256."""
    lists: dict[str, Any] = {
        "timelock_erc20": ([2**255],),
        "timelock_erc721": ([2**255],),
        "timelock_erc1155": ([9], [2**255]),
    }
    assets: dict[str, dict[str, str | None]] = {
        "timelock_erc20": {"id": None, "amount": str(2**255)},
        "timelock_erc721": {"id": str(2**255), "amount": "1"},
        "timelock_erc1155": {"id": "9", "amount": str(2**255)},
    }
    values = (7, ANN, BOB, [TOKEN], *lists[setting], 2**255, 5, 2, "Zzyzx")
    (event,) = decoded(log_of(setting, "TimelockCreated", *values)).events
    assert event.timelock_id == 7
    assert event.data["assets"] == [{"token": TOKEN, **assets[setting]}]
    assert event.data["unlock_time"] == 2**63 - 1
    assert "Zzyzx" not in repr(event)


def test_lists_of_different_lengths_are_skipped() -> None:
    """The amount of each token would be a guess."""
    log = log_of("timelock_erc20", "TimelockCreated", 7, ANN, BOB, [TOKEN, TOKEN], [1], 5, 5, 2, "")
    assert decoded(log) == DecodedLogs((), 1)


def test_events_of_another_contract_are_ignored() -> None:
    """A signal from a vault or from a foreign contract does not count."""
    values = (LEGACY, ANN, 1, 2)
    for place in (PLACES["timelock_erc20"], PLACES["transfer_eoa_legacy_router"], "0x" + "ee" * 20):
        assert decoded(log_of("premium_setting", NOTIFY, *values, at=place)) == DecodedLogs((), 1)
    (event,) = decoded(log_of("premium_setting", NOTIFY, *values)).events
    assert (event.legacy, event.creator, event.data) == (LEGACY, ANN, {"layer": 1, "kind": 2})


def test_undecodable_logs_are_counted_and_skipped() -> None:
    """Logs may be truncated, lack topics, or have an id too large for the tables; all others are read."""
    good = created(1)
    cut = EventLog(good.address, good.topics, good.data[:40], 5, good.block_hash, good.tx_hash, 1)
    bare = EventLog(good.address, (), b"", 5, good.block_hash, good.tx_hash, 2)
    found = decoded(cut, good, bare, created(2**64))
    assert ([event.data["legacy_id"] for event in found.events], found.skipped) == ([1], 3)
