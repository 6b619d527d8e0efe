-- Statements of statistics over rows of the chain index.

-- name: legacies
select legacy_type, created_at, activated_at, deleted_at from worker.legacy where chain_id = :chain;

-- name: live_legacies
select address, legacy_type, owner from worker.legacy
where chain_id = :chain and activated_at is null and deleted_at is null;

-- name: timelocks
-- A timelock ends with the last of its vaults: the newest event that ended one.
select t.lock_type, t.status, t.created_at, e.ended_at
from worker.timelock t left join (
    select timelock_id, max(block_time) as ended_at from worker.chain_event
    where chain_id = :chain and timelock_id is not null
      and (name in ('FundsWithdrawn', 'TokensWithdrawn') or (name = 'ChangeStatus' and data ->> 'status' = '3'))
    group by timelock_id
) e on e.timelock_id = t.timelock_id and t.status = 3
where t.chain_id = :chain;

-- name: locked_amounts
-- Each vault has a status of its own: amounts paid out by the ERC-20 vault do not count, also while another vault holds.
select a.token, cast(sum(cast(a.amount as numeric)) as text)
from worker.timelock t, jsonb_to_recordset(t.assets) as a(vault text, token text, amount text)
where t.chain_id = :chain and t.status = 2 and a.vault = :vault and a.token = any(:tokens)
  and not exists (
    select from worker.chain_event e
    where e.chain_id = :chain and e.timelock_id = t.timelock_id and e.contract = :vault
      and (e.name = 'FundsWithdrawn' or (e.name = 'ChangeStatus' and e.data ->> 'status' = '3'))
  )
group by a.token;

-- name: newest_gift
select max(created_at) from worker.timelock where chain_id = :chain and lock_type = 2;

-- name: gifts_of_tokens
select created_at, min(created_block) as created_block from worker.timelock t
where chain_id = :chain and lock_type = 2 and created_at > :until and created_at <= :newest
  and exists (select from jsonb_array_elements(t.assets) as a where a ->> 'token' = any(:tokens))
group by created_at order by created_at limit :most;
