"""The service's own signed messages: their EIP-712 domain, their deadlines, and that each is used once."""

import hashlib
import re
from collections.abc import Mapping
from datetime import UTC, datetime

from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from reminder_worker.chain.client import Chain
from reminder_worker.chain.eip712 import TypedDataDomain
from reminder_worker.database.tables import used_signature
from reminder_worker.errors import AlreadyUsed, DeadlineTooFar, Expired, FieldFault, InvalidInput, Malformed

MAX_AHEAD_SECONDS = 3600


def service_domain(chain_id: int) -> TypedDataDomain:
    """Return the EIP-712 domain of this service's messages; the routers have domains of their own."""
    return TypedDataDomain(name="Reminder Worker", version="1", chain_id=chain_id)


def served_chain(chains: Mapping[int, Chain], chain_id: int) -> Chain:
    """Raises `InvalidInput` for a chain that is not served here."""
    if chain_id not in chains:
        raise InvalidInput("This chain is not served here.", [FieldFault("/chainId", "is not a chain served here")])
    return chains[chain_id]


def check_deadline(deadline: int, now: float) -> None:
    """Both in unix seconds, wall clock: deadlines of our own messages are not the chain's."""
    here = f"here it is {datetime.fromtimestamp(now, UTC):%Y-%m-%d %H:%M} UTC"  # shows whose clock is wrong
    if deadline <= now:
        raise Expired(f"The deadline of this signed message has passed ({here}); sign a new one.")
    if deadline > now + MAX_AHEAD_SECONDS:
        raise DeadlineTooFar(f"The deadline has to be at most {MAX_AHEAD_SECONDS} seconds ahead ({here}).")


def payload_hash(payload: str) -> bytes:
    """SHA-256 of a payload's exact UTF-8 bytes, as signed in `IngestLegacy` and `GiftNotify2`. Raises `Malformed`."""
    try:
        return hashlib.sha256(payload.encode()).digest()
    except UnicodeEncodeError:
        raise Malformed("The JSON text in /payload cannot be read.") from None


def check_salt(text: str) -> None:
    """Refuse a short salt, since emails could be guessed from the hash in a wallet. Raises ValueError."""
    if not re.fullmatch(r"0x(?:[0-9a-fA-F]{2}){16,64}", text):
        raise ValueError("has to be 0x and at least 16 random bytes in hex")


async def spend_digest(connection: AsyncConnection, digest: bytes, deadline: int) -> None:
    """To be called in the transaction that grants the message: raises `AlreadyUsed` for the second of two."""
    statement = insert(used_signature).values(digest=digest, deadline=deadline)
    spent = await connection.execute(statement.on_conflict_do_nothing().returning(used_signature.c.deadline))
    if spent.first() is None:
        raise already_used()


def already_used() -> AlreadyUsed:
    return AlreadyUsed("This signed message was used before; sign a new one.")
