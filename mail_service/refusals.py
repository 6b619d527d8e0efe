"""Reason of a refusal, from the words of the server that refused. Plain functions, no I/O.

`mailbox_unknown` ends all emails to an address, so the final server must say it: by its own code of RFC 3463, or in
plain words. Words about us (a block list, a policy, a login) outweigh each code. The code of a relay in front is often
made from the number alone (550 becomes 5.1.1): it counts if there are no words, or beside plain words. In doubt the
reason is `other`, which ends nothing.
"""

import re
from typing import Final, Literal

BounceReason = Literal["mailbox_unknown", "mailbox_full", "blocked", "other"]
MAX_WORDS: Final = 1_000  # characters that are looked at; patterns never see more
_ADDRESS = re.compile(r"[^<>()\[\]:;,\"]*@[^<>()\[\]:;,\"]*")
_CODE = re.compile(r"(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?!\.?\d)")  # not the beginning of an IP address
_FULL = re.compile(r"(?:mailbox|inbox|account|user).{0,12}\bfull\b|over ?quota|quota (?:is )?exceeded|out of storage")
_FOR_NOW = re.compile(
    r"^(?:smtp; *)?4\d\d\b|\b(?:rate|limit|quota|later|temporar|greylist|try again|timed out|unverified)"
)
_ABOUT_US = re.compile(
    r"(?:black|block|deny) ?-?list|\bblocked\b|listed (?:at|in|by|on)\b|\bdnsbl\b|\brbl\b|spamhaus|spamcop|barracuda"
    r"|sorbs|proofpoint|\bspam\b|virus|phish|reputation|\bip address|\byour ip\b|\bpolic|prohibit|banned|abuse"
    r"|\bcontent\b|\bspf\b|\bdkim\b|\bdmarc\b|reverse (?:dns|lookup)|\bptr\b|\bhelo\b|authenticat|authori[sz]"
    r"|accept delivery|mail from|\bfrom (?:header|address|domain)|sender (?:address|verif|reject|denied|domain)"
    r"|(?:bad|unknown) sender|relay(?:ing)? (?:is )?(?:access )?(?:denied|not|prohibited)|(?:unable to|not) relay"
)
# RFC 3463: the mailbox or its domain does not exist, is misspelled, has moved, takes no email, or is disabled; 5.1.351
# is Exchange Online's.
_MAILBOX_CODES = (".1.1", ".1.2", ".1.3", ".1.6", ".1.10", ".1.351", ".2.1")
_VAGUE_CODES = ("", ".0.0", ".1.0", ".4.1", ".5.0")  # here only the words tell the cause; Exim sends no code
_NO_MAILBOX = re.compile(
    r"(?:user|mailbox|recipient|account|address) (?:is )?(?:unknown|not (?:found|known))"
    r"|(?:user|mailbox|recipient|account|address) does(?: not|n.?t) exist"
    r"|(?:unknown|no such|not a valid) (?:user|mailbox|recipient|account|address|local part|person)"
    r"|(?:mailbox|account) (?:is |has been )?disabled|no mailbox (?:here )?by that name"
    r"|user doesn.?t have an? |recipient address rejected: access denied"  # Yahoo, Exchange Online
)


def classify_refusal(status: str, words: str) -> BounceReason:
    """Return the reason. `status`: code of a relay or report, may be empty; `words`: of the final server."""
    text = _prepare_words(words)
    spoken = [code for code in _CODE.findall(text) if code[1:] not in _VAGUE_CODES]
    code = (spoken or _CODE.findall(status[:MAX_WORDS]) or _CODE.findall(text) or [""])[-1]  # the last is the farthest
    subject = code[1:]
    if subject == ".2.2" or _FULL.search(text):
        return "mailbox_full"
    if _ABOUT_US.search(text):
        return "blocked"
    if subject.startswith(".7."):
        return "mailbox_unknown" if "no such user" in text and code[0] == "5" else "blocked"  # Yandex
    if code.startswith("4") or _FOR_NOW.search(text):
        return "other"
    is_plain = _NO_MAILBOX.search(text) is not None
    if subject in _MAILBOX_CODES:
        is_proven = bool(spoken) or is_plain or not text
    else:
        is_proven = is_plain and subject in _VAGUE_CODES
    return "mailbox_unknown" if is_proven else "other"


def _prepare_words(words: str) -> str:
    """Cut them, and leave addresses out: an address may hold any word. IronPort's fixed beginning says nothing."""
    text = " ".join(words[:MAX_WORDS].lower().split())
    without = " ".join(_ADDRESS.sub(" ", word) if "@" in word else word for word in text.split())
    return without.replace("unknown address error", "")
