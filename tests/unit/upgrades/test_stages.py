"""Stages of alerts, and role members."""

from reminder_worker.outbox.messages import AlertKind
from reminder_worker.upgrades.notifications import _next_stage
from reminder_worker.upgrades.operations import QueueEvent, UpgradeEvent, role_members


def test_a_change_that_returns_is_alerted_each_time() -> None:
    told: set[tuple[str, str, str]] = set()
    for stage in ("block", "block 2", "block 3"):
        alert = _next_stage(AlertKind.UPGRADE_CORRECTED, "0x11", "block", {}, told)
        assert alert.stage == stage
        told.add((alert.kind.value, alert.subject, alert.stage))


def test_cancellers_are_not_proposers() -> None:
    """Alerts name the cancellers; one account may hold both roles, and lose one."""

    def said(place: int, name: str, role: str, account: str) -> UpgradeEvent:
        return UpgradeEvent(place, 0, "0x", 0, "0x", None, name, None, {"role": role, "account": account})

    events = [
        said(1, QueueEvent.GRANTED, "cancel", "ann"),
        said(2, QueueEvent.GRANTED, "propose", "ann"),
        said(3, QueueEvent.GRANTED, "propose", "bob"),
        said(4, QueueEvent.REVOKED, "propose", "ann"),
    ]
    assert (role_members(events, "cancel"), role_members(events, "propose")) == (["ann"], ["bob"])
