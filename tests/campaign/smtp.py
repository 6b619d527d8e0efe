"""A real SMTP server on loopback that does what a script says at each point, and remembers every email it took.

What counts is the end of data: an email that was read up to its last dot, and was not refused then, was taken, whoever
heard of it. The server has a thread of its own: its answers do not wait for what else a life does.
"""

import asyncio
import email
import email.policy
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any, Self

REFUSALS = {
    "connect": ("421 4.3.2 not now", "554 5.3.2 not you"),
    "ehlo": ("421 4.3.2 not now", "550 5.7.1 not you"),
    "auth": ("454 4.7.0 not now", "535 5.7.8 wrong"),
    "mail": ("451 4.7.1 not now", "550 5.7.1 not you"),
    "rcpt": ("450 4.2.1 greylisted", "550 5.1.1 no such user"),
    "data": ("451 4.3.0 not now", "554 5.5.1 no"),
    "end": ("452 4.3.1 disk full", "554 5.6.0 not this"),
}
"""Points of a delivery at which a server speaks, with a refusal for now and one for good."""
POINTS = (*REFUSALS, "body", "told")  # in the middle of the body, and after the last word
_WELCOME = {
    "connect": "220 here",
    "ehlo": "250-here\r\n250-AUTH PLAIN\r\n250 SMTPUTF8",
    "auth": "235 2.7.0 welcome",
    "mail": "250 OK",
    "rcpt": "250 OK",
    "data": "354 go on",
    "end": "250 OK",
}
_NONSENSE = (b"hello, hello", b"\xff\xfe\x00", b"999 what", b"250-and so on", b"200 yes", b"251 " + b"x" * 70_000)
Kill = Callable[[int], None]
"""Ends the process whose end of a connection has this port."""


class _ConnectionCut(Exception):
    """The connection ends here."""


@dataclass(frozen=True, slots=True)
class SmtpMishap:
    """What the next one to come to this point meets: `4xx`, `5xx`, `drop`, `nonsense`, `kill` or seconds to wait."""

    point: str
    how: str | float


@dataclass(frozen=True, slots=True)
class AcceptedEmail:
    message_id: str
    to: str
    subject: str
    text: str


@dataclass
class ScriptedSmtp:
    """`taken`: every email, in order. `mishaps`: each is met once, by the first that comes to its point."""

    taken: list[AcceptedEmail] = field(default_factory=list)
    mishaps: deque[SmtpMishap] = field(default_factory=deque)
    kill: Kill = lambda port: None
    port: int = 0
    _server: asyncio.Server | None = None
    _nonsense: Iterator[bytes] = field(default_factory=lambda: cycle(_NONSENSE))
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    _thread: threading.Thread = field(init=False)

    async def __aenter__(self) -> Self:
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        await asyncio.to_thread(self._thread.join)
        self._loop.close()

    async def start(self) -> None:
        await self._there(self._start())

    async def stop(self) -> None:
        """Nobody is listened to, and every connection is cut."""
        await self._there(self._stop())

    async def _there(self, work: Coroutine[Any, Any, None]) -> None:
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    async def _start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    @property
    def listens(self) -> bool:
        return self._server is not None

    async def _stop(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        conversations = asyncio.all_tasks() - {asyncio.current_task()}
        for conversation in conversations:
            conversation.cancel()
        await asyncio.gather(*conversations, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(_ConnectionCut, OSError, asyncio.IncompleteReadError):
                await self._speak(reader, writer)
        finally:
            writer.transport.abort()

    async def _speak(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        to = ""
        if not await self._at("connect", writer):
            return
        while line := await reader.readline():
            verb = line.split(b" ")[0].strip().decode("latin-1").upper()
            if verb == "RCPT":
                to = line.decode().partition("<")[2].partition(">")[0]
            if verb == "QUIT":
                return
            if verb == "DATA":
                if await self._at("data", writer):
                    await self._take(to, await self._body(reader, writer), writer)
            elif verb.lower() in _WELCOME:
                await self._at(verb.lower(), writer)
            else:
                await _say(writer, "250 OK")

    async def _body(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        lines: list[bytes] = []
        while (line := await reader.readuntil(b"\r\n")) != b".\r\n":
            lines.append(line.removeprefix(b"."))
            if len(lines) == 3:
                await self._halfway(writer)
        return b"".join(lines)

    async def _halfway(self, writer: asyncio.StreamWriter) -> None:
        match self._mishap("body"):
            case "drop":
                raise _ConnectionCut
            case "kill":
                self.kill(_port(writer))
            case float(seconds):
                await asyncio.sleep(seconds)

    async def _take(self, to: str, body: bytes, writer: asyncio.StreamWriter) -> None:
        mishap = self._mishap("end")
        if mishap in ("4xx", "5xx"):
            await _say(writer, REFUSALS["end"][mishap == "5xx"])
            return
        self.taken.append(_read(to, body))
        await self._meet(mishap, "end", writer)
        if self._mishap("told") is not None:
            self.kill(_port(writer))

    async def _at(self, point: str, writer: asyncio.StreamWriter) -> bool:
        """Whether the server went on as it should."""
        return await self._meet(self._mishap(point), point, writer)

    async def _meet(self, mishap: str | float | None, point: str, writer: asyncio.StreamWriter) -> bool:
        match mishap:
            case "drop":
                raise _ConnectionCut
            case "kill":
                self.kill(_port(writer))
            case "nonsense":
                writer.write(next(self._nonsense) + b"\r\n")
                await writer.drain()
                return False
            case "4xx" | "5xx":
                await _say(writer, REFUSALS[point][mishap == "5xx"])
                return False
            case float(seconds):
                await asyncio.sleep(seconds)
        await _say(writer, _WELCOME[point])
        return True

    def _mishap(self, point: str) -> str | float | None:
        for mishap in list(self.mishaps):
            if mishap.point == point:
                with suppress(ValueError):  # forgiven right now
                    self.mishaps.remove(mishap)
                return mishap.how
        return None


def _port(writer: asyncio.StreamWriter) -> int:
    return int(writer.get_extra_info("peername")[1])


async def _say(writer: asyncio.StreamWriter, line: str) -> None:
    writer.write(line.encode() + b"\r\n")
    await writer.drain()


def _read(to: str, body: bytes) -> AcceptedEmail:
    message = email.message_from_bytes(body, policy=email.policy.default)
    part = message.get_body(("plain",))
    text = str(part.get_content()) if part is not None else ""
    return AcceptedEmail(str(message["Message-ID"]), to, str(message["Subject"]), text)
