"""Holdings of each owner, read once a day, and the owners of live legacies in order."""

from alembic import op

revision = "20261129_0019"
down_revision = "20261129_0018"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("""
        create table worker.owner_holding (
            chain_id bigint not null,
            owner varchar(42) not null,
            legacies integer not null,
            deleted integer not null,
            wei numeric(78, 0) not null,
            amounts jsonb not null,
            unreadable text[] not null,
            asked bytea not null,
            read_at bigint not null,
            constraint owner_holding_pkey primary key (chain_id, owner)
        );
        create index legacy_live_owner on worker.legacy (chain_id, owner)
            where activated_at is null and deleted_at is null;
        comment on table worker.owner_holding is 'What claims can move of each owner, read once a day';
        comment on column worker.owner_holding.chain_id is 'EIP-155 id of the chain';
        comment on column worker.owner_holding.owner is 'account or Safe with a live legacy';
        comment on column worker.owner_holding.legacies is 'number of live legacies that were read';
        comment on column worker.owner_holding.deleted is 'number of deleted Safe legacies among these';
        comment on column worker.owner_holding.wei is 'ether of the legacies, of a Safe its own';
        comment on column worker.owner_holding.amounts is '{token: base units as text}';
        comment on column worker.owner_holding.unreadable is
            'tokens whose balance could not be read; their amounts are older';
        comment on column worker.owner_holding.asked is
            'hash of the tokens that were asked for; with other tokens the owner is read again';
        comment on column worker.owner_holding.read_at is 'time of the block of the reading, unix seconds';
    """)
