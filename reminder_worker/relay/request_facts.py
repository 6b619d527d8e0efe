"""Facts of a request: the chain reads of its validation, at one block, in frozen values.

A fact that cannot be read raises `ChainUnavailable`. The rules on these facts are in `validation`.
"""

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import Final

from reminder_worker.chain.client import Chain, ContractCall, RevertedCall
from reminder_worker.chain.contracts.legacies import LegacyFacts, LegacyReads
from reminder_worker.chain.contracts.routers import CheckInFacts, ClaimFacts, RouterReads, WithdrawFacts
from reminder_worker.chain.eip712 import SignatureVerifier
from reminder_worker.chain.simulation import LEAST_PAID_WEI, SimulatedTransaction
from reminder_worker.chain.types import ETHER, MOST_GAS
from reminder_worker.errors import ChainUnavailable, IndexerUnavailable, SignerMismatch
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.relay.authorizations import CheckInRequest, ClaimRequest, SignedCall, WithdrawRequest
from reminder_worker.relay.contract_errors import WOULD_FAIL, refusal
from reminder_worker.relay.validation import CallEffects, RequestFacts, RequestTerms

LEAST_GAS_LIMIT: Final = 100_000
"""The lowest gas limit of a transaction, however little its simulation used."""


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
        signed = SignatureVerifier(self._chain).verify(
            call.digest, request.signature, request.signer, caller=request.router
        )
        head, _ = await asyncio.gather(self._chain.head(), signed)
        router, subject, signer = request.router, request.subject_id, request.signer
        answers: ClaimFacts | CheckInFacts | WithdrawFacts
        legacy: LegacyFacts | None = None
        match request:
            case ClaimRequest():
                answers = await self._routers.claim(router, subject, signer, at=head.hash)
            case CheckInRequest():
                answers = await self._routers.check_in(router, subject, signer, at=head.hash)
            case WithdrawRequest():
                answers = await self._routers.withdraw(router, subject, signer, at=head.hash)
        if not isinstance(answers, WithdrawFacts) and answers.legacy is not None:
            legacy = await LegacyReads(self._chain).facts_of(answers.legacy, router, subject, at=head.hash)
        return RequestFacts(head, answers, legacy, open_nonces)

    async def read_effects(self, call: SignedCall, facts: RequestFacts, terms: RequestTerms) -> CallEffects:
        """Simulate the call, and read what a simulation that is missing would have shown."""
        request, legacy = call.request, facts.legacy
        pays_ether = False
        if isinstance(request, ClaimRequest) and legacy is not None:
            pays_ether = request.is_eth and await self._chain.balance(legacy.legacy) >= LEAST_PAID_WEI
        payer = legacy.legacy if legacy is not None and pays_ether else None
        effects = CallEffects() if terms.waits else await self._simulate(call, facts, terms, payer)
        effects = replace(effects, pays_ether=pays_ether)
        if effects.revert is not None:
            return effects
        if isinstance(request, ClaimRequest) and legacy is not None and effects.simulated is None and not pays_ether:
            effects = replace(effects, has_tokens=await self._has_tokens(request, facts, legacy))
        if isinstance(request, WithdrawRequest):
            effects = replace(effects, holds_nfts=await self._holds_nfts(request, effects.simulated))
        return replace(effects, gas_needed=await self._confirm_gas(call, facts, terms, effects.simulated))

    async def _simulate(
        self, call: SignedCall, facts: RequestFacts, terms: RequestTerms, payer: str | None
    ) -> CallEffects:
        """Simulate the call on top of the block of the facts, else call it. `payer`: the legacy, if it pays ether.

        The block is named since a node that has stopped must refuse nothing by its own latest block.
        """
        request, at = call.request, facts.head
        router_call = ContractCall(request.router, call.data)
        # The router logs every claim and check-in, the vault every withdrawal.
        emitter = self._chain.settings.timelock_erc20 if isinstance(request, WithdrawRequest) else request.router
        try:
            outcome = await self._chain.simulate(
                router_call, at=at, sender=self._wallet, gas=terms.gas_limit, emitter=emitter, payer=payer
            )
        except ChainUnavailable:
            outcome = None  # some nodes do not answer an unknown method; the plain call decides
        if outcome is None:
            answer = await self._chain.call(router_call, at=at.hash, sender=self._wallet, gas=terms.gas_limit)
            if not isinstance(answer, RevertedCall):
                return CallEffects()
            outcome = answer
        if isinstance(outcome, SimulatedTransaction):
            return CallEffects(simulated=outcome)
        refused, needs_gas = refusal(outcome.data), False
        # A smart wallet without enough gas to check a signature seems to deny the signature.
        if isinstance(refused, SignerMismatch) or refused.code == WOULD_FAIL:
            with suppress(ChainUnavailable):  # not every node lets a call use so much
                answer = await self._chain.call(router_call, at=at.hash, sender=self._wallet, gas=MOST_GAS)
                needs_gas = not isinstance(answer, RevertedCall)
        return CallEffects(revert=outcome.data, succeeds_with_more_gas=needs_gas)

    async def _has_tokens(self, request: ClaimRequest, facts: RequestFacts, legacy: LegacyFacts) -> bool:
        """Return whether there are tokens that a claim could move to its signer, where nothing can be simulated."""
        if request.signer == legacy.owner:
            return False  # a claim takes tokens from the owner's account: they would only come back
        now, at = facts.head.timestamp, facts.head.hash
        return bool(await self._routers.allowed_tokens(request.assets, legacy.owner, legacy.legacy, now, at=at))

    async def _holds_nfts(self, request: WithdrawRequest, simulated: SimulatedTransaction | None) -> bool:
        """Return whether a vault of NFTs has something under this id: by the simulation's logs, else by the index."""
        vaults = {self._chain.settings.timelock_erc721, self._chain.settings.timelock_erc1155}
        if simulated is not None:
            return any(log.address in vaults for log in simulated.logs)
        ids = [request.subject_id]
        found = await self._indexers.ask(lambda indexer, at: indexer.timelocks(ids, at))
        if request.subject_id not in found:
            raise IndexerUnavailable("This gift is not indexed yet; try again in a moment.")
        return any(asset.vault in vaults for asset in found[request.subject_id].assets)

    async def _confirm_gas(
        self, call: SignedCall, facts: RequestFacts, terms: RequestTerms, simulated: SimulatedTransaction | None
    ) -> int | None:
        """Return a gas limit that is enough, if it is below the most; None also if the call fails with it anywhere.

        An endpoint whose simulations use too little gas would make good requests fail, and pause their signers.
        """
        request = call.request
        if isinstance(request, ClaimRequest) and simulated and not _pays_all(request, simulated):
            return None
        gas = estimate_gas(simulated)
        if gas is None or gas >= terms.gas_limit:
            return None
        router_call = ContractCall(request.router, call.data)
        at = facts.head.hash
        succeeds = await self._chain.succeeds_at_each(router_call, at=at, sender=self._wallet, gas=gas)
        return gas if succeeds else None


def _pays_all(request: ClaimRequest, simulated: SimulatedTransaction) -> bool:
    """Return whether the claim pays its signer each asset.

    Otherwise anybody can raise its cost: a token that arrives later is paid to the whole line.
    """
    paid = simulated.received(request.signer, request.assets)
    return paid >= {*request.assets, *([ETHER] if request.is_eth else [])}


def estimate_gas(simulated: SimulatedTransaction | None) -> int | None:
    """Return twice the gas that the simulation used; None where that is not known.

    The double covers refunds (a fifth), the gas that each call keeps back (a sixty-fourth) and changed balances.
    """
    if simulated is None or simulated.gas_used is None:
        return None
    return max(LEAST_GAS_LIMIT, 2 * simulated.gas_used)
