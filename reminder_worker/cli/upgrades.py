"""`reminder-worker upgrades`: operations of the UpgradeTimelock and their effect."""

from typing import TYPE_CHECKING

import click

from reminder_worker.cli.parts import (
    add_example,
    chosen_chain,
    make_console,
    make_table,
    read_settings,
    say_more,
    with_runtime,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reminder_worker.runtime import Runtime
    from reminder_worker.upgrades.operations import UpgradeEvent
    from reminder_worker.upgrades.store import ListedOperation
    from reminder_worker.upgrades.wording import Facts

_OPERATION = "0x93ecf1f9…"


@click.group()
def upgrades() -> None:
    """The upgrade queue of the contracts."""


@upgrades.command("list", epilog=add_example("reminder-worker upgrades list", "reminder-worker upgrades list --ended"))
@click.option("--ended", is_flag=True, help="What has ended, newest first.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True, help="At most so many.")
def list_operations(ended: bool, limit: int) -> None:
    """Operations that wait for their time or may be executed now."""
    from reminder_worker.outbox.messages import format_deadline
    from reminder_worker.upgrades import store as upgrade_queue

    async def read_operations(runtime: "Runtime") -> "list[ListedOperation]":
        return await upgrade_queue.list_operations(runtime.engine, runtime.upgrades, ended=ended, limit=limit + 1)

    shown = make_table("operation", "chain", "state", "does", "executable at", "final")
    found = with_runtime(read_operations)
    for each in found[:limit]:
        of = each.operation
        moment = "" if of.ready_at is None else format_deadline(of.ready_at)
        final = "yes" if each.final else "not yet"
        shown.add_row(of.operation_id, str(each.chain_id), of.state, each.call_summary, moment, final)
    make_console().print(shown if found else "No operation has ended." if ended else "No operation is waiting.")
    say_more(found, limit)


@upgrades.command(epilog=add_example(f"reminder-worker upgrades show {_OPERATION} --chain 1"))
@click.argument("operation_id")
@click.option("--chain", "chain_id", type=int, help="Chain id; not needed with a single chain.")
def show(operation_id: str, chain_id: int | None) -> None:
    """Show one operation, by its full id.

    Print its effect, call data in full, scheduling account, and the timelock's events about the operation.
    """
    from reminder_worker.outbox.messages import fact_words, format_deadline
    from reminder_worker.upgrades import store as upgrade_queue

    chosen = chosen_chain(read_settings(), chain_id)

    async def read_operation(runtime: "Runtime") -> "tuple[Facts, Sequence[UpgradeEvent]]":
        return await upgrade_queue.show_operation(runtime.engine, runtime.chains[chosen], operation_id.lower())

    facts, events = with_runtime(read_operation)
    shown = make_table("", "", show_header=False)
    for name, value in facts.items():
        shown.add_row(*fact_words(name, value))
    make_console().print(shown)
    history = make_table("block", "time", "event", "transaction", "sent by")
    for each in events:
        row = (str(each.block_number), format_deadline(each.block_time), each.name, each.tx_hash, each.sender or "")
        history.add_row(*row)
    make_console().print(history)
