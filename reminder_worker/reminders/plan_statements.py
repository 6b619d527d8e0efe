"""The SQL of planning. Arrays in, one statement for a whole batch."""

from sqlalchemy import text

from reminder_worker.database.tables import FAR

# A window is planned with members that were read at its block or later; until then it waits. That of a legacy that is
# no longer watched waits for ever.
_TO_PLAN = """
    from worker.due_window d
    join worker.watch w on w.chain_id = d.chain_id and w.legacy = d.legacy
    where d.chain_id = :chain_id and d.state = 'open' and d.planned_at is null
      and w.membership is not null and w.membership_block >= d.block_number
"""

# Reasons for which an email about a lasting state was given up, and which may be over: a node was behind, the legacy
# could not be read, or the email was for an earlier address.
_NOT_FOR_GOOD = "('not_in_audience', 'window_closed', 'legacy_not_readable', 'body_gone')"

# Ends of auto-renew to tell of: to the owner alone, and only one who is stored. An email that was given up for one of
# these reasons is tried again after a day.
_BUDGETS = f"""
    from worker.owner_activity a
    join worker.recipient r on r.chain_id = a.chain_id and r.legacy = a.legacy and r.recipient = a.owner
    left join worker.sent_ledger l
        on l.chain_id = a.chain_id and l.legacy = a.legacy and l.recipient = a.owner and l.kind = 'auto_renew_budget'
       and l.event = format('%s:%s', a.budget_end - :budget_seconds, a.budget_step)
    where a.chain_id = :chain_id and a.budget_step is not null
      and (l.id is null or (
          l.state = 'dropped' and l.reason in {_NOT_FOR_GOOD} and l.settled_at < now() - interval '1 day'
      ))
"""

_IS_TIME = f"(next_try <= now() or next_try > now() + {FAR})"

SOMETHING_TO_PLAN = text(
    "select exists ("  # noqa: S608 - nothing but constants
    f"    select from worker.notify_signal where chain_id = :chain_id and state = 'new' and {_IS_TIME}"
    f") or exists (select {_BUDGETS})"
)

A_WINDOW_TO_PLAN = text(f"select exists (select {_TO_PLAN} and w.membership_block <= :head)")

BUDGETS_TO_PLAN = text(f"""
    select a.legacy, a.owner, format('%s:%s', a.budget_end - :budget_seconds, a.budget_step) as event
    {_BUDGETS}
    order by a.legacy
    limit :limit
""")

AGE_SIGNALS = text("""
    update worker.notify_signal set state = 'too_old', reason = 'not_planned_in_time'
    where chain_id = :chain_id and state = 'new' and block_time < :oldest
""")

SIGNALS_TO_PLAN = text(f"""
    select tx_hash, legacy, kind, layer, block_time, tries,
        cast(extract(epoch from now() - seen_at) as bigint), reason is not distinct from :denied
    from worker.notify_signal
    where chain_id = :chain_id and state = 'new' and {_IS_TIME}
    order by block_number, tx_hash, layer
    limit :limit
""")  # noqa: S608 - likewise

WINDOWS_TO_PLAN = text(f"""
    select d.legacy, d."window", d.deadline, w.membership, w.membership_block, cast(d.xmin as text) as version
    {_TO_PLAN} and w.membership_block <= :head
    order by d.legacy
    limit :limit
""")

# xmin is the row's version: if the due pass changed the row meanwhile, for example because it read other members, the
# window is planned anew.
MARK_WINDOWS = text("""
    update worker.due_window d set planned_at = clock_timestamp()
    from unnest(
        cast(:legacies as text[]), cast(:windows as int[]), cast(:deadlines as bigint[]), cast(:versions as xid[])
    ) as p(legacy, "window", deadline, version)
    where d.chain_id = :chain_id and d.legacy = p.legacy and d."window" = p."window" and d.deadline = p.deadline
      and d.xmin = p.version
    returning d.legacy, d."window", d.deadline
""")

