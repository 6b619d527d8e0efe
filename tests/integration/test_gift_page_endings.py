"""Ends and interruptions of opening a gift, in Chromium: every case has its own words and says how to go on."""

from collections.abc import Sequence
from typing import Any

import pytest
from playwright.async_api import Page, expect
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.deploy import MULTICALL3
from devnet.scenarios import Scenario
from reminder_worker.gifts.claim_link import LinkFlags
from tests.integration.gift_page_browser import InjectedWallet, PageVisitor
from tests.integration.gift_page_steps import key_of, nothing_amiss, see_it_received, type_key
from tests.integration.gift_page_world import ETHER, GiftWorld, SealedGift, open_gift_world

pytestmark = pytest.mark.asyncio(loop_scope="session")

PAPER = LinkFlags(occasion="birthday", paper=True)
FACTS = "**/gift/*/*"
NEVER_SENT = {"RELAY_GAS_PRICE_CEILING": "1"}  # fees are always too high: what is handed in stays where it is
ENDINGS = {
    "expired": "It could not be sent in time, so nothing was moved.",
    "reverted": "The network refused the transaction. Nothing was moved: the gift is still there.",
    "superseded": "Something else was sent for this wallet first.",
    "cancelled_by_user": "This was cancelled by the wallet it is for. The gift is still there.",
}


async def handed_in(world: GiftWorld, visitor: PageVisitor, version: str = "1") -> SealedGift:
    """A gift whose request waits, opened with its key on the page. `version`: of the router."""
    world.become(version)
    gift = await world.seal(world.person("ada"), marks=PAPER)
    await visitor.page.goto(gift.url)
    await type_key(visitor.page, key_of(gift.recipient))
    if version == "2":
        await visitor.page.get_by_role("button", name="Keep it in the gift wallet").click()
    await expect(visitor.page.get_by_role("status").filter(has_text="fees are high")).to_be_visible()
    return gift


async def handed_in_by_wallet(world: GiftWorld, visitor: PageVisitor) -> InjectedWallet:
    """The same for a recipient who has a wallet; which that is."""
    ada = world.scenario.account("ada")
    gift, wallet = await world.seal(ada), InjectedWallet(world.scenario, ada, "Ada's wallet")
    await visitor.has(wallet)
    await visitor.page.goto(gift.url)
    await visitor.page.get_by_role("button", name="Open for free").click()
    await expect(visitor.page.get_by_role("status").filter(has_text="fees are high")).to_be_visible()
    return wallet


async def end_as(world: GiftWorld, state: str) -> None:
    """As the relay writes it down."""
    ended = text("update worker.relay_request set state = :state, salt = null, call_data = null")
    async with world.api.engine.begin() as connection:
        await connection.execute(ended, {"state": state})


async def see_it_failed(page: Page, words: str) -> None:
    await expect(page.get_by_role("heading", name="That did not work yet")).to_be_visible()
    await expect(page.get_by_role("status").filter(has_text=words)).to_be_visible()
    await expect(page.locator(".steps .failed")).to_have_count(1)


async def test_each_ending_says_what_became_of_the_gift_and_starts_anew(
    chain_scenario: Scenario, engine: AsyncEngine, visitor: PageVisitor
) -> None:
    """Also after a reload, until the visitor goes on. Of the request nothing is kept."""
    page = visitor.page
    async with open_gift_world(chain_scenario, engine, **NEVER_SENT) as world:
        world.following.clear()
        for state, words in ENDINGS.items():
            await handed_in(world, visitor)
            await end_as(world, state)
            await see_it_failed(page, words)
            assert "gift-request" not in await visitor.stored()
            await page.reload()
            await see_it_failed(page, words)
            await page.get_by_role("button", name="Try again").click()
            await expect(page.get_by_label("Group 1 of 16")).to_be_visible()
            assert "gift-failure" not in await visitor.stored()
            nothing_amiss(visitor, world.origin)


async def test_an_ending_that_comes_while_the_page_is_closed_is_said_at_the_next_look(
    chain_scenario: Scenario, engine: AsyncEngine, visitor: PageVisitor
) -> None:
    async with open_gift_world(chain_scenario, engine, **NEVER_SENT) as world:
        world.following.clear()
        gift = await handed_in(world, visitor)
        await visitor.page.goto("about:blank")
        await end_as(world, "reverted")
        await visitor.page.goto(gift.url)
        await see_it_failed(visitor.page, ENDINGS["reverted"])


@pytest.mark.parametrize("version", ["1", "2"])
async def test_opened_on_another_device_meanwhile_it_is_theirs_all_the_same(
    chain_scenario: Scenario, engine: AsyncEngine, visitor: PageVisitor, version: str
) -> None:
    """The request was satisfied elsewhere: the page tells what arrived where. On version 2 the other device may have
    named a wallet, which this page does not know."""
    async with open_gift_world(chain_scenario, engine, **NEVER_SENT) as world:
        world.following.clear()
        gift = await handed_in(world, visitor, version)
        chain_scenario.anvil.set_balance(gift.recipient.address, ETHER)
        chain_scenario.withdraw_gift(gift.recipient, gift.id)
        await end_as(world, "satisfied_elsewhere")
        if version == "1":
            await see_it_received(visitor.page, "250 USDC")
        else:
            await expect(visitor.page.get_by_text("250 USDC was paid out.")).to_be_visible()
            await expect(visitor.page.get_by_text("it is in one of them")).to_be_visible()
        await visitor.page.reload()
        await expect(visitor.page.get_by_text("This gift was opened on")).to_be_visible()


