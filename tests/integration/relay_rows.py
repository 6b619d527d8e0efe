"""Rows of the relay, written directly for tests of readers."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import psycopg

from reminder_worker.privacy.vault import Vault

CHAIN_ID = 31337
RELAYER, ROUTER, SIGNER, CREATOR = ("0x" + pair * 20 for pair in ("1a", "2b", "3c", "4d"))
SIGNATURE = bytes.fromhex("c0ffee5eed") * 13  # 65 bytes nobody may see
ENDED = ("confirmed", "reverted", "expired", "satisfied_elsewhere", "superseded", "cancelled_by_user")
Sql = Callable[..., Any]


def connected(database_url: str) -> psycopg.Connection[Any]:
    return psycopg.connect(database_url.replace("postgresql+psycopg://", "postgresql://"), autocommit=True)


def enter_wallet(sql: Sql, address: str = RELAYER, *, next_nonce: int = 7, stopped: str | None = None) -> None:
    sql(
        "insert into worker.relay_wallet (chain_id, address, next_nonce, stopped) values (%s, %s, %s, %s)"
        " on conflict (chain_id, address) do update set stopped = excluded.stopped",
        (CHAIN_ID, address, next_nonce, stopped),
    )


def enter_request(
    sql: Sql,
    vault: Vault,
    state: str = "broadcast",
    *,
    lane: str = "gift_withdraw",
    nonce: int | None = 6,
    age_seconds: int = 0,
    wallet: str = RELAYER,
) -> UUID:
    """Insert a request; unless `nonce` is None, with a slot and one signed transaction."""
    request_id, key, ended = uuid4(), vault.record_key(), state in ENDED
    sealed = key.seal(SIGNATURE, f"relay_request.call_data|{request_id}")
    sql(
        "insert into worker.relay_request (id, chain_id, wallet, lane, digest, router, subject_id, signer, creator,"
        " nonce, deadline, state, gas_limit, key_id, salt, call_data, created_at, updated_at)"
        " values (%s, %s, %s, %s, %s, %s, 5, %s, %s, 0, 2000000000, %s, 500000, %s, %s, %s,"
        " now() - make_interval(secs => %s), now() - make_interval(secs => %s))",
        (
            *(request_id, CHAIN_ID, wallet, lane, uuid4().bytes * 2, ROUTER, SIGNER, CREATOR, state),
            *(key.key_id, None if ended else key.salt, None if ended else sealed, age_seconds, age_seconds),
        ),
    )
    if nonce is not None:
        slot = {"mined": "mined", "confirmed": "final", "reverted": "final"}.get(state, "final" if ended else "open")
        _enter_slot(sql, key, request_id, wallet, nonce, slot, age_seconds)
    return request_id


def _enter_slot(sql: Sql, key: Any, request_id: UUID, wallet: str, nonce: int, state: str, age_seconds: int) -> None:
    final = state == "final"
    sql(
        "insert into worker.nonce_slot (chain_id, wallet, nonce, request_id, state, gas_limit, reserved_wei,"
        " budget_day, spent_wei, opened_at)"
        " values (%s, %s, %s, %s, %s, 500000, 1000000, current_date, %s, now() - make_interval(secs => %s))",
        (CHAIN_ID, wallet, nonce, request_id, state, 900 if final else None, age_seconds),
    )
    tx_hash = "0x" + request_id.hex * 2
    raw = None if final else key.seal(b"\x02" + SIGNATURE, f"tx_attempt.raw|{CHAIN_ID}|{tx_hash}")
    sql(
        "insert into worker.tx_attempt (chain_id, tx_hash, wallet, nonce, kind, max_fee_wei, priority_fee_wei,"
        " gas_limit, raw, broadcast_at) values (%s, %s, %s, %s, 'call', 30000000000, 1000000000, 500000, %s, now())",
        (CHAIN_ID, tx_hash, wallet, nonce, raw),
    )
    sql("update worker.relay_request set tx_hash = %s where id = %s", (tx_hash, request_id))


def enter_budget(sql: Sql, *, reserved: int, spent: int, requests: int, days_ago: int = 0) -> None:
    sql(
        "insert into worker.relay_budget (chain_id, wallet, scope, subject, day, requests, reserved_wei, spent_wei)"
        " values (%s, %s, 'global', '', (now() at time zone 'utc')::date - %s, %s, %s, %s)",
        (CHAIN_ID, RELAYER, days_ago, requests, reserved, spent),
    )
