"""Further emails of a reminder window: how many have come, and how many of them are over."""

from alembic import op

revision = "20261129_0025"
down_revision = "20261129_0024"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("""
        alter table worker.due_window
            add column further_due smallint not null default 0,
            add column further_over smallint not null default 0;
        create index due_window_too_old_to_plan on worker.due_window (chain_id, legacy)
            where state = 'too_old' and planned_at is null and further_due > further_over;
    """)
