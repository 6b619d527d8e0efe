"""Whether an authorization is good to be relayed: the rules of each lane, from cheap to dear.

Everything that the chain says is of one block, and times are judged by that block's, as the contracts will. What cannot
be read raises `ChainUnavailable`.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from reminder_worker.chain.client import Block, Call, Chain, Reverted
from reminder_worker.chain.contracts.legacies import Legacies, LegacyFacts
from reminder_worker.chain.contracts.routers import SponsoredReads
from reminder_worker.chain.simulation import LEAST_PAID_WEI, Simulated
from reminder_worker.chain.types import ETHER, MOST_GAS
from reminder_worker.errors import (
    AlreadyUsed,
    ChainUnavailable,
    ContractRefused,
    FieldFault,
    IndexerUnavailable,
    InvalidInput,
    NonceMismatch,
    NotAKnownLegacy,
    NotFound,
    PremiumRequired,
    SignerMismatch,
)
from reminder_worker.indexer.models import GIFT, LIVE
from reminder_worker.indexer.selector import Indexers
from reminder_worker.relay.authorizations import CheckInRequest, ClaimRequest, Request, WithdrawRequest
from reminder_worker.relay.contract_errors import WOULD_FAIL, named, opening, refusal

SELF_PAID: Final = "Sending the transaction yourself, at your own fee, still works."
_ONLY_TOKENS: Final = f"Only gifts of whitelisted ERC-20 tokens are sponsored. {SELF_PAID}"
MOST_WAITING: Final = 4
"""How many authorizations of one signer may wait behind one that is not mined."""
LEAST_GAS_LIMIT: Final = 100_000
"""The lowest gas limit that a transaction gets, however little its simulation used."""
PAYMENT_GAS: Final = 45_000
"""Gas that each payment after the first adds to a claim. A plain token uses 31,000."""
MOST_TIMES: Final = 3
"""Bound of a large claim's gas, in multiples of the lane's. It covers two tokens of 32 heirs, the contract's most."""


@dataclass(frozen=True, slots=True)
class ValidRequest:
    """A request that is good. `creator`: of the legacy, or the giver. `waits`: it has to wait behind another of the
    same signer. `simulated`: what it would do; None where no node tells, where its turn has not come, or where it may
    do more once it is mined. `gas_limit`: what it may use at most."""

    creator: str
    waits: bool
    gas_limit: int
    simulated: Simulated | None = None


class MoreGasNeeded(ContractRefused):
    """`what` succeeds, but not within the lane's gas. `hint`: a sentence and a space."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(
            WOULD_FAIL, f"This {what} needs more gas than is sponsored, so it is not sent. {hint}{SELF_PAID}"
        )


@dataclass(frozen=True, slots=True)
class ValidationContext:
    """A request that is signed by its signer, and what it is judged by. `gas_limit`: the lane's ceiling."""

    chain: Chain
    indexers: Indexers
    reads: SponsoredReads
    head: Block
    sender: str
    open_nonces: frozenset[int]
    gas_limit: int
    data: bytes

    def waits(self, request: Request, current: int) -> bool:
        """Whether the request's nonce comes after others of the signer that are under way here. `current`: the router's
        nonce. Raises AlreadyUsed, NonceMismatch."""
        ahead = request.nonce - current
        if ahead < 0:
            raise AlreadyUsed("This signature was already used, or its nonce cancelled; sign a new one.")
        if request.nonce in self.open_nonces:
            raise NonceMismatch("Another request with this nonce is under way; wait for it, or sign the next nonce.")
        if ahead > MOST_WAITING or not self.open_nonces.issuperset(range(current, request.nonce)):
            raise NonceMismatch(f"The next nonce of this signer is {current}; sign a new one.")
        return ahead > 0

    async def simulate(self, request: Request, payer: str | None = None) -> Simulated | None:
        """What the transaction would do; None where no node tells. Raises what its revert means.

        The router logs every claim and check-in, the vault every withdrawal. `payer`: the legacy, if it pays ether.

        Simulated on top of the block that all facts are of: what a node that has stopped says of its own latest block
        shall refuse nothing.
        """
        call = Call(request.router, self.data)
        emitter = self.chain.settings.timelock_erc20 if isinstance(request, WithdrawRequest) else request.router
        try:
            found = await self.chain.simulate(
                call, at=self.head, sender=self.sender, gas=self.gas_limit, emitter=emitter, payer=payer
            )
        except ChainUnavailable:
            found = None  # some nodes refuse what they do not know without an answer; the plain call decides
        if found is None:
            answer = await self.chain.call(call, at=self.head.hash, sender=self.sender, gas=self.gas_limit)
            if not isinstance(answer, Reverted):
                return None
            found = answer
        if isinstance(found, Reverted):
            refused = refusal(found.data)
            # A smart wallet that lacks gas to check its signature looks like one that does not take it.
            if isinstance(refused, SignerMismatch) or refused.code == WOULD_FAIL:
                await self._check_gas(call)
            raise refused
        return found

    async def needs(self, request: Request, judged: ValidRequest) -> int | None:
        """A gas limit that is enough, if it is below the most; else None. Also None if any endpoint says that the
        call fails with so little: an endpoint whose simulations tell too little would have good requests fail on chain,
        and their signers paused."""
        needs = _needs(judged.simulated)
        if needs is None or needs >= judged.gas_limit:
            return None
        call = Call(request.router, self.data)
        does = await self.chain.succeeds_at_each(call, at=self.head.hash, sender=self.sender, gas=needs)
        return needs if does else None

    async def _check_gas(self, call: Call) -> None:
        """Raises `MoreGasNeeded` for a call that fails within the lane's gas and succeeds with all that a transaction
        may use."""
        answer: bytes | Reverted = Reverted(b"")
        with suppress(ChainUnavailable):  # not every node lets a call use so much
            answer = await self.chain.call(call, at=self.head.hash, sender=self.sender, gas=MOST_GAS)
        if not isinstance(answer, Reverted):
            raise MoreGasNeeded("transaction")


