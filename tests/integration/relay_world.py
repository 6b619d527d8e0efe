"""The relay over a real chain and database: gifts to withdraw, requests admitted, blocks mined by hand."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak
from pydantic import SecretStr
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from devnet.scenarios import Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.outbox.alerts import AlertOutbox
from reminder_worker.privacy.vault import Vault
from reminder_worker.relay import store
from reminder_worker.relay.admission import RelayAdmission
from reminder_worker.relay.attempts import open_raw
from reminder_worker.relay.models import (
    ReconcileReport,
    RelayAuthorization,
    RelayLane,
    RequestView,
    WalletCaps,
)
from reminder_worker.relay.reconciler import RelayReconciler
from reminder_worker.relay.tables import sql
from reminder_worker.relay.wallet import WalletSigner, load_signer
from tests.integration.chain_proxy import chain_settings

CHAIN_ID = 31337
GWEI = 10**9
ETHER = 10**18
GIFT_GAS = 300_000
CEILING = 50 * GWEI
CAPS = WalletCaps(daily_wei=ETHER, daily_count=1000, gas_price_ceiling_wei=CEILING, per_gift=3, per_signer=100)
HALF_AN_HOUR = 1800

EPOCH = 3  # of a `lasting_scenario`: `finalized` is six blocks behind

TABLES = "nonce_slot, tx_attempt, relay_request, relay_budget, relay_wallet, alert, alert_state, quota"


@dataclass
class RelayGift:
    id: int
    recipient: LocalAccount


@dataclass
class RelayWorld:
    """Blocks come only when `mine` is called. Wallet and accounts are new for each world, since a
    reorganised chain cannot be reset."""

    scenario: Scenario
    engine: AsyncEngine
    chain: Chain
    caps: WalletCaps = CAPS
    low_balance_relays: int = 0
    vault: Vault = field(default_factory=lambda: Vault(bytes(range(32))))

    def __post_init__(self) -> None:
        self.tag = uuid4().hex
        self.key = "0x" + keccak(text=f"relayer {self.tag}").hex()
        self.signer: WalletSigner = load_signer(SecretStr(self.key))
        self.wallet = self.signer.address
        self.anvil = self.scenario.anvil
        self.anvil.set_balance(self.wallet, 100 * ETHER)
        self.restart()
        self._sent = 0

    def account(self, label: str) -> LocalAccount:
        return self.scenario.account(f"{label} {self.tag}")

    def calm(self) -> None:
        """Restore the chain for the next world."""
        self.anvil.rpc("anvil_dropAllTransactions")
        self.anvil.rpc("anvil_setNextBlockBaseFeePerGas", hex(GWEI))
        self.mine(2 * self.anvil.slots_in_an_epoch)
        self.automine()

    def restart(self) -> None:
        """Start again as a new process, with the database only."""
        chains = {CHAIN_ID: self.chain}
        self.admission = RelayAdmission(self.engine, self.vault, chains, self.signer, self.caps, any_chain=True)
        self.reconcile = self.reconciler()

    def reconciler(self) -> RelayReconciler:
        chains = {CHAIN_ID: self.chain}
        alerts = AlertOutbox(self.engine)
        return RelayReconciler(self.engine, self.vault, chains, self.admission, alerts, self.low_balance_relays)

    # -- the chain ------------------------------------------------------------------------------

    def by_hand(self) -> None:
        self.anvil.rpc("evm_setAutomine", False)

    def automine(self) -> None:
        self.anvil.rpc("evm_setAutomine", True)

    def pay_out_by_vault(self, gift: RelayGift) -> None:
        """Let another account call the vault, in a block of its own; mine no block after it."""
        self.automine()
        self.scenario.withdraw_from_vault(self.account("stranger"), gift.id, gift.recipient.address)
        self.by_hand()

    def base_fee(self, wei: int) -> None:
        """Set the base fee of the next block, and forget the prices that admission has read."""
        self.anvil.rpc("anvil_setNextBlockBaseFeePerGas", hex(wei))
        self.restart()

    def mine(self, blocks: int = 1) -> None:
        self.anvil.mine(blocks)

    def finalize(self) -> None:
        self.anvil.mine(2 * self.anvil.slots_in_an_epoch + 1)

    def count(self) -> int:
        return int(self.anvil.rpc("eth_getTransactionCount", self.wallet, "latest"), 16)

    def drop(self, attempts: Sequence[Mapping[str, Any]]) -> None:
        """Drop transactions from the node's pool."""
        for attempt in attempts:
            self.anvil.rpc("anvil_dropTransaction", attempt["tx_hash"])

    def paid(self) -> int:
        """Return the wei that our wallet has paid, by its balance."""
        return 100 * ETHER - int(self.anvil.rpc("eth_getBalance", self.wallet, "latest"), 16)

    def receipt(self, tx_hash: str) -> dict[str, Any] | None:
        found: dict[str, Any] | None = self.anvil.rpc("eth_getTransactionReceipt", tx_hash)
        return found

    def send(self, sender: LocalAccount, to: str, data: bytes = b"", *, tip: int = 0, nonce: int | None = None) -> str:
        """Put an unmined transaction of a foreign account into the pool."""
        if nonce is None:
            nonce = int(self.anvil.rpc("eth_getTransactionCount", sender.address, "pending"), 16)
        fields: dict[str, Any] = {
            "to": to_checksum_address(to),
            "data": data,
            "value": 0,
            "gas": GIFT_GAS,
            "chainId": CHAIN_ID,
            "nonce": nonce,
            "maxFeePerGas": 1000 * GWEI,
            "maxPriorityFeePerGas": tip,
        }
        sent: str = self.anvil.rpc(
            "eth_sendRawTransaction", sender.sign_transaction(fields).raw_transaction.to_0x_hex()
        )
        return sent

    def cancel_nonce(self, signer: LocalAccount, router: str | None = None) -> str:
        """Return the signer's nonce at a router, by default that of timelocks."""
        data = self.scenario.contracts["TimeLockRouter"].encode("invalidateSponsorNonce")
        router = router or self.scenario.deployment.time_lock_router
        return self.send(signer, router, bytes.fromhex(data[2:]), tip=90 * GWEI)

    # -- requests -------------------------------------------------------------------------------

    def gift(self, label: str = "heir", *, locked: bool = False) -> RelayGift:
        """Create a token gift to the account of this label, by default unlocked. Mines."""
        self.automine()
        recipient = self.account(label)
        giver = self.account("giver")
        timelock_id = self.scenario.create_gift(
            giver, recipient.address, tokens=[(self.scenario.deployment.usdc, 10**6)], duration=10**6 if locked else 1
        )
        self.scenario.advance(2)
        self.by_hand()
        return RelayGift(timelock_id, recipient)

    def call_data(self, gift: RelayGift, auth: tuple[Any, ...]) -> bytes:
        contract = self.scenario.contracts["TimeLockRouter"]
        return bytes.fromhex(contract.encode("withdrawFor", gift.id, False, auth)[2:])

    def withdrawal(
        self, gift: RelayGift, *, nonce: int | None = None, ttl: int = HALF_AN_HOUR, gas: int = GIFT_GAS
    ) -> RelayAuthorization:
        """Return the recipient's authorization, good for `ttl` seconds of the chain's time."""
        deadline = self.anvil.now() + ttl
        given: dict[str, Any] = {} if nonce is None else {"nonce": nonce}
        auth = self.scenario.withdraw_auth(gift.recipient, gift.id, deadline=deadline, **given)
        router = self.scenario.deployment.time_lock_router
        return self.authorization(RelayLane.GIFT_WITHDRAW, router, gift.id, auth, self.call_data(gift, auth), gas)

    def authorization(
        self, lane: RelayLane, router: str, subject_id: int, auth: tuple[Any, ...], call_data: bytes, gas: int
    ) -> RelayAuthorization:
        """Return an authorization. `auth`: signer, payee in version 2, nonce, deadline, signature."""
        return RelayAuthorization(
            chain_id=CHAIN_ID,
            lane=lane,
            digest=keccak(call_data),
            router=router,
            subject_id=subject_id,
            signer=auth[0].lower(),
            creator=self.account("giver").address.lower(),
            nonce=auth[-3],
            deadline=auth[-2],
            call_data=call_data,
            gas_limit=gas,
        )

    async def find(self, digest: bytes) -> RequestView | None:
        async with self.engine.connect() as connection:
            return await store.find_by_digest(connection, CHAIN_ID, digest)

    async def open_nonces(self, router: str, signer: str, wallet: str | None = None) -> list[int]:
        async with self.engine.connect() as connection:
            values = {"chain_id": CHAIN_ID, "wallet": wallet or self.wallet, "router": router, "signer": signer}
            return [int(nonce) for nonce in (await connection.execute(sql["open_nonces"], values)).scalars()]

    async def admit(self, gift: RelayGift, **terms: Any) -> RequestView:
        return await self.admission.admit_request(self.withdrawal(gift, **terms))

    async def later(self) -> None:
        """Age the last broadcasts: runs are 15 seconds apart."""
        await self.execute("update worker.tx_attempt set broadcast_at = broadcast_at - interval '15 s'")

    async def run(self) -> ReconcileReport:
        await self.later()
        return await self.reconcile.run(CHAIN_ID)

    async def settle(self) -> None:
        """Mine and reconcile until nothing is open."""
        for _ in range(8):
            await self.run()
            if not await self.reconcile.poll(CHAIN_ID):
                return
            self.finalize()
        raise AssertionError(f"still open: {await self.slots()}")

    async def state(self, request: RequestView | UUID) -> str:
        view = await self.admission.read_request(request if isinstance(request, UUID) else request.id)
        assert view is not None
        return view.state.value

    # -- the database ---------------------------------------------------------------------------

    async def rows(self, question: str, **values: Any) -> Sequence[Mapping[str, Any]]:
        async with self.engine.connect() as connection:
            return [dict(row) for row in (await connection.execute(text(question), values)).mappings()]

    async def execute(self, statement: str, **values: Any) -> None:
        async with self.engine.begin() as connection:
            await connection.execute(text(statement), values)

    async def attempts(self) -> Sequence[Mapping[str, Any]]:
        """Return the attempts of all slots, oldest first."""
        return await self.rows("select * from worker.tx_attempt order by nonce, max_fee_wei, stored_at")

    async def age(self, seconds: int) -> None:
        """Age all attempts by so many seconds."""
        await self.execute("update worker.tx_attempt set stored_at = stored_at - make_interval(secs => :s)", s=seconds)
        await self.execute("update worker.nonce_slot set opened_at = opened_at - make_interval(secs => :s)", s=seconds)

    async def budget(self) -> Mapping[str, int]:
        """Return the wallet's requests, reserved and spent wei over all days."""
        (row,) = await self.rows(
            "select coalesce(sum(requests), 0) as requests, coalesce(sum(reserved_wei), 0) as reserved,"
            " coalesce(sum(spent_wei), 0) as spent from worker.relay_budget where scope = 'global'"
        )
        return {name: int(value) for name, value in row.items()}

    async def slots(self) -> Sequence[Mapping[str, Any]]:
        return await self.rows("select * from worker.nonce_slot order by nonce")


