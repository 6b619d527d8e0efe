"""Tables of the relay: wallets, requests, nonces, signed transactions, budgets."""

from pathlib import Path
from typing import Final

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Date,
    DateTime,
    Index,
    Integer,
    LargeBinary,
    Numeric,
    Table,
    Text,
    Uuid,
    text,
)

from reminder_worker.database.queries import list_words, load_queries
from reminder_worker.database.tables import Address, Hash, metadata, now_column
from reminder_worker.relay.models import OPEN_STATES, REQUEST_STATES, RequestState

FOLLOWED_SECONDS = 7 * 86_400  # a relayed request is followed at most as long, however far its deadline

sql: Final = load_queries(Path(__file__).with_name("queries.sql"), REQUEST_STATES)
"""Statements of `queries.sql`, by name."""

Wei = Numeric(78, 0)

relay_wallet = Table(
    "relay_wallet",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("address", Address, primary_key=True, comment="account of the wallet"),
    Column(
        "next_nonce", BigInteger, nullable=False, comment="the only counter of nonces; its row is locked to take one"
    ),
    Column("stopped", Text, comment="why nothing more is admitted, as a code; null: working"),
    Column("stopped_at", DateTime(timezone=True), comment="no longer read"),  # to be dropped once no release writes it
    comment="Our own wallets: the relayer's and the attestor's",
)

relay_request = Table(
    "relay_request",
    metadata,
    Column("id", Uuid, primary_key=True, comment="random and unguessable: who knows it may follow the request"),
    Column("chain_id", BigInteger, nullable=False, comment="EIP-155 id of the chain"),
    Column("wallet", Address, nullable=False, comment="ours, that pays"),
    Column("lane", Text, nullable=False, comment="claim, check_in, gift_withdraw or auto_renew"),
    Column("digest", LargeBinary, nullable=False, comment="EIP-712 digest of the authorization"),
    Column("router", Address, nullable=False, comment="the contract called"),
    Column("subject_id", Numeric(78, 0), nullable=False, comment="legacy id or timelock id"),
    Column("signer", Address, nullable=False, comment="account that signed the authorization"),
    Column("creator", Address, nullable=False, comment="of the legacy, or the giver: for the cap per creator"),
    Column("nonce", Numeric(78, 0), nullable=False, comment="the signer's sponsorNonce"),
    Column("deadline", BigInteger, nullable=False, comment="of the authorization, unix seconds"),
    Column("state", Text, nullable=False, comment="where the request is; the API's pages of the relay list the states"),
    Column("reason", Text, comment="why it ended or waits, as a code"),
    Column("gas_limit", BigInteger, nullable=False, comment="gas that the transaction may use"),
    Column("key_id", Text, comment="which master key sealed call_data and the attempts' bytes"),
    Column("salt", LargeBinary, comment="HKDF salt; null once the request has ended: shredded"),
    Column("call_data", LargeBinary, comment="AES-256-GCM, since it holds the signature; null once ended"),
    Column("tx_hash", Hash, comment="the newest attempt, or the one mined"),
    Column("block_number", BigInteger, comment="block of the mined transaction"),
    now_column("created_at", "when it was accepted"),
    now_column("updated_at", "when its state last changed"),
    CheckConstraint("lane in ('claim','check_in','gift_withdraw','auto_renew')", name="relay_request_lane"),
    CheckConstraint(f"state in ({list_words(RequestState)})", name="relay_request_state"),
    CheckConstraint("octet_length(digest) = 32", name="relay_request_digest_is_32_bytes"),
    comment="A user's authorization that we relay: one row for each, whatever happens on the wire",
)

_OPEN_REQUEST = f"state in ({list_words(OPEN_STATES)})"

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
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("wallet", Address, primary_key=True, comment="wallet of ours that pays"),
    Column("nonce", BigInteger, primary_key=True, comment="transaction count of the wallet"),
    Column("request_id", Uuid, nullable=False, comment="request that it was taken for"),
    Column(
        "state",
        Text,
        nullable=False,
        server_default="open",
        comment="open, mined, or final (deep enough not to be reorganised)",
    ),
    Column("gas_limit", BigInteger, nullable=False, comment="gas that the transaction may use"),
    Column(
        "reserved_wei", Wei, nullable=False, comment="of the caps, until it is settled; the dearest attempt's bound"
    ),
    Column("budget_day", Date, nullable=False, comment="UTC: where the reservation was made"),
    Column(
        "gas_used",
        BigInteger,
        comment="gas of the mined transaction, by its receipt; null: not final, or of an older release",
    ),
    Column("spent_wei", Wei, comment="wei of the mined transaction, by its receipt; null: not final"),
    Column("tx_hash", Hash, comment="the attempt that was mined"),
    Column("block_number", BigInteger, comment="block of the mined transaction"),
    Column("block_hash", Hash, comment="hash of that block"),
    now_column("opened_at", "when it was taken"),
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
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("tx_hash", Hash, primary_key=True, comment="hash of the signed transaction"),
    Column("wallet", Address, nullable=False, comment="wallet of ours that pays"),
    Column("nonce", BigInteger, nullable=False, comment="transaction count of the wallet"),
    Column(
        "kind", Text, nullable=False, comment="call, or empty: a transfer of nothing to ourselves that frees the slot"
    ),
    Column("max_fee_wei", Wei, nullable=False, comment="highest fee, wei per gas"),
    Column("priority_fee_wei", Wei, nullable=False, comment="highest priority fee, wei per gas"),
    Column("gas_limit", BigInteger, nullable=False, comment="gas that the transaction may use"),
    Column("raw", LargeBinary, comment="the signed bytes, AES-256-GCM under the request's key; null once final"),
    now_column("stored_at", "when it was signed and stored"),
    Column("broadcast_at", DateTime(timezone=True), comment="the last time it was sent; null: never yet"),
    CheckConstraint("kind in ('call','empty')", name="tx_attempt_kind"),
    comment="Signed bytes, stored before they are on the wire",
)

Index("tx_attempt_slot", tx_attempt.c.chain_id, tx_attempt.c.wallet, tx_attempt.c.nonce)

relay_budget = Table(
    "relay_budget",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("wallet", Address, primary_key=True, comment="wallet of ours that pays"),
    Column("scope", Text, primary_key=True, comment="global, legacy, gift, signer, creator"),
    Column("subject", Text, primary_key=True, comment="an address or an id; empty for global"),
    Column("day", Date, primary_key=True, comment="UTC"),
    Column("requests", Integer, nullable=False, server_default="0", comment="requests admitted that day"),
    Column(
        "reserved_wei", Wei, nullable=False, server_default="0", comment="wei that open transactions may still cost"
    ),
    Column("spent_wei", Wei, nullable=False, server_default="0", comment="wei that final transactions cost"),
    CheckConstraint("requests >= 0 and reserved_wei >= 0 and spent_wei >= 0", name="relay_budget_is_not_negative"),
    comment="What a day's relaying has reserved and spent, against its caps",
)
