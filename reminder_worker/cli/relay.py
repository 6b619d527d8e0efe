"""`reminder-worker relay`: what is open at the relay, and the few things an operator may do about it.

Shows public facts only; signatures and signed transactions stay sealed.
"""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

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
from reminder_worker.errors import NotConfigured, NotFound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Row

    from reminder_worker.relay.operator import AttemptFacts, WalletState
    from reminder_worker.runtime import Runtime

_ID = click.argument("request_id", type=click.UUID)


@click.group()
def relay() -> None:
    """Requests whose gas we pay: look at them, hurry one, end one."""


@relay.command("list", epilog=add_example("reminder-worker relay list", "reminder-worker relay list --ended"))
@click.option("--ended", is_flag=True, help="What has ended, newest first.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True, help="At most so many.")
def list_requests(ended: bool, limit: int) -> None:
    """Open requests, and our wallets."""
    from reminder_worker.outbox.messages import format_duration
    from reminder_worker.relay.operator import find_requests, read_wallet_states

    async def read_requests(runtime: "Runtime") -> "tuple[Sequence[Row[Any]], list[WalletState]]":
        found = await find_requests(runtime.engine, ended=ended, limit=limit + 1)
        return found, await read_wallet_states(runtime.engine)

    found, wallets = with_runtime(read_requests)
    shown = make_table("id", "chain", "lane", "of", "state", "reason", "nonce", "age")
    for row in found[:limit]:
        nonce = "" if row.slot is None else str(row.slot)
        cells = (row.id, row.chain_id, row.lane, row.subject_id, row.state, row.reason or "", nonce)
        shown.add_row(*map(str, cells), format_duration(row.age))
    make_console().print(shown if found else "No request has ended." if ended else "No request is open.")
    say_more(found, limit)
    ours = make_table(
        "wallet",
        "chain",
        "next nonce",
        "not mined",
        "mined, not final",
        "requests today",
        "spent today",
        "stopped",
    )
    for w in wallets:
        figures = (w.chain_id, w.next_nonce, w.unmined, w.mined, w.requests, _format_ether(w.spent_wei))
        ours.add_row(w.address, *map(str, figures), w.stopped or "")
    make_console().print(ours if wallets else "No wallet of ours has paid for anything yet.")


@relay.command(epilog=add_example("reminder-worker relay show 2f0c9e6a-…"))
@_ID
def show(request_id: UUID) -> None:
    """Show one request, and every transaction signed for it.

    Its authorization is shown without the signature.
    """
    from reminder_worker.relay.operator import read_attempts

    async def read_request(runtime: "Runtime") -> "tuple[Row[Any], list[AttemptFacts]]":
        row = await _find_request(runtime, request_id)
        return row, await read_attempts(runtime.engine, request_id)

    row, signed = with_runtime(read_request)
    facts = make_table("", "", show_header=False)
    for name, value in _list_facts(row):
        facts.add_row(name, value)
    make_console().print(facts)
    attempts = make_table("transaction", "nonce", "kind", "max fee", "priority fee", "gas", "signed", "last sent")
    for each in signed:
        sent = "never" if each.broadcast_at is None else _format_time(each.broadcast_at)
        fees = (_format_gwei(each.max_fee_wei), _format_gwei(each.priority_fee_wei), str(each.gas_limit))
        attempts.add_row(each.tx_hash, str(each.nonce), each.kind, *fees, _format_time(each.stored_at), sent)
    make_console().print(attempts)


@relay.command(epilog=add_example("reminder-worker relay replace 2f0c9e6a-…"))
@_ID
def replace(request_id: UUID) -> None:
    """Offer more for a request that is not mined.

    Send its transaction again, at a fee at least an eighth higher. If the request was cancelled, has expired or would
    revert now, send an empty transaction, which frees the nonce. The relay does this without your help when a
    transaction is stuck. The fee stays within the ceiling and today's cap.
    """

    async def replace_attempt(runtime: "Runtime") -> str:
        row = await _find_request(runtime, request_id)
        return await runtime.relaying.find_actions(row.wallet).replace_attempt(row.chain_id, request_id)

    click.echo(f"sent {with_runtime(replace_attempt)}")


@relay.command(epilog=add_example("reminder-worker relay cancel 2f0c9e6a-…"))
@_ID
def cancel(request_id: UUID) -> None:
    """Cancel a request. An empty transaction of ours frees its nonce, and costs gas.

    The empty transaction offers an eighth more than the request's own, as soon as the ceiling has room for it. Until
    then the request's own transaction is sent. If that is mined first, the request has succeeded.
    """

    async def give_up(runtime: "Runtime") -> bool:
        row = await _find_request(runtime, request_id)
        return await runtime.relaying.find_actions(row.wallet).cancel_request(row.chain_id, request_id)

    ended = with_runtime(give_up)
    freed = "an empty transaction takes its nonce, as soon as the ceiling allows; it ends when that is final"
    click.echo("it has ended" if ended else freed)


@relay.command(epilog=add_example("reminder-worker relay resume --wallet relayer --chain 1"))
@click.option("--wallet", type=click.Choice(["relayer", "attestor"]), default="relayer", show_default=True)
@click.option("--chain", "chain_id", type=int, help="Chain id; not needed with a single chain.")
def resume(wallet: str, chain_id: int | None) -> None:
    """Let a stopped wallet take requests again. First find out who used its key: see the runbook."""
    chosen = chosen_chain(read_settings(), chain_id)

    async def start_again(runtime: "Runtime") -> None:
        if wallet not in runtime.relaying.actions:
            raise NotConfigured(f"no {wallet} is configured")
        await runtime.relaying.actions[wallet].resume_wallet(chosen)

    with_runtime(start_again)
    click.echo(f"the {wallet} takes requests on chain {chosen} again")


async def _find_request(runtime: "Runtime", request_id: UUID) -> "Row[Any]":
    from reminder_worker.relay.operator import find_requests

    rows = await find_requests(runtime.engine, request_id=request_id)
    if not rows:
        raise NotFound("there is no such request")
    return rows[0]


def _list_facts(row: "Row[Any]") -> list[tuple[str, str]]:
    from reminder_worker.outbox.messages import to_datetime

    names = ("id", "chain_id", "lane", "state", "reason", "router", "subject_id", "signer", "creator", "nonce")
    facts = [(name, row._mapping[name]) for name in (*names, "gas_limit", "wallet", "slot", "slot_state")]
    facts += [
        ("deadline", _format_time(to_datetime(row.deadline)) if row.deadline else "given up")
    ]  # 0: by an operator
    facts += [("reserved", _format_ether(row.reserved_wei)), ("spent", _format_ether(row.spent_wei))]
    facts += [("transaction", row.tx_hash), ("block", row.block_number)]
    facts += [("created", _format_time(row.created_at)), ("changed", _format_time(row.updated_at))]
    return [(name, str(value)) for name, value in facts if value is not None]


def _format_time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _format_gwei(wei: int) -> str:
    from reminder_worker.outbox.messages import format_amount

    return f"{format_amount(int(wei), 9)} gwei"


def _format_ether(wei: Any) -> str | None:
    from reminder_worker.outbox.messages import format_amount

    return None if wei is None else f"{format_amount(int(wei), 18)} ETH"
