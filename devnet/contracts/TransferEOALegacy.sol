// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Helpers.sol";

/// One legacy of a plain account. Tokens stay in the owner's wallet; a claim pulls them by allowance, for everybody of
/// the claimant's line. The first claim ends the owner's part: no check-in and no edit after it, but further claims.
contract TransferEOALegacy is ILegacy {
    struct Share {
        address user;
        uint96 percent;
    }

    struct Setup {
        uint256 id;
        address owner;
        address whitelist;
        string name;
        Distribution[] distributions;
        ExtraConfig extra;
        address layer2;
        address layer3;
        address pullVault;
    }

    uint128 public constant LEGACY_TYPE = 3;
    uint256 private constant MAX_ASSETS = 50;

    address public router;
    uint64 private lastTimestamp;
    bool private deleted;
    bool private claimed;
    /// Switch of the tests: the first claim leaves no beneficiary on chain.
    bool public emptiesOnClaim;
    address private owner;
    uint96 private id;
    address private layer2;
    uint256 private range;
    address private layer3;
    uint256 private delay2;
    uint256 private delay3;
    address private whitelist;
    Share[] private shares;
    string private name;
    address private vault;

    modifier onlyRouter() {
        if (msg.sender != router) revert OnlyRouter();
        _;
    }

    modifier onlyLive() {
        if (!isLive()) revert LegacyIsDeleted();
        _;
    }

    receive() external payable {}

    function initialize(Setup calldata setup) external {
        if (router != address(0)) revert AlreadyInitialized();
        router = msg.sender;
        lastTimestamp = uint64(block.timestamp);
        owner = setup.owner;
        id = uint96(setup.id);
        whitelist = setup.whitelist;
        layer2 = setup.layer2;
        layer3 = setup.layer3;
        vault = setup.pullVault;
        if (bytes(setup.name).length != 0) name = setup.name;
        _setExtra(setup.extra);
        _setShares(setup.distributions);
    }

    /// False once it was deleted, or claimed from.
    function isLive() public view virtual returns (bool) {
        return !deleted && !claimed;
    }

    /// The vault that the router had when this legacy was made; no other one pulls for it.
    function pullVault() external view virtual returns (address) {
        return vault;
    }

    function creator() public view returns (address) {
        return owner;
    }

    function getLegacyOwner() external view returns (address) {
        return owner;
    }

    function getLegacyId() external view returns (uint256) {
        return id;
    }

    function getLegacyName() external view returns (string memory) {
        return name;
    }

    function getLastTimestamp() external view returns (uint256) {
        return lastTimestamp;
    }

    function getActivationTrigger() external view returns (uint256) {
        return range;
    }

    function getTriggerActivationTimestamp() public view virtual returns (uint256 t1, uint256 t2, uint256 t3) {
        t1 = uint256(lastTimestamp) + range;
        t2 = t1 + delay2;
        t3 = t2 + delay3;
    }

    function getLayer() public view virtual returns (uint8) {
        (, uint256 t2, uint256 t3) = getTriggerActivationTimestamp();
        if (layer3 != address(0) && block.timestamp >= t3) return 3;
        if (layer2 != address(0) && block.timestamp >= t2) return 2;
        return 1;
    }

    function getLegacyBeneficiaries() public view virtual returns (address[] memory users, address, address) {
        users = new address[](shares.length);
        for (uint256 i; i < users.length; i++) {
            users[i] = shares[i].user;
        }
        return (users, layer2, layer3);
    }

    function touch() external onlyRouter onlyLive {
        lastTimestamp = uint64(block.timestamp);
    }

    function end() external onlyRouter onlyLive {
        deleted = true;
    }

    function setEmptiesOnClaim(bool on) external onlyRouter {
        emptiesOnClaim = on;
    }

    function setRange(uint256 newRange) external onlyRouter onlyLive {
        range = newRange;
    }

    function setName(string calldata newName) external onlyRouter onlyLive {
        name = newName;
    }

    function setExtra(ExtraConfig calldata extra) external onlyRouter onlyLive {
        _setExtra(extra);
    }

    function setDistributions(Distribution[] calldata distributions) external onlyRouter onlyLive {
        delete shares;
        _setShares(distributions);
    }

    function setLayer23(uint8 layer, address user) external onlyRouter onlyLive {
        if (layer == 2) layer2 = user;
        else layer3 = user;
    }

    /// Pays everybody of the claimant's line their share of each asset; a claim that moves nothing succeeds.
    function claim(address beneficiary, address[] calldata assets, bool isETH)
        external
        onlyRouter
        returns (uint8 layer)
    {
        if (assets.length > MAX_ASSETS) revert NumAssetsInvalid();
        layer = _openLayer(beneficiary);
        claimed = true;
        for (uint256 i; i < assets.length; i++) {
            if (ITokenWhiteList(whitelist).isWhitelisted(assets[i])) _payLine(assets[i], layer, _movable(assets[i]));
        }
        if (isETH) _payLine(address(0), layer, address(this).balance);
        if (emptiesOnClaim) {
            delete shares;
            layer2 = layer3 = address(0);
        }
    }

    function _openLayer(address beneficiary) private view returns (uint8 layer) {
        if (deleted) revert CannotClaim();
        (uint256 t1, uint256 t2, uint256 t3) = getTriggerActivationTimestamp();
        if (block.timestamp < t1) revert LegacyStillActive();
        for (uint256 i; i < shares.length; i++) {
            if (shares[i].user == beneficiary) return 1;
        }
        if (beneficiary == layer2) layer = 2;
        else if (beneficiary == layer3) layer = 3;
        else revert OnlyBeneficaries();
        if (block.timestamp < (layer == 2 ? t2 : t3)) revert CannotClaim();
    }

    function _movable(address token) private view returns (uint256) {
        uint256 balance = IERC20(token).balanceOf(owner);
        uint256 allowed = IERC20(token).allowance(owner, address(this));
        return allowed < balance ? allowed : balance;
    }

    /// The last of line 1 gets what rounding leaves; a later line is one person, who gets all.
    function _payLine(address asset, uint8 layer, uint256 available) private {
        if (layer != 1) return _pay(asset, layer == 2 ? layer2 : layer3, available);
        uint256 left = available;
        for (uint256 i; i < shares.length; i++) {
            Share memory share = shares[i];
            uint256 amount = i + 1 == shares.length ? left : available * share.percent / 100;
            left -= amount;
            _pay(asset, share.user, amount);
        }
    }

    function _pay(address asset, address user, uint256 amount) private {
        if (amount == 0) return;
        if (asset == address(0)) SafeToken.sendEth(user, amount);
        else SafeToken.pull(asset, owner, user, amount);
    }

    function _setExtra(ExtraConfig calldata extra) private {
        range = extra.lackOfOutgoingTxRange;
        delay2 = extra.delayLayer2;
        delay3 = extra.delayLayer3;
    }

    function _setShares(Distribution[] calldata distributions) private {
        uint256 total;
        for (uint256 i; i < distributions.length; i++) {
            total += distributions[i].percent;
            shares.push(Share(distributions[i].user, uint96(distributions[i].percent)));
        }
        if (total != 100) revert DistributionInvalid();
    }
}
