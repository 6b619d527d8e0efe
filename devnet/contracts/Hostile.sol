// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./TransferEOALegacyRouter.sol";

/// A legacy in the true registry whose reads can be made to fail.
contract RevertingLegacy is TransferEOALegacy {
    enum Mode {
        Well,
        Reverts,
        BurnsGas
    }

    Mode public mode;

    function setMode(Mode mode_) external {
        mode = mode_;
    }

    function getTriggerActivationTimestamp() public view override returns (uint256, uint256, uint256) {
        _misbehave();
        return super.getTriggerActivationTimestamp();
    }

    function getLegacyBeneficiaries() public view override returns (address[] memory, address, address) {
        _misbehave();
        return super.getLegacyBeneficiaries();
    }

    function _misbehave() private view {
        if (mode == Mode.Reverts) revert();
        uint256 spin;
        while (mode == Mode.BurnsGas) {
            unchecked {
                spin++;
            }
        }
    }
}

/// A legacy of a build that had no triggers yet, nor a getter of its vault.
contract OldLegacy is TransferEOALegacy {
    function pullVault() external pure override returns (address) {
        revert();
    }

    function getTriggerActivationTimestamp() public pure override returns (uint256, uint256, uint256) {
        return (0, 0, 0);
    }

    function getLayer() public pure override returns (uint8) {
        return 1;
    }
}

/// Says that it belongs to the true router and that its deployer is the creator; the registry does not know it.
contract FakeLegacy is ILegacy {
    uint128 public constant LEGACY_TYPE = 3;
    address public immutable router;
    address public immutable creator = msg.sender;
    uint256 public immutable getLegacyId;
    address[] private victims;

    constructor(address router_, uint256 id, address[] memory victims_) {
        router = router_;
        getLegacyId = id;
        victims = victims_;
    }

    function getLegacyOwner() external view returns (address) {
        return creator;
    }

    function getLegacyName() external pure returns (string memory) {
        return "Fake";
    }

    function isLive() external pure returns (bool) {
        return true;
    }

    function getLayer() external pure returns (uint8) {
        return 1;
    }

    function getTriggerActivationTimestamp() external view returns (uint256, uint256, uint256) {
        return (block.timestamp, block.timestamp, block.timestamp);
    }

    function getLegacyBeneficiaries() external view returns (address[] memory, address, address) {
        return (victims, address(0), address(0));
    }
}

/// Two claims of one legacy, of two lines, in one transaction.
contract TwoLayerClaimer {
    function claimTwo(
        TransferEOALegacyRouter router,
        uint256 legacyId,
        address[] calldata assets,
        bool isETH,
        TransferEOALegacyRouter.ClaimAuth calldata first,
        TransferEOALegacyRouter.ClaimAuth calldata second
    ) external {
        router.activeLegacyFor(legacyId, assets, isETH, first);
        router.activeLegacyFor(legacyId, assets, isETH, second);
    }
}
