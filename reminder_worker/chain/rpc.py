"""One RPC endpoint: web3 provider, connection pool, chain id, health and backoff.

An endpoint's address holds a key. Therefore logs and errors show position and host only, without labels that may be
keys, and no error of the HTTP library leaves this module.
"""

import asyncio
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp
import msgspec
import structlog
from web3.providers.async_base import AsyncJSONBaseProvider
from web3.types import RPCEndpoint, RPCRequest

from reminder_worker import strict_json
from reminder_worker.chain import wire
from reminder_worker.chain.heads import KnownHeads
from reminder_worker.chain.types import NODE_POLICY, EndpointHealth
from reminder_worker.privacy.redaction import shown_host
from reminder_worker.tracing import trace_call

log = structlog.get_logger(__name__)
Request = tuple[str, Sequence[object]]

_ASKING: Final = ContextVar("asking", default="cli")
_MOST_BYTES: Final = ContextVar("most_bytes", default=NODE_POLICY.answer_bytes)  # web3's interface has none
_SPENT = re.compile(rb"daily (request count|credit limit)|monthly capacity limit", re.I)  # Infura's, Alchemy's
_LIMITED = re.compile(
    r"rate.?limit|request (limit|rate)|too many request|rps limit|(per |/)sec|\b429\b|compute unit|throughput|capacity|"
    r"quota",
    re.I,
)


@contextmanager
def asking_as(name: str) -> Iterator[None]:
    """Count requests as those of a pass, or of the `api`. All other requests count as those of a command, `cli`."""
    before = _ASKING.set(name)
    try:
        yield
    finally:
        _ASKING.reset(before)


class EndpointFailed(Exception):
    """The endpoint did not give a usable answer. `slow` and `large`: it may well give one to a smaller request.

    `spent_seconds`: its allowance is used up, for so long; 0 if it is not.
    """

    def __init__(self, reason: str, *, slow: bool = False, large: bool = False, spent_seconds: float = 0) -> None:
        super().__init__(reason)
        self.slow = slow
        self.large = large
        self.spent_seconds = spent_seconds


class AnswerTooLong(EndpointFailed):
    """The endpoint works; its answer is longer than the caller's bound, and its end is not read."""


class RpcError(msgspec.Struct, frozen=True):
    """The node's own error to one request: it works, but refuses this."""

    code: int = 0
    message: str = ""
    data: Any = None

    @property
    def is_rate_limit(self) -> bool:
        if self.code == 3 or "revert" in self.message:
            return False  # what follows are a contract's own words
        return self.code == 429 or _LIMITED.search(self.message) is not None


class EndpointBackoff:
    """Exponential backoff with jitter. After a slow failure the other endpoints are asked first for a while."""

    def __init__(self, clock: Callable[[], float], jitter: Callable[[], float]) -> None:
        self._clock = clock
        self._jitter = jitter
        self._began = float("-inf")
        self._asked_last_until = float("-inf")
        self.failures = 0
        self.until = float("-inf")
        self.spent_until = 0
        """Unix seconds: the allowance was used up until then."""

    def now(self) -> float:
        return self._clock()

    @property
    def is_resting(self) -> bool:
        return self._clock() < self.until

    @property
    def is_asked_last(self) -> bool:
        """Return whether the other endpoints are asked first."""
        return self._clock() < self._asked_last_until

    def record_failure(self, started: float) -> None:
        """Record a failure of a request begun at `started`. Concurrent failures count once."""
        if started < self._began:
            return
        self.failures += 1
        policy, doublings = NODE_POLICY, min(self.failures - 1, 16)
        longest = min(policy.longest_rest_seconds, policy.first_rest_seconds * 2**doublings)
        self._began = self._clock()
        self.until = max(self.until, self._began + longest * (0.5 + self._jitter() / 2))
        asked_last_seconds = policy.asked_last_times * (self._began - started)
        self._asked_last_until = max(self._asked_last_until, self._began + asked_last_seconds)

    @property
    def is_spent(self) -> bool:
        return self.spent_until > 0 and self.is_resting

    def record_spent(self, seconds: float) -> None:
        """Rest until the allowance begins again."""
        self.until, self.spent_until = self._clock() + seconds, round(time.time() + seconds)

    def record_success(self) -> None:
        self.failures = self.spent_until = 0
        self.until = self._asked_last_until = float("-inf")


