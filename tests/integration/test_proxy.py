"""The proxy of deploy/proxy, in a real nginx, in front of servers that tell what reached them."""

import asyncio
import base64
import os
import re
import resource
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from urllib.parse import urlsplit

import aiohttp
import pytest
from aiohttp import web
from sqlalchemy.ext.asyncio import AsyncEngine
from yarl import URL

from devnet.chain import usable_port
from devnet.scenarios import Scenario
from tests.integration.api_world import open_world
from tests.unit.deploy.parts import DEPLOY

NAMES = {
    "API_HOSTNAME": "api.example.org",
    "MAIL_HOSTNAME": "mail.example.org",
    "DAGSTER_HOSTNAME": "dagster.example.org",
    "DAGSTER_OPERATOR_HOSTNAME": "operators.example.org",
    "RESOLVER": "127.0.0.1",
    "DOMAIN": "",
}
MIB = 1024 * 1024
UPSTREAMS = ("api:8080", "mail:8090", "dagster-viewer:3000", "dagster-operator:3000")
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
pytestmark = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")


@dataclass(frozen=True, slots=True)
class RunningNginx:
    session: aiohttp.ClientSession
    port: int
    plain_port: int

    async def get(self, host: str, path: str, **headers: str) -> tuple[int, dict[str, str]]:
        """Status and what the server behind it was sent: its name, path and headers."""
        url = f"https://127.0.0.1:{self.port}{path}"
        async with self.session.get(url, headers={"Host": host, **headers}, server_hostname=host) as response:
            known = response.content_type == "application/json"
            return response.status, await response.json() if known else dict(response.headers)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate and two users, each with a password of their own."""
    folder = tmp_path_factory.mktemp("proxy")
    subject = "/CN=example.org"
    make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    keys = ["-keyout", str(folder / "tls_key"), "-out", str(folder / "tls_certificate"), "-days", "2", "-subj", subject]
    subprocess.run([*make, *keys], check=True, capture_output=True)
    for who in ("viewers", "operators"):
        hashed = subprocess.run(["openssl", "passwd", "-6", who], check=True, capture_output=True, text=True).stdout
        (folder / f"dagster_{who}").write_text(f"somebody:{hashed}")
    return folder


@asynccontextmanager
async def _upstream(name: str) -> AsyncIterator[int]:
    async def tell(request: web.Request) -> web.Response:
        return web.json_response({"server": name, "path": request.path, **request.headers})

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", tell)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


@asynccontextmanager
async def _proxy(
    folder: Path, operators: str, patience: str = "10s", app: str = "unix:", **ports: int
) -> AsyncIterator[RunningNginx]:
    """`ports` are of other servers for the names `mail` and `api`, `app` from where the app's own proxy comes."""
    tls, plain = usable_port(), usable_port()
    async with AsyncExitStack() as stack:
        sites = Template((DEPLOY / "proxy/sites.conf.template").read_text()).safe_substitute(
            {**NAMES, "OPERATOR_NETWORK": operators, "APP_PROXY": app}
        )
        for upstream in UPSTREAMS:
            name = upstream.split(":")[0]
            port = ports.get(name) or await stack.enter_async_context(_upstream(name))
            sites = sites.replace(f"http://{upstream}", f"http://127.0.0.1:{port}")
        sites = sites.replace("listen 8443", f"listen 127.0.0.1:{tls}").replace(
            "listen 8080", f"listen 127.0.0.1:{plain}"
        )
        sites = re.sub(r"(client_(?:header|body)_timeout) 10s;", rf"\1 {patience};", sites)
        (folder / "sites.conf").write_text(sites.replace("/run/secrets", str(folder)))
        config = (DEPLOY / "proxy/nginx.conf").read_text().replace("/tmp", str(folder))
        (folder / "nginx.conf").write_text(config + "\ndaemon off;\n" + ("user root;\n" if os.geteuid() == 0 else ""))
        process = await asyncio.create_subprocess_exec(
            str(NGINX), "-p", str(folder), "-c", str(folder / "nginx.conf"), stderr=asyncio.subprocess.PIPE
        )
        session = await stack.enter_async_context(
            aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=_any_certificate()))
        )
        try:
            await _listening(process, tls)
            yield RunningNginx(session, tls, plain)
        finally:
            process.terminate()
            await process.wait()


