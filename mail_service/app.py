"""The HTTP side. One service call per handler; every answer other than success is problem+json (RFC 9457)."""

import asyncio
import hmac
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Literal, TypeVar

import msgspec
import structlog
from jinja2 import Environment
from litestar import Litestar, MediaType, Request, Response, get, post
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.params import FromPath, FromQuery
from sqlalchemy.exc import SQLAlchemyError

from mail_service.bounces import ReportBook
from mail_service.catalogue import TEMPLATES
from mail_service.errors import MailProblem
from mail_service.languages import LANGUAGES, choose_language
from mail_service.mailbox import supervise_reader
from mail_service.rendering import CARD_ID, RenderedEmail, make_environment
from mail_service.report_store import ReportStore
from mail_service.sending import (
    KEY,
    EmailSender,
    SendRequest,
    SentEmail,
    SuppressedRequest,
    database_unavailable,
)
from mail_service.settings import MailServiceSettings
from mail_service.store import MailStore
from mail_service.tracing import make_traces, watch_statements
from mail_service.variables import TemplateVariable, VariableKind, format_origin
from mail_service.webhooks import take_mailgun, take_sendgrid, take_signed

log = structlog.get_logger("mail_service")
AnyRequest = Request[Any, Any, State]
Body = TypeVar("Body")


def _get_sender(state: State) -> EmailSender:
    sender: EmailSender = state.sender
    return sender


def _check_token(request: AnyRequest, settings: MailServiceSettings) -> None:
    """Constant time, and 401 before anything of the request is looked at."""
    given = request.headers.get("authorization", "")
    wanted = f"Bearer {settings.token.get_secret_value()}"
    if not hmac.compare_digest(given.encode("latin-1", "replace"), wanted.encode()):
        raise MailProblem(401, "unauthorized", "The bearer token is missing or wrong.")


def _check_position(after: int) -> None:
    """Check that the database has such numbers."""
    if not 0 <= after < 2**63:
        raise MailProblem(400, "bad_number", "after needs a number that was given here.")


@post("/send", status_code=200)
async def send_email(request: AnyRequest, state: State) -> dict[str, Any]:
    _check_token(request, state.settings)
    key = request.headers.get("idempotency-key")
    if key is None:
        raise MailProblem(400, "missing_idempotency_key", "The header Idempotency-Key is missing.")
    outcome = await _get_sender(state).send_email(key, await _read_body(request, SendRequest))
    if isinstance(outcome, SentEmail):
        return {"messageId": outcome.message_id, "duplicate": outcome.duplicate}
    return {"suppressed": True}


