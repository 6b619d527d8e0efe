"""Stored state: Idempotency-Keys and suppressed addresses as hashes. Never a body, a name or an address.

A key is claimed (`in_flight`) in a commit before SMTP hears of the email, moved to the stage `handing_over` in another
right before the body leaves, and `accepted` after the server's 250. So whatever is found after a crash is decidable but
for `handing_over`, which becomes `in_doubt` and is never sent again. Emails that come together share these commits.

Each process holds a session-level advisory lock on its instance number; once another process can take the lock, the
holder is dead. A process that merely lost its connection may be judged dead, too: its next step names its attempt,
finds the row gone or judged, and gives up before the body leaves.
"""

import re
import secrets
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.schema import CreateSchema

from mail_service.joining import JoinedWrites

State = Literal["in_flight", "accepted", "in_doubt"]

metadata = sa.MetaData(schema="mail_service")
message = sa.Table(
    "message",
    metadata,
    sa.Column("key", sa.Text, primary_key=True, comment="the caller's Idempotency-Key"),
    sa.Column("body_hash", sa.LargeBinary, nullable=False, comment="HMAC-SHA256 of the request's canonical body"),
    sa.Column("state", sa.Text, nullable=False, server_default="in_flight"),
    sa.Column("stage", sa.Text, nullable=False, server_default="claimed", comment="handing_over: the body may be out"),
    sa.Column("instance", sa.BigInteger, nullable=False, comment="process that claimed it; its advisory lock"),
    sa.Column("attempt", sa.BigInteger, nullable=False, comment="random number of this claim"),
    sa.Column("message_id", sa.Text, nullable=False, comment="Message-ID header, from the key"),
    sa.Column("address_hash", sa.LargeBinary, comment="as in suppression; 30 days, for reports about the email"),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    sa.CheckConstraint("state IN ('in_flight', 'accepted', 'in_doubt')", name="message_state"),
    sa.CheckConstraint("stage IN ('claimed', 'handing_over')", name="message_stage"),
    sa.CheckConstraint("state = 'in_flight' OR stage = 'handing_over'", name="message_decided_after_hand_over"),
    sa.Index("message_in_flight", "instance", postgresql_where=sa.text("state = 'in_flight'")),
    sa.Index("message_attempt", "attempt"),
    sa.Index("message_message_id", "message_id"),
    sa.Index("message_address_hash", "created_at", postgresql_where=sa.text("address_hash is not null")),
    comment="Emails by Idempotency-Key: what is under way, accepted by SMTP, or undecidable",
)
suppression = sa.Table(
    "suppression",
    metadata,
    sa.Column("address_hash", sa.LargeBinary, primary_key=True, comment="HMAC-SHA256 of the normalised email"),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    comment="Addresses that asked for no more reminders and gifts",
)
bounce = sa.Table(
    "bounce",
    metadata,
    sa.Column("key", sa.Text, primary_key=True, comment="of the email that came back"),
    sa.Column("number", sa.BigInteger, nullable=False, unique=True, comment="rises; readers ask for later ones"),
    sa.Column("reason", sa.Text, nullable=False, comment="a kind; no word of the report is kept"),
    sa.CheckConstraint("reason IN ('mailbox_unknown', 'mailbox_full', 'blocked', 'other')", name="bounce_reason"),
    comment="Emails that came back after the SMTP server had accepted them",
)
forgotten = sa.Table(
    "forgotten",
    metadata,
    sa.Column("reference", sa.LargeBinary, primary_key=True, comment="the caller's keyed hash of the email"),
    sa.Column("address_hash", sa.LargeBinary, nullable=False, comment="as in suppression, where it stands, too"),
    sa.Column("position", sa.BigInteger, sa.Identity(), nullable=False, unique=True),
    sa.Index("forgotten_address", "address_hash"),
    comment="Addresses that asked to be forgotten: callers read this list and erase them",
)

report_reader = sa.Table(
    "report_reader",
    metadata,
    sa.Column("id", sa.SmallInteger, primary_key=True, autoincrement=False, server_default="1"),
    sa.Column("mailbox", sa.Text, nullable=False, comment="hash of server, login, folder and UIDVALIDITY"),
    sa.Column("last_uid", sa.BigInteger, nullable=False, comment="emails up to this one were read"),
    sa.Column("tries", sa.SmallInteger, nullable=False, comment="readings of the next email that began"),
    sa.Column("unread", sa.BigInteger, nullable=False, comment="at most so many emails wait in the mailbox"),
    sa.Column("good_look_at", sa.DateTime(timezone=True), comment="when the mailbox was last read to its end"),
    sa.CheckConstraint("id = 1", name="report_reader_is_one"),
    comment="How far the mailbox of delivery reports is read",
)
report_count = sa.Table(
    "report_count",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("count", sa.BigInteger, nullable=False, server_default="0"),
    comment="Delivery reports by what became of them, since the table was made",
)

