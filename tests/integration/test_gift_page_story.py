"""From sealing to opening in Chromium: a giver seals on one page, four recipients open on another.

On phones that know nothing younger than iOS 15, as far as scripts go.
"""

import json

import pytest
from eth_account import Account
from PIL import Image
from playwright.async_api import Browser, Page, expect
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.auth_proxy_stand_in import AuthProxyStandIn
from devnet.scenarios import DAY, Scenario
from tests.integration.gift_page_browser import BrowserWire, InjectedWallet, PageVisitor, new_visitor, open_browser
from tests.integration.gift_page_giver_steps import type_from_paper
from tests.integration.gift_page_world import ETHER, PREFIX, USDC, GiftWorld, open_email_world
from tests.qr import qr_codes

pytestmark = pytest.mark.asyncio(loop_scope="session")

NOTE, EMAIL = "Zymurgically yours, for the long winter evenings", "wilhelmina.qwyx@post.example.org"
SECRET, COVER = (0, 0, 1700, 728), (0, 728, 1700, 1464)  # panels of the key sheet
# What iPhones before iOS 15.4, 16 or later do not know; of givers, too, in the browsers inside their wallet apps.
UNKNOWN_TO_OLD_PHONES = """
  CanvasRenderingContext2D.prototype.roundRect Path2D.prototype.roundRect AbortSignal.timeout AbortSignal.any
  Array.prototype.at Array.prototype.findLast Array.prototype.toSorted Array.prototype.toReversed Array.fromAsync
  String.prototype.at String.prototype.isWellFormed Object.hasOwn Object.groupBy Promise.withResolvers Promise.try
  Uint8Array.prototype.toHex Uint8Array.fromHex Set.prototype.union Crypto.prototype.randomUUID URL.canParse URL.parse
  Iterator structuredClone navigation scheduler
"""
FORGET = """(paths) => {
  for (const path of paths) {
    const owners = path.split("."), name = owners.pop();
    delete owners.reduce((owner, each) => owner[each], window)[name];
  }
}"""


