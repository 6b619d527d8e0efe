"""Learned limits of the RPC endpoints."""

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("""
        create table worker.log_limit (
            chain_id bigint not null,
            endpoint text not null,
            blocks integer not null,
            wider_at timestamp with time zone not null,
            primary key (chain_id, endpoint)
        );
        comment on table worker.log_limit is 'What RPC endpoints accept, learned from refusals';
        comment on column worker.log_limit.endpoint is 'position and host, never the address, which has a key';
        comment on column worker.log_limit.blocks is 'that one question for logs may span';
        comment on column worker.log_limit.wider_at is 'more blocks may be asked for again';
    """)
