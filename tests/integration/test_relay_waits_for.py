"""Wait reasons of open requests in the API: every reason, and none for an ended request."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.relay import wallet
from reminder_worker.relay.models import FOREIGN_NONCE, RequestView
from reminder_worker.relay.store import pause_subject
from tests.integration.chain_proxy import chain_settings, proxy
from tests.integration.relay_world import CEILING, CHAIN_ID, ETHER, GIFT_GAS, GWEI, RelayWorld, open_bare_world


@pytest.fixture
async def world(lasting_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[RelayWorld]:
    async with open_bare_world(lasting_scenario, engine) as opened:
        opened.by_hand()
        opened.base_fee(GWEI)
        opened.mine()
        yield opened


async def waits_for(world: RelayWorld, request: RequestView) -> str | None:
    found = await world.admission.waits_for(request.id)
    return found and found.value


def with_caps(world: RelayWorld, **caps: Any) -> None:
    world.caps = replace(world.caps, **caps)
    world.restart()


async def deferred(world: RelayWorld, label: str = "heir", **terms: Any) -> RequestView:
    """Return a request without a nonce: gas was above the ceiling when it came, and is cheap again."""
    gift = world.gift(label)
    world.base_fee(2 * CEILING)
    request = await world.admit(gift, **terms)
    world.mine()
    world.base_fee(GWEI)
    world.mine()
    return request


async def test_request_waits_for_fees_while_they_are_above_the_ceiling_sent_or_not(world: RelayWorld) -> None:
    sent, gift = await world.admit(world.gift("a")), world.gift("b")
    assert await waits_for(world, sent) is None
    world.base_fee(2 * CEILING)
    request = await world.admit(gift)
    assert [await waits_for(world, each) for each in (sent, request)] == ["fees", "fees"]
    world.mine()
    world.base_fee(GWEI)
    assert await waits_for(world, request) is None


async def test_request_beyond_the_balance_waits_for_it_sent_or_not(world: RelayWorld) -> None:
    sent = await world.admit(world.gift("a"))
    waiting = await deferred(world, "b")
    world.anvil.set_balance(world.wallet, 1)
    world.restart()
    assert [await waits_for(world, each) for each in (sent, waiting)] == ["balance", "balance"]


async def test_request_beyond_todays_cap_waits_for_the_daily_cap(world: RelayWorld) -> None:
    request = await deferred(world)
    with_caps(world, daily_wei=GIFT_GAS)
    assert await waits_for(world, request) == "daily_cap"
    assert (await world.run()).started == 0
    assert await waits_for(world, request) == "daily_cap", "as it was written down when it was tried"


async def test_request_waits_for_slots_and_wei_reserved_by_others(world: RelayWorld) -> None:
    with_caps(world, max_open=1)
    await world.admit(world.gift("a"))
    assert await waits_for(world, await world.admit(world.gift("b"))) == "earlier"


async def test_a_successor_waits_for_its_signers_earlier_one_until_that_is_mined(world: RelayWorld) -> None:
    one, two = world.gift("heir"), world.gift("heir")
    await world.admission.admit_request(world.withdrawal(one, nonce=0))
    second = await world.admission.admit_request(world.withdrawal(two, nonce=1), waits=True)
    assert await waits_for(world, second) == "earlier"
    await world.settle()
    assert await waits_for(world, second) is None


@pytest.mark.parametrize("why", ["the wallet is stopped", "its signer is paused"])
async def test_request_that_is_not_started_now_is_paused(world: RelayWorld, why: str) -> None:
    request = await deferred(world, ttl=10**6)
    if why == "the wallet is stopped":
        await world.execute("update worker.relay_wallet set stopped = :reason", reason=FOREIGN_NONCE)
    else:
        subject = pause_subject(CHAIN_ID, world.account("heir").address.lower())
        day = "cast(floor(extract(epoch from now()) / 86400) * 86400 as bigint)"
        await world.execute(
            f"insert into worker.quota values ('relay_paused', :subject, {day}, 1, {day} + 86400)", subject=subject
        )
        assert (await world.run()).started == 0
    assert await waits_for(world, request) == "paused"


async def test_request_whose_gift_was_paid_elsewhere_would_fail(world: RelayWorld) -> None:
    gift = world.gift()
    world.base_fee(2 * CEILING)
    request = await world.admit(gift, ttl=10**6)
    world.pay_out_by_vault(gift)
    world.base_fee(GWEI)
    world.mine()
    assert (await world.run()).started == 0
    assert await waits_for(world, request) == "would_fail"


@pytest.mark.parametrize("is_sent", [False, True])
async def test_request_waits_for_the_chain_while_no_endpoint_answers(
    world: RelayWorld, monkeypatch: pytest.MonkeyPatch, is_sent: bool
) -> None:
    """The answer comes soon, even if an endpoint hangs."""
    monkeypatch.setattr(wallet, "PRICE_WAIT_SECONDS", 0.05)
    request = await world.admit(world.gift()) if is_sent else await deferred(world)
    async with proxy(world.anvil.url) as hangs:
        chain = Chain(chain_settings(world.scenario, hangs.url))
        world.chain, before = chain, world.chain
        hangs.hang = True
        world.restart()
        assert await waits_for(world, request) == "chain"
        world.chain = before
        await chain.close()


async def test_ended_request_waits_for_nothing(world: RelayWorld) -> None:
    request = await world.admit(world.gift())
    world.mine()
    await world.run()
    world.base_fee(2 * CEILING)
    world.anvil.set_balance(world.wallet, ETHER)
    assert await world.state(request) == "mined"
    assert await waits_for(world, request) is None
    await world.settle()
    assert await waits_for(world, request) is None
