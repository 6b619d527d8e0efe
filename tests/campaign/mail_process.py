"""The mail service as a process of its own, with patience and pauses that fit a life of seconds.

A line `before 7` or `after 7` on its standard input ends it by SIGKILL right before, or after, its eighth statement
from then on. Statements commit by themselves: after one is after its commit.
"""

import os
import signal
import sys
import threading

from sqlalchemy import event
from sqlalchemy.engine import Engine

from mail_service import __main__, sending, smtp

smtp.TIMES = smtp.SmtpTimes(command=3.0, reply_to_data=3.0, retry_after_refused=1)
sending._BEAT_SECONDS = 0.3
_left: dict[str, int] = {}


def _listen() -> None:
    for line in sys.stdin:
        when, _, number = line.partition(" ")
        _left.clear()
        _left[when] = int(number)
    os.kill(os.getpid(), signal.SIGKILL)  # whoever started it is gone


def _count(when: str) -> None:
    if when in _left:
        _left[when] -= 1
        if _left[when] < 0:
            os.kill(os.getpid(), signal.SIGKILL)


event.listen(Engine, "before_cursor_execute", lambda *_: _count("before"))
event.listen(Engine, "after_cursor_execute", lambda *_: _count("after"))
threading.Thread(target=_listen, daemon=True).start()
sys.exit(__main__.main())
