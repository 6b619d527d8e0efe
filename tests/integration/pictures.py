"""`make pictures`: draws docs/pictures anew, but for Dagster's. Each state of the gift page is real, as in its tests.

Not part of the tests: pytest finds it by name only, and what it needs (API, chain, relay, Chromium) is the tests'.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import pytest
from PIL import Image
from playwright.async_api import expect
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.compile import ROOT
from devnet.scenarios import DAY, Scenario
from mail_service.catalogue import TEMPLATES
from mail_service.rendering import EmailRenderer
from reminder_worker.gifts.assets import load_occasions
from reminder_worker.gifts.claim_link import GiftLetter, LinkFlags
from tests.integration.gift_page_browser import InjectedWallet, PageVisitor, new_visitor, open_browser
from tests.integration.gift_page_steps import key_of, see_it_received, type_key
from tests.integration.gift_page_world import PREFIX, GiftWorld, SealedGift, open_email_world, open_gift_world
from tests.integration.test_gift_page_email import EmailWorld, have_code_sent, problem, type_code
from tests.integration.test_gift_page_endings import end_as
from tests.integration.test_printables import COVER, PrintStudio, browser_page, gift_card, priced, sheet, studio
from tests.unit.gifts.test_page_languages import read_messages

pytestmark = pytest.mark.asyncio(loop_scope="session")

__all__ = ["browser_page", "studio"]  # fixtures

PICTURES = ROOT / "docs" / "pictures"
GREY = (219, 224, 230)
FOR_MIA = GiftLetter(
    "Mia",
    "Grandma Rose",
    "Happy birthday, little star! I put this aside when you learned to ride a bicycle.\n\n"
    "It is for whatever makes you curious next.",
)
FOR_LEO = GiftLetter("Leo", "your godparents", "Welcome to the world! This will be waiting for you when you are grown.")
FOR_NOOR = GiftLetter("Noor", "Dad", "You did it! We are so proud of you.")
WAITING, BORN = LinkFlags(occasion="birthday", paper=True), LinkFlags(occasion="new-baby", paper=True)
GRADUATED, WED = LinkFlags(occasion="graduation", paper=True), LinkFlags(occasion="wedding")
BY_EMAIL = LinkFlags(occasion="graduation", email=True)


@dataclass(frozen=True, slots=True)
class PageLook:
    """How somebody looks at a page."""

    suffix: str
    size: tuple[int, int] = (360, 780)
    dark: bool = False


PHONE, DARK = PageLook("phone"), PageLook("phone-dark", dark=True)
DESK, DARK_DESK = PageLook("desktop", (1280, 900)), PageLook("desktop-dark", (1280, 900), dark=True)
WIDEST = 960


@dataclass
class PageCamera:
    """Somebody's browser, and what it looks like."""

    visitor: PageVisitor
    look: PageLook

    async def take(self, name: str) -> None:
        page = self.visitor.page
        await page.evaluate("() => { document.activeElement?.blur(); scrollTo(0, 0); }")
        await page.evaluate("() => Promise.all([...document.images].map((each) => each.decode().catch(() => {})))")
        picture = await page.screenshot(full_page=True, animations="disabled")
        whole = Image.open(BytesIO(picture))
        save(shrunk(whole, min(whole.width, WIDEST)), f"gift-page/{name}-{self.look.suffix}.png")


@asynccontextmanager
async def looking(gift: SealedGift | str, look: PageLook = PHONE) -> AsyncIterator[PageCamera]:
    """At a gift's page, once it says how it stands."""
    async with open_browser() as (browser, wire):
        there = {"timezone_id": "Europe/Paris", "locale": "en-GB"}
        visitor = await new_visitor(browser, wire, look.size, dark=look.dark, **there)
        await visitor.page.goto(gift if isinstance(gift, str) else gift.url)
        yield PageCamera(visitor, look)


def save(picture: Image.Image, name: str) -> None:
    """Small: 256 colours are enough for a page, if its rare ones are among them."""
    colours = picture.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    colours.save(PICTURES / name, optimize=True)


