"""Amounts that each heir received in the transaction of a transfer activation. No I/O.

A claim moves tokens from the owner's wallet, or from the legacy's contract, to the heir. The sender of the
transaction can add other transfers, also of tokens with a forged sender. All whitelisted tokens are shown, first;
the number of other tokens is bounded, and the email shows only their addresses.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from reminder_worker.chain.events import decode_transfer
from reminder_worker.chain.types import ETHER, EventLog
from reminder_worker.reminders.audience import LegacyMembership

MOST_TOKENS = 40  # when other tokens are among them; a claim may move 50 whitelisted tokens

Amounts = Mapping[str, Mapping[str, int]]
"""By recipient and token, in base units."""


def sum_received(
    logs: Iterable[EventLog], legacy: str, members: LegacyMembership, whitelist: Collection[str]
) -> dict[str, dict[str, int]]:
    """Return base units by heir and token, of transfers from the owner or the legacy. The owner is not an heir."""
    sources = {members.owner, legacy}
    lines = {members.second_line, members.third_line} - {None}
    heirs = ({*members.beneficiaries, *lines}) - sources
    sums: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for log in logs:
        transfer = decode_transfer(log)
        if transfer and transfer.amount and transfer.sender in sources and transfer.recipient in heirs:
            sums[transfer.recipient][transfer.token] += transfer.amount
    return {str(heir): _keep_most_valuable(tokens, {*whitelist, ETHER}) for heir, tokens in sums.items()}


def select_claim_transfers(
    logs: Sequence[EventLog], legacy: str, owner: str, told: Mapping[int, str]
) -> list[EventLog]:
    """Return the logs of one transaction without the owner's transfers for claims from their other legacies.

    `told`: log position to legacy, for each activation of a legacy of this owner. A contract logs the activation after
    the transfers of its claim, or before them if the first and the last activation stand before them.
    """
    if set(told.values()) <= {legacy}:
        return list(logs)
    transfers = map(decode_transfer, logs)
    gives = [at for at, transfer in enumerate(transfers) if transfer is not None and transfer.sender == owner]
    told_first = bool(gives) and min(told) < min(gives) and max(told) < max(gives)

    def belongs(at: int) -> bool:
        if told_first:
            nearest = max((each for each in told if each < at), default=None)
        else:
            nearest = min((each for each in told if each > at), default=None)
        return nearest is not None and told[nearest] == legacy

    others = {at for at in gives if not belongs(at)}
    return [log for at, log in enumerate(logs) if at not in others]


def _keep_most_valuable(tokens: Mapping[str, int], whitelist: Collection[str]) -> dict[str, int]:
    ordered = sorted(tokens, key=lambda token: (token not in whitelist, token))
    most = max(MOST_TOKENS, sum(token in whitelist for token in tokens))
    return {token: tokens[token] for token in ordered[:most]}


def amounts_to_json(amounts: Amounts) -> dict[str, list[list[str]]]:
    return {heir: [[token, str(units)] for token, units in tokens.items()] for heir, tokens in amounts.items()}


def sum_amounts(stored: Iterable[Mapping[str, list[list[str]]]], heir: str | None) -> dict[str, int]:
    """Return base units by token over several results of `amounts_to_json`, for one heir or for all (None)."""
    sums: dict[str, int] = defaultdict(int)
    for amounts in stored:
        for recipient, tokens in amounts.items():
            if heir is None or recipient == heir:
                for token, units in tokens:
                    sums[token] += int(units)
    return dict(sums)
