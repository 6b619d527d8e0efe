"""HTTP client in a process of its own: `python -m bench.client URL` posts the lines of its input in order.

It prints the milliseconds of each answer as a JSON list, and fails at an answer other than 200.
"""

import asyncio
import json
import sys
from collections.abc import Sequence
from time import perf_counter

import aiohttp
import uvloop


async def post_in_order(url: str, bodies: Sequence[bytes]) -> list[float]:
    """Post the bodies from another process; return the milliseconds of each answer."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.client", url, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate(b"\n".join(bodies))
    if process.returncode:
        raise RuntimeError("the client failed")
    times: list[float] = json.loads(output)
    return times


async def _post(url: str) -> None:
    times = []
    async with aiohttp.ClientSession(headers={"Content-Type": "application/json"}) as session:
        for body in sys.stdin.buffer.read().split(b"\n"):
            began = perf_counter()
            async with session.post(url, data=body) as answer:
                await answer.read()
                if answer.status != 200:
                    sys.exit(f"answered {answer.status}")
            times.append(1000 * (perf_counter() - began))
    print(json.dumps(times))


if __name__ == "__main__":
    uvloop.run(_post(sys.argv[1]))
