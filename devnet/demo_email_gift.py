"""The story's chapter of a gift for somebody of whom only an email address is known: a code proves the address."""

import json
import re
import subprocess
from subprocess import PIPE
from typing import Self

from devnet.cast import GIVER, PEN_FRIEND
from devnet.compile import ROOT
from devnet.demo_gifts import OPEN_AFTER, GiftChapter
from devnet.evidence import must
from devnet.local import CHAIN_ID
from devnet.stand_in import SENDER
from devnet.wallet import get

DAI = 15 * 10**18
_BY_CODE = ("node_modules/.bin/tsx", "devnet/open_by_code.ts")


class EmailGiftChapter(GiftChapter):
    email_gift: int
    email_wallet: str

    def seal_for_an_email(self) -> str:
        answers = [self.giver.wallet_of_email(PEN_FRIEND.email) for _ in range(2)]
        must([answer.status for answer in answers] == [200, 200], f"the API answered {answers[0].status}")
        addresses = {answer.body["address"] for answer in answers}
        must(len(addresses) == 1, "one email address got two wallets")
        (self.email_wallet,) = addresses
        must(self.wallet_of(self.email_wallet) == (0, 0), "the wallet is not a new one")
        dai = self.stack.deployment.dai
        self.email_gift = self.scenario.create_gift(
            self.accounts[GIVER], self.email_wallet, tokens=[(dai, DAI)], duration=OPEN_AFTER
        )
        self.register(self.email_gift, PEN_FRIEND, "immediate", "?o=birthday&email=1")
        self.see_waiting(PEN_FRIEND)
        return f"the stand-in made the wallet {self.email_wallet}, asked twice; sealed to it, and the email arrived"

    def open_by_code(self) -> str:
        facts = get(self.stack.at.api, f"/gift/{CHAIN_ID}/{self.email_gift}")
        must(facts.status == 200 and facts.body["state"] == "open", f"the API answered {facts.status}")
        named = {**facts.body, "chainId": CHAIN_ID, "timelockId": str(self.email_gift)}
        own = self.address(PEN_FRIEND)  # asked before the claim: where should it land?
        with _BrowserPage() as page:
            page.told(json.dumps({"facts": named, "email": PEN_FRIEND.email, "payTo": own}))
            (email,) = self.new_emails(1)
            must((email.to, email.sender) == (PEN_FRIEND.email, SENDER), "another email than the code's")
            signed = json.loads(page.told(re.findall(r"\b\d{6}\b", email.text)[0]))
        body = {name: signed[name] for name in ("timelockId", "skipSwap", "recipient", "payTo")}
        signature = bytes.fromhex(signed["signature"][2:])
        auth = (signed["recipient"], int(signed["nonce"]), signed["deadline"], signature)
        sent = self.sponsored("gift-withdraw", body, auth)
        must(self.scenario.balance(self.stack.deployment.dai, own) == DAI, "another amount of DAI")
        must(self.wallet_of(self.email_wallet) == (0, 0), "the wallet had ETH or sent something")
        self.until_mined([sent])
        return "the code arrived, the wallet of the address signed, 15 DAI arrived in the wallet she named"


class _BrowserPage:
    """The gift page's own code, in Node.js: reads a line, answers a line."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(_BY_CODE, cwd=ROOT, stdin=PIPE, stdout=PIPE, text=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def told(self, line: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        must(answer, "the page's code gave up")
        return answer
