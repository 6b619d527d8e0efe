"""Processes as a script starts them in the background: they ignore SIGINT, and so does all that they start."""

import re
import signal
from pathlib import Path


def ignore_interrupts() -> None:
    """Ignore SIGINT, as a shell without job control does before it starts a background process. For `preexec_fn`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def is_interruptible(pid: int) -> bool:
    """Return whether the process does not ignore SIGINT, as Linux tells."""
    (ignored,) = re.findall(r"^SigIgn:\s*(\w+)$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return not int(ignored, 16) >> (signal.SIGINT - 1) & 1
