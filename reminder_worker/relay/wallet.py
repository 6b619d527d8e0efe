"""Our wallets: the signer of each, and its counter of nonces, balance and gas price on all its chains.

Another signer, for example a KMS, is a class with the three members of `WalletSigner`.
"""

import asyncio
import json
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Protocol

import structlog
from eth_keys.datatypes import PrivateKey
from eth_utils.address import to_checksum_address
from eth_utils.exceptions import ValidationError
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.quorum import find_reached
from reminder_worker.concurrency import ChainLooks
from reminder_worker.errors import ChainUnavailable, Misconfigured, NotConfigured, RelayStopped
from reminder_worker.relay.budget import GLOBAL, CountLimit, WalletBudget, list_scopes
from reminder_worker.relay.fees import EMPTY_GAS, GasFees, compute_reservation, first_fees
from reminder_worker.relay.models import FOREIGN_NONCE, WalletCaps
from reminder_worker.relay.tables import sql

log = structlog.get_logger(__name__)

RELAYED_CHAINS: Final = frozenset({1, 11155111, 17000, 560048})
"""Chains on which a transaction costs only its gas; rollups also charge a fee for its data."""
PRICE_WAIT_SECONDS: Final = 2.0
"""Seconds that the status of one request waits for the gas price."""
FIRST_GAS: Final = 210_000
"""Gas that a wallet's first calls are expected to use, until some are final: a claim on the deployed contracts."""
_ONE_AT_A_TIME = threading.Lock()  # opening a usual keystore takes a quarter of a gigabyte


class WalletSigner(Protocol):
    """`address`: lower-case hex."""

    @property
    def address(self) -> str: ...

    async def open(self) -> None:
        """Prepare to sign. Raises `Misconfigured` if nothing can be signed."""
        ...

    async def sign(self, transaction: Mapping[str, Any]) -> bytes:
        """Return the raw bytes of an EIP-1559 transaction; its fields have the names of the JSON-RPC."""
        ...


class LocalSigner:
    """A private key in this process' memory."""

    def __init__(self, key: PrivateKey) -> None:
        self._key = key.to_bytes()
        self.address = key.public_key.to_address()

    def __repr__(self) -> str:
        return f"LocalSigner({self.address})"

    async def open(self) -> None:
        """Do nothing: a private key is always open."""

    async def sign(self, transaction: Mapping[str, Any]) -> bytes:
        from reminder_worker.chain.accounts import Account

        fields = {**transaction, "to": to_checksum_address(transaction["to"])}  # required by eth-account
        return bytes(Account.sign_transaction(fields, self._key).raw_transaction)


class KeystoreSigner:
    """Signer that opens its keystore when first used: opening takes a second, and most runs sign nothing."""

    def __init__(self, address: str, key: SecretStr, password: SecretStr) -> None:
        self.address = address
        self._key = key
        self._password = password
        self._opening = asyncio.Lock()
        self._opened: WalletSigner | None = None
        self._fault: str | None = None

    async def open(self) -> None:
        """Open the keystore once for all callers. Raises `Misconfigured` for a bad password or wallet."""
        async with self._opening:
            if self._opened is None and self._fault is None:
                try:
                    self._opened = await asyncio.to_thread(self._load_signer)
                except Misconfigured as error:
                    self._fault = str(error)
        if self._fault is not None:
            raise Misconfigured(self._fault)

    async def sign(self, transaction: Mapping[str, Any]) -> bytes:
        """Open the keystore and sign. Raises as `open`."""
        await self.open()
        assert self._opened is not None  # noqa: S101 - it is open
        return await self._opened.sign(transaction)

    def _load_signer(self) -> WalletSigner:
        opened = load_signer(self._key, self._password)
        if opened.address != self.address:
            raise Misconfigured("a keystore JSON holds the key of another wallet than its address")
        return opened


def make_signer(key: SecretStr, password: SecretStr | None) -> WalletSigner:
    """Return the signer of a key. Raises `Misconfigured`; for a keystore with an address only when it signs."""
    address = _read_address(key.get_secret_value())
    if address is None or password is None:
        return load_signer(key, password)
    return KeystoreSigner(address, key, password)


