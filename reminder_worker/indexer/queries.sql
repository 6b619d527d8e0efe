-- name: legacy_runs
-- Return the last id of each run of known ids of a router, the block of its creation, and the next known id.
select id, block, next from (
    select id, block, lead(id) over (order by id) as next from (
        select legacy_id as id, created_block as block from worker.legacy
        where chain_id = :chain_id and router = :router
        union all
        select 0, :start
    ) as known
) as ids
where next is distinct from id + 1
order by id limit 20;

-- name: timelock_runs
-- Return the same of the timelocks' ids.
select id, block, next from (
    select id, block, lead(id) over (order by id) as next from (
        select timelock_id as id, created_block as block from worker.timelock where chain_id = :chain_id
        union all
        select 0, :start
    ) as known
) as ids
where next is distinct from id + 1
order by id limit 20;

-- name: first_cursor
-- Store a reader's first cursor; return no row if another process was faster.
insert into worker.index_cursor (chain_id, name, block_number, block_hash, source)
values (:chain_id, :name, :block, :hash, :source)
on conflict do nothing returning chain_id;

-- name: move_cursor
-- Move a reader's cursor; return no row if another process moved the cursor.
update worker.index_cursor
set block_number = :block, block_hash = :hash, source = coalesce(:source, source), moved_at = clock_timestamp()
where chain_id = :chain_id and name = :name and block_number = :old_block and block_hash = :old_hash
returning chain_id;

-- name: follow_cursor
-- Move the cursor of a contract's own reader if it stood where the index stood: then the index has all its logs.
update worker.index_cursor set block_number = :block, block_hash = :hash, moved_at = clock_timestamp()
where
    chain_id = :chain_id and name = :name and source like '%' || cast(:contract as text)
    and block_number = :old_block and block_hash = :old_hash;

-- name: take_cursor_back
-- Let a reader above this block go on from there.
update worker.index_cursor set block_number = :block, block_hash = :hash
where chain_id = :chain_id and name = :name and block_number > :block;

-- name: forget_after
delete from worker.chain_event
where chain_id = :chain_id and contract = any(cast(:contracts as text[])) and block_number > :last
returning name, legacy, creator, timelock_id;

-- name: forget_logs
delete from worker.chain_event
where
    chain_id = :chain_id and (block_number, log_index, block_hash) in (
        select * from unnest(cast(:blocks as bigint[]), cast(:indexes as integer[]), cast(:hashes as text[]))
    )
returning name, legacy, creator, timelock_id;

-- name: newest_gifts
-- Return the newest gift of a recipient with this status and only these tokens, and the newest one with anything else.
select distinct on (is_shown) timelock_id, created_at, is_shown from (
    select timelock_id, created_at, coalesce(tokens <@ cast(:tokens as text[]), false) as is_shown
    from worker.timelock
    where chain_id = :chain_id and recipient = :recipient and lock_type = 2 and status = :status
    order by created_at desc, timelock_id desc limit :looked_at
) as newest
order by is_shown desc, created_at desc, timelock_id desc;

-- name: timelocks_of_owner
-- Return an owner's timelocks with ids below a number, the newest first: the first assets of each, and their number.
select
    timelock_id, lock_type, owner, recipient, unlock_time, status, created_at,
    jsonb_path_query_array(assets, '$[0 to $last]', jsonb_build_object('last', cast(:assets as int) - 1)) as assets,
    jsonb_array_length(assets) as asset_count
from worker.timelock
where chain_id = :chain_id and owner = :owner and timelock_id < :before
order by timelock_id desc limit :most;

-- name: timelock_events
-- Return where a timelock was sealed and paid out; the first of each, since it may be in several vaults.
select distinct on (name) name, block_time, block_hash, tx_hash from worker.chain_event
where chain_id = :chain_id and timelock_id = :timelock_id and name = any(cast(:names as text[]))
order by name, block_number, log_index;

-- name: legacies_by_id
select router, legacy_id, address
from unnest(cast(:routers as text[]), cast(:ids as bigint[])) as wanted (router, legacy_id)
join worker.legacy using (router, legacy_id)
where chain_id = :chain_id;

-- name: recall_limits
select endpoint, blocks, cast(extract(epoch from wider_at) as double precision) as wider_at
from worker.log_limit where chain_id = :chain_id and endpoint = any(cast(:endpoints as text[]));

-- name: store_limit
insert into worker.log_limit (chain_id, endpoint, blocks, wider_at)
values (:chain_id, :endpoint, :blocks, to_timestamp(:wider_at))
on conflict (chain_id, endpoint) do update
    set blocks = excluded.blocks, wider_at = excluded.wider_at
    where log_limit.wider_at <= excluded.wider_at;

-- name: safe_creations
-- Return each Safe legacy's guard, if it is stored, and where the legacy was created.
select legacy, data ->> 'guard' as guard, contract, block_number from worker.chain_event
where chain_id = :chain_id and legacy = any(cast(:legacies as text[])) and name = 'MultisigLegacyCreated';

-- name: store_guards
-- Add guards to events that lack them. A stored guard stays.
update worker.chain_event e set data = e.data || jsonb_build_object('guard', g.guard)
from unnest(cast(:legacies as text[]), cast(:guards as text[])) as g (legacy, guard)
where
    e.chain_id = :chain_id and e.legacy = g.legacy and e.name = 'MultisigLegacyCreated'
    and e.data ->> 'guard' is null;
