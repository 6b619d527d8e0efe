"""A gift sealed for an email address, in Chromium: a code proves the address, and the provider's wallet signs."""

import hashlib
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from eth_account.signers.local import LocalAccount
from playwright.async_api import expect
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.auth_proxy_stand_in import AuthProxyStandIn
from devnet.scenarios import Scenario
from reminder_worker.gifts.claim_link import LinkFlags
from reminder_worker.logging import configure_logging
from tests.integration.gift_page_browser import PageVisitor
from tests.integration.gift_page_world import USDC, GiftWorld, SealedGift, open_email_world

pytestmark = pytest.mark.asyncio(loop_scope="session")

REMEMBER_KEYS = """
window.made = [];
const generate = crypto.subtle.generateKey;
crypto.subtle.generateKey = async function (...terms) {
  const pair = await generate.apply(this, terms);
  window.made.push(pair.privateKey);
  return pair;
};
"""

EMAIL = "canary.ada@secret.example.org"
WAY_ON = re.compile(
    "wallet of your email address, which the sign-in provider Turnkey keeps for you.*To move it on.*people who run"
)
BY_EMAIL = LinkFlags(occasion="birthday", email=True)


@dataclass
class EmailWorld:
    gifts: GiftWorld
    provider: AuthProxyStandIn

    async def wallet(self, email: str = EMAIL, *, remembered: bool = True) -> LocalAccount:
        """Return the wallet of an email as the service makes it. `remembered`: the service also stores the address."""
        parts = self.gifts.api.parts
        made, wallet = self.provider.wallet(email, parts.hashes.sub_organization(email))
        address_hash = parts.hashes.gift_wallet(wallet.address.lower()) if remembered else None
        row = {"email": parts.hashes.hash_email(email), "made": made.id, "address": address_hash}
        insert = "insert into worker.gift_wallet (email_hash, timestamp_ms, sub_organization_id, address_hash)"
        async with parts.engine.begin() as connection:
            await connection.execute(text(f"{insert} values (:email, 1, :made, :address)"), row)
        return wallet

    async def seal(self, wallet: LocalAccount, **terms: Any) -> SealedGift:
        return await self.gifts.seal(wallet, marks=BY_EMAIL, **terms)


