"""Operator actions on one request or wallet. Afterwards the reconciler's own rules go on."""

from uuid import UUID

from reminder_worker.errors import ChainUnavailable, NotFound, Refused
from reminder_worker.relay.attempts import broadcast
from reminder_worker.relay.models import CANCELLED_BY_OPERATOR
from reminder_worker.relay.reconciler import RelayReconciler
from reminder_worker.relay.state_machine import is_dead
from reminder_worker.relay.tables import sql


class OperatorActions(RelayReconciler):
    """Raises `NotFound` for a request that is not open in this wallet, `Refused` if nothing can be done, and
    `NotConfigured` on a chain that is not served any more."""

    async def replace(self, chain_id: int, request_id: UUID) -> str:
        """Replace the latest attempt of a request now, with a higher fee, and return its hash.

        A call that was cancelled, has expired or would revert is replaced by a cancellation transaction.
        """
        run = await self._begin(chain_id, watch=False)
        entry = next((entry for entry in run.facts.slots if entry.request.id == request_id), None)
        if entry is None:
            raise NotFound("this request has no transaction under way")
        facts = run.facts.of_slot(entry)
        if entry.slot.mined_in is not None or facts.wallet_count > entry.slot.nonce:  # its call is used, not dead
            raise Refused("its transaction is in a block already")
        if facts.price is None:
            raise ChainUnavailable(f"no endpoint of chain {chain_id} says what gas costs")
        kind = "empty" if is_dead(entry.slot, facts) else entry.slot.newest.kind
        transactions = await self._replace(run, entry, kind, facts.price)
        await broadcast(self._engine, run.chain, transactions)
        if not run.report.replaced + run.report.freed:
            raise Refused("the ceiling or today's cap leaves no room for a higher fee; the newest was sent again")
        return transactions[0].tx_hash

    async def cancel(self, chain_id: int, request_id: UUID) -> bool:
        """Give a request up. True: it has ended. False: a cancellation transaction is on its way to free its nonce."""
        values = {"id": request_id, "reason": CANCELLED_BY_OPERATOR}
        async with self._engine.begin() as connection:
            await connection.execute(sql["lock_wallet"], self._wallet.key(chain_id))
            if await connection.scalar(sql["end_waiting"], values):
                return True
            if not await connection.scalar(sql["give_up"], values):
                raise Refused("it is in a block, or has ended")
        await self.run(chain_id)
        return False

    async def resume(self, chain_id: int) -> None:
        """Let a stopped wallet take requests again, once no external transaction can use its next nonce."""
        await self.run(chain_id)  # with nothing open, the last run may be an hour old
        counts = await self._chains[chain_id].transaction_counts(self._wallet.address, "latest")
        if not counts:
            raise ChainUnavailable(f"no endpoint of chain {chain_id} counts the wallet's transactions")
        async with self._engine.begin() as connection:
            resumed = await connection.scalar(sql["resume"], {**self._wallet.key(chain_id), "count": max(counts)})
        if not resumed:
            raise Refused("the wallet is not stopped, or the foreign transaction is not final yet: try again later")
        await self.run(chain_id)
