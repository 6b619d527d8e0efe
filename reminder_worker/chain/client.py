"""One chain through several RPC endpoints: blocks, contract calls and transactions.

A node's *answer* that a call reverts is a value (`RevertedCall`), no failure.
"""

import asyncio
import copy
import random
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from statistics import median_low
from typing import TYPE_CHECKING, Any, Literal, Self

import msgspec
from eth_utils.address import to_checksum_address

from reminder_worker.chain import rpc_errors, simulation, wire
from reminder_worker.chain.abi_codec import WORD, MalformedData, decode_multicall, encode_multicall
from reminder_worker.chain.endpoints import EndpointPool, TooMuch
from reminder_worker.chain.logs import ChainLogs, LogLimit
from reminder_worker.chain.pace import RequestPace
from reminder_worker.chain.quorum import ask_until_agreed, endpoints_needed
from reminder_worker.chain.rest import EndpointBackoff
from reminder_worker.chain.rpc import ANSWER_TOO_LONG, Request, RpcEndpoint, RpcError
from reminder_worker.chain.rpc_errors import unless_error
from reminder_worker.chain.types import (
    MOST_GAS,
    NODE_POLICY,
    BlockHeader,
    ContractCall,
    RevertedCall,
    SendOutcome,
    T,
)
from reminder_worker.concurrency import run_together
from reminder_worker.errors import ChainUnavailable, Misconfigured
from reminder_worker.settings import ChainSettings
from reminder_worker.settings.values import BlockTag

if TYPE_CHECKING:
    from web3.types import BlockData

    from reminder_worker.chain.questions import Question


class StateGone(ChainUnavailable):
    """All responding endpoints lack the block of a call, or its state. `everywhere`: no endpoint was silent."""

    def __init__(self, message: str, *, everywhere: bool) -> None:
        super().__init__(message)
        self.everywhere = everywhere


