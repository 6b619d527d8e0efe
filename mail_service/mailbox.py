"""Delivery reports from a mailbox, read by IMAP every few minutes, in a process of its own.

`python -m mail_service.mailbox` is that process, `supervise_reader` starts it again. A stranger can write each report.
A report that takes too much CPU or memory ends the process, and the next process continues. A report that could not be
read twice is set aside. A report about an email of ours is deleted. Everything else stays as it is, unread emails stay
unread.
"""

import asyncio
import imaplib
import os
import resource
import signal
import ssl
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple

import structlog
from sqlalchemy.exc import DataError, SQLAlchemyError

from mail_service.addresses import AddressHasher
from mail_service.bounces import ReportBook
from mail_service.logs import configure_logs
from mail_service.report_store import ReportStore
from mail_service.reports import LIMITS as REPORT_LIMITS
from mail_service.reports import parse_report
from mail_service.settings import ReportSettings
from mail_service.store import make_engine


class ReaderLimits(NamedTuple):
    """Times, sizes and numbers of the reader."""

    poll_seconds: float = 180.0
    restart_seconds: float = 5.0
    timeout_seconds: float = 30.0
    emails: int = 500  # of one look
    uids: int = 5_000  # of one search: the answer to more could exceed the library's longest line
    days: int = 30  # older emails are matched no more
    tries: int = 2
    cpu_seconds: int = 5  # of one report
    memory_bytes: int = 192 * 1024 * 1024  # below the limit of its container


LIMITS = ReaderLimits()
log = structlog.get_logger("mail_service")


async def supervise_reader(command: Sequence[str] = (sys.executable, "-m", "mail_service.mailbox")) -> None:
    """Run the reader until cancelled, and start it again when it ends."""
    while True:
        child = await asyncio.create_subprocess_exec(*command)
        try:
            code = await child.wait()
        finally:
            if child.returncode is None:
                child.terminate()
                await child.wait()
        log.warning("report_reader_ended", code=code)
        await asyncio.sleep(LIMITS.restart_seconds)


async def read_reports(settings: ReportSettings) -> None:
    """Read until cancelled, or until the process that started this one is gone."""
    _limit_memory()
    engine = make_engine(settings.reader_database_url, 2)
    book = ReportBook(
        ReportStore(engine), AddressHasher(settings.hash_key.get_secret_value()), settings.sender[1].domain
    )
    mailbox = ReportMailbox(settings, book)
    parent, failing = os.getppid(), False
    while os.getppid() == parent:
        try:
            while await mailbox.read():
                continue
            if failing:
                log.info("mailbox_readable_again")
            failing = False
        except Exception as error:  # noqa: BLE001 - else nobody would read on; its words may have what was read
            if not failing:
                log.error("mailbox_not_readable", error=type(error).__name__)
            failing = True
        await asyncio.sleep(LIMITS.poll_seconds)


class ReportMailbox:
    """The mailbox that the envelope sender of our emails leads to."""

    def __init__(self, settings: ReportSettings, book: ReportBook) -> None:
        self._settings = settings
        self._book = book
        self.store = book.store

    async def read(self) -> bool:
        """Take the next new reports. Return whether more wait; False while another process reads.

        Raises `IMAP4.error`, `OSError` and `SQLAlchemyError`; a report that was not finished is read again.
        """
        async with self.store.hold_reader_lock() as may_read:
            return may_read and await self._read_folder()

    async def _read_folder(self) -> bool:
        with self._open_folder() as client:
            last = await self.store.open_mailbox(self._name_mailbox(client))
            newest = _read_number(client, "UIDNEXT") - 1
            found, searched = _find_new(client, last, newest)
            for uid in found[: LIMITS.emails]:
                is_ours = await self._take_report(client, uid)
                await self.store.finish_report(uid)
                if is_ours:
                    _delete(client, uid)
            end = searched if len(found) <= LIMITS.emails else found[LIMITS.emails - 1]
            await self.store.finish_look(end, max(newest - end, 0))
        return end < newest

    async def _take_report(self, client: imaplib.IMAP4, uid: int) -> bool:
        """Return whether it is about an email of ours. After its last try a report is set aside."""
        while await self.store.begin_report() <= LIMITS.tries:
            try:
                raw = _fetch(client, uid)
                with _limit_cpu():
                    report = parse_report(raw)
                return report is not None and await self._book.take_report(report)
            except Exception as error:  # of any parser; its words may have what was read
                if _ends_the_look(error):
                    raise
                log.warning("report_not_read", error=type(error).__name__)
        log.error("report_set_aside")
        await self.store.count("set_aside")
        return False

    def _name_mailbox(self, client: imaplib.IMAP4) -> str:
        """Return a name without the login, which often is an address."""
        settings = self._settings
        whole = (settings.report_imap_host, settings.report_imap_username, settings.report_imap_folder)
        return f"{sha256(repr(whole).encode()).hexdigest()[:32]}:{_read_number(client, 'UIDVALIDITY')}"

    @contextmanager
    def _open_folder(self) -> Iterator[imaplib.IMAP4]:
        settings = self._settings
        host, port = str(settings.report_imap_host), settings.report_imap_port
        context = ssl.create_default_context()
        if settings.report_imap_tls == "tls":
            client: imaplib.IMAP4 = imaplib.IMAP4_SSL(host, port, ssl_context=context, timeout=LIMITS.timeout_seconds)
        else:
            client = imaplib.IMAP4(host, port, timeout=LIMITS.timeout_seconds)
        with client:
            if settings.report_imap_tls == "starttls":
                client.starttls(context)
            password = settings.report_imap_password
            client.login(str(settings.report_imap_username), password.get_secret_value() if password else "")
            _check(client.select(f'"{settings.report_imap_folder}"'))
            yield client


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (LIMITS.memory_bytes, LIMITS.memory_bytes))


