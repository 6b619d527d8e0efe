-- The statements of gift emails. Ledger states and leases are those of the sent-ledger.
--
-- `queued` and `released` entries were certainly never posted. Storing the body sets `claimed_at`, and only then may
-- the email be posted. So an expired lease without `claimed_at` proves that nothing was posted.
--
-- `heads`: the time of each chain's latest block, by which a gift opens. A chain without one cannot be read now.

-- name: write
insert into worker.gift_write (chain_id, timelock_id, deadline) values (:chain_id, :timelock_id, :deadline)
on conflict (chain_id, timelock_id) do update
    set deadline = excluded.deadline
    where gift_write.deadline < excluded.deadline
returning deadline;

-- name: known_addresses
-- Addresses that were registered for a gift, of recipients and of the giver.
select distinct email_hash from worker.gift_ledger where chain_id = :chain_id and timelock_id = :timelock_id;

-- name: cancel
-- What is under way loses its body, which was sealed with the key of the row that is about to go: from now on the mail
-- service can only be asked what became of it. `kept` is an email that stays; entries for it are not cancelled.
-- The numbers of the other addresses' emails are forgotten, also of sent ones. `chains`, `timelocks`: the gifts.
update worker.gift_ledger
set
    body = null,
    body_salt = null,
    state = case
        when state in ({waiting}) and email_hash is distinct from cast(:kept as bytea) then 'dropped'
        else state
    end,
    reason = case
        when state in ({waiting}) and email_hash is distinct from cast(:kept as bytea) then :reason
        else reason
    end,
    number_hash = case when email_hash is distinct from cast(:kept as bytea) then null else number_hash end
where
    (chain_id, timelock_id) in (
        select gift.chain_id, gift.timelock_id
        from unnest(cast(:chains as bigint[]), cast(:timelocks as bigint[])) as gift (chain_id, timelock_id)
    )
    and (state in ({waiting}, {undecided}) or number_hash is not null);

-- name: save_row
insert into worker.gift_notification (
    chain_id, timelock_id, key_id, salt, payload, email_hash, timing, owner, recipient, unlock_time
)
values (
    :chain_id, :timelock_id, :key_id, :salt, :payload, :email_hash, :timing, :owner, :recipient, :unlock_time
)
on conflict (chain_id, timelock_id) do update set
    key_id = excluded.key_id, salt = excluded.salt, payload = excluded.payload, email_hash = excluded.email_hash,
    timing = excluded.timing, owner = excluded.owner, recipient = excluded.recipient,
    unlock_time = excluded.unlock_time, written_at = clock_timestamp();

-- name: save_reminder
insert into worker.gift_reminder (
    chain_id, timelock_id, key_id, salt, payload, email_hash, owner, recipient, unlock_time, next_kind,
    next_at
)
values (
    :chain_id, :timelock_id, :key_id, :salt, :payload, :email_hash, :owner, :recipient, :unlock_time, :next_kind,
    :next_at
);

-- name: due_reminders
-- Gifts whose next reminder is to be planned.
select
    chain_id, timelock_id, email_hash, unlock_time, next_kind,
    extract(epoch from now() - next_at) as late
from worker.gift_reminder
where next_at <= now()
order by next_at
limit 500
for update skip locked;

-- name: move_reminder
-- Without a further reminder the row waits for the end of the last email.
update worker.gift_reminder
set
    next_kind = :next_kind,
    next_at = case when cast(:next_kind as text) is not null then next_at + make_interval(days => :days) end
where chain_id = :chain_id and timelock_id = :timelock_id;

-- name: delete_reminders
delete from worker.gift_reminder r
using unnest(cast(:chains as bigint[]), cast(:timelocks as bigint[])) as gift (chain_id, timelock_id)
where r.chain_id = gift.chain_id and r.timelock_id = gift.timelock_id;

