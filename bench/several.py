"""The stack with two of each part that may be several, under load, while one of each is ended by SIGKILL.

Two APIs and two mail services behind balancers, two dispatchers beside Dagster's runs, two code servers of one daemon.
The load is public: the API saves people, and owners check in on the chain. The mailbox of the SMTP server is the judge.
"""

import asyncio
import http.client
import json
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final
from urllib.request import urlopen

import psycopg
import uvloop

from bench.harness import BenchFigure
from bench.stack import whole_stack
from devnet.chain import usable_port
from devnet.local import CHAIN_ID, HOST, bare_environ
from devnet.parts import StackPart, answers
from devnet.scenarios import Legacy
from devnet.stack import LocalStack
from devnet.wallet import DemoWallet
from reminder_worker.logging import configure_logging
from reminder_worker.runtime import open_runtime
from reminder_worker.settings import Settings
from tests.campaign.life import CampaignLife
from tests.campaign.stack import DAY, WholeStack, email_of

LEGACIES: Final = 60
HEIRS: Final = 20  # of each legacy
EMAILS: Final = LEGACIES * HEIRS
KILLED: Final = ("api", "mail service", "dispatcher", "dagster code")  # in this order
AWAY_SECONDS: Final = 2  # until a part is started again
SEED: Final = 1


class StackOfTwo(LocalStack):
    """Local stack with two processes of each part in `KILLED`, named with 1 and 2."""

    def _mail(self) -> StackPart:
        self._mail_ports, self._api_ports = _find_ports(), _find_ports()
        return self._mail_service(1)

    def _worker(self, environ: Mapping[str, str]) -> Sequence[Sequence[StackPart]]:
        code, daemon, pages = self._dagster(environ)
        codes = (replace(code, name="dagster code 1"), self._second_code_server(code))
        apis = [self._api_on(number, environ) for number in (1, 2)]
        balancers = (
            _balance("balancer of the mail services", self.ports.mail, self._mail_ports),
            _balance("balancer of the APIs", self.ports.api, self._api_ports),
        )
        command = [sys.executable, "-m", "bench.several"]
        dispatchers = [StackPart(f"dispatcher {number}", command, environ, lambda: True) for number in (1, 2)]
        return (self._mail_service(2), *balancers), (*apis, *codes), (daemon, pages, *dispatchers)

    def _mail_service(self, number: int) -> StackPart:
        part, port = super()._mail(), self._mail_ports[number - 1]
        environ = {**part.environ, "MAIL_SERVICE_PORT": str(port)}
        ready = answers(f"http://{HOST}:{port}/health/ready")
        return replace(part, name=f"mail service {number}", environ=environ, ready=ready)

    def _api_on(self, number: int, environ: Mapping[str, str]) -> StackPart:
        port = self._api_ports[number - 1]
        of_one_owner = {"NEW_ADDRESSES_PER_CREATOR": str(EMAILS)}
        part = self._api({**environ, **of_one_owner, "API_PORT": str(port), "METRICS_PORT": "0"})
        return replace(part, name=f"api {number}", ready=answers(f"http://{HOST}:{port}/health/ready"))

    def _second_code_server(self, first: StackPart) -> StackPart:
        """Put a second location with the same definitions into the workspace."""
        workspace = self.directory / "dagster" / "workspace.yaml"
        locations = json.loads(workspace.read_text())
        (one,) = locations["load_from"]
        socket = f"{self._socket}/code2.sock"
        two = {"grpc_server": {"socket": socket, "location_name": f"{one['grpc_server']['location_name']}_2"}}
        workspace.write_text(json.dumps({"load_from": [one, two]}))
        command = [socket if word == one["grpc_server"]["socket"] else word for word in first.command]
        return replace(first, name="dagster code 2", command=command, ready=lambda: Path(socket).exists())


def _find_ports() -> list[int]:
    return [usable_port(), usable_port()]


def _balance(name: str, port: int, targets: Sequence[int]) -> StackPart:
    command = [sys.executable, "-m", "bench.balancer", str(port), *map(str, targets)]
    return StackPart(name, command, bare_environ(), lambda: True)


