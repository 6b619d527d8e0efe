"""Wallets for email addresses: one for each email, controlled by its owner alone; the email is not stored."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import AsyncMock

import aiohttp
import pytest
from aiohttp import web
from eth_account import Account
from eth_account.signers.local import LocalAccount
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine
from structlog.testing import capture_logs

from devnet.chain import Anvil
from devnet.deploy import deploy
from devnet.identity_provider_stand_in import FakeTime, IdentityProviderStandIn
from devnet.scenarios import Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.errors import AlreadyUsed, Expired, InvalidInput, LimitReached, Misconfigured, SignerMismatch
from reminder_worker.gifts.identity_provider import IdentityProvider, IdentityProviderUnavailable, NotCreated
from reminder_worker.gifts.wallets import MOST_GIVEN_BACK, GiftWallets, GiverUnknown, WalletNotUsable, WalletRequest
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.quotas import QuotaCounters
from tests.integration.api_world import HASH_KEY, settings_for

EMAIL = "Grandchild.Canary@Post.Example"
NORMAL = "grandchild.canary@post.example"
TYPES = {"GiftEmailWallet": [{"name": "emailHash", "type": "bytes32"}, {"name": "deadline", "type": "uint256"}]}


@dataclass
class WalletWorld:
    engine: AsyncEngine
    scenario: Scenario
    provider: IdentityProviderStandIn
    time: FakeTime
    session: aiohttp.ClientSession
    chains: dict[int, Chain]
    wallets: GiftWallets
    _deadlines: int = 0

    @property
    def giver(self) -> LocalAccount:
        account = self.scenario.account("giver")
        if self.scenario.anvil.rpc("eth_getTransactionCount", account.address, "latest") == "0x0":
            self.scenario.send(account, account.address)
        return account

    def request(self, email: str = EMAIL, signer: LocalAccount | None = None, **changes: Any) -> WalletRequest:
        signer = signer or self.giver
        self._deadlines += 1
        deadline = int(self.time()) + 1800 + self._deadlines
        chain_id = self.scenario.anvil.chain_id
        domain = {"name": "Reminder Worker", "version": "1", "chainId": chain_id}
        message = {"emailHash": hashlib.sha256(email.strip().lower().encode()).digest(), "deadline": deadline}
        signature = bytes(signer.sign_typed_data(domain, TYPES, message).signature)
        return replace(WalletRequest(chain_id, signer.address.lower(), email, deadline, signature), **changes)

    def another(self, **more: str) -> GiftWallets:
        """Return the service as another process sees it, with other settings if given."""
        settings = settings_for(
            self.scenario, "postgresql://unused@localhost/unused", **(self.provider.settings() | more)
        )
        assert settings.identity_provider is not None
        quotas = QuotaCounters(self.engine, self.time)
        client = IdentityProvider(settings.identity_provider, self.session, quotas, self.time.sleep, self.time)
        hashes = KeyedHash(HASH_KEY)
        return GiftWallets(self.engine, hashes, quotas, self.chains, settings.identity_provider, client)


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[WalletWorld]:
    async with AsyncExitStack() as stack:
        time = FakeTime()
        provider = await stack.enter_async_context(IdentityProviderStandIn(time))
        session = await stack.enter_async_context(aiohttp.ClientSession())
        settings = settings_for(chain_scenario, "postgresql://unused@localhost/unused", **provider.settings())
        chains = {chain.chain_id: Chain(chain) for chain in settings.chains}
        for chain in chains.values():
            stack.push_async_callback(chain.close)
        made = WalletWorld(engine, chain_scenario, provider, time, session, chains, wallets=None)  # type: ignore[arg-type]
        made.wallets = made.another()
        yield made


def address_of(world: WalletWorld) -> str:
    return str(world.provider.only.accounts["wallet-1"][0]["address"])


async def test_an_email_gets_a_wallet_and_keeps_it(world: WalletWorld) -> None:
    first = await world.wallets.find_address(world.request())
    again = await world.another().find_address(world.request(" " + EMAIL.upper()))
    assert first == again == address_of(world)
    assert world.provider.only.users[0]["userEmail"] == NORMAL
    assert world.provider.answers["create_sub_organization"] == 1


async def test_the_database_and_the_providers_names_hold_nothing_of_the_email(world: WalletWorld) -> None:
    await world.wallets.find_address(world.request())
    async with world.engine.connect() as connection:
        stored = str(await connection.scalar(text("select w::text from worker.gift_wallet w"))).lower()
        hashed = await connection.scalar(text("select encode(email_hash, 'hex') from worker.gift_wallet"))
    assert hashed in stored, "bytes are shown in hex"
    for trace in ("canary", b"canary".hex()):
        assert trace not in stored
    assert hashlib.sha256(NORMAL.encode()).hexdigest() not in stored, "a plain hash can be guessed"
    assert "canary" not in world.provider.only.name
    assert hashed not in world.provider.only.name


async def test_the_sub_organization_is_known_by_the_wallets_address_which_is_not_kept(world: WalletWorld) -> None:
    """Whoever signs in names it; a wallet from before this was kept is known once it is asked for again."""
    address = await world.wallets.find_address(world.request())
    assert await world.wallets.find_sub_organization(address) == world.provider.only.id
    assert await world.wallets.find_sub_organization("0x" + "12" * 20) is None
    async with world.engine.begin() as connection:
        assert address[2:] not in await connection.scalar(text("select w::text from worker.gift_wallet w"))
        await connection.execute(text("update worker.gift_wallet set address_hash = null"))
    assert await world.wallets.find_sub_organization(address) is None
    await world.wallets.find_address(world.request())
    assert await world.wallets.find_sub_organization(address) == world.provider.only.id


async def test_requests_at_once_make_one_sub_organization(world: WalletWorld) -> None:
    """Also through two processes, while the activity is pending; they share one bucket of a request a second."""
    world.provider.a_second = 99  # the clock of this test jumps for everybody when one waits
    world.provider.polls = 2
    other = world.another()
    requests = [world.request() for _ in range(4)]
    found = await asyncio.gather(
        *(wallets.find_address(request) for wallets, request in zip([world.wallets, other] * 2, requests, strict=True)),
        return_exceptions=True,
    )
    addresses = {each for each in found if isinstance(each, str)}
    assert addresses == {address_of(world)}, found
    assert len(world.provider.organizations) == 1
    async with world.engine.connect() as connection:
        statement = "select count(*), max(used) from worker.quota where scope = 'identity_provider'"
        seconds, most = (await connection.execute(text(statement))).one()
    assert (seconds, most) == (world.provider.answers.total(), 1)


async def test_a_creation_that_takes_its_time_is_asked_about_and_not_repeated(world: WalletWorld) -> None:
    world.provider.polls = 2  # created, then pending
    assert await world.wallets.find_address(world.request()) == address_of(world)
    asked = world.provider.answers
    assert (asked["create_sub_organization"], asked["get_activity"]) == (1, 2)


async def test_an_answer_that_never_arrived_is_no_second_creation(world: WalletWorld) -> None:
    world.provider.breaks = 1
    world.provider.polls = 1  # so that the name does not find it yet
    with pytest.raises(IdentityProviderUnavailable):
        await world.wallets.find_address(world.request())
    assert await world.wallets.find_address(world.request()) == address_of(world)
    assert len(world.provider.activities) == 1, "the same bytes are the same activity"


async def test_one_made_before_the_database_was_lost_is_found_by_its_name(world: WalletWorld) -> None:
    before = await world.wallets.find_address(world.request())
    async with world.engine.begin() as connection:
        await connection.execute(text("delete from worker.gift_wallet"))
    assert await world.wallets.find_address(world.request()) == before
    assert len(world.provider.organizations) == 1


@pytest.mark.parametrize("status", ["FAILED", "CONSENSUS_NEEDED"])
async def test_a_creation_that_ended_badly_is_told_and_can_be_tried_again(world: WalletWorld, status: str) -> None:
    world.provider.ends_as = f"ACTIVITY_STATUS_{status}"
    with pytest.raises(NotCreated):
        await world.wallets.find_address(world.request())
    world.provider.ends_as = "ACTIVITY_STATUS_COMPLETED"
    world.time.seconds += 1
    assert await world.wallets.find_address(world.request()) == address_of(world)


async def test_what_the_provider_says_of_a_failure_is_not_logged(world: WalletWorld) -> None:
    world.provider.ends_as = f"ACTIVITY_STATUS_FAILED: {NORMAL}"
    with capture_logs() as logs, pytest.raises(IdentityProviderUnavailable):
        await world.wallets.find_address(world.request())
    assert logs
    assert NORMAL not in str(logs)


def stranger(organization: Any) -> None:
    organization.users.append({**organization.users[0], "userId": "user-9", "userEmail": "thief@post.example"})


def passkey(organization: Any) -> None:
    organization.users[0]["authenticators"] = [{"authenticatorId": "1"}]


def lasting_key(organization: Any) -> None:
    key = {"credential": {"type": "CREDENTIAL_TYPE_API_KEY_P256"}, "expirationSeconds": "900"}
    organization.users[0]["apiKeys"] = [key]


def endless_session(organization: Any) -> None:
    organization.users[0]["apiKeys"] = [{"credential": {"type": "CREDENTIAL_TYPE_LOGIN"}}]


def social_login(organization: Any) -> None:
    organization.users[0]["oauthProviders"] = [{"providerId": "1"}]


def phone(organization: Any) -> None:
    organization.users[0]["userPhoneNumber"] = "+10000000000"


def other_email(organization: Any) -> None:
    organization.users[0]["userEmail"] = "thief@post.example"


def imported_wallet(organization: Any) -> None:
    organization.wallets[0]["imported"] = True


def second_wallet(organization: Any) -> None:
    organization.wallets.append({"walletId": "wallet-2", "walletName": "Gift", "imported": False})


def other_account(organization: Any) -> None:
    organization.accounts["wallet-1"][0]["path"] = "m/44'/60'/0'/0/1"


def no_address(organization: Any) -> None:
    organization.accounts["wallet-1"][0]["address"] = "0x" + "zz" * 20


async def test_a_wallet_that_somebody_else_may_control_is_never_answered(world: WalletWorld) -> None:
    await world.wallets.find_address(world.request())
    good = deepcopy(world.provider.only)
    for tampered in (
        stranger,
        passkey,
        lasting_key,
        endless_session,
        social_login,
        phone,
        other_email,
        imported_wallet,
        second_wallet,
        other_account,
        no_address,
    ):
        world.provider.organizations[good.id] = deepcopy(good)
        tampered(world.provider.only)
        async with world.engine.begin() as connection:
            await connection.execute(text("delete from worker.quota"))
        with pytest.raises(WalletNotUsable):
            await world.wallets.find_address(world.request())


async def test_an_owner_who_signed_in_by_a_code_keeps_the_wallet(world: WalletWorld) -> None:
    before = await world.wallets.find_address(world.request())
    session = {"credential": {"type": "CREDENTIAL_TYPE_LOGIN"}, "expirationSeconds": "900"}
    world.provider.only.users[0]["apiKeys"] = [session]
    assert await world.wallets.find_address(world.request()) == before


@asynccontextmanager
async def answering(answer: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> AsyncIterator[str]:
    """Return a server in place of the provider, and its address."""
    app = web.Application()
    app.router.add_post("/public/v1/{kind}/{name}", answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def test_an_answer_that_is_none_is_the_providers_fault_and_nothing_is_kept_of_it(world: WalletWorld) -> None:
    """No JSON, no UTF-8, a NUL, an empty id, nested without end, or a redirect."""
    ids = [b'["\xff"]', b'["\\u0000"]', b'[""]']
    bodies = iter([b"<html>", *(b'{"organizationIds": ' + each + b"}" for each in ids), b'{"more": ' + b"[" * 100_000])

    async def answer(request: web.Request) -> web.StreamResponse:
        if (body := next(bodies, None)) is None:
            raise web.HTTPTemporaryRedirect(world.provider.url + request.path)
        return web.Response(body=body)

    async with answering(answer) as url:
        for _ in range(6):
            with pytest.raises(IdentityProviderUnavailable):
                await world.another(TURNKEY_URL=url).find_address(world.request())
    assert not world.provider.answers, "no email follows a redirect"
    assert await world.wallets.find_address(world.request()) == address_of(world)


async def test_a_refusal_does_not_say_that_an_email_has_no_wallet_yet(world: WalletWorld) -> None:
    """Or another one would be made for it."""
    asked = []

    async def answer(request: web.Request) -> web.StreamResponse:
        asked.append(request.match_info["name"])
        return web.json_response({"code": 7, "message": "permission denied"}, status=403)

    async with answering(answer) as url:
        with pytest.raises(IdentityProviderUnavailable):
            await world.another(TURNKEY_URL=url).find_address(world.request())
    assert asked == ["list_suborgs"]


async def test_a_sub_organization_squatting_on_the_name_is_not_answered(world: WalletWorld) -> None:
    await world.wallets.find_address(world.request())
    async with world.engine.begin() as connection:
        await connection.execute(text("delete from worker.gift_wallet"))
    twin = replace(world.provider.only, id="squatter")
    world.provider.organizations["squatter"] = twin
    with pytest.raises(WalletNotUsable):
        await world.wallets.find_address(world.request())


async def test_wallet_of_another_person_is_not_remembered_for_an_email(
    world: WalletWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the provider once names another person's wallet, later gifts still go to the right person."""
    theirs = await world.wallets.find_address(world.request("friend@post.example"))
    with monkeypatch.context() as once:
        once.setattr(IdentityProvider, "create_organization", AsyncMock(return_value=world.provider.only.id))
        with pytest.raises(WalletNotUsable):
            await world.wallets.find_address(world.request())
    assert await world.wallets.find_address(world.request()) != theirs


