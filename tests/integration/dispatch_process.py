"""A dispatcher as a process of its own, to be killed: `dispatch_process.py <database url> NAME=value...`."""

import sys

import uvloop

from reminder_worker.auto_renew.budgets import find_ending_budgets
from reminder_worker.chain.client import Chain
from reminder_worker.database.engine import open_engine
from reminder_worker.indexer.chain_index import ChainIndex
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.outbox.mail_client import MailClient
from reminder_worker.privacy.vault import Vault
from reminder_worker.reminders.planner import ReminderDispatch
from reminder_worker.settings import Settings
from tests.integration.reminder_world import CHAIN_ID, ENC_KEY, HASH_KEY


def read_settings(database_url: str, *values: str) -> Settings:
    return Settings.from_environ(
        {
            "ENVIRONMENT": "local",
            "DATABASE_URL": database_url,
            "EMAIL_ENC_KEY": ENC_KEY,
            "HASH_KEY": HASH_KEY,
            "APP_ORIGIN": "https://app.example.org",
            "CHAINS": str(CHAIN_ID),
            "MAIL_TOKEN": "a-token-for-the-tests",
            **dict(value.split("=", 1) for value in values),
        }
    )


async def main(database_url: str, *values: str) -> None:
    settings = read_settings(database_url, *values)
    assert settings.mail is not None
    engine, chain = open_engine(database_url), Chain(settings.chains[0])
    indexers = IndexerSelector(chain, ChainIndex(engine, chain), None)
    async with MailClient(settings.mail) as mail:
        vault = Vault(settings.service.enc_key.get_secret_value())
        await ReminderDispatch(
            engine, {CHAIN_ID: chain}, {CHAIN_ID: indexers}, vault, mail, settings, find_ending_budgets
        ).run()


if __name__ == "__main__":
    uvloop.run(main(*sys.argv[1:]))
