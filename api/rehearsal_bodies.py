"""Request and answer of a rehearsal, as on the wire."""

from datetime import datetime
from typing import Annotated

from eth_utils.address import to_checksum_address
from msgspec import Meta, Struct

from api.schemas import EXAMPLE_RECIPIENT, SignedBody, UntoldReasons, VerdictAnswer, describe_verdicts
from reminder_worker.outbox.messages import Language, RecipientRole, ReminderKind, to_datetime
from reminder_worker.reminders.rehearsal import (
    LegacyRehearsal,
    RehearsedEmail,
    RehearsedPerson,
    RehearsedWindow,
)


class RehearsalBody(SignedBody, rename="camel", forbid_unknown_fields=True):
    """A legacy to rehearse, with or without the texts."""

    emails: Annotated[
        bool,
        Meta(description="True: with subject and text of each email, at most 400, the earliest first", examples=[True]),
    ] = False


class RehearsedEmailAnswer(Struct, rename="camel"):
    """An email as the person will read it; its number and its links to unsubscribe are samples."""

    kind: Annotated[ReminderKind, Meta(description="Kind of email", examples=["before_activation"])]
    language: Annotated[Language, Meta(description="Language of the email", examples=["es"])]
    subject: Annotated[str, Meta(description="Subject", examples=["Nothing to do yet: legacy 42 may open soon"])]
    text: Annotated[str, Meta(description="Plain text part", examples=["Dear Anna, …"])]


class RehearsedPersonAnswer(Struct, rename="camel", omit_defaults=True):
    """One account in one window."""

    recipient: Annotated[str, Meta(description="Address of the account, EIP-55", examples=[EXAMPLE_RECIPIENT])]
    role: Annotated[
        RecipientRole | None,
        Meta(description="Role by the chain, else as stored; null: the account has none", examples=["beneficiary"]),
    ]
    will_be_told: Annotated[bool, Meta(description="Whether an email of this window goes to it", examples=[True])]
    reasons: UntoldReasons
    email: Annotated[RehearsedEmailAnswer | None, Meta(description="The email, if asked for. Absent: none")] = None


class RehearsedWindowAnswer(Struct, rename="camel"):
    """Emails of a window that is open or to come."""

    kind: Annotated[ReminderKind, Meta(description="Kind of its emails", examples=["before_activation"])]
    line: Annotated[int, Meta(description="Line that the window is about: 1, 2 or 3", examples=[1])]
    opens_at: Annotated[
        datetime,
        Meta(
            description="Opening, RFC 3339. In the past: the window is open, and its emails are under way or sent",
            examples=["2027-05-01T09:00:00Z"],
        ),
    ]
    further_email: Annotated[
        int,
        Meta(description="0: the first emails of the window; 1, 2 or 3: further ones, if nobody acts", examples=[0]),
    ]
    emails_at: Annotated[
        datetime,
        Meta(description="When these emails are due, RFC 3339", examples=["2027-05-01T09:00:00Z"]),
    ]
    deadline: Annotated[
        datetime, Meta(description="When the line may claim, RFC 3339", examples=["2027-05-08T09:00:00Z"])
    ]
    moves: Annotated[
        bool, Meta(description="All days move with each sign of life of the owner: always true", examples=[True])
    ]
    people: Annotated[
        list[RehearsedPersonAnswer],
        Meta(description="In the order of their addresses"),
    ]


class RehearsalAnswer(Struct, rename="camel"):
    """Emails to come for each person, if nothing changes."""

    as_of: Annotated[
        datetime, Meta(description="Time of the block that was read, RFC 3339", examples=["2026-11-29T17:00:11Z"])
    ]
    live: Annotated[bool, Meta(description="False: deleted or claimed from, and no window will open", examples=[True])]
    premium_until: Annotated[
        datetime | None,
        Meta(
            description="End of the creator's Premium, RFC 3339. Null: never had it", examples=["2027-11-01T12:00:00Z"]
        ),
    ]
    people: Annotated[
        list[VerdictAnswer],
        Meta(description="Accounts of the set and accounts on chain, over all windows"),
    ]
    windows: Annotated[list[RehearsedWindowAnswer], Meta(description="In order of `emailsAt`, at most sixteen")]


def describe_rehearsal(rehearsed: LegacyRehearsal) -> RehearsalAnswer:
    return RehearsalAnswer(
        as_of=to_datetime(rehearsed.as_of),
        live=rehearsed.is_live,
        premium_until=to_datetime(rehearsed.premium_until) if rehearsed.premium_until else None,
        people=describe_verdicts(rehearsed.people) or [],
        windows=[_describe_window(each) for each in rehearsed.windows],
    )


def _describe_window(each: RehearsedWindow) -> RehearsedWindowAnswer:
    return RehearsedWindowAnswer(
        kind=each.kind,
        line=each.line,
        opens_at=to_datetime(max(0, each.window.opens_at)),
        further_email=each.turn,
        emails_at=to_datetime(max(0, each.emails_at)),
        deadline=to_datetime(each.window.deadline),
        moves=True,
        people=[_describe_person(person) for person in each.people],
    )


def _describe_person(each: RehearsedPerson) -> RehearsedPersonAnswer:
    email = None if each.email is None else _describe_email(each.email)
    account = to_checksum_address(each.recipient)
    return RehearsedPersonAnswer(account, each.role, each.will_be_told, list(each.reasons), email)


def _describe_email(each: RehearsedEmail) -> RehearsedEmailAnswer:
    return RehearsedEmailAnswer(each.kind, each.language, each.content.subject, each.content.text)
