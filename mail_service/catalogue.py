"""Every email this service can write: its version, subject, variables and sample data.

The words are in `templates/words/<name>.j2`, one file for the HTML and the text part. A change that an
already stored request could notice (a variable added, removed or retyped) needs a new version, beside the earlier one:
workers not yet replaced post that, and an undecided email is posted again as it was.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal

Category = Literal["reminder", "gift", "ops"]

ROLES: Mapping[str, str] = MappingProxyType(
    {
        "owner": "Owner",
        "cosigner": "Co-signer",
        "beneficiary": "Beneficiary",
        "second_line": "Second in line",
        "third_line": "Third in line",
    }
)
LINES: Mapping[str, int] = MappingProxyType(
    {"owner": 0, "cosigner": 0, "beneficiary": 1, "second_line": 2, "third_line": 3}
)


class VariableKind(StrEnum):
    """Kind of a variable's value. Text of any kind holds no control character and nothing that reads as a URL."""

    TEXT = "text"
    ADDRESS = "address"  # 0x and 40 hex digits
    INTEGER = "integer"  # a JSON integer or its decimal digits, not negative
    URL = "url"  # of APP_ORIGIN only
    GIFT_LINK = "gift_link"  # a claim link, of GIFT_ORIGINS only
    ROLE = "role"  # a key of ROLES
    ROWS = "rows"  # a list of objects with exactly the columns


@dataclass(frozen=True, slots=True)
class TemplateVariable:
    """One variable. An optional one may be absent or null; `blank` text may be ""."""

    name: str
    kind: VariableKind
    required: bool = True
    blank: bool = False
    columns: tuple["TemplateVariable", ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True)
class EmailTemplate:
    """One email. `subject` is a text template; no variable that can hold a person's name may occur in it."""

    name: str
    version: int
    category: Category
    subject: str
    variables: tuple[TemplateVariable, ...]
    sample: Mapping[str, Any]


_COMMON = (
    TemplateVariable("name", VariableKind.TEXT, blank=True, description="the recipient's name, may be empty"),
    TemplateVariable("role", VariableKind.ROLE, description="the recipient's role; decides the wording"),
    TemplateVariable("legacyId", VariableKind.INTEGER, description="id of the legacy at its router"),
    TemplateVariable("legacyName", VariableKind.TEXT, blank=True, description="the legacy's name, may be empty"),
    TemplateVariable("legacyAddress", VariableKind.ADDRESS, description="the legacy's contract"),
    TemplateVariable("chainName", VariableKind.TEXT, description="the chain's name in words"),
    TemplateVariable("chainId", VariableKind.INTEGER, description="the chain's id"),
    TemplateVariable("ownerAddress", VariableKind.ADDRESS, description="the owner's wallet"),
    TemplateVariable("actionUrl", VariableKind.URL, description="where the button leads; origin APP_ORIGIN"),
)
_DEADLINE = TemplateVariable(
    "deadline", VariableKind.TEXT, description="in words with time zone, as in: Tuesday, 24 November 2026, 15:04 UTC"
)
_MAYBE_DEADLINE = TemplateVariable(
    "deadline", VariableKind.TEXT, required=False, blank=True, description=_DEADLINE.description
)
_AMOUNTS = TemplateVariable(
    "amounts",
    VariableKind.ROWS,
    columns=(
        TemplateVariable("token", VariableKind.TEXT, description="symbol of a whitelisted token, else its address"),
        TemplateVariable("amount", VariableKind.TEXT, description="as shown, in whole tokens"),
        TemplateVariable("tokenAddress", VariableKind.ADDRESS, description="the token's contract"),
    ),
    description="what the recipient received in this transaction (for the owner: everything); may be empty",
)
_TOLD = TemplateVariable(
    "told",
    VariableKind.ROWS,
    columns=(
        TemplateVariable("role", VariableKind.ROLE, description="role of the people told"),
        TemplateVariable("count", VariableKind.INTEGER, description="how many of them"),
    ),
    description="who was told, counted by role; shown to the owner only; may be empty",
)
_ROUTER = TemplateVariable(
    "routerAddress", VariableKind.ADDRESS, required=False, description="the router contract through which one claims"
)

