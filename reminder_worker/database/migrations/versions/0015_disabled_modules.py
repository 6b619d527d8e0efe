"""Disabled modules of Safes."""

from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("""
        alter table worker.watch add column module_off_at bigint;
        comment on column worker.watch.module_off_at is
            'chain time (unix seconds) at which the legacy was first no module of its Safe; 0 while it is one';
        create index watch_module on worker.watch (chain_id)
            where module_off_at > 0 and asked_at - module_off_at <= 604800;
    """)
