"""The gift page where it lives: the API on loopback over a local chain, the relay at work, sealed gifts, a browser.

Fixtures (in conftest, in the session's loop, as the tests that use them): `gift_world`, `visit` and `visitor`;
`open_gift_world`, `open_email_world` and `open_browser` for more.
"""

import asyncio
import fcntl
import os
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.auth_proxy_stand_in import AuthProxyStandIn
from devnet.chain import usable_port
from devnet.compile import ROOT
from devnet.scenarios import Scenario
from reminder_worker.gifts.claim_link import ClaimLink, GiftLetter, LinkFlags, ServedOrigin
from reminder_worker.relay.factory import RELAYER
from tests.integration.api_world import ApiWorld, open_world

ETHER, USDC = 10**18, 10**6
PREFIX = "sealed"
RELAYER_KEY = "0x" + keccak(text="the relayer of the gift page's tests").hex()
RELAY = {"RELAYER_KEY": RELAYER_KEY, "RELAY_PER_CLIENT_HOUR": "1000", "RELAY_PER_SIGNER": "100"}
LETTER = GiftLetter("Canary Quintessa", "Grandma Zzyzx", "Sealed words, for your eyes only")
ORGANISATION = {"ORGANISATION_NAME": "Example & Heirs", "ORGANISATION_CONTACT": "help@example.org"}
LOOK_SECONDS = 0.1
SOURCES = (
    ROOT / "gift_page",
    ROOT / "clients" / "typescript",
    ROOT / "tests" / "golden" / "openapi.json",
    ROOT / "reminder_worker" / "gifts" / "occasions.json",
    ROOT / "package-lock.json",
)


@dataclass(frozen=True, slots=True)
class SealedGift:
    """`url` is the whole link, with its letter."""

    id: int
    recipient: LocalAccount
    url: str
    token: str | None
    amount: int


@dataclass
class GiftWorld:
    """`api` is the service, `following` is set while the relay follows what it sent (clear it to hold requests as they
    are)."""

    api: ApiWorld
    origin: str
    following: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def scenario(self) -> Scenario:
        return self.api.scenario

    @property
    def giver(self) -> LocalAccount:
        return self.scenario.account("giver")

    def person(self, label: str) -> LocalAccount:
        """Somebody with a key and, unlike the scenario's accounts, without any ether: sponsoring has to do."""
        account: LocalAccount = Account.from_key(keccak(text=f"person {label}"))
        return account

    async def seal(
        self,
        recipient: LocalAccount,
        *,
        ether: bool = False,
        opened: bool = True,
        marks: LinkFlags = LinkFlags(occasion="birthday"),  # noqa: B008 - frozen
        letter: GiftLetter | None = LETTER,
        duration: int = 30 * 86_400,
    ) -> SealedGift:
        """A gift of 1 ether, else of 250 USDC; open a second ago, else in `duration` seconds. Indexed."""
        usdc = self.scenario.deployment.usdc
        what: dict[str, Any] = {"eth": ETHER} if ether else {"tokens": [(usdc, 250 * USDC)]}
        duration = 1 if opened else duration
        id = self.scenario.create_gift(self.giver, recipient.address, duration=duration, **what)
        if opened:
            self.scenario.advance(2)
        await self.api.parts.chain_indexes[self.api.chain_id].run()
        url = self.link(id, marks, letter)
        return SealedGift(id, recipient, url, None if ether else usdc, ETHER if ether else 250 * USDC)

    def become(self, version: str) -> None:
        """The router of gifts, by an upgrade."""
        self.scenario.become_version(self.scenario.deployment.time_lock_router, version)

    def link(self, id: int, marks: LinkFlags = LinkFlags(), letter: GiftLetter | None = LETTER) -> str:  # noqa: B008 - frozen
        return ClaimLink(ServedOrigin.parse(self.origin), PREFIX, self.api.chain_id, id, marks, letter).url

    def received(self, gift: SealedGift) -> int:
        """What its recipient has of it now; ether without what they had before, which for `person` is nothing."""
        return self.scenario.balance(gift.token, gift.recipient.address)

    async def state(self, gift: SealedGift) -> str:
        """As the service tells it: sealed, open or claimed."""
        answer = await self.api.request("GET", f"/gift/{self.api.chain_id}/{gift.id}")
        return str(answer.body["state"])

    async def _follow(self) -> None:
        """As the relay's pass does, but with a block each time: blocks come by themselves elsewhere."""
        reconcile, chain_id = self.api.parts.relaying.reconcilers[RELAYER], self.api.chain_id
        while True:
            await self.following.wait()
            if await reconcile.poll(chain_id):
                self.scenario.anvil.mine()
                await reconcile.run(chain_id)
            await asyncio.sleep(LOOK_SECONDS)


@asynccontextmanager
async def open_gift_world(scenario: Scenario, engine: AsyncEngine, **more: str) -> AsyncIterator[GiftWorld]:
    """`more` are settings by their environment names; without `RELAYER_KEY=""` withdrawals are sponsored."""
    build_gift_page()
    port = usable_port()
    origin = f"http://127.0.0.1:{port}"
    settings = {"API_PORT": str(port), "GIFT_ORIGINS": origin, "GIFT_PREFIX": PREFIX, **RELAY, **more}
    if not settings["RELAYER_KEY"]:
        settings = {name: value for name, value in settings.items() if name not in RELAY}
    scenario.anvil.set_balance(Account.from_key(RELAYER_KEY).address, 100 * ETHER)
    async with open_world(scenario, engine, **settings) as api:
        world = GiftWorld(api, origin)
        world.following.set()
        following = asyncio.create_task(world._follow()) if settings.get("RELAYER_KEY") else None
        try:
            yield world
        finally:
            if following is not None:
                following.cancel()
                await asyncio.gather(following, return_exceptions=True)


@asynccontextmanager
async def open_email_world(
    scenario: Scenario, engine: AsyncEngine
) -> AsyncIterator[tuple[GiftWorld, AuthProxyStandIn]]:
    """With a stand-in for the identity provider, which answers the gift page's origin only, and a foot that says how to
    reach the organisation."""
    async with (
        AuthProxyStandIn() as provider,
        open_gift_world(scenario, engine, **provider.settings(), **ORGANISATION) as world,
    ):
        provider.origin = world.origin
        yield world, provider


@cache
def build_gift_page() -> None:
    """As `make` does it, when a source is newer than what is built; one process builds, others wait.

    Looked at once in a process.
    """
    built = ROOT / "gift_page" / "dist"
    with Path(ROOT / "node_modules" / ".gift-page.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        manifest = next(iter([*built.glob("**/manifest.json")]), None)
        is_fresh = manifest is not None and manifest.stat().st_mtime >= max(map(_changed, SOURCES))
        if is_fresh:
            return
        environ = os.environ | {"VITE_FEATURE_GIFT_EMAIL": "on"}
        command = ["npm", "run", "--silent", "build"]
        done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def _changed(path: Path) -> float:
    """When the newest file of it was written."""
    if path.is_file():
        return path.stat().st_mtime
    made = {"dist", "generated", "node_modules"}
    files = (each for each in path.rglob("*") if each.is_file() and made.isdisjoint(each.relative_to(path).parts))
    return max((each.stat().st_mtime for each in files), default=0.0)
