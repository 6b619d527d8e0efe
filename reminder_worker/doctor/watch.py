"""What `doctor` says of the watchdog: what is wrong now, and whether the heartbeat works. Shows no address."""

from collections.abc import AsyncIterator

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.doctor.finding import Finding
from reminder_worker.monitoring import operations, operations_relay
from reminder_worker.monitoring.watchdog import LOOKED_WITHIN, NAME, NOT_TOLD_YET
from reminder_worker.outbox.messages import duration_words
from reminder_worker.settings import Settings


async def look_at_watch(settings: Settings, engine: AsyncEngine) -> AsyncIterator[Finding]:
    try:
        wrong = await operations_relay.conditions(engine)
        seen = await operations.pass_state_of(engine, NAME)
    except SQLAlchemyError:
        return  # the database's own finding says why
    if wrong:
        each = (f"{c.kind} ({_about(c)}) for {duration_words(c.age)}" for c in wrong)
        yield "watchdog", False, f"wrong now: {', '.join(each)}: see the runbook for each"
    if seen is None or seen.checked_age is None:
        yield "watchdog", None, "has not looked yet: start Dagster, or `reminder-worker tick`"
    elif not 0 <= seen.checked_age <= LOOKED_WITHIN:
        ahead = seen.checked_age < 0  # who is alive looks again, by the clock of now
        since = "since the database's clock was put back" if ahead else f"for {duration_words(seen.checked_age)}"
        yield (
            "watchdog",
            False,
            f"has not looked {since}: does anything run? start Dagster, or `reminder-worker tick`",
        )
    elif seen.error:
        yield "watchdog", False, f"its last look failed ({seen.error}): nobody knows what is wrong; see the log"
    elif not wrong and (seen.detail or {}).get("wrong"):
        yield "watchdog", None, f"{NOT_TOLD_YET}: ask again in a few minutes"
    elif not wrong:
        yield "watchdog", True, f"looked {duration_words(seen.checked_age)} ago: nothing is wrong"
    yield _heartbeat(settings, str((seen.detail or {}).get("heartbeat")) if seen else "")


def _about(condition: operations_relay.Condition) -> str:
    """Most of what can be wrong is of one chain; emails are of none."""
    where = f"chain {condition.chain_id}" if condition.chain_id else ""
    return ", ".join(filter(None, (condition.subject, where)))


def _heartbeat(settings: Settings, last: str) -> Finding:
    if settings.ops.heartbeat_url is None:
        return "heartbeat", None, "not configured (HEARTBEAT_URL): nobody notices when this service is down as a whole"
    if last in ("asked", "silent", "off", ""):
        words = {"asked": "the last ping was taken", "silent": "silent, since something is wrong: see watchdog"}
        return "heartbeat", None if last == "silent" else True, words.get(last, "configured, no ping yet")
    return "heartbeat", False, f"the last ping failed ({last}): see HEARTBEAT_URL"
