"""From a template's name and variables to subject, HTML and text."""

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from mail_service.catalogue import LINES, ROLES, TEMPLATES, EmailTemplate
from mail_service.errors import MailProblem
from mail_service.variables import LinkOrigins, checked, origin_of

SAFETY = "We never ask for a key, a password or a signature by email. Sign only at {origin}."
_TEXT_WIDTH = 72
_BLANK_LINES = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class RenderedEmail:
    """One email's content; never logged and never stored."""

    subject: str
    html: str
    text: str

    def __repr__(self) -> str:
        return "Rendered(***)"


def _wrap(text: str, indent: str = "") -> str:
    """One paragraph, whatever the white space of its template; long words stay whole, as addresses must."""
    return textwrap.fill(
        " ".join(text.split()),
        _TEXT_WIDTH,
        initial_indent=indent,
        subsequent_indent=" " * len(indent),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _environment(part: str, *, autoescape: bool) -> Environment:
    """`words` is shared, so both parts say the same; `part` holds layout and building blocks."""
    loaders = [PackageLoader("mail_service", f"templates/{folder}") for folder in (part, "words")]
    environment = Environment(
        loader=ChoiceLoader(loaders),
        autoescape=autoescape,  # noqa: S701 - off for text/plain, on for HTML
        undefined=StrictUndefined,
        trim_blocks=True,
        auto_reload=False,
    )
    environment.filters["wrap"] = _wrap
    environment.globals["parts"] = environment.get_template("parts.j2").module
    return environment


class EmailRenderer:
    """Renders for one app origin; gifts may have origins of their own. Templates are compiled once."""

    def __init__(self, origin: str, gift_origins: Sequence[str] = ()) -> None:
        self.origins = LinkOrigins(origin, tuple(gift_origins) or (origin,))
        self._html = _environment("html", autoescape=True)
        self._text = _environment("text", autoescape=False)
        self._subjects = {name: self._text.from_string(template.subject) for name, template in TEMPLATES.items()}

    def template(self, name: str, version: int) -> EmailTemplate:
        """Raises 400 `unknown_template`."""
        template = TEMPLATES.get(name)
        if template is None or template.version != version:
            raise MailProblem(
                400, "unknown_template", "There is no template of this name and version.", pointer="/template"
            )
        return template

    def render(
        self, template: EmailTemplate, variables: Mapping[str, Any], unsubscribe_url: str | None = None
    ) -> RenderedEmail:
        """Raises the refusals of `variables.checked`. `unsubscribe_url`: shown in the body, when it may be."""
        context = checked(template.variables, variables, self.origins)
        origin = origin_of(context["claimUrl"]) if template.category == "gift" else self.origins.app
        context |= {
            "origin": origin,
            "safety": SAFETY.format(origin=origin),
            "line": LINES.get(context.get("role", ""), 0),
            "roles": ROLES,
            "unsubscribe_url": unsubscribe_url,
        }
        subject = " ".join(self._subjects[template.name].render(context).split())
        words = "unwatched.j2" if context.get("status") == "unwatched" else f"{template.name}.j2"
        html = self._html.get_template(words).render(context, subject=subject)
        text = self._text.get_template(words).render(context, subject=subject)
        return RenderedEmail(subject, html, _BLANK_LINES.sub("\n\n", text).strip() + "\n")

    def sample(self, template: EmailTemplate, role: str | None = None) -> RenderedEmail:
        """With the catalogue's sample data, for previews and tests. An unknown role is refused like any other."""
        variables = dict(template.sample)
        for name in ("actionUrl", "claimUrl"):
            if name in variables:
                variables[name] = variables[name].format(origin=self.origins.app, gift_origin=self.origins.gifts[0])
        if role is not None and "role" in variables:
            variables["role"] = role
        return self.render(template, variables)
