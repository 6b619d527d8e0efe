"""Comments of every table and column, which `migrate_database` writes by now."""

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    pass
