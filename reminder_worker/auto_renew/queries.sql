-- part: opted_in
-- The legacy of the row `a`, as long as it is opted in.
select from worker.legacy l
where
    l.chain_id = a.chain_id and l.address = a.legacy and l.legacy_type = 3 and l.auto_renew
    and l.deleted_at is null;

-- name: something_to_look_at
-- Ask for opted-in legacies that were never read, or are to be read again at this chain time.
select exists (
    select from worker.owner_activity a
    where a.chain_id = :chain_id and a.next_look <= :now and exists ({opted_in})
) or exists (
    select from worker.legacy l
    where
        l.chain_id = :chain_id and l.legacy_type = 3 and l.auto_renew and l.deleted_at is null
        and not exists (
            select from worker.owner_activity a where a.chain_id = l.chain_id and a.legacy = l.address
        )
);

-- name: something_to_forget
-- Ask for stored legacies that are not opted in any more.
select exists (
    select
    from worker.owner_activity a
    where
        a.chain_id = :chain_id
        and not exists ({opted_in})
);

-- name: forget
-- Forget legacies that are not opted in any more, once the index has read the finalized block: an index that reads
-- everything again lacks legacies.
delete from worker.owner_activity a
where
    a.chain_id = :chain_id
    and not exists ({opted_in})
    and exists (
        select from worker.index_cursor c
        where c.chain_id = a.chain_id and c.name = 'index' and c.block_number >= :finalized
    );

-- name: opted_in
-- List opted-in legacies to be read at this chain time: first legacies that the last runs did not reach for two hours,
-- then the nearest deadlines. The rest of a day's caps is for them.
select l.address, l.legacy_id, l.creator, a.reset_at, a.baseline
from worker.legacy l
left join worker.owner_activity a on a.chain_id = l.chain_id and a.legacy = l.address and a.owner = l.creator
where
    l.chain_id = :chain_id and l.legacy_type = 3 and l.auto_renew and l.deleted_at is null
    and (a.legacy is null or a.next_look <= :now)
order by a.next_look > :now - 7200 nulls first, a.deadline, l.address;

-- name: attempts
-- List earlier attempts to renew. Open requests of a retired wallet never end: they count as expired.
select
    digest,
    case
        when
            wallet <> :wallet
            and state in ({open_states})
            then 'expired'
        else state
    end as state
from worker.relay_request
where chain_id = :chain_id and digest = any(cast(:digests as bytea[]));

-- name: keep
-- Store baselines and decisions. Two runs may write in any order, since each baseline was read after its reset.
insert into worker.owner_activity as a (
    chain_id, legacy, legacy_id, owner, reset_at, baseline, nonce_seen, deadline, budget_end, budget_step,
    decision, reason, next_look
)
select :chain_id, r.*
from
    unnest(
        cast(:legacy as text[]), cast(:legacy_id as numeric[]), cast(:owner as text[]), cast(:reset_at as bigint[]),
        cast(:baseline as bigint[]), cast(:nonce_seen as bigint[]), cast(:deadline as bigint[]),
        cast(:budget_end as bigint[]), cast(:budget_step as smallint[]), cast(:decision as text[]),
        cast(:reason as text[]), cast(:next_look as bigint[])
    ) as r
on conflict (chain_id, legacy) do update set
    owner = excluded.owner, reset_at = excluded.reset_at, baseline = excluded.baseline,
    nonce_seen = excluded.nonce_seen, deadline = excluded.deadline, budget_end = excluded.budget_end,
    budget_step = excluded.budget_step, decision = excluded.decision, reason = excluded.reason,
    next_look = excluded.next_look, checked_at = clock_timestamp();

-- name: ending_budgets
-- List ends of auto-renew for an email to an owner with a stored address. A dropped email is planned again after a day.
select a.legacy, a.owner, format('%s:%s', a.budget_end - :budget_seconds, a.budget_step) as event
from worker.owner_activity a
join worker.recipient r on r.chain_id = a.chain_id and r.legacy = a.legacy and r.recipient = a.owner
left join worker.sent_ledger l
    on l.chain_id = a.chain_id and l.legacy = a.legacy and l.recipient = a.owner and l.kind = 'auto_renew_budget'
    and l.event = format('%s:%s', a.budget_end - :budget_seconds, a.budget_step)
where
    a.chain_id = :chain_id and a.budget_step is not null
    and (l.id is null or (
        l.state = 'dropped' and l.reason in ('not_in_audience', 'window_closed', 'legacy_not_readable', 'body_gone')
        and l.settled_at < now() - interval '1 day'
    ))
order by a.legacy
limit :limit;
