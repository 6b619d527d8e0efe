"""The SQL of our wallets, and what the other statements of the relay share."""

from collections.abc import Iterable

from sqlalchemy import text

from reminder_worker.relay.models import OPEN_STATES, WAITING_STATES, State


def in_list(states: Iterable[State]) -> str:
    return "(" + ", ".join(f"'{state}'" for state in sorted(states)) + ")"


OPEN_LIST = in_list(OPEN_STATES)
WAITING_LIST = in_list(WAITING_STATES)


def is_paused(signer: str) -> str:
    """`signer`: SQL for a chain and a signer (`settle.pause_of`). A pause that is to last for more than a day is of a
    clock that was put back since."""
    return f"""exists (
        select from worker.quota
        where scope = 'relay_paused' and subject = {signer}
          and ends_at - extract(epoch from now()) between 0 and 86400
    )"""  # noqa: S608 - our own words


ADD_WALLET = text("""
    insert into worker.relay_wallet (chain_id, address, next_nonce) values (:chain_id, :wallet, :next_nonce)
    on conflict do nothing
""")

READ_WALLET = text(
    "select next_nonce, stopped from worker.relay_wallet where chain_id = :chain_id and address = :wallet"
)

# Whoever takes nonces or touches budgets holds this row first: no two deadlock, and none sees the other's half.
LOCK_WALLET = text(
    "select next_nonce, stopped from worker.relay_wallet where chain_id = :chain_id and address = :wallet for update"
)

STOP_WALLET = text("""
    update worker.relay_wallet set stopped = :reason
    where chain_id = :chain_id and address = :wallet and stopped is null
    returning true
""")

# Those that a stranger with our key took, finally.
SKIP_NONCES = text("""
    update worker.relay_wallet set next_nonce = :count
    where chain_id = :chain_id and address = :wallet and next_nonce < :count
""")

PAUSED = text(f"select {is_paused(':signer')}")
