"""Evidence for the story's steps: the inbox and the database of the running stack."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from devnet.parts import ask


class NotSeen(Exception):
    """A step did not do what it promises; the text says what is missing."""


@dataclass(frozen=True, slots=True)
class FoundEmail:
    number: int
    sender: str
    to: str
    subject: str
    text: str
    html: str
    message_id: str
    unsubscribe_url: str


class DemoEvidence:
    """Raises `NotSeen` where something is not as it should be."""

    def __init__(self, inbox_url: str, database_url: str) -> None:
        self._inbox_url = inbox_url
        self._database_url = database_url

    def emails(self) -> list[FoundEmail]:
        """Oldest first."""
        messages: list[dict[str, Any]] = json.loads(ask(f"{self._inbox_url}/api/messages")[1])
        return [_email(message) for message in messages]

    def rows(self, query: str, **values: Any) -> list[tuple[Any, ...]]:
        with psycopg.connect(self._database_url, autocommit=True) as connection:
            return connection.execute(query, values).fetchall()

    def count(self, table: str) -> int:
        return int(self.rows(f"select count(*) from worker.{table}")[0][0])

    def sent(self, kind: str) -> dict[str, str]:
        """Message-ID by recipient of the ledger's sent entries of a kind."""
        query = "select recipient, message_id from worker.sent_ledger where kind = %(kind)s and state = 'sent'"
        found = self.rows(query, kind=kind)
        return dict(found)

    def check_kind(self, kind: str, expected: Mapping[str, tuple[str, str]], emails: Sequence[FoundEmail]) -> None:
        """`expected`: address → (email, a part of the subject). The ledger, the inbox and the audience agree."""
        sent = self.sent(kind)
        if set(sent) != set(expected):
            raise NotSeen(f"{kind}: the ledger has other recipients than the audience")
        by_id = {email.message_id: email for email in emails}
        if len(by_id) != len(emails) or set(by_id) != set(sent.values()):
            raise NotSeen(f"{kind}: inbox and ledger do not have the same emails")
        for address, (to, subject) in expected.items():
            email = by_id[sent[address]]
            if email.to != to or subject not in email.subject:
                raise NotSeen(f"{kind}: an email has another recipient or subject than it should")
            if not email.html or "never ask for" not in email.text:
                raise NotSeen(f"{kind}: an email lacks a part, or the warning")


def must(condition: object, otherwise: str) -> None:
    if not condition:
        raise NotSeen(otherwise)


def _email(message: dict[str, Any]) -> FoundEmail:
    headers = {header["name"].lower(): header["value"] for header in message["headers"]}
    return FoundEmail(
        message["number"],
        message["from"],
        message["to"],
        message["subject"],
        message["text"],
        message["html"],
        headers.get("message-id", ""),
        headers.get("list-unsubscribe", "").strip("<>"),
    )
