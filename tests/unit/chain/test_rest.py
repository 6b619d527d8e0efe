"""How long a failing endpoint is left alone."""

import time
from email.utils import formatdate

import pytest

from reminder_worker.chain.rest import EndpointBackoff, read_spent_seconds
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


def test_jitter_shortens_a_rest_by_at_most_half_and_requests_that_failed_together_count_once() -> None:
    clock = Clock()
    rest = EndpointBackoff(clock, lambda: 0.0)
    started = clock.now
    clock.now += 5
    for _ in range(8):
        rest.record_failure(started)
    assert rest.failures == 1
    assert rested(clock, rest) == NODE_POLICY.first_rest_seconds / 2


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


def test_a_used_up_allowance_rests_to_its_end_whatever_fails_meanwhile() -> None:
    clock = Clock()
    rest = EndpointBackoff(clock, lambda: 1.0)
    started = clock.now
    rest.record_failure(started)
    rest.record_spent(7200)
    clock.now += 5
    rest.record_failure(clock.now)
    assert (rest.is_spent, rested(clock, rest)) == (True, 7195)
    clock.now += 7195
    assert not rest.is_spent
    rest.record_spent(7200)
    rest.record_success()
    assert not rest.is_resting


def test_an_answer_says_for_how_long_an_allowance_is_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """At six in the morning: the next midnight is 18 hours away."""
    monkeypatch.setattr(time, "time", lambda: 6 * 3600.0)
    for status, retry_after, body, hours in (
        (402, "", b"", 18),
        (402, "600", b"", 1 / 6),
        (402, "soon", b"", 18),
        (429, "", b'{"error":{"message":"daily request count exceeded, request rate limited"}}', 18),
        (429, "1", b'{"error":{"message":"Monthly capacity limit exceeded. Visit ..."}}', 18),
        (429, "7200", b"", 2),
        (429, formatdate(6 * 3600 + 7200, usegmt=True), b"", 2),
        (429, "99999999", b"", 31 * 24),
        (429, "3600", b"", 0),
        (429, "", b"too many requests per second", 0),
        (500, "7200", b"daily request count exceeded", 0),
    ):
        assert read_spent_seconds(status, retry_after, body) == hours * 3600
