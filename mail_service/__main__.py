"""`python -m mail_service`: serve until SIGTERM or Ctrl-C, then finish requests under way.

`python -m mail_service reports` only reads delivery reports from a mailbox, in a child process. The first command reads
them, too, if `REPORT_IMAP_HOST` is set.

The service has no limits for slow or endless requests: clients must reach it through a proxy that forwards whole
requests only, as deploy/proxy does.

Exit codes: 0 stopped by Ctrl-C (by SIGTERM: that signal), 1 could not start, 2 the settings are not usable.
"""

import asyncio
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

import structlog
import uvicorn
from sqlalchemy.exc import SQLAlchemyError

from mail_service.app import create_app
from mail_service.encryption import read_link
from mail_service.logs import configure_logs
from mail_service.mailbox import supervise_reader
from mail_service.settings import MailMisconfigured, MailServiceSettings, ReportSettings
from mail_service.store import MailStore


async def _migrate_database(settings: MailServiceSettings) -> None:
    """Migrate before listening: a missing database is then reported in one line."""
    async with MailStore.open(settings.database_url.get_secret_value(), 1) as store:
        link = await read_link(store.engine)
    if not link.is_safe:
        log = structlog.get_logger("mail_service")
        log.warning("database_link_unsafe", encrypted=link.encrypted, sslmode=link.sslmode)


async def _supervise_until_stopped() -> None:
    task = asyncio.ensure_future(supervise_reader())
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    with suppress(asyncio.CancelledError):
        await task


def _read_reports() -> int:
    settings = ReportSettings.from_environ()
    if settings.report_imap_host is None:
        raise MailMisconfigured("REPORT_IMAP_HOST: missing: no mailbox to read is configured")
    structlog.get_logger("mail_service").info("reading_reports", host=settings.report_imap_host)
    with suppress(KeyboardInterrupt):
        asyncio.run(_supervise_until_stopped())
    return 0


def main(arguments: Sequence[str] = ()) -> int:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as of a script's background process
        signal.signal(signal.SIGINT, signal.default_int_handler)
    configure_logs()
    try:
        if list(arguments) == ["reports"]:
            return _read_reports()
        if arguments:
            raise MailMisconfigured("python -m mail_service [reports]")
        settings = MailServiceSettings.from_environ()
        app = create_app(settings)
    except MailMisconfigured as error:
        sys.stderr.write(f"{error}\n")
        return 2
    try:
        asyncio.run(_migrate_database(settings))
    except SQLAlchemyError as error:
        sys.stderr.write(f"MAIL_SERVICE_DATABASE_URL: the database cannot be used ({type(error).__name__})\n")
        return 1
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        access_log=False,
        log_config=None,
        server_header=False,
        timeout_graceful_shutdown=30,
    )
    server = uvicorn.Server(config)
    structlog.get_logger("mail_service").info("starting", host=settings.host, port=settings.port)
    with suppress(KeyboardInterrupt, SystemExit):  # the latter with a code of its own when its port is busy
        server.run()
    return 0 if server.started else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
