"""The printed key on the claim page: typed, pasted, read by the camera, and gone without a trace."""

import re

import pytest
from playwright.async_api import Page, expect

from reminder_worker.gifts.assets import PageFiles
from tests.integration.gift_page_browser import PHONE, InjectedWallet, PageVisitor, Visit, full_width
from tests.integration.gift_page_steps import PAPER, groups, key_of, nothing_amiss, see_it_received, type_key
from tests.integration.gift_page_world import ETHER, USDC, GiftWorld

pytestmark = pytest.mark.asyncio(loop_scope="session")

REMEMBER_TRACKS = """
window.tracks = [];
const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
navigator.mediaDevices.getUserMedia = async (wanted) => {
  const stream = await ask(wanted);
  window.tracks.push(...stream.getTracks());
  return stream;
};
"""


async def typed(page: Page) -> str:
    return "".join([await page.get_by_label(f"Group {number} of 16").input_value() for number in range(1, 17)])


def leaks(everything: str, key: str) -> list[str]:
    """Traces of a key, whole or in part, in any usual spelling."""
    traces = {key, key.upper(), key[:16], key[-16:], " ".join(groups(key))[:24], "-".join(groups(key))[:24]}
    number = int(key, 16)
    traces |= {str(number), "%2B".join(groups(key))[:24]}
    return [trace for trace in traces if trace in everything]


@pytest.mark.own_browser
@pytest.mark.parametrize("version", ["1", "2"])
async def test_a_paper_key_opens_a_gift_and_goes_nowhere(gift_world: GiftWorld, version: str, visit: Visit) -> None:
    """Typed on a phone, with a typo first: its address gives it away. The key is in no request, storage or line."""
    gift_world.become(version)
    ada = gift_world.person("ada")
    gift, key = await gift_world.seal(ada, marks=PAPER, ether=True), key_of(gift_world.person("ada"))
    visitor = await visit(PHONE)
    page = visitor.page
    await page.goto(gift.url)
    await expect(page.get_by_label("Group 1 of 16")).to_have_attribute("autocomplete", "off")
    await type_key(page, key[:20] + format(int(key[20], 16) ^ 1, "x") + key[21:])
    await expect(page.get_by_role("alert")).to_contain_text("a letter or a number differs")
    assert not any(each.url.endswith("/gift-withdraw") for each in visitor.wire.sent)
    await page.get_by_label("Group 6 of 16").fill(groups(key)[5])
    await page.get_by_role("button", name="Open my gift").click()
    if version == "2":
        await page.get_by_role("button", name="Keep it in the gift wallet").click()
    await see_it_received(page, "1 ETH")
    await expect(page.get_by_text("which is paid from the ETH that arrived")).to_be_visible()
    assert gift_world.received(gift) == ETHER
    assert await gift_world.state(gift) == "claimed"
    assert await page.locator("input").count() == 0
    assert leaks(await visitor.everything(), key) == []
    assert gift_world.origin in visitor.asked[0]
    nothing_amiss(visitor, gift_world.origin)
    await page.reload()
    await expect(page.get_by_text("This gift was opened on")).to_be_visible()


