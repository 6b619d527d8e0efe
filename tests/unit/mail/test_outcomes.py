"""What becomes of a claimed email."""

from dataclasses import dataclass, field
from uuid import UUID, uuid4

from reminder_worker.outbox.mail_client import (
    Accepted,
    MessageStatus,
    NotAccepted,
    Refused,
    SuppressedAddress,
    Undecided,
)
from reminder_worker.outbox.outcomes import (
    FIRST_BACKOFF_SECONDS,
    LONGEST_BACKOFF_SECONDS,
    OUTAGE_AFTER,
    OUTAGE_PAUSE_SECONDS,
    Outage,
    answered,
    backoff,
    dropped,
    held,
    known,
    later,
)


@dataclass
class Entry:
    tries: int = 0
    rejections: int = 0
    undecided: bool = False
    chain_id: int = 1
    kind: str = "owner_reset"
    email_hash: bytes = b"hash"
    counted_on: int | None = None
    id: UUID = field(default_factory=uuid4)


def test_the_first_retry_is_the_next_ticks() -> None:
    assert backoff(0) == FIRST_BACKOFF_SECONDS


def test_retries_are_spread_over_a_growing_time_that_is_bounded() -> None:
    spans = [max(backoff(tries) for _ in range(300)) for tries in (1, 4, 8, 30)]
    assert spans == sorted(spans)
    assert spans[0] <= 10
    assert 0.9 * LONGEST_BACKOFF_SECONDS < spans[-1] <= LONGEST_BACKOFF_SECONDS
    assert min(backoff(30) for _ in range(300)) < LONGEST_BACKOFF_SECONDS / 4


def test_retry_after_is_the_least_to_wait() -> None:
    assert answered(Entry(), NotAccepted(4000.0)).delay >= 4000


def test_only_rejections_count_towards_dead() -> None:
    assert answered(Entry(tries=99, rejections=1), Refused(422)).state == "released"
    assert answered(Entry(rejections=2), Refused(422)).state == "dead"
    assert answered(Entry(tries=10**6), NotAccepted()).state == "released"


def test_what_may_have_been_accepted_is_never_taken_for_unsent() -> None:
    one = Entry(undecided=True)
    for each in (answered(one, NotAccepted()), later(one, 1.0), Outage().spared(one)):
        assert each.state == "unknown"
    assert answered(Entry(), Undecided()).state == "unknown"


def test_what_the_mail_service_knows_decides() -> None:
    one = Entry(undecided=True)
    assert known(one, MessageStatus("accepted", "<id>")).message_id == "<id>"
    assert [known(one, MessageStatus(state)).state for state in ("in_doubt", "in_flight")] == ["held", "unknown"]


def test_only_what_reached_nobody_is_given_back_to_the_address_and_its_day() -> None:
    one = Entry()
    reached = (answered(one, Accepted("<id>")), answered(one, Undecided()), held(one, "in_doubt"))
    nobody = (
        answered(one, Refused(422)),
        answered(one, SuppressedAddress()),
        answered(one, NotAccepted()),
        dropped(one, "erased"),
        later(one, 1),
    )
    assert [each.refund for each in (*reached, *nobody)] == [False] * len(reached) + [True] * len(nobody)


def test_one_good_answer_ends_an_outage_and_the_pause_that_was_asked_for() -> None:
    outage = Outage()
    outage.hear(NotAccepted(1234.0))
    assert outage.pause == 1234
    outage.hear(Refused(422))
    assert outage.pause == OUTAGE_PAUSE_SECONDS
    for _ in range(OUTAGE_AFTER):
        assert not outage.begun
        outage.hear(Undecided())
    assert outage.begun
    outage.hear(Accepted("<id>"))
    assert not outage.begun, "by the answer to one that was under way"
