-- Statements of reminders, one for a whole batch: rows come as arrays or as one JSON text. Times are the database's.
--
-- `case when ... then true end` hides a condition from the planner, which would expect few rows and compare each of
-- them with each row of the batch. `offset 0` makes the planner use the index for each row, too.
--
-- A window is planned with members that were read at its block or later; until then it waits.

-- name: something_to_plan
select exists (
    select from worker.notify_signal where chain_id = :chain_id and state = 'new' and next_try <= now()
);

-- name: a_window_to_plan
select exists (
    select from worker.due_window d
    join worker.watch w on w.chain_id = d.chain_id and w.legacy = d.legacy
    where
        d.chain_id = :chain_id and d.planned_at is null
        and (d.state = 'open' or (d.state = 'too_old' and d.further_due > d.further_over))
        and w.membership is not null and w.membership_block >= d.block_number and w.membership_block <= :head
);

-- name: age_signals
update worker.notify_signal set state = 'too_old', reason = 'not_planned_in_time'
where chain_id = :chain_id and state = 'new' and block_time < :oldest;

-- name: signals_to_plan
select
    tx_hash, legacy, kind, layer, block_number, block_time, tries,
    cast(extract(epoch from now() - seen_at) as bigint), (reason is not distinct from :denied)
from worker.notify_signal
where chain_id = :chain_id and state = 'new' and next_try <= now()
order by block_number, tx_hash, layer
limit :limit;

-- name: windows_to_plan
-- Of a window that was first read too late only the further emails are sent whose day was still ahead.
select
    d.legacy, d."window", d.deadline, d.state, d.further_due, d.further_over, w.membership, w.membership_block,
    cast(d.xmin as text) as version
from worker.due_window d
join worker.watch w on w.chain_id = d.chain_id and w.legacy = d.legacy
where
    d.chain_id = :chain_id and d.planned_at is null
    and (d.state = 'open' or (d.state = 'too_old' and d.further_due > d.further_over))
    and w.membership is not null and w.membership_block >= d.block_number and w.membership_block <= :head
order by d.legacy
limit :limit;

-- name: mark_windows
-- xmin is the row's version: if the due pass changed the row meanwhile, for example because it read other members, the
-- window is planned anew.
update worker.due_window d set planned_at = clock_timestamp()
from
    unnest(
        cast(:legacies as text[]), cast(:windows as int[]), cast(:deadlines as bigint[]), cast(:versions as xid[])
    ) as p (legacy, "window", deadline, version)
where
    d.chain_id = :chain_id and d.legacy = p.legacy and d."window" = p."window" and d.deadline = p.deadline
    and d.xmin = p.version
returning d.legacy, d."window", d.deadline;

-- name: rearm
update worker.due_window set planned_at = null
where chain_id = :chain_id and legacy = :legacy and state <> 'closed';

-- name: lock_recipients
-- Locked in the order of their key, as writes of recipients do it.
select legacy, recipient from worker.recipient
where chain_id = :chain_id and legacy = any(cast(:legacies as text[]))
order by chain_id, legacy, recipient
for share;

-- name: insert_entries
-- The listed reasons may be over: a node lagged, the legacy was not readable, or the address was an earlier one. A
-- further email of a window has the first one's event with an ending. The first one never follows it.
insert into worker.sent_ledger as l (id, chain_id, legacy, recipient, kind, event, role, next_try)
select gen_random_uuid(), :chain_id, legacy, recipient, kind, event, role, now()
from
    unnest(
        cast(:legacies as text[]), cast(:recipients as text[]), cast(:kinds as text[]), cast(:events as text[]),
        cast(:roles as text[])
    ) as e (legacy, recipient, kind, event, role)
where
    not exists (
        select from worker.sent_ledger f
        where
            f.chain_id = :chain_id and f.legacy = e.legacy and f.recipient = e.recipient and f.kind = e.kind
            and starts_with(f.event, e.event || ':') and f.state <> 'dropped'
    )
on conflict (chain_id, legacy, recipient, kind, event) do update
    set
        state = 'queued', role = excluded.role, reason = null, tries = 0, rejections = 0, settled_at = null,
        next_try = excluded.next_try, created_at = clock_timestamp()
    where cast(:rearm as boolean) and l.state = 'dropped'
    and l.reason in ('not_in_audience', 'window_closed', 'legacy_not_readable', 'body_gone');

-- name: settle_signals
update worker.notify_signal n
set
    state = p.state, reason = p.reason, amounts = cast(p.amounts as jsonb), tries = n.tries + 1,
    next_try = clock_timestamp() + make_interval(secs => p.delay)
from
    unnest(
        cast(:tx_hashes as text[]), cast(:legacies as text[]), cast(:kinds as int[]), cast(:layers as int[]),
        cast(:states as text[]), cast(:reasons as text[]), cast(:amounts as text[]), cast(:delays as float8[])
    ) as p (tx_hash, legacy, kind, layer, state, reason, amounts, delay)
where
    n.chain_id = :chain_id and n.tx_hash = p.tx_hash and n.legacy = p.legacy and n.kind = p.kind
    and n.layer = p.layer and n.state = 'new';

