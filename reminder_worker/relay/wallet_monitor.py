"""What operators are told of one of our wallets: a stranger with its key, a low balance, a stuck transaction."""

from typing import Final

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.outbox.alerts import Alerts, Facts
from reminder_worker.outbox.messages import AlertKind
from reminder_worker.relay.chain_view import ChainView
from reminder_worker.relay.fees import EMPTY_GAS, GasFees, first_fees, reservation
from reminder_worker.relay.models import FOREIGN_NONCE, WalletCaps
from reminder_worker.relay.queries import sql
from reminder_worker.relay.state_machine import GasPrice

log = structlog.get_logger(__name__)

TOLD_AFTER_SECONDS: Final = 900
"""Unmined for so long, or kept back by what gas costs: operators hear of it."""
NEARLY_USED: Final = 0.9
USED_BY_HALF: Final = 0.5
"""Shares of a day's cap: above the one operators hear of it, below the other of its end."""
GAS_OF_A_RELAY: Final = 210_000
"""By which a balance is told in relays: that of a claim on the deployed contracts."""


def pays_for(balance: int, price: int, ceiling: int) -> int:
    """How many relays a balance pays for at a price of gas, at most the ceiling (all in wei).

    What `fees.reservation` sets aside to free a nonce is taken off first: where gas is cheap that is more than many
    relays cost, and a wallet that holds no more takes none.
    """
    return max(0, balance - EMPTY_GAS * ceiling) // (GAS_OF_A_RELAY * max(1, min(price, ceiling)))


