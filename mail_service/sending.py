"""One email from request to SMTP, at most once per Idempotency-Key."""

import asyncio
import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Annotated, Any

import msgspec
import structlog
from sqlalchemy.exc import SQLAlchemyError

from mail_service.addresses import MARK_FIELD, AddressHasher, parse_address
from mail_service.catalogue import Category, EmailTemplate
from mail_service.errors import MailProblem
from mail_service.rendering import EmailRenderer, RenderedEmail, check_display_name, compose_message
from mail_service.settings import MailServiceSettings
from mail_service.smtp import ClaimLost, InDoubt, SmtpEnvelope, SmtpPool, make_busy
from mail_service.store import KeyClaim, KnownKey, MailStore, SuppressedEmail

KEY = re.compile(r"[A-Za-z0-9._~:-]{1,200}")
SAMPLE_NUMBER = "0000-0000-0000-0000"
_BEAT_SECONDS = 5.0
_BEATS_PER_HOUR = 720

log = structlog.get_logger("mail_service")


class EmailRecipient(msgspec.Struct, forbid_unknown_fields=True):
    email: str
    name: str = ""


class SendRequest(msgspec.Struct, forbid_unknown_fields=True, rename="camel", omit_defaults=True):
    """Body of `POST /send`. A default is not encoded, so that a stored body of an earlier release keeps its hash.

    `language`: a BCP 47 tag; the language of the email, English where the service does not speak it.

    `time_zone`: an IANA name; the zone in which the email shows days, UTC only where the service does not know it.

    `reference`: the caller's own reference of the address, 64 hex digits. `GET /forgotten` returns it when the address
    is to be forgotten. Without it the email has no link for that.

    `number`: the random number of this email, to be printed in it.
    """

    template: str
    template_version: int
    to: EmailRecipient
    variables: dict[str, Any]
    category: Category
    language: Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8}){0,7}\\Z", max_length=71)] = "en"
    time_zone: Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9_+/-]*\\Z", max_length=64)] = ""
    reference: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")] | None = None
    number: Annotated[str, msgspec.Meta(pattern="^[0-9A-Z]{4}(-[0-9A-Z]{4}){3}\\Z")] | None = None


class SuppressedRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Body of `POST /suppressed`: the addresses to look up."""

    emails: Annotated[list[str], msgspec.Meta(max_length=200)]


@dataclass(frozen=True, slots=True)
class SentEmail:
    """The SMTP server accepted the email; `duplicate`: at an earlier request with this key."""

    message_id: str
    duplicate: bool


def database_unavailable() -> MailProblem:
    return MailProblem(503, "database_unavailable", "The database does not answer. Nothing was sent.", retry_after=5)


def in_flight() -> MailProblem:
    return MailProblem(425, "in_flight", "An email with this key is being sent right now.", retry_after=2)


def in_doubt() -> MailProblem:
    detail = "Nobody can know whether the SMTP server accepted the email with this key. It is not sent again."
    return MailProblem(409, "in_doubt", detail)


class EmailSender:
    """Ties templates, key store and SMTP together. Use as an async context manager: it beats while open."""

    def __init__(self, settings: MailServiceSettings, store: MailStore) -> None:
        self.renderer = EmailRenderer(
            settings.app_origin,
            settings.gift_origins,
            settings.runbook_url,
            settings.organisation,
            settings.email_page_url,
        )
        self.hasher = AddressHasher(settings.hash_key.get_secret_value())
        self.store = store
        self._settings = settings
        self._sender = settings.sender
        self._smtp = SmtpPool(settings)
        self._deliveries: set[asyncio.Task[None]] = set()
        self._beating: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "EmailSender":
        self._beating = asyncio.create_task(self._keep_beating())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Waits for what is under way; what is not done by then is judged by the next instance."""
        if self._deliveries:
            await asyncio.wait(self._deliveries, timeout=25.0)
        for task in self._deliveries:
            task.cancel()
        await asyncio.gather(*self._deliveries, return_exceptions=True)
        if self._beating is not None:
            self._beating.cancel()
            await asyncio.gather(self._beating, return_exceptions=True)
        await self._smtp.close()

    async def send_email(self, key: str, request: SendRequest) -> SentEmail | SuppressedEmail:
        """Raises `MailProblem` for every other outcome. Goes on to the end when the caller hangs up."""
        if not KEY.fullmatch(key):
            raise MailProblem(
                400, "bad_idempotency_key", "Idempotency-Key needs 1 to 200 of the characters A-Z a-z 0-9 . _ ~ : -"
            )
        template = self._find_template(request)
        name = check_display_name(request.to.name)
        address = parse_address(request.to.email)
        message_id = self.hasher.make_message_id(key, self._sender[1].domain)
        mark = self.hasher.make_mark(message_id)
        suppressible = request.category != "ops"
        token = self.hasher.make_unsubscribe_token(address)
        unsubscribe_url = f"{self._settings.public_url}/unsubscribe/{token}" if suppressible else None
        in_body = unsubscribe_url if self._links_may_lead_to_us else None
        forget_url = None
        if suppressible and request.reference is not None:
            forget_token = self.hasher.make_forget_token(address, bytes.fromhex(request.reference))
            forget_url = f"{self._settings.public_url}/forget/{forget_token}"
        rendered = self.renderer.render_email(
            template,
            request.variables,
            in_body,
            request.language,
            forget_url,
            number=request.number,
            time_zone=request.time_zone,
        )
        content = compose_message(
            sender=self._sender,
            recipient=(name, address),
            message_id=message_id,
            rendered=rendered,
            unsubscribe_url=unsubscribe_url,
            provider_fields=_make_provider_fields(self._settings, mark),
        )
        if self._smtp.is_saturated:
            raise make_busy()
        if self.store.owes_too_much:
            raise database_unavailable()
        body_hash = self.hasher.hash_body(_encode_canonically(request))
        address_hash = self.hasher.hash_address(address) if suppressible else None
        try:
            claimed = await self.store.claim_key(key, body_hash, message_id, address_hash)
        except SQLAlchemyError:
            raise database_unavailable() from None
        if isinstance(claimed, SuppressedEmail):
            log.info("suppressed", template=template.name)
            return claimed
        if isinstance(claimed, KnownKey):
            return _answer_known(claimed, body_hash)
        envelope = SmtpEnvelope(self._settings.make_envelope_sender(mark), address, content)
        await self._deliver_shielded(claimed, envelope, template.name)
        return SentEmail(message_id, duplicate=False)

    def preview_email(self, request: SendRequest) -> RenderedEmail:
        """Render an email without sending it. Raises `MailProblem`.

        The reader of a preview is not its addressee. So number, unsubscribe link and link for erasure are samples
        without effect.
        """
        template = self._find_template(request)
        check_display_name(request.to.name)
        parse_address(request.to.email)
        unsubscribe_url, forget_url, number = None, None, None
        if request.category != "ops":
            forget_url, number = f"{self._settings.public_url}/forget/sample", SAMPLE_NUMBER
            if self._links_may_lead_to_us:
                unsubscribe_url = f"{self._settings.public_url}/unsubscribe/sample"
        return self.renderer.render_email(
            template, request.variables, unsubscribe_url, request.language, forget_url, number, request.time_zone
        )

    async def find_suppressed(self, emails: Sequence[str]) -> list[bool]:
        """Return in order whether each address asked for no more email. Raises `MailProblem` for a bad address."""
        hashes = [self.hasher.hash_address(parse_address(email)) for email in emails]
        found = await self.store.find_suppressed(hashes)
        return [each in found for each in hashes]

    def _find_template(self, request: SendRequest) -> EmailTemplate:
        template = self.renderer.find_template(request.template, request.template_version)
        if request.category != template.category:
            raise MailProblem(400, "wrong_category", "The template is of another category.", pointer="/category")
        return template

    async def check_smtp(self) -> None:
        """Raises the `MailProblem` that an email would meet before the SMTP server hears of it."""
        await self._smtp.check_login()

    async def _deliver_shielded(self, claim: KeyClaim, envelope: SmtpEnvelope, template: str) -> None:
        task = asyncio.create_task(self._deliver_email(claim, envelope, template))
        self._deliveries.add(task)
        task.add_done_callback(self._deliveries.discard)
        await asyncio.shield(task)

    async def _deliver_email(self, claim: KeyClaim, envelope: SmtpEnvelope, template: str) -> None:
        started = time.monotonic()
        outcome = "interrupted"  # by the end of this process: the next one judges
        detail = None  # with the codes of the SMTP server's reply
        may_be_out = False

        async def gate() -> bool:
            nonlocal may_be_out
            may_be_out = await self.store.hand_over(claim)
            return may_be_out

        try:
            await self._smtp.deliver(envelope, gate)
        except InDoubt:
            outcome = "in_doubt"
            await self.store.mark_in_doubt(claim)
            raise in_doubt() from None
        except ClaimLost:
            outcome = "claim_lost"
            raise in_flight() from None
        except SQLAlchemyError:
            outcome = "database_unavailable"
            await self.store.free_key(claim)
            raise database_unavailable() from None
        except MailProblem as problem:
            outcome, detail = problem.code, problem.detail
            await self.store.free_key(claim)
            raise
        except Exception:
            # A fault of ours or of the library's: the key must not stay under way for ever.
            outcome = "bug"
            await (self.store.mark_in_doubt(claim) if may_be_out else self.store.free_key(claim))
            raise
        else:
            outcome = "accepted"
            await self.store.mark_accepted(claim)
        finally:
            took = round(time.monotonic() - started, 3)
            log.info("send", key=claim.key, template=template, outcome=outcome, detail=detail, seconds=took)

    @property
    def _links_may_lead_to_us(self) -> bool:
        """Links in an email lead to the app's origin only; the header is for the mail program."""
        return self._settings.public_url.startswith(f"{self._settings.app_origin}/")

    async def _keep_beating(self) -> None:
        for beat in count():
            await asyncio.sleep(_BEAT_SECONDS)
            try:
                await self.store.beat()
                if beat % _BEATS_PER_HOUR == 0:
                    await self.store.forget_addresses()
            except SQLAlchemyError as error:
                log.warning("database_unavailable", error=type(error).__name__)


def _make_provider_fields(settings: MailServiceSettings, mark: str) -> list[str]:
    """Return header fields that let the webhook of a provider name the email, also if it replaces Message-IDs."""
    fields = []
    if settings.report_sendgrid_key is not None:
        fields.append("X-SMTPAPI: " + json.dumps({"unique_args": {MARK_FIELD: mark}}))
    if settings.report_mailgun_key is not None:
        fields.append("X-Mailgun-Variables: " + json.dumps({MARK_FIELD: mark}))
    return fields


def _answer_known(known: KnownKey, body_hash: bytes) -> SentEmail:
    if known.body_hash != body_hash:
        raise MailProblem(409, "idempotency_key_reused", "This key was used with another body.")
    if known.state == "accepted":
        return SentEmail(known.message_id, duplicate=True)
    raise in_doubt() if known.state == "in_doubt" else in_flight()


def _encode_canonically(request: SendRequest) -> bytes:
    """The same bytes for the same request, whatever the order of its fields."""
    return json.dumps(msgspec.to_builtins(request), sort_keys=True, separators=(",", ":")).encode()
