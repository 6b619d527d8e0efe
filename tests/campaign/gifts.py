"""Gifts of a life, their people, and which emails about each are due."""

from dataclasses import dataclass

from devnet.scenarios import DAY
from tests.campaign.expected import ReceivedEmail, deadline_words

GIFTED, GIVER = "quillamoor", "periwinkle"  # recipients and givers; none of them gets reminders of a legacy
UNOPENED = f"{GIFTED}.unopened@example.org"
BOUNCED = f"{GIFTED}.bounced@example.org"
WITHDRAWN = f"{GIFTED}.withdrawn@example.org"
UNTOLD = f"{GIFTED}.untold@example.org"  # whose giver unsubscribes
ENDING = (UNOPENED, BOUNCED, WITHDRAWN, UNTOLD)
"""Recipients of the gifts that open at the end of a life."""
REMINDER = "gift_reminder_30"  # the kind of all three: they read alike
REMINDER_DAYS = (30, 90, 365)  # after the opening day


def giver_of(to: str) -> str:
    """Return the address of the giver whose gift is for this recipient."""
    return to.replace(GIFTED, GIVER)


@dataclass(slots=True)
class GivenGift:
    """A sealed gift. `to`: email address of its recipient. `opens`: opening day in unix seconds.

    `is_announced`: the recipient is told before that day. `tells_giver`: its giver left an address.
    `is_withdrawn`: the recipient has opened it.
    """

    id: int
    to: str
    opens: int
    is_announced: bool
    tells_giver: bool
    is_withdrawn: bool = False

    def email(self, kind: str) -> ReceivedEmail:
        to = giver_of(self.to) if kind.startswith("giver_") else self.to
        return ReceivedEmail(to, kind, f"gift {self.id}", deadline_words(self.opens))

    def list_due(self, now: int, *, came_back: bool) -> list[ReceivedEmail]:
        """Return the emails that are due at a moment of the chain. `came_back`: an email to the recipient did."""
        kinds = {
            "gift_waiting": self.is_announced and now < self.opens,
            "gift_unlocked": now >= self.opens,
            "giver_returned": self.tells_giver and came_back,
            "giver_unopened": self.tells_giver and now >= self.opens + 90 * DAY,
        }
        if self.is_withdrawn:
            kinds = {"giver_opened": self.tells_giver}
        due = [self.email(kind) for kind, is_due in kinds.items() if is_due]
        days = REMINDER_DAYS if self.to == UNOPENED else ()
        return due + [self.email(REMINDER) for day in days if now >= self.opens + day * DAY]
