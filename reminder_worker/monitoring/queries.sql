-- name: trouble
-- Emails and relays in trouble. Left out are emails that wait for a cause outside of this service, since they would
-- silence the heartbeat for days: an unreadable legacy, a daily quota (the email is queued), a reorganisation, a chain
-- or a kind of email that is not configured any more. An email to a refused address (422) is sent or dead within hours,
-- if others went out after it came. A signal that was read before its block was safe waits until its transaction is
-- known. Each branch keeps to one index of its table; `clock_timestamp()`, which may change from row to row, would use
-- none.
with sent as materialized (
    select coalesce(max(settled_at), '-infinity') as last from worker.sent_ledger where state = 'sent'
), rows as (
    select
        'reminders' as room, chain_id, state, coalesce(claimed_at, created_at) as since,
        coalesce(settled_at, claimed_at, created_at) as failed_at
    from worker.sent_ledger where state in ({troubled})
    union all
    select 'reminders', chain_id, state, created_at, null from worker.sent_ledger
    where
        state = 'released' and reason is distinct from 'legacy_not_readable'
        and (reason is distinct from 'rejected_422' or created_at > (select last from sent))
    union all
    select 'reminders', chain_id, 'queued', seen_at, null from worker.notify_signal
    where state = 'new' and not (reason is not distinct from 'not_readable_yet' and chain_id = any(:unsafe))
    union all
    select 'gifts', chain_id, state, greatest(claimed_at, created_at), coalesce(settled_at, claimed_at, created_at)
    from worker.gift_ledger where state in ({troubled})
    union all
    select 'gifts', chain_id, state, created_at, null from worker.gift_ledger
    where
        state = 'released' and coalesce(reason, '') not in ('claimed', 'gift_is_another')
        and (reason is distinct from 'rejected_422' or created_at > (select last from sent))
    union all
    select 'alerts', null, state, created_at, null from worker.alert where state = 'queued'
    union all
    select 'relay', chain_id, state, null, updated_at from worker.relay_request
    where state = 'reverted' and updated_at > now() - interval '1 hour'
), late as (
    select since, state from rows
    where
        state in ({to_try}) and since < clock_timestamp() - make_interval(secs => :late)
        and (room = 'alerts' or (room = any(:rooms) and chain_id = any (:chains)))
)
select
    (select count(*) from late) as late,
    coalesce((select cast(extract(epoch from clock_timestamp() - min(since)) as int) from late), 0) as oldest_late,
    not exists (select from late where state = 'queued')  -- an alert, or a signal that is not planned
    and coalesce((select max(since) from late) < greatest(
        (select last from sent),
        (
            select max(created_at) from worker.alert
            where chain_id = 0 and kind = 'emails_late' and state = 'sent'
        )  -- is an email itself
    ), false) as others_go_out,
    count(*) filter (where state = 'held' and failed_at > clock_timestamp() - interval '1 day') as held,
    count(*) filter (where state = 'dead' and failed_at > clock_timestamp() - interval '1 day') as dead,
    (
        select count(*) from worker.alert
        where state = 'dead' and created_at > now() - interval '1 day'
    ) as refused_alerts,
    count(*) filter (where room = 'reminders' and failed_at > clock_timestamp() - interval '1 hour') as reminders,
    count(*) filter (where room = 'gifts' and failed_at > clock_timestamp() - interval '1 hour') as gifts,
    count(*) filter (where room = 'relay') as relay
from rows;

-- name: forget_gift_emails
-- Deletes emails of gifts after their time, with the notification of each. The retry window is shorter: a notification
-- outlives it only while emails of gifts are off.
with over as (
    delete from worker.gift_ledger where expires_at < now() returning chain_id, timelock_id, email_hash
), gone as (
    delete from worker.gift_notification n using over
    where
        n.chain_id = over.chain_id and n.timelock_id = over.timelock_id and n.email_hash = over.email_hash
        and n.unlock_time < extract(epoch from now()) - 90 * 86400
    returning true
)
select (select count(*) from over) + (select count(*) from gone);

-- name: forget_gift_reminders
-- Deletes the addresses of recipients whose gift is opened, or whose last email is long over.
delete from worker.gift_reminder r
where
    r.unlock_time < extract(epoch from now()) - 455 * 86400
    or (
        select t.status from worker.timelock t
        where t.chain_id = r.chain_id and t.timelock_id = r.timelock_id
    ) = 3;

