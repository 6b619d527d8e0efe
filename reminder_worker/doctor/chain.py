"""Findings about one chain: endpoints, contracts, saved recipients, old logs, the upgrade queue and the subgraph."""

import time
from collections.abc import AsyncIterator
from contextlib import suppress

import aiohttp
from eth_utils.crypto import keccak
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.abi import find_selector
from reminder_worker.chain.abi_codec import WORD, address_at, encode_word, word_at
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts import read_or_none
from reminder_worker.chain.contracts.premium import PremiumSetting, ReminderView, TokenWhiteList
from reminder_worker.chain.types import NODE_POLICY, BlockHeader, ContractCall
from reminder_worker.declarations import FactScope
from reminder_worker.doctor import Finding
from reminder_worker.doctor.catch_up import forecast_catch_up
from reminder_worker.errors import ChainUnavailable, Misconfigured, Unavailable
from reminder_worker.indexer.chain_index import find_gap
from reminder_worker.indexer.subgraph import SubgraphClient
from reminder_worker.monitoring.facts import LIMITS
from reminder_worker.outbox.messages import checksum_address, format_deadline, format_duration
from reminder_worker.reminders.operator_facts import SavedLegacies, read_saved_legacies
from reminder_worker.settings import ChainSettings
from reminder_worker.settings.chains import CONTRACTS
from reminder_worker.statistics.price_job import check_feeds
from reminder_worker.upgrades.feature import UPGRADE_COUNTS
from reminder_worker.upgrades.wording import LEAST_DELAY_SECONDS

# The contract at the first setting gives the address of the last setting by this getter. A contract of an older
# version may lack it; the true ones always have it, and no other contract names the view and the vault.
_EDGES = (
    ("premium_reminder_view", "setting", "premium_setting", True),
    ("premium_setting", "premiumRegistry", "premium_registry", False),
    ("premium_setting", "transferLegacyEOAContractRouter", "transfer_eoa_legacy_router", False),
    ("premium_setting", "multisigLegacyContractRouter", "multisig_legacy_router", False),
    ("premium_registry", "premiumSetting", "premium_setting", False),
    ("transfer_eoa_legacy_router", "premiumSetting", "premium_setting", False),
    ("multisig_legacy_router", "premiumSetting", "premium_setting", False),
    ("time_lock_router", "timelockERC20Contract", "timelock_erc20", False),
    ("time_lock_router", "timelockERC721Contract", "timelock_erc721", False),
    ("time_lock_router", "timelockERC1155Contract", "timelock_erc1155", False),
    ("time_lock_router", "tokenWhitelist", "token_white_list", False),
    ("timelock_erc20", "routerAddresses", "time_lock_router", False),
    ("timelock_erc721", "routerAddresses", "time_lock_router", False),
    ("timelock_erc1155", "routerAddresses", "time_lock_router", False),
    ("legacy_pull_vault", "router", "transfer_eoa_legacy_router", True),
    ("legacy_pull_vault", "PERMIT2", "permit2", False),
)
_LEAST_NOTICE_SECONDS, _MOST_NOTICE_SECONDS = 86_400, 366 * 86_400


