"""The end of a process at a chosen statement."""

from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncEngine


class PlannedCrash(Exception):
    """The process is gone."""


class CrashAt:
    """Ends the worker right before its n-th statement or commit reaches the database."""

    def __init__(self, engine: AsyncEngine, number: int) -> None:
        self._engine = engine.sync_engine
        self.left = number

    def __enter__(self) -> "CrashAt":
        event.listen(self._engine, "before_cursor_execute", self._count)
        event.listen(self._engine, "commit", self._count)
        return self

    def __exit__(self, *_: object) -> None:
        event.remove(self._engine, "before_cursor_execute", self._count)
        event.remove(self._engine, "commit", self._count)

    def _count(self, *_: object) -> None:
        self.left -= 1
        if self.left < 0:
            raise PlannedCrash