@pytest_asyncio.fixture(loop_scope="session")
async def world(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[EmailWorld]:
    async with open_email_world(chain_scenario, engine) as (gifts, provider):
        yield EmailWorld(gifts, provider)


async def type_email(visitor: PageVisitor, email: str) -> None:
    await visitor.page.get_by_label("Your email address").fill(email)
    await visitor.page.get_by_role("button", name="Send me a code").click()


async def type_code(visitor: PageVisitor, code: str) -> None:
    await visitor.page.get_by_label("The code from the email").fill(code)
    await visitor.page.get_by_role("button", name="Open my gift").click()


async def ask_for_code(visitor: PageVisitor, gift: SealedGift, email: str = EMAIL) -> None:
    await visitor.page.goto(gift.url)
    await have_code_sent(visitor, email)


async def have_code_sent(visitor: PageVisitor, email: str = EMAIL) -> None:
    await type_email(visitor, email)
    await expect(visitor.page.get_by_label("The code from the email")).to_be_focused()


async def see_it_claimed(visitor: PageVisitor) -> None:
    await expect(visitor.page.get_by_text(re.compile("has received it|is yours"))).to_be_visible()


async def problem(visitor: PageVisitor) -> str:
    shown = visitor.page.get_by_role("alert").filter(has_text=re.compile(r"\w"))
    await expect(shown).to_be_visible()
    return await shown.inner_text()


async def relayed(world: EmailWorld) -> int:
    (row,) = await world.gifts.api.sql("select count(*) from worker.relay_request")
    return int(row.count)


@pytest.mark.parametrize("version", ["1", "2"])
async def test_a_gift_for_an_email_is_sealed_and_opened(
    world: EmailWorld, visitor: PageVisitor, capsys: pytest.CaptureFixture[str], version: str
) -> None:
    """From the giver's question to the tokens in the email's wallet; the address and the code are with nobody else."""
    gifts, provider = world.gifts, world.provider
    gifts.become(version)
    configure_logging(gifts.api.parts.settings)
    gifts.scenario.send(gifts.giver, gifts.giver.address)
    deadline = gifts.api.deadline()
    message = {"emailHash": hashlib.sha256(EMAIL.encode()).digest(), "deadline": deadline}
    types = {"GiftEmailWallet": [{"name": "emailHash", "type": "bytes32"}, {"name": "deadline", "type": "uint256"}]}
    domain = {"name": "Reminder Worker", "version": "1", "chainId": gifts.api.chain_id}
    signature = gifts.giver.sign_typed_data(domain, types, message).signature.to_0x_hex()
    asked = {"chainId": gifts.api.chain_id, "giver": gifts.giver.address, "email": EMAIL, "deadline": deadline}
    answer = await gifts.api.post("/gift/recipient-wallet", asked | {"signature": signature})
    wallet = provider.keys[answer.body["address"].lower()]
    gift = await world.seal(wallet)

    await visitor.page.goto(gift.url)
    before = visitor.page.locator("#advice").get_by_text("Ask them where that is before you open the gift.")
    await expect(before).to_have_count(1 if version == "1" else 0)
    ask_us = visitor.page.get_by_text("Ask us: how to reach us is at the foot of this page.")
    await expect(ask_us).to_have_count(1 if version == "1" else 0)
    await ask_for_code(visitor, gift, "  Canary.ADA@Secret.Example.ORG ")
    (code,) = provider.mailbox[EMAIL]
    await type_code(visitor, f" {code[:3]} {code[3:]} ")
    if version == "2":
        await expect(ask_us).to_be_visible()
        await visitor.page.get_by_role("button", name="Keep it in the gift wallet").click()
    await see_it_claimed(visitor)
    await expect(visitor.page.get_by_text(WAY_ON)).to_be_visible()
    await expect(ask_us).to_be_visible()
    await expect(visitor.page.get_by_text("Opening it was free. Only sending it on later costs")).to_be_visible()

    assert gifts.received(gift) == 250 * USDC
    assert await gifts.state(gift) == "claimed"
    (login,) = provider.logins
    assert (login["organizationId"], provider.sign_ups) == (provider.only.id, 0)
    assert provider.answers["account"] == 0, "the sub-organization is known: nobody is asked by email"
    assert visitor.foreign(gifts.origin, provider.url) == []
    assert (visitor.violations, visitor.faults) == ([], [])
    to_us = [each for each in visitor.wire.sent if each.url.startswith(gifts.origin)]
    to_provider = [each for each in visitor.wire.sent if each.url.startswith(provider.url)]
    assert {urlsplit(each.url).path for each in to_provider} >= {"/v1/otp_init_v2", "/v1/otp_login_v2"}
    kept = await visitor.stored() + "".join(visitor.console)
    written = "".join(capsys.readouterr())
    for words in ("canary.ada", "Canary.ADA", code, login["verificationToken"], login["publicKey"]):
        assert not any(words.encode() in each.head + each.body for each in to_us)
        assert words not in kept
        assert words not in written
    assert not any(code.encode() in each.body for each in to_provider), "the code leaves the page encrypted"
    assert not any(b"referer:" in each.head.lower() or b"cookie:" in each.head.lower() for each in to_provider)


async def test_ether_for_an_email_is_opened_although_signing_takes_a_while(
    world: EmailWorld, visitor: PageVisitor
) -> None:
    """The other lane; the provider's activity is pending at first."""
    world.provider.polls = 1
    gift = await world.seal(await world.wallet(), ether=True)
    await ask_for_code(visitor, gift)
    await type_code(visitor, world.provider.mailbox[EMAIL][-1])
    await see_it_claimed(visitor)
    assert world.gifts.received(gift) == gift.amount


# Signs anew until r or s begins with a zero byte that DER leaves out: one signature in 256.
SHORT_NUMBERS = """
const sign = crypto.subtle.sign.bind(crypto.subtle);
crypto.subtle.sign = async (...asked) => {
  for (;;) {
    const raw = await sign(...asked);
    const bytes = new Uint8Array(raw);
    if ([0, 32].some((at) => bytes[at] === 0 && bytes[at + 1] < 128)) return raw;
  }
};
"""


async def test_a_signature_of_small_numbers_is_accepted_as_any_other(world: EmailWorld, visitor: PageVisitor) -> None:
    """The provider refuses signatures in inexact DER: an unlucky visitor would read of an outage."""
    await visitor.page.add_init_script(SHORT_NUMBERS)
    gift = await world.seal(await world.wallet())
    await ask_for_code(visitor, gift)
    await type_code(visitor, world.provider.mailbox[EMAIL][-1])
    await see_it_claimed(visitor)
    assert world.provider.answers["sign_raw_payload"] == 1


async def test_what_no_wallet_can_be_made_for_is_sent_no_code(world: EmailWorld, visitor: PageVisitor) -> None:
    """Else the code comes, and opens nothing."""
    gift = await world.seal(await world.wallet())
    for typed in ("canary.ada@secret..example.org", "İsmail@example.org", '"ada"@example.org', "ada"):
        await visitor.page.goto("about:blank")
        await visitor.page.goto(gift.url)
        await type_email(visitor, typed)
        assert "This is no email address" in await problem(visitor)
        assert world.provider.mailbox == {}


async def test_a_wrong_code_and_one_that_expired_are_told_and_another_is_sent(
    world: EmailWorld, visitor: PageVisitor
) -> None:
    gift = await world.seal(await world.wallet())
    await ask_for_code(visitor, gift)
    (code,) = world.provider.mailbox[EMAIL]
    await type_code(visitor, "000000" if code != "000000" else "000001")
    assert "does not fit" in await problem(visitor)
    await expect(visitor.page.get_by_label("The code from the email")).to_be_focused()
    world.provider.expire(EMAIL)
    await type_code(visitor, code)
    assert "no longer valid" in await problem(visitor)
    await visitor.page.get_by_role("button", name="Send another code").click()
    await expect(visitor.page.get_by_label("The code from the email")).to_have_value("")
    assert len(world.provider.mailbox[EMAIL]) == 2
    await type_code(visitor, world.provider.mailbox[EMAIL][-1])
    await see_it_claimed(visitor)
    assert world.provider.answers["otp_verify_v2"] == 3


async def test_a_phone_that_forgets_the_page_while_the_code_is_looked_up_asks_for_it_again(
    world: EmailWorld, visitor: PageVisitor
) -> None:
    """Else whoever comes back from their mail would need the next code, for ever. The address is kept nowhere."""
    gift, page = await world.seal(await world.wallet()), visitor.page
    await ask_for_code(visitor, gift)
    assert "canary" not in await visitor.stored()
    await page.reload()
    await expect(page.get_by_label("The code from the email")).to_be_focused()
    await type_code(visitor, world.provider.mailbox[EMAIL][-1])
    await see_it_claimed(visitor)
    assert "gift-code" not in await visitor.stored()


async def test_another_email_does_not_open_the_gift(world: EmailWorld, visitor: PageVisitor) -> None:
    """Nor one that has a wallet of its own: it is told, and nothing is signed, relayed or signed up."""
    gift = await world.seal(await world.wallet())
    await world.wallet("somebody@else.example.org")
    for email in ("somebody@else.example.org", "nobody@else.example.org"):
        await ask_for_code(visitor, gift, email)
        await type_code(visitor, world.provider.mailbox[email][-1])
        assert "does not open this gift" in await problem(visitor)
        await expect(visitor.page.get_by_label("Your email address")).to_be_focused()
    assert (world.provider.sign_ups, world.provider.answers["sign_raw_payload"], await relayed(world)) == (0, 0, 0)
    assert await world.gifts.state(gift) == "open"


@pytest.mark.parametrize("signed_in_before", [True, False])
async def test_a_wallet_that_the_service_knows_no_address_of_is_asked_for_by_email(
    world: EmailWorld, visitor: PageVisitor, signed_in_before: bool
) -> None:
    """Made before addresses were kept: found where somebody signed in to it; and never is another one made."""
    gift = await world.seal(await world.wallet(remembered=False))
    if signed_in_before:
        world.provider.verified.add(world.provider.only.id)
    await ask_for_code(visitor, gift)
    await type_code(visitor, world.provider.mailbox[EMAIL][-1])
    if signed_in_before:
        await see_it_claimed(visitor)
    else:
        assert "does not open this gift" in await problem(visitor)
    assert (len(world.provider.organizations), world.provider.sign_ups) == (1, 0)


async def test_the_key_of_a_session_cannot_be_read_from_the_page(world: EmailWorld, visitor: PageVisitor) -> None:
    """The session key signs as the recipient until the provider ends the session."""
    await visitor.context.add_init_script(REMEMBER_KEYS)
    await ask_for_code(visitor, await world.seal(await world.wallet()))
    await type_code(visitor, world.provider.mailbox[EMAIL][-1])
    await see_it_claimed(visitor)
    assert await visitor.page.evaluate("() => window.made.map((each) => each.extractable)") == [False]


async def test_whoever_stands_in_for_the_provider_learns_no_code(world: EmailWorld, visitor: PageVisitor) -> None:
    """A key that the provider's enclave has not signed is not encrypted to."""
    world.provider.forges_bundles = True
    gift = await world.seal(await world.wallet())
    await ask_for_code(visitor, gift)
    await type_code(visitor, world.provider.mailbox[EMAIL][-1])
    assert "does not answer right now" in await problem(visitor)
    assert world.provider.answers["otp_verify_v2"] == 0


async def test_another_keys_signature_is_not_sent(world: EmailWorld, visitor: PageVisitor) -> None:
    world.provider.signs_with = world.gifts.person("mallory")
    gift = await world.seal(await world.wallet())
    await ask_for_code(visitor, gift)
    await type_code(visitor, world.provider.mailbox[EMAIL][-1])
    assert "does not open this gift" in await problem(visitor)
    assert await relayed(world) == 0


async def test_what_the_provider_refuses_is_said_in_words(world: EmailWorld, visitor: PageVisitor) -> None:
    """Too many tries, an outage, an address that is none; the person can go on when it is over."""
    gift = await world.seal(await world.wallet())
    await visitor.page.goto(gift.url)
    for status, words in ((429, "tried too often"), (503, "does not answer"), (400, "no email address")):
        world.provider.refuses = {"otp_init_v2": status}
        await type_email(visitor, EMAIL)
        await expect(visitor.page.get_by_role("alert").filter(has_text=words)).to_be_visible()
    await visitor.page.reload()
    for no_address in ("", "ada", "ada@", "ada@example", "a b@example.org"):
        await type_email(visitor, no_address)
        assert "no email address" in await problem(visitor)
    world.provider.refuses = {}
    await have_code_sent(visitor)
    for name, status, words in (("otp_verify_v2", 429, "tried too often"), ("otp_login_v2", 500, "does not answer")):
        world.provider.refuses = {name: status}
        await type_code(visitor, world.provider.mailbox[EMAIL][-1])
        await expect(visitor.page.get_by_role("alert").filter(has_text=words)).to_be_visible()
    world.provider.refuses = {}
    await visitor.page.get_by_role("button", name="Send another code").click()
    await expect(visitor.page.get_by_label("The code from the email")).to_have_value("")
    await type_code(visitor, world.provider.mailbox[EMAIL][-1])
    await see_it_claimed(visitor)


async def test_a_link_chooses_neither_the_provider_nor_its_key(world: EmailWorld, visitor: PageVisitor) -> None:
    """Whatever stands in the query or behind the #: the page talks to whom the service names."""
    gift = await world.seal(await world.wallet())
    evil = "http://127.0.0.1:9"
    more = f"&authProxyUrl={evil}&apiUrl={evil}&codeSigningKey=04{'ab' * 64}"
    before, _, fragment = gift.url.partition("#")
    await visitor.page.goto(f"{before}{more}#{fragment}{more}")
    await have_code_sent(visitor)
    await type_code(visitor, world.provider.mailbox[EMAIL][-1])
    await see_it_claimed(visitor)
    assert visitor.foreign(world.gifts.origin, world.provider.url) == []
