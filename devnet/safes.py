"""Steps with Safe wallets and Safe legacies."""

from collections.abc import Sequence

from eth_account.signers.local import LocalAccount

from devnet.deploy import DAY
from devnet.sponsorship import LocalSponsorship
from devnet.steps import Legacy

SAFE = "SafeStandIn"
SAFE_ROUTER = "MultisigLegacyRouter"
INACTIVITY = 180 * DAY


class SafeSteps(LocalSponsorship):
    def create_safe(self, owners: Sequence[LocalAccount]) -> str:
        """Deploy a Safe-like wallet; any of the owners may sign or execute."""
        return self.deploy(SAFE, [owner.address for owner in owners], 1)

    def execute_from_safe(self, owner: LocalAccount, safe: str, to: str, data: str = "0x", value: int = 0) -> str:
        """Any transaction of the Safe; with a guard installed it is activity of the Safe's legacy."""
        return self.write(owner, SAFE, safe, "execute", to, value, bytes.fromhex(data[2:]))

    def create_safe_legacy(
        self,
        creator: LocalAccount,
        safe: str,
        beneficiaries: Sequence[str],
        *,
        inactivity: int = INACTIVITY,
        name: str = "",
        guarded: bool = True,
    ) -> Legacy:
        """`creator` is an owner of the Safe. Not `guarded`: the Safe did not install the guard (yet)."""
        router = self.deployment.multisig_legacy_router
        main, extra = (name, "", ["" for _ in beneficiaries], list(beneficiaries)), (1, inactivity)
        self.write(creator, SAFE_ROUTER, router, "createLegacy", safe, main, extra)
        legacy_id: int = self.read(SAFE_ROUTER, router, "legacyCounter")
        address = self.read(SAFE_ROUTER, router, "legacyAddresses", legacy_id)
        guard = self.read("MultisigLegacy", address, "guard")
        legacy = Legacy(address, legacy_id, router, guard)
        self.execute_from_safe(creator, safe, safe, self.contracts[SAFE].encode("enableModule", address))
        if guarded:
            self.install_guard(creator, safe, legacy)
        return legacy

    def install_guard(self, owner: LocalAccount, safe: str, legacy: Legacy) -> str:
        return self.execute_from_safe(owner, safe, safe, self.contracts[SAFE].encode("setGuard", legacy.guard))

    def edit_safe_beneficiaries(self, creator: LocalAccount, legacy: Legacy, beneficiaries: Sequence[str]) -> str:
        arguments = (legacy.id, ["" for _ in beneficiaries], list(beneficiaries), 1)
        return self.write(creator, SAFE_ROUTER, legacy.router, "setLegacyBeneficiaries", *arguments)

    def activate_safe_legacy(self, beneficiary: LocalAccount, legacy: Legacy) -> str:
        """Makes the beneficiaries owners of the Safe, ends the legacy and empties its list."""
        return self.write(beneficiary, SAFE_ROUTER, legacy.router, "activeLegacy", legacy.id)
