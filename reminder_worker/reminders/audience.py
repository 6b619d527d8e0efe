"""Recipients of each email: people configured on chain, stored here, and members of the legacy on chain.

Roles come from the chain. The creator of a Safe legacy gets the owner's emails, although the owner is the Safe.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

import msgspec

from reminder_worker.chain import abi_codec
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts import read_or_none
from reminder_worker.chain.contracts.legacies import MOST_NAMED, LegacyMembers, LegacyReads
from reminder_worker.chain.events import decode_transfer
from reminder_worker.chain.types import ETHER, ContractCall, EventLog, RevertedCall
from reminder_worker.indexer.models import SAFE, ReminderConfig, SignalKind
from reminder_worker.outbox.messages import KIND_WINDOWS, RecipientRole, ReminderKind

ALL_LINES = 3

SIGNAL_KINDS: Mapping[SignalKind, ReminderKind] = MappingProxyType(
    {
        SignalKind.OWNER_RESET: ReminderKind.OWNER_RESET,
        SignalKind.MULTISIG_ACTIVATION: ReminderKind.ACTIVATED_MULTISIG,
        SignalKind.TRANSFER_ACTIVATION: ReminderKind.ACTIVATED_TRANSFER,
    }
)
ACTIVATIONS = frozenset({ReminderKind.ACTIVATED_MULTISIG, ReminderKind.ACTIVATED_TRANSFER})
ENDS_OF_PREMIUM = frozenset({ReminderKind.PREMIUM_ENDING, ReminderKind.PREMIUM_LAPSED})
SAFE_TROUBLES = frozenset({ReminderKind.GUARD_REMOVED, ReminderKind.MODULE_DISABLED})
"""Kinds about a Safe without the guard or the module of its legacy."""
OWNER_WARNINGS = frozenset({*ENDS_OF_PREMIUM, *SAFE_TROUBLES, ReminderKind.RECIPIENTS_GAP})
OWNER_ONLY = frozenset({*OWNER_WARNINGS, ReminderKind.AUTO_RENEW_BUDGET})
PLANNED_AGAIN = frozenset({*KIND_WINDOWS, *OWNER_ONLY})
"""Kinds about a lasting state: planned again while the state lasts. Other kinds are planned once."""
MERGED_WITHIN_A_DAY = frozenset({ReminderKind.OWNER_RESET, ReminderKind.ACTIVATED_TRANSFER})
"""Kinds merged into one email per legacy, recipient and day, since any named person can repeat such signals."""

WINDOW_LINES: Mapping[int, int] = MappingProxyType({1: 1, 4: 1, 2: 2, 5: 2, 3: 3, 6: 3})
"""Window of PremiumReminderView to line; the deadline of a line is t1, t2 or t3."""
READY_WINDOWS = frozenset({5, 6})
"""Windows that mean: the second or third line may act."""
CLAIM_WINDOWS = frozenset({4, *READY_WINDOWS})
"""Windows that mean: a line may act."""

_LINES: Mapping[RecipientRole, int] = MappingProxyType(
    {
        RecipientRole.OWNER: 1,
        RecipientRole.COSIGNER: 1,
        RecipientRole.BENEFICIARY: 1,
        RecipientRole.SECOND_LINE: 2,
        RecipientRole.THIRD_LINE: 3,
    }
)


class LegacyMembership(msgspec.Struct, frozen=True):
    """Members of a legacy on chain at one block. Cosigners are the signers of the owning Safe."""

    owner: str
    creator: str
    beneficiaries: tuple[str, ...]
    second_line: str | None = None
    third_line: str | None = None
    cosigners: tuple[str, ...] = ()


def format_window_event(window: int, deadline: int, turn: int = 0) -> str:
    """Return the event of a due reminder. Each event is sent once per person. `turn`: as in `further_emails`."""
    return f"{window}:{deadline}:{turn}" if turn else f"{window}:{deadline}"


def read_window_deadline(event: str) -> int:
    """Return the deadline in a window event, in unix seconds."""
    return int(event.split(":")[1])


def read_window_turn(event: str) -> int:
    """Return the turn in a window event; 0 is the first email of its deadline."""
    parts = event.split(":")
    return int(parts[2]) if len(parts) > 2 else 0


def format_signal_event(tx_hash: str, layer: int) -> str:
    """Return the event of a signal."""
    return f"{tx_hash}:{layer}"


def read_signal_layer(event: str) -> int:
    """Return the layer in a signal event."""
    return int(event.partition(":")[2])


def clamp_line(layer: int) -> int:
    """Return the line (1 to 3) of a signal's layer; a contract may use other numbers."""
    return max(1, min(layer, ALL_LINES))


