-- The first schema: every table as its room declares it in `tables.py`.

create table worker.alert (
    id uuid not null,
    chain_id bigint not null,
    kind text not null,
    subject text not null,
    stage text not null,
    variables jsonb not null,
    state text default 'queued' not null,
    tries integer default '0' not null,
    next_try timestamp with time zone default clock_timestamp() not null,
    logged_at timestamp with time zone,
    message_id text,
    created_at timestamp with time zone default clock_timestamp() not null,
    primary key (id),
    constraint alert_state_of_delivery check (state in ('queued','sent','log_only','merged','dead'))
);
create index alert_due on worker.alert (next_try) where state = 'queued' or logged_at is null;
create unique index alert_once on worker.alert (chain_id, kind, subject, stage);
create index alert_undelivered on worker.alert (state) where state in ('queued','dead');
comment on table worker.alert is 'The outbox of alerts to operators';
comment on column worker.alert.id is 'random; the Idempotency-Key';
comment on column worker.alert.stage is 'what makes it one alert of its kind and subject';
comment on column worker.alert.variables is 'public facts for the email; nothing personal';
comment on column worker.alert.logged_at is 'null: not in the service log yet';

create table worker.alert_state (
    chain_id bigint not null,
    kind text not null,
    subject text not null,
    raised boolean not null,
    changes integer not null,
    since timestamp with time zone default clock_timestamp() not null,
    turning_since timestamp with time zone,
    primary key (chain_id, kind, subject)
);
comment on table worker.alert_state is 'What is wrong at the moment, so that only a change is told';
comment on column worker.alert_state.chain_id is '0: not of one chain';
comment on column worker.alert_state.changes is 'how often it changed: each change is one alert';
comment on column worker.alert_state.turning_since is 'since when the watchdog sees otherwise than was told; null: as told';

create table worker.chain_event (
    chain_id bigint not null,
    block_number bigint not null,
    log_index integer not null,
    block_hash varchar(66) not null,
    block_time bigint not null,
    tx_hash varchar(66) not null,
    contract varchar(42) not null,
    name text not null,
    legacy varchar(42),
    creator varchar(42),
    timelock_id bigint,
    data jsonb not null,
    primary key (chain_id, block_number, log_index)
);
create index chain_event_creator on worker.chain_event (chain_id, creator, block_number);
create index chain_event_legacy on worker.chain_event (chain_id, legacy, block_number);
create index chain_event_of_none on worker.chain_event (chain_id, contract, block_number)
    where legacy is null and creator is null and timelock_id is null;
create index chain_event_timelock on worker.chain_event (chain_id, timelock_id);
comment on table worker.chain_event is 'What the chain said, in log order; the tables below are folded from it';
comment on column worker.chain_event.name is 'the event''s name on chain';
comment on column worker.chain_event.legacy is 'the legacy it concerns, where there is one';
comment on column worker.chain_event.creator is 'the user it concerns, where there is one';
comment on column worker.chain_event.timelock_id is 'the timelock it concerns, where there is one';
comment on column worker.chain_event.data is 'the decoded fields the service uses; never a name, a note or a nickname';

create table worker.due_window (
    chain_id bigint not null,
    legacy varchar(42) not null,
    "window" smallint not null,
    deadline bigint not null,
    block_number bigint not null,
    state text default 'open' not null,
    planned_at timestamp with time zone,
    primary key (chain_id, legacy, "window", deadline),
    constraint due_window_state check (state in ('open','closed','too_old'))
);
create index due_window_to_plan on worker.due_window (chain_id, legacy) where state = 'open' and planned_at is null;
comment on table worker.due_window is 'Reminder windows that were open on chain';
comment on column worker.due_window."window" is '1..6 as PremiumReminderView numbers them';
comment on column worker.due_window.deadline is 't1, t2 or t3, unix seconds';
comment on column worker.due_window.block_number is 'where it was first read';
comment on column worker.due_window.planned_at is 'when its ledger entries were made; null: still to do';