_SAMPLE = {
    "name": "Anna Example",
    "role": "beneficiary",
    "legacyId": "42",
    "legacyName": "Family savings",
    "legacyAddress": "0x8ba1f109551bD432803012645Ac136ddd64DBA72",
    "chainName": "Ethereum",
    "chainId": 1,
    "ownerAddress": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "deadline": "Tuesday, 24 November 2026, 15:04 UTC",
    "actionUrl": "{origin}/legacy/1/42",
}
_AMOUNTS_SAMPLE = [
    {"token": "USDC", "amount": "12,500.00", "tokenAddress": "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"},
    {"token": "WETH", "amount": "3.25", "tokenAddress": "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"},
]
_TOLD_SAMPLE = [{"role": "beneficiary", "count": 2}, {"role": "second_line", "count": 1}]

_LEGACY = "legacy {{ legacyId }} on {{ chainName }}"


def _template(
    name: str,
    subject: str,
    *extra: TemplateVariable,
    deadline: TemplateVariable = _DEADLINE,
    sample: Mapping[str, Any] | None = None,
) -> EmailTemplate:
    variables = (*_COMMON, deadline, *extra)
    return EmailTemplate(name, 1, "reminder", subject, variables, MappingProxyType({**_SAMPLE, **(sample or {})}))


_OPS = (
    TemplateVariable(
        "status", VariableKind.TEXT, description="raised, cleared, unwatched (by anybody), or event (has no end)"
    ),
    TemplateVariable("chainName", VariableKind.TEXT, description="the chain's name in words"),
    TemplateVariable("chainId", VariableKind.INTEGER, description="the chain's id; 0: not of one chain"),
    TemplateVariable(
        "about", VariableKind.TEXT, blank=True, description="what it is about, as an address on chain; may be empty"
    ),
    TemplateVariable("at", VariableKind.TEXT, description="when it was seen, in words with time zone"),
    TemplateVariable(
        "facts",
        VariableKind.ROWS,
        columns=(
            TemplateVariable("name", VariableKind.TEXT, description="as shown"),
            TemplateVariable("value", VariableKind.TEXT, description="as shown"),
        ),
        description="public facts, in order; may be empty",
    ),
)
_OPS_SAMPLE = {
    "status": "raised",
    "chainName": "Ethereum",
    "chainId": 1,
    "about": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "at": "Tuesday, 24 November 2026, 15:04 UTC",
}


_GIFT = (
    TemplateVariable("name", VariableKind.TEXT, blank=True, description="the recipient's name, may be empty"),
    TemplateVariable("giverName", VariableKind.TEXT, blank=True, description="the giver's name, may be empty"),
    TemplateVariable(
        "claimUrl", VariableKind.GIFT_LINK, description="the claim link with its fragment; origin of GIFT_ORIGINS"
    ),
    TemplateVariable("unlockAt", VariableKind.TEXT, description="when it opens, in words with time zone"),
    TemplateVariable("timelockId", VariableKind.INTEGER, description="the gift's number on its chain"),
    TemplateVariable("chainName", VariableKind.TEXT, description="the chain's name in words"),
    TemplateVariable("chainId", VariableKind.INTEGER, description="the chain's id"),
    TemplateVariable("recipientAddress", VariableKind.ADDRESS, description="the wallet that it is sealed to"),
    TemplateVariable("routerAddress", VariableKind.ADDRESS, description="the contract through which it is received"),
)
_GIFT_SAMPLE = {
    "name": "Anna",
    "giverName": "Grandpa",
    "claimUrl": "{gift_origin}/gifts/1/42?o=birthday#g=eyJ2IjoxLCJ0byI6IkFubmEiLCJmcm9tIjoiR3JhbmRwYSIsIm5vdGUiOiIifQ",
    "unlockAt": "Tuesday, 24 November 2026, 15:04 UTC",
    "timelockId": "42",
    "chainName": "Ethereum",
    "chainId": 1,
    "recipientAddress": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "routerAddress": "0x2B947E3c348c81409f8e8fc5ef8F65d9dFf76A42",
}


