"""Every table of the service, in schema `worker`. Constraints, not code, hold the promises.

Addresses and hashes are lower-case `0x` hex; amounts are `numeric(78)` in base units; times that come
from a chain are unix seconds, our own are `timestamptz` set by the database's clock.
"""

from datetime import timedelta
from typing import Any

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
    Interval,
    LargeBinary,
    MetaData,
    Numeric,
    SmallInteger,
    String,
    Table,
    Text,
    Uuid,
    cast,
    extract,
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


def age(moment: ColumnElement[Any]) -> ColumnElement[int]:
    """Whole seconds since a moment, by the database's clock."""
    return cast(extract("epoch", func.clock_timestamp() - moment), Integer)


FAR = "interval '3 days'"
"""Longer than we ever put anything off. A moment further ahead was written before the database's clock was put back,
and counts as come."""
IN_NO_HANDS = f"(lease_until is null or lease_until not between now() and now() + {FAR})"
"""Of an undecided email: no dispatcher holds it to ask about it. A lease further ahead than `FAR` counts as over."""
FOLLOWED_SECONDS = 7 * 86_400
"""How long a relayed request is followed at most, however far its deadline."""


def day_of(moment: str) -> str:
    """The beginning of a moment's day (UTC) in unix seconds, by which `quota` counts days."""
    return f"cast(floor(extract(epoch from {moment}) / 86400) * 86400 as bigint)"


def span(**parts: float) -> ColumnElement[timedelta]:
    """A time to add to a moment or take from it; `parts` as of `timedelta`. Its type stands in the statement."""
    return cast(timedelta(**parts), Interval)


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
    _now("first_seen"),  # no release reads these two: to be dropped once none is left that writes them
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
Index("watch_paused", watch.c.paused_until, postgresql_where=text("paused_until is not null"))

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
    Index(
        "legacy_auto_renew",
        "chain_id",
        "address",
        postgresql_where=text("auto_renew and legacy_type = 3 and deleted_at is null"),
    ),
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
    Column("updated_block", BigInteger, nullable=False),  # nobody reads it; it needs a default before it may be dropped
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
    Column("name", Text, primary_key=True, comment="`index`, `signals` or `upgrades`"),
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

# -- the relay ------------------------------------------------------------------------------------

Wei = Numeric(78, 0)

relay_wallet = Table(
    "relay_wallet",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("address", Address, primary_key=True),
    Column(
        "next_nonce", BigInteger, nullable=False, comment="the only counter of nonces; its row is locked to take one"
    ),
    Column("stopped", Text, comment="why nothing more is admitted, as a code; null: working"),
    Column("stopped_at", DateTime(timezone=True)),  # no release reads it: to be dropped once none writes it
    comment="Our own wallets: the relayer's and the attestor's",
)

relay_request = Table(
    "relay_request",
    metadata,
    Column("id", Uuid, primary_key=True, comment="random and unguessable: who knows it may follow the request"),
    Column("chain_id", BigInteger, nullable=False),
    Column("wallet", Address, nullable=False, comment="ours, that pays"),
    Column("lane", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False, comment="EIP-712 digest of the authorization"),
    Column("router", Address, nullable=False, comment="the contract called"),
    Column("subject_id", Numeric(78, 0), nullable=False, comment="legacy id or timelock id"),
    Column("signer", Address, nullable=False),
    Column("creator", Address, nullable=False, comment="of the legacy, or the giver: for the cap per creator"),
    Column("nonce", Numeric(78, 0), nullable=False, comment="the signer's sponsorNonce"),
    Column("deadline", BigInteger, nullable=False, comment="of the authorization, unix seconds"),
    Column("state", Text, nullable=False),
    Column("reason", Text, comment="why it ended or waits, as a code"),
    Column("gas_limit", BigInteger, nullable=False),
    Column("key_id", Text, comment="which master key sealed call_data and the attempts' bytes"),
    Column("salt", LargeBinary, comment="HKDF salt; null once the request has ended: shredded"),
    Column("call_data", LargeBinary, comment="AES-256-GCM, since it holds the signature; null once ended"),
    Column("tx_hash", Hash, comment="the newest attempt, or the one mined"),
    Column("block_number", BigInteger),
    _now("created_at"),
    _now("updated_at"),
    CheckConstraint("lane in ('claim','check_in','gift_withdraw','auto_renew')", name="relay_request_lane"),
    CheckConstraint(
        "state in ('queued','waiting_predecessor','deferred_fee','signed','broadcast','mined',"
        "'confirmed','reverted','expired','satisfied_elsewhere','superseded','cancelled_by_user')",
        name="relay_request_state",
    ),
    CheckConstraint("octet_length(digest) = 32", name="relay_request_digest_is_32_bytes"),
    comment="A user's authorization that we relay: one row for each, whatever happens on the wire",
)
_OPEN_REQUEST = "state in ('queued','waiting_predecessor','deferred_fee','signed','broadcast','mined')"
Index("relay_request_once", relay_request.c.chain_id, relay_request.c.digest, unique=True)
Index(
    "relay_request_open",
    relay_request.c.chain_id,
    relay_request.c.wallet,
    relay_request.c.state,
    postgresql_where=text(_OPEN_REQUEST),
)
Index(
    "relay_request_signer",
    relay_request.c.chain_id,
    relay_request.c.router,
    relay_request.c.signer,
    relay_request.c.nonce,
    postgresql_where=text(_OPEN_REQUEST),
)
Index("relay_request_ended", relay_request.c.updated_at)

