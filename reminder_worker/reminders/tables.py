"""Tables of reminders, and the statements of `queries.sql` by name (`sql`)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ColumnElement,
    Date,
    DateTime,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    Text,
    cast,
    false,
    func,
    select,
    text,
    tuple_,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from reminder_worker.database.queries import load_queries
from reminder_worker.database.tables import Address, Hash, metadata, now_column
from reminder_worker.outbox.models import EMAIL_STATES

sql: Final = load_queries(Path(__file__).with_name("queries.sql"), EMAIL_STATES)

recipient = Table(
    "recipient",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("legacy", Address, primary_key=True, comment="contract of the legacy"),
    Column("recipient", Address, primary_key=True, comment="account of the recipient"),
    Column("role", Text, nullable=False, comment="as stored by the creator; it only words the email"),
    Column("key_id", Text, nullable=False, comment="which master key"),
    Column("salt", LargeBinary, nullable=False, comment="HKDF salt of this row, new at every write"),
    Column("email", LargeBinary, nullable=False, comment="AES-256-GCM: nonce and ciphertext"),
    Column("name", LargeBinary, nullable=False, comment="AES-256-GCM: nonce and ciphertext"),
    Column("email_hash", LargeBinary, nullable=False, comment="keyed hash of the normalised email"),
    now_column("written_at", "when the creator last saved it"),
    Column(
        "words", LargeBinary, comment="JSON with the owner's name, the title and the language, encrypted as the name"
    ),
    CheckConstraint("octet_length(salt) = 32", name="recipient_salt_is_32_bytes"),
    CheckConstraint("legacy = lower(legacy) and recipient = lower(recipient)", name="recipient_addresses_are_lower"),
    comment="Whom the creator of a legacy wants reminded, encrypted per row; deleting a row shreds it",
)

Index("recipient_email_hash", recipient.c.email_hash)

Index("recipient_account", recipient.c.recipient)

legacy_write = Table(
    "legacy_write",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("legacy", Address, primary_key=True, comment="contract of the legacy"),
    Column("deadline", BigInteger, nullable=False, comment="unix seconds, of the last accepted ingest or erase"),
    comment="What a captured older message cannot roll back; survives erasure",
)

notify_signal = Table(
    "notify_signal",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("tx_hash", Hash, primary_key=True, comment="transaction that emitted the signal"),
    Column("legacy", Address, primary_key=True, comment="contract of the legacy"),
    Column(
        "kind", SmallInteger, primary_key=True, comment="0 owner reset, 1 multisig activation, 2 transfer activation"
    ),
    Column(
        "layer",
        SmallInteger,
        primary_key=True,
        comment="layer that the contract gave; 1 to 3 are the lines of beneficiaries",
    ),
    Column("creator", Address, nullable=False, comment="account that created the legacy"),
    Column("block_number", BigInteger, nullable=False, comment="block of the signal"),
    Column("block_time", BigInteger, nullable=False, comment="time of the block, unix seconds"),
    Column("amounts", JSONB, comment="{recipient: [[token, base units as a string], ...]} of a transfer activation"),
    Column(
        "state",
        Text,
        nullable=False,
        server_default="new",
        comment="new, planned (its emails are queued), too_old or refused",
    ),
    Column("reason", Text, comment="why refused, as a code"),
    Column(
        "next_try",
        DateTime(timezone=True),
        nullable=False,
        server_default=func.clock_timestamp(),
        comment="not tried before then, by the database's clock",
    ),
    Column("tries", Integer, nullable=False, server_default="0", comment="attempts to plan so far"),
    now_column("seen_at", "when it was first read"),
    CheckConstraint("state in ('new','planned','too_old','refused')", name="notify_signal_state"),
    comment="Notify signals seen on chain; the transaction is the identity, so a reorganisation repeats nothing",
)

Index("notify_signal_open", notify_signal.c.next_try, postgresql_where=text("state = 'new'"))

Index("notify_signal_legacy", notify_signal.c.chain_id, notify_signal.c.legacy)

due_window = Table(
    "due_window",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("legacy", Address, primary_key=True, comment="contract of the legacy"),
    Column("window", SmallInteger, primary_key=True, comment="1..6 as PremiumReminderView numbers them"),
    Column("deadline", BigInteger, primary_key=True, comment="t1, t2 or t3, unix seconds"),
    Column("block_number", BigInteger, nullable=False, comment="where it was first read"),
    Column(
        "state", Text, nullable=False, server_default="open", comment="open, closed, or too_old (seen too late to send)"
    ),
    Column("planned_at", DateTime(timezone=True), comment="when its ledger entries were made; null: still to do"),
    Column(
        "further_due",
        SmallInteger,
        nullable=False,
        server_default="0",
        comment="how many of its further emails have come, by their days",
    ),
    Column(
        "further_over",
        SmallInteger,
        nullable=False,
        server_default="0",
        comment="how many of them are not sent any more: too long ago, or before the window was first read",
    ),
    CheckConstraint("state in ('open','closed','too_old')", name="due_window_state"),
    comment="Reminder windows that were open on chain",
)

Index(
    "due_window_to_plan",
    due_window.c.chain_id,
    due_window.c.legacy,
    postgresql_where=text("state = 'open' and planned_at is null"),
)

Index(
    "due_window_open",
    due_window.c.chain_id,
    due_window.c.legacy,
    due_window.c.window,
    due_window.c.deadline,
    postgresql_where=text("state = 'open'"),
)

Index(
    "due_window_too_old_to_plan",
    due_window.c.chain_id,
    due_window.c.legacy,
    postgresql_where=text("state = 'too_old' and planned_at is null and further_due > further_over"),
)

watch = Table(
    "watch",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("legacy", Address, primary_key=True, comment="contract of the legacy"),
    Column("creator", Address, nullable=False, comment="account that created the legacy"),
    Column("legacy_type", SmallInteger, nullable=False, comment="3 EOA, 1 Safe"),
    Column(
        "next_ask", BigInteger, nullable=False, server_default="0", comment="chain time (unix seconds) of the next look"
    ),
    Column(
        "asked_at", BigInteger, comment="chain time (unix seconds) of the last answer: no window was missed before it"
    ),
    Column("failures", Integer, nullable=False, server_default="0", comment="how often it reverted in a row"),
    Column("paused_until", DateTime(timezone=True), comment="a reverting legacy rests until then"),
    Column("membership", JSONB, comment="last members read: {owner, beneficiaries, second_line, third_line}"),
    Column("membership_block", BigInteger, comment="block at which the members were read"),
    Column("premium_until", BigInteger, comment="end of the creator's Premium as last read, unix seconds"),
    Column(
        "guard_lost_at",
        BigInteger,
        comment="chain time (unix seconds) at which the Safe's guard was first missing; 0 while it is there",
    ),
    Column(
        "module_off_at",
        BigInteger,
        comment="chain time (unix seconds) at which the legacy was first no module of its Safe; 0 while it is one",
    ),
    Column(
        "gap_email_at",
        BigInteger,
        comment="chain time (unix seconds) from which the owner hears of people without emails; null: there are none",
    ),
    Column(
        "silent",
        Boolean,
        nullable=False,
        server_default=false(),
        comment="whether nobody of the set gets emails",
    ),
    comment="Legacies with stored recipients: when to ask the chain about each next",
)

Index("watch_next", watch.c.chain_id, watch.c.next_ask)

Index("watch_creator", watch.c.chain_id, watch.c.creator)

Index(
    "watch_premium",
    watch.c.chain_id,
    postgresql_where=text("premium_until - asked_at between -604800 and 2592000"),
)

Index(
    "watch_guard", watch.c.chain_id, postgresql_where=text("guard_lost_at > 0 and asked_at - guard_lost_at <= 604800")
)

Index(
    "watch_module",
    watch.c.chain_id,
    postgresql_where=text("module_off_at > 0 and asked_at - module_off_at <= 604800"),
)

Index("watch_gap", watch.c.chain_id, watch.c.legacy, postgresql_where=text("gap_email_at <= asked_at"))

Index("watch_silent", watch.c.chain_id, postgresql_where=text("silent"))

Index("watch_paused", watch.c.paused_until, postgresql_where=text("paused_until is not null"))

self_erasure = Table(
    "self_erasure",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("legacy", Address, primary_key=True, comment="contract of the legacy"),
    Column("recipient", Address, primary_key=True, comment="account of the recipient"),
    Column("creator", Address, nullable=False, comment="who saved the set, and alone sees this"),
    Column(
        "email_hash",
        LargeBinary,
        nullable=False,
        comment="keyed hash of the erased email, which is not stored again for this recipient",
    ),
    comment="Recipients who erased themselves, until the set names them no more",
)

erasure_count = Table(
    "erasure_count",
    metadata,
    Column("day", Date, primary_key=True, comment="UTC"),
    Column(
        "cause",
        Text,
        primary_key=True,
        comment="deleted_legacy, link (in an email) or signature (of the recipient's wallet)",
    ),
    Column("people", Integer, nullable=False, comment="recipients erased"),
    CheckConstraint("cause in ('deleted_legacy','link','signature')", name="erasure_count_cause"),
    comment="How many recipients were erased each day, and why",
)

RecipientKey = tuple[int, str, str]
"""Chain, legacy and recipient; addresses lower case."""


def list_key_columns(keys: Sequence[RecipientKey]) -> dict[str, list[Any]]:
    """Return the keys as three arrays for `unnest`, by the name of the parameter."""
    chains, legacies, recipients = zip(*keys, strict=True) if keys else ((), (), ())
    return {"chains": list(chains), "legacies": list(legacies), "recipients": list(recipients)}


def is_of_recipients(table: Table, keys: Sequence[RecipientKey]) -> ColumnElement[bool]:
    """Return the condition that a row of `table` belongs to one of these recipients.

    Arrays, unlike a list of conditions, take three parameters for any number of keys.
    """
    columns = list_key_columns(keys)
    arrays = [
        cast(columns["chains"], ARRAY(BigInteger)),
        cast(columns["legacies"], ARRAY(Text)),
        cast(columns["recipients"], ARRAY(Text)),
    ]
    wanted = func.unnest(*arrays).table_valued("chain_id", "legacy", "recipient", name="wanted").render_derived()
    return tuple_(table.c.chain_id, table.c.legacy, table.c.recipient).in_(select(wanted))
