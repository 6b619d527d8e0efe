"""A relaying process that is killed: `relay_process.py <database url> <key> <step> NAME=value...` admits three at once,
one after the other.

The process kills itself right after the step (one of `STEPS`), like a power cut; without one, by itself.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from typing import Any, Final

from pydantic import SecretStr

from reminder_worker.chain.client import Chain
from reminder_worker.database.engine import open_engine
from reminder_worker.privacy.vault import Vault
from reminder_worker.relay import admission, store
from reminder_worker.relay.admission import RelayAdmission
from reminder_worker.relay.wallet import LocalSigner, RelayWallet, load_signer
from reminder_worker.settings import ChainSettings
from tests.integration.relay_authorizations import authorization
from tests.integration.relay_world import CAPS, CHAIN_ID

STEPS: Final[dict[str, tuple[Any, str]]] = {
    "read the market": (RelayWallet, "read_prices"),
    "locked the wallet": (store, "lock_wallet"),
    "read what is left": (RelayWallet, "read_budget"),
    "stored the request": (store, "add_request"),
    "signed the bytes": (LocalSigner, "sign"),
    "stored the bytes": (admission, "open_slot"),
    "committed": (admission, "broadcast_attempts"),
    "sent": (Chain, "send_raw"),
    "marked as sent": (admission, "broadcast_attempts"),
}
BEFORE: Final = ("committed",)
NUMBERS: Final = (1, 2, 3)


def die_after(step: str) -> None:
    place, name = STEPS[step]
    real: Callable[..., Any] = getattr(place, name)

    async def last(*args: Any, **kwargs: Any) -> Any:
        if step not in BEFORE:
            await real(*args, **kwargs)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(place, name, last)


async def main(database_url: str, key: str, step: str, *values: str) -> None:
    if step in STEPS:
        die_after(step)
    settings = ChainSettings.model_validate({"chain_id": CHAIN_ID, **dict(value.split("=", 1) for value in values)})
    engine, chain = open_engine(database_url), Chain(settings)
    vault, signer = Vault(bytes(range(32))), load_signer(SecretStr(key))
    relay = RelayAdmission(engine, vault, {CHAIN_ID: chain}, signer, CAPS, any_chain=True)
    assert await relay.wallet.read_readiness(CHAIN_ID) is None  # now no request has to ask the chain first
    await asyncio.gather(*(relay.admit_request(authorization(number)) for number in NUMBERS))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
