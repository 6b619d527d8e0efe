"""What people are shown of a relayed transaction: a failure at once, and an id only for a good signature."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.hostile import Signing
from devnet.scenarios import Scenario
from reminder_worker.relay.settle import pause_of
from tests.integration.api_world import World
from tests.integration.test_sponsor_api import (
    Sealed,
    check_in_body,
    claim_body,
    relayed,
    relaying,
    sealed,
    withdraw_body,
)

__all__ = ["sealed"]

LANES = ("claim", "check-in", "gift-withdraw")


@pytest.fixture
async def world(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[World]:
    async with relaying(chain_scenario, engine) as opened:
        yield opened


# -- a repeat of a request --------------------------------------------------------------------------


def body_of(world: World, sealed: Sealed, lane: str) -> dict[str, Any]:
    """A request that is good to be relayed."""
    if lane == "claim":
        return claim_body(world, sealed.legacy(), sealed.heir, [sealed.it.usdc])
    if lane == "check-in":
        world.scenario.subscribe_premium(sealed.owner)
        return check_in_body(world, sealed.legacy(opened=False), sealed.owner)
    return withdraw_body(world, sealed.gift(), sealed.heir)


def another_keys(world: World, sealed: Sealed, body: dict[str, Any]) -> str:
    """A signature of the right form, made by another key for another gift."""
    return str(withdraw_body(world, sealed.gift(), world.scenario.account("stranger"))["signature"])


REPEATS = [
    *((lane, state) for lane in LANES for state in ("as it is", "ended", "its signer is paused")),
    ("gift-withdraw", "the router was upgraded"),
]


@pytest.mark.parametrize("signature", ["0x", "of another key"])
@pytest.mark.parametrize(("lane", "state"), REPEATS)
async def test_public_fields_without_a_good_signature_tell_no_id(
    world: World, sealed: Sealed, lane: str, signature: str, state: str
) -> None:
    """All fields but the signature are public once the transaction was sent."""
    path, body = f"/sponsor/{lane}", body_of(world, sealed, lane)
    first = await relayed(world, path, body)
    forged = body | {"signature": "0x" if signature == "0x" else another_keys(world, sealed, body)}
    if state == "ended":
        await world.sql("update worker.relay_request set state = 'confirmed', call_data = null, salt = null")
    elif state == "its signer is paused":
        signer = next(str(body[name]) for name in ("beneficiary", "owner", "recipient") if name in body).lower()
        await world.sql(
            """insert into worker.quota (scope, subject, "window", used, ends_at)
            select 'relay_paused', :subject, day, 1, day + 86400
            from (select cast(extract(epoch from date_trunc('day', now(), 'utc')) as bigint)) as today(day)""",
            subject=pause_of(world.chain_id, signer),
        )
    elif state == "the router was upgraded":
        sealed.become("2")
    answer = await world.post(path, forged)
    assert answer.status != 202
    assert first.body["id"] not in str(answer.body)
    again = await world.post(path, body)
    assert (again.status, again.body["id"]) == (202, first.body["id"])


async def test_the_stored_signature_of_a_smart_wallet_is_a_repeat_also_when_the_wallet_changed(
    world: World, sealed: Sealed
) -> None:
    """Another signature is answered by the wallet as it is now."""
    wallet = world.scenario.create_hostile_wallet(sealed.heir)
    body = withdraw_body(world, sealed.gift(recipient=wallet), sealed.heir, on_behalf_of=wallet)
    first = await relayed(world, "/sponsor/gift-withdraw", body)
    world.scenario.set_signing(wallet, Signing.REVERTS)
    again = await world.post("/sponsor/gift-withdraw", body)
    assert (again.status, again.body["id"]) == (202, first.body["id"])
    other = body | {"signature": body["signature"] + "00"}
    assert (await world.post("/sponsor/gift-withdraw", other)).code == "signer_mismatch"
