"""The mail service as operators start it: from POST to the SMTP server's acceptance, PostgreSQL with its durability.

The SMTP server is a process of its own that answers each command after 30 or 100 milliseconds.
"""

import asyncio
import json
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from statistics import median
from uuid import uuid4

import aiohttp

from bench.harness import BenchFigure, seconds_of
from bench.surroundings import postgres, stub
from mail_service.catalogue import TEMPLATES

EMAILS = 500
AT_ONCE = 64  # as the worker posts
TOKEN, ORIGIN = "a token of the bench", "https://app.example"  # of `surroundings.settings`


async def measure() -> list[BenchFigure]:
    figures = []
    for milliseconds, aim in ((30, ">= 100"), (100, ">= 40")):
        async with stub("smtp_sink", str(milliseconds)) as sink:
            with postgres() as database_url:
                async with mail_service(database_url, sink.rpartition(":")[2]) as url:
                    await _post(url, AT_ONCE)  # connections and templates
                    rate = EMAILS / median([await seconds_of(partial(_post, url, EMAILS)) for _ in range(3)])
        figures.append(BenchFigure(f"mail.{milliseconds}ms", rate, "emails/s", None, None, aim))
    return figures


@asynccontextmanager
async def mail_service(database_url: str, smtp_port: str) -> AsyncIterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    environ = {
        "PATH": os.environ["PATH"],
        "MAIL_SERVICE_DATABASE_URL": database_url.replace("+psycopg", ""),
        "MAIL_SERVICE_TOKEN": TOKEN,
        "MAIL_SERVICE_HASH_KEY": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        "MAIL_SERVICE_PUBLIC_URL": "http://127.0.0.1:8090",
        "MAIL_SERVICE_PORT": str(port),
        "APP_ORIGIN": ORIGIN,
        "MAIL_FROM": "Legacy reminders <reminders@mail.example.org>",
        "SMTP_HOST": "127.0.0.1",
        "SMTP_PORT": smtp_port,
        "SMTP_TLS": "none",
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "mail_service", env=environ, stderr=asyncio.subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}"
    try:
        await _wait_until_ready(url)
        yield url
    finally:
        process.terminate()
        await process.wait()


async def _wait_until_ready(url: str) -> None:
    async with aiohttp.ClientSession() as session, asyncio.timeout(60):
        while True:
            try:
                async with session.get(f"{url}/health/ready") as answer:
                    if answer.status == 200:
                        return
            except aiohttp.ClientConnectionError:
                await asyncio.sleep(0.05)


async def _post(url: str, emails: int) -> None:
    """Post one body of the catalogue to as many addresses. Raises `RuntimeError` for an email that was not accepted."""
    template = TEMPLATES["before_activation"]
    variables = dict(template.sample)
    variables["actionUrl"] = variables["actionUrl"].format(origin=ORIGIN)
    body = {
        "template": template.name,
        "templateVersion": template.version,
        "variables": variables,
        "category": template.category,
    }
    waiting = iter(range(emails))
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    async with aiohttp.ClientSession(headers=headers, connector=aiohttp.TCPConnector(limit=AT_ONCE)) as session:

        async def work() -> None:
            for number in waiting:
                content = json.dumps(body | {"to": {"email": f"heir{number}@example.net", "name": "A Name"}})
                async with session.post(
                    f"{url}/send", data=content, headers={"Idempotency-Key": uuid4().hex}
                ) as answer:
                    if answer.status != 200:
                        raise RuntimeError(f"the mail service answered {answer.status}")

        await asyncio.gather(*(work() for _ in range(AT_ONCE)))
