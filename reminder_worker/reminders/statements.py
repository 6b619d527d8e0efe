"""The SQL of the ledger: one statement for a whole slice, whose rows come as one JSON text. Times are the database's.

The database's clock may be put back: a moment further ahead than anything is put off (`FAR`) was written by it before
and counts for nothing, or emails would wait for as long as it was ahead.

`case when ... then true end` keeps a condition from the planner, which would take the rows that fulfil it for so
few that it compares each of them with each of the slice. `offset 0` makes it use the index for each row likewise.
"""

from sqlalchemy import text

from reminder_worker.database.tables import FAR, IN_NO_HANDS, day_of

HAS_WORK = text(f"""
    select exists (
        select from worker.sent_ledger
        where state in ('queued', 'released', 'unknown') and next_try <= now() and {IN_NO_HANDS}
    ) or exists (select from worker.sent_ledger where state = 'claimed' and lease_until < now())
    or exists (
        select from worker.sent_ledger
        where state in ('queued', 'released', 'unknown') and next_try > now() + {FAR}
    ) or exists (select from worker.sent_ledger where state = 'claimed' and lease_until > now() + {FAR})
""")  # noqa: S608 - a constant

LOCK_CLAIMS = text(f"""
    with locked as materialized (select pg_advisory_xact_lock(:lock))
    select {day_of("now()")} from locked
""")  # noqa: S608 - a constant

# Returns the entries that were not stored to be posted yet: their address, and the day of which the claim took a place.
EXPIRE_LEASES = text(f"""
    with waits_no_longer as (
        update worker.sent_ledger set next_try = now()
        where state in ('queued', 'released', 'unknown') and next_try > now() + {FAR}
    ), over as materialized (
        select id, {day_of("lease_until - make_interval(secs => :lease)")} as day from worker.sent_ledger
        where state = 'claimed' and (lease_until < now() or lease_until > now() + {FAR})
        for update
    ), expired as (
        update worker.sent_ledger l
        set state = case when claimed_at is null then 'released' else 'unknown' end,
            lease_until = null, lease_token = null, next_try = now()
        from over where l.id = over.id
        returning l.chain_id, l.legacy, l.recipient, l.claimed_at, over.day
    )
    select r.email_hash, expired.chain_id, expired.day
    from expired
    join worker.recipient r
        on r.chain_id = expired.chain_id and r.legacy = expired.legacy and r.recipient = expired.recipient
    where expired.claimed_at is null
""")  # noqa: S608 - constants

# Who unsubscribed is known to the mail service, and remembered here for a day only, since they may change their mind.
# All that is due is claimed first; what may not be sent now is given back in the same transaction (`PUT_BACK`).
# `crowded`: there are other entries of the same legacy, recipient and kind, which the rules have to look at.
CLAIM = text("""
    with due as materialized (
        select id from worker.sent_ledger
        where state in ('queued', 'released') and next_try <= now()
        order by next_try, chain_id, legacy
        limit :limit
        for update skip locked
    )
    update worker.sent_ledger l
    set state = 'claimed', lease_token = :token, lease_until = now() + make_interval(secs => :lease),
        claimed_at = null, reason = null
    from due
    join worker.sent_ledger own on own.id = due.id
    left join lateral (
        select key_id, salt, email, name, email_hash from worker.recipient r
        where r.chain_id = own.chain_id and r.legacy = own.legacy and r.recipient = own.recipient
        offset 0
    ) r on true
    left join worker.suppression s on s.email_hash = r.email_hash and abs(extract(epoch from now() - s.since)) < 86400
    where l.id = due.id
    returning l.id, l.chain_id, l.legacy, l.recipient, l.kind, l.event, l.role, l.tries, l.rejections, l.created_at,
        r.key_id, r.salt, r.email, r.name, r.email_hash,
        s.email_hash is not null as suppressed, l.next_try, l.lease_until,
        l.kind = any(cast(:limited as text[])) and exists (
            select from worker.sent_ledger o
            where o.chain_id = l.chain_id and o.legacy = l.legacy and o.recipient = l.recipient and o.kind = l.kind
              and o.id <> l.id and o.state in ('queued', 'released', 'sent', 'claimed', 'unknown', 'held')
        ) as crowded
""")

