"""Committed bytes on the wire, to every endpoint. What they answer decides nothing here: reconcile looks."""

from collections.abc import Mapping, Sequence
from typing import Final

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.types import SendOutcome
from reminder_worker.relay.attempts import SignedTransaction
from reminder_worker.relay.queries import sql

log = structlog.get_logger(__name__)
TAKEN: Final = frozenset({SendOutcome.ACCEPTED, SendOutcome.KNOWN})


async def broadcast(
    engine: AsyncEngine, chain: Chain, attempts: Sequence[SignedTransaction]
) -> Mapping[str, tuple[SendOutcome, ...]]:
    """By transaction hash what each endpoint that answers says; none: nobody is reachable, or timed out after all.

    Requests of which an endpoint has an attempt become `broadcast`; while the database is away, at the next look.
    """
    if not attempts:
        return {}
    answers = await chain.send_raw([attempt.raw for attempt in attempts])
    outcomes = {
        attempt.tx_hash: tuple(answer[position] for answer in answers) for position, attempt in enumerate(attempts)
    }
    taken = [tx_hash for tx_hash, said in outcomes.items() if TAKEN & set(said)]
    for attempt in attempts:
        if attempt.tx_hash not in taken:
            said = [str(each) for each in outcomes[attempt.tx_hash]] or ["unreachable"]
            log.warning("transaction_not_taken", chain_id=chain.chain_id, tx=attempt.tx_hash, said=said)
    values = {"chain_id": chain.chain_id, "sent": list(outcomes), "taken": taken}
    try:
        async with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
            await connection.execute(sql["mark_sent"], values)
    except (SQLAlchemyError, OSError) as error:  # they are stored and on the wire: that they failed would be untrue
        log.warning("transactions_not_marked", chain_id=chain.chain_id, error=type(error).__name__)
    return outcomes
