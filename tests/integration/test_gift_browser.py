"""A recipient's browser on the gift pages: the letter in the fragment arrives, and no request ever carries it."""

import pytest
from playwright.async_api import expect

from reminder_worker.gifts.assets import find_card_file
from reminder_worker.gifts.claim_link import encode_letter
from tests.integration.gift_page_browser import PageVisitor
from tests.integration.gift_page_world import LETTER, GiftWorld

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.own_browser
async def test_the_letter_arrives_through_the_redirect_and_no_request_carries_it(
    gift_world: GiftWorld, visitor: PageVisitor
) -> None:
    """From the sheet's address to the gift's page: the browser keeps the fragment, and every byte it sent has none."""
    ada, page, origin = gift_world.person("ada"), visitor.page, gift_world.origin
    gift = await gift_world.seal(ada, opened=False)
    fragment = f"g={encode_letter(LETTER)}"
    entry = f"{origin}/sealed/for/{ada.address}?o=birthday&paper=1&drop=this"
    of_gift = f"{origin}/sealed/{gift_world.api.chain_id}/{gift.id}?o=birthday&paper=1"
    await page.goto(f"{entry}#{fragment}")
    assert page.url == f"{of_gift}#{fragment}"
    await expect(page.get_by_role("heading", name=f"Happy birthday, {LETTER.to}")).to_be_visible()
    assert await page.locator("img").first.evaluate("(image) => image.naturalWidth") == 1200
    assert await page.locator("article").evaluate("(it) => getComputedStyle(it).overflow") == "hidden"

    asked = [each.url for each in visitor.wire.sent if each.url.startswith(origin)]  # others are the browser's own
    files = [url for url in asked if url.startswith(f"{origin}/sealed/assets/")]
    assert asked[:2] == [entry, of_gift]
    assert sorted(asked) == sorted([entry, of_gift, f"{origin}/sealed/cards/{find_card_file('birthday')}", *files])
    sent = visitor.wire.bytes.decode("latin-1")
    for secret in (fragment, fragment[2:22], fragment[-20:], "#", "%23", "Canary", "Zzyzx", "Sealed words"):
        assert secret not in sent
    assert "\r\nreferer:" not in sent.lower()
    assert visitor.violations == []
