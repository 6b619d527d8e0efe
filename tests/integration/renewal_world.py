"""Auto-renew over a real chain and database: opted-in owners, the pass, and the attestor's wallet."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, ROUTER, Legacy, Scenario
from reminder_worker.auto_renew.job import AutoRenew, RenewalReport
from reminder_worker.outbox.alerts import AlertOutbox
from reminder_worker.relay.admission import RelayAdmission
from reminder_worker.relay.factory import ATTESTOR, make_relay_wallets
from reminder_worker.relay.models import WalletCaps
from reminder_worker.relay.reconciler import RelayReconciler
from reminder_worker.relay.wallet import load_signer
from reminder_worker.settings import AutoRenewSettings
from tests.integration.mail_stub import MailStub
from tests.integration.reminder_world import CHAIN_ID, MailWorld, open_world, settings_for

PERIOD = 100 * DAY
IN_WINDOW = 75 * DAY
GWEI = 10**9
CAPS = WalletCaps(daily_wei=10**18, daily_count=100, gas_price_ceiling_wei=1000 * GWEI)


@dataclass
class RenewalWorld:
    """Times are the chain's; `owner` and other names are labels of accounts."""

    world: MailWorld
    attestor: str = "attestor"
    caps: WalletCaps = CAPS

    @property
    def scenario(self) -> Scenario:
        return self.world.scenario

    def renewer(self, **settings: Any) -> AutoRenew:
        """Start again as a new process."""
        key = self.scenario.account(self.attestor).key.hex()
        chains = {CHAIN_ID: self.world.chain}
        signer = load_signer(SecretStr(key))
        admission = RelayAdmission(self.world.engine, self.world.vault, chains, signer, self.caps, any_chain=True)
        terms = {"ATTESTOR_KEY": key, **settings}
        return AutoRenew(self.world.engine, self.world.chain, admission, AutoRenewSettings.model_validate(terms))

    def wallet(self, **environ: str) -> RelayReconciler:
        """Return the reconciler of the attestor's wallet, with these settings."""
        world = self.world
        database_url = world.engine.url.render_as_string(hide_password=False)
        settings = settings_for(self.scenario, world.mail.url, database_url, **environ)
        chains, alerts = {CHAIN_ID: world.chain}, AlertOutbox(world.engine)
        return make_relay_wallets(world.engine, world.vault, chains, alerts, settings).reconcilers[ATTESTOR]

    def legacy(self, owner: str = "owner", *, opted_in: bool = True, inactivity: int = PERIOD, **terms: Any) -> Legacy:
        """Create an opted-in legacy of a Premium owner with this label."""
        legacy = self.world.legacy(owner, inactivity=inactivity, **terms)
        if opted_in:
            self.scenario.set_auto_renew(self.scenario.account(owner), legacy)
        return legacy

    async def due_legacy(self) -> Legacy:
        """Return a legacy whose timer may be renewed: its owner was active after the first run."""
        legacy = self.legacy()
        await self.look()
        self.transact()
        self.scenario.advance(IN_WINDOW)
        return legacy

    def transact(self, owner: str = "owner") -> None:
        """Send some other transaction from the owner's wallet."""
        self.scenario.send(self.scenario.account(owner), self.scenario.account("a shop").address, value=1)

    def count(self, owner: str = "owner") -> int:
        address = self.scenario.account(owner).address
        return int(self.scenario.anvil.rpc("eth_getTransactionCount", address, "latest"), 16)

    def finalize(self) -> None:
        self.scenario.anvil.mine(2 * self.scenario.anvil.slots_in_an_epoch + 1)

    async def index_all(self) -> None:
        """Make all blocks final, let the index read them, and let each owner be due."""
        self.finalize()
        await self.world.index.run()
        await self.make_due()

    async def make_due(self) -> None:
        """Let each owner that was read be due at the chain's time."""
        now = self.scenario.anvil.now()
        await self.world.sql("update worker.owner_activity set next_look = least(next_look, :now)", now=now)

    async def look(self, **settings: Any) -> RenewalReport:
        """Run index and pass with all blocks final, and mine the transactions sent."""
        await self.index_all()
        report = await self.renewer(**settings).run()
        self.scenario.anvil.settle()
        return report

    async def look_while_gas_is_dear(self) -> None:
        """Admit due renewals while gas is too dear; it is cheap from the next block on."""
        await self.index_all()
        self.scenario.anvil.rpc("anvil_setNextBlockBaseFeePerGas", hex(900 * GWEI))
        self.scenario.anvil.mine(1)
        assert (await self.renewer().run()).sent == 1
        assert await self.world.sql("select state from worker.relay_request") == [("deferred_fee",)]
        self.scenario.anvil.rpc("anvil_setNextBlockBaseFeePerGas", hex(GWEI))

    async def renews(self, legacy: Legacy) -> None:
        """Use the owner's wallet, move into the window, and renew the timer by one run."""
        self.transact()
        self.scenario.advance(IN_WINDOW)
        before = self.last_reset(legacy)
        report = await self.look()
        assert (report.sent, report.verdicts) == (1, {"renew: sent": 1})
        assert self.last_reset(legacy) >= before + IN_WINDOW

    def last_reset(self, legacy: Legacy) -> int:
        return int(self.scenario.read("TransferEOALegacy", legacy.address, "getLastTimestamp"))

    def state(self, legacy: Legacy) -> tuple[bool, int, int]:
        """Return whether enabled, the last attested count, and the budget's anchor."""
        found: tuple[bool, int, int] = tuple(self.scenario.read(ROUTER, legacy.router, "autoRenewState", legacy.id))
        return found

    async def verdict(self, legacy: Legacy) -> str:
        return str((await self.row(legacy)).reason)

    async def row(self, legacy: Legacy) -> Any:
        (row,) = await self.world.sql("select * from worker.owner_activity where legacy = :it", it=legacy.address)
        return row

    async def sent(self) -> int:
        """Return the requests of the lane."""
        (row,) = await self.world.sql("select count(*) from worker.relay_request where lane = 'auto_renew'")
        return int(row[0])


@asynccontextmanager
async def open_renewals(engine: AsyncEngine, scenario: Scenario, **environ: str) -> AsyncIterator[RenewalWorld]:
    async with MailStub() as mail, open_world(engine, scenario, mail, subgraph=None, **environ) as world:
        yield RenewalWorld(world)
