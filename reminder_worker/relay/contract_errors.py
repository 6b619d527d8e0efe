"""Custom errors of the contracts as stable codes, each with a sentence for the user.

The keys are the names on chain; three are misspelt there. No error has arguments, so the selector is enough.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final

from eth_utils.crypto import keccak

from reminder_worker.errors import ContractRefused, Expired, NonceMismatch, Refused, SignerMismatch

WOULD_FAIL: Final = "would_fail"

_SENTENCES: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "SponsorshipExpired": ("expired", "The deadline of this signature has passed; sign a new one."),
        "InvalidSponsorNonce": ("nonce_mismatch", "This signature's nonce is not the next one; sign a new one."),
        "InvalidSponsorSignature": ("signer_mismatch", "The contract does not take this signature for the signer's."),
        "SponsoredClaimsDisabled": (
            "sponsored_claims_disabled",
            "The owner does not allow sponsored claims of this legacy; claiming at your own fee still works.",
        ),
        "CheckInDeadlineTooFar": (
            "check_in_deadline_too_far",
            "The deadline of a check-in may be one hour ahead at most; sign a new one.",
        ),
        "LegacyStillActive": ("legacy_still_active", "The owner is still active: this legacy cannot be claimed yet."),
        "LegacyNotFound": ("legacy_not_found", "There is no such legacy any more."),
        "CannotClaim": ("cannot_claim", "This legacy cannot be claimed now: it has ended, or your line is not open."),
        "NotEnoughContitionalActive": (
            "cannot_claim",
            "This legacy cannot be claimed now: the legacy has ended, or the day of the claim has not come.",
        ),
        "LegacyIsDeleted": (
            "legacy_not_found",
            "This legacy was deleted or claimed from already: its timer runs no more.",
        ),
        "OnlyBeneficaries": ("only_beneficiaries", "Only a beneficiary of this legacy can claim it."),
        "OnlyOwner": ("only_owner", "Only the owner of this legacy can do this."),
        "NumAssetsInvalid": ("num_assets_invalid", "The contract does not take so many assets at once; claim fewer."),
        "AutoRenewDisabled": ("auto_renew_disabled", "The owner has not switched auto-renew on for this legacy."),
        "AutoRenewNotPremium": ("auto_renew_not_premium", "Auto-renew needs an active Premium subscription."),
        "StaleActivityNonce": ("stale_activity_nonce", "This activity was attested before."),
        "AutoRenewTooEarly": ("auto_renew_too_early", "The legacy's deadline is too far away to be renewed."),
        "AutoRenewTooLate": ("auto_renew_too_late", "The legacy's deadline has passed; it cannot be renewed."),
        "AutoRenewBudgetExhausted": (
            "auto_renew_budget_exhausted",
            "The time that auto-renew may bridge is used up; the owner has to check in.",
        ),
        "NotActivityAttestor": ("not_activity_attestor", "This wallet is not the activity attestor."),
        "NotAuthorized": ("not_authorized", "This timelock is not the signer's to withdraw."),
        "StillLocked": ("still_locked", "This timelock is still locked."),
        "TimelockNotLive": ("timelock_not_live", "This timelock has been withdrawn already."),
        "NotSoftTimelock": ("not_soft_timelock", "This timelock cannot be unlocked early."),
        "InvalidPayee": ("invalid_payee", "A gift cannot be paid to the contracts that keep it; name another address."),
        "NoFundsToWithdraw": ("no_funds_to_withdraw", "There is nothing left in this timelock."),
    }
)
_BY_SELECTOR: Final = {keccak(text=f"{name}()")[:4]: name for name in _SENTENCES}


def name_error(data: bytes) -> str | None:
    """Return the name of the custom error in a revert's data; None for any other data."""
    return _BY_SELECTOR.get(data) if len(data) == 4 else None


def explain_revert(data: bytes) -> Refused:
    """Return the meaning of a revert for the sender. Its text comes from any contract and is never repeated."""
    name = name_error(data)
    if name is None:
        return ContractRefused(WOULD_FAIL, "This transaction would fail on chain, so it is not sent.")
    return make_refusal(name)


def make_refusal(name: str, detail: str | None = None) -> Refused:
    """Return the meaning of the custom error with this name, with its own sentence or a better `detail`."""
    code, sentence = _SENTENCES[name]
    for own in (Expired, NonceMismatch, SignerMismatch):
        if own.code == code:
            return own(detail or sentence)
    return ContractRefused(code, detail or sentence)


def format_opening(timestamp: int) -> str:
    """Return unix seconds as `on 3 March 2027, 09:00 UTC`, rounded up to a minute."""
    minute = -(-timestamp // 60) * 60
    if minute > 253_402_300_740:  # the last minute of the year 9999
        return "after the year 9999"
    at = datetime.fromtimestamp(minute, UTC)
    return f"on {at.day} {at:%B %Y, %H:%M} UTC"
