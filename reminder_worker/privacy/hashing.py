"""Keyed hashes: what stands for an email or a client address where only equality matters."""

import hmac
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from reminder_worker.privacy.vault import derive_key


class KeyedHash:
    """HMAC-SHA256 under a subkey for each purpose, so that hashes of two purposes cannot be compared."""

    def __init__(self, key: bytes) -> None:
        self.key_id = derive_key(key, "hash/key-id", length=8).hex()
        self._email = derive_key(key, "hash/email")
        self._client = derive_key(key, "hash/client")
        self._sub_organization = derive_key(key, "hash/sub-organization")
        self._given = derive_key(key, "hash/given")
        self._gift_wallet = derive_key(key, "hash/gift-wallet")

    def __repr__(self) -> str:
        return f"KeyedHash({self.key_id})"

    def hash_email(self, normalised: str) -> bytes:
        """32 bytes for the result of `normalise_email`."""
        return hmac.digest(self._email, normalised.encode(), "sha256")

    def sub_organization(self, normalised: str) -> str:
        """The name of an email's sub-organization at the identity provider; tells it nothing, and is none of ours."""
        return "gift-" + hmac.digest(self._sub_organization, normalised.encode(), "sha256").hex()

    def gift_wallet(self, address: str) -> bytes:
        """32 bytes for the lower-case address of an email's wallet."""
        return hmac.digest(self._gift_wallet, address.encode(), "sha256")

    def hash_given_email(self, giver: str, normalised: str) -> bytes:
        """32 bytes for an email of one giver (a lower-case address), which says nothing of other givers'."""
        return hmac.digest(self._given, f"{giver} {normalised}".encode(), "sha256")

    def hash_client(self, address: str | IPv4Address | IPv6Address) -> str:
        """32 hex digits for a client; all of an IPv6 /64 is one client. ValueError when not an IP address."""
        return hmac.digest(self._client, _client_network(address).encode(), "sha256")[:16].hex()

    def hash_site(self, address: IPv4Address | IPv6Address) -> str | None:
        """32 hex digits for the IPv6 /48 of a client: one customer may have as much. None for IPv4."""
        if isinstance(address, IPv4Address) or address.ipv4_mapped is not None:
            return None
        network = IPv6Network((address, 48), strict=False)
        return hmac.digest(self._client, str(network).encode(), "sha256")[:16].hex()


def _client_network(address: str | IPv4Address | IPv6Address) -> str:
    ip = ip_address(address.partition("%")[0]) if isinstance(address, str) else address
    if isinstance(ip, IPv6Address):
        if ip.ipv4_mapped is None:
            return str(IPv6Network((ip, 64), strict=False))
        ip = ip.ipv4_mapped
    return str(ip)
