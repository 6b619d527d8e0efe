"""The story's chapter of people who leave: an email comes back, one person signs to be erased, one presses a link."""

import hmac
import json
import re
import time
from collections.abc import Mapping
from typing import Any

from eth_utils.address import to_checksum_address

from devnet.cast import FIRST, LATER, OWNER, SECOND, CastMember
from devnet.evidence import FoundEmail, must
from devnet.local import CHAIN_ID
from devnet.parts import ask
from devnet.scenarios import Legacy
from devnet.stack import LocalStack
from devnet.telling import DemoNarrator
from devnet.wallet import DemoWallet, WalletAnswer


class LeavingChapter(DemoNarrator):
    legacy: Legacy
    wallet: DemoWallet

    def __init__(self, stack: LocalStack) -> None:
        super().__init__(stack)
        self.leaving = DemoWallet(self.accounts[LATER], stack.at.api, CHAIN_ID)
        self.looked_up = ""  # the number in an email of the first heir

    def look_up_number(self) -> str:
        last = next(email for email in reversed(self.evidence.emails()) if email.to == FIRST.email)
        (self.looked_up,) = _numbers(last)
        page = self._email_page(self.looked_up)
        about = f"about legacy {self.legacy.id} on Local chain: a reminder of a deadline"
        must(about in page, "the page does not know the email")
        must("cannot tell you that the email before you is from us" in page, "the page vouches for an email")
        listed = re.findall(r'<li><bdi dir="ltr">([^<]+)</bdi>', page)
        links = re.findall(r"https?://\S+", last.text)
        must(links and all(link.startswith(tuple(listed)) for link in links), "the email links to an unlisted address")
        must(FIRST.email not in page and FIRST.name not in page, "the page names its reader")
        must("We know nothing" in self._email_page("0000-0000-0000-0000"), "the page knows an invented number")
        return f"of which kind, about which legacy and when; all {len(links)} links are among those that the page lists"

    def come_back(self) -> str:
        returned = self.evidence.sent("activated_transfer")[self.address(SECOND)]
        answer = self._report(returned, age=0)
        must(answer.status == 200 and answer.body == {"taken": 1}, f"the mail service answered {answer.status}")
        must(self._report(returned, age=3600).status >= 400, "a report of another hour was taken")
        self.look_now("bounces")
        marked = "select 1 from worker.bounce"
        self.wait(lambda: bool(self.evidence.rows(marked)), "the worker to hear of it")
        entries = self._entries()
        seen = {name: (entry.get("delivery"), entry.get("bounceReason")) for name, entry in entries.items()}
        must(seen.pop(self.address(SECOND)) == ("bounced", "mailbox_unknown"), "the owner does not see it")
        must(set(seen.values()) == {(None, None)}, "somebody else's address is said to be bad")
        return "the owner reads in /recipients: bounced, the mailbox does not exist; of the other three nothing"

    def see_receipts(self) -> str:
        accepted = [f"{kind} accepted" for kind in ("ready_to_activate", "owner_reset", "before_activation")]
        last, came_back = "activated_transfer", "came_back, mailbox_unknown"
        expected = dict.fromkeys((self.address(OWNER), self.address(FIRST)), (f"{last} accepted", *accepted))
        expected[self.address(SECOND)] = (f"{last} {came_back}", *accepted)
        expected[self.address(LATER)] = ()
        read = {
            account: tuple(map(_describe_receipt, entry["lastEmails"])) for account, entry in self._entries().items()
        }
        must(read == expected, f"the owner reads {read}")
        return "of 12 emails 11 were accepted and one came back; nothing was sent to the second line"

    def erase_by_signature(self) -> str:
        answer = self.leaving.erase_self(self.legacy.address)
        must(answer.status == 200 and answer.body == {"erased": 1}, f"the API answered {answer.status}")
        self._see_left(LATER)
        return "1 entry deleted at once; the owner sees that it erased itself, and no more"

    def erase_by_link(self) -> str:
        links = {link for email in self.evidence.emails() if email.to == FIRST.email for link in _forget_links(email)}
        must(len(links) == 1, f"the emails of an heir have {len(links)} links")
        (link,) = links
        before = set(self._entries())
        must(self.address(FIRST) in before, "the heir is not among the recipients")
        must(ask(link)[0] == 200, "the link leads nowhere")
        must(self._forgotten() == 0, "a look at the page was enough, as a scanner of emails takes it")
        must(ask(link, "POST")[0] == 200, "the button does not work")
        must(self._forgotten() == 1, "the mail service does not know of it")
        self.look_now("prune")
        theirs = "select 1 from worker.recipient where recipient = %(who)s"
        self.wait(lambda: not self.evidence.rows(theirs, who=self.address(FIRST)), "the worker to erase the heir")
        self._see_left(LATER, FIRST)
        must(set(self._entries()) == before - {self.address(FIRST)}, "somebody else was erased, too")
        must("We know nothing" in self._email_page(self.looked_up), "the number of the heir's email is still known")
        return "opening the page changed nothing; its button erased the heir, and nobody else"

    def forget_tokens(self) -> set[str]:
        """Those of all emails: with one anybody could have its reader forgotten."""
        return {link.rpartition("/")[2] for email in self.evidence.emails() for link in _forget_links(email)}

    def numbers(self) -> set[str]:
        """Numbers of all emails, as they are printed."""
        return {number for email in self.evidence.emails() for number in _numbers(email)}

    def _email_page(self, number: str) -> str:
        """Return the answer of the page `/emails` to this number."""
        status, page = ask(f"{self.stack.at.api}/emails", "POST", f"number={number}")
        must(status == 200, f"the page of email numbers answered {status}")
        return page.decode()

    def _forgotten(self) -> int:
        """Count those who asked the mail service for it."""
        token = (self.stack.secrets / "mail_token").read_text()
        status, answer = ask(f"{self.stack.at.mail}/forgotten", headers={"Authorization": f"Bearer {token}"})
        must(status == 200, f"the mail service answered {status}")
        return len(json.loads(answer)["addresses"])

    def _report(self, message_id: str, age: int) -> WalletAnswer:
        """As a provider's webhook tells the mail service, signed `age` seconds ago."""
        secret = (self.stack.secrets / "report_secret").read_text()
        body = json.dumps({"reports": [{"messageId": message_id, "event": "bounced", "status": "5.1.1"}]})
        stamp = str(int(time.time()) - age)
        signature = hmac.digest(secret.encode(), f"{stamp}.{body}".encode(), "sha256").hex()
        headers = {"X-Report-Timestamp": stamp, "X-Report-Signature": signature}
        status, answer = ask(f"{self.stack.at.mail}/reports/signed", "POST", body, headers=headers)
        return WalletAnswer(status, json.loads(answer or b"{}"))

    def _entries(self) -> dict[str, dict[str, Any]]:
        """Read the set as its creator does; by address."""
        answer = self.wallet.read(self.legacy.address)
        must(answer.status == 200, f"the API answered {answer.status}")
        return {entry["recipient"].lower(): entry for entry in answer.body["recipients"]}

    def _see_left(self, *people: CastMember) -> None:
        answer = self.wallet.read(self.legacy.address)
        told = {to_checksum_address(self.address(person)) for person in people}
        must(set(answer.body["erasedThemselves"]) == told, "the owner does not see who erased themselves")
        shown = json.dumps(dict(answer.body))
        must(not any(person.email in shown or person.name in shown for person in people), "an email or name is left")


def _describe_receipt(email: Mapping[str, str]) -> str:
    words = f"{email['kind']} {email['outcome']}"
    return f"{words}, {email['why']}" if "why" in email else words


def _forget_links(email: FoundEmail) -> list[str]:
    return re.findall(r"http\S+/forget/\S+", email.text)


def _numbers(email: FoundEmail) -> list[str]:
    return re.findall(r"Number of this email: ([0-9A-Z]{4}(?:-[0-9A-Z]{4}){3})", email.text)
