"""Who is asking: the client's address from the socket, or from trusted proxies; kept only as a keyed hash."""

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler
from litestar.types import Guard, Scope

from reminder_worker.errors import Misconfigured
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.quotas import Quotas

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
NO_SOCKET = "127.0.0.1"  # a Unix socket has no address: whoever reaches it is on this machine


class Clients:
    """`trusted` are addresses and networks of proxies. Raises Misconfigured for one that is neither."""

    def __init__(self, trusted: Iterable[str], hashes: KeyedHash) -> None:
        try:
            self._trusted: Sequence[Network] = [ip_network(each, strict=False) for each in trusted]
        except ValueError:
            raise Misconfigured("TRUSTED_PROXIES holds something that is neither address nor network") from None
        self._hashes = hashes

    def hashed(self, scope: Scope) -> str:
        return self._hashes.client(str(self.address(scope)))

    def address(self, scope: Scope) -> Address:
        """X-Forwarded-For from right to left: each proxy appends whom it saw, and only ours are believed.

        The first address from the right that is not a trusted proxy is the client; whatever stands left of it is
        the client's own claim. An entry that is no address ends the belief at the hop that wrote it.
        """
        found = self._peer(scope)
        for entry in reversed(_forwarded(scope)):
            if not self.is_trusted(found):
                break
            claimed = _parse(entry)
            if claimed is None:
                break
            found = claimed
        return found

    def comes_from_proxy(self, scope: Scope) -> bool:
        return self.is_trusted(self._peer(scope))

    def is_trusted(self, address: Address) -> bool:
        return any(address in network for network in self._trusted)

    def _peer(self, scope: Scope) -> Address:
        client = scope.get("client")
        return (_parse(client[0]) if client else None) or ip_address(NO_SOCKET)


def rate_limit(clients: Clients, quotas: Quotas, per_minute: int) -> Guard:
    """A guard that counts a client's requests before anything of them is read. Raises LimitReached."""

    async def guard(connection: ASGIConnection, _handler: BaseRouteHandler) -> None:  # type: ignore[type-arg]
        await quotas.take(None, "api_requests", clients.hashed(connection.scope), per_minute, 60)

    return guard


def _forwarded(scope: Scope) -> list[str]:
    lines = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
    return [entry.strip() for entry in ",".join(lines).split(",") if entry.strip()]


def _parse(text: str) -> Address | None:
    """An address with or without port; an IPv4 one in IPv6 form is the IPv4 one."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        parsed = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return parsed.ipv4_mapped or parsed if isinstance(parsed, IPv6Address) else parsed
