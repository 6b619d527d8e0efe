"""The upgrade queue, prices and statistics."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "price",
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("feed", sa.String(length=42), nullable=False),
        sa.Column("round_id", sa.Numeric(precision=30, scale=0), nullable=False),
        sa.Column(
            "answer", sa.Numeric(precision=78, scale=0), nullable=False, comment="US dollars, in units of 10^-decimals"
        ),
        sa.Column("decimals", sa.SmallInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False, comment="unix seconds, by the feed"),
        sa.Column("read_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.CheckConstraint("answer > 0", name="price_is_positive"),
        sa.PrimaryKeyConstraint("chain_id", "feed", "round_id"),
        schema="worker",
        comment="Every sane round of every price feed that was seen",
    )
    op.create_index("price_at", "price", ["chain_id", "feed", "updated_at"], unique=False, schema="worker")
    op.create_table(
        "price_feed",
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("token", sa.String(length=42), nullable=False, comment="an address, or ETH"),
        sa.Column("feed", sa.String(length=42), nullable=False, comment="two tokens may share one"),
        sa.Column("symbol", sa.Text(), nullable=True, comment="of the token; null: none that may be shown"),
        sa.Column(
            "verdict", sa.Text(), nullable=False, comment="of the last answer: good, stale, or what was wrong with it"
        ),
        sa.Column("round_id", sa.Numeric(precision=30, scale=0), nullable=True, comment="of the last good answer"),
        sa.Column("block_number", sa.BigInteger(), nullable=False, comment="at which it was asked"),
        sa.Column("block_time", sa.BigInteger(), nullable=False, comment="unix seconds"),
        sa.Column("asked_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.PrimaryKeyConstraint("chain_id", "token"),
        schema="worker",
        comment="How the price feed of each token answered last",
    )
    op.create_table(
        "statistics",
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("hour", sa.DateTime(timezone=True), nullable=False, comment="the hour (UTC) the snapshot is of"),
        sa.Column("block_number", sa.BigInteger(), nullable=False, comment="everything was read at this block"),
        sa.Column(
            "block_hash",
            sa.String(length=66),
            nullable=True,
            comment="is it no longer on the chain, the snapshot is taken anew",
        ),
        sa.Column("block_time", sa.BigInteger(), nullable=False, comment="unix seconds"),
        sa.Column(
            "counts",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=False,
            comment="{legacies: {...}, timelocks: {...}}",
        ),
        sa.Column(
            "tokens",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=False,
            comment="[{token, symbol, decimals, amount, usd}], base units as strings",
        ),
        sa.Column(
            "value_secured_usd",
            sa.Numeric(precision=38, scale=2),
            nullable=True,
            comment="of tokens with a feed; null: one has no fresh price",
        ),
        sa.Column("taken_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.PrimaryKeyConstraint("chain_id", "hour"),
        schema="worker",
        comment="Hourly aggregates of each chain: no address of a user, nothing per user",
    )
    op.create_table(
        "upgrade_event",
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("block_number", sa.BigInteger(), nullable=False),
        sa.Column("log_index", sa.Integer(), nullable=False),
        sa.Column("block_hash", sa.String(length=66), nullable=False),
        sa.Column("block_time", sa.BigInteger(), nullable=False),
        sa.Column("tx_hash", sa.String(length=66), nullable=False),
        sa.Column("sender", sa.String(length=42), nullable=True, comment="who sent the transaction"),
        sa.Column("name", sa.Text(), nullable=False, comment="the event's name on chain"),
        sa.Column(
            "operation_id", sa.String(length=66), nullable=True, comment="the operation it concerns, where there is one"
        ),
        sa.Column("data", postgresql.JSONB(astext_type=sa.Text()), nullable=False, comment="the decoded fields"),
        sa.PrimaryKeyConstraint("chain_id", "block_number", "log_index"),
        schema="worker",
        comment="What the UpgradeTimelock said, in log order; what is not final is read anew at each look",
    )
    op.create_index(
        "upgrade_event_operation", "upgrade_event", ["chain_id", "operation_id"], unique=False, schema="worker"
    )
    op.create_table(
        "upgrade_operation",
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("operation_id", sa.String(length=66), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column(
            "calls",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=False,
            comment="[{target, value, data}] in their order",
        ),
        sa.Column(
            "predecessor", sa.String(length=66), nullable=True, comment="the operation that has to be executed first"
        ),
        sa.Column("delay", sa.BigInteger(), nullable=True, comment="seconds, as scheduled"),
        sa.Column(
            "ready_at",
            sa.BigInteger(),
            nullable=True,
            comment="unix seconds, from getTimestamp: when it may be executed",
        ),
        sa.Column("scheduled_by", sa.String(length=42), nullable=True, comment="who sent the transaction"),
        sa.Column("scheduled_at", sa.BigInteger(), nullable=True, comment="unix seconds"),
        sa.Column("scheduled_block", sa.BigInteger(), nullable=True, comment="null: it was never seen scheduled"),
        sa.Column("scheduled_tx", sa.String(length=66), nullable=True),
        sa.Column("changed_block", sa.BigInteger(), nullable=False),
        sa.Column("final", sa.Boolean(), nullable=False, comment="its last change is in a final block"),
        sa.Column("seen_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.CheckConstraint(
            "state in ('pending','ready','executed','cancelled','gone')", name="upgrade_operation_state"
        ),
        sa.PrimaryKeyConstraint("chain_id", "operation_id"),
        schema="worker",
        comment="Operations of the UpgradeTimelock, folded from upgrade_event; `gone`: a reorganisation took it back",
    )
    op.create_index(
        "upgrade_operation_open",
        "upgrade_operation",
        ["chain_id"],
        unique=False,
        schema="worker",
        postgresql_where=sa.text("state in ('pending','ready')"),
    )
    op.create_index(
        "alert_undelivered",
        "alert",
        ["state"],
        unique=False,
        schema="worker",
        postgresql_where=sa.text("state in ('queued','dead')"),
    )
    op.add_column(
        "alert_state",
        sa.Column(
            "turning_since",
            sa.DateTime(timezone=True),
            nullable=True,
            comment="since when the watchdog sees otherwise than was told; null: as told",
        ),
        schema="worker",
    )
    op.create_index(
        "gift_ledger_shown",
        "gift_ledger",
        ["state"],
        unique=False,
        schema="worker",
        postgresql_where=sa.text("state in ('unknown','held','dead')"),
    )
    op.add_column(
        "gift_wallet",
        sa.Column(
            "address_hash",
            sa.LargeBinary(),
            nullable=True,
            comment="keyed hash of the wallet's address; null: not asked for since 0003",
        ),
        schema="worker",
    )
    op.create_index("gift_wallet_addresses", "gift_wallet", ["address_hash"], unique=False, schema="worker")
    op.alter_column(
        "index_cursor",
        "name",
        existing_type=sa.TEXT(),
        comment="`index`, `signals` or `upgrades`",
        existing_comment="`index` or `signals`",
        existing_nullable=False,
        schema="worker",
    )
    op.create_index(
        "legacy_auto_renew",
        "legacy",
        ["chain_id", "address"],
        unique=False,
        schema="worker",
        postgresql_where=sa.text("auto_renew and legacy_type = 3 and deleted_at is null"),
    )
    op.create_index(
        "owner_activity_budgets",
        "owner_activity",
        ["chain_id", "legacy"],
        unique=False,
        schema="worker",
        postgresql_where=sa.text("budget_step is not null"),
    )
    op.create_index(
        "watch_paused",
        "watch",
        ["paused_until"],
        unique=False,
        schema="worker",
        postgresql_where=sa.text("paused_until is not null"),
    )
