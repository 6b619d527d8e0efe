"""TCP proxy whose answers arrive late: `python -m bench.far_node HOST PORT MILLISECONDS` prints its port."""

import asyncio
import ctypes
import signal
import sys

import uvloop


async def _serve(host: str, port: int, delay: float) -> None:
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # ends with the process that started it

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        behind, ahead = await asyncio.open_connection(host, port)

        async def bring_back() -> None:
            while data := await behind.read(2**16):
                asyncio.get_running_loop().call_later(delay, writer.write, data)

        answers = asyncio.ensure_future(bring_back())
        while data := await reader.read(2**16):
            ahead.write(data)
        answers.cancel()
        ahead.close()
        writer.close()

    server = await asyncio.start_server(forward, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(_serve(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) / 1000))
