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
    from json_to_recordset(cast(:rows as json)) as c(subject text, cost bigint)
    on conflict (scope, subject, "window") do update set used = quota.used + excluded.used
    returning subject, used
)
select subject, used - :cap as over from charged where used > :cap;

-- name: refund
update worker.quota q set used = greatest(0, q.used - c.cost)
from json_to_recordset(cast(:rows as json)) as c(subject text, cost bigint)
where q.scope = 'email_day' and q.subject = c.subject and q."window" = :day and q.ends_at = :ends;

-- name: remember_suppressed
insert into worker.suppression (email_hash) select unnest(cast(:hashes as bytea[]))
on conflict (email_hash) do update set since = excluded.since;
