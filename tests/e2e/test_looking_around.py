"""The local stack for who looks around in it: with a frontend of their own, a wallet, and while the story plays."""

import json
from collections.abc import Iterator
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from eth_account import Account
from PIL import Image

from devnet import gift_to_open
from devnet.deploy import DAY
from devnet.evidence import NotSeen
from devnet.gift_to_open import LETTER, find_chromium, leave_gift
from devnet.local import CORS_VARIABLE
from devnet.scenarios import Scenario
from tests.e2e.plain_stack import PlainStack, TickedStory, free_ports, quiet_stack
from tests.qr import qr_codes

FRONTEND = "http://localhost:5173"


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlainStack]:
    directory = tmp_path_factory.mktemp("stack") / "local"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CORS_VARIABLE, FRONTEND)
        with quiet_stack(directory, free_ports()).running() as running:
            yield running


@pytest.mark.parametrize(("origin", "may"), [(FRONTEND, True), ("http://localhost:5174", False)])
def test_a_frontend_that_was_named_may_call_the_api(stack: PlainStack, origin: str, may: bool) -> None:
    with urlopen(Request(f"{stack.at.api}/sponsor/status", headers={"Origin": origin})) as answer:
        assert (answer.headers["Access-Control-Allow-Origin"] == origin) is may


def test_looking_around_leaves_the_story_its_requests(stack: PlainStack) -> None:
    """They come from one address."""
    for _ in range(100):
        with urlopen(f"{stack.at.api}/sponsor/status") as answer:
            assert answer.status == 200


def test_whoever_tries_to_open_a_gift_may_try_as_often_as_they_like(stack: PlainStack) -> None:
    """The story has used up a part of what one address may have sponsored in an hour elsewhere."""
    gift = {"chainId": 31337, "timelockId": "1", "skipSwap": False, "recipient": "0x" + "11" * 20}
    body = json.dumps({**gift, "nonce": "0", "deadline": 9_999_999_999, "signature": "0x" + "22" * 65}).encode()
    request = Request(f"{stack.at.api}/sponsor/gift-withdraw", body, {"Content-Type": "application/json"})
    for _ in range(30):
        with pytest.raises(HTTPError) as refused:
            urlopen(request)
        assert refused.value.code == 403  # and never 429


def test_the_first_account_of_the_chain_has_ether(stack: PlainStack) -> None:
    """Of the phrase in docs/demo.md, which wallets take."""
    first = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
    assert stack.anvil.rpc("eth_accounts")[0] == first
    assert int(stack.anvil.rpc("eth_getBalance", first, "latest"), 16) > 10**18


def test_what_a_page_is_made_of_fills_no_terminal(stack: PlainStack) -> None:
    """The log of the part has each request."""
    terminal, log = stack.directory.parent / "terminal.log", stack.directory / "logs" / "api.log"
    for path in ("gifts/assets/of-the-page.js", "nowhere"):
        with pytest.raises(HTTPError):
            urlopen(f"{stack.at.api}/{path}")
    stack.supervisor.wait_until(lambda: "unmatched" in terminal.read_text(), "the last request on the terminal")
    assert "/gifts/assets/" in log.read_text()
    assert "/gifts/assets/" not in terminal.read_text()


# -- the gift that the demo leaves: sealed in a browser, with its printables, or without one ------------------------


def recipient_of(stack: PlainStack, link: str) -> str:
    """On chain, of the gift that a link names."""
    id = int(link.partition("?")[0].rpartition("/")[2])
    scenario = Scenario(stack.anvil, stack.deployment)
    details = scenario.read("TimelockERC20", stack.deployment.timelock_erc20, "getTimelockDetails", id)
    assert (details[8], details[9], details[11]) == (2, 2, "Gift")
    return str(details[10]).lower()


def test_without_a_browser_the_gift_is_sealed_and_its_key_is_told(stack: PlainStack) -> None:
    gift = leave_gift(stack, None)
    assert list(gift.printables) == []
    assert recipient_of(stack, gift.link) == Account.from_key(gift.key).address.lower()


def test_with_a_browser_the_three_printables_are_saved(stack: PlainStack) -> None:
    """And the key on the sheet is that of the gift; the card leads to it."""
    chromium = find_chromium()
    if chromium is None:
        pytest.skip("chromium is not installed: the demo's printables were not drawn")
    gift = leave_gift(stack, chromium)
    sheet, card, record = (Image.open(path) for path in gift.printables)
    assert [path.name for path in gift.printables] == ["key-sheet.png", "gift-card.png", "gift-record.png"]
    codes = {found.text for found in qr_codes(sheet)}
    address = Account.from_key(gift.key).address
    assert {each.partition("?")[0] for each in codes} == {gift.key, f"{stack.at.api}/gifts/for/{address}"}
    assert [found.text for found in qr_codes(card)] == [gift.link]
    assert record.size == (1700, 2200)
    assert recipient_of(stack, gift.link) == address.lower()
    assert str(LETTER["note"]) not in gift.link


def test_gift_record_has_a_price_of_the_day_of_sealing(stack: PlainStack) -> None:
    """The demo moves the chain's clock by months, and the service has read its prices before."""
    if find_chromium() is None:
        pytest.skip("chromium is not installed: the demo's printables were not drawn")
    story = TickedStory(stack)
    story.scenario.advance(300 * DAY)
    words = story._leave_gift()
    assert story.gift is not None
    assert f"with a value of {story.gift.value} by a price of that day" in words


def test_a_create_page_that_is_not_there_is_told_at_once(stack: PlainStack, monkeypatch: pytest.MonkeyPatch) -> None:
    chromium = find_chromium()
    if chromium is None:
        pytest.skip("chromium is not installed")
    monkeypatch.setattr(gift_to_open, "PREFIX", "elsewhere")
    with pytest.raises(NotSeen, match="elsewhere/create answered 404"):
        leave_gift(stack, chromium)
