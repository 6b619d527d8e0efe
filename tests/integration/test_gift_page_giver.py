"""Faults on the giver's page: no gift is sealed twice or by mistake, and no sealed gift is lost from sight."""

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Page, Response, Route, expect

from reminder_worker.gifts import owner_list
from tests.integration.gift_page_browser import InjectedWallet, PageVisitor, Visit
from tests.integration.gift_page_giver_steps import (
    LETTER,
    SECRET,
    code,
    expect_at,
    fill_in,
    open_page,
    saved,
    seal,
    wallet_at_the_page,
)
from tests.integration.gift_page_world import ETHER, PREFIX, USDC, GiftWorld

pytestmark = pytest.mark.asyncio(loop_scope="session")

OFFERS_EMAIL = {"gift": True, "giftEmail": True, "legacy": True, "chains": []}
RECEIPT = "eth_getTransactionReceipt"
NEVER_MINED = "0x" + "ab" * 32
KEEPSAKE = "gift-keepsake:31337"


@pytest_asyncio.fixture(loop_scope="session")
async def wallet(gift_world: GiftWorld, visitor: PageVisitor) -> InjectedWallet:
    return await wallet_at_the_page(gift_world, visitor)


@dataclass
class HurriedWallet(InjectedWallet):
    """Its person made it send a transaction anew for a higher fee; or to themselves, which cancels it."""

    is_same: bool = True
    _sent: dict[str, Any] = field(default_factory=dict)

    def answer(self, method: str, params: Sequence[Any]) -> Any:
        if method == "eth_getTransactionByHash" and params[0] == NEVER_MINED:
            return self._sent
        if method != "eth_sendTransaction":
            return super().answer(method, params)
        second = super().answer(method, params if self.is_same else [{"to": self.account.address}])
        mined = self.scenario.anvil.rpc("eth_getTransactionByHash", second)
        self._sent = mined | {"hash": NEVER_MINED, "input": params[0]["data"], "blockNumber": None}
        return NEVER_MINED


async def fill_in_for_a_wallet(page: Page, world: GiftWorld, **more: str) -> None:
    await fill_in(page, **more)
    await page.get_by_label("With a wallet they have").check()
    await page.get_by_label("The address of their wallet").fill(world.person("ada").address)


async def go_on(page: Page) -> None:
    await page.get_by_role("button", name="Continue").click()
    await page.get_by_role("button", name="Seal the gift").click()


async def see_it_sealed(page: Page) -> None:
    await expect(page.get_by_role("status").first).to_contain_text("is sealed")


async def until(seen: Callable[[], bool], page: Page) -> None:
    async with asyncio.timeout(60):
        while not seen():
            await page.wait_for_timeout(20)


async def offer_email(world: GiftWorld, page: Page) -> None:
    """As where the service makes wallets for emails; every email's is Ada's."""

    async def status(route: Route) -> None:
        await route.fulfill(json=OFFERS_EMAIL)

    async def recipient_wallet(route: Route) -> None:
        await route.fulfill(json={"address": world.person("ada").address})

    world.scenario.send(world.giver, world.giver.address, value=1)  # the service asks for an account in use
    await page.route("**/sponsor/status", status)
    await page.route("**/gift/recipient-wallet", recipient_wallet)
    await open_page(world, page)


@pytest.mark.parametrize("version", ["1", "2"])
async def test_a_button_that_is_pressed_twice_seals_one_gift(
    gift_world: GiftWorld, visitor: PageVisitor, wallet: InjectedWallet, version: str
) -> None:
    """Also while the wallet and the service are asked for the address, which is typed twice.

    Where the gift lands is said before and after.
    """
    lands = "no other wallet app opens that wallet" if version == "1" else "they say where it should land"
    gift_world.become(version)
    page = visitor.page
    await offer_email(gift_world, page)
    await fill_in(page)
    await page.get_by_label("With their email address").check()
    await page.locator("[name=email]").fill("ada@example.org")
    await page.get_by_role("button", name="Continue").dblclick()
    await expect(page.locator(".review")).to_contain_text("Whoever reads the mailbox ada@example.org.")
    await expect(page.locator(".review")).to_contain_text(lands)
    assert (wallet.asked("eth_signTypedData_v4"), wallet.asked("eth_sendTransaction")) == ([], [])
    seal_it = page.get_by_role("button", name="Seal the gift")
    await page.get_by_label("Their email address once more").fill("ada@example.orgg")
    await expect(seal_it).to_be_disabled()
    await expect(seal_it).to_have_accessible_description(re.compile("both email addresses are the same"))
    await page.get_by_label("Their email address once more").fill(" Ada@Example.org")
    await seal_it.dblclick()
    await see_it_sealed(page)
    await expect(page.locator("#result")).to_contain_text(lands)
    assert len(wallet.asked("eth_signTypedData_v4")) == 1
    assert len(wallet.asked("eth_sendTransaction")) == 1


