"""A recipient erases themself by a signature of their own wallet, and the creator sees that it was so."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from eth_account.signers.local import LocalAccount
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Legacy, Scenario
from tests.integration.api_world import ABOUT, CANARY_EMAIL, CANARY_NAME, ApiAnswer, ApiWorld, open_world, person
from tests.integration.other_chain import mirror, of_other_chain

ERASE = [{"name": "recipient", "type": "address"}, *ABOUT]
ALL = "0x" + "0" * 40


@pytest.fixture
async def world(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[ApiWorld]:
    async with open_world(chain_scenario, engine) as opened:
        yield opened


def signed(world: ApiWorld, signer: LocalAccount, about_legacy: str, recipient: str = "") -> dict[str, Any]:
    about = {"recipient": recipient or signer.address, "legacy": about_legacy, "deadline": world.deadline()}
    domain = {"name": "Reminder Worker", "version": "1", "chainId": world.chain_id}
    signature = signer.sign_typed_data(domain, {"EraseRecipient": ERASE}, about).signature.to_0x_hex()
    return {"chainId": world.chain_id, **about, "signature": signature}


async def erase(world: ApiWorld, signer: LocalAccount, about_legacy: str, **changes: Any) -> ApiAnswer:
    return await world.post("/erase-recipient", signed(world, signer, about_legacy) | changes)


async def shown(world: ApiWorld, owner: LocalAccount, legacy: Legacy) -> tuple[list[str], list[str]]:
    """The stored emails, and who erased themselves."""
    body = (await world.call(owner, "ReadRecipients", legacy)).body
    return [each["email"] for each in body["recipients"]], body["erasedThemselves"]


@pytest.mark.core
async def test_a_recipient_erases_themself_from_one_legacy_or_from_all(world: ApiWorld) -> None:
    """Nothing of the person is left in the database; the creator sees the address alone."""
    owner, heir = world.owner(), world.scenario.account("heir")
    me = person(recipient=heir.address, email=CANARY_EMAIL, name=CANARY_NAME)
    legacies = [world.legacy(owner) for _ in range(3)]
    for legacy in legacies:
        await world.ingest(owner, legacy, [me, person(2)])
    answer = await erase(world, heir, legacies[0].address)
    assert (answer.status, answer.body) == (200, {"erased": 1})
    assert await shown(world, owner, legacies[0]) == (["person2@example.org"], [heir.address])
    assert (await shown(world, owner, legacies[1]))[1] == []
    assert (await erase(world, heir, ALL)).body == {"erased": 2}
    assert (await erase(world, heir, ALL)).body == {"erased": 0}
    for legacy in legacies:
        assert await shown(world, owner, legacy) == (["person2@example.org"], [heir.address])
    counted = await world.sql("select cause, people from worker.erasure_count")
    assert [tuple(row) for row in counted] == [("signature", 3)]


async def test_a_signature_erases_nobody_on_another_chain(world: ApiWorld) -> None:
    owner, heir = world.owner(), world.scenario.account("heir")
    legacies = [world.legacy(owner) for _ in range(2)]
    for legacy in legacies:
        await world.ingest(owner, legacy, [person(recipient=heir.address)])
    await mirror(world.engine, world.chain_id)
    other = await of_other_chain(world.engine)
    assert len(other["recipient"]) == 2
    for about in (legacies[0].address, ALL):
        assert (await erase(world, heir, about)).body == {"erased": 1}
    assert await of_other_chain(world.engine) == other


async def test_only_the_recipients_own_fresh_signature_erases(world: ApiWorld) -> None:
    """A message counts once, for one recipient and legacy, before its deadline. A stranger learns nothing."""
    owner, heir, stranger = world.owner(), world.scenario.account("heir"), world.scenario.account("stranger")
    legacy = world.legacy(owner)
    await world.ingest(owner, legacy, [person(recipient=heir.address)])
    forged = [
        await erase(world, stranger, legacy.address, recipient=heir.address),
        await erase(world, heir, ALL, legacy=legacy.address),
        await erase(world, owner, legacy.address, recipient=heir.address),
    ]
    assert [answer.code for answer in forged] == ["signer_mismatch"] * 3
    assert (await erase(world, stranger, legacy.address)).body == {"erased": 0}
    assert (await erase(world, heir, legacy.address, chainId=5)).code == "invalid_input"
    assert (await shown(world, owner, legacy))[1] == []
    message = signed(world, heir, ALL)
    assert (await world.post("/erase-recipient", message)).body == {"erased": 1}
    assert (await world.post("/erase-recipient", message)).code == "already_used"
    world.clock.ahead = 7200
    assert (await world.post("/erase-recipient", message)).code == "expired"


async def test_a_smart_wallet_erases_itself_by_its_contract_and_a_delegated_account_by_its_key(
    world: ApiWorld,
) -> None:
    """EIP-7702: the delegate of this account takes no signature at all."""
    owner, keeper, heir = world.owner(), world.scenario.account("keeper"), world.scenario.account("delegated heir")
    safe = world.scenario.create_safe([keeper])
    world.scenario.delegate_7702(heir, world.scenario.deployment.weth)
    await world.ingest(owner, world.legacy(owner), [person(recipient=safe), person(recipient=heir.address)])
    answer = await world.post("/erase-recipient", signed(world, keeper, ALL, safe))
    assert (answer.status, answer.body) == (200, {"erased": 1})
    forged = await erase(world, world.scenario.account("stranger"), ALL, recipient=heir.address)
    assert forged.code == "signer_mismatch"
    assert (await erase(world, heir, ALL)).body == {"erased": 1}


async def test_a_later_set_does_not_store_the_same_email_again(world: ApiWorld) -> None:
    """Another email is stored. The same email is stored after a set without this recipient."""
    owner, heir = world.owner(), world.scenario.account("heir")
    legacy, me = world.legacy(owner), person(recipient=heir.address)
    await world.ingest(owner, legacy, [me, person(2)])
    await erase(world, heir, legacy.address)
    again = await world.ingest(owner, legacy, [me, person(2)])
    assert again.body == {"saved": 1, "shredded": 0, "erasedThemselves": [heir.address]}
    other = await world.ingest(owner, legacy, [me | {"email": "new@example.org"}, person(2)])
    assert other.body == {"saved": 2, "shredded": 0, "erasedThemselves": []}
    await erase(world, heir, legacy.address)
    assert (await world.ingest(owner, legacy, [person(2)])).body["erasedThemselves"] == []
    assert (await shown(world, owner, legacy))[1] == []
    assert (await world.ingest(owner, legacy, [me | {"email": "new@example.org"}])).body["saved"] == 1
    await erase(world, heir, legacy.address)
    await world.call(owner, "EraseLegacy", legacy)
    assert await shown(world, owner, legacy) == ([], [])
