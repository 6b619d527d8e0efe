"""Public endpoints of a gift: its facts, its page with link preview and files, and the entry by address."""

import json
import re
from collections.abc import Awaitable, Callable
from enum import Enum
from typing import Annotated, Any
from urllib.parse import urlsplit

from eth_utils.address import is_checksum_address, is_checksum_formatted_address, to_checksum_address
from litestar import Controller, Request, Response, get
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, PathParameter
from litestar.types import ExceptionHandlersMap

from api.gift_bodies import GiftAnswer, describe_gift
from api.gift_page import (
    CARDS,
    IN_PAPER_WALLET,
    content_security_policy,
    create_page,
    gift_page,
    plain_page,
)
from api.no_script import render_no_script
from api.problems import DATABASE_AWAY, RETRY_LATER_SECONDS, STATUS, UNREADABLE, database_unavailable, describe_problem
from reminder_worker.errors import LimitReached, Misconfigured, NotConfigured, NotFound, ServiceError, Unavailable
from reminder_worker.gifts.assets import (
    ASSETS,
    PageFile,
    PageFiles,
    find_occasion,
    map_card_files,
    read_card,
)
from reminder_worker.gifts.claim_link import ClaimLink, LinkFlags, read_valid_flags
from reminder_worker.gifts.pages import GiftPages, GiftState, NotShown
from reminder_worker.gifts.wallets import GiftWallets
from reminder_worker.settings import IdentityProviderSettings, Settings

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}", re.ASCII)
# Mail gateways encode the signs of a link, or move its fragment into the query. A good link has none of these.
_REWRITTEN = re.compile(rb"%(?:25)*(?:23|3f)|(?:[?&=]|%(?:25)*(?:26|3d))g(?:=|%(?:25)*3d)", re.IGNORECASE)
PASSING = (Unavailable, Misconfigured)  # also when a node denies a contract
Handler = Callable[[Request[Any, Any, Any], Any], Response[Any]]
FOR_EVER = {
    "Cache-Control": "public, max-age=31536000, immutable",
    "Cross-Origin-Resource-Policy": "cross-origin",  # messengers show it on pages of their own
}


class PageNotice(Enum):
    """Page without facts: title and lines. The name is that of the phrase, in capitals."""

    @property
    def words(self) -> tuple[str, str, list[str]]:
        """Name of the phrase, title and lines."""
        title, lines = self.value
        return self.name.lower().replace("_", "-"), title, lines


class GiftNotice(PageNotice):
    """Titles and lines of pages that say why no gift is shown. Their phrases have the same names."""

    NO_GIFT = (
        "There is no gift here",
        ["Please check the link.", "A gift that was sealed this minute may need a moment."],
    )
    CUT_OFF = (
        "This link is not whole",
        [
            "A part of it was lost, perhaps where it was copied. Nothing else is: the gift is safe where it is.",
            "Please open the whole link, as it was given to you.",
        ],
    )
    NOT_SERVED = (
        "This gift is on another network",
        [
            "The link names a network that this page does not know. Nothing is lost: the gift is safe where it is.",
            "Please check the link, or ask whoever gave it to you where it opens.",
        ],
    )
    NOT_SHOWN = (
        "This gift cannot be shown here",
        [
            "It holds something that this page does not know, or does not know any more. Nothing is lost: the gift is "
            "safe where it is.",
            "Please ask whoever gave it to you how to open it.",
        ],
    )
    NOT_NOW = (
        "The gift cannot be shown right now",
        ["Nothing is lost: it is safe where it is. Please try again soon."],
    )
    TOO_MANY = (
        "Please wait a moment",
        [
            "Very many people have asked for gifts from your network in this minute.",
            "Nothing is lost: please load this page again in a minute.",
        ],
    )
    NONE_FOR = (
        "No gift was found for this sheet",
        [
            "If you typed the link, please compare it with your sheet: a letter or a number of it may differ.",
            "A gift that was sealed this minute may need a moment: please try again shortly.",
        ],
    )
    NOT_SHOWN_FOR = (
        "No gift that can be shown here was found",
        [
            "Something is sealed for this sheet that this page does not know, or does not know any more. Nothing is "
            "lost: it is safe where it is.",
            "If you have not opened your gift yet, please ask whoever gave you the sheet how to open it.",
            "If you have opened yours already, this is another gift, perhaps of a stranger. If you named a "
            f"wallet then, your gift went there. If not, it is {IN_PAPER_WALLET}",
        ],
    )
    MISTYPED = (
        "This link has a mistake",
        [
            "A letter or a number of its address differs from what is printed, or one is missing. Nothing is lost.",
            "Please compare it with your sheet, from the 0x on, or scan the code on the cover of the sheet.",
        ],
    )
    REWRITTEN = (
        "This link was changed on its way",
        [
            "A mail program or a filter changed the signs in it. Nothing is lost: the gift is safe where it is.",
            "In the address bar, change %23 back to #, and %3F back to ?. Or open the link as it was given to you, in "
            "another mail program or browser.",
        ],
    )