async def test_a_near_miss_of_a_common_mail_domain_is_asked_about_and_not_refused(
    gift_world: GiftWorld, visitor: PageVisitor, wallet: InjectedWallet
) -> None:
    """A domain of another country is another provider's: no button may switch to it."""
    page = visitor.page
    await offer_email(gift_world, page)
    await fill_in(page)
    await page.get_by_label("With their email address").check()
    email, asked = page.locator("[name=email]"), page.get_by_text("Do you mean ")
    for typed, meant in (
        ("oma@gmial.com", "oma@gmail.com"),
        ("oma@gmail.con", "oma@gmail.com"),
        ("oma@gmxx.de", "oma@gmx.de"),
        ("oma@hotmal.com", "oma@hotmail.com"),
        ("oma@yahooo.co.jp", "oma@yahoo.co.jp"),
        ("oma@gmail.co", "oma@gmail.com"),
        *((f"oma@{fine}", None) for fine in ("gmail.com", "mail.com", "web.de", "example.org", "gmial")),
        *((f"oma@{other}", None) for other in ("yahoo.in", "yahoo.ie", "live.ie", "outlook.ie", "hotmail.be")),
    ):
        await email.fill(typed)
        if meant is None:
            await expect(asked).to_have_count(0)
        else:
            await expect(asked).to_contain_text(meant)
    await email.fill("oma@gmial.com")
    await page.get_by_role("button", name="Continue").click()
    await expect(page.locator(".review")).to_contain_text("oma@gmial.com")
    await expect(asked.filter(visible=True)).to_contain_text("oma@gmail.com")
    await page.get_by_role("button", name="Change something").click()
    await page.get_by_role("button", name="Yes, use it").click()
    await expect(email).to_have_value("oma@gmail.com")
    await expect(asked).to_have_count(0)


async def test_the_email_way_is_closed_to_an_account_without_a_transaction_when_it_is_chosen(
    gift_world: GiftWorld, visitor: PageVisitor
) -> None:
    """The page says what to do, in the giver's language; after a transaction the way is open."""
    page, scenario, fresh = visitor.page, gift_world.scenario, gift_world.person("new giver")
    scenario.anvil.set_balance(fresh.address, 5 * ETHER)
    wallet = InjectedWallet(scenario, fresh, "Giver's wallet")
    await visitor.has(wallet)
    await offer_email(gift_world, page)
    closed = page.get_by_text("send a small amount to yourself first").first
    await fill_in(page)
    await page.get_by_label("With their email address").check()
    await expect(closed).to_be_visible()
    await page.locator("[name=email]").fill("ada@example.org")
    await page.get_by_role("button", name="Continue").click()
    await expect_at(page, "email", "send a small amount to yourself first")
    await page.get_by_label("With a printed key").check()
    await expect(closed).to_be_hidden()
    assert (wallet.asked("eth_signTypedData_v4"), wallet.asked("eth_sendTransaction")) == ([], [])
    scenario.send(fresh, fresh.address, value=1)
    await page.get_by_label("With their email address").check()
    await page.get_by_role("button", name="Continue").click()
    await expect(page.locator(".review")).to_contain_text("ada@example.org")


async def test_while_nobody_tells_what_became_of_a_gift_it_is_not_sealed_again(
    gift_world: GiftWorld, visitor: PageVisitor, wallet: InjectedWallet
) -> None:
    """The wallet's node fails after the transaction was sent: the page keeps asking, and warns a giver who leaves."""
    page = visitor.page
    wallet.declines = {RECEIPT}
    await fill_in_for_a_wallet(page, gift_world)
    await go_on(page)
    await until(lambda: len(wallet.asked(RECEIPT)) >= 2, page)
    await expect(page.get_by_role("status").first).to_have_text("Transaction 1 of 1 is on its way.")
    await expect(page.get_by_role("button", name="Seal the gift")).to_be_disabled()
    async with page.expect_event("dialog") as warned:
        await page.close(run_before_unload=True)
    dialog = await warned.value
    assert dialog.type == "beforeunload"
    await dialog.dismiss()
    wallet.declines.clear()
    await see_it_sealed(page)
    assert len(wallet.asked("eth_sendTransaction")) == 1


