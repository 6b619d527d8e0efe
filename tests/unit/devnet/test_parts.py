"""The terminal of the local stack shows few and readable lines."""

import json
from io import StringIO

from rich.console import Console

from devnet.parts import StackLog

FACTS = {"state": "waits for its time", "function": "upgradeAndCall(address,address,bytes)", "data": "0x" + "ab" * 300}


def shown(**record: object) -> str:
    terminal = StringIO()
    StackLog(Console(file=terminal, width=120)).part("dagster code", json.dumps(record))
    return terminal.getvalue().partition("│ ")[2]


def alert(facts: dict[str, str], status: str = "event", kind: str = "upgrade_scheduled", subject: str = "0x9a") -> str:
    fields = {"alert_id": "1", "kind": kind, "status": status, "chain_id": 31337, "subject": subject}
    return shown(event="alert", level="warning", **fields, facts=facts)


def test_an_alert_is_one_short_line_with_its_kind_its_subject_and_what_it_is() -> None:
    assert alert(FACTS) == "alert  upgrade scheduled 0x9a: upgradeAndCall(address,address,bytes)\n"
    assert alert({"what": "cancelled"} | FACTS, kind="upgrade_corrected").endswith(" corrected 0x9a: cancelled\n")
    assert alert({}, "raised", "worker_stalled", "sent_emails") == "alert  worker stalled sent_emails: raised\n"
    assert alert({}, kind="alerts_digest", subject="") == "alert  alerts digest: event\n"


def test_of_another_line_each_field_is_shown() -> None:
    assert shown(event="request", level="info", route="/schema", status=200) == "request  route=/schema status=200\n"
