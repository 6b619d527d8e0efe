"""PremiumReminderView, PremiumSetting and the whitelist of tokens."""

from collections.abc import Sequence

from reminder_worker.chain import abi_codec
from reminder_worker.chain.abi_codec import WORD, MalformedData, encode_address, encode_call, encode_word
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts import Answer, decode_configured, read_or_none
from reminder_worker.chain.endpoints import TooMuch
from reminder_worker.chain.types import RevertedCall


class ReminderView:
    """Reads of PremiumReminderView: open windows."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._address = chain.settings.premium_reminder_view

    async def read_due_windows(self, legacies: Sequence[str], *, at: str) -> list[tuple[int, ...]] | RevertedCall:
        """Return the open windows (1..6) of each legacy, in order.

        Return `RevertedCall` if a legacy reverts or the node refuses so many. The contract does not isolate legacies:
        ask for half of them.
        """
        addresses = encode_word(WORD) + encode_word(len(legacies)) + b"".join(map(encode_address, legacies))
        call = encode_call(self._address, "PremiumReminderView", "dueRemindersBatch", addresses)
        # A stranger's legacy that burns all of the gas costs the node little and is found by halving. Each of ours
        # takes 20,000 to 66,000; nodes accept 50 million.
        gas = min(1_000_000 + 200_000 * len(legacies), 50_000_000)
        try:
            answer = await self._chain.call(call, at=at, gas=gas)
        except TooMuch:
            if len(legacies) == 1:
                raise
            return RevertedCall()
        if isinstance(answer, RevertedCall):
            return answer
        return decode_configured("dueRemindersBatch", lambda data, _: decode_windows(data, len(legacies)), answer)

    async def read_default_notify_ahead(self, *, at: str) -> int:
        """Return the default notice, in seconds."""
        return decode_configured(
            "defaultNotifyAhead",
            abi_codec.word_at,
            await self._chain.call(encode_call(self._address, "PremiumReminderView", "defaultNotifyAhead"), at=at),
        )


class PremiumSetting:
    """Reads of PremiumSetting: subscriptions, notice times and reminder configurations."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._address = chain.settings.premium_setting

    async def is_premium(self, user: str, *, at: str | None = None) -> bool:
        answer = await self._chain.call(
            encode_call(self._address, "PremiumSetting", "isPremium", encode_address(user)), at=at
        )
        return decode_configured("isPremium", abi_codec.bool_at, answer)

    async def are_premium(self, users: Sequence[str], *, at: str) -> list[bool]:
        """Return the subscriptions in order."""
        answers = await self._ask_many("isPremium", users, at)
        return [decode_configured("isPremium", abi_codec.bool_at, answer) for answer in answers]

    async def read_expiries(self, users: Sequence[str], *, at: str) -> list[int]:
        """Return when each user's Premium ends, in unix seconds, in order; 0 for a user who never had Premium."""
        answers = await self._ask_many("premiumExpired", users, at)
        return [decode_configured("premiumExpired", abi_codec.word_at, answer) for answer in answers]

    async def read_times_ahead(self, users: Sequence[str], *, at: str) -> list[int]:
        """Return seconds before a deadline, in order; 0 without a setting of the user."""
        answers = await self._ask_many("getTimeAhead", users, at)
        return [decode_configured("getTimeAhead", abi_codec.word_at, answer) for answer in answers]

    async def are_configured(self, legacies: Sequence[str]) -> list[bool]:
        """Return whether each legacy has a beneficiary to remind, in order; False without a usable answer."""
        answers = await self._ask_many("getBeneficiaryData", legacies, None)
        return [bool(read_or_none(abi_codec.addresses_behind, answer)) for answer in answers]

    async def _ask_many(self, function: str, addresses: Sequence[str], at: str | None) -> list[Answer]:
        calls = [encode_call(self._address, "PremiumSetting", function, encode_address(each)) for each in addresses]
        return await self._chain.call_many(calls, at=at)


class TokenWhiteList:
    """Reads of the whitelist: tokens with a symbol that may be shown."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain

    async def read_tokens(self, *, at: str | None = None) -> frozenset[str]:
        call = encode_call(self._chain.settings.token_white_list, "TokenWhiteList", "getWhitelist")
        answer = await self._chain.call(call, at=at)
        return frozenset(decode_configured("getWhitelist", abi_codec.addresses_behind, answer))


def decode_windows(data: bytes, count: int) -> list[tuple[int, ...]]:
    """Decode a `uint8[][]` of exactly `count`, without values outside 1..6; raise `MalformedData` otherwise."""
    start = abi_codec.word_at(data, 0)
    if abi_codec.word_at(data, start) != count:
        raise MalformedData("another number of legacies than asked for")
    base = start + WORD
    found: list[tuple[int, ...]] = []
    for offset in abi_codec.uints_at(data, start):
        place = base + offset
        if data[place : place + WORD] == bytes(WORD):  # nearly all, at nearly every look
            found.append(())
        else:
            found.append(tuple([value for value in abi_codec.uints_at(data, place) if 1 <= value <= 6]))
    return found
