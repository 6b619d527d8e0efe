"""Every email this service can write: its version, subject, variables and sample data.

The words are in `templates/words/<name>.j2`, one file for the HTML and the text part. A change that an
already stored request could notice (a variable added, removed or retyped) needs a new version, beside the earlier one:
workers not yet replaced post that, and an undecided email is posted again as it was.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

from mail_service.variables import TemplateVariable, VariableKind

Category = Literal["reminder", "gift", "ops"]

LINES: Mapping[str, int] = MappingProxyType(
    {"owner": 0, "cosigner": 0, "beneficiary": 1, "second_line": 2, "third_line": 3}
)


@dataclass(frozen=True, slots=True)
class EmailTemplate:
    """One email. `subject` is a text template; no variable that can hold a person's name may occur in it."""

    name: str
    version: int
    category: Category
    subject: str
    variables: tuple[TemplateVariable, ...]
    sample: Mapping[str, Any]


_FURTHER = (
    TemplateVariable(
        "remindersLeft",
        VariableKind.INTEGER,
        required=False,
        description="of a further email about a deadline: how many more may follow; absent in the first one",
    ),
    TemplateVariable(
        "daysOpen",
        VariableKind.INTEGER,
        required=False,
        description="in a further email to an heir: claims have been open for more than so many days",
    ),
    TemplateVariable(
        "remindedUntil",
        VariableKind.TIME,
        required=False,
        description="end of the owner's Premium, if it ends before the next email about these claims",
    ),
)
# `legacy` is the number or the title, as a message.
_LEGACY = "{{ legacy }} on {{ chainName }}"


def _mark_messages(subject: str) -> str:
    """Each case of a subject is one message to be translated."""
    return re.sub(r"(?:^|(?<=%}))((?:(?!{%).)+)", r"{% trans %}\1{% endtrans %}", subject)


def _make_reminder(
    name: str,
    subject: str,
    *extra: TemplateVariable,
    has_deadline: bool = True,
    sample: Mapping[str, Any] | None = None,
) -> EmailTemplate:
    """`has_deadline` False: the deadline may be missing or empty."""
    common = (
        TemplateVariable("name", blank=True, description="the recipient's name, may be empty"),
        TemplateVariable("role", VariableKind.ROLE, description="the recipient's role; decides the wording"),
        TemplateVariable("legacyId", VariableKind.INTEGER, description="id of the legacy at its router"),
        TemplateVariable("legacyName", blank=True, description="the legacy's name on chain, may be empty"),
        TemplateVariable(
            "legacyTitle",
            required=False,
            blank=True,
            description="the owner's title of the legacy, in place of its number",
        ),
        TemplateVariable(
            "ownerName", required=False, blank=True, description="who made the legacy, in the owner's words"
        ),
        TemplateVariable("legacyAddress", VariableKind.ADDRESS, description="the legacy's contract"),
        TemplateVariable("chainName", description="the chain's name in words"),
        TemplateVariable("chainId", VariableKind.INTEGER, description="the chain's id"),
        TemplateVariable("ownerAddress", VariableKind.ADDRESS, description="the owner's wallet"),
        TemplateVariable(
            "recipientAddress",
            VariableKind.ADDRESS,
            required=False,
            description="the recipient's own wallet, as the legacy names it",
        ),
        TemplateVariable(
            "routerAddress",
            VariableKind.ADDRESS,
            required=False,
            description="the router contract through which one claims",
        ),
        TemplateVariable(
            "claimFunction",
            required=False,
            description="function of the router for a beneficiary's claim, with arguments",
        ),
        TemplateVariable("actionUrl", VariableKind.URL, description="where the button leads; origin APP_ORIGIN"),
        TemplateVariable(
            "legacyPage",
            VariableKind.URL,
            required=False,
            description="the worker's own page of the legacy, where the button leads to it; origin APP_ORIGIN",
        ),
    )
    deadline = TemplateVariable(
        "deadline",
        VariableKind.TIME,
        required=has_deadline,
        blank=not has_deadline,
        description="in words with time zone, as in: Tuesday, 24 November 2026, 15:04 UTC",
    )
    values = {
        "name": "Anna Example",
        "role": "beneficiary",
        "legacyId": "42",
        "legacyName": "Family savings",
        "legacyAddress": "0x8ba1f109551bD432803012645Ac136ddd64DBA72",
        "chainName": "Ethereum",
        "chainId": 1,
        "ownerAddress": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        "recipientAddress": "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
        "routerAddress": "0x4E81E1Ed3F6684EB948F8956b8787967b1a6275b",
        "claimFunction": "activeLegacy(uint256 legacyId, address[] assets, bool isETH)",
        "deadline": "Tuesday, 24 November 2026, 15:04 UTC",
        "actionUrl": "{origin}/legacy/1/42",
    }
    variables = (*common, deadline, *extra)
    return EmailTemplate(
        name, 1, "reminder", _mark_messages(subject), variables, MappingProxyType(values | dict(sample or {}))
    )


