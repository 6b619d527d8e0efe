"""Reader of an email's plain text: its kind, legacy and date, as a person takes them from it."""

import re
from dataclasses import replace
from functools import cache

from mail_service.catalogue import TEMPLATES
from mail_service.rendering import EmailRenderer
from mail_service.variables import ROLES
from tests.campaign.expected import FURTHER, GIFTS, SIGNALS, UNJUDGED, WARNINGS, WINDOWS, ReceivedEmail

_LEGACY = re.compile(r"(legacy \d+ )?on \w+")
_GIFT = re.compile(r"^Gift: +(\d+)$", re.MULTILINE)
_ROLE = re.compile(r"^Your role: +(.+)$", re.MULTILINE)
_CONTRACT = re.compile(r"^Contract: +(0x[0-9a-fA-F]{40})$", re.MULTILINE)
_WALLET = re.compile(r"^Your wallet: +(0x[0-9a-fA-F]{40})$", re.MULTILINE)
_AMOUNT = re.compile(r"^ +([\d,.]+) \S.*\n +(0x[0-9a-fA-F]{40})$", re.MULTILINE)
_DATE = re.compile(r"^ +(\w+, \d+ \w+ \d{4}, \d\d:\d\d UTC)$", re.MULTILINE)


def read_email(to: str, subject: str, text: str) -> ReceivedEmail:
    """Return the email's meaning. The kind is the subject itself if no template has it."""
    lines = "\n".join(text.splitlines())
    role, contract, date, gift = (pattern.search(lines) for pattern in (_ROLE, _CONTRACT, _DATE, _GIFT))
    about = contract[1].lower() if contract else ""
    return ReceivedEmail(
        to,
        _kinds().get((_LEGACY.sub("", subject), role and role[1]), subject),
        f"gift {gift[1]}" if gift else about,
        date[1] if date else None,
        _read_turn(lines),
    )


def _read_turn(text: str) -> int:
    words = " ".join(text.split())
    if "This is our last reminder before the date below" in words:
        return 1
    open_for = re.search(r"have been open for more than (\d+) days", words)
    return 0 if open_for is None else ("30", "90", "365").index(open_for[1]) + 1


def read_wallet(text: str) -> str | None:
    """Return the person's own address in the email, in lower case."""
    found = _WALLET.search("\n".join(text.splitlines()))
    return found[1].lower() if found else None


def read_amounts(text: str) -> dict[str, str]:
    """Return the amounts in the email by token, as they are written."""
    return {token.lower(): amount for amount, token in _AMOUNT.findall("\n".join(text.splitlines()))}


@cache
def _kinds() -> dict[tuple[str, str | None], str]:
    """Subject and role name one kind."""
    render = EmailRenderer("https://app.example.org").render_sample
    names = [*(kind for kind, _ in WINDOWS.values()), *SIGNALS.values(), *WARNINGS, *UNJUDGED]
    templates = [TEMPLATES[name] for name in names]
    for name in FURTHER:
        further = {"remindersLeft": 0} if name == "before_activation" else {"remindersLeft": 0, "daysOpen": 30}
        templates.append(replace(TEMPLATES[name], sample={**TEMPLATES[name].sample, **further}))
    kinds: dict[tuple[str, str | None], str] = {
        (_LEGACY.sub("", render(template, role).subject), words): template.name
        for template in templates
        for role, words in ROLES.items()
    }
    return kinds | {(_LEGACY.sub("", render(TEMPLATES[name]).subject), None): name for name in GIFTS}
