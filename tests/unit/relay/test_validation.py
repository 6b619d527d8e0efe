"""Validation of requests on frozen facts, rule by rule, without a chain."""

from dataclasses import replace
from typing import Any

import pytest

from reminder_worker.chain.contracts.legacies import LegacyFacts, LegacyMembers
from reminder_worker.chain.contracts.routers import CheckInFacts, ClaimFacts, TimelockDetails, WithdrawFacts
from reminder_worker.chain.events import TRANSFER_TOPIC
from reminder_worker.chain.simulation import SimulatedTransaction
from reminder_worker.chain.types import ETHER, BlockHeader, SimulatedLog
from reminder_worker.errors import Refused
from reminder_worker.indexer.models import GIFT, LIVE
from reminder_worker.relay.authorizations import CheckInRequest, ClaimRequest, Request, SignedCall, WithdrawRequest
from reminder_worker.relay.models import LEAST_SECONDS_LEFT
from reminder_worker.relay.validation import (
    LEAST_GAS_LIMIT,
    MOST_AHEAD_SECONDS,
    MOST_WAITING,
    RequestFacts,
    check_effects,
    check_request,
    estimate_gas,
)
from tests.integration.relay_authorizations import GAS as LANE_GAS
from tests.integration.relay_authorizations import authorization

NOW = 1_900_000_000
ROUTER, LEGACY, OWNER, HEIR, COUSIN, TOKEN, OTHER = ("0x" + f"{number:02x}" * 20 for number in range(1, 8))
OTHER_TOKEN, FOREIGN_TOKEN = ("0x" + f"{number:02x}" * 20 for number in (8, 9))
WOULD_FAIL = bytes(4)

HEAD = BlockHeader(1, "0x" + "00" * 32, "0x" + "00" * 32, NOW)
FAMILY = LegacyFacts(
    legacy=LEGACY,
    legacy_id=7,
    creator=OWNER,
    owner=OWNER,
    router=ROUTER,
    legacy_type=3,
    members=LegacyMembers(
        owner=OWNER, creator=OWNER, beneficiaries=(HEIR, COUSIN), second_line=OTHER, third_line=OTHER
    ),
    is_live=True,
    triggers=(NOW, NOW + 10, NOW + 20),
    name="",
)
CLAIM = ClaimRequest(1, ROUTER, 7, HEIR, 3, NOW + 600, b"", assets=(TOKEN,), is_eth=False)
CLAIM_FACTS = RequestFacts(HEAD, ClaimFacts(3, LEGACY, False, frozenset({TOKEN})), FAMILY, frozenset())
CHECK_IN = CheckInRequest(1, ROUTER, 7, OWNER, 3, NOW + 600, b"")
CHECK_IN_FACTS = RequestFacts(HEAD, CheckInFacts(3, LEGACY, True, 3600), FAMILY, frozenset())
GIFT_DETAILS = TimelockDetails(((TOKEN, 5),), NOW, OWNER, HEIR, False, GIFT, LIVE)
WITHDRAWAL = WithdrawRequest(1, ROUTER, 9, HEIR, 3, NOW + 600, b"", skip_swap=False)
WITHDRAWAL_FACTS = RequestFacts(HEAD, WithdrawFacts(3, GIFT_DETAILS, frozenset({TOKEN})), None, frozenset())
GOOD: dict[type[Request], tuple[Request, RequestFacts]] = {
    ClaimRequest: (CLAIM, CLAIM_FACTS),
    CheckInRequest: (CHECK_IN, CHECK_IN_FACTS),
    WithdrawRequest: (WITHDRAWAL, WITHDRAWAL_FACTS),
}


def transfer_log(token: str, receiver: str) -> SimulatedLog:
    topics = (TRANSFER_TOPIC, *("0x" + address[2:].rjust(64, "0") for address in (LEGACY, receiver)))
    return SimulatedLog(token, topics, (5).to_bytes(32, "big"))


def check(request: Request, facts: RequestFacts, version: str = "1") -> bool:
    return check_request(SignedCall(request, version, bytes(32), b""), facts)