def _make_gift(name: str, subject: str) -> EmailTemplate:
    variables = (
        TemplateVariable("name", blank=True, description="the recipient's name, may be empty"),
        TemplateVariable("giverName", blank=True, description="the giver's name, may be empty"),
        TemplateVariable(
            "claimUrl", VariableKind.GIFT_LINK, description="the claim link with its fragment; origin of GIFT_ORIGINS"
        ),
        TemplateVariable("unlockAt", VariableKind.TIME, description="when it opens, in words with time zone"),
        TemplateVariable("timelockId", VariableKind.INTEGER, description="the gift's number on its chain"),
        TemplateVariable("chainName", description="the chain's name in words"),
        TemplateVariable("chainId", VariableKind.INTEGER, description="the chain's id"),
        TemplateVariable("recipientAddress", VariableKind.ADDRESS, description="the wallet that it is sealed to"),
        TemplateVariable(
            "routerAddress", VariableKind.ADDRESS, description="the contract through which it is received"
        ),
    )
    sample = {
        "name": "Anna",
        "giverName": "Grandpa",
        "claimUrl": "{gift_origin}/gifts/1/42?o=birthday"
        "#g=eyJ2IjoxLCJ0byI6IkFubmEiLCJmcm9tIjoiR3JhbmRwYSIsIm5vdGUiOiIifQ",
        "unlockAt": "Tuesday, 24 November 2026, 15:04 UTC",
        "timelockId": "42",
        "chainName": "Ethereum",
        "chainId": 1,
        "recipientAddress": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        "routerAddress": "0x2B947E3c348c81409f8e8fc5ef8F65d9dFf76A42",
    }
    return EmailTemplate(name, 1, "gift", _mark_messages(subject), variables, MappingProxyType(sample))


def _make_giver(name: str, subject: str) -> EmailTemplate:
    """An email to the giver: `name` is the giver's, `recipientName` the recipient's. The link has no fragment."""
    gift = _make_gift(name, subject)
    recipient = TemplateVariable("recipientName", blank=True, description="the recipient's name, may be empty")
    variables = [each for each in gift.variables if each.name not in ("name", "giverName")]
    sample = {key: value for key, value in gift.sample.items() if key != "giverName"}
    sample |= {"name": "Grandpa", "recipientName": "Anna", "claimUrl": "{gift_origin}/gifts/1/42"}
    own = TemplateVariable("name", blank=True, description="the giver's name, may be empty")
    return replace(gift, variables=(own, recipient, *variables), sample=MappingProxyType(sample))


def _make_alert(name: str, subject: str, facts: Mapping[str, str], **sample: Any) -> EmailTemplate:
    """An email for operators. `subject` is what is wrong, in a few words; how it ended is said in front of it."""
    variables = (
        TemplateVariable("status", description="raised, cleared, unwatched (by anybody), or event (has no end)"),
        TemplateVariable("chainName", description="the chain's name in words"),
        TemplateVariable("chainId", VariableKind.INTEGER, description="the chain's id; 0: not of one chain"),
        TemplateVariable("about", blank=True, description="subject of the alert, an address on chain; may be empty"),
        TemplateVariable("at", description="when it was seen, in words with time zone"),
        TemplateVariable(
            "facts",
            VariableKind.ROWS,
            columns=(
                TemplateVariable("name", description="as shown"),
                TemplateVariable("value", description="as shown"),
            ),
            description="public facts, in order; may be empty",
        ),
    )
    values = {
        "status": "raised",
        "chainName": "Ethereum",
        "chainId": 1,
        "about": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        "at": "Tuesday, 24 November 2026, 15:04 UTC",
        "facts": [{"name": label, "value": value} for label, value in facts.items()],
    }
    words = "{{ {'cleared': 'Over: ', 'unwatched': 'Not watched any more: '}.get(status, '') }}" + subject
    return EmailTemplate(name, 1, "ops", words, variables, MappingProxyType(values | sample))


