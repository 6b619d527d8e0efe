"""Gifts that are under way in the page while something else happens: a reload, another device, a forgetful wallet."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.async_api import Page, expect
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from tests.integration.gift_page_browser import InjectedWallet, PageVisitor, Visit
from tests.integration.gift_page_steps import PAPER, key_of, nothing_amiss, see_it_received, type_key
from tests.integration.gift_page_world import ETHER, GiftWorld, SealedGift, open_gift_world

pytestmark = pytest.mark.asyncio(loop_scope="session")

# A wallet sends the transaction, and the page is closed before the answer arrives.
NEVER_TELLS = """
window.addEventListener("eip6963:announceProvider", ({ detail: { provider } }) => {
  const ask = provider.request;
  provider.request = (call) => {
    const answer = ask(call);
    return call.method === "eth_sendTransaction" ? new Promise(() => {}) : answer;
  };
});
"""


@dataclass
class BusyNetwork(InjectedWallet):
    """A wallet whose transactions are not mined before `settle`."""

    waiting: str | None = None
    nonce: int = 0

    def answer(self, method: str, params: Sequence[Any]) -> Any:
        if method != "eth_sendTransaction":
            return super().answer(method, params)
        self.calls.append((method, params))
        (wanted,) = params
        transaction = {
            "to": wanted["to"],
            "data": wanted["data"],
            "value": 0,
            "gas": 1_000_000,
            "chainId": self.scenario.anvil.chain_id,
            "nonce": int(self.scenario.anvil.rpc("eth_getTransactionCount", self.account.address, "latest"), 16),
            "maxFeePerGas": 100 * 10**9,
            "maxPriorityFeePerGas": 10**9,
        }
        signed = self.account.sign_transaction(transaction)
        self.waiting = signed.raw_transaction.to_0x_hex()
        return signed.hash.to_0x_hex()

    def settle(self) -> None:
        assert self.waiting is not None
        self.scenario.anvil.rpc("eth_sendRawTransaction", self.waiting)


async def pay(page: Page) -> None:
    await page.get_by_role("button", name="Pay the fee myself").click()
    await expect(page.get_by_role("status").filter(has_text="It is on its way")).to_be_visible()


async def paid_for(world: GiftWorld, visitor: PageVisitor) -> tuple[SealedGift, BusyNetwork]:
    """A gift whose recipient has sent a transaction at their own fee, and the wallet that holds it back."""
    ada = world.scenario.account("ada")
    gift, wallet = await world.seal(ada), BusyNetwork(world.scenario, ada, "Ada's wallet")
    await visitor.has(wallet)
    await visitor.page.goto(gift.url)
    await pay(visitor.page)
    return gift, wallet


async def test_a_reload_finds_a_gift_that_its_recipient_pays_for(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    """It is not offered again while its transaction is under way, and of it only the public hash is kept."""
    page = visitor.page
    _, wallet = await paid_for(gift_world, visitor)
    await page.reload()
    await expect(page.get_by_role("heading", name="Your gift is on its way")).to_be_focused()
    await expect(page.get_by_text("transaction 0x")).to_be_visible()
    assert await page.get_by_role("button", name="Pay the fee myself").count() == 0
    wallet.settle()
    await see_it_received(page, "250 USDC")
    assert len(wallet.asked("eth_sendTransaction")) == 1
    assert "gift-request" not in await visitor.stored()
    nothing_amiss(visitor, gift_world.origin)


@pytest.mark.parametrize("agrees", [True, False])
async def test_a_reload_while_the_wallet_still_asks_offers_no_second_payment(
    gift_world: GiftWorld, visitor: PageVisitor, agrees: bool
) -> None:
    """The wallet's window stays open, and its answer reaches no page: the page asks the gift, or starts again."""
    page, ada = visitor.page, gift_world.scenario.account("ada")
    gift, wallet = await gift_world.seal(ada), BusyNetwork(gift_world.scenario, ada, "Ada's wallet")
    await visitor.has(wallet)
    await page.add_init_script(NEVER_TELLS)
    await page.goto(gift.url)
    await page.get_by_role("button", name="Pay the fee myself").click()
    async with asyncio.timeout(60):
        while wallet.waiting is None:
            await page.wait_for_timeout(20)
    await page.reload()
    await expect(page.get_by_role("heading", name="Please look in your wallet")).to_be_focused()
    assert await page.get_by_role("button", name="Pay the fee myself").count() == 0
    if agrees:
        wallet.settle()
        await see_it_received(page, "250 USDC")
    else:
        await page.get_by_role("button", name="Start again").click()
        await expect(page.get_by_role("button", name="Pay the fee myself")).to_be_visible()
    assert len(wallet.asked("eth_sendTransaction")) == 1
    assert "gift-request" not in await visitor.stored()
    nothing_amiss(visitor, gift_world.origin)


