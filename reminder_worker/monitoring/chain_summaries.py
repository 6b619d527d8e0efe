"""Summaries of the chains and of our wallets on them, for an operator's status page."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from reminder_worker.chain.client import Chain
from reminder_worker.concurrency import ChainLooks, run_together
from reminder_worker.errors import ChainUnavailable
from reminder_worker.relay.operator import PayingWallet
from reminder_worker.settings import ChainSettings
from reminder_worker.settings.chains import CONTRACTS

T = TypeVar("T")
STATUS_SECONDS = 5.0  # a monitor gives up soon


@dataclass(frozen=True, slots=True)
class WalletBalance:
    """Balance of a wallet in wei; None: not known."""

    role: str
    address: str
    balance: int | None


@dataclass(frozen=True, slots=True)
class ChainSummary:
    """Public facts of one chain; `head` None: not known."""

    chain_id: int
    head: int | None
    contracts: Mapping[str, str]
    wallets: tuple[WalletBalance, ...]


class ChainSummaries:
    """Reader of all chains at once, within a time."""

    def __init__(self, chains: Mapping[int, Chain], wallets: Sequence[PayingWallet]) -> None:
        self._chains = chains
        self._wallets = wallets
        self._looks = ChainLooks(self._look)

    async def read_summaries(self) -> list[ChainSummary]:
        """Return a summary of every chain within `STATUS_SECONDS`; a chain that hangs has no head and no balances."""
        found = await self._looks.collect_within(STATUS_SECONDS, self._chains)
        return [found.get(chain_id) or self._summary(chain, None, {}) for chain_id, chain in self._chains.items()]

    async def _look(self, chain_id: int) -> ChainSummary:
        chain, addresses = self._chains[chain_id], [wallet.address for wallet in self._wallets]
        reads = [_or_none(chain.get_balance(address)) for address in addresses]
        head, *balances = await run_together(_or_none(chain.get_head()), *reads)
        return self._summary(chain, head.number if head else None, dict(zip(addresses, balances, strict=True)))

    def _summary(self, chain: Chain, head: int | None, balances: Mapping[str, int | None]) -> ChainSummary:
        wallets = [WalletBalance(wallet.role, wallet.address, balances.get(wallet.address)) for wallet in self._wallets]
        return ChainSummary(chain.chain_id, head, _configured_contracts(chain.settings), tuple(wallets))


async def _or_none(question: Awaitable[T]) -> T | None:
    try:
        return await question
    except ChainUnavailable:
        return None


def _configured_contracts(settings: ChainSettings) -> Mapping[str, str]:
    names = (*CONTRACTS, "upgrade_timelock", "legacy_pull_vault", "permit2")
    addresses = {name: getattr(settings, name) for name in names}
    return {name: str(address) for name, address in addresses.items() if address is not None}
