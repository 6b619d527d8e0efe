"""The SQL of admission. Times and days are the database's.

Whoever takes a nonce or changes a budget holds the wallet's row, so what a later statement of the transaction reads
(its snapshot is newer than the lock) stands until the commit, and plain sums are enough to hold the caps.
"""

from typing import Final

from sqlalchemy import text

from reminder_worker.relay.models import OPEN_STATES, State
from reminder_worker.relay.wallet_statements import OPEN_LIST, WAITING_LIST, in_list, is_paused

_VIEW: Final = "id, lane, state, reason, tx_hash, block_number, created_at, updated_at"
_TODAY: Final = """
    today as materialized (
        select day, cast(extract(epoch from (day + 1) at time zone 'utc' - at) as integer) as seconds_left
        from (select clock_timestamp() as at) t, lateral (select cast(at at time zone 'utc' as date) as day) d
    ),
    slots as materialized (
        select count(*) as open, coalesce(sum(reserved_wei), 0) as owed from worker.nonce_slot
        where chain_id = :chain_id and wallet = :wallet and state = 'open'
    )
"""

# The budget row of the wallet as a whole: the scope on which wei are booked.
_BUDGET_OF_TODAY: Final = """
    left join worker.relay_budget whole on whole.chain_id = :chain_id and whole.wallet = :wallet
        and whole.scope = 'global' and whole.subject = '' and whole.day = today.day
"""
_WEI: Final = """
    coalesce(whole.reserved_wei + whole.spent_wei, 0) as used_wei, coalesce(whole.spent_wei, 0) as spent_wei
"""

VIEW = text(f"select {_VIEW} from worker.relay_request where id = :id")  # noqa: S608 - constants

FIND = text(
    f"select {_VIEW} from worker.relay_request where chain_id = :chain_id and digest = :digest"  # noqa: S608
)

SEALED_CALL = text("select key_id, salt, call_data from worker.relay_request where id = :id and call_data is not null")

# Only requests of this wallet. What a retired wallet left open nobody ever ends, and its signer may sign the same nonce
# anew.
OPEN_OF = text(f"""
    select nonce from worker.relay_request
    where chain_id = :chain_id and wallet = :wallet and router = :router and signer = :signer
      and state in {OPEN_LIST}
    order by nonce
""")  # noqa: S608 - a constant

# What new requests are decided by. Of their scopes, digests and nonces only those come back that are in the tables.
ROOM = text(f"""
    with {_TODAY}
    select today.day, seconds_left, open, owed, {_WEI},
        exists (
            select from worker.relay_request
            where chain_id = :chain_id and wallet = :wallet and state = 'queued' and reason is null
        ) as queue,
        (
            select json_agg(json_build_array(b.scope, b.subject, b.requests))
            from unnest(cast(:scopes as text[]), cast(:subjects as text[])) as a(scope, subject)
            join worker.relay_budget b on b.chain_id = :chain_id and b.wallet = :wallet
                and b.scope = a.scope and b.subject = a.subject and b.day = today.day
        ) as counts,
        (
            select json_agg(json_build_array(encode(digest, 'hex'), id)) from worker.relay_request
            where chain_id = :chain_id and digest = any(cast(:digests as bytea[]))
        ) as known,
        (
            select json_agg(json_build_array(r.router, r.signer, r.nonce))
            from unnest(cast(:routers as text[]), cast(:signers as text[]), cast(:nonces as numeric[]))
                as a(router, signer, nonce)
            join worker.relay_request r on r.chain_id = :chain_id and r.wallet = :wallet
                and r.router = a.router and r.signer = a.signer and r.nonce = a.nonce
                and r.state in {OPEN_LIST}
        ) as nonces
    from today cross join slots {_BUDGET_OF_TODAY}
""")  # noqa: S608 - constants