async def test_gifts_are_sealed_and_opened_by_each_way(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    """At one's own fee, for free with a wallet, with the printed key, with an email; nobody learns a secret."""
    async with open_email_world(chain_scenario, engine) as (world, provider), open_browser() as (browser, wire):
        giver = await with_old_phone(browser, wire)
        wallet = InjectedWallet(world.scenario, world.giver, "Giver's wallet")
        await giver.has(wallet)
        usdc = world.scenario.deployment.usdc
        world.scenario.mint(usdc, world.giver.address, 1000 * USDC)
        payer, ada = world.scenario.account("payer"), world.person("ada")
        await giver.page.goto(f"{world.origin}/{PREFIX}/create")
        await giver.page.get_by_role("button", name="Connect Giver's wallet").click()
        await giver.page.locator(".account").wait_for()

        links = [
            await seal(giver.page, "ETH", "With a wallet they have", address=payer.address),
            await seal(giver.page, "USDC", "With a wallet they have", address=ada.address),
        ]
        key, entry = await seal_on_paper(giver.page)
        links.append(await seal(giver.page, "USDC", "With their email address", email=EMAIL))
        assert len(set(links)) == 3
        world.scenario.advance(6 * 366 * DAY)
        await world.api.parts.chain_indexes[world.api.chain_id].run()

        visitors = [await with_old_phone(browser, wire) for _ in range(4)]
        before = world.scenario.balance(None, payer.address)
        await opened_at_own_fee(visitors[0], InjectedWallet(world.scenario, payer, "Own wallet", chain_id=1), links[0])
        fee = before + 2 * ETHER - world.scenario.balance(None, payer.address)
        assert 0 < fee < ETHER // 100
        await opened_for_free(visitors[1], InjectedWallet(world.scenario, ada, "Ada's wallet"), links[1])
        await opened_with_key(visitors[2], key, entry)
        await opened_with_email(visitors[3], provider, links[2])

        mailed = provider.keys[provider.only.accounts["wallet-1"][0]["address"].lower()]
        for receiver in (ada.address, Account.from_key(key).address, mailed.address):
            assert world.scenario.balance(usdc, receiver) == 2 * USDC
            assert world.scenario.balance(None, receiver) == 0, "the fee was paid for them"
        assert provider.sign_ups == 0
        for visitor in (giver, *visitors):
            await kept_secret(visitor, world, provider, key)


async def with_old_phone(browser: Browser, wire: BrowserWire) -> PageVisitor:
    """As old as a browser of today can be made."""
    visitor = await new_visitor(browser, wire)
    await visitor.context.add_init_script(f"({FORGET})({json.dumps(UNKNOWN_TO_OLD_PHONES.split())})")
    return visitor


async def seal(page: Page, give: str, way: str, *, address: str = "", email: str = "") -> str:
    """2 of a token; the claim link."""
    await fill_in(page, give, way)
    if address:
        await page.get_by_label("The address of their wallet").fill(address)
    if email:
        await page.locator("[name=email]").fill(email)
    await page.get_by_role("button", name="Continue").click()
    if email:
        await page.locator("[name=emailAgain]").fill(email)
    await page.get_by_role("button", name="Seal the gift").click()
    return await sealed(page)


async def seal_on_paper(page: Page) -> tuple[str, str]:
    """The key and the address that the sheet's two codes say."""
    await fill_in(page, "USDC", "With a printed key")
    await page.get_by_role("button", name="Continue").click()
    async with page.expect_download() as download:
        await page.locator("figure").filter(has_text="Key sheet").get_by_role("button", name="Save as PNG").click()
    sheet = Image.open(await (await download.value).path())
    (key,), (entry,) = (qr_codes(sheet.crop(panel)) for panel in (SECRET, COVER))
    await type_from_paper(page, key.text)
    await page.get_by_role("button", name="Seal the gift").click()
    await sealed(page)
    return key.text, entry.text


async def fill_in(page: Page, give: str, way: str) -> None:
    await page.get_by_label("For (a name)").fill("Wilhelmina Qwyx")
    await page.get_by_label("From (your name)").fill("Grandma Zoëlla")
    await page.get_by_label("Your message").fill(NOTE)
    await page.locator("[name=asset]").select_option(label=give)
    await page.get_by_label("How much").fill("2")
    await page.get_by_label(way).check()


async def sealed(page: Page) -> str:
    await expect(page.locator("#claim-link")).to_be_visible()
    link = await page.locator("#claim-link").inner_text()
    await page.get_by_role("button", name="Save the link as a file").click()
    await page.get_by_role("button", name="Yes, it is there").click()
    await page.get_by_role("button", name="Seal another gift").click()
    await expect(page.locator("#claim-link")).to_have_count(0)
    return link


async def visit(visitor: PageVisitor, link: str) -> None:
    await visitor.page.goto(link)
    await expect(visitor.page.get_by_text(NOTE)).to_be_visible()
    await expect(visitor.page.get_by_role("heading", name="Open your gift")).to_be_visible()


async def arrived(visitor: PageVisitor) -> None:
    await expect(visitor.page.get_by_role("heading", name="It is yours")).to_be_visible()


async def opened_at_own_fee(visitor: PageVisitor, wallet: InjectedWallet, link: str) -> None:
    await visitor.has(wallet)
    await visit(visitor, link)
    await visitor.page.get_by_role("button", name="Pay the fee myself with Own wallet").click()
    await arrived(visitor)
    assert (len(wallet.asked("eth_sendTransaction")), len(wallet.asked("eth_signTypedData_v4"))) == (1, 0)


async def opened_for_free(visitor: PageVisitor, wallet: InjectedWallet, link: str) -> None:
    await visitor.has(wallet)
    await visit(visitor, link)
    await visitor.page.get_by_role("button", name="Open for free with Ada's wallet").click()
    await arrived(visitor)
    assert (len(wallet.asked("eth_sendTransaction")), len(wallet.asked("eth_signTypedData_v4"))) == (0, 1)


async def opened_with_key(visitor: PageVisitor, key: str, entry: str) -> None:
    await visit(visitor, entry)
    await visitor.page.get_by_label("Group 1 of 16").fill(key)
    await visitor.page.get_by_role("button", name="Open my gift").locator("visible=true").click()
    await arrived(visitor)


async def opened_with_email(visitor: PageVisitor, provider: AuthProxyStandIn, link: str) -> None:
    await visit(visitor, link)
    await visitor.page.get_by_label("Your email address").fill(EMAIL)
    await visitor.page.get_by_role("button", name="Send me a code").click()
    await expect(visitor.page.get_by_label("The code from the email")).to_be_visible()
    await visitor.page.get_by_label("The code from the email").fill(provider.mailbox[EMAIL][-1])
    await visitor.page.get_by_role("button", name="Open my gift").locator("visible=true").click()
    await arrived(visitor)


async def kept_secret(visitor: PageVisitor, world: GiftWorld, provider: AuthProxyStandIn, key: str) -> None:
    everything = await visitor.everything()
    for secret in (key, key[2:], key[2:34], key[34:], "Zymurgically", *provider.mailbox[EMAIL]):
        assert secret not in everything
    assert visitor.foreign(world.origin, provider.url) == []
    assert (visitor.violations, visitor.faults) == ([], [])
