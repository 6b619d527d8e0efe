"""Authorization of requests: an EIP-712 message about a genuine legacy, signed by its creator, recent and used once.

Checks go from cheap to dear, so that a bad request costs little: deadline, local recovery, then the chain; the
digest is spent with what it grants. Everything fails closed: what cannot be read on chain raises `ChainUnavailable`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from sqlalchemy.ext.asyncio import AsyncConnection

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.legacies import LegacyIdentity, LegacyReads
from reminder_worker.chain.contracts.premium import PremiumSetting
from reminder_worker.chain.eip712 import (
    SignatureVerdict,
    SignatureVerifier,
    is_owned_by_key,
    recover_signer,
    typed_data_digest,
)
from reminder_worker.errors import NotAKnownLegacy, PremiumRequired, SignerMismatch
from reminder_worker.signed_messages import check_deadline, served_chain, service_domain, spend_digest

SIGNED_MESSAGE_TYPES: Mapping[str, tuple[Mapping[str, str], ...]] = MappingProxyType(
    {
        "IngestLegacy": (
            {"name": "legacy", "type": "address"},
            {"name": "payloadHash", "type": "bytes32"},
            {"name": "deadline", "type": "uint256"},
        ),
        **dict.fromkeys(
            ("ReadRecipients", "RehearseLegacy", "EraseLegacy", "SendInstructions"),
            ({"name": "legacy", "type": "address"}, {"name": "deadline", "type": "uint256"}),
        ),
    }
)
READS = frozenset({"ReadRecipients", "RehearseLegacy"})
"""Messages whose answer shows people."""


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """Fields of every signed request. `legacy` is a lower-case address, `deadline` in unix seconds."""

    chain_id: int
    legacy: str
    deadline: int
    signature: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class AuthorizedRequest:
    """Request with a valid signature. Call `spend_digest` in the transaction that carries it out."""

    identity: LegacyIdentity
    digest: bytes = field(repr=False)
    deadline: int

    async def spend_digest(self, connection: AsyncConnection) -> None:
        """Mark the digest as used. Raises `AlreadyUsed` for the second of two requests, also if both arrive at once."""
        await spend_digest(connection, self.digest, self.deadline)


class RequestAuthorizer:
    """Checks signed requests. `now`: unix seconds of the wall clock, not of the chain."""

    def __init__(self, chains: Mapping[int, Chain], now: Callable[[], float]) -> None:
        self._chains = chains
        self._now = now
        self._seen: dict[tuple[int, str], LegacyIdentity] = {}  # the genuine ones, as they were: asked about again

    async def authorise_request(
        self,
        request: SignedRequest,
        primary_type: str,
        *,
        payload_hash: bytes | None = None,
        require_owner: bool = False,
        require_premium: bool = False,
    ) -> AuthorizedRequest:
        """Check that the legacy's creator() signed and, with `require_owner`, that the creator is the owner.

        Raises InvalidInput (chain not served), Expired, DeadlineTooFar, AlreadyUsed, NotAKnownLegacy,
        SignerMismatch, PremiumRequired, ChainUnavailable.
        """
        chain = served_chain(self._chains, request.chain_id)
        check_deadline(request.deadline, self._now())
        if primary_type in READS and not request.signature:
            raise SignerMismatch(
                "What a smart wallet signs on chain everybody sees there, and could send first: to see the set, sign"
                " without a transaction."
            )
        digest = message_digest(request, primary_type, payload_hash)
        about = request.chain_id, request.legacy
        asked = _RequestCheck(
            request, digest, recover_signer(digest, request.signature), self._seen.get(about), require_premium
        )
        # A read shows a stored set only to the creator who saved it (see `recipients.py`).
        seen = await (asked.ask_chain(chain) if primary_type in READS else chain.agreed(asked.ask_chain))
        if seen.identity is None:
            raise NotAKnownLegacy("No router of this installation knows this legacy.")
        if len(self._seen) >= 10_000:
            self._seen.clear()
        self._seen[about] = seen.identity
        if require_owner and seen.identity.owner != seen.identity.creator:
            raise SignerMismatch("The creator of this legacy is not its owner.")
        if not seen.is_signed:
            raise SignerMismatch(f"This is not signed by the creator of the legacy. {seen.hint}".rstrip())
        if require_premium and not seen.is_premium:
            raise PremiumRequired("The creator of this legacy has no active Premium subscription.")
        return AuthorizedRequest(seen.identity, digest, request.deadline)


@dataclass(frozen=True, slots=True)
class _ChainVerdict:
    """Answers of the chain about a request. After the first bad answer the others stay empty."""

    identity: LegacyIdentity | None
    is_signed: bool = False
    is_premium: bool = False
    hint: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class _RequestCheck:
    """Questions to the chain about a request. `likely` as in `LegacyReads.recognise`.

    `signer`: the account recovered from the signature, None if there is none.
    """

    request: SignedRequest
    digest: bytes
    signer: str | None
    likely: LegacyIdentity | None
    require_premium: bool

    async def ask_chain(self, chain: Chain) -> _ChainVerdict:
        # Read the code of the likely creator: a contract decides by ERC-1271.
        account = None
        if self.likely is not None and self.likely.creator == self.signer:
            account = self.signer
        identity, code = await LegacyReads(chain).recognise(self.request.legacy, likely=self.likely, account=account)
        if identity is None:
            return _ChainVerdict(None)
        creator, signature = identity.creator, self.request.signature
        if code is not None and is_owned_by_key(code) and account == creator:
            verdict = SignatureVerdict(True)
        else:
            verdict = await SignatureVerifier(chain).check_signature(self.digest, signature, creator)
        is_premium = False
        if verdict.is_signed and self.require_premium:
            is_premium = await PremiumSetting(chain).is_premium(creator)
        return _ChainVerdict(identity, verdict.is_signed, is_premium, verdict.hint)


def message_digest(request: SignedRequest, primary_type: str, payload_hash: bytes | None) -> bytes:
    """Return the EIP-712 digest for the wallet to sign."""
    message: dict[str, object] = {"legacy": request.legacy, "deadline": request.deadline}
    if payload_hash is not None:
        message["payloadHash"] = payload_hash
    return typed_data_digest(service_domain(request.chain_id), primary_type, SIGNED_MESSAGE_TYPES, message)
