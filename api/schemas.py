"""Requests and responses on the wire: camelCase, every field described, with examples that the server reads."""

from collections.abc import Generator, Sequence
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal, TypeVar

from litestar import Request
from litestar.dto import AbstractDTO
from litestar.dto.data_structures import DTOFieldDefinition
from litestar.openapi.spec import Reference, Schema
from litestar.typing import FieldDefinition
from msgspec import Meta, Struct

from api.problem_codes import ProblemCode
from reminder_worker.errors import Refused
from reminder_worker.outbox.bounces import BounceReason
from reminder_worker.outbox.messages import Language, ReminderKind, checksum_address
from reminder_worker.reminders.receipts import MOST_RECEIPTS, EmailOutcome, EmailReason
from reminder_worker.reminders.recipients import Role
from reminder_worker.reminders.rehearsal import PersonVerdict, UntoldReason
from reminder_worker.strict_json import decode_json

EXAMPLE_LEGACY = "0xB7A5bd0345EF1Cc5E66bf61BdeC17D2461fBd968"
EXAMPLE_RECIPIENT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
EXAMPLE_TOKEN = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"  # noqa: S105 - a coin's address
EXAMPLE_DEADLINE = 1_900_000_000
EXAMPLE_SIGNATURE = "0x" + "4f" * 32 + "2b" * 32 + "1b"
EXAMPLE_PAYLOAD = (
    '{"salt":"0x6f1d2c4b8a9e3f507182736455667788","recipients":[{"recipient":"'
    + EXAMPLE_RECIPIENT
    + '","role":"beneficiary","email":"anna@example.org","name":"Anna","language":"es","timeZone":"Europe/Madrid"}],'
    + '"ownerName":"Maria","title":"For the children"}'
)

# The length keeps a line end out, which Python's `$` would let pass behind the last digit.
AnyAddress = Annotated[str, Meta(pattern="^0x[0-9a-fA-F]{40}$", max_length=42)]
ChainId = Annotated[
    int,
    Meta(
        gt=0,
        le=2**53 - 1,
        description="Chain id as in the signed domain; an integer, as EIP-712 and wallets have it",
        examples=[1],
    ),
]
Address = Annotated[
    AnyAddress, Meta(description="Address of the legacy's contract, letters in any case", examples=[EXAMPLE_LEGACY])
]
Deadline = Annotated[
    int,
    Meta(
        gt=0,
        le=2**53 - 1,
        description="Unix seconds after which the signature is void; in the future and at most one hour ahead",
        examples=[EXAMPLE_DEADLINE],
    ),
]
Signature = Annotated[
    str,
    Meta(
        pattern="^0x([0-9a-fA-F]{2}){0,8192}$",
        description=(
            "The wallet's signature of the EIP-712 message: 65 bytes, or what a smart wallet's ERC-1271 takes: `0x` of"
            " a Safe that has signed it on chain, except for `/recipients`. Of a wallet with code only that"
            " counts; of a delegated account (EIP-7702) the key's signature, too, except at `/sponsor/`, where the"
            " contracts decide. A wallet that is not deployed cannot sign (no ERC-6492)"
        ),
        examples=[EXAMPLE_SIGNATURE],
    ),
]


def format_time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def cut_fraction(moment: datetime) -> datetime:
    """Answers have whole seconds in UTC."""
    return moment.astimezone(UTC).replace(microsecond=0)


class SignedBody(Struct, rename="camel", forbid_unknown_fields=True):
    """A request about one legacy, signed by the on-chain creator."""

    chain_id: ChainId
    legacy: Address
    deadline: Deadline
    signature: Signature


class IngestBody(SignedBody, rename="camel", forbid_unknown_fields=True):
    """The complete recipient set of a legacy; whoever is not in it is deleted."""

    payload: Annotated[
        str,
        Meta(
            max_length=60_000,
            description=(
                "JSON text made by the client, `{salt, recipients: [{recipient, role, email, name}]}` with a random"
                " salt of at least 16 bytes in hex and at most 64 recipients. The SHA-256 of these exact UTF-8 bytes"
                " is the signed `payloadHash`. Roles: owner, cosigner, beneficiary, second_line, third_line."
                " Optional: `ownerName` and `title` (of the legacy) beside `recipients`, and"
                " `language` of a recipient: en, es, fr, de, pt, it, ja, ko, zh-Hans or ar, and their `timeZone`:"
                " an IANA name such as Europe/Berlin, in which the emails show the day beside UTC."
            ),
            examples=[EXAMPLE_PAYLOAD],
        ),
    ]