create table worker.gift_ledger (
    id uuid not null,
    email_hash bytea not null,
    chain_id bigint not null,
    timelock_id bigint not null,
    kind text not null,
    state text default 'queued' not null,
    reason text,
    tries integer default '0' not null,
    rejections integer default '0' not null,
    lease_until timestamp with time zone,
    lease_token uuid,
    next_try timestamp with time zone default clock_timestamp() not null,
    body bytea,
    body_salt bytea,
    message_id text,
    expires_at timestamp with time zone not null,
    created_at timestamp with time zone default clock_timestamp() not null,
    claimed_at timestamp with time zone,
    settled_at timestamp with time zone,
    primary key (id),
    constraint gift_ledger_state check (state in ('queued','claimed','released','sent','unknown','held','dropped','suppressed','dead')),
    constraint gift_ledger_keeps_a_body_only_while_undecided check (body is null or state in ('claimed','unknown','held'))
);
create index gift_ledger_due on worker.gift_ledger (next_try) where state in ('queued','released','unknown');
create index gift_ledger_expiry on worker.gift_ledger (expires_at);
create index gift_ledger_gift on worker.gift_ledger (chain_id, timelock_id);
create index gift_ledger_leases on worker.gift_ledger (lease_until) where state = 'claimed';
create unique index gift_ledger_once on worker.gift_ledger (email_hash, chain_id, timelock_id, kind);
create index gift_ledger_shown on worker.gift_ledger (state) where state in ('unknown','held','dead');
comment on table worker.gift_ledger is 'One row for each email, gift and kind: at most one email, also after the notification is deleted';
comment on column worker.gift_ledger.id is 'random; the Idempotency-Key';
comment on column worker.gift_ledger.email_hash is 'keyed hash of the normalised email';
comment on column worker.gift_ledger.reason is 'why dropped, held or dead, as a code';
comment on column worker.gift_ledger.rejections is '400, 413, 422; three make it dead';
comment on column worker.gift_ledger.lease_until is 'by the database''s clock';
comment on column worker.gift_ledger.body is 'exact request body, encrypted under the notification''s key, while undecided';
comment on column worker.gift_ledger.body_salt is 'salt of the notification the body was encrypted under';
comment on column worker.gift_ledger.expires_at is '90 days after unlock';

create table worker.gift_notification (
    chain_id bigint not null,
    timelock_id bigint not null,
    key_id text not null,
    salt bytea not null,
    payload bytea not null,
    email_hash bytea not null,
    timing text not null,
    owner varchar(42) not null,
    recipient varchar(42) not null,
    unlock_time bigint not null,
    written_at timestamp with time zone default clock_timestamp() not null,
    primary key (chain_id, timelock_id),
    constraint gift_notification_timing check (timing in ('immediate','scheduled','none')),
    constraint gift_notification_salt_is_32_bytes check (octet_length(salt) = 32)
);
create index gift_notification_email_hash on worker.gift_notification (email_hash);
create index gift_notification_unlock on worker.gift_notification (chain_id, unlock_time);
comment on table worker.gift_notification is 'Whom a giver wants told of a gift, encrypted; deleted after opening day';
comment on column worker.gift_notification.salt is 'HKDF salt of this row, new at every write';
comment on column worker.gift_notification.payload is 'AES-256-GCM: email, names and the whole claim link';
comment on column worker.gift_notification.email_hash is 'keyed hash of the normalised email';
comment on column worker.gift_notification.owner is 'pinned: compared before every send';
comment on column worker.gift_notification.recipient is 'pinned';
comment on column worker.gift_notification.unlock_time is 'pinned, unix seconds';

create table worker.gift_wallet (
    email_hash bytea not null,
    timestamp_ms bigint not null,
    sub_organization_id text,
    address_hash bytea,
    created_at timestamp with time zone default clock_timestamp() not null,
    primary key (email_hash)
);
create index gift_wallet_addresses on worker.gift_wallet (address_hash);
comment on table worker.gift_wallet is 'Which sub-organization holds the wallet of an email; neither email nor address';
comment on column worker.gift_wallet.email_hash is 'keyed hash of the normalised email';
comment on column worker.gift_wallet.timestamp_ms is 'of the creating request: the same bytes are the same activity';
comment on column worker.gift_wallet.sub_organization_id is 'the identity provider''s; null: not created yet';
comment on column worker.gift_wallet.address_hash is 'keyed hash of the wallet''s address; null: not asked for yet';

