"""Actions of an operator in Dagster's UI, by its GraphQL."""

import json

from devnet.evidence import NotSeen
from devnet.parts import ask

LOCATION = "reminder_worker"
_LAUNCH = """
mutation Launch($params: ExecutionParams!) {
  launchRun(executionParams: $params) { __typename ... on LaunchRunSuccess { run { runId } } }
}"""


def launch(dagster_url: str, job: str) -> str:
    """Launch a job; its run's id. Raises `NotSeen`."""
    selector = {"repositoryLocationName": LOCATION, "repositoryName": "__repository__", "jobName": job}
    variables = {"params": {"selector": selector, "runConfigData": {}}}
    body = json.dumps({"query": _LAUNCH, "variables": variables})
    answer = json.loads(ask(f"{dagster_url}/graphql", "POST", body)[1])
    launched = (answer.get("data") or {}).get("launchRun") or {}
    if launched.get("__typename") != "LaunchRunSuccess":
        raise NotSeen(f"Dagster did not launch {job}: {launched.get('__typename') or answer.get('errors')}")
    return str(launched["run"]["runId"])
