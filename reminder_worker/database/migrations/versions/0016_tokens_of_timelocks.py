"""The tokens of each timelock beside its assets, which may be hundreds.

The database computes them, so rows of the previous release have them, too.
"""

from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("""
        create function worker.tokens_of(assets jsonb) returns text[] language sql immutable parallel safe as $$
            select case
                when bool_and(asset ->> 'id' is null) and count(distinct asset ->> 'token') <= 20
                then array_agg(distinct asset ->> 'token')
            end
            from jsonb_array_elements(assets) as asset
        $$;
        alter table worker.timelock
            add column tokens text[] generated always as (worker.tokens_of(assets)) stored;
        comment on column worker.timelock.tokens is
            'the tokens of its ERC-20 assets; null: it has NFTs, no asset, or more than 20 tokens';
    """)
