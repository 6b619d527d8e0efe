"""A mail service on loopback that keeps the contract's keys, and fails as it is told to."""

import asyncio
import json
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Self

from aiohttp import web

from devnet.chain import usable_port


class MailFault(Enum):
    """Result of the next request to /send. The first group accepts nothing."""

    UNAVAILABLE = auto()  # 503
    SLOW_DOWN = auto()  # 429 with Retry-After
    UNAUTHORIZED = auto()  # 401
    REJECTED = auto()  # 422
    DIES_BEFORE = auto()  # the connection breaks, nothing was accepted
    ACCEPTS_AND_DIES = auto()  # accepted, the connection breaks
    ACCEPTS_AND_HANGS = auto()  # accepted, the answer never comes
    ACCEPTS_GARBAGE = auto()  # accepted, the answer is no JSON
    GARBAGE = auto()  # nothing accepted, the answer is no JSON
    BROKEN = auto()  # nothing accepted, 500, as of a proxy: who asks cannot know
    ACCEPTS_AND_BREAKS = auto()  # accepted, 502
    IN_DOUBT = auto()  # its own crash: nobody can know
    IN_FLIGHT = auto()  # 425, and it stays under way
    SUPPRESSED = auto()


@dataclass(frozen=True)
class PostedEmail:
    key: str
    to: str
    template: str
    variables: dict[str, Any]
    language: str | None
    time_zone: str | None = None
    number: str = ""


@dataclass
class MailStub:
    """`inbox`: accepted emails. Each request uses one of the `faults`; without faults everything works."""

    inbox: list[PostedEmail] = field(default_factory=list)
    faults: deque[MailFault] = field(default_factory=deque)
    requests: int = 0
    retry_after: int = 7
    keeps_keys: bool = True
    reports: Any = None  # the answer of GET /reports; None: it is not known there
    hung: asyncio.Event = field(default_factory=asyncio.Event)
    hangs: asyncio.Event = field(default_factory=asyncio.Event)  # set once it has accepted and says nothing
    _keys: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    _runner: web.AppRunner | None = None
    _port: int = field(default_factory=usable_port)  # the same after a pause

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        app = web.Application()
        app.router.add_post("/send", self._send)
        app.router.add_get("/messages/{key}", self._message)
        app.router.add_get("/forgotten", self._forgotten)
        app.router.add_get("/reports", self._reports)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()

    async def stop(self) -> None:
        """Connections are refused from now on, until `start`; it remembers its keys."""
        self.hung.set()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def fail(self, *faults: MailFault) -> None:
        self.faults.extend(faults)

    def told(self, template: str) -> list[str]:
        """Addresses that got this template, sorted; twice when twice."""
        return sorted(email.to for email in self.inbox if email.template == template)

    def email(self, template: str, to: str) -> PostedEmail:
        (found,) = [email for email in self.inbox if (email.template, email.to) == (template, to)]
        return found

    def duplicates(self) -> Iterable[Any]:
        """(address, template, deadline) that somebody got more than once."""
        counts = Counter((e.to, e.template, str(e.variables.get("deadline"))) for e in self.inbox)
        return [what for what, times in counts.items() if times > 1]

    def decide(self, key: str) -> None:
        """Forget an email in flight: it was never accepted."""
        self._keys.pop(key, None)

    def find_out(self, key: str) -> None:
        """Report an undecidable email as accepted."""
        self._keys[key] = ("accepted", self._keys[key][1])

    def decide_all(self) -> None:
        self._keys.clear()

    async def _send(self, request: web.Request) -> web.StreamResponse:
        self.requests += 1
        key, raw = request.headers["Idempotency-Key"], await request.read()
        assert request.headers["Authorization"] == "Bearer a-token-for-the-tests"
        if key in self._keys and self.keeps_keys:
            return self._again(key, raw)
        match self.faults.popleft() if self.faults else None:
            case MailFault.UNAVAILABLE:
                return web.Response(status=503)
            case MailFault.SLOW_DOWN:
                return web.Response(status=429, headers={"Retry-After": str(self.retry_after)})
            case MailFault.UNAUTHORIZED:
                return web.Response(status=401)
            case MailFault.REJECTED:
                return web.json_response({"code": "bad_address"}, status=422)
            case MailFault.DIES_BEFORE:
                return _die(request)
            case MailFault.GARBAGE:
                return web.Response(text="<html>hello</html>")
            case MailFault.BROKEN:
                return web.Response(status=500)
            case MailFault.IN_DOUBT:
                self._keys[key] = ("in_doubt", raw)
                return _die(request)
            case MailFault.IN_FLIGHT:
                self._keys[key] = ("in_flight", raw)
                return web.Response(status=425)
            case MailFault.SUPPRESSED:
                return web.json_response({"suppressed": True})
            case fault:
                answer = self._accept(key, raw)
        if fault is MailFault.ACCEPTS_AND_DIES:
            return _die(request)
        if fault is MailFault.ACCEPTS_AND_HANGS:
            self.hangs.set()
            await self.hung.wait()
        if fault is MailFault.ACCEPTS_AND_BREAKS:
            return web.Response(status=502)
        if fault is MailFault.ACCEPTS_GARBAGE:
            return web.Response(body=b"\xff\x00 no json")
        return answer

    def _again(self, key: str, raw: bytes) -> web.Response:
        state, known = self._keys[key]
        if known != raw:
            return web.Response(status=409)
        if state != "accepted":
            return web.Response(status=425)
        return web.json_response({"messageId": f"<{key}@test>", "duplicate": True})

    def _accept(self, key: str, raw: bytes) -> web.Response:
        body = json.loads(raw)
        self.inbox.append(
            PostedEmail(
                key,
                body["to"]["email"],
                body["template"],
                body["variables"],
                body.get("language"),
                body.get("timeZone"),
                body.get("number", ""),
            )
        )
        self._keys[key] = ("accepted", raw)
        return web.json_response({"messageId": f"<{key}@test>", "duplicate": False})

    async def _forgotten(self, _request: web.Request) -> web.Response:
        return web.json_response({"addresses": []})

    async def _reports(self, request: web.Request) -> web.Response:
        assert request.headers["Authorization"] == "Bearer a-token-for-the-tests"
        if self.reports is None:
            return web.Response(status=404)
        return web.json_response(self.reports)

    async def _message(self, request: web.Request) -> web.Response:
        if self.faults and self.faults[0] is MailFault.UNAVAILABLE:
            return web.Response(status=503)
        known = self._keys.get(request.match_info["key"])
        if known is None:
            return web.Response(status=404)
        message_id = f"<{request.match_info['key']}@test>" if known[0] == "accepted" else None
        return web.json_response({"status": known[0], "messageId": message_id})


def _die(request: web.Request) -> web.Response:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()