create table worker.gift_write (
    chain_id bigint not null,
    timelock_id bigint not null,
    deadline bigint not null,
    primary key (chain_id, timelock_id)
);
comment on table worker.gift_write is 'What a captured older message cannot roll back; survives erasure';
comment on column worker.gift_write.deadline is 'unix seconds, of the last accepted registration or erasure';

create table worker.index_cursor (
    chain_id bigint not null,
    name text not null,
    block_number bigint not null,
    block_hash varchar(66) not null,
    source text,
    moved_at timestamp with time zone default clock_timestamp() not null,
    primary key (chain_id, name)
);
comment on table worker.index_cursor is 'How far each reader got; moves in the transaction of the rows';
comment on column worker.index_cursor.name is '`index`, `signals` or `upgrades`';
comment on column worker.index_cursor.source is 'who answered last: subgraph or chain_index';

create table worker.installation (
    name text not null,
    value text not null,
    primary key (name)
);
comment on table worker.installation is 'Check values of keys, chains and contract addresses; a start with others is refused';
comment on column worker.installation.name is 'what the check value is of: a key''s id, a chain''s contracts';

create table worker.legacy (
    chain_id bigint not null,
    address varchar(42) not null,
    router varchar(42) not null,
    legacy_id bigint not null,
    legacy_type smallint not null,
    creator varchar(42) not null,
    owner varchar(42) not null,
    created_block bigint not null,
    created_at bigint not null,
    activated_at bigint,
    deleted_at bigint,
    auto_renew boolean default 'false' not null,
    primary key (chain_id, address)
);
create index legacy_auto_renew on worker.legacy (chain_id, address) where auto_renew and legacy_type = 3 and deleted_at is null;
create index legacy_by_creator on worker.legacy (chain_id, creator);
create unique index legacy_by_id on worker.legacy (chain_id, router, legacy_id);
comment on table worker.legacy is 'Legacies of the configured routers, folded from chain_event';

create table worker.legacy_write (
    chain_id bigint not null,
    legacy varchar(42) not null,
    deadline bigint not null,
    primary key (chain_id, legacy)
);
comment on table worker.legacy_write is 'What a captured older message cannot roll back; survives erasure';
comment on column worker.legacy_write.deadline is 'unix seconds, of the last accepted ingest or erase';

create table worker.nonce_slot (
    chain_id bigint not null,
    wallet varchar(42) not null,
    nonce bigint not null,
    request_id uuid not null,
    state text default 'open' not null,
    gas_limit bigint not null,
    reserved_wei numeric(78, 0) not null,
    budget_day date not null,
    spent_wei numeric(78, 0),
    tx_hash varchar(66),
    block_number bigint,
    block_hash varchar(66),
    opened_at timestamp with time zone default clock_timestamp() not null,
    primary key (chain_id, wallet, nonce),
    constraint nonce_slot_state check (state in ('open','mined','final')),
    constraint nonce_slot_final_is_settled check ((state = 'final') = (spent_wei is not null))
);
create unique index nonce_slot_one_open on worker.nonce_slot (request_id) where state <> 'final';
create index nonce_slot_open on worker.nonce_slot (chain_id, wallet) where state <> 'final';
create index nonce_slot_request on worker.nonce_slot (request_id);
comment on table worker.nonce_slot is 'A nonce of one of our wallets, taken for one request: never reused, never skipped';
comment on column worker.nonce_slot.reserved_wei is 'of the caps, until it is settled; the dearest attempt''s bound';
comment on column worker.nonce_slot.budget_day is 'UTC: where the reservation was made';
comment on column worker.nonce_slot.spent_wei is 'by the receipt, once final';
comment on column worker.nonce_slot.tx_hash is 'the attempt that was mined';