class WalletMonitor:
    """Of one wallet on all its chains. Alerts when its balance pays for fewer than `low_balance_relays`, or not for one
    that waits, and when what is left of a day's cap does not do for many more."""

    def __init__(
        self, engine: AsyncEngine, alerts: Alerts, wallet: str, caps: WalletCaps, low_balance_relays: int
    ) -> None:
        self._engine = engine
        self._alerts = alerts
        self._wallet = wallet
        self._caps = caps
        self._low_balance_relays = low_balance_relays

    async def look_for_strangers(self, chain_id: int, views: ChainView) -> None:
        """Stops the wallet when the chain counts more transactions than we ever signed: somebody else holds the key.
        Our counter is read after the chain's, since it only grows."""
        count, final = views.vouched_wallet_count, views.wallet_count_final
        async with self._engine.connect() as connection:
            ours = (await connection.execute(sql["read_wallet"], self._key(chain_id))).one().next_nonce
        if count is not None and count > ours:
            await self.stop(chain_id, ours)
        if final is not None and final > ours:
            async with self._engine.begin() as connection:
                await connection.execute(sql["skip_nonces"], {**self._key(chain_id), "count": final})

    async def stop(self, chain_id: int, nonce: int) -> None:
        """Stop the wallet and tell operators: nothing more is admitted, what is under way goes on."""
        async with self._engine.begin() as connection:
            stopped = await connection.scalar(sql["stop_wallet"], {**self._key(chain_id), "reason": FOREIGN_NONCE})
            facts: Facts = {"reason": FOREIGN_NONCE, "nonce": nonce}
            await self._alerts.raise_(connection, AlertKind.RELAYER_STOPPED, self._wallet, chain_id, facts)
        if stopped:
            log.error("relay_wallet_stopped", chain_id=chain_id, wallet=self._wallet, nonce=nonce)

    async def tell(self, chain_id: int, balance: int, market: GasPrice | None) -> tuple[int, str | None]:
        """Tell operators what begins or is over. Returns the age of the oldest slot that is not mined (seconds), and
        why the wallet is stopped. `balance` in wei."""
        async with self._engine.begin() as connection:
            return await self._tell(connection, chain_id, balance, market)

    async def _tell(
        self, connection: AsyncConnection, chain_id: int, balance: int, market: GasPrice | None
    ) -> tuple[int, str | None]:
        stopped = (await connection.execute(sql["read_wallet"], self._key(chain_id))).one().stopped
        fees = first_fees(market.base_fee, market.priority_fee, market.ceiling) if market else None
        age = await self._tell_of_the_oldest(connection, chain_id, fees)
        if market is not None:
            relays = pays_for(balance, market.base_fee + market.priority_fee, market.ceiling)
            facts: Facts = {"balance_wei": balance, "pays for": f"{relays} relays"}
            values = {**self._key(chain_id), "balance": balance, "ceiling": market.ceiling}
            low = relays < self._low_balance_relays or bool(await connection.scalar(sql["waits_for_balance"], values))
            if low or 4 * relays >= 5 * self._low_balance_relays:  # in between, fees would raise and clear it in turn
                await self._condition(connection, chain_id, AlertKind.RELAYER_LOW_BALANCE, low, facts)
        await self._tell_of_the_caps(connection, chain_id, fees)
        reason: Facts = {} if stopped is None else {"reason": stopped}
        await self._condition(connection, chain_id, AlertKind.RELAYER_STOPPED, stopped is not None, reason)
        return age, stopped

    async def _tell_of_the_oldest(self, connection: AsyncConnection, chain_id: int, fees: GasFees | None) -> int:
        """Tell of the oldest slot that is not mined, or of requests that gas has kept from a nonce for as long; returns
        the age of that slot. `fees`: those of what starts now; None: nothing does, or nobody knows."""
        oldest = (await connection.execute(sql["oldest"], self._key(chain_id))).one_or_none()
        age = oldest.age if oldest else 0
        told, facts = age, {} if oldest is None else {"nonce": oldest.nonce, "tried with": f"{oldest.attempts} fees"}
        if age < TOLD_AFTER_SECONDS:  # requests that wait for cheaper gas have no nonce, and so no slot with an age
            deferred = (await connection.execute(sql["deferred"], self._key(chain_id))).one()
            if deferred.age >= TOLD_AFTER_SECONDS:
                if fees:
                    return int(age)  # they are starting as there is room: it is over when the last one has
                cheaper = "gas below five eighths of the ceiling"  # of `fees.below`
                told, facts = deferred.age, {"waits for": cheaper, "requests": deferred.requests}
        facts = {**facts, "waiting_since_seconds": told}
        await self._condition(connection, chain_id, AlertKind.RELAY_STUCK, told >= TOLD_AFTER_SECONDS, facts)
        return int(age)

    async def _tell_of_the_caps(self, connection: AsyncConnection, chain_id: int, fees: GasFees | None) -> None:
        """Tell of today's caps, by what is spent for good: what is reserved is mostly given back within a quarter of an
        hour."""
        today, caps = (await connection.execute(sql["standing"], self._key(chain_id))).one(), self._caps
        spent = int(today.spent_wei)
        next_one = reservation(GAS_OF_A_RELAY, fees, caps.gas_price_ceiling_wei) if fees else 0
        used = [(today.requests, caps.daily_count), (spent, caps.daily_wei)]
        share = max((some / cap for some, cap in used if cap), default=0.0)  # a cap of 0 is how one switches it off
        nearly = share > NEARLY_USED or 0 < caps.daily_wei < spent + next_one
        if nearly or share < USED_BY_HALF:  # in between, what gas costs would raise and clear it in turn
            facts: Facts = {"requests today": f"{today.requests} of {caps.daily_count}"}
            facts = {**facts, "spent today_wei": spent, "cap_wei": caps.daily_wei}
            await self._condition(connection, chain_id, AlertKind.RELAY_CAP_USED, nearly, facts)

    async def _condition(
        self, connection: AsyncConnection, chain_id: int, kind: AlertKind, holds: bool, facts: Facts
    ) -> None:
        tell = self._alerts.raise_ if holds else self._alerts.clear
        await tell(connection, kind, self._wallet, chain_id, facts)

    def _key(self, chain_id: int) -> dict[str, object]:
        return {"chain_id": chain_id, "wallet": self._wallet}
