-- Statements of the relay. Times and days are the database's.
--
-- A transaction that takes a nonce or changes a budget holds the wallet's row. Its later statements have newer
-- snapshots than the lock, so their reads stand until the commit, and plain sums are enough to hold the caps.
--
-- Wei are booked on the budget row of scope `global` alone.

-- name: views
-- Find requests by their ids.
select id, lane, state, reason, tx_hash, block_number, created_at, updated_at
from worker.relay_request
where id = any(cast(:ids as uuid[]));

-- name: find
-- Find a request by the digest of its authorization.
select id, lane, state, reason, tx_hash, block_number, created_at, updated_at
from worker.relay_request
where chain_id = :chain_id and digest = :digest;

-- name: sealed_call
-- Read the encrypted call of a request that has not ended.
select key_id, salt, call_data from worker.relay_request where id = :id and call_data is not null;

-- name: open_nonces
-- List the nonces of a signer's open requests, in order. Requests of a retired wallet are left out: they never end, and
-- their signer may sign the same nonce again.
select nonce from worker.relay_request
where
    chain_id = :chain_id and wallet = :wallet and router = :router and signer = :signer
    and state in ({open_states})
order by nonce;

-- name: rivals
-- List the request of this authorization, and the open requests of its signer with its nonce.
select id, lane, state, reason, tx_hash, block_number, created_at, updated_at, digest = :digest as is_same
from worker.relay_request
where chain_id = :chain_id and (
    digest = :digest
    or wallet = :wallet and router = :router and signer = :signer and nonce = :nonce
    and state in ({open_states})
);

-- name: add_request
-- Store a new request, and count the request in the caps.
with counted as (
    insert into worker.relay_budget as b (chain_id, wallet, scope, subject, day, requests)
    select :chain_id, :wallet, scope, subject, :day, 1
    from unnest(cast(:scopes as text[]), cast(:subjects as text[])) as a (scope, subject)
    on conflict (chain_id, wallet, scope, subject, day) do update set requests = b.requests + 1
)
insert into worker.relay_request (
    id, chain_id, wallet, lane, digest, router, subject_id, signer, creator, nonce, deadline, state, gas_limit,
    key_id, salt, call_data
)
values (
    :id, :chain_id, :wallet, :lane, :digest, :router, :subject_id, :signer, :creator, :nonce, :deadline, :state,
    :gas_limit, :key_id, :salt, :call_data
)
returning id, lane, state, reason, tx_hash, block_number, created_at, updated_at;

-- name: take_nonce
-- Take the wallet's next nonce for a request, reserve its wei, and return the nonce.
with wallet as (
    update worker.relay_wallet set next_nonce = next_nonce + 1
    where chain_id = :chain_id and address = :wallet
    returning next_nonce - 1 as nonce
),
reserved as (
    insert into worker.relay_budget as b (chain_id, wallet, scope, subject, day, reserved_wei)
    values (:chain_id, :wallet, 'global', '', :day, :wei)
    on conflict (chain_id, wallet, scope, subject, day) do update
        set reserved_wei = b.reserved_wei + excluded.reserved_wei
)
insert into worker.nonce_slot (chain_id, wallet, nonce, request_id, gas_limit, reserved_wei, budget_day)
select :chain_id, :wallet, nonce, :request_id, :gas, :wei, :day from wallet
returning nonce;

-- name: start
-- Give a waiting request its turn. No row comes back if it waits no more.
update worker.relay_request set state = 'signed', reason = null, updated_at = clock_timestamp()
where id = :id and state in ({waiting_states})
returning true;

-- name: to_start
-- List waiting requests whose turn has come: all earlier requests of the signer are mined or over. Requests that were
-- passed over come last and in random order: hopeless requests must not block the rest.
select
    id, chain_id, lane, digest, router, subject_id, signer, creator, nonce, deadline, gas_limit,
    key_id, salt, call_data,
    exists (
        select from worker.quota
        where
            scope = 'relay_paused' and subject = r.chain_id || ':' || r.signer
            and ends_at >= extract(epoch from now())
    ) as paused
from worker.relay_request r
where
    chain_id = :chain_id and wallet = :wallet and state in ({waiting_states})
    and (state <> 'waiting_predecessor' or not exists (
        select from worker.relay_request o
        where
            o.chain_id = r.chain_id and o.wallet = r.wallet and o.router = r.router and o.signer = r.signer
            and o.nonce < r.nonce
            and o.state in ({unmined_states})
    ))
