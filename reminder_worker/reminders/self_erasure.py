"""Erasure by the recipient: a message signed by the wallet that a set names."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.eip712 import SignatureVerifier, typed_data_digest
from reminder_worker.database.engine import through_deadlocks
from reminder_worker.reminders.erasure import erase_recipients
from reminder_worker.reminders.tables import recipient
from reminder_worker.signed_messages import check_deadline, served_chain, service_domain, spend_digest

ALL_LEGACIES: Final = "0x" + "0" * 40
MESSAGE_TYPES: Final = {
    "EraseRecipient": (
        {"name": "recipient", "type": "address"},
        {"name": "legacy", "type": "address"},
        {"name": "deadline", "type": "uint256"},
    )
}


@dataclass(frozen=True, slots=True)
class SelfErasureRequest:
    """Request of a recipient. Addresses lower case, `deadline` in unix seconds; `legacy` may be `ALL_LEGACIES`."""

    chain_id: int
    recipient: str
    legacy: str
    deadline: int
    signature: bytes = field(repr=False)


class SelfErasure:
    """Erases recipients who sign for it. `now`: unix seconds of the wall clock."""

    def __init__(self, engine: AsyncEngine, chains: Mapping[int, Chain], now: Callable[[], float]) -> None:
        self._engine = engine
        self._chains = chains
        self._now = now

    async def erase_recipient(self, request: SelfErasureRequest) -> int:
        """Erase the signer from one legacy or from all of the chain; return the number of entries.

        The answer depends on what is stored only after the signature was accepted. Raises `InvalidInput` (chain not
        served), `Expired`, `DeadlineTooFar`, `SignerMismatch`, `AlreadyUsed`, `ChainUnavailable`.
        """
        chain = served_chain(self._chains, request.chain_id)
        check_deadline(request.deadline, self._now())
        message = {"recipient": request.recipient, "legacy": request.legacy, "deadline": request.deadline}
        digest = typed_data_digest(service_domain(request.chain_id), "EraseRecipient", MESSAGE_TYPES, message)
        await SignatureVerifier(chain).verify_signature(digest, request.signature, request.recipient)
        of_person = (recipient.c.chain_id == request.chain_id) & (recipient.c.recipient == request.recipient)
        if request.legacy != ALL_LEGACIES:
            of_person &= recipient.c.legacy == request.legacy

        async def erase() -> int:
            async with self._engine.begin() as connection:
                await spend_digest(connection, digest, request.deadline)
                return await erase_recipients(connection, of_person, cause="signature")

        return await through_deadlocks(erase)
