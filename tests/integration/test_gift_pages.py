"""The gift pages as served: public facts, previews by occasion, and the entry by address, over real chains."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from html.parser import HTMLParser

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.chain import Anvil
from devnet.deploy import deploy
from devnet.scenarios import DAY, Scenario
from reminder_worker.gifts import owner_list
from reminder_worker.gifts.assets import load_occasions, read_card
from reminder_worker.indexer import chain_index
from reminder_worker.logging import configure_logging
from tests.integration.api_world import ApiAnswer, ApiWorld, open_world
from tests.integration.chain_proxy import proxy

ORIGIN = "https://gifts.example.org"
GIFTS = {"GIFT_ORIGINS": f"{ORIGIN},https://second.example.org", "GIFT_PREFIX": "sealed"}
PROVIDER_KEY = ec.derive_private_key(0xCDCDCDCDCD, ec.SECP256R1())
PROVIDER = {
    "TURNKEY_ORGANIZATION_ID": "the-organization",
    "TURNKEY_API_PUBLIC_KEY": PROVIDER_KEY.public_key().public_bytes(Encoding.X962, PublicFormat.CompressedPoint).hex(),
    "TURNKEY_API_PRIVATE_KEY": f"{0xCDCDCDCDCD:064x}",
    "TURNKEY_AUTH_PROXY_CONFIG_ID": "the-config",
    "TURNKEY_AUTH_PROXY_URL": "https://proxy.provider.example/v1",
    "TURNKEY_URL": "https://api.provider.example",
}
SECRET = "Canary-Quintessa"


@pytest.fixture
async def world(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[ApiWorld]:
    async with open_world(chain_scenario, engine, **GIFTS) as opened:
        yield opened


@pytest.fixture
def giver(chain_scenario: Scenario) -> LocalAccount:
    return chain_scenario.account("giver")


@pytest.fixture
def ada(chain_scenario: Scenario) -> LocalAccount:
    return chain_scenario.account("ada")


async def indexed(world: ApiWorld) -> None:
    for index in world.parts.chain_indexes.values():
        await index.run()


async def facts(world: ApiWorld, gift: int) -> ApiAnswer:
    return await world.request("GET", f"/gift/{world.chain_id}/{gift}")


async def page(world: ApiWorld, gift: object, query: str = "") -> ApiAnswer:
    return await world.request("GET", f"/sealed/{world.chain_id}/{gift}{query}")


async def entry(world: ApiWorld, address: str, query: str = "") -> ApiAnswer:
    return await world.request("GET", f"/sealed/for/{address}{query}", allow_redirects=False)


class PageTags(HTMLParser):
    """The meta tags of a page, the text that is shown, and what could run or load."""

    def __init__(self, html: bytes) -> None:
        super().__init__()
        self.meta: dict[str, str] = {}
        self.text, self._hidden = "", False
        self.active: list[str] = []
        self.feed(html.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "meta" and (name := given.get("property") or given.get("name")):
            assert name not in self.meta
            self.meta[name] = given["content"]
        self._hidden = tag in ("style", "title")
        ours = re.fullmatch(r"/sealed/assets/claim-[\w-]+\.js", given.get("src", "")) and given.get("type") == "module"
        active = tag in ("script", "iframe", "form", "object", "a") and not ours
        if active or any(name.startswith("on") for name in given):
            self.active.append(tag)

    def handle_endtag(self, _tag: str) -> None:
        self._hidden = False

    def handle_data(self, data: str) -> None:
        self.text += "" if self._hidden else data + " "


# -- the facts ------------------------------------------------------------------------------------


@pytest.mark.core
async def test_the_facts_of_a_gift_are_public_from_its_sealing_on(
    world: ApiWorld, giver: LocalAccount, ada: LocalAccount
) -> None:
    """Both lanes, before any index has read a block: with them the recipient's withdrawal can be signed."""
    s, d = world.scenario, world.scenario.deployment
    eth = s.create_gift(giver, ada.address, eth=10**18, duration=DAY)
    usdc = s.create_gift(giver, ada.address, tokens=[(d.usdc, 250 * 10**6)], duration=0)
    for _ in range(2):  # from the chain alone, and with the index
        sealed, opened = await facts(world, eth), await facts(world, usdc)
        assert (sealed.status, opened.status) == (200, 200)
        assert sealed.body["state"] == "sealed"
        assert sealed.body["recipient"] == ada.address
        assert sealed.body["assets"] == [
            {
                "token": to_checksum_address(d.weth),
                "symbol": "WETH",
                "decimals": 18,
                "amount": str(10**18),
                "asEther": True,
                "soldForEther": False,
            }
        ]
        assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", sealed.body["unlockAt"])
        assert opened.body["state"] == "open"
        assert opened.body["assets"][0] | {"token": ""} == {
            "token": "", "symbol": "USDC", "decimals": 6, "amount": "250000000", "asEther": False, "soldForEther": False
        }  # fmt: skip
        assert opened.body["domain"] == {
            "name": "10102 Timelock Sponsored",
            "version": "1",
            "chainId": world.chain_id,
            "verifyingContract": to_checksum_address(d.time_lock_router),
        }
        assert (opened.body["sponsorNonce"], opened.body["router"]) == ("0", to_checksum_address(d.time_lock_router))
        lost = (d.time_lock_router, d.timelock_erc721, d.timelock_erc1155, d.transfer_eoa_legacy_router)
        assert {to_checksum_address(each) for each in lost} <= set(opened.body["contracts"])
        assert (opened.body["sponsored"], opened.body["identityProvider"]) == (False, None)
        await indexed(world)
    s.advance(1)
    s.withdraw_for(giver, usdc, s.withdraw_auth(ada, usdc, nonce=int(opened.body["sponsorNonce"])))
    claimed = (await facts(world, usdc)).body
    assert (claimed["state"], claimed["sponsorNonce"]) == ("claimed", "1")
    assert claimed["assets"] == opened.body["assets"]  # by the index, and by the receipt of the withdrawal
    assert opened.body["sealedAt"] < claimed["openedAt"] <= claimed["asOf"]
    assert (sealed.body["openedAt"], claimed["sealedAt"]) == (None, opened.body["sealedAt"])


