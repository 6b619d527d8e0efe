"""Promises of the API towards whatever its own OpenAPI document can be made to send."""

import asyncio
import json

import psycopg
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from tests.integration.schema_attack import attack, open_target, told
from tests.integration.test_attack_relay import LANES
from tests.integration.test_attack_signed import TYPES

EXAMPLES, SEED = 8, 7


async def test_no_answer_fails_repeats_its_request_or_is_missing_in_the_document(
    chain_scenario: Scenario, engine: AsyncEngine
) -> None:
    """Over every operation; `python -m tests.campaign.attack` does it for longer."""
    async with open_target(chain_scenario, engine) as target:
        findings = await asyncio.to_thread(attack, target, EXAMPLES, SEED)
    assert not findings.faults, told(findings)
    assert findings.sent > 500
    reached = {label for label in findings.statuses if label.endswith((" 200", " 201", " 202"))}
    assert {"POST /recipients 200", "POST /erase-legacy 200", "GET /stats 200", "GET /stats/prices 200"} <= reached


async def test_every_signed_message_of_the_document_is_attacked(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    """A new one fails here until it is replayed, rolled back and carried elsewhere like the others."""
    async with open_target(chain_scenario, engine) as target:
        document = (await target.world.request("GET", "/schema/openapi.json")).body
    signed = set()
    for path, operations in document["paths"].items():
        for content in operations.get("post", {}).get("requestBody", {}).get("content", {}).values():
            schema = document["components"]["schemas"][content["schema"]["$ref"].rpartition("/")[2]]
            if "signature" in schema["properties"]:
                signed.add(path)
    assert signed == {*TYPES, *LANES}


MOMENTS = (
    "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "1970-01-01T00:00:00Z",
    "2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T23:59:60Z", "2026-01-01T00:00:00.123456789Z",
    "2026-01-01T00:00:00+99:99", "2026-01-01T00:00:00 01:00", "\uff12026-01-01T00:00:00Z", "-001-01-01T00:00:00Z",
    "2026-01-01T00:00:00Z\x00", "a" * 8000,
)  # fmt: skip
TAGS = ("*", '"', "W/", 'W/"', '"x"' * 5000, "\x80\xff", ",,,,", '"' + "a" * 30_000 + '"', "W/*")


async def test_no_moment_and_no_tag_makes_the_statistics_fail(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    async with open_target(chain_scenario, engine) as target:
        for at in MOMENTS:
            answer = await target.world.request("GET", "/stats/prices", params={"at": at})
            assert answer.status in {404, 422}, at
            assert at not in json.dumps(answer.body, ensure_ascii=False)
        for path in ("/stats", "/stats/prices"):
            for tag in TAGS:
                answer = await target.world.request("GET", path, headers={"If-None-Match": tag})
                assert answer.status == (304 if tag == "*" else 200), tag


async def test_without_a_database_every_operation_answers_a_problem_of_the_document(
    chain_scenario: Scenario, engine: AsyncEngine, postgres_server: str
) -> None:
    async with open_target(chain_scenario, engine) as target:
        with psycopg.connect(postgres_server, autocommit=True) as connection:
            connection.execute(f"alter database {engine.url.database} allow_connections false")
            connection.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", [engine.url.database]
            )
        findings = await asyncio.to_thread(attack, target, 1, SEED, boundaries=False)
    assert not findings.faults, told(findings)
    assert sum(count for label, count in findings.statuses.items() if label.endswith(" 503")) > 10
