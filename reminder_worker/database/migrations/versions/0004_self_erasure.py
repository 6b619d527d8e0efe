"""Recipients who erased themselves, and counts of erased people."""

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("""
        create table worker.self_erasure (
            chain_id bigint not null,
            legacy character varying(42) not null,
            recipient character varying(42) not null,
            creator character varying(42) not null,
            email_hash bytea not null,
            primary key (chain_id, legacy, recipient)
        );
        comment on table worker.self_erasure is 'Recipients who erased themselves, until the set names them no more';
        comment on column worker.self_erasure.creator is 'who saved the set, and alone sees this';
        comment on column worker.self_erasure.email_hash is
            'keyed hash of the erased email, which is not stored again for this recipient';
        create table worker.erasure_count (
            day date not null,
            cause text not null,
            people integer not null,
            primary key (day, cause),
            constraint erasure_count_cause check (cause in ('deleted_legacy','link','signature'))
        );
        comment on table worker.erasure_count is 'How many recipients were erased each day, and why';
        comment on column worker.erasure_count.day is 'UTC';
    """)
