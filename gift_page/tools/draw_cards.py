"""Draws `cards/*.png`, the images of link previews and emails of gifts, from the occasion set: `make cards`.

Needs the extra `cards`. An email's image has no words: it must be true in every language, before and after opening day.

Nothing imports this while the service runs. The font is the one inside Pillow: Aileron, public domain (CC0).
"""

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from math import cos, pi, sin
from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from reminder_worker.gifts.assets import CARD_SIZE, CardPalette, GiftOccasion, load_occasions

FINER: Final = 3  # drawn larger and reduced: Pillow's shapes have no soft edges
COLOURS: Final = 48
TEXT_LEFT, TEXT_WIDTH, MIDDLE = 560, 550, 330
SUBLINE: Final = "A sealed gift is waiting for you"
Point = tuple[float, float]


class Pen:
    """Draws in pixels of the card around `(x, y)`; the colours are names of the palette's."""

    def __init__(self, image: Image.Image, palette: CardPalette, x: float = 0, y: float = 0) -> None:
        self._draw = ImageDraw.Draw(image)
        self._palette = palette
        self._x, self._y = x, y

    def disc(self, x: float, y: float, radius: float, colour: str, *, flat: float = 1) -> None:
        self._draw.ellipse(self._box(x - radius, y - radius * flat, x + radius, y + radius * flat), self._of(colour))

    def ring(self, x: float, y: float, radius: float, width: float, colour: str) -> None:
        box = self._box(x - radius, y - radius, x + radius, y + radius)
        self._draw.ellipse(box, outline=self._of(colour), width=round(width * FINER))

    def arc(self, x: float, y: float, radius: float, first: float, last: float, width: float, colour: str) -> None:
        """Degrees clockwise from three o'clock."""
        box = self._box(x - radius, y - radius, x + radius, y + radius)
        self._draw.arc(box, first, last, self._of(colour), round(width * FINER))

    def slab(self, left: float, top: float, right: float, bottom: float, colour: str, *, round_by: float = 0) -> None:
        self._draw.rounded_rectangle(self._box(left, top, right, bottom), round_by * FINER, self._of(colour))

    def shape(self, points: Sequence[Point], colour: str) -> None:
        self._draw.polygon([self._at(*point) for point in points], self._of(colour))

    def line(self, points: Sequence[Point], width: float, colour: str) -> None:
        places = [self._at(*point) for point in points]
        self._draw.line(places, self._of(colour), round(width * FINER), joint="curve")

    def star(self, x: float, y: float, radius: float, colour: str) -> None:
        turns = [(radius if turn % 2 == 0 else radius * 0.42, pi * turn / 5) for turn in range(10)]
        self.shape([(x + size * sin(angle), y - size * cos(angle)) for size, angle in turns], colour)

    def heart(self, x: float, y: float, size: float, colour: str) -> None:
        steps = [2 * pi * step / 120 for step in range(120)]
        self.shape([(x + size * 16 * sin(t) ** 3, y - size * _heart_height(t)) for t in steps], colour)

    def flame(self, x: float, y: float, height: float, colour: str) -> None:
        """A drop whose foot is at (x, y)."""
        steps = [pi * step / 40 for step in range(81)]
        half = height / 2
        self.shape([(x + half * 0.62 * sin(t) * sin(t / 2), y - half - half * cos(t)) for t in steps], colour)

    def text(self, x: float, y: float, words: str, size: float, colour: str) -> None:
        """`y` is the middle of the line."""
        self._draw.text(self._at(x, y), words, self._of(colour), ImageFont.load_default(size * FINER), anchor="lm")

    def _of(self, colour: str) -> str:
        return str(getattr(self._palette, colour))

    def _at(self, x: float, y: float) -> Point:
        return ((self._x + x) * FINER, (self._y + y) * FINER)

    def _box(self, left: float, top: float, right: float, bottom: float) -> tuple[float, float, float, float]:
        return (*self._at(left, top), *self._at(right, bottom))


def _heart_height(t: float) -> float:
    return 13 * cos(t) - 5 * cos(2 * t) - 2 * cos(3 * t) - cos(4 * t)


# -- motifs: around (0, 0), within a disc of radius 200 in `soft` -----------------------------------


