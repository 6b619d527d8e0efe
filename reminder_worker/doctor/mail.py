"""Findings about the mail service: token, emails, links, clock, and its SMTP server."""

import time
from collections.abc import Iterator
from datetime import timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Final
from uuid import uuid4

import msgspec
from pydantic import SecretStr
from pyreqwest.client import Client
from pyreqwest.exceptions import PyreqwestError

from reminder_worker import strict_json
from reminder_worker.doctor import Finding
from reminder_worker.monitoring.facts import LIMITS
from reminder_worker.monitoring.rules import is_mailbox_overdue, matches_nothing, was_set_aside_lately
from reminder_worker.outbox.delivery_reports import ReportReading
from reminder_worker.outbox.mail_client import http_client, list_causes, read_answer, read_header
from reminder_worker.outbox.messages import TEMPLATE_VERSION, AlertKind, GiftKind, ReminderKind, format_duration
from reminder_worker.settings import MailSettings, Settings

_WITHIN: Final = timedelta(seconds=10)


class MailTemplate(msgspec.Struct):
    name: str
    version: int


class LinkOrigins(msgspec.Struct):
    url: list[str]
    gift_link: list[str]


class MailCatalogue(msgspec.Struct):
    """Emails of a mail service. `links`: allowed origins of links by type, None if it does not show them."""

    templates: list[MailTemplate]
    links: LinkOrigins | None = None


class SmtpStatus(msgspec.Struct):
    """Either `status`, or a problem whose `code` and `detail` are those of an email that would meet the same."""

    status: str | int = ""
    code: str = ""
    detail: str = ""


async def examine_mail(settings: Settings) -> Finding:
    """Ask about a key without an email, then for the catalogue. A 404 means that address and token are right."""
    if settings.mail is None:
        return "mail", None, "not configured (MAIL_URL, MAIL_TOKEN): no email is sent"
    try:
        async with http_client(settings.mail) as client:
            asked = client.get(f"{settings.mail.url}/messages/{uuid4()}").timeout(_WITHIN)
            async with asked.build_streamed() as response:
                status, date = response.status, read_header(response, "Date")
            if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
                return "mail", False, "refuses our token: see MAIL_TOKEN"
            if status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                return "mail", False, f"answers with {status}: see its own log"
            if status != HTTPStatus.NOT_FOUND:
                return "mail", False, f"answers with {status}: is MAIL_URL a mail service?"
            catalogue = await _read_catalogue(client, settings.mail)
            smtp = await _read_smtp_status(client, settings.mail)
            known = catalogue is not None or await _checks_tokens(settings.mail)
    except PyreqwestError as error:
        return "mail", False, f"does not answer ({list_causes(error)[-1]}): see MAIL_URL, is it running?"
    wrong = _compare_clock(date)
    if wrong is not None:
        return "mail", False, wrong
    problem = catalogue and _find_catalogue_fault(catalogue, settings)
    if problem or smtp.code:
        return "mail", False, problem or f"answers, but the SMTP server does not let it in: {smtp.detail}"
    if not known:
        return "mail", None, "answers 404 whatever the token: is the path of MAIL_URL right?"
    if catalogue is None:
        return "mail", True, "answers and knows our token, but does not say which emails it writes"
    let_in = ", its SMTP server lets it in" if smtp.status == "ok" else ""
    return "mail", True, f"answers, knows our token and writes our emails{let_in}"


def find_chains_without_mail(settings: Settings) -> Iterator[Finding]:
    """Yield test chains without an allowlist: their emails are all dropped."""
    if settings.mail is None or settings.mail.allowlist or settings.is_local:
        return
    for chain in settings.chains:
        if chain.is_test_chain:
            words = "a test chain, and MAIL_ALLOWLIST is empty: no email about it is sent"
            yield f"chain {chain.chain_id} mail", None, words


def find_unlisted_links(settings: Settings) -> Iterator[Finding]:
    """Yield what keeps the page of emails from listing every address that emails link to."""
    if settings.mail is not None and settings.service.mail_public_url is None:
        words = "MAIL_SERVICE_PUBLIC_URL is not set, so the page does not list the addresses that emails link to"
        yield "page of emails", None, words