async def test_the_message_is_the_givers_about_this_email_and_used_once(world: WalletWorld) -> None:
    request = world.request()
    with pytest.raises(SignerMismatch):
        await world.wallets.find_address(replace(request, giver=world.scenario.account("thief").address.lower()))
    with pytest.raises(SignerMismatch):
        await world.wallets.find_address(replace(request, email="other@post.example"))
    with pytest.raises(Expired):
        await world.wallets.find_address(replace(request, deadline=int(world.time()) - 1))
    with pytest.raises(InvalidInput) as refused:
        await world.wallets.find_address(replace(request, email="Zaffre at home"))
    assert "Zaffre" not in f"{refused.value}{refused.value.faults}"
    await world.wallets.find_address(request)
    asked = world.provider.answers.total()
    with pytest.raises(AlreadyUsed):
        await world.wallets.find_address(request)
    assert world.provider.answers.total() == asked, "a captured message uses up nothing of the provider's limits"


async def test_a_failed_request_does_not_spend_the_message(world: WalletWorld) -> None:
    request = world.request()
    world.provider.breaks = 1
    with pytest.raises(IdentityProviderUnavailable):
        await world.wallets.find_address(request)
    assert await world.wallets.find_address(request) == address_of(world)


async def test_what_fails_for_the_providers_sake_is_not_counted_against_the_giver(world: WalletWorld) -> None:
    """Or an hour in which it is away would end the giver's day."""
    one = world.another(GIFT_WALLETS_PER_GIVER="1")
    away = world.another(GIFT_WALLETS_PER_GIVER="1", TURNKEY_URL="http://127.0.0.1:1")
    for _ in range(2):
        with pytest.raises(IdentityProviderUnavailable):
            await away.find_address(world.request())
    assert await one.find_address(world.request()) == address_of(world)
    with pytest.raises(LimitReached):
        await one.find_address(world.request())


