"""The gift that the demo leaves for whoever watches: sealed in a browser, with its printables, or without one."""

from collections.abc import Iterator

import pytest
from eth_account import Account
from PIL import Image

from devnet import gift_to_open
from devnet.deploy import DAY
from devnet.evidence import NotSeen
from devnet.gift_to_open import LETTER, PRINTABLES, find_chromium, leave_gift
from devnet.scenarios import Scenario
from tests.e2e.plain_stack import PlainStack, TickedStory, free_ports, quiet_stack
from tests.qr import qr_codes


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlainStack]:
    directory = tmp_path_factory.mktemp("stack") / "local"
    with quiet_stack(directory, free_ports()).running() as running:
        yield running


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
    assert [path.name for path in gift.printables] == list(PRINTABLES.values())
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
    with pytest.raises(NotSeen, match="the create page answered 404"):
        leave_gift(stack, chromium)