class Chain:
    """Client of one chain, for one event loop. Use as `async with`, or `close` it at the end.

    The constructor does no I/O: an endpoint is asked for its chain id before its first answer counts. `shares_heads`:
    polls share the newest blocks. A local chain makes blocks on demand.
    """

    def __init__(
        self,
        settings: ChainSettings,
        *,
        shares_heads: bool = False,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.settings = settings
        self.chain_id = settings.chain_id
        self.shares_heads = shares_heads
        members = [
            RpcEndpoint(
                position,
                url.get_secret_value(),
                settings.chain_id,
                settings.rpc_timeout_seconds,
                EndpointBackoff(clock, jitter),
                RequestPace(clock, sleep),
            )
            for position, url in enumerate(settings.rpc_urls, start=1)
        ]
        self.endpoints = EndpointPool(settings.chain_id, members, sleep)
        limits = {member.name: LogLimit(settings.log_range) for member in members}
        self.logs = ChainLogs(settings.chain_id, self.endpoints, limits)
        self._single_views: list[Self] = []
        self._chunks = asyncio.Semaphore(NODE_POLICY.chunks_at_once)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self.endpoints.close()

    def single_views(self) -> list[Self]:
        """Return one client for each endpoint. Do not close them."""
        if not self._single_views:
            self._single_views = [self._select_view(endpoint) for endpoint in self.endpoints.members]
        return self._single_views

    async def agreed(self, read: Callable[[Self], Awaitable[T]]) -> T:
        """Return the value of `read` that two endpoints give, by the rules in `quorum.py`. All are asked at once.

        `read` asks the client that it is given. Its values are compared, so they must contain everything relevant, and
        a refusal must be a value, too: a `ServiceError` counts as silence. A single configured endpoint is believed.
        Raises `ChainUnavailable` if no two agree.
        """
        views = self.single_views()
        if len(views) == 1:
            return await read(self)
        return await ask_until_agreed([read(view) for view in views], self.chain_id)

    def second_views(self) -> list[tuple[Self, Self]]:
        """Return (client of the endpoint, client of all the others) for every endpoint in use except the first."""
        members = self.endpoints.members
        ready = [pair for pair in zip(members, self.single_views(), strict=True) if not pair[0].rest.is_resting]
        ready.sort(key=lambda pair: pair[0].rest.is_asked_last)
        pairs = []
        for second, view in ready[1:]:
            others = [each for each in members if each is not second]
            pairs.append((view, self._select_view(*others)))
        return pairs

    def _select_view(self, *members: RpcEndpoint) -> Self:
        view = copy.copy(self)
        view.endpoints, view._single_views = self.endpoints.select_members(*members), []
        view.logs = self.logs.select_members(view.endpoints)
        return view

    async def get_block(self, which: BlockTag | int) -> BlockHeader | None:
        """Return a block; None if no responding endpoint has the block, which proves no reorganisation.

        Of a tag's blocks the newest counts, by the rule in `EndpointPool.ask_for_newest`.
        """
        if isinstance(which, int):
            return (await self.get_blocks([which]))[0]
        return await self.endpoints.find_newest_block(which)

    async def get_known_block(self, tag: BlockTag) -> BlockHeader | None:
        """Return a tag's block that this process knows, or `get_block`. See `heads.py` for who may use it."""
        known = self.endpoints.heads.find(tag) if self.shares_heads else None
        return known or await self.get_block(tag)

    async def get_known_head(self) -> BlockHeader:
        """Return the latest block as `get_known_block`. Raises as `get_head`."""
        return self._expect_head(await self.get_known_block("latest"))

    async def has_block(self, number: int, hash: str) -> bool | None:
        """Return whether the block of this number has this hash; None if no responding endpoint has the number."""
        block = await self.get_block(number)
        return None if block is None else block.hash == hash

    async def get_head(self) -> BlockHeader:
        """Return the latest block. Raises `ChainUnavailable`, also if no responding endpoint names a block."""
        return self._expect_head(await self.get_block("latest"))

    def _expect_head(self, head: BlockHeader | None) -> BlockHeader:
        if head is None:
            raise ChainUnavailable(f"no endpoint of chain {self.chain_id} knows the latest block")
        return head

    async def get_block_at(self, number: int) -> BlockHeader:
        """Return a block. Raises `ChainUnavailable`, also if no responding endpoint has the number."""
        block = await self.get_block(number)
        if block is None:
            raise ChainUnavailable(f"no endpoint of chain {self.chain_id} has block {number} yet")
        return block

    async def find_first_block_since(self, timestamp: int, last: int) -> int:
        """Return the first block from `start_block` on with a time of at least `timestamp` (unix seconds), or `last`.

        Bisects, because blocks' times only grow. Raises `ChainUnavailable`.
        """
        low, high = min(self.settings.start_block, last), last
        while low < high:
            middle = (low + high) // 2
            if (await self.get_block_at(middle)).timestamp >= timestamp:
                high = middle
            else:
                low = middle + 1
        return low

    async def get_block_by_hash(self, hash: str) -> BlockHeader | None:
        """Return a block; None as in `get_block`."""
        (block,) = await self._ask_in_turn([("eth_getBlockByHash", [hash, False])], wire.decode_block)
        return block

    async def get_blocks(self, numbers: Sequence[int]) -> list[BlockHeader | None]:
        """Return the blocks in the order of `numbers`; None as in `get_block`."""
        return await self._ask_in_turn([("eth_getBlockByNumber", [hex(n), False]) for n in numbers], wire.decode_block)

    async def get_known_blocks(self, numbers: Iterable[int]) -> dict[int, BlockHeader]:
        """Return the existing blocks by number. A negative number is the place before block 0, and is not asked for."""
        found = await self.get_blocks(sorted({number for number in numbers if number >= 0}))
        return {block.number: block for block in found if block is not None}

    async def get_senders(self, tx_hashes: Sequence[str]) -> list[str | None]:
        """Return each transaction's sender; None if no responding endpoint has the transaction."""
        return await self._ask_in_turn([("eth_getTransactionByHash", [hash]) for hash in tx_hashes], wire.decode_sender)

    async def get_codes(self, addresses: Sequence[str]) -> list[bytes]:
        """Return each address's code at the latest block; empty for an account without code."""
        found = await self._ask_in_turn(
            [("eth_getCode", [address, "latest"]) for address in addresses], wire.decode_hex
        )
        return [code or b"" for code in found]

    async def get_code(self, address: str) -> bytes:
        """Return an address's code at the latest block; empty for an account without code."""
        return bytes(await self._ask_first(lambda eth: eth.get_code(to_checksum_address(address))))

    async def has_sent(self, address: str) -> bool:
        """Return whether the account has sent a transaction (or created a contract) up to the latest block."""
        return bool(await self._ask_first(lambda eth: eth.get_transaction_count(to_checksum_address(address))))

    async def call(
        self,
        call: ContractCall,
        *,
        at: str | None = None,
        gas: int | None = None,
        sender: str | None = None,
        most: int = NODE_POLICY.answer_bytes,
    ) -> bytes | RevertedCall:
        """Call a contract at a block hash (EIP-1898), or at the latest block. `gas` bounds the callee.

        An answer of more than `most` bytes, as sent, counts as a revert and is not read to its end. With the usual
        bound it counts only if the answer of every responding endpoint is too long. If a node refuses a contract as the
        sender, the call is repeated without a sender.
        """
        try:
            return await self._call_bounded(call, at=at, gas=gas, sender=sender, most=most)
        except TooMuch as refusal:
            if not refusal.too_long:
                raise
            return RevertedCall()

    async def _call_bounded(
        self, call: ContractCall, *, at: str | None, gas: int | None, sender: str | None, most: int
    ) -> bytes | RevertedCall:
        """Make a call as `call`. Raises `TooMuch` if every responding endpoint's answer is beyond the usual bound."""
        found: bytes | RevertedCall | None = None
        lacking = 0
        request = rpc_errors.call_request(call, at, gas, sender)

        async def attempt(endpoint: RpcEndpoint) -> bool:
            nonlocal found, lacking
            (answer,) = await endpoint.ask([request], most)
            if sender is not None and rpc_errors.refuses_sender(answer):
                (answer,) = await endpoint.ask([rpc_errors.call_request(call, at, gas, None)], most)
            if answer is ANSWER_TOO_LONG and most < NODE_POLICY.answer_bytes:
                found = RevertedCall()
            else:
                found = rpc_errors.call_outcome(answer, gas)
            lacking += found is None
            return found is not None

        await self.endpoints.try_in_turn(attempt)
        if found is None:
            message = f"no endpoint of chain {self.chain_id} has the block that a call is about"
            raise StateGone(message, everywhere=lacking == len(self.endpoints.members))
        return found

    async def call_each(
        self, calls: Sequence[tuple[ContractCall, int]], *, at: str, sender: str
    ) -> list[bytes | RevertedCall | None]:
        """Make calls in one batch, at a block hash, with the gas given for each. None: refused by every endpoint."""
        requests = [rpc_errors.call_request(call, at, gas, sender) for call, gas in calls]
        return await self.endpoints.ask_in_turn(
            requests, lambda index, answer: rpc_errors.known_call_outcome(answer, calls[index][1])
        )

    async def simulate(
        self, call: ContractCall, *, at: BlockHeader, sender: str, gas: int, emitter: str, payer: str | None
    ) -> simulation.SimulatedTransaction | RevertedCall | None:
        """Return what a transaction would do on top of a block; None when no endpoint gives a whole answer.

        `emitter`: the contract that surely logs. `payer`: the account that surely pays ether, if any.
        """

        def parse(_: int, answer: Any) -> simulation.SimulatedTransaction | RevertedCall | None:
            if isinstance(answer, RpcError):
                return None
            outcome = simulation.decode_outcome(answer)
            return outcome if isinstance(outcome, RevertedCall) or outcome.is_whole(emitter, payer) else None

        request = simulation.build_simulation(call, at=at.number, sender=sender, gas=gas)
        return (await self.endpoints.ask_in_turn([request], parse))[0]

    async def call_many(self, calls: Sequence[ContractCall], *, at: str | None = None) -> list[bytes | RevertedCall]:
        """Return the calls' answers in order, isolated from each other by Multicall3.

        An answer longer than `NODE_POLICY.kept_bytes` is cut: decoding finds the missing end.
        """
        size = NODE_POLICY.calls_in_chunk
        chunks = await run_together(*(self._call_chunk(calls[i : i + size], at) for i in range(0, len(calls), size)))
        return [answer for chunk in chunks for answer in chunk]

    async def read_views(self, address: str, selectors: Sequence[bytes]) -> list[bytes | RevertedCall]:
        """Return each view of a contract that a stranger's request names, at the latest block.

        One request, whatever the contract does: `NODE_POLICY` bounds the gas of each view and the size of the answer.
        """
        calls = [ContractCall(address, selector) for selector in selectors]
        request = ContractCall(self.settings.multicall3, encode_multicall(calls))
        answer = await self.call(request, gas=NODE_POLICY.view_gas * len(calls), most=NODE_POLICY.views_bytes)
        return self._decode_views(answer, len(calls))

    async def read_known(
        self, calls: Sequence[ContractCall], account: str | None
    ) -> tuple[list[bytes | RevertedCall], bytes | None]:
        """Make some calls and read the account's code, if one is given, in one request, at the latest block.

        Put the calls of configured contracts first: a stranger's contract may burn the gas of the calls behind it.
        """
        gas = NODE_POLICY.view_gas * len(calls)
        together = ContractCall(self.settings.multicall3, encode_multicall(calls))
        requests = [rpc_errors.call_request(together, None, gas, None)]
        if account is not None:
            requests.append(("eth_getCode", [account, "latest"]))

        def parse(index: int, answer: Any) -> bytes | RevertedCall | None:
            return wire.decode_hex(unless_error(answer)) if index else rpc_errors.call_outcome(answer, gas)

        answer, *codes = await self.endpoints.ask_in_turn(requests, parse)
        if answer is None:
            raise ChainUnavailable(f"no endpoint of chain {self.chain_id} answers a call at its latest block")
        code = next((each for each in codes if isinstance(each, bytes)), None)
        return self._decode_views(answer, len(calls)), code

    async def _call_chunk(self, calls: Sequence[ContractCall], at: str | None) -> list[bytes | RevertedCall]:
        """Make the calls of a chunk. A failed call is repeated alone: a neighbour may have burnt the gas of all."""
        if len(calls) == 1:
            return [await self._call_alone(calls[0], at)]
        async with self._chunks:
            results = await self._call_together(calls, at)
        if results is None:
            middle = len(calls) // 2
            # One after the other: a node that refuses even one call is found out in a few steps.
            return await self._call_chunk(calls[:middle], at) + await self._call_chunk(calls[middle:], at)
        doubtful = [index for index, result in enumerate(results) if isinstance(result, RevertedCall)]
        again = await run_together(*(self._call_alone(calls[index], at) for index in doubtful))
        for index, result in zip(doubtful, again, strict=True):
            results[index] = result
        return results

    async def _call_alone(self, call: ContractCall, at: str | None) -> bytes | RevertedCall:
        """Make one call. After refusals of all nodes, repeat it through Multicall3, to find a failing callee.

        An answer beyond the bound is cut to nothing, which is no revert: a list that is too long is not an empty list.
        """
        gas, sender, most = NODE_POLICY.read_gas, self.settings.multicall3, NODE_POLICY.answer_bytes
        async with self._chunks:
            try:
                return _cut_answer(await self._call_bounded(call, at=at, gas=gas, sender=sender, most=most))
            except TooMuch as refusal:
                if refusal.too_long:
                    return b""
                results = await self._call_together([call], at)
                if results is None:
                    raise
                return results[0]

    async def _call_together(self, calls: Sequence[ContractCall], at: str | None) -> list[bytes | RevertedCall] | None:
        """Make all calls in one request; None if the node refuses so many."""
        gas = NODE_POLICY.read_gas * len(calls)
        try:
            answer = await self._call_bounded(
                ContractCall(self.settings.multicall3, encode_multicall(calls)),
                at=at,
                gas=gas if gas <= MOST_GAS else None,  # above it the node's own bound: some refuse what is given more
                sender=None,
                most=NODE_POLICY.answer_bytes,
            )
        except TooMuch:
            return None
        return None if isinstance(answer, RevertedCall) else self.decode_results(answer, len(calls))

    def _decode_views(self, answer: bytes | RevertedCall, count: int) -> list[bytes | RevertedCall]:
        return [answer] * count if isinstance(answer, RevertedCall) else self.decode_results(answer, count)

    def decode_results(self, answer: bytes, count: int) -> list[bytes | RevertedCall]:
        """Return the results of `count` calls by Multicall3. Raises `Misconfigured` if it does not answer as it."""
        if not answer:
            raise Misconfigured(f"CHAIN_{self.chain_id}_MULTICALL3: no contract at this address")
        try:
            return list(map(_cut_answer, decode_multicall(answer, count)))
        except MalformedData:
            raise Misconfigured(f"CHAIN_{self.chain_id}_MULTICALL3: does not answer as Multicall3") from None

    async def run_code(self, code: bytes, *, at: str, most: int) -> bytes | None:
        """Run a constructor in a call at a block hash and return its answer: whole words, at most `most` bytes.

        None if no endpoint gives one. Each endpoint refuses only once.
        """
        request = rpc_errors.call_request(ContractCall("", code), at, None, None)
        able = [endpoint for endpoint in self.endpoints.members if endpoint.runs_code]
        found: bytes | None = None

        async def attempt(endpoint: RpcEndpoint) -> bool:
            nonlocal found
            (answer,) = await endpoint.ask([request])
            try:
                outcome = rpc_errors.call_outcome(answer, None)
            except rpc_errors.RequestRefused:
                outcome = b""
            if isinstance(outcome, bytes) and 0 < len(outcome) <= most and len(outcome) % WORD == 0:
                found = outcome
            elif outcome is not None:  # None: the block is missing
                endpoint.runs_code = False
            return found is not None

        try:
            if able:
                await self.endpoints.select_members(*able).try_in_turn(attempt)
        except TooMuch:
            for endpoint in able:
                endpoint.runs_code = False
        return found

    async def succeeds_at_each(self, call: ContractCall, *, at: str, sender: str, gas: int) -> bool:
        """Return whether a call at a block hash succeeds at all endpoints that can tell: at least two if configured."""
        outcomes = await self.endpoints.ask_each(
            [rpc_errors.call_request(call, at, gas, sender)],
            lambda answers: rpc_errors.known_call_outcome(answers[0], gas),
        )
        known = [each for each in outcomes if each is not None]
        enough = len(known) >= endpoints_needed(len(self.settings.rpc_urls))
        return enough and not any(isinstance(each, RevertedCall) for each in known)

    async def send_raw(self, transactions: Sequence[bytes]) -> list[list[SendOutcome]]:
        """Send signed transactions to every endpoint. Return, per responding endpoint, one outcome per transaction.

        A silent endpoint may have accepted them all the same.
        """
        requests: list[Request] = [("eth_sendRawTransaction", ["0x" + raw.hex()]) for raw in transactions]
        return await self.endpoints.ask_each(requests, lambda answers: list(map(rpc_errors.send_outcome, answers)))

    async def count_transactions(self, address: str, tag: Literal["latest", "pending"]) -> list[int]:
        """Return the count of each responding endpoint."""

        async def count(endpoint: RpcEndpoint) -> int:
            try:
                (found,) = await endpoint.ask_web3(
                    lambda eth: eth.get_transaction_count(to_checksum_address(address), tag)
                )
            except rpc_errors.RequestRefused:
                raise msgspec.ValidationError("refused") from None
            return int(found)

        return await self.endpoints.try_each(count)

    async def get_fees(self) -> tuple[int, int]:
        """Return the next block's base fee and the usual priority fee, in wei per gas."""
        history = await self._ask_latest(lambda eth: eth.fee_history(5, "latest", [50]), "says what gas costs")
        rewards = history["reward"] or []
        tips = [tip for block in rewards for tip in block]
        return history["baseFeePerGas"][-1], median_low(tips or [0])

    async def get_balance(self, address: str) -> int:
        """Return the balance in wei, at the latest block."""
        balance = await self._ask_latest(lambda eth: eth.get_balance(to_checksum_address(address)), "says a balance")
        return int(balance)

    async def _ask_in_turn(self, requests: Sequence[Request], parse: Callable[[Any], T | None]) -> list[T | None]:
        """Return each request's value; None if no responding endpoint has it."""
        return await self.endpoints.ask_in_turn(requests, lambda _, answer: parse(unless_error(answer)))

    async def _ask_first(self, question: "Question") -> Any:
        """Return the answer of the first responding endpoint to a question of web3."""
        answer: Any = None

        async def attempt(endpoint: RpcEndpoint) -> bool:
            nonlocal answer
            (answer,) = await endpoint.ask_web3(question)
            return True

        await self.endpoints.try_in_turn(attempt)
        return answer

    async def _ask_latest(self, question: "Question", what: str) -> Any:
        """Return the answer of the endpoint with the best latest block. `what`: for the error."""

        async def read(endpoint: RpcEndpoint) -> tuple[BlockHeader, Any]:
            block, answer = await endpoint.ask_web3(lambda eth: eth.get_block("latest"), question)
            return _read_header(block), answer

        found = await self.endpoints.ask_for_newest("latest", read)
        if found is None:
            raise ChainUnavailable(f"no endpoint of chain {self.chain_id} {what}")
        return found


def _read_header(block: "BlockData") -> BlockHeader:
    return BlockHeader(block["number"], block["hash"].to_0x_hex(), block["parentHash"].to_0x_hex(), block["timestamp"])


def _cut_answer(answer: bytes | RevertedCall) -> bytes | RevertedCall:
    """Return the bytes that may be kept: the answers of hundreds of contracts are in memory together."""
    if isinstance(answer, RevertedCall):
        return RevertedCall(answer.data[: NODE_POLICY.kept_bytes])
    return answer[: NODE_POLICY.kept_bytes]
