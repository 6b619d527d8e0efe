"""Requests and responses of the gift endpoints, as on the wire."""

import json
from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct

from api.schemas import EXAMPLE_RECIPIENT, AnyAddress, ChainId, Deadline, Signature

_LETTER = "eyJ2IjoxLCJ0byI6IkFubmEiLCJmcm9tIjoiR3JhbmRwYSIsIm5vdGUiOiJIYXBweSBiaXJ0aGRheSEifQ"
EXAMPLE_NOTIFY_PAYLOAD = json.dumps(
    {
        "salt": "0x6f1d2c4b8a9e3f507182736455667788",
        "timelockId": "42",
        "recipientEmail": "anna@example.org",
        "recipientName": "Anna",
        "giverName": "Grandpa",
        "claimLink": f"https://app.example.org/gifts/1/42?o=birthday#g={_LETTER}",
        "timing": "immediate",
    }
)

Giver = Annotated[
    AnyAddress,
    Meta(
        description="The giver's address, who signed; letters in any case",
        examples=[EXAMPLE_RECIPIENT],
    ),
]


class _GiverBody(Struct, rename="camel", forbid_unknown_fields=True):
    """A request signed by a giver."""

    chain_id: ChainId
    giver: Giver
    deadline: Deadline
    signature: Signature


class RecipientWalletBody(_GiverBody, rename="camel", forbid_unknown_fields=True):
    """Whose wallet is asked for."""

    email: Annotated[
        str,
        Meta(
            max_length=600,
            description="The recipient's email; the SHA-256 of its normal form is the signed `emailHash`",
            examples=["anna@example.org"],
        ),
    ]


class RecipientWalletAnswer(Struct, rename="camel"):
    """The wallet that only the owner of the email can sign for."""

    address: Annotated[str, Meta(description="Seal the gift to this address, EIP-55", examples=[EXAMPLE_RECIPIENT])]


class GiftNotifyBody(_GiverBody, rename="camel", forbid_unknown_fields=True):
    """Whom to tell of a gift, in the place of whoever was registered before."""

    payload: Annotated[
        str,
        Meta(
            max_length=20_000,
            description=(
                "JSON text made by the client, `{salt, timelockId, recipientEmail, recipientName, giverName, claimLink,"
                " timing, notifyAt}`: a random salt of at least 16 bytes in hex; timing immediate, scheduled or none;"
                " notifyAt only with scheduled, RFC 3339 with the giver's offset. The SHA-256 of these exact UTF-8"
                " bytes is the signed `payloadHash`."
            ),
            examples=[EXAMPLE_NOTIFY_PAYLOAD],
        ),
    ]


class GiftNotifyAnswer(Struct, rename="camel"):
    """Registered."""

    timing: Annotated[Literal["immediate", "scheduled", "none"], Meta(description="As registered")]
    notify_at: Annotated[
        datetime | None,
        Meta(
            description="When the recipient hears of it before it opens; null: not at all",
            examples=["2027-04-11T18:30:11Z"],
        ),
    ]
    unlock_at: Annotated[
        datetime,
        Meta(description="When it opens, and the recipient hears of that", examples=["2027-05-01T09:00:00Z"]),
    ]


class GiftEraseBody(_GiverBody, rename="camel", forbid_unknown_fields=True):
    """Nobody is to be told of this gift any more."""

    timelock_id: Annotated[
        str, Meta(pattern="^[1-9][0-9]{0,17}$", description="The gift's number on that chain", examples=["42"])
    ]


class GiftErasedAnswer(Struct, rename="camel"):
    """Nothing of the registration is left but the hash that keeps an email from being sent twice."""

    erased: Annotated[bool, Meta(description="Whether somebody was registered", examples=[True])]
