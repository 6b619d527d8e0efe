"""The local stack for who looks around in it: with a frontend of their own, a wallet, and while the story plays."""

from collections.abc import Iterator
from urllib.request import Request, urlopen

import pytest

from devnet.local import APP_ORIGIN, CORS_VARIABLE
from tests.e2e.plain_stack import PlainStack, free_ports, quiet_stack

pytestmark = pytest.mark.timeout(300)
FRONTEND = "http://localhost:5173"


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlainStack]:
    directory = tmp_path_factory.mktemp("stack") / "local"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CORS_VARIABLE, FRONTEND)
        with quiet_stack(directory, free_ports()).running() as running:
            yield running  # type: ignore[misc]


@pytest.mark.parametrize(("origin", "may"), [(FRONTEND, True), (APP_ORIGIN, True), ("http://localhost:5174", False)])
def test_a_frontend_that_was_named_may_call_the_api(stack: PlainStack, origin: str, may: bool) -> None:
    with urlopen(Request(f"{stack.at.api}/sponsor/status", headers={"Origin": origin})) as answer:
        assert (answer.headers["Access-Control-Allow-Origin"] == origin) is may


def test_looking_around_leaves_the_story_its_requests(stack: PlainStack) -> None:
    """They come from one address."""
    for _ in range(100):
        with urlopen(f"{stack.at.api}/sponsor/status") as answer:
            assert answer.status == 200


def test_the_first_account_of_the_chain_has_ether(stack: PlainStack) -> None:
    """Of the phrase in the README, which wallets take."""
    first = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
    assert stack.anvil.rpc("eth_accounts")[0] == first
    assert int(stack.anvil.rpc("eth_getBalance", first, "latest"), 16) > 10**18