def format_budget_event(anchor: int, step: int) -> str:
    """Return the event of a reminder before auto-renew ends, as the statement `ending_budgets` makes it.

    `anchor`: the owner's last activity, unix seconds. `step`: days before the end.
    """
    return f"{anchor}:{step}"


def read_premium_expiry(event: str) -> int:
    """Return the end of Premium in an event of `ending_premiums`, in unix seconds."""
    return int(event.partition(":")[0])


def read_budget_anchor(event: str) -> int:
    """Return the anchor in a budget event, in unix seconds."""
    return int(event.partition(":")[0])


def find_audience(
    config: ReminderConfig | None,
    stored: Collection[str],
    members: LegacyMembership,
    line: int,
    *,
    may_act: bool = False,
) -> dict[str, RecipientRole]:
    """Return roles by recipient for an email to `line` and the lines before it. `may_act`: the line may act."""
    roles = find_possible_audience(config, members, line, may_act)
    present = frozenset(stored)
    return {address: role for address, role in roles.items() if address in present}


def find_possible_audience(
    config: ReminderConfig | None, members: LegacyMembership, line: int, may_act: bool
) -> dict[str, RecipientRole]:
    """Return the audience as if every configured member were stored here."""
    if config is None:
        return {}
    allowed = configured_people(config)
    found: dict[str, RecipientRole] = {}
    for role, address in _list_members(members, line, may_act):
        if address in allowed and address not in found:
            found[address] = role
    return found


def list_named(members: LegacyMembership) -> dict[str, RecipientRole]:
    """Return the role of each member. The Safe of a legacy is no person: its creator gets the owner's emails."""
    roles: dict[str, RecipientRole] = {}
    for role, address in _list_members(members, ALL_LINES, False):
        roles.setdefault(address, role)
    if members.owner != members.creator:
        del roles[members.owner]
    return roles


def configured_people(config: ReminderConfig) -> frozenset[str]:
    lines = filter(None, (config.second_line, config.third_line))
    return frozenset({config.creator, *config.cosigners, *config.beneficiaries, *lines})


def is_named(line: int, members: LegacyMembership) -> bool:
    """Return whether this line has a member. Removing the last member keeps the time between the lines, and
    the chain goes on opening the window of that line."""
    if line == 1:
        return True
    return (members.second_line if line == 2 else members.third_line) is not None


def _list_members(members: LegacyMembership, line: int, may_act: bool) -> Iterator[tuple[RecipientRole, str]]:
    """Yield members in order of precedence: the owner, the line that may act, the other lines, cosigners.

    A person named twice gets the first role: a member of the acting line is never asked to wait.
    """
    yield RecipientRole.OWNER, members.creator
    yield RecipientRole.OWNER, members.owner
    heirs: list[tuple[RecipientRole, str]] = [(RecipientRole.BENEFICIARY, address) for address in members.beneficiaries]
    if members.second_line:
        heirs.append((RecipientRole.SECOND_LINE, members.second_line))
    if members.third_line:
        heirs.append((RecipientRole.THIRD_LINE, members.third_line))
    allowed = [(role, address) for role, address in heirs if _LINES[role] <= line]
    turn = line if may_act else 1
    yield from sorted(allowed, key=lambda each: (_LINES[each[0]] != turn, _LINES[each[0]]))
    yield from ((RecipientRole.COSIGNER, address) for address in members.cosigners)


async def read_memberships(
    chain: Chain, legacy_types: Mapping[str, int], at: str
) -> dict[str, LegacyMembership | None]:
    """Return members by legacy of known type (3 EOA, 1 Safe); None for a legacy that reverts or lists too many.

    `at`: a block hash.
    """
    legacies = list(legacy_types)
    found = dict(zip(legacies, await LegacyReads(chain).read_members(legacies, at=at), strict=True))
    known = {legacy: each for legacy, each in found.items() if each is not None}
    safes = {legacy: each.owner for legacy, each in known.items() if legacy_types[legacy] == SAFE}
    signers = await read_safe_signers(chain, sorted(set(safes.values())), at)
    memberships: dict[str, LegacyMembership | None] = dict.fromkeys(legacies)
    for legacy, each in known.items():
        named = signers[safes[legacy]] if legacy in safes else ()
        if named is not None:
            memberships[legacy] = make_membership(each, named)
    return memberships


