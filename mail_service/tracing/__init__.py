"""Traces by OpenTelemetry. Without `OTEL_EXPORTER_OTLP_ENDPOINT` no package of OpenTelemetry is imported."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from sqlalchemy.ext.asyncio import AsyncEngine

from mail_service.settings import MailMisconfigured

if TYPE_CHECKING:
    from mail_service.tracing.otel import MailTraces

# Litestar imports its plugin for OpenTelemetry wherever the packages are installed. We do not use the plugin: it names
# a request before the route is known.
sys.modules["litestar.plugins.opentelemetry"] = None  # type: ignore[assignment]


def make_traces(endpoint: str | None) -> "MailTraces | None":
    """Return the traces of this process, to be watched and closed. Raises `MailMisconfigured` without the packages."""
    if endpoint is None:
        return None
    try:
        from mail_service.tracing.otel import MailTraces
    except ModuleNotFoundError:
        words = "OTEL_EXPORTER_OTLP_ENDPOINT is set, but the extra `otel` is not installed"
        raise MailMisconfigured(words) from None
    return MailTraces(endpoint)


@asynccontextmanager
async def watch_statements(traces: "MailTraces | None", engine: AsyncEngine) -> AsyncIterator[None]:
    """Add the statements of the engine, and send the rest of the traces at the end."""
    if traces is None:
        yield
        return
    traces.watch_engine(engine)
    try:
        yield
    finally:
        traces.close()  # waits for the collector, three seconds at most
