"""Examination of every part of an installation, with remedies. Reads only, shows no secret."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import aiohttp
import psycopg
from pydantic import SecretBytes, SecretStr
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.database.engine import must_take_writes, open_engine, shares_sessions
from reminder_worker.database.installation import describe_changes, find_changed_settings
from reminder_worker.database.migrate import find_encoding_fault, schema_serves
from reminder_worker.database.queries import read_database_time
from reminder_worker.database.rotation import count_rows_of_other_keys
from reminder_worker.declarations import FactScope
from reminder_worker.doctor import Finding
from reminder_worker.doctor.chain import examine_chain
from reminder_worker.doctor.costs import examine_costs
from reminder_worker.doctor.encryption import examine_encryption
from reminder_worker.doctor.mail import describe_reports, examine_mail, find_chains_without_mail, find_unlisted_links
from reminder_worker.doctor.wallets import examine_wallets, list_own_wallets
from reminder_worker.errors import Misconfigured
from reminder_worker.features import make_scope
from reminder_worker.gifts import emails
from reminder_worker.gifts.assets import PageFiles
from reminder_worker.gifts.identity_provider import IdentityProvider
from reminder_worker.monitoring.facts import LIMITS, PassState, find_watchdog
from reminder_worker.monitoring.feature import FORGET, NODE_REQUESTS, PASS_STATES, UNDECIDED_EMAILS
from reminder_worker.monitoring.watchdog import NOT_TOLD_YET
from reminder_worker.outbox.feature import BOUNCED_ADDRESSES, CONDITIONS, REPORTS
from reminder_worker.outbox.messages import format_duration
from reminder_worker.outbox.operator import RaisedCondition, UndecidedEmails
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.privacy.vault import Vault
from reminder_worker.quotas import QuotaCounters
from reminder_worker.relay.operator import count_requests_of_other_keys
from reminder_worker.reminders import recipients
from reminder_worker.reminders.erasure import RecentErasures
from reminder_worker.reminders.feature import ERASURES
from reminder_worker.runtime import make_vault
from reminder_worker.settings import (
    IdentityProviderSettings,
    Settings,
    SettingsGroup,
    find_misspelt,
    find_without_effect,
)
from reminder_worker.statistics.file_store import open_files


async def examine_installation(settings: Settings) -> AsyncIterator[Finding]:
    """Yield findings part by part; a failing part skips the parts that need it."""
    for problem in settings.problems:
        yield "settings", False, problem
    if not settings.problems:
        yield "settings", True, "complete"
    if settings.service.enc_key == settings.service.hash_key:  # which stays: no backup could ever be shredded
        words = "EMAIL_ENC_KEY and HASH_KEY are the same key, and HASH_KEY never changes: set a new EMAIL_ENC_KEY,"
        yield "settings", False, f"{words} put this one into EMAIL_ENC_KEYS_OLD, and run `reminder-worker rotate-key`"
    for name, meant in find_misspelt(os.environ):
        yield "settings", None, f"{name} is not a setting and does nothing: is {meant} meant?"
    for name, needed in find_without_effect(os.environ):
        yield "settings", None, f"{name} does nothing without {needed}"
    if settings.mail is not None:
        for finding in _find_odd_settings(settings):
            yield finding
    engine = open_engine(settings.service.database_url.get_secret_value(), pool_size=2)
    try:
        scope = make_scope(engine, settings, list_own_wallets(settings))
        async for finding in _examine_database(scope, settings):
            yield finding
        silent: set[int] = set()
        for chain in settings.chains:
            async for finding in examine_chain(chain, scope, silent):
                yield finding
        with suppress(SQLAlchemyError, OSError):  # the database's own finding says why
            tallies = await NODE_REQUESTS.read(scope)
            for finding in (each for chain in settings.chains for each in examine_costs(chain, tallies)):
                yield finding
        async for finding in examine_wallets(settings, scope, silent):
            yield finding
        async for finding in _examine_watchdog(settings, scope):
            yield finding
        yield await _examine_identity_provider(settings.identity_provider, engine)
    finally:
        await engine.dispose()
    yield await asyncio.to_thread(_examine_statistics, settings.statistics.folder)
    yield await examine_mail(settings)
    for finding in find_chains_without_mail(settings):
        yield finding
    for finding in find_unlisted_links(settings):
        yield finding
    yield _examine_gift_page(settings)
    yield examine_dagster(os.environ.get("DAGSTER_PG_URL"))
    for finding in examine_encryption(settings):
        yield finding


def list_settings(settings: Settings) -> list[tuple[str, str]]:
    """Return every setting as (variable, value), without values of secrets."""
    always: list[SettingsGroup] = [
        settings.service,
        settings.reminders,
        settings.api,
        settings.ops,
        settings.statistics,
    ]
    optional = (settings.mail, settings.relay, settings.auto_renew, settings.gifts, settings.identity_provider)
    groups = [("", group) for group in (*always, *optional) if group is not None]
    groups += [(f"CHAIN_{chain.chain_id}_", chain) for chain in settings.chains]
    found = []
    for prefix, group in groups:
        for name, field in type(group).model_fields.items():
            if field.alias:
                found.append((prefix + field.alias, _mask_secret(getattr(group, name))))
    return found


def _mask_secret(value: object) -> str:
    if isinstance(value, SecretStr | SecretBytes):
        return "(set, not shown)"
    if isinstance(value, tuple):
        if value and isinstance(value[0], SecretStr | SecretBytes):
            return f"({len(value)} set, not shown)"
        return ", ".join(map(_mask_secret, value)) or "(none)"
    return "(none)" if value in (None, "") else str(value)


async def _examine_database(scope: FactScope, settings: Settings) -> AsyncIterator[Finding]:
    engine = scope.engine
    try:
        serves = await schema_serves(engine)
        async with engine.connect() as connection:
            fault = await connection.run_sync(find_encoding_fault)
    except (SQLAlchemyError, OSError) as error:
        words = f"does not answer, or refuses us ({type(getattr(error, 'orig', error)).__name__})"
        yield "database", False, f"{words}: see DATABASE_URL and the database's own log"
        return
    if fault:
        yield "database", False, fault
    elif not serves:
        yield "database", False, "the schema is missing or another version's: run `reminder-worker migrate`"
    if not serves:
        return
    try:
        await must_take_writes(engine)
    except DBAPIError as error:
        why = type(error.orig).__name__
        yield "database", False, f"takes no writes ({why}): a standby, or is its disk full?"
        return
    if await shares_sessions(engine):
        words = "a pooler in front of it shares sessions between clients"
        yield "database", False, f"{words}: set the pooler to session pooling, or connect without a pooler"
    else:
        yield "database", True, "answers, takes writes, and its schema serves this version"
    yield await _compare_clocks(engine)
    vault, hashes = make_vault(settings), KeyedHash(settings.service.hash_key.get_secret_value())
    different = await find_changed_settings(engine, settings, vault, hashes)
    shut = await _count_rows_without_key(scope, vault)
    if different:
        yield "installation", False, describe_changes(different)
    elif shut:
        words = f"no configured key opens {shut} encrypted rows: put the earlier key into"
        yield "installation", False, f"{words} EMAIL_ENC_KEYS_OLD and run `reminder-worker rotate-key`"
    else:
        yield "installation", True, "keys and contracts are those this database was made with"
    yield _find_stuck_emails(await UNDECIDED_EMAILS.read(scope))
    yield _describe_bounces(await BOUNCED_ADDRESSES.read(scope))
    if settings.mail is not None:
        yield describe_reports(await REPORTS.read(scope))
    yield _examine_passes(await PASS_STATES.read(scope))
    yield "erasures", True, _describe_erasures(await ERASURES.read(scope))


async def _count_rows_without_key(scope: FactScope, vault: Vault) -> int:
    """Count encrypted rows that no configured key opens: a rotation ended too early."""
    count = await count_requests_of_other_keys(scope.engine, vault.key_ids, scope.wallets, scope.chains)
    for sealed in (recipients.SEALED_RECIPIENTS, emails.SEALED, emails.SEALED_REMINDERS, emails.SEALED_GIVERS):
        count += await count_rows_of_other_keys(scope.engine, sealed.table, vault.key_ids)
    return count


async def _compare_clocks(engine: AsyncEngine) -> Finding:
    ahead = await read_database_time(engine) - time.time()
    if abs(ahead) > LIMITS.clocks_within:
        where = "ahead of" if ahead > 0 else "behind"
        words = f"the database's clock is {format_duration(round(abs(ahead)))} {where} this machine's"
        return "clocks", False, f"{words}: set the wrong clock, and see the runbook"
    return "clocks", True, "this machine and the database have the same time"


def _find_stuck_emails(undecided: Sequence[UndecidedEmails]) -> Finding:
    found = [emails for emails in undecided if emails.needs_operator]
    if not found:
        return "ledger", True, "no email is dead, or was held lately"
    words = ", ".join(f"{each.count} {each.kind} {each.state} ({each.reason or 'no reason'})" for each in found)
    return "ledger", False, f"{words}: see the runbook; `reminder-worker requeue` for dead ones"


def _describe_bounces(counts: Mapping[str, int]) -> Finding:
    if not counts:
        return "bounces", True, "no email came back from a stored address"
    words = ", ".join(f"{count} {reason}" for reason, count in counts.items())
    return "bounces", None, f"stored addresses from which an email came back: {words}; their owners see it"


def _examine_passes(states: Sequence[PassState]) -> Finding:
    failing = [f"{state.name} of chain {state.chain_id} ({state.error})" for state in states if state.error]
    if failing:
        return "passes", False, f"the last try of {', '.join(failing)} failed: see the log"
    if not states:
        return "passes", None, "none has run yet: start Dagster, or `reminder-worker tick`"
    polled = [state for state in states if state.name != FORGET.name]
    ages = [state.checked_age or 0 for state in polled]
    return "passes", True, f"every pass looked within the last {max(ages, default=0)} s"


def _describe_erasures(erasures: Sequence[RecentErasures]) -> str:
    causes = {
        "deleted_legacy": "of deleted legacies",
        "link": "by their own link",
        "signature": "by their own signature",
    }
    words = [f"{each.people} {causes[each.cause]}, last on {each.last_day}" for each in erasures]
    return f"recipients erased in 90 days: {'; '.join(words) or 'none'}"


def _find_odd_settings(settings: Settings) -> Iterator[Finding]:
    """Yield settings that are right for a test chain only, or for an hour only."""
    if settings.reminders.signal_max_age_seconds < 86400:
        words = "SIGNAL_MAX_AGE is under a day, which is for the start after a restore only: reminders may be lost"
        yield "settings", None, f"{words}. Set it back"
    for chain in settings.chains:
        if chain.signal_block == "latest" and not (chain.is_test_chain or settings.is_local):
            words = f"CHAIN_{chain.chain_id}_SIGNAL_BLOCK is latest"
            yield "settings", None, f"{words}: emails are also sent for events that a reorganisation removes"


async def _examine_watchdog(settings: Settings, scope: FactScope) -> AsyncIterator[Finding]:
    """Show the findings of the watchdog, without addresses, and the last answer to the heartbeat."""
    try:
        wrong, state = await CONDITIONS.read(scope), find_watchdog(await PASS_STATES.read(scope))
    except SQLAlchemyError:
        return  # the database's own finding says why
    if wrong:
        words = ", ".join(_describe_condition(each) for each in wrong)
        yield "watchdog", False, f"wrong now: {words}: see the runbook for each"
    if state is None or state.checked_age is None:
        yield "watchdog", None, "has not looked yet: start Dagster, or `reminder-worker tick`"
    elif state.checked_age > LIMITS.looked_within_seconds:
        words = f"has not looked for {format_duration(state.checked_age)}: does anything run?"
        yield "watchdog", False, f"{words} start Dagster, or `reminder-worker tick`"
    elif state.error:
        yield "watchdog", False, f"the last look failed ({state.error}) and may have missed a problem: see the log"
    elif not wrong and state.detail.get("wrong"):
        yield "watchdog", None, f"{NOT_TOLD_YET}: ask again in a few minutes"
    elif not wrong:
        yield "watchdog", True, f"looked {format_duration(state.checked_age)} ago: nothing is wrong"
    yield _examine_heartbeat(settings, str(state.detail.get("heartbeat")) if state else "")


def _describe_condition(condition: RaisedCondition) -> str:
    """Return kind, subject and chain of what is wrong; emails are not of one chain."""
    where = f"chain {condition.chain_id}" if condition.chain_id else ""
    about = ", ".join(filter(None, (condition.subject, where)))
    return f"{condition.kind} ({about}) for {format_duration(condition.age)}"


def _examine_heartbeat(settings: Settings, last: str) -> Finding:
    if settings.ops.heartbeat_url is None:
        return "heartbeat", None, "not configured (HEARTBEAT_URL): nobody notices when this service is down as a whole"
    if last in ("asked", "silent", "off", ""):
        words = {"asked": "the last ping was taken", "silent": "silent, since something is wrong: see watchdog"}
        return "heartbeat", None if last == "silent" else True, words.get(last, "configured, no ping yet")
    return "heartbeat", False, f"the last ping failed ({last}): see HEARTBEAT_URL"


def _examine_statistics(folder: str) -> Finding:
    """Check the nearest existing folder, or ask the bucket for a list; without writing."""
    if "://" in folder:
        try:
            open_files(folder).list("days")
        except (OSError, Misconfigured) as error:
            return "statistics", False, f"{folder}: {error}; see STATISTICS_FOLDER"
        return "statistics", True, f"{folder} answers; Parquet is written under it"
    path = Path(folder).absolute()
    try:
        there = next(each for each in (path, *path.parents) if each.exists())
        writable = there.is_dir() and os.access(there, os.W_OK | os.X_OK)
    except OSError:  # not for us to look at, or no name of a folder
        writable = False
    if writable:
        return "statistics", True, f"Parquet is written under {folder}"
    return "statistics", False, f"{folder} cannot be written: see STATISTICS_FOLDER, a volume for all processes"


async def _examine_identity_provider(settings: IdentityProviderSettings | None, engine: AsyncEngine) -> Finding:
    """Check the keys only: every question to the provider counts."""
    if settings is None:
        return "identity provider", None, "not configured (TURNKEY_...): no gift is sealed to an email address"
    async with aiohttp.ClientSession() as session:
        try:
            IdentityProvider(settings, session, QuotaCounters(engine))
        except Misconfigured as error:
            return "identity provider", False, f"{error}: nothing starts with these"
    return "identity provider", True, "its two keys belong together; the provider itself was not asked"


def _examine_gift_page(settings: Settings) -> Finding:
    if settings.gifts is None:
        return "gift page", None, "is not served: GIFT_ORIGINS is not set"
    if PageFiles.load() is None:
        return "gift page", False, "was not built, and no gift can be opened on it: run `make install`"
    if settings.identity_provider is not None and not settings.identity_provider.auth_proxy_config_id:
        return "gift page", False, "cannot open gifts for an email: TURNKEY_AUTH_PROXY_CONFIG_ID is not set"
    return "gift page", True, "is built"


def examine_dagster(url: str | None) -> Finding:
    """Check the storage only: the ages of the passes show whether the daemon lives."""
    if not url:
        return "dagster", None, "DAGSTER_PG_URL is not set here: passes run by `reminder-worker tick` only"
    if not url.startswith("postgresql+psycopg2://"):
        return "dagster", False, "DAGSTER_PG_URL has to begin with postgresql+psycopg2://"
    try:
        with psycopg.connect(url.replace("postgresql+psycopg2://", "postgresql://", 1), connect_timeout=10) as storage:
            in_utc = _is_in_utc(storage)
            ahead = _read_ticks_ahead(storage)
    except psycopg.Error as error:
        return "dagster", False, f"its storage does not answer ({type(error).__name__}): see DAGSTER_PG_URL"
    if not in_utc:
        words = "the time zone of its database is not UTC, so Dagster computes wrong ages of runs"
        return "dagster", False, f"{words}: `alter database … set timezone to 'UTC'`, and restart Dagster"
    if ahead > LIMITS.clocks_within:
        words = f"its last tick is {format_duration(ahead)} ahead, and nothing runs until then: its clock was put back"
        return "dagster", False, f"{words}: stop the daemon, `dagster schedule wipe`, start it; see the runbook"
    return "dagster", True, "its storage answers"


def _is_in_utc(storage: psycopg.Connection) -> bool:
    """Return whether the zone is UTC in winter and in summer: Dagster stores local time and reads it as UTC."""
    return storage.execute("""
        select bool_and(cast(at as time) = '00:00')
        from (values (timestamptz '2026-01-01 00:00+00'), (timestamptz '2026-07-01 00:00+00')) as half_a_year(at)
    """).fetchone() == (True,)


def _read_ticks_ahead(storage: psycopg.Connection) -> int:
    """Return how many seconds ahead the last tick is; 0 if Dagster never ran. A sensor waits from its last tick on."""
    if storage.execute("select to_regclass('job_ticks')").fetchone() == (None,):
        return 0
    row = storage.execute("""
        select cast(extract(epoch from max(timestamp) - (clock_timestamp() at time zone 'utc')) as int) from job_ticks
    """).fetchone()
    return row[0] or 0 if row else 0
