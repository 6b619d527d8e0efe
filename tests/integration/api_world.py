"""The API as served, over a real chain and database, and a wallet that signs for it."""

import asyncio
import hashlib
import json
import secrets
import time
from base64 import b64encode
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import aiohttp
import uvicorn.server
from eth_account.signers.local import LocalAccount
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from api.server import open_servers
from devnet.scenarios import Legacy, Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.gifts.pages import GiftReader
from reminder_worker.indexer.chain_index import ChainIndex
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.monitoring.chain_summaries import ChainSummaries
from reminder_worker.outbox.alerts import AlertOutbox
from reminder_worker.outbox.mail_client import MailClient
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.privacy.vault import Vault
from reminder_worker.quotas import QuotaCounters
from reminder_worker.relay.factory import RELAYER, make_relay_wallets
from reminder_worker.relay.intake import RelayIntake
from reminder_worker.reminders.instructions import InstructionMailer
from reminder_worker.reminders.recipients import RecipientStore
from reminder_worker.reminders.rehearsal import RehearsalStage
from reminder_worker.reminders.self_erasure import SelfErasure
from reminder_worker.runtime import (
    Runtime,
    make_gift_notifications,
    make_gift_pages,
    make_gift_wallets,
    make_legacy_pages,
)
from reminder_worker.settings import Settings


class HurriedAsyncio(SimpleNamespace):
    """`asyncio` for uvicorn, which looks ten times a second for its end: that is a third of a second for each test."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    @staticmethod
    async def sleep(seconds: float) -> None:
        await asyncio.sleep(seconds / 10)


uvicorn.server.asyncio = HurriedAsyncio()  # type: ignore[assignment, attr-defined]

ENC_KEY, HASH_KEY = b"e" * 32, b"h" * 32
APP_ORIGIN = "https://app.example.org"
CANARY_EMAIL, CANARY_NAME = "canary.person@secret.example.org", "Canary Quintessa"
CANARY_OWNER, CANARY_TITLE = "Ottilia Canary", "Canary cottage"

ABOUT = [{"name": "legacy", "type": "address"}, {"name": "deadline", "type": "uint256"}]
INGEST = [ABOUT[0], {"name": "payloadHash", "type": "bytes32"}, ABOUT[1]]
PATHS = {
    "IngestLegacy": "/ingest-legacy",
    "ReadRecipients": "/recipients",
    "RehearseLegacy": "/rehearsal",
    "EraseLegacy": "/erase-legacy",
    "SendInstructions": "/send-instructions",
}


@dataclass(frozen=True)
class ApiAnswer:
    status: int
    body: Any
    headers: Mapping[str, str]

    @property
    def code(self) -> str:
        return str(self.body["code"])


@dataclass
class WallClock:
    """The service's wall clock, so that deadlines can pass without waiting."""

    ahead: float = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


@dataclass
class ApiWorld:
    parts: Runtime
    scenario: Scenario
    session: aiohttp.ClientSession
    url: str
    metrics_url: str
    clock: WallClock
    _last_deadline: int = field(default=0)

    @property
    def engine(self) -> AsyncEngine:
        return self.parts.engine

    @property
    def chain_id(self) -> int:
        return self.scenario.anvil.chain_id

    def owner(self, label: str = "owner") -> LocalAccount:
        account = self.scenario.account(label)
        self.scenario.ensure_premium(account)
        return account

    def legacy(self, owner: LocalAccount) -> Legacy:
        return self.scenario.create_legacy(owner, {self.scenario.account("heir").address: 100})

    def deadline(self) -> int:
        """Each later than the one before, as a person's clicks are."""
        self._last_deadline = max(int(self.clock()) + 1800, self._last_deadline + 1)
        return self._last_deadline

    def signed(
        self,
        signer: LocalAccount,
        kind: str,
        legacy: Legacy | str,
        *,
        payload: str | None = None,
        deadline: int | None = None,
        chain_id: int | None = None,
    ) -> dict[str, Any]:
        """A request body as a frontend makes it."""
        address = legacy if isinstance(legacy, str) else legacy.address
        deadline, chain_id = deadline or self.deadline(), chain_id or self.chain_id
        message: dict[str, Any] = {"legacy": address, "deadline": deadline}
        if payload is not None:
            message["payloadHash"] = hashlib.sha256(payload.encode()).digest()
        domain = {"name": "Reminder Worker", "version": "1", "chainId": chain_id}
        types = {kind: INGEST if payload is not None else ABOUT}
        signature = signer.sign_typed_data(domain, types, message).signature.to_0x_hex()
        body = {"chainId": chain_id, "legacy": address, "deadline": deadline, "signature": signature}
        return body if payload is None else {**body, "payload": payload}

    def ingest_body(self, signer: LocalAccount, legacy: Legacy | str, people: Sequence[Any], **more: Any) -> Any:
        """`more`: fields of the body. `words`: of the payload, beside the recipients."""
        payload = payload_of(people, **more.pop("words", {}))
        return self.signed(signer, "IngestLegacy", legacy, payload=payload, **more)

    async def post(self, path: str, body: Any = None, **kwargs: Any) -> ApiAnswer:
        if body is not None:
            kwargs["json"] = body
        return await self.request("POST", path, **kwargs)

    async def request(self, method: str, path: str, **kwargs: Any) -> ApiAnswer:
        async with self.session.request(method, self.url + path, **kwargs) as response:
            raw = await response.read()
            body = json.loads(raw) if "json" in response.headers.get("Content-Type", "") else raw
            return ApiAnswer(response.status, body, response.headers)

    async def ingest(self, signer: LocalAccount, legacy: Legacy | str, people: Sequence[Any], **more: Any) -> ApiAnswer:
        return await self.post("/ingest-legacy", self.ingest_body(signer, legacy, people, **more))

    async def call(self, signer: LocalAccount, kind: str, legacy: Legacy | str, **more: Any) -> ApiAnswer:
        return await self.post(PATHS[kind], self.signed(signer, kind, legacy, **more))

    async def sql(self, statement: str, **values: Any) -> list[Any]:
        async with self.engine.begin() as connection:
            result = await connection.execute(text(statement), values)
            return list(result.all()) if result.returns_rows else []


