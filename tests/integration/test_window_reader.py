"""Promises of the packed read of windows: the same answers as apart, whatever a legacy or an endpoint does."""

import asyncio
from typing import Any

import pytest

from devnet.compile import load_contracts
from devnet.scenarios import DAY, LegacyMode, Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.window_reader import CODE, LegacyWindows, read_packed
from reminder_worker.errors import ChainUnavailable
from reminder_worker.reminders.horizon import WindowReads
from tests.integration.chain_proxy import NodeProxy, chain_settings, gives_gas, proxy, refuses_code
from tests.integration.test_attack_contracts import HOSTILE

People = list[tuple[str, str]]


def code_calls(node: NodeProxy) -> int:
    return sum(each["method"] == "eth_call" and "to" not in each["params"][0] for each in node.requests)


async def read(chain: Chain, people: People) -> list[LegacyWindows | None]:
    head = await chain.get_head()
    return await WindowReads(chain, head.hash, asyncio.Semaphore(8)).read_windows(people)


def test_the_code_in_the_service_is_the_compiled_source() -> None:
    assert load_contracts()["WindowReader"].bytecode == "0x" + CODE.hex()


@pytest.mark.core
async def test_packed_and_apart_say_the_same_of_legacies_of_every_kind(chain_scenario: Scenario) -> None:
    """Also of contracts that mean harm, between the others. Only the largest numbers may differ."""
    s = chain_scenario
    owner, lapsed, anna = s.account("owner"), s.account("lapsed"), s.account("anna").address
    s.subscribe_premium(owner)
    s.set_time_ahead(owner, 9 * DAY)
    safe = s.create_safe([owner])
    mine: list[Any] = [
        s.create_legacy(owner, {anna: 100}, inactivity=3 * DAY, second_line=anna, delay2=DAY),
        s.create_legacy(owner, {anna: 100}, inactivity=90 * DAY),
        s.create_safe_legacy(owner, safe, [anna], inactivity=3 * DAY, guarded=True),
        s.create_old_legacy(owner, {anna: 100}),
    ]
    overflow = s.create_legacy(lapsed, {anna: 100}, inactivity=2**256 - 1)
    others = [s.create_legacy(lapsed, {anna: 100}), overflow]
    people = [(each.address, owner.address.lower()) for each in mine]
    people += [(each.address, lapsed.address.lower()) for each in others]
    for number, code in enumerate(HOSTILE.values()):
        address = f"0x{0xBAD0000 + number:040x}"
        s.anvil.set_code(address, code)
        people.insert(number, (address, owner.address.lower()))
    async with proxy(s.anvil.url) as node, Chain(chain_settings(s, node.url)) as chain:
        together = await read(chain, people)
        assert code_calls(node) == 1
        assert [each for each in node.methods() if each == "eth_call"] == ["eth_call"]
        node.answer = refuses_code
        async with Chain(chain_settings(s, node.url)) as other:
            apart = await read(other, people)
            assert code_calls(node) == 2, "one refusal"
            await read(other, people)
            assert code_calls(node) == 2, "no second question to an endpoint that refuses"
    by_address = {legacy: state for (legacy, _), state in zip(people, together, strict=True)}
    assert by_address.pop(overflow.address) == LegacyWindows((), (2**64 - 1,) * 3, 0)
    for (legacy, _), state in zip(people, apart, strict=True):
        assert legacy == overflow.address or by_address[legacy] == state, legacy
    assert [by_address[each.address].windows for each in mine] == [(1, 2), (), (1,), (4,)]  # type: ignore[union-attr]
    assert by_address[mine[0].address].ahead == 9 * DAY  # type: ignore[union-attr]


async def test_legacies_that_burn_gas_cost_no_other_a_second_question(chain_scenario: Scenario) -> None:
    """Where the gas ends, the next request goes on: no half and no neighbour is asked again."""
    s = chain_scenario
    owner, anna = s.account("owner"), {str(s.account("anna").address): 100}
    s.subscribe_premium(owner)
    good, burner = s.create_legacy(owner, anna), s.create_reverting_legacy(owner, anna)
    s.set_mode(burner, LegacyMode.BURNS_GAS)
    people = [(each.address, owner.address.lower()) for each in [*[burner] * 20, good]]

    async with proxy(s.anvil.url) as node, Chain(chain_settings(s, node.url)) as chain:
        node.answer = gives_gas(7_000_000)
        found = await read_packed(chain, people, at=(await chain.get_head()).hash)
    assert found is not None
    assert [state is None for state in found] == [True] * 20 + [False]
    assert code_calls(node) == 2


@pytest.mark.parametrize("answer", ["0x", "0x" + "00" * 31, "0x" + "00" * 64, "0x" + "00" * 32 * 3])
async def test_an_answer_of_another_size_counts_as_a_refusal_and_the_next_endpoint_is_asked(
    chain_scenario: Scenario, answer: str
) -> None:
    s = chain_scenario
    owner = s.account("owner")
    s.subscribe_premium(owner)
    legacy = s.create_legacy(owner, {s.account("anna").address: 100}, inactivity=3 * DAY)
    async with (
        proxy(s.anvil.url) as node,
        proxy(s.anvil.url) as second,
        Chain(chain_settings(s, node.url, second.url)) as chain,
    ):
        node.answer = lambda request: {"result": answer} if refuses_code(request) else None
        for _ in range(2):
            assert await read(chain, [(legacy.address, owner.address.lower())]) == [
                LegacyWindows((1,), s.read("TransferEOALegacy", legacy.address, "getTriggerActivationTimestamp"), 0)
            ]
        assert (code_calls(node), code_calls(second)) == (1, 2)


@pytest.mark.parametrize("contract", ["PREMIUM_SETTING", "PREMIUM_REMINDER_VIEW"])
async def test_a_configured_contract_that_is_not_there_stops_the_read(chain_scenario: Scenario, contract: str) -> None:
    """No legacy counts as without windows, and none as reverting."""
    s = chain_scenario
    owner = s.account("owner")
    s.subscribe_premium(owner)
    legacy = s.create_legacy(owner, {s.account("anna").address: 100})
    async with Chain(chain_settings(s, s.anvil.url, **{contract: "0x" + "77" * 20})) as chain:
        with pytest.raises(ChainUnavailable, match="configured contract"):
            await read(chain, [(legacy.address, owner.address.lower())])
