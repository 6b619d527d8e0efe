"""Addresses from which emails came back."""

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("""
        create table worker.bounce (
            email_hash bytea primary key,
            reason text not null,
            since timestamp with time zone default clock_timestamp() not null,
            constraint bounce_reason
                check (reason in ('mailbox_unknown','mailbox_full','blocked','other'))
        );
        comment on table worker.bounce is 'Addresses from which an email came back, while a recipient or gift has them';
        comment on column worker.bounce.email_hash is 'keyed hash of the normalised email';
        comment on column worker.bounce.reason is 'mailbox_unknown: no further email is sent there';
        create table worker.bounce_cursor (
            id smallint primary key,
            after bigint not null,
            constraint bounce_cursor_is_one check (id = 1)
        );
        comment on table worker.bounce_cursor is 'The last email that came back and was read from the mail service';
        comment on column worker.bounce_cursor.after is 'a number of the mail service';
    """)
