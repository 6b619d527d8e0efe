"""Values of any kind in any variable: an email, or a refusal that names the variable, never an error of ours."""

from typing import Any

import pytest

from mail_service.addresses import MailAddress
from mail_service.catalogue import TEMPLATES, EmailTemplate
from mail_service.errors import MailProblem
from mail_service.languages import LANGUAGES
from mail_service.rendering import EmailRenderer, compose_message
from mail_service.variables import TemplateVariable

ORIGIN = "https://app.example.org"
RENDERER = EmailRenderer(ORIGIN)
ANNA = ("Anna", MailAddress("anna", "example.org"))
FOREIGN: tuple[Any, ...] = (
    "next Tuesday",
    "Tuesday, 31 February 2026, 15:04 UTC",
    "Tuesday, 24 November 2026, 25:61 UTC",
    "Tuesday, 24 November 0001, 15:04 UTC",
    "Tuesday, \uff12\uff14 November 2026, 15:04 UTC",
    "2026-11-24T15:04:00Z",
    "Tuesday, 24 November 2026, 15:04 UTC",
    "%s %(title)s %d {0} {{ 7*7 }} {% raw %} %",
    "=?utf-8?q?a?=",
    "1e999",
    "-1",
    "٣",
    "²",
    "9" * 78,
    "1,2,3.4.5",
    "\u202e\u2066\U0001f468\u200d\U0001f469",
    "\ufdd0\ufeff",
    "a\0b",
    "a\nb",
    "\ud800",
    "x" * 300,
    "é" * 300,
    "",
    " ",
    "https://[::1",
    f"{ORIGIN}:99999/x",
    f"{ORIGIN}/%zz#\\",
    "owner",
    "0x" + "00" * 20,
    -1,
    10**77,
    2**63,
    1.5,
    float("inf"),
    True,
    None,
    [],
    [{}],
    ["a"],
    {},
    {"a": "b"},
)


def sample(template: EmailTemplate) -> dict[str, Any]:
    links = {"actionUrl": f"{ORIGIN}/legacy/1/42", "claimUrl": f"{ORIGIN}/gifts/1/42"}
    return {**template.sample, **{name: link for name, link in links.items() if name in template.sample}}


def put_everywhere(variable: TemplateVariable, value: Any, known: Any) -> list[Any]:
    """Return values of the variable that hold `value`: itself, and rows with it in each column."""
    rows = known or [{column.name: "1" for column in variable.columns}]
    return [value, *([{**rows[0], column.name: value}] for column in variable.columns)]


def find_refusal(template: EmailTemplate, variables: dict[str, Any], language: str) -> MailProblem | None:
    try:
        rendered = RENDERER.render_email(template, variables, language=language)
    except MailProblem as problem:
        return problem
    compose_message(sender=ANNA, recipient=ANNA, message_id="<1@x>", rendered=rendered, unsubscribe_url=None)
    return None


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)
def test_foreign_value_is_an_email_or_a_refusal_that_names_its_variable(template: EmailTemplate) -> None:
    known = sample(template)
    languages = list(LANGUAGES)
    for number, value in enumerate(FOREIGN):
        for variable in template.variables:
            for given in put_everywhere(variable, value, known.get(variable.name)):
                problem = find_refusal(template, {**known, variable.name: given}, languages[number % len(languages)])
                if problem is not None:
                    assert problem.status in (400, 422)
                    assert str(problem.pointer).startswith(f"/variables/{variable.name}")
