// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Helpers.sol";

/// A smart wallet that may lie about its signatures and misbehave when it is paid. Anybody sets how.
contract HostileWallet is IERC1271 {
    enum Signing {
        OwnKey,
        Anything,
        AnythingUntilBlock,
        Reverts,
        BurnsGas,
        ReturnsMuch
    }
    enum Receiving {
        Takes,
        Reverts,
        BurnsGas,
        CallsBack
    }

    address private immutable key;
    Signing public signing;
    Receiving public receiving;
    /// The last block in which `AnythingUntilBlock` says yes.
    uint256 public untilBlock;
    address private target;
    bytes private message;
    /// How often it was let in when it called back.
    uint256 public entered;

    constructor(address key_) {
        key = key_;
    }

    function setSigning(Signing signing_, uint256 untilBlock_) external {
        signing = signing_;
        untilBlock = untilBlock_;
    }

    function setReceiving(Receiving receiving_) external {
        receiving = receiving_;
    }

    /// What it calls when ETH arrives.
    function setCallBack(address target_, bytes calldata message_) external {
        receiving = Receiving.CallsBack;
        target = target_;
        message = message_;
    }

    receive() external payable {
        if (receiving == Receiving.Reverts) revert("no, thank you");
        if (receiving == Receiving.BurnsGas) _burn();
        if (receiving == Receiving.CallsBack) {
            (bool ok,) = target.call(message);
            if (ok) entered++;
        }
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        if (signing == Signing.Reverts) revert("no signature is good enough");
        if (signing == Signing.BurnsGas) _burn();
        if (signing == Signing.ReturnsMuch) {
            bytes32 yes = bytes32(IERC1271.isValidSignature.selector);
            assembly {
                mstore(0, yes)
                return(0, 300000)
            }
        }
        bool agrees = signing == Signing.OwnKey
            ? Signatures.recover(hash, signature) == key
            : signing == Signing.Anything || block.number <= untilBlock;
        return agrees ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }

    function _burn() private pure {
        uint256 spin;
        while (true) {
            unchecked {
                spin++;
            }
        }
    }
}