def load_signer(key: SecretStr, password: SecretStr | None = None) -> LocalSigner:
    """Open a key: hex, or the text of a keystore JSON (version 3) with its password. Raises `Misconfigured`."""
    text = key.get_secret_value().strip()
    opened: PrivateKey | None = None
    failure = "is neither a private key in hex nor a keystore JSON"
    if text.startswith("{"):
        if password is None:
            failure = "is a keystore JSON without its password"
        else:
            opened, failure = _open_keystore(text, password.get_secret_value()), "does not open with its password"
    else:
        opened = _from_hex(text)
    if opened is None:
        raise Misconfigured(f"a wallet's key {failure}")  # outside of handlers: a cause would carry the key
    return LocalSigner(opened)


def _open_keystore(text: str, password: str) -> PrivateKey | None:
    from reminder_worker.chain.accounts import Account

    try:
        with _ONE_AT_A_TIME:
            return PrivateKey(bytes(Account.decrypt(text, password)))
    except (ValueError, KeyError, TypeError, NotImplementedError, RecursionError, ValidationError):
        return None


def _from_hex(text: str) -> PrivateKey | None:
    try:
        return PrivateKey(bytes.fromhex(text.removeprefix("0x")))
    except (ValueError, ValidationError):
        return None


def _read_address(text: str) -> str | None:
    try:
        address = str(json.loads(text)["address"]).lower().removeprefix("0x")
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return f"0x{address}" if re.fullmatch("[0-9a-f]{40}", address) else None


@dataclass(frozen=True, slots=True)
class WalletPrices:
    """Gas price and the wallet's balance, in wei; `read_at` on the monotonic clock."""

    base_fee: int
    tip: int
    balance: int
    read_at: float


async def read_usual_gas(connection: AsyncConnection, key: Mapping[str, Any]) -> int:
    """Return the gas that a wallet's latest final calls used, on average; `FIRST_GAS` before the first."""
    values = {**key, "empty_gas": EMPTY_GAS}
    return await connection.scalar(sql["usual_gas"], values) or FIRST_GAS


