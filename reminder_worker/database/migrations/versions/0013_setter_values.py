"""Addresses that setters of the contracts change."""

from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("""
        create table worker.setter_value (
            chain_id bigint not null,
            contract varchar(42) not null,
            getter text not null,
            value varchar(42),
            block_number bigint,
            compared_at timestamptz not null default clock_timestamp(),
            constraint setter_value_pkey primary key (chain_id, contract, getter)
        );
        comment on table worker.setter_value is 'Addresses that setters change, as compared once a day';
        comment on column worker.setter_value.chain_id is 'EIP-155 id of the chain';
        comment on column worker.setter_value.contract is 'the contract that was asked';
        comment on column worker.setter_value.getter is 'name of the getter';
        comment on column worker.setter_value.compared_at is 'when the answer was last compared; a day earlier at first';
        comment on column worker.setter_value.value is 'the last answer of the getter; null: it never answered';
        comment on column worker.setter_value.block_number is 'the final block of the last answer';
    """)
