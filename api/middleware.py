"""Around every request, also those nothing is served for: an id, one log line, counters, security headers."""

import re
import time
from uuid import uuid4

import structlog
from litestar.enums import ScopeType
from litestar.response.base import ASGIResponse
from litestar.types import ASGIApp, Message, Receive, ReceiveMessage, Scope, Send

from api.clients import ClientAddresses, RateLimit
from api.metrics import RequestMetrics
from api.stats import CachedDocument, PublishedStats
from reminder_worker.errors import Malformed

log = structlog.get_logger(__name__)

SECURITY_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    # A page that opened ours loses its handle. A wallet's window that ours opens keeps the way back to it.
    (b"cross-origin-opener-policy", b"same-origin-allow-popups"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"strict-transport-security", b"max-age=63072000"),
    (b"x-content-type-options", b"nosniff"),
)
ID_HEADER = b"x-request-id"
Lines = list[tuple[bytes, bytes]]


def add_security_headers(lines: Lines) -> Lines:
    """With the security headers that are not among them."""
    given = {name for name, _ in lines}
    return [*lines, *(line for line in SECURITY_HEADERS if line[0] not in given)]


class RequestMiddleware:
    """The outermost ASGI application. Logs and counts routes, never paths: a path may hold anything."""

    def __init__(self, app: ASGIApp, clients: ClientAddresses, metrics: RequestMetrics) -> None:
        self._app = app
        self._clients = clients
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        if scope["method"] == "HEAD":  # as monitors and link previews ask; the server, which has its own, sends no body
            scope = scope.copy()
            scope["method"] = "GET"
        request_id, began, status = self.request_id(scope), time.perf_counter(), 500
        seconds: float | None = None  # until the answer begins: a stream of events may last minutes

        async def send_with_headers(message: Message) -> None:
            nonlocal status, seconds
            if message["type"] == "http.response.start":
                status, seconds = message["status"], time.perf_counter() - began
                given = [(name.lower(), value) for name, value in message["headers"]]
                others = [line for line in given if line[0] != ID_HEADER]
                message["headers"] = add_security_headers([*others, (ID_HEADER, request_id.encode())])
            await send(message)

        async def receive_whole() -> ReceiveMessage:
            message = await receive()
            if (
                message["type"] == "http.disconnect" and seconds is None
            ):  # which the framework takes for a fault of ours
                raise Malformed("The client left before its request was whole.")
            return message

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self._app(scope, receive_whole, send_with_headers)
            finally:
                seconds = time.perf_counter() - began if seconds is None else seconds
                route = str(scope.get("path_template") or "unmatched")
                method = scope["method"] if route != "unmatched" else "ANY"
                self._metrics.observe(method, route, status, seconds)
                client = self._clients.hash_client(scope)
                log.info("request", method=method, route=route, status=status, ms=int(seconds * 1000), client=client)

    def request_id(self, scope: Scope) -> str:
        """Return the id of a trusted proxy, which joins its log with ours, or a new id."""
        if self._clients.comes_from_proxy(scope):
            for name, value in scope["headers"]:
                if name == b"x-request-id" and re.fullmatch(rb"[A-Za-z0-9-]{8,64}", value):
                    return value.decode()
        return uuid4().hex


class ResponseCache:
    """The ASGI application in front of the middleware."""

    def __init__(
        self, middleware: RequestMiddleware, published: PublishedStats, limit: RateLimit, metrics: RequestMetrics
    ) -> None:
        self._middleware = middleware
        self._published = published
        self._limit = limit
        self._metrics = metrics
        self._lines: dict[ASGIResponse, Lines] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()
        document = self._find_document(scope)
        if document is None or not self._limit.counted_at_once(scope):
            await self._middleware(scope, receive, send)
            return
        known = [value for name, value in scope["headers"] if name == b"if-none-match"]
        answer = document.answer(b", ".join(known).decode("latin-1") if known else None)
        identified = (ID_HEADER, self._middleware.request_id(scope).encode())
        lines = [*self._encode_headers(answer), identified]
        await send({"type": "http.response.start", "status": answer.status_code, "headers": lines})
        await send({"type": "http.response.body", "body": answer.body, "more_body": False})
        self._metrics.observe("GET", scope["path"], answer.status_code, time.perf_counter() - began)

    def _find_document(self, scope: Scope) -> CachedDocument | None:
        if (
            scope["type"] != ScopeType.HTTP
            or scope["path"] not in ("/stats", "/stats/prices", "/upgrades")
            or scope["method"] != "GET"
        ):
            return None
        if scope["query_string"] or any(name == b"origin" for name, _ in scope["headers"]):
            return None
        published = self._published
        return {"/stats": published.stats, "/upgrades": published.upgrades}.get(scope["path"], published.prices)

    def _encode_headers(self, answer: ASGIResponse) -> Lines:
        """Encode headers once for each response; there are few responses."""
        if answer not in self._lines:
            if len(self._lines) >= 8:
                self._lines.clear()
            self._lines[answer] = add_security_headers(list(answer.encode_headers()))
        return self._lines[answer]