nonce_slot = Table(
    "nonce_slot",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("wallet", Address, primary_key=True),
    Column("nonce", BigInteger, primary_key=True),
    Column("request_id", Uuid, nullable=False),
    Column("state", Text, nullable=False, server_default="open"),
    Column("gas_limit", BigInteger, nullable=False),
    Column(
        "reserved_wei", Wei, nullable=False, comment="of the caps, until it is settled; the dearest attempt's bound"
    ),
    Column("budget_day", Date, nullable=False, comment="UTC: where the reservation was made"),
    Column("spent_wei", Wei, comment="by the receipt, once final"),
    Column("tx_hash", Hash, comment="the attempt that was mined"),
    Column("block_number", BigInteger),
    Column("block_hash", Hash),
    _now("opened_at"),
    CheckConstraint("state in ('open','mined','final')", name="nonce_slot_state"),
    CheckConstraint("(state = 'final') = (spent_wei is not null)", name="nonce_slot_final_is_settled"),
    comment="A nonce of one of our wallets, taken for one request: never reused, never skipped",
)
Index("nonce_slot_open", nonce_slot.c.chain_id, nonce_slot.c.wallet, postgresql_where=text("state <> 'final'"))
Index("nonce_slot_request", nonce_slot.c.request_id)
# A slot may end without its request: freed for an authorization that lives again, or taken by a stranger.
Index("nonce_slot_one_open", nonce_slot.c.request_id, unique=True, postgresql_where=text("state <> 'final'"))

tx_attempt = Table(
    "tx_attempt",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("tx_hash", Hash, primary_key=True),
    Column("wallet", Address, nullable=False),
    Column("nonce", BigInteger, nullable=False),
    Column(
        "kind", Text, nullable=False, comment="call, or empty: a transfer of nothing to ourselves that frees the slot"
    ),
    Column("max_fee_wei", Wei, nullable=False),
    Column("priority_fee_wei", Wei, nullable=False),
    Column("gas_limit", BigInteger, nullable=False),
    Column("raw", LargeBinary, comment="the signed bytes, AES-256-GCM under the request's key; null once final"),
    _now("stored_at"),
    Column("broadcast_at", DateTime(timezone=True), comment="the last time it was sent; null: never yet"),
    CheckConstraint("kind in ('call','empty')", name="tx_attempt_kind"),
    comment="Signed bytes, stored before they are on the wire",
)
Index("tx_attempt_slot", tx_attempt.c.chain_id, tx_attempt.c.wallet, tx_attempt.c.nonce)

relay_budget = Table(
    "relay_budget",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("wallet", Address, primary_key=True),
    Column("scope", Text, primary_key=True, comment="global, legacy, gift, signer, creator"),
    Column("subject", Text, primary_key=True, comment="an address or an id; empty for global"),
    Column("day", Date, primary_key=True, comment="UTC"),
    Column("requests", Integer, nullable=False, server_default="0"),
    Column("reserved_wei", Wei, nullable=False, server_default="0"),
    Column("spent_wei", Wei, nullable=False, server_default="0"),
    CheckConstraint("requests >= 0 and reserved_wei >= 0 and spent_wei >= 0", name="relay_budget_is_not_negative"),
    comment="What a day's relaying has reserved and spent, against its caps",
)

