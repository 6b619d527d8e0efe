"""Traces of OpenTelemetry: one trace from a request to the mail service, without anything personal."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from sqlalchemy.ext.asyncio import AsyncEngine

from api.server import open_servers
from devnet.chain import usable_port
from devnet.leaks import search, secrets_of
from devnet.scenarios import DAY, Scenario
from devnet.smtp import SmtpInbox
from reminder_worker.logging import configure_logging
from reminder_worker.monitoring.feature import FORGET
from reminder_worker.passes import PassFailed, run_pass
from reminder_worker.reminders.feature import DUE
from reminder_worker.runtime import open_runtime
from reminder_worker.tracing.otel import KEPT
from tests.integration import mail_service_stack
from tests.integration.reminder_world import open_world, settings_for
from tests.trace_collector import TraceCollector, collecting

CANARY = "zoe.quillfeather@secret.example.org"
NODE_KEY = "9f8e7d6c5b4a39281706f5e4d3c2b1a0"
PATH = "/gift/quillfeather-secret-path"
SECRET = "o" * 32


@pytest.fixture
async def collector() -> AsyncIterator[TraceCollector]:
    with collecting() as opened:
        yield opened


def attributes(span: Span) -> dict[str, Any]:
    return {each.key: each.value.string_value or each.value.int_value for each in span.attributes}


async def test_one_request_is_one_trace_through_sql_and_nodes_to_the_mail_service_without_personal_data(
    engine: AsyncEngine,
    chain_scenario: Scenario,
    mail_database: str,
    inbox: SmtpInbox,
    collector: TraceCollector,
    tmp_path: Path,
) -> None:
    """Then what fails is planted with everything personal, too, and every byte that was exported is searched."""
    traced = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}
    environ = mail_service_stack.environment(mail_database, inbox, **traced)
    async with mail_service_stack.process(environ, usable_port(), tmp_path / "mail.log") as (mail, service):
        async with open_world(engine, chain_scenario, service) as world:
            legacy = world.legacy(inactivity=30 * DAY)
            await world.save(legacy, "owner", "anna", emails={world.address("ben"): CANARY})
            chain_scenario.advance(24 * DAY)
            await world.look_at_chain()
        keyed = f"{chain_scenario.anvil.url}/?key={NODE_KEY}"
        more = {
            "OPERATOR_SECRET": SECRET,
            "API_PORT": "0",
            "METRICS_PORT": "0",
            "CHAIN_31337_RPC_URLS": keyed,
            **traced,
        }
        url = engine.url.render_as_string(hide_password=False)
        settings = settings_for(chain_scenario, service.url, url.replace("postgresql+psycopg", "postgresql"), **more)
        configure_logging(settings)
        async with (
            open_runtime(settings) as runtime,
            open_servers(runtime) as (port, _),
            aiohttp.ClientSession(f"http://127.0.0.1:{port}") as client,
        ):
            bearer = {
                "Authorization": f"Bearer {SECRET}",
                "traceparent": f"00-{'ab' * 16}-{'cd' * 8}-01",
                "tracestate": f"x={NODE_KEY}",
            }
            async with client.post("/ops/dispatch", headers=bearer) as response:
                assert response.status == 200, await response.text()
            async with client.post("/ops/erase-recipient", headers=bearer, json={"email": CANARY}) as response:
                assert response.status == 200
            for path in (f"{PATH}?email={CANARY}", f"/gifts/for/{CANARY}", f"/sponsor/requests/{CANARY}"):
                await client.get(path, headers={"Host": CANARY, "User-Agent": CANARY, **bearer})
            await run_pass(runtime, DUE)
            async with engine.begin() as connection:
                await connection.exec_driver_sql("alter table worker.recipient rename to gone")
            with pytest.raises(PassFailed):
                await run_pass(runtime, FORGET)
        mail.terminate()
        await mail.wait()
    assert len(inbox.messages) == 3
    spans = collector.services
    (request,) = (span for span in spans["reminder-worker"] if span.name == "POST /ops/dispatch")
    worker = [span for span in spans["reminder-worker"] if span.trace_id == request.trace_id]
    mails = [span for span in spans["reminder-worker-mail"] if span.trace_id == request.trace_id]
    parents = {span.span_id: span for span in worker + mails}
    assert not request.parent_span_id
    assert all(span.parent_span_id in parents for span in worker + mails if span is not request)
    assert any("sent_ledger" in str(attributes(span).get("db.query.text")) for span in worker)
    assert any("eth_call" in str(attributes(span).get("rpc.method")) for span in worker)
    sends = [span for span in mails if span.name == "POST /send"]
    assert [parents[span.parent_span_id].name for span in sends] == ["mail service"] * 3
    assert any("db.query.text" in attributes(span) for span in mails)
    assert {"run due", "run forget"} <= {span.name for span in spans["reminder-worker"] if not span.parent_span_id}
    names = {key for part in spans.values() for span in part for key in attributes(span)}
    assert names == KEPT.keys(), "each attribute that is kept is one that there is"
    words = {
        "an email": CANARY,
        "a part of it": "quillfeather",
        "the node's key": NODE_KEY,
        "a path": PATH,
        "a secret": SECRET,
        "the token": mail_service_stack.TOKEN,
        "a legacy": legacy.address[2:],
        "an owner": world.address("owner")[2:],
        "an email of a person": "anna@example.org",
        "a foreign trace": "cdcdcdcdcdcdcdcd",
    }
    binary = {"a foreign trace's number": b"\xab" * 16}
    assert search(secrets_of(words, binary), [("the traces", b"".join(collector.received))]) == []
