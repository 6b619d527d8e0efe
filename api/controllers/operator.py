"""Endpoints of operators; an endpoint without its secret in the settings does not exist."""

import asyncio
import hmac
from typing import Annotated, Any, Literal, cast

from eth_utils.address import to_checksum_address
from litestar import Controller, get, post
from litestar.connection import ASGIConnection
from litestar.di import NamedDependency
from litestar.handlers.base import BaseRouteHandler
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import SecurityScheme
from litestar.params import JSONBody, SkipValidation
from litestar.types import Guard
from msgspec import Meta, Struct
from pydantic import SecretStr
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from api.problems import OF_A_BODY, describe_problem, describe_responses
from api.schemas import EXAMPLE_RECIPIENT, AnyAddress, HealthAnswer, LivenessAnswer, StrictJson
from reminder_worker import __version__
from reminder_worker.database.engine import must_take_writes
from reminder_worker.database.migrate import schema_serves
from reminder_worker.errors import NotConfigured, Unauthorized, Unavailable
from reminder_worker.features import POLLED_PASSES
from reminder_worker.gifts.emails import GiftMailReport
from reminder_worker.monitoring import erasure as operators
from reminder_worker.monitoring.chain_summaries import ChainSummary
from reminder_worker.monitoring.facts import LEDGERS
from reminder_worker.outbox import operator
from reminder_worker.runtime import Runtime

SECURITY_SCHEMES = {
    "statusSecret": SecurityScheme(type="http", scheme="bearer", description="OPS_STATUS_SECRET"),
    "operatorSecret": SecurityScheme(type="http", scheme="bearer", description="OPERATOR_SECRET"),
}
DISPATCH_SECONDS, GIFTS_SECONDS = 20.0, 10.0  # within what a caller waits; the passes do the rest
Parts = NamedDependency[SkipValidation[Runtime]]  # a dataclass would be converted


class WalletAnswer(Struct, rename="camel"):
    """A wallet of ours."""

    role: Annotated[Literal["relayer", "attestor"], Meta(description="What it pays for")]
    address: Annotated[str, Meta(description="EIP-55", examples=[EXAMPLE_RECIPIENT])]
    balance: Annotated[str | None, Meta(description="Wei; null: not known now", examples=["10000"])]


class ChainAnswer(Struct, rename="camel"):
    """A chain served here."""

    chain_id: Annotated[int, Meta(description="Chain id", examples=[1])]
    head_block: Annotated[int | None, Meta(description="Latest block; null: not known now")]
    contracts: Annotated[dict[str, str], Meta(description="Configured contracts by their setting's name")]
    wallets: Annotated[list[WalletAnswer], Meta(description="Wallets that pay on it")]


class StatusAnswer(Struct, rename="camel"):
    """How this installation is set: booleans and public facts only."""

    passes: Annotated[dict[str, bool], Meta(description="Which passes are configured; `relay`: of what users signed")]
    chains: Annotated[list[ChainAnswer], Meta(description="Public facts of each chain")]


class ErasePersonBody(Struct, rename="camel", forbid_unknown_fields=True):
    """Who is to be forgotten: an email, or an address."""

    email: Annotated[str, Meta(max_length=600, description="Email address", examples=["anna@example.org"])] | None = (
        None
    )
    address: Annotated[AnyAddress, Meta(description="Address of a recipient's wallet")] | None = None


class PersonErasedAnswer(Struct, rename="camel"):
    """The person is forgotten; what was sent stays remembered without them."""

    recipients: Annotated[int, Meta(description="Stored recipients that were deleted", examples=[1])]
    gifts: Annotated[int, Meta(description="Gift registrations that were deleted", examples=[0])]


class DispatchedAnswer(Struct, rename="camel"):
    """What a dispatch came to."""

    outcomes: Annotated[dict[str, dict[str, int]], Meta(description="By kind of email, how many came to which state")]
    more: Annotated[bool, Meta(description="Whether more is due: the passes go on with it")]


class RequeuedAnswer(Struct, rename="camel"):
    """Dead emails are back in the queue."""

    requeued: Annotated[int, Meta(description="How many", examples=[3])]


def require_secret(secret: SecretStr) -> Guard:
    """Raises Unauthorized for any other secret; compared in constant time."""
    wanted = f"Bearer {secret.get_secret_value()}".encode()

    def check(connection: ASGIConnection[Any, Any, Any, Any], _handler: BaseRouteHandler) -> None:
        given = connection.headers.get("Authorization", "").encode("latin-1", "replace")
        if not hmac.compare_digest(given, wanted):
            raise Unauthorized("The secret of this endpoint is missing or wrong.")

    return check


def _list_problems(**words: str) -> dict[int, ResponseSpec]:
    common = {
        "401": "`unauthorized`: the secret is missing or wrong",
        "429": "`rate_limited`; `Retry-After` says when to come back",
        "503": "`unavailable`: the database does not answer",
    }
    return describe_responses(common, words)


