"""Transactions with notify signals. Of their logs only those are kept that decide about emails.

Anybody may call the protocol inside a transaction with tens of thousands of logs. A receipt is read up to
`RECEIPT_BYTES`; of a larger one only the logs that count are asked for, by contract and topic, at every endpoint.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from reminder_worker.chain import abi, wire
from reminder_worker.chain.block_logs import BlockLogs, address_topic, ask_bounded
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.premium import TokenWhiteList
from reminder_worker.chain.events import ETHER_LOGS, TRANSFER_TOPIC, UndecodableLog, decode_log
from reminder_worker.chain.rpc import RpcEndpoint, RpcError
from reminder_worker.chain.types import EventLog
from reminder_worker.indexer.models import SignalKind
from reminder_worker.indexer.projection import NOTIFY
from reminder_worker.outbox.messages import ReminderKind
from reminder_worker.reminders.audience import SIGNAL_KINDS, format_signal_event

RECEIPT_BYTES: Final = 512 * 1024  # a claim of 50 tokens by ten heirs has a receipt of 350 KB
MOST_TRANSFERS: Final = 1000  # of one transaction: these of fifty transactions are in memory together
TRANSACTIONS_AT_ONCE: Final = 4
_NOTIFY_TOPIC: Final = abi.find_topic("PremiumSetting", NOTIFY)


@dataclass(frozen=True, slots=True)
class StoredSignal:
    """Waiting row of `notify_signal`; `age` in seconds since its first sighting.

    `denied`: one endpoint denied the transaction and no two have confirmed it since.
    """

    tx_hash: str
    legacy: str
    kind: int
    layer: int
    block_number: int
    block_time: int
    tries: int
    age: int
    denied: bool

    @property
    def kind_of_email(self) -> ReminderKind:
        return SIGNAL_KINDS[SignalKind(self.kind)]

    @property
    def event(self) -> str:
        return format_signal_event(self.tx_hash, self.layer)


@dataclass(frozen=True, slots=True)
class SignalTransaction:
    """A successful transaction. `logs`, in order: its notify events, and transfers of the owners who were claimed from.

    Nothing else of it is kept.
    """

    tx_hash: str
    block_number: int
    block_hash: str
    logs: tuple[EventLog, ...]

    def list_notices(self) -> list[tuple[int, Mapping[str, Any]]]:
        """Return the notify events with their positions in `logs`."""
        found = []
        for at, log in enumerate(self.logs):
            notice = _read_notice(log) if log.topics[0] == _NOTIFY_TOPIC else None
            if notice is not None:
                found.append((at, notice))
        return found


class SignalTransactions:
    """Reads of one chain's transactions."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._places = asyncio.Semaphore(TRANSACTIONS_AT_ONCE)

    async def read_voices(self, signals: Sequence[StoredSignal]) -> list[SignalTransaction | None]:
        """Return the transaction of these signals, once for each responding endpoint.

        None: it is not in a block, or failed. If the receipt of one endpoint is too long, all endpoints are asked for
        logs: their receipts differ in length, and a receipt has more transfers than the logs that are asked for.
        """

        async def by_receipt(endpoint: RpcEndpoint) -> list[SignalTransaction | None] | None:
            receipt: tuple[str, list[str]] = ("eth_getTransactionReceipt", [signals[0].tx_hash])
            answer = await ask_bounded(endpoint, receipt, RECEIPT_BYTES)
            if answer is None:
                return None
            return [] if isinstance(answer, RpcError) else [self._decode_receipt(answer, signals)]

        async def by_logs(endpoint: RpcEndpoint) -> list[SignalTransaction | None]:
            return await self._read_by_logs(endpoint, signals)

        async with self._places:
            read = await self._chain.endpoints.try_each(by_receipt)
            said = [voices for voices in read if voices is not None]
            if len(said) < len(read):
                said = await self._chain.endpoints.try_each(by_logs)
        return [voice for voices in said for voice in voices]

    def _decode_receipt(self, answer: Any, signals: Sequence[StoredSignal]) -> SignalTransaction | None:
        receipt = wire.decode_receipt(answer)
        if receipt is None or not receipt.succeeded:
            return None
        if receipt.tx_hash != signals[0].tx_hash:
            raise msgspec.ValidationError("a receipt of another transaction")
        notices = [log for log in receipt.logs if self._is_notice(log)]
        senders = _list_senders(notices, signals)
        moved = [log for log in receipt.logs if _is_transfer(log, senders)]
        return SignalTransaction(receipt.tx_hash, receipt.block_number, receipt.block_hash, _join_logs(notices, moved))

    async def _read_by_logs(
        self, endpoint: RpcEndpoint, signals: Sequence[StoredSignal]
    ) -> list[SignalTransaction | None]:
        """Ask for the logs of the signals' block. Empty: the endpoint refuses."""
        tx_hash, block = signals[0].tx_hash, signals[0].block_number
        notices = await _ask_logs(
            endpoint, BlockLogs(block, [self._chain.settings.premium_setting], [[_NOTIFY_TOPIC]]), tx_hash
        )
        if notices is None:
            return []
        if not notices:
            return [None]
        senders = _list_senders(notices, signals)
        moved: list[EventLog] | None = []
        if senders:
            tokens = {*await TokenWhiteList(self._chain).read_tokens(), ETHER_LOGS}
            moved = await _ask_logs(endpoint, BlockLogs(block, tokens, [[TRANSFER_TOPIC], senders]), tx_hash)
        if moved is None:
            return []
        moved = [log for log in moved if _is_transfer(log, senders)]
        return [SignalTransaction(tx_hash, block, notices[0].block_hash, _join_logs(notices, moved))]

    def _is_notice(self, log: EventLog) -> bool:
        return log.address == self._chain.settings.premium_setting and log.topics[:1] == (_NOTIFY_TOPIC,)


async def _ask_logs(endpoint: RpcEndpoint, question: BlockLogs, tx_hash: str) -> list[EventLog] | None:
    """Return a transaction's logs; None if the endpoint refuses."""
    (answer,) = await endpoint.ask([question.build_request()])
    return None if isinstance(answer, RpcError) else question.decode_answer(answer, tx_hash)


def _list_senders(notices: Iterable[EventLog], signals: Sequence[StoredSignal]) -> set[str]:
    """Return the topics of the legacies that were claimed from, and of their creators."""
    claimed = {signal.legacy for signal in signals if signal.kind == SignalKind.TRANSFER_ACTIVATION}
    creators = set()
    for log in notices:
        notice = _read_notice(log)
        if notice is not None and notice["legacy"] in claimed:
            creators.add(notice["creator"])
    return set(map(address_topic, claimed | creators)) if creators else set()


def _read_notice(log: EventLog) -> Mapping[str, Any] | None:
    with suppress(UndecodableLog):
        return decode_log(log).args
    return None


def _is_transfer(log: EventLog, senders: Collection[str]) -> bool:
    """Return whether the log moves something of a sender. Anybody may move nothing."""
    if len(log.topics) != 3 or log.topics[0] != TRANSFER_TOPIC:
        return False
    return log.topics[1] in senders and any(log.data)


def _join_logs(notices: Sequence[EventLog], moved: Sequence[EventLog]) -> tuple[EventLog, ...]:
    return tuple(sorted([*notices, *moved[:MOST_TRANSFERS]], key=lambda log: log.log_index))