create table worker.notify_signal (
    chain_id bigint not null,
    tx_hash varchar(66) not null,
    legacy varchar(42) not null,
    kind smallint not null,
    layer smallint not null,
    creator varchar(42) not null,
    block_number bigint not null,
    block_time bigint not null,
    amounts jsonb,
    state text default 'new' not null,
    reason text,
    next_try timestamp with time zone default clock_timestamp() not null,
    tries integer default '0' not null,
    seen_at timestamp with time zone default clock_timestamp() not null,
    primary key (chain_id, tx_hash, legacy, kind, layer),
    constraint notify_signal_state check (state in ('new','planned','too_old','refused'))
);
create index notify_signal_legacy on worker.notify_signal (chain_id, legacy);
create index notify_signal_open on worker.notify_signal (next_try) where state = 'new';
comment on table worker.notify_signal is 'Notify signals seen on chain; the transaction is the identity, so a reorganisation repeats nothing';
comment on column worker.notify_signal.kind is '0 owner reset, 1 multisig activation, 2 transfer activation';
comment on column worker.notify_signal.amounts is '{recipient: [[token, base units as a string], ...]} of a transfer activation';

create table worker.owner_activity (
    chain_id bigint not null,
    legacy varchar(42) not null,
    legacy_id numeric(78, 0) not null,
    owner varchar(42) not null,
    reset_at bigint not null,
    baseline bigint not null,
    nonce_seen bigint not null,
    deadline bigint not null,
    budget_end bigint not null,
    budget_step smallint,
    decision text not null,
    reason text,
    checked_at timestamp with time zone default clock_timestamp() not null,
    primary key (chain_id, legacy)
);
create index owner_activity_budgets on worker.owner_activity (chain_id, legacy) where budget_step is not null;
comment on table worker.owner_activity is 'Auto-renew: what was seen of each opted-in owner, and what was decided';
comment on column worker.owner_activity.reset_at is 'the timer''s last reset that the baseline is of, unix seconds';
comment on column worker.owner_activity.baseline is 'the owner''s finalized transaction count first seen after it';
comment on column worker.owner_activity.nonce_seen is 'finalized transaction count at the last look';
comment on column worker.owner_activity.deadline is 't1, unix seconds';
comment on column worker.owner_activity.budget_end is 'unix seconds; no renewal without a check-in after it';
comment on column worker.owner_activity.budget_step is 'days before the budget''s end: the reminder of it that is to be sent now; null: none';

create table worker.pass_state (
    name text not null,
    chain_id bigint default '0' not null,
    checked_at timestamp with time zone,
    succeeded_at timestamp with time zone,
    failed_at timestamp with time zone,
    error text,
    detail jsonb,
    endpoints jsonb,
    primary key (name, chain_id)
);
comment on table worker.pass_state is 'When each pass last looked, succeeded and failed';
comment on column worker.pass_state.chain_id is '0: not of one chain';
comment on column worker.pass_state.error is 'the class of the last error, never its content';
comment on column worker.pass_state.detail is 'counts, ages and block numbers for operators';
comment on column worker.pass_state.endpoints is 'the chain''s RPC endpoints as the process that looked last sees them';

create table worker.price (
    chain_id bigint not null,
    feed varchar(42) not null,
    round_id numeric(30, 0) not null,
    answer numeric(78, 0) not null,
    decimals smallint not null,
    updated_at bigint not null,
    read_at timestamp with time zone default clock_timestamp() not null,
    denied_since bigint,
    primary key (chain_id, feed, round_id),
    constraint price_is_positive check (answer > 0)
);
create index price_at on worker.price (chain_id, feed, updated_at);
comment on table worker.price is 'Every sane round of every price feed that was seen';
comment on column worker.price.answer is 'US dollars, in units of 10^-decimals';
comment on column worker.price.updated_at is 'unix seconds, by the feed';
comment on column worker.price.denied_since is 'unix seconds: the first look after it whose answer was not believed';

create table worker.price_feed (
    chain_id bigint not null,
    token varchar(42) not null,
    feed varchar(42) not null,
    symbol text,
    verdict text not null,
    round_id numeric(30, 0),
    block_number bigint not null,
    block_time bigint not null,
    asked_at timestamp with time zone default clock_timestamp() not null,
    primary key (chain_id, token)
);
comment on table worker.price_feed is 'How the price feed of each token answered last';
comment on column worker.price_feed.token is 'an address, or ETH';
comment on column worker.price_feed.feed is 'two tokens may share one';
comment on column worker.price_feed.symbol is 'of the token; null: none that may be shown';
comment on column worker.price_feed.verdict is 'of the last answer: good, stale, or what was wrong with it';
comment on column worker.price_feed.round_id is 'of the last good answer';
comment on column worker.price_feed.block_number is 'at which it was asked';
comment on column worker.price_feed.block_time is 'unix seconds';