class StatusController(Controller):
    tags = ["Operators"]  # noqa: RUF012 - read by the framework
    security = [{"statusSecret": []}]  # noqa: RUF012 - likewise

    @get("/ops/status", operation_id="opsStatus", summary="How this installation is set", responses=_list_problems())
    async def show_status(self, parts: Parts) -> StatusAnswer:
        """Header `Authorization: Bearer OPS_STATUS_SECRET`. Booleans and public facts; never a secret. The
        answer takes at most five seconds: facts of a chain that hangs are missing."""
        found = await parts.chain_summaries.read_summaries()
        passes = {step.name: step.off(parts.settings) is None for step in POLLED_PASSES}
        passes["relay"] = parts.settings.relay is not None  # it follows renewals, too, which `auto_renew` is about
        return StatusAnswer(passes, [_describe_chain(each) for each in found])


class OperatorController(Controller):
    tags = ["Operators"]  # noqa: RUF012 - read by the framework
    security = [{"operatorSecret": []}]  # noqa: RUF012 - likewise

    @post(
        "/ops/erase-recipient",
        status_code=200,
        dto=StrictJson[ErasePersonBody],
        return_dto=None,
        operation_id="opsEraseRecipient",
        summary="Forget a person",
        responses={
            **describe_responses(OF_A_BODY, {}),
            **_list_problems(on_422="`invalid_input`; `errors` names the bad fields"),
        },
    )
    async def erase_person(self, data: JSONBody[ErasePersonBody], parts: Parts) -> PersonErasedAnswer:
        """Header `Authorization: Bearer OPERATOR_SECRET`. Every row of an email or of an address, over all chains."""
        erased = await operators.erase_person(parts.engine, parts.hashes, data.email, data.address)
        return PersonErasedAnswer(erased.recipients, erased.gifts)

    @post(
        "/ops/dispatch",
        status_code=200,
        operation_id="opsDispatch",
        summary="Send now",
        responses=_list_problems(
            on_503="`not_configured`: no mail service; `unavailable`: the database does not answer"
        ),
    )
    async def send_emails(self, parts: Parts) -> DispatchedAnswer:
        """Header `Authorization: Bearer OPERATOR_SECRET`. Emails of reminders and gifts, each at most once, also while
        the passes send."""
        if parts.dispatch is None:
            raise NotConfigured("No mail service is configured.")
        report = await parts.dispatch.run(DISPATCH_SECONDS)
        gifts = await parts.gift_mail.run(GIFTS_SECONDS) if parts.gift_mail else GiftMailReport()
        return DispatchedAnswer({**report.outcomes, **gifts.outcomes}, report.more or gifts.more)

    @post(
        "/ops/requeue",
        status_code=200,
        operation_id="opsRequeue",
        summary="Try dead emails again",
        responses=_list_problems(),
    )
    async def requeue_dead(self, parts: Parts) -> RequeuedAnswer:
        """Header `Authorization: Bearer OPERATOR_SECRET`. Emails and alerts that the mail service refused."""
        return RequeuedAnswer(await operator.requeue_dead(parts.engine, LEDGERS))


def _describe_chain(status: ChainSummary) -> ChainAnswer:
    wallets = [
        WalletAnswer(
            cast(Any, each.role), to_checksum_address(each.address), None if each.balance is None else str(each.balance)
        )
        for each in status.wallets
    ]
    contracts: dict[str, str] = {name: to_checksum_address(address) for name, address in status.contracts.items()}
    return ChainAnswer(status.chain_id, status.head, contracts, wallets)


class HealthController(Controller):
    path = "/health"
    tags = ["Health"]  # noqa: RUF012 - read by the framework
    _look: asyncio.Task[bool] | None = None

    @get("/live", operation_id="healthLive", summary="Is the process alive?")
    async def show_liveness(self) -> LivenessAnswer:
        """Answers as long as the process does; looks at nothing else."""
        return LivenessAnswer(status="ok", version=__version__)

    @get(
        "/ready",
        operation_id="healthReady",
        summary="Can requests be served?",
        responses={
            503: describe_problem(
                "`unavailable`: the database does not answer, takes no writes or is not of this version"
            )
        },
    )
    async def show_readiness(self, engine: NamedDependency[AsyncEngine]) -> HealthAnswer:
        """Fails when the database does not answer, takes no writes, or its schema does not serve this version: missing,
        older, or more than one revision newer."""
        # One look at a time, whoever asks meanwhile: no limit keeps anybody from asking.
        if self._look is None or self._look.done():
            self._look = asyncio.create_task(_serves_requests(engine))
        try:
            serves = await asyncio.shield(self._look)
        except (SQLAlchemyError, OSError, TimeoutError):
            raise Unavailable("The database does not answer, or takes no writes.") from None
        if not serves:
            raise Unavailable("The database's schema does not serve this version; run the migrations.")
        return HealthAnswer(status="ok")


async def _serves_requests(engine: AsyncEngine) -> bool:
    async with asyncio.timeout(3):
        serves = await schema_serves(engine)
        if serves:
            await must_take_writes(engine)
    return serves
