"""Reader of the chain for `expected.Sight`: the view, the contracts, and events at their blocks."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from eth_abi.abi import decode
from eth_utils.crypto import keccak

from devnet.scenarios import DAY, Legacy, Scenario
from devnet.steps import NOBODY
from tests.campaign.expected import (
    WINDOWS,
    Audience,
    ChainMoment,
    ChainSignal,
    ReceivedEmail,
    count_further,
    deadline_words,
)

_NOTIFY = "0x" + keccak(text="LegacyEmailNotifyRequested(address,address,uint8,uint8)").hex()
_TRANSFER = "0x" + keccak(text="Transfer(address,address,uint256)").hex()
_GUARD_PLACE = "0x" + keccak(text="guard_manager.guard.address").hex()
_CONFIG_TYPES = ("uint256", "address", "uint128", "address[]", "address[]", "address", "address")
_CONFIGURED = "0x" + keccak(text=f"LegacyReminderUpdated(address,{','.join(_CONFIG_TYPES)})").hex()


@dataclass
class ChainReader:
    """`emails`: of each person by address on chain. No person's email changes in a life."""

    scenario: Scenario
    emails: Mapping[str, str]
    _signals: dict[tuple[str, str], ChainSignal] = field(default_factory=dict)

    def read(
        self,
        legacies: Sequence[Legacy],
        stored: Mapping[tuple[str, str], int],
        received: int,
        *,
        settled: bool,
        gifts: Mapping[ReceivedEmail, int],
    ) -> ChainMoment:
        """Return the chain's state at its head. `gifts`: emails that are due about gifts."""
        configs, by_address = self._configs(), {legacy.address: legacy for legacy in legacies}
        windows = zip(legacies, self.scenario.due_windows(legacies), strict=True)
        owners = {each.address: self._emails(self._owners(each, "latest"), configs[each.address]) for each in legacies}
        return ChainMoment(
            received=received,
            windows=frozenset(self._window(legacy, number) for legacy, numbers in windows for number in numbers),
            audiences={each.address: self._audience(each, configs[each.address], "latest") for each in legacies},
            stored=dict(stored),
            signals=[
                self._signal(log, by_address["0x" + log["topics"][1][-40:]], configs)
                for log in self._logs(_NOTIFY)
                if "0x" + log["topics"][1][-40:] in by_address
            ],
            settled=settled,
            states={**dict(self._warnings(legacies, configs, stored)), **gifts},
            block=self.scenario.anvil.block_number(),
            owners=owners,
        )

    def _window(self, legacy: Legacy, number: int) -> tuple[str, int, int, int]:
        """Return an open window as `ChainMoment` has it. An owner without a notice of their own has seven days."""
        deadline = self._times(legacy)[WINDOWS[number][1] - 1]
        setting, creator = self.scenario.deployment.premium_setting, self._ask(legacy, "creator", "latest")
        ahead = self.scenario.read("PremiumSetting", setting, "getTimeAhead", creator) or 7 * DAY
        return legacy.address, number, deadline, count_further(number, deadline, ahead, self.scenario.anvil.now())

    def _warnings(
        self, legacies: Sequence[Legacy], configs: Mapping[str, frozenset[str]], stored: Mapping[tuple[str, str], int]
    ) -> Iterator[tuple[ReceivedEmail, int]]:
        """Yield emails to owners about the end of Premium and about their Safes, with how often each is due."""
        now = self.scenario.anvil.now()
        for legacy in legacies:
            creator = self._ask(legacy, "creator", "latest")
            to = self.emails.get(creator)
            if to is None or (legacy.address, to) not in stored or not self._ask(legacy, "isLive", "latest"):
                continue
            if creator not in configs[legacy.address]:
                continue
            setting = self.scenario.deployment.premium_setting
            ends = self.scenario.read("PremiumSetting", setting, "premiumExpired", creator)
            if ends <= now:
                yield ReceivedEmail(to, "premium_lapsed", legacy.address, deadline_words(ends)), 1
                continue
            if ends - now <= 30 * DAY:
                times = 2 if ends - now <= 7 * DAY else 1
                yield ReceivedEmail(to, "premium_ending", legacy.address, deadline_words(ends)), times
            if legacy.guard is not None:
                kind = self._trouble_of_safe(legacy)
                opens = self._times(legacy)[0]
                if kind is not None:
                    words = deadline_words(opens) if now < opens else None
                    yield ReceivedEmail(to, kind, legacy.address, words), 1

    def _trouble_of_safe(self, legacy: Legacy) -> str | None:
        safe = self._ask(legacy, "getLegacyOwner", "latest")
        guard = self.scenario.anvil.rpc("eth_getStorageAt", safe, _GUARD_PLACE, "latest")
        if "0x" + guard[-40:] != str(legacy.guard).lower():
            return "guard_removed"
        enabled = self.scenario.read("SafeStandIn", safe, "isModuleEnabled", legacy.address)
        return None if enabled else "module_disabled"

    def _signal(self, log: Mapping[str, Any], legacy: Legacy, configs: Mapping[str, frozenset[str]]) -> ChainSignal:
        """Return a signal, read once at its block. An activation empties lists, so the block before it counts."""
        key = (log["blockHash"], log["logIndex"])
        if key not in self._signals:
            self._signals[key] = self._read_signal(log, legacy, configs)
        return self._signals[key]

    def _read_signal(
        self, log: Mapping[str, Any], legacy: Legacy, configs: Mapping[str, frozenset[str]]
    ) -> ChainSignal:
        layer, kind = decode(("uint8", "uint8"), bytes.fromhex(log["data"][2:]))
        number = int(log["blockNumber"], 16)
        block = hex(number - 1 if kind else number)
        now = int(self.scenario.anvil.rpc("eth_getBlockByNumber", log["blockNumber"], False)["timestamp"], 16)
        times = self._times(legacy, block) if kind == 2 else ()
        audience = self._audience(legacy, configs[legacy.address], block)
        opened = {line: at for line, at in enumerate(times, 1) if line > 1 and line in audience and at <= now}
        received = self._received(log["transactionHash"], legacy) if kind == 2 else {}
        return ChainSignal(log["transactionHash"], legacy.address, kind, max(layer, 1), audience, opened, received)

    def _received(self, tx: str, legacy: Legacy) -> Mapping[tuple[str, str], int]:
        """Return base units by email address and token, of the transaction's transfers from the owner."""
        owner = self._ask(legacy, "creator", "latest")
        sums = Counter[tuple[str, str]]()
        for log in self.scenario.anvil.rpc("eth_getTransactionReceipt", tx)["logs"]:
            if log["topics"][0] == _TRANSFER and "0x" + log["topics"][1][-40:] == owner:
                to = self.emails.get("0x" + log["topics"][2][-40:])
                if to is not None:
                    sums[to, log["address"].lower()] += int(log["data"], 16)
        return sums

    def _audience(self, legacy: Legacy, configured: frozenset[str], block: str) -> Audience:
        beneficiaries, second, third = self._ask(legacy, "getLegacyBeneficiaries", block)
        people = self._owners(legacy, block) | set(beneficiaries)
        audience = {1: self._emails(people, configured)}
        for line, person in ((2, second), (3, third)):
            people |= {person}
            if person != NOBODY:
                audience[line] = self._emails(people, configured)
        return audience

    def _owners(self, legacy: Legacy, block: str) -> set[str]:
        """Return the creator, the owner and, of a Safe, its signers."""
        owner = self._ask(legacy, "getLegacyOwner", block)
        people = {self._ask(legacy, "creator", block), owner}
        if legacy.guard is not None:
            people |= set(self.scenario.read("SafeStandIn", owner, "getOwners", block=block))
        return people

    def _emails(self, people: set[str], configured: frozenset[str]) -> frozenset[str]:
        return frozenset(self.emails[each] for each in people & configured if each in self.emails)

    def _configs(self) -> dict[str, frozenset[str]]:
        """By legacy, each address that its owner named last."""
        found = {}
        for log in self._logs(_CONFIGURED):
            _, legacy, _, cosigners, beneficiaries, *lines = decode(_CONFIG_TYPES, bytes.fromhex(log["data"][2:]))
            creator = "0x" + log["topics"][1][-40:]
            found[legacy] = frozenset({creator, *cosigners, *beneficiaries, *lines})
        return found

    def _times(self, legacy: Legacy, block: str = "latest") -> Sequence[int]:
        times: Sequence[int] = self._ask(legacy, "getTriggerActivationTimestamp", block)
        return times

    def _ask(self, legacy: Legacy, function: str, block: str) -> Any:
        contract = "TransferEOALegacy" if legacy.guard is None else "MultisigLegacy"
        return self.scenario.read(contract, legacy.address, function, block=block)

    def _logs(self, topic: str) -> list[dict[str, Any]]:
        place = self.scenario.deployment
        asked = {"fromBlock": hex(place.start_block), "toBlock": "latest", "address": place.premium_setting}
        logs: list[dict[str, Any]] = self.scenario.anvil.rpc("eth_getLogs", {**asked, "topics": [topic]})
        return logs
