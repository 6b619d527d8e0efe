"""A life of the whole local stack, whose processes are ended by SIGKILL while it emails, and started again."""

import json
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from urllib.request import urlopen

import psutil
import psycopg

from bench.stack import whole_stack
from devnet import leaks
from devnet.local import CHAIN_ID
from devnet.parts import MARK, PartEnded, StackPart
from devnet.scenarios import Legacy, Scenario
from devnet.stack import LocalStack
from devnet.wallet import DemoWallet
from tests.campaign.life import CampaignLife

DAY = 86400
WITNESSES = {"chain", "inbox", "stand-in"}  # what judges the others
PATIENCE_SECONDS = 240
_RUN = "execute_run"  # in the command of a run's process


class WholeStack:
    def __init__(self, life: CampaignLife, stack: LocalStack) -> None:
        self.life = life
        self.draw = random.Random(life.seed)
        self.stack = stack
        self.scenario = Scenario(stack.anvil, stack.deployment)
        self.owner = self.scenario.account("campaign owner")

    def live(self, steps: int) -> None:
        legacies = self._begin(steps)
        for number, legacy in enumerate(legacies):
            self.life.story.append(f"check-in {number}")
            self.scenario.check_in(self.owner, legacy)
            time.sleep(self.draw.uniform(0, self.draw.choice((1, 9))))  # between the block and the email, or later
            self._kill()
        self._wait(lambda: self._settled(len(legacies)))
        self._judge(len(legacies))

    def _begin(self, count: int) -> list[Legacy]:
        """A legacy for each check-in: a second one of the same would be merged into the next day's email."""
        self.scenario.subscribe_premium(self.owner, 400 * DAY)
        wallet = DemoWallet(self.owner, self.stack.at.api, CHAIN_ID)
        heir = self.scenario.account("campaign heir")
        legacies = []
        for number in range(count):
            legacy = self.scenario.create_legacy(self.owner, {heir.address: 100}, inactivity=180 * DAY)
            self.scenario.configure_reminders(self.owner, legacy)
            person = {"recipient": heir.address, "role": "beneficiary", "email": email_of(number), "name": ""}
            if wallet.ingest(legacy.address, [person]).status != 200:
                raise RuntimeError("a recipient was not saved")
            legacies.append(legacy)
        return legacies

    def _kill(self) -> None:
        """A part, which is started again, or every run under way, which nobody starts again but the sensors."""
        names = sorted(set(self.stack.supervisor.pids()) - WITNESSES)
        name = self.draw.choice([*names, "runs", "runs"])
        self.life.faults[f"SIGKILL of {name}"] += 1
        self.life.story.append(f"SIGKILL of {name}")
        if name != "runs":
            part = self.stack.supervisor.kill(name)
            time.sleep(self.draw.uniform(0, 2))
            self._start(part)
            return
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                ours = process.environ().get(MARK) == str(self.stack.directory)
                if ours and any(_RUN in word for word in process.cmdline()):
                    process.send_signal(signal.SIGKILL)

    def _start(self, part: StackPart) -> None:
        """PostgreSQL's next start has to wait until the last one's children have gone."""
        for _ in range(20):
            with suppress(PartEnded):
                self.stack.supervisor.start(part)
                return
            self.stack.supervisor.kill(part.name)
            time.sleep(1)
        raise RuntimeError(f"{part.name} does not start again")

    def _settled(self, count: int) -> bool:
        """Leases and pauses are over at once: time is all that they wait for."""
        with psycopg.connect(self.stack.at.databases["worker"], autocommit=True) as connection:
            connection.execute("update worker.sent_ledger set lease_until = now() where state = 'claimed'")
            connection.execute("update worker.sent_ledger set next_try = now() where state in ('released', 'unknown')")
            rows = connection.execute("select state, count(*) from worker.sent_ledger group by state").fetchall()
        states: dict[str, int] = dict(rows)
        return sum(states.values()) == count and set(states) <= {"sent", "held"}

    def _wait(self, condition: Callable[[], bool]) -> None:
        give_up = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < give_up:
            with suppress(psycopg.Error):
                if condition():
                    return
            time.sleep(5)
        self.life.violations.append(f"not settled after {PATIENCE_SECONDS} s")

    def _judge(self, count: int) -> None:
        with urlopen(f"{self.stack.at.inbox}/api/messages") as answer:
            got = Counter(message["to"] for message in json.load(answer))
        with psycopg.connect(self.stack.at.databases["worker"]) as connection:
            held = connection.execute("select count(*) from worker.sent_ledger where state = 'held'").fetchone()
        secrets = leaks.secrets_of({f"email {number}": email_of(number) for number in range(count)}, {})
        self.life.violations += [f"leaked: {leak}" for leak in leaks.search(secrets, self._everything())]
        silent = [number for number in range(count) if not got[email_of(number)]]
        self.life.violations += [f"{times} emails for one event" for times in got.values() if times > 1]
        if held is None or len(silent) > held[0]:
            self.life.violations.append(f"{len(silent)} were not written to, {held and held[0]} are held")

    def _everything(self) -> Iterator[tuple[str, bytes]]:
        for name, url in self.stack.at.databases.items():
            yield f"dump of {name}", leaks.dump(self.stack.pg_dump, url)
        yield from leaks.files_below(self.stack.directory, leaving_out=[self.stack.secrets])


def email_of(number: int) -> str:
    return f"heir{number}@post.example"


def live(seed: int, steps: int) -> CampaignLife:
    life = CampaignLife(seed)
    with whole_stack() as stack:
        WholeStack(life, stack).live(steps)
    return life
