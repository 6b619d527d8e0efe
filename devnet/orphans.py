"""Processes that end with the one that started them, in whatever way it ends."""

import ctypes
import platform
import signal
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1


def die_with_parent(number: signal.Signals = signal.SIGKILL) -> Callable[[], None] | None:
    """What a process calls to be sent the signal by the kernel when the thread that started it ends.

    For `preexec_fn`, too. None where there is no such thing: Linux alone has it.
    """
    if platform.system() != "Linux":
        return None
    libc = ctypes.CDLL(None, use_errno=True)

    def ask() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, number)

    return ask
