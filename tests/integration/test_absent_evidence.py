"""A simulation without logs or moves of ether proves nothing: other evidence decides."""

from collections.abc import Callable

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from reminder_worker.chain.types import ETHER as ETHER_TOKEN
from tests.integration.chain_proxy import Json, proxy
from tests.integration.test_sponsor_api import (
    ETHER,
    UNITS,
    SponsorScenario,
    claim_body,
    refused,
    relayed,
    relaying,
    withdraw_body,
)

LEFT_OUT: dict[str, Callable[[Json], bool]] = {
    "contract logs": lambda log: log["address"] == ETHER_TOKEN,
    "ether moves": lambda log: log["address"] != ETHER_TOKEN,
    "both": lambda _: False,
    "nothing": lambda _: True,
}


def without(what: str) -> Callable[[Json, Json], Json]:
    def alter(request: Json, response: Json) -> Json:
        if request["method"] == "eth_simulateV1":
            call = response["result"][0]["calls"][0]
            call["logs"] = [log for log in call["logs"] if LEFT_OUT[what](log)]
        return response

    return alter


@pytest.mark.one_order("one endpoint simulates: the one that is asked first")
@pytest.mark.parametrize("what", LEFT_OUT)
@pytest.mark.parametrize("alone", [False, True], ids=["the first of two", "the only one"])
async def test_missing_answers_refuse_no_good_request_and_let_no_nft_through(
    chain_scenario: Scenario, engine: AsyncEngine, what: str, alone: bool
) -> None:
    sealed = SponsorScenario(chain_scenario)
    token, ether = sealed.legacy(), sealed.legacy(tokens=())
    chain_scenario.anvil.set_balance(ether.address, ETHER)
    plain = sealed.gift()
    sealed.gift_with_an_nft("ERC721")
    chain_scenario.advance(10)
    async with proxy(chain_scenario.anvil.url) as first:
        first.alter = without(what)
        urls = first.url if alone else f"{first.url},{chain_scenario.anvil.url}"
        async with relaying(chain_scenario, engine, CHAIN_31337_RPC_URLS=urls) as world:
            await world.parts.chain_indexes[world.chain_id].run()
            mixed = withdraw_body(world, plain + 1, sealed.heir)
            await refused(world, "/sponsor/gift-withdraw", mixed, 422, "not_only_whitelisted_tokens")
            empty = claim_body(world, token, sealed.heir, [sealed.it.dai], is_eth=True)
            await refused(world, "/sponsor/claim", empty, 422, "nothing_to_claim")
            await relayed(world, "/sponsor/claim", claim_body(world, token, sealed.heir, [sealed.it.usdc]))
            await relayed(world, "/sponsor/claim", claim_body(world, ether, sealed.heir, [], is_eth=True))
            await relayed(world, "/sponsor/gift-withdraw", withdraw_body(world, plain, sealed.heir))
    assert chain_scenario.balance(sealed.it.usdc, sealed.heir.address) == 2 * UNITS
