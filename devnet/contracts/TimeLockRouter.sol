// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Sponsored.sol";
import "./Timelocks.sol";

/// The door of the three vaults, which share its ids. In version 2 a withdrawal can name where it goes.
contract TimeLockRouter is Sponsored, Owned {
    struct ETHSwap {
        address storageToken;
        uint256 amountOutMin;
        uint256 deadline;
    }

    struct InputERC20 {
        address tokenAddress;
        uint256 amount;
    }

    struct InputERC721 {
        address tokenAddress;
        uint256 id;
    }

    struct InputERC1155 {
        address tokenAddress;
        uint256 id;
        uint256 amount;
    }

    struct Gift {
        ETHSwap timelockETHSwap;
        InputERC20[] timelockERC20;
        InputERC721[] timelockERC721;
        InputERC1155[] timelockERC1155;
        uint256 duration;
        address recipient;
        string name;
        string giftName;
    }

    struct WithdrawAuth {
        address recipient;
        uint256 nonce;
        uint256 deadline;
        bytes signature;
    }

    /// Of version 2, where it is called WithdrawAuth too.
    struct WithdrawToAuth {
        address recipient;
        address payTo;
        uint256 nonce;
        uint256 deadline;
        bytes signature;
    }

    event TimelockWithdrawnTo(
        uint256 indexed id, address indexed recipient, address indexed payTo, address relayer, uint256 timestamp
    );

    uint256 private constant MAX_SPONSOR_AUTH_TTL = 7 days;
    bytes32 private constant WITHDRAW_TYPEHASH = keccak256(
        "WithdrawAuth(address recipient,uint256 timelockId,bool skipSwap,uint256 nonce,uint256 deadline)"
    );
    bytes32 private constant WITHDRAW_TO_TYPEHASH = keccak256(
        "WithdrawAuth(address recipient,address payTo,uint256 timelockId,bool skipSwap,uint256 nonce,uint256 deadline)"
    );

    address private immutable weth;
    address private exchange;
    ITokenWhiteList private whitelist;
    TimelockERC20 private erc20;
    TimelockERC721 private erc721;
    TimelockERC1155 private erc1155;
    uint256 public timelockCounter;

    constructor(
        address weth_,
        address exchange_,
        address whitelist_,
        address erc20_,
        address erc721_,
        address erc1155_
    ) Sponsored("10102 Timelock Sponsored") Owned(msg.sender) {
        weth = weth_;
        exchange = exchange_;
        whitelist = ITokenWhiteList(whitelist_);
        _setVaults(erc20_, erc721_, erc1155_);
    }

    function setTimelock(address erc20_, address erc721_, address erc1155_) external onlyOwner {
        _setVaults(erc20_, erc721_, erc1155_);
    }

    function setTokenWhitelist(address whitelist_) external onlyOwner {
        whitelist = ITokenWhiteList(whitelist_);
    }

    function setUniswapRouter(address exchange_) external onlyOwner {
        exchange = exchange_;
    }

    function uniswapRouter() external view returns (address) {
        return exchange;
    }

    function _setVaults(address erc20_, address erc721_, address erc1155_) private {
        erc20 = TimelockERC20(payable(erc20_));
        erc721 = TimelockERC721(erc721_);
        erc1155 = TimelockERC1155(erc1155_);
    }

    function tokenWhitelist() external view returns (address) {
        return address(whitelist);
    }

    function timelockERC20Contract() external view returns (address) {
        return address(erc20);
    }

    function timelockERC721Contract() external view returns (address) {
        return address(erc721);
    }

    function timelockERC1155Contract() external view returns (address) {
        return address(erc1155);
    }

    function createTimelockedGift(Gift calldata gift) external payable {
        _create(gift, LOCK_GIFT, 0);
    }

    /// Regular and soft timelocks, with the gift's shape of arguments for brevity.
    function createTimelock(Gift calldata lock, uint8 lockType, uint256 bufferTime) external payable {
        _create(lock, lockType, bufferTime);
    }

    function unlockSoftTimelock(uint256 id) external {
        if (erc20.lockStatus(id) != STATUS_NULL) erc20.unlockSoftTimelock(id, msg.sender);
        if (erc721.lockStatus(id) != STATUS_NULL) erc721.unlockSoftTimelock(id, msg.sender);
        if (erc1155.lockStatus(id) != STATUS_NULL) erc1155.unlockSoftTimelock(id, msg.sender);
    }

    function withdraw(uint256 id, bool skipSwap) external {
        _withdraw(id, msg.sender, skipSwap);
    }

    function withdrawFor(uint256 id, bool skipSwap, WithdrawAuth calldata auth) external onlyVersion("1") {
        bytes32 structHash =
            keccak256(abi.encode(WITHDRAW_TYPEHASH, auth.recipient, id, skipSwap, auth.nonce, auth.deadline));
        _useAuthorization(auth.recipient, structHash, auth.nonce, auth.deadline, auth.signature);
        _withdraw(id, auth.recipient, skipSwap);
    }

    /// Nothing is known of the deployed errors but the name of one.
    function withdrawFor(uint256 id, bool skipSwap, WithdrawToAuth calldata auth) external onlyVersion("2") {
        address payTo = auth.payTo == address(0) ? auth.recipient : auth.payTo;
        if (payTo == address(this) || payTo == address(erc20) || payTo == address(erc721) || payTo == address(erc1155)) {
            revert InvalidPayee();
        }
        if (auth.deadline > block.timestamp + MAX_SPONSOR_AUTH_TTL) revert();
        bytes32 structHash = keccak256(
            abi.encode(WITHDRAW_TO_TYPEHASH, auth.recipient, auth.payTo, id, skipSwap, auth.nonce, auth.deadline)
        );
        _useAuthorization(auth.recipient, structHash, auth.nonce, auth.deadline, auth.signature);
        _withdrawTo(id, auth.recipient, payTo, skipSwap);
        emit TimelockWithdrawnTo(id, auth.recipient, payTo, msg.sender, block.timestamp);
    }

    function _withdrawTo(uint256 id, address recipient, address payTo, bool skipSwap) private {
        bool isIn20 = erc20.lockStatus(id) != STATUS_NULL;
        bool isIn721 = erc721.lockStatus(id) != STATUS_NULL;
        bool isIn1155 = erc1155.lockStatus(id) != STATUS_NULL;
        if (!isIn20 && !isIn721 && !isIn1155) revert();
        if (isIn20) erc20.withdrawTo(id, recipient, payTo, skipSwap);
        if (isIn721) erc721.withdrawTo(id, recipient, payTo);
        if (isIn1155) erc1155.withdrawTo(id, recipient, payTo);
    }

    /// An id that no vault knows does nothing and does not revert, as deployed.
    function _withdraw(uint256 id, address recipient, bool skipSwap) private {
        if (erc20.lockStatus(id) != STATUS_NULL) erc20.withdraw(id, recipient, skipSwap);
        if (erc721.lockStatus(id) != STATUS_NULL) erc721.withdraw(id, recipient);
        if (erc1155.lockStatus(id) != STATUS_NULL) erc1155.withdraw(id, recipient);
    }

    function _create(Gift calldata gift, uint8 lockType, uint256 bufferTime) private {
        uint256 id = ++timelockCounter;
        Terms memory terms = Terms(
            block.timestamp + gift.duration, bufferTime, msg.sender, gift.recipient, lockType, gift.name
        );
        if (msg.value != 0 || gift.timelockERC20.length != 0) _createERC20(id, gift, terms);
        if (gift.timelockERC721.length != 0) _createERC721(id, gift.timelockERC721, terms);
        if (gift.timelockERC1155.length != 0) _createERC1155(id, gift.timelockERC1155, terms);
    }

    function _createERC20(uint256 id, Gift calldata gift, Terms memory terms) private {
        InputERC20[] calldata inputs = gift.timelockERC20;
        uint256 count = inputs.length + (msg.value == 0 ? 0 : 1);
        address[] memory tokens = new address[](count);
        uint256[] memory amounts = new uint256[](count);
        for (uint256 i; i < inputs.length; i++) {
            (tokens[i], amounts[i]) = (inputs[i].tokenAddress, inputs[i].amount);
            SafeToken.pull(tokens[i], msg.sender, address(erc20), amounts[i]);
        }
        if (msg.value != 0) {
            address token = gift.timelockETHSwap.storageToken;
            (tokens[count - 1], amounts[count - 1]) = (token, _store(token));
        }
        erc20.create(id, terms, tokens, amounts, msg.value != 0);
    }

    /// Wrapped ether is what it was paid with, any other whitelisted token is bought.
    function _store(address token) private returns (uint256) {
        if (token != weth) {
            if (!whitelist.isWhitelisted(token)) revert WrongPayment();
            return Exchange(payable(exchange)).buy{value: msg.value}(token, address(erc20));
        }
        IWETH(weth).deposit{value: msg.value}();
        SafeToken.send(weth, address(erc20), msg.value);
        return msg.value;
    }

    function _createERC721(uint256 id, InputERC721[] calldata inputs, Terms memory terms) private {
        address[] memory tokens = new address[](inputs.length);
        uint256[] memory ids = new uint256[](inputs.length);
        for (uint256 i; i < inputs.length; i++) {
            (tokens[i], ids[i]) = (inputs[i].tokenAddress, inputs[i].id);
            TestERC721(tokens[i]).transferFrom(msg.sender, address(erc721), ids[i]);
        }
        erc721.create(id, terms, tokens, ids);
    }

    function _createERC1155(uint256 id, InputERC1155[] calldata inputs, Terms memory terms) private {
        address[] memory tokens = new address[](inputs.length);
        uint256[] memory ids = new uint256[](inputs.length);
        uint256[] memory amounts = new uint256[](inputs.length);
        for (uint256 i; i < inputs.length; i++) {
            (tokens[i], ids[i], amounts[i]) = (inputs[i].tokenAddress, inputs[i].id, inputs[i].amount);
            TestERC1155(tokens[i]).safeTransferFrom(msg.sender, address(erc1155), ids[i], amounts[i], "");
        }
        erc1155.create(id, terms, tokens, ids, amounts);
    }
}
