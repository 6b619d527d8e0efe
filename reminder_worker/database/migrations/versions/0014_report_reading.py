"""Counts of delivery reports, and when their mailbox was last read."""

from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("""
        create table worker.report_reading (
            id smallint not null,
            unread bigint,
            looked_at timestamptz,
            taken bigint not null,
            unmatched bigint not null,
            set_aside bigint not null,
            set_aside_at timestamptz,
            not_complaints bigint not null,
            unreadable bigint not null,
            constraint report_reading_pkey primary key (id),
            constraint report_reading_is_one check (id = 1)
        );
        comment on table worker.report_reading is 'Delivery reports, as the mail service last counted them';
        comment on column worker.report_reading.id is 'always 1: there is one row';
        comment on column worker.report_reading.unread is
            'reports that wait in the mailbox; null: no mailbox is read';
        comment on column worker.report_reading.looked_at is
            'when the mailbox was last read to its end; null: never';
        comment on column worker.report_reading.taken is 'reports about emails of ours so far';
        comment on column worker.report_reading.unmatched is 'reports about no email of ours so far';
        comment on column worker.report_reading.set_aside is 'reports so far whose reading failed twice';
        comment on column worker.report_reading.set_aside_at is 'when the count of them was last seen to rise';
        comment on column worker.report_reading.not_complaints is 'feedback reports of other kinds so far';
        comment on column worker.report_reading.unreadable is
            'events of a webhook so far that could not be read';
    """)
