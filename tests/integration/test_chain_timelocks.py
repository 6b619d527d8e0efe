"""Timelocks and the sponsorship domain, read from the contracts on a real node."""

from collections.abc import AsyncIterator

import pytest

from devnet.scenarios import DAY, Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.routers import RouterReads, TimelockDetails, TimelockReads
from reminder_worker.chain.eip712 import TypedDataDomain
from reminder_worker.errors import ChainUnavailable
from tests.integration.chain_proxy import chain_settings


@pytest.fixture
async def chain(chain_scenario: Scenario) -> AsyncIterator[Chain]:
    opened = Chain(chain_settings(chain_scenario, chain_scenario.anvil.url))
    yield opened
    await opened.close()


async def test_details_of_timelocks_match_the_vault(chain: Chain, chain_scenario: Scenario) -> None:
    """Live and withdrawn timelocks come in the requested order; an unknown id is None."""
    s, d = chain_scenario, chain_scenario.deployment
    ann, cid = s.account("ann"), s.account("cid")
    eth = s.create_gift(ann, cid.address, eth=10**18, tokens=[(d.usdc, 5)], duration=DAY)
    unlock = s.anvil.now() + DAY
    nft = s.create_timelock(ann, cid.address, erc721=[(d.erc721, 4)])
    details, none, nothing = await TimelockReads(chain).read_details([eth, nft, 10**6])
    assert details == TimelockDetails(
        assets=((d.usdc, 5), (d.weth, 10**18)),
        unlock_time=unlock,
        owner=ann.address.lower(),
        recipient=cid.address.lower(),
        last_as_eth=True,
        lock_type=2,
        status=2,
    )
    assert none is nothing is None
    s.advance(2 * DAY)
    s.withdraw_gift(cid, eth)
    (ended,) = await TimelockReads(chain).read_details([eth])
    assert ended is not None
    assert (ended.status, ended.assets, ended.recipient) == (3, (), cid.address.lower())


async def test_the_domain_and_the_nonce_are_those_that_the_router_checks(
    chain: Chain, chain_scenario: Scenario
) -> None:
    """A withdrawal signed with them is accepted, and the next nonce is one more."""
    s, router = chain_scenario, chain_scenario.deployment.time_lock_router
    ann, cid = s.account("ann"), s.account("cid")
    gift = s.create_gift(ann, cid.address, eth=1, duration=0)
    for known in (cid.address.lower(), ann.address.lower(), None):  # the nonce is the recipient's, whoever is expected
        view = await RouterReads(chain).read_gift_view(gift, known)
        assert view.domain == TypedDataDomain("10102 Timelock Sponsored", "1", s.anvil.chain_id, router)
        assert (view.block.number, view.block.timestamp) == (s.anvil.block_number(), s.anvil.now())
    s.withdraw_for(ann, gift, s.withdraw_auth(cid, gift, nonce=view.nonce))
    assert (await RouterReads(chain).read_gift_view(gift, None)).nonce == view.nonce + 1


async def test_a_router_with_another_domain_is_refused(chain: Chain, chain_scenario: Scenario) -> None:
    """Nobody must sign for another contract; an empty answer counts as none."""
    s, router = chain_scenario, chain_scenario.deployment.time_lock_router
    other = s.deployment.transfer_eoa_legacy_router
    # Forwards to another router's eip712Domain(): well-formed, of another contract.
    forward = f"0x3660006000376000600036600073{other[2:]}5afa3d6000803e3d6000f3"
    for code in (forward, "0x00", "0x60006000fd"):
        s.anvil.set_code(router, code)
        with pytest.raises(ChainUnavailable):
            await RouterReads(chain).read_gift_view(1, s.account("cid").address)