order by reason is not null, case when reason is null then created_at end, random()
limit :limit;

-- name: pass_over
-- Store the reason for which a waiting request was passed over.
update worker.relay_request set reason = :reason, updated_at = clock_timestamp()
where id = :id and state in ({waiting_states}) and reason is distinct from :reason;

-- name: defer
-- Mark all queued requests as deferred by the gas price.
update worker.relay_request set state = 'deferred_fee', updated_at = clock_timestamp()
where chain_id = :chain_id and wallet = :wallet and state = 'queued';

-- name: store_attempt
-- Store an attempt as the latest of its slot's request. No row comes back if it may cost more than the slot reserves.
with slot as (
    select chain_id, wallet, nonce, request_id from worker.nonce_slot
    where
        chain_id = :chain_id and wallet = :wallet and nonce = :nonce and state <> 'final'
        and reserved_wei >= cast(:max_fee as numeric) * :gas
),
attempt as (
    insert into worker.tx_attempt (
        chain_id, tx_hash, wallet, nonce, kind, max_fee_wei, priority_fee_wei, gas_limit, raw
    )
    select chain_id, :tx_hash, wallet, nonce, :kind, :max_fee, :priority_fee, :gas, :raw from slot
)
update worker.relay_request r set tx_hash = :tx_hash, updated_at = clock_timestamp()
from slot where r.id = slot.request_id
returning true;

-- name: mark_sent
-- Mark attempts as sent, and requests as broadcast. The statement does not lock the wallet's row, so it must not wait
-- for rows: other transactions may lock rows in another order. A skipped attempt is sent again.
with relaxed as materialized (select set_config('synchronous_commit', 'off', true)),
sent as (
    update worker.tx_attempt set broadcast_at = clock_timestamp() from relaxed
    where
        chain_id = :chain_id and tx_hash = any(array(
            select tx_hash from worker.tx_attempt where chain_id = :chain_id and tx_hash = any(cast(:sent as text[]))
            for no key update skip locked
        ))
    returning tx_hash, wallet, nonce
)
update worker.relay_request set state = 'broadcast', updated_at = clock_timestamp()
where state = 'signed' and id = any(array(
    select r.id
    from sent join worker.nonce_slot s
        on s.chain_id = :chain_id and s.wallet = sent.wallet and s.nonce = sent.nonce and s.state = 'open'
    join worker.relay_request r on r.id = s.request_id
    where sent.tx_hash = any(cast(:taken as text[]))
    for no key update of r skip locked
));

-- name: slot_reservation
-- Lock a slot and read its reservation.
select reserved_wei from worker.nonce_slot
where chain_id = :chain_id and wallet = :wallet and nonce = :nonce and state <> 'final'
for update;

-- name: raise_reservation
-- Raise a slot's reservation and move all of it to today's budget. No row comes back if the budget is too small.
with today as materialized (select cast(clock_timestamp() at time zone 'utc' as date) as day),
slot as materialized (
    select reserved_wei, budget_day from worker.nonce_slot
    where chain_id = :chain_id and wallet = :wallet and nonce = :nonce and state <> 'final'
),
fits as materialized (
    select today.day, budget_day, slot.reserved_wei from today cross join slot
    left join worker.relay_budget b
        on b.chain_id = :chain_id and b.wallet = :wallet
        and b.scope = 'global' and b.subject = '' and b.day = today.day
    where
        coalesce(b.reserved_wei + b.spent_wei, 0) + :wei
        - case when today.day = budget_day then slot.reserved_wei else 0 end <= :daily_wei
),
released as (
    update worker.relay_budget b set reserved_wei = b.reserved_wei - fits.reserved_wei from fits
    where
        b.chain_id = :chain_id and b.wallet = :wallet and b.scope = 'global' and b.subject = ''
        and b.day = fits.budget_day and fits.day <> fits.budget_day
),
reserved as (
    insert into worker.relay_budget as b (chain_id, wallet, scope, subject, day, reserved_wei)
    select
        :chain_id, :wallet, 'global', '', day,
        :wei - case when day = budget_day then reserved_wei else 0 end
    from fits
    on conflict (chain_id, wallet, scope, subject, day) do update
        set reserved_wei = b.reserved_wei + excluded.reserved_wei
)
update worker.nonce_slot s set reserved_wei = :wei, budget_day = fits.day from fits
where s.chain_id = :chain_id and s.wallet = :wallet and s.nonce = :nonce
returning true;

