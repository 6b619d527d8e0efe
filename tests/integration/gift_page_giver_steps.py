"""What givers do on their page, and what comes of it."""

import re
from typing import Any

from eth_abi.abi import decode
from PIL import Image
from playwright.async_api import Page, expect

from reminder_worker.gifts.claim_link import GiftLetter
from tests.integration.gift_page_browser import InjectedWallet, PageVisitor
from tests.integration.gift_page_world import PREFIX, GiftWorld
from tests.qr import qr_codes

NOTE = "Zymurgically yours, for the long winter evenings"
LETTER = GiftLetter("Wilhelmina Qwyx", "Grandma Zoëlla", NOTE)
SECRET, COVER = (0, 0, 1700, 728), (0, 728, 1700, 1464)
GIFT_STRUCT = (
    "((address,uint256,uint256),(address,uint256)[],(address,uint256)[],(address,uint256,uint256)[],uint256,address,"
    "string,string)"
)
PRINTER = """window.print = () => {
  window.printed = (window.printed ?? 0) + 1;
  dispatchEvent(new Event("beforeprint"));
};"""
# What browsers inside wallet apps do: no print dialog, no download, and no word about it.
NO_PRINTER_AND_NO_DOWNLOADS = """window.print = () => {};
HTMLAnchorElement.prototype.click = function () {};"""
RECORD_WORDS = """
window.words = [];
const draw = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {
  window.words.push(text);
  return draw.call(this, text, ...more);
};
"""


async def wallet_at_the_page(world: GiftWorld, visitor: PageVisitor) -> InjectedWallet:
    """Of the giver, who has looked at the page."""
    found = InjectedWallet(world.scenario, world.giver, "Giver's wallet")
    await visitor.has(found)
    await visitor.context.add_init_script(PRINTER)
    await open_page(world, visitor.page)
    return found


async def open_page(world: GiftWorld, page: Page) -> None:
    await page.goto(f"{world.origin}/{PREFIX}/create")
    await page.get_by_role("button", name="Giver's wallet").click()
    await page.locator(".account").wait_for()


async def fill_in(
    page: Page, *, occasion: str = "birthday", give: str = "ETH", amount: str = "1.5", **more: str
) -> None:
    """Whatever language the page is in."""
    await page.locator("[name=occasion]").select_option(occasion)
    await page.locator("[name=to]").fill(LETTER.to)
    await page.locator("[name=from]").fill(LETTER.giver)
    await page.locator("[name=note]").fill(more.get("note", LETTER.note))
    await page.locator("[name=asset]").select_option(label=give)
    await page.locator("[name=amount]").fill(amount)


async def expect_at(page: Page, field: str, words: str) -> None:
    """The field of this name is wrong, has the focus and says why; nothing was reviewed."""
    control = page.locator(f"[name={field}]:visible")
    await expect(control).to_have_accessible_description(re.compile(re.escape(words)))
    await expect(control).to_have_attribute("aria-invalid", "true")
    await expect(control).to_be_focused()
    await expect(page.locator(f"#{field}-wrong")).to_be_visible()
    await expect(page.locator(".review")).to_have_count(0)


async def saved(page: Page, title: str) -> Image.Image:
    """The printable below this title, as the giver saves it."""
    figure = page.locator("figure").filter(has_text=title)
    async with page.expect_download() as download:
        await figure.get_by_role("button", name="Save as PNG").click()
    return Image.open(await (await download.value).path())


async def key_on_sheet(page: Page) -> str:
    """The key as it was written on the sheet, for a page with `RECORD_WORDS`."""
    await page.locator(".pages canvas").first.wait_for()
    drawn: list[str] = await page.evaluate("window.words")
    groups = [word for word in drawn if re.fullmatch("[0-9a-f]{4}", word)]
    assert len(groups) >= 16, drawn
    return "0x" + "".join(groups[-16:])


async def type_from_paper(page: Page, key: str) -> None:
    """The two groups that the page asks for, of this key: 0x and 64 digits."""
    await page.get_by_role("checkbox").check()
    for field in await page.locator(".typed input").all():
        label = await field.get_attribute("aria-label") or ""
        number = min(int(found) for found in re.findall(r"\d+", label))  # the other one is 16, in some languages first
        await field.fill(key[2:][4 * number - 4 : 4 * number])


async def seal(page: Page, key: str) -> None:
    await type_from_paper(page, key)
    await page.get_by_role("button", name="Seal the gift").click()
    await expect(page.get_by_role("status").first).to_contain_text("is sealed")


def code(image: Image.Image) -> str:
    small = image.convert("L").resize((image.width // 2, image.height // 2), Image.Resampling.BILINEAR)
    (found,) = qr_codes(small)
    return found.text


def created(wallet: InjectedWallet) -> Any:
    """What the last transaction of the wallet asked of the router."""
    data = wallet.asked("eth_sendTransaction")[-1][0]["data"]
    (gift,) = decode([GIFT_STRUCT], bytes.fromhex(data[10:]))
    return gift