async def test_a_giver_whose_requests_keep_failing_comes_to_an_end(world: WalletWorld) -> None:
    """Every new email uses one of the day's creations, also when its creation fails."""
    away = world.another(GIFT_WALLETS_PER_GIVER="2", TURNKEY_URL="http://127.0.0.1:1")
    for number in range(2 + MOST_GIVEN_BACK):
        with pytest.raises(IdentityProviderUnavailable):
            await away.find_address(world.request(f"person-{number}@post.example"))
    with pytest.raises(LimitReached):
        await away.find_address(world.request())


async def test_a_key_made_for_the_request_cannot_burn_the_cap(world: WalletWorld) -> None:
    throwaway = Account.create()
    with pytest.raises(GiverUnknown):
        await world.wallets.find_address(world.request(signer=throwaway))
    assert not world.provider.answers


async def test_a_premium_giver_who_never_sent_anything_is_welcome(world: WalletWorld) -> None:
    newcomer = world.scenario.account("newcomer")
    world.scenario.subscribe_premium(newcomer)
    world.scenario.anvil.rpc("anvil_setNonce", newcomer.address, "0x0")
    await world.wallets.find_address(world.request(signer=newcomer))


async def test_creations_and_givers_are_capped_by_the_day(world: WalletWorld) -> None:
    capped = world.another(GIFT_WALLETS_PER_DAY="1")
    await capped.find_address(world.request())
    with pytest.raises(LimitReached) as refused:
        await capped.find_address(world.request("second@post.example"))
    assert refused.value.code == "daily_cap_reached"
    await capped.find_address(world.request())  # an email that has its wallet is still answered
    eager = world.another(GIFT_WALLETS_PER_GIVER="1")
    with pytest.raises(LimitReached):
        await eager.find_address(world.request())


