"""Reads of the timelocks' vault and for sponsored authorizations: the routers' domains and nonces, each lane's facts.

One request has many reads, all at one block. A wrong answer of a configured contract raises `ChainUnavailable`.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from reminder_worker.chain import abi_codec
from reminder_worker.chain.abi_codec import WORD, MalformedData, encode_address, encode_call, encode_word
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts import Answer, answer_bytes, decode_configured, decode_or_none, read_or_none
from reminder_worker.chain.contracts.legacies import LegacyReads
from reminder_worker.chain.contracts.newest import call_newest
from reminder_worker.chain.eip712 import TypedDataDomain
from reminder_worker.chain.types import BlockMoment, ContractCall, RevertedCall
from reminder_worker.errors import ChainUnavailable

PAYEE_VERSION: Final = "2"
"""Version of a TimeLockRouter with a payee in its withdrawals."""
TIMELOCK_VERSIONS: Final = ("1", PAYEE_VERSION)
LEGACY_VERSIONS: Final = ("1",)
"""Known versions of the domains: another version has other authorizations."""

NOBODY: Final = "0x" + "00" * 20

Read = tuple[str, ContractCall, Callable[[bytes, int], Any]]


@dataclass(frozen=True, slots=True)
class TimelockDetails:
    """TimelockERC20's record of one timelock, without the assets in NFT vaults.

    `assets`: tokens with base units, in the order of sealing. `last_as_eth`: the last token is paid out as ether,
    unwrapped or sold. After the withdrawal the contract has forgotten both. Types and statuses as in the index;
    `unlock_time` unix seconds.
    """

    assets: tuple[tuple[str, int], ...]
    unlock_time: int
    owner: str
    recipient: str
    last_as_eth: bool
    lock_type: int
    status: int


class TimelockReads:
    """The ERC-20 vault of timelocks."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._vault = chain.settings.timelock_erc20

    async def read_details(self, ids: Sequence[int], *, at: str | None = None) -> list[TimelockDetails | None]:
        """Return details in order; None for an unknown id."""
        answers = await self._chain.call_many(
            [encode_call(self._vault, "TimelockERC20", "getTimelockDetails", encode_word(id)) for id in ids], at=at
        )
        return list(map(decode_timelock, answers))

    async def read_final_details(self, ids: Sequence[int]) -> list[TimelockDetails | None]:
        """Return details in order at the finalized block, as two endpoints confirm them; None for an unknown id."""

        async def read(chain: Chain) -> list[TimelockDetails | None]:
            block = await chain.get_block("finalized")
            if block is None:
                raise ChainUnavailable(f"no endpoint of chain {chain.chain_id} knows the finalized block")
            return await TimelockReads(chain).read_details(ids, at=block.hash)

        return await self._chain.agreed(read)


def decode_timelock(answer: Answer) -> TimelockDetails | None:
    """Decode the vault's answer to `getTimelockDetails`; None for an unknown id."""
    return decode_or_none(_timelock_details, answer)


def _timelock_details(answer: Answer) -> TimelockDetails:
    data = answer_bytes(answer)
    base = abi_codec.word_at(data, 0)
    tokens = abi_codec.addresses_at(data, base + abi_codec.word_at(data, base))
    amounts = abi_codec.uints_at(data, base + abi_codec.word_at(data, base + WORD))
    found = TimelockDetails(
        assets=tuple(zip(tokens, amounts, strict=False)),
        unlock_time=abi_codec.word_at(data, base + 2 * WORD),
        owner=abi_codec.address_at(data, base + 4 * WORD),
        last_as_eth=abi_codec.bool_at(data, base + 7 * WORD),
        lock_type=abi_codec.uint_at(data, base + 8 * WORD, 8),
        status=abi_codec.uint_at(data, base + 9 * WORD, 8),
        recipient=abi_codec.address_at(data, base + 10 * WORD),
    )
    if int(found.owner, 16) == 0 or len(tokens) != len(amounts):
        raise MalformedData("no such timelock")
    return found


@dataclass(frozen=True, slots=True)
class ClaimFacts:
    """`legacy`: None when the router has none under this id. `nonce`: of the signer's next authorization."""

    nonce: int
    legacy: str | None
    disabled: bool
    whitelist: frozenset[str]


@dataclass(frozen=True, slots=True)
class CheckInFacts:
    """As `ClaimFacts`; `most_ttl`: seconds that a check-in's deadline may be ahead."""

    nonce: int
    legacy: str | None
    premium: bool
    most_ttl: int


