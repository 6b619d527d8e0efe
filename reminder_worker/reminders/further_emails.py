"""Further emails of a reminder window: on which days they come, and for whom.

`turn` counts the emails of a window for one deadline: the first email has turn 0, further ones count from 1. All times
are chain times in unix seconds.
"""

from collections.abc import Sequence

from reminder_worker.outbox.messages import RecipientRole
from reminder_worker.reminders.audience import CLAIM_WINDOWS

DAY_SECONDS = 24 * 3600
CLAIM_DAYS = (30, 90, 365)
"""Days after the opening on which the heirs are reminded again while nobody has claimed."""
BEFORE_ACTIVATION = 1
_OWNERS = frozenset({RecipientRole.OWNER, RecipientRole.COSIGNER})


def list_further_times(window: int, deadline: int, ahead: int) -> tuple[int, ...]:
    """Return when the further emails of a window come, in order. `ahead`: the owner's notice, in seconds."""
    if window == BEFORE_ACTIVATION and ahead >= 2 * DAY_SECONDS:
        return (deadline - ahead // 2,)
    if window in CLAIM_WINDOWS:
        return tuple(deadline + days * DAY_SECONDS for days in CLAIM_DAYS)
    return ()


def is_for_further(window: int, role: RecipientRole) -> bool:
    """Return whether further emails of a window go to this role.

    Before the deadline they go to those who can check in, once claims are open to the heirs.
    """
    if window == BEFORE_ACTIVATION:
        return role in _OWNERS
    return window in CLAIM_WINDOWS and role not in _OWNERS


def count_left(window: int, turn: int) -> int:
    """Return how many further emails of a window may follow the email of this turn."""
    return (1 if window == BEFORE_ACTIVATION else len(CLAIM_DAYS)) - turn


def find_end_of_reminders(window: int, deadline: int, turn: int, premium_until: int) -> int | None:
    """Return the end of Premium if it comes before the next further email to an heir; None if it comes later."""
    if window not in CLAIM_WINDOWS or turn >= len(CLAIM_DAYS):
        return None
    following = deadline + CLAIM_DAYS[turn] * DAY_SECONDS
    return premium_until if premium_until < following else None


def count_passed(times: Sequence[int], until: int) -> int:
    """Return how many of these times have come."""
    return sum(time <= until for time in times)


def find_turn(further_due: int, further_over: int) -> int:
    """Return the turn of the email that is due now. A further email whose day is over is not made up for."""
    return further_due if further_due > further_over else 0
