"""Who signed: EIP-712 digests, ECDSA of plain accounts, ERC-1271 of those with code (Safe, EIP-7702, smart wallets)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from coincurve import PublicKey
from eth_utils.crypto import keccak

from reminder_worker.chain.abi import selector
from reminder_worker.chain.agreement import agreed
from reminder_worker.chain.client import Chain
from reminder_worker.chain.values import Call, Reverted
from reminder_worker.chain.words import WORD, address_word, word
from reminder_worker.errors import SignerMismatch

ERC1271_MAGIC: Final = selector("ERC1271", "isValidSignature")  # also the answer that means yes
_HALF_ORDER: Final = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0  # secp256k1, EIP-2
_DOMAIN_FIELDS: Final = {"name": "string", "version": "string", "chainId": "uint256", "verifyingContract": "address"}

Types = Mapping[str, Sequence[Mapping[str, str]]]


@dataclass(frozen=True, slots=True)
class Domain:
    """EIP-712 domain; without `verifying_contract` the field is absent from the domain's type."""

    name: str
    version: str
    chain_id: int
    verifying_contract: str | None = None


def typed_data_digest(domain: Domain, primary_type: str, types: Types, message: Mapping[str, object]) -> bytes:
    """EIP-712 digest. `types` as in eth_signTypedData: name to `[{"name", "type"}, ...]`, without EIP712Domain.

    Fields: address (hex), uintN, bool, bytes32 (bytes or hex), string, bytes. Raises `ValueError` for a value that
    does not fit its type, `KeyError` for a missing one.
    """
    fields = tuple((field["name"], field["type"]) for field in types[primary_type])
    return keccak(b"\x19\x01" + _domain_separator(domain) + _hash_struct(primary_type, fields, message))


@lru_cache(maxsize=256)
def _type_hash(name: str, fields: tuple[tuple[str, str], ...]) -> bytes:
    return keccak(text=f"{name}({','.join(f'{kind} {field}' for field, kind in fields)})")


@lru_cache(maxsize=256)
def _domain_separator(domain: Domain) -> bytes:
    values: dict[str, object] = {"name": domain.name, "version": domain.version, "chainId": domain.chain_id}
    if domain.verifying_contract is not None:
        values["verifyingContract"] = domain.verifying_contract
    return _hash_struct("EIP712Domain", tuple((name, _DOMAIN_FIELDS[name]) for name in values), values)


def _hash_struct(name: str, fields: tuple[tuple[str, str], ...], message: Mapping[str, object]) -> bytes:
    return keccak(_type_hash(name, fields) + b"".join(_encode(kind, message[field]) for field, kind in fields))


def _encode(kind: str, value: object) -> bytes:
    match kind, value:
        case "string", str():
            return keccak(text=value)
        case "bytes", bytes():
            return keccak(value)
        case "bool", bool():
            return word(value)
        case "address", str() if len(value) == 42:
            return address_word(value)
        case "bytes32", bytes() if len(value) == WORD:
            return value
        case "bytes32", str() if len(value) == 66:
            return bytes.fromhex(value.removeprefix("0x"))
        case _, int() if kind.startswith("uint") and 0 <= value < 1 << int(kind[4:] or 256):
            return word(value)
    raise ValueError(f"not a value of type {kind}")


def recover(digest: bytes, signature: bytes) -> str | None:
    """The plain account that made this 65-byte r, s, v signature (v 27, 28, 0 or 1), or None. High s is refused."""
    if len(signature) != 65:
        return None
    v = signature[64] - 27 if signature[64] >= 27 else signature[64]
    if v not in (0, 1) or int.from_bytes(signature[32:64], "big") > _HALF_ORDER:
        return None
    try:
        key = PublicKey.from_signature_and_message(signature[:64] + bytes([v]), digest, hasher=None)
    except ValueError:
        return None
    return "0x" + keccak(key.format(compressed=False)[1:])[-20:].hex()


class Signatures:
    """Checks signatures against one chain."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain

    async def verify(self, digest: bytes, signature: bytes, signer: str) -> None:
        """Raises `SignerMismatch`, or `ChainUnavailable` when the chain cannot be read.

        Code at the signer's address decides: with code only ERC-1271 counts, also when the key's own signature fits.
        """
        if not await self.is_signed(digest, signature, signer):
            raise SignerMismatch("This is not signed by the account that it names.")

    async def is_signed(self, digest: bytes, signature: bytes, signer: str) -> bool:
        """As `verify`. What a contract says is an endpoint's word, with which it could sign for anybody: of two."""
        signer = signer.lower()
        (code,) = await self._chain.codes([signer])
        if not code:
            return recover(digest, signature) == signer
        return await agreed(self._chain, lambda chain: _contract_agrees(chain, digest, signature, signer))


async def _contract_agrees(chain: Chain, digest: bytes, signature: bytes, signer: str) -> bool:
    """A stranger's code runs: its gas is bounded, and a revert or anything but the magic value means no."""
    padding = bytes(-len(signature) % WORD)
    data = ERC1271_MAGIC + digest + word(2 * WORD) + word(len(signature)) + signature + padding
    answer = await chain.call(Call(signer, data), gas=chain.settings.signature_gas)
    return not isinstance(answer, Reverted) and answer[:WORD] == ERC1271_MAGIC + bytes(28)
