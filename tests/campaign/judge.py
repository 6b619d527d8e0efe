"""What has to hold when a life is over: of every email that people got, entry of the ledger, signal, window and word.

Each judge gives violations in words. What none of them may do is to be content with a worker that did nothing.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from sqlalchemy import Row

from devnet import leaks
from devnet.scenarios import Legacy
from reminder_worker.monitoring.facts import LEDGERS
from reminder_worker.outbox.messages import ReminderKind
from reminder_worker.outbox.operator import find_stuck
from tests.campaign.expected import (
    SIGNALS,
    UNJUDGED,
    ReceivedEmail,
    deadline_words,
    judge_emails,
    kinds_without_proof,
)
from tests.campaign.legacies import PEOPLE, AllFamilies, email_of
from tests.integration.reminder_world import MailWorld

_ACTIVATED = {ReminderKind.ACTIVATED_MULTISIG.value, ReminderKind.ACTIVATED_TRANSFER.value}
USDC = 10**6  # base units of the only token that claims move
ENDS = ("premium_ending", "premium_lapsed")  # their events begin with the day
_NO_LONGER_TRUE = {"window_closed", "not_in_audience"}
_SENTENCES = ("never ask for a key", "sign only at")  # of every email, whatever it is about


@dataclass(frozen=True, slots=True)
class KeyedEmail:
    """What somebody got. `key`: its entry's; `read`, `wallet` and `amounts` (by token, in words): what it says."""

    key: str
    read: ReceivedEmail
    wallet: str | None = None
    amounts: Mapping[str, str] = field(default_factory=dict)


def no_entry_was_emailed_twice(letters: Sequence[KeyedEmail]) -> list[str]:
    keys = Counter(letter.key for letter in letters)
    return [f"an entry was emailed {times} times" for times in keys.values() if times > 1]


def wallets_are_the_persons_own(world: MailWorld, letters: Sequence[KeyedEmail]) -> list[str]:
    """The address that an email calls its reader's."""
    wallets = {email_of(label): address for address, label in world.labels.items()}
    wrong = [each.read.to for each in letters if each.wallet not in (None, wallets.get(each.read.to))]
    return [f"{to} was shown another's wallet" for to in wrong]


def amounts_are_the_persons_own(families: AllFamilies, letters: Sequence[KeyedEmail]) -> list[str]:
    """An heir is shown all that claims moved to them, in the end, and nothing else; an owner what went to all."""
    owners = {family.legacy.address: email_of(family.owner) for family in families.each}
    signals = [signal for signal in families.sights[-1].signals if signal.received]
    shown: Counter[tuple[str, str, str]] = Counter()
    for letter in letters:
        for token, words in letter.amounts.items():
            shown[letter.read.legacy, letter.read.to, token] += round(Decimal(words.replace(",", "")) * USDC)
    due: Counter[tuple[str, str, str]] = Counter()
    for signal in signals:
        for (to, token), units in signal.received.items():
            due[signal.legacy, to, token] += units
            due[signal.legacy, owners[signal.legacy], token] += units
    found = [] if signals else ["no claim moved tokens, so nothing was proven of amounts"]
    for key in sorted({*shown, *due}):
        if shown[key] != due[key]:
            found.append(f"{key[1]} was shown {shown[key]} units, not {due[key]}, of {key[0]}")
    return found


def resets_were_merged(letters: Sequence[KeyedEmail], merged: Sequence[tuple[str, int, int]]) -> list[str]:
    """`merged`: a legacy with several check-ins at once, and the letters between which people heard of them."""
    found = []
    for legacy, start, end in merged:
        told = Counter(each.read.to for each in letters[start:end] if each.read[1:3] == ("owner_reset", legacy))
        found += [f"resets of a day were not merged: {times} emails" for times in told.values() if times > 1]
        if not told:
            found.append("nobody was told of the resets of a day, so nothing was proven of them")
    return found


