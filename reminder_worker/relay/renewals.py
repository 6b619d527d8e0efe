"""Renewals of an owner's timer as relay requests: their digests, and a check for a later reset."""

from typing import Final

from eth_utils.crypto import keccak

from reminder_worker.chain.client import Chain
from reminder_worker.chain.renewals import RenewalReads

MOST_ATTEMPTS: Final = 240  # every six hours of the window, twice over


def renewal_digests(chain_id: int, router: str, legacy_id: int, reset_at: int) -> list[bytes]:
    """Return the digest of each attempt for one reset. The next attempt is used only after the one before failed."""
    reset = f"auto_renew|{chain_id}|{router}|{legacy_id}|{reset_at}"
    return [keccak(text=f"{reset}|{attempt}") for attempt in range(MOST_ATTEMPTS)]


async def was_reset_since(chain: Chain, router: str, legacy_id: int, digest: bytes, *, at: str) -> bool:
    """Return whether the timer was reset after the reset of this renewal: its activity came before the last reset.

    Raises `ChainUnavailable`.
    """
    reset_at = await RenewalReads(chain).reset_of(legacy_id, at=at)
    return reset_at is None or digest not in renewal_digests(chain.chain_id, router, legacy_id, reset_at)
