"""The three authorizations a user signs: EIP-712 messages, and the router calls with them.

The message of a withdrawal depends on the version of the TimeLockRouter's domain.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar, Final

from eth_abi.abi import decode, encode
from eth_abi.exceptions import DecodingError
from eth_utils.crypto import keccak

from reminder_worker.chain.abi import find_selector
from reminder_worker.chain.abi_codec import encode_address
from reminder_worker.chain.contracts.routers import LEGACY_VERSIONS, PAYEE_VERSION, TIMELOCK_VERSIONS
from reminder_worker.chain.eip712 import TypedDataDomain, Types, recover_signer, typed_data_digest
from reminder_worker.errors import FieldFault, PayToUnsupported, RouterVersionUnsupported
from reminder_worker.relay.models import SELF_PAID, RelayLane

_NONCE_AND_DEADLINE: Final = ({"name": "nonce", "type": "uint256"}, {"name": "deadline", "type": "uint256"})
MESSAGE_TYPES: Final[Mapping[str, tuple[Mapping[str, str], ...]]] = MappingProxyType(
    {
        "ClaimAuth": (
            {"name": "beneficiary", "type": "address"},
            {"name": "legacyId", "type": "uint256"},
            {"name": "assetsHash", "type": "bytes32"},
            {"name": "isETH", "type": "bool"},
            *_NONCE_AND_DEADLINE,
        ),
        "CheckInAuth": (
            {"name": "owner", "type": "address"},
            {"name": "legacyId", "type": "uint256"},
            *_NONCE_AND_DEADLINE,
        ),
        "WithdrawAuth": (
            {"name": "recipient", "type": "address"},
            {"name": "timelockId", "type": "uint256"},
            {"name": "skipSwap", "type": "bool"},
            *_NONCE_AND_DEADLINE,
        ),
    }
)
WITHDRAW_TO_TYPES: Final[Types] = MappingProxyType(
    {
        "WithdrawAuth": (
            {"name": "recipient", "type": "address"},
            {"name": "payTo", "type": "address"},
            {"name": "timelockId", "type": "uint256"},
            {"name": "skipSwap", "type": "bool"},
            *_NONCE_AND_DEADLINE,
        ),
    }
)
"""The message of the TimeLockRouter's version 2, which names the payee."""
THE_RECIPIENT: Final = "0x" + "00" * 20
"""The payee of a withdrawal without a payee: the contract pays the recipient."""
_AUTH: Final = "(address,uint256,uint256,bytes)"  # signer, nonce, deadline, signature
_CLAIM: Final = find_selector("TransferEOALegacyRouter", "activeLegacyFor")
_CLAIM_TYPES: Final = ("uint256", "address[]", "bool", _AUTH)


@dataclass(frozen=True, slots=True)
class SponsorRequest:
    """Fields of all three requests. Addresses are lower-case hex, `deadline` unix seconds by the chain's clock."""

    chain_id: int
    router: str
    subject_id: int
    signer: str
    nonce: int
    deadline: int
    signature: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class ClaimRequest(SponsorRequest):
    """`subject_id`: the legacy's; `signer`: the beneficiary. `assets`: tokens to claim, in the order signed."""

    assets: tuple[str, ...]
    is_eth: bool

    lane: ClassVar[RelayLane] = RelayLane.CLAIM


@dataclass(frozen=True, slots=True)
class CheckInRequest(SponsorRequest):
    """`subject_id`: the legacy's; `signer`: the owner."""

    lane: ClassVar[RelayLane] = RelayLane.CHECK_IN


@dataclass(frozen=True, slots=True)
class WithdrawRequest(SponsorRequest):
    """`subject_id`: the timelock's; `signer`: the recipient. `skip_swap`: pay the stored token, not ether. `pay_to`:
    the payee, known to version 2 only."""

    skip_swap: bool
    pay_to: str = THE_RECIPIENT

    lane: ClassVar[RelayLane] = RelayLane.GIFT_WITHDRAW


Request = ClaimRequest | CheckInRequest | WithdrawRequest


@dataclass(frozen=True, slots=True)
class SignedCall:
    """A request in one version of its router, with the signed digest and the router call."""

    request: Request
    version: str
    digest: bytes
    data: bytes = field(repr=False)


