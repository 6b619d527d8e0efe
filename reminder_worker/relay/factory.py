"""Factory of our wallets: admission and reconciler of each, from the settings. The pass that drives them all."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.database.queries import read_database_time
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


class RelayPass:
    """Pass `relay` of one chain: follows the requests of all wallets to their end.

    `was_read_lately` returns whether a run read the balances within the last hour.
    """

    def __init__(
        self,
        engine: AsyncEngine,
        chain_id: int,
        wallets: RelayWallets,
        settings: Settings,
        was_read_lately: Callable[[], Awaitable[bool]],
    ) -> None:
        self._engine = engine
        self._chain_id = chain_id
        self._wallets = wallets
        self._groups = {RELAYER: settings.relay, ATTESTOR: settings.auto_renew}
        self._was_read_lately = was_read_lately

    async def poll(self) -> bool:
        """Return whether a request is open, or the balances have not been read for an hour."""
        for reconciler in self._wallets.reconcilers.values():
            if await reconciler.poll(self._chain_id):
                return True
        self._check_keys()
        return not await self._was_read_lately()

    async def run(self) -> Mapping[str, Any]:
        """Reconcile all wallets at once; return a report by role. A slow or failing wallet does not block the others.

        Without open requests each key is tried: otherwise only the next request would find a broken key.
        """
        looked_at = int(await read_database_time(self._engine))  # the clock by which `was_read_lately` judges it
        done: dict[str, Any] = {"looked_at": datetime.fromtimestamp(looked_at, UTC).isoformat()}
        reconcilers = self._wallets.reconcilers
        runs = (each.run(self._chain_id) for each in reconcilers.values())
        found = await asyncio.gather(*runs, return_exceptions=True)
        for role, outcome in zip(reconcilers, found, strict=True):
            if isinstance(outcome, BaseException):
                raise outcome
            report = asdict(outcome)
            done[role] = {"balance_eth": report.pop("balance_wei") / 10**18, **report}
        self._check_keys()
        if not any(done[role]["open_slots"] or done[role]["waiting"] for role in reconcilers):
            await asyncio.gather(*(admission.signer.open() for admission in self._wallets.admissions.values()))
        return done

    def _check_keys(self) -> None:
        """Raises `Misconfigured` for a configured wallet with an unusable key: a pass that ignores it is no success."""
        configured = [role for role, group in self._groups.items() if group]
        unused = [role for role in configured if role not in self._wallets.reconcilers]
        if unused:
            raise Misconfigured(
                f"the key of the {' and of the '.join(unused)} cannot be used: `reminder-worker doctor`"
            )


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
