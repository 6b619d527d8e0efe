"""Wallets of the browser on the claim page: by a signature, at one's own fee, and what they refuse."""

import math
from urllib.parse import quote

import pytest
from playwright.async_api import expect
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from tests.integration.gift_page_browser import PHONE, InjectedWallet, PageVisitor, Visit
from tests.integration.gift_page_steps import nothing_amiss, see_it_received
from tests.integration.gift_page_world import ETHER, PREFIX, USDC, GiftWorld, open_gift_world

pytestmark = pytest.mark.asyncio(loop_scope="session")
PHONE_AGENT = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile"
GIVERS = {False: "No wallet was found yet", True: "Connect Ada's wallet"}
WALLET = {False: "No wallet was found in this browser", True: "Open for free with Ada's wallet"}


@pytest.mark.parametrize("version", ["1", "2"])
async def test_a_wallet_without_ether_opens_a_gift_by_a_signature(
    gift_world: GiftWorld, visitor: PageVisitor, version: str
) -> None:
    """It is asked to go to the gift's network and to sign, and for no transaction; the gift arrives whole."""
    gift_world.become(version)
    ada = gift_world.person("ada")
    gift = await gift_world.seal(ada, ether=True)
    mine = InjectedWallet(gift_world.scenario, ada, "Ada's wallet", chain_id=1)
    other = InjectedWallet(gift_world.scenario, gift_world.person("eve"), "Eve's wallet")
    await visitor.has(mine, other)
    page = visitor.page
    await page.goto(gift.url)
    await page.get_by_role("button", name="Open for free with Eve's wallet").click()
    await expect(page.get_by_role("alert")).to_contain_text("Choose that account in your wallet")
    assert other.asked("eth_signTypedData_v4") == []
    await page.get_by_role("button", name="Open for free with Ada's wallet").click()
    await see_it_received(page, "1 ETH")
    assert gift_world.received(gift) == ETHER
    assert mine.asked("wallet_switchEthereumChain") == [[{"chainId": hex(31337)}]]
    assert len(mine.asked("eth_signTypedData_v4")) == 1
    assert mine.asked("eth_sendTransaction") == []
    nothing_amiss(visitor, gift_world.origin)


@pytest.mark.parametrize("wrapped", [False, True])
async def test_a_wallet_pays_its_own_fee_where_nothing_is_sponsored(
    chain_scenario: Scenario, engine: AsyncEngine, visitor: PageVisitor, wrapped: bool
) -> None:
    """The page says why, reads the chain by the wallet alone, and pays out as ether or wrapped, as chosen."""
    ada, d = chain_scenario.account("ada"), chain_scenario.deployment
    async with open_gift_world(chain_scenario, engine, RELAYER_KEY="") as world:
        gift = await world.seal(ada, ether=True)
        wallet = InjectedWallet(chain_scenario, ada, "Ada's wallet")
        await visitor.has(wallet)
        page = visitor.page
        await page.goto(gift.url)
        await expect(page.get_by_text("Network fees are not paid for recipients here.").first).to_be_visible()
        assert await page.get_by_role("button", name="Open for free").count() == 0
        if wrapped:
            await page.get_by_label("Receive wrapped ether").check()
        weth, ether = chain_scenario.balance(d.weth, ada.address), chain_scenario.balance(None, ada.address)
        await page.get_by_role("button", name="Pay the fee myself").click()
        await see_it_received(page, "1 WETH" if wrapped else "1 ETH")
        assert (chain_scenario.balance(d.weth, ada.address) - weth == ETHER) is wrapped
        assert (chain_scenario.balance(None, ada.address) > ether) is not wrapped
        assert wallet.asked("eth_signTypedData_v4") == []
        ((sent,),) = wallet.asked("eth_sendTransaction")
        assert int(sent["chainId"], 16) == chain_scenario.anvil.chain_id  # elsewhere it would do nothing, and succeed
        nothing_amiss(visitor, world.origin)


