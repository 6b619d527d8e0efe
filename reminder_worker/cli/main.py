"""The `reminder-worker` command. Heavy modules are imported inside the commands: `--help` stays quick.

Exit codes of every command: 0 all is well, 1 something is wrong (said in a sentence), 2 wrong usage.
"""

import json
import logging
import os
import secrets
from base64 import b64encode
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import click

from reminder_worker import __version__
from reminder_worker.cli import parts
from reminder_worker.cli.relay import relay
from reminder_worker.cli.upgrades import upgrades
from reminder_worker.declarations import WorkerPass
from reminder_worker.errors import NotConfigured, Refused, Unavailable
from reminder_worker.features import PASS_BY_NAME, PASSES
from reminder_worker.interrupts import accept_interrupts
from reminder_worker.statistics.feature import STATISTICS

if TYPE_CHECKING:
    from reminder_worker.doctor import Finding
    from reminder_worker.passes import PassOutcome
    from reminder_worker.runtime import Runtime


@click.group(cls=parts.PlainErrors, epilog=parts.EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="reminder-worker", message="%(prog)s %(version)s")
@click.option(
    "--env-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File of settings; the environment wins over it. Default: .env in this directory, if that exists.",
)
def main(env_file: Path | None) -> None:
    """Email reminders for on-chain legacies: run it, look at it, repair it."""
    accept_interrupts()
    from dotenv import load_dotenv
    from dotenv.parser import parse_stream

    found = env_file or Path(".env")
    try:
        if parts.is_env_file(found):
            text = found.read_text(encoding="utf-8")  # at once: a pipe says it only once
            for read in parse_stream(StringIO(text)):
                if read.error or (read.key and read.value is None):  # the setting, a cap for example, would be ignored
                    line = read.original.line
                    raise click.ClickException(f"{found}: line {line} is no NAME=value, or its quotes do not end")
            load_dotenv(stream=StringIO(text), interpolate=False)
    except (OSError, UnicodeDecodeError):
        raise click.ClickException(f"{found} cannot be read: it is not text, or not for this user") from None


_VERDICTS = {True: "ok", False: "wrong", None: "off"}
_MARKS = {True: "[green]ok[/]   ", False: "[bold red]wrong[/]", None: "[dim]off[/]  "}


@main.command(epilog=parts.add_example("reminder-worker doctor", "reminder-worker doctor --json"))
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
def doctor(as_json: bool) -> None:
    """Look at every part and say what to do. Ends with 1 when something is wrong or half set."""
    from rich.markup import escape

    from reminder_worker.doctor.report import examine_installation, list_settings
    from reminder_worker.logging import configure_logging

    settings = parts.read_settings()
    configure_logging(settings, level=logging.CRITICAL)  # a log line repeats a finding
    console = parts.make_console()
    findings: list[Finding] = []

    async def examine() -> None:
        async for finding in examine_installation(settings):
            findings.append(finding)
            if not as_json:
                console.print(f"{_MARKS[finding[1]]}  [bold]{finding[0]}[/]: ", end="")
                console.print(finding[2], markup=False)

    parts.run_async(examine())
    wrong = sorted({part for part, verdict, _ in findings if verdict is False})
    if as_json:
        told = [{"part": part, "verdict": _VERDICTS[verdict], "words": words} for part, verdict, words in findings]
        answer = {"well": not wrong, "findings": told, "settings": dict(list_settings(settings))}
        click.echo(json.dumps(answer, ensure_ascii=False, indent=2))
    else:
        listed = parts.make_table("variable", "value", title="Settings", title_justify="left")
        for name, value in list_settings(settings):
            listed.add_row(name, escape(value))
        console.print(listed)
        click.echo(
            f"{len(wrong)} wrong: {', '.join(wrong)}"
            if wrong
            else f"all is well: {len(findings)} findings, none is wrong"
        )
    if wrong:
        raise click.exceptions.Exit(1)


main.add_command(relay)
main.add_command(upgrades)


@main.group()
def keys() -> None:
    """Keys of this installation."""


