"""Steps with Safe wallets and Safe legacies."""

from collections.abc import Sequence

from eth_account.signers.local import LocalAccount

from devnet.deploy import DAY
from devnet.sponsorship import LocalSponsorship
from devnet.steps import NOBODY, Legacy

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
        self.enable_module(creator, safe, legacy)
        if guarded:
            self.install_guard(creator, safe, legacy)
        return legacy

    def install_guard(self, owner: LocalAccount, safe: str, legacy: Legacy) -> str:
        assert legacy.guard is not None
        return self.set_guard(owner, safe, legacy.guard)

    def set_guard(self, owner: LocalAccount, safe: str, guard: str) -> str:
        """Install any contract as the guard; the zero address removes the guard."""
        return self.execute_from_safe(owner, safe, safe, self.contracts[SAFE].encode("setGuard", guard))

    def enable_module(self, owner: LocalAccount, safe: str, legacy: Legacy) -> str:
        return self.execute_from_safe(owner, safe, safe, self.contracts[SAFE].encode("enableModule", legacy.address))

    def disable_module(self, owner: LocalAccount, safe: str, legacy: Legacy) -> str:
        """Afterwards no beneficiary can activate the legacy."""
        data = self.contracts[SAFE].encode("disableModule", NOBODY, legacy.address)
        return self.execute_from_safe(owner, safe, safe, data)

    def edit_safe_beneficiaries(self, creator: LocalAccount, legacy: Legacy, beneficiaries: Sequence[str]) -> str:
        arguments = (legacy.id, ["" for _ in beneficiaries], list(beneficiaries), 1)
        return self.write(creator, SAFE_ROUTER, legacy.router, "setLegacyBeneficiaries", *arguments)

    def activate_safe_legacy(self, beneficiary: LocalAccount, legacy: Legacy) -> str:
        """Makes the beneficiaries owners of the Safe, ends the legacy and empties its list."""
        return self.write(beneficiary, SAFE_ROUTER, legacy.router, "activeLegacy", legacy.id)