async def test_ether_that_is_kept_in_another_token_has_that_tokens_unit(
    world: ApiWorld, giver: LocalAccount, ada: LocalAccount
) -> None:
    """2,500 USDC that will be sold for ether are not 2,500 ETH; that ether is what comes is said beside."""
    s, d = world.scenario, world.scenario.deployment
    gift = s.create_gift(giver, ada.address, eth=10**18, stored_as=d.usdc, duration=0)
    for _ in range(2):
        (asset,) = (await facts(world, gift)).body["assets"]
        assert (asset["symbol"], asset["amount"]) == ("USDC", str(2_500 * 10**6))
        assert (asset["asEther"], asset["soldForEther"]) == (False, True)
        shown = PageTags((await page(world, gift)).body).text
        assert "2,500 USDC (paid out in ETH)" in shown
        assert "2,500 ETH" not in shown
        await indexed(world)
    s.withdraw_gift(ada, gift)
    (asset,) = (await facts(world, gift)).body["assets"]
    assert (asset["asEther"], asset["soldForEther"]) == (False, True)
    assert "2,500 USDC (paid out in ETH)" in PageTags((await page(world, gift)).body).text


@pytest.mark.parametrize("skip_swap", [False, True])
async def test_opened_gift_is_shown_as_it_was_sent(
    world: ApiWorld, giver: LocalAccount, ada: LocalAccount, skip_swap: bool
) -> None:
    """The vault forgets what the recipient chose; the receipt of the withdrawal tells it."""
    s = world.scenario
    gift = s.create_gift(giver, ada.address, eth=5 * 10**17, duration=0)
    await indexed(world)
    s.withdraw_gift(ada, gift, skip_swap=skip_swap)
    (asset,) = (await facts(world, gift)).body["assets"]
    assert (asset["symbol"], asset["asEther"], asset["soldForEther"]) == ("WETH", not skip_swap, False)
    shown = PageTags((await page(world, gift)).body).text
    assert f"0.5 {'WETH' if skip_swap else 'ETH'}" in shown
    assert "This gift was opened on" in shown


async def test_gifts_opened_in_one_transaction_are_each_shown_as_they_were_sent(
    world: ApiWorld, giver: LocalAccount, ada: LocalAccount
) -> None:
    """Anybody may open several gifts of a recipient at once; the same token moves for one of them only."""
    s = world.scenario
    as_ether = (True, False, True)
    gifts = [s.create_gift(giver, ada.address, eth=5 * 10**17, duration=0) for _ in as_ether]
    await indexed(world)
    vault, contract = s.deployment.timelock_erc20, s.contracts["TimelockERC20"]
    calls = [
        (vault, False, bytes.fromhex(contract.encode("withdraw", gift, ada.address, not ether)[2:]))
        for gift, ether in zip(gifts, as_ether, strict=True)
    ]
    s.write(giver, "Multicall3", s.deployment.multicall3, "aggregate3", calls)
    assert tuple([(await facts(world, gift)).body["assets"][0]["asEther"] for gift in gifts]) == as_ether