class RelayWallet:
    """`any_chain`: also local chains, whose transactions may cost more than their gas."""

    def __init__(
        self,
        engine: AsyncEngine,
        chains: Mapping[int, Chain],
        signer: WalletSigner,
        caps: WalletCaps,
        *,
        any_chain: bool = False,
    ) -> None:
        self.signer = signer
        self.caps = caps
        relayed = chains.keys() if any_chain else chains.keys() & RELAYED_CHAINS
        self.chains = {id: chain for id, chain in chains.items() if id in relayed}
        self._engine = engine
        self._locks = {id: asyncio.Lock() for id in self.chains}
        self._opened: set[int] = set()
        self._prices: dict[int, WalletPrices] = {}
        self._reads = ChainLooks(self._read_prices_if_any)
        self.awaits_database: set[int] = set()
        """Chains for which `read_readiness` waits for the database at the moment."""

    @property
    def address(self) -> str:
        return self.signer.address

    def row_key(self, chain_id: int) -> dict[str, Any]:
        return {"chain_id": chain_id, "wallet": self.signer.address}

    async def open(self, chain_id: int) -> None:
        """Compare our counter of nonces with the chain's, once in this process.

        Raises `RelayStopped`, `ChainUnavailable`, and `NotConfigured` for a chain without a relay.
        """
        if chain_id in self._opened:
            return
        if chain_id not in self.chains:
            raise NotConfigured("nothing is relayed on this chain")
        async with self._locks[chain_id]:
            if chain_id not in self._opened:
                await self._compare_counter(self.chains[chain_id])
                self._opened.add(chain_id)

    async def read_readiness(self, chain_id: int) -> str | None:
        """Return as a code why nothing would be relayed on this chain now; None: it would, once gas is cheap enough.

        Raises `Misconfigured` if nothing can be signed.
        """
        if chain_id not in self.chains:
            return "chain_refused"
        await self.signer.open()
        try:
            await self.open(chain_id)
            prices = await self.read_prices(chain_id)
        except RelayStopped as stopped:
            return stopped.reason
        except ChainUnavailable:
            return "chain_unavailable"
        with self._awaiting_database(chain_id):
            async with self._engine.connect() as connection:
                budget = await self.read_budget(connection, chain_id, prices.balance)
                usual = await read_usual_gas(connection, self.row_key(chain_id))
        fees, wei = self.offer_fees(prices, 2 * usual)  # a request reserves twice the gas that it uses
        if budget.stopped is not None:
            return "stopped"
        full_cap = budget.name_full_cap(wei)
        if full_cap == "daily_cap_reached" or budget.requests >= self.caps.daily_count:
            return "daily_cap_reached"
        if full_cap is not None:
            return "daily_cap_reserved"
        return None if fees is None or budget.pays_for(wei) else "low_balance"

    async def read_budget(
        self, connection: AsyncConnection, chain_id: int, balance: int, limits: Sequence[CountLimit] = ()
    ) -> WalletBudget:
        """Read today's budget, with the counts of the scopes of `limits`. `balance` in wei."""
        scopes = list_scopes(limits or [(GLOBAL, "", self.caps.daily_count)])
        row = (await connection.execute(sql["budget"], {**self.row_key(chain_id), **scopes})).one()
        return WalletBudget(
            caps=self.caps,
            balance=balance,
            day=row.day,
            seconds_left=row.seconds_left,
            open=row.open,
            owed=int(row.owed),
            used=int(row.used_wei),
            spent=int(row.spent_wei),
            has_queue=row.has_queue,
            counts=row.counts,
            stopped=row.stopped,
        )

    def offer_fees(self, prices: WalletPrices, gas_limit: int) -> tuple[GasFees | None, int]:
        """Return the first fees and the wei to reserve; None and 0 while gas is too dear."""
        ceiling = self.caps.gas_price_ceiling_wei
        fees = first_fees(prices.base_fee, prices.tip, ceiling)
        return fees, compute_reservation(gas_limit, fees, ceiling) if fees else 0

    async def read_prices(self, chain_id: int) -> WalletPrices:
        """Return prices of at most three seconds ago; callers at the same time share one read."""
        async with self._locks[chain_id]:
            prices = self._prices.get(chain_id)
            if prices is None or time.monotonic() - prices.read_at > 3.0:
                chain = self.chains[chain_id]
                (base_fee, tip), balance = await asyncio.gather(
                    chain.get_fees(), chain.get_balance(self.signer.address)
                )
                prices = self._prices[chain_id] = WalletPrices(base_fee, tip, balance, time.monotonic())
            return prices

    async def read_prices_soon(self, chain_id: int) -> WalletPrices | None:
        """Return the prices within `PRICE_WAIT_SECONDS`; else the last ones, if they are at most 30 seconds old."""
        found = await self._reads.collect_within(PRICE_WAIT_SECONDS, [chain_id])
        if chain_id in found:
            return found[chain_id]
        last = self._prices.get(chain_id)
        return last if last and time.monotonic() - last.read_at < 30.0 else None

    async def _read_prices_if_any(self, chain_id: int) -> WalletPrices | None:
        try:
            return await self.read_prices(chain_id)
        except ChainUnavailable:
            return None

    @contextmanager
    def _awaiting_database(self, chain_id: int) -> Iterator[None]:
        self.awaits_database.add(chain_id)
        try:
            yield
        finally:
            self.awaits_database.discard(chain_id)

    async def _compare_counter(self, chain: Chain) -> None:
        """Store the first nonce, or stop the wallet if the chain counts more transactions than we signed.

        The chain is read first: our counter only grows, so a higher count on chain is an external transaction.
        """
        counts = await chain.count_transactions(self.signer.address, "latest")
        if not counts:
            raise ChainUnavailable(f"no endpoint of chain {chain.chain_id} counts the wallet's transactions")
        count = find_reached(counts, len(chain.settings.rpc_urls))
        pending = await chain.count_transactions(self.signer.address, "pending")
        key = self.row_key(chain.chain_id)
        with self._awaiting_database(chain.chain_id):
            await self._store_counter(key, count, is_settled=count is not None and len({*counts, *pending}) == 1)

    async def _store_counter(self, key: Mapping[str, Any], count: int | None, *, is_settled: bool) -> None:
        """`is_settled`: all endpoints return `count`, with pending transactions and without."""
        async with self._engine.begin() as connection:
            row = (await connection.execute(sql["read_wallet"], key)).one_or_none()
            if row is None:
                if not is_settled:
                    # An unknown transaction of ours is under way, or endpoints lag.
                    raise RelayStopped("the wallet's first nonce is not settled on chain", "not_reconciled")
                await connection.execute(sql["add_wallet"], {**key, "next_nonce": count})
            elif count is not None and count > row.next_nonce:
                await connection.execute(sql["stop_wallet"], {**key, "reason": FOREIGN_NONCE})
                log.error("foreign_transaction", chain_id=key["chain_id"])
