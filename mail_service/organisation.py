"""The name and contact of the organisation that sends the emails."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SenderOrganisation:
    """Texts of the operator about itself; an empty one is not shown."""

    name: str = ""
    contact: str = ""
    url: str = ""

    @property
    def lines(self) -> list[str]:
        """Return name, contact and web address, as far as they are set."""
        return [line for line in (self.name, self.contact, self.url) if line]


NO_ORGANISATION = SenderOrganisation()
