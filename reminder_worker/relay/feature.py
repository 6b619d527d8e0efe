"""Relay as declared: requests under way and ended, and the wallets that pay for them."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from reminder_worker.declarations import FactGauge, FactScope, OperatorFact, WorkerFeature, WorkerPass

if TYPE_CHECKING:
    from reminder_worker.relay.operator import RequestCount, UnfinishedRequests, WalletSpend, WalletState
    from reminder_worker.settings import Settings


def _relay_off(settings: "Settings") -> str | None:
    if settings.relay or settings.auto_renew:
        return None
    return "no wallet of ours is configured (RELAYER_KEY, ATTESTOR_KEY)"


async def _count_open(scope: FactScope) -> "Sequence[RequestCount]":
    from reminder_worker.relay.operator import count_open_requests

    return await count_open_requests(scope.engine, scope.wallets, scope.chains)


def _show_open(requests: "Sequence[RequestCount]") -> Iterator[FactGauge]:
    labels = ("chain", "lane", "state")
    counts = {(each.chain_id, each.lane, each.state): each.count for each in requests}
    oldest = {(each.chain_id, each.lane, each.state): each.oldest for each in requests}
    yield FactGauge("relay_requests_open", "Requests under way", labels, counts)
    yield FactGauge("relay_requests_oldest_seconds", "Age of the oldest under way", labels, oldest)


async def _count_ended(scope: FactScope) -> "Sequence[RequestCount]":
    from reminder_worker.relay.operator import count_ended_requests

    return await count_ended_requests(scope.engine)


def _show_ended(requests: "Sequence[RequestCount]") -> Iterator[FactGauge]:
    labels, words = ("chain", "lane", "state"), "Requests ended in the last 24 hours"
    counts = {(each.chain_id, each.lane, each.state): each.count for each in requests}
    yield FactGauge("relay_requests_ended_last_day", words, labels, counts)


async def _read_wallets(scope: FactScope) -> "Sequence[WalletState]":
    """Return the wallets in use: slots of an earlier key, or on a chain that is not served, never end."""
    from reminder_worker.relay.operator import read_wallet_states

    states = scope.keep_served(await read_wallet_states(scope.engine))
    return [state for state in states if state.address in scope.wallets]


async def _read_spend(scope: FactScope) -> "Sequence[WalletSpend]":
    from reminder_worker.relay.operator import read_spend

    return scope.keep_served(await read_spend(scope.engine))


async def _find_unfollowed(scope: FactScope) -> "Sequence[UnfinishedRequests]":
    from reminder_worker.relay.operator import find_unfinished

    return await find_unfinished(scope.engine, scope.wallets, scope.chains)


RELAY = WorkerPass("relay", 15, asset="relay_requests", off=_relay_off)
OPEN_REQUESTS = OperatorFact("open_requests", _count_open, _show_open)
ENDED_REQUESTS = OperatorFact("ended_requests", _count_ended, _show_ended)
WALLETS = OperatorFact("wallets", _read_wallets)  # metrics show them beside their caps
WALLET_SPEND = OperatorFact("spend", _read_spend)
UNFOLLOWED_REQUESTS = OperatorFact("unfollowed", _find_unfollowed)
FEATURE = WorkerFeature((RELAY,), (OPEN_REQUESTS, ENDED_REQUESTS, WALLETS, WALLET_SPEND, UNFOLLOWED_REQUESTS))
