// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Helpers.sol";

interface ISafeGuard {
    function checkAfterExecution() external;
}

/// A small wallet with the parts of a Safe that a legacy meets: owners, a module, a guard slot, ERC-1271.
contract SafeStandIn is ISafe, IERC1271 {
    address[] private owners;
    uint256 public getThreshold;
    mapping(address => bool) public isOwner;
    mapping(address => bool) public isModuleEnabled;
    mapping(bytes32 => bool) public signedMessages;

    modifier onlySelf() {
        if (msg.sender != address(this)) revert NotAuthorized();
        _;
    }

    constructor(address[] memory owners_, uint256 threshold) {
        _addOwners(owners_, threshold);
    }

    receive() external payable {}

    function getOwners() external view returns (address[] memory) {
        return owners;
    }

    /// Any owner executes alone; afterwards the guard, when installed, hears of it.
    function execute(address to, uint256 value, bytes calldata data) external returns (bytes memory) {
        if (!isOwner[msg.sender]) revert NotAuthorized();
        address guard = _guard();
        (bool ok, bytes memory answer) = to.call{value: value}(data);
        if (!ok) {
            assembly {
                revert(add(answer, 32), mload(answer))
            }
        }
        if (guard != address(0)) ISafeGuard(guard).checkAfterExecution();
        return answer;
    }

    function setGuard(address guard) external onlySelf {
        bytes32 slot = SAFE_GUARD_SLOT;
        assembly {
            sstore(slot, guard)
        }
    }

    function enableModule(address module) external onlySelf {
        isModuleEnabled[module] = true;
    }

    /// A Safe takes the module before it in its list, too.
    function disableModule(address, address module) external onlySelf {
        isModuleEnabled[module] = false;
    }

    function addOwners(address[] calldata users, uint256 threshold) external {
        require(isModuleEnabled[msg.sender], "GS104");
        _addOwners(users, threshold);
    }

    function getStorageAt(uint256 offset, uint256 length) external view returns (bytes memory words) {
        words = new bytes(length * 32);
        for (uint256 i; i < length; i++) {
            assembly {
                mstore(add(add(words, 32), mul(i, 32)), sload(add(offset, i)))
            }
        }
    }

    function signMessage(bytes32 hash) external onlySelf {
        signedMessages[hash] = true;
    }

    /// As a Safe: what was signed on chain has an empty signature.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        bool agrees = signature.length == 0 ? signedMessages[hash] : isOwner[Signatures.recover(hash, signature)];
        return agrees ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }

    function _guard() private view returns (address guard) {
        bytes32 slot = SAFE_GUARD_SLOT;
        assembly {
            guard := sload(slot)
        }
    }

    function _addOwners(address[] memory users, uint256 threshold) private {
        for (uint256 i; i < users.length; i++) {
            if (users[i] == address(0) || isOwner[users[i]]) continue;
            isOwner[users[i]] = true;
            owners.push(users[i]);
        }
        getThreshold = threshold;
    }
}
