"""What an operator may do through the API: forget a person, put dead emails back, read how this installation is set."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from sqlalchemy import ColumnElement, delete, select, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.concurrency import Looks, together
from reminder_worker.database.engine import through_deadlocks
from reminder_worker.errors import ChainUnavailable, FieldFault, InvalidInput
from reminder_worker.gifts.queries import sql
from reminder_worker.gifts.tables import gift_notification
from reminder_worker.monitoring.operations_relay import PayingWallet
from reminder_worker.privacy.emails import normalise_email
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.reminders.recipients import cancel_unsent
from reminder_worker.reminders.tables import recipient
from reminder_worker.settings import CONTRACTS, ChainSettings

T = TypeVar("T")
STATUS_SECONDS: Final = 5.0
"""How long the status waits for a chain: monitors give up soon."""
# A legacy of which nobody is stored any more need not be asked about.
_UNWATCH = text("""
    delete from worker.watch w
    where not exists (select from worker.recipient r where r.chain_id = w.chain_id and r.legacy = w.legacy)
""")
_CONTRACTS = (
    *CONTRACTS,
    "upgrade_timelock",
    "legacy_pull_vault",
    "permit2",
)


@dataclass(frozen=True, slots=True)
class Erased:
    """How many stored recipients and gift notifications were shredded."""

    recipients: int
    gifts: int


@dataclass(frozen=True, slots=True)
class WalletStatus:
    """`balance` in wei; None: not known."""

    role: str
    address: str
    balance: int | None


@dataclass(frozen=True, slots=True)
class ChainStatus:
    """Public facts of one chain; `head` None: not known."""

    chain_id: int
    head: int | None
    contracts: Mapping[str, str]
    wallets: tuple[WalletStatus, ...]


async def erase_person(engine: AsyncEngine, hashes: KeyedHash, email: str | None, address: str | None) -> Erased:
    """Shred every row of an email or of an address, over all chains, and cancel what was not sent.

    What was sent stays remembered without the person. Raises `InvalidInput`; give exactly one of both.
    """
    if (email is None) == (address is None):
        faults = [FieldFault("/email", "has to be given, or /address, and not both")]
        raise InvalidInput("Give an email or an address, and not both.", faults)
    if email is not None:
        try:
            hashed = hashes.email(normalise_email(email))
        except ValueError as error:
            raise InvalidInput("The email address is not acceptable.", [FieldFault("/email", str(error))]) from None
        of_recipient, of_gift = recipient.c.email_hash == hashed, gift_notification.c.email_hash == hashed
    else:
        wanted = str(address).lower()
        of_recipient, of_gift = recipient.c.recipient == wanted, gift_notification.c.recipient == wanted

    async def run() -> Erased:
        async with engine.begin() as connection:
            return Erased(await _recipients(connection, of_recipient), await _gifts(connection, of_gift))

    return await through_deadlocks(run)


class ChainStatuses:
    """What a status tells of the chains and of the wallets on them."""

    def __init__(self, chains: Mapping[int, Chain], wallets: Sequence[PayingWallet]) -> None:
        self._chains = chains
        self._wallets = wallets
        self._looks = Looks(self._look)

    async def read(self) -> list[ChainStatus]:
        """The status of every chain, within `STATUS_SECONDS`: of a chain that hangs the head and the balances are not
        known."""
        found = await self._looks.within(STATUS_SECONDS, self._chains)
        return [found.get(id) or self._status(chain, None, {}) for id, chain in self._chains.items()]

    async def _look(self, chain_id: int) -> ChainStatus:
        chain, addresses = self._chains[chain_id], [wallet.address for wallet in self._wallets]
        head, *balances = await together(_known(chain.head()), *(_known(chain.balance(each)) for each in addresses))
        return self._status(chain, head.number if head else None, dict(zip(addresses, balances, strict=True)))

    def _status(self, chain: Chain, head: int | None, balances: Mapping[str, int | None]) -> ChainStatus:
        wallets = [WalletStatus(each.role, each.address, balances.get(each.address)) for each in self._wallets]
        return ChainStatus(chain.chain_id, head, _contracts(chain.settings), tuple(wallets))


async def _known(asked: Awaitable[T]) -> T | None:
    try:
        return await asked
    except ChainUnavailable:
        return None


async def _recipients(connection: AsyncConnection, of_person: ColumnElement[bool]) -> int:
    key = (recipient.c.chain_id, recipient.c.legacy, recipient.c.recipient)
    rows = (await connection.execute(select(*key).where(of_person).order_by(*key).with_for_update())).all()
    for row in rows:
        await cancel_unsent(connection, row.chain_id, row.legacy, [row.recipient])
    if rows:
        await connection.execute(delete(recipient).where(of_person))
        await connection.execute(_UNWATCH)
    return len(rows)


async def _gifts(connection: AsyncConnection, of_person: ColumnElement[bool]) -> int:
    key = (gift_notification.c.chain_id, gift_notification.c.timelock_id)
    rows = (await connection.execute(select(*key).where(of_person).order_by(*key).with_for_update())).all()
    for row in rows:
        at = {"chain_id": row.chain_id, "timelock_id": row.timelock_id}
        await connection.execute(sql["cancel"], {**at, "reason": "erased", "kept": None})
        await connection.execute(sql["delete_row"], at)
    return len(rows)


def _contracts(settings: ChainSettings) -> Mapping[str, str]:
    """Those that are configured."""
    found = {name: getattr(settings, name) for name in _CONTRACTS}
    return {name: str(address) for name, address in found.items() if address is not None}
