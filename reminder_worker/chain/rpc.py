"""One RPC endpoint: HTTP transport, connection pool, chain id, health and backoff.

An endpoint's address holds a key. Therefore logs and errors show position and host only, without labels that may be
keys, and no error of the HTTP library leaves this module.
"""

import asyncio
import itertools
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import aiohttp
import msgspec
import structlog

from reminder_worker import strict_json
from reminder_worker.chain import wire
from reminder_worker.chain.heads import KnownHeads
from reminder_worker.chain.pace import RequestPace
from reminder_worker.chain.rest import SPENT, EndpointBackoff, read_spent_seconds, read_wait, seconds_to_midnight
from reminder_worker.chain.types import NODE_POLICY, EndpointHealth
from reminder_worker.privacy.redaction import shown_host
from reminder_worker.tracing import trace_call

if TYPE_CHECKING:
    from web3 import AsyncWeb3

    from reminder_worker.chain.questions import EndpointProvider, Question

log = structlog.get_logger(__name__)
Request = tuple[str, Sequence[object]]

_ASKING: Final = ContextVar("asking", default="cli")
_LOGS_AND_TRANSACTIONS: Final = frozenset(
    {"eth_getLogs", "eth_getTransactionReceipt", "eth_getTransactionByHash", "eth_simulateV1"}
)
_LENGTH_OF_STRANGERS: Final = _LOGS_AND_TRANSACTIONS | {"eth_call"}
"""Methods with answers as long as a stranger's contract or transaction makes them."""
_WORDS_OF_STRANGERS: Final = frozenset({"eth_call", "eth_simulateV1", "eth_sendRawTransaction"})
"""Methods with errors that may repeat the words of a stranger's contract."""
# Words of Infura, Alchemy and QuickNode.
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

    `status`: of an HTTP answer that is no JSON-RPC answer; 0 for any other failure.
    `limited`: it takes no more requests now, and says for how many seconds (`wait_seconds`), or not (0).
    `spent_seconds`: its allowance is used up, for so long; 0 if it is not.
    `answers`: its answers to other requests of the same question, in the order of the requests, None for the rest.
    """

    def __init__(
        self,
        reason: str,
        *,
        status: int = 0,
        slow: bool = False,
        large: bool = False,
        limited: bool = False,
        wait_seconds: float = 0,
        spent_seconds: float = 0,
    ) -> None:
        super().__init__(reason)
        self.status = status
        self.slow = slow
        self.large = large
        self.limited = limited
        self.wait_seconds = wait_seconds
        self.spent_seconds = spent_seconds
        self.answers: Sequence[Answer | None] = ()


class RpcError(msgspec.Struct, frozen=True):
    """The node's own error to one request: it works, but refuses this. `data`: the text in it, if there is one."""

    code: int = 0
    message: str = ""
    data: str = ""

    @property
    def is_rate_limit(self) -> bool:
        if self.code == 3 or "revert" in self.message.lower():
            return False  # what follows are a contract's own words
        return self.code in (429, -32012) or _LIMITED.search(self.message) is not None


Answer = msgspec.Raw | RpcError
"""A result as JSON, which its reader decodes with the type of the result, or the node's error."""

ANSWER_TOO_LONG: Final = RpcError(message="answer too long")
"""In place of an answer beyond the bound of its method, which a stranger's contract or transaction may cause."""


class WireAnswer(msgspec.Struct):
    """A JSON-RPC answer as sent. A part that is missing is empty."""

    id: msgspec.Raw = msgspec.Raw()
    result: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()


class WireError(msgspec.Struct):
    code: int = 0
    message: str = ""
    data: msgspec.Raw = msgspec.Raw()


