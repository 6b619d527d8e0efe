"""The identity provider (Turnkey): a sub-organization for each email. Its user signs in by a one-time code.

Our credential creates sub-organizations and reads them; it holds no authority inside. Every request is stamped over
its exact bytes, and identical bytes are the same activity there, so that a repeated creation makes nothing new.
Nothing of an answer is ever put into an error or a log: it may hold the email.
"""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any, Final, TypeVar

import aiohttp
import msgspec
import structlog
from turnkey_api_key_stamper import ApiKeyStamper, ApiKeyStamperConfig

from reminder_worker import strict_json
from reminder_worker.errors import LimitReached, Misconfigured, Unavailable
from reminder_worker.quotas import QuotaCounters
from reminder_worker.settings import IdentityProviderSettings

log = structlog.get_logger(__name__)
T = TypeVar("T")

WALLET_NAME: Final = "Gift"
ACCOUNT: Final[Mapping[str, str]] = {
    "curve": "CURVE_SECP256K1",
    "pathFormat": "PATH_FORMAT_BIP32",
    "path": "m/44'/60'/0'/0/0",
    "addressFormat": "ADDRESS_FORMAT_ETHEREUM",
}


class IdentityProviderUnavailable(Unavailable):
    code = "identity_provider_unavailable"


class NotCreated(IdentityProviderUnavailable):
    """The creation ended without a sub-organization: the same bytes would end so again."""


class _ProviderAnswer(msgspec.Struct, rename="camel"):
    """Unknown fields are the provider's business."""


_OrganizationId = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{1,64}\Z")]  # it is kept


class _CreatedOrganization(_ProviderAnswer):
    sub_organization_id: _OrganizationId


class _ActivityResult(_ProviderAnswer):
    created: _CreatedOrganization | None = msgspec.field(default=None, name="createSubOrganizationResultV8")


class _ProviderActivity(_ProviderAnswer):
    id: str
    status: Annotated[str, msgspec.Meta(pattern=r"^ACTIVITY_STATUS_[A-Z_]{1,40}\Z")]  # it is logged
    result: _ActivityResult = msgspec.field(default_factory=_ActivityResult)


class _ActivityAnswer(_ProviderAnswer):
    activity: _ProviderActivity


class _OrganizationList(_ProviderAnswer):
    organization_ids: list[_OrganizationId] = []


class _UserCredential(_ProviderAnswer):
    type: str


class _ApiKey(_ProviderAnswer):
    credential: _UserCredential
    expiration_seconds: str | None = None

    @property
    def is_session(self) -> bool:
        """Return whether signing in by a one-time code left the key: it proves the email, and it expires."""
        of_sign_in = self.credential.type in ("CREDENTIAL_TYPE_LOGIN", "CREDENTIAL_TYPE_OTP_AUTH_KEY_P256")
        return of_sign_in and bool(self.expiration_seconds)


class _ProviderUser(_ProviderAnswer):
    user_email: str | None = None
    user_phone_number: str | None = None
    authenticators: list[Any] | None = None
    api_keys: list[_ApiKey] | None = None
    oauth_providers: list[Any] | None = None


class _UserList(_ProviderAnswer):
    users: list[_ProviderUser]


class _ProviderWallet(_ProviderAnswer):
    wallet_id: str
    wallet_name: str
    imported: bool = False

    @property
    def is_ours(self) -> bool:
        """Return whether we made it: of an imported wallet somebody else has the key."""
        return self.wallet_name == WALLET_NAME and not self.imported


class _WalletList(_ProviderAnswer):
    wallets: list[_ProviderWallet]


class _WalletAccount(_ProviderAnswer):
    curve: str
    path_format: str
    path: str
    address_format: str
    address: str


class _AccountList(_ProviderAnswer):
    accounts: list[_WalletAccount]


