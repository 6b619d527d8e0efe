"""Gas that relayed transactions used, and an index for emails of gifts by day."""

from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("""
        alter table worker.nonce_slot add column gas_used bigint;
        comment on column worker.nonce_slot.gas_used is
            'gas of the mined transaction, by its receipt; null: not final, or of an older release';
        create index gift_ledger_settled on worker.gift_ledger (settled_at);
        comment on column worker.nonce_slot.spent_wei is
            'wei of the mined transaction, by its receipt; null: not final';
    """)
