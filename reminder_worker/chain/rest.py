"""Rest of an endpoint: after failures, for as long as it asks, and until a used-up allowance begins again."""

import re
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Final

from reminder_worker.chain.types import NODE_POLICY

SPENT: Final = re.compile(r"(daily|monthly) (request|credit|capacity|quota|usage)", re.I)
"""Words of Infura, Alchemy and QuickNode for a used-up allowance."""


class EndpointBackoff:
    """Exponential backoff with jitter. After a slow failure the other endpoints are asked first for a while."""

    def __init__(self, clock: Callable[[], float], jitter: Callable[[], float]) -> None:
        self._clock = clock
        self._jitter = jitter
        self._began = float("-inf")
        self._asked_last_until = float("-inf")
        self.failures = 0
        self.until = float("-inf")
        self.spent_until = 0
        """Unix seconds: the allowance was used up until then."""

    def now(self) -> float:
        return self._clock()

    @property
    def is_resting(self) -> bool:
        return self._clock() < self.until

    @property
    def is_asked_last(self) -> bool:
        """Return whether the other endpoints are asked first."""
        return self._clock() < self._asked_last_until

    def record_failure(self, started: float) -> None:
        """Record a failure of a request begun at `started`. Concurrent failures count once."""
        if started < self._began:
            return
        self.failures += 1
        policy, doublings = NODE_POLICY, min(self.failures - 1, 16)
        longest = min(policy.longest_rest_seconds, policy.first_rest_seconds * 2**doublings)
        self._began = self._clock()
        self.until = max(self.until, self._began + longest * (0.5 + self._jitter() / 2))
        asked_last_seconds = policy.asked_last_times * (self._began - started)
        self._asked_last_until = max(self._asked_last_until, self._began + asked_last_seconds)

    def record_wait(self, seconds: float) -> None:
        """Rest for at least as long as the endpoint asks for."""
        self.until = max(self.until, self._clock() + seconds)

    @property
    def is_spent(self) -> bool:
        return self.spent_until > 0 and self.is_resting

    def record_spent(self, seconds: float) -> None:
        """Rest until the allowance begins again."""
        self.until, self.spent_until = self._clock() + seconds, round(time.time() + seconds)

    def record_success(self) -> None:
        self.failures = self.spent_until = 0
        self.until = self._asked_last_until = float("-inf")


def read_spent_seconds(status: int, retry_after: str, body: bytes) -> float:
    """Return for how long an endpoint's allowance is used up; 0 if its answer does not say so.

    HTTP 402 says so, and 429 with a wait of more than an hour or with a provider's words. Without a time the allowance
    begins again at the next midnight (UTC).
    """
    if status not in (402, 429):
        return 0
    now = time.time()
    wait = min(read_wait(retry_after, now), 31 * 86400)
    if wait > (0 if status == 402 else 3600):
        return wait
    is_spent = status == 402 or SPENT.search(body.decode(errors="replace"))
    return seconds_to_midnight(now) if is_spent else 0


def seconds_to_midnight(now: float) -> float:
    return 86400 - now % 86400


def read_wait(retry_after: str, now: float) -> float:
    """Return the seconds of a `Retry-After`, which has seconds or a date; 0 for anything else.

    Negative for a date in the past.
    """
    if re.fullmatch("[0-9]{1,9}", retry_after):
        return int(retry_after)
    try:
        return parsedate_to_datetime(retry_after).timestamp() - now
    except (ValueError, OverflowError):
        return 0
