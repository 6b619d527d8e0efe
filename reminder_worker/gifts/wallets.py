"""Wallets addressed by email: the giver names an email, and gets the address that only its owner can sign for."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import structlog
from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.premium import PremiumSetting
from reminder_worker.chain.eip712 import SignatureVerifier, typed_data_digest
from reminder_worker.database.tables import used_signature
from reminder_worker.errors import AlreadyUsed, FieldFault, InvalidInput, NotConfigured, Refused
from reminder_worker.gifts.identity_provider import IdentityProvider, IdentityProviderUnavailable, NotCreated
from reminder_worker.gifts.tables import gift_wallet
from reminder_worker.privacy.emails import normalise_email
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.quotas import QuotaCounters
from reminder_worker.settings import IdentityProviderSettings
from reminder_worker.settings.chains import find_test_chains
from reminder_worker.signed_messages import already_used, check_deadline, served_chain, service_domain, spend_digest

log = structlog.get_logger(__name__)

DAY = 86_400
MOST_GIVEN_BACK = 5
_NOT_USABLE = "The wallet of this email address cannot be used for a gift; choose another way."
MESSAGE_TYPES = {"GiftEmailWallet": ({"name": "emailHash", "type": "bytes32"}, {"name": "deadline", "type": "uint256"})}


class GiverUnknown(Refused):
    """The giver's account has never been used. Anybody can create such keys without limit and use up the caps."""

    code = "giver_unknown"


class WalletNotUsable(Refused):
    """There is a sub-organization for this email, and somebody else than the email's owner may have a way in."""

    code = "wallet_not_usable"


@dataclass(frozen=True, slots=True)
class WalletRequest:
    """`giver` is a lower-case address, `deadline` in unix seconds."""

    chain_id: int
    giver: str
    email: str = field(repr=False)
    deadline: int
    signature: bytes = field(repr=False)


