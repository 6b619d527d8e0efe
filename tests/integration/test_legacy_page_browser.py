"""The page of a legacy in a browser: its owner says "I am well" and saves papers, its heirs look and claim, a Safe's
signer copies."""

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address
from playwright.async_api import Page, expect
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Legacy, Scenario
from devnet.steps import NOBODY
from tests.integration.gift_page_browser import PHONE, InjectedWallet, PageVisitor, Visit
from tests.integration.gift_page_giver_steps import PRINTER, RECORD_WORDS, code, saved
from tests.integration.gift_page_steps import nothing_amiss
from tests.integration.gift_page_world import ETHER, USDC, GiftWorld, open_gift_world
from tests.integration.test_gift_page_access import PageEyes
from tests.integration.test_gift_page_giver import until

pytestmark = pytest.mark.asyncio(loop_scope="session")
INACTIVITY = 180 * DAY


@pytest_asyncio.fixture(loop_scope="session")
async def world(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[GiftWorld]:
    async with open_gift_world(chain_scenario, engine, LEGACY_PAGES="true") as opened:
        yield opened


async def leave(world: GiftWorld, heir: LocalAccount, *, opened: bool = True, second: str | None = None) -> Legacy:
    """A legacy of 100 USDC and 1 ether for one heir, indexed; open, or not for half a year. `second`: in line."""
    s = world.scenario
    owner, usdc = s.account("owner"), s.deployment.usdc
    legacy = s.create_legacy(owner, {heir.address: 100}, second_line=second)
    s.mint(usdc, owner.address, 100 * USDC)
    s.approve(owner, usdc, legacy.address, 100 * USDC)
    s.anvil.set_balance(legacy.address, ETHER)
    await world.api.parts.chain_indexes[world.api.chain_id].run()
    if opened:
        s.advance(INACTIVITY + 1)
    return legacy


def address_of(world: GiftWorld, legacy: Legacy, fragment: str = "") -> str:
    return f"{world.origin}/legacies/{world.api.chain_id}/{legacy.address}{fragment}"


async def connect(visitor: PageVisitor, url: str, wallet: InjectedWallet) -> Page:
    await visitor.has(wallet)
    await visitor.page.goto(url)
    await visitor.page.get_by_role("button", name=f"Connect {wallet.name}").click()
    return visitor.page


async def test_an_heir_without_ether_sees_what_would_arrive_and_claims_it_by_a_signature(
    world: GiftWorld, visitor: PageVisitor
) -> None:
    """Looking signs nothing. The page says which name the wallet will show. The claim is followed to the final block,
    and all of it arrives."""
    heir, s = world.person("heir"), world.scenario
    legacy = await leave(world, heir)
    wallet = InjectedWallet(s, heir, "Heir's wallet", chain_id=1)
    page = await connect(visitor, address_of(world, legacy), wallet)
    await expect(page.get_by_role("heading", name="You are named in this legacy")).to_be_visible()
    await page.get_by_role("button", name="What would I get?").click()
    await expect(page.get_by_role("listitem").filter(has_text="100 USDC")).to_be_visible()
    await expect(page.get_by_role("listitem").filter(has_text="1 ETH")).to_be_visible()
    assert wallet.asked("eth_signTypedData_v4") == []
    foretold = await page.locator("#ways").inner_text()
    await page.get_by_role("button", name="Claim for free").click()
    await expect(page.get_by_role("heading", name="It is yours")).to_be_visible()
    await expect(page.get_by_text("100 USDC and 1 ETH arrived at")).to_be_visible()
    assert s.balance(s.deployment.usdc, heir.address) == 100 * USDC
    assert s.balance(None, heir.address) == ETHER
    ((_, signed),) = wallet.asked("eth_signTypedData_v4")
    assert '"primaryType":"ClaimAuth"' in signed
    assert json.loads(signed)["domain"]["name"] in foretold
    assert wallet.asked("eth_sendTransaction") == []
    nothing_amiss(visitor, world.origin)


async def test_where_the_relay_refuses_an_heir_reads_why_and_claims_by_a_transaction(
    world: GiftWorld, visitor: PageVisitor
) -> None:
    heir, s = world.scenario.account("heir"), world.scenario
    legacy = await leave(world, heir)
    s.disable_sponsored_claims(s.account("owner"), legacy)
    before = s.balance(s.deployment.usdc, heir.address)
    wallet = InjectedWallet(s, heir, "Heir's wallet")
    page = await connect(visitor, address_of(world, legacy), wallet)
    await page.get_by_role("button", name="What would I get?").click()
    await expect(page.get_by_text("The network fee of claims from this legacy is not paid for you.")).to_be_visible()
    assert await page.get_by_role("button", name="Claim for free").count() == 0
    await page.get_by_role("button", name="Claim, and pay the network fee myself").click()
    await expect(page.get_by_text("It is being made final")).to_be_visible()
    wallet.chain_id = 1  # its final blocks say nothing about this claim
    s.anvil.mine(2 * s.anvil.slots_in_an_epoch + 1)
    await asked_again(page, wallet, "eth_getBlockByNumber")
    await expect(page.get_by_text("It is being made final")).to_be_visible()
    wallet.chain_id = s.anvil.chain_id
    await expect(page.get_by_role("heading", name="It is yours")).to_be_visible()
    assert s.balance(s.deployment.usdc, heir.address) - before == 100 * USDC
    ((sent,),) = wallet.asked("eth_sendTransaction")
    assert int(sent["chainId"], 16) == s.anvil.chain_id
    assert wallet.asked("eth_signTypedData_v4") == []
    nothing_amiss(visitor, world.origin)


async def asked_again(page: Page, wallet: InjectedWallet, method: str) -> None:
    """Two more calls: the page has made something of the answer to the first."""
    before = len(wallet.asked(method))
    await until(lambda: len(wallet.asked(method)) >= before + 2, page)


@pytest.mark.parametrize("premium", [True, False])
async def test_an_owner_says_i_am_well_and_sees_the_new_day_at_once(
    world: GiftWorld, visitor: PageVisitor, premium: bool
) -> None:
    """By one signature with Premium, else by one transaction. The day is called final once it is.

    The old days of later lines are not shown any more.
    """
    s, owner = world.scenario, world.scenario.account("owner")
    if premium:
        s.subscribe_premium(owner)
    legacy = await leave(world, world.person("heir"), opened=False, second=world.person("later").address)
    s.advance(30 * DAY)
    wallet = InjectedWallet(s, owner, "Owner's wallet")
    page = await connect(visitor, address_of(world, legacy), wallet)
    await expect(page.get_by_role("heading", name="This legacy is yours")).to_be_visible()
    await expect(page.get_by_text("The second in line may claim from")).to_be_visible()
    world.following.clear()
    old = await page.locator("#state .when").text_content()
    await page.get_by_role("button", name="I am well", exact=True).click()
    await expect(page.get_by_text("It is being made final.").first).to_be_visible()
    assert await page.locator("#state .when").text_content() != old
    await expect(page.get_by_text("The second in line may claim from")).to_be_hidden()
    world.following.set()
    if not premium:
        s.anvil.mine(2 * s.anvil.slots_in_an_epoch + 1)
    await expect(page.get_by_text("It is final.")).to_be_visible()
    first, *_ = s.read("TransferEOALegacy", legacy.address, "getTriggerActivationTimestamp")
    assert first > s.anvil.now() + INACTIVITY - DAY
    assert (len(wallet.asked("eth_signTypedData_v4")), len(wallet.asked("eth_sendTransaction"))) == (
        (1, 0) if premium else (0, 1)
    )
    nothing_amiss(visitor, world.origin)


async def test_a_sign_of_life_that_was_not_sent_in_time_leaves_the_old_days(
    world: GiftWorld, visitor: PageVisitor
) -> None:
    s, owner = world.scenario, world.scenario.account("owner")
    s.subscribe_premium(owner)
    legacy = await leave(world, world.person("heir"), opened=False, second=world.person("later").address)
    s.advance(30 * DAY)
    world.following.clear()
    page = await connect(visitor, address_of(world, legacy), InjectedWallet(s, owner, "Owner's wallet"))
    old = [await page.locator(part).text_content() for part in ("#state", "#lines")]
    now = {"id": "1", "status": "expired", "waitsFor": None, "txHash": None, "error": None}
    await page.route("**/sponsor/requests/*/events", lambda route: route.abort())
    await page.route("**/sponsor/requests/*", lambda route: route.fulfill(json=now))
    await page.get_by_role("button", name="I am well", exact=True).click()
    await expect(page.get_by_text("so nothing has happened. Please try again.")).to_be_visible()
    await expect(page.get_by_text("The second in line may claim from")).to_be_visible()
    assert [await page.locator(part).text_content() for part in ("#state", "#lines")] == old


async def test_an_owner_prints_and_saves_a_claim_card_and_a_cover_sheet_that_name_nobody(
    world: GiftWorld, visitor: PageVisitor
) -> None:
    """They lead an heir to the router. Their code is loaded by a click, and axe finds nothing on what is shown."""
    s, owner, heir = world.scenario, world.scenario.account("owner"), world.person("heir")
    legacy = await leave(world, heir, opened=False)
    await visitor.context.add_init_script(PRINTER + RECORD_WORDS)
    page = await connect(visitor, address_of(world, legacy), InjectedWallet(s, owner, "Owner's wallet"))
    await expect(page.get_by_role("heading", name="For your papers")).to_be_visible()
    assert [url for url in visitor.asked if ".woff2" in url or "/give-" in url or "papers" in url] == []
    await page.get_by_role("button", name="Show both pages").click()
    await expect(page.get_by_role("heading", name="For your papers")).to_be_focused()
    assert any("/legacy_papers-" in url for url in visitor.asked)
    drawn: list[str] = await page.evaluate("window.words")
    router, contract = (to_checksum_address(each) for each in (legacy.router, legacy.address))
    for words in (router, contract, "activeLegacy(uint256 legacyId, address[] assets, bool isETH)"):
        assert drawn.count(words) >= 2, "on both pages"
    assert drawn.count(str(legacy.id)) >= 3, "the card has it twice"
    said = "".join("".join(drawn).lower().split())
    assert [each for each in (owner, heir) if each.address[2:].lower() in said] == []
    for title in ("Claim card", "For the estate file"):
        picture = await saved(page, title)
        assert picture.size == (1700, 2200)
        assert code(picture) == router
        await page.locator("figure").filter(has_text=title).get_by_role("button", name="Print").click()
    assert await page.evaluate("window.printed") == 2
    eyes = PageEyes(page)
    await eyes.look("papers")
    await eyes.themed("papers")
    eyes.check()
    nothing_amiss(visitor, world.origin)


async def test_before_the_day_an_heir_reads_it_and_saves_it(world: GiftWorld, visitor: PageVisitor) -> None:
    heir, s = world.person("heir"), world.scenario
    legacy = await leave(world, heir, opened=False)
    page = await connect(visitor, address_of(world, legacy), InjectedWallet(s, heir, "Heir's wallet"))
    await expect(page.get_by_text("You can claim from")).to_be_visible()
    async with page.expect_download() as saving:
        await page.get_by_role("button", name="Add the day to your calendar").click()
    saved = await (await saving.value).path()
    text = saved.read_text(encoding="utf-8").replace("\n ", "")
    uid = f"UID:legacy-{world.api.chain_id}-{legacy.address.lower()}-beneficiary-activation@127.0.0.1"
    assert (uid in text, "SUMMARY:A legacy may be claimed" in text) == (True, True)
    assert await page.get_by_role("button", name="What would I get?").count() == 0
    assert await page.get_by_text("For your papers").count() == 0


async def test_a_wrong_wallet_reads_the_end_of_the_right_one_and_nothing_of_it_is_sent(
    world: GiftWorld, visit: Visit
) -> None:
    """The link's fragment stays in the browser; without it the page says only that this wallet is not named."""
    heir, eve = world.person("heir"), world.person("eve")
    legacy, ending = await leave(world, heir), heir.address[-4:].lower()
    for fragment, words in ((f"#wallet={ending}", f"the right one ends in …\u2060{ending}"), ("", "is not named")):
        visitor = await visit(PHONE)
        page = await connect(
            visitor, address_of(world, legacy, fragment), InjectedWallet(world.scenario, eve, "Eve's wallet")
        )
        await expect(page.get_by_role("heading", name="This wallet is not the right one")).to_be_visible()
        await expect(page.get_by_text(words)).to_be_visible()
        assert ("ends in" in await page.locator("#ways").inner_text()) == bool(fragment)
        assert [url for url in visitor.asked if "wallet=" in url] == []
        for owners_or_heirs in ("What would I get?", "Show both pages"):
            assert await page.get_by_role("button", name=owners_or_heirs).count() == 0
        nothing_amiss(visitor, world.origin)


def create_from_safe(s: Scenario, signer: LocalAccount, safe: str, heir: str) -> Legacy:
    """A legacy of the Safe as of any account: no guard sees what the Safe does."""
    router, name = s.deployment.transfer_eoa_legacy_router, "TransferEOALegacyRouter"
    main, extra = ("", "", [""], [(heir, 100)]), (INACTIVITY, 0, 0)
    s.execute_from_safe(signer, safe, router, s.contracts[name].encode("createLegacy", main, extra, NOBODY, NOBODY))
    legacy_id = s.read(name, router, "legacyCounter")
    return Legacy(s.read(name, router, "legacyAddresses", legacy_id), legacy_id, router)


@pytest.mark.parametrize(
    ("contract", "words"),
    [
        ("MultisigLegacy", "Each transaction of this Safe is a sign of life."),
        ("TransferEOALegacy", "Its sign of life is this transaction"),
    ],
)
async def test_a_signer_of_a_safe_copies_the_exact_call_that_is_a_sign_of_life(
    world: GiftWorld, visitor: PageVisitor, contract: str, words: str
) -> None:
    """Made from the Safe, this call restarts the timer: of a legacy of its kind, and of one as accounts have."""
    s, signer, heir = world.scenario, world.scenario.account("signer"), world.person("heir")
    safe = s.create_safe([signer])
    if contract == "MultisigLegacy":
        legacy = s.create_safe_legacy(signer, safe, [heir.address])
    else:
        legacy = create_from_safe(s, signer, safe, heir.address)
    await world.api.parts.chain_indexes[world.api.chain_id].run()
    await visitor.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = await connect(visitor, address_of(world, legacy), InjectedWallet(s, signer, "Signer's wallet"))
    await expect(page.get_by_role("heading", name="You are a signer of a Safe")).to_be_visible()
    await expect(page.get_by_text(words)).to_be_visible()
    await expect(page.get_by_role("heading", name="For your papers")).to_be_visible()
    await page.get_by_role("button", name="Copy the three lines").click()
    await expect(page.get_by_text("The three lines are copied.")).to_be_visible()
    copied = await page.evaluate("() => navigator.clipboard.readText()")
    to, value, data = (line.split(": ")[1] for line in copied.splitlines())
    s.advance(30 * DAY)
    (before, *_) = s.read(contract, legacy.address, "getTriggerActivationTimestamp")
    s.execute_from_safe(signer, safe, to, data, int(value))
    (after, *_) = s.read(contract, legacy.address, "getTriggerActivationTimestamp")
    assert after - before >= 30 * DAY
    nothing_amiss(visitor, world.origin)


async def test_of_a_safe_that_is_an_heir_nothing_is_asked_before_a_click_and_its_call_claims(
    world: GiftWorld, visitor: PageVisitor
) -> None:
    s, signer = world.scenario, world.scenario.account("signer")
    safe = s.create_safe([signer])
    legacy = s.create_legacy(s.account("owner"), {safe: 100})
    s.anvil.set_balance(legacy.address, ETHER)
    await world.api.parts.chain_indexes[world.api.chain_id].run()
    s.advance(INACTIVITY + 1)
    page = await connect(visitor, address_of(world, legacy), InjectedWallet(s, signer, "Signer's wallet"))
    look = page.get_by_role("button", name="What would I get?")
    await expect(look).to_be_visible()
    assert [url for url in visitor.asked if "claim-preview" in url] == []
    await look.click()
    await expect(page.get_by_role("listitem").filter(has_text="1 ETH")).to_be_visible()
    to, value, data = await page.locator("code.call").all_text_contents()
    s.execute_from_safe(signer, safe, to, data, int(value))
    assert s.balance(None, safe) == ETHER
    nothing_amiss(visitor, world.origin)


async def test_an_heir_takes_over_a_shared_wallet_by_one_transaction(world: GiftWorld, visitor: PageVisitor) -> None:
    s, signer, heir = world.scenario, world.scenario.account("signer"), world.scenario.account("heir")
    safe = s.create_safe([signer])
    legacy = s.create_safe_legacy(signer, safe, [heir.address])
    await world.api.parts.chain_indexes[world.api.chain_id].run()
    s.advance(INACTIVITY + 1)
    page = await connect(visitor, address_of(world, legacy), InjectedWallet(s, heir, "Heir's wallet"))
    await page.get_by_role("button", name="Take over the shared wallet").click()
    await expect(page.get_by_text("It is being made final")).to_be_visible()
    s.anvil.mine(2 * s.anvil.slots_in_an_epoch + 1)
    await expect(page.get_by_role("heading", name="The shared wallet has new signers")).to_be_visible()
    assert s.read("SafeStandIn", safe, "isOwner", heir.address)
    await world.api.parts.chain_indexes[world.api.chain_id].run()
    await page.reload()
    await page.get_by_role("button", name="Connect Heir's wallet").click()
    await expect(page.get_by_text("A sign of life does not change that any more.")).to_be_visible()
    assert await page.get_by_text("For your papers").count() == 0
    nothing_amiss(visitor, world.origin)


async def test_a_request_under_way_is_followed_after_a_reload(world: GiftWorld, visitor: PageVisitor) -> None:
    """A phone may reload the page while the wallet's app is in front."""
    heir, s = world.person("heir"), world.scenario
    legacy = await leave(world, heir)
    page = await connect(visitor, address_of(world, legacy), InjectedWallet(s, heir, "Heir's wallet"))
    await page.get_by_role("button", name="What would I get?").click()
    world.following.clear()
    await page.get_by_role("button", name="Claim for free").click()
    await expect(page.get_by_role("heading", name="Your claim is on its way")).to_be_visible()
    await page.reload()
    await expect(page.get_by_role("heading", name="Your claim is on its way")).to_be_visible()
    world.following.set()
    await expect(page.get_by_text("100 USDC and 1 ETH arrived at")).to_be_visible()


async def test_while_the_service_cannot_pay_an_heir_may_choose_a_transaction_of_their_own(
    world: GiftWorld, visitor: PageVisitor
) -> None:
    heir, s = world.person("heir"), world.scenario
    legacy = await leave(world, heir)
    world.following.clear()
    page = await connect(visitor, address_of(world, legacy), InjectedWallet(s, heir, "Heir's wallet"))
    now = {"id": "1", "status": "deferred_fee", "waitsFor": "paused", "txHash": None, "error": None}
    await page.route("**/sponsor/requests/*/events", lambda route: route.abort())
    await page.route("**/sponsor/requests/*", lambda route: route.fulfill(json=now))
    await page.get_by_role("button", name="What would I get?").click()
    await page.get_by_role("button", name="Claim for free").click()
    await expect(page.get_by_text("You can do it with a transaction of your own")).to_be_visible()
    await page.get_by_role("button", name="Do not wait, and choose again").click()
    await page.get_by_role("button", name="Connect Heir's wallet").click()
    await page.get_by_role("button", name="What would I get?").click()
    await expect(page.get_by_role("button", name="Claim, and pay the network fee myself")).to_be_visible()


async def test_an_owner_who_chooses_again_sees_the_old_days_again(world: GiftWorld, visitor: PageVisitor) -> None:
    s, owner = world.scenario, world.scenario.account("owner")
    s.subscribe_premium(owner)
    legacy = await leave(world, world.person("heir"), opened=False, second=world.person("later").address)
    world.following.clear()
    page = await connect(visitor, address_of(world, legacy), InjectedWallet(s, owner, "Owner's wallet"))
    old = [await page.locator(part).text_content() for part in ("#state", "#lines")]
    now = {"id": "1", "status": "deferred_fee", "waitsFor": "paused", "txHash": None, "error": None}
    await page.route("**/sponsor/requests/*/events", lambda route: route.abort())
    await page.route("**/sponsor/requests/*", lambda route: route.fulfill(json=now))
    await page.get_by_role("button", name="I am well", exact=True).click()
    await expect(page.locator("#lines")).to_be_hidden()
    await page.get_by_role("button", name="Do not wait, and choose again").click()
    await expect(page.locator("#lines")).to_be_visible()
    assert [await page.locator(part).text_content() for part in ("#state", "#lines")] == old


async def test_the_final_day_is_that_of_the_chain_also_after_a_reload(world: GiftWorld, visitor: PageVisitor) -> None:
    """The day that the page foretold before the signature is two days too early by then."""
    s, owner = world.scenario, world.scenario.account("owner")
    s.subscribe_premium(owner)
    legacy = await leave(world, world.person("heir"), opened=False)
    page = await connect(visitor, address_of(world, legacy), InjectedWallet(s, owner, "Owner's wallet"))
    await expect(page.get_by_role("heading", name="This legacy is yours")).to_be_visible()
    before, *_ = s.read("TransferEOALegacy", legacy.address, "getTriggerActivationTimestamp")
    s.advance(2 * DAY)
    await page.route("**/sponsor/requests/**", lambda route: route.abort())
    await page.get_by_role("button", name="I am well", exact=True).click()
    await until(lambda: s.read("TransferEOALegacy", legacy.address, "getTriggerActivationTimestamp")[0] > before, page)
    await page.unroute_all()
    await page.reload()
    await expect(page.get_by_text("It is final.")).to_be_visible()
    final = await page.locator("#state .when").text_content()
    await page.reload()
    await expect(page.locator("#state .when")).to_have_text(final or "")


async def test_a_transaction_of_a_wallet_that_is_gone_leaves_a_way_out_after_a_reload(
    world: GiftWorld, visitor: PageVisitor
) -> None:
    """Only the wallet knows what became of the transaction. It may be locked by now."""
    heir, s = world.scenario.account("heir"), world.scenario
    legacy = await leave(world, heir)
    wallet = InjectedWallet(s, heir, "Heir's wallet")
    page = await connect(visitor, address_of(world, legacy), wallet)
    await page.get_by_role("button", name="What would I get?").click()
    await page.get_by_role("button", name="Claim, and pay the network fee myself").click()
    await expect(page.get_by_text("It is being made final")).to_be_visible()
    wallet.declines.add("eth_accounts")
    await page.reload()
    await page.get_by_role("button", name="Do not wait, and choose again").click()
    await expect(page.get_by_role("button", name="Connect Heir's wallet")).to_be_visible()
    await page.reload()
    await expect(page.get_by_role("button", name="Connect Heir's wallet")).to_be_visible()
    nothing_amiss(visitor, world.origin)


async def test_of_a_legacy_without_a_day_no_day_is_named(world: GiftWorld, visit: Visit) -> None:
    """Legacies of an old build say 0: it is neither "now" for an heir nor the year 1970 for the owner."""
    s, owner, heir = world.scenario, world.scenario.account("owner"), world.person("heir")
    legacy = s.create_old_legacy(owner, {heir.address: 100})
    await world.api.parts.chain_indexes[world.api.chain_id].run()
    visitor = await visit(PHONE)
    page = await connect(visitor, address_of(world, legacy), InjectedWallet(s, heir, "Heir's wallet"))
    await expect(page.get_by_text("This page knows no day from which on you can claim.")).to_be_visible()
    visitor = await visit(PHONE)
    page = await connect(visitor, address_of(world, legacy), InjectedWallet(s, owner, "Owner's wallet"))
    await expect(page.get_by_text("This page can name no day for this legacy.")).to_be_visible()
    await page.get_by_role("button", name="I am well", exact=True).click()
    await expect(page.get_by_text("It is being made final")).to_be_visible()
    s.anvil.mine(2 * s.anvil.slots_in_an_epoch + 1)
    await expect(page.get_by_text("Your sign of life is final.")).to_be_visible()
    assert "1970" not in await page.locator("body").inner_text()
    nothing_amiss(visitor, world.origin)


async def test_every_state_of_a_claim_is_for_everybody_and_needs_the_keyboard_alone(
    world: GiftWorld, visitor: PageVisitor
) -> None:
    """WCAG 2.2 AA by axe, light and dark, narrow, and with little motion; the focus follows what is new."""
    heir, s, page, eyes = world.person("heir"), world.scenario, visitor.page, PageEyes(visitor.page)
    legacy = await leave(world, heir, opened=False)
    await visitor.has(InjectedWallet(s, heir, "Heir's wallet"))
    await page.goto(address_of(world, legacy))
    await press(page, "Connect Heir's wallet")
    await expect(page.get_by_role("heading", name="You are named in this legacy")).to_be_focused()
    await eyes.look("before the day")
    s.advance(INACTIVITY + 1)
    await page.reload()
    await eyes.look("open")
    await press(page, "Connect Heir's wallet")
    await press(page, "What would I get?")
    await expect(page.get_by_role("heading", name="You would get")).to_be_focused()
    await eyes.look("preview")
    await eyes.themed("preview")
    world.following.clear()
    await press(page, "Claim for free")
    await expect(page.get_by_role("heading", name="Your claim is on its way")).to_be_focused()
    await eyes.look("under way")
    world.following.set()
    await expect(page.get_by_role("heading", name="It is yours")).to_be_focused()
    await eyes.look("received")
    await page.goto(f"{world.origin}/legacies/{world.api.chain_id}/1x")
    await eyes.look("nothing here")
    assert eyes.faults == []


async def test_what_other_visitors_see_is_for_everybody_in_their_language(world: GiftWorld, visit: Visit) -> None:
    """By axe, light and dark, narrow, and with little motion; Arabic from the right."""
    s, owner, heir, signer = world.scenario, world.scenario.account("owner"), world.person("heir"), world.person("eve")
    legacy = await leave(world, heir, opened=False, second=signer.address)
    shared = s.create_safe_legacy(owner, s.create_safe([owner]), [heir.address])
    ended = s.create_legacy(owner, {heir.address: 100})
    s.delete_legacy(owner, ended)
    await world.api.parts.chain_indexes[world.api.chain_id].run()
    assert legacy.id == shared.id, "two legacies have this number"
    chain = f"{world.origin}/legacies/{world.api.chain_id}"
    visits = [
        ("ar", "an owner", owner, f"{chain}/{legacy.address}"),
        ("ja", "a wrong wallet", world.person("somebody"), f"{chain}/{legacy.address}#wallet=1a2b"),
        ("de", "a signer of a Safe", owner, f"{chain}/{shared.address}"),
        ("ko", "a legacy that ended", None, f"{chain}/{ended.address}"),
        ("fr", "two legacies with a number", None, f"{chain}/{legacy.id}"),
    ]
    for language, state, account, url in visits:
        visitor = await visit(PHONE, locale=language)
        eyes = PageEyes(visitor.page)
        if account is not None:
            await visitor.has(InjectedWallet(s, account, "MetaMask"))
        await visitor.page.goto(url)
        if account is not None:
            await visitor.page.locator("#ways .wallets button").click()
            await expect(visitor.page.locator("#ways .panel").first).to_be_visible()
        direction = "rtl" if language == "ar" else "ltr"
        await expect(visitor.page.locator(f'html[lang="{language}"][dir="{direction}"]')).to_be_attached()
        await eyes.look(f"{language}: {state}")
        eyes.check()
        nothing_amiss(visitor, world.origin)


async def press(page: Page, name: str) -> None:
    """By the keyboard: on to the button, and Enter."""
    wanted = page.get_by_role("button", name=name, exact=True)
    await expect(wanted).to_be_visible()
    for _ in range(40):
        if await wanted.evaluate("(element) => element === document.activeElement"):
            break
        await page.keyboard.press("Tab")
    await expect(wanted).to_be_focused()
    await page.keyboard.press("Enter")
