"""The organisation that sends the emails, as people see it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Organisation:
    """What the operator says of itself; an empty field is not shown."""

    name: str = ""
    contact: str = ""
    url: str = ""

    @property
    def lines(self) -> list[str]:
        """Return name, contact and web address, as far as they are set."""
        return [line for line in (self.name, self.contact, self.url) if line]


NO_ORGANISATION = Organisation()
