// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Helpers.sol";

/// One legacy of a plain account. Tokens stay in the owner's wallet; a claim pulls them by allowance.
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
    }

    uint128 public constant LEGACY_TYPE = 3;
    uint256 private constant MAX_ASSETS = 50;

    address public router;
    uint64 private lastTimestamp;
    bool public isLive;
    /// Switch of the tests: the first claim ends the legacy and leaves no beneficiary on chain.
    bool public emptiesOnClaim;
    address private owner;
    uint96 private id;
    address private layer2;
    uint96 private range;
    address private layer3;
    uint48 private delay2;
    uint48 private delay3;
    address private whitelist;
    Share[] private shares;
    string private name;
    mapping(bytes32 => bool) private taken;

    modifier onlyRouter() {
        if (msg.sender != router) revert OnlyRouter();
        _;
    }

    receive() external payable {}

    function initialize(Setup calldata setup) external {
        if (router != address(0)) revert AlreadyInitialized();
        router = msg.sender;
        lastTimestamp = uint64(block.timestamp);
        isLive = true;
        owner = setup.owner;
        id = uint96(setup.id);
        whitelist = setup.whitelist;
        layer2 = setup.layer2;
        layer3 = setup.layer3;
        if (bytes(setup.name).length != 0) name = setup.name;
        _setExtra(setup.extra);
        _setShares(setup.distributions);
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

    function touch() external onlyRouter {
        lastTimestamp = uint64(block.timestamp);
    }

    function end() external onlyRouter {
        isLive = false;
    }

    function setEmptiesOnClaim(bool on) external onlyRouter {
        emptiesOnClaim = on;
    }

    function setRange(uint256 newRange) external onlyRouter {
        range = uint96(newRange);
    }

    function setName(string calldata newName) external onlyRouter {
        name = newName;
    }

    function setExtra(ExtraConfig calldata extra) external onlyRouter {
        _setExtra(extra);
    }

    function setDistributions(Distribution[] calldata distributions) external onlyRouter {
        delete shares;
        _setShares(distributions);
    }

    function setLayer23(uint8 layer, address user) external onlyRouter {
        if (layer == 2) layer2 = user;
        else layer3 = user;
    }

    /// Pays `beneficiary` what is its own of each asset; a claim that moves nothing succeeds.
    function claim(address beneficiary, address[] calldata assets, bool isETH)
        external
        onlyRouter
        returns (uint8 layer)
    {
        if (assets.length > MAX_ASSETS) revert NumAssetsInvalid();
        layer = _openLayer(beneficiary);
        for (uint256 i; i < assets.length; i++) {
            _payToken(assets[i], beneficiary, layer);
        }
        if (isETH) {
            uint256 amount = _takeShare(address(0), beneficiary, layer, address(this).balance);
            if (amount != 0) SafeToken.sendEth(beneficiary, amount);
        }
        if (emptiesOnClaim) {
            delete shares;
            layer2 = layer3 = address(0);
            isLive = false;
        }
    }

    function _openLayer(address beneficiary) private view returns (uint8 layer) {
        if (!isLive) revert CannotClaim();
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

    function _payToken(address token, address beneficiary, uint8 layer) private {
        if (!ITokenWhiteList(whitelist).isWhitelisted(token)) return;
        uint256 available = IERC20(token).balanceOf(owner);
        uint256 allowed = IERC20(token).allowance(owner, address(this));
        if (allowed < available) available = allowed;
        uint256 amount = _takeShare(token, beneficiary, layer, available);
        if (amount != 0) SafeToken.pull(token, owner, beneficiary, amount);
    }

    /// Line 1 takes its percentage once per asset, so that 60 and 40 stay 60 and 40 in any order of claims;
    /// a later line takes what is left.
    function _takeShare(address asset, address user, uint8 layer, uint256 available) private returns (uint256) {
        if (layer != 1) return available;
        uint256 own;
        uint256 unclaimed;
        for (uint256 i; i < shares.length; i++) {
            Share memory share = shares[i];
            if (taken[_claimKey(asset, share.user)]) continue;
            unclaimed += share.percent;
            if (share.user == user) own = share.percent;
        }
        if (own == 0 || available == 0) return 0;
        taken[_claimKey(asset, user)] = true;
        return available * own / unclaimed;
    }

    /// The last activity is in the key: an owner who comes back starts a new round of claims.
    function _claimKey(address asset, address user) private view returns (bytes32) {
        return keccak256(abi.encode(lastTimestamp, asset, user));
    }

    function _setExtra(ExtraConfig calldata extra) private {
        range = uint96(extra.lackOfOutgoingTxRange);
        delay2 = uint48(extra.delayLayer2);
        delay3 = uint48(extra.delayLayer3);
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