async def test_opened_gift_that_went_to_another_payee_is_not_called_sold(
    world: ApiWorld, giver: LocalAccount, ada: LocalAccount
) -> None:
    """Version 2 of the router lets the recipient name a payee; the token left the vault as for a sale."""
    s, usdc = world.scenario, world.scenario.deployment.usdc
    s.become_version(s.deployment.time_lock_router, "2")
    gift = s.create_gift(giver, ada.address, tokens=[(usdc, 25 * 10**6)], duration=0)
    await indexed(world)
    payee = s.account("payee").address
    s.withdraw_for(giver, gift, s.withdraw_auth(ada, gift, pay_to=payee))
    assert s.balance(usdc, payee) == 25 * 10**6
    (asset,) = (await facts(world, gift)).body["assets"]
    assert (asset["symbol"], asset["asEther"], asset["soldForEther"]) == ("USDC", False, None)
    assert "paid out in ETH" not in PageTags((await page(world, gift)).body).text


async def test_sheet_of_an_opened_gift_leads_to_its_page(
    world: ApiWorld, giver: LocalAccount, ada: LocalAccount
) -> None:
    """A gift that is still to be opened comes first, however old it is."""
    s = world.scenario
    older, gift = (s.create_gift(giver, ada.address, eth=1, duration=0) for _ in range(2))
    s.withdraw_gift(ada, gift)
    await indexed(world)
    for expected in (older, gift):
        answer = await entry(world, ada.address, "?paper=1")
        assert answer.headers["Location"] == f"{ORIGIN}/sealed/{world.chain_id}/{expected}?paper=1"
        if expected == older:
            s.withdraw_gift(ada, older)
            await indexed(world)


async def test_the_facts_tell_what_this_installation_offers(
    chain_scenario: Scenario, engine: AsyncEngine, giver: LocalAccount, ada: LocalAccount
) -> None:
    """The facts say if withdrawals are relayed, and name the identity provider's two public ids, never its keys."""
    gift = chain_scenario.create_gift(giver, ada.address, eth=1)
    async with open_world(chain_scenario, engine, **GIFTS, **PROVIDER, RELAYER_KEY="0x" + "11" * 32) as world:
        body = (await facts(world, gift)).body
        assert body["sponsored"] is True
        expected = {
            "organizationId": "the-organization",
            "authProxyConfigId": "the-config",
            "authProxyUrl": "https://proxy.provider.example/v1",
            "apiUrl": "https://api.provider.example",
        }
        assert body["identityProvider"] | expected == body["identityProvider"]
        assert not any(PROVIDER[f"TURNKEY_API_{kind}_KEY"] in json.dumps(body) for kind in ("PRIVATE", "PUBLIC"))


async def test_the_sub_organization_of_an_email_wallet_is_named_only_while_its_gift_can_be_opened(
    chain_scenario: Scenario, engine: AsyncEngine, giver: LocalAccount, ada: LocalAccount
) -> None:
    """Facts are public. Whoever counts the gifts learns of no email wallet before its day or afterwards."""
    sealed = chain_scenario.create_gift(giver, ada.address, eth=1, duration=DAY)
    gift = chain_scenario.create_gift(giver, ada.address, eth=1, duration=0)
    to_a_wallet = chain_scenario.create_gift(giver, chain_scenario.account("no email").address, eth=1, duration=0)
    async with open_world(chain_scenario, engine, **GIFTS, **PROVIDER) as world:
        insert = "insert into worker.gift_wallet (email_hash, timestamp_ms, sub_organization_id, address_hash)"
        address_hash = world.parts.hashes.gift_wallet(ada.address.lower())
        await world.sql(f"{insert} values (:email, 1, 'made', :address)", email=b"e" * 32, address=address_hash)

        async def named(number: int) -> tuple[str, str | None]:
            body = (await facts(world, number)).body
            return body["state"], body["identityProvider"]["subOrganizationId"]

        assert await named(sealed) == ("sealed", None)
        assert await named(gift) == ("open", "made")
        assert await named(to_a_wallet) == ("open", None)
        chain_scenario.withdraw_gift(ada, gift)
        assert await named(gift) == ("claimed", None)


