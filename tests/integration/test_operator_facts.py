"""Facts that operators ask for: rows of the tables on one side, facts on the other.

Renderings of the facts (`/metrics`, `doctor`, Dagster, the watchdog's rules) are tried on values elsewhere.
"""

import importlib
import pkgutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

import reminder_worker
from bench.big_tables import fill
from reminder_worker.database.queries import estimate_rows
from reminder_worker.declarations import ExpectedPass, FactScope, OperatorFact, WorkerPass
from reminder_worker.features import FACTS, PASSES
from reminder_worker.gifts.feature import GIFT_EMAILS
from reminder_worker.indexer.feature import POSITIONS
from reminder_worker.monitoring.facts import watchdog_looks
from reminder_worker.monitoring.feature import EMAIL_TROUBLE, PASS_STATES, UNDECIDED_EMAILS, UNFINISHED_REQUESTS
from reminder_worker.outbox.feature import CONDITIONS, UNDELIVERED_ALERTS
from reminder_worker.privacy.vault import Vault
from reminder_worker.relay.feature import ENDED_REQUESTS, OPEN_REQUESTS, UNFOLLOWED_REQUESTS, WALLETS
from reminder_worker.reminders.feature import EMAIL_DELAYS, RECIPIENTS, SETTLED_LAST_DAY, WAITING_EMAILS, WINDOWS
from reminder_worker.reminders.tables import recipient
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


def window(legacy: str, state: str, deadline: int) -> str:
    return (
        'insert into worker.due_window (chain_id, legacy, "window", deadline, block_number, state)'
        f" values ({CHAIN_ID}, '{legacy}', 2, {deadline}, 5, '{state}')"
    )


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
    """Rows of the tables, the fact that is read, and the values of it that are expected."""

    name: str
    rows: Sequence[str]
    fact: OperatorFact[Any]
    expected: Any