-- name: forget_gift_givers
-- Deletes the addresses of givers whose last email is long over.
delete from worker.gift_giver where unopened_at < now() - interval '90 days';

-- name: find_number
-- What an email was about, by the hash of its number: one step of an index in each ledger, also for an unknown number.
-- `number` is that of the legacy at its router, or of the gift. Emails that may have left count, too.
select l.kind, l.chain_id, y.legacy_id as number, l.legacy, coalesce(l.settled_at, l.claimed_at) as written_at
from worker.sent_ledger l
left join worker.legacy y on y.chain_id = l.chain_id and y.address = l.legacy
where l.number_hash = :hash and l.state in ({maybe_sent}) and l.claimed_at is not null
union all
select kind, chain_id, timelock_id, null, coalesce(settled_at, claimed_at)
from worker.gift_ledger
where number_hash = :hash and state in ({maybe_sent}) and claimed_at is not null;

-- name: stored_people
-- Return those of the hashes of emails of which anything is stored that an erasure finds.
select email_hash from worker.recipient where email_hash = any(cast(:hashes as bytea[]))
union
select email_hash from worker.gift_notification where email_hash = any(cast(:hashes as bytea[]))
union
select email_hash from worker.gift_reminder where email_hash = any(cast(:hashes as bytea[]))
union
select email_hash from worker.gift_giver where email_hash = any(cast(:hashes as bytea[]))
union
select recipient_hash from worker.gift_giver where recipient_hash = any(cast(:hashes as bytea[]))
union
select email_hash from worker.gift_ledger
where email_hash = any(cast(:hashes as bytea[])) and number_hash is not null
order by email_hash;

-- name: forget_gift_numbers
-- Also of gifts whose opening day is over: their notification is gone.
update worker.gift_ledger set number_hash = null
where email_hash = any(cast(:hashes as bytea[])) and number_hash is not null;

-- name: lock_watchdog
select pg_advisory_xact_lock(hashtextextended('reminder-worker watchdog', 0));

-- name: probe_write
-- Committed before the ping: no ping may report health while the database can only be read.
insert into worker.pass_state (name, chain_id) values ('watchdog', 0)
on conflict (name, chain_id) do update set name = excluded.name;

-- name: expect_pass
-- Looks of a pass by the clock are not recorded: this row says since when a pass that never ran should have run.
insert into worker.pass_state (name, chain_id, checked_at) values (:name, :chain_id, clock_timestamp())
on conflict do nothing;

-- name: stored_conditions
select
    kind, subject, chain_id, raised,
    cast(extract(epoch from clock_timestamp() - since) as integer) as age,
    cast(extract(epoch from clock_timestamp() - turning_since) as integer) as turning
from worker.alert_state where kind = any(:kinds);

-- name: raised_conditions
select kind, subject, chain_id from worker.alert_state where raised and kind = any(:kinds);

-- name: deleted_legacies
-- Legacies that were deleted, with recipients or marks of recipients. The deletion of a Safe's legacy leaves no event
-- but the reset of its reminders, and is confirmed on chain.
select l.address as legacy, coalesce(l.deleted_at, reset.at) as deleted_at
from (
    select legacy from worker.watch where chain_id = :chain_id
    union
    select legacy from worker.self_erasure where chain_id = :chain_id
) stored
join worker.legacy l on l.chain_id = :chain_id and l.address = stored.legacy
left join lateral (
    select max(e.block_time) as at from worker.chain_event e
    where
        l.legacy_type = 1 and l.activated_at is null
        and e.chain_id = l.chain_id and e.legacy = l.address and e.name = 'LegacyConfigReset'
) reset on true
where coalesce(l.deleted_at, reset.at) is not null
order by l.address;

-- name: clock_is_ahead
-- By the newest snapshot of any chain. A chain without one for as long raises an alert of its own.
select extract(epoch from clock_timestamp()) - max(newest.block_time) > 30 * 86400
from (select distinct chain_id from worker.index_cursor) c
cross join lateral (
    select block_time from worker.statistics s where s.chain_id = c.chain_id order by s.hour desc limit 1
) newest;

-- name: forget_bounces
-- Delete addresses that no recipient and no gift has any more.
delete from worker.bounce b
where
    not exists (select from worker.recipient r where r.email_hash = b.email_hash)
    and not exists (select from worker.gift_notification n where n.email_hash = b.email_hash)
    and not exists (select from worker.gift_reminder r where r.email_hash = b.email_hash)
    and not exists (select from worker.gift_giver g where g.email_hash = b.email_hash);