async def examine_chain(settings: ChainSettings, scope: FactScope, silent: set[int]) -> AsyncIterator[Finding]:
    """Adds a chain to `silent` if no endpoint answers: every further question would take its time-out."""
    part = f"chain {settings.chain_id}"
    async with Chain(settings) as chain:
        try:
            try:
                await chain.endpoints.check_chain_ids()
            except ChainUnavailable:
                silent.add(settings.chain_id)
                raise
            for endpoint in chain.endpoints.members:
                good = endpoint.read_health().ok
                words = "answers, serves this chain" if good else "does not answer: see RPC_URLS"
                if endpoint.rest.is_spent:
                    words = f"has used up its allowance until {format_deadline(endpoint.rest.spent_until)}"
                yield f"{part} rpc", good, f"endpoint {endpoint.name} {words}"
            async for finding in _examine_contracts(chain, part, is_local=scope.is_local):
                yield finding
            feeds_good, words = await check_feeds(chain)
            yield f"{part} prices", feeds_good, words
            with suppress(SQLAlchemyError, OSError):  # the database's own finding says why
                saved = await read_saved_legacies(scope.engine, chain.chain_id)
                async for finding in _examine_recipients(chain, saved):
                    yield finding
        except (ChainUnavailable, Misconfigured) as error:
            yield f"{part} rpc", False, f"{error}: see CHAIN_{settings.chain_id}_RPC_URLS"
        if settings.chain_id not in silent:
            async for finding in examine_history(chain, scope.engine):
                yield finding
            async for finding in forecast_catch_up(chain, scope.engine):
                yield finding
            async for finding in _examine_upgrades(chain, scope):
                yield finding
    if settings.upgrade_timelock is None:
        yield f"{part} upgrades", None, f"not watched: CHAIN_{settings.chain_id}_UPGRADE_TIMELOCK is not set"
    yield await examine_subgraph(settings)


async def _examine_contracts(chain: Chain, part: str, *, is_local: bool) -> AsyncIterator[Finding]:
    names = [name for name in (*CONTRACTS, "permit2", "legacy_pull_vault") if getattr(chain.settings, name)]
    codes = await chain.get_codes([getattr(chain.settings, name) for name in names])
    empty = [name.upper() for name, code in zip(names, codes, strict=True) if not code]
    if empty:
        yield f"{part} contracts", False, f"no contract at {', '.join(empty)}: check the addresses"
        return
    head = await chain.get_block("latest")
    if head is None:
        yield f"{part} contracts", False, "the endpoint has no latest block"
        return
    if head.number < chain.settings.start_block - 1:
        words = f"block {chain.settings.start_block} is not there yet, the head is {head.number}: nothing is read"
        yield f"{part} index", False, f"{words}, see CHAIN_{chain.chain_id}_START_BLOCK"
    else:
        start = await check_start_block(chain)
        if start is not None:
            yield start
    age = int(time.time()) - head.timestamp
    if age < -LIMITS.clocks_within and not is_local:  # a local chain's clock is set by hand
        words = f"block {head.number} is {format_duration(-age)} ahead of this machine's clock: is the clock slow?"
        yield f"{part} clock", False, f"{words} If not, the endpoint reports times in the future"
    wrong = False
    async for finding in _compare_addresses(chain, f"{part} contracts", head):
        wrong |= finding[1] is False
        yield finding
    if wrong:
        return
    try:
        ahead = await ReminderView(chain).read_default_notify_ahead(at=head.hash)
        await PremiumSetting(chain).is_premium("0x" + "00" * 20, at=head.hash)
        tokens = await TokenWhiteList(chain).read_tokens(at=head.hash)
    except ChainUnavailable as error:
        yield f"{part} contracts", False, f"{error}: check the addresses"
        return
    words = f"all have code and answer, and name each other as they should; {len(tokens)} tokens listed"
    old = f", {format_duration(age)} old by this machine's clock" if age >= 0 else ""
    yield f"{part} contracts", True, f"{words}, head block {head.number}{old}"
    yield _judge_notice(ahead, chain.chain_id)


def _judge_notice(seconds: int, chain_id: int) -> Finding:
    """Judge the default advance notice. The view belongs to the protocol, so an odd one is not called wrong here."""
    part = f"chain {chain_id} notice"
    words = f"emails go out {format_duration(seconds)} before a deadline, unless the owner chose otherwise"
    if _LEAST_NOTICE_SECONDS <= seconds <= _MOST_NOTICE_SECONDS:
        return part, True, words
    return part, None, f"{words}; not a day to a year, as people need: check CHAIN_{chain_id}_PREMIUM_REMINDER_VIEW"


