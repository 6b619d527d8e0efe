"""Chain, index, passes and dispatch over a real chain and database, with a mail stub at the end."""

import json
import re
import secrets
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest
from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Legacy, Scenario
from reminder_worker.auto_renew.budgets import find_ending_budgets
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.legacies import LegacyIdentity
from reminder_worker.indexer.chain_index import ChainIndex
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.indexer.subgraph import SubgraphClient
from reminder_worker.monitoring.erasure import erase_person
from reminder_worker.outbox.daily_quota import DailyQuota
from reminder_worker.outbox.mail_client import MailClient, MessageStatus
from reminder_worker.outbox.store import OutboxStore
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.privacy.vault import Vault
from reminder_worker.quotas import QuotaCounters
from reminder_worker.reminders.authorization import AuthorizedRequest, RequestAuthorizer, SignedRequest
from reminder_worker.reminders.due_windows import DuePass, DueReport, ask_now
from reminder_worker.reminders.emails import ReminderEmail, ReminderLedger
from reminder_worker.reminders.instructions import InstructionMailer
from reminder_worker.reminders.planner import DispatchReport, ReminderDispatch
from reminder_worker.reminders.recipients import RecipientStore, RecipientWords, StoredRecipient, open_row
from reminder_worker.reminders.rehearsal import LegacyRehearsal, RehearsalStage
from reminder_worker.reminders.signals import SignalPass
from reminder_worker.reminders.tables import recipient
from reminder_worker.settings import Settings
from tests.integration.mail_stub import MailStub

ENC_KEY = "ZWVlZWVlZWVlZWVlZWVlZWVlZWVlZWVlZWVlZWVlZWU="
HASH_KEY = "aGhoaGhoaGhoaGhoaGhoaGhoaGhoaGhoaGhoaGhoaGg="
CHAIN_ID = 31337


def settings_for(scenario: Scenario, mail_url: str, database_url: str, **environ: str) -> Settings:
    return Settings.from_environ(
        {
            "ENVIRONMENT": "local",
            "DATABASE_URL": database_url,
            "EMAIL_ENC_KEY": ENC_KEY,
            "HASH_KEY": HASH_KEY,
            "APP_ORIGIN": "https://app.example.org",
            "CHAINS": str(CHAIN_ID),
            "MAIL_URL": mail_url,
            "MAIL_TOKEN": "a-token-for-the-tests",
            "MAIL_TIMEOUT": "2",
            f"CHAIN_{CHAIN_ID}_NAME": "Testland",
            **scenario.deployment.settings_environ(CHAIN_ID, scenario.anvil.url),
            f"CHAIN_{CHAIN_ID}_SIGNAL_BLOCK": "latest",
            **environ,
        }
    )


def reminder_store(world: "MailWorld") -> OutboxStore[ReminderEmail]:
    return OutboxStore(world.engine, ReminderLedger(), DailyQuota(20))


