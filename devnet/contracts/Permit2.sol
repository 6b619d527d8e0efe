// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// The allowances of Permit2, placed at the address it has on every chain: an owner permits a spender an amount of a
/// token until a moment, which still counts.
contract Permit2 {
    struct Allowance {
        uint160 amount;
        uint48 expiration;
        uint48 nonce;
    }

    mapping(address owner => mapping(address token => mapping(address spender => Allowance))) public allowance;

    function approve(address token, address spender, uint160 amount, uint48 expiration) external {
        Allowance storage allowed = allowance[msg.sender][token][spender];
        allowed.amount = amount;
        allowed.expiration = expiration == 0 ? uint48(block.timestamp) : expiration;
    }
}

/// The spender that owners permit: it says who may bind legacies to it, and through whom it pulls.
contract LegacyPullVault {
    address public constant PERMIT2 = 0x000000000022D473030F116dDEE9F6B43aC78BA3;
    address public immutable router;

    constructor(address router_) {
        router = router_;
    }
}
