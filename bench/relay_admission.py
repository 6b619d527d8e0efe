"""Admission with 32 clients at once: from a good authorization to committed bytes that a node has accepted.

Real PostgreSQL with its default durability; a node that takes everything, in a process of its own. The floor is the
same SQL and signing bare: for each request the statements of one transaction and the mark after it, on a connection for
each client, with all else made ready before its clock starts, and nothing sent.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any
from uuid import uuid4

import psycopg
from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak
from psycopg.rows import namedtuple_row
from pydantic import SecretStr
from sqlalchemy import TextClause, text
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.ext.asyncio import AsyncEngine

from bench.harness import BenchFigure, interleaved
from bench.surroundings import CHAIN_ID, postgres, stub
from reminder_worker.chain.client import Chain
from reminder_worker.database.engine import open_engine
from reminder_worker.database.migrate import migrate_database
from reminder_worker.privacy.vault import Vault
from reminder_worker.relay.admission import RelayAdmission
from reminder_worker.relay.budget import list_limits, list_scopes
from reminder_worker.relay.models import RelayAuthorization, RelayLane, RequestState, WalletCaps
from reminder_worker.relay.tables import sql
from reminder_worker.relay.wallet import load_signer
from reminder_worker.schema import metadata
from reminder_worker.settings import ChainSettings

CLIENTS = 32
REQUESTS = 320
GWEI = 10**9
GAS = 500_000
WEI = 3 * GWEI * GAS
TARGET = "0x" + "7a" * 20
KEYS = tuple("0x" + keccak(text=f"relayer {name}").hex() for name in ("of ours", "of the floor"))
CAPS = WalletCaps(
    daily_wei=10**30, daily_count=10**9, gas_price_ceiling_wei=50 * GWEI,
    per_legacy=10**6, per_gift=10**6, per_signer=10**6, per_creator=10**6, max_open=10**9,
)  # fmt: skip
_EMPTY = text(
    "truncate worker.relay_wallet, worker.relay_request, worker.nonce_slot, worker.tx_attempt, worker.relay_budget"
)


async def measure() -> list[BenchFigure]:
    with postgres() as url:
        engine = open_engine(url, pool_size=CLIENTS)
        await migrate_database(engine, metadata)
        async with stub("node_stub") as node:
            seconds, floor, ratio = await _measure(engine, url, node)
        await engine.dispose()
    return [BenchFigure("relay_admission", REQUESTS / seconds, "accepted/s", REQUESTS / floor, ratio, "ratio >= 0.5")]


async def _measure(engine: AsyncEngine, url: str, node: str) -> tuple[float, float, float]:
    addresses: dict[str, Any] = dict.fromkeys(
        ("TRANSFER_EOA_LEGACY_ROUTER", "MULTISIG_LEGACY_ROUTER", "PREMIUM_SETTING"), TARGET
    )
    settings = ChainSettings.model_construct(
        chain_id=CHAIN_ID, rpc_urls=(SecretStr(node),), rpc_timeout_seconds=15.0, log_range=1000, **addresses
    )
    chain = Chain(settings)
    signer = load_signer(SecretStr(KEYS[0]))
    admission = RelayAdmission(engine, Vault(bytes(range(32))), {CHAIN_ID: chain}, signer, CAPS, any_chain=True)
    floor = _BareAdmission(Account.from_key(KEYS[1]))
    connections = [
        await psycopg.AsyncConnection.connect(url.replace("+psycopg", ""), row_factory=namedtuple_row)
        for _ in range(CLIENTS)
    ]
    prepared: tuple[Iterator[RelayAuthorization], Iterator[dict[str, Any]]]

    async def before() -> None:
        nonlocal prepared
        async with engine.begin() as connection:
            await connection.execute(_EMPTY)
            await connection.execute(
                sql["add_wallet"], {"chain_id": CHAIN_ID, "wallet": floor.address, "next_nonce": 0}
            )
        async with engine.connect() as connection:
            await (await connection.execution_options(isolation_level="AUTOCOMMIT")).execute(text("vacuum analyze"))
        await RelayAdmission(engine, Vault(bytes(32)), {CHAIN_ID: chain}, signer, CAPS, any_chain=True).wallet.open(
            CHAIN_ID
        )
        prepared = iter(_authorizations()), iter([floor.prepare(each) for each in _authorizations()])

    async def client(_: int) -> None:
        for authorization in prepared[0]:
            if (await admission.admit_request(authorization)).state is not RequestState.BROADCAST:
                raise RuntimeError("not accepted")

    async def bare(number: int) -> None:
        for values in prepared[1]:
            await floor.admit(connections[number], values)

    figures = await interleaved(lambda: _all(client), lambda: _all(bare), before=before)
    for each in connections:
        await each.close()
    await chain.close()
    return figures


async def _all(client: Callable[[int], Awaitable[None]]) -> None:
    await asyncio.gather(*(client(number) for number in range(CLIENTS)))


def _authorizations() -> Sequence[RelayAuthorization]:
    """The calls of gift withdrawals, each of another gift and recipient of a few givers."""
    return [
        RelayAuthorization(
            chain_id=CHAIN_ID,
            lane=RelayLane.GIFT_WITHDRAW,
            digest=os.urandom(32),
            router=TARGET,
            subject_id=number,
            signer="0x" + os.urandom(20).hex(),
            creator=f"0x{number % 50:040x}",
            nonce=0,
            deadline=2**40,
            call_data=os.urandom(324),
            gas_limit=GAS,
        )
        for number in range(REQUESTS)
    ]


class _BareAdmission:
    """Bare admission: only the unavoidable work."""

    def __init__(self, account: LocalAccount) -> None:
        self._account = account
        self._target = to_checksum_address(TARGET)
        self.address = account.address.lower()
        names = ("lock_wallet", "rivals", "budget", "add_request", "take_nonce", "store_attempt", "mark_sent")
        self._sql = {name: _bare(sql[name]) for name in names}

    def prepare(self, authorization: RelayAuthorization) -> dict[str, Any]:
        return {
            **asdict(authorization),
            **list_scopes(list_limits(authorization, CAPS)),
            "wallet": self.address,
            "id": (id := uuid4()),
            "request_id": id,
            "lane": authorization.lane.value,
            "state": "signed",
            "key_id": "bench",
            "salt": bytes(32),
            "call_data": authorization.call_data + bytes(28),
            "wei": WEI,
            "gas": GAS,
            "kind": "call",
            "max_fee": 3 * GWEI,
            "priority_fee": GWEI,
            "data": authorization.call_data,
        }

    async def admit(self, connection: psycopg.AsyncConnection[Any], values: dict[str, Any]) -> None:
        async with connection.transaction():
            await _one(connection, self._sql["lock_wallet"], values)
            await _one(connection, self._sql["rivals"], values)
            values["day"] = (await _one(connection, self._sql["budget"], values)).day
            await _one(connection, self._sql["add_request"], values)
            (nonce,) = await _one(connection, self._sql["take_nonce"], values)
            signed = self._account.sign_transaction(
                {
                    "type": 2, "chainId": CHAIN_ID, "nonce": nonce, "to": self._target, "value": 0,
                    "data": values["data"], "gas": GAS, "maxFeePerGas": 3 * GWEI, "maxPriorityFeePerGas": GWEI,
                }
            )  # fmt: skip
            raw, tx_hash = bytes(signed.raw_transaction), "0x" + signed.hash.hex().removeprefix("0x")
            attempt = {"nonce": nonce, "tx_hash": tx_hash, "raw": raw + bytes(28)}
            await _one(connection, self._sql["store_attempt"], values | attempt)
        async with connection.transaction():
            sent = {"chain_id": CHAIN_ID, "sent": [tx_hash], "taken": [tx_hash]}
            await connection.execute(self._sql["mark_sent"], sent)


async def _one(connection: psycopg.AsyncConnection[Any], statement: bytes, values: dict[str, Any]) -> Any:
    return await (await connection.execute(statement, values)).fetchone()


def _bare(statement: TextClause) -> bytes:
    return str(statement.compile(dialect=PGDialect_psycopg())).encode()  # type: ignore[no-untyped-call]