@dataclass
class MailWorld:
    """Emails are `<label>@example.org`. `tick` is one tick of the whole worker."""

    scenario: Scenario
    engine: AsyncEngine
    settings: Settings
    mail: MailStub
    client: MailClient
    chain: Chain
    index: ChainIndex
    signals: SignalPass
    due: DuePass
    dispatch: ReminderDispatch
    instructions: InstructionMailer
    rehearsals: RehearsalStage
    vault: Vault
    hashes: KeyedHash
    recipients: RecipientStore
    grants: "GrantEverything"
    labels: dict[str, str] = field(default_factory=dict)

    def account(self, label: str) -> LocalAccount:
        account = self.scenario.account(label)
        self.labels[account.address.lower()] = label
        return account

    def address(self, label: str) -> str:
        return str(self.account(label).address).lower()

    def legacy(self, owner: str = "owner", heirs: Sequence[str] = ("anna", "ben"), **terms: Any) -> Legacy:
        """A Premium owner's legacy with reminders for everybody; lines by label."""
        account = self.account(owner)
        self.scenario.ensure_premium(account, 20 * 365 * DAY)
        for line in ("second_line", "third_line"):
            if line in terms:
                terms[line] = self.address(terms[line])
        shares = {self.address(heir): 100 // len(heirs) for heir in heirs}
        shares[self.address(heirs[0])] += 100 - sum(shares.values())
        legacy = self.scenario.create_legacy(account, shares, **terms)
        self.scenario.configure_reminders(account, legacy)
        return legacy

    async def save(
        self,
        legacy: Legacy,
        *labels: str,
        emails: Mapping[str, str] | None = None,
        reworded: bool = False,
        words: RecipientWords | None = None,
    ) -> None:
        """Save a signed set of these people and of those already stored. `reworded`: these people get another name."""
        people = {self.address(label): f"{label}@example.org".replace(" ", ".") for label in labels}
        people |= dict(emails or {})
        request = await self._request(legacy)
        addition = f" {request.deadline % 1000}" if reworded else ""
        kept = [each for each in await self.stored(legacy) if each.recipient not in people]
        added = [
            StoredRecipient(address, "beneficiary", email, self._name(address) + addition, words or RecipientWords())
            for address, email in people.items()
        ]
        await self.recipients.save_set(request, _payload([*kept, *added], words))

    def names_claim(self, variables: Mapping[str, Any], legacy: Legacy, *arguments: Any) -> bool:
        """Return whether an email names the router of the legacy and the function by which heirs claim there."""
        contract = "TransferEOALegacyRouter" if legacy.guard is None else "MultisigLegacyRouter"
        data = self.scenario.contracts[contract].encode("activeLegacy", legacy.id, *arguments)
        signature = re.sub(r" \w+(?=[,)])| ", "", variables["claimFunction"])
        named = (variables["routerAddress"].lower(), f"0x{keccak(text=signature)[:4].hex()}")
        return named == (legacy.router, data[:10])

    async def stored(self, legacy: Legacy) -> list[StoredRecipient]:
        async with self.engine.connect() as conn:
            rows = (await conn.execute(recipient.select().where(recipient.c.legacy == legacy.address))).all()
        return [open_row(self.vault, row) for row in rows]

    async def receipts(self, legacy: Legacy) -> dict[str, list[tuple[str, str]]]:
        """Return kind and outcome of each person's last emails, as the creator reads them; by label."""
        read = await self.recipients.read_set(await self._request(legacy))
        found = {}
        for person in read.recipients:
            emails = read.receipts.get(person.recipient, ())
            found[self.labels[person.recipient]] = [(each.kind.value, str(each.outcome)) for each in emails]
        return found

    async def erase(self, legacy: Legacy) -> None:
        await self.recipients.erase_set(await self._request(legacy))

    async def rehearse(self, legacy: Legacy, *, with_texts: bool = False) -> LegacyRehearsal:
        return await self.rehearsals.rehearse(await self._request(legacy), with_texts=with_texts)

    async def look_at_chain(self) -> DueReport:
        """Index, event pass and due pass."""
        await self.index.run()
        await self.signals.run()
        return await self.due.run()

    async def tick(self) -> DispatchReport:
        await self.look_at_chain()
        return await self.dispatch.run()

    async def hurry(self) -> None:
        """Whatever waits for its next try is due now."""
        await self.sql(
            "update worker.sent_ledger set next_try = now() where state in ('queued', 'released', 'unknown')"
        )
        await self.sql("update worker.notify_signal set next_try = now() where state = 'new'")

    async def leases_expire(self) -> None:
        over = "lease_until = now() - interval '1 s'"
        await self.sql(f"update worker.sent_ledger set {over} where lease_until is not null")

    async def days_pass(self, days: float = 1.01) -> None:
        """By the database's clock, for the ledger."""
        moved = ", ".join(
            f"{column} = {column} - make_interval(secs => {days * DAY})"
            for column in ("next_try", "created_at", "claimed_at", "settled_at", "lease_until")
        )
        await self.sql(f"update worker.sent_ledger set {moved}")
        await self.sql("update worker.quota set used = 0")

    async def sql(self, statement: str, **values: Any) -> list[Any]:
        async with self.engine.begin() as conn:
            result = await conn.execute(text(statement), values)
            return list(result.all()) if result.returns_rows else []

    async def states(self, kind: str | None = None) -> dict[str, int]:
        """Entries by state, or `state:reason` where there is a reason."""
        rows = await self.sql(
            "select state || coalesce(':' || reason, '') as state, count(*) from worker.sent_ledger"
            " where cast(:kind as text) is null or kind = :kind group by 1",
            kind=kind,
        )
        return {row[0]: row[1] for row in rows}

    def _name(self, address: str) -> str:
        return self.labels.get(address, "Somebody").title()

    async def _request(self, legacy: Legacy) -> SignedRequest:
        """Return a request that is granted to the creator of the legacy. Each has a later deadline."""
        kind = 3 if legacy.guard is None else 1
        creator = await self._creator(legacy)
        identity = LegacyIdentity(legacy.address, creator, creator, "", 0, kind)
        self.grants.identities[legacy.address] = identity
        ((latest,),) = await self.sql("select coalesce(max(deadline), 0) from worker.legacy_write")
        return SignedRequest(CHAIN_ID, legacy.address, max(int(time.time()), latest) + 1, b"")

    async def _creator(self, legacy: Legacy) -> str:
        contract = "TransferEOALegacy" if legacy.guard is None else "MultisigLegacy"
        return str(self.scenario.read(contract, legacy.address, "creator")).lower()


class GrantEverything(RequestAuthorizer):
    """Takes each request as signed by the creator. `identities`: by legacy."""

    def __init__(self) -> None:
        self.identities: dict[str, LegacyIdentity] = {}

    async def authorise_request(self, request: SignedRequest, *_: Any, **__: Any) -> AuthorizedRequest:
        return AuthorizedRequest(self.identities[request.legacy], secrets.token_bytes(32), request.deadline)


def _payload(people: Sequence[StoredRecipient], words: RecipientWords | None) -> str:
    shared = words or next((each.words for each in people), RecipientWords())
    rows = [
        {
            "recipient": each.recipient,
            "role": each.role,
            "email": each.email,
            "name": each.name,
            "language": each.words.language,
            "timeZone": each.words.time_zone,
        }
        for each in people
    ]
    salt = "0x" + secrets.token_hex(16)
    return json.dumps({"salt": salt, "recipients": rows, "ownerName": shared.owner_name, "title": shared.title})


async def save_again_while_asked(world: MailWorld, monkeypatch: pytest.MonkeyPatch, legacy: Legacy, label: str) -> None:
    """Erase a person whose only email is in doubt, and save them again while the mail service is asked about it.

    It never arrived, and its body went with the erased row.
    """
    ask = MailClient.ask_status

    async def save_and_ask(client: MailClient, key: UUID) -> MessageStatus:
        await world.save(legacy, label)
        return await ask(client, key)

    await erase_person(world.engine, world.hashes, f"{label}@example.org", None)
    await world.hurry()
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(MailClient, "ask_status", save_and_ask)
        await world.dispatch.run()
    gone = await world.sql("select recipient from worker.sent_ledger where reason = 'body_gone'")
    assert gone == [(world.address(label),)]


@asynccontextmanager
async def open_world(
    engine: AsyncEngine,
    scenario: Scenario,
    mail: MailStub | Any,
    *,
    subgraph: SubgraphClient | None = None,
    **environ: str,
) -> AsyncIterator[MailWorld]:
    """Several on one database are several workers."""
    database_url = engine.url.render_as_string(hide_password=False)
    settings = settings_for(scenario, mail.url, database_url, **environ)
    assert settings.mail is not None
    chain = Chain(settings.chains[0])
    vault = Vault(settings.service.enc_key.get_secret_value())
    hashes = KeyedHash(settings.service.hash_key.get_secret_value())
    index = ChainIndex(engine, chain, ask_now)
    indexers = IndexerSelector(chain, index, subgraph)
    chains, all_indexers = {CHAIN_ID: chain}, {CHAIN_ID: indexers}
    recipients = RecipientStore(engine, vault, hashes, QuotaCounters(engine), chains, settings)
    recipients._authoriser = grants = GrantEverything()
    try:
        async with MailClient(settings.mail) as client:
            yield MailWorld(
                scenario=scenario,
                engine=engine,
                settings=settings,
                mail=mail,
                client=client,
                chain=chain,
                index=index,
                signals=SignalPass(engine, chain, indexers, settings.reminders.signal_max_age_seconds),
                due=DuePass(engine, chain, index, settings.reminders),
                dispatch=ReminderDispatch(engine, chains, all_indexers, vault, client, settings, find_ending_budgets),
                instructions=InstructionMailer(engine, chains, all_indexers, QuotaCounters(engine), settings),
                rehearsals=RehearsalStage(engine, chains, all_indexers, recipients, client, settings),
                vault=vault,
                hashes=hashes,
                recipients=recipients,
                grants=grants,
            )
    finally:
        await chain.close()