async def judge(request: Request, case: ValidationContext) -> ValidRequest:
    """Raises what speaks against it, as `RelayIntake.of_legacy` says."""
    match request:
        case ClaimRequest():
            return await _judge_claim(request, case)
        case CheckInRequest():
            return await _judge_check_in(request, case)
        case WithdrawRequest():
            return await _judge_withdrawal(request, case)


async def _judge_claim(request: ClaimRequest, case: ValidationContext) -> ValidRequest:
    if not request.assets and not request.is_eth:
        raise InvalidInput("Nothing to claim is named.", [FieldFault("/assets", "is empty, and `isETH` is false")])
    if len(set(request.assets)) != len(request.assets):
        raise InvalidInput("A token is named twice.", [FieldFault("/assets", "names a token twice")])
    facts = await case.reads.claim(request.router, request.subject_id, request.signer, at=case.head.hash)
    waits = case.waits(request, facts.nonce)
    legacy = await _genuine(request, case, facts.legacy)
    if facts.disabled:
        raise named("SponsoredClaimsDisabled")
    faults = [
        FieldFault(f"/assets/{index}", "is not a whitelisted token")
        for index, token in enumerate(request.assets)
        if token not in facts.whitelist
    ]
    if faults:
        raise InvalidInput("Only claims of whitelisted tokens are sponsored.", faults)
    _check_line(legacy, request.signer, case.head.timestamp)
    line = legacy.members.beneficiaries
    payees = len(line) if request.signer in line else 1
    payments = payees * (len(request.assets) + request.is_eth)
    case = replace(case, gas_limit=_claim_gas(case.gas_limit, payments))
    pays_ether = request.is_eth and await case.chain.balance(legacy.legacy) >= LEAST_PAID_WEI
    payer = legacy.legacy if pays_ether else None
    simulated = None if waits else await _simulated_claim(request, case, legacy, payer)
    if simulated is not None:
        delivers = bool(simulated.received(request.signer, request.assets))
    else:
        delivers = payer is not None or await _has_tokens(request, case, legacy)
    if not delivers:
        raise ContractRefused("nothing_to_claim", "This claim would deliver nothing; check what the legacy may move.")
    sure = simulated if simulated and _delivers_all(request, simulated) else None
    return ValidRequest(legacy.creator, waits, case.gas_limit, sure)


def _claim_gas(lane: int, payments: int) -> int:
    """Return the gas limit of a claim with this many payments. `lane` is the gas of one payment."""
    return min(lane + PAYMENT_GAS * (payments - 1), MOST_TIMES * lane, MOST_GAS)


def _delivers_all(request: ClaimRequest, simulated: Simulated) -> bool:
    """Else anybody can make it dearer: a token of which there was nothing is paid to the whole line once there is."""
    paid = simulated.received(request.signer, request.assets)
    return paid >= {*request.assets, *([ETHER] if request.is_eth else [])}


async def _simulated_claim(
    request: ClaimRequest, case: ValidationContext, legacy: LegacyFacts, payer: str | None
) -> Simulated | None:
    """A legacy is live until it is deleted or claimed from, and further claims are paid: only the contract tells."""
    try:
        return await case.simulate(request, payer)
    except ContractRefused as refused:
        if refused.code != WOULD_FAIL:
            raise
        several = len(request.assets) + request.is_eth > 1
        fewer = "With fewer assets at once it may go through. " if several else ""
        if isinstance(refused, MoreGasNeeded):  # everybody of the line is paid each asset
            raise MoreGasNeeded("claim", fewer) from None
        if several:
            detail = "This claim would fail on chain, so it is not sent. "
            raise ContractRefused(WOULD_FAIL, (detail + fewer).rstrip()) from None
        if not legacy.is_live:
            raise named("CannotClaim") from None
        raise