-- name: told_lines
-- Of a window that was first read too late, only a further email tells the line.
-- A line counts as told if the deadline of the window that lets it act came after the owner's last sign of life. One in
-- the block of the claim itself does not count: it came after the claim, since right after a sign of life nothing can
-- be claimed.
select s.legacy, s.at, max(case d."window" when 5 then 2 else 3 end) as line
from unnest(cast(:legacies as text[]), cast(:times as bigint[])) as s (legacy, at)
join worker.due_window d
    on d.chain_id = :chain_id and d.legacy = s.legacy and d."window" in (5, 6) and d.deadline <= s.at
where
    (d.state <> 'too_old' or exists (
        select from worker.sent_ledger l
        where
            l.chain_id = d.chain_id and l.legacy = d.legacy
            and starts_with(l.event, format('%s:%s:', d."window", d.deadline))
    ))
    and d.deadline > coalesce((
        select max(n.block_time) from worker.notify_signal n
        where n.chain_id = :chain_id and n.legacy = s.legacy and n.kind = 0 and n.block_time < s.at
    ), 0)
group by s.legacy, s.at;

-- name: config_events
select block_number, log_index, block_hash, block_time, tx_hash, contract, name, legacy, creator, timelock_id, data
from worker.chain_event
where chain_id = :chain_id and legacy = any(cast(:legacies as text[])) and name = any(cast(:names as text[]))
order by block_number, log_index;

-- name: stored_memberships
select legacy, membership from worker.watch
where chain_id = :chain_id and legacy = any(cast(:legacies as text[])) and membership is not null;

-- name: amounts
with carried as (
    select id as entry_id, chain_id, legacy, event from worker.sent_ledger where id = any(cast(:ids as uuid[]))
    union all
    select merged_into, chain_id, legacy, event from worker.sent_ledger
    where merged_into = any(cast(:ids as uuid[]))
)
select c.entry_id, n.tx_hash, n.amounts
from carried c
join worker.notify_signal n
    on n.chain_id = c.chain_id and n.tx_hash = split_part(c.event, ':', 1) and n.legacy = c.legacy
    and n.kind = 2 and n.layer = cast(split_part(c.event, ':', 2) as int);

-- name: told
select l.legacy, l.event, l.role, count(*) as people
from unnest(cast(:legacies as text[]), cast(:events as text[])) as asked (legacy, event)
join worker.sent_ledger l
    on l.chain_id = :chain_id and l.legacy = asked.legacy and l.event = asked.event and l.kind = 'instructions'
where l.role <> 'owner' and l.state not in ('dropped', 'dead', 'suppressed')
group by l.legacy, l.event, l.role;

-- name: spend_and_read
-- One round trip; a second reader of the same digest waits for the first and then has spent nothing. The commit does
-- not wait for the disk: a crash of the database may forget the digests of reads of its last second, never a write's. A
-- creator never changes: what one saved is not shown to another, whatever a node says now.
with spending as (
    insert into worker.used_signature (digest, deadline)
    select :digest, :deadline where set_config('synchronous_commit', 'off', true) = 'off'
    on conflict do nothing returning true
)
select
    exists(select from spending) as spent, r.*, b.reason as bounce_reason, b.since as bounced_at,
    s.email_hash is not null as unsubscribed
from (select) as once
left join worker.recipient r
    on r.chain_id = :chain_id and r.legacy = :legacy and exists (select from spending)
    and not exists (
        select from worker.watch w where w.chain_id = :chain_id and w.legacy = :legacy and w.creator <> :creator
    )
left join worker.bounce b on b.email_hash = r.email_hash
left join worker.suppression s on s.email_hash = r.email_hash and s.since > now() - interval '24 hours'
order by r.recipient;

-- name: receipts
-- The last emails to each person of a legacy, except those that left or ended before the address was written. Waiting
-- emails go to the stored address.
select r.recipient, l.kind, l.state, l.reason, l.at, b.reason as bounce_reason
from worker.recipient r
left join worker.bounce b on b.email_hash = r.email_hash
join lateral (
    select kind, state, reason, coalesce(claimed_at, settled_at, created_at) as at
    from worker.sent_ledger
    where
        chain_id = r.chain_id and legacy = r.legacy and recipient = r.recipient
        and kind = any(cast(:kinds as text[]))
        and (state in ({waiting}) or coalesce(claimed_at, settled_at, created_at) >= r.written_at)
    order by at desc, id
    limit :most
) l on true
where r.chain_id = :chain_id and r.legacy = :legacy
order by r.recipient, l.at desc;

-- name: has_work
select exists (
    select from worker.sent_ledger
    where
        state in ({to_try}) and next_try <= now()
        and (lease_until is null or lease_until < now())
) or exists (select from worker.sent_ledger where state = 'claimed' and lease_until < now());

-- name: has_new_instructions
-- Among the hundred emails that are due first; with more of them a run sends all.
select exists (
    select from (
        select kind from worker.sent_ledger
        where state in ({to_try}) and state = 'queued' and next_try <= now()
        order by next_try
        limit 100
    ) as due
    where kind = 'instructions'
);

