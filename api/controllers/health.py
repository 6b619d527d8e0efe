"""Health: does this process live, and can it serve?"""

import asyncio

from litestar import Controller, get
from litestar.di import NamedDependency
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from api.problems import described
from api.schemas import HealthAnswer, LivenessAnswer
from reminder_worker import __version__
from reminder_worker.database.engine import must_take_writes
from reminder_worker.database.migrate import schema_serves
from reminder_worker.errors import Unavailable

READY_WITHIN_SECONDS = 3


class HealthController(Controller):
    path = "/health"
    tags = ["Health"]  # noqa: RUF012 - read by the framework
    _look: asyncio.Task[bool] | None = None

    @get("/live", operation_id="healthLive", summary="Is the process alive?")
    async def live(self) -> LivenessAnswer:
        """Answers as long as the process does; looks at nothing else."""
        return LivenessAnswer(status="ok", version=__version__)

    @get(
        "/ready",
        operation_id="healthReady",
        summary="Can requests be served?",
        responses={
            503: described("`unavailable`: the database does not answer, takes no writes or is not of this version")
        },
    )
    async def ready(self, engine: NamedDependency[AsyncEngine]) -> HealthAnswer:
        """Fails when the database does not answer, takes no writes, or its schema does not serve this version: missing,
        older, or more than one revision newer."""
        # One look at a time, whoever asks meanwhile: no limit keeps anybody from asking.
        if self._look is None or self._look.done():
            self._look = asyncio.create_task(_serves(engine))
        try:
            serves = await asyncio.shield(self._look)
        except (SQLAlchemyError, OSError, TimeoutError):
            raise Unavailable("The database does not answer, or takes no writes.") from None
        if not serves:
            raise Unavailable("The database's schema does not serve this version; run the migrations.")
        return HealthAnswer(status="ok")


async def _serves(engine: AsyncEngine) -> bool:
    async with asyncio.timeout(READY_WITHIN_SECONDS):
        serves = await schema_serves(engine)
        if serves:
            await must_take_writes(engine)
    return serves
