"""Remember for each set when its owner is to hear of people without emails, and whether it reaches nobody."""

from alembic import op

revision = "20261129_0024"
down_revision = "20261129_0023"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("""
        alter table worker.watch add column gap_email_at bigint;
        alter table worker.watch add column silent boolean not null default false;
        create index watch_gap on worker.watch (chain_id, legacy) where gap_email_at <= asked_at;
        create index watch_silent on worker.watch (chain_id) where silent;
    """)
