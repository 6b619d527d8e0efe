// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Tokens.sol";
import "./Helpers.sol";

uint8 constant LOCK_REGULAR = 0;
uint8 constant LOCK_SOFT = 1;
uint8 constant LOCK_GIFT = 2;

uint8 constant STATUS_NULL = 0;
uint8 constant STATUS_LIVE = 2;
uint8 constant STATUS_ENDED = 3;

struct Terms {
    uint256 unlockTime;
    uint256 bufferTime;
    address owner;
    address recipient;
    uint8 lockType;
    string name;
}

/// What the vaults share: the terms, the soft unlock, and the conditions of a payout.
abstract contract TimelockVault is Owned(msg.sender) {
    event SoftTimelockUnlocked(uint256 indexed timelockId, uint256 newUnlockTime);
    event ChangeStatus(uint256 indexed timelockId, uint8 newStatus);

    address public routerAddresses;
    mapping(uint256 => Terms) internal terms;
    mapping(uint256 => bool) internal unlocked;
    mapping(uint256 => uint8) public lockStatus;

    modifier onlyRouter() {
        if (msg.sender != routerAddresses) revert NotAuthorized();
        _;
    }

    function setRouterAddresses(address router_) external onlyOwner {
        routerAddresses = router_;
    }

    function unlockSoftTimelock(uint256 id, address caller) external onlyRouter {
        Terms storage it = terms[id];
        if (it.owner != caller) revert NotAuthorized();
        if (it.lockType != LOCK_SOFT) revert NotSoftTimelock();
        unlocked[id] = true;
        it.unlockTime = block.timestamp + it.bufferTime;
        emit SoftTimelockUnlocked(id, it.unlockTime);
    }

    function _open(uint256 id, Terms memory terms_) internal {
        terms[id] = terms_;
        lockStatus[id] = STATUS_LIVE;
        emit ChangeStatus(id, STATUS_LIVE);
    }

    /// Anybody may call a vault; only the recipient is ever paid, or whom the router names for them.
    function _close(uint256 id, address recipient, uint256 tokens) internal {
        Terms storage it = terms[id];
        if (lockStatus[id] != STATUS_LIVE) revert TimelockNotLive();
        if (it.recipient != recipient) revert NotAuthorized();
        if (block.timestamp < it.unlockTime || (it.lockType == LOCK_SOFT && !unlocked[id])) revert StillLocked();
        if (tokens == 0) revert NoFundsToWithdraw();
        lockStatus[id] = STATUS_ENDED;
        emit ChangeStatus(id, STATUS_ENDED);
    }
}

/// Stands in for a DEX: 2,500 of any token for one ether. It mints what it sells; these are test tokens.
contract Exchange {
    uint256 private constant TOKENS_PER_ETHER = 2_500;

    receive() external payable {}

    function buy(address token, address to) external payable returns (uint256 amount) {
        amount = msg.value * _unitsPerEther(token) / 1 ether;
        IMintable(token).mint(to, amount);
    }

    /// Of what the caller has sent here just before.
    function sell(address token, uint256 amount) external {
        SafeToken.sendEth(msg.sender, amount * 1 ether / _unitsPerEther(token));
    }

    function _unitsPerEther(address token) private view returns (uint256) {
        return TOKENS_PER_ETHER * 10 ** IMintable(token).decimals();
    }
}

interface IMintable {
    function mint(address to, uint256 amount) external;
    function decimals() external view returns (uint8);
}

contract TimelockERC20 is TimelockVault {
    struct Details {
        address[] tokenAddresses;
        uint256[] amounts;
        uint256 unlockTime;
        uint256 bufferTime;
        address owner;
        bool isSoftLock;
        bool isUnlocked;
        bool withdrawLastAsEth;
        uint8 lockType;
        uint8 lockStatus;
        address recipient;
        string name;
    }

    event TimelockCreated(
        uint256 indexed timelockId,
        address indexed owner,
        address indexed recipient,
        address[] tokenAddresses,
        uint256[] amounts,
        uint256 unlockTime,
        uint256 bufferTime,
        uint8 lockType,
        string name
    );
    event FundsWithdrawn(uint256 indexed timelockId, address indexed recipient);

    address private immutable weth;
    address public uniswapRouter;
    mapping(uint256 => address[]) private tokens;
    mapping(uint256 => uint256[]) private amounts;
    mapping(uint256 => bool) private lastAsEth;

    constructor(address weth_, address exchange_) {
        weth = weth_;
        uniswapRouter = exchange_;
    }

    receive() external payable {}

    function setUniswapRouter(address exchange_) external onlyOwner {
        uniswapRouter = exchange_;
    }

    /// The router has moved the tokens here already.
    function create(
        uint256 id,
        Terms memory terms_,
        address[] memory tokens_,
        uint256[] memory amounts_,
        bool lastAsEth_
    ) external onlyRouter {
        _open(id, terms_);
        tokens[id] = tokens_;
        amounts[id] = amounts_;
        lastAsEth[id] = lastAsEth_;
        emit TimelockCreated(
            id,
            terms_.owner,
            terms_.recipient,
            tokens_,
            amounts_,
            terms_.unlockTime,
            terms_.bufferTime,
            terms_.lockType,
            terms_.name
        );
    }

    function withdraw(uint256 id, address recipient, bool skipSwap) external {
        _withdraw(id, recipient, recipient, skipSwap);
    }

    function withdrawTo(uint256 id, address recipient, address payTo, bool skipSwap) external onlyRouter {
        _withdraw(id, recipient, payTo, skipSwap);
    }

    function _withdraw(uint256 id, address recipient, address payTo, bool skipSwap) private {
        address[] memory tokens_ = tokens[id];
        uint256[] memory amounts_ = amounts[id];
        _close(id, recipient, tokens_.length);
        bool asEth = lastAsEth[id] && !skipSwap;
        delete tokens[id];
        delete amounts[id];
        delete lastAsEth[id];
        for (uint256 i; i < tokens_.length; i++) {
            if (asEth && i == tokens_.length - 1) {
                SafeToken.sendEth(payTo, _toEth(tokens_[i], amounts_[i]));
            } else {
                SafeToken.send(tokens_[i], payTo, amounts_[i]);
            }
        }
        emit FundsWithdrawn(id, recipient);
    }

    /// Wrapped ether is unwrapped, any other token sold.
    function _toEth(address token, uint256 amount) private returns (uint256 received) {
        if (token == weth) {
            IWETH(weth).withdraw(amount);
            return amount;
        }
        received = address(this).balance;
        SafeToken.send(token, uniswapRouter, amount);
        Exchange(payable(uniswapRouter)).sell(token, amount);
        received = address(this).balance - received;
    }

    function getTimelockDetails(uint256 id) external view returns (Details memory) {
        Terms storage it = terms[id];
        return Details(
            tokens[id],
            amounts[id],
            it.unlockTime,
            it.bufferTime,
            it.owner,
            it.lockType == LOCK_SOFT,
            unlocked[id],
            lastAsEth[id],
            it.lockType,
            lockStatus[id],
            it.recipient,
            it.name
        );
    }
}

