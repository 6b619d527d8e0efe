"""Metadata of ERC-20 tokens. A token is a stranger's contract: only a harmless symbol is shown."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from reminder_worker.chain import abi_codec
from reminder_worker.chain.abi import find_selector
from reminder_worker.chain.abi_codec import WORD, MalformedData
from reminder_worker.chain.client import Chain
from reminder_worker.chain.types import ContractCall, RevertedCall

_HARMLESS = re.compile(r"(?!.*(\.[A-Za-z]{2}|[Ww]{3}))[A-Za-z0-9$+_.\-]{1,11}")  # nothing like a link


@dataclass(frozen=True, slots=True)
class TokenMetadata:
    """Symbol and decimals (at most 36) of a token. `symbol` is None if it may not be shown."""

    symbol: str | None
    decimals: int


ETHER_METADATA: Final = TokenMetadata("ETH", 18)


class TokenReads:
    """Reads of tokens' metadata, remembered because it does not change."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._known: dict[str, TokenMetadata] = {}

    async def read_metadata(self, tokens: Sequence[str], *, at: str | None = None) -> dict[str, TokenMetadata | None]:
        """Return metadata by token; None without usable decimals: show address and base units then."""
        unknown = [token for token in dict.fromkeys(tokens) if token not in self._known]
        calls = [
            ContractCall(token, data)
            for token in unknown
            for data in (find_selector("ERC20", "symbol"), find_selector("ERC20", "decimals"))
        ]
        answers = await self._chain.call_many(calls, at=at)
        for index, token in enumerate(unknown):
            found = decode_metadata(answers[2 * index], answers[2 * index + 1])
            if found is not None:
                self._known[token] = found
        answer = {token: self._known.get(token) for token in tokens}
        while len(self._known) > 10_000:
            del self._known[next(iter(self._known))]
        return answer


def decode_metadata(symbol: bytes | RevertedCall, decimals: bytes | RevertedCall) -> TokenMetadata | None:
    """Decode the answers of `symbol()` and `decimals()`."""
    if isinstance(decimals, RevertedCall) or len(decimals) != WORD or abi_codec.word_at(decimals, 0) > 36:
        return None
    return TokenMetadata(
        None if isinstance(symbol, RevertedCall) else _decode_symbol(symbol), abi_codec.word_at(decimals, 0)
    )


def _decode_symbol(data: bytes) -> str | None:
    """Decode a `string`, or a `bytes32` of the oldest tokens."""
    try:
        raw = data.rstrip(b"\0") if len(data) == WORD else abi_codec.bytes_at(data, abi_codec.word_at(data, 0), WORD)
        text = raw.decode("ascii")
    except (MalformedData, UnicodeDecodeError):
        return None
    return text if _HARMLESS.fullmatch(text) else None
