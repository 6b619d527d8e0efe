"""EIP-712 authorizations of the two routers, signed the way a wallet signs them."""

from typing import Any

from eth_account.messages import encode_typed_data
from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak

from devnet.steps import NOBODY, DemoSteps

# Tuples in the order of the auth structs: signer, nonce, deadline, signature; in a withdrawal of version 2 who is paid
# comes after the signer.
Auth = tuple[Any, ...]

CLAIM = ("beneficiary:address", "legacyId:uint256", "assetsHash:bytes32", "isETH:bool")
CHECK_IN = ("owner:address", "legacyId:uint256")
WITHDRAW = ("recipient:address", "timelockId:uint256", "skipSwap:bool")
WITHDRAW_TO = ("recipient:address", "payTo:address", "timelockId:uint256", "skipSwap:bool")  # version 2
NONCE_AND_DEADLINE = ("nonce:uint256", "deadline:uint256")


class LocalSponsorship(DemoSteps):
    """`signer` holds the key; `on_behalf_of` is the contract wallet it signs for, else the signer itself."""

    def claim_auth(
        self,
        signer: LocalAccount,
        legacy_id: int,
        assets: list[str],
        *,
        is_eth: bool = False,
        on_behalf_of: str | None = None,
        **terms: Any,
    ) -> Auth:
        words = b"".join(bytes.fromhex(asset[2:]).rjust(32, b"\0") for asset in assets)
        router = self.deployment.transfer_eoa_legacy_router
        values = (on_behalf_of or signer.address, legacy_id, keccak(words), is_eth)
        return self._authorize(signer, router, "ClaimAuth", CLAIM, values, **terms)

    def check_in_auth(
        self, owner: LocalAccount, legacy_id: int, *, on_behalf_of: str | None = None, **terms: Any
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
        pay_to: str = NOBODY,
        version: str | None = None,
        **terms: int,
    ) -> Auth:
        """For the router's own version unless told; only a `version` 2 knows `pay_to`."""
        router, signer = self.deployment.time_lock_router, on_behalf_of or recipient.address
        version = version or self.router_version(router)
        if version != "2":
            values: tuple[Any, ...] = (signer, timelock_id, skip_swap)
            return self._authorize(recipient, router, "WithdrawAuth", WITHDRAW, values, version=version, **terms)
        values = (signer, pay_to, timelock_id, skip_swap)
        auth = self._authorize(recipient, router, "WithdrawAuth", WITHDRAW_TO, values, version=version, **terms)
        return (signer, pay_to, *auth[1:])

    def become_version(self, router: str, version: str) -> None:
        """As by an upgrade of the router, or by one that is taken back."""
        self.write_as_deployer("Sponsored", router, "becomeVersion", version)

    def router_version(self, router: str) -> str:
        version: str = self.read("Sponsored", router, "eip712Domain")[2]
        return version

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
        version: str | None = None,
    ) -> Auth:
        """`nonce` is the router's current one and `deadline` half an hour from the head block when not given."""
        named = [field.split(":") for field in (*fields, *NONCE_AND_DEADLINE)]
        if nonce is None:
            nonce = self.sponsor_nonce(router, values[0])
        if deadline is None:
            deadline = self.anvil.now() + 1800
        message = dict(zip((name for name, _ in named), (*values, nonce, deadline), strict=True))
        types = {primary_type: [{"name": name, "type": kind} for name, kind in named]}
        _, name, its_version, chain_id, contract, _, _ = self.read("Sponsored", router, "eip712Domain")
        domain = {"name": name, "version": version or its_version, "chainId": chain_id, "verifyingContract": contract}
        signed = signer.sign_message(encode_typed_data(domain, types, message))
        return (values[0], nonce, deadline, bytes(signed.signature))
