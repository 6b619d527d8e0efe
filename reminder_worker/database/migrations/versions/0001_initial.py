"""The first schema."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "chain_event",
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("block_number", sa.BigInteger(), nullable=False),
        sa.Column("log_index", sa.Integer(), nullable=False),
        sa.Column("block_hash", sa.String(length=66), nullable=False),
        sa.Column("block_time", sa.BigInteger(), nullable=False),
        sa.Column("tx_hash", sa.String(length=66), nullable=False),
        sa.Column("contract", sa.String(length=42), nullable=False),
        sa.Column("name", sa.Text(), nullable=False, comment="the event's name on chain"),
        sa.Column("legacy", sa.String(length=42), nullable=True, comment="the legacy it concerns, where there is one"),
        sa.Column("creator", sa.String(length=42), nullable=True, comment="the user it concerns, where there is one"),
        sa.Column(
            "timelock_id", sa.BigInteger(), nullable=True, comment="the timelock it concerns, where there is one"
        ),
        sa.Column(
            "data",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=False,
            comment="the decoded fields the service uses; never a name, a note or a nickname",
        ),
        sa.PrimaryKeyConstraint("chain_id", "block_number", "log_index"),
        schema="worker",
        comment="What the chain said, in log order; the tables below are folded from it",
    )
    op.create_index(
        "chain_event_creator", "chain_event", ["chain_id", "creator", "block_number"], unique=False, schema="worker"
    )
    op.create_index(
        "chain_event_legacy", "chain_event", ["chain_id", "legacy", "block_number"], unique=False, schema="worker"
    )
    op.create_index("chain_event_timelock", "chain_event", ["chain_id", "timelock_id"], unique=False, schema="worker")
    op.create_table(
        "due_window",
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("legacy", sa.String(length=42), nullable=False),
        sa.Column("window", sa.SmallInteger(), nullable=False, comment="1..6 as PremiumReminderView numbers them"),
        sa.Column("deadline", sa.BigInteger(), nullable=False, comment="t1, t2 or t3, unix seconds"),
        sa.Column("block_number", sa.BigInteger(), nullable=False, comment="where it was first read"),
        sa.Column("state", sa.Text(), server_default="open", nullable=False),
        sa.Column(
            "first_seen", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("last_seen", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.Column(
            "planned_at",
            sa.DateTime(timezone=True),
            nullable=True,
            comment="when its ledger entries were made; null: still to do",
        ),
        sa.CheckConstraint("state in ('open','closed','too_old')", name="due_window_state"),
        sa.PrimaryKeyConstraint("chain_id", "legacy", "window", "deadline"),
        schema="worker",
        comment="Reminder windows that were open on chain",
    )
    op.create_index(
        "due_window_to_plan",
        "due_window",
        ["chain_id", "legacy"],
        unique=False,
        schema="worker",
        postgresql_where=sa.text("state = 'open' and planned_at is null"),
    )
    op.create_table(
        "index_cursor",
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False, comment="`index` or `signals`"),
        sa.Column("block_number", sa.BigInteger(), nullable=False),
        sa.Column("block_hash", sa.String(length=66), nullable=False),
        sa.Column("source", sa.Text(), nullable=True, comment="who answered last: subgraph or chain_index"),
        sa.Column("moved_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.PrimaryKeyConstraint("chain_id", "name"),
        schema="worker",
        comment="How far each reader got; moves in the transaction of the rows",
    )
    op.create_table(
        "installation",
        sa.Column(
            "name", sa.Text(), nullable=False, comment="what the check value is of: a key's id, a chain's contracts"
        ),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
        schema="worker",
        comment="Check values of keys, chains and contract addresses; a start with others is refused",
    )
    op.create_table(
        "legacy",
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("address", sa.String(length=42), nullable=False),
        sa.Column("router", sa.String(length=42), nullable=False),
        sa.Column("legacy_id", sa.BigInteger(), nullable=False),
        sa.Column("legacy_type", sa.SmallInteger(), nullable=False),
        sa.Column("creator", sa.String(length=42), nullable=False),
        sa.Column("owner", sa.String(length=42), nullable=False),
        sa.Column("created_block", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("activated_at", sa.BigInteger(), nullable=True),
        sa.Column("deleted_at", sa.BigInteger(), nullable=True),
        sa.Column("auto_renew", sa.Boolean(), server_default="false", nullable=False),
        sa.PrimaryKeyConstraint("chain_id", "address"),
        schema="worker",
        comment="Legacies of the configured routers, folded from chain_event",
    )
    op.create_index("legacy_by_creator", "legacy", ["chain_id", "creator"], unique=False, schema="worker")
    op.create_index("legacy_by_id", "legacy", ["chain_id", "router", "legacy_id"], unique=True, schema="worker")
    op.create_table(
        "legacy_write",
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("legacy", sa.String(length=42), nullable=False),
        sa.Column(
            "deadline", sa.BigInteger(), nullable=False, comment="unix seconds, of the last accepted ingest or erase"
        ),
        sa.PrimaryKeyConstraint("chain_id", "legacy"),
        schema="worker",
        comment="What a captured older message cannot roll back; survives erasure",
    )
    op.create_table(
        "notify_signal",
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("tx_hash", sa.String(length=66), nullable=False),
        sa.Column("legacy", sa.String(length=42), nullable=False),
        sa.Column(
            "kind",
            sa.SmallInteger(),
            nullable=False,
            comment="0 owner reset, 1 multisig activation, 2 transfer activation",
        ),
        sa.Column("layer", sa.SmallInteger(), nullable=False),
        sa.Column("creator", sa.String(length=42), nullable=False),
        sa.Column("block_number", sa.BigInteger(), nullable=False),
        sa.Column("block_time", sa.BigInteger(), nullable=False),
        sa.Column(
            "amounts",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=True,
            comment="{recipient: [[token, base units as a string], ...]} of a transfer activation",
        ),
        sa.Column("state", sa.Text(), server_default="new", nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("next_try", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.Column("tries", sa.Integer(), server_default="0", nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.CheckConstraint("state in ('new','planned','too_old','refused')", name="notify_signal_state"),
        sa.PrimaryKeyConstraint("chain_id", "tx_hash", "legacy", "kind", "layer"),
        schema="worker",
        comment="Notify signals seen on chain; the transaction is the identity, so a reorganisation repeats nothing",
    )
    op.create_index("notify_signal_legacy", "notify_signal", ["chain_id", "legacy"], unique=False, schema="worker")
    op.create_index(
        "notify_signal_open",
        "notify_signal",
        ["next_try"],
        unique=False,
        schema="worker",
        postgresql_where=sa.text("state = 'new'"),
    )
    op.create_table(
        "pass_state",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("chain_id", sa.BigInteger(), server_default="0", nullable=False, comment="0: not of one chain"),
        sa.Column("checked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("succeeded_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error", sa.Text(), nullable=True, comment="the class of the last error, never its content"),
        sa.Column(
            "detail",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=True,
            comment="counts, ages and block numbers for operators",
        ),
        sa.Column(
            "endpoints",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=True,
            comment="the chain's RPC endpoints as the process that looked last sees them",
        ),
        sa.PrimaryKeyConstraint("name", "chain_id"),
        schema="worker",
        comment="When each pass last looked, succeeded and failed",
    )
    op.create_table(
        "quota",
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False, comment="an address or a keyed hash, never an email"),
        sa.Column("window", sa.BigInteger(), nullable=False, comment="unix seconds at which the window began"),
        sa.Column("used", sa.BigInteger(), nullable=False),
        sa.Column("ends_at", sa.BigInteger(), nullable=False, comment="unix seconds; the row is pruned after it"),
        sa.PrimaryKeyConstraint("scope", "subject", "window"),
        schema="worker",
        comment="Caps, cooldowns and rate limits: one atomic counter",
    )
    op.create_table(
        "recipient",
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("legacy", sa.String(length=42), nullable=False),
        sa.Column("recipient", sa.String(length=42), nullable=False),
        sa.Column("role", sa.Text(), nullable=False, comment="as stored by the creator; it only words the email"),
        sa.Column("key_id", sa.Text(), nullable=False, comment="which master key"),
        sa.Column("salt", sa.LargeBinary(), nullable=False, comment="HKDF salt of this row, new at every write"),
        sa.Column("email", sa.LargeBinary(), nullable=False, comment="AES-256-GCM: nonce and ciphertext"),
        sa.Column("name", sa.LargeBinary(), nullable=False, comment="AES-256-GCM: nonce and ciphertext"),
        sa.Column("email_hash", sa.LargeBinary(), nullable=False, comment="keyed hash of the normalised email"),
        sa.Column(
            "written_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.CheckConstraint(
            "legacy = lower(legacy) and recipient = lower(recipient)", name="recipient_addresses_are_lower"
        ),
        sa.CheckConstraint("octet_length(salt) = 32", name="recipient_salt_is_32_bytes"),
        sa.PrimaryKeyConstraint("chain_id", "legacy", "recipient"),
        schema="worker",
        comment="Whom the creator of a legacy wants reminded, encrypted per row; deleting a row shreds it",
    )
    op.create_index("recipient_email_hash", "recipient", ["email_hash"], unique=False, schema="worker")
    op.create_table(
        "reminder_config",
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("legacy", sa.String(length=42), nullable=False),
        sa.Column("creator", sa.String(length=42), nullable=False),
        sa.Column("cosigners", postgresql.ARRAY(sa.String(length=42)), nullable=False),
        sa.Column("beneficiaries", postgresql.ARRAY(sa.String(length=42)), nullable=False),
        sa.Column("second_line", sa.String(length=42), nullable=True),
        sa.Column("third_line", sa.String(length=42), nullable=True),
        sa.Column("updated_block", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("chain_id", "legacy"),
        schema="worker",
        comment="Who is configured to be notified, folded in log order from PremiumSetting's events",
    )
    op.create_table(
        "sent_ledger",
        sa.Column("id", sa.Uuid(), nullable=False, comment="random; the Idempotency-Key"),
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("legacy", sa.String(length=42), nullable=False),
        sa.Column("recipient", sa.String(length=42), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False, comment="what makes it one event, all public"),
        sa.Column("role", sa.Text(), nullable=False, comment="by the chain"),
        sa.Column("state", sa.Text(), server_default="queued", nullable=False),
        sa.Column("reason", sa.Text(), nullable=True, comment="why dropped, held or dead, as a code"),
        sa.Column("tries", sa.Integer(), server_default="0", nullable=False),
        sa.Column(
            "rejections", sa.Integer(), server_default="0", nullable=False, comment="400, 413, 422; three make it dead"
        ),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True, comment="by the database's clock"),
        sa.Column("lease_token", sa.Uuid(), nullable=True, comment="which dispatcher holds it"),
        sa.Column("next_try", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.Column(
            "body",
            sa.LargeBinary(),
            nullable=True,
            comment="exact request body, encrypted under the recipient row's key, while undecided",
        ),
        sa.Column(
            "body_salt",
            sa.LargeBinary(),
            nullable=True,
            comment="salt of the recipient row the body was encrypted under",
        ),
        sa.Column("message_id", sa.Text(), nullable=True, comment="the mail service's"),
        sa.Column(
            "merged_into", sa.Uuid(), nullable=True, comment="the later entry whose email speaks of this one too"
        ),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column(
            "claimed_at",
            sa.DateTime(timezone=True),
            nullable=True,
            comment="when its body was stored to be posted; null while it is certain that nothing was posted",
        ),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("(state = 'sent') = (message_id is not null)", name="sent_ledger_sent_has_a_message_id"),
        sa.CheckConstraint(
            "body is null or state in ('claimed','unknown','held')",
            name="sent_ledger_keeps_a_body_only_while_undecided",
        ),
        sa.CheckConstraint(
            "state in ('queued','claimed','released','sent','unknown','held','dropped','suppressed','dead')",
            name="sent_ledger_state",
        ),
        sa.PrimaryKeyConstraint("id"),
        schema="worker",
        comment="One row for each (legacy, recipient, event): at most one email",
    )
    op.create_index(
        "sent_ledger_due",
        "sent_ledger",
        ["next_try", "chain_id", "legacy"],
        unique=False,
        schema="worker",
        postgresql_where=sa.text("state in ('queued','released','unknown')"),
    )
    op.create_index(
        "sent_ledger_leases",
        "sent_ledger",
        ["lease_until"],
        unique=False,
        schema="worker",
        postgresql_where=sa.text("state = 'claimed'"),
    )
    op.create_index(
        "sent_ledger_merged",
        "sent_ledger",
        ["merged_into"],
        unique=False,
        schema="worker",
        postgresql_where=sa.text("merged_into is not null"),
    )
    op.create_index(
        "sent_ledger_once",
        "sent_ledger",
        ["chain_id", "legacy", "recipient", "kind", "event"],
        unique=True,
        schema="worker",
    )
    op.create_index("sent_ledger_settled", "sent_ledger", ["settled_at"], unique=False, schema="worker")
    op.create_index(
        "sent_ledger_shown",
        "sent_ledger",
        ["state"],
        unique=False,
        schema="worker",
        postgresql_where=sa.text("state in ('unknown','held','dead')"),
    )
    op.create_table(
        "suppression",
        sa.Column("email_hash", sa.LargeBinary(), nullable=False, comment="keyed hash of the normalised email"),
        sa.Column("since", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.PrimaryKeyConstraint("email_hash"),
        schema="worker",
        comment="Who asked for no more email",
    )
    op.create_table(
        "timelock",
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("timelock_id", sa.BigInteger(), nullable=False),
        sa.Column("lock_type", sa.SmallInteger(), nullable=False, comment="0 regular, 1 soft, 2 gift"),
        sa.Column("owner", sa.String(length=42), nullable=False),
        sa.Column("recipient", sa.String(length=42), nullable=False),
        sa.Column("unlock_time", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=False, comment="0 null, 1 created, 2 live, 3 ended"),
        sa.Column(
            "assets", postgresql.JSONB(astext_type=sa.Text()), nullable=False, comment="[{vault, token, id, amount}]"
        ),
        sa.Column("created_block", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("chain_id", "timelock_id"),
        schema="worker",
        comment="Timelocks of the three vaults, folded from chain_event; no name is ever stored",
    )
    op.create_index("timelock_by_recipient", "timelock", ["chain_id", "recipient"], unique=False, schema="worker")
    op.create_table(
        "used_signature",
        sa.Column("digest", sa.LargeBinary(), nullable=False, comment="EIP-712 digest"),
        sa.Column("deadline", sa.BigInteger(), nullable=False, comment="unix seconds; forgotten after it"),
        sa.PrimaryKeyConstraint("digest"),
        schema="worker",
        comment="Digests spent, until their deadline",
    )
    op.create_table(
        "watch",
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("legacy", sa.String(length=42), nullable=False),
        sa.Column("creator", sa.String(length=42), nullable=False),
        sa.Column("legacy_type", sa.SmallInteger(), nullable=False, comment="3 EOA, 1 Safe"),
        sa.Column(
            "next_ask",
            sa.BigInteger(),
            server_default="0",
            nullable=False,
            comment="chain time (unix seconds) of the next look",
        ),
        sa.Column(
            "asked_at",
            sa.BigInteger(),
            nullable=True,
            comment="chain time (unix seconds) of the last answer: no window was missed before it",
        ),
        sa.Column(
            "failures", sa.Integer(), server_default="0", nullable=False, comment="how often it reverted in a row"
        ),
        sa.Column(
            "paused_until", sa.DateTime(timezone=True), nullable=True, comment="a reverting legacy rests until then"
        ),
        sa.Column(
            "membership",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=True,
            comment="last members read: {owner, beneficiaries, second_line, third_line}",
        ),
        sa.Column("membership_block", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("chain_id", "legacy"),
        schema="worker",
        comment="Legacies with stored recipients: when to ask the chain about each next",
    )
    op.create_index("watch_creator", "watch", ["chain_id", "creator"], unique=False, schema="worker")
    op.create_index("watch_next", "watch", ["chain_id", "next_ask"], unique=False, schema="worker")


def downgrade() -> None:
    op.execute("drop schema worker cascade")
