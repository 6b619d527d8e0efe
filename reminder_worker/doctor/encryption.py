"""Encryption of the connections to PostgreSQL, judged from real connections."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address

import psycopg
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from reminder_worker.doctor import Finding
from reminder_worker.settings import Settings

COMPOSE_HOST = "postgres"  # of deploy/compose.yaml: on a network inside of one machine


@dataclass(frozen=True, slots=True)
class DatabaseLink:
    """An open connection: `address` is empty for a unix socket."""

    host: str
    address: str
    sslmode: str
    encrypted: bool


def examine_encryption(settings: Settings) -> Iterator[Finding]:
    """Judge every database with a known address. Skip silent databases: other findings name them."""
    for part, setting, url in (
        ("database", "DATABASE_URL", settings.service.database_url.get_secret_value()),
        ("dagster", "DAGSTER_PG_URL", os.environ.get("DAGSTER_PG_URL")),
        ("mail database", "MAIL_SERVICE_DATABASE_URL", os.environ.get("MAIL_SERVICE_DATABASE_URL")),
    ):
        with suppress(psycopg.Error, ArgumentError, ValueError):
            judged = judge_link(open_link(url), setting) if url else None
            if judged:
                yield part, *judged


def open_link(url: str) -> DatabaseLink:
    """Connect as SQLAlchemy does, with the same hosts and parameters, and return what came of it."""
    address = make_url(url).set(drivername="postgresql+psycopg")
    words, named = address.get_dialect()().create_connect_args(address)
    with psycopg.connect(*words, **{"connect_timeout": 10, **named}) as connection:
        info = connection.info
        mode = info.get_parameters().get("sslmode", "prefer")  # libpq's default
        return DatabaseLink(info.host, info.hostaddr, mode, bool(connection.pgconn.ssl_in_use))


def judge_link(link: DatabaseLink, setting: str) -> tuple[bool | None, str] | None:
    """Return verdict and words; None if the connection does not leave this machine."""
    if not link.address or ip_address(link.address).is_loopback:
        return None
    if link.host == COMPOSE_HOST and ip_address(link.address).is_private:
        return None
    remedy = f'put sslmode=verify-full and sslrootcert into {setting}, see "Encryption" in docs/operating.md'
    if not link.encrypted:
        return False, f"the connection is not encrypted (sslmode={link.sslmode}): {remedy}"
    if link.sslmode != "verify-full":
        return None, f"encrypted, but with sslmode={link.sslmode} another machine can pose as the database: {remedy}"
    return True, "the connection is encrypted, and the server's certificate is checked"
