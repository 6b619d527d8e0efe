"""The answer of `/upgrades`: the queue of the UpgradeTimelocks, decoded, from the recorded operations."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, cast

from msgspec import Meta, Struct

from reminder_worker.outbox.messages import checksum_address
from reminder_worker.upgrades.operations import (
    AS_POWERFUL,
    GIVES_AWAY,
    UpgradeCall,
    UpgradeOperation,
    decode_call,
    role_name,
)
from reminder_worker.upgrades.store import RecordedQueue

EXAMPLE = "0xe809Bbc14bCF4ADd37377547B652DaF70B5939BF"
HASH = "0x" + "9f" * 32
Moment = Annotated[datetime | None, Meta(description="RFC 3339, UTC", examples=["2027-03-03T09:00:00Z"])]


class QueuedCall(Struct, rename="camel"):
    """One call of an operation, which the timelock makes."""

    target: Annotated[str, Meta(description="The contract that is called", examples=[EXAMPLE])]
    value: Annotated[str, Meta(description="Wei that is sent along", examples=["0"])]
    data: Annotated[str, Meta(description="The whole call data", examples=["0x8f0a4d25"])]
    function: Annotated[
        str | None, Meta(description="Null when it is not known here", examples=["setRouterAddresses(address)"])
    ]
    arguments: Annotated[
        dict[str, str] | None,
        Meta(description="By name; null when they do not decode", examples=[{"router": EXAMPLE}]),
    ]
    as_powerful_as_an_upgrade: Annotated[
        str | None,
        Meta(description="What this setter changes; null for other calls", examples=["a vault obeys another router"]),
    ]
    graver_than_an_upgrade: Annotated[
        str | None,
        Meta(
            description="What the timelock cannot undo; null for other calls",
            examples=["gives a contract to another owner"],
        ),
    ]


class QueuedOperation(Struct, rename="camel"):
    """One operation that waits. A batch is one operation of several calls."""

    id: Annotated[str, Meta(description="Its id in the timelock", examples=[HASH])]
    state: Annotated[
        Literal["pending", "ready"],
        Meta(description="`pending`: waits for its time; `ready`: may be executed", examples=["pending"]),
    ]
    executable_at: Moment
    scheduled_at: Moment
    transaction: Annotated[str | None, Meta(description="That scheduled it", examples=[HASH])]
    calls: Annotated[list[QueuedCall], Meta(description="In their order; executed together")]


class UpgradeQueue(Struct, rename="camel"):
    """The queue of one chain."""

    chain_id: Annotated[int, Meta(description="Chain id", examples=[1])]
    timelock: Annotated[str, Meta(description="The UpgradeTimelock", examples=[EXAMPLE])]
    block_number: Annotated[int, Meta(description="Its events are read to this block", examples=[23_456_789])]
    operations: Annotated[list[QueuedOperation], Meta(description="The next first; empty when none waits")]


class UpgradesAnswer(Struct, rename="camel"):
    """The upgrade queues of all chains."""

    chains: Annotated[
        list[UpgradeQueue],
        Meta(description="By chain id; without chains that are not read yet. At most 500 operations in all"),
    ]


def upgrades_answer(queues: Sequence[RecordedQueue]) -> UpgradesAnswer:
    return UpgradesAnswer(
        [
            UpgradeQueue(
                each.chain_id,
                checksum_address(each.timelock),
                each.block_number,
                list(map(_operation, each.operations)),
            )
            for each in queues
        ]
    )


def _operation(operation: UpgradeOperation) -> QueuedOperation:
    return QueuedOperation(
        operation.operation_id,
        cast(Any, operation.state),
        _moment(operation.ready_at),
        _moment(operation.scheduled_at),
        operation.scheduled_tx,
        list(map(_call, operation.calls)),
    )


def _call(call: UpgradeCall) -> QueuedCall:
    decoded = decode_call(call.data)
    function = decoded.function or ""
    arguments = None if decoded.arguments is None else {k: _argument(v) for k, v in decoded.arguments.items()}
    return QueuedCall(
        target=checksum_address(call.target),
        value=str(call.value),
        data=f"0x{call.data.hex()}",
        function=decoded.function,
        arguments=arguments,
        as_powerful_as_an_upgrade=AS_POWERFUL.get(function),
        graver_than_an_upgrade=GIVES_AWAY.get(function),
    )


def _argument(value: str | int | bytes) -> str:
    if isinstance(value, bytes):
        return f"0x{value.hex()}"
    if isinstance(value, int):
        return str(value)
    return checksum_address(value) if len(value) == 42 else role_name(value)


def _moment(unix_seconds: int | None) -> datetime | None:
    """A delay may lie beyond what a calendar has."""
    if unix_seconds is None or unix_seconds > 253_402_300_799:
        return None
    return datetime.fromtimestamp(unix_seconds, UTC)
