"""The `reminder-worker` command. Imports are made where they are needed, so that `--help` is quick.

Exit codes of every command: 0 all is well, 1 something is wrong (said in a sentence), 2 wrong usage.
"""

import os
import secrets
from base64 import b64encode
from collections.abc import Awaitable, Callable, Coroutine
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

import click

from reminder_worker.errors import Misconfigured, NotConfigured, Refused, ServiceError, Unavailable

if TYPE_CHECKING:
    from rich.progress import Progress

    from reminder_worker.passes import Outcome
    from reminder_worker.runtime import Runtime
    from reminder_worker.settings import Settings

T = TypeVar("T")
_PASSES = ("index", "signals", "due", "dispatch", "alerts")
_EXIT_CODES = "Exit codes: 0 all is well, 1 something is wrong, 2 wrong usage."


class _PlainErrors(click.Group):
    """What the service raises on purpose is a sentence for the operator, not a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except ServiceError as error:
            raise click.ClickException(str(error)) from None


def _example(*lines: str) -> str:
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in lines)


@click.group(cls=_PlainErrors, epilog=_EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--env-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Settings to read besides the environment, which wins. Default: .env in this directory, where there is one.",
)
def main(env_file: Path | None) -> None:
    """Email reminders for on-chain legacies: run it, look at it, repair it."""
    from dotenv import load_dotenv

    default = Path(".env")
    if env_file or default.is_file():
        load_dotenv(env_file or default, interpolate=False)


@main.command(epilog=_example("reminder-worker doctor"))
def doctor() -> None:
    """Look at every part and say what to do. Ends with 1 when something is wrong or half set."""
    from rich.table import Table

    from reminder_worker.doctor import examine, shown_settings

    settings = _settings()
    console = _console()
    listed = Table("variable", "value", title="Settings", title_justify="left")
    for name, value in shown_settings(settings):
        listed.add_row(name, value)
    console.print(listed)
    marks = {True: "[green]ok[/]", False: "[bold red]wrong[/]", None: "[dim]off[/]"}

    async def look() -> bool:
        wrong = False
        async for finding in examine(settings):
            wrong |= finding.good is False
            console.print(f"{marks[finding.good]:<20} [bold]{finding.part}[/]: ", end="")
            console.print(finding.words, markup=False)
        return wrong

    if _run(look()):
        raise click.exceptions.Exit(1)


@main.group()
def keys() -> None:
    """Keys of this installation."""


@keys.command(epilog=_example("reminder-worker keys new >> .env"))
def new() -> None:
    """Print a new EMAIL_ENC_KEY and HASH_KEY, 32 random bytes each. They are stored nowhere."""
    for name in ("EMAIL_ENC_KEY", "HASH_KEY"):
        click.echo(f"{name}={b64encode(secrets.token_bytes(32)).decode()}")


@main.command(epilog=_example("reminder-worker migrate"))
def migrate() -> None:
    """Create the tables, or bring them to this version. Harmless when there is nothing to do."""
    from reminder_worker.database.engine import open_engine
    from reminder_worker.database.migrate import migrate as bring_up_to_date

    settings = _settings()

    async def work() -> None:
        engine = open_engine(settings.service.database_url.get_secret_value())
        try:
            await bring_up_to_date(engine)
        finally:
            await engine.dispose()

    _run(work())
    click.echo("the database is at this version's schema")


@main.command(epilog=_example("API_PORT=8080 reminder-worker serve"))
def serve() -> None:
    """Serve the HTTP API, and /metrics on a port of its own, until SIGTERM or Ctrl-C."""
    from reminder_worker.logging import configure_logging

    settings = _settings()
    configure_logging(settings)
    # By name: the service must not depend on what is built on top of it.
    _run(import_module("api.server").serve(settings))


@main.command(epilog=_example("reminder-worker tick", "reminder-worker tick --pass dispatch"))
@click.option("--pass", "only", type=click.Choice(_PASSES), help="This pass only.")
def tick(only: str | None) -> None:
    """One round of all passes in this process, without Dagster: for cron and for emergencies.

    A pass that fails does not stop the others; the command then ends with 1.
    """
    from rich.table import Table

    shown = Table("pass", "chain", "outcome", "report")

    async def work(runtime: "Runtime") -> bool:
        well = True
        for name in (only,) if only else _PASSES:
            for chain, outcome, report in await _one_pass(runtime, name):
                shown.add_row(name, chain, outcome, report)
                well &= outcome != "failed"
        return well

    well = _with_runtime(work)
    _console().print(shown)
    if not well:
        raise click.exceptions.Exit(1)


async def _one_pass(runtime: "Runtime", name: str) -> list[tuple[str, str, str]]:
    """(chain, outcome, report) for each chain; a failure is in the log, by class."""
    from reminder_worker import passes

    def row(outcome: "Outcome") -> tuple[str, str, str]:
        report = " ".join(f"{key}={value}" for key, value in (outcome.report or {}).items())
        return (str(outcome.chain_id or "all"), "done", report)

    try:
        return [row(outcome) for outcome in await passes.run(runtime, name)]
    except NotConfigured as off:
        return [("all", "off", str(off))]
    except passes.PassFailed as failed:
        return [("some", "failed", str(failed))]


@main.command(epilog=_example("reminder-worker backfill --from-block 20000000 --chain 1"))
@click.option("--from-block", type=click.IntRange(min=0), required=True, help="First block to read again.")
@click.option("--chain", "chain_id", type=int, help="Chain id; may be left out when there is one chain.")
def backfill(from_block: int, chain_id: int | None) -> None:
    """Read a chain's logs again from a block into our own index. Sends no email for the past."""
    chosen = _chosen_chain(_settings(), chain_id)

    async def work(runtime: "Runtime") -> int:
        index = runtime.chain_indexes[chosen]
        await index.rewind_to(from_block)
        with _progress() as progress:
            task = progress.add_task("reading blocks", total=None)
            while True:
                done = await index.advance(budget_seconds=2)
                if done.head is not None:
                    total = max(1, done.head - from_block)
                    progress.update(task, total=total, completed=min(total, done.last_block - from_block))
                if not done.more:
                    return done.last_block

    last = _with_runtime(work)
    click.echo(f"chain {chosen}: the index is at block {last}")


