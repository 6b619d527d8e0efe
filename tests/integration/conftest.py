"""What more than one file uses: a local chain with our contracts, put back after each test, an inbox, browsers."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import psycopg
import pytest
import pytest_asyncio
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.chain import Anvil, usable_port
from devnet.deploy import Deployment, deploy
from devnet.scenarios import Scenario
from devnet.smtp import SmtpInbox

if TYPE_CHECKING:  # loaded by those only who ask for them
    from playwright.async_api import Browser

    from tests.integration.chain_proxy import NodeProxy
    from tests.integration.commands import CliRun
    from tests.integration.gift_page_browser import PageVisitor, Visit
    from tests.integration.gift_page_world import GiftWorld
    from tests.integration.reminder_world import MailWorld


@dataclass(frozen=True, slots=True)
class AnvilChain:
    anvil: Anvil
    deployment: Deployment


@pytest.fixture(scope="session")
def anvil_chain() -> Iterator[AnvilChain]:
    """The chain as deployed. Tests take `chain_scenario`, which puts it back."""
    with Anvil() as anvil:
        yield AnvilChain(anvil, deploy(anvil))


@pytest.fixture
def chain_scenario(anvil_chain: AnvilChain) -> Iterator[Scenario]:
    """Steps on the deployed chain; state, blocks and time are as before when the test is over."""
    before = anvil_chain.anvil.snapshot()
    yield Scenario(anvil_chain.anvil, anvil_chain.deployment)
    anvil_chain.anvil.revert(before)


@pytest.fixture(scope="module")
def lasting_chain() -> Iterator[AnvilChain]:
    """A file's own chain, for tests that reorganise it. They take `lasting_scenario`."""
    from tests.integration.relay_world import EPOCH

    with Anvil(slots_in_an_epoch=EPOCH) as anvil:
        yield AnvilChain(anvil, deploy(anvil))


@pytest.fixture
def lasting_scenario(lasting_chain: AnvilChain) -> Scenario:
    """Steps on a chain that is not put back: one that was reorganised cannot be."""
    return Scenario(lasting_chain.anvil, lasting_chain.deployment)


@pytest.fixture
def mail_database(postgres_server: str) -> Iterator[str]:
    """Address of an empty database that is gone after the test."""
    name = f"mail_{uuid4().hex[:12]}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"create database {name}")
    yield postgres_server.replace("/postgres?", f"/{name}?")
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"drop database {name} with (force)")


@pytest.fixture
async def inbox() -> AsyncIterator[SmtpInbox]:
    async with SmtpInbox(usable_port()) as opened:
        yield opened


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, environ: dict[str, str]) -> "CliRun":
    """Runs commands with the settings that a file calls `environ`, away from any `.env`."""
    from tests.integration.commands import CliRun

    monkeypatch.chdir(tmp_path)
    return CliRun(environ)


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> "AsyncIterator[MailWorld]":
    """All that reminders need, with a mail service that keeps what it is sent. Files about other things have their
    own `world`."""
    from tests.integration.mail_stub import MailStub
    from tests.integration.reminder_world import open_world

    async with MailStub() as mail, open_world(engine, chain_scenario, mail) as opened:
        yield opened


@pytest.fixture
async def proxied(engine: AsyncEngine, chain_scenario: Scenario) -> "AsyncIterator[tuple[MailWorld, NodeProxy]]":
    """A world whose node can be told to answer otherwise."""
    from tests.integration.chain_proxy import proxy
    from tests.integration.mail_stub import MailStub
    from tests.integration.reminder_world import open_world

    async with (
        proxy(chain_scenario.anvil.url) as node,
        MailStub() as mail,
        open_world(engine, chain_scenario, mail, CHAIN_31337_RPC_URLS=node.url) as world,
    ):
        yield world, node


@pytest_asyncio.fixture(loop_scope="session")
async def gift_world(chain_scenario: Scenario, engine: AsyncEngine) -> "AsyncIterator[GiftWorld]":
    """The API with the built gift page, and a relay that follows what it sends."""
    from tests.integration.gift_page_world import open_gift_world

    async with open_gift_world(chain_scenario, engine) as opened:
        yield opened


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> "AsyncIterator[Browser]":
    """The one of all visitors of this process: who has visitors has this loop. Skipped where there is none."""
    from tests.integration.gift_page_browser import launched

    async with launched() as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="session")
async def visit(request: pytest.FixtureRequest, browser: "Browser") -> "AsyncIterator[Visit]":
    """Makes fresh visitors, as `new_visitor` does. A test about all that a browser sends has one of its own."""
    from tests.integration.gift_page_browser import new_visitor, open_browser, visiting

    if request.node.get_closest_marker("own_browser") is None:
        async with visiting(browser) as visit:
            yield visit
    else:
        async with open_browser() as (own, wire):
            yield partial(new_visitor, own, wire)


@pytest_asyncio.fixture(loop_scope="session")
async def visitor(visit: "Visit") -> "PageVisitor":
    """Somebody at a desk."""
    return await visit()
