"""Requests and responses of the gift endpoints, as on the wire."""

import json
from datetime import datetime
from typing import Annotated, Literal

from eth_utils.address import to_checksum_address
from msgspec import Meta, Struct

from api.schemas import (
    EXAMPLE_LEGACY,
    EXAMPLE_RECIPIENT,
    EXAMPLE_TOKEN,
    AnyAddress,
    ChainId,
    Deadline,
    Signature,
)
from reminder_worker.gifts.pages import GiftAsset, GiftFacts
from reminder_worker.outbox.messages import to_datetime
from reminder_worker.settings import IdentityProviderSettings

EXAMPLE_NOTIFY_PAYLOAD = json.dumps(
    {
        "salt": "0x6f1d2c4b8a9e3f507182736455667788",
        "timelockId": "42",
        "recipientEmail": "anna@example.org",
        "recipientName": "Anna",
        "giverName": "Grandpa",
        "claimLink": "https://app.example.org/gifts/1/42?o=birthday"
        "#g=eyJ2IjoxLCJ0byI6IkFubmEiLCJmcm9tIjoiR3JhbmRwYSIsIm5vdGUiOiJIYXBweSBiaXJ0aGRheSEifQ",
        "timing": "immediate",
        "language": "es",
        "giverEmail": "grandpa@example.org",
        "giverLanguage": "en",
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
                " notifyAt only with scheduled, RFC 3339 with the giver's offset. Optional: `language` of the emails:"
                " en, es, fr, de, pt, it, ja, ko, zh-Hans or ar. `remindAfterOpening`: true reminds the recipient 30,"
                " 90 and 365 days after the opening day while the gift is not opened. `giverEmail`: the giver's own"
                " address, which hears, in `giverLanguage`, that the gift was opened, that an email to the recipient"
                " came back, and that the gift is unopened after 90 days. The SHA-256 of these exact UTF-8 bytes is the"
                " signed `payloadHash`."
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
            description="Time of the email before the opening; null: no such email",
            examples=["2027-04-11T18:30:11Z"],
        ),
    ]
    unlock_at: Annotated[
        datetime,
        Meta(description="Opening time, also the time of the second email", examples=["2027-05-01T09:00:00Z"]),
    ]


class GiftEraseBody(_GiverBody, rename="camel", forbid_unknown_fields=True):
    """Nobody is to be told of this gift any more."""

    timelock_id: Annotated[
        str, Meta(pattern="^[1-9][0-9]{0,17}$", description="The gift's number on that chain", examples=["42"])
    ]


class GiftErasedAnswer(Struct, rename="camel"):
    """Nothing of the registration is left but the hash that keeps an email from being sent twice."""

    erased: Annotated[bool, Meta(description="Whether somebody was registered", examples=[True])]


class GiftAssetAnswer(Struct, rename="camel"):
    """One token of a gift."""

    token: Annotated[str, Meta(description="The token's address, EIP-55", examples=[EXAMPLE_TOKEN])]
    symbol: Annotated[
        str | None, Meta(description="The token's symbol; null: no symbol that can be shown", examples=["USDC"])
    ]
    decimals: Annotated[int | None, Meta(description="Its decimals; null when unknown", examples=[6])]
    amount: Annotated[str, Meta(description="Base units, decimal", examples=["250000000"])]
    as_ether: Annotated[
        bool | None,
        Meta(
            description="Wrapped ether that the recipient receives as the same amount of ether, unless `skipSwap`;"
            " of a withdrawn gift: whether ether was sent; null: not known",
            examples=[False],
        ),
    ]
    sold_for_ether: Annotated[
        bool | None,
        Meta(
            description="Another token, sold for ether at the withdrawal, at the price of that day, unless `skipSwap`;"
            " `amount` is in the token's own units; of a withdrawn gift: whether ether was sent; null: not known",
            examples=[False],
        ),
    ]


class GiftDomainAnswer(Struct, rename="camel"):
    """EIP-712 domain of WithdrawAuth, read from the router (ERC-5267)."""

    name: Annotated[str, Meta(description="Domain name", examples=["10102 Timelock Sponsored"])]
    version: Annotated[str, Meta(description="Domain version", examples=["1"])]
    chain_id: Annotated[int, Meta(description="Chain id", examples=[1])]
    verifying_contract: Annotated[str, Meta(description="The router, EIP-55", examples=[EXAMPLE_LEGACY])]


class IdentityProviderAnswer(Struct, rename="camel"):
    """With what a page talks to the identity provider: two public ids, and where."""

    organization_id: Annotated[
        str, Meta(description="The parent organization", examples=["8e2c8ae2-0d2f-4b0f-8b0e-0a6f2a8f3c11"])
    ]
    auth_proxy_config_id: Annotated[
        str, Meta(description="The auth proxy's configuration", examples=["5a1b7c1e-63a0-4a8e-9d35-2f7b6a1d9c42"])
    ]
    auth_proxy_url: Annotated[
        str, Meta(description="Base address of the auth proxy", examples=["https://authproxy.turnkey.com"])
    ]
    api_url: Annotated[str, Meta(description="Base address of its API", examples=["https://api.turnkey.com"])]
    sub_organization_id: Annotated[
        str | None,
        Meta(
            description="Of the recipient's wallet, to be named at the login; null while the gift cannot be opened, and"
            " for a wallet that was not made here for an email",
            examples=["c1a7d6f2-7f0e-4c58-9a3b-0b7f1a5d2e64"],
        ),
    ]
    code_signing_key: Annotated[
        str | None, Meta(description="Null but on the local stack, whose stand-in signs with a key of its own")
    ]


