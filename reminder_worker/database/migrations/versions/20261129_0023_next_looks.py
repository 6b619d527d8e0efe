"""When each owner with auto-renew is read again, and indexes of what is due and of open windows."""

from alembic import op

revision = "20261129_0023"
down_revision = "20261129_0022"


def upgrade() -> None:
    """Add a column with a constant default, which rewrites no row. The small table gets its index at once."""
    op.get_bind().exec_driver_sql("""
        alter table worker.owner_activity add column next_look bigint not null default 0;
        comment on column worker.owner_activity.next_look is 'chain time (unix seconds) of the next look';
        create index owner_activity_next_look on worker.owner_activity (chain_id, next_look);
        create index due_window_open on worker.due_window (chain_id, legacy, "window", deadline) where state = 'open';
    """)
