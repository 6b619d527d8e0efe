"""The scripts and styles of the gift page, as Vite built them into `gift_page/dist`, by their manifest."""

import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, Self

import msgspec

CARD_SIZE: Final = (1200, 630)  # pixels of a preview image

Colour = Annotated[str, msgspec.Meta(pattern=r"\A#[0-9a-f]{6}\Z")]
Slug = Annotated[str, msgspec.Meta(pattern=r"\A[a-z][a-z0-9-]{0,31}\Z")]


class CardPalette(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`ground` is behind the `panel`, `ink` is for text on the panel, `accent` and `soft` draw the motif."""

    ground: Colour
    panel: Colour
    ink: Colour
    accent: Colour
    soft: Colour


class GiftOccasion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`messages` are templates that a giver may start a note from; `years` until the day that the page proposes."""

    id: Slug
    name: str
    greeting: str
    years: int
    motif: Slug
    palette: CardPalette
    messages: tuple[str, ...]


class _OccasionFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    default: str
    occasions: tuple[GiftOccasion, ...]


@cache
def load_occasions() -> Mapping[str, GiftOccasion]:
    """By id, in the order of the file."""
    return {occasion.id: occasion for occasion in _read_file().occasions}


def find_occasion(name: str | None) -> GiftOccasion:
    """Return the default for an unknown name."""
    return load_occasions().get(name or "", load_occasions()[_read_file().default])


@cache
def read_card(occasion: str) -> bytes:
    """The preview image of a known occasion: PNG, drawn at build by `draw_cards.py`."""
    return (files(__package__) / "cards" / f"{occasion}.png").read_bytes()


@cache
def map_card_files() -> Mapping[str, str]:
    """Return occasions by file name in URLs. The name changes with the image, so caches keep it for ever."""
    return {f"{name}.{hashlib.sha256(read_card(name)).hexdigest()[:12]}.png": name for name in load_occasions()}


@cache
def find_card_file(occasion: str) -> str:
    """The file name of a known occasion's card."""
    return next(file for file, name in map_card_files().items() if name == occasion)


@cache
def _read_file() -> _OccasionFile:
    return msgspec.json.decode((files(__package__) / "occasions.json").read_bytes(), type=_OccasionFile)


DIST: Final = Path(__file__).resolve().parents[2] / "gift_page" / "dist"
ASSETS: Final = "assets"  # the folder in `dist`, and the path below the prefix that it is served at
MEDIA_TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {".css": "text/css", ".js": "text/javascript", ".woff2": "font/woff2"}
)


@dataclass(frozen=True)
class PageFile:
    """Read when it is asked for first: most of the fonts never are. `gzipped` is None for fonts, which are compressed
    already."""

    media_type: str
    path: Path

    @cached_property
    def content(self) -> bytes:
        return self.path.read_bytes()

    @cached_property
    def gzipped(self) -> bytes | None:
        return None if self.media_type == "font/woff2" else gzip.compress(self.content, 9, mtime=0)


@dataclass(frozen=True, slots=True)
class PageEntry:
    """Files that a page loads at its start; file names as in `PageFiles.files`.

    `sender`: lines about the organisation that runs the page.
    """

    script: str
    styles: tuple[str, ...]
    preloads: tuple[str, ...]
    sender: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageFiles:
    """Names carry a hash of their content. `entries` by name: `claim`, `show_create_page`."""

    files: Mapping[str, PageFile]
    entries: Mapping[str, PageEntry]

    @classmethod
    def load(cls, dist: Path = DIST, sender: Sequence[str] = ()) -> Self | None:
        """None where nothing was built: the pages are then served without a script."""
        try:
            manifest = json.loads((dist / "manifest.json").read_bytes())
        except FileNotFoundError:
            return None
        known = (path for path in (dist / ASSETS).iterdir() if path.suffix in MEDIA_TYPES)
        files = {path.name: PageFile(MEDIA_TYPES[path.suffix], path) for path in known}
        entries = {chunk["name"]: _read_entry(manifest, key) for key, chunk in manifest.items() if chunk.get("isEntry")}
        return cls(files, {name: replace(entry, sender=tuple(sender)) for name, entry in entries.items()})


def _read_entry(manifest: Mapping[str, Any], key: str) -> PageEntry:
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
    return PageEntry(
        _strip_folder(scripts[0]), tuple(map(_strip_folder, styles)), tuple(map(_strip_folder, scripts[1:]))
    )


def _strip_folder(file: str) -> str:
    return file.removeprefix(f"{ASSETS}/")