async def test_a_budget_that_runs_out_meanwhile_leaves_the_way_at_ones_own_fee(
    chain_scenario: Scenario, engine: AsyncEngine, visitor: PageVisitor
) -> None:
    """The page was opened before: it says why and until when, sends nothing again, and offers what works."""
    ada, page = chain_scenario.account("ada"), visitor.page
    async with open_gift_world(chain_scenario, engine, RELAY_DAILY_COUNT_CAP="1") as world:
        gift, other = await world.seal(ada), await world.seal(world.person("eve"), marks=PAPER)
        await visitor.has(InjectedWallet(chain_scenario, ada, "Ada's wallet"))
        await page.goto(gift.url)
        await expect(page.get_by_role("button", name="Open for free with Ada's wallet")).to_be_visible()
        eve = await visitor.context.new_page()
        await eve.goto(other.url)
        await type_key(eve, key_of(other.recipient))
        await see_it_received(eve, "250 USDC")
        await page.get_by_role("button", name="Open for free with Ada's wallet").click()
        for _ in range(2):
            await see_it_failed(
                page, "Today's budget for paying the network fees of gifts is used up. There is a new one at"
            )
            await page.reload()
        await page.get_by_role("button", name="See what works now").click()
        await expect(page.get_by_text("Paying the fee yourself always works.")).to_be_visible()
        assert await page.get_by_role("button", name="Open for free").count() == 0
        await page.get_by_role("button", name="Pay the fee myself").click()
        await see_it_received(page, "250 USDC")
        assert len([each for each in visitor.wire.sent if each.url.endswith("/gift-withdraw")]) == 2


class FailsInside(InjectedWallet):
    """A smart wallet: what it is to do fails within a transaction that succeeds, as a bundler's or a Safe's does."""

    def answer(self, method: str, params: Sequence[Any]) -> Any:
        if method != "eth_sendTransaction":
            return super().answer(method, params)
        (wanted,) = params
        inside = (wanted["to"], True, bytes.fromhex(wanted["data"][2:]))
        return self.scenario.write(self.account, "Multicall3", MULTICALL3, "aggregate3", [inside])


class OpensAnother(InjectedWallet):
    """Ada's first gift instead, as a batch may that she sends with the same hash."""

    def answer(self, method: str, params: Sequence[Any]) -> Any:
        if method != "eth_sendTransaction":
            return super().answer(method, params)
        return self.scenario.withdraw_gift(self.account, 1)


@pytest.mark.parametrize("kind", [FailsInside, OpensAnother])
async def test_a_transaction_that_succeeds_without_the_gift_is_not_taken_for_it(
    gift_world: GiftWorld, visitor: PageVisitor, kind: type[InjectedWallet]
) -> None:
    """The page does not say that the gift arrived; it can be opened anew."""
    ada, page = gift_world.scenario.account("ada"), visitor.page
    await gift_world.seal(ada)
    gift = await gift_world.seal(ada)
    await visitor.has(kind(gift_world.scenario, ada, "Ada's wallet"))
    await page.goto(gift.url)
    await page.get_by_role("button", name="Pay the fee myself").click()
    again, yours = page.get_by_role("button", name="Start again"), page.get_by_role("heading", name="It is yours")
    await expect(again.or_(yours)).to_be_visible()
    assert await yours.count() == 0
    await again.click()
    await visitor.has(InjectedWallet(gift_world.scenario, ada, "Ada's key"))
    await page.reload()
    await page.get_by_role("button", name="Pay the fee myself with Ada's key").click()
    await see_it_received(page, "250 USDC")


async def test_who_has_ether_need_not_wait_until_the_service_pays(
    chain_scenario: Scenario, engine: AsyncEngine, visitor: PageVisitor
) -> None:
    """Their own fee always works; and what waits is over with it."""
    page = visitor.page
    async with open_gift_world(chain_scenario, engine, **NEVER_SENT) as world:
        await handed_in_by_wallet(world, visitor)
        await page.get_by_role("button", name="Choose another way").click()
        await page.get_by_role("button", name="Pay the fee myself").click()
        await see_it_received(page, "250 USDC")
        assert "gift-request" not in await visitor.stored()
        nothing_amiss(visitor, world.origin)


WAITS = (
    ("balance", "The service's own wallet, which pays the network fee, has to be filled first."),
    ("daily_cap", "Today's budget for network fees has no room right now."),
    ("chain", "The network does not answer right now."),
    ("earlier", "Others are sent to the network before yours."),
    ("paused", "Paying the network fees is paused at the moment."),
    ("would_fail", "The network would refuse this right now."),
    ("a later version's", "Your signature has arrived. It is being sent to the network…"),
)


async def test_why_a_gift_is_not_sent_yet_is_said_to_people(
    chain_scenario: Scenario, engine: AsyncEngine, visitor: PageVisitor
) -> None:
    """The page names the reason of a delay, for example fees, so the visitor knows when to come back."""
    now = {"id": "1", "status": "deferred_fee", "waitsFor": "", "txHash": None, "error": None}
    async with open_gift_world(chain_scenario, engine, **NEVER_SENT) as world:
        world.following.clear()
        gift, page = await world.seal(world.person("ada"), marks=PAPER), visitor.page
        await page.route("**/sponsor/requests/*/events", lambda route: route.abort())
        await page.route("**/sponsor/requests/*", lambda route: route.fulfill(json=now))
        await page.goto(gift.url)
        await type_key(page, key_of(gift.recipient))
        for waits_for, words in WAITS:
            now["waitsFor"] = waits_for
            await expect(page.get_by_role("status").filter(has_text=words)).to_be_visible()