def _gift(name: str, subject: str) -> EmailTemplate:
    return EmailTemplate(name, 1, "gift", subject, _GIFT, MappingProxyType(_GIFT_SAMPLE))


def _alert(name: str, subject: str, facts: Mapping[str, str], **sample: Any) -> EmailTemplate:
    """For operators. `subject` is what is wrong, in a few words; how it ended is said in front of it."""
    rows = [{"name": label, "value": value} for label, value in facts.items()]
    words = "{{ {'cleared': 'Over: ', 'unwatched': 'Not watched any more: '}.get(status, '') }}" + subject
    return EmailTemplate(name, 1, "ops", words, _OPS, MappingProxyType({**_OPS_SAMPLE, "facts": rows, **sample}))


_UPGRADE_CALL = {
    "contract": "0x8dAF17A20c9DBA35f005b6324F493785D239719d",
    "function": "upgradeAndCall(address,address,bytes)",
    "proxy": "PremiumSetting 0x5223E0D4D1f0BE6Bf5De7cA6D2Fa9BFB6447013f",
    "new implementation": "0x99bbA657f2BbC93c02D617f8bA121cB8Fc104Acf",
    "its code": "4,021 bytes, keccak-256 0x7b6f1d3ad7c2ab0b5b6c1f1b4b8f0c1d9a2e5d40a3c5e1f60a7b8c9d0e1f2a3b",
}
_UPGRADE_LOOK = {
    "transaction": "0x4cecb6437df28881297dd8560c0a2b43cbff2982c8c4eb74173d321e7b43efc8",
    "look with": "reminder-worker upgrades show "
    "0x93ecf1f999f58fe58d4aa904cfc2eff29a37b4dba77e467d6a91e889e7f4e290 --chain 1",
}


def _upgrade(name: str, subject: str, facts: Mapping[str, str], status: str = "event") -> EmailTemplate:
    operation = {} if "delay" in name or "role" in name else {"about": _OPERATION}
    grave = "{% for fact in facts if fact.name == 'beware' %}Graver than an upgrade: {% endfor %}"
    return _alert("upgrade_" + name, grave + subject, facts, status=status, **operation)


