"""Every setting of the service: read once from the environment into frozen objects.

An absent group turns its part off. A group set by half is off too and reported as an error by
`Settings.problems` (`reminder-worker doctor` prints them and exits with 1). What everything needs
raises `Misconfigured` at once. A secret may be given as `NAME` or as `NAME_FILE`, a path to a file.
"""

import os
import re
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic.fields import FieldInfo

from reminder_worker.errors import Misconfigured
from reminder_worker.settings.presets import PRESETS
from reminder_worker.settings.values import (
    Address,
    BlockTag,
    Count,
    GiftPrefix,
    Key,
    Keys,
    Mailable,
    Name,
    Origin,
    Origins,
    PriceFeeds,
    Proxies,
    SecretEmail,
    SecretGuard,
    SecretToken,
    SecretUrl,
    SecretUrls,
    SecretWebUrl,
    WebUrl,
)

MAINNET_CHAIN_IDS = frozenset({1})
G = TypeVar("G", bound="Group")
_CHAIN_ID = re.compile("[1-9][0-9]{0,15}")
_TEN_YEARS: Final = 10 * 365 * 86400


class Group(BaseModel):
    """Settings that belong together; `alias` is the environment variable."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, hide_input_in_errors=True)


class ServiceSettings(Group):
    """What everything needs."""

    environment: Literal["production", "local"] = Field(
        "production",
        alias="ENVIRONMENT",
        description="`local` only for the local stack: allows what is unsafe elsewhere",
    )
    database_url: SecretUrl = Field(
        alias="DATABASE_URL", description="PostgreSQL, `postgresql://user:password@host/name`"
    )
    enc_key: Key = Field(
        alias="EMAIL_ENC_KEY",
        description="master key of stored emails and names, 32 bytes in base64 (`reminder-worker keys new`)",
    )
    enc_keys_old: Keys = Field(
        (), alias="EMAIL_ENC_KEYS_OLD", description="earlier master keys, comma separated, until `rotate-key` is done"
    )
    hash_key: Key = Field(
        alias="HASH_KEY",
        description="key of the hashes of emails and client addresses, 32 bytes in base64; never changes",
    )
    app_origin: Origin = Field(alias="APP_ORIGIN", description="the app's origin, the only place emails link to")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", alias="LOG_LEVEL", description="lowest level logged; alerts always are"
    )
    log_format: Literal["auto", "json", "console"] = Field(
        "auto", alias="LOG_FORMAT", description="`auto`: console on a terminal, JSON elsewhere"
    )


class MailSettings(Group):
    """The mail service; absent: no email is sent."""

    url: WebUrl = Field(alias="MAIL_URL", description="base address of the mail service (email-proxy)")
    token: SecretToken = Field(alias="MAIL_TOKEN", description="bearer token for the mail service")
    timeout_seconds: float = Field(  # well within the lease of what is sent, which two of them have to fit into
        20.0, gt=0, le=60, alias="MAIL_TIMEOUT", description="seconds to wait for one send, at most 60"
    )
    concurrency: int = Field(64, ge=1, le=1000, alias="MAIL_CONCURRENCY", description="sends under way at once")
    idempotent: bool = Field(
        True,
        alias="MAIL_IDEMPOTENT",
        description="whether the mail service keeps `Idempotency-Key`s; if not, every undecidable send is held",
    )
    allowlist: Mailable = Field(
        (),
        alias="MAIL_ALLOWLIST",
        description="addresses or `@domains` that test chains may mail (mainnet and the local stack are free)",
    )
    daily_cap_per_address: Count = Field(
        20, ge=1, alias="MAIL_DAILY_CAP_PER_ADDRESS", description="emails to one address a day (UTC), over all kinds"
    )


class ReminderSettings(Group):
    """Reminders and recipients."""

    signal_max_age_seconds: int = Field(
        7 * 86400,
        ge=60,
        le=_TEN_YEARS,
        alias="SIGNAL_MAX_AGE",
        description="seconds; older signals and windows are recorded, not mailed; under a day after a restore only",
    )
    instructions_cooldown_seconds: int = Field(
        86400,
        ge=0,
        le=_TEN_YEARS,
        alias="INSTRUCTIONS_COOLDOWN",
        description="seconds between two /send-instructions of one owner",
    )
    new_addresses_per_creator: Count = Field(
        100, ge=1, alias="NEW_ADDRESSES_PER_CREATOR", description="new email addresses one creator may add a day (UTC)"
    )
    due_batch_size: int = Field(
        500, ge=1, le=5000, alias="DUE_BATCH_SIZE", description="legacies asked about in one dueRemindersBatch call"
    )
    due_concurrency: int = Field(4, ge=1, le=64, alias="DUE_CONCURRENCY", description="such calls under way at once")


class RelaySettings(Group):
    """The gas-sponsored relay; absent: nothing is relayed. Caps are for each chain and day (UTC)."""

    key: SecretStr = Field(
        alias="RELAYER_KEY",
        description="private key of the relaying wallet: hex, or a keystore JSON (best as `RELAYER_KEY_FILE`)",
    )
    key_password: SecretStr | None = Field(
        None, alias="RELAYER_KEY_PASSWORD", description="password of the keystore JSON"
    )
    daily_wei_cap: int = Field(
        200_000_000_000_000_000,
        ge=0,
        alias="RELAY_DAILY_WEI_CAP",
        description="wei a day, failed transactions included",
    )
    daily_count_cap: Count = Field(500, ge=0, alias="RELAY_DAILY_COUNT_CAP", description="requests a day")
    per_legacy: Count = Field(15, ge=0, alias="RELAY_PER_LEGACY", description="requests a day for one legacy")
    per_gift: Count = Field(3, ge=0, alias="RELAY_PER_GIFT", description="requests a day for one gift")
    per_signer: Count = Field(5, ge=0, alias="RELAY_PER_SIGNER", description="requests a day of one signer")
    per_creator: Count = Field(
        20, ge=0, alias="RELAY_PER_CREATOR", description="requests a day for all legacies or gifts of one creator"
    )
    per_client_hour: Count = Field(
        20,
        ge=1,
        alias="RELAY_PER_CLIENT_HOUR",
        description="relay requests an hour from one client address (IPv6: one /64, and eight times as many a /48)",
    )
    gas_price_ceiling_wei: int = Field(
        50_000_000_000,
        gt=0,
        alias="RELAY_GAS_PRICE_CEILING",
        description="most wei for one gas; above five eighths of it requests wait, until their deadline",
    )
    claim_gas: int = Field(
        900_000,
        ge=21_000,
        alias="RELAY_CLAIM_GAS",
        description="most gas of a sponsored claim of one payment; each further one adds 45,000, to three times this",
    )
    check_in_gas: int = Field(
        300_000, ge=21_000, alias="RELAY_CHECK_IN_GAS", description="most gas of a sponsored check-in"
    )
    gift_gas: int = Field(
        500_000, ge=21_000, alias="RELAY_GIFT_GAS", description="most gas of a sponsored gift withdrawal"
    )
    low_balance_relays: Count = Field(
        50, ge=0, alias="RELAY_LOW_BALANCE_RELAYS", description="alert when the balance pays for fewer relays than this"
    )


class AutoRenewSettings(Group):
    """Auto-renew; absent: no inactivity timer is renewed. Caps are for each chain and day (UTC)."""

    key: SecretStr = Field(
        alias="ATTESTOR_KEY",
        description="private key of the activity attestor: hex, or a keystore JSON (best as `ATTESTOR_KEY_FILE`)",
    )
    key_password: SecretStr | None = Field(
        None, alias="ATTESTOR_KEY_PASSWORD", description="password of the keystore JSON"
    )
    dry_run: bool = Field(False, alias="AUTO_RENEW_DRY_RUN", description="decide and report, send nothing")
    daily_wei_cap: int = Field(50_000_000_000_000_000, ge=0, alias="AUTO_RENEW_DAILY_WEI_CAP", description="wei a day")
    daily_count_cap: Count = Field(500, ge=0, alias="AUTO_RENEW_DAILY_COUNT_CAP", description="renewals a day")
    gas_price_ceiling_wei: int = Field(
        50_000_000_000,
        gt=0,
        alias="AUTO_RENEW_GAS_PRICE_CEILING",
        description="most wei for one gas; above five eighths of it renewals wait",
    )
    gas: int = Field(300_000, ge=21_000, alias="AUTO_RENEW_GAS", description="most gas of one renewal")
    largest_jump: Count = Field(
        10_000,
        ge=1,
        alias="AUTO_RENEW_LARGEST_JUMP",
        description="transactions; a count that rose by more since the last one attested is held and shown",
    )


class OpsSettings(Group):
    """Operators: alerts, which always go to the service log, and endpoints of their own."""

    email: SecretEmail | None = Field(
        None, alias="OPS_EMAIL", description="address that alerts are mailed to; absent: only the log"
    )
    status_secret: SecretGuard | None = Field(
        None, alias="OPS_STATUS_SECRET", description="opens `GET /ops/status` and nothing else; absent: it is not there"
    )
    operator_secret: SecretGuard | None = Field(
        None,
        alias="OPERATOR_SECRET",
        description="opens the operators' endpoints, which erase and send; absent: they are not there",
    )
    heartbeat_url: SecretWebUrl | None = Field(
        None,
        alias="HEARTBEAT_URL",
        description="asked for each minute while nothing of the service's own is wrong: its silence is an alarm",
    )


class StatisticsSettings(Group):
    """Statistics for analysts and `GET /stats`."""

    folder: Path = Field(
        Path("statistics"), alias="STATISTICS_FOLDER", description="where the Parquet files of each day are written"
    )


class GiftSettings(Group):
    """Sealed gifts; absent: no gift page and no notify emails."""

    origins: Origins = Field(
        min_length=1,
        alias="GIFT_ORIGINS",
        description="origins a claim link may have, comma separated; the first is used in redirects",
    )
    prefix: GiftPrefix = Field(
        "gifts",
        pattern=r"^[a-z0-9][a-z0-9-]{0,30}$",
        alias="GIFT_PREFIX",
        description="first part of a claim link's path, on paper for years; not one of the API's own, as `gift` is",
    )
    retry_window_seconds: int = Field(
        7 * 86400,
        ge=3600,
        le=90 * 86400,  # what was sent is remembered for as long
        alias="GIFT_RETRY_WINDOW",
        description="seconds after opening day, at most 90 days, that an unlock email is tried while the mail service"
        " is down",
    )
    notify_per_giver: Count = Field(
        20, ge=1, alias="GIFT_NOTIFY_PER_GIVER", description="notify registrations a day of one giver"
    )
    notify_per_email: Count = Field(
        5,
        ge=1,
        alias="GIFT_NOTIFY_PER_EMAIL",
        description="notify registrations a day of one giver to one email address",
    )
    notify_per_client_hour: Count = Field(
        20,
        ge=1,
        alias="GIFT_NOTIFY_PER_CLIENT_HOUR",
        description="notify registrations an hour from one client address",
    )


class IdentityProviderSettings(Group):
    """Wallets addressed by email (Turnkey); absent: `giftEmail` is false."""

    organization_id: str = Field(
        alias="TURNKEY_ORGANIZATION_ID",
        min_length=1,
        description="the parent organization, without which nobody opens the wallets made in it",
    )
    api_public_key: str = Field(
        alias="TURNKEY_API_PUBLIC_KEY", pattern=r"^0[23][0-9a-fA-F]{64}$", description="compressed P-256 key, hex"
    )
    api_private_key: SecretStr = Field(alias="TURNKEY_API_PRIVATE_KEY", description="P-256 private key, hex")
    url: WebUrl = Field("https://api.turnkey.com", alias="TURNKEY_URL", description="base address of its API")
    auth_proxy_url: WebUrl = Field(
        "https://authproxy.turnkey.com", alias="TURNKEY_AUTH_PROXY_URL", description="its auth proxy, for the gift page"
    )
    auth_proxy_config_id: str = Field(
        "", alias="TURNKEY_AUTH_PROXY_CONFIG_ID", description="public id of the auth proxy's configuration"
    )
    code_signing_key: str | None = Field(
        None,
        alias="TURNKEY_CODE_SIGNING_KEY",
        pattern=r"^04[0-9a-f]{128}$",
        description="refused outside `ENVIRONMENT=local`: the uncompressed P-256 key of a stand-in for the auth proxy",
    )
    daily_creation_cap: Count = Field(
        100, ge=0, alias="GIFT_WALLETS_PER_DAY", description="sub-organizations created a day"
    )
    per_giver: Count = Field(
        10, ge=1, alias="GIFT_WALLETS_PER_GIVER", description="wallets asked for a day by one giver"
    )
    per_client_hour: Count = Field(
        20, ge=1, alias="GIFT_WALLETS_PER_CLIENT_HOUR", description="wallets asked for an hour from one client address"
    )


class ApiSettings(Group):
    """The HTTP API."""

    host: str = Field("127.0.0.1", alias="API_HOST", description="address to listen on")
    port: int = Field(8080, ge=0, le=65535, alias="API_PORT", description="port to listen on")
    cors_origins: Origins = Field((), alias="CORS_ORIGINS", description="origins of frontends, besides APP_ORIGIN")
    trusted_proxies: Proxies = Field(
        (), alias="TRUSTED_PROXIES", description="addresses or networks whose X-Forwarded-For is believed"
    )
    rate_limit_per_minute: Count = Field(
        60,
        ge=1,
        alias="RATE_LIMIT_PER_MINUTE",
        description="requests a minute from one client address (IPv6: one /64, and eight times as many a /48);"
        " health and images are free",
    )
    metrics_host: str = Field("127.0.0.1", alias="METRICS_HOST", description="address of /metrics")
    metrics_port: int = Field(9090, ge=0, le=65535, alias="METRICS_PORT", description="port of /metrics")


CONTRACTS = (
    "transfer_eoa_legacy_router",
    "multisig_legacy_router",
    "premium_setting",
    "premium_registry",
    "premium_reminder_view",
    "time_lock_router",
    "timelock_erc20",
    "timelock_erc721",
    "timelock_erc1155",
    "token_white_list",
    "multicall3",
)
"""Of `ChainSettings`, the contracts without which a chain is not served."""


class ChainSettings(Group):
    """One chain. In the environment each name starts with `CHAIN_<id>_`; published addresses are presets."""

    chain_id: int = Field(gt=0, exclude=True)
    rpc_urls: SecretUrls = Field(
        min_length=1,
        alias="RPC_URLS",
        description="RPC endpoints, comma separated, best first; three, since two have to agree on what is personal; "
        "one an archive, since pruned nodes lack old logs",
    )
    subgraph_url: SecretWebUrl | None = Field(
        None,
        alias="SUBGRAPH_URL",
        description="graph-node endpoint of the subgraph 0.4 (of older events, too); absent: our own index answers",
    )
    subgraph_max_lag: Count = Field(
        30,
        ge=0,
        alias="SUBGRAPH_MAX_LAG",
        description="blocks an indexer may lag: beyond it our own index answers, and unsent emails wait for it",
    )
    start_block: int = Field(
        ge=0,
        alias="START_BLOCK",
        description="first block the index reads: that of the oldest contract, on mainnet 24589469",
    )
    signal_block: BlockTag = Field(
        "safe",
        alias="SIGNAL_BLOCK",
        description="signals are acted on when this block has them; `latest`: also what a reorganisation undoes",
    )
    log_range: Count = Field(
        5000,
        ge=1,
        alias="LOG_RANGE",
        description="most blocks asked for in one eth_getLogs; shrinks when a node refuses",
    )
    rpc_timeout_seconds: float = Field(
        15.0,  # the watchdog gives all endpoints 25 seconds, and a look has 35: what hangs has failed by then
        gt=0,
        le=20,
        alias="RPC_TIMEOUT",
        description="seconds to wait for one RPC answer, at most 20",
    )
    signature_gas: int = Field(
        500_000,
        ge=50_000,
        alias="SIGNATURE_GAS",
        description="gas a smart wallet may use to check a signature (ERC-1271)",
    )
    name: Name = Field("", alias="NAME", description="the chain's name in emails")
    explorer_url: WebUrl | None = Field(None, alias="EXPLORER_URL", description="block explorer, for operators")
    transfer_eoa_legacy_router: Address = Field(alias="TRANSFER_EOA_LEGACY_ROUTER", description="contract address")
    multisig_legacy_router: Address = Field(alias="MULTISIG_LEGACY_ROUTER", description="contract address")
    premium_setting: Address = Field(alias="PREMIUM_SETTING", description="contract address")
    premium_registry: Address = Field(alias="PREMIUM_REGISTRY", description="contract address")
    premium_reminder_view: Address = Field(alias="PREMIUM_REMINDER_VIEW", description="contract address")
    time_lock_router: Address = Field(alias="TIME_LOCK_ROUTER", description="contract address")
    timelock_erc20: Address = Field(alias="TIMELOCK_ERC20", description="contract address")
    timelock_erc721: Address = Field(alias="TIMELOCK_ERC721", description="contract address")
    timelock_erc1155: Address = Field(alias="TIMELOCK_ERC1155", description="contract address")
    token_white_list: Address = Field(alias="TOKEN_WHITE_LIST", description="contract address")
    multicall3: Address = Field(
        "0xca11bde05977b3631167028862be2a173976ca11",
        alias="MULTICALL3",
        description="Multicall3, the same on every chain",
    )
    upgrade_timelock: Address | None = Field(
        None, alias="UPGRADE_TIMELOCK", description="contract address; absent: the upgrade queue is not watched"
    )
    legacy_pull_vault: Address | None = Field(
        None, alias="LEGACY_PULL_VAULT", description="contract address: pulls for legacies that do not name their vault"
    )
    permit2: Address = Field(
        "0x000000000022d473030f116ddee9f6b43ac78ba3", alias="PERMIT2", description="Permit2, the same on every chain"
    )
    price_feeds: PriceFeeds = Field(
        (),
        alias="PRICE_FEEDS",
        description="Chainlink feeds in US dollars, comma separated: `<token>=<feed>@<heartbeat in seconds>`,"
        " the token an address or `ETH`; absent: no prices",
    )

    @property
    def legacy_routers(self) -> tuple[str, str]:
        return (self.transfer_eoa_legacy_router, self.multisig_legacy_router)

    @property
    def is_test_chain(self) -> bool:
        """Where Premium costs next to nothing, so that strangers could make us write to anybody."""
        return self.chain_id not in MAINNET_CHAIN_IDS


def counted_apart(chains: Collection[ChainSettings]) -> frozenset[int]:
    """Test chains beside mainnet: what costs nothing there shall be no part of what is counted over all chains. Empty
    where mainnet is not served."""
    tests = frozenset(chain.chain_id for chain in chains if chain.is_test_chain)
    return tests if len(tests) < len(chains) else frozenset()


class Settings(Group):
    """All groups. Build with `Settings.from_environ`."""

    service: ServiceSettings
    chains: tuple[ChainSettings, ...]
    mail: MailSettings | None
    reminders: ReminderSettings
    api: ApiSettings
    relay: RelaySettings | None = None
    auto_renew: AutoRenewSettings | None = None
    ops: OpsSettings = Field(default_factory=lambda: OpsSettings.model_validate({}))
    gifts: GiftSettings | None = None
    identity_provider: IdentityProviderSettings | None = None
    statistics: StatisticsSettings = Field(default_factory=lambda: StatisticsSettings.model_validate({}))
    problems: tuple[str, ...] = ()

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] = os.environ) -> Self:
        """Raises `Misconfigured` with every fault of what the service cannot start without."""
        values, problems = _with_secret_files(environ)
        faults: list[str] = list(problems)
        half: list[str] = []
        service = _read(ServiceSettings, values, "", faults)
        chains = _read_chains(values, faults)
        reminders = _read(ReminderSettings, values, "", faults)
        api = _read(ApiSettings, values, "", faults)
        ops = _read(OpsSettings, values, "", faults)
        statistics = _read(StatisticsSettings, values, "", faults)
        mail = _read_optional(MailSettings, "no email is sent", values, half)
        relay = _read_optional(RelaySettings, "nothing is relayed", values, half)
        auto_renew = _read_optional(AutoRenewSettings, "no timer is renewed", values, half)
        gifts = _read_optional(GiftSettings, "no gift is served", values, half)
        provider = _read_optional(IdentityProviderSettings, "no wallet is found by email", values, half)
        if provider and provider.code_signing_key and service and service.environment != "local":
            faults.append("TURNKEY_CODE_SIGNING_KEY: is for a stand-in on the local stack only")
        if ops and ops.operator_secret and ops.operator_secret == ops.status_secret:
            faults.append("OPERATOR_SECRET: is OPS_STATUS_SECRET too, which is to open the status and nothing else")
        if faults or service is None or reminders is None or api is None or ops is None or statistics is None:
            raise Misconfigured("settings are not usable:\n" + "\n".join(f"- {fault}" for fault in faults))
        return cls(
            service=service,
            chains=chains,
            mail=mail,
            reminders=reminders,
            api=api,
            relay=relay,
            auto_renew=auto_renew,
            ops=ops,
            gifts=gifts,
            identity_provider=provider,
            statistics=statistics,
            problems=tuple(half),
        )

    @property
    def is_local(self) -> bool:
        return self.service.environment == "local"


def _with_secret_files(environ: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Replace every `NAME_FILE` by `NAME` with the file's text. White space around a value is none of it, and empty
    values count as absent."""
    values = {name: text for name, value in environ.items() if (text := value.strip())}
    problems = []
    for name in [n for n in values if n.endswith("_FILE") and _is_secret(n.removesuffix("_FILE"))]:
        try:
            text = Path(values[name]).read_text(encoding="utf-8").strip()
            plain = name.removesuffix("_FILE")
            if not text:
                problems.append(f"{name}: the file is empty")
            if values.get(plain, text) != text:
                problems.append(f"{plain}: is set in {name} too, to something else")
            values[plain] = text
        except OSError as error:
            problems.append(f"{name}: the file cannot be read ({error.strerror})")
        except UnicodeDecodeError:  # which would show what it read
            problems.append(f"{name}: the file holds something that is not text")
    return values, problems


