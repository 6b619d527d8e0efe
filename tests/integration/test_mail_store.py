"""The key store by itself: who may judge whom, and what happens when the database goes away at the wrong moment."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from mail_service.store import KeyClaim, KnownKey, MailStore, SuppressedEmail


@asynccontextmanager
async def opened(database: str) -> AsyncIterator[MailStore]:
    async with MailStore.open(database.replace("postgresql://", "postgresql+psycopg://"), 3) as store:
        yield store


async def claimed(store: MailStore, key: str) -> KeyClaim:
    claim = await store.claim_key(key, b"body", f"<{key}@x>", None)
    assert isinstance(claim, KeyClaim)
    return claim


async def state(store: MailStore, key: str) -> str | None:
    known = await store.find_key(key)
    return known.state if known else None


def cut(database: str) -> None:
    """Every connection to the database dies, as in a failover."""
    name = database.split("?")[0].rpartition("/")[2]
    with psycopg.connect(database.replace(f"/{name}?", "/postgres?"), autocommit=True) as connection:
        connection.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", (name,))


async def test_an_instance_that_lost_its_lock_is_judged_and_then_stops(mail_database: str) -> None:
    """Keys not handed over are freed and their emails can no longer leave; keys handed over are in doubt."""
    async with opened(mail_database) as one, opened(mail_database) as two:
        before, after, done = [await claimed(one, key) for key in ("before", "after", "done")]
        assert await one.hand_over(after)
        assert await one.hand_over(done)
        await one.mark_accepted(done)
        await two.beat()
        assert (await state(two, "before"), await state(two, "after")) == ("in_flight", "in_flight")
        await one._watch.invalidate()
        while await state(two, "before") is not None:
            await two.judge_dead_instances()
        assert (await state(two, "after"), await state(two, "done")) == ("in_doubt", "accepted")
        again = await claimed(two, "before")
        assert not await one.hand_over(before)
        assert await two.hand_over(again)
        await one.mark_accepted(after)
        assert await state(two, "after") == "accepted"


async def test_emails_that_come_together_share_their_commits(mail_database: str) -> None:
    """Each gets its own answer: a known key, or an address that asked for no more, stops none of the others."""
    async with opened(mail_database) as store:
        await claimed(store, "known")
        await store.suppress_address(b"stopped")
        claims = [claimed(store, f"key {number}") for number in range(20)]
        others = [store.claim_key(key, b"body", f"<{key}@x>", b"stopped") for key in ("known", "stopped")]
        mine, (known, stopped) = await asyncio.gather(asyncio.gather(*claims), asyncio.gather(*others))
        assert isinstance(known, KnownKey)
        assert isinstance(stopped, SuppressedEmail)
        assert count_commits(mail_database, "claimed") == (20, 1)
        assert all(await asyncio.gather(*(store.hand_over(claim) for claim in mine)))
        assert count_commits(mail_database, "handing_over") == (20, 1)
        await asyncio.gather(*(store.mark_accepted(claim) for claim in mine))
        assert count_commits(mail_database, "accepted") == (20, 1)


def count_commits(database: str, step: str) -> tuple[int, int]:
    """Count the rows of `key ...` at this step and the commits that wrote them."""
    query = (
        "select count(*), count(distinct xmin::text) from mail_service.message"
        " where key like 'key %%' and %s in (stage, state)"
    )
    with psycopg.connect(database) as connection:
        found = connection.execute(query, (step,)).fetchone()
    assert found is not None
    return found


async def test_a_row_that_is_held_does_not_stop_its_neighbours(mail_database: str) -> None:
    async with opened(mail_database) as store:
        held, free = await claimed(store, "held"), await claimed(store, "free")
        with psycopg.connect(mail_database) as judge:
            judge.execute("select from mail_service.message where key = 'held' for update")
            waiting = asyncio.create_task(store.hand_over(held))
            assert await store.hand_over(free)
            await store.mark_accepted(free)
            assert not waiting.done()
        assert await waiting


async def test_emails_whose_common_commit_failed_are_all_free_again(mail_database: str) -> None:
    keys = ("one", "two", "three")
    async with opened(mail_database) as store:
        await store.beat()
        cut(mail_database)
        failed = await asyncio.gather(*(claimed(store, key) for key in keys), return_exceptions=True)
        assert all(isinstance(each, SQLAlchemyError) for each in failed)
        await store.beat()
        assert all([await store.hand_over(await claimed(store, key)) for key in keys])


async def test_an_instance_announces_itself_again(mail_database: str) -> None:
    async with opened(mail_database) as one, opened(mail_database) as two:
        cut(mail_database)
        for store in (one, two):
            with pytest.raises(SQLAlchemyError):
                await store.find_key("x")
            await store.beat()
        await claimed(one, "key")
        await two.judge_dead_instances()
        assert await state(two, "key") == "in_flight"


async def test_after_a_failover_to_a_standby_no_connection_to_it_is_kept(mail_database: str) -> None:
    """It answers, and takes no writes: the process is not ready, and goes on by itself once there is a primary."""
    name = mail_database.split("?")[0].rpartition("/")[2]
    async with opened(mail_database) as store:
        with psycopg.connect(mail_database.replace(f"/{name}?", "/postgres?"), autocommit=True) as admin:
            admin.execute(f"alter database {name} set default_transaction_read_only = on")
            cut(mail_database)
            with suppress(SQLAlchemyError):
                await store.find_key("x")
            await store.beat()  # announced on the standby, which holds locks too
            assert await store.find_key("x") is None
            assert not await store.accepts_writes()
            with pytest.raises(SQLAlchemyError):
                await store.claim_key("key", b"body", "<key@x>", None)
            admin.execute(f"alter database {name} reset default_transaction_read_only")
        await store.beat()
        assert await store.accepts_writes()
        await claimed(store, "key")
        assert await store._watch.scalar(sa.text("show transaction_read_only")) == "off"


@pytest.mark.parametrize(
    ("outcome", "expected"), [("mark_accepted", "accepted"), ("free_key", None), ("mark_in_doubt", "in_doubt")]
)
async def test_an_outcome_that_could_not_be_recorded_is_recorded_later(
    mail_database: str, outcome: str, expected: str | None
) -> None:
    async with opened(mail_database) as store:
        claim = await claimed(store, "key")
        assert await store.hand_over(claim)
        cut(mail_database)
        await getattr(store, outcome)(claim)
        await store.beat()
        assert await state(store, "key") == expected


async def test_an_old_attempt_cannot_touch_a_new_one(mail_database: str) -> None:
    """Freed and claimed again by the same process: the first attempt can neither hand over nor free."""
    async with opened(mail_database) as store:
        old = await claimed(store, "key")
        await store.free_key(old)
        new = await claimed(store, "key")
        assert not await store.hand_over(old)
        await store.free_key(old)
        assert await store.hand_over(new)


async def test_what_was_accepted_is_never_freed(mail_database: str) -> None:
    async with opened(mail_database) as store:
        claim = await claimed(store, "key")
        await store.hand_over(claim)
        await store.mark_accepted(claim)
        await store.free_key(claim)
        assert isinstance(await store.claim_key("key", b"body", "<key@x>", None), KnownKey)


async def test_what_may_be_out_is_not_handed_over_again(mail_database: str) -> None:
    async with opened(mail_database) as store:
        claim = await claimed(store, "key")
        assert await store.hand_over(claim)
        assert not await store.hand_over(claim)
        await store.mark_in_doubt(claim)
        assert not await store.hand_over(claim)


@pytest.mark.parametrize("stage", ["claimed", "handing_over"])
async def test_email_whose_outcome_a_failover_forgot_is_in_doubt(mail_database: str, stage: str) -> None:
    """The process lives on, so no other instance judges its rows; its other emails go on."""
    async with opened(mail_database) as store:
        lost, going_on = await claimed(store, "lost"), await claimed(store, "going on")
        assert await store.hand_over(lost)
        await store.mark_accepted(lost)
        with psycopg.connect(mail_database) as last_commits_lost:
            last_commits_lost.execute(
                "update mail_service.message set state = 'in_flight', stage = %s where key = 'lost'", (stage,)
            )
        await store.beat()
        assert (await state(store, "lost"), await state(store, "going on")) == ("in_doubt", "in_flight")
        assert await store.hand_over(going_on)


async def test_every_table_has_a_comment_and_starting_twice_changes_nothing(mail_database: str) -> None:
    for _ in range(2):
        async with opened(mail_database):
            pass
    with psycopg.connect(mail_database) as connection:
        query = (
            "select relname, obj_description(oid) from pg_class"
            " where relkind = 'r' and relnamespace = 'mail_service'::regnamespace"
        )
        comments: dict[str, str | None] = dict(connection.execute(query).fetchall())
    assert set(comments) == {"bounce", "forgotten", "message", "report_count", "report_reader", "suppression"}
    assert all(comments.values())