async def test_a_reload_after_it_arrived_tells_what_came_as_ether(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    """The chain forgets how a gift was paid out; the page that had it paid out does not."""
    s, page = gift_world.scenario, visitor.page
    ada = s.account("ada")
    id = s.create_gift(gift_world.giver, ada.address, eth=ETHER, stored_as=s.deployment.usdc, duration=0)
    await gift_world.api.parts.chain_indexes[gift_world.api.chain_id].run()
    wallet = BusyNetwork(s, ada, "Ada's wallet")
    await visitor.has(wallet)
    await page.goto(gift_world.link(id))
    await pay(page)
    await page.goto("about:blank")
    wallet.settle()
    await page.goto(gift_world.link(id))
    await see_it_received(page, "2,500 USDC (paid out in ETH)")


async def test_a_payment_that_was_given_up_in_the_wallet_can_be_made_anew(
    gift_world: GiftWorld, visitor: PageVisitor
) -> None:
    """Nobody can tell the page that a wallet dropped a transaction: the way back is a button, which keeps the focus."""
    page = visitor.page
    _, wallet = await paid_for(gift_world, visitor)
    await page.reload()
    anew = page.get_by_role("button", name="Start again")
    await anew.focus()
    async with page.expect_response("**/gift/*/*"):
        pass
    await expect(anew).to_be_focused()
    await page.keyboard.press("Enter")
    await pay(page)
    assert len(wallet.asked("eth_sendTransaction")) == 2
    wallet.settle()
    await see_it_received(page, "250 USDC")


async def test_an_end_without_the_gift_is_believed_only_while_the_gift_is_there(
    chain_scenario: Scenario, engine: AsyncEngine, visitor: PageVisitor
) -> None:
    """Reverted, because the recipient's own transaction was first: the page shows the gift as opened, not a failure."""
    ada = chain_scenario.account("ada")
    async with open_gift_world(chain_scenario, engine) as world:
        gift, page = await world.seal(ada, marks=PAPER), visitor.page
        world.following.clear()
        chain_scenario.anvil.rpc("evm_setAutomine", False)
        await page.route("**/sponsor/requests/*/events", lambda route: route.abort())
        await page.goto(gift.url)
        await type_key(page, key_of(ada))
        await expect(page.get_by_role("status").filter(has_text="It is on its way")).to_be_visible()
        for asked in ("**/sponsor/requests/*", "**/gift/*/*"):
            await page.route(asked, lambda route: route.abort())
        chain_scenario.anvil.rpc("anvil_dropAllTransactions")
        chain_scenario.anvil.rpc("evm_setAutomine", True)
        chain_scenario.withdraw_gift(ada, gift.id)
        async with engine.begin() as connection:
            await connection.execute(text("update worker.relay_request set state = 'reverted'"))
        await page.unroute_all()
        await see_it_received(page, "250 USDC")


async def test_states_come_by_themselves_and_are_asked_for_where_no_stream_comes_through(
    gift_world: GiftWorld, visit: Visit
) -> None:
    """Some proxies hold a stream back: the page then asks, and the gift arrives all the same."""
    for is_held_back in (False, True):
        gift = await gift_world.seal(gift_world.person(f"stream {is_held_back}"), marks=PAPER)
        visitor = await visit()
        if is_held_back:
            await visitor.page.route("**/sponsor/requests/*/events", lambda route: route.abort())
        await visitor.page.goto(gift.url)
        await type_key(visitor.page, key_of(gift.recipient))
        await see_it_received(visitor.page, "250 USDC")
        asked = [url for url in visitor.asked if "/sponsor/requests/" in url]
        assert len([url for url in asked if url.endswith("/events")]) == 1
        assert any(not url.endswith("/events") for url in asked) is is_held_back
        assert (visitor.violations, visitor.faults) == ([], [])


# -- what a person does meanwhile -------------------------------------------------------------------------
