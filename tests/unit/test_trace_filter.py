"""Off, traces cost no import; on, the one filter lets nothing through that is not listed and shaped as listed."""

import subprocess
import sys
from collections.abc import Callable

import pytest
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags, TraceState

import mail_service.tracing.otel
import reminder_worker.tracing.otel
from devnet.leaks import search, secrets_of
from mail_service.settings import MailMisconfigured
from mail_service.tracing import make_traces
from reminder_worker.database.engine import open_engine
from reminder_worker.errors import Misconfigured
from reminder_worker.tracing import open_traces

CANARY = "zoe.quillfeather@secret.example.org"
LOADED = """
import sys
import api.server, api.app, pipelines.definitions, reminder_worker.cli.main, reminder_worker.passes, mail_service.app
from litestar import Litestar
Litestar([])
print([name for name in sys.modules if name.startswith(("opentelemetry", "google.rpc", "wrapt"))])
"""
Filter = Callable[[ReadableSpan], ReadableSpan]
FILTERS = [reminder_worker.tracing.otel, mail_service.tracing.otel]


def test_no_package_of_opentelemetry_is_imported_while_it_is_off() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_setting_without_the_packages_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    for of in FILTERS:
        monkeypatch.setitem(sys.modules, of.__name__, None)
    engine = open_engine("postgresql+psycopg://nobody@localhost/none")
    with pytest.raises(Misconfigured, match="the extra `otel` is not installed"):
        async with open_traces("http://collector:4318", engine, "1"):
            pass
    with pytest.raises(MailMisconfigured, match="the extra `otel` is not installed"):
        make_traces("http://collector:4318")


@pytest.mark.parametrize("of", FILTERS)
@pytest.mark.parametrize("kind", SpanKind)
def test_filter_drops_whatever_is_not_listed_and_shaped_as_listed(of: "object", kind: SpanKind) -> None:
    clean: Filter = of.clean_span  # type: ignore[attr-defined]
    state = TraceState([("x", "quillfeather")])
    context = SpanContext(1, 2, False, TraceFlags(1), state)
    others = [f"url.{part}" for part in ("full", "path", "query")]
    others += ["user_agent.original", "client.address", "http.request.header.a", "x"]
    listed = [name for name in of.KEPT if name != "db.query.text"]  # type: ignore[attr-defined]
    span = ReadableSpan(
        name=f"GET /gifts/{CANARY}",
        context=context,
        parent=context,
        kind=kind,
        attributes=dict.fromkeys((*others, *listed), CANARY) | {"db.query.text": f"select '{CANARY}', 'it''s', 7"},
        events=[Event("exception", {"exception.message": CANARY})],
        links=[Link(context, {"x": CANARY})],
        status=Status(StatusCode.ERROR, CANARY),
    )
    cleaned = clean(span)
    assert cleaned.attributes == {"db.query.text": "select ?, ?, ?"}
    assert cleaned.status.status_code is StatusCode.ERROR
    secrets = secrets_of({"an email": CANARY, "a part of it": "quillfeather"}, {})
    assert search(secrets, [("the span", cleaned.to_json().encode())]) == []
    assert cleaned.get_span_context() == SpanContext(1, 2, False, TraceFlags(1))


def test_host_of_a_node_is_shown_without_its_key_and_a_route_without_its_values() -> None:
    keyed = ReadableSpan(
        "POST", kind=SpanKind.CLIENT, attributes={"server.address": "9f8e7d6c5b4a39281706.node.example"}
    )
    assert reminder_worker.tracing.otel.clean_span(keyed).attributes == {"server.address": "9f8e….node.example"}
    for route, kept in {"/gifts/{chain_id}": True, "/gifts/1": False, "/gifts/Zoe": False, "/a b": False}.items():
        for of in FILTERS:
            found = of.clean_span(
                ReadableSpan("GET", kind=SpanKind.SERVER, attributes={"http.route": route})
            ).attributes
            assert found == ({"http.route": route} if kept else {})