class GiftFactsController(Controller):
    tags = ["Gifts"]  # noqa: RUF012 - read by the framework

    @get(
        "/gift/{chain_id:int}/{timelock_id:int}",
        operation_id="giftFacts",
        summary="The public facts of a gift",
        responses={
            400: UNREADABLE,
            404: describe_problem("`not_found`: no gift of whitelisted ERC-20 tokens has this number"),
            429: describe_problem("`rate_limited`; `Retry-After` says when to come back"),
            503: describe_problem("`chain_unavailable`, `unavailable` (the database), `not_configured`"),
        },
    )
    async def show_facts(
        self,
        chain_id: Annotated[int, PathParameter(description="Chain id")],
        timelock_id: Annotated[
            int, PathParameter(description="The gift's number on that chain", schema_extra={"type": "string"})
        ],
        gift_pages: NamedDependency[GiftPages | None],
        gift_wallets: NamedDependency[GiftWallets],
        settings: NamedDependency[Settings],
    ) -> GiftAnswer:
        """Needs no signature. With `domain` and `sponsorNonce` the recipient signs a WithdrawAuth.

        A gift is known as soon as the chain has it.
        """
        facts, provider = await _require_pages(gift_pages).read_facts(chain_id, timelock_id), settings.identity_provider
        sub_organization = None
        if provider and facts.state is GiftState.OPEN:
            sub_organization = await gift_wallets.find_sub_organization(facts.recipient)
        return describe_gift(facts, provider, sub_organization)


def show_stops(prefix: str, page_files: PageFiles | None) -> ExceptionHandlersMap:
    """Return handlers of requests that end before their page began: people cannot read a problem's JSON."""

    def show(request: Request[Any, Any, Any], error: Exception) -> Response[str]:
        is_limit = isinstance(error, LimitReached)
        reason = error if isinstance(error, LimitReached) else database_unavailable(error)
        notice = GiftNotice.TOO_MANY if is_limit else GiftNotice.NOT_NOW
        answer = _explain_refusal(reason, _read_flags(request), notice, prefix, page_files)
        if isinstance(error, LimitReached):
            answer.headers["Retry-After"] = str(error.retry_after)
        return answer

    return dict.fromkeys((LimitReached, *DATABASE_AWAY), show)