def make_membership(members: LegacyMembers, signers: Sequence[str]) -> LegacyMembership:
    return LegacyMembership(
        owner=members.owner,
        creator=members.creator,
        beneficiaries=members.beneficiaries,
        second_line=members.second_line,
        third_line=members.third_line,
        cosigners=tuple(signers),
    )


async def read_safe_signers(chain: Chain, safes: Sequence[str], at: str) -> dict[str, tuple[str, ...] | None]:
    """Return signers by Safe: empty if the contract reverts, None if it returns over `MOST_NAMED` or no list.

    A Safe has no bound of its own, and any contract can pretend to be a Safe.
    """
    signers: dict[str, tuple[str, ...] | None] = dict.fromkeys(safes, ())
    if not safes:
        return signers
    get_owners = bytes.fromhex("a0e67e2b")
    answers = await chain.call_many([ContractCall(safe, get_owners) for safe in safes], at=at)
    for safe, answer in zip(safes, answers, strict=True):
        if not isinstance(answer, RevertedCall):
            signers[safe] = read_or_none(_read_owners, answer)
    return signers


def _read_owners(data: bytes, position: int) -> tuple[str, ...]:
    return abi_codec.addresses_behind(data, position, MOST_NAMED)


MOST_TOKENS = 40  # when other tokens are among them; a claim may move 50 whitelisted tokens

Amounts = Mapping[str, Mapping[str, int]]
"""By recipient and token, in base units."""


def sum_received(
    logs: Iterable[EventLog], legacy: str, members: LegacyMembership, whitelist: Collection[str]
) -> dict[str, dict[str, int]]:
    """Return base units by heir and token, of transfers from the owner or the legacy. The owner is not an heir."""
    sources = {members.owner, legacy}
    lines = {members.second_line, members.third_line} - {None}
    heirs = ({*members.beneficiaries, *lines}) - sources
    sums: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for log in logs:
        transfer = decode_transfer(log)
        if transfer is None or transfer.amount == 0:
            continue
        if transfer.sender in sources and transfer.recipient in heirs:
            sums[transfer.recipient][transfer.token] += transfer.amount
    return {str(heir): _keep_most_valuable(tokens, {*whitelist, ETHER}) for heir, tokens in sums.items()}


def select_claim_transfers(
    logs: Sequence[EventLog], legacy: str, owner: str, told: Mapping[int, str]
) -> list[EventLog]:
    """Return the logs of one transaction without the owner's transfers for claims from their other legacies.

    `told`: log position to legacy, for each activation of a legacy of this owner. A contract logs the activation after
    the transfers of its claim, or before them if the first and the last activation stand before them.
    """
    if set(told.values()) <= {legacy}:
        return list(logs)
    gives = []
    for at, transfer in enumerate(map(decode_transfer, logs)):
        if transfer is not None and transfer.sender == owner:
            gives.append(at)
    if not gives:
        return list(logs)
    told_first = min(told) < min(gives) and max(told) < max(gives)

    def is_claimed(at: int) -> bool:
        if told_first:
            nearest = max((each for each in told if each < at), default=-1)
        else:
            nearest = min((each for each in told if each > at), default=-1)
        return told.get(nearest) == legacy

    kept = []
    for at, log in enumerate(logs):
        if at not in gives or is_claimed(at):
            kept.append(log)
    return kept


def _keep_most_valuable(tokens: Mapping[str, int], whitelist: Collection[str]) -> dict[str, int]:
    ordered = sorted(tokens, key=lambda token: (token not in whitelist, token))
    most = max(MOST_TOKENS, sum(token in whitelist for token in tokens))
    return {token: tokens[token] for token in ordered[:most]}


def amounts_to_json(amounts: Amounts) -> dict[str, list[list[str]]]:
    return {heir: [[token, str(units)] for token, units in tokens.items()] for heir, tokens in amounts.items()}


def sum_amounts(stored: Iterable[Mapping[str, list[list[str]]]], heir: str | None) -> dict[str, int]:
    """Return base units by token over several results of `amounts_to_json`, for one heir or for all (None)."""
    sums: dict[str, int] = defaultdict(int)
    for amounts in stored:
        for recipient, tokens in amounts.items():
            if heir is None or recipient == heir:
                for token, units in tokens:
                    sums[token] += int(units)
    return dict(sums)
