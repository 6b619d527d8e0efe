"""The rehearsal of a legacy's emails, for its creator."""

from typing import Final

from litestar import Controller, post
from litestar.di import NamedDependency
from litestar.params import JSONBody

from api.controllers.recipients import list_problems, make_request
from api.rehearsal_bodies import RehearsalAnswer, RehearsalBody, describe_rehearsal
from api.schemas import StrictJson
from reminder_worker.reminders.rehearsal import RehearsalStage

REHEARSALS_PER_HOUR: Final = 60
"""From one client: each may render hundreds of emails."""


class RehearsalController(Controller):
    tags = ["Recipients"]  # noqa: RUF012 - read by the framework

    @post(
        "/rehearsal",
        status_code=200,
        dto=StrictJson[RehearsalBody],
        return_dto=None,
        operation_id="rehearseLegacy",
        summary="Show which emails will go to whom",
        responses=list_problems(
            on_429=f"`rate_limited`: {REHEARSALS_PER_HOUR} an hour; `Retry-After` says when to come back",
            on_503=(
                "`chain_unavailable`: the legacy cannot be read; `indexer_unavailable`: no index is up to date;"
                " `mail_unavailable`: the mail service does not answer; `unavailable`: the database;"
                " `not_configured`: no email is sent here, or the mail service shows no texts"
            ),
        ),
    )
    async def rehearse_legacy(
        self, data: JSONBody[RehearsalBody], rehearsals: NamedDependency[RehearsalStage]
    ) -> RehearsalAnswer:
        """Signed message `RehearseLegacy(address legacy,uint256 deadline)`, by the legacy's creator().

        For each window in order of time: whether an email goes to each account of the set and to each account that the
        chain names, and every reason why not. It holds if nothing changes. Works after Premium has lapsed. With
        `emails` also the texts, which hold names: the answer must not be stored. Nothing is sent.
        """
        return describe_rehearsal(await rehearsals.rehearse(make_request(data), with_texts=data.emails))
