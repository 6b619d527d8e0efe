"""Pace of requests to one endpoint, as learned from its refusals."""

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

    async def wait_for_turn(self, requests: int) -> None:
        """Wait until so many more requests keep the endpoint's limit a second, if one is known."""
        if self._is_forgotten:
            self._batch_size, self._per_second = NODE_POLICY.batch_requests, None
        if self._per_second is None:
            return
        now = self._clock()
        turn = max(now, self._next_at)
        self._next_at = turn + requests / self._per_second
        if turn > now:
            await self._sleep(turn - now)

    def record_large_batch(self, requests: int) -> None:
        """Record that the endpoint refuses a batch of so many requests, at any pace."""
        self._batch_size, self._refused_at = max(1, requests // 2), self._clock()

    def record_limit(self, requests: int, answered: int) -> None:
        """Record a batch beyond the endpoint's limit a second. `answered` of its requests have an answer.

        Other processes share the limit: the next second may allow more than this one did.
        """
        now = self._clock()
        self._per_second = max(1, answered, requests // 2)
        self._refused_at, self._next_at = now, now + 1
