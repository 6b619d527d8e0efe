"""Settings of one chain, the published addresses, and which chains count as test chains."""

from collections.abc import Collection, Sequence

from pydantic import Field, ValidationInfo, field_validator

from reminder_worker.settings.groups import SettingsGroup
from reminder_worker.settings.values import (
    Address,
    Allowances,
    BlockTag,
    Count,
    Name,
    PriceFeeds,
    SecretUrls,
    SecretWebUrl,
    WebUrl,
)

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
    rpc_allowance: Allowances = Field(
        (),
        alias="RPC_ALLOWANCE",
        description="what each of RPC_URLS may be asked, comma separated in their order, an empty place for one without"
        " a limit: Infura's credits a day, Alchemy's compute units a month, others' requests a month; `doctor` warns",
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
        " the token an address or `ETH`; wstETH has stETH's feed and `*stEthPerToken`; absent: no prices",
    )

    @field_validator("rpc_allowance")
    @classmethod
    def _check_places(cls, value: Sequence[int | None], info: ValidationInfo) -> Sequence[int | None]:
        endpoints = len(info.data.get("rpc_urls", ()))
        if value and endpoints and len(value) != endpoints:
            raise ValueError(f"needs a place for each of RPC_URLS: {endpoints}, not {len(value)}")
        return value

    @property
    def shown_name(self) -> str:
        """Return the chain's name for people; a chain without one is named by its id."""
        return self.name or f"chain {self.chain_id}"

    @property
    def legacy_routers(self) -> tuple[str, str]:
        return (self.transfer_eoa_legacy_router, self.multisig_legacy_router)

    @property
    def protocol_contracts(self) -> tuple[str, ...]:
        """Return routers, vaults and their helpers: what is sent to these contracts is lost."""
        served = tuple(getattr(self, name) for name in CONTRACTS)
        return served if self.legacy_pull_vault is None else (*served, self.legacy_pull_vault)

    @property
    def is_test_chain(self) -> bool:
        """Premium costs next to nothing here: anybody could cause emails to any address."""
        return self.chain_id != 1


def find_test_chains(chains: Collection[ChainSettings]) -> frozenset[int]:
    """Return test chains served beside mainnet: their free numbers must not enter totals. Empty without mainnet."""
    tests = frozenset(chain.chain_id for chain in chains if chain.is_test_chain)
    return tests if len(tests) < len(chains) else frozenset()