-- part: ended_reminders
-- Rows whose last email is decided.
select r.chain_id, r.timelock_id
from worker.gift_reminder r
join worker.gift_ledger l
    on l.chain_id = r.chain_id and l.timelock_id = r.timelock_id and l.email_hash = r.email_hash
    and l.kind = 'gift_reminder_365' and l.state in ('sent', 'dropped', 'suppressed', 'dead')
where r.next_at is null;

-- name: delete_ended_reminders
delete from worker.gift_reminder
where (chain_id, timelock_id) in ({ended_reminders});

-- name: save_giver
insert into worker.gift_giver (
    chain_id, timelock_id, key_id, salt, payload, email_hash, recipient_hash, owner, recipient, unlock_time, unopened_at
)
values (
    :chain_id, :timelock_id, :key_id, :salt, :payload, :email_hash, :recipient_hash, :owner, :recipient, :unlock_time,
    :unopened_at
);

-- name: due_givers
-- Gifts to look at for their giver. An email to the recipient that was refused for good, or not sent since another one
-- came back, counts as returned.
select
    g.chain_id, g.timelock_id, g.email_hash, g.unlock_time,
    extract(epoch from now() - g.next_look) as late,
    coalesce(t.status = 3, false) as opened,
    g.unopened_at <= now() as unopened,
    not g.told_returned and (g.returned or exists (
        select from worker.gift_ledger l
        where
            l.chain_id = g.chain_id and l.timelock_id = g.timelock_id and l.email_hash = g.recipient_hash
            and not starts_with(l.kind, 'giver_')
            and (
                (l.state = 'dead' and starts_with(l.reason, 'rejected_'))
                or (l.state = 'suppressed' and l.reason = 'bounced')
            )
    )) as returned
from worker.gift_giver g
left join worker.timelock t on t.chain_id = g.chain_id and t.timelock_id = g.timelock_id
where g.next_look <= now()
order by g.next_look
limit 500
for update of g skip locked;

-- name: move_giver
-- After the last email is planned, the row waits for its end.
update worker.gift_giver
set
    told_returned = told_returned or :returned,
    next_look = case when not cast(:last as boolean) then now() + interval '1 hour' end
where chain_id = :chain_id and timelock_id = :timelock_id;

-- name: note_returned
-- Emails to recipients that came back, by the ids of their entries: their givers are to be told.
update worker.gift_giver g set returned = true, next_look = least(g.next_look, now())
from worker.gift_ledger l
where
    l.id = any(cast(:ids as uuid[])) and l.chain_id = g.chain_id and l.timelock_id = g.timelock_id
    and l.email_hash = g.recipient_hash and not starts_with(l.kind, 'giver_') and g.next_look is not null;

-- name: delete_givers
delete from worker.gift_giver g
using unnest(cast(:chains as bigint[]), cast(:timelocks as bigint[])) as gift (chain_id, timelock_id)
where g.chain_id = gift.chain_id and g.timelock_id = gift.timelock_id;

-- name: erase_giver
-- Deletes the addresses of a giver, by the hash of the email or by the wallet, and cancels the emails to them.
with gone as (
    delete from worker.gift_giver where email_hash = cast(:email_hash as bytea) or owner = cast(:wallet as text)
    returning chain_id, timelock_id, email_hash
), cancelled as (
    update worker.gift_ledger l
    set
        body = null, body_salt = null, number_hash = null,
        state = case when l.state in ({waiting}) then 'dropped' else l.state end,
        reason = case when l.state in ({waiting}) then 'erased' else l.reason end
    from gone
    where
        l.chain_id = gone.chain_id and l.timelock_id = gone.timelock_id and l.email_hash = gone.email_hash
        and starts_with(l.kind, 'giver_')
)
select count(*) from gone;

-- part: ended_givers
-- Rows whose last email is decided.
select g.chain_id, g.timelock_id
from worker.gift_giver g
join worker.gift_ledger l
    on l.chain_id = g.chain_id and l.timelock_id = g.timelock_id and l.email_hash = g.email_hash
    and l.kind in ('giver_opened', 'giver_unopened') and l.state in ('sent', 'dropped', 'suppressed')
