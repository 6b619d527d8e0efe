"""What visitors of the claim page do, and what is seen of it."""

from eth_account.signers.local import LocalAccount
from playwright.async_api import Page, expect

from reminder_worker.gifts.claim_link import LinkFlags
from tests.integration.gift_page_browser import PageVisitor

PAPER = LinkFlags(occasion="birthday", paper=True)
# The browser's own measure of what moved without anybody's doing, from 0.
MOVED = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => { for (const each of list.getEntries()) sum += each.value; })
    .observe({ type: "layout-shift", buffered: true });
  setInterval(() => done(sum), 1500);  // a pause would pass in haste
})"""


def key_of(person: LocalAccount) -> str:
    return bytes(person.key).hex()


def groups(key: str) -> list[str]:
    return [key[at : at + 4] for at in range(0, 64, 4)]


async def type_key(page: Page, key: str) -> None:
    """As a person does: digit after digit, the focus goes on by itself."""
    await page.get_by_label("Group 1 of 16").focus()
    await page.keyboard.type(key)
    await page.get_by_role("button", name="Open my gift").click()


async def see_it_received(page: Page, words: str) -> None:
    await expect(page.get_by_role("heading", name="It is yours")).to_be_visible()
    await expect(page.get_by_text(f"{words} arrived at")).to_be_visible()


def nothing_amiss(visitor: PageVisitor, *origins: str) -> None:
    """No violation of the policy, no uncaught error, no line on the console, no foreign address."""
    assert (visitor.violations, visitor.faults, visitor.console) == ([], [], [])
    assert visitor.foreign(*origins) == []
