"""What anybody could send to the API, made from its own OpenAPI document, and what no answer may do then.

`open_target` serves everything that can be configured, over a real chain and database; `attack` sends cases made by
schemathesis, from a seed, and tells what was wrong with the answers. Half of the bodies are signed by an account that
may sign them, so that they get past the signature.
"""

import hashlib
import json
import logging
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import requests
import structlog
from eth_account.signers.local import LocalAccount
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode, openapi
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.auth_proxy_stand_in import AuthProxyStandIn
from devnet.scenarios import DAY, Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.indexer.chain_index import ChainIndex
from reminder_worker.statistics.file_store import LocalFiles
from reminder_worker.statistics.job import StatisticsPass
from reminder_worker.statistics.price_job import PricePass
from tests.integration.api_world import INGEST, PATHS, ApiWorld, open_world, settings_for

ORIGIN = "https://gifts.example.org"
SECRETS = {"/ops/status": "status-secret-of-the-tests", "/ops/": "operator-secret-of-the-tests"}
UNLIMITED = dict.fromkeys(
    (
        "RATE_LIMIT_PER_MINUTE", "RELAY_PER_CLIENT_HOUR", "RELAY_PER_SIGNER", "RELAY_PER_LEGACY", "RELAY_PER_GIFT",
        "RELAY_PER_CREATOR", "GIFT_NOTIFY_PER_CLIENT_HOUR", "GIFT_WALLETS_PER_CLIENT_HOUR",
    ),
    "1000000",
)  # fmt: skip
DEADLINE = {"name": "deadline", "type": "uint256"}
GIVERS_TYPES = {
    "/gift/notify": ("GiftNotify2", [{"name": "payloadHash", "type": "bytes32"}, DEADLINE]),
    "/gift/notify/erase": ("GiftNotifyErase", [{"name": "timelockId", "type": "uint256"}, DEADLINE]),
    "/gift/recipient-wallet": ("GiftEmailWallet", [{"name": "emailHash", "type": "bytes32"}, DEADLINE]),
}
CHECKS = [status_code_conformance, content_type_conformance, response_headers_conformance, response_schema_conformance]
ECHO_LENGTH = 6  # shorter strings are in our own words by chance


@dataclass(frozen=True)
class AttackTarget:
    """What is attacked, and who may sign what there."""

    world: ApiWorld
    owner: LocalAccount
    giver: LocalAccount
    heir: LocalAccount
    legacy: Any
    gift: int
    document: dict[str, Any]


@dataclass
class AttackFindings:
    statuses: Counter[str] = field(default_factory=Counter)
    faults: dict[str, str] = field(default_factory=dict)  # what is wrong: how to do it again

    @property
    def sent(self) -> int:
        return self.statuses.total()


