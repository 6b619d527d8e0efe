"""What happened in a life, all that was said in it, and what may not be left when it is over."""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import structlog

from tests.campaign.postgres import RealPostgres


@dataclass
class CampaignLife:
    """What happened in one: `faults` by name, `violations` in words, `story` step by step, `log` as it was written."""

    seed: int
    faults: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)
    story: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)


class _LogListener(logging.Handler):
    def __init__(self, log: list[str]) -> None:
        super().__init__(logging.INFO)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        self._log.append(self.format(record))


@contextmanager
def listening(life: CampaignLife) -> Iterator[None]:
    """All that this process would log is the life's, also what libraries say."""

    def keep(_logger: Any, _method: str, event: Any) -> Any:
        life.log.append(repr(event))
        raise structlog.DropEvent

    before, listener = structlog.get_config(), _LogListener(life.log)
    structlog.configure(
        processors=[structlog.processors.format_exc_info, keep],
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG),
        cache_logger_on_first_use=False,
    )
    logging.getLogger().addHandler(listener)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(listener)
        structlog.configure(**before)


async def nothing_is_left(life: CampaignLife, postgres: RealPostgres) -> None:
    """Of a worker that is closed: no task and no connection."""
    coroutines: list[Any] = [task.get_coro() for task in asyncio.all_tasks()]
    life.violations += [f"left running: {each}" for each in coroutines if "reminder_worker" in each.cr_code.co_filename]
    if connections := await asyncio.to_thread(postgres.connections):
        life.violations.append(f"{connections} connections to the database are left open")
