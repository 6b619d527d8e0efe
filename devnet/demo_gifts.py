"""The story's chapter of sealed gifts, withdrawn for free."""

from devnet.cast import FRIEND, GIVER
from devnet.demo_requests import Requests
from devnet.evidence import must
from devnet.telling import DAY

OPEN_AFTER = 35 * DAY
WEI, USDC = 25 * 10**16, 40 * 10**6


class GiftChapter(Requests):
    """`gifts`: timelock ids by lane."""

    gifts: dict[str, int]

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
