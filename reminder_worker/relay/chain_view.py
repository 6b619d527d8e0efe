"""What each endpoint says of our wallet, its transactions and the signers' nonces: one batch for each endpoint."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from reminder_worker.chain import abi_codec, wire
from reminder_worker.chain.abi import selector
from reminder_worker.chain.abi_codec import address_word
from reminder_worker.chain.client import Chain, is_of_now
from reminder_worker.chain.rpc import Request, RpcError
from reminder_worker.errors import ChainUnavailable
from reminder_worker.relay.state_machine import MinedAttempt, ReceiptStatus, agreed_number, sighting

SignerOf = tuple[str, str]
"""A router and a signer: whose `sponsorNonce` is asked for."""

_SPONSOR_NONCE: Final = selector("TimeLockRouter", "sponsorNonce")  # the same of both routers


@dataclass(frozen=True, slots=True)
class EndpointView:
    """One endpoint's word. `*_final`: at its finalized block, None where it does not say. Times are unix seconds."""

    head: int
    time: int
    head_final: int | None
    time_final: int | None
    wallet_count: int
    wallet_count_final: int | None
    receipts: Mapping[str, MinedAttempt | None]
    nonces: Mapping[SignerOf, int | None]
    nonces_final: Mapping[SignerOf, int | None]


@dataclass(frozen=True, slots=True)
class ChainView:
    """What all endpoints say that answer and are `up_to_date`; `configured` is how many there are in the settings.

    A number counts once two endpoints have reached it. Where only one is configured its word counts. For numbers of the
    latest block it also counts where only one answers; for the `*_final` ones, two have to answer where two are
    configured.
    """

    configured: int
    each: tuple[EndpointView, ...]

    @property
    def head(self) -> int:
        return self._now([view.head for view in self.each])

    @property
    def time(self) -> int:
        return self._now([view.time for view in self.each])

    @property
    def wallet_count(self) -> int:
        return self._now([view.wallet_count for view in self.each])

    @property
    def head_final(self) -> int | None:
        return self._final([view.head_final for view in self.each])

    @property
    def time_final(self) -> int | None:
        return self._final([view.time_final for view in self.each])

    @property
    def wallet_count_final(self) -> int | None:
        return self._final([view.wallet_count_final for view in self.each])

    @property
    def vouched_wallet_count(self) -> int | None:
        """The wallet's count at the latest block; None when too few endpoints answer to accuse a stranger by it."""
        return self._final([view.wallet_count for view in self.each])

    def nonce(self, signer: SignerOf) -> int | None:
        said = [nonce for view in self.each if (nonce := view.nonces.get(signer)) is not None]
        return self._now(said) if said else None

    def nonce_final(self, signer: SignerOf) -> int | None:
        return self._final([view.nonces_final.get(signer) for view in self.each])

    def sighting(self, tx_hashes: Sequence[str]) -> ReceiptStatus:
        return sighting([[view.receipts[tx_hash] for tx_hash in tx_hashes] for view in self.each], self.configured)

    def _now(self, said: Sequence[int]) -> int:
        found = agreed_number(said, min(self.configured, len(said)))
        assert found is not None  # noqa: S101 - somebody said something
        return found

    def _final(self, said: Sequence[int | None]) -> int | None:
        return agreed_number([value for value in said if value is not None], self.configured)


async def view_chain(
    chain: Chain,
    wallet: str,
    tx_hashes: Sequence[str] = (),
    signers: Sequence[SignerOf] = (),
    signers_final: Sequence[SignerOf] = (),
) -> ChainView:
    """Raises `ChainUnavailable` when no endpoint answers."""
    requests: list[Request] = [
        ("eth_getTransactionCount", [wallet, "latest"]),
        ("eth_getTransactionCount", [wallet, "finalized"]),
        ("eth_getBlockByNumber", ["latest", False]),
        ("eth_getBlockByNumber", ["finalized", False]),
    ]
    requests += [("eth_getTransactionReceipt", [tx_hash]) for tx_hash in tx_hashes]
    requests += [_nonce_request(*signer, "latest") for signer in signers]
    requests += [_nonce_request(*signer, "finalized") for signer in signers_final]

    def read(answers: Sequence[Any]) -> EndpointView:
        receipts, nonces = answers[4 : 4 + len(tx_hashes)], answers[4 + len(tx_hashes) :]
        head, final = wire.block(answers[2]), None if isinstance(answers[3], RpcError) else wire.block(answers[3])
        if head is None:
            raise msgspec.ValidationError("no latest block")
        return EndpointView(
            head=head.number,
            time=head.timestamp,
            head_final=final.number if final else None,
            time_final=final.timestamp if final else None,
            wallet_count=wire.count(answers[0]),
            wallet_count_final=None if isinstance(answers[1], RpcError) else wire.count(answers[1]),
            receipts={tx_hash: _mined(tx_hash, each) for tx_hash, each in zip(tx_hashes, receipts, strict=True)},
            nonces=dict(zip(signers, map(_nonce, nonces[: len(signers)]), strict=True)),
            nonces_final=dict(zip(signers_final, map(_nonce, nonces[len(signers) :]), strict=True)),
        )

    each = await chain.ask_each(requests, read)
    if not each:
        raise ChainUnavailable(f"no endpoint of chain {chain.chain_id} answers")
    return ChainView(len(chain.settings.rpc_urls), tuple(up_to_date(each, time.time())))


def up_to_date(each: Sequence[EndpointView], now: float) -> Sequence[EndpointView]:
    """Leaves out endpoints that have stopped importing blocks: they know of nothing that happened since, and would
    contradict the others for ever. All of them, where none has a block of now (unix seconds)."""
    return [view for view in each if is_of_now(view.time, now)] or each


def _nonce_request(router: str, signer: str, tag: str) -> Request:
    data = _SPONSOR_NONCE + address_word(signer)
    return ("eth_call", [{"to": router, "data": "0x" + data.hex()}, tag])


def _nonce(answer: Any) -> int | None:
    """None for what is refused, for example because the state of the block is gone."""
    if isinstance(answer, RpcError):
        return None
    try:
        return abi_codec.at(wire.hex_bytes(answer), 0)
    except abi_codec.Malformed:
        return None


def _mined(tx_hash: str, answer: Any) -> MinedAttempt | None:
    receipt = wire.receipt(answer)
    if receipt is None:
        return None
    if receipt.tx_hash != tx_hash:
        raise msgspec.ValidationError("a receipt of another transaction")
    return MinedAttempt(tx_hash, receipt.block_number, receipt.block_hash, receipt.succeeded, receipt.cost)
