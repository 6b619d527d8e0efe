"""Vacuum tables whose rows wait for something after a hundredth of their rows, not after a fifth.

Their rows stay for ever. An index of the few that wait keeps an entry of each that waited until the next vacuum.
"""

from alembic import op

revision = "20261129_0022"
down_revision = "20261129_0021"


def upgrade() -> None:
    for table in ("sent_ledger", "gift_ledger", "notify_signal", "due_window"):
        op.get_bind().exec_driver_sql(
            f"alter table worker.{table} set (autovacuum_vacuum_scale_factor = 0.01, vacuum_index_cleanup = on)"
        )
