"""Searches everything a stack stored or said for what must not be there in clear: the story's people, keys, signatures.

Each secret is looked for as it is, without regard to case, and in hex, base64 (at every alignment, both alphabets)
and percent encoding; bytes also as Python shows them, by themselves or in JSON, and as a number. A finding names the
kind of secret, the form and the place, never the secret itself.
"""

import os
import subprocess
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

_EMPTY = b"\0" * 32
_LEAST_BYTES = 6  # less would be found by chance


@dataclass(frozen=True, slots=True)
class KnownSecret:
    """`what` may be shown."""

    what: str
    value: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class SecretLeak:
    what: str
    form: str
    where: str

    def __str__(self) -> str:
        return f"{self.what} ({self.form}) in {self.where}"


def secrets_of(texts: Mapping[str, str], keys: Mapping[str, bytes]) -> list[KnownSecret]:
    """From texts (emails, names) and binary values (keys, signatures), both by what they are called."""
    found = [KnownSecret(what, text.encode()) for what, text in texts.items()]
    return found + [KnownSecret(what, value) for what, value in keys.items()]


def search(secrets: Iterable[KnownSecret], sources: Iterable[tuple[str, bytes]]) -> list[SecretLeak]:
    """Every secret in every source, at most once for each form."""
    exact, folded = [], []
    for secret in secrets:
        if len(secret.value) < _LEAST_BYTES:
            raise ValueError(f"{secret.what} is too short to be looked for")
        folded += [(secret.what, form, needle.lower()) for form, needle in _folded_forms(secret.value)]
        exact += [(secret.what, "base64", needle) for needle in _base64_forms(secret.value)]
    leaks: dict[SecretLeak, None] = {}
    for where, whole in sources:
        content = whole.replace(_EMPTY, b"")  # most of a database's pages
        lower = content.lower()
        hits = [(what, form) for what, form, needle in folded if needle in lower]
        hits += [(what, form) for what, form, needle in exact if needle in content]
        leaks.update(dict.fromkeys(SecretLeak(what, form, where) for what, form in hits))
    return list(leaks)


def _folded_forms(value: bytes) -> Iterator[tuple[str, bytes]]:
    yield "as it is", value
    yield "hex", value.hex().encode()
    percent = quote(value, safe="").encode()
    if percent != value:
        yield "percent encoding", percent
    shown = repr(value)[2:-1].encode()
    if shown != value:
        yield "escapes", shown
        yield "escapes", shown.replace(b"\\", b"\\\\")
        yield "a number", str(int.from_bytes(value)).encode()


def _base64_forms(value: bytes) -> set[bytes]:
    """Return the base64 forms inside a longer text, without the characters shared with neighbours."""
    forms = set()
    for before in range(3):
        encoded = b64encode(b"\0" * before + value).rstrip(b"=")
        tail = 1 if (before + len(value)) % 3 else 0
        inner = encoded[(0, 2, 3)[before] : len(encoded) - tail]
        forms |= {inner, inner.replace(b"+", b"-").replace(b"/", b"_")}
    return forms


# -- where to look ----------------------------------------------------------------------------------------------------


def files_below(directory: Path, leaving_out: Iterable[Path]) -> Iterator[tuple[str, bytes]]:
    """Every file, raw: logs, Dagster's home and compute logs, PostgreSQL's pages and write-ahead log."""
    left_out = set(leaving_out)
    for path in sorted(directory.rglob("*")):
        if path.is_file() and not left_out & {path, *path.parents}:
            try:
                yield str(path.relative_to(directory)), path.read_bytes()
            except FileNotFoundError:
                continue  # PostgreSQL tidied up meanwhile


def dump(pg_dump: Path, database_url: str) -> bytes:
    """All schemas of a database as text; bytea columns are hex in it."""
    done = subprocess.run([str(pg_dump), "--dbname", database_url], capture_output=True, check=True)
    return done.stdout


def seen_from_outside(pids: Mapping[str, int]) -> Iterator[tuple[str, bytes]]:
    """Command lines and environments, which other programs of the user can read (Linux)."""
    for name, pid in pids.items():
        for kind in ("cmdline", "environ"):
            path = f"/proc/{pid}/{kind}"
            if os.path.exists(path):
                yield f"{kind} of {name}", Path(path).read_bytes()
