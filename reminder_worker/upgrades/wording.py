"""Wording of the upgrade queue: the facts for operators, who decide within the delay.

Plain functions. A fact has at most 300 characters, and no text that a mail program turns into a link. A longer text is
cut and marked.

"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from eth_utils.crypto import keccak

from reminder_worker.chain.abi import find_selector
from reminder_worker.outbox.messages import BEWARE, AlertKind, checksum_address, format_duration
from reminder_worker.settings import ChainSettings
from reminder_worker.upgrades.operations import (
    AS_POWERFUL,
    GIVES_AWAY,
    Argument,
    QueueChange,
    QueueEvent,
    UpgradeCall,
    UpgradeOperation,
    decode_call,
    plain_words,
    role_name,
)

Facts = dict[str, str | int]
LEAST_DELAY_SECONDS: Final = 48 * 3600
MOST_CALLS: Final = 20  # of a batch that one email shows
CHANGES: Final[Mapping[str, tuple[AlertKind, str]]] = {
    QueueEvent.SCHEDULED: (AlertKind.UPGRADE_SCHEDULED, "scheduled"),
    QueueEvent.EXECUTED: (AlertKind.UPGRADE_EXECUTED, "executed"),
    QueueEvent.CANCELLED: (AlertKind.UPGRADE_CANCELLED, "cancelled"),
    QueueEvent.DELAY: (AlertKind.UPGRADE_DELAY_CHANGED, "minimum delay changed"),
    QueueEvent.GRANTED: (AlertKind.UPGRADE_ROLE_CHANGED, "role granted"),
    QueueEvent.REVOKED: (AlertKind.UPGRADE_ROLE_CHANGED, "role revoked"),
}
"""By event: the kind of its alert, and the change in words."""
_NAMES: Final = {
    "transfer_eoa_legacy_router": "TransferEOALegacyRouter",
    "multisig_legacy_router": "MultisigLegacyRouter",
    "premium_setting": "PremiumSetting",
    "premium_registry": "PremiumRegistry",
    "premium_reminder_view": "PremiumReminderView",
    "time_lock_router": "TimeLockRouter",
    "timelock_erc20": "TimelockERC20",
    "timelock_erc721": "TimelockERC721",
    "timelock_erc1155": "TimelockERC1155",
    "token_white_list": "TokenWhiteList",
    "multicall3": "Multicall3",
    "upgrade_timelock": "the UpgradeTimelock",
    "legacy_pull_vault": "LegacyPullVault",
    "permit2": "Permit2",
}


@dataclass(frozen=True, slots=True)
class WordingContext:
    """Context of the facts. `codes` of the implementations, `final` the last final block."""

    settings: ChainSettings
    timelock: str
    codes: Mapping[str, bytes]
    cancellers: Sequence[str]
    final: int

    def name_address(self, address: str) -> str:
        """Return the address with its name in the settings, if any."""
        names = (name for field, name in _NAMES.items() if getattr(self.settings, field) == address)
        return " ".join([*names, checksum_address(address)])


def scheduled_facts(operation: UpgradeOperation, context: WordingContext) -> Facts:
    """Return the facts for a decision about a scheduled operation."""
    facts = _decision_facts(operation)
    if operation.scheduled_at is not None:
        facts["scheduled_at"] = operation.scheduled_at
    if operation.scheduled_by is not None:
        facts["sent by"] = context.name_address(operation.scheduled_by)
    facts |= _batch_facts(operation.calls, context)
    facts |= _where_to_look(operation.scheduled_tx, operation.operation_id, context)
    facts |= _how_to_cancel(operation, context)
    return facts | {"final": _final_words(operation.scheduled_block or 0, context)}


def all_facts(operation: UpgradeOperation, context: WordingContext) -> Facts:
    """Return all facts for a terminal, with full call data."""
    facts = _warning_facts(operation.calls) | scheduled_facts(replace(operation, calls=()), context)
    if operation.calls:
        facts["calls"] = len(operation.calls)
    facts["final"] = _final_words(operation.changed_block, context)  # of its last change, as in the list
    for number, call in enumerate(operation.calls, 1):
        facts |= {f"{number}: {name}": value for name, value in call_facts(call, context).items()}
        facts[f"{number}: data"] = f"0x{call.data.hex()}"
    return facts


def change_facts(change: QueueChange, operation: UpgradeOperation | None, context: WordingContext) -> Facts:
    """Return the facts of a change, with the operation's calls."""
    if change.name == QueueEvent.SCHEDULED and operation is not None:
        return scheduled_facts(operation, context)
    event = change.first_event
    facts: Facts = {}
    if change.name == QueueEvent.DELAY:
        facts |= {
            "before": _exact_duration(event.data["oldDuration"]),
            "now": _exact_duration(event.data["newDuration"]),
        }
    elif operation is None:
        verb = "granted to" if change.name == QueueEvent.GRANTED else "revoked from"
        facts |= {"role": role_name(event.data["role"]), verb: context.name_address(event.data["account"])}
    facts[f"{CHANGES[change.name][1].rpartition(' ')[2]}_at"] = event.block_time
    if event.sender is not None:
        facts["sent by"] = context.name_address(event.sender)
    if operation is not None:
        facts |= _batch_facts(operation.calls, context)
    facts |= _where_to_look(event.tx_hash, change.operation_id, context)
    return facts | {"final": _final_words(event.block_number, context)}