REARM = text("""
    update worker.due_window set planned_at = null
    where chain_id = :chain_id and legacy = :legacy and state = 'open'
""")

# Locked in the order of their key, as writes of recipients do it.
LOCK_RECIPIENTS = text("""
    select legacy, recipient from worker.recipient
    where chain_id = :chain_id and legacy = any(cast(:legacies as text[]))
    order by chain_id, legacy, recipient
    for share
""")

INSERT_ENTRIES = text(f"""
    insert into worker.sent_ledger as l (id, chain_id, legacy, recipient, kind, event, role, next_try)
    select gen_random_uuid(), :chain_id, legacy, recipient, kind, event, role, now()
    from unnest(
        cast(:legacies as text[]), cast(:recipients as text[]), cast(:kinds as text[]), cast(:events as text[]),
        cast(:roles as text[])
    ) as e(legacy, recipient, kind, event, role)
    on conflict (chain_id, legacy, recipient, kind, event) do update
    set state = 'queued', role = excluded.role, reason = null, settled_at = null, next_try = excluded.next_try,
        created_at = clock_timestamp()
    where cast(:rearm as boolean) and l.state = 'dropped' and l.reason in {_NOT_FOR_GOOD}
""")  # noqa: S608 - likewise

SETTLE_SIGNALS = text("""
    update worker.notify_signal n
    set state = p.state, reason = p.reason, amounts = cast(p.amounts as jsonb), tries = n.tries + 1,
        next_try = clock_timestamp() + make_interval(secs => p.delay)
    from unnest(
        cast(:tx_hashes as text[]), cast(:legacies as text[]), cast(:kinds as int[]), cast(:layers as int[]),
        cast(:states as text[]), cast(:reasons as text[]), cast(:amounts as text[]), cast(:delays as float8[])
    ) as p(tx_hash, legacy, kind, layer, state, reason, amounts, delay)
    where n.chain_id = :chain_id and n.tx_hash = p.tx_hash and n.legacy = p.legacy and n.kind = p.kind
      and n.layer = p.layer and n.state = 'new'
""")

# A line counts as told if the deadline of the window that lets it act came after the owner's last sign of life. One in
# the block of the claim itself does not count: it came after the claim, since right after a sign of life nothing can be
# claimed.
TOLD_LINES = text("""
    select s.legacy, s.at, max(case d."window" when 5 then 2 else 3 end) as line
    from unnest(cast(:legacies as text[]), cast(:times as bigint[])) as s(legacy, at)
    join worker.due_window d
        on d.chain_id = :chain_id and d.legacy = s.legacy and d."window" in (5, 6) and d.state <> 'too_old'
       and d.deadline <= s.at
    where d.deadline > coalesce((
        select max(n.block_time) from worker.notify_signal n
        where n.chain_id = :chain_id and n.legacy = s.legacy and n.kind = 0 and n.block_time < s.at
    ), 0)
    group by s.legacy, s.at
""")

CONFIG_EVENTS = text("""
    select block_number, log_index, block_hash, block_time, tx_hash, contract, name, legacy, creator, timelock_id, data
    from worker.chain_event
    where chain_id = :chain_id and legacy = any(cast(:legacies as text[])) and name = any(cast(:names as text[]))
    order by block_number, log_index
""")

STORED_MEMBERSHIPS = text("""
    select legacy, membership from worker.watch
    where chain_id = :chain_id and legacy = any(cast(:legacies as text[])) and membership is not null
""")

AMOUNTS = text("""
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
       and n.kind = 2 and n.layer = cast(split_part(c.event, ':', 2) as int)
""")

TOLD = text("""
    select l.legacy, l.event, l.role, count(*) as people
    from unnest(cast(:legacies as text[]), cast(:events as text[])) as asked(legacy, event)
    join worker.sent_ledger l
        on l.chain_id = :chain_id and l.legacy = asked.legacy and l.event = asked.event and l.kind = 'instructions'
    where l.role <> 'owner' and l.state not in ('dropped', 'dead', 'suppressed')
    group by l.legacy, l.event, l.role
""")
