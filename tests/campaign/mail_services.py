"""The real mail service as deployed: two processes on one database behind one address."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from pathlib import Path

import aiohttp
import psutil

from bench.balancer import start_balancer
from devnet.chain import usable_port

_PROCESS = Path(__file__).with_name("mail_process.py")


class MailService:
    """One process, started again on the same port when it is gone."""

    def __init__(self, environ: dict[str, str], log: Path) -> None:
        self.port = port = usable_port()
        self.url = f"http://127.0.0.1:{port}"
        self.log = log
        self._environ = {**environ, "MAIL_SERVICE_PORT": str(port), "PYTHONPATH": str(_PROCESS.parents[2])}
        self._process: Process | None = None

    async def up(self) -> None:
        """Returns when it is ready, whatever it was before."""
        async with asyncio.timeout(60), aiohttp.ClientSession() as session:
            while True:
                if self._process is None or self._process.returncode is not None:
                    with self.log.open("ab") as log:
                        self._process = await asyncio.create_subprocess_exec(
                            sys.executable, str(_PROCESS), env=self._environ, stdin=PIPE, stdout=log, stderr=log
                        )
                self.at_statement("never", 0)
                if await _ready(session, self.url):
                    return
                await asyncio.sleep(0.05)

    def end(self, how: signal.Signals = signal.SIGKILL) -> None:
        """From any thread."""
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self._process.pid, how)

    def speaks_from(self, port: int) -> bool:
        with suppress(psutil.Error):
            if self._process is not None and self._process.returncode is None:
                found = psutil.Process(self._process.pid).net_connections("tcp")
                return any(each.laddr and each.laddr.port == port for each in found)
        return False

    async def ended(self) -> None:
        if self._process is not None:
            await self._process.wait()

    def at_statement(self, when: str, number: int) -> None:
        """Make the process end itself `before` or `after` a number of statements."""
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(f"{when} {number}\n".encode())


async def _ready(session: aiohttp.ClientSession, url: str) -> bool:
    with suppress(aiohttp.ClientError):
        async with session.get(f"{url}/health/ready") as response:
            return response.status == 200
    return False


class MailServices:
    """Both processes behind a balancer."""

    def __init__(self, environ: dict[str, str], log: Path) -> None:
        self.log = log
        self.each = [MailService(environ, log) for _ in range(2)]
        self.url = ""
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        self._server = await start_balancer([one.port for one in self.each])
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        await self.up()

    async def up(self) -> None:
        await asyncio.gather(*(one.up() for one in self.each))

    async def stop(self) -> None:
        for one in self.each:
            one.end()
            await one.ended()
        if self._server is not None:
            self._server.close()

    def end_who_speaks_from(self, port: int) -> None:
        for one in self.each:
            if one.speaks_from(port):
                one.end()
