"""Nothing personal and nothing secret in a log line, whoever wrote it.

`redact` is the last structlog processor before the renderer. It knows the shapes of emails, keys, signatures,
tokens and URLs; names have no shape, so texts of foreign exceptions are withheld altogether and values of
unknown types are shown by class only.
"""

import re
import sys
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from reminder_worker.errors import ServiceError

MASK = "[masked]"
MAX_TEXT = 4096
_LONG_LABEL = 24
_KEY_LENGTH = 10  # of letters and digits; of letters alone twice as many, since there are names as long
OUR_PACKAGES = frozenset({"reminder_worker", "api", "assets", "pipelines", "mail_service", "devnet"})

_SECRET_KEYS = frozenset(
    {"email", "emails", "signature", "payload", "body", "token", "secret", "password", "authorization", "cookie"}
)
_HASH_KEYS = re.compile(r"(^|_)(hash|tx|txs|block|digest|topic)(es|s)?$")
_HASH = re.compile(r"0x[0-9a-fA-F]{64}")
_URL = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s\"'<>`]+")
_LONG_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]{64,}")  # a key or a signature; a known hash is let through before
_SHAPES = (
    re.compile(r"(?i)\b(?:bearer|basic)\s+[^\s\"',;]+"),
    re.compile(r"[^\s\"<>@]+(?:@|\uff20|%40|\\u0040)[^\s\"'<>(),;@]+"),  # an email
    _LONG_HEX,
    re.compile(r"(?<![\w+/-])[\w+/-]{43}=(?!\w)"),  # 32 bytes in base64
    re.compile(r"(?<=[\w/])[?#][^\s\"'<>]*=[^\s\"'<>]*"),  # query or fragment of a path
)
_TOO_PLAIN = re.compile(r"[A-Za-z0-9_./{}-]{0,42}")  # none of the shapes is made of these alone and so short
_PLAIN_TYPES = (bool, int, float, type(None))
_TEXT_TYPES = (datetime, date, UUID, Decimal, PurePath)


class OnChain(str):
    """Text that is public on chain: its hashes and call data are shown, everything else is redacted as usual."""

    __slots__ = ()


def redact(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The structlog processor: every value, nested ones too, and exceptions as `describe_exception` shows them."""
    error = _exception_of(event.pop("exc_info", None))
    clean: MutableMapping[str, Any] = {str(key): redact_value(value, str(key)) for key, value in event.items()}
    if error is not None:
        clean["exception"] = describe_exception(error)
    return clean


def redact_value(value: object, key: str = "") -> object:
    if key.lower() in _SECRET_KEYS and value is not None:
        return MASK
    if type(value) is str and _TOO_PLAIN.fullmatch(value):
        return value
    if isinstance(value, Enum):
        return redact_value(value.value, key)
    if isinstance(value, _PLAIN_TYPES):
        return value
    if isinstance(value, OnChain):
        return redact_text(str(value), [shape for shape in _SHAPES if shape is not _LONG_HEX])
    if isinstance(value, str):
        return value if _HASH.fullmatch(value) and _HASH_KEYS.search(key.lower()) else redact_text(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return f"<{len(value)} bytes>"
    if isinstance(value, Mapping):
        return {redact_text(str(k)): redact_value(v, str(k)) for k, v in value.items()}
    if isinstance(value, Sequence | AbstractSet):
        return [redact_value(each, key) for each in value]
    if isinstance(value, BaseException):
        return _headline(value)
    return redact_text(str(value)) if isinstance(value, _TEXT_TYPES) else f"<{type(value).__name__}>"


def redact_text(text: str, shapes: Sequence[re.Pattern[str]] = _SHAPES) -> str:
    if _TOO_PLAIN.fullmatch(text):
        return text
    if len(text) > MAX_TEXT:
        text = text[:MAX_TEXT] + " [cut]"  # the shapes below cost the square of the length at worst
    text = _URL.sub(lambda match: _bare_url(match.group()), text)
    for shape in shapes:
        text = shape.sub(MASK, text)
    return text


def shown_host(host: str) -> str:
    """With the beginning only of labels that are long or look like a key, since some providers have theirs there."""
    if ":" in host:  # an address of IPv6
        return host
    return ".".join(f"{label[:4]}…" if _may_be_a_key(label) else label for label in host.split("."))


def _may_be_a_key(label: str) -> bool:
    parts = [part for part in re.split("[-_]", label) if len(part) >= _KEY_LENGTH]
    return len(label) > _LONG_LABEL or any(len(part) >= 2 * _KEY_LENGTH or not part.isalpha() for part in parts)


def _bare_url(url: str) -> str:
    """Scheme, host and port: an RPC URL's path or query holds a key, a claim link's fragment a person's note."""
    try:
        parts = urlsplit(url)
        host, port = shown_host(parts.hostname or ""), f":{parts.port}" if parts.port else ""
    except ValueError:
        return MASK
    hidden = "/..." if parts.path.strip("/") or parts.query or parts.fragment else ""
    return f"{parts.scheme}://{host}{port}{hidden}"


def describe_exception(error: BaseException) -> str:
    """Class and our own frames; the text only of our own exceptions, with what caused them below."""
    return "\n".join(_lines(error, set()))


def _lines(error: BaseException, seen: set[int]) -> Iterator[str]:
    seen.add(id(error))
    yield _headline(error)
    yield from (f"  {frame}" for frame in _our_frames(error.__traceback__))
    inner = list(error.exceptions) if isinstance(error, BaseExceptionGroup) else []
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    for each in [*inner, *([cause] if cause else [])]:
        if id(each) not in seen:
            first, *rest = _lines(each, seen)
            yield f"from {first}"
            yield from rest


def _headline(error: BaseException) -> str:
    name = type(error).__name__
    return f"{name}: {redact_text(str(error))}" if isinstance(error, ServiceError) else name


def _our_frames(traceback: TracebackType | None) -> Iterator[str]:
    while traceback is not None:
        frame = traceback.tb_frame
        module = str(frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] in OUR_PACKAGES:
            yield f"{module}:{traceback.tb_lineno} in {frame.f_code.co_name}"
        traceback = traceback.tb_next


def _exception_of(exc_info: object) -> BaseException | None:
    """structlog and logging give an exception, a triple, or True for the one being handled."""
    if isinstance(exc_info, BaseException):
        return exc_info
    if isinstance(exc_info, tuple):
        return exc_info[1] if isinstance(exc_info[1], BaseException) else None
    if exc_info:
        return sys.exc_info()[1]
    return None
