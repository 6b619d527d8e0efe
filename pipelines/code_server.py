"""Dagster's code server with the options of `dagster api grpc`: `python -m pipelines.code_server --socket …`.

The server and the fork server that runs are copied from need the same 140 MiB of imports. They are imported once, and
before anything is open, this process makes a copy of itself: the copy serves the forks, and both use the same memory
for what they do not change. With `dagster api grpc` all works as well, only with 95 MiB more.
"""

import gc
import os
import socket
import sys
from importlib import import_module
from importlib.metadata import entry_points
from multiprocessing import connection, forkserver
from typing import Any

from pipelines.warm_starts import PRELOADED, start_runs_warm
from reminder_worker.interrupts import accept_interrupts


def copy_into_fork_server() -> None:
    """Fork, as Python starts a fork server, but without a new interpreter: Python has no public way to do so.

    Were the attributes gone after an upgrade, Python would start its own fork server as it does otherwise.
    """
    alive_r, alive_w = os.pipe()  # the fork server ends when the last owner of `alive_w` is gone
    with socket.socket(socket.AF_UNIX) as listener:
        address = connection.arbitrary_address("AF_UNIX")  # type: ignore[attr-defined]
        listener.bind(address)
        os.chmod(address, 0o600)
        listener.listen()
        pid = os.fork()
        if pid == 0:
            os.close(alive_w)
            try:
                forkserver.main(listener.fileno(), alive_r, [])
            finally:
                os._exit(0)
    os.close(alive_r)
    server: Any = forkserver._forkserver
    server._forkserver_address, server._forkserver_alive_fd, server._forkserver_pid = address, alive_w, pid


def main() -> None:
    accept_interrupts()
    for name in PRELOADED:
        import_module(name)
    gc.collect()
    gc.freeze()  # a collection would write to all objects, and memory that is written to is no longer shared
    if sys.platform == "linux":
        copy_into_fork_server()
    import_module("dagster._grpc.server")
    start_runs_warm()
    sys.argv = ["dagster", "api", "grpc", *sys.argv[1:]]
    (dagster,) = entry_points(group="console_scripts", name="dagster")
    dagster.load()()


if __name__ == "__main__":
    main()
