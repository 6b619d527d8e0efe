"""A running mail service for tests: in this process, or as a process of its own that can be killed."""

import asyncio
import os
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
import uvicorn

from devnet.smtp import SmtpInbox
from mail_service.app import create_app
from mail_service.settings import MailServiceSettings

TOKEN = "a-token-for-the-tests"
ORIGIN = "https://app.example.org"
EMAIL = "Zoe.Quillfeather@example.net"
NAME = "Zoe Quillfeather"
KEY_32 = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="


def environment(database_url: str, inbox: SmtpInbox, **more: str) -> dict[str, str]:
    return {
        "MAIL_SERVICE_DATABASE_URL": database_url.replace("postgresql+psycopg://", "postgresql://"),
        "MAIL_SERVICE_TOKEN": TOKEN,
        "MAIL_SERVICE_HASH_KEY": KEY_32,
        "MAIL_SERVICE_PUBLIC_URL": "http://127.0.0.1:8090",
        "APP_ORIGIN": ORIGIN,
        "MAIL_FROM": "Legacy reminders <reminders@mail.example.org>",
        "SMTP_HOST": "127.0.0.1",
        "SMTP_PORT": str(inbox.smtp_port),
        "SMTP_TLS": "none",
        "MAIL_SERVICE_PORT": "0",
        **more,
    }


def body(**changes: Any) -> dict[str, Any]:
    variables = {
        "name": NAME,
        "role": "beneficiary",
        "legacyId": "42",
        "legacyName": "",
        "legacyAddress": "0x8ba1f109551bD432803012645Ac136ddd64DBA72",
        "chainName": "Sepolia",
        "chainId": 11155111,
        "ownerAddress": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        "deadline": "Tuesday, 24 November 2026, 15:04 UTC",
        "actionUrl": f"{ORIGIN}/legacy/11155111/42",
        **changes.pop("variables", {}),
    }
    return {
        "template": "before_activation",
        "templateVersion": 1,
        "to": {"email": EMAIL, "name": NAME},
        "variables": variables,
        "category": "reminder",
        **changes,
    }


@dataclass(frozen=True, slots=True)
class MailAnswer:
    status: int
    json: Any
    headers: dict[str, str]


class ServiceClient:
    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._session = session
        self.url = url

    async def request(self, method: str, path: str, **options: Any) -> MailAnswer:
        async with self._session.request(method, self.url + path, **options) as response:
            is_json = "json" in response.content_type
            content = await (response.json(content_type=None) if is_json else response.text())
            return MailAnswer(response.status, content, dict(response.headers))

    async def send(self, key: str | None = None, **changes: Any) -> MailAnswer:
        headers = {"Authorization": f"Bearer {TOKEN}", "Idempotency-Key": key or uuid4().hex}
        return await self.request("POST", "/send", json=body(**changes), headers=headers)

    async def status(self, key: str) -> MailAnswer:
        return await self.request("GET", f"/messages/{key}", headers={"Authorization": f"Bearer {TOKEN}"})

    async def until(self, key: str, status: str | int) -> None:
        """Asks until the key has this status (404: is not known); the test's own timeout ends it."""
        while (await self.status(key)).json["status"] != status:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@asynccontextmanager
async def served(environ: dict[str, str]) -> AsyncIterator[ServiceClient]:
    """The service in this process, over real HTTP."""
    config = uvicorn.Config(
        create_app(MailServiceSettings.from_environ(environ)), port=0, log_config=None, access_log=False
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
        if serving.done():
            await serving
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        async with aiohttp.ClientSession() as session:
            yield ServiceClient(session, f"http://127.0.0.1:{port}")
    finally:
        server.should_exit = True
        await serving


@asynccontextmanager
async def process(
    environ: dict[str, str], port: int, log: Path
) -> AsyncIterator[tuple[asyncio.subprocess.Process, ServiceClient]]:
    """`python -m mail_service` as an operator runs it; killed at the end when it still lives."""
    with log.open("ab") as stderr:
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "mail_service",
            env={"PATH": os.environ["PATH"], **environ, "MAIL_SERVICE_PORT": str(port)},
            stderr=stderr,
        )
    try:
        async with aiohttp.ClientSession() as session:
            client = ServiceClient(session, f"http://127.0.0.1:{port}")
            await _until_ready(child, client)
            yield child, client
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()


async def _until_ready(child: Process, client: ServiceClient) -> None:
    async with asyncio.timeout(60):
        while True:
            assert child.returncode is None, "it stopped: read its log"
            try:
                if (await client.request("GET", "/health/ready")).status == 200:
                    return
            except aiohttp.ClientConnectionError:
                await asyncio.sleep(0.05)
