"""Forecasts of what nodes cost, and the words of `doctor` about them."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from api.metrics import bill_gauges, render_fact
from assets.metadata import describe_requests
from reminder_worker.doctor.costs import examine_costs
from reminder_worker.monitoring.feature import NODE_REQUESTS
from reminder_worker.monitoring.node_bill import find_prices, forecast_bills, read_price_lists
from reminder_worker.monitoring.node_requests import RequestTally
from reminder_worker.settings import ChainSettings
from reminder_worker.settings.chains import PRESETS

NOW = datetime(2026, 11, 27, 18, tzinfo=UTC)
URLS = "https://eth-mainnet.g.alchemy.com/v2/key, https://mainnet.infura.io/v3/key, https://node.example.org"
ALCHEMY, INFURA, OTHER = "1:eth-mainnet.g.alchemy.com", "2:mainnet.infura.io", "3:node.example.org"


def chain(allowance: str = ",,") -> ChainSettings:
    own: Mapping[str, str] = {"RPC_URLS": URLS, "RPC_ALLOWANCE": allowance, "START_BLOCK": "1"}
    return ChainSettings.model_validate({"chain_id": 1, **PRESETS[1], **own})


def tally(
    days_ago: int, endpoint: str, method: str, count: int, hours_ago: float = 0, now: datetime = NOW
) -> RequestTally:
    day, since = now.date() - timedelta(days=days_ago), now - timedelta(days=days_ago, hours=hours_ago)
    return RequestTally(day, 1, endpoint, "index", method, count, int(since.timestamp()))


def test_whole_days_are_averaged_and_priced_by_the_providers_list() -> None:
    """The first day and today are not whole, and older days than seven do not count."""
    tallies = [tally(day, ALCHEMY, "eth_getLogs", 100) for day in (1, 2)]
    tallies += [tally(day, INFURA, method, 10) for day in (1, 2) for method in ("eth_getLogs", "eth_call")]
    tallies += [tally(day, OTHER, "eth_call", 10 if 0 < day < 8 else 10**6) for day in range(12)]
    tallies += [tally(day, name, "eth_call", 10**6) for day in (0, 3) for name in (ALCHEMY, INFURA)]
    alchemy, infura, other = forecast_bills(chain(), tallies, NOW)
    assert (alchemy.requests_day, alchemy.units) == (100, 100 * 60 * 30)
    assert (infura.requests_day, infura.units) == (20, 10 * 255 + 10 * 80)
    assert (other.requests_day, other.units, other.hours) == (10, 10 * 30, 7 * 24)


def test_a_new_installation_is_scaled_up_from_its_first_request() -> None:
    tallies = [tally(0, ALCHEMY, "eth_call", 100, hours_ago=6), tally(0, ALCHEMY, "eth_getLogs", 100, hours_ago=5)]
    tallies += [tally(0, INFURA, "eth_call", 100, hours_ago=0.9)]
    alchemy, infura, other = forecast_bills(chain(), tallies, NOW)
    assert (alchemy.requests_day, alchemy.units) == (800, 400 * (26 + 60) * 30)
    assert infura.requests_day is other.requests_day is None, "less than an hour says nothing"


def test_doctor_says_whether_an_allowance_lasts() -> None:
    for allowance, good, words in (
        (
            "1801,,",
            True,
            "endpoint 1:eth-mainnet.g.alchemy.com: 1 requests a day by the last 2 whole days, 30 a month: ",
        ),
        ("1801,,", True, "1,800 compute units a month (Alchemy's prices of 2026-10); the allowance of 1,801 lasts"),
        ("900,,", False, "CHAIN_1_RPC_ALLOWANCE of 900 would be used up after 15.0 days: see what the node costs"),
        (",,", True, "; the free plan of 30,000,000 suffices"),
    ):
        now = datetime.now(UTC)
        tallies = [tally(day, ALCHEMY, "eth_getLogs", 1, now=now) for day in (1, 2, 3)]
        part, found, said = next(examine_costs(chain(allowance), tallies))
        assert (part, found) == ("chain 1 cost", good)
        assert words in said


def test_doctor_warns_of_a_free_plan_and_a_daily_allowance_that_are_too_small() -> None:
    now = datetime.now(UTC)
    tallies = [tally(day, INFURA, "eth_call", 50_000, now=now) for day in (1, 2)]
    _, hint, _ = examine_costs(chain(), tallies)
    assert hint[1] is None
    assert hint[2].endswith(
        "4,000,000 credits a day (Infura's prices of 2026-10); the free plan of 3,000,000 is too small"
    )
    _, warning, unasked = examine_costs(chain(",2000000,"), tallies)
    assert warning[1] is False
    assert "RPC_ALLOWANCE of 2,000,000 would be used up after 12.0 hours" in warning[2]
    assert unasked == ("chain 1 cost", None, f"endpoint {OTHER}: no forecast, since no request was counted an hour ago;"
                       " ask again later")  # fmt: skip


def test_prices_are_found_by_the_whole_name_of_a_host() -> None:
    found = [find_prices(f"https://{host}/v2/key").provider for host in ("alchemy.com", "x.infura.io", "notinfura.io")]
    assert found == ["Alchemy", "Infura", ""]
    assert {prices.period for prices in read_price_lists()} <= {"day", "month"}


def test_operators_see_requests_by_day_and_pass_in_dagster_and_of_today_in_the_metrics() -> None:
    now = datetime.now(UTC)
    tallies = [tally(day, ALCHEMY, "eth_call", 10**9 + day, now=now) for day in range(14)]
    shown = describe_requests(tallies, 14)
    assert (shown["today"], shown["yesterday: index"]) == (10**9, 10**9 + 1)
    assert len(shown["requests per day"].md_str) < 1000, "a longer text is behind a link"
    assert f"| {ALCHEMY} | 1 | eth_call | {10**9 + 1} |" in shown["yesterday"].md_str
    assert f"| index | {10**9} | {10**9 + 1} |" in shown["passes"].md_str
    gauge, forecast, allowance = [*render_fact(NODE_REQUESTS, tallies), *bill_gauges(tallies, [chain("900,,")])]
    (sample,) = gauge.samples
    assert sample.labels == {"chain": "1", "endpoint": ALCHEMY, "pass": "index", "method": "eth_call"}
    assert sample.value == 10**9
    of_bill = {"chain": "1", "endpoint": ALCHEMY, "unit": "compute units", "period": "month"}
    assert [(each.labels, each.value > 10**9) for each in forecast.samples] == [(of_bill, True)]
    assert [(each.labels, each.value) for each in allowance.samples] == [(of_bill, 900)]
