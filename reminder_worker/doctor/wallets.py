"""Findings about our own wallets: keys, chains, balances, caps and the attestor. Shows no key."""

from collections.abc import AsyncIterator, Container
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy.exc import SQLAlchemyError

from reminder_worker.chain.abi import find_selector
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.routers import LEGACY_VERSIONS, TIMELOCK_VERSIONS, RouterReads
from reminder_worker.chain.types import MOST_GAS, ContractCall
from reminder_worker.declarations import FactScope
from reminder_worker.doctor import Finding
from reminder_worker.errors import ChainUnavailable, Misconfigured
from reminder_worker.outbox.messages import checksum_address, format_amount
from reminder_worker.relay.factory import LOW_BALANCE_RENEWALS, relays_on
from reminder_worker.relay.feature import UNFOLLOWED_REQUESTS, WALLETS
from reminder_worker.relay.fees import GasFees, cap_first_fee, compute_reservation, first_fees
from reminder_worker.relay.wallet import FIRST_GAS, load_signer, make_signer, read_usual_gas
from reminder_worker.relay.wallet_monitor import format_relays, pays_for
from reminder_worker.settings import AutoRenewSettings, ChainSettings, RelaySettings, Settings


@dataclass(frozen=True, slots=True)
class WalletCheck:
    """`gas` by lane: the most that one transaction may use."""

    role: str
    address: str
    gas: dict[str, int]
    group: RelaySettings | AutoRenewSettings


async def examine_wallets(settings: Settings, scope: FactScope, silent: Container[int]) -> AsyncIterator[Finding]:
    """`silent` chains are not asked."""
    wallets: list[WalletCheck] = []
    for role, key, group, off in (
        ("relayer", "RELAYER_KEY", settings.relay, "nothing is relayed"),
        ("attestor", "ATTESTOR_KEY", settings.auto_renew, "no timer is renewed"),
    ):
        if group is None:
            yield role, None, f"not configured ({key}): {off}"
            continue
        try:
            address = load_signer(group.key, group.key_password).address
        except Misconfigured as error:
            yield role, False, f"{error}: see {key}; until then {off}"
            continue
        if any(address == other.address for other in wallets):
            yield role, False, f"has the relayer's key: set {key} to another wallet's key; until then {off}"
            continue
        wallets.append(WalletCheck(role, address, _list_gas_limits(group), group))
        yield role, True, f"the key can be read, its address is {checksum_address(address)}"
    for wallet in wallets:
        for fault in _find_refusing_caps(wallet):
            yield f"{wallet.role} caps", False, fault
        for chain in settings.chains:
            if chain.chain_id in silent:
                continue  # its own finding says why
            yield await _examine_balance(settings, scope, chain, wallet)
            if wallet.role == "relayer":
                async for finding in _find_unknown_versions(settings, chain):
                    yield finding
    async for finding in _find_stopped_wallets(scope, wallets):
        yield finding
    yield _examine_alerts(settings)


def list_own_wallets(settings: Settings) -> list[str]:
    """Return the addresses of the wallets with usable keys."""
    found = []
    for group in (settings.relay, settings.auto_renew):
        with suppress(Misconfigured):  # told by `examine_wallets`
            found += [make_signer(group.key, group.key_password).address] if group else []
    return found


def _list_gas_limits(group: RelaySettings | AutoRenewSettings) -> dict[str, int]:
    if isinstance(group, AutoRenewSettings):
        return {"AUTO_RENEW_GAS": group.gas}
    return {
        "RELAY_CLAIM_GAS": group.claim_gas,
        "RELAY_CHECK_IN_GAS": group.check_in_gas,
        "RELAY_GIFT_GAS": group.gift_gas,
    }


def _find_refusing_caps(wallet: WalletCheck) -> list[str]:
    """Return the settings that would refuse every request of a lane."""
    group, faults = wallet.group, []
    prefix = "RELAY" if isinstance(group, RelaySettings) else "AUTO_RENEW"
    dearest = cap_first_fee(group.gas_price_ceiling_wei)
    for name, gas in wallet.gas.items():
        needed = compute_reservation(gas, GasFees(dearest, 1), group.gas_price_ceiling_wei)
        if gas > MOST_GAS:
            faults.append(f"{name} is above the most gas of one transaction ({MOST_GAS})")
        if group.daily_wei_cap < needed:
            cap = f"{prefix}_DAILY_WEI_CAP"
            faults.append(
                f"{cap} is less than one transaction of {name} reserves at the gas price ceiling ({needed} wei)"
            )
    if group.daily_count_cap == 0:
        faults.append(f"{prefix}_DAILY_COUNT_CAP is 0: nothing is ever sent")
    if isinstance(group, RelaySettings):
        each = {
            "LEGACY": (group.per_legacy, "no claim and no check-in is ever sent"),
            "GIFT": (group.per_gift, "no gift is ever opened for anybody"),
            "SIGNER": (group.per_signer, "nothing is ever sent"),
            "CREATOR": (group.per_creator, "nothing is ever sent"),
        }
        faults += [f"RELAY_PER_{name} is 0: {words}" for name, (cap, words) in each.items() if cap == 0]
    return faults


