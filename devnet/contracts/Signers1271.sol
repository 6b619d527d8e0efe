// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Helpers.sol";

/// EIP-7702 delegate: the account's own key keeps signing for it, now through ERC-1271.
contract Delegate7702 is IERC1271 {
    receive() external payable {}

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        return Signatures.recover(hash, signature) == address(this)
            ? IERC1271.isValidSignature.selector
            : bytes4(0xffffffff);
    }
}

/// A signer that burns all the gas it is given.
contract GasBurner1271 is IERC1271 {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        uint256 spin;
        while (true) {
            unchecked {
                spin++;
            }
        }
        return bytes4(uint32(spin));
    }
}

contract Reverting1271 is IERC1271 {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        revert("no signature is good enough");
    }
}
