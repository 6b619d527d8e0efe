"""The scripts and styles of the gift page, as Vite built them into `gift_page/dist`: read once, by their manifest."""

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Self

DIST: Final = Path(__file__).resolve().parents[2] / "gift_page" / "dist"
ASSETS: Final = "assets"  # the folder in `dist`, and the path below the prefix that it is served at
MEDIA_TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        ".css": "text/css",
        ".js": "text/javascript",
        ".woff2": "font/woff2",
    }
)
_PACKED: Final = frozenset({".css", ".js"})  # fonts are compressed already


@dataclass(frozen=True)
class PageFile:
    """`gzipped` is None where compression gains nothing."""

    media_type: str
    content: bytes = field(repr=False)
    packed: bool

    @cached_property
    def gzipped(self) -> bytes | None:
        return gzip.compress(self.content, 9, mtime=0) if self.packed else None


@dataclass(frozen=True, slots=True)
class PageEntry:
    """Files that a page loads at its start; file names as in `PageFiles.files`."""

    script: str
    styles: tuple[str, ...]
    preloads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageFiles:
    """Names carry a hash of their content. `entries` by name: `claim`, `create`."""

    files: Mapping[str, PageFile]
    entries: Mapping[str, PageEntry]

    @classmethod
    def load(cls, dist: Path = DIST) -> Self | None:
        """None where nothing was built: the pages are then served without a script."""
        try:
            manifest = json.loads((dist / "manifest.json").read_bytes())
        except FileNotFoundError:
            return None
        known = (path for path in (dist / ASSETS).iterdir() if path.suffix in MEDIA_TYPES)
        files = {
            path.name: PageFile(MEDIA_TYPES[path.suffix], path.read_bytes(), path.suffix in _PACKED) for path in known
        }
        entries = {chunk["name"]: _entry(manifest, key) for key, chunk in manifest.items() if chunk.get("isEntry")}
        return cls(files, entries)


def _entry(manifest: Mapping[str, Any], key: str) -> PageEntry:
    """`preloads`: imports of the script, which browsers may load early."""
    seen: dict[str, None] = {}
    waiting = [key]
    while waiting:
        chunk = waiting.pop()
        if chunk not in seen:
            seen[chunk] = None
            waiting += manifest[chunk].get("imports", [])
    styles = dict.fromkeys(file for chunk in seen for file in manifest[chunk].get("css", []))
    scripts = [manifest[chunk]["file"] for chunk in seen]
    return PageEntry(_name(scripts[0]), tuple(map(_name, styles)), tuple(map(_name, scripts[1:])))


def _name(file: str) -> str:
    return file.removeprefix(f"{ASSETS}/")