_OPERATION = "0x93ecf1f999f58fe58d4aa904cfc2eff29a37b4dba77e467d6a91e889e7f4e290"
_UPGRADES = (
    _upgrade(
        "scheduled",
        "Scheduled on the UpgradeTimelock of {{ chainName }}",
        {
            "state": "waits for its time",
            "executable at": "Tuesday, 24 November 2026, 15:04 UTC",
            "delay": "2 days",
            "scheduled at": "Sunday, 22 November 2026, 15:04 UTC",
            "sent by": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
            **_UPGRADE_CALL,
            **_UPGRADE_LOOK,
            "final": "not yet: a reorganisation may take it back; you hear of either",
        },
    ),
    _upgrade(
        "corrected",
        "Corrected: the UpgradeTimelock of {{ chainName }} after a reorganisation",
        {"what": "scheduled", "now": "taken back: its transaction is not in the chain any more", **_UPGRADE_LOOK},
    ),
    _upgrade(
        "executable",
        "May be executed now: an operation of the UpgradeTimelock of {{ chainName }}",
        {"state": "may be executed now", **_UPGRADE_CALL, **_UPGRADE_LOOK},
    ),
    _upgrade(
        "executed",
        "Executed by the UpgradeTimelock of {{ chainName }}",
        {"executed at": "Tuesday, 24 November 2026, 15:04 UTC", **_UPGRADE_CALL, **_UPGRADE_LOOK, "final": "yes"},
    ),
    _upgrade(
        "unseen",
        "Executed without having been seen: the UpgradeTimelock of {{ chainName }}",
        {"executed at": "Tuesday, 24 November 2026, 15:04 UTC", **_UPGRADE_CALL, **_UPGRADE_LOOK, "final": "yes"},
    ),
    _upgrade(
        "cancelled",
        "Cancelled on the UpgradeTimelock of {{ chainName }}",
        {"cancelled at": "Monday, 23 November 2026, 15:04 UTC", **_UPGRADE_CALL, **_UPGRADE_LOOK, "final": "yes"},
    ),
    _upgrade(
        "delay_changed",
        "The UpgradeTimelock of {{ chainName }} has another delay",
        {
            "before": "2 days (172800 seconds)",
            "now": "24 hours (86400 seconds)",
            "changed at": "Tuesday, 24 November 2026, 15:04 UTC",
        },
    ),
    _upgrade(
        "delay_short",
        "The delay of the UpgradeTimelock of {{ chainName }} is below 48 hours",
        {"delay": "24 hours", "alert below": "2 days"},
        status="raised",
    ),
    _upgrade(
        "role_changed",
        "A role on the UpgradeTimelock of {{ chainName }} was changed",
        {
            "role": "PROPOSER_ROLE",
            "granted to": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
            "granted at": "Tuesday, 24 November 2026, 15:04 UTC",
        },
    ),
)