@cache
def _any_certificate() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


async def _listening(process: asyncio.subprocess.Process, port: int) -> None:
    while True:
        if process.returncode is not None and process.stderr:
            raise AssertionError((await process.stderr.read()).decode())
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.02)
        else:
            writer.close()
            return


def _login(password: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"somebody:{password}".encode()).decode()}


@pytest.fixture
async def proxy(folder: Path) -> AsyncIterator[RunningNginx]:
    """Everybody is in the operators' network."""
    async with _proxy(folder, "127.0.0.0/8") as started:
        yield started


async def test_a_client_cannot_choose_the_address_it_is_counted_under(proxy: RunningNginx) -> None:
    status, seen = await proxy.get(
        "api.example.org", "/health/ready", **{"X-Forwarded-For": "198.51.100.7", "X-Real-IP": "198.51.100.7"}
    )
    assert (status, seen["server"], seen["X-Forwarded-For"]) == (200, "api", "127.0.0.1")
    assert "198.51.100.7" not in str(seen)


async def test_visitors_who_come_by_the_apps_proxy_count_each_by_itself(folder: Path) -> None:
    """The proxy appends the address it saw; entries to its left are the visitor's own claim."""
    said = {"X-Forwarded-For": "192.0.2.9, 198.51.100.7"}
    async with _proxy(folder, "127.0.0.0/8", app="127.0.0.1") as proxy:
        for host, path in (("api.example.org", "/sponsor/gift-withdraw"), ("mail.example.org", "/unsubscribe/token")):
            _, seen = await proxy.get(host, path, **said)
            assert seen["X-Forwarded-For"] == "198.51.100.7"
            assert (await proxy.get(host, path))[1]["X-Forwarded-For"] == "127.0.0.1"


async def test_visitors_of_the_page_of_emails_are_limited_each_by_itself(
    folder: Path, chain_scenario: Scenario, engine: AsyncEngine
) -> None:
    """The API counts the visitors that the proxy names to it."""
    limited = {"RATE_LIMIT_PER_MINUTE": "2", "TRUSTED_PROXIES": "127.0.0.1"}
    async with (
        open_world(chain_scenario, engine, **limited) as world,
        _proxy(folder, "127.0.0.0/8", app="127.0.0.1", api=urlsplit(world.url).port or 0) as proxy,
    ):

        async def look_up(visitor: str) -> int:
            headers = {"Host": "api.example.org", "X-Forwarded-For": visitor}
            url, form = f"https://127.0.0.1:{proxy.port}/emails", {"number": "0123-4567-89AB-CDEF"}
            async with proxy.session.post(url, headers=headers, data=form, server_hostname=headers["Host"]) as answer:
                assert "Number of the email" in await answer.text()
                return answer.status

        visitors = ("198.51.100.7", "198.51.100.7", "198.51.100.7", "198.51.100.8", "192.0.2.9, 198.51.100.7")
        assert [await look_up(visitor) for visitor in visitors] == [200, 200, 429, 200, 429]


async def test_the_apps_proxy_is_not_believed_about_operators(folder: Path) -> None:
    said = {"X-Forwarded-For": "192.0.2.9"}
    async with _proxy(folder, "192.0.2.0/24", app="127.0.0.1") as proxy:
        assert (await proxy.get("api.example.org", "/ops/status", **said))[0] == 403
        assert (await proxy.get("operators.example.org", "/", **said, **_login("operators")))[0] == 403
        _, seen = await proxy.get("dagster.example.org", "/", **said, **_login("viewers"))
        assert seen["X-Forwarded-For"] == "127.0.0.1"


