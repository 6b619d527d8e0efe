// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Tokens.sol";

/// An ERC-20 token whose transfers can be made to do harm. Anybody sets how: these are test tokens.
contract HostileToken is TestERC20NoMetadata {
    enum Mode {
        Well,
        BurnsGas,
        RevertsInOddBlocks,
        CallsBack,
        ReturnsNoBoolean,
        ReturnsMuch,
        PaysForNewSlots
    }

    Mode public mode;
    address private target;
    bytes private message;
    /// How often it was let in when it called back.
    uint256 public entered;

    /// `PaysForNewSlots` burns 80,000 gas with each new balance, as EIP-8037 prices a new storage slot.
    /// `ReturnsMuch` says yes, moves nothing and makes its caller pay for copying the answer.
    function setMode(Mode mode_) external {
        mode = mode_;
    }

    /// What a transfer calls first.
    function setCallBack(address target_, bytes calldata message_) external {
        mode = Mode.CallsBack;
        target = target_;
        message = message_;
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        _misbehave(to);
        return super.transfer(to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) public override returns (bool) {
        _misbehave(to);
        return super.transferFrom(from, to, amount);
    }

    function _misbehave(address to) private {
        uint256 spin;
        if (mode == Mode.PaysForNewSlots && balanceOf[to] == 0) {
            uint256 before = gasleft();
            while (before - gasleft() < 80_000) {
                unchecked {
                    spin++;
                }
            }
        }
        while (mode == Mode.BurnsGas) {
            unchecked {
                spin++;
            }
        }
        if (mode == Mode.RevertsInOddBlocks) require(block.number % 2 == 0, "not now");
        if (mode == Mode.CallsBack) {
            (bool ok,) = target.call(message);
            if (ok) entered++;
        }
        if (mode == Mode.ReturnsNoBoolean) {
            assembly {
                mstore(0, 0xbad)
                return(0, 32)
            }
        }
        if (mode == Mode.ReturnsMuch) {
            assembly {
                mstore(0, 1)
                return(0, 300000)
            }
        }
    }
}
