"""The ERC-20 vault of timelocks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from reminder_worker.chain import abi_codec
from reminder_worker.chain.abi import selector
from reminder_worker.chain.abi_codec import WORD, MalformedData, word
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts import Answer, answer_bytes, decoded
from reminder_worker.chain.types import ContractCall

TIMELOCK_DETAILS: Final = selector("TimelockERC20", "getTimelockDetails")


@dataclass(frozen=True, slots=True)
class TimelockDetails:
    """TimelockERC20's record of one timelock, without the assets in NFT vaults.

    `assets`: tokens with base units, in the order of sealing. `last_as_eth`: the last token is paid out as ether,
    unwrapped or sold. After the withdrawal the contract has forgotten both. Types and statuses as in the index;
    `unlock_time` unix seconds.
    """

    assets: tuple[tuple[str, int], ...]
    unlock_time: int
    owner: str
    recipient: str
    last_as_eth: bool
    lock_type: int
    status: int


class TimelockReads:
    """The ERC-20 vault of timelocks."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._vault = chain.settings.timelock_erc20

    async def details(self, ids: Sequence[int], *, at: str | None = None) -> list[TimelockDetails | None]:
        """Return details in order; None for an unknown id."""
        answers = await self._chain.call_many(
            [ContractCall(self._vault, TIMELOCK_DETAILS + word(id)) for id in ids], at=at
        )
        return list(map(timelock_details, answers))


def timelock_details(answer: Answer) -> TimelockDetails | None:
    """Decode the vault's answer to `getTimelockDetails`; None for an unknown id."""
    return decoded(_timelock_details, answer)


def _timelock_details(answer: Answer) -> TimelockDetails:
    data = answer_bytes(answer)
    base = abi_codec.at(data, 0)
    tokens = abi_codec.addresses_at(data, base + abi_codec.at(data, base))
    amounts = abi_codec.uints_at(data, base + abi_codec.at(data, base + WORD))
    found = TimelockDetails(
        assets=tuple(zip(tokens, amounts, strict=False)),
        unlock_time=abi_codec.at(data, base + 2 * WORD),
        owner=abi_codec.address_at(data, base + 4 * WORD),
        last_as_eth=abi_codec.bool_at(data, base + 7 * WORD),
        lock_type=abi_codec.uint_at(data, base + 8 * WORD, 8),
        status=abi_codec.uint_at(data, base + 9 * WORD, 8),
        recipient=abi_codec.address_at(data, base + 10 * WORD),
    )
    if int(found.owner, 16) == 0 or len(tokens) != len(amounts):
        raise MalformedData("no such timelock")
    return found
