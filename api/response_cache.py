"""`/stats` and `/stats/prices` before all else, when their bytes are ready and nothing else has to be asked.

Such an answer counts against the client's limit and in the metrics, and has every header that it would have from the
routes; only a log line of its own it has not, which would cost more than the answer. Whatever is special goes on to
the routes and is answered there with the same bytes: a query, a page of another origin, a client that may have
reached its limit, a problem.
"""

import time
from typing import Final

from litestar.enums import ScopeType
from litestar.response.base import ASGIResponse
from litestar.types import Receive, Scope, Send

from api.clients import RateLimit
from api.metrics import RequestMetrics
from api.middleware import ID_HEADER, Lines, RequestMiddleware, secured
from api.stats import CachedDocument, PublishedStats

_PATHS: Final = frozenset({"/stats", "/stats/prices"})


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
        document = self._ready(scope)
        if document is None or not self._limit.counted_at_once(scope):
            await self._middleware(scope, receive, send)
            return
        known = [value for name, value in scope["headers"] if name == b"if-none-match"]
        answer = document.answer(b", ".join(known).decode("latin-1") if known else None)
        identified = (ID_HEADER, self._middleware.request_id(scope).encode())
        lines = [*self._encoded(answer), identified]
        await send({"type": "http.response.start", "status": answer.status_code, "headers": lines})
        await send({"type": "http.response.body", "body": answer.body, "more_body": False})
        self._metrics.observe("GET", scope["path"], answer.status_code, time.perf_counter() - began)

    def _ready(self, scope: Scope) -> CachedDocument | None:
        if scope["type"] != ScopeType.HTTP or scope["path"] not in _PATHS or scope["method"] != "GET":
            return None
        if scope["query_string"] or any(name == b"origin" for name, _ in scope["headers"]):
            return None
        return self._published.stats if scope["path"] == "/stats" else self._published.prices

    def _encoded(self, answer: ASGIResponse) -> Lines:
        """Encode headers once for each response; there are few responses."""
        if answer not in self._lines:
            if len(self._lines) >= 2 * len(_PATHS):
                self._lines.clear()
            self._lines[answer] = secured(list(answer.encode_headers()))
        return self._lines[answer]
