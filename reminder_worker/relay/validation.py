"""Validation: facts of a request in frozen values, and the rules of each lane on them, in the order of the checks.

`RequestReader` reads the chain at one block; a fact that cannot be read raises `ChainUnavailable`. The rules are plain
functions: `check_request` judges the facts before the call is simulated, `check_effects` those of the simulation. Both
raise the first rule that is broken. Times are compared with the block's time, as the contracts do.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, NoReturn, assert_never

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.legacies import LegacyFacts, LegacyReads
from reminder_worker.chain.contracts.routers import PAYEE_VERSION, CheckInFacts, ClaimFacts, RouterReads, WithdrawFacts
from reminder_worker.chain.eip712 import SignatureVerifier
from reminder_worker.chain.simulation import LEAST_PAID_WEI, SimulatedTransaction
from reminder_worker.chain.types import ETHER, MOST_GAS, BlockHeader, ContractCall, RevertedCall
from reminder_worker.errors import (
    AlreadyUsed,
    ChainUnavailable,
    ContractRefused,
    Expired,
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
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.relay.authorizations import CheckInRequest, ClaimRequest, Request, SignedCall, WithdrawRequest
from reminder_worker.relay.contract_errors import WOULD_FAIL, explain_revert, format_opening, make_refusal
from reminder_worker.relay.models import LEAST_SECONDS_LEFT, SELF_PAID

LEAST_GAS_LIMIT: Final = 100_000
"""The lowest gas limit of a transaction, however little its simulation used."""
GAS_BESIDE_PAYMENTS: Final = 60_000
"""Least gas of a claim beside its payments: for the transaction itself, its signature and the nonce."""
MOST_WAITING: Final = 4
"""Authorizations of one signer that may wait behind an unmined authorization."""
MOST_AHEAD_SECONDS: Final = 7 * 86_400
"""Seconds that the deadline of a withdrawal may be ahead in version 2 of the TimeLockRouter."""
_ONLY_TOKENS: Final = f"Only gifts of whitelisted ERC-20 tokens are sponsored. {SELF_PAID}"


@dataclass(frozen=True, slots=True)
class RequestFacts:
    """Facts at one block. `legacy`: None for a gift, and for a contract that does not answer as a legacy.

    `open_nonces`: nonces of the signer's open requests, read before the block. All others are known once the request
    has passed `check_request`. `simulated`: what the call would do; None if its turn has not come, if it reverts, or if
    no node can simulate it. `revert`: data of the revert, else None. `pays_ether`: the legacy holds ether for the
    claim. `has_tokens`, `holds_nfts`: read in place of a simulation. `gas_needed`: a gas limit that is enough, below
    the most.
    """

    head: BlockHeader
    router: ClaimFacts | CheckInFacts | WithdrawFacts
    legacy: LegacyFacts | None
    open_nonces: frozenset[int]
    simulated: SimulatedTransaction | None = None
    revert: bytes | None = None
    succeeds_with_more_gas: bool = False
    pays_ether: bool = False
    has_tokens: bool = False
    holds_nfts: bool = False
    gas_needed: int | None = None

    @property
    def creator(self) -> str:
        """The creator of the legacy, or the giver; empty for a contract that is neither."""
        if self.legacy is not None:
            return self.legacy.creator
        details = self.router.details if isinstance(self.router, WithdrawFacts) else None
        return "" if details is None else details.owner


class RequestReader:
    """Reads of one chain for the requests that `wallet` pays for."""

    def __init__(self, chain: Chain, indexers: IndexerSelector, routers: RouterReads, wallet: str) -> None:
        self._chain = chain
        self._indexers = indexers
        self._routers = routers
        self._wallet = wallet

    async def read_facts(self, call: SignedCall, open_nonces: frozenset[int]) -> RequestFacts:
        """Read the latest block, the router's facts and the legacy's. Raises `SignerMismatch`, `ChainUnavailable`."""
        request = call.request
        signed = SignatureVerifier(self._chain).verify_signature(
            call.digest, request.signature, request.signer, caller=request.router
        )
        head, _ = await asyncio.gather(self._chain.get_head(), signed)
        router, subject, signer = request.router, request.subject_id, request.signer
        answers: ClaimFacts | CheckInFacts | WithdrawFacts
        legacy: LegacyFacts | None = None
        match request:
            case ClaimRequest():
                answers = await self._routers.read_claim_facts(router, subject, signer, at=head.hash)
            case CheckInRequest():
                answers = await self._routers.read_check_in_facts(router, subject, signer, at=head.hash)
            case WithdrawRequest():
                answers = await self._routers.read_withdraw_facts(router, subject, signer, at=head.hash)
        if not isinstance(answers, WithdrawFacts) and answers.legacy is not None:
            legacy = await LegacyReads(self._chain).read_facts_of(answers.legacy, router, subject, at=head.hash)
        return RequestFacts(head, answers, legacy, open_nonces)

    async def read_effects(self, call: SignedCall, facts: RequestFacts, *, waits: bool, most_gas: int) -> RequestFacts:
        """Return the facts with what the call would do, and what a missing simulation would have shown.

        `waits`: for earlier requests of the signer; then nothing is simulated. `most_gas`: its most gas.
        """
        request, legacy = call.request, facts.legacy
        if isinstance(request, ClaimRequest) and request.is_eth and legacy is not None:
            balance = await self._chain.get_balance(legacy.legacy)
            facts = replace(facts, pays_ether=balance >= LEAST_PAID_WEI)
        if not waits:
            facts = await self._simulate(call, facts, most_gas)
        if facts.revert is not None:
            return facts
        if isinstance(request, ClaimRequest) and legacy is not None:
            facts = replace(facts, has_tokens=await self._has_tokens(request, facts, legacy))
        if isinstance(request, WithdrawRequest):
            facts = replace(facts, holds_nfts=await self._holds_nfts(request, facts.simulated))
        return replace(facts, gas_needed=await self._confirm_gas(call, facts, most_gas))

    async def _simulate(self, call: SignedCall, facts: RequestFacts, most_gas: int) -> RequestFacts:
        """Simulate the call on top of the block of the facts, else call it.

        The block is named since a node that has stopped must refuse nothing by its own latest block.
        """
        request, at = call.request, facts.head
        payer = facts.legacy.legacy if facts.legacy is not None and facts.pays_ether else None
        router_call = ContractCall(request.router, call.data)
        # The router logs every claim and check-in, the vault every withdrawal.
        emitter = self._chain.settings.timelock_erc20 if isinstance(request, WithdrawRequest) else request.router
        try:
            outcome = await self._chain.simulate(
                router_call, at=at, sender=self._wallet, gas=most_gas, emitter=emitter, payer=payer
            )
        except ChainUnavailable:
            outcome = None  # some nodes do not answer an unknown method; the plain call decides
        if outcome is None:
            answer = await self._chain.call(router_call, at=at.hash, sender=self._wallet, gas=most_gas)
            if not isinstance(answer, RevertedCall):
                return facts
            outcome = answer
        if isinstance(outcome, SimulatedTransaction):
            return replace(facts, simulated=outcome)
        refused, needs_gas = explain_revert(outcome.data), False
        # A smart wallet without enough gas to check a signature seems to deny the signature.
        if isinstance(refused, SignerMismatch) or refused.code == WOULD_FAIL:
            with suppress(ChainUnavailable):  # not every node lets a call use so much
                answer = await self._chain.call(router_call, at=at.hash, sender=self._wallet, gas=MOST_GAS)
                needs_gas = not isinstance(answer, RevertedCall)
        return replace(facts, revert=outcome.data, succeeds_with_more_gas=needs_gas)

    async def _has_tokens(self, request: ClaimRequest, facts: RequestFacts, legacy: LegacyFacts) -> bool:
        """Return whether a claim could move tokens to its signer. Read only if nothing else shows it."""
        if facts.simulated is not None or facts.pays_ether:
            return False
        if request.signer == legacy.owner:
            return False  # a claim takes tokens from the owner's account: they would only come back
        now, at = facts.head.timestamp, facts.head.hash
        return bool(await self._routers.read_allowed_tokens(request.assets, legacy.owner, legacy.legacy, now, at=at))

    async def _holds_nfts(self, request: WithdrawRequest, simulated: SimulatedTransaction | None) -> bool:
        """Return whether a vault of NFTs has something under this id: by the simulation's logs, else by the index."""
        vaults = {self._chain.settings.timelock_erc721, self._chain.settings.timelock_erc1155}
        if simulated is not None:
            return any(log.address in vaults for log in simulated.logs)
        ids = [request.subject_id]
        found = await self._indexers.ask_indexer(lambda indexer, at: indexer.read_timelocks(ids, at), newest=True)
        if request.subject_id not in found:
            raise IndexerUnavailable("This gift is not indexed yet; try again in a moment.")
        return any(asset.vault in vaults for asset in found[request.subject_id].assets)

    async def _confirm_gas(self, call: SignedCall, facts: RequestFacts, most_gas: int) -> int | None:
        """Return a gas limit that is enough, if it is below the most; None also if the call fails with it anywhere.

        An endpoint whose simulations use too little gas would make good requests fail, and pause their signers.
        """
        request = call.request
        claimed: tuple[str, ...] = ()
        if isinstance(request, ClaimRequest):
            claimed = (*request.assets, ETHER) if request.is_eth else request.assets
        gas = estimate_gas(facts.simulated, request.signer, claimed)
        router_call = ContractCall(request.router, call.data)
        return await confirm_gas(self._chain, router_call, at=facts.head, sender=self._wallet, gas=gas, most=most_gas)


