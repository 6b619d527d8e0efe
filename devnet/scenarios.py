"""Plainly named steps on a local chain, for the tests and the demo.

Each step sends one or a few real transactions, waits until they are mined and raises `chain.Reverted` with the
decoded reason when they fail. Addresses handed out are lower case; times are seconds, amounts base units.
"""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

from eth_account.signers.local import LocalAccount

from devnet.chain import GAS_LIMIT
from devnet.deploy import CUSTOM_PLAN, DAY, STANDARD_PLAN, YEAR
from devnet.gifts import GiftSteps
from devnet.hostile import HostileSteps
from devnet.safes import SAFE_ROUTER, SafeSteps
from devnet.sponsorship import Auth
from devnet.steps import NOBODY, Legacy
from devnet.upgrades import UpgradeSteps

__all__ = ["DAY", "Legacy", "LegacyMode", "Scenario"]

LEGACY = "TransferEOALegacy"
ROUTER = "TransferEOALegacyRouter"
BULK = 2_000
BULK_GAS = 2_000_000_000


class LegacyMode(IntEnum):
    """How a RevertingLegacy answers."""

    WELL = 0
    REVERTS = 1
    BURNS_GAS = 2


class Scenario(SafeSteps, GiftSteps, HostileSteps, UpgradeSteps):
    """All steps on one chain with one deployment."""

    # --- Premium

    def subscribe_premium(self, owner: LocalAccount, seconds: int = YEAR) -> str:
        """Pay for Premium with ETH; longer or shorter than a year by a plan of its own. Reverts while Premium runs."""
        registry, plan = self.deployment.premium_registry, STANDARD_PLAN
        if seconds != YEAR:
            plan = CUSTOM_PLAN
            self.write_as_deployer("PremiumRegistry", registry, "setPlan", plan, seconds, 10**6)
        price = self.read("PremiumRegistry", registry, "priceInWei", plan)
        return self.write(owner, "PremiumRegistry", registry, "subscribeByETH", plan, value=price)

    def ensure_premium(self, owner: LocalAccount, seconds: int = YEAR) -> None:
        """Pay for Premium, except while it runs: then the contract takes no payment."""
        if not self.read("PremiumSetting", self.deployment.premium_setting, "isPremium", owner.address):
            self.subscribe_premium(owner, seconds)

    def end_premium(self, owner: str) -> str:
        return self.write_as_deployer("PremiumSetting", self.deployment.premium_setting, "resetPremium", owner)

    def set_time_ahead(self, owner: LocalAccount, seconds: int) -> str:
        return self.write(owner, "PremiumSetting", self.deployment.premium_setting, "setTimeAhead", seconds)

    def configure_reminders(
        self,
        owner: LocalAccount,
        legacy: Legacy,
        beneficiaries: Sequence[str] | None = None,
        second_line: str | None = None,
        third_line: str | None = None,
        cosigners: Sequence[str] = (),
    ) -> str:
        """Name who is to be reminded; everybody of the legacy when no beneficiaries are given."""
        if beneficiaries is None:
            beneficiaries, second_line, third_line = self.read(LEGACY, legacy.address, "getLegacyBeneficiaries")
        lines = (second_line or NOBODY, third_line or NOBODY)
        return self.write(
            owner,
            "PremiumSetting",
            self.deployment.premium_setting,
            "setReminderConfig",
            legacy.address,
            cosigners,
            beneficiaries,
            *lines,
        )

    def tell_as_before(self, email: str, name: str) -> str:
        """From now on PremiumSetting's events are as on mainnet before 2026-06-02, with this email and this name for
        everybody; until `tell_as_today`."""
        return self._tell(True, email, name)

    def tell_as_today(self) -> str:
        return self._tell(False, "", "")

    def _tell(self, as_before: bool, email: str, name: str) -> str:
        setting = self.deployment.premium_setting
        return self.write_as_deployer("PremiumSetting", setting, "tellAsBefore", as_before, email, name)

    def due_windows(self, legacies: Sequence[Legacy]) -> list[list[int]]:
        """Return PremiumReminderView's windows at the head block, for each legacy."""
        view = self.deployment.premium_reminder_view
        answer = self.read("PremiumReminderView", view, "dueRemindersBatch", [item.address for item in legacies])
        return [list(windows) for windows in answer]

    # --- legacies of plain accounts

    def create_legacy(
        self,
        owner: LocalAccount,
        beneficiaries: Mapping[str, int],
        *,
        inactivity: int = 180 * DAY,
        second_line: str | None = None,
        delay2: int | None = None,
        third_line: str | None = None,
        delay3: int | None = None,
        name: str = "",
        code: str | None = None,
    ) -> Legacy:
        """`beneficiaries` maps address to percent, 100 in sum. A delay of a line that is there is 30 days unless
        given. `code` makes a genuine legacy run another implementation."""
        main = _main(beneficiaries, name)
        extra = (inactivity, _delay(second_line, delay2), _delay(third_line, delay3))
        router, lines = self.deployment.transfer_eoa_legacy_router, (second_line or NOBODY, third_line or NOBODY)
        if code is None:
            sent = self.write(owner, ROUTER, router, "createLegacy", main, extra, *lines)
        else:
            sent = self.write(owner, ROUTER, router, "createLegacyFrom", code, owner.address, main, extra, *lines)
        return self._created(sent)[0]

    def create_reverting_legacy(self, owner: LocalAccount, beneficiaries: Mapping[str, int], **terms: Any) -> Legacy:
        """Genuine and well behaved until `set_mode` says otherwise."""
        return self.create_legacy(owner, beneficiaries, code=self.deployment.reverting_legacy_code, **terms)

    def set_mode(self, legacy: Legacy, mode: LegacyMode) -> str:
        return self.write_as_deployer("RevertingLegacy", legacy.address, "setMode", mode)

    def set_pull_vault(self, vault: str) -> str:
        """Set the pull vault of future legacies."""
        return self.write_as_deployer(ROUTER, self.deployment.transfer_eoa_legacy_router, "setPullVault", vault)

    def create_old_legacy(self, owner: LocalAccount, beneficiaries: Mapping[str, int]) -> Legacy:
        """Create a genuine legacy of an old build: triggers (0, 0, 0), and no getter of its vault."""
        return self.create_legacy(owner, beneficiaries, code=self.deployment.old_legacy_code)

    def create_legacy_before_v2(
        self,
        owner: LocalAccount,
        beneficiaries: Mapping[str, int],
        *,
        first_build: bool = False,
        inactivity: int = 180 * DAY,
        texts: Sequence[str] = ("", "", ""),
        code: str = NOBODY,
    ) -> Legacy:
        """Announced as on mainnet before 2026-07-27, with `texts` (name, note, everybody's nick name) in the event; by
        the first build the id is no topic."""
        name, note, nick_name = texts
        main = (name, note, [nick_name] * len(beneficiaries), list(beneficiaries.items()))
        router = self.deployment.transfer_eoa_legacy_router
        terms = (first_build, code, main, (inactivity, 0, 0))
        sent = self.write(owner, ROUTER, router, "createLegacyBeforeV2", *terms)
        (log,) = self.events(sent, ROUTER, "TransferEOALegacyCreated")
        words = [*log["topics"][1:], *(log["data"][place : place + 64] for place in range(2, 2 + 2 * 64, 64))]
        return Legacy("0x" + words[1][-40:], int(words[0], 16), router)

    def deploy_fake_legacy(self, attacker: LocalAccount, legacy_id: int, victims: Sequence[str]) -> Legacy:
        """Claims to be legacy `legacy_id` of the true router with the attacker as creator; the registry disagrees."""
        router = self.deployment.transfer_eoa_legacy_router
        data = self.contracts["FakeLegacy"].deployment(router, legacy_id, list(victims))
        receipt = self.anvil.receipt(self.send(attacker, None, data))
        return Legacy(receipt["contractAddress"].lower(), legacy_id, router)

    def bulk_create(
        self,
        owner: LocalAccount,
        count: int,
        beneficiaries: Mapping[str, int],
        *,
        inactivity: int = 180 * DAY,
        configure: bool = True,
    ) -> list[Legacy]:
        """Many equal legacies of one owner, with reminders of their beneficiaries configured; 20,000 take seconds."""
        main, extra = _main(beneficiaries, ""), (inactivity, 0, 0)
        created: list[Legacy] = []
        router, premium = self.deployment.transfer_eoa_legacy_router, self.deployment.premium_setting
        users: tuple[Any, ...] = ([], list(beneficiaries), NOBODY, NOBODY)
        # anvil keeps the state of every block: a few large blocks are quicker and smaller than many.
        self.anvil.rpc("evm_setBlockGasLimit", hex(2 * BULK_GAS))
        while len(created) < count:
            size = min(BULK, count - len(created))
            terms_of_all = (size, owner.address, main, extra, NOBODY, NOBODY)
            fresh = self._created(self.write_as_deployer(ROUTER, router, "bulkCreate", *terms_of_all, gas=BULK_GAS))
            if configure:
                addresses = [item.address for item in fresh]
                self.write_as_deployer("PremiumSetting", premium, "bulkConfigure", addresses, *users, gas=BULK_GAS)
            created += fresh
        self.anvil.rpc("evm_setBlockGasLimit", hex(GAS_LIMIT))
        return created

    def clear_reminders(self, owner: LocalAccount, legacy: Legacy) -> str:
        setting = self.deployment.premium_setting
        return self.write(owner, "PremiumSetting", setting, "clearLegacyConfig", [legacy.address])

    def check_in(self, owner: LocalAccount, legacy: Legacy) -> str:
        return self.write(owner, ROUTER, legacy.router, "activeAlive", legacy.id)

    def check_in_for(self, relayer: LocalAccount, legacy: Legacy, auth: Auth) -> str:
        return self.write(relayer, ROUTER, legacy.router, "activeAliveFor", legacy.id, auth)

    def claim(
        self,
        beneficiary: LocalAccount,
        legacy: Legacy,
        assets: Sequence[str] = (),
        *,
        is_eth: bool = False,
        unswap: bool = False,
    ) -> str:
        function = "activeLegacyWithUnswap" if unswap else "activeLegacy"
        return self.write(beneficiary, ROUTER, legacy.router, function, legacy.id, list(assets), is_eth)

    def claim_for(
        self, relayer: LocalAccount, legacy: Legacy, assets: Sequence[str], auth: Auth, *, is_eth: bool = False
    ) -> str:
        arguments = (legacy.id, list(assets), is_eth, auth)
        return self.write(relayer, ROUTER, legacy.router, "activeLegacyFor", *arguments)

    def claim_two_layers_in_one_transaction(
        self, first: LocalAccount, second: LocalAccount, legacy: Legacy, assets: Sequence[str] = ()
    ) -> str:
        """Claim for two beneficiaries of two open lines, in a single transaction of a third party."""
        auths = [self.claim_auth(signer, legacy.id, list(assets)) for signer in (first, second)]
        return self.write(
            self.account("relayer"),
            "TwoLayerClaimer",
            self.deployment.two_layer_claimer,
            "claimTwo",
            legacy.router,
            legacy.id,
            list(assets),
            False,
            *auths,
        )

    def delete_legacy(self, owner: LocalAccount, legacy: Legacy) -> str:
        contract = ROUTER if legacy.guard is None else SAFE_ROUTER
        return self.write(owner, contract, legacy.router, "deleteLegacy", legacy.id)

    def edit_distribution(
        self, owner: LocalAccount, legacy: Legacy, beneficiaries: Mapping[str, int], *, sync: bool = True
    ) -> str:
        """Replace line 1. Without `sync` PremiumSetting does not say that its configured set changed."""
        function = "setLegacyDistributions" if sync else "setLegacyDistributionsUnsynced"
        main = _main(beneficiaries, "")
        return self.write(owner, ROUTER, legacy.router, function, legacy.id, main[2], main[3])

    def edit_line(self, owner: LocalAccount, legacy: Legacy, layer: int, user: str | None) -> str:
        """Replace or remove (None) the second or third line."""
        share = (user or NOBODY, 100)
        return self.write(owner, ROUTER, legacy.router, "setLayer23Distribution", legacy.id, layer, "", share)

    def edit_trigger(self, owner: LocalAccount, legacy: Legacy, inactivity: int) -> str:
        contract = ROUTER if legacy.guard is None else SAFE_ROUTER
        return self.write(owner, contract, legacy.router, "setActivationTrigger", legacy.id, inactivity)

    def edit_config(
        self,
        owner: LocalAccount,
        legacy: Legacy,
        beneficiaries: Mapping[str, int],
        *,
        inactivity: int,
        name: str = "",
    ) -> str:
        arguments = (legacy.id, _main(beneficiaries, name), (inactivity, 0, 0))
        return self.write(owner, ROUTER, legacy.router, "setLegacyConfig", *arguments)

    def set_empties_on_claim(self, owner: LocalAccount, legacy: Legacy) -> str:
        """From now on the first claim ends the legacy and leaves no beneficiary on chain."""
        return self.write(owner, ROUTER, legacy.router, "setEmptiesOnClaim", legacy.id, True)

    def disable_sponsored_claims(self, owner: LocalAccount, legacy: Legacy, disabled: bool = True) -> str:
        return self.write(owner, ROUTER, legacy.router, "setSponsoredClaimsDisabled", legacy.id, disabled)

    def set_auto_renew(self, owner: LocalAccount, legacy: Legacy, enabled: bool = True) -> str:
        return self.write(owner, ROUTER, legacy.router, "setAutoRenew", legacy.id, enabled)

    def record_activity(self, legacy: Legacy, observed_nonce: int) -> str:
        """Record activity as the default attestor of `deploy`."""
        return self.write(self.account("attestor"), ROUTER, legacy.router, "recordActivity", legacy.id, observed_nonce)

    def _created(self, transaction_hash: str) -> list[Legacy]:
        router = self.deployment.transfer_eoa_legacy_router
        logs = self.events(transaction_hash, ROUTER, "TransferEOALegacyCreatedV2")
        return [Legacy("0x" + log["topics"][2][-40:], int(log["topics"][1], 16), router) for log in logs]


def _main(beneficiaries: Mapping[str, int], name: str) -> tuple[str, str, list[str], list[tuple[str, int]]]:
    """Name, note, nick names and distributions, as the routers take them."""
    return (name, "", ["" for _ in beneficiaries], list(beneficiaries.items()))


def _delay(user: str | None, delay: int | None) -> int:
    if delay is not None:
        return delay
    return 30 * DAY if user else 0