create table worker.quota (
    scope text not null,
    subject text not null,
    "window" bigint not null,
    used bigint not null,
    ends_at bigint not null,
    primary key (scope, subject, "window")
);
comment on table worker.quota is 'Caps, cooldowns and rate limits: one atomic counter';
comment on column worker.quota.subject is 'an address or a keyed hash, never an email';
comment on column worker.quota."window" is 'unix seconds at which the window began';
comment on column worker.quota.ends_at is 'unix seconds; the row is pruned after it';

create table worker.recipient (
    chain_id bigint not null,
    legacy varchar(42) not null,
    recipient varchar(42) not null,
    role text not null,
    key_id text not null,
    salt bytea not null,
    email bytea not null,
    name bytea not null,
    email_hash bytea not null,
    written_at timestamp with time zone default clock_timestamp() not null,
    primary key (chain_id, legacy, recipient),
    constraint recipient_salt_is_32_bytes check (octet_length(salt) = 32),
    constraint recipient_addresses_are_lower check (legacy = lower(legacy) and recipient = lower(recipient))
);
create index recipient_email_hash on worker.recipient (email_hash);
comment on table worker.recipient is 'Whom the creator of a legacy wants reminded, encrypted per row; deleting a row shreds it';
comment on column worker.recipient.role is 'as stored by the creator; it only words the email';
comment on column worker.recipient.key_id is 'which master key';
comment on column worker.recipient.salt is 'HKDF salt of this row, new at every write';
comment on column worker.recipient.email is 'AES-256-GCM: nonce and ciphertext';
comment on column worker.recipient.name is 'AES-256-GCM: nonce and ciphertext';
comment on column worker.recipient.email_hash is 'keyed hash of the normalised email';

create table worker.relay_budget (
    chain_id bigint not null,
    wallet varchar(42) not null,
    scope text not null,
    subject text not null,
    day date not null,
    requests integer default '0' not null,
    reserved_wei numeric(78, 0) default '0' not null,
    spent_wei numeric(78, 0) default '0' not null,
    primary key (chain_id, wallet, scope, subject, day),
    constraint relay_budget_is_not_negative check (requests >= 0 and reserved_wei >= 0 and spent_wei >= 0)
);
comment on table worker.relay_budget is 'What a day''s relaying has reserved and spent, against its caps';
comment on column worker.relay_budget.scope is 'global, legacy, gift, signer, creator';
comment on column worker.relay_budget.subject is 'an address or an id; empty for global';
comment on column worker.relay_budget.day is 'UTC';

