"""Tables of the outbox: emails, suppressed and bounced addresses, alerts."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    Text,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.schema import SchemaItem

from reminder_worker.database.queries import list_words, load_queries
from reminder_worker.database.tables import Address, metadata, now_column
from reminder_worker.outbox.models import EMAIL_STATES

sql: Final = load_queries(Path(__file__).with_name("queries.sql"))
"""Statements of `queries.sql`, by name."""


def email_ledger(name: str, *parts: SchemaItem, key: Sequence[str], due: Sequence[str] = (), comment: str) -> Table:
    """Make the table of a feature's emails, with the columns for the outbox.

    `parts`: the feature's own columns, constraints and indexes. `key`: the columns that name an email, which is sent
    at most once. `due`: further columns in the index of due emails.
    """
    states = {called: list_words(words) for called, words in EMAIL_STATES.items()}
    return Table(
        name,
        metadata,
        *_make_email_columns(),
        CheckConstraint(
            "state in ('queued','claimed','released','sent','unknown','held','dropped','suppressed','dead')",
            name=f"{name}_state",
        ),
        CheckConstraint(
            f"body is null or state in ({states['undecided']})",
            name=f"{name}_keeps_a_body_only_while_undecided",
        ),
        CheckConstraint("(state = 'sent') = (message_id is not null)", name=f"{name}_sent_has_a_message_id"),
        *parts,
        Index(f"{name}_once", *key, unique=True),
        Index(f"{name}_due", "next_try", *due, postgresql_where=text(f"state in ({states['to_try']})")),
        Index(f"{name}_leases", "lease_until", postgresql_where=text("state = 'claimed'")),
        Index(f"{name}_shown", "state", postgresql_where=text(f"state in ({states['troubled']})")),
        Index(f"{name}_settled", "settled_at"),
        Index(f"{name}_number", "number_hash", postgresql_where=text("number_hash is not null")),
        comment=comment,
    )


def _make_email_columns() -> list[SchemaItem]:
    """Make the columns of a ledger of emails; each table needs its own."""
    return [
        Column("id", Uuid, primary_key=True, comment="random; the Idempotency-Key"),
        Column("chain_id", BigInteger, nullable=False, comment="EIP-155 id of the chain"),
        Column("kind", Text, nullable=False, comment="kind of email"),
        Column(
            "state",
            Text,
            nullable=False,
            server_default="queued",
            comment="queued, claimed (being posted), released, sent, unknown, held, dropped, suppressed or dead",
        ),
        Column("reason", Text, comment="why dropped, held or dead, as a code"),
        Column("tries", Integer, nullable=False, server_default="0", comment="attempts to deliver so far"),
        Column("rejections", Integer, nullable=False, server_default="0", comment="400, 413, 422; three make it dead"),
        Column("lease_until", DateTime(timezone=True), comment="by the database's clock"),
        Column("lease_token", Uuid, comment="which dispatcher holds it"),
        Column(
            "next_try",
            DateTime(timezone=True),
            nullable=False,
            server_default=func.clock_timestamp(),
            comment="not tried before then, by the database's clock",
        ),
        Column("body", LargeBinary, comment="exact request body, encrypted, while claimed or in doubt"),
        Column(
            "body_salt", LargeBinary, comment="salt of the row of the recipient or gift whose key encrypts the body"
        ),
        Column("message_id", Text, comment="the mail service's id of the accepted email"),
        now_column("created_at", "when the row was written"),
        Column(
            "claimed_at",
            DateTime(timezone=True),
            comment="when its body was last stored to be posted; each claim makes it null",
        ),
        Column("settled_at", DateTime(timezone=True), comment="when the state became final; null: not yet"),
        Column(
            "number_hash",
            LargeBinary,
            comment="SHA-256 of the number printed in the email; null: not posted, or its recipient was erased",
        ),
    ]


suppression = Table(
    "suppression",
    metadata,
    Column("email_hash", LargeBinary, primary_key=True, comment="keyed hash of the normalised email"),
    now_column("since", "when the person asked"),
    comment="Who asked for no more email",
)

bounce = Table(
    "bounce",
    metadata,
    Column("email_hash", LargeBinary, primary_key=True, comment="keyed hash of the normalised email"),
    Column("reason", Text, nullable=False, comment="mailbox_unknown: no further email is sent there"),
    now_column("since", "when the last email came back"),
    CheckConstraint("reason in ('mailbox_unknown','mailbox_full','blocked','other')", name="bounce_reason"),
    comment="Addresses from which an email came back, while a recipient or gift has them",
)

bounce_cursor = Table(
    "bounce_cursor",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False, comment="always 1: there is one row"),
    Column("after", BigInteger, nullable=False, comment="a number of the mail service"),
    CheckConstraint("id = 1", name="bounce_cursor_is_one"),
    comment="The last email that came back and was read from the mail service",
)

report_reading = Table(
    "report_reading",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False, comment="always 1: there is one row"),
    Column("unread", BigInteger, comment="reports that wait in the mailbox; null: no mailbox is read"),
    Column("looked_at", DateTime(timezone=True), comment="when the mailbox was last read to its end; null: never"),
    Column("taken", BigInteger, nullable=False, comment="reports about emails of ours so far"),
    Column("unmatched", BigInteger, nullable=False, comment="reports about no email of ours so far"),
    Column("set_aside", BigInteger, nullable=False, comment="reports so far whose reading failed twice"),
    Column("set_aside_at", DateTime(timezone=True), comment="when the count of them was last seen to rise"),
    Column("not_complaints", BigInteger, nullable=False, comment="feedback reports of other kinds so far"),
    Column("unreadable", BigInteger, nullable=False, comment="events of a webhook so far that could not be read"),
    CheckConstraint("id = 1", name="report_reading_is_one"),
    comment="Delivery reports, as the mail service last counted them",
)

sent_ledger = email_ledger(
    "sent_ledger",
    Column("legacy", Address, nullable=False, comment="contract of the legacy"),
    Column("recipient", Address, nullable=False, comment="account of the recipient"),
    Column("event", Text, nullable=False, comment="what makes it one event, all public"),
    Column("role", Text, nullable=False, comment="by the chain"),
    Column("merged_into", Uuid, comment="the later entry whose email speaks of this one too"),
    Index("sent_ledger_merged", "merged_into", postgresql_where=text("merged_into is not null")),
    key=("chain_id", "legacy", "recipient", "kind", "event"),
    due=("chain_id", "legacy"),
    comment="One row for each (legacy, recipient, event): at most one email",
)

alert_state = Table(
    "alert_state",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="0: not of one chain"),
    Column("kind", Text, primary_key=True, comment="kind of alert"),
    Column("subject", Text, primary_key=True, comment="what the alert is about, as a public name or address"),
    Column("raised", Boolean, nullable=False, comment="whether the trouble lasts"),
    Column("changes", Integer, nullable=False, comment="how often it changed: each change is one alert"),
    now_column("since", "when it last changed"),
    Column(
        "turning_since",
        DateTime(timezone=True),
        comment="since when the watchdog sees otherwise than was told; null: as told",
    ),
    comment="What is wrong at the moment, so that only a change is told",
)

alert = Table(
    "alert",
    metadata,
    Column("id", Uuid, primary_key=True, comment="random; the Idempotency-Key"),
    Column("chain_id", BigInteger, nullable=False, comment="EIP-155 id of the chain"),
    Column("kind", Text, nullable=False, comment="kind of alert"),
    Column("subject", Text, nullable=False, comment="what the alert is about, as a public name or address"),
    Column("stage", Text, nullable=False, comment="what makes it one alert of its kind and subject"),
    Column("variables", JSONB, nullable=False, comment="public facts for the email; nothing personal"),
    Column(
        "state",
        Text,
        nullable=False,
        server_default="queued",
        comment="queued, sent, log_only (no address for alerts), merged into a later email, or dead (given up)",
    ),
    Column("tries", Integer, nullable=False, server_default="0", comment="attempts to deliver so far"),
    Column(
        "next_try",
        DateTime(timezone=True),
        nullable=False,
        server_default=func.clock_timestamp(),
        comment="not tried before then, by the database's clock",
    ),
    Column("logged_at", DateTime(timezone=True), comment="null: not in the service log yet"),
    Column("message_id", Text, comment="the mail service's id of the accepted email"),
    now_column("created_at", "when the row was written"),
    CheckConstraint("state in ('queued','sent','log_only','merged','dead')", name="alert_state_of_delivery"),
    comment="The outbox of alerts to operators",
)

Index("alert_once", alert.c.chain_id, alert.c.kind, alert.c.subject, alert.c.stage, unique=True)

Index("alert_due", alert.c.next_try, postgresql_where=text("state = 'queued' or logged_at is null"))

Index("alert_undelivered", alert.c.state, postgresql_where=text("state in ('queued','dead')"))