async def test_only_gifts_of_whitelisted_tokens_are_shown(
    world: ApiWorld, giver: LocalAccount, ada: LocalAccount
) -> None:
    """Another token, an NFT, another kind of timelock, an unknown number or chain: there is no such gift."""
    s, d = world.scenario, world.scenario.deployment
    junk = s.create_gift(giver, ada.address, tokens=[(d.usdc, 1), (s.deploy("TestERC20", "Junk", "JUNK", 18), 5)])
    regular = s.create_timelock(giver, ada.address, tokens=[(d.usdc, 1)])
    soft = s.create_timelock(giver, ada.address, tokens=[(d.usdc, 1)], soft=True)
    nft = s.create_timelock(giver, ada.address, erc721=[(d.erc721, 1)])
    for _ in range(2):
        for number in (junk, regular, soft, nft, 0, 10**6, 2**63, 10**30):
            answer = await facts(world, number)
            assert (answer.status, answer.code) == (404, "not_found")
            assert (await page(world, number)).status == 404
        await indexed(world)
    assert (await world.request("GET", f"/gift/{world.chain_id + 1}/{junk}")).status == 404
    assert (await entry(world, ada.address)).status == 404


async def test_a_chain_that_cannot_be_read_is_said_to_be_so(world: ApiWorld, giver: LocalAccount) -> None:
    """Not that there is no gift: 503 with Retry-After, as a problem and as a page."""
    gift = world.scenario.create_gift(giver, giver.address, eth=1)
    world.scenario.anvil.set_code(world.scenario.deployment.token_white_list, "0x")
    assert ((await facts(world, gift)).status, (await facts(world, gift)).code) == (503, "chain_unavailable")
    shown = await page(world, gift, "?o=birthday")
    assert (shown.status, shown.headers["Retry-After"]) == (503, "5")
    assert "right now" in PageTags(shown.body).text
    assert PageTags(shown.body).meta["og:title"] == "Happy birthday"
    assert (await entry(world, giver.address)).status == 503  # also: nothing is indexed yet


# -- the page -------------------------------------------------------------------------------------


async def test_the_page_shows_the_public_facts_as_text(world: ApiWorld, giver: LocalAccount, ada: LocalAccount) -> None:
    """The page shows the gift, its time, recipient and place; only our own script runs, and no link leads away."""
    s = world.scenario
    gift = s.create_gift(giver, ada.address, eth=15 * 10**17, duration=DAY)
    shown = await page(world, gift, "?o=wedding&paper=1&email=1")
    tags = PageTags(shown.body)
    assert shown.status == 200
    assert shown.headers["Content-Type"] == "text/html; charset=utf-8"
    for words in ("Congratulations on your wedding", "1.5 ETH", "sealed until", ada.address, "has the printed sheet"):
        assert words in tags.text
    assert tags.active == []
    s.advance(2 * DAY)
    assert "can be opened now" in PageTags((await page(world, gift)).body).text
    s.withdraw_gift(ada, gift)
    assert "was opened on" in PageTags((await page(world, gift)).body).text


async def test_a_token_cannot_write_on_the_page(world: ApiWorld, giver: LocalAccount, ada: LocalAccount) -> None:
    """A symbol with markup, a link or of great length is not shown: the token's address is."""
    s, d = world.scenario, world.scenario.deployment
    tokens = [(d.hostile_symbol_token, 5 * 10**18), (d.long_symbol_token, 7), (d.no_metadata_token, 9)]
    for token, _ in tokens:
        s.whitelist(token)
    shown = await page(world, s.create_gift(giver, ada.address, tokens=tokens))
    tags = PageTags(shown.body)
    assert tags.active == []
    for words in (
        f"5 of  {to_checksum_address(d.hostile_symbol_token)}",
        f"7 base units of  {to_checksum_address(d.long_symbol_token)}",
        f"9 base units of  {to_checksum_address(d.no_metadata_token)}",
    ):
        assert words in tags.text
    assert "evil.example" not in shown.body.decode()


