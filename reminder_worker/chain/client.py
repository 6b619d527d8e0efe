"""One chain through several RPC endpoints, in order of preference: a failing endpoint rests.

A node's *answer* that a call reverts is a value (`RevertedCall`). On any other failure the next endpoint is asked, and
after the last one `ChainUnavailable` is raised.
"""

import asyncio
import copy
import random
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, Self, TypeVar

import msgspec
import structlog

from reminder_worker.chain import rpc_errors, simulation, wire
from reminder_worker.chain.abi_codec import MalformedData, decode_multicall, encode_multicall
from reminder_worker.chain.logs import (
    OLD_BLOCKS,
    HistoryGone,
    LogFilter,
    LogRanges,
    TooMuch,
    history_probe,
    is_pruned,
)
from reminder_worker.chain.rpc import (
    MAX_ANSWER_BYTES,
    AnswerTooLong,
    EndpointBackoff,
    EndpointFailed,
    Request,
    RpcEndpoint,
    RpcError,
)
from reminder_worker.chain.rpc_errors import READ_GAS, RequestRefused, unless_error
from reminder_worker.chain.types import (
    MOST_GAS,
    BlockHeader,
    ContractCall,
    EndpointHealth,
    EventLog,
    RevertedCall,
    SendOutcome,
    TransactionReceipt,
)
from reminder_worker.concurrency import together
from reminder_worker.errors import ChainUnavailable, Misconfigured
from reminder_worker.settings import ChainSettings
from reminder_worker.settings.values import BlockTag

__all__ = [
    "BlockHeader",
    "Chain",
    "ContractCall",
    "EndpointHealth",
    "EventLog",
    "RevertedCall",
    "StateGone",
    "TooMuch",
    "TransactionReceipt",
]
log = structlog.get_logger(__name__)
T = TypeVar("T")

ROUNDS: Final = 3
LONGEST_WAIT_SECONDS: Final = 2.0
CHUNK_CALLS: Final = 500
CHUNKS_AT_ONCE: Final = 8
MOST_ANSWER_BYTES: Final = 32 * 1024
"""Bound of one answer in `call_many`: the longest is of a timelock with 370 tokens, all that fit a transaction.
Two million gas return 950 KB."""
VIEW_GAS: Final = 100_000
"""Bound of one view in `views`: a genuine legacy needs 20,000."""
MOST_VIEWS_BYTES: Final = 16 * 1024
"""Bound of the node's JSON in `views`: five words need 2 KB, and nodes repeat a revert's reason twice."""
_OLD_SECONDS: Final[Mapping[BlockTag, int]] = {"latest": 120, "safe": 1800, "finalized": 1800}
_AHEAD_SECONDS: Final = 120


class StateGone(ChainUnavailable):
    """Every endpoint that answers says that it does not have the block of a call, or no longer its state. `everywhere`:
    none was silent, so no endpoint has it."""

    def __init__(self, message: str, *, everywhere: bool) -> None:
        super().__init__(message)
        self.everywhere = everywhere


