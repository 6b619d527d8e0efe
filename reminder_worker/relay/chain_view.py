"""Chain view: our wallet, its transactions and the signers' nonces, read from every endpoint in one batch each."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from reminder_worker.chain import abi_codec, wire
from reminder_worker.chain.abi import find_selector
from reminder_worker.chain.abi_codec import encode_address
from reminder_worker.chain.client import Chain
from reminder_worker.chain.endpoints import is_of_now
from reminder_worker.chain.quorum import find_reached
from reminder_worker.chain.rpc import Request, RpcError
from reminder_worker.errors import ChainUnavailable
from reminder_worker.relay.state_machine import MinedAttempt, ReceiptStatus, agree_on_receipts

SignerKey = tuple[str, str]
"""A router and a signer, for `sponsorNonce`."""


@dataclass(frozen=True, slots=True)
class EndpointView:
    """Answers of one endpoint. `*_final`: at its finalized block, None if not answered. Times are unix seconds."""

    head: int
    time: int
    head_final: int | None
    time_final: int | None
    wallet_count: int
    wallet_count_final: int | None
    receipts: Mapping[str, MinedAttempt | None]
    nonces: Mapping[SignerKey, int | None]
    nonces_final: Mapping[SignerKey, int | None]


@dataclass(frozen=True, slots=True)
class ChainView:
    """Answers of all endpoints that respond and are up to date; `configured` is their number in the settings.

    A number counts once two endpoints have reached it. A single configured endpoint is enough. At the latest block a
    single response is enough, too; the `*_final` numbers need two responses if two endpoints are configured.
    """

    configured: int
    views: tuple[EndpointView, ...]

    @property
    def head(self) -> int:
        return self._agree_now([view.head for view in self.views])

    @property
    def time(self) -> int:
        return self._agree_now([view.time for view in self.views])

    @property
    def wallet_count(self) -> int:
        return self._agree_now([view.wallet_count for view in self.views])

    @property
    def head_final(self) -> int | None:
        return self._agree_final([view.head_final for view in self.views])

    @property
    def time_final(self) -> int | None:
        return self._agree_final([view.time_final for view in self.views])

    @property
    def wallet_count_final(self) -> int | None:
        return self._agree_final([view.wallet_count_final for view in self.views])

    @property
    def confirmed_wallet_count(self) -> int | None:
        """The wallet's count at the latest block; None if too few endpoints answer to stop the wallet by it."""
        return self._agree_final([view.wallet_count for view in self.views])

    def find_nonce(self, signer: SignerKey) -> int | None:
        answers = [view.nonces.get(signer) for view in self.views]
        nonces = [nonce for nonce in answers if nonce is not None]
        return self._agree_now(nonces) if nonces else None

    def find_final_nonce(self, signer: SignerKey) -> int | None:
        return self._agree_final([view.nonces_final.get(signer) for view in self.views])

    def find_receipts(self, tx_hashes: Sequence[str]) -> ReceiptStatus:
        """Return the receipt status of a slot with these attempts."""
        return agree_on_receipts(
            [[view.receipts[tx_hash] for tx_hash in tx_hashes] for view in self.views], self.configured
        )

    def _agree_now(self, numbers: Sequence[int]) -> int:
        agreed = find_reached(numbers, min(self.configured, len(numbers)))
        assert agreed is not None  # noqa: S101 - some endpoint answered
        return agreed

    def _agree_final(self, numbers: Sequence[int | None]) -> int | None:
        return find_reached([number for number in numbers if number is not None], self.configured)


async def view_chain(
    chain: Chain,
    wallet: str,
    tx_hashes: Sequence[str] = (),
    signers: Sequence[SignerKey] = (),
    signers_final: Sequence[SignerKey] = (),
) -> ChainView:
    """Ask every endpoint for the wallet, these receipts and these nonces. Raises `ChainUnavailable`."""
    requests: list[Request] = [
        ("eth_getTransactionCount", [wallet, "latest"]),
        ("eth_getTransactionCount", [wallet, "finalized"]),
        ("eth_getBlockByNumber", ["latest", False]),
        ("eth_getBlockByNumber", ["finalized", False]),
    ]
    requests += [("eth_getTransactionReceipt", [tx_hash]) for tx_hash in tx_hashes]
    requests += [_nonce_request(*signer, "latest") for signer in signers]
    requests += [_nonce_request(*signer, "finalized") for signer in signers_final]

    def read_view(answers: Sequence[Any]) -> EndpointView:
        receipts, nonces = answers[4 : 4 + len(tx_hashes)], answers[4 + len(tx_hashes) :]
        head = wire.decode_block(answers[2])
        if head is None:
            raise msgspec.ValidationError("no latest block")
        final = None if isinstance(answers[3], RpcError) else wire.decode_block(answers[3])
        head_final, time_final = (None, None) if final is None else (final.number, final.timestamp)
        return EndpointView(
            head=head.number,
            time=head.timestamp,
            head_final=head_final,
            time_final=time_final,
            wallet_count=wire.decode_count(answers[0]),
            wallet_count_final=_decode_final_count(answers[1]),
            receipts=dict(zip(tx_hashes, map(_decode_receipt, tx_hashes, receipts), strict=True)),
            nonces=dict(zip(signers, map(_decode_nonce, nonces[: len(signers)]), strict=True)),
            nonces_final=dict(zip(signers_final, map(_decode_nonce, nonces[len(signers) :]), strict=True)),
        )

    views = await chain.endpoints.ask_each(requests, read_view)
    if not views:
        raise ChainUnavailable(f"no endpoint of chain {chain.chain_id} answers")
    return ChainView(len(chain.settings.rpc_urls), tuple(keep_up_to_date(views, time.time())))


def keep_up_to_date(views: Sequence[EndpointView], now: float) -> Sequence[EndpointView]:
    """Leave out endpoints without a recent block, unless all lack one. `now` in unix seconds.

    An endpoint that stopped importing blocks would contradict the others for ever.
    """
    up_to_date = [view for view in views if is_of_now(view.time, now)]
    return up_to_date or views


def _nonce_request(router: str, signer: str, tag: str) -> Request:
    data = find_selector("TimeLockRouter", "sponsorNonce") + encode_address(signer)  # the same of both routers
    return ("eth_call", [{"to": router, "data": "0x" + data.hex()}, tag])


def _decode_final_count(answer: Any) -> int | None:
    """Return None if the node refuses, for example before its first finalized block."""
    return None if isinstance(answer, RpcError) else wire.decode_count(answer)


def _decode_nonce(answer: Any) -> int | None:
    """Return None for a refused call, for example if the state of the block is gone."""
    if isinstance(answer, RpcError):
        return None
    try:
        return abi_codec.word_at(wire.decode_hex(answer), 0)
    except abi_codec.MalformedData:
        return None


def _decode_receipt(tx_hash: str, answer: Any) -> MinedAttempt | None:
    receipt = wire.decode_outcome(answer)
    if receipt is None:
        return None
    if receipt.tx_hash != tx_hash:
        raise msgspec.ValidationError("a receipt of another transaction")
    block = receipt.block_number, receipt.block_hash
    return MinedAttempt(tx_hash, *block, receipt.succeeded, receipt.gas_used, receipt.cost)