def estimate_gas(simulated: SimulatedTransaction | None, signer: str, claimed: Sequence[str]) -> int | None:
    """Return twice the gas that the simulation used, for all assets of a claim; None where that is not known.

    The double covers refunds (a fifth), the gas that each call keeps back (a sixty-fourth) and changed balances. If the
    simulation pays the signer some of the `claimed` assets only, the payments of each other asset count as much as
    those of a paid asset: a stranger may send the asset before the claim is mined, and the contract then pays it to the
    whole line.
    """
    if simulated is None or simulated.gas_used is None:
        return None
    gas = simulated.gas_used
    if claimed:
        paid = simulated.find_received(signer, claimed) & set(claimed)
        if not paid:
            return None
        payments = max(0, gas - GAS_BESIDE_PAYMENTS)
        gas += payments * (len(claimed) - len(paid)) // len(paid)
    return max(LEAST_GAS_LIMIT, 2 * gas)


async def confirm_gas(
    chain: Chain, call: ContractCall, *, at: BlockHeader, sender: str, gas: int | None, most: int
) -> int | None:
    """Return `gas` if it is below `most` and the call succeeds with it at each responding endpoint; else None."""
    if gas is None or gas >= most:
        return None
    return gas if await chain.succeeds_at_each(call, at=at.hash, sender=sender, gas=gas) else None


