"""`doctor` judges the encryption of connections to PostgreSQL, by connections that libpq really made."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from dataclasses import astuple, replace
from pathlib import Path

import pytest
from psycopg import OperationalError
from pydantic import SecretStr
from sqlalchemy import make_url

from mail_service.__main__ import _migrate_database
from mail_service.encryption import StoreLink, read_link
from mail_service.logs import configure_logs
from mail_service.settings import MailServiceSettings
from mail_service.store import MailStore
from reminder_worker.doctor.encryption import COMPOSE_HOST, DatabaseLink, judge_link, open_link
from tests.integration.certificates import own_certificate

SSL_REQUEST = bytes.fromhex("0000000804d2162f")
FAR = "8.8.8.8"


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while data := await source.read(65536):
        sink.write(data)
        await sink.drain()
    sink.close()


@pytest.fixture
async def door(mail_database: str, tmp_path: Path) -> AsyncIterator[str]:
    """TLS in front of the PostgreSQL of the tests, which has none. Without a question for TLS all goes on in clear."""
    folder = make_url(mail_database).query["host"]
    context: ssl.SSLContext = own_certificate(tmp_path / "ca.pem")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = await reader.readexactly(8)
        if first == SSL_REQUEST:
            writer.write(b"S")
            await writer.start_tls(context)
            first = b""
        back, forth = await asyncio.open_unix_connection(f"{folder}/.s.PGSQL.5432")
        forth.write(first)
        await asyncio.gather(_pump(reader, forth), _pump(back, writer))

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield f"postgresql://postgres@127.0.0.1:{server.sockets[0].getsockname()[1]}/{make_url(mail_database).database}"


async def test_each_sslmode_is_judged_by_the_connection_that_it_makes(door: str, tmp_path: Path) -> None:
    root = f"&sslrootcert={tmp_path / 'ca.pem'}"
    for asked, mode, encrypted, verdict in (
        ("", "prefer", True, None),
        ("?sslmode=disable", "disable", False, False),
        ("?sslmode=allow", "allow", False, False),
        ("?sslmode=require", "require", True, None),
        (f"?sslmode=verify-full{root}", "verify-full", True, True),
    ):
        link = await asyncio.to_thread(open_link, f"{door}{asked}")
        assert link == DatabaseLink("127.0.0.1", "127.0.0.1", mode, encrypted), asked
        assert judge_link(link, "DATABASE_URL") is None, "on this machine"
        judged = judge_link(replace(link, host="db.example.org", address=FAR), "DATABASE_URL")
        assert judged is not None
        assert judged[0] is verdict, judged
        assert verdict is True or f"sslmode={mode}" in judged[1]
        of_mail = await _link_of_mail(f"{door}{asked}")
        assert astuple(of_mail) == astuple(link)
        assert of_mail.is_safe
        assert replace(of_mail, host="db.example.org", address=FAR).is_safe is (verdict is True)
        assert verdict is True or "put sslmode=verify-full and sslrootcert into DATABASE_URL" in judged[1]


async def _link_of_mail(url: str) -> StoreLink:
    """As the mail service connects."""
    async with MailStore.open(url.replace("postgresql://", "postgresql+psycopg://"), 1) as store:
        return await read_link(store.engine)


async def test_verify_full_without_the_right_root_makes_no_connection(door: str, tmp_path: Path) -> None:
    own_certificate(tmp_path / "other.pem")
    with pytest.raises(OperationalError):
        await asyncio.to_thread(open_link, f"{door}?sslmode=verify-full&sslrootcert={tmp_path / 'other.pem'}")


def test_sockets_and_composes_own_database_need_no_encryption(postgres_server: str) -> None:
    assert judge_link(open_link(postgres_server), "DATABASE_URL") is None
    own = DatabaseLink(COMPOSE_HOST, "172.18.0.2", "prefer", encrypted=False)
    assert judge_link(own, "DATABASE_URL") is None
    for far in (replace(own, host="db.internal"), replace(own, address=FAR)):
        assert judge_link(far, "DATABASE_URL")
        assert not StoreLink(*astuple(far)).is_safe
    assert StoreLink(*astuple(own)).is_safe


def test_the_mail_service_warns_at_its_start(mail_database: str, capfd: pytest.CaptureFixture[str]) -> None:
    url = mail_database.replace("postgresql://", "postgresql+psycopg://")
    settings = MailServiceSettings.model_construct(database_url=SecretStr(url))
    configure_logs()
    with pytest.MonkeyPatch.context() as patch:
        for safe in (True, False):
            patch.setattr(StoreLink, "is_safe", safe)
            asyncio.run(_migrate_database(settings))
            assert ("database_link_unsafe" in capfd.readouterr().err) is not safe
