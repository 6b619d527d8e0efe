// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Types.sol";

/// Which reminder windows are open. Stateless; one legacy that reverts makes the whole batch revert.
contract PremiumReminderView {
    uint8 private constant BEFORE_ACTIVATION = 1;
    uint8 private constant BEFORE_LAYER2 = 2;
    uint8 private constant BEFORE_LAYER3 = 3;
    uint8 private constant READY_TO_ACTIVATE = 4;
    uint8 private constant LAYER2_READY = 5;
    uint8 private constant LAYER3_READY = 6;

    uint256 public constant defaultNotifyAhead = 7 days;
    IPremiumSetting public immutable setting;

    constructor(address setting_) {
        setting = IPremiumSetting(setting_);
    }

    function dueRemindersBatch(address[] calldata legacies) external view returns (uint8[][] memory windows) {
        windows = new uint8[][](legacies.length);
        for (uint256 i; i < legacies.length; i++) {
            windows[i] = dueReminders(legacies[i]);
        }
    }

    function dueReminders(address legacy) public view returns (uint8[] memory) {
        ILegacy it = ILegacy(legacy);
        address creator = it.creator();
        if (!setting.isPremium(creator) || !it.isLive() || _lacksGuard(it)) return new uint8[](0);
        uint256 ahead = setting.getTimeAhead(creator);
        if (ahead == 0) ahead = defaultNotifyAhead;
        (uint256 t1, uint256 t2, uint256 t3) = it.getTriggerActivationTimestamp();
        uint8 layer = it.getLayer();
        if (layer == 1) {
            uint8 own = block.timestamp >= t1
                ? READY_TO_ACTIVATE
                : block.timestamp + ahead >= t1 ? BEFORE_ACTIVATION : 0;
            return _open(t2 != t1 && block.timestamp + ahead >= t2 ? BEFORE_LAYER2 : 0, own);
        }
        if (layer == 2) {
            return _open(
                t3 != t2 && block.timestamp + ahead >= t3 ? BEFORE_LAYER3 : 0,
                block.timestamp >= t2 ? LAYER2_READY : 0
            );
        }
        return _open(0, LAYER3_READY);
    }

    function _lacksGuard(ILegacy legacy) private view returns (bool) {
        if (legacy.LEGACY_TYPE() != 1) return false;
        bytes memory slot = ISafe(legacy.getLegacyOwner()).getStorageAt(uint256(SAFE_GUARD_SLOT), 1);
        return bytes32(slot) == bytes32(0);
    }

    function _open(uint8 next, uint8 own) private pure returns (uint8[] memory windows) {
        windows = new uint8[]((next == 0 ? 0 : 1) + (own == 0 ? 0 : 1));
        if (own != 0) windows[windows.length - 1] = own;
        if (next != 0) windows[0] = next;
    }
}
