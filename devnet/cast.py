"""People of the story."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CastMember:
    """Names that no program, log or word list has by chance. Without ETH: an account that never had any."""

    label: str
    role: str
    name: str
    has_eth: bool = True

    @property
    def email(self) -> str:
        return f"{self.name.lower().replace(' ', '.')}@post.example"


OWNER = CastMember("story owner", "owner", "Quillonius Vantreese")
FIRST = CastMember("story first heir", "beneficiary", "Marisabeth Vantreese")
SECOND = CastMember("story second heir", "beneficiary", "Thordwinia Vantreese")
LATER = CastMember("story second line", "second_line", "Ysoldebert Okonkwelo")
GODCHILD = CastMember("story godchild", "beneficiary", "Perpetunia Zwickelbrandt", has_eth=False)
GIVER = CastMember("story giver", "giver", "Hroswithold Quimberley")
FRIEND = CastMember("story friend", "recipient", "Ottokarina Blumenschwarz", has_eth=False)
PEN_FRIEND = CastMember("story pen friend", "recipient", "Wunnibalda Trautenquist", has_eth=False)
PEOPLE = (OWNER, FIRST, SECOND, LATER)  # of the legacy whose recipients are reminded
EVERYBODY = (*PEOPLE, GODCHILD, GIVER, FRIEND, PEN_FRIEND)
