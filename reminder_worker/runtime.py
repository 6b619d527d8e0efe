"""Construction of every part from the settings, and its end: the only place that knows all parts."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial

import aiohttp
import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker import __version__
from reminder_worker.auto_renew.budgets import find_ending_budgets
from reminder_worker.auto_renew.job import AutoRenew
from reminder_worker.chain.client import Chain
from reminder_worker.chain.types import MOST_GAS
from reminder_worker.database.engine import open_engine
from reminder_worker.database.installation import check_installation
from reminder_worker.database.migrate import schema_serves
from reminder_worker.declarations import FactScope
from reminder_worker.errors import Misconfigured
from reminder_worker.features import make_scope
from reminder_worker.gifts.claim_link import LinkRules
from reminder_worker.gifts.emails import GiftLedger, GiftMail
from reminder_worker.gifts.identity_provider import IdentityProvider
from reminder_worker.gifts.notifications import GiftNotifications
from reminder_worker.gifts.pages import GiftPages, GiftReader
from reminder_worker.gifts.wallets import GiftWallets
from reminder_worker.indexer.chain_index import ChainIndex
from reminder_worker.indexer.event_reader import IndexProgress
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.indexer.subgraph import SubgraphClient
from reminder_worker.monitoring.chain_summaries import ChainSummaries
from reminder_worker.monitoring.facts import was_reported_lately
from reminder_worker.monitoring.node_requests import store_requests
from reminder_worker.monitoring.retention import RetentionPass
from reminder_worker.monitoring.watchdog import HealthWatchdog
from reminder_worker.outbox.alerts import AlertOutbox
from reminder_worker.outbox.bounces import BounceReader
from reminder_worker.outbox.mail_client import MailClient
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.privacy.vault import Vault
from reminder_worker.quotas import QuotaCounters
from reminder_worker.relay.factory import ATTESTOR, RELAYER, RelayPass, RelayWallets, make_relay_wallets, relays_on
from reminder_worker.relay.intake import RelayIntake
from reminder_worker.relay.legacy_pages import LegacyPages
from reminder_worker.relay.operator import PayingWallet
from reminder_worker.reminders.due_windows import DuePass, ask_now
from reminder_worker.reminders.emails import ReminderLedger
from reminder_worker.reminders.instructions import InstructionMailer
from reminder_worker.reminders.planner import ReminderDispatch
from reminder_worker.reminders.recipients import RecipientStore
from reminder_worker.reminders.rehearsal import RehearsalStage
from reminder_worker.reminders.self_erasure import SelfErasure
from reminder_worker.reminders.signals import SignalPass
from reminder_worker.settings import ChainSettings, Settings
from reminder_worker.statistics.file_store import FileStore, open_files
from reminder_worker.statistics.job import StatisticsPass
from reminder_worker.statistics.price_job import PricePass
from reminder_worker.tracing import open_traces
from reminder_worker.upgrades.job import UpgradeWatch, upgrade_logs

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Runtime:
    """The parts, ready to use; by chain id where the chain matters.

    `mail`, `dispatch` and `bounces` are None without mail, `gift_pages` without gifts, `legacy_pages` without
    `LEGACY_PAGES`, `gift_mail` without one of both.
    `relay_passes` has the chains with relays, `auto_renew`, too, if the attestor's key can be used. `upgrades` has the
    chains with a timelock.
    `scope`: subject of the facts for operators. `quiet_until`: time of the next poll by pass and chain, in monotonic
    seconds.
    """

    settings: Settings
    engine: AsyncEngine
    vault: Vault
    hashes: KeyedHash
    quotas: QuotaCounters
    chains: Mapping[int, Chain]
    chain_indexes: Mapping[int, ChainIndex]
    indexers: Mapping[int, IndexerSelector]
    recipients: RecipientStore
    self_erasure: SelfErasure
    instructions: InstructionMailer
    rehearsals: RehearsalStage
    signal_passes: Mapping[int, SignalPass]
    due_passes: Mapping[int, DuePass]
    mail: MailClient | None
    dispatch: ReminderDispatch | None
    alerts: AlertOutbox
    relaying: RelayWallets
    relay_passes: Mapping[int, RelayPass]
    auto_renew: Mapping[int, AutoRenew]
    sponsor: RelayIntake
    gift_pages: GiftPages | None
    legacy_pages: LegacyPages | None
    gift_wallets: GiftWallets
    gift_notifications: GiftNotifications
    gift_mail: GiftMail | None
    bounces: BounceReader | None
    retention: RetentionPass
    watchdog: HealthWatchdog
    scope: FactScope
    prices: Mapping[int, PricePass]
    statistics: Mapping[int, StatisticsPass]
    statistics_files: FileStore
    upgrades: Mapping[int, UpgradeWatch]
    chain_summaries: ChainSummaries
    quiet_until: dict[tuple[str, int], float] = field(default_factory=dict)

    @property
    def wallets(self) -> Sequence[PayingWallet]:
        return self.relaying.paying_wallets

    async def read_again(self, chain_id: int, index: ChainIndex, first_block: int) -> AsyncIterator[IndexProgress]:
        """Read a chain's logs again from a block to the head. Yield the progress of all about every ten seconds.

        `index` may read from another endpoint. Features that remember what they read of the index are told first, since
        the index may have lacked an event. Raises as `ChainIndex.rewind_to` and `run`.
        """
        await index.rewind_to(first_block)
        await self.signal_passes[chain_id].ask_again()
        await self.due_passes[chain_id].ask_again()
        await self.prices[chain_id].ask_again()
        start = (await index.find_cursor()).number + 1
        while True:
            progress = await index.run(budget_seconds=10)
            yield replace(progress, first_block=start)
            if not progress.has_more and progress.stopped != "moved_by_another":
                return


def make_vault(settings: Settings) -> Vault:
    service = settings.service
    return Vault(service.enc_key.get_secret_value(), [key.get_secret_value() for key in service.enc_keys_old])


async def _open_database(stack: AsyncExitStack, settings: Settings) -> AsyncEngine:
    engine = open_engine(settings.service.database_url.get_secret_value())
    stack.push_async_callback(engine.dispose)
    await stack.enter_async_context(open_traces(settings.service.otel_endpoint, engine, __version__))
    if not await schema_serves(engine):
        raise Misconfigured("the database's schema does not serve this version: run `reminder-worker migrate`")
    return engine


def _open_chains(stack: AsyncExitStack, engine: AsyncEngine, settings: Settings) -> dict[int, Chain]:
    chains = {each.chain_id: Chain(each, shares_heads=not settings.is_local) for each in settings.chains}
    for chain in chains.values():
        stack.push_async_callback(chain.close)
    stack.push_async_callback(store_requests, engine, chains)
    return chains


@asynccontextmanager
async def open_runtime(settings: Settings) -> AsyncIterator[Runtime]:
    """Raises `Misconfigured` when the database is not migrated or was made with other keys or contracts."""
    if settings.problems:
        log.error("settings_by_half", problems=settings.problems)
    async with AsyncExitStack() as stack:
        engine = await _open_database(stack, settings)
        vault, hashes = make_vault(settings), KeyedHash(settings.service.hash_key.get_secret_value())
        await check_installation(engine, settings, vault, hashes)
        quotas = QuotaCounters(engine)
        chains = _open_chains(stack, engine, settings)
        session = await stack.enter_async_context(aiohttp.ClientSession())
        indexes = {id: ChainIndex(engine, chain, ask_now, upgrade_logs(chain.settings)) for id, chain in chains.items()}
        indexers = {
            id: IndexerSelector(chains[id], indexes[id], _make_subgraph(chains[id].settings, session)) for id in chains
        }
        gifts = GiftReader(chains, indexers)
        mail, dispatch, bounces, gift_mail = None, None, None, None
        if settings.mail is not None:
            mail = await stack.enter_async_context(MailClient(settings.mail))
            dispatch = ReminderDispatch(engine, chains, indexers, vault, mail, settings, find_ending_budgets)
            bounces = BounceReader(engine, mail, (ReminderLedger.statements, GiftLedger.statements))
            if settings.gifts is not None:
                gift_mail = GiftMail(engine, vault, chains, gifts, mail, settings)
        recipients = RecipientStore(engine, vault, hashes, quotas, chains, settings)
        alerts = _make_alerts(engine, mail, settings)
        relaying = make_relay_wallets(engine, vault, chains, alerts, settings)
        files, max_age = open_files(settings.statistics.folder), settings.reminders.signal_max_age_seconds
        scope = make_scope(engine, settings, [wallet.address for wallet in relaying.paying_wallets])
        yield Runtime(
            settings=settings,
            engine=engine,
            vault=vault,
            hashes=hashes,
            quotas=quotas,
            chains=chains,
            chain_indexes=indexes,
            indexers=indexers,
            recipients=recipients,
            rehearsals=RehearsalStage(engine, chains, indexers, recipients, mail, settings),
            self_erasure=SelfErasure(engine, chains, quotas.now),
            instructions=InstructionMailer(engine, chains, indexers, quotas, settings),
            signal_passes={id: SignalPass(engine, chain, indexers[id], max_age) for id, chain in chains.items()},
            due_passes={id: DuePass(engine, chain, indexes[id], settings.reminders) for id, chain in chains.items()},
            mail=mail,
            dispatch=dispatch,
            alerts=alerts,
            relaying=relaying,
            relay_passes=_make_relay_passes(engine, chains, relaying, settings),
            auto_renew=_make_auto_renew(engine, chains, relaying, settings),
            sponsor=RelayIntake(engine, relaying.admissions.get(RELAYER), chains, indexers, settings),
            gift_pages=make_gift_pages(settings, chains, indexers, relaying),
            legacy_pages=make_legacy_pages(settings, chains, indexers),
            gift_wallets=make_gift_wallets(engine, hashes, quotas, chains, settings, session),
            gift_notifications=make_gift_notifications(engine, vault, hashes, quotas, chains, gifts, settings),
            prices={id: PricePass(engine, chain) for id, chain in chains.items()},
            upgrades=_make_upgrades(engine, chains, indexes, alerts),
            statistics={id: StatisticsPass(engine, chain, files) for id, chain in chains.items()},
            statistics_files=files,
            chain_summaries=ChainSummaries(chains, relaying.paying_wallets),
            retention=RetentionPass(engine, chains.values(), mail),
            watchdog=HealthWatchdog(scope, alerts, chains, settings),
            scope=scope,
            bounces=bounces,
            gift_mail=gift_mail,
        )


def _make_relay_passes(
    engine: AsyncEngine, chains: Collection[int], relaying: RelayWallets, settings: Settings
) -> dict[int, RelayPass]:
    passes = {}
    for id in chains:
        if relays_on(settings, id):
            was_reported = partial(was_reported_lately, engine, "relay", id)
            passes[id] = RelayPass(engine, id, relaying, settings, was_reported)
    return passes


def _make_upgrades(
    engine: AsyncEngine, chains: Mapping[int, Chain], indexes: Mapping[int, ChainIndex], alerts: AlertOutbox
) -> dict[int, UpgradeWatch]:
    watches = {}
    for id, chain in chains.items():
        timelock = chain.settings.upgrade_timelock
        if timelock:
            watches[id] = UpgradeWatch(engine, chain, indexes[id], alerts, timelock)
    return watches


def _make_alerts(engine: AsyncEngine, mail: MailClient | None, settings: Settings) -> AlertOutbox:
    email = settings.ops.email
    names = {chain.chain_id: chain.name for chain in settings.chains}
    address = email.get_secret_value() if email else None
    return AlertOutbox(engine, mail, address, names, settings.ops.installation_name)


def _make_auto_renew(
    engine: AsyncEngine, chains: Mapping[int, Chain], relaying: RelayWallets, settings: Settings
) -> dict[int, AutoRenew]:
    """Return auto-renew of each chain with relays, if the attestor is configured and its key can be used."""
    if settings.auto_renew is None or ATTESTOR not in relaying.admissions:
        return {}
    admission, group = relaying.admissions[ATTESTOR], settings.auto_renew
    return {id: AutoRenew(engine, chain, admission, group) for id, chain in chains.items() if relays_on(settings, id)}


def serves_create_page(settings: Settings) -> bool:
    """Return whether the page for givers is served: where the operator says so, and on the local stack."""
    return settings.gifts is not None and (settings.gifts.create_page or settings.service.environment == "local")


def make_gift_pages(
    settings: Settings, chains: Mapping[int, Chain], indexers: Mapping[int, IndexerSelector], relaying: RelayWallets
) -> GiftPages | None:
    if settings.gifts is None:
        return None
    relayer, relayed = relaying.admissions.get(RELAYER), list[int]()
    if relayer is not None and relayer.caps.take_gifts:
        relayed = [chain_id for chain_id in chains if relays_on(settings, chain_id)]
    rules = LinkRules.from_origins(settings.gifts.origins, settings.gifts.prefix)
    create_path = f"/{settings.gifts.prefix}/create" if serves_create_page(settings) else None
    return GiftPages(chains, indexers, rules, relayed, create_path)


def make_legacy_pages(
    settings: Settings, chains: Mapping[int, Chain], indexers: Mapping[int, IndexerSelector]
) -> LegacyPages | None:
    if not settings.service.legacy_pages:
        return None
    claim_gas = settings.relay.claim_gas if settings.relay else MOST_GAS
    return LegacyPages(chains, indexers, min(claim_gas, MOST_GAS))


def make_gift_notifications(
    engine: AsyncEngine,
    vault: Vault,
    hashes: KeyedHash,
    quotas: QuotaCounters,
    chains: Mapping[int, Chain],
    gifts: GiftReader,
    settings: Settings,
) -> GiftNotifications:
    served = settings.gifts if settings.mail else None
    rules = LinkRules.from_origins(served.origins, served.prefix) if served else None
    return GiftNotifications(engine, vault, hashes, quotas, chains, gifts, served, rules)


def make_gift_wallets(
    engine: AsyncEngine,
    hashes: KeyedHash,
    quotas: QuotaCounters,
    chains: Mapping[int, Chain],
    settings: Settings,
    session: aiohttp.ClientSession,
) -> GiftWallets:
    """Raises `Misconfigured` when the provider's two keys do not belong together."""
    provider = settings.identity_provider
    client = IdentityProvider(provider, session, quotas) if provider else None
    return GiftWallets(engine, hashes, quotas, chains, provider, client)


def _make_subgraph(chain: ChainSettings, session: aiohttp.ClientSession) -> SubgraphClient | None:
    return SubgraphClient(chain.subgraph_url, session) if chain.subgraph_url else None