class RpcTransport:
    """JSON-RPC over one pool of kept-alive connections, with a bound on the size of an answer."""

    def __init__(self, url: str, timeout: float) -> None:
        self._url = url
        self._timeout = aiohttp.ClientTimeout(total=timeout)
        self._session: aiohttp.ClientSession | None = None
        self._closed = False
        self._ids = itertools.count()

    async def send_one(self, request: Request, most: int) -> WireAnswer | None:
        """Return the answer; None if it has more than `most` bytes."""
        body = await self._post_body(msgspec.json.encode(self._form_message(request)), most)
        return None if body is None else _decode_answers(body, 1)[0]

    async def send_batch(self, requests: Sequence[Request], most: int) -> Sequence[WireAnswer] | None:
        """Return the answers in the order of the requests, or one answer if the node refuses the batch.

        None if the answers have more than `most` bytes.
        """
        batch = [self._form_message(request) for request in requests]
        body = await self._post_body(msgspec.json.encode(batch), most)
        return None if body is None else _decode_answers(body, len(batch), batch[0]["id"])

    def _form_message(self, request: Request) -> dict[str, Any]:
        method, params = request
        return {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}

    async def _post_body(self, data: bytes, most: int) -> bytes | None:
        """Return the body; None if it has more than `most` bytes: its end is not read."""
        if self._closed:  # a request after the end would open a connection that stays open
            raise EndpointFailed("closed")
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=32)
            headers = {"Content-Type": "application/json", "User-Agent": "reminder-worker"}
            self._session = aiohttp.ClientSession(timeout=self._timeout, connector=connector, headers=headers)
        failure = EndpointFailed("")
        try:
            async with self._session.post(self._url, data=data, allow_redirects=False) as response:
                body = await strict_json.read_body(response, most)
                if response.status == 200 or _is_rpc_answer(response.status, body):
                    return body if len(body) <= most else None
                failure = _read_failure(response.status, response.headers.get("Retry-After", ""), body)
        except TimeoutError:
            failure = EndpointFailed("timed out", slow=True)
        except (aiohttp.ClientError, OSError) as error:
            failure = EndpointFailed(type(error).__name__)
        # Outside of the handler: the cause would carry the address.
        raise failure

    async def close(self) -> None:
        self._closed = True
        if self._session is not None:
            await self._session.close()
            self._session = None


def _read_failure(status: int, retry_after: str, body: bytes) -> EndpointFailed:
    """Return the failure that an HTTP status other than 200 means."""
    return EndpointFailed(
        f"HTTP {status}",
        status=status,
        slow=status in (408, 504),
        large=status == 413,
        limited=status == 429,
        wait_seconds=min(read_wait(retry_after, time.time()), 3600) if status in (429, 503) else 0,
        spent_seconds=read_spent_seconds(status, retry_after, body),
    )


def _is_rpc_answer(status: int, body: bytes) -> bool:
    """Return whether an HTTP error carries a JSON-RPC answer.

    Some nodes send errors (also reverts) with HTTP 400 or 500, or with 403 if old state is for paying customers only.
    """
    return status in (400, 403, 500) and body[:1] in (b"{", b"[") and b'"jsonrpc"' in body[:200]


@lru_cache(NODE_POLICY.batch_requests)
def _make_decoder(answers: int) -> msgspec.json.Decoder[Any]:
    """Return a decoder of one answer, or of a list of `answers`. A longer list is refused before it takes memory."""
    kind: Any = WireAnswer | tuple[(WireAnswer,) * answers]  # type: ignore[misc]
    return msgspec.json.Decoder(kind)


def _decode_answers(body: bytes, count: int, first_id: int = 0) -> Sequence[WireAnswer]:
    """Return the answers in the order of their ids, or one answer in place of many: a refusal of the batch.

    geth and erigon put that answer into a list. Requests have consecutive ids.
    """
    for expected in (count, 1):
        try:
            found = _make_decoder(expected).decode(body)
        except strict_json.NOT_JSON:
            continue
        answers = [found] if isinstance(found, WireAnswer) else list(found)
        if len(answers) == 1 and (count == 1 or _has(answers[0].error)):
            return answers
        if len(answers) == count:
            return _order_answers(answers, first_id)
    raise EndpointFailed("not a JSON-RPC answer")


def _order_answers(answers: Sequence[WireAnswer], first_id: int) -> Sequence[WireAnswer]:
    """Return the answers in the order of their ids. Raises `EndpointFailed` if an answer has no id of its own.

    Only refusals by a limit need no id: QuickNode gives all of them the same. They fill the places without an answer.
    """
    ordered: list[WireAnswer | None] = [None] * len(answers)
    without_place = []
    for answer in sorted(answers, key=_is_limit):
        place = _read_id(answer.id) - first_id
        if 0 <= place < len(ordered) and ordered[place] is None:
            ordered[place] = answer
        else:
            without_place.append(answer)
    if not all(map(_is_limit, without_place)):
        raise EndpointFailed("not a JSON-RPC answer")
    refusals = iter(without_place)
    return [answer or next(refusals) for answer in ordered]


