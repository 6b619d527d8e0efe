"""An email of a gift's opening day is tried from that day on, so that a look does not read all gifts that wait."""

from alembic import op

revision = "20261129_0021"
down_revision = "20261129_0020"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("""
        update worker.gift_ledger set next_try = created_at
        where kind = 'gift_unlocked' and state = 'queued' and tries = 0 and created_at > clock_timestamp();
    """)