-- name: places
-- Read open requests, each with its place in the queue of its signer and among the nonces of our wallet.
select
    r.id, r.chain_id, r.wallet, r.state, r.reason, r.gas_limit, t.max_fee_wei, t.gas_limit as attempt_gas,
    exists (
        select from worker.relay_request o
        where
            o.chain_id = r.chain_id and o.wallet = r.wallet and o.router = r.router and o.signer = r.signer
            and o.nonce < r.nonce
            and o.state in ({unmined_states})
    ) as behind_its_signers,
    exists (
        select from worker.nonce_slot o
        where o.chain_id = s.chain_id and o.wallet = s.wallet and o.nonce < s.nonce and o.state = 'open'
    ) as behind_ours
from worker.relay_request r
left join worker.nonce_slot s on s.request_id = r.id and s.state = 'open'
left join lateral (
    select max_fee_wei, gas_limit from worker.tx_attempt t
    where t.chain_id = s.chain_id and t.wallet = s.wallet and t.nonce = s.nonce
    order by max_fee_wei desc, stored_at desc limit 1
) t on true
where r.id = any(cast(:ids as uuid[])) and r.state in ({unmined_states});

-- name: budget
-- Read the budget of a wallet today, with the requests counted on these scopes. Under the wallet's lock it stands until
-- the commit.
with
today as materialized (
    select day, cast(extract(epoch from (day + 1) at time zone 'utc' - at) as integer) as seconds_left
    from (select clock_timestamp() as at) t, lateral (select cast(at at time zone 'utc' as date) as day) d
),
slots as materialized (
    select count(*) as open, coalesce(sum(reserved_wei), 0) as owed from worker.nonce_slot
    where chain_id = :chain_id and wallet = :wallet and state = 'open'
)
select
    w.stopped, today.day, today.seconds_left, slots.open, slots.owed,
    coalesce(whole.reserved_wei + whole.spent_wei, 0) as used_wei, coalesce(whole.spent_wei, 0) as spent_wei,
    exists (
        select from worker.relay_request
        where chain_id = :chain_id and wallet = :wallet and state = 'queued' and reason is null
    ) as has_queue,
    coalesce((
        select json_object_agg(b.scope, b.requests)
        from unnest(cast(:scopes as text[]), cast(:subjects as text[])) as a (scope, subject)
        join worker.relay_budget b
            on b.chain_id = :chain_id and b.wallet = :wallet
            and b.scope = a.scope and b.subject = a.subject and b.day = today.day
    ), '{}') as counts
from worker.relay_wallet w cross join today cross join slots
left join worker.relay_budget whole
    on whole.chain_id = :chain_id and whole.wallet = :wallet
    and whole.scope = 'global' and whole.subject = '' and whole.day = today.day
where w.chain_id = :chain_id and w.address = :wallet;

-- name: usual_gas
-- Read the average gas of a wallet's last twenty final calls; null before the first.
select cast(avg(gas_used) as bigint) as gas
from (
    select gas_used from worker.nonce_slot
    where chain_id = :chain_id and wallet = :wallet and gas_used > :empty_gas
    order by nonce desc limit 20
) latest;

-- name: resume
-- Restart a stopped wallet. The next nonce is the higher of the chain's count and the nonce after our last slot. It may
-- fall: a wrong count may have stopped the wallet.
update worker.relay_wallet w set
    stopped = null, next_nonce = greatest(
        cast(:count as bigint),
        (select max(nonce) + 1 from worker.nonce_slot s where s.chain_id = w.chain_id and s.wallet = w.address)
    )
where chain_id = :chain_id and address = :wallet and stopped is not null and next_nonce >= :count
returning true;

-- name: has_work
-- Ask for open requests and slots, and for a stop or restart of the wallet without its alert.
select exists (
    select from worker.relay_wallet w
    where
        w.chain_id = :chain_id and w.address = :wallet
        and (w.stopped is not null) <> exists (
            select from worker.alert_state a
            where a.chain_id = w.chain_id and a.kind = 'relayer_stopped' and a.subject = w.address and a.raised
        )
) or exists (
    select
    from worker.relay_request
    where
        chain_id = :chain_id and wallet = :wallet
        and state in ({open_states})
) or exists (
    select from worker.nonce_slot where chain_id = :chain_id and wallet = :wallet and state <> 'final'
);

