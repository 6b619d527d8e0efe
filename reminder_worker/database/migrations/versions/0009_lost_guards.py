"""Lost guards of Safes."""

from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("""
        alter table worker.watch add column guard_lost_at bigint;
        comment on column worker.watch.guard_lost_at is
            'chain time (unix seconds) at which the Safe''s guard was first missing; 0 while it is there';
        create index watch_guard on worker.watch (chain_id)
            where guard_lost_at > 0 and asked_at - guard_lost_at <= 604800;
    """)
