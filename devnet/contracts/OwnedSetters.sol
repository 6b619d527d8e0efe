// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Helpers.sol";

/// Getters of TimeLockRouter and the vaults, with the setters that their owner may call. Only the owner's has an event.
contract OwnedSetters is Owned {
    address public timelockERC20Contract;
    address public timelockERC721Contract;
    address public timelockERC1155Contract;
    address public tokenWhitelist;
    address public uniswapRouter;
    address public routerAddresses;

    constructor(address owner_, address router_) Owned(owner_) {
        routerAddresses = router_;
    }

    function setTimelock(address erc20, address erc721, address erc1155) external onlyOwner {
        (timelockERC20Contract, timelockERC721Contract, timelockERC1155Contract) = (erc20, erc721, erc1155);
    }

    function setTokenWhitelist(address whitelist) external onlyOwner {
        tokenWhitelist = whitelist;
    }

    function setUniswapRouter(address router) external onlyOwner {
        uniswapRouter = router;
    }

    function setRouterAddresses(address router) external onlyOwner {
        routerAddresses = router;
    }
}
