"""The protocol's contracts, read: one class each, many reads in one request, all at one block where `at` is its hash.

A legacy is anybody's contract, so its failure is a value (`None`); a configured contract that does not answer as
it should is `ChainUnavailable`.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import msgspec

from reminder_worker.chain import abi_codec
from reminder_worker.chain.abi import selector
from reminder_worker.chain.abi_codec import WORD, Malformed, address_word, word
from reminder_worker.chain.client import Chain
from reminder_worker.chain.logs import TooMuch
from reminder_worker.chain.types import Call, Reverted
from reminder_worker.errors import ChainUnavailable

Answer = bytes | Reverted
Triggers = tuple[int, int, int]
T = TypeVar("T")

_ZERO: Final = "0x" + "0" * 40
_ZERO_WORD: Final = word(0)
_IDENTITY: Final = tuple(
    selector("Legacy", name) for name in ("creator", "getLegacyOwner", "router", "getLegacyId", "LEGACY_TYPE")
)
_PLACE: Final = _IDENTITY[2:4]
_MEMBERS: Final = tuple(selector("Legacy", name) for name in ("creator", "getLegacyOwner", "getLegacyBeneficiaries"))
_PULL_VAULT: Final = selector("Legacy", "pullVault")
_TRIGGERS: Final = selector("Legacy", "getTriggerActivationTimestamp")
_STATE: Final = (
    selector("Legacy", "getLegacyBeneficiaries"),
    selector("Legacy", "isLive"),
    _TRIGGERS,
    selector("Legacy", "getLegacyName"),
)
TIMELOCK_DETAILS: Final = selector("TimelockERC20", "getTimelockDetails")
_OVERFLOW: Final = bytes.fromhex("4e487b71") + word(0x11)  # Panic(uint256) of Solidity
NEVER: Final = 2**256 - 1
"""Trigger of a legacy whose times overflow. Its owner set an inactivity or a delay that no clock reaches."""
_LEGACY_ADDRESSES: Final = selector("TransferEOALegacyRouter", "legacyAddresses")
_LONGEST_NAME_BYTES: Final = 1024
MOST_NAMED: Final = 100
"""Bound of each list that a legacy or a Safe returns. Today's contracts allow 32 heirs, with shares in whole percents;
a Safe has no bound of its own."""
# What `dueRemindersBatch` may burn: a stranger's legacy that burns all of it costs the node little and is found by
# halving. Each of ours takes 20,000 to 66,000; nodes accept 50 million.
_DUE_GAS: Final = 1_000_000
_DUE_GAS_EACH: Final = 200_000
_MOST_DUE_GAS: Final = 50_000_000


@dataclass(frozen=True, slots=True)
class LegacyIdentity:
    """What a genuine legacy is: a configured router maps `legacy_id` to its address. `legacy_type`: 3 EOA, 1 Safe."""

    legacy: str
    creator: str
    owner: str
    router: str
    legacy_id: int
    legacy_type: int

    @property
    def place(self) -> tuple[str, int]:
        """The router and the id under which the router knows the legacy."""
        return self.router, self.legacy_id


class Members(msgspec.Struct, frozen=True):
    """Who the chain says takes part. Absent lines are None."""

    owner: str
    creator: str
    beneficiaries: tuple[str, ...]
    second_line: str | None
    third_line: str | None


@dataclass(frozen=True, slots=True)
class LegacyFacts(LegacyIdentity):
    """`triggers`: unix seconds at which line 1, 2, 3 may activate, zeros in old builds. `name` is a stranger's text."""

    members: Members
    is_live: bool
    triggers: Triggers
    name: str


Identity = TypeVar("Identity", bound=LegacyIdentity)