def check_request(call: SignedCall, facts: RequestFacts) -> bool:
    """Check a request with a good signature. Return whether it waits behind earlier requests."""
    request, router = call.request, facts.router
    _check_deadline(call, facts.head.timestamp)
    match request:
        case ClaimRequest():
            assert isinstance(router, ClaimFacts)  # noqa: S101 - read for this request
            return _check_claim(request, facts, router)
        case CheckInRequest():
            assert isinstance(router, CheckInFacts)  # noqa: S101
            return _check_check_in(request, facts, router)
        case WithdrawRequest():
            assert isinstance(router, WithdrawFacts)  # noqa: S101
            return _check_withdrawal(request, facts, router)
        case _:
            assert_never(request)


def check_effects(request: Request, facts: RequestFacts) -> None:
    """Check what the call would do. Raises the meaning of its revert, or why its effect is not sponsored."""
    if facts.revert is not None:
        _raise_revert(request, facts, facts.revert)
    if isinstance(request, ClaimRequest):
        if facts.simulated is not None:
            delivers = bool(facts.simulated.find_received(request.signer, request.assets))
        else:
            delivers = facts.pays_ether or facts.has_tokens
        if not delivers:
            detail = "This claim would deliver nothing; check what the legacy may move."
            raise ContractRefused("nothing_to_claim", detail)
    if facts.holds_nfts:
        raise ContractRefused("not_only_whitelisted_tokens", _ONLY_TOKENS)


def _check_deadline(call: SignedCall, now: int) -> None:
    deadline = call.request.deadline
    if deadline < now + LEAST_SECONDS_LEFT:
        raise Expired("The deadline of this signature has passed, or is too near to be met; sign a new one.")
    if call.version == PAYEE_VERSION and deadline > now + MOST_AHEAD_SECONDS:
        detail = "The deadline of a withdrawal may be seven days ahead at most; sign a new one."
        raise ContractRefused("withdraw_deadline_too_far", detail)


def _check_nonce(request: Request, facts: RequestFacts) -> bool:
    """Return whether the request waits behind open requests of its signer."""
    current = facts.router.nonce
    ahead = request.nonce - current
    if ahead < 0:
        raise AlreadyUsed("This signature was already used, or its nonce cancelled; sign a new one.")
    if request.nonce in facts.open_nonces:
        raise NonceMismatch("Another request with this nonce is under way; wait for it, or sign the next nonce.")
    if ahead > MOST_WAITING or not facts.open_nonces.issuperset(range(current, request.nonce)):
        raise NonceMismatch(f"The next nonce of this signer is {current}; sign a new one.")
    return ahead > 0