def present(pen: Pen) -> None:
    pen.slab(-105, -20, 105, 125, "ground", round_by=8)
    pen.slab(-122, -62, 122, -12, "ground", round_by=8)
    pen.line([(-122, -12), (122, -12)], 4, "soft")
    pen.slab(-19, -62, 19, 125, "accent")
    for side in (-1, 1):
        pen.shape([(0, -62), (side * 88, -132), (side * 98, -70)], "accent")
        pen.shape([(side * 22, -74), (side * 72, -112), (side * 76, -80)], "soft")
    pen.disc(0, -68, 19, "accent")


def cake(pen: Pen) -> None:
    for x in (-50, 0, 50):
        pen.slab(x - 6, -92, x + 6, -36, "panel", round_by=3)
        pen.flame(x, -94, 42, "accent")
    pen.slab(-80, -40, 80, 36, "accent", round_by=12)
    pen.slab(-122, 24, 122, 112, "ground", round_by=12)
    for step in range(6):
        pen.disc(-102 + 41 * step, 34, 19, "panel")
    pen.slab(-110, 15, 110, 32, "panel", round_by=8)
    pen.slab(-152, 108, 152, 124, "ink", round_by=8)


def rings(pen: Pen) -> None:
    pen.ring(-48, 32, 88, 17, "accent")
    pen.ring(48, 32, 88, 17, "ground")
    pen.arc(-48, 32, 88, 290, 340, 17, "accent")
    pen.shape([(-90, -104), (-6, -104), (14, -82), (-48, -28), (-110, -82)], "panel")
    pen.line([(-110, -82), (14, -82)], 4, "accent")
    pen.line([(-76, -82), (-48, -30), (-20, -82)], 4, "accent")


def hearts(pen: Pen) -> None:
    pen.heart(42, 22, 6.6, "ground")
    pen.heart(-48, -18, 6.6, "panel")
    pen.heart(-48, -18, 5.6, "accent")


def heart(pen: Pen) -> None:
    pen.heart(0, 6, 9, "accent")
    pen.arc(-62, -38, 46, 175, 265, 10, "panel")
    for x, y in ((-128, 86), (130, 84), (0, -142)):
        pen.heart(x, y, 1.5, "ground")


def moon(pen: Pen) -> None:
    pen.disc(-6, 6, 122, "ground")
    pen.disc(48, -28, 102, "soft")
    for x, y, size in ((52, -52, 42), (104, 44, 24), (12, 26, 18)):
        pen.star(x, y, size, "accent")


def cap(pen: Pen) -> None:
    pen.shape([(-82, -6), (82, -6), (82, 74), (0, 106), (-82, 74)], "ink")
    pen.shape([(0, -96), (166, -26), (0, 44), (-166, -26)], "ground")
    pen.line([(0, -26), (122, 8), (122, 78)], 7, "accent")
    pen.disc(0, -26, 10, "accent")
    pen.shape([(122, 72), (138, 122), (106, 122)], "accent")


def flower(pen: Pen) -> None:
    pen.line([(0, -10), (6, 70), (0, 160)], 11, "ground")
    for side, y in ((-1, 128), (1, 96)):
        pen.shape([(2, y), (side * 44, y - 44), (side * 92, y - 38), (side * 60, y - 4)], "ground")
    for turn in range(8):
        pen.disc(66 * sin(pi * turn / 4), -50 - 66 * cos(pi * turn / 4), 36, "accent")
    pen.disc(0, -50, 38, "panel")


def house(pen: Pen) -> None:
    pen.slab(58, -112, 90, -40, "ink")
    pen.slab(-98, -40, 98, 114, "panel")
    pen.shape([(-138, -26), (0, -142), (138, -26)], "ground")
    pen.slab(-30, 22, 30, 114, "accent", round_by=6)
    pen.disc(16, 70, 6, "panel")
    for x in (-66, 66):
        pen.slab(x - 19, 10, x + 19, 48, "soft", round_by=4)
    pen.heart(0, -62, 2, "soft")


