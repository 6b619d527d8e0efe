"""Findings of the watchdog, and about the heartbeat. Shows no address."""

from collections.abc import AsyncIterator

from sqlalchemy.exc import SQLAlchemyError

from reminder_worker.doctor.finding import Finding
from reminder_worker.monitoring.facts import LOOKED_WITHIN_SECONDS, FactScope, read_facts
from reminder_worker.monitoring.watchdog import NOT_TOLD_YET
from reminder_worker.outbox.messages import format_duration
from reminder_worker.outbox.operator_facts import RaisedCondition
from reminder_worker.settings import Settings


async def look_at_watch(settings: Settings, scope: FactScope) -> AsyncIterator[Finding]:
    try:
        facts = await read_facts(scope, "conditions", "passes")
    except SQLAlchemyError:
        return  # the database's own finding says why
    wrong, state = facts.conditions, facts.watchdog
    report = (state.detail if state else None) or {}
    if wrong:
        words = ", ".join(f"{each.kind} ({_about(each)}) for {format_duration(each.age)}" for each in wrong)
        yield "watchdog", False, f"wrong now: {words}: see the runbook for each"
    if state is None or state.checked_age is None:
        yield "watchdog", None, "has not looked yet: start Dagster, or `reminder-worker tick`"
    elif state.checked_age > LOOKED_WITHIN_SECONDS:
        words = f"has not looked for {format_duration(state.checked_age)}: does anything run?"
        yield "watchdog", False, f"{words} start Dagster, or `reminder-worker tick`"
    elif state.error:
        yield "watchdog", False, f"its last look failed ({state.error}): nobody knows what is wrong; see the log"
    elif not wrong and report.get("wrong"):
        yield "watchdog", None, f"{NOT_TOLD_YET}: ask again in a few minutes"
    elif not wrong:
        yield "watchdog", True, f"looked {format_duration(state.checked_age)} ago: nothing is wrong"
    yield _heartbeat(settings, str(report.get("heartbeat")) if state else "")


def _about(condition: RaisedCondition) -> str:
    """Return the subject with its chain; emails are not of one chain."""
    where = f"chain {condition.chain_id}" if condition.chain_id else ""
    return ", ".join(filter(None, (condition.subject, where)))


def _heartbeat(settings: Settings, last: str) -> Finding:
    if settings.ops.heartbeat_url is None:
        return "heartbeat", None, "not configured (HEARTBEAT_URL): nobody notices when this service is down as a whole"
    if last in ("asked", "silent", "off", ""):
        words = {"asked": "the last ping was taken", "silent": "silent, since something is wrong: see watchdog"}
        return "heartbeat", None if last == "silent" else True, words.get(last, "configured, no ping yet")
    return "heartbeat", False, f"the last ping failed ({last}): see HEARTBEAT_URL"