UntoldReasons = Annotated[
    list[UntoldReason],
    Meta(
        description=(
            "Why not. `not_configured`: PremiumSetting does not name the account. `no_address`: the set has no email"
            " for it. `address_returns`: its mailbox does not exist. `unsubscribed`, `erased_themself`: by the"
            " person. `not_a_member`: the legacy does not name the account, nor does its Safe. `later_line`: the line"
            " of the account comes later. `line_without_members`: nobody is in the line. `over_bound`: a list on"
            " chain is longer than we read. `no_premium`: Premium has ended by then. `guard_missing`,"
            " `module_disabled`: the Safe lacks the guard or the module of the legacy. `test_chain_not_listed`:"
            " emails about a test chain go to listed addresses only. `too_late`: the window was open for too long"
            " when it was first seen. `no_window`: no window will open"
        ),
        examples=[["not_configured"]],
    ),
]


class VerdictAnswer(Struct, rename="camel"):
    """Verdict on one account, over all windows."""

    recipient: Annotated[str, Meta(description="Address of the account, EIP-55", examples=[EXAMPLE_RECIPIENT])]
    will_be_told: Annotated[
        bool, Meta(description="Whether at least one email about a deadline will go to it", examples=[False])
    ]
    reasons: UntoldReasons


PeopleVerdicts = Annotated[
    list[VerdictAnswer] | None,
    Meta(
        description=(
            "Verdicts on the accounts of the set and on the accounts on chain. Absent: not known now, for example"
            " because the mail service does not answer"
        )
    ),
]


def describe_verdicts(people: Sequence[PersonVerdict] | None) -> list[VerdictAnswer] | None:
    if people is None:
        return None
    return [VerdictAnswer(checksum_address(each.recipient), each.will_be_told, list(each.reasons)) for each in people]


class SavedAnswer(Struct, rename="camel", omit_defaults=True):
    """The set is saved."""

    saved: Annotated[int, Meta(description="Recipients that the set has now", examples=[1])]
    shredded: Annotated[int, Meta(description="Recipients of the earlier set that are deleted", examples=[0])]
    erased_themselves: Annotated[
        list[str],
        Meta(
            description="Recipients of this set who erased themselves, and are not stored again (EIP-55)",
            examples=[[]],
        ),
    ]
    people: PeopleVerdicts = None


class ErasedAnswer(Struct, rename="camel"):
    """The set is gone."""

    shredded: Annotated[int, Meta(description="Recipients that were deleted", examples=[2])]


class EraseRecipientBody(Struct, rename="camel", forbid_unknown_fields=True):
    """A recipient's request to be erased, signed by the recipient's own wallet."""

    chain_id: ChainId
    recipient: Address
    legacy: Annotated[
        Address, Meta(description="The legacy's address; the zero address stands for all legacies of this chain")
    ]
    deadline: Deadline
    signature: Signature


class SelfErasedAnswer(Struct, rename="camel"):
    """The recipient is erased."""

    erased: Annotated[int, Meta(description="Entries that were deleted", examples=[1])]


class QueuedAnswer(Struct, rename="camel"):
    """The emails are on their way."""

    queued: Annotated[int, Meta(description="Emails that will be sent", examples=[3])]


class EmailReceiptAnswer(Struct, rename="camel", omit_defaults=True):
    """The outcome of an email."""

    kind: Annotated[ReminderKind, Meta(description="Kind of the email", examples=["ready_to_activate"])]
    day: Annotated[
        date,
        Meta(
            description="Day (UTC) on which the email left; of an unsent email, the day of its last step",
            examples=["2026-11-27"],
        ),
    ]
    outcome: Annotated[
        EmailOutcome,
        Meta(
            description=(
                "`accepted`: the mail server took the email, and no report says that it came back. `came_back`: it"
                " could not be delivered. `held`: unknown whether it left, an operator finds out. `waiting`: it will be"
                " sent, or tried again. `dropped`: it is not sent"
            ),
            examples=["came_back"],
        ),
    ]
    why: Annotated[
        EmailReason | None,
        Meta(
            description=(
                "Why it came back (as `bounceReason`: of the last email from this address) or was dropped."
                " `no_longer_true`: for example the owner was active before it left. `not_named`: the chain does not"
                " name the person for it. `no_premium`. `told_later`: a later email says it too. `unsubscribed`: the"
                " person wants no email. `address_returns`: the mailbox does not exist. `refused`: the mail server"
                " refused it three times. `not_readable`: the legacy could not be read. `test_chain_not_listed`: of a"
                " test chain, and the address is not on the operator's list. A later version may add reasons"
            ),
            examples=["mailbox_full"],
        ),
    ] = None


