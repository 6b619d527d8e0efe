"""OpenTelemetry's SDK and instrumentation, and the one filter that every span passes on its way out.

The filter fails closed. It keeps an attribute only if its name is listed and its value has the listed shape. Events
(which hold exceptions), links, descriptions of errors and the state of foreign traces are dropped.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from opentelemetry import propagate
from opentelemetry.context import Context, get_current
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.aiohttp_client import AioHttpClientInstrumentor
from opentelemetry.instrumentation.asgi import OpenTelemetryMiddleware
from opentelemetry.instrumentation.sqlalchemy import SQLAlchemyInstrumentor
from opentelemetry.propagators.textmap import TextMapPropagator
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.privacy.redaction import shown_host

Rule = Callable[[Any], str | int | None]


def _match(shape: str) -> Rule:
    compiled = re.compile(shape)
    return lambda value: value if isinstance(value, str) and compiled.fullmatch(value) else None


def _keep_number(value: Any) -> int | None:
    return value if type(value) is int else None


def _keep_host(value: Any) -> str | None:
    """Return the host without labels that may be keys."""
    return shown_host(value) if isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9.:-]{1,253}", value) else None


def _keep_statement(value: Any) -> str | None:
    """Return our own SQL with its placeholders, without comments; a literal becomes `?`."""
    if not isinstance(value, str):
        return None
    plain = re.sub(r"--[^\n]*\n", "", value)
    return re.sub(r"'(?:[^']|'')*'|(?<![\w$])\d+(?:\.\d+)?\b", "?", plain).strip()[:2000]


KEPT: Final[Mapping[str, Rule]] = {
    "http.request.method": _match("[A-Z]{3,7}"),
    "http.route": _match(r"/|(/([a-z-]+|\{[a-z_]+(:[a-z]+)?\}))+"),
    "http.response.status_code": _keep_number,
    "server.address": _keep_host,
    "server.port": _keep_number,
    "error.type": _match(r"[A-Za-z_]{1,60}|[1-5]\d\d"),
    "db.system.name": _match("[a-z]{1,20}"),
    "db.query.text": _keep_statement,
    "rpc.method": _match(r"[a-z]+_[A-Za-z]+( [a-z]+_[A-Za-z]+)*"),
}


class PlainSpanExporter(SpanExporter):
    """Exporter of cleaned spans."""

    def __init__(self, inner: SpanExporter) -> None:
        self._inner = inner

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return self._inner.export([clean_span(span) for span in spans])

    def shutdown(self) -> None:
        self._inner.shutdown()

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        return self._inner.force_flush(timeout_millis)


def clean_span(span: ReadableSpan) -> ReadableSpan:
    """Return a copy with the kept attributes, a plain name, and the code of the status."""
    attributes: dict[str, str | int] = {}
    for name, value in (span.attributes or {}).items():
        if span.kind is SpanKind.SERVER and name.startswith("server."):
            continue  # a stranger's header `Host`
        kept = KEPT[name](value) if name in KEPT else None
        if kept is not None:
            attributes[name] = kept
    return ReadableSpan(
        name=_clean_name(span, attributes),
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


def _clean_name(span: ReadableSpan, attributes: Mapping[str, str | int]) -> str:
    if span.kind is SpanKind.SERVER:
        return f"{attributes.get('http.request.method', 'HTTP')} {attributes.get('http.route', '')}".rstrip()
    text = span.name if span.name[:1].isalpha() else str(attributes.get("db.query.text", ""))
    words = re.match(r"[A-Za-z_]{1,30}(?: [a-z_]{1,30})?(?!\S)", text)
    return words.group() if words else "?"


def _without_state(context: SpanContext | None) -> SpanContext | None:
    if context is None:
        return None
    return SpanContext(context.trace_id, context.span_id, context.is_remote, context.trace_flags)


class EntrySampler(Sampler):
    """Sampler that begins a trace at a request or a pass, and not at a statement or call of background work."""

    def __init__(self, inner: Sampler) -> None:
        self._inner = inner

    def should_sample(
        self, parent_context: Context | None, trace_id: int, name: str, kind: SpanKind | None = None, *others: Any
    ) -> SamplingResult:
        if kind is SpanKind.CLIENT and not get_current_span(parent_context).get_span_context().is_valid:
            return SamplingResult(Decision.DROP)
        return self._inner.should_sample(parent_context, trace_id, name, kind, *others)

    def get_description(self) -> str:
        return f"EntrySampler({self._inner.get_description()})"


class SilentPropagator(TextMapPropagator):
    """Propagator that neither reads a trace from a request nor writes one into a call."""

    def extract(self, carrier: Any, context: Context | None = None, getter: Any = None) -> Context:
        return get_current() if context is None else context

    def inject(self, carrier: Any, context: Context | None = None, setter: Any = None) -> None:
        pass

    @property
    def fields(self) -> set[str]:
        return set()


class OpenTraces:
    """Traces of this process, with the instrumentation of SQLAlchemy and aiohttp. `close` sends the rest."""

    def __init__(self, endpoint: str, engine: AsyncEngine, version: str) -> None:
        os.environ.setdefault("OTEL_SEMCONV_STABILITY_OPT_IN", "http,database")  # the stable names of attributes
        # Neither do strangers name our traces, nor do nodes learn which calls belong together.
        propagate.set_global_textmap(SilentPropagator())
        name = os.environ.get("OTEL_SERVICE_NAME", "reminder-worker")
        resource = Resource.create({"service.name": name, "service.version": version})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.sampler = EntrySampler(self._provider.sampler)
        exporter = OTLPSpanExporter(endpoint=f"{endpoint}/v1/traces", timeout=3)
        self._provider.add_span_processor(BatchSpanProcessor(PlainSpanExporter(exporter)))
        self._tracer = self._provider.get_tracer("reminder_worker", version)
        self._propagator = TraceContextTextMapPropagator()
        options: dict[str, Any] = {"tracer_provider": self._provider, "skip_dep_check": True}
        SQLAlchemyInstrumentor().instrument(engine=engine.sync_engine, **options)
        AioHttpClientInstrumentor().instrument(**options)

    def close(self) -> None:
        SQLAlchemyInstrumentor().uninstrument()
        AioHttpClientInstrumentor().uninstrument()
        self._provider.shutdown()

    @contextmanager
    def trace_work(self, name: str, kind: SpanKind = SpanKind.INTERNAL, **attributes: str | int) -> Iterator[None]:
        with self._tracer.start_as_current_span(
            name, kind=kind, attributes=attributes, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield
            except BaseException as error:
                span.set_status(StatusCode.ERROR)
                span.set_attribute("error.type", type(error).__name__)
                raise

    @contextmanager
    def trace_call(self, name: str, attributes: Mapping[str, str | int]) -> Iterator[Mapping[str, str]]:
        headers: dict[str, str] = {}
        with self.trace_work(name, SpanKind.CLIENT, **attributes):
            self._propagator.inject(headers)
            yield headers

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
