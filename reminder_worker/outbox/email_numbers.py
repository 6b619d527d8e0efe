"""Numbers of emails: 80 random bits, printed in the email. The database keeps only a hash of each."""

import hashlib
import re
import secrets

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base32: no I, L, O and U
_MISREAD = str.maketrans("OIL", "011")
_LENGTH = 16  # 5 bits each


def make_number() -> str:
    """Return a new number as it is printed: `7KQ2-M0XD-4RTV-93HB`."""
    digits = "".join(secrets.choice(_DIGITS) for _ in range(_LENGTH))
    return "-".join(digits[start : start + 4] for start in range(0, _LENGTH, 4))


def hash_number(typed: str) -> bytes:
    """Return the SHA-256 of a typed number, 32 bytes.

    Case, spaces and dashes do not count, and misread letters are put right. Any other text has a hash, too: it belongs
    to no email.
    """
    digits = re.sub(r"[\s\u2010-\u2015-]", "", typed).upper().translate(_MISREAD)
    return hashlib.sha256(digits.encode()).digest()
