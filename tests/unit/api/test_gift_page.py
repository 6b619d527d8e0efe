"""The gift page's own style, which is in the page itself."""

import re

import pytest

from api.gift_page import plain_page
from reminder_worker.gifts.assets import GiftOccasion, load_occasions


@pytest.mark.parametrize("occasion", load_occasions().values(), ids=lambda occasion: occasion.id)
def test_every_browser_knows_the_colours(occasion: GiftOccasion) -> None:
    """Those of before 2023 mix none: light letters would stand on no ground."""
    colours = dict(
        re.findall(
            r"(--[a-z-]+):([^;}]+)", plain_page(occasion, ("no-gift", "There is no gift here", []), "gifts", None)
        )
    )
    assert {"--page", "--card", "--paper", "--text"} <= colours.keys()
    assert [each for each in colours.values() if not re.fullmatch(r"#([0-9a-f]{3}){1,2}", each)] == []