class Chain:
    """Belongs to one event loop. Use as `async with`, or `close` it at the end.

    To make one costs no I/O: an endpoint is asked for its chain id before its first answer counts.
    """

    def __init__(
        self,
        settings: ChainSettings,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.settings = settings
        self.chain_id = settings.chain_id
        self._sleep = sleep
        self._endpoints = [
            RpcEndpoint(
                position,
                url.get_secret_value(),
                settings.chain_id,
                settings.rpc_timeout_seconds,
                EndpointBackoff(clock, jitter),
            )
            for position, url in enumerate(settings.rpc_urls, start=1)
        ]
        self.log_ranges = LogRanges(settings.log_range)
        self._alone_views: list[Self] = []
        self._chunks = asyncio.Semaphore(CHUNKS_AT_ONCE)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def check(self) -> None:
        """Raises `Misconfigured` when an endpoint serves another chain, `ChainUnavailable` when none answers."""

        async def reachable(endpoint: RpcEndpoint) -> bool:
            try:
                await endpoint.ask([("eth_blockNumber", [])])
                endpoint.rest.succeeded()
            except EndpointFailed:
                return False  # logged by the endpoint
            return True

        answers = await asyncio.gather(*map(reachable, self._endpoints))
        wrong = [f"{e.name} serves chain {e.wrong_chain}" for e in self._endpoints if e.wrong_chain is not None]
        if wrong:
            raise Misconfigured(f"CHAIN_{self.chain_id}_RPC_URLS: {', '.join(wrong)}")
        if not any(answers):
            raise ChainUnavailable(f"no endpoint of chain {self.chain_id} answers")

    async def close(self) -> None:
        for endpoint in self._endpoints:
            await endpoint.close()

    def health(self) -> list[EndpointHealth]:
        return [endpoint.health() for endpoint in self._endpoints]

    def alone(self) -> list[Self]:
        """The same chain as each endpoint alone tells it, for `agreement`. Not to be closed."""
        if not self._alone_views:
            self._alone_views = [self._by([endpoint]) for endpoint in self._endpoints]
        return self._alone_views

    def second_voices(self) -> list[tuple[Self, Self]]:
        """For each endpoint that does not rest, except the one that is asked first: the chain as this endpoint alone
        tells it, and as all the others do."""
        ready = [view for view in self.alone() if not view._endpoints[0].rest.resting]
        ready.sort(key=lambda view: view._endpoints[0].rest.asked_last)
        return [
            (view, self._by([each for each in self._endpoints if each not in view._endpoints])) for view in ready[1:]
        ]

    def _by(self, endpoints: list[RpcEndpoint]) -> Self:
        view = copy.copy(self)
        view._endpoints, view._alone_views = endpoints, []
        view.log_ranges = LogRanges(self.settings.log_range)
        return view

    # -- blocks and receipts ------------------------------------------------------------------

    async def block(self, which: BlockTag | int) -> BlockHeader | None:
        """None when no endpoint that answers has it, which a lagging node says too: no proof of a reorganisation.

        A tag is asked of the next endpoint, too, while the block it names is old (a node that has stopped importing
        blocks does not say so) or lies in the future, by whose time all that waits would be too old. Of old blocks the
        newest counts; one of the future counts only where no endpoint has another.
        """
        if isinstance(which, int):
            return (await self.blocks([which]))[0]
        return await self._newest(which, lambda block, _: block)

    async def has_block(self, number: int, hash: str) -> bool | None:
        """Whether the block of this number is this one; None when no endpoint that answers has one, as `block`."""
        block = await self.block(number)
        return None if block is None else block.hash == hash

    async def head(self) -> BlockHeader:
        """The latest block. Raises `ChainUnavailable`, also when no endpoint that answers has one."""
        head = await self.block("latest")
        if head is None:
            raise ChainUnavailable(f"no endpoint of chain {self.chain_id} knows the latest block")
        return head

    async def block_at(self, number: int) -> BlockHeader:
        """Raises `ChainUnavailable`, also when no endpoint that answers has it."""
        block = await self.block(number)
        if block is None:
            raise ChainUnavailable(f"no endpoint of chain {self.chain_id} has block {number} yet")
        return block

    async def first_block_since(self, timestamp: int, last: int) -> int:
        """The first of the blocks from `start_block` to `last` that is not older than `timestamp` (unix seconds), or
        `last`: by bisection, since blocks' times only grow. Raises `ChainUnavailable`."""
        low, high = min(self.settings.start_block, last), last
        while low < high:
            middle = (low + high) // 2
            if (await self.block_at(middle)).timestamp >= timestamp:
                high = middle
            else:
                low = middle + 1
        return low

    async def block_by_hash(self, hash: str) -> BlockHeader | None:
        """None as in `block`."""
        (block,) = await self._each([("eth_getBlockByHash", [hash, False])], wire.block)
        return block

    async def blocks(self, numbers: Sequence[int]) -> list[BlockHeader | None]:
        """In the order of `numbers`; None as in `block`."""
        return await self._each([("eth_getBlockByNumber", [hex(n), False]) for n in numbers], wire.block)

    async def blocks_of(self, numbers: Iterable[int]) -> dict[int, BlockHeader]:
        """By number, those that are there. Of the place before block 0, whose number is negative, nothing is asked."""
        found = await self.blocks(sorted({number for number in numbers if number >= 0}))
        return {block.number: block for block in found if block is not None}

    async def receipts(self, tx_hashes: Sequence[str]) -> list[TransactionReceipt | None]:
        """In the order of `tx_hashes`; None when no endpoint that answers has the transaction in a block."""
        return await self._each([("eth_getTransactionReceipt", [hash]) for hash in tx_hashes], wire.receipt)

    async def senders(self, tx_hashes: Sequence[str]) -> list[str | None]:
        """Who sent each transaction; None when no endpoint that answers has it."""
        return await self._each([("eth_getTransactionByHash", [hash]) for hash in tx_hashes], wire.sender)

    async def codes(self, addresses: Sequence[str]) -> list[bytes]:
        """The code of each address at the latest block; empty for an account without code."""
        found = await self._each([("eth_getCode", [address, "latest"]) for address in addresses], wire.hex_bytes)
        return [code or b"" for code in found]

    async def has_sent(self, address: str) -> bool:
        """Whether the account has ever sent a transaction (or created a contract), by the latest block."""
        (count,) = await self._each([("eth_getTransactionCount", [address, "latest"])], wire.quantity)
        return bool(count)

    async def logs(
        self, addresses: Sequence[str], topics: Sequence[str], first_block: int, last_block: int
    ) -> list[EventLog]:
        """Logs of any of `addresses` whose first topic is any of `topics` (empty: any), both blocks included, in order.

        Raises `ChainUnavailable` also when no endpoint has `last_block` yet, and `HistoryGone`. A node that has pruned
        old logs answers with none, so its logs of an old range count only if it has those of the first block.
        """
        wanted = LogFilter(frozenset(addresses), frozenset(topics))
        head = max(endpoint.head or 0 for endpoint in self._endpoints)
        probed: dict[RpcEndpoint, bool] = {}  # by endpoint, whether it has pruned an earlier block, as far as it shows

        async def ask(first: int, last: int) -> list[EventLog]:
            found: list[EventLog] = []
            refused = pruned = False
            is_old = first + OLD_BLOCKS < head

            async def attempt(endpoint: RpcEndpoint) -> bool:
                nonlocal refused, pruned
                if is_old and probed.get(endpoint):
                    pruned = True
                    return False
                probe = history_probe(first) if is_old and endpoint not in probed else []
                block, logs, *history = await endpoint.ask([*wanted.requests(first, last), *probe])
                if wire.block(unless_error(block)) is None:
                    return False  # whatever it says of logs: some refuse a range that ends above their head
                if history and is_pruned(history):
                    pruned = probed[endpoint] = True
                    log.warning("history_pruned", chain_id=self.chain_id, endpoint=endpoint.name, block=first)
                    return False
                probed[endpoint] = False
                refused = isinstance(logs, RpcError)
                found[:] = wanted.checked(wire.logs(unless_error(logs)), first, last)
                return True

            if not await self._over(attempt):
                if refused:
                    raise TooMuch(f"who has block {last} of chain {self.chain_id} refuses so many blocks")
                if pruned:
                    raise HistoryGone(f"no endpoint of chain {self.chain_id} has the logs of block {first} any more")
                raise ChainUnavailable(f"no endpoint of chain {self.chain_id} has block {last} yet")
            return found

        return await self.log_ranges.read(ask, first_block, last_block)

    # -- calls ----------------------------------------------------------------------------------

    async def call(
        self,
        call: ContractCall,
        *,
        at: str | None = None,
        gas: int | None = None,
        sender: str | None = None,
        most: int = MAX_ANSWER_BYTES,
    ) -> bytes | RevertedCall:
        """eth_call at a block hash (EIP-1898), or at the latest block. `gas` bounds what the callee may burn.

        A node's answer of more than `most` bytes, as sent, is not read to its end and counts as a revert. A node that
        refuses a contract as the sender is asked again without a sender.
        """
        found: bytes | RevertedCall | None = None
        lacking = 0
        request = rpc_errors.call_request(call, at, gas, sender)

        async def attempt(endpoint: RpcEndpoint) -> bool:
            nonlocal found, lacking
            try:
                (answer,) = await endpoint.ask([request], most)
                if sender is not None and rpc_errors.refuses_sender(answer):
                    (answer,) = await endpoint.ask([rpc_errors.call_request(call, at, gas, None)], most)
                found = rpc_errors.call_outcome(answer, gas)
            except AnswerTooLong:
                found = RevertedCall()
            lacking += found is None
            return found is not None

        await self._over(attempt)
        if found is None:
            message = f"no endpoint of chain {self.chain_id} has the block that a call is about"
            raise StateGone(message, everywhere=lacking == len(self._endpoints))
        return found

    async def call_each(
        self, calls: Sequence[tuple[ContractCall, int]], *, at: str, sender: str
    ) -> list[bytes | RevertedCall | None]:
        """Each with its gas, at a block hash, as `call`; asked for together. None: every endpoint refuses it."""
        requests = [rpc_errors.call_request(call, at, gas, sender) for call, gas in calls]
        found: list[bytes | RevertedCall | None] = [None] * len(requests)

        async def attempt(endpoint: RpcEndpoint) -> bool:
            missing = [index for index, value in enumerate(found) if value is None]
            answers = await endpoint.ask([requests[index] for index in missing])
            for index, answer in zip(missing, answers, strict=True):
                with suppress(RequestRefused):
                    found[index] = rpc_errors.call_outcome(answer, calls[index][1])
            return None not in found

        if requests:
            await self._over(attempt)
        return found

    async def simulate(
        self, call: ContractCall, *, at: BlockHeader, sender: str, gas: int, emitter: str, payer: str | None
    ) -> simulation.SimulatedTransaction | RevertedCall | None:
        """Return what a transaction would do on top of a block; None when no endpoint gives a whole answer.

        `emitter`: the contract that surely logs. `payer`: the account that surely pays ether, if any.
        """
        found: simulation.SimulatedTransaction | RevertedCall | None = None

        async def attempt(endpoint: RpcEndpoint) -> bool:
            nonlocal found
            (answer,) = await endpoint.ask([simulation.request(call, at=at.number, sender=sender, gas=gas)])
            if isinstance(answer, RpcError):
                return False
            outcome = simulation.outcome(answer)
            if isinstance(outcome, simulation.SimulatedTransaction) and not outcome.is_whole(emitter, payer):
                return False
            found = outcome
            return True

        await self._over(attempt)
        return found

    async def call_many(self, calls: Sequence[ContractCall], *, at: str | None = None) -> list[bytes | RevertedCall]:
        """Each call's answer in order, isolated from the others, through Multicall3.

        A longer answer than `MOST_ANSWER_BYTES` is cut: decoding finds its end missing.
        """
        chunks = [calls[i : i + CHUNK_CALLS] for i in range(0, len(calls), CHUNK_CALLS)]
        answers = await together(*(self._chunk(chunk, at) for chunk in chunks))
        return [answer for chunk in answers for answer in chunk]

    async def views(self, address: str, selectors: Sequence[bytes]) -> list[bytes | RevertedCall]:
        """Return each view of a contract that a stranger's request names, at the latest block.

        One request, whatever the contract does: `VIEW_GAS` for each view, and `MOST_VIEWS_BYTES` for all answers.
        """
        calls = [ContractCall(address, selector) for selector in selectors]
        request = ContractCall(self.settings.multicall3, encode_multicall(calls))
        answer = await self.call(request, gas=VIEW_GAS * len(calls), most=MOST_VIEWS_BYTES)
        return [RevertedCall()] * len(calls) if isinstance(answer, RevertedCall) else self._results(answer, len(calls))

    async def _chunk(self, calls: Sequence[ContractCall], at: str | None) -> list[bytes | RevertedCall]:
        """A call that fails inside a chunk is repeated by itself: another one may have burnt the gas of all."""
        if len(calls) == 1:
            return [await self._single(calls[0], at)]
        async with self._chunks:
            results = await self._aggregate(calls, at)
        if results is None:
            middle = len(calls) // 2
            # One after the other: a node that refuses even one call is found out in a few steps.
            return await self._chunk(calls[:middle], at) + await self._chunk(calls[middle:], at)
        doubtful = [index for index, result in enumerate(results) if isinstance(result, RevertedCall)]
        results = list(map(_cut, results))
        again = await together(*(self._single(calls[index], at) for index in doubtful))
        for index, result in zip(doubtful, again, strict=True):
            results[index] = result
        return results

    async def _single(self, call: ContractCall, at: str | None) -> bytes | RevertedCall:
        """One call by itself. Refused by all nodes, it is repeated through Multicall3, which tells whether it is the
        callee that fails."""
        async with self._chunks:
            try:
                return _cut(await self.call(call, at=at, gas=READ_GAS, sender=self.settings.multicall3))
            except TooMuch:
                results = await self._aggregate([call], at)
                if results is None:
                    raise
                return _cut(results[0])

    async def _aggregate(self, calls: Sequence[ContractCall], at: str | None) -> list[bytes | RevertedCall] | None:
        """None when the node refuses so many at once."""
        gas = READ_GAS * len(calls)
        try:
            answer = await self.call(
                ContractCall(self.settings.multicall3, encode_multicall(calls)),
                at=at,
                gas=gas if gas <= MOST_GAS else None,  # above it the node's own bound: some refuse what is given more
            )
        except TooMuch:
            return None
        return None if isinstance(answer, RevertedCall) else self._results(answer, len(calls))

    def _results(self, answer: bytes, count: int) -> list[bytes | RevertedCall]:
        if not answer:
            raise Misconfigured(f"CHAIN_{self.chain_id}_MULTICALL3: no contract at this address")
        try:
            return decode_multicall(answer, count)
        except MalformedData:
            raise Misconfigured(f"CHAIN_{self.chain_id}_MULTICALL3: does not answer as Multicall3") from None

    # -- several endpoints, one answer each -----------------------------------------------------

    async def ask_each(self, requests: Sequence[Request], read: Callable[[Sequence[Any]], T]) -> list[T]:
        """What each endpoint says for itself, for what must not rest on one endpoint's word.

        `read` turns its answers, in the order of `requests` (`RpcError` for what it refuses), into a value and
        raises `msgspec.ValidationError` for garbage. Who does not answer is left out: the list may be empty.
        """

        async def one(endpoint: RpcEndpoint) -> list[T]:
            if endpoint.rest.resting:
                return []
            started = endpoint.rest.now()
            try:
                value = read(await endpoint.ask(requests))
            except EndpointFailed:
                return []
            except msgspec.ValidationError:
                endpoint.failed(started, "garbage")
                return []
            endpoint.rest.succeeded()
            return [value]

        return [value for answer in await together(*map(one, self._endpoints)) for value in answer]

    async def has_pruned(self, number: int) -> bool | None:
        """Return whether every endpoint that answers has pruned the logs of a block; None if no endpoint can tell."""
        said = await self.ask_each(history_probe(number), is_pruned)
        known = [each for each in said if each is not None]
        return all(known) if known else None

    async def blooms(self, numbers: Sequence[int]) -> list[list[int]]:
        """Return, per responding endpoint, the logs bloom of each block; 0 if the endpoint does not have the block."""
        requests: list[Request] = [("eth_getBlockByNumber", [hex(number), False]) for number in numbers]
        return await self.ask_each(
            requests, lambda answers: [0 if isinstance(each, RpcError) else wire.bloom(each) for each in answers]
        )

    async def succeeds_at_each(self, call: ContractCall, *, at: str, sender: str, gas: int) -> bool:
        """Whether a call at a block hash succeeds with so much gas wherever the block is known, and it is somewhere."""

        def read(answers: Sequence[Any]) -> bytes | RevertedCall | None:
            try:
                return rpc_errors.call_outcome(answers[0], gas)
            except RequestRefused:
                return None

        said = await self.ask_each([rpc_errors.call_request(call, at, gas, sender)], read)
        known = [each for each in said if each is not None]
        return bool(known) and not any(isinstance(each, RevertedCall) for each in known)

    async def send_raw(self, transactions: Sequence[bytes]) -> list[list[SendOutcome]]:
        """Signed transactions to every endpoint: what each that answers says of each, in the order given.

        An endpoint left out may have accepted them all the same.
        """
        requests: list[Request] = [("eth_sendRawTransaction", ["0x" + raw.hex()]) for raw in transactions]
        return await self.ask_each(requests, lambda answers: list(map(rpc_errors.send_outcome, answers)))

    async def transaction_counts(self, address: str, tag: str) -> list[int]:
        """What each endpoint that answers says. `tag`: `latest`, `pending` or `finalized`."""
        return await self.ask_each(
            [("eth_getTransactionCount", [address, tag])], lambda answers: rpc_errors.transaction_count(answers[0])
        )

    # -- what a transaction of ours costs -------------------------------------------------------

    async def fees(self) -> tuple[int, int]:
        """The next block's base fee and the usual priority fee, wei for one gas."""
        found = await self._newest("latest", lambda _, said: rpc_errors.read_fees(said[0]), rpc_errors.FEE_HISTORY)
        if found is None:
            raise ChainUnavailable(f"no endpoint of chain {self.chain_id} says what gas costs")
        return found

    async def balance(self, address: str) -> int:
        """In wei, at the latest block."""
        asked: Request = ("eth_getBalance", [address, "latest"])
        found = await self._newest("latest", lambda _, said: wire.quantity(said[0]), asked)
        if found is None:
            raise ChainUnavailable(f"no endpoint of chain {self.chain_id} says a balance")
        return found

    # -- failover -------------------------------------------------------------------------------

    async def _each(self, requests: Sequence[Request], parse: Callable[[Any], T | None]) -> list[T | None]:
        """Each request's answer; what one endpoint does not know is asked of the next ones."""
        found: list[T | None] = [None] * len(requests)

        async def attempt(endpoint: RpcEndpoint) -> bool:
            missing = [index for index, value in enumerate(found) if value is None]
            answers = await endpoint.ask([requests[index] for index in missing])
            for index, answer in zip(missing, answers, strict=True):
                found[index] = parse(unless_error(answer))
            endpoint.saw([value.number for value in found if isinstance(value, BlockHeader)])
            return None not in found

        if requests:
            await self._over(attempt)
        return found

    async def _newest(
        self, tag: BlockTag, parse: Callable[[BlockHeader, Sequence[Any]], T | None], *requests: Request
    ) -> T | None:
        """What one endpoint answers to `requests`: the one whose block of this tag counts, by the rule in `block`.
        `parse` makes the value from that block and the answers; None is no answer."""
        best: tuple[BlockHeader, T] | None = None
        now = time.time()

        async def attempt(endpoint: RpcEndpoint) -> bool:
            nonlocal best
            named, *answers = await endpoint.ask([("eth_getBlockByNumber", [tag, False]), *requests])
            block = wire.block(unless_error(named))
            if block is not None:
                endpoint.saw([block.number])
                said = parse(block, [unless_error(answer) for answer in answers])
                if said is not None and (best is None or _worth(block, now) > _worth(best[0], now)):
                    best = block, said
            return best is not None and is_of_now(best[0].timestamp, now, tag)

        await self._over(attempt)
        return best[1] if best else None

    async def _over(self, attempt: Callable[[RpcEndpoint], Awaitable[bool]]) -> bool:
        """Try one endpoint after the other until `attempt` is true. False: it is not for any that answers. Raises
        `ChainUnavailable`, and `TooMuch` when the request is too large for all."""
        for _ in range(ROUNDS):
            answered, too_much, said = False, False, ""
            for endpoint in sorted(self._endpoints, key=lambda each: each.rest.asked_last):
                if endpoint.rest.resting:
                    continue
                started = endpoint.rest.now()
                try:
                    done = await attempt(endpoint)
                    endpoint.rest.succeeded()
                    if done:
                        return True
                    answered = True
                except EndpointFailed as error:
                    too_much |= error.slow or error.large
                except RequestRefused as refusal:
                    endpoint.refused()
                    too_much, said = True, f" (code {refusal.code})"
                except msgspec.ValidationError:
                    endpoint.failed(started, "garbage")
            if answered:
                return False
            if too_much:
                raise TooMuch(f"every endpoint of chain {self.chain_id} refuses a request{said} or runs out of time")
            wait = min(endpoint.rest.until - endpoint.rest.now() for endpoint in self._endpoints)
            if wait > LONGEST_WAIT_SECONDS:
                break
            await self._sleep(max(0.0, wait))
        raise ChainUnavailable(f"no endpoint of chain {self.chain_id} answers")


def _cut(answer: bytes | RevertedCall) -> bytes | RevertedCall:
    """Return the bytes that may be kept: the answers of hundreds of contracts are in memory together."""
    if isinstance(answer, RevertedCall):
        return RevertedCall(answer.data[:MOST_ANSWER_BYTES])
    return answer[:MOST_ANSWER_BYTES]


def _worth(block: BlockHeader, now: float) -> tuple[bool, int]:
    """The greater counts: a block of the future less than any other, and else the lower number less than the higher."""
    return block.timestamp <= now + _AHEAD_SECONDS, block.number


def is_of_now(timestamp: int, now: float, tag: BlockTag = "latest") -> bool:
    """Whether the block that a tag names is neither of a node that has stopped importing blocks nor of the future.
    Both in unix seconds."""
    return now - _OLD_SECONDS[tag] < timestamp <= now + _AHEAD_SECONDS
