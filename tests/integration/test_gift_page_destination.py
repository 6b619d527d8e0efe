"""Where a gift lands: on version 2 of the router its recipient may name a wallet, and the link names none."""

import json

import pytest
from playwright.async_api import Page, expect

from tests.integration.gift_page_browser import PHONE, InjectedWallet, PageVisitor, Visit
from tests.integration.gift_page_steps import PAPER, key_of, nothing_amiss, see_it_received, type_key
from tests.integration.gift_page_world import ETHER, GiftWorld, SealedGift

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def ask_where(world: GiftWorld, page: Page, more: str = "") -> SealedGift:
    """A paper gift whose key was typed; `more` was put into its link by somebody."""
    world.become("2")
    gift = await world.seal(world.person("ada"), marks=PAPER, ether=True)
    await page.goto(gift.url.replace("#", f"{more}#"))
    await type_key(page, key_of(world.person("ada")))
    await expect(page.get_by_role("heading", name="Where should it land?")).to_be_focused()
    return gift


async def name(page: Page, address: str) -> None:
    await page.get_by_label("The address of your wallet").fill(address)
    await page.get_by_role("button", name="Check the address").click()


async def test_a_gift_lands_in_the_wallet_that_was_named_and_shown(gift_world: GiftWorld, visit: Visit) -> None:
    """On a phone. A destination planted in the link is nowhere; the whole address is shown before it is signed."""
    own, thief = gift_world.person("own wallet").address, gift_world.person("thief").address
    visitor = await visit(PHONE)
    page = visitor.page
    await ask_where(gift_world, page, f"&payTo={thief}&to={thief}&destination={thief}")
    await expect(page.get_by_label("The address of your wallet")).to_have_value("")
    await expect(page.get_by_text("No wallet? Choose “Keep it in the gift wallet” below.")).to_be_visible()
    await expect(page.get_by_text("have someone you trust fully help you")).to_be_visible()
    await expect(page.get_by_text("Only the wallet it was sealed for")).to_have_count(0)
    await name(page, own)
    await expect(page.get_by_role("heading", name="Is this your wallet?")).to_be_focused()
    await expect(page.get_by_text(own, exact=True)).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not any(each.url.endswith("/gift-withdraw") for each in visitor.wire.sent)
    await page.get_by_role("button", name="Yes, send it there").click()
    await see_it_received(page, "1 ETH")
    await expect(page.get_by_text("It is in the wallet that you named.")).to_be_visible()
    (body,) = [each.body for each in visitor.wire.sent if each.url.endswith("/gift-withdraw")]
    assert json.loads(body)["payTo"] == own
    balance = gift_world.scenario.balance
    assert (balance(None, own), balance(None, gift_world.person("ada").address), balance(None, thief)) == (ETHER, 0, 0)
    await page.reload()
    await expect(
        page.get_by_text("If you named a wallet when you opened the gift, what was in it went")
    ).to_be_visible()
    nothing_amiss(visitor, gift_world.origin)


async def test_a_destination_that_would_lose_the_gift_is_refused(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    """A letter that differs, nobody's address, contracts of the gift, another network, a name."""
    page, it = visitor.page, gift_world.scenario.deployment
    own = gift_world.person("own wallet").address
    at = next(place for place in range(2, 42) if own[place].isalpha())
    gift = await ask_where(gift_world, page)
    for typed, words in (
        (own[:at] + own[at].swapcase() + own[at + 1 :], "A letter or a digit of this address is wrong."),
        (own[:-1], "This is not the address of a wallet."),
        ("ada.eth", "This is not the address of a wallet."),
        ("0x" + "0" * 40, "Nobody has the key to this address"),
        ("0x" + "0" * 36 + "dead", "Nobody has the key to this address"),
        (it.time_lock_router, "This is the address of a contract"),
        (it.weth, "This is the address of a contract"),
        (it.timelock_erc721, "This is the address of a contract"),
        (it.multisig_legacy_router, "This is the address of a contract"),
        (gift.recipient.address, "This is the gift wallet itself."),
        (f"ethereum:{own}@999999", "This code is for another network."),
    ):
        await name(page, typed)
        await expect(page.locator("#destination-problem")).to_contain_text(words)
    await name(page, own.lower())
    await expect(page.get_by_text("This address has no check letters")).to_be_visible()
    await page.get_by_role("button", name="Use another one").click()
    await page.get_by_role("button", name="Keep it in the gift wallet").click()
    await see_it_received(page, "1 ETH")
    assert gift_world.received(gift) == ETHER


async def test_a_connected_wallet_can_be_the_destination(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    """Ask its node about a typed address, and doubt a contract that is no wallet."""
    page, friend = visitor.page, gift_world.scenario.account("friend")
    await visitor.has(InjectedWallet(gift_world.scenario, friend, "My wallet"))
    await ask_where(gift_world, page)
    contract, doubt = "0x" + "7" * 40, page.get_by_text("There is a program at this address")
    gift_world.scenario.anvil.set_code(contract, "0x00")
    await name(page, contract)
    await expect(doubt).to_be_visible()
    await page.get_by_role("button", name="Use another one").click()
    await page.get_by_role("button", name="Use My wallet").click()
    await expect(page.get_by_text(friend.address, exact=True)).to_be_visible()
    await expect(doubt).to_be_hidden()
    before = gift_world.scenario.balance(None, friend.address)
    await page.get_by_role("button", name="Yes, send it there").click()
    await see_it_received(page, "1 ETH")
    assert gift_world.scenario.balance(None, friend.address) - before == ETHER
