"""Addresses of recipients who are reminded of a gift after its opening day."""

from alembic import op

revision = "20261129_0026"
down_revision = "20261129_0025"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("""
        create table worker.gift_reminder (
            chain_id bigint not null,
            timelock_id bigint not null,
            key_id text not null,
            salt bytea not null,
            payload bytea not null,
            email_hash bytea not null,
            owner varchar(42) not null,
            recipient varchar(42) not null,
            unlock_time bigint not null,
            next_kind text,
            next_at timestamp with time zone,
            written_at timestamp with time zone not null default clock_timestamp(),
            constraint gift_reminder_pkey primary key (chain_id, timelock_id),
            constraint gift_reminder_salt_is_32_bytes check (octet_length(salt) = 32)
        );
        create index gift_reminder_next on worker.gift_reminder (next_at);
        create index gift_reminder_unlock on worker.gift_reminder (unlock_time);
        create index gift_reminder_email_hash on worker.gift_reminder (email_hash);
        create index gift_reminder_recipient on worker.gift_reminder (recipient);
    """)