def build_call(request: Request, domain: TypedDataDomain) -> SignedCall:
    """Return the digest and the call of a request in its router's domain.

    Raises `RouterVersionUnsupported` for an unknown version, and `PayToUnsupported` where it pays the recipient only.
    """
    known = TIMELOCK_VERSIONS if isinstance(request, WithdrawRequest) else LEGACY_VERSIONS
    if domain.version not in known:
        detail = "The router was upgraded, and what is signed for it now is not known here: nothing is relayed. "
        raise RouterVersionUnsupported(detail + SELF_PAID)
    if domain.version not in list_versions(request):
        fault = FieldFault("/payTo", "needs version 2 of the router: leave it out, and the recipient is paid")
        raise PayToUnsupported("The router of this chain pays the recipient only.", [fault])
    digest = compute_digest(request, domain)
    return SignedCall(request, domain.version, digest, encode_call(request, digest, domain.version))


def list_versions(request: Request) -> tuple[str, ...]:
    """Return the versions of a router's domain in which this request can be signed."""
    if not isinstance(request, WithdrawRequest):
        return LEGACY_VERSIONS
    return TIMELOCK_VERSIONS if request.pay_to == THE_RECIPIENT else (PAYEE_VERSION,)


def compute_digest(request: Request, domain: TypedDataDomain) -> bytes:
    """Return the EIP-712 digest of the request in its router's domain."""
    types: Types = MESSAGE_TYPES
    subject = request.subject_id
    message: dict[str, object] = {"nonce": request.nonce, "deadline": request.deadline}
    match request:
        case ClaimRequest():
            assets_hash = keccak(b"".join(map(encode_address, request.assets)))
            name, signed = "ClaimAuth", {"beneficiary": request.signer, "legacyId": subject, "assetsHash": assets_hash}
            message["isETH"] = request.is_eth
        case CheckInRequest():
            name, signed = "CheckInAuth", {"owner": request.signer, "legacyId": subject}
        case WithdrawRequest():
            name, signed = "WithdrawAuth", {"recipient": request.signer, "timelockId": subject}
            message["skipSwap"] = request.skip_swap
            if domain.version == PAYEE_VERSION:
                types, message["payTo"] = WITHDRAW_TO_TYPES, request.pay_to
    return typed_data_digest(domain, name, types, message | signed)


def encode_call(request: Request, digest: bytes, version: str) -> bytes:
    """Return the router call. A plain signature with v 0 or 1 gets 27 or 28: contracts accept no other."""
    signature = request.signature
    if signature[64:] in (b"\0", b"\1") and recover_signer(digest, signature) == request.signer:
        signature = signature[:64] + bytes([signature[64] + 27])
    auth = (request.signer, request.nonce, request.deadline, signature)
    match request:
        case ClaimRequest():
            return _CLAIM + encode(_CLAIM_TYPES, (request.subject_id, request.assets, request.is_eth, auth))
        case CheckInRequest():
            data = encode(("uint256", _AUTH), (request.subject_id, auth))
            return find_selector("TransferEOALegacyRouter", "activeAliveFor") + data
        case WithdrawRequest():
            names_payee = version == PAYEE_VERSION
            kinds = ("uint256", "bool", "(address,address,uint256,uint256,bytes)" if names_payee else _AUTH)
            given = (request.signer, request.pay_to, *auth[1:]) if names_payee else auth
            data = encode(kinds, (request.subject_id, request.skip_swap, given))
            return find_selector("TimeLockRouter", f"withdrawFor({','.join(kinds)})") + data


def decode_claim(call: bytes) -> tuple[int, tuple[str, ...], bool, str, int] | None:
    """Return legacy id, tokens, whether ether is claimed, beneficiary and nonce of a claim; None for another call.

    Compare calls by these values: one signature fits several encodings, and a front-runner may choose another.
    """
    if call[:4] != _CLAIM:
        return None
    try:
        legacy_id, assets, is_eth, (beneficiary, nonce, *_) = decode(_CLAIM_TYPES, call[4:], strict=False)
    except (DecodingError, OverflowError):
        return None
    return legacy_id, assets, is_eth, beneficiary, nonce
