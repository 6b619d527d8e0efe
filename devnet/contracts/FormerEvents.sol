// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Types.sol";

/// How the router announced a legacy before 2026-07-27.
library BeforeV2 {
    event TransferEOALegacyCreated(
        uint256 indexed legacyId,
        address legacyAddress,
        address creatorAddress,
        MainConfig mainConfig,
        ExtraConfig extraConfig,
        uint256 timestamp
    );
}

/// The same of its first build on mainnet, which indexed no field of any event.
library FirstBuild {
    event TransferEOALegacyCreated(
        uint256 legacyId,
        address legacyAddress,
        address creatorAddress,
        MainConfig mainConfig,
        ExtraConfig extraConfig,
        uint256 timestamp
    );
}
