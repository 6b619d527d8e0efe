"""Variables of templates: their kinds, and checks of the values that a request gives."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any
from unicodedata import category
from urllib.parse import urlsplit

from mail_service.errors import MailProblem, bad_time, bad_variable

ROLES: Mapping[str, str] = MappingProxyType(
    {
        "owner": "Owner",
        "cosigner": "Co-signer",
        "beneficiary": "Beneficiary",
        "second_line": "Second in line",
        "third_line": "Third in line",
    }
)
_BIDI_CONTROLS = dict.fromkeys([0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)])
_DEFAULT_PORTS = {"https": 443, "http": 80}


class VariableKind(StrEnum):
    """Kind of a variable's value. Text of any kind holds no control character and nothing that reads as a URL."""

    TEXT = "text"
    TIME = "time"  # as workers write it, see `parse_time`; blank where the variable may be
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
    kind: VariableKind = VariableKind.TEXT
    required: bool = True
    blank: bool = False
    columns: tuple["TemplateVariable", ...] = ()
    description: str = ""


def is_plain_text(text: str) -> bool:
    """No control character, so also no line break, and no lone surrogate."""
    return not any(category(character) in ("Cc", "Cs", "Zl", "Zp") for character in text)


def without_bidi_controls(text: str) -> str:
    """Characters that turn the reading direction could make a name swallow the words around it."""
    return text.translate(_BIDI_CONTROLS)


def reads_as_url(text: str) -> bool:
    return re.search(r"://|\bwww\.|\bmailto:", text, re.IGNORECASE) is not None


@dataclass(frozen=True, slots=True)
class LinkOrigins:
    """Where links may lead: those of gifts to any of `gifts`, all others to the app's."""

    app: str
    gifts: tuple[str, ...]


def check_variables(
    declared: Iterable[TemplateVariable], given: Mapping[str, Any], origins: LinkOrigins, path: str = ""
) -> dict[str, Any]:
    """The variables a template may see, absent optional ones as None.

    Raises 400 `missing_variable`, `unknown_variable`, `bad_variable` or `foreign_url` (a link that does not lead to
    `origins`, or text that reads as a URL, since mail programs make it a link), and 422 `bad_time`.
    """
    known = {variable.name: variable for variable in declared}
    for name in given:
        if name not in known:
            raise MailProblem(400, "unknown_variable", f"The template has no such variable at {path or '/variables'}.")
    return {name: _check_value(variable, given.get(name), origins, path + name) for name, variable in known.items()}


def parse_time(text: str) -> datetime | None:
    """Return the moment that a worker writes as `Tuesday, 24 November 2026, 15:04 UTC`; None for other text."""
    try:
        when = datetime.strptime(text, "%A, %d %B %Y, %H:%M UTC")
    except ValueError:
        return None
    return when.replace(tzinfo=UTC) if when.year >= 1000 else None  # calendar files have years of four digits


def format_origin(url: str) -> str:
    """Scheme, host and port of a checked link, as people read it."""
    scheme, host, port = _parse_origin(url)
    return f"{scheme}://{host}" + ("" if port == _DEFAULT_PORTS.get(scheme) else f":{port}")


def _check_value(variable: TemplateVariable, value: Any, origins: LinkOrigins, path: str) -> Any:
    if value is None:
        if variable.required:
            raise bad_variable("missing_variable", path, f"The variable {path} is missing.")
        return None
    match variable.kind:
        case VariableKind.ROWS:
            return _check_rows(variable, value, origins, path)
        case VariableKind.INTEGER:
            return _check_integer(value, path)
        case VariableKind.TIME:
            text = _check_text(variable, value, path)
            if text and parse_time(text) is None:
                raise bad_time(path)
            return text
        case VariableKind.URL:
            return _check_url(_check_text(variable, value, path), (origins.app,), path)
        case VariableKind.GIFT_LINK:
            link = _check_text(variable, value, path, 2500)  # its fragment holds a letter
            return _check_url(link, origins.gifts, path)
        case VariableKind.TEXT | VariableKind.ADDRESS | VariableKind.ROLE:
            text = _check_text(variable, value, path)
            if reads_as_url(text):
                raise bad_variable("foreign_url", path, f"The variable {path} holds a URL.")
            if variable.kind is VariableKind.ADDRESS and not re.fullmatch(r"0x[0-9a-fA-F]{40}", text):
                raise bad_variable("bad_variable", path, f"The variable {path} is not an address.")
            if variable.kind is VariableKind.ROLE and text not in ROLES:
                raise bad_variable("bad_variable", path, f"The variable {path} is not a role.")
            return text


def _check_text(variable: TemplateVariable, value: Any, path: str, most: int = 300) -> str:
    if not isinstance(value, str) or len(value) > most or not is_plain_text(value):
        raise bad_variable("bad_variable", path, f"The variable {path} is not plain text of at most {most} characters.")
    text = without_bidi_controls(value).strip()
    if not text and not variable.blank:
        raise bad_variable("missing_variable", path, f"The variable {path} is empty.")
    return text


def _check_integer(value: Any, path: str) -> str:
    text = str(value) if isinstance(value, int) else value
    if not isinstance(text, str) or not re.fullmatch(r"[0-9]{1,78}", text):
        raise bad_variable("bad_variable", path, f"The variable {path} is not a whole number.")
    return text


def _check_rows(variable: TemplateVariable, value: Any, origins: LinkOrigins, path: str) -> list[dict[str, Any]]:
    if not isinstance(value, list) or len(value) > 500 or not all(isinstance(row, dict) for row in value):
        raise bad_variable("bad_variable", path, f"The variable {path} is not a list of at most 500 objects.")
    return [check_variables(variable.columns, row, origins, f"{path}/{number}/") for number, row in enumerate(value)]


def _check_url(text: str, origins: Iterable[str], path: str) -> str:
    """Compared after parsing: a prefix test would let `https://app.example.evil` pass."""
    try:
        ours = {_parse_origin(origin) for origin in origins}
        same = _parse_origin(text) in ours and "@" not in urlsplit(text).netloc
    except ValueError:
        same = False
    if not same or not text.isascii() or any(character <= " " or character in '\\<>"' for character in text):
        raise bad_variable("foreign_url", path, f"The variable {path} is not a link to an allowed origin.")
    return text


def _parse_origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return (parts.scheme, parts.hostname, parts.port or _DEFAULT_PORTS.get(parts.scheme))
