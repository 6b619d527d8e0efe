"""Claim links that a mail gateway rewrote: each row is a rewriting from the wild. The page puts the letter back."""

from collections.abc import Callable

import pytest
from playwright.async_api import expect
from yarl import URL

from reminder_worker.gifts.claim_link import LinkFlags, encode_letter
from reminder_worker.logging import configure_logging
from tests.integration.gift_page_browser import PHONE, Visit
from tests.integration.gift_page_world import LETTER, GiftWorld

pytestmark = pytest.mark.asyncio(loop_scope="session")

Rewriting = Callable[[str], str]
REWRITINGS: dict[str, Rewriting] = {
    "the # sign": lambda url: url.replace("#", "%23"),
    "the # sign twice": lambda url: url.replace("#", "%2523"),
    "the # and = signs": lambda url: url.replace("#g=", "%23g%3D"),
    "the ? and # signs": lambda url: url.replace("?", "%3F").replace("#", "%23"),
    "all signs": lambda url: url.replace("?", "%3f").replace("=", "%3d").replace("&", "%26").replace("#", "%23"),
    "parameters added": lambda url: url.replace("#", "%23") + "&utm_source=mail",
    "letter in the query": lambda url: url.replace("#g=", "&g="),
    "letter in a parameter": lambda url: url.replace("#", "&fragment=%23"),
    "letter in an encoded parameter": lambda url: url.replace("#g=", "&fragment=g%3D"),
    "another fragment": lambda url: url.replace("#", "%23") + "#top",
    "only the ? sign": lambda url: url.replace("?", "%3F"),
    "a sign in an added parameter": lambda url: url.replace("#", "&utm_content=why%3F#"),
    "an added parameter that is not valid": lambda url: url.replace("#", "%23") + "&utm=caf%E9",
    "line ends": lambda url: url[:-40].replace("#", "%23") + "%0D%0A" + url[-40:],
}
MARKS = LinkFlags(occasion="birthday", paper=True)


async def test_a_rewritten_link_or_one_of_a_sheet_is_put_right_by_the_page(gift_world: GiftWorld, visit: Visit) -> None:
    """That of a sheet before the redirect."""
    ada = gift_world.person("ada")
    gift = await gift_world.seal(ada, opened=False, marks=MARKS)
    sheet = f"{gift_world.origin}/sealed/for/{ada.address}{MARKS.format_query()}#g={encode_letter(LETTER)}"
    visitor = await visit(PHONE)
    for link in (gift.url, sheet):
        for rewrite in REWRITINGS.values():
            await visitor.page.goto("about:blank")
            await visitor.page.goto(rewrite(link))
            await expect(visitor.page.get_by_role("heading", level=1)).to_have_text(f"Happy birthday, {LETTER.to}")
            assert visitor.page.url == gift.url
            assert (visitor.faults, visitor.violations) == ([], [])


async def test_a_rewritten_link_without_marks_is_put_right(gift_world: GiftWorld, visit: Visit) -> None:
    gift = await gift_world.seal(gift_world.person("ada"), opened=False, marks=LinkFlags())
    visitor = await visit(PHONE)
    for rewritten in (gift.url.replace("#", "%23"), gift.url.replace("#g=", "?g="), gift.url.replace("#", "/%23")):
        await visitor.page.goto(rewritten)
        await expect(visitor.page.get_by_role("group", name="Personal message")).to_be_visible()
        assert visitor.page.url == gift.url


async def test_a_rewritten_link_that_lost_its_letter_says_so(gift_world: GiftWorld, visit: Visit) -> None:
    gift = await gift_world.seal(gift_world.person("ada"), opened=False, marks=MARKS)
    visitor = await visit(PHONE)
    await visitor.page.goto(gift.url.split("#")[0] + "%23")
    await expect(visitor.page.locator("#letter")).to_contain_text("The message did not arrive whole")


@pytest.mark.parametrize("script", [True, False])
async def test_a_link_that_cannot_be_put_right_says_what_to_do(
    gift_world: GiftWorld, visit: Visit, script: bool
) -> None:
    """The gift's number is lost, or the browser runs no script."""
    gift = await gift_world.seal(gift_world.person("ada"), opened=False)
    rewritten = gift.url.replace(f"/{gift.id}?", "/?") if script else gift.url
    visitor = await visit(PHONE, java_script_enabled=script)
    await visitor.page.goto(rewritten.replace("#", "%23"))
    await expect(visitor.page.get_by_role("heading", level=1)).to_have_text("This link was changed on its way")
    await expect(visitor.page.get_by_role("main")).to_contain_text("change %23 back to #")


async def test_a_letter_in_a_path_or_query_is_in_no_log_metric_or_answer(
    gift_world: GiftWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    gift = await gift_world.seal(gift_world.person("ada"), opened=False, marks=MARKS)
    api, payload = gift_world.api, encode_letter(LETTER)
    sheet = f"/sealed/for/{gift.recipient.address}{MARKS.format_query()}#g={payload}"
    configure_logging(api.parts.settings)
    capsys.readouterr()
    for path in (gift.url.removeprefix(gift_world.origin), sheet, f"/sealed/x#g={payload}", f"/gift/1#g={payload}"):
        for rewrite in REWRITINGS.values():
            async with api.session.get(URL(api.url + rewrite(path), encoded=True), allow_redirects=False) as answer:
                assert payload[:30] not in await answer.text() + str(answer.headers)
    written = "".join(capsys.readouterr())
    async with api.session.get(api.metrics_url + "/metrics") as response:
        metrics = await response.text()
    assert '"event": "request"' in written
    assert payload[:30] not in written + metrics
