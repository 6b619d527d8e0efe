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
    """All responding endpoints lack the block of a call, or its state. `everywhere`: no endpoint was silent."""

    def __init__(self, message: str, *, everywhere: bool) -> None:
        super().__init__(message)
        self.everywhere = everywhere


class Chain:
    """Client of one chain, for one event loop. Use as `async with`, or `close` it at the end.

    The constructor does no I/O: an endpoint is asked for its chain id before its first answer counts.
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
        """Ask all endpoints. Raises `Misconfigured` for another chain, `ChainUnavailable` without any answer."""

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
        """Return one client for each endpoint, for `quorum`. Do not close them."""
        if not self._alone_views:
            self._alone_views = [self._by([endpoint]) for endpoint in self._endpoints]
        return self._alone_views

    def second_voices(self) -> list[tuple[Self, Self]]:
        """Return (client of the endpoint, client of all the others) for every endpoint in use except the first."""
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
        """Return a block; None if no responding endpoint has the block, which proves no reorganisation.


        For a tag the next endpoint is asked too, while the named block is old (a node may have stopped importing) or
        lies in the future, where everything that waits would expire. The newest of old blocks counts; a block of the
        future counts only without an alternative.
        """
        if isinstance(which, int):
            return (await self.blocks([which]))[0]
        return await self._newest(which, lambda block, _: block)

    async def has_block(self, number: int, hash: str) -> bool | None:
        """Return whether the block of this number has this hash; None if no responding endpoint has the number."""
        block = await self.block(number)
        return None if block is None else block.hash == hash

    async def head(self) -> BlockHeader:
        """Return the latest block. Raises `ChainUnavailable`, also if no responding endpoint names a block."""
        head = await self.block("latest")
        if head is None:
            raise ChainUnavailable(f"no endpoint of chain {self.chain_id} knows the latest block")
        return head

    async def block_at(self, number: int) -> BlockHeader:
        """Return a block. Raises `ChainUnavailable`, also if no responding endpoint has the number."""
        block = await self.block(number)
        if block is None:
            raise ChainUnavailable(f"no endpoint of chain {self.chain_id} has block {number} yet")
        return block

    async def first_block_since(self, timestamp: int, last: int) -> int:
        """Return the first block from `start_block` on with a time of at least `timestamp` (unix seconds), or `last`.

        Bisects, because blocks' times only grow. Raises `ChainUnavailable`.
        """
        low, high = min(self.settings.start_block, last), last
        while low < high:
            middle = (low + high) // 2
            if (await self.block_at(middle)).timestamp >= timestamp:
                high = middle
            else:
                low = middle + 1
        return low

    async def block_by_hash(self, hash: str) -> BlockHeader | None:
        """Return a block; None as in `block`."""
        (block,) = await self._each([("eth_getBlockByHash", [hash, False])], wire.block)
        return block

    async def blocks(self, numbers: Sequence[int]) -> list[BlockHeader | None]:
        """Return the blocks in the order of `numbers`; None as in `block`."""
        return await self._each([("eth_getBlockByNumber", [hex(n), False]) for n in numbers], wire.block)

    async def blocks_of(self, numbers: Iterable[int]) -> dict[int, BlockHeader]:
        """Return the existing blocks by number. A negative number is the place before block 0, and is not asked for."""
        found = await self.blocks(sorted({number for number in numbers if number >= 0}))
        return {block.number: block for block in found if block is not None}

    async def receipts(self, tx_hashes: Sequence[str]) -> list[TransactionReceipt | None]:
        """Return receipts in the order of `tx_hashes`; None if no responding endpoint has a mined transaction."""
        return await self._each([("eth_getTransactionReceipt", [hash]) for hash in tx_hashes], wire.receipt)

    async def senders(self, tx_hashes: Sequence[str]) -> list[str | None]:
        """Return each transaction's sender; None if no responding endpoint has the transaction."""
        return await self._each([("eth_getTransactionByHash", [hash]) for hash in tx_hashes], wire.sender)

    async def codes(self, addresses: Sequence[str]) -> list[bytes]:
        """Return each address's code at the latest block; empty for an account without code."""
        found = await self._each([("eth_getCode", [address, "latest"]) for address in addresses], wire.hex_bytes)
        return [code or b"" for code in found]

    async def has_sent(self, address: str) -> bool:
        """Return whether the account has sent a transaction (or created a contract) up to the latest block."""
        (count,) = await self._each([("eth_getTransactionCount", [address, "latest"])], wire.quantity)
        return bool(count)

    async def logs(
        self, addresses: Sequence[str], topics: Sequence[str], first_block: int, last_block: int
    ) -> list[EventLog]:
        """Return logs of `addresses` with a first topic among `topics` (empty: any), both blocks included, in order.

        Raises `ChainUnavailable` also if no endpoint has `last_block` yet, and `HistoryGone`. A node returns no logs
        for pruned blocks, so its logs of an old range count only if it has the logs of the first block.
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
        """Call a contract at a block hash (EIP-1898), or at the latest block. `gas` bounds the callee.

        An answer of more than `most` bytes, as sent, counts as a revert and is not read to its end. If a node refuses a
        contract as the sender, the call is repeated without a sender.
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
        """Make calls in one batch, at a block hash, with the gas given for each. None: refused by every endpoint."""
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
        """Return the calls' answers in order, isolated from each other by Multicall3.

        An answer longer than `MOST_ANSWER_BYTES` is cut: decoding finds the missing end.
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
        """Make the calls of a chunk. A failed call is repeated alone: a neighbour may have burnt the gas of all."""
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
        """Make one call. After refusals of all nodes, repeat it through Multicall3, to find a failing callee."""
        async with self._chunks:
            try:
                return _cut(await self.call(call, at=at, gas=READ_GAS, sender=self.settings.multicall3))
            except TooMuch:
                results = await self._aggregate([call], at)
                if results is None:
                    raise
                return _cut(results[0])

    async def _aggregate(self, calls: Sequence[ContractCall], at: str | None) -> list[bytes | RevertedCall] | None:
        """Make all calls in one request; None if the node refuses so many."""
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
        """Ask every endpoint separately, for decisions that need two. Return the values of the responding endpoints.

        `read` turns an endpoint's answers, in the order of `requests` (`RpcError` for a refusal), into a value. It
        raises `msgspec.ValidationError` for garbage. The list may be empty.
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
        """Return whether a call at a block hash succeeds at all endpoints with this block, at least one."""

        def read(answers: Sequence[Any]) -> bytes | RevertedCall | None:
            try:
                return rpc_errors.call_outcome(answers[0], gas)
            except RequestRefused:
                return None

        said = await self.ask_each([rpc_errors.call_request(call, at, gas, sender)], read)
        known = [each for each in said if each is not None]
        return bool(known) and not any(isinstance(each, RevertedCall) for each in known)

    async def send_raw(self, transactions: Sequence[bytes]) -> list[list[SendOutcome]]:
        """Send signed transactions to every endpoint. Return, per responding endpoint, one outcome per transaction.

        A silent endpoint may have accepted them all the same.
        """
        requests: list[Request] = [("eth_sendRawTransaction", ["0x" + raw.hex()]) for raw in transactions]
        return await self.ask_each(requests, lambda answers: list(map(rpc_errors.send_outcome, answers)))

    async def transaction_counts(self, address: str, tag: str) -> list[int]:
        """Return the count of each responding endpoint. `tag`: `latest`, `pending` or `finalized`."""
        return await self.ask_each(
            [("eth_getTransactionCount", [address, tag])], lambda answers: rpc_errors.transaction_count(answers[0])
        )

    # -- what a transaction of ours costs -------------------------------------------------------

    async def fees(self) -> tuple[int, int]:
        """Return the next block's base fee and the usual priority fee, in wei per gas."""
        found = await self._newest("latest", lambda _, said: rpc_errors.read_fees(said[0]), rpc_errors.FEE_HISTORY)
        if found is None:
            raise ChainUnavailable(f"no endpoint of chain {self.chain_id} says what gas costs")
        return found

    async def balance(self, address: str) -> int:
        """Return the balance in wei, at the latest block."""
        asked: Request = ("eth_getBalance", [address, "latest"])
        found = await self._newest("latest", lambda _, said: wire.quantity(said[0]), asked)
        if found is None:
            raise ChainUnavailable(f"no endpoint of chain {self.chain_id} says a balance")
        return found

    # -- failover -------------------------------------------------------------------------------

    async def _each(self, requests: Sequence[Request], parse: Callable[[Any], T | None]) -> list[T | None]:
        """Return each request's answer. The next endpoints are asked for missing answers."""
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
        """Return the answer of the endpoint with the best block of this tag, by the rule in `block`.

        `parse` makes the value from the block and the answers to `requests`; None is no answer.
        """
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
        """Try the endpoints in turn until `attempt` is true. Return False if no attempt was.

        Raises `ChainUnavailable`, and `TooMuch` if the request is too large for all.
        """
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
    """Rank a block: blocks of the future last, then by number."""
    return block.timestamp <= now + _AHEAD_SECONDS, block.number


def is_of_now(timestamp: int, now: float, tag: BlockTag = "latest") -> bool:
    """Return whether a tag's block is recent: neither of a stopped node nor of the future. Times in unix seconds."""
    return now - _OLD_SECONDS[tag] < timestamp <= now + _AHEAD_SECONDS