# An entry under way keeps the others of its group back until its lease is over: by then it is sent, unknown, or proven
# unsent.
SIBLINGS = text("""
    select l.id, l.chain_id, l.legacy, l.recipient, l.kind, l.created_at,
        case
            when l.state in ('queued', 'released') then null
            when l.state = 'claimed' then greatest(l.lease_until, now() + interval '10 seconds')
            else coalesce(l.claimed_at, now()) + interval '24 hours'
        end as until
    from json_to_recordset(cast(:rows as json)) as g(chain_id bigint, legacy text, recipient text, kind text)
    join worker.sent_ledger l
        on l.chain_id = g.chain_id and l.legacy = g.legacy and l.recipient = g.recipient and l.kind = g.kind
    where l.lease_token is distinct from :token and (
        l.state in ('queued', 'released')
        or l.state = 'claimed'
        or (
            l.state in ('sent', 'unknown', 'held')
            and coalesce(l.claimed_at, now()) > now() - interval '24 hours'
            and coalesce(l.claimed_at, now()) < now() + interval '24 hours'
        )
    )
""")

PUT_BACK = text("""
    update worker.sent_ledger set state = 'queued', lease_token = null, lease_until = null
    where id = any(cast(:ids as uuid[]))
""")

DELETE_ORPHANS = text("""
    delete from worker.sent_ledger l
    where l.id = any(cast(:ids as uuid[])) and not exists (
        select from worker.recipient r
        where r.chain_id = l.chain_id and r.legacy = l.legacy and r.recipient = l.recipient
    )
""")

SUPPRESS = text("""
    update worker.sent_ledger
    set state = 'suppressed', reason = 'suppressed', settled_at = clock_timestamp(), lease_token = null,
        lease_until = null
    where id = any(cast(:ids as uuid[]))
""")

MERGE = text("""
    with merged as materialized (
        select * from json_to_recordset(cast(:rows as json)) as m(id uuid, into_id uuid)
    ), followed as (
        update worker.sent_ledger l set merged_into = merged.into_id from merged where l.merged_into = merged.id
    )
    update worker.sent_ledger l
    set state = 'dropped', reason = 'merged', merged_into = merged.into_id, settled_at = clock_timestamp(),
        lease_token = null, lease_until = null
    from merged where l.id = merged.id
""")

DEFER = text("""
    update worker.sent_ledger l set next_try = d.until
    from json_to_recordset(cast(:rows as json)) as d(id uuid, until timestamptz)
    where l.id = d.id
""")

HURRY = text("""
    update worker.sent_ledger set next_try = now()
    where id = any(cast(:ids as uuid[])) and state in ('queued', 'released') and next_try > now()
""")

# Of each creator the oldest entry is put off to the beginning of the next day, the others a second later each.
# Otherwise a creator of many legacies could keep everybody else's emails from an address for as long as theirs last.
DEFER_TO_NEXT_DAY = text("""
    with over as materialized (select unnest(cast(:ids as uuid[])) as id),
    address as materialized (
        select distinct r.email_hash
        from over
        join worker.sent_ledger l on l.id = over.id
        join worker.recipient r on r.chain_id = l.chain_id and r.legacy = l.legacy and r.recipient = l.recipient
    ), turn as materialized (
        select l.id, row_number() over (
            partition by r.email_hash, w.creator order by l.created_at, l.chain_id, l.legacy
        ) - 1 as seconds
        from address
        join worker.recipient r on r.email_hash = address.email_hash
        join worker.watch w on w.chain_id = r.chain_id and w.legacy = r.legacy
        join worker.sent_ledger l on l.chain_id = r.chain_id and l.legacy = r.legacy and l.recipient = r.recipient
        where l.id in (select id from over)
           or (l.state = 'queued' and l.reason = 'daily_cap' and l.next_try >= to_timestamp(:until))
    )
    update worker.sent_ledger l
    set state = 'queued', reason = 'daily_cap', lease_token = null, lease_until = null,
        next_try = to_timestamp(:until) + make_interval(secs => least(coalesce(turn.seconds, 0), 86400))  -- below FAR
    from over left join turn on turn.id = over.id
    where l.id = over.id
""")

