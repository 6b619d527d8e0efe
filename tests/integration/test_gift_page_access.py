"""The gift pages for everybody: WCAG 2.2 AA by axe in every state, every theme's contrast, keyboard, motion, narrow."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.compile import ROOT
from devnet.scenarios import Scenario
from reminder_worker.gifts.assets import load_occasions
from reminder_worker.gifts.claim_link import GiftLetter, LinkFlags
from tests.integration.gift_page_browser import DESKTOP, PHONE, InjectedWallet, PageVisitor, Visit
from tests.integration.gift_page_giver_steps import RECORD_WORDS, key_on_sheet, type_from_paper
from tests.integration.gift_page_steps import MOVED, PAPER
from tests.integration.gift_page_world import USDC, GiftWorld, SealedGift, open_email_world

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
EMAIL = "adabelle.featherstonehaugh-ch@administration.example.org"
LONG_NAME = "Antidisestablishmentarianisticfeatherstonehaughcholmondeleys"
HOSTILE = GiftLetter(
    "Adabelle Antidisestablishmentarianism-Featherstonehaugh-Ch", "<b>G</b>", "<img src=x onerror=1>\n" * 9
)
pytestmark = pytest.mark.asyncio(loop_scope="session")
NARROW = (320, 640)  # CSS pixels: what 400 % of 1280 leaves

_FAULTS = """
async ([levels, rules]) => {
  const runOnly = rules ? { type: "rule", values: rules } : { type: "tag", values: levels };
  const found = await axe.run(document, { runOnly, resultTypes: ["violations"] });
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ target, any, all, none }) =>
    `${id} ${target.join(" ")}: ${[...any, ...all, ...none].map(({ message }) => message).join("; ")}`));
}
"""

# Contrast of what is no text (WCAG 1.4.11): the focus ring and the borders of fields, on what is behind them.
_EDGES = """
() => {
  const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 })
    .getContext("2d", { willReadFrequently: true });
  const over = (color, behind) => {
    if (behind) { pen.fillStyle = `rgb(${behind})`; pen.fillRect(0, 0, 1, 1); } else pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = color;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const ground = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const color = over(getComputedStyle(each).backgroundColor);
      if (color[3] === 255) return color.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const light = (color) => color.slice(0, 3).map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const contrast = (color, behind) => {
    const [high, low] = [light(over(color, behind)), light(behind)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const faults = [];
  for (const element of document.querySelectorAll("a, button, summary, input, select, textarea")) {
    if (!element.checkVisibility() || element.disabled) continue;
    element.focus({ preventScroll: true, focusVisible: true });
    const style = getComputedStyle(element), behind = ground(element.parentElement);
    const name = element.tagName + "." + element.className;
    if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2) faults.push(`${name} shows no focus`);
    else if (contrast(style.outlineColor, behind) < 3)
      faults.push(`${name} focus ${contrast(style.outlineColor, behind).toFixed(2)}`);
    element.blur();
    if (!element.matches("input:not([type=checkbox], [type=radio]), select, textarea")) continue;
    const border = contrast(getComputedStyle(element).borderTopColor, behind);
    if (border < 3) faults.push(`${name} border ${border.toFixed(2)}`);
  }
  return [...new Set(faults)];
}
"""

_WIDE = """
() => {
  const wide = document.scrollingElement.scrollWidth > innerWidth;
  const out = [...document.querySelectorAll("main *")]
    .filter((each) => each.checkVisibility() && each.getBoundingClientRect().right > innerWidth + 1)
    .map((each) => `${each.tagName}.${each.className}`);
  const page = document.querySelector("article");  // hides what is wider
  const cut = page.scrollWidth > page.clientWidth ? [`is cut off: ${page.scrollWidth}`] : [];
  if (!wide && !out.length) return cut;
  return [`scrolls sideways: ${document.scrollingElement.scrollWidth}`, ...new Set(out), ...cut];
}
"""

_MOVES = """
() => [
  ...document.getAnimations().map(({ effect }) => `${effect?.target?.tagName}.${effect?.target?.className} moves`),
  ...[...document.querySelectorAll("*")].filter((each) => {
    const { transitionDuration, animationName, animationDuration, scrollBehavior } = getComputedStyle(each);
    return parseFloat(transitionDuration) > 0.01 || scrollBehavior === "smooth"
      || (animationName !== "none" && parseFloat(animationDuration) > 0.01);
  }).map((each) => `${each.tagName}.${each.className} would move`),
]
"""


@dataclass
class PageEyes:
    """Checks a page in every way and keeps each fault with the state's name: one run shows all faults."""

    page: Page
    faults: list[str] = field(default_factory=list)

    async def look(self, state: str) -> None:
        """On a phone and a desktop, dark (which changes colours alone), narrow, and with little motion."""
        for size in (PHONE, DESKTOP):
            await self._as(size, dark=False)
            await self.axe(f"{state} {size[0]}")
        await self._as(DESKTOP, dark=True)
        await self.axe(f"{state} dark", ["color-contrast"])
        await self._as(NARROW, dark=False)
        self._keep(f"{state} {NARROW[0]}", await self.page.evaluate(_WIDE))
        await self.page.emulate_media(reduced_motion="reduce")
        self._keep(f"{state} reduced motion", await self.page.evaluate(_MOVES))
        await self.page.emulate_media(reduced_motion="no-preference")
        await self._as(DESKTOP, dark=False)

    async def axe(self, state: str, rules: list[str] | None = None) -> None:
        if not await self.page.evaluate("() => 'axe' in window"):
            await self.page.evaluate(AXE.read_text())
        self._keep(state, await self.page.evaluate(_FAULTS, [LEVELS, rules]))

    async def themed(self, state: str) -> None:
        """Contrast alone, of text and of edges."""
        for dark in (False, True):
            await self._as(DESKTOP, dark)
            await self.axe(f"{state} {'dark' if dark else 'light'}", ["color-contrast"])
            self._keep(f"{state} {'dark' if dark else 'light'}", await self.page.evaluate(_EDGES))

    async def _as(self, size: tuple[int, int], dark: bool) -> None:
        await self.page.set_viewport_size({"width": size[0], "height": size[1]})
        await self.page.emulate_media(color_scheme="dark" if dark else "light")

    def _keep(self, state: str, found: list[str]) -> None:
        self.faults += [f"{state}: {each}" for each in found]

    def check(self) -> None:
        assert self.faults == [], "\n".join(self.faults)


@pytest.fixture
def eyes(visitor: PageVisitor) -> PageEyes:
    return PageEyes(visitor.page)


async def choose(page: Page, way: str) -> None:
    await page.locator("summary", has_text=way).click()


# -- the claim page -----------------------------------------------------------------------------------------------


async def test_every_state_of_a_gift_before_it_is_opened(
    gift_world: GiftWorld, visitor: PageVisitor, eyes: PageEyes
) -> None:
    """Sealed, not found, on another chain, with a damaged or a hostile letter."""
    page, ada = visitor.page, gift_world.person("ada")
    sealed = await gift_world.seal(ada, opened=False)
    await page.goto(sealed.url)
    await expect(page.locator(".letter")).to_be_visible()
    await eyes.look("sealed")
    for details in await page.locator("summary").all():
        await details.click()
    await eyes.look("sealed, all told")
    for state, url in (
        ("damaged", sealed.url[:-5]),
        ("no letter", sealed.url.partition("#")[0]),
        ("hostile", gift_world.link(sealed.id, LinkFlags("wedding"), HOSTILE)),
        ("not found", gift_world.link(987654)),
        ("another chain", sealed.url.replace("/31337/", "/8453/")),
        ("no sheet's gift", f"{gift_world.origin}/sealed/for/{gift_world.person('nobody').address}"),
    ):
        await page.goto("about:blank")
        await page.goto(url)
        await eyes.look(state)
    assert visitor.faults == []
    eyes.check()


async def test_every_state_of_opening_a_gift(
    chain_scenario: Scenario, engine: AsyncEngine, visitor: PageVisitor, eyes: PageEyes
) -> None:
    """With a wallet, with a key and the camera, with an email; on its way, received, and afterwards."""
    page = visitor.page
    async with open_email_world(chain_scenario, engine) as (world, provider):
        ada = world.person("ada")
        await visitor.has(InjectedWallet(world.scenario, ada, "Ada's wallet"))
        await visitor.has(
            InjectedWallet(world.scenario, world.giver, "A wallet whose name is long, on and on, for ever")
        )
        await visitor.has_barcode_detector()
        gift = await world.seal(ada, ether=True)
        await page.goto(gift.url)
        await eyes.look("wallets")
        await page.get_by_role("button", name="Open for free with A wallet").click()
        await expect(page.get_by_role("alert").filter(has_text="sealed for")).to_be_visible()
        await eyes.look("another account")

        await choose(page, "With the key on my printed sheet")
        await eyes.look("paper key")
        await page.get_by_role("button", name="Open my gift").locator("visible=true").click()
        await expect(page.get_by_role("alert").filter(has_text="needs 4 characters")).to_be_visible()
        await eyes.look("incomplete key")
        await page.get_by_role("button", name="Scan it with the camera").click()
        await expect(page.locator("video")).to_be_visible()
        await eyes.look("camera")
        await page.get_by_role("button", name="Stop the camera").click()

        made, wallet = provider.wallet(EMAIL, "gift-of-ada")
        provider.verified.add(made.id)  # found by its email
        emailed = await world.seal(wallet, marks=LinkFlags("christmas", email=True))
        await page.goto(emailed.url)
        await expect(page.get_by_label("Your email address")).to_be_visible()
        await eyes.look("email")
        await page.get_by_role("button", name="Send me a code").click()
        await eyes.look("no email")
        await page.get_by_label("Your email address").fill(EMAIL)
        await page.get_by_role("button", name="Send me a code").click()
        await expect(page.get_by_label("The code from the email")).to_be_visible()
        await eyes.look("code")
        await page.get_by_label("The code from the email").fill("x")
        await page.get_by_role("button", name="Open my gift").locator("visible=true").click()
        await expect(page.get_by_role("alert").filter(has_text="does not fit")).to_be_visible()
        await eyes.look("wrong code")
        world.following.clear()
        await page.get_by_label("The code from the email").fill(provider.mailbox[EMAIL][-1])
        await page.get_by_role("button", name="Open my gift").locator("visible=true").click()
        await expect(page.get_by_role("heading", name="Your gift is on its way")).to_be_focused()
        await eyes.look("on its way")
        world.following.set()
        await expect(page.get_by_role("heading", name="It is yours")).to_be_visible()
        await eyes.look("received")
        await page.reload()
        await expect(page.get_by_text("was opened on")).to_be_visible()
        await eyes.look("claimed")
    assert visitor.faults == []
    eyes.check()


async def test_the_contrast_in_every_theme(gift_world: GiftWorld, visitor: PageVisitor, eyes: PageEyes) -> None:
    """Contrast of text, focus ring and fields; light and dark, for a sealed and an open gift."""
    page, ada = visitor.page, gift_world.person("ada")
    await visitor.has(InjectedWallet(gift_world.scenario, ada, "Ada's wallet"))
    sealed, opened = await gift_world.seal(ada, opened=False), await gift_world.seal(ada)
    assert len(load_occasions()) == 18
    for occasion in load_occasions():
        for state, gift in (("sealed", sealed), ("open", opened)):
            await page.goto(gift_world.link(gift.id, LinkFlags(occasion)))
            if state == "open":
                await choose(page, "With the key on my printed sheet")
            await eyes.themed(f"{occasion} {state}")
    eyes.check()


async def test_a_gift_is_opened_with_the_keyboard_alone(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    """The focus is always to be seen, in the order of the page, and goes where something new is said."""
    page, ada = visitor.page, gift_world.person("ada")
    gift = await gift_world.seal(ada, marks=LinkFlags("birthday", paper=True))
    await page.goto(gift.url)
    await expect(page.get_by_label("Group 1 of 16")).to_be_visible()
    seen: list[str] = []
    for _ in range(40):
        await page.keyboard.press("Tab")
        focus = await _focus(page)
        if focus is None:
            break
        assert focus["outline"] >= 2, focus
        assert focus["inside"], focus
        seen.append(focus["name"])
    groups = [f"Group {number} of 16" for number in range(1, 17)]
    assert [name for name in seen if name.startswith("Group")] == groups
    assert seen.index("Open my gift") == seen.index("Group 16 of 16") + 1
    for way in ("With the key on my printed sheet", "With my own wallet", "About this gift"):
        assert way in seen

    await page.keyboard.press("Tab")
    while (await _focus(page) or {}).get("name") != "Group 1 of 16":
        await page.keyboard.press("Tab")
    await page.keyboard.type("12")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("alert").filter(has_text="Group 1 needs 4 characters")).to_be_visible()
    await expect(page.get_by_label("Group 1 of 16")).to_be_focused()
    await page.keyboard.press("Control+A")
    await page.keyboard.type(ada.key.hex().removeprefix("0x"))  # flows on from group to group
    await expect(page.get_by_label("Group 16 of 16")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="It is yours")).to_be_focused()
    assert gift_world.received(gift) == 250 * USDC


