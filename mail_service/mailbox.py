"""Delivery reports from a mailbox, read by IMAP every few minutes.

A report about an email of ours is deleted. Everything else stays as it is, unread emails stay unread.
"""

import asyncio
import imaplib
import ssl
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import structlog

from mail_service.reports import MAX_BYTES, DeliveryReport, parse_report
from mail_service.settings import MailServiceSettings

POLL_SECONDS: Final = 180.0
_TIMEOUT_SECONDS = 30.0
_BATCH = 500
_DAYS = 30  # older emails are matched no more

log = structlog.get_logger("mail_service")
TakeReport = Callable[[DeliveryReport], Awaitable[bool]]


class ReportMailbox:
    """The mailbox that the envelope sender of our emails leads to."""

    def __init__(self, settings: MailServiceSettings, take: TakeReport) -> None:
        self._settings = settings
        self._take = take
        self._validity: bytes | None = None  # UIDs of another one are of another mailbox
        self._last_uid = 0

    async def watch(self) -> None:
        """Read until cancelled. A failure is logged when it begins and when it is over."""
        failing = False
        while True:
            try:
                await self.read()
                if failing:
                    log.info("mailbox_readable_again")
                failing = False
            except Exception as error:  # noqa: BLE001 - else nobody would read on; its words may have what was read
                if not failing:
                    log.error("mailbox_not_readable", error=type(error).__name__)
                failing = True
            await asyncio.sleep(POLL_SECONDS)

    async def read(self) -> int:
        """Take the new reports; return how many were about emails of ours.

        Raises `IMAP4.error`, `OSError` and `SQLAlchemyError`; what was not taken is read again the next time.
        """
        loop = asyncio.get_running_loop()

        def take(report: DeliveryReport) -> bool:
            return asyncio.run_coroutine_threadsafe(_await(self._take(report)), loop).result(timeout=60)

        return await asyncio.to_thread(self._read_folder, take)

    def _read_folder(self, take: Callable[[DeliveryReport], bool]) -> int:
        taken = 0
        with self._open_folder() as client:
            for uid in self._find_new(client):
                report = parse_report(_fetch(client, uid))
                if report is not None and take(report):
                    _delete(client, uid)
                    taken += 1
                self._last_uid = uid
        return taken

    @contextmanager
    def _open_folder(self) -> Iterator[imaplib.IMAP4]:
        settings = self._settings
        host, port = str(settings.report_imap_host), settings.report_imap_port
        context = ssl.create_default_context()
        if settings.report_imap_tls == "tls":
            client: imaplib.IMAP4 = imaplib.IMAP4_SSL(host, port, ssl_context=context, timeout=_TIMEOUT_SECONDS)
        else:
            client = imaplib.IMAP4(host, port, timeout=_TIMEOUT_SECONDS)
        with client:
            if settings.report_imap_tls == "starttls":
                client.starttls(context)
            password = settings.report_imap_password
            client.login(str(settings.report_imap_username), password.get_secret_value() if password else "")
            _check(client.select(f'"{settings.report_imap_folder}"'))
            validity = client.response("UIDVALIDITY")[1][0]
            if validity != self._validity:
                self._validity, self._last_uid = validity, 0
            yield client

    def _find_new(self, client: imaplib.IMAP4) -> list[int]:
        """Return UIDs of reports that were not read yet by this process, oldest first."""
        since = (datetime.now(UTC) - timedelta(days=_DAYS)).strftime("%d-%b-%Y")
        asked = ("UID", f"{self._last_uid + 1}:*", "SINCE", since, "HEADER", "Content-Type", "multipart/report")
        found = _check(client.uid("SEARCH", *asked))
        uids = sorted(int(uid) for line in found if isinstance(line, bytes) for uid in line.split())
        return [uid for uid in uids if uid > self._last_uid][:_BATCH]  # `n:*` names the last one in any case


async def _await(work: Awaitable[bool]) -> bool:
    return await work


def _fetch(client: imaplib.IMAP4, uid: int) -> bytes:
    """Return the beginning of an email, without marking it as read; empty if it is gone."""
    found = _check(client.uid("FETCH", str(uid), f"(BODY.PEEK[]<0.{MAX_BYTES}>)"))
    return next((part[1] for part in found if isinstance(part, tuple)), b"")


def _delete(client: imaplib.IMAP4, uid: int) -> None:
    """A server without UIDPLUS could only delete what others marked, too: there the email stays marked."""
    _check(client.uid("STORE", str(uid), "+FLAGS.SILENT", r"(\Deleted)"))
    if b"UIDPLUS" in _check(client.capability())[0].upper().split():  # `capabilities` is of before the login
        _check(client.uid("EXPUNGE", str(uid)))


def _check(answer: tuple[str, list[Any]]) -> list[Any]:
    status, data = answer
    if status != "OK":
        raise imaplib.IMAP4.error("the server refused a command")
    return data
