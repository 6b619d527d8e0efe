"""What an operator does in Dagster's UI, by its GraphQL."""

import http.client
import json
from urllib.parse import urlsplit

from devnet.evidence import NotSeen
from devnet.parts import PATIENCE_SECONDS

LOCATION = "reminder_worker"
_LAUNCH = """
mutation Launch($params: ExecutionParams!) {
  launchRun(executionParams: $params) { __typename ... on LaunchRunSuccess { run { runId } } }
}"""


def launch(dagster_url: str, job: str) -> str:
    """Launch a job; its run's id. Raises `NotSeen`."""
    selector = {"repositoryLocationName": LOCATION, "repositoryName": "__repository__", "jobName": job}
    variables = {"params": {"selector": selector, "runConfigData": {}}}
    parts = urlsplit(dagster_url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE_SECONDS)
    try:
        body = json.dumps({"query": _LAUNCH, "variables": variables})
        connection.request("POST", "/graphql", body, {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
    finally:
        connection.close()
    launched = (answer.get("data") or {}).get("launchRun") or {}
    if launched.get("__typename") != "LaunchRunSuccess":
        raise NotSeen(f"Dagster did not launch {job}: {launched.get('__typename') or answer.get('errors')}")
    return str(launched["run"]["runId"])
