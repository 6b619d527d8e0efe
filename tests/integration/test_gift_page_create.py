"""The page for givers, from the sheet to the keepsake, in Chromium over a real chain: what it seals, keeps and says."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import pytest_asyncio
from eth_abi.abi import decode
from eth_account import Account
from playwright.async_api import Page, expect

from reminder_worker.gifts.claim_link import decode_letter
from tests.integration.gift_page_browser import InjectedWallet, PageVisitor, Visit
from tests.integration.gift_page_giver_steps import (
    COVER,
    LETTER,
    NO_PRINTER_AND_NO_DOWNLOADS,
    NOTE,
    RECORD_WORDS,
    SECRET,
    code,
    created,
    expect_at,
    fill_in,
    key_on_sheet,
    open_page,
    saved,
    seal,
    type_from_paper,
    wallet_at_the_page,
)
from tests.integration.gift_page_world import ETHER, PREFIX, USDC, GiftWorld
from tests.unit.gifts.test_page_languages import read_messages

pytestmark = pytest.mark.asyncio(loop_scope="session")

EMAIL = "wilhelmina.qwyx@post.example.org"
TELL_THEM = "Tell them yourself that it is from you: nobody checks the names."


@pytest_asyncio.fixture(loop_scope="session")
async def wallet(gift_world: GiftWorld, visitor: PageVisitor) -> InjectedWallet:
    return await wallet_at_the_page(gift_world, visitor)


@pytest.mark.own_browser
async def test_from_the_sheet_to_the_keepsake(
    gift_world: GiftWorld, visitor: PageVisitor, wallet: InjectedWallet
) -> None:
    """A gift sealed to a printed key: the sheet's codes lead to it and open it, the recipient is told, the browser can
    make link and card again; and the key was in no request, storage, console line or history."""
    page, world = visitor.page, gift_world
    await fill_in(page)
    await page.get_by_role("button", name="Continue").click()
    sheet = await saved(page, "Key sheet")
    key, entry = code(sheet.crop(SECRET)), code(sheet.crop(COVER))
    address = Account.from_key(key).address
    assert [round(dots, 1) for dots in sheet.info["dpi"]] == [200.0, 200.0]
    assert await page.get_by_role("button", name="Seal the gift").is_disabled()  # before it is said to be printed
    await seal(page, key)
    assert await page.locator("figure").filter(has_text="Key sheet").count() == 0

    swap, tokens, _, _, duration, recipient, name, gift_name = created(wallet)
    weth = world.scenario.deployment.weth
    assert (swap[0], swap[1], tokens) == (weth.lower(), ETHER * 3 // 2, ())
    assert (recipient, name, gift_name) == (address.lower(), "Gift", "")
    assert int(wallet.asked("eth_sendTransaction")[-1][0]["chainId"], 16) == world.api.chain_id  # nowhere else
    assert 5 * 365 * 86_400 <= duration + 86_400 <= 5 * 366 * 86_400  # the occasion proposed five years
    details = world.scenario.read("TimelockERC20", world.scenario.deployment.timelock_erc20, "getTimelockDetails", 1)
    assert (details[1], details[8], details[9], details[11]) == ((ETHER * 3 // 2,), 2, 2, "Gift")

    link = await page.locator("#claim-link").inner_text()
    assert link.startswith(f"{world.origin}/{PREFIX}/{world.api.chain_id}/1?o=birthday&paper=1#g=")
    assert decode_letter(link.partition("#g=")[2]) == replace(LETTER, language="en")
    assert entry == f"{world.origin}/{PREFIX}/for/{address}?o=birthday&paper=1#{link.partition('#')[2]}"
    assert code(await saved(page, "Gift card")) == link
    transaction = world.scenario.anvil.rpc("eth_getBlockByNumber", "latest", False)["transactions"][-1]
    assert code(await saved(page, "Gift record")).endswith(transaction), "the sealing transaction, and no key"

    await world.api.parts.chain_indexes[world.api.chain_id].run()
    await page.locator("[name=notifyEmail]").fill(EMAIL)
    await page.get_by_role("button", name="Have them told").click()
    await expect(page.get_by_role("status").first).to_have_text("They will be told.")
    assert len(await world.api.sql("select 1 from worker.gift_notification")) == 1

    kept = await page.evaluate("() => ({ ...localStorage })")
    payload = link.partition("#g=")[2]
    name = f"gift-keepsake:{world.api.chain_id}:1"
    assert {key: json.loads(value) for key, value in kept.items()} == {
        name: {"payload": payload, "occasion": "birthday", "card": "paper"}
    }
    await page.goto(f"{world.origin}/{PREFIX}/create")
    await page.get_by_role("button", name="Show Birthday for Wilhelmina Qwyx, gift 1").click()
    assert await page.locator("#claim-link").inner_text() == link
    assert code(await saved(page, "Gift card")) == link

    everything = await visitor.everything()
    for secret in (key, key[2:], key[2:34], key[34:], *(key[place : place + 16] for place in range(2, 66, 16))):
        assert secret.lower() not in everything.lower()
    assert bytes.fromhex(key[2:]).decode("latin-1") not in everything
    assert EMAIL not in await visitor.stored()
    for sent in visitor.wire.sent:  # the letter goes nowhere but into what the recipient is to be told
        assert sent.url.endswith("/gift/notify") or NOTE.encode() not in sent.head + sent.body
        assert sent.url.endswith("/gift/notify") or payload.encode() not in sent.head + sent.body
    assert visitor.foreign(world.origin) == []
    assert (visitor.violations, visitor.faults) == ([], [])

    await page.get_by_role("button", name="Forget Birthday").click()
    assert await page.evaluate("localStorage.length") == 1  # the second press does it
    await page.get_by_role("button", name="Forget Birthday").click()
    assert await page.evaluate("localStorage.length") == 0


async def test_tokens_are_approved_exactly_and_sealed_for_a_wallet(
    gift_world: GiftWorld, visitor: PageVisitor, wallet: InjectedWallet
) -> None:
    """The other lane: first an approval of exactly the amount; no sheet and no key."""
    page, scenario = visitor.page, gift_world.scenario
    usdc, router, ada = scenario.deployment.usdc, scenario.deployment.time_lock_router, gift_world.person("ada")
    scenario.mint(usdc, gift_world.giver.address, 1000 * USDC)
    await fill_in(page, give="USDC", amount="40.25")
    await page.get_by_label("With a wallet they have").check()
    await page.get_by_label("The address of their wallet").fill(ada.address.lower())
    await page.get_by_role("button", name="Continue").click()
    review = page.locator(".review")
    await expect(review).to_contain_text("40.25 USDC")
    await expect(review).to_contain_text(f"The wallet {ada.address}.")
    assert wallet.asked("eth_sendTransaction") == []  # before it was read
    await page.get_by_role("button", name="Seal the gift").click()
    await expect(page.get_by_role("status").first).to_contain_text("is sealed")
    approval, _ = (params[0] for params in wallet.asked("eth_sendTransaction"))
    assert approval["to"].lower() == usdc.lower()
    assert decode(["address", "uint256"], bytes.fromhex(approval["data"][10:])) == (router.lower(), 40_250_000)
    swap, tokens, _, _, _, recipient, name, gift_name = created(wallet)
    assert (int(swap[0], 16), swap[1], tokens) == (0, 0, ((usdc.lower(), 40_250_000),))
    assert (recipient, name, gift_name) == (ada.address.lower(), "Gift", "")
    link = await page.locator("#claim-link").inner_text()
    assert "paper=1" not in link


async def test_the_review_shows_the_whole_gift_in_each_way_of_opening_it(
    gift_world: GiftWorld, visitor: PageVisitor, wallet: InjectedWallet
) -> None:
    """Card, names, letter, amount, worth, day and zone, years until the day, who can open the gift, the fee. Without a
    price there is no worth."""
    page, ada = visitor.page, gift_world.person("ada").address
    price = {"chainId": gift_world.api.chain_id, "symbol": "ETH", "usd": "2508.84", "stale": False, "roundId": "42"}
    at = datetime.fromtimestamp(gift_world.scenario.anvil.now(), UTC)
    prices = [price | {"updatedAt": at.isoformat()}]
    await page.route("**/stats/prices*", lambda route: route.fulfill(json={"prices": prices}))
    for way, whose, worth in (
        ("With a printed key", "without it the gift is lost", True),
        ("With a wallet they have", f"The wallet {ada}. Only it can open the gift: if that wallet is lost,", False),
    ):
        await fill_in(page)
        await page.get_by_label(way).check()
        if way == "With a wallet they have":
            prices.clear()
            await page.get_by_label("The address of their wallet").fill(ada)
        await page.get_by_role("button", name="Continue").click()
        review = page.locator(".review")
        await expect(review.get_by_role("img", name="Gift card, as it will be printed")).to_be_visible()
        length = "It stays sealed for 5 years."
        for words in (LETTER.to, LETTER.giver, NOTE, "1.5 ETH, on ", whose, "You pay it in ETH.", length, TELL_THEM):
            await expect(review).to_contain_text(words)
        await expect(review).to_contain_text(re.compile(r"\d{4} at .* Coordinated Universal Time, in your"))
        await expect(review.get_by_text("About $3,763.26, by the newest price")).to_have_count(int(worth))
        await expect(page.get_by_text("Once it is sealed, nothing of this can be changed.")).to_be_visible()
        await page.get_by_role("button", name="Change something").click()
    assert (visitor.violations, visitor.faults) == ([], [])


async def test_the_page_begins_with_what_sealing_is_and_draws_the_card_as_it_is_written(
    gift_world: GiftWorld, visitor: PageVisitor
) -> None:
    page, own = visitor.page, read_messages("en")
    await page.goto(f"{gift_world.origin}/{PREFIX}/create")
    for name in ("intro-what", "intro-costs", "intro-final"):
        await expect(page.get_by_text(own[name])).to_be_visible()
    card = page.locator(".preview canvas")
    await card.wait_for()  # also before a wallet is connected
    empty = await card.evaluate("(card) => card.toDataURL()")
    await wallet_at_the_page(gift_world, visitor)
    await fill_in(page)
    changed = "(before) => ![null, before].includes(document.querySelector('.preview canvas')?.toDataURL() ?? null)"
    await page.wait_for_function(changed, arg=empty)
    await page.get_by_label("Your message").fill("line\n" * 100)
    await expect(page.locator(".preview")).to_contain_text("too many lines for the card")
    assert (visitor.violations, visitor.faults) == ([], [])


async def test_the_counter_of_a_message_says_what_fits_in_its_own_script(
    gift_world: GiftWorld, visitor: PageVisitor, wallet: InjectedWallet
) -> None:
    """The code of a key sheet holds bytes. The last character that is allowed is printed, the next refused."""
    page, said = visitor.page, visitor.page.get_by_role("status").first
    note, go_on = page.get_by_label("Your message"), page.get_by_role("button", name="Continue")
    await fill_in(page, note="")
    for letter, fewer in (("x", False), ("あ", True), ("\U0001f382", True)):
        await note.fill(letter * 10)
        counted = re.fullmatch(r"10 of at most (\d+) characters", await page.locator("#room").inner_text())
        assert counted
        most = int(counted[1])
        assert (most < 500) == fewer
        await note.fill(letter * (most + 1))
        await expect(page.locator("#room")).to_have_text(f"{most + 1} of at most {most} characters")
        await go_on.click()
        if fewer:
            await expect(said).to_contain_text("too long for the code on the sheet")
        else:
            await expect_at(page, "note", "at most")
        await note.fill(letter * most)
        await go_on.click()
        await page.get_by_role("button", name="Change something").click()
    await note.fill("あ" * 300)
    await page.get_by_label("With a wallet they have").check()
    await expect(page.locator("#room")).to_have_text("300 of at most 500 characters")  # there is no sheet


async def test_an_amount_is_read_in_the_givers_language_or_refused(gift_world: GiftWorld, visit: Visit) -> None:
    """With a comma in German. What others read as a thousand times as much is asked again, in every language."""
    visitor = await visit(locale="de-DE")
    page, own = visitor.page, read_messages("de")
    gift_world.scenario.anvil.set_balance(gift_world.giver.address, 2000 * ETHER)
    await wallet_at_the_page(gift_world, visitor)
    go_on = page.get_by_role("button", name=own["form-continue"])
    readings = own["form-two-readings"].replace("{ $", "{").replace(" }", "}")
    refusal = own["form-bad-amount"].replace("{ $", "{").replace(" }", "}")
    bad = refusal.format(symbol="ETH", example="1,5", decimals=18)
    for amount, words in (
        ("1,000", readings.format(typed="1,000", thousands="1000", small="1,0000")),
        ("12.345", readings.format(typed="12.345", thousands="12345", small="12,3450")),
        ("1.000,5", bad),
        ("1,000,000", bad),
        (",", bad),
    ):
        await fill_in(page, amount=amount)
        await go_on.click()
        await expect_at(page, "amount", words)
    for amount, read in (
        ("0,1", "0,1 ETH"),
        ("1.5", "1,5 ETH"),
        ("0,125", "0,125 ETH"),
        ("1,2340", "1,234 ETH"),
        ("1000", "1000 ETH"),
    ):
        await fill_in(page, amount=amount)
        await go_on.click()
        await expect(page.locator(".review")).to_contain_text(read)
        await expect(page.locator(".review")).to_contain_text(own["review-for-paper"])
        await page.get_by_role("button", name=own["review-change"]).click()
    assert (visitor.violations, visitor.faults) == ([], [])


async def test_an_address_that_would_lose_the_gift_is_refused_at_its_field(
    gift_world: GiftWorld, visitor: PageVisitor, wallet: InjectedWallet
) -> None:
    """Nobody's, the protocol's contracts, tokens, one with a wrong letter. What is typed anew is judged anew."""
    page, it = visitor.page, gift_world.scenario.deployment
    await fill_in(page)
    await page.get_by_label("With a wallet they have").check()
    ada = gift_world.person("ada").address
    at = next(place for place in range(2, 42) if ada[place].isalpha())
    for typed, words in (
        ("0x1234", "This is not the address of a wallet."),
        (ada[:at] + ada[at].swapcase() + ada[at + 1 :], "A letter or a digit of this address is wrong."),
        ("0x" + "0" * 40, "Nobody has the key to this address"),
        *((each, "This is the address of a contract") for each in (it.weth, it.usdc, it.time_lock_router)),
        *((each, "This is the address of a contract") for each in (it.timelock_erc20, it.timelock_erc1155)),
        (it.multisig_legacy_router, "This is the address of a contract"),
    ):
        await page.locator("[name=address]").fill(typed)
        await page.get_by_role("button", name="Continue").click()
        await expect_at(page, "address", words)
    await page.locator("[name=address]").fill(ada)
    await expect(page.locator("#address-wrong")).to_have_count(0)
    await expect(page.locator("[name=address]")).to_have_accessible_description("")
    assert (wallet.asked("eth_sendTransaction"), visitor.violations, visitor.faults) == ([], [], [])


STOPS, ANSWERS = "0x00", "0x5f5f5260205ff3"
# These refuse with a reason: only by ERC-1271 as a smart wallet does, whatever is called, and with what was called.
REFUSES_A_SIGNATURE = "0x5f3560e01c631626ba7e146011575f5ffd5b63deadbeef5f5260205ffd"
REFUSES_ALL, REFUSES_BY_NAME = "0x63deadbeef5f5260205ffd", "0x5f355f5260205ffd"
DELEGATES = "0xef0100" + "11" * 20  # an account with a key (EIP-7702)


async def test_ones_own_address_and_a_bare_contract_are_asked_once_more(
    gift_world: GiftWorld, visitor: PageVisitor, wallet: InjectedWallet
) -> None:
    """In words, before the review. A smart wallet that answers by ERC-1271, or refuses with a reason of its own, is as
    good as an account with a key."""
    page, anvil, contract = visitor.page, gift_world.scenario.anvil, "0x" + "7" * 40
    asked = page.get_by_role("group", name="Is this address right?")
    await fill_in(page)
    await page.get_by_label("With a wallet they have").check()
    for address, put, words in (
        (gift_world.giver.address, None, "This is your own address."),
        (contract, STOPS, "There is a program at this address"),
        (contract, ANSWERS, None),
        (contract, REFUSES_A_SIGNATURE, None),
        (contract, REFUSES_ALL, "There is a program at this address"),
        (contract, REFUSES_BY_NAME, "There is a program at this address"),
        (contract, DELEGATES, None),
        (contract, "0x", None),
    ):
        if put is not None:
            anvil.set_code(contract, put)
        await page.locator("[name=address]").fill(address)
        await page.get_by_role("button", name="Continue").click()
        if words is not None:
            await expect(asked).to_contain_text(words)
            await expect(asked).to_contain_text(address)
            await expect(page.locator(".review")).to_have_count(0)
            await page.get_by_role("button", name="Yes, it is right").click()
        await expect(page.locator(".review")).to_contain_text(f"The wallet {address}.")
        await page.get_by_role("button", name="Change something").click()
    assert (wallet.asked("eth_sendTransaction"), visitor.violations, visitor.faults) == ([], [], [])


async def test_more_than_the_wallet_has_is_refused_before_a_key_is_printed(
    gift_world: GiftWorld, visitor: PageVisitor, wallet: InjectedWallet
) -> None:
    """Ether with the fee, a token, and a token without ether for the fee; what is left after the fee can be given. The
    key of a delegated account pays the fee, too; of a smart wallet somebody else may."""
    page, scenario, giver = visitor.page, gift_world.scenario, gift_world.giver.address
    for script in (SHARING, RECORD_WORDS):
        await visitor.context.add_init_script(script)
    await open_page(gift_world, page)
    scenario.mint(scenario.deployment.usdc, giver, 40 * USDC)
    for give, amount, ether, own_code, words in (
        ("ETH", "99999999", 2 * ETHER, "0x", "Your wallet has 2 ETH."),
        ("ETH", "2", 2 * ETHER, "0x", "The gift and the network fee of at most"),
        ("ETH", "2", 2 * ETHER, DELEGATES, "The gift and the network fee of at most"),
        ("USDC", "40.5", 2 * ETHER, "0x", "Your wallet has 40 USDC."),
        ("USDC", "40", 0, "0x", "The network fee is paid in ETH"),
    ):
        scenario.anvil.set_balance(giver, ether)
        scenario.anvil.set_code(giver, own_code)
        await fill_in(page, give=give, amount=amount)
        await page.get_by_role("button", name="Continue").click()
        await expect_at(page, "amount", words)
        await expect(page.locator(".pages")).to_have_count(0)
    scenario.anvil.set_balance(giver, 2 * ETHER)
    for give, amount in (("ETH", "1.9"), ("USDC", "40")):
        await fill_in(page, give=give, amount=amount)
        await page.get_by_role("button", name="Continue").click()
        await seal(page, await key_on_sheet(page))
        await page.get_by_role("button", name="Share the link").click()
        await page.get_by_role("button", name="Seal another gift").click()
    assert all(int(receipt["gasUsed"], 16) < 600_000 for receipt in last_receipts(gift_world))  # the fee's bound holds


def last_receipts(world: GiftWorld) -> list[dict[str, str]]:
    """Return the receipts of the newest three blocks: two gifts and an approval."""
    rpc, head = world.scenario.anvil.rpc, int(world.scenario.anvil.rpc("eth_blockNumber"), 16)
    hashes = [
        each for at in range(head - 2, head + 1) for each in rpc("eth_getBlockByNumber", hex(at), False)["transactions"]
    ]
    return [rpc("eth_getTransactionReceipt", each) for each in hashes]


async def test_what_cannot_be_pressed_says_why(gift_world: GiftWorld, visitor: PageVisitor) -> None:
    page = visitor.page
    await page.goto(f"{gift_world.origin}/{PREFIX}/create")
    go_on = page.get_by_role("button", name="Continue")
    await expect(go_on).to_be_disabled()
    await expect(go_on).to_have_accessible_description(re.compile("connect your wallet first"))
    await wallet_at_the_page(gift_world, visitor)
    await expect(go_on).to_have_accessible_description("")
    await fill_in(page)
    await go_on.click()
    seal_it = page.get_by_role("button", name="Seal the gift")
    await expect(seal_it).to_have_accessible_description(re.compile("print the sheet first"))


async def test_a_wallet_that_declines_costs_nothing_and_the_sheet_stays_good(
    gift_world: GiftWorld, visitor: PageVisitor, wallet: InjectedWallet
) -> None:
    page = visitor.page
    await fill_in(page)
    await page.get_by_role("button", name="Continue").click()
    key = code((await saved(page, "Key sheet")).crop(SECRET))
    wallet.declines.add("eth_sendTransaction")
    await type_from_paper(page, key)
    await page.get_by_role("button", name="Seal the gift").click()
    await expect(page.get_by_role("status").first).to_have_text("The wallet declined. Nothing was sent.")
    assert await page.evaluate("localStorage.length") == 0
    wallet.declines.clear()
    await page.get_by_role("button", name="Seal the gift").click()
    await expect(page.get_by_role("status").first).to_contain_text("is sealed")
    assert created(wallet)[5] == Account.from_key(key).address.lower()


async def test_a_page_prints_at_its_true_size_and_alone(visitor: PageVisitor, wallet: InjectedWallet) -> None:
    page = visitor.page
    await fill_in(page)
    await page.get_by_role("button", name="Continue").click()
    await page.locator("figure").get_by_role("button", name="Print").click()
    assert await page.evaluate("window.printed") == 1
    await page.emulate_media(media="print")
    await page.evaluate("scrollTo(0, 0)")
    box = await page.locator(".print-page canvas").bounding_box()
    assert box == {"x": 0, "y": 0, "width": 8.5 * 96, "height": 11 * 96}
    assert await page.get_by_role("heading", name="Seal a gift").is_visible() is False
    pdf = await page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1
    assert re.findall(rb"/MediaBox\s*\[([^]]*)\]", pdf) == [b"0 0 612 792"]
    await page.emulate_media(media="screen")
    await page.get_by_label("It is printed").check()
    assert await page.locator(".print-page").count() == 0  # the copy with the key is gone
    assert await page.get_by_role("heading", name="Seal a gift").is_visible()


SHARING = """window.shared = [];
navigator.canShare = ({ files }) => files.every(({ type }) => type === "image/png");
navigator.share = async ({ files, url }) => { shared.push(files ? files[0].name : url); };
"""


async def test_without_print_and_downloads_a_key_is_typed_from_paper_and_the_link_is_taken_along(
    gift_world: GiftWorld, visitor: PageVisitor, wallet: InjectedWallet
) -> None:
    """In a browser inside a wallet app: the page says so, shares the picture, asks for two groups of the key before any
    transaction, and lets nobody leave who has not taken the link."""
    page = visitor.page
    for script in (NO_PRINTER_AND_NO_DOWNLOADS, SHARING, RECORD_WORDS):
        await visitor.context.add_init_script(script)
    await open_page(gift_world, page)
    await fill_in(page)
    await page.get_by_role("button", name="Continue").click()
    sheet, seal_it = page.locator(".pages figure"), page.get_by_role("button", name="Seal the gift")
    await sheet.get_by_role("button", name="Print").click()
    await expect(sheet.get_by_text("This browser cannot print")).to_be_visible()
    await expect(sheet.locator(".address")).to_have_text(f"{gift_world.origin}/{PREFIX}/create")
    await sheet.get_by_role("button", name="Share it").click()
    await sheet.get_by_role("button", name="Save as PNG").click()
    await expect(sheet.get_by_text("this browser cannot save files")).to_be_visible()
    assert await page.evaluate("window.shared") == ["key-sheet.png"]

    key = await key_on_sheet(page)
    await type_from_paper(page, "0x" + "".join("0" if digit != "0" else "1" for digit in key[2:]))
    await expect(sheet).to_be_hidden()  # or the groups could be read from the screen
    for field in await page.locator(".typed input").all():
        number = int((await field.get_attribute("aria-label") or "").split()[1])
        place = f"Row {(number + 3) // 4}, number {(number - 1) % 4 + 1} from the left"
        await expect(field).to_have_accessible_description(re.compile(place))
    await expect(page.get_by_role("alert").filter(has_text="of the key. Please look at the paper")).to_be_visible()
    await expect(seal_it).to_be_disabled()
    await type_from_paper(page, key)
    assert wallet.asked("eth_sendTransaction") == []
    await seal_it.click()

    await expect(page.get_by_text("before you leave this page")).to_be_visible()
    await expect(page.get_by_role("button", name="Seal another gift")).to_be_hidden()
    async with page.expect_event("dialog") as warned:
        await page.close(run_before_unload=True)
    dialog = await warned.value
    assert dialog.type == "beforeunload"
    await dialog.dismiss()
    await page.get_by_role("button", name="Save the link as a file").click()
    await expect(page.get_by_role("button", name="Seal another gift")).to_be_hidden()  # nobody has seen the file
    await page.get_by_role("button", name="Share the link").click()
    await expect(page.get_by_text("before you leave this page")).to_be_hidden()
    await expect(page.get_by_role("button", name="Seal another gift")).to_be_visible()
    link = await page.locator("#claim-link").inner_text()
    assert (await page.evaluate("window.shared"))[1:] == [link]
    for title in ("Gift card", "Gift record"):
        figure = page.locator("figure").filter(has_text=title)
        await figure.get_by_role("button", name="Print").click()
        await expect(figure.get_by_text("This browser cannot print")).to_be_visible()
    await page.reload()
    await expect(page.get_by_role("button", name="Show Birthday")).to_be_visible()
    assert (visitor.violations, visitor.faults) == ([], [])


@pytest.mark.parametrize(
    ("storage", "told"),
    [
        ("navigator.storage.persisted = async () => false", "perhaps not for long"),
        ("navigator.storage.persisted = async () => true", "until its data is deleted"),
        ("delete Navigator.prototype.storage", "perhaps not for long"),
        ("Storage.prototype.setItem = () => { throw new Error(); }", "does not remember the links"),
    ],
)
async def test_the_page_says_how_long_this_browser_remembers_links(
    gift_world: GiftWorld, visitor: PageVisitor, storage: str, told: str
) -> None:
    await visitor.context.add_init_script(storage)
    await visitor.page.goto(f"{gift_world.origin}/{PREFIX}/create")
    await expect(visitor.page.get_by_text(told)).to_be_visible()


TIME_ZONE = "America/St_Johns"  # whose offset is no whole hours


async def test_days_are_chosen_in_the_givers_own_time_zone(gift_world: GiftWorld, visit: Visit) -> None:
    """When it opens, to the minute; when the recipient is told, in the database, and said back in words."""
    here, now = ZoneInfo(TIME_ZONE), datetime.fromtimestamp(gift_world.scenario.anvil.now(), UTC)
    opens = (now.astimezone(here) + timedelta(days=12)).replace(hour=9, minute=30, second=0)
    told = (opens - timedelta(days=5)).replace(hour=18, minute=45)
    visitor = await visit(timezone_id=TIME_ZONE, locale="en-GB")
    page, wallet = visitor.page, InjectedWallet(gift_world.scenario, gift_world.giver, "Giver's wallet")
    await visitor.has(wallet)
    await open_page(gift_world, page)
    await seal_for_a_wallet(page, gift_world, opens)
    sealed = page.locator("ul.kept li")
    await expect(sealed).to_contain_text(["Birthday for Wilhelmina Qwyx, gift 1"])
    await expect(sealed).to_contain_text("1.5 ETHSealed. It opens on ")
    facts = await gift_world.api.request("GET", f"/gift/{gift_world.api.chain_id}/1")
    assert abs(datetime.fromisoformat(facts.body["unlockAt"]) - opens) < timedelta(minutes=1)
    await choose_day(page, f"{told:%Y-%m-%dT%H:%M}")
    said = page.get_by_role("status").first
    await expect(said).to_contain_text("They will be told on")
    await expect(said).to_contain_text(f"{told.day} {told:%B} {told.year} at 18:45 GMT")
    rows = await gift_world.api.sql("select kind, next_try from worker.gift_ledger")
    assert {row.kind: row.next_try for row in rows}["gift_waiting"] == told.astimezone(UTC)
    reminders = await gift_world.api.sql("select next_kind from worker.gift_reminder")
    assert [row.next_kind for row in reminders] == ["gift_reminder_30"]
    assert len(await gift_world.api.sql("select 1 from worker.gift_giver")) == 1
    assert (visitor.violations, visitor.faults) == ([], [])


async def seal_for_a_wallet(page: Page, world: GiftWorld, opens: datetime) -> None:
    """A gift that opens then, by the clock on the wall; indexed."""
    await fill_in(page)
    await page.locator("[name=opensOn]").fill(f"{opens:%Y-%m-%dT%H:%M}")
    await page.get_by_label("With a wallet they have").check()
    await page.get_by_label("The address of their wallet").fill(world.person("ada").address)
    await page.get_by_role("button", name="Continue").click()
    await expect(page.locator(".review")).to_contain_text(f"{opens.day} {opens:%B} {opens.year} at 09:30 Newfoundland ")
    await page.get_by_role("button", name="Seal the gift").click()
    await expect(page.get_by_role("status").first).to_contain_text("is sealed")
    await expect(page.get_by_text("This wallet has sealed nothing so far.")).to_be_hidden()  # before the index has it
    await world.api.parts.chain_indexes[world.api.chain_id].run()


async def choose_day(page: Page, day: str) -> None:
    """To have the recipient told then, as the giver's clock shows it."""
    await page.locator("[name=notifyEmail]").fill(EMAIL)
    await page.locator("[name=timing]").select_option("scheduled")
    await page.get_by_label("Tell them on").fill(day)
    await page.get_by_label("Remind them 30, 90 and 365 days after it opens").check()
    own = page.get_by_label("Your own email address, if you like")
    await own.fill("giver@nowhere")
    await page.get_by_role("button", name="Have them told").click()
    await expect(page.get_by_text("This is no email address.")).to_be_visible()
    await own.fill("giver@example.org")
    await page.get_by_role("button", name="Have them told").click()
