"""Who hears of what: configured on chain, stored here, and a member of the legacy on chain. No I/O.

Roles come from the chain. The creator is the owner's person, also of a Safe legacy whose owner is the Safe.
"""

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType

import msgspec

from reminder_worker.indexer.models import ReminderConfig, SignalKind
from reminder_worker.outbox.messages import KIND_WINDOWS, Kind, Role

ALL_LINES = 3

SIGNAL_KINDS: Mapping[SignalKind, Kind] = MappingProxyType(
    {
        SignalKind.OWNER_RESET: Kind.OWNER_RESET,
        SignalKind.MULTISIG_ACTIVATION: Kind.ACTIVATED_MULTISIG,
        SignalKind.TRANSFER_ACTIVATION: Kind.ACTIVATED_TRANSFER,
    }
)
ACTIVATIONS = frozenset({Kind.ACTIVATED_MULTISIG, Kind.ACTIVATED_TRANSFER})
PLANNED_AGAIN = frozenset({*KIND_WINDOWS, Kind.AUTO_RENEW_BUDGET})
"""About a state that lasts: planned again while it does. The others are planned once."""
MERGED_WITHIN_A_DAY = frozenset({Kind.OWNER_RESET, Kind.ACTIVATED_TRANSFER})
"""Later ones of a legacy and recipient are told with the next email: anybody named can repeat such signals at will."""

WINDOW_LINES: Mapping[int, int] = MappingProxyType({1: 1, 4: 1, 2: 2, 5: 2, 3: 3, 6: 3})
"""The line a window of PremiumReminderView is about; its deadline is t1, t2 or t3."""
READY_WINDOWS: Mapping[int, int] = MappingProxyType({2: 5, 3: 6})
"""By line: the window that tells it that it may act."""

_LINES: Mapping[Role, int] = MappingProxyType(
    {Role.OWNER: 1, Role.COSIGNER: 1, Role.BENEFICIARY: 1, Role.SECOND_LINE: 2, Role.THIRD_LINE: 3}
)


class Membership(msgspec.Struct, frozen=True):
    """Who belongs to a legacy on chain at one block. Cosigners are the signers of the Safe that owns it."""

    owner: str
    creator: str
    beneficiaries: tuple[str, ...]
    second_line: str | None = None
    third_line: str | None = None
    cosigners: tuple[str, ...] = ()


def window_event(window: int, deadline: int) -> str:
    """The event of a due reminder: each event is told once."""
    return f"{window}:{deadline}"


def deadline_of_window(event: str) -> int:
    """Unix seconds, of a `window_event`."""
    return int(event.partition(":")[2])


def signal_event(tx_hash: str, layer: int) -> str:
    """The event of a signal."""
    return f"{tx_hash}:{layer}"


def layer_of_signal(event: str) -> int:
    """Of a `signal_event`."""
    return int(event.partition(":")[2])


def line_of(layer: int) -> int:
    """The line (1 to 3) of a signal's layer; a contract may number layers beyond them."""
    return max(1, min(layer, ALL_LINES))


def budget_event(anchor: int, step: int) -> str:
    """The event of a reminder of auto-renew's end, as `BUDGETS_TO_PLAN` makes it: `anchor` is the owner's last sign of
    life (unix seconds), `step` the days before the end."""
    return f"{anchor}:{step}"


def anchor_of_budget(event: str) -> int:
    """Unix seconds, of a `budget_event`."""
    return int(event.partition(":")[0])


def audience(
    config: ReminderConfig | None, stored: Collection[str], members: Membership, line: int, *, may_act: bool = False
) -> dict[str, Role]:
    """Recipient to role, for an email to `line` and the lines before it. `may_act`: it says that this line may act."""
    roles = possible_audience(config, members, line, may_act)
    present = frozenset(stored)
    return {address: role for address, role in roles.items() if address in present}


def possible_audience(config: ReminderConfig | None, members: Membership, line: int, may_act: bool) -> dict[str, Role]:
    """Who would hear of it if all of them were stored here."""
    if config is None:
        return {}
    allowed = configured(config)
    found: dict[str, Role] = {}
    for role, address in _members(members, line, may_act):
        if address in allowed and address not in found:
            found[address] = role
    return found


def configured(config: ReminderConfig) -> frozenset[str]:
    lines = {line for line in (config.second_line, config.third_line) if line}
    return frozenset({config.creator, *config.cosigners, *config.beneficiaries, *lines})


def is_named(line: int, members: Membership) -> bool:
    """Whether there is anybody in this line. Who takes the last one out leaves the time between the lines as it is, and
    the chain goes on opening the window of that line."""
    return line == 1 or (members.second_line if line == 2 else members.third_line) is not None


def _members(members: Membership, line: int, may_act: bool) -> Iterator[tuple[Role, str]]:
    """In order of precedence, for who is named twice: the owner, the line that may act (nobody in it is told to wait),
    the other lines, cosigners."""
    yield Role.OWNER, members.creator
    yield Role.OWNER, members.owner
    heirs: list[tuple[Role, str]] = [(Role.BENEFICIARY, address) for address in members.beneficiaries]
    if members.second_line:
        heirs.append((Role.SECOND_LINE, members.second_line))
    if members.third_line:
        heirs.append((Role.THIRD_LINE, members.third_line))
    allowed = [(role, address) for role, address in heirs if _LINES[role] <= line]
    turn = line if may_act else 1
    yield from sorted(allowed, key=lambda each: (_LINES[each[0]] != turn, _LINES[each[0]]))
    yield from ((Role.COSIGNER, address) for address in members.cosigners)
