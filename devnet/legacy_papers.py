"""The papers of the story's legacy: its owner has them drawn by the page of the legacy, in Chromium, and saves them."""

from collections.abc import Sequence
from pathlib import Path

from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address

from devnet.evidence import must
from devnet.gift_to_open import make_folder, open_page, save_printable
from devnet.local import CHAIN_ID
from devnet.scenarios import Legacy, Scenario
from devnet.stack import LocalStack


def save_papers(
    stack: LocalStack, owner: LocalAccount, legacy: Legacy, people: Sequence[str], chromium: str
) -> Sequence[Path]:
    """Save both pages, which say where the legacy is. None of the addresses in `people` may be on them.

    Raises `NotSeen`.
    """
    url = f"{stack.at.api}/legacies/{CHAIN_ID}/{legacy.address}"
    folder = make_folder(stack)
    with open_page(url, Scenario(stack.anvil, stack.deployment), owner, chromium) as page:
        page.get_by_role("button", name="Show both pages").click()
        paths = [save_printable(page, title, folder) for title in ("Claim card", "For the estate file")]
        drawn: list[str] = page.evaluate("window.drawn")
    named = to_checksum_address(legacy.router), to_checksum_address(legacy.address)
    must(all(drawn.count(each) >= 2 for each in named), "a page does not say where the legacy is")
    must(drawn.count(str(legacy.id)) >= 3, "the cover sheet has no number")  # the card has it twice
    written = "".join(drawn).lower()
    must(not any(each.lower() in written for each in people), "a page names somebody")
    return paths