async def test_metrics_are_not_published(proxy: RunningNginx) -> None:
    for path in ("/metrics", "/metrics?x=1", "/%6detrics"):
        status, _ = await proxy.get("api.example.org", path)
        assert status == 404


async def test_of_the_mail_service_only_the_links_of_emails_are_published(proxy: RunningNginx) -> None:
    for path in ("/unsubscribe/token", "/forget/token"):
        status, seen = await proxy.get("mail.example.org", path)
        assert (status, seen["server"]) == (200, "mail")
    for path in (
        "/send",
        "/forgotten",
        "/forgotten?after=0",
        "/messages/x",
        "/templates",
        "/unsubscribe/../send",
        "/unsubscribe/%2e%2e/send",
    ):
        status, _ = await proxy.get("mail.example.org", path)
        assert status == 404


async def test_dagster_is_shown_to_who_has_the_password_of_that_page(proxy: RunningNginx) -> None:
    for host, right, wrong, server in (
        ("dagster.example.org", "viewers", "operators", "dagster-viewer"),
        ("operators.example.org", "operators", "viewers", "dagster-operator"),
    ):
        assert (await proxy.get(host, "/"))[0] == 401
        assert (await proxy.get(host, "/", **_login(wrong)))[0] == 401
        status, seen = await proxy.get(host, "/graphql", **_login(right))
        assert (status, seen["server"]) == (200, server)
        assert "Authorization" not in seen