@pytest.mark.parametrize("is_same", [True, False])
async def test_a_transaction_that_was_hurried_is_found_and_another_in_its_place_is_not_taken_for_it(
    gift_world: GiftWorld, visitor: PageVisitor, is_same: bool
) -> None:
    """The wallet sends once more with the same number: the chain never has a receipt of the first."""
    wallet = HurriedWallet(gift_world.scenario, gift_world.giver, "Giver's wallet", is_same=is_same)
    await visitor.has(wallet)
    await open_page(gift_world, visitor.page)
    await fill_in_for_a_wallet(visitor.page, gift_world)
    await go_on(visitor.page)
    if is_same:
        await see_it_sealed(visitor.page)
    else:
        await expect(visitor.page.get_by_role("status").first).to_have_text("That did not work. Please try again.")
    assert len(wallet.asked("eth_sendTransaction")) == 1


async def test_the_page_for_givers_is_small(gift_world: GiftWorld, visit: Visit) -> None:
    """Scripts and styles as they go over the wire, beside the words of one language."""
    visitor = await visit(locale="de-DE")
    answers: list[Response] = []
    visitor.context.on("response", lambda answer: answers.append(answer))
    await visitor.page.goto(f"{gift_world.origin}/{PREFIX}/create")
    await expect(visitor.page.locator("[name=occasion]")).to_be_visible()
    loaded = [answer for answer in answers if re.search(r"/(?!give-|claim-)[\w-]+\.(js|css)$", answer.url)]
    sizes = {answer.url: (await answer.request.sizes())["responseBodySize"] for answer in loaded}
    assert any("/create-" in url for url in sizes)
    assert sum(sizes.values()) < 83_000, sizes


async def test_the_link_of_a_sealed_gift_is_shown_although_the_service_does_not_answer(
    gift_world: GiftWorld, visitor: PageVisitor, wallet: InjectedWallet
) -> None:
    """The card is available later; no message of a failure invites the giver to seal the gift again."""
    page = visitor.page
    await page.route("**/gift/*/*", lambda route: route.abort())
    await fill_in_for_a_wallet(page, gift_world)
    await go_on(page)
    await see_it_sealed(page)
    link = await page.locator("#claim-link").inner_text()
    await expect(page.get_by_text("Gift card: It cannot be drawn right now")).to_be_visible()
    await page.unroute("**/gift/*/*")
    await page.get_by_role("button", name="Show Birthday").click()
    await saved(page, "Gift card")
    assert await page.locator("#claim-link").inner_text() == link


async def test_what_was_filled_in_outlives_a_reload_and_no_sealed_gift(
    gift_world: GiftWorld, visitor: PageVisitor, wallet: InjectedWallet
) -> None:
    """A phone forgets pages while the wallet is looked at. The tab alone keeps it, and never the key."""
    page, fields = visitor.page, "#create form [name]"
    gift_world.scenario.mint(gift_world.scenario.deployment.usdc, gift_world.giver.address, 1000 * USDC)
    await fill_in(page, occasion="wedding", give="USDC", amount="40.25")
    await page.locator("[name=opensOn]").fill("2090-11-05T09:30")
    values = "(fields) => fields.map((each) => [each.name, each.type === 'radio' ? each.checked : each.value])"
    filled = await page.locator(fields).evaluate_all(values)
    await page.get_by_role("button", name="Continue").click()
    key = code((await saved(page, "Key sheet")).crop(SECRET))
    await page.reload()
    await expect(page.get_by_label("Your message")).to_have_value(LETTER.note)
    await page.get_by_role("button", name="Connect Giver's wallet").click()
    await page.locator(".account").wait_for()
    assert await page.locator(fields).evaluate_all(values) == filled
    assert key[2:].lower() not in (await visitor.stored()).lower()
    assert LETTER.note not in json.dumps(await visitor.context.storage_state())

    await page.get_by_role("button", name="Continue").click()
    await seal(page, code((await saved(page, "Key sheet")).crop(SECRET)).lower())
    assert LETTER.note not in await visitor.stored()
    await page.reload()
    await expect(page.get_by_label("Your message")).to_have_value("")


