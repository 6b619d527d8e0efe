"""Write Grafana's dashboard of the service: python -m devnet.dashboard

Each API process reads the same facts from the database, so these gauges are joined by `max`, never by `sum`.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


def find_page() -> Path:
    """Return the file of the dashboard."""
    return Path(__file__).parents[1] / "deploy" / "grafana" / "reminder-worker.json"


def name_source() -> dict[str, str]:
    """Return the Prometheus that the reader of the dashboard chose."""
    return {"type": "prometheus", "uid": "${datasource}"}


@dataclass(frozen=True, slots=True)
class PanelPlan:
    """Panel of a row. `lines`: expressions and their legends. `steps`: values from which a colour holds."""

    title: str
    lines: Sequence[tuple[str, str]]
    unit: str = "short"
    width: int = 8
    is_stat: bool = False
    steps: Sequence[tuple[float | None, str]] = ()
    words: Sequence[str] = ()
    about: str = ""


def own(name: str, by: str = "", labels: str = "") -> str:
    """Return a gauge that every API process shows alike."""
    joined = f"max by ({by}) " if by else "max"
    return f"{joined}(reminder_worker_{name}{'{' + labels + '}' if labels else ''})"


def stat(
    title: str,
    expression: str,
    steps: Sequence[tuple[float | None, str]],
    unit: str = "short",
    words: Sequence[str] = (),
) -> PanelPlan:
    return PanelPlan(title, [(expression, "")], unit, 4, True, steps, words)


def latency(share: str) -> tuple[str, str]:
    rate = "sum by (le) (rate(reminder_worker_http_request_seconds_bucket[5m]))"
    return f"histogram_quantile({share}, {rate})", f"{float(share):.0%} are faster"


def plan() -> dict[str, list[PanelPlan]]:
    """Return the rows by their titles."""
    good, bad = [(None, "red"), (1, "green")], [(None, "green"), (1, "red")]
    by_pass = "{{pass}} of chain {{chain}}"
    of_wallet, of_request = "{{wallet}} on chain {{chain}}", "{{lane}} {{state}} on chain {{chain}}"
    endpoint = "{{endpoint}} of chain {{chain}}"
    return {
        "Is it well?": [
            stat("The service", own("healthy"), good, words=["something is wrong", "well"]),
            stat("Database", "min(reminder_worker_database_up)", good, words=["no answer", "well"]),
            stat("API processes", "count(reminder_worker_database_up)", good),
            stat("Heartbeat", "min(reminder_worker_heartbeat_ok)", good, words=["not taken", "well"]),
            stat(
                "Last look of the watchdog",
                "min(reminder_worker_pass_look_age_seconds{pass='watchdog'})",
                [(None, "green"), (300, "red")],
                "s",
            ),
            stat("Alerts that no mail service took", f"sum({own('alerts_undelivered', 'state')})", bad),
            PanelPlan("Wrong now", [(own("conditions", "chain, kind"), "{{kind}} on chain {{chain}}")], width=12),
            PanelPlan(
                "Rules of Prometheus that fire",
                [("count by (alertname, severity) (ALERTS{alertstate='firing'})", "{{alertname}} ({{severity}})")],
                width=12,
            ),
        ],
        "Emails by kind, outcome and age": [
            PanelPlan(
                "Reminders settled in 24 hours",
                [(own("emails_settled_last_day", "kind, state"), "{{kind}}: {{state}}")],
            ),
            PanelPlan(
                "Reminders that wait",
                [
                    (own("emails_due"), "to be tried now"),
                    (own("emails_later"), "to be tried later"),
                    (own("emails_in_flight"), "being sent"),
                ],
            ),
            PanelPlan("Age of the oldest that waits", [(own("emails_oldest_waiting_seconds"), "oldest")], "s"),
            PanelPlan(
                "Undecided or given up",
                [(own("emails_undecided", "chain, kind, state"), "{{kind}}: {{state}} on chain {{chain}}")],
            ),
            PanelPlan(
                "Emails of gifts",
                [(own("gift_emails", "chain, kind, state"), "{{kind}}: {{state}} on chain {{chain}}")],
            ),
            PanelPlan("Addresses from which an email came back", [(own("bounced_addresses", "reason"), "{{reason}}")]),
            PanelPlan(
                "Delivery reports so far, and those that wait in the mailbox",
                [(own("reports_counted", "outcome"), "{{outcome}}"), (own("reports_unread"), "unread")],
            ),
            PanelPlan(
                "Since the mailbox of delivery reports was read",
                [(own("reports_look_age_seconds"), "last good look")],
                "s",
                steps=[(None, "green"), (3600, "red")],
            ),
        ],
        "Block to inbox": [
            PanelPlan(
                "From an event's block to the mail service's yes, in 24 hours",
                [
                    (own("emails_after_block_seconds", "chain", 'quantile="0.5"'), "median of chain {{chain}}"),
                    (own("emails_after_block_seconds", "chain", 'quantile="1"'), "longest of chain {{chain}}"),
                ],
                "s",
                about="By default an event must be in a safe block first, some 6 to 13 minutes.",
            ),
            PanelPlan("Blocks behind", [(own("reader_lag_blocks", "chain, reader"), "{{reader}} of chain {{chain}}")]),
            PanelPlan(
                "Age of the oldest event that is not planned",
                [(own("signals_oldest_seconds", "chain, kind"), "kind {{kind}} on chain {{chain}}")],
                "s",
            ),
        ],
        "Relay: spend, caps and balance": [
            PanelPlan(
                "Share of today's cap that is used",
                [(own("relay_cap_used", "wallet, chain, cap"), "{{cap}} cap of {{wallet}} on chain {{chain}}")],
                "percentunit",
                steps=[(None, "green"), (0.9, "red")],
            ),
            PanelPlan(
                "Spent and reserved today, ether",
                [
                    (f"{own('relay_spent_wei', 'wallet, chain')} / 1e18", f"spent by {of_wallet}"),
                    (f"{own('relay_reserved_wei', 'wallet, chain')} / 1e18", f"reserved by {of_wallet}"),
                ],
            ),
            PanelPlan("Balance, ether", [(f"{own('relay_balance_wei', 'wallet, chain')} / 1e18", of_wallet)]),
            PanelPlan("Requests under way", [(own("relay_requests_open", "chain, lane, state"), of_request)]),
            PanelPlan(
                "Age of the oldest", [(own("relay_requests_oldest_seconds", "chain, lane, state"), of_request)], "s"
            ),
            PanelPlan(
                "Requests ended in 24 hours", [(own("relay_requests_ended_last_day", "chain, lane, state"), of_request)]
            ),
        ],
        "Node requests and their forecast": [
            PanelPlan(
                "Requests today by endpoint",
                [
                    (
                        f"sum by (chain, endpoint) ({own('node_requests_today', 'chain, endpoint, pass, method')})",
                        endpoint,
                    )
                ],
            ),
            PanelPlan(
                "Requests today by pass",
                [(f"sum by (pass) ({own('node_requests_today', 'chain, endpoint, pass, method')})", "{{pass}}")],
            ),
            PanelPlan(
                "Forecast and allowance",
                [
                    (
                        own("node_units_forecast", "chain, endpoint, unit, period"),
                        "{{endpoint}}: {{unit}} a {{period}}",
                    ),
                    (own("node_units_allowance", "chain, endpoint, unit, period"), "{{endpoint}}: allowance"),
                ],
                about="The forecast of `reminder-worker doctor`.",
            ),
            PanelPlan(
                "Answers of endpoints to the passes", [(own("passes_rpc_up", "chain, endpoint"), endpoint)], width=12
            ),
            PanelPlan(
                "Seconds of their last answer",
                [(own("passes_rpc_latency_seconds", "chain, endpoint"), endpoint)],
                "s",
                12,
            ),
        ],
        "API": [
            PanelPlan("Seconds to answer", [latency("0.5"), latency("0.95"), latency("0.99")], "s"),
            PanelPlan(
                "Seconds to answer, by route",
                [
                    (
                        "histogram_quantile(0.95, sum by (le, route)"
                        " (rate(reminder_worker_http_request_seconds_bucket[5m])))",
                        "{{route}}",
                    )
                ],
                "s",
                about="95% are faster.",
            ),
            PanelPlan(
                "Requests by status",
                [("sum by (status) (rate(reminder_worker_http_requests_total[5m]))", "{{status}}")],
                "reqps",
            ),
        ],
        "Dagster's runs": [
            PanelPlan("Since the last success", [(own("pass_success_age_seconds", "pass, chain"), by_pass)], "s"),
            PanelPlan(
                "Since the last failure",
                [(own("pass_failure_age_seconds", "pass, chain"), by_pass)],
                "s",
                about="The last run or poll that failed, also if a later one went well.",
            ),
            PanelPlan("The last run failed", [(own("pass_failing", "pass, chain"), by_pass)]),
        ],
    }


def draw_panel(number: int, panel: PanelPlan, place: dict[str, int]) -> dict[str, Any]:
    defaults: dict[str, Any] = {"unit": panel.unit, "min": 0}
    if panel.steps:
        defaults["thresholds"] = {"mode": "absolute", "steps": [{"value": at, "color": c} for at, c in panel.steps]}
        defaults["color"] = {"mode": "thresholds" if panel.is_stat else "palette-classic"}
    if panel.words:
        defaults["mappings"] = [
            {"type": "value", "options": {str(i): {"text": word, "index": i} for i, word in enumerate(panel.words)}}
        ]
    if panel.is_stat:
        options: dict[str, Any] = {
            "colorMode": "background",
            "graphMode": "none",
            "reduceOptions": {"calcs": ["lastNotNull"]},
        }
    else:
        defaults["custom"] = {"fillOpacity": 10, "showPoints": "never"}
        options = {
            "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
            "tooltip": {"mode": "multi"},
        }
    return {
        "id": number,
        "type": "stat" if panel.is_stat else "timeseries",
        "title": panel.title,
        "description": panel.about,
        "datasource": name_source(),
        "gridPos": place,
        "fieldConfig": {"defaults": defaults, "overrides": []},
        "options": options,
        "targets": [
            {"refId": chr(65 + at), "datasource": name_source(), "expr": expression, "legendFormat": legend or "__auto"}
            for at, (expression, legend) in enumerate(panel.lines)
        ],
    }


def draw_panels() -> Iterator[dict[str, Any]]:
    """Yield rows and panels in reading order, each row's panels from left to right."""
    number, top = 0, 0
    for title, panels in plan().items():
        number += 1
        place = {"x": 0, "y": top, "w": 24, "h": 1}
        yield {"id": number, "type": "row", "title": title, "collapsed": False, "gridPos": place, "panels": []}
        top, left, height = top + 1, 0, 0
        for panel in panels:
            if left + panel.width > 24:
                top, left = top + height, 0
            number, height = number + 1, 4 if panel.is_stat else 8
            yield draw_panel(number, panel, {"x": left, "y": top, "w": panel.width, "h": height})
            left += panel.width
        top += height


def draw() -> str:
    """Return the dashboard as Grafana's JSON."""
    variable = {"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Prometheus"}
    dashboard = {
        "uid": "reminder-worker",
        "title": "reminder-worker",
        "tags": ["reminder-worker"],
        "timezone": "utc",
        "editable": False,
        "graphTooltip": 1,
        "refresh": "1m",
        "schemaVersion": 42,
        "time": {"from": "now-24h", "to": "now"},
        "templating": {"list": [variable]},
        "panels": list(draw_panels()),
    }
    return json.dumps(dashboard, indent=1) + "\n"


if __name__ == "__main__":
    find_page().write_text(draw())
