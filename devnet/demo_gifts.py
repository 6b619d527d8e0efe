"""The story's chapter of sealed gifts: a letter in a link, emails now and on opening day, a withdrawal for free."""

import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from typing import Any

from devnet.cast import FRIEND, GIVER, PEN_FRIEND, CastMember
from devnet.demo_requests import DemoRequests
from devnet.deploy import DAY
from devnet.evidence import must
from devnet.local import CHAIN_ID
from devnet.stack import LocalStack
from devnet.wallet import DemoWallet

OPEN_AFTER = 35 * DAY
WEI, USDC = 25 * 10**16, 40 * 10**6
NOTE = "Zymurgically yours, for the long winter evenings"  # as unlikely elsewhere as the names


def as_fragment(letter: Mapping[str, Any]) -> str:
    """A letter as a claim link carries it, its fields in the page's order."""
    return urlsafe_b64encode(json.dumps(letter, separators=(",", ":")).encode()).decode().rstrip("=")


class GiftChapter(DemoRequests):
    """`fragments` are the letters as the claim links carry them, which no server may keep in clear."""

    def __init__(self, stack: LocalStack) -> None:
        super().__init__(stack)
        self.giver = DemoWallet(self.accounts[GIVER], stack.at.api, CHAIN_ID)
        self.gifts: Mapping[str, int] = {}
        self.links: dict[str, CastMember] = {}  # of all gifts, to whom is told of them
        self.fragments = {
            person: as_fragment({"v": 1, "to": person.name, "from": GIVER.name, "note": NOTE})
            for person in (FRIEND, PEN_FRIEND)
        }

    def seal_gifts(self) -> str:
        giver, friend, usdc = self.accounts[GIVER], self.address(FRIEND), self.stack.deployment.usdc
        self.gifts = {
            "ETH": self.scenario.create_gift(giver, friend, eth=WEI, duration=OPEN_AFTER),
            "USDC": self.scenario.create_gift(giver, friend, tokens=[(usdc, USDC)], duration=OPEN_AFTER),
        }
        vault = self.stack.deployment.timelock_erc20
        for timelock_id in self.gifts.values():
            details = self.scenario.read("TimelockERC20", vault, "getTimelockDetails", timelock_id)
            must((details[8], details[9], details[10]) == (2, 2, friend), "no live gift of the friend's on chain")
        return f"timelocks {self.gifts['ETH']} and {self.gifts['USDC']} open in {OPEN_AFTER // DAY} days"

    def notify_friend(self) -> str:
        for lane, timing in (("ETH", "immediate"), ("USDC", "none")):
            self.register(self.gifts[lane], FRIEND, timing, "?o=birthday")
        stored = b"".join(bytes(row[0]) for row in self.evidence.rows("select payload from worker.gift_notification"))
        must(stored and FRIEND.email.encode() not in stored, "no row, or one in clear")
        self.see_waiting(FRIEND)
        return "one email, with the claim link and its letter; stored encrypted"

    def register(self, timelock_id: int, person: CastMember, timing: str, marks: str) -> None:
        """Have somebody told of a gift, with the claim link as the giver's browser makes it."""
        link = f"{self.stack.at.api}/gifts/{CHAIN_ID}/{timelock_id}{marks}#g={self.fragments[person]}"
        answer = self.giver.notify_gift(
            timelockId=str(timelock_id),
            recipientEmail=person.email,
            recipientName=person.name,
            giverName=GIVER.name,
            claimLink=link,
            timing=timing,
        )
        must(answer.status == 201, f"the API answered {answer.status} {answer.body.get('code')}")
        self.links[link] = person

    def see_waiting(self, person: CastMember) -> None:
        (email,) = self.new_emails(1)
        must(email.to == person.email and "gift is waiting" in email.subject, "another email than that a gift waits")
        letters = [link in email.text for link, to in self.links.items() if to == person]
        must(any(letters), "the email lacks the claim link with the giver's letter")

    def opening_day(self) -> str:
        emails = self.new_emails(len(self.links))
        must(all("is open" in email.subject for email in emails), "another email")
        for link, person in self.links.items():
            told = [email.to for email in emails if link in email.text]
            must(told == [person.email], "a claim link is missing, or somebody else's")
        rows = "select 1 from worker.gift_notification"
        self.wait(lambda: not self.evidence.rows(rows), "the notifications to be deleted")
        return f"{len(emails)} emails; whom they went to is deleted, a keyed hash remains so that none is sent twice"

    def withdraw_gifts(self) -> str:
        friend, usdc = self.accounts[FRIEND], self.stack.deployment.usdc
        must(self.wallet_of(friend.address) == (0, 0), "the friend had ETH")
        sent = []
        for lane, timelock_id in self.gifts.items():
            auth = self.scenario.withdraw_auth(friend, timelock_id)
            body = {"timelockId": str(timelock_id), "skipSwap": False, "recipient": auth[0]}
            sent.append(self.sponsored("gift-withdraw", body, auth))
            logs = self.scenario.events(sent[-1].tx_hash, "TimelockERC20", "FundsWithdrawn")
            must([int(log["topics"][1], 16) for log in logs] == [timelock_id], f"the gift of {lane} was not paid out")
        must(self.wallet_of(friend.address) == (WEI, 0), "another amount of ETH, or a transaction of the friend's")
        must(self.scenario.balance(usdc, friend.address) == USDC, "another amount of USDC")
        self.until_mined(sent)
        return "0.25 ETH and 40 USDC arrived in a wallet that sent nothing; the API says 'mined'"
