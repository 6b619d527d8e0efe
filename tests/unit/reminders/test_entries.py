"""What becomes of an entry."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from reminder_worker.mail.messages import Kind
from reminder_worker.reminders.entries import (
    FIRST_BACKOFF_SECONDS,
    LONGEST_BACKOFF_SECONDS,
    Entry,
    StoredRecipient,
    backoff,
    dropped,
    held,
    later,
    not_accepted,
    rejected,
    sent,
    suppressed,
    undecided,
)


def entry(*, tries: int = 0, rejections: int = 0, undecided: bool = False) -> Entry:
    stored = StoredRecipient("key", b"salt", b"email", b"name", b"hash")
    made = datetime.now(UTC)
    return Entry(
        uuid4(), 1, "0x", "0x", Kind.OWNER_RESET, "e", "owner", tries, rejections, made, stored, undecided, b"secret"
    )


def test_the_first_retry_is_the_next_ticks() -> None:
    assert backoff(0) == FIRST_BACKOFF_SECONDS


def test_retries_are_spread_over_a_growing_time_that_is_bounded() -> None:
    spans = [max(backoff(tries) for _ in range(300)) for tries in (1, 4, 8, 30)]
    assert spans == sorted(spans)
    assert spans[0] <= 10
    assert 0.9 * LONGEST_BACKOFF_SECONDS < spans[-1] <= LONGEST_BACKOFF_SECONDS
    assert min(backoff(30) for _ in range(300)) < LONGEST_BACKOFF_SECONDS / 4


def test_retry_after_is_the_least_to_wait() -> None:
    assert not_accepted(entry(), 4000.0).delay >= 4000


def test_only_rejections_count_towards_dead() -> None:
    assert rejected(entry(tries=99, rejections=1), 422).state == "released"
    assert rejected(entry(rejections=2), 422).state == "dead"
    assert not_accepted(entry(tries=10**6), None).state == "released"


def test_what_may_have_been_accepted_is_never_taken_for_unsent() -> None:
    assert not_accepted(entry(undecided=True), None).state == "unknown"
    assert later(entry(undecided=True), 1.0).state == "unknown"


def test_only_what_reached_nobody_is_given_back_to_the_address_and_its_day() -> None:
    one = entry()
    for nobody in (rejected(one, 422), suppressed(one), dropped(one, "erased"), not_accepted(one, None), later(one, 1)):
        assert nobody.refund
    assert not any(each.refund for each in (sent(one, "<id>"), undecided(one), held(one, "in_doubt")))


@pytest.mark.parametrize("secret", ["secret", "b'email'", "b'name'", "salt", "hash"])
def test_an_entry_does_not_show_what_is_in_it(secret: str) -> None:
    assert secret not in repr(entry())
