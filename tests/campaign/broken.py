"""`python -m tests.campaign.broken`: break one rule of the worker after the other; 1 when the judge does not notice.

Each rule is broken by a patch in the worker's process, for a life without faults that contains the promise. The judge
has to find the violation that belongs to the rule. `--only NAME` shows the violations of one.
"""

import argparse
import asyncio
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import structlog

from reminder_worker.gifts import emails as gift_emails
from reminder_worker.gifts.emails import GiftEmail, GiftMail
from reminder_worker.outbox.messages import GiftKind, RecipientRole
from reminder_worker.outbox.outcomes import drop_email
from reminder_worker.reminders import audience, emails, facts, planner, rendering
from reminder_worker.reminders.audience import CLAIM_WINDOWS
from reminder_worker.reminders.emails import ReminderLedger
from tests.campaign import RESULTS, code_of, earlier, keep, mail, reminders
from tests.campaign.legacies import BOUNCING, COSIGNER, HEIRS, SECOND_LINE
from tests.campaign.postgres import RealPostgres, postgres

FILE = RESULTS / "broken.json"
CODE = ("reminder_worker", "mail_service", "devnet", "tests/campaign")
Patch = Callable[[], AbstractContextManager[Any]]


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """`patch`: breaks the rule. `life`: kind of life that contains the promise. `found`: words of a violation."""

    patch: Patch
    life: str
    found: str


def _no_ends() -> Any:
    async def plan_none(*_: object) -> int:
        return 0

    return patch.object(planner.Planner, "_plan_ends", plan_none)


def _write_to_bounced() -> Any:
    select = ReminderLedger.select

    async def select_bounced(ledger: Any, connection: Any, rows: Any, *others: Any) -> Any:
        unbounced: Any = [_UnbouncedRow(row) for row in rows]
        return await select(ledger, connection, unbounced, *others)

    return patch.object(ReminderLedger, "select", select_bounced)


class _UnbouncedRow:
    """A row of the ledger that does not know of the bounce."""

    bounced = False

    def __init__(self, row: Any) -> None:
        self._row = row

    def __getattr__(self, name: str) -> Any:
        return getattr(self._row, name)


def _no_opening_day() -> Any:
    reject = GiftMail._reject_irrelevant

    def reject_opening(mail: GiftMail, entry: GiftEmail, *others: Any) -> Any:
        if entry.kind == GiftKind.GIFT_UNLOCKED:
            return drop_email(entry, "not_wanted")
        return reject(mail, entry, *others)

    return patch.object(GiftMail, "_reject_irrelevant", reject_opening)


def _no_word_to_givers() -> Any:
    async def plan_none(*_: object) -> None:
        return

    return patch.object(gift_emails, "plan_giver_emails", plan_none)


def _send_closed_windows() -> Any:
    return patch.object(rendering, "_is_still_open", lambda *_: True)


def _show_all_amounts() -> Any:
    total = audience.sum_amounts
    return patch.object(facts, "sum_amounts", lambda stored, _heir: total(stored, None))


def _first_line_only() -> Any:
    members = audience._list_members
    return patch.object(audience, "_list_members", lambda named, _line, _may_act: members(named, 1, False))


def _no_merging() -> Any:
    return patch.object(emails, "MERGED_WITHIN_A_DAY", frozenset())


def _no_ready_windows() -> Any:
    plan = planner.plan_window_emails

    def plan_others(legacy: str, window: int, *others: Any, **named: Any) -> Any:
        return () if window in CLAIM_WINDOWS else plan(legacy, window, *others, **named)

    return patch.object(planner, "plan_window_emails", plan_others)


def _no_cosigners() -> Any:
    members = audience._list_members

    def list_others(*named: Any) -> Any:
        return (each for each in members(*named) if each[0] is not RecipientRole.COSIGNER)

    return patch.object(audience, "_list_members", list_others)


def _ignore_configuration() -> Any:
    return patch.object(audience, "configured_people", lambda _config: _AllAddresses())


class _AllAddresses:
    def __contains__(self, _address: object) -> bool:
        return True


BROKEN: Mapping[str, BrokenRule] = {
    "ends of Premium and lost guards are never planned": BrokenRule(
        _no_ends, "reminders", "was told 0 times, not 1: guard_removed"
    ),
    "bounced addresses are written to": BrokenRule(
        _write_to_bounced, "mail", f"{BOUNCING}@example.org was written to after they had left: owner_reset"
    ),
    "a gift's email of the opening day is never sent": BrokenRule(
        _no_opening_day, "mail", "was told 0 times, not 1: gift_unlocked"
    ),
    "a giver is never told": BrokenRule(_no_word_to_givers, "mail", "was told 0 times, not 1: giver_opened"),
    "a closed window is still sent": BrokenRule(
        _send_closed_windows, "reminders", "was told what the chain does not say any more: ready_to_activate"
    ),
    "each heir is shown all amounts": BrokenRule(
        _show_all_amounts, "reminders", f"{HEIRS[0]}@example.org was shown 1000000000 units, not 500000000"
    ),
    "later lines are left out": BrokenRule(
        _first_line_only, "reminders", f"{SECOND_LINE}@example.org was not told: layer2_ready"
    ),
    "resets are not merged": BrokenRule(_no_merging, "reminders", "resets of a day were not merged"),
    "nobody is told ready": BrokenRule(_no_ready_windows, "reminders", "was not told: ready_to_activate"),
    "cosigners are left out": BrokenRule(
        _no_cosigners, "reminders", f"{COSIGNER}@example.org was not told: before_activation"
    ),
    "an heir who is not configured is written to": BrokenRule(
        _ignore_configuration, "reminders", f"{HEIRS[2]}@example.org was told what the chain did not say of them"
    ),
}


def violations(rule: BrokenRule, database: RealPostgres) -> list[str]:
    """Return what the judge says about a life under the broken rule."""
    live = {"mail": mail.live, "reminders": reminders.live}[rule.life]
    with rule.patch():
        return asyncio.run(live(1, 0, database)).violations


def main() -> None:
    options = _options()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    names = [name for name in BROKEN if (options.only or "") in name]
    code = code_of(*CODE)
    noticed = {} if options.only else earlier(FILE, code, "noticed")
    unseen = 0
    with postgres() as database:
        for name in names:
            if name in noticed:
                continue
            said = violations(BROKEN[name], database)
            found = [each for each in said if BROKEN[name].found in each]
            unseen += not found
            print(f"{name}: {found[0] if found else f'NOT NOTICED, only {said}'}", flush=True)
            if options.only:
                print("\n".join(said))
            elif found:
                noticed[name] = found[0]
                keep(FILE, code, noticed=noticed)
    sys.exit(1 if unseen else 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign.broken", description="Rules that are broken.")
    parser.add_argument("--only", metavar="NAME", help="rules with this in their names; nothing is recorded")
    return parser.parse_args()


if __name__ == "__main__":
    main()
