"""Promises of the one error map."""

import inspect

import pytest

from api.problems import STATUS, _service_error
from reminder_worker import errors

EVERY = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, errors.ServiceError) and kind.__module__ == errors.__name__
]


def _made(kind: type[errors.ServiceError]) -> errors.ServiceError:
    if issubclass(kind, errors.LimitReached):
        return kind("words", 7)
    if issubclass(kind, errors.ContractRefused):
        return kind("still_locked", "words")
    if issubclass(kind, errors.RelayStopped):
        return kind("words", "foreign_nonce")
    return kind("words")


@pytest.mark.parametrize("kind", EVERY)
def test_every_error_of_the_service_has_its_problem(kind: type[errors.ServiceError]) -> None:
    response = _service_error(None, _made(kind))  # type: ignore[arg-type]
    content = response.content
    assert response.media_type == "application/problem+json"
    assert content.status == response.status_code in {400, 401, 403, 404, 409, 410, 422, 429, 500, 503}
    assert content.type.endswith(f":{content.code}")
    assert content.code == content.code.lower()
    assert content.title


def test_statuses_that_frontends_rely_on() -> None:
    stated = {
        errors.Malformed: 400,
        errors.SignerMismatch: 403,
        errors.PremiumRequired: 403,
        errors.NotAKnownLegacy: 403,
        errors.AlreadyUsed: 409,
        errors.Superseded: 409,
        errors.Expired: 410,
        errors.InvalidInput: 422,
        errors.LimitReached: 429,
        errors.ChainUnavailable: 503,
    }
    for kind, status in stated.items():
        response = _service_error(None, _made(kind))  # type: ignore[arg-type]
        assert response.status_code == status
        assert response.content.code == _made(kind).code


def test_an_installation_error_tells_the_world_nothing_and_the_map_knows_the_root() -> None:
    response = _service_error(None, errors.DecryptionFailed("a ciphertext of recipient.email"))  # type: ignore[arg-type]
    assert response.content.code == "internal"
    assert "recipient" not in response.content.detail
    assert errors.ServiceError in STATUS, "so that nothing falls through"
