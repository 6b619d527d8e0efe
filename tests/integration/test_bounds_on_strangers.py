"""Promises that the length of a stranger's text is checked before the text is normalised.

Unicode normalisation of combining marks takes quadratic time. Each text that is too long here becomes short when it is
normalised: code that checks the length later accepts it.
"""

import pytest

from mail_service.addresses import parse_address
from mail_service.composing import display_name
from mail_service.errors import Problem
from reminder_worker.privacy.emails import check_mailed_name, check_name, normalise_email

LONGEST_NAME = "\u1f82" * 60  # NFC; NFD needs four characters for each
DECOMPOSED = "\u03b1\u0313\u0300\u0345" * 60
MARKS = "\u0315" * 15_900 + "\u0300" * 15_900


@pytest.mark.parametrize("text", [f"Anna{' ' * 236}B", f"{DECOMPOSED} ", MARKS])
def test_a_name_that_is_too_long_is_refused_before_it_is_normalised(text: str) -> None:
    with pytest.raises(ValueError, match="longer than 60 characters"):
        check_name(text)


def test_the_longest_name_is_accepted_in_its_longest_spelling() -> None:
    assert len(DECOMPOSED) == 4 * len(LONGEST_NAME)
    assert check_mailed_name(DECOMPOSED) == LONGEST_NAME


@pytest.mark.parametrize("text", [f"anna@example.org{' ' * 493}", f"anna@{MARKS}", f"{MARKS}@example.org"])
def test_an_address_that_is_too_long_is_refused_before_it_is_normalised(text: str) -> None:
    with pytest.raises(ValueError, match="too long"):
        normalise_email(text)
    with pytest.raises(Problem) as caught:
        parse_address(text)
    assert (caught.value.code, caught.value.detail) == ("bad_address", "The email address is too long.")


def test_a_name_in_an_email_that_is_too_long_is_refused() -> None:
    with pytest.raises(Problem):
        display_name(f"{' ' * 121}Anna")