-- name: expire_leases
-- Returns the entries that were not stored to be posted yet: their address, and the day of which the claim took a
-- place.
with over as materialized (
    select
        id,
        cast(floor(extract(epoch from lease_until - make_interval(secs => :lease)) / 86400) * 86400 as bigint) as day
    from worker.sent_ledger
    where state = 'claimed' and lease_until < now()
    for update
), expired as (
    update worker.sent_ledger l
    set
        state = case when claimed_at is null then 'released' else 'unknown' end,
        lease_until = null, lease_token = null, next_try = now()
    from over where l.id = over.id
    returning l.chain_id, l.legacy, l.recipient, l.claimed_at, over.day
)
select r.email_hash, expired.chain_id, expired.day
from expired
join worker.recipient r
    on r.chain_id = expired.chain_id and r.legacy = expired.legacy and r.recipient = expired.recipient
where expired.claimed_at is null;

-- name: claim
-- Who unsubscribed is known to the mail service, and remembered here for a day only, since they may change their mind.
-- All that is due is claimed first; what may not be sent now is given back in the same transaction (`put_back`).
-- `crowded`: there are other entries of the same legacy, recipient and kind, which the rules have to look at.
with due as materialized (
    select id from worker.sent_ledger
    where state in ({waiting}) and next_try <= now()
    order by next_try, chain_id, legacy
    limit :limit
    for update skip locked
)
update worker.sent_ledger l
set
    state = 'claimed', lease_token = :token, lease_until = now() + make_interval(secs => :lease),
    claimed_at = null, reason = null
from due
join worker.sent_ledger own on own.id = due.id
left join lateral (
    select key_id, salt, email, name, email_hash, words from worker.recipient r
    where r.chain_id = own.chain_id and r.legacy = own.legacy and r.recipient = own.recipient
    offset 0
) r on true
left join worker.suppression s on s.email_hash = r.email_hash and s.since > now() - interval '24 hours'
left join worker.bounce b on b.email_hash = r.email_hash and b.reason = 'mailbox_unknown'
where l.id = due.id
returning
    l.id, l.chain_id, l.kind, l.tries, l.rejections, r.email_hash,
    l.legacy, l.recipient, l.event, l.role, l.created_at, r.key_id, r.salt, r.email, r.name, r.words,
    s.email_hash is not null as suppressed, b.email_hash is not null as bounced, l.next_try, l.lease_until,
    l.kind = any(cast(:limited as text[])) and exists (
        select from worker.sent_ledger o
        where
            o.chain_id = l.chain_id and o.legacy = l.legacy and o.recipient = l.recipient and o.kind = l.kind
            and o.id <> l.id and o.state in ({waiting}, {maybe_sent})
    ) as crowded;

-- name: siblings
-- An entry under way keeps the others of its group back until its lease is over: by then it is sent, unknown, or proven
-- unsent.
select
    l.id, l.chain_id, l.legacy, l.recipient, l.kind, l.event, l.created_at,
    case
        when l.state in ({waiting}) then null
        when l.state = 'claimed' then greatest(l.lease_until, now() + interval '10 seconds')
        else coalesce(l.claimed_at, now()) + interval '24 hours'
    end as until
from json_to_recordset(cast(:rows as json)) as g (chain_id bigint, legacy text, recipient text, kind text)
join worker.sent_ledger l
    on l.chain_id = g.chain_id and l.legacy = g.legacy and l.recipient = g.recipient and l.kind = g.kind
where l.lease_token is distinct from :token and (
    l.state in ({waiting})
    or l.state = 'claimed'
    or (
        l.state in ('sent', 'unknown', 'held')
        and coalesce(l.claimed_at, now()) > now() - interval '24 hours'
    )
);

-- name: put_back
update worker.sent_ledger set state = 'queued', lease_token = null, lease_until = null
where id = any(cast(:ids as uuid[]));

-- name: delete_orphans
delete from worker.sent_ledger l
where l.id = any(cast(:ids as uuid[])) and not exists (
    select from worker.recipient r
    where r.chain_id = l.chain_id and r.legacy = l.legacy and r.recipient = l.recipient
);

-- name: suppress
update worker.sent_ledger
set
    state = 'suppressed', reason = :reason, settled_at = clock_timestamp(), lease_token = null,
    lease_until = null
where id = any(cast(:ids as uuid[]));

-- name: bounced_addresses
-- An address that was corrected after the email left did not come back.
select l.id, r.email_hash
from worker.sent_ledger l
join worker.recipient r
    on r.chain_id = l.chain_id and r.legacy = l.legacy and r.recipient = l.recipient and r.written_at <= l.claimed_at
where l.id = any(cast(:ids as uuid[]));

-- name: note_returned
-- A corrected address gets the email again, if it is still true.
update worker.sent_ledger set reason = 'bounced' where id = any(cast(:ids as uuid[])) and state = 'sent';

-- name: merge
with merged as materialized (
    select * from json_to_recordset(cast(:rows as json)) as m (id uuid, into_id uuid)
), followed as (
    update worker.sent_ledger l set merged_into = merged.into_id from merged where l.merged_into = merged.id
)
update worker.sent_ledger l
set
    state = 'dropped', reason = 'merged', merged_into = merged.into_id, settled_at = clock_timestamp(),
    lease_token = null, lease_until = null
from merged where l.id = merged.id;

-- name: defer
update worker.sent_ledger l set next_try = d.until
from json_to_recordset(cast(:rows as json)) as d (id uuid, until timestamptz)
where l.id = d.id;

-- name: hurry
update worker.sent_ledger set next_try = now()
where id = any(cast(:ids as uuid[])) and state in ({waiting}) and next_try > now();

