"""Wallet monitor: alerts of a wallet about external transactions, a low balance, stuck transactions and used caps."""

from typing import Final

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.outbox.alerts import AlertFacts, AlertOutbox
from reminder_worker.outbox.messages import AlertKind
from reminder_worker.relay.budget import WalletBudget
from reminder_worker.relay.chain_view import ChainView
from reminder_worker.relay.fees import EMPTY_GAS, GasFees, compute_reservation, first_fees
from reminder_worker.relay.models import FOREIGN_NONCE
from reminder_worker.relay.state_machine import GasPrice
from reminder_worker.relay.tables import sql
from reminder_worker.relay.wallet import RelayWallet, read_usual_gas

log = structlog.get_logger(__name__)

ALERT_SECONDS: Final = 900
"""Age from which an unmined transaction, or a request that waits for gas, raises an alert."""


def pays_for(balance: int, price: int, ceiling: int, gas: int) -> int:
    """Return the number of relays of `gas` that a balance pays for at a gas price, at most the ceiling (all in wei).

    First subtract the wei that `compute_reservation` keeps to free a nonce. While gas is cheap they are more than many
    relays cost, and a wallet that holds no more takes no request.
    """
    return max(0, balance - EMPTY_GAS * ceiling) // (gas * max(1, min(price, ceiling)))


MANY_RELAYS: Final = 1_000_000
"""More than any wallet sends: a larger count says only that gas is nearly free."""


def format_relays(count: int) -> str:
    """Return a count of relays in words: `38 relays`, or that it is more than `MANY_RELAYS`."""
    return f"{count} relays" if count <= MANY_RELAYS else f"more than {MANY_RELAYS} relays"


