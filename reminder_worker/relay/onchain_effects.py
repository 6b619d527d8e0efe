"""On-chain effects: events of a signer since the request was admitted, with or without our transactions.

Events of a claim and a check-in name their signer: each used one of the signer's nonces. A vault's event names the
recipient that it paid, with an authorization or without.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from reminder_worker.chain import abi, wire
from reminder_worker.chain.client import Chain, EventLog
from reminder_worker.chain.events import UndecodableLog, decode
from reminder_worker.chain.quorum import endpoints_needed
from reminder_worker.chain.rpc import Request
from reminder_worker.indexer.log_reader import logs_of_two
from reminder_worker.relay.chain_view import view_chain
from reminder_worker.relay.models import RelayLane
from reminder_worker.settings import ChainSettings

CLOCKS_SECONDS: Final = 900
"""Seconds that our clock and the chain's may be apart."""

_TOPICS: Final = {
    event["name"]: abi.topic(event)
    for contract in ("TransferEOALegacyRouter", "TimelockERC20", "TimelockERC721", "TimelockERC1155")
    for event in abi.events(contract)
}
_OF_ROUTER: Final = {
    "TransferEOALegacyClaimedFor": (RelayLane.CLAIM, "legacyId", "beneficiary"),
    "TransferEOALegacyCheckedInFor": (RelayLane.CHECK_IN, "legacyId", "owner"),
}
_OF_VAULTS: Final = {
    "FundsWithdrawn": (RelayLane.GIFT_WITHDRAW, "timelockId", "recipient"),
    "TokensWithdrawn": (RelayLane.GIFT_WITHDRAW, "timelockId", "recipient"),
}
LANES: Final = frozenset({RelayLane.CLAIM, RelayLane.CHECK_IN, RelayLane.GIFT_WITHDRAW})
"""Lanes with effects in events. A renewal is made by the attestor alone."""


@dataclass(frozen=True, slots=True)
class OnchainEffect:
    """Effect of a lane on one legacy or timelock, final and confirmed by two endpoints."""

    tx_hash: str
    lane: RelayLane
    subject_id: int


async def read_effects(
    chain: Chain, lane: RelayLane, signer: str, since: float, finalized: int, wallet: str
) -> tuple[OnchainEffect, ...] | None:
    """Return the signer's effects in the lane's contracts, from `since` (unix seconds) up to the block `finalized`.

    None while the endpoints do not agree on one of the transactions. Raises `ChainUnavailable`.
    """
    kinds = _OF_VAULTS if lane is RelayLane.GIFT_WITHDRAW else _OF_ROUTER
    contracts = (
        list_vaults(chain.settings) if lane is RelayLane.GIFT_WITHDRAW else [chain.settings.transfer_eoa_legacy_router]
    )
    first = await chain.first_block_since(int(since) - CLOCKS_SECONDS, finalized)
    topics = frozenset(_TOPICS[name] for name in kinds)
    # A log that only the second endpoint returns counts, too: below, each transaction needs two receipts.
    logs, beside = await logs_of_two(chain, dict.fromkeys(contracts, topics), first, finalized)
    found = [effect for log in [*logs, *beside.logs] if (effect := _effect(log, signer)) is not None]
    if not found:
        return ()
    hashes = list(dict.fromkeys(effect.tx_hash for effect in found))
    views = await view_chain(chain, wallet, hashes)
    for tx_hash in hashes:
        status = views.receipts([tx_hash])
        if status.mined is None or not status.confirmed or status.mined.block_number > finalized:
            return None
    return tuple(found)


async def read_direct_calls(chain: Chain, router: str, tx_hashes: Sequence[str]) -> dict[str, bytes] | None:
    """Return the calls of those transactions that called the router directly; None while endpoints do not agree.

    A claim's event does not name its assets: another authorization for the same legacy looks alike.
    """
    asked: list[Request] = [("eth_getTransactionByHash", [tx_hash]) for tx_hash in tx_hashes]

    def read(answers: Sequence[Any]) -> dict[str, bytes]:
        found = msgspec.convert(list(answers), list[CalledTransaction])
        return {
            tx_hash: wire.hex_bytes(transaction.input)
            for tx_hash, transaction in zip(tx_hashes, found, strict=True)
            if transaction.to is not None and transaction.to.lower() == router
        }

    answers = await chain.ask_each(asked, read)
    enough = len(answers) >= endpoints_needed(len(chain.settings.rpc_urls))
    return answers[0] if enough and all(calls == answers[0] for calls in answers) else None


class CalledTransaction(msgspec.Struct):
    to: str | None
    input: str


def _effect(log: EventLog, signer: str) -> OnchainEffect | None:
    try:
        event = decode(log)
    except UndecodableLog:
        return None
    lane, subject, whose = (_OF_ROUTER | _OF_VAULTS)[event.name]
    if event.args[whose] != signer:
        return None
    return OnchainEffect(log.tx_hash, lane, event.args[subject])


def list_vaults(settings: ChainSettings) -> Sequence[str]:
    return [settings.timelock_erc20, settings.timelock_erc721, settings.timelock_erc1155]