async def test_what_is_wrong_with_a_typed_key_is_told_by_its_group(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    """A group too short, a letter that keys do not have; capitals and look-alikes do not matter; paste fills all."""
    gift = await gift_world.seal(gift_world.person("ada"), marks=PAPER)
    page, key = visitor.page, key_of(gift.recipient)
    await page.goto(gift.url)
    alert = page.get_by_role("alert")
    await type_key(page, key[:38])
    await expect(alert).to_have_text("Group 10 needs 4 characters.")
    await expect(page.get_by_label("Group 10 of 16")).to_be_focused()
    await page.get_by_label("Group 3 of 16").fill("12g4")
    await page.get_by_role("button", name="Open my gift").click()
    await expect(alert).to_contain_text("Group 3 has a letter that no key has")
    await expect(page.get_by_label("Group 3 of 16")).to_have_attribute("aria-invalid", "true")
    await page.get_by_label("Group 1 of 16").fill("0x" + " ".join(groups(key.upper().replace("0", "O"))))
    assert await typed(page) == key
    await page.get_by_label("Group 1 of 16").fill(full_width(key))
    assert await typed(page) == key


async def test_digits_that_can_be_nobodys_key_are_told_to_be_none(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    for digits in ("0" * 64, "f" * 31 + "ebaaedce6af48a03bbfd25e8cd0364141"):
        await visitor.page.goto((await gift_world.seal(gift_world.person("ada"), marks=PAPER)).url)
        await type_key(visitor.page, digits)
        await expect(visitor.page.get_by_role("alert")).to_contain_text("That code is not the key.")


async def test_a_whole_key_that_is_pasted_takes_the_place_of_what_is_there(
    gift_world: GiftWorld, visitor: PageVisitor
) -> None:
    """Wherever the caret stands: what was there would shift the digits, and make a wrong key of the right one."""
    await visitor.context.grant_permissions(["clipboard-read", "clipboard-write"])
    gift = await gift_world.seal(gift_world.person("ada"), marks=PAPER)
    page, key = visitor.page, key_of(gift.recipient)
    await page.goto(gift.url)
    for number, said in (("1", key[::-1]), ("1", f"0x{key}"), ("9", " ".join(re.findall("....", key.upper())))):
        await page.evaluate("(text) => navigator.clipboard.writeText(text)", said)
        await page.get_by_label(f"Group {number} of 16", exact=True).focus()
        await page.keyboard.press("End")
        await page.keyboard.press("Control+V")
        assert await typed(page) == said.removeprefix("0x").replace(" ", "").lower()
        await page.get_by_label("Group 2 of 16", exact=True).fill("0000")


@pytest.mark.own_browser
async def test_leaving_the_page_empties_the_fields(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    """Also for who comes back by the browser's back button."""
    gift = await gift_world.seal(gift_world.person("ada"), marks=PAPER)
    page, key = visitor.page, key_of(gift.recipient)
    await page.goto(gift.url)
    await page.get_by_label("Group 1 of 16").fill(key)
    assert await typed(page) == key
    await page.goto(gift_world.origin + "/health/live")
    await page.go_back()
    await expect(page.get_by_label("Group 1 of 16")).to_be_visible()
    assert await typed(page) == ""
    assert leaks(await visitor.everything(), key) == []


@pytest.mark.own_browser
async def test_a_paper_key_is_read_by_the_camera(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    """With a labelled stand-in for BarcodeDetector: what is no key, or another gift's, is told; the camera goes off."""
    gift, key = await gift_world.seal(gift_world.person("ada"), marks=PAPER), key_of(gift_world.person("ada"))
    page = visitor.page
    await visitor.has_barcode_detector()
    await page.goto(gift.url)
    start = page.get_by_role("button", name="Scan it with the camera")
    for held, words in (
        (gift.url, "That code is not the key."),
        ("0x" + key_of(gift_world.person("eve")), "Is it the sheet of another gift?"),
    ):
        await visitor.holds_before_camera(held)  # first: the camera sees at once what is there
        await start.click()
        await expect(page.get_by_role("alert").filter(has_text=words)).to_be_visible()
        await expect(page.locator("video")).to_have_count(0)
    await visitor.holds_before_camera(key)
    await start.click()
    await see_it_received(page, "250 USDC")
    assert gift_world.received(gift) == 250 * USDC
    assert leaks(await visitor.everything(), key) == []
    nothing_amiss(visitor, gift_world.origin)


async def test_a_key_that_was_not_needed_is_forgotten_too(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    """The key is typed or held before the camera; afterwards the gift is opened with a wallet."""
    ada = gift_world.person("ada")
    gift, page = await gift_world.seal(ada, marks=PAPER), visitor.page
    await visitor.has(InjectedWallet(gift_world.scenario, ada, "Ada's wallet"))
    await visitor.has_barcode_detector()
    await visitor.context.add_init_script(REMEMBER_TRACKS)
    await page.goto(gift.url)
    field = await page.get_by_label("Group 1 of 16").element_handle()
    assert field is not None
    await page.get_by_label("Group 1 of 16").fill(key_of(ada))
    await page.get_by_role("button", name="Scan it with the camera").click()
    await page.wait_for_function("() => window.tracks.some((each) => each.readyState === 'live')")
    await page.get_by_text("With my own wallet").click()
    await page.get_by_role("button", name="Open for free with Ada's wallet").click()
    await see_it_received(page, "250 USDC")
    assert await field.evaluate("(each) => each.value") == ""
    await page.wait_for_function("() => window.tracks.every((each) => each.readyState === 'ended')")


async def test_no_script_of_the_page_has_what_stops_it_on_an_old_phone() -> None:
    """iPhones that end at iOS 15 know no lookbehind, which stops a whole script."""
    built = PageFiles.load()
    assert built is not None
    scripts = [file.content for name, file in built.files.items() if name.endswith(".js")]
    assert [script for script in scripts if b"(?<!" in script or b"(?<=" in script] == []