-- name: defer_to_next_day
-- Of each creator the first entry is put off to the beginning of the next day, the others a second later each.
-- Otherwise a creator of many legacies could keep everybody else's emails from an address for as long as theirs last. A
-- counter knows how many were put off before: a claim does not read them again.
with over as materialized (
    select
        l.id, encode(r.email_hash, 'hex') || ' ' || coalesce(w.creator, '') as subject,
        row_number() over (
            partition by r.email_hash, w.creator order by l.created_at, l.chain_id, l.legacy
        ) as turn
    from unnest(cast(:ids as uuid[])) as asked (id)
    join worker.sent_ledger l on l.id = asked.id
    join worker.recipient r on r.chain_id = l.chain_id and r.legacy = l.legacy and r.recipient = l.recipient
    left join worker.watch w on w.chain_id = r.chain_id and w.legacy = r.legacy
), counted as (
    insert into worker.quota (scope, subject, "window", used, ends_at)
    select 'put_off', subject, :until, count(*), :until from over group by subject order by subject
    on conflict (scope, subject, "window") do update set used = quota.used + excluded.used
    returning subject, used
), delay as (
    select over.id, counted.used - max(over.turn) over (partition by subject) + over.turn - 1 as seconds
    from over join counted using (subject)
)
update worker.sent_ledger l
set
    state = 'queued', reason = 'daily_cap', lease_token = null, lease_until = null,
    next_try = to_timestamp(:until) + make_interval(secs => least(delay.seconds, 86400))
from delay where l.id = delay.id;

-- name: claim_unknown
with due as materialized (
    select id from worker.sent_ledger
    where state = 'unknown' and next_try <= now() and (lease_until is null or lease_until < now())
    order by next_try, chain_id, legacy
    limit :limit
    for update skip locked
)
update worker.sent_ledger l
set lease_token = :token, lease_until = now() + make_interval(secs => :lease)
from due
join worker.sent_ledger own on own.id = due.id
left join worker.recipient r on r.chain_id = own.chain_id and r.legacy = own.legacy and r.recipient = own.recipient
where l.id = due.id
returning
    l.id, l.chain_id, l.kind, l.tries, l.rejections, r.email_hash,
    l.legacy, l.recipient, l.event, l.role, l.created_at, r.key_id, r.salt, r.email, r.name, r.words,
    case when l.body_salt = r.salt then l.body end as body,
    case
        when l.body_salt = r.salt or l.reason is not distinct from 'reworded'
            then cast(floor(extract(epoch from l.claimed_at) / 86400) * 86400 as bigint)
    end as counted_on,
    l.reason is not distinct from 'reworded' as reworded,
    l.kind = any(cast(:limited as text[])) and exists (
        select from worker.sent_ledger o
        where
            o.chain_id = l.chain_id and o.legacy = l.legacy and o.recipient = l.recipient and o.kind = l.kind
            and o.id <> l.id and o.state in ({maybe_sent})
            and coalesce(o.claimed_at, now()) > greatest(l.claimed_at, now() - interval '24 hours')
    ) as sent_meanwhile,
    l.lease_until;

-- name: store
-- Recipient rows are locked before ledger rows and in the order of their key, as writes of recipients do.
with mine as materialized (
    select
        l.id, l.chain_id, l.legacy, l.recipient, decode(b.body, 'base64') as body,
        decode(b.salt, 'base64') as salt, decode(b.number_hash, 'base64') as number_hash
    from json_to_recordset(cast(:rows as json)) as b (id uuid, body text, salt text, number_hash text)
    join worker.sent_ledger l on l.id = b.id
    where case
        when l.lease_token = :token and l.state = 'claimed' and l.lease_until > clock_timestamp() then true
    end
), live as materialized (
    select mine.id, mine.body, mine.salt, mine.number_hash
    from mine
    join worker.recipient r
        on r.chain_id = mine.chain_id and r.legacy = mine.legacy and r.recipient = mine.recipient
        and r.salt = mine.salt
    order by r.chain_id, r.legacy, r.recipient
    for share of r
)
update worker.sent_ledger l
set body = live.body, body_salt = live.salt, number_hash = live.number_hash, claimed_at = clock_timestamp()
from live where l.id = live.id and case when l.lease_token = :token and l.state = 'claimed' then true end
returning l.id, cast(floor(extract(epoch from l.claimed_at) / 86400) * 86400 as bigint) as posted_on;

-- name: not_to_post
-- The last look before entries of a claim are posted: where the recipient was erased or replaced, the body is gone.
select id from unnest(cast(:ids as uuid[])) as asked (id)
except all
select id from worker.sent_ledger
where
    id = any(cast(:ids as uuid[])) and lease_token = :token and lease_until > clock_timestamp()
    and state in ('claimed', 'unknown') and body is not null;

