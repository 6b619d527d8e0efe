"""The occasions of gifts: words, colours and motifs, as data (`occasions.json`) that browser pages share.

The words are reviewed: a change is a change of what a stranger reads in our name. Religious occasions have only
symbols that are customary on greeting cards.
"""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Annotated, Final

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
    """`messages` are templates that a giver may start a note from."""

    id: Slug
    name: str
    greeting: str
    motif: Slug
    palette: CardPalette
    messages: tuple[str, ...]


class _OccasionFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    default: str
    occasions: tuple[GiftOccasion, ...]


@cache
def occasions() -> Mapping[str, GiftOccasion]:
    """By id, in the order of the file."""
    return {occasion.id: occasion for occasion in _file().occasions}


def occasion_of(name: str | None) -> GiftOccasion:
    """Return the default for an unknown name."""
    return occasions().get(name or "", occasions()[_file().default])


@cache
def card(occasion: str) -> bytes:
    """The preview image of a known occasion: PNG, drawn at build by `draw_cards.py`."""
    return (files(__package__) / "cards" / f"{occasion}.png").read_bytes()


@cache
def card_names() -> Mapping[str, str]:
    """Return occasions by file name in URLs. The name changes with the image, so caches keep it for ever."""
    return {f"{name}.{hashlib.sha256(card(name)).hexdigest()[:12]}.png": name for name in occasions()}


@cache
def card_name(occasion: str) -> str:
    """The file name of a known occasion's card."""
    return next(file for file, name in card_names().items() if name == occasion)


@cache
def _file() -> _OccasionFile:
    return msgspec.json.decode((files(__package__) / "occasions.json").read_bytes(), type=_OccasionFile)
