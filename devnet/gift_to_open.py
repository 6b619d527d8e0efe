"""The demo's last gift, for whoever watches to open by hand: sealed to a printed key on the create page, in Chromium.

Its three printables are saved in the way of a giver. Without a Chromium the gift is sealed all the same, and the story
prints the key instead. `legacy_papers.py` saves its pages with the same browser.
"""

import json
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from eth_account import Account
from eth_account.signers.local import LocalAccount

from devnet.chain import ChainError
from devnet.demo_gifts import as_fragment
from devnet.evidence import NotSeen, must
from devnet.local import CHAIN_ID
from devnet.parts import PATIENCE_SECONDS
from devnet.scenarios import Scenario
from devnet.stack import LocalStack

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHROMIUM: Final = ("chromium", "chromium-browser", "google-chrome")
PREFIX: Final = "gifts"
WEI: Final = 10**17
OPENS_AFTER: Final = 120  # seconds: long enough to see the page count down
LETTER: Final = {"v": 1, "to": "Mia", "from": "the demo", "note": "A little something, sealed until the day it opens."}
PRINTABLES: Final = {
    "Key sheet": "key-sheet.png",
    "Gift card": "gift-card.png",
    "Gift record": "gift-record.png",
    "Claim card": "claim-card.png",
    "For the estate file": "cover-sheet.png",
}

# A wallet without prompts (EIP-6963), and a record of all text on canvases, the only place of the key.
_PAGE = """
window.drawn = [];
const draw = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {
  window.drawn.push(text);
  return draw.call(this, text, ...more);
};
const provider = { async request({ method, params }) {
  const answer = JSON.parse(await window.__wallet(JSON.stringify([method, params ?? []])));
  if (answer.error) throw new Error(answer.error);
  return answer.result;
} };
const info = { uuid: "00000000-0000-4000-8000-000000000000", name: "the demo's wallet", icon: "", rdns: "demo.wallet" };
addEventListener("eip6963:requestProvider", () => dispatchEvent(
  new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) })));
"""


@dataclass(frozen=True, slots=True)
class GiftToOpen:
    """`printables` and `value`, the headline of the gift record, are empty where there is no Chromium."""

    link: str
    key: str
    printables: Sequence[Path]
    value: str = ""


def leave_gift(stack: LocalStack, chromium: str | None) -> GiftToOpen:
    """Raises `NotSeen` and `ChainError`."""
    scenario = Scenario(stack.anvil, stack.deployment)
    giver = scenario.account("demo giver")
    if chromium is None:
        return _sealed_here(stack.at.api, scenario, giver)
    with open_page(f"{stack.at.api}/{PREFIX}/create", scenario, giver, chromium) as page:
        return _seal(page, make_folder(stack))


def make_folder(stack: LocalStack) -> Path:
    """Return the folder of what the story prints. A start of the stack empties it."""
    folder = stack.directory / "printables"
    folder.mkdir(mode=0o700, exist_ok=True)  # the sheet has a key on it
    return folder


def find_chromium() -> str | None:
    return next(filter(None, map(shutil.which, CHROMIUM)), None)


def tell(stack: LocalStack, gift: GiftToOpen) -> None:
    """Says where it is."""
    say = stack.log.say
    say(f"[bold]A gift for you to open by hand[/]; its day comes within {OPENS_AFTER // 60} minutes:")
    say(f"  its page   {gift.link}")
    say(f"  its key    {gift.key}  [dim](as printed: the page asks for it, and sends it nowhere)[/]")
    for path in gift.printables:
        say(f"  printable  {path}")
    if not gift.printables:
        create = f"{stack.at.api}/{PREFIX}/create"
        say(f"  [dim]The printables were not drawn: chromium is not installed. Any browser draws them at {create}[/]")