async def people_were_told_what_the_chain_says(
    families: AllFamilies, letters: Sequence[KeyedEmail], *more: str, shown: Sequence[ReceivedEmail] = ()
) -> list[str]:
    """The ledger has no say, but for emails that operators see as held or dead, as those `shown`.

    `more`: kinds about lasting states.
    """
    world = families.world
    ids = [str(row.id) for row in await find_stuck(world.engine, LEDGERS)]
    rows = await world.sql(
        "select recipient, kind, legacy, event from worker.sent_ledger where id = any(cast(:ids as uuid[]))", ids=ids
    )
    shown = [*shown, *(_shown_email(world, row) for row in rows if row.kind not in UNJUDGED)]
    emails = [letter.read for letter in letters]
    return [*kinds_without_proof(families.sights, *more), *judge_emails(families.sights, emails, shown)]


def _shown_email(world: MailWorld, row: Row[Any]) -> ReceivedEmail:
    to, parts = _email(world, row.recipient), row.event.split(":")
    if row.kind in SIGNALS.values():
        return ReceivedEmail(to, row.kind, row.legacy)
    words = deadline_words(int(parts[0 if row.kind in ENDS else 1]))
    turn = int(parts[2]) if len(parts) > 2 else 0
    return ReceivedEmail(to, row.kind, row.legacy, words, turn)


def cap_was_kept(letters: Sequence[KeyedEmail], days: Sequence[tuple[int, Collection[str]]], cap: int) -> list[str]:
    """`days`: at which letter each began, and the keys that were under way then: these count for the day of their
    claim, however late SMTP takes them."""
    over: Counter[int] = Counter()
    ends = [start for start, _ in days[1:]] + [len(letters)]
    for (start, carried), end in zip(days, ends, strict=True):
        got = Counter(letter.read.to for letter in letters[start:end] if letter.key not in carried)
        over.update(times for times in got.values() if times > cap)
    return [f"{times} emails to one address in a day, {cap} may be" for times in over]


async def ledger_and_letters_agree(
    world: MailWorld, letters: Sequence[KeyedEmail], doubted: Set[str], late: Set[str] = frozenset()
) -> list[str]:
    """`doubted`: keys of which the mail service says that nobody can know; `late`: of which it may have said so."""
    got = {letter.key: letter for letter in letters}
    shown = {str(row.id): row.state for row in await find_stuck(world.engine, LEDGERS)}
    rows = await world.sql("select cast(id as text) as id, state, reason, recipient, kind from worker.sent_ledger")
    found = [] if letters else ["nobody was written to, so nothing was proven"]
    found += ["an email of no entry"] * len(got.keys() - {row.id for row in rows})
    for row in rows:
        arrived = row.id in got
        if row.state == "sent" and not arrived:
            found.append("an entry says sent, and nobody got it")
        if row.state in ("dropped", "released", "queued", "dead", "suppressed") and arrived:
            found.append(f"an entry says {row.state}, and somebody got it")
        if row.state in ("held", "dead") and shown.get(row.id) != row.state:
            found.append(f"an entry is {row.state} and not shown")
        if row.state == "held" and row.id not in doubted | late:
            found.append(f"held without need: {row.reason}")
        if row.id in doubted and row.state != "held":
            found.append(f"undecidable and {row.state}")
        if arrived and got[row.id].read[:2] != (_email(world, row.recipient), row.kind):
            found.append("somebody got what was another's")
    return found


async def nothing_was_dropped_that_was_true(world: MailWorld, first: Legacy) -> list[str]:
    """Of the first legacy, whose people are never replaced."""
    rows = await world.sql(
        "select l.kind, l.reason, into_.state as into_state from worker.sent_ledger l"
        " left join worker.sent_ledger into_ on into_.id = l.merged_into"
        " where l.legacy = :legacy and l.state = 'dropped'",
        legacy=first.address,
    )
    found = []
    for row in rows:
        if row.reason == "merged":
            fine = row.into_state is not None
        else:
            fine = row.reason in _NO_LONGER_TRUE and row.kind not in _ACTIVATED
        if not fine:
            found.append(f"{row.kind} was dropped: {row.reason}, merged into {row.into_state}")
    return found


def nothing_leaked(**places: str) -> list[str]:
    """No address, name or sentence of an email, in no form in which it could be stored or said."""
    secrets = leaks.secrets_of({f"{word!r}": word for word in (*PEOPLE, "@example.org", *_SENTENCES)}, {})
    return [
        f"leaked: {leak}" for leak in leaks.search(secrets, ((place, text.encode()) for place, text in places.items()))
    ]


def _email(world: MailWorld, recipient: str) -> str:
    return f"{world.labels[recipient]}@example.org"
