"""Traces by OpenTelemetry, from a request or a pass through SQL and nodes to the mail service.

Without `OTEL_EXPORTER_OTLP_ENDPOINT` these functions do nothing, and no package of OpenTelemetry is imported.
"""

import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.errors import Misconfigured

if TYPE_CHECKING:
    from reminder_worker.tracing.otel import OpenTraces

Attributes = Mapping[str, str | int]
_open: "OpenTraces | None" = None

# Litestar imports its plugin for OpenTelemetry wherever the packages are installed. We do not use the plugin: it names
# a request before the route is known.
sys.modules["litestar.plugins.opentelemetry"] = None  # type: ignore[assignment]


@asynccontextmanager
async def open_traces(endpoint: str | None, engine: AsyncEngine, version: str) -> AsyncIterator[None]:
    """Send this process's traces to the collector until the end; nothing without an endpoint.

    A second runtime of the same process adds nothing. Raises `Misconfigured` without the packages.
    """
    global _open
    if endpoint is None or _open is not None:
        yield
        return
    try:
        from reminder_worker.tracing.otel import OpenTraces
    except ModuleNotFoundError:
        raise Misconfigured("OTEL_EXPORTER_OTLP_ENDPOINT is set, but the extra `otel` is not installed") from None
    opened = _open = OpenTraces(endpoint, engine, version)
    try:
        yield
    finally:
        _open = None
        opened.close()  # waits for the collector, three seconds at most; a process at its end has no other threads


def trace_work(name: str) -> AbstractContextManager[object]:
    """Begin a trace, or a part of one."""
    return nullcontext() if _open is None else _open.trace_work(name)


def trace_call(name: str, attributes: Attributes) -> AbstractContextManager[Mapping[str, str]]:
    """Trace a call to another service, within a trace only. Yields the headers that hand the trace on."""
    return nullcontext({}) if _open is None else _open.trace_call(name, attributes)


def list_middleware() -> list[Callable[..., Any]]:
    """Return the middleware of Litestar that begins a trace for each request of a route."""
    return [] if _open is None else [_open.make_middleware]


def traces_open() -> bool:
    return _open is not None
