"""The three authorizations a user signs: their EIP-712 messages, and the router calls that carry them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar, Final

from eth_abi.abi import encode
from eth_utils.crypto import keccak

from reminder_worker.chain.abi import selector
from reminder_worker.chain.signatures import Domain, recover, typed_data_digest
from reminder_worker.chain.words import address_word
from reminder_worker.relay.values import Lane

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
_AUTH: Final = "(address,uint256,uint256,bytes)"  # signer, nonce, deadline, signature: the same in all three calls


@dataclass(frozen=True, slots=True)
class SponsorRequest:
    """What all three share. Addresses are lower-case hex, `deadline` unix seconds by the chain's clock."""

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

    lane: ClassVar[Lane] = Lane.CLAIM


@dataclass(frozen=True, slots=True)
class CheckInRequest(SponsorRequest):
    """`subject_id`: the legacy's; `signer`: the owner."""

    lane: ClassVar[Lane] = Lane.CHECK_IN


@dataclass(frozen=True, slots=True)
class WithdrawRequest(SponsorRequest):
    """`subject_id`: the timelock's; `signer`: the recipient. `skip_swap`: the token it is kept in, not ether."""

    skip_swap: bool

    lane: ClassVar[Lane] = Lane.GIFT_WITHDRAW


Request = ClaimRequest | CheckInRequest | WithdrawRequest


def digest(request: Request, domain: Domain) -> bytes:
    """What was signed, in the router's own domain."""
    primary_type, message = _message(request)
    message |= {"nonce": request.nonce, "deadline": request.deadline}
    return typed_data_digest(domain, primary_type, MESSAGE_TYPES, message)


def call_data(request: Request, digest: bytes) -> bytes:
    """The router call. A plain signature with v 0 or 1 gets 27 or 28, which is all that contracts take."""
    signature = request.signature
    if signature[64:] in (b"\0", b"\1") and recover(digest, signature) == request.signer:
        signature = signature[:64] + bytes([signature[64] + 27])
    auth = (request.signer, request.nonce, request.deadline, signature)
    match request:
        case ClaimRequest():
            arguments = (request.subject_id, request.assets, request.is_eth, auth)
            types = ("uint256", "address[]", "bool", _AUTH)
            return selector("TransferEOALegacyRouter", "activeLegacyFor") + encode(types, arguments)
        case CheckInRequest():
            data = encode(("uint256", _AUTH), (request.subject_id, auth))
            return selector("TransferEOALegacyRouter", "activeAliveFor") + data
        case WithdrawRequest():
            data = encode(("uint256", "bool", _AUTH), (request.subject_id, request.skip_swap, auth))
            return selector("TimeLockRouter", "withdrawFor") + data


def _message(request: Request) -> tuple[str, dict[str, object]]:
    match request:
        case ClaimRequest():
            assets_hash = keccak(b"".join(map(address_word, request.assets)))
            return "ClaimAuth", {
                "beneficiary": request.signer,
                "legacyId": request.subject_id,
                "assetsHash": assets_hash,
                "isETH": request.is_eth,
            }
        case CheckInRequest():
            return "CheckInAuth", {"owner": request.signer, "legacyId": request.subject_id}
        case WithdrawRequest():
            return "WithdrawAuth", {
                "recipient": request.signer,
                "timelockId": request.subject_id,
                "skipSwap": request.skip_swap,
            }