def executable_facts(operation: UpgradeOperation, context: WordingContext) -> Facts:
    facts = _decision_facts(operation)
    facts |= _batch_facts(operation.calls, context) | _where_to_look(
        operation.scheduled_tx, operation.operation_id, context
    )
    return facts | _how_to_cancel(operation, context)


def corrected_facts(
    change: QueueChange, operation: UpgradeOperation | None, now: UpgradeOperation | None, context: WordingContext
) -> Facts:
    """Describe a change that a reorganisation took back. `now`: what is left of its operation."""
    facts: Facts = {
        "what": CHANGES[change.name][1],
        "now": "taken back: its transaction is not in the chain any more, and may be sent again",
    }
    if operation is not None:
        facts |= {} if change.name == QueueEvent.SCHEDULED or now is None else _decision_facts(now)
        facts |= _batch_facts(operation.calls, context)
    return facts | _where_to_look(change.first_event.tx_hash, change.operation_id, context)


def call_facts(call: UpgradeCall, context: WordingContext) -> Facts:
    """Return the facts of one call: contract, function, arguments, new code."""
    decoded = decode_call(call.data)
    facts: Facts = {"contract": context.name_address(call.target)}
    if decoded.function is None:
        facts["data"] = _show_data(call.data)
    elif decoded.arguments is None:
        facts["function"] = f"{decoded.function}, with arguments that do not decode"
        facts["data"] = _show_data(call.data)
    else:
        facts["function"] = decoded.function
        for name, value in decoded.arguments.items():
            facts |= _argument_facts(name, value, context)
        if decoded.extra:
            facts["after the arguments"] = f"{decoded.extra} bytes that no argument covers"
    if call.value:
        facts["sends_wei"] = call.value
    return facts


def list_implementations(operations: Iterable[UpgradeOperation]) -> list[str]:
    """Return the new implementations of proxies."""
    found = (decode_call(call.data).new_implementation for operation in operations for call in operation.calls)
    return sorted({address for address in found if address is not None})


def _decision_facts(operation: UpgradeOperation) -> Facts:
    states = {"pending": "waits for its time", "ready": "may be executed now"}
    facts: Facts = {"state": states.get(operation.state, operation.state)}
    if operation.ready_at is not None:
        facts["executable_at"] = operation.ready_at
    if operation.delay is not None:
        facts["delay_seconds"] = operation.delay
    if operation.predecessor is not None:
        facts["only after"] = operation.predecessor
    return facts


