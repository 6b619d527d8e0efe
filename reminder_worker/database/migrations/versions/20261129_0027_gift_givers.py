"""Addresses of givers who asked what became of their gift."""

from alembic import op

revision = "20261129_0027"
down_revision = "20261129_0026"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("""
        create table worker.gift_giver (
            chain_id bigint not null,
            timelock_id bigint not null,
            key_id text not null,
            salt bytea not null,
            payload bytea not null,
            email_hash bytea not null,
            recipient_hash bytea not null,
            owner varchar(42) not null,
            recipient varchar(42) not null,
            unlock_time bigint not null,
            unopened_at timestamp with time zone not null,
            returned boolean not null default false,
            told_returned boolean not null default false,
            next_look timestamp with time zone default clock_timestamp() + interval '1 hour',
            written_at timestamp with time zone not null default clock_timestamp(),
            constraint gift_giver_pkey primary key (chain_id, timelock_id),
            constraint gift_giver_salt_is_32_bytes check (octet_length(salt) = 32)
        );
        create index gift_giver_next on worker.gift_giver (next_look);
        create index gift_giver_email_hash on worker.gift_giver (email_hash);
        create index gift_giver_recipient_hash on worker.gift_giver (recipient_hash);
        create index gift_giver_owner on worker.gift_giver (owner);
        create index gift_giver_recipient on worker.gift_giver (recipient);
    """)
