"""Projection of events in log order to rows, without a database."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from reminder_worker.indexer.projection import (
    TABLE_PROJECTIONS,
    ChainEvent,
    project_config,
    project_legacy,
    project_timelock,
)

LEGACY, ANN, BOB, CID = (f"0x{number:040x}" for number in range(1, 5))
VAULTS = tuple(f"0x{number:040x}" for number in (20, 21, 22))
Told = tuple[str, dict[str, Any]]  # an event by its name


def chain_of(*steps: Told, contract: str = VAULTS[0]) -> list[ChainEvent]:
    """Events one block apart, from block 10 at 1,000 seconds a block; a step may name its own contract."""
    return [
        ChainEvent(
            block_number=number,
            log_index=0,
            block_hash="0x",
            block_time=1000 * number,
            tx_hash="0x",
            contract=data.get("contract", contract),
            name=name,
            legacy=LEGACY,
            creator=ANN,
            timelock_id=7,
            data=data,
        )
        for number, (name, data) in enumerate(steps, start=10)
    ]


def updated(*beneficiaries: str, second: str | None = None, third: str | None = None) -> Told:
    data = {"cosigners": [CID], "beneficiaries": list(beneficiaries), "second_line": second, "third_line": third}
    return ("LegacyReminderUpdated", data)


def synced(*beneficiaries: str) -> Told:
    return ("BeneficiariesEmailSync", {"beneficiaries": list(beneficiaries)})


SECOND_RESET: Told = ("SecondLineEmailReset", {})
THIRD_RESET: Told = ("ThirdLineEmailReset", {})
RESET: Told = ("LegacyConfigReset", {})
EDITS = (synced(CID), SECOND_RESET, THIRD_RESET)


def test_an_edit_changes_the_lines_that_it_names_and_a_reset_removes_the_configuration() -> None:
    """A later update leaves nothing of an earlier one, a sync and a line reset leave the other lines."""
    for steps, beneficiaries, second, third, block in (
        ([updated(ANN, BOB, second=CID, third=CID), updated(BOB)], [BOB], None, None, 11),
        ([updated(ANN, BOB, second=CID, third=ANN), synced(BOB)], [BOB], CID, ANN, 11),
        ([updated(CID, second=ANN, third=BOB), SECOND_RESET], [CID], None, BOB, 11),
        ([updated(CID, second=ANN, third=BOB), THIRD_RESET], [CID], ANN, None, 11),
        ([updated(ANN, second=CID), RESET, updated(BOB)], [BOB], None, None, 12),
    ):
        row = project_config(chain_of(*steps))
        assert row is not None
        assert (row["beneficiaries"], row["second_line"], row["third_line"]) == (beneficiaries, second, third), steps
        assert (row["legacy"], row["creator"], row["cosigners"], row["updated_block"]) == (LEGACY, ANN, [CID], block)
    assert project_config(chain_of(updated(ANN), RESET)) is None


@given(st.lists(st.sampled_from([*EDITS, RESET])))
def test_only_an_update_creates_a_configuration(edits: list[tuple[str, dict[str, Any]]]) -> None:
    """Edits before the first update or after a reset create no recipient."""
    assert project_config(chain_of(*edits)) is None
    assert project_config(chain_of(updated(ANN), RESET, *edits)) is None


@given(st.lists(st.sampled_from([*EDITS, RESET, updated(ANN, BOB, second=CID), updated(BOB, third=ANN)])))
def test_an_update_makes_earlier_events_irrelevant(steps: list[tuple[str, dict[str, Any]]]) -> None:
    """Earlier events make no difference."""
    last = project_config(chain_of(updated(CID)))
    row = project_config(chain_of(*steps, updated(CID)))
    assert row is not None
    assert last is not None
    assert {**row, "updated_block": 0} == {**last, "updated_block": 0}


def created() -> Told:
    return ("TransferEOALegacyCreatedV2", {"legacy_id": 4, "legacy_type": 3, "owner": ANN})


def test_a_legacy_begins_with_its_creation() -> None:
    """The row has creator, router and time; without a creation there is no legacy."""
    row = project_legacy(chain_of(created(), contract=BOB))
    assert row == {
        "address": LEGACY,
        "router": BOB,
        "legacy_id": 4,
        "legacy_type": 3,
        "creator": ANN,
        "owner": ANN,
        "created_block": 10,
        "created_at": 10_000,
        "activated_at": None,
        "deleted_at": None,
        "auto_renew": False,
    }
    assert project_legacy(chain_of(("TransferEOALegacyActivated", {}), ("TransferEOALegacyDeleted", {}))) is None


def test_a_legacy_is_activated_at_its_first_claim() -> None:
    """Later claims of any kind do not change the time; deletion and auto-renew have their own columns."""
    claims: list[Told] = [("TransferEOALegacyActivatedWithUnswap", {}), ("TransferEOALegacyActivated", {})]
    renew = [("TransferEOALegacyAutoRenewSet", {"enabled": on}) for on in (True, False, True)]
    row = project_legacy(chain_of(created(), *claims, *renew, ("TransferEOALegacyDeleted", {})))
    assert row is not None
    assert (row["activated_at"], row["deleted_at"], row["auto_renew"]) == (11_000, 16_000, True)


def locked(vault: str, *amounts: int) -> Told:
    assets = [{"token": CID, "id": None, "amount": str(amount)} for amount in amounts]
    terms = {"lock_type": 1, "owner": ANN, "recipient": BOB, "unlock_time": 99}
    return ("TimelockCreated", {"contract": vault, **terms, "assets": assets})


def status(vault: str, value: int) -> Told:
    return ("ChangeStatus", {"contract": vault, "status": value})


def test_a_timelock_has_the_assets_of_all_vaults() -> None:
    """One id, three vaults: each asset with its vault."""
    row = project_timelock(chain_of(locked(VAULTS[0], 1, 2), locked(VAULTS[1], 3)))
    assert row is not None
    assert [(asset["vault"], asset["amount"]) for asset in row["assets"]] == [
        (VAULTS[0], "1"),
        (VAULTS[0], "2"),
        (VAULTS[1], "3"),
    ]
    assert (row["timelock_id"], row["created_at"], row["status"]) == (7, 10_000, 2)


def test_a_timelock_ends_when_every_vault_has_paid_out() -> None:
    """Anybody can make one vault pay; the other vaults keep the timelock alive."""
    made = [locked(vault, 1) for vault in VAULTS[:2]]
    one = ("FundsWithdrawn", {"contract": VAULTS[0]})
    other = ("TokensWithdrawn", {"contract": VAULTS[1]})
    for events, expected in (((one,), 2), ((other,), 2), ((one, other), 3)):
        row = project_timelock(chain_of(*made, *events))
        assert row is not None
        assert row["status"] == expected


def test_a_status_before_the_creation_counts() -> None:
    """The vaults emit both in one transaction, in either order."""
    for steps in ([status(VAULTS[0], 1), locked(VAULTS[0], 1)], [locked(VAULTS[0], 1), status(VAULTS[0], 1)]):
        row = project_timelock(chain_of(*steps))
        assert row is not None
        assert row["status"] == 1


def test_a_soft_timelock_has_a_new_unlock_time() -> None:
    """The owner announced the time; before the creation there is no timelock."""
    unlock = ("SoftTimelockUnlocked", {"unlock_time": 500})
    row = project_timelock(chain_of(locked(VAULTS[0], 1), unlock))
    assert row is not None
    assert row["unlock_time"] == 500
    assert project_timelock(chain_of(unlock, status(VAULTS[0], 2))) is None


def test_no_event_is_projected_into_two_tables() -> None:
    """Each table has its own events."""
    names = [name for fold in TABLE_PROJECTIONS.values() for name in fold.events]
    assert len(names) == len(set(names))
