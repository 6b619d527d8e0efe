"""Tables and files behind an asset, column by column: the words of PostgreSQL's comments and of the files' metadata."""

import dagster as dg
from sqlalchemy.dialects import postgresql

from reminder_worker import schema
from reminder_worker.statistics import dataset

_DIALECT = postgresql.dialect()  # type: ignore[no-untyped-call]


def describe_table(name: str) -> dict[str, str | dg.TableSchema]:
    """Return the name and the columns of a table of ours as metadata of an asset."""
    table = schema.metadata.tables[f"{schema.SCHEMA}.{name}"]
    columns = [
        dg.TableColumn(
            column.name,
            column.type.compile(_DIALECT).lower(),
            column.comment,
            dg.TableColumnConstraints(nullable=bool(column.nullable)),
        )
        for column in table.columns
    ]
    return {"dagster/table_name": table.fullname, "dagster/column_schema": dg.TableSchema(columns)}


def describe_files(*names: str) -> dict[str, dg.TableSchema]:
    """Return the columns of Parquet files as metadata of an asset, beside those of its own table."""
    return {f"columns of {name}": describe_file(name) for name in names}


def describe_file(name: str) -> dg.TableSchema:
    columns = {**dataset.PARTITIONS, **dataset.FILES[name].columns}
    return dg.TableSchema([dg.TableColumn(column, words.type, words.text) for column, words in columns.items()])
