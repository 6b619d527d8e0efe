"""Where the parts of the local stack are, and the settings and secrets each is given."""

import os
import secrets
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Self

from cryptography.hazmat.primitives.asymmetric import ec
from eth_account import Account

from devnet.compile import ROOT
from devnet.deploy import Deployment
from devnet.parts import StackFailed, busy_ports
from devnet.stand_in import KEYS, stand_in

HOST = "127.0.0.1"
CHAIN_ID = 31337
DATABASES = ("worker", "mail_service", "dagster")
OPS_EMAIL = "operators@post.example"
OUR_WALLETS = ("relayer", "attestor")
REQUESTS_OF_A_CLIENT = 100_000  # the story, its browser and a visitor share an address
OF_A_CLIENT = (
    "RATE_LIMIT_PER_MINUTE",
    "RELAY_PER_CLIENT_HOUR",
    "GIFT_NOTIFY_PER_CLIENT_HOUR",
    "GIFT_WALLETS_PER_CLIENT_HOUR",
)
CORS_VARIABLE = "DEMO_CORS_ORIGINS"


@dataclass(frozen=True, slots=True)
class StackPorts:
    """Each from the environment variable DEMO_<NAME>_PORT."""

    api: int = 8080
    metrics: int = 9090
    dagster: int = 3070
    inbox: int = 8025
    smtp: int = 1025
    mail: int = 8090
    identity: int = 8091
    chain: int = 8545

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] = os.environ) -> Self:
        """Raises `StackFailed` naming what is not a port."""
        given = {}
        for field in fields(cls):
            text = environ.get(port_variable(field.name), "")
            if text and not (text.isdecimal() and 0 < int(text) < 65536):
                raise StackFailed(f"{port_variable(field.name)} is not a port (1 to 65535)")
            if text:
                given[field.name] = int(text)
        return cls(**given)

    def complaints(self) -> list[str]:
        parts = {
            "metrics": "the API's metrics",
            "inbox": "the inbox page",
            "dagster": "the Dagster UI",
            "identity": "the identity provider's stand-in",
        }
        return busy_ports(
            (getattr(self, field.name), parts.get(field.name, f"the {field.name} part"), port_variable(field.name))
            for field in fields(self)
        )


@dataclass(frozen=True, slots=True)
class StackAddresses:
    """Addresses of a running stack; `databases` are `postgresql://` addresses by name."""

    inbox: str
    api: str
    metrics: str
    dagster: str
    mail: str
    chain: str
    databases: Mapping[str, str]

    @classmethod
    def of(cls, ports: StackPorts, socket: str) -> Self:
        """`socket` is the directory PostgreSQL's socket is in."""
        return cls(
            inbox=f"http://{HOST}:{ports.inbox}",
            api=f"http://{HOST}:{ports.api}",
            metrics=f"http://{HOST}:{ports.metrics}/metrics",
            dagster=f"http://{HOST}:{ports.dagster}",
            mail=f"http://{HOST}:{ports.mail}",
            chain=f"http://{HOST}:{ports.chain}",
            databases={name: f"postgresql://postgres@/{name}?host={socket}" for name in DATABASES},
        )


def port_variable(name: str) -> str:
    return f"DEMO_{name.upper()}_PORT"


def make_secrets(directory: Path, chain_url: str) -> None:
    """Write new secrets into files readable only by us. The chain's URL has a key, like a provider's endpoint."""
    directory.mkdir(mode=0o700)
    for name in ("email_enc_key", "hash_key", "mail_hash_key"):
        write_private(directory / name, b64encode(secrets.token_bytes(32)).decode())
    for name in ("mail_token", "report_secret"):
        write_private(directory / name, secrets.token_urlsafe(32))
    write_private(directory / "rpc_urls", f"{chain_url}/?key={secrets.token_urlsafe(32)}")
    for wallet in OUR_WALLETS:
        write_private(directory / f"{wallet}_wallet", secrets.token_hex(32))
    for key in KEYS:
        number = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
        write_private(directory / key, f"{number:064x}")


def write_private(path: Path, text: str) -> None:
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_text(text)


def our_wallets(secret_files: Path) -> dict[str, str]:
    """The addresses of the service's own wallets, lower case, by their names."""
    keys = {wallet: (secret_files / f"{wallet}_wallet").read_text() for wallet in OUR_WALLETS}
    return {wallet: Account.from_key(key).address.lower() for wallet, key in keys.items()}