@main.command(epilog=_example("reminder-worker requeue --all", "reminder-worker requeue 2f0c9e6a-…"))
@click.argument("ids", nargs=-1, type=click.UUID)
@click.option("--all", "everything", is_flag=True, help="Every dead email.")
def requeue(ids: tuple[UUID, ...], everything: bool) -> None:
    """Put dead emails (refused three times as malformed) back to the queue, by their ids or all of them.

    Without ids it lists the emails that are dead or held.
    """
    from reminder_worker.reminders.ledger import requeue as back_to_the_queue
    from reminder_worker.reminders.ledger import stuck

    if ids and everything:
        raise click.UsageError("give ids, or --all")
    if not ids and not everything:
        for row in _with_runtime(lambda runtime: stuck(runtime.engine)):
            click.echo(f"{row.id}  {row.state}  {row.kind}  chain {row.chain_id}  {row.legacy}  {row.age} s")
        return

    async def work(runtime: "Runtime") -> int:
        return await back_to_the_queue(runtime.engine, None if everything else ids)

    count = _with_runtime(work)
    click.echo(f"{count} back in the queue")
    if count < len(ids):
        raise click.ClickException(f"{len(ids) - count} of the ids are not dead emails")


@main.command("rotate-key", epilog=_example("EMAIL_ENC_KEY=new EMAIL_ENC_KEYS_OLD=old reminder-worker rotate-key"))
def rotate_key() -> None:
    """Encrypt everything stored anew under EMAIL_ENC_KEY while serving; EMAIL_ENC_KEYS_OLD opens what is there."""
    from sqlalchemy import func, select

    from reminder_worker.database.tables import recipient
    from reminder_worker.reminders.recipients import rotate

    async def work(runtime: "Runtime") -> int:
        older = select(func.count()).where(recipient.c.key_id != runtime.vault.key_id)
        async with runtime.engine.connect() as connection:
            total = await connection.scalar(older) or 0
        done = 0
        with _progress() as progress:
            task = progress.add_task("encrypting anew", total=total)
            async for rows in rotate(runtime.engine, runtime.vault):
                done += rows
                progress.update(task, completed=done)
        return done

    count = _with_runtime(work)
    click.echo(f"{count} recipients encrypted anew; nothing needs EMAIL_ENC_KEYS_OLD any more")


@main.command(epilog=_example("reminder-worker --env-file .local/env inbox", "reminder-worker inbox 3"))
@click.argument("number", type=int, required=False)
def inbox(number: int | None) -> None:
    """Emails that the local stack received: a list, or one of them by its number. Local stack only."""
    from rich.table import Table

    if not _settings().is_local:
        raise Refused("stored emails are shown on the local stack only (ENVIRONMENT=local)")
    messages = _run(_inbox_messages())
    if number is None:
        shown = Table("no", "received", "to", "subject")
        for message in messages:
            shown.add_row(str(message["number"]), message["receivedAt"][11:19], message["to"], message["subject"])
        _console().print(shown)
        return
    found = next((message for message in messages if message["number"] == number), None)
    if found is None:
        raise Refused(f"there is no email {number}")
    click.echo(f"To: {found['to']}\nSubject: {found['subject']}\n\n{found['text']}")


async def _inbox_messages() -> list[dict[str, Any]]:
    import aiohttp

    url = os.environ.get("INBOX_URL", "http://127.0.0.1:8025")
    try:
        async with aiohttp.ClientSession() as session, session.get(f"{url}/api/messages") as response:
            messages: list[dict[str, Any]] = await response.json()
            return messages
    except (aiohttp.ClientError, OSError, ValueError):
        raise Unavailable(f"no inbox answers at {url}: is the local stack running (make demo)?") from None


def _settings() -> "Settings":
    from reminder_worker.settings import Settings

    return Settings.from_environ(os.environ)


def _chosen_chain(settings: "Settings", chain_id: int | None) -> int:
    known = [chain.chain_id for chain in settings.chains]
    if chain_id is None and len(known) == 1:
        return known[0]
    if chain_id in known:
        return chain_id
    raise click.UsageError(f"--chain: one of {', '.join(map(str, known))}")


def _with_runtime(work: Callable[["Runtime"], Awaitable[T]]) -> T:
    """Run with all parts open, logging to standard error."""
    from reminder_worker.logging import configure_logging
    from reminder_worker.runtime import open_runtime

    settings = _settings()
    configure_logging(settings)

    async def opened() -> T:
        async with open_runtime(settings) as runtime:
            return await work(runtime)

    return _run(opened())


def _run(work: Coroutine[Any, Any, T]) -> T:
    import uvloop
    from sqlalchemy.exc import OperationalError

    try:
        return uvloop.run(work)
    except OperationalError:
        raise Misconfigured("the database does not answer: see DATABASE_URL, is it running?") from None


def _console() -> Any:
    from rich.console import Console

    return Console(highlight=False)


def _progress() -> "Progress":
    """A bar on a terminal, nothing elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, disable=not console.is_terminal)


if __name__ == "__main__":
    main()