class RpcProvider(AsyncJSONBaseProvider):
    """web3 provider with one pool of kept-alive connections, and a bound on the size of an answer."""

    def __init__(self, url: str, timeout: float) -> None:
        super().__init__()
        self._url = url
        self._timeout = aiohttp.ClientTimeout(total=timeout)
        self._session: aiohttp.ClientSession | None = None
        self._closed = False

    @staticmethod
    def encode_rpc_dict(rpc_dict: RPCRequest) -> bytes:
        return msgspec.json.encode(rpc_dict)

    async def make_request(self, method: RPCEndpoint, params: Any) -> Any:
        return _decode_answer(await self._post_body(self.encode_rpc_request(method, params)))

    async def make_batch_request(self, requests: list[tuple[RPCEndpoint, Any]]) -> Any:
        """Return the answers in the order of the requests, or one answer if the node refuses the batch."""
        answer = _decode_answer(await self._post_body(self.encode_batch_rpc_request(requests)))
        return sorted(answer, key=lambda single: int(single["id"])) if isinstance(answer, list) else answer

    async def _post_body(self, data: bytes) -> bytes:
        if self._closed:  # a request after the end would open a connection that stays open
            raise EndpointFailed("closed")
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=32)
            headers = {"Content-Type": "application/json", "User-Agent": "reminder-worker"}
            self._session = aiohttp.ClientSession(timeout=self._timeout, connector=connector, headers=headers)
        failure, slow, large, spent_seconds = "", False, False, 0.0
        try:
            async with self._session.post(self._url, data=data, allow_redirects=False) as response:
                most = _MOST_BYTES.get()
                body = await strict_json.read_body(response, most)
                if response.status == 200 or _is_rpc_answer(response.status, body):
                    if len(body) <= most:
                        return body
                    if most < NODE_POLICY.answer_bytes and body[:1] == b"{":
                        raise AnswerTooLong("answer too long")
                    raise EndpointFailed("answer too large", large=True)
                failure = f"HTTP {response.status}"
                slow, large = response.status in (408, 504), response.status == 413
                spent_seconds = read_spent_seconds(response.status, response.headers.get("Retry-After", ""), body)
        except TimeoutError:
            failure, slow = "timed out", True
        except (aiohttp.ClientError, OSError) as error:
            failure = type(error).__name__
        # Outside of the handler: the cause would carry the address.
        raise EndpointFailed(failure, slow=slow, large=large, spent_seconds=spent_seconds)

    async def close(self) -> None:
        self._closed = True
        if self._session is not None:
            await self._session.close()
            self._session = None


def read_spent_seconds(status: int, retry_after: str, body: bytes) -> float:
    """Return for how long an endpoint's allowance is used up; 0 if its answer does not say so.

    HTTP 402 says so, and 429 with a wait of more than an hour or with a provider's words. Without a time the allowance
    begins again at the next midnight (UTC). Words of a JSON-RPC error count for nothing: a contract may have sent them.
    """
    if status not in (402, 429):
        return 0
    now = time.time()
    wait = min(_read_wait(retry_after, now), 31 * 86400)
    if wait > (0 if status == 402 else 3600):
        return wait
    return 86400 - now % 86400 if status == 402 or _SPENT.search(body) else 0


def _read_wait(retry_after: str, now: float) -> float:
    """Return the seconds of a `Retry-After`, which has seconds or a date; 0 for anything else."""
    if re.fullmatch("[0-9]{1,9}", retry_after):
        return int(retry_after)
    try:
        return parsedate_to_datetime(retry_after).timestamp() - now
    except (ValueError, OverflowError):
        return 0


def _is_rpc_answer(status: int, body: bytes) -> bool:
    """Return whether an HTTP error carries a JSON-RPC answer.

    Some nodes send errors (also reverts) with HTTP 400 or 500, or with 403 if old state is for paying customers only.
    """
    return status in (400, 403, 500) and body[:1] in (b"{", b"[") and b'"jsonrpc"' in body[:200]


def _decode_answer(body: bytes) -> Any:
    """Return one answer, or the list of a batch's. A single object in place of a list is a refusal of the batch.

    geth and erigon put that object into a list; our batches have at least two requests.
    """
    try:
        answer = msgspec.json.decode(body)
    except strict_json.NOT_JSON:
        answer = None
    if isinstance(answer, list) and len(answer) == 1 and isinstance(answer[0], dict) and answer[0].get("error"):
        answer = answer[0]
    if isinstance(answer, dict) or (isinstance(answer, list) and _ids_follow(answer)):
        return answer
    raise EndpointFailed("not a JSON-RPC answer")


def _ids_follow(answers: list[Any]) -> bool:
    """Return whether each id is there once: web3 numbers requests consecutively."""
    ids = [answer.get("id") if isinstance(answer, dict) else None for answer in answers]
    numbers = sorted(number for number in ids if type(number) is int)
    return bool(ids) and len(numbers) == len(ids) and numbers == list(range(numbers[0], numbers[0] + len(ids)))


def name_endpoint(position: int, url: str) -> str:
    """Return the place in `RPC_URLS` and the host, as far as it may be shown."""
    return f"{position}:{shown_host(urlsplit(url).hostname or 'unknown')}"