def _check_legacy(router: ClaimFacts | CheckInFacts, legacy: LegacyFacts | None) -> LegacyFacts:
    if router.legacy is None:
        raise NotAKnownLegacy("The router knows no legacy with this id.")
    if legacy is None:
        raise NotAKnownLegacy("The contract with this id does not answer as a legacy does.")
    return legacy


def _check_claim(request: ClaimRequest, facts: RequestFacts, router: ClaimFacts) -> bool:
    if not request.assets and not request.is_eth:
        raise InvalidInput("Nothing to claim is named.", [FieldFault("/assets", "is empty, and `isETH` is false")])
    if len(set(request.assets)) != len(request.assets):
        raise InvalidInput("A token is named twice.", [FieldFault("/assets", "names a token twice")])
    waits = _check_nonce(request, facts)
    legacy = _check_legacy(router, facts.legacy)
    if router.disabled:
        raise make_refusal("SponsoredClaimsDisabled")
    faults = [
        FieldFault(f"/assets/{index}", "is not a whitelisted token")
        for index, token in enumerate(request.assets)
        if token not in router.whitelist
    ]
    if faults:
        raise InvalidInput("Only claims of whitelisted tokens are sponsored.", faults)
    check_line(legacy, request.signer, facts.head.timestamp)
    return waits


def check_line(legacy: LegacyFacts, signer: str, now: int) -> None:
    """Check that the signer's line is open. Old builds have no triggers: there only the contract knows."""
    members = legacy.members
    lines = (members.beneficiaries, (members.second_line,), (members.third_line,))
    openings = [opens for line, opens in zip(lines, legacy.triggers, strict=True) if signer in line]
    if not openings:
        raise make_refusal("OnlyBeneficaries")
    if now < min(openings):
        name = "LegacyStillActive" if now < legacy.triggers[0] else "CannotClaim"
        raise make_refusal(name, f"The legacy opens for this account {format_opening(min(openings))}.")


def _check_check_in(request: CheckInRequest, facts: RequestFacts, router: CheckInFacts) -> bool:
    waits = _check_nonce(request, facts)
    legacy = _check_legacy(router, facts.legacy)
    if legacy.creator != request.signer:
        raise SignerMismatch("Only the owner of this legacy can check in.")
    if not legacy.is_live:
        raise make_refusal("LegacyIsDeleted")
    if request.deadline > facts.head.timestamp + router.most_ttl:
        raise make_refusal("CheckInDeadlineTooFar")
    if not router.premium:
        raise PremiumRequired("Sponsored check-ins need an active Premium subscription. " + SELF_PAID)
    return waits


def _check_withdrawal(request: WithdrawRequest, facts: RequestFacts, router: WithdrawFacts) -> bool:
    gift = router.details
    if gift is None:
        raise NotFound("There is no such timelock of tokens.")
    if gift.lock_type != GIFT:
        raise ContractRefused("not_a_gift", "Only withdrawals of gifts are sponsored.")
    if gift.recipient != request.signer:
        raise SignerMismatch("This gift is sealed to another account.")
    waits = _check_nonce(request, facts)
    if gift.status != LIVE or not gift.assets:
        raise make_refusal("TimelockNotLive")
    if not {token for token, _ in gift.assets} <= router.whitelist:
        raise ContractRefused("not_only_whitelisted_tokens", _ONLY_TOKENS)
    if gift.unlock_time > facts.head.timestamp:
        raise make_refusal("StillLocked", f"The gift opens {format_opening(gift.unlock_time)}.")
    return waits


def _raise_revert(request: Request, facts: RequestFacts, revert: bytes) -> NoReturn:
    """Raise what the revert means. A claim that fails says whether fewer assets may succeed.

    A legacy stays live until it is deleted or claimed from. Further claims are paid, so only the contract knows.
    """
    is_claim = isinstance(request, ClaimRequest)
    several = isinstance(request, ClaimRequest) and len(request.assets) + request.is_eth > 1
    fewer = "With fewer assets at once it may go through. " if several else ""
    if facts.succeeds_with_more_gas:
        what = "claim" if is_claim else "transaction"
        detail = f"This {what} needs more gas than is sponsored, so it is not sent. {fewer}{SELF_PAID}"
        raise ContractRefused(WOULD_FAIL, detail)
    refused = explain_revert(revert)
    if not is_claim or not isinstance(refused, ContractRefused) or refused.code != WOULD_FAIL:
        raise refused
    if several:
        raise ContractRefused(WOULD_FAIL, f"This claim would fail on chain, so it is not sent. {fewer}".rstrip())
    if facts.legacy is not None and not facts.legacy.is_live:
        raise make_refusal("CannotClaim")
    raise refused
