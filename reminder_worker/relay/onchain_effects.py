"""Who else brought about what an authorization is for: the events of its signer since it was admitted.

A claim and a check-in tell their signer, so each event took one of the signer's nonces. A vault tells whom it paid out,
with an authorization or without.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from reminder_worker.chain import abi, wire
from reminder_worker.chain.client import Chain, Log
from reminder_worker.chain.events import UndecodableLog, decode
from reminder_worker.chain.quorum import endpoints_needed
from reminder_worker.chain.rpc import Request
from reminder_worker.indexer.log_reader import logs_of_two
from reminder_worker.relay.chain_view import view_chain
from reminder_worker.relay.models import RelayLane
from reminder_worker.settings import ChainSettings

CLOCKS_SECONDS: Final = 900
"""How far our clock and the chain's may be apart."""

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
"""The lanes whose effects can be seen in events; a renewal is made by the attestor alone."""


@dataclass(frozen=True, slots=True)
class OnchainEffect:
    """One transaction did what the lane does for this legacy or timelock, final and vouched for."""

    tx_hash: str
    lane: RelayLane
    subject_id: int


async def effects(
    chain: Chain, lane: RelayLane, signer: str, since: float, finalized: int, wallet: str
) -> tuple[OnchainEffect, ...] | None:
    """What `signer` brought about in the blocks since `since` (unix seconds) up to `finalized`, in the contracts of the
    lane.

    None while the endpoints do not agree on one of the transactions. Raises `ChainUnavailable`.
    """
    kinds = _OF_VAULTS if lane is RelayLane.GIFT_WITHDRAW else _OF_ROUTER
    contracts = (
        vaults(chain.settings) if lane is RelayLane.GIFT_WITHDRAW else [chain.settings.transfer_eoa_legacy_router]
    )
    first = await chain.first_block_since(int(since) - CLOCKS_SECONDS, finalized)
    topics = frozenset(_TOPICS[name] for name in kinds)
    # A log that only the second endpoint gives counts as well: each transaction has to have its receipt at two
    # endpoints below.
    logs, beside = await logs_of_two(chain, dict.fromkeys(contracts, topics), first, finalized)
    found = [effect for log in [*logs, *beside.logs] if (effect := _effect(log, signer)) is not None]
    if not found:
        return ()
    hashes = list(dict.fromkeys(effect.tx_hash for effect in found))
    views = await view_chain(chain, wallet, hashes)
    for tx_hash in hashes:
        seen = views.sighting([tx_hash])
        if seen.mined is None or not seen.vouched or seen.mined.block_number > finalized:
            return None
    return tuple(found)


async def direct_calls(chain: Chain, router: str, tx_hashes: Sequence[str]) -> dict[str, bytes] | None:
    """What was called, for those transactions that called the router directly; None while endpoints do not agree.

    A claim's event does not tell its assets: another authorization for the same legacy looks alike.
    """
    asked: list[Request] = [("eth_getTransactionByHash", [tx_hash]) for tx_hash in tx_hashes]

    def read(answers: Sequence[Any]) -> dict[str, bytes]:
        found = msgspec.convert(list(answers), list[CalledTransaction])
        return {
            tx_hash: wire.hex_bytes(each.input)
            for tx_hash, each in zip(tx_hashes, found, strict=True)
            if each.to is not None and each.to.lower() == router
        }

    said = await chain.ask_each(asked, read)
    agreed = len(said) >= endpoints_needed(len(chain.settings.rpc_urls)) and all(each == said[0] for each in said)
    return said[0] if agreed else None


class CalledTransaction(msgspec.Struct):
    to: str | None
    input: str


def _effect(log: Log, signer: str) -> OnchainEffect | None:
    try:
        event = decode(log)
    except UndecodableLog:
        return None
    lane, subject, whose = (_OF_ROUTER | _OF_VAULTS)[event.name]
    if event.args[whose] != signer:
        return None
    return OnchainEffect(log.tx_hash, lane, event.args[subject])


def vaults(settings: ChainSettings) -> Sequence[str]:
    return [settings.timelock_erc20, settings.timelock_erc721, settings.timelock_erc1155]
