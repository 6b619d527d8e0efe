// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./SafeStandIn.sol";

/// The transaction guard of a Safe: every transaction of the Safe is activity.
contract SafeGuard is ISafeGuard {
    address private immutable safe;
    uint256 public lastTimestamp = block.timestamp;

    constructor(address safe_) {
        safe = safe_;
    }

    function checkAfterExecution() external {
        if (msg.sender != safe) revert NotAuthorized();
        lastTimestamp = block.timestamp;
    }
}

/// One legacy of a Safe: its activation makes the beneficiaries owners of the Safe.
contract MultisigLegacy is ILegacy {
    uint128 public constant LEGACY_TYPE = 1;

    address public immutable router = msg.sender;
    address public immutable creator;
    address private immutable safe;
    uint256 private immutable id;
    SafeGuard public immutable guard;
    bool public isLive = true;
    string private name;
    uint256 private range;
    uint128 private required;
    address[] private beneficiaries;

    modifier onlyRouter() {
        if (msg.sender != router) revert OnlyRouter();
        _;
    }

    constructor(uint256 id_, address creator_, address safe_, string memory name_) {
        id = id_;
        creator = creator_;
        safe = safe_;
        name = name_;
        guard = new SafeGuard(safe_);
    }

    function getLegacyOwner() external view returns (address) {
        return safe;
    }

    function getLegacyId() external view returns (uint256) {
        return id;
    }

    function getLegacyName() external view returns (string memory) {
        return name;
    }

    function getLayer() external pure returns (uint8) {
        return 1;
    }

    function getLastTimestamp() public view returns (uint256) {
        return guard.lastTimestamp();
    }

    function getActivationTrigger() external view returns (uint256) {
        return range;
    }

    function getTriggerActivationTimestamp() public view returns (uint256, uint256, uint256) {
        uint256 t1 = getLastTimestamp() + range;
        return (t1, t1, t1);
    }

    function getLegacyBeneficiaries() external view returns (address[] memory, address, address) {
        return (beneficiaries, address(0), address(0));
    }

    function setRange(uint256 newRange) external onlyRouter {
        range = newRange;
    }

    function setName(string calldata newName) external onlyRouter {
        name = newName;
    }

    function setBeneficiaries(address[] calldata users, uint128 minRequiredSignatures) external onlyRouter {
        beneficiaries = users;
        required = minRequiredSignatures;
    }

    function end() external onlyRouter {
        isLive = false;
    }

    /// Ends the legacy and empties its beneficiaries. Reverts with GS104 if the legacy is no module of the Safe.
    function activate(address caller) external onlyRouter returns (address[] memory signers, uint256, bool success) {
        if (!isLive) revert CannotClaim();
        (uint256 t1,,) = getTriggerActivationTimestamp();
        if (block.timestamp < t1) revert LegacyStillActive();
        signers = beneficiaries;
        bool listed;
        for (uint256 i; i < signers.length; i++) {
            listed = listed || signers[i] == caller;
        }
        if (!listed) revert OnlyBeneficaries();
        isLive = false;
        delete beneficiaries;
        SafeStandIn(payable(safe)).addOwners(signers, required);
        return (signers, required, true);
    }
}