async def test_givers_on_a_test_chain_burn_half_of_the_days_creations_at_most(world: WalletWorld) -> None:
    """An account with a transaction is free on a test chain, and cannot use up the day of givers on mainnet."""
    with Anvil(chain_id=1) as mainnet:
        real = replace(world, scenario=Scenario(mainnet, deploy(mainnet)))
        environ = real.scenario.deployment.settings_environ(1, mainnet.url)
        settings = settings_for(world.scenario, "postgresql://unused@localhost/unused", **environ, CHAINS="1")
        async with Chain(settings.chains[0]) as world.chains[1]:
            capped = world.another(GIFT_WALLETS_PER_DAY="2")
            await capped.find_address(world.request())
            with pytest.raises(LimitReached) as refused:
                await capped.find_address(world.request("second@post.example"))
            assert refused.value.code == "daily_cap_reached"
            await capped.find_address(real.request("second@post.example"))
            with pytest.raises(LimitReached):
                await capped.find_address(real.request("third@post.example"))


async def test_a_private_key_of_another_public_key_is_refused_at_the_start(world: WalletWorld) -> None:
    with pytest.raises(Misconfigured) as refused:
        world.another(TURNKEY_API_PRIVATE_KEY="11" * 32)
    assert "11" * 32 not in str(refused.value)