async def _judge_check_in(request: CheckInRequest, case: ValidationContext) -> ValidRequest:
    facts = await case.reads.check_in(request.router, request.subject_id, request.signer, at=case.head.hash)
    waits = case.waits(request, facts.nonce)
    legacy = await _genuine(request, case, facts.legacy)
    if legacy.creator != request.signer:
        raise SignerMismatch("Only the owner of this legacy can check in.")
    if not legacy.is_live:
        raise named("LegacyIsDeleted")
    if request.deadline > case.head.timestamp + facts.most_ttl:
        raise named("CheckInDeadlineTooFar")
    if not facts.premium:
        raise PremiumRequired("Sponsored check-ins need an active Premium subscription. " + SELF_PAID)
    return ValidRequest(legacy.creator, waits, case.gas_limit, None if waits else await case.simulate(request))


async def _genuine(request: Request, case: ValidationContext, legacy: str | None) -> LegacyFacts:
    """The router's registry has named it; it has to agree."""
    if legacy is None:
        raise NotAKnownLegacy("The router knows no legacy with this id.")
    found = await Legacies(case.chain).facts_of(legacy, request.router, request.subject_id, at=case.head.hash)
    if found is None:
        raise NotAKnownLegacy("The contract with this id does not answer as a legacy does.")
    return found


def _check_line(legacy: LegacyFacts, signer: str, now: int) -> None:
    """Whether the signer's line has come; of an old build without triggers only the contract knows."""
    members = legacy.members
    lines = (members.beneficiaries, (members.second_line,), (members.third_line,))
    own = [opens for line, opens in zip(lines, legacy.triggers, strict=True) if signer in line]
    if not own:
        raise named("OnlyBeneficaries")
    if now < min(own):
        name = "LegacyStillActive" if now < legacy.triggers[0] else "CannotClaim"
        raise named(name, f"The legacy opens for this account {opening(min(own))}.")


async def _has_tokens(request: ClaimRequest, case: ValidationContext, legacy: LegacyFacts) -> bool:
    """Return whether there are tokens that a claim could move to its signer, where nothing can be simulated."""
    if request.signer == legacy.owner:
        return False  # a claim takes tokens from the owner's account: they would only come back
    now, at = case.head.timestamp, case.head.hash
    return bool(await case.reads.allowed_tokens(request.assets, legacy.owner, legacy.legacy, now, at=at))


async def _judge_withdrawal(request: WithdrawRequest, case: ValidationContext) -> ValidRequest:
    facts = await case.reads.withdraw(request.router, request.subject_id, request.signer, at=case.head.hash)
    found = facts.details
    if found is None:
        raise NotFound("There is no such timelock of tokens.")
    if found.lock_type != GIFT:
        raise ContractRefused("not_a_gift", "Only withdrawals of gifts are sponsored.")
    if found.recipient != request.signer:
        raise SignerMismatch("This gift is sealed to another account.")
    waits = case.waits(request, facts.nonce)
    if found.status != LIVE or not found.assets:
        raise named("TimelockNotLive")
    if not {token for token, _ in found.assets} <= facts.whitelist:
        raise ContractRefused("not_only_whitelisted_tokens", _ONLY_TOKENS)
    if found.unlock_time > case.head.timestamp:
        raise named("StillLocked", f"The gift opens {opening(found.unlock_time)}.")
    simulated = None if waits else await case.simulate(request)
    if await _holds_more(request, case, simulated):
        raise ContractRefused("not_only_whitelisted_tokens", _ONLY_TOKENS)
    return ValidRequest(found.owner, waits, case.gas_limit, simulated)


async def _holds_more(request: WithdrawRequest, case: ValidationContext, simulated: Simulated | None) -> bool:
    """Whether a vault of NFTs has something under this id too: by what it would log, else by the index."""
    of_nfts = {case.chain.settings.timelock_erc721, case.chain.settings.timelock_erc1155}
    if simulated is not None:
        return any(log.address in of_nfts for log in simulated.logs)
    ids = [request.subject_id]
    found = await case.indexers.ask(lambda indexer, at: indexer.timelocks(ids, at))
    if request.subject_id not in found:
        raise IndexerUnavailable("This gift is not indexed yet; try again in a moment.")
    return any(asset.vault in of_nfts for asset in found[request.subject_id].assets)


def _needs(simulated: Simulated | None) -> int | None:
    """Gas: all of a limit is reserved of the day, and what is reserved is not there for others.

    Twice what the simulation used is room for what it got back (a fifth), for the part of its gas that each call keeps
    back (a sixty-fourth), and for a balance that is not there yet when it is mined.
    """
    if simulated is None or simulated.gas_used is None:
        return None
    return max(LEAST_GAS_LIMIT, 2 * simulated.gas_used)
