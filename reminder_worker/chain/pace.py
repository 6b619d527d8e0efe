"""Pace of requests to one endpoint, as learned from its refusals."""

import asyncio
from collections.abc import Awaitable, Callable

from reminder_worker.chain.types import NODE_POLICY


class RequestPace:
    """Size of batches, and requests a second, that one endpoint accepts.

    Providers count each request of a batch. Both numbers are forgotten after `larger_batches_again_seconds`: the reason
    may pass.
    """

    def __init__(self, clock: Callable[[], float], sleep: Callable[[float], Awaitable[object]]) -> None:
        self._clock = clock
        self._sleep = sleep
        self._batch_size = NODE_POLICY.batch_requests
        self._per_second: int | None = None
        self._refused_at = float("-inf")
        self._next_at = float("-inf")

    @property
    def batch_size(self) -> int:
        if self._is_forgotten:
            return NODE_POLICY.batch_requests
        return min(self._batch_size, self._per_second or self._batch_size)

    @property
    def _is_forgotten(self) -> bool:
        return self._clock() - self._refused_at >= NODE_POLICY.larger_batches_again_seconds

    async def wait_for_turn(self, requests: int) -> bool:
        """Wait until so many more requests keep the endpoint's limit a second, if one is known.

        Return False at once if too many requests wait already: the next endpoint is faster.
        """
        if self._is_forgotten:
            self._batch_size, self._per_second = NODE_POLICY.batch_requests, None
        now = self._clock()
        turn = max(now, self._next_at)
        if turn - now > NODE_POLICY.longest_wait_seconds:
            return False
        seconds = requests / self._per_second if self._per_second else 0
        self._next_at = turn + seconds
        try:
            if turn > now:
                await self._sleep(turn - now)
        except asyncio.CancelledError:
            self._next_at -= seconds
            raise
        return True

    def record_large_batch(self, requests: int) -> None:
        """Record that the endpoint refuses a batch of so many requests, at any pace."""
        self._batch_size, self._refused_at = max(1, requests // 2), self._clock()

    def record_limit(self, requests: int, answered: int) -> None:
        """Record a batch beyond the endpoint's limit a second. `answered` of its requests have an answer.

        Other processes share the limit: the next second may allow more than this one did. Therefore a small batch shows
        no limit. It only becomes smaller if nothing is answered: some endpoints refuse batches in this way.
        """
        now = self._clock()
        self._next_at = max(self._next_at, now + 1)
        if requests >= NODE_POLICY.telling_batch_requests:
            self._per_second, self._refused_at = max(answered, requests // 2), now
        elif not answered:
            most = min(self.batch_size, NODE_POLICY.telling_batch_requests)
            self._batch_size, self._refused_at = max(1, most // 2), now