async def _focus(page: Page) -> dict[str, Any] | None:
    found: str | None = await page.evaluate(
        """() => { const element = document.activeElement;
        if (element === document.body || element === document.documentElement) return null;
        const style = getComputedStyle(element), box = element.getBoundingClientRect();
        return JSON.stringify({ name: element.getAttribute("aria-label") ?? element.textContent,
          outline: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
          inside: box.bottom > 0 && box.top < innerHeight }); }"""
    )
    return json.loads(found) if found else None


# -- the page of givers -------------------------------------------------------------------------------------------


async def test_every_state_of_sealing_a_gift(gift_world: GiftWorld, visitor: PageVisitor, eyes: PageEyes) -> None:
    page = visitor.page
    await visitor.context.add_init_script(RECORD_WORDS)
    await page.goto(f"{gift_world.origin}/sealed/create")
    await expect(page.get_by_text("No wallet was found yet.")).to_be_visible()
    await eyes.look("nobody connected")
    await visitor.has(InjectedWallet(gift_world.scenario, gift_world.giver, "Giver's wallet"))
    await page.reload()
    await page.get_by_role("button", name="Connect Giver's wallet").click()
    await expect(page.get_by_text(gift_world.giver.address)).to_be_visible()
    await eyes.look("connected")
    await page.get_by_label("With a wallet they have").check()
    await page.get_by_role("button", name="Continue").click()
    await expect(page.get_by_label("How much")).to_have_accessible_description(re.compile("how much"))
    await eyes.look("something is missing")
    await page.get_by_label("For (a name)").fill(LONG_NAME)
    await page.get_by_label("Your message").fill("With love")
    await page.get_by_label("How much").fill("0.5")
    await page.get_by_label("With a printed key").check()
    await page.get_by_role("button", name="Continue").click()
    await expect(page.get_by_role("img", name="Key sheet")).to_be_visible()
    await eyes.look("the sheet")
    await type_from_paper(page, await key_on_sheet(page))
    await eyes.look("two groups are typed")
    await page.get_by_role("button", name="Seal the gift").click()
    await expect(page.get_by_role("img", name="Gift record")).to_be_visible()
    await eyes.look("sealed")
    assert visitor.faults == []
    eyes.check()


