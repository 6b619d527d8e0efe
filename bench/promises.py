"""Figures in docs/promises.md, written after their names from the last `make bench` and `make prove`.

Both commands write them. After other changes of the results, `python -m bench.promises` does.
"""

import json
import re
from typing import Final

from bench.harness import RESULTS, short

PAGE: Final = RESULTS.parents[2] / "docs" / "promises.md"
NOT_YET: Final = "?"
_FIGURE: Final = re.compile(r"`([a-z_]+\.[\w.]+)` = (?:\?|[\d.,]*\d(?:e-\d+)?)")
_TOTALS: Final = ("campaign", "attack")


def told(page: str) -> str:
    """`page` with the newest figure behind each name."""
    newest = known()

    def figure(found: re.Match[str]) -> str:
        return f"`{found[1]}` = {short(newest[found[1]]) if found[1] in newest else NOT_YET}"

    return _FIGURE.sub(figure, page)


def known() -> dict[str, float]:
    """By name: what was measured, and the totals of the campaign and of the attack."""
    figures = json.loads(RESULTS.read_text())["figures"]
    found = {each["name"]: each["value"] for each in figures}
    found |= {f"{each['name']}.ratio": each["ratio"] for each in figures if each["ratio"] is not None}
    for name in _TOTALS:
        totals = json.loads((RESULTS.parent / f"{name}.json").read_text())["totals"]
        found |= {f"{name}.{each}": count for each, count in totals.items()}
    return found


def update() -> None:
    PAGE.write_text(told(PAGE.read_text()))


if __name__ == "__main__":
    update()