where g.next_look is null;

-- name: delete_ended_givers
delete from worker.gift_giver
where (chain_id, timelock_id) in ({ended_givers});

-- name: owner
select owner from worker.gift_notification where chain_id = :chain_id and timelock_id = :timelock_id
union all
select owner from worker.gift_reminder where chain_id = :chain_id and timelock_id = :timelock_id
union all
select owner from worker.gift_giver where chain_id = :chain_id and timelock_id = :timelock_id
limit 1;

-- name: registered
-- A sample of a chain's registered gifts, with what was pinned of each.
select timelock_id, owner, recipient, unlock_time from worker.gift_notification
where chain_id = :chain_id
order by unlock_time desc
limit 50;

-- name: delete_rows
delete from worker.gift_notification n
using unnest(cast(:chains as bigint[]), cast(:timelocks as bigint[])) as gift (chain_id, timelock_id)
where n.chain_id = gift.chain_id and n.timelock_id = gift.timelock_id;

-- name: plan
-- Plans an email, or plans it again if it was cancelled, refused or not wanted before. A sent or held email is never
-- planned again; an email in doubt is asked about at the new time. A lease ends here: otherwise its holder would make
-- the entry due at once. `due` null: at once. `day`: when an unsent email begins to count as late; null: now.
-- The email of opening day is due on that day by our clock, `due` and `day` are the same: see `opened_early`.
insert into worker.gift_ledger (id, email_hash, chain_id, timelock_id, kind, next_try, expires_at, created_at)
values (
    gen_random_uuid(), :email_hash, :chain_id, :timelock_id, :kind,
    coalesce(cast(:due as timestamptz), clock_timestamp()), :expires_at,
    coalesce(cast(:day as timestamptz), clock_timestamp())
)
on conflict (email_hash, chain_id, timelock_id, kind) do update
    set
        state = case
            when gift_ledger.state = 'unknown' or (gift_ledger.state = 'claimed' and gift_ledger.claimed_at is not null)
                then 'unknown'
            else 'queued'
        end,
        reason = null, next_try = excluded.next_try, expires_at = excluded.expires_at, tries = 0, rejections = 0,
        settled_at = null, created_at = excluded.created_at, lease_token = null, lease_until = null
    where gift_ledger.state not in ('sent', 'held');

-- name: not_wanted
update worker.gift_ledger set state = 'dropped', reason = 'not_wanted', settled_at = clock_timestamp()
where
    chain_id = :chain_id and timelock_id = :timelock_id and email_hash = :email_hash and kind = :kind
    and state in ({waiting});

-- part: chain_heads
select chain_id, time from json_to_recordset(cast(:heads as json)) as h (chain_id bigint, time bigint);

-- part: gift_chains
-- Chains with a gift, in one step of the index for each: `distinct` would read an entry for each gift.
with recursive chain as (
    select min(chain_id) as id from worker.gift_notification
    union all
    select (select min(chain_id) from worker.gift_notification where chain_id > chain.id)
    from chain where chain.id is not null
)
select id as chain_id from chain where id is not null;

-- name: chains
{gift_chains};

-- part: due_entries
-- Entries that are to be claimed. An email of opening day is due on that day by our clock, and waits for the chain's:
-- the gifts that open later are not looked at.
select l.id from worker.gift_ledger l
left join worker.gift_notification n using (chain_id, timelock_id, email_hash)
left join ({chain_heads}) h on h.chain_id = l.chain_id
where
    l.state in ({waiting}) and next_try <= now()
    and (l.kind <> 'gift_unlocked' or n.salt is null or n.unlock_time <= h.time);