class WalletMonitor:
    """Monitor of one wallet on all its chains.

    The balance is low if it pays for fewer than `low_balance_relays`, or not for a waiting request.
    """

    def __init__(self, engine: AsyncEngine, alerts: AlertOutbox, wallet: RelayWallet, low_balance_relays: int) -> None:
        self._engine = engine
        self._alerts = alerts
        self._wallet = wallet
        self._low_balance_relays = low_balance_relays

    async def find_external(self, chain_id: int, views: ChainView) -> None:
        """Stop the wallet if the chain counts more transactions than we ever signed: its key is used elsewhere.

        Our counter is read after the chain's, since it only grows.
        """
        count, final = views.confirmed_wallet_count, views.wallet_count_final
        async with self._engine.connect() as connection:
            ours = (await connection.execute(sql["read_wallet"], self._wallet.row_key(chain_id))).one().next_nonce
        if count is not None and count > ours:
            await self.stop_wallet(chain_id, ours)
        if final is not None and final > ours:
            async with self._engine.begin() as connection:
                await connection.execute(sql["skip_nonces"], {**self._wallet.row_key(chain_id), "count": final})

    async def stop_wallet(self, chain_id: int, nonce: int) -> None:
        """Stop the wallet and raise an alert: no request is admitted, and open slots go on."""
        async with self._engine.begin() as connection:
            stopped = await connection.scalar(
                sql["stop_wallet"], {**self._wallet.row_key(chain_id), "reason": FOREIGN_NONCE}
            )
            facts: AlertFacts = {"reason": FOREIGN_NONCE, "nonce": nonce}
            await self._alerts.raise_condition(
                connection, AlertKind.RELAYER_STOPPED, self._wallet.address, chain_id, facts
            )
        if stopped:
            log.error("relay_wallet_stopped", chain_id=chain_id, wallet=self._wallet.address, nonce=nonce)

    async def raise_alerts(self, chain_id: int, balance: int, price: GasPrice | None) -> tuple[int, str | None]:
        """Raise and clear alerts. Return the age of the oldest open slot (seconds), and why the wallet is stopped.

        `balance` in wei.
        """
        fees = first_fees(price.base_fee, price.priority_fee, price.ceiling) if price else None
        async with self._engine.begin() as connection:
            budget = await self._wallet.read_budget(connection, chain_id, balance)
            gas = await read_usual_gas(connection, self._wallet.row_key(chain_id))
            age = await self._alert_stuck(connection, chain_id, fees)
            if price is not None:
                await self._alert_balance(connection, chain_id, balance, price, gas)
            await self._alert_caps(connection, chain_id, budget, fees, gas)
            reason: AlertFacts = {} if budget.stopped is None else {"reason": budget.stopped}
            await self._set_alert(connection, chain_id, AlertKind.RELAYER_STOPPED, budget.stopped is not None, reason)
        return age, budget.stopped

    async def _alert_balance(
        self, connection: AsyncConnection, chain_id: int, balance: int, price: GasPrice, gas: int
    ) -> None:
        relays = pays_for(balance, price.base_fee + price.priority_fee, price.ceiling, gas)
        values = {**self._wallet.row_key(chain_id), "balance": balance, "ceiling": price.ceiling}
        low = relays < self._low_balance_relays or bool(await connection.scalar(sql["waits_for_balance"], values))
        if low or 4 * relays >= 5 * self._low_balance_relays:  # in between, the gas price would raise and clear it
            facts: AlertFacts = {"balance_wei": balance, "pays for": format_relays(relays)}
            await self._set_alert(connection, chain_id, AlertKind.RELAYER_LOW_BALANCE, low, facts)

    async def _alert_stuck(self, connection: AsyncConnection, chain_id: int, fees: GasFees | None) -> int:
        """Alert about the oldest open slot, or about requests deferred by gas for as long. Return the age of the slot.

        `fees`: of a request that starts now; None if gas is too dear or its price unknown.
        """
        oldest = (await connection.execute(sql["oldest"], self._wallet.row_key(chain_id))).one_or_none()
        age = oldest.age if oldest else 0
        waited, facts = age, {} if oldest is None else {"nonce": oldest.nonce, "tried with": f"{oldest.attempts} fees"}
        if age < ALERT_SECONDS:  # requests that wait for cheaper gas have no slot
            deferred = (await connection.execute(sql["deferred"], self._wallet.row_key(chain_id))).one()
            if deferred.age >= ALERT_SECONDS:
                if fees:
                    return int(age)  # they start as slots become free: clear the alert after the last
                cheaper = "gas below five eighths of the ceiling"  # see `fees.cap_first_fee`
                waited, facts = deferred.age, {"waits for": cheaper, "requests": deferred.requests}
        facts = {**facts, "waiting_since_seconds": waited}
        await self._set_alert(connection, chain_id, AlertKind.RELAY_STUCK, waited >= ALERT_SECONDS, facts)
        return int(age)

    async def _alert_caps(
        self, connection: AsyncConnection, chain_id: int, budget: WalletBudget, fees: GasFees | None, gas: int
    ) -> None:
        """Alert about today's caps by the wei spent for good: most reserved wei return within a quarter of an hour."""
        caps, spent = budget.caps, budget.spent
        next_one = compute_reservation(gas, fees, caps.gas_price_ceiling_wei) if fees else 0
        used = [(budget.requests, caps.daily_count), (spent, caps.daily_wei)]
        share = max((amount / cap for amount, cap in used if cap), default=0.0)  # a cap of 0 switches the lane off
        nearly = share > 0.9 or 0 < caps.daily_wei < spent + next_one
        if nearly or share < 0.5:  # in between, the gas price would raise and clear it in turn
            facts: AlertFacts = {"requests today": f"{budget.requests} of {caps.daily_count}"}
            facts = {**facts, "spent today_wei": spent, "cap_wei": caps.daily_wei}
            await self._set_alert(connection, chain_id, AlertKind.RELAY_CAP_USED, nearly, facts)

    async def _set_alert(
        self, connection: AsyncConnection, chain_id: int, kind: AlertKind, holds: bool, facts: AlertFacts
    ) -> None:
        change = self._alerts.raise_condition if holds else self._alerts.clear_condition
        await change(connection, kind, self._wallet.address, chain_id, facts)
