"""The emails the service asks for: their kinds, their variables, and the exact bytes of a request.

Templates and variables are those of the mail service's catalogue (`GET /templates`). A request is made once
and its bytes are kept until it is decided, because the same key with another body is refused.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from eth_utils.address import to_checksum_address

if TYPE_CHECKING:  # Dagster imports this module at a start: that must not cost SQLAlchemy's import
    from reminder_worker.settings import ChainSettings, Settings

TEMPLATE_VERSION = 1
LATEST_TIME = 253_402_300_799  # the last second of the year 9999
MAX_TEXT = 300  # characters the mail service takes in one variable
Language = Literal["en", "es", "fr", "de", "pt", "it", "ja", "ko", "zh-Hans", "ar"]
"""BCP 47 tags of the languages in which emails to people are written."""
BEWARE = "beware"  # a fact of this name marks an alert that is graver than others of its kind

_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_encode = msgspec.json.Encoder().encode


class ReminderKind(StrEnum):
    """Emails about a legacy. A kind is also the name of its template."""

    OWNER_RESET = "owner_reset"
    ACTIVATED_MULTISIG = "activated_multisig"
    ACTIVATED_TRANSFER = "activated_transfer"
    BEFORE_ACTIVATION = "before_activation"
    READY_TO_ACTIVATE = "ready_to_activate"
    BEFORE_LAYER2 = "before_layer2"
    LAYER2_READY = "layer2_ready"
    BEFORE_LAYER3 = "before_layer3"
    LAYER3_READY = "layer3_ready"
    INSTRUCTIONS = "instructions"
    AUTO_RENEW_BUDGET = "auto_renew_budget"
    PREMIUM_ENDING = "premium_ending"
    PREMIUM_LAPSED = "premium_lapsed"
    GUARD_REMOVED = "guard_removed"
    MODULE_DISABLED = "module_disabled"
    RECIPIENTS_GAP = "recipients_gap"


class GiftKind(StrEnum):
    """Emails to the recipient of a gift, and to its giver. A kind is also the name of its template."""

    GIFT_WAITING = "gift_waiting"
    GIFT_UNLOCKED = "gift_unlocked"
    GIFT_REMINDER_30 = "gift_reminder_30"
    GIFT_REMINDER_90 = "gift_reminder_90"
    GIFT_REMINDER_365 = "gift_reminder_365"
    GIVER_OPENED = "giver_opened"
    GIVER_RETURNED = "giver_returned"
    GIVER_UNOPENED = "giver_unopened"

    @property
    def is_for_giver(self) -> bool:
        return self.startswith("giver_")


class AlertKind(StrEnum):
    """Emails to operators. A kind is also the name of its template."""

    RELAYER_LOW_BALANCE = "relayer_low_balance"
    RELAYER_STOPPED = "relayer_stopped"
    RELAY_STUCK = "relay_stuck"
    RELAY_CAP_USED = "relay_cap_used"
    RELAY_NOT_FINAL = "relay_not_final"
    WORKER_STALLED = "worker_stalled"
    INDEX_LAGGING = "index_lagging"
    INDEX_GAP = "index_gap"
    RPC_TROUBLE = "rpc_trouble"
    EMAILS_NEED_HAND = "emails_need_hand"
    EMAILS_LATE = "emails_late"
    FAILURES_GROWING = "failures_growing"
    REPORTS_NOT_READ = "reports_not_read"
    UPGRADE_SCHEDULED = "upgrade_scheduled"
    UPGRADE_CORRECTED = "upgrade_corrected"
    UPGRADE_EXECUTABLE = "upgrade_executable"
    UPGRADE_EXECUTED = "upgrade_executed"
    UPGRADE_UNSEEN = "upgrade_unseen"
    UPGRADE_CANCELLED = "upgrade_cancelled"
    UPGRADE_PAST_QUEUE = "upgrade_past_queue"
    UPGRADE_DELAY_CHANGED = "upgrade_delay_changed"
    UPGRADE_DELAY_SHORT = "upgrade_delay_short"
    UPGRADE_ROLE_CHANGED = "upgrade_role_changed"
    ALERTS_DIGEST = "alerts_digest"


class RecipientRole(StrEnum):
    OWNER = "owner"
    COSIGNER = "cosigner"
    BENEFICIARY = "beneficiary"
    SECOND_LINE = "second_line"
    THIRD_LINE = "third_line"


WINDOW_KINDS: Mapping[int, ReminderKind] = MappingProxyType(
    {
        1: ReminderKind.BEFORE_ACTIVATION,
        2: ReminderKind.BEFORE_LAYER2,
        3: ReminderKind.BEFORE_LAYER3,
        4: ReminderKind.READY_TO_ACTIVATE,
        5: ReminderKind.LAYER2_READY,
        6: ReminderKind.LAYER3_READY,
    }
)
"""By the numbers of PremiumReminderView."""
KIND_WINDOWS: Mapping[ReminderKind, int] = MappingProxyType({kind: window for window, kind in WINDOW_KINDS.items()})


@dataclass(slots=True, eq=False)
class EmailAddressee:
    """Whom a message is for; in memory only, and made for every email, therefore not frozen. `wallet`: lower case.

    `email_hash`: by which the mail service names an address that is to be forgotten.
    """

    email: str = field(repr=False)
    name: str = field(repr=False)
    role: RecipientRole
    wallet: str
    language: Language = "en"
    time_zone: str = ""
    email_hash: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class TokenAmount:
    """Amount of a token that a person received, in base units. `symbol`: only of a whitelisted token."""

    token: str
    units: int
    symbol: str | None
    decimals: int | None


@dataclass(frozen=True, slots=True)
class LegacySubject:
    """The legacy a message is about. Names are shown as given: check them before.

    `page`: link to the app; with `is_own_page` to our own page of the legacy.

    `name`: on chain. `title`, `owner_name`: from the signed set. Addresses lower case. `claim_function`: of the router,
    with its arguments.
    """

    chain_id: int
    chain_name: str
    legacy: str
    legacy_id: int
    owner: str
    page: str
    router: str
    claim_function: str
    name: str = field(default="", repr=False)
    owner_name: str = field(default="", repr=False)
    title: str = field(default="", repr=False)
    is_own_page: bool = False


@dataclass(frozen=True, slots=True)
class GiftSubject:
    """The gift a message is about. Addresses lower case, `unlock_time` in unix seconds."""

    chain_id: int
    chain_name: str
    timelock_id: int
    recipient: str
    router: str
    unlock_time: int


def build_gift_body(
    kind: GiftKind,
    email: str,
    name: str,
    giver: str,
    link: str,
    about: GiftSubject,
    email_hash: bytes | None = None,
    language: Language = "en",
    number: str | None = None,
) -> bytes:
    """The body of `POST /send` for the recipient of a gift, or for its giver, who is told the recipient's name.

    `link` is the claim link with its fragment; without it in reminders and for the giver.
    """
    if kind.is_for_giver:
        name, giver = giver, name
    variables = {
        "name": name,
        "recipientName" if kind.is_for_giver else "giverName": giver,
        "claimUrl": link,
        "unlockAt": format_deadline(about.unlock_time),
        "timelockId": str(about.timelock_id),
        "chainName": about.chain_name,
        "chainId": about.chain_id,
        "recipientAddress": checksum_address(about.recipient),
        "routerAddress": checksum_address(about.router),
    }
    return _encode_body(kind, "gift", email, name, variables, email_hash, language, number)


def build_reminder_body(
    kind: ReminderKind,
    to: EmailAddressee,
    about: LegacySubject,
    deadline: int | None,
    number: str | None = None,
    **extra: object,
) -> bytes:
    """Return the body of `POST /send`. `number`: printed in the email.

    `extra`: variables from `format_amounts` and `format_role_counts`.
    """
    variables: dict[str, object] = {
        "name": to.name,
        "role": to.role.value,
        "legacyId": str(about.legacy_id),
        "legacyName": about.name,
        "legacyAddress": checksum_address(about.legacy),
        "chainName": about.chain_name,
        "chainId": about.chain_id,
        "ownerAddress": checksum_address(about.owner),
        "recipientAddress": checksum_address(to.wallet),
        "routerAddress": checksum_address(about.router),
        "claimFunction": about.claim_function,
        "actionUrl": about.page,
        "deadline": None if deadline is None else format_deadline(deadline),
    }
    if about.is_own_page:
        variables["legacyPage"] = about.page
        # The page compares the end with the connected wallet. No server sees it.
        if to.role not in (RecipientRole.OWNER, RecipientRole.COSIGNER):
            variables["actionUrl"] = f"{about.page}#wallet={to.wallet[-4:].lower()}"
    if about.owner_name:
        variables["ownerName"] = about.owner_name
    if about.title:
        variables["legacyTitle"] = about.title
    variables.update(extra)
    return _encode_body(
        kind,
        "reminder",
        to.email,
        to.name,
        variables,
        to.email_hash,
        to.language,
        number=number,
        time_zone=to.time_zone,
    )


def build_alert_body(kind: str, email: str, at: int, variables: Mapping[str, Any]) -> bytes:
    """The body of `POST /send` for operators. `at`: when it was raised, unix seconds; `variables` as stored."""
    return _encode_body(kind, "ops", email, "", {**variables, "at": format_deadline(at)})


def _encode_body(
    template: str,
    category: str,
    email: str,
    name: str,
    variables: Mapping[str, Any],
    email_hash: bytes | None = None,
    language: Language = "en",
    number: str | None = None,
    time_zone: str = "",
) -> bytes:
    """In English the body names no language, as in the previous release; without a time zone it names none."""
    body: dict[str, object] = {
        "template": template,
        "templateVersion": TEMPLATE_VERSION,
        "to": {"email": email, "name": name},
        "variables": variables,
        "category": category,
    }
    if language != "en":
        body["language"] = language
    if time_zone:
        body["timeZone"] = time_zone
    if email_hash is not None:
        body["reference"] = email_hash.hex()
    if number is not None:
        body["number"] = number
    return _encode(body)


def make_alert_variables(
    status: str, chain_id: int, chain_name: str, about: str, facts: Mapping[str, str | int]
) -> dict[str, Any]:
    """Return the variables of an alert's email. `status`: raised, cleared, unwatched or event; chain id 0: no chain."""
    if not chain_name:
        chain_name = f"chain {chain_id}" if chain_id else "all chains"
    return {
        "status": status,
        "chainId": chain_id,
        "chainName": chain_name,
        "about": about[:MAX_TEXT],
        "facts": [_format_fact(name, value) for name, value in facts.items()],
    }