-- name: confirm
-- Return the undecided entries that may be posted again. An entry waits if another one of its kind, legacy and
-- recipient was claimed since, or is undecided, too, and newer.
with live as materialized (
    select l.id
    from worker.sent_ledger l
    join worker.recipient r
        on r.chain_id = l.chain_id and r.legacy = l.legacy and r.recipient = l.recipient and r.salt = l.body_salt
    where
        l.id = any(cast(:ids as uuid[])) and l.lease_token = :token and l.lease_until > clock_timestamp()
        and not (l.kind = any(cast(:limited as text[])) and exists (
            select from worker.sent_ledger o
            where
                o.chain_id = l.chain_id and o.legacy = l.legacy and o.recipient = l.recipient and o.kind = l.kind
                and o.id <> l.id and ((
                    o.state in ({maybe_sent})
                    and coalesce(o.claimed_at, now()) > greatest(l.claimed_at, now() - interval '24 hours')
                ) or (o.id = any(cast(:ids as uuid[])) and (o.created_at, o.id) > (l.created_at, l.id)))
        ))
    order by r.chain_id, r.legacy, r.recipient
    for share of r
)
update worker.sent_ledger l set claimed_at = clock_timestamp()
from live where l.id = live.id and l.lease_token = :token and l.state = 'unknown' and l.body is not null
returning l.id, cast(floor(extract(epoch from l.claimed_at) / 86400) * 86400 as bigint) as posted_on;

-- name: settle
-- Return the unsent entries that were settled, and those whose recipient was erased during their lease: their daily
-- quota is refunded. After the lease, `expire_leases` refunds it.
--
-- `gone`: the address was replaced or erased after posting, and nothing was sent. A new address gets the email only if
-- its state lasts.
with outcome as materialized (
    select * from json_to_recordset(cast(:rows as json)) as o (
        id uuid, state text, reason text, message_id text, delay float8, tries int, rejections int
    )
), settled as (
    update worker.sent_ledger l
    set
        (state, reason, rejections, claimed_at, settled_at) = (
            select
                next.state,
                case
                    when gone and next.state = 'dropped' then 'body_gone'
                    when o.state = 'unknown' and l.reason = 'reworded' then l.reason
                    else o.reason
                end,
                case when gone then 0 else l.rejections + o.rejections end,
                -- Null if it was proven unsent too early and claimed again: its siblings wait from now on.
                case when next.state = 'sent' then coalesce(l.claimed_at, clock_timestamp()) else l.claimed_at end,
                case when next.state not in ('released', 'unknown') then clock_timestamp() end
            from (
                select (
                    o.state in ('released', 'suppressed', 'dead') and l.claimed_at is not null and l.body is null
                    and l.reason is distinct from 'reworded'
                ) as gone
            ) as body
            cross join lateral (
                select case
                    when not gone then o.state
                    when l.kind = any(cast(:lasting as text[])) then 'released'
                    else 'dropped'
                end as state
            ) as next
        ),
        message_id = o.message_id,
        tries = l.tries + o.tries,
        next_try = clock_timestamp() + make_interval(secs => o.delay),
        lease_token = null,
        lease_until = null,
        body = case when o.state = 'unknown' then l.body end,
        body_salt = case when o.state = 'unknown' then l.body_salt end
    from outcome o
    where
        l.id = o.id and case
            when l.lease_token = :token or (o.state = 'sent' and l.state in ({undecided})) then true
        end
    returning l.id
)
select o.id from outcome o where o.state <> 'sent' and (
    o.id in (select id from settled)
    or clock_timestamp() < cast(:until as timestamptz)
    and (select l.id from worker.sent_ledger l where l.id = o.id) is null -- `not exists` may read the whole table
);

-- name: ask_again
-- Has the due pass ask again about legacies of dropped entries: it closes a window that is over, and one that is open
-- is planned again, which brings the entries back.
update worker.watch w set next_ask = 0
from json_to_recordset(cast(:rows as json)) as d (chain_id bigint, legacy text)
where w.chain_id = d.chain_id and w.legacy = d.legacy;

-- name: something_to_ask
-- Not `exists`: without the order the planner would read the whole table.
select coalesce((
    select true from worker.watch
    where chain_id = :chain_id and next_ask <= :now and (paused_until is null or paused_until < now())
    order by next_ask
    limit 1
), false);

-- name: ask_again_window
-- Rows with members of a block above the chain's head: of an endpoint that told of blocks that are not there, and was
-- taken out since.
update worker.watch set next_ask = 0 where chain_id = :chain_id and membership_block > :head;

-- name: to_ask
-- xmin is the row's version. If a row is reset while the chain is being asked about it, the reset wins over the answer.
select
    legacy, creator, legacy_type, asked_at, next_ask = 0, membership is null or premium_until is null, premium_until,
    case legacy_type when 1 then membership ->> 'owner' end, coalesce(guard_lost_at = 0, false),
    coalesce(module_off_at, 0) = 0, cast(ctid as text), cast(xmin as text)
from worker.watch
where chain_id = :chain_id and next_ask <= :now and (paused_until is null or paused_until < now())
order by next_ask
limit :limit;

-- name: answered_before
-- Some legacies that did not revert when they were asked about last. The limit is a constant, so that the planner knows
-- it and keeps to the index.
select legacy, creator from worker.watch
where chain_id = :chain_id and failures = 0 and asked_at is not null
order by next_ask desc
limit 50;

-- name: ask_late
with late as (
    select w.legacy
    from unnest(cast(:legacies as text[]), cast(:legacy_times as bigint[])) as e (legacy, at)
    join worker.watch w on w.chain_id = :chain_id and w.legacy = e.legacy and w.asked_at < e.at
    union
    select w.legacy
    from unnest(cast(:creators as text[]), cast(:creator_times as bigint[])) as e (creator, at)
    join worker.watch w on w.chain_id = :chain_id and w.creator = e.creator and w.asked_at < e.at
)
update worker.watch set next_ask = 0
where chain_id = :chain_id and legacy in (select legacy from late) and next_ask <> 0;