def _read_chains(values: Mapping[str, str], faults: list[str]) -> tuple[ChainSettings, ...]:
    ids = [part.strip() for part in values.get("CHAINS", "").split(",") if part.strip()]
    if not ids:
        faults.append("CHAINS: missing (chain ids, comma separated, for example 1)")
    chains = []
    if len(set(ids)) < len(ids):
        faults.append("CHAINS: names a chain twice")
    for text in dict.fromkeys(ids):
        if not _CHAIN_ID.fullmatch(text):
            faults.append("CHAINS: holds something that is not a chain id")
            continue
        prefix = f"CHAIN_{text}_"
        preset = {prefix + key: value for key, value in PRESETS.get(int(text), {}).items()}
        chain = _read(ChainSettings, {**preset, **values}, prefix, faults, chain_id=int(text))
        if chain is not None:
            chains.append(chain)
    return tuple(chains)


def _read(group: type[G], values: Mapping[str, str], prefix: str, faults: list[str], **fixed: Any) -> G | None:
    fields: dict[str, Any] = dict(fixed)
    for field in group.model_fields.values():
        if field.alias is not None and prefix + field.alias in values:
            fields[field.alias] = values[prefix + field.alias]
    try:
        return group.model_validate(fields)
    except ValidationError as error:
        said: dict[str, str] = {}  # the first of each: a list without what is wrong in it is too short, too
        for fault in error.errors(include_input=False, include_url=False, include_context=False):
            message = "missing" if fault["type"] == "missing" else fault["msg"].removeprefix("Value error, ")
            said.setdefault(prefix + str(fault["loc"][0]), message)
        faults.extend(f"{name}: {message}" for name, message in said.items())
        return None


