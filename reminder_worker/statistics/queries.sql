-- Statements of statistics over rows of the chain index.

-- name: legacies
select legacy_type, created_at, activated_at, deleted_at from worker.legacy where chain_id = :chain;

-- name: due_owners
-- Owners of live legacies that are to be read, in order: new ones, those with other legacies or tokens than at the last
-- reading, and those without a reading since their moment of the day. The owner's hash gives the moment, so that each
-- hour has a share of the owners. A reading of the future was at a block that an endpoint invented.
select l.owner, l.legacies, l.types, h.amounts
from (
    select
        owner, array_agg(address) as legacies, array_agg(legacy_type) as types, count(*) as live,
        max(created_at) as newest
    from worker.legacy
    where chain_id = :chain and activated_at is null and deleted_at is null and owner > :after
    group by owner
) as l left join worker.owner_holding h on h.chain_id = :chain and h.owner = l.owner
where
    h.owner is null or h.asked <> :asked or h.legacies <> l.live or h.read_at < l.newest or h.read_at > :now
    or h.read_at < :now - mod(:now - mod(abs(cast(hashtext(l.owner) as bigint)), 86400), 86400)
order by l.owner limit :most;

-- name: store_holdings
insert into worker.owner_holding (chain_id, owner, legacies, deleted, wei, amounts, unreadable, asked, read_at)
select :chain, r.owner, r.legacies, r.deleted, r.wei, r.amounts, r.unreadable, :asked, :now
from
    jsonb_to_recordset(cast(:rows as jsonb))
        as r (owner text, legacies int, deleted int, wei numeric, amounts jsonb, unreadable text[])
on conflict (chain_id, owner) do update set
    legacies = excluded.legacies, deleted = excluded.deleted, wei = excluded.wei, amounts = excluded.amounts,
    unreadable = excluded.unreadable, asked = excluded.asked, read_at = excluded.read_at;

-- name: forget_owners
-- Owners without a live legacy.
delete from worker.owner_holding h
where h.chain_id = :chain and not exists (
    select from worker.legacy l
    where l.chain_id = :chain and l.owner = h.owner and l.activated_at is null and l.deleted_at is null
);

-- name: holding_totals
select coalesce(sum(wei), 0) as wei, coalesce(sum(deleted), 0) as deleted, count(*) as owners
from worker.owner_holding where chain_id = :chain;

-- name: holding_tokens
select a.token, cast(sum(cast(a.amount as numeric)) as text)
from worker.owner_holding h, jsonb_each_text(h.amounts) as a (token, amount)
where h.chain_id = :chain and a.token = any(:tokens)
group by a.token;

-- name: unreadable_tokens
select token, count(*) from worker.owner_holding h, unnest(h.unreadable) as token
where h.chain_id = :chain and token = any(:tokens)
group by token;

-- name: late_owners
-- Owners who have had a live legacy since `since`: without a reading, and without one of today's tokens in this time.
select
    count(*) filter (where h.owner is null) as never,
    count(*) filter (where h.read_at < :since or h.asked <> :asked) as late
from (
    select owner from worker.legacy
    where chain_id = :chain and activated_at is null and deleted_at is null
    group by owner having min(created_at) < :since
) as l left join worker.owner_holding h on h.chain_id = :chain and h.owner = l.owner;

-- name: timelocks
-- A timelock ends with the last of its vaults: the newest event that ended one.
select t.lock_type, t.status, t.created_at, e.ended_at
from worker.timelock t left join (
    select timelock_id, max(block_time) as ended_at from worker.chain_event
    where
        chain_id = :chain and timelock_id is not null
        and (name in ('FundsWithdrawn', 'TokensWithdrawn') or (name = 'ChangeStatus' and data ->> 'status' = '3'))
    group by timelock_id
) e on e.timelock_id = t.timelock_id and t.status = 3
where t.chain_id = :chain;

-- name: locked_amounts
-- Each vault has a status of its own: amounts paid out by the ERC-20 vault do not count, also while another vault
-- holds.
select a.token, cast(sum(cast(a.amount as numeric)) as text)
from worker.timelock t, jsonb_to_recordset(t.assets) as a (vault text, token text, amount text)
where
    t.chain_id = :chain and t.status = 2 and a.vault = :vault and a.token = any(:tokens)
    and not exists (
        select from worker.chain_event e
        where
            e.chain_id = :chain and e.timelock_id = t.timelock_id and e.contract = :vault
            and (e.name = 'FundsWithdrawn' or (e.name = 'ChangeStatus' and e.data ->> 'status' = '3'))
    )
