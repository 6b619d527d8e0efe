"""Getters whose answers setters change, and the events of these setters. Plain functions: no database, no chain."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from eth_utils.crypto import keccak

from reminder_worker.chain import abi
from reminder_worker.chain.abi_codec import WORD, MalformedData, address_at, addresses_behind, bytes_at, word_at
from reminder_worker.chain.types import EventLog
from reminder_worker.indexer.decoding import DecodedLogs, Says, TimedLogs
from reminder_worker.indexer.projection import ChainEvent
from reminder_worker.settings import ChainSettings
from reminder_worker.upgrades.operations import decode_timelock_log, make_chain_event


def digest(content: bytes) -> str:
    """Return the first 20 bytes of the keccak-256, as long as an address."""
    return "0x" + keccak(content)[:20].hex()


def _code_digest_at(data: bytes, position: int) -> str:
    return digest(bytes_at(data, word_at(data, position), len(data)))


def _list_digest_at(data: bytes, position: int) -> str:
    """Return the digest of a list of addresses. Their order and empty places do not count."""
    found = sorted({address for address in addresses_behind(data, position) if int(address, 16)})
    return digest(" ".join(found).encode())


@dataclass(frozen=True, slots=True)
class WatchedGetter:
    """A getter of a contract (its name in the settings), and the setters that change its answer.

    `argument`: of each setter, with the new answer or a part of it. `events`: names of the setters' events. `read`
    decodes the answer: an address, or the digest of a longer answer.
    """

    contract: str
    getter: str
    setters: tuple[str, ...]
    argument: str
    effect: str
    events: tuple[str, ...] = ()
    read: Callable[[bytes, int], str] = address_at

    @property
    def is_address(self) -> bool:
        return self.read is address_at


def _list_getters() -> Iterator[WatchedGetter]:
    """Yield every getter whose answer can move what people own and changes past the queue."""
    router = partial(WatchedGetter, "transfer_eoa_legacy_router")
    other_code = "new legacies run other code"
    yield router("legacyImplementation", ("setLegacyImplementation",), "legacyImplementation", other_code)
    yield router("legacyCreationCode", ("setLegacyCreationCode",), "code", other_code, read=_code_digest_at)
    other_vault = "new legacies pull tokens through another contract"
    yield router("pullVault", ("setPullVault",), "pullVault", other_vault, ("PullVaultSet",))
    other_attestor = "another account renews the timers of owners"
    yield router("activityAttestor", ("setActivityAttestor",), "attestor", other_attestor, ("ActivityAttestorSet",))

    setting = partial(WatchedGetter, "premium_setting", effect="PremiumSetting obeys other contracts")
    yield setting("premiumRegistry", ("setParams",), "premiumRegistry")
    yield setting("transferLegacyContractRouter", ("setParams",), "transferRouter")
    yield setting("transferLegacyEOAContractRouter", ("setParams",), "transferEOARouter")
    yield setting("multisigLegacyContractRouter", ("setParams",), "multisigRouter")
    yield _owner_of("premium_setting", "PremiumSetting obeys another owner")
    yield _owner_of("premium_registry", "PremiumRegistry obeys another owner")
    tokens = ("addToken", "removeToken"), "token", "claims and timelocks accept other tokens"
    yield WatchedGetter(
        "token_white_list", "getWhitelist", *tokens, events=("TokenAdded", "TokenRemoved"), read=_list_digest_at
    )

    other_swaps = ("setUniswapRouter",), "uniswapRouter", "tokens are swapped by another contract"
    for vault in ("timelockERC20", "timelockERC721", "timelockERC1155"):
        effect = "the router locks assets in other vaults"
        yield WatchedGetter("time_lock_router", f"{vault}Contract", ("setTimelock",), vault, effect)
    other_tokens = "the router accepts other tokens"
    yield WatchedGetter("time_lock_router", "tokenWhitelist", ("setTokenWhitelist",), "whitelist", other_tokens)
    yield WatchedGetter("time_lock_router", "uniswapRouter", *other_swaps)
    yield _owner_of("time_lock_router", "the router obeys another owner")
    yield WatchedGetter("timelock_erc20", "uniswapRouter", *other_swaps)
    for contract in ("timelock_erc20", "timelock_erc721", "timelock_erc1155"):
        effect = "a vault obeys another router"
        yield WatchedGetter(contract, "routerAddresses", ("setRouterAddresses",), "router", effect)
        yield _owner_of(contract, "a vault obeys another owner")


def _owner_of(contract: str, effect: str) -> WatchedGetter:
    setters = ("transferOwnership", "renounceOwnership")
    return WatchedGetter(contract, "owner", setters, "newOwner", effect, ("OwnershipTransferred",))


GETTERS: Final = tuple(_list_getters())
_EVENTS: Final = {abi.compute_topic(event): event["name"] for event in abi.list_events("ContractSetters")}


def setter_topics(settings: ChainSettings) -> Says:
    """Return the first topics of the setters' events, by contract."""
    found: dict[str, frozenset[str]] = {}
    for watched in GETTERS:
        topics = frozenset(topic for topic, name in _EVENTS.items() if name in watched.events)
        if topics:
            address: str = getattr(settings, watched.contract)
            found[address] = found.get(address, frozenset()) | topics
    return found


def decode_upgrade_logs(logs: TimedLogs) -> DecodedLogs:
    """Return the events of the timelock and of setters, as the index stores them."""
    found = [decode_timelock_log(log, time) or decode_setter_log(log, time) for log, time in logs]
    events = tuple(event for event in found if event is not None)
    return DecodedLogs(events, len(found) - len(events))


def decode_setter_log(log: EventLog, block_time: int) -> ChainEvent | None:
    """Return the event with its new `value`, an address; None for a foreign or malformed log.

    The new value is the last field of each of these events. It may be indexed or not.
    """
    name = _EVENTS.get(log.topics[0]) if log.topics else None
    if name is None:
        return None
    fields = b"".join(bytes.fromhex(topic[2:]) for topic in log.topics[1:]) + log.data
    try:
        value = address_at(fields, len(fields) - WORD)
    except MalformedData:
        return None
    return make_chain_event(log, block_time, name, {"value": value})
