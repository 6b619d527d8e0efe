"""Every custom error of the contracts has a stable code and a sentence; text of other contracts is never repeated."""

import re

from eth_abi.abi import encode
from eth_utils.crypto import keccak

from reminder_worker.errors import ContractRefused, Expired, NonceMismatch, SignerMismatch
from reminder_worker.relay.contract_errors import explain_revert, format_opening, make_refusal, name_error

# The names as on chain, misspelt ones included.
NAMES = [
    "SponsorshipExpired",
    "InvalidSponsorNonce",
    "InvalidSponsorSignature",
    "SponsoredClaimsDisabled",
    "CheckInDeadlineTooFar",
    "LegacyStillActive",
    "LegacyNotFound",
    "CannotClaim",
    "OnlyBeneficaries",
    "OnlyOwner",
    "NumAssetsInvalid",
    "AutoRenewDisabled",
    "AutoRenewNotPremium",
    "StaleActivityNonce",
    "AutoRenewTooEarly",
    "AutoRenewTooLate",
    "AutoRenewBudgetExhausted",
    "NotActivityAttestor",
    "NotAuthorized",
    "StillLocked",
    "TimelockNotLive",
    "NotSoftTimelock",
    "NoFundsToWithdraw",
    "InvalidPayee",
]


def selector(name: str) -> bytes:
    return keccak(text=f"{name}()")[:4]


def test_each_error_has_a_stable_code_of_its_own_and_a_sentence() -> None:
    """Those with an HTTP status of their own have a class of their own."""
    errors = {name: explain_revert(selector(name)) for name in NAMES}
    for name, error in errors.items():
        assert name_error(selector(name)) == name
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", error.code)
        assert error.code != "would_fail"
        assert re.fullmatch(r"[A-Z].{15,120}\.", str(error))
    assert len({error.code for error in errors.values()}) == len(NAMES)
    stable = [errors[name].code for name in ("OnlyBeneficaries", "StillLocked", "LegacyStillActive")]
    assert stable == ["only_beneficiaries", "still_locked", "legacy_still_active"]
    assert isinstance(errors["SponsorshipExpired"], Expired)
    assert isinstance(errors["InvalidSponsorNonce"], NonceMismatch)
    assert isinstance(errors["InvalidSponsorSignature"], SignerMismatch)


def test_an_unknown_revert_repeats_nothing() -> None:
    for data in (
        b"",
        b"\x6a",
        selector("StillLocked") + b"\0" * 32,
        selector("Error(string)") + encode(["string"], ["call canary now"]),
        keccak(text="Error(string)")[:4] + encode(["string"], ["StillLocked canary"]),
        keccak(text="canary()")[:4],
    ):
        error = explain_revert(data)
        assert isinstance(error, ContractRefused)
        assert error.code == "would_fail"
        assert "canary" not in str(error)


def test_refusal_may_carry_a_better_sentence_and_its_time_is_rounded_up_to_whole_minutes() -> None:
    assert str(make_refusal("StillLocked", "The gift opens on 3 March 2027, 09:00 UTC.")).endswith("09:00 UTC.")
    for timestamp, words in (
        (1_804_064_400, "on 3 March 2027, 09:00 UTC"),
        (1_804_064_401, "on 3 March 2027, 09:01 UTC"),
        (253_402_300_741, "after the year 9999"),
        (2**256 - 1, "after the year 9999"),
    ):
        assert format_opening(timestamp) == words
