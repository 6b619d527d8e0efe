"""Parts of every command: settings from the environment, the runtime, tables and sentences."""

import os
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from reminder_worker.errors import Misconfigured, ServiceError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress
    from rich.table import Table

    from reminder_worker.runtime import Runtime
    from reminder_worker.settings import Settings

T = TypeVar("T")
PIPE_WIDTH = 1000
EXIT_CODES = "Exit codes: 0 all is well, 1 something is wrong, 2 wrong usage."


class PlainErrors(click.Group):
    """Group of commands: an error of the service is a sentence for the operator, not a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except ServiceError as error:
            raise click.ClickException(str(error)) from None


def add_example(*lines: str) -> str:
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in lines)


def is_env_file(path: Path) -> bool:
    """Return True for a file or a pipe of a password manager; a directory of that name is a virtual environment."""
    return path.exists() and not path.is_dir()


def read_settings() -> "Settings":
    from reminder_worker.settings import Settings

    try:
        return Settings.from_environ(os.environ)
    except Misconfigured as error:
        if click.get_current_context().find_root().params["env_file"] or is_env_file(Path(".env")):
            raise
        raise Misconfigured(f"{error}\nNo .env was read: this directory has none, and --env-file names none.") from None


def chosen_chain(settings: "Settings", chain_id: int | None) -> int:
    known = [chain.chain_id for chain in settings.chains]
    if chain_id is None and len(known) == 1:
        return known[0]
    if chain_id in known:
        return chain_id
    raise click.UsageError(f"--chain: one of {', '.join(map(str, known))}")


def with_runtime(work: Callable[["Runtime"], Awaitable[T]]) -> T:
    """Run `work` with an open runtime, logging to standard error."""
    from reminder_worker.logging import configure_logging
    from reminder_worker.runtime import open_runtime

    found = read_settings()
    configure_logging(found)

    async def run_opened() -> T:
        async with open_runtime(found) as runtime:
            return await work(runtime)

    return run_async(run_opened())


def run_async(work: Coroutine[Any, Any, T]) -> T:
    import uvloop
    from sqlalchemy.exc import OperationalError, ProgrammingError

    try:
        return uvloop.run(work)
    except (OperationalError, ProgrammingError) as error:
        state = getattr(error.orig, "sqlstate", None)
        if isinstance(error, OperationalError) and state is None:  # it was not reached, or let nobody in
            words = "the database does not answer, or refuses us: see DATABASE_URL and the database's own log"
            raise Misconfigured(words) from None
        # A full disk, no writes, a missing right of the user, an unknown option.
        refusal = f"the database refuses ({type(error.orig).__name__}): see DATABASE_URL, and the database's own log"
        raise Misconfigured(refusal) from None


def words_of(value: Any) -> str:
    """Format a part of a pass's report; zeros of nested counts are left out."""
    if isinstance(value, Mapping):
        told = " ".join(f"{key}={words_of(each)}" for key, each in value.items() if each)
        return f"({told})" if told else "none"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(map(words_of, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def make_console() -> "Console":
    """Return a console. When stdout is not a terminal, it does not wrap: no id is cut."""
    from rich.console import Console

    found = Console(highlight=False)
    if not found.is_terminal and "COLUMNS" not in os.environ:
        found.width = PIPE_WIDTH
    return found


def make_table(*headers: str, **options: Any) -> "Table":
    """Return a table; in a narrow terminal cells take more lines, and no id is cut."""
    from rich.table import Column, Table

    return Table(*(Column(header, overflow="fold") for header in headers), **options)


def say_more(found: Sequence[Any], limit: int) -> None:
    """Print a hint below a list if there is more than `limit`."""
    if len(found) > limit:
        click.echo(f"There are more than these {limit}: see them with a larger --limit.")


def make_progress(*, alike: bool = True) -> "Progress":
    """Return a progress bar, hidden without a terminal; for unlike steps it shows the time taken, not the time left."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    on_stderr = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    clock = TimeRemainingColumn() if alike else TimeElapsedColumn()
    return Progress(*columns, clock, console=on_stderr, disable=not on_stderr.is_terminal)