_ALL_CHAINS: Mapping[str, Any] = MappingProxyType({"chainName": "all chains", "chainId": 0})
_OPERATION = "0x93ecf1f999f58fe58d4aa904cfc2eff29a37b4dba77e467d6a91e889e7f4e290"
_UPGRADE_CALL = {
    "contract": "0x8dAF17A20c9DBA35f005b6324F493785D239719d",
    "function": "upgradeAndCall(address,address,bytes)",
    "proxy": "PremiumSetting 0x5223E0D4D1f0BE6Bf5De7cA6D2Fa9BFB6447013f",
    "new implementation": "0x99bbA657f2BbC93c02D617f8bA121cB8Fc104Acf",
    "its code": "4,021 bytes, keccak-256 0x7b6f1d3ad7c2ab0b5b6c1f1b4b8f0c1d9a2e5d40a3c5e1f60a7b8c9d0e1f2a3b",
}
_UPGRADE_LOOK = {
    "transaction": "0x4cecb6437df28881297dd8560c0a2b43cbff2982c8c4eb74173d321e7b43efc8",
    "look with": f"reminder-worker upgrades show {_OPERATION} --chain 1",
}


def _make_upgrade(name: str, subject: str, facts: Mapping[str, str], status: str = "event") -> EmailTemplate:
    operation = {} if "delay" in name or "role" in name or "past" in name else {"about": _OPERATION}
    grave = "{% for fact in facts if fact.name == 'beware' %}Graver than an upgrade: {% endfor %}"
    return _make_alert("upgrade_" + name, grave + subject, facts, status=status, **operation)


