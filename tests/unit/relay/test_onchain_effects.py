"""Resolution: which effects on chain belong to a request, and how a failed call ends it."""

from dataclasses import replace
from uuid import UUID

from reminder_worker.relay.models import RelayLane, RequestState
from reminder_worker.relay.onchain_effects import OnchainEffect, end_failed_call, sort_effects
from reminder_worker.relay.state_machine import AuthorizationFate
from reminder_worker.relay.store import StoredRequest

CLAIM, CHECK_IN, GIFT = RelayLane.CLAIM, RelayLane.CHECK_IN, RelayLane.GIFT_WITHDRAW
SOMEBODY = "0x" + "11" * 20
REQUEST = StoredRequest(
    id=UUID(int=1),
    lane=CLAIM,
    digest=bytes(32),
    router=SOMEBODY,
    subject_id=7,
    signer=SOMEBODY,
    nonce=3,
    deadline=2**40,
    state=RequestState.BROADCAST,
    reason=None,
    created_at=0.0,
    age=0.0,
    key_id="",
    salt=b"",
)


def test_effect_is_of_the_request_of_another_authorization_or_of_neither() -> None:
    for lane, effect, own_nonces, other_claims, same_and_other in (
        (CLAIM, (CLAIM, 7), {}, (), (True, False)),
        (CLAIM, (CLAIM, 7), {"0xa": 3}, (), (False, True)),
        (CLAIM, (CLAIM, 7), {"0xa": 2}, (), (False, False)),
        (CLAIM, (CLAIM, 7), {}, ("0xa",), (False, True)),
        (CLAIM, (CLAIM, 8), {}, (), (False, True)),
        (CLAIM, (CHECK_IN, 7), {}, (), (False, True)),
        (CLAIM, (CHECK_IN, 7), {"0xa": 2}, (), (False, False)),
        (GIFT, (GIFT, 7), {}, (), (True, False)),
        (GIFT, (GIFT, 7), {"0xa": 2}, (), (True, False)),
        (GIFT, (GIFT, 8), {"0xa": 2}, (), (False, False)),
    ):
        effects = [OnchainEffect("0xa", *effect)]
        assert sort_effects(replace(REQUEST, lane=lane), effects, own_nonces, frozenset(other_claims)) == same_and_other


def test_a_failed_call_pauses_signers_who_made_us_pay_for_nothing() -> None:
    for fate, state, paused in (
        (AuthorizationFate.ALIVE, RequestState.REVERTED, True),
        (AuthorizationFate.CANCELLED, RequestState.CANCELLED_BY_USER, True),
        (AuthorizationFate.SUPERSEDED, RequestState.SUPERSEDED, True),
        (AuthorizationFate.SATISFIED, RequestState.SATISFIED_ELSEWHERE, False),
        (AuthorizationFate.EXPIRED, RequestState.EXPIRED, False),
    ):
        ending = end_failed_call(CLAIM, fate)
        assert (ending.state, ending.paused) == (state, paused)
        assert not end_failed_call(RelayLane.AUTO_RENEW, fate).paused