@keys.command(epilog=parts.add_example("reminder-worker keys new >> .env"))
def new() -> None:
    """Print a new EMAIL_ENC_KEY and HASH_KEY, 32 random bytes each. They are stored nowhere."""
    for name in ("EMAIL_ENC_KEY", "HASH_KEY"):
        click.echo(f"{name}={b64encode(secrets.token_bytes(32)).decode()}")


@main.command(epilog=parts.add_example("reminder-worker migrate"))
def migrate() -> None:
    """Create the tables, or bring them to this version. Harmless when there is nothing to do."""
    from reminder_worker.database.engine import open_engine
    from reminder_worker.database.migrate import migrate_database as bring_up_to_date
    from reminder_worker.logging import configure_logging
    from reminder_worker.schema import metadata

    settings = parts.read_settings()
    configure_logging(settings)

    async def migrate_schema() -> tuple[str | None, str]:
        engine = open_engine(settings.service.database_url.get_secret_value())
        try:
            return await bring_up_to_date(engine, metadata)
        finally:
            await engine.dispose()

    before, now = parts.run_async(migrate_schema())
    if before is None:
        done = f"created the tables, at revision {now}"
    elif before == now:
        done = f"there was nothing to do, at revision {now}"
    else:
        done = f"brought the tables from revision {before} to {now}"
    click.echo(f"{done}: the database's schema serves this version")


@main.command(epilog=parts.add_example("API_PORT=8080 reminder-worker serve"))
def serve() -> None:
    """Serve the HTTP API until SIGTERM or Ctrl-C. /metrics has a port of its own."""
    from reminder_worker.logging import configure_logging

    settings = parts.read_settings()
    configure_logging(settings)
    # By name: the service must not depend on what is built on top of it.
    parts.run_async(import_module("api.server").serve(settings))


@main.command(epilog=parts.add_example("reminder-worker tick", "reminder-worker tick --pass dispatch"))
@click.option("--pass", "only", type=click.Choice(list(PASS_BY_NAME)), help="This pass only.")
def tick(only: str | None) -> None:
    """One round of all passes, without Dagster.

    In this process, for cron and for emergencies. A pass that fails does not stop the others; the command then ends
    with 1. `forget` deletes what is no longer needed.
    """
    shown = parts.make_table("pass", "chain", "outcome", "report")
    steps = (PASS_BY_NAME[only],) if only else PASSES
    widest = max(len(step.name) for step in steps)

    async def run_passes(runtime: "Runtime") -> bool:
        well = True
        with parts.make_progress(alike=False) as progress:
            task = progress.add_task(steps[0].name.ljust(widest), total=len(steps))
            for step in steps:
                progress.update(task, description=step.name.ljust(widest))
                for chain, outcome, report in await _one_pass(runtime, step):
                    shown.add_row(step.name, chain, outcome, report)
                    well &= outcome != "failed"
                progress.advance(task)
        return well

    well = parts.with_runtime(run_passes)
    parts.make_console().print(shown)
    if not well:
        raise click.exceptions.Exit(1)


async def _one_pass(runtime: "Runtime", step: WorkerPass) -> list[tuple[str, str, str]]:
    """Return (chain, outcome, report) for each chain; a failure is in the log, by class."""
    from reminder_worker import passes

    def format_row(outcome: "PassOutcome") -> tuple[str, str, str]:
        report = " ".join(f"{key}={parts.words_of(value)}" for key, value in (outcome.report or {}).items())
        return (str(outcome.chain_id or "all"), "done", report)

    try:
        if step is STATISTICS:  # once an hour; every other run without work is cheap
            looked = await passes.poll_pass(runtime, step)
            if not any(outcome.due for outcome in looked):
                return [(str(each.chain_id), *await _no_snapshot(runtime, each)) for each in looked]
        return [format_row(outcome) for outcome in await passes.run_pass(runtime, step, alone=True)]
    except NotConfigured as off:
        return [("all", "off", str(off))]
    except passes.PassFailed as failed:
        return [("some", "failed", str(failed))]


