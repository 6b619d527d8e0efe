"""The few pages a person sees here: previews and the unsubscribe page. No script, nothing from elsewhere."""

from typing import Literal

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from litestar import MediaType, Response

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
_environment = Environment(
    loader=PackageLoader("mail_service", "templates/pages"),
    autoescape=select_autoescape(default=True, default_for_string=True),
    undefined=StrictUndefined,
)


def page(html: str, status: int = 200) -> Response[str]:
    return Response(html, status_code=status, media_type=MediaType.HTML, headers=_HEADERS)


def unsubscribe_page(
    state: Literal["ask", "stopped", "done", "later", "back", "back_later", "unknown"], token: str = ""
) -> Response[str]:
    """`token`, of what was checked only, is where the way back leads."""
    html = _environment.get_template("unsubscribe.html").render(state=state, token=token)
    return page(html, {"unknown": 404, "later": 503, "back_later": 503}.get(state, 200))