_ALL = (
    _make_reminder(
        "owner_reset",
        "{% if line == 0 %}Your activity was recorded: " + _LEGACY + "{% elif deadline %}"
        "The owner is active: the timer of " + _LEGACY + " starts anew{% else %}"
        "The owner was active: the timer of " + _LEGACY + " started anew{% endif %}",
        has_deadline=False,
    ),
    _make_reminder("activated_multisig", "Activated: " + _LEGACY, has_deadline=False, sample={"deadline": None}),
    _make_reminder(
        "activated_transfer",
        "Transferred: a claim was made from " + _LEGACY,
        TemplateVariable(
            "amounts",
            VariableKind.ROWS,
            columns=(
                TemplateVariable("token", description="symbol of a whitelisted token, else its address"),
                TemplateVariable("amount", description="as shown, in whole tokens"),
                TemplateVariable("tokenAddress", VariableKind.ADDRESS, description="the token's contract"),
            ),
            description="what the recipient received in this transaction (for the owner: everything); may be empty",
        ),
        has_deadline=False,
        sample={
            "amounts": [
                {"token": "USDC", "amount": "12,500.00", "tokenAddress": "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"},
                {"token": "WETH", "amount": "3.25", "tokenAddress": "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"},
            ],
            "deadline": None,
        },
    ),
    _make_reminder(
        "before_activation",
        "{% if line == 0 and remindersLeft is not none %}Last reminder, please check in: "
        + _LEGACY
        + "{% elif line == 0 %}"
        "Please check in: " + _LEGACY + " is close to its deadline"
        "{% else %}Nothing to do yet: " + _LEGACY + " may open soon{% endif %}",
        _FURTHER[0],
    ),
    _make_reminder(
        "ready_to_activate",
        "{% if line == 0 %}Please check in now: the deadline of " + _LEGACY + " has passed"
        "{% elif line == 1 and daysOpen %}Nobody has claimed yet: "
        + _LEGACY
        + "{% elif line == 1 %}You can now claim from "
        + _LEGACY
        + "{% else %}The beneficiaries can now claim: "
        + _LEGACY
        + "{% endif %}",
        *_FURTHER,
    ),
    _make_reminder(
        "before_layer2",
        "{% if line == 0 %}Please check in: " + _LEGACY + " soon opens to the second in line"
        "{% elif line == 1 %}Others can soon claim too: " + _LEGACY + " opens to the second in line"
        "{% else %}Nothing to do yet: " + _LEGACY + " may open to the second in line{% endif %}",
    ),
    _make_reminder(
        "layer2_ready",
        "{% if line and daysOpen %}Nobody has claimed yet, open also to the second in line: "
        + _LEGACY
        + "{% elif line == 2 %}"
        "You can now claim from " + _LEGACY + "{% else %}"
        "Now open to the second in line: " + _LEGACY + "{% endif %}",
        *_FURTHER,
    ),
    _make_reminder(
        "before_layer3",
        "{% if line == 0 %}Please check in: " + _LEGACY + " soon opens to the third in line"
        "{% elif line < 3 %}Please claim soon: " + _LEGACY + " opens to the third in line"
        "{% else %}Nothing to do yet: " + _LEGACY + " may open to the third in line{% endif %}",
    ),
    _make_reminder(
        "layer3_ready",
        "{% if line and daysOpen %}Nobody has claimed yet, open also to the third in line: "
        + _LEGACY
        + "{% elif line == 3 %}"
        "You can now claim from " + _LEGACY + "{% else %}"
        "Now open to the third in line: " + _LEGACY + "{% endif %}",
        *_FURTHER,
    ),
    _make_reminder(
        "instructions",
        "{% if role == 'owner' and told %}Your instructions are on their way: "
        + _LEGACY
        + "{% elif role == 'owner' %}Your instructions reached nobody: "
        + _LEGACY
        + "{% else %}"
        "Please keep this email: instructions for " + _LEGACY + "{% endif %}",
        TemplateVariable(
            "told",
            VariableKind.ROWS,
            columns=(
                TemplateVariable("role", VariableKind.ROLE, description="role of the people told"),
                TemplateVariable("count", VariableKind.INTEGER, description="how many of them"),
            ),
            description="who was told, counted by role; shown to the owner only; may be empty",
        ),
        has_deadline=False,
        sample={"told": [{"role": "beneficiary", "count": 2}, {"role": "second_line", "count": 1}]},
    ),
    _make_reminder(
        "auto_renew_budget", "Please check in: auto-renew of " + _LEGACY + " is about to end", sample={"role": "owner"}
    ),
    _make_reminder(
        "premium_ending", "Your Premium ends soon, and reminders about " + _LEGACY + " pause", sample={"role": "owner"}
    ),
    _make_reminder(
        "premium_lapsed", "Your Premium has ended: no more reminders about " + _LEGACY, sample={"role": "owner"}
    ),
    _make_reminder(
        "guard_removed",
        "Your Safe has lost its guard: no more reminders about " + _LEGACY,
        has_deadline=False,
        sample={"role": "owner"},
    ),
    _make_reminder(
        "module_disabled",
        "Nobody can claim from " + _LEGACY + ": its module is off in your Safe",
        has_deadline=False,
        sample={"role": "owner"},
    ),
    _make_reminder(
        "recipients_gap",
        "Not everybody you saved will be reminded: " + _LEGACY,
        TemplateVariable(
            "people",
            VariableKind.ROWS,
            columns=(
                TemplateVariable("wallet", VariableKind.ADDRESS, description="the person's wallet"),
                TemplateVariable("role", VariableKind.ROLE, description="the person's role"),
                TemplateVariable("reason", description="not_configured, not_a_member, address_returns or not_reminded"),
            ),
            description="people of the set who get no emails",
        ),
        has_deadline=False,
        sample={
            "role": "owner",
            "people": [
                {
                    "wallet": "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
                    "role": "beneficiary",
                    "reason": "not_configured",
                },
                {
                    "wallet": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
                    "role": "second_line",
                    "reason": "address_returns",
                },
                {
                    "wallet": "0x8ba1f109551bD432803012645Ac136ddd64DBA72",
                    "role": "third_line",
                    "reason": "not_reminded",
                },
            ],
        },
    ),
    _make_gift("gift_waiting", "A gift is waiting for you on {{ chainName }}"),
    _make_gift("gift_unlocked", "Your gift on {{ chainName }} is open"),
    _make_gift("gift_reminder_30", "Your gift on {{ chainName }} is still waiting"),
    _make_gift("gift_reminder_90", "Your gift on {{ chainName }} is still waiting"),
    _make_gift("gift_reminder_365", "Your gift on {{ chainName }} is still waiting"),
    _make_giver("giver_opened", "Your gift on {{ chainName }} was opened"),
    _make_giver("giver_returned", "Our email about your gift on {{ chainName }} came back"),
    _make_giver("giver_unopened", "Your gift on {{ chainName }} is not opened yet"),
    _make_alert(
        "relayer_low_balance",
        "A paying wallet on {{ chainName }} is running low",
        {"balance": "0.0421 ETH", "pays for": "38 relays", "alert below": "50 relays"},
    ),
    _make_alert(
        "relayer_stopped",
        "A paying wallet on {{ chainName }} was stopped",
        {"reason": "foreign_nonce", "nonce": "412", "open requests": "3"},
    ),
    _make_alert(
        "relay_stuck",
        "A relayed transaction on {{ chainName }} is stuck",
        {"nonce": "412", "waiting since": "25 minutes", "tried with": "5 fees", "behind it": "2 requests"},
    ),
    _make_alert(
        "relay_cap_used",
        "A paying wallet on {{ chainName }} has used nearly all of its day's budget",
        {"requests today": "460 of 500", "spent today": "0.0421 ETH", "cap": "0.2 ETH"},
    ),
    _make_alert(
        "relay_not_final",
        "Relayed transactions on {{ chainName }} come to no end",
        {"requests": "2", "oldest": "3 hours", "its key": "is not configured: nobody follows them"},
    ),
    _make_alert(
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
    _make_alert(
        "index_lagging",
        "Reading {{ chainName }} falls behind: {{ about }}",
        {"blocks behind": "240", "newest block": "21000240"},
        about="index",
    ),
    _make_alert(
        "index_gap",
        "Something of {{ chainName }} is missing in the index",
        {"missing": "timelock 17", "to be read again from block": "21000240"},
        about="index",
    ),
    _make_alert(
        "rpc_trouble",
        "Trouble with the RPC endpoints of {{ chainName }}: {{ about }}",
        {"endpoints that answer": "1 of 2"},
        about="no answer",
    ),
    _make_alert(
        "emails_need_hand",
        "Emails need a decision",
        {"held": "1", "dead": "2", "alerts refused": "0"},
        **_ALL_CHAINS,
        about="emails",
    ),
    _make_alert(
        "emails_late", "Emails do not get out", {"emails": "120", "oldest": "42 minutes"}, **_ALL_CHAINS, about="emails"
    ),
    _make_alert(
        "failures_growing", "Failures are growing", {"failed in the last hour": "37"}, **_ALL_CHAINS, about="reminders"
    ),
    _make_alert(
        "reports_not_read",
        "Delivery reports are not read",
        {"last good look": "2 hours", "unread reports": "7", "reports set aside": "1"},
        **_ALL_CHAINS,
        about="delivery reports",
    ),
    _make_upgrade(
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
    _make_upgrade(
        "corrected",
        "Corrected: the UpgradeTimelock of {{ chainName }} after a reorganisation",
        {"what": "scheduled", "now": "taken back: its transaction is not in the chain any more", **_UPGRADE_LOOK},
    ),
    _make_upgrade(
        "executable",
        "May be executed now: an operation of the UpgradeTimelock of {{ chainName }}",
        {"state": "may be executed now", **_UPGRADE_CALL, **_UPGRADE_LOOK},
    ),
    _make_upgrade(
        "executed",
        "Executed by the UpgradeTimelock of {{ chainName }}",
        {"executed at": "Tuesday, 24 November 2026, 15:04 UTC", **_UPGRADE_CALL, **_UPGRADE_LOOK, "final": "yes"},
    ),
    _make_upgrade(
        "unseen",
        "Executed without having been seen: the UpgradeTimelock of {{ chainName }}",
        {"executed at": "Tuesday, 24 November 2026, 15:04 UTC", **_UPGRADE_CALL, **_UPGRADE_LOOK, "final": "yes"},
    ),
    _make_upgrade(
        "cancelled",
        "Cancelled on the UpgradeTimelock of {{ chainName }}",
        {"cancelled at": "Monday, 23 November 2026, 15:04 UTC", **_UPGRADE_CALL, **_UPGRADE_LOOK, "final": "yes"},
    ),
    _make_upgrade(
        "past_queue",
        "Changed past the UpgradeTimelock: a contract of {{ chainName }}",
        {
            "contract": "TimeLockRouter 0x2B947E3c348c81409f8e8fc5ef8F65d9dFf76A42",
            "effect": "tokens are swapped by another contract",
            "uniswapRouter before": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
            "uniswapRouter now": "0x99bbA657f2BbC93c02D617f8bA121cB8Fc104Acf",
            "set by": "setUniswapRouter, past the UpgradeTimelock: no executed operation explains it",
            "after block": "25592960",
            "seen at block": "25600128",
        },
    ),
    _make_upgrade(
        "delay_changed",
        "The UpgradeTimelock of {{ chainName }} has another delay",
        {
            "before": "2 days (172800 seconds)",
            "now": "24 hours (86400 seconds)",
            "changed at": "Tuesday, 24 November 2026, 15:04 UTC",
        },
    ),
    _make_upgrade(
        "delay_short",
        "The delay of the UpgradeTimelock of {{ chainName }} is below 48 hours",
        {"delay": "24 hours", "alert below": "2 days"},
        status="raised",
    ),
    _make_upgrade(
        "role_changed",
        "A role on the UpgradeTimelock of {{ chainName }} was changed",
        {
            "role": "PROPOSER_ROLE",
            "granted to": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
            "granted at": "Tuesday, 24 November 2026, 15:04 UTC",
        },
    ),
    _make_alert(
        "alerts_digest",
        "Many alerts in a short time",
        {"relay stuck raised": "12: 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed on Ethereum"},
        status="event",
        **_ALL_CHAINS,
        about="",
    ),
)

TEMPLATES: Mapping[str, EmailTemplate] = MappingProxyType({template.name: template for template in _ALL})
