"""Promises of the API towards whatever its own OpenAPI document can be made to send."""

import asyncio

import psycopg
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from tests.integration.schema_attack import attack, open_target, told
from tests.integration.test_attack_relay import LANES
from tests.integration.test_attack_signed import TYPES

EXAMPLES, SEED = 5, 7


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
