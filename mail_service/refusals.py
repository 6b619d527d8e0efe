"""Reason of a refusal, from the words of the server that refused. Plain functions, no I/O.

`mailbox_unknown` ends all emails to an address, so the final server must say it: by a code of RFC 3463 about the
mailbox, or in plain words. Words about us (a block list, a policy, a login) outweigh each code. A code in front of the
words is a relay's and counts only if the words have none. In doubt the reason is `other`, which ends nothing.
"""

import re
from typing import Final, Literal

BounceReason = Literal["mailbox_unknown", "mailbox_full", "blocked", "other"]
MAX_WORDS: Final = 1_000  # characters that are looked at; patterns never see more
_CODE = re.compile(r"(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?!\.?\d)")  # not the beginning of an IP address
_FOR_NOW = re.compile(r"^(?:smtp; *)?4\d\d\b|\b(?:rate|limit|quota|later|temporar)")  # Gmail limits a rate by 5.2.1
_ABOUT_US = re.compile(
    r"(?:black|block|deny) ?-?list|\bdnsbl\b|\brbl\b|spamhaus|\bspam\b|reputation|\bip address|\byour ip\b|\bpolic"
    r"|prohibit|banned|abuse|\bspf\b|\bdkim\b|\bdmarc\b|reverse dns|\bptr\b|\bhelo\b|authenticat|authori[sz]|sender"
    r"|relay(?:ing)? (?:access )?(?:denied|not|prohibited)|unable to relay"
)
# RFC 3463: the mailbox or its domain does not exist, is misspelled, has moved, takes no email, or is disabled; 5.1.351
# is Exchange Online's.
_MAILBOX_CODES = (".1.1", ".1.2", ".1.3", ".1.6", ".1.10", ".1.351", ".2.1")
_VAGUE_CODES = ("", ".0.0", ".1.0", ".4.1", ".5.0")  # here only the words tell the cause; Exim sends no code
_NO_MAILBOX = re.compile(
    r"(?:user|mailbox|recipient|account|address) (?:is )?(?:unknown|not found|disabled|invalid|does(?: not|n.?t) exist)"
    r"|(?:unknown|no such|invalid|not a valid) (?:user|mailbox|recipient|account|address)"
    r"|user doesn.?t have an? |recipient address rejected: access denied"  # Yahoo, Exchange Online
)


def classify_refusal(status: str, words: str) -> BounceReason:
    """Return the reason. `status`: code of a relay or report, may be empty; `words`: of the final server."""
    text = _prepare_words(words)
    kind = _choose_code(text, status[:MAX_WORDS])
    subject = kind[1:]
    if subject == ".2.2":
        return "mailbox_full"
    if subject.startswith(".7.") or _ABOUT_US.search(text):
        return "blocked"
    if kind.startswith("4") or _FOR_NOW.search(text):
        return "other"
    names_mailbox = subject in _MAILBOX_CODES or (subject in _VAGUE_CODES and _NO_MAILBOX.search(text))
    return "mailbox_unknown" if names_mailbox else "other"


def _prepare_words(words: str) -> str:
    """Cut them, and leave addresses out: an address may hold any word."""
    return " ".join(word for word in words[:MAX_WORDS].lower().split() if "@" not in word)


def _choose_code(text: str, status: str) -> str:
    """Return the last code in the words that says something: servers quote the server behind them. Else `status`."""
    codes = [code for code in _CODE.findall(text) if code[1:] not in _VAGUE_CODES]
    codes = codes or _CODE.findall(status) or _CODE.findall(text)
    return codes[-1] if codes else ""