-- part: opened_early
-- Emails of gifts that are open by the chain's clock and not yet by ours, and that were not tried: `next_try` is still
-- the opening day.
select l.id
from ({chain_heads}) h
cross join
    lateral (
        select chain_id, timelock_id, email_hash from worker.gift_notification
        where chain_id = h.chain_id and unlock_time > extract(epoch from now())::bigint and unlock_time <= h.time
        offset 0
    ) n
cross join lateral (
    select e.id from worker.gift_ledger e
    where
        e.chain_id = n.chain_id and e.timelock_id = n.timelock_id and e.email_hash = n.email_hash
        and e.kind = 'gift_unlocked' and e.state in ({waiting}) and e.next_try > now() and e.next_try = e.created_at
    offset 0
) l;

-- name: hurry_opened
-- They are due by the chain's clock.
update worker.gift_ledger set next_try = now() where id in ({opened_early});

-- part: done_gifts
-- Gifts whose opening day's email is decided. If the email is dead or held, the row stays until the retry window is
-- over: an operator may still have it sent. A row that was corrected since the email was decided is of another person,
-- who has not been told: it stays.
select n.chain_id, n.timelock_id, n.email_hash
from ({chain_heads}) h
cross join
    lateral (
        select chain_id, timelock_id, email_hash from worker.gift_notification
        where chain_id = h.chain_id and unlock_time between 0 and h.time
        offset 0
    ) n
cross join lateral (
    select from worker.gift_ledger l
    where
        l.chain_id = n.chain_id and l.timelock_id = n.timelock_id and l.email_hash = n.email_hash
        and l.kind = 'gift_unlocked' and l.state in ('sent', 'dropped', 'suppressed')
    offset 0
) l;

-- part: late_gifts
-- Gifts whose retry window is over, by our own clock if the chain cannot be read. The window is subtracted from now:
-- added to an unlock time of a giver's choice, it could overflow. A correction of an open gift has a window of its own.
select n.chain_id, n.timelock_id, n.email_hash from (
    select c.chain_id, coalesce(h.time, extract(epoch from clock_timestamp())::bigint) - :retry_window - 1 as last
    from ({gift_chains}) c left join ({chain_heads}) h on h.chain_id = c.chain_id
) h
cross join lateral (
    select chain_id, timelock_id, email_hash from worker.gift_notification
    where
        chain_id = h.chain_id and unlock_time between 0 and h.last and extract(epoch from written_at) <= h.last
    offset 0
) n;

-- name: has_work
select
    exists ({due_entries})
    or exists ({opened_early})
    or exists (
        select from worker.gift_ledger
        where state = 'unknown' and next_try <= now() and (lease_until is null or lease_until < now())
    )
    or exists (select from worker.gift_ledger where state = 'claimed' and lease_until < now())
    or exists ({done_gifts})
    or exists ({late_gifts})
    or exists (select from worker.gift_reminder where next_at <= now())
    or exists ({ended_reminders})
    or exists (select from worker.gift_giver where next_look <= now())
    or exists ({ended_givers});

-- part: shred_bodies
-- Deletes the bodies of entries that are not decided, since they are sealed with the keys of the rows that are `gone`:
-- about those the mail service can only be asked from now on. Other bodies have the keys of other rows.
update worker.gift_ledger l set body = null, body_salt = null from gone
where
    l.chain_id = gone.chain_id and l.timelock_id = gone.timelock_id
    and l.state in ({undecided}) and l.kind in ('gift_waiting', 'gift_unlocked');

-- name: delete_done
with gone as (
    delete from worker.gift_notification n using ({done_gifts}) d
    where n.chain_id = d.chain_id and n.timelock_id = d.timelock_id and n.email_hash = d.email_hash
    returning n.chain_id, n.timelock_id
), shredded as (
    {shred_bodies}
)
select chain_id, timelock_id from gone;

-- name: delete_late
with gone as (
    delete from worker.gift_notification n using ({late_gifts}) d
    where n.chain_id = d.chain_id and n.timelock_id = d.timelock_id and n.email_hash = d.email_hash
    returning n.chain_id, n.timelock_id
), shredded as (
    {shred_bodies}
)
select chain_id, timelock_id from gone;

