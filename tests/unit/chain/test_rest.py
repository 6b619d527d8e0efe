"""How long a failing endpoint is left alone."""

from reminder_worker.chain.rpc import EndpointBackoff
from reminder_worker.chain.types import NODE_POLICY


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def rested(clock: Clock, rest: EndpointBackoff) -> float:
    return rest.until - clock.now


def test_rests_double_up_to_a_limit_and_end_with_a_success() -> None:
    clock = Clock()
    rest = EndpointBackoff(clock, lambda: 1.0)
    lengths = []
    for _ in range(20):
        rest.record_failure(clock.now)
        lengths.append(rested(clock, rest))
        clock.now = rest.until
        assert not rest.is_resting
    assert lengths[:4] == [NODE_POLICY.first_rest_seconds * factor for factor in (1, 2, 4, 8)]
    assert lengths[-1] == NODE_POLICY.longest_rest_seconds
    rest.record_success()
    rest.record_failure(clock.now)
    assert rested(clock, rest) == NODE_POLICY.first_rest_seconds


def test_jitter_shortens_a_rest_by_at_most_half() -> None:
    clock = Clock()
    rest = EndpointBackoff(clock, lambda: 0.0)
    rest.record_failure(clock.now)
    assert rested(clock, rest) == NODE_POLICY.first_rest_seconds / 2


def test_requests_that_failed_together_count_once() -> None:
    clock = Clock()
    rest = EndpointBackoff(clock, lambda: 1.0)
    started = clock.now
    clock.now += 5
    for _ in range(8):
        rest.record_failure(started)
    assert rest.failures == 1


def test_a_slow_endpoint_is_asked_last_until_it_succeeds_and_a_quick_failure_changes_nothing() -> None:
    clock = Clock()
    rest = EndpointBackoff(clock, lambda: 1.0)
    clock.now += 15
    rest.record_failure(clock.now - 15)
    clock.now += 30
    rest.record_failure(clock.now)
    clock.now += 29
    assert rest.is_asked_last
    assert not rest.is_resting
    clock.now += 2
    assert not rest.is_asked_last
    rest.record_failure(clock.now - 15)
    assert rest.is_asked_last
    rest.record_success()
    assert not rest.is_asked_last