def fireworks(pen: Pen) -> None:
    for x, y, size, colour in ((-40, -8, 104, "ground"), (92, 92, 54, "accent"), (98, -102, 44, "accent")):
        for turn in range(12):
            across, down = size * sin(pi * turn / 6), -size * cos(pi * turn / 6)
            ray = [(x + part * across, y + part * down) for part in (0.3, 0.8)]
            pen.line(ray, size / 16, colour)
            pen.disc(x + across, y + down, size / 13, colour)


def tree(pen: Pen) -> None:
    pen.slab(-17, 96, 17, 146, "ink")
    for top, bottom, half in ((-120, -36, 66), (-74, 34, 94), (-16, 106, 122)):
        pen.shape([(0, top), (half, bottom), (-half, bottom)], "ground")
    pen.star(0, -122, 34, "accent")
    for x, y in ((-24, -52), (26, -18), (-50, 14), (10, 42), (62, 74), (-70, 84), (-8, 88)):
        pen.disc(x, y, 10, "accent" if x < 20 else "panel")


def menorah(pen: Pen) -> None:
    for radius in (32, 66, 100, 134):
        pen.arc(0, -36, radius, 0, 180, 11, "ground")
    pen.slab(-6, -74, 6, 130, "ground")
    pen.shape([(-62, 144), (62, 144), (26, 118), (-26, 118)], "ground")
    for x in (-128, -95, -61, -27, 27, 61, 95, 128):
        pen.slab(x - 9, -62, x + 9, -34, "ground", round_by=3)
        pen.flame(x, -66, 38, "accent")
    pen.slab(-10, -96, 10, -70, "ground", round_by=3)
    pen.flame(0, -100, 44, "accent")


def crescent(pen: Pen) -> None:
    pen.disc(-22, 0, 124, "ground")
    pen.disc(26, -20, 104, "soft")
    pen.star(48, -24, 50, "accent")


def lamp(pen: Pen) -> None:
    pen.flame(0, 14, 148, "accent")
    pen.flame(0, 8, 84, "panel")
    bowl = [pi * step / 40 for step in range(41)]
    pen.shape([(132 * cos(t), 20 + 92 * sin(t)) for t in bowl], "ground")
    pen.disc(0, 20, 132, "ink", flat=0.16)
    pen.slab(-50, 104, 50, 122, "ink", round_by=9)
    for x in (-84, -42, 0, 42, 84):
        pen.disc(x, 66 - abs(x) * 0.18, 8, "soft")


def eggs(pen: Pen) -> None:
    for x, y, colour in ((-74, 30, "accent"), (74, 30, "ground"), (0, -6, "panel")):
        pen.shape(_egg(x, y), colour)
        for row in (-26, 26):
            pen.line([(x - 40 + 10 * step, y + row + (7 if step % 2 else -7)) for step in range(9)], 6,
                     "accent" if colour == "panel" else "panel")  # fmt: skip
        for spot in (-30, 0, 30):
            pen.disc(x + spot, y, 7, "ground" if colour == "panel" else "soft")


def _egg(x: float, y: float) -> list[Point]:
    steps = [2 * pi * step / 90 for step in range(90)]
    return [(x + 66 * sin(t) * (1 - 0.16 * cos(t)), y - 92 * cos(t)) for t in steps]


def lantern(pen: Pen) -> None:
    pen.line([(0, -158), (0, -104)], 6, "ink")
    pen.disc(0, 0, 124, "ground", flat=0.74)
    for half in (84, 38):
        steps = [2 * pi * step / 90 for step in range(91)]
        pen.line([(half * sin(t), 92 * cos(t)) for t in steps], 4, "soft")
    pen.slab(-58, -108, 58, -82, "accent", round_by=6)
    pen.slab(-58, 82, 58, 108, "accent", round_by=6)
    for x in (-26, 0, 26):
        pen.line([(x, 108), (x, 166 - abs(x) / 2)], 5, "accent")


def scroll(pen: Pen) -> None:
    pen.slab(-92, -92, 92, 92, "panel")
    for y in (-56, -28, 0, 28, 56):
        pen.line([(-52, y), (52, y)], 8, "ground")
    for x in (-100, 100):
        pen.slab(x - 9, -152, x + 9, 152, "accent", round_by=8)
        pen.slab(x - 26, -104, x + 26, 104, "ground", round_by=20)
        pen.disc(x, -152, 16, "accent")
        pen.disc(x, 152, 16, "accent")