class LifeOfTwo(WholeStack):
    """`saved`: legacies whose people the API saved. `repeated`: requests without an answer, which were sent again."""

    saved = repeated = 0

    def live(self, steps: int) -> None:
        """Steps are legacies."""
        heirs = [str(self.scenario.account(f"heir {number}").address) for number in range(HEIRS)]
        self.scenario.subscribe_premium(self.owner, 400 * DAY)
        legacies = self.scenario.bulk_create(self.owner, steps, dict.fromkeys(heirs, 100 // HEIRS))
        with ThreadPoolExecutor(1) as thread:
            load = thread.submit(self._load, legacies, heirs)
            self._kill_one_of_each(load)
            load.result()
        self._wait(lambda: self._settled(steps * HEIRS))

    def _load(self, legacies: Sequence[Legacy], heirs: Sequence[str]) -> None:
        wallet = DemoWallet(self.owner, self.stack.at.api, CHAIN_ID)
        for number, legacy in enumerate(legacies):
            people = [
                {"recipient": heir, "role": "beneficiary", "email": email_of(number * HEIRS + place), "name": ""}
                for place, heir in enumerate(heirs)
            ]
            while not self._is_saved(wallet, legacy, people):
                self.repeated += 1
            self.saved += 1
            self.scenario.check_in(self.owner, legacy)

    def _is_saved(self, wallet: DemoWallet, legacy: Legacy, people: Sequence[Mapping[str, str]]) -> bool:
        try:
            answer = wallet.ingest(legacy.address, people)
        except (OSError, http.client.HTTPException):  # the API behind the connection was killed
            return False
        if answer.status != 200:
            raise RuntimeError(f"the API answered {answer.status}")
        return True

    def _kill_one_of_each(self, load: "Future[None]") -> None:
        """End a process of each part by SIGKILL while emails leave, and start it again."""
        for turn, kind in enumerate(KILLED, start=1):
            while self._find_share(kind) < turn / (len(KILLED) + 2):
                self.stack.supervisor.check()
                if load.done():
                    load.result()
                time.sleep(0.1)
            name = f"{kind} {self.draw.choice((1, 2))}"
            self.life.faults[f"SIGKILL of {name}"] += 1
            part = self.stack.supervisor.kill(name)
            time.sleep(AWAY_SECONDS)
            self._start(part)

    def _find_share(self, kind: str) -> float:
        """Return the done share of the work of a kind of part: of the API the legacies, else the emails."""
        return self.saved / LEGACIES if kind == "api" else _count(self.stack) / EMAILS


async def measure() -> list[BenchFigure]:
    return _measure()  # here: the stack sets handlers of signals, which only the main thread may do


def _measure() -> list[BenchFigure]:
    life = CampaignLife(SEED)
    with whole_stack(StackOfTwo) as stack:
        of_two = LifeOfTwo(life, stack)
        of_two.live(LEGACIES)
        if life.violations:
            raise RuntimeError("; ".join(life.violations))
        return [*_judge(stack), BenchFigure("several.repeated", of_two.repeated, "requests that were sent again")]


def _judge(stack: LocalStack) -> list[BenchFigure]:
    with urlopen(f"{stack.at.inbox}/api/messages") as answer:
        messages = json.load(answer)
    got = Counter(message["to"] for message in messages)
    counts = [got[email_of(number)] for number in range(EMAILS)]
    arrived = sorted(datetime.fromisoformat(message["receivedAt"]).timestamp() for message in messages)
    most = arrived[: EMAILS * 9 // 10]  # the last ones wait for the leases of a killed dispatcher
    with psycopg.connect(stack.at.databases["worker"]) as connection:
        (held,) = connection.execute("select count(*) from worker.sent_ledger where state = 'held'").fetchone() or (0,)
    rate = len(most) / (most[-1] - most[0])
    return [
        BenchFigure("several.emails", rate, "emails/s by two of each part, one of each killed", None, None, ">= 12"),
        BenchFigure("several.twice", sum(count > 1 for count in counts), f"of {EMAILS} emails", None, None, "0"),
        BenchFigure("several.lost", max(0, counts.count(0) - held), f"of {EMAILS} emails", None, None, "0"),
        BenchFigure("several.held", held, f"of {EMAILS} emails, to be looked at"),
    ]


def _count(stack: LocalStack) -> int:
    with urlopen(f"{stack.at.inbox}/api/count") as answer:
        return int(json.load(answer)["last"])


async def _dispatch() -> None:
    """Be a dispatcher of the worker until the process ends."""
    settings = Settings.from_environ()
    configure_logging(settings)
    async with open_runtime(settings) as runtime:
        if runtime.dispatch is None:
            raise RuntimeError("no mail service is configured")
        while True:
            if await runtime.dispatch.poll():
                await runtime.dispatch.run()
            else:
                await asyncio.sleep(1)


if __name__ == "__main__":
    uvloop.run(_dispatch())
