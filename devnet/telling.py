"""A story on the local stack: ordered steps, each seen or not, and their shared state."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.markup import escape
from rich.table import Table

from devnet.cast import EVERYBODY, CastMember
from devnet.chain import ChainError
from devnet.dagster_ui import launch
from devnet.deploy import named_account
from devnet.evidence import DemoEvidence, FoundEmail, NotSeen, must
from devnet.local import OPS_EMAIL
from devnet.parts import StackFailed
from devnet.scenarios import Legacy, Scenario
from devnet.stack import LocalStack

ASK_SECONDS = 2
Step = tuple[str, Callable[[], str]]  # a title, and the function that plays the step and returns its result in words


@dataclass(frozen=True, slots=True)
class SeenEvent:
    """A played step: what it showed, or what was missing."""

    title: str
    passed: bool
    words: str
    seconds: float


class DemoNarrator(ABC):
    """Plays the steps in order and stops at the first that is not seen."""

    def __init__(self, stack: LocalStack) -> None:
        self.stack = stack
        self.scenario = Scenario(stack.anvil, stack.deployment)
        self.evidence = DemoEvidence(stack.at.inbox, stack.at.databases["worker"])
        self.accounts = {
            person: self.scenario.account(person.label) if person.has_eth else named_account(person.label)
            for person in EVERYBODY
        }
        self.shown = 0

    @abstractmethod
    def steps(self) -> Sequence[Step]: ...

    def play(self) -> bool:
        """Play and print all steps with a summary. Return whether every step was seen."""
        began, seen, steps = time.monotonic(), [], self.steps()
        for number, (title, step) in enumerate(steps, 1):
            self.stack.log.say(f"[bold]{number:>2}. {title}[/]")
            seen.append(self._play_step(title, step))
            if not seen[-1].passed:
                break
        self._summary(seen, len(steps), time.monotonic() - began)
        return len(seen) == len(steps) and all(step.passed for step in seen)

    def _play_step(self, title: str, step: Callable[[], str]) -> SeenEvent:
        began = time.monotonic()
        try:
            words, passed = step(), True
        except (NotSeen, ChainError) as missing:
            words, passed = str(missing), False
        except StackFailed as failed:
            self.stack.supervisor.check()  # a part that ended ends the stack
            words, passed = str(failed), False
        mark = "[green]✓[/]" if passed else "[bold red]✗[/]"
        self.stack.log.say(f"    {mark} {escape(words)}")
        return SeenEvent(title, passed, words, time.monotonic() - began)

    def _summary(self, seen: Sequence[SeenEvent], total: int, seconds: float) -> None:
        table = Table("", "step", "seen", "seconds", title="The story", title_justify="left")
        for step in seen:
            mark = "[green]✓[/]" if step.passed else "[bold red]✗[/]"
            table.add_row(mark, step.title, escape(step.words), f"{step.seconds:.1f}")
        self.stack.log.console.print(table)
        passed = sum(step.passed for step in seen)
        self.stack.log.console.print(f"{passed} of {total} steps were seen, in {seconds:.0f} seconds")

    # -- what steps share

    def address(self, person: CastMember) -> str:
        return str(self.accounts[person].address).lower()

    def deadline(self, legacy: Legacy) -> int:
        """When line 1 may claim, unix seconds."""
        triggers = self.scenario.read("TransferEOALegacy", legacy.address, "getTriggerActivationTimestamp")
        return int(triggers[0])

    def travel(self, moment: int) -> int:
        """On chain to a moment; the seconds that pass."""
        seconds = moment - self.stack.anvil.now()
        self.scenario.advance(seconds)
        return seconds

    def look_now(self, job: str) -> None:
        """A sensor would look in a while; an operator may launch its job at once, as in Dagster's UI."""
        run = launch(self.stack.at.dagster, job)
        self.stack.log.say(f"    [dim]an operator launches Dagster's {job} job: {self.stack.at.dagster}/runs/{run}[/]")

    def wait(self, condition: Callable[[], bool], what: str) -> None:
        self.stack.supervisor.wait_until(condition, what)

    def wait_for_api(self, condition: Callable[[], bool], what: str) -> None:
        """Check a condition of the API, slowly because of its client limits."""
        due = time.monotonic()

        def seldom() -> bool:
            nonlocal due
            if time.monotonic() < due:
                return False
            due = time.monotonic() + ASK_SECONDS
            return condition()

        self.wait(seldom, what)

    def new_emails(self, expected: int) -> list[FoundEmail]:
        """Wait for new emails, then print and return the emails."""
        self.wait(lambda: len(self._fresh()) >= expected, f"{expected} emails")
        fresh = self._fresh()
        self.shown += len(fresh)
        for email in fresh:
            link = f"{self.stack.at.inbox}/messages/{email.number}"
            self.stack.log.say(f"    ✉ {email.to}: {escape(email.subject)}  [link={link}]{link}[/link]")
        must(len(fresh) == expected, f"{len(fresh)} emails instead of {expected}")
        return fresh

    def _fresh(self) -> list[FoundEmail]:
        """Operators' own are not among them: when something is told to them is their chapter's to see."""
        return [email for email in self.evidence.emails() if email.to != OPS_EMAIL][self.shown :]

    def transaction(self, tx_hash: str) -> None:
        block = int(self.stack.anvil.receipt(tx_hash)["blockNumber"], 16)
        self.stack.log.say(f"    [dim]block {block}, transaction {tx_hash}[/]")
