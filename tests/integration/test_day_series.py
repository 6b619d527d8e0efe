"""Emails, relayed transactions, legacies and gifts by day, from real rows in a real database."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

import polars as pl
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from reminder_worker.privacy.vault import Vault
from reminder_worker.settings import ChainSettings
from reminder_worker.statistics.dataset import DAY_EMAILS, DAY_GIFTS, DAY_RELAYS
from reminder_worker.statistics.file_store import LocalFiles
from reminder_worker.statistics.files import DAY, name_file, write_days
from tests.integration.indexer_story import settings_of
from tests.integration.relay_rows import CHAIN_ID, connected, enter_request

pytestmark = pytest.mark.core


def today() -> date:
    """Return the UTC day of the rows that are entered now: midnight may pass while tests run."""
    return datetime.now(UTC).date()


@pytest.fixture
def settings(chain_scenario: Scenario) -> ChainSettings:
    feeds = chain_scenario.deployment.price_environ(CHAIN_ID)[f"CHAIN_{CHAIN_ID}_PRICE_FEEDS"]
    return settings_of(chain_scenario, PRICE_FEEDS=feeds)


@pytest.fixture
async def sql(database_url: str) -> AsyncIterator[Any]:
    with connected(database_url) as database:
        yield database.execute


def send(sql: Any, kind: str, people: int, *, each: int = 1, days_ago: int = 0, table: str = "sent_ledger") -> None:
    """Enter emails that were sent: `each` to so many people, at the start of a day."""
    at = datetime.combine(today() - timedelta(days=days_ago), datetime.min.time(), UTC)
    for person in range(people):
        for _ in range(each):
            if table == "gift_ledger":
                sql(
                    "insert into worker.gift_ledger (id, email_hash, chain_id, timelock_id, kind, state, message_id,"
                    " expires_at, settled_at) values (%s, %s, %s, %s, %s, 'sent', 'm', now(), %s)",
                    (uuid4(), bytes([person]), CHAIN_ID, uuid4().int % 2**60, kind, at),
                )
                continue
            sql(
                "insert into worker.sent_ledger (id, chain_id, legacy, recipient, kind, event, role, state, message_id,"
                " settled_at) values (%s, %s, %s, %s, %s, %s, 'heir', 'sent', 'm', %s)",
                (uuid4(), CHAIN_ID, "0x" + "a1" * 20, f"0x{person:040x}", kind, uuid4().hex, at),
            )


def read(folder: Path, dataset: str, day: date | None = None) -> list[dict[str, Any]]:
    return pl.read_parquet(folder / name_file(dataset, day or today(), CHAIN_ID, DAY)).to_dicts()


async def test_emails_are_counted_by_kind_from_five_people_on(
    engine: AsyncEngine, settings: ChainSettings, sql: Any, tmp_path: Path
) -> None:
    send(sql, "owner_reset", 5, each=2)
    send(sql, "guard_removed", 4, each=3)
    send(sql, "gift_waiting", 6, table="gift_ledger")
    send(sql, "owner_reset", 7, days_ago=1)
    yesterday = today() - timedelta(days=1)
    await write_days(engine, LocalFiles(tmp_path), settings, [yesterday, today()])
    sent = {row["kind"]: row["sent"] for row in read(tmp_path, DAY_EMAILS)}
    assert {kind: count for kind, count in sent.items() if count} == {"owner_reset": 10, "gift_waiting": 6}
    assert {"guard_removed", "instructions"} <= sent.keys()
    assert {row["kind"]: row["sent"] for row in read(tmp_path, DAY_EMAILS, yesterday)}["owner_reset"] == 7


async def test_days_whose_rows_may_be_deleted_are_not_written_again(
    engine: AsyncEngine, settings: ChainSettings, sql: Any, tmp_path: Path
) -> None:
    """A file that was written in time would lose its numbers."""
    send(sql, "owner_reset", 5, days_ago=70)
    old = today() - timedelta(days=70)
    await write_days(engine, LocalFiles(tmp_path), settings, [old, today()])
    for dataset in (DAY_EMAILS, DAY_RELAYS):
        assert (tmp_path / name_file(dataset, today(), CHAIN_ID, DAY)).exists()
        assert not (tmp_path / name_file(dataset, old, CHAIN_ID, DAY)).exists()
    assert (tmp_path / name_file(DAY_GIFTS, old, CHAIN_ID, DAY)).exists()


async def test_relays_have_their_gas_and_price_at_the_time(
    engine: AsyncEngine, settings: ChainSettings, sql: Any, tmp_path: Path
) -> None:
    """Dollars are those of the price of ether then. If one price is missing, there is no sum: it would be too low."""
    vault = Vault(b"k" * 32)
    feed = next(feed for feed in settings.price_feeds if feed.token == "ETH")
    for nonce, state in enumerate(("confirmed", "reverted", "broadcast")):
        enter_request(sql, vault, state, lane="claim", nonce=nonce)
    enter_request(sql, vault, "expired", lane="claim", nonce=None)
    sql("update worker.nonce_slot set gas_used = 100000, spent_wei = 2 * 10::numeric ^ 16 where state = 'final'")

    def price(dollars: int, age: int) -> None:
        sql(
            "insert into worker.price (chain_id, feed, round_id, answer, decimals, updated_at)"
            " values (%s, %s, %s, %s, 8, extract(epoch from now())::bigint - %s)",
            (CHAIN_ID, feed.series, 10**6 - age, dollars * 10**8, age),
        )

    price(9_999, feed.heartbeat_seconds + 900)
    await write_days(engine, LocalFiles(tmp_path), settings, [today()])
    (claims,) = (row for row in read(tmp_path, DAY_RELAYS) if row["lane"] == "claim")
    assert (claims["ether"], claims["usd"]) == (0.04, None)
    price(3_000, 60)
    await write_days(engine, LocalFiles(tmp_path), settings, [today()])
    found = {row["lane"]: row for row in read(tmp_path, DAY_RELAYS)}
    assert found["claim"] == {
        "lane": "claim",
        "transactions": 2,
        "failed": 1,
        "gas_used": 200_000,
        "spent_wei": str(4 * 10**16),
        "ether": 0.04,
        "usd": Decimal("120.00"),
    }
    assert found["auto_renew"]["transactions"] == 0
    sql("delete from worker.price")
    price(3_000, 0)
    sql("update worker.relay_request set updated_at = now() where state = 'confirmed'")
    midnight = datetime.combine(today(), datetime.min.time(), UTC)
    sql("update worker.relay_request set updated_at = %s where state = 'reverted'", (midnight,))
    await write_days(engine, LocalFiles(tmp_path), settings, [today()])
    (claims,) = (row for row in read(tmp_path, DAY_RELAYS) if row["lane"] == "claim")
    assert (claims["transactions"], claims["ether"], claims["usd"]) == (2, 0.04, None), "no part of the dollars"
    sql("update worker.nonce_slot set gas_used = null where nonce = 0")
    await write_days(engine, LocalFiles(tmp_path), settings.model_copy(update={"price_feeds": ()}), [today()])
    (claims,) = (row for row in read(tmp_path, DAY_RELAYS) if row["lane"] == "claim")
    assert (claims["gas_used"], claims["usd"], claims["transactions"]) == (None, None, 2)


async def test_gifts_are_counted_by_token_and_horizon(
    engine: AsyncEngine, settings: ChainSettings, sql: Any, tmp_path: Path
) -> None:
    """Tokens of strangers are one group, as are gifts of several tokens and of NFTs."""
    token = next(feed.token for feed in settings.price_feeds if feed.token != "ETH")
    known = f'{{"vault": "{settings.timelock_erc20}", "token": "{token}", "id": null, "amount": "5"}}'
    strange = known.replace(token, "0x" + "ee" * 20)
    days = [(3, [known]), (29, [known]), (400, [known]), (400, [known, known]), (5_000, [strange])]
    for number, (length, assets) in enumerate(days):
        sql(
            "insert into worker.timelock (chain_id, timelock_id, lock_type, owner, recipient, unlock_time, status,"
            " assets, created_block, created_at) values (%s, %s, 2, 'o', 'r', extract(epoch from now())::bigint + %s,"
            " 2, %s, 1, extract(epoch from now())::bigint)",
            (CHAIN_ID, number, length * 86_400, f"[{', '.join(assets)}]"),
        )
    await write_days(engine, LocalFiles(tmp_path), settings, [today(), today() - timedelta(days=1)])
    assert [tuple(row.values()) for row in read(tmp_path, DAY_GIFTS)] == sorted(
        [
            (token, "under_30_days", 2),
            (token, "under_5_years", 1),
            ("other", "under_5_years", 1),
            ("other", "5_years_or_more", 1),
        ]
    )
    assert read(tmp_path, DAY_GIFTS, today() - timedelta(days=1)) == []
