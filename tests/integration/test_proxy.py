"""The proxy of deploy/proxy, in a real nginx, in front of servers that tell what reached them."""

import asyncio
import base64
import os
import shutil
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from string import Template

import aiohttp
import pytest
from aiohttp import web

from tests.unit.deploy.parts import DEPLOY

NAMES = {
    "API_HOSTNAME": "api.example.org",
    "MAIL_HOSTNAME": "mail.example.org",
    "DAGSTER_HOSTNAME": "dagster.example.org",
    "DAGSTER_OPERATOR_HOSTNAME": "operators.example.org",
}
UPSTREAMS = ("api:8080", "mail:8090", "dagster-viewer:3000", "dagster-operator:3000")
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
pytestmark = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")


@dataclass(frozen=True, slots=True)
class Proxy:
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


def _free_port() -> int:
    with _bound() as bound:
        return int(bound.getsockname()[1])


def _bound() -> socket.socket:
    bound = socket.socket()
    bound.bind(("127.0.0.1", 0))
    return bound


@asynccontextmanager
async def _proxy(folder: Path, operators: str) -> AsyncIterator[Proxy]:
    tls, plain = _free_port(), _free_port()
    async with AsyncExitStack() as stack:
        sites = Template((DEPLOY / "proxy/sites.conf.template").read_text()).safe_substitute(
            {**NAMES, "OPERATOR_NETWORK": operators}
        )
        for upstream in UPSTREAMS:
            port = await stack.enter_async_context(_upstream(upstream.split(":")[0]))
            sites = sites.replace(f"http://{upstream}", f"http://127.0.0.1:{port}")
        sites = sites.replace("listen 8443", f"listen 127.0.0.1:{tls}").replace(
            "listen 8080", f"listen 127.0.0.1:{plain}"
        )
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
            yield Proxy(session, tls, plain)
        finally:
            process.terminate()
            await process.wait()


def _any_certificate() -> ssl.SSLContext:
    context = ssl.create_default_context()
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
async def proxy(folder: Path) -> AsyncIterator[Proxy]:
    """Everybody is in the operators' network."""
    async with _proxy(folder, "127.0.0.0/8") as started:
        yield started


async def test_a_client_cannot_choose_the_address_it_is_counted_under(proxy: Proxy) -> None:
    status, seen = await proxy.get(
        "api.example.org", "/health/ready", **{"X-Forwarded-For": "198.51.100.7", "X-Real-IP": "198.51.100.7"}
    )
    assert (status, seen["server"], seen["X-Forwarded-For"]) == (200, "api", "127.0.0.1")
    assert "198.51.100.7" not in str(seen)


async def test_metrics_are_not_published(proxy: Proxy) -> None:
    for path in ("/metrics", "/metrics?x=1", "/%6detrics"):
        status, _ = await proxy.get("api.example.org", path)
        assert status == 404


async def test_of_the_mail_service_only_unsubscribing_is_published(proxy: Proxy) -> None:
    status, seen = await proxy.get("mail.example.org", "/unsubscribe/token")
    assert (status, seen["server"]) == (200, "mail")
    for path in ("/send", "/messages/x", "/templates", "/unsubscribe/../send", "/unsubscribe/%2e%2e/send"):
        status, _ = await proxy.get("mail.example.org", path)
        assert status == 404


@pytest.mark.parametrize(
    ("host", "right", "wrong", "server"),
    [
        ("dagster.example.org", "viewers", "operators", "dagster-viewer"),
        ("operators.example.org", "operators", "viewers", "dagster-operator"),
    ],
)
async def test_dagster_is_shown_to_who_has_the_password_of_that_page(
    proxy: Proxy, host: str, right: str, wrong: str, server: str
) -> None:
    assert (await proxy.get(host, "/"))[0] == 401
    assert (await proxy.get(host, "/", **_login(wrong)))[0] == 401
    status, seen = await proxy.get(host, "/graphql", **_login(right))
    assert (status, seen["server"]) == (200, server)
    assert "Authorization" not in seen


async def test_another_sites_page_cannot_use_an_operators_login(proxy: Proxy) -> None:
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


async def test_a_name_we_do_not_serve_gets_no_certificate(proxy: Proxy) -> None:
    with pytest.raises(aiohttp.ClientConnectorError):
        await proxy.get("other.example.org", "/")


async def test_plain_http_leads_to_tls_and_nowhere_else(proxy: Proxy) -> None:
    url = f"http://127.0.0.1:{proxy.plain_port}/recipients"
    async with proxy.session.get(url, headers={"Host": "api.example.org"}, allow_redirects=False) as response:
        assert (response.status, response.headers["Location"]) == (308, "https://api.example.org/recipients")
    with pytest.raises(aiohttp.ClientError):
        await proxy.session.get(url, headers={"Host": "evil.example"}, allow_redirects=False)


async def test_nothing_of_a_request_is_logged(proxy: Proxy, folder: Path) -> None:
    await proxy.get("mail.example.org", "/unsubscribe/a-token-nobody-sees")
    assert not any(b"a-token-nobody-sees" in content for content in _contents(folder))


def _contents(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
