"""The gift page in each of its languages, on a phone of 360 pixels: whose language it takes, its words, what fits."""

import re
from typing import get_args

import pytest
from playwright.async_api import Page, Route, expect

from reminder_worker.gifts.assets import DIST
from reminder_worker.gifts.claim_link import GiftLetter, LinkFlags, decode_letter
from reminder_worker.outbox.messages import Language
from tests.integration.gift_page_browser import InjectedWallet, Visit
from tests.integration.gift_page_giver_steps import PRINTER, RECORD_WORDS, key_on_sheet, type_from_paper
from tests.integration.gift_page_steps import groups, key_of
from tests.integration.gift_page_world import LETTER, PREFIX, GiftWorld
from tests.unit.gifts.test_page_languages import read_messages

pytestmark = pytest.mark.asyncio(loop_scope="session")
SMALL = (360, 740)
OTHERS = [language for language in get_args(Language) if language != "en"]
_WIDE = """
() => [...document.querySelectorAll("main *")]
  .filter((each) => each.checkVisibility() && !each.closest(".unseen"))
  .filter((each) => { const box = each.getBoundingClientRect(); return box.right > innerWidth + 1 || box.left < -1; })
  .map((each) => `${each.tagName}.${each.className}: ${each.textContent.slice(0, 40)}`)
"""
_BROKEN = """
() => {
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const broken = [];
  while (texts.nextNode()) {
    for (const { index, 0: address } of texts.currentNode.data.matchAll(/0x\\w+\\W*…\\W*\\w+/gu)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, index);
      range.setEnd(texts.currentNode, index + address.length);
      if (new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom))).size > 1) broken.push(address);
    }
  }
  return broken;
}
"""


def letter_in(language: Language | None) -> GiftLetter:
    return GiftLetter(LETTER.to, LETTER.giver, "", language)


async def see_only(page: Page, language: str) -> None:
    """No sentence of another language is left, no name of a message, nothing is wider than the screen, and no shortened
    address is broken."""
    own, english = read_messages(language), read_messages("en")
    said = await page.locator("main").inner_text()
    left = [
        text
        for name, text in english.items()
        if len(text) > 14 and "{" not in text and own[name] != text and text in said
    ]
    assert left == []
    assert [name for name in english if "-" in name and re.search(rf"(?<![\w-]){name}(?![\w-])", said)] == []
    assert await page.evaluate(_WIDE) == []
    assert await page.evaluate(_BROKEN) == []
    assert await page.evaluate("document.documentElement.lang") == language
    assert await page.evaluate("document.documentElement.dir") == ("rtl" if language == "ar" else "ltr")


@pytest.mark.parametrize("language", OTHERS)
async def test_a_gift_speaks_its_letters_language(gift_world: GiftWorld, visit: Visit, language: Language) -> None:
    """In a browser of another language, before and after it opens."""
    own = read_messages(language)
    marks = LinkFlags("birthday", paper=True)
    gift = await gift_world.seal(
        gift_world.person(f"polyglot {language}"), opened=False, ether=True, marks=marks, letter=letter_in(language)
    )
    page = (await visit(SMALL, locale="en-US")).page
    await page.goto(gift.url)
    await expect(page.get_by_role("heading", level=1)).to_contain_text(own["greeting-birthday"])
    await expect(page.get_by_role("button", name=own["calendar-add"])).to_be_visible()
    await expect(page.locator("canvas.card")).to_be_visible()
    await expect(page.get_by_text(own["letter-unchecked"])).to_be_visible()
    await page.get_by_text(own["about-gift"]).click()
    await page.get_by_text(own["share"]).click()
    await see_only(page, language)
    await page.get_by_role("button", name=own["share-take-out"]).click()
    opened = await gift_world.seal(gift.recipient, ether=True, marks=marks, letter=letter_in(language))
    await page.goto(opened.url)
    await expect(page.get_by_text(own["paper-legend"])).to_be_visible()
    await page.get_by_role("button", name=own["open-my-gift"]).click()
    await expect(page.get_by_role("alert").filter(has_text=own["paper-too-short"].partition("}")[2])).to_be_visible()
    await see_only(page, language)
    await page.get_by_text(own["way-wallet"]).click()
    await see_only(page, language)
    await page.goto(opened.url.replace("paper=1", "").replace("?&", "?"))
    await expect(page.get_by_text(own["wallet-none"])).to_be_visible()
    await see_only(page, language)


