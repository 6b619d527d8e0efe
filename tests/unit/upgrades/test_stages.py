"""What makes a telling one of its kind."""

from reminder_worker.mail.messages import AlertKind
from reminder_worker.upgrades.stages import _once_more


def test_a_change_that_a_chain_goes_back_to_is_told_each_time() -> None:
    told: set[tuple[str, str, str]] = set()
    for stage in ("block", "block 2", "block 3"):
        alert = _once_more(AlertKind.UPGRADE_CORRECTED, "0x11", "block", {}, told)
        assert alert.stage == stage
        told.add((alert.kind.value, alert.subject, alert.stage))