def _format_fact(name: str, value: str | int) -> dict[str, str]:
    shown, words = fact_words(name, value)
    cut = f"{words[: MAX_TEXT - 1]}…" if len(words) > MAX_TEXT else words
    return {"name": shown[:MAX_TEXT], "value": cut or "none"}


def fact_words(name: str, value: str | int) -> tuple[str, str]:
    """`balance_wei` is shown as ether, `age_seconds` as a duration, `executable_at` as a time; the rest as it is."""
    words = str(value)
    if isinstance(value, int):
        stem, _, unit = name.rpartition("_")
        if unit == "wei":
            name, words = stem, f"{format_amount(value, 18)} ETH"
        elif unit == "seconds":
            name, words = stem, format_duration(value)
        elif unit == "at":
            words = format_deadline(value)
    return name.replace("_", " "), words


def format_amounts(amounts: Sequence[TokenAmount]) -> list[dict[str, str]]:
    """The variable `amounts`. A token that is not whitelisted is shown by its address: its symbol may be a lie."""
    return [
        {
            "token": amount.symbol or checksum_address(amount.token),
            "amount": format_amount(amount.units, amount.decimals),
            "tokenAddress": checksum_address(amount.token),
        }
        for amount in amounts
    ]


def format_role_counts(counts: Mapping[RecipientRole, int]) -> list[dict[str, Any]]:
    """The variable `told`: who was told, by role."""
    return [{"role": role.value, "count": counts[role]} for role in RecipientRole if counts.get(role)]


