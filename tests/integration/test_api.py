"""Promises of the HTTP edge: what is refused and how, what is never echoed, who is let in and how often."""

import json
import re
import time
from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest
from eth_account.signers.local import LocalAccount
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.chain import Anvil
from devnet.deploy import deploy
from devnet.scenarios import Legacy, Scenario
from reminder_worker import __version__
from reminder_worker.logging import configure_logging
from tests.integration.api_world import (
    APP_ORIGIN,
    CANARY_EMAIL,
    CANARY_NAME,
    CANARY_OWNER,
    CANARY_TITLE,
    PATHS,
    ApiAnswer,
    ApiWorld,
    open_world,
    payload_of,
    person,
)


@pytest.fixture
async def world(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[ApiWorld]:
    async with open_world(chain_scenario, engine) as opened:
        yield opened


@pytest.fixture
def owner(world: ApiWorld) -> LocalAccount:
    return world.owner()


@pytest.fixture
def legacy(world: ApiWorld, owner: LocalAccount) -> Legacy:
    return world.legacy(owner)


def is_problem(answer: ApiAnswer, status: int, code: str) -> bool:
    """RFC 9457 with our members, and nothing else."""
    assert answer.status == status, answer.body
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["Cache-Control"] == "no-store"
    assert set(answer.body) <= {"type", "title", "status", "detail", "code", "errors"}
    assert answer.body["status"] == status
    assert answer.body["type"] == f"urn:reminder-worker:problem:{answer.body['code']}"
    return answer.code == code


def pointers(answer: ApiAnswer) -> list[str]:
    return [fault["pointer"] for fault in answer.body["errors"]]


async def test_every_refusal_is_a_problem(world: ApiWorld, owner: LocalAccount, legacy: Legacy) -> None:
    whole = world.signed(owner, "ReadRecipients", legacy)
    as_json = {"Content-Type": "application/json"}
    assert is_problem(await world.request("GET", "/nothing"), 404, "not_found")
    assert is_problem(await world.request("GET", "/recipients"), 405, "method_not_allowed")
    for raw in (b"", b"{", b"\xff", b'{"chainId": 1,}', b'{"legacy": "\\ud800"}'):
        assert is_problem(await world.post("/recipients", data=raw, headers=as_json), 400, "malformed")
    for raw in (b"[" * 60_000, b'{"legacy":' + b"[" * 60_000, b"[]", b"null", b"1"):
        assert is_problem(await world.post("/recipients", data=raw, headers=as_json), 422, "invalid_input")
    for media_type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        answer = await world.post("/recipients", data=json.dumps(whole).encode(), headers={"Content-Type": media_type})
        assert is_problem(answer, 415, "unsupported_media_type")
    assert (await world.post("/recipients", whole)).status == 200


async def test_bad_field_is_named_and_not_echoed(world: ApiWorld) -> None:
    for change, pointer in (
        ({"chainId": "31337"}, "/chainId"),
        ({"chainId": -1}, "/chainId"),
        ({"chainId": 1.5}, "/chainId"),
        ({"legacy": CANARY_EMAIL}, "/legacy"),
        ({"legacy": "0x12"}, "/legacy"),
        ({"deadline": "tomorrow"}, "/deadline"),
        ({"deadline": 2**60}, "/deadline"),
        ({"signature": CANARY_EMAIL}, "/signature"),
        ({"signature": "0x123"}, "/signature"),
        ({"signature": None}, "/signature"),
        ({CANARY_EMAIL: 1}, ""),
    ):
        body = world.signed(world.scenario.account("owner"), "ReadRecipients", f"0x{5:040x}") | change
        answer = await world.post("/recipients", body)
        assert is_problem(answer, 422, "invalid_input")
        assert pointers(answer) == [pointer]
        assert CANARY_EMAIL not in json.dumps(answer.body)


async def test_every_bad_recipient_is_pointed_at_before_the_chain_is_asked(world: ApiWorld) -> None:
    people = [
        person(1, email="not an email canary"),
        person(2, name="https://canary.example"),
        person(2),
        person(4, recipient="0x" + "00" * 20),
    ]
    before = world.parts.chains[world.chain_id].endpoints.list_health()[0].latency
    answer = await world.ingest(world.scenario.account("nobody"), f"0x{5:040x}", people)
    assert is_problem(answer, 422, "invalid_input")
    assert pointers(answer) == [
        "/payload/recipients/0/email",
        "/payload/recipients/1/name",
        "/payload/recipients/3/recipient",
        "/payload/recipients/2/recipient",
    ]
    assert "canary" not in json.dumps(answer.body)
    assert world.parts.chains[world.chain_id].endpoints.list_health()[0].latency == before


async def test_a_bad_payload_is_pointed_at_and_not_echoed(world: ApiWorld) -> None:
    for payload, status, pointer in (
        ("{", 400, None),
        ("[]", 422, "/payload"),
        ('{"recipients":[]}', 422, "/payload/salt"),
        (payload_of([], salt="0x1234"), 422, "/payload/salt"),
        (payload_of([], salt="canary-salt-canary"), 422, "/payload/salt"),
        (payload_of([person(1, role="canary")]), 422, "/payload/recipients/0/role"),
        (payload_of([person(1, canary=1)]), 422, "/payload/recipients/0"),
        (payload_of([person(n) for n in range(1, 66)]), 422, "/payload/recipients"),
    ):
        signer = world.scenario.account("owner")
        answer = await world.post(
            "/ingest-legacy", world.signed(signer, "IngestLegacy", f"0x{5:040x}", payload=payload)
        )
        assert is_problem(answer, status, "malformed" if status == 400 else "invalid_input")
        assert pointer is None or pointers(answer) == [pointer]
        assert "canary" not in json.dumps(answer.body)


async def test_sixty_four_recipients_fit(world: ApiWorld, owner: LocalAccount, legacy: Legacy) -> None:
    longest = [
        person(n, email=f"{n:02}{'a' * 62}@{'.'.join(['b' * 60] * 3)}.org", name="\u00e4" * 60) for n in range(1, 65)
    ]
    answer = await world.ingest(owner, legacy, longest)
    assert (answer.status, answer.body) == (200, {"saved": 64, "shredded": 0, "erasedThemselves": []})


async def test_a_body_over_64_kib_is_refused_also_in_chunks(world: ApiWorld) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(70):
            yield b" " * 1024

    for body in (b" " * (64 * 1024 + 1), chunks()):
        answer = await world.post("/recipients", data=body, headers={"Content-Type": "application/json"})
        assert is_problem(answer, 413, "body_too_large")


@pytest.mark.core
async def test_the_chain_down_means_503_and_nothing_stored(engine: AsyncEngine) -> None:
    with Anvil() as anvil:
        scenario = Scenario(anvil, deploy(anvil))
        async with open_world(scenario, engine, **{f"CHAIN_{anvil.chain_id}_RPC_TIMEOUT": "1"}) as world:
            owner = world.owner()
            legacy = world.legacy(owner)
            assert (await world.ingest(owner, legacy, [person(1)])).status == 200
            anvil.stop()
            answers = [await world.ingest(owner, legacy, [person(2)])]
            answers += [await world.call(owner, kind, legacy) for kind in ("ReadRecipients", "EraseLegacy")]
            for answer in answers:
                assert is_problem(answer, 503, "chain_unavailable")
                assert int(answer.headers["Retry-After"]) > 0
            assert [row.recipient for row in await world.sql("select recipient from worker.recipient")] == [
                f"0x{1:040x}"
            ]
            (spent,) = await world.sql("select count(*) from worker.used_signature")
            assert spent.count == 1, "a refused message is not spent"


async def test_clients_are_limited_each_by_itself(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    """Behind a trusted proxy by the address it appended; all of an IPv6 /64 is one client."""
    async with open_world(chain_scenario, engine, RATE_LIMIT_PER_MINUTE="2", TRUSTED_PROXIES="127.0.0.1") as world:
        world.clock.ahead = 30 - world.clock() % 60  # not across the end of a minute

        async def ask(client: str) -> ApiAnswer:
            return await world.post("/recipients", {}, headers={"X-Forwarded-For": f"6.6.6.6, {client}"})

        assert [(await ask("2001:db8::1")).status for _ in range(2)] == [422, 422]
        refused = await ask("2001:db8::2")
        assert is_problem(refused, 429, "rate_limited")
        assert 0 < int(refused.headers["Retry-After"]) <= 60
        assert is_problem(await ask("2001:db8::3"), 429, "rate_limited")
        assert (await ask("198.51.100.1")).status == 422
        kept = await world.sql("select subject from worker.quota")
        assert not any("2001" in row.subject or "198" in row.subject for row in kept)


async def test_who_has_many_ipv6_networks_is_limited_all_the_same(
    chain_scenario: Scenario, engine: AsyncEngine
) -> None:
    """All of a /48 may ask as much as eight clients; another one, and IPv4, have not asked yet."""
    async with open_world(chain_scenario, engine, RATE_LIMIT_PER_MINUTE="2", TRUSTED_PROXIES="127.0.0.1") as world:
        world.clock.ahead = 30 - world.clock() % 60

        async def ask(client: str) -> int:
            return (await world.post("/recipients", {}, headers={"X-Forwarded-For": client})).status

        asked = [await ask(f"2001:db8:0:{client}::1") for client in range(10) for _ in range(2)]
        assert asked == [422] * 16 + [429] * 4
        assert [await ask(client) for client in ("2001:db8:1::1", "198.51.100.1", "::ffff:198.51.100.2")] == [422] * 3


@pytest.mark.parametrize("path", ["/schema", "/schema/openapi.json"])
async def test_the_document_is_not_free_as_making_it_is_work(
    chain_scenario: Scenario, engine: AsyncEngine, path: str
) -> None:
    async with open_world(chain_scenario, engine, RATE_LIMIT_PER_MINUTE="2") as world:
        world.clock.ahead = 30 - world.clock() % 60
        assert [(await world.request("GET", path)).status for _ in range(2)] == [200, 200]
        assert is_problem(await world.request("GET", path), 429, "rate_limited")


async def test_only_listed_origins_may_read_answers(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    other = "https://beta.example.org"
    async with open_world(chain_scenario, engine, CORS_ORIGINS=other) as world:
        ask = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
        for origin in (APP_ORIGIN, other):
            preflight = await world.request("OPTIONS", "/recipients", headers={"Origin": origin} | ask)
            assert preflight.status == 204
            assert preflight.headers["Access-Control-Allow-Origin"] == origin
            refused = await world.post("/recipients", {}, headers={"Origin": origin})
            assert refused.headers["Access-Control-Allow-Origin"] == origin
            exposed = refused.headers["Access-Control-Expose-Headers"]
            assert "Retry-After" in exposed
            assert "Date" in exposed  # a frontend signs by the service's clock
        for origin in ("https://evil.example", APP_ORIGIN + ".evil.example", "null", APP_ORIGIN.upper() + ":444"):
            for method, more in (("OPTIONS", ask), ("POST", {"Content-Type": "application/json"})):
                answer = await world.request(method, "/recipients", headers={"Origin": origin} | more)
                assert "Access-Control-Allow-Origin" not in answer.headers
                assert "Access-Control-Allow-Credentials" not in answer.headers


async def test_a_preflight_that_is_refused_is_a_problem(world: ApiWorld) -> None:
    for origin, method, header in (
        ("https://evil.example", "POST", "content-type"),
        (APP_ORIGIN, "DELETE", "content-type"),
        (APP_ORIGIN, "POST", "authorization"),
    ):
        ask = {"Origin": origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": header}
        for _ in range(2):  # the connection goes on
            answer = await world.request("OPTIONS", "/recipients", headers=ask)
            assert is_problem(answer, 400, "preflight_refused")
            assert "Access-Control-Allow-Origin" not in answer.headers


async def test_head_is_answered_as_get_without_a_body(world: ApiWorld) -> None:
    """Monitors and link previews ask so. The connection goes on: a body would be taken for the next answer."""
    for path, status in (("/health/live", 200), ("/schema", 200), ("/recipients", 405), ("/no", 404)):
        for _ in range(2):
            whole = await world.request("GET", path)
            async with world.session.head(world.url + path) as head:
                assert (whole.status, head.status) == (status, status)
                for name in ("Content-Length", "Content-Type"):
                    assert head.headers[name] == whole.headers[name]
                assert not await head.read()


async def test_every_answer_has_its_headers(world: ApiWorld) -> None:
    for method, path in (("GET", "/health/live"), ("GET", "/nothing"), ("POST", "/recipients"), ("GET", "/schema")):
        headers = (await world.request(method, path)).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cache-Control"] == "no-store"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin-allow-popups"
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert re.fullmatch(r"[0-9a-f]{32}", headers["X-Request-ID"])
        assert "Server" not in headers


async def test_a_request_id_is_taken_from_a_trusted_proxy_only(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    given = {"X-Request-ID": "from-the-proxy-1"}
    async with open_world(chain_scenario, engine, TRUSTED_PROXIES="127.0.0.0/8") as behind:
        assert (await behind.request("GET", "/health/live", headers=given)).headers[
            "X-Request-ID"
        ] == "from-the-proxy-1"
        for odd in ("a@example.org", "somebody-else@example.org"):
            answer = await behind.request("GET", "/health/live", headers={"X-Request-ID": odd})
            assert "somebody" not in answer.headers["X-Request-ID"]
            assert "@" not in answer.headers["X-Request-ID"]
    async with open_world(chain_scenario, engine) as open_to_all:
        answer = await open_to_all.request("GET", "/health/live", headers=given)
        assert answer.headers["X-Request-ID"] != "from-the-proxy-1"


async def test_readiness_needs_the_database_and_its_migrations(world: ApiWorld) -> None:
    assert (await world.request("GET", "/health/ready")).status == 200
    await world.sql("update worker.alembic_version set version_num = 'older'")
    assert is_problem(await world.request("GET", "/health/ready"), 503, "unavailable")
    answer = await world.request("GET", "/health/live")
    assert (answer.status, answer.body) == (200, {"status": "ok", "version": __version__})


async def test_a_database_that_takes_no_writes_is_away_and_nothing_has_to_be_restarted_afterwards(
    world: ApiWorld, postgres_server: str
) -> None:
    """As after a failover to a standby, and as hosts make one whose disk is full."""
    name = world.engine.url.database
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"alter database {name} set default_transaction_read_only = on")
        await world.engine.dispose()  # a failover ends every connection
        for path in ("/health/ready", f"/gift/{world.chain_id}/1", "/schema"):
            assert is_problem(await world.request("GET", path), 503, "unavailable"), path
        connection.execute(f"alter database {name} reset default_transaction_read_only")
    for path in ("/schema", "/health/ready"):
        assert (await world.request("GET", path)).status == 200, path


def example_of(document: dict[str, Any], schema: dict[str, Any]) -> Any:
    """A value of the schema, from the examples of its fields."""
    schema = resolved(document, schema)
    if examples := schema.get("examples"):
        return examples[0]
    if "properties" in schema:
        return {name: example_of(document, field) for name, field in schema["properties"].items()}
    if "items" in schema:
        return [example_of(document, schema["items"])]
    return schema.get("enum", [schema.get("const")])[0]


def resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Follow a reference and a lone `allOf`/`oneOf`, keeping what stands beside it."""
    found = dict(schema)
    for branch in ("allOf", "oneOf"):
        if len(found.get(branch, [])) == 1:
            found = {**found.pop(branch)[0], **found}
    if "$ref" in found:
        name = found.pop("$ref").rpartition("/")[2]
        found = {**resolved(document, document["components"]["schemas"][name]), **found}
    return found


async def test_every_field_of_the_document_is_described_and_its_examples_are_read(world: ApiWorld) -> None:
    """Every example body has the right shape: only its age or its signature is refused."""
    document = (await world.request("GET", "/schema/openapi.json")).body
    assert document["openapi"].startswith("3.1")
    for name, schema in document["components"]["schemas"].items():
        for field, described in schema.get("properties", {}).items():
            assert described.get("description"), f"{name}.{field} is not described"
    posts = {path: item["post"] for path, item in document["paths"].items() if "post" in item}
    said = {answer["description"] for post in posts.values() for answer in post["responses"].values()}
    assert not any("created" in words.lower() for words in said), "nothing has a URL of its own"
    assert set(posts) >= {*PATHS.values(), "/sponsor/claim", "/sponsor/check-in", "/sponsor/gift-withdraw"}
    for path, operation in posts.items():
        example = example_of(document, operation["requestBody"]["content"]["application/json"]["schema"])
        is_signed = "signature" in example
        fresh = example | {"chainId": world.chain_id} | ({"deadline": world.deadline()} if is_signed else {})
        answer = await world.post(path, fresh)
        if path in PATHS.values():
            assert is_problem(answer, 403, "not_a_known_legacy")
        else:
            assert answer.code in {"not_a_known_legacy", "not_configured", "signer_mismatch"}, answer.body
        refusals = {"400", "413", "415", "422", "429", "503"} | ({"403", "409", "410"} if is_signed else set())
        assert refusals <= set(operation["responses"])


async def test_what_is_not_there_is_a_problem_below_the_schema_too(world: ApiWorld) -> None:
    for path in ("/schema/swagger", "/schema/openapi.yml", "/schema/a/b", "/nowhere"):
        assert is_problem(await world.request("GET", path), 404, "not_found")


@pytest.mark.core
async def test_metrics_tell_requests_passes_and_endpoints_and_no_person(
    world: ApiWorld, owner: LocalAccount, legacy: Legacy
) -> None:
    await world.ingest(owner, legacy, [person(1, email=CANARY_EMAIL, name=CANARY_NAME)])
    await world.request("GET", f"/{CANARY_EMAIL}?{CANARY_EMAIL}")
    async with world.engine.begin() as connection:
        await connection.execute(
            text(
                "insert into worker.sent_ledger (id, chain_id, legacy, recipient, kind, event, role, created_at)"
                " values (gen_random_uuid(), :c, :l, :l, 'owner_reset', 'e', 'owner', now() - interval '90 s'),"
                " (gen_random_uuid(), 1, :l, :l, 'owner_reset', 'e', 'owner', now() - interval '1 day')"
            ),
            {"c": world.chain_id, "l": legacy.address},
        )
        await connection.execute(  # of a chain that is not served any more, too
            text(
                "insert into worker.sent_ledger (id, chain_id, legacy, recipient, kind, event, role, state)"
                " values (gen_random_uuid(), 1, :l, :l, 'owner_reset', 'f', 'owner', 'unknown'),"
                " (gen_random_uuid(), 1, :l, :l, 'owner_reset', 'g', 'owner', 'claimed'),"
                " (gen_random_uuid(), 1, :l, :l, 'owner_reset', 'h', 'owner', 'held')"
            ),
            {"l": legacy.address},
        )
        await connection.execute(
            text(
                "insert into worker.pass_state (name, chain_id, checked_at, succeeded_at, error, endpoints)"
                " values ('index', :c, now(), now() - interval '1 hour', 'ChainUnavailable', cast(:e as jsonb)),"
                " ('prices', :c, now(), null, 'ChainUnavailable', null), ('index', 1, now(), null, 'Wrong', null)"
            ),
            {"c": world.chain_id, "e": '[{"name": "1:node", "ok": false, "errors": 7, "latency": null, "head": 9}]'},
        )
        await connection.execute(
            text(
                "insert into worker.index_cursor (chain_id, name, block_number, block_hash)"
                " values (:c, 'index', 3, '0x00')"
            ),
            {"c": world.chain_id},
        )
    async with world.session.get(world.metrics_url + "/metrics") as response:
        page = await response.text()
    values = dict(line.rsplit(" ", 1) for line in page.splitlines() if not line.startswith("#"))
    route = 'reminder_worker_http_requests_total{method="POST",route="/ingest-legacy",status="200"}'
    assert float(values[route]) == 1
    assert float(values["reminder_worker_emails_due"]) == 1
    assert 80 < float(values["reminder_worker_emails_oldest_waiting_seconds"]) < 300
    assert float(values["reminder_worker_emails_in_flight"]) == 0
    undecided = {name for name in values if name.startswith("reminder_worker_emails_undecided")}
    assert undecided == {'reminder_worker_emails_undecided{chain="1",kind="owner_reset",state="held"}'}
    chain = f'chain="{world.chain_id}"'
    assert float(values[f'reminder_worker_pass_success_age_seconds{{{chain},pass="index"}}']) >= 3600
    failing = {name: value for name, value in values.items() if name.startswith("reminder_worker_pass_failing")}
    assert failing == {f'reminder_worker_pass_failing{{{chain},pass="index"}}': "1.0"}, "of a pass or chain that is off"
    assert float(values[f'reminder_worker_reader_block{{{chain},reader="index"}}']) == 3
    assert any(name.startswith("reminder_worker_api_rpc_up") and value == "1.0" for name, value in values.items())
    assert float(values[f'reminder_worker_passes_rpc_errors{{{chain},endpoint="1:node"}}']) == 7
    assert float(values[f'reminder_worker_passes_rpc_up{{{chain},endpoint="1:node"}}']) == 0
    assert float(values["reminder_worker_database_up"]) == 1
    assert float(values[f'reminder_worker_build_info{{version="{__version__}"}}']) == 1
    started, memory = float(values["process_start_time_seconds"]), float(values["process_resident_memory_bytes"])
    assert 0 < started <= time.time(), "Unix seconds of this process"
    assert memory > 10_000_000
    assert float(values["process_cpu_seconds_total"]) > 0
    assert 0 < float(values["process_open_fds"]) < float(values["process_max_fds"])
    for secret in (CANARY_EMAIL, CANARY_NAME, legacy.address, owner.address.lower(), "127.0.0.1"):
        assert secret not in page.replace('endpoint="1:127.0.0.1', "")
    async with world.session.get(world.metrics_url + "/") as response:
        assert response.status == 404


@pytest.mark.core
async def test_the_log_shows_neither_email_nor_name_nor_signature(
    world: ApiWorld, owner: LocalAccount, legacy: Legacy, capsys: pytest.CaptureFixture[str]
) -> None:
    """Granted, refused and failed requests alike."""
    configure_logging(world.parts.settings)
    people = [person(1, email=CANARY_EMAIL, name=CANARY_NAME)]
    words = {"ownerName": CANARY_OWNER, "title": CANARY_TITLE}
    bodies = [world.ingest_body(owner, legacy, people, words=words) for _ in range(2)]
    signatures = [body["signature"] for body in bodies]
    await world.post("/ingest-legacy", bodies[1])
    await world.post("/ingest-legacy", bodies[0])
    await world.ingest(owner, legacy, [person(1, email=CANARY_EMAIL + "\r\n")])
    assert (await world.call(owner, "ReadRecipients", legacy)).body["recipients"][0]["email"] == CANARY_EMAIL
    await world.sql("alter table worker.recipient rename to gone")
    assert (await world.ingest(owner, legacy, people)).status == 500
    await world.request("GET", f"/{CANARY_EMAIL}?e={CANARY_EMAIL}")
    written = "".join(capsys.readouterr())
    assert written.count('"event": "request"') == 6
    assert '"event": "request_failed"' in written
    planted = (CANARY_EMAIL, CANARY_NAME, CANARY_OWNER, CANARY_TITLE)
    for secret in (*planted, CANARY_EMAIL.split("@")[0], *signatures, signatures[0][2:40]):
        assert secret not in written
