-- Statements shared by all emails. Statements on a feature's ledger stand in the `queries.sql` of the feature.

-- name: lock_claims
-- Return the UTC day (unix seconds) by the database's clock, holding the lock that serialises claims.
with locked as materialized (select pg_advisory_xact_lock(:lock))
select cast(floor(extract(epoch from now()) / 86400) * 86400 as bigint) from locked;

-- name: charge
-- Reserve quota. Return only the addresses that are now over their cap.
with charged as (
    insert into worker.quota (scope, subject, "window", used, ends_at)
    select 'email_day', subject, :day, cost, :ends
    from json_to_recordset(cast(:rows as json)) as c (subject text, cost bigint)
    on conflict (scope, subject, "window") do update set used = quota.used + excluded.used
    returning subject, used
)
select subject, used - :cap as over from charged where used > :cap;

-- name: refund
update worker.quota q set used = greatest(0, q.used - c.cost)
from json_to_recordset(cast(:rows as json)) as c (subject text, cost bigint)
where q.scope = 'email_day' and q.subject = c.subject and q."window" = :day and q.ends_at = :ends;

-- name: remember_suppressed
insert into worker.suppression (email_hash) select unnest(cast(:hashes as bytea[]))
on conflict (email_hash) do update set since = excluded.since;

-- name: bounce_cursor
select after from worker.bounce_cursor;

-- name: move_bounce_cursor
insert into worker.bounce_cursor (id, after) values (1, :after)
on conflict (id) do update set after = greatest(bounce_cursor.after, excluded.after);

-- name: keep_reports
-- A time outside the last year is brought into it: a mail service may send any time, and its age must be a number.
insert into worker.report_reading as kept (
    id, unread, looked_at, taken, unmatched, set_aside, set_aside_at, not_complaints, unreadable
)
values (
    1,
    cast(:unread as bigint),
    case
        when cast(:looked_at as timestamptz) is not null then
            least(greatest(cast(:looked_at as timestamptz), clock_timestamp() - interval '1 year'), clock_timestamp())
    end,
    :taken,
    :unmatched,
    :set_aside,
    case when cast(:set_aside as bigint) > 0 then clock_timestamp() end,
    :not_complaints,
    :unreadable
)
on conflict (id) do update set
    unread = excluded.unread,
    looked_at = excluded.looked_at,
    taken = excluded.taken,
    unmatched = excluded.unmatched,
    set_aside = excluded.set_aside,
    set_aside_at = case when excluded.set_aside > kept.set_aside then excluded.set_aside_at else kept.set_aside_at end,
    not_complaints = excluded.not_complaints,
    unreadable = excluded.unreadable;

-- name: record_bounces
-- A mailbox that does not exist stays so, whatever a report about an earlier email says.
insert into worker.bounce (email_hash, reason)
select decode(email_hash, 'base64'), reason
from json_to_recordset(cast(:rows as json)) as b (email_hash text, reason text)
on conflict (email_hash) do update
    set reason = excluded.reason, since = clock_timestamp()
    where bounce.reason <> 'mailbox_unknown';

-- name: due_alerts
-- Alerts to send now, fewest tries first: a failing alert does not block the others. Alerts about one thing (a
-- condition, or an upgrade in all of its stages) keep their order, so that the end of a condition is not sent before
-- its beginning. For about three hours (20 tries) an alert is therefore also due if a later alert about the thing is
-- due.
with queued as (
    select *, case when starts_with(kind, 'upgrade_') then 'upgrade' else kind end as thing, tries < 20 as is_new
    from worker.alert where state = 'queued'
)
select id, chain_id, kind, tries, created_at, variables from queued a
where
    next_try <= clock_timestamp() or (is_new and exists (
        select from queued later
        where
            later.chain_id = a.chain_id and later.subject = a.subject and later.thing = a.thing
            and later.created_at > a.created_at and later.next_try <= clock_timestamp()
    ))
order by max(tries) over (partition by chain_id, subject, thing, is_new), created_at
limit 100;
