"""A stand-in of the Kubernetes API, as far as Helm's library asks. It keeps objects and the order of writes."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

KINDS = {
    "v1": {"configmaps": "ConfigMap", "services": "Service", "persistentvolumeclaims": "PersistentVolumeClaim"},
    "apps/v1": {"deployments": "Deployment"},
    "batch/v1": {"jobs": "Job"},
    "networking.k8s.io/v1": {"networkpolicies": "NetworkPolicy"},
    "policy/v1": {"poddisruptionbudgets": "PodDisruptionBudget"},
}


class StandInCluster:
    """Its jobs end only when somebody watches them; `history` has every write, and the end of each job."""

    def __init__(self) -> None:
        self.jobs_succeed = True
        self.history: list[str] = []
        self.objects: dict[str, dict[str, Any]] = {}
        self.url = ""
        self.closed = Event()

    def kubeconfig(self) -> str:
        return json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": "here",
                "clusters": [{"name": "here", "cluster": {"server": self.url}}],
                "users": [{"name": "me", "user": {}}],
                "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me"}}],
            }
        )

    def write(self, path: str, sent: dict[str, Any]) -> dict[str, Any]:
        self.history.append("/".join(path.split("/")[-2:]))
        sent["metadata"] |= {"uid": path, "resourceVersion": "1", "generation": 1}
        self.objects[path] = sent
        return sent

    def ended(self, path: str) -> dict[str, Any]:
        name = "Complete" if self.jobs_succeed else "Failed"
        job = self.objects[path] | {"status": {"conditions": [{"type": name, "status": "True"}]}}
        self.history.append(f"{job['metadata']['name']}: {name}")
        return job

    def describe(self, path: str) -> dict[str, Any] | None:
        """Tell the version, the kinds, and that the cluster itself checks the fields."""
        match path.strip("/").split("/"):
            case ["version"]:
                return {"major": "1", "minor": "34", "gitVersion": "v1.34.0"}
            case ["api"]:
                return {"kind": "APIVersions", "versions": ["v1"]}
            case ["apis"]:
                versions = [{"groupVersion": each, "version": "v1"} for each in KINDS if "/" in each]
                groups = [
                    {"name": each["groupVersion"].split("/")[0], "versions": [each], "preferredVersion": each}
                    for each in versions
                ]
                return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}
            case ["api" | "apis", *rest] if "/".join(rest) in KINDS:
                kinds = KINDS["/".join(rest)].items()
                resources = [{"name": name, "namespaced": True, "kind": kind, "verbs": []} for name, kind in kinds]
                return {"kind": "APIResourceList", "groupVersion": "/".join(rest), "resources": resources}
            case ["openapi", "v3"]:
                places = {f"{'apis' if '/' in each else 'api'}/{each}": each for each in KINDS}
                return {"paths": {name: {"serverRelativeURL": f"/openapi/v3/{each}"} for name, each in places.items()}}
            case ["openapi", "v3", *rest]:
                return {"openapi": "3.0.0", "info": {}, "paths": self._checked_fields("/".join(rest))}
        return None

    @staticmethod
    def _checked_fields(version: str) -> dict[str, Any]:
        def patch(kind: str) -> dict[str, Any]:
            named = {"group": version.rpartition("/")[0], "version": "v1", "kind": kind}
            return {
                "x-kubernetes-group-version-kind": named,
                "parameters": [{"name": "fieldValidation", "in": "query"}],
            }

        return {f"/{name}": {"patch": patch(kind)} for name, kind in KINDS[version].items()}


def _handler(cluster: StandInCluster) -> type[BaseHTTPRequestHandler]:
    class ClusterHandler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def _say(self, answer: dict[str, Any], code: int = 200) -> None:
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode() + b"\n")

        def do_GET(self) -> None:
            url = urlsplit(self.path)
            known = cluster.describe(url.path) or cluster.objects.get(url.path)
            if known:
                self._say(known)
            elif "watch" in parse_qs(url.query):
                self._watch_jobs(f"{url.path}/")
            else:
                self._say({"kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404}, 404)

        def _watch_jobs(self, folder: str) -> None:
            for path in [each for each in cluster.objects if each.startswith(folder)]:
                self._say({"type": "ADDED", "object": cluster.ended(path)})
            last = {"resourceVersion": "1", "annotations": {"k8s.io/initial-events-end": "true"}}
            bookmark = {"kind": "Job", "apiVersion": "batch/v1", "metadata": last}
            self.wfile.write(json.dumps({"type": "BOOKMARK", "object": bookmark}).encode() + b"\n")
            cluster.closed.wait()

        def do_PATCH(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._say(cluster.write(urlsplit(self.path).path, sent))

        def do_DELETE(self) -> None:
            cluster.objects.pop(urlsplit(self.path).path, None)
            self._say({"kind": "Status", "status": "Success"})

    return ClusterHandler


@contextmanager
def stand_in_cluster() -> Iterator[StandInCluster]:
    cluster = StandInCluster()
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(cluster)) as server:
        server.daemon_threads = True
        cluster.url = f"http://127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield cluster
        finally:
            cluster.closed.set()
            server.shutdown()