CASES = [
    FactCase("no rows", [], WAITING_EMAILS, {"due": 0, "later": 0, "in_flight": 0, "next_try": None, "oldest": None}),
    FactCase(
        "reminders that wait, without a chain that is not served",
        [email("queued"), email("released", later="1 h"), email("claimed"), email("queued", chain=GONE)],
        WAITING_EMAILS,
        {"due": 1, "later": 1, "in_flight": 1},
    ),
    FactCase(
        "undecided emails of both ledgers; those in doubt only on a chain that is served",
        [email("unknown"), email("unknown", chain=GONE), email("held", chain=GONE), gift("dead"), email("queued")],
        UNDECIDED_EMAILS,
        [
            {"chain_id": GONE, "kind": "owner_reset", "state": "held", "count": 1},
            {"chain_id": CHAIN_ID, "kind": "owner_reset", "state": "unknown", "count": 1},
            {"chain_id": CHAIN_ID, "kind": "gift_waiting", "state": "dead", "count": 1},
        ],
    ),
    FactCase(
        "settled reminders of the last day",
        [email("dropped", settled="now()"), email("dropped", settled="now() - interval '2 days'")],
        SETTLED_LAST_DAY,
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
        EMAIL_DELAYS,
        [{"chain_id": CHAIN_ID, "median": 90, "longest": 600}],
    ),
    FactCase(
        "open windows of legacies with recipients",
        [
            f"insert into worker.watch (chain_id, legacy, creator, legacy_type) values ({CHAIN_ID}, '0x22', '0x33', 3)",
            *(window("0x22", state, deadline) for state, deadline in (("open", 7), ("open", 9), ("closed", 5))),
            window("0x23", "open", 1),
        ],
        WINDOWS,
        [{"window": 2, "count": 2, "first_deadline": 7, "last_deadline": 9}],
    ),
    FactCase("emails of gifts", [gift("sent")], GIFT_EMAILS, [{"state": "sent", "count": 1}]),
    FactCase(
        "emails that are late: due for half an hour on a chain that is served",
        [email("queued", age="1 h"), email("released", age="1 h"), email("released", age="1 h", chain=GONE)],
        EMAIL_TROUBLE,
        {"late": 1, "held": 0, "dead": 0, "refused_alerts": 0},
    ),
    FactCase(
        "emails that need an operator, for a day",
        [email("held"), email("held", age="25 h"), gift("dead"), alert("dead")],
        EMAIL_TROUBLE,
        {"late": 0, "held": 1, "dead": 1, "refused_alerts": 1, "failed": {"reminders": 1, "gifts": 1, "relay": 0}},
    ),
    FactCase(
        "passes that are on",
        [pass_row("gifts", error="'MailUnavailable'"), pass_row("relay")],
        PASS_STATES,
        [{"name": "gifts", "error": "MailUnavailable", "checked_age": 0}],
    ),
    FactCase("readers", [cursor(CHAIN_ID), cursor(GONE)], POSITIONS, [{"chain_id": CHAIN_ID, "block_number": 7}]),
    FactCase("conditions that are raised", [condition("true"), condition("false")], CONDITIONS, [{"age": 0}]),
    FactCase(
        "alerts that no mail service took",
        [alert("queued"), alert("dead"), alert("sent")],
        UNDELIVERED_ALERTS,
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
    found = as_plain(await case.fact.read(scope_of(engine)))
    if isinstance(case.expected, list):
        assert len(found) == len(case.expected)
        assert all(wanted.items() <= got.items() for wanted, got in zip(case.expected, found, strict=True))
    else:
        assert case.expected.items() <= found.items()


async def test_few_rows_are_counted_and_many_are_estimated(engine: AsyncEngine) -> None:
    """The estimate is of the last `analyze`."""
    await fill(engine, 0, {"recipient": 5})
    async with engine.begin() as connection:
        await connection.execute(text("delete from worker.recipient where legacy < '0x' || lpad('3', 40, '0')"))
    assert await RECIPIENTS.read(scope_of(engine)) == 3
    assert [await estimate_rows(engine, recipient, most) for most in (4, 3)] == [3, 5]


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
    scope = scope_of(engine)
    (wallet,) = await WALLETS.read(scope)
    assert (wallet.address, wallet.stopped, wallet.unmined, wallet.mined) == (RELAYER, "foreign_nonce", 1, 1)
    assert (wallet.requests, wallet.reserved_wei, wallet.spent_wei) == (1, 300, 200)
    assert 390 < (wallet.oldest_open or 0) < 600
    assert sorted((count.lane, count.state) for count in await OPEN_REQUESTS.read(scope)) == [
        ("claim", "mined"),
        ("gift_withdraw", "broadcast"),
    ]
    assert [(count.state, count.count) for count in await ENDED_REQUESTS.read(scope)] == [("reverted", 1)]
    assert [(left.wallet, left.ours, left.count) for left in await UNFOLLOWED_REQUESTS.read(scope)] == [
        (EARLIER, False, 1)
    ]
    assert [(left.wallet, left.ours) for left in await UNFINISHED_REQUESTS.read(scope)] == [
        (RELAYER, True),
        (EARLIER, False),
    ]


@pytest.mark.parametrize(
    ("age", "error", "looks"), [("10 s", "null", True), ("301 s", "null", False), ("10 s", "'OperationalError'", False)]
)
async def test_watchdog_looks_if_its_last_look_is_recent_and_did_not_fail(
    engine: AsyncEngine, age: str, error: str, looks: bool
) -> None:
    async with engine.begin() as connection:
        await connection.execute(text(pass_row("watchdog", age=age, error=error).replace(":", r"\:")))
    assert watchdog_looks(await PASS_STATES.read(scope_of(engine))) is looks


def test_each_declared_fact_and_pass_belongs_to_a_feature_and_has_a_name_of_its_own() -> None:
    """Metrics and the check of query plans would miss a fact that no feature lists."""
    rooms = [room.name for room in pkgutil.iter_modules(reminder_worker.__path__) if room.ispkg]
    modules = [f"reminder_worker.{room}.feature" for room in rooms]
    values = [
        value for module in modules if find_spec(module) for value in vars(importlib.import_module(module)).values()
    ]
    for kind, listed in ((OperatorFact, FACTS), (WorkerPass, PASSES)):
        assert {each for each in values if isinstance(each, kind)} == set(listed)
        names = [each.name for each in listed]
        assert sorted(set(names)) == sorted(names)