def refusal_code(request: Request, facts: RequestFacts, version: str = "1") -> str:
    with pytest.raises(Refused) as refused:
        check(request, facts, version)
    return refused.value.code


def change(facts: RequestFacts, *, legacy: Any = None, **router: Any) -> RequestFacts:
    changed = replace(facts, router=replace(facts.router, **router))
    return changed if legacy is None else replace(changed, legacy=replace(FAMILY, **legacy))


def test_good_requests_pass_and_count_on_their_creator() -> None:
    for request, facts in GOOD.values():
        assert (check(request, facts), facts.creator) == (False, OWNER), request


@pytest.mark.parametrize("request_class", GOOD)
def test_rules_of_every_lane(request_class: type[Request]) -> None:
    request, facts = GOOD[request_class]
    assert refusal_code(replace(request, deadline=NOW + LEAST_SECONDS_LEFT - 1), facts) == "expired"
    assert refusal_code(replace(request, nonce=2), facts) == "already_used"
    assert refusal_code(replace(request, nonce=4), facts) == "nonce_mismatch"
    under_way = replace(facts, open_nonces=frozenset({3, 4}))
    assert refusal_code(request, under_way) == "nonce_mismatch"
    assert check(replace(request, nonce=5), under_way)
    many = replace(facts, open_nonces=frozenset(range(3, 4 + MOST_WAITING)))
    assert refusal_code(replace(request, nonce=4 + MOST_WAITING), many) == "nonce_mismatch"


def test_rules_of_claims() -> None:
    for request_change, facts, code in (
        ({"assets": ()}, CLAIM_FACTS, "invalid_input"),
        ({"assets": (TOKEN, TOKEN)}, CLAIM_FACTS, "invalid_input"),
        ({"assets": (OTHER,)}, CLAIM_FACTS, "invalid_input"),
        ({}, change(CLAIM_FACTS, disabled=True), "sponsored_claims_disabled"),
        ({}, replace(CLAIM_FACTS, legacy=None), "not_a_known_legacy"),
        ({"signer": OWNER}, CLAIM_FACTS, "only_beneficiaries"),
        ({"signer": OTHER}, CLAIM_FACTS, "cannot_claim"),
        ({}, change(CLAIM_FACTS, legacy={"triggers": (NOW + 1, NOW + 2, NOW + 3)}), "legacy_still_active"),
    ):
        assert refusal_code(replace(CLAIM, **request_change), facts) == code


def test_rules_of_check_ins() -> None:
    assert refusal_code(replace(CHECK_IN, signer=HEIR), CHECK_IN_FACTS) == "signer_mismatch"
    assert refusal_code(CHECK_IN, change(CHECK_IN_FACTS, legacy={"is_live": False})) == "legacy_not_found"
    assert refusal_code(CHECK_IN, change(CHECK_IN_FACTS, most_ttl=599)) == "check_in_deadline_too_far"
    assert refusal_code(CHECK_IN, change(CHECK_IN_FACTS, premium=False)) == "premium_required"


def test_rules_of_withdrawals() -> None:
    for details, code in (
        ({"lock_type": GIFT + 1}, "not_a_gift"),
        ({"recipient": OWNER}, "signer_mismatch"),
        ({"status": LIVE + 1}, "timelock_not_live"),
        ({"assets": ()}, "timelock_not_live"),
        ({"assets": ((OTHER, 5),)}, "not_only_whitelisted_tokens"),
        ({"unlock_time": NOW + 1}, "still_locked"),
    ):
        assert refusal_code(WITHDRAWAL, change(WITHDRAWAL_FACTS, details=replace(GIFT_DETAILS, **details))) == code


def test_a_withdrawal_needs_a_timelock_and_in_version_2_a_near_deadline() -> None:
    assert refusal_code(WITHDRAWAL, change(WITHDRAWAL_FACTS, details=None)) == "not_found"
    far = replace(WITHDRAWAL, deadline=NOW + MOST_AHEAD_SECONDS + 1)
    assert refusal_code(far, WITHDRAWAL_FACTS, "2") == "withdraw_deadline_too_far"
    assert not check(far, WITHDRAWAL_FACTS)


