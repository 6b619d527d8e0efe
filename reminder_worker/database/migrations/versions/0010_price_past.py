"""How far rounds of price feeds were read back for gifts."""

from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("""
        create table worker.price_past (
            chain_id bigint not null,
            feed varchar(42) not null,
            until bigint not null,
            failed_at timestamptz,
            constraint price_past_pkey primary key (chain_id, feed)
        );
        comment on table worker.price_past is 'How far the rounds of each feed were read back for gifts';
        comment on column worker.price_past.feed is 'as in `price`';
        comment on column worker.price_past.until is 'unix seconds: gifts sealed until then have been asked for';
        comment on column worker.price_past.failed_at is 'null: the feed answered';
        comment on table worker.price is
            'Every sane round of every price feed that was seen, and rounds read back for gifts';
        comment on column worker.price.feed is 'or a token whose rate is part of each answer';
        create index timelock_gifts on worker.timelock (chain_id, created_at) where lock_type = 2;
    """)
