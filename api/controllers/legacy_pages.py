"""Public endpoints of a legacy's page: facts, the preview of a claim, and the page with its files."""

import re
from typing import Annotated, Any

from litestar import Controller, Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, PathParameter
from litestar.types import ExceptionHandlersMap

from api.controllers.gift_pages import FOR_EVER, PASSING, PageNotice, file_response, make_response
from api.gift_page import content_security_policy, plain_page
from api.legacy_bodies import (
    ClaimPreviewAnswer,
    ClaimPreviewBody,
    LegacyAnswer,
    describe_legacy,
    describe_preview,
)
from api.legacy_page import ABOUT, LOOK, PREFIX, choice_page, legacy_page
from api.no_script import render_no_script
from api.problems import (
    DATABASE_AWAY,
    OF_A_BODY,
    RETRY_LATER_SECONDS,
    STATUS,
    UNREADABLE,
    database_unavailable,
    describe_problem,
    describe_responses,
)
from api.schemas import StrictJson
from reminder_worker.errors import LimitReached, NotConfigured, NotFound, ServiceError
from reminder_worker.gifts.assets import ASSETS, PageFiles
from reminder_worker.relay.legacy_pages import NO_LEGACY, LegacyPages

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}", re.ASCII)
_NUMBER = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)


class LegacyNotice(PageNotice):
    """Titles and lines of pages that say why no legacy is shown. Their phrases have the same names."""

    NO_LEGACY = (
        "There is no legacy here",
        ["Please check the link.", "A legacy that was made this minute may need a moment."],
    )
    LEGACY_NOT_NOW = (
        "This legacy cannot be shown right now",
        ["Nothing is lost: it is safe where it is. Please try again soon."],
    )
    LEGACY_TOO_MANY = (
        "Please wait a moment",
        [
            "Very many people have asked from your network in this minute.",
            "Nothing is lost: please load this page again in a minute.",
        ],
    )


class LegacyFactsController(Controller):
    tags = ["Legacies"]  # noqa: RUF012 - read by the framework

    @get(
        "/legacies/facts/{chain_id:int}/{legacy:str}",
        operation_id="legacyFacts",
        summary="The public state and days of a legacy",
        responses={
            400: UNREADABLE,
            404: describe_problem("`not_found`: no configured router has made a legacy with this address"),
            429: describe_problem("`rate_limited`; `Retry-After` says when to come back"),
            503: describe_problem("`chain_unavailable`, `unavailable` (the database), `not_configured`"),
        },
    )
    async def show_facts(
        self,
        chain_id: Annotated[int, PathParameter(description="Chain id")],
        legacy: Annotated[str, PathParameter(description="Address of the legacy's contract, letters in any case")],
        legacy_pages: NamedDependency[LegacyPages | None],
    ) -> LegacyAnswer:
        """Needs no signature, and names nobody: wallets read on the chain who is named. Kept for 12 seconds."""
        if not _ADDRESS.fullmatch(legacy):
            raise NotFound(NO_LEGACY)
        return describe_legacy(await _require_pages(legacy_pages).read_facts(chain_id, legacy.lower()))


class ClaimPreviewController(Controller):
    tags = ["Legacies"]  # noqa: RUF012 - read by the framework

    @post(
        "/legacies/claim-preview",
        status_code=200,
        dto=StrictJson[ClaimPreviewBody],
        return_dto=None,
        operation_id="claimPreview",
        summary="What a claim would bring an heir",
        responses=describe_responses(
            {
                **OF_A_BODY,
                "404": "`not_found`: no configured router has made a legacy with this address",
                "422": (
                    "`invalid_input`; `only_beneficiaries`: the chain does not name this account; `legacy_still_active`"
                    " (with the opening time), `cannot_claim`"
                ),
                "429": "`rate_limited`: counted with the requests to the relay; `Retry-After` says when to come back",
                "503": "`chain_unavailable`, `unavailable` (the database), `not_configured`",
            },
            {},
        ),
    )
    async def preview_claim(
        self, data: JSONBody[ClaimPreviewBody], legacy_pages: NamedDependency[LegacyPages | None]
    ) -> ClaimPreviewAnswer:
        """Needs no signature: who is named and what the owner allowed is on the public chain.

        A claim is simulated as the relay does it, of all whitelisted tokens that the legacy may move, and of ether. If
        all at once would fail, as many are named as succeed together. Kept for a minute.
        """
        preview = await _require_pages(legacy_pages).preview_claim(
            data.chain_id, data.legacy.lower(), data.account.lower()
        )
        return describe_preview(preview)


