"""Gauges as renderings of operators' facts."""

from collections.abc import Iterable

from prometheus_client.core import GaugeMetricFamily

from api.metrics import render_fact, wallet_gauges
from reminder_worker.monitoring.facts import PassState
from reminder_worker.monitoring.feature import PASS_STATES
from reminder_worker.outbox.delivery_reports import ReportReading
from reminder_worker.outbox.feature import REPORTS, UNDELIVERED_ALERTS
from reminder_worker.relay.feature import ENDED_REQUESTS, OPEN_REQUESTS
from reminder_worker.relay.operator import PayingWallet, RequestCount, WalletState

RELAYER, ATTESTOR = "0x" + "1a" * 20, "0x" + "55" * 20
WALLETS = [PayingWallet("relayer", RELAYER, 1000, 10), PayingWallet("attestor", ATTESTOR, daily_wei=0, daily_count=0)]


def rendered(families: Iterable[GaugeMetricFamily]) -> dict[str, float]:
    """Return values by the name of the metric and the values of its labels."""
    return {
        " ".join([sample.name.removeprefix("reminder_worker_"), *sample.labels.values()]): sample.value
        for family in families
        for sample in family.samples
    }


def wallet_state(address: str, stopped: str | None = None) -> WalletState:
    return WalletState(1, address, 7, stopped, 1, 2, oldest_open=400, requests=1, reserved_wei=300, spent_wei=200)


def pass_state(name: str, checked_age: int, **detail: object) -> PassState:
    return PassState(name, 1, checked_age, 0, None, None, detail)


def test_wallets_are_named_by_their_role_and_a_cap_of_zero_has_no_share() -> None:
    relay = pass_state("relay", 0, looked_at="now", relayer={"balance_eth": 0.25})
    states = [wallet_state(RELAYER, "foreign_nonce"), wallet_state(ATTESTOR)]
    values = rendered(wallet_gauges(states, [relay], WALLETS))
    assert values["relay_balance_wei relayer 1"] == 25 * 10**16
    assert (values["relay_slots relayer 1 open"], values["relay_slots relayer 1 mined"]) == (1, 2)
    assert values["relay_oldest_slot_seconds relayer 1"] == 400
    assert (values["relay_reserved_wei relayer 1"], values["relay_spent_wei relayer 1"]) == (300, 200)
    assert (values["relay_cap_used relayer 1 wei"], values["relay_cap_used relayer 1 count"]) == (0.5, 0.1)
    assert (values["relay_stopped relayer 1"], values["relay_stopped attestor 1"]) == (1, 0)
    assert not any("cap_used attestor" in name for name in values), "an alert would never end"
    assert not any(address in name for name in values for address in (RELAYER, ATTESTOR))


def test_requests_are_counted_by_lane_and_state() -> None:
    opened, ended = RequestCount(1, "claim", "mined", 2, 900), RequestCount(1, "claim", "reverted", 3, 60)
    values = rendered([*render_fact(OPEN_REQUESTS, [opened]), *render_fact(ENDED_REQUESTS, [ended])])
    assert values == {
        "relay_requests_open 1 claim mined": 2,
        "relay_requests_oldest_seconds 1 claim mined": 900,
        "relay_requests_ended_last_day 1 claim reverted": 3,
    }


def test_delivery_reports_show_what_is_known_of_them() -> None:
    values = rendered(render_fact(REPORTS, ReportReading(3, 60, taken=10, unmatched=2, set_aside=1)))
    assert (values["reports_unread"], values["reports_look_age_seconds"]) == (3, 60)
    outcomes = {name.removeprefix("reports_counted "): value for name, value in values.items() if "counted" in name}
    assert outcomes == {"taken": 10, "unmatched": 2, "set_aside": 1, "not_complaints": 0, "unreadable": 0}
    without_mailbox = rendered(render_fact(REPORTS, ReportReading()))
    assert not {"reports_unread", "reports_look_age_seconds"} & without_mailbox.keys()
    assert rendered(render_fact(REPORTS, None)) == {}


def test_health_is_reported_only_while_the_watchdog_looks() -> None:
    for age, detail, healthy, heartbeat in (
        (10, {"healthy": True, "heartbeat": "asked"}, 1, 1),
        (10, {"healthy": False, "heartbeat": "silent"}, 0, 0),
        (10, {"healthy": True, "heartbeat": "off"}, 1, None),
        (301, {"healthy": True, "heartbeat": "ClientError"}, 0, 0),
    ):
        states = [pass_state("watchdog", age, **detail)]
        values = rendered([*render_fact(PASS_STATES, states), *render_fact(UNDELIVERED_ALERTS, {"dead": 1})])
        assert values["healthy"] == healthy
        assert values.get("heartbeat_ok") == heartbeat
        assert values["alerts_undelivered dead"] == 1
