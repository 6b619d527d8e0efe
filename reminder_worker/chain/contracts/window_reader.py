"""Reads of many legacies' windows, times and notice in one call, each legacy with its own gas.

The node runs `CODE` as a constructor in an `eth_call` without deployment. A legacy that reverts, burns gas or answers
much costs the others nothing. Some endpoints refuse such calls.
"""

import struct
from collections.abc import Sequence
from typing import Final

import msgspec

from reminder_worker.chain.abi_codec import WORD, encode_address, encode_word
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.legacies import Triggers
from reminder_worker.errors import ChainUnavailable

MOST_LEGACIES: Final = 700  # a constructor may return 768 words (EIP-170)
_WRONG: Final = 128


class LegacyWindows(msgspec.Struct, frozen=True, gc=False):
    """Open windows (1 to 6), triggers, and the notice that the creator chose, in seconds: 0 for the default."""

    windows: tuple[int, ...]
    triggers: Triggers
    ahead: int


async def read_packed(chain: Chain, people: Sequence[tuple[str, str]], *, at: str) -> list[LegacyWindows | None] | None:
    """Return the state of each legacy, in order, at a block hash. `people`: legacies with their creators.

    None in place of a state: the legacy reverts. None in place of the list: no endpoint runs the code.
    """
    found: list[LegacyWindows | None] = []
    while len(found) < len(people):  # the answer ends where the node's gas does
        some = people[len(found) : len(found) + MOST_LEGACIES]
        answer = await chain.run_code(encode_reader(chain, some), at=at, most=WORD * len(some))
        if answer is None:
            return None
        found += map(_decode_word, struct.iter_unpack(">4Q", answer))
    return found


def encode_reader(chain: Chain, people: Sequence[tuple[str, str]]) -> bytes:
    """Return the code with its arguments: view, setting, and 40 bytes for each legacy."""
    packed = bytes.fromhex("".join(legacy[2:] + creator[2:] for legacy, creator in people))
    settings = chain.settings
    contracts = encode_address(settings.premium_reminder_view) + encode_address(settings.premium_setting)
    return CODE + contracts + encode_word(3 * WORD) + encode_word(len(packed)) + packed + bytes(-len(packed) % WORD)


def _decode_word(numbers: tuple[int, ...]) -> LegacyWindows | None:
    state, *triggers = numbers
    if state == 0:
        return None
    if state & _WRONG:
        raise ChainUnavailable("dueReminders or getTimeAhead of a configured contract does not answer as it should")
    windows: tuple[int, ...] = ()
    if state & 0x7E:
        windows = tuple([window for window in range(1, 7) if state >> window & 1])
    return LegacyWindows(windows, (triggers[0], triggers[1], triggers[2]), state >> 8)


# devnet/contracts/WindowReader.sol, compiled.
CODE: Final = bytes.fromhex(
    """
    608060405234801561000f575f5ffd5b5060405161036338038061036383398101604081905261002e91610291565b6101b9565b80828111
    1561003f5750815b92915050565b6356244edf60e11b5f5280600452505f6101008360245f8562061a80fa1561003f576080905060208301
    513d61007c600783610033565b602002603f0110806007831060208751141616156100c15760019250604085015b82156100bf5780516001
    901b607e1693909317925f199092019160200161009d565b505b505092915050565b63626f09d360e11b5f525f5f60608460045f8662061a
    80fa801561013e57605f3d1192506100ff6001600160401b038651610033565b60801b91506101196001600160401b036020870151610033
    565b60401b821791506101356001600160401b036040870151610033565b82179150610168565b634e487b7160e01b85511460243d141660
    11602087015160e01c1481169350505f1960401c830291505b509250929050565b6382b5266f60e01b5f5280600452505f60809050602083
    60245f8562061a80fa601f3d11161561003f576101af6001600160401b0360081c8451610033565b60081b9392505050565b604051610100
    81018060208401845181015b8082101561025a5783830360051c611b5802620f4240015a1061025a57815160601c6101f8868a8361004556
    5b5f60018083160361023e575f61020e89856100c9565b925090508080156102345761022b8a8d60148a015160601c610170565b84179350
    61023b565b5f93505f92505b50505b808260c01b1786525050506020830192506028820191506101cb565b505081810382f35b8051600160
    0160a01b0381168114610278575f5ffd5b919050565b634e487b7160e01b5f52604160045260245ffd5b5f5f5f606084860312156102a357
    5f5ffd5b6102ac84610262565b92506102ba60208501610262565b60408501519092506001600160401b038111156102d5575f5ffd5b8401
    601f810186136102e5575f5ffd5b80516001600160401b038111156102fe576102fe61027d565b604051601f8201601f19908116603f0116
    81016001600160401b038111828210171561032c5761032c61027d565b604052818152828201602001881015610343575f5ffd5b81602084
    01602083015e5f60208383010152809350505050925092509256fe
    """
)
