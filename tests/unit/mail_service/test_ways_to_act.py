"""Emails about a legacy say in which ways a reader can do what their button is for."""

import html
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mail_service.catalogue import LINES, TEMPLATES
from mail_service.languages import LANGUAGES, load_language
from mail_service.rendering import RenderedEmail
from mail_service.variables import ROLES
from tests.unit.mail_service.test_catalogue import ORIGIN, REMINDERS, RENDERER, Page, variables

WAYS_TO_CHECK_IN = (
    "There you press “I am well”: one signature with Premium, or one transaction of your own, for the network's fee."
)
WAYS_TO_CLAIM = (
    "Look there at what you would get. Then claim: by a signature, where the network's fee is paid for you, or by "
    "a transaction of your own, for that fee."
)
WAY_OF_A_SAFE = (
    "Confirm the takeover there: by a transaction of your own, for the network's fee. One of the heirs is enough for "
    "all."
)
# Every button of an email about a legacy, and what the email says about the page behind it.
WAYS = {
    "Check in": WAYS_TO_CHECK_IN,
    "Open the website to claim": WAYS_TO_CLAIM,
    "See the legacy": None,
    "Renew Premium": None,
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_email_that_leads_to_our_page_names_both_ways(language: str) -> None:
    """A button to claim or to check in: by a signature, or by one's own transaction. Emails for an app name neither."""
    page, translate = f"{ORIGIN}/legacies/1/0x8ba1f109551bD432803012645Ac136ddd64DBA72", _make_translator(language)
    ways = {translate(button): words and translate(words) for button, words in WAYS.items()}
    met = set()
    for name, role, further in _list_legacy_emails():
        given = variables(TEMPLATES[name], role=role, actionUrl=f"{page}#wallet=c359", legacyPage=page, **further)
        email = RENDERER.render_email(TEMPLATES[name], given, language=language)
        button = find_button(email, f"{page}#wallet=c359")
        met.add(button)
        to_read = ways[button]
        if name == "instructions" and LINES[role] > 0:
            to_read = translate(WAYS_TO_CLAIM)
        for_app = RENDERER.render_email(TEMPLATES[name], given | {"legacyPage": None}, language=language)
        of_safe = given | {"claimFunction": "activeLegacy(uint256 legacyId)"}
        for_safe = RENDERER.render_email(TEMPLATES[name], of_safe, language=language)
        read, read_of_app, read_of_safe = map(read_parts, (email, for_app, for_safe))
        for words in map(translate, (WAYS_TO_CHECK_IN, WAYS_TO_CLAIM)):
            assert all((words in part) is (words == to_read) for part in read), (name, role)
            assert not any(words in part for part in read_of_app), (name, role)
        is_claim = to_read == translate(WAYS_TO_CLAIM)
        assert all((translate(WAY_OF_A_SAFE) in part) is is_claim for part in read_of_safe), (name, role)
    assert met == set(ways)


def _make_translator(language: str) -> Callable[[str], str]:
    gettext = load_language(language).translations.gettext
    return lambda words: strip_spaces(gettext(words))


def _list_legacy_emails() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """List name, role and further variables: each kind for each role, and its later emails."""
    for name, template in REMINDERS.items():
        has_further = any(variable.name == "daysOpen" for variable in template.variables)
        for role in ROLES:
            yield name, role, {}
            if has_further:
                yield name, role, {"daysOpen": 30, "remindersLeft": 2}


def find_button(email: RenderedEmail, link: str) -> str:
    """Return the words of the button, without spaces: the same in both parts."""
    before_link = strip_spaces(email.text.partition(link)[0].rpartition("\n\n")[2]).removesuffix(":")
    (in_html,) = re.findall(f'<a href="{re.escape(link)}"[^>]*>([^<]*)</a>', email.html)
    assert strip_spaces(html.unescape(in_html)) == before_link
    return before_link


def read_parts(email: RenderedEmail) -> tuple[str, str]:
    """Return the words of the text and of the HTML, without spaces: languages wrap lines at different places."""
    return strip_spaces(email.text), strip_spaces(html.unescape(Page(email.html).words))


def strip_spaces(text: str) -> str:
    return "".join(text.split())