-- name: answered
-- Finds each row by its place (ctid), without a search by address; a row that is gone or has another version is left
-- alone. Each array is in a `select`: knowing its length the planner would rather read the whole table.
update worker.watch w
set
    next_ask = a.next_ask, asked_at = :now, failures = 0, paused_until = null,
    membership = coalesce(a.membership, w.membership),
    membership_block = case when a.membership is null then w.membership_block else :block end,
    premium_until = coalesce(a.premium_until, w.premium_until),
    guard_lost_at = case
        when a.guarded then 0
        when not a.guarded and w.guard_lost_at = 0 then :now
        else w.guard_lost_at
    end,
    module_off_at = case
        when a.enabled then 0
        when not a.enabled and coalesce(w.module_off_at, 0) = 0 then :now
        else w.module_off_at
    end
from
    unnest(
        (select cast(:places as tid[])), (select cast(:versions as xid[])), (select cast(:asked as text[])),
        (select cast(:next_asks as bigint[])),
        (select cast(:memberships as jsonb[])),
        (select cast(:premiums as bigint[])),
        (select cast(:guards as boolean[])), (select cast(:modules as boolean[]))
    ) as a (place, version, legacy, next_ask, membership, premium_until, guarded, enabled)
where w.ctid = a.place and w.xmin = a.version and w.chain_id = :chain_id and w.legacy = a.legacy;

-- name: set_aside
update worker.watch w
set
    failures = failures + 1,
    paused_until = clock_timestamp()
    + make_interval(mins => least(1440, cast(power(2, least(failures, 11)) as int)))
from
    unnest(
        (select cast(:failed_places as tid[])), (select cast(:failed_versions as xid[])),
        (select cast(:failed as text[]))
    ) as f (place, version, legacy)
where w.ctid = f.place and w.xmin = f.version and w.chain_id = :chain_id and w.legacy = f.legacy;

-- name: see_windows
-- A window is planned again when it opens again, when something about its legacy changed, and on the day of a further
-- email. Further emails whose day came before a window was first read are over.
insert into worker.due_window as d (
    chain_id, legacy, "window", deadline, block_number, state, further_due, further_over
)
select
    :chain_id, s.legacy, s."window", s.deadline, :block, case when s.old then 'too_old' else 'open' end,
    s.due, case when known.legacy is null then s.due else s.over end
from
    json_to_recordset(cast(:seen as json)) as s (
        legacy text, "window" int, deadline bigint, old boolean, due int, over int
    )
left join worker.due_window known
    on known.chain_id = :chain_id and known.legacy = s.legacy and known."window" = s."window"
    and known.deadline = s.deadline
order by s.legacy, s."window", s.deadline
on conflict (chain_id, legacy, "window", deadline) do update
    set
        block_number = least(d.block_number, excluded.block_number),
        further_due = greatest(d.further_due, excluded.further_due),
        further_over = greatest(d.further_over, excluded.further_over),
        planned_at = case
            when d.state = 'closed' or d.legacy = any(cast(:changed as text[])) then null
            when excluded.further_due > greatest(d.further_due, excluded.further_over) then null
            else d.planned_at
        end,
        state = case when d.state = 'closed' then 'open' else d.state end;

-- name: close_windows
-- A legacy that another run asked about since, and stored, is left as that run saw it. `coalesce` keeps the planner
-- from looking up the windows of each row of `same`: mostly few are open, or none.
with same as materialized (
    select w.legacy
    from
        unnest(
            (select cast(:places as tid[])), (select cast(:versions as xid[])), (select cast(:asked as text[]))
        ) as a (place, version, legacy)
    join worker.watch w
        on w.ctid = a.place and w.xmin = a.version and w.chain_id = :chain_id and w.legacy = a.legacy
)
update worker.due_window d set state = 'closed'
where
    d.chain_id = :chain_id and d.legacy = any(cast(:asked as text[])) and d.state = 'open'
    and not exists (
        select from json_to_recordset(cast(:seen as json)) as s (legacy text, "window" int, deadline bigint)
        where s.legacy = d.legacy and s."window" = d."window" and s.deadline = d.deadline
    )
    and coalesce(d.legacy in (select legacy from same), false);

-- name: ask_now
update worker.watch set next_ask = 0
where
    chain_id = :chain_id
    and (legacy = any(cast(:legacies as text[])) or creator = any(cast(:creators as text[])));

-- name: next_ask
-- The chain time at which the due pass next asks about a legacy of these chains. Chain by chain, as the index is: `min`
-- over all chains would read the whole of it.
select min(w.next_ask)
from unnest(cast(:chains as bigint[])) as chain (id)
cross join lateral (
    select next_ask from worker.watch
    where chain_id = chain.id and (paused_until is null or paused_until <= now())
    order by next_ask
    limit 1
) w;

-- name: saved_legacies
select count(*) as saved, coalesce(array_agg(w.legacy) filter (where c.legacy is null), '{}') as unknown
from worker.watch w left join worker.reminder_config c using (chain_id, legacy)
where chain_id = :chain_id;

