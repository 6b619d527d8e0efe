"""Reads of legacies and their members."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import msgspec

from reminder_worker.chain import abi_codec
from reminder_worker.chain.abi import find_selector
from reminder_worker.chain.abi_codec import WORD, MalformedData, encode_call, encode_word
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts import Answer, answer_bytes, decode_configured, decode_or_none, read_or_none
from reminder_worker.chain.contracts.newest import call_newest
from reminder_worker.chain.types import BlockMoment, ContractCall, RevertedCall

Triggers = tuple[int, int, int]

_IDENTITY: Final = ("creator", "getLegacyOwner", "router", "getLegacyId", "LEGACY_TYPE")
_FACTS: Final = (*_IDENTITY, "getLegacyBeneficiaries", "isLive", "getTriggerActivationTimestamp", "getLegacyName")
NEVER: Final = 2**256 - 1
"""Trigger of a legacy whose times overflow. Its owner set an inactivity or a delay that no clock reaches."""
MOST_NAMED: Final = 100
"""Bound of each list that a legacy or a Safe returns. Today's contracts allow 32 heirs, with shares in whole percents;
a Safe has no bound of its own."""


@dataclass(frozen=True, slots=True)
class LegacyIdentity:
    """Identity of a genuine legacy: a configured router maps the id to the address. `legacy_type`: 3 EOA, 1 Safe."""

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


class LegacyMembers(msgspec.Struct, frozen=True):
    """Members of a legacy on chain. Absent lines are None."""

    owner: str
    creator: str
    beneficiaries: tuple[str, ...]
    second_line: str | None
    third_line: str | None


@dataclass(frozen=True, slots=True)
class LegacyFacts(LegacyIdentity):
    """`triggers`: unix seconds at which line 1, 2, 3 may activate, zeros in old builds. `name` is a stranger's text."""

    members: LegacyMembers
    is_live: bool
    triggers: Triggers
    name: str


Identity = TypeVar("Identity", bound=LegacyIdentity)