async def _compare_addresses(chain: Chain, part: str, head: BlockHeader) -> AsyncIterator[Finding]:
    """Compare the addresses that the contracts give with the settings."""
    settings = chain.settings
    edges = [edge for edge in _EDGES if getattr(settings, edge[0])]
    calls = [ContractCall(getattr(settings, holder), keccak(text=f"{getter}()")[:4]) for holder, getter, *_ in edges]
    unknown = []
    for edge, answer in zip(edges, await chain.call_many(calls, at=head.hash), strict=True):
        holder, getter, named, must_answer = edge
        found, configured = read_or_none(address_at, answer), str(getattr(settings, named))
        variable, other = (f"CHAIN_{chain.chain_id}_{name.upper()}" for name in (holder, named))
        if found is None and must_answer:
            yield part, False, f"{variable} does not answer {getter}(): correct the address"
        elif found is None:
            unknown.append(f"{getter}() of {holder.upper()}")
        elif found != configured:
            named, ours = checksum_address(found), checksum_address(configured)
            words = f"{variable} names {named} by {getter}(), and {other} is {ours}"
            yield part, False, f"{words}: correct the address of another deployment"
    if unknown:
        yield part, None, f"not checked: {', '.join(unknown)}, which the contract does not have"


async def check_start_block(chain: Chain) -> Finding | None:
    """Return None if the chain knows no legacy and no timelock before the start block."""
    part, number = f"chain {chain.chain_id} index", chain.settings.start_block - 1
    if number < 0:
        return None
    first = find_selector("TransferEOALegacyRouter", "legacyAddresses") + encode_word(1)
    calls = [ContractCall(router, first) for router in chain.settings.legacy_routers]
    calls.append(ContractCall(chain.settings.time_lock_router, find_selector("TimeLockRouter", "timelockCounter")))
    name = f"CHAIN_{chain.chain_id}_START_BLOCK"
    try:
        block = await chain.get_block_at(number)
        answers = [await chain.call(call, at=block.hash) for call in calls]
    except ChainUnavailable:
        return part, None, f"not checked whether {name} is too late: no endpoint has the state of block {number}"
    empty = bytes(WORD)
    known = [read_or_none(word_at, answer or empty) for answer in answers]  # b"": no contract yet
    if not any(known):
        if None not in known:
            return None
        return part, None, f"not checked whether {name} is too late: a contract gave no number at block {number}"
    words = f"a legacy or a timelock is older than block {number + 1}: its events are not read. Set {name}"
    return part, False, f"{words} to the block of the oldest contract, and run `reminder-worker backfill` from there"


async def _examine_recipients(chain: Chain, legacies: SavedLegacies) -> AsyncIterator[Finding]:
    """Ask the chain about saved legacies that the index does not know as configured."""
    part = f"chain {chain.chain_id} recipients"
    unknown = await PremiumSetting(chain).are_configured(legacies.unknown)
    missed, silent = unknown.count(True), unknown.count(False)
    if missed:
        words = f"{missed} of {legacies.saved} legacies with saved recipients are configured on chain, and the index"
        words += f" does not know it: see CHAIN_{chain.chain_id}_START_BLOCK, and run `reminder-worker backfill`"
        yield part, False, f"{words} from the block of the oldest contract"
    if silent:
        words = f"{silent} of {legacies.saved} legacies with saved recipients have no reminder settings on chain"
        yield part, None, f"{words}: their recipients get no email until the owners save them"
    if not unknown:
        yield part, True, f"{legacies.saved} legacies with saved recipients are configured on chain"


async def examine_history(chain: Chain, engine: AsyncEngine) -> AsyncIterator[Finding]:
    """Find endpoints that have pruned old logs, and gaps of our index."""
    part = f"chain {chain.chain_id} history"
    try:
        number = await _find_first_logs(chain)
        if number is not None:
            yield await _find_pruned_endpoints(chain, part, number)
    except (ChainUnavailable, Misconfigured):
        return  # the chain's own finding says why
    try:
        gap = await find_gap(engine, chain)
    except SQLAlchemyError:
        return  # the database's own finding says why
    except (ChainUnavailable, Misconfigured):
        yield part, None, "not compared with the contracts: no endpoint has the state of the index's block"
        return
    if gap is None:
        yield part, True, "our index has every legacy and gift that the contracts know"
    else:
        words = f"our index lacks {gap.missing}: with an archive endpoint in RPC_URLS run"
        yield part, False, f"{words} `reminder-worker backfill --from-block {gap.first_block}`"


