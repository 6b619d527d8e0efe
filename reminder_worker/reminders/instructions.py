"""/send-instructions: on the owner's request, email every member how the legacy works."""

from collections.abc import Mapping
from datetime import UTC, datetime
from uuid import uuid4

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.legacies import LegacyIdentity, LegacyReads
from reminder_worker.chain.types import BlockHeader
from reminder_worker.errors import ChainUnavailable, LegacyNotLive, LimitReached, NotConfigured
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.outbox.messages import RecipientRole, ReminderKind
from reminder_worker.quotas import QuotaCounters
from reminder_worker.reminders.audience import ALL_LINES, LegacyMembership, find_audience, read_memberships
from reminder_worker.reminders.authorization import RequestAuthorizer, SignedRequest
from reminder_worker.reminders.planner import PlannedEmail, insert_emails, lock_recipients
from reminder_worker.settings import Settings


class InstructionMailer:
    """Queues one email per recipient confirmed on chain; the dispatcher sends them."""

    def __init__(
        self,
        engine: AsyncEngine,
        chains: Mapping[int, Chain],
        indexers: Mapping[int, IndexerSelector],
        quotas: QuotaCounters,
        settings: Settings,
    ) -> None:
        self._engine = engine
        self._chains = chains
        self._indexers = indexers
        self._quotas = quotas
        self._settings = settings
        self._authoriser = RequestAuthorizer(chains, quotas.now)

    async def queue_instructions(self, request: SignedRequest) -> int:
        """Return the number of queued emails. If the owner is the only recipient: 0, and no cooldown starts.

        Raises as `RequestAuthorizer.authorise_request`, `LimitReached` within the cooldown of the owner on this chain,
        `LegacyNotLive`, and `NotConfigured` where no email is sent.
        """
        if self._settings.mail is None:
            raise NotConfigured("No mail service is configured here.")
        granted = await self._authoriser.authorise_request(
            request, "SendInstructions", require_owner=True, require_premium=True
        )
        head = await self._chains[request.chain_id].get_head()
        members = await self._read_members(granted.identity, request.chain_id, head)
        configs = await self._indexers[request.chain_id].reminder_configs([request.legacy], head.number)
        async with self._engine.begin() as conn:
            await granted.spend_digest(conn)
            stored = await lock_recipients(conn, request.chain_id, [request.legacy])
            people = find_audience(configs.get(request.legacy), stored.get(request.legacy, ()), members, ALL_LINES)
            if set(people.values()) <= {RecipientRole.OWNER}:
                return 0  # the owner made the request
            await self._cool_down(conn, f"{request.chain_id}:{granted.identity.owner}")
            event = str(uuid4())
            entries = [
                PlannedEmail(request.legacy, recipient, ReminderKind.INSTRUCTIONS, event, role)
                for recipient, role in people.items()
            ]
            return await insert_emails(conn, request.chain_id, entries, rearm=False)

    async def _cool_down(self, conn: AsyncConnection, owner: str) -> None:
        """Apply one cooldown to all legacies of the owner."""
        seconds = self._settings.reminders.instructions_cooldown_seconds
        try:
            await self._quotas.start_cooldown(conn, "instructions", owner, seconds)
        except LimitReached as early:
            again = datetime.fromtimestamp(self._quotas.now() + early.retry_after + 60, UTC)  # to the minute
            detail = "Instructions for a legacy of this owner were sent not long ago; again from "
            raise LimitReached(f"{detail}{again:%Y-%m-%d %H:%M} UTC on.", early.retry_after, early.code) from None

    async def _read_members(self, identity: LegacyIdentity, chain_id: int, head: BlockHeader) -> LegacyMembership:
        """Read the members. Raises `LegacyNotLive`: people keep these emails for years and would wait in vain."""
        chain = self._chains[chain_id]
        (found,) = await LegacyReads(chain).read_facts([identity.legacy], at=head.hash)
        if found is None:
            raise ChainUnavailable("the legacy cannot be read")
        if not found.is_live:
            raise LegacyNotLive("This legacy was deleted or claimed from; instructions are for one that lasts.")
        members = (await read_memberships(chain, {identity.legacy: found.legacy_type}, head.hash))[identity.legacy]
        if members is None:
            raise ChainUnavailable("the members of the legacy cannot be read")
        return members