def _is_limit(answer: WireAnswer) -> bool:
    """Return whether a limit a second refuses the request."""
    return _has(answer.error) and _read_error(answer.error).is_rate_limit


def _has(part: msgspec.Raw) -> bool:
    """Return whether a part of an answer is there, and not null."""
    return bytes(memoryview(part)[:5]) not in (b"", b"null")


def _read_id(id: msgspec.Raw) -> int:
    """Return the number of an answer; -1 for an answer without one."""
    text = bytes(memoryview(id)[:20])
    return int(text) if text.isdigit() else -1


def _read_result(method: str, answer: WireAnswer, most: int) -> Answer:
    """Return the result, or the node's error. Raises `EndpointFailed` for what is neither, or too long."""
    part = answer.error if _has(answer.error) else answer.result
    size = memoryview(part).nbytes
    if size > most:
        return _refuse_length(method)
    if not size:
        raise EndpointFailed("not a JSON-RPC answer")
    return _read_error(part) if part is answer.error else part


def _refuse_length(method: str) -> RpcError:
    """Return the refusal of an answer beyond its bound. Raises `EndpointFailed` if only the endpoint can cause it."""
    if method in _LENGTH_OF_STRANGERS:
        return ANSWER_TOO_LONG
    raise EndpointFailed("answer too long")


def _read_error(part: msgspec.Raw) -> RpcError:
    try:
        error = msgspec.json.decode(part, type=WireError)
    except strict_json.NOT_JSON:
        return RpcError(message="an error without a shape")
    # A contract's own words may be in it.
    return RpcError(error.code, error.message[:2000], wire.decode_error_data(error.data))


def find_longest(method: str) -> int:
    """Return the bound of a method's answer, in bytes as sent."""
    return NODE_POLICY.long_answer_bytes if method in _LOGS_AND_TRANSACTIONS else NODE_POLICY.answer_bytes


def name_endpoint(position: int, url: str) -> str:
    """Return the place in `RPC_URLS` and the host, as far as it may be shown."""
    return f"{position}:{shown_host(urlsplit(url).hostname or 'unknown')}"


