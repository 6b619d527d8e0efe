"""Sealed gifts whose emails are told: what giver, worker and mail service do, without HTTP."""

import hashlib
import json
import secrets
import time
from base64 import b64decode, urlsafe_b64encode
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from eth_account.signers.local import LocalAccount
from pydantic import SecretStr
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.gifts.claim_link import LinkRules
from reminder_worker.gifts.emails import GiftMail, GiftMailReport
from reminder_worker.gifts.notifications import EraseRequest, GiftNotifications, NotifyRequest
from reminder_worker.gifts.pages import GiftReader
from reminder_worker.indexer.chain_index import ChainIndex
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.outbox.mail_client import MailClient
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.privacy.vault import Vault
from reminder_worker.quotas import QuotaCounters
from reminder_worker.settings import Settings
from tests.integration.mail_stub import MailStub
from tests.integration.reminder_world import CHAIN_ID, ENC_KEY, HASH_KEY, settings_for

EMAIL = "Grandchild.Canary@post.example"
NORMAL = EMAIL.lower()
ORIGIN = "https://gifts.example.org"
NOTIFY = [{"name": "payloadHash", "type": "bytes32"}, {"name": "deadline", "type": "uint256"}]
ERASE = [{"name": "timelockId", "type": "uint256"}, {"name": "deadline", "type": "uint256"}]
DOMAIN = {"name": "Reminder Worker", "version": "1", "chainId": CHAIN_ID}
USDC = 25 * 10**6
RULES = LinkRules.from_origins([ORIGIN], "gifts")


@dataclass
class World:
    scenario: Scenario
    engine: AsyncEngine
    settings: Settings
    stub: MailStub
    index: ChainIndex
    vault: Vault
    hashes: KeyedHash
    chains: dict[int, Chain]
    gifts: GiftReader
    client: MailClient
    notifications: GiftNotifications
    mail: GiftMail
    _deadline: int = field(default_factory=lambda: int(time.time()) + 600)

    @property
    def giver(self) -> LocalAccount:
        return self.scenario.account("giver")

    @property
    def heir(self) -> LocalAccount:
        return self.scenario.account("heir")

    def seal(self, **terms: Any) -> int:
        terms = terms or {"tokens": [(self.scenario.deployment.usdc, USDC)]}
        return self.scenario.create_gift(self.giver, self.heir.address, **{"duration": 30 * DAY, **terms})

    def payload(self, timelock_id: int, **changes: Any) -> str:
        letter = json.dumps({"v": 1, "to": "Quilla Canary", "from": "Grandpa Canary", "note": "canary note"})
        fragment = urlsafe_b64encode(letter.encode()).decode().rstrip("=")
        whole = {
            "salt": "0x" + secrets.token_hex(16),
            "timelockId": str(timelock_id),
            "recipientEmail": EMAIL,
            "recipientName": "Quilla Canary",
            "giverName": "Grandpa Canary",
            "claimLink": f"{ORIGIN}/gifts/{CHAIN_ID}/{timelock_id}?o=birthday#g={fragment}",
            "timing": "immediate",
        }
        return json.dumps({name: value for name, value in {**whole, **changes}.items() if value is not ...})

    def request(self, payload: str, signer: LocalAccount | None = None, **changes: Any) -> NotifyRequest:
        """Each with a later deadline, as a person's clicks are."""
        signer = signer or self.giver
        self._deadline += 1
        message = {"payloadHash": hashlib.sha256(payload.encode()).digest(), "deadline": self._deadline}
        signature = bytes(signer.sign_typed_data(DOMAIN, {"GiftNotify2": NOTIFY}, message).signature)
        made = NotifyRequest(CHAIN_ID, signer.address.lower(), payload, self._deadline, signature)
        return replace(made, **changes)

    async def register(self, timelock_id: int, **changes: Any) -> Any:
        return await self.notifications.register_notification(self.request(self.payload(timelock_id, **changes)))

    def erasure(self, timelock_id: int, signer: LocalAccount | None = None) -> EraseRequest:
        signer = signer or self.giver
        self._deadline += 1
        message = {"timelockId": timelock_id, "deadline": self._deadline}
        signature = bytes(signer.sign_typed_data(DOMAIN, {"GiftNotifyErase": ERASE}, message).signature)
        return EraseRequest(CHAIN_ID, signer.address.lower(), timelock_id, self._deadline, signature)

    async def tick(self) -> GiftMailReport:
        """One tick; what waits for a retry is due."""
        await self.sql("update worker.gift_ledger set next_try = now() where state in ('released', 'unknown')")
        return await self.mail.run() if await self.mail.poll() else GiftMailReport()

    async def states(self) -> dict[str, str]:
        return {row.kind: row.state for row in await self.sql("select kind, state from worker.gift_ledger")}

    async def sql(self, statement: str, **values: Any) -> list[Any]:
        async with self.engine.begin() as connection:
            result = await connection.execute(text(statement), values)
            return list(result.all()) if result.returns_rows else []

    async def kept(self) -> int:
        return int((await self.sql("select count(*) from worker.gift_notification"))[0][0])

    def another_mail(self, chains: dict[int, Chain] | None = None) -> GiftMail:
        """Return the gift mail of another process, maybe with other chains."""
        chains = self.chains if chains is None else chains
        gifts = GiftReader(chains, {id: IndexerSelector(chain, self.index, None) for id, chain in chains.items()})
        return GiftMail(self.engine, self.vault, chains, gifts, self.client, self.settings)


async def open_world(stack: AsyncExitStack, engine: AsyncEngine, scenario: Scenario, **environ: str) -> World:
    stub = await stack.enter_async_context(MailStub())
    url = "postgresql://unused@localhost/unused"
    settings = settings_for(scenario, stub.url, url, GIFT_ORIGINS=ORIGIN, **environ)
    assert settings.mail is not None
    client = await stack.enter_async_context(MailClient(settings.mail))
    chain = Chain(settings.chains[0])
    stack.push_async_callback(chain.close)
    world = gift_world(engine, scenario, settings, stub, client, chain, ChainIndex(engine, chain))
    await world.index.run()
    return world


def gift_world(
    engine: AsyncEngine,
    scenario: Scenario,
    settings: Settings,
    stub: MailStub,
    client: MailClient,
    chain: Chain,
    index: ChainIndex,
) -> World:
    chains = {CHAIN_ID: chain}
    gifts = GiftReader(chains, {CHAIN_ID: IndexerSelector(chain, index, None)})
    vault, hashes = Vault(b64decode(ENC_KEY)), KeyedHash(b64decode(HASH_KEY))
    notifications = GiftNotifications(
        engine, vault, hashes, QuotaCounters(engine), chains, gifts, settings.gifts, RULES
    )
    world = World(
        scenario,
        engine,
        settings,
        stub,
        index,
        vault,
        hashes,
        chains,
        gifts,
        client,
        notifications,
        mail=None,  # type: ignore[arg-type]
    )
    world.mail = world.another_mail()
    return world


def unreachable(world: World) -> Chain:
    """The same chain, whose node is gone."""
    gone = {"rpc_urls": (SecretStr("http://127.0.0.1:9"),)}
    return Chain(world.settings.chains[0].model_copy(update=gone))
