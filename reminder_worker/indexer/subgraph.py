"""The subgraph 0.4 on a graph-node (`schema.graphql`), asked over HTTP.

Every question carries `block: {hash}`, so that all answers of a tick are of one state, also while the subgraph moves
on or a reorganisation is under way. By number alone a graph-node would answer from whichever fork it is on now:
a gateway that refuses a hash is therefore treated as failing, and our own index answers instead.
"""

import asyncio
import random
import time
from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from itertools import pairwise
from typing import Annotated, Any, Generic, TypeVar

import aiohttp
import msgspec
from msgspec import Meta, Struct
from pydantic import SecretStr

from reminder_worker import strict_json
from reminder_worker.errors import IndexerUnavailable
from reminder_worker.indexer.models import (
    FAR_FUTURE,
    IndexedTimelock,
    IndexHead,
    NotifySignal,
    ReminderConfig,
    SignalKind,
    TimelockAsset,
    asset_order,
    nonzero_address,
)

TIMEOUT = aiohttp.ClientTimeout(total=10, connect=3)

AddressText = Annotated[str, Meta(pattern=r"\A0x[0-9a-fA-F]{40}\Z")]
HashText = Annotated[str, Meta(pattern=r"\A0x[0-9a-fA-F]{64}\Z")]
BigInt = Annotated[str, Meta(pattern=r"\A[0-9]{1,78}\Z")]  # graph-node writes BigInt as a string
SmallBigInt = Annotated[str, Meta(pattern=r"\A[0-9]{1,18}\Z")]  # block numbers, times and ids: they fit a bigint
Uint8 = Annotated[int, Meta(ge=0, le=255)]
Id = Annotated[str, Meta(min_length=1, max_length=300)]


class SubgraphEntity(Struct, frozen=True, rename="camel"):
    id: Id


class MetaBlock(Struct, frozen=True):
    number: Annotated[int, Meta(ge=0)]
    hash: HashText


class SubgraphHead(Struct, frozen=True, rename="camel"):
    block: MetaBlock
    has_indexing_errors: bool


class NotifyRequestedRow(SubgraphEntity, frozen=True, rename="camel"):
    legacy: AddressText
    creator: AddressText
    layer: Uint8
    notify_type: Uint8
    block_number: SmallBigInt
    block_timestamp: SmallBigInt
    transaction_hash: HashText

    def to_signal(self) -> NotifySignal | None:
        """None for a notify type this version does not know, as our own index leaves it out."""
        if self.notify_type not in set(SignalKind):
            return None
        return NotifySignal(
            legacy=self.legacy.lower(),
            creator=self.creator.lower(),
            layer=self.layer,
            kind=SignalKind(self.notify_type),
            block_number=int(self.block_number),
            block_time=int(self.block_timestamp),
            tx_hash=self.transaction_hash.lower(),
        )


class ReminderConfigurationRow(SubgraphEntity, frozen=True, rename="camel"):
    creator: AddressText
    cosigners: list[AddressText]
    beneficiaries: list[AddressText]
    second_line: AddressText | None
    third_line: AddressText | None

    def to_config(self) -> ReminderConfig:
        return ReminderConfig(
            legacy=self.id.lower(),
            creator=self.creator.lower(),
            cosigners=tuple(map(str.lower, self.cosigners)),
            beneficiaries=tuple(map(str.lower, self.beneficiaries)),
            second_line=nonzero_address(self.second_line),
            third_line=nonzero_address(self.third_line),
        )


class TimelockRow(SubgraphEntity, frozen=True, rename="camel"):
    id: SmallBigInt
    lock_type: Uint8
    owner: AddressText
    recipient: AddressText
    unlock_time: BigInt
    status: Uint8
    created_at: SmallBigInt

    def to_timelock(self, assets: Sequence[TimelockAsset]) -> IndexedTimelock:
        return IndexedTimelock(
            timelock_id=int(self.id),
            lock_type=self.lock_type,
            owner=self.owner.lower(),
            recipient=self.recipient.lower(),
            unlock_time=min(int(self.unlock_time), FAR_FUTURE),
            status=self.status,
            assets=tuple(sorted(assets, key=asset_order)),
            created_at=int(self.created_at),
        )


