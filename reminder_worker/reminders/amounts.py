"""Who received what in the transaction of a transfer activation. No I/O.

A claim moves tokens from the owner's wallet, or from the legacy's contract, to the heir. Whoever makes the
transaction can add transfers of their own, also of tokens that lie about the sender: whitelisted tokens come
first and are all told, the number of others is bounded, and of these only the address is ever shown.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from reminder_worker.chain.events import decode_transfer
from reminder_worker.chain.types import ETHER, Log
from reminder_worker.reminders.audience import LegacyMembership

MOST_TOKENS = 40  # with others among them; a claim may move 50 whitelisted ones

Amounts = Mapping[str, Mapping[str, int]]
"""By recipient and token, in base units."""


def sum_received(
    logs: Iterable[Log], legacy: str, members: LegacyMembership, whitelist: Collection[str]
) -> dict[str, dict[str, int]]:
    """By heir and token: transfers of tokens and of ether from the owner or the legacy. An owner is no heir of their
    own."""
    sources = {members.owner, legacy}
    lines = {members.second_line, members.third_line} - {None}
    heirs = ({*members.beneficiaries, *lines}) - sources
    sums: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for log in logs:
        transfer = decode_transfer(log)
        if transfer and transfer.amount and transfer.sender in sources and transfer.recipient in heirs:
            sums[transfer.recipient][transfer.token] += transfer.amount
    return {str(heir): _keep_most_valuable(tokens, {*whitelist, ETHER}) for heir, tokens in sums.items()}


def select_claim_transfers(logs: Sequence[Log], legacy: str, owner: str, told: Mapping[int, str]) -> list[Log]:
    """The logs of one transaction, without the owner's transfers for claims from their other legacies.

    `told`: position among the logs to legacy, for each activation of a legacy of this owner. Contracts log it after
    the transfers of a claim; or before them, if that is so of the first and the last activation.
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
    """By token, over several transactions as `amounts_to_json` made them; of one heir, or of all (None)."""
    sums: dict[str, int] = defaultdict(int)
    for amounts in stored:
        for recipient, tokens in amounts.items():
            if heir is None or recipient == heir:
                for token, units in tokens:
                    sums[token] += int(units)
    return dict(sums)
