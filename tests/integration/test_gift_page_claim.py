"""The claim page as a recipient sees and uses it, in Chromium, over the real API, chain and relay."""

import asyncio
import re
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from icalendar import Calendar
from playwright.async_api import Page, expect
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from mail_service.catalogue import TEMPLATES
from mail_service.rendering import EmailRenderer
from reminder_worker.gifts.claim_link import GiftLetter
from tests.integration.gift_page_browser import PHONE, PageVisitor, Visit
from tests.integration.gift_page_steps import MOVED, PAPER, key_of, nothing_amiss, see_it_received, type_key
from tests.integration.gift_page_world import LETTER, PREFIX, GiftWorld, SealedGift, open_gift_world

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOSTILE = GiftLetter(
    "<b>Ada</b>", "<img src=x onerror=alert(1)>", "<script>alert(1)</script>\n<a href='javascript:1'>x</a>"
)

LOST_PARTS = {
    "cut": lambda url: url[:-7],
    "no letter": lambda url: url.split("#")[0] + "#g=",
    "another fragment": lambda url: url.split("#")[0] + "#hello",
    "cut and closed": lambda url: url[:-7] + ").",
}

ADDED_PARTS = {
    "encoded": lambda url: url.replace("#g=", "#g%3D"),
    "more": lambda url: url + "&x=1",
    "full stop": lambda url: url + ".",
    "bracket": lambda url: url + ">,",
    "quotation mark": lambda url: url + "\u201d",
    "padding": lambda url: url + "==",
    "lines put together": lambda url: url[:-60] + " " + url[-60:-30] + "%0D%0A" + url[-30:] + "%20",
}

# -- before its day ---------------------------------------------------------------------------------------


async def save_day(page: Page) -> str:
    """The calendar file of the opening day, as its text."""
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Add the day to your calendar").click()
    return (await (await download.value).path()).read_text(encoding="utf-8")


async def test_the_last_hour_of_the_year_9999_has_no_end_in_a_calendar(
    gift_world: GiftWorld, visitor: PageVisitor
) -> None:
    """Years of calendar files have four digits."""
    last = int(datetime(9999, 12, 31, 23, 30, tzinfo=UTC).timestamp())
    duration = last - gift_world.scenario.anvil.now()
    gift = await gift_world.seal(gift_world.person("ada"), opened=False, duration=duration)
    await visitor.page.goto(gift.url)
    (event,) = Calendar.from_ical(await save_day(visitor.page)).walk("VEVENT")
    assert event.decoded("DTSTART").year == 9999
    assert "DTEND" not in event


async def test_the_opening_day_is_saved_for_a_calendar_without_the_message(gift_world: GiftWorld, visit: Visit) -> None:
    gift = await gift_world.seal(gift_world.person("ada"), opened=False, duration=12 * DAY)
    page = (await visit(PHONE)).page
    await page.goto(gift.url)
    opens = datetime.fromisoformat(await page.locator("[data-moment]").get_attribute("data-moment") or "")
    saved = await save_day(page)
    assert all(len(line.encode()) <= 75 for line in saved.splitlines())
    (event,) = Calendar.from_ical(saved).walk("VEVENT")
    assert (event.decoded("DTSTART"), str(event["UID"])) == (
        opens,
        f"gift-{gift_world.api.chain_id}-{gift.id}@127.0.0.1",
    )
    assert str(event["URL"]) == gift.url.partition("#")[0].partition("?")[0]
    assert LETTER.note not in saved
    await expect(page.get_by_text("this browser cannot save files")).to_be_visible()
    await expect(page.get_by_text("Open this page in another browser")).to_contain_text(str(event["URL"]))
    emailed = Calendar.from_ical(render_gift_day(gift.url, opens, gift_world.api.chain_id, gift.id))
    assert emailed["METHOD"] == "PUBLISH"
    (same,) = emailed.walk("VEVENT")
    assert list(event) == list(same)  # the same fields in the same order
    for name in ("DTSTART", "DTEND"):  # emails have whole minutes
        assert event.decoded(name).replace(second=0) == same.decoded(name)
    for name in set(event) - {"DTSTAMP", "SEQUENCE", "DTSTART", "DTEND"}:
        assert event[name].to_ical() == same[name].to_ical(), name
    start = datetime(2026, 1, 1, tzinfo=UTC)
    assert int(str(event["SEQUENCE"])) == (event.decoded("DTSTAMP") - start).total_seconds()


