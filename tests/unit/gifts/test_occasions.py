"""The occasion set: complete and legible, and every preview image is drawn from the set."""

import re
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from gift_page.tools import draw_cards
from reminder_worker.gifts.assets import (
    CARD_SIZE,
    GiftOccasion,
    find_card_file,
    find_occasion,
    load_occasions,
    map_card_files,
    read_card,
)
from reminder_worker.gifts.claim_link import LIMITS, GiftLetter, LinkFlags, encode_letter, read_valid_flags

MOST_CARD_BYTES = 40_000
ROOT = Path(__file__).parents[3]
OCCASIONS, MOTIFS = ROOT / "docs/occasions.md", ROOT / "clients/typescript/src/printables/motifs.ts"
ALL = list(load_occasions().values())


def test_there_are_at_least_ten_occasions_and_a_default() -> None:
    """Each with an id of its own; a name that is not known is the default's."""
    assert len(ALL) >= 10
    assert len({occasion.motif for occasion in ALL}) == len({occasion.greeting for occasion in ALL}) == len(ALL)
    for unknown in (None, "", "no-such-thing", "../gift"):
        assert find_occasion(unknown).id == "gift"


def test_every_occasion_can_be_named_in_a_link_with_messages_to_send_and_a_card_that_is_legible() -> None:
    """Its id is what `o` takes; three messages, each a note that a letter takes, in whole sentences.

    WCAG 2.2: ink on the panel at least 7, the panel on the ground at least 4.5.
    """
    for occasion in ALL:
        assert read_valid_flags([("o", occasion.id)]) == LinkFlags(occasion.id)
        assert len(occasion.messages) == 3
        for message in occasion.messages:
            assert len(message) < LIMITS.note_characters
            assert encode_letter(GiftLetter("", "", message))
            assert message[-1] in ".!"
        assert contrast(occasion.palette.ink, occasion.palette.panel) >= 7
        assert contrast(occasion.palette.panel, occasion.palette.ground) >= 4.5


@pytest.mark.parametrize("occasion", ALL, ids=lambda occasion: occasion.id)
def test_the_preview_image_is_the_one_that_the_set_draws(occasion: GiftOccasion) -> None:
    """1200 x 630, small, and up to date: when it fails, `make cards`."""
    stored = Image.open(BytesIO(read_card(occasion.id)))
    assert (stored.format, stored.size) == ("PNG", CARD_SIZE)
    assert len(read_card(occasion.id)) <= MOST_CARD_BYTES
    drawn = Image.open(BytesIO(draw_cards.draw(occasion)))
    assert stored.convert("RGB").tobytes() == drawn.convert("RGB").tobytes()


def test_every_motif_was_reviewed_and_each_religious_one_has_a_source() -> None:
    """Compares the table of docs/occasions.md with the set and with both files that draw motifs."""
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \| (.+?) \| (.*?) ?\|$", OCCASIONS.read_text(), re.M)
    reviewed = {motif: name for motif, name, *_ in rows}
    assert reviewed == {occasion.motif: occasion.name for occasion in ALL}
    assert set(draw_cards.MOTIFS) <= set(reviewed)
    assert set(re.findall(r"^function (\w+)\(pen: Pen\)", MOTIFS.read_text(), re.M)) <= set(reviewed)
    for _, name, _, why, source in rows:
        assert why.startswith("not religious") or "https://" in source, name


def test_a_new_baby_is_proposed_the_day_it_is_grown_and_others_five_years() -> None:
    assert {occasion.id: occasion.years for occasion in ALL if occasion.years != 5} == {"new-baby": 18}


def test_the_name_of_an_image_changes_with_it() -> None:
    """So that it may be cached for ever: each name holds the hash of what is served."""
    assert list(map_card_files().values()) == list(load_occasions())
    assert len({name.split(".")[1] for name in map_card_files()}) == len(ALL)
    assert map_card_files()[find_card_file("diwali")] == "diwali"


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