group by a.token;

-- name: newest_gift
select max(created_at) from worker.timelock where chain_id = :chain and lock_type = 2;

-- name: gifts_of_tokens
select created_at, min(created_block) as created_block from worker.timelock t
where
    chain_id = :chain and lock_type = 2 and created_at > :until and created_at <= :newest
    and exists (select from jsonb_array_elements(t.assets) as a where a ->> 'token' = any(:tokens))
group by created_at order by created_at limit :most;

-- name: day_emails
-- Emails sent and people they went to, by day and kind. A recipient is an account, of a gift a keyed hash.
select day, kind, count(*) as sent, count(distinct person) as people
from (
    select cast(timezone('UTC', settled_at) as date) as day, kind, recipient as person
    from worker.sent_ledger
    where chain_id = :chain and state = 'sent' and settled_at >= :begin and settled_at < :end
    union all
    select cast(timezone('UTC', settled_at) as date), kind, encode(email_hash, 'hex')
    from worker.gift_ledger
    where chain_id = :chain and state = 'sent' and settled_at >= :begin and settled_at < :end
) as emails
group by day, kind;

-- name: day_relays
-- Transactions of requests that ended on a day, by lane. Dollars are by the price of ether when the request ended, and
-- null if a price was stale.
with ended as (
    select
        cast(timezone('UTC', r.updated_at) as date) as day, r.lane, r.state, s.gas_used, s.spent_wei,
        cast(extract(epoch from r.updated_at) as bigint) as at
    from worker.relay_request r join worker.nonce_slot s on s.request_id = r.id
    where
        r.chain_id = :chain and r.updated_at >= :begin and r.updated_at < :end
        and r.state not in ({open_states})
        and s.state = 'final' and s.spent_wei > 0
)
select
    day, lane, count(*) as transactions, count(*) filter (where ended.state = 'reverted') as failed,
    case when bool_and(gas_used is not null) then cast(sum(gas_used) as bigint) end as gas_used,
    sum(spent_wei) as spent_wei,
    case when bool_and(p.answer is not null) then sum(spent_wei * p.answer * power(10.0, -18 - p.decimals)) end as usd
from ended left join lateral (
    select newest.answer, newest.decimals from (
        select * from worker.price
        where chain_id = :chain and feed = :feed and updated_at <= ended.at
        order by updated_at desc, round_id desc limit 1
    ) as newest
    where newest.updated_at >= ended.at - :fresh and coalesce(newest.denied_since > ended.at, true)
) as p on true
group by day, lane;

-- name: day_gifts
-- Gifts sealed, by day, token and time until they open. Tokens without a price feed are not told apart.
select
    cast(timezone('UTC', to_timestamp(created_at)) as date) as day,
    case
        when
            jsonb_array_length(assets) = 1 and assets -> 0 ->> 'vault' = :vault
            and assets -> 0 ->> 'token' = any(:tokens) then assets -> 0 ->> 'token'
        else 'other'
    end as token,
    case
        when unlock_time - created_at < 30 * 86400 then 'under_30_days'
        when unlock_time - created_at < 365 * 86400 then 'under_1_year'
        when unlock_time - created_at < 5 * 365 * 86400 then 'under_5_years'
        else '5_years_or_more'
    end as horizon,
    count(*) as gifts
from worker.timelock
where chain_id = :chain and lock_type = 2 and created_at >= :begin_seconds and created_at < :end_seconds
group by 1, 2, 3
order by 1, 2, 3;

-- name: feed_states
-- Return the last verdict on each feed with its last good round, if any. `since`: seconds since the feed was asked.
select
    f.token, f.feed, f.symbol, f.verdict, f.round_id, f.block_time, p.answer, p.decimals, p.updated_at,
    cast(extract(epoch from clock_timestamp()) - extract(epoch from f.asked_at) as bigint) as since,
    cast(extract(epoch from clock_timestamp()) as bigint) as now
from worker.price_feed f left join worker.price p using (chain_id, feed, round_id)
where f.chain_id = :chain_id;

-- name: prices_at
-- Return the newest round of each of these feeds until a moment, with the token's symbol.
select asked.token, newest.*, f.symbol
from unnest(cast(:tokens as text[]), cast(:feeds as text[])) as asked (token, feed)
cross join
    lateral (
        select * from worker.price
        where chain_id = :chain_id and feed = asked.feed and updated_at <= :moment
        order by updated_at desc, round_id desc
        limit 1
    ) newest
left join worker.price_feed f on f.chain_id = :chain_id and f.token = asked.token;