# For the statements below: `signed` are the transactions of this batch, and `request` holds the ids of the rows that
# are there. For each signed one among them a slot is opened and its bytes are stored.
_SIGNED: Final = """
    signed as materialized (
        select * from json_to_recordset(cast(:signed as json)) as s(
            request_id uuid, nonce bigint, wei numeric, tx_hash text, max_fee numeric, priority_fee numeric,
            attempt_gas bigint, raw text
        )
    )
"""
_SLOTS_AND_ATTEMPTS: Final = """
    taken as materialized (select signed.* from signed join request on request.id = signed.request_id),
    slot as (
        insert into worker.nonce_slot (chain_id, wallet, nonce, request_id, gas_limit, reserved_wei, budget_day)
        select :chain_id, :wallet, nonce, request_id, attempt_gas, wei, :day from taken
    ),
    attempt as (
        insert into worker.tx_attempt
            (chain_id, tx_hash, wallet, nonce, kind, max_fee_wei, priority_fee_wei, gas_limit, raw)
        select :chain_id, tx_hash, :wallet, nonce, 'call', max_fee, priority_fee, attempt_gas, decode(raw, 'base64')
        from taken
    ),
    counter as (
        update worker.relay_wallet set next_nonce = (select max(nonce) from taken) + 1
        where chain_id = :chain_id and address = :wallet and exists (select from taken)
    ),
    counted as (
        insert into worker.relay_budget as b (chain_id, wallet, scope, subject, day, requests, reserved_wei)
        select :chain_id, :wallet, scope, subject, :day, requests, wei
        from json_to_recordset(cast(:counted as json)) as c(scope text, subject text, requests integer, wei numeric)
        on conflict (chain_id, wallet, scope, subject, day) do update
        set requests = b.requests + excluded.requests, reserved_wei = b.reserved_wei + excluded.reserved_wei
    )
"""

# New requests in the order they came, and what they take of the caps.
ADD = text(f"""
    with {_SIGNED},
    request as (
        insert into worker.relay_request
            (id, chain_id, wallet, lane, digest, router, subject_id, signer, creator, nonce, deadline, state, gas_limit,
             key_id, salt, call_data, tx_hash)
        select id, :chain_id, :wallet, lane, decode(digest, 'base64'), router, subject_id, signer, creator, nonce,
            deadline, state, gas_limit, key_id, decode(salt, 'base64'), decode(call_data, 'base64'), tx_hash
        from json_to_recordset(cast(:requests as json)) as r(
            id uuid, lane text, digest text, router text, subject_id numeric, signer text, creator text, nonce numeric,
            deadline bigint, state text, gas_limit bigint, key_id text, salt text, call_data text, tx_hash text
        )
        returning {_VIEW}
    ), {_SLOTS_AND_ATTEMPTS}
    select * from request
""")  # noqa: S608 - constants

# A request behind others of its signer has its turn once each of them is mined or over. Those that were passed over
# before come last and in random order: however many of them can never start, each has its chance.
TO_START = text(f"""
    select id, lane, digest, router, subject_id, signer, deadline, gas_limit, key_id, salt, call_data,
        {is_paused("r.chain_id || ':' || r.signer")} as paused
    from worker.relay_request r
    where chain_id = :chain_id and wallet = :wallet and state in {WAITING_LIST}
      and (state <> 'waiting_predecessor' or not exists (
          select from worker.relay_request o
          where o.chain_id = r.chain_id and o.wallet = r.wallet and o.router = r.router and o.signer = r.signer
            and o.nonce < r.nonce and o.state in {in_list(OPEN_STATES - {State.MINED})}
      ))
    order by reason is not null, case when reason is null then created_at end, random()
    limit :limit
""")  # noqa: S608 - constants

START = text(f"""
    with {_SIGNED},
    request as (
        update worker.relay_request r
        set state = 'signed', reason = null, tx_hash = signed.tx_hash, block_number = null,
            updated_at = clock_timestamp()
        from signed
        where r.id = signed.request_id and r.state in {WAITING_LIST}
        returning r.id
    ), {_SLOTS_AND_ATTEMPTS}
    select id from request
""")  # noqa: S608 - constants

# To be asked while holding the wallet's row: what waits then, waits until the commit.
STILL_WAITING = text(
    f"select id from worker.relay_request where id = any(cast(:ids as uuid[])) and state in {WAITING_LIST}"  # noqa: S608
)

PASS_OVER = text(f"""
    update worker.relay_request set reason = :reason, updated_at = clock_timestamp()
    where id = :id and state in {WAITING_LIST} and reason is distinct from :reason
""")  # noqa: S608 - a constant

DEFER = text("""
    update worker.relay_request set state = 'deferred_fee', updated_at = clock_timestamp()
    where chain_id = :chain_id and wallet = :wallet and state = 'queued'
""")

STORE_ATTEMPT = text("""
    insert into worker.tx_attempt
        (chain_id, tx_hash, wallet, nonce, kind, max_fee_wei, priority_fee_wei, gas_limit, raw)
    select chain_id, :tx_hash, wallet, nonce, :kind, :max_fee, :priority_fee, :attempt_gas, :raw
    from worker.nonce_slot
    where chain_id = :chain_id and wallet = :wallet and nonce = :nonce and state <> 'final'
      and reserved_wei >= cast(:max_fee as numeric) * :attempt_gas
    returning true
""")