def render_gift_day(url: str, opens: datetime, chain_id: int, timelock_id: int) -> str:
    """Return the calendar file of the email about a gift."""
    moment = {"unlockAt": opens.strftime("%A, %d %B %Y, %H:%M UTC"), "claimUrl": url}
    facts = {"chainId": chain_id, "timelockId": timelock_id}
    template = TEMPLATES["gift_waiting"]
    origin = "/".join(url.split("/")[:3])
    email = EmailRenderer(origin).render_email(template, {**template.sample, **moment, **facts})
    return email.files[0].content


async def test_a_sealed_gift_counts_down_in_the_visitors_own_time(gift_world: GiftWorld, visit: Visit) -> None:
    """Letter, day and hour where the visitor is, a countdown that screen readers are spared; nothing on it moves."""
    gift = await gift_world.seal(gift_world.person("ada"), opened=False, duration=12 * DAY + 5400, ether=True)
    opens = gift_world.scenario.anvil.now() + 12 * DAY + 5400
    visitor = await visit(PHONE, timezone_id="Asia/Tokyo", locale="en-GB")
    page = visitor.page
    await page.goto(gift.url)
    await expect(page.get_by_role("heading", level=1)).to_have_text("Happy birthday, Canary Quintessa")
    await expect(page.get_by_role("group", name="Personal message")).to_contain_text("Sealed words")
    await expect(page.locator("#letter .from")).to_have_text("Grandma Zzyzx")
    here = await page.evaluate(
        "(ms) => new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Asia/Tokyo' }).format(ms)",
        opens * 1000,
    )
    await expect(page.get_by_text("This gift is sealed until")).to_contain_text(here)
    await expect(page.get_by_text("This gift is sealed until")).to_contain_text("GMT+9")
    await expect(page.locator(".countdown div").first).to_have_text("12days")
    assert await page.locator(".countdown").get_attribute("aria-hidden") == "true"
    spoken = page.get_by_text("It opens in 12 days, ")
    assert await spoken.count() == 1
    await expect(spoken).to_have_text(re.compile(r"^It opens in 12 days, 1 hour and (30|2\d) minutes\.$"))
    assert await page.locator("#state :is([aria-live], [role]):not(.when, .way-out)").count() == 0
    seconds = page.locator(".countdown div").last
    before = await seconds.text_content()
    await expect(seconds).not_to_have_text(before or "")
    assert await page.evaluate(MOVED) < 0.001
    assert await page.locator(".way").count() == 0
    assert page.url == gift.url
    nothing_amiss(visitor, gift_world.origin)