def test_bad_effects_are_refused() -> None:
    for request_, effects, code, words in (
        (CLAIM, {}, "nothing_to_claim", "deliver nothing"),
        (CLAIM, {"simulated": SimulatedTransaction((), None)}, "nothing_to_claim", "deliver nothing"),
        (CLAIM, {"revert": WOULD_FAIL}, "would_fail", "would fail on chain"),
        (replace(CLAIM, is_eth=True), {"revert": WOULD_FAIL}, "would_fail", "fewer assets"),
        (CLAIM, {"revert": WOULD_FAIL, "succeeds_with_more_gas": True}, "would_fail", "claim needs more gas"),
        (CHECK_IN, {"revert": WOULD_FAIL, "succeeds_with_more_gas": True}, "would_fail", "transaction needs more"),
        (WITHDRAWAL, {"holds_nfts": True}, "not_only_whitelisted_tokens", "whitelisted"),
    ):
        with pytest.raises(Refused, match=words) as refused:
            check_effects(request_, replace(CLAIM_FACTS, **effects))
        assert refused.value.code == code


def test_a_failing_claim_of_a_legacy_that_ended_says_so() -> None:
    over = change(CLAIM_FACTS, legacy={"is_live": False})
    with pytest.raises(Refused) as refused:
        check_effects(CLAIM, replace(over, revert=WOULD_FAIL))
    assert refused.value.code == "cannot_claim"


def test_good_effects_pass() -> None:
    """Without a simulation, a claim needs ether or allowed tokens; other lanes need only the plain call."""
    check_effects(CLAIM, replace(CLAIM_FACTS, has_tokens=True))
    check_effects(replace(CLAIM, is_eth=True), replace(CLAIM_FACTS, pays_ether=True))
    check_effects(CHECK_IN, CHECK_IN_FACTS)
    check_effects(WITHDRAWAL, replace(WITHDRAWAL_FACTS, simulated=SimulatedTransaction((), 1)))


def test_gas_needed_is_twice_the_simulated_gas() -> None:
    for used, needs in (
        (None, None),
        (0, LEAST_GAS_LIMIT),
        (LEAST_GAS_LIMIT // 2 + 1, LEAST_GAS_LIMIT + 2),
        (210_000, 420_000),
    ):
        assert estimate_gas(SimulatedTransaction((), used), OWNER, ()) == needs
        assert estimate_gas(None, OWNER, ()) is None


def test_asset_that_may_still_arrive_counts_as_much_as_a_paid_asset() -> None:
    """A transfer of a missing asset cannot make the claim fail. Only named assets count as paid.

    The transaction itself and its signature are paid once, however many assets are missing.
    """
    paid = (TOKEN, OTHER_TOKEN, ETHER)
    for count, needs in enumerate((None, 960_000, 540_000, 400_000)):
        logs = tuple(transfer_log(token, HEIR) for token in (*paid[:count], FOREIGN_TOKEN))
        assert estimate_gas(SimulatedTransaction(logs, 200_000), HEIR, paid) == needs


def test_claim_of_one_of_nine_assets_reserves_less_than_its_whole_lane() -> None:
    simulated = SimulatedTransaction((transfer_log(TOKEN, HEIR),), 250_000)
    needs = estimate_gas(simulated, HEIR, (TOKEN, *(f"0x{number:040x}" for number in range(1, 9))))
    assert needs is not None
    assert needs < 4_000_000, "the default of RELAY_CLAIM_GAS"


def test_gas_never_exceeds_the_limit_of_the_lane() -> None:
    for needs, gas in ((None, LANE_GAS), (LANE_GAS - 1, LANE_GAS - 1), (LANE_GAS, LANE_GAS), (2**256, LANE_GAS)):
        assert authorization(1, needs=needs).gas_now == gas