class GiftAnswer(Struct, rename="camel"):
    """What anybody may know of a gift; nothing of its link's fragment."""

    state: Annotated[
        Literal["sealed", "open", "claimed"],
        Meta(
            description="Sealed until the opening time, open for the recipient, or claimed (withdrawn)",
            examples=["sealed"],
        ),
    ]
    recipient: Annotated[
        str,
        Meta(
            description="The only address that can withdraw the gift; anybody may pay the fee; EIP-55",
            examples=[EXAMPLE_RECIPIENT],
        ),
    ]
    unlock_at: Annotated[datetime, Meta(description="RFC 3339, UTC", examples=["2027-05-01T09:00:00Z"])]
    sealed_at: Annotated[
        datetime | None,
        Meta(description="When it was sealed, RFC 3339, UTC; null: not indexed yet", examples=["2026-11-02T16:20:35Z"]),
    ]
    opened_at: Annotated[
        datetime | None,
        Meta(
            description="When it was withdrawn, RFC 3339, UTC; null: not yet, or not indexed yet",
            examples=["2027-05-01T09:12:23Z"],
        ),
    ]
    create_path: Annotated[
        str | None,
        Meta(description="Path of the page that seals gifts; null where none is served", examples=["/gifts/create"]),
    ]
    as_of: Annotated[
        datetime,
        Meta(description="The chain's clock when this was read, RFC 3339, UTC", examples=["2027-04-11T18:30:11Z"]),
    ]
    chain_name: Annotated[str, Meta(description="The chain's name, for people", examples=["Ethereum"])]
    explorer_url: Annotated[
        str | None, Meta(description="A block explorer of the chain", examples=["https://etherscan.io"])
    ]
    assets: Annotated[
        list[GiftAssetAnswer],
        Meta(description="What is in it, or was; of a gift withdrawn moments ago it may be empty"),
    ]
    router: Annotated[str, Meta(description="The TimeLockRouter, EIP-55", examples=[EXAMPLE_LEGACY])]
    contracts: Annotated[
        list[str],
        Meta(
            description="The protocol's routers, vaults and helpers, EIP-55: what is sent to them is lost",
            examples=[[EXAMPLE_LEGACY]],
        ),
    ]
    domain: Annotated[
        GiftDomainAnswer,
        Meta(description="The EIP-712 domain that WithdrawAuth is signed in; its version says what is signed"),
    ]
    sponsor_nonce: Annotated[
        str, Meta(description="Nonce of the recipient's next WithdrawAuth, decimal", examples=["0"])
    ]
    sponsored: Annotated[
        bool, Meta(description="Whether this service relays withdrawals of gifts and pays their fee", examples=[True])
    ]
    identity_provider: Annotated[
        IdentityProviderAnswer | None,
        Meta(description="For gifts addressed by email; null when there is no identity provider here"),
    ]


def describe_gift(
    facts: GiftFacts, provider: IdentityProviderSettings | None, sub_organization_id: str | None
) -> GiftAnswer:
    return GiftAnswer(
        state=facts.state.value,
        recipient=to_checksum_address(facts.recipient),
        unlock_at=to_datetime(facts.unlock_time),
        sealed_at=_optional_datetime(facts.history.sealed_at),
        opened_at=_optional_datetime(facts.history.opened_at),
        create_path=facts.create_path,
        as_of=to_datetime(facts.now),
        chain_name=facts.chain_name,
        explorer_url=facts.explorer_url,
        assets=[_describe_asset(asset) for asset in facts.assets],
        router=to_checksum_address(facts.router),
        contracts=[to_checksum_address(each) for each in facts.contracts],
        domain=GiftDomainAnswer(
            facts.domain.name, facts.domain.version, facts.domain.chain_id, to_checksum_address(facts.router)
        ),
        sponsor_nonce=str(facts.sponsor_nonce),
        sponsored=facts.sponsored,
        identity_provider=_describe_provider(provider, sub_organization_id),
    )


def _optional_datetime(moment: int | None) -> datetime | None:
    return None if moment is None else to_datetime(moment)


def _describe_asset(asset: GiftAsset) -> GiftAssetAnswer:
    return GiftAssetAnswer(
        token=to_checksum_address(asset.token),
        symbol=asset.metadata.symbol if asset.metadata else None,
        decimals=asset.metadata.decimals if asset.metadata else None,
        amount=str(asset.units),
        as_ether=asset.as_ether,
        sold_for_ether=asset.sold_for_ether,
    )


def _describe_provider(
    provider: IdentityProviderSettings | None, sub_organization_id: str | None
) -> IdentityProviderAnswer | None:
    if provider is None or not provider.auth_proxy_config_id:
        return None
    return IdentityProviderAnswer(
        provider.organization_id,
        provider.auth_proxy_config_id,
        provider.auth_proxy_url,
        provider.url,
        sub_organization_id,
        provider.code_signing_key,
    )
