"""The upgrade queue, for everybody."""

from typing import Any

from litestar import Controller, Request, get
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.response.base import ASGIResponse

from api.clients import WITHOUT_DATABASE
from api.controllers.stats import NOT_MODIFIED, RATE_LIMITED
from api.problems import describe_problem
from api.stats import PublishedStats
from api.upgrades import UpgradesAnswer
from reminder_worker.errors import NotConfigured, Unavailable


class UpgradesController(Controller):
    path = "/upgrades"
    tags = ["Upgrades"]  # noqa: RUF012 - read by the framework

    @get(
        "/",
        operation_id="upgrades",
        opt={WITHOUT_DATABASE: True},
        summary="What waits in the upgrade queues",
        responses={
            200: ResponseSpec(UpgradesAnswer, description="The queue of each chain", generate_examples=False),
            304: NOT_MODIFIED,
            429: RATE_LIMITED,
            503: describe_problem(
                "`unavailable`: no queue was read yet; `not_configured`: no UpgradeTimelock is watched here"
            ),
        },
    )
    async def show_upgrades(
        self, request: Request[Any, Any, Any], published: NamedDependency[PublishedStats]
    ) -> ASGIResponse:
        """Operations of the UpgradeTimelock, decoded. With its `ETag`, asking again is cheap."""
        if not any(chain.upgrade_timelock for chain in published.chains):
            raise NotConfigured("No UpgradeTimelock is watched here.")
        if published.upgrades is None:
            raise Unavailable("No upgrade queue was read yet; it is read each minute.")
        return published.upgrades.answer(request.headers.get("if-none-match"))
