"""Who plays in the story."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Person:
    """Names that no program, log or word list has by chance."""

    label: str
    role: str
    name: str

    @property
    def email(self) -> str:
        return f"{self.name.lower().replace(' ', '.')}@post.example"


OWNER = Person("story owner", "owner", "Quillonius Vantreese")
FIRST = Person("story first heir", "beneficiary", "Marisabeth Vantreese")
SECOND = Person("story second heir", "beneficiary", "Thordwinia Vantreese")
LATER = Person("story second line", "second_line", "Ysoldebert Okonkwelo")
PEOPLE = (OWNER, FIRST, SECOND, LATER)
