"""The endpoints of givers: a wallet for an email, and whom to tell of a gift. Each is one call of a service."""

from eth_utils.address import to_checksum_address
from litestar import Controller, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody

from api.gift_bodies import (
    GiftEraseBody,
    GiftErasedAnswer,
    GiftNotifyAnswer,
    GiftNotifyBody,
    RecipientWalletAnswer,
    RecipientWalletBody,
)
from api.problems import OF_A_BODY, describe_responses
from api.schemas import StrictJson
from reminder_worker.gifts.notifications import EraseRequest, GiftNotifications, NotifyRequest
from reminder_worker.gifts.wallets import GiftWallets, WalletRequest


def _list_problems(**words: str) -> dict[int, ResponseSpec]:
    common = {
        **OF_A_BODY,
        "403": "`signer_mismatch`",
        "404": "`not_found`: no live gift of whitelisted ERC-20 tokens has this number",
        "409": "`already_used`: this signed message was used before, or a later one was accepted",
        "410": "`expired`: the deadline has passed",
        "422": "`invalid_input`, `deadline_too_far`; `errors` names the bad fields",
        "429": "`rate_limited`, `daily_cap_reached`; `Retry-After` says when to come back",
        "503": (
            "`chain_unavailable`, `indexer_unavailable`, `unavailable` (the database), `not_configured`:"
            " nothing was stored"
        ),
    }
    return describe_responses(common, words)


class GiftWalletController(Controller):
    tags = ["Gifts"]  # noqa: RUF012 - read by the framework

    @post(
        "/gift/recipient-wallet",
        status_code=200,
        dto=StrictJson[RecipientWalletBody],
        return_dto=None,
        operation_id="giftRecipientWallet",
        summary="The wallet of an email address",
        responses=_list_problems(
            on_403="`signer_mismatch`; `giver_unknown`: the giver has never sent a transaction on this chain",
            on_404="",
            on_409="`already_used`; `wallet_not_usable`: somebody else may have a way into this email's wallet",
            on_503=(
                "`chain_unavailable`, `identity_provider_unavailable`, `unavailable` (the database), `not_configured`"
            ),
        ),
    )
    async def find_wallet(
        self, data: JSONBody[RecipientWalletBody], gift_wallets: NamedDependency[GiftWallets]
    ) -> RecipientWalletAnswer:
        """Signed message `GiftEmailWallet(bytes32 emailHash,uint256 deadline)`, by the giver.

        Found or made at the identity provider; the email itself is stored nowhere here. It may take more than a minute.
        The giver has sent a transaction on this chain before, or is Premium.
        """
        request = WalletRequest(
            data.chain_id, data.giver.lower(), data.email, data.deadline, bytes.fromhex(data.signature[2:])
        )
        return RecipientWalletAnswer(to_checksum_address(await gift_wallets.find_address(request)))


class GiftNotifyController(Controller):
    tags = ["Gifts"]  # noqa: RUF012 - read by the framework

    @post(
        "/gift/notify",
        status_code=201,
        dto=StrictJson[GiftNotifyBody],
        return_dto=None,
        operation_id="giftNotify",
        summary="Say whom to tell of a gift, and when",
        response_description="Saved, in the place of whoever was to be told before",
        responses=_list_problems(),
    )
    async def register_notification(
        self, data: JSONBody[GiftNotifyBody], gift_notifications: NamedDependency[GiftNotifications]
    ) -> GiftNotifyAnswer:
        """Signed message `GiftNotify2(bytes32 payloadHash,uint256 deadline)`, by who sealed the gift.

        Registering again replaces what was there; a gift has at most three addresses over its life. The email of
        opening day is sent with every timing, unless the gift was claimed by then.
        """
        request = NotifyRequest(
            data.chain_id, data.giver.lower(), data.payload, data.deadline, bytes.fromhex(data.signature[2:])
        )
        made = await gift_notifications.register_notification(request)
        return GiftNotifyAnswer(made.timing.value, made.notify_at, made.unlock_at)


class GiftEraseController(Controller):
    """Apart from registrations: whoever used up an hour's may take them back all the same."""

    tags = ["Gifts"]  # noqa: RUF012 - read by the framework

    @post(
        "/gift/notify/erase",
        status_code=200,
        dto=StrictJson[GiftEraseBody],
        return_dto=None,
        operation_id="giftNotifyErase",
        summary="Tell nobody of a gift any more",
        responses=_list_problems(on_429="`rate_limited`; `Retry-After` says when to come back"),
    )
    async def erase_notification(
        self, data: JSONBody[GiftEraseBody], gift_notifications: NamedDependency[GiftNotifications]
    ) -> GiftErasedAnswer:
        """Signed message `GiftNotifyErase(uint256 timelockId,uint256 deadline)`, by who sealed the gift.

        Emails that are not sent yet are cancelled.
        """
        request = EraseRequest(
            data.chain_id,
            data.giver.lower(),
            int(data.timelock_id),
            data.deadline,
            bytes.fromhex(data.signature[2:]),
        )
        return GiftErasedAnswer(await gift_notifications.erase_notification(request))
