"""The SQL of auto-renew. Arrays in, one statement for a whole batch."""

from sqlalchemy import text

from reminder_worker.relay.wallet_statements import OPEN_LIST

# An owner who was looked at in the future is looked at again: that was by a clock that was put back since.
SOMETHING_TO_LOOK_AT = text("""
    select exists (
        select from worker.legacy l
        left join worker.owner_activity a on a.chain_id = l.chain_id and a.legacy = l.address
        where l.chain_id = :chain_id and l.legacy_type = 3 and l.auto_renew and l.deleted_at is null
          and (
              a.legacy is null or a.reason = any(:in_vain)
              or a.checked_at not between now() - make_interval(secs => :seconds) and clock_timestamp()
          )
    )
""")

_OPTED_OUT = """
    from worker.owner_activity a
    where a.chain_id = :chain_id
      and not exists (
          select from worker.legacy l
          where l.chain_id = a.chain_id and l.address = a.legacy and l.legacy_type = 3 and l.auto_renew
            and l.deleted_at is null
      )
"""

SOMETHING_TO_FORGET = text(f"select exists (select {_OPTED_OUT})")

# Only once the index has read what is final: while it reads everything again, owners who opted in are missing from it.
FORGET = text(f"""
    delete {_OPTED_OUT}
      and exists (
          select from worker.index_cursor c
          where c.chain_id = a.chain_id and c.name = 'index' and c.block_number >= :finalized
      )
""")

# First those that were not looked at lately, since a run ended before their turn, then those whose deadline is nearest:
# however many there are, what is left of a day's caps is for them.
OPTED_IN = text("""
    select l.address, l.legacy_id, l.creator, a.reset_at, a.baseline
    from worker.legacy l
    left join worker.owner_activity a on a.chain_id = l.chain_id and a.legacy = l.address and a.owner = l.creator
    where l.chain_id = :chain_id and l.legacy_type = 3 and l.auto_renew and l.deleted_at is null
    order by a.checked_at > now() - interval '2 hours' nulls first, a.deadline, l.address
""")

# What a retired wallet left open nobody ever ends: it counts as expired, so that nothing waits for it.
ATTEMPTS = text(f"""
    select digest, case when wallet <> :wallet and state in {OPEN_LIST} then 'expired' else state end as state
    from worker.relay_request
    where chain_id = :chain_id and digest = any(cast(:digests as bytea[]))
""")  # noqa: S608 - a constant

# Two runs at once may write in either order, since each baseline was seen after the reset that it belongs to.
KEEP = text("""
    insert into worker.owner_activity as a (
        chain_id, legacy, legacy_id, owner, reset_at, baseline, nonce_seen, deadline, budget_end, budget_step,
        decision, reason
    )
    select :chain_id, r.* from unnest(
        cast(:legacy as text[]), cast(:legacy_id as numeric[]), cast(:owner as text[]), cast(:reset_at as bigint[]),
        cast(:baseline as bigint[]), cast(:nonce_seen as bigint[]), cast(:deadline as bigint[]),
        cast(:budget_end as bigint[]), cast(:budget_step as smallint[]), cast(:decision as text[]),
        cast(:reason as text[])
    ) as r
    on conflict (chain_id, legacy) do update set
        owner = excluded.owner, reset_at = excluded.reset_at, baseline = excluded.baseline,
        nonce_seen = excluded.nonce_seen, deadline = excluded.deadline, budget_end = excluded.budget_end,
        budget_step = excluded.budget_step, decision = excluded.decision, reason = excluded.reason,
        checked_at = clock_timestamp()
""")
