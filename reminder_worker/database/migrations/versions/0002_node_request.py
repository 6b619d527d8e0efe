"""Counts of the requests to RPC endpoints."""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("""
        create table worker.node_request (
            day date not null,
            chain_id bigint not null,
            endpoint text not null,
            pass text not null,
            method text not null,
            count bigint not null,
            since timestamp with time zone default clock_timestamp() not null,
            primary key (day, chain_id, endpoint, pass, method)
        );
        comment on table worker.node_request is 'Requests sent to RPC endpoints by day, of all processes; kept for 90 days';
        comment on column worker.node_request.day is 'UTC';
        comment on column worker.node_request.endpoint is 'position and host, never the address, which has a key';
        comment on column worker.node_request.pass is 'the pass that asked, or api, or cli';
    """)
