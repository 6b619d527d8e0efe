"""Signatures: EIP-712 digests, ECDSA of plain accounts, ERC-1271 of accounts with code (Safe, EIP-7702)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from eth_abi.abi import encode
from eth_keys.datatypes import Signature
from eth_keys.exceptions import BadSignature
from eth_utils.address import is_address
from eth_utils.crypto import keccak
from eth_utils.exceptions import ValidationError

from reminder_worker.chain.abi import find_selector
from reminder_worker.chain.abi_codec import WORD
from reminder_worker.chain.client import Chain
from reminder_worker.chain.types import NODE_POLICY, ContractCall, RevertedCall
from reminder_worker.errors import SignerMismatch

ERC1271_MAGIC: Final = find_selector("ERC1271", "isValidSignature")  # also the answer that means yes

DELEGATION: Final = bytes.fromhex("ef0100")  # EIP-7702: code of a delegated account, before the delegate's address

Types = Mapping[str, Sequence[Mapping[str, str]]]


class SignatureHint(StrEnum):
    """Problem of a wallet or its signature, in words for its owner."""

    NOT_DEPLOYED = (
        "It is not the signature of a key (65 bytes), and there is no contract at the account's address on this chain:"
        " a smart wallet that is not deployed cannot sign."
    )
    ENVELOPE = (
        "It is the envelope for a wallet that is not deployed (ERC-6492), but this wallet is deployed on this chain:"
        " let it sign again."
    )
    COMPACT = (
        "It is a compact signature of 64 bytes (EIP-2098), which the contracts do not take: send r, s and v, 65 bytes."
    )
    DELEGATED = (
        "The account's own key signed it, but the contract that the account is delegated to (EIP-7702) decides, and"
        " refuses it: sign as the contract asks, or end the delegation."
    )
    SILENT = (
        "The account's contract does not say whether it signed (ERC-1271): a Safe needs version 1.3.0 and its fallback"
        " handler, and no check may use more than {gas} gas."
    )


@dataclass(frozen=True, slots=True)
class SignatureVerdict:
    """Result of a check. `hint`: the wallet's problem after a refusal, if known.

    Endpoints need not agree on the hint: their errors for a failing call differ.
    """

    is_signed: bool
    hint: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class TypedDataDomain:
    """EIP-712 domain. Without `verifying_contract` its type lacks the field."""

    name: str
    version: str
    chain_id: int
    verifying_contract: str | None = None


def typed_data_digest(domain: TypedDataDomain, primary_type: str, types: Types, message: Mapping[str, object]) -> bytes:
    """Return the EIP-712 digest. `types` as in eth_signTypedData, without EIP712Domain.

    Fields: address (hex), uintN, bool, bytes32, string. Raises `ValueError` for a value that does not fit its type,
    `KeyError` for a missing one.
    """
    from reminder_worker.chain.accounts import encode_typed_data

    fields = list(types[primary_type])
    if not all(_fits(field["type"], message[field["name"]]) for field in fields):
        raise ValueError(f"{primary_type}: a value does not fit its type")
    parts: dict[str, object] = {"name": domain.name, "version": domain.version, "chainId": domain.chain_id}
    if domain.verifying_contract is not None:
        parts["verifyingContract"] = domain.verifying_contract
    signable = encode_typed_data(parts, {primary_type: fields}, dict(message))
    return keccak(b"\x19" + signable.version + signable.header + signable.body)


def _fits(kind: str, value: object) -> bool:
    """Return whether a value has its type: eth-account converts many a value, and shows a wrong one in its error."""
    match kind, value:
        case ("string", str()) | ("bool", bool()):
            return True
        case "address", str():
            return len(value) == 42 and is_address(value)
        case "bytes32", bytes():
            return len(value) == WORD
        case _, int() if kind.startswith("uint"):
            return not isinstance(value, bool) and 0 <= value < 1 << int(kind[4:])
    return False


def recover_signer(digest: bytes, signature: bytes) -> str | None:
    """Return the plain account of a 65-byte r, s, v signature (v 27, 28, 0 or 1), or None. High s is refused."""
    if len(signature) != 65:
        return None
    half_order = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0  # secp256k1, EIP-2
    v = signature[64] - 27 if signature[64] >= 27 else signature[64]
    if v not in (0, 1) or int.from_bytes(signature[32:64], "big") > half_order:
        return None
    try:
        key = Signature(signature[:64] + bytes([v])).recover_public_key_from_msg_hash(digest)
    except (BadSignature, ValidationError):  # the text of either may have parts of the signature
        return None
    return key.to_address()


def is_owned_by_key(code: bytes) -> bool:
    """Return True for the code of an account whose key decides: none, or a delegation that the key signed (EIP-7702).

    No contract can have such code: none may begin with 0xef (EIP-3541).
    """
    return not code or (len(code) == len(DELEGATION) + 20 and code.startswith(DELEGATION))


class SignatureVerifier:
    """Verifier of signatures against one chain."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain

    async def verify_signature(
        self, digest: bytes, signature: bytes, signer: str, *, caller: str | None = None
    ) -> None:
        """Raise `SignerMismatch`, or `ChainUnavailable` if the chain cannot be read.

        Code at the signer's address decides by ERC-1271. In a message of our own (`caller` None) the key of a delegated
        account counts, too. The contracts do not take it: `caller` is the contract for which the message is signed.
        A wallet may answer only some contracts.
        """
        verdict = await self.check_signature(digest, signature, signer, caller=caller)
        if not verdict.is_signed:
            raise SignerMismatch(f"The signature is not by the account in the message. {verdict.hint}".rstrip())

    async def check_signature(
        self, digest: bytes, signature: bytes, signer: str, *, caller: str | None = None
    ) -> SignatureVerdict:
        """Return the result of the check in `verify_signature`. Two endpoints must agree on a contract's answer."""
        signer = signer.lower()
        code = await self._chain.get_code(signer)
        is_by_key = recover_signer(digest, signature) == signer
        if not code:
            hints = {64: SignatureHint.COMPACT, 65: ""}
            return SignatureVerdict(is_by_key, hints.get(len(signature), SignatureHint.NOT_DEPLOYED))
        if caller is None and is_by_key and is_owned_by_key(code):
            return SignatureVerdict(True)
        found = await self._chain.agreed(lambda view: _ask_contract(view, digest, signature, signer, caller))
        if signature.endswith(bytes.fromhex("6492" * 16)):
            return SignatureVerdict(found.is_signed, SignatureHint.ENVELOPE)
        return SignatureVerdict(found.is_signed, SignatureHint.DELEGATED if is_by_key else found.hint)


async def _ask_contract(
    chain: Chain, digest: bytes, signature: bytes, signer: str, caller: str | None
) -> SignatureVerdict:
    """Ask the account's contract. Its gas is bounded; a revert or any value but the magic one means no."""
    gas = chain.settings.signature_gas
    data = ERC1271_MAGIC + encode(("bytes32", "bytes"), (digest, signature))
    answer = await chain.call(ContractCall(signer, data), gas=gas, sender=caller, most=NODE_POLICY.views_bytes)
    said = answer.data if isinstance(answer, RevertedCall) else answer
    is_signed = not isinstance(answer, RevertedCall) and answer[:WORD] == ERC1271_MAGIC + bytes(28)
    return SignatureVerdict(is_signed, "" if said else SignatureHint.SILENT.format(gas=gas))
