"""The owner's name, the title of a legacy and the language of a recipient."""

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("""
        alter table worker.recipient add column words bytea;
        comment on column worker.recipient.words
            is 'JSON with the owner''s name, the title and the language, encrypted as the name';
    """)