async def _examine_balance(
    settings: Settings, scope: FactScope, chain_settings: ChainSettings, wallet: WalletCheck
) -> Finding:
    part = f"{wallet.role} on chain {chain_settings.chain_id}"
    if not relays_on(settings, chain_settings.chain_id):
        return part, None, "off: this chain may charge a fee for data beside the gas"
    try:
        async with Chain(chain_settings) as chain:
            balance = await chain.get_balance(wallet.address)
            base_fee, tip = await chain.get_fees()
            code = await chain.get_code(wallet.address)
            other = await _find_other_attestor(chain, wallet.address) if wallet.role == "attestor" else None
            if other:
                return part, False, f"the router's attestor is {other}: see ATTESTOR_KEY"
    except ChainUnavailable as error:
        return part, False, f"{error}: see CHAIN_{chain_settings.chain_id}_RPC_URLS"
    if code:  # the code of a plain account is a delegation, signed by its key
        shown = checksum_address(wallet.address)
        words = f"{shown} is delegated to a contract (EIP-7702) that may spend the wallet's ETH and nonces"
        return part, False, f"{words}: end the delegation or use a new key, and find out who signed the delegation"
    price, ceiling = base_fee + tip, wallet.group.gas_price_ceiling_wei
    count = pays_for(balance, price, ceiling, await _read_usual_gas(scope, chain_settings.chain_id, wallet))
    words = f"holds {format_amount(balance, 18)} ETH, which pays for {format_relays(count)} at today's price"
    if first_fees(base_fee, tip, ceiling) is None:
        most = f"{cap_first_fee(ceiling)}, which leaves dearer offers room below the ceiling"
        return part, False, f"{words}; gas costs {price} wei, more than {most}: requests wait"
    enough = wallet.group.low_balance_relays if isinstance(wallet.group, RelaySettings) else LOW_BALANCE_RENEWALS
    if count < enough:
        return part, False, f"{words}, fewer than {enough}: send ETH to {checksum_address(wallet.address)}"
    return part, True, words


async def _find_unknown_versions(settings: Settings, chain_settings: ChainSettings) -> AsyncIterator[Finding]:
    """Report routers with an unknown version of their EIP-712 domain."""
    if not relays_on(settings, chain_settings.chain_id):
        return
    routers = {
        "TransferEOALegacyRouter": (chain_settings.transfer_eoa_legacy_router, LEGACY_VERSIONS),
        "TimeLockRouter": (chain_settings.time_lock_router, TIMELOCK_VERSIONS),
    }
    async with Chain(chain_settings) as chain:
        reads = RouterReads(chain)
        for name, (router, known) in routers.items():
            part = f"{name} on chain {chain_settings.chain_id}"
            try:
                version = (await reads.read_domain(router)).version
            except ChainUnavailable as error:
                yield part, False, f"{error}: see CHAIN_{chain_settings.chain_id}_RPC_URLS; or was it upgraded?"
                continue
            if version not in known:
                words = f"was upgraded: its domain has version {version!r}, known here is {' and '.join(known)}"
                yield part, False, f"{words}; nothing is relayed for it until this service is updated"


async def _find_other_attestor(chain: Chain, address: str) -> str | None:
    """Return the attestor of the router if it is another address."""
    router = chain.settings.transfer_eoa_legacy_router
    answer = await chain.call(ContractCall(router, find_selector("TransferEOALegacyRouter", "activityAttestor")))
    if not isinstance(answer, bytes) or len(answer) != 32:
        return "unknown to the router (no timers are renewed)"
    found = "0x" + answer[-20:].hex()
    return None if found == address else checksum_address(found)


async def _read_usual_gas(scope: FactScope, chain_id: int, wallet: WalletCheck) -> int:
    with suppress(SQLAlchemyError, OSError):  # the database's own finding says why
        async with scope.engine.connect() as connection:
            return await read_usual_gas(connection, {"chain_id": chain_id, "wallet": wallet.address})
    return FIRST_GAS


async def _find_stopped_wallets(scope: FactScope, wallets: list[WalletCheck]) -> AsyncIterator[Finding]:
    """Report stopped wallets, and requests without a wallet's key or a chain."""
    roles = {wallet.address: wallet.role for wallet in wallets}
    try:
        states, unfollowed = await WALLETS.read(scope), await UNFOLLOWED_REQUESTS.read(scope)
    except SQLAlchemyError:
        return  # the database's own finding says why
    for state in states:
        if state.address in roles and state.stopped:
            role = roles[state.address]
            command = f"reminder-worker relay resume --wallet {role} --chain {state.chain_id}"
            words = f"stopped ({state.stopped}): see the runbook, then `{command}`"
            yield f"{role} on chain {state.chain_id}", False, words
    for requests in unfollowed:
        lacks = "the chain is not among CHAINS" if requests.ours else "its key is not configured"
        words = f"{requests.count} requests of it are open and {lacks}: nothing follows them, see the runbook"
        yield f"wallet {checksum_address(requests.wallet)} on chain {requests.chain_id}", False, words


def _examine_alerts(settings: Settings) -> Finding:
    if settings.ops.email is None:
        return "alerts", None, "go to the service log only (OPS_EMAIL is not set)"
    if settings.mail is None:
        return "alerts", False, "OPS_EMAIL is set, but no mail service: see MAIL_URL, MAIL_TOKEN"
    return "alerts", True, "go to the service log and to OPS_EMAIL"