async def test_the_card_of_an_opened_gift_says_so(gift_world: GiftWorld, visit: Visit) -> None:
    """At once, and when the page is loaded again."""
    own = read_messages("de")
    visitor = await visit(SMALL, locale="de")
    page = visitor.page
    await visitor.context.add_init_script(RECORD_WORDS)
    gift = await gift_world.seal(gift_world.person("ada"), marks=LinkFlags(paper=True), letter=letter_in("de"))
    await page.goto(gift.url)
    fields = page.locator(".groups input")
    for place, group in enumerate(groups(key_of(gift.recipient))):
        await fields.nth(place).fill(group)
    await page.get_by_role("button", name=own["open-my-gift"]).click()
    for _ in range(2):
        await page.wait_for_function("(line) => window.words.includes(line)", arg=own["card-opened"])
        await page.reload()


async def test_arabic_numbers_have_their_forms_and_amounts_their_place(gift_world: GiftWorld, visit: Visit) -> None:
    """Two days are one word in Arabic. It stands alone in a sentence; below the number 2 stands the plural. The row of
    the amount runs from the right, and the tab's title has no marks of direction."""
    own = read_messages("ar")
    visitor = await visit(SMALL, locale="ar")
    page = visitor.page
    gift = await gift_world.seal(
        gift_world.person("ada"), opened=False, letter=letter_in("ar"), duration=2 * 86_400 + 7_300
    )
    await page.goto(gift.url)
    spoken = page.get_by_text(own["opens-in"].partition("{")[0])
    await expect(spoken).to_contain_text("يومان")
    assert "2" not in await spoken.inner_text()
    await expect(page.locator(".countdown div").first).to_have_text("2أيام")  # noqa: RUF001 - Arabic
    assert LETTER.to in await page.title()
    assert re.search("[\u2066-\u2069]", await page.title()) is None

    await visitor.has(InjectedWallet(gift_world.scenario, gift_world.giver, "Giver's wallet"))
    await page.goto(f"{gift_world.origin}/{PREFIX}/create")
    await page.get_by_role("button", name="Giver's wallet").click()
    await page.get_by_label(own["form-amount"]).fill("1")
    await page.get_by_role("button", name=own["form-continue"]).click()
    amount = page.locator(".review dd").filter(has_text="ETH").first
    assert await amount.evaluate("(row) => getComputedStyle(row).direction") == "rtl"


async def test_a_letter_without_a_language_is_shown_in_the_browsers(gift_world: GiftWorld, visit: Visit) -> None:
    """French of Canada is French. A language that we do not have becomes English."""
    gift = await gift_world.seal(gift_world.person("ada"), opened=False, letter=letter_in(None))
    for locale, language in (("fr-CA", "fr"), ("zh-TW", "zh-Hans"), ("tlh", "en"), ("ar-EG", "ar")):
        page = (await visit(SMALL, locale=locale)).page
        await page.goto(gift.url)
        greeting = read_messages(language)["greeting-birthday"]
        await expect(page.get_by_role("heading", level=1)).to_contain_text(greeting)
        await expect(page.locator("html")).to_have_attribute("lang", language)


async def test_a_refusal_is_told_in_the_readers_language(gift_world: GiftWorld, visit: Visit) -> None:
    """Also for a code that only a newer service has. The API's English detail is never shown. Of a destination the page
    speaks only if the recipient named one."""
    own, person = read_messages("de"), gift_world.person("ada")
    gift = await gift_world.seal(person, marks=LinkFlags("birthday", paper=True), letter=letter_in("de"))
    problem: dict[str, str | int] = {
        "type": "about:blank",
        "title": "No",
        "status": 422,
        "detail": "An English detail.",
    }

    async def refuse(route: Route) -> None:
        await route.fulfill(status=422, json=problem)

    for version, code, words in (
        ("1", "not_a_gift", own["problem-not-opened-here"]),
        ("1", "too_purple", own["problem-unknown"].replace("{ $code }", "too_purple")),
        ("1", "invalid_input", own["problem-request"]),
        ("2", "invalid_input", own["problem-destination"]),
    ):
        gift_world.become(version)
        page = (await visit(SMALL)).page
        problem["code"] = code
        await page.route("**/sponsor/gift-withdraw", refuse)
        await page.goto(gift.url)
        await page.get_by_label(own["paper-group"].replace("{ $number }", "1").replace("{ $groups }", "16")).focus()
        await page.keyboard.type(key_of(person))
        await page.get_by_role("button", name=own["open-my-gift"]).click()
        if version == "2":
            await page.get_by_label(own["destination-label"]).fill(gift_world.person("own wallet").address)
            await page.get_by_role("button", name=own["destination-look"]).click()
            await page.get_by_role("button", name=own["destination-yes"]).click()
        await expect(page.get_by_role("status").filter(has_text=words)).to_be_visible()
        await see_only(page, "de")
        assert "English" not in await page.locator("main").inner_text()