async def _find_first_logs(chain: Chain) -> int | None:
    """Return the first of the 100 oldest blocks with a log; None if there is none, or only in blocks that all keep."""
    head, first = await chain.get_head(), max(0, chain.settings.start_block)
    numbers = range(first, min(first + 100, head.number - NODE_POLICY.kept_log_blocks))
    blooms = await chain.logs.read_blooms(numbers) if numbers else []
    return next((number for number, *each in zip(numbers, *blooms, strict=True) if any(each)), None)


async def _find_pruned_endpoints(chain: Chain, part: str, number: int) -> Finding:
    lacks = {view.endpoints.members[0].name: await view.logs.are_pruned(number) for view in chain.single_views()}
    pruned = [name for name, is_pruned in lacks.items() if is_pruned]
    unknown = [name for name, is_pruned in lacks.items() if is_pruned is None]
    if unknown:
        words = f"{', '.join(unknown)} does not say whether it has the logs of block {number}"
        return part, None, words + (f"; {', '.join(pruned)} pruned them" if pruned else "")
    if not pruned:
        return part, True, f"every endpoint has the logs of block {number}"
    words = f"{', '.join(pruned)} pruned the logs of block {number}"
    if len(pruned) < len(chain.settings.rpc_urls):
        return part, None, f"{words}: the other endpoints are asked for old logs"
    return part, False, f"{words}, so nothing can be read again: add an archive endpoint to RPC_URLS"


async def _examine_upgrades(chain: Chain, scope: FactScope) -> AsyncIterator[Finding]:
    """Show the delay and the queue of the UpgradeTimelock."""
    timelock, part = chain.settings.upgrade_timelock, f"chain {chain.chain_id} upgrades"
    if timelock is None:
        return
    try:
        answer = await chain.call(ContractCall(timelock, find_selector("TimelockController", "getMinDelay")))
        upgrades = await UPGRADE_COUNTS.read(scope)
    except (ChainUnavailable, Misconfigured, SQLAlchemyError):
        return  # the chain's or the database's own finding says why
    if not isinstance(answer, bytes) or len(answer) != WORD:
        yield part, False, f"no timelock answers at CHAIN_{chain.chain_id}_UPGRADE_TIMELOCK: check the address"
        return
    delay = word_at(answer, 0)
    of_chain = [count for count in upgrades if count.chain_id == chain.chain_id]
    waiting = sum(count.count for count in of_chain if count.is_open)
    queue = f"{waiting} operations wait: see `reminder-worker upgrades list`" if waiting else "nothing waits"
    long_enough = delay >= LEAST_DELAY_SECONDS
    short = "" if long_enough else ", below 48 hours: see upgrade_delay_short in the runbook"
    yield part, long_enough, f"the timelock answers, its delay is {format_duration(delay)}{short}; {queue}"


async def examine_subgraph(settings: ChainSettings) -> Finding:
    part = f"chain {settings.chain_id} subgraph"
    if settings.subgraph_url is None:
        return part, None, "not configured: our own index answers"
    try:
        async with aiohttp.ClientSession() as session, Chain(settings) as chain:
            head = await SubgraphClient(settings.subgraph_url, session).read_head()
            known = await chain.has_block(head.number, head.hash)
    except ChainUnavailable:
        known = None  # the chain's own finding says why
    except Unavailable as error:
        return part, False, f"{error}; our own index answers meanwhile"
    if known is False:
        words = f"the RPC endpoints have another block {head.number}: see CHAIN_{settings.chain_id}_SUBGRAPH_URL"
        return part, False, f"{words}; our own index answers meanwhile"
    if known is None:
        return part, None, f"answers, at block {head.number}, which no RPC endpoint gives: not compared"
    return part, True, f"answers, at block {head.number}"
