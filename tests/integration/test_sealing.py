"""A frontend seals a gift: what the giver's wallet is asked to send, and what a transaction is said to have sealed."""

import json
import subprocess
from collections.abc import Sequence
from typing import Any

from eth_abi.abi import decode
from eth_account.signers.local import LocalAccount

from devnet.deploy import MULTICALL3
from devnet.scenarios import DAY, Scenario
from tests.integration.gift_page_giver_steps import GIFT_STRUCT
from tests.integration.gift_page_world import build_gift_page

ETHER = 10**18


def sealed_in(logs: list[dict[str, Any]], vault: str, recipient: str) -> dict[str, str]:
    found: dict[str, str] = ask_package({"logs": logs, "vault": vault, "recipient": recipient})
    return found


def ask_package(given: Any) -> Any:
    build_gift_page()
    command = ["node_modules/.bin/tsx", "tests/integration/sealing_driver.ts"]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout)


def send_calls(scenario: Scenario, giver: LocalAccount, calls: list[dict[str, str]]) -> None:
    for call in calls:
        scenario.send(giver, call["to"], call["data"], value=int(call["value"]))


def sealed_at_once(scenario: Scenario, wishes: Sequence[tuple[str, str, str, tuple[int, ...]]]) -> list[dict[str, Any]]:
    """The logs of one transaction: each wallet seals an ether for a recipient, by this function of the router."""
    it, calls = scenario.deployment, []
    deadline = scenario.anvil.now() + DAY
    for wallet, recipient, function, more in wishes:
        scenario.anvil.set_balance(wallet, 2 * ETHER)
        terms: tuple[Any, ...] = ((it.weth, ETHER, deadline), [], [], [], DAY, recipient, "Gift", "")
        data = scenario.contracts["TimeLockRouter"].encode(function, terms, *more)
        sealing = scenario.contracts["SafeStandIn"].encode(
            "execute", it.time_lock_router, ETHER, bytes.fromhex(data[2:])
        )
        calls.append((wallet, False, bytes.fromhex(sealing[2:])))
    sent = scenario.write(scenario.account("bundler"), "Multicall3", MULTICALL3, "aggregate3", calls)
    logs: list[dict[str, Any]] = scenario.anvil.receipt(sent)["logs"]
    return logs


def test_of_several_gifts_in_one_transaction_each_giver_finds_their_own(chain_scenario: Scenario) -> None:
    """A bundler puts what the smart wallets of strangers want into one transaction: the first gift in it is the giver's
    own for one of them only, and the others would share the link of a stranger's."""
    it, scenario = chain_scenario.deployment, chain_scenario
    wallets = [scenario.deploy("SafeStandIn", [MULTICALL3], 1) for _ in range(2)]
    recipients = [scenario.account(name).address for name in ("Ada", "Ben")]
    both = zip(wallets, recipients, strict=True)
    logs = sealed_at_once(scenario, [(wallet, recipient, "createTimelockedGift", ()) for wallet, recipient in both])
    last = scenario.read("TimeLockRouter", it.time_lock_router, "timelockCounter")
    for number, (wallet, recipient) in enumerate(zip(wallets, recipients, strict=True)):
        found = sealed_in(logs, it.timelock_erc20, recipient.lower())
        assert (found["timelockId"], found["giver"].lower()) == (str(last - 1 + number), wallet)
    stranger = scenario.account("stranger").address
    assert "sealed no gift" in sealed_in(logs, it.timelock_erc20, stranger)["thrown"]


def test_what_else_is_locked_for_the_same_person_is_not_taken_for_the_gift(chain_scenario: Scenario) -> None:
    """Its link would lead to nothing that can be opened."""
    wallet, ada = chain_scenario.deploy("SafeStandIn", [MULTICALL3], 1), chain_scenario.account("Ada").address
    logs = sealed_at_once(
        chain_scenario, [(wallet, ada, "createTimelock", (0, 0)), (wallet, ada, "createTimelockedGift", ())]
    )
    it = chain_scenario.deployment
    gift = chain_scenario.read("TimeLockRouter", it.time_lock_router, "timelockCounter")
    assert sealed_in(logs, it.timelock_erc20, ada)["timelockId"] == str(gift)
    elsewhere = [{**log, "address": it.weth} for log in logs]
    assert "sealed no gift" in sealed_in(elsewhere, it.timelock_erc20, ada)["thrown"], "any contract can log that"


def test_the_router_may_take_the_gift_and_nothing_after_it(chain_scenario: Scenario) -> None:
    """Whatever it was allowed to take before. USDT changes an allowance only from nothing or to nothing."""
    it, scenario = chain_scenario.deployment, chain_scenario
    giver, ada = scenario.account("giver"), scenario.account("Ada").address
    common = {"router": it.time_lock_router, "recipient": ada, "duration": str(DAY), "amount": "500"}
    common["deadline"] = str(scenario.anvil.now() + DAY)
    allowed = [(token, before) for token in (it.usdc, it.usdt) for before in (0, 499, 500, 501)]
    gifts = [common | {"token": token, "allowance": str(before)} for token, before in allowed]
    for (token, before), calls in zip(allowed, ask_package(gifts), strict=True):
        scenario.mint(token, giver.address, 1_000)
        scenario.approve(giver, token, it.time_lock_router, before)
        approved = [decode(["address", "uint256"], bytes.fromhex(call["data"][10:]))[1] for call in calls[:-1]]
        assert approved == {0: [500], 500: []}.get(before, [0, 500]), (token, before)
        send_calls(scenario, giver, calls)
        left = scenario.read("TestERC20", token, "allowance", giver.address, it.time_lock_router)
        assert left == 0, (token, before)
        assert scenario.balance(token, giver.address) == 500, (token, before)
        scenario.send(giver, token, scenario.contracts["TestERC20"].encode("transfer", ada, 500))


def test_ether_is_sealed_whole_or_not_at_all(chain_scenario: Scenario) -> None:
    """The vault keeps wrapped ether. The router must refuse less of it than the giver sends."""
    it, scenario = chain_scenario.deployment, chain_scenario
    gift = {"router": it.time_lock_router, "recipient": scenario.account("Ada").address, "duration": str(DAY)}
    gift |= {"deadline": str(scenario.anvil.now() + DAY), "wrappedEther": it.weth, "amount": "77", "allowance": "0"}
    ((call,),) = ask_package([gift])
    (terms,) = decode([GIFT_STRUCT], bytes.fromhex(call["data"][10:]))
    assert terms[0] == (it.weth.lower(), 77, int(gift["deadline"]))
    send_calls(scenario, scenario.account("giver"), [call])
    gift_id = scenario.read("TimeLockRouter", it.time_lock_router, "timelockCounter")
    assert scenario.read("TimelockERC20", it.timelock_erc20, "getTimelockDetails", gift_id)[1] == (77,)
