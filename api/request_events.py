"""The states of a relayed request as server-sent events: each once, then the end."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from hashlib import blake2s
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Response
from litestar.response import ServerSentEvent, ServerSentEventMessage
from litestar.types import ASGIApp, Receive, Scope, Send
from sqlalchemy.exc import SQLAlchemyError

from api.clients import ClientAddresses
from api.sponsor_bodies import RequestAnswer, describe_request
from reminder_worker.errors import LimitReached, ServiceError
from reminder_worker.relay.intake import RelayIntake
from reminder_worker.relay.models import OPEN_STATES

MOST_STREAMS: Final = 100  # of this process: each asks the database every two seconds
MOST_STREAMS_OF_A_CLIENT: Final = 10
MOST_STREAMS_OF_A_SITE: Final = 80  # of an IPv6 /48: as many as eight clients, as in the rate limits
LOOK_SECONDS: Final = 2.0
ALIVE_SECONDS: Final = 14.0  # proxies close what is silent; a look comes first
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


async def follow_request(sponsor: RelayIntake, id: UUID, known: str | None) -> Response[Any]:
    """Return the stream of a request. `known`: the last event's id. Raises NotFound, NotConfigured."""
    view, waits_for = await sponsor.read_request(id)
    if view.state not in OPEN_STATES and known == _name_event(describe_request(view, waits_for)):
        return Response(None, status_code=204)  # a browser then does not come back
    return ServerSentEvent(_list_events(sponsor, id, known), headers=NOT_BUFFERED)


async def _list_events(
    sponsor: RelayIntake, id: UUID, known: str | None
) -> AsyncGenerator[ServerSentEventMessage, None]:
    clock = asyncio.get_running_loop().time
    ends, alive = clock() + LONGEST_SECONDS, clock() + ALIVE_SECONDS
    try:
        while clock() < ends:
            view, waits_for = await sponsor.read_request(id)
            answer = describe_request(view, waits_for)
            name = _name_event(answer)
            if name != known:
                known, alive = name, clock() + ALIVE_SECONDS
                yield ServerSentEventMessage(msgspec.json.encode(answer), event="state", id=name)
            if view.state not in OPEN_STATES:
                yield ServerSentEventMessage("", event="end")
                return
            if clock() >= alive:
                alive = clock() + ALIVE_SECONDS
                yield ServerSentEventMessage("", event="alive")
            await asyncio.sleep(LOOK_SECONDS)
    except (ServiceError, SQLAlchemyError, OSError):
        return  # the browser comes back, and is told why


def _name_event(answer: RequestAnswer) -> str:
    return blake2s(msgspec.json.encode(answer), digest_size=8).hexdigest()
