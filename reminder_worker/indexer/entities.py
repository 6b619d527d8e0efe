"""The shapes of the subgraph's answers (`schema.graphql`), checked while they are decoded, and their meaning for us.

A value of another shape raises `msgspec.ValidationError`, whose text names the field and never the value.
"""

from typing import Annotated

from msgspec import Meta, Struct

from reminder_worker.indexer.models import (
    FAR_FUTURE,
    NotifySignal,
    ReminderConfig,
    SignalKind,
    TimelockAsset,
)

NO_ADDRESS = "0x" + "0" * 40

AddressText = Annotated[str, Meta(pattern=r"\A0x[0-9a-fA-F]{40}\Z")]
HashText = Annotated[str, Meta(pattern=r"\A0x[0-9a-fA-F]{64}\Z")]
BigInt = Annotated[str, Meta(pattern=r"\A[0-9]{1,78}\Z")]  # graph-node writes BigInt as a string
SmallBigInt = Annotated[str, Meta(pattern=r"\A[0-9]{1,18}\Z")]  # block numbers, times and ids: they fit a bigint
Uint8 = Annotated[int, Meta(ge=0, le=255)]
Id = Annotated[str, Meta(min_length=1, max_length=300)]


class Entity(Struct, frozen=True, rename="camel"):
    id: Id


class MetaBlock(Struct, frozen=True):
    number: Annotated[int, Meta(ge=0)]
    hash: HashText


class Head(Struct, frozen=True, rename="camel"):
    block: MetaBlock
    has_indexing_errors: bool


class NotifyRequestedRow(Entity, frozen=True, rename="camel"):
    legacy: AddressText
    creator: AddressText
    layer: Uint8
    notify_type: Uint8
    block_number: SmallBigInt
    block_timestamp: SmallBigInt
    transaction_hash: HashText

    def signal(self) -> NotifySignal | None:
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


class ReminderConfigurationRow(Entity, frozen=True, rename="camel"):
    creator: AddressText
    cosigners: list[AddressText]
    beneficiaries: list[AddressText]
    second_line: AddressText | None
    third_line: AddressText | None

    def config(self) -> ReminderConfig:
        return ReminderConfig(
            legacy=self.id.lower(),
            creator=self.creator.lower(),
            cosigners=tuple(address.lower() for address in self.cosigners),
            beneficiaries=tuple(address.lower() for address in self.beneficiaries),
            second_line=present(self.second_line),
            third_line=present(self.third_line),
        )


class TimelockRow(Entity, frozen=True, rename="camel"):
    id: SmallBigInt
    lock_type: Uint8
    owner: AddressText
    recipient: AddressText
    unlock_time: BigInt
    status: Uint8
    created_at: SmallBigInt


class Reference(Struct, frozen=True):
    id: Id


class TimelockAssetRow(Entity, frozen=True, rename="camel"):
    timelock: Reference
    vault: AddressText
    token: AddressText
    token_id: BigInt | None
    amount: BigInt

    def asset(self) -> TimelockAsset:
        return TimelockAsset(
            vault=self.vault.lower(),
            token=self.token.lower(),
            token_id=None if self.token_id is None else int(self.token_id),
            amount=int(self.amount),
        )


def present(address: str | None) -> str | None:
    """Lower case; None for the zero address, by which the contracts say "nobody"."""
    return None if address is None or address.lower() == NO_ADDRESS else address.lower()


def time_of(text: str) -> int:
    """Unix seconds; a lock until after the end of time is told as the last second we can store."""
    return min(int(text), FAR_FUTURE)