-- name: oldest
-- Read the oldest open slot.
select
    s.nonce, cast(extract(epoch from clock_timestamp() - s.opened_at) as integer) as age, (
        select count(*) from worker.tx_attempt t
        where t.chain_id = s.chain_id and t.wallet = s.wallet and t.nonce = s.nonce
    ) as attempts
from worker.nonce_slot s
where s.chain_id = :chain_id and s.wallet = :wallet and s.state = 'open'
order by s.opened_at limit 1;

-- name: deferred
-- Count requests that wait for a lower gas price only.
select
    count(*) as requests,
    coalesce(cast(extract(epoch from clock_timestamp() - min(updated_at)) as integer), 0) as age
from worker.relay_request
where chain_id = :chain_id and wallet = :wallet and state = 'deferred_fee' and reason is null;

-- name: waits_for_balance
-- Ask for requests that wait for the balance. A request that the balance pays for even at the ceiling is left out: its
-- reason is outdated.
select exists (
    select from worker.relay_request
    where
        chain_id = :chain_id and wallet = :wallet and state in ({waiting_states})
        and reason = 'low_balance'
        and gas_limit * cast(:ceiling as numeric) > cast(:balance as numeric)
);

-- name: slots
-- List slots that are not final, with their requests.
select
    s.nonce, s.state, s.tx_hash, s.block_number, s.block_hash, s.reserved_wei,
    r.id, r.lane, r.digest, r.router, r.subject_id, r.signer, r.nonce as signer_nonce, r.deadline,
    r.state as request_state, r.reason, r.key_id, r.salt,
    cast(extract(epoch from r.created_at) as double precision) as created_at,
    cast(extract(epoch from clock_timestamp() - r.created_at) as double precision) as waited
from worker.nonce_slot s join worker.relay_request r on r.id = s.request_id
where s.chain_id = :chain_id and s.wallet = :wallet and s.state <> 'final'
order by s.nonce;

-- name: attempts
-- List the attempts of slots that are not final, the cheapest first.
select
    t.nonce, t.tx_hash, t.kind, t.max_fee_wei, t.priority_fee_wei, t.gas_limit,
    cast(extract(epoch from clock_timestamp() - t.broadcast_at) as double precision) as sent,
    cast(extract(epoch from clock_timestamp() - t.stored_at) as double precision) as age
from worker.nonce_slot s
join worker.tx_attempt t on t.chain_id = s.chain_id and t.wallet = s.wallet and t.nonce = s.nonce
where s.chain_id = :chain_id and s.wallet = :wallet and s.state <> 'final'
order by t.nonce, t.max_fee_wei, t.stored_at;

-- name: waiting
-- List requests without a slot, the nearest deadline first.
select
    r.id, r.lane, r.digest, r.router, r.subject_id, r.signer, r.nonce as signer_nonce, r.deadline,
    r.state as request_state, r.reason, r.key_id, r.salt,
    cast(extract(epoch from r.created_at) as double precision) as created_at,
    cast(extract(epoch from clock_timestamp() - r.created_at) as double precision) as waited
from worker.relay_request r
where r.chain_id = :chain_id and r.wallet = :wallet and r.state in ({waiting_states})
order by r.deadline, r.created_at
limit :limit;

-- name: lock_slot
-- Lock a slot and read its block and its number of attempts.
select
    s.state, s.tx_hash, s.block_number, s.block_hash, (
        select count(*) from worker.tx_attempt t
        where t.chain_id = s.chain_id and t.wallet = s.wallet and t.nonce = s.nonce
    ) as attempts
from worker.nonce_slot s
where s.chain_id = :chain_id and s.wallet = :wallet and s.nonce = :nonce and s.state <> 'final'
for update;

