"""Errors of the service.

Each branch tells the caller what to do: refuse the request, retry later, or repair the installation.
No HTTP status lives here (`api/problems.py` maps them), and no message ever carries an email, a name,
a signature, a key or a link.
"""

from collections.abc import Sequence
from dataclasses import dataclass


class ServiceError(Exception):
    """Base of everything this service raises on purpose."""

    code = "internal"


# -- the request is wrong: refuse, nothing was stored ---------------------------------------------


class Refused(ServiceError):
    """The request cannot be granted, and sending it again unchanged will not help."""

    code = "refused"


@dataclass(frozen=True, slots=True)
class FieldFault:
    """One bad field: a JSON pointer into the request and a sentence that echoes no value."""

    pointer: str
    detail: str


class InvalidInput(Refused):
    """One or more fields are not acceptable; `faults` names each."""

    code = "invalid_input"

    def __init__(self, detail: str, faults: Sequence[FieldFault] = ()) -> None:
        super().__init__(detail)
        self.faults = tuple(faults)


class PayToUnsupported(InvalidInput):
    """The router of version 1 pays the recipient only."""

    code = "payto_unsupported"


class Malformed(Refused):
    code = "malformed"


class SignerMismatch(Refused):
    code = "signer_mismatch"


class VersionMismatch(SignerMismatch):
    """Signed by the right account, for a version of the router that it does not have."""

    code = "version_mismatch"


class PremiumRequired(Refused):
    code = "premium_required"


class NotAKnownLegacy(Refused):
    code = "not_a_known_legacy"


class NotFound(Refused):
    code = "not_found"


class NoHistory(NotFound):
    """Nothing is known of the moment that was asked for."""

    code = "no_history"


class AlreadyUsed(Refused):
    """This exact signed message was accepted before."""

    code = "already_used"


class Superseded(Refused):
    """A later write of the same legacy was accepted; an older one must not roll it back."""

    code = "already_used"


class Expired(Refused):
    code = "expired"


class NonceMismatch(Refused):
    """The nonce of an authorization is not the one its contract expects next."""

    code = "nonce_mismatch"


class LegacyNotLive(Refused):
    """It was deleted, or claimed from."""

    code = "legacy_not_live"


class ContractRefused(Refused):
    """The contract would revert; `code` says why, in its own words (snake_case)."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


class DeadlineTooFar(Refused):
    code = "deadline_too_far"


class Unauthorized(Refused):
    code = "unauthorized"


class LimitReached(Refused):
    """A cap, a cooldown or a rate limit; `retry_after` in whole seconds."""

    code = "rate_limited"

    def __init__(self, detail: str, retry_after: int, code: str = "rate_limited") -> None:
        super().__init__(detail)
        self.retry_after = max(1, retry_after)
        self.code = code


# -- something we depend on does not answer: retry later, nothing was stored ----------------------


class Unavailable(ServiceError):
    """A dependency failed; the same call may succeed later."""

    code = "unavailable"


class ChainUnavailable(Unavailable):
    code = "chain_unavailable"


class RelayStopped(Unavailable):
    """One of our wallets relays nothing at the moment; `reason` is a code for operators and the status."""

    code = "relay_stopped"

    def __init__(self, detail: str, reason: str) -> None:
        super().__init__(detail)
        self.reason = reason


class IndexerUnavailable(Unavailable):
    code = "indexer_unavailable"


class IndexIsEmpty(IndexerUnavailable):
    """Our own index has not read a block yet: a new installation."""


class MailUnavailable(Unavailable):
    code = "mail_unavailable"


# -- the installation is wrong: an operator has to act --------------------------------------------


class Misconfigured(ServiceError):
    """Settings are missing, half set, or contradict what the database was made with."""

    code = "not_configured"


class NotConfigured(Misconfigured):
    """The part that was asked for is switched off here."""


class RouterVersionUnsupported(Misconfigured):
    """Error for an upgraded router whose signatures are unknown to this release."""

    code = "router_version_unsupported"


class DecryptionFailed(ServiceError):
    """A stored ciphertext is not the one written to this place with this key."""

    code = "decryption_failed"