def bare_environ() -> dict[str, str]:
    """No setting of the terminal's leaks into the stack."""
    kept = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "USER", "LOGNAME", "VIRTUAL_ENV")
    environ = {name: os.environ[name] for name in kept if name in os.environ}
    return environ | {"PYTHONUNBUFFERED": "1", "PYTHONPATH": str(ROOT)}


def mail_environ(at: StackAddresses, ports: StackPorts, secret_files: Path) -> dict[str, str]:
    """Settings of the mail service."""
    return {
        "MAIL_SERVICE_DATABASE_URL": at.databases["mail_service"],
        "MAIL_SERVICE_TOKEN_FILE": str(secret_files / "mail_token"),
        "MAIL_SERVICE_HASH_KEY_FILE": str(secret_files / "mail_hash_key"),
        "REPORT_SECRET_FILE": str(secret_files / "report_secret"),
        "MAIL_SERVICE_PUBLIC_URL": at.mail,
        "MAIL_SERVICE_PORT": str(ports.mail),
        "EMAIL_PAGE_URL": f"{at.api}/emails",
        "ORGANISATION_NAME": "Local stack",
        "MAIL_FROM": "Reminders <reminders@mail.example>",
        "APP_ORIGIN": at.api,
        "GIFT_ORIGINS": at.api,
        "SMTP_HOST": HOST,
        "SMTP_PORT": str(ports.smtp),
        "SMTP_TLS": "none",
    }


def worker_environ(at: StackAddresses, ports: StackPorts, secret_files: Path, deployment: Deployment) -> dict[str, str]:
    """Settings of the worker's own parts, as an installation's `.env` would say them."""
    provider = stand_in(ports.identity, secret_files).settings()
    del provider["TURNKEY_API_PRIVATE_KEY"]
    contracts = deployment.settings_environ(CHAIN_ID, at.chain)
    del contracts[f"CHAIN_{CHAIN_ID}_RPC_URLS"]
    return {
        **provider,
        "TURNKEY_API_PRIVATE_KEY_FILE": str(secret_files / KEYS[0]),
        "ENVIRONMENT": "local",
        "DATABASE_URL": at.databases["worker"],
        "EMAIL_ENC_KEY_FILE": str(secret_files / "email_enc_key"),
        "HASH_KEY_FILE": str(secret_files / "hash_key"),
        "APP_ORIGIN": at.api,
        "LEGACY_PAGES": "true",
        "LOG_FORMAT": "json",
        "CHAINS": str(CHAIN_ID),
        f"CHAIN_{CHAIN_ID}_NAME": "Local chain",
        f"CHAIN_{CHAIN_ID}_SIGNAL_BLOCK": "latest",
        f"CHAIN_{CHAIN_ID}_RPC_URLS_FILE": str(secret_files / "rpc_urls"),
        **contracts,
        **deployment.upgrade_environ(CHAIN_ID),
        **deployment.price_environ(CHAIN_ID),
        "MAIL_URL": at.mail,
        "MAIL_SERVICE_PUBLIC_URL": at.mail,
        "EMAIL_PAGE_URL": f"{at.api}/emails",
        "ORGANISATION_NAME": "Local stack",
        "MAIL_TOKEN_FILE": str(secret_files / "mail_token"),
        "RELAYER_KEY_FILE": str(secret_files / "relayer_wallet"),
        "ATTESTOR_KEY_FILE": str(secret_files / "attestor_wallet"),
        "OPS_EMAIL": OPS_EMAIL,
        "GIFT_ORIGINS": at.api,
        "API_PORT": str(ports.api),
        "CORS_ORIGINS": os.environ.get(CORS_VARIABLE, ""),
        **dict.fromkeys(OF_A_CLIENT, str(REQUESTS_OF_A_CLIENT)),
        "METRICS_PORT": str(ports.metrics),
        "INBOX_URL": at.inbox,
        "STATISTICS_FOLDER": str(secret_files.parent / "statistics"),
    }


def dagster_environ(at: StackAddresses, home: Path) -> dict[str, str]:
    return {
        "DAGSTER_HOME": str(home),
        "DAGSTER_PG_URL": at.databases["dagster"].replace("postgresql://", "postgresql+psycopg2://"),
        "DAGSTER_REDACT_USER_CODE_ERRORS": "1",
    }