_ALL = (
    _template(
        "owner_reset",
        "{% if line == 0 %}Your activity was recorded: " + _LEGACY + "{% elif deadline %}"
        "The owner is active: the timer of " + _LEGACY + " starts anew{% else %}"
        "The owner was active: the timer of " + _LEGACY + " started anew{% endif %}",
        deadline=_MAYBE_DEADLINE,
    ),
    _template(
        "activated_multisig",
        "Activated: " + _LEGACY,
        deadline=_MAYBE_DEADLINE,
        sample={"deadline": None},
    ),
    _template(
        "activated_transfer",
        "Transferred: a claim was made from " + _LEGACY,
        _AMOUNTS,
        deadline=_MAYBE_DEADLINE,
        sample={"amounts": _AMOUNTS_SAMPLE, "deadline": None},
    ),
    _template(
        "before_activation",
        "{% if line == 0 %}Please check in: " + _LEGACY + " is close to its deadline"
        "{% else %}Nothing to do yet: " + _LEGACY + " may open soon{% endif %}",
    ),
    _template(
        "ready_to_activate",
        "{% if line == 0 %}Please check in now: the deadline of " + _LEGACY + " has passed"
        "{% elif line == 1 %}You can now claim from "
        + _LEGACY
        + "{% else %}Claims are open: "
        + _LEGACY
        + "{% endif %}",
    ),
    _template(
        "before_layer2",
        "{% if line == 0 %}Please check in: " + _LEGACY + " soon opens to the second in line"
        "{% elif line == 1 %}Others can soon claim too: " + _LEGACY + " opens to the second in line"
        "{% else %}Nothing to do yet: " + _LEGACY + " may open to the second in line{% endif %}",
    ),
    _template(
        "layer2_ready",
        "{% if line == 2 %}You can now claim from " + _LEGACY + "{% else %}"
        "Now open to the second in line: " + _LEGACY + "{% endif %}",
    ),
    _template(
        "before_layer3",
        "{% if line == 0 %}Please check in: " + _LEGACY + " soon opens to the third in line"
        "{% elif line < 3 %}Please claim soon: " + _LEGACY + " opens to the third in line"
        "{% else %}Nothing to do yet: " + _LEGACY + " may open to the third in line{% endif %}",
    ),
    _template(
        "layer3_ready",
        "{% if line == 3 %}You can now claim from " + _LEGACY + "{% else %}"
        "Now open to the third in line: " + _LEGACY + "{% endif %}",
    ),
    _template(
        "instructions",
        "{% if role == 'owner' %}Your instructions {{ 'are on their way' if told else 'reached nobody' }}: "
        + _LEGACY
        + "{% else %}"
        "Please keep this email: instructions for " + _LEGACY + "{% endif %}",
        _TOLD,
        _ROUTER,
        deadline=_MAYBE_DEADLINE,
        sample={"told": _TOLD_SAMPLE, "routerAddress": "0x4E81E1Ed3F6684EB948F8956b8787967b1a6275b"},
    ),
    _template(
        "auto_renew_budget",
        "Please check in: auto-renew of " + _LEGACY + " is about to end",
        sample={"role": "owner"},
    ),
    _gift("gift_waiting", "A gift is waiting for you on {{ chainName }}"),
    _gift("gift_unlocked", "Your gift on {{ chainName }} is open"),
    _alert(
        "relayer_low_balance",
        "A paying wallet on {{ chainName }} is running low",
        {"balance": "0.0421 ETH", "pays for": "38 relays", "alert below": "50 relays"},
    ),
    _alert(
        "relayer_stopped",
        "A paying wallet on {{ chainName }} was stopped",
        {"reason": "foreign_nonce", "nonce": "412", "open requests": "3"},
    ),
    _alert(
        "relay_stuck",
        "A relayed transaction on {{ chainName }} is stuck",
        {"nonce": "412", "waiting since": "25 minutes", "tried with": "5 fees", "behind it": "2 requests"},
    ),
    _alert(
        "relay_cap_used",
        "A paying wallet on {{ chainName }} has used nearly all of its day's budget",
        {"requests today": "460 of 500", "spent today": "0.0421 ETH", "cap": "0.2 ETH"},
    ),
    _alert(
        "relay_not_final",
        "Relayed transactions on {{ chainName }} come to no end",
        {"requests": "2", "oldest": "3 hours", "its key": "is not configured: nobody follows them"},
    ),
    _alert(
        "worker_stalled",
        "A part of the worker stands still: {{ about }}, {{ chainName }}",
        {
            "pass": "due",
            "looked at every": "60 seconds",
            "last success": "12 minutes",
            "last error": "ChainUnavailable",
        },
        about="due",
    ),
    _alert(
        "index_lagging",
        "Reading {{ chainName }} falls behind: {{ about }}",
        {"blocks behind": "240", "newest block": "21000240"},
        about="index",
    ),
    _alert(
        "index_gap",
        "Something of {{ chainName }} is missing in the index",
        {"missing": "timelock 17", "to be read again from block": "21000240"},
        about="index",
    ),
    _alert(
        "rpc_trouble",
        "Trouble with the RPC endpoints of {{ chainName }}: {{ about }}",
        {"endpoints that answer": "1 of 2"},
        about="no answer",
    ),
    _alert(
        "emails_need_hand",
        "Emails need a decision",
        {"held": "1", "dead": "2", "alerts refused": "0"},
        chainName="all chains",
        chainId=0,
        about="emails",
    ),
    _alert(
        "emails_late",
        "Emails do not get out",
        {"emails": "120", "oldest": "42 minutes"},
        chainName="all chains",
        chainId=0,
        about="emails",
    ),
    _alert(
        "failures_growing",
        "Failures are growing",
        {"failed in the last hour": "37"},
        chainName="all chains",
        chainId=0,
        about="reminders",
    ),
    *_UPGRADES,
    _alert(
        "alerts_digest",
        "Many alerts in a short time",
        {"relay stuck raised": "12: 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed on Ethereum"},
        status="event",
        chainName="all chains",
        chainId=0,
        about="",
    ),
)

TEMPLATES: Mapping[str, EmailTemplate] = MappingProxyType({template.name: template for template in _ALL})
NAME_VARIABLES = frozenset({"name", "legacyName", "giverName"})
"""Variables a person's name can be in: kept out of every subject."""