@pytest.mark.parametrize("kept", [False, True])
async def test_of_ether_that_is_kept_in_another_token_the_amount_is_the_tokens(
    gift_world: GiftWorld, visitor: PageVisitor, kept: bool
) -> None:
    """The price of a sold token is unknown here: the page shows the token's amount and whether ether was paid out."""
    s, ada = gift_world.scenario, gift_world.person("ada")
    usdc = s.deployment.usdc
    id = s.create_gift(gift_world.giver, ada.address, eth=ETHER, stored_as=usdc, duration=0)
    wallet = InjectedWallet(s, ada, "Ada's wallet")
    await visitor.has(wallet)
    page = visitor.page
    await page.goto(gift_world.link(id))
    option = page.get_by_label("Receive USDC instead of ETH")
    await expect(option).to_be_visible()
    if kept:
        await option.check()
    await page.get_by_role("button", name="Open for free with Ada's wallet").click()
    await see_it_received(page, "2,500 USDC" if kept else "2,500 USDC (paid out in ETH)")
    found = s.balance(usdc, ada.address), s.balance(None, ada.address)
    assert found == ((2_500 * USDC, 0) if kept else (0, ETHER))
    nothing_amiss(visitor, gift_world.origin)


async def test_a_wallet_of_the_old_kind_is_found_too(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    """`window.ethereum`, as the browsers inside wallet apps have it; only where no wallet announces itself."""
    ada = gift_world.person("ada")
    gift = await gift_world.seal(ada)
    await visitor.has(InjectedWallet(gift_world.scenario, ada, "Ada's wallet"))
    await visitor.context.add_init_script(
        """window.addEventListener("eip6963:announceProvider", (event) => {
          window.ethereum = event.detail.provider; event.stopImmediatePropagation(); });
        window.dispatchEvent(new Event("eip6963:requestProvider"));"""
    )
    await visitor.page.goto(gift.url)
    await visitor.page.get_by_role("button", name="Open for free with The wallet of this browser").click()
    await see_it_received(visitor.page, "250 USDC")


async def test_a_wallet_that_comes_late_is_found(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    """As wallet apps bring it: `window.ethereum` with the event of its coming, and without any."""
    gift = await gift_world.seal(gift_world.person("ada"))
    late = """
        const provider = { request: async () => [] };
        const wasAsked = new Promise((resolve) => window.addEventListener("eip6963:requestProvider", resolve));
        wasAsked.then(() => setTimeout(() => { window.ethereum = provider; %s }, %d));
    """
    initialized = 'window.dispatchEvent(new Event("ethereum#initialized"));'
    for event, pause in ((initialized, 7_000), ("", 450)):  # after the page's last look, and before it
        page = await visitor.context.new_page()
        await page.add_init_script(late % (event, pause))
        await page.goto(gift.url)
        await expect(page.get_by_role("button", name="Open for free with The wallet of this browser")).to_be_visible()


@pytest.mark.parametrize("late", [0.05, 1.5, math.inf])
async def test_a_switch_of_network_may_show_late(gift_world: GiftWorld, visitor: PageVisitor, late: float) -> None:
    """The page asks again for two seconds. What never shows is asked of the person."""
    ada = gift_world.person("ada")
    gift = await gift_world.seal(ada)
    await visitor.has(InjectedWallet(gift_world.scenario, ada, "Ada's wallet", chain_id=1, shows_late=late))
    page = visitor.page
    await page.goto(gift.url)
    await page.get_by_role("button", name="Open for free").click()
    if late < 2:
        await see_it_received(page, "250 USDC")
    else:
        await expect(page.get_by_role("alert").filter(has_text="Choose the network")).to_be_visible()


async def test_a_phone_without_a_wallet_gets_links_without_the_letter(gift_world: GiftWorld, visit: Visit) -> None:
    """The makers of wallet apps see these links: the fragment is in none. A computer, and a phone with a wallet, has
    no such link. Without a wallet the page says that no new one opens the gift, and what to look for."""
    gift = await gift_world.seal(gift_world.person("ada"))
    bare, _, letter = gift.url.partition("#g=")
    encoded = quote(bare, safe="")
    expected = [
        f"https://link.metamask.io/dapp/{bare.removeprefix('http://')}",
        f"https://link.trustwallet.com/open_url?coin_id=60&url={encoded}",
        f"https://go.cb-w.com/dapp?cb_url={encoded}",
    ]
    for user_agent, has_wallet, links in ((PHONE_AGENT, False, expected), (None, False, []), (PHONE_AGENT, True, [])):
        visitor = await visit(PHONE, **({"user_agent": user_agent} if user_agent else {}))
        if has_wallet:
            await visitor.has(InjectedWallet(gift_world.scenario, gift_world.person("ada"), "Ada's wallet"))
        page = visitor.page
        await page.goto(gift.url)
        await expect(
            page.get_by_role("button" if has_wallet else "paragraph").filter(has_text=WALLET[has_wallet])
        ).to_be_visible()
        hrefs = await page.locator(".wallets a").evaluate_all("(links) => links.map(({ href }) => href)")
        assert hrefs == links
        assert letter not in "".join(hrefs)
        assert await page.get_by_text("is not taken along").count() == bool(links)
        assert await page.get_by_text("A new wallet does not help: only 0x").count() == (not has_wallet)
        await page.goto(f"{gift_world.origin}/{PREFIX}/create")
        await expect(
            page.get_by_role("button" if has_wallet else "group").filter(has_text=GIVERS[has_wallet])
        ).to_be_visible()
        apps = page.locator("#create a.button")
        await expect(apps).to_have_count(len(links))
        boxes = [await each.bounding_box() for each in await apps.all()]
        assert all(box and box["height"] >= 44 for box in boxes)  # as large as any other button


async def test_a_wallet_that_says_no_changes_nothing(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    """Each refusal is told in plain words, and can be tried again."""
    ada = gift_world.person("ada")
    gift = await gift_world.seal(ada)
    wallet = InjectedWallet(gift_world.scenario, ada, "Ada's wallet", declines={"eth_requestAccounts"})
    await visitor.has(wallet)
    page, alert = visitor.page, visitor.page.get_by_role("alert")
    await page.goto(gift.url)
    for declined, words in (
        ({"eth_requestAccounts"}, "You declined in Ada's wallet"),
        ({"wallet_switchEthereumChain"}, "This gift is on another network than your wallet"),
        ({"eth_signTypedData_v4"}, "You declined in Ada's wallet"),
    ):
        wallet.declines, wallet.chain_id = declined, 31337 if "eth_signTypedData_v4" in declined else 1
        await page.get_by_role("button", name="Open for free").click()
        await expect(alert.filter(has_text=words)).to_be_visible()
    wallet.chain_id, wallet.knows = 1, set()
    await page.get_by_role("button", name="Open for free").click()
    await expect(alert.filter(has_text="does not know the network of this gift")).to_contain_text("chain ID 31337")
    assert not any(each.url.endswith("/gift-withdraw") for each in visitor.wire.sent)
    assert await gift_world.state(gift) == "open"


async def test_what_the_contract_refuses_is_told_in_words(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    """Opened by somebody's other device meanwhile: no transaction is sent and no signature taken."""
    ada = gift_world.scenario.account("ada")
    gift = await gift_world.seal(ada)
    wallet = InjectedWallet(gift_world.scenario, ada, "Ada's wallet")
    await visitor.has(wallet)
    page = visitor.page
    await page.goto(gift.url)
    await expect(page.get_by_role("button", name="Pay the fee myself")).to_be_visible()
    gift_world.scenario.withdraw_gift(ada, gift.id)
    await page.get_by_role("button", name="Pay the fee myself").click()
    await expect(page.get_by_role("alert")).to_be_visible()
    assert wallet.asked("eth_sendTransaction") == []
    await page.get_by_role("button", name="Open for free").click()
    await expect(page.get_by_text("has been opened")).to_be_visible()