class LegacyPageController(Controller):
    """The page, for people."""

    include_in_schema = False

    @get("/{chain_id:str}/{key:str}")
    async def show_page(
        self,
        request: Request[Any, Any, Any],
        chain_id: FromPath[str],
        key: FromPath[str],
        legacy_pages: NamedDependency[LegacyPages | None],
        page_files: NamedDependency[PageFiles | None],
    ) -> Response[str]:
        """`key`: the address of the legacy's contract; its number leads on to the address."""
        pages, entry = _require_pages(legacy_pages), page_files.entries["legacy"] if page_files else None
        policy = content_security_policy(LOOK)
        try:
            if not _NUMBER.fullmatch(chain_id):
                raise NotFound(NO_LEGACY)
            chain = int(chain_id)
            if _NUMBER.fullmatch(key):
                return await _find_by_number(pages, chain, int(key), page_files)
            if not _ADDRESS.fullmatch(key):
                raise NotFound(NO_LEGACY)
            facts = await pages.read_facts(chain, key.lower())
        except (NotFound, *PASSING) as error:
            return _explain_refusal(error, page_files)
        no_script = render_no_script(request.headers.get("Accept-Language", ""))
        return make_response(legacy_page(facts, chain, entry, no_script), policy)


@get(f"/{ASSETS}/{{file:str}}", include_in_schema=False, sync_to_thread=False)
def legacy_file(
    request: Request[Any, Any, Any], file: FromPath[str], page_files: NamedDependency[PageFiles | None]
) -> Response[bytes]:
    """A script, style or font of the page, by its name in it."""
    found = page_files.files.get(file) if page_files else None
    if found is None:
        raise NotFound("There is no such file.")
    return file_response(request, found, FOR_EVER["Cache-Control"])


def show_legacy_stops(page_files: PageFiles | None) -> ExceptionHandlersMap:
    """Return handlers of requests that end before their page began: people cannot read a problem's JSON."""

    def show(request: Request[Any, Any, Any], error: Exception) -> Response[str]:
        reason = error if isinstance(error, LimitReached) else database_unavailable(error)
        return _explain_refusal(reason, page_files)

    return dict.fromkeys((LimitReached, *DATABASE_AWAY), show)


async def _find_by_number(pages: LegacyPages, chain_id: int, number: int, files: PageFiles | None) -> Response[str]:
    """Lead on to the legacy with this number, or let people choose among those of several routers."""
    addresses = await pages.find_numbered(chain_id, number)
    if len(addresses) == 1:
        headers = {"Location": f"/{PREFIX}/{chain_id}/{addresses[0]}"}
        return Response("", status_code=302, media_type="text/plain", headers=headers)
    entry = files.entries["legacy"] if files else None
    return make_response(choice_page(chain_id, addresses, entry), content_security_policy(LOOK))


def _explain_refusal(error: ServiceError, page_files: PageFiles | None) -> Response[str]:
    """The page says what is wrong, and looks by itself whether the legacy can be shown meanwhile."""
    status, _ = next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)
    notice = LegacyNotice.NO_LEGACY
    if isinstance(error, LimitReached):
        notice = LegacyNotice.LEGACY_TOO_MANY
    elif isinstance(error, PASSING):
        notice = LegacyNotice.LEGACY_NOT_NOW
    entry = page_files.entries["legacy"] if page_files else None
    answer = make_response(
        plain_page(LOOK, notice.words, PREFIX, entry, kind="waiting", about=ABOUT),
        content_security_policy(LOOK),
        status,
    )
    if isinstance(error, LimitReached):
        answer.headers["Retry-After"] = str(error.retry_after)
    elif isinstance(error, PASSING):
        answer.headers["Retry-After"] = str(RETRY_LATER_SECONDS)
    return answer


def _require_pages(pages: LegacyPages | None) -> LegacyPages:
    if pages is None:
        raise NotConfigured("Pages of legacies are not served here.")
    return pages
