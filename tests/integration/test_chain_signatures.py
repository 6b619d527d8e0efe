"""Signatures, checked at a real node: plain accounts, wallets with code, delegated accounts, hostile signers."""

from collections.abc import AsyncIterator
from functools import partial

import pytest
from eth_account import Account
from eth_account.signers.local import LocalAccount

from devnet.scenarios import Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.chain.eip712 import ERC1271_MAGIC, SignatureVerifier, TypedDataDomain, typed_data_digest
from reminder_worker.errors import ChainUnavailable, SignerMismatch
from tests.integration.chain_proxy import Json, NodeProxy, chain_settings, proxy

TYPES = {"EraseLegacy": [{"name": "legacy", "type": "address"}, {"name": "deadline", "type": "uint256"}]}
MESSAGE = {"legacy": "0x" + "11" * 20, "deadline": 5}
DIGEST = typed_data_digest(TypedDataDomain("Reminder Worker", "1", 31337), "EraseLegacy", TYPES, MESSAGE)


@pytest.fixture
async def node(chain_scenario: Scenario) -> AsyncIterator[NodeProxy]:
    async with proxy(chain_scenario.anvil.url) as opened:
        yield opened


@pytest.fixture
async def signatures(chain_scenario: Scenario, node: NodeProxy) -> AsyncIterator[SignatureVerifier]:
    chain = Chain(chain_settings(chain_scenario, node.url))
    await chain.endpoints.check_chain_ids()
    node.posts.clear()
    yield SignatureVerifier(chain)
    await chain.close()


def sign(account: LocalAccount, digest: bytes = DIGEST) -> bytes:
    return bytes(Account.unsafe_sign_hash(digest, account.key).signature)


async def test_a_plain_account_signs_only_for_itself(
    signatures: SignatureVerifier, node: NodeProxy, chain_scenario: Scenario
) -> None:
    owner, other = chain_scenario.account("owner"), chain_scenario.account("other")
    await signatures.verify_signature(DIGEST, sign(owner), owner.address)
    for digest, signature in (
        (DIGEST, sign(other)),
        (b"\x01" * 32, sign(owner)),
        (DIGEST, b""),
        (DIGEST, b"\x1b" * 65),
    ):
        with pytest.raises(SignerMismatch):
            await signatures.verify_signature(digest, signature, owner.address)
    assert set(node.methods()) == {"eth_getCode"}


async def test_a_safe_is_asked_whether_it_signed(signatures: SignatureVerifier, chain_scenario: Scenario) -> None:
    owner, other = chain_scenario.account("owner"), chain_scenario.account("other")
    safe = chain_scenario.create_safe([owner])
    await signatures.verify_signature(DIGEST, sign(owner), safe)
    with pytest.raises(SignerMismatch):
        await signatures.verify_signature(DIGEST, sign(other), safe)


async def test_a_node_that_refuses_a_contract_as_sender_is_asked_without_one(
    signatures: SignatureVerifier, node: NodeProxy, chain_scenario: Scenario
) -> None:
    """EIP-3607 is about transactions; some nodes apply it to calls."""
    owner, router = chain_scenario.account("owner"), chain_scenario.deployment.transfer_eoa_legacy_router
    safe = chain_scenario.create_safe([owner])

    def refuse(error: Json, request: Json) -> Json | None:
        return {"error": error} if request["method"] == "eth_call" and "from" in request["params"][0] else None

    for error in (
        {
            "code": -32000,
            "message": "sender not an eoa: address 0x0000000000000000000000000000000000000001, len(code): 1",
        },
        {"code": -32015, "message": "VM execution error: SenderHasDeployedCode"},
        {"code": -32015, "message": "VM execution error.", "data": "sender has deployed code"},
    ):
        node.answer = partial(refuse, error)
        verdict = await signatures.check_signature(DIGEST, sign(owner), safe, caller=router)
        assert verdict.is_signed


async def test_for_a_contract_the_delegate_of_an_account_decides(
    signatures: SignatureVerifier, node: NodeProxy, chain_scenario: Scenario
) -> None:
    """EIP-7702. The first delegate accepts the account's key, the second accepts nothing."""
    owner, other = chain_scenario.account("delegated"), chain_scenario.account("other")
    router = chain_scenario.deployment.time_lock_router
    chain_scenario.delegate_7702(owner)
    await signatures.verify_signature(DIGEST, sign(owner), owner.address, caller=router)
    assert "eth_call" in node.methods()
    with pytest.raises(SignerMismatch):
        await signatures.verify_signature(DIGEST, sign(other), owner.address, caller=router)
    strict = chain_scenario.account("delegated to a contract that refuses")
    chain_scenario.delegate_7702(strict, chain_scenario.deployment.reverting_1271)
    with pytest.raises(SignerMismatch):
        await signatures.verify_signature(DIGEST, sign(strict), strict.address, caller=router)


async def test_the_key_of_a_delegated_account_signs_messages_of_our_own(
    signatures: SignatureVerifier, chain_scenario: Scenario
) -> None:
    """EIP-7702: the key owns the account, whatever its delegate says. The delegate may accept others beside it."""
    it, other = chain_scenario.deployment, chain_scenario.account("other")
    delegated = chain_scenario.account("delegated to code without ERC-1271")
    for delegate in (it.weth, it.reverting_1271, it.gas_burner_1271):
        chain_scenario.delegate_7702(delegated, delegate)
        await signatures.verify_signature(DIGEST, sign(delegated), delegated.address)
        with pytest.raises(SignerMismatch):
            await signatures.verify_signature(DIGEST, sign(other), delegated.address)


