"""Processes that end with their parent, however the parent ends."""

import ctypes
import platform
import signal
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1


def die_with_parent(number: signal.Signals = signal.SIGKILL) -> Callable[[], None] | None:
    """Return a call that makes the kernel send the signal when the starting thread ends.

    It also serves as `preexec_fn`. None outside of Linux.
    """
    if platform.system() != "Linux":
        return None
    libc = ctypes.CDLL(None, use_errno=True)

    def ask() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, number)

    return ask
