"""The statements of `queries.sql`, by name."""

from pathlib import Path
from typing import Final

from reminder_worker.database.queries import load_queries

sql: Final = load_queries(Path(__file__).with_name("queries.sql"))
