"""Hashes of the numbers of emails."""

from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("""
        alter table worker.sent_ledger add column number_hash bytea;
        comment on column worker.sent_ledger.number_hash is
            'SHA-256 of the number printed in the email; null: not posted, or its recipient was erased';
        create index sent_ledger_number on worker.sent_ledger (number_hash) where number_hash is not null;
        alter table worker.gift_ledger add column number_hash bytea;
        comment on column worker.gift_ledger.number_hash is
            'SHA-256 of the number printed in the email; null: not posted, or its recipient was erased';
        create index gift_ledger_number on worker.gift_ledger (number_hash) where number_hash is not null;
    """)
