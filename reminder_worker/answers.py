"""What other services answer, which may be anything and of any length."""

from typing import Final

import aiohttp
import msgspec

NOT_OURS: Final = (msgspec.DecodeError, UnicodeError, RecursionError)
"""What `msgspec.json.decode` raises for what is no JSON, JSON of another shape, no UTF-8, or nested without end."""


async def read(response: aiohttp.ClientResponse, most: int) -> bytes:
    """The answer; of one longer than `most` bytes the first `most` + 1. Raises what aiohttp raises."""
    content, body = response.content, bytearray()
    while len(body) <= most and not content.at_eof():
        body += await content.readany()
    del body[most + 1 :]
    return bytes(body)
