"""The SQL of slots on their way to the end. Times are the database's."""

from sqlalchemy import text

from reminder_worker.database.tables import day_of
from reminder_worker.relay.models import FAILED_ON_CHAIN
from reminder_worker.relay.wallet_statements import OPEN_LIST, WAITING_LIST

_ATTEMPTS = """(
        select count(*) from worker.tx_attempt t
        where t.chain_id = s.chain_id and t.wallet = s.wallet and t.nonce = s.nonce
    )"""
# A failure that is not final is forgotten when the transaction leaves its block.
_EARLIER_REASON = f"nullif(r.reason, '{FAILED_ON_CHAIN}')"
# True of a slot `s` that nobody has moved on since it was read as `a` says.
_AS_READ = f"""
        s.chain_id = :chain_id and s.wallet = :wallet and s.nonce = a.nonce and s.state <> 'final'
          and s.tx_hash is not distinct from a.was_tx and s.block_hash is not distinct from a.was_block
          and a.attempts = {_ATTEMPTS}"""

# There is work also while operators were not yet told that the wallet was stopped, or that it is no longer.
HAS_WORK = text(f"""
    select exists (
        select from worker.relay_wallet w where w.chain_id = :chain_id and w.address = :wallet
          and (w.stopped is not null) <> exists (
            select from worker.alert_state a
            where a.chain_id = w.chain_id and a.kind = 'relayer_stopped' and a.subject = w.address and a.raised
        )
    ) or exists (
        select from worker.relay_request where chain_id = :chain_id and wallet = :wallet and state in {OPEN_LIST}
    ) or exists (
        select from worker.nonce_slot where chain_id = :chain_id and wallet = :wallet and state <> 'final'
    )
""")  # noqa: S608 - constants

_REQUEST = """
    r.id, r.lane, r.digest, r.router, r.subject_id, r.signer, r.nonce as signer_nonce, r.deadline,
    r.state as request_state, r.reason, r.key_id, r.salt,
    cast(extract(epoch from r.created_at) as double precision) as created_at,
    cast(extract(epoch from clock_timestamp() - r.created_at) as double precision) as waited
"""

OLDEST = text(f"""
    select s.nonce, cast(extract(epoch from clock_timestamp() - s.opened_at) as integer) as age, {_ATTEMPTS} as attempts
    from worker.nonce_slot s
    where s.chain_id = :chain_id and s.wallet = :wallet and s.state = 'open'
    order by s.opened_at limit 1
""")  # noqa: S608 - a constant

# Requests that only the price of gas keeps back.
DEFERRED = text("""
    select count(*) as requests,
        coalesce(cast(extract(epoch from clock_timestamp() - min(updated_at)) as integer), 0) as age
    from worker.relay_request
    where chain_id = :chain_id and wallet = :wallet and state = 'deferred_fee' and reason is null
""")

# Requests that wait for the balance. One that the balance pays for even at the ceiling is left out: it waits for
# something else by now, and keeps this reason only until it is tried.
WAITS_FOR_BALANCE = text(f"""
    select exists (
        select from worker.relay_request
        where chain_id = :chain_id and wallet = :wallet and state in {WAITING_LIST} and reason = 'low_balance'
          and gas_limit * cast(:ceiling as numeric) > cast(:balance as numeric)
    )
""")  # noqa: S608 - a constant

SLOTS = text(f"""
    select s.nonce, s.state, s.tx_hash, s.block_number, s.block_hash, s.reserved_wei, {_REQUEST}
    from worker.nonce_slot s join worker.relay_request r on r.id = s.request_id
    where s.chain_id = :chain_id and s.wallet = :wallet and s.state <> 'final'
    order by s.nonce
""")  # noqa: S608 - constants

ATTEMPTS = text("""
    select t.nonce, t.tx_hash, t.kind, t.max_fee_wei, t.priority_fee_wei, t.gas_limit,
        cast(extract(epoch from clock_timestamp() - t.broadcast_at) as double precision) as sent,
        cast(extract(epoch from clock_timestamp() - t.stored_at) as double precision) as age
    from worker.nonce_slot s
    join worker.tx_attempt t on t.chain_id = s.chain_id and t.wallet = s.wallet and t.nonce = s.nonce
    where s.chain_id = :chain_id and s.wallet = :wallet and s.state <> 'final'
    order by t.nonce, t.max_fee_wei, t.stored_at
""")

# Requests without a slot, those that end soonest first.
WAITING = text(f"""
    select {_REQUEST} from worker.relay_request r
    where r.chain_id = :chain_id and r.wallet = :wallet and r.state in {WAITING_LIST}
    order by r.deadline, r.created_at
    limit :limit
""")  # noqa: S608 - constants

STILL = text(f"""
    select s.state, s.tx_hash, s.block_number, s.block_hash, {_ATTEMPTS} as attempts
    from worker.nonce_slot s
    where s.chain_id = :chain_id and s.wallet = :wallet and s.nonce = :nonce and s.state <> 'final'
    for update
""")  # noqa: S608 - a constant

