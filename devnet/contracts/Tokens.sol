// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Types.sol";

/// Balances and allowances; the variants below differ in what they return and how they describe themselves.
abstract contract TokenCore {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    /// Anybody mints: these are test tokens.
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function _mint(address to, uint256 amount) internal {
        totalSupply += amount;
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function _approve(address spender, uint256 amount) internal {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
    }

    function _move(address from, address to, uint256 amount) internal {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
    }

    function _spend(address from, address to, uint256 amount) internal {
        if (allowance[from][msg.sender] != type(uint256).max) allowance[from][msg.sender] -= amount;
        _move(from, to, amount);
    }
}

/// No name, no symbol, no decimals.
contract TestERC20NoMetadata is TokenCore {
    function approve(address spender, uint256 amount) external returns (bool) {
        _approve(spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) public virtual returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) public virtual returns (bool) {
        _spend(from, to, amount);
        return true;
    }
}

contract TestERC20 is TestERC20NoMetadata {
    string public name;
    string public symbol;
    uint8 public immutable decimals;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
    }
}

/// The style of wstETH: one token is worth a growing amount of another.
contract TestWrappedStETH is TestERC20 {
    uint256 public stEthPerToken = 1.2 ether;

    constructor() TestERC20("Wrapped liquid staked Ether 2.0", "wstETH", 18) {}

    function setRate(uint256 rate) external {
        stEthPerToken = rate;
    }
}

/// The old style: name and symbol are bytes32.
contract TestERC20Bytes32 is TestERC20NoMetadata {
    bytes32 public constant name = "Old Token";
    bytes32 public constant symbol = "OLD";
    uint8 public constant decimals = 18;
}

/// The style of USDT: transfers and approvals return nothing.
contract TestERC20NoReturn is TokenCore {
    string public name;
    string public symbol;
    uint8 public immutable decimals;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
    }

    function approve(address spender, uint256 amount) external {
        _approve(spender, amount);
    }

    function transfer(address to, uint256 amount) external {
        _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external {
        _spend(from, to, amount);
    }
}

contract WETH9 is TestERC20("Wrapped Ether", "WETH", 18) {
    event Deposit(address indexed dst, uint256 wad);
    event Withdrawal(address indexed src, uint256 wad);

    receive() external payable {
        deposit();
    }

    function deposit() public payable {
        balanceOf[msg.sender] += msg.value;
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        emit Withdrawal(msg.sender, amount);
        (bool ok,) = msg.sender.call{value: amount}("");
        if (!ok) revert TransferFailed();
    }
}

contract TestERC721 {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    mapping(uint256 => address) public ownerOf;
    mapping(address => mapping(address => bool)) public isApprovedForAll;

    function mint(address to, uint256 id) external {
        ownerOf[id] = to;
        emit Transfer(address(0), to, id);
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
    }

    function transferFrom(address from, address to, uint256 id) external {
        if (ownerOf[id] != from || (msg.sender != from && !isApprovedForAll[from][msg.sender])) revert NotAuthorized();
        ownerOf[id] = to;
        emit Transfer(from, to, id);
    }
}

contract TestERC1155 {
    event TransferSingle(
        address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value
    );

    mapping(address => mapping(uint256 => uint256)) public balanceOf;
    mapping(address => mapping(address => bool)) public isApprovedForAll;

    function mint(address to, uint256 id, uint256 amount) external {
        balanceOf[to][id] += amount;
        emit TransferSingle(msg.sender, address(0), to, id, amount);
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
    }

    function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes calldata) external {
        if (msg.sender != from && !isApprovedForAll[from][msg.sender]) revert NotAuthorized();
        balanceOf[from][id] -= amount;
        balanceOf[to][id] += amount;
        emit TransferSingle(msg.sender, from, to, id, amount);
    }
}

contract TokenWhiteList is ITokenWhiteList {
    event TokenAdded(address token);
    event TokenRemoved(address token);

    address private immutable admin = msg.sender;
    address[] private tokens;
    mapping(address => bool) public isWhitelisted;

    /// As deployed, a removed token leaves an empty place at the end.
    function getWhitelist() external view returns (address[] memory listed) {
        listed = new address[](tokens.length);
        uint256 count;
        for (uint256 i; i < tokens.length; i++) {
            if (isWhitelisted[tokens[i]]) listed[count++] = tokens[i];
        }
    }

    function addToken(address token) external {
        if (msg.sender != admin) revert OnlyAdmin();
        if (isWhitelisted[token]) return;
        isWhitelisted[token] = true;
        tokens.push(token);
        emit TokenAdded(token);
    }

    function removeToken(address token) external {
        if (msg.sender != admin) revert OnlyAdmin();
        isWhitelisted[token] = false;
        emit TokenRemoved(token);
    }
}