@contextmanager
def _limit_cpu() -> Iterator[None]:
    """End the process if what follows takes too long; the interpreter itself could not interrupt a pattern.

    By a timer, which counts from now: the kernel counts a limit of the whole process in clock ticks, which after
    minutes of CPU are seconds ahead of what the process can read.
    """
    signal.setitimer(signal.ITIMER_PROF, LIMITS.cpu_seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _ends_the_look(error: Exception) -> bool:
    """Return whether the connection is lost. The try counts: some servers hang up at an email that they cannot give."""
    lost = isinstance(error, SQLAlchemyError) and not isinstance(error, DataError)
    return lost or isinstance(error, imaplib.IMAP4.abort | OSError)


def _find_new(client: imaplib.IMAP4, last: int, newest: int) -> tuple[list[int], int]:
    """Return UIDs after `last`, oldest first, and the UID up to which was searched.

    By UID and day only: some servers answer NO, or nothing, to a search by header.
    """
    since = (datetime.now(UTC) - timedelta(days=LIMITS.days)).strftime("%d-%b-%Y")
    uids: list[int] = []
    while last < newest and not uids:
        end = min(last + LIMITS.uids, newest)
        found = _check(client.uid("SEARCH", "UID", f"{last + 1}:{end}", "SINCE", since))
        uids = sorted(int(uid) for line in found if isinstance(line, bytes) for uid in line.split())
        last = end
    return uids, last


def _read_number(client: imaplib.IMAP4, name: str) -> int:
    """Return a number of the answer to SELECT (RFC 3501, 6.3.1)."""
    value = client.response(name)[1][0]
    if value is None:
        raise imaplib.IMAP4.error(f"the server does not tell {name}")
    return int(value)


def _fetch(client: imaplib.IMAP4, uid: int) -> bytes:
    """Return the beginning of an email, without marking it as read; empty if it is gone."""
    found = _check(client.uid("FETCH", str(uid), f"(BODY.PEEK[]<0.{REPORT_LIMITS.email_bytes}>)"))
    return next((part[1] for part in found if isinstance(part, tuple)), b"")


def _delete(client: imaplib.IMAP4, uid: int) -> None:
    """A server without UIDPLUS could only delete what others marked, too: there the email stays marked.

    A read-only folder keeps it.
    """
    status, _ = client.uid("STORE", str(uid), "+FLAGS.SILENT", r"(\Deleted)")
    if status != "OK":
        return
    if b"UIDPLUS" in _check(client.capability())[0].upper().split():  # `capabilities` is of before the login
        _check(client.uid("EXPUNGE", str(uid)))


def _check(answer: tuple[str, list[Any]]) -> list[Any]:
    status, data = answer
    if status != "OK":
        raise imaplib.IMAP4.error("the server refused a command")
    return data


if __name__ == "__main__":
    configure_logs()
    with suppress(KeyboardInterrupt):
        asyncio.run(read_reports(ReportSettings.from_environ()))