-- name: record
-- Record blocks of slots in one statement. Slots changed since they were read are skipped. A failure that is not final
-- is forgotten when the transaction leaves its block.
with asked as (
    select * from json_to_recordset(cast(:rows as json)) as a (
        nonce bigint, attempts bigint, was_tx text, was_block text, request_id uuid,
        tx_hash text, block_number bigint, block_hash text,
        request_state text, reason text, request_tx text, request_block bigint
    )
), moved as (
    update worker.nonce_slot s
    set state = 'mined', tx_hash = a.tx_hash, block_number = a.block_number, block_hash = a.block_hash
    from asked a
    where
        s.chain_id = :chain_id and s.wallet = :wallet and s.nonce = a.nonce and s.state <> 'final'
        and s.tx_hash is not distinct from a.was_tx and s.block_hash is not distinct from a.was_block
        and a.attempts = (
            select count(*) from worker.tx_attempt t
            where t.chain_id = s.chain_id and t.wallet = s.wallet and t.nonce = s.nonce
        )
    returning s.nonce
), told as (
    update worker.relay_request r
    set
        state = a.request_state, reason = coalesce(a.reason, nullif(r.reason, 'failed_on_chain')),
        tx_hash = a.request_tx,
        block_number = a.request_block, updated_at = clock_timestamp()
    from asked a join moved using (nonce)
    where r.id = a.request_id and r.state in ({open_states})
)
select count(*) from moved;

-- name: set_open
-- Reopen a slot after a reorganisation.
update worker.nonce_slot set state = 'open', tx_hash = null, block_number = null, block_hash = null
where chain_id = :chain_id and wallet = :wallet and nonce = :nonce;

-- name: finish
-- Make slots final in one statement, and settle their budgets. Slots changed since they were read are skipped. The
-- salt is deleted with the ciphertexts, so that copies in backups cannot be opened either.
with asked as (
    select * from json_to_recordset(cast(:rows as json)) as a (
        nonce bigint, attempts bigint, was_tx text, was_block text, request_id uuid,
        tx_hash text, block_number bigint, block_hash text, gas bigint, spent numeric,
        request_state text, reason text, request_tx text, request_block bigint, pause text
    )
), moved as (
    update worker.nonce_slot s
    set
        state = 'final', gas_used = a.gas, spent_wei = a.spent, tx_hash = a.tx_hash, block_number = a.block_number,
        block_hash = a.block_hash
    from asked a
    where
        s.chain_id = :chain_id and s.wallet = :wallet and s.nonce = a.nonce and s.state <> 'final'
        and s.tx_hash is not distinct from a.was_tx and s.block_hash is not distinct from a.was_block
        and a.attempts = (
            select count(*) from worker.tx_attempt t
            where t.chain_id = s.chain_id and t.wallet = s.wallet and t.nonce = s.nonce
        )
    returning s.nonce, s.reserved_wei, s.spent_wei, s.budget_day
), shredded as (
    update worker.tx_attempt t set raw = null from moved
    where t.chain_id = :chain_id and t.wallet = :wallet and t.nonce = moved.nonce
), ended as (
    update worker.relay_request r
    set
        state = a.request_state, reason = coalesce(a.reason, nullif(r.reason, 'failed_on_chain')),
        tx_hash = a.request_tx,
        block_number = a.request_block, updated_at = clock_timestamp(),
        call_data = case when a.request_state = 'queued' then r.call_data end,
        salt = case when a.request_state = 'queued' then r.salt end,
        key_id = case when a.request_state = 'queued' then r.key_id end
    from asked a join moved using (nonce)
    where r.id = a.request_id and r.state in ({open_states})
), settled as (
    update worker.relay_budget b
    set reserved_wei = b.reserved_wei - s.reserved, spent_wei = b.spent_wei + s.spent
    from (
        select budget_day, sum(reserved_wei) as reserved, sum(spent_wei) as spent from moved group by budget_day
    ) s
    where
        b.chain_id = :chain_id and b.wallet = :wallet and b.scope = 'global' and b.subject = ''
        and b.day = s.budget_day
), paused as (
    insert into worker.quota (scope, subject, "window", used, ends_at)
    select distinct 'relay_paused', a.pause, day, 1, day + 86400
    from asked a join moved using (nonce)
    cross join (select cast(floor(extract(epoch from now()) / 86400) * 86400 as bigint) as day) d
    where a.pause is not null
    on conflict (scope, subject, "window") do nothing
)
select nonce from moved;

-- name: move_request
-- Set an open request back to an earlier state.
update worker.relay_request r
set
    state = :state, reason = nullif(r.reason, 'failed_on_chain'), tx_hash = :tx_hash, block_number = null,
    updated_at = clock_timestamp()