owner_activity = Table(
    "owner_activity",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("legacy", Address, primary_key=True),
    Column("legacy_id", Numeric(78, 0), nullable=False),
    Column("owner", Address, nullable=False),
    Column(
        "reset_at", BigInteger, nullable=False, comment="the timer's last reset that the baseline is of, unix seconds"
    ),
    Column(
        "baseline", BigInteger, nullable=False, comment="the owner's finalized transaction count first seen after it"
    ),
    Column("nonce_seen", BigInteger, nullable=False, comment="finalized transaction count at the last look"),
    Column("deadline", BigInteger, nullable=False, comment="t1, unix seconds"),
    Column("budget_end", BigInteger, nullable=False, comment="unix seconds; no renewal without a check-in after it"),
    Column(
        "budget_step",
        SmallInteger,
        comment="days before the budget's end: the reminder of it that is to be sent now; null: none",
    ),
    Column("decision", Text, nullable=False),
    Column("reason", Text),
    _now("checked_at"),
    comment="Auto-renew: what was seen of each opted-in owner, and what was decided",
)
Index(
    "owner_activity_budgets",
    owner_activity.c.chain_id,
    owner_activity.c.legacy,
    postgresql_where=text("budget_step is not null"),
)

# -- alerts ---------------------------------------------------------------------------------------

