"""Groups of settings: fields with environment variable, default and description."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from reminder_worker.settings.values import (
    Contact,
    Count,
    FileFolder,
    GiftPrefix,
    Key,
    Keys,
    LegacyPath,
    Line,
    Mailable,
    Name,
    Origin,
    Origins,
    Proxies,
    SecretEmail,
    SecretGuard,
    SecretToken,
    SecretUrl,
    SecretWebUrl,
    WebUrl,
)


class SettingsGroup(BaseModel):
    """Settings that belong together; `alias` is the environment variable."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, hide_input_in_errors=True)


class ServiceSettings(SettingsGroup):
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
    app_origin: Origin = Field(alias="APP_ORIGIN", description="the app's origin; emails about legacies link to it")
    app_legacy_path: LegacyPath | None = Field(
        None,
        alias="APP_LEGACY_PATH",
        description="the app's page of a legacy; `{chainId}` and `{legacy}` (its contract) are filled in. Default:"
        " the page of `LEGACY_PAGES`, otherwise `/legacy/{chainId}/{legacy}`",
    )
    legacy_pages: bool = Field(
        False,
        alias="LEGACY_PAGES",
        description="serve a page for each legacy, `/legacies/{chainId}/{legacy}`; without `APP_LEGACY_PATH` emails"
        " lead to it, at APP_ORIGIN",
    )
    mail_public_url: WebUrl | None = Field(
        None,
        alias="MAIL_SERVICE_PUBLIC_URL",
        description="the mail service's setting of this name; without it the page of emails lists no addresses",
    )
    email_page_url: WebUrl | None = Field(
        None,
        alias="EMAIL_PAGE_URL",
        description="public address of the page of emails; the mail service has it, too",
    )
    organisation_name: Line = Field(
        "", alias="ORGANISATION_NAME", description="who runs this service, for each page; the mail service has it, too"
    )
    organisation_contact: Contact = Field(
        "", alias="ORGANISATION_CONTACT", description="how people reach the organisation; the mail service has it, too"
    )
    organisation_url: WebUrl | None = Field(
        None, alias="ORGANISATION_URL", description="the organisation's web address; the mail service has it, too"
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", alias="LOG_LEVEL", description="lowest level logged; alerts always are"
    )
    log_format: Literal["auto", "json", "console"] = Field(
        "auto", alias="LOG_FORMAT", description="`auto`: console on a terminal, JSON elsewhere"
    )
    otel_endpoint: WebUrl | None = Field(
        None,
        alias="OTEL_EXPORTER_OTLP_ENDPOINT",
        description="base address of a collector of OpenTelemetry (OTLP over HTTP); empty: no traces",
    )

    @property
    def leads_to_legacy_pages(self) -> bool:
        """Return whether emails about a legacy lead to our own page, and not to an app's."""
        return self.legacy_pages and self.app_legacy_path is None

    @property
    def legacy_path(self) -> str:
        """Return the path of the page that emails about a legacy lead to, with both placeholders."""
        own = "/legacies/{chainId}/{legacy}" if self.legacy_pages else "/legacy/{chainId}/{legacy}"
        return self.app_legacy_path or own

    @property
    def organisation(self) -> list[str]:
        """Return the lines about the organisation, as far as they are set."""
        lines = (self.organisation_name, self.organisation_contact, self.organisation_url)
        return [str(line) for line in lines if line]


class MailSettings(SettingsGroup):
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


class ReminderSettings(SettingsGroup):
    """Reminders and recipients."""

    signal_max_age_seconds: int = Field(
        7 * 86400,
        ge=60,
        le=10 * 365 * 86400,
        alias="SIGNAL_MAX_AGE",
        description="seconds; older signals and windows are recorded, not mailed; under a day after a restore only",
    )
    instructions_cooldown_seconds: int = Field(
        86400,
        ge=0,
        le=10 * 365 * 86400,
        alias="INSTRUCTIONS_COOLDOWN",
        description="seconds between two /send-instructions of one owner",
    )
    new_addresses_per_creator: Count = Field(
        100, ge=1, alias="NEW_ADDRESSES_PER_CREATOR", description="new email addresses one creator may add a day (UTC)"
    )
    due_batch_size: int = Field(
        500, ge=1, le=5000, alias="DUE_BATCH_SIZE", description="legacies asked about in one call"
    )
    due_concurrency: int = Field(4, ge=1, le=64, alias="DUE_CONCURRENCY", description="such calls under way at once")


class RelaySettings(SettingsGroup):
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
        4_000_000,
        ge=21_000,
        alias="RELAY_CLAIM_GAS",
        description="most gas of a sponsored claim; usually twice the simulated gas is reserved",
    )
    check_in_gas: int = Field(
        500_000, ge=21_000, alias="RELAY_CHECK_IN_GAS", description="most gas of a sponsored check-in"
    )
    gift_gas: int = Field(
        1_000_000, ge=21_000, alias="RELAY_GIFT_GAS", description="most gas of a sponsored gift withdrawal"
    )
    low_balance_relays: Count = Field(
        50, ge=0, alias="RELAY_LOW_BALANCE_RELAYS", description="alert when the balance pays for fewer relays than this"
    )


class AutoRenewSettings(SettingsGroup):
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
    gas: int = Field(500_000, ge=21_000, alias="AUTO_RENEW_GAS", description="most gas of one renewal")
    largest_jump: Count = Field(
        10_000,
        ge=1,
        alias="AUTO_RENEW_LARGEST_JUMP",
        description="transactions; a count that rose by more since the last one attested is held and shown",
    )


class OpsSettings(SettingsGroup):
    """Operators: alerts, which always go to the service log, and endpoints of their own."""

    email: SecretEmail | None = Field(
        None, alias="OPS_EMAIL", description="address that alerts are mailed to; absent: only the log"
    )
    installation_name: Name = Field("", alias="INSTALLATION_NAME", description="what alerts call this installation")
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


class StatisticsSettings(SettingsGroup):
    """Statistics for analysts and `GET /stats`."""

    folder: FileFolder = Field(
        "statistics",
        alias="STATISTICS_FOLDER",
        description="where the Parquet files of each day are written: a folder, `s3://bucket/prefix` or "
        "`gs://bucket/prefix`",
    )


class GiftSettings(SettingsGroup):
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
    create_page: bool = Field(
        False,
        alias="GIFT_CREATE_PAGE",
        description="serve the page for givers below the prefix, as `create`; the local stack always does",
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


class IdentityProviderSettings(SettingsGroup):
    """Wallets addressed by email (Turnkey); absent: `giftEmail` is false."""

    organization_id: str = Field(
        alias="TURNKEY_ORGANIZATION_ID",
        min_length=1,
        description="the parent organization, which is needed to open the wallets made under the organization",
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


class ApiSettings(SettingsGroup):
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
