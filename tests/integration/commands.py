"""`reminder-worker`, run in this process."""

import psycopg
from click.testing import CliRunner, Result

from reminder_worker.cli.main import main


class CliRun:
    """Of an installation, whose database it looks into, too."""

    def __init__(self, environ: dict[str, str]) -> None:
        self.environ = environ

    def __call__(self, *arguments: str, **changes: str) -> Result:
        return CliRunner().invoke(main, arguments, env={"COLUMNS": "250", **self.environ, **changes})

    def enter(self, statement: str, values: tuple[object, ...] = ()) -> None:
        self.sql(statement, *values)

    def sql(self, statement: str, *values: object) -> list[tuple[object, ...]]:
        with psycopg.connect(self.environ["DATABASE_URL"], autocommit=True) as connection:
            done = connection.execute(statement, values)
            return done.fetchall() if done.description else []
