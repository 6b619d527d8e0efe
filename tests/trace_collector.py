"""A collector of OpenTelemetry for tests: takes OTLP over HTTP on loopback and keeps all that came."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span


class TraceCollector(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _TraceHandler)
        self.received: list[bytes] = []
        self.url = f"http://127.0.0.1:{self.server_port}"

    @property
    def services(self) -> dict[str, list[Span]]:
        """The spans by the name of their service."""
        found: dict[str, list[Span]] = {}
        for body in self.received:
            for part in ExportTraceServiceRequest.FromString(body).resource_spans:
                (name,) = (each.value.string_value for each in part.resource.attributes if each.key == "service.name")
                found.setdefault(name, []).extend(span for scope in part.scope_spans for span in scope.spans)
        return found


class _TraceHandler(BaseHTTPRequestHandler):
    server: TraceCollector

    def do_POST(self) -> None:
        assert self.path == "/v1/traces"
        self.server.received.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def collecting() -> Iterator[TraceCollector]:
    with TraceCollector() as collector:
        threading.Thread(target=collector.serve_forever, daemon=True).start()
        try:
            yield collector
        finally:
            collector.shutdown()
