"""Indexes by the account of a recipient, by which people are erased."""

from alembic import op

revision = "20261129_0020"
down_revision = "20261129_0019"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("""
        create index recipient_account on worker.recipient (recipient);
        create index gift_notification_recipient on worker.gift_notification (recipient);
    """)