-- name: expire_leases
-- Return the entries that were not stored yet: their address, and the day whose quota the claim reserved.
with over as materialized (
    select
        id,
        cast(floor(extract(epoch from lease_until - make_interval(secs => :lease)) / 86400) * 86400 as bigint) as day
    from worker.gift_ledger
    where state = 'claimed' and lease_until < now()
    for update
), expired as (
    update worker.gift_ledger l
    set
        state = case when claimed_at is null then 'released' else 'unknown' end,
        next_try = now(), lease_token = null, lease_until = null
    from over where l.id = over.id
    returning l.email_hash, l.chain_id, l.claimed_at, over.day
)
select email_hash, chain_id, day from expired where claimed_at is null;

-- part: stored_gift
-- The row whose address an entry `l` goes to.
select key_id, salt, payload, owner, recipient, unlock_time, written_at, timing
from worker.gift_notification
where
    chain_id = l.chain_id and timelock_id = l.timelock_id and email_hash = l.email_hash
    and l.kind in ('gift_waiting', 'gift_unlocked')
union all
select key_id, salt, payload, owner, recipient, unlock_time, written_at, 'none'
from worker.gift_reminder
where
    chain_id = l.chain_id and timelock_id = l.timelock_id and email_hash = l.email_hash
    and starts_with(l.kind, 'gift_reminder')
union all
select key_id, salt, payload, owner, recipient, unlock_time, written_at, 'none'
from worker.gift_giver
where
    chain_id = l.chain_id and timelock_id = l.timelock_id and email_hash = l.email_hash
    and starts_with(l.kind, 'giver_');

-- part: claimed_entries
-- Eight columns of every email, four of a gift's, eight of its notification, and three for the claim. An unsubscribed
-- address is known to the mail service. It is remembered here for a day only.
select
    l.id, l.chain_id, l.kind, l.tries, l.rejections, l.email_hash, l.body,
    cast(floor(extract(epoch from l.claimed_at) / 86400) * 86400 as bigint) as counted_on,
    l.timelock_id, s.email_hash is not null as suppressed, b.email_hash is not null as bounced,
    (select w.timing <> 'none' or l.kind <> 'gift_waiting' from ({stored_gift}) w) as wanted,
    n.key_id, n.salt, n.payload, n.owner, n.recipient, n.unlock_time,
    n.written_at < now() - make_interval(secs => :retry_window) as long_known,
    cast(extract(epoch from n.written_at) as bigint) as written,
    l.next_try, l.created_at, l.lease_until
from claimed l
left join worker.suppression s on s.email_hash = l.email_hash and s.since > now() - interval '24 hours'
left join worker.bounce b on b.email_hash = l.email_hash and b.reason = 'mailbox_unknown'
left join lateral ({stored_gift}) n on true;

-- name: claim
with due as (
    {due_entries}
    order by l.next_try limit :limit
    for update of l skip locked
), claimed as (
    update worker.gift_ledger l
    set
        state = 'claimed', lease_token = :token, lease_until = now() + make_interval(secs => :lease),
        claimed_at = null, reason = null
    from due where l.id = due.id
    returning l.*
)
{claimed_entries};

-- name: claim_unknown
with due as (
    select id from worker.gift_ledger
    where state = 'unknown' and next_try <= now() and (lease_until is null or lease_until < now())
    order by next_try limit :limit
    for update skip locked
), claimed as (
    update worker.gift_ledger l
    set lease_token = :token, lease_until = now() + make_interval(secs => :lease)
    from due where l.id = due.id
    returning l.*
)
{claimed_entries} and n.salt = l.body_salt;

-- name: bounced_addresses
-- Only addresses that are still stored.
select l.id, l.email_hash
from worker.gift_ledger l
join lateral ({stored_gift}) n on true
where l.id = any(cast(:ids as uuid[]));