# Returns the addresses that are over their cap now, and no others.
CHARGE = text("""
    with charged as (
        insert into worker.quota (scope, subject, "window", used, ends_at)
        select 'email_day', subject, :day, cost, :ends
        from json_to_recordset(cast(:rows as json)) as c(subject text, cost bigint)
        on conflict (scope, subject, "window") do update set used = quota.used + excluded.used
        returning subject, used
    )
    select subject, used - :cap as over from charged where used > :cap
""")

REFUND = text("""
    update worker.quota q set used = greatest(0, q.used - c.cost)
    from json_to_recordset(cast(:rows as json)) as c(subject text, cost bigint)
    where q.scope = 'email_day' and q.subject = c.subject and q."window" = :day and q.ends_at = :ends
""")

_ANOTHER = """
    o.chain_id = l.chain_id and o.legacy = l.legacy and o.recipient = l.recipient and o.kind = l.kind and o.id <> l.id
"""
_SENT_MEANWHILE = """(
    o.state in ('sent', 'claimed', 'unknown', 'held')
    and coalesce(o.claimed_at, now()) > greatest(l.claimed_at, now() - interval '24 hours')
    and coalesce(o.claimed_at, now()) < now() + interval '24 hours'
)"""

# The day (unix seconds) on which an email was last stored to be posted: for its address it counts on that day.
_POSTED_ON = day_of("l.claimed_at")

CLAIM_UNKNOWN = text(f"""
    with due as materialized (
        select id from worker.sent_ledger
        where state = 'unknown' and next_try <= now() and {IN_NO_HANDS}
        order by next_try, chain_id, legacy
        limit :limit
        for update skip locked
    )
    update worker.sent_ledger l
    set lease_token = :token, lease_until = now() + make_interval(secs => :lease)
    from due
    join worker.sent_ledger own on own.id = due.id
    left join worker.recipient r
        on r.chain_id = own.chain_id and r.legacy = own.legacy and r.recipient = own.recipient
    where l.id = due.id
    returning l.id, l.chain_id, l.legacy, l.recipient, l.kind, l.event, l.role, l.tries, l.rejections, l.created_at,
        r.key_id, r.salt, r.email, r.name, r.email_hash,
        case when l.body_salt = r.salt then l.body end as body, l.reason is not distinct from 'reworded' as reworded,
        l.kind = any(cast(:limited as text[])) and exists (
            select from worker.sent_ledger o where {_ANOTHER} and {_SENT_MEANWHILE}
        ) as sent_meanwhile,
        case when l.body_salt = r.salt or l.reason is not distinct from 'reworded' then {_POSTED_ON} end as counted_on,
        l.lease_until
""")  # noqa: S608 - constants

# Recipient rows are locked before ledger rows and in the order of their key, as writes of recipients do.
STORE = text(f"""
    with mine as materialized (
        select l.id, l.chain_id, l.legacy, l.recipient, decode(b.body, 'base64') as body,
            decode(b.salt, 'base64') as salt
        from json_to_recordset(cast(:rows as json)) as b(id uuid, body text, salt text)
        join worker.sent_ledger l on l.id = b.id
        where case
            when l.lease_token = :token and l.state = 'claimed' and l.lease_until > clock_timestamp() then true
        end
    ), live as materialized (
        select mine.id, mine.body, mine.salt
        from mine
        join worker.recipient r
            on r.chain_id = mine.chain_id and r.legacy = mine.legacy and r.recipient = mine.recipient
           and r.salt = mine.salt
        order by r.chain_id, r.legacy, r.recipient
        for share of r
    )
    update worker.sent_ledger l set body = live.body, body_salt = live.salt, claimed_at = clock_timestamp()
    from live where l.id = live.id and case when l.lease_token = :token and l.state = 'claimed' then true end
    returning l.id, {_POSTED_ON} as posted_on
""")  # noqa: S608 - a constant

# The last look before entries of a claim are posted: where the recipient was erased or replaced, the body is gone.
NOT_TO_POST = text("""
    select id from unnest(cast(:ids as uuid[])) as asked(id)
    except all
    select id from worker.sent_ledger
    where id = any(cast(:ids as uuid[])) and lease_token = :token and lease_until > clock_timestamp()
      and state in ('claimed', 'unknown') and body is not null
""")

