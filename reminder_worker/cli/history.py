"""The index that `backfill` feeds: from the configured endpoints, or from another one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import click
from pydantic import SecretStr, TypeAdapter, ValidationError

from reminder_worker.chain.client import Chain
from reminder_worker.errors import Misconfigured
from reminder_worker.indexer.chain_index import ChainIndex
from reminder_worker.reminders.due_windows import ask_now
from reminder_worker.runtime import Runtime
from reminder_worker.settings.values import SecretWebUrl


@asynccontextmanager
async def open_index(runtime: Runtime, chain_id: int, rpc_url: str | None) -> AsyncIterator[tuple[Chain, ChainIndex]]:
    """Yield the chain and its index. The address of an endpoint may have a key: it is never shown."""
    if rpc_url is None:
        yield runtime.chains[chain_id], runtime.chain_indexes[chain_id]
        return
    try:
        url: SecretStr = TypeAdapter(SecretWebUrl).validate_python(rpc_url)
    except ValidationError:
        raise click.BadParameter("not an address of http or https", param_hint="--rpc-url") from None
    configured = runtime.chains[chain_id].settings
    # The position behind the configured endpoints gives it a name and a learned limit of its own.
    urls = (*configured.rpc_urls, url)
    async with Chain(configured.model_copy(update={"rpc_urls": urls})) as every:
        chain = every.single_views()[-1]
        try:
            await chain.endpoints.check_chain_ids()
        except Misconfigured:
            raise click.BadParameter(f"the endpoint does not serve chain {chain_id}", param_hint="--rpc-url") from None
        yield chain, ChainIndex(runtime.engine, chain, ask_now)