class Legacies:
    """Reads of many legacies at once. Nothing of a legacy is believed unless its router maps its id back to it."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._routers = frozenset(chain.settings.legacy_routers)

    async def is_genuine(self, legacy: str, *, likely: LegacyIdentity | None = None) -> LegacyIdentity | None:
        """None when it is not one of ours; raises `ChainUnavailable` when that cannot be told.

        A request may name any address. The registry is asked before the rest of the contract is.

        `likely`, what it was before, saves two round trips and proves nothing: the registry is asked about that place
        while the legacy is asked for its own, and again when they differ.
        """
        if likely is not None and likely.router in self._routers:
            found, is_known = await asyncio.gather(self._identity(legacy), self._is_known(legacy, likely.place))
            if found is None or found.place == likely.place:
                return found if is_known else None
        place = _decoded(_place, await self._chain.views(legacy, _PLACE))
        if place is None or place[0] not in self._routers or not await self._is_known(legacy, place):
            return None
        found = await self._identity(legacy)
        return found if found is not None and found.place == place else None

    async def _identity(self, legacy: str) -> LegacyIdentity | None:
        return _decoded(_identity, legacy, await self._chain.views(legacy, _IDENTITY))

    async def _is_known(self, legacy: str, place: tuple[str, int]) -> bool:
        (registered,) = await self._chain.call_many([_registration(*place)])
        return configured("legacyAddresses", abi_codec.address_at, registered) == legacy

    async def identities(self, legacies: Sequence[str], *, at: str | None) -> list[LegacyIdentity | None]:
        """As `is_genuine`, in order."""
        rows = await self._read(legacies, _IDENTITY, at)
        return await self._registered(
            [_decoded(_identity, legacy, row) for legacy, row in zip(legacies, rows, strict=True)], at
        )

    async def facts(self, legacies: Sequence[str], *, at: str) -> list[LegacyFacts | None]:
        """In order; None for one that is not genuine or whose reads revert."""
        rows = await self._read(legacies, _IDENTITY + _STATE, at)
        return await self._registered(
            [_decoded(_facts, legacy, row) for legacy, row in zip(legacies, rows, strict=True)], at
        )

    async def facts_of(self, legacy: str, router: str, legacy_id: int, *, at: str) -> LegacyFacts | None:
        """Of the legacy that `router`, a configured one, has under this id; None when it says otherwise or reverts."""
        (row,) = await self._read([legacy], _IDENTITY + _STATE, at)
        found = _decoded(_facts, legacy, row)
        return found if found and (found.router, found.legacy_id) == (router, legacy_id) else None

    async def members(self, legacies: Sequence[str], *, at: str) -> list[Members | None]:
        """In order; None for one whose reads revert. Of legacies that are known to be genuine."""
        return [_decoded(_members, row) for row in await self._read(legacies, _MEMBERS, at)]

    async def triggers(self, legacies: Sequence[str], *, at: str) -> list[Triggers | None]:
        """In order, unix seconds; None for one that reverts, zeros for old builds."""
        return [_decoded(_triggers, row[0]) for row in await self._read(legacies, (_TRIGGERS,), at)]

    async def pull_vaults(self, legacies: Sequence[str], *, at: str) -> list[str | None]:
        """Return the vault that may pull for each legacy by Permit2, or None for none.

        A legacy keeps the vault that its router had at creation. The configured vault stands for the vault of a legacy
        without this getter.
        """
        rows = await self._read(legacies, (_PULL_VAULT,), at)
        named = [said(abi_codec.address_at, row[0]) or self._chain.settings.legacy_pull_vault for row in rows]
        return [None if vault == _ZERO else vault for vault in named]

    async def _read(self, legacies: Sequence[str], selectors: Sequence[bytes], at: str | None) -> list[list[Answer]]:
        answers = await self._chain.call_many([Call(legacy, s) for legacy in legacies for s in selectors], at=at)
        return [answers[i : i + len(selectors)] for i in range(0, len(answers), len(selectors))]

    async def _registered(self, claimed: Sequence[Identity | None], at: str | None) -> list[Identity | None]:
        """Keep those whose router is configured and maps their id to their address."""
        asked = [one for one in claimed if one is not None and one.router in self._routers]
        answers = await self._chain.call_many([_registration(*one.place) for one in asked], at=at)
        genuine = {
            one.legacy
            for one, answer in zip(asked, answers, strict=True)
            if configured("legacyAddresses", abi_codec.address_at, answer) == one.legacy
        }
        return [one if one is not None and one.legacy in genuine else None for one in claimed]


class ReminderView:
    """PremiumReminderView: which windows are open."""

    _BATCH: Final = selector("PremiumReminderView", "dueRemindersBatch")
    _AHEAD: Final = selector("PremiumReminderView", "defaultNotifyAhead")

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._address = chain.settings.premium_reminder_view

    async def due_windows(self, legacies: Sequence[str], *, at: str) -> list[tuple[int, ...]] | Reverted:
        """The open windows (1..6) of each legacy in order. `Reverted` when one of them reverts, or when there are too
        many for the node: the contract does not isolate, ask for half of them."""
        data = self._BATCH + word(WORD) + word(len(legacies)) + b"".join(map(address_word, legacies))
        gas = min(_DUE_GAS + _DUE_GAS_EACH * len(legacies), _MOST_DUE_GAS)
        try:
            answer = await self._chain.call(Call(self._address, data), at=at, gas=gas)
        except TooMuch:
            if len(legacies) == 1:
                raise
            return Reverted()
        if isinstance(answer, Reverted):
            return answer
        return configured("dueRemindersBatch", lambda data, _: windows(data, len(legacies)), answer)

    async def default_notify_ahead(self, *, at: str) -> int:
        """Seconds."""
        return configured(
            "defaultNotifyAhead", abi_codec.at, await self._chain.call(Call(self._address, self._AHEAD), at=at)
        )


class PremiumSetting:
    """Who is Premium, and how early they want to be told."""

    _IS_PREMIUM: Final = selector("PremiumSetting", "isPremium")
    _TIME_AHEAD: Final = selector("PremiumSetting", "getTimeAhead")
    _BENEFICIARIES: Final = selector("PremiumSetting", "getBeneficiaryData")

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._address = chain.settings.premium_setting

    async def is_premium(self, user: str, *, at: str | None = None) -> bool:
        answer = await self._chain.call(Call(self._address, self._IS_PREMIUM + address_word(user)), at=at)
        return configured("isPremium", abi_codec.bool_at, answer)

    async def are_premium(self, users: Sequence[str], *, at: str) -> list[bool]:
        """In order."""
        calls = [Call(self._address, self._IS_PREMIUM + address_word(user)) for user in users]
        answers = await self._chain.call_many(calls, at=at)
        return [configured("isPremium", abi_codec.bool_at, answer) for answer in answers]

    async def times_ahead(self, users: Sequence[str], *, at: str) -> list[int]:
        """Seconds before a deadline, in order; 0 where the user set none."""
        calls = [Call(self._address, self._TIME_AHEAD + address_word(user)) for user in users]
        answers = await self._chain.call_many(calls, at=at)
        return [configured("getTimeAhead", abi_codec.at, answer) for answer in answers]

    async def are_configured(self, legacies: Sequence[str]) -> list[bool]:
        """Whether a beneficiary is to be reminded of each legacy, in order; False where the contract does not say."""
        calls = [Call(self._address, self._BENEFICIARIES + address_word(legacy)) for legacy in legacies]
        return [bool(said(abi_codec.addresses_behind, answer)) for answer in await self._chain.call_many(calls)]


class TokenWhiteList:
    """The tokens whose symbols may be shown."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain

    async def tokens(self, *, at: str | None = None) -> frozenset[str]:
        call = Call(self._chain.settings.token_white_list, selector("TokenWhiteList", "getWhitelist"))
        answer = await self._chain.call(call, at=at)
        return frozenset(configured("getWhitelist", abi_codec.addresses_behind, answer))


