-- name: is_history
-- Return whether the first reading of this timelock is not recorded yet; no row if there is no cursor for it.
select source like 'history %' from worker.index_cursor
where chain_id = :chain_id and name = 'upgrades' and source like '%' || cast(:timelock as text);

-- name: forget_other_timelock
-- Forget the queue of a timelock that is no longer configured.
with other as (
    delete from worker.index_cursor
    where chain_id = :chain_id and name = 'upgrades' and source not like '%' || cast(:timelock as text)
    returning split_part(source, ' ', 2) as timelock
), logs as (
    delete from worker.chain_event
    where
        chain_id = :chain_id and contract = (select timelock from other)
        and legacy is null and creator is null and timelock_id is null -- as the partial index has it
), events as (
    delete from worker.upgrade_event where chain_id = :chain_id and exists (select from other)
)
delete from worker.upgrade_operation where chain_id = :chain_id and exists (select from other);

-- name: end_history
update worker.index_cursor set source = 'watch ' || cast(:timelock as text)
where chain_id = :chain_id and name = 'upgrades' and source like '%' || cast(:timelock as text);

-- name: unrecorded_events
-- Return the timelock's events in the index that are not recorded yet.
select block_number, log_index, block_hash, block_time, tx_hash, contract, name, legacy, creator, timelock_id, data
from worker.chain_event c
where
    chain_id = :chain_id and contract = :timelock
    and legacy is null and creator is null and timelock_id is null -- as the partial index has it
    and not exists (
        select from worker.upgrade_event u
        where
            u.chain_id = c.chain_id and u.block_number = c.block_number
            and u.log_index = c.log_index and u.block_hash = c.block_hash
    )
order by block_number, log_index;

-- name: removed_events
-- Return the recorded events that the index no longer has.
select block_number, log_index, block_hash, block_time, tx_hash, sender, name, operation_id, data
from worker.upgrade_event u
where
    chain_id = :chain_id and not exists (
        select from worker.chain_event c
        where
            c.chain_id = u.chain_id and c.block_number = u.block_number
            and c.log_index = u.log_index and c.block_hash = u.block_hash
    )
order by block_number, log_index;

-- name: events_of
select block_number, log_index, block_hash, block_time, tx_hash, sender, name, operation_id, data
from worker.upgrade_event
where chain_id = :chain_id and operation_id = any(cast(:operations as text[]))
order by block_number, log_index;

-- name: role_events
select block_number, log_index, block_hash, block_time, tx_hash, sender, name, operation_id, data
from worker.upgrade_event
where chain_id = :chain_id and name in ('RoleGranted', 'RoleRevoked')
order by block_number, log_index;

-- name: forget_events
delete from worker.upgrade_event
where chain_id = :chain_id and (block_number, log_index, block_hash) in (
    select * from unnest(cast(:blocks as bigint[]), cast(:indexes as integer[]), cast(:hashes as text[]))
);

-- name: operations_in_states
select operation_id from worker.upgrade_operation
where chain_id = :chain_id and state = any(cast(:states as text[]))
order by operation_id;

-- name: pending_work
-- Return when the next operation may be executed, and whether an operation's last change was not final yet.
select min(ready_at) filter (where state = 'pending') as ready_at, coalesce(bool_or(not final), false) as unsettled
from worker.upgrade_operation where chain_id = :chain_id;

-- name: mark_gone
update worker.upgrade_operation set state = 'gone'
where chain_id = :chain_id and operation_id = any(cast(:operations as text[]));

-- name: settle_operations
-- Mark the operations whose last change is not above the final block.
update worker.upgrade_operation set final = changed_block <= :final
where chain_id = :chain_id and final <> (changed_block <= :final);

-- name: reported_stages
-- Return the alerts about these subjects that were already written.
select kind, subject, stage from worker.alert
where chain_id = :chain_id and subject = any(cast(:subjects as text[])) and kind like 'upgrade_%';

-- name: setter_values
select
    contract, getter, value, block_number, compared_at < clock_timestamp() - interval '1 day' as due,
    compared_at < clock_timestamp() - interval '2 days' as overdue
from worker.setter_value where chain_id = :chain_id;

-- name: begin_setters
-- A getter that was never asked is due at once; it is overdue a day later.
insert into worker.setter_value (chain_id, contract, getter, compared_at)
select :chain_id, contract, getter, clock_timestamp() - interval '1 day'
from unnest(cast(:contracts as text[]), cast(:getters as text[])) as asked (contract, getter)
on conflict do nothing;

-- name: save_setters
-- Store the answers, unless another process did. A getter that did not answer keeps its value and block.
with answered as (
    select * from unnest(
        cast(:contracts as text[]), cast(:getters as text[]), cast(:values as text[]), cast(:before as bigint[])
    ) as a (contract, getter, value, before)
)
update worker.setter_value s
set
    compared_at = clock_timestamp(), value = coalesce(a.value, s.value),
    block_number = case when a.value is null then s.block_number else :block end
from answered a
where
    s.chain_id = :chain_id and s.contract = a.contract and s.getter = a.getter
    and s.block_number is not distinct from a.before
returning s.contract, s.getter;

-- name: executed_calls
-- Return the calls of the operations that were executed in these blocks, each with its block.
select o.changed_block, c.call ->> 'target' as target, c.call ->> 'data' as data
from worker.upgrade_operation o cross join jsonb_array_elements(o.calls) c (call)
where o.chain_id = :chain_id and o.state = 'executed' and o.changed_block between :first and :last
order by o.changed_block;

-- name: setter_events
-- Return the events of setters in these blocks, in log order.
select contract, name, data ->> 'value' as value, block_number, tx_hash
from worker.chain_event
where
    chain_id = :chain_id and contract = any(cast(:contracts as text[])) and block_number between :first and :last
    and legacy is null and creator is null and timelock_id is null -- as the partial index has it
    and name = any(cast(:names as text[]))
order by block_number, log_index;

-- name: recorded_queues
-- Return the cursor of each chain's timelock with the operations in these states, the next first.
select c.chain_id as chain, c.block_number as block, c.source, o.*
from worker.index_cursor c
left join worker.upgrade_operation o on o.chain_id = c.chain_id and o.state = any(cast(:states as text[]))
where c.name = :name and c.chain_id = any(cast(:chains as bigint[]))
order by c.chain_id, o.ready_at, o.operation_id
limit 500;
