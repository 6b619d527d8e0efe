"""Python packages of each image of deploy/Dockerfile in MiB. The floor is a single image with all packages.

Sizes are those of the packages installed here, at the versions of the image's list. No registry is asked.
"""

import re
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Final

from packaging.markers import Marker

from bench.harness import BenchFigure

ROOT: Final = Path(__file__).parents[1]
AIMS: Final = {"api": "<= 260", "mail": "<= 200", "passes": ""}
_DOCKERFILE: Final = ROOT / "deploy" / "Dockerfile"
_STAGE: Final = re.compile(r"^FROM (\S+) AS (\S+)\n(.*?)(?=^FROM |\Z)", re.MULTILINE | re.DOTALL)
_PINNED: Final = re.compile(r"^([a-z0-9._-]+)(?:\[.*\])?==[^\s;\\]+(?: ; ([^\\]+))?", re.MULTILINE)


async def measure() -> list[BenchFigure]:
    packages = {image: {each.name: each for each in list_packages(image)} for image in AIMS}
    everything: dict[str, Distribution] = {}
    for found in packages.values():
        everything |= found
    whole = _measure_mib(everything.values())
    figures = []
    for image, found in packages.items():
        mib = _measure_mib(found.values())
        figures.append(BenchFigure(f"image.{image}", mib, "MiB of packages", whole, mib / whole, AIMS[image]))
    return figures


def list_packages(image: str) -> Iterator[Distribution]:
    """Yield the packages of an image that this system installs. Raises `PackageNotFoundError` for a missing one."""
    for name, marker in _PINNED.findall((ROOT / "deploy" / "locks" / f"{image}.lock").read_text()):
        if not marker or Marker(marker).evaluate():
            yield distribution(name)


def list_code(image: str) -> list[str]:
    """Return our own packages that the Dockerfile copies into an image."""
    stages = {name: (base, text) for base, name, text in _STAGE.findall(_DOCKERFILE.read_text())}
    found, stage = [], f"{image}-environment"
    while stage in stages:
        stage, text = stages[stage]
        found += re.findall(r"^COPY (\w+) \1$", text, re.MULTILINE)
    return found


def link_image(image: str, folder: Path) -> None:
    """Link each file of the image's packages, and its code, into a folder: all that `python -S` finds there."""
    for package in list_packages(image):
        for file in package.files or ():
            link = folder / file
            if ".." not in file.parts and not link.is_symlink():  # a command; a file of two packages
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(str(file.locate()))
    for name in list_code(image):
        (folder / name).symlink_to(ROOT / name)


def _measure_mib(packages: Iterable[Distribution]) -> float:
    files = [Path(str(file.locate())) for each in packages for file in each.files or ()]
    return sum(file.stat().st_size for file in files if file.exists()) / 2**20