def _registration(router: str, legacy_id: int) -> Call:
    """Ask a router which legacy has this id."""
    return Call(router, _LEGACY_ADDRESSES + word(legacy_id))


def windows(data: bytes, count: int) -> list[tuple[int, ...]]:
    """`uint8[][]` of exactly `count`, values other than 1..6 left out; raises `Malformed`."""
    start = abi_codec.at(data, 0)
    if abi_codec.at(data, start) != count:
        raise Malformed("another number of legacies than asked for")
    base = start + WORD
    found: list[tuple[int, ...]] = []
    for offset in abi_codec.uints_at(data, start):
        place = base + offset
        if data[place : place + WORD] == _ZERO_WORD:  # nearly all, at nearly every look
            found.append(())
        else:
            found.append(tuple([value for value in abi_codec.uints_at(data, place) if 1 <= value <= 6]))
    return found


def configured(name: str, read: Callable[[bytes, int], T], answer: Answer) -> T:
    """The value a configured contract gives; when it does not, nothing can be decided."""
    if not isinstance(answer, Reverted):
        try:
            return read(answer, 0)
        except Malformed:
            pass
    raise ChainUnavailable(f"{name} of a configured contract does not answer as it should")


def said(read: Callable[[bytes, int], T], answer: Answer, position: int = 0) -> T | None:
    """The value that anybody's contract gives; None when it reverts, or gives something else."""
    try:
        return read(_data(answer), position)
    except Malformed:
        return None


def _decoded(decode: Callable[..., T], *answers: object) -> T | None:
    """None for what reverted or is not what a legacy answers."""
    try:
        return decode(*answers)
    except Malformed:
        return None


def _data(answer: Answer) -> bytes:
    if isinstance(answer, Reverted):
        raise Malformed("reverted")
    return answer


def _place(row: Sequence[Answer]) -> tuple[str, int]:
    router, legacy_id = map(_data, row)
    return abi_codec.address_at(router, 0), abi_codec.at(legacy_id, 0)