async def _no_snapshot(runtime: "Runtime", looked: "PassOutcome") -> tuple[str, str]:
    """Return (outcome, report) of a chain without a due snapshot: this hour has one already, or the index is behind."""
    from reminder_worker.statistics.job import NOT_AT_THE_HEAD

    if looked.error:
        return ("failed", looked.error)
    try:
        is_current = await runtime.statistics[looked.chain_id].is_current()
    except Unavailable as error:
        return ("failed", type(error).__name__)
    return ("done", "this hour has its snapshot") if is_current else ("waiting", NOT_AT_THE_HEAD)


@main.command(epilog=parts.add_example("reminder-worker backfill --from-block 24589469 --chain 1"))
@click.option("--from-block", type=click.IntRange(min=0), required=True, help="First block to read again.")
@click.option("--chain", "chain_id", type=int, help="Chain id; not needed with a single chain.")
@click.option("--rpc-url", help="RPC endpoint to read from, in place of RPC_URLS. It is stored nowhere.")
def backfill(from_block: int, chain_id: int | None, rpc_url: str | None) -> None:
    """Read a chain's logs again from a block into our own index.

    Emails follow for events that were missed and are no older than SIGNAL_MAX_AGE. No email is sent twice.
    """
    from reminder_worker.cli.history import open_index

    chosen = parts.chosen_chain(parts.read_settings(), chain_id)

    async def read_again(runtime: "Runtime") -> int:
        last_block = from_block
        async with open_index(runtime, chosen, rpc_url) as (_, index):
            with parts.make_progress() as progress:
                task = progress.add_task("reading blocks", total=None)
                async for done in runtime.read_again(chosen, index, from_block):
                    last_block, before = done.last_block, done.first_block - 1
                    progress.update(task, total=(done.head or last_block) - before, completed=last_block - before)
        return last_block

    last = parts.with_runtime(read_again)
    click.echo(f"chain {chosen}: the index is at block {last}")


@main.command(epilog=parts.add_example("reminder-worker requeue --all", "reminder-worker requeue 2f0c9e6a-…"))
@click.argument("ids", nargs=-1, type=click.UUID)
@click.option("--all", "everything", is_flag=True, help="Every dead email and alert.")
def requeue(ids: tuple[UUID, ...], everything: bool) -> None:
    """List dead and held emails, or put dead ones back into the queue.

    An email or alert is dead when the mail service has refused it three times as malformed. Give ids or --all to put
    them back. Without either, dead emails and alerts are listed, and held emails (see `settle`).
    """
    from reminder_worker.monitoring.facts import LEDGERS
    from reminder_worker.outbox import operator

    if ids and everything:
        raise click.UsageError("give ids, or --all")
    named = list(dict.fromkeys(ids))

    async def list_stuck(runtime: "Runtime") -> None:
        rows = await operator.find_stuck(runtime.engine, LEDGERS)
        for row in rows:
            click.echo(f"{row.id}  {row.state}  {row.kind}  chain {row.chain_id}  {row.about}  {row.age} s")
        if not rows:
            click.echo("nothing is dead or held")

    async def requeue_dead(runtime: "Runtime") -> int:
        return await operator.requeue_dead(runtime.engine, LEDGERS, None if everything else named)

    if not named and not everything:
        parts.with_runtime(list_stuck)
        return
    count = parts.with_runtime(requeue_dead)
    click.echo(f"{count} back in the queue")
    if count < len(named):
        raise click.ClickException(f"{len(named) - count} of the ids: no dead email or alert has it")