class RecipientAnswer(Struct, rename="camel", omit_defaults=True):
    """One recipient, as its creator saved it."""

    recipient: Annotated[str, Meta(description="The recipient's address, EIP-55", examples=[EXAMPLE_RECIPIENT])]
    role: Annotated[Role, Meta(description="Words the email; who is written to is read on chain")]
    email: Annotated[str, Meta(description="Email address in its normal form", examples=["anna@example.org"])]
    name: Annotated[str, Meta(description="Name as shown in the email, may be empty", examples=["Anna"])]
    language: Annotated[Language, Meta(description="Language of the recipient's emails", examples=["es"])]
    last_emails: Annotated[
        list[EmailReceiptAnswer],
        Meta(
            description=(
                "The last ten emails about this legacy to this address, the newest first. An email to an earlier"
                " address, or from before the person was erased, is not among them"
            ),
            max_length=MOST_RECEIPTS,
        ),
    ]
    time_zone: Annotated[
        str,
        Meta(
            description="IANA time zone of the recipient's emails. Absent: their times are in UTC only",
            examples=["Europe/Madrid"],
        ),
    ] = ""
    delivery: Annotated[
        Literal["bounced"] | None,
        Meta(
            description=(
                "`bounced`: an email to the address came back. To correct the address, save a set with a new address."
                " To try the same address again, save the set unchanged. Absent: nothing came back since the last save"
            ),
            examples=["bounced"],
        ),
    ] = None
    bounce_reason: Annotated[
        BounceReason | None,
        Meta(
            description=(
                "Why. `mailbox_unknown`: the mailbox does not exist, no further email is sent there; after the others"
                " emails are still sent: `mailbox_full`, `blocked` (the other server refuses us) and `other`"
            ),
            examples=["mailbox_unknown"],
        ),
    ] = None
    bounced_at: Annotated[
        datetime | None, Meta(description="When we learned of it, RFC 3339", examples=["2026-11-27T10:40:00Z"])
    ] = None


class RecipientsAnswer(Struct, rename="camel", omit_defaults=True):
    """The stored set, decrypted for its creator."""

    recipients: Annotated[list[RecipientAnswer], Meta(description="In the order of their addresses")]
    owner_name: Annotated[str, Meta(description="The owner's name, may be empty", examples=["Maria"])]
    title: Annotated[str, Meta(description="The legacy's title, may be empty", examples=["For the children"])]
    erased_themselves: Annotated[
        list[str],
        Meta(
            description="Addresses (EIP-55) of recipients who erased themselves: nothing else is known of them",
            examples=[["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"]],
        ),
    ]
    people: PeopleVerdicts = None


class HealthAnswer(Struct, rename="camel"):
    """This process answers."""

    status: Annotated[Literal["ok"], Meta(description="Always ok; a failure is a problem")]


class LivenessAnswer(HealthAnswer):
    """This process is alive."""

    version: Annotated[str, Meta(description="Version of the service", examples=["0.1.0"])]


class FieldProblem(Struct, rename="camel"):
    """One bad field."""

    pointer: Annotated[str, Meta(description="JSON pointer into the request", examples=["/payload/recipients/0/email"])]
    detail: Annotated[str, Meta(description="What is wrong with it; no value is echoed", examples=["is too long"])]


class Problem(Struct, rename="camel", omit_defaults=True):
    """What went wrong (RFC 9457)."""

    type: Annotated[
        str, Meta(description="Stable URI of the kind of problem", examples=["urn:reminder-worker:problem:expired"])
    ]
    title: Annotated[str, Meta(description="The kind in words", examples=["The signed message has expired"])]
    status: Annotated[int, Meta(description="HTTP status", examples=[410])]
    detail: Annotated[
        str, Meta(description="This occurrence in words", examples=["The deadline of this signed message has passed."])
    ]
    code: Annotated[
        ProblemCode,
        Meta(
            description=(
                "The kind, for programs. A later version may add codes: treat an unknown code by its HTTP status"
            ),
            examples=["expired"],
        ),
    ]
    errors: Annotated[
        list[FieldProblem],
        Meta(description="All bad fields, when fields are to blame"),
    ] = []


class UnsupportedMediaType(Refused):
    """The body is not declared as JSON. Only the edge knows media types."""

    code = "unsupported_media_type"


T = TypeVar("T")


class StrictJson(AbstractDTO[T]):
    """Strict reader: the framework's own takes any content type, converts "5" to 5 and echoes values in its errors."""

    def decode_bytes(self, value: bytes) -> Any:
        """Raises UnsupportedMediaType, Malformed, InvalidInput."""
        request = self.asgi_connection
        media_type = request.content_type[0] if isinstance(request, Request) else ""
        if media_type.lower() != "application/json":
            raise UnsupportedMediaType("Send the body as application/json.")
        return decode_json(value, self.model_type)

    @classmethod
    def create_for_field_definition(cls, *_args: Any, **_kwargs: Any) -> None:
        """Nothing to prepare: the struct is its own model."""

    @classmethod
    def create_openapi_schema(
        cls, field_definition: FieldDefinition, handler_id: str, schema_creator: Any
    ) -> Reference | Schema:
        schema: Reference | Schema = schema_creator.for_field_definition(field_definition)
        return schema

    @classmethod
    def generate_field_definitions(cls, model_type: type[Any]) -> Generator[DTOFieldDefinition, None, None]:
        yield from ()

    @classmethod
    def detect_nested_field(cls, field_definition: FieldDefinition) -> bool:
        return False
