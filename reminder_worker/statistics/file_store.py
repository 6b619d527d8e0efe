"""Where the files of the statistics are: a local folder, or a bucket of S3 or Google Cloud Storage by `fsspec`.

Both show a reader the old or the new file, whole. Keys of a bucket come from the standard places of its packages
(environment, instance role), never from a setting; a failure names its kind only, since texts of those packages may
hold parts of a key.
"""

import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

from reminder_worker.errors import Misconfigured


class FileStore(Protocol):
    """Files by name, `dataset/.../file`. All raise `OSError`, and wait: call them in a thread."""

    def list(self, below: str) -> set[str]: ...

    def read(self, name: str) -> bytes: ...

    def write(self, name: str, content: bytes) -> None: ...

    def delete(self, name: str) -> None: ...


def open_files(folder: str) -> FileStore:
    return BucketFiles(folder) if "://" in folder else LocalFiles(Path(folder))


class LocalFiles:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def list(self, below: str) -> set[str]:
        return {path.relative_to(self._folder).as_posix() for path in (self._folder / below).glob("**/*.parquet")}

    def read(self, name: str) -> bytes:
        return (self._folder / name).read_bytes()

    def write(self, name: str, content: bytes) -> None:
        """Write beside the place and rename."""
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.{uuid4().hex}.new")
        try:
            with beside.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)

    def delete(self, name: str) -> None:
        (self._folder / name).unlink(missing_ok=True)


class BucketFiles:
    """A bucket puts an object whole. Its first use raises `Misconfigured` if its packages are not installed."""

    def __init__(self, url: str) -> None:
        self._scheme, _, root = url.partition("://")
        self._root = root.rstrip("/")

    @cached_property
    def _bucket(self) -> Any:
        """Open the bucket. Not before: the API has the setting too, but neither package. Neither is typed."""
        try:
            if self._scheme == "s3":
                from s3fs import S3FileSystem

                limits = {"connect_timeout": 20, "read_timeout": 20}  # seconds
                return S3FileSystem(use_listings_cache=False, skip_instance_cache=True, config_kwargs=limits)
            from gcsfs import GCSFileSystem

            return GCSFileSystem(use_listings_cache=False, skip_instance_cache=True)
        except ImportError:
            words = "STATISTICS_FOLDER is a bucket, but the extra `object-storage` is not installed"
            raise Misconfigured(words) from None

    def list(self, below: str) -> set[str]:
        found = self._ask("list", lambda: self._bucket.find(f"{self._root}/{below}".rstrip("/")))
        return {name.removeprefix(f"{self._root}/") for name in found}

    def read(self, name: str) -> bytes:
        content: bytes = self._ask("read", lambda: self._bucket.cat_file(f"{self._root}/{name}"))
        return content

    def write(self, name: str, content: bytes) -> None:
        self._ask("write", lambda: self._bucket.pipe_file(f"{self._root}/{name}", content))

    def delete(self, name: str) -> None:
        try:
            self._ask("delete", lambda: self._bucket.rm_file(f"{self._root}/{name}"))
        except FileNotFoundError:
            return

    def _ask(self, what: str, ask: Callable[[], Any]) -> Any:
        try:
            return ask()
        except Misconfigured:
            raise
        except FileNotFoundError:
            raise FileNotFoundError(f"cannot {what}: not in the bucket") from None
        except Exception as error:  # noqa: BLE001 - of several packages, with no common kind
            raise OSError(f"cannot {what} in the bucket: {type(error).__name__}") from None
