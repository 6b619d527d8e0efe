// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./FormerEvents.sol";
import "./Sponsored.sol";
import "./TransferEOALegacy.sol";

/// The registry and the door of plain-account legacies.
contract TransferEOALegacyRouter is Sponsored {
    struct ClaimAuth {
        address beneficiary;
        uint256 nonce;
        uint256 deadline;
        bytes signature;
    }

    struct CheckInAuth {
        address owner;
        uint256 nonce;
        uint256 deadline;
        bytes signature;
    }

    struct AutoRenew {
        bool enabled;
        uint64 lastNonceSeen;
        uint64 budgetAnchor;
    }

    event TransferEOALegacyCreatedV2(
        uint256 indexed legacyId,
        address indexed legacyAddress,
        address indexed creator,
        Distribution[] distributions,
        ExtraConfig extraConfig,
        uint256 timestamp
    );
    event TransferEOALegacyTriggerUpdated(uint256 indexed legacyId, uint128 lackOfOutgoingTxRange, uint256 timestamp);
    event TransferEOALegacyConfigUpdated(
        uint256 indexed legacyId, MainConfig mainConfig, ExtraConfig extraConfig, uint256 timestamp
    );
    event TransferEOALegacyLayer23DistributionUpdated(
        uint256 indexed legacyId, uint8 layer, string nickNames, Distribution distribution, uint256 timestamp
    );
    event TransferEOALegacyDistributionUpdated(
        uint256 indexed legacyId, string[] nickNames, Distribution[] distributions, uint256 timestamp
    );
    event TransferEOALegacyActivedAlive(uint256 indexed legacyId, uint256 timestamp);
    event TransferEOALegacyActivated(uint256 indexed legacyId, uint8 layer, uint256 timestamp);
    event TransferEOALegacyActivatedWithUnswap(uint256 indexed legacyId, uint8 layer, uint256 timestamp);
    event TransferEOALegacyDeleted(uint256 indexed legacyId, uint256 timestamp);
    event TransferEOALegacyAutoRenewSet(
        uint256 indexed legacyId, address indexed owner, bool enabled, uint256 timestamp
    );
    event TransferEOALegacyAutoRenewed(
        uint256 indexed legacyId, address indexed owner, uint64 observedNonce, uint256 timestamp
    );
    event TransferEOALegacyClaimedFor(
        uint256 indexed legacyId, address indexed beneficiary, address indexed relayer, uint256 timestamp
    );
    event TransferEOALegacyCheckedInFor(
        uint256 indexed legacyId, address indexed owner, address indexed relayer, uint256 timestamp
    );

    event PullVaultSet(address vault);
    event ActivityAttestorSet(address attestor);

    bytes32 private constant CLAIM_TYPEHASH = keccak256(
        "ClaimAuth(address beneficiary,uint256 legacyId,bytes32 assetsHash,bool isETH,uint256 nonce,uint256 deadline)"
    );
    bytes32 private constant CHECK_IN_TYPEHASH =
        keccak256("CheckInAuth(address owner,uint256 legacyId,uint256 nonce,uint256 deadline)");
    uint256 public constant CHECKIN_AUTH_MAX_TTL = 1 hours;
    uint256 public constant AUTO_RENEW_WINDOW = 30 days;
    uint256 public constant AUTO_RENEW_BUDGET = 365 days;

    IPremiumSetting private immutable premium;
    address private immutable whitelist;
    address private immutable codeAdmin = msg.sender;
    address public activityAttestor;
    /// The code and the vault of legacies to come. Without an implementation the deployed router uses the creation code.
    address public legacyImplementation;
    bytes public legacyCreationCode;
    address public pullVault;
    uint256 public legacyCounter;
    mapping(uint256 => address) public legacyAddresses;
    mapping(uint256 => bool) public sponsoredClaimsDisabled;
    mapping(uint256 => AutoRenew) public autoRenewState;

    constructor(address premium_, address whitelist_, address attestor_) Sponsored("10102 Legacy Sponsored") {
        premium = IPremiumSetting(premium_);
        whitelist = whitelist_;
        activityAttestor = attestor_;
        legacyImplementation = address(new TransferEOALegacy());
    }

    // --- of the code admin

    modifier onlyCodeAdmin() {
        if (msg.sender != codeAdmin) revert OnlyAdmin();
        _;
    }

    function setLegacyImplementation(address implementation) external onlyCodeAdmin {
        legacyImplementation = implementation;
    }

    function setLegacyCreationCode(bytes calldata code) external onlyCodeAdmin {
        legacyCreationCode = code;
    }

    function setPullVault(address vault) external onlyCodeAdmin {
        pullVault = vault;
        emit PullVaultSet(vault);
    }

    function setActivityAttestor(address attestor) external onlyCodeAdmin {
        activityAttestor = attestor;
        emit ActivityAttestorSet(attestor);
    }

    // --- creation

    function premiumSetting() external view returns (address) {
        return address(premium);
    }

    function createLegacy(
        MainConfig calldata mainConfig,
        ExtraConfig calldata extraConfig,
        address layer2,
        address layer3
    ) external returns (uint256) {
        return createLegacyFrom(legacyImplementation, msg.sender, mainConfig, extraConfig, layer2, layer3);
    }

    /// Of the tests: a genuine legacy whose code is another (reverting, old).
    function createLegacyFrom(
        address code,
        address owner,
        MainConfig calldata mainConfig,
        ExtraConfig calldata extraConfig,
        address layer2,
        address layer3
    ) public returns (uint256 legacyId) {
        address legacy;
        (legacyId, legacy) = _create(code, owner, mainConfig, extraConfig, layer2, layer3);
        emit TransferEOALegacyCreatedV2(
            legacyId, legacy, owner, mainConfig.distributions, extraConfig, block.timestamp
        );
    }

    /// Of the tests: a legacy that is announced as before 2026-07-27, or as by the first build of all.
    function createLegacyBeforeV2(
        bool firstBuild,
        address code,
        MainConfig calldata mainConfig,
        ExtraConfig calldata extraConfig
    ) external {
        if (code == address(0)) code = legacyImplementation;
        (uint256 legacyId, address legacy) =
            _create(code, msg.sender, mainConfig, extraConfig, address(0), address(0));
        if (firstBuild) {
            emit FirstBuild.TransferEOALegacyCreated(
                legacyId, legacy, msg.sender, mainConfig, extraConfig, block.timestamp
            );
        } else {
            emit BeforeV2.TransferEOALegacyCreated(
                legacyId, legacy, msg.sender, mainConfig, extraConfig, block.timestamp
            );
        }
    }

    /// Of the benches: `count` equal legacies with consecutive ids.
    function bulkCreate(
        uint256 count,
        address owner,
        MainConfig calldata mainConfig,
        ExtraConfig calldata extraConfig,
        address layer2,
        address layer3
    ) external {
        for (uint256 i; i < count; i++) {
            createLegacyFrom(legacyImplementation, owner, mainConfig, extraConfig, layer2, layer3);
        }
    }

    function _create(
        address code,
        address owner,
        MainConfig calldata mainConfig,
        ExtraConfig calldata extraConfig,
        address layer2,
        address layer3
    ) private returns (uint256 legacyId, address legacy) {
        if (layer3 != address(0) && layer2 == address(0)) revert DistributionInvalid();
        legacyId = ++legacyCounter;
        legacy = Clones.clone(code);
        legacyAddresses[legacyId] = legacy;
        TransferEOALegacy.Setup memory setup;
        setup.id = legacyId;
        setup.owner = owner;
        setup.whitelist = whitelist;
        setup.name = mainConfig.name;
        setup.distributions = mainConfig.distributions;
        setup.extra = extraConfig;
        setup.layer2 = layer2;
        setup.layer3 = layer3;
        setup.pullVault = pullVault;
        TransferEOALegacy(payable(legacy)).initialize(setup);
    }

    // --- the owner's activity and edits

    function activeAlive(uint256 legacyId) external {
        _checkIn(legacyId, _owned(legacyId));
    }

    function setActivationTrigger(uint256 legacyId, uint128 lackOfOutgoingTxRange) external {
        _owned(legacyId).setRange(lackOfOutgoingTxRange);
        emit TransferEOALegacyTriggerUpdated(legacyId, lackOfOutgoingTxRange, block.timestamp);
    }

    function setLegacyConfig(uint256 legacyId, MainConfig calldata mainConfig, ExtraConfig calldata extraConfig)
        external
    {
        TransferEOALegacy legacy = _owned(legacyId);
        legacy.setName(mainConfig.name);
        legacy.setExtra(extraConfig);
        legacy.setDistributions(mainConfig.distributions);
        emit TransferEOALegacyConfigUpdated(legacyId, mainConfig, extraConfig, block.timestamp);
        _syncBeneficiaries(legacy);
    }

    function setLayer23Distribution(
        uint256 legacyId,
        uint8 layer,
        string calldata nickName,
        Distribution calldata distribution
    ) external {
        TransferEOALegacy legacy = _owned(legacyId);
        (, address layer2, address layer3) = legacy.getLegacyBeneficiaries();
        legacy.setLayer23(layer, distribution.user);
        emit TransferEOALegacyLayer23DistributionUpdated(legacyId, layer, nickName, distribution, block.timestamp);
        if (distribution.user != (layer == 2 ? layer2 : layer3)) premium.resetLine(address(legacy), layer);
    }

    function setLegacyDistributions(uint256 legacyId, string[] calldata nickNames, Distribution[] calldata shares)
        external
    {
        setLegacyDistributionsUnsynced(legacyId, nickNames, shares);
        _syncBeneficiaries(_legacy(legacyId));
    }

    /// Of the tests: an edit after which PremiumSetting says nothing.
    function setLegacyDistributionsUnsynced(
        uint256 legacyId,
        string[] calldata nickNames,
        Distribution[] calldata shares
    ) public {
        _owned(legacyId).setDistributions(shares);
        emit TransferEOALegacyDistributionUpdated(legacyId, nickNames, shares, block.timestamp);
    }

    /// Of the tests: see TransferEOALegacy.emptiesOnClaim.
    function setEmptiesOnClaim(uint256 legacyId, bool on) external {
        _owned(legacyId).setEmptiesOnClaim(on);
    }

    function deleteLegacy(uint256 legacyId) external {
        TransferEOALegacy legacy = _owned(legacyId);
        legacy.end();
        emit TransferEOALegacyDeleted(legacyId, block.timestamp);
        premium.resetConfig(address(legacy));
    }

    function setSponsoredClaimsDisabled(uint256 legacyId, bool disabled) external {
        _owned(legacyId);
        sponsoredClaimsDisabled[legacyId] = disabled;
    }

    // --- claims

    function activeLegacy(uint256 legacyId, address[] calldata assets, bool isETH) external {
        _claim(legacyId, msg.sender, assets, isETH);
    }

    function activeLegacyWithUnswap(uint256 legacyId, address[] calldata assets, bool isETH) external {
        TransferEOALegacy legacy = _legacy(legacyId);
        uint8 layer = legacy.claim(msg.sender, assets, isETH);
        emit TransferEOALegacyActivatedWithUnswap(legacyId, layer, block.timestamp);
        premium.transferActivated(address(legacy), layer);
    }

    function activeLegacyFor(uint256 legacyId, address[] calldata assets, bool isETH, ClaimAuth calldata auth)
        external
        onlyVersion("1")
    {
        _legacy(legacyId);
        if (sponsoredClaimsDisabled[legacyId]) revert SponsoredClaimsDisabled();
        bytes32 structHash = keccak256(
            abi.encode(
                CLAIM_TYPEHASH,
                auth.beneficiary,
                legacyId,
                keccak256(abi.encodePacked(assets)),
                isETH,
                auth.nonce,
                auth.deadline
            )
        );
        _useAuthorization(auth.beneficiary, structHash, auth.nonce, auth.deadline, auth.signature);
        _claim(legacyId, auth.beneficiary, assets, isETH);
        emit TransferEOALegacyClaimedFor(legacyId, auth.beneficiary, msg.sender, block.timestamp);
    }

    function activeAliveFor(uint256 legacyId, CheckInAuth calldata auth) external onlyVersion("1") {
        TransferEOALegacy legacy = _legacy(legacyId);
        if (auth.deadline > block.timestamp + CHECKIN_AUTH_MAX_TTL) revert CheckInDeadlineTooFar();
        bytes32 structHash =
            keccak256(abi.encode(CHECK_IN_TYPEHASH, auth.owner, legacyId, auth.nonce, auth.deadline));
        _useAuthorization(auth.owner, structHash, auth.nonce, auth.deadline, auth.signature);
        if (legacy.creator() != auth.owner) revert OnlyOwner();
        _checkIn(legacyId, legacy);
        emit TransferEOALegacyCheckedInFor(legacyId, auth.owner, msg.sender, block.timestamp);
    }

    function _claim(uint256 legacyId, address beneficiary, address[] calldata assets, bool isETH) private {
        TransferEOALegacy legacy = _legacy(legacyId);
        uint8 layer = legacy.claim(beneficiary, assets, isETH);
        emit TransferEOALegacyActivated(legacyId, layer, block.timestamp);
        premium.transferActivated(address(legacy), layer);
    }

    // --- auto-renew

    function setAutoRenew(uint256 legacyId, bool enabled) external {
        _owned(legacyId);
        AutoRenew storage state = autoRenewState[legacyId];
        state.enabled = enabled;
        state.budgetAnchor = uint64(block.timestamp);
        emit TransferEOALegacyAutoRenewSet(legacyId, msg.sender, enabled, block.timestamp);
    }

    function recordActivity(uint256 legacyId, uint64 observedNonce) external {
        if (msg.sender != activityAttestor) revert NotActivityAttestor();
        TransferEOALegacy legacy = _legacy(legacyId);
        AutoRenew storage state = autoRenewState[legacyId];
        address owner = legacy.creator();
        if (!state.enabled) revert AutoRenewDisabled();
        if (!premium.isPremium(owner)) revert AutoRenewNotPremium();
        if (observedNonce <= state.lastNonceSeen) revert StaleActivityNonce();
        (uint256 t1,,) = legacy.getTriggerActivationTimestamp();
        if (block.timestamp + AUTO_RENEW_WINDOW < t1) revert AutoRenewTooEarly();
        if (block.timestamp >= t1) revert AutoRenewTooLate();
        if (block.timestamp > state.budgetAnchor + AUTO_RENEW_BUDGET) revert AutoRenewBudgetExhausted();
        state.lastNonceSeen = observedNonce;
        uint8 layer = legacy.getLayer();
        legacy.touch();
        emit TransferEOALegacyAutoRenewed(legacyId, owner, observedNonce, block.timestamp);
        premium.ownerReset(address(legacy), layer);
    }

    // --- inner

    function _checkIn(uint256 legacyId, TransferEOALegacy legacy) private {
        uint8 layer = legacy.getLayer();
        legacy.touch();
        autoRenewState[legacyId].budgetAnchor = uint64(block.timestamp);
        emit TransferEOALegacyActivedAlive(legacyId, block.timestamp);
        premium.ownerReset(address(legacy), layer);
    }

    function _syncBeneficiaries(TransferEOALegacy legacy) private {
        (address[] memory users,,) = legacy.getLegacyBeneficiaries();
        premium.syncBeneficiaries(address(legacy), users);
    }

    function _legacy(uint256 legacyId) private view returns (TransferEOALegacy) {
        address legacy = legacyAddresses[legacyId];
        if (legacy == address(0)) revert LegacyNotFound();
        return TransferEOALegacy(payable(legacy));
    }

    function _owned(uint256 legacyId) private view returns (TransferEOALegacy legacy) {
        legacy = _legacy(legacyId);
        if (legacy.creator() != msg.sender) revert OnlyOwner();
    }
}
