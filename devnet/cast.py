"""People of the story."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Person:
    """Names that no program, log or word list has by chance. Without ETH: an account that never had any."""

    label: str
    role: str
    name: str
    has_eth: bool = True

    @property
    def email(self) -> str:
        return f"{self.name.lower().replace(' ', '.')}@post.example"


OWNER = Person("story owner", "owner", "Quillonius Vantreese")
FIRST = Person("story first heir", "beneficiary", "Marisabeth Vantreese")
SECOND = Person("story second heir", "beneficiary", "Thordwinia Vantreese")
LATER = Person("story second line", "second_line", "Ysoldebert Okonkwelo")
GODCHILD = Person("story godchild", "beneficiary", "Perpetunia Zwickelbrandt", has_eth=False)
GIVER = Person("story giver", "giver", "Hroswithold Quimberley")
FRIEND = Person("story friend", "recipient", "Ottokarina Blumenschwarz", has_eth=False)
PEN_FRIEND = Person("story pen friend", "recipient", "Wunnibalda Trautenquist", has_eth=False)
PEOPLE = (OWNER, FIRST, SECOND, LATER)  # of the legacy whose recipients are reminded
EVERYBODY = (*PEOPLE, GODCHILD, GIVER, FRIEND, PEN_FRIEND)