@dataclass(frozen=True, slots=True)
class WithdrawFacts:
    """`details`: None when the ERC-20 vault has nothing under this id."""

    nonce: int
    details: TimelockDetails | None
    whitelist: frozenset[str]


@dataclass(frozen=True, slots=True)
class GiftView:
    """State of a gift for its viewers, all at one block.

    `details`: None when the ERC-20 vault has nothing under this id. `nonce`: of the recipient's next withdrawal, which
    is signed in `domain`.
    """

    block: BlockMoment
    details: TimelockDetails | None
    whitelist: frozenset[str]
    domain: TypedDataDomain
    nonce: int


class RouterReads:
    """Reads of one chain."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._domains: dict[str, tuple[TypedDataDomain, float]] = {}

    async def read_domain(self, router: str, *, afresh: bool = False) -> TypedDataDomain:
        """Return a configured router's domain (ERC-5267), kept for two minutes. Raises `ChainUnavailable`."""
        domain, read_at = self._domains.get(router, (None, 0.0))
        if afresh or domain is None or time.monotonic() - read_at > 120:  # an upgrade may change it
            domain = self._domain_of(
                router,
                await self._chain.call(encode_call(router, "TransferEOALegacyRouter", "eip712Domain")),
            )
            self._domains[router] = (domain, time.monotonic())
        return domain

    async def read_gift_view(self, timelock_id: int, recipient: str | None) -> GiftView:
        """Return the state of a gift for its viewers. One endpoint is asked once.

        The nonce is the recipient's. If `recipient`, as the index knows it, is None or wrong, a second request follows.
        Nothing here decides about money or an email: one endpoint may lie.
        """
        view = await self._read_gift_view(timelock_id, recipient or NOBODY)
        if view.details is None or view.details.recipient == recipient:
            return view
        again = await self._read_gift_view(timelock_id, view.details.recipient)
        if again.details is None or again.details.recipient != view.details.recipient:
            raise ChainUnavailable("the endpoints name different recipients of a gift")
        return again

    async def _read_gift_view(self, timelock_id: int, signer: str) -> GiftView:
        router, vault = self._chain.settings.time_lock_router, self._chain.settings.timelock_erc20
        reads = (_nonce_read(router, signer), self._whitelist_read())
        calls = [
            *(call for _, call, _ in reads),
            encode_call(router, "TransferEOALegacyRouter", "eip712Domain"),
            encode_call(vault, "TimelockERC20", "getTimelockDetails", encode_word(timelock_id)),
        ]
        block, (*answers, domain, timelock) = await call_newest(self._chain, calls)
        nonce, whitelist = _decode_values(reads, answers)
        return GiftView(block, decode_timelock(timelock), whitelist, self._domain_of(router, domain), nonce)

    async def read_newest_whitelist(self) -> tuple[BlockMoment, frozenset[str]]:
        """Return the newest block and the whitelisted tokens at it, by one request to one endpoint."""
        read = self._whitelist_read()
        block, answers = await call_newest(self._chain, [read[1]])
        (whitelist,) = _decode_values([read], answers)
        return block, whitelist

    async def read_claim_facts(self, router: str, legacy_id: int, signer: str, *, at: str) -> ClaimFacts:
        nonce, legacy, disabled, whitelist = await self._read_all(
            at,
            _nonce_read(router, signer),
            _legacy_read(router, legacy_id),
            (
                "sponsoredClaimsDisabled",
                encode_call(router, "TransferEOALegacyRouter", "sponsoredClaimsDisabled", encode_word(legacy_id)),
                abi_codec.bool_at,
            ),
            self._whitelist_read(),
        )
        return ClaimFacts(nonce, legacy, disabled, whitelist)

    async def read_legacy_of(self, router: str, legacy_id: int, *, at: str) -> str | None:
        """Return the legacy that the router has under this id, if any."""
        (legacy,) = await self._read_all(at, _legacy_read(router, legacy_id))
        return None if legacy is None else str(legacy)

    async def read_check_in_facts(self, router: str, legacy_id: int, signer: str, *, at: str) -> CheckInFacts:
        premium = encode_call(
            self._chain.settings.premium_setting, "PremiumSetting", "isPremium", encode_address(signer)
        )
        nonce, legacy, is_premium, most_ttl = await self._read_all(
            at,
            _nonce_read(router, signer),
            _legacy_read(router, legacy_id),
            ("isPremium", premium, abi_codec.bool_at),
            (
                "CHECKIN_AUTH_MAX_TTL",
                encode_call(router, "TransferEOALegacyRouter", "CHECKIN_AUTH_MAX_TTL"),
                abi_codec.word_at,
            ),
        )
        return CheckInFacts(nonce, legacy, is_premium, most_ttl)

    async def read_withdraw_facts(self, router: str, timelock_id: int, signer: str, *, at: str) -> WithdrawFacts:
        reads = (_nonce_read(router, signer), self._whitelist_read())
        vault = self._chain.settings.timelock_erc20
        details = encode_call(vault, "TimelockERC20", "getTimelockDetails", encode_word(timelock_id))
        *answers, timelock = await self._chain.call_many([*(call for _, call, _ in reads), details], at=at)
        nonce, whitelist = _decode_values(reads, answers)
        return WithdrawFacts(nonce, decode_timelock(timelock), whitelist)

    async def read_allowed_tokens(
        self, tokens: Sequence[str], owner: str, legacy: str, now: int, *, at: str
    ) -> frozenset[str]:
        """Return the tokens that a claim may take from the owner at time `now`.

        The allowance is the legacy's own, or one of Permit2 for the legacy or its pull vault.
        """
        permit2, holder = self._chain.settings.permit2, encode_address(owner)
        (vault,) = await LegacyReads(self._chain).read_pull_vaults([legacy], at=at)
        spenders = [encode_address(spender) for spender in (legacy, vault) if spender is not None]
        calls: list[ContractCall] = []
        for token in tokens:
            calls.append(encode_call(token, "ERC20", "balanceOf", holder))
            calls.append(encode_call(token, "ERC20", "allowance", holder + encode_address(legacy)))
            owned = holder + encode_address(token)
            calls += [encode_call(permit2, "Permit2", "allowance", owned + spender) for spender in spenders]
        answers, each = await self._chain.call_many(calls, at=at), 2 + len(spenders)
        found = set()
        for index, token in enumerate(tokens):
            balance, allowance, *permits = answers[each * index : each * (index + 1)]
            permitted = [_number_or_zero(permit) for permit in permits if _number_or_zero(permit, WORD) >= now]
            if _number_or_zero(balance) and any((_number_or_zero(allowance), *permitted)):
                found.add(token)
        return frozenset(found)

    def _domain_of(self, router: str, answer: bytes | RevertedCall) -> TypedDataDomain:
        """Decode a configured router's `eip712Domain`. Raises `ChainUnavailable` for the domain of another contract."""
        found = decode_configured("eip712Domain", _decode_domain, answer)
        if (found.chain_id, found.verifying_contract) != (self._chain.chain_id, router):
            raise ChainUnavailable("eip712Domain of a configured contract is of another chain or contract")
        return found

    def _whitelist_read(self) -> Read:
        call = encode_call(self._chain.settings.token_white_list, "TokenWhiteList", "getWhitelist")
        return ("getWhitelist", call, lambda data, position: frozenset(abi_codec.addresses_behind(data, position)))

    async def _read_all(self, at: str, *reads: Read) -> list[Any]:
        return _decode_values(reads, await self._chain.call_many([call for _, call, _ in reads], at=at))


