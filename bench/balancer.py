"""A balancer in front of several processes: `python -m bench.balancer PORT TARGET...`.

Passes each connection to the next target that listens, as a service of Kubernetes does with ready pods.
"""

import asyncio
import itertools
import sys
from collections.abc import Sequence
from contextlib import suppress


async def start_balancer(targets: Sequence[int], port: int = 0) -> asyncio.Server:
    """Listen on loopback. `targets`: ports on loopback."""
    turns = itertools.cycle([*targets[turn:], *targets[:turn]] for turn in range(len(targets)))

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for target in next(turns):
            with suppress(OSError):
                there = await asyncio.open_connection("127.0.0.1", target)
                await asyncio.gather(_pass_on(reader, there[1]), _pass_on(there[0], writer))
                return
        writer.transport.abort()

    return await asyncio.start_server(serve, "127.0.0.1", port)


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Until one side ends, which ends the other."""
    with suppress(OSError):
        while some := await reader.read(65536):
            writer.write(some)
            await writer.drain()
    writer.close()


async def _serve(port: int, targets: Sequence[int]) -> None:
    await (await start_balancer(targets, port)).serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), [int(target) for target in sys.argv[2:]]))
