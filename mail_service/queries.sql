-- Statements of `store.py`. The first ones, except `find`, take several emails in one commit.

-- name: claim
insert into mail_service.message (key, body_hash, instance, attempt, message_id, address_hash)
select key, body_hash, :instance, attempt, message_id, address_hash
from
    unnest(
        cast(:keys as text[]),
        cast(:body_hashes as bytea[]),
        cast(:attempts as bigint[]),
        cast(:message_ids as text[]),
        cast(:address_hashes as bytea[])
    ) as claims (key, body_hash, attempt, message_id, address_hash)
where not exists (select from mail_service.suppression s where s.address_hash = claims.address_hash)
order by key  -- instances that claim the same keys must not wait for each other in a circle
on conflict do nothing
returning attempt;

-- name: find
select body_hash, state, message_id from mail_service.message where key = :key;

-- name: find_by_message_id
-- The email may have left, and its report may still come.
select key, address_hash from mail_service.message
where message_id = :message_id and state <> 'in_flight' and created_at > now() - interval '30 days';

-- name: record_bounce
-- Readers ask for what came after a number. The lock gives numbers in the order of commits, the clock gives higher ones
-- than before also after the table was restored from a backup.
with locked as materialized (select pg_advisory_xact_lock(:lock))
insert into mail_service.bounce (key, number, reason)
select
    :key,
    greatest(
        cast(extract(epoch from clock_timestamp()) * 1e6 as bigint),
        coalesce((select max(number) from mail_service.bounce), 0) + 1
    ),
    :reason
from locked
on conflict do nothing;

-- name: suppress
insert into mail_service.suppression (address_hash) values (:address_hash) on conflict do nothing;

-- name: count_report
insert into mail_service.report_count as kept (name, count) values (:name, :more)
on conflict (name) do update set count = kept.count + excluded.count;

-- name: open_mailbox
-- UIDs of another mailbox begin anew.
insert into mail_service.report_reader as kept (mailbox, last_uid, tries, unread) values (:mailbox, 0, 0, 0)
on conflict (id) do update
    set
        last_uid = case when kept.mailbox = excluded.mailbox then kept.last_uid else 0 end,
        tries = case when kept.mailbox = excluded.mailbox then kept.tries else 0 end,
        mailbox = excluded.mailbox
returning last_uid;

-- name: begin_report
update mail_service.report_reader set tries = tries + 1 returning tries;

-- name: finish_report
update mail_service.report_reader set last_uid = :uid, tries = 0;

-- name: finish_look
update mail_service.report_reader
set
    last_uid = :uid, unread = :unread,
    good_look_at = case when :unread = 0 then now() else good_look_at end;

-- name: list_bounces
select number, key, reason from mail_service.bounce where number > :after order by number limit :limit;

-- name: forget_addresses
update mail_service.message set address_hash = null
where address_hash is not null and created_at <= now() - interval '30 days';

-- name: hand_over_free_rows
-- A row that another transaction holds is left out: its email waits alone, by the next statement.
update mail_service.message set stage = 'handing_over', updated_at = now()
where
    stage = 'claimed' and attempt = any(array(
        select attempt from mail_service.message where attempt = any(cast(:attempts as bigint[])) for update skip locked
    ))
returning attempt;

-- name: hand_over
update mail_service.message set stage = 'handing_over', updated_at = now()
where stage = 'claimed' and attempt = any(cast(:attempts as bigint[]))
returning attempt;

-- name: accept_free_rows
update mail_service.message set state = 'accepted', updated_at = now()
where
    attempt = any(array(
        select attempt from mail_service.message where attempt = any(cast(:attempts as bigint[])) for update skip locked
    ))
returning attempt;

-- name: decide
update mail_service.message set state = :state, updated_at = now()
where attempt = any(cast(:attempts as bigint[]));

-- name: free
-- Also where another instance judged the key in doubt meanwhile, since this one knows better. Never an accepted one.
delete from mail_service.message where attempt = any(cast(:attempts as bigint[])) and state <> 'accepted';

-- name: forget
with stopped as (
    insert into mail_service.suppression (address_hash) values (:address_hash) on conflict do nothing
)
insert into mail_service.forgotten (reference, address_hash) values (:reference, :address_hash)
on conflict (reference) do nothing;

-- name: accept_again
with kept as (
    delete from mail_service.forgotten where address_hash = :address_hash
)
delete from mail_service.suppression where address_hash = :address_hash;
