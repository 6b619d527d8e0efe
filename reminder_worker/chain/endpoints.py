"""The endpoints of one chain, in order of preference: a failing endpoint rests, and the next one is asked.

After the last one `ChainUnavailable` is raised.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from math import inf
from typing import Any

import msgspec

from reminder_worker.chain import wire
from reminder_worker.chain.heads import KnownHeads
from reminder_worker.chain.rpc import Answer, EndpointFailed, Request, RpcEndpoint
from reminder_worker.chain.rpc_errors import RequestRefused, unless_error
from reminder_worker.chain.types import NODE_POLICY, BlockHeader, BlockMoment, EndpointHealth, T
from reminder_worker.concurrency import run_together
from reminder_worker.errors import ChainUnavailable, Misconfigured
from reminder_worker.settings.values import BlockTag


class TooMuch(ChainUnavailable):
    """Every endpoint refused this request or ran out of time; a smaller one may succeed.

    `too_long`: the answer of every responding endpoint was too long.
    """

    def __init__(self, message: str, *, too_long: bool = False) -> None:
        super().__init__(message)
        self.too_long = too_long


class EndpointPool:
    """Choice among the endpoints of one chain. `sleep` waits until an endpoint may be asked again."""

    def __init__(
        self, chain_id: int, members: Sequence[RpcEndpoint], sleep: Callable[[float], Awaitable[object]]
    ) -> None:
        self.members = tuple(members)
        self.heads = KnownHeads()
        self._chain_id = chain_id
        self._sleep = sleep

    def select_members(self, *members: RpcEndpoint) -> "EndpointPool":
        """Return a pool of some of the members."""
        return EndpointPool(self._chain_id, members, self._sleep)

    async def check_chain_ids(self) -> None:
        """Ask all endpoints. Raises `Misconfigured` for another chain, `ChainUnavailable` without any answer."""
        answers = await self.ask_each([("eth_blockNumber", [])], len)
        wrong = [f"{e.name} serves chain {e.wrong_chain}" for e in self.members if e.wrong_chain is not None]
        if wrong:
            raise Misconfigured(f"CHAIN_{self._chain_id}_RPC_URLS: {', '.join(wrong)}")
        if not answers:
            raise ChainUnavailable(f"no endpoint of chain {self._chain_id} answers")

    def list_health(self) -> list[EndpointHealth]:
        return [endpoint.read_health() for endpoint in self.members]

    async def close(self) -> None:
        for endpoint in self.members:
            await endpoint.close()

    async def ask_each(self, requests: Sequence[Request], read: Callable[[Sequence[Any]], T]) -> list[T]:
        """Ask every endpoint separately, for decisions that need two. Return the values of the responding endpoints.

        `read` turns an endpoint's answers, in the order of `requests` (`RpcError` for a refusal), into a value. It
        raises `msgspec.ValidationError` for garbage. The list may be empty.
        """

        async def attempt(endpoint: RpcEndpoint) -> T:
            return read(await endpoint.ask(requests))

        return await self.try_each(attempt)

    async def try_each(self, attempt: Callable[[RpcEndpoint], Awaitable[T]]) -> list[T]:
        """Try every endpoint separately. Return the values of the responding endpoints, as `ask_each`."""

        async def try_one(endpoint: RpcEndpoint) -> list[T]:
            if endpoint.rest.is_resting:
                return []
            started = endpoint.rest.now()
            try:
                value = await attempt(endpoint)
            except EndpointFailed:
                return []
            except msgspec.ValidationError:
                endpoint.record_failure(started, "garbage")
                return []
            endpoint.rest.record_success()
            return [value]

        return [value for answer in await run_together(*map(try_one, self.members)) for value in answer]

    async def ask_in_turn(self, requests: Sequence[Request], parse: Callable[[int, Any], T]) -> list[T | None]:
        """Return the value of each request. The next endpoints are asked for missing values.

        `parse` turns a request's index and an endpoint's answer (`RpcError` for a refusal) into a value or None.
        """
        found: list[T | None] = [None] * len(requests)

        def keep(indexes: Sequence[int], answers: Sequence[Answer | None]) -> None:
            for index, answer in zip(indexes, answers, strict=False):
                if answer is not None:
                    found[index] = parse(index, answer)

        async def attempt(endpoint: RpcEndpoint) -> bool:
            missing = [index for index, value in enumerate(found) if value is None]
            try:
                answers = await endpoint.ask([requests[index] for index in missing])
            except EndpointFailed as error:
                with suppress(RequestRefused, msgspec.ValidationError):  # the failure counts
                    keep(missing, error.answers)
                raise
            keep(missing, answers)
            blocks = [value.number for value in found if isinstance(value, BlockHeader)]
            if blocks:
                endpoint.record_blocks(blocks)
            return None not in found

        if requests:
            await self.try_in_turn(attempt)
        return found

    async def find_newest_block(self, tag: BlockTag) -> BlockHeader | None:
        """Return the best block of a tag, by the rule in `ask_for_newest`."""

        async def read(endpoint: RpcEndpoint) -> tuple[BlockHeader, BlockHeader] | None:
            (named,) = await endpoint.ask([("eth_getBlockByNumber", [tag, False])])
            block = wire.decode_block(unless_error(named))
            return None if block is None else (block, block)

        return await self.ask_for_newest(tag, read)

    async def ask_for_newest(
        self, tag: BlockTag, read: Callable[[RpcEndpoint], Awaitable[tuple[BlockHeader | BlockMoment, T] | None]]
    ) -> T | None:
        """Return the value of the endpoint with the best block of this tag.

        `read` asks an endpoint for the block and the value; None is no answer. While the named block is old (a node may
        have stopped importing) or lies in the future, where everything that waits would expire, the next endpoint is
        asked too. The newest of old blocks counts; a block of the future counts only without an alternative.
        """
        best: tuple[BlockHeader | BlockMoment, T] | None = None
        now = time.time()

        def rank(block: BlockHeader | BlockMoment) -> tuple[bool, int]:
            return block.timestamp <= now + NODE_POLICY.ahead_seconds, block.number

        async def attempt(endpoint: RpcEndpoint) -> bool:
            nonlocal best
            found = await read(endpoint)
            if found is not None:
                block = found[0]
                endpoint.record_blocks([block.number])
                if isinstance(block, BlockHeader):
                    endpoint.heads.learn(tag, block)
                if best is None or rank(block) > rank(best[0]):
                    best = found
            return best is not None and is_of_now(best[0].timestamp, now, tag)

        await self.try_in_turn(attempt)
        if best is None:
            return None
        if isinstance(best[0], BlockHeader):
            self.heads.learn(tag, best[0])
        return best[1]

    async def try_in_turn(self, attempt: Callable[[RpcEndpoint], Awaitable[bool]]) -> bool:
        """Try the endpoints in turn until `attempt` is true. Return False if no attempt was.

        Raises `ChainUnavailable`, and `TooMuch` if the request is too large for all. A long answer counts only after a
        wait for the endpoints that rest. It counts without them if they rest for longer: a stranger's contract must not
        stop all reading meanwhile.
        """
        too_long: list[tuple[RpcEndpoint, float]] = []
        for _ in range(NODE_POLICY.rounds):
            answered, too_much, code = False, False, ""
            too_long = []
            for endpoint in sorted(self.members, key=lambda each: each.rest.is_asked_last):
                if endpoint.rest.is_resting:
                    continue
                started = endpoint.rest.now()
                try:
                    done = await attempt(endpoint)
                    endpoint.rest.record_success()
                    if done:
                        for other, began in too_long:  # a short answer is possible
                            other.record_failure(began, "answer too long")
                        return True
                    answered = True
                except EndpointFailed as error:
                    too_much |= error.slow or error.large
                except RequestRefused as refusal:
                    if refusal.too_long:
                        too_long.append((endpoint, started))
                    else:
                        endpoint.record_refusal()
                        too_much, code = True, f" (code {refusal.code})"
                except msgspec.ValidationError:
                    endpoint.record_failure(started, "garbage")
            if answered:
                return False
            if too_much:
                raise TooMuch(f"every endpoint of chain {self._chain_id} refuses a request{code} or runs out of time")
            silent = set(self.members) - {endpoint for endpoint, _ in too_long}
            wait = min((each.rest.until - each.rest.now() for each in silent), default=inf)
            if wait > NODE_POLICY.longest_wait_seconds:
                break
            await self._sleep(max(0.0, wait))
        if too_long:
            raise TooMuch(f"the answer of every endpoint of chain {self._chain_id} is too long", too_long=True)
        raise ChainUnavailable(f"no endpoint of chain {self._chain_id} answers")


def is_of_now(timestamp: int, now: float, tag: BlockTag = "latest") -> bool:
    """Return whether a tag's block is recent: neither of a stopped node nor of the future. Times in unix seconds."""
    old_seconds = 120 if tag == "latest" else 1800
    return now - old_seconds < timestamp <= now + NODE_POLICY.ahead_seconds
