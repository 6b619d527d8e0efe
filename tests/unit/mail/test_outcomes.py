"""Results of claimed emails."""

from uuid import uuid4

from reminder_worker.outbox.mail_client import (
    EmailAccepted,
    EmailInDoubt,
    EmailRefused,
    MessageStatus,
    NotAccepted,
    SuppressedAddress,
)
from reminder_worker.outbox.models import ClaimedEmail
from reminder_worker.outbox.outcomes import (
    FIRST_BACKOFF_SECONDS,
    LONGEST_BACKOFF_SECONDS,
    OUTAGE_AFTER,
    OUTAGE_PAUSE_SECONDS,
    MailOutage,
    choose_backoff,
    drop_email,
    hold_email,
    retry_later,
    settle_answer,
    settle_status,
)


def make_entry(tries: int = 0, rejections: int = 0, *, undecided: bool = False) -> ClaimedEmail:
    return ClaimedEmail(uuid4(), 1, "owner_reset", tries, rejections, b"hash", None, undecided, None)


def test_retries_are_spread_over_a_growing_time_that_is_bounded() -> None:
    """The first is the next tick's. Somebody who asks for a time gets it."""
    spans = [max(choose_backoff(tries) for _ in range(300)) for tries in (1, 4, 8, 30)]
    assert spans == sorted(spans)
    assert choose_backoff(0) == FIRST_BACKOFF_SECONDS
    assert spans[0] <= 10
    assert 0.9 * LONGEST_BACKOFF_SECONDS < spans[-1] <= LONGEST_BACKOFF_SECONDS
    assert min(choose_backoff(30) for _ in range(300)) < LONGEST_BACKOFF_SECONDS / 4
    assert settle_answer(make_entry(), NotAccepted(4000.0)).delay >= 4000


def test_only_rejections_count_towards_dead() -> None:
    assert settle_answer(make_entry(tries=99, rejections=1), EmailRefused(422)).state == "released"
    assert settle_answer(make_entry(rejections=2), EmailRefused(422)).state == "dead"
    assert settle_answer(make_entry(tries=10**6), NotAccepted()).state == "released"


def test_what_may_have_been_accepted_is_never_taken_for_unsent() -> None:
    one = make_entry(undecided=True)
    for each in (settle_answer(one, NotAccepted()), retry_later(one, 1.0), MailOutage().defer_email(one)):
        assert each.state == "unknown"
    assert settle_answer(make_entry(), EmailInDoubt()).state == "unknown"


def test_what_the_mail_service_knows_decides() -> None:
    one = make_entry(undecided=True)
    assert settle_status(one, MessageStatus("accepted", "<id>")).message_id == "<id>"
    states = [settle_status(one, MessageStatus(state)).state for state in ("in_doubt", "in_flight")]
    assert states == ["held", "unknown"]


def test_only_what_reached_nobody_is_given_back_to_the_address_and_its_day() -> None:
    one = make_entry()
    reached = (
        settle_answer(one, EmailAccepted("<id>")),
        settle_answer(one, EmailInDoubt()),
        hold_email(one, "in_doubt"),
    )
    nobody = (
        settle_answer(one, EmailRefused(422)),
        settle_answer(one, SuppressedAddress()),
        settle_answer(one, NotAccepted()),
        drop_email(one, "erased"),
        retry_later(one, 1),
    )
    assert [each.refund for each in (*reached, *nobody)] == [False] * len(reached) + [True] * len(nobody)


def test_one_good_answer_ends_an_outage_and_the_pause_that_was_asked_for() -> None:
    outage = MailOutage()
    outage.note_answer(NotAccepted(1234.0))
    assert outage.pause == 1234
    outage.note_answer(EmailRefused(422))
    assert outage.pause == OUTAGE_PAUSE_SECONDS
    for _ in range(OUTAGE_AFTER):
        assert not outage.begun
        outage.note_answer(EmailInDoubt())
    assert outage.begun
    outage.note_answer(EmailAccepted("<id>"))
    assert not outage.begun, "by the answer to one that was under way"