class LegacyReads:
    """Reads of many legacies at once. A legacy is believed only if its router maps the id back to it."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._routers = frozenset(chain.settings.legacy_routers)

    async def is_genuine(self, legacy: str) -> LegacyIdentity | None:
        """Return the legacy's identity; None for a contract of strangers. Raises `ChainUnavailable`.

        A request may name any address, so the registry is asked before the rest of the contract.
        """
        place = decode_or_none(_decode_place, await self._read_views(legacy, "router", "getLegacyId"))
        if place is None or place[0] not in self._routers or not await self._is_known(legacy, place):
            return None
        found = await self._read_identity(legacy)
        return found if found is not None and found.place == place else None

    async def recognise(
        self, legacy: str, *, likely: LegacyIdentity | None, account: str | None
    ) -> tuple[LegacyIdentity | None, bytes | None]:
        """Return the identity as `is_genuine`, and the account's code if it was read.

        `likely`, an earlier identity, saves requests and proves nothing: registry, legacy and code are read in one
        request, and the identity is read again if the answers name another place.
        """
        if likely is None or likely.router not in self._routers:
            return await self.is_genuine(legacy), None
        views = [ContractCall(legacy, find_selector("Legacy", name)) for name in _IDENTITY]
        (registered, *row), code = await self._chain.read_known([_encode_registration(*likely.place), *views], account)
        found = decode_or_none(_decode_identity, legacy, row)
        if found is not None and found.place != likely.place:
            return await self.is_genuine(legacy), code
        return (found if _decode_registration(registered) == legacy else None), code

    async def _read_identity(self, legacy: str) -> LegacyIdentity | None:
        return decode_or_none(_decode_identity, legacy, await self._read_views(legacy, *_IDENTITY))

    async def _read_views(self, legacy: str, *getters: str) -> list[Answer]:
        return await self._chain.read_views(legacy, [find_selector("Legacy", name) for name in getters])

    async def _is_known(self, legacy: str, place: tuple[str, int]) -> bool:
        (registered,) = await self._chain.call_many([_encode_registration(*place)])
        return _decode_registration(registered) == legacy

    async def read_identities(self, legacies: Sequence[str], *, at: str | None) -> list[LegacyIdentity | None]:
        """Return identities as `is_genuine`, in order."""
        rows = await self._read_getters(legacies, at, *_IDENTITY)
        return await self._keep_registered(
            [decode_or_none(_decode_identity, legacy, row) for legacy, row in zip(legacies, rows, strict=True)], at
        )

    async def read_facts(self, legacies: Sequence[str], *, at: str) -> list[LegacyFacts | None]:
        """Return facts in order; None for a foreign legacy or for reverting reads."""
        rows = await self._read_getters(legacies, at, *_FACTS)
        return await self._keep_registered(
            [decode_or_none(_decode_facts, legacy, row) for legacy, row in zip(legacies, rows, strict=True)], at
        )

    async def read_facts_of(self, legacy: str, router: str, legacy_id: int, *, at: str) -> LegacyFacts | None:
        """Return the facts of a legacy under this id of a configured router; None for another identity or a revert."""
        (row,) = await self._read_getters([legacy], at, *_FACTS)
        found = decode_or_none(_decode_facts, legacy, row)
        return found if found and (found.router, found.legacy_id) == (router, legacy_id) else None

    async def read_newest_facts(
        self, legacy: str, place: tuple[str, int], more: Sequence[ContractCall]
    ) -> tuple[BlockMoment, LegacyFacts | None, list[Answer]]:
        """Return the newest block, a legacy's facts, and the answers to `more`, by one request to one endpoint.

        `place`: the configured router and the id. The facts are None if the router has no such legacy there, or if a
        read reverts. `more`: calls of configured contracts. Nothing here decides about money or an email.
        """
        own = [ContractCall(legacy, find_selector("Legacy", name)) for name in _FACTS]
        block, answers = await call_newest(self._chain, [*more, _encode_registration(*place), *own])
        registered, row = answers[len(more)], answers[len(more) + 1 :]
        found = decode_or_none(_decode_facts, legacy, row)
        is_genuine = found is not None and found.place == place and _decode_registration(registered) == legacy
        return block, found if is_genuine else None, answers[: len(more)]

    async def read_members(self, legacies: Sequence[str], *, at: str) -> list[LegacyMembers | None]:
        """Return the members of genuine legacies, in order; None for reverting reads."""
        rows = await self._read_getters(legacies, at, "creator", "getLegacyOwner", "getLegacyBeneficiaries")
        return [decode_or_none(_decode_members, row) for row in rows]

    async def read_triggers(self, legacies: Sequence[str], *, at: str) -> list[Triggers | None]:
        """Return triggers in order, in unix seconds; None for a revert, zeros for old builds."""
        rows = await self._read_getters(legacies, at, "getTriggerActivationTimestamp")
        return [decode_or_none(_decode_triggers, row[0]) for row in rows]

    async def read_live(self, legacies: Sequence[str], *, at: str) -> list[bool | None]:
        """Return in order whether legacies are live, neither deleted nor claimed from; None for a revert."""
        rows = await self._read_getters(legacies, at, "isLive")
        return [read_or_none(abi_codec.bool_at, row[0]) for row in rows]

    async def read_pull_vaults(self, legacies: Sequence[str], *, at: str) -> list[str | None]:
        """Return the vault that may pull for each legacy by Permit2, or None for none.

        A legacy keeps the vault that its router had at creation. The configured vault stands for the vault of a legacy
        without this getter.
        """
        rows = await self._read_getters(legacies, at, "pullVault")
        return [self._find_vault(row[0]) for row in rows]

    def _find_vault(self, answer: Answer) -> str | None:
        vault = read_or_none(abi_codec.address_at, answer) or self._chain.settings.legacy_pull_vault
        return None if vault == "0x" + "0" * 40 else vault

    async def _read_getters(self, legacies: Sequence[str], at: str | None, *getters: str) -> list[list[Answer]]:
        """Return, per legacy, the answers of its getters."""
        selectors = [find_selector("Legacy", name) for name in getters]
        answers = await self._chain.call_many(
            [ContractCall(legacy, s) for legacy in legacies for s in selectors], at=at
        )
        return [answers[i : i + len(selectors)] for i in range(0, len(answers), len(selectors))]

    async def _keep_registered(self, claimed: Sequence[Identity | None], at: str | None) -> list[Identity | None]:
        """Keep those whose router is configured and maps their id to their address."""
        named = [one for one in claimed if one is not None]
        asked = [one for one in named if one.router in self._routers]
        answers = await self._chain.call_many([_encode_registration(*one.place) for one in asked], at=at)
        registered = [_decode_registration(answer) for answer in answers]
        genuine = {one.legacy for one, legacy in zip(asked, registered, strict=True) if legacy == one.legacy}
        kept: list[Identity | None] = []
        for one in claimed:
            is_genuine = one is not None and one.legacy in genuine
            kept.append(one if is_genuine else None)
        return kept


def _encode_registration(router: str, legacy_id: int) -> ContractCall:
    """Ask a router which legacy has this id."""
    return encode_call(router, "TransferEOALegacyRouter", "legacyAddresses", encode_word(legacy_id))


def _decode_registration(answer: Answer) -> str:
    return decode_configured("legacyAddresses", abi_codec.address_at, answer)


def _decode_place(row: Sequence[Answer]) -> tuple[str, int]:
    router, legacy_id = map(answer_bytes, row)
    return abi_codec.address_at(router, 0), abi_codec.word_at(legacy_id, 0)


def _decode_identity(legacy: str, row: Sequence[Answer]) -> LegacyIdentity:
    creator, owner, router, legacy_id, legacy_type = map(answer_bytes, row)
    return LegacyIdentity(
        legacy=legacy,
        creator=abi_codec.address_at(creator, 0),
        owner=abi_codec.address_at(owner, 0),
        router=abi_codec.address_at(router, 0),
        legacy_id=abi_codec.word_at(legacy_id, 0),
        legacy_type=abi_codec.uint_at(legacy_type, 0, 128),
    )


def _decode_facts(legacy: str, row: Sequence[Answer]) -> LegacyFacts:
    identity = _decode_identity(legacy, row[: len(_IDENTITY)])
    beneficiaries, is_live, triggers, name = row[len(_IDENTITY) :]
    return LegacyFacts(
        legacy,
        identity.creator,
        identity.owner,
        identity.router,
        identity.legacy_id,
        identity.legacy_type,
        members=_decode_members((row[0], row[1], beneficiaries)),
        is_live=abi_codec.bool_at(answer_bytes(is_live), 0),
        triggers=_decode_triggers(triggers),
        name=_decode_name(name),
    )


def _decode_members(row: Sequence[Answer]) -> LegacyMembers:
    creator, owner, lines = map(answer_bytes, row)
    found = abi_codec.address_at(creator, 0)
    return LegacyMembers(
        found if owner == creator else abi_codec.address_at(owner, 0),
        found,
        abi_codec.addresses_behind(lines, 0, MOST_NAMED),
        _decode_line(lines, WORD),
        _decode_line(lines, 2 * WORD),
    )


def _decode_line(lines: bytes, position: int) -> str | None:
    """Return the address of the second or third line; None for a line without one."""
    has_line = lines[position : position + WORD] != bytes(WORD)
    return abi_codec.address_at(lines, position) if has_line else None


def _decode_triggers(answer: Answer) -> Triggers:
    overflow = bytes.fromhex("4e487b71") + encode_word(0x11)  # Panic(uint256) of Solidity
    if isinstance(answer, RevertedCall) and answer.data == overflow:
        return NEVER, NEVER, NEVER
    data = answer_bytes(answer)
    if len(data) < 3 * WORD:
        raise MalformedData("fewer than three words")
    number = int.from_bytes
    return (number(data[:WORD], "big"), number(data[WORD : 2 * WORD], "big"), number(data[2 * WORD : 3 * WORD], "big"))


def _decode_name(answer: Answer) -> str:
    """Return a legacy's name; empty for an undecodable name, which spoils nothing else."""
    try:
        data = answer_bytes(answer)
        return abi_codec.bytes_at(data, abi_codec.word_at(data, 0), 1024).decode()
    except (MalformedData, UnicodeDecodeError):
        return ""