async def test_a_page_that_was_loaded_again_while_the_wallet_was_asked_says_so(
    gift_world: GiftWorld, visitor: PageVisitor, wallet: InjectedWallet
) -> None:
    """The form is filled in again, with a warning: sealing once more may give twice."""
    page, told = visitor.page, visitor.page.get_by_role("status").first
    wallet.declines = {RECEIPT}
    await fill_in_for_a_wallet(page, gift_world)
    await go_on(page)
    await until(lambda: len(wallet.asked(RECEIPT)) >= 1, page)
    page.on("dialog", lambda dialog: dialog.accept())
    await page.reload()
    await expect(told).to_contain_text("Please look there first")
    wallet.declines.clear()
    await page.get_by_role("button", name="Connect Giver's wallet").click()
    await expect(page.get_by_label("With a wallet they have")).to_be_checked()
    await go_on(page)
    await see_it_sealed(page)
    await page.reload()
    await expect(told).to_have_text("")


async def remember(page: Page, world: GiftWorld, *numbers: int) -> None:
    """As this browser keeps a birthday's gift that was sealed in it."""
    payload = world.link(1, letter=LETTER).partition("#g=")[2]
    kept = json.dumps({"payload": payload, "occasion": "birthday", "card": "wallet"})
    await page.goto(f"{world.origin}/{PREFIX}/create")
    for number in numbers:
        await page.evaluate("([key, kept]) => localStorage.setItem(key, kept)", [f"{KEEPSAKE}:{number}", kept])


async def test_what_a_wallet_sealed_is_listed_from_the_chain_in_any_browser(
    gift_world: GiftWorld, visitor: PageVisitor, wallet: InjectedWallet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Gifts and other timelocks by pages, with state, amounts and day; this browser adds the names, and what the chain
    has not is still there."""
    page, world, scenario = visitor.page, gift_world, gift_world.scenario
    ada, usdc = world.person("ada"), scenario.deployment.usdc
    scenario.anvil.set_balance(ada.address, ETHER)
    scenario.withdraw_gift(ada, (await world.seal(ada, ether=True)).id)
    scenario.create_timelock(world.giver, ada.address, tokens=[(usdc, 40 * USDC)], duration=2**40, soft=True)
    await world.seal(ada)
    scenario.create_gift(scenario.account("somebody else"), ada.address, eth=ETHER)
    await world.seal(ada, ether=True, opened=False)
    monkeypatch.setattr(owner_list, "PAGE_SIZE", 2)
    await remember(page, world, 5, 77)
    await open_page(world, page)

    row = page.locator("ul.kept li")
    await expect(row).to_have_count(3)
    await expect(row.nth(0)).to_contain_text("Birthday for Wilhelmina Qwyx, gift 5")
    await expect(row.nth(0)).to_contain_text("1 ETH")
    await expect(row.nth(0)).to_contain_text("Sealed. It opens on ")
    await expect(row.nth(1)).to_contain_text("Gift 3")
    await expect(row.nth(1)).to_contain_text("250 USDC")
    await expect(row.nth(1)).to_contain_text("Waiting to be opened since ")
    await expect(row.nth(2)).to_contain_text("gift 77")
    await expect(page.get_by_text("Your browser remembers these, too")).to_be_visible()
    await page.get_by_role("button", name="Show more").click()
    await expect(row).to_have_count(5)
    await expect(row.nth(2)).to_contain_text("Soft timelock 2")
    await expect(row.nth(2)).to_contain_text("No opening day is set.")
    await expect(row.nth(3)).to_contain_text("1 ETHClosed.")
    await expect(page.get_by_role("button", name="Show more")).to_be_hidden()
    await row.nth(0).get_by_role("button", name="Show Birthday").click()
    assert (await page.locator("#claim-link").inner_text()).startswith(f"{world.origin}/{PREFIX}/31337/5?o=birthday#g=")
    assert (visitor.violations, visitor.faults) == ([], [])


async def test_without_the_service_the_browsers_own_list_is_there(
    gift_world: GiftWorld, visitor: PageVisitor, wallet: InjectedWallet
) -> None:
    page = visitor.page
    await gift_world.seal(gift_world.person("ada"), opened=False)
    await remember(page, gift_world, 77)
    await page.route("**/timelocks?*", lambda route: route.abort())
    await open_page(gift_world, page)
    await expect(page.get_by_text("cannot be read at the moment")).to_be_visible()
    await expect(page.locator("ul.kept li")).to_contain_text(["gift 77"])
    await page.unroute("**/timelocks?*")
    await page.get_by_role("button", name="Try again").click()
    await expect(page.locator("ul.kept li")).to_contain_text(["Gift 1", "gift 77"])
    await expect(page.get_by_text("cannot be read at the moment")).to_be_hidden()
