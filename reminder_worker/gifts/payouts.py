"""How an opened gift was paid out: the vault forgets it, the receipt of the withdrawal tells it."""

from collections.abc import Sequence
from dataclasses import dataclass

from reminder_worker.chain import abi
from reminder_worker.chain.client import Chain
from reminder_worker.chain.types import EventLog
from reminder_worker.errors import ChainUnavailable

_TRANSFER, _WITHDRAWN = (
    next(abi.compute_topic(event) for event in abi.list_events(contract) if event["name"] == name)
    for contract, name in (("ERC20", "Transfer"), ("TimelockERC20", "FundsWithdrawn"))
)


@dataclass(frozen=True, slots=True)
class SentToken:
    """A move of an ERC-20 token during a withdrawal."""

    token: str
    sender: str
    receiver: str


async def read_transfers(chain: Chain, timelock_id: int, tx_hash: str) -> Sequence[SentToken] | None:
    """Return the token moves of a gift's withdrawal; None while no endpoint has its receipt."""
    try:
        (receipt,) = await chain.get_receipts([tx_hash])
    except ChainUnavailable:
        return None
    found: list[SentToken] = []
    for log in receipt.logs if receipt else ():
        if log.address == chain.settings.timelock_erc20 and log.topics[:1] == (_WITHDRAWN,):
            if int(log.topics[1], 16) == timelock_id:
                return found
            found = []  # moves of a gift that was withdrawn earlier in this transaction
        elif log.topics[:1] == (_TRANSFER,) and len(log.topics) == 3:
            found.append(SentToken(log.address, _read_address(log, 1), _read_address(log, 2)))
    return None


def was_ether_sent(
    transfers: Sequence[SentToken], token: str, recipient: str, vault: str, *, is_ether: bool, has_payees: bool
) -> bool | None:
    """Return whether ether was sent in place of a token. `is_ether`: it is wrapped ether, which the vault unwraps.

    Another token leaves the vault also for its sale. `has_payees`: the router lets the recipient name another payee,
    and a move to a foreign address proves nothing: None.
    """
    moved = [each for each in transfers if each.token == token]
    if any(each.receiver == recipient for each in moved):
        return False
    if is_ether:
        return not any(each.sender == vault for each in moved)
    return None if has_payees else True


def _read_address(log: EventLog, index: int) -> str:
    return "0x" + log.topics[index][-40:]
