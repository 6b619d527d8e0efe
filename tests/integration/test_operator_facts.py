"""Facts that operators ask for: rows of the tables on one side, facts on the other.

Renderings of the facts (`/metrics`, `doctor`, Dagster, the watchdog's rules) are tried on values elsewhere.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, get_args

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.monitoring.facts import (
    READERS,
    ExpectedPass,
    FactPart,
    FactScope,
    OperatorFacts,
    read_facts,
)
from reminder_worker.privacy.vault import Vault
from reminder_worker.settings import ChainSettings
from tests.integration.relay_rows import CHAIN_ID, RELAYER, connected, enter_budget, enter_request, enter_wallet

GONE = 17000  # a chain that is not served any more
EARLIER = "0x" + "99" * 20  # a wallet whose key is not in use any more
EXPECTED = [ExpectedPass("dispatch", 0, 15), ExpectedPass("gifts", 0, 15), ExpectedPass("watchdog", 0, 60)]

EMAIL = (
    "insert into worker.sent_ledger (id, chain_id, legacy, recipient, kind, event, role, state, created_at, next_try,"
    " settled_at) select gen_random_uuid(), {chain}, '0x22', '0x33', 'owner_reset', gen_random_uuid()::text, 'owner',"
    " '{state}', now() - interval '{age}', now() + interval '{later}', {settled}"
)
SIGNAL = (
    "insert into worker.notify_signal (chain_id, tx_hash, legacy, kind, layer, creator, block_number, block_time)"
    f" values ({CHAIN_ID}, '0xaa', '0x22', 0, 1, '0x33', 5, floor(extract(epoch from now())) - 9999)"
)
SENT = (
    "insert into worker.sent_ledger (id, chain_id, legacy, recipient, kind, event, role, state, message_id, settled_at,"
    f" reason) values (gen_random_uuid(), {CHAIN_ID}, '0x22', gen_random_uuid()::text, 'owner_reset', '{{event}}',"
    " 'owner', 'sent', 'm', to_timestamp(floor(extract(epoch from now())) - 9999 + {after}), {reason})"
)
GIFT = (
    "insert into worker.gift_ledger (id, email_hash, chain_id, timelock_id, kind, state, message_id, expires_at,"
    " created_at) values (gen_random_uuid(), '\\x01', {chain}, 5, 'gift_waiting', '{state}',"
    " case '{state}' when 'sent' then 'm' end, now() + interval '90 days', now() - interval '{age}')"
)
PASS = (
    "insert into worker.pass_state (name, chain_id, checked_at, detail, error)"
    " values ('{name}', 0, now() - interval '{age}', '{{\"healthy\": true}}', {error})"
)


def email(state: str, *, chain: int = CHAIN_ID, age: str = "0 s", later: str = "-1 s", settled: str = "null") -> str:
    return EMAIL.format(chain=chain, state=state, age=age, later=later, settled=settled)


def gift(state: str, *, chain: int = CHAIN_ID, age: str = "0 s") -> str:
    return GIFT.format(chain=chain, state=state, age=age)


def pass_row(name: str, *, age: str = "0 s", error: str = "null") -> str:
    return PASS.format(name=name, age=age, error=error)


def cursor(chain: int) -> str:
    return (
        f"insert into worker.index_cursor (chain_id, name, block_number, block_hash) values ({chain}, 'index', 7, '')"
    )


def alert(state: str) -> str:
    return (
        "insert into worker.alert (id, chain_id, kind, subject, stage, variables, state)"
        f" values (gen_random_uuid(), {CHAIN_ID}, 'relay_stuck', '0x', gen_random_uuid()::text, '{{}}', '{state}')"
    )


def condition(raised: str) -> str:
    return (
        "insert into worker.alert_state (chain_id, kind, subject, raised, changes)"
        f" values ({CHAIN_ID}, 'rpc_trouble', 'none answers {raised}', {raised}, 1)"
    )


def decision(chain: int) -> str:
    return (
        "insert into worker.owner_activity (chain_id, legacy, owner, baseline, nonce_seen, decision)"
        f" values ({chain}, '0x22', '0x33', 1, 1, 'held')"
    )


@dataclass(frozen=True)
class FactCase:
    """Rows of the tables, the part that is read, and the values of it that are expected."""

    name: str
    rows: Sequence[str]
    part: FactPart
    expected: Any


CASES = [
    FactCase("no rows", [], "waiting", {"due": 0, "later": 0, "in_flight": 0, "next_try": None, "oldest": None}),
    FactCase(
        "reminders that wait, without a chain that is not served",
        [email("queued"), email("released", later="1 h"), email("claimed"), email("queued", chain=GONE)],
        "waiting",
        {"due": 1, "later": 1, "in_flight": 1},
    ),
    FactCase(
        "undecided emails of both ledgers; those in doubt only on a chain that is served",
        [email("unknown"), email("unknown", chain=GONE), email("held", chain=GONE), gift("dead"), email("queued")],
        "undecided",
        [
            {"chain_id": GONE, "kind": "owner_reset", "state": "held", "count": 1},
            {"chain_id": CHAIN_ID, "kind": "owner_reset", "state": "unknown", "count": 1},
            {"chain_id": CHAIN_ID, "kind": "gift_waiting", "state": "dead", "count": 1},
        ],
    ),
    FactCase(
        "settled reminders of the last day",
        [email("dropped", settled="now()"), email("dropped", settled="now() - interval '2 days'")],
        "settled_last_day",
        [{"kind": "owner_reset", "state": "dropped", "count": 1}],
    ),
    FactCase(
        "how long emails about events took, without those of windows and those settled by hand",
        [
            SIGNAL,
            *(
                SENT.format(event=event, after=after, reason=reason)
                for event, after, reason in (
                    ("0xaa:1", 60, "null"),
                    ("0xaa:1", 90, "null"),
                    ("0xaa:1", 600, "null"),
                    ("0xaa:1", 9000, "'by_hand'"),
                    ("1:1", 9000, "null"),
                )
            ),
        ],
        "delays",
        [{"chain_id": CHAIN_ID, "median": 90, "longest": 600}],
    ),
    FactCase("emails of gifts", [gift("sent")], "gift_emails", [{"state": "sent", "count": 1}]),
    FactCase(
        "emails that are late: due for half an hour on a chain that is served",
        [email("queued", age="1 h"), email("released", age="1 h"), email("released", age="1 h", chain=GONE)],
        "trouble",
        {"late": 1, "held": 0, "dead": 0, "refused_alerts": 0},
    ),
    FactCase(
        "emails that need an operator, for a day",
        [email("held"), email("held", age="25 h"), gift("dead"), alert("dead")],
        "trouble",
        {"late": 0, "held": 1, "dead": 1, "refused_alerts": 1, "failed": {"reminders": 1, "gifts": 1, "relay": 0}},
    ),
    FactCase(
        "passes that are on",
        [pass_row("gifts", error="'MailUnavailable'"), pass_row("relay")],
        "passes",
        [{"name": "gifts", "error": "MailUnavailable", "checked_age": 0}],
    ),
    FactCase("readers", [cursor(CHAIN_ID), cursor(GONE)], "positions", [{"chain_id": CHAIN_ID, "block_number": 7}]),
    FactCase("conditions that are raised", [condition("true"), condition("false")], "conditions", [{"age": 0}]),
    FactCase(
        "alerts that no mail service took",
        [alert("queued"), alert("dead"), alert("sent")],
        "undelivered_alerts",
        {"queued": 1, "dead": 1},
    ),
]


def as_plain(value: Any) -> Any:
    if isinstance(value, list):
        return [as_plain(entry) for entry in value]
    return value if isinstance(value, dict) else asdict(value)


def scope_of(engine: AsyncEngine) -> FactScope:
    chain = ChainSettings.model_construct(chain_id=CHAIN_ID, price_feeds=(), signal_block="safe", upgrade_timelock=None)
    return FactScope(engine, {CHAIN_ID: chain}, [RELAYER], EXPECTED)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_rows_become_facts(case: FactCase, engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        for row in case.rows:
            await connection.execute(text(row.replace(":", r"\:")))
    found = as_plain(getattr(await read_facts(scope_of(engine), case.part), case.part))
    if isinstance(case.expected, list):
        assert len(found) == len(case.expected)
        assert all(wanted.items() <= got.items() for wanted, got in zip(case.expected, found, strict=True))
    else:
        assert case.expected.items() <= found.items()


async def test_relay_facts_are_of_wallets_in_use_on_served_chains(engine: AsyncEngine) -> None:
    """Requests of another wallet or chain are facts of their own, for a week: nobody follows them."""
    with connected(engine.url.render_as_string(hide_password=False)) as database:
        sql, vault = database.execute, Vault(b"v" * 32)
        enter_wallet(sql, stopped="foreign_nonce")
        enter_wallet(sql, EARLIER)
        enter_budget(sql, reserved=300, spent=200, requests=1)
        enter_budget(sql, reserved=9, spent=9, requests=9, days_ago=1)
        enter_request(sql, vault, "queued", nonce=None, age_seconds=9000, wallet=EARLIER)
        enter_request(sql, vault, "queued", nonce=None, age_seconds=700_000, wallet=EARLIER)
        enter_request(sql, vault, "broadcast", nonce=6, age_seconds=400)
        enter_request(sql, vault, "mined", nonce=5, lane="claim", age_seconds=9000)
        enter_request(sql, vault, "reverted", nonce=4)
    parts: tuple[FactPart, ...] = ("open_requests", "ended_requests", "wallets", "unfinished", "unfollowed")
    facts = await read_facts(scope_of(engine), *parts)
    (wallet,) = facts.wallets
    assert (wallet.address, wallet.stopped, wallet.unmined, wallet.mined) == (RELAYER, "foreign_nonce", 1, 1)
    assert (wallet.requests, wallet.reserved_wei, wallet.spent_wei) == (1, 300, 200)
    assert 390 < (wallet.oldest_open or 0) < 600
    assert sorted((count.lane, count.state) for count in facts.open_requests) == [
        ("claim", "mined"),
        ("gift_withdraw", "broadcast"),
    ]
    assert [(count.state, count.count) for count in facts.ended_requests] == [("reverted", 1)]
    assert [(left.wallet, left.ours, left.count) for left in facts.unfollowed] == [(EARLIER, False, 1)]
    assert [(left.wallet, left.ours) for left in facts.unfinished] == [(RELAYER, True), (EARLIER, False)]


@pytest.mark.parametrize(
    ("age", "error", "looks"), [("10 s", "null", True), ("301 s", "null", False), ("10 s", "'OperationalError'", False)]
)
async def test_watchdog_looks_if_its_last_look_is_recent_and_did_not_fail(
    engine: AsyncEngine, age: str, error: str, looks: bool
) -> None:
    async with engine.begin() as connection:
        await connection.execute(text(pass_row("watchdog", age=age, error=error).replace(":", r"\:")))
    assert (await read_facts(scope_of(engine), "passes")).watchdog_looks is looks


def test_every_part_has_a_reader() -> None:
    assert set(READERS) == set(get_args(FactPart)) == set(OperatorFacts.__slots__) - {"expected"}


def test_a_part_that_was_not_read_is_no_empty_answer() -> None:
    with pytest.raises(LookupError):
        _ = OperatorFacts().waiting.due
    with pytest.raises(LookupError):
        list(OperatorFacts().conditions)
