"""A beat of the hot loop as a process of its own: `hot_loop_process.py <number> <database url> NAME=value...`.

It ends itself by SIGKILL right before the statement of this number.
"""

import os
import signal
import sys
from functools import partial
from itertools import count

from sqlalchemy import event
from sqlalchemy.engine import Engine

from assets.service import Service
from pipelines.hot_loop import HotLoop
from reminder_worker.runtime import open_runtime
from tests.integration.dispatch_process import read_settings

_statements = count()


def _kill_at(number: int) -> None:
    if next(_statements) == number:
        os.kill(os.getpid(), signal.SIGKILL)


def main(number: str, *words: str) -> None:
    event.listen(Engine, "before_cursor_execute", lambda *_: _kill_at(int(number)))
    settings = read_settings(*words)
    service = Service(lambda: open_runtime(settings))
    service.call(partial(HotLoop(service)._work_once, is_found=True), 60)
    service.close()


main(*sys.argv[1:])