class GiftPageController(Controller):
    """Below the configured prefix, for people and for what draws link previews."""

    include_in_schema = False

    @get("/{chain_id:str}/{timelock_id:str}")
    async def show_page(
        self,
        request: Request[Any, Any, Any],
        chain_id: FromPath[str],
        timelock_id: FromPath[str],
        gift_pages: NamedDependency[GiftPages | None],
        page_files: NamedDependency[PageFiles | None],
        settings: NamedDependency[Settings],
    ) -> Response[str]:
        """Return the page of a gift; an unknown occasion gets the words of the default."""
        pages, marks = _require_pages(gift_pages), _read_flags(request)
        entry = page_files.entries["claim"] if page_files else None
        link = None
        try:
            link = _make_link(pages, chain_id, timelock_id, marks)
            facts = await pages.read_facts(link.chain_id, link.timelock_id)
        except (NotFound, *PASSING) as error:
            elsewhere = link is not None and not pages.serves_chain(link.chain_id)
            why = (
                GiftNotice.NOT_SERVED
                if elsewhere
                else GiftNotice.NOT_SHOWN
                if isinstance(error, NotShown)
                else GiftNotice.NO_GIFT
            )
            return _explain_refusal(error, marks, why, pages.rules.prefix, page_files, link)
        occasion = find_occasion(marks.occasion)
        foreign = _list_origins(settings.identity_provider) if marks.email else []
        return make_response(
            gift_page(link, facts, occasion, entry, render_no_script(request.headers.get("Accept-Language", ""))),
            content_security_policy(occasion, foreign),
        )

    @get("/for/{address:str}")
    async def by_address(
        self,
        request: Request[Any, Any, Any],
        address: FromPath[str],
        gift_pages: NamedDependency[GiftPages | None],
        page_files: NamedDependency[PageFiles | None],
    ) -> Response[str]:
        """On to the newest gift sealed to an address. No fragment in `Location`: the browser carries its own on."""
        pages, marks = _require_pages(gift_pages), _read_flags(request)
        try:
            if not _ADDRESS.fullmatch(address):
                raise NotFound("This is no address.")
            link = await pages.find_newest_link(address.lower(), marks)
        except (NotFound, *PASSING) as error:
            unknown = GiftNotice.NOT_SHOWN_FOR if isinstance(error, NotShown) else GiftNotice.NONE_FOR
            why = GiftNotice.MISTYPED if _is_mistyped(address) else unknown
            return _explain_refusal(error, marks, why, pages.rules.prefix, page_files)
        return Response("", status_code=302, media_type="text/plain", headers={"Location": link.url})


@get(f"/{CARDS}/{{file:str}}", include_in_schema=False, sync_to_thread=False)
def card_image(file: FromPath[str]) -> Response[bytes]:
    """A preview image, by its name in the pages."""
    if file not in map_card_files():
        raise NotFound("There is no such image.")
    return Response(read_card(map_card_files()[file]), media_type="image/png", headers=FOR_EVER)


@get(f"/{ASSETS}/{{file:str}}", include_in_schema=False, sync_to_thread=False)
def page_file(
    request: Request[Any, Any, Any], file: FromPath[str], page_files: NamedDependency[PageFiles | None]
) -> Response[bytes]:
    """A script, style or font of the pages, by its name in them."""
    found = page_files.files.get(file) if page_files else None
    if found is None:
        raise NotFound("There is no such file.")
    return file_response(request, found, FOR_EVER["Cache-Control"])


def file_response(request: Request[Any, Any, Any], file: PageFile, cache_control: str) -> Response[bytes]:
    """Return a built file, compressed for clients that accept gzip."""
    headers = {"Cache-Control": cache_control, "Vary": "Accept-Encoding"}
    if file.gzipped is not None and "gzip" in request.headers.get("Accept-Encoding", ""):
        headers["Content-Encoding"] = "gzip"
        return Response(file.gzipped, media_type=file.media_type, headers=headers)
    return Response(file.content, media_type=file.media_type, headers=headers)


@get("/create", include_in_schema=False, sync_to_thread=False)
def show_create_page(
    request: Request[Any, Any, Any],
    gift_pages: NamedDependency[GiftPages | None],
    page_files: NamedDependency[PageFiles | None],
    settings: NamedDependency[Settings],
) -> Response[str]:
    """A simple page to seal gifts with, where `GIFT_CREATE_PAGE` says so: elsewhere that is the frontend's."""
    pages = _require_pages(gift_pages)
    entry = page_files.entries.get("create") if page_files else None
    if entry is None:
        raise NotFound("The gift page is not built here.")
    chains = [
        {
            "chainId": chain.chain_id,
            "chainName": chain.shown_name,
            "router": to_checksum_address(chain.time_lock_router),
            "vault": to_checksum_address(chain.timelock_erc20),
            "tokenWhiteList": to_checksum_address(chain.token_white_list),
            "premiumSetting": to_checksum_address(chain.premium_setting),
            "contracts": [to_checksum_address(each) for each in chain.protocol_contracts],
            "explorerUrl": chain.explorer_url,
        }
        for chain in settings.chains
    ]
    setup = {"origin": str(pages.rules.origins[0]), "prefix": pages.rules.prefix, "chains": chains}
    occasion = find_occasion(None)
    no_script = render_no_script(request.headers.get("Accept-Language", ""))
    page = create_page(occasion, pages.rules.prefix, entry, json.dumps(setup), no_script)
    return make_response(page, content_security_policy(occasion))


