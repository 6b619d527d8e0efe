"""Addresses of clients, from the socket or from trusted proxies; kept only as a keyed hash."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler
from litestar.types import Guard, Scope
from sqlalchemy.exc import TimeoutError as PoolTimeout

from api.problems import DATABASE_AWAY
from reminder_worker.concurrency import wait_at_most
from reminder_worker.errors import LimitReached
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.quotas import QuotaCounters

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
DATABASE_SECONDS = 5.0  # that a client waits for the shared counter, if the database hangs
WITHOUT_DATABASE = "without_database"  # of a route: it answers from memory while the shared counter is away
_KNOWN = "reminder_worker_client"


class ClientAddresses:
    """Reader of a client's address; `trusted`: addresses and networks of proxies."""

    def __init__(self, trusted: Iterable[str], hashes: KeyedHash) -> None:
        self._trusted: Sequence[Network] = [_parse_network(each) for each in trusted]
        # Of the clients seen last, in memory only: their next requests cost no parsing and no hashing.
        self._parse = lru_cache(maxsize=256)(_parse_address)
        self._hash = lru_cache(maxsize=256)(hashes.hash_client)
        self._hash_site = hashes.hash_site

    def hash_client(self, scope: Scope) -> str:
        """Return the keyed hash of the client, computed once for each request."""
        state: dict[str, Any] = scope.setdefault("state", {})
        if _KNOWN not in state:
            state[_KNOWN] = self._hash(self.address(scope))
        return str(state[_KNOWN])

    def hash_site(self, scope: Scope) -> str | None:
        """Return the keyed hash of the client's IPv6 /48; None for IPv4."""
        return self._hash_site(self.address(scope))

    def address(self, scope: Scope) -> Address:
        """Return the client's address: read X-Forwarded-For from right to left, as far as our proxies wrote it.

        The first address from the right that is not a trusted proxy is the client; entries to its left are the
        client's own claim. An invalid entry stops the reading at the proxy before it.
        """
        found = self._find_peer(scope)
        if not self.is_trusted(found):
            return found
        for entry in reversed(_read_forwarded(scope)):
            if not self.is_trusted(found):
                break
            claimed = _parse_address(entry)
            if claimed is None:
                break
            found = claimed
        return found

    def comes_from_proxy(self, scope: Scope) -> bool:
        return self.is_trusted(self._find_peer(scope))

    def is_trusted(self, address: Address) -> bool:
        return any(address in network for network in self._trusted)

    def _find_peer(self, scope: Scope) -> Address:
        client = scope.get("client")  # a Unix socket has no address: its clients are on this machine
        return (self._parse(client[0]) if client else None) or ip_address("127.0.0.1")


class RateLimit:
    """At most `limit` requests in a window (a minute by default) from one client, over all processes. All clients of an
    IPv6 /48 together get as many as eight clients, since it costs nothing to be 65,536 of them.

    A process takes requests from the shared counter in advance, so that few of them cost a write: as many as the
    client has used there, and no more than fit into six seconds. A process that ends takes its rest with it: a client
    may find the limit a little lower, never higher. Used as a guard, before anything of the request is read.
    """

    def __init__(
        self,
        clients: ClientAddresses,
        quotas: QuotaCounters,
        limit: int,
        scope: str = "api_requests",
        seconds: int = 60,
    ) -> None:
        self._clients = clients
        self._quotas = quotas
        self._limit = limit
        self._scope = scope
        self._seconds = seconds
        self._window = 0
        self._shares: dict[str, ClientShare] = {}

    def guard(self) -> Guard:
        """As a plain function: the framework copies guards, and there is one count."""

        async def count(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
            try:
                await self.count(connection.scope)
            except DATABASE_AWAY:
                if not handler.opt.get(WITHOUT_DATABASE):  # what costs next to nothing is answered uncounted
                    raise

        return count

    def counted_at_once(self, scope: Scope) -> bool:
        """True: the request is counted. False: nothing is counted, and the shared counter has to be asked (`count`)."""
        share = self._find_share(self._clients.hash_client(scope))
        if not share.left:
            return False
        share.left -= 1
        return True

    async def count(self, scope: Scope) -> None:
        """Raises LimitReached, and an error of `DATABASE_AWAY` also if the database hangs."""
        # The clock is read before the counter: read afterwards, at the very end of a full window, it would name the end
        # of the next one.
        left = self._seconds - int(self._quotas.now()) % self._seconds
        if self.counted_at_once(scope):
            return
        try:
            await wait_at_most(DATABASE_SECONDS, self._count_shared(scope, left))
        except TimeoutError:
            raise PoolTimeout("the shared counter does not answer") from None

    async def _count_shared(self, scope: Scope, left: int) -> None:
        client = self._clients.hash_client(scope)
        share = self._find_share(client)
        async with share.lock:
            if not share.left and not share.refused:
                share.left = await self._take_share(client, share.taken, self._clients.hash_site(scope))
                share.taken += share.left
                share.refused = not share.left
            if share.refused:
                raise LimitReached("Too many requests from this client.", left)
            share.left -= 1

    def _find_share(self, client: str) -> "ClientShare":
        window = int(self._quotas.now()) // self._seconds
        if window != self._window or len(self._shares) > 100_000:
            self._window, self._shares = window, {}
        return self._shares.get(client) or self._shares.setdefault(client, ClientShare())

    async def _take_share(self, client: str, taken: int, site: str | None) -> int:
        """Requests this process may let through after those it has taken; 0 when the window's are used up."""
        together = self._find_share(site) if site else ClientShare()
        for cost in (max(1, min(taken, self._limit * 6 // self._seconds)), 1):
            if together.refused:  # or each further client of that site would cost a statement
                return 0
            if site and not await self._reserve_requests(site, cost, 8 * self._limit):
                together.refused = cost == 1
            elif await self._reserve_requests(client, cost, self._limit):
                return cost
        return 0

    async def _reserve_requests(self, subject: str, cost: int, limit: int) -> bool:
        return bool(await self._quotas.reserve_many(None, self._scope, {subject: cost}, limit, self._seconds))


@dataclass(slots=True)
class ClientShare:
    """Requests that this process took from the shared counter for a client in this window; `left`: unused."""

    taken: int = 0
    left: int = 0
    refused: bool = False
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


def _read_forwarded(scope: Scope) -> list[str]:
    lines = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
    return [entry.strip() for entry in ",".join(lines).split(",") if entry.strip()]


def _parse_network(text: str) -> Network:
    """Parse a network; IPv4 in IPv6 form becomes IPv4, as peers of a dual-stack socket are shown in that form."""
    network = ip_network(text, strict=False)
    mapped = network.network_address.ipv4_mapped if isinstance(network, IPv6Network) else None
    return network if mapped is None else IPv4Network((mapped, network.prefixlen - 96))


def _parse_address(text: str) -> Address | None:
    """Parse an address with or without port; an IPv4 address in IPv6 form becomes IPv4."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        parsed = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return parsed.ipv4_mapped or parsed if isinstance(parsed, IPv6Address) else parsed
