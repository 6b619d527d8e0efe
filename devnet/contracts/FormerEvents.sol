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

/// Somebody, as PremiumSetting told of them before 2026-06-02.
struct EmailMapping {
    address addr;
    string email;
    string name;
}

/// What PremiumSetting said before 2026-06-02 of who is reminded, and when.
library WithEmails {
    event LegacyReminderUpdated(
        address indexed user,
        uint256 legacyId,
        address legacyAddress,
        uint128 legacyType,
        EmailMapping[] cosigners,
        EmailMapping[] beneficiaries,
        EmailMapping secondLine,
        EmailMapping thirdLine
    );
    event BeneficiariesEmailSync(
        address indexed user, uint256 legacyId, address legacyAddress, uint128 legacyType, EmailMapping[] beneficiaries
    );
    event UserConfigUpdated(address indexed user, string name, string email, uint256 timePriorActivation);
}
