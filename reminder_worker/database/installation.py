"""Refuse to start on a database that was made with other keys or contracts.

A changed hash key would re-arm every email that is remembered by a keyed hash only; a changed router would
restart ids, so that an old row would speak of somebody else's legacy; a lost encryption key would lose everybody.
"""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.database.tables import installation
from reminder_worker.errors import Misconfigured
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.privacy.vault import Vault
from reminder_worker.settings import ChainSettings, Settings

_ENC_KEY = "enc_key"
_KEYS = {_ENC_KEY: "EMAIL_ENC_KEY", "hash_key": "HASH_KEY"}
_CONTRACTS = ("TRANSFER_EOA_LEGACY_ROUTER", "MULTISIG_LEGACY_ROUTER", "PREMIUM_SETTING", "TIME_LOCK_ROUTER")


def _contracts(chain: ChainSettings) -> str:
    """Return the contracts whose ids and users are keys of our rows."""
    return ",".join([*chain.legacy_routers, chain.premium_setting, chain.time_lock_router])


def _wanted(settings: Settings, vault: Vault, hashes: KeyedHash) -> dict[str, str]:
    return {
        "hash_key": hashes.key_id,
        _ENC_KEY: vault.key_id,
        **{f"chain_{chain.chain_id}_contracts": _contracts(chain) for chain in settings.chains},
    }


async def differences(engine: AsyncEngine, settings: Settings, vault: Vault, hashes: KeyedHash) -> list[str]:
    """Return the names of settings that were recorded with other values."""
    async with engine.connect() as connection:
        rows = await connection.execute(select(installation.c.name, installation.c.value))
        found = {row.name: row.value for row in rows}
    wanted = _wanted(settings, vault, hashes)
    return _settings_of(_wrong(wanted, found, vault), wanted, found)


def made_with_others(names: Sequence[str]) -> str:
    """Return a message with the fault and its remedy."""
    rotation = "; an earlier EMAIL_ENC_KEY belongs in EMAIL_ENC_KEYS_OLD" if _KEYS[_ENC_KEY] in names else ""
    return f"made with other settings ({', '.join(names)}): restore those, or use another database{rotation}"


def _wrong(wanted: dict[str, str], found: dict[str, str], vault: Vault) -> list[str]:
    different = sorted(name for name, value in wanted.items() if found.get(name, value) != value)
    return [name for name in different if name != _ENC_KEY or found[name] not in vault.key_ids]


def _settings_of(wrong: Sequence[str], wanted: dict[str, str], found: dict[str, str]) -> list[str]:
    names = [_KEYS[name] for name in wrong if name in _KEYS]
    for name in wrong:
        if name not in _KEYS:
            each = zip(_CONTRACTS, wanted[name].split(","), found[name].split(","), strict=True)
            chain = name.removesuffix("contracts").upper()
            names += [chain + contract for contract, ours, recorded in each if ours != recorded]
    return names


async def check_installation(engine: AsyncEngine, settings: Settings, vault: Vault, hashes: KeyedHash) -> None:
    """Record ids of keys and contracts on first sight; raises `Misconfigured` with what to do when one differs.

    The encryption key may change while the earlier one is among `EMAIL_ENC_KEYS_OLD`: that is a rotation.
    """
    wanted = _wanted(settings, vault, hashes)
    async with engine.begin() as connection:
        await connection.execute(
            insert(installation).on_conflict_do_nothing(),
            [{"name": name, "value": value} for name, value in sorted(wanted.items())],
        )
        rows = await connection.execute(select(installation.c.name, installation.c.value))
        found = {row.name: row.value for row in rows}
        wrong = _wrong(wanted, found, vault)
        if _ENC_KEY not in wrong and found[_ENC_KEY] != vault.key_id:
            await connection.execute(
                installation.update().where(installation.c.name == _ENC_KEY).values(value=vault.key_id)
            )
        if wrong:
            raise Misconfigured(f"this database was {made_with_others(_settings_of(wrong, wanted, found))}")