async def _read_body(request: AnyRequest, kind: type[Body]) -> Body:
    try:
        return msgspec.json.decode(await request.body(), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # The decoder's text may quote the body.
        raise MailProblem(400, "malformed", "The body is not the JSON object that is expected.") from None


@post("/preview", status_code=200)
async def preview_email(request: AnyRequest, state: State) -> dict[str, str]:
    """Render the body of a `/send`, and send nothing."""
    _check_token(request, state.settings)
    rendered = _get_sender(state).preview_email(await _read_body(request, SendRequest))
    return {"subject": rendered.subject, "text": rendered.text}


@post("/suppressed", status_code=200)
async def list_suppressed(request: AnyRequest, state: State) -> dict[str, list[bool]]:
    """Return in order whether each address asked for no more email."""
    _check_token(request, state.settings)
    asked = await _read_body(request, SuppressedRequest)
    return {"suppressed": await _get_sender(state).find_suppressed(asked.emails)}


@get("/messages/{key:str}")
async def show_message(key: FromPath[str], request: AnyRequest, state: State) -> dict[str, str]:
    _check_token(request, state.settings)
    known = await _get_sender(state).store.find_key(key) if KEY.fullmatch(key) else None
    if known is None:
        raise MailProblem(404, "unknown_key", "No email with this key is under way or was sent.")
    return {"status": known.state, "messageId": known.message_id}


@get("/bounces")
async def list_bounces(request: AnyRequest, state: State, after: FromQuery[int] = 0) -> dict[str, Any]:
    """Emails that came back, recorded after this number; up to 500."""
    _check_token(request, state.settings)
    _check_position(after)
    found = await _get_sender(state).store.list_bounces(after)
    return {"bounces": [{"number": each.number, "key": each.key, "reason": each.reason} for each in found]}


@get("/reports")
async def show_reports(request: AnyRequest, state: State) -> dict[str, Any]:
    """How delivery reports are read. `mailbox`: null if none was ever read; counts only rise."""
    _check_token(request, state.settings)
    book: ReportBook = state.reports
    health = await book.store.read_health()
    looked = health.good_look_at
    mailbox = {
        "unread": health.unread,
        "lastGoodLook": None if looked is None else looked.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    return {
        "mailbox": None if health.unread is None else mailbox,
        "counts": {
            "taken": health.counts["taken"],
            "unmatched": health.counts["unmatched"],
            "setAside": health.counts["set_aside"],
            "notComplaints": health.counts["other_feedback"],
            "unreadable": health.counts["unreadable"],
        },
    }


@get("/smtp")
async def check_smtp(request: AnyRequest, state: State) -> dict[str, str]:
    """Return whether the SMTP server accepts us, or the error of `/send`. Readiness does not depend on it."""
    _check_token(request, state.settings)
    await _get_sender(state).check_smtp()
    return {"status": "ok"}


@get("/templates")
async def list_templates(state: State) -> dict[str, Any]:
    """`links`: the origins that a variable of the type may lead to."""
    origins = _get_sender(state).renderer.origins
    return {
        "links": {
            VariableKind.URL.value: [format_origin(origins.app)],
            VariableKind.GIFT_LINK.value: [format_origin(each) for each in origins.gifts],
        },
        "templates": [
            {
                "name": template.name,
                "version": template.version,
                "category": template.category,
                "variables": [_describe_variable(variable) for variable in template.variables],
            }
            for template in TEMPLATES.values()
        ],
    }


def _describe_variable(variable: TemplateVariable) -> dict[str, Any]:
    described: dict[str, Any] = {
        "name": variable.name,
        "type": variable.kind.value,
        "required": variable.required,
        "mayBeEmpty": variable.blank,
        "description": variable.description,
    }
    if variable.columns:
        described["items"] = [_describe_variable(column) for column in variable.columns]
    return described


@get("/templates/{name:str}/preview", media_type=MediaType.HTML)
async def preview_template(
    name: FromPath[str],
    state: State,
    part: FromQuery[str] = "html",
    role: FromQuery[str | None] = None,
    language: FromQuery[str] = "en",
) -> Response[str]:
    """With sample data; `role` and `language` show other wordings, `part=text` the plain text part."""
    template = TEMPLATES.get(name)
    if template is None:
        raise MailProblem(404, "unknown_template", "There is no template of this name.")
    rendered = _get_sender(state).renderer.render_sample(template, role, language)
    if part == "text":
        return Response(f"Subject: {rendered.subject}\n\n{rendered.text}", media_type=MediaType.TEXT)
    return _make_page(_show_card(rendered))


@get("/unsubscribe/{token:str}", media_type=MediaType.HTML)
async def ask_unsubscribe(token: FromPath[str], request: AnyRequest, state: State) -> Response[str]:
    """Changes nothing: mail scanners open every link (RFC 8058, 3.2)."""
    sender = _get_sender(state)
    address_hash = sender.hasher.read_unsubscribe_token(token)
    if address_hash is None:
        return _make_unsubscribe_page(request, "unknown")
    try:
        stopped = await sender.store.is_suppressed(address_hash)
    except SQLAlchemyError as error:  # the button says so then
        log.error("database_unavailable", error=type(error).__name__)
        stopped = False
    return _make_unsubscribe_page(request, "stopped" if stopped else "ask", token)


@post("/unsubscribe/{token:str}", media_type=MediaType.HTML, status_code=200)
async def stop_emails(token: FromPath[str], request: AnyRequest, state: State) -> Response[str]:
    """One click of a mail program or of the page's button; the body does not matter."""
    sender = _get_sender(state)
    address_hash = sender.hasher.read_unsubscribe_token(token)
    if address_hash is None:
        return _make_unsubscribe_page(request, "unknown")
    try:
        await sender.store.suppress_address(address_hash)
    except SQLAlchemyError as error:
        log.error("database_unavailable", error=type(error).__name__)
        return _make_unsubscribe_page(request, "later")
    log.info("unsubscribed")
    return _make_unsubscribe_page(request, "done", token)


@post("/unsubscribe/{token:str}/undo", media_type=MediaType.HTML, status_code=200)
async def subscribe_again(token: FromPath[str], request: AnyRequest, state: State) -> Response[str]:
    """For whoever stopped emails by mistake, and would not hear when it is time to act."""
    sender = _get_sender(state)
    address_hash = sender.hasher.read_unsubscribe_token(token)
    if address_hash is None:
        return _make_unsubscribe_page(request, "unknown")
    try:
        await sender.store.forget_suppression(address_hash)
    except SQLAlchemyError as error:
        log.error("database_unavailable", error=type(error).__name__)
        return _make_unsubscribe_page(request, "back_later")
    log.info("subscribed_again")
    return _make_unsubscribe_page(request, "back")


@get("/forget/{token:str}", media_type=MediaType.HTML)
async def ask_forget(token: FromPath[str], request: AnyRequest, state: State) -> Response[str]:
    """Changes nothing, as for unsubscribing."""
    sender = _get_sender(state)
    asked = sender.hasher.read_forget_token(token)
    if asked is None:
        return _make_forget_page(request, "unknown")
    try:
        done = await sender.store.is_forgotten(asked[1])
    except SQLAlchemyError as error:  # the button says so then
        log.error("database_unavailable", error=type(error).__name__)
        done = False
    return _make_forget_page(request, "done" if done else "ask", token)


@post("/forget/{token:str}", media_type=MediaType.HTML, status_code=200)
async def forget_address(token: FromPath[str], request: AnyRequest, state: State) -> Response[str]:
    """Stops emails at once; callers erase the address when they next read `/forgotten`."""
    sender = _get_sender(state)
    asked = sender.hasher.read_forget_token(token)
    if asked is None:
        return _make_forget_page(request, "unknown")
    try:
        await sender.store.forget_address(*asked)
    except SQLAlchemyError as error:
        log.error("database_unavailable", error=type(error).__name__)
        return _make_forget_page(request, "later")
    log.info("asked_to_be_forgotten")
    return _make_forget_page(request, "done", token)


@post("/forget/{token:str}/undo", media_type=MediaType.HTML, status_code=200)
async def remember_address(token: FromPath[str], request: AnyRequest, state: State) -> Response[str]:
    """For whoever changes their mind. An address that was erased meanwhile has to be given again."""
    sender = _get_sender(state)
    asked = sender.hasher.read_forget_token(token)
    if asked is None:
        return _make_forget_page(request, "unknown")
    try:
        await sender.store.forget_suppression(asked[0])
    except SQLAlchemyError as error:
        log.error("database_unavailable", error=type(error).__name__)
        return _make_forget_page(request, "back_later")
    log.info("subscribed_again")
    return _make_forget_page(request, "back")


@get("/forgotten")
async def list_forgotten(request: AnyRequest, state: State, after: FromQuery[int] = 0) -> dict[str, Any]:
    """References of addresses that are to be erased, up to 1,000 after a position."""
    _check_token(request, state.settings)
    _check_position(after)
    rows = await _get_sender(state).store.list_forgotten(after)
    return {"addresses": [{"position": row.position, "reference": row.reference.hex()} for row in rows]}


@get("/health/live", sync_to_thread=False)
def show_liveness() -> dict[str, str]:
    return {"status": "ok"}


@get("/health/ready")
async def show_readiness(state: State) -> dict[str, str]:
    if not await _get_sender(state).store.accepts_writes():
        raise database_unavailable()
    return {"status": "ok"}


def _show_card(rendered: RenderedEmail) -> str:
    """Return the HTML with its card inside: a browser finds no other part of the email."""
    if rendered.card is None:
        return rendered.html
    return rendered.html.replace(f"cid:{CARD_ID}", f"data:image/png;base64,{b64encode(rendered.card).decode()}")


def _make_page(html: str, status: int = 200) -> Response[str]:
    """A page for people: no script, and nothing loaded from elsewhere."""
    headers = {
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; "
        "frame-ancestors 'none'; base-uri 'none'",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }
    return Response(html, status_code=status, media_type=MediaType.HTML, headers=headers)


@lru_cache(maxsize=len(LANGUAGES))
def _get_pages(language: str) -> Environment:
    return make_environment("pages", language)


def _make_unsubscribe_page(
    request: AnyRequest,
    state: Literal["ask", "stopped", "done", "later", "back", "back_later", "unknown"],
    token: str = "",
) -> Response[str]:
    """`token`: a checked token for the way back."""
    language = choose_language(request.headers.get("accept-language", ""))
    sender = request.app.state.settings.organisation
    html = _get_pages(language).get_template("unsubscribe.html").render(state=state, token=token, organisation=sender)
    return _make_page(html, {"unknown": 404, "later": 503, "back_later": 503}.get(state, 200))


def _make_forget_page(
    request: AnyRequest, state: Literal["ask", "done", "later", "back", "back_later", "unknown"], token: str = ""
) -> Response[str]:
    """`token`: a checked token for the way back."""
    language = choose_language(request.headers.get("accept-language", ""))
    sender = request.app.state.settings.organisation
    html = _get_pages(language).get_template("forget.html").render(state=state, token=token, organisation=sender)
    return _make_page(html, {"unknown": 404, "later": 503, "back_later": 503}.get(state, 200))


def _refuse_request(request: AnyRequest, problem: MailProblem) -> Response[dict[str, Any]]:
    """Callers give an email up that is refused as wrong, so the log says what to repair, but nothing of the email."""
    key = request.headers.get("idempotency-key", "")
    if request.url.path == "/send" and problem.status in (400, 413, 422) and KEY.fullmatch(key):
        log.warning("refused", key=key, status=problem.status, code=problem.code, pointer=problem.pointer)
    return _make_problem(problem)


def _make_problem(problem: MailProblem) -> Response[dict[str, Any]]:
    body: dict[str, Any] = {
        "type": f"urn:mail-service:problem:{problem.code}",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "detail": problem.detail,
        "code": problem.code,
    }
    if problem.pointer is not None:
        body["errors"] = [{"pointer": problem.pointer, "detail": problem.detail}]
    headers = {} if problem.retry_after is None else {"Retry-After": str(problem.retry_after)}
    if problem.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return Response(body, status_code=problem.status, headers=headers, media_type="application/problem+json")


def _on_http_error(request: AnyRequest, error: HTTPException) -> Response[dict[str, Any]]:
    status = HTTPStatus(error.status_code)
    # Newer versions of Python have another name for 413.
    code = "request_entity_too_large" if status == 413 else status.name.lower()
    return _refuse_request(request, MailProblem(status, code, status.phrase))


def _on_database_error(_: AnyRequest, error: SQLAlchemyError) -> Response[dict[str, Any]]:
    log.error("database_unavailable", error=type(error).__name__)
    return _make_problem(database_unavailable())


def _on_bug(_: AnyRequest, error: Exception) -> Response[dict[str, Any]]:
    """Says where, never what: the text of an exception can hold an address."""
    frames = []
    trace = error.__traceback__
    while trace is not None:
        frames.append(f"{trace.tb_frame.f_code.co_name}:{trace.tb_lineno}")
        trace = trace.tb_next
    log.error("bug", error=type(error).__name__, frames=frames[-5:])
    return _make_problem(MailProblem(500, "internal", "Something went wrong here."))


def create_app(settings: MailServiceSettings) -> Litestar:
    """The service. It migrates its schema when it starts. Raises `MailMisconfigured` without packages for traces.

    The reader of reports runs beside it if there is a mailbox.
    """
    traces = make_traces(settings.otel_endpoint)

    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncIterator[None]:
        async with (
            MailStore.open(settings.database_url.get_secret_value(), settings.smtp_pool_size + 5) as store,
            watch_statements(traces, store.engine),
            EmailSender(settings, store) as sender,
        ):
            app.state.sender = sender
            app.state.reports = ReportBook(ReportStore(store.engine), sender.hasher, settings.sender[1].domain)
            reading = asyncio.create_task(supervise_reader()) if settings.report_imap_host else None
            try:
                yield
            finally:
                if reading is not None:
                    reading.cancel()
                    await asyncio.gather(reading, return_exceptions=True)

    return Litestar(
        route_handlers=[
            send_email,
            preview_email,
            list_suppressed,
            show_message,
            list_bounces,
            show_reports,
            take_signed,
            take_mailgun,
            take_sendgrid,
            check_smtp,
            list_templates,
            preview_template,
            ask_unsubscribe,
            stop_emails,
            subscribe_again,
            ask_forget,
            forget_address,
            remember_address,
            list_forgotten,
            show_liveness,
            show_readiness,
        ],
        lifespan=[lifespan],
        middleware=[traces.make_middleware] if traces else [],
        state=State({"settings": settings}),
        exception_handlers={
            MailProblem: _refuse_request,
            HTTPException: _on_http_error,
            SQLAlchemyError: _on_database_error,
            Exception: _on_bug,
        },
        request_max_body_size=256 * 1024,
        openapi_config=None,
        logging_config=None,
    )
