"""Alembic's entry point; `reminder_worker.database.migrate` hands over the connection."""

from alembic import context

from reminder_worker.database.tables import SCHEMA

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    version_table_schema=SCHEMA,
    include_schemas=True,
    include_name=lambda name, kind, _parents: name == SCHEMA if kind == "schema" else True,
)
with context.begin_transaction():
    context.run_migrations()
