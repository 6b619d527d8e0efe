"""The page of the OpenAPI document in a browser: every endpoint is on it, and nothing is loaded from elsewhere."""

import pytest
from playwright.async_api import expect

from tests.integration.gift_page_browser import PageVisitor
from tests.integration.gift_page_world import GiftWorld

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_page_lists_every_endpoint_and_loads_only_from_us(
    gift_world: GiftWorld, visitor: PageVisitor
) -> None:
    page, origin = visitor.page, gift_world.origin
    document = (await gift_world.api.request("GET", "/schema/openapi.json")).body
    paths = sorted(path for path, item in document["paths"].items() for _ in item)
    answer = await page.goto(f"{origin}/schema")
    assert answer is not None
    assert "script-src 'self' 'sha256-" in answer.headers["content-security-policy"]
    await expect(page.locator(".opblock-summary-path")).to_have_count(len(paths))
    shown = await page.locator(".opblock-summary-path").evaluate_all("(them) => them.map((it) => it.dataset.path)")
    assert sorted(shown) == paths
    await page.locator(".opblock-summary", has_text="/recipients").first.click()
    await expect(page.get_by_text("ReadRecipients").first).to_be_visible()
    assert visitor.violations == []
    assert visitor.foreign(origin) == []