@main.command(
    epilog=parts.add_example(
        "reminder-worker settle 2f0c9e6a-… --sent '<2f0c9e6a@mail.example.org>'",
        "reminder-worker settle 2f0c9e6a-… --unsent",
    )
)
@click.argument("id", type=click.UUID)
@click.option("--sent", "message_id", metavar="MESSAGE_ID", help="The SMTP provider has it, as this Message-ID.")
@click.option("--unsent", is_flag=True, help="The SMTP provider never had it: send it, if it is still true.")
def settle(id: UUID, message_id: str | None, unsent: bool) -> None:
    """Record whether a held email was sent: only you can find out.

    `requeue` lists held emails. With --unsent the email is sent under a new id, which is shown; if you are wrong, the
    recipient gets the email twice. The command first asks the mail service again, which may have an answer by now.
    """
    from reminder_worker.monitoring.facts import LEDGERS
    from reminder_worker.outbox import operator
    from reminder_worker.outbox.mail_client import MailClient, is_message_id

    if (message_id is None) == (not unsent):
        raise click.UsageError("give --sent or --unsent, one of them")
    if message_id is not None and not is_message_id(message_id):
        raise click.BadParameter("not a Message-ID", param_hint="--sent")

    async def settle_email(runtime: "Runtime") -> str | None:
        if message_id is not None:
            return "sent" if await operator.settle_sent(runtime.engine, LEDGERS, id, message_id) else None
        mail = runtime.settings.mail
        if mail is None:
            raise NotConfigured("no mail service is configured")
        async with MailClient(mail) as client:
            return await operator.settle_unsent(runtime.engine, LEDGERS, client if mail.idempotent else None, id)

    became = parts.with_runtime(settle_email)
    if became is None:
        raise click.ClickException("no email with this id is held")
    click.echo(became)


@main.command(
    "rotate-key", epilog=parts.add_example("EMAIL_ENC_KEY=new EMAIL_ENC_KEYS_OLD=old reminder-worker rotate-key")
)
def rotate_key() -> None:
    """Encrypt all stored personal data again, under EMAIL_ENC_KEY.

    The service may go on running. EMAIL_ENC_KEYS_OLD holds the earlier keys, which open the data until then.
    """
    from reminder_worker.database.rotation import count_rows_of_other_keys, rotate_keys
    from reminder_worker.gifts import emails
    from reminder_worker.relay.operator import count_under_other_keys
    from reminder_worker.reminders import recipients

    async def rotate_rows(runtime: "Runtime") -> tuple[int, int, int]:
        everything = (recipients.SEALED_RECIPIENTS, emails.SEALED, emails.SEALED_REMINDERS, emails.SEALED_GIVERS)
        current = runtime.vault.key_id
        older = [await count_rows_of_other_keys(runtime.engine, each.table, [current]) for each in everything]
        done = 0
        with parts.make_progress() as progress:
            task = progress.add_task("encrypting again", total=sum(older))
            for sealed in everything:
                async for rows in rotate_keys(runtime.engine, runtime.vault, sealed):
                    done += rows
                    progress.update(task, completed=done)
        ours = [wallet.address for wallet in runtime.wallets]
        return done, *await count_under_other_keys(runtime.engine, current, ours, list(runtime.chains))

    count, relayed, left = parts.with_runtime(rotate_rows)
    click.echo(f"{count} recipients and gifts encrypted again")
    # What was signed is not sealed again: it is shredded when the request has ended and its slot is final.
    if relayed:
        click.echo(f"{relayed} relay requests still need EMAIL_ENC_KEYS_OLD until they end: repeat this later")
    if left:
        click.echo(f"{left} relay requests belong to a wallet's key or a chain that is not configured here.")
        click.echo("Cancel the requests where both are configured (`relay cancel`), then remove EMAIL_ENC_KEYS_OLD.")
        click.echo("If the key is lost, see `rotate-key` in the runbook.")
    if not relayed:
        click.echo(f"no {'other ' if left else ''}data needs EMAIL_ENC_KEYS_OLD any more")


@main.command(
    epilog=parts.add_example(
        "reminder-worker --env-file .local/env inbox", "reminder-worker --env-file .local/env inbox 3"
    )
)
@click.argument("number", type=int, required=False)
def inbox(number: int | None) -> None:
    """Show the emails of the local stack, or one email by its number."""
    if not parts.read_settings().is_local:
        raise Refused("stored emails are shown on the local stack only (ENVIRONMENT=local)")
    messages = parts.run_async(_inbox_messages())
    if number is None:
        shown = parts.make_table("no", "received", "to", "subject")
        for message in messages:
            shown.add_row(str(message["number"]), message["receivedAt"][11:19], message["to"], message["subject"])
        parts.make_console().print(shown)
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


if __name__ == "__main__":
    main()