# For all slots that were seen in a block, in one statement: each is changed only where it still is as it was read.
RECORD = text(f"""
    with asked as (
        select * from json_to_recordset(cast(:rows as json)) as a(
            nonce bigint, attempts bigint, was_tx text, was_block text, request_id uuid,
            tx_hash text, block_number bigint, block_hash text,
            request_state text, reason text, request_tx text, request_block bigint
        )
    ), moved as (
        update worker.nonce_slot s
        set state = 'mined', tx_hash = a.tx_hash, block_number = a.block_number, block_hash = a.block_hash
        from asked a
        where {_AS_READ}
        returning s.nonce
    ), told as (
        update worker.relay_request r
        set state = a.request_state, reason = coalesce(a.reason, {_EARLIER_REASON}), tx_hash = a.request_tx,
            block_number = a.request_block, updated_at = clock_timestamp()
        from asked a join moved using (nonce)
        where r.id = a.request_id and r.state in {OPEN_LIST}
    )
    select count(*) from moved
""")  # noqa: S608 - constants

SET_OPEN = text("""
    update worker.nonce_slot set state = 'open', tx_hash = null, block_number = null, block_hash = null
    where chain_id = :chain_id and wallet = :wallet and nonce = :nonce
""")

# For all slots that are final, in one statement: each is changed only where it still is as it was read. The salt is
# deleted with the ciphertexts, so that those in backups cannot be opened either.
FINISH = text(f"""
    with asked as (
        select * from json_to_recordset(cast(:rows as json)) as a(
            nonce bigint, attempts bigint, was_tx text, was_block text, request_id uuid,
            tx_hash text, block_number bigint, block_hash text, spent numeric,
            request_state text, reason text, request_tx text, request_block bigint, pause text
        )
    ), moved as (
        update worker.nonce_slot s
        set state = 'final', spent_wei = a.spent, tx_hash = a.tx_hash, block_number = a.block_number,
            block_hash = a.block_hash
        from asked a
        where {_AS_READ}
        returning s.nonce, s.reserved_wei, s.spent_wei, s.budget_day
    ), shredded as (
        update worker.tx_attempt t set raw = null from moved
        where t.chain_id = :chain_id and t.wallet = :wallet and t.nonce = moved.nonce
    ), ended as (
        update worker.relay_request r
        set state = a.request_state, reason = coalesce(a.reason, {_EARLIER_REASON}), tx_hash = a.request_tx,
            block_number = a.request_block, updated_at = clock_timestamp(),
            call_data = case when a.request_state = 'queued' then r.call_data end,
            salt = case when a.request_state = 'queued' then r.salt end,
            key_id = case when a.request_state = 'queued' then r.key_id end
        from asked a join moved using (nonce)
        where r.id = a.request_id and r.state in {OPEN_LIST}
    ), settled as (
        update worker.relay_budget b
        set reserved_wei = b.reserved_wei - s.reserved, spent_wei = b.spent_wei + s.spent
        from (
            select budget_day, sum(reserved_wei) as reserved, sum(spent_wei) as spent from moved group by budget_day
        ) s
        where b.chain_id = :chain_id and b.wallet = :wallet and b.scope = 'global' and b.subject = ''
          and b.day = s.budget_day
    ), paused as (
        insert into worker.quota (scope, subject, "window", used, ends_at)
        select distinct 'relay_paused', a.pause, day, 1, day + 86400
        from asked a join moved using (nonce)
        cross join (select {day_of("now()")} as day) d
        where a.pause is not null
        on conflict (scope, subject, "window") do nothing
    )
    select nonce from moved
""")  # noqa: S608 - constants

MOVE_REQUEST = text(f"""
    update worker.relay_request r
    set state = :state, reason = {_EARLIER_REASON}, tx_hash = :tx_hash, block_number = null,
        updated_at = clock_timestamp()
    where id = :id and state in {OPEN_LIST}
""")  # noqa: S608 - constants

END_REQUEST = text(f"""
    update worker.relay_request
    set state = :state, tx_hash = null, block_number = null, call_data = null, salt = null, key_id = null,
        updated_at = clock_timestamp()
    where id = :id and state in {WAITING_LIST}
""")  # noqa: S608 - constants

CALL_DATA = text("select call_data from worker.relay_request where id = :id")

SET_HASH = text("update worker.relay_request set tx_hash = :tx_hash, updated_at = clock_timestamp() where id = :id")

RAW = text("""
    select tx_hash, raw from worker.tx_attempt
    where chain_id = :chain_id and tx_hash = any(cast(:tx_hashes as text[]))
""")

# Transactions of ours that did something for the same signer: the nonce of the authorization of each.
OWN = text("""
    select t.tx_hash, r.nonce as signer_nonce
    from worker.tx_attempt t
    join worker.nonce_slot s on s.chain_id = t.chain_id and s.wallet = t.wallet and s.nonce = t.nonce
    join worker.relay_request r on r.id = s.request_id
    where t.chain_id = :chain_id and t.tx_hash = any(cast(:tx_hashes as text[]))
""")