# Published contract addresses by chain id, as of 2026-08-07: check the live list before deploying.
PRESETS: dict[int, dict[str, str]] = {
    1: {
        "NAME": "Ethereum",
        "EXPLORER_URL": "https://etherscan.io",
        "TRANSFER_EOA_LEGACY_ROUTER": "0x4E81E1Ed3F6684EB948F8956b8787967b1a6275b",
        "MULTISIG_LEGACY_ROUTER": "0x7c7bf503DF70eBE3520f65Cc0Ff1aF093Fa85038",
        "PREMIUM_SETTING": "0x5223E0D4D1f0BE6Bf5De7cA6D2Fa9BFB6447013f",
        "PREMIUM_REGISTRY": "0x44Ae934Ef4a30FF11f9665174dDFa9F0c93bEA27",
        "PREMIUM_REMINDER_VIEW": "0x8A5aF2c367B7420300547b03Be5f4c720C027a4d",
        "TIME_LOCK_ROUTER": "0x2B947E3c348c81409f8e8fc5ef8F65d9dFf76A42",
        "TIMELOCK_ERC20": "0xe809Bbc14bCF4ADd37377547B652DaF70B5939BF",
        "TIMELOCK_ERC721": "0x10CcC41871F73da22f423a1eFbaA5044a8F03F29",
        "TIMELOCK_ERC1155": "0xa29Ac005e8Df0FFfB495c69f2C064c5a5F41261e",
        "TOKEN_WHITE_LIST": "0x7812777A23877159861d3De567DD97f9d9f64FE9",
        "UPGRADE_TIMELOCK": "0xc0Fee69ffAA1d62D701Bb277031CEc0d98AFA4Ad",
        "LEGACY_PULL_VAULT": "0x95F0981026C7e804fD6ba8bE738cA7c380C7f978",
        # ETH and WETH, USDC, USDT, stETH and wstETH, LINK, ENS, GRT; heartbeats as published by Chainlink. No feed of
        # the whitelist's ninth token, SAFE, is known on this chain.
        "PRICE_FEEDS": "ETH=0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419@3600,"
        "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2=0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419@3600,"
        "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48=0x8fFfFfd4AfB6115b954Bd326cbe7B4BA576818f6@86400,"
        "0xdAC17F958D2ee523a2206206994597C13D831ec7=0x3E7d1eAB13ad0104d2750B8863b489D65364e32D@86400,"
        "0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84=0xCfE54B5cD566aB89272946F602D76Ea879CAb4a8@3600,"
        "0x7f39C581F595B53c5cb19bD0b3f8dA6c935E2Ca0=0xCfE54B5cD566aB89272946F602D76Ea879CAb4a8@3600*stEthPerToken,"
        "0x514910771AF9Ca656af840dff83E8264EcF986CA=0x2c1d072e956AFFC0D435Cb7AC38EF18d24d9127c@3600,"
        "0xC18360217D8F7Ab5e7c516566761Ea12Ce7F9D72=0x5C00128d4d1c2F4f652C267d7bcdD7aC99C16E16@86400,"
        "0xc944E90C64B2c07662A292be6244BDf05Cda44a7=0x86cF33a451dE9dc61a2862FD94FF4ad4Bd65A5d2@86400",
    },
    11155111: {
        "NAME": "Sepolia (test network)",
        "EXPLORER_URL": "https://sepolia.etherscan.io",
        "TRANSFER_EOA_LEGACY_ROUTER": "0xF9Eb0EB6B547c67413484FBD9856684F950768A7",
        "MULTISIG_LEGACY_ROUTER": "0x5a160b5fBFeAd9CCE7276E108F7dE614B922C5f5",
        "PREMIUM_SETTING": "0xEA267a1F6D554dD416d26c60eFef9234ebfde95e",
        "PREMIUM_REGISTRY": "0xE243360635cbdA1B092DF9a2acC454Eb04aa70Fb",
        "PREMIUM_REMINDER_VIEW": "0x8260d5f188e3772be590f16DF515241de4B2C965",
        "TIME_LOCK_ROUTER": "0x04FB4160c519578E310ee9cC7b966B88291E5F20",
        "TIMELOCK_ERC20": "0xB7860eA69109142Bcf7ff4BC0FE52460D96a29B8",
        "TIMELOCK_ERC721": "0x01D55e60D5f64b9F720B31F5bd729d3c09ff965E",
        "TIMELOCK_ERC1155": "0x0B8B48b6be196F2C5e761C3b4fF508AD5b57f7b4",
        "TOKEN_WHITE_LIST": "0xE7e5011263e862f964F608C26654edAD25497B8F",
        "UPGRADE_TIMELOCK": "0xFE949165f70becE8EaeA9f39140F377aF47f0875",
        "LEGACY_PULL_VAULT": "0x2FaB98a58211F7FF48F78E8880c0F0e6A5e6E5f3",
        # ETH and WETH, USDC: the feeds that the protocol's own PremiumRegistry uses there
        "PRICE_FEEDS": "ETH=0x694AA1769357215DE4FAC081bf1f309aDC325306@3600,"
        "0x7b79995e5f793A07Bc00c21412e50Ecae098E7f9=0x694AA1769357215DE4FAC081bf1f309aDC325306@3600,"
        "0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238=0xA2F78ab2355fe2f984D808B5CeE7FD0A93D5270E@86400",
    },
}
