"""Around every request, also those nothing is served for: an id, one log line, counters, security headers."""

import re
import time
from uuid import uuid4

import structlog
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, ReceiveMessage, Scope, Send

from api.clients import ClientAddresses
from api.metrics import RequestMetrics
from reminder_worker.errors import Malformed

log = structlog.get_logger(__name__)

_REQUEST_ID = re.compile(rb"[A-Za-z0-9-]{8,64}")
SECURITY_HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "strict-transport-security": "max-age=63072000",
    "x-content-type-options": "nosniff",
}
_SECURITY_LINES = tuple((name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items())
ID_HEADER = b"x-request-id"
Lines = list[tuple[bytes, bytes]]


def secured(lines: Lines) -> Lines:
    """With the security headers that are not among them."""
    given = {name for name, _ in lines}
    return [*lines, *(line for line in _SECURITY_LINES if line[0] not in given)]


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

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                given = [(name.lower(), value) for name, value in message["headers"]]
                others = [line for line in given if line[0] != ID_HEADER]
                message["headers"] = secured([*others, (ID_HEADER, request_id.encode())])
            await send(message)

        async def receive_whole() -> ReceiveMessage:
            message = await receive()
            if message["type"] == "http.disconnect":  # which the framework takes for a fault of ours
                raise Malformed("The client left before its request was whole.")
            return message

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self._app(scope, receive_whole, send_with_headers)
            finally:
                seconds = time.perf_counter() - began
                route = str(scope.get("path_template") or "unmatched")
                method = scope["method"] if route != "unmatched" else "ANY"
                self._metrics.observe(method, route, status, seconds)
                client = self._clients.hashed(scope)
                log.info("request", method=method, route=route, status=status, ms=int(seconds * 1000), client=client)

    def request_id(self, scope: Scope) -> str:
        """Return the id of a trusted proxy, which joins its log with ours, or a new id."""
        if self._clients.comes_from_proxy(scope):
            for name, value in scope["headers"]:
                if name == b"x-request-id" and _REQUEST_ID.fullmatch(value):
                    return value.decode()
        return uuid4().hex
