"""Paragraphs of a text part: at most 72 columns."""

import re
import textwrap
from unicodedata import east_asian_width

# Chinese and Japanese have no spaces: a line may end after each character, but not after an opening mark and not
# before one that closes or a small kana.
_PIECES = re.compile(
    r"\s+"
    r"|[（「『【〈《“]*"  # noqa: RUF001
    r"(?:[\u2e80-\u9fff\uf900-\ufaff\uff01-\uff60]|[^\s\u2e80-\u9fff\uf900-\ufaff\uff01-\uff60]+)"
    r"[、。，．！？：；）」』】〉》”ーっゃゅょッャュョァィゥェォ]*"  # noqa: RUF001
)


def measure_width(text: str) -> int:
    """Columns of a terminal or a mail program with a fixed width: most of East Asia's characters take two."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def wrap_text(text: str, indent: str = "") -> str:
    """One paragraph, whatever the white space of its template; long words stay whole, as addresses must."""
    text, later = " ".join(text.split()), " " * len(indent)
    if measure_width(text) == len(text):
        return textwrap.fill(
            text,
            72,
            initial_indent=indent,
            subsequent_indent=later,
            break_long_words=False,
            break_on_hyphens=False,
        )
    lines = [indent]
    for piece in _PIECES.findall(text):
        if measure_width(lines[-1] + piece.rstrip()) > 72 and lines[-1].strip():
            lines[-1] = lines[-1].rstrip()
            lines.append(later)
        if lines[-1] != later or not piece.isspace():
            lines[-1] += piece
    return "\n".join(lines)
