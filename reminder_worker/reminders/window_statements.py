"""The SQL of the due pass: one statement for many legacies.

Windows come as one JSON text. What is answered comes as arrays: taking that JSON apart was half of the statement.
"""

from sqlalchemy import text

# Nobody is made to rest for longer than a day: a rest that is longer is of a clock that was put back since.
_AWAKE = "(paused_until is null or paused_until not between now() and now() + interval '2 days')"

# Not `exists`: without the order the planner reads the whole table, in the hope to find one soon, when there is none.
SOMETHING_TO_ASK = text(f"""
    select coalesce((
        select true from worker.watch
        where chain_id = :chain_id and next_ask <= :now and {_AWAKE}
        order by next_ask
        limit 1
    ), false)
""")  # noqa: S608 - our own words

# Rows with members of a block above the chain's head: of an endpoint that told of blocks that are not there, and was
# taken out since.
ASK_AGAIN = text("update worker.watch set next_ask = 0 where chain_id = :chain_id and membership_block > :head")

# xmin is the row's version. If a row is reset while the chain is being asked about it, the reset wins over the answer.
TO_ASK = text(f"""
    select legacy, creator, legacy_type, asked_at, next_ask = 0, membership is null, cast(ctid as text),
        cast(xmin as text)
    from worker.watch
    where chain_id = :chain_id and next_ask <= :now and {_AWAKE}
    order by next_ask
    limit :limit
""")  # noqa: S608 - our own words

# Some legacies that did not revert when they were asked about last. The limit is a constant, so that the planner knows
# it and keeps to the index.
ANSWERED_BEFORE = text("""
    select legacy, creator from worker.watch
    where chain_id = :chain_id and failures = 0 and asked_at is not null
    order by next_ask desc
    limit 50
""")

ASK_LATE = text("""
    with late as (
        select w.legacy
        from unnest(cast(:legacies as text[]), cast(:legacy_times as bigint[])) as e(legacy, at)
        join worker.watch w on w.chain_id = :chain_id and w.legacy = e.legacy and w.asked_at < e.at
        union
        select w.legacy
        from unnest(cast(:creators as text[]), cast(:creator_times as bigint[])) as e(creator, at)
        join worker.watch w on w.chain_id = :chain_id and w.creator = e.creator and w.asked_at < e.at
    )
    update worker.watch set next_ask = 0
    where chain_id = :chain_id and legacy in (select legacy from late) and next_ask <> 0
""")

# Finds each row by its place (ctid), without a search by address; a row that is gone or has another version is left
# alone. Each array is in a `select`: knowing its length the planner would rather read the whole table.
ANSWERED = text("""
    update worker.watch w
    set next_ask = a.next_ask, asked_at = :now, failures = 0, paused_until = null,
        membership = coalesce(a.membership, w.membership),
        membership_block = case when a.membership is null then w.membership_block else :block end
    from unnest(
        (select cast(:places as tid[])), (select cast(:versions as xid[])), (select cast(:asked as text[])),
        (select cast(:next_asks as bigint[])), (select cast(:memberships as jsonb[]))
    ) as a(place, version, legacy, next_ask, membership)
    where w.ctid = a.place and w.xmin = a.version and w.chain_id = :chain_id and w.legacy = a.legacy
""")

SET_ASIDE = text("""
    update worker.watch w
    set failures = failures + 1,
        paused_until = clock_timestamp()
            + make_interval(mins => least(1440, cast(power(2, least(failures, 11)) as int)))
    from unnest(
        (select cast(:failed_places as tid[])), (select cast(:failed_versions as xid[])),
        (select cast(:failed as text[]))
    ) as f(place, version, legacy)
    where w.ctid = f.place and w.xmin = f.version and w.chain_id = :chain_id and w.legacy = f.legacy
""")

# A window is planned again when it opens again, and when something about its legacy changed.
SEE_WINDOWS = text("""
    insert into worker.due_window as d (chain_id, legacy, "window", deadline, block_number, state)
    select :chain_id, legacy, "window", deadline, :block, case when old then 'too_old' else 'open' end
    from json_to_recordset(cast(:seen as json)) as s(legacy text, "window" int, deadline bigint, old boolean)
    order by legacy, "window", deadline
    on conflict (chain_id, legacy, "window", deadline) do update
    set block_number = least(d.block_number, excluded.block_number),
        planned_at = case when d.state = 'closed' or d.legacy = any(cast(:changed as text[])) then null
            else d.planned_at end,
        state = case when d.state = 'closed' then 'open' else d.state end
""")

# A legacy that another run asked about since, and stored, is left as that run saw it. `coalesce` keeps the planner from
# looking up the windows of each row of `same`: mostly few are open, or none.
CLOSE_WINDOWS = text("""
    with same as materialized (
        select w.legacy
        from unnest(
            (select cast(:places as tid[])), (select cast(:versions as xid[])), (select cast(:asked as text[]))
        ) as a(place, version, legacy)
        join worker.watch w
          on w.ctid = a.place and w.xmin = a.version and w.chain_id = :chain_id and w.legacy = a.legacy
    )
    update worker.due_window d set state = 'closed'
    where d.chain_id = :chain_id and d.legacy = any(cast(:asked as text[])) and d.state = 'open'
      and not exists (
        select from json_to_recordset(cast(:seen as json)) as s(legacy text, "window" int, deadline bigint)
        where s.legacy = d.legacy and s."window" = d."window" and s.deadline = d.deadline
      )
      and coalesce(d.legacy in (select legacy from same), false)
""")