@lru_cache(maxsize=20_000)
def checksum_address(address: str) -> str:
    """EIP-55, as people compare it with an explorer."""
    return to_checksum_address(address)


def to_datetime(seconds: int) -> datetime:
    """Convert a chain's time. A time after the year 9999 becomes the end of that year."""
    return datetime.fromtimestamp(min(seconds, LATEST_TIME), UTC)


@lru_cache(maxsize=20_000)
def format_deadline(seconds: int) -> str:
    """As in `Tuesday, 24 November 2026, 15:04 UTC`. Locales have no say. At most the year 9999."""
    when = to_datetime(seconds)
    return f"{_DAYS[when.weekday()]}, {when.day} {_MONTHS[when.month - 1]} {when.year}, {when:%H:%M} UTC"


def format_clock(unix_seconds: float) -> str:
    """Return `2026-11-24 15:04 UTC`."""
    return datetime.fromtimestamp(unix_seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def format_duration(seconds: int) -> str:
    """`42 seconds`, `5 minutes`, `3 hours`, `2 days`: the largest unit with a value of two or more, rounded down."""
    for unit, size in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}"
    return f"{seconds} seconds"


def format_amount(units: int, decimals: int | None) -> str:
    """Every digit, nothing rounded: `12,500.5`. Without usable decimals the base units are named as such."""
    if decimals is None or not 0 <= decimals <= 36:
        return f"{units:,} base units"
    whole, part = divmod(units, 10**decimals)
    fraction = f"{part:0{decimals}d}".rstrip("0") if decimals else ""
    return f"{whole:,}.{fraction}" if fraction else f"{whole:,}"


def may_mail(email: str, chain: "ChainSettings", settings: "Settings") -> bool:
    """Return whether we may write to a normalised address. Premium costs next to nothing on a test chain, so strangers
    could make us write to anybody: a test chain mails only the addresses of `MAIL_ALLOWLIST`."""
    if settings.is_local or not chain.is_test_chain:
        return True
    return settings.mail is not None and is_allowed(email, settings.mail.allowlist)


def is_allowed(email: str, allowlist: Collection[str]) -> bool:
    """Return whether an address, or its `@domain`, is in the list. All are normalised."""
    return email in allowlist or "@" + email.rpartition("@")[2] in allowlist