def _sealed_here(origin: str, scenario: Scenario, giver: LocalAccount) -> GiftToOpen:
    recipient = Account.create()
    id = scenario.create_gift(giver, recipient.address, eth=WEI, duration=OPENS_AFTER)
    link = f"{origin}/{PREFIX}/{CHAIN_ID}/{id}?o=gift&paper=1#g={as_fragment(LETTER)}"
    return GiftToOpen(link, recipient.key.to_0x_hex(), [])


@contextmanager
def open_page(url: str, scenario: Scenario, account: LocalAccount, chromium: str) -> Iterator["Page"]:
    """A page of the service, connected to a wallet of this account. `window.drawn` has all text on canvases.

    Raises `NotSeen`.
    """
    from playwright.sync_api import Error, sync_playwright

    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium)
            page = browser.new_page(accept_downloads=True)
            page.set_default_timeout(PATIENCE_SECONDS * 1000)
            page.expose_function("__wallet", _wallet(scenario, account))
            page.add_init_script(_PAGE)
            answer = page.goto(url)
            must(answer and answer.ok, f"the page {url} answered {answer and answer.status}")
            page.get_by_role("button", name="Connect the demo's wallet").click()
            yield page
            browser.close()
    except Error as failed:
        raise NotSeen(f"the page {url} did not do it: {failed.message.splitlines()[0]}") from None


def _seal(page: "Page", folder: Path) -> GiftToOpen:
    opens = page.locator("[name=opensOn]")
    page.locator(".account").wait_for()
    earliest = datetime.fromisoformat(opens.get_attribute("min") or "")
    opens.fill((earliest + timedelta(seconds=OPENS_AFTER)).strftime("%Y-%m-%dT%H:%M"))
    for name in ("to", "from", "note"):
        page.locator(f"[name={name}]").fill(str(LETTER[name]))
    page.locator("[name=amount]").fill("0.1")
    page.get_by_role("button", name="Continue").click()
    sheet = save_printable(page, "Key sheet", folder)
    key = "0x" + "".join(word for word in page.evaluate("window.drawn") if re.fullmatch("[0-9a-f]{4}", word))
    must(len(key) == 66, "the sheet has no key on it")
    _type_from_paper(page, key)
    page.get_by_role("button", name="Seal the gift").click()
    link = page.locator("#claim-link").inner_text()
    printables = [sheet, *(save_printable(page, title, folder) for title in ("Gift card", "Gift record"))]
    value = next((words for words in page.evaluate("window.drawn") if words.startswith("US$ ")), "")
    return GiftToOpen(link, key, printables, value)


def _type_from_paper(page: "Page", key: str) -> None:
    """The two groups of the key that the page asks for."""
    page.get_by_label("It is printed").check()
    for field in page.locator(".typed input").all():
        (number, *_) = re.findall(r"\d+", field.get_attribute("aria-label") or "")
        first = 2 + 4 * (int(number) - 1)
        field.fill(key[first : first + 4])


def save_printable(page: "Page", title: str, folder: Path) -> Path:
    """Save what the page shows below this title."""
    path = folder / PRINTABLES[title]
    with page.expect_download() as download:
        page.locator("figure").filter(has_text=title).get_by_role("button", name="Save as PNG").click()
    download.value.save_as(path)
    return path


def _wallet(scenario: Scenario, account: LocalAccount) -> Callable[[str], str]:
    """Return the wallet's answers to the page, in JSON."""

    def answer(method: str, params: Sequence[Any]) -> Any:
        if method in ("eth_requestAccounts", "eth_accounts"):
            return [account.address]
        if method == "eth_sendTransaction":
            (wanted,) = params
            return scenario.send(account, wanted["to"], wanted["data"], value=int(wanted.get("value", "0x0"), 16))
        return scenario.anvil.rpc(method, *params)

    def asked(question: str) -> str:
        method, params = json.loads(question)
        try:
            return json.dumps({"result": answer(method, params)})
        except ChainError as failed:
            return json.dumps({"error": str(failed)})

    return asked
