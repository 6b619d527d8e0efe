// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./MultisigLegacy.sol";

/// The registry and the door of Safe legacies. No event argument is indexed, as deployed.
contract MultisigLegacyRouter {
    struct SafeMainConfig {
        string name;
        string note;
        string[] nickNames;
        address[] beneficiaries;
    }

    struct SafeExtraConfig {
        uint128 minRequiredSignatures;
        uint128 lackOfOutgoingTxRange;
    }

    event MultisigLegacyCreated(
        uint256 legacyId,
        address legacyAddress,
        address guardAddress,
        address creatorAddress,
        address safeAddress,
        SafeMainConfig mainConfig,
        SafeExtraConfig extraConfig,
        uint256 timestamp
    );
    event MultisigLegacyConfigUpdated(
        uint256 legacyId, SafeMainConfig mainConfig, SafeExtraConfig extraConfig, uint256 timestamp
    );
    event MultisigLegacyActivationTriggerUpdated(uint256 legacyId, uint256 lackOfOutgoingTxRange, uint256 timestamp);
    event MultisigLegacyBeneficiariesUpdated(
        uint256 legacyId, string[] nickName, address[] beneficiaries, uint128 minRequiredSignatures, uint256 timestamp
    );
    event MultisigLegacyActivated(
        uint256 legacyId, address[] newSigners, uint256 newThreshold, bool success, uint256 timestamp
    );

    IPremiumSetting private immutable premium;
    uint256 public legacyCounter;
    mapping(uint256 => address) public legacyAddresses;

    constructor(address premium_) {
        premium = IPremiumSetting(premium_);
    }

    function premiumSetting() external view returns (address) {
        return address(premium);
    }

    function createLegacy(address safe, SafeMainConfig calldata mainConfig, SafeExtraConfig calldata extraConfig)
        external
        returns (uint256 legacyId)
    {
        if (!SafeStandIn(payable(safe)).isOwner(msg.sender)) revert OnlyOwner();
        legacyId = ++legacyCounter;
        MultisigLegacy legacy = new MultisigLegacy(legacyId, msg.sender, safe, mainConfig.name);
        legacyAddresses[legacyId] = address(legacy);
        legacy.setRange(extraConfig.lackOfOutgoingTxRange);
        legacy.setBeneficiaries(mainConfig.beneficiaries, extraConfig.minRequiredSignatures);
        emit MultisigLegacyCreated(
            legacyId,
            address(legacy),
            address(legacy.guard()),
            msg.sender,
            safe,
            mainConfig,
            extraConfig,
            block.timestamp
        );
    }

    function setLegacyConfig(
        uint256 legacyId,
        SafeMainConfig calldata mainConfig,
        SafeExtraConfig calldata extraConfig
    ) external {
        MultisigLegacy legacy = _managed(legacyId);
        legacy.setName(mainConfig.name);
        legacy.setRange(extraConfig.lackOfOutgoingTxRange);
        legacy.setBeneficiaries(mainConfig.beneficiaries, extraConfig.minRequiredSignatures);
        emit MultisigLegacyConfigUpdated(legacyId, mainConfig, extraConfig, block.timestamp);
        premium.syncBeneficiaries(address(legacy), mainConfig.beneficiaries);
    }

    function setActivationTrigger(uint256 legacyId, uint256 lackOfOutgoingTxRange) external {
        _managed(legacyId).setRange(lackOfOutgoingTxRange);
        emit MultisigLegacyActivationTriggerUpdated(legacyId, lackOfOutgoingTxRange, block.timestamp);
    }

    function setLegacyBeneficiaries(
        uint256 legacyId,
        string[] calldata nickNames,
        address[] calldata beneficiaries,
        uint128 minRequiredSignatures
    ) external {
        MultisigLegacy legacy = _managed(legacyId);
        legacy.setBeneficiaries(beneficiaries, minRequiredSignatures);
        emit MultisigLegacyBeneficiariesUpdated(
            legacyId, nickNames, beneficiaries, minRequiredSignatures, block.timestamp
        );
        premium.syncBeneficiaries(address(legacy), beneficiaries);
    }

    function deleteLegacy(uint256 legacyId) external {
        MultisigLegacy legacy = _managed(legacyId);
        legacy.end();
        premium.resetConfig(address(legacy));
    }

    function activeLegacy(uint256 legacyId) external {
        MultisigLegacy legacy = _legacy(legacyId);
        (address[] memory signers, uint256 threshold, bool success) = legacy.activate(msg.sender);
        emit MultisigLegacyActivated(legacyId, signers, threshold, success, block.timestamp);
        premium.multisigActivated(address(legacy));
    }

    function _legacy(uint256 legacyId) private view returns (MultisigLegacy) {
        address legacy = legacyAddresses[legacyId];
        if (legacy == address(0)) revert LegacyNotFound();
        return MultisigLegacy(legacy);
    }

    function _managed(uint256 legacyId) private view returns (MultisigLegacy legacy) {
        legacy = _legacy(legacyId);
        if (msg.sender != legacy.creator() && msg.sender != legacy.getLegacyOwner()) revert OnlyOwner();
    }
}
