"""The states of a relayed request as server-sent events: each once, then the end."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import Context
from dataclasses import dataclass, field
from hashlib import blake2s
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Response
from litestar.response import ServerSentEvent, ServerSentEventMessage
from litestar.types import ASGIApp, Receive, Scope, Send
from sqlalchemy.exc import SQLAlchemyError

from api.clients import ClientAddresses
from api.sponsor_bodies import describe_request
from reminder_worker.errors import LimitReached, ServiceError
from reminder_worker.relay.intake import RelayIntake
from reminder_worker.relay.models import OPEN_STATES, RequestView, WaitsFor

MOST_STREAMS: Final = 100  # of this process
MOST_STREAMS_OF_A_CLIENT: Final = 10
MOST_STREAMS_OF_A_SITE: Final = 80  # of an IPv6 /48: as many as eight clients, as in the rate limits
LOOK_SECONDS: Final = 1.0
ALIVE_SECONDS: Final = 14.0  # proxies close what is silent
LONGEST_SECONDS: Final = 600.0  # browsers come back by themselves, with the last event they know
NOT_BUFFERED: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class StreamPlaces:
    """Places of the streams of this process, counted for all, for each client and for each IPv6 /48."""

    def __init__(self, clients: ClientAddresses) -> None:
        self._clients = clients
        self._taken: Counter[str] = Counter()

    def middleware(self, app: ASGIApp) -> ASGIApp:
        """Hold a place until the request ends, in whatever way."""

        async def hold_place(scope: Scope, receive: Receive, send: Send) -> None:
            with self._take_place(scope):
                await app(scope, receive, send)

        return hold_place

    @contextmanager
    def _take_place(self, scope: Scope) -> Iterator[None]:
        """Count the place at once: nothing is awaited after the check. Raises LimitReached."""
        limits = {"all": MOST_STREAMS, self._clients.hash_client(scope): MOST_STREAMS_OF_A_CLIENT}
        site = self._clients.hash_site(scope)
        if site is not None:
            limits[site] = MOST_STREAMS_OF_A_SITE
        if any(self._taken[name] >= most for name, most in limits.items()):
            raise LimitReached("Too many requests are followed at once: ask for the request itself.", 10)
        self._taken.update(limits.keys())
        try:
            yield
        finally:
            self._taken.subtract(limits.keys())
            self._taken = +self._taken  # without the networks that hold no place


@dataclass(frozen=True, slots=True)
class RequestNews:
    """State of a request, as its answer in JSON. `name`: the id of its event."""

    name: str
    answer: bytes
    is_open: bool


@dataclass(eq=False, slots=True)
class _StreamFollower:
    """An open stream. `known`: the name of what it was told last. `news`: what to tell; None: the stream ends."""

    known: str
    news: asyncio.Queue[RequestNews | None] = field(default_factory=asyncio.Queue)


class FollowedRequests:
    """The requests that streams of this process follow, read once a second for all of them.

    One task reads them. It begins with the first stream, and ends when none is left or the reading fails.
    """

    def __init__(self, sponsor: RelayIntake) -> None:
        self._sponsor = sponsor
        self._followers: dict[UUID, set[_StreamFollower]] = {}
        self._looking: asyncio.Task[None] | None = None

    async def read_news(self, id: UUID) -> RequestNews:
        """Raises NotFound, NotConfigured."""
        return _describe_news(*await self._sponsor.read_request(id))

    @contextmanager
    def follow(self, id: UUID, known: str) -> Iterator[asyncio.Queue[RequestNews | None]]:
        """Yield the queue of what follows on the event `known`; None: the request cannot be read any more."""
        follower = _StreamFollower(known)
        self._followers.setdefault(id, set()).add(follower)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._keep_looking(), context=Context())
        try:
            yield follower.news
        finally:
            followers = self._followers.get(id, set())
            followers.discard(follower)
            if not followers:
                self._followers.pop(id, None)

    async def _keep_looking(self) -> None:
        try:
            while self._followers:
                await asyncio.sleep(LOOK_SECONDS)
                await self._look()
        except (ServiceError, SQLAlchemyError, OSError):
            return  # the browsers come back, and are told why
        finally:
            for followers in self._followers.values():
                _tell(followers, None)

    async def _look(self) -> None:
        asked = {id: set(followers) for id, followers in self._followers.items()}  # who comes later knows newer states
        found = await self._sponsor.read_requests(asked) if asked else {}
        for id, followers in asked.items():
            _tell(followers, _describe_news(*found[id]) if id in found else None)


def _tell(followers: Iterable[_StreamFollower], news: RequestNews | None) -> None:
    """Wake the streams that were not told this yet."""
    for follower in followers:
        if news is None:
            follower.news.put_nowait(None)
        elif news.name != follower.known:
            follower.known = news.name
            follower.news.put_nowait(news)


async def follow_request(requests: FollowedRequests, id: UUID, known: str | None) -> Response[Any]:
    """Return the stream of a request. `known`: the last event's id. Raises NotFound, NotConfigured."""
    news = await requests.read_news(id)
    if not news.is_open and known == news.name:
        return Response(None, status_code=204)  # a browser then does not come back
    return ServerSentEvent(_list_events(requests, id, news, known), headers=NOT_BUFFERED)


async def _list_events(
    requests: FollowedRequests, id: UUID, first: RequestNews, known: str | None
) -> AsyncGenerator[ServerSentEventMessage, None]:
    clock = asyncio.get_running_loop().time
    ends = clock() + LONGEST_SECONDS
    if first.name != known:
        yield _make_event(first)
    news: RequestNews | None = first
    with requests.follow(id, first.name) as queue:
        while news is not None and news.is_open and clock() < ends:
            try:
                async with asyncio.timeout(min(ALIVE_SECONDS, ends - clock())):
                    news = await queue.get()
            except TimeoutError:
                yield ServerSentEventMessage("", event="alive")
                continue
            if news is not None:
                yield _make_event(news)
    if news is not None and not news.is_open:
        yield ServerSentEventMessage("", event="end")


def _make_event(news: RequestNews) -> ServerSentEventMessage:
    return ServerSentEventMessage(news.answer, event="state", id=news.name)


def _describe_news(view: RequestView, waits_for: WaitsFor | None) -> RequestNews:
    answer = msgspec.json.encode(describe_request(view, waits_for))
    return RequestNews(blake2s(answer, digest_size=8).hexdigest(), answer, view.state in OPEN_STATES)
