"""Settings of one chain, and which chains count as test chains."""

from collections.abc import Collection

from pydantic import Field

from reminder_worker.settings.groups import SettingsGroup
from reminder_worker.settings.values import (
    Address,
    BlockTag,
    Count,
    Name,
    PriceFeeds,
    SecretUrls,
    SecretWebUrl,
    WebUrl,
)

MAINNET_CHAIN_IDS = frozenset({1})

CONTRACTS = (
    "transfer_eoa_legacy_router",
    "multisig_legacy_router",
    "premium_setting",
    "premium_registry",
    "premium_reminder_view",
    "time_lock_router",
    "timelock_erc20",
    "timelock_erc721",
    "timelock_erc1155",
    "token_white_list",
    "multicall3",
)
"""Of `ChainSettings`, the contracts without which a chain is not served."""


class ChainSettings(SettingsGroup):
    """One chain. In the environment each name starts with `CHAIN_<id>_`; published addresses are presets."""

    chain_id: int = Field(gt=0, exclude=True)
    rpc_urls: SecretUrls = Field(
        min_length=1,
        alias="RPC_URLS",
        description="RPC endpoints, comma separated, best first; three, since two have to agree on what is personal; "
        "one an archive, since pruned nodes lack old logs",
    )
    subgraph_url: SecretWebUrl | None = Field(
        None,
        alias="SUBGRAPH_URL",
        description="graph-node endpoint of the subgraph 0.4 (of older events, too); absent: our own index answers",
    )
    subgraph_max_lag: Count = Field(
        30,
        ge=0,
        alias="SUBGRAPH_MAX_LAG",
        description="blocks an indexer may lag: beyond it our own index answers, and unsent emails wait for it",
    )
    start_block: int = Field(
        ge=0,
        alias="START_BLOCK",
        description="first block the index reads: that of the oldest contract, on mainnet 24589469",
    )
    signal_block: BlockTag = Field(
        "safe",
        alias="SIGNAL_BLOCK",
        description="signals are acted on when this block has them; `latest`: also what a reorganisation undoes",
    )
    log_range: Count = Field(
        5000,
        ge=1,
        alias="LOG_RANGE",
        description="most blocks asked for in one eth_getLogs; shrinks when a node refuses",
    )
    rpc_timeout_seconds: float = Field(
        15.0,  # the watchdog gives all endpoints 25 seconds, and a look has 35: what hangs has failed by then
        gt=0,
        le=20,
        alias="RPC_TIMEOUT",
        description="seconds to wait for one RPC answer, at most 20",
    )
    signature_gas: int = Field(
        500_000,
        ge=50_000,
        alias="SIGNATURE_GAS",
        description="gas a smart wallet may use to check a signature (ERC-1271)",
    )
    name: Name = Field("", alias="NAME", description="the chain's name in emails")
    explorer_url: WebUrl | None = Field(None, alias="EXPLORER_URL", description="block explorer, for operators")
    transfer_eoa_legacy_router: Address = Field(alias="TRANSFER_EOA_LEGACY_ROUTER", description="contract address")
    multisig_legacy_router: Address = Field(alias="MULTISIG_LEGACY_ROUTER", description="contract address")
    premium_setting: Address = Field(alias="PREMIUM_SETTING", description="contract address")
    premium_registry: Address = Field(alias="PREMIUM_REGISTRY", description="contract address")
    premium_reminder_view: Address = Field(alias="PREMIUM_REMINDER_VIEW", description="contract address")
    time_lock_router: Address = Field(alias="TIME_LOCK_ROUTER", description="contract address")
    timelock_erc20: Address = Field(alias="TIMELOCK_ERC20", description="contract address")
    timelock_erc721: Address = Field(alias="TIMELOCK_ERC721", description="contract address")
    timelock_erc1155: Address = Field(alias="TIMELOCK_ERC1155", description="contract address")
    token_white_list: Address = Field(alias="TOKEN_WHITE_LIST", description="contract address")
    multicall3: Address = Field(
        "0xca11bde05977b3631167028862be2a173976ca11",
        alias="MULTICALL3",
        description="Multicall3, the same on every chain",
    )
    upgrade_timelock: Address | None = Field(
        None, alias="UPGRADE_TIMELOCK", description="contract address; absent: the upgrade queue is not watched"
    )
    legacy_pull_vault: Address | None = Field(
        None, alias="LEGACY_PULL_VAULT", description="contract address: pulls for legacies that do not name their vault"
    )
    permit2: Address = Field(
        "0x000000000022d473030f116ddee9f6b43ac78ba3", alias="PERMIT2", description="Permit2, the same on every chain"
    )
    price_feeds: PriceFeeds = Field(
        (),
        alias="PRICE_FEEDS",
        description="Chainlink feeds in US dollars, comma separated: `<token>=<feed>@<heartbeat in seconds>`,"
        " the token an address or `ETH`; absent: no prices",
    )

    @property
    def legacy_routers(self) -> tuple[str, str]:
        return (self.transfer_eoa_legacy_router, self.multisig_legacy_router)

    @property
    def is_test_chain(self) -> bool:
        """Premium costs next to nothing here: anybody could cause emails to any address."""
        return self.chain_id not in MAINNET_CHAIN_IDS


def find_test_chains(chains: Collection[ChainSettings]) -> frozenset[int]:
    """Return test chains served beside mainnet: their free numbers must not enter totals. Empty without mainnet."""
    tests = frozenset(chain.chain_id for chain in chains if chain.is_test_chain)
    return tests if len(tests) < len(chains) else frozenset()