where id = :id and state in ({open_states});

-- name: end_request
-- End a waiting request, and delete its call.
update worker.relay_request
set
    state = :state, tx_hash = null, block_number = null, call_data = null, salt = null, key_id = null,
    updated_at = clock_timestamp()
where id = :id and state in ({waiting_states});

-- name: call_data
-- Read the encrypted call of a request.
select call_data from worker.relay_request where id = :id;

-- name: raw
-- Read the encrypted bytes of attempts.
select tx_hash, raw from worker.tx_attempt
where chain_id = :chain_id and tx_hash = any(cast(:tx_hashes as text[]));

-- name: own_transactions
-- List those of the transactions that are ours, with the nonce of their authorization.
select t.tx_hash, r.nonce as signer_nonce
from worker.tx_attempt t
join worker.nonce_slot s on s.chain_id = t.chain_id and s.wallet = t.wallet and s.nonce = t.nonce
join worker.relay_request r on r.id = s.request_id
where t.chain_id = :chain_id and t.tx_hash = any(cast(:tx_hashes as text[]));

-- name: add_wallet
-- Store a wallet with its first nonce.
insert into worker.relay_wallet (chain_id, address, next_nonce) values (:chain_id, :wallet, :next_nonce)
on conflict do nothing;

-- name: read_wallet
-- Read a wallet without a lock.
select next_nonce, stopped from worker.relay_wallet where chain_id = :chain_id and address = :wallet;

-- name: lock_wallet
-- Lock a wallet's row. Transactions with nonces or budgets start with this lock: no deadlocks.
select next_nonce, stopped from worker.relay_wallet where chain_id = :chain_id and address = :wallet for update;

-- name: stop_wallet
-- Stop a wallet, and return whether it was working.
update worker.relay_wallet set stopped = :reason
where chain_id = :chain_id and address = :wallet and stopped is null
returning true;

-- name: skip_nonces
-- Skip nonces that external transactions used, finally.
update worker.relay_wallet set next_nonce = :count
where chain_id = :chain_id and address = :wallet and next_nonce < :count;

-- name: paused
-- Ask for a pause of a signer.
select exists (
    select from worker.quota
    where
        scope = 'relay_paused' and subject = :signer
        and ends_at >= extract(epoch from now())
);

-- name: end_waiting
-- End a waiting request by an operator's word, under the wallet's lock.
update worker.relay_request
set
    state = 'expired', reason = :reason, call_data = null, salt = null, key_id = null,
    updated_at = clock_timestamp()
where id = :id and state in ({waiting_states})
returning true;

-- name: give_up
-- Put the deadline into the past: the reconciler frees the nonce, and ends the request as expired.
update worker.relay_request set deadline = 0, reason = :reason, updated_at = clock_timestamp()
where id = :id and state in ('signed', 'broadcast')
returning true;

-- name: wallet_states
-- List the wallets with their slots that are not final, and their budgets of today.
select
    w.chain_id, w.address, w.next_nonce, w.stopped, slots.unmined, slots.mined, slots.oldest_open,
    coalesce(b.requests, 0), coalesce(b.reserved_wei, 0), coalesce(b.spent_wei, 0)
from worker.relay_wallet w
cross join
    lateral (
        select
            count(*) filter (where s.state = 'open') as unmined,
            count(*) filter (where s.state = 'mined') as mined,
            cast(extract(epoch from clock_timestamp() - min(s.opened_at) filter (where s.state = 'open')) as integer)
                as oldest_open
        from worker.nonce_slot s
        where s.chain_id = w.chain_id and s.wallet = w.address and s.state <> 'final'
    ) slots
left join worker.relay_budget b
    on b.chain_id = w.chain_id and b.wallet = w.address and b.scope = 'global' and b.subject = ''
    and b.day = cast(timezone('UTC', clock_timestamp()) as date)
order by w.chain_id, w.address;

-- name: attempts_of_request
-- List every transaction that was signed for a request, oldest first.
select t.tx_hash, t.nonce, t.kind, t.max_fee_wei, t.priority_fee_wei, t.gas_limit, t.stored_at, t.broadcast_at
from worker.tx_attempt t join worker.nonce_slot s using (chain_id, wallet, nonce)
where s.request_id = :id
order by t.stored_at;