class EntityReference(Struct, frozen=True):
    id: Id


class TimelockAssetRow(SubgraphEntity, frozen=True, rename="camel"):
    timelock: EntityReference
    vault: AddressText
    token: AddressText
    token_id: BigInt | None
    amount: BigInt

    def to_asset(self) -> TimelockAsset:
        return TimelockAsset(
            vault=self.vault.lower(),
            token=self.token.lower(),
            token_id=None if self.token_id is None else int(self.token_id),
            amount=int(self.amount),
        )


T = TypeVar("T")
E = TypeVar("E", bound=SubgraphEntity)


class SubgraphAnswer(Struct, Generic[T], frozen=True):
    data: T | None = None
    errors: msgspec.Raw = msgspec.Raw()


class EntityRows(Struct, Generic[E], frozen=True):
    rows: list[E]


class MetaAnswer(Struct, frozen=True):
    meta: SubgraphHead = msgspec.field(name="_meta")


class _TryAgain(Exception):
    """This attempt failed in a way another may not."""


class SubgraphClient:
    """An `EventIndexer`. The URL may hold an API key and is never part of a message.

    `rest_seconds`: after a failure others are asked, so that a dead subgraph does not slow every tick.
    """

    name = "subgraph"

    def __init__(
        self,
        url: SecretStr,
        session: aiohttp.ClientSession,
        *,
        backoff_seconds: float = 0.25,
        rest_seconds: float = 60.0,
    ) -> None:
        self._url = url
        self._session = session
        self._backoff = backoff_seconds
        self._rest = rest_seconds
        self._failed_at = float("-inf")

    @property
    def is_resting(self) -> bool:
        """Return whether the subgraph still backs off after a failure."""
        return time.monotonic() - self._failed_at < self._rest

    async def read_head(self) -> IndexHead:
        meta = (await self._send_query("head", {}, MetaAnswer)).meta
        if meta.has_indexing_errors:
            raise self._mark_failing("it has indexing errors")
        return IndexHead(meta.block.number, meta.block.hash.lower())

    async def read_signals(self, first_block: int, last_block: int, at: IndexHead) -> list[NotifySignal]:
        """Within a block the order is that of the entities' ids: the entity does not tell its log's position."""
        where = {"firstBlock": str(first_block), "lastBlock": str(last_block)}
        rows = await self._read_pages("notify_requested", where, NotifyRequestedRow, at)
        found = [signal for signal in map(NotifyRequestedRow.to_signal, rows) if signal is not None]
        if any(not first_block <= signal.block_number <= last_block for signal in found):
            raise self._mark_failing("notifyRequesteds: blockNumber outside the blocks asked for")
        return sorted(found, key=lambda signal: signal.block_number)

    async def reminder_configs(self, legacies: Collection[str], at: IndexHead) -> dict[str, ReminderConfig]:
        rows = await self._by_key("reminder_configurations", legacies, ReminderConfigurationRow, at)
        configs = map(ReminderConfigurationRow.to_config, rows)
        return {config.legacy: config for config in configs if config is not None}

    async def read_timelocks(self, ids: Collection[int], at: IndexHead) -> dict[int, IndexedTimelock]:
        rows = await self._by_key("timelocks", [str(number) for number in ids], TimelockRow, at)
        assets: dict[str, list[TimelockAsset]] = {row.id: [] for row in rows}
        for asset in await self._by_key("timelock_assets", list(assets), TimelockAssetRow, at, by_id=False):
            if asset.timelock.id not in assets:
                raise self._mark_failing("timelockAssets: timelock that was not asked for")
            assets[asset.timelock.id].append(asset.to_asset())
        return {int(row.id): row.to_timelock(assets[row.id]) for row in rows}

    async def _by_key(
        self, query: str, keys: Collection[str], shape: type[E], at: IndexHead, *, by_id: bool = True
    ) -> list[E]:
        """Entities of the given keys. `by_id`: the keys are ids, and no others may come."""
        wanted = sorted(set(keys))
        found: list[E] = []
        for start in range(0, len(wanted), 500):
            found += await self._read_pages(query, {"keys": wanted[start : start + 500]}, shape, at)
        if by_id and not {row.id for row in found} <= set(wanted):
            raise self._mark_failing(f"{query}: id that was not asked for")
        return found

    async def _read_pages(self, query: str, variables: Mapping[str, Any], shape: type[E], at: IndexHead) -> list[E]:
        """All rows, page by page: `id_gt` the last id, which has to grow or the loop would never end."""
        found: list[E] = []
        after = ""
        for _ in range(2000):
            values = {**variables, "block": at.hash, "after": after}
            page: EntityRows[E] = await self._send_query(query, values, EntityRows[shape])  # type: ignore[valid-type]
            ids = [after, *(row.id for row in page.rows)]
            if any(one >= other for one, other in pairwise(ids)):
                raise self._mark_failing(f"{query}: id not in ascending order")
            found += page.rows
            if len(page.rows) < 1000:  # the limit of `first` of a graph-node
                return found
            after = ids[-1]
        raise self._mark_failing(f"{query}: more than 2000 pages")

    async def _send_query(self, query: str, variables: Mapping[str, Any], shape: type[T]) -> T:
        body = msgspec.json.encode({"query": QUERIES[query], "variables": variables})
        for backoff in (self._backoff, 2 * self._backoff, None):
            try:
                return self._decode_answer(query, await self._post_body(body), shape)
            except _TryAgain as failure:
                if backoff is None:
                    raise self._mark_failing(f"{query}: {failure}") from None
            await asyncio.sleep(backoff * random.uniform(0.5, 1.5))  # noqa: S311 - jitter
        raise AssertionError("unreachable")

    async def _post_body(self, body: bytes) -> bytes:
        try:
            async with self._session.post(
                self._url.get_secret_value(),
                data=body,
                headers={"Content-Type": "application/json", "Accept": "application/json"},
                timeout=TIMEOUT,
                allow_redirects=False,
            ) as response:
                if response.status in (408, 425, 429, 500, 502, 503, 504):
                    raise _TryAgain(f"status {response.status}")
                if response.status != 200:
                    raise self._mark_failing(f"status {response.status}")
                most = 16 * 1024 * 1024  # a page of 1,000 signals is about 400 KB
                answer = await strict_json.read_body(response, most)
                if len(answer) > most:
                    raise self._mark_failing(f"an answer of more than {most} bytes")
                return answer
        except TimeoutError:  # not again: a look and a run have no more time for a chain than three such waits
            raise self._mark_failing("timed out") from None
        except (aiohttp.ClientError, OSError) as error:
            raise _TryAgain(type(error).__name__) from None  # its text may hold the URL

    def _decode_answer(self, query: str, text: bytes, shape: type[T]) -> T:
        """Errors and shapes we do not know are failures; nothing is guessed, and foreign text is not repeated."""
        try:
            answer = msgspec.json.decode(text, type=SubgraphAnswer[shape])  # type: ignore[valid-type]
        except msgspec.ValidationError as error:
            raise self._mark_failing(f"{query}: {error}") from None
        except strict_json.NOT_JSON:
            raise self._mark_failing(f"{query}: the answer is not JSON") from None
        if bytes(memoryview(answer.errors)[:5]) not in (b"", b"null", b"[]"):  # counted, they would take memory
            raise self._mark_failing(f"{query}: answered with GraphQL errors")
        if answer.data is None:
            raise self._mark_failing(f"{query}: an answer without data")
        return answer.data

    def _mark_failing(self, what: str) -> IndexerUnavailable:
        self._failed_at = time.monotonic()
        return IndexerUnavailable(f"the subgraph fails: {what}")


QUERIES = {
    file.name.removesuffix(".graphql"): file.read_text()
    for file in (files("reminder_worker.indexer") / "queries").iterdir()
}
