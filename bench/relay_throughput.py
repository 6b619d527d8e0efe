"""500 gift withdrawals, from authorization to mined, by the relay's engine; and the blocks that 64 of them need.

Real PostgreSQL with its default durability. For the rate, the node mines each transaction at once. The
blocks are mined by hand: the relay runs once for each block of 12 seconds, less often than its sensor would let it. An
account has 16 transactions in a node's pool, so n withdrawals need at least n / 16 blocks.
"""

import asyncio
from collections.abc import Sequence
from math import ceil
from statistics import median
from time import perf_counter

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bench.harness import RUNS, BenchFigure
from bench.surroundings import CHAIN_ID, chain, database, settings
from bench.withdrawals import GWEI, SignedWithdrawal, relayer, seal, unmined
from devnet.scenarios import Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.outbox.alerts import AlertOutbox
from reminder_worker.privacy.vault import Vault
from reminder_worker.relay.admission import RelayAdmission
from reminder_worker.relay.models import WalletCaps
from reminder_worker.relay.reconciler import RelayReconciler
from reminder_worker.relay.wallet import LocalSigner

WITHDRAWALS = 500
IN_BLOCKS = 64
BLOCK_SECONDS = 12
CLIENTS = 32
CAPS = WalletCaps(daily_wei=10**24, daily_count=10**6, gas_price_ceiling_wei=50 * GWEI)
_EMPTY = text("truncate worker.relay_wallet, worker.relay_request, worker.nonce_slot, worker.tx_attempt")


async def measure() -> list[BenchFigure]:
    async with database() as (engine, url):
        with chain() as scenario:
            withdrawals, signer = seal(scenario, WITHDRAWALS), relayer(scenario)
            configured = settings(url, scenario.deployment.settings_environ(CHAIN_ID, scenario.anvil.url))
            client = Chain(configured.chains[0])
            seconds = []
            for _ in range(RUNS):
                sealed = await _empty(scenario, engine)
                began = perf_counter()
                await _relay_all(engine, client, signer, withdrawals)
                seconds.append(perf_counter() - began)
                _require_mined(scenario, signer, WITHDRAWALS)
                scenario.anvil.revert(sealed)
            await _empty(scenario, engine)
            blocks = await _count_blocks(scenario, engine, client, signer, withdrawals[:IN_BLOCKS])
            _require_mined(scenario, signer, IN_BLOCKS)
            await client.close()
    aim = f"<= {ceil(IN_BLOCKS / CAPS.max_open)}"
    return [
        BenchFigure("relay_throughput", WITHDRAWALS / median(seconds), "relays/s"),
        BenchFigure("relay_throughput.blocks", blocks, f"blocks for {IN_BLOCKS} withdrawals", None, None, aim),
    ]


async def _empty(scenario: Scenario, engine: AsyncEngine) -> str:
    """Return a snapshot of the chain with all gifts sealed, while nothing is relayed yet."""
    async with engine.begin() as connection:
        await connection.execute(_EMPTY)
    return scenario.anvil.snapshot()


async def _relay_all(
    engine: AsyncEngine, chain: Chain, signer: LocalSigner, withdrawals: Sequence[SignedWithdrawal]
) -> None:
    admission, reconcile = await _open(engine, chain, signer)
    waiting = iter(withdrawals)

    async def client() -> None:
        for each in waiting:
            await admission.admit_request(each.authorization)

    clients = asyncio.gather(*(client() for _ in range(CLIENTS)))
    while not clients.done() or await unmined(engine):
        await reconcile.run(CHAIN_ID)
    await clients


async def _count_blocks(
    scenario: Scenario, engine: AsyncEngine, chain: Chain, signer: LocalSigner, withdrawals: Sequence[SignedWithdrawal]
) -> int:
    """Return the number of blocks from the acceptance of all requests to the last withdrawal."""
    admission, reconcile = await _open(engine, chain, signer)
    anvil, blocks = scenario.anvil, 0
    anvil.rpc("evm_setAutomine", False)
    for each in withdrawals:
        await admission.admit_request(each.authorization)
    while await unmined(engine):
        anvil.increase_time(BLOCK_SECONDS)  # mines
        blocks += 1
        await reconcile.run(CHAIN_ID)
    return blocks


async def _open(engine: AsyncEngine, chain: Chain, signer: LocalSigner) -> tuple[RelayAdmission, RelayReconciler]:
    vault, chains = Vault(bytes(32)), {CHAIN_ID: chain}
    admission = RelayAdmission(engine, vault, chains, signer, CAPS, any_chain=True)
    await admission.wallet.open(CHAIN_ID)
    return admission, RelayReconciler(engine, vault, chains, admission, AlertOutbox(engine), 0)


def _require_mined(scenario: Scenario, signer: LocalSigner, expected: int) -> None:
    mined = int(scenario.anvil.rpc("eth_getTransactionCount", signer.address, "latest"), 16)
    if mined != expected:
        raise RuntimeError(f"{mined} of {expected} were mined")
