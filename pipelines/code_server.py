"""Dagster's code server with the options of `dagster api grpc`: `python -m pipelines.code_server --socket …`.

Dagster starts a new Python for each run. Importing Dagster and the worker takes it longer than the work of most runs.
So Python's fork server imports both once (`pipelines.preloaded`). The code server and each run are copies of the fork
server: a run starts at once, and the copies share the memory of their imports.

Dagster and Python have no setting for this. Two of their functions are replaced, in the code server only; decision 0007
says what that saves. With `dagster api grpc` all works as well, only slower.
"""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Sequence
from multiprocessing import forkserver, resource_tracker

from reminder_worker.interrupts import accept_interrupts


def start_runs_as_copies() -> None:
    """Replace the new Python of each run by a copy of the fork server that this process is a copy of."""
    context = multiprocessing.get_context("forkserver")
    multiprocessing.get_context = lambda method=None: context  # type: ignore[assignment]  # Dagster asks for "spawn"
    # By Python's documentation a copy uses the same fork server. By mistake it starts another (python/cpython#86354).
    forkserver.ForkServer.ensure_running = lambda self: resource_tracker.ensure_running()  # type: ignore[method-assign]


def end_with_parent() -> None:
    """End this process as soon as its parent, the process that an operator started, is killed."""
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os._exit(1)  # at once, before it removes the socket of the next code server


def serve_as_copy(options: Sequence[str]) -> None:
    """Serve in a copy of the fork server."""
    threading.Thread(target=end_with_parent, daemon=True).start()
    start_runs_as_copies()
    serve(options)


def serve(options: Sequence[str]) -> None:
    from pipelines.preloaded import run_dagster

    sys.argv = ["dagster", "api", "grpc", *options]
    run_dagster()


def main() -> None:
    """Start the fork server, and the code server as its first copy; pass SIGTERM on and wait for its end."""
    accept_interrupts()
    if sys.platform != "linux":  # elsewhere libraries of the system do not survive a copy
        return serve(sys.argv[1:])
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["pipelines.preloaded"])
    server = context.Process(target=serve_as_copy, args=[sys.argv[1:]])
    server.start()
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C of a terminal reaches the code server by itself
    server.join()
    sys.exit(server.exitcode)


if __name__ == "__main__":
    main()