-- name: unwatch
-- A legacy without stored recipients need not be asked about.
delete from worker.watch w
using unnest(cast(:chains as bigint[]), cast(:legacies as text[])) as asked (chain_id, legacy)
where w.chain_id = asked.chain_id and w.legacy = asked.legacy and not exists (
    select from worker.recipient r where r.chain_id = w.chain_id and r.legacy = w.legacy
);

-- name: count_erasure
insert into worker.erasure_count as c (day, cause, people)
values (cast(timezone('UTC', now()) as date), :cause, :people)
on conflict (day, cause) do update set people = c.people + excluded.people;

-- name: premium_resets
-- Return when Premium of these creators was last reset.
select creator, max(block_time) as at from worker.chain_event
where chain_id = :chain_id and creator = any(cast(:creators as text[])) and name = 'PremiumReset'
group by creator;

-- name: ending_premiums
-- List ends of Premium for an email to an owner with a stored address: one email for all legacies of the owner. The
-- time is that of the last reading. A dropped email is planned again after a day. Premium has to be bought a day before
-- its email: a plan of 30 days has no email 30 days before its end.
with ending as (
    select
        w.legacy, w.creator, w.premium_until, case
            when w.premium_until < w.asked_at then 0
            when w.premium_until - w.asked_at <= 604800 then 7
            else 30
        end as days
    from worker.watch w
    join worker.recipient r on r.chain_id = w.chain_id and r.legacy = w.legacy and r.recipient = w.creator
    where w.chain_id = :chain_id and w.premium_until - w.asked_at between -604800 and 2592000
), due as (
    select
        legacy, creator, case days when 0 then 'premium_lapsed' else 'premium_ending' end as kind,
        format('%s:%s', premium_until, days) as event
    from ending
    where days = 0 or not exists (
        select from worker.chain_event b
        where
            b.chain_id = :chain_id and b.creator = ending.creator and b.name = 'PremiumTimeUpdated'
            and b.block_time > ending.premium_until - (ending.days + 1) * 86400
    )
)
select distinct on (e.creator) e.legacy, e.creator, e.kind, e.event
from due e
where
    not exists (
        select from worker.sent_ledger l
        where
            l.chain_id = :chain_id and l.recipient = e.creator and l.kind = e.kind and l.event = e.event
            and case
                when l.state <> 'dropped' then true
                when l.legacy <> e.legacy then false
                else
                    l.reason not in ('not_in_audience', 'window_closed', 'legacy_not_readable', 'body_gone')
                    or l.settled_at >= now() - interval '1 day'
            end
    )
order by e.creator, e.legacy
limit :limit;

-- name: safe_troubles
-- List Safe legacies that lost their guard in the last week, or their module while the guard is there, for an email to
-- the creator, who then has Premium. A guard or module that was set again and lost again is another event. A dropped
-- email is planned again after a day.
with trouble as (
    select legacy, creator, 'guard_removed' as kind, guard_lost_at as since, asked_at, premium_until
    from worker.watch
    where chain_id = :chain_id and guard_lost_at > 0 and asked_at - guard_lost_at <= 604800
    union all
    select legacy, creator, 'module_disabled', module_off_at, asked_at, premium_until
    from worker.watch
    where chain_id = :chain_id and module_off_at > 0 and asked_at - module_off_at <= 604800 and guard_lost_at = 0
)
select t.legacy, t.creator, t.kind, cast(t.since as text) as event
from trouble t
join worker.recipient r on r.chain_id = :chain_id and r.legacy = t.legacy and r.recipient = t.creator
where
    t.premium_until >= t.asked_at
    and not exists (
        select from worker.sent_ledger l
        where
            l.chain_id = :chain_id and l.legacy = t.legacy and l.recipient = t.creator and l.kind = t.kind
            and l.event = cast(t.since as text)
            and (
                l.state <> 'dropped'
                or l.reason not in ('not_in_audience', 'window_closed', 'legacy_not_readable', 'body_gone')
                or l.settled_at >= now() - interval '1 day'
            )
    )
order by t.legacy, t.kind
limit :limit;