class GiftWallets:
    """`provider` is None where the identity provider is not configured."""

    def __init__(
        self,
        engine: AsyncEngine,
        hashes: KeyedHash,
        quotas: QuotaCounters,
        chains: Mapping[int, Chain],
        settings: IdentityProviderSettings | None,
        provider: IdentityProvider | None,
    ) -> None:
        self._engine = engine
        self._hashes = hashes
        self._quotas = quotas
        self._chains = chains
        self._settings = settings
        self._provider = provider

    async def find_address(self, request: WalletRequest) -> str:
        """Lower-case address of the email's wallet, found or made; the message is spent only when it is answered.

        Raises NotConfigured, InvalidInput, Expired, DeadlineTooFar, AlreadyUsed, SignerMismatch, GiverUnknown,
        LimitReached, WalletNotUsable, Unavailable.
        """
        if self._provider is None or self._settings is None:
            raise NotConfigured("Gifts to an email address are not offered here.")
        email = _normalise_email(request.email)
        digest = await self._check_authorization(request, email)
        scope, taken_at = "gift_wallets_of_giver", self._quotas.now()
        await self._quotas.reserve_one(
            None, scope, request.giver, self._settings.per_giver, DAY, code="daily_cap_reached"
        )
        try:
            address = await self._find_or_create(self._provider, self._settings, email, request.chain_id)
            known_by = update(gift_wallet).values(address_hash=self._hashes.gift_wallet(address))
            async with self._engine.begin() as connection:
                await spend_digest(connection, digest, request.deadline)
                await connection.execute(known_by.where(gift_wallet.c.email_hash == self._hashes.hash_email(email)))
        except AlreadyUsed:  # one of several copies sent at once: only one of them uses up a part of the giver's day
            await self._quotas.refund_one(scope, request.giver, DAY, taken_at)
            raise
        except IdentityProviderUnavailable:
            # Given back a few times a day only: somebody who makes requests fail on purpose uses up creations all the
            # same.
            if await self._quotas.reserve_many(
                None, "gift_wallets_given_back", {request.giver: 1}, MOST_GIVEN_BACK, DAY
            ):
                await self._quotas.refund_one(scope, request.giver, DAY, taken_at)
            raise
        return address

    async def find_sub_organization(self, address: str) -> str | None:
        """The sub-organization of the wallet with this lower-case address, which the page names at sign-in: else the
        provider would make a second one for the email."""
        this = gift_wallet.c.address_hash == self._hashes.gift_wallet(address)
        async with self._engine.connect() as connection:
            found: str | None = await connection.scalar(select(gift_wallet.c.sub_organization_id).where(this))
        return found

    async def _check_authorization(self, request: WalletRequest, email: str) -> bytes:
        """The digest of a message that the giver signed, has not used, and may use."""
        chain = served_chain(self._chains, request.chain_id)
        check_deadline(request.deadline, self._quotas.now())
        message = {"emailHash": hashlib.sha256(email.encode()).digest(), "deadline": request.deadline}
        digest = typed_data_digest(service_domain(request.chain_id), "GiftEmailWallet", MESSAGE_TYPES, message)
        await SignatureVerifier(chain).verify_signature(digest, request.signature, request.giver)
        async with self._engine.connect() as connection:
            if await connection.scalar(select(used_signature.c.deadline).where(used_signature.c.digest == digest)):
                raise already_used()
        if not await chain.has_sent(request.giver) and not await PremiumSetting(chain).is_premium(request.giver):
            raise GiverUnknown("The giver's account has never sent a transaction on this chain.")
        return digest

    async def _find_or_create(
        self, provider: IdentityProvider, settings: IdentityProviderSettings, email: str, chain_id: int
    ) -> str:
        key = self._hashes.hash_email(email)
        timestamp_ms, known = await self._load_or_begin_creation(key, settings, chain_id)
        found = known or await self._find_or_create_organization(provider, key, email, timestamp_ms)
        address = await provider.find_wallet(found, email)
        if address is None:
            log.error("gift_wallet_not_usable")
            raise WalletNotUsable(_NOT_USABLE)
        if known is None and await self._save_organization(key, found) != found:  # another request was first
            return await self._find_or_create(provider, settings, email, chain_id)
        return address

    async def _find_or_create_organization(
        self, provider: IdentityProvider, key: bytes, email: str, timestamp_ms: int
    ) -> str:
        """The email's sub-organization: found by its name, if an earlier creation was not recorded, or created."""
        name = self._hashes.sub_organization(email)
        found = await provider.find_organizations(name)
        if len(found) > 1:
            log.error("gift_wallet_ambiguous", count=len(found))
            raise WalletNotUsable(_NOT_USABLE)
        if found:
            return found[0]
        if timestamp_ms < int(self._quotas.now() * 1000) - 30 * 60 * 1000:  # the provider refuses old requests
            timestamp_ms = await self._renew_timestamp(key, timestamp_ms)
        try:
            return await provider.create_organization(name, email, timestamp_ms)
        except NotCreated:
            await self._renew_timestamp(key, timestamp_ms)
            raise

    async def _load_or_begin_creation(
        self, key: bytes, settings: IdentityProviderSettings, chain_id: int
    ) -> tuple[int, str | None]:
        """The timestamp of the creation and the sub-organization; a new email takes one of the day's creations."""
        timestamp_ms = int(self._quotas.now() * 1000)
        async with self._engine.begin() as connection:
            new = insert(gift_wallet).values(email_hash=key, timestamp_ms=timestamp_ms).on_conflict_do_nothing()
            if (await connection.execute(new.returning(gift_wallet.c.timestamp_ms))).first() is not None:
                for scope, most in self._list_creation_limits(settings.daily_creation_cap, chain_id):
                    await self._quotas.reserve_one(connection, scope, "", most, DAY, code="daily_cap_reached")
                return timestamp_ms, None
            found = select(gift_wallet.c.timestamp_ms, gift_wallet.c.sub_organization_id)
            row = (await connection.execute(found.where(gift_wallet.c.email_hash == key))).one()
            return row.timestamp_ms, row.sub_organization_id

    def _list_creation_limits(self, most: int, chain_id: int) -> Iterator[tuple[str, int]]:
        """Yield the counters of a creation, with their limits. An account on a test chain costs nothing. If mainnet is
        served, too, givers on test chains may use half of the day's creations."""
        yield "gift_wallets", most
        if chain_id in find_test_chains([chain.settings for chain in self._chains.values()]):
            yield "gift_wallets_of_test_chains", most // 2

    async def _renew_timestamp(self, key: bytes, old: int) -> int:
        """Renew the timestamp of a creation. Return it, or a newer timestamp of another process."""
        this = gift_wallet.c.email_hash == key
        renewed = update(gift_wallet).values(timestamp_ms=int(self._quotas.now() * 1000))
        async with self._engine.begin() as connection:
            await connection.execute(renewed.where(this, gift_wallet.c.timestamp_ms == old))
            found = await connection.scalar(select(gift_wallet.c.timestamp_ms).where(this))
        if found is None:
            raise IdentityProviderUnavailable("The creation was taken back; try again.")
        return int(found)

    async def _save_organization(self, key: bytes, sub_organization_id: str) -> str:
        """Store the sub-organization and return the one that counts: this one, or another that was stored first. Makes
        the row anew where it is gone: a creation that was begun long ago is forgotten as if never made."""
        found = insert(gift_wallet).values(
            email_hash=key, timestamp_ms=int(self._quotas.now() * 1000), sub_organization_id=sub_organization_id
        )
        first = func.coalesce(gift_wallet.c.sub_organization_id, found.excluded.sub_organization_id)
        kept = found.on_conflict_do_update(index_elements=["email_hash"], set_={"sub_organization_id": first})
        async with self._engine.begin() as connection:
            return str(await connection.scalar(kept.returning(gift_wallet.c.sub_organization_id)))


def _normalise_email(email: str) -> str:
    try:
        return normalise_email(email)
    except ValueError as error:
        raise InvalidInput("The email address is not acceptable.", [FieldFault("/email", str(error))]) from None