alert_state = Table(
    "alert_state",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="0: not of one chain"),
    Column("kind", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("raised", Boolean, nullable=False),
    Column("changes", Integer, nullable=False, comment="how often it changed: each change is one alert"),
    _now("since"),
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
    Column("chain_id", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("stage", Text, nullable=False, comment="what makes it one alert of its kind and subject"),
    Column("variables", JSONB, nullable=False, comment="public facts for the email; nothing personal"),
    Column("state", Text, nullable=False, server_default="queued"),
    Column("tries", Integer, nullable=False, server_default="0"),
    Column("next_try", DateTime(timezone=True), nullable=False, server_default=func.clock_timestamp()),
    Column("logged_at", DateTime(timezone=True), comment="null: not in the service log yet"),
    Column("message_id", Text),
    _now("created_at"),
    CheckConstraint("state in ('queued','sent','log_only','merged','dead')", name="alert_state_of_delivery"),
    comment="The outbox of alerts to operators",
)
Index("alert_once", alert.c.chain_id, alert.c.kind, alert.c.subject, alert.c.stage, unique=True)
Index("alert_due", alert.c.next_try, postgresql_where=text("state = 'queued' or logged_at is null"))
Index("alert_undelivered", alert.c.state, postgresql_where=text("state in ('queued','dead')"))

# -- gifts ----------------------------------------------------------------------------------------

gift_notification = Table(
    "gift_notification",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("timelock_id", BigInteger, primary_key=True),
    Column("key_id", Text, nullable=False),
    Column("salt", LargeBinary, nullable=False, comment="HKDF salt of this row, new at every write"),
    Column("payload", LargeBinary, nullable=False, comment="AES-256-GCM: email, names and the whole claim link"),
    Column("email_hash", LargeBinary, nullable=False, comment="keyed hash of the normalised email"),
    Column("timing", Text, nullable=False),
    Column("owner", Address, nullable=False, comment="pinned: compared before every send"),
    Column("recipient", Address, nullable=False, comment="pinned"),
    Column("unlock_time", BigInteger, nullable=False, comment="pinned, unix seconds"),
    _now("written_at"),
    CheckConstraint("timing in ('immediate','scheduled','none')", name="gift_notification_timing"),
    CheckConstraint("octet_length(salt) = 32", name="gift_notification_salt_is_32_bytes"),
    comment="Whom a giver wants told of a gift, encrypted; deleted after opening day",
)
Index("gift_notification_unlock", gift_notification.c.chain_id, gift_notification.c.unlock_time)
Index("gift_notification_email_hash", gift_notification.c.email_hash)

gift_write = Table(
    "gift_write",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("timelock_id", BigInteger, primary_key=True),
    Column(
        "deadline", BigInteger, nullable=False, comment="unix seconds, of the last accepted registration or erasure"
    ),
    comment="What a captured older message cannot roll back; survives erasure",
)

gift_ledger = Table(
    "gift_ledger",
    metadata,
    Column("id", Uuid, primary_key=True, comment="random; the Idempotency-Key"),
    Column("email_hash", LargeBinary, nullable=False, comment="keyed hash of the normalised email"),
    Column("chain_id", BigInteger, nullable=False),
    Column("timelock_id", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("state", Text, nullable=False, server_default="queued"),
    Column("reason", Text, comment="why dropped, held or dead, as a code"),
    Column("tries", Integer, nullable=False, server_default="0"),
    Column("rejections", Integer, nullable=False, server_default="0", comment="400, 413, 422; three make it dead"),
    Column("lease_until", DateTime(timezone=True), comment="by the database's clock"),
    Column("lease_token", Uuid),
    Column("next_try", DateTime(timezone=True), nullable=False, server_default=func.clock_timestamp()),
    Column("body", LargeBinary, comment="exact request body, encrypted under the notification's key, while undecided"),
    Column("body_salt", LargeBinary, comment="salt of the notification the body was encrypted under"),
    Column("message_id", Text),
    Column("expires_at", DateTime(timezone=True), nullable=False, comment="90 days after unlock"),
    _now("created_at"),
    Column("claimed_at", DateTime(timezone=True)),
    Column("settled_at", DateTime(timezone=True)),
    CheckConstraint(
        "state in ('queued','claimed','released','sent','unknown','held','dropped','suppressed','dead')",
        name="gift_ledger_state",
    ),
    CheckConstraint(
        "body is null or state in ('claimed','unknown','held')", name="gift_ledger_keeps_a_body_only_while_undecided"
    ),
    comment="One row for each email, gift and kind: at most one email, also after the notification is deleted",
)
Index(
    "gift_ledger_once",
    gift_ledger.c.email_hash,
    gift_ledger.c.chain_id,
    gift_ledger.c.timelock_id,
    gift_ledger.c.kind,
    unique=True,
)
Index("gift_ledger_gift", gift_ledger.c.chain_id, gift_ledger.c.timelock_id)
Index(
    "gift_ledger_due",
    gift_ledger.c.next_try,
    postgresql_where=text("state in ('queued','released','unknown')"),
)
Index("gift_ledger_leases", gift_ledger.c.lease_until, postgresql_where=text("state = 'claimed'"))
Index("gift_ledger_expiry", gift_ledger.c.expires_at)
Index("gift_ledger_shown", gift_ledger.c.state, postgresql_where=text("state in ('unknown','held','dead')"))

gift_wallet = Table(
    "gift_wallet",
    metadata,
    Column("email_hash", LargeBinary, primary_key=True, comment="keyed hash of the normalised email"),
    Column(
        "timestamp_ms",
        BigInteger,
        nullable=False,
        comment="of the creating request: the same bytes are the same activity",
    ),
    Column("sub_organization_id", Text, comment="the identity provider's; null: not created yet"),
    Column("address_hash", LargeBinary, comment="keyed hash of the wallet's address; null: not asked for since 0003"),
    _now("created_at"),
    comment="Which sub-organization holds the wallet of an email; neither email nor address",
)
Index("gift_wallet_addresses", gift_wallet.c.address_hash)

# -- the upgrade queue ----------------------------------------------------------------------------

upgrade_event = Table(
    "upgrade_event",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("block_number", BigInteger, primary_key=True),
    Column("log_index", Integer, primary_key=True),
    Column("block_hash", Hash, nullable=False),
    Column("block_time", BigInteger, nullable=False),
    Column("tx_hash", Hash, nullable=False),
    Column("sender", Address, comment="who sent the transaction"),
    Column("name", Text, nullable=False, comment="the event's name on chain"),
    Column("operation_id", Hash, comment="the operation it concerns, where there is one"),
    Column("data", JSONB, nullable=False, comment="the decoded fields"),
    comment="What the UpgradeTimelock said, in log order; what is not final is read anew at each look",
)
Index("upgrade_event_operation", upgrade_event.c.chain_id, upgrade_event.c.operation_id)

upgrade_operation = Table(
    "upgrade_operation",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("operation_id", Hash, primary_key=True),
    Column("state", Text, nullable=False),
    Column("calls", JSONB, nullable=False, comment="[{target, value, data}] in their order"),
    Column("predecessor", Hash, comment="the operation that has to be executed first"),
    Column("delay", BigInteger, comment="seconds, as scheduled"),
    Column("ready_at", BigInteger, comment="unix seconds, from getTimestamp: when it may be executed"),
    Column("scheduled_by", Address, comment="who sent the transaction"),
    Column("scheduled_at", BigInteger, comment="unix seconds"),
    Column("scheduled_block", BigInteger, comment="null: it was never seen scheduled"),
    Column("scheduled_tx", Hash),
    Column("changed_block", BigInteger, nullable=False),
    Column("final", Boolean, nullable=False, comment="its last change is in a final block"),
    _now("seen_at"),
    CheckConstraint("state in ('pending','ready','executed','cancelled','gone')", name="upgrade_operation_state"),
    comment="Operations of the UpgradeTimelock, folded from upgrade_event; `gone`: a reorganisation took it back",
)
Index(
    "upgrade_operation_open",
    upgrade_operation.c.chain_id,
    postgresql_where=text("state in ('pending','ready')"),
)

# -- prices and statistics ------------------------------------------------------------------------

price = Table(
    "price",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("feed", Address, primary_key=True),
    Column("round_id", Numeric(30, 0), primary_key=True),
    Column("answer", Numeric(78, 0), nullable=False, comment="US dollars, in units of 10^-decimals"),
    Column("decimals", SmallInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False, comment="unix seconds, by the feed"),
    _now("read_at"),
    Column("denied_since", BigInteger, comment="unix seconds: the first look after it whose answer was not believed"),
    CheckConstraint("answer > 0", name="price_is_positive"),
    comment="Every sane round of every price feed that was seen",
)
Index("price_at", price.c.chain_id, price.c.feed, price.c.updated_at)

price_feed = Table(
    "price_feed",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("token", Address, primary_key=True, comment="an address, or ETH"),
    Column("feed", Address, nullable=False, comment="two tokens may share one"),
    Column("heartbeat_seconds", Integer, comment="of the feed; null: not asked since 0004"),
    Column("symbol", Text, comment="of the token; null: none that may be shown"),
    Column("verdict", Text, nullable=False, comment="of the last answer: good, stale, or what was wrong with it"),
    Column("round_id", Numeric(30, 0), comment="of the last good answer"),
    Column("block_number", BigInteger, nullable=False, comment="at which it was asked"),
    Column("block_time", BigInteger, nullable=False, comment="unix seconds"),
    _now("asked_at"),
    comment="How the price feed of each token answered last",
)

price_feed_before = Table(
    "price_feed_before",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("token", Address, primary_key=True, comment="an address, or ETH"),
    Column("until", BigInteger, primary_key=True, comment="unix seconds: of the block another feed was first asked at"),
    Column("feed", Address, nullable=False),
    Column("heartbeat_seconds", Integer, comment="as it was then; null: not known"),
    comment="Feeds that were exchanged: prices of moments before are theirs",
)

statistics = Table(
    "statistics",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("hour", DateTime(timezone=True), primary_key=True, comment="the hour (UTC) the snapshot is of"),
    Column("block_number", BigInteger, nullable=False, comment="everything was read at this block"),
    Column("block_hash", Hash, comment="is it no longer on the chain, the snapshot is taken anew"),
    Column("block_time", BigInteger, nullable=False, comment="unix seconds"),
    Column("counts", JSONB, nullable=False, comment="{legacies: {...}, timelocks: {...}}"),
    Column("tokens", JSONB, nullable=False, comment="[{token, symbol, decimals, amount, usd}], base units as strings"),
    Column("value_secured_usd", Numeric(38, 2), comment="of tokens with a feed; null: one has no fresh price"),
    _now("taken_at"),
    comment="Hourly aggregates of each chain: no address of a user, nothing per user",
)
