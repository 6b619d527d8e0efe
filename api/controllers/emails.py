"""The page on which people look up the number of an email. The number comes in a form, never in a path or a query."""

from typing import Any
from urllib.parse import parse_qs

from litestar import Controller, Request, Response, get, post
from litestar.di import NamedDependency
from litestar.types import ExceptionHandlersMap
from sqlalchemy.ext.asyncio import AsyncEngine

from api.email_page import choose_language, email_page
from api.problems import DATABASE_AWAY, RETRY_LATER_SECONDS
from reminder_worker.errors import LimitReached
from reminder_worker.monitoring.email_numbers import find_written_email
from reminder_worker.settings import Settings


class EmailPageController(Controller):
    path = "/emails"
    include_in_schema = False

    @get()
    async def ask_number(self, request: Request[Any, Any, Any], settings: NamedDependency[Settings]) -> Response[str]:
        """Return the page with its form. A link may bring the number in its fragment."""
        return email_page(_read_language(request), "ask", list_links(settings), settings.service.organisation)

    @post(status_code=200)
    async def look_up_number(
        self, request: Request[Any, Any, Any], settings: NamedDependency[Settings], engine: NamedDependency[AsyncEngine]
    ) -> Response[str]:
        """Return what we wrote under a number. An unknown and an erased number have the same answer."""
        form = parse_qs((await request.body())[:2000].decode("utf-8", "replace"))
        names = {chain.chain_id: chain.name for chain in settings.chains}
        found = await find_written_email(engine, form.get("number", [""])[0][:100], names)
        return email_page(
            _read_language(request), found or "unknown", list_links(settings), settings.service.organisation
        )


def list_links(settings: Settings) -> list[str]:
    """Return every address that links in emails to people lead to.

    Without the mail service's address none are listed: a true email would look like a copy.
    """
    service = settings.service
    if service.mail_public_url is None:
        return []
    gifts = settings.gifts.origins if settings.gifts else ()
    own = [service.app_origin, *gifts, service.mail_public_url, service.email_page_url, service.organisation_url]
    return list(dict.fromkeys(str(each) for each in own if each))


def show_email_stops(settings: Settings) -> ExceptionHandlersMap:
    """Return handlers of requests that end before the page began: people cannot read a problem's JSON."""

    def show(request: Request[Any, Any, Any], error: Exception) -> Response[str]:
        language, links, sender = _read_language(request), list_links(settings), settings.service.organisation
        if isinstance(error, LimitReached):
            page, seconds = email_page(language, "limited", links, sender, 429), error.retry_after
        else:
            page, seconds = email_page(language, "later", links, sender, 503), RETRY_LATER_SECONDS
        page.headers["Retry-After"] = str(seconds)
        return page

    return dict.fromkeys((LimitReached, *DATABASE_AWAY), show)


def _read_language(request: Request[Any, Any, Any]) -> str:
    return choose_language(request.headers.get("accept-language", ""))
