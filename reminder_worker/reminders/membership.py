"""Who belongs to legacies on chain, at one block: their own lists, and the signers of the Safe that owns one."""

from collections.abc import Mapping, Sequence
from typing import Final

from reminder_worker.chain import abi_codec
from reminder_worker.chain.client import Call, Chain
from reminder_worker.chain.contracts import MOST_NAMED, Legacies, Members, said
from reminder_worker.chain.types import Reverted
from reminder_worker.indexer.models import SAFE
from reminder_worker.reminders.audience import Membership

_GET_OWNERS: Final = bytes.fromhex("a0e67e2b")  # getOwners() of a Safe


async def read_memberships(chain: Chain, legacy_types: Mapping[str, int], at: str) -> dict[str, Membership | None]:
    """Return members by legacy of known type (3 EOA, 1 Safe); None for a legacy that reverts or lists too many.

    `at`: a block hash.
    """
    legacies = list(legacy_types)
    found = dict(zip(legacies, await Legacies(chain).members(legacies, at=at), strict=True))
    safes = sorted({each.owner for legacy, each in found.items() if each and legacy_types[legacy] == SAFE})
    signers = await safe_signers(chain, safes, at)
    memberships = {}
    for legacy, each in found.items():
        named = signers[each.owner] if each and legacy_types[legacy] == SAFE else ()
        memberships[legacy] = None if each is None or named is None else membership(each, named)
    return memberships


def membership(members: Members, signers: Sequence[str]) -> Membership:
    return Membership(
        owner=members.owner,
        creator=members.creator,
        beneficiaries=members.beneficiaries,
        second_line=members.second_line,
        third_line=members.third_line,
        cosigners=tuple(signers),
    )


async def safe_signers(chain: Chain, safes: Sequence[str], at: str) -> dict[str, tuple[str, ...] | None]:
    """By Safe; empty for a contract that reverts, None for one that returns more than `MOST_NAMED` or no list.

    A Safe sets no bound of its own, and any contract may pass for one.
    """
    answers = await chain.call_many([Call(safe, _GET_OWNERS) for safe in safes], at=at) if safes else []
    return {
        safe: () if isinstance(answer, Reverted) else said(_read_owners, answer)
        for safe, answer in zip(safes, answers, strict=True)
    }


def _read_owners(data: bytes, position: int) -> tuple[str, ...]:
    return abi_codec.addresses_behind(data, position, MOST_NAMED)