@asynccontextmanager
async def open_bare_world(
    scenario: Scenario, engine: AsyncEngine, caps: WalletCaps = CAPS
) -> AsyncIterator[RelayWorld]:
    """Open a world on the chain as it is."""
    chain = Chain(chain_settings(scenario, scenario.anvil.url))
    world = RelayWorld(scenario, engine, chain, caps)
    yield world
    world.calm()
    await chain.close()


@asynccontextmanager
async def open_world(scenario: Scenario, engine: AsyncEngine, caps: WalletCaps = CAPS) -> AsyncIterator[RelayWorld]:
    """Open a world without automatic blocks, at about 9 gwei."""
    async with open_bare_world(scenario, engine, caps) as world:
        world.by_hand()
        world.base_fee(10 * GWEI)
        world.mine()
        yield world


async def stored_attempts(connection: AsyncConnection, vault: Vault, chain_id: int, wallet: str) -> list[bytes]:
    """Return the latest attempt of each slot that is not final, in the order of nonces."""
    newest = text("""
        select distinct on (s.nonce) s.nonce, t.tx_hash, t.raw, r.key_id, r.salt
        from worker.nonce_slot s
        join worker.tx_attempt t on t.chain_id = s.chain_id and t.wallet = s.wallet and t.nonce = s.nonce
        join worker.relay_request r on r.id = s.request_id
        where s.chain_id = :chain_id and s.wallet = :wallet and s.state <> 'final' and t.raw is not null
        order by s.nonce, t.max_fee_wei desc
    """)
    rows = await connection.execute(newest, {"chain_id": chain_id, "wallet": wallet})
    return [open_raw(vault.record_key(row.salt, row.key_id), chain_id, row) for row in rows]