# Changes nothing, and fails where nothing can be written: at a standby, which answers everything else.
_PROBE = sa.delete(message).where(sa.false())

# For the process that reads reports, if the operator made this role: what a report changes, and no more.
_REPORT_GRANTS = (
    "grant usage on schema mail_service to mail_reports",
    "grant select (key, message_id, address_hash, state, created_at) on mail_service.message to mail_reports",
    "grant select, insert on mail_service.bounce to mail_reports",
    "grant insert on mail_service.suppression to mail_reports",
    "grant select, insert, update on mail_service.report_reader, mail_service.report_count to mail_reports",
)

statements = {
    name: sa.text(statement)
    for name, statement in re.findall(
        r"^-- name: (\w+)\n(.*?);\n", Path(__file__).with_name("queries.sql").read_text(), re.M | re.S
    )
}


@dataclass(frozen=True, slots=True)
class KeyClaim:
    """The right to send one email, once."""

    key: str
    attempt: int


@dataclass(frozen=True, slots=True)
class KnownKey:
    """A key that is already there."""

    body_hash: bytes
    state: State
    message_id: str


@dataclass(frozen=True, slots=True)
class RecordedBounce:
    """An email that came back."""

    number: int
    key: str
    reason: str


class _NewRow(NamedTuple):
    key: str
    body_hash: bytes
    attempt: int
    message_id: str
    address_hash: bytes | None


class SuppressedEmail:
    """The address asked for no more email."""


