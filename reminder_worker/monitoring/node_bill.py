"""Forecast of what the nodes cost, by the requests counted so far and the price lists in `node_prices.json`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from reminder_worker.chain.rpc import name_endpoint
from reminder_worker.monitoring.node_requests import RequestTally
from reminder_worker.settings import ChainSettings


class PriceList(msgspec.Struct, frozen=True):
    """Prices of a provider in units for one request. `host`: the end of its endpoints' hosts.

    `free`: units of the free plan in each `period`, `month` or `day`. `default`: price of a method without its own.
    """

    provider: str
    host: str
    unit: str
    period: str
    free: int | None
    default: int
    units: Mapping[str, int]
    source: str
    date: str

    def price_of(self, method: str) -> int:
        return self.units.get(method, self.default)


@dataclass(frozen=True, slots=True)
class EndpointBill:
    """Forecast for one endpoint by the last `hours`. `units` are for one period of `prices`; None: counted too short.

    `allowance`: units for each period, as configured.
    """

    endpoint: str
    prices: PriceList
    allowance: int | None
    hours: float = 0.0
    requests_day: float | None = None
    units: float = 0.0


@cache
def read_price_lists() -> Sequence[PriceList]:
    text = Path(__file__).with_name("node_prices.json").read_bytes()
    return msgspec.json.decode(text, type=list[PriceList])


def find_prices(url: str) -> PriceList:
    """Return the prices of an endpoint's provider. An unknown provider counts requests by the month."""
    host = urlsplit(url).hostname or ""
    unknown = PriceList("", "", "requests", "month", None, 1, {}, "", "")
    return next((each for each in read_price_lists() if f".{host}".endswith(f".{each.host}")), unknown)


def forecast_bills(chain: ChainSettings, tallies: Sequence[RequestTally], now: datetime) -> list[EndpointBill]:
    """Return a forecast for each endpoint, in the order of `RPC_URLS`. A month has 30 days."""
    bills = []
    for position, secret in enumerate(chain.rpc_urls):
        url = secret.get_secret_value()
        name, prices = name_endpoint(position + 1, url), find_prices(url)
        allowance = chain.rpc_allowance[position] if chain.rpc_allowance else None
        endpoint = (chain.chain_id, name)
        ours = [each for each in tallies if (each.chain_id, each.endpoint) == endpoint]
        recent, days = _choose_recent(ours, now)
        if days < 1 / 24:
            bills.append(EndpointBill(name, prices, allowance))
            continue
        units = sum(each.count * prices.price_of(each.method) for each in recent) / days
        requests = sum(each.count for each in recent) / days
        period_days = 30 if prices.period == "month" else 1
        bills.append(EndpointBill(name, prices, allowance, days * 24, requests, units * period_days))
    return bills


def _choose_recent(tallies: Sequence[RequestTally], now: datetime) -> tuple[Sequence[RequestTally], float]:
    """Return the counts of the last whole days (UTC), at most seven, and their number.

    Without a whole day return all counts, and how many days ago the first request was.
    """
    if not tallies:
        return [], 0.0
    today = now.astimezone(UTC).date()
    whole = min(7, (today - min(each.day for each in tallies)).days - 1)
    if whole > 0:
        return [each for each in tallies if 0 < (today - each.day).days <= whole], whole
    return tallies, (now.timestamp() - min(each.since for each in tallies)) / 86400
