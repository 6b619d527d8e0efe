"""500 gift withdrawals, from authorization to mined, by the relay's engine; beside the same transactions sent bare.

Real PostgreSQL with its default durability, a node that mines each transaction as it comes, the engine's own limit of
16 transactions under way. The floors' transactions are signed before the clock starts: one floor sends them by as many
clients as ours has, the other keeps to the same limit. The node puts all waiting transactions into a
block, and a block costs the same with one transaction as with many. The limit causes most of the difference.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from statistics import median
from time import perf_counter

from eth_utils.address import to_checksum_address
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bench.harness import RUNS, BenchFigure
from bench.surroundings import CHAIN_ID, chain, database, post_all, settings
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
CLIENTS = 32
CAPS = WalletCaps(daily_wei=10**24, daily_count=10**6, gas_price_ceiling_wei=50 * GWEI)
_EMPTY = text("truncate worker.relay_wallet, worker.relay_request, worker.nonce_slot, worker.tx_attempt")
_JSON = {"Content-Type": "application/json"}


async def measure() -> list[BenchFigure]:
    async with database() as (engine, url):
        with chain() as scenario:
            withdrawals, signer = seal(scenario, WITHDRAWALS), relayer(scenario)
            configured = settings(url, scenario.deployment.settings_environ(CHAIN_ID, scenario.anvil.url))
            client = Chain(configured.chains[0])
            sent = await _presigned(signer, withdrawals)
            runs = []
            for _ in range(RUNS):
                bare = await _afresh(scenario, signer, engine, lambda: _bare(scenario, signer, sent))
                ours = await _afresh(scenario, signer, engine, lambda: _ours(engine, client, signer, withdrawals))
                limited = await _afresh(scenario, signer, engine, lambda: _limited(scenario, signer, sent))
                runs.append((ours, bare, limited))
            await client.close()
    rate = WITHDRAWALS / median(ours for ours, _, _ in runs)
    floors = [WITHDRAWALS / median(run[each] for run in runs) for each in (1, 2)]
    ratios = [median(run[each] / run[0] for run in runs) for each in (1, 2)]
    return [
        BenchFigure("relay_throughput", rate, "relays/s", floors[0], ratios[0], "ratio >= 0.5"),
        BenchFigure(
            "relay_throughput.limited", rate, "relays/s; the floor has 16 under way, too", floors[1], ratios[1]
        ),
    ]


async def _afresh(
    scenario: Scenario, signer: LocalSigner, engine: AsyncEngine, work: Callable[[], Awaitable[None]]
) -> float:
    """Seconds of the work, with all gifts sealed and nothing relayed yet."""
    before = scenario.anvil.snapshot()
    async with engine.begin() as connection:
        await connection.execute(_EMPTY)
    began = perf_counter()
    await work()
    seconds = perf_counter() - began
    if _mined(scenario, signer) != WITHDRAWALS:
        raise RuntimeError(f"{_mined(scenario, signer)} of {WITHDRAWALS} were mined")
    scenario.anvil.revert(before)
    return seconds


async def _ours(
    engine: AsyncEngine, chain: Chain, signer: LocalSigner, withdrawals: Sequence[SignedWithdrawal]
) -> None:
    vault, chains = Vault(bytes(32)), {CHAIN_ID: chain}
    admission = RelayAdmission(engine, vault, chains, signer, CAPS, any_chain=True)
    reconcile = RelayReconciler(engine, vault, chains, admission, AlertOutbox(engine), 0)
    await admission.wallet.open(CHAIN_ID)
    waiting = iter(withdrawals)

    async def client() -> None:
        for each in waiting:
            await admission.admit_request(each.authorization)

    clients = asyncio.gather(*(client() for _ in range(CLIENTS)))
    while not clients.done() or await unmined(engine):
        await reconcile.run(CHAIN_ID)
    await clients


async def _presigned(signer: LocalSigner, withdrawals: Sequence[SignedWithdrawal]) -> list[bytes]:
    """Requests to a node, one for each transaction."""
    bodies = []
    for nonce, each in enumerate(withdrawals):
        raw = await signer.sign(
            {
                "type": 2,
                "chainId": CHAIN_ID,
                "nonce": nonce,
                "to": to_checksum_address(each.authorization.router),
                "value": 0,
                "data": each.authorization.call_data,
                "gas": each.authorization.gas_limit,
                "maxFeePerGas": 10 * GWEI,
                "maxPriorityFeePerGas": GWEI,
                "accessList": [],
            }
        )
        request = {"jsonrpc": "2.0", "id": nonce, "method": "eth_sendRawTransaction", "params": ["0x" + raw.hex()]}
        bodies.append(json.dumps(request).encode())
    return bodies


async def _bare(scenario: Scenario, signer: LocalSigner, bodies: Sequence[bytes]) -> None:
    await post_all(scenario.anvil.url, bodies, CLIENTS, _JSON)
    while _mined(scenario, signer) < WITHDRAWALS:  # noqa: ASYNC110 - the node tells nobody
        await asyncio.sleep(0.005)


async def _limited(scenario: Scenario, signer: LocalSigner, bodies: Sequence[bytes]) -> None:
    """Whenever some are mined, as many are sent."""
    sent = 0
    while (mined := _mined(scenario, signer)) < WITHDRAWALS:
        now = bodies[sent : mined + CAPS.max_open]
        if now:
            await post_all(scenario.anvil.url, now, len(now), _JSON)
            sent += len(now)
        else:
            await asyncio.sleep(0.005)


def _mined(scenario: Scenario, signer: LocalSigner) -> int:
    return int(scenario.anvil.rpc("eth_getTransactionCount", signer.address, "latest"), 16)