def describe_reports(reports: ReportReading | None) -> Finding:
    """Describe the delivery reports, as the pass `bounces` last read them from the mail service."""
    part = "delivery reports"
    if reports is None:
        return part, None, "the mail service does not say whether it reads any, or was not asked yet"
    counts = f"so far {reports.taken} taken, {reports.unmatched} of no email of ours, {reports.set_aside} set aside"
    if matches_nothing(reports):
        return (
            part,
            False,
            f"no report names an email of ours, {counts}: see REPORT_ADDRESS of the mail service",
        )
    if reports.unread is None:
        return part, None, f"no mailbox is read (REPORT_IMAP_HOST of the mail service); {counts}"
    waiting = f"{reports.unread} unread, {counts}"
    if was_set_aside_lately(reports):
        return (
            part,
            False,
            f"the reading of one failed twice in the last day; {waiting}: see reports_not_read in the runbook",
        )
    if reports.look_age is None:
        return part, None, f"the mailbox was not read yet; {waiting}"
    words = f"the mailbox was last read {format_duration(reports.look_age)} ago; {waiting}"
    if is_mailbox_overdue(reports):
        return part, False, f"{words}: see reports_not_read in the runbook"
    return part, True, words


async def _checks_tokens(mail: MailSettings) -> bool:
    """Return True if a wrong token gets no 404: without a mail service at this address every token gets 404."""
    wrong_token = mail.model_copy(update={"token": SecretStr(str(uuid4()))})
    async with (
        http_client(wrong_token) as client,
        client.get(f"{mail.url}/messages/{uuid4()}").timeout(_WITHIN).build_streamed() as response,
    ):
        return response.status != HTTPStatus.NOT_FOUND


async def _read_catalogue(client: Client, mail: MailSettings) -> MailCatalogue | None:
    async with client.get(f"{mail.url}/templates").timeout(_WITHIN).build_streamed() as response:
        if response.status != HTTPStatus.OK:
            return None
        try:
            return msgspec.json.decode(await read_answer(response, 1024 * 1024), type=MailCatalogue)
        except strict_json.NOT_JSON:
            return None


async def _read_smtp_status(client: Client, mail: MailSettings) -> SmtpStatus:
    """Ask our own mail service about its SMTP server. Words of any other mail service are not shown."""
    within = timedelta(seconds=30)  # the reference takes 20 s at most
    try:
        async with client.get(f"{mail.url}/smtp").timeout(within).build_streamed() as response:
            said = msgspec.json.decode(await read_answer(response, 4096), type=SmtpStatus)
    except (PyreqwestError, *strict_json.NOT_JSON):
        return SmtpStatus()
    ours = said.status == "ok" or (said.code.startswith("smtp_") and said.detail.isprintable())
    return said if ours else SmtpStatus()


def _compare_clock(date: str) -> str | None:
    """Compare the date of the answer with our clock: mail programs hide emails with a wrong date, or call them spam."""
    try:
        ahead = parsedate_to_datetime(date).timestamp() - time.time()
    except (ValueError, OverflowError):
        return None  # nobody has to say it
    if abs(ahead) <= LIMITS.clocks_within:
        return None
    where = "ahead of" if ahead > 0 else "behind"
    return f"dates emails {format_duration(round(abs(ahead)))} {where} this machine's clock: set the one that is wrong"


def _find_catalogue_fault(catalogue: MailCatalogue, settings: Settings) -> str | None:
    """Find emails that the mail service does not write, and links that it would refuse as malformed."""
    wanted = {kind.value for kind in ReminderKind}
    if settings.gifts is not None:
        wanted |= {kind.value for kind in GiftKind}
    if settings.ops.email is not None:
        wanted |= {kind.value for kind in AlertKind}
    wanted -= {each.name for each in catalogue.templates if each.version == TEMPLATE_VERSION}
    links = catalogue.links
    if wanted:
        return f"does not write {', '.join(sorted(wanted))} in version {TEMPLATE_VERSION}: is it older than this?"
    if links is not None and settings.service.app_origin not in links.url:
        return "refuses links to our APP_ORIGIN: give it the same"
    if links is not None and settings.gifts is not None and not set(settings.gifts.origins) <= set(links.gift_link):
        return "refuses links to some of our GIFT_ORIGINS: give it the same"
    return None
