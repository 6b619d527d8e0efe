"""`make prove`: what takes too long for the tests, part after part, each a process of its own; 1 when one is broken.

Resumable: a part that succeeded is not repeated until the code changes, and one that was ended goes on where it was if
it can: the campaign and the attack with the next seed. A broken part stops none of the others.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.campaign import RESULTS, ROOT, code_of, earlier, keep

FILE = RESULTS / "prove.json"
CODE = ("api", "bench", "devnet", "mail_service", "pipelines", "reminder_worker", "tests/campaign")


@dataclass(frozen=True, slots=True)
class ProofPart:
    """`words`: what Python is started with; `environ`: added to ours."""

    name: str
    words: Sequence[str]
    environ: Mapping[str, str] = field(default_factory=dict)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign.prove", description="Everything that is proven.")
    parser.add_argument("--faults", type=int, default=1000, help="how many the campaign injects (1000)")
    faults = str(parser.parse_args().faults)
    parts = (
        ProofPart("campaign", ("-m", "tests.campaign", "--faults", faults)),
        ProofPart("broken_rules", ("-m", "tests.campaign.broken")),
        ProofPart("attack", ("-m", "tests.campaign.attack")),
        ProofPart("growth", ("-m", "bench", "growth")),
        ProofPart("million", ("-m", "bench", "million")),
        ProofPart("api_under_load", ("-m", "bench", "api_under_load"), {"API_UNDER_LOAD_SECONDS": "600"}),
    )
    sys.exit(prove(parts, FILE, code_of(*CODE)))


def prove(parts: Sequence[ProofPart], file: Path, code: str) -> int:
    """How many parts are broken. `file` remembers those that are not, each with the words it was started with."""
    done = earlier(file, code, "done")
    told, broken = [], 0
    for part in parts:
        words = [*part.words, *(f"{name}={value}" for name, value in part.environ.items())]
        if done.get(part.name, {}).get("words") == words:
            told.append(f"{part.name:15} done before, for this code, in {done[part.name]['seconds']} s")
            continue
        print(f"--- {part.name}", flush=True)
        began = time.monotonic()
        ended = subprocess.run([sys.executable, *part.words], cwd=ROOT, env={**os.environ, **part.environ}, check=False)
        seconds = round(time.monotonic() - began)
        if ended.returncode == 0:
            done[part.name] = {"words": words, "seconds": seconds}
            keep(file, code, done=done)
            told.append(f"{part.name:15} every promise kept, {seconds} s")
        else:
            broken += 1
            told.append(f"{part.name:15} BROKEN (exit code {ended.returncode}), {seconds} s")
    print("---", *told, sep="\n")
    return broken


if __name__ == "__main__":
    main()
