"""Declarations of features: the passes and the facts for operators of each room, said once.

The engine of passes, metrics, `doctor`, the commands and Dagster read them. Every command and Dagster's definitions
load each `<room>/feature.py`: a heavy import stands inside its function.
"""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

    from reminder_worker.settings import ChainSettings, Settings

ANY_CHAIN: Final = 0  # the chain id of a pass that is not of one chain


class WorkerPart(Protocol):
    """Part of the runtime that does the work of a pass, on one chain or on all."""

    async def poll(self) -> bool:
        """Return whether there is work. May move a cursor, or record what needs no run."""
        ...

    async def run(self) -> object:
        """Do the work; return a report as a mapping or a dataclass, without personal data."""
        ...


class ChainCount(Protocol):
    """Row of a fact about one chain."""

    @property
    def chain_id(self) -> int: ...


T = TypeVar("T")
C = TypeVar("C", bound=ChainCount)


@dataclass(frozen=True, slots=True)
class FactGauge:
    """Gauge of a metric: `values` by the tuple of label values; None is left out."""

    name: str
    text: str
    labels: tuple[str, ...]
    values: Mapping[Any, float | None]


@dataclass(frozen=True, slots=True)
class ExpectedPass:
    """Active pass, and the interval of its polls.

    A pass `by_the_clock` has its first hour from when a watchdog first looked for it; a failed one is tried again in
    the next hour.
    """

    name: str
    chain_id: int
    every_seconds: int
    by_the_clock: bool = False


@dataclass(frozen=True, slots=True)
class FactScope:
    """Subject of the facts: the chains and wallets in use, and the passes that are on."""

    engine: "AsyncEngine"
    chains: "Mapping[int, ChainSettings]"
    wallets: Collection[str] = ()
    expected: Sequence[ExpectedPass] = ()
    is_local: bool = False

    def keep_served(self, counts: Iterable[C]) -> list[C]:
        """Return the rows of served chains: on any other chain nothing moves, and rows grow old for ever."""
        return [count for count in counts if count.chain_id in self.chains]

    def has_pass(self, step: "WorkerPass") -> bool:
        """Return whether the pass is on."""
        return any(expected.name == step.name for expected in self.expected)


@dataclass(frozen=True, slots=True, eq=False)
class OperatorFact(Generic[T]):
    """Fact for operators with its gauges. `idle` returns words for a sensor without work, "" for nothing to say."""

    name: str
    read: Callable[[FactScope], Awaitable[T]]
    gauges: Callable[[T], Iterable[FactGauge]] | None = None
    idle: Callable[[T], str] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class WorkerPass:
    """Pass of the worker, on each chain or (not `per_chain`) once for all; the Dagster asset `asset` shows it.

    After a poll without work, a chain is polled again `every_seconds` later. On a local chain each sensor's tick polls.
    `off` returns the reason why the settings switch it off. A pass `by_the_clock` is started by a schedule.
    """

    name: str
    every_seconds: int
    asset: str | None = None
    per_chain: bool = True
    by_the_clock: bool = False
    off: "Callable[[Settings], str | None]" = lambda _: None

    def list_chain_ids(self, settings: "Settings") -> Sequence[int]:
        return [chain.chain_id for chain in settings.chains] if self.per_chain else [ANY_CHAIN]


@dataclass(frozen=True, slots=True)
class WorkerFeature:
    """Feature: its passes in the order of a round, and its facts."""

    passes: Sequence[WorkerPass] = ()
    facts: Sequence[OperatorFact[Any]] = ()