class RpcEndpoint:
    """One endpoint. `ask` returns the node's results in order, or raises `EndpointFailed` and backs off.

    The caller judges the results and ends the backoff with `rest.record_success` or `record_refusal`. `asked`: requests
    sent since the last `monitoring.node_requests.store_requests`, by pass and method; providers charge each of a batch.
    """

    def __init__(self, position: int, url: str, chain_id: int, timeout: float, rest: EndpointBackoff) -> None:
        self.name = name_endpoint(position, url)
        self.rest = rest
        self.asked: Counter[tuple[str, str]] = Counter()
        self.head: int | None = None
        self.heads = KnownHeads()
        self.wrong_chain: int | None = None
        self.runs_code = True  # until it refuses a call without deployment, see `Chain.run_code`
        self._chain_id = chain_id
        self._provider = RpcProvider(url, timeout)
        self._verified = False
        self._verifying = asyncio.Lock()
        self._batch_size = NODE_POLICY.batch_requests
        self._refused_at = float("-inf")
        self._errors = 0
        self._latency: float | None = None

    async def verify_chain_id(self) -> None:
        """Ask for the chain id once: no answer counts before."""
        async with self._verifying:
            if self._verified:
                return
            if self.rest.is_resting:
                raise EndpointFailed("rests")  # another caller's attempt just failed
            (answer,) = await self._send_all([("eth_chainId", [])])
            if isinstance(answer, RpcError):
                raise EndpointFailed(f"eth_chainId refused with code {answer.code}")
            actual = wire.decode_quantity(answer)
            self.wrong_chain = None if actual == self._chain_id else actual
            if self.wrong_chain is not None:
                raise EndpointFailed(f"answers for chain {actual}, not {self._chain_id}")
            self._verified = True

    async def ask(self, requests: Sequence[Request], most: int = NODE_POLICY.answer_bytes) -> list[Any | RpcError]:
        """Raise `AnswerTooLong` when a single request has an answer of more than `most` bytes, as sent."""
        started = self.rest.now()
        try:
            await self.verify_chain_id()
            bound = _MOST_BYTES.set(most)
            methods = " ".join(sorted({method for method, _ in requests}))
            try:
                with trace_call("node", {"rpc.method": methods}):
                    answers = await self._send_all(requests)
            finally:
                _MOST_BYTES.reset(bound)
        except AnswerTooLong:
            raise
        except EndpointFailed as error:
            if error.large:
                self.record_refusal()
            else:
                self.record_failure(started, str(error))
            if error.spent_seconds:
                self.rest.record_spent(error.spent_seconds)
            raise
        except msgspec.ValidationError:
            self.record_failure(started, "garbage")
            raise EndpointFailed("garbage") from None
        self._latency = self.rest.now() - started
        return answers

    def record_failure(self, started: float, reason: str) -> None:
        self._errors += 1
        before = self.rest.failures
        self.rest.record_failure(started)
        if before == 0 and self.rest.failures:
            log.warning("rpc_endpoint_fails", chain_id=self._chain_id, endpoint=self.name, reason=reason)

    def record_refusal(self) -> None:
        """Record a refusal: the endpoint works, but not for this request."""
        self._errors += 1
        self.rest.record_success()

    def record_blocks(self, blocks: Iterable[int]) -> None:
        """`head` is the highest block this endpoint has given."""
        self.head = max((self.head or 0, *blocks))

    async def _send_all(self, requests: Sequence[Request]) -> list[Any | RpcError]:
        if len(requests) == 1:
            self._count(requests)
            return [_decode_result(await self._provider.make_request(RPCEndpoint(requests[0][0]), requests[0][1]))]
        if self.rest.now() - self._refused_at >= NODE_POLICY.larger_batches_again_seconds:
            self._batch_size = NODE_POLICY.batch_requests
        answers: list[Any | RpcError] = []
        while len(answers) < len(requests):
            part = requests[len(answers) : len(answers) + self._batch_size]
            answers += await (self._send_all(part) if len(part) == 1 else self._send_batch(part))
        return answers

    async def _send_batch(self, part: Sequence[Request]) -> list[Any | RpcError]:
        """Send a batch. Return nothing if the endpoint refuses the size: the next batches are half as large."""
        refused = False
        self._count(part)
        try:
            answer: Any = await self._provider.make_batch_request([(RPCEndpoint(m), p) for m, p in part])
        except EndpointFailed as error:
            if not error.large:
                raise
            refused = True
        if refused or isinstance(answer, dict):
            if not refused:
                _decode_result(answer)  # raises when it is a rate limit, which a smaller batch would not help
            self._batch_size, self._refused_at = max(1, len(part) // 2), self.rest.now()
            return []
        if len(answer) != len(part):
            raise EndpointFailed("a batch with missing answers")
        return [_decode_result(one) for one in answer]

    def _count(self, requests: Sequence[Request]) -> None:
        self.asked.update((_ASKING.get(), method) for method, _ in requests)

    def read_health(self) -> EndpointHealth:
        return EndpointHealth(
            name=self.name,
            ok=self.wrong_chain is None and self.rest.failures == 0,
            errors=self._errors,
            latency=self._latency,
            head=self.head,
        )

    async def close(self) -> None:
        await self._provider.close()


def _decode_result(answer: Any) -> Any | RpcError:
    if not isinstance(answer, dict) or ("result" not in answer and "error" not in answer):
        raise EndpointFailed("not a JSON-RPC answer")
    if answer.get("error") is None:
        return answer.get("result")
    try:
        error = msgspec.convert(answer["error"], RpcError)
    except msgspec.ValidationError:
        error = RpcError(message="an error without a shape")
    error = RpcError(error.code, error.message[:2000], error.data)  # a contract's own words may be in it
    if error.is_rate_limit:
        raise EndpointFailed("rate limited")
    return error
