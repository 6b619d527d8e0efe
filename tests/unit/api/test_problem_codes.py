"""The enumerations of the OpenAPI document hold the codes that the code has, no more and no fewer."""

import ast
import inspect
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from textwrap import dedent
from typing import get_args

from api import problems, sponsor_bodies
from api.problem_codes import ProblemCode, RequestErrorCode, SponsorReason
from reminder_worker.errors import NotConfigured, Unavailable
from reminder_worker.relay import contract_errors, models, waiting
from reminder_worker.relay.intake import RelayIntake, _read_version
from reminder_worker.relay.wallet import RelayWallet

ROOT = Path(__file__).parents[3]
NEVER_ANSWERED = {"decryption_failed", "pass_failed"}  # answered as `internal`
OF_RENEWALS = {"began_anew"}  # whose requests nobody may follow


def calls() -> Iterator[ast.Call]:
    for path in chain((ROOT / "api").rglob("*.py"), (ROOT / "reminder_worker").rglob("*.py")):
        yield from (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))


def texts(nodes: Iterator[ast.AST]) -> set[str]:
    """Plain strings; a code of a variable is of a class or of a table."""
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def arguments(name: str, position: int) -> set[str]:
    """The codes that calls of this name are given."""
    named = [call for call in calls() if ast.unparse(call.func) == name]
    return texts(node for call in named if len(call.args) > position for node in ast.walk(call.args[position]))


def returned(of: object) -> set[str]:
    """The texts that a function returns."""
    tree = ast.parse(dedent(inspect.getsource(of)))  # type: ignore[arg-type]
    return texts(node.value for node in ast.walk(tree) if isinstance(node, ast.Return) and node.value)


def test_every_code_of_a_problem_is_in_the_document_and_no_other_is() -> None:
    frozen = (ROOT / "tests" / "golden" / "problem_codes.txt").read_text()
    of_classes = {line.split()[1] for line in frozen.splitlines()} - NEVER_ANSWERED
    framework = {code for code, *_ in problems._FRAMEWORK.values()} | arguments("make_problem", 1)
    contracts = {code for code, _ in contract_errors._SENTENCES.values()} | {contract_errors.WOULD_FAIL}
    contracts |= arguments("ContractRefused", 0)
    limits = arguments("LimitReached", 2)
    limits |= texts(word.value for call in calls() for word in call.keywords if word.arg == "code")
    assert {"not_a_gift", "signer_paused", "cooldown", "daily_cap_reached"} <= contracts | limits
    assert of_classes | framework | contracts | limits == set(get_args(ProblemCode))


def test_every_code_of_a_requests_end_is_in_the_document_and_no_other_is() -> None:
    ends = {state.value for state in sponsor_bodies._SENTENCES} - {models.RequestState.MINED.value}
    named = {models.FAILED_ON_CHAIN, models.CANCELLED_BY_OPERATOR, models.FOREIGN_NONCE}
    kept = set(waiting._REASONS) | arguments("RequestEnding", 1)
    passed_over = set.union(returned(waiting.RequestStarter._check_one), returned(waiting.RequestStarter._check_claim))
    assert passed_over - OF_RENEWALS <= kept
    assert ends | named | kept == set(get_args(RequestErrorCode))


def test_every_reason_for_not_relaying_is_in_the_document_and_no_other_is() -> None:
    found = returned(RelayWallet.read_readiness) | arguments("RelayStopped", 1) | {NotConfigured.code, Unavailable.code}
    versions = ast.walk(ast.parse(dedent(inspect.getsource(RelayIntake._read_chain_status))))
    found |= texts(node.orelse for node in versions if isinstance(node, ast.IfExp))
    assert "RouterVersionUnsupported.code" in inspect.getsource(_read_version)
    assert found | {"router_version_unsupported"} == set(get_args(SponsorReason))
