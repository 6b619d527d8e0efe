"""One way out for every log line, ours and the libraries': JSON, or columns on a terminal, always redacted."""

import logging
import sys
from types import TracebackType
from typing import TYPE_CHECKING

import structlog

from reminder_worker.privacy.redaction import redact

if TYPE_CHECKING:
    from reminder_worker.settings import Settings


def configure_logging(settings: "Settings", *, level: int | None = None) -> None:
    """Set up this process: level (unless given) and format from the settings, to standard error."""
    if level is None:
        level = logging.getLevelNamesMapping()[settings.service.log_level.upper()]
    as_json = settings.service.log_format == "json" or (
        settings.service.log_format == "auto" and not sys.stderr.isatty()
    )
    structlog.configure(
        processors=_list_processors(as_json),
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),  # whatever it is by then: some runners replace it
        cache_logger_on_first_use=False,
    )
    _take_over_stdlib(level)
    sys.excepthook = _log_uncaught


def _list_processors(as_json: bool) -> list[structlog.typing.Processor]:
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False) if as_json else structlog.dev.ConsoleRenderer()
    )
    return [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        redact,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        renderer,
    ]


class _ToStructlog(logging.Handler):
    """Hands records of the standard library's loggers to structlog, so that they are redacted as well."""

    def emit(self, record: logging.LogRecord) -> None:
        # asyncio appends the repr of a failed task, exception and all, on further lines: only the first is a message.
        message = record.getMessage().partition("\n")[0]
        structlog.get_logger().log(record.levelno, message, logger=record.name, exc_info=record.exc_info)


def _take_over_stdlib(level: int) -> None:
    logging.captureWarnings(True)
    root = logging.getLogger()
    root.handlers[:] = [_ToStructlog()]
    root.setLevel(level)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "litestar", "sqlalchemy", "aiohttp", "alembic"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    quiet = {"uvicorn.access": logging.CRITICAL, "uvicorn.error": logging.WARNING}
    quiet |= {"alembic": logging.WARNING, "web3": logging.WARNING, "opentelemetry": logging.ERROR}
    # Packages of buckets would write signed requests at `debug`.
    quiet |= dict.fromkeys(("aiobotocore", "botocore", "fsspec", "gcsfs", "google", "s3fs", "urllib3"), logging.WARNING)
    for name, least in quiet.items():
        logging.getLogger(name).setLevel(max(level, least))


def _log_uncaught(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, traceback)
    else:
        structlog.get_logger().critical("uncaught", exc_info=error)