create table worker.relay_request (
    id uuid not null,
    chain_id bigint not null,
    wallet varchar(42) not null,
    lane text not null,
    digest bytea not null,
    router varchar(42) not null,
    subject_id numeric(78, 0) not null,
    signer varchar(42) not null,
    creator varchar(42) not null,
    nonce numeric(78, 0) not null,
    deadline bigint not null,
    state text not null,
    reason text,
    gas_limit bigint not null,
    key_id text,
    salt bytea,
    call_data bytea,
    tx_hash varchar(66),
    block_number bigint,
    created_at timestamp with time zone default clock_timestamp() not null,
    updated_at timestamp with time zone default clock_timestamp() not null,
    primary key (id),
    constraint relay_request_lane check (lane in ('claim','check_in','gift_withdraw','auto_renew')),
    constraint relay_request_state check (state in ('queued','waiting_predecessor','deferred_fee','signed','broadcast','mined','confirmed','reverted','expired','satisfied_elsewhere','superseded','cancelled_by_user')),
    constraint relay_request_digest_is_32_bytes check (octet_length(digest) = 32)
);
create index relay_request_ended on worker.relay_request (updated_at);
create unique index relay_request_once on worker.relay_request (chain_id, digest);
create index relay_request_open on worker.relay_request (chain_id, wallet, state) where state in ('queued','waiting_predecessor','deferred_fee','signed','broadcast','mined');
create index relay_request_signer on worker.relay_request (chain_id, router, signer, nonce) where state in ('queued','waiting_predecessor','deferred_fee','signed','broadcast','mined');
comment on table worker.relay_request is 'A user''s authorization that we relay: one row for each, whatever happens on the wire';
comment on column worker.relay_request.id is 'random and unguessable: who knows it may follow the request';
comment on column worker.relay_request.wallet is 'ours, that pays';
comment on column worker.relay_request.digest is 'EIP-712 digest of the authorization';
comment on column worker.relay_request.router is 'the contract called';
comment on column worker.relay_request.subject_id is 'legacy id or timelock id';
comment on column worker.relay_request.creator is 'of the legacy, or the giver: for the cap per creator';
comment on column worker.relay_request.nonce is 'the signer''s sponsorNonce';
comment on column worker.relay_request.deadline is 'of the authorization, unix seconds';
comment on column worker.relay_request.reason is 'why it ended or waits, as a code';
comment on column worker.relay_request.key_id is 'which master key sealed call_data and the attempts'' bytes';
comment on column worker.relay_request.salt is 'HKDF salt; null once the request has ended: shredded';
comment on column worker.relay_request.call_data is 'AES-256-GCM, since it holds the signature; null once ended';
comment on column worker.relay_request.tx_hash is 'the newest attempt, or the one mined';

create table worker.relay_wallet (
    chain_id bigint not null,
    address varchar(42) not null,
    next_nonce bigint not null,
    stopped text,
    stopped_at timestamp with time zone,
    primary key (chain_id, address)
);
comment on table worker.relay_wallet is 'Our own wallets: the relayer''s and the attestor''s';
comment on column worker.relay_wallet.next_nonce is 'the only counter of nonces; its row is locked to take one';
comment on column worker.relay_wallet.stopped is 'why nothing more is admitted, as a code; null: working';

create table worker.reminder_config (
    chain_id bigint not null,
    legacy varchar(42) not null,
    creator varchar(42) not null,
    cosigners varchar(42)[] not null,
    beneficiaries varchar(42)[] not null,
    second_line varchar(42),
    third_line varchar(42),
    updated_block bigint not null,
    primary key (chain_id, legacy)
);
comment on table worker.reminder_config is 'Who is configured to be notified, folded in log order from PremiumSetting''s events';

create table worker.sent_ledger (
    id uuid not null,
    chain_id bigint not null,
    legacy varchar(42) not null,
    recipient varchar(42) not null,
    kind text not null,
    event text not null,
    role text not null,
    state text default 'queued' not null,
    reason text,
    tries integer default '0' not null,
    rejections integer default '0' not null,
    lease_until timestamp with time zone,
    lease_token uuid,
    next_try timestamp with time zone default clock_timestamp() not null,
    body bytea,
    body_salt bytea,
    message_id text,
    merged_into uuid,
    created_at timestamp with time zone default clock_timestamp() not null,
    claimed_at timestamp with time zone,
    settled_at timestamp with time zone,
    primary key (id),
    constraint sent_ledger_state check (state in ('queued','claimed','released','sent','unknown','held','dropped','suppressed','dead')),
    constraint sent_ledger_keeps_a_body_only_while_undecided check (body is null or state in ('claimed','unknown','held')),
    constraint sent_ledger_sent_has_a_message_id check ((state = 'sent') = (message_id is not null))
);
create index sent_ledger_due on worker.sent_ledger (next_try, chain_id, legacy) where state in ('queued','released','unknown');
create index sent_ledger_leases on worker.sent_ledger (lease_until) where state = 'claimed';
create index sent_ledger_merged on worker.sent_ledger (merged_into) where merged_into is not null;
create unique index sent_ledger_once on worker.sent_ledger (chain_id, legacy, recipient, kind, event);
create index sent_ledger_settled on worker.sent_ledger (settled_at);
create index sent_ledger_shown on worker.sent_ledger (state) where state in ('unknown','held','dead');
comment on table worker.sent_ledger is 'One row for each (legacy, recipient, event): at most one email';
comment on column worker.sent_ledger.id is 'random; the Idempotency-Key';
comment on column worker.sent_ledger.event is 'what makes it one event, all public';
comment on column worker.sent_ledger.role is 'by the chain';
comment on column worker.sent_ledger.reason is 'why dropped, held or dead, as a code';
comment on column worker.sent_ledger.rejections is '400, 413, 422; three make it dead';
comment on column worker.sent_ledger.lease_until is 'by the database''s clock';
comment on column worker.sent_ledger.lease_token is 'which dispatcher holds it';
comment on column worker.sent_ledger.body is 'exact request body, encrypted under the recipient row''s key, while undecided';
comment on column worker.sent_ledger.body_salt is 'salt of the recipient row the body was encrypted under';
comment on column worker.sent_ledger.message_id is 'the mail service''s';
comment on column worker.sent_ledger.merged_into is 'the later entry whose email speaks of this one too';
comment on column worker.sent_ledger.claimed_at is 'when its body was stored to be posted; null while it is certain that nothing was posted';

