"""Who may do what: an EIP-712 message about a genuine legacy, signed by its creator, fresh, and used once.

Checks go from cheap to dear, so that a bad request costs little: deadline, digest already spent, then the
chain. Everything fails closed: what cannot be read on chain raises `ChainUnavailable`.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from sqlalchemy import exists, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts import Legacies, LegacyIdentity, PremiumSetting
from reminder_worker.chain.signatures import Domain, Signatures, typed_data_digest
from reminder_worker.database.tables import used_signature
from reminder_worker.errors import (
    AlreadyUsed,
    DeadlineTooFar,
    Expired,
    FieldFault,
    InvalidInput,
    NotAKnownLegacy,
    PremiumRequired,
    SignerMismatch,
)

MAX_AHEAD_SECONDS = 3600

_ABOUT_A_LEGACY = ({"name": "legacy", "type": "address"}, {"name": "deadline", "type": "uint256"})
MESSAGE_TYPES: Mapping[str, tuple[Mapping[str, str], ...]] = MappingProxyType(
    {
        "IngestLegacy": (
            {"name": "legacy", "type": "address"},
            {"name": "payloadHash", "type": "bytes32"},
            {"name": "deadline", "type": "uint256"},
        ),
        "ReadRecipients": _ABOUT_A_LEGACY,
        "EraseLegacy": _ABOUT_A_LEGACY,
        "SendInstructions": _ABOUT_A_LEGACY,
    }
)


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """What every signed request carries. `legacy` is a lower-case address, `deadline` in unix seconds."""

    chain_id: int
    legacy: str
    deadline: int
    signature: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Authorised:
    """A request that its signer may make; `spend` its digest in the transaction that grants it."""

    identity: LegacyIdentity
    digest: bytes = field(repr=False)
    deadline: int

    async def spend(self, connection: AsyncConnection) -> None:
        """Raises `AlreadyUsed` for the second of two, also when both arrive at once."""
        statement = insert(used_signature).values(digest=self.digest, deadline=self.deadline)
        spent = await connection.execute(
            statement.on_conflict_do_nothing().returning(used_signature.c.deadline),
        )
        if spent.first() is None:
            raise AlreadyUsed("This signed message was used before; sign a new one.")


class Authoriser:
    """`now` gives unix seconds, wall clock: deadlines of our own messages are not the chain's."""

    def __init__(self, engine: AsyncEngine, chains: Mapping[int, Chain], now: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._chains = chains
        self._now = now

    async def authorise(
        self,
        request: SignedRequest,
        primary_type: str,
        *,
        payload_hash: bytes | None = None,
        require_owner: bool = False,
        require_premium: bool = False,
    ) -> Authorised:
        """The signer is the legacy's creator() and, with `require_owner`, creator() is its owner too.

        Raises InvalidInput (chain not served), Expired, DeadlineTooFar, AlreadyUsed, NotAKnownLegacy,
        SignerMismatch, PremiumRequired, ChainUnavailable.
        """
        chain = self._chain(request.chain_id)
        self._check_deadline(request.deadline)
        digest = message_digest(request, primary_type, payload_hash)
        await self._refuse_spent(digest)
        identity = await Legacies(chain).is_genuine(request.legacy)
        if identity is None:
            raise NotAKnownLegacy("No router of this installation knows this legacy.")
        if require_owner and identity.owner != identity.creator:
            raise SignerMismatch("The creator of this legacy is not its owner.")
        await Signatures(chain).verify(digest, request.signature, identity.creator)
        if require_premium and not await PremiumSetting(chain).is_premium(identity.creator):
            raise PremiumRequired("The creator of this legacy has no active Premium subscription.")
        return Authorised(identity, digest, request.deadline)

    def _chain(self, chain_id: int) -> Chain:
        if chain_id not in self._chains:
            fault = FieldFault("/chainId", "is not a chain served here")
            raise InvalidInput("This chain is not served here.", [fault])
        return self._chains[chain_id]

    def _check_deadline(self, deadline: int) -> None:
        now = self._now()
        if deadline <= now:
            raise Expired("The deadline of this signed message has passed; sign a new one.")
        if deadline > now + MAX_AHEAD_SECONDS:
            raise DeadlineTooFar(f"The deadline has to be at most {MAX_AHEAD_SECONDS} seconds ahead.")

    async def _refuse_spent(self, digest: bytes) -> None:
        """A replay is refused before it costs a chain read; `spend` decides when two arrive at once."""
        async with self._engine.connect() as connection:
            if await connection.scalar(select(exists().where(used_signature.c.digest == digest))):
                raise AlreadyUsed("This signed message was used before; sign a new one.")


def message_digest(request: SignedRequest, primary_type: str, payload_hash: bytes | None = None) -> bytes:
    """The EIP-712 digest that the wallet signed."""
    message: dict[str, object] = {"legacy": request.legacy, "deadline": request.deadline}
    if payload_hash is not None:
        message["payloadHash"] = payload_hash
    domain = Domain(name="Reminder Worker", version="1", chain_id=request.chain_id)
    return typed_data_digest(domain, primary_type, MESSAGE_TYPES, message)
