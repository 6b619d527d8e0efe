"""A start with other keys or contracts than the database was made with is refused."""

from base64 import b64encode
from collections.abc import Mapping

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.database.installation import check_installation
from reminder_worker.errors import Misconfigured
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.privacy.vault import Vault
from reminder_worker.settings import Settings

FIRST, SECOND = b64encode(b"1" * 32).decode(), b64encode(b"2" * 32).decode()
BASE = {
    "DATABASE_URL": "postgresql://unused",
    "EMAIL_ENC_KEY": FIRST,
    "HASH_KEY": FIRST,
    "APP_ORIGIN": "https://app.example",
    "CHAINS": "1",
    "CHAIN_1_RPC_URLS": "http://unused",
    "CHAIN_1_START_BLOCK": "0",
}


async def _start(engine: AsyncEngine, changes: Mapping[str, str]) -> None:
    settings = Settings.from_environ({**BASE, **changes})
    service = settings.service
    vault = Vault(service.enc_key.get_secret_value(), [key.get_secret_value() for key in service.enc_keys_old])
    await check_installation(engine, settings, vault, KeyedHash(service.hash_key.get_secret_value()))


async def test_a_start_with_other_settings_is_refused(engine: AsyncEngine) -> None:
    await _start(engine, {})
    await _start(engine, {})
    for changes in (
        {"HASH_KEY": SECOND},
        {"EMAIL_ENC_KEY": SECOND},
        {"CHAIN_1_TRANSFER_EOA_LEGACY_ROUTER": "0x" + "12" * 20},
        {"CHAIN_1_TIME_LOCK_ROUTER": "0x" + "12" * 20},
    ):
        with pytest.raises(Misconfigured, match=rf"made with other settings \({next(iter(changes))}\)"):
            await _start(engine, changes)


async def test_a_rotation_is_accepted_and_remembered(engine: AsyncEngine) -> None:
    await _start(engine, {})
    await _start(engine, {"EMAIL_ENC_KEY": SECOND, "EMAIL_ENC_KEYS_OLD": FIRST})
    await _start(engine, {"EMAIL_ENC_KEY": SECOND})
    with pytest.raises(Misconfigured):
        await _start(engine, {})


async def test_each_process_may_know_the_next_key_before_any_of_them_writes_with_it(engine: AsyncEngine) -> None:
    """In a rolling restart every process opens every row, and a process with the earlier settings may restart."""
    await _start(engine, {})
    prepared = {"EMAIL_ENC_KEY": FIRST, "EMAIL_ENC_KEYS_OLD": SECOND}
    changed = {"EMAIL_ENC_KEY": SECOND, "EMAIL_ENC_KEYS_OLD": FIRST}
    for settings in (prepared, changed, prepared, changed):
        await _start(engine, settings)
    written = Vault(b"2" * 32, [b"1" * 32]).record_key()
    sealed = written.seal(b"anna", "here")
    assert Vault(b"1" * 32, [b"2" * 32]).record_key(written.salt, written.key_id).open(sealed, "here") == b"anna"
