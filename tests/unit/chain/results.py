"""Results as a node sends them."""

from typing import Any

import msgspec


def as_sent(value: Any) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))
