"""What a frontend takes to be sealed by a transaction of the giver's wallet, whoever sent it."""

import json
import subprocess
from collections.abc import Sequence
from typing import Any

from devnet.deploy import MULTICALL3
from devnet.scenarios import DAY, Scenario

ETHER = 10**18


def sealed_in(logs: list[dict[str, Any]], vault: str, recipient: str) -> dict[str, str]:
    given = json.dumps({"logs": logs, "vault": vault, "recipient": recipient})
    command = ["node_modules/.bin/tsx", "tests/integration/sealing_driver.ts"]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True, timeout=60)
    found: dict[str, str] = json.loads(done.stdout)
    return found


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
