// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Helpers.sol";

/// EIP-712 authorizations that somebody else may submit, with an exact and sequential nonce per signer.
abstract contract Sponsored {
    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");

    string private domainName;
    string private domainVersion = "1";
    mapping(address => uint256) public sponsorNonce;

    constructor(string memory name) {
        domainName = name;
    }

    /// As of a function that the implementation of another version does not have.
    modifier onlyVersion(string memory version) {
        if (keccak256(bytes(domainVersion)) != keccak256(bytes(version))) revert();
        _;
    }

    /// A test switch: an upgrade to another version, or back. Of one that is not known here, no sponsored call works.
    function becomeVersion(string calldata version) external {
        domainVersion = version;
    }

    /// ERC-5267.
    function eip712Domain()
        external
        view
        returns (
            bytes1 fields,
            string memory name,
            string memory version,
            uint256 chainId,
            address verifyingContract,
            bytes32 salt,
            uint256[] memory extensions
        )
    {
        return (hex"0f", domainName, domainVersion, block.chainid, address(this), bytes32(0), new uint256[](0));
    }

    function invalidateSponsorNonce() external {
        sponsorNonce[msg.sender]++;
    }

    /// The nonce is checked before the signature, as on the deployed routers.
    function _useAuthorization(
        address signer,
        bytes32 structHash,
        uint256 nonce,
        uint256 deadline,
        bytes calldata signature
    ) internal {
        if (block.timestamp > deadline) revert SponsorshipExpired();
        if (nonce != sponsorNonce[signer]) revert InvalidSponsorNonce();
        bytes32 domain = keccak256(
            abi.encode(
                DOMAIN_TYPEHASH,
                keccak256(bytes(domainName)),
                keccak256(bytes(domainVersion)),
                block.chainid,
                address(this)
            )
        );
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", domain, structHash));
        if (!Signatures.isValid(signer, digest, signature)) revert InvalidSponsorSignature();
        sponsorNonce[signer] = nonce + 1;
    }
}
