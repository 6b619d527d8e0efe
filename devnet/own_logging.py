"""Logging as a process of the service has it, within another program: a test, a measurement."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import structlog


@contextmanager
def own_logging() -> Iterator[None]:
    """Restore the configuration of logging at the end of the block."""
    root, of_structlog = logging.getLogger(), structlog.get_config()
    handlers, level, hook = root.handlers[:], root.level, sys.excepthook
    try:
        yield
    finally:
        root.handlers[:], sys.excepthook = handlers, hook
        root.setLevel(level)
        logging.captureWarnings(False)
        structlog.configure(**of_structlog)
