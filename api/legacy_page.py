"""The page of a legacy: public state and days as one HTML document, which works without a script. It holds no people
and no amounts.

What was built of `gift_page/` adds the owner's check-in, an heir's claim, and the reader's language, as on a gift page.
"""

from collections.abc import Sequence
from html import escape
from typing import Final

from eth_utils.address import to_checksum_address

from api.gift_page import render_day, render_document, render_loads, render_phrase, render_row, render_time
from api.schemas import format_time
from reminder_worker.gifts.assets import PageEntry, find_occasion
from reminder_worker.outbox.messages import to_datetime
from reminder_worker.relay.legacy_pages import LegacyPageFacts, PageState

PREFIX: Final = "legacies"
LEGACY: Final = ("legacy", "A legacy")
ABOUT: Final = "The state and the days of a legacy, as the chain has them."
LOOK: Final = find_occasion(None)
"""The colours: those of a gift without an occasion."""


def legacy_page(facts: LegacyPageFacts, chain_id: int, entry: PageEntry | None, no_script: str) -> str:
    """`entry`: what was built, where it was. `no_script`: what a browser shows without a script, as HTML."""
    number = render_phrase("span", "gift-number", f"number {facts.legacy_id} of", number=facts.legacy_id)
    lines = [
        render_row(name, english, render_time(at))
        for name, english, at in (
            ("legacy-second-line", "The second in line may claim from", facts.second_line_at),
            ("legacy-third-line", "The third in line may claim from", facts.third_line_at),
        )
        if at is not None and facts.state is not PageState.ENDED
    ]
    words = [
        f'<div id="state">{_render_state(facts)}</div>',
        f'<div id="ways">{no_script if entry else ""}</div>',
        f'<dl id="lines">{"".join(lines)}</dl>' if lines else "",
        f'<details id="details">{render_phrase("summary", "legacy-details", "About this legacy")}',
        _render_purpose(facts),
        "<dl>",
        render_row("fact-network", "Network", escape(facts.chain_name)),
        render_row("legacy-contract", "Contract", f"<code>{to_checksum_address(facts.legacy)}</code>"),
        render_row("legacy-router", "Made by", f"{number} <code>{to_checksum_address(facts.router)}</code>"),
        "</dl>",
        render_phrase(
            'p class="dim"',
            "legacy-public",
            "This page shows what everybody can read on the network. It names nobody.",
        ),
        "</details>",
    ]
    now = {
        "kind": "legacy",
        "state": facts.state.value,
        "chain-id": str(chain_id),
        "legacy": to_checksum_address(facts.legacy),
        "opens-at": "" if facts.opens_at is None else format_time(to_datetime(facts.opens_at)),
    }
    return _render_page(*LEGACY, "".join(words), now, entry)


def choice_page(chain_id: int, addresses: Sequence[str], entry: PageEntry | None) -> str:
    """The page of a number that several legacies have: one of each router."""
    links = [
        f'<p><a href="/{PREFIX}/{chain_id}/{address}"><code>{to_checksum_address(address)}</code></a></p>'
        for address in addresses
    ]
    which = "Which one do you look for? The address of its contract stands in your emails about it."
    words = render_phrase("p", "legacy-several-1", which)
    title = "Several legacies have this number"
    return _render_page("legacy-several", title, words + "".join(links), {"kind": "final"}, entry)


def _render_page(name: str, title: str, words: str, data: dict[str, str], entry: PageEntry | None) -> str:
    loads = render_loads(PREFIX, entry)
    return render_document(LOOK, name, title, words, loads, data=data, entry=entry, about=ABOUT)


def _render_state(facts: LegacyPageFacts) -> str:
    line, opens_at = 'p class="when" role="status"', facts.opens_at
    if facts.state is PageState.ENDED:
        ended = "Its owner has ended this legacy: there is nothing to claim, and nothing to do."
        return render_phrase(line, "legacy-ended", ended)
    if facts.state is PageState.CLAIMED and facts.claimed_at is not None:
        return render_day(line, "legacy-claimed-on", "It was claimed on {}.", facts.claimed_at) + _render_rest(facts)
    if opens_at is None:
        return render_phrase(line, "legacy-no-day", "This page can show no day for this legacy.")
    if facts.state is PageState.OPEN:
        closes = "As long as nobody has claimed, a sign of life of its owner closes it again."
        since = render_day(line, "legacy-open-since", "It may be claimed since {}.", opens_at)
        return since + render_phrase("p", "legacy-closes-again", closes)
    moves = "Each sign of life of its owner moves this day further away."
    return render_day(line, "legacy-opens-on", "It may be claimed from {} on.", opens_at) + render_phrase(
        "p", "legacy-moves", moves
    )


def _render_rest(facts: LegacyPageFacts) -> str:
    if facts.is_safe:
        return render_phrase("p", "legacy-handed-over", "The shared wallet has new signers since then.")
    rest = "The people named in it may still claim the rest."
    return render_phrase("p", "legacy-rest", rest)


def _render_purpose(facts: LegacyPageFacts) -> str:
    if facts.is_safe:
        purpose = (
            "A legacy is a plan for the people somebody cares about. This one is of a shared wallet, a Safe. If the "
            "wallet is not used for a long time, the people who are named in the plan may take it over."
        )
        return render_phrase("p", "legacy-purpose-safe", purpose)
    purpose = (
        "A legacy is a plan for the people somebody cares about. If its owner shows no sign of life for a long time, "
        "the people who are named in the plan may claim what was left to them."
    )
    return render_phrase("p", "legacy-purpose", purpose)
