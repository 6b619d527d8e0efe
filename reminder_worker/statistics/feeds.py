"""Chainlink price feeds: read together at one block, and what to think of an answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final

from reminder_worker.chain import abi_codec
from reminder_worker.chain.abi import selector
from reminder_worker.chain.abi_codec import WORD, MalformedData
from reminder_worker.chain.client import Chain
from reminder_worker.chain.types import BlockHeader, ContractCall, RevertedCall

GRACE_SECONDS: Final = 600  # a feed's transaction takes minutes to be mined, and ours is a look every five
MOST_DECIMALS: Final = 36
MOST_USD: Final = 10**9  # of one token
LARGEST_JUMP: Final = 2  # times or part of the last good answer
HELD_SECONDS: Final = 86_400  # a jump, at least; then nothing is left to measure it against
_LONGEST_DESCRIPTION: Final = 128
_READS: Final = tuple(selector("PriceFeed", name) for name in ("latestRoundData", "decimals", "description"))


class Verdict(StrEnum):
    """Of the last answer of a feed; an answer is kept as a price when it is good or stale."""

    GOOD = "good"
    STALE = "stale"  # older than its heartbeat and the grace
    NO_ANSWER = "no_answer"  # no such contract, it reverts, or says something else than a feed
    NOT_IN_USD = "not_in_usd"
    TOO_MANY_DECIMALS = "too_many_decimals"
    INCOMPLETE = "incomplete"  # never updated, or answered in an earlier round
    IN_THE_FUTURE = "in_the_future"
    NOT_POSITIVE = "not_positive"
    ABSURD = "absurd"  # more than a thousand million dollars
    JUMP = "jump"  # too far from the last good answer: held


SANE: Final = frozenset({Verdict.GOOD, Verdict.STALE})


@dataclass(frozen=True, slots=True)
class Round:
    """One answer, US dollars in units of 10^-decimals; `updated_at` in unix seconds, by the feed."""

    round_id: int
    answer: int
    decimals: int
    updated_at: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What a feed said; `round` is None when that is no answer at all."""

    round: Round | None
    answered_in: int = 0
    asset: str | None = None  # `ETH` for a feed of ether in US dollars, from its description


def dollars(answer: int, decimals: int) -> Decimal:
    """Exact: arithmetic would round to the context's precision."""
    return Decimal(f"{answer}E-{decimals}")


async def read_feeds(chain: Chain, feeds: Sequence[str], block: BlockHeader) -> list[Answer]:
    """In order, all at one block, isolated from each other; raises `ChainUnavailable`.

    Decimals are read with every answer: a proxy's aggregator can be exchanged, and a factor of ten is a price.
    """
    found = await chain.call_many([ContractCall(feed, data) for feed in feeds for data in _READS], at=block.hash)
    return [_answer(*found[i : i + len(_READS)]) for i in range(0, len(found), len(_READS))]


def judge(said: Answer, good: Round | None, block_time: int, heartbeat: int) -> Verdict:
    """`good` is the last good answer; `block_time` that of the block the feed was read at, unix seconds."""
    now = said.round
    if now is None:
        return Verdict.NO_ANSWER
    if said.asset is None:
        return Verdict.NOT_IN_USD
    if now.decimals > MOST_DECIMALS:
        return Verdict.TOO_MANY_DECIMALS
    if now.updated_at == 0 or said.answered_in < now.round_id:
        return Verdict.INCOMPLETE
    if now.updated_at > block_time:
        return Verdict.IN_THE_FUTURE
    if now.answer <= 0:
        return Verdict.NOT_POSITIVE
    if now.answer > MOST_USD * 10**now.decimals:
        return Verdict.ABSURD
    if good is not None and _jumps(now, good, heartbeat):
        return Verdict.JUMP
    return Verdict.STALE if is_stale(block_time - now.updated_at, heartbeat) else Verdict.GOOD


def is_stale(age: int, heartbeat: int) -> bool:
    """All in seconds. A feed writes a round at least once in each heartbeat, also while the price stands still."""
    return age > heartbeat + GRACE_SECONDS


def _jumps(now: Round, good: Round, heartbeat: int) -> bool:
    """Too far from the last good answer, unless that is so old that it says nothing: a market may double in a week."""
    if now.updated_at - good.updated_at > max(HELD_SECONDS, 2 * heartbeat):
        return False
    new: int = now.answer * 10**good.decimals
    old: int = good.answer * 10**now.decimals
    return new > old * LARGEST_JUMP or new * LARGEST_JUMP < old


def _answer(
    round_data: bytes | RevertedCall, decimals: bytes | RevertedCall, description: bytes | RevertedCall
) -> Answer:
    try:
        if isinstance(round_data, RevertedCall) or isinstance(decimals, RevertedCall):
            return Answer(None)
        round_id, answered_in = abi_codec.uint_at(round_data, 0, 80), abi_codec.uint_at(round_data, 4 * WORD, 80)
        answer = int.from_bytes(round_data[WORD : 2 * WORD], "big", signed=True)
        updated_at = abi_codec.at(round_data, 3 * WORD)
        said = Round(round_id, answer, abi_codec.uint_at(decimals, 0, 8), updated_at)
    except MalformedData:
        return Answer(None)
    return Answer(said, answered_in, _asset(description))


def _asset(description: bytes | RevertedCall) -> str | None:
    """`ETH` of `ETH / USD`, as every feed describes itself. One in ether or bitcoin would be believed otherwise."""
    try:
        if isinstance(description, RevertedCall):
            return None
        text = abi_codec.bytes_at(description, abi_codec.at(description, 0), _LONGEST_DESCRIPTION)
    except MalformedData:
        return None
    asset, slash, currency = text.decode("ascii", "replace").strip().upper().rpartition("/ ")
    return asset.strip() if slash and currency == "USD" else None
