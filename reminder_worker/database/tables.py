"""Every table of the service, in schema `worker`. Constraints, not code, hold the promises.

Addresses and hashes are lower-case `0x` hex; amounts are `numeric(78)` in base units; times that come
from a chain are unix seconds, our own are `timestamptz` set by the database's clock.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

SCHEMA = "worker"
metadata = MetaData(schema=SCHEMA)

Address = String(42)
Hash = String(66)


def _now(name: str) -> Column[object]:
    return Column(name, DateTime(timezone=True), nullable=False, server_default=func.clock_timestamp())


installation = Table(
    "installation",
    metadata,
    Column("name", Text, primary_key=True, comment="what the check value is of: a key's id, a chain's contracts"),
    Column("value", Text, nullable=False),
    comment="Check values of keys, chains and contract addresses; a start with others is refused",
)

recipient = Table(
    "recipient",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("legacy", Address, primary_key=True),
    Column("recipient", Address, primary_key=True),
    Column("role", Text, nullable=False, comment="as stored by the creator; it only words the email"),
    Column("key_id", Text, nullable=False, comment="which master key"),
    Column("salt", LargeBinary, nullable=False, comment="HKDF salt of this row, new at every write"),
    Column("email", LargeBinary, nullable=False, comment="AES-256-GCM: nonce and ciphertext"),
    Column("name", LargeBinary, nullable=False, comment="AES-256-GCM: nonce and ciphertext"),
    Column("email_hash", LargeBinary, nullable=False, comment="keyed hash of the normalised email"),
    _now("written_at"),
    CheckConstraint("octet_length(salt) = 32", name="recipient_salt_is_32_bytes"),
    CheckConstraint("legacy = lower(legacy) and recipient = lower(recipient)", name="recipient_addresses_are_lower"),
    comment="Whom the creator of a legacy wants reminded, encrypted per row; deleting a row shreds it",
)
Index("recipient_email_hash", recipient.c.email_hash)

legacy_write = Table(
    "legacy_write",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("legacy", Address, primary_key=True),
    Column("deadline", BigInteger, nullable=False, comment="unix seconds, of the last accepted ingest or erase"),
    comment="What a captured older message cannot roll back; survives erasure",
)

used_signature = Table(
    "used_signature",
    metadata,
    Column("digest", LargeBinary, primary_key=True, comment="EIP-712 digest"),
    Column("deadline", BigInteger, nullable=False, comment="unix seconds; forgotten after it"),
    comment="Digests spent, until their deadline",
)

quota = Table(
    "quota",
    metadata,
    Column("scope", Text, primary_key=True),
    Column("subject", Text, primary_key=True, comment="an address or a keyed hash, never an email"),
    Column("window", BigInteger, primary_key=True, comment="unix seconds at which the window began"),
    Column("used", BigInteger, nullable=False),
    Column("ends_at", BigInteger, nullable=False, comment="unix seconds; the row is pruned after it"),
    comment="Caps, cooldowns and rate limits: one atomic counter",
)

suppression = Table(
    "suppression",
    metadata,
    Column("email_hash", LargeBinary, primary_key=True, comment="keyed hash of the normalised email"),
    _now("since"),
    comment="Who asked for no more email",
)

sent_ledger = Table(
    "sent_ledger",
    metadata,
    Column("id", Uuid, primary_key=True, comment="random; the Idempotency-Key"),
    Column("chain_id", BigInteger, nullable=False),
    Column("legacy", Address, nullable=False),
    Column("recipient", Address, nullable=False),
    Column("kind", Text, nullable=False),
    Column("event", Text, nullable=False, comment="what makes it one event, all public"),
    Column("role", Text, nullable=False, comment="by the chain"),
    Column("state", Text, nullable=False, server_default="queued"),
    Column("reason", Text, comment="why dropped, held or dead, as a code"),
    Column("tries", Integer, nullable=False, server_default="0"),
    Column("rejections", Integer, nullable=False, server_default="0", comment="400, 413, 422; three make it dead"),
    Column("lease_until", DateTime(timezone=True), comment="by the database's clock"),
    Column("lease_token", Uuid, comment="which dispatcher holds it"),
    Column("next_try", DateTime(timezone=True), nullable=False, server_default=func.clock_timestamp()),
    Column("body", LargeBinary, comment="exact request body, encrypted under the recipient row's key, while undecided"),
    Column("body_salt", LargeBinary, comment="salt of the recipient row the body was encrypted under"),
    Column("message_id", Text, comment="the mail service's"),
    Column("merged_into", Uuid, comment="the later entry whose email speaks of this one too"),
    _now("created_at"),
    Column(
        "claimed_at",
        DateTime(timezone=True),
        comment="when its body was stored to be posted; null while it is certain that nothing was posted",
    ),
    Column("settled_at", DateTime(timezone=True)),
    CheckConstraint(
        "state in ('queued','claimed','released','sent','unknown','held','dropped','suppressed','dead')",
        name="sent_ledger_state",
    ),
    CheckConstraint(
        "body is null or state in ('claimed','unknown','held')",
        name="sent_ledger_keeps_a_body_only_while_undecided",
    ),
    CheckConstraint("(state = 'sent') = (message_id is not null)", name="sent_ledger_sent_has_a_message_id"),
    comment="One row for each (legacy, recipient, event): at most one email",
)
Index(
    "sent_ledger_once",
    sent_ledger.c.chain_id,
    sent_ledger.c.legacy,
    sent_ledger.c.recipient,
    sent_ledger.c.kind,
    sent_ledger.c.event,
    unique=True,
)
Index(
    "sent_ledger_due",
    sent_ledger.c.next_try,
    sent_ledger.c.chain_id,
    sent_ledger.c.legacy,
    postgresql_where=text("state in ('queued','released','unknown')"),
)
Index("sent_ledger_merged", sent_ledger.c.merged_into, postgresql_where=text("merged_into is not null"))
Index("sent_ledger_leases", sent_ledger.c.lease_until, postgresql_where=text("state = 'claimed'"))
Index("sent_ledger_shown", sent_ledger.c.state, postgresql_where=text("state in ('unknown','held','dead')"))
Index("sent_ledger_settled", sent_ledger.c.settled_at)

notify_signal = Table(
    "notify_signal",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("tx_hash", Hash, primary_key=True),
    Column("legacy", Address, primary_key=True),
    Column(
        "kind", SmallInteger, primary_key=True, comment="0 owner reset, 1 multisig activation, 2 transfer activation"
    ),
    Column("layer", SmallInteger, primary_key=True),
    Column("creator", Address, nullable=False),
    Column("block_number", BigInteger, nullable=False),
    Column("block_time", BigInteger, nullable=False),
    Column("amounts", JSONB, comment="{recipient: [[token, base units as a string], ...]} of a transfer activation"),
    Column("state", Text, nullable=False, server_default="new"),
    Column("reason", Text),
    Column("next_try", DateTime(timezone=True), nullable=False, server_default=func.clock_timestamp()),
    Column("tries", Integer, nullable=False, server_default="0"),
    _now("seen_at"),
    CheckConstraint("state in ('new','planned','too_old','refused')", name="notify_signal_state"),
    comment="Notify signals seen on chain; the transaction is the identity, so a reorganisation repeats nothing",
)
Index("notify_signal_open", notify_signal.c.next_try, postgresql_where=text("state = 'new'"))
Index("notify_signal_legacy", notify_signal.c.chain_id, notify_signal.c.legacy)

due_window = Table(
    "due_window",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("legacy", Address, primary_key=True),
    Column("window", SmallInteger, primary_key=True, comment="1..6 as PremiumReminderView numbers them"),
    Column("deadline", BigInteger, primary_key=True, comment="t1, t2 or t3, unix seconds"),
    Column("block_number", BigInteger, nullable=False, comment="where it was first read"),
    Column("state", Text, nullable=False, server_default="open"),
    _now("first_seen"),
    _now("last_seen"),
    Column("planned_at", DateTime(timezone=True), comment="when its ledger entries were made; null: still to do"),
    CheckConstraint("state in ('open','closed','too_old')", name="due_window_state"),
    comment="Reminder windows that were open on chain",
)
Index(
    "due_window_to_plan",
    due_window.c.chain_id,
    due_window.c.legacy,
    postgresql_where=text("state = 'open' and planned_at is null"),
)

watch = Table(
    "watch",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("legacy", Address, primary_key=True),
    Column("creator", Address, nullable=False),
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
    Column("membership_block", BigInteger),
    comment="Legacies with stored recipients: when to ask the chain about each next",
)
Index("watch_next", watch.c.chain_id, watch.c.next_ask)
Index("watch_creator", watch.c.chain_id, watch.c.creator)

# -- the chain index ------------------------------------------------------------------------------

chain_event = Table(
    "chain_event",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("block_number", BigInteger, primary_key=True),
    Column("log_index", Integer, primary_key=True),
    Column("block_hash", Hash, nullable=False),
    Column("block_time", BigInteger, nullable=False),
    Column("tx_hash", Hash, nullable=False),
    Column("contract", Address, nullable=False),
    Column("name", Text, nullable=False, comment="the event's name on chain"),
    Column("legacy", Address, comment="the legacy it concerns, where there is one"),
    Column("creator", Address, comment="the user it concerns, where there is one"),
    Column("timelock_id", BigInteger, comment="the timelock it concerns, where there is one"),
    Column(
        "data", JSONB, nullable=False, comment="the decoded fields the service uses; never a name, a note or a nickname"
    ),
    comment="What the chain said, in log order; the tables below are folded from it",
)
Index("chain_event_legacy", chain_event.c.chain_id, chain_event.c.legacy, chain_event.c.block_number)
Index("chain_event_creator", chain_event.c.chain_id, chain_event.c.creator, chain_event.c.block_number)
Index("chain_event_timelock", chain_event.c.chain_id, chain_event.c.timelock_id)

legacy = Table(
    "legacy",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("address", Address, primary_key=True),
    Column("router", Address, nullable=False),
    Column("legacy_id", BigInteger, nullable=False),
    Column("legacy_type", SmallInteger, nullable=False),
    Column("creator", Address, nullable=False),
    Column("owner", Address, nullable=False),
    Column("created_block", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("activated_at", BigInteger),
    Column("deleted_at", BigInteger),
    Column("auto_renew", Boolean, nullable=False, server_default="false"),
    Index("legacy_by_id", "chain_id", "router", "legacy_id", unique=True),
    Index("legacy_by_creator", "chain_id", "creator"),
    comment="Legacies of the configured routers, folded from chain_event",
)

reminder_config = Table(
    "reminder_config",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("legacy", Address, primary_key=True),
    Column("creator", Address, nullable=False),
    Column("cosigners", ARRAY(Address), nullable=False),
    Column("beneficiaries", ARRAY(Address), nullable=False),
    Column("second_line", Address),
    Column("third_line", Address),
    Column("updated_block", BigInteger, nullable=False),
    comment="Who is configured to be notified, folded in log order from PremiumSetting's events",
)

timelock = Table(
    "timelock",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("timelock_id", BigInteger, primary_key=True),
    Column("lock_type", SmallInteger, nullable=False, comment="0 regular, 1 soft, 2 gift"),
    Column("owner", Address, nullable=False),
    Column("recipient", Address, nullable=False),
    Column("unlock_time", BigInteger, nullable=False),
    Column("status", SmallInteger, nullable=False, comment="0 null, 1 created, 2 live, 3 ended"),
    Column("assets", JSONB, nullable=False, comment="[{vault, token, id, amount}]"),
    Column("created_block", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Index("timelock_by_recipient", "chain_id", "recipient"),
    comment="Timelocks of the three vaults, folded from chain_event; no name is ever stored",
)

index_cursor = Table(
    "index_cursor",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("name", Text, primary_key=True, comment="`index` or `signals`"),
    Column("block_number", BigInteger, nullable=False),
    Column("block_hash", Hash, nullable=False),
    Column("source", Text, comment="who answered last: subgraph or chain_index"),
    _now("moved_at"),
    comment="How far each reader got; moves in the transaction of the rows",
)

pass_state = Table(
    "pass_state",
    metadata,
    Column("name", Text, primary_key=True),
    Column("chain_id", BigInteger, primary_key=True, server_default="0", comment="0: not of one chain"),
    Column("checked_at", DateTime(timezone=True)),
    Column("succeeded_at", DateTime(timezone=True)),
    Column("failed_at", DateTime(timezone=True)),
    Column("error", Text, comment="the class of the last error, never its content"),
    Column("detail", JSONB, comment="counts, ages and block numbers for operators"),
    Column("endpoints", JSONB, comment="the chain's RPC endpoints as the process that looked last sees them"),
    comment="When each pass last looked, succeeded and failed",
)

__all__ = [
    "SCHEMA",
    "chain_event",
    "due_window",
    "index_cursor",
    "installation",
    "legacy",
    "legacy_write",
    "metadata",
    "notify_signal",
    "pass_state",
    "quota",
    "recipient",
    "reminder_config",
    "sent_ledger",
    "suppression",
    "timelock",
    "used_signature",
    "watch",
]
