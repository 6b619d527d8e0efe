"""Index of timelocks by their owner."""

from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.get_bind().exec_driver_sql(
        "create index timelock_by_owner on worker.timelock (chain_id, owner, timelock_id)",
    )
