// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Helpers.sol";

/// A Chainlink-like feed: its answer is set by whoever wants to, or kept fresh by the chain's own clock.
contract PriceFeed {
    uint8 public immutable decimals;
    string public description;
    int256 private answer;
    uint256 private updatedAt;
    uint80 private round;
    uint80 private answeredIn;
    uint256 private every;
    uint256 private wobble;

    struct Round {
        int256 answer;
        uint256 updatedAt;
        uint80 answeredIn;
    }

    mapping(uint80 => Round) private rounds;

    constructor(string memory description_, uint8 decimals_, int256 answer_) {
        description = description_;
        decimals = decimals_;
        setAnswer(answer_, block.timestamp);
    }

    function setAnswer(int256 answer_, uint256 updatedAt_) public {
        setRound(round + 1, answer_, updatedAt_, round + 1);
    }

    function setRound(uint80 round_, int256 answer_, uint256 updatedAt_, uint80 answeredIn_) public {
        (round, answer, updatedAt, answeredIn) = (round_, answer_, updatedAt_, answeredIn_);
        rounds[round_] = Round(answer_, updatedAt_, answeredIn_);
        every = 0;
    }

    /// From now on a round each `every_` seconds, within `wobble_` millionths of the last answer set: however far the
    /// clock is moved, the feed looks as one that somebody keeps.
    function keepFresh(uint256 every_, uint256 wobble_) external {
        (every, wobble) = (every_, wobble_);
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        if (every == 0) return (round, answer, updatedAt, updatedAt, answeredIn);
        return freshRound(block.timestamp / every);
    }

    /// As Chainlink's newer aggregators: zeros for a round that is not there.
    function getRoundData(uint80 round_) external view returns (uint80, int256, uint256, uint256, uint80) {
        if (every != 0 && round_ > round && round_ - round <= block.timestamp / every) return freshRound(round_ - round);
        Round storage past = rounds[round_];
        return (round_, past.answer, past.updatedAt, past.updatedAt, past.answeredIn);
    }

    function freshRound(uint256 since) private view returns (uint80, int256, uint256, uint256, uint80) {
        uint256 draw = uint256(keccak256(abi.encode(address(this), since))) % (2 * wobble + 1);
        int256 fresh = answer + answer * (int256(draw) - int256(wobble)) / 1_000_000;
        return (round + uint80(since), fresh, since * every, since * every, round + uint80(since));
    }
}

/// Sells Premium time: prices in millionths of a dollar.
contract PremiumRegistry is Owned(msg.sender) {
    event PlanSubcribed(address indexed user, uint256 plan, string paymentMethod, uint256 value);

    struct Plan {
        uint256 duration;
        uint256 price;
    }

    address private immutable admin = msg.sender;
    IPremiumSetting private immutable premium;
    PriceFeed private immutable ethUsd;
    address private immutable usdc;
    address private immutable usdt;
    mapping(uint256 => Plan) public plans;

    constructor(address premium_, address ethUsd_, address usdc_, address usdt_) {
        premium = IPremiumSetting(premium_);
        ethUsd = PriceFeed(ethUsd_);
        usdc = usdc_;
        usdt = usdt_;
    }

    function premiumSetting() external view returns (address) {
        return address(premium);
    }

    function setPlan(uint256 plan, uint256 duration, uint256 price) external {
        if (msg.sender != admin) revert OnlyAdmin();
        plans[plan] = Plan(duration, price);
    }

    function priceInWei(uint256 plan) public view returns (uint256) {
        (, int256 answer,,,) = ethUsd.latestRoundData();
        return plans[plan].price * 10 ** (12 + ethUsd.decimals()) / uint256(answer);
    }

    function subscribeByETH(uint256 plan) external payable {
        if (msg.value < priceInWei(plan)) revert WrongPayment();
        _subscribe(plan, "ETH", msg.value);
    }

    function subscribeByUSDC(uint256 plan) external {
        SafeToken.pull(usdc, msg.sender, address(this), plans[plan].price);
        _subscribe(plan, "USDC", plans[plan].price);
    }

    function subscribeByUSDT(uint256 plan) external {
        SafeToken.pull(usdt, msg.sender, address(this), plans[plan].price);
        _subscribe(plan, "USDT", plans[plan].price);
    }

    function _subscribe(uint256 plan, string memory method, uint256 value) private {
        if (plans[plan].duration == 0) revert WrongPayment();
        emit PlanSubcribed(msg.sender, plan, method, value);
        premium.addPremiumTime(msg.sender, plans[plan].duration);
    }
}