create table worker.statistics (
    chain_id bigint not null,
    hour timestamp with time zone not null,
    block_number bigint not null,
    block_hash varchar(66),
    block_time bigint not null,
    counts jsonb not null,
    tokens jsonb not null,
    value_secured_usd numeric(38, 2),
    taken_at timestamp with time zone default clock_timestamp() not null,
    primary key (chain_id, hour)
);
comment on table worker.statistics is 'Hourly aggregates of each chain: no address of a user, nothing per user';
comment on column worker.statistics.hour is 'the hour (UTC) the snapshot is of';
comment on column worker.statistics.block_number is 'everything was read at this block';
comment on column worker.statistics.block_hash is 'is it no longer on the chain, the snapshot is taken anew';
comment on column worker.statistics.block_time is 'unix seconds';
comment on column worker.statistics.counts is '{legacies: {...}, timelocks: {...}}';
comment on column worker.statistics.tokens is '[{token, symbol, decimals, amount, usd}], base units as strings';
comment on column worker.statistics.value_secured_usd is 'of tokens with a feed; null: one has no fresh price';

create table worker.suppression (
    email_hash bytea not null,
    since timestamp with time zone default clock_timestamp() not null,
    primary key (email_hash)
);
comment on table worker.suppression is 'Who asked for no more email';
comment on column worker.suppression.email_hash is 'keyed hash of the normalised email';

create table worker.timelock (
    chain_id bigint not null,
    timelock_id bigint not null,
    lock_type smallint not null,
    owner varchar(42) not null,
    recipient varchar(42) not null,
    unlock_time bigint not null,
    status smallint not null,
    assets jsonb not null,
    created_block bigint not null,
    created_at bigint not null,
    primary key (chain_id, timelock_id)
);
create index timelock_by_recipient on worker.timelock (chain_id, recipient);
comment on table worker.timelock is 'Timelocks of the three vaults, folded from chain_event; no name is ever stored';
comment on column worker.timelock.lock_type is '0 regular, 1 soft, 2 gift';
comment on column worker.timelock.status is '0 null, 1 created, 2 live, 3 ended';
comment on column worker.timelock.assets is '[{vault, token, id, amount}]';

create table worker.tx_attempt (
    chain_id bigint not null,
    tx_hash varchar(66) not null,
    wallet varchar(42) not null,
    nonce bigint not null,
    kind text not null,
    max_fee_wei numeric(78, 0) not null,
    priority_fee_wei numeric(78, 0) not null,
    gas_limit bigint not null,
    raw bytea,
    stored_at timestamp with time zone default clock_timestamp() not null,
    broadcast_at timestamp with time zone,
    primary key (chain_id, tx_hash),
    constraint tx_attempt_kind check (kind in ('call','empty'))
);
create index tx_attempt_slot on worker.tx_attempt (chain_id, wallet, nonce);
comment on table worker.tx_attempt is 'Signed bytes, stored before they are on the wire';
comment on column worker.tx_attempt.kind is 'call, or empty: a transfer of nothing to ourselves that frees the slot';
comment on column worker.tx_attempt.raw is 'the signed bytes, AES-256-GCM under the request''s key; null once final';
comment on column worker.tx_attempt.broadcast_at is 'the last time it was sent; null: never yet';

