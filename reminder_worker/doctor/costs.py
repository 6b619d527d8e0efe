"""Findings about the requests to a chain's nodes: how many a month, what they cost, and whether the allowance lasts."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from reminder_worker.doctor import Finding
from reminder_worker.monitoring.node_bill import EndpointBill, forecast_bills
from reminder_worker.monitoring.node_requests import RequestTally
from reminder_worker.settings import ChainSettings


def examine_costs(chain: ChainSettings, tallies: Sequence[RequestTally]) -> Iterator[Finding]:
    """Forecast each endpoint. An allowance that would not last is wrong; a free plan that would not is a hint."""
    for bill in forecast_bills(chain, tallies, datetime.now(UTC)):
        yield f"chain {chain.chain_id} cost", *_judge_bill(bill, chain.chain_id)


def _judge_bill(bill: EndpointBill, chain_id: int) -> tuple[bool | None, str]:
    words, prices = f"endpoint {bill.endpoint}", bill.prices
    if bill.requests_day is None:
        return None, f"{words}: no forecast, since no request was counted an hour ago; ask again later"
    words += f": {bill.requests_day:,.0f} requests a day by the last {_describe_time(bill.hours)}, "
    words += f"{bill.requests_day * 30:,.0f} a month"
    if prices.provider:
        words += f": {bill.units:,.0f} {prices.unit} a {prices.period} ({prices.provider}'s prices of {prices.date})"
    if bill.allowance is not None:
        if bill.units <= bill.allowance:
            return True, f"{words}; the allowance of {bill.allowance:,} lasts"
        lasts = "used up after {:.1f} {}".format(
            (30 if prices.period == "month" else 24) * bill.allowance / bill.units,
            "days" if prices.period == "month" else "hours",
        )
        allowance = f"CHAIN_{chain_id}_RPC_ALLOWANCE of {bill.allowance:,}"
        return False, f"{words}; {allowance} would be {lasts}: see what the node costs in docs/operating.md"
    if prices.free is not None:
        enough = bill.units <= prices.free
        return enough or None, f"{words}; the free plan of {prices.free:,} {'suffices' if enough else 'is too small'}"
    return True, words


def _describe_time(hours: float) -> str:
    return f"{hours / 24:.0f} whole days" if hours >= 48 else f"{hours:.0f} hours"