def nothing_below(prefix: str, page_files: PageFiles | None, elsewhere: Handler) -> Handler:
    """Return the handler of unknown paths: below the prefix a page, because people open cut-off claim links."""

    def answer(request: Request[Any, Any, Any], error: NotFoundException) -> Response[Any]:
        if not f"{request.scope['path']}/".startswith(f"/{prefix}/"):
            return elsewhere(request, error)
        return _put_right(request, prefix, page_files) or _explain_refusal(
            NotFound(), _read_flags(request), GiftNotice.CUT_OFF, prefix, page_files
        )

    return answer


def rewritten_links(
    prefix: str, page_files: PageFiles | None
) -> Callable[[Request[Any, Any, Any]], Awaitable[Response[str] | None]]:
    """Return a hook that answers a rewritten link before its path and query are read."""

    async def answer(request: Request[Any, Any, Any]) -> Response[str] | None:
        return _put_right(request, prefix, page_files)

    return answer


def _put_right(request: Request[Any, Any, Any], prefix: str, page_files: PageFiles | None) -> Response[str] | None:
    """Return the page whose script puts a rewritten link right. The server never decodes the letter in it."""
    target = request.scope["raw_path"] + b"?" + request.scope["query_string"]
    if _REWRITTEN.search(target) is None:
        return None
    occasion, entry = find_occasion(None), page_files.entries["claim"] if page_files else None
    page = plain_page(occasion, GiftNotice.REWRITTEN.words, prefix, entry, kind="rewritten")
    return make_response(page, content_security_policy(occasion))


def _require_pages(pages: GiftPages | None) -> GiftPages:
    if pages is None:
        raise NotConfigured("Gifts are not served here.")
    return pages


def _read_flags(request: Request[Any, Any, Any]) -> LinkFlags:
    return read_valid_flags(request.query_params.multi_items())


def _make_link(pages: GiftPages, chain_id: str, timelock_id: str, marks: LinkFlags) -> ClaimLink:
    """Only the one spelling that claim links have."""
    if not all(re.fullmatch(r"[1-9][0-9]{0,18}", number) for number in (chain_id, timelock_id)):
        raise NotFound("This is no gift's path.")
    return pages.rules.make_link(int(chain_id), int(timelock_id), marks)


def _is_mistyped(address: str) -> bool:
    """Return True for an invalid address or a wrong checksum (EIP-55); lower case has no checksum."""
    return not _ADDRESS.fullmatch(address) or (
        is_checksum_formatted_address(address) and not is_checksum_address(address)
    )


def _list_origins(provider: IdentityProviderSettings | None) -> list[str]:
    if provider is None:
        return []
    parts = [urlsplit(url) for url in (provider.url, provider.auth_proxy_url)]
    return list(dict.fromkeys(f"{part.scheme}://{part.netloc}" for part in parts))


def _explain_refusal(
    error: ServiceError,
    marks: LinkFlags,
    not_found: GiftNotice,
    prefix: str,
    page_files: PageFiles | None,
    link: ClaimLink | None = None,
) -> Response[str]:
    """With a `link`, or while the fault may pass, the page has a button to try again, and looks by itself, too."""
    status, _ = next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)
    notice = GiftNotice.NOT_NOW if isinstance(error, PASSING) else not_found
    occasion, entry = find_occasion(marks.occasion), page_files.entries["claim"] if page_files else None
    is_passing = isinstance(error, (*PASSING, LimitReached))
    is_final = not is_passing and (link is None or not_found in (GiftNotice.NOT_SERVED, GiftNotice.NOT_SHOWN))
    page = plain_page(occasion, notice.words, prefix, entry, link, "final" if is_final else "waiting")
    answer = make_response(page, content_security_policy(occasion), status)
    if isinstance(error, PASSING):
        answer.headers["Retry-After"] = str(RETRY_LATER_SECONDS)
    return answer


def make_response(page: str, policy: str, status: int = 200) -> Response[str]:
    headers = {"Content-Security-Policy": policy, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
    return Response(page, status_code=status, media_type="text/html", headers=headers)
