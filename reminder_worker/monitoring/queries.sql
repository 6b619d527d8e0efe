-- name: trouble
-- Left out is what does not wait because of us, since it would silence the heartbeat for days: what a stranger's
-- contract, gifts without number or a reorganisation keep back, and what waits of a chain or a kind of email that is not
-- configured any more. An email to a refused address (422) is sent or dead within hours, if
-- others went out after it came. A signal that was read before
-- its block was safe may be of no transaction at all, and waits until that is known. Each branch keeps to one index of
-- its table; `clock_timestamp()`, which may change from row to row, would keep it from using any.
with sent as materialized (
    select coalesce(max(settled_at), '-infinity') as last from worker.sent_ledger where state = 'sent'
), rows as (
    select 'reminders' as room, chain_id, state, coalesce(claimed_at, created_at) as since,
        coalesce(settled_at, claimed_at, created_at) as failed_at
    from worker.sent_ledger where state in ('unknown','held','dead')
    union all
    select 'reminders', chain_id, state, created_at, null from worker.sent_ledger
    where state = 'released' and reason is distinct from 'legacy_not_readable'
      and (reason is distinct from 'rejected_422' or created_at > (select last from sent))
    union all
    select 'reminders', chain_id, 'queued', seen_at, null from worker.notify_signal
    where state = 'new' and not (reason is not distinct from 'not_readable_yet' and chain_id = any(:unsafe))
    union all
    select 'gifts', chain_id, state, greatest(claimed_at, created_at), coalesce(settled_at, claimed_at, created_at)
    from worker.gift_ledger where state in ('unknown','held','dead')
    union all
    select 'gifts', chain_id, state, created_at, null from worker.gift_ledger
    where state = 'released' and coalesce(reason, '') not in ('daily_cap', 'claimed', 'gift_is_another')
      and (reason is distinct from 'rejected_422' or created_at > (select last from sent))
    union all
    select 'alerts', null, state, created_at, null from worker.alert where state = 'queued'
    union all
    select 'relay', chain_id, state, null, updated_at from worker.relay_request
    where state = 'reverted' and updated_at > now() - interval '1 hour'
), late as (
    select since, state from rows
    where state in ('released','unknown','queued') and since < clock_timestamp() - make_interval(secs => :late)
      and (room = 'alerts' or (room = any(:rooms) and chain_id = any(:chains)))
)
select
    (select count(*) from late) as late,
    coalesce((select cast(extract(epoch from clock_timestamp() - min(since)) as int) from late), 0) as oldest_late,
    not exists (select from late where state = 'queued')  -- an alert, or a signal that is not planned
        and coalesce((select max(since) from late) < greatest(
            (select last from sent),
            (select max(created_at) from worker.alert
             where chain_id = 0 and kind = 'emails_late' and state = 'sent')  -- is an email itself
        ), false) as others_go_out,
    count(*) filter (where state = 'held' and failed_at > clock_timestamp() - interval '1 day') as held,
    count(*) filter (where state = 'dead' and failed_at > clock_timestamp() - interval '1 day') as dead,
    (select count(*) from worker.alert
     where state = 'dead' and created_at > now() - interval '1 day') as refused_alerts,
    count(*) filter (where room = 'reminders' and failed_at > clock_timestamp() - interval '1 hour') as reminders,
    count(*) filter (where room = 'gifts' and failed_at > clock_timestamp() - interval '1 hour') as gifts,
    count(*) filter (where room = 'relay') as relay
from rows;

-- name: forget_gift_emails
-- A row of somebody to be told outlives the retry window, which is shorter, only where no email of a gift is sent now.
with over as (
    delete from worker.gift_ledger where expires_at < now() returning chain_id, timelock_id, email_hash
), gone as (
    delete from worker.gift_notification n using over
    where n.chain_id = over.chain_id and n.timelock_id = over.timelock_id and n.email_hash = over.email_hash
      and n.unlock_time < extract(epoch from now()) - 90 * 86400
    returning true
)
select (select count(*) from over) + (select count(*) from gone);

-- name: next_ask
-- Chain by chain, since the index is: `min` of all would read the whole of it.
select min(w.next_ask)
from unnest(cast(:chains as bigint[])) as chain(id)
cross join lateral (
    select next_ask from worker.watch
    where chain_id = chain.id
      and (paused_until is null or paused_until < now())
    order by next_ask
    limit 1
) w;

-- name: stuck
select *, cast(extract(epoch from now() - created_at) as bigint) as age from (
    select id, state, kind, chain_id, legacy as about, created_at
    from worker.sent_ledger where state in ('held', 'dead')
    union all
    select id, state, kind, chain_id, 'gift ' || timelock_id, created_at
    from worker.gift_ledger where state in ('held', 'dead')
    union all
    select id, state, 'alert ' || kind, chain_id, subject, created_at from worker.alert where state = 'dead'
) each
order by state, created_at;
