"""Encryption of the connection to PostgreSQL, by the rule of `reminder-worker doctor`."""

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine


@dataclass(frozen=True, slots=True)
class StoreLink:
    """An open connection: `address` is empty for a unix socket."""

    host: str
    address: str
    sslmode: str
    encrypted: bool

    @property
    def is_safe(self) -> bool:
        """Return whether it stays on this machine, or is encrypted to a server whose certificate was checked."""
        if not self.address or ip_address(self.address).is_loopback:
            return True
        if self.host == "postgres" and ip_address(self.address).is_private:  # Compose's own, inside of the machine
            return True
        return self.encrypted and self.sslmode == "verify-full"


async def read_link(engine: AsyncEngine) -> StoreLink:
    async with engine.connect() as connection:
        driver: Any = (await connection.get_raw_connection()).driver_connection
        mode = driver.info.get_parameters().get("sslmode", "prefer")  # libpq's default
        return StoreLink(driver.info.host, driver.info.hostaddr, mode, bool(driver.pgconn.ssl_in_use))