def _identity(legacy: str, row: Sequence[Answer]) -> LegacyIdentity:
    creator, owner, router, legacy_id, legacy_type = map(_data, row)
    return LegacyIdentity(
        legacy=legacy,
        creator=abi_codec.address_at(creator, 0),
        owner=abi_codec.address_at(owner, 0),
        router=abi_codec.address_at(router, 0),
        legacy_id=abi_codec.at(legacy_id, 0),
        legacy_type=abi_codec.uint_at(legacy_type, 0, 128),
    )


def _facts(legacy: str, row: Sequence[Answer]) -> LegacyFacts:
    identity = _identity(legacy, row[: len(_IDENTITY)])
    beneficiaries, is_live, triggers, name = row[len(_IDENTITY) :]
    return LegacyFacts(
        legacy=identity.legacy,
        creator=identity.creator,
        owner=identity.owner,
        router=identity.router,
        legacy_id=identity.legacy_id,
        legacy_type=identity.legacy_type,
        members=_members((row[0], row[1], beneficiaries)),
        is_live=abi_codec.bool_at(_data(is_live), 0),
        triggers=_triggers(triggers),
        name=_text(name),
    )


def _members(row: Sequence[Answer]) -> Members:
    creator, owner, lines = map(_data, row)
    found = abi_codec.address_at(creator, 0)
    second, third = lines[WORD : 2 * WORD], lines[2 * WORD : 3 * WORD]
    return Members(
        found if owner == creator else abi_codec.address_at(owner, 0),
        found,
        abi_codec.addresses_behind(lines, 0, MOST_NAMED),
        None if second == _ZERO_WORD else abi_codec.address_at(second, 0),
        None if third == _ZERO_WORD else abi_codec.address_at(third, 0),
    )


def _triggers(answer: Answer) -> Triggers:
    if isinstance(answer, Reverted) and answer.data == _OVERFLOW:
        return NEVER, NEVER, NEVER
    data = _data(answer)
    if len(data) < 3 * WORD:
        raise Malformed("fewer than three words")
    number = int.from_bytes
    return (number(data[:WORD], "big"), number(data[WORD : 2 * WORD], "big"), number(data[2 * WORD : 3 * WORD], "big"))


def _text(answer: Answer) -> str:
    """A legacy's name, empty when there is none worth showing: a bad name takes nothing else away."""
    try:
        data = _data(answer)
        return abi_codec.bytes_at(data, abi_codec.at(data, 0), _LONGEST_NAME_BYTES).decode()
    except (Malformed, UnicodeDecodeError):
        return ""


@dataclass(frozen=True, slots=True)
class TimelockDetails:
    """What TimelockERC20 says of one timelock; what NFT vaults hold of it is not told here.

    `assets`: tokens with base units, in the order of sealing. `last_as_eth`: the last of them is paid out as ether, by
    unwrapping it or, if it is no wrapped ether, by a sale. Once it is withdrawn, the contract has forgotten both.
    Types and statuses as in the index; `unlock_time` unix seconds.
    """

    assets: tuple[tuple[str, int], ...]
    unlock_time: int
    owner: str
    recipient: str
    last_as_eth: bool
    lock_type: int
    status: int


class Timelocks:
    """The ERC-20 vault of timelocks."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._vault = chain.settings.timelock_erc20

    async def details(self, ids: Sequence[int], *, at: str | None = None) -> list[TimelockDetails | None]:
        """In order; None for an id that the vault does not know."""
        answers = await self._chain.call_many([Call(self._vault, TIMELOCK_DETAILS + word(id)) for id in ids], at=at)
        return list(map(timelock_details, answers))


def timelock_details(answer: Answer) -> TimelockDetails | None:
    """What the ERC-20 vault answers to `getTimelockDetails`; None for an id that it does not know."""
    return _decoded(_timelock_details, answer)


def _timelock_details(answer: Answer) -> TimelockDetails:
    data = _data(answer)
    base = abi_codec.at(data, 0)
    tokens = abi_codec.addresses_at(data, base + abi_codec.at(data, base))
    amounts = abi_codec.uints_at(data, base + abi_codec.at(data, base + WORD))
    found = TimelockDetails(
        assets=tuple(zip(tokens, amounts, strict=False)),
        unlock_time=abi_codec.at(data, base + 2 * WORD),
        owner=abi_codec.address_at(data, base + 4 * WORD),
        last_as_eth=abi_codec.bool_at(data, base + 7 * WORD),
        lock_type=abi_codec.uint_at(data, base + 8 * WORD, 8),
        status=abi_codec.uint_at(data, base + 9 * WORD, 8),
        recipient=abi_codec.address_at(data, base + 10 * WORD),
    )
    if found.owner == _ZERO or len(tokens) != len(amounts):
        raise Malformed("no such timelock")
    return found