async def test_where_the_language_cannot_be_fetched_the_page_stays_english_and_offers_another_try(
    gift_world: GiftWorld, visit: Visit
) -> None:
    gift = await gift_world.seal(gift_world.person("ada"), opened=False, letter=letter_in("it"))
    page = (await visit(SMALL)).page
    files = [file.name for file in (DIST / "assets").glob("claim-*.js") if "greeting-birthday" in file.read_text()]
    await page.route(re.compile("|".join(map(re.escape, files))), lambda route: route.abort())
    await page.goto(gift.url)
    await expect(page.get_by_role("heading", level=1)).to_have_text("Happy birthday")
    await expect(page.get_by_text("This gift is sealed until")).to_be_visible()
    await page.unroute_all()
    await page.get_by_role("button", name="Try again").click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text(read_messages("it")["greeting-birthday"])


@pytest.mark.parametrize("language", OTHERS)
async def test_a_link_that_leads_to_no_gift_says_why_in_the_visitors_language(
    gift_world: GiftWorld, visit: Visit, language: str
) -> None:
    own = read_messages(language)
    page = (await visit(SMALL, locale=language)).page
    paths = {
        f"{gift_world.api.chain_id}/999999": "no-gift",
        "for/0x12": "mistyped",
        "77/1": "not-served",
        "1": "cut-off",
    }
    for path, notice in paths.items():
        await page.goto(f"{gift_world.origin}/{PREFIX}/{path}")
        await expect(page.get_by_role("heading", level=1)).to_have_text(own[notice])
        await expect(page.get_by_text(own[f"{notice}-1"])).to_be_visible()
        await see_only(page, language)


@pytest.mark.parametrize("language", OTHERS)
async def test_the_page_for_givers_speaks_the_visitors_language_and_the_gift_its_own(
    gift_world: GiftWorld, visit: Visit, language: str
) -> None:
    """The messages to start from are the gift's, and its link names the language."""
    own, theirs = read_messages(language), read_messages("ja" if language != "ja" else "ko")
    visitor = await visit(SMALL, locale=language)
    await visitor.has(InjectedWallet(gift_world.scenario, gift_world.giver, "Giver's wallet"))
    await visitor.context.add_init_script(PRINTER)
    await visitor.context.add_init_script(RECORD_WORDS)
    page = visitor.page
    await page.goto(f"{gift_world.origin}/{PREFIX}/create")
    await expect(page.get_by_role("heading", level=1)).to_have_text(own["seal-a-gift"])
    await page.get_by_role("button", name="Giver's wallet").click()
    await page.get_by_role("button", name=own["gift-1"]).click()
    await see_only(page, language)
    await page.get_by_label(own["form-language"]).select_option("ja" if language != "ja" else "ko")
    await page.get_by_role("button", name=theirs["gift-2"]).click()
    await page.get_by_label(own["form-amount"]).fill("1")
    await page.get_by_role("button", name=own["form-continue"]).click()
    await expect(page.get_by_role("button", name=own["review-seal"])).to_be_visible()
    await type_from_paper(page, await key_on_sheet(page))
    await see_only(page, language)
    await page.get_by_role("button", name=own["review-seal"]).click()
    link = await page.locator("#claim-link a").get_attribute("href") or ""
    letter = decode_letter(link.partition("#g=")[2])
    assert (letter.note, letter.language) == (theirs["gift-2"], "ja" if language != "ja" else "ko")
    await see_only(page, language)
