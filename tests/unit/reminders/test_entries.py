"""An entry of the sent-ledger in hand."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from reminder_worker.outbox.messages import Kind
from reminder_worker.reminders.entries import Entry, StoredRecipient


@pytest.mark.parametrize("secret", ["secret", "b'email'", "b'name'", "salt", "hash"])
def test_an_entry_does_not_show_what_is_in_it(secret: str) -> None:
    stored = StoredRecipient("key", b"salt", b"email", b"name", b"hash")
    made = datetime.now(UTC)
    entry = Entry(uuid4(), 1, "0x", "0x", Kind.OWNER_RESET, "e", "owner", 0, 0, made, stored, True, b"secret")
    assert secret not in repr(entry)
