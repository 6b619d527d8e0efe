"""How a row of `recipient` is encrypted."""

from typing import Any
from uuid import UUID

from sqlalchemy import Row

from reminder_worker.database.rotation import Sealed
from reminder_worker.outbox.tables import sent_ledger
from reminder_worker.privacy.vault import RecordKey, Vault
from reminder_worker.reminders.recipient_set import Recipient
from reminder_worker.reminders.tables import recipient


def context(column: str, chain_id: int, legacy: str, address: str) -> str:
    """Where a ciphertext of `recipient` belongs: bound to it as associated data."""
    return f"recipient.{column}|{chain_id}|{legacy}|{address}"


def body_context(ledger_id: UUID) -> str:
    """Where the stored body of an undecided send belongs; it is sealed with the recipient row's key."""
    return f"sent_ledger.body|{ledger_id}"


def seal_row(key: RecordKey, at: tuple[int, str, str], email: bytes, name: bytes) -> dict[str, Any]:
    """The encrypted columns of the row `at` (chain, legacy, recipient)."""
    return {
        "key_id": key.key_id,
        "salt": key.salt,
        "email": key.seal(email, context("email", *at)),
        "name": key.seal(name, context("name", *at)),
    }


def open_row(vault: Vault, row: Row[Any]) -> Recipient:
    """Decrypt a row of `recipient`, in memory only. Raises DecryptionFailed."""
    key = vault.record(row.salt, row.key_id)
    at = (row.chain_id, row.legacy, row.recipient)
    email, name = key.open(row.email, context("email", *at)), key.open(row.name, context("name", *at))
    return Recipient(row.recipient, row.role, email.decode(), name.decode())


SEALED = Sealed(recipient, ("chain_id", "legacy", "recipient"), ("email", "name"), context, sent_ledger, body_context)