create table worker.upgrade_event (
    chain_id bigint not null,
    block_number bigint not null,
    log_index integer not null,
    block_hash varchar(66) not null,
    block_time bigint not null,
    tx_hash varchar(66) not null,
    sender varchar(42),
    name text not null,
    operation_id varchar(66),
    data jsonb not null,
    primary key (chain_id, block_number, log_index)
);
create index upgrade_event_operation on worker.upgrade_event (chain_id, operation_id);
comment on table worker.upgrade_event is 'What the UpgradeTimelock said, in log order; what is not final is read anew at each look';
comment on column worker.upgrade_event.sender is 'who sent the transaction';
comment on column worker.upgrade_event.name is 'the event''s name on chain';
comment on column worker.upgrade_event.operation_id is 'the operation it concerns, where there is one';
comment on column worker.upgrade_event.data is 'the decoded fields';

create table worker.upgrade_operation (
    chain_id bigint not null,
    operation_id varchar(66) not null,
    state text not null,
    calls jsonb not null,
    predecessor varchar(66),
    delay bigint,
    ready_at bigint,
    scheduled_by varchar(42),
    scheduled_at bigint,
    scheduled_block bigint,
    scheduled_tx varchar(66),
    changed_block bigint not null,
    final boolean not null,
    seen_at timestamp with time zone default clock_timestamp() not null,
    primary key (chain_id, operation_id),
    constraint upgrade_operation_state check (state in ('pending','ready','executed','cancelled','gone'))
);
create index upgrade_operation_open on worker.upgrade_operation (chain_id) where state in ('pending','ready');
comment on table worker.upgrade_operation is 'Operations of the UpgradeTimelock, folded from upgrade_event; `gone`: a reorganisation took it back';
comment on column worker.upgrade_operation.calls is '[{target, value, data}] in their order';
comment on column worker.upgrade_operation.predecessor is 'the operation that has to be executed first';
comment on column worker.upgrade_operation.delay is 'seconds, as scheduled';
comment on column worker.upgrade_operation.ready_at is 'unix seconds, from getTimestamp: when it may be executed';
comment on column worker.upgrade_operation.scheduled_by is 'who sent the transaction';
comment on column worker.upgrade_operation.scheduled_at is 'unix seconds';
comment on column worker.upgrade_operation.scheduled_block is 'null: it was never seen scheduled';
comment on column worker.upgrade_operation.final is 'its last change is in a final block';

create table worker.used_signature (
    digest bytea not null,
    deadline bigint not null,
    primary key (digest)
);
comment on table worker.used_signature is 'Digests spent, until their deadline';
comment on column worker.used_signature.digest is 'EIP-712 digest';
comment on column worker.used_signature.deadline is 'unix seconds; forgotten after it';

create table worker.watch (
    chain_id bigint not null,
    legacy varchar(42) not null,
    creator varchar(42) not null,
    legacy_type smallint not null,
    next_ask bigint default '0' not null,
    asked_at bigint,
    failures integer default '0' not null,
    paused_until timestamp with time zone,
    membership jsonb,
    membership_block bigint,
    primary key (chain_id, legacy)
);
create index watch_creator on worker.watch (chain_id, creator);
create index watch_next on worker.watch (chain_id, next_ask);
create index watch_paused on worker.watch (paused_until) where paused_until is not null;
comment on table worker.watch is 'Legacies with stored recipients: when to ask the chain about each next';
comment on column worker.watch.legacy_type is '3 EOA, 1 Safe';
comment on column worker.watch.next_ask is 'chain time (unix seconds) of the next look';
comment on column worker.watch.asked_at is 'chain time (unix seconds) of the last answer: no window was missed before it';
comment on column worker.watch.failures is 'how often it reverted in a row';
comment on column worker.watch.paused_until is 'a reverting legacy rests until then';
comment on column worker.watch.membership is 'last members read: {owner, beneficiaries, second_line, third_line}';
