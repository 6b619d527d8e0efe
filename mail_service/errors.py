"""Problems of a request with their HTTP answers. No message repeats an address, a name or a body."""

from dataclasses import dataclass


@dataclass(slots=True)
class MailProblem(Exception):
    """An answer other than success (RFC 9457). `pointer` is a JSON pointer to the field at fault."""

    status: int
    code: str
    detail: str
    retry_after: int | None = None
    pointer: str | None = None

    def __str__(self) -> str:
        return f"{self.status} {self.code}"


def bad_variable(code: str, name: str, detail: str) -> MailProblem:
    return MailProblem(400, code, detail, pointer=f"/variables/{name}")


def bad_time(name: str) -> MailProblem:
    detail = f"The variable {name} is not a time as in: Tuesday, 24 November 2026, 15:04 UTC."
    return MailProblem(422, "bad_time", detail, pointer=f"/variables/{name}")


def bad_address(detail: str) -> MailProblem:
    return MailProblem(422, "bad_address", detail, pointer="/to/email")
