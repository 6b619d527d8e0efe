"""Dagster's storage with open connections: dagster-postgres connects anew for each statement, 885 times a minute."""

from collections.abc import Mapping
from typing import Any, Self

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
    def from_config_value(cls, inst_data: Any, config_value: Mapping[str, Any]) -> Self:
        return cls(config_value["postgres_url"], inst_data)
