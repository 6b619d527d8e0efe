// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// Shapes, errors and interfaces that several devnet contracts share.

struct Distribution {
    address user;
    uint256 percent;
}

struct MainConfig {
    string name;
    string note;
    string[] nickNames;
    Distribution[] distributions;
}

struct ExtraConfig {
    uint256 lackOfOutgoingTxRange;
    uint256 delayLayer2;
    uint256 delayLayer3;
}

error SponsorshipExpired();
error InvalidSponsorNonce();
error InvalidSponsorSignature();
error SponsoredClaimsDisabled();
error CheckInDeadlineTooFar();
error LegacyStillActive();
error LegacyNotFound();
error LegacyIsDeleted();
error CannotClaim();
error OnlyBeneficaries();
error OnlyOwner();
error NumAssetsInvalid();
error AutoRenewDisabled();
error AutoRenewNotPremium();
error StaleActivityNonce();
error AutoRenewTooEarly();
error AutoRenewTooLate();
error AutoRenewBudgetExhausted();
error NotActivityAttestor();

error NotAuthorized();
error StillLocked();
error TimelockNotLive();
error NotSoftTimelock();
error NoFundsToWithdraw();
error InvalidPayee();

error OnlyRouter();
error OnlyAdmin();
error OnlyPremium();
error AlreadyPremium();
error DistributionInvalid();
error AlreadyInitialized();
error TransferFailed();
error WrongPayment();

interface ILegacy {
    function creator() external view returns (address);
    function getLegacyOwner() external view returns (address);
    function router() external view returns (address);
    function LEGACY_TYPE() external view returns (uint128);
    function getLegacyId() external view returns (uint256);
    function isLive() external view returns (bool);
    function getLayer() external view returns (uint8);
    function getTriggerActivationTimestamp() external view returns (uint256, uint256, uint256);
    function getLegacyBeneficiaries() external view returns (address[] memory, address, address);
}

interface IPremiumSetting {
    function isPremium(address user) external view returns (bool);
    function getTimeAhead(address user) external view returns (uint256);
    function addPremiumTime(address user, uint256 duration) external;
    function ownerReset(address legacy, uint8 layer) external;
    function multisigActivated(address legacy) external;
    function transferActivated(address legacy, uint8 layer) external;
    function syncBeneficiaries(address legacy, address[] calldata beneficiaries) external;
    function resetLine(address legacy, uint8 layer) external;
    function resetConfig(address legacy) external;
}

interface ITokenWhiteList {
    function isWhitelisted(address token) external view returns (bool);
}

interface IERC20 {
    function balanceOf(address account) external view returns (uint256);
    function allowance(address owner, address spender) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

interface IWETH is IERC20 {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

interface IERC1271 {
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4);
}

interface ISafe {
    function getStorageAt(uint256 offset, uint256 length) external view returns (bytes memory);
}

/// @dev The storage slot where a Safe keeps the address of its transaction guard.
bytes32 constant SAFE_GUARD_SLOT = keccak256("guard_manager.guard.address");