class MailStore:
    """The tables. Every method commits before it returns; database failures are `SQLAlchemyError`."""

    def __init__(self, engine: AsyncEngine, watch: AsyncConnection, instance: int) -> None:
        self.engine = engine
        self._watch = watch
        self.instance = instance
        self._owed: dict[int, tuple[str, dict[str, object]]] = {}  # by attempt: statement and its values
        self._under_way: set[int] = set()  # attempts of ours whose outcome is not recorded yet
        self._claiming = JoinedWrites(self._claim_together)
        self._handing_over = JoinedWrites(partial(self._write_together, "hand_over_free_rows"))
        self._accepting = JoinedWrites(partial(self._write_together, "accept_free_rows"))

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, pool_size: int) -> AsyncIterator[Self]:
        """Migrate, register this instance and settle keys of dead ones. Parameters never reach an exception."""
        engine = make_engine(url, pool_size)
        try:
            async with engine.execution_options(isolation_level="READ COMMITTED").begin() as connection:
                await _migrate_schema(connection)
            instance = secrets.randbits(62)
            store = cls(engine, await _hold_instance_lock(engine, instance), instance)
            try:
                await store.judge_dead_instances()
                yield store
            finally:
                with suppress(SQLAlchemyError):
                    await store._record_owed()
                await store._watch.invalidate()
        finally:
            await engine.dispose()

    async def accepts_writes(self) -> bool:
        """Return whether the database answers and takes writes."""
        try:
            await self._execute(_PROBE)
        except SQLAlchemyError:
            return False
        return True

    @property
    def owes_too_much(self) -> bool:
        """Return whether too many outcomes wait in memory for the database to claim more keys."""
        return len(self._owed) >= 1000

    async def claim_key(
        self, key: str, body_hash: bytes, message_id: str, address_hash: bytes | None
    ) -> KeyClaim | KnownKey | SuppressedEmail:
        """Claims the key unless it is known or `address_hash` is suppressed, in one statement."""
        claim = KeyClaim(key, secrets.randbits(62))
        self._under_way.add(claim.attempt)  # before its row can be seen
        try:
            if await self._claiming.write(_NewRow(key, body_hash, claim.attempt, message_id, address_hash)):
                return claim
            known = await self.find_key(key)
        except SQLAlchemyError:
            # The commit may have happened although its answer was lost.
            self._owed[claim.attempt] = "free", {"attempts": [claim.attempt]}
            raise
        self._under_way.discard(claim.attempt)
        if known is not None:
            return known
        if address_hash is not None and await self.is_suppressed(address_hash):
            return SuppressedEmail()
        # The key was freed between the two statements: whoever had it is just answering, and the caller asks again.
        return KnownKey(body_hash, "in_flight", message_id)

    async def hand_over(self, claim: KeyClaim) -> bool:
        """Records that the body is about to leave. False: the claim is no longer ours, and it must not leave."""
        ours = await self._handing_over.write(claim.attempt)
        if not ours:  # perhaps another transaction holds its row: this one waits, its neighbours do not
            ours = bool(await self._write_together("hand_over", [claim.attempt]))
        if not ours:
            self._under_way.discard(claim.attempt)
        return ours

    async def mark_accepted(self, claim: KeyClaim) -> None:
        with suppress(SQLAlchemyError):
            if await self._accepting.write(claim.attempt):
                self._under_way.discard(claim.attempt)
                return
        await self._settle_claim(claim, "decide", state="accepted")

    async def mark_in_doubt(self, claim: KeyClaim) -> None:
        await self._settle_claim(claim, "decide", state="in_doubt")

    async def free_key(self, claim: KeyClaim) -> None:
        """Nothing was sent: the key may be used again."""
        await self._settle_claim(claim, "free")

    async def _settle_claim(self, claim: KeyClaim, name: str, **values: object) -> None:
        """An outcome that cannot be recorded now is owed, and paid at the next beat."""
        values["attempts"] = [claim.attempt]
        try:
            await self._execute(statements[name], values)
            self._under_way.discard(claim.attempt)
        except SQLAlchemyError:
            self._owed[claim.attempt] = name, values

    async def _claim_together(self, rows: Sequence[_NewRow]) -> Collection[_NewRow]:
        keys, body_hashes, attempts, message_ids, address_hashes = map(list, zip(*rows, strict=True))
        values = {
            "keys": keys,
            "body_hashes": body_hashes,
            "attempts": attempts,
            "message_ids": message_ids,
            "address_hashes": address_hashes,
            "instance": self.instance,
        }
        claimed = set((await self._execute(statements["claim"], values)).scalars())
        return [row for row in rows if row.attempt in claimed]

    async def _write_together(self, name: str, attempts: Sequence[int]) -> Collection[int]:
        return set((await self._execute(statements[name], {"attempts": attempts})).scalars())

    async def find_key(self, key: str) -> KnownKey | None:
        row = (await self._execute(statements["find"], {"key": key})).first()
        return KnownKey(row.body_hash, row.state, row.message_id) if row else None

    async def list_bounces(self, after: int, limit: int = 500) -> list[RecordedBounce]:
        """Return those recorded after this number, in their order."""
        rows = await self._execute(statements["list_bounces"], {"after": after, "limit": limit})
        return [RecordedBounce(row.number, row.key, row.reason) for row in rows]

    async def suppress_address(self, address_hash: bytes) -> None:
        await self._execute(statements["suppress"], {"address_hash": address_hash})

    async def forget_suppression(self, address_hash: bytes) -> None:
        """Take emails again: the address is no longer suppressed, nor to be forgotten."""
        await self._execute(statements["accept_again"], {"address_hash": address_hash})

    async def forget_address(self, address_hash: bytes, reference: bytes) -> None:
        """Suppress an address, and list its reference for callers to erase."""
        await self._execute(statements["forget"], {"address_hash": address_hash, "reference": reference})

    async def is_forgotten(self, reference: bytes) -> bool:
        statement = sa.select(forgotten.c.position).where(forgotten.c.reference == reference)
        return (await self._execute(statement)).first() is not None

    async def list_forgotten(self, after: int) -> Sequence[sa.Row[Any]]:
        """Return position and reference of up to 1,000 addresses after this position."""
        t = forgotten.c
        question = sa.select(t.position, t.reference).where(t.position > after).order_by(t.position).limit(1000)
        return (await self._execute(question)).all()

    async def is_suppressed(self, address_hash: bytes) -> bool:
        return bool(await self.find_suppressed([address_hash]))

    async def find_suppressed(self, address_hashes: Sequence[bytes]) -> frozenset[bytes]:
        """Return the hashes among these whose person asked for no more email."""
        statement = sa.select(suppression.c.address_hash).where(suppression.c.address_hash.in_(address_hashes))
        return frozenset((await self._execute(statement)).scalars())

    async def beat(self) -> None:
        """Stay known as alive, pay what is owed, judge the dead. To be called every few seconds."""
        try:
            await self._watch.execute(_PROBE)
        except SQLAlchemyError:
            await self._watch.invalidate()
            self._watch = await _hold_instance_lock(self.engine, self.instance)
        await self._record_owed()
        await self.judge_dead_instances()
        await self._doubt_forgotten_outcomes()

    async def forget_addresses(self) -> None:
        """Delete the address hashes of emails that no report is matched with any more."""
        await self._execute(statements["forget_addresses"])

    async def _record_owed(self) -> None:
        for attempt, (name, values) in list(self._owed.items()):
            await self._execute(statements[name], values)
            del self._owed[attempt]
            self._under_way.discard(attempt)

    async def judge_dead_instances(self) -> None:
        """Frees what a dead process had not handed over: that was not sent. What became of the rest nobody can know."""
        others = (message.c.state == "in_flight") & (message.c.instance != self.instance)
        for instance in (await self._execute(sa.select(message.c.instance).where(others).distinct())).scalars().all():
            async with self.engine.execution_options(isolation_level="READ COMMITTED").begin() as connection:
                if not await connection.scalar(sa.select(sa.func.pg_try_advisory_xact_lock(instance))):
                    continue
                theirs = (message.c.state == "in_flight") & (message.c.instance == instance)
                await connection.execute(sa.delete(message).where(theirs, message.c.stage == "claimed"))
                await connection.execute(
                    sa.update(message).where(theirs).values(state="in_doubt", updated_at=sa.func.now())
                )

    async def _doubt_forgotten_outcomes(self) -> None:
        """Judges our rows that say "under way" although we are done with them: the database has gone back to an earlier
        state, as when a standby took over that lacked the last commits. How they ended nobody knows any more."""
        ours = (message.c.state == "in_flight") & (message.c.instance == self.instance)
        found = (await self._execute(sa.select(message.c.attempt).where(ours))).scalars().all()
        forgotten = [attempt for attempt in found if attempt not in self._under_way]
        if forgotten:
            values = {"state": "in_doubt", "stage": "handing_over", "updated_at": sa.func.now()}
            await self._execute(sa.update(message).where(ours, message.c.attempt.in_(forgotten)).values(values))

    async def _execute(
        self, statement: sa.Executable, values: Mapping[str, object] | None = None
    ) -> sa.CursorResult[Any]:
        async with self.engine.connect() as connection:
            return await connection.execute(statement, values)


