"""EIP-712 authorizations of the two routers, signed the way a wallet signs them."""

from typing import Any

from eth_account.messages import encode_typed_data
from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak

from devnet.steps import Steps

# Tuples in the order of the auth structs: signer, nonce, deadline, signature.
Auth = tuple[str, int, int, bytes]

CLAIM = ("beneficiary:address", "legacyId:uint256", "assetsHash:bytes32", "isETH:bool")
CHECK_IN = ("owner:address", "legacyId:uint256")
WITHDRAW = ("recipient:address", "timelockId:uint256", "skipSwap:bool")
NONCE_AND_DEADLINE = ("nonce:uint256", "deadline:uint256")


class Sponsorship(Steps):
    """`signer` holds the key; `on_behalf_of` is the contract wallet it signs for, else the signer itself."""

    def claim_auth(
        self,
        signer: LocalAccount,
        legacy_id: int,
        assets: list[str],
        *,
        is_eth: bool = False,
        on_behalf_of: str | None = None,
        **terms: int,
    ) -> Auth:
        words = b"".join(bytes.fromhex(asset[2:]).rjust(32, b"\0") for asset in assets)
        router = self.deployment.transfer_eoa_legacy_router
        values = (on_behalf_of or signer.address, legacy_id, keccak(words), is_eth)
        return self._authorize(signer, router, "ClaimAuth", CLAIM, values, **terms)

    def check_in_auth(
        self, owner: LocalAccount, legacy_id: int, *, on_behalf_of: str | None = None, **terms: int
    ) -> Auth:
        router = self.deployment.transfer_eoa_legacy_router
        values = (on_behalf_of or owner.address, legacy_id)
        return self._authorize(owner, router, "CheckInAuth", CHECK_IN, values, **terms)

    def withdraw_auth(
        self,
        recipient: LocalAccount,
        timelock_id: int,
        *,
        skip_swap: bool = False,
        on_behalf_of: str | None = None,
        **terms: int,
    ) -> Auth:
        values = (on_behalf_of or recipient.address, timelock_id, skip_swap)
        return self._authorize(recipient, self.deployment.time_lock_router, "WithdrawAuth", WITHDRAW, values, **terms)

    def sponsor_nonce(self, router: str, signer: str) -> int:
        nonce: int = self.read("Sponsored", router, "sponsorNonce", signer)
        return nonce

    def _authorize(
        self,
        signer: LocalAccount,
        router: str,
        primary_type: str,
        fields: tuple[str, ...],
        values: tuple[Any, ...],
        nonce: int | None = None,
        deadline: int | None = None,
    ) -> Auth:
        """`nonce` is the router's current one and `deadline` half an hour from the head block when not given."""
        named = [field.split(":") for field in (*fields, *NONCE_AND_DEADLINE)]
        if nonce is None:
            nonce = self.sponsor_nonce(router, values[0])
        if deadline is None:
            deadline = self.anvil.now() + 1800
        message = dict(zip((name for name, _ in named), (*values, nonce, deadline), strict=True))
        types = {primary_type: [{"name": name, "type": kind} for name, kind in named]}
        _, name, version, chain_id, contract, _, _ = self.read("Sponsored", router, "eip712Domain")
        domain = {"name": name, "version": version, "chainId": chain_id, "verifyingContract": contract}
        signed = signer.sign_message(encode_typed_data(domain, types, message))
        return (values[0], nonce, deadline, bytes(signed.signature))