def _read_optional(group: type[G], off: str, values: Mapping[str, str], half: list[str]) -> G | None:
    """None when nothing that the group requires is set, and, with its faults told, when only a part is usable."""
    required = _required(group)
    if not any(name in values for name in required):
        return None
    faults: list[str] = []
    found = _read(group, values, "", faults)
    if faults:
        half.extend([*faults, f"the group of {required[0]} is set by half or wrongly: {off}"])
    return found


def _required(group: type[Group]) -> list[str]:
    """Variables, of which none is set while the group's part is off."""
    return [field.alias for field in group.model_fields.values() if field.alias and field.is_required()]


GROUPS: tuple[type[Group], ...] = (
    ServiceSettings,
    ChainSettings,
    MailSettings,
    ReminderSettings,
    ApiSettings,
    RelaySettings,
    AutoRenewSettings,
    OpsSettings,
    StatisticsSettings,
    GiftSettings,
    IdentityProviderSettings,
)

OPTIONAL_GROUPS: tuple[type[Group], ...] = (
    MailSettings,
    RelaySettings,
    AutoRenewSettings,
    GiftSettings,
    IdentityProviderSettings,
)


def setting_names(chain_ids: Sequence[str]) -> list[str]:
    """Every environment variable of the service with these chains; of a secret there is one with `_FILE`, too."""
    names = ["CHAINS"]
    for group in GROUPS:
        prefixes = [f"CHAIN_{id}_" for id in chain_ids] if group is ChainSettings else [""]
        names += [prefix + field.alias for prefix in prefixes for field in group.model_fields.values() if field.alias]
    return names