def _batch_facts(calls: Sequence[UpgradeCall], context: WordingContext) -> Facts:
    if not calls:
        return {"calls": "not known: it was never seen scheduled"}
    if len(calls) == 1:
        return _warning_facts(calls) | call_facts(calls[0], context)
    facts = _warning_facts(calls) | {"calls": f"{len(calls)}, executed together"}
    for number, call in enumerate(calls[:MOST_CALLS], 1):
        facts |= {f"{number}: {name}": value for name, value in call_facts(call, context).items()}
    if len(calls) > MOST_CALLS:
        facts["more calls"] = f"{len(calls) - MOST_CALLS} are not shown here"
    return facts


def _warning_facts(calls: Iterable[UpgradeCall]) -> Facts:
    """Return the warning over all calls: a batch shows only the first ones."""
    functions = dict.fromkeys(decode_call(call.data).function or "" for call in calls)
    words = "; ".join(GIVES_AWAY[function] for function in functions if function in GIVES_AWAY)
    facts: Facts = {BEWARE: f"graver than an upgrade, since this timelock cannot undo it: {words}"} if words else {}
    setters = dict.fromkeys(AS_POWERFUL[function] for function in functions if function in AS_POWERFUL)
    return facts | ({"as powerful as an upgrade": "; ".join(setters)} if setters else {})


def _argument_facts(name: str, value: Argument, context: WordingContext) -> Facts:
    if isinstance(value, bytes):
        if name == "code":
            return {name: f"{len(value):,} bytes, keccak-256 0x{keccak(value).hex()}"}
        return {"then calls it with": _show_data(value)} if value else {}
    if isinstance(value, int):
        return {"new delay": _exact_duration(value)}
    if len(value) != 42:
        return {name: role_name(value)}
    if name == "implementation":
        code = context.codes.get(value)
        words = "not known" if code is None else "none: there is no contract at this address"
        if code:
            words = f"{len(code):,} bytes, keccak-256 0x{keccak(code).hex()}"
        return {"new implementation": context.name_address(value), "its code": words}
    return {{"newOwner": "new owner", "newAdmin": "new admin"}.get(name, name): context.name_address(value)}


def _exact_duration(seconds: int) -> str:
    """71 and 49 hours are both two days in words."""
    return f"{format_duration(seconds)} ({seconds} seconds)"


def _show_data(data: bytes) -> str:
    words = plain_words(data)
    if len(data) <= 4:
        return words
    return f"{words}: 0x{data[:100].hex()}" + ("… (cut after 100 bytes)" if len(data) > 100 else "")


def _where_to_look(tx_hash: str | None, operation_id: str | None, context: WordingContext) -> Facts:
    facts: Facts = {} if tx_hash is None else {"transaction": tx_hash}
    explorer = (context.settings.explorer_url or "").partition("://")[2]
    if explorer and tx_hash is not None and not explorer.startswith("www."):
        facts["in an explorer"] = f"{explorer}/tx/{tx_hash}"
    if operation_id is not None:
        facts["look with"] = f"reminder-worker upgrades show {operation_id} --chain {context.settings.chain_id}"
    return facts


def _how_to_cancel(operation: UpgradeOperation, context: WordingContext) -> Facts:
    if not operation.is_open:
        return {}
    data = find_selector("TimelockController", "cancel").hex() + operation.operation_id[2:]
    facts: Facts = {"cancel by": f"a transaction to {context.name_address(context.timelock)} with the data 0x{data}"}
    if context.cancellers:
        more = len(context.cancellers) - 5
        shown = ", ".join(checksum_address(each) for each in context.cancellers[:5])
        facts["may cancel"] = f"{shown} and {more} more" if more > 0 else shown
    return facts


def _final_words(block: int, context: WordingContext) -> str:
    return "yes" if block <= context.final else "not yet: a reorganisation may take it back, and you hear of it"
