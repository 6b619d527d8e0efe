"""Dagster's storage with open connections: dagster-postgres connects anew for each statement, 885 times a minute."""

import os
from collections.abc import Mapping
from typing import Any

import dagster as dg
from dagster_postgres import DagsterPostgresStorage


class PooledPostgresStorage(DagsterPostgresStorage):
    """Storage that `dagster.yaml` names. A process keeps three connections: for runs, events and schedules.

    `optimize_for_webserver` sets up the pool of Dagster's web server. Threads that work at the same time open further
    connections. Statements have no time limit, as without the pool.
    """

    def __init__(self, postgres_url: str, inst_data: Any = None) -> None:
        super().__init__(postgres_url, inst_data=inst_data)
        for storage in (self.run_storage, self.event_log_storage, self.schedule_storage):
            storage.optimize_for_webserver(statement_timeout=0, pool_recycle=3600, max_overflow=20)

    @classmethod
    def config_type(cls) -> dict[str, Any]:
        return {}

    @classmethod
    def from_config_value(cls, inst_data: Any, config_value: Mapping[str, Any]) -> Any:
        """Connect to DAGSTER_PG_URL; without it, files for `dg` and `dagster` in a checkout, never an installation."""
        if url := os.environ.get("DAGSTER_PG_URL"):
            return cls(url, inst_data)
        if os.environ.get("DAGSTER_HOME"):
            raise dg.DagsterInvariantViolationError(
                "DAGSTER_PG_URL is not set; .env.example explains it. To check the definitions without a database, run"
                " `env -u DAGSTER_HOME dagster definitions validate -m pipelines.definitions`"
            )
        # Dagster has no public name for the class behind `storage: {sqlite: …}`.
        from dagster._core.storage.sqlite_storage import DagsterSqliteStorage

        return DagsterSqliteStorage.from_local(".local/dagster", inst_data)
