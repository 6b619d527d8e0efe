"""A sent gift email has a message id, as a sent reminder has. The release before keeps this rule already."""

from alembic import op

revision = "20261129_0018"
down_revision = "0017"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("""
        alter table worker.gift_ledger add constraint gift_ledger_sent_has_a_message_id
            check ((state = 'sent') = (message_id is not null));
    """)
