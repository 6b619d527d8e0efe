"""Steps that prepare the counterparts who mean harm: tokens, and smart wallets that sign and are paid."""

from enum import IntEnum
from typing import Any

from eth_account.signers.local import LocalAccount

from devnet.steps import DemoSteps

TOKEN = "HostileToken"
WALLET = "HostileWallet"


class TokenMode(IntEnum):
    """Behaviour of a HostileToken's transfers; `CALLS_BACK` comes with the call to make."""

    WELL = 0
    BURNS_GAS = 1
    REVERTS_IN_ODD_BLOCKS = 2
    CALLS_BACK = 3
    RETURNS_NO_BOOLEAN = 4
    RETURNS_MUCH = 5
    PAYS_FOR_NEW_SLOTS = 6


class HostileSigning(IntEnum):
    """How a HostileWallet answers by ERC-1271."""

    OWN_KEY = 0
    ANYTHING = 1
    ANYTHING_UNTIL_BLOCK = 2
    REVERTS = 3
    BURNS_GAS = 4
    RETURNS_MUCH = 5


class HostileReceiving(IntEnum):
    """Behaviour of a HostileWallet when ETH arrives; `CALLS_BACK` comes with the call to make."""

    TAKES = 0
    REVERTS = 1
    BURNS_GAS = 2
    CALLS_BACK = 3


class HostileSteps(DemoSteps):
    """Steps with contracts that behave well until a test changes their mode."""

    def create_hostile_token(self, mode: TokenMode = TokenMode.WELL, *, whitelisted: bool = True) -> str:
        """Deploy a token, whitelisted by default, and return the address."""
        token = self.deploy(TOKEN)
        if whitelisted:
            self.whitelist(token)
        self.set_token_mode(token, mode)
        return token

    def set_token_mode(self, token: str, mode: TokenMode) -> str:
        return self.write_as_deployer(TOKEN, token, "setMode", mode)

    def create_hostile_wallet(self, key: LocalAccount, receiving: HostileReceiving = HostileReceiving.TAKES) -> str:
        """A smart wallet without ETH; its address."""
        wallet = self.deploy(WALLET, key.address)
        self.set_receiving(wallet, receiving)
        return wallet

    def set_signing(self, wallet: str, signing: HostileSigning, until_block: int = 0) -> str:
        return self.write_as_deployer(WALLET, wallet, "setSigning", signing, until_block)

    def set_receiving(self, wallet: str, receiving: HostileReceiving) -> str:
        return self.write_as_deployer(WALLET, wallet, "setReceiving", receiving)

    def call_back(self, hostile: str, contract: str, address: str, function: str, *args: Any) -> str:
        """From now on a hostile token's transfer, or ETH that reaches a hostile wallet, first calls this."""
        message = bytes.fromhex(self.contracts[contract].encode(function, *args)[2:])
        return self.write_as_deployer(WALLET, hostile, "setCallBack", address, message)

    def entered(self, hostile: str) -> int:
        """Return how often a wallet's call back was accepted."""
        times: int = self.read(WALLET, hostile, "entered")
        return times