# -- that these eyes see ------------------------------------------------------------------------------------------


async def test_what_is_wrong_is_seen(gift_world: GiftWorld, visitor: PageVisitor, eyes: PageEyes) -> None:
    """On a page with every fault, every fault is found."""
    await visitor.page.goto((await _sealed(gift_world)).url)
    await visitor.page.evaluate(
        """() => { const bad = document.createElement("div"); document.querySelector("main").append(bad);
        const nameless = document.createElement("input"); nameless.style.cssText = "outline:none;border-color:#fefefe";
        const pale = document.createElement("p"); pale.textContent = "pale"; pale.style.color = "#f4f4f4";
        const wide = document.createElement("p"); wide.textContent = "wide"; wide.style.width = "50rem";
        const cut = document.createElement("p"); cut.textContent = "cut".repeat(50); cut.style.overflowWrap = "normal";
        bad.append(nameless, pale, wide);
        document.querySelector("section").append(cut);
        wide.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 100_000 }); }"""
    )
    await eyes.look("bad")
    await eyes.themed("bad")
    told = "\n".join(eyes.faults)
    for fault in ("label", "color-contrast", "scrolls sideways", "is cut off", "moves", "shows no focus", "border"):
        assert fault in told


async def _sealed(world: GiftWorld) -> SealedGift:
    return await world.seal(world.person("ada"), opened=False)


async def _after_the_page_is_drawn(route: Route) -> None:
    """Answer a request once what is on the page has been on the screen, as on a slow line."""
    page = route.request.frame.page
    await expect(page.locator(".looking")).to_be_visible()
    await page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    await route.continue_()


async def test_nothing_jumps_when_the_ways_to_open_a_gift_come(gift_world: GiftWorld, visit: Visit) -> None:
    """At most 0.02 by the browser's own measure of what moved, on a narrow phone and in long words."""
    for marks in (PAPER, LinkFlags(occasion="birthday", email=True), LinkFlags(occasion="birthday")):
        gift = await gift_world.seal(gift_world.person("ada"), marks=marks)
        visitor = await visit((360, 900), locale="de-DE")
        await visitor.page.route("**/assets/ways-*.js", _after_the_page_is_drawn)
        await visitor.page.goto(gift.url.split("#")[0])  # without a letter, the advice is on the screen
        await expect(visitor.page.locator(".way[open] .way-body > *").first).to_be_visible()
        await expect(visitor.page.locator("#advice")).to_be_visible()
        assert await visitor.page.evaluate(MOVED) <= 0.02, marks
