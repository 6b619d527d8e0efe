"""Puts the contracts on a local chain."""

from dataclasses import dataclass
from typing import Any

from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak

from devnet.chain import Anvil
from devnet.compile import ContractArtifact, load_contracts
from reminder_worker.settings.chains import CONTRACTS

MULTICALL3 = "0xca11bde05977b3631167028862be2a173976ca11"
PERMIT2 = "0x000000000022d473030f116ddee9f6b43ac78ba3"
# The first of anvil's own funded accounts; anvil signs for it.
DEPLOYER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
HOUR = 3600
DAY = 24 * HOUR
YEAR = 365 * DAY
ETHER = "ETH"  # as a token of PRICE_FEEDS
STANDARD_PLAN = 1
CUSTOM_PLAN = 2
UPGRADE_DELAY = 48 * HOUR
ADMIN_SLOT = "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103"  # ERC-1967: a proxy's admin


@dataclass(frozen=True, slots=True)
class Deployment:
    """The addresses of one deployment, lower case; nothing of it is older than `start_block`."""

    start_block: int
    attestor: str
    upgrade_timelock: str
    premium_proxy_admin: str
    transfer_eoa_legacy_router: str
    multisig_legacy_router: str
    premium_setting: str
    premium_registry: str
    premium_reminder_view: str
    time_lock_router: str
    timelock_erc20: str
    timelock_erc721: str
    timelock_erc1155: str
    token_white_list: str
    legacy_pull_vault: str
    multicall3: str
    weth: str
    usdc: str
    usdt: str
    dai: str
    eth_usd_feed: str
    usdc_usd_feed: str
    no_metadata_token: str
    bytes32_token: str
    hostile_symbol_token: str
    long_symbol_token: str
    erc721: str
    erc1155: str
    two_layer_claimer: str
    delegate_7702: str
    gas_burner_1271: str
    reverting_1271: str
    reverting_legacy_code: str
    old_legacy_code: str

    def settings_environ(self, chain_id: int, rpc_url: str) -> dict[str, str]:
        """The environment variables that point the service at this deployment."""
        values = {"RPC_URLS": rpc_url, "START_BLOCK": str(self.start_block)}
        values |= {name.upper(): getattr(self, name) for name in (*CONTRACTS, "legacy_pull_vault")}
        return {f"CHAIN_{chain_id}_{name}": value for name, value in values.items()}

    def upgrade_environ(self, chain_id: int) -> dict[str, str]:
        """Return the setting that switches on the upgrade watch."""
        return {f"CHAIN_{chain_id}_UPGRADE_TIMELOCK": self.upgrade_timelock}

    def price_environ(self, chain_id: int) -> dict[str, str]:
        """Return the setting of prices: a feed for ETH and WETH, a second for USDC."""
        feeds = (
            (ETHER, self.eth_usd_feed, HOUR),
            (self.weth, self.eth_usd_feed, HOUR),
            (self.usdc, self.usdc_usd_feed, DAY),
        )
        return {f"CHAIN_{chain_id}_PRICE_FEEDS": ",".join(f"{token}={feed}@{beat}" for token, feed, beat in feeds)}


def named_account(label: str) -> LocalAccount:
    """The same account for the same label, on every chain."""
    account: LocalAccount = Account.from_key(keccak(text=f"devnet account {label}"))
    return account