def _decode_domain(data: bytes, _position: int) -> TypedDataDomain:
    """Decode a domain of exactly name, version, chain id and contract, as authorizations have it."""
    if data[:1] != b"\x0f":
        raise MalformedData("another domain")
    name, version = (abi_codec.bytes_at(data, abi_codec.word_at(data, field * WORD), WORD * 4) for field in (1, 2))
    try:
        return TypedDataDomain(
            name.decode(), version.decode(), abi_codec.word_at(data, 3 * WORD), abi_codec.address_at(data, 4 * WORD)
        )
    except UnicodeDecodeError:
        raise MalformedData("not text") from None


def _decode_values(reads: Sequence[Read], answers: Sequence[bytes | RevertedCall]) -> list[Any]:
    return [decode_configured(name, read, answer) for (name, _, read), answer in zip(reads, answers, strict=True)]


def _nonce_read(router: str, signer: str) -> Read:
    return (
        "sponsorNonce",
        encode_call(router, "TransferEOALegacyRouter", "sponsorNonce", encode_address(signer)),
        abi_codec.word_at,
    )


def _legacy_read(router: str, legacy_id: int) -> Read:
    def read(data: bytes, position: int) -> str | None:
        address = abi_codec.address_at(data, position)
        return address if int(address, 16) else None

    return (
        "legacyAddresses",
        encode_call(router, "TransferEOALegacyRouter", "legacyAddresses", encode_word(legacy_id)),
        read,
    )


def _number_or_zero(answer: bytes | RevertedCall, position: int = 0) -> int:
    """Return a number from a stranger's contract; 0 without a usable answer."""
    return read_or_none(abi_codec.word_at, answer, position) or 0
