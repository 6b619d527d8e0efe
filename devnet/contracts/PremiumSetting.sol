// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./FormerEvents.sol";
import "./Types.sol";

/// Who is Premium, who asked for reminders, and the notify signals. Addresses only, unless told to say it as before.
contract PremiumSetting is IPremiumSetting {
    event LegacyEmailNotifyRequested(address indexed legacy, address indexed creator, uint8 layer, uint8 notifyType);
    event LegacyReminderUpdated(
        address indexed user,
        uint256 legacyId,
        address legacyAddress,
        uint128 legacyType,
        address[] cosigners,
        address[] beneficiaries,
        address secondLine,
        address thirdLine
    );
    event BeneficiariesEmailSync(
        address indexed user, uint256 legacyId, address legacyAddress, uint128 legacyType, address[] beneficiaries
    );
    event SecondLineEmailReset(
        address indexed user, uint256 legacyId, address legacyAddress, uint128 legacyType
    );
    event ThirdLineEmailReset(address indexed user, uint256 legacyId, address legacyAddress, uint128 legacyType);
    event LegacyConfigReset(address indexed user, uint256 legacyId, address legacyAddress, uint128 legacyType);
    event UserConfigUpdated(address indexed user, uint256 timePriorActivation);
    event PremiumTimeUpdated(address indexed user, uint256 newExpiredTime);
    event PremiumReset(address indexed user);
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);

    uint8 private constant OWNER_RESET = 0;
    uint8 private constant MULTISIG_ACTIVATION = 1;
    uint8 private constant TRANSFER_ACTIVATION = 2;

    address private immutable admin = msg.sender;
    address public premiumRegistry;
    address public transferLegacyEOAContractRouter;
    address public multisigLegacyContractRouter;
    mapping(address => bool) private configured;
    mapping(address => uint256) public premiumExpired;
    mapping(address => uint256) public getTimeAhead;
    mapping(address => address[]) private beneficiariesOf;
    bool private asBefore;
    EmailMapping private everybody;
    address public transferLegacyContractRouter;
    address private laterOwner;

    modifier onlyAdmin() {
        if (msg.sender != admin) revert OnlyAdmin();
        _;
    }

    modifier onlyRouter() {
        if (msg.sender != transferLegacyEOAContractRouter && msg.sender != multisigLegacyContractRouter) {
            revert OnlyRouter();
        }
        _;
    }

    function connect(address registry_, address eoaRouter, address multisigRouter) external onlyAdmin {
        premiumRegistry = registry_;
        transferLegacyEOAContractRouter = eoaRouter;
        multisigLegacyContractRouter = multisigRouter;
    }

    /// Behind a proxy no constructor can set an owner.
    function owner() public view returns (address) {
        return laterOwner == address(0) ? admin : laterOwner;
    }

    function transferOwnership(address newOwner) external {
        if (msg.sender != owner()) revert OnlyOwner();
        emit OwnershipTransferred(owner(), newOwner);
        laterOwner = newOwner;
    }

    function setParams(address registry_, address transferRouter, address eoaRouter, address multisigRouter) external {
        if (msg.sender != owner()) revert OnlyOwner();
        premiumRegistry = registry_;
        transferLegacyContractRouter = transferRouter;
        transferLegacyEOAContractRouter = eoaRouter;
        multisigLegacyContractRouter = multisigRouter;
    }

    function isPremium(address user) public view returns (bool) {
        return premiumExpired[user] >= block.timestamp;
    }

    /// Premium that runs cannot be extended: not by a payment and not by the admin.
    function addPremiumTime(address user, uint256 duration) external {
        if (msg.sender != premiumRegistry && msg.sender != admin) revert NotAuthorized();
        if (isPremium(user)) revert AlreadyPremium();
        premiumExpired[user] = block.timestamp + duration;
        emit PremiumTimeUpdated(user, block.timestamp + duration);
    }

    function resetPremium(address user) external onlyAdmin {
        premiumExpired[user] = 0;
        emit PremiumReset(user);
    }

    function setTimeAhead(uint256 timePriorActivation) external {
        getTimeAhead[msg.sender] = timePriorActivation;
        if (asBefore) {
            emit WithEmails.UserConfigUpdated(msg.sender, everybody.name, everybody.email, timePriorActivation);
        } else {
            emit UserConfigUpdated(msg.sender, timePriorActivation);
        }
    }

    /// Of the tests: whether events are as before 2026-06-02, and the email and the name that everybody has in them.
    function tellAsBefore(bool on, string calldata email, string calldata name) external onlyAdmin {
        asBefore = on;
        everybody.email = email;
        everybody.name = name;
    }

    function setReminderConfig(
        address legacy,
        address[] calldata cosigners,
        address[] calldata beneficiaries,
        address secondLine,
        address thirdLine
    ) public {
        address user = ILegacy(legacy).creator();
        if (msg.sender != user) revert OnlyOwner();
        if (!isPremium(user)) revert OnlyPremium();
        beneficiariesOf[legacy] = beneficiaries;
        _configure(legacy, user, cosigners, beneficiaries, secondLine, thirdLine);
    }

    /// Email and name are empty, as nothing stores them any more.
    function getBeneficiaryData(address legacy)
        external
        view
        returns (address[] memory users, string[] memory emails, string[] memory names)
    {
        users = beneficiariesOf[legacy];
        return (users, new string[](users.length), new string[](users.length));
    }

    /// Of the benches: one configuration for many legacies.
    function bulkConfigure(
        address[] calldata legacies,
        address[] calldata cosigners,
        address[] calldata beneficiaries,
        address secondLine,
        address thirdLine
    ) external onlyAdmin {
        for (uint256 i; i < legacies.length; i++) {
            address user = ILegacy(legacies[i]).creator();
            _configure(legacies[i], user, cosigners, beneficiaries, secondLine, thirdLine);
        }
    }

    function ownerReset(address legacy, uint8 layer) external onlyRouter {
        _notify(legacy, layer, OWNER_RESET);
    }

    function multisigActivated(address legacy) external onlyRouter {
        _notify(legacy, 1, MULTISIG_ACTIVATION);
    }

    function transferActivated(address legacy, uint8 layer) external onlyRouter {
        _notify(legacy, layer, TRANSFER_ACTIVATION);
    }

    function syncBeneficiaries(address legacy, address[] calldata beneficiaries) external onlyRouter {
        if (!configured[legacy]) return;
        beneficiariesOf[legacy] = beneficiaries;
        (address user, uint256 id, uint128 kind) = _identity(legacy);
        if (asBefore) emit WithEmails.BeneficiariesEmailSync(user, id, legacy, kind, _withEmails(beneficiaries));
        else emit BeneficiariesEmailSync(user, id, legacy, kind, beneficiaries);
    }

    function resetLine(address legacy, uint8 layer) external onlyRouter {
        if (!configured[legacy]) return;
        (address user, uint256 id, uint128 kind) = _identity(legacy);
        if (layer == 2) emit SecondLineEmailReset(user, id, legacy, kind);
        else emit ThirdLineEmailReset(user, id, legacy, kind);
    }

    function clearLegacyConfig(address[] calldata legacies) external {
        for (uint256 i; i < legacies.length; i++) {
            if (msg.sender != ILegacy(legacies[i]).creator()) revert OnlyOwner();
            _reset(legacies[i]);
        }
    }

    function resetConfig(address legacy) external onlyRouter {
        _reset(legacy);
    }

    function _reset(address legacy) private {
        if (!configured[legacy]) return;
        configured[legacy] = false;
        delete beneficiariesOf[legacy];
        (address user, uint256 id, uint128 kind) = _identity(legacy);
        emit LegacyConfigReset(user, id, legacy, kind);
    }

    function _configure(
        address legacy,
        address user,
        address[] calldata cosigners,
        address[] calldata beneficiaries,
        address secondLine,
        address thirdLine
    ) private {
        configured[legacy] = true;
        (, uint256 id, uint128 kind) = _identity(legacy);
        if (asBefore) {
            emit WithEmails.LegacyReminderUpdated(
                user,
                id,
                legacy,
                kind,
                _withEmails(cosigners),
                _withEmails(beneficiaries),
                _withEmail(secondLine),
                _withEmail(thirdLine)
            );
        } else {
            emit LegacyReminderUpdated(user, id, legacy, kind, cosigners, beneficiaries, secondLine, thirdLine);
        }
    }

    function _withEmails(address[] calldata users) private view returns (EmailMapping[] memory people) {
        people = new EmailMapping[](users.length);
        for (uint256 i; i < users.length; i++) people[i] = _withEmail(users[i]);
    }

    function _withEmail(address user) private view returns (EmailMapping memory person) {
        if (user != address(0)) person = EmailMapping(user, everybody.email, everybody.name);
    }

    function _notify(address legacy, uint8 layer, uint8 kind) private {
        emit LegacyEmailNotifyRequested(legacy, ILegacy(legacy).creator(), layer, kind);
    }

    function _identity(address legacy) private view returns (address user, uint256 id, uint128 kind) {
        ILegacy it = ILegacy(legacy);
        return (it.creator(), it.getLegacyId(), it.LEGACY_TYPE());
    }
}