def person(number: int = 1, **changes: Any) -> dict[str, Any]:
    """One recipient of a payload."""
    whole = {
        "recipient": f"0x{number:040x}",
        "role": "beneficiary",
        "email": f"person{number}@example.org",
        "name": f"Person {number}",
    }
    return whole | changes


def payload_of(people: Sequence[Any], salt: str | None = None, **words: str) -> str:
    return json.dumps({"salt": salt or "0x" + secrets.token_hex(16), "recipients": list(people), **words})


def settings_for(scenario: Scenario, database_url: str, **more: str) -> Settings:
    environ = {
        "ENVIRONMENT": "local",
        "DATABASE_URL": database_url,
        "EMAIL_ENC_KEY": b64encode(ENC_KEY).decode(),
        "HASH_KEY": b64encode(HASH_KEY).decode(),
        "APP_ORIGIN": APP_ORIGIN,
        "CHAINS": str(scenario.anvil.chain_id),
        "API_PORT": "0",
        "METRICS_PORT": "0",
        "RATE_LIMIT_PER_MINUTE": "1000",
        "MAIL_URL": "http://127.0.0.1:1",  # nothing is sent here
        "MAIL_TOKEN": "unused",
        **scenario.deployment.settings_environ(scenario.anvil.chain_id, scenario.anvil.url),
    }
    return Settings.from_environ(environ | more)


@asynccontextmanager
async def open_world(scenario: Scenario, engine: AsyncEngine, **more: str) -> AsyncIterator[ApiWorld]:
    """Serve on loopback; `more` are settings by their environment names."""
    settings = settings_for(scenario, "postgresql://unused@localhost/unused", **more)
    clock = WallClock()
    session = aiohttp.ClientSession()
    chains = {chain.chain_id: Chain(chain) for chain in settings.chains}
    vault, hashes = Vault(ENC_KEY), KeyedHash(HASH_KEY)
    quotas = QuotaCounters(engine, clock)
    indexes = {id: ChainIndex(engine, chain) for id, chain in chains.items()}
    indexers = {id: IndexerSelector(chains[id], index, None) for id, index in indexes.items()}
    relaying = make_relay_wallets(engine, vault, chains, AlertOutbox(engine), settings)
    recipients = RecipientStore(engine, vault, hashes, quotas, chains, settings)
    mail = MailClient(settings.mail) if settings.mail else None
    parts: Runtime = SimpleNamespace(  # type: ignore[assignment]
        settings=settings,
        engine=engine,
        vault=vault,
        hashes=hashes,
        quotas=quotas,
        chains=chains,
        wallets=relaying.paying_wallets,
        chain_summaries=ChainSummaries(chains, relaying.paying_wallets),
        relaying=relaying,
        sponsor=RelayIntake(engine, relaying.admissions.get(RELAYER), chains, indexers, settings),
        recipients=recipients,
        rehearsals=RehearsalStage(engine, chains, indexers, recipients, mail, settings),
        self_erasure=SelfErasure(engine, chains, quotas.now),
        instructions=InstructionMailer(engine, chains, indexers, quotas, settings),
        chain_indexes=indexes,
        gift_pages=make_gift_pages(settings, chains, indexers, relaying),
        legacy_pages=make_legacy_pages(settings, chains, indexers),
        dispatch=None,
        gift_mail=None,
        gift_wallets=make_gift_wallets(engine, hashes, quotas, chains, settings, session),
        gift_notifications=make_gift_notifications(
            engine, vault, hashes, quotas, chains, GiftReader(chains, indexers), settings
        ),
    )
    try:
        async with mail or nullcontext(), open_servers(parts) as (port, metrics_port):
            url, metrics = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{metrics_port}"
            yield ApiWorld(parts, scenario, session, url, metrics, clock)
    finally:
        await session.close()
        for chain in chains.values():
            await chain.close()
