"""Nothing personal and nothing secret in a log line, whoever wrote it.

`redact` is the last structlog processor before the renderer. It knows the shapes of emails, keys, signatures,
tokens and URLs; names have no shape, so texts of foreign exceptions are withheld altogether and values of
unknown types are shown by class only.
"""

import re
import sys
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from re import Pattern
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from reminder_worker.errors import ServiceError

MASK = "[masked]"
MAX_TEXT = 4096  # characters: some shapes cost the square of the length at worst


@dataclass(frozen=True, slots=True)
class RedactionRules:
    """Names of fields, shapes and types that decide what a log line may show."""

    secret_keys: frozenset[str] = frozenset(
        {"email", "emails", "signature", "payload", "body", "token", "secret", "password", "authorization", "cookie"}
    )
    hash_keys: Pattern[str] = re.compile(r"(^|_)(hash|tx|txs|block|digest|topic)(es|s)?$")
    hash: Pattern[str] = re.compile(r"0x[0-9a-fA-F]{64}")
    url: Pattern[str] = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s\"'<>`]+")
    # A key or a signature. Text that is public on chain may have this shape.
    long_hex: Pattern[str] = re.compile(r"(?:0x)?[0-9a-fA-F]{64,}")
    shapes_before_hex: tuple[Pattern[str], ...] = (
        re.compile(r"(?i)\b(?:bearer|basic)\s+[^\s\"',;]+"),
        re.compile(r"[^\s\"<>@]+(?:@|\uff20|%40|\\u0040)[^\s\"'<>(),;@]+"),  # an email
    )
    shapes_after_hex: tuple[Pattern[str], ...] = (
        re.compile(r"(?<![\w+/-])[\w+/-]{43}=(?!\w)"),  # 32 bytes in base64
        re.compile(r"(?<=[\w/])[?#][^\s\"'<>]*=[^\s\"'<>]*"),  # query or fragment of a path
    )
    too_plain: Pattern[str] = re.compile(r"[A-Za-z0-9_./{}-]{0,42}")  # no shape is as short as this, and as plain
    plain_types: tuple[type, ...] = (bool, int, float, type(None))
    text_types: tuple[type, ...] = (datetime, date, UUID, Decimal, PurePath)


_RULES = RedactionRules()


class OnChain(str):
    """Text that is public on chain: its hashes and call data are shown, everything else is redacted as usual."""

    __slots__ = ()


def redact(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Redact every value, also nested ones, and exceptions as `describe_exception` shows them (structlog processor)."""
    error = _find_exception(event.pop("exc_info", None))
    clean: MutableMapping[str, Any] = {str(key): redact_value(value, str(key)) for key, value in event.items()}
    if error is not None:
        clean["exception"] = describe_exception(error)
    return clean


def redact_value(value: object, key: str = "") -> object:
    if key.lower() in _RULES.secret_keys and value is not None:
        return MASK
    if type(value) is str and _RULES.too_plain.fullmatch(value):
        return value
    if isinstance(value, Enum):
        return redact_value(value.value, key)
    if isinstance(value, _RULES.plain_types):
        return value
    if isinstance(value, OnChain):
        return redact_text(str(value), hide_hex=False)
    if isinstance(value, str):
        return value if _RULES.hash.fullmatch(value) and _RULES.hash_keys.search(key.lower()) else redact_text(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return f"<{len(value)} bytes>"
    if isinstance(value, Mapping):
        return {redact_text(str(k)): redact_value(v, str(k)) for k, v in value.items()}
    if isinstance(value, Sequence | AbstractSet):
        return [redact_value(each, key) for each in value]
    if isinstance(value, BaseException):
        return _describe_class(value)
    return redact_text(str(value)) if isinstance(value, _RULES.text_types) else f"<{type(value).__name__}>"


def redact_text(text: str, *, hide_hex: bool = True) -> str:
    if _RULES.too_plain.fullmatch(text):
        return text
    if len(text) > MAX_TEXT:
        text = text[:MAX_TEXT] + " [cut]"
    text = _RULES.url.sub(lambda match: _shorten_url(match.group()), text)
    hex_shapes = [_RULES.long_hex] if hide_hex else []
    for shape in (*_RULES.shapes_before_hex, *hex_shapes, *_RULES.shapes_after_hex):
        text = shape.sub(MASK, text)
    return text


def shown_host(host: str) -> str:
    """Return the host. Labels that may be a key are cut: some providers have their keys there."""
    if ":" in host:  # an address of IPv6
        return host
    return ".".join(f"{label[:4]}…" if _may_be_a_key(label) else label for label in host.split("."))


def _may_be_a_key(label: str) -> bool:
    """Return whether a part has 10 letters and digits, or 20 letters: there are names of 10 letters."""
    for part in re.split("[-_]", label):
        if len(part) >= 20 or (len(part) >= 10 and not part.isalpha()):
            return True
    return len(label) > 24


def _shorten_url(url: str) -> str:
    """Return scheme, host and port: an RPC URL's path or query holds a key, a claim link's fragment a person's note."""
    try:
        parts = urlsplit(url)
        host, port = shown_host(parts.hostname or ""), f":{parts.port}" if parts.port else ""
    except ValueError:
        return MASK
    hidden = "/..." if parts.path.strip("/") + parts.query + parts.fragment else ""
    return f"{parts.scheme}://{host}{port}{hidden}"


def describe_exception(error: BaseException) -> str:
    """Return class and our own frames; the text only of our own exceptions, with what caused them below."""
    return "\n".join(_describe_lines(error, set()))


def _describe_lines(error: BaseException, seen: set[int]) -> Iterator[str]:
    seen.add(id(error))
    yield _describe_class(error)
    yield from (f"  {frame}" for frame in _list_our_frames(error.__traceback__))
    inner = list(error.exceptions) if isinstance(error, BaseExceptionGroup) else []
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    for each in [*inner, *([cause] if cause else [])]:
        if id(each) not in seen:
            first, *rest = _describe_lines(each, seen)
            yield f"from {first}"
            yield from rest


def _describe_class(error: BaseException) -> str:
    name = type(error).__name__
    return f"{name}: {redact_text(str(error))}" if isinstance(error, ServiceError) else name


def _list_our_frames(traceback: TracebackType | None) -> Iterator[str]:
    while traceback is not None:
        frame = traceback.tb_frame
        module = str(frame.f_globals.get("__name__", ""))
        ours = ("reminder_worker", "api", "assets", "pipelines", "mail_service", "devnet")
        if module.partition(".")[0] in ours:
            yield f"{module}:{traceback.tb_lineno} in {frame.f_code.co_name}"
        traceback = traceback.tb_next


def _find_exception(exc_info: object) -> BaseException | None:
    """structlog and logging give an exception, a triple, or True for the one being handled."""
    if isinstance(exc_info, BaseException):
        return exc_info
    if isinstance(exc_info, tuple):
        return exc_info[1] if isinstance(exc_info[1], BaseException) else None
    if exc_info:
        return sys.exc_info()[1]
    return None
