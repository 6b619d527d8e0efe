"""The states of a relayed request as server-sent events: each once, then the end."""

import asyncio
from collections.abc import AsyncGenerator
from hashlib import blake2s
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Response
from litestar.response import ServerSentEvent, ServerSentEventMessage
from sqlalchemy.exc import SQLAlchemyError

from api.sponsor_bodies import RequestAnswer, describe_request
from reminder_worker.errors import LimitReached, ServiceError
from reminder_worker.relay.intake import RelayIntake
from reminder_worker.relay.models import OPEN_STATES

MOST_STREAMS: Final = 100  # of this process: each asks the database every two seconds
LOOK_SECONDS: Final = 2.0
ALIVE_SECONDS: Final = 14.0  # proxies close what is silent; a look comes first
LONGEST_SECONDS: Final = 600.0  # browsers come back by themselves, with the last event they know
NOT_BUFFERED: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class RequestEvents:
    """Streams of this process. Whoever finds no place asks for the request itself."""

    def __init__(self) -> None:
        self._open = 0

    async def follow(self, sponsor: RelayIntake, id: UUID, known: str | None) -> Response[Any]:
        """`known`: the last event's id. Raises NotFound, NotConfigured, LimitReached."""
        view, waits_for = await sponsor.read_request(id)
        if view.state not in OPEN_STATES and known == _name_event(describe_request(view, waits_for)):
            return Response(None, status_code=204)  # a browser then does not come back
        if self._open >= MOST_STREAMS:
            raise LimitReached("Too many requests are followed at once: ask for the request itself.", 10)
        return ServerSentEvent(self._list_events(sponsor, id, known), headers=NOT_BUFFERED)

    async def _list_events(
        self, sponsor: RelayIntake, id: UUID, known: str | None
    ) -> AsyncGenerator[ServerSentEventMessage, None]:
        self._open += 1
        try:
            clock = asyncio.get_running_loop().time
            ends, alive = clock() + LONGEST_SECONDS, clock() + ALIVE_SECONDS
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
        finally:
            self._open -= 1


def _name_event(answer: RequestAnswer) -> str:
    return blake2s(msgspec.json.encode(answer), digest_size=8).hexdigest()
