"""Erasure of one person in 30,000 legacies and 1,500 gifts, with their emails."""

from typing import Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bench.harness import BenchFigure, seconds_of
from bench.surroundings import CHAIN_ID, database
from reminder_worker.monitoring.erasure import erase_person
from reminder_worker.privacy.hashing import KeyedHash

LEGACIES, GIFTS = 30_000, 1_500
ACCOUNT: Final = f"0x{7:040x}"
_EMAIL: Final = "somebody@example.com"
_ROWS: Final = """
    insert into worker.recipient (chain_id, legacy, recipient, role, key_id, salt, email, name, email_hash)
    select :chain, '0x' || lpad(to_hex(n), 40, '0'), :account, 'beneficiary', 'k', :salt, '', '', :hash
    from generate_series(1, :legacies) n;
    insert into worker.watch (chain_id, legacy, creator, legacy_type)
    select chain_id, legacy, recipient, 3 from worker.recipient where email_hash = :hash;
    insert into worker.sent_ledger (id, chain_id, legacy, recipient, kind, event, role, state, message_id, number_hash)
    select
        gen_random_uuid(), chain_id, legacy, recipient,
        case state when 'sent' then 'instructions' else 'owner_reset' end, state, role, state,
        case state when 'sent' then 'm' end, case state when 'sent' then decode('00', 'hex') end
    from worker.recipient, unnest(array['queued', 'sent']) state where email_hash = :hash;
    insert into worker.gift_notification (
        chain_id, timelock_id, key_id, salt, payload, email_hash, timing, owner, recipient, unlock_time
    )
    select :chain, n, 'k', :salt, '', :hash, 'none', :account, :account, 1 from generate_series(1, :gifts) n;
    insert into worker.gift_ledger (id, email_hash, chain_id, timelock_id, kind, expires_at)
    select gen_random_uuid(), :hash, chain_id, timelock_id, 'gift_unlocked', now()
    from worker.gift_notification where email_hash = :hash
"""


async def measure() -> list[BenchFigure]:
    hashes = KeyedHash(b"k" * 32)
    async with database() as (engine, _url):
        await store_person(engine, hashes.hash_email(_EMAIL), ACCOUNT, legacies=LEGACIES, gifts=GIFTS)
        seconds = await seconds_of(lambda: erase_person(engine, hashes, _EMAIL, None))
    return [BenchFigure("erase.rows", seconds, "s for one person in 30,000 legacies", None, None, "<= 10")]


async def store_person(engine: AsyncEngine, email_hash: bytes, account: str, *, legacies: int, gifts: int) -> None:
    """Store one person, with a waiting and a sent email of each legacy and a waiting email of each gift.

    The rows hold nothing that could be decrypted. The planner knows nothing of them yet, as after a burst.
    """
    given = {"chain": CHAIN_ID, "account": account, "salt": b"s" * 32, "hash": email_hash}
    given |= {"legacies": legacies, "gifts": gifts}
    async with engine.begin() as connection:
        for statement in map(text, _ROWS.split(";")):
            values = {name: given[name] for name in statement.compile().params}
            await connection.execute(statement, values)