def make_engine(url: str, pool_size: int) -> AsyncEngine:
    """Return an engine whose parameters never reach an exception. Each statement is a transaction."""
    engine = create_async_engine(
        url,
        hide_parameters=True,
        isolation_level="AUTOCOMMIT",  # one statement, one commit: no round trips for BEGIN and COMMIT
        skip_autocommit_rollback=True,
        pool_size=pool_size,
        max_overflow=5,
        pool_recycle=1800,
        connect_args={
            "connect_timeout": 10,
            "keepalives_idle": 10,
            "keepalives_interval": 5,
            "keepalives_count": 3,
            "tcp_user_timeout": 30_000,  # the same for a statement under way
            "client_encoding": "utf8",  # else text is read as bytes from a server without a locale
        },
    )
    sa.event.listen(engine.sync_engine, "connect", _set_session_defaults)
    sa.event.listen(engine.sync_engine, "handle_error", _leave_standby)
    return engine


def _set_session_defaults(connection: Any, _record: object) -> None:
    """Other defaults of the server, database or role let single statements see too little, and times unreadable.
    A process that hangs must not keep rows locked: claims of others wait for them."""
    cursor = connection.cursor()
    cursor.execute(
        "select set_config('default_transaction_isolation', 'read committed', false), "
        "set_config('datestyle', 'ISO', false), "
        "set_config('idle_in_transaction_session_timeout', '10s', false), "
        # A lock of a vanished host is free within half a minute.
        "set_config('tcp_keepalives_idle', '10', false), "
        "set_config('tcp_keepalives_interval', '5', false), "
        "set_config('tcp_keepalives_count', '3', false)"
    )
    cursor.close()
    connection.commit()


def _leave_standby(context: sa.ExceptionContext) -> None:
    """After a failover the server that takes writes is another, which only a new connection finds."""
    if getattr(context.original_exception, "sqlstate", None) == "25006":
        context.is_disconnect = True


async def _migrate_schema(connection: AsyncConnection) -> None:
    """Makes what is missing; safe when several start at once, and when there is nothing to do."""
    await connection.execute(sa.select(sa.func.pg_advisory_xact_lock(0x6D61696C)))  # "mail"
    await connection.execute(CreateSchema(str(metadata.schema), if_not_exists=True))
    await connection.run_sync(metadata.create_all)
    await connection.run_sync(_add_address_hash)
    if await connection.scalar(sa.text("select true from pg_roles where rolname = 'mail_reports'")):
        for grant in _REPORT_GRANTS:
            await connection.execute(sa.text(grant))


def _add_address_hash(connection: sa.Connection) -> None:
    """The column and indexes that a table of an earlier release lacks."""
    columns = {each["name"] for each in sa.inspect(connection).get_columns(message.name, schema=message.schema)}
    if "address_hash" not in columns:
        connection.exec_driver_sql("alter table mail_service.message add column address_hash bytea")
        for index in message.indexes:
            index.create(connection, checkfirst=True)


async def _hold_instance_lock(engine: AsyncEngine, instance: int) -> AsyncConnection:
    """A connection that holds the instance's lock."""
    connection = await engine.connect()
    await connection.execute(sa.select(sa.func.pg_advisory_lock(instance)))
    return connection
