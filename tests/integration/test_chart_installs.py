"""Helm installs and updates with our chart: the database is migrated before anything changes."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.stand_in_cluster import StandInCluster, stand_in_cluster
from tests.unit.deploy.parts import DEPLOY, example_values

helm = pytest.importorskip("helm_python", reason="Helm's library has no package for this platform")
CHART = DEPLOY / "chart"


@pytest.fixture
def cluster() -> Iterator[StandInCluster]:
    with stand_in_cluster() as started:
        yield started


@pytest.mark.core
def test_helm_migrates_before_it_changes_anything_and_stops_if_that_fails(cluster: StandInCluster) -> None:
    """Helm's own library installs and updates; only the cluster is a stand-in."""
    given: dict[str, Any] = {"namespace": "reminder-worker", "timeout": 60}
    place = {"kubeconfig_content": cluster.kubeconfig(), "namespace": "reminder-worker", "storage_driver": "memory"}
    with helm.Config(**place) as config:
        for act in (config.install, config.upgrade):
            cluster.history.clear()
            act(CHART, "worker", example_values(), **given)
            assert cluster.history[:2] == ["jobs/migrate", "migrate: Complete"]
            assert {"configmaps/worker-settings", "deployments/api"} <= set(cluster.history[2:])
        cluster.history.clear()
        cluster.jobs_succeed = False
        with pytest.raises(helm.HelmError, match="Job Failed"):
            config.upgrade(CHART, "worker", example_values(), **given)
        assert cluster.history == ["jobs/migrate", "migrate: Failed"]
