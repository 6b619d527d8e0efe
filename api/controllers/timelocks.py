"""Public list of the timelocks that an address sealed."""

import re
from typing import Annotated

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import QueryParameter

from api.problems import describe_problem
from api.timelock_bodies import TimelocksAnswer, describe_page
from reminder_worker.errors import FieldFault, InvalidInput, NotConfigured
from reminder_worker.gifts.pages import GiftPages

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}", re.ASCII)
_CURSOR = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)


class TimelocksController(Controller):
    tags = ["Gifts"]  # noqa: RUF012 - read by the framework

    @get(
        "/timelocks",
        operation_id="timelocks",
        summary="What an address sealed",
        responses={
            400: describe_problem("`malformed`: `errors` names the parameters that are missing or cannot be read"),
            422: describe_problem("`invalid_input`: `errors` names the bad parameters"),
            429: describe_problem("`rate_limited`; `Retry-After` says when to come back"),
            503: describe_problem("`chain_unavailable`, `unavailable` (the database), `not_configured`"),
        },
    )
    async def list_timelocks(
        self,
        gift_pages: NamedDependency[GiftPages | None],
        owner: Annotated[str, QueryParameter(description="Address of who sealed, letters in any case")],
        chain_id: Annotated[int, QueryParameter(name="chainId", description="Chain id")],
        before: Annotated[
            str | None, QueryParameter(description="`next` of the page before this one", required=False)
        ] = None,
    ) -> TimelocksAnswer:
        """Needs no signature: all of it is on the public chain. The newest first, at most 50 on a page."""
        if gift_pages is None:
            raise NotConfigured("Gifts are not served here.")
        faults = []
        if not _ADDRESS.fullmatch(owner):
            faults.append(FieldFault("/owner", "has to be an address"))
        if not gift_pages.serves_chain(chain_id):
            faults.append(FieldFault("/chainId", "is no chain of this service"))
        if before is not None and not _CURSOR.fullmatch(before):
            faults.append(FieldFault("/before", "has to be `next` of a page"))
        if faults:
            raise InvalidInput("The list cannot be asked for like this.", faults)
        return describe_page(await gift_pages.read_owner_page(chain_id, owner, int(before) if before else None))