# Which undecided entries may be posted again. It looks once more for another entry of the same kind, legacy and
# recipient: one that was claimed since, or one that is undecided, too, of which the latest goes first.
CONFIRM = text(f"""
    with live as materialized (
        select l.id
        from worker.sent_ledger l
        join worker.recipient r
            on r.chain_id = l.chain_id and r.legacy = l.legacy and r.recipient = l.recipient and r.salt = l.body_salt
        where l.id = any(cast(:ids as uuid[])) and l.lease_token = :token and l.lease_until > clock_timestamp()
          and not (l.kind = any(cast(:limited as text[])) and exists (
            select from worker.sent_ledger o
            where {_ANOTHER} and ({_SENT_MEANWHILE} or (
                o.id = any(cast(:ids as uuid[])) and (o.created_at, o.id) > (l.created_at, l.id)
            ))
          ))
        order by r.chain_id, r.legacy, r.recipient
        for share of r
    )
    update worker.sent_ledger l set claimed_at = clock_timestamp()
    from live where l.id = live.id and l.lease_token = :token and l.state = 'unknown' and l.body is not null
    returning l.id, {_POSTED_ON} as posted_on
""")  # noqa: S608 - constants

# An email that was to be posted and has no body any more was for an address that was replaced or erased since. When
# nothing came of it, the new address is told of what still lasts, but of nothing past.
_OF_BEFORE = """(
    o.state in ('released', 'suppressed', 'dead')
    and l.claimed_at is not null and l.body is null and l.reason is distinct from 'reworded'
)"""
_NOT_TOLD = f"({_OF_BEFORE} and l.kind <> all(cast(:lasting as text[])))"
_BECOMES = f"""(
    case when {_NOT_TOLD} then 'dropped' when {_OF_BEFORE} then 'released' else o.state end
)"""

# Returns the entries that were settled without being sent, and those that are gone because their recipient was erased:
# the places that they took of an address's day may be given back. Of what is gone only during its lease: whoever finds
# the lease over gives the place back (`EXPIRE_LEASES`).
SETTLE = text(f"""
    with outcome as materialized (
        select * from json_to_recordset(cast(:rows as json)) as o(
            id uuid, state text, reason text, message_id text, delay float8, tries int, rejections int
        )
    ), settled as (
        update worker.sent_ledger l
        set state = {_BECOMES},
            reason = case
                when {_NOT_TOLD} then 'body_gone'
                when o.state = 'unknown' and l.reason = 'reworded' then l.reason
                else o.reason end,
            message_id = o.message_id,
            tries = l.tries + o.tries,
            rejections = case when {_OF_BEFORE} then 0 else l.rejections + o.rejections end,
            next_try = clock_timestamp() + make_interval(secs => o.delay),
            lease_token = null,
            lease_until = null,
            claimed_at = case
                when {_BECOMES} = 'released' then null
                -- Null where it was proven unsent too early, and claimed again. Others of its kind wait from then on.
                when o.state = 'sent' then coalesce(l.claimed_at, clock_timestamp())
                else l.claimed_at end,
            settled_at = case when {_BECOMES} in ('released', 'unknown') then null else clock_timestamp() end,
            body = case when o.state = 'unknown' then l.body end,
            body_salt = case when o.state = 'unknown' then l.body_salt end
        from outcome o
        where l.id = o.id and case
            when l.lease_token = :token or (o.state = 'sent' and l.state in ('claimed', 'unknown', 'held')) then true
        end
        returning l.id
    )
    select o.id from outcome o where o.state <> 'sent' and (
        o.id in (select id from settled)
        or clock_timestamp() < cast(:until as timestamptz)
        and (select l.id from worker.sent_ledger l where l.id = o.id) is null -- `not exists` may read the whole table
    )
""")  # noqa: S608 - constants

REMEMBER_SUPPRESSED = text("""
    insert into worker.suppression (email_hash) select unnest(cast(:hashes as bytea[]))
    on conflict (email_hash) do update set since = excluded.since
""")

# Has the due pass ask again about legacies of dropped entries: it closes a window that is over, and one that is open is
# planned again, which brings the entries back.
ASK_AGAIN = text("""
    update worker.watch w set next_ask = 0
    from json_to_recordset(cast(:rows as json)) as d(chain_id bigint, legacy text)
    where w.chain_id = d.chain_id and w.legacy = d.legacy
""")
