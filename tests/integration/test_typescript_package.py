"""The npm package as `npm pack` makes it, and the example page that is built with it, in Chromium."""

import json
import os
import re
import shutil
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect
from sqlalchemy.ext.asyncio import AsyncEngine

import reminder_worker
from devnet.scenarios import Scenario
from devnet.smtp import SmtpInbox
from reminder_worker.gifts.claim_link import decode_letter
from tests.integration.gift_page_browser import InjectedWallet, Visit
from tests.integration.gift_page_world import ETHER, build_gift_page, open_gift_world
from tests.integration.mail_service_stack import TOKEN, environment, served

pytestmark = pytest.mark.asyncio(loop_scope="session")

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "clients" / "typescript"


@pytest.fixture(scope="module")
def packed() -> Iterator[Path]:
    """A frontend's folder: the example, with the package in `node_modules` as npm unpacks it."""
    build_gift_page()
    folder = ROOT / ".cache" / f"frontend-{os.environ.get('PYTEST_XDIST_WORKER', 'main')}"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(CLIENT / "example", folder, ignore=shutil.ignore_patterns(".env", "dist", "node_modules"))
    _run("npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", str(folder), cwd=CLIENT)
    (file,) = folder.glob("*.tgz")
    with tarfile.open(file) as archive:
        archive.extractall(folder, filter="data")
    (folder / "node_modules").mkdir()
    installed = folder / "node_modules" / "reminder-worker-client"
    (folder / "package").rename(installed)
    (installed / "node_modules").symlink_to(CLIENT / "node_modules")  # other packages are found above
    yield folder
    shutil.rmtree(folder)


def _run(*command: str, cwd: Path, **environ: str) -> None:
    done = subprocess.run(command, cwd=cwd, env=os.environ | environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


async def test_the_package_holds_what_it_exports_and_nothing_else(packed: Path) -> None:
    """The version is the service's. No script runs at its installation."""
    installed = packed / "node_modules" / "reminder-worker-client"
    about: dict[str, Any] = json.loads((installed / "package.json").read_text())
    files = {str(path.relative_to(installed)) for path in installed.rglob("*") if path.is_file()}
    files = {name for name in files if not name.startswith("node_modules/")}
    assert {name.partition("/")[0] for name in files} == {"dist", "example", "package.json", "README.md", "LICENSE"}
    kinds = {re.sub(r"^[^.]+", "", Path(name).name) for name in files if name.startswith("dist/")}
    assert kinds == {".js", ".d.ts", ".css", ".json"}
    exported = [path.removeprefix("./") for path in about["exports"].values() if "*" not in path]
    assert [name for path in exported for name in (path, path.replace(".js", ".d.ts")) if name not in files] == []
    assert about["version"] == reminder_worker.__version__
    assert about["scripts"].keys() == {"build"}
    text = "".join((installed / name).read_text() for name in files)
    assert str(ROOT) not in text


async def test_its_types_pass_a_strict_check_of_libraries(packed: Path) -> None:
    """The compiler resolves modules as Node.js does, and imports every exported path."""
    installed = packed / "node_modules" / "reminder-worker-client"
    about: dict[str, Any] = json.loads((installed / "package.json").read_text())
    paths = [path.removeprefix(".").replace("*", "de") for path in about["exports"]]
    lines = [f'export * as n{number} from "reminder-worker-client{path}";' for number, path in enumerate(paths)]
    (packed / "types.ts").write_text("\n".join(lines))
    options = "--module nodenext --target es2022 --strict --skipLibCheck false --noEmit --ignoreConfig"
    _run(str(ROOT / "node_modules/.bin/tsc"), *options.split(), "types.ts", cwd=packed)
    assert 'output.css"' in (installed / "dist/printables/output.js").read_text()


async def test_the_example_saves_recipients_shows_their_emails_and_seals_a_gift(
    chain_scenario: Scenario, engine: AsyncEngine, visit: Visit, packed: Path, inbox: SmtpInbox
) -> None:
    """It is built with the package alone, and is of another origin than the API."""
    scenario, contracts = chain_scenario, chain_scenario.deployment
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_QuietHandler, directory=str(packed / "dist")))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        database = engine.url.render_as_string(hide_password=False)
        async with (
            served(environment(database, inbox)) as mail,
            open_gift_world(scenario, engine, CORS_ORIGINS=origin, MAIL_URL=mail.url, MAIL_TOKEN=TOKEN) as world,
        ):
            owner, heir = world.api.owner(), scenario.account("heir")
            legacy = scenario.create_legacy(owner, {heir.address: 100})
            scenario.configure_reminders(owner, legacy)
            await world.api.parts.chain_indexes[world.api.chain_id].run()
            environ = {
                "VITE_API": world.origin,
                "VITE_CHAIN_ID": str(world.api.chain_id),
                "VITE_TIME_LOCK_ROUTER": contracts.time_lock_router,
                "VITE_TIMELOCK_ERC20": contracts.timelock_erc20,
                "VITE_WRAPPED_ETHER": contracts.weth,
            }
            _run(str(ROOT / "node_modules/.bin/vite"), "build", "--logLevel", "warn", cwd=packed, **environ)
            visitor = await visit()
            await visitor.has(InjectedWallet(scenario, owner))
            page, said = visitor.page, visitor.page.get_by_role("status")
            await page.goto(origin)
            await page.locator("#recipients").get_by_label("Legacy").fill(legacy.address)
            await page.get_by_label("Your email").fill("me@example.org")
            await page.get_by_label("Heir's address").fill(heir.address)
            await page.get_by_label("Heir's email").fill("heir@example.org")
            await page.get_by_role("button", name="Save recipients").click()
            await expect(said).to_have_text("Saved: heir@example.org and me@example.org.")
            await page.get_by_role("button", name="Show what they will get").click()
            await expect(said).to_have_text("Everybody will be told.")
            shown = await page.locator("#windows li").all_inner_texts()
            assert len(shown) == 8
            assert any(f"{heir.address}: You can now claim from legacy" in each for each in shown)

            await world.api.sql(
                "insert into worker.sent_ledger"
                " (id, chain_id, legacy, recipient, kind, event, role, state, message_id, claimed_at, reason)"
                " values (gen_random_uuid(), :chain, :legacy, :heir, 'instructions', 'event', 'beneficiary', 'sent',"
                " 'm', '2099-12-24', 'bounced')",
                chain=world.api.chain_id,
                legacy=legacy.address,
                heir=heir.address.lower(),
            )
            await page.locator("#receipts").get_by_label("Legacy").fill(legacy.address)
            await page.get_by_role("button", name="Show the last emails").click()
            told = "heir@example.org: 2099-12-24 instructions came_back (other). me@example.org: no email so far."
            await expect(said).to_have_text(told)

            await page.get_by_label("For").fill("Ada")
            await page.get_by_label("Their address").fill(heir.address)
            await page.get_by_label("Opens on").fill("2099-12-24")
            await page.get_by_role("button", name="Seal the gift").click()
            await expect(said).to_contain_text("Sealed: ")
            link = (await said.inner_text()).removeprefix("Sealed: ")
            assert link.startswith(f"{world.origin}/gifts/{world.api.chain_id}/1?o=birthday#g=")
            assert decode_letter(link.partition("#g=")[2]).to == "Ada"
            sealed = scenario.read("TimelockERC20", contracts.timelock_erc20, "getTimelockDetails", 1)
            assert sealed[1] == (ETHER // 10,)
            assert visitor.faults == []
    finally:
        server.shutdown()


class _QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""
