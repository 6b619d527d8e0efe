"""The OpenAPI document as a whole; each endpoint describes itself where it stands."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from litestar import Router
from litestar.openapi import OpenAPIConfig
from litestar.openapi.spec import Components, Contact, License, OpenAPI, OpenAPIHeader, Schema, Tag
from litestar.openapi.spec.enums import OpenAPIType
from litestar.types import Guard

from api.controllers.operator import SECURITY_SCHEMES
from api.schema_page import SWAGGER_PAGE, restrict_page
from reminder_worker import __version__

DESCRIPTION = """\
Recipients of a legacy's reminders, managed by wallet signatures; sealed gifts, transactions whose gas is paid for, and
statistics. Every request of the recipient endpoints carries an EIP-712 message signed in the domain
`{name: "Reminder Worker", version: "1", chainId}`; nothing secret is in the frontend. A signed message works once and
until its deadline. The npm package `reminder-worker-client` (`clients/typescript`) makes and signs each of them. The
signatures of the examples are placeholders, and are refused.

Identifiers and amounts are strings. Only `chainId` is an integer, as in EIP-712 and in wallets. Times are RFC 3339 in
UTC; deadlines are unix seconds, as they are signed.

`errors` of a 422 names all bad fields by JSON pointers (a hundred at most): fields that are missing, unknown, or not of
the type and form in their description. If there are none, it names the fields with unacceptable content. Names of
unknown fields are not repeated: the answer gives their number and the list of known fields.
"""
TAGS = {
    "Recipients": "Who is reminded of a legacy; by the signature of its creator or of a recipient",
    "Legacies": "The public state of a legacy, and the preview of an heir's claim",
    "Gifts": "Sealed gifts: their public facts, whom to tell of them, and a wallet for an email",
    "Sponsored transactions": "Signed claims, check-ins and withdrawals of gifts, whose gas is paid for",
    "Statistics": "The protocol in numbers, and token prices",
    "Upgrades": "What waits in the contracts' upgrade queues",
    "Operators": "For whoever runs this; each needs a secret",
    "Health": "For what watches this process",
}
RETRY_AFTER = "Retry-After"


def make_config(limit: Guard, contact_url: str) -> OpenAPIConfig:
    """`contact_url`: where users find whoever runs this installation."""
    return DocumentConfig(
        title="Reminder Worker",
        version=__version__,
        description=DESCRIPTION,
        contact=Contact(name="Who runs this installation", url=contact_url),
        license=License(name="Apache License 2.0", identifier="Apache-2.0"),
        security=[],  # of endpoints that name none: what is private is signed, in the body
        tags=[Tag(name=name, description=words) for name, words in TAGS.items()],
        components=Components(
            security_schemes={**SECURITY_SCHEMES},
            headers={
                RETRY_AFTER: OpenAPIHeader(
                    description="Seconds after which another try may succeed",
                    schema=Schema(type=OpenAPIType.INTEGER, minimum=1),
                )
            },
        ),
        openapi_router=Router(
            "/schema",
            route_handlers=[],
            guards=[limit],
            after_request=restrict_page,
            include_in_schema=False,
        ),
        render_plugins=[SWAGGER_PAGE],
        use_handler_docstrings=True,
    )


@dataclass
class DocumentConfig(OpenAPIConfig):
    def to_openapi_schema(self) -> OpenAPI:
        return ApiDocument(**vars(super().to_openapi_schema()))


@dataclass
class ApiDocument(OpenAPI):
    """With the header of answers that ask for patience, which the framework cannot describe on an endpoint."""

    def to_schema(self) -> dict[str, Any]:
        document = super().to_schema()
        for path in document["paths"].values():
            for operation in path.values():
                _declare_retry_after(operation["responses"])
        return document


def _declare_retry_after(responses: Mapping[str, dict[str, Any]]) -> None:
    """A 503 has it unless only an operator can help, as with `not_configured`."""
    for status in responses.keys() & {"429", "503"}:
        responses[status]["headers"] = {RETRY_AFTER: {"$ref": f"#/components/headers/{RETRY_AFTER}"}}
