"""Ends of Premium."""

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("""
        alter table worker.watch add column premium_until bigint;
        comment on column worker.watch.premium_until is 'end of the creator''s Premium as last read, unix seconds';
        create index watch_premium on worker.watch (chain_id)
            where premium_until - asked_at between -604800 and 2592000;
    """)