async def test_when_the_day_comes_the_page_opens_by_itself(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    """Without a reload; said to screen readers once."""
    gift = await gift_world.seal(gift_world.person("ada"), opened=False, duration=4)
    await visitor.page.goto(gift.url)
    await expect(visitor.page.locator(".when")).to_contain_text("This gift is sealed until")
    early = visitor.page.get_by_text("Please check now already that you still have this wallet")
    await expect(early).to_be_visible()
    await visitor.page.evaluate("window.line = document.querySelector('[role=status]')")
    await expect(visitor.page.locator(".when")).to_have_text("The day has come. One moment…")
    gift_world.scenario.advance(5)
    opened = visitor.page.locator("#state").get_by_role("status")
    await expect(opened).to_have_text("This gift can be opened now.")
    assert await opened.evaluate("(line) => line === window.line")  # of a new one screen readers tell nothing
    await expect(visitor.page.get_by_role("heading", name="Open your gift")).to_be_visible()
    await expect(early).to_have_count(0)


# -- the letter -------------------------------------------------------------------------------------------


async def test_text_is_text(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    """Markup in a name or a message is shown as written, and makes no element."""
    gift = await gift_world.seal(gift_world.person("ada"), letter=HOSTILE)
    await visitor.page.goto(gift.url)
    await expect(visitor.page.get_by_role("heading", level=1)).to_have_text(f"Happy birthday, {HOSTILE.to}")
    assert await visitor.page.title() == f"Happy birthday, {HOSTILE.to}"
    assert await visitor.page.locator("#letter .note").text_content() == HOSTILE.note
    assert await visitor.page.locator("#letter .from").text_content() == HOSTILE.giver
    assert await visitor.page.locator("h1 :not(bdi), .note *, #letter img, #letter a, #letter script").count() == 0
    nothing_amiss(visitor, gift_world.origin)


async def test_the_page_says_that_the_links_maker_wrote_the_letter(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    """Anybody can put names and a message into a link; a name in the greeting is enough for the line. Who knows the
    giver is asked to telephone."""
    line = visitor.page.get_by_text("come from whoever made this link. Nobody has checked them.")
    ask = visitor.page.get_by_text(f"Do you know {LETTER.giver}? Telephone, on a number you already have")
    gift = await gift_world.seal(gift_world.person("ada"))
    bare = gift.url.split("#")[0]
    for url, count in ((gift.url, 1), (bare, 0), (f"{bare}#g=", 0)):
        await visitor.page.goto("about:blank")
        await visitor.page.goto(url)
        await expect(visitor.page.get_by_role("heading", name="Open your gift")).to_be_visible()
        await expect(line).to_have_count(count)
        await expect(ask).to_have_count(count)
    for letter, count in ((GiftLetter("Ada", "", ""), 1), (GiftLetter("", "", ""), 0)):
        other = await gift_world.seal(gift.recipient, letter=letter)
        await visitor.page.goto(other.url)
        await expect(visitor.page.get_by_role("heading", name="Open your gift")).to_be_visible()
        await expect(line).to_have_count(count)
    nothing_amiss(visitor, gift_world.origin)


async def test_a_damaged_letter_is_said_to_be_so_and_the_gift_opens_all_the_same(
    gift_world: GiftWorld, visitor: PageVisitor
) -> None:
    gift = await gift_world.seal(gift_world.person("ada"), marks=PAPER)
    for lose in LOST_PARTS.values():
        await visitor.page.goto("about:blank")
        await visitor.page.goto(lose(gift.url))
        await expect(visitor.page.get_by_role("heading", name="The message did not arrive whole")).to_be_visible()
        await expect(visitor.page.get_by_role("heading", level=1)).to_have_text("Happy birthday")
        await expect(visitor.page.get_by_label("Group 1 of 16")).to_be_visible()
        nothing_amiss(visitor, gift_world.origin)


async def test_what_a_link_came_with_on_its_way_takes_nothing_of_its_letter(
    gift_world: GiftWorld, visitor: PageVisitor
) -> None:
    """A wrapped line, a full stop or tracking parameters after the link lose nothing."""
    gift = await gift_world.seal(gift_world.person("ada"), marks=PAPER)
    for add in ADDED_PARTS.values():
        await visitor.page.goto("about:blank")
        await visitor.page.goto(add(gift.url))
        await expect(visitor.page.locator("#letter .note")).to_have_text(LETTER.note)
        await expect(visitor.page.get_by_role("heading", level=1)).to_have_text(f"Happy birthday, {LETTER.to}")
    nothing_amiss(visitor, gift_world.origin)


async def test_the_letter_leaves_the_address_bar_only_when_asked(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    """Copied with or without it; once taken out it is in no entry of the history."""
    gift = await gift_world.seal(gift_world.person("ada"), opened=False)
    page, bare = visitor.page, gift.url.split("#")[0]
    await visitor.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await page.goto(gift.url)
    await page.get_by_text("Share or hide the message").click()
    told = page.locator("#share").get_by_role("status")
    # Before its words: screen readers ignore a status that appears with its words.
    await expect(told).to_have_count(1)
    for name, copied in (("Copy the whole link", gift.url), ("Copy the link without it", bare)):
        await page.get_by_role("button", name=name).click()
        await expect(told).to_contain_text("copied")
        assert await page.evaluate("navigator.clipboard.readText()") == copied
        assert page.url == gift.url
    await page.get_by_role("button", name="Take the message out").click()
    await expect(told).to_contain_text("out of the address bar")
    assert page.url == bare
    assert await page.title() == "Happy birthday"  # which the history keeps too
    await expect(page.locator("#letter .note")).to_have_text(LETTER.note)
    await page.reload()
    assert (page.url, await page.locator("#letter").is_hidden()) == (bare, True)
    await page.go_back()
    assert "#" not in page.url


# -- no gift to show --------------------------------------------------------------------------------------


async def test_each_trouble_has_its_own_words(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    """A number without a gift, and a network that is not served; neither shows a way to open anything."""
    page = visitor.page
    await page.goto(gift_world.link(999_999))
    await expect(page.get_by_role("heading", level=1)).to_have_text("There is no gift here")
    await page.goto(gift_world.link(1).replace("/31337/", "/5/"))
    await expect(page.get_by_role("heading", level=1)).to_have_text("This gift is on another network")
    assert await page.locator(".way, form").count() == 0


async def test_a_gift_that_cannot_be_shown_now_is_looked_for(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    """The page waits while the chain does not answer, and then shows the gift and the letter by itself."""
    gift = await gift_world.seal(gift_world.person("ada"))
    scenario, listed = gift_world.scenario, gift_world.scenario.deployment.token_white_list
    code = scenario.anvil.rpc("eth_getCode", listed, "latest")
    scenario.anvil.set_code(listed, "0x")
    await visitor.page.clock.install()
    await visitor.page.goto(gift.url)
    await expect(visitor.page.get_by_role("heading", level=1)).to_have_text("The gift cannot be shown right now")
    await expect(visitor.page.get_by_role("button", name="Try again")).to_be_visible()
    scenario.anvil.set_code(listed, code)
    await visitor.page.clock.fast_forward(15_000)
    await expect(visitor.page.get_by_role("heading", level=1)).to_have_text(f"Happy birthday, {LETTER.to}")


async def test_without_the_database_a_button_tries_again(
    gift_world: GiftWorld, visitor: PageVisitor, engine: AsyncEngine, postgres_server: str
) -> None:
    """The link that a person opened, and the one of a printed sheet: both keep the letter."""
    ada, page = gift_world.person("ada"), visitor.page
    gift = await gift_world.seal(ada)
    sheet = f"{gift_world.origin}/{PREFIX}/for/{ada.address}?o=birthday#{gift.url.partition('#')[2]}"
    database, name = engine.url.database, f"Happy birthday, {LETTER.to}"
    gift_world.following.clear()
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        for url in (gift.url, sheet):
            connection.execute(f"alter database {database} allow_connections false")
            connection.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", [database])
            await page.goto(url)
            await expect(page.get_by_role("heading", level=1)).to_have_text("The gift cannot be shown right now")
            connection.execute(f"alter database {database} allow_connections true")
            await page.get_by_role("button", name="Try again").click()
            await expect(page.get_by_role("heading", level=1)).to_have_text(name)


async def test_a_gift_that_was_opened_says_so(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    ada = gift_world.scenario.account("ada")
    gift = await gift_world.seal(ada, marks=PAPER)
    gift_world.scenario.withdraw_gift(ada, gift.id)
    await visitor.page.goto(gift.url)
    await expect(visitor.page.get_by_text("This gift was opened on")).to_be_visible()
    await expect(visitor.page.get_by_text("What was in it is in the wallet that the key on")).to_be_visible()
    await expect(visitor.page.locator("#letter .note")).to_have_text(LETTER.note)
    assert await visitor.page.locator(".way, form").count() == 0
    await visitor.page.goto(f"{gift_world.origin}/sealed/for/{ada.address}?paper=1")
    await expect(visitor.page.get_by_text("This gift was opened on")).to_be_visible()
    await expect(visitor.page.get_by_role("link", name="Seal one forward")).to_have_attribute("href", "/sealed/create")


# -- on its way -------------------------------------------------------------------------------------------


async def test_a_reload_finds_the_gift_on_its_way(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    """Nothing is signed twice; while the service does not answer the page says so and goes on by itself."""
    gift, page = await gift_world.seal(gift_world.person("ada"), marks=PAPER), visitor.page
    gift_world.following.clear()
    await page.goto(gift.url)
    await type_key(page, key_of(gift.recipient))
    await expect(page.get_by_role("status").filter(has_text="It is on its way")).to_be_visible()
    await page.reload()
    await expect(page.get_by_role("heading", name="Your gift is on its way")).to_be_focused()
    await visitor.context.set_offline(True)
    await expect(page.get_by_role("status").filter(has_text="it is asked again")).to_be_visible()
    await visitor.context.set_offline(False)
    gift_world.following.set()
    await see_it_received(page, "250 USDC")
    assert len([each for each in visitor.wire.sent if each.url.endswith("/gift-withdraw")]) == 1
    assert "gift-request" not in await visitor.stored()


async def test_a_signature_that_did_not_arrive_is_sent_again(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    """The key is not asked for anew."""
    gift, page = await gift_world.seal(gift_world.person("ada"), marks=PAPER), visitor.page
    await page.goto(gift.url)
    await page.route("**/sponsor/gift-withdraw", lambda route: route.abort())
    await type_key(page, key_of(gift.recipient))
    await expect(page.get_by_role("status").filter(has_text="The service does not answer")).to_be_visible()
    await page.unroute("**/sponsor/gift-withdraw")
    await page.get_by_role("button", name="Try again").click()
    await see_it_received(page, "250 USDC")


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"RELAY_DAILY_COUNT_CAP": "0"}, "Today's budget for paying the network fees of gifts is used up"),
        ({"RELAYER_KEY": "0x" + "77" * 32}, "paused at the moment"),
    ],
)
async def test_why_a_gift_is_not_opened_for_free_now(
    chain_scenario: Scenario, engine: AsyncEngine, visitor: PageVisitor, setting: dict[str, str], words: str
) -> None:
    """A spent budget, a relayer without ether: said before a key is asked for, with what works meanwhile."""
    async with open_gift_world(chain_scenario, engine, **setting) as world:
        gift = await world.seal(world.person("ada"), marks=PAPER)
        await visitor.page.goto(gift.url)
        await expect(visitor.page.get_by_text(words).first).to_be_visible()
        await expect(visitor.page.get_by_text("your gift stays where it is")).to_be_visible()
        await expect(visitor.page.get_by_role("button", name="Look again")).to_be_visible()
        assert await visitor.page.locator("input[type=text]").count() == 0
        await visitor.page.get_by_text("With my own wallet").click()
        await expect(visitor.page.get_by_text("Paying the fee yourself always works.")).to_be_visible()


# -- what is served ---------------------------------------------------------------------------------------


async def test_the_page_is_small(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    """All that a claim with a wallet or a paper key loads: under 250 KB as it goes over the wire."""
    gift = await gift_world.seal(gift_world.person("ada"), marks=PAPER)
    answers: list[Any] = []
    visitor.context.on("response", lambda answer: answers.append(answer))
    await visitor.page.goto(gift.url)
    await type_key(visitor.page, key_of(gift.recipient))
    await see_it_received(visitor.page, "250 USDC")
    sizes = {answer.url: (await answer.request.sizes())["responseBodySize"] for answer in answers}
    kinds = {url.rsplit(".", 1)[-1] for url in sizes}
    assert {"js", "css", "png"} <= kinds
    assert sum(sizes.values()) < 250_000, sizes


async def test_files_are_served_for_ever_and_packed(gift_world: GiftWorld) -> None:
    """By the names that the page has, with the right type; others are not there."""
    api, gift = gift_world.api, await gift_world.seal(gift_world.person("ada"))
    page = (await api.request("GET", f"/sealed/{api.chain_id}/{gift.id}")).body.decode()
    found = re.findall(r'(?:src|href)="(/sealed/assets/[\w.-]+)"', page)
    assert any(path.endswith(".js") for path in found)
    assert any(path.endswith(".css") for path in found)
    for path in found:
        packed = await api.request("GET", path, headers={"Accept-Encoding": "gzip"})
        plain = await api.request("GET", path, headers={"Accept-Encoding": "identity"})
        assert packed.body == plain.body
        assert packed.headers["Content-Encoding"] == "gzip"
        assert packed.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert packed.headers["Vary"] == "Accept-Encoding"
        kind = "javascript" if path.endswith("js") else "css"
        assert packed.headers["Content-Type"] == f"text/{kind}; charset=utf-8"
        assert packed.headers["X-Content-Type-Options"] == "nosniff"
    for name in ("claim.js", "manifest.json", "..%2fmanifest.json", "%2e%2e%2fmanifest.json", "x.js"):
        assert (await api.request("GET", f"/sealed/assets/{name}")).status == 404


async def test_the_policy_refuses_what_is_not_ours(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    """An inline script, a handler, a style and a foreign image: each is reported, and without effect."""
    gift = await gift_world.seal(gift_world.person("ada"))
    await visitor.page.goto(gift.url)
    await visitor.page.evaluate(
        """() => { const add = (tag, text) => {
          const made = document.createElement(tag); made.textContent = text; document.body.append(made); };
        add("script", "window.ran = 1"); add("style", "body { --ran: 1 }");
        const image = new Image(); image.src = "https://evil.example/x.png"; document.body.append(image);
        document.body.setAttribute("onclick", "window.ran = 2"); document.body.click(); }"""
    )
    expected = {"script-src-elem", "script-src-attr", "style-src-elem", "img-src"}
    async with asyncio.timeout(60):
        while not expected <= {violation.split()[0] for violation in visitor.violations}:
            await visitor.page.wait_for_timeout(20)
    assert await visitor.page.evaluate("window.ran") is None


async def test_a_page_that_opened_the_gift_page_loses_its_handle_and_a_wallets_window_keeps_its_own(
    gift_world: GiftWorld, visitor: PageVisitor
) -> None:
    """Such a page could send the visitor elsewhere later. Some wallets answer from a window that the page opens."""
    gift = await gift_world.seal(gift_world.person("ada"))
    await visitor.context.route(
        "http://wallet.example/", lambda route: route.fulfill(content_type="text/html", body="<title>wallet</title>")
    )
    open_window = "(url) => { window.opened = window.open(url); }"
    await visitor.page.goto("http://wallet.example/")
    async with visitor.context.expect_page() as popup:
        await visitor.page.evaluate(open_window, gift.url)
    page = await popup.value
    await expect(page.get_by_role("heading", name="Open your gift")).to_be_visible()
    assert await page.evaluate("window.opener") is None
    assert await visitor.page.evaluate("window.opened.closed")
    async with visitor.context.expect_page() as popup:
        await page.evaluate(open_window, "http://wallet.example/")
    wallet = await popup.value
    await expect(wallet).to_have_title("wallet")
    assert await wallet.evaluate("window.opener !== null")
    assert not await page.evaluate("window.opened.closed")


@pytest.mark.parametrize("local", [True, False])
async def test_the_page_for_givers_is_on_the_local_stack_only(
    chain_scenario: Scenario, engine: AsyncEngine, local: bool
) -> None:
    async with open_gift_world(chain_scenario, engine, ENVIRONMENT="local" if local else "production") as world:
        answer = await world.api.request("GET", "/sealed/create")
        assert answer.status == (200 if local else 404)


async def test_where_scripts_are_off_the_page_says_what_it_can(gift_world: GiftWorld, visit: Visit) -> None:
    """State, day and contents are there; to open it a script is needed, and that is said."""
    gift: SealedGift = await gift_world.seal(gift_world.person("ada"), marks=PAPER)
    visitor = await visit(java_script_enabled=False)
    await visitor.page.goto(gift.url)
    await expect(visitor.page.get_by_text("This gift can be opened now.")).to_be_visible()
    await expect(visitor.page.get_by_text("250 USDC")).to_be_visible()
    await expect(visitor.page.get_by_text("please allow scripts")).to_be_visible()


@pytest.mark.parametrize("broken", [{"java_script_enabled": False}, {}])
async def test_a_browser_that_the_script_does_not_run_in_shows_words(
    gift_world: GiftWorld, visit: Visit, broken: dict[str, bool]
) -> None:
    """An old browser does not know a sign of the script; what is read is in the language that the browser asks for."""
    gift = await gift_world.seal(gift_world.person("ada"), marks=PAPER)
    create = f"{gift_world.origin}/{PREFIX}/create"
    visitor = await visit(PHONE, locale="de-DE", **broken)
    page, words = visitor.page, visitor.page.get_by_text("Bitte erlauben Sie Skripte in Ihrem Browser")
    await page.route(
        "**/assets/*.js", lambda route: route.fulfill(body="this is ?.( no script", content_type="text/javascript")
    )
    for url in (create, gift.url):
        await page.goto(url)
        await expect(words).to_be_visible()
    await page.unroute("**/assets/*.js")
    if not broken:
        await page.goto(create)
        await expect(page.get_by_text("Ihre Wallet", exact=True)).to_be_visible()
        await expect(words).to_have_count(0)
