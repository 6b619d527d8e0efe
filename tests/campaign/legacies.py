"""Legacies of a life, their people, and what people do on chain."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from devnet.chain import ChainError
from devnet.scenarios import DAY, Legacy
from devnet.steps import NOBODY
from tests.campaign.expected import ChainMoment, ReceivedEmail
from tests.campaign.sights import ChainReader
from tests.integration.reminder_world import MailWorld

OWNERS = ("owner", "otherowner", "lineowner", "safeowner")
LAST_OWNERS = ("claimedowner", "leavingowner", "endingowner", "guardowner", "moduleowner")
# None of these is part of a word of the service, so that a search for them finds leaks only.
HEIRS = ("annaquill", "benwren", "cleofinch", "danheron", "evalinnet")
SECOND_LINE, THIRD_LINE, COSIGNER, STRANGER = "fernmoss", "gilesoak", "hollyash", "isaksedge"
BOUNCING, COMPLAINING, UNSUBSCRIBING, FORGOTTEN = "jonasbirch", "kaiwillow", "lenafrost", "mirahazel"
LEAVING = (BOUNCING, COMPLAINING, UNSUBSCRIBING, FORGOTTEN)
PEOPLE = (*HEIRS, SECOND_LINE, THIRD_LINE, COSIGNER, STRANGER, *LEAVING)
INACTIVITY = 40 * DAY
LINE_DELAY = 12 * DAY


@dataclass
class LegacyFamily:
    """One legacy and its people. `claimants`: in the order of their lines. `safe`: the wallet of a Safe legacy."""

    legacy: Legacy
    owner: str
    claimants: Sequence[str]
    safe: str | None = None


class AllFamilies:
    """Four legacies: two with one line, one with three, one of a Safe. Draws come from the life's seed."""

    def __init__(self, world: MailWorld, draw: random.Random, heirs: Sequence[str]) -> None:
        self.world = world
        self.draw = draw
        self.heirs = heirs
        self.each: list[LegacyFamily] = []
        self.sights: list[ChainMoment] = []
        self._stored: dict[tuple[str, str], int] = {}
        self._reader = ChainReader(
            world.scenario, {world.address(label): email_of(label) for label in (*OWNERS, *LAST_OWNERS, *PEOPLE)}
        )
        self.left: set[str] = set()  # email addresses that may not be written to any more

    async def begin(self) -> None:
        """The people of the first legacy are never replaced."""
        for owner in OWNERS[:2]:
            legacy = self.world.legacy(owner, self.heirs, inactivity=INACTIVITY)
            self.each.append(LegacyFamily(legacy, owner, self.heirs))
            await self._save(legacy, owner, *self.heirs)
        await self._begin_with_lines()
        await self._begin_with_safe()

    async def _begin_with_lines(self) -> None:
        """One heir is not configured, and one person is stored whom the chain does not know."""
        owner, heirs = OWNERS[2], self.heirs[:3]
        lines = {"second_line": SECOND_LINE, "delay2": LINE_DELAY, "third_line": THIRD_LINE, "delay3": LINE_DELAY}
        inactivity = self.draw.randint(8, 25) * DAY
        legacy = self.world.legacy(owner, heirs, inactivity=inactivity, **lines)
        named = [self.world.address(label) for label in (*heirs[:2], SECOND_LINE, THIRD_LINE)]
        self.world.scenario.configure_reminders(self.world.account(owner), legacy, named[:2], *named[2:])
        await self._save(legacy, owner, *heirs, SECOND_LINE, THIRD_LINE, STRANGER)
        self.each.append(LegacyFamily(legacy, owner, (heirs[0], SECOND_LINE, THIRD_LINE)))

    async def _begin_with_safe(self) -> None:
        owner, heirs, scenario = OWNERS[3], self.heirs[1:3], self.world.scenario
        creator, cosigner = self.world.account(owner), self.world.account(COSIGNER)
        scenario.ensure_premium(creator, 20 * 365 * DAY)
        safe = scenario.create_safe([creator, cosigner])
        inactivity = self.draw.randint(8, 25) * DAY
        named = [self.world.address(heir) for heir in heirs]
        legacy = scenario.create_safe_legacy(creator, safe, named, inactivity=inactivity)
        scenario.configure_reminders(creator, legacy, named, cosigners=[cosigner.address])
        await self._save(legacy, owner, COSIGNER, *heirs)
        self.each.append(LegacyFamily(legacy, owner, heirs, safe))

    async def renew(self) -> int:
        """Give each family a live legacy whose timer begins now, with equal times. Return when its line 1 may act."""
        for begin, family in ((self._begin_with_lines, self.each[2]), (self._begin_with_safe, self.each[3])):
            if not self.world.scenario.read(_contract(family.legacy), family.legacy.address, "isLive"):
                await begin()
        for family in self.each:
            with suppress(ChainError):  # of one that was claimed
                self.world.scenario.edit_trigger(self.world.account(family.owner), family.legacy, INACTIVITY)
                self.check_in(family)
        return self.world.scenario.anvil.now() + INACTIVITY

    def check_in(self, family: LegacyFamily) -> None:
        """Activity of a Safe is any transaction of it."""
        owner = self.world.account(family.owner)
        if family.safe is None:
            self.world.scenario.check_in(owner, family.legacy)
        else:
            self.world.scenario.execute_from_safe(owner, family.safe, owner.address)

    def claim(self, family: LegacyFamily, label: str, assets: Sequence[str] = ()) -> None:
        claimant = self.world.account(label)
        if family.safe is None:
            self.world.scenario.claim(claimant, family.legacy, assets)
        else:
            self.world.scenario.activate_safe_legacy(claimant, family.legacy)

    def claims(self) -> Iterator[Callable[[], None]]:
        """Return a claim of each claimant, in the order of their lines."""
        for family in self.each:
            for label in family.claimants:
                yield partial(self.claim, family, label)

    async def rewrite(self) -> None:
        """Store the second legacy's set again: erased and with one person only, or with another name of a person."""
        family = self.each[1]
        erased = self.draw.random() < 0.3
        if erased:
            await self.world.erase(family.legacy)
            self._stored = {key: times for key, times in self._stored.items() if key[0] != family.legacy.address}
        await self._save(family.legacy, family.owner, self.draw.choice(self.heirs), reworded=not erased)

    def look(
        self, received: int, *, settled: bool = False, gifts: Mapping[ReceivedEmail, int] = MappingProxyType({})
    ) -> None:
        """Keep what the chain says now, with the number of emails that people have received.

        `gifts`: emails that are due about gifts, with how often each is due.
        """
        legacies = [family.legacy for family in self.each]
        stored = {key: times for key, times in self._stored.items() if key[1] not in self.left}
        due = {email: times for email, times in gifts.items() if email.to not in self.left}
        self.sights.append(self._reader.read(legacies, stored, received, settled=settled, gifts=due))

    async def begin_claimed(self) -> LegacyFamily:
        """Add a legacy with one line whose owner's tokens every claim moves."""
        world, heirs = self.world, self.heirs[:2]
        family = await self._begin_last(LAST_OWNERS[0], heirs, INACTIVITY)
        owner, usdc = world.account(family.owner), world.scenario.deployment.usdc
        world.scenario.mint(usdc, owner.address, 1_000_000_000)
        world.scenario.approve(owner, usdc, family.legacy.address, 10**30)
        return family

    async def begin_leaving(self) -> LegacyFamily:
        """Add a legacy of the people in `LEAVING` and one heir more."""
        return await self._begin_last(LAST_OWNERS[1], (self.heirs[0], *LEAVING), INACTIVITY)

    async def begin_ending(self, premium: int) -> None:
        """Add a legacy whose owner's Premium ends after so many seconds; no window opens until then."""
        self.world.scenario.subscribe_premium(self.world.account(LAST_OWNERS[2]), premium)
        await self._begin_last(LAST_OWNERS[2], self.heirs[:1], 900 * DAY)

    def read_end_of_premium(self) -> int:
        """Return when Premium of the owner of `begin_ending` ends, in unix seconds."""
        setting, owner = self.world.scenario.deployment.premium_setting, self.world.address(LAST_OWNERS[2])
        return int(self.world.scenario.read("PremiumSetting", setting, "premiumExpired", owner))

    async def begin_troubled(self) -> None:
        """Add two Safe legacies for `make_trouble`."""
        scenario = self.world.scenario
        for label in LAST_OWNERS[3:]:
            creator, heir = self.world.account(label), self.world.address(self.heirs[0])
            scenario.ensure_premium(creator, 20 * 365 * DAY)
            safe = scenario.create_safe([creator])
            legacy = scenario.create_safe_legacy(creator, safe, [heir], inactivity=900 * DAY)
            scenario.configure_reminders(creator, legacy, [heir])
            await self._save(legacy, label, self.heirs[0])
            self.each.append(LegacyFamily(legacy, label, self.heirs[:1], safe))

    def make_trouble(self) -> None:
        """Remove the guard of one Safe, and switch off the module of the other."""
        guarded, enabled = self.each[-2:]
        for family in (guarded, enabled):
            assert family.safe is not None
            owner = self.world.account(family.owner)
            if family is guarded:
                self.world.scenario.set_guard(owner, family.safe, NOBODY)
            else:
                self.world.scenario.disable_module(owner, family.safe, family.legacy)

    async def _begin_last(self, owner: str, heirs: Sequence[str], inactivity: int) -> LegacyFamily:
        legacy = self.world.legacy(owner, heirs, inactivity=inactivity)
        await self._save(legacy, owner, *heirs)
        family = LegacyFamily(legacy, owner, heirs)
        self.each.append(family)
        return family

    async def _save(self, legacy: Legacy, *labels: str, reworded: bool = False) -> None:
        """Save these people. Whoever is stored already stays the same: only their name changes with `reworded`."""
        await self.world.save(legacy, *labels, reworded=reworded)
        for label in labels:
            self._stored.setdefault((legacy.address, email_of(label)), len(self.sights) + 1)


def _contract(legacy: Legacy) -> str:
    return "TransferEOALegacy" if legacy.guard is None else "MultisigLegacy"


def email_of(label: str) -> str:
    return f"{label}@example.org"