def sprout(pen: Pen) -> None:
    pen.line([(0, 96), (0, -30)], 13, "ground")
    for side, y in ((-1, -6), (1, -46)):
        pen.shape([(0, y + 28), (side * 40, y - 46), (side * 122, y - 66), (side * 92, y + 8)], "ground")
        pen.line([(0, y + 28), (side * 84, y - 34)], 5, "soft")
    pen.disc(0, 118, 118, "ink", flat=0.26)
    for x, y in ((-52, 112), (4, 124), (58, 110)):
        pen.disc(x, y, 8, "accent")


MOTIFS: Mapping[str, Callable[[Pen], None]] = {
    motif.__name__: motif
    for motif in (
        present, cake, rings, hearts, moon, cap, flower, house, heart, fireworks, tree, menorah, crescent, lamp, eggs,
        lantern, scroll, sprout,
    )
}  # fmt: skip


# -- the card ---------------------------------------------------------------------------------------


def draw(occasion: GiftOccasion) -> bytes:
    """Draw the image of link previews: the motif beside its greeting. Return a PNG of `CARD_SIZE`."""
    image, page = _draw_motif(occasion, 296)
    _write(page, occasion.greeting)
    return _reduce(image)


def draw_without_words(occasion: GiftOccasion) -> bytes:
    """Draw the image of emails: the motif alone, in the middle. Return a PNG of `CARD_SIZE`."""
    image, _ = _draw_motif(occasion, CARD_SIZE[0] / 2)
    return _reduce(image)


def _draw_motif(occasion: GiftOccasion, x: float) -> tuple[Image.Image, Pen]:
    """Return a card, drawn larger, with its motif around `x`, and a pen for the whole card."""
    width, height = CARD_SIZE
    image = Image.new("RGB", (width * FINER, height * FINER), occasion.palette.ground)
    page = Pen(image, occasion.palette)
    page.slab(34, 34, width - 34, height - 34, "panel", round_by=28)
    page.disc(x, height / 2, 200, "soft")
    MOTIFS[occasion.motif](Pen(image, occasion.palette, x, height / 2))
    return image, page


def _reduce(image: Image.Image) -> bytes:
    small = image.resize(CARD_SIZE, Image.Resampling.LANCZOS)
    out = BytesIO()
    small.quantize(COLOURS, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return out.getvalue()


def _write(page: Pen, greeting: str) -> None:
    size = next(size for size in range(92, 40, -4) if _fits(_lines(greeting, size), size))
    lines = _lines(greeting, size)
    first = MIDDLE - 40 - (len(lines) - 1) * size * 0.58
    for number, words in enumerate(lines):
        page.text(TEXT_LEFT, first + number * size * 1.16, words, size, "ink")
    below = first + (len(lines) - 1) * size * 1.16 + size * 0.5
    page.slab(TEXT_LEFT + 2, below + 34, TEXT_LEFT + 92, below + 40, "accent", round_by=3)
    page.text(TEXT_LEFT, below + 88, SUBLINE, 34, "ink")


def _fits(lines: Sequence[str], size: int) -> bool:
    font = ImageFont.load_default(size)
    return len(lines) <= 2 and all(font.getbbox(line)[2] <= TEXT_WIDTH for line in lines)


def _lines(words: str, size: int) -> list[str]:
    """Break the text between words, to fit beside the motif."""
    font = ImageFont.load_default(size)
    lines: list[str] = []
    for word in words.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and font.getbbox(longer)[2] <= TEXT_WIDTH:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def main() -> None:
    """Write the cards of link previews and those of emails: the mail service shares no file with the worker."""
    for part, draw_card in (("reminder_worker/gifts/cards", draw), ("mail_service/cards", draw_without_words)):
        folder = Path(__file__).parents[2] / part
        folder.mkdir(exist_ok=True)
        for old in folder.glob("*.png"):
            old.unlink()
        for occasion in load_occasions().values():
            (folder / f"{occasion.id}.png").write_bytes(draw_card(occasion))


if __name__ == "__main__":
    main()