async def test_another_sites_page_cannot_use_an_operators_login(proxy: RunningNginx) -> None:
    login = _login("operators")
    for site, expected in (("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)):
        status, _ = await proxy.get("operators.example.org", "/graphql", **login, **{"Sec-Fetch-Site": site})
        assert status == expected


async def test_operators_pages_are_for_their_network_alone(folder: Path) -> None:
    async with _proxy(folder, "192.0.2.0/24") as proxy:
        assert (await proxy.get("operators.example.org", "/", **_login("operators")))[0] == 403
        assert (await proxy.get("api.example.org", "/ops/status"))[0] == 403
        assert (await proxy.get("api.example.org", "/%6fps/status"))[0] == 403
        assert (await proxy.get("dagster.example.org", "/", **_login("viewers")))[0] == 200


async def test_plain_http_leads_to_tls_and_nowhere_else(proxy: RunningNginx) -> None:
    url = f"http://127.0.0.1:{proxy.plain_port}/recipients"
    async with proxy.session.get(url, headers={"Host": "api.example.org"}, allow_redirects=False) as response:
        assert (response.status, response.headers["Location"]) == (308, "https://api.example.org/recipients")
    with pytest.raises(aiohttp.ClientError):
        await proxy.session.get(url, headers={"Host": "evil.example"}, allow_redirects=False)


async def test_nothing_of_a_request_is_logged(proxy: RunningNginx, folder: Path) -> None:
    await proxy.get("mail.example.org", "/unsubscribe/a-token-nobody-sees")
    assert not any(b"a-token-nobody-sees" in content for content in _contents(folder))


def _contents(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]


UNSUBSCRIBE = b"POST /unsubscribe/token HTTP/1.1\r\nHost: mail.example.org\r\n"
LOOK_UP = b"POST /emails HTTP/1.1\r\nHost: api.example.org\r\n"
UNFINISHED = (
    UNSUBSCRIBE,
    UNSUBSCRIBE + b"X-Slow: ",
    UNSUBSCRIBE + b"Content-Length: 100\r\n\r\n{",
    UNSUBSCRIBE + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{",
)


@asynccontextmanager
async def _before_mail(
    folder: Path, patience: str = "10s", app: str = "unix:"
) -> AsyncIterator[tuple[RunningNginx, list[bytes]]]:
    """The proxy and what reached the server of the mail service."""
    reached: list[bytes] = []

    async def keep(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reached.append(await reader.read(65536))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(keep, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, _proxy(folder, "127.0.0.0/8", mail=port, patience=patience, app=app) as proxy:
        yield proxy, reached


async def _connected(
    proxy: RunningNginx, client: str = "127.0.0.1"
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection(
        "127.0.0.1", proxy.port, ssl=_any_certificate(), server_hostname="mail.example.org", local_addr=(client, 0)
    )


async def _said_to(proxy: RunningNginx, sent: bytes, drop: bytes = b"") -> bytes:
    """Return the answer until the proxy closes, to a client that keeps sending `drop`."""
    reader, writer = await _connected(proxy)
    gone = asyncio.create_task(reader.read())
    async with asyncio.timeout(60):
        with suppress(ConnectionError):
            writer.write(sent)
            await writer.drain()
            while drop and not gone.done():
                writer.write(drop)
                await writer.drain()
                await asyncio.wait([gone], timeout=0.05)
        with suppress(ConnectionError):
            return await gone
    return b""


async def test_what_is_behind_sees_no_request_that_is_not_whole(folder: Path) -> None:
    """The mail service has no limits of its own for slow clients: they end here."""
    async with _before_mail(folder, patience="1s") as (proxy, reached):
        never_ending = [_said_to(proxy, begun) for begun in UNFINISHED]
        never_ending.append(_said_to(proxy, UNSUBSCRIBE + b"X-Slow: ", drop=b"1"))
        for said in await asyncio.gather(*never_ending):
            assert said[:12] in (b"", b"HTTP/1.1 408")
        assert reached == []


async def test_a_head_or_body_too_large_ends_here(folder: Path) -> None:
    many = b"".join(b"X-%d: %s\r\n" % (at, b"1" * 4000) for at in range(20))
    async with _before_mail(folder) as (proxy, reached):
        for sent, status in (
            (UNSUBSCRIBE + b"X-Large: " + b"1" * 40_000 + b"\r\n\r\n", b"400"),
            (UNSUBSCRIBE + many + b"\r\n", b"400"),
            (UNSUBSCRIBE + b"Content-Length: 65537\r\n\r\n", b"413"),
        ):
            reader, writer = await _connected(proxy)
            writer.write(sent)
            assert (await reader.readexactly(12))[9:] == status
            writer.close()
        assert reached == []


SMALL = UNSUBSCRIBE + b"Connection: close\r\nContent-Length: 1\r\n\r\n1"


@asynccontextmanager
async def _held(
    proxy: RunningNginx, begun: Sequence[bytes], clients: Sequence[str] = ("127.0.0.1",)
) -> AsyncIterator[None]:
    """Hold requests open, by the clients in turn. The proxy refuses one, which is one too many."""
    async with AsyncExitStack() as stack:
        answers = []
        for number, sent in enumerate(begun):
            reader, writer = await _connected(proxy, clients[number % len(clients)])
            stack.callback(writer.close)
            writer.write(sent)
            answers.append(asyncio.create_task(reader.read(12)))
        done, held = await asyncio.wait(answers, return_when=asyncio.FIRST_COMPLETED)
        assert ([each.result() for each in done], len(held)) == ([b"HTTP/1.1 429"], len(begun) - 1)
        yield
        for each in held:
            each.cancel()


async def test_one_address_holds_a_hundred_requests_open_and_no_more(folder: Path) -> None:
    """A body may come drop by drop."""
    for page in (UNSUBSCRIBE, LOOK_UP):
        begun = [page + b"Content-Length: 100\r\n\r\n{"] * 101
        async with _before_mail(folder) as (proxy, reached), _held(proxy, begun):
            assert reached == [], page


async def test_one_address_holds_twenty_large_bodies_open_and_small_ones_beside_them(folder: Path) -> None:
    """Held requests are in the memory of the proxy."""
    for size in (b"Content-Length: 60000\r\n\r\n{", b"Transfer-Encoding: chunked\r\n\r\n5\r\n{"):
        async with _before_mail(folder) as (proxy, reached), _held(proxy, [UNSUBSCRIBE + size] * 21):
            small = await _said_to(proxy, SMALL)
            assert (small[:12], len(reached)) == (b"HTTP/1.1 200", 1), size


async def test_a_thousand_large_bodies_leave_room_for_small_requests(folder: Path) -> None:
    """Fifty-one visitors hold connections, every visitor fewer than allowed."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)
    large = UNSUBSCRIBE + b"X-Forwarded-For: 198.51.100.%d\r\nContent-Length: 60000\r\n\r\n{"
    async with AsyncExitStack() as stack:
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, files)
        resource.setrlimit(resource.RLIMIT_NOFILE, (files[1], files[1]))
        proxy, reached = await stack.enter_async_context(_before_mail(folder, patience="60s", app="127.0.0.1"))
        await stack.enter_async_context(_held(proxy, [large % (number % 51) for number in range(1001)]))
        small = await _said_to(proxy, SMALL)
        assert (small[:12], len(reached)) == (b"HTTP/1.1 200", 1)


@asynccontextmanager
async def _reading_mail() -> AsyncIterator[int]:
    """A mail service that answers with the number of bytes it was sent; its port."""

    async def count(request: web.Request) -> web.Response:
        return web.Response(text=str(len(await request.read())))

    app = web.Application(client_max_size=4 * MIB)
    app.router.add_post("/{path:.*}", count)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


async def test_delivery_reports_may_be_larger_than_other_bodies_and_stay_in_memory(folder: Path) -> None:
    async with _reading_mail() as port, _proxy(folder, "127.0.0.0/8", mail=port) as proxy:
        shutil.rmtree(folder / "client_body")
        sent = {"Host": "mail.example.org"}
        for path, most in (
            ("/reports/sendgrid", 2 * MIB),
            ("/reports/%73endgrid", 2 * MIB),
            ("/reports/sendgrid/more", 256 * 1024),
            ("/reports/mailgun", 256 * 1024),
            ("/reports/signed", 256 * 1024),
            ("/unsubscribe/token", 64 * 1024),
        ):
            url = URL(f"https://127.0.0.1:{proxy.port}{path}", encoded=True)
            for size, status in ((most, 200), (most + 1, 413)):
                body = b"1" * size
                async with proxy.session.post(url, headers=sent, data=body, server_hostname=sent["Host"]) as answer:
                    assert answer.status == status, path
                    assert status != 200 or await answer.text() == str(size), path


async def test_delivery_reports_that_are_held_open_have_places_by_client_and_in_all(folder: Path) -> None:
    """Held bodies are in the memory of the proxy. Links of emails work beside them."""
    for path, of_client, of_all in ((b"/reports/sendgrid", 5, 20), (b"/reports/mailgun", 20, 100)):
        begun = b"POST " + path + b" HTTP/1.1\r\nHost: mail.example.org\r\nContent-Length: 200000\r\n\r\n{"
        for count, most in ((1, of_client), (of_all // of_client + 1, of_all)):
            clients = [f"127.0.0.{2 + number}" for number in range(count)]
            async with (
                _before_mail(folder, patience="60s") as (proxy, reached),
                _held(proxy, [begun] * (most + 1), clients),
            ):
                small = await _said_to(proxy, SMALL)
                assert (small[:12], len(reached)) == (b"HTTP/1.1 200", 1), (path, most)


async def test_no_body_is_written_to_the_file_system(folder: Path) -> None:
    """It is in memory, too, and full once a thousand bodies are in it: there is no place for one here."""
    async with _before_mail(folder) as (proxy, reached):
        shutil.rmtree(folder / "client_body")
        said = await _said_to(proxy, SMALL.replace(b"Length: 1\r\n\r\n1", b"Length: 65536\r\n\r\n" + b"1" * 65_536))
        assert (said[:12], len(reached)) == (b"HTTP/1.1 200", 1)
