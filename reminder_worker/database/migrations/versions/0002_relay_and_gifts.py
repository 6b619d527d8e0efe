"""Relay, alerts and gifts."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "alert",
        sa.Column("id", sa.Uuid(), nullable=False, comment="random; the Idempotency-Key"),
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False, comment="what makes it one alert of its kind and subject"),
        sa.Column(
            "variables",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=False,
            comment="public facts for the email; nothing personal",
        ),
        sa.Column("state", sa.Text(), server_default="queued", nullable=False),
        sa.Column("tries", sa.Integer(), server_default="0", nullable=False),
        sa.Column("next_try", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.Column("logged_at", sa.DateTime(timezone=True), nullable=True, comment="null: not in the service log yet"),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.CheckConstraint("state in ('queued','sent','log_only','merged','dead')", name="alert_state_of_delivery"),
        sa.PrimaryKeyConstraint("id"),
        schema="worker",
        comment="The outbox of alerts to operators",
    )
    op.create_index(
        "alert_due",
        "alert",
        ["next_try"],
        unique=False,
        schema="worker",
        postgresql_where=sa.text("state = 'queued' or logged_at is null"),
    )
    op.create_index("alert_once", "alert", ["chain_id", "kind", "subject", "stage"], unique=True, schema="worker")
    op.create_table(
        "alert_state",
        sa.Column("chain_id", sa.BigInteger(), nullable=False, comment="0: not of one chain"),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("raised", sa.Boolean(), nullable=False),
        sa.Column("changes", sa.Integer(), nullable=False, comment="how often it changed: each change is one alert"),
        sa.Column("since", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.PrimaryKeyConstraint("chain_id", "kind", "subject"),
        schema="worker",
        comment="What is wrong at the moment, so that only a change is told",
    )
    op.create_table(
        "gift_ledger",
        sa.Column("id", sa.Uuid(), nullable=False, comment="random; the Idempotency-Key"),
        sa.Column("email_hash", sa.LargeBinary(), nullable=False, comment="keyed hash of the normalised email"),
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("timelock_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), server_default="queued", nullable=False),
        sa.Column("reason", sa.Text(), nullable=True, comment="why dropped, held or dead, as a code"),
        sa.Column("tries", sa.Integer(), server_default="0", nullable=False),
        sa.Column(
            "rejections", sa.Integer(), server_default="0", nullable=False, comment="400, 413, 422; three make it dead"
        ),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True, comment="by the database's clock"),
        sa.Column("lease_token", sa.Uuid(), nullable=True),
        sa.Column("next_try", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.Column(
            "body",
            sa.LargeBinary(),
            nullable=True,
            comment="exact request body, encrypted under the notification's key, while undecided",
        ),
        sa.Column(
            "body_salt",
            sa.LargeBinary(),
            nullable=True,
            comment="salt of the notification the body was encrypted under",
        ),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False, comment="90 days after unlock"),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("claimed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "body is null or state in ('claimed','unknown','held')",
            name="gift_ledger_keeps_a_body_only_while_undecided",
        ),
        sa.CheckConstraint(
            "state in ('queued','claimed','released','sent','unknown','held','dropped','suppressed','dead')",
            name="gift_ledger_state",
        ),
        sa.PrimaryKeyConstraint("id"),
        schema="worker",
        comment="One row for each email, gift and kind: at most one email, also after the notification is deleted",
    )
    op.create_index(
        "gift_ledger_due",
        "gift_ledger",
        ["next_try"],
        unique=False,
        schema="worker",
        postgresql_where=sa.text("state in ('queued','released','unknown')"),
    )
    op.create_index("gift_ledger_expiry", "gift_ledger", ["expires_at"], unique=False, schema="worker")
    op.create_index("gift_ledger_gift", "gift_ledger", ["chain_id", "timelock_id"], unique=False, schema="worker")
    op.create_index(
        "gift_ledger_leases",
        "gift_ledger",
        ["lease_until"],
        unique=False,
        schema="worker",
        postgresql_where=sa.text("state = 'claimed'"),
    )
    op.create_index(
        "gift_ledger_once",
        "gift_ledger",
        ["email_hash", "chain_id", "timelock_id", "kind"],
        unique=True,
        schema="worker",
    )
    op.create_table(
        "gift_notification",
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("timelock_id", sa.BigInteger(), nullable=False),
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.Column("salt", sa.LargeBinary(), nullable=False, comment="HKDF salt of this row, new at every write"),
        sa.Column(
            "payload", sa.LargeBinary(), nullable=False, comment="AES-256-GCM: email, names and the whole claim link"
        ),
        sa.Column("email_hash", sa.LargeBinary(), nullable=False, comment="keyed hash of the normalised email"),
        sa.Column("timing", sa.Text(), nullable=False),
        sa.Column("owner", sa.String(length=42), nullable=False, comment="pinned: compared before every send"),
        sa.Column("recipient", sa.String(length=42), nullable=False, comment="pinned"),
        sa.Column("unlock_time", sa.BigInteger(), nullable=False, comment="pinned, unix seconds"),
        sa.Column(
            "written_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.CheckConstraint("timing in ('immediate','scheduled','none')", name="gift_notification_timing"),
        sa.CheckConstraint("octet_length(salt) = 32", name="gift_notification_salt_is_32_bytes"),
        sa.PrimaryKeyConstraint("chain_id", "timelock_id"),
        schema="worker",
        comment="Whom a giver wants told of a gift, encrypted; deleted after opening day",
    )
    op.create_index("gift_notification_email_hash", "gift_notification", ["email_hash"], unique=False, schema="worker")
    op.create_index(
        "gift_notification_unlock", "gift_notification", ["chain_id", "unlock_time"], unique=False, schema="worker"
    )
    op.create_table(
        "gift_wallet",
        sa.Column("email_hash", sa.LargeBinary(), nullable=False, comment="keyed hash of the normalised email"),
        sa.Column(
            "timestamp_ms",
            sa.BigInteger(),
            nullable=False,
            comment="of the creating request: the same bytes are the same activity",
        ),
        sa.Column(
            "sub_organization_id", sa.Text(), nullable=True, comment="the identity provider's; null: not created yet"
        ),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.PrimaryKeyConstraint("email_hash"),
        schema="worker",
        comment="Which sub-organization holds the wallet of an email; neither email nor address",
    )
    op.create_table(
        "gift_write",
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("timelock_id", sa.BigInteger(), nullable=False),
        sa.Column(
            "deadline",
            sa.BigInteger(),
            nullable=False,
            comment="unix seconds, of the last accepted registration or erasure",
        ),
        sa.PrimaryKeyConstraint("chain_id", "timelock_id"),
        schema="worker",
        comment="What a captured older message cannot roll back; survives erasure",
    )
    op.create_table(
        "nonce_slot",
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("wallet", sa.String(length=42), nullable=False),
        sa.Column("nonce", sa.BigInteger(), nullable=False),
        sa.Column("request_id", sa.Uuid(), nullable=False),
        sa.Column("state", sa.Text(), server_default="open", nullable=False),
        sa.Column("gas_limit", sa.BigInteger(), nullable=False),
        sa.Column(
            "reserved_wei",
            sa.Numeric(precision=78, scale=0),
            nullable=False,
            comment="of the caps, until it is settled; the dearest attempt's bound",
        ),
        sa.Column("budget_day", sa.Date(), nullable=False, comment="UTC: where the reservation was made"),
        sa.Column("spent_wei", sa.Numeric(precision=78, scale=0), nullable=True, comment="by the receipt, once final"),
        sa.Column("tx_hash", sa.String(length=66), nullable=True, comment="the attempt that was mined"),
        sa.Column("block_number", sa.BigInteger(), nullable=True),
        sa.Column("block_hash", sa.String(length=66), nullable=True),
        sa.Column("opened_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.CheckConstraint("(state = 'final') = (spent_wei is not null)", name="nonce_slot_final_is_settled"),
        sa.CheckConstraint("state in ('open','mined','final')", name="nonce_slot_state"),
        sa.PrimaryKeyConstraint("chain_id", "wallet", "nonce"),
        schema="worker",
        comment="A nonce of one of our wallets, taken for one request: never reused, never skipped",
    )
    op.create_index(
        "nonce_slot_one_open",
        "nonce_slot",
        ["request_id"],
        unique=True,
        schema="worker",
        postgresql_where=sa.text("state <> 'final'"),
    )
    op.create_index(
        "nonce_slot_open",
        "nonce_slot",
        ["chain_id", "wallet"],
        unique=False,
        schema="worker",
        postgresql_where=sa.text("state <> 'final'"),
    )
    op.create_index("nonce_slot_request", "nonce_slot", ["request_id"], unique=False, schema="worker")
    op.create_table(
        "owner_activity",
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("legacy", sa.String(length=42), nullable=False),
        sa.Column("legacy_id", sa.Numeric(precision=78, scale=0), nullable=False),
        sa.Column("owner", sa.String(length=42), nullable=False),
        sa.Column(
            "reset_at",
            sa.BigInteger(),
            nullable=False,
            comment="the timer's last reset that the baseline is of, unix seconds",
        ),
        sa.Column(
            "baseline",
            sa.BigInteger(),
            nullable=False,
            comment="the owner's finalized transaction count first seen after it",
        ),
        sa.Column(
            "nonce_seen", sa.BigInteger(), nullable=False, comment="finalized transaction count at the last look"
        ),
        sa.Column("deadline", sa.BigInteger(), nullable=False, comment="t1, unix seconds"),
        sa.Column(
            "budget_end",
            sa.BigInteger(),
            nullable=False,
            comment="unix seconds; no renewal without a check-in after it",
        ),
        sa.Column(
            "budget_step",
            sa.SmallInteger(),
            nullable=True,
            comment="days before the budget's end: the reminder of it that is to be sent now; null: none",
        ),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column(
            "checked_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.PrimaryKeyConstraint("chain_id", "legacy"),
        schema="worker",
        comment="Auto-renew: what was seen of each opted-in owner, and what was decided",
    )
    op.create_table(
        "relay_budget",
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("wallet", sa.String(length=42), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False, comment="global, legacy, gift, signer, creator"),
        sa.Column("subject", sa.Text(), nullable=False, comment="an address or an id; empty for global"),
        sa.Column("day", sa.Date(), nullable=False, comment="UTC"),
        sa.Column("requests", sa.Integer(), server_default="0", nullable=False),
        sa.Column("reserved_wei", sa.Numeric(precision=78, scale=0), server_default="0", nullable=False),
        sa.Column("spent_wei", sa.Numeric(precision=78, scale=0), server_default="0", nullable=False),
        sa.CheckConstraint(
            "requests >= 0 and reserved_wei >= 0 and spent_wei >= 0", name="relay_budget_is_not_negative"
        ),
        sa.PrimaryKeyConstraint("chain_id", "wallet", "scope", "subject", "day"),
        schema="worker",
        comment="What a day's relaying has reserved and spent, against its caps",
    )
    op.create_table(
        "relay_request",
        sa.Column(
            "id", sa.Uuid(), nullable=False, comment="random and unguessable: who knows it may follow the request"
        ),
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("wallet", sa.String(length=42), nullable=False, comment="ours, that pays"),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False, comment="EIP-712 digest of the authorization"),
        sa.Column("router", sa.String(length=42), nullable=False, comment="the contract called"),
        sa.Column("subject_id", sa.Numeric(precision=78, scale=0), nullable=False, comment="legacy id or timelock id"),
        sa.Column("signer", sa.String(length=42), nullable=False),
        sa.Column(
            "creator",
            sa.String(length=42),
            nullable=False,
            comment="of the legacy, or the giver: for the cap per creator",
        ),
        sa.Column("nonce", sa.Numeric(precision=78, scale=0), nullable=False, comment="the signer's sponsorNonce"),
        sa.Column("deadline", sa.BigInteger(), nullable=False, comment="of the authorization, unix seconds"),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True, comment="why it ended or waits, as a code"),
        sa.Column("gas_limit", sa.BigInteger(), nullable=False),
        sa.Column(
            "key_id", sa.Text(), nullable=True, comment="which master key sealed call_data and the attempts' bytes"
        ),
        sa.Column(
            "salt", sa.LargeBinary(), nullable=True, comment="HKDF salt; null once the request has ended: shredded"
        ),
        sa.Column(
            "call_data",
            sa.LargeBinary(),
            nullable=True,
            comment="AES-256-GCM, since it holds the signature; null once ended",
        ),
        sa.Column("tx_hash", sa.String(length=66), nullable=True, comment="the newest attempt, or the one mined"),
        sa.Column("block_number", sa.BigInteger(), nullable=True),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column(
            "updated_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.CheckConstraint("lane in ('claim','check_in','gift_withdraw','auto_renew')", name="relay_request_lane"),
        sa.CheckConstraint(
            "state in ('queued','waiting_predecessor','deferred_fee','signed','broadcast','mined','confirmed','reverted','expired','satisfied_elsewhere','superseded','cancelled_by_user')",
            name="relay_request_state",
        ),
        sa.CheckConstraint("octet_length(digest) = 32", name="relay_request_digest_is_32_bytes"),
        sa.PrimaryKeyConstraint("id"),
        schema="worker",
        comment="A user's authorization that we relay: one row for each, whatever happens on the wire",
    )
    op.create_index("relay_request_ended", "relay_request", ["updated_at"], unique=False, schema="worker")
    op.create_index("relay_request_once", "relay_request", ["chain_id", "digest"], unique=True, schema="worker")
    op.create_index(
        "relay_request_open",
        "relay_request",
        ["chain_id", "wallet", "state"],
        unique=False,
        schema="worker",
        postgresql_where=sa.text(
            "state in ('queued','waiting_predecessor','deferred_fee','signed','broadcast','mined')"
        ),
    )
    op.create_index(
        "relay_request_signer",
        "relay_request",
        ["chain_id", "router", "signer", "nonce"],
        unique=False,
        schema="worker",
        postgresql_where=sa.text(
            "state in ('queued','waiting_predecessor','deferred_fee','signed','broadcast','mined')"
        ),
    )
    op.create_table(
        "relay_wallet",
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("address", sa.String(length=42), nullable=False),
        sa.Column(
            "next_nonce",
            sa.BigInteger(),
            nullable=False,
            comment="the only counter of nonces; its row is locked to take one",
        ),
        sa.Column(
            "stopped", sa.Text(), nullable=True, comment="why nothing more is admitted, as a code; null: working"
        ),
        sa.Column("stopped_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("chain_id", "address"),
        schema="worker",
        comment="Our own wallets: the relayer's and the attestor's",
    )
    op.create_table(
        "tx_attempt",
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("tx_hash", sa.String(length=66), nullable=False),
        sa.Column("wallet", sa.String(length=42), nullable=False),
        sa.Column("nonce", sa.BigInteger(), nullable=False),
        sa.Column(
            "kind",
            sa.Text(),
            nullable=False,
            comment="call, or empty: a transfer of nothing to ourselves that frees the slot",
        ),
        sa.Column("max_fee_wei", sa.Numeric(precision=78, scale=0), nullable=False),
        sa.Column("priority_fee_wei", sa.Numeric(precision=78, scale=0), nullable=False),
        sa.Column("gas_limit", sa.BigInteger(), nullable=False),
        sa.Column(
            "raw",
            sa.LargeBinary(),
            nullable=True,
            comment="the signed bytes, AES-256-GCM under the request's key; null once final",
        ),
        sa.Column("stored_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.Column(
            "broadcast_at",
            sa.DateTime(timezone=True),
            nullable=True,
            comment="the last time it was sent; null: never yet",
        ),
        sa.CheckConstraint("kind in ('call','empty')", name="tx_attempt_kind"),
        sa.PrimaryKeyConstraint("chain_id", "tx_hash"),
        schema="worker",
        comment="Signed bytes, stored before they are on the wire",
    )
    op.create_index("tx_attempt_slot", "tx_attempt", ["chain_id", "wallet", "nonce"], unique=False, schema="worker")