class RpcEndpoint:
    """One endpoint. `ask` returns the node's results in order, or raises `EndpointFailed` and backs off.

    The caller judges the results and ends the backoff with `rest.record_success` or `record_refusal`. `asked`: requests
    sent since the last `monitoring.node_requests.store_requests`, by pass and method; providers charge each of a batch.
    """

    def __init__(
        self, position: int, url: str, chain_id: int, timeout: float, rest: EndpointBackoff, pace: RequestPace
    ) -> None:
        self.name = name_endpoint(position, url)
        self.rest = rest
        self.asked: Counter[tuple[str, str]] = Counter()
        self.head: int | None = None
        self.heads = KnownHeads()
        self.wrong_chain: int | None = None
        self.runs_code = True  # until it refuses a call without deployment, see `Chain.run_code`
        self._chain_id = chain_id
        self._transport = RpcTransport(url, timeout)
        self._web3: AsyncWeb3[EndpointProvider] | None = None
        self._verified = False
        self._verifying = asyncio.Lock()
        self._pace = pace
        self._errors = 0
        self._latency: float | None = None

    async def verify_chain_id(self) -> None:
        """Ask for the chain id once: no answer counts before."""
        async with self._verifying:
            if self._verified:
                return
            if self.rest.is_resting:
                raise EndpointFailed("rests")  # another caller's attempt just failed
            (answer,) = await self._send_all([("eth_chainId", [])], NODE_POLICY.answer_bytes)
            if isinstance(answer, RpcError):
                raise EndpointFailed(f"eth_chainId refused with code {answer.code}")
            actual = wire.decode_quantity(answer)
            self.wrong_chain = None if actual == self._chain_id else actual
            if self.wrong_chain is not None:
                raise EndpointFailed(f"answers for chain {actual}, not {self._chain_id}")
            self._verified = True

    async def ask(self, requests: Sequence[Request], most: int = NODE_POLICY.long_answer_bytes) -> list[Answer]:
        """`most` bounds each answer, in bytes as sent, beside the bound of its method.

        `ANSWER_TOO_LONG` stands for an answer beyond a bound that a stranger's contract or transaction may cause.
        """
        started = self.rest.now()
        try:
            await self.verify_chain_id()
            methods = " ".join(sorted({method for method, _ in requests}))
            with trace_call("node", {"rpc.method": methods}):
                answers = await self._send_all(requests, most)
        except EndpointFailed as error:
            if error.large:
                self.record_refusal()
            else:
                self.record_failure(started, str(error))
            if error.wait_seconds > 0:
                self.rest.record_wait(error.wait_seconds)
            if error.spent_seconds:
                self.rest.record_spent(error.spent_seconds)
            raise
        except msgspec.ValidationError:
            self.record_failure(started, "garbage")
            raise EndpointFailed("garbage") from None
        self._latency = self.rest.now() - started
        return answers

    async def ask_web3(self, *questions: "Question") -> Sequence[Any]:
        """Ask questions in one batch, as `questions.ask_web3`."""
        from reminder_worker.chain.questions import ask_web3, connect_web3

        if self._web3 is None:
            self._web3 = connect_web3(self.ask)
        return await ask_web3(self._web3, questions)

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

    async def _send_all(self, requests: Sequence[Request], most: int) -> list[Answer]:
        """Send the requests until each has an answer. Only requests without an answer are sent again."""
        answers: list[Answer | None] = [None] * len(requests)
        missing = list(range(len(requests)))
        while missing:
            some = missing[: self._pace.batch_size]
            try:
                found = await self._send_some([requests[index] for index in some], most)
            except EndpointFailed as error:
                error.answers = answers
                raise
            for index, answer in zip(some, found, strict=True):
                answers[index] = answer
            missing = [index for index in missing if answers[index] is None]
        return [answer for answer in answers if answer is not None]

    async def _send_some(self, some: Sequence[Request], most: int) -> Sequence[Answer | None]:
        """Send requests that fit a batch. None stands for an answer that the endpoint may give to a smaller batch."""
        if not await self._pace.wait_for_turn(len(some)):
            raise EndpointFailed("too many requests wait")
        self._count(some)
        try:
            return await (self._send_batch(some, most) if len(some) > 1 else self._send_alone(some[0], most))
        except EndpointFailed as error:
            if error.limited and len(some) > 1:
                self._pace.record_limit(len(some), 0)
            if error.status == 400 and any(method == "eth_getLogs" for method, _ in some):
                error.large = True  # some providers refuse too many blocks of logs so, with all of the batch
            if not error.large or len(some) == 1:
                raise
        self._pace.record_large_batch(len(some))
        return [None] * len(some)

    async def _send_alone(self, request: Request, most: int) -> Sequence[Answer]:
        method = request[0]
        most = min(most, find_longest(method))
        sent = await self._transport.send_one(request, most)
        answer = _refuse_length(method) if sent is None else _read_result(method, sent, most)
        _check_limits([request], [answer])
        return [answer]

    async def _send_batch(self, some: Sequence[Request], most: int) -> Sequence[Answer | None]:
        bounds = [min(most, find_longest(method)) for method, _ in some]
        sent = await self._transport.send_batch(some, min(sum(bounds), NODE_POLICY.long_answer_bytes))
        if sent is None:
            middle = len(some) // 2
            return [*await self._send_some(some[:middle], most), *await self._send_some(some[middle:], most)]
        if len(sent) < len(some):
            refusal = _read_error(sent[0].error)
            _check_limits(some, [refusal])
            raise EndpointFailed("a batch refused", large=True)
        answers: list[Answer | None] = [
            _read_result(method, answer, bound) for (method, _), answer, bound in zip(some, sent, bounds, strict=True)
        ]
        refused = _check_limits(some, answers)
        if refused:
            self._pace.record_limit(len(some), len(some) - len(refused))
        for index in refused:
            answers[index] = None
        return answers

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
        await self._transport.close()


def _check_limits(requests: Sequence[Request], answers: Sequence[Answer | None]) -> set[int]:
    """Return the positions of the answers that a limit a second refuses.

    Raises `EndpointFailed` if a limit refuses all, or if the allowance is used up.
    """
    refused = set()
    for index, answer in enumerate(answers):
        if not isinstance(answer, RpcError) or not answer.is_rate_limit:
            continue
        refused.add(index)
        by_a_contract = requests[index][0] in _WORDS_OF_STRANGERS
        if not by_a_contract and SPENT.search(answer.message):
            raise EndpointFailed("allowance used up", spent_seconds=seconds_to_midnight(time.time()))
    if len(refused) == len(answers):
        raise EndpointFailed("rate limited", limited=True)
    return refused
