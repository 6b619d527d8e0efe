"""Runs start as copies of a process that has imported everything already.

The code server gives each run a new Python, and to import Dagster and the worker there takes longer than the work of
most runs. Python's fork server (`multiprocessing`) imports both once and is copied for each run; nothing is open in it,
no connection, no thread and no secret, so that a copy begins as a new process would. Dagster has no setting for this,
hence the attribute that is replaced: were it gone after an upgrade, runs would start as slowly as before.
"""

import multiprocessing
import sys
from typing import Final

# What a run imports, but for Polars: threads of its own would not survive the copy, and one run an hour needs it.
PRELOADED: Final = (
    "coincurve",  # by which eth-keys recovers signers
    "dagster._cli",  # the code server's main module, which a copy imports as well
    "dagster._grpc.impl",
    "dagster_postgres",
    "pipelines.definitions",
    "psycopg",
    "reminder_worker.chain.questions",
    "reminder_worker.logging",
    "reminder_worker.monitoring.facts",
    "reminder_worker.passes",
    "reminder_worker.runtime",
    "sqlalchemy.dialects.postgresql.psycopg",
    "uvloop",
)


def start_runs_warm() -> None:
    """In the code server, which has loaded its own module before ours; elsewhere nothing happens."""
    server = sys.modules.get("dagster._grpc.server")
    if server is None or sys.platform != "linux":  # elsewhere libraries of the system do not survive a copy
        return
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(PRELOADED))
    server.DagsterApiServicer._mp_ctx = property(lambda _: context, lambda _, new_python: None)
