"""Interrupts of a process that was started in the background."""

import signal


def accept_interrupts() -> None:
    """Give an ignored SIGINT its default handler. Call first in a process, because its children inherit an ignored one.

    A script's background process ignores SIGINT. Dagster copies SIGINT's handler to SIGTERM, and would ignore both.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
