"""Factory of our wallets: admission and reconciler of each, from the settings."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.errors import Misconfigured, NotConfigured
from reminder_worker.outbox.alerts import AlertOutbox
from reminder_worker.privacy.vault import Vault
from reminder_worker.relay.admission import RelayAdmission
from reminder_worker.relay.models import WalletCaps
from reminder_worker.relay.operator import OperatorActions, PayingWallet
from reminder_worker.relay.reconciler import RelayReconciler
from reminder_worker.relay.wallet import RELAYED_CHAINS, make_signer
from reminder_worker.settings import AutoRenewSettings, RelaySettings, Settings

log = structlog.get_logger(__name__)

RELAYER: Final = "relayer"
ATTESTOR: Final = "attestor"
LOW_BALANCE_RENEWALS: Final = 50  # an attestor's balance that pays for fewer is low
RENEWALS_OF_AN_OWNER: Final = 20  # a day: an owner of hundreds of legacies leaves the caps to the others


@dataclass(frozen=True, slots=True)
class RelayWallets:
    """Configured wallets with a good key, by role: `RELAYER` and `ATTESTOR`."""

    admissions: Mapping[str, RelayAdmission]
    reconcilers: Mapping[str, RelayReconciler]
    actions: Mapping[str, OperatorActions]

    def find_actions(self, address: str) -> OperatorActions:
        """Return an operator's actions on a wallet. Raises `NotConfigured` if its key is not in use here."""
        for role, admission in self.admissions.items():
            if admission.signer.address == address:
                return self.actions[role]
        raise NotConfigured("the key of this request's wallet is not configured: see RELAYER_KEY, ATTESTOR_KEY")

    @property
    def paying_wallets(self) -> list[PayingWallet]:
        return [
            PayingWallet(role, admission.signer.address, admission.caps.daily_wei, admission.caps.daily_count)
            for role, admission in self.admissions.items()
        ]


def relays_on(settings: Settings, chain_id: int) -> bool:
    """Return whether requests are relayed on the chain: not on rollups, whose transactions cost more than their gas."""
    return settings.is_local or chain_id in RELAYED_CHAINS


def make_relay_wallets(
    engine: AsyncEngine, vault: Vault, chains: Mapping[int, Chain], alerts: AlertOutbox, settings: Settings
) -> RelayWallets:
    """Build the wallets. A bad key turns its wallet off and is shown by `doctor`; reminders go on."""
    admissions: dict[str, RelayAdmission] = {}
    reconcilers: dict[str, RelayReconciler] = {}
    actions: dict[str, OperatorActions] = {}
    for role, group, low_balance in (
        (RELAYER, settings.relay, settings.relay.low_balance_relays if settings.relay else 0),
        (ATTESTOR, settings.auto_renew, LOW_BALANCE_RENEWALS),
    ):
        if group is None:
            continue
        try:
            signer = make_signer(group.key, group.key_password)
            if signer.address in (other.signer.address for other in admissions.values()):
                raise Misconfigured("the attestor needs another wallet than the relayer")
        except Misconfigured as error:
            log.error("wallet_off", wallet=role, reason=str(error))
            continue
        dry_run = isinstance(group, AutoRenewSettings) and group.dry_run  # requests of before it are not sent either
        admission = RelayAdmission(
            engine, vault, chains, signer, make_caps(group), any_chain=settings.is_local, starts=not dry_run
        )
        admissions[role] = admission
        reconcilers[role] = RelayReconciler(engine, vault, chains, admission, alerts, low_balance)
        actions[role] = OperatorActions(engine, admission.wallet, reconcilers[role])
    return RelayWallets(admissions, reconcilers, actions)


def make_caps(group: RelaySettings | AutoRenewSettings) -> WalletCaps:
    caps = WalletCaps(group.daily_wei_cap, group.daily_count_cap, group.gas_price_ceiling_wei)
    if isinstance(group, AutoRenewSettings):
        return replace(caps, per_creator=RENEWALS_OF_AN_OWNER)
    return replace(
        caps,
        per_legacy=group.per_legacy,
        per_gift=group.per_gift,
        per_signer=group.per_signer,
        per_creator=group.per_creator,
    )