def deploy(anvil: Anvil, attestor: str | None = None) -> Deployment:
    """Deploy and connect everything, from the chain's first account. Takes well under three seconds.

    `attestor` is who may renew; the account of that name unless given.
    """
    attestor = attestor or named_account("attestor").address
    contracts = load_contracts()
    start_block = anvil.block_number()

    def put(name: str, *args: Any) -> str:
        return deploy_contract(anvil, contracts[name], *args)

    anvil.set_code(MULTICALL3, contracts["Multicall3"].deployed_bytecode)
    anvil.set_code(PERMIT2, contracts["Permit2"].deployed_bytecode)
    weth = put("WETH9")
    usdc = put("TestERC20", "USD Coin", "USDC", 6)
    usdt = put("TestERC20NoReturn", "Tether USD", "USDT", 6)
    dai = put("TestERC20", "Dai Stablecoin", "DAI", 18)
    no_metadata = put("TestERC20NoMetadata")
    bytes32_token = put("TestERC20Bytes32")
    hostile = put("TestERC20", "<b>free</b>", '<a href="https://evil.example">CLAIM\u202e\r\nBcc: x</a>', 18)
    long_symbol = put("TestERC20", "Long", "X" * 4000, 255)
    whitelist = put("TokenWhiteList")
    proposer = named_account("proposer").address
    upgrade_timelock = put("TimelockController", UPGRADE_DELAY, [proposer], [proposer], "0x" + "00" * 20)
    nothing = bytes.fromhex(contracts["PremiumSetting"].encode("isPremium", proposer)[2:])  # a proxy asks for some call
    premium = put("TransparentUpgradeableProxy", put("PremiumSetting"), upgrade_timelock, nothing)
    feed = put("PriceFeed", "ETH / USD", 8, 2_500 * 10**8)
    registry = put("PremiumRegistry", premium, feed, usdc, usdt)
    eoa_router = put("TransferEOALegacyRouter", premium, whitelist, attestor)
    multisig_router = put("MultisigLegacyRouter", premium)
    exchange = put("Exchange")
    vaults = [put("TimelockERC20", weth, exchange), put("TimelockERC721"), put("TimelockERC1155")]
    time_lock_router = put("TimeLockRouter", weth, exchange, whitelist, *vaults)
    deployment = Deployment(
        start_block=start_block,
        attestor=attestor.lower(),
        upgrade_timelock=upgrade_timelock,
        premium_proxy_admin="0x" + anvil.rpc("eth_getStorageAt", premium, ADMIN_SLOT, "latest")[-40:],
        transfer_eoa_legacy_router=eoa_router,
        multisig_legacy_router=multisig_router,
        premium_setting=premium,
        premium_registry=registry,
        premium_reminder_view=put("PremiumReminderView", premium),
        time_lock_router=time_lock_router,
        timelock_erc20=vaults[0],
        timelock_erc721=vaults[1],
        timelock_erc1155=vaults[2],
        token_white_list=whitelist,
        legacy_pull_vault=put("LegacyPullVault", eoa_router),
        multicall3=MULTICALL3,
        weth=weth,
        usdc=usdc,
        usdt=usdt,
        dai=dai,
        eth_usd_feed=feed,
        usdc_usd_feed=put("PriceFeed", "USDC / USD", 8, 10**8),
        no_metadata_token=no_metadata,
        bytes32_token=bytes32_token,
        hostile_symbol_token=hostile,
        long_symbol_token=long_symbol,
        erc721=put("TestERC721"),
        erc1155=put("TestERC1155"),
        two_layer_claimer=put("TwoLayerClaimer"),
        delegate_7702=put("Delegate7702"),
        gas_burner_1271=put("GasBurner1271"),
        reverting_1271=put("Reverting1271"),
        reverting_legacy_code=put("RevertingLegacy"),
        old_legacy_code=put("OldLegacy"),
    )
    _connect(anvil, deployment, contracts)
    return deployment


def keep_prices(anvil: Anvil, it: Deployment) -> None:
    """Feeds that follow the chain's clock: ether within half a percent, a dollar coin within a tenth."""
    encode = load_contracts()["PriceFeed"].encode
    for feed, every, wobble in ((it.eth_usd_feed, HOUR, 5_000), (it.usdc_usd_feed, DAY, 1_000)):
        anvil.transact({"from": DEPLOYER, "to": feed, "data": encode("keepFresh", every, wobble)})


def deploy_contract(anvil: Anvil, artifact: ContractArtifact, *args: Any) -> str:
    """Deploy one contract from the chain's first account; its address."""
    receipt = anvil.transact({"from": DEPLOYER, "data": artifact.deployment(*args)})
    address: str = receipt["contractAddress"].lower()
    return address


def _connect(anvil: Anvil, it: Deployment, contracts: dict[str, ContractArtifact]) -> None:
    def call(contract: str, address: str, function: str, *args: Any) -> None:
        anvil.transact({"from": DEPLOYER, "to": address, "data": contracts[contract].encode(function, *args)})

    routers = (it.transfer_eoa_legacy_router, it.multisig_legacy_router)
    call("PremiumSetting", it.premium_setting, "connect", it.premium_registry, *routers)
    call("TransferEOALegacyRouter", it.transfer_eoa_legacy_router, "setPullVault", it.legacy_pull_vault)
    call("PremiumRegistry", it.premium_registry, "setPlan", STANDARD_PLAN, YEAR, 99 * 10**6)
    for vault in (it.timelock_erc20, it.timelock_erc721, it.timelock_erc1155):
        call("TimelockVault", vault, "setRouterAddresses", it.time_lock_router)
    for token in (it.weth, it.usdc, it.usdt, it.dai, it.no_metadata_token, it.bytes32_token):
        call("TokenWhiteList", it.token_white_list, "addToken", token)
