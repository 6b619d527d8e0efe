"""Protocol statistics and token prices, for everybody."""

import asyncio
import re
import time
from datetime import datetime
from typing import Annotated, Any

from litestar import Controller, Request, get
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import QueryParameter
from litestar.response.base import ASGIResponse
from sqlalchemy.ext.asyncio import AsyncEngine

from api.clients import WITHOUT_DATABASE
from api.problems import UNREADABLE, describe_problem
from api.stats import CachedDocument, PublishedStats, prices_answer
from api.stats_bodies import PricesAnswer, StatsAnswer
from reminder_worker.errors import FieldFault, InvalidInput, NoHistory, NotConfigured, Unavailable
from reminder_worker.statistics.prices import find_prices_at

NOT_MODIFIED = ResponseSpec(None, description="The client has these bytes: `If-None-Match` names their `ETag`")
RATE_LIMITED = describe_problem("`rate_limited`; `Retry-After` says when to come back")


class StatsController(Controller):
    path = "/stats"
    tags = ["Statistics"]  # noqa: RUF012 - read by the framework

    @get(
        "/",
        operation_id="stats",
        opt={WITHOUT_DATABASE: True},
        summary="The protocol in numbers",
        responses={
            200: ResponseSpec(StatsAnswer, description="The newest counts", generate_examples=False),
            304: NOT_MODIFIED,
            429: RATE_LIMITED,
            503: describe_problem("`unavailable`: nothing was counted yet"),
        },
    )
    async def show_stats(
        self, request: Request[Any, Any, Any], published: NamedDependency[PublishedStats]
    ) -> ASGIResponse:
        """Counts and value secured, over everybody; nothing of anybody. With its `ETag`, asking again is cheap."""
        if published.stats is None:
            raise Unavailable("Nothing was counted yet; the first statistics come within the hour.")
        return published.stats.answer(request.headers.get("if-none-match"))

    @get(
        "/prices",
        operation_id="prices",
        opt={WITHOUT_DATABASE: True},
        summary="Token prices from on-chain feeds",
        responses={
            200: ResponseSpec(PricesAnswer, description="The newest prices, or those of `at`", generate_examples=False),
            304: NOT_MODIFIED,
            400: UNREADABLE,
            404: describe_problem("`no_history`: no price of that moment is known here"),
            422: describe_problem("`invalid_input`: `at` is no moment of the past"),
            429: RATE_LIMITED,
            503: describe_problem(
                "`unavailable`: no price was read yet; `not_configured`: there are no price feeds here"
            ),
        },
    )
    async def show_prices(
        self,
        request: Request[Any, Any, Any],
        published: NamedDependency[PublishedStats],
        price_history: NamedDependency["PriceHistory"],
        at: Annotated[
            str | None,
            QueryParameter(
                description="RFC 3339: prices of that moment, from this service's own history",
                schema_extra={"format": "date-time"},
                required=False,
            ),
        ] = None,
    ) -> ASGIResponse:
        """A stale price is marked, and never today's. With its `ETag`, asking again is cheap."""
        if not any(chain.price_feeds for chain in published.chains):
            raise NotConfigured("There are no price feeds here.")
        document = published.prices if at is None else await price_history.at(at)
        if document is None:
            raise Unavailable("No price was read yet; the feeds are read every five minutes.")
        return document.answer(request.headers.get("if-none-match"))


class PriceHistory:
    """Answers for a moment, from the database: a few questions at once, each with an end."""

    def __init__(self, engine: AsyncEngine, published: PublishedStats) -> None:
        self._engine = engine
        self._published = published
        self._turns = asyncio.Semaphore(4)  # the database's connections are for everybody

    async def at(self, text: str) -> CachedDocument:
        """Raises `InvalidInput`, `NoHistory` and `Unavailable`."""
        moment, read_at = _read_moment(text), self._published.read_at
        if moment > max(int(time.time()), read_at or 0):
            raise InvalidInput("That moment lies in the future.", [FieldFault("/at", "lies in the future")])
        try:
            async with asyncio.timeout(3), self._turns:
                found = [
                    (chain.chain_id, price)
                    for chain in self._published.chains
                    for price in (await find_prices_at(self._engine, chain, moment)).values()
                ]
        except TimeoutError:
            raise Unavailable("The history does not answer in time; try again later.") from None
        if not found:
            raise NoHistory("No price of that moment is known here: the history begins later.")
        return CachedDocument(prices_answer(found, moment if read_at is None else min(moment, read_at)))


def _read_moment(text: str) -> int:
    """Unix seconds. A `+` that was not escaped arrives as a space."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+ -]\d\d:\d\d)", text, re.ASCII):
        try:
            return int(datetime.fromisoformat(text.upper().replace(" ", "+")).timestamp())
        except (ValueError, OverflowError):
            pass
    raise InvalidInput("`at` is not a moment.", [FieldFault("/at", "has to be RFC 3339, as 2027-03-03T09:00:00Z")])