def side_by_side(pictures: Sequence[Image.Image], columns: int, margin: int) -> Image.Image:
    """In rows, on grey."""
    width, height = max(each.width for each in pictures), max(each.height for each in pictures)
    rows = -(-len(pictures) // columns)
    whole = Image.new("RGB", (columns * (width + margin) + margin, rows * (height + margin) + margin), GREY)
    for place, each in enumerate(pictures):
        row, column = divmod(place, columns)
        whole.paste(each, (margin + column * (width + margin), margin + row * (height + margin)))
    return whole


def shrunk(picture: Image.Image, width: int) -> Image.Image:
    height = round(picture.height * width / picture.width)
    return picture.convert("RGB").resize((width, height), Image.Resampling.LANCZOS)


# -- the gift page ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("look", [PHONE, DARK, DESK], ids=lambda look: look.suffix)
async def test_sealed(gift_world: GiftWorld, look: PageLook) -> None:
    duration = 12 * DAY + 5_000
    gift = await gift_world.seal(
        gift_world.person("mia"), ether=True, opened=False, duration=duration, marks=WAITING, letter=FOR_MIA
    )
    async with looking(gift, look) as camera:
        await expect(camera.visitor.page.get_by_text("This gift is sealed until")).to_be_visible()
        await camera.take("waiting")
        if look is PHONE:
            for words in ("Share or hide the message", "About this gift"):
                await camera.visitor.page.get_by_text(words).click()
            await camera.take("sharing")
            await camera.visitor.page.goto("about:blank")
            await camera.visitor.page.goto(gift.url[:-9])
            await expect(camera.visitor.page.get_by_text("The message did not arrive whole")).to_be_visible()
            await camera.take("damaged")


@pytest.mark.parametrize("look", [PHONE, DARK, DESK], ids=lambda look: look.suffix)
async def test_with_the_printed_key(gift_world: GiftWorld, look: PageLook) -> None:
    gift = await gift_world.seal(gift_world.person("noor"), marks=GRADUATED, letter=FOR_NOOR)
    async with looking(gift, look) as camera:
        page = camera.visitor.page
        await expect(page.get_by_label("Group 1 of 16")).to_be_visible()
        await camera.take("paper-key")
        if look is PHONE:
            await type_key(page, "4f3c2a1b" * 8)
            await expect(page.get_by_role("alert").filter(has_text="a letter or a number differs")).to_be_visible()
            await camera.take("paper-key-typo")
            await camera.visitor.has_barcode_detector()
            await page.reload()
            await page.get_by_role("button", name="Scan it with the camera").click()
            await page.wait_for_function("() => document.querySelector('video')?.videoWidth > 0")
            await camera.take("camera")


@pytest.mark.parametrize("look", [PHONE, DARK_DESK], ids=lambda look: look.suffix)
async def test_with_a_wallet(gift_world: GiftWorld, look: PageLook) -> None:
    ada, eve = (gift_world.scenario.account(name) for name in ("ada", "eve"))
    gift = await gift_world.seal(
        ada, ether=True, marks=WED, letter=GiftLetter("Ada and Sam", "Uncle Jo", "To the two of you!")
    )
    async with looking(gift, look) as camera:
        page = camera.visitor.page
        if look is PHONE:
            await expect(page.get_by_text("No wallet was found in this browser.")).to_be_visible()
            await camera.take("no-wallet")
        wallet = InjectedWallet(gift_world.scenario, ada, "Pocket")
        await camera.visitor.has(wallet)
        await page.reload()
        await expect(page.get_by_role("button", name="Open for free with Pocket")).to_be_visible()
        await camera.take("wallet")
        if look is PHONE:
            wallet.account = eve
            await page.get_by_role("button", name="Open for free with Pocket").click()
            await expect(page.get_by_role("alert").filter(has_text="Choose that account")).to_be_visible()
            await camera.take("other-account")


async def test_with_a_code_by_email(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    async with open_email_world(chain_scenario, engine) as (world, provider):
        noor = await EmailWorld(world, provider).wallet("noor@example.org")
        gift = await world.seal(noor, marks=BY_EMAIL, letter=FOR_NOOR)
        async with looking(gift) as camera:
            await expect(camera.visitor.page.get_by_label("Your email address")).to_be_visible()
            await camera.take("email")
            await have_code_sent(camera.visitor, "noor@example.org")
            await camera.take("code")
            await type_code(camera.visitor, "000000")
            assert "does not fit" in await problem(camera.visitor)
            await camera.take("code-wrong")


@pytest.mark.parametrize("look", [PHONE, DESK], ids=lambda look: look.suffix)
async def test_on_its_way_and_received(gift_world: GiftWorld, look: PageLook) -> None:
    gift = await gift_world.seal(gift_world.person("leo"), marks=BORN, letter=FOR_LEO)
    gift_world.following.clear()
    async with looking(gift, look) as camera:
        page = camera.visitor.page
        await type_key(page, key_of(gift.recipient))
        await expect(page.get_by_role("status").filter(has_text="It is on its way")).to_be_visible()
        if look is PHONE:
            await camera.take("on-its-way")
        gift_world.following.set()
        await see_it_received(page, "250 USDC")
        await camera.take("received")
        if look is PHONE:
            await page.reload()
            await expect(page.get_by_text("This gift was opened on")).to_be_visible()
            await camera.take("claimed")


async def test_fees_are_too_high(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    async with open_gift_world(chain_scenario, engine, RELAY_GAS_PRICE_CEILING="1") as world:
        gift = await world.seal(world.person("leo"), marks=BORN, letter=FOR_LEO)
        async with looking(gift) as camera:
            await type_key(camera.visitor.page, key_of(gift.recipient))
            await expect(camera.visitor.page.get_by_role("status").filter(has_text="fees are high")).to_be_visible()
            await camera.take("fees-high")
            world.following.clear()
            await end_as(world, "expired")
            await expect(camera.visitor.page.get_by_role("button", name="Try again")).to_be_visible()
            await camera.take("expired")


async def test_the_budget_ran_out_meanwhile(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    async with open_gift_world(chain_scenario, engine, RELAY_DAILY_COUNT_CAP="1") as world:
        gift, other = [
            await world.seal(world.person(name), marks=BORN, letter=FOR_LEO) for name in ("leo", "somebody else")
        ]
        async with looking(gift) as camera, looking(other) as before:
            await type_key(before.visitor.page, key_of(other.recipient))
            await see_it_received(before.visitor.page, "250 USDC")
            await type_key(camera.visitor.page, key_of(gift.recipient))
            await expect(camera.visitor.page.get_by_role("button", name="See what works now")).to_be_visible()
            await camera.take("budget-used-up")


async def test_nothing_is_sponsored_now(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    async with open_gift_world(chain_scenario, engine, RELAY_DAILY_COUNT_CAP="0") as world:
        gift = await world.seal(world.person("noor"), marks=GRADUATED, letter=FOR_NOOR)
        async with looking(gift) as camera:
            await expect(camera.visitor.page.get_by_text("your gift stays where it is")).to_be_visible()
            await camera.take("not-sponsored")


async def test_there_is_nothing_to_show(gift_world: GiftWorld) -> None:
    gift = await gift_world.seal(gift_world.person("mia"), marks=WAITING, letter=FOR_MIA)
    async with looking(gift_world.link(999_999)) as camera:
        page = camera.visitor.page
        await camera.take("not-found")
        entry, address = f"{gift_world.origin}/{PREFIX}/for", gift.recipient.address
        for name, rest in (("cut-off", ""), ("mistyped", f"/{address[:-1]}"), ("none-for-sheet", f"/0x{'0' * 40}")):
            await page.goto(entry + rest)
            await camera.take(name)
        await page.goto(gift_world.link(1).replace("/31337/", "/5/"))
        await camera.take("other-network")
        s, unlisted = gift_world.scenario, gift_world.scenario.deploy("TestERC20", "Stamps", "STAMPS", 18)
        stamps = s.create_gift(gift_world.giver, gift.recipient.address, tokens=[(unlisted, 5)])
        await page.goto(gift_world.link(stamps))
        await camera.take("not-shown")
        await page.route("**/gift/31337/*", lambda route: route.abort())
        await page.goto(gift.url)
        await expect(page.get_by_text("Are you connected to the internet?")).to_be_visible()
        await camera.take("unreachable")
        await page.unroute("**/gift/31337/*")
        gift_world.scenario.anvil.set_code(gift_world.scenario.deployment.token_white_list, "0x")
        await page.goto("about:blank")
        await page.goto(gift.url)
        await expect(page.get_by_text("The gift cannot be shown right now")).to_be_visible()
        await camera.take("not-now")


async def test_in_other_languages(gift_world: GiftWorld) -> None:
    """The letter names the language. The browser is set to English."""
    letter = GiftLetter("Mia", "Oma Rosi", read_messages("de")["birthday-2"], "de")
    gift = await gift_world.seal(
        gift_world.person("mia"), ether=True, opened=False, duration=12 * DAY + 5_000, marks=WAITING, letter=letter
    )
    async with looking(gift) as camera:
        await expect(camera.visitor.page.locator("canvas.card")).to_be_visible()
        await camera.take("waiting-german")
    letter = GiftLetter("نور", "بابا", read_messages("ar")["graduation-1"], "ar")
    gift = await gift_world.seal(gift_world.person("noor"), marks=GRADUATED, letter=letter)
    async with looking(gift) as camera:
        await expect(camera.visitor.page.get_by_text(read_messages("ar")["paper-legend"])).to_be_visible()
        await camera.take("paper-key-arabic")


# -- for givers ---------------------------------------------------------------------------------------------


async def test_sealing_a_gift(gift_world: GiftWorld) -> None:
    """The form in daylight, and the sheet on a phone in the dark."""
    pictures = []
    for size, dark, occasion in (((680, 800), False, "birthday"), ((360, 800), True, "diwali")):
        async with open_browser() as (browser, wire):
            visitor = await new_visitor(browser, wire, size, dark=dark, timezone_id="Europe/Paris", locale="en-GB")
            page = visitor.page
            await visitor.has(InjectedWallet(gift_world.scenario, gift_world.giver, "Giver's wallet"))
            await page.goto(f"{gift_world.origin}/{PREFIX}/create")
            await page.get_by_role("button", name="Connect Giver's wallet").click()
            await page.locator(".account").wait_for()
            await page.get_by_label("Occasion").select_option(occasion)
            await page.get_by_label("For (a name)").fill("Wilhelmina")
            await page.get_by_label("From (your name)").fill("Grandma Zoë")
            await page.locator(".template").first.click()
            await page.get_by_label("How much").fill("1.5")
            if dark:
                await page.get_by_role("button", name="Continue").click()
                await page.get_by_label("It is printed").check()
                await page.locator(".typed").wait_for()
            shot = Image.open(BytesIO(await page.screenshot(full_page=True, animations="disabled")))
            pictures.append(shot.convert("RGB"))
    height = max(each.height for each in pictures)
    padded = [Image.new("RGB", (each.width, height), each.getpixel((0, each.height - 1))) for each in pictures]
    whole = Image.new("RGB", (sum(each.width for each in padded) + 48, height + 32), GREY)
    left = 16
    for back, front in zip(padded, pictures, strict=True):
        back.paste(front)
        whole.paste(back, (left, 16))
        left += back.width + 16
    save(shrunk(whole, 760), "create.png")


@pytest.mark.asyncio(loop_scope="module")
async def test_printables(studio: PrintStudio) -> None:
    drawn: list[tuple[str, dict[str, Any]]] = [
        ("sheet", sheet()),
        ("card", gift_card()),
        ("record", priced("live") | {"occasion": "birthday"}),
    ]
    pages = [shrunk(await studio.draw(kind, given), 430) for kind, given in drawn]
    save(side_by_side(pages, 3, 16), "printables.png")


@pytest.mark.asyncio(loop_scope="module")
async def test_printables_in_other_languages(studio: PrintStudio) -> None:
    spoken = [
        sheet(to=to, giver=giver) | {"language": code}
        for code, to, giver in (("ar", "نور", "بابا"), ("ja", "美咲", "祖母"))
    ]
    pages = [shrunk(await studio.draw("sheet", given), 430) for given in spoken]
    save(side_by_side(pages, 2, 16), "printables-languages.png")


@pytest.mark.asyncio(loop_scope="module")
async def test_covers_of_all_occasions(studio: PrintStudio) -> None:
    covers = [(await studio.draw("sheet", sheet(id))).crop(COVER) for id in load_occasions()]
    save(side_by_side([shrunk(each, 340) for each in covers], 4, 10), "occasions.png")


# -- the README ---------------------------------------------------------------------------------------------


async def test_product_in_one_picture() -> None:
    """An email as the mail service renders it, beside the pictures of the gift page and of Dagster."""
    email = EmailRenderer("https://app.example.org").render_sample(TEMPLATES["before_activation"], "owner")
    async with open_browser() as (browser, _):
        page = await browser.new_page(viewport={"width": 480, "height": 800})
        await page.set_content(email.html)
        parts = [(Image.open(BytesIO(await page.screenshot(full_page=True))), 400)]
    others = {"gift-page/waiting-phone.png": 270, "dagster/graph.png": 822}
    parts += [(Image.open(PICTURES / name), width) for name, width in others.items()]
    height, margin = 638, 20
    pictures = [shrunk(picture, width).crop((0, 0, width, height)) for picture, width in parts]
    size = (sum(picture.width + margin for picture in pictures) + margin, height + 2 * margin)
    whole = Image.new("RGB", size, GREY)
    left = margin
    for picture in pictures:
        whole.paste(picture, (left, margin))
        left += picture.width + margin
    save(whole, "product.png")
