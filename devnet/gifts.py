"""Steps with timelocks: gifts of both lanes, other locks, withdrawals."""

from collections.abc import Sequence

from eth_account.signers.local import LocalAccount

from devnet.deploy import YEAR
from devnet.sponsorship import Auth, LocalSponsorship
from devnet.steps import NOBODY

ROUTER = "TimeLockRouter"
GIFT = "Gift"

# Swap, ERC-20, ERC-721, ERC-1155, duration, recipient, name, giftName.
GiftStruct = tuple[
    tuple[str, int, int],
    list[tuple[str, int]],
    list[tuple[str, int]],
    list[tuple[str, int, int]],
    int,
    str,
    str,
    str,
]


class GiftSteps(LocalSponsorship):
    def create_gift(
        self,
        giver: LocalAccount,
        recipient: str,
        *,
        eth: int = 0,
        tokens: Sequence[tuple[str, int]] = (),
        duration: int = YEAR,
        stored_as: str | None = None,
    ) -> int:
        """Seal a gift of wei (ETH lane) or of (token, amount) minted for it (ERC-20 lane); the timelock's id.

        `stored_as`: the token that the wei are kept in instead of wrapped ether, 2,500 of it for each ether.
        """
        self._fund(giver, tokens)
        gift = self._gift(recipient, eth, tokens, [], [], duration, stored_as)
        self.write(giver, ROUTER, self._router, "createTimelockedGift", gift, value=eth)
        return self._last_id()

    def create_timelock(
        self,
        owner: LocalAccount,
        recipient: str,
        *,
        eth: int = 0,
        tokens: Sequence[tuple[str, int]] = (),
        erc721: Sequence[tuple[str, int]] = (),
        erc1155: Sequence[tuple[str, int, int]] = (),
        duration: int = YEAR,
        soft: bool = False,
        buffer: int = 0,
    ) -> int:
        """Any other timelock; what goes into it is minted first."""
        self._fund(owner, tokens)
        for token, token_id in erc721:
            self.write_as_deployer("TestERC721", token, "mint", owner.address, token_id)
            self.write(owner, "TestERC721", token, "setApprovalForAll", self._router, True)
        for token, token_id, amount in erc1155:
            self.write_as_deployer("TestERC1155", token, "mint", owner.address, token_id, amount)
            self.write(owner, "TestERC1155", token, "setApprovalForAll", self._router, True)
        lock = self._gift(recipient, eth, tokens, erc721, erc1155, duration)
        self.write(owner, ROUTER, self._router, "createTimelock", lock, int(soft), buffer, value=eth)
        return self._last_id()

    def unlock_soft_timelock(self, owner: LocalAccount, timelock_id: int) -> str:
        return self.write(owner, ROUTER, self._router, "unlockSoftTimelock", timelock_id)

    def withdraw_gift(self, recipient: LocalAccount, timelock_id: int, *, skip_swap: bool = False) -> str:
        return self.write(recipient, ROUTER, self._router, "withdraw", timelock_id, skip_swap)

    def withdraw_for(self, relayer: LocalAccount, timelock_id: int, auth: Auth, *, skip_swap: bool = False) -> str:
        return self.write(relayer, ROUTER, self._router, "withdrawFor", timelock_id, skip_swap, auth)

    def withdraw_from_vault(self, caller: LocalAccount, timelock_id: int, recipient: str) -> str:
        """Past the router: anybody makes the ERC-20 vault pay an unlocked timelock out to its recipient."""
        vault = self.deployment.timelock_erc20
        return self.write(caller, "TimelockERC20", vault, "withdraw", timelock_id, recipient, False)

    @property
    def _router(self) -> str:
        return self.deployment.time_lock_router

    def _last_id(self) -> int:
        last: int = self.read(ROUTER, self._router, "timelockCounter")
        return last

    def _fund(self, owner: LocalAccount, tokens: Sequence[tuple[str, int]]) -> None:
        for token, amount in tokens:
            self.mint(token, owner.address, amount)
            self.approve(owner, token, self._router, amount)

    def _gift(
        self,
        recipient: str,
        eth: int,
        tokens: Sequence[tuple[str, int]],
        erc721: Sequence[tuple[str, int]],
        erc1155: Sequence[tuple[str, int, int]],
        duration: int,
        stored_as: str | None = None,
    ) -> GiftStruct:
        swap = ((stored_as or self.deployment.weth) if eth else NOBODY, eth, self.anvil.now() + YEAR)
        return (swap, list(tokens), list(erc721), list(erc1155), duration, recipient, GIFT, "")