-- name: lock_entries
-- Runs before `store` in its transaction. A statement sees other tables as they were when it began: without the lock,
-- `store` could wait for an erasure of the gift and still see the erased row.
select from worker.gift_ledger where id = any(cast(:ids as uuid[])) order by id for update;

-- name: store
-- Only under our lease, and only if the row was not replaced or erased since.
update worker.gift_ledger l
set
    body = decode(b.body, 'base64'), body_salt = decode(b.salt, 'base64'),
    number_hash = decode(b.number_hash, 'base64'), claimed_at = clock_timestamp()
from json_to_recordset(cast(:rows as json)) as b (id uuid, body text, salt text, number_hash text)
where
    l.id = b.id and l.lease_token = :token and l.state = 'claimed' and l.lease_until > clock_timestamp()
    and exists (select from ({stored_gift}) n where n.salt = decode(b.salt, 'base64'))
returning l.id, cast(floor(extract(epoch from l.claimed_at) / 86400) * 86400 as bigint) as posted_on;

-- name: confirm
-- The same for an email that is posted again: if its row had been erased or replaced, its body would be gone.
update worker.gift_ledger set claimed_at = clock_timestamp()
where
    id = any(cast(:ids as uuid[])) and lease_token = :token and state = 'unknown'
    and lease_until > clock_timestamp() and body is not null
returning id, cast(floor(extract(epoch from claimed_at) / 86400) * 86400 as bigint) as posted_on;

-- name: not_to_post
-- The last check before entries of a claim are posted: if the gift was erased or replaced, the body is gone.
select id from unnest(cast(:ids as uuid[])) as asked (id)
except all
select id from worker.gift_ledger
where
    id = any(cast(:ids as uuid[])) and lease_token = :token and lease_until > clock_timestamp()
    and state in ('claimed', 'unknown') and body is not null;

-- name: defer_to_next_day
update worker.gift_ledger
set
    state = 'queued', reason = 'daily_cap', lease_token = null, lease_until = null,
    next_try = to_timestamp(:until)
where id = any(cast(:ids as uuid[]));

-- name: settle
-- An acceptance is recorded whoever holds the lease by now, any other result only under our lease. A body is kept only
-- while the row exists whose key encrypted it.
-- Returns the unsent entries whose quota may be refunded: those settled here, and those that a registration took away
-- during the lease before a body was stored. After the lease, `expire_leases` refunds it.
with outcome as materialized (
    select * from json_to_recordset(cast(:rows as json)) as o (
        id uuid, state text, reason text, message_id text, delay float8, tries int, rejections int
    )
), settled as (
    update worker.gift_ledger l
    set
        state = o.state, reason = o.reason, message_id = o.message_id,
        tries = l.tries + o.tries, rejections = l.rejections + o.rejections,
        claimed_at = case when o.state = 'sent' then coalesce(l.claimed_at, clock_timestamp()) else l.claimed_at end,
        next_try = clock_timestamp() + make_interval(secs => o.delay),
        lease_token = null, lease_until = null,
        (body, body_salt) = (
            select l.body, l.body_salt from ({stored_gift}) n
            where o.state = 'unknown' and n.salt = l.body_salt
        ),
        settled_at = case when o.state in ('released', 'unknown') then null else clock_timestamp() end
    from outcome o
    -- The ids are named as an array, too: the planner then expects few of them and takes the index.
    where
        l.id = o.id and l.id = any(array(select id from outcome))
        and (l.lease_token = :token or (o.state = 'sent' and l.state in ({undecided})))
    returning l.id
)
select o.id from outcome o where o.state <> 'sent' and (
    o.id in (select id from settled)
    or (
        o.reason = 'recipient_changed' and clock_timestamp() < cast(:until as timestamptz)
        and (select l.claimed_at from worker.gift_ledger l where l.id = o.id) is null
    )
);
