"""The first schema."""

from alembic import op

from reminder_worker.database.tables import SCHEMA, metadata

revision = "0001"
down_revision = None


def upgrade() -> None:
    metadata.create_all(op.get_bind())


def downgrade() -> None:
    op.execute(f"drop schema {SCHEMA} cascade")