@asynccontextmanager
async def open_target(scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[AttackTarget]:
    owner, giver, heir = scenario.account("owner"), scenario.account("giver"), scenario.account("heir")
    anvil = scenario.anvil
    anvil.set_time(max(anvil.now() + 1, int(time.time())))
    scenario.subscribe_premium(owner)
    legacy = scenario.create_legacy(owner, {heir.address: 100})
    gift = scenario.create_gift(giver, heir.address, tokens=[(scenario.deployment.usdc, 10**6)], duration=30 * DAY)
    async with AuthProxyStandIn() as provider:
        more = {
            **UNLIMITED,
            **provider.settings(),
            **scenario.deployment.price_environ(anvil.chain_id),
            "GIFT_ORIGINS": ORIGIN,
            "RELAYER_KEY": scenario.account("relayer").key.hex(),
            "OPS_STATUS_SECRET": SECRETS["/ops/status"],
            "OPERATOR_SECRET": SECRETS["/ops/"],
        }
        await _count_and_price(scenario, engine, more)
        async with _quiet(), open_world(scenario, engine, **more) as world:
            document = (await world.request("GET", "/schema/openapi.json")).body
            yield AttackTarget(world, owner, giver, heir, legacy, gift, document)


async def _count_and_price(scenario: Scenario, engine: AsyncEngine, more: dict[str, str]) -> None:
    """Before the API looks for the first time, so that it has statistics and prices to answer with."""
    chain = Chain(settings_for(scenario, "postgresql://unused@localhost/unused", **more).chains[0])
    try:
        await ChainIndex(engine, chain).run()
        await PricePass(engine, chain).run()
        with TemporaryDirectory() as folder:
            await StatisticsPass(engine, chain, LocalFiles(Path(folder))).run()
    finally:
        await chain.close()


@asynccontextmanager
async def _quiet() -> AsyncIterator[None]:
    """Thousands of refusals are what is asked for; a drawn traceback of each takes longer than all else."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    try:
        yield
    finally:
        structlog.reset_defaults()


def attack(target: AttackTarget, examples: int, number: int, *, boundaries: bool = True) -> AttackFindings:
    """Send so many cases to each operation, and each boundary case once. Blocking: the server is another thread's."""
    schema = openapi.from_dict(target.document, config=SchemathesisConfig(seed=number))
    findings = AttackFindings()
    with requests.Session() as session:
        for result in schema.get_all_operations():
            operation = result.ok()  # type: ignore[union-attr]  # an `Err` says what is wrong of the schema
            for case in _boundary_cases(operation) if boundaries else ():
                _try(target, session, operation, case, findings)
            for mode in GenerationMode:
                _generated(target, session, operation, mode, examples, number, findings)
    return findings


def _boundary_cases(operation: APIOperation[Any, Any, Any, Any]) -> Iterator[Case]:
    generation = operation.schema.config.generation_for(operation=operation)
    return operation.schema.iter_coverage_cases(
        operation, generation_modes=list(GenerationMode), generation_config=generation
    )


def _generated(
    target: AttackTarget,
    session: requests.Session,
    operation: Any,
    mode: GenerationMode,
    examples: int,
    number: int,
    findings: AttackFindings,
) -> None:
    if mode is GenerationMode.NEGATIVE and not (operation.body or operation.path_parameters or operation.query):
        return

    turns = cycle((True, False))  # by chance eight cases may all be unsigned, and get no further than the signature

    @seed(number)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def one(case: Case) -> None:
        if next(turns) and isinstance(case.body, dict):
            case.body = _signed(target, operation.path, case.body)
        _try(target, session, operation, case, findings)

    with suppress(Unsatisfiable):  # nothing can be wrong with a path of any text
        one()


def _signed(target: AttackTarget, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """The body, now about what exists here and signed by who may, where its message can be made of it at all."""
    world = target.world
    about: dict[str, Any] = {"chainId": world.chain_id, "deadline": world.deadline()}
    payload = body.get("payload")
    if isinstance(payload, str) and "payload" in body:
        try:
            hashed = hashlib.sha256(payload.encode()).digest()
        except UnicodeEncodeError:
            return body
    if path in PATHS.values():
        kind = next(kind for kind, known in PATHS.items() if known == path)
        about |= {"legacy": target.legacy.address}
        message = {"legacy": target.legacy.address, "deadline": about["deadline"]}
        fields, signer = INGEST[::2], target.owner
        if kind == "IngestLegacy":
            if not isinstance(payload, str):
                return body | about
            fields, message = INGEST, message | {"payloadHash": hashed}
    elif path in GIVERS_TYPES:
        kind, fields = GIVERS_TYPES[path]
        about |= {"giver": target.giver.address}
        signer, message = target.giver, {"deadline": about["deadline"]}
        if path == "/gift/notify" and isinstance(payload, str):
            message["payloadHash"] = hashed
        elif path == "/gift/notify/erase":
            about["timelockId"] = str(target.gift)
            message["timelockId"] = target.gift
        elif path == "/gift/recipient-wallet" and isinstance(body.get("email"), str):
            email = body["email"].strip().lower().encode("utf-8", "replace")
            message["emailHash"] = hashlib.sha256(email).digest()
        else:
            return body | about
    elif path.startswith("/sponsor"):
        ours = {"router": target.legacy.router, "legacyId": str(target.legacy.id), "timelockId": str(target.gift)}
        people = {"owner": target.owner.address, "beneficiary": target.heir.address, "recipient": target.heir.address}
        return body | about | {name: value for name, value in {**ours, **people}.items() if name in body}
    else:
        return body
    domain = {"name": "Reminder Worker", "version": "1", "chainId": world.chain_id}
    signature = signer.sign_typed_data(domain, {kind: fields}, message).signature.to_0x_hex()
    return body | about | {"signature": signature}


def _try(target: AttackTarget, session: requests.Session, operation: Any, case: Case, findings: AttackFindings) -> None:
    secret = next((value for path, value in SECRETS.items() if operation.path.startswith(path)), None)
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    try:
        answer = case.call(
            base_url=target.world.url, session=session, headers=headers, allow_redirects=False, timeout=60
        )
    except (requests.exceptions.InvalidHeader, requests.exceptions.InvalidURL, UnicodeError):
        return  # nothing that a client could put on the wire
    findings.statuses[f"{operation.label} {answer.status_code}"] += 1
    is_ours = answer.request.method == operation.method.upper()
    for fault in _faults(target, operation, case, answer, is_ours):
        findings.faults.setdefault(f"{operation.label}: {answer.status_code}: {fault}", case.as_curl_command())


def _faults(target: AttackTarget, operation: Any, case: Case, answer: Any, is_ours: bool) -> Iterator[str]:
    if answer.status_code >= 500 and answer.status_code != 503:
        yield f"the server failed: {answer.text[:200]}"
    content = answer.content.decode("utf-8", "replace")
    if answer.status_code >= 400:
        problem = json.loads(content)
        described = operation.definition.raw["responses"].get(str(answer.status_code), {}).get("description", "")
        if is_ours and f"`{problem['code']}`" not in described:
            yield f"`{problem['code']}` is not in the document"
        for text in _strings([case.path_parameters, case.query, case.body]):
            if len(text) >= ECHO_LENGTH and text in content and text not in json.dumps(target.document):
                yield "the answer repeats what was sent"
    if is_ours:
        try:
            case.validate_response(answer, checks=CHECKS)
        except (Failure, FailureGroup) as failure:
            yield str(failure)[:400]


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield str(name)
            yield from _strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)


def told(findings: AttackFindings) -> str:
    """Faults with a command that shows each, for a person."""
    return "\n".join(f"{fault}\n    {re.sub(chr(10), ' ', how)[:600]}" for fault, how in findings.faults.items())