class IdentityProvider:
    """Asks the provider. All processes together send one request a second, counted in the database."""

    def __init__(
        self,
        settings: IdentityProviderSettings,
        session: aiohttp.ClientSession,
        quotas: QuotaCounters,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Raises `Misconfigured` when the two halves of the API key do not belong together."""
        self._settings = settings
        self._session = session
        self._quotas = quotas
        self._sleep = sleep
        self._clock = clock
        private = settings.api_private_key.get_secret_value()
        self._stamper = ApiKeyStamper(ApiKeyStamperConfig(settings.api_public_key.lower(), private))
        try:
            self._stamper.stamp("")
        except ValueError:
            raise Misconfigured("TURNKEY_API_PRIVATE_KEY is not the key of TURNKEY_API_PUBLIC_KEY") from None

    def __repr__(self) -> str:
        return "IdentityProvider"

    async def find_organizations(self, name: str) -> list[str]:
        """Ids of our sub-organizations of this name."""
        query = {
            "organizationId": self._settings.organization_id,
            "filterType": "NAME",
            "filterValue": name,
            "paginationOptions": {"limit": "10"},
        }
        return (
            await self._ask_provider("query/list_suborgs", query, _OrganizationList, self._compute_deadline())
        ).organization_ids

    async def create_organization(self, name: str, email: str, timestamp_ms: int) -> str:
        """The id of the sub-organization; the same arguments give the same one. Raises `NotCreated`."""
        ends = self._compute_deadline()
        body = _make_creation(self._settings.organization_id, name, email, timestamp_ms)
        activity = (await self._ask_provider("submit/create_sub_organization", body, _ActivityAnswer, ends)).activity
        while activity.status in ("ACTIVITY_STATUS_CREATED", "ACTIVITY_STATUS_PENDING"):
            await self._wait_seconds(1.0, ends)
            question = {"organizationId": self._settings.organization_id, "activityId": activity.id}
            activity = (await self._ask_provider("query/get_activity", question, _ActivityAnswer, ends)).activity
        if activity.status != "ACTIVITY_STATUS_COMPLETED" or activity.result.created is None:
            log.error("identity_provider_refused", status=activity.status)
            raise NotCreated("The identity provider did not make the wallet; try again later.")
        return activity.result.created.sub_organization_id

    async def find_wallet(self, sub_organization_id: str, email: str) -> str | None:
        """The address (lower case) of the wallet that the owner of `email`, and nobody else, controls; None: there is
        none.

        One user, with exactly this email and no other way in; a match of the email alone proves nothing, since
        somebody may have put it beside a key of their own.
        """
        about = {"organizationId": sub_organization_id}
        ends = self._compute_deadline()
        users = (await self._ask_provider("query/list_users", about, _UserList, ends)).users
        if len(users) != 1 or not _signs_in_by_email_only(users[0], email):
            return None
        wallets = (await self._ask_provider("query/list_wallets", about, _WalletList, ends)).wallets
        ours = [wallet for wallet in wallets if wallet.is_ours]
        if len(ours) != 1:
            return None
        question = {**about, "walletId": ours[0].wallet_id}
        accounts = (await self._ask_provider("query/list_wallet_accounts", question, _AccountList, ends)).accounts
        return _find_address(accounts)

    def _compute_deadline(self) -> float:
        """Return when one whole question is given up, waiting for our turn included, by our clock."""
        return self._clock() + 25.0

    async def _ask_provider(self, path: str, body: Mapping[str, Any], kind: type[T], ends: float) -> T:
        content = msgspec.json.encode(body).decode()
        while True:
            await self._wait_for_turn(ends)
            status, retry_after, raw = await self._post_request(path, content, ends)
            if status == 429:
                await self._wait_seconds(retry_after, ends)
                continue
            if status != 200:
                log.error("identity_provider_failed", path=path, status=status)
                raise _make_unavailable()
            try:
                return msgspec.json.decode(raw, type=kind)
            except strict_json.NOT_JSON:
                log.error("identity_provider_garbage", path=path)
                raise _make_unavailable() from None

    async def _post_request(self, path: str, content: str, ends: float) -> tuple[int, float, bytes]:
        stamp = self._stamper.stamp(content)
        headers = {stamp.stamp_header_name: stamp.stamp_header_value, "Content-Type": "application/json"}
        timeout = aiohttp.ClientTimeout(total=max(0.1, min(10.0, ends - self._clock())))
        url = f"{self._settings.url}/public/v1/{path}"
        try:
            async with self._session.post(
                url, data=content.encode(), headers=headers, timeout=timeout, allow_redirects=False
            ) as answer:
                raw = await strict_json.read_body(answer, 1024 * 1024)  # a user, a wallet or an activity is some KB
                return answer.status, _read_retry_after(answer.headers.get("Retry-After")), raw
        except (aiohttp.ClientError, TimeoutError):
            log.warning("identity_provider_unreachable", path=path)
            raise _make_unavailable() from None

    async def _wait_for_turn(self, ends: float) -> None:
        """Wait for a second without another request."""
        while True:
            try:
                return await self._quotas.reserve_one(None, "identity_provider", "", limit=1, window_seconds=1)
            except LimitReached:
                await self._wait_seconds(1.0 - self._quotas.now() % 1.0, ends)

    async def _wait_seconds(self, seconds: float, ends: float) -> None:
        if seconds > ends - self._clock():
            raise _make_unavailable()
        await self._sleep(seconds)


def _make_creation(organization_id: str, name: str, email: str, timestamp_ms: int) -> Mapping[str, Any]:
    return {
        "type": "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8",
        "timestampMs": str(timestamp_ms),
        "organizationId": organization_id,
        "parameters": {
            "subOrganizationName": name,
            "rootQuorumThreshold": 1,
            "rootUsers": [
                {
                    "userName": "Gift recipient",
                    "userEmail": email,
                    "apiKeys": [],
                    "authenticators": [],
                    "oauthProviders": [],
                }
            ],
            "wallet": {"walletName": WALLET_NAME, "accounts": [dict(ACCOUNT)]},
            "disableEmailRecovery": True,
            "disableEmailAuth": True,
            "disableSmsAuth": True,
            "disableOtpEmailAuth": False,
        },
    }


def _signs_in_by_email_only(user: _ProviderUser, email: str) -> bool:
    if user.user_email != email:
        return False
    if user.authenticators or user.oauth_providers or user.user_phone_number:
        return False
    return all(key.is_session for key in user.api_keys or ())


def _find_address(accounts: Sequence[_WalletAccount]) -> str | None:
    found = [
        account.address.lower()
        for account in accounts
        if (account.curve, account.path_format, account.path, account.address_format) == tuple(ACCOUNT.values())
    ]
    return found[0] if len(found) == 1 and re.fullmatch("0x[0-9a-f]{40}", found[0]) else None


def _read_retry_after(text: str | None) -> float:
    """`Retry-After` in seconds; a date or nothing counts as one second."""
    return float(text) if text is not None and text.isdecimal() else 1.0


def _make_unavailable() -> IdentityProviderUnavailable:
    return IdentityProviderUnavailable("The identity provider does not answer; try again later.")
