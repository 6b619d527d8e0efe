"""Findings about the contracts: do they belong together, and does the index begin early enough?"""

from collections.abc import AsyncIterator
from typing import Final, NamedTuple

from eth_utils.crypto import keccak

from reminder_worker.chain.abi import selector
from reminder_worker.chain.abi_codec import address_at, at, word
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts import said
from reminder_worker.chain.contracts.premium import PremiumSetting
from reminder_worker.chain.types import BlockHeader, ContractCall
from reminder_worker.doctor.finding import Finding
from reminder_worker.errors import ChainUnavailable
from reminder_worker.outbox.messages import checksum
from reminder_worker.reminders.operator_facts import SavedLegacies


class ContractEdge(NamedTuple):
    """The contract at setting `holder` gives the address of setting `named` by `getter`."""

    holder: str
    getter: str
    named: str


EDGES: Final = (
    ContractEdge("premium_reminder_view", "setting", "premium_setting"),
    ContractEdge("premium_setting", "premiumRegistry", "premium_registry"),
    ContractEdge("premium_setting", "transferLegacyEOAContractRouter", "transfer_eoa_legacy_router"),
    ContractEdge("premium_setting", "multisigLegacyContractRouter", "multisig_legacy_router"),
    ContractEdge("premium_registry", "premiumSetting", "premium_setting"),
    ContractEdge("transfer_eoa_legacy_router", "premiumSetting", "premium_setting"),
    ContractEdge("multisig_legacy_router", "premiumSetting", "premium_setting"),
    ContractEdge("time_lock_router", "timelockERC20Contract", "timelock_erc20"),
    ContractEdge("time_lock_router", "timelockERC721Contract", "timelock_erc721"),
    ContractEdge("time_lock_router", "timelockERC1155Contract", "timelock_erc1155"),
    ContractEdge("time_lock_router", "tokenWhitelist", "token_white_list"),
    ContractEdge("timelock_erc20", "routerAddresses", "time_lock_router"),
    ContractEdge("timelock_erc721", "routerAddresses", "time_lock_router"),
    ContractEdge("timelock_erc1155", "routerAddresses", "time_lock_router"),
    ContractEdge("legacy_pull_vault", "router", "transfer_eoa_legacy_router"),
    ContractEdge("legacy_pull_vault", "PERMIT2", "permit2"),
)
# No other contract names the view and the vault. Neither is a proxy: a missing getter means a wrong address.
_MUST_ANSWER: Final = frozenset({"premium_reminder_view.setting", "legacy_pull_vault.router"})


async def look_at_edges(chain: Chain, part: str, head: BlockHeader) -> AsyncIterator[Finding]:
    """Compare the addresses in the contracts with the settings. An older version may lack a getter."""
    settings = chain.settings
    edges = [edge for edge in EDGES if getattr(settings, edge.holder)]
    calls = [ContractCall(getattr(settings, edge.holder), keccak(text=f"{edge.getter}()")[:4]) for edge in edges]
    unknown = []
    for edge, answer in zip(edges, await chain.call_many(calls, at=head.hash), strict=True):
        found, configured = said(address_at, answer), str(getattr(settings, edge.named))
        holder, named = (f"CHAIN_{chain.chain_id}_{name.upper()}" for name in (edge.holder, edge.named))
        if found is None and f"{edge.holder}.{edge.getter}" in _MUST_ANSWER:
            yield part, False, f"{holder} does not answer {edge.getter}(): correct the address"
        elif found is None:
            unknown.append(f"{edge.getter}() of {edge.holder.upper()}")
        elif found != configured:
            words = f"{holder} names {checksum(found)} by {edge.getter}(), and {named} is {checksum(configured)}"
            yield part, False, f"{words}: correct the one that is of another deployment"
    if unknown:
        yield part, None, f"not checked: {', '.join(unknown)}, which the contract does not have"


async def look_at_start(chain: Chain) -> Finding | None:
    """None when nothing is older than the start block. Before it, the chain must not know a legacy or a timelock."""
    part, number = f"chain {chain.chain_id} index", chain.settings.start_block - 1
    if number < 0:
        return None
    first = selector("TransferEOALegacyRouter", "legacyAddresses") + word(1)
    calls = [ContractCall(router, first) for router in chain.settings.legacy_routers]
    calls.append(ContractCall(chain.settings.time_lock_router, selector("TimeLockRouter", "timelockCounter")))
    name = f"CHAIN_{chain.chain_id}_START_BLOCK"
    try:
        block = await chain.block_at(number)
        answers = [await chain.call(call, at=block.hash) for call in calls]
    except ChainUnavailable:
        return part, None, f"not checked whether {name} is too late: no endpoint has the state of block {number}"
    if not any(said(at, answer) for answer in answers):
        return None
    words = f"a legacy or a timelock is older than block {number + 1}: its events are not read. Set {name}"
    return part, False, f"{words} to the block of the oldest contract, and run `reminder-worker backfill` from there"


async def look_at_recipients(chain: Chain, legacies: SavedLegacies) -> AsyncIterator[Finding]:
    """Ask the chain about saved legacies that the index does not know as configured."""
    part = f"chain {chain.chain_id} recipients"
    unknown = await PremiumSetting(chain).are_configured(legacies.unknown)
    missed, silent = unknown.count(True), unknown.count(False)
    if missed:
        words = f"{missed} of {legacies.saved} legacies with saved recipients are configured on chain, and the index"
        words += f" does not know it: see CHAIN_{chain.chain_id}_START_BLOCK, and run `reminder-worker backfill`"
        yield part, False, f"{words} from the block of the oldest contract"
    if silent:
        words = f"{silent} of {legacies.saved} legacies with saved recipients name nobody to remind on chain"
        yield part, None, f"{words}: none of theirs is written to until their owners do"
    if not unknown:
        yield part, True, f"{legacies.saved} legacies with saved recipients are configured on chain"