async def test_a_link_preview_shows_its_occasion(world: ApiWorld, giver: LocalAccount, ada: LocalAccount) -> None:
    """Open Graph and Twitter tags by `o`, absolute addresses; whatever is not an occasion has the default's."""
    gift = world.scenario.create_gift(giver, ada.address, eth=1)
    for name in (*load_occasions(), "no-such-occasion", "", None, '"><script>alert(1)</script>'):
        async with world.session.get(
            f"{world.url}/sealed/{world.chain_id}/{gift}", params={} if name is None else {"o": name}
        ) as response:
            html = await response.read()
        tags, expected = PageTags(html), load_occasions().get(name or "", load_occasions()["gift"])
        meta = tags.meta
        assert meta["og:title"] == meta["twitter:title"] == expected.greeting
        assert meta["og:image"] == meta["twitter:image"]
        assert meta["og:image"].startswith(f"{ORIGIN}/sealed/cards/{expected.id}.")
        assert (meta["og:image:width"], meta["og:image:height"]) == ("1200", "630")
        assert meta["twitter:card"] == "summary_large_image"
        kept = f"?o={name}" if name and re.fullmatch("[a-z-]+", name) else ""
        assert meta["og:url"] == f"{ORIGIN}/sealed/{world.chain_id}/{gift}{kept}"
        assert html.count(b"<script") <= 1
        async with world.session.get(world.url + meta["og:image"].removeprefix(ORIGIN)) as image:
            assert await image.read() == read_card(expected.id)
            assert image.headers["Content-Type"] == "image/png"
            assert image.headers["Cache-Control"] == "public, max-age=31536000, immutable"
            assert image.headers["Cross-Origin-Resource-Policy"] == "cross-origin"


async def test_only_pages_of_email_gifts_may_talk_to_the_identity_provider(
    chain_scenario: Scenario, engine: AsyncEngine, giver: LocalAccount
) -> None:
    """The policy names no foreign origin but the provider's, and that with `email=1` alone."""
    gift = chain_scenario.create_gift(giver, giver.address, eth=1)
    provider = {"https://proxy.provider.example", "https://api.provider.example"}
    queries = ("", "?email=1", "?email=0", "?email=1&email=1", "?o=eid&email=1", "?paper=1")
    for more in ({}, PROVIDER):
        async with open_world(chain_scenario, engine, **GIFTS, **more) as world:
            answers = [(query, (await page(world, gift, query)).headers) for query in queries]
        for query, headers in answers:
            policy = headers["Content-Security-Policy"]
            named = set(re.findall(r"[a-z]+:(?://)?[^\s;']+", policy))
            assert named == (provider if more and re.fullmatch(r"\?(o=eid&)?email=1", query) else set())
            assert "default-src 'none'" in policy
            assert re.search(r"script-src 'self';", policy)
            assert re.search(r"style-src 'self' 'sha256-[\w+/=]+'$", policy)
            assert "'unsafe" not in policy
            assert "*" not in policy
            assert headers["Referrer-Policy"] == "no-referrer"
            assert headers["Cache-Control"] == "no-store"


async def test_a_gift_has_one_path(world: ApiWorld) -> None:
    """Other spellings of a number are no gift."""
    for path in ("/sealed/01/1", "/sealed/1/+1", "/sealed/1/1.0", "/sealed/1/%31x", "/sealed/x/y", "/sealed/1/\u0661"):
        shown = await world.request("GET", path)
        assert shown.status == 404
        assert "no gift here" in PageTags(shown.body).text