async def test_a_key_never_signs_for_an_account_with_code_of_its_own(
    signatures: SignatureVerifier, node: NodeProxy, chain_scenario: Scenario
) -> None:
    """Codes that look like a delegation and are none count as a contract, too: the node reports them."""
    owner = chain_scenario.account("owner of an account with code")
    chain_scenario.anvil.set_code(owner.address, "0x60006000fd")
    with pytest.raises(SignerMismatch):
        await signatures.verify_signature(DIGEST, sign(owner), owner.address)

    def report(code: str, request: Json) -> Json | None:
        return {"result": code} if request["method"] == "eth_getCode" else None

    for code in ("ef0100" + "11" * 19, "ef0100" + "11" * 21, "ef0101" + "11" * 20, "00ef0100" + "11" * 19):
        node.answer = partial(report, "0x" + code)
        with pytest.raises(SignerMismatch):
            await signatures.verify_signature(DIGEST, sign(owner), owner.address)


async def test_a_hostile_signer_is_a_mismatch_within_its_gas(
    signatures: SignatureVerifier, node: NodeProxy, chain_scenario: Scenario
) -> None:
    it = chain_scenario.deployment
    for signer in (it.gas_burner_1271, it.reverting_1271, it.usdc):
        with pytest.raises(SignerMismatch):
            await signatures.verify_signature(DIGEST, b"\x01" * 65, signer)
    gas = {request["params"][0]["gas"] for request in node.requests if request["method"] == "eth_call"}
    assert gas == {hex(500_000)}


async def test_a_refusal_says_what_the_wallet_lacks(signatures: SignatureVerifier, chain_scenario: Scenario) -> None:
    """The refusal says what to do with an uncommon wallet; for a wrong signer it has no hint."""
    it, owner, other = chain_scenario.deployment, chain_scenario.account("owner"), chain_scenario.account("other")
    delegated = chain_scenario.account("delegated to what knows no signatures")
    chain_scenario.delegate_7702(delegated, it.weth)
    safe = chain_scenario.create_safe([owner])
    not_deployed = sign(owner) + b"\x64\x92" * 16
    hints = {
        (owner.address, sign(other)): "",
        (safe, sign(other)): "",
        (delegated.address, sign(other)): "(ERC-1271)",
        (it.usdc, sign(other)): "(ERC-1271)",
        (it.gas_burner_1271, sign(other)): "more than 500000 gas",
        ("0x" + "77" * 20, not_deployed): "not deployed",
        (safe, not_deployed): "(ERC-6492), but this wallet is deployed",
        (it.usdc, not_deployed): "(ERC-6492), but this wallet is deployed",
        (owner.address, sign(owner)[:64]): "(EIP-2098)",
    }
    for (signer, signature), hint in hints.items():
        with pytest.raises(SignerMismatch) as refused:
            await signatures.verify_signature(DIGEST, signature, signer)
        said = str(refused.value).removeprefix("The signature is not by the account in the message.")
        assert (hint in said) if hint else not said, said
    with pytest.raises(SignerMismatch, match=r"\(EIP-7702\)"):
        await signatures.verify_signature(DIGEST, sign(delegated), delegated.address, caller=it.time_lock_router)


async def test_only_the_exact_magic_value_means_yes(
    signatures: SignatureVerifier, node: NodeProxy, chain_scenario: Scenario
) -> None:
    owner = chain_scenario.account("owner")
    safe = chain_scenario.create_safe([owner])

    def tell(answer: str, request: Json) -> Json | None:
        return {"result": "0x" + answer} if request["method"] == "eth_call" else None

    for answer in (
        "",
        ERC1271_MAGIC.hex(),  # four bytes, not a word
        "00" * 28 + ERC1271_MAGIC.hex(),
        ERC1271_MAGIC.hex() + "00" * 27 + "01",
        "00" * 31 + "01",
        "ff" * 32,
    ):
        node.answer = partial(tell, answer)
        with pytest.raises(SignerMismatch):
            await signatures.verify_signature(DIGEST, sign(owner), safe)


async def test_a_revert_means_no_whatever_it_says(
    signatures: SignatureVerifier, node: NodeProxy, chain_scenario: Scenario
) -> None:
    """A revert with chosen bytes is no signature: strangers choose the bytes."""
    revert = {"code": 3, "message": "execution reverted", "data": "0x" + ERC1271_MAGIC.hex() + "00" * 28}
    node.answer = lambda request: {"error": revert} if request["method"] == "eth_call" else None
    owner = chain_scenario.account("owner")
    safe = chain_scenario.create_safe([owner])
    with pytest.raises(SignerMismatch):
        await signatures.verify_signature(DIGEST, sign(owner), safe)


@pytest.mark.parametrize("method", ["eth_getCode", "eth_call"])
async def test_a_chain_that_cannot_be_read_is_no_mismatch_and_no_match(
    method: str, signatures: SignatureVerifier, node: NodeProxy, chain_scenario: Scenario
) -> None:
    owner = chain_scenario.account("owner")
    signer = owner.address if method == "eth_getCode" else chain_scenario.create_safe([owner])
    node.answer = lambda request: (
        {"error": {"code": -32603, "message": "internal error"}} if request["method"] == method else None
    )
    with pytest.raises(ChainUnavailable):
        await signatures.verify_signature(DIGEST, sign(owner), signer)
