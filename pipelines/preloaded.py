"""Imports of a run and of the code server: Python's fork server loads this module once, and both are copies of it.

Nothing is open in the fork server, no connection, no thread and no secret: a copy begins like a new process.
"""

import gc
from importlib import import_module
from importlib.metadata import entry_points

# What a run imports, but for Polars: threads of its own would not survive the copy, and one run an hour needs it.
for _name in (
    "coincurve",  # by which eth-keys recovers signers
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
):
    import_module(_name)
(_dagster,) = entry_points(group="console_scripts", name="dagster")
run_dagster = _dagster.load()

gc.collect()
gc.freeze()  # a collection would write to all objects, and memory that is written to is no longer shared
