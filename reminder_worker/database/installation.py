"""Refuse to start on a database that was made with other keys or contracts.

A changed hash key would re-arm every email that is remembered by a keyed hash only; a changed router would
restart ids, so that an old row would speak of somebody else's legacy; a lost encryption key would lose everybody.
"""

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.database.tables import installation
from reminder_worker.errors import Misconfigured
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.privacy.vault import Vault
from reminder_worker.settings import ChainSettings, Settings

_ENC_KEY = "enc_key"


def _contracts(chain: ChainSettings) -> str:
    """The contracts whose ids and users our rows are keyed by."""
    return ",".join([*chain.legacy_routers, chain.premium_setting, chain.time_lock_router])


async def check_installation(engine: AsyncEngine, settings: Settings, vault: Vault, hashes: KeyedHash) -> None:
    """Record ids of keys and contracts on first sight; raises `Misconfigured` with what to do when one differs.

    The encryption key may change while the earlier one is among `EMAIL_ENC_KEYS_OLD`: that is a rotation.
    """
    wanted = {
        "hash_key": hashes.key_id,
        _ENC_KEY: vault.key_id,
        **{f"chain_{chain.chain_id}_contracts": _contracts(chain) for chain in settings.chains},
    }
    async with engine.begin() as connection:
        await connection.execute(
            insert(installation).on_conflict_do_nothing(),
            [{"name": name, "value": value} for name, value in sorted(wanted.items())],
        )
        found = dict((await connection.execute(select(installation.c.name, installation.c.value))).tuples().all())
        wrong = sorted(name for name, value in wanted.items() if found[name] != value)
        if _ENC_KEY in wrong and found[_ENC_KEY] in vault.key_ids:
            wrong.remove(_ENC_KEY)
            await connection.execute(
                installation.update().where(installation.c.name == _ENC_KEY).values(value=vault.key_id)
            )
        if wrong:
            raise Misconfigured(
                f"this database was made with other settings ({', '.join(wrong)}): restore those,"
                " or give this installation a database of its own"
            )
