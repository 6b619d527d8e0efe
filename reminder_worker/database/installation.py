"""Refuse to start on a database that was made with other keys or contracts.

A changed hash key would re-arm every email that is remembered by a keyed hash only; a changed router would
restart ids, so that an old row would speak of somebody else's legacy; a lost encryption key would lose everybody.
"""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.database.tables import installation
from reminder_worker.errors import Misconfigured
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.privacy.vault import Vault
from reminder_worker.settings import Settings


async def find_changed_settings(engine: AsyncEngine, settings: Settings, vault: Vault, hashes: KeyedHash) -> list[str]:
    """Return the names of settings that were recorded with other values."""
    async with engine.connect() as connection:
        return await _find_changes(connection, _list_check_values(settings, vault, hashes), vault)


def describe_changes(names: Sequence[str]) -> str:
    """Return a message with the fault and its remedy."""
    rotation = "; an earlier EMAIL_ENC_KEY belongs in EMAIL_ENC_KEYS_OLD" if "EMAIL_ENC_KEY" in names else ""
    return f"made with other settings ({', '.join(names)}): restore those, or use another database{rotation}"


async def check_installation(engine: AsyncEngine, settings: Settings, vault: Vault, hashes: KeyedHash) -> None:
    """Record ids of keys and contracts on first sight; raises `Misconfigured` with what to do when one differs.

    The encryption key may change while the earlier one is among `EMAIL_ENC_KEYS_OLD`: that is a rotation.
    """
    wanted = _list_check_values(settings, vault, hashes)
    async with engine.begin() as connection:
        await connection.execute(
            insert(installation).on_conflict_do_nothing(),
            [{"name": name, "value": value} for name, value in sorted(wanted.items())],
        )
        changed = await _find_changes(connection, wanted, vault)
        if changed:
            raise Misconfigured(f"this database was {describe_changes(changed)}")
        is_encryption_key = installation.c.name == "enc_key"
        is_older = installation.c.value != vault.key_id
        await connection.execute(installation.update().where(is_encryption_key, is_older).values(value=vault.key_id))


def _list_check_values(settings: Settings, vault: Vault, hashes: KeyedHash) -> dict[str, str]:
    """Return ids of keys, and of each chain the contracts whose ids and users are keys of our rows."""
    values = {"enc_key": vault.key_id, "hash_key": hashes.key_id}
    for chain in settings.chains:
        contracts = [*chain.legacy_routers, chain.premium_setting, chain.time_lock_router]
        values[f"chain_{chain.chain_id}_contracts"] = ",".join(contracts)
    return values


async def _find_changes(connection: AsyncConnection, wanted: dict[str, str], vault: Vault) -> list[str]:
    """Return the settings whose recorded value is another; an older encryption key may be known to the vault."""
    rows = await connection.execute(select(installation.c.name, installation.c.value))
    found = {row.name: row.value for row in rows}
    names = []
    for name, value in wanted.items():
        recorded = found.get(name, value)
        if recorded == value or (name == "enc_key" and recorded in vault.key_ids):
            continue
        if name in ("enc_key", "hash_key"):
            names.append({"enc_key": "EMAIL_ENC_KEY", "hash_key": "HASH_KEY"}[name])
            continue
        contracts = ("TRANSFER_EOA_LEGACY_ROUTER", "MULTISIG_LEGACY_ROUTER", "PREMIUM_SETTING", "TIME_LOCK_ROUTER")
        each = zip(contracts, value.split(","), recorded.split(","), strict=True)
        chain = name.removesuffix("contracts").upper()
        names += [chain + contract for contract, ours, theirs in each if ours != theirs]
    return names