def misspelt(environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """(variable, setting) of what nobody reads and is nearly the name of a setting. Chains that are not served may
    have theirs."""
    ids = [part.strip() for part in environ.get("CHAINS", "").split(",")]
    names = setting_names(ids)
    known = {*names, *(f"{name}_FILE" for name in names if _is_secret(name))}
    served = tuple(f"CHAIN_{id}_" for id in ids)
    unread = (name for name in environ.keys() - known if name.startswith(served) or not name.startswith("CHAIN_"))
    return [(name, near[0]) for name in sorted(unread) if (near := get_close_matches(name, known, 1, cutoff=0.85))]


def without_effect(environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """(variable, settings that it needs) of parts that are off because none of those is set: what was meant to be
    on, or what stayed when it was switched off."""
    found = []
    for group in OPTIONAL_GROUPS:
        fields = [field for field in group.model_fields.values() if field.alias]
        required = _required(group)
        given = [name for field in fields for name in _names_of(field) if environ.get(name, "").strip()]
        if not {name.removesuffix("_FILE") for name in given} & set(required):
            found += [(name, ", ".join(required)) for name in given]
    return found


def _names_of(field: FieldInfo) -> list[str]:
    return [f"{field.alias}", *([f"{field.alias}_FILE"] if is_secret_field(field) else [])]


def is_secret_field(field: FieldInfo) -> bool:
    return any(secret in str(field.annotation) for secret in ("SecretStr", "SecretBytes"))


_SECRET_NAMES = frozenset(
    field.alias for group in GROUPS for field in group.model_fields.values() if field.alias and is_secret_field(field)
)


def _is_secret(name: str) -> bool:
    return name in _SECRET_NAMES or (name.startswith("CHAIN_") and name.split("_", 2)[-1] in _SECRET_NAMES)