-- name: find_gaps
-- List the people of the sets of these legacies who get no emails, each with the first reason. Membership and
-- configuration are those last stored. Whose latest email was refused as unsubscribed counts until one is sent again.
with watched as materialized (
    select chain_id, legacy, creator, membership from worker.watch
    where chain_id = :chain_id and legacy = any(cast(:legacies as text[])) and membership is not null
), person as (
    select
        w.legacy, w.creator, r.recipient, true as is_stored,
        case r.recipient
            when w.creator then 'owner'
            when w.membership ->> 'second_line' then 'second_line'
            when w.membership ->> 'third_line' then 'third_line'
            else r.role
        end as role,
        case
            when (
                select l.reason from worker.sent_ledger l
                where
                    l.chain_id = r.chain_id and l.legacy = r.legacy and l.recipient = r.recipient
                    and l.state in ('sent', 'suppressed')
                order by l.settled_at desc
                limit 1
            ) = 'suppressed' then 'not_reminded'
            when b.email_hash is not null then 'address_returns'
            when not coalesce(
                r.recipient in (c.creator, c.second_line, c.third_line)
                or r.recipient = any(c.cosigners) or r.recipient = any(c.beneficiaries), false
            ) then 'not_configured'
            when not coalesce(
                r.recipient = w.creator
                or r.recipient in (w.membership ->> 'owner', w.membership ->> 'second_line')
                or r.recipient = w.membership ->> 'third_line'
                or jsonb_exists(w.membership -> 'beneficiaries', r.recipient)
                or jsonb_exists(w.membership -> 'cosigners', r.recipient), false
            ) then 'not_a_member'
        end as reason
    from watched w
    join worker.recipient r on r.chain_id = w.chain_id and r.legacy = w.legacy
    left join worker.reminder_config c on c.chain_id = r.chain_id and c.legacy = r.legacy
    left join worker.bounce b on b.email_hash = r.email_hash and b.reason = 'mailbox_unknown'
    union all
    select
        w.legacy, w.creator, e.recipient, false,
        case
            when e.recipient = w.membership ->> 'second_line' then 'second_line'
            when e.recipient = w.membership ->> 'third_line' then 'third_line'
            when jsonb_exists(w.membership -> 'cosigners', e.recipient) then 'cosigner'
            else 'beneficiary'
        end, 'not_reminded'
    from watched w
    join worker.self_erasure e on e.chain_id = w.chain_id and e.legacy = w.legacy and e.creator = w.creator
)
select
    legacy, creator, coalesce(bool_and(reason is not null) filter (where is_stored), false) as silent,
    jsonb_agg(jsonb_build_array(recipient, role, reason) order by recipient)
    filter (where reason is not null) as people
from person
group by legacy, creator
having count(reason) > 0;

-- name: mark_gaps
-- The owner hears of a gap a day after it was first seen. Rows that stay the same are not written.
with seen as (
    select
        l.legacy, l.legacy = any(cast(:open as text[])) as is_open, l.legacy = any(cast(:silent as text[])) as silent
    from unnest(cast(:legacies as text[])) as l (legacy)
)
update worker.watch w
set
    gap_email_at = case when seen.is_open then coalesce(w.gap_email_at, :now + 86400) end, silent = seen.silent
from seen
where
    w.chain_id = :chain_id and w.legacy = seen.legacy
    and (seen.is_open <> (w.gap_email_at is not null) or seen.silent <> w.silent);

-- name: a_gap_to_tell
select exists (select from worker.watch where chain_id = :chain_id and gap_email_at <= asked_at);

-- name: gaps_to_tell
-- Take the legacies whose owner is to hear of a gap now, and look at them again in 30 days. The owner needs Premium, a
-- stored address, and no such email in the last 30 days.
with due as (
    select chain_id, legacy, creator, gap_email_at, asked_at, premium_until from worker.watch
    where chain_id = :chain_id and gap_email_at <= asked_at
    order by legacy
    limit :limit
    for update
), later as (
    update worker.watch w set gap_email_at = due.asked_at + 2592000
    from due where w.chain_id = due.chain_id and w.legacy = due.legacy
)
select
    due.legacy, due.creator, cast(due.gap_email_at as text) as event,
    due.premium_until >= due.asked_at and not exists (
        select from worker.sent_ledger l
        where
            l.chain_id = due.chain_id and l.legacy = due.legacy and l.recipient = due.creator
            and l.kind = 'recipients_gap' and l.state <> 'dropped' and l.created_at > now() - interval '30 days'
    ) as is_wanted
from due
order by due.legacy;

-- name: mark_erased
-- Leave a mark for each recipient whose row is about to be deleted, and whose legacy is watched. The order is that of
-- the locks.
insert into worker.self_erasure (chain_id, legacy, recipient, creator, email_hash)
select r.chain_id, r.legacy, r.recipient, w.creator, r.email_hash
from
    unnest(
        cast(:chains as bigint[]), cast(:legacies as text[]), cast(:recipients as text[])
    ) as erased (chain_id, legacy, recipient)
join worker.recipient r
    on r.chain_id = erased.chain_id and r.legacy = erased.legacy and r.recipient = erased.recipient
join worker.watch w on w.chain_id = r.chain_id and w.legacy = r.legacy
order by r.chain_id, r.legacy, r.recipient
on conflict (chain_id, legacy, recipient) do update set creator = excluded.creator, email_hash = excluded.email_hash;

-- name: count_windows
-- Count the open windows of watched legacies, by an index that has all of it.
select chain_id, d."window", count(*), min(d.deadline), max(d.deadline)
from worker.due_window d join worker.watch w using (chain_id, legacy)
where d.state = 'open'
group by chain_id, d."window"
order by chain_id, d."window";

-- name: email_delays
-- Return the median and the longest delay of the emails about signals that were sent in the last day, in seconds.
select chain_id, percentile_cont(0.5) within group (order by seconds), max(seconds)
from (
    select
        l.chain_id,
        -- A subquery looks each signal up; a join reads them all.
        cast(extract(epoch from l.settled_at) as double precision) - (
            select n.block_time from worker.notify_signal n
            where n.chain_id = l.chain_id and n.tx_hash = split_part(l.event, ':', 1) and n.legacy = l.legacy
            limit 1
        ) as seconds
    from worker.sent_ledger l
    where
        l.settled_at >= now() - interval '1 day' and l.state = 'sent'
        and l.reason is distinct from 'by_hand'
) as email
where seconds is not null
group by chain_id
order by chain_id;