contract TimelockERC721 is TimelockVault {
    event TimelockCreated(
        uint256 indexed timelockId,
        address indexed owner,
        address indexed recipient,
        address[] tokenAddresses,
        uint256[] tokenIds,
        uint256 unlockTime,
        uint256 bufferTime,
        uint8 lockType,
        string name
    );
    event TokensWithdrawn(uint256 indexed timelockId, address indexed recipient);

    mapping(uint256 => address[]) private tokens;
    mapping(uint256 => uint256[]) private ids;

    function create(uint256 id, Terms memory terms_, address[] memory tokens_, uint256[] memory ids_)
        external
        onlyRouter
    {
        _open(id, terms_);
        tokens[id] = tokens_;
        ids[id] = ids_;
        emit TimelockCreated(
            id,
            terms_.owner,
            terms_.recipient,
            tokens_,
            ids_,
            terms_.unlockTime,
            terms_.bufferTime,
            terms_.lockType,
            terms_.name
        );
    }

    function withdraw(uint256 id, address recipient) external {
        _withdraw(id, recipient, recipient);
    }

    function withdrawTo(uint256 id, address recipient, address payTo) external onlyRouter {
        _withdraw(id, recipient, payTo);
    }

    function _withdraw(uint256 id, address recipient, address payTo) private {
        address[] memory tokens_ = tokens[id];
        uint256[] memory ids_ = ids[id];
        _close(id, recipient, tokens_.length);
        delete tokens[id];
        delete ids[id];
        for (uint256 i; i < tokens_.length; i++) {
            TestERC721(tokens_[i]).transferFrom(address(this), payTo, ids_[i]);
        }
        emit TokensWithdrawn(id, recipient);
    }
}

contract TimelockERC1155 is TimelockVault {
    event TimelockCreated(
        uint256 indexed timelockId,
        address indexed owner,
        address indexed recipient,
        address[] tokenAddresses,
        uint256[] tokenIds,
        uint256[] amounts,
        uint256 unlockTime,
        uint256 bufferTime,
        uint8 lockType,
        string name
    );
    event FundsWithdrawn(uint256 indexed timelockId, address indexed recipient);

    mapping(uint256 => address[]) private tokens;
    mapping(uint256 => uint256[]) private ids;
    mapping(uint256 => uint256[]) private amounts;

    function create(
        uint256 id,
        Terms memory terms_,
        address[] memory tokens_,
        uint256[] memory ids_,
        uint256[] memory amounts_
    ) external onlyRouter {
        _open(id, terms_);
        tokens[id] = tokens_;
        ids[id] = ids_;
        amounts[id] = amounts_;
        emit TimelockCreated(
            id,
            terms_.owner,
            terms_.recipient,
            tokens_,
            ids_,
            amounts_,
            terms_.unlockTime,
            terms_.bufferTime,
            terms_.lockType,
            terms_.name
        );
    }

    function withdraw(uint256 id, address recipient) external {
        _withdraw(id, recipient, recipient);
    }

    function withdrawTo(uint256 id, address recipient, address payTo) external onlyRouter {
        _withdraw(id, recipient, payTo);
    }

    function _withdraw(uint256 id, address recipient, address payTo) private {
        address[] memory tokens_ = tokens[id];
        uint256[] memory ids_ = ids[id];
        uint256[] memory amounts_ = amounts[id];
        _close(id, recipient, tokens_.length);
        delete tokens[id];
        delete ids[id];
        delete amounts[id];
        for (uint256 i; i < tokens_.length; i++) {
            TestERC1155(tokens_[i]).safeTransferFrom(address(this), payTo, ids_[i], amounts_[i], "");
        }
        emit FundsWithdrawn(id, recipient);
    }
}
