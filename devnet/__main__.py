"""The local stack in one terminal, and the story on it: `python -m devnet` (`make demo`).

Exit codes: 0 ended by Ctrl-C, or with `--once` every step of the story was seen; 1 otherwise.
"""

import os
import sys
import time
from pathlib import Path

import click
from eth_account import Account
from eth_utils.address import to_checksum_address
from rich.console import Console

from devnet import gift_to_open
from devnet.compile import ROOT
from devnet.demo import DemoStory
from devnet.deploy import YEAR
from devnet.local import CHAIN_ID, StackPorts
from devnet.parts import StackFailed, StackLog
from devnet.scenarios import Scenario
from devnet.stack import LocalStack, run


def _play(stack: LocalStack) -> bool:
    return DemoStory(stack).play()


def _play_and_stay(stack: LocalStack) -> bool:
    story = DemoStory(stack)
    story.play()
    if story.gift:
        gift_to_open.tell(stack, story.gift)
    _say_where(stack, _make_legacy_to_try(story.scenario))
    stack.log.say("[bold]The stack stays up until Ctrl-C.[/]")
    while True:
        stack.supervisor.check()
        time.sleep(0.5)


def _make_legacy_to_try(scenario: Scenario) -> str:
    """Return the address of a legacy of anvil's first account, with Premium: a frontend's developer has its key."""
    Account.enable_unaudited_hdwallet_features()
    owner = Account.from_mnemonic("test " * 11 + "junk")  # anvil's own phrase
    scenario.subscribe_premium(owner, YEAR)
    legacy = scenario.create_legacy(owner, {Account.create().address: 100})
    scenario.configure_reminders(owner, legacy)
    return to_checksum_address(legacy.address)


def _say_where(stack: LocalStack, legacy: str) -> None:
    stack.log.say("[bold]Where to look:[/]")
    for what, where in (
        ("inbox", stack.at.inbox),
        ("sealing gifts oneself", f"{stack.at.api}/gifts/create"),
        ("the chain, for a wallet", f"{stack.at.chain}, chain id {CHAIN_ID}; anvil's first account has ether"),
        ("a legacy to try", f"{legacy}, of the same account, with Premium"),
        ("its page", f"{stack.at.api}/legacies/{CHAIN_ID}/{legacy}"),
        ("a frontend's settings", f"{stack.directory}/frontend.env"),
        ("the API's documentation", f"{stack.at.api}/schema"),
        ("Dagster", stack.at.dagster),
        ("metrics", stack.at.metrics),
        ("commands", f"{Path(sys.executable).parent}/reminder-worker --env-file {stack.directory}/env doctor"),
    ):
        stack.log.say(f"  {what:<24} {where}")


@click.command(help="Start the local stack and play the story on it.\n\nExample: python -m devnet --once")
@click.option("--once", is_flag=True, help="End after the story; exit code 0 only if every step was seen.")
def main(once: bool) -> None:
    try:
        ports = StackPorts.from_environ()
    except StackFailed as error:
        raise click.ClickException(str(error)) from None
    directory = Path(os.environ.get("DEMO_DIRECTORY", ROOT / ".local")).resolve()
    log = StackLog(Console(highlight=False, width=None if sys.stdout.isatty() else 120))
    run(LocalStack(directory, ports, log), _play if once else _play_and_stay, interrupted=130 if once else 0)


if __name__ == "__main__":
    main()
