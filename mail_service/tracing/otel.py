"""OpenTelemetry's SDK and instrumentation. A trace begins with a request, or goes on in it.

The filter `clean_span` fails closed. It keeps an attribute only if its name is listed and its value has the listed
shape. Events, links, descriptions of errors and the state of foreign traces are dropped.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from opentelemetry import propagate
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.asgi import OpenTelemetryMiddleware
from opentelemetry.instrumentation.sqlalchemy import SQLAlchemyInstrumentor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult
from opentelemetry.trace import SpanContext, SpanKind, Status, get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from sqlalchemy.ext.asyncio import AsyncEngine

Rule = Callable[[Any], str | int | None]


def _match(shape: str) -> Rule:
    compiled = re.compile(shape)
    return lambda value: value if isinstance(value, str) and compiled.fullmatch(value) else None


def _keep_statement(value: Any) -> str | None:
    """Return our own SQL with its placeholders, without comments; a literal becomes `?`."""
    if not isinstance(value, str):
        return None
    plain = re.sub(r"--[^\n]*\n", "", value)
    return re.sub(r"'(?:[^']|'')*'|(?<![\w$])\d+(?:\.\d+)?\b", "?", plain).strip()[:2000]


KEPT: Final[Mapping[str, Rule]] = {
    "http.request.method": _match("[A-Z]{3,7}"),
    "http.route": _match(r"(/([a-z-]+|\{[a-z_]+(:[a-z]+)?\}))+"),
    "http.response.status_code": lambda value: value if type(value) is int else None,
    "error.type": _match(r"[A-Za-z_]{1,60}|[1-5]\d\d"),
    "db.system.name": _match("[a-z]{1,20}"),
    "db.query.text": _keep_statement,
}


class PlainSpanExporter(SpanExporter):
    """Exporter of cleaned spans."""

    def __init__(self, inner: SpanExporter) -> None:
        self._inner = inner

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return self._inner.export([clean_span(span) for span in spans])

    def shutdown(self) -> None:
        self._inner.shutdown()


def clean_span(span: ReadableSpan) -> ReadableSpan:
    """Return a copy with the kept attributes, a plain name, and the code of the status."""
    found = {name: KEPT[name](value) for name, value in (span.attributes or {}).items() if name in KEPT}
    attributes = {name: value for name, value in found.items() if value is not None}
    text = span.name if span.name[:1].isalpha() else str(attributes.get("db.query.text", ""))
    word = re.match(r"[A-Za-z_]{1,30}(?!\S)", text)
    names = [attributes.get("http.request.method"), attributes.get("http.route")]
    return ReadableSpan(
        name=" ".join(str(name) for name in names if name) or (word.group() if word else "?"),
        context=_without_state(span.get_span_context()),
        parent=_without_state(span.parent),
        resource=span.resource,
        attributes=attributes,
        kind=span.kind,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


def _without_state(context: SpanContext | None) -> SpanContext | None:
    if context is None:
        return None
    return SpanContext(context.trace_id, context.span_id, context.is_remote, context.trace_flags)


class RequestSampler(Sampler):
    """Sampler that begins a trace at a request, and not at a statement of background work."""

    def __init__(self, inner: Sampler) -> None:
        self._inner = inner

    def should_sample(
        self, parent_context: Any, trace_id: int, name: str, kind: SpanKind | None = None, *others: Any
    ) -> SamplingResult:
        if kind is SpanKind.CLIENT and not get_current_span(parent_context).get_span_context().is_valid:
            return SamplingResult(Decision.DROP)
        return self._inner.should_sample(parent_context, trace_id, name, kind, *others)

    def get_description(self) -> str:
        return f"RequestSampler({self._inner.get_description()})"


class MailTraces:
    """Traces of this process. `watch_engine` adds the statements of the database; `close` sends the rest."""

    def __init__(self, endpoint: str) -> None:
        os.environ.setdefault("OTEL_SEMCONV_STABILITY_OPT_IN", "http,database")  # the stable names of attributes
        propagate.set_global_textmap(TraceContextTextMapPropagator())
        name = os.environ.get("OTEL_SERVICE_NAME", "reminder-worker-mail")
        self._provider = TracerProvider(resource=Resource.create({"service.name": name}), shutdown_on_exit=False)
        self._provider.sampler = RequestSampler(self._provider.sampler)
        exporter = PlainSpanExporter(OTLPSpanExporter(endpoint=f"{endpoint}/v1/traces", timeout=3))
        self._provider.add_span_processor(BatchSpanProcessor(exporter))

    def watch_engine(self, engine: AsyncEngine) -> None:
        SQLAlchemyInstrumentor().instrument(
            engine=engine.sync_engine, tracer_provider=self._provider, skip_dep_check=True
        )

    def close(self) -> None:
        SQLAlchemyInstrumentor().uninstrument()
        self._provider.shutdown()

    def make_middleware(self, app: Any) -> Any:
        return OpenTelemetryMiddleware(
            app,
            excluded_urls="/health/",
            default_span_details=_describe_request,
            exclude_spans=["receive", "send"],
            tracer_provider=self._provider,
        )


def _describe_request(scope: Any) -> tuple[str, dict[str, Any]]:
    return scope["method"], {"http.route": str(scope.get("path_template", ""))}
