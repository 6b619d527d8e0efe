"""Prices of the past: feeds that were exchanged, and rounds that were followed by what was not believed."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column(
        "price",
        sa.Column(
            "denied_since",
            sa.BigInteger(),
            nullable=True,
            comment="unix seconds: the first look after it whose answer was not believed",
        ),
        schema="worker",
    )
    op.create_table(
        "price_feed_before",
        sa.Column("chain_id", sa.BigInteger(), nullable=False),
        sa.Column("token", sa.String(length=42), nullable=False, comment="an address, or ETH"),
        sa.Column(
            "until",
            sa.BigInteger(),
            nullable=False,
            comment="unix seconds: of the block another feed was first asked at",
        ),
        sa.Column("feed", sa.String(length=42), nullable=False),
        sa.Column("heartbeat_seconds", sa.Integer(), nullable=True, comment="as it was then; null: not known"),
        sa.PrimaryKeyConstraint("chain_id", "token", "until"),
        schema="worker",
        comment="Feeds that were exchanged: prices of moments before are theirs",
    )
    op.add_column(
        "price_feed",
        sa.Column("heartbeat_seconds", sa.Integer(), nullable=True, comment="of the feed; null: not asked since 0004"),
        schema="worker",
    )