async def test_a_link_that_was_cut_off_is_told_so_on_a_page(world: ApiWorld) -> None:
    """A recipient never reads a problem's JSON; only programs ask outside of the prefix."""
    for path in ("", "/", "/31337", "/31337/?o=birthday", "/for", "/for/", "/31337/1/2", "/cards"):
        shown = await world.request("GET", f"/sealed{path}")
        assert (shown.status, shown.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
        assert "This link is not whole" in PageTags(shown.body).text
        assert shown.headers["Cache-Control"] == "no-store"
        beside = await world.request("GET", "/sealedx/31337")
        assert (beside.status, beside.code) == (404, "not_found")


# -- the entry by address -----------------------------------------------------------------------------


async def test_an_address_leads_to_its_newest_live_gift(
    world: ApiWorld, giver: LocalAccount, ada: LocalAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest gift of whitelisted tokens; the link keeps the three flags of the query, and no fragment."""
    monkeypatch.setattr(chain_index, "SLOT_SECONDS", 0)
    s, d = world.scenario, world.scenario.deployment
    older = s.create_gift(giver, ada.address, eth=1, duration=0)
    newest = s.create_gift(giver, ada.address, tokens=[(d.usdc, 5)], duration=0)
    s.create_gift(giver, ada.address, tokens=[(s.deploy("TestERC20", "Junk", "JUNK", 18), 5)])
    s.create_gift(giver, giver.address, eth=1)
    s.create_timelock(giver, ada.address, tokens=[(d.usdc, 1)])
    await indexed(world)
    hostile = "o=eid&paper=1&h=secret&next=//evil.example&email=1&utm=%0d%0aX:1"
    for address in (ada.address, ada.address.lower()):
        moved = await entry(world, address, f"?{hostile}")
        assert moved.status == 302
        assert moved.headers["Location"] == f"{ORIGIN}/sealed/{world.chain_id}/{newest}?o=eid&paper=1&email=1"
        assert moved.headers["Cache-Control"] == "no-store"
        assert moved.headers["Referrer-Policy"] == "no-referrer"
        assert moved.body == b""
    s.withdraw_gift(ada, newest)  # no pass has read this block: the request does
    moved = await entry(world, ada.address, "?o=a&o=b&paper=2&email=1%20")
    assert moved.headers["Location"] == f"{ORIGIN}/sealed/{world.chain_id}/{older}"
    s.withdraw_gift(ada, older)
    for _ in range(2):
        moved = await entry(world, ada.address, "?o=christmas")
        assert moved.headers["Location"] == f"{ORIGIN}/sealed/{world.chain_id}/{newest}?o=christmas"
        await indexed(world)
    eve = s.account("eve")
    s.create_gift(giver, eve.address, tokens=[(s.deploy("TestERC20", "Junk", "JUNK", 18), 5)])
    await indexed(world)
    gone = await entry(world, eve.address, "?o=christmas")
    assert (gone.status, gone.headers["Cache-Control"]) == (404, "no-store")
    assert "No gift that can be shown here was found" in PageTags(gone.body).text, "somebody's worthless one is there"


async def test_no_number_of_worthless_gifts_hides_the_one_of_a_sheet(
    world: ApiWorld, giver: LocalAccount, ada: LocalAccount
) -> None:
    """Anybody may seal as many as they like of a token of their own, for the fee alone."""
    s = world.scenario
    gift = s.create_gift(giver, ada.address, eth=1, duration=0)
    junk = s.deploy("TestERC20", "Junk", "JUNK", 18)
    for _ in range(20):
        s.create_gift(giver, ada.address, tokens=[(junk, 5)])
    await indexed(world)
    moved = await entry(world, ada.address)
    assert moved.headers.get("Location") == f"{ORIGIN}/sealed/{world.chain_id}/{gift}"


async def test_an_index_that_is_read_again_says_of_no_address_that_there_is_no_gift(
    chain_scenario: Scenario, engine: AsyncEngine, giver: LocalAccount, ada: LocalAccount
) -> None:
    """A printed sheet has only the address: told so, its finder may throw it away. A request reads a block of many."""
    narrow = {f"CHAIN_{chain_scenario.anvil.chain_id}_LOG_RANGE": "1"}
    async with open_world(chain_scenario, engine, **GIFTS, **narrow) as world:
        gift = world.scenario.create_gift(giver, ada.address, eth=1, duration=0)
        world.scenario.anvil.mine(31)
        await indexed(world)
        await world.parts.chain_indexes[world.chain_id].rewind_to(1)
        later = await entry(world, ada.address)
        assert (later.status, later.headers["Cache-Control"]) == (503, "no-store")
        await indexed(world)
        assert (await entry(world, ada.address)).headers["Location"] == f"{ORIGIN}/sealed/{world.chain_id}/{gift}"


async def test_a_gift_is_found_by_its_address_at_once_and_strangers_make_the_index_read_once_a_slot(
    chain_scenario: Scenario,
    engine: AsyncEngine,
    giver: LocalAccount,
    ada: LocalAccount,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No pass reads here. If the index needs too long, it answers from its rows."""
    async with proxy(chain_scenario.anvil.url) as node:
        urls = {f"CHAIN_{chain_scenario.anvil.chain_id}_RPC_URLS": node.url}
        async with open_world(chain_scenario, engine, **GIFTS, **urls) as world:
            await indexed(world)
            gift = world.scenario.create_gift(giver, ada.address, eth=1)
            monkeypatch.setattr(chain_index, "SLOT_SECONDS", 0)
            monkeypatch.setattr(chain_index, "REQUEST_SECONDS", 0)
            assert (await entry(world, ada.address)).status == 404
            monkeypatch.setattr(chain_index, "SLOT_SECONDS", 3600)
            monkeypatch.setattr(chain_index, "REQUEST_SECONDS", 60)
            node.posts.clear()
            found = await asyncio.gather(*(entry(world, ada.address) for _ in range(5)))
            assert {answer.headers.get("Location") for answer in found} == {f"{ORIGIN}/sealed/{world.chain_id}/{gift}"}
            chain_scenario.anvil.mine()
            strangers = (chain_scenario.account(f"stranger {number}").address for number in range(10))
            assert {answer.status for answer in await asyncio.gather(*(entry(world, each) for each in strangers))} == {
                404
            }
            assert node.methods().count("eth_getLogs") == 1


async def test_who_mistyped_the_address_of_a_sheet_is_not_told_that_its_gift_was_opened(
    world: ApiWorld, giver: LocalAccount, ada: LocalAccount
) -> None:
    """It is written on the sheet for those without a camera, and its capitals tell where a digit differs."""
    world.scenario.create_gift(giver, ada.address, eth=1)
    await indexed(world)
    wrong = ada.address[:-1] + ("0" if ada.address[-1] != "0" else "1")
    for typed in (wrong, ada.address[:-1], f"{ada.address}.", ada.address.replace("0x", "Ox"), wrong.upper()):
        answer = await entry(world, typed, "?paper=1")
        told = PageTags(answer.body).text
        assert (answer.status, "compare it with your sheet" in told, "opened" in told) == (404, True, False), typed
    told = PageTags((await entry(world, wrong.lower(), "?paper=1")).body).text  # without capitals nobody can tell
    assert "compare it with your sheet" in told


async def test_what_lies_on_a_test_chain_takes_no_sheet_away_from_a_gift_on_mainnet(
    chain_scenario: Scenario, engine: AsyncEngine, giver: LocalAccount, ada: LocalAccount
) -> None:
    """Sealing is free on a test chain, and its nodes fail more often: neither hides a gift of value."""
    with Anvil(chain_id=1) as mainnet:
        real = Scenario(mainnet, deploy(mainnet))
        environ = real.deployment.settings_environ(1, mainnet.url)
        both = {**GIFTS, **environ, "CHAINS": f"{chain_scenario.anvil.chain_id},1"}
        async with open_world(chain_scenario, engine, **both) as world:
            meant = real.create_gift(real.account("giver"), ada.address, eth=1)
            await world.parts.chain_indexes[1].run()
            moved = await entry(world, ada.address)  # while nobody knows what is on the test chain
            assert moved.headers["Location"] == f"{ORIGIN}/sealed/1/{meant}"
            chain_scenario.anvil.set_time(max(chain_scenario.anvil.now(), mainnet.now()) + 50)
            chain_scenario.create_gift(giver, ada.address, eth=1)
            alone = chain_scenario.create_gift(giver, giver.address, eth=1)
            await indexed(world)
            moved = await entry(world, ada.address)
            assert moved.headers["Location"] == f"{ORIGIN}/sealed/1/{meant}"
            moved = await entry(world, giver.address)  # on mainnet there is none for them
            assert moved.headers["Location"] == f"{ORIGIN}/sealed/{world.chain_id}/{alone}"


# -- what is kept of it ---------------------------------------------------------------------------


async def test_neither_log_nor_metrics_hold_a_path_or_a_query(
    world: ApiWorld, giver: LocalAccount, ada: LocalAccount, capsys: pytest.CaptureFixture[str]
) -> None:
    """Routes are counted; no address, no number of a gift and nothing of a query, granted, refused or failed."""
    configure_logging(world.parts.settings)
    gift = world.scenario.create_gift(giver, ada.address, eth=1)
    await indexed(world)
    capsys.readouterr()
    for query in ("", f"?o=eid&h={SECRET}&x={SECRET}"):
        await page(world, gift, query)
        await page(world, 987654321, query)
        await entry(world, ada.address, query)
        await entry(world, SECRET, query)
        await facts(world, 987654321)
    world.scenario.anvil.set_code(world.scenario.deployment.token_white_list, "0x")
    await page(world, 987654321, f"?h={SECRET}")
    written = "".join(capsys.readouterr())
    async with world.session.get(world.metrics_url + "/metrics") as response:
        metrics = await response.text()
    assert written.count('"event": "request"') == 11
    assert 'route="/sealed/{chain_id}/{timelock_id}"' in metrics
    for secret in (SECRET, ada.address[2:], ada.address[2:].lower(), "987654321", "o=eid"):
        assert secret not in written
        assert secret not in metrics


async def test_many_requests_of_one_client_are_refused(
    chain_scenario: Scenario, engine: AsyncEngine, giver: LocalAccount
) -> None:
    """Each costs calls of the chain: facts, pages and entries count together; images do not."""
    gift = chain_scenario.create_gift(giver, giver.address, eth=1)
    async with open_world(chain_scenario, engine, **GIFTS, RATE_LIMIT_PER_MINUTE="3") as world:
        await indexed(world)
        world.clock.ahead = 30 - world.clock() % 60  # not across the end of a minute
        answers = [await facts(world, gift), await page(world, gift), await entry(world, giver.address)]
        assert [answer.status for answer in answers] == [200, 200, 302]
        image = PageTags(answers[1].body).meta["og:image"].removeprefix(ORIGIN)
        refused = await facts(world, gift)
        assert (refused.status, refused.code) == (429, "rate_limited")
        for answer in (await page(world, gift), await entry(world, giver.address)):
            assert (answer.status, answer.headers["Content-Type"]) == (429, "text/html; charset=utf-8")
            assert 0 < int(answer.headers["Retry-After"]) <= 60
            assert "Please wait a moment" in PageTags(answer.body).text
        assert (await world.request("GET", image)).status == 200


async def test_without_gift_settings_no_page_is_served(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    """The facts say that this is not configured; there are no other routes."""
    async with open_world(chain_scenario, engine) as world:
        answer = await facts(world, 1)
        assert (answer.status, answer.code) == (503, "not_configured")
        assert (await page(world, 1)).status == 404
        assert (await world.request("GET", f"/gifts/{world.chain_id}/1")).status == 404


# -- what an address sealed -----------------------------------------------------------------------


async def test_timelocks_of_an_owner_are_listed_by_pages(
    world: ApiWorld, giver: LocalAccount, ada: LocalAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Type, state, amounts and day of each, the newest first; nothing of another owner."""
    s, d = world.scenario, world.scenario.deployment
    opened = s.create_gift(giver, ada.address, eth=1, duration=0)
    regular = s.create_timelock(giver, ada.address, tokens=[(d.usdc, 7)])
    s.create_gift(ada, giver.address, eth=1)
    sealed = s.create_gift(giver, ada.address, tokens=[(d.usdc, 250 * 10**6)], duration=DAY)
    s.withdraw_gift(ada, opened)
    await indexed(world)
    monkeypatch.setattr(owner_list, "PAGE_SIZE", 2)
    path = f"/timelocks?chainId={world.chain_id}&owner={giver.address.lower()}"
    first = (await world.request("GET", path)).body
    assert [(each["timelockId"], each["type"], each["state"]) for each in first["timelocks"]] == [
        (str(sealed), "gift", "sealed"),
        (str(regular), "regular", first["timelocks"][1]["state"]),
    ]
    assert first["timelocks"][0]["recipient"] == ada.address
    of_chain = {"timelockId", "type", "state", "recipient", "sealedAt", "unlockAt", "assets", "assetCount"}
    assert {name for each in first["timelocks"] for name in each} == of_chain
    (asset,) = first["timelocks"][0]["assets"]
    assert asset == {
        "token": to_checksum_address(d.usdc), "symbol": "USDC", "decimals": 6, "amount": "250000000", "tokenId": None
    }  # fmt: skip
    assert first["next"] == str(regular)
    second = (await world.request("GET", f"{path}&before={first['next']}")).body
    assert [(each["timelockId"], each["state"]) for each in second["timelocks"]] == [(str(opened), "ended")]
    assert second["next"] is None
    chain, owner = f"chainId={world.chain_id}", f"owner={ada.address}"
    for query, status, code, wrong in (
        (f"{chain}&owner=0x1", 422, "invalid_input", ["/owner"]),
        (f"{owner}&chainId=7", 422, "invalid_input", ["/chainId"]),
        (f"{chain}&{owner}&before=0", 422, "invalid_input", ["/before"]),
        (f"{owner}&chainId=mainnet", 400, "malformed", ["/chainId"]),
        (chain, 400, "malformed", ["/owner"]),
        ("before=1", 400, "malformed", ["/owner", "/chainId"]),
    ):
        bad = await world.request("GET", f"/timelocks?{query}")
        assert (bad.status, bad.body["code"], [each["pointer"] for each in bad.body["errors"]]) == (status, code, wrong)
