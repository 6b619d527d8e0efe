"""What an operator may do to one request or wallet. The engine's own rules go on afterwards."""

from uuid import UUID

from sqlalchemy import text

from reminder_worker.errors import ChainUnavailable, NotFound, Refused
from reminder_worker.relay.broadcast import broadcast
from reminder_worker.relay.queries import sql
from reminder_worker.relay.reconciler import ReconcileReport, RelayReconciler, facts_of
from reminder_worker.relay.state_machine import ReplaceAttempt, is_dead

BY_HAND = "cancelled_by_operator"

# Puts the deadline into the past: reconcile then frees the nonce by an empty transaction, and ends the request as
# expired.
_GIVE_UP = text("""
    update worker.relay_request set deadline = 0, reason = :reason, updated_at = clock_timestamp()
    where id = :id and state in ('signed', 'broadcast')
    returning true
""")


class OperatorActions(RelayReconciler):
    """Raises `NotFound` for a request that is not open in this wallet, `Refused` where nothing can be done, and
    `NotConfigured` on a chain that is not served any more."""

    async def replace(self, chain_id: int, request_id: UUID) -> str:
        """Sign the newest transaction of its slot anew with a higher fee, now, or the empty one in place of a call that
        is given up, has expired or would revert; returns its hash."""
        await self._admission.open_wallet(chain_id)
        chain = self._chains[chain_id]
        seen = await self._see(chain)
        at = next((at for at in seen.slots if at.request.id == request_id), None)
        if at is None:
            raise NotFound("this request has no transaction under way")
        facts = facts_of(at, seen)
        if at.slot.mined_in is not None or facts.wallet_count > at.slot.nonce:  # its call is used, not dead
            raise Refused("its transaction is in a block already")
        if seen.market is None:
            raise ChainUnavailable(f"no endpoint of chain {chain_id} says what gas costs")
        report = ReconcileReport()
        kind = "empty" if is_dead(at.slot, facts) else at.slot.newest.kind
        attempts = await self._slot(chain_id, at, ReplaceAttempt(kind), seen.market, report)
        await broadcast(self._engine, chain, attempts)
        if not report.replaced + report.freed:
            raise Refused("the ceiling or today's cap leaves no room for a higher fee; the newest was sent again")
        return attempts[0].tx_hash

    async def cancel(self, chain_id: int, request_id: UUID) -> bool:
        """Give it up. True: it has ended. False: an empty transaction is on its way to free its nonce."""
        values = {"id": request_id, "reason": BY_HAND}
        async with self._engine.begin() as connection:
            await connection.execute(sql["lock_wallet"], self._key(chain_id))
            if await connection.scalar(sql["end_waiting"], values):
                return True
            if not await connection.scalar(_GIVE_UP, values):
                raise Refused("it is in a block, or has ended")
        await self.run(chain_id)
        return False

    async def resume(self, chain_id: int) -> None:
        """A stopped wallet takes requests again, once no foreign transaction can be in the way of its next nonce."""
        await self.run(chain_id)  # with nothing open nobody looked for an hour, perhaps, at what is final by now
        counts = await self._chains[chain_id].transaction_counts(self._wallet, "latest")
        if not counts:
            raise ChainUnavailable(f"no endpoint of chain {chain_id} counts the wallet's transactions")
        async with self._engine.begin() as connection:
            resumed = await connection.scalar(sql["resume"], {**self._key(chain_id), "count": max(counts)})
        if not resumed:
            raise Refused("the wallet is not stopped, or the foreign transaction is not final yet: try again later")
        await self.run(chain_id)