# Does not lock the wallet's row, so it must not wait for any other row either: who holds several of them may take them
# in another order. Nothing is lost where it skips one: what is not marked is sent again.
MARK_SENT = text("""
    with relaxed as materialized (select set_config('synchronous_commit', 'off', true)),
    sent as (
        update worker.tx_attempt set broadcast_at = clock_timestamp() from relaxed
        where chain_id = :chain_id and tx_hash = any(array(
            select tx_hash from worker.tx_attempt where chain_id = :chain_id and tx_hash = any(cast(:sent as text[]))
            for no key update skip locked
        ))
        returning tx_hash, wallet, nonce
    )
    update worker.relay_request set state = 'broadcast', updated_at = clock_timestamp()
    where state = 'signed' and id = any(array(
        select r.id
        from sent join worker.nonce_slot s
            on s.chain_id = :chain_id and s.wallet = sent.wallet and s.nonce = sent.nonce and s.state = 'open'
        join worker.relay_request r on r.id = s.request_id
        where sent.tx_hash = any(cast(:taken as text[]))
        for no key update of r skip locked
    ))
""")

SLOT_RESERVATION = text("""
    select reserved_wei from worker.nonce_slot
    where chain_id = :chain_id and wallet = :wallet and nonce = :nonce and state <> 'final'
    for update
""")

# Raises a slot's reservation and moves all of it to today's budget. No row comes back when it does not fit.
RAISE_RESERVATION = text("""
    with today as materialized (select cast(clock_timestamp() at time zone 'utc' as date) as day),
    slot as materialized (
        select reserved_wei, budget_day from worker.nonce_slot
        where chain_id = :chain_id and wallet = :wallet and nonce = :nonce and state <> 'final'
    ),
    fits as materialized (
        select today.day, budget_day, slot.reserved_wei from today cross join slot
        left join worker.relay_budget b on b.chain_id = :chain_id and b.wallet = :wallet
            and b.scope = 'global' and b.subject = '' and b.day = today.day
        where coalesce(b.reserved_wei + b.spent_wei, 0) + :wei
            - case when today.day = budget_day then slot.reserved_wei else 0 end <= :daily_wei
    ),
    released as (
        update worker.relay_budget b set reserved_wei = b.reserved_wei - fits.reserved_wei from fits
        where b.chain_id = :chain_id and b.wallet = :wallet and b.scope = 'global' and b.subject = ''
          and b.day = fits.budget_day and fits.day <> fits.budget_day
    ),
    reserved as (
        insert into worker.relay_budget as b (chain_id, wallet, scope, subject, day, reserved_wei)
        select :chain_id, :wallet, 'global', '', day,
            :wei - case when day = budget_day then reserved_wei else 0 end
        from fits
        on conflict (chain_id, wallet, scope, subject, day) do update
        set reserved_wei = b.reserved_wei + excluded.reserved_wei
    )
    update worker.nonce_slot s set reserved_wei = :wei, budget_day = fits.day from fits
    where s.chain_id = :chain_id and s.wallet = :wallet and s.nonce = :nonce
    returning true
""")

# An open request with what it may wait for: in the queue of its signer and, once it has a nonce, among those of our
# wallet.
PLACE = text(f"""
    select r.chain_id, r.wallet, r.state, r.reason, r.gas_limit, t.max_fee_wei, t.gas_limit as attempt_gas,
        exists (
            select from worker.relay_request o
            where o.chain_id = r.chain_id and o.wallet = r.wallet and o.router = r.router and o.signer = r.signer
              and o.nonce < r.nonce and o.state in {in_list(OPEN_STATES - {State.MINED})}
        ) as behind_its_signers,
        exists (
            select from worker.nonce_slot o
            where o.chain_id = s.chain_id and o.wallet = s.wallet and o.nonce < s.nonce and o.state = 'open'
        ) as behind_ours
    from worker.relay_request r
    left join worker.nonce_slot s on s.request_id = r.id and s.state = 'open'
    left join lateral (
        select max_fee_wei, gas_limit from worker.tx_attempt t
        where t.chain_id = s.chain_id and t.wallet = s.wallet and t.nonce = s.nonce
        order by max_fee_wei desc, stored_at desc limit 1
    ) t on true
    where r.id = :id and r.state in {in_list(OPEN_STATES - {State.MINED})}
""")  # noqa: S608 - constants

STANDING = text(f"""
    with {_TODAY}
    select w.stopped, today.day, slots.open, slots.owed, coalesce(whole.requests, 0) as requests, {_WEI}
    from worker.relay_wallet w cross join today cross join slots {_BUDGET_OF_TODAY}
    where w.chain_id = :chain_id and w.address = :wallet
""")  # noqa: S608 - constants
